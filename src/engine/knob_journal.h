/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef STHD_ENGINE_KNOB_JOURNAL_H
#define STHD_ENGINE_KNOB_JOURNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "sthd/err.h"
#include "sthd/keeper.h"

/*
 * What is to be restored, on disk (in memory, mostly: /run) as long as it is. One journal per
 * machine and user, and a lock: who holds it may turn knobs.
 */
struct journal {
    pid_t pid; /* who wrote it */
    uint32_t armed;
    struct keeper_action *actions; /* KEEPER_WRITE, in the order of restoring; owned */
    size_t n;
};

/* Makes the directory if need be. -EBUSY with a sentence that names who holds the lock. */
int journal_lock(const char *dir, const char *sysroot, int *fd, struct err *e);
char *journal_path(const char *dir);
/* Whole or not at all: a new file takes the place of the old one when it is on disk. */
int journal_write(const char *dir, const char *sysroot, const struct journal *j, struct err *e);
/*
 * 0: out is filled. -ENOENT: there is none, or one of an earlier boot (it is removed). Else it is
 * no journal of ours (-EBADMSG), or cannot be read. Only files below the processors' directory of
 * this sysroot are believed.
 */
int journal_read(const char *dir, const char *sysroot, struct journal *out, struct err *e);
void journal_done(struct journal *j);

#endif
