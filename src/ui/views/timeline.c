/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The test's time from left to right: throughput above, latency below. The whole planned runtime
 * has its place from the start, so that nothing ever scrolls: a new interval costs the terminal a
 * few cells, and a stall shows as what it was.
 */
#include <math.h>
#include <stdio.h>

#include "scale.h"
#include "sthd/units.h"
#include "views/views.h"

#define GUTTER 9 /* columns left of the chart: what the scale is */

struct timeline {
    const struct cell *cell;
    double begin_s; /* of the first kept sample, in the test's time */
    double span_s;  /* the planned runtime */
    int slots;      /* shares of the span that get a value */
    int slot_cols;
};

static bool make(struct timeline *t, const struct scene *s, int cols)
{
    const struct run *r = s->model->run;
    const struct step *step;

    t->cell = view_shown_cell(s, &step);
    if (!t->cell || !step || step->runtime_s == 0 || cols < 4)
        return false;
    double interval_s = r->plan->settings.interval_ms / 1000.0;
    t->span_s = step->runtime_s;
    double intervals = ceil(t->span_s / interval_s);
    t->slots = intervals < cols ? (int)intervals : cols;
    if (t->slots < 1)
        t->slots = 1;
    t->slot_cols = cols / t->slots;
    t->begin_s = (t->cell->n_samples - t->cell->n_kept) * interval_s;
    return true;
}

/* The sample that covers the middle of a slot; NULL where there was none (yet). */
static const struct sample *sample_of(const struct timeline *t, int slot)
{
    const struct cell *c = t->cell;

    if (c->n_kept == 0)
        return NULL;
    double at = (slot + 0.5) * t->span_s / t->slots - t->begin_s;
    int64_t zero_ns = c->samples[0].at_ns - (int64_t)(c->samples[0].seconds * 1e9);
    int64_t want_ns = zero_ns + (int64_t)(at * 1e9);
    size_t lo = 0, hi = c->n_kept; /* the first sample that ends after it */
    if (at < 0)
        return NULL;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (c->samples[mid].at_ns < want_ns)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo < c->n_kept ? &c->samples[lo] : NULL;
}

static void draw_gutter(const struct canvas *c, int y, int rows, const char *top, const char *name)
{
    for (int i = 0; i < rows; i++)
        canvas_glyph(c, y + i, GUTTER - 1, ROLE_AXIS, GLYPH_VLINE);
    canvas_right(c, y, GUTTER - 2, GUTTER - 2, ROLE_AXIS, top);
    if (rows >= 2)
        canvas_right(c, y + 1, GUTTER - 2, GUTTER - 2, ROLE_HEADING, name);
}

static void draw_rates(const struct canvas *c, const struct timeline *t, int y, int rows, bool iops)
{
    double max = 0;
    char top[UNITS_TEXT];

    for (size_t i = 0; i < t->cell->n_kept; i++) {
        double v = iops ? t->cell->samples[i].iops : t->cell->samples[i].bytes_per_s / 1e6;
        if (v > max)
            max = v;
    }
    max = scale_round_up(max);
    if (iops)
        units_iops(top, max);
    else
        snprintf(top, sizeof(top), "%g", max);
    draw_gutter(c, y, rows, top, iops ? "IOPS" : "MB/s");
    for (int i = 0; i < t->slots; i++) {
        const struct sample *s = sample_of(t, i);
        if (!s)
            continue;
        double v = iops ? s->iops : s->bytes_per_s / 1e6;
        for (int k = 0; k < t->slot_cols; k++)
            canvas_column(c, y + rows - 1, GUTTER + i * t->slot_cols + k, rows, v / max, ROLE_READ);
    }
}

/* p50 as a column, p99 as a point above it. */
static void draw_latencies(const struct canvas *c, const struct timeline *t, int y, int rows)
{
    double max = 0;
    char top[UNITS_TEXT];

    for (size_t i = 0; i < t->cell->n_kept; i++)
        if (t->cell->samples[i].p99_ns > max)
            max = t->cell->samples[i].p99_ns;
    if (max <= 0)
        max = 1e6;
    max = scale_round_up(max);
    draw_gutter(c, y, rows, units_latency(top, max), "p50 p99");
    for (int i = 0; i < t->slots; i++) {
        const struct sample *s = sample_of(t, i);
        if (!s)
            continue;
        int x = GUTTER + i * t->slot_cols;
        for (int k = 0; k < t->slot_cols; k++)
            canvas_column(c, y + rows - 1, x + k, rows, s->p50_ns / max, ROLE_WRITE);
        if (!(s->p99_ns > 0))
            continue;
        int up = (int)(s->p99_ns / max * rows);
        canvas_glyph(c, y + rows - 1 - (up < rows ? up : rows - 1), x + (t->slot_cols - 1) / 2,
                     ROLE_P99, GLYPH_POINT);
    }
}

static void draw_time(const struct canvas *c, const struct timeline *t, int y)
{
    char text[UNITS_TEXT];
    int end = GUTTER + t->slots * t->slot_cols;

    canvas_text(c, y, GUTTER, 4, ROLE_AXIS, "0 s");
    canvas_right(c, y, end, 12, ROLE_AXIS, units_duration(text, t->span_s));
    if (t->slots * t->slot_cols >= 30 && fmod(t->span_s, 2) == 0)
        canvas_right(c, y, GUTTER + t->slots * t->slot_cols / 2 + 2, 12, ROLE_AXIS,
                     units_duration(text, t->span_s / 2));
}

void view_timeline(const struct canvas *c, const struct scene *s)
{
    const struct run *r = s->model->run;
    struct timeline t;

    if (c->rows < 3 || !make(&t, s, c->cols - GUTTER - 1))
        return;
    int rows = c->rows - 1;
    int lower = rows >= 4 ? rows / 2 : 0, upper = rows - lower;
    draw_rates(c, &t, 0, upper, r->plan->settings.profile->view == VIEW_SLOG);
    if (lower)
        draw_latencies(c, &t, upper, lower);
    draw_time(c, &t, rows);
}
