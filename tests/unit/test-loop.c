/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The poll loop: order of timers, and removal of anything from anywhere. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sthd/loop.h"
#include "sthd/signals.h"
#include "tap.h"

#define MS 1000000LL

struct timers {
    struct loop *loop;
    struct loop_timer *t[4];
    char log[64];
    int rounds;
};

static void note(struct timers *x, char c)
{
    size_t n = strlen(x->log);

    if (n + 1 < sizeof(x->log))
        x->log[n] = c;
}

static void on_a(void *arg, int64_t now)
{
    (void)now;
    note(arg, 'a');
}

static void on_b_frees_itself_and_c(void *arg, int64_t now)
{
    struct timers *x = arg;

    (void)now;
    note(x, 'b');
    loop_timer_free(x->t[1]);
    loop_timer_free(x->t[2]);
}

static void on_c(void *arg, int64_t now)
{
    (void)now;
    note(arg, 'c');
}

static void on_quit(void *arg, int64_t now)
{
    struct timers *x = arg;

    (void)now;
    note(x, 'q');
    loop_quit(x->loop);
}

static void test_timers(void)
{
    struct timers x = {.loop = loop_new()};
    int64_t t0 = clock_ns();

    x.t[0] = loop_timer_new(x.loop, on_a, &x);
    x.t[1] = loop_timer_new(x.loop, on_b_frees_itself_and_c, &x);
    x.t[2] = loop_timer_new(x.loop, on_c, &x);
    x.t[3] = loop_timer_new(x.loop, on_quit, &x);
    loop_timer_at(x.t[3], t0 + 9 * MS);
    loop_timer_at(x.t[1], t0 - 1);
    loop_timer_at(x.t[2], t0 - 1 + 1);
    loop_timer_at(x.t[0], t0 - 5);
    loop_run(x.loop, NULL, NULL);
    tap_str(x.log, "abq", "due timers run by deadline; one that was freed does not run");
    tap_ok(clock_ns() >= t0 + 9 * MS, "a timer does not run early");

    memset(x.log, 0, sizeof(x.log));
    loop_timer_at(x.t[0], clock_ns() + MS);
    loop_timer_off(x.t[0]);
    loop_timer_at(x.t[3], clock_ns() + 3 * MS);
    loop_run(x.loop, NULL, NULL);
    tap_str(x.log, "q", "a timer that was switched off does not run; the loop runs again");

    loop_timer_free(x.t[0]);
    loop_timer_free(NULL);
    loop_free(x.loop);
}

static void on_rearm(void *arg, int64_t now)
{
    struct timers *x = arg;

    if (++x->rounds < 5)
        loop_timer_at(x->t[0], now - 1);
    else
        loop_quit(x->loop);
}

static void count_round(void *arg)
{
    ++*(int *)arg;
}

static void test_rearm(void)
{
    struct timers x = {.loop = loop_new()};
    int rounds = 0;

    x.t[0] = loop_timer_new(x.loop, on_rearm, &x);
    loop_timer_at(x.t[0], clock_ns());
    loop_run(x.loop, count_round, &rounds);
    tap_int(x.rounds, 5, "a timer can rearm itself");
    tap_int(rounds, 5, "one rearmed into the past waits for the next round, so it cannot spin");
    loop_free(x.loop);
}

/* ---- descriptors ---- */

struct watches {
    struct loop *loop;
    struct loop_watch *w[2];
    int calls[2];
    short revents;
};

static void on_first(void *arg, int fd, short revents)
{
    struct watches *x = arg;

    (void)fd;
    (void)revents;
    x->calls[0]++;
    /* Both are ready in this round; which is served first is not promised. */
    loop_unwatch(x->w[0]);
    loop_unwatch(x->w[1]);
    loop_quit(x->loop);
}

static void on_hup(void *arg, int fd, short revents)
{
    struct watches *x = arg;

    (void)fd;
    x->calls[1]++;
    x->revents = revents;
    loop_quit(x->loop);
}

static void test_watches(void)
{
    struct watches x = {.loop = loop_new()};
    int a[2], b[2];

    if (pipe(a) || pipe(b) || write(a[1], "x", 1) != 1 || write(b[1], "x", 1) != 1) {
        tap_ok(false, "pipes");
        return;
    }
    x.w[0] = loop_watch(x.loop, a[0], POLLIN, on_first, &x);
    x.w[1] = loop_watch(x.loop, b[0], POLLIN, on_first, &x);
    loop_run(x.loop, NULL, NULL);
    tap_int(x.calls[0], 1, "a watch that another callback removed is not called in that round");

    close(b[1]);
    x.w[1] = loop_watch(x.loop, b[0], POLLIN, on_hup, &x);
    loop_watch_events(x.w[1], 0);
    struct timers t = {.loop = x.loop};
    int rounds = 0;
    t.t[0] = loop_timer_new(x.loop, on_quit, &t);
    loop_timer_at(t.t[0], clock_ns() + 2 * MS);
    loop_run(x.loop, count_round, &rounds);
    tap_ok(x.calls[1] == 0 && rounds <= 2, "no events: not even a hang-up, and no spinning (%d)",
           rounds);
    loop_watch_events(x.w[1], POLLIN);
    loop_run(x.loop, NULL, NULL);
    tap_ok(x.calls[1] == 1 && (x.revents & POLLIN) && (x.revents & POLLHUP),
           "revents come as poll gives them");
    loop_unwatch(NULL);
    loop_timer_free(t.t[0]);
    loop_free(x.loop); /* with a watch left: freed with the loop */
    close(a[0]);
    close(a[1]);
    close(b[0]);
}

/* ---- signals ---- */

struct seen {
    struct loop *loop;
    struct signals *s;
    int signo, n;
    bool free_it;
};

static void on_signal(void *arg, int signo)
{
    struct seen *x = arg;

    x->signo = signo;
    x->n++;
    if (x->free_it)
        signals_free(x->s);
    loop_quit(x->loop);
}

static void test_signals(void)
{
    static const int each[] = {SIGINT,  SIGTERM,  SIGHUP,  SIGQUIT, SIGTSTP,
                               SIGCONT, SIGWINCH, SIGCHLD, SIGUSR1, SIGUSR2};
    struct seen x = {.loop = loop_new()};

    x.s = signals_new(x.loop, on_signal, &x);
    for (size_t i = 0; i < sizeof(each) / sizeof(each[0]); i++) {
        raise(each[i]);
        loop_run(x.loop, NULL, NULL);
        tap_int(x.signo, each[i], "%s comes through the loop", strsignal(each[i]));
    }
    x.free_it = true;
    x.n = 0;
    raise(SIGUSR1);
    raise(SIGUSR2);
    loop_run(x.loop, NULL, NULL);
    tap_int(x.n, 1, "freed in its callback: nothing more is delivered");
    sigset_t left;
    sigpending(&left);
    while (sigtimedwait(&left, NULL, &(struct timespec){0, 0}) > 0)
        ;
    loop_free(x.loop);
}

static void test_die_of(void)
{
    static const int each[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};

    for (size_t i = 0; i < sizeof(each) / sizeof(each[0]); i++) {
        int status = 0;
        pid_t pid = fork();
        if (pid == 0)
            signals_die_of(each[i]);
        waitpid(pid, &status, 0);
        tap_ok(WIFSIGNALED(status) && WTERMSIG(status) == each[i], "dies of %s",
               strsignal(each[i]));
    }
}

static void test_nohup(void)
{
    int status = 0;
    pid_t pid = fork();

    if (pid == 0) {
        sigset_t set;
        signal(SIGHUP, SIG_IGN);
        sigemptyset(&set);
        sigprocmask(SIG_SETMASK, &set, NULL);
        signals_block();
        sigprocmask(SIG_BLOCK, NULL, &set);
        raise(SIGHUP);
        sigpending(&set);
        _exit(sigismember(&set, SIGHUP) ? 1 : 0);
    }
    waitpid(pid, &status, 0);
    tap_int(status, 0, "an ignored SIGHUP (nohup) stays ignored");
}

int main(void)
{
    signals_block();
    test_timers();
    test_rearm();
    test_watches();
    test_signals();
    test_die_of();
    test_nohup();
    return tap_done();
}
