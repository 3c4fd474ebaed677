/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef STHD_KEEPER_H
#define STHD_KEEPER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "sthd/err.h"

/*
 * What puts the world back in order when we cannot: a small process in a session of its own that
 * knows a list of actions and carries them out when we are gone, however that came about (SIGKILL
 * included), or when it is told to.
 */
struct keeper;

enum keeper_verb {
    KEEPER_UNLINK, /* path; that it is not there is fine */
    KEEPER_RMDIR,  /* path; that it is not there is fine */
    KEEPER_EMPTY,  /* path, a directory: what lies in it, directories apart; no link is followed */
    KEEPER_WRITE,  /* text into the existing path, in one write(2), unless that is what it says */
    KEEPER_CLEAR,  /* as KEEPER_UNLINK, but not when an action before it failed */
};

struct keeper_action {
    enum keeper_verb verb;
    const char *path; /* absolute: the keeper stands in / */
    const char *text; /* KEEPER_WRITE only */
    unsigned group;   /* 0: always carried out; 1 to KEEPER_GROUPS: only when that was armed */
};
#define KEEPER_GROUPS 31

/* Returns when the keeper stands guard. The actions are copied; they run in order, all of them. */
int keeper_start(struct keeper **out, const struct keeper_action *actions, size_t n, struct err *e);
/* The same, and the keeper holds a descriptor open as long as it lives: a lock that both hold. */
int keeper_start_holding(struct keeper **out, const struct keeper_action *actions, size_t n,
                         int hold_fd, struct err *e);
/*
 * From now on the actions of this group are to be carried out too. To be called before what they
 * undo is done; once it has returned, nothing that happens to us can undo that. Fails when the
 * keeper is gone.
 */
int keeper_arm(struct keeper *k, unsigned group, struct err *e);
/* False: it was killed. */
bool keeper_alive(const struct keeper *k);
/* Carries actions out here and now, those of group 0 and of the armed ones (bit 1 << group). Fails
 * with a sentence that names the first that failed. */
int keeper_act(const struct keeper_action *actions, size_t n, uint32_t armed, struct err *e);
/* Never our child: nothing to wait for. */
pid_t keeper_pid(const struct keeper *k);
/*
 * Has the actions carried out now, waits for it (5 s at most), frees. If the keeper was killed,
 * they are done by us. Fails with a sentence that names the first that failed. NULL is fine.
 */
int keeper_release(struct keeper *k, struct err *e);
/* Frees one that was killed, and does nothing else: another takes over. */
void keeper_abandon(struct keeper *k);

/*
 * Removes what lies in an open directory, directories apart; takes the descriptor over. 0 or an
 * errno.
 */
int keeper_empty(int dirfd);

#endif
