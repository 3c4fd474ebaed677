/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef STHD_SAMPLE_H
#define STHD_SAMPLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sthd/histogram.h"
#include "sthd/profile.h"

/*
 * Cumulative figures as fio reports them (struct report), and the figures of one interval, which
 * are the difference of two of them (struct sample). A field that a report does not have is
 * COUNTER_ABSENT or NAN, never 0.
 */
#define COUNTER_ABSENT UINT64_MAX

struct percentile {
    double percent; /* 50, 99, 99.9 */
    double ns;
};
#define PERCENTILES_MAX 20

struct counters {        /* one direction of one job (or group), since the job began */
    uint64_t ios;        /* completed: clat N, else the sum of the bins, else total_ios */
    uint64_t ios_issued; /* total_ios */
    uint64_t io_bytes;
    uint64_t runtime_ms;
    double bw_bytes_per_s; /* bw_bytes; before fio 3.2 bw (KiB/s) x 1024 */
    double iops;
    double lat_mean_ns, lat_min_ns, lat_max_ns, lat_stddev_ns; /* completion latency */
    struct percentile percentiles[PERCENTILES_MAX];            /* fio's own, of clat */
    size_t n_percentiles;
    struct histogram lat; /* empty where there are no bins */
};

struct job_report {
    char name[64];
    int error;               /* errno, 0 none */
    double usr_cpu, sys_cpu; /* percent of one core per job, as fio says */
    struct counters read, write;
};

struct report {
    char fio_version[32]; /* "fio-3.33" */
    int64_t timestamp_ms; /* wall clock, after fio waited for its workers; -1 absent */
    struct job_report *jobs;
    size_t n_jobs;
};

void report_init(struct report *r);
void report_done(struct report *r);
/* Moves from into to (to is freed first; from is left initialised and empty). */
void report_move(struct report *to, struct report *from);

/*
 * One direction of all jobs together: counts, bytes, rates and bins are sums (so the percentiles
 * are exact), runtime the longest, mean weighted by N, min and max over all. With one job a plain
 * copy, fio's own percentiles kept; with more, they are computed from the merged bins. out must be
 * initialised (counters_init). DIRECTION_MIX adds read and write.
 */
void counters_init(struct counters *c);
void counters_done(struct counters *c);
void counters_copy(struct counters *to, const struct counters *from); /* to is initialised */
void counters_sum(struct counters *out, const struct report *r, enum direction d);
/* fio's own percentile if reported, else from the bins, else NAN. ns. */
double counters_percentile(const struct counters *c, double percent);

struct sample {     /* figures of one interval; NAN where unknown */
    int64_t at_ns;  /* when the report arrived, our monotonic clock */
    double seconds; /* length of the interval by the clock that was used; > 0 */
    uint64_t ios;
    double iops;
    double bytes_per_s;
    double mean_ns, p50_ns, p99_ns;
    bool restarted; /* the counters went back: this sample starts at now's zero */
};

/* What turns cumulative reports into samples. One per step. */
struct sampler;

struct sampler_spec {
    enum direction direction;
    uint64_t block_bytes; /* fixed block size: bytes of an interval = N x block; 0: from io_bytes */
    uint32_t runtime_ms;  /* planned; a report whose runtime reaches it is the last: runtime is its
                             clock. 0: open end */
    uint32_t interval_ms;
    int64_t began_ns; /* when fio was started, our monotonic clock */
};

struct sampler *sampler_new(const struct sampler_spec *spec);
void sampler_free(struct sampler *s);
/*
 * Takes the next report and its arrival time (monotonic ns). Returns true and fills out when it
 * makes a sample; false for a report that cannot: before any I/O; the first, if it was late, so
 * that its clock is not known to 1/8; less than 1/8 of interval_ms after the one before (it goes
 * into the next). The interval is d(timestamp_ms), also over a stall, unless that clock was stepped
 * (it disagrees with the arrival times and with the runtimes by more than a report may be late):
 * then arrival times. stopping: fio was told to stop, so the clock of a last report is its runtime.
 * An interval in which no I/O ended is a sample with iops 0 and no latencies.
 */
bool sampler_take(struct sampler *s, const struct report *r, int64_t arrival_ns, bool stopping,
                  struct sample *out);
/*
 * Running mean over all samples since the step began (or the counters began anew), by the same
 * clocks; latencies are of all I/O so far. NAN before the first sample.
 */
void sampler_mean(const struct sampler *s, struct sample *out);
/*
 * Something was changed now: the interval under way is of before and after, so it belongs to
 * neither. What sampler_stretch gives from here on begins with the next report's counters.
 */
void sampler_cut(struct sampler *s);
/*
 * As sampler_mean, of the intervals since the last cut (or, where there was none, all of them);
 * percentiles are exact, from differences of bins.
 */
void sampler_stretch(const struct sampler *s, struct sample *out);

#endif
