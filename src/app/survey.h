/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef STHD_APP_SURVEY_H
#define STHD_APP_SURVEY_H

#include "sthd/loop.h"
#include "sthd/zfs.h"

/*
 * What only ZFS's programs can tell: a dataset's properties and the devices of its pool. Three or
 * four questions, one after the other, asynchronous; what fails stays unknown.
 */
struct survey;

/*
 * facts has dataset, pool and version already; the rest is filled in. done comes once, from the
 * loop, pool NULL when it could not be told. The survey may be freed from it. NULL: there is nobody
 * to ask; facts->problem says so.
 */
struct survey *survey_start(struct loop *l, struct zfs_facts *facts, int64_t delay_ns,
                            void (*done)(void *arg, const struct zpool *pool), void *arg);
void survey_free(struct survey *s); /* NULL is fine */

#endif
