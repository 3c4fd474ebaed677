/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Faults as they happen: every recorded failure of seven versions of fio through the engine room,
 * and the real fio with somebody killed or suspended in the middle.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sthd/bench_file.h"
#include "sthd/fio_run.h"
#include "sthd/mem.h"
#include "sthd/signals.h"
#include "tap.h"

#define SECOND   1000000000LL
#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

struct play {
    struct loop *loop;
    struct fio_run *run;
    struct fio_result result;
    unsigned reports;
    bool have_last, timed_out;
    uint64_t last_runtime_ms;
    int tell; /* after tell_at reports, fio's pid is written here */
    unsigned tell_at, kill_at;
};

static void on_report(void *arg, const struct report *r, int64_t arrival_ns)
{
    struct play *p = arg;
    pid_t pid = fio_run_pid(p->run);

    (void)r;
    (void)arrival_ns;
    p->reports++;
    if (p->reports == p->kill_at)
        kill(pid, SIGKILL);
    if (p->reports == p->tell_at && write(p->tell, &pid, sizeof(pid)) < 0)
        _exit(3);
}

static void on_end(void *arg, const struct fio_result *result)
{
    struct play *p = arg;

    p->result = *result;
    p->have_last = result->last != NULL;
    if (result->last && result->last->n_jobs)
        p->last_runtime_ms = result->last->jobs[0].read.runtime_ms;
    loop_quit(p->loop);
}

static void on_deadline(void *arg, int64_t now)
{
    struct play *p = arg;

    (void)now;
    p->timed_out = true;
    loop_quit(p->loop);
}

/* Plays one run to its end; false if it could not be started. */
static bool play(struct play *p, const char *program, const struct step *step, int fd)
{
    static const struct fio_run_events events = {on_report, NULL, on_end};
    struct settings settings;
    struct err e;

    p->loop = loop_new();
    struct signals *s = signals_new(p->loop, NULL, NULL);
    struct loop_timer *t = loop_timer_new(p->loop, on_deadline, p);
    loop_timer_at(t, clock_ns() + 40 * SECOND);
    settings_init(&settings);
    settings.interval_ms = 100;
    const struct fio_run_spec spec = {program, step, &settings, fd, 0};
    bool ok = fio_run_start(&p->run, p->loop, &spec, &events, p, &e) == 0;
    if (ok)
        loop_run(p->loop, NULL, NULL);
    else
        tap_note("%s", e.text);
    fio_run_free(p->run);
    settings_done(&settings);
    loop_timer_free(t);
    signals_free(s);
    loop_free(p->loop);
    return ok && !p->timed_out;
}

static struct step step_of(enum engine engine, uint32_t runtime_s)
{
    return (struct step){.kind = STEP_MEASURE,
                         .direction = DIRECTION_READ,
                         .pattern = PATTERN_RND,
                         .block_bytes = 4096,
                         .queue_depth = 1,
                         .threads = 1,
                         .engine = engine,
                         .direct = true,
                         .size_bytes = 4 << 20,
                         .runtime_s = runtime_s};
}

/* ---- recorded -------------------------------------------------------------------------------- */

static void test_recorded(int fd)
{
    static const char *const versions[] = {"2.21", "3.1", "3.16", "3.25", "3.28", "3.33", "3.42"};
    static const struct {
        const char *name, *only; /* only: one version */
        enum engine engine;
        enum fio_end end;
        const char *why;
        bool last;
    } rows[] = {
        {"slog_j4.json", NULL, ENGINE_PSYNC, FIO_END_OK, "", true},
        {"seqread_q8.jsonplus", NULL, ENGINE_LIBAIO, FIO_END_OK, "", true},
        {"stonewall", NULL, ENGINE_LIBAIO, FIO_END_OK, "", true},
        {"terse_json", NULL, ENGINE_LIBAIO, FIO_END_OK, "", true},
        {"sigkill_worker", NULL, ENGINE_LIBAIO, FIO_END_FAILED, "worker of fio was killed", true},
        {"sigkill_parent", NULL, ENGINE_LIBAIO, FIO_END_KILLED, "signal 9", true},
        {"sighup", NULL, ENGINE_LIBAIO, FIO_END_KILLED, "signal 1", true},
        {"sigterm", NULL, ENGINE_LIBAIO, FIO_END_KILLED, "asked to stop from outside", true},
        {"enospc_run", NULL, ENGINE_LIBAIO, FIO_END_FAILED, "ran full", true},
        {"enospc_run_j4", NULL, ENGINE_LIBAIO, FIO_END_FAILED, "ran full", true},
        {"enospc_layout", NULL, ENGINE_LIBAIO, FIO_END_FAILED, "ran full", true},
        {"badengine", NULL, ENGINE_LIBAIO, FIO_END_FAILED, "without the engine nosuchengine",
         false},
        {"badoption", NULL, ENGINE_LIBAIO, FIO_END_FAILED, "not understand '--nosuchopt=1'", false},
        {"badvalue", NULL, ENGINE_LIBAIO, FIO_END_FAILED, "not understand ", false},
        {"size_lt_bs", NULL, ENGINE_LIBAIO, FIO_END_FAILED, "exit code 1): fio: size too small",
         false},
        {"bs_unaligned_direct", NULL, ENGINE_LIBAIO, FIO_END_FAILED, "refused direct I/O", true},
        {"rodir_existing", NULL, ENGINE_LIBAIO, FIO_END_FAILED, "read-only", true},
        {"stdout_closed", NULL, ENGINE_LIBAIO, FIO_END_FAILED, "no report at all", false},
        {"fn_newline", NULL, ENGINE_LIBAIO, FIO_END_OK, "", true},
        {"engine_unavail_io_uring", "3.1", ENGINE_IO_URING, FIO_END_FAILED,
         "without the engine io_uring", false},
        {"io_uring_EPERM", "3.33", ENGINE_IO_URING, FIO_END_FAILED, "io_uring is not permitted",
         true},
        {"io_uring_ENOSYS", "3.33", ENGINE_IO_URING, FIO_END_FAILED,
         "does not know the system calls", true},
    };
    const char *build = getenv("STHD_BUILDDIR"), *fixtures = getenv("STHD_FIXTURES");
    char *fake = mem_printf("%s/tests/lib/fake-fio", build ? build : ".");

    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct step step = step_of(rows[i].engine, 2);
        for (size_t v = 0; v < COUNT(versions); v++) {
            if (rows[i].only && strcmp(rows[i].only, versions[v]) != 0)
                continue;
            struct play p = {0};
            char *env = mem_printf("replay=%s/fio/%s/%s", fixtures ? fixtures : "", versions[v],
                                   rows[i].name);
            setenv("FAKE_FIO", env, 1);
            free(env);
            tap_ok(play(&p, fake, &step, fd), "plays %s %s", versions[v], rows[i].name);
            tap_int(p.result.end, rows[i].end, "%s %s", versions[v], rows[i].name);
            tap_ok(strstr(p.result.why, rows[i].why) &&
                       (p.result.why[0] == '\0') == (rows[i].end == FIO_END_OK),
                   "%s %s: %s", versions[v], rows[i].name, p.result.why);
            tap_int(p.have_last, rows[i].last, "%s %s: a last report (of %u)", versions[v],
                    rows[i].name, p.reports);
        }
    }
    unsetenv("FAKE_FIO");
    free(fake);
}

/* ---- real ------------------------------------------------------------------------------------ */

static bool soon(bool (*is)(const void *), const void *arg)
{
    struct pollfd none = {.fd = -1};
    int64_t deadline = clock_ns() + 20 * SECOND;

    while (!is(arg)) {
        if (clock_ns() > deadline)
            return false;
        poll(&none, 1, 2);
    }
    return true;
}

/* No such process, or one that only waits for its parent. */
static bool is_over(const void *pid)
{
    char path[64], text[512];

    snprintf(path, sizeof(path), "/proc/%d/stat", *(const pid_t *)pid);
    FILE *f = fopen(path, "re");
    bool over = !f || !fgets(text, sizeof(text), f) || strstr(text, ") Z") || strstr(text, ") X");
    if (f)
        fclose(f);
    return over;
}

static int entries(const char *dir)
{
    DIR *d = opendir(dir);
    int n = -2;

    if (!d)
        return -1;
    while (readdir(d))
        n++;
    closedir(d);
    return n;
}

/* A runner: a process that plays the program. Returns its pid; *fio: fio's, once it reports. */
static pid_t runner_start(const char *fio, const char *dir, uint32_t runtime_s, pid_t *fio_pid)
{
    int tell[2];

    *fio_pid = 0;
    if (pipe(tell))
        return -1;
    fflush(stdout);
    pid_t pid = fork();
    if (pid == 0) {
        const struct step step = step_of(ENGINE_PSYNC, runtime_s);
        struct play p = {.tell = tell[1], .tell_at = 2};
        struct bench_file *f;
        struct err e;
        close(tell[0]);
        if (bench_file_create(&f, dir, 4 << 20, &e) < 0)
            _exit(4);
        if (!play(&p, fio, &step, bench_file_fd(f)))
            _exit(5);
        bench_file_free(f);
        _exit(p.result.end == FIO_END_OK && p.last_runtime_ms >= runtime_s * 1000u ? 0 : 6);
    }
    close(tell[1]);
    if (read(tell[0], fio_pid, sizeof(*fio_pid)) != sizeof(*fio_pid))
        tap_ok(false, "fio reports in the runner");
    close(tell[0]);
    return pid;
}

static void test_we_are_killed(const char *fio, const char *dir)
{
    int status;
    pid_t fio_pid, pid = runner_start(fio, dir, 60, &fio_pid);

    if (fio_pid <= 0)
        return;
    tap_int(entries(dir), 0, "nothing is to be seen in the directory while it runs");
    kill(pid, SIGKILL);
    waitpid(pid, &status, 0);
    tap_ok(soon(is_over, &fio_pid), "SIGKILL of us takes fio along");
    tap_int(entries(dir), 0, "and leaves nothing in the directory");
}

/* Suspended (Ctrl-Z of a shell above, a debugger): the pipes must hold what comes meanwhile. */
static void test_we_are_suspended(const char *fio, const char *dir)
{
    int status = -1;
    pid_t fio_pid, pid = runner_start(fio, dir, 2, &fio_pid);

    if (fio_pid <= 0)
        return;
    kill(pid, SIGSTOP);
    tap_ok(soon(is_over, &fio_pid), "fio goes on and ends while we are suspended");
    kill(pid, SIGCONT);
    waitpid(pid, &status, 0);
    tap_int(status, 0, "woken up, we have its figures, whole");
}

static void test_fio_is_killed(const char *fio, const char *dir)
{
    const struct step step = step_of(ENGINE_PSYNC, 60);
    struct play p = {.kill_at = 2};
    struct bench_file *f;
    struct err e;

    if (bench_file_create(&f, dir, 4 << 20, &e) < 0) {
        tap_ok(false, "a bench file: %s", e.text);
        return;
    }
    tap_ok(play(&p, fio, &step, bench_file_fd(f)), "plays");
    tap_int(p.result.end, FIO_END_KILLED, "SIGKILL of fio: %s", p.result.why);
    tap_ok(p.have_last && p.result.documents >= 2, "its last report is kept");
    bench_file_free(f);
    tap_int(entries(dir), 0, "nothing is left in the directory");
}

int main(void)
{
    int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
    char dir[] = "/tmp/sthd-fault-XXXXXX";
    char *fio = child_find_program("fio");

    signals_block();
    if (fd < 0 || !mkdtemp(dir))
        return 1;
    test_recorded(fd);
    if (fio) {
        test_we_are_killed(fio, dir);
        test_we_are_suspended(fio, dir);
        test_fio_is_killed(fio, dir);
    } else {
        tap_skip("no fio on this machine", "the real fio");
    }
    rmdir(dir);
    close(fd);
    free(fio);
    return tap_done();
}
