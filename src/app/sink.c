/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Non-blocking text output; see sink.h. Must not know what it writes. */
#include "sink.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sthd/buf.h"
#include "sthd/mem.h"

struct sink {
    int fd;
    bool own_description; /* O_NONBLOCK is ours alone; else poll first and write little */
    bool gone;
    struct buf queue;
    size_t max;
    size_t dropped;
    struct loop_watch *watch;
};

static void on_writable(void *arg, int fd, short revents);

/* A terminal or a pipe, which may stop taking text; -1 where that cannot be opened anew. */
static int open_anew(int fd)
{
    char path[32];
    struct stat st;

    /* A regular file does not stall, and must keep the one offset that others write at, too. */
    if (fstat(fd, &st) < 0 || (!S_ISCHR(st.st_mode) && !S_ISFIFO(st.st_mode)))
        return -1;
    snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    return open(path, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
}

struct sink *sink_new(struct loop *l, int fd, size_t max_bytes)
{
    struct sink *s = mem_zalloc(sizeof(*s));

    s->fd = open_anew(fd);
    s->own_description = s->fd >= 0;
    if (s->fd < 0) /* also: a socket cannot be opened so, nor a terminal of another user */
        s->fd = fcntl(fd, F_DUPFD_CLOEXEC, 3);
    s->gone = s->fd < 0;
    s->max = max_bytes;
    if (!s->gone)
        s->watch = loop_watch(l, s->fd, 0, on_writable, s);
    return s;
}

static void give_up(struct sink *s)
{
    s->gone = true;
    buf_clear(&s->queue);
    loop_unwatch(s->watch);
    s->watch = NULL;
}

static void flush(struct sink *s)
{
    while (s->queue.len > 0) {
        size_t n = s->queue.len;
        if (!s->own_description) {
            struct pollfd p = {.fd = s->fd, .events = POLLOUT};
            if (poll(&p, 1, 0) != 1 || !(p.revents & POLLOUT))
                break;
            if (n > 512)
                n = 512;
        }
        ssize_t done = write(s->fd, s->queue.data, n);
        if (done < 0) {
            if (errno == EINTR)
                continue;
            if (errno != EAGAIN) {
                give_up(s);
                return;
            }
            break;
        }
        buf_drop_front(&s->queue, (size_t)done);
    }
    if (s->queue.len == 0 && s->dropped > 0) {
        buf_addf(&s->queue, "[%zu bytes not shown: the terminal did not take them]\n", s->dropped);
        s->dropped = 0;
    }
    loop_watch_events(s->watch, s->queue.len > 0 ? POLLOUT : 0);
}

static void on_writable(void *arg, int fd, short revents)
{
    struct sink *s = arg;

    (void)fd;
    if (revents & (POLLERR | POLLHUP | POLLNVAL))
        give_up(s);
    else
        flush(s);
}

void sink_write(struct sink *s, const char *bytes, size_t len)
{
    if (s->gone || len == 0)
        return;
    if (s->queue.len + len > s->max)
        flush(s); /* the reader may be back */
    if (s->gone)
        return;
    if (s->queue.len + len > s->max) {
        s->dropped += len;
        return;
    }
    buf_add(&s->queue, bytes, len);
    flush(s);
}

bool sink_is_empty(const struct sink *s)
{
    return s->queue.len == 0;
}

void sink_free(struct sink *s, int ms)
{
    if (!s)
        return;
    int64_t deadline = clock_ns() + (int64_t)ms * 1000000;
    while (!s->gone && s->queue.len > 0) {
        int64_t left = (deadline - clock_ns()) / 1000000;
        struct pollfd p = {.fd = s->fd, .events = POLLOUT};
        if (left <= 0 || poll(&p, 1, (int)left) < 1)
            break;
        flush(s);
    }
    loop_unwatch(s->watch);
    if (s->fd >= 0)
        close(s->fd);
    buf_done(&s->queue);
    free(s);
}
