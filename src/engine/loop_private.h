/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef STHD_ENGINE_LOOP_PRIVATE_H
#define STHD_ENGINE_LOOP_PRIVATE_H

#include "sthd/loop.h"

struct child;

/*
 * Where child.c keeps its list of children: SIGCHLD says only that somebody ended, so they must be
 * found from the loop, and a global list would be one more global.
 */
struct child **loop_children(struct loop *l);

/* Called by loop_free before anything else is gone; child.c gives up what still runs there. */
void loop_at_free(struct loop *l, void (*fn)(struct loop *l));

#endif
