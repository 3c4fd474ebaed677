/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef STHD_BENCH_FILE_H
#define STHD_BENCH_FILE_H

#include <stdint.h>

#include "sthd/err.h"

/*
 * The bench file has no name (O_TMPFILE, else create-exclusive and unlink at once), is sized before
 * fio sees it, and reaches fio as /proc/self/fd/N. So nothing can leave it behind, redirect it, or
 * overwrite what exists. Where a file system can do neither (its unlinked file cannot be opened
 * again through /proc), a private 0700 directory and a keeper process that removes it when we are
 * gone.
 */
struct bench_file;

enum bench_file_way {
    BENCH_FILE_TMPFILE,
    BENCH_FILE_UNLINKED,
    BENCH_FILE_KEEPER,
    BENCH_FILE_DEVICE
};

/*
 * Checks first and starts nothing when: dir is missing or not a directory, not writable, read-only,
 * too little space (says how much is needed and free). Each one sentence with its exit code.
 * size_bytes > 0. May take a moment on a slow disk (fallocate).
 */
int bench_file_create(struct bench_file **out, const char *dir, uint64_t size_bytes, struct err *e);
/*
 * A block device in the place of the bench file, open for reading alone: whoever has the descriptor
 * cannot write through it.
 */
int bench_file_of_device(struct bench_file **out, const char *path, struct err *e);
/* The checks alone, without creating anything: for the setup screen. */
int bench_file_check(const char *dir, uint64_t size_bytes, struct err *e);
int bench_file_fd(const struct bench_file *f);
enum bench_file_way bench_file_way(const struct bench_file *f);
/* Closes (and thereby deletes) it. NULL is fine. */
void bench_file_free(struct bench_file *f);

#endif
