/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef STHD_HOST_BLOCK_H
#define STHD_HOST_BLOCK_H

#include <stdbool.h>
#include <stddef.h>

#include "sthd/stack.h"

/* Block devices as /sys/class/block has them, below a sysroot prefix. Names are the kernel's. */

#define BLOCK_PATH 256

/* "/sys/class/block/NAME/FILE" */
char *block_path(char out[BLOCK_PATH], const char *name, const char *file);
bool block_has(const char *sysroot, const char *name, const char *file);
bool block_has_slaves(const char *sysroot, const char *name);
char *block_line(char *out, size_t size, const char *sysroot, const char *name, const char *file);

/* The name for a device number; false: not to be seen. */
bool block_of_number(char *out, size_t size, const char *sysroot, unsigned major, unsigned minor);
/*
 * The name for "/dev/sda1", "/dev/mapper/x", "/dev/disk/by-partuuid/..."; false when there is no
 * such device here.
 */
bool block_of_source(char *out, size_t size, const char *sysroot, const char *source);
/* The disk that a partition is of; false when it is none. */
bool block_disk_of(char *out, size_t size, const char *sysroot, const char *name);
/* Everything about a disk; part may be "". */
void block_leaf(struct leaf *out, const char *sysroot, const char *disk, const char *part);

#endif
