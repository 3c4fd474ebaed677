/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The stop ladder; see ladder.h. Promises that a child that can die does. Must not know what it is.
 */
#include "ladder.h"

#include <signal.h>
#include <stdio.h>

#define SECOND_NS 1000000000LL

static void signal_child(const struct ladder *l, int signo)
{
    if (l->child)
        child_signal(l->child, signo);
}

static void ask(struct ladder *l)
{
    if (l->before)
        l->before(l->arg);
    l->stage = LADDER_ASKED;
    signal_child(l, SIGTERM);
    signal_child(l, SIGCONT); /* a stopped process would never hear of it */
    loop_timer_at(l->kill_timer, clock_ns() + LADDER_PATIENCE_S * SECOND_NS);
}

static void kill_it(struct ladder *l)
{
    l->stage = LADDER_KILLED;
    loop_timer_off(l->kill_timer);
    signal_child(l, SIGKILL);
}

static void on_kill_timer(void *arg, int64_t now_ns)
{
    (void)now_ns;
    kill_it(arg);
}

static void on_watchdog(void *arg, int64_t now_ns)
{
    struct ladder *l = arg;

    (void)now_ns;
    if (l->stage != LADDER_RUNNING)
        return;
    l->overdue = true;
    ask(l);
}

void ladder_init(struct ladder *l, struct loop *loop, uint32_t grace_s)
{
    *l = (struct ladder){.grace_s = grace_s ? grace_s : LADDER_GRACE_DEFAULT_S};
    l->kill_timer = loop_timer_new(loop, on_kill_timer, l);
    l->watchdog = loop_timer_new(loop, on_watchdog, l);
}

void ladder_done(struct ladder *l)
{
    loop_timer_free(l->kill_timer);
    loop_timer_free(l->watchdog);
    l->kill_timer = l->watchdog = NULL;
    l->child = NULL;
}

void ladder_watch(struct ladder *l, uint32_t runtime_s)
{
    loop_timer_at(l->watchdog, clock_ns() + ((int64_t)runtime_s + l->grace_s) * SECOND_NS);
}

void ladder_stop(struct ladder *l)
{
    if (l->stage == LADDER_KILLED)
        return;
    if (l->stage == LADDER_RUNNING) {
        l->user_stop = true;
        ask(l);
        return;
    }
    l->user_stop = l->impatient = true;
    kill_it(l);
}

void ladder_over(struct ladder *l)
{
    loop_timer_off(l->kill_timer);
    loop_timer_off(l->watchdog);
    l->child = NULL;
}

enum fio_end ladder_verdict(const struct ladder *l, const char *name, bool killed, char *why,
                            size_t size)
{
    if (l->overdue && !l->user_stop) {
        snprintf(why, size,
                 "%s was still running %u s after its planned end and was %s: the disk is stalled "
                 "or far too slow; see dmesg, or choose a smaller --size",
                 name, l->grace_s, killed ? "killed" : "stopped");
        return killed ? FIO_END_KILLED : FIO_END_FAILED;
    }
    if (!killed) {
        snprintf(why, size, "Stopped before its end");
        return FIO_END_STOPPED;
    }
    if (l->impatient)
        snprintf(why, size, "%s was killed as you asked, before its I/O in flight was finished",
                 name);
    else
        snprintf(why, size,
                 "%s could not finish its I/O in flight within %d s of being stopped, and was "
                 "killed: the disk is stalled or very slow",
                 name, LADDER_PATIENCE_S);
    return FIO_END_KILLED;
}
