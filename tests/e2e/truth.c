/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs the real fio for truth tests; see truth.h. */
#include "truth.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "sthd/mem.h"
#include "tap.h"

static void die(const char *what)
{
    printf("Bail out! %s: %s\n", what, strerror(errno));
    exit(99);
}

int64_t truth_now_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

void truth_alone(void)
{
    const char *dir = getenv("STHD_BUILDDIR");
    char *path = mem_printf("%s/e2e.lock", dir ? dir : ".");
    int lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666); /* held until we exit */

    if (lock < 0 || flock(lock, LOCK_EX) < 0)
        die(path);
    free(path);
}

bool truth_have_fio(void)
{
    return system("fio --version >/dev/null 2>&1") == 0;
}

int truth_file(const char *dir, uint64_t size_bytes)
{
    int fd = open(dir, O_TMPFILE | O_RDWR, 0600);

    if (fd >= 0 && fallocate(fd, 0, 0, (off_t)size_bytes) < 0 &&
        ftruncate(fd, (off_t)size_bytes) < 0)
        die("ftruncate");
    return fd;
}

static void on_document(void *arg, const char *text, size_t len)
{
    struct truth_fio *f = arg;
    struct report r;
    struct err e;

    report_init(&r);
    if (fio_report_read(&r, text, len, &e) == 0) {
        f->reports++;
        if (f->report)
            f->report(f->arg, &r, truth_now_ns());
    } else {
        f->unreadable++;
        tap_note("%s", e.text);
    }
    report_done(&r);
}

static void on_note(void *arg, const char *text, size_t len)
{
    (void)arg;
    tap_note("fio: %.*s", (int)len, text);
}

static void on_lost(void *arg, const char *why, size_t len)
{
    struct truth_fio *f = arg;

    f->lost++;
    tap_note("lost %zu bytes: %s", len, why);
}

void truth_start(struct truth_fio *f, const struct strv *argv, const char *cwd)
{
    static const struct fio_framer_events events = {on_document, on_note, on_lost};
    int p[2];

    f->framer = fio_framer_new(&events, f, FIO_FRAMER_MAX_DOCUMENT);
    fflush(stdout);
    if (pipe2(p, O_CLOEXEC) < 0)
        die("pipe2");
    f->pid = fork();
    if (f->pid < 0)
        die("fork");
    if (f->pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (chdir(cwd) == 0 && dup2(p[1], STDOUT_FILENO) >= 0)
            execvp(argv->items[0], argv->items);
        _exit(127);
    }
    close(p[1]);
    fcntl(p[0], F_SETFL, O_NONBLOCK);
    f->out = p[0];
}

bool truth_poll(struct truth_fio *f, int timeout_ms)
{
    struct pollfd p = {.fd = f->out, .events = POLLIN};
    char bytes[65536];
    ssize_t n;

    if (f->out < 0)
        return false;
    if (poll(&p, 1, timeout_ms) <= 0)
        return true;
    while ((n = read(f->out, bytes, sizeof(bytes))) > 0) {
        buf_add(&f->text, bytes, (size_t)n);
        fio_framer_feed(f->framer, bytes, (size_t)n);
    }
    if (n < 0)
        return true;
    fio_framer_end(f->framer);
    fio_framer_free(f->framer);
    f->framer = NULL;
    close(f->out);
    f->out = -1;
    return false;
}

bool truth_finish(struct truth_fio *f, unsigned deadline_s)
{
    int64_t deadline = truth_now_ns() + (int64_t)deadline_s * 1000000000;

    while (truth_poll(f, 100))
        if (truth_now_ns() > deadline && f->pid > 0) {
            tap_note("fio did not end within %u s", deadline_s);
            kill(f->pid, SIGKILL);
            deadline = INT64_MAX;
        }
    waitpid(f->pid, &f->status, 0);
    return WIFEXITED(f->status) && WEXITSTATUS(f->status) == 0;
}

void truth_done(struct truth_fio *f)
{
    buf_done(&f->text);
}
