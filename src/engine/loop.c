/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The one poll(2) loop; see loop.h.
 *
 * Promises: a callback may unwatch, free, add or rearm anything, itself included, and nothing that
 * was removed is called any more, not even later in the same round. No descriptor starves: each
 * that is ready is served once per round, and due timers come after them in every round.
 * Must not know: what the descriptors are.
 */
#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <stddef.h>
#include <stdlib.h>
#include <time.h>

#include "loop_private.h"
#include "sthd/mem.h"

/* Watches and timers are few (a dozen), so lists that are walked beat cleverer structures. */
struct loop_watch {
    struct loop *loop;
    struct loop_watch *next;
    int fd;
    short events;
    loop_fd_fn *fn; /* NULL: removed, swept at the end of the round */
    void *arg;
};

struct loop_timer {
    struct loop *loop;
    struct loop_timer *next;
    int64_t deadline_ns; /* NEVER: off */
    loop_timer_fn *fn;   /* NULL: freed, swept at the end of the round */
    void *arg;
};

#define NEVER INT64_MAX

struct loop {
    struct loop_watch *watches;
    struct loop_timer *timers;
    struct pollfd *polled;
    struct loop_watch **polled_by; /* polled_by[i] belongs to polled[i] */
    size_t n_polled, cap_polled;
    bool running, quit, garbage;
    struct child *children;
    void (*at_free)(struct loop *l);
};

int64_t clock_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

struct loop *loop_new(void)
{
    return mem_zalloc(sizeof(struct loop));
}

static void sweep(struct loop *l)
{
    for (struct loop_watch **p = &l->watches, *w; (w = *p) != NULL;) {
        if (w->fn) {
            p = &w->next;
            continue;
        }
        *p = w->next;
        free(w);
    }
    for (struct loop_timer **p = &l->timers, *t; (t = *p) != NULL;) {
        if (t->fn) {
            p = &t->next;
            continue;
        }
        *p = t->next;
        free(t);
    }
    l->garbage = false;
}

void loop_free(struct loop *l)
{
    if (!l)
        return;
    assert(!l->running);
    if (l->at_free)
        l->at_free(l);
    for (struct loop_watch *w = l->watches; w; w = w->next)
        w->fn = NULL;
    for (struct loop_timer *t = l->timers; t; t = t->next)
        t->fn = NULL;
    sweep(l);
    free(l->polled);
    free(l->polled_by);
    free(l);
}

struct loop_watch *loop_watch(struct loop *l, int fd, short events, loop_fd_fn *fn, void *arg)
{
    struct loop_watch *w = mem_zalloc(sizeof(*w));

    assert(fd >= 0 && fn);
    *w = (struct loop_watch){l, l->watches, fd, events, fn, arg};
    l->watches = w;
    return w;
}

void loop_watch_events(struct loop_watch *w, short events)
{
    w->events = events;
}

/* Removal only marks: the round that is being served still points at it. */
static void removed(struct loop *l)
{
    l->garbage = true;
    if (!l->running)
        sweep(l);
}

void loop_unwatch(struct loop_watch *w)
{
    if (!w)
        return;
    assert(w->fn);
    w->fn = NULL;
    removed(w->loop);
}

struct loop_timer *loop_timer_new(struct loop *l, loop_timer_fn *fn, void *arg)
{
    struct loop_timer *t = mem_zalloc(sizeof(*t));

    assert(fn);
    *t = (struct loop_timer){l, l->timers, NEVER, fn, arg};
    l->timers = t;
    return t;
}

void loop_timer_at(struct loop_timer *t, int64_t deadline_ns)
{
    t->deadline_ns = deadline_ns;
}

void loop_timer_off(struct loop_timer *t)
{
    t->deadline_ns = NEVER;
}

void loop_timer_free(struct loop_timer *t)
{
    if (!t)
        return;
    assert(t->fn);
    t->fn = NULL;
    removed(t->loop);
}

static void gather(struct loop *l)
{
    l->n_polled = 0;
    for (struct loop_watch *w = l->watches; w; w = w->next) {
        if (!w->fn || !w->events)
            continue; /* poll(2) reports a hang-up even to who asks for nothing: that would spin */
        if (l->n_polled == l->cap_polled) {
            l->cap_polled = l->cap_polled ? l->cap_polled * 2 : 16;
            l->polled = mem_realloc_array(l->polled, l->cap_polled, sizeof(*l->polled));
            l->polled_by = mem_realloc_array(l->polled_by, l->cap_polled, sizeof(*l->polled_by));
        }
        l->polled[l->n_polled] = (struct pollfd){.fd = w->fd, .events = w->events};
        l->polled_by[l->n_polled++] = w;
    }
}

static int64_t next_deadline(const struct loop *l)
{
    int64_t first = NEVER;

    for (const struct loop_timer *t = l->timers; t; t = t->next) {
        if (t->fn && t->deadline_ns < first)
            first = t->deadline_ns;
    }
    return first;
}

static int wait_ready(struct loop *l)
{
    int64_t deadline = next_deadline(l);

    if (deadline == NEVER)
        return poll(l->polled, (nfds_t)l->n_polled, -1);
    /* ppoll: a deadline in nanoseconds must not be rounded down to a busy loop of 0 ms waits */
    int64_t left = deadline - clock_ns();
    if (left < 0)
        left = 0;
    struct timespec t = {.tv_sec = (time_t)(left / 1000000000),
                         .tv_nsec = (long)(left % 1000000000)};
    return ppoll(l->polled, (nfds_t)l->n_polled, &t, NULL);
}

static void serve_watches(struct loop *l)
{
    size_t n = l->n_polled;

    for (size_t i = 0; i < n; i++) {
        struct loop_watch *w = l->polled_by[i];
        if (l->polled[i].revents && w->fn && w->events)
            w->fn(w->arg, w->fd, l->polled[i].revents);
    }
}

/* In order of their deadlines; one that rearms itself into the past waits for the next round. */
static void serve_timers(struct loop *l)
{
    int64_t now = clock_ns();
    int64_t done_up_to = INT64_MIN;

    for (;;) {
        struct loop_timer *due = NULL;
        for (struct loop_timer *t = l->timers; t; t = t->next) {
            if (t->fn && t->deadline_ns <= now && t->deadline_ns >= done_up_to &&
                (!due || t->deadline_ns < due->deadline_ns))
                due = t;
        }
        if (!due)
            return;
        done_up_to = due->deadline_ns;
        due->deadline_ns = NEVER;
        due->fn(due->arg, now);
        if (due->fn && due->deadline_ns <= now)
            return;
    }
}

void loop_run(struct loop *l, void (*before_wait)(void *arg), void *arg)
{
    assert(!l->running);
    l->running = true;
    while (!l->quit) {
        if (before_wait)
            before_wait(arg);
        if (l->garbage)
            sweep(l);
        if (l->quit)
            break;
        gather(l);
        if (wait_ready(l) >= 0)
            serve_watches(l);
        else /* EINTR: a stop and continue of us. ENOMEM: the kernel is short of it, for now. */
            assert(errno != EINVAL && errno != EFAULT);
        serve_timers(l);
        if (l->garbage)
            sweep(l);
    }
    l->quit = false;
    l->running = false;
    sweep(l);
}

void loop_quit(struct loop *l)
{
    l->quit = true;
}

struct child **loop_children(struct loop *l)
{
    return &l->children;
}

void loop_at_free(struct loop *l, void (*fn)(struct loop *l))
{
    l->at_free = fn;
}
