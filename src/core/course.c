/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The course of a long write, and its knees; see course.h. Levels are compared as logarithms, so
 * that a half is as far from one as a double, and by medians, so that a stall here and there moves
 * nothing.
 */
#include "sthd/course.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sthd/mem.h"
#include "sthd/units.h"

/* A level of fewer points than this may be chance. */
#define LEVEL_POINTS 8u
/* Less than this and nothing is said. */
#define POINTS_MIN (4 * LEVEL_POINTS)
/*
 * How far beyond the scatter a change has to be, in standard errors of two medians; and how many of
 * the pairs of points from both sides have to agree. There are hundreds of places to be wrong at:
 * tests/unit/test-course has the share of false knees in noise of several kinds.
 */
#define CHANGE_ERRORS 6.0
#define CHANGE_AGREE  0.9
/* The error of a median of normal noise, in those of a mean; and a deviation from its median. */
#define MEDIAN_ERROR  1.2533
#define MAD_DEVIATION 1.4826
/* Mean distance of two points, in deviations: 2 / sqrt(pi). */
#define MEAN_DIFFERENCE 1.1284
/* Devices are no steadier than this: without a floor, the last digit would be a knee. */
#define DEVIATION_MIN 0.01
/* As much of a change has to be where it is said to be. */
#define SHARP_SHARE 0.65

/* The course is judged again when it has grown by this share of itself. */
#define JUDGE_GROWTH 32u

void course_done(struct course *c)
{
    free(c->points);
    memset(c, 0, sizeof(*c));
}

void course_add(struct course *c, uint64_t bytes, double seconds)
{
    if (!(seconds > 0) || !isfinite(seconds))
        return;
    if (bytes == 0) {
        c->stalled_s += seconds;
        return;
    }
    seconds += c->stalled_s;
    c->stalled_s = 0;
    c->bytes += bytes;
    if (!c->points)
        c->points = mem_zalloc(COURSE_POINTS * sizeof(*c->points));
    if (c->n > 0 && c->points[c->n - 1].bytes < c->point_bytes) {
        c->points[c->n - 1].bytes += bytes;
        c->points[c->n - 1].seconds += seconds;
        return;
    }
    if (c->n == COURSE_POINTS) {
        /* By bytes and not by time: the short time at the cache's rate is many bytes. */
        size_t n = 0;
        c->point_bytes = c->bytes / (COURSE_POINTS / 2);
        for (size_t i = 0; i < c->n; i++) {
            if (n > 0 && c->points[n - 1].bytes < c->point_bytes) {
                c->points[n - 1].bytes += c->points[i].bytes;
                c->points[n - 1].seconds += c->points[i].seconds;
            } else {
                c->points[n++] = c->points[i];
            }
        }
        c->n = n;
    }
    c->points[c->n++] = (struct course_point){bytes, seconds};
}

double course_rate(const struct course *c, double from_bytes, double to_bytes)
{
    double at = 0, bytes = 0, seconds = 0;

    for (size_t i = 0; i < c->n; i++) {
        const struct course_point *p = &c->points[i];
        double here = (double)p->bytes;
        double part = fmin(at + here, to_bytes) - fmax(at, from_bytes);
        at += here;
        if (part <= 0)
            continue;
        bytes += part;
        seconds += p->seconds * part / here;
    }
    return seconds > 0 ? bytes / seconds : NAN;
}

bool course_is_due(const struct course *c)
{
    return c->bytes - c->judged_bytes > c->judged_bytes / JUDGE_GROWTH;
}

/* --- medians ---------------------------------------------------------------------------------- */

static int by_size(const void *a, const void *b)
{
    const double *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

/* Sorts v. */
static double median(double *v, size_t n)
{
    qsort(v, n, sizeof(*v), by_size);
    return n % 2 ? v[n / 2] : (v[n / 2 - 1] + v[n / 2]) / 2;
}

struct level {
    double middle, deviation;
    size_t n;
};

static struct level level_of(const double *x, size_t n)
{
    double v[COURSE_POINTS];
    struct level l = {.n = n};

    memcpy(v, x, n * sizeof(*v));
    l.middle = median(v, n);
    for (size_t i = 0; i < n; i++)
        v[i] = fabs(x[i] - l.middle);
    l.deviation = fmax(MAD_DEVIATION * median(v, n), DEVIATION_MIN);
    return l;
}

/*
 * How much a point scatters, whatever the level does: from neighbours. The mean and not the median:
 * where fast and slow points take turns, most neighbours may still be alike.
 */
static double scatter_of(const double *x, size_t n)
{
    double sum = 0;

    for (size_t i = 1; i < n; i++)
        sum += fabs(x[i] - x[i - 1]);
    return fmax(sum / (double)(n - 1) / MEAN_DIFFERENCE, DEVIATION_MIN);
}

/* The share of the pairs in which the right one is on the side that the medians say. */
static double agreement(const double *left, size_t nl, const double *right, size_t nr, bool up)
{
    size_t agree = 0;

    for (size_t i = 0; i < nl; i++)
        for (size_t j = 0; j < nr; j++)
            agree += up ? right[j] > left[i] : right[j] < left[i];
    return (double)agree / (double)(nl * nr);
}

/* --- knees ------------------------------------------------------------------------------------ */

struct search {
    double x[COURSE_POINTS]; /* logarithms of the rates */
    double scatter;
    size_t knees[COURSE_POINTS]; /* the first point of the new level; in order when done */
    size_t n_knees;
};

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* The change of level at point k, seen through windows of w points inside [from, to). */
static double change_at(const struct search *s, size_t from, size_t k, size_t to, size_t w)
{
    size_t nl = least(w, k - from), nr = least(w, to - k);
    struct level left = level_of(s->x + k - nl, nl), right = level_of(s->x + k, nr);
    double change = right.middle - left.middle;
    double dl = fmax(left.deviation, s->scatter), dr = fmax(right.deviation, s->scatter);
    double error = MEDIAN_ERROR * sqrt(dl * dl / (double)nl + dr * dr / (double)nr);

    if (fabs(change) < log(COURSE_CONTRAST) || fabs(change) < CHANGE_ERRORS * error)
        return 0;
    if (agreement(s->x + k - nl, nl, s->x + k, nr, change > 0) < CHANGE_AGREE)
        return 0;
    return change;
}

/* Where in [from, to) one level ends and the other begins, by the distances from both. */
static size_t sharpen(const struct search *s, size_t from, size_t to, double before, double after)
{
    double cost = 0, best = 0;
    size_t at = from;

    for (size_t i = from; i < to; i++) { /* point i goes from the new level to the old one */
        cost += fabs(s->x[i] - before) - fabs(s->x[i] - after);
        if (cost < best) {
            best = cost;
            at = i + 1;
        }
    }
    return at;
}

/*
 * Whether the change is there, and not spread over the windows that it was seen through: between
 * windows a quarter as wide (and a little apart, for it may take a moment) it is still most of it,
 * where of a slow drift it would be a third.
 */
static bool is_sharp(const struct search *s, size_t from, size_t k, size_t to, size_t w,
                     double change)
{
    size_t wide = (least(w, k - from) + least(w, to - k)) / 2, gap = wide / 20;
    size_t n = wide / 4 > LEVEL_POINTS ? wide / 4 : LEVEL_POINTS;

    if (k < from + gap + LEVEL_POINTS || k + gap + LEVEL_POINTS > to)
        gap = 0;
    size_t nl = least(n, k - gap - from), nr = least(n, to - k - gap);
    struct level left = level_of(s->x + k - gap - nl, nl), right = level_of(s->x + k + gap, nr);
    return (right.middle - left.middle) / change >= SHARP_SHARE;
}

static void find_knees(struct search *s, size_t from, size_t to)
{
    double best = 0;
    size_t at = 0;

    if (to - from < 2 * LEVEL_POINTS)
        return;
    /* Wide windows need not look at every point: the exact place is found afterwards. */
    for (size_t w = LEVEL_POINTS; w <= to - from; w *= 2)
        for (size_t k = from + LEVEL_POINTS; k + LEVEL_POINTS <= to; k += 1 + w / 16) {
            double c = change_at(s, from, k, to, w);
            double score = fabs(c) * sqrt((double)least(w, least(k - from, to - k)));
            if (score <= best)
                continue;
            size_t lo = k - least(w, k - from), hi = k + least(w, to - k);
            size_t exact = sharpen(s, lo, hi, level_of(s->x + lo, k - lo).middle,
                                   level_of(s->x + k, hi - k).middle);
            if (exact < from + LEVEL_POINTS || exact + LEVEL_POINTS > to ||
                !is_sharp(s, from, exact, to, w, c) || !change_at(s, from, exact, to, w))
                continue;
            best = score;
            at = exact;
        }
    if (at == 0)
        return;
    find_knees(s, from, at);
    s->knees[s->n_knees++] = at;
    find_knees(s, at, to);
}

/* Neighbouring levels that are one after all: the knee between them goes, the weakest first. */
static void drop_weak(struct search *s, size_t n)
{
    while (s->n_knees > 0) {
        double weakest = INFINITY;
        size_t which = 0;
        for (size_t i = 0; i < s->n_knees; i++) {
            size_t from = i > 0 ? s->knees[i - 1] : 0, k = s->knees[i];
            size_t to = i + 1 < s->n_knees ? s->knees[i + 1] : n;
            double change =
                fabs(level_of(s->x + k, to - k).middle - level_of(s->x + from, k - from).middle);
            if (change < weakest) {
                weakest = change;
                which = i;
            }
        }
        if (weakest >= log(COURSE_CONTRAST))
            return;
        s->n_knees--;
        memmove(s->knees + which, s->knees + which + 1, (s->n_knees - which) * sizeof(s->knees[0]));
    }
}

static void name_knees(const struct search *s, const struct course *c, struct course_verdict *v)
{
    uint64_t bytes = 0;
    size_t i = 0;

    for (size_t k = 0; k < s->n_knees; k++) {
        size_t from = k > 0 ? s->knees[k - 1] : 0, at = s->knees[k];
        size_t to = k + 1 < s->n_knees ? s->knees[k + 1] : c->n;
        for (; i < at; i++)
            bytes += c->points[i].bytes;
        v->knees[k] =
            (struct knee){.at_bytes = bytes,
                          .before_bytes_per_s = exp(level_of(s->x + from, at - from).middle),
                          .after_bytes_per_s = exp(level_of(s->x + at, to - at).middle)};
    }
    v->n_knees = s->n_knees;
}

static bool drifts(const struct search *s, size_t n, size_t part)
{
    struct level first = level_of(s->x, part), last = level_of(s->x + n - part, part);
    double change = last.middle - first.middle;

    return fabs(change) >= log(COURSE_CONTRAST) &&
           agreement(s->x, part, s->x + n - part, part, change > 0) >= CHANGE_AGREE;
}

void course_judge(struct course *c)
{
    struct course_verdict *v = &c->verdict;
    double sorted[COURSE_POINTS];
    struct search s;
    size_t n = c->n;

    memset(v, 0, sizeof(*v));
    v->kind = COURSE_SHORT;
    c->judged_bytes = c->bytes;
    /* The last point may have begun just now. */
    if (n > 0 && c->points[n - 1].bytes < c->point_bytes)
        n--;
    if (n < POINTS_MIN)
        return;
    for (size_t i = 0; i < n; i++)
        s.x[i] = log((double)c->points[i].bytes / c->points[i].seconds);
    size_t part = n / 8 > LEVEL_POINTS ? n / 8 : LEVEL_POINTS;
    v->first_bytes_per_s = exp(level_of(s.x, part).middle);
    v->last_bytes_per_s = exp(level_of(s.x + n - part, part).middle);
    memcpy(sorted, s.x, n * sizeof(*sorted));
    v->middle_bytes_per_s = exp(median(sorted, n));
    v->low_bytes_per_s = exp(sorted[n / 10]);
    v->high_bytes_per_s = exp(sorted[n - 1 - n / 10]);

    s.scatter = scatter_of(s.x, n);
    s.n_knees = 0;
    find_knees(&s, 0, n);
    drop_weak(&s, n);
    if (s.n_knees > COURSE_KNEES) {
        v->kind = COURSE_UNSTEADY;
    } else if (s.n_knees > 0) {
        v->kind = COURSE_KNEED;
        name_knees(&s, c, v);
    } else if (drifts(&s, n, part)) {
        v->kind = COURSE_DRIFTING;
    } else if (v->high_bytes_per_s > v->low_bytes_per_s * COURSE_CONTRAST * COURSE_CONTRAST) {
        v->kind = COURSE_UNSTEADY;
    } else {
        v->kind = COURSE_STEADY;
    }
}

/* --- in words --------------------------------------------------------------------------------- */

const char *course_kind_name(enum course_kind k)
{
    static const char *const names[] = {[COURSE_SHORT] = "short",
                                        [COURSE_STEADY] = "steady",
                                        [COURSE_KNEED] = "knees",
                                        [COURSE_DRIFTING] = "drifting",
                                        [COURSE_UNSTEADY] = "unsteady"};

    return names[k];
}

/* "3.2 GB/s", "640 MB/s" */
static const char *rate(char out[UNITS_TEXT], double bytes_per_s)
{
    if (bytes_per_s >= 999.5e6)
        snprintf(out, UNITS_TEXT, "%.1f GB/s", bytes_per_s / 1e9);
    else if (bytes_per_s >= 9.95e6)
        snprintf(out, UNITS_TEXT, "%.0f MB/s", bytes_per_s / 1e6);
    else
        snprintf(out, UNITS_TEXT, "%.2g MB/s", bytes_per_s / 1e6);
    return out;
}

static const char *moved(double before, double after)
{
    return after < before ? "fell" : "rose";
}

void course_sentence(const struct course_verdict *v, struct buf *out)
{
    char a[UNITS_TEXT], b[UNITS_TEXT], at[UNITS_TEXT];

    switch (v->kind) {
    case COURSE_SHORT:
        buf_adds(out, "too short to tell whether it lasts");
        break;
    case COURSE_STEADY:
        buf_addf(out, "steady at %s (10th to 90th percentile %s to %s)",
                 rate(a, v->middle_bytes_per_s), rate(b, v->low_bytes_per_s),
                 rate(at, v->high_bytes_per_s));
        break;
    case COURSE_KNEED:
        for (size_t i = 0; i < v->n_knees; i++) {
            const struct knee *k = &v->knees[i];
            const char *verb = moved(k->before_bytes_per_s, k->after_bytes_per_s);
            units_size(at, k->at_bytes);
            if (i == 0)
                buf_addf(out, "%s from %s to %s after %s", verb, rate(a, k->before_bytes_per_s),
                         rate(b, k->after_bytes_per_s), at);
            else
                buf_addf(out, ", %s to %s after %s", verb, rate(b, k->after_bytes_per_s), at);
        }
        break;
    case COURSE_DRIFTING:
        buf_addf(out, "%s slowly from %s to %s, with no place where it changed",
                 moved(v->first_bytes_per_s, v->last_bytes_per_s), rate(a, v->first_bytes_per_s),
                 rate(b, v->last_bytes_per_s));
        break;
    case COURSE_UNSTEADY:
        buf_addf(out, "up and down between %s and %s, with no level that lasts",
                 rate(a, v->low_bytes_per_s), rate(b, v->high_bytes_per_s));
        break;
    }
}
