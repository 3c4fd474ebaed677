/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One step of a plan against the fake fio in all its moods, and against the real one: what is told
 * of it, and that it ends.
 */
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
    struct signals *signals;
    struct loop_timer *deadline;
    struct fio_run *run;
    unsigned reports, ends;
    size_t raw[2];
    struct fio_result result; /* last is a dangling pointer after the end */
    bool have_last, timed_out;
    uint64_t last_ios;
    char last_version[32];
    /* what to do, when so many reports have come */
    unsigned stop_at, stop_again_at, poke_at, free_at, signal_at;
    int signo;
    int64_t stopped_ns, ended_ns;
};

static void on_report(void *arg, const struct report *r, int64_t arrival_ns)
{
    struct play *p = arg;

    p->reports++;
    if (r->n_jobs == 0 || arrival_ns <= 0)
        tap_ok(false, "a report has jobs and an arrival time");
    if (p->reports == p->signal_at)
        kill(fio_run_pid(p->run), p->signo);
    if (p->reports == p->stop_at) {
        p->stopped_ns = clock_ns();
        fio_run_stop(p->run);
    }
    if (p->reports == p->stop_again_at)
        fio_run_stop(p->run);
    if (p->reports == p->poke_at)
        fio_run_poke(p->run);
    if (p->reports == p->free_at) {
        fio_run_free(p->run);
        p->run = NULL;
        loop_quit(p->loop);
    }
}

static void on_raw(void *arg, enum child_stream s, const char *bytes, size_t len)
{
    struct play *p = arg;

    (void)bytes;
    p->raw[s] += len;
}

static void on_end(void *arg, const struct fio_result *result)
{
    struct play *p = arg;

    p->ends++;
    p->ended_ns = clock_ns();
    p->result = *result;
    p->have_last = result->last != NULL;
    if (result->last && result->last->n_jobs) {
        p->last_ios = result->last->jobs[0].read.ios;
        snprintf(p->last_version, sizeof(p->last_version), "%s", result->last->fio_version);
    }
    fio_run_free(p->run);
    p->run = NULL;
    loop_quit(p->loop);
}

static void on_deadline(void *arg, int64_t now)
{
    struct play *p = arg;

    (void)now;
    p->timed_out = true;
    loop_quit(p->loop);
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
                         .size_bytes = 4 << 20,
                         .runtime_s = runtime_s};
}

static void play_init(struct play *p)
{
    *p = (struct play){.loop = loop_new()};
    p->signals = signals_new(p->loop, NULL, NULL);
    p->deadline = loop_timer_new(p->loop, on_deadline, p);
}

static void play_done(struct play *p)
{
    fio_run_free(p->run);
    loop_timer_free(p->deadline);
    signals_free(p->signals);
    loop_free(p->loop);
}

static void play(struct play *p, const char *program, const struct step *step, int fd,
                 uint32_t grace_s, unsigned interval_ms)
{
    static const struct fio_run_events events = {on_report, on_raw, on_end};
    struct settings s;
    struct err e;

    settings_init(&s);
    s.interval_ms = interval_ms;
    const struct fio_run_spec spec = {program, step, &s, fd, grace_s};
    if (fio_run_start(&p->run, p->loop, &spec, &events, p, &e) < 0) {
        tap_ok(false, "starts: %s", e.text);
    } else {
        loop_timer_at(p->deadline, clock_ns() + 40 * SECOND);
        loop_run(p->loop, NULL, NULL);
        if (p->timed_out)
            tap_ok(false, "ends within 40 s");
    }
    settings_done(&s);
}

static char *fake_path(void)
{
    const char *dir = getenv("STHD_BUILDDIR");

    return mem_printf("%s/tests/lib/fake-fio", dir ? dir : ".");
}

static void test_moods(int fd)
{
    static const struct {
        const char *fake;
        enum fio_end end;
        const char *why; /* part of it */
        unsigned min_reports;
        bool last;
    } rows[] = {
        {"", FIO_END_OK, "", 9, true},
        {"do=half;at=3", FIO_END_OK, "", 8, true},
        {"do=garbage;at=2", FIO_END_OK, "", 8, true},
        {"do=flood;mib=8;at=1", FIO_END_OK, "", 2, true},
        {"stuck=600", FIO_END_OK, "", 2, true},
        {"do=cut;at=3", FIO_END_FAILED, "last report arrived damaged", 3, true},
        {"do=cut;exit=1", FIO_END_FAILED, "exit code 1", 0, false},
        {"do=exit;exit=0", FIO_END_FAILED, "no report at all", 0, false},
        {"do=exit;exit=3;at=2", FIO_END_FAILED, "exit code 3", 2, true},
        {"do=exit;exit=128;at=2", FIO_END_KILLED, "from outside", 2, true},
        {"no-report", FIO_END_FAILED, "no report at all", 0, false},
        {"no-report;stderr=what?", FIO_END_FAILED, "1 lines of text", 0, false},
        {"do=die;at=2", FIO_END_KILLED, "signal 9", 2, true},
        {"do=die;at=2;signal=1", FIO_END_KILLED, "signal 1", 2, true},
        {"do=die;at=2;signal=11", FIO_END_FAILED, "crashed (signal 11", 2, true},
        {"do=die;signal=31", FIO_END_FAILED, "security policy", 0, false},
        {"abort;stderr=free(): double free detected in tcache 2", FIO_END_OK, "", 9, true},
        {"abort;stderr=fio: pid=7, got signal=9", FIO_END_FAILED, "worker of fio was killed", 9,
         true},
        {"stderr=fio: pid=7, got signal=9", FIO_END_FAILED, "worker of fio was killed", 9, true},
        {"abort", FIO_END_FAILED, "crashed (signal 6", 9, true},
        {"stderr=fio seems to be stuck grabbing stat_sem, forcibly exiting;exit=16", FIO_END_FAILED,
         "could not be passed on in time", 9, true},
        {"error=28", FIO_END_FAILED, "ran full", 9, true},
        {"error=5", FIO_END_FAILED, "I/O error", 9, true},
        {"error=30", FIO_END_FAILED, "read-only", 9, true},
        {"error=11", FIO_END_FAILED, "ulimit -u", 9, true},
        {"error=116", FIO_END_FAILED, "went away", 9, true},
        {"error=17", FIO_END_FAILED, "errno 17", 9, true},
        {"no-report;error=28", FIO_END_FAILED, "ran full", 0, false},
        {"engines=libaio", FIO_END_FAILED, "without the engine sync", 0, false},
        {"refuse=sync", FIO_END_FAILED, "not permitted", 1, true},
        {"no-report;exit=1;stderr=/usr/bin/fio: unrecognized option '--nosuchopt=1'",
         FIO_END_FAILED, "does not understand '--nosuchopt=1'", 0, false},
        {"no-report;exit=1;stderr=fio: failed parsing size=abc", FIO_END_FAILED,
         "does not understand size=abc", 0, false},
        {"no-report;exit=1;stderr=fio: size too small", FIO_END_FAILED, "fio: size too small", 0,
         false},
        {"rate=0", FIO_END_FAILED, "single I/O", 9, true},
        {"do=orphan;at=2", FIO_END_OK, "", 2, true},
    };
    char *fake = fake_path();
    const struct step step = step_of(ENGINE_SYNC, 1);

    for (size_t i = 0; i < COUNT(rows); i++) {
        struct play p;
        setenv("FAKE_FIO", rows[i].fake, 1);
        play_init(&p);
        play(&p, fake, &step, fd, 0, 100);
        tap_int(p.result.end, rows[i].end, "end of \"%s\": %s", rows[i].fake, p.result.why);
        tap_ok(p.ends == 1 && strstr(p.result.why, rows[i].why) &&
                   (rows[i].end == FIO_END_OK) == (p.result.why[0] == '\0'),
               "sentence of \"%s\": %s", rows[i].fake, p.result.why);
        tap_ok(p.reports >= rows[i].min_reports && p.reports == p.result.documents,
               "reports of \"%s\": %u", rows[i].fake, p.reports);
        tap_int(p.have_last, rows[i].last, "last report of \"%s\"", rows[i].fake);
        play_done(&p);
    }
    free(fake);
}

static void test_raw_and_counts(int fd)
{
    char *fake = fake_path();
    const struct step step = step_of(ENGINE_SYNC, 1);
    struct play p;

    setenv("FAKE_FIO", "do=flood;mib=4;at=1", 1);
    play_init(&p);
    play(&p, fake, &step, fd, 0, 100);
    tap_ok(p.raw[CHILD_STDOUT] > 4 << 20 && p.raw[CHILD_STDERR] == 4 << 20,
           "everything goes to the raw pane too");
    tap_int(p.result.notes, 2 * (4 << 20) / 64, "each line of text is a note");
    play_done(&p);

    setenv("FAKE_FIO", "do=half;at=3", 1);
    play_init(&p);
    play(&p, fake, &step, fd, 0, 100);
    tap_int(p.result.lost, 1, "a report cut in half is counted as lost");
    tap_str(p.last_version, "fio-3.33", "the last report is kept for the result");
    play_done(&p);
    free(fake);
}

static void test_stopping(int fd)
{
    static const struct {
        const char *fake;
        unsigned stop_at, again_at;
        enum fio_end end;
        const char *why;
        double min_s, max_s; /* from the first stop to the end */
    } rows[] = {
        {"", 2, 0, FIO_END_STOPPED, "Stopped", 0, 5},
        {"term=700", 2, 0, FIO_END_STOPPED, "Stopped", 0.7, 8},
        {"ignore-term", 2, 4, FIO_END_KILLED, "as you asked", 0, 8},
        {"ignore-term", 2, 0, FIO_END_KILLED, "within 15 s", 15, 25},
        {"do=silent;at=2;stuck=0", 2, 0, FIO_END_STOPPED, "Stopped", 0, 5},
        {"error=28", 2, 0, FIO_END_STOPPED, "Stopped", 0, 5},
    };
    char *fake = fake_path();

    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct step step = step_of(ENGINE_SYNC, 60);
        struct play p;
        setenv("FAKE_FIO", rows[i].fake, 1);
        play_init(&p);
        p.stop_at = rows[i].stop_at;
        p.stop_again_at = rows[i].again_at;
        play(&p, fake, &step, fd, 0, 100);
        double s = (double)(p.ended_ns - p.stopped_ns) / 1e9;
        tap_int(p.result.end, rows[i].end, "stop \"%s\": %s", rows[i].fake, p.result.why);
        tap_ok(strstr(p.result.why, rows[i].why) != NULL, "says %s", rows[i].why);
        tap_ok(s >= rows[i].min_s && s <= rows[i].max_s, "after %.2f s", s);
        tap_ok(p.have_last, "the last report is kept");
        play_done(&p);
    }

    /* a stopped process has to be woken to hear that it should end */
    const struct step step = step_of(ENGINE_SYNC, 60);
    struct play p;
    setenv("FAKE_FIO", "", 1);
    play_init(&p);
    p.signal_at = p.stop_at = 2;
    p.signo = SIGSTOP;
    play(&p, fake, &step, fd, 0, 100);
    tap_int(p.result.end, FIO_END_STOPPED, "one that is suspended can be stopped");
    play_done(&p);
    free(fake);
}

static void test_watchdog(int fd)
{
    static const struct {
        const char *fake;
        enum fio_end end;
        const char *why;
    } rows[] = {
        {"boot=60000", FIO_END_FAILED, "1 s after its planned end and was stopped"},
        {"do=silent;boot=60000", FIO_END_FAILED, "1 s after its planned end and was stopped"},
    };
    char *fake = fake_path();

    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct step step = step_of(ENGINE_SYNC, 1);
        struct play p;
        setenv("FAKE_FIO", rows[i].fake, 1);
        play_init(&p);
        play(&p, fake, &step, fd, 1, 100);
        tap_int(p.result.end, rows[i].end, "overdue \"%s\"", rows[i].fake);
        tap_ok(strstr(p.result.why, rows[i].why) != NULL, "says %s", p.result.why);
        play_done(&p);
    }
    free(fake);
}

static void test_poke_and_free(int fd)
{
    char *fake = fake_path();
    struct step step = step_of(ENGINE_SYNC, 2);
    struct play p;

    setenv("FAKE_FIO", "", 1);
    play_init(&p);
    p.poke_at = 1;
    play(&p, fake, &step, fd, 0, 800);
    /* at 0.8 s, the poked one at once, at 1.6 s, the last at 2 s */
    tap_ok(p.result.end == FIO_END_OK && p.reports == 4, "a poke brings one report more (%u)",
           p.reports);
    play_done(&p);

    step.runtime_s = 60;
    play_init(&p);
    p.free_at = 2;
    play(&p, fake, &step, fd, 0, 100);
    tap_ok(p.ends == 0 && p.reports == 2, "freed from a report: nothing comes afterwards");
    int status;
    tap_ok(waitpid(-1, &status, WNOHANG) < 0 && errno == ECHILD, "and no process is left");
    play_done(&p);

    play_init(&p);
    struct settings s;
    struct err e = {0};
    static const struct fio_run_events events = {on_report, on_raw, on_end};
    settings_init(&s);
    const struct fio_run_spec spec = {fake, &step, &s, fd, 0};
    if (fio_run_start(&p.run, p.loop, &spec, &events, &p, &e) == 0) {
        fio_run_poke(p.run); /* fio without its handler would die of it */
        const struct strv *argv = fio_run_argv(p.run);
        tap_ok(argv->n > 5 && strcmp(argv->items[0], fake) == 0, "the command line can be shown");
        fio_run_free(p.run);
        p.run = NULL;
    }
    const struct fio_run_spec nothing = {"/nonexistent/fio", &step, &s, fd, 0};
    tap_int(fio_run_start(&p.run, p.loop, &nothing, &events, &p, &e), -ENOENT, "no such fio");
    tap_ok(strstr(e.text, "/nonexistent/fio") && e.exit_code == EXIT_CODE_FIO, "says: %s", e.text);
    settings_done(&s);
    play_done(&p);
    free(fake);
}

static void test_real(void)
{
    static const struct {
        enum step_kind kind;
        enum direction direction;
        enum engine engine;
        uint32_t runtime_s;
    } rows[] = {
        {STEP_PREPARE, DIRECTION_WRITE, ENGINE_PSYNC, 0},
        {STEP_MEASURE, DIRECTION_READ, ENGINE_PSYNC, 1},
    };
    char dir[] = "/tmp/sthd-run-XXXXXX";
    char *fio = child_find_program("fio");
    struct bench_file *f = NULL;
    struct err e;

    if (!fio) {
        tap_skip("no fio on this machine", "the real fio");
        return;
    }
    if (!mkdtemp(dir) || bench_file_create(&f, dir, 4 << 20, &e) < 0) {
        tap_ok(false, "a bench file");
        free(fio);
        return;
    }
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct step step = step_of(rows[i].engine, rows[i].runtime_s);
        struct play p;
        step.kind = rows[i].kind;
        step.direction = rows[i].direction;
        play_init(&p);
        play(&p, fio, &step, bench_file_fd(f), 0, 250);
        tap_int(p.result.end, FIO_END_OK, "the real fio, row %zu: %s", i, p.result.why);
        tap_ok(p.have_last && p.reports >= 1, "it reports (%u)", p.reports);
        if (rows[i].kind == STEP_MEASURE)
            tap_ok(p.last_ios > 0, "it did %llu I/Os", (unsigned long long)p.last_ios);
        play_done(&p);
    }
    bench_file_free(f);
    tap_int(rmdir(dir), 0, "nothing is left in the directory");
    free(fio);
}

/* ---- version ---- */

struct asked {
    struct loop *loop;
    struct fio_version_check *check;
    char text[600];
    bool ok;
    int answers;
};

static void on_version(void *arg, const char *version, const struct err *e)
{
    struct asked *a = arg;

    a->answers++;
    a->ok = version != NULL;
    snprintf(a->text, sizeof(a->text), "%s", version ? version : e->text);
    fio_version_check_free(a->check);
    loop_quit(a->loop);
}

static void test_version(void)
{
    char *fake = fake_path();
    const struct {
        const char *program, *fake, *says;
        bool ok;
    } rows[] = {
        {fake, "version=fio-3.42-12-gabc", "fio-3.42-12-gabc", true},
        {fake, "version=fio-2.1", "too old", false},
        {fake, "version=Flexible Ice Orders 1.0", "not the I/O tester", false},
        {fake, "version=", "not the I/O tester", false},
        {"/bin/false", "", "not the I/O tester", false},
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        struct asked a = {.loop = loop_new()};
        struct signals *s = signals_new(a.loop, NULL, NULL);
        struct err e;
        setenv("FAKE_FIO", rows[i].fake, 1);
        if (fio_version_check_start(&a.check, a.loop, rows[i].program, on_version, &a, &e) == 0)
            loop_run(a.loop, NULL, NULL);
        tap_ok(a.answers == 1 && a.ok == rows[i].ok && strstr(a.text, rows[i].says),
               "version \"%s\": %s", rows[i].fake, a.text);
        signals_free(s);
        loop_free(a.loop);
    }
    free(fake);
}

int main(void)
{
    int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);

    signals_block();
    test_version();
    test_moods(fd);
    test_raw_and_counts(fd);
    test_poke_and_free(fd);
    test_watchdog(fd);
    test_stopping(fd);
    unsetenv("FAKE_FIO");
    test_real();
    close(fd);
    return tap_done();
}
