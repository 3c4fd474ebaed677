/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One child process, by libpipeline; see child.h. The only file that includes pipeline.h.
 *
 * Promises: never waits for a child longer than REAP_WAIT_NS; hands on every byte that the child
 * wrote before it says that the child ended; the child inherits 0, 1, 2 and what was asked for,
 * nothing else, and default signal handling; it cannot outlive us. A callback may free the child.
 * Must not know: what the child is or what its output means.
 *
 * libpipeline 1.5.7 was made for programs that own no terminal and wait for their children. What
 * is done here about it:
 *  - Its SIGCHLD handler would collect statuses at any moment: SIGCHLD stays blocked (asserted), so
 *    the handler never runs, and child_check_all is called from the loop instead.
 *  - pipeline_wait blocks: it is called only for a child that waitid(WNOWAIT) has seen dead.
 *  - It collects with waitpid(-1), so it also takes the status of our other children. Those answer
 *    ECHILD afterwards; libpipeline has kept their status, and pipeline_wait gives it at once.
 *  - It re-raises SIGINT and SIGQUIT of a child in us: the raised one is taken back, see reap().
 *  - It makes pipes without close-on-exec and cannot redirect stderr: all three are our own.
 *  - A failed exec reports through error(3), whose exit(3) runs our atexit handlers in the child:
 *    the command is a function that does the exec itself, reports by a pipe, and leaves by _exit.
 *  - A failed fork exits us: a trial fork just before tells whether it would.
 *  - The child would inherit our blocked signals and ignored SIGPIPE: reset before the exec.
 *  - It talks on stderr about children that died of a signal: PIPELINE_QUIET.
 */
#include "sthd/child.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/close_range.h>
#include <pipeline.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "loop_private.h"
#include "sthd/mem.h"
#include "sthd/signals.h"

#define PIPE_BYTES      (1 << 20) /* a reader that is late costs fio its run (it gives up after 5 s) */
#define READ_BYTES      ((size_t)64 << 10)
#define READS_PER_ROUND 16 /* then the loop gets its turn: a flood must not starve the keys */

#define EXEC_WAIT_MS    2000       /* for the exec to be reported; longer means: started */
#define GRACE_NS        2000000000 /* after death, for the end of file */
#define GRACE_KILLED_NS 250000000  /* the same, once its group has been killed */
#define REAP_WAIT_NS    200000000  /* in child_free, for a killed child to go */

struct child {
    struct loop *loop;
    struct child *next;
    pipeline *pipeline;
    pid_t pid;
    int fd[2]; /* by enum child_stream; -1: ended */
    struct loop_watch *watch[2];
    struct loop_timer *grace;
    struct child_events ev;
    void *arg;
    void (*before_reap)(void *arg);
    int wait_status;
    int depth;       /* callbacks of this child that are running */
    bool dead;       /* it has ended, though its status may not be collected yet */
    bool seen;       /* dead was acted upon */
    bool collected;  /* wait_status is valid */
    bool cut;        /* given up waiting for the end of its output */
    bool group_shot; /* what was left of its group has been killed */
    bool freed;      /* child_free was called; we keep it until it has been reaped */
    bool ended;      /* the end callback was called */
};

/* What the forked child needs; lives on child_start's stack, of which the child has a copy. */
struct launch {
    const char *program;
    char *const *argv;
    const int *keep;
    size_t n_keep;
    int in, out, err, report;
    pid_t parent;
};

/* ---- in the child ---------------------------------------------------------------------------- */

static void set_cloexec(int fd, bool on)
{
    int flags = fcntl(fd, F_GETFD);

    if (flags >= 0)
        fcntl(fd, F_SETFD, on ? flags | FD_CLOEXEC : flags & ~FD_CLOEXEC);
}

/* Marks rather than closes, so that the report pipe works until the exec has succeeded. */
static void mark_all_cloexec(void)
{
    if (syscall(SYS_close_range, 3U, ~0U, CLOSE_RANGE_CLOEXEC) == 0)
        return;
    DIR *d = opendir("/proc/self/fd");
    if (d) {
        for (struct dirent *e; (e = readdir(d)) != NULL;) {
            int fd = atoi(e->d_name);
            if (fd >= 3)
                set_cloexec(fd, true);
        }
        closedir(d);
        return;
    }
    long max = sysconf(_SC_OPEN_MAX);
    for (int fd = 3; fd < (max > 0 && max < 65536 ? (int)max : 65536); fd++)
        set_cloexec(fd, true);
}

static void launch_failed(const struct launch *l) __attribute__((noreturn));
static void launch_failed(const struct launch *l)
{
    int errnum = errno;

    if (write(l->report, &errnum, sizeof(errnum)) < 0)
        _exit(126); /* nobody is listening any more */
    _exit(127);
}

static void launch_run(void *data)
{
    struct launch *l = data;

    if (dup2(l->in, STDIN_FILENO) < 0 || dup2(l->out, STDOUT_FILENO) < 0 ||
        dup2(l->err, STDERR_FILENO) < 0)
        launch_failed(l);
    setpgid(0, 0);
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0)
        launch_failed(l);
    if (getppid() != l->parent)
        _exit(126); /* our parent died before the line above: no signal would ever come */
    mark_all_cloexec();
    for (size_t i = 0; i < l->n_keep; i++)
        set_cloexec(l->keep[i], false);
    unsetenv("PIPELINE_QUIET");
    signals_reset_for_child();
    execve(l->program, l->argv, environ);
    launch_failed(l);
}

/* ---- starting -------------------------------------------------------------------------------- */

static bool sigchld_is_blocked(void)
{
    sigset_t set;

    sigprocmask(SIG_BLOCK, NULL, &set);
    return sigismember(&set, SIGCHLD) == 1;
}

static void close_fd(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

static int make_pipe(int *ours, int *theirs)
{
    int fd[2];

    if (pipe2(fd, O_CLOEXEC) < 0)
        return -errno;
    assert(fd[0] > STDERR_FILENO && fd[1] > STDERR_FILENO);
    *ours = fd[0];
    *theirs = fd[1];
    fcntl(*ours, F_SETFL, O_NONBLOCK);
    return 0;
}

/* As large as this system lets us: unprivileged users have a budget, so ask for less and less. */
static void enlarge_pipe(int fd)
{
    for (int bytes = PIPE_BYTES; bytes > 65536; bytes /= 2) {
        if (fcntl(fd, F_SETPIPE_SZ, bytes) >= 0)
            return;
    }
}

static int trial_fork(void)
{
    pid_t pid = fork();

    if (pid < 0)
        return -errno;
    if (pid == 0)
        _exit(0);
    while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
        ;
    return 0;
}

static int exec_sentence(struct err *e, const char *program, int errnum)
{
    switch (errnum) {
    case EACCES:
        return err_set(e, EXIT_CODE_FIO, errnum,
                       "%s may not be executed (permissions, or its file system is mounted "
                       "noexec): make it executable or install it elsewhere",
                       program);
    case ENOENT:
        return err_set(e, EXIT_CODE_FIO, errnum,
                       "%s is not there, or the loader or interpreter it needs is not: "
                       "(re)install it",
                       program);
    case ENOEXEC:
        return err_set(e, EXIT_CODE_FIO, errnum,
                       "%s is not a program for this machine: install one built for it", program);
    default:
        return err_set(e, EXIT_CODE_FIO, errnum, "%s could not be started: %s", program,
                       strerror(errnum));
    }
}

static int resource_sentence(struct err *e, const char *program, int errnum)
{
    return err_set(e, EXIT_CODE_INTERNAL, errnum,
                   "No process could be made for %s: %s (limits on processes, descriptors or "
                   "memory: ulimit -u, ulimit -n)",
                   program, strerror(errnum));
}

/* The errno of a failed exec, 0 if it succeeded. Not waited for without end: a stalled root disk
 * may take its time to read the program, and then it is simply a child that says nothing yet. */
static int exec_result(int report)
{
    int errnum = 0;
    struct pollfd p = {.fd = report, .events = POLLIN};
    int64_t deadline = clock_ns() + (int64_t)EXEC_WAIT_MS * 1000000;

    for (;;) {
        int64_t left_ms = (deadline - clock_ns()) / 1000000;
        if (left_ms <= 0)
            return 0;
        int n = poll(&p, 1, (int)left_ms);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return 0;
        return read(report, &errnum, sizeof(errnum)) == (ssize_t)sizeof(errnum) ? errnum : 0;
    }
}

static pipeline *fork_it(struct launch *l)
{
    pipecmd *cmd = pipecmd_new_function(l->program, launch_run, NULL, l);
    pipeline *p = pipeline_new_commands(cmd, NULL);

    pipeline_ignore_signals(p, 0);
    setenv("PIPELINE_QUIET", "1", 1);
    pipeline_start(p);
    return p;
}

static void child_readable(void *arg, int fd, short revents);
static void grace_over(void *arg, int64_t now_ns);
static void reap(struct child *c);
static void give_up_all(struct loop *l);

int child_start(struct child **out, struct loop *l, const char *program, const struct strv *argv,
                const int *keep, size_t n_keep, const struct child_events *ev, void *arg,
                struct err *e)
{
    struct launch launch = {program, argv->items, keep, n_keep, -1, -1, -1, -1, getpid()};
    int fd[2] = {-1, -1}, report = -1, rc;

    *out = NULL;
    assert(sigchld_is_blocked() && argv->n > 0 && ev->output && ev->end);
    for (size_t i = 0; i < n_keep; i++)
        assert(keep[i] > STDERR_FILENO);
    if (access(program, X_OK) < 0)
        return exec_sentence(e, program, errno);

    launch.in = open("/dev/null", O_RDONLY | O_CLOEXEC);
    rc = launch.in < 0 ? -errno : 0;
    if (rc == 0)
        rc = make_pipe(&fd[CHILD_STDOUT], &launch.out);
    if (rc == 0)
        rc = make_pipe(&fd[CHILD_STDERR], &launch.err);
    if (rc == 0)
        rc = make_pipe(&report, &launch.report);
    if (rc == 0)
        rc = trial_fork();
    if (rc < 0) {
        rc = resource_sentence(e, program, -rc);
        goto fail;
    }
    enlarge_pipe(fd[CHILD_STDOUT]);
    enlarge_pipe(fd[CHILD_STDERR]);

    struct child *c = mem_zalloc(sizeof(*c));
    c->loop = l;
    c->ev = *ev;
    c->arg = arg;
    c->pipeline = fork_it(&launch);
    c->pid = pipeline_get_pid(c->pipeline, 0);
    setpgid(c->pid, c->pid); /* so that child_signal works at once; fails after the exec */
    close_fd(&launch.in);
    close_fd(&launch.out);
    close_fd(&launch.err);
    close_fd(&launch.report);
    int errnum = exec_result(report);
    if (errnum) {
        rc = exec_sentence(e, program, errnum);
        reap(c);
        free(c);
        goto fail;
    }
    close_fd(&report);
    for (int s = 0; s < 2; s++) {
        c->fd[s] = fd[s];
        c->watch[s] = loop_watch(l, fd[s], POLLIN, child_readable, c);
    }
    c->grace = loop_timer_new(l, grace_over, c);
    c->next = *loop_children(l);
    *loop_children(l) = c;
    loop_at_free(l, give_up_all);
    *out = c;
    return 0;

fail:
    close_fd(&launch.in);
    close_fd(&launch.out);
    close_fd(&launch.err);
    close_fd(&launch.report);
    close_fd(&fd[0]);
    close_fd(&fd[1]);
    close_fd(&report);
    return rc;
}

/* ---- ending ---------------------------------------------------------------------------------- */

/* Whether the pid still belongs to our child (alive, or dead and not collected), so that a signal
 * to it cannot hit a stranger. *ended: it is dead. */
static bool still_ours(pid_t pid, bool *ended)
{
    siginfo_t info = {.si_pid = 0};
    int rc;

    while ((rc = waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT)) < 0 &&
           errno == EINTR)
        ;
    *ended = rc < 0 || info.si_pid == pid;
    return rc == 0;
}

/*
 * Collects the status of a dead child. libpipeline raises SIGINT or SIGQUIT in us if the child died
 * of it. raise(3) makes it pending for this thread, where sigtimedwait looks first; a real one from
 * outside is pending for the process and stays.
 */
static void reap(struct child *c)
{
    sigset_t two, before;
    const struct timespec now = {0, 0};
    int *statuses = NULL, n = 0;

    sigemptyset(&two);
    sigaddset(&two, SIGINT);
    sigaddset(&two, SIGQUIT);
    sigprocmask(SIG_BLOCK, &two, &before);
    pipeline_wait_all(c->pipeline, &statuses, &n);
    assert(n == 1);
    c->wait_status = statuses[0];
    free(statuses);
    if (WIFSIGNALED(c->wait_status) &&
        (WTERMSIG(c->wait_status) == SIGINT || WTERMSIG(c->wait_status) == SIGQUIT)) {
        sigset_t one;
        sigemptyset(&one);
        sigaddset(&one, WTERMSIG(c->wait_status));
        sigtimedwait(&one, NULL, &now);
    }
    sigprocmask(SIG_SETMASK, &before, NULL);
    pipeline_free(c->pipeline);
    c->pipeline = NULL;
    c->collected = true;
}

static void close_stream(struct child *c, enum child_stream s)
{
    if (c->fd[s] < 0)
        return;
    loop_unwatch(c->watch[s]);
    c->watch[s] = NULL;
    close_fd(&c->fd[s]);
}

static void unlink_child(struct child *c)
{
    struct child **p = loop_children(c->loop);

    while (*p != c)
        p = &(*p)->next;
    *p = c->next;
}

static void destroy(struct child *c)
{
    if (!c->collected)
        reap(c);
    unlink_child(c);
    free(c);
}

static void enter(struct child *c)
{
    c->depth++;
}

/* False: the child is gone (or will be, and is not to be touched). */
static bool leave(struct child *c)
{
    c->depth--;
    if (!c->freed)
        return true;
    if (c->depth == 0 && c->dead)
        destroy(c);
    return false;
}

/* Calls end if everything for it is there. */
static void end_if_over(struct child *c)
{
    if (!c->dead || c->ended || c->freed)
        return;
    if (!c->cut && (c->fd[CHILD_STDOUT] >= 0 || c->fd[CHILD_STDERR] >= 0))
        return;
    loop_timer_off(c->grace);
    if (!c->collected) {
        if (c->before_reap)
            c->before_reap(c->arg);
        reap(c);
    }
    c->ended = true;
    enter(c);
    c->ev.end(c->arg, c->wait_status);
    leave(c);
}

/* Hands on what is there. The caller has entered: a callback that frees us only marks us. */
static void drain(struct child *c, enum child_stream s)
{
    char bytes[READ_BYTES];

    for (int i = 0; i < READS_PER_ROUND && !c->freed; i++) {
        ssize_t got = read(c->fd[s], bytes, sizeof(bytes));
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0 && errno == EAGAIN)
            return;
        if (got <= 0) {
            close_stream(c, s);
            return;
        }
        c->ev.output(c->arg, s, bytes, (size_t)got, clock_ns());
    }
}

static void child_readable(void *arg, int fd, short revents)
{
    struct child *c = arg;
    enum child_stream s = fd == c->fd[CHILD_STDOUT] ? CHILD_STDOUT : CHILD_STDERR;

    (void)revents;
    enter(c);
    drain(c, s);
    if (leave(c))
        end_if_over(c);
}

/* The child is dead, but somebody it started still holds an output. */
static void grace_over(void *arg, int64_t now_ns)
{
    struct child *c = arg;
    bool ended;

    if (!c->group_shot) {
        c->group_shot = true;
        /* Only while the dead child still holds its number: later the group may be a stranger's. */
        if (still_ours(c->pid, &ended))
            kill(-c->pid, SIGKILL);
        loop_timer_at(c->grace, now_ns + GRACE_KILLED_NS);
        return;
    }
    c->cut = true;
    enter(c);
    for (int s = 0; s < 2 && !c->freed; s++) {
        if (c->fd[s] >= 0)
            drain(c, (enum child_stream)s);
        if (!c->freed)
            close_stream(c, (enum child_stream)s);
    }
    if (leave(c))
        end_if_over(c);
}

static void act_on_death(struct child *c)
{
    if (c->freed) {
        if (c->depth == 0)
            destroy(c);
        return;
    }
    loop_timer_at(c->grace, clock_ns() + GRACE_NS);
    end_if_over(c);
}

void child_check_all(struct loop *l)
{
    for (struct child *c = *loop_children(l); c; c = c->next) {
        if (!c->dead)
            still_ours(c->pid, &c->dead);
    }
    /* Every callback may change the list: begin again after each. */
    for (;;) {
        struct child *c = *loop_children(l);
        while (c && (!c->dead || c->seen))
            c = c->next;
        if (!c)
            return;
        c->seen = true;
        act_on_death(c);
    }
}

/* ---- the rest of the door -------------------------------------------------------------------- */

pid_t child_pid(const struct child *c)
{
    return c->pid;
}

bool child_was_cut(const struct child *c)
{
    return c->cut;
}

void child_signal(struct child *c, int signo)
{
    bool ended;

    if (!c->collected && still_ours(c->pid, &ended))
        kill(-c->pid, signo);
}

static void wait_a_moment_for(struct child *c)
{
    const struct timespec tick = {0, 1000000};
    int64_t deadline = clock_ns() + REAP_WAIT_NS;

    for (;;) {
        still_ours(c->pid, &c->dead);
        if (c->dead || clock_ns() >= deadline)
            return;
        nanosleep(&tick, NULL);
    }
}

void child_set_before_reap(struct child *c, void (*fn)(void *arg))
{
    c->before_reap = fn;
}

void child_free(struct child *c)
{
    if (!c || c->freed)
        return;
    c->freed = true;
    close_stream(c, CHILD_STDOUT);
    close_stream(c, CHILD_STDERR);
    loop_timer_free(c->grace);
    c->grace = NULL;
    if (!c->collected) {
        child_signal(c, SIGKILL);
        wait_a_moment_for(c);
    }
    /* One that hangs in the kernel stays in the list and is collected at its SIGCHLD. */
    if (c->depth == 0 && c->dead)
        destroy(c);
}

/* What has not gone by now is stuck in the kernel: it is left to init, with its memory. */
static void give_up_all(struct loop *l)
{
    for (struct child *c; (c = *loop_children(l)) != NULL;) {
        assert(c->freed && c->depth == 0);
        wait_a_moment_for(c);
        if (c->dead) {
            destroy(c);
            continue;
        }
        unlink_child(c);
        free(c);
    }
}

static char *executable_in(const char *dir, size_t len, const char *name)
{
    struct stat st;
    char *path = mem_printf("%.*s/%s", (int)len, dir, name);

    if (stat(path, &st) == 0 && S_ISREG(st.st_mode) && access(path, X_OK) == 0)
        return path;
    free(path);
    return NULL;
}

char *child_find_program(const char *name)
{
    static const char *const always[] = {"/usr/local/bin",  "/usr/bin",  "/bin",
                                         "/usr/local/sbin", "/usr/sbin", "/sbin"};
    const char *path = getenv("PATH");
    char *found = NULL;

    if (strchr(name, '/')) {
        struct stat st;
        return stat(name, &st) == 0 && S_ISREG(st.st_mode) && access(name, X_OK) == 0
                   ? mem_strdup(name)
                   : NULL;
    }
    for (const char *p = path; p && !found;) {
        size_t len = strcspn(p, ":");
        /* Relative entries are passed over: what runs as root must not come from where we stand. */
        if (*p == '/')
            found = executable_in(p, len, name);
        p = p[len] ? p + len + 1 : NULL;
    }
    for (size_t i = 0; i < sizeof(always) / sizeof(always[0]) && !found; i++)
        found = executable_in(always[i], strlen(always[i]), name);
    return found;
}
