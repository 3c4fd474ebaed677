/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The thread that reads the processors' state; see cpu_watch.h. What it shares with its owner is
 * one state behind one lock; an eventfd says that it is new.
 */
#include "sthd/cpu_watch.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "sthd/mem.h"

#define FIRST_WINDOW_MS 250
#define WINDOW_MS       1000

struct cpu_watch {
    pthread_t thread;
    pthread_mutex_t lock; /* of state and fresh */
    struct cpu_state state;
    bool fresh;
    int news, quit;            /* eventfds: to the owner, to the thread */
    struct cpu_reader *reader; /* the thread's own */
};

static int64_t monotonic(void *arg)
{
    struct timespec t;

    (void)arg;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void tell(int fd)
{
    const uint64_t one = 1;

    while (write(fd, &one, sizeof(one)) < 0 && errno == EINTR)
        ;
}

static void publish(struct cpu_watch *w, const struct cpu_state *s)
{
    pthread_mutex_lock(&w->lock);
    w->state = *s;
    w->fresh = true;
    pthread_mutex_unlock(&w->lock);
    tell(w->news);
}

static void *watch_thread(void *arg)
{
    struct cpu_watch *w = arg;
    struct pollfd quit = {.fd = w->quit, .events = POLLIN};
    struct cpu_state s;
    int wait_ms = FIRST_WINDOW_MS;

    do {
        cpu_reader_sample(w->reader, &s);
        publish(w, &s);
        int n = poll(&quit, 1, wait_ms);
        if (n > 0)
            break;
        wait_ms = WINDOW_MS;
    } while (true);
    return NULL;
}

/* Signals are for the thread that reads the signalfd. */
static int start_thread(struct cpu_watch *w)
{
    sigset_t all, before;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int rc = pthread_create(&w->thread, NULL, watch_thread, w);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (rc == 0)
        pthread_setname_np(w->thread, "sthd-cpu");
    return rc;
}

static void destroy(struct cpu_watch *w)
{
    if (w->news >= 0)
        close(w->news);
    if (w->quit >= 0)
        close(w->quit);
    cpu_reader_free(w->reader);
    pthread_mutex_destroy(&w->lock);
    free(w);
}

struct cpu_watch *cpu_watch_new(const char *sysroot)
{
    struct cpu_watch *w = mem_zalloc(sizeof(*w));

    pthread_mutex_init(&w->lock, NULL);
    cpu_state_init(&w->state);
    w->reader = cpu_reader_new(sysroot, monotonic, NULL);
    w->news = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    w->quit = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (w->news < 0 || w->quit < 0 || start_thread(w) != 0) {
        destroy(w);
        return NULL;
    }
    return w;
}

int cpu_watch_fd(const struct cpu_watch *w)
{
    return w->news;
}

bool cpu_watch_take(struct cpu_watch *w, struct cpu_state *out)
{
    uint64_t count;
    bool fresh;

    while (read(w->news, &count, sizeof(count)) < 0 && errno == EINTR)
        ;
    pthread_mutex_lock(&w->lock);
    fresh = w->fresh;
    w->fresh = false;
    if (fresh)
        *out = w->state;
    pthread_mutex_unlock(&w->lock);
    return fresh;
}

void cpu_watch_free(struct cpu_watch *w)
{
    if (!w)
        return;
    tell(w->quit);
    pthread_join(w->thread, NULL);
    destroy(w);
}
