/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef STHD_ENGINE_PROC_FILE_H
#define STHD_ENGINE_PROC_FILE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

/*
 * What another process of ours is doing with a file, as the kernel tells it. proc: "/proc", or a
 * fixture tree in its place.
 */

struct proc_file {
    uint64_t pos; /* where it is in the file, bytes */
    int flags;    /* of open(2), as fdinfo has them */
};

/*
 * Finds the descriptor under which it has the file open, whatever its number (GNU and BusyBox dd
 * use 0 and 1, others do not), except skip_fd, which it inherited and shares with us. Where it has
 * it open several times: the one that is farthest. -ENOENT when it does not have it open (yet), or
 * another -errno.
 */
int proc_file_find(struct proc_file *out, const char *proc, pid_t pid, const struct stat *file,
                   int skip_fd);
/*
 * Bytes that it, and children it has waited for, passed to read(2) or write(2): of all its files,
 * and it works even between a process's death and its being waited for. -errno.
 */
int proc_io(const char *proc, pid_t pid, uint64_t *rchar, uint64_t *wchar);
/*
 * Bytes that it (not its children) caused to be fetched from storage: what it read and no page
 * cache had, read-ahead included. The same rules.
 */
int proc_fetched(const char *proc, pid_t pid, uint64_t *bytes);
/* It was stopped by a signal, so its system call is over. False also when it is gone. */
bool proc_is_stopped(const char *proc, pid_t pid);
/* It has ended, even if nobody has waited for it yet. */
bool proc_is_dead(const char *proc, pid_t pid);

#endif
