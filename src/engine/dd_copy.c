/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One dd process, watched through the kernel; see dd_copy.h. Promises to take nothing that dd says
 * for a figure: its text is only for telling a person why it failed. Must not know what is copied.
 *
 * The clock runs from open(2) to the last close of the bench file, as inotify tells them: neither
 * the start of a process nor its end belongs to the I/O, and with small files they are most of it.
 */
#include "dd_copy.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fio_evidence.h"
#include "proc_file.h"
#include "sthd/mem.h"
#include "sthd/text.h"

#define COMPLAINT_COLUMNS 100

struct dd_copy {
    struct child *child;
    int bench_fd, inotify_fd;
    struct stat file;
    struct loop_watch *watch;
    struct line_splitter stderr_lines;
    struct dd_copy_facts facts;
    struct dd_copy_events ev;
    void *arg;
};

/* ---- what the kernel says -------------------------------------------------------------------- */

static void look(struct dd_copy *c)
{
    struct proc_file now;

    if (proc_file_find(&now, "/proc", child_pid(c->child), &c->file, c->bench_fd) < 0)
        return;
    if (now.pos > c->facts.pos)
        c->facts.pos = now.pos;
    c->facts.open_flags = now.flags;
}

static void opened(struct dd_copy *c, int64_t now_ns)
{
    if (c->facts.opened)
        return;
    c->facts.opened = true;
    c->facts.began_ns = now_ns;
    look(c);
    if (c->ev.opened)
        c->ev.opened(c->arg, now_ns);
}

static void before_reap(void *arg)
{
    struct dd_copy *c = arg;

    if (proc_io("/proc", child_pid(c->child), &c->facts.rchar, &c->facts.wchar) < 0)
        c->facts.rchar = c->facts.wchar = DD_COPY_UNKNOWN;
}

static void take_events(struct dd_copy *c)
{
    _Alignas(struct inotify_event) char text[4096];
    ssize_t n;

    while ((n = read(c->inotify_fd, text, sizeof(text))) > 0 || (n < 0 && errno == EINTR)) {
        int64_t now_ns = clock_ns();
        for (ssize_t at = 0; at < n;) {
            const struct inotify_event *e = (const void *)(text + at);
            if (e->mask & IN_OPEN)
                opened(c, now_ns);
            if (e->mask & (IN_CLOSE_WRITE | IN_CLOSE_NOWRITE))
                c->facts.ended_ns = now_ns;
            at += (ssize_t)sizeof(*e) + (ssize_t)e->len;
        }
    }
}

static void on_inotify(void *arg, int fd, short revents)
{
    (void)fd;
    (void)revents;
    take_events(arg);
}

void dd_copy_look(struct dd_copy *c)
{
    if (c->facts.watched)
        take_events(c);
    look(c);
}

/* The bench file has no name, but its descriptor has one in /proc. */
static int watch_file(int bench_fd)
{
    char *path = mem_printf("/proc/self/fd/%d", bench_fd);
    int fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);

    if (fd >= 0 && inotify_add_watch(fd, path, IN_OPEN | IN_CLOSE) < 0) {
        close(fd);
        fd = -1;
    }
    free(path);
    return fd;
}

/* ---- what dd says ---------------------------------------------------------------------------- */

static bool ends_with(const char *text, const char *end)
{
    size_t n = strlen(text), m = strlen(end);

    return n > m && strcmp(text + n - m, end) == 0;
}

/* Only those for which a person is told more than dd's own words. */
static int errno_named(const char *line)
{
    static const int known[] = {ENOSPC, EDQUOT, EIO,    EINVAL, EROFS,      EFBIG,   EPERM,
                                EACCES, ENOMEM, ENODEV, ESTALE, EOPNOTSUPP, ENOTCONN};

    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        if (ends_with(line, strerror(known[i])))
            return known[i];
    }
    return 0;
}

/* The first line, or the first that names an error of the kernel: counts and hints follow it. */
static void on_line(void *arg, const char *text, size_t len)
{
    struct dd_copy *c = arg;
    struct buf line = BUF_INIT, fit = BUF_INIT;

    text_printable(&line, text, len, false);
    int errnum = line.data ? errno_named(line.data) : 0;
    if (line.data && line.len > 0 && !c->facts.errnum && (errnum || !c->facts.complaint[0])) {
        c->facts.errnum = errnum;
        text_fit(&fit, line.data, COMPLAINT_COLUMNS, false);
        snprintf(c->facts.complaint, sizeof(c->facts.complaint), "%s", fit.data);
    }
    buf_done(&fit);
    buf_done(&line);
}

static void on_output(void *arg, enum child_stream s, const char *bytes, size_t len, int64_t now_ns)
{
    struct dd_copy *c = arg;

    (void)now_ns;
    if (s == CHILD_STDERR)
        line_splitter_feed(&c->stderr_lines, bytes, len, on_line, c);
    if (c->ev.raw)
        c->ev.raw(c->arg, s, bytes, len); /* may free the copy */
}

static void on_end(void *arg, int wait_status)
{
    struct dd_copy *c = arg;

    line_splitter_end(&c->stderr_lines, on_line, c);
    if (c->facts.watched)
        take_events(c);
    if (!c->facts.ended_ns)
        c->facts.ended_ns = clock_ns();
    c->ev.end(c->arg, wait_status); /* may free the copy */
}

/* ---- the door -------------------------------------------------------------------------------- */

int dd_copy_start(struct dd_copy **out, struct loop *l, const char *program,
                  const struct strv *argv, int bench_fd, const struct dd_copy_events *ev, void *arg,
                  struct err *e)
{
    static const struct child_events child_events = {on_output, on_end};
    struct dd_copy *c = mem_zalloc(sizeof(*c));
    int rc;

    *out = NULL;
    c->bench_fd = bench_fd;
    c->ev = *ev;
    c->arg = arg;
    c->facts.open_flags = -1;
    c->facts.rchar = c->facts.wchar = DD_COPY_UNKNOWN;
    if (fstat(bench_fd, &c->file) < 0)
        c->file = (struct stat){0}; /* then no progress is seen */
    c->inotify_fd = watch_file(bench_fd);
    c->facts.watched = c->inotify_fd >= 0;
    rc = child_start(&c->child, l, program, argv, &bench_fd, 1, &child_events, c, e);
    if (rc < 0) {
        dd_copy_free(c);
        return rc;
    }
    child_set_before_reap(c->child, before_reap);
    if (c->facts.watched)
        c->watch = loop_watch(l, c->inotify_fd, POLLIN, on_inotify, c);
    else
        opened(c, clock_ns());
    *out = c;
    return 0;
}

const struct dd_copy_facts *dd_copy_facts(const struct dd_copy *c)
{
    return &c->facts;
}

struct child *dd_copy_child(const struct dd_copy *c)
{
    return c->child;
}

void dd_copy_free(struct dd_copy *c)
{
    if (!c)
        return;
    child_free(c->child);
    loop_unwatch(c->watch);
    if (c->inotify_fd >= 0)
        close(c->inotify_fd);
    free(c);
}
