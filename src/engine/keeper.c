/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The process that restores things when we are gone; see keeper.h.
 *
 * Promises: it is no child of ours, has no terminal and no descriptor but its two pipes (and the
 * one it is asked to hold), and only SIGKILL ends it before its work is done. It learns of our
 * death by the end of file on its pipe, which the kernel guarantees. Must not know: what the
 * actions are for.
 */
#include "sthd/keeper.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "sthd/loop.h"
#include "sthd/mem.h"

#define START_NS   2000000000
#define RELEASE_NS 5000000000

struct keeper {
    pid_t pid;
    int command, answer; /* our ends of its pipes */
    struct keeper_action *actions;
    size_t n;
    uint32_t armed; /* bit 1 << group */
};

/* What it says: first its pid, then this. */
struct outcome {
    int failed; /* index of the first action that failed; -1: none */
    int errnum;
};

int keeper_empty(int dirfd)
{
    DIR *d = fdopendir(dirfd);
    struct dirent *entry;
    int rc = 0;

    if (!d) {
        rc = errno;
        close(dirfd);
        return rc;
    }
    while ((entry = readdir(d)))
        if (unlinkat(dirfd, entry->d_name, 0) < 0 && errno != ENOENT && errno != EISDIR &&
            errno != EPERM)
            rc = errno;
    closedir(d);
    return rc;
}

static int empty(const char *path)
{
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

    if (fd < 0)
        return errno == ENOENT ? 0 : errno;
    return keeper_empty(fd);
}

static bool says_already(const char *path, const char *text)
{
    char now[256];
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    ssize_t n = fd < 0 ? -1 : read(fd, now, sizeof(now));

    if (fd >= 0)
        close(fd);
    while (n > 0 && (now[n - 1] == '\n' || now[n - 1] == ' '))
        n--;
    return n > 0 && (size_t)n == strlen(text) && memcmp(now, text, (size_t)n) == 0;
}

static int write_text(const char *path, const char *text)
{
    size_t len = strlen(text);

    if (says_already(path, text)) /* a value may be refused although it is the present one */
        return 0;
    int fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC | O_NOCTTY);
    if (fd < 0)
        return errno;
    ssize_t put = write(fd, text, len);
    int rc = put < 0 ? errno : (size_t)put != len ? EIO : 0;
    close(fd);
    return rc;
}

static int act(const struct keeper_action *a)
{
    switch (a->verb) {
    case KEEPER_UNLINK:
    case KEEPER_CLEAR:
        return unlink(a->path) < 0 && errno != ENOENT ? errno : 0;
    case KEEPER_RMDIR:
        return rmdir(a->path) < 0 && errno != ENOENT ? errno : 0;
    case KEEPER_EMPTY:
        return empty(a->path);
    case KEEPER_WRITE:
        return write_text(a->path, a->text);
    }
    return 0;
}

static struct outcome act_all(const struct keeper_action *actions, size_t n, uint32_t armed)
{
    struct outcome o = {-1, 0};

    for (size_t i = 0; i < n; i++) {
        if (actions[i].group && !(armed & 1u << actions[i].group))
            continue;
        if (actions[i].verb == KEEPER_CLEAR && o.failed >= 0)
            continue;
        int errnum = act(&actions[i]);
        if (errnum && o.failed < 0)
            o = (struct outcome){(int)i, errnum};
    }
    return o;
}

/* ---- the process ----------------------------------------------------------------------------- */

static void ignore_signals(void)
{
    struct sigaction ignore = {.sa_handler = SIG_IGN}, def = {.sa_handler = SIG_DFL};
    sigset_t none;

    for (int signo = 1; signo < NSIG; signo++) {
        bool crash = signo == SIGSEGV || signo == SIGBUS || signo == SIGILL || signo == SIGFPE ||
                     signo == SIGABRT;
        sigaction(signo, crash ? &def : &ignore, NULL);
    }
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

/* Leaves 0 to 2 as /dev/null, *command as 3, *answer as 4 and hold, if any, as 5: a terminal, a
 * pipe or a mount that it held open would be a nuisance to others. */
static void close_the_rest(int *command, int *answer, int hold)
{
    int high_command = fcntl(*command, F_DUPFD, 8), high_answer = fcntl(*answer, F_DUPFD, 8);
    int high_hold = hold >= 0 ? fcntl(hold, F_DUPFD, 8) : -1;
    int first = hold >= 0 ? 6 : 5;
    int null = open("/dev/null", O_RDWR);

    for (int fd = 0; fd < 3 && null >= 0; fd++)
        dup2(null, fd);
    *command = dup2(high_command, 3);
    *answer = dup2(high_answer, 4);
    if (hold >= 0)
        dup2(high_hold, 5);
    if (syscall(SYS_close_range, (unsigned)first, ~0U, 0U) < 0) {
        long max = sysconf(_SC_OPEN_MAX);
        for (int fd = first; fd < (max > 0 && max < 65536 ? (int)max : 65536); fd++)
            close(fd);
    }
}

static void keeper_process(const struct keeper *k, int command, int answer, int hold)
    __attribute__((noreturn));
static void keeper_process(const struct keeper *k, int command, int answer, int hold)
{
    uint32_t armed = k->armed;
    unsigned char group;
    ssize_t got;
    pid_t self = getpid();

    setsid();
    ignore_signals();
    close_the_rest(&command, &answer, hold);
    prctl(PR_SET_NAME, "sthd-keeper");
    if (chdir("/") < 0 || write(answer, &self, sizeof(self)) < 0)
        _exit(1);
    do {
        got = read(command, &group, 1);
        if (got > 0 && group <= KEEPER_GROUPS)
            armed |= 1u << group;
    } while (got > 0 || (got < 0 && errno == EINTR));
    struct outcome o = act_all(k->actions, k->n, armed);
    if (hold >= 0)
        close(5); /* who is told that it is done may want the lock at once */
    if (write(answer, &o, sizeof(o)) < 0)
        _exit(1); /* nobody is left to be told */
    _exit(0);
}

/* ---- our side -------------------------------------------------------------------------------- */

/* 1: read; 0: end of file; -1: not within the time. */
static int read_within(int fd, void *to, size_t len, int64_t ns)
{
    int64_t deadline = clock_ns() + ns;
    struct pollfd p = {.fd = fd, .events = POLLIN};

    for (;;) {
        int64_t left_ms = (deadline - clock_ns() + 999999) / 1000000;
        if (left_ms <= 0)
            return -1;
        int n = poll(&p, 1, (int)left_ms);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return -1;
        return read(fd, to, len) == (ssize_t)len;
    }
}

static void keeper_forget(struct keeper *k)
{
    if (k->command >= 0)
        close(k->command);
    if (k->answer >= 0)
        close(k->answer);
    for (size_t i = 0; i < k->n; i++) {
        free((char *)k->actions[i].path);
        free((char *)k->actions[i].text);
    }
    free(k->actions);
    free(k);
}

static struct keeper *keeper_copy(const struct keeper_action *actions, size_t n)
{
    struct keeper *k = mem_zalloc(sizeof(*k));

    k->command = k->answer = -1;
    k->actions = mem_zalloc(n * sizeof(*k->actions));
    k->n = n;
    for (size_t i = 0; i < n; i++) {
        assert(actions[i].path[0] == '/' && (actions[i].verb != KEEPER_WRITE || actions[i].text));
        assert(actions[i].group <= KEEPER_GROUPS);
        k->actions[i].verb = actions[i].verb;
        k->actions[i].group = actions[i].group;
        k->actions[i].path = mem_strdup(actions[i].path);
        k->actions[i].text = actions[i].text ? mem_strdup(actions[i].text) : NULL;
    }
    return k;
}

static int start_failed(struct keeper *k, int errnum, struct err *e)
{
    keeper_forget(k);
    return err_set(e, EXIT_CODE_INTERNAL, errnum,
                   "The process that cleans up after us could not be started: %s (limits on "
                   "processes or descriptors: ulimit -u, ulimit -n)",
                   strerror(errnum));
}

int keeper_start(struct keeper **out, const struct keeper_action *actions, size_t n, struct err *e)
{
    return keeper_start_holding(out, actions, n, -1, e);
}

int keeper_start_holding(struct keeper **out, const struct keeper_action *actions, size_t n,
                         int hold_fd, struct err *e)
{
    struct keeper *k = keeper_copy(actions, n);
    int command[2], answer[2];

    *out = NULL;
    if (pipe2(command, O_CLOEXEC) < 0)
        return start_failed(k, errno, e);
    k->command = command[1];
    if (pipe2(answer, O_CLOEXEC) < 0) {
        int errnum = errno;
        close(command[0]);
        return start_failed(k, errnum, e);
    }
    k->answer = answer[0];

    /* Twice: so that it is no child of ours, whose status somebody here might wait for. */
    pid_t middle = fork();
    int errnum = middle < 0 ? errno : 0;
    if (middle == 0) {
        pid_t pid = fork();
        if (pid == 0)
            keeper_process(k, command[0], answer[1], hold_fd);
        _exit(pid < 0 ? 1 : 0);
    }
    close(command[0]);
    close(answer[1]);
    while (middle > 0 && waitpid(middle, NULL, 0) < 0 && errno == EINTR)
        ;
    if (errnum == 0 && read_within(k->answer, &k->pid, sizeof(k->pid), START_NS) != 1)
        errnum = EAGAIN;
    if (errnum)
        return start_failed(k, errnum, e);
    *out = k;
    return 0;
}

pid_t keeper_pid(const struct keeper *k)
{
    return k->pid;
}

int keeper_arm(struct keeper *k, unsigned group, struct err *e)
{
    const unsigned char byte = (unsigned char)group;
    ssize_t n;

    assert(group > 0 && group <= KEEPER_GROUPS);
    if (!keeper_alive(k))
        n = -1;
    else
        do
            n = write(k->command, &byte, 1);
        while (n < 0 && errno == EINTR);
    if (n != 1)
        return err_set(e, EXIT_CODE_INTERNAL, EPIPE,
                       "The process that cleans up after us was killed");
    k->armed |= 1u << group;
    return 0;
}

bool keeper_alive(const struct keeper *k)
{
    struct pollfd p = {.fd = k->answer, .events = POLLIN};
    int n;

    do
        n = poll(&p, 1, 0);
    while (n < 0 && errno == EINTR);
    return n == 0;
}

static int outcome_sentence(const struct keeper_action *actions, struct outcome o, struct err *e)
{
    const struct keeper_action *a = &actions[o.failed];

    if (a->verb == KEEPER_WRITE)
        return err_set(e, EXIT_CODE_INTERNAL, o.errnum,
                       "%s could not be set back to %s: %s; please do it by hand", a->path, a->text,
                       strerror(o.errnum));
    return err_set(e, EXIT_CODE_INTERNAL, o.errnum, "%s could not be %s: %s; please do it by hand",
                   a->path, a->verb == KEEPER_EMPTY ? "emptied" : "removed", strerror(o.errnum));
}

int keeper_act(const struct keeper_action *actions, size_t n, uint32_t armed, struct err *e)
{
    struct outcome o = act_all(actions, n, armed);

    return o.failed >= 0 ? outcome_sentence(actions, o, e) : 0;
}

int keeper_release(struct keeper *k, struct err *e)
{
    struct outcome o;
    int rc = 0;

    if (!k)
        return 0;
    close(k->command);
    k->command = -1;
    int told = read_within(k->answer, &o, sizeof(o), RELEASE_NS);
    if (told == 0) /* it was killed: nobody but us will do it */
        o = act_all(k->actions, k->n, k->armed);
    if (told < 0)
        rc = err_set(e, EXIT_CODE_INTERNAL, ETIMEDOUT,
                     "Cleaning up takes longer than 5 s (a slow file system?): process %d goes on "
                     "with it",
                     (int)k->pid);
    else if (o.failed >= 0)
        rc = outcome_sentence(k->actions, o, e);
    keeper_forget(k);
    return rc;
}

void keeper_abandon(struct keeper *k)
{
    if (k)
        keeper_forget(k);
}
