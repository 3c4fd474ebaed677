/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Looking without being held; see peek.h. A child process and not a thread: a thread that sleeps in
 * the kernel keeps our own process from ending, a child does not. If even SIGKILL does not wake it
 * (an uninterruptible sleep), it is left to whoever inherits it and holds nothing of ours: all its
 * descriptors but the one it writes to are closed. Must not know what is asked.
 */
#include "peek.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define CHILD_FD 3
#define REAP_MS  100 /* a child that can be killed is gone after a fraction of it */

void peek_write(int fd, const void *bytes, size_t n)
{
    const char *p = bytes;

    while (n > 0) {
        ssize_t done = write(fd, p, n);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            _exit(1); /* nobody wants to know any more */
        p += done;
        n -= (size_t)done;
    }
}

/* So that a child that hangs does not keep a terminal, a pipe or a bench file open. */
static void close_others(void)
{
    for (int fd = 0; fd < CHILD_FD; fd++)
        close(fd);
#ifdef SYS_close_range
    if (syscall(SYS_close_range, CHILD_FD + 1, ~0U, 0) == 0)
        return;
#endif
    for (int fd = CHILD_FD + 1; fd < 1024; fd++)
        close(fd);
}

static int64_t now_ms(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static size_t collect(int fd, char *out, size_t size, int64_t deadline_ms)
{
    size_t got = 0;

    while (got < size) {
        struct pollfd p = {.fd = fd, .events = POLLIN};
        int64_t left = deadline_ms - now_ms();
        int ready = poll(&p, 1, left > 0 ? (int)left : 0);
        if (ready < 0 && errno == EINTR)
            continue;
        if (ready <= 0)
            break;
        ssize_t n = read(fd, out + got, size - got);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            break;
        got += (size_t)n;
    }
    return got;
}

/*
 * SIGKILL, and its exit status if it comes soon. It does unless the sleep is uninterruptible; then
 * the child stays behind as our zombie to be, and whoever inherits us reaps it.
 */
static void put_away(pid_t pid)
{
    int pidfd = -1;

    kill(pid, SIGKILL);
#ifdef SYS_pidfd_open /* Linux 5.3; readable when the process has ended */
    pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
#endif
    if (pidfd >= 0) {
        struct pollfd p = {.fd = pidfd, .events = POLLIN};
        while (poll(&p, 1, REAP_MS) < 0 && errno == EINTR)
            ;
        close(pidfd);
    }
    while (waitpid(pid, NULL, WNOHANG) < 0 && errno == EINTR)
        ;
}

size_t peek(peek_fn *fn, void *arg, void *out, size_t size, int timeout_ms)
{
    int fds[2];
    int64_t deadline_ms = now_ms() + timeout_ms;
    size_t got;
    pid_t pid;

    if (pipe2(fds, O_CLOEXEC) < 0)
        return 0;
    pid = fork();
    if (pid == 0) {
        if (fds[1] != CHILD_FD && dup2(fds[1], CHILD_FD) < 0)
            _exit(1);
        close_others();
        fn(CHILD_FD, arg);
        _exit(0);
    }
    close(fds[1]);
    got = pid < 0 ? 0 : collect(fds[0], out, size, deadline_ms);
    close(fds[0]);
    if (pid > 0)
        put_away(pid);
    return got;
}
