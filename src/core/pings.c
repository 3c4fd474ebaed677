/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Requests one by one; see pings.h. */
#include "sthd/pings.h"

#include <math.h>

/* Mean and spread of what was seen so far; B. P. Welford, Technometrics 4 (1962). */
struct moments {
    double n, mean, squares;
};

static void include(struct moments *m, double x)
{
    double off = x - m->mean;

    m->n++;
    m->mean += off / m->n;
    m->squares += off * (x - m->mean);
}

static enum ping_tag judge(const struct moments *m, double ns)
{
    double spread = m->n > 1 ? sqrt(m->squares / m->n) : 0;

    if (m->n < PING_ENOUGH)
        return PING_PLAIN;
    return ns > m->mean + PING_SPREADS * spread   ? PING_SLOW
           : ns < m->mean - PING_SPREADS * spread ? PING_FAST
                                                  : PING_PLAIN;
}

size_t pings_of(const struct sample *samples, size_t n, uint64_t skipped, struct ping *out)
{
    struct moments seen = {0};
    uint64_t number = 1;
    size_t lines = 0;

    for (size_t i = 0; i < n; i++) {
        const struct sample *s = &samples[i];
        if (s->ios == 0 || !(s->mean_ns > 0))
            continue;
        bool warmup = number == 1 && skipped == 0;
        out[lines++] = (struct ping){
            .first = number,
            .n = s->ios,
            .at_ns = s->at_ns,
            .ns = s->mean_ns,
            .tag = warmup ? PING_WARMUP : judge(&seen, s->mean_ns),
        };
        number += s->ios;
        if (!warmup)
            include(&seen, s->mean_ns);
    }
    return lines;
}

const char *ping_tag_name(enum ping_tag t)
{
    static const char *const names[] = {
        [PING_PLAIN] = "", [PING_WARMUP] = "warm-up", [PING_FAST] = "fast", [PING_SLOW] = "slow"};

    return names[t];
}
