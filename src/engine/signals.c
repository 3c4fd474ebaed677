/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Signals as loop events; see signals.h.
 *
 * Promises: no code of ours ever runs inside a signal handler because of this file. What was
 * ignored when we were started (nohup, a background job of a script) stays ignored.
 * Must not know: what the program does about a signal.
 */
#include "sthd/signals.h"

#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "sthd/child.h"
#include "sthd/mem.h"

static const int signals[] = {SIGINT,  SIGTERM,  SIGHUP,  SIGQUIT, SIGTSTP,
                              SIGCONT, SIGWINCH, SIGCHLD, SIGUSR1, SIGUSR2};
#define SIGNALS_N (sizeof(signals) / sizeof(signals[0]))

struct signals {
    struct loop *loop;
    struct loop_watch *watch;
    int fd;
    signals_fn *fn;
    void *arg;
    bool *freed; /* set when it is freed from its own callback */
};

static bool ignored_on_purpose(int signo)
{
    struct sigaction a;

    if (signo != SIGHUP && signo != SIGINT && signo != SIGQUIT)
        return false;
    return sigaction(signo, NULL, &a) == 0 && !(a.sa_flags & SA_SIGINFO) && a.sa_handler == SIG_IGN;
}

/*
 * A blocked signal is queued even if it is ignored, so signalfd would hand it out all the same: the
 * ones to leave alone must not be blocked.
 */
static void wanted(sigset_t *set)
{
    sigemptyset(set);
    for (size_t i = 0; i < SIGNALS_N; i++) {
        if (!ignored_on_purpose(signals[i]))
            sigaddset(set, signals[i]);
    }
}

void signals_block(void)
{
    sigset_t set;
    struct sigaction a = {.sa_handler = SIG_IGN};

    wanted(&set);
    sigprocmask(SIG_BLOCK, &set, NULL);
    sigaction(SIGPIPE, &a, NULL);
    /* Inherited as ignored, SIGCHLD would make the kernel reap our children behind our back. */
    a.sa_handler = SIG_DFL;
    sigaction(SIGCHLD, &a, NULL);
}

static void readable(void *arg, int fd, short revents)
{
    struct signals *s = arg;
    struct signalfd_siginfo info[16];
    bool freed = false;

    (void)revents;
    ssize_t got = read(fd, info, sizeof(info));
    if (got <= 0)
        return;
    s->freed = &freed;
    for (size_t i = 0; i < (size_t)got / sizeof(info[0]) && !freed; i++) {
        int signo = (int)info[i].ssi_signo;
        if (signo == SIGCHLD)
            child_check_all(s->loop);
        if (!freed && s->fn)
            s->fn(s->arg, signo);
    }
    if (!freed)
        s->freed = NULL;
}

struct signals *signals_new(struct loop *l, signals_fn *fn, void *arg)
{
    struct signals *s = mem_zalloc(sizeof(*s));
    sigset_t set;

    wanted(&set);
    *s = (struct signals){.loop = l, .fn = fn, .arg = arg};
    s->fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    if (s->fd < 0) {
        free(s);
        return NULL;
    }
    s->watch = loop_watch(l, s->fd, POLLIN, readable, s);
    return s;
}

void signals_free(struct signals *s)
{
    if (!s)
        return;
    if (s->freed)
        *s->freed = true;
    loop_unwatch(s->watch);
    close(s->fd);
    free(s);
}

void signals_reset_for_child(void)
{
    struct sigaction a = {.sa_handler = SIG_DFL};
    sigset_t none;

    for (int signo = 1; signo < NSIG; signo++)
        sigaction(signo, &a, NULL); /* fails for KILL, STOP and the C library's own */
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

void signals_let_go(void)
{
    static const int set_free[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP};
    sigset_t set;

    sigemptyset(&set);
    for (size_t i = 0; i < sizeof(set_free) / sizeof(set_free[0]); i++)
        sigaddset(&set, set_free[i]);
    sigprocmask(SIG_UNBLOCK, &set, NULL);
}

void signals_die_of(int signo)
{
    struct sigaction a = {.sa_handler = SIG_DFL};
    sigset_t set;

    sigaction(signo, &a, NULL);
    sigemptyset(&set);
    sigaddset(&set, signo);
    raise(signo);
    sigprocmask(SIG_UNBLOCK, &set, NULL);
    _exit(128 + signo); /* its default is not to die */
}
