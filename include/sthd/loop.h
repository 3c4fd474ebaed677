/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef STHD_LOOP_H
#define STHD_LOOP_H

#include <stdbool.h>
#include <stdint.h>

/* One poll(2) loop: descriptors, timers and a way out. Nothing called from here may block. */
struct loop;
struct loop_watch;
struct loop_timer;

/* CLOCK_MONOTONIC, ns. */
int64_t clock_ns(void);

struct loop *loop_new(void);
void loop_free(struct loop *l);

/* revents as poll(2) gives them. The callback may unwatch anything, itself included. */
typedef void loop_fd_fn(void *arg, int fd, short revents);
struct loop_watch *loop_watch(struct loop *l, int fd, short events, loop_fd_fn *fn, void *arg);
/* 0: not polled at all, not even for a hang-up. */
void loop_watch_events(struct loop_watch *w, short events);
void loop_unwatch(struct loop_watch *w); /* NULL is fine */

typedef void loop_timer_fn(void *arg, int64_t now_ns);
struct loop_timer *loop_timer_new(struct loop *l, loop_timer_fn *fn, void *arg);
void loop_timer_at(struct loop_timer *t, int64_t deadline_ns); /* one shot; rearms */
void loop_timer_off(struct loop_timer *t);
void loop_timer_free(struct loop_timer *t); /* NULL is fine */

/* Runs until loop_quit. before_wait (may be NULL) is called before every wait: draw there. */
void loop_run(struct loop *l, void (*before_wait)(void *arg), void *arg);
void loop_quit(struct loop *l);

#endif
