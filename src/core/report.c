/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Cumulative figures as fio reports them; see sample.h. Promises: absent stays absent through every
 * sum, and percentiles are never averaged: they come from fio or from merged bins.
 */
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sthd/mem.h"
#include "sthd/sample.h"

void counters_init(struct counters *c)
{
    *c = (struct counters){
        .ios = COUNTER_ABSENT,
        .ios_issued = COUNTER_ABSENT,
        .io_bytes = COUNTER_ABSENT,
        .runtime_ms = COUNTER_ABSENT,
        .bw_bytes_per_s = NAN,
        .iops = NAN,
        .lat_mean_ns = NAN,
        .lat_min_ns = NAN,
        .lat_max_ns = NAN,
        .lat_stddev_ns = NAN,
    };
    histogram_init(&c->lat);
}

void counters_done(struct counters *c)
{
    histogram_done(&c->lat);
    counters_init(c);
}

void counters_copy(struct counters *to, const struct counters *from)
{
    struct histogram lat = to->lat;

    if (to == from)
        return;
    *to = *from;
    to->lat = lat;
    histogram_copy(&to->lat, &from->lat);
}

void report_init(struct report *r)
{
    *r = (struct report){.timestamp_ms = -1};
}

void report_done(struct report *r)
{
    for (size_t i = 0; i < r->n_jobs; i++) {
        counters_done(&r->jobs[i].read);
        counters_done(&r->jobs[i].write);
    }
    free(r->jobs);
    report_init(r);
}

void report_move(struct report *to, struct report *from)
{
    assert(to != from);
    report_done(to);
    *to = *from;
    report_init(from);
}

static uint64_t add_known(uint64_t a, uint64_t b)
{
    uint64_t sum;

    if (a == COUNTER_ABSENT || b == COUNTER_ABSENT)
        return a == COUNTER_ABSENT ? b : a;
    return __builtin_add_overflow(a, b, &sum) || sum == COUNTER_ABSENT ? COUNTER_ABSENT - 1 : sum;
}

static double add_known_f(double a, double b)
{
    return isnan(a) ? b : isnan(b) ? a : a + b;
}

static bool has_ios(const struct counters *c)
{
    return c->ios != COUNTER_ABSENT && c->ios > 0;
}

/* Mean and variance of two sets as one, by their first and second moments. */
static void merge_moments(struct counters *into, const struct counters *from)
{
    if (isnan(from->lat_mean_ns))
        return;
    if (isnan(into->lat_mean_ns)) {
        into->lat_mean_ns = from->lat_mean_ns;
        into->lat_stddev_ns = from->lat_stddev_ns;
        return;
    }
    double n = (double)into->ios, m = (double)from->ios;
    double mean = (into->lat_mean_ns * n + from->lat_mean_ns * m) / (n + m);
    double d1 = into->lat_mean_ns - mean, d2 = from->lat_mean_ns - mean;
    double v1 = into->lat_stddev_ns * into->lat_stddev_ns + d1 * d1;
    double v2 = from->lat_stddev_ns * from->lat_stddev_ns + d2 * d2;
    into->lat_mean_ns = mean;
    into->lat_stddev_ns = sqrt((v1 * n + v2 * m) / (n + m));
}

/* Both have completed I/O. */
static void merge_latency(struct counters *into, const struct counters *from)
{
    merge_moments(into, from);
    into->lat_min_ns = fmin(into->lat_min_ns, from->lat_min_ns); /* fmin ignores a NAN */
    into->lat_max_ns = fmax(into->lat_max_ns, from->lat_max_ns);
    into->n_percentiles = 0;
    /* Bins of some of the I/O only would give percentiles of nobody knows what. */
    if (into->lat.n == 0 || from->lat.n == 0)
        histogram_clear(&into->lat);
    else
        histogram_merge(&into->lat, &from->lat);
}

static void take_latency(struct counters *into, const struct counters *from)
{
    into->lat_mean_ns = from->lat_mean_ns;
    into->lat_min_ns = from->lat_min_ns;
    into->lat_max_ns = from->lat_max_ns;
    into->lat_stddev_ns = from->lat_stddev_ns;
    memcpy(into->percentiles, from->percentiles, sizeof(into->percentiles));
    into->n_percentiles = from->n_percentiles;
    histogram_copy(&into->lat, &from->lat);
}

static void merge(struct counters *into, const struct counters *from)
{
    if (has_ios(from) && has_ios(into))
        merge_latency(into, from);
    else if (has_ios(from))
        take_latency(into, from);
    into->ios = add_known(into->ios, from->ios);
    into->ios_issued = add_known(into->ios_issued, from->ios_issued);
    into->io_bytes = add_known(into->io_bytes, from->io_bytes);
    into->bw_bytes_per_s = add_known_f(into->bw_bytes_per_s, from->bw_bytes_per_s);
    into->iops = add_known_f(into->iops, from->iops);
    if (from->runtime_ms != COUNTER_ABSENT &&
        (into->runtime_ms == COUNTER_ABSENT || from->runtime_ms > into->runtime_ms))
        into->runtime_ms = from->runtime_ms;
}

void counters_sum(struct counters *out, const struct report *r, enum direction d)
{
    counters_done(out);
    for (size_t i = 0; i < r->n_jobs; i++) {
        if (d != DIRECTION_WRITE)
            merge(out, &r->jobs[i].read);
        if (d != DIRECTION_READ)
            merge(out, &r->jobs[i].write);
    }
}

double counters_percentile(const struct counters *c, double percent)
{
    assert(percent > 0 && percent <= 100);
    for (size_t i = 0; i < c->n_percentiles; i++)
        if (fabs(c->percentiles[i].percent - percent) < 1e-6)
            return c->percentiles[i].ns;
    return histogram_percentile(&c->lat, percent / 100);
}
