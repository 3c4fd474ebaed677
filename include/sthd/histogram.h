/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef STHD_HISTOGRAM_H
#define STHD_HISTOGRAM_H

#include <stddef.h>
#include <stdint.h>

/*
 * Latency histogram as fio's json+ gives it: value (ns, the middle of fio's bucket) and count,
 * ascending, only buckets that are not empty. fio has 64 buckets per power of two, so a value is
 * within 1/128 of the truth (fio: stat.h).
 */
struct bin {
    uint64_t ns;
    uint64_t count;
};

struct histogram {
    struct bin *bins;
    size_t n;
    size_t cap;
    uint64_t total;
};

void histogram_init(struct histogram *h);
void histogram_done(struct histogram *h);
void histogram_clear(struct histogram *h);
void histogram_copy(struct histogram *to, const struct histogram *from);
/* Adds count at ns; any order, though ascending is fastest. */
void histogram_add(struct histogram *h, uint64_t ns, uint64_t count);
void histogram_merge(struct histogram *into, const struct histogram *from);
/*
 * out = now - before. A bucket that shrank counts as 0 and makes the result -1 (the counters were
 * reset in between: treat now as a new start); otherwise 0. out must be neither operand.
 */
int histogram_subtract(struct histogram *out, const struct histogram *now,
                       const struct histogram *before);
/*
 * The smallest bin whose cumulative count is >= share x total: fio's own rule. share in (0, 1].
 * NAN when empty. ns.
 */
double histogram_percentile(const struct histogram *h, double share);
/* Mean of the bin values, ns; NAN when empty. */
double histogram_mean(const struct histogram *h);

#endif
