/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef STHD_HOST_FSTYPE_H
#define STHD_HOST_FSTYPE_H

#include <stdbool.h>

#include "mountinfo.h"
#include "sthd/target.h"

/* What a mount is good for, by its type, source and place. */

/* Nobody measures it: kernel interfaces, images that cannot be written, automounts. */
bool fstype_is_pseudo(const struct mount *m);
enum target_kind fstype_kind(const struct mount *m);
/* One line on why its figures are not those of a disk; "" if they are. */
const char *fstype_note(const struct mount *m);
/*
 * Whether it may never answer: another machine or another program does, or a pool that waits for
 * its devices.
 */
bool fstype_may_hang(enum target_kind kind);
/* Part of the running system or of its containers: measured seldom, listed last. */
bool fstype_is_system(const struct mount *m);

#endif
