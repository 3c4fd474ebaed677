/* SPDX-License-Identifier: GPL-3.0-or-later */
/* the model of a run: several runs of a cell, warm-ups, pauses, silence, trust */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fake-report.h"
#include "sthd/run.h"
#include "tap.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define MS       ((int64_t)1000000)
#define S        (1000 * MS)
#define T0       (5000 * S)
#define WALL     1700000000000

struct fixture {
    struct settings settings;
    struct plan plan;
    struct run run;
    int64_t now_ns;
};

/* cdm-demo: one row, read and write. */
static void set_up(struct fixture *f, unsigned loops, int warmup, int combine, bool per_job)
{
    struct capability c;

    capability_init(&c);
    settings_init(&f->settings);
    f->settings.profile = profile_find("cdm-demo");
    f->settings.loops = loops;
    f->settings.warmup = warmup;
    f->settings.combine = combine;
    f->settings.per_job = per_job;
    if (plan_build(&f->plan, &f->settings, &c, 500e6, NULL) != 0)
        abort();
    f->now_ns = T0;
    run_init(&f->run, &f->plan, T0);
}

static void tear_down(struct fixture *f)
{
    run_done(&f->run);
    plan_done(&f->plan);
    settings_done(&f->settings);
}

/* The next step from its beginning to its end, after 2 s. mb_per_s 0: without I/O. */
static void run_one(struct fixture *f, enum step_outcome outcome, double mb_per_s, double mean_us,
                    const char *why)
{
    size_t i = run_next_step(&f->run);
    const struct step *s = &f->plan.steps[i];
    struct fake_job jobs[2];
    struct report r;

    for (size_t j = 0; j < COUNT(jobs); j++)
        jobs[j] = (struct fake_job){.ios = mb_per_s > 0 ? 512 : 0,
                                    .iops = mb_per_s / 2,
                                    .bw_bytes_per_s = mb_per_s * 1e6 / 2,
                                    .p50_ns = mean_us * 1e3,
                                    .p99_ns = mean_us * 2e3,
                                    .runtime_ms = 2000};
    report_init(&r);
    fake_report(&r, s->direction, s->block_bytes, jobs, COUNT(jobs), WALL);
    run_step_begin(&f->run, i, f->now_ns);
    f->now_ns += 500 * MS;
    run_apply(&f->run, &r, f->now_ns);
    f->now_ns += 1500 * MS;
    run_step_end(&f->run, outcome, &r, why, f->now_ns);
    report_done(&r);
}

static void prepare(struct fixture *f)
{
    run_one(f, STEP_OK, 500, 1000, NULL);
}

static const struct cell *first_cell(const struct fixture *f)
{
    return run_cell(&f->run, 0, DIRECTION_READ);
}

static void test_combine(void)
{
    static const struct {
        const char *what;
        enum combine how;
        size_t n;
        double rate[4], mean[4]; /* NAN: absent */
        size_t rate_run, latency_run;
    } rows[] = {
        {"one", COMBINE_BEST, 1, {5}, {9}, 0, 0},
        {"one", COMBINE_MEDIAN, 1, {5}, {9}, 0, 0},
        {"each for itself", COMBINE_BEST, 3, {5, 8, 6}, {9, 7, 4}, 1, 2},
        {"of equals the first", COMBINE_BEST, 3, {5, 5, 5}, {4, 4, 4}, 0, 0},
        {"an absent rate is no best", COMBINE_BEST, 2, {NAN, 1}, {3, 4}, 1, 0},
        {"no latencies: those of the fastest", COMBINE_BEST, 2, {1, 2}, {NAN, NAN}, 1, 1},
        {"an absent latency is no least", COMBINE_BEST, 3, {3, 2, 1}, {NAN, 8, 6}, 0, 2},
        {"the middle one", COMBINE_MEDIAN, 3, {9, 5, 7}, {1, 2, 3}, 2, 2},
        {"of four the lower middle", COMBINE_MEDIAN, 4, {4, 1, 3, 2}, {1, 2, 3, 4}, 3, 3},
        {"of two the lower", COMBINE_MEDIAN, 2, {4, 1}, {1, 2}, 1, 1},
        {"equals", COMBINE_MEDIAN, 3, {4, 4, 4}, {1, 2, 3}, 1, 1},
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        struct figures runs[4];
        size_t rate = 99, latency = 99;
        for (size_t j = 0; j < rows[i].n; j++)
            runs[j] = (struct figures){.bytes_per_s = rows[i].rate[j],
                                       .iops = rows[i].rate[j] * 10,
                                       .mean_ns = rows[i].mean[j],
                                       .p50_ns = (double)j,
                                       .p99_ns = (double)j,
                                       .p999_ns = (double)j,
                                       .min_ns = (double)j,
                                       .max_ns = (double)j};
        struct figures f = run_combine(runs, rows[i].n, rows[i].how, &rate, &latency);
        tap_ok(rate == rows[i].rate_run && latency == rows[i].latency_run,
               "%s of %zu, %s: rates of %zu, latencies of %zu", combine_name(rows[i].how),
               rows[i].n, rows[i].what, rate, latency);
        tap_near(f.bytes_per_s, rows[i].rate[rows[i].rate_run], 0, "%s: rate", rows[i].what);
        tap_near(f.iops, f.bytes_per_s * 10, 0, "%s: IOPS go with the rate", rows[i].what);
        tap_near(f.mean_ns, rows[i].mean[rows[i].latency_run], 0, "%s: mean", rows[i].what);
        tap_ok(f.p50_ns == (double)rows[i].latency_run && f.p99_ns == f.p50_ns &&
                   f.p999_ns == f.p50_ns && f.min_ns == f.p50_ns && f.max_ns == f.p50_ns,
               "%s: the latencies are of one run", rows[i].what);
    }
}

static void test_loops(void)
{
    static const struct {
        int combine;
        double mb_per_s, mean_us;
        size_t rate_run, latency_run;
    } rows[] = {
        {COMBINE_BEST, 900, 100, 1, 2},
        {COMBINE_MEDIAN, 700, 300, 0, 0},
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        struct fixture f;
        set_up(&f, 3, 0, rows[i].combine, true);
        const struct cell *c = first_cell(&f);
        const char *how = combine_name((enum combine)rows[i].combine);
        prepare(&f);
        run_one(&f, STEP_OK, 700, 300, NULL);
        tap_ok(c->state == CELL_RUNNING && c->n_runs == 1 && c->mean.bytes_per_s == 700e6,
               "%s: after one of three runs the cell is still running", how);
        tap_ok(!run_current_cell(&f.run), "%s: but no step is", how);
        run_one(&f, STEP_OK, 900, 200, "2 reports were damaged");
        run_one(&f, STEP_OK, 600, 100, NULL);
        tap_int(c->state, CELL_DONE, "%s: done after the third", how);
        tap_near(c->mean.bytes_per_s, rows[i].mb_per_s * 1e6, 1, "%s: MB/s", how);
        tap_near(c->mean.iops, rows[i].mb_per_s, 1e-6, "%s: IOPS", how);
        tap_near(c->mean.mean_ns, rows[i].mean_us * 1e3, 1, "%s: mean latency", how);
        tap_ok(c->rate_run == rows[i].rate_run && c->latency_run == rows[i].latency_run,
               "%s: and which they were", how);
        tap_near(c->spread.p50_mean_ns, rows[i].mean_us * 1e3, 1, "%s: the spread goes with them",
                 how);
        tap_ok(c->n_runs == 3 && c->runs[0].bytes_per_s == 700e6 && c->runs[2].mean_ns == 100e3 &&
                   c->run_spreads[1].n_jobs == 2,
               "%s: all runs are kept", how);
        tap_str(c->why, "run 2: 2 reports were damaged", "%s: the warning says of which run", how);
        tear_down(&f);
    }
}

/* How a cell of three runs ends when one of its runs, after a number of good ones, ends otherwise.
 */
static void test_left(void)
{
    static const struct {
        const char *what;
        size_t good;
        enum step_outcome outcome;
        double mb_per_s;
        enum cell_state state;
        double want; /* NAN none */
        const char *why;
    } rows[] = {
        {"stopped in the first", 0, STEP_STOPPED, 300, CELL_STOPPED, 300, "stopped after 2 s"},
        {"stopped in the second", 1, STEP_STOPPED, 300, CELL_STOPPED, 700,
         "stopped after 1 of 3 runs: the figures are of that one"},
        {"left in the third", 2, STEP_SKIPPED, 300, CELL_STOPPED, 700,
         "left after 2 of 3 runs: the figures are of these"},
        {"skipped at once", 0, STEP_SKIPPED, 0, CELL_SKIPPED, NAN, "skipped before any I/O"},
        {"failed in the second", 1, STEP_FAILED, 300, CELL_FAILED, NAN, "run 2: no good"},
        {"nothing in the third", 2, STEP_OK, 0, CELL_FAILED, NAN,
         "run 3: fio ended without completing a single I/O"},
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        struct fixture f;
        set_up(&f, 3, 0, COMBINE_BEST, false);
        const struct cell *c = first_cell(&f);
        prepare(&f);
        for (size_t j = 0; j < rows[i].good; j++)
            run_one(&f, STEP_OK, 700 - (double)j, 300, NULL);
        run_one(&f, rows[i].outcome, rows[i].mb_per_s, 100,
                rows[i].outcome == STEP_FAILED ? "no good" : NULL);
        tap_int(c->state, rows[i].state, "%s: state", rows[i].what);
        tap_near(c->mean.bytes_per_s, rows[i].want * 1e6, 1, "%s: figure", rows[i].what);
        tap_ok(strstr(c->why, rows[i].why), "%s: %s", rows[i].what, c->why);
        size_t next = run_next_step(&f.run);
        tap_ok(next == 4 && f.plan.steps[next].direction == DIRECTION_WRITE,
               "%s: on with the next cell", rows[i].what);
        tear_down(&f);
    }

    struct fixture f;
    set_up(&f, 3, 0, COMBINE_BEST, false);
    prepare(&f);
    run_one(&f, STEP_OK, 700, 300, NULL);
    run_end(&f.run, true, f.now_ns);
    tap_ok(first_cell(&f)->state == CELL_STOPPED && first_cell(&f)->mean.iops == 700,
           "stopped between two runs: %s", first_cell(&f)->why);
    tap_int(run_cell(&f.run, 0, DIRECTION_WRITE)->state, CELL_SKIPPED, "the other is skipped");
    tear_down(&f);
}

static void test_warmup(void)
{
    static const struct {
        const char *what;
        enum step_outcome outcome;
        double mb_per_s;
        const char *why;
        enum cell_state state; /* after it and a good run */
        const char *says;
    } rows[] = {
        {"good", STEP_OK, 9999, NULL, CELL_DONE, ""},
        {"failed", STEP_FAILED, 0, "no good", CELL_DONE, "its warm-up failed: no good"},
        {"no I/O", STEP_OK, 0, NULL, CELL_DONE, "its warm-up failed: fio ended without"},
        {"skipped", STEP_SKIPPED, 9999, NULL, CELL_SKIPPED, "skipped in its warm-up"},
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        struct fixture f;
        char name[64];
        set_up(&f, 1, 1, COMBINE_BEST, false);
        const struct cell *c = first_cell(&f);
        prepare(&f);
        run_step_name(&f.run, 1, name, sizeof(name));
        tap_str(name, "SEQ1M Q8T1 read warm-up", "its name");
        run_one(&f, rows[i].outcome, rows[i].mb_per_s, 1, rows[i].why);
        tap_ok(c->n_runs == 0 && c->n_samples == 0 && isnan(c->mean.iops) && isnan(c->now.iops) &&
                   c->state == (rows[i].state == CELL_DONE ? CELL_WAITING : CELL_SKIPPED),
               "%s: nothing is kept of it", rows[i].what);
        tap_near(f.run.prepare_done, 1, 0, "%s: nor is it a preparation", rows[i].what);
        if (rows[i].state == CELL_DONE)
            run_one(&f, STEP_OK, 500, 100, NULL);
        else
            tap_int((long long)run_next_step(&f.run), 3, "%s: on with the next cell", rows[i].what);
        tap_int(c->state, rows[i].state, "%s: state", rows[i].what);
        tap_ok(rows[i].says[0] ? strstr(c->why, rows[i].says) != NULL : !c->why[0], "%s: \"%s\"",
               rows[i].what, c->why);
        tear_down(&f);
    }
}

static void test_pause(void)
{
    struct fixture f;
    char name[64];

    set_up(&f, 2, 0, COMBINE_BEST, false);
    tap_near(run_seconds_left(&f.run), f.plan.seconds, 1e-9, "all is left");
    prepare(&f);
    run_one(&f, STEP_OK, 500, 100, NULL);
    run_one(&f, STEP_OK, 500, 100, NULL);
    size_t next = run_next_step(&f.run);
    run_step_name(&f.run, next + 1, name, sizeof(name));
    tap_str(name, "SEQ1M Q8T1 write 2/2", "the name says which run");
    tap_near(run_seconds_left(&f.run), 2 * 5.3 + 5, 1e-9, "the pause is still to come");
    uint64_t before = f.run.generation;
    run_pause(&f.run, f.now_ns, f.now_ns + 5 * S);
    tap_ok(f.run.state == RUN_PAUSE && f.run.pause_until_ns == f.now_ns + 5 * S &&
               f.run.generation > before,
           "a pause");
    tap_ok(!run_current_step(&f.run) && run_silence_s(&f.run) == 0, "no step is on, none is late");
    before = f.run.generation;
    tap_ok(run_tick(&f.run, f.now_ns + 2 * S) && f.run.generation > before, "it counts down");
    tap_near(run_seconds_left(&f.run), 2 * 5.3 + 3, 1e-9, "three seconds of it are left");
    run_tick(&f.run, f.now_ns + 9 * S);
    tap_near(run_seconds_left(&f.run), 2 * 5.3, 1e-9, "late: never less than what is to be run");
    run_step_begin(&f.run, next, f.now_ns + 9 * S);
    tap_int(f.run.state, RUN_STEP, "on");
    run_end(&f.run, true, f.now_ns + 10 * S);

    tear_down(&f);
    set_up(&f, 1, 0, COMBINE_BEST, false);
    prepare(&f);
    run_pause(&f.run, f.now_ns, f.now_ns + 5 * S);
    run_end(&f.run, true, f.now_ns + S);
    tap_ok(f.run.state == RUN_DONE && run_seconds_left(&f.run) == 0, "stopped in a pause");
    tear_down(&f);
}

static void test_silence(void)
{
    static const struct {
        const char *what;
        enum direction d;
        uint32_t interval_ms;
        int64_t gap_ms;
        const char *says; /* NULL: nothing */
    } rows[] = {
        {"on time", DIRECTION_READ, 250, 1900, NULL},
        {"silent", DIRECTION_READ, 250, 4100, "heard of fio for 4 s (a stalled device"},
        {"silent, with fsync", DIRECTION_WRITE, 250, 4100, "(the fsync at the end, or a stalled"},
        {"long intervals are no silence", DIRECTION_READ, 5000, 9000, NULL},
        {"silent for long intervals", DIRECTION_READ, 5000, 11000, "heard of fio for 11 s"},
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        struct profile own = *profile_find("cdm");
        struct fixture f;
        struct capability c;
        struct fake_job job = {
            .ios = 512, .iops = 1, .bw_bytes_per_s = 1, .p50_ns = 1, .p99_ns = 1};
        struct report r;
        own.n_tests = 1;
        capability_init(&c);
        settings_init(&f.settings);
        f.settings.profile = &own;
        f.settings.interval_ms = rows[i].interval_ms;
        f.settings.only = 1u << rows[i].d;
        plan_build(&f.plan, &f.settings, &c, 500e6, NULL);
        f.now_ns = T0;
        run_init(&f.run, &f.plan, T0);
        report_init(&r);
        fake_report(&r, rows[i].d, 1 << 20, &job, 1, WALL);
        run_step_begin(&f.run, 1, T0);
        run_apply(&f.run, &r, T0 + 300 * MS);
        run_apply(&f.run, &r, T0 + (300 + rows[i].gap_ms) * MS);
        run_apply(&f.run, &r, T0 + (400 + rows[i].gap_ms) * MS);
        run_step_end(&f.run, STEP_OK, &r, NULL, T0 + 30 * S);
        const struct cell *cell = run_cell(&f.run, 0, rows[i].d);
        tap_near(cell->silence_s, (double)rows[i].gap_ms / 1e3, 1e-9, "%s: the longest",
                 rows[i].what);
        tap_ok(cell->state == CELL_DONE &&
                   (rows[i].says ? strstr(cell->why, rows[i].says) != NULL : !cell->why[0]),
               "%s: \"%s\"", rows[i].what, cell->why);
        report_done(&r);
        tear_down(&f);
    }
}

static void test_trust(void)
{
    struct fixture f;

    set_up(&f, 1, 0, COMBINE_BEST, false);
    const struct cell *c = first_cell(&f);
    tap_ok(c->trust == TRUST_UNKNOWN && !c->trust_reason[0], "nobody has said");
    uint64_t before = f.run.generation;
    run_set_trust(&f.run, 0, DIRECTION_READ, TRUST_CACHE, "bad \033[2J reason");
    tap_ok(c->trust == TRUST_CACHE && f.run.generation > before, "said");
    tap_str(c->trust_reason, "bad \\x1b[2J reason", "printable");
    prepare(&f);
    run_one(&f, STEP_OK, 500, 100, NULL);
    tap_int(c->trust, TRUST_CACHE, "and it stays");
    tear_down(&f);
}

/* A mix is told apart, and a distribution is that of its side. */
static void test_sides(void)
{
    struct fixture f;
    struct report r;
    struct fake_job job = {1000, 4000, 16e6, 100e3, 900e3, 5000, 0};

    set_up(&f, 1, 0, COMBINE_BEST, false);
    for (int i = 0; i < 2; i++) {
        const struct side *sides = f.run.cells[0][DIRECTION_READ].detail.sides;
        tap_ok(isnan(sides[i].figures.iops) && isnan(sides[i].percentile_ns[0]),
               "nothing is known before");
    }
    report_init(&r);
    fake_report(&r, DIRECTION_MIX, 4096, &job, 1, 5000);
    r.jobs[0].usr_cpu = 30;
    r.jobs[0].sys_cpu = 12.5;
    prepare(&f);
    run_step_begin(&f.run, 1, f.now_ns);
    run_step_end(&f.run, STEP_OK, &r, NULL, f.now_ns + 5000 * MS);
    const struct detail *d = &f.run.cells[0][f.plan.steps[1].direction].detail;
    tap_ok(d->sides[0].figures.iops == 3000 && d->sides[1].figures.iops == 1000, "IOPS apart");
    tap_ok(fabs(d->sides[0].percentile_ns[6] - 100e3) < 1000 &&
               fabs(d->sides[1].percentile_ns[6] - 150e3) < 1500,
           "p50 apart: %.0f and %.0f", d->sides[0].percentile_ns[6], d->sides[1].percentile_ns[6]);
    tap_ok(d->sides[1].percentile_ns[12] == 1350e3, "p99 is fio's own");
    tap_ok(fabs(d->cpu_share - 0.425 * f.plan.steps[1].threads) < 1e-9, "share of CPU: %.3f",
           d->cpu_share);
    report_done(&r);
    tear_down(&f);
}

int main(void)
{
    test_combine();
    test_loops();
    test_left();
    test_warmup();
    test_pause();
    test_silence();
    test_trust();
    test_sides();
    return tap_done();
}
