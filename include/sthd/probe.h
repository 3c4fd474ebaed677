/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef STHD_PROBE_H
#define STHD_PROBE_H

#include "sthd/err.h"
#include "sthd/loop.h"
#include "sthd/plan.h"

/*
 * What works on the target: engines (io_uring, libaio, posixaio, sync, psync) and O_DIRECT, tried
 * by tiny real fio runs, all at once, through a nameless file of its own in dir. Asynchronous.
 */
struct probe;

int probe_start(struct probe **out, struct loop *l, const char *fio_program, const char *dir,
                void (*done)(void *arg, const struct capability *c), void *arg, struct err *e);
void probe_free(struct probe *p); /* kills what runs; NULL is fine */

#endif
