/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef STHD_APP_IOSTAT_H
#define STHD_APP_IOSTAT_H

#include "sthd/err.h"
#include "sthd/lines.h"
#include "sthd/loop.h"

/*
 * One long-lived "zpool iostat -yv POOL 1", line by line into a store: a view people know beside
 * our figures. Nothing is judged by it: its averages are the middles of octaves, without flushes.
 */
struct iostat;

/* lines outlive it. -errno with a sentence: no zpool in PATH, or it cannot be started. */
int iostat_start(struct iostat **out, struct loop *l, const char *pool, struct lines *lines,
                 struct err *e);
void iostat_free(struct iostat *i); /* kills what runs; NULL is fine */

#endif
