/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One child: both conditions of its end in either order, floods, descriptors, masks, groups, and
 * what becomes of it when we are killed. The children are /bin/sh, and this program itself
 * ("--child ...") where a shell would add something of its own.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sthd/child.h"
#include "sthd/mem.h"
#include "sthd/signals.h"
#include "tap.h"

#define SECOND   1000000000LL
#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* ---- this program as a child ---- */

/* Prints what it has inherited: descriptors, blocked and ignored signals, group. */
static int child_show(void)
{
    char line[256];
    DIR *d = opendir("/proc/self/fd");

    printf("fds");
    for (int fd = 0; fd < 1024; fd++) {
        if (fd != dirfd(d) && fcntl(fd, F_GETFD) >= 0)
            printf(" %d", fd);
    }
    closedir(d);
    printf("\n");
    FILE *f = fopen("/proc/self/status", "r");
    while (f && fgets(line, sizeof(line), f)) {
        if (strncmp(line, "SigBlk:", 7) == 0 || strncmp(line, "SigIgn:", 7) == 0)
            printf("%s", line);
    }
    if (f)
        fclose(f);
    int deathsig = 0;
    prctl(PR_GET_PDEATHSIG, &deathsig);
    printf("leads %d\n", getpgrp() == getpid());
    printf("deathsig %d\n", deathsig);
    printf("quiet %s\n", getenv("PIPELINE_QUIET") ? "set" : "unset");
    char c;
    printf("stdin %zd\n", read(0, &c, 1));
    return 0;
}

static int child_main(int argc, char **argv)
{
    if (argc == 1 && strcmp(argv[0], "show") == 0)
        return child_show();
    if (argc == 2 && strcmp(argv[0], "flood") == 0) { /* both streams, N MiB each */
        static char block[1 << 16];
        memset(block, 'x', sizeof(block));
        for (long i = 0; i < atol(argv[1]) * 16; i++) {
            if (write(1, block, sizeof(block)) < 0 || write(2, block, sizeof(block)) < 0)
                return 1;
        }
        return 0;
    }
    return 2;
}

/* ---- running one and gathering what it says ---- */

struct run {
    struct loop *loop;
    struct child *child;
    struct signals *signals;
    struct loop_timer *deadline;
    char out[4096];
    size_t n_out, bytes[2];
    int status, ends;
    int64_t ended_ns;
    bool cut, timed_out, free_at_output, free_at_end;
    int rounds, own_signals[NSIG];
};

static void on_output(void *arg, enum child_stream s, const char *bytes, size_t len, int64_t now)
{
    struct run *r = arg;

    (void)now;
    r->bytes[s] += len;
    for (size_t i = 0; i < len && r->n_out + 1 < sizeof(r->out); i++)
        r->out[r->n_out++] = bytes[i];
    if (r->free_at_output) {
        child_free(r->child);
        r->child = NULL;
        loop_quit(r->loop);
    }
}

static void on_end(void *arg, int status)
{
    struct run *r = arg;

    r->status = status;
    r->ends++;
    r->ended_ns = clock_ns();
    r->cut = child_was_cut(r->child);
    if (r->free_at_end) {
        child_free(r->child);
        r->child = NULL;
    }
    loop_quit(r->loop);
}

static void on_signal(void *arg, int signo)
{
    struct run *r = arg;

    r->own_signals[signo]++;
}

static void on_deadline(void *arg, int64_t now)
{
    struct run *r = arg;

    (void)now;
    r->timed_out = true;
    loop_quit(r->loop);
}

static void count_round(void *arg)
{
    ((struct run *)arg)->rounds++;
}

static const struct child_events events = {on_output, on_end};

static void run_init(struct run *r)
{
    memset(r, 0, sizeof(*r));
    r->loop = loop_new();
    r->signals = signals_new(r->loop, on_signal, r);
    r->deadline = loop_timer_new(r->loop, on_deadline, r);
}

static void run_done(struct run *r)
{
    child_free(r->child);
    loop_timer_free(r->deadline);
    signals_free(r->signals);
    loop_free(r->loop);
}

static int run_start(struct run *r, const char *program, const int *keep, size_t n_keep, ...)
    __attribute__((sentinel));
static int run_start(struct run *r, const char *program, const int *keep, size_t n_keep, ...)
{
    struct strv argv;
    struct err e;
    va_list ap;
    int rc;

    strv_init(&argv);
    strv_add(&argv, program);
    va_start(ap, n_keep);
    for (const char *a; (a = va_arg(ap, const char *)) != NULL;)
        strv_add(&argv, a);
    va_end(ap);
    rc = child_start(&r->child, r->loop, program, &argv, keep, n_keep, &events, r, &e);
    if (rc < 0)
        tap_note("%s", e.text);
    strv_done(&argv);
    return rc;
}

static void run_wait(struct run *r)
{
    loop_timer_at(r->deadline, clock_ns() + 20 * SECOND);
    loop_run(r->loop, count_round, r);
    if (r->timed_out)
        tap_ok(false, "ended within 20 s");
}

/* ---- tests ---- */

static void test_endings(void)
{
    static const struct {
        const char *script, *out;
        int status;
    } rows[] = {
        {"echo hello; echo there >&2", NULL, 0},
        {"exit 7", "", 7 << 8},
        {"kill -9 $$", "", SIGKILL},
        {"kill -TERM $$", "", SIGTERM},
        /* end of file long before the status, and the status before the end of file */
        {"echo first; exec >&- 2>&-; sleep 0.1; exit 3", "first\n", 3 << 8},
        {"(sleep 0.1; echo last) & exit 4", "last\n", 4 << 8},
        {"(sleep 0.1; echo last >&2) & exec >&-; exit 5", "last\n", 5 << 8},
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        struct run r;
        run_init(&r);
        if (run_start(&r, "/bin/sh", NULL, 0, "-c", rows[i].script, NULL) == 0)
            run_wait(&r);
        tap_int(r.ends, 1, "ends once: %s", rows[i].script);
        tap_int(r.status, rows[i].status, "status: %s", rows[i].script);
        if (rows[i].out)
            tap_str(r.out, rows[i].out, "output: %s", rows[i].script);
        else
            tap_ok(strstr(r.out, "hello\n") && strstr(r.out, "there\n"), "both outputs");
        tap_ok(!r.cut, "not cut: %s", rows[i].script);
        run_done(&r);
    }
}

/* A child that dies of INT makes libpipeline raise it in us. A real one must not be lost for it. */
static void test_interrupts(void)
{
    static const struct {
        const char *script;
        int died_of, from_outside, n_int, n_quit;
    } rows[] = {
        {"kill -INT $$", SIGINT, 0, 0, 0},
        {"kill -QUIT $$", SIGQUIT, 0, 0, 0},
        {"kill -INT $$", SIGINT, SIGINT, 1, 0},
        {"kill -INT $$", SIGINT, SIGQUIT, 0, 1},
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        struct run r;
        run_init(&r);
        run_start(&r, "/bin/sh", NULL, 0, "-c", rows[i].script, NULL);
        while (r.ends == 0 && !r.timed_out) {
            run_wait(&r);
            if (r.ends && rows[i].from_outside)
                kill(getpid(), rows[i].from_outside);
        }
        /* whatever is pending now comes through the loop before this timer does */
        loop_timer_at(r.deadline, clock_ns() + SECOND / 100);
        loop_run(r.loop, NULL, NULL);
        tap_int(WTERMSIG(r.status), rows[i].died_of, "row %zu: died of it", i);
        tap_int(r.own_signals[SIGINT], rows[i].n_int, "row %zu: our own INT", i);
        tap_int(r.own_signals[SIGQUIT], rows[i].n_quit, "row %zu: our own QUIT", i);
        run_done(&r);
    }
}

/* An INT from outside that is pending while libpipeline raises its own. */
static void test_pending_interrupt(void)
{
    struct run r;

    run_init(&r);
    run_start(&r, "/bin/sh", NULL, 0, "-c", "kill -INT $$", NULL);
    struct pollfd none = {.fd = -1};
    siginfo_t info;
    while (waitid(P_PID, (id_t)child_pid(r.child), &info, WEXITED | WNOWAIT) < 0)
        poll(&none, 1, 1);
    kill(getpid(), SIGINT);
    child_check_all(r.loop);
    run_wait(&r);
    loop_timer_at(r.deadline, clock_ns() + SECOND / 100);
    loop_run(r.loop, NULL, NULL);
    tap_int(r.own_signals[SIGINT], 1, "a real ^C at that moment is delivered exactly once");
    run_done(&r);
}

static void test_inheritance(void)
{
    char self[4096], want[64];
    ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
    int leak = open("/dev/null", O_RDONLY); /* without close-on-exec, as a library would leave it */
    int bench = fcntl(leak, F_DUPFD_CLOEXEC, 40);
    struct run r;

    self[n > 0 ? n : 0] = '\0';
    setenv("PIPELINE_QUIET", "1", 1);
    run_init(&r);
    if (run_start(&r, self, &bench, 1, "--child", "show", NULL) == 0)
        run_wait(&r);
    snprintf(want, sizeof(want), "fds 0 1 2 %d\n", bench);
    tap_ok(strncmp(r.out, want, strlen(want)) == 0, "exactly 0 1 2 and what is kept");
    tap_ok(strstr(r.out, "SigBlk:\t0000000000000000\n") != NULL, "no signal is blocked");
    /* 32 and 33 are the C library's own, out of reach of sigaction(2); make ignores them for us */
    const char *ignored = strstr(r.out, "SigIgn:\t");
    tap_ok(ignored && (strtoull(ignored + 8, NULL, 16) & ~0x180000000ULL) == 0,
           "no signal is ignored");
    tap_ok(strstr(r.out, "leads 1\n") != NULL, "it leads its own process group");
    tap_ok(strstr(r.out, "deathsig 9\n") != NULL, "it is killed when we die");
    tap_ok(strstr(r.out, "stdin 0\n") != NULL, "its stdin is at the end of file");
    tap_ok(strstr(r.out, "quiet unset\n") != NULL, "its environment has nothing of ours");
    if (r.status != 0 || r.n_out == 0)
        tap_note("%s", r.out);
    tap_ok(fcntl(bench, F_GETFD) & FD_CLOEXEC, "what is kept stays close-on-exec in us");
    run_done(&r);
    close(leak);
    close(bench);
}

static void test_flood(void)
{
    char self[4096];
    ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
    struct run r;

    self[n > 0 ? n : 0] = '\0';
    run_init(&r);
    if (run_start(&r, self, NULL, 0, "--child", "flood", "64", NULL) == 0)
        run_wait(&r);
    tap_int((long long)r.bytes[CHILD_STDOUT], 64 << 20, "every byte of stdout arrives");
    tap_int((long long)r.bytes[CHILD_STDERR], 64 << 20, "every byte of stderr arrives");
    tap_int(r.status, 0, "and the child ends well");
    tap_ok(r.rounds >= 64, "the loop had its turns in between (%d)", r.rounds);
    run_done(&r);
}

static void test_start_failures(void)
{
    char dir[] = "/tmp/sthd-child-XXXXXX";
    static const char *const body[] = {"\177ELF not really", "#!/nonexistent/interpreter\n", "x"};
    char path[COUNT(body)][64];

    if (!mkdtemp(dir)) {
        tap_ok(false, "a directory");
        return;
    }
    for (size_t i = 0; i < COUNT(body); i++) {
        snprintf(path[i], sizeof(path[i]), "%s/%zu", dir, i);
        int fd = open(path[i], O_WRONLY | O_CREAT | O_CLOEXEC, i == 2 ? 0644 : 0755);
        if (fd < 0 || write(fd, body[i], strlen(body[i])) < 0)
            tap_ok(false, "wrote %s", path[i]);
        close(fd);
    }
    const struct {
        const char *program, *says;
        int rc;
    } rows[] = {
        {"/nonexistent/fio", "is not there", -ENOENT},
        {path[0], "not a program for this machine", -ENOEXEC},
        {path[1], "is not there, or the loader or interpreter", -ENOENT},
        {path[2], "may not be executed", -EACCES},
        {dir, "may not be executed", -EACCES},
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        struct run r;
        struct strv argv;
        struct err e = {0};
        run_init(&r);
        strv_init(&argv);
        strv_add(&argv, rows[i].program);
        tap_int(child_start(&r.child, r.loop, rows[i].program, &argv, NULL, 0, &events, &r, &e),
                rows[i].rc, "start fails: %s", rows[i].says);
        tap_ok(strstr(e.text, rows[i].says) && strstr(e.text, rows[i].program), "says: %s", e.text);
        tap_ok(r.child == NULL && r.ends == 0, "and nothing is left of it");
        strv_done(&argv);
        run_done(&r);
    }
    int status;
    tap_ok(waitpid(-1, &status, WNOHANG) < 0 && errno == ECHILD, "no zombie is left");
    for (size_t i = 0; i < COUNT(body); i++)
        unlink(path[i]);
    rmdir(dir);
}

static void test_no_more_processes(void)
{
    int status = 0;
    pid_t pid = fork();

    if (pid == 0) { /* a limit of our own cannot be lifted again: try it in a process of its own */
        struct run r;
        struct strv argv;
        struct err e = {0};
        run_init(&r);
        strv_init(&argv);
        strv_add(&argv, "/bin/true");
        int first = dup(0), fd = first;
        while (fd >= 0)
            fd = dup(0);
        int rc = child_start(&r.child, r.loop, "/bin/true", &argv, NULL, 0, &events, &r, &e);
        _exit(rc == -EMFILE && strstr(e.text, "ulimit -n") ? 0 : 1);
    }
    waitpid(pid, &status, 0);
    tap_int(status, 0, "no descriptor left: a sentence, not an exit");
}

/* A grandchild in another group cannot be killed with the child, and holds its output for ever. */
static void test_grandchild(void)
{
    static const struct {
        const char *script;
        bool cut;
    } rows[] = {
        {"echo $$; sleep 60 & exit 6", false}, /* same group: killed, so the file ends */
        {"setsid sleep 60 & echo $!; exec sleep 0.1", true},
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        struct run r;
        run_init(&r);
        int64_t began = clock_ns();
        run_start(&r, "/bin/sh", NULL, 0, "-c", rows[i].script, NULL);
        run_wait(&r);
        tap_int(r.ends, 1, "a grandchild holds the output: it ends all the same (row %zu)", i);
        tap_int(r.cut, rows[i].cut, "and says when it was cut (row %zu)", i);
        tap_ok(r.ended_ns - began >= 2 * SECOND, "not before the grace is over (row %zu)", i);
        if (rows[i].cut && atoi(r.out) > 1)
            kill(atoi(r.out), SIGKILL);
        run_done(&r);
    }
}

static bool gone(pid_t pid)
{
    return kill(pid, 0) < 0 && errno == ESRCH;
}

static void test_free(void)
{
    struct run r;
    pid_t pid;

    run_init(&r);
    run_start(&r, "/bin/sh", NULL, 0, "-c", "trap '' TERM; sleep 60", NULL);
    pid = child_pid(r.child);
    child_free(r.child);
    r.child = NULL;
    tap_ok(gone(pid), "free kills and reaps");
    tap_int(r.ends, 0, "without a callback");

    r.free_at_output = true;
    run_start(&r, "/bin/sh", NULL, 0, "-c", "echo x; sleep 60", NULL);
    pid = child_pid(r.child);
    run_wait(&r);
    tap_ok(gone(pid) && r.ends == 0, "free from the output callback");

    r.free_at_output = false;
    r.free_at_end = true;
    run_start(&r, "/bin/true", NULL, 0, NULL);
    run_wait(&r);
    tap_int(r.ends, 1, "free from the end callback");
    run_done(&r);
}

static void test_signal_group(void)
{
    struct run r;

    run_init(&r);
    run_start(&r, "/bin/sh", NULL, 0, "-c", "sleep 60 & echo $!; wait", NULL);
    while (!strchr(r.out, '\n') && !r.timed_out) {
        loop_timer_at(r.deadline, clock_ns() + SECOND / 200);
        loop_run(r.loop, NULL, NULL);
        r.timed_out = false;
    }
    child_signal(r.child, SIGTERM);
    run_wait(&r);
    tap_ok(WIFSIGNALED(r.status) && WTERMSIG(r.status) == SIGTERM, "a signal reaches the child");
    tap_ok(!r.cut, "and its whole group, so the output ends at once");
    run_done(&r);
}

/* libpipeline's wait for one child takes the status of all: nobody's end may be lost for it. */
static void test_many(void)
{
    struct loop *l = loop_new();
    struct run r[12];
    struct signals *s = signals_new(l, NULL, NULL);
    char script[64];
    int ended = 0;

    memset(r, 0, sizeof(r));
    for (size_t i = 0; i < COUNT(r); i++) {
        r[i].loop = l;
        snprintf(script, sizeof(script), "exit %zu", i);
        run_start(&r[i], "/bin/sh", NULL, 0, "-c", script, NULL);
    }
    struct run clock = {.loop = l};
    clock.deadline = loop_timer_new(l, on_deadline, &clock);
    loop_timer_at(clock.deadline, clock_ns() + 20 * SECOND);
    while (ended < (int)COUNT(r) && !clock.timed_out) {
        loop_run(l, NULL, NULL);
        ended = 0;
        for (size_t i = 0; i < COUNT(r); i++)
            ended += r[i].ends;
    }
    for (size_t i = 0; i < COUNT(r); i++) {
        tap_int(r[i].status, (int)i << 8, "child %zu of many has its own status", i);
        child_free(r[i].child);
    }
    loop_timer_free(clock.deadline);
    signals_free(s);
    loop_free(l);
}

/* A process that starts a child and is then killed: the child must go too. */
static void test_we_are_killed(void)
{
    int report[2], status;
    pid_t pid, child = 0;

    if (pipe(report))
        return;
    pid = fork();
    if (pid == 0) {
        struct run r;
        run_init(&r);
        run_start(&r, "/bin/sh", NULL, 0, "-c", "trap '' HUP INT TERM PIPE; sleep 60", NULL);
        child = child_pid(r.child);
        if (write(report[1], &child, sizeof(child)) < 0)
            _exit(1);
        loop_run(r.loop, NULL, NULL);
        _exit(0);
    }
    close(report[1]);
    tap_int(read(report[0], &child, sizeof(child)), sizeof(child), "a child of a child runs");
    kill(pid, SIGKILL);
    waitpid(pid, &status, 0);
    /* We are no subreaper: init or a container's first process reaps it, perhaps never. */
    bool dead = false;
    char path[64], state[512];
    struct pollfd none = {.fd = -1};
    int64_t deadline = clock_ns() + 5 * SECOND;
    snprintf(path, sizeof(path), "/proc/%d/stat", child);
    while (!dead && clock_ns() < deadline) {
        FILE *f = fopen(path, "re");
        dead = !f || !fgets(state, sizeof(state), f) || strstr(state, ") Z");
        if (f)
            fclose(f);
        poll(&none, 1, 1);
    }
    tap_ok(dead, "killed with SIGKILL, we take our child with us");
    close(report[0]);
}

static void test_find(void)
{
    char dir[] = "/tmp/sthd-find-XXXXXX", path[128], sub[128];
    char *old = mem_strdup(getenv("PATH") ? getenv("PATH") : "");

    if (!mkdtemp(dir))
        return;
    snprintf(path, sizeof(path), "%s/sthd-tool", dir);
    snprintf(sub, sizeof(sub), "%s/sh", dir);
    close(open(path, O_WRONLY | O_CREAT, 0755));
    mkdir(sub, 0755);
    char *env = mem_printf("::relative:%s", dir);
    setenv("PATH", env, 1);
    static const struct {
        const char *name;
        int where; /* 0 nowhere, 1 in dir, 2 in the standard places */
    } rows[] = {{"sthd-tool", 1}, {"sh", 2}, {"sthd-no-such-tool", 0}, {"/bin/sh", 2}, {"/bin", 0}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        char *found = child_find_program(rows[i].name);
        int where = !found ? 0 : strncmp(found, dir, strlen(dir)) == 0 ? 1 : 2;
        tap_int(where, rows[i].where, "find %s: %s", rows[i].name, found ? found : "no");
        free(found);
    }
    unsetenv("PATH");
    char *found = child_find_program("sh");
    tap_ok(found != NULL, "without PATH the standard places are left");
    free(found);
    setenv("PATH", old, 1);
    free(old);
    free(env);
    unlink(path);
    rmdir(sub);
    rmdir(dir);
}

int main(int argc, char **argv)
{
    if (argc > 2 && strcmp(argv[1], "--child") == 0)
        return child_main(argc - 2, argv + 2);
    signals_block();
    test_find();
    test_endings();
    test_interrupts();
    test_pending_interrupt();
    test_inheritance();
    test_flood();
    test_start_failures();
    test_no_more_processes();
    test_free();
    test_signal_group();
    test_many();
    test_we_are_killed();
    test_grandchild();
    return tap_done();
}
