/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef STHD_HOST_H
#define STHD_HOST_H

#include "sthd/devstat.h"
#include "sthd/err.h"
#include "sthd/stack.h"
#include "sthd/target.h"
#include "sthd/zfs.h"

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
 * What is under a target, down to its devices. Reads sysfs and mountinfo only, so no file system
 * can make it wait. Never fails: what is not visible out->hidden says. Of ZFS it ends at the pool.
 */
void host_stack(struct stack *out, const struct target *t, const char *sysroot);

/* Adds a pool's devices, and what is under them, below the pool that host_stack left empty. */
void host_stack_add_pool(struct stack *s, const struct zpool *p, const char *sysroot);

/* Of the kernel module; false when there is none. */
bool host_zfs_version(int *major, int *minor, const char *sysroot);
uint64_t host_zfs_arc_limit(const char *sysroot); /* bytes; 0 not known */
/*
 * The counters of the intent log: the dataset's own (OpenZFS 2.2 and later; objset keeps the name
 * of its kstat between calls and begins as ""), else those of all datasets. out->known says whether
 * there are any.
 */
#define HOST_OBJSET_NAME 40
void host_zfs_zil(struct zil *out, char objset[HOST_OBJSET_NAME], const char *dataset,
                  const char *sysroot);

/*
 * The counters of a stack's leaves. Files are kept open. Of a partition reads and writes are its
 * own; flushes the kernel counts on whole disks only. Of an NVMe device with several paths they are
 * those of all paths together.
 */
struct devstat_reader;
/* NULL when there is no leaf whose counters can be read. */
struct devstat_reader *host_devstat_open(const struct stack *s, const char *sysroot);
/* One devstat per leaf, in their order; zeros for one that cannot be read. */
void host_devstat_read(const struct devstat_reader *r, struct devstat *out);
size_t host_devstat_count(const struct devstat_reader *r);
void host_devstat_close(struct devstat_reader *r); /* NULL is fine */

/*
 * Name, kernel, CPUs, RAM, and one line on the governors (with the number of CPUs that each has).
 * Never fails; unknown is empty or 0. The fields on fio are not touched.
 */
void host_machine(struct machine *m, const char *sysroot);

#endif
