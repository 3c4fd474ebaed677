/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Turns fio's cumulative reports into figures of one interval; see sample.h. Promises: a rate is
 * never inflated by a stall, and where the length of an interval is not known there is no sample.
 * Knows no clock of its own.
 *
 * A report is taken at two moments: fio notes the runtime, waits until each worker has passed an
 * I/O (a stall makes that long), and then reads the counters and the wall clock (timestamp_ms). So
 * the counters belong to timestamp_ms. Only the last report has no such wait, but its timestamp is
 * 100 to 300 ms after the end of the I/O: there the runtime is right.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "sthd/mem.h"
#include "sthd/sample.h"

/* From starting fio to the start of its jobs, at the least (3.25 and later; older ones need more).
 */
#define STARTUP_MIN_MS 150.0
/* ... and at the most, in a first report that is believed to be on time. */
#define STARTUP_MAX_MS 900.0
/* How much a rate may be off because the moment of the counters is not known exactly. */
#define CLOCK_SLACK 0.125
/* A last report comes this long after the end of the I/O, at the most. */
#define LAST_LAG_MS 500.0

struct sampler {
    struct sampler_spec spec;
    bool have_before;
    struct counters before; /* where the interval under way began */
    struct counters now;    /* scratch */
    struct histogram lat;   /* scratch: of the interval */
    int64_t before_timestamp_ms, before_arrival_ns;
    /*
     * The moment of before's counters on the job's own time line, ms. Its runtime is the moment
     * before the wait, so the difference of the two is the wait, and the smallest one seen is the
     * error of where the time line began.
     */
    double before_at_ms, smallest_wait_ms;
    uint64_t total_ios; /* of all samples since the counters began */
    double total_seconds, total_bytes;
    /* Since the last cut. */
    struct counters stretch_from;
    bool stretch_is_cut; /* stretch_from counts; else the stretch began with the counters */
    bool cut_pending;    /* the next report's counters become stretch_from */
    uint64_t stretch_ios;
    double stretch_seconds, stretch_bytes;
};

struct sampler *sampler_new(const struct sampler_spec *spec)
{
    struct sampler *s = mem_zalloc(sizeof(*s));

    s->spec = *spec;
    counters_init(&s->before);
    counters_init(&s->now);
    histogram_init(&s->lat);
    counters_init(&s->stretch_from);
    s->smallest_wait_ms = INFINITY;
    return s;
}

void sampler_free(struct sampler *s)
{
    if (!s)
        return;
    counters_done(&s->before);
    counters_done(&s->now);
    histogram_done(&s->lat);
    counters_done(&s->stretch_from);
    free(s);
}

static bool known(uint64_t counter)
{
    return counter != COUNTER_ABSENT;
}

static bool went_back(uint64_t now, uint64_t before)
{
    return known(now) && known(before) && now < before;
}

/* The job has begun its I/O: its clock runs. */
static bool is_running(const struct counters *c)
{
    return known(c->runtime_ms) && c->runtime_ms > 0;
}

/* Two measurements of one interval, ms, differ by no more than a rate may be off. */
static bool agree(double a, double b)
{
    return fabs(a - b) <= fmax(fabs(a), fabs(b)) * CLOCK_SLACK;
}

/* ... or than a report of many jobs has been seen to be late when nothing was wrong. */
static bool nearly_agree(double a, double b)
{
    return fabs(a - b) <= 80 || agree(a, b);
}

/* Reports closer together than this are one: a rate over a few ms is noise. */
static double shortest_interval_ms(const struct sampler *s)
{
    return fmax(5, s->spec.interval_ms / 8.0);
}

/*
 * Length of the interval between the counters of two reports, ms; NAN when nobody knows. Three
 * clocks are asked: the wall clock in the reports, which is right unless it was stepped; our own at
 * arrival, which is right unless we read late; the runtime, which is right unless fio had to wait.
 */
static double interval_ms(const struct sampler *s, const struct report *r, int64_t arrival_ns)
{
    double arrival = (double)(arrival_ns - s->before_arrival_ns) / 1e6;
    double runtime = NAN; /* agrees with nothing */

    if (is_running(&s->now) && is_running(&s->before))
        runtime = (double)s->now.runtime_ms - (double)s->before.runtime_ms;
    if (r->timestamp_ms < 0 || s->before_timestamp_ms < 0)
        return arrival;
    double wall = (double)r->timestamp_ms - (double)s->before_timestamp_ms;
    if (wall >= 0 && (nearly_agree(wall, arrival) || nearly_agree(wall, runtime)))
        return wall;
    return agree(arrival, runtime) ? fmax(arrival, runtime) : NAN;
}

/*
 * How long fio may have waited between the runtime and the counters of a report that has no valid
 * one before it, ms. The wait is for an I/O of each worker, so it is no longer than the longest
 * I/O; and runtime and wait fit into the time the job had.
 */
static double longest_wait_ms(const struct sampler *s, const struct report *r, int64_t arrival_ns)
{
    double runtime = (double)s->now.runtime_ms, had;

    if (s->have_before) { /* the job began, or began anew, after that report */
        had = interval_ms(s, r, arrival_ns);
    } else {
        had = (double)(arrival_ns - s->spec.began_ns) / 1e6;
        if (had - runtime > STARTUP_MAX_MS)
            return INFINITY;
        had -= STARTUP_MIN_MS;
    }
    double wait = fmin(had - runtime, s->now.lat_max_ns / 1e6); /* fmin ignores a NAN */
    return isnan(wait) ? INFINITY : wait;
}

/* The runtime of the planned end is reached, or the end was asked for: this may be the last one. */
static bool may_be_last(const struct sampler *s, bool stopping)
{
    bool reached =
        s->spec.runtime_ms && known(s->now.runtime_ms) && s->now.runtime_ms >= s->spec.runtime_ms;

    return is_running(&s->now) && (reached || stopping);
}

/* Length of the interval when now is the last report: up to its own runtime. */
static double last_interval_ms(const struct sampler *s, double counters_ms, bool stopping)
{
    double ms = (double)s->now.runtime_ms + s->smallest_wait_ms - s->before_at_ms;

    if (counters_ms < ms || !isfinite(ms))
        return counters_ms;
    /* While fio finishes its I/O in flight, reports still come that are not the last. */
    if (stopping && counters_ms - ms > LAST_LAG_MS)
        return counters_ms;
    return ms;
}

/* The interval that begins here: with now's counters, at_ms on the job's time line. */
static void begin_interval(struct sampler *s, const struct report *r, int64_t arrival_ns,
                           double at_ms)
{
    struct counters swap = s->before;

    s->before = s->now;
    s->now = swap;
    if (known(s->before.runtime_ms))
        s->smallest_wait_ms = fmin(s->smallest_wait_ms, at_ms - (double)s->before.runtime_ms);
    s->before_at_ms = at_ms;
    s->before_timestamp_ms = r->timestamp_ms;
    s->before_arrival_ns = arrival_ns;
    s->have_before = true;
    if (s->cut_pending) {
        counters_copy(&s->stretch_from, &s->before);
        s->stretch_is_cut = true;
        s->cut_pending = false;
    }
}

/* fio's byte count is of the moment of the runtime up to 3.39, of the other counters later. */
static bool bytes_go_with_runtime(const struct report *r)
{
    int major = 0, minor = 0;

    return sscanf(r->fio_version, "fio-%d.%d", &major, &minor) == 2 &&
           (major < 3 || (major == 3 && minor < 40));
}

/* before: NULL when the interval began with the job. */
static double bytes_per_s(const struct sampler *s, const struct report *r,
                          const struct counters *before, uint64_t ios, double seconds)
{
    if (s->spec.block_bytes)
        return (double)ios * (double)s->spec.block_bytes / seconds;
    uint64_t old = before ? before->io_bytes : 0;
    uint64_t old_ms = before ? before->runtime_ms : 0;
    if (!known(s->now.io_bytes) || !known(old) || s->now.io_bytes < old)
        return NAN;
    double bytes = (double)(s->now.io_bytes - old);
    if (!bytes_go_with_runtime(r) || !known(s->now.runtime_ms) || !known(old_ms))
        return bytes / seconds;
    return s->now.runtime_ms > old_ms ? bytes * 1000 / (double)(s->now.runtime_ms - old_ms) : NAN;
}

static bool has_latency(const struct counters *c)
{
    return c && c->ios > 0 && !isnan(c->lat_mean_ns);
}

static void fill_latency(const struct sampler *s, const struct counters *before, struct sample *out)
{
    if (out->ios == 0)
        return;
    if (!before || before->ios == 0) { /* the whole is the interval */
        out->mean_ns = s->now.lat_mean_ns;
        out->p50_ns = counters_percentile(&s->now, 50);
        out->p99_ns = counters_percentile(&s->now, 99);
        return;
    }
    out->p50_ns = histogram_percentile(&s->lat, 0.50);
    out->p99_ns = histogram_percentile(&s->lat, 0.99);
    out->mean_ns = histogram_mean(&s->lat);
    if (s->lat.total == 0 && has_latency(before) && has_latency(&s->now)) {
        double sum = s->now.lat_mean_ns * (double)s->now.ios;
        double old = before->lat_mean_ns * (double)before->ios;
        out->mean_ns = sum >= old ? (sum - old) / (double)out->ios : NAN;
    }
}

static const struct sample nothing = {
    .iops = NAN, .bytes_per_s = NAN, .mean_ns = NAN, .p50_ns = NAN, .p99_ns = NAN};

static void fill(struct sampler *s, const struct report *r, const struct counters *before,
                 int64_t arrival_ns, double ms, struct sample *out)
{
    *out = nothing;
    out->at_ns = arrival_ns;
    out->seconds = ms / 1000;
    out->ios = s->now.ios - (before ? before->ios : 0);
    out->iops = (double)out->ios / out->seconds;
    out->bytes_per_s = bytes_per_s(s, r, before, out->ios, out->seconds);
    fill_latency(s, before, out);
    s->total_ios += out->ios;
    s->total_seconds += out->seconds;
    s->total_bytes += out->bytes_per_s * out->seconds;
    if (s->cut_pending)
        return;
    s->stretch_ios += out->ios;
    s->stretch_seconds += out->seconds;
    s->stretch_bytes += out->bytes_per_s * out->seconds;
}

static void begin_stretch(struct sampler *s)
{
    s->stretch_ios = 0;
    s->stretch_seconds = 0;
    s->stretch_bytes = 0;
}

/* A report with nothing valid before it: its figures are those since its job began. */
static bool take_first(struct sampler *s, const struct report *r, int64_t arrival_ns, bool last,
                       struct sample *out)
{
    double runtime = known(s->now.runtime_ms) ? (double)s->now.runtime_ms : 0;
    bool on_time = last || longest_wait_ms(s, r, arrival_ns) <= runtime * CLOCK_SLACK;
    bool good = s->now.ios > 0 && runtime >= shortest_interval_ms(s) && on_time;

    s->smallest_wait_ms = INFINITY;
    s->total_ios = 0;
    s->total_seconds = 0;
    s->total_bytes = 0;
    begin_stretch(s);
    s->stretch_is_cut = false;
    if (good)
        fill(s, r, NULL, arrival_ns, runtime, out);
    begin_interval(s, r, arrival_ns, runtime);
    return good;
}

bool sampler_take(struct sampler *s, const struct report *r, int64_t arrival_ns, bool stopping,
                  struct sample *out)
{
    bool restarted = false;

    counters_sum(&s->now, r, s->spec.direction);
    if (!known(s->now.ios))
        return false;
    bool last = may_be_last(s, stopping);
    if (s->have_before) {
        int shrank = histogram_subtract(&s->lat, &s->now.lat, &s->before.lat);
        restarted = went_back(s->now.ios, s->before.ios) ||
                    went_back(s->now.ios_issued, s->before.ios_issued) ||
                    (shrank && s->now.lat.total);
    }
    if (!s->have_before || restarted || (s->before.ios == 0 && !is_running(&s->before))) {
        bool good = take_first(s, r, arrival_ns, last, out);
        if (good)
            out->restarted = restarted;
        return good;
    }

    double ms = interval_ms(s, r, arrival_ns);
    if (last)
        ms = last_interval_ms(s, ms, stopping);
    if (isnan(ms)) {
        double runtime = known(s->now.runtime_ms) ? (double)s->now.runtime_ms : 0;
        double error = isfinite(s->smallest_wait_ms) ? s->smallest_wait_ms : 0;
        begin_interval(s, r, arrival_ns, runtime + error);
        return false;
    }
    if (ms < shortest_interval_ms(s))
        return false; /* what it counted goes into the next interval */
    bool good = s->now.ios > 0;
    if (good)
        fill(s, r, &s->before, arrival_ns, ms, out);
    begin_interval(s, r, arrival_ns, s->before_at_ms + ms);
    return good;
}

static void rates(struct sample *out, int64_t at_ns, uint64_t ios, double seconds, double bytes)
{
    *out = nothing;
    if (!(seconds > 0))
        return;
    out->at_ns = at_ns;
    out->seconds = seconds;
    out->ios = ios;
    out->iops = (double)ios / seconds;
    out->bytes_per_s = bytes / seconds;
}

void sampler_mean(const struct sampler *s, struct sample *out)
{
    rates(out, s->before_arrival_ns, s->total_ios, s->total_seconds, s->total_bytes);
    if (!(s->total_seconds > 0) || s->before.ios == 0)
        return;
    out->mean_ns = s->before.lat_mean_ns;
    out->p50_ns = counters_percentile(&s->before, 50);
    out->p99_ns = counters_percentile(&s->before, 99);
}

void sampler_cut(struct sampler *s)
{
    begin_stretch(s);
    s->cut_pending = true;
}

void sampler_stretch(const struct sampler *s, struct sample *out)
{
    struct histogram lat;

    if (s->cut_pending) {
        *out = nothing;
        return;
    }
    if (!s->stretch_is_cut) {
        sampler_mean(s, out);
        return;
    }
    rates(out, s->before_arrival_ns, s->stretch_ios, s->stretch_seconds, s->stretch_bytes);
    if (!(s->stretch_seconds > 0) || s->stretch_ios == 0)
        return;
    histogram_init(&lat);
    if (histogram_subtract(&lat, &s->before.lat, &s->stretch_from.lat) == 0) {
        out->mean_ns = histogram_mean(&lat);
        out->p50_ns = histogram_percentile(&lat, 0.50);
        out->p99_ns = histogram_percentile(&lat, 0.99);
    }
    histogram_done(&lat);
}
