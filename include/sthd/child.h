/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef STHD_CHILD_H
#define STHD_CHILD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "sthd/buf.h"
#include "sthd/err.h"
#include "sthd/loop.h"

/*
 * One child process with both outputs captured, its own process group, no stdin, dying with us
 * (PR_SET_PDEATHSIG). It is over when both outputs have ended AND its status is known, in either
 * order. Its pipes are read whenever they have something; nothing else in the program may stop
 * that.
 */
struct child;

enum child_stream { CHILD_STDOUT, CHILD_STDERR };

struct child_events {
    void (*output)(void *arg, enum child_stream s, const char *bytes, size_t len, int64_t now_ns);
    /* wait_status as from waitpid(2). The child may be freed from here. */
    void (*end)(void *arg, int wait_status);
};

/*
 * Needs signals_block to have been called, and descriptors 0 to 2 to be open.
 * program is the resolved executable (argv[0] may differ). keep: descriptors the child inherits
 * under the same number; no other is
 * inherited, close-on-exec or not. Fails with a sentence when it could
 * not be started; "started and failed" comes through end.
 */
int child_start(struct child **out, struct loop *l, const char *program, const struct strv *argv,
                const int *keep, size_t n_keep, const struct child_events *ev, void *arg,
                struct err *e);
pid_t child_pid(const struct child *c);
void child_signal(struct child *c, int signo); /* to the process group */
/*
 * From end: whether the output was given up because a process that the child had started still held
 * it 2 s after the child's death (its group is killed first).
 */
bool child_was_cut(const struct child *c);
/*
 * fn(arg of child_start) is called just before end, while the dead child is still in /proc with its
 * counters. It must not free the child. It is left out in the rare case that somebody else has
 * collected the child.
 */
void child_set_before_reap(struct child *c, void (*fn)(void *arg));
/*
 * Kills (KILL) and reaps if it still runs; then frees. May be called from any of its callbacks; no
 * callback comes afterwards. Waits 0.2 s at most: a child that hangs in the kernel is collected
 * later, at its SIGCHLD. NULL is fine.
 */
void child_free(struct child *c);

/* To be called at SIGCHLD (signals.c does). */
void child_check_all(struct loop *l);

/* Finds an executable in PATH, then /usr/local/bin /usr/bin /bin /usr/local/sbin /usr/sbin /sbin;
 * NULL if none. Caller frees. */
char *child_find_program(const char *name);

#endif
