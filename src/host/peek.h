/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef STHD_HOST_PEEK_H
#define STHD_HOST_PEEK_H

#include <stddef.h>

/*
 * Asks the kernel about paths that may never answer: statvfs(2) and even stat(2) of a mount whose
 * server is gone, or of a suspended pool, sleep until it comes back, and nothing can be done about
 * that from inside the process.
 */

/* Runs in a child process: writes what it finds to fd with peek_write(), in order of interest. */
typedef void peek_fn(int fd, void *arg);
void peek_write(int fd, const void *bytes, size_t n);

/*
 * Lets fn look, in a child, and collects the bytes it writes, up to size. Returns how many came
 * before it ended or timeout_ms were over; it is killed then, and what it asked never matters
 * again. 0 also when no child could be made.
 */
size_t peek(peek_fn *fn, void *arg, void *out, size_t size, int timeout_ms);

#endif
