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
 * Parses /proc/self/mountinfo text into targets, in its order: pseudo file systems left out (proc,
 * sysfs, cgroup, devpts, squashfs ...), ZFS, NFS, CIFS, FUSE, overlay, tmpfs kept; escapes decoded;
 * mounts that a later one covers left out. Looks at nothing else: sizes are UNITS_ABSENT, and a
 * bind mount of a file cannot be told from one of a directory. Lines that make no sense are
 * skipped; -EINVAL with a sentence if all are like that.
 */
int host_mounts_parse(struct targets *out, const char *mountinfo, struct err *e);
/*
 * The real list: parse, then sizes, access, and bind mounts of files left out. Data first, then
 * "/", what belongs to the system, and RAM. Takes at most 150 ms longer when something mounted does
 * not answer; that target then says so in its note.
 */
int host_mounts(struct targets *out, const char *sysroot, struct err *e);
/*
 * The target for a path typed by the user: resolved (realpath), its mount found through statx's
 * mount id (fallback: longest prefix). -ENOENT, -ENOTDIR, -EACCES, -ETIMEDOUT (no answer within
 * 3 s) ... with a sentence, EXIT_CODE_TARGET. out is empty then.
 */
int host_target(struct target *out, const char *path, const char *sysroot, struct err *e);

/*
 * Name, kernel, CPUs, RAM, and one line on the governors (with the number of CPUs that each has).
 * Never fails; unknown is empty or 0. The fields on fio are not touched.
 */
void host_machine(struct machine *m, const char *sysroot);

#endif
