/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef STHD_WORK_DIR_H
#define STHD_WORK_DIR_H

#include "sthd/err.h"

/*
 * A directory of our own for tests on many small files, which need names: 0700, with a random name,
 * in the target directory. A keeper process stands guard before it is made and removes it with all
 * that is in it, however we end. fio gets it as an inherited descriptor, so that no character in
 * its path matters, and nobody who renames something can lead it elsewhere.
 */
struct work_dir;

int work_dir_create(struct work_dir **out, const char *dir, struct err *e);
int work_dir_fd(const struct work_dir *w);
/* Removes the files in it: takes its time, so between steps only. */
void work_dir_empty(struct work_dir *w);
/* Removes all of it. NULL is fine. */
void work_dir_free(struct work_dir *w);

#endif
