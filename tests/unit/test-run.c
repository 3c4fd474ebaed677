/* SPDX-License-Identifier: GPL-3.0-or-later */
/* the model of a run: reports and time in, cells, states and sentences out */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fake-report.h"
#include "sthd/mem.h"
#include "sthd/run.h"
#include "tap.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define MS       ((int64_t)1000000)
#define S        (1000 * MS)
#define T0       (5000 * S) /* a monotonic clock begins anywhere */
#define WALL     1700000000000

struct fixture {
    struct settings settings;
    struct plan plan;
    struct run run;
};

static void set_up(struct fixture *f, const char *profile, bool per_job)
{
    struct capability c;

    capability_init(&c);
    settings_init(&f->settings);
    f->settings.profile = profile_find(profile);
    f->settings.per_job = per_job;
    if (plan_build(&f->plan, &f->settings, &c, 500e6, NULL) != 0)
        abort();
    run_init(&f->run, &f->plan, T0);
}

static void tear_down(struct fixture *f)
{
    run_done(&f->run);
    plan_done(&f->plan);
    settings_done(&f->settings);
}

static struct report report_of(const struct step *s, const struct fake_job *jobs, size_t n,
                               int64_t at_ms)
{
    struct report r;

    report_init(&r);
    fake_report(&r, s->direction, s->block_bytes, jobs, n, WALL + at_ms);
    return r;
}

static void end_prepare(struct fixture *f, int64_t now_ns)
{
    struct fake_job job = {.ios = 1024,
                           .iops = 500,
                           .bw_bytes_per_s = 500e6,
                           .p50_ns = 1e6,
                           .p99_ns = 2e6,
                           .runtime_ms = 2000};
    struct report r = report_of(&f->plan.steps[0], &job, 1, 2000);

    run_step_begin(&f->run, 0, now_ns);
    run_step_end(&f->run, STEP_OK, &r, NULL, now_ns + 2 * S);
    report_done(&r);
}

static void test_start(void)
{
    struct fixture f;
    size_t waiting = 0, none = 0;

    set_up(&f, "slog", false);
    for (size_t t = 0; t < PROFILE_TESTS; t++)
        for (int d = 0; d < DIRECTION_COUNT; d++) {
            const struct cell *c = run_cell(&f.run, t, (enum direction)d);
            waiting += c->state == CELL_WAITING;
            none += c->state == CELL_NONE && isnan(c->mean.iops) && isnan(c->now.p99_ns);
        }
    tap_int((long long)waiting, 4, "slog: four cells wait");
    tap_int((long long)none, PROFILE_TESTS * DIRECTION_COUNT - 4, "the others are none, and empty");
    tap_int(f.run.state, RUN_READY, "ready");
    tap_ok(!run_current_cell(&f.run) && !run_current_step(&f.run), "nothing runs");
    tap_near(run_seconds_left(&f.run), f.plan.seconds, 1e-9, "all of the plan is left");
    tap_near(run_step_share(&f.run), 0, 0, "no share");
    tap_int(run_silence_s(&f.run), 0, "no silence before the start");
    tap_ok(f.run.generation > 0, "the first frame is due");
    struct fake_job job = {.ios = 10};
    struct report r = report_of(&f.plan.steps[1], &job, 1, 0);
    uint64_t before = f.run.generation;
    tap_ok(!run_apply(&f.run, &r, T0) && f.run.generation == before, "a stray report is ignored");
    report_done(&r);
    tear_down(&f);
}

/* Reports every 250 ms at a steady 1000 IOPS, then one interval at 2000. */
static void test_live(void)
{
    struct fixture f;
    int64_t begin = T0 + 3 * S;

    set_up(&f, "slog", false);
    end_prepare(&f, T0);
    run_step_begin(&f.run, 1, begin);
    struct cell *c = run_current_cell(&f.run);
    tap_ok(c && c == run_cell(&f.run, 0, DIRECTION_WRITE) && c->state == CELL_RUNNING,
           "T1 is running");
    const struct step *s = run_current_step(&f.run);
    uint64_t ios = 0;
    for (int i = 1; i <= 5; i++) {
        ios += i == 5 ? 500 : 250;
        struct fake_job job = {.ios = ios,
                               .iops = 7,
                               .bw_bytes_per_s = 7,
                               .p50_ns = 1e5,
                               .p99_ns = 2e5,
                               .runtime_ms = 250u * (unsigned)i};
        struct report r = report_of(s, &job, 1, 250 * i);
        uint64_t before = f.run.generation;
        bool moved = run_apply(&f.run, &r, begin + 200 * MS + 250 * i * MS);
        tap_ok(moved && f.run.generation == before + 1, "report %d moves a figure", i);
        tap_near(c->now.iops, i == 5 ? 2000 : 1000, 1, "interval %d: IOPS of the interval", i);
        tap_near(c->now.bytes_per_s, c->now.iops * 4096, 1, "interval %d: bytes", i);
        report_done(&r);
    }
    tap_near(c->mean.iops, 1500 / 1.25, 1, "beside it the running mean");
    tap_ok(c->n_samples == 5 && c->n_kept == 5, "five samples are kept");
    tap_near(c->samples[4].iops, 2000, 1, "the last is the newest");
    tap_str(f.run.fio_version, "fio-3.33", "fio's version is known");

    struct fake_job last = {.ios = 5000,
                            .iops = 1003.5,
                            .bw_bytes_per_s = 4110336,
                            .p50_ns = 99000,
                            .p99_ns = 210000,
                            .runtime_ms = 5000};
    struct report r = report_of(s, &last, 1, 5100);
    run_step_end(&f.run, STEP_OK, &r, NULL, begin + 5300 * MS);
    report_done(&r);
    tap_int(c->state, CELL_DONE, "done");
    tap_near(c->mean.iops, 1003.5, 0, "final IOPS are fio's own");
    tap_near(c->mean.bytes_per_s, 4110336, 0, "final bytes are fio's own");
    tap_ok(c->mean.p50_ns == 99000 && c->mean.p99_ns == 210000 && c->mean.max_ns == 420000,
           "final latencies are fio's own");
    tap_ok(isnan(c->now.iops) && isnan(c->now.p50_ns), "there is no now any more");
    tap_str(c->why, "", "nothing to say");
    tap_int(f.run.state, RUN_BETWEEN, "between steps");
    tap_ok(!run_current_cell(&f.run), "no current cell");
    tap_int((long long)c->spread.n_jobs, 0, "no spread without --per-job");
    tear_down(&f);
}

enum last_kind { LAST_NONE, LAST_ZERO, LAST_GOOD, LAST_ERROR };

static void test_outcomes(void)
{
    static const struct {
        const char *what;
        enum step_outcome outcome;
        enum last_kind last;
        const char *why;
        enum cell_state state;
        bool figures;
        const char *says;
        enum exit_code code; /* when the plan ends here */
    } rows[] = {
        {"good", STEP_OK, LAST_GOOD, NULL, CELL_DONE, true, "", EXIT_CODE_STOPPED},
        {"a warning", STEP_OK, LAST_GOOD, "a note", CELL_DONE, true, "a note", EXIT_CODE_STOPPED},
        {"no I/O", STEP_OK, LAST_ZERO, NULL, CELL_FAILED, false, "single I/O",
         EXIT_CODE_TEST_FAILED},
        {"no report", STEP_OK, LAST_NONE, NULL, CELL_FAILED, false, "without a report",
         EXIT_CODE_TEST_FAILED},
        {"a hidden error", STEP_OK, LAST_ERROR, NULL, CELL_FAILED, false, "error 28",
         EXIT_CODE_TEST_FAILED},
        {"failed", STEP_FAILED, LAST_GOOD, "the disk is full", CELL_FAILED, false,
         "the disk is full", EXIT_CODE_TEST_FAILED},
        {"failed, hostile words", STEP_FAILED, LAST_NONE, "bad \033[2J\nword", CELL_FAILED, false,
         "bad \\x1b[2J\\x0aword", EXIT_CODE_TEST_FAILED},
        {"failed, no words", STEP_FAILED, LAST_NONE, "", CELL_FAILED, false, "without saying why",
         EXIT_CODE_TEST_FAILED},
        {"stopped", STEP_STOPPED, LAST_GOOD, NULL, CELL_STOPPED, true, "stopped after 2 s",
         EXIT_CODE_STOPPED},
        {"stopped before I/O", STEP_STOPPED, LAST_ZERO, NULL, CELL_STOPPED, false, "before any I/O",
         EXIT_CODE_STOPPED},
        {"stopped, nothing known", STEP_STOPPED, LAST_NONE, NULL, CELL_STOPPED, false,
         "before any I/O", EXIT_CODE_STOPPED},
        {"stopped, with words", STEP_STOPPED, LAST_GOOD, "killed", CELL_STOPPED, true,
         "of the part that ran (killed)", EXIT_CODE_STOPPED},
        {"next", STEP_SKIPPED, LAST_GOOD, NULL, CELL_STOPPED, true, "left early after 2 s",
         EXIT_CODE_STOPPED},
        {"next at once", STEP_SKIPPED, LAST_NONE, NULL, CELL_SKIPPED, false, "skipped before",
         EXIT_CODE_STOPPED},
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        struct fixture f;
        struct fake_job job = {.ios = rows[i].last == LAST_ZERO ? 0 : 2000,
                               .iops = rows[i].last == LAST_ZERO ? 0 : 1000,
                               .bw_bytes_per_s = rows[i].last == LAST_ZERO ? 0 : 1048576000,
                               .p50_ns = 1e6,
                               .p99_ns = 2e6,
                               .runtime_ms = 2000,
                               .error = rows[i].last == LAST_ERROR ? 28 : 0};
        set_up(&f, "cdm", false);
        end_prepare(&f, T0);
        run_step_begin(&f.run, 1, T0 + 3 * S);
        struct report r = report_of(&f.plan.steps[1], &job, 1, 2000);
        if (rows[i].outcome == STEP_STOPPED || rows[i].outcome == STEP_SKIPPED)
            run_stopping(&f.run, T0 + 4 * S);
        run_step_end(&f.run, rows[i].outcome, rows[i].last == LAST_NONE ? NULL : &r, rows[i].why,
                     T0 + 5 * S);
        const struct cell *c = run_cell(&f.run, 0, DIRECTION_READ);
        tap_int(c->state, rows[i].state, "%s: state", rows[i].what);
        tap_int(!isnan(c->mean.iops) && !isnan(c->mean.bytes_per_s) && !isnan(c->mean.p99_ns),
                rows[i].figures, "%s: figures or none", rows[i].what);
        tap_ok(strstr(c->why, rows[i].says) && (rows[i].says[0] || !c->why[0]), "%s: says \"%s\"",
               rows[i].what, c->why);
        tap_int(f.run.failed, rows[i].state == CELL_FAILED, "%s: failures", rows[i].what);
        tap_ok(rows[i].state != CELL_FAILED || (strstr(f.run.message, "SEQ1M Q8T1 read failed: ") &&
                                                strstr(f.run.message, rows[i].says)),
               "%s: message \"%s\"", rows[i].what, f.run.message);
        run_end(&f.run, rows[i].outcome == STEP_STOPPED, T0 + 6 * S);
        tap_int(run_exit_code(&f.run), rows[i].code, "%s: exit code", rows[i].what);
        tap_int(run_cell(&f.run, 3, DIRECTION_WRITE)->state, CELL_SKIPPED,
                "%s: the rest is skipped", rows[i].what);
        tap_ok(strstr(run_cell(&f.run, 3, DIRECTION_WRITE)->why, "not measured"), "%s: and says so",
               rows[i].what);
        tap_near(run_seconds_left(&f.run), 0, 0, "%s: nothing is left", rows[i].what);
        report_done(&r);
        tear_down(&f);
    }
}

static void test_whole_plan(void)
{
    struct fixture f;
    int64_t now = T0;

    set_up(&f, "slog", false);
    end_prepare(&f, now);
    for (size_t i = 1; i < f.plan.n_steps; i++) {
        struct fake_job job = {.ios = 5000,
                               .iops = 1000,
                               .bw_bytes_per_s = 4096000,
                               .p50_ns = 1e6,
                               .p99_ns = 2e6,
                               .runtime_ms = 5000};
        struct report r = report_of(&f.plan.steps[i], &job, 1, 5000);
        run_step_begin(&f.run, i, now += 10 * S);
        run_step_end(&f.run, STEP_OK, &r, NULL, now + 5 * S);
        report_done(&r);
    }
    run_end(&f.run, false, now + 6 * S);
    tap_int(run_exit_code(&f.run), EXIT_CODE_OK, "a plan completed is a success");
    tap_int(f.run.state, RUN_DONE, "done");
    tap_ok(f.run.ended_ns == now + 6 * S && !f.run.stopped, "with its end");
    uint64_t before = f.run.generation;
    run_end(&f.run, true, now + 7 * S);
    tap_ok(!f.run.stopped && f.run.generation == before && !run_tick(&f.run, now + 9 * S),
           "and nothing changes afterwards");
    tear_down(&f);
}

static void test_prepare(void)
{
    static const struct {
        const char *what;
        enum step_outcome outcome;
        uint64_t mib; /* written, of 1024; UINT64_MAX: no report */
        bool failed;
        const char *says;
        enum exit_code code;
    } rows[] = {
        {"whole", STEP_OK, 1024, false, "", EXIT_CODE_STOPPED},
        {"a block is missing", STEP_OK, 1023, true, "1023 MiB of 1 GiB", EXIT_CODE_TEST_FAILED},
        {"nothing", STEP_OK, 0, true, "single I/O", EXIT_CODE_TEST_FAILED},
        {"no report", STEP_OK, UINT64_MAX, true, "without a report", EXIT_CODE_TEST_FAILED},
        {"failed", STEP_FAILED, 512, true, "it broke", EXIT_CODE_TEST_FAILED},
        {"stopped", STEP_STOPPED, 512, false, "", EXIT_CODE_STOPPED},
        {"skipped", STEP_SKIPPED, 512, false, "", EXIT_CODE_STOPPED},
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        struct fixture f;
        struct fake_job job = {.ios = rows[i].mib,
                               .iops = 500,
                               .bw_bytes_per_s = 500e6,
                               .p50_ns = 1e6,
                               .p99_ns = 2e6,
                               .runtime_ms = 1000};
        bool none = rows[i].mib == UINT64_MAX;
        if (none)
            job.ios = 0;
        set_up(&f, "cdm", false);
        struct report r = report_of(&f.plan.steps[0], &job, 1, 1000);
        run_step_begin(&f.run, 0, T0);
        run_step_end(&f.run, rows[i].outcome, none ? NULL : &r,
                     rows[i].outcome == STEP_FAILED ? "it broke" : NULL, T0 + S);
        tap_int(f.run.prepare_failed, rows[i].failed, "preparation, %s", rows[i].what);
        tap_ok(strstr(f.run.prepare_why, rows[i].says) &&
                   (!rows[i].failed || strstr(f.run.message, rows[i].says)),
               "preparation, %s: \"%s\"", rows[i].what, f.run.message);
        run_end(&f.run, rows[i].outcome == STEP_STOPPED, T0 + 2 * S);
        tap_int(run_exit_code(&f.run), rows[i].code, "preparation, %s: exit code", rows[i].what);
        tap_ok(!rows[i].failed || strstr(run_cell(&f.run, 0, DIRECTION_READ)->why, "prepared"),
               "preparation, %s: cells say \"%s\"", rows[i].what,
               run_cell(&f.run, 0, DIRECTION_READ)->why);
        report_done(&r);
        tear_down(&f);
    }
}

static void test_prepare_progress(void)
{
    struct fixture f;
    double shares[] = {0.25, 0.5, 0.25 /* a counter that went back */, 0.75, 2};
    double want[] = {0.25, 0.5, 0.5, 0.75, 1};

    set_up(&f, "cdm", false);
    run_step_begin(&f.run, 0, T0);
    tap_ok(!run_current_cell(&f.run) && run_current_step(&f.run)->kind == STEP_PREPARE,
           "the preparation has no cell");
    tap_near(run_seconds_left(&f.run), f.plan.seconds, 1e-6, "before progress: the estimate");
    for (size_t i = 0; i < COUNT(shares); i++) {
        int64_t ms = 250 * (int64_t)(i + 1);
        struct fake_job job = {.ios = (uint64_t)(1024 * shares[i]),
                               .iops = 7,
                               .bw_bytes_per_s = 7,
                               .p50_ns = 1e6,
                               .p99_ns = 2e6,
                               .runtime_ms = (uint64_t)ms};
        struct report r = report_of(&f.plan.steps[0], &job, 1, ms);
        run_apply(&f.run, &r, T0 + 200 * MS + ms * MS);
        tap_near(f.run.prepare_done, want[i], 1e-9, "progress %zu", i);
        tap_near(run_step_share(&f.run), want[i], 1e-9, "progress %zu is the step's share", i);
        if (i == 1) {
            tap_near(f.run.prepare_bytes_per_s, 256 * 1048576 / 0.25, 1e3,
                     "the rate is of the last interval");
            tap_near(run_seconds_left(&f.run), 0.7 + 8 * 5.3, 1e-6,
                     "half is done in 0.7 s: as much is left, and the tests");
        }
        report_done(&r);
    }
    tear_down(&f);
}

static void test_time(void)
{
    struct fixture f;
    int64_t begin = T0 + 3 * S;

    set_up(&f, "slog", false);
    end_prepare(&f, T0);
    tap_near(run_seconds_left(&f.run), 4 * 5.3, 1e-9, "four tests are left");
    run_step_begin(&f.run, 1, begin);
    run_tick(&f.run, begin);
    uint64_t before = f.run.generation;
    tap_ok(!run_tick(&f.run, begin) && f.run.generation == before, "no time, no change");
    static const struct {
        int64_t ms;
        unsigned silence_s;
        double left_s, share;
    } rows[] = {
        {100, 0, 21.1, 0.1 / 5.3},      {999, 0, 20.201, 0.999 / 5.3}, {1000, 0, 20.2, 1 / 5.3},
        {1999, 1, 19.201, 1.999 / 5.3}, {2500, 2, 18.7, 2.5 / 5.3},    {5300, 5, 15.9, 1},
        {65000, 65, 15.9, 1},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        run_tick(&f.run, begin + rows[i].ms * MS);
        tap_int(run_silence_s(&f.run), rows[i].silence_s, "silent at %lld ms",
                (long long)rows[i].ms);
        tap_near(run_seconds_left(&f.run), rows[i].left_s, 1e-6, "left at %lld ms",
                 (long long)rows[i].ms);
        tap_near(run_step_share(&f.run), rows[i].share, 1e-6, "share at %lld ms",
                 (long long)rows[i].ms);
    }
    run_tick(&f.run, begin);
    tap_int(run_silence_s(&f.run), 65, "a clock that goes back is not believed");

    /* a second of ticks at 100 Hz: no more changes than the bar, the clock and a silence make */
    before = f.run.generation;
    unsigned changes = 0;
    for (int i = 1; i <= 100; i++)
        changes += run_tick(&f.run, begin + 65 * S + i * 10 * MS);
    tap_ok(changes >= 1 && changes <= 2 && f.run.generation == before + changes,
           "a silent second of 100 ticks changes %u times", changes);
    tear_down(&f);
}

static void test_silence(void)
{
    struct fixture f;
    int64_t begin = T0 + 3 * S;
    struct fake_job job = {.ios = 250,
                           .iops = 7,
                           .bw_bytes_per_s = 7,
                           .p50_ns = 1e5,
                           .p99_ns = 2e5,
                           .runtime_ms = 250};

    set_up(&f, "slog", false);
    end_prepare(&f, T0);
    run_step_begin(&f.run, 1, begin);
    struct report r = report_of(&f.plan.steps[1], &job, 1, 250);
    run_apply(&f.run, &r, begin + 450 * MS);
    struct cell *c = run_current_cell(&f.run);
    tap_near(c->now.iops, 1000, 1, "a figure");
    run_tick(&f.run, begin + 1400 * MS);
    tap_ok(!isnan(c->now.iops), "stays while reports are nearly on time");
    run_tick(&f.run, begin + 1500 * MS);
    tap_ok(run_silence_s(&f.run) == 1 && isnan(c->now.iops), "and goes when they are late");
    tap_near(c->mean.iops, 1000, 1, "the mean stays");
    uint64_t before = f.run.generation;
    run_apply(&f.run, &r, begin + 3000 * MS);
    tap_int(run_silence_s(&f.run), 0, "the same report again ends the silence");
    tap_ok(f.run.generation == before + 1, "and that is visible");
    report_done(&r);

    run_stopping(&f.run, begin + 3100 * MS);
    tap_int(f.run.state, RUN_STOPPING, "stopping");
    before = f.run.generation;
    run_stopping(&f.run, begin + 3200 * MS);
    tap_ok(f.run.generation == before, "a second stop is no change");
    run_tick(&f.run, begin + 9 * S);
    tap_int(run_silence_s(&f.run), 6, "a stop that takes long is seen");
    run_end(&f.run, true, begin + 10 * S);
    tap_ok(c->state == CELL_STOPPED && f.run.state == RUN_DONE && f.run.stopped,
           "the end of the run ends a step that still ran");
    tear_down(&f);
}

static void test_per_job(void)
{
    static const struct fake_job jobs[] = {
        {.ios = 1000, .iops = 200, .bw_bytes_per_s = 819200, .p50_ns = 100000, .p99_ns = 300000},
        {.ios = 1500, .iops = 300, .bw_bytes_per_s = 1228800, .p50_ns = 200000, .p99_ns = 250000},
        {.ios = 500, .iops = 100, .bw_bytes_per_s = 409600, .p50_ns = 600000, .p99_ns = 900000},
        {.ios = 0, .iops = 0, .bw_bytes_per_s = 0},
    };
    struct fixture f;

    set_up(&f, "slog", true);
    end_prepare(&f, T0);
    run_step_begin(&f.run, 2, T0 + 3 * S);
    struct report r = report_of(&f.plan.steps[2], jobs, COUNT(jobs), 5000);
    run_step_end(&f.run, STEP_OK, &r, NULL, T0 + 9 * S);
    report_done(&r);
    const struct cell *c = run_cell(&f.run, 1, DIRECTION_WRITE);
    tap_near(c->mean.iops, 600, 1e-9, "IOPS are the sum");
    tap_near(c->mean.bytes_per_s, 2457600, 1e-9, "bytes are the sum");
    tap_near(c->mean.p50_ns, 200000, 1, "p50 is of all I/O, not a mean of means");
    tap_int((long long)c->spread.n_jobs, 3, "three threads did I/O");
    tap_near(c->spread.p50_mean_ns, 300000, 1e-6, "the script's rule: mean p50");
    tap_near(c->spread.p99_worst_ns, 900000, 1e-6, "the script's rule: worst p99");
    tap_ok(c->spread.iops_min == 100 && c->spread.iops_max == 300, "spread of IOPS");
    tap_ok(c->spread.p50_min_ns == 100000 && c->spread.p50_max_ns == 600000, "spread of p50");
    tear_down(&f);
}

static void test_long_run(void)
{
    struct fixture f;
    int64_t begin = T0 + 3 * S;
    unsigned n = CELL_SAMPLES + 7;

    set_up(&f, "slog", false);
    end_prepare(&f, T0);
    run_step_begin(&f.run, 1, begin);
    for (unsigned i = 1; i <= n; i++) {
        struct fake_job job = {.ios = 250ull * i,
                               .iops = 7,
                               .bw_bytes_per_s = 7,
                               .p50_ns = 1e5,
                               .p99_ns = 2e5,
                               .runtime_ms = 250ull * i};
        struct report r = report_of(&f.plan.steps[1], &job, 1, 250 * (int64_t)i);
        run_apply(&f.run, &r, begin + 200 * MS + 250 * (int64_t)i * MS);
        report_done(&r);
    }
    const struct cell *c = run_current_cell(&f.run);
    tap_ok(c->n_samples == n && c->n_kept == CELL_SAMPLES, "the oldest samples go");
    tap_ok(c->samples[0].at_ns == begin + 200 * MS + 8 * 250 * MS &&
               c->samples[CELL_SAMPLES - 1].at_ns == begin + 200 * MS + n * 250 * MS,
           "the newest stay, oldest first");
    tear_down(&f);
}

static void test_words(void)
{
    struct fixture f;
    char name[64];

    set_up(&f, "cdm", false);
    run_say(&f.run, "%s", "\033]0;x\a\x9b \xc3\xa4");
    tap_ok(!strpbrk(f.run.message, "\033\a") && strstr(f.run.message, "\xc3\xa4"),
           "what is said is printable: %s", f.run.message);
    char text[600];
    for (size_t i = 0; i + 1 < sizeof(text); i += 2)
        memcpy(text + i, "\xc3\xa4", 2);
    text[sizeof(text) - 2] = '\0';
    run_say(&f.run, "x%s", text);
    size_t n = strlen(f.run.message);
    tap_ok(n < sizeof(f.run.message) && n > sizeof(f.run.message) - 8 &&
               (unsigned char)f.run.message[n - 1] == 0xa4,
           "and cut between characters");
    run_step_name(&f.run, 0, name, sizeof(name));
    tap_str(name, "preparation", "step 0 by name");
    run_step_name(&f.run, 4, name, sizeof(name));
    tap_str(name, "SEQ1M Q1T1 write", "step 4 by name");
    tear_down(&f);
}

static void feed(struct fixture *f, int64_t begin, int64_t at_ms, uint64_t ios)
{
    struct fake_job job = {.ios = ios, .p50_ns = 1e5, .p99_ns = 2e5, .runtime_ms = (uint64_t)at_ms};
    struct report r = report_of(run_current_step(&f->run), &job, 1, at_ms);

    run_apply(&f->run, &r, begin + 200 * MS + at_ms * MS);
    report_done(&r);
}

/* 1000 IOPS, a mark, a mixed interval, 3500 IOPS. */
static void test_marks(void)
{
    struct fixture f;
    int64_t begin = T0 + 3 * S;
    struct buf text = BUF_INIT;

    set_up(&f, "slog", false);
    end_prepare(&f, T0);
    tap_ok(run_mark(&f.run, "early", T0 + 2500 * MS), "a mark between steps");
    tap_ok(f.run.n_stretches == 1 && !f.run.stretches[0].measuring, "measures nothing");
    run_step_begin(&f.run, 1, begin);
    for (int i = 1; i <= 4; i++)
        feed(&f, begin, 250 * i, 250 * (uint64_t)i);
    tap_int((long long)f.run.n_stretches, 2, "a measured run is a stretch");
    tap_near(f.run.stretches[1].figures.iops, 1000, 1, "with its figures");
    uint64_t generation = f.run.generation;
    tap_ok(run_mark(&f.run, "gov\033[1mernor", begin + 1250 * MS), "a mark in a run");
    tap_ok(f.run.generation > generation, "is to be drawn");
    tap_ok(!strchr(f.run.stretches[2].mark, '\033'), "printable: %s", f.run.stretches[2].mark);
    tap_ok(isnan(f.run.stretches[2].figures.iops) && !run_stretch_before(&f.run, 2),
           "has no figures yet, and so no comparison");
    feed(&f, begin, 1300, 1100); /* mixed */
    tap_near(f.run.stretches[1].figures.iops, 1000, 1, "the mixed interval is not of before");
    for (int i = 1; i <= 4; i++)
        feed(&f, begin, 1300 + 250 * i, 1100 + 875 * (uint64_t)i);
    tap_near(f.run.stretches[2].figures.iops, 3500, 1, "nor of after");
    tap_near(f.run.stretches[2].seconds, 1, 1e-9, "four intervals after it");
    tap_ok(run_stretch_before(&f.run, 2) == &f.run.stretches[1], "now there is a before");
    snprintf(f.run.stretches[2].mark, RUN_MARK_TEXT, "performance");
    run_stretch_sentence(&f.run, 2, &text);
    tap_str(text.data, "performance: p50 100 us (was 100 us), 3 500 IOPS (was 1 000), 3.5 x",
            "in one sentence");
    tap_ok(!run_stretch_before(&f.run, 1), "the begin of a run has no before");
    struct stretch hasty = f.run.stretches[1], later = f.run.stretches[2];
    hasty.seconds = 0.5;
    snprintf(hasty.mark, sizeof(hasty.mark), "hasty");
    f.run.stretches[1].seconds = 3;
    f.run.stretches = mem_realloc_array(f.run.stretches, 4, sizeof(later));
    f.run.stretches[2] = hasty;
    f.run.stretches[3] = later;
    f.run.n_stretches = 4;
    tap_ok(run_stretch_before(&f.run, 3) == &f.run.stretches[1],
           "what was passed in haste is compared with nothing");
    buf_clear(&text);
    run_stretch_sentence(&f.run, 3, &text);
    tap_ok(strstr(text.data, " at the start)"), "and it is said what is: %s", text.data);
    f.run.stretches[1].seconds = 0.5;
    tap_ok(run_stretch_before(&f.run, 3) == &f.run.stretches[2], "unless there is nothing else");
    f.run.stretches[2] = later;
    f.run.n_stretches = 3;
    run_end(&f.run, true, begin + 5 * S);
    tap_ok(!run_mark(&f.run, "late", begin + 6 * S) && f.run.n_stretches == 3,
           "after the end nothing is marked");
    buf_done(&text);
    tear_down(&f);
}

int main(void)
{
    test_start();
    test_live();
    test_outcomes();
    test_whole_plan();
    test_prepare();
    test_prepare_progress();
    test_time();
    test_silence();
    test_per_job();
    test_long_run();
    test_words();
    test_marks();
    return tap_done();
}
