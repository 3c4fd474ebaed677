/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef STHD_KEEPER_H
#define STHD_KEEPER_H

#include <stddef.h>
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
    KEEPER_WRITE,  /* text into the existing path, in one write(2) */
};

struct keeper_action {
    enum keeper_verb verb;
    const char *path; /* absolute: the keeper stands in / */
    const char *text; /* KEEPER_WRITE only */
};

/* Returns when the keeper stands guard. The actions are copied; they run in order, all of them. */
int keeper_start(struct keeper **out, const struct keeper_action *actions, size_t n, struct err *e);
/* Never our child: nothing to wait for. */
pid_t keeper_pid(const struct keeper *k);
/*
 * Has the actions carried out now, waits for it (5 s at most), frees. If the keeper was killed,
 * they are done by us. Fails with a sentence that names the first that failed. NULL is fine.
 */
int keeper_release(struct keeper *k, struct err *e);

/*
 * Removes what lies in an open directory, directories apart; takes the descriptor over. 0 or an
 * errno.
 */
int keeper_empty(int dirfd);

#endif
