/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef STHD_HOST_H
#define STHD_HOST_H

#include "sthd/err.h"
#include "sthd/target.h"

/*
 * What this machine is. Every path is read below sysroot ("" on the real machine), so a fixture
 * tree can stand in for /proc and /sys.
 */

/*
 * Parses /proc/self/mountinfo text into targets: pseudo file systems left out (proc, sysfs, cgroup,
 * devpts, squashfs ...), ZFS, NFS, CIFS, FUSE, overlay, tmpfs kept; escapes decoded; of two mounts
 * on one path the later wins; bind mounts of files left out. No statvfs here: sizes are
 * UNITS_ABSENT.
 */
int host_mounts_parse(struct targets *out, const char *mountinfo, struct err *e);
/* The real list: parse, then sizes and access; a network file system that hangs must not hang us
 * (see .c). */
int host_mounts(struct targets *out, const char *sysroot, struct err *e);
/*
 * The target for a path typed by the user: resolved (realpath), its mount found through statx's
 * mount id (fallback: longest prefix). -ENOENT, -ENOTDIR, -EACCES with a sentence,
 * EXIT_CODE_TARGET.
 */
int host_target(struct target *out, const char *path, const char *sysroot, struct err *e);

/* Name, kernel, CPUs, RAM, one line on the CPU's governor. Never fails; unknown stays empty. */
void host_machine(struct machine *m, const char *sysroot);

#endif
