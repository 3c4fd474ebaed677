/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef STHD_HOST_SYSROOT_H
#define STHD_HOST_SYSROOT_H

#include <stdbool.h>
#include <stddef.h>

#include "sthd/buf.h"

/*
 * Files of /proc and /sys below a prefix: "" is this machine, anything else a tree that stands in
 * for one.
 */

/* The whole file into out (cleared first), without trailing white space. 0 or -errno. */
int sysroot_read(struct buf *out, const char *sysroot, const char *path);
/* Its first line, cut to size - 1 bytes; "" when there is none. Returns out. */
char *sysroot_line(char *out, size_t size, const char *sysroot, const char *path);
/* Whether there is something of that name, a symbolic link to nowhere included. */
bool sysroot_has(const char *sysroot, const char *path);
/* What a symbolic link says, cut to size - 1 bytes; "" when it is none. Returns out. */
char *sysroot_link(char *out, size_t size, const char *sysroot, const char *path);
/* The names in a directory, sorted, without those that begin with a dot; none when it is not there.
 */
void sysroot_list(struct strv *out, const char *sysroot, const char *path);

#endif
