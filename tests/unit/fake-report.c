/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reports made by hand, for tests of what is done with them. */
#include "fake-report.h"

#include <stdio.h>
#include <string.h>

#include "sthd/mem.h"

static void fill(struct counters *c, const struct fake_job *job, uint64_t block_bytes)
{
    c->ios = c->ios_issued = job->ios;
    c->io_bytes = job->ios * block_bytes;
    c->runtime_ms = job->runtime_ms;
    c->bw_bytes_per_s = job->bw_bytes_per_s;
    c->iops = job->iops;
    if (job->ios == 0)
        return;
    c->lat_mean_ns = job->p50_ns;
    c->lat_min_ns = job->p50_ns / 2;
    c->lat_max_ns = job->p99_ns * 2;
    c->percentiles[0] = (struct percentile){50, job->p50_ns};
    c->percentiles[1] = (struct percentile){99, job->p99_ns};
    c->n_percentiles = 2;
    histogram_add(&c->lat, (uint64_t)job->p50_ns, job->ios);
}

/* Three of four are reads, and a write takes half as long again. */
static void fill_mix(struct job_report *r, const struct fake_job *job, uint64_t block_bytes)
{
    struct fake_job read = *job, write = *job;

    write.ios = job->ios / 4;
    read.ios = job->ios - write.ios;
    read.iops *= 0.75;
    write.iops *= 0.25;
    read.bw_bytes_per_s *= 0.75;
    write.bw_bytes_per_s *= 0.25;
    write.p50_ns *= 1.5;
    write.p99_ns *= 1.5;
    fill(&r->read, &read, block_bytes);
    fill(&r->write, &write, block_bytes);
}

void fake_report(struct report *r, enum direction d, uint64_t block_bytes,
                 const struct fake_job *jobs, size_t n, int64_t timestamp_ms)
{
    report_done(r);
    snprintf(r->fio_version, sizeof(r->fio_version), "fio-3.33");
    r->timestamp_ms = timestamp_ms;
    r->jobs = mem_zalloc(n * sizeof(*r->jobs));
    r->n_jobs = n;
    for (size_t i = 0; i < n; i++) {
        counters_init(&r->jobs[i].read);
        counters_init(&r->jobs[i].write);
        r->jobs[i].error = jobs[i].error;
        if (d != DIRECTION_MIX)
            fill(d == DIRECTION_READ ? &r->jobs[i].read : &r->jobs[i].write, &jobs[i], block_bytes);
        else
            fill_mix(&r->jobs[i], &jobs[i], block_bytes);
    }
}
