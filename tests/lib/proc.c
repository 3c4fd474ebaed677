/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See proc.h. Linux's /proc is the only source; knows nothing of the programs it watches. */
#include "proc.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "sthd/mem.h"
#include "tap.h"

struct plain {
    pid_t pid;
    int out_fd, err_fd; /* -1: ended */
    struct buf out, err;
    bool reaped;
    int status;
    struct rusage usage;
    int64_t began_ns, ended_ns;
};

static int64_t now_ns(void)
{
    struct timespec ts;

    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (int64_t)ts.tv_sec * 1000000000 + ts.tv_nsec;
}

static void die(const char *what)
{
    printf("Bail out! %s: %s\n", what, strerror(errno));
    exit(99);
}

/* ---- running ---- */

static void set_env(const char *const *env)
{
    for (size_t i = 0; env && env[i]; i++) {
        char *name = mem_strdup(env[i]), *value = strchr(name, '=');

        if (value) {
            *value++ = '\0';
            setenv(name, value, 1);
        } else {
            unsetenv(name);
        }
        free(name);
    }
}

static int input_fd(const char *input)
{
    FILE *f;
    int fd;

    if (!input)
        return open("/dev/null", O_RDONLY | O_CLOEXEC);
    f = tmpfile();
    if (!f || fputs(input, f) < 0 || fflush(f) || lseek(fileno(f), 0, SEEK_SET))
        die("input");
    fd = dup(fileno(f));
    fclose(f);
    return fd;
}

static void become(const struct plain_spec *spec, const char *const argv[], int in, int out,
                   int err) __attribute__((noreturn));
static void become(const struct plain_spec *spec, const char *const argv[], int in, int out,
                   int err)
{
    setpgid(0, 0);
    signal(SIGPIPE, SIG_DFL);
    if (spec->close_fds) {
        close(0);
        close(1);
        close(2);
    } else if (dup2(in, 0) < 0 || dup2(out, 1) < 0 || dup2(err, 2) < 0) {
        _exit(98);
    }
    set_env(spec->env);
    if (spec->cwd && chdir(spec->cwd))
        _exit(98);
    if (spec->uid && (setgroups(0, NULL) || setgid(spec->uid) || setuid(spec->uid)))
        _exit(98);
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* after setuid, which clears it */
    execvp(argv[0], (char *const *)(uintptr_t)argv);
    _exit(127);
}

struct plain *plain_start(const struct plain_spec *spec, const char *const argv[])
{
    static const struct plain_spec none;
    struct plain *p = mem_zalloc(sizeof(*p));
    int out[2], err[2], in;

    if (!spec)
        spec = &none;
    in = input_fd(spec->input);
    if (in < 0 || pipe2(out, O_CLOEXEC) || pipe2(err, O_CLOEXEC))
        die("pipe");
    p->began_ns = now_ns();
    fflush(NULL);
    p->pid = fork();
    if (p->pid < 0)
        die("fork");
    if (p->pid == 0)
        become(spec, argv, in, out[1], err[1]);
    setpgid(p->pid, p->pid);
    close(in);
    close(out[1]);
    close(err[1]);
    p->out_fd = out[0];
    p->err_fd = err[0];
    buf_adds(&p->out, "");
    buf_adds(&p->err, "");
    return p;
}

pid_t plain_pid(const struct plain *p)
{
    return p->pid;
}

static void drain(int *fd, struct buf *b)
{
    char bytes[16384];
    ssize_t n = read(*fd, bytes, sizeof(bytes));

    if (n > 0) {
        buf_add(b, bytes, (size_t)n);
    } else if (n == 0 || errno != EINTR) {
        close(*fd);
        *fd = -1;
    }
}

void plain_pump(struct plain *p, int ms)
{
    struct pollfd fds[2] = {
        {.fd = p->out_fd, .events = POLLIN},
        {.fd = p->err_fd, .events = POLLIN},
    };

    if (poll(fds, 2, ms) > 0) {
        if (fds[0].revents)
            drain(&p->out_fd, &p->out);
        if (fds[1].revents)
            drain(&p->err_fd, &p->err);
    }
    if (!p->reaped && wait4(p->pid, &p->status, WNOHANG, &p->usage) == p->pid) {
        p->reaped = true;
        p->ended_ns = now_ns();
    }
}

static int slice_ms(int64_t deadline)
{
    int64_t left = (deadline - now_ns()) / 1000000 + 1;

    return left > 20 ? 20 : (int)left; /* the exit of a process wakes nobody in poll */
}

static bool wait_text(struct plain *p, const struct buf *b, const char *text, int ms)
{
    int64_t deadline = now_ns() + (int64_t)ms * 1000000;

    while (!b->data || !strstr(b->data, text)) {
        if (now_ns() >= deadline || (p->out_fd < 0 && p->err_fd < 0 && p->reaped)) {
            tap_note("waited %d ms in vain for \"%s\"", ms, text);
            tap_note("stdout: %s", plain_out(p));
            tap_note("stderr: %s", plain_err(p));
            return false;
        }
        plain_pump(p, slice_ms(deadline));
    }
    return true;
}

bool plain_wait_err(struct plain *p, const char *text, int ms)
{
    return wait_text(p, &p->err, text, ms);
}

bool plain_wait_out(struct plain *p, const char *text, int ms)
{
    return wait_text(p, &p->out, text, ms);
}

bool plain_wait_exit(struct plain *p, int ms)
{
    int64_t deadline = now_ns() + (int64_t)ms * 1000000;

    while (p->out_fd >= 0 || p->err_fd >= 0 || !p->reaped) {
        if (now_ns() >= deadline)
            return false;
        plain_pump(p, slice_ms(deadline));
    }
    return true;
}

struct plain *plain_run(const struct plain_spec *spec, const char *const argv[], int ms)
{
    struct plain *p = plain_start(spec, argv);

    if (!plain_wait_exit(p, ms)) {
        tap_note("%s was not over after %d ms; killed", argv[0], ms);
        tap_note("stderr: %s", plain_err(p));
        kill(-p->pid, SIGKILL);
        plain_wait_exit(p, 5000);
    }
    return p;
}

void plain_free(struct plain *p)
{
    if (!p)
        return;
    if (!p->reaped) {
        kill(-p->pid, SIGKILL);
        while (waitpid(p->pid, NULL, 0) < 0 && errno == EINTR)
            ;
    }
    if (p->out_fd >= 0)
        close(p->out_fd);
    if (p->err_fd >= 0)
        close(p->err_fd);
    buf_done(&p->out);
    buf_done(&p->err);
    free(p);
}

const char *plain_out(const struct plain *p)
{
    return p->out.data ? p->out.data : "";
}

const char *plain_err(const struct plain *p)
{
    return p->err.data ? p->err.data : "";
}

int plain_status(const struct plain *p)
{
    return p->status;
}

int plain_exit_code(const struct plain *p)
{
    return p->reaped && WIFEXITED(p->status) ? WEXITSTATUS(p->status) : -1;
}

double plain_seconds(const struct plain *p)
{
    return (double)((p->reaped ? p->ended_ns : now_ns()) - p->began_ns) / 1e9;
}

static double seconds_of(struct timeval t)
{
    return (double)t.tv_sec + (double)t.tv_usec / 1e6;
}

double plain_cpu_seconds(const struct plain *p)
{
    return seconds_of(p->usage.ru_utime) + seconds_of(p->usage.ru_stime);
}

long plain_max_rss_kib(const struct plain *p)
{
    return p->usage.ru_maxrss;
}

/* ---- processes ---- */

struct stat_line {
    pid_t ppid;
    char state;
    unsigned long utime, stime;
    unsigned long long start;
    char comm[20];
};

static bool read_stat(pid_t pid, struct stat_line *s)
{
    char path[64], line[1024], *open_paren, *close_paren;
    FILE *f;
    size_t n;

    snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
    f = fopen(path, "re");
    if (!f)
        return false;
    n = fread(line, 1, sizeof(line) - 1, f);
    fclose(f);
    line[n] = '\0';
    open_paren = strchr(line, '(');
    close_paren = strrchr(line, ')'); /* the name may hold anything, ')' too */
    if (!open_paren || !close_paren)
        return false;
    snprintf(s->comm, sizeof(s->comm), "%.*s", (int)(close_paren - open_paren - 1), open_paren + 1);
    return sscanf(close_paren + 1,
                  " %c %d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu %*d %*d %*d %*d %*d %*d %llu",
                  &s->state, &s->ppid, &s->utime, &s->stime, &s->start) == 5;
}

bool proc_identify(struct proc_id *out, pid_t pid)
{
    struct stat_line s;

    if (!read_stat(pid, &s))
        return false;
    *out = (struct proc_id){.pid = pid, .start_ticks = s.start};
    memcpy(out->comm, s.comm, sizeof(out->comm));
    return true;
}

bool proc_alive(const struct proc_id *id)
{
    struct stat_line s;

    return read_stat(id->pid, &s) && s.start == id->start_ticks && s.state != 'Z' && s.state != 'X';
}

typedef void each_fn(pid_t pid, void *arg);

static void each_process(each_fn *fn, void *arg)
{
    DIR *d = opendir("/proc");
    struct dirent *e;

    if (!d)
        die("/proc");
    while ((e = readdir(d)))
        if (isdigit((unsigned char)e->d_name[0]))
            fn((pid_t)atoi(e->d_name), arg);
    closedir(d);
}

struct collector {
    struct proc_id *ids;
    size_t n;
    pid_t root;
    bool grew;
};

static void collect(pid_t pid, void *arg)
{
    struct collector *c = arg;
    struct stat_line s;
    bool wanted;

    if (c->n == PROC_IDS || !read_stat(pid, &s))
        return;
    wanted = s.ppid == c->root;
    for (size_t i = 0; i < c->n; i++) {
        if (c->ids[i].pid == pid)
            return;
        wanted = wanted || c->ids[i].pid == s.ppid;
    }
    if (wanted && proc_identify(&c->ids[c->n], pid)) {
        c->n++;
        c->grew = true;
    }
}

size_t proc_descendants(struct proc_id *out, pid_t pid)
{
    struct collector c = {.ids = out, .root = pid};

    do {
        c.grew = false;
        each_process(collect, &c);
    } while (c.grew);
    return c.n;
}

/* Sum of the threads' time on a CPU, ns; -1 where schedstat is not built in. */
static double scheduled_ns(pid_t pid)
{
    char path[400];
    struct dirent *e;
    double sum = -1;
    DIR *d;

    snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
    d = opendir(path);
    while (d && (e = readdir(d))) {
        unsigned long long ns;
        FILE *f;

        if (!isdigit((unsigned char)e->d_name[0]))
            continue;
        snprintf(path, sizeof(path), "/proc/%d/task/%s/schedstat", (int)pid, e->d_name);
        f = fopen(path, "re");
        if (!f)
            continue;
        if (fscanf(f, "%llu", &ns) == 1)
            sum = (sum < 0 ? 0 : sum) + (double)ns;
        fclose(f);
    }
    if (d)
        closedir(d);
    return sum;
}

double proc_cpu_seconds(pid_t pid)
{
    struct stat_line s;
    double ns = scheduled_ns(pid);

    if (ns >= 0)
        return ns / 1e9;
    if (!read_stat(pid, &s))
        return -1;
    return (double)(s.utime + s.stime) / (double)sysconf(_SC_CLK_TCK);
}

static long status_kib(pid_t pid, const char *key)
{
    char path[64], line[256];
    long kib = -1;
    FILE *f;

    snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
    f = fopen(path, "re");
    if (!f)
        return -1;
    while (fgets(line, sizeof(line), f))
        if (strncmp(line, key, strlen(key)) == 0 && line[strlen(key)] == ':')
            kib = strtol(line + strlen(key) + 1, NULL, 10);
    fclose(f);
    return kib;
}

long proc_rss_kib(pid_t pid)
{
    return status_kib(pid, "VmRSS");
}

long proc_peak_rss_kib(pid_t pid)
{
    return status_kib(pid, "VmHWM");
}

bool proc_wait_gone(const struct proc_id *ids, size_t n, int ms, struct proc_id *left)
{
    int64_t deadline = now_ns() + (int64_t)ms * 1000000;

    for (size_t i = 0; i < n; i++)
        while (proc_alive(&ids[i])) {
            if (now_ns() >= deadline) {
                *left = ids[i];
                return false;
            }
            poll(NULL, 0, 10); /* the end of somebody else's child wakes nobody */
        }
    return true;
}

struct holders {
    struct buf *out;
    const char *dir;
};

static void add_holder(pid_t pid, void *arg)
{
    struct holders *h = arg;
    char path[64], name[400], target[1024];
    size_t dir_len = strlen(h->dir);
    struct proc_id id;
    struct dirent *e;
    DIR *d;

    snprintf(path, sizeof(path), "/proc/%d/fd", (int)pid);
    d = opendir(path);
    if (!d)
        return;
    while ((e = readdir(d))) {
        ssize_t n;

        snprintf(name, sizeof(name), "%s/%s", path, e->d_name);
        n = readlink(name, target, sizeof(target) - 1);
        if (n < 0)
            continue;
        target[n] = '\0';
        if (strncmp(target, h->dir, dir_len) || (target[dir_len] && target[dir_len] != '/'))
            continue;
        if (proc_identify(&id, pid))
            buf_addf(h->out, "%d %s %s -> %s\n", (int)pid, id.comm, e->d_name, target);
    }
    closedir(d);
}

void proc_holders(struct buf *out, const char *dir)
{
    struct holders h = {.out = out, .dir = dir};

    each_process(add_holder, &h);
}
