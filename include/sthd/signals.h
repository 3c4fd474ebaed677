/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef STHD_SIGNALS_H
#define STHD_SIGNALS_H

#include "sthd/loop.h"

/*
 * Signals as loop events. signals_block must come before the first thread, child or newterm: it
 * blocks INT TERM HUP QUIT TSTP CONT WINCH CHLD USR1 USR2 (exactly those with a case), and ignores
 * PIPE. HUP, INT and QUIT that were ignored when we were started (nohup, a background job of a
 * script) stay ignored.
 */
void signals_block(void);

typedef void signals_fn(void *arg, int signo);
/* Delivers each blocked signal to fn through the loop; SIGCHLD also to whom child.c needs. */
struct signals;
/* NULL: no descriptor to be had (errno). */
struct signals *signals_new(struct loop *l, signals_fn *fn, void *arg);
void signals_free(struct signals *s);

/* In a forked child before exec: empty mask, default dispositions. Async-signal-safe. */
void signals_reset_for_child(void);

/*
 * When nothing is left to clean up, and what is still to do may block: INT TERM HUP QUIT and TSTP
 * do from now on what they do by default (or nothing, where they were ignored).
 */
void signals_let_go(void);

/* Dies of the signal (default disposition, unblocked), so that our exit status is true. */
void signals_die_of(int signo) __attribute__((noreturn));

#endif
