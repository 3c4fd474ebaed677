/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What alignment costs, and which block size that shows; see align.h. */
#include "sthd/align.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "sthd/units.h"

/* The place of a value in a rising list, into which it is put; n when there is no room. */
static size_t place(uint64_t *list, size_t *n, uint64_t value)
{
    size_t at = 0;

    while (at < *n && list[at] < value)
        at++;
    if (at < *n && list[at] == value)
        return at;
    if (*n == ALIGN_MAX)
        return ALIGN_MAX;
    memmove(&list[at + 1], &list[at], (*n - at) * sizeof(*list));
    list[at] = value;
    (*n)++;
    return at;
}

void align_of(struct align *a, const struct run *r)
{
    const struct profile *p = r->plan->settings.profile;

    memset(a, 0, sizeof(*a));
    for (size_t t = 0; t < p->n_tests; t++) {
        place(a->blocks, &a->n_blocks, p->tests[t].block_bytes);
        place(a->offsets, &a->n_offsets, p->tests[t].offset_bytes);
    }
    for (int d = 0; d < DIRECTION_COUNT; d++)
        for (size_t b = 0; b < ALIGN_MAX; b++)
            for (size_t o = 0; o < ALIGN_MAX; o++)
                a->ns[d][b][o] = NAN;
    for (size_t t = 0; t < p->n_tests; t++) {
        size_t b = place(a->blocks, &a->n_blocks, p->tests[t].block_bytes);
        size_t o = place(a->offsets, &a->n_offsets, p->tests[t].offset_bytes);
        for (int d = 0; d < DIRECTION_COUNT && b < ALIGN_MAX && o < ALIGN_MAX; d++)
            a->ns[d][b][o] = run_cell(r, t, (enum direction)d)->mean.mean_ns;
    }
}

double align_ratio(const struct align *a, enum direction d, size_t block, size_t offset)
{
    double best = NAN;

    for (size_t o = 0; o < a->n_offsets; o++)
        best = fmin(best, a->ns[d][block][o]); /* fmin leaves NAN out */
    return a->ns[d][block][offset] / best;
}

unsigned align_heat(double ratio)
{
    static const double from[] = {1.1, 1.3, 1.7, 2.5};
    unsigned heat = 0;

    while (heat < 4 && ratio >= from[heat])
        heat++;
    return heat;
}

/* ---- which size ---- */

struct range {
    double min, max; /* NAN: nothing in it */
};

static void widen(struct range *r, double x)
{
    r->min = fmin(r->min, x); /* which leave NAN out */
    r->max = fmax(r->max, x);
}

/*
 * Of one block size: how far the fastest of the others is behind the slowest of the aligned, as a
 * ratio; 0 when one of the two scatters by more than that in itself. NAN: nothing to compare.
 */
static double gap_of(const struct align *a, enum direction d, size_t b, uint64_t size)
{
    struct range aligned = {NAN, NAN}, others = {NAN, NAN};

    for (size_t o = 0; o < a->n_offsets; o++) {
        double ns = a->ns[d][b][o];
        if (isnan(ns))
            continue;
        widen(a->offsets[o] % size == 0 ? &aligned : &others, ns);
    }
    double gap = others.min / aligned.max;
    return gap < aligned.max / aligned.min || gap < others.max / others.min ? 0 : gap;
}

static bool is_physical(const struct align *a, enum direction d, uint64_t size)
{
    size_t rows = 0;
    double least = INFINITY;

    for (size_t b = 0; b < a->n_blocks; b++) {
        double gap = a->blocks[b] % size ? NAN : gap_of(a, d, b, size);
        if (isnan(gap))
            continue;
        rows++;
        least = fmin(least, gap);
    }
    return rows > 0 && least >= (rows == 1 ? ALIGN_EFFECT_ALONE : ALIGN_EFFECT);
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Median of what the others take, in times of the median of the aligned of their block size. */
static double cost_of(const struct align *a, enum direction d, uint64_t size)
{
    double ratios[ALIGN_MAX * ALIGN_MAX];
    size_t n = 0;

    for (size_t b = 0; b < a->n_blocks; b++) {
        double aligned[ALIGN_MAX];
        size_t k = 0;
        if (a->blocks[b] % size)
            continue;
        for (size_t o = 0; o < a->n_offsets; o++)
            if (a->offsets[o] % size == 0 && !isnan(a->ns[d][b][o]))
                aligned[k++] = a->ns[d][b][o];
        if (k == 0)
            continue;
        qsort(aligned, k, sizeof(aligned[0]), by_value);
        for (size_t o = 0; o < a->n_offsets; o++)
            if (a->offsets[o] % size && !isnan(a->ns[d][b][o]))
                ratios[n++] = a->ns[d][b][o] / aligned[k / 2];
    }
    if (n == 0)
        return NAN;
    qsort(ratios, n, sizeof(ratios[0]), by_value);
    return ratios[n / 2];
}

void align_judge(const struct align *a, struct align_verdict *v)
{
    *v = (struct align_verdict){.times = 1, .direction = DIRECTION_WRITE};
    for (int d = DIRECTION_READ; d <= DIRECTION_WRITE; d++)
        for (uint64_t size = 1024; a->n_blocks > 0 && size <= a->blocks[a->n_blocks - 1];
             size *= 2) {
            if (!is_physical(a, (enum direction)d, size))
                continue;
            double times = cost_of(a, (enum direction)d, size);
            if (times > v->times)
                *v = (struct align_verdict){size, times, (enum direction)d};
        }
}

void align_sentence(const struct align_verdict *v, uint64_t kernel_bytes, struct buf *out)
{
    char size[UNITS_TEXT];

    if (v->physical_bytes)
        buf_addf(out,
                 "physical blocks of %s: %ss that are not aligned to them take %.1f times as long",
                 units_size(size, v->physical_bytes), direction_name(v->direction), v->times);
    else
        buf_adds(out, "no effect of alignment beyond the noise: the device (or a cache before it) "
                      "hides its blocks");
    if (!kernel_bytes)
        return;
    units_size(size, kernel_bytes);
    if (!v->physical_bytes || v->physical_bytes == kernel_bytes)
        buf_addf(out, "; the kernel says %s", size);
    else
        buf_addf(out, "; but the kernel says %s", size);
}
