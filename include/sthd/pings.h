/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef STHD_PINGS_H
#define STHD_PINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sthd/sample.h"

/*
 * A slow and steady stream of requests, one by one: intervals become lines, each with what it is
 * among those before it. Pure.
 */
enum ping_tag {
    PING_PLAIN,
    PING_WARMUP, /* the first one: what it had to fetch is there for the others */
    PING_FAST,   /* more than PING_SPREADS spreads below the mean of those before it */
    PING_SLOW,   /* as many above it */
};
#define PING_SPREADS 3.0
#define PING_ENOUGH  5u /* requests before it, for a tag */

struct ping {
    uint64_t first, n; /* its number, from 1 on; n > 1: so many requests were in the interval */
    int64_t at_ns;     /* when they were reported */
    double ns;         /* its latency; of several, their mean */
    enum ping_tag tag;
};

/*
 * The requests of the n samples, the first of which is the sample number `skipped` of its run (from
 * 0): then there are as many unknown ones before it. Samples without a request have no line.
 * Returns the number of lines, at most n.
 */
size_t pings_of(const struct sample *samples, size_t n, uint64_t skipped, struct ping *out);
const char *ping_tag_name(enum ping_tag t); /* "" "warm-up" "fast" "slow" */

#endif
