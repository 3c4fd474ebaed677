/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * counters and sampler, against a simulated fio whose true rate is known at every moment: it notes
 * the runtime, waits for its workers, then reads the counters and the wall clock, as the real one.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "sthd/mem.h"
#include "sthd/sample.h"
#include "tap.h"

#define BLOCK 4096u
#define EPOCH 1796070958051.0

/* Times in ms since fio was started. */
struct world {
    double job_start;
    double rate; /* I/O per second while nothing stalls */
    double stall_from, stall_to;
    const char *version;
};

static double world_ios(const struct world *w, double t)
{
    double worked = t - w->job_start;

    if (t > w->stall_from)
        worked -= fmin(t, w->stall_to) - w->stall_from;
    return worked > 0 ? floor(worked * w->rate / 1000) : 0;
}

struct moment {
    double noted;     /* when fio noted the runtime */
    double wait;      /* until it read the counters */
    double wall_step; /* what somebody added to the wall clock so far */
    double late;      /* from the counters to our reading of the report */
};

static double moment_counters(const struct moment *m)
{
    return m->noted + m->wait;
}

/* One job, writing. All I/O take 100 us, those after 1000 ms take 300 us. */
static void make_report(struct report *r, const struct world *w, const struct moment *m)
{
    struct report fresh;

    report_init(&fresh);
    fresh.jobs = mem_zalloc(sizeof(*fresh.jobs));
    fresh.n_jobs = 1;
    counters_init(&fresh.jobs->read);
    counters_init(&fresh.jobs->write);
    struct counters *c = &fresh.jobs->write;
    snprintf(fresh.fio_version, sizeof(fresh.fio_version), "%s",
             w->version ? w->version : "fio-3.33");
    fresh.timestamp_ms = (int64_t)(EPOCH + moment_counters(m) + m->wall_step);
    c->ios = (uint64_t)world_ios(w, moment_counters(m));
    c->ios_issued = c->ios + 1;
    bool new_fio = w->version && strcmp(w->version, "fio-3.42") == 0;
    c->io_bytes = (uint64_t)world_ios(w, new_fio ? moment_counters(m) : m->noted) * BLOCK;
    c->runtime_ms = m->noted > w->job_start ? (uint64_t)(m->noted - w->job_start) : 0;
    if (c->ios) {
        uint64_t early = (uint64_t)world_ios(w, fmin(1000, moment_counters(m)));
        histogram_add(&c->lat, 100000, early);
        histogram_add(&c->lat, 300000, c->ios - early);
        c->lat_mean_ns = histogram_mean(&c->lat);
        c->lat_min_ns = 100000;
        c->lat_max_ns = fmax(300000, m->wait * 1e6);
    }
    report_move(r, &fresh);
    report_done(&fresh);
}

static struct sampler *new_sampler(uint32_t interval_ms, uint32_t runtime_ms, uint64_t block)
{
    struct sampler_spec spec = {.direction = DIRECTION_WRITE,
                                .block_bytes = block,
                                .runtime_ms = runtime_ms,
                                .interval_ms = interval_ms,
                                .began_ns = 5000000000};

    return sampler_new(&spec);
}

static bool take(struct sampler *s, const struct world *w, const struct moment *m, bool stopping,
                 struct sample *out)
{
    struct report r;

    report_init(&r);
    make_report(&r, w, m);
    bool good = sampler_take(s, &r, 5000000000 + (int64_t)((moment_counters(m) + m->late) * 1e6),
                             stopping, out);
    report_done(&r);
    return good;
}

static double true_rate(const struct world *w, const struct moment *from, const struct moment *to)
{
    double a = fmax(moment_counters(from), w->job_start), b = moment_counters(to);

    return (world_ios(w, b) - world_ios(w, a)) * 1000 / (b - a);
}

/* The job starts 270 ms after fio; reports come every 250 ms from 410 ms on, as measured. */
static const struct world steady = {.job_start = 270, .rate = 1000};
#define LATE 2

static void test_steady(void)
{
    struct sampler *s = new_sampler(250, 2000, BLOCK);
    struct moment m = {.late = LATE};
    struct sample x;
    unsigned n = 0;

    sampler_mean(s, &x);
    tap_ok(isnan(x.iops) && isnan(x.p50_ns), "no mean before the first report");
    for (m.noted = 410; m.noted < 2270; m.noted += 250) {
        tap_ok(take(s, &steady, &m, false, &x), "steady: a sample at %g ms", m.noted);
        tap_near(x.iops, 1000, 10, "steady: iops at %g ms", m.noted);
        tap_near(x.bytes_per_s, x.iops * BLOCK, 1e-3, "steady: bytes at %g ms", m.noted);
        n += (unsigned)x.ios;
    }
    /* The last report: runtime 2000, but its timestamp is 200 ms after the end. */
    struct world over = steady;
    over.stall_from = 2270;
    over.stall_to = INFINITY;
    m = (struct moment){.noted = 2270, .wait = 200, .late = LATE};
    tap_ok(take(s, &over, &m, false, &x), "steady: the last is a sample");
    tap_near(x.iops, 1000, 10, "steady: the last has the runtime as its clock");
    tap_near(x.seconds, 0.11, 0.002, "steady: its interval ends with the job");
    n += (unsigned)x.ios;
    tap_int(n, 2000, "steady: no I/O is counted twice or lost");
    sampler_mean(s, &x);
    tap_near(x.iops, 1000, 1, "steady: running mean");
    tap_near(x.seconds, 2, 0.002, "steady: of the whole runtime");
    sampler_free(s);
}

/* Tables of moments; the expected figure of each is the true rate, or no sample. */
#define MOMENTS 8
static const struct story {
    const char *what;
    struct world world;
    uint32_t interval_ms;
    bool sample[MOMENTS];
    struct moment m[MOMENTS];
    double tolerance; /* relative */
} stories[] = {
    {"a worker stalls 3 s, the rate goes on",
     {.job_start = 270, .rate = 1000},
     1000,
     {true, true, true, true},
     {{1160, 0, 0, 2}, {2160, 3000, 0, 2}, {6160, 0, 0, 2}, {7160, 0, 0, 2}},
     0.01},
    {"the device stalls 3 s, nothing goes on",
     {.job_start = 270, .rate = 1000, .stall_from = 2000, .stall_to = 5000},
     250,
     {true, true, true, true, true},
     {{1160, 0, 0, 2}, {1410, 0, 0, 2}, {2160, 2841, 0, 2}, {5160, 1, 0, 2}, {5410, 0, 0, 2}},
     0.02},
    {"the first report is late: a baseline only",
     {.job_start = 270, .rate = 1000},
     250,
     {false, true, true},
     {{410, 300, 0, 2}, {910, 0, 0, 2}, {1160, 0, 0, 2}},
     0.01},
    {"the first report is late by a pause of fio",
     {.job_start = 1600, .rate = 1000},
     250,
     {false, true, true},
     {{1740, 0, 0, 2}, {1990, 0, 0, 2}, {2240, 0, 0, 2}},
     0.01},
    {"reports before the job began",
     {.job_start = 900, .rate = 1000},
     250,
     {false, false, true, true},
     {{410, 0, 0, 2}, {660, 0, 0, 2}, {1110, 0, 0, 2}, {1360, 0, 0, 2}},
     0.01},
    {"a device so slow that the first interval sees no I/O",
     {.job_start = 270, .rate = 4},
     250,
     {false, true, true, true},
     {{410, 0, 0, 2}, {660, 0, 0, 2}, {910, 0, 0, 2}, {1160, 0, 0, 2}},
     0.01},
    {"the clock is set forward by an hour",
     {.job_start = 270, .rate = 1000},
     250,
     {true, true, true, true},
     {{410, 0, 0, 2}, {660, 0, 0, 2}, {910, 0, 3600e3, 2}, {1160, 0, 3600e3, 2}},
     0.02},
    {"the clock is set back by an hour",
     {.job_start = 270, .rate = 1000},
     250,
     {true, true, true, true},
     {{410, 0, 0, 2}, {660, 0, 0, 2}, {910, 0, -3600e3, 2}, {1160, 0, -3600e3, 2}},
     0.02},
    {"the clock is set forward by 0.3 s",
     {.job_start = 270, .rate = 1000},
     250,
     {true, true, true, true},
     {{410, 0, 0, 2}, {660, 0, 0, 2}, {910, 0, 300, 2}, {1160, 0, 300, 2}},
     0.02},
    {"the clock is set back by 0.2 s",
     {.job_start = 270, .rate = 1000},
     250,
     {true, true, true, true},
     {{410, 0, 0, 2}, {660, 0, 0, 2}, {910, 0, -200, 2}, {1160, 0, -200, 2}},
     0.02},
    {"the clock is set while a worker stalls",
     {.job_start = 270, .rate = 1000},
     250,
     {true, true, false, true},
     {{410, 0, 0, 2}, {660, 0, 0, 2}, {910, 3000, 60e3, 2}, {4160, 0, 60e3, 2}},
     0.02},
    {"we were stopped and read three reports at once",
     {.job_start = 270, .rate = 1000},
     250,
     {true, true, true, true, true},
     {{410, 0, 0, 2}, {660, 0, 0, 760}, {910, 0, 0, 511}, {1160, 0, 0, 262}, {1410, 0, 0, 2}},
     0.01},
    {"two reports 3 ms apart, then two of one moment: merged into the next",
     {.job_start = 270, .rate = 1000},
     250,
     {true, false, true, false, true},
     {{410, 0, 0, 2}, {413, 0, 0, 2}, {660, 0, 0, 2}, {660, 0, 0, 2}, {910, 0, 0, 2}},
     0.01},
    {"arrival jitter of 80 ms",
     {.job_start = 270, .rate = 1000},
     250,
     {true, true, true, true, true},
     {{410, 0, 0, 80}, {660, 0, 0, 2}, {910, 0, 0, 80}, {1160, 0, 0, 2}, {1410, 0, 0, 40}},
     0.01},
    {"reports 50 ms apart with 30 ms jitter",
     {.job_start = 270, .rate = 10000},
     50,
     {true, true, true, true, true},
     {{320, 0, 0, 2}, {370, 0, 0, 32}, {420, 0, 0, 2}, {470, 0, 0, 32}, {520, 0, 0, 2}},
     0.01},
};

static void test_stories(void)
{
    for (size_t i = 0; i < sizeof(stories) / sizeof(stories[0]); i++) {
        const struct story *t = &stories[i];
        struct sampler *s = new_sampler(t->interval_ms, 0, BLOCK);
        struct moment from = {.noted = t->world.job_start};
        for (size_t k = 0; k < MOMENTS && t->m[k].noted > 0; k++) {
            struct sample x;
            bool good = take(s, &t->world, &t->m[k], false, &x);
            bool merged = k && t->m[k].noted - t->m[k - 1].noted < 5;
            tap_int(good, t->sample[k], "%s: report %zu", t->what, k);
            double rate = true_rate(&t->world, &from, &t->m[k]);
            if (good)
                tap_near(x.iops, rate, rate * t->tolerance, "%s: rate at %zu", t->what, k);
            if (!merged)
                from = t->m[k];
        }
        sampler_free(s);
    }
}

/* No timestamp_ms at all: our clock is all there is. */
static void test_no_timestamp(void)
{
    struct sampler *s = new_sampler(250, 0, BLOCK);
    struct moment m = {.noted = 410};
    struct sample x;

    take(s, &steady, &m, false, &x);
    for (m.noted = 660; m.noted < 1500; m.noted += 250) {
        struct report r;
        report_init(&r);
        make_report(&r, &steady, &m);
        r.timestamp_ms = -1;
        tap_ok(sampler_take(s, &r, 5000000000 + (int64_t)(m.noted * 1e6), false, &x),
               "no timestamp: a sample at %g", m.noted);
        tap_near(x.iops, 1000, 10, "no timestamp: rate at %g", m.noted);
        report_done(&r);
    }
    sampler_free(s);
}

static void test_latency(void)
{
    struct sampler *s = new_sampler(250, 0, BLOCK);
    struct moment m = {.noted = 410};
    struct sample x, mean;

    for (; m.noted < 1500; m.noted += 250)
        take(s, &steady, &m, false, &x);
    sampler_mean(s, &mean);
    tap_near(x.p50_ns, 300000, 0, "the interval's p50 is of its own I/O");
    tap_near(x.mean_ns, 300000, 0, "the interval's mean is of its own I/O");
    tap_near(mean.p50_ns, 100000, 0, "the running p50 is of all I/O");
    tap_near(mean.p99_ns, 300000, 0, "the running p99 is of all I/O");
    tap_near(mean.mean_ns, 100000 + 200000 * 410.0 / 1140, 400, "the running mean is of all I/O");
    sampler_free(s);
}

/* Without bins the mean of an interval still follows from the cumulative means. */
/* The latency changes at 1000 ms: a cut there must give exactly 100 us before, 300 us after. */
static void test_cut(void)
{
    struct sampler *s = new_sampler(250, 0, BLOCK);
    struct moment m = {.late = LATE};
    struct sample x, before, after;
    unsigned n_before = 0;

    for (m.noted = 410; m.noted < 1000; m.noted += 250)
        n_before += take(s, &steady, &m, false, &x);
    sampler_stretch(s, &before);
    sampler_mean(s, &x);
    tap_ok(n_before == 3 && before.ios == x.ios && before.p50_ns == x.p50_ns &&
               before.p50_ns == 100000,
           "without a cut the stretch is all there is");
    sampler_cut(s);
    sampler_stretch(s, &after);
    tap_ok(isnan(after.iops) && isnan(after.p50_ns), "nothing is known right after a cut");
    m.noted = 1010; /* the report that was asked for */
    tap_ok(take(s, &steady, &m, false, &x) && isnan(x.p99_ns) == false,
           "the mixed interval is a sample");
    sampler_stretch(s, &after);
    tap_ok(isnan(after.iops), "but of no stretch");
    for (m.noted = 1250; m.noted < 2300; m.noted += 250)
        take(s, &steady, &m, false, &x);
    sampler_stretch(s, &after);
    tap_near(after.p50_ns, 300000, 0, "after the cut: p50 of what came after it alone");
    tap_near(after.mean_ns, 300000, 1, "and the mean");
    tap_near(after.iops, 1000, 5, "IOPS by the same clock");
    tap_near(after.bytes_per_s, after.iops * BLOCK, 1, "and bytes");
    tap_near(after.seconds, 1.24, 0.001, "from the report after the cut to the last one");
    sampler_mean(s, &x);
    tap_ok(x.mean_ns < after.mean_ns && x.ios > after.ios, "the mean is still of all");
    sampler_free(s);
}

static void test_no_bins(void)
{
    struct sampler *s = new_sampler(250, 0, BLOCK);
    struct sample x;

    for (double t = 410; t < 1500; t += 250) {
        struct report r;
        report_init(&r);
        make_report(&r, &steady, &(struct moment){.noted = t, .late = LATE});
        histogram_clear(&r.jobs->write.lat);
        sampler_take(s, &r, 5000000000 + (int64_t)((t + LATE) * 1e6), false, &x);
        report_done(&r);
    }
    tap_near(x.mean_ns, 300000, 1, "no bins: the interval's mean from the means");
    tap_ok(isnan(x.p50_ns) && isnan(x.p99_ns), "no bins: no percentiles");
    sampler_free(s);
}

/* The end of a ramp: counters go back, the runtime begins anew. */
static void test_restart(void)
{
    struct world ramp = {.job_start = 270, .rate = 5000}, after = {.job_start = 1300, .rate = 1000};
    struct sampler *s = new_sampler(1000, 0, BLOCK);
    struct sample x;

    tap_ok(take(s, &ramp, &(struct moment){.noted = 1160, .late = LATE}, false, &x) && !x.restarted,
           "restart: before it, a sample");
    tap_ok(take(s, &after, &(struct moment){.noted = 2160, .late = LATE}, false, &x),
           "restart: a sample");
    tap_ok(x.restarted, "restart: told");
    tap_near(x.iops, 1000, 10, "restart: rate since the new start");
    sampler_mean(s, &x);
    tap_near(x.iops, 1000, 10, "restart: the mean is of what came after");
    tap_ok(take(s, &after, &(struct moment){.noted = 3160, .late = LATE}, false, &x) &&
               !x.restarted,
           "restart: and on");
    tap_near(x.iops, 1000, 10, "restart: rate after it");
    sampler_free(s);
}

/* Stopped at 1500 ms; a worker needs until 4500 ms to finish its I/O, the other jobs go on. */
static void test_stopping(void)
{
    struct world over = {.job_start = 270, .rate = 1000, .stall_from = 4500, .stall_to = INFINITY};
    struct sampler *s = new_sampler(250, 60000, BLOCK);
    struct sample x;

    take(s, &over, &(struct moment){.noted = 1160, .late = LATE}, false, &x);
    tap_ok(take(s, &over, &(struct moment){.noted = 1410, .wait = 2800, .late = LATE}, true, &x),
           "stopping: a report that waited is a sample");
    tap_near(x.iops, 1000, 10, "stopping: by its timestamp, not its runtime");
    tap_ok(take(s, &over, &(struct moment){.noted = 4500, .wait = 180, .late = LATE}, true, &x),
           "stopping: the last is a sample");
    tap_near(x.iops, 1000, 10, "stopping: by its runtime, not its timestamp");
    sampler_free(s);
}

/* Only the last report came: its runtime is its clock, however late it is. */
static void test_only_last(void)
{
    struct world over = {.job_start = 270, .rate = 20, .stall_from = 6470, .stall_to = INFINITY};
    struct sampler *s = new_sampler(1000, 6000, BLOCK);
    struct sample x;

    tap_ok(take(s, &over, &(struct moment){.noted = 6470, .wait = 300, .late = LATE}, false, &x),
           "only the last: a sample");
    tap_near(x.iops, 20, 0.1, "only the last: its rate");
    tap_near(x.seconds, 6.2, 0.001, "only the last: its time");
    tap_ok(!take(s, &over, &(struct moment){.noted = 6470, .wait = 303, .late = LATE}, false, &x),
           "the same again is no sample");
    sampler_free(s);
}

/* Mixed block sizes: bytes from io_bytes, whose moment depends on the version. */
static void test_bytes(void)
{
    static const char *const versions[] = {"fio-3.16", "fio-3.39", "fio-3.42"};

    for (size_t i = 0; i < 3; i++) {
        struct world w = {.job_start = 270, .rate = 1000, .version = versions[i]};
        struct sampler *s = new_sampler(1000, 0, 0);
        static const struct moment m[] = {{1160, 0, 0, 2}, {2160, 3000, 0, 2}, {6160, 0, 0, 2}};
        for (size_t k = 0; k < 3; k++) {
            struct sample x;
            tap_ok(take(s, &w, &m[k], false, &x), "bytes: %s report %zu", versions[i], k);
            tap_near(x.bytes_per_s, 1000.0 * BLOCK, 1000.0 * BLOCK * 0.01,
                     "bytes: %s, a stall does not move it, report %zu", versions[i], k);
        }
        sampler_free(s);
    }
}

static void test_absent(void)
{
    struct sampler *s = new_sampler(250, 0, BLOCK);
    struct report r;
    struct sample x;

    report_init(&r);
    tap_ok(!sampler_take(s, &r, 6000000000, false, &x), "a report without jobs is no sample");
    make_report(&r, &steady, &(struct moment){.noted = 660});
    r.jobs->write.ios = COUNTER_ABSENT;
    tap_ok(!sampler_take(s, &r, 6000000000, false, &x), "unknown N is no sample");
    r.jobs->write.ios = 390;
    r.jobs->write.runtime_ms = COUNTER_ABSENT;
    tap_ok(!sampler_take(s, &r, 6000000000, false, &x), "the first without a runtime is none");
    r.jobs->write.ios = 640;
    r.timestamp_ms += 250;
    histogram_add(&r.jobs->write.lat, 100000, 250);
    tap_ok(sampler_take(s, &r, 6250000000, false, &x), "the second without a runtime is one");
    tap_near(x.iops, 1000, 1e-9, "... by the timestamps");
    report_done(&r);
    sampler_free(s);
}

/*
 * A thousand runs of fio with waits, reading delays and clock steps by chance (a fixed sequence):
 * whatever comes, a rate is not more than 1/8 above the true one; where the wall clock was set and
 * we read late in the same interval, the two clocks that are left may be wrong by chance, rarely.
 */
static uint32_t chance(uint32_t *state, uint32_t below)
{
    *state = *state * 1664525u + 1013904223u;
    return (*state >> 8) % below;
}

static void test_never_inflated(void)
{
    uint32_t state = 1;
    unsigned samples = 0, reports = 0, inflated = 0, deflated = 0, stepped = 0, wrong = 0;

    for (unsigned run = 0; run < 1000; run++) {
        struct world w = {.job_start = 250 + chance(&state, 100), .rate = 2000};
        uint32_t interval = 100 + 50 * chance(&state, 10);
        struct sampler *s = new_sampler(interval, 0, BLOCK);
        struct moment m = {.noted = w.job_start - 110}, from = {.noted = w.job_start};
        for (unsigned k = 0; k < 30; k++) {
            struct sample x;
            /* What fio did not report while it waited it does not make up for. */
            do
                m.noted += interval;
            while (m.noted < moment_counters(&from) + interval / 4.0);
            m.wait = chance(&state, 4) ? chance(&state, 5) : chance(&state, 3000);
            m.late = chance(&state, 8) ? chance(&state, 20) : chance(&state, 80);
            bool step = m.wait < 10 && chance(&state, 20) == 0;
            stepped += step;
            if (step)
                m.wall_step += (double)chance(&state, 1u << 22) - (1 << 21);
            reports++;
            if (!take(s, &w, &m, false, &x)) {
                from = m;
                continue;
            }
            double rate = true_rate(&w, &from, &m);
            samples++;
            bool high = x.iops > rate * 1.13 + 2 / x.seconds, low = x.iops < rate * 0.8;
            if (high || low)
                tap_note("run %u report %u: %g, true %g", run, k, x.iops, rate);
            inflated += high && !step;
            deflated += low && !step;
            wrong += (high || low) && step;
            from = m;
        }
        sampler_free(s);
    }
    tap_note("%u reports, %u samples, %u clock steps", reports, samples, stepped);
    tap_int(inflated, 0, "by chance: no rate is inflated");
    tap_int(deflated, 0, "by chance: nor far too low");
    tap_ok(stepped > 500 && wrong * 100 <= stepped, "by chance: nor but rarely at a clock step");
    tap_ok(samples > reports * 8 / 10, "by chance: most reports make a sample");
}

static struct counters *add_job(struct report *r)
{
    r->jobs = mem_realloc_array(r->jobs, r->n_jobs + 1, sizeof(*r->jobs));
    struct job_report *j = &r->jobs[r->n_jobs++];
    memset(j, 0, sizeof(*j));
    counters_init(&j->read);
    counters_init(&j->write);
    return &j->write;
}

static void test_counters_sum(void)
{
    struct report r;
    struct counters sum, copy;

    report_init(&r);
    counters_init(&sum);
    counters_init(&copy);
    counters_sum(&sum, &r, DIRECTION_WRITE);
    tap_ok(sum.ios == COUNTER_ABSENT && isnan(sum.iops), "sum of nothing is absent, not 0");

    struct counters *a = add_job(&r);
    a->ios = 2;
    a->io_bytes = 8192;
    a->runtime_ms = 2000;
    a->iops = 1;
    a->bw_bytes_per_s = 4096;
    a->lat_mean_ns = 15;
    a->lat_stddev_ns = 5;
    a->lat_min_ns = 10;
    a->lat_max_ns = 20;
    a->percentiles[0] = (struct percentile){50, 11};
    a->n_percentiles = 1;
    histogram_add(&a->lat, 10, 1);
    histogram_add(&a->lat, 20, 1);
    counters_sum(&sum, &r, DIRECTION_WRITE);
    tap_near(counters_percentile(&sum, 50), 11, 0, "one job: fio's own percentile");
    tap_near(counters_percentile(&sum, 99), 20, 0, "one job: from the bins where fio has none");
    counters_copy(&copy, &sum);

    struct counters *b = add_job(&r);
    b->ios = 0; /* a job that has not begun must not pull anything to 0 */
    b->io_bytes = 0;
    b->runtime_ms = 0;
    b->iops = 0;
    b->bw_bytes_per_s = 0;
    counters_sum(&sum, &r, DIRECTION_WRITE);
    tap_near(sum.lat_min_ns, 10, 0, "a job without I/O: minimum stays");
    tap_near(counters_percentile(&sum, 50), 11, 0, "a job without I/O: fio's own stays");

    b = add_job(&r);
    b->ios = 2;
    b->runtime_ms = 1000;
    b->io_bytes = 8192;
    b->iops = 2;
    b->bw_bytes_per_s = 8192;
    b->lat_mean_ns = 35;
    b->lat_stddev_ns = 5;
    b->lat_min_ns = 30;
    b->lat_max_ns = 40;
    histogram_add(&b->lat, 30, 1);
    histogram_add(&b->lat, 40, 1);
    counters_sum(&sum, &r, DIRECTION_WRITE);
    tap_int((long long)sum.ios, 4, "ios add up");
    tap_int((long long)sum.io_bytes, 16384, "bytes add up");
    tap_int((long long)sum.runtime_ms, 2000, "runtime is the longest");
    tap_near(sum.iops, 3, 0, "iops add up");
    tap_near(sum.bw_bytes_per_s, 12288, 0, "bandwidths add up");
    tap_near(sum.lat_mean_ns, 25, 1e-9, "mean by weight");
    tap_near(sum.lat_stddev_ns, sqrt(125), 1e-9, "deviation of all");
    tap_near(sum.lat_min_ns, 10, 0, "minimum of all");
    tap_near(sum.lat_max_ns, 40, 0, "maximum of all");
    tap_near(counters_percentile(&sum, 50), 20, 0, "percentile of the merged bins");
    tap_near(counters_percentile(&copy, 50), 11, 0, "a copy is its own");

    r.jobs[0].read.ios = 1;
    histogram_add(&r.jobs[0].read.lat, 1, 1);
    counters_sum(&sum, &r, DIRECTION_MIX);
    tap_int((long long)sum.ios, 5, "mix adds read and write");
    counters_sum(&sum, &r, DIRECTION_READ);
    tap_int((long long)sum.ios, 1, "read alone");

    b = add_job(&r);
    b->ios = 5;
    counters_sum(&sum, &r, DIRECTION_WRITE);
    tap_near(counters_percentile(&sum, 50), NAN, 0, "bins of only some of the I/O: no percentile");

    struct report moved;
    report_init(&moved);
    report_move(&moved, &r);
    tap_ok(moved.n_jobs == 4 && r.n_jobs == 0 && !r.jobs && r.timestamp_ms == -1, "report_move");
    report_done(&moved);
    report_done(&r);
    counters_done(&sum);
    counters_done(&copy);
}

int main(void)
{
    test_counters_sum();
    test_steady();
    test_stories();
    test_no_timestamp();
    test_latency();
    test_cut();
    test_no_bins();
    test_restart();
    test_stopping();
    test_only_last();
    test_bytes();
    test_absent();
    test_never_inflated();
    return tap_done();
}
