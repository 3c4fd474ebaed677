/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef STHD_TESTS_FAKE_REPORT_H
#define STHD_TESTS_FAKE_REPORT_H

#include "sthd/sample.h"

/* A report with one job for each of n figures, as fio_report_read would make it. */
struct fake_job {
    uint64_t ios; /* completed; also the weight of its latencies */
    double iops, bw_bytes_per_s, p50_ns, p99_ns;
    uint64_t runtime_ms;
    int error;
};

/* r must be initialised; report_done frees it. timestamp_ms as given. */
void fake_report(struct report *r, enum direction d, uint64_t block_bytes,
                 const struct fake_job *jobs, size_t n, int64_t timestamp_ms);

#endif
