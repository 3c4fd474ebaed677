/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Latency histograms; see histogram.h. Promises: bins stay sorted by value, without duplicates, and
 * total is their sum. Knows nothing of where the bins came from.
 */
#include "sthd/histogram.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "sthd/mem.h"

void histogram_init(struct histogram *h)
{
    *h = (struct histogram){NULL, 0, 0, 0};
}

void histogram_done(struct histogram *h)
{
    free(h->bins);
    histogram_init(h);
}

void histogram_clear(struct histogram *h)
{
    h->n = 0;
    h->total = 0;
}

static void reserve(struct histogram *h, size_t n)
{
    if (n <= h->cap)
        return;
    size_t cap = h->cap ? h->cap : 64;
    while (cap < n)
        cap *= 2;
    h->bins = mem_realloc_array(h->bins, cap, sizeof(*h->bins));
    h->cap = cap;
}

void histogram_copy(struct histogram *to, const struct histogram *from)
{
    if (to == from)
        return;
    reserve(to, from->n);
    if (from->n)
        memcpy(to->bins, from->bins, from->n * sizeof(*to->bins));
    to->n = from->n;
    to->total = from->total;
}

/* Counts come from a file we did not write: they stop at the top instead of wrapping. */
static uint64_t add_capped(uint64_t a, uint64_t b)
{
    uint64_t sum;

    return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

/* The first bin with a value >= ns; h->n if there is none. */
static size_t lower_bound(const struct histogram *h, uint64_t ns)
{
    size_t lo = 0, hi = h->n;

    if (hi && h->bins[hi - 1].ns < ns)
        return hi;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (h->bins[mid].ns < ns)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

void histogram_add(struct histogram *h, uint64_t ns, uint64_t count)
{
    if (count == 0)
        return;
    size_t at = lower_bound(h, ns);
    h->total = add_capped(h->total, count);
    if (at < h->n && h->bins[at].ns == ns) {
        h->bins[at].count = add_capped(h->bins[at].count, count);
        return;
    }
    reserve(h, h->n + 1);
    memmove(h->bins + at + 1, h->bins + at, (h->n - at) * sizeof(*h->bins));
    h->bins[at] = (struct bin){ns, count};
    h->n++;
}

void histogram_merge(struct histogram *into, const struct histogram *from)
{
    struct histogram sum;
    size_t i = 0, j = 0;

    if (from->n == 0)
        return;
    histogram_init(&sum);
    reserve(&sum, into->n + from->n);
    while (i < into->n || j < from->n) {
        bool first = j == from->n || (i < into->n && into->bins[i].ns <= from->bins[j].ns);
        const struct bin *b = first ? &into->bins[i++] : &from->bins[j++];
        histogram_add(&sum, b->ns, b->count);
    }
    histogram_done(into);
    *into = sum;
}

int histogram_subtract(struct histogram *out, const struct histogram *now,
                       const struct histogram *before)
{
    int result = 0;
    size_t j = 0;

    assert(out != now && out != before);
    histogram_clear(out);
    for (size_t i = 0; i < now->n; i++) {
        uint64_t ns = now->bins[i].ns, count = now->bins[i].count, old = 0;
        for (; j < before->n && before->bins[j].ns < ns; j++)
            result = -1; /* a bin that is gone shrank to nothing */
        if (j < before->n && before->bins[j].ns == ns)
            old = before->bins[j++].count;
        if (old > count)
            result = -1;
        else
            histogram_add(out, ns, count - old);
    }
    return j < before->n ? -1 : result;
}

double histogram_percentile(const struct histogram *h, double share)
{
    uint64_t seen = 0;

    assert(share > 0 && share <= 1);
    for (size_t i = 0; i < h->n; i++) {
        seen = add_capped(seen, h->bins[i].count);
        if ((double)seen >= share * (double)h->total)
            return (double)h->bins[i].ns;
    }
    /* Only an empty histogram gets here: at its last bin seen is the total. */
    return NAN;
}

double histogram_mean(const struct histogram *h)
{
    double sum = 0;

    if (h->total == 0)
        return NAN;
    for (size_t i = 0; i < h->n; i++)
        sum += (double)h->bins[i].ns * (double)h->bins[i].count;
    return sum / (double)h->total;
}
