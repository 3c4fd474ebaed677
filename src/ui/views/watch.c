/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One test over time, and what was changed meanwhile: the moment, the figures between the marks,
 * and the last intervals, one column each.
 *
 * The chart scrolls by a quarter of its width at a time, and its scale follows p50, not the
 * outliers of p99: so a new interval costs the terminal one column, and the picture stands still
 * between two looks at it.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "sthd/text.h"
#include "sthd/units.h"
#include "views/views.h"

#define GUTTER        9
#define ROWS_MAX      8
#define P99_OF_P50    3.0 /* the scale goes no further for a p99 than this many times its p50 */
#define SCROLL_SHARES 4

/* --- the table ------------------------------------------------------------------------------- */

enum column { COLUMN_P50, COLUMN_P99, COLUMN_MEAN, COLUMN_IOPS, COLUMN_RATE, COLUMN_TIMES };
#define COLUMN_COUNT 6

static const struct {
    const char *head;
    int cols;
} columns[COLUMN_COUNT] = {
    [COLUMN_P50] = {"p50", 7},   [COLUMN_P99] = {"p99", 7},   [COLUMN_MEAN] = {"mean", 7},
    [COLUMN_IOPS] = {"IOPS", 9}, [COLUMN_RATE] = {"MB/s", 8}, [COLUMN_TIMES] = {"x", 6},
};

/* The right edge of each column; 0: no room for it. Returns where the names have to end. */
static int place(const struct canvas *c, int edges[COLUMN_COUNT])
{
    /* The first are kept longest. */
    static const enum column order[COLUMN_COUNT] = {COLUMN_P50, COLUMN_IOPS, COLUMN_TIMES,
                                                    COLUMN_P99, COLUMN_RATE, COLUMN_MEAN};
    bool fits[COLUMN_COUNT] = {false};
    int names = c->cols >= 70 ? 26 : c->cols >= 40 ? 14 : 8, right = c->cols - 1;

    for (int i = 0, used = 1 + names; i < COLUMN_COUNT; i++) {
        used += columns[order[i]].cols + 2;
        if (used > c->cols - 1)
            break;
        fits[order[i]] = true;
    }
    for (int i = COLUMN_COUNT; i-- > 0;) {
        edges[i] = fits[i] ? right : 0;
        if (fits[i])
            right -= columns[i].cols + 2;
    }
    return right;
}

static void draw_row(const struct canvas *c, int y, const int edges[COLUMN_COUNT],
                     const struct figures *f, double times, enum role role)
{
    char text[COLUMN_COUNT][UNITS_TEXT];

    units_latency(text[COLUMN_P50], f->p50_ns);
    units_latency(text[COLUMN_P99], f->p99_ns);
    units_latency(text[COLUMN_MEAN], f->mean_ns);
    units_iops(text[COLUMN_IOPS], f->iops);
    units_mb_per_s(text[COLUMN_RATE], f->bytes_per_s);
    snprintf(text[COLUMN_TIMES], UNITS_TEXT,
             isnan(times)   ? ""
             : times < 0.95 ? "%.2f"
                            : "%.1f",
             times);
    for (int i = 0; i < COLUMN_COUNT; i++)
        if (edges[i])
            canvas_right(c, y, edges[i], columns[i].cols, role, text[i]);
}

/* The stretches of the run that is on, or was on last, oldest first: from *first to the last. */
static size_t count_stretches(const struct run *r, size_t *first)
{
    size_t n = r->n_stretches, i = n;

    while (i > 0 && r->stretches[i - 1].measuring && r->stretches[i - 1].step == r->step)
        i--;
    *first = i;
    return n - i;
}

size_t view_watch_rows(const struct scene *s, int screen_rows)
{
    size_t first, n = count_stretches(s->model->run, &first);
    size_t most = screen_rows >= 40 ? ROWS_MAX : screen_rows >= 20 ? 4 : 2;

    return 1 + (n < 1 ? 1 : n < most ? n : most);
}

static void draw_stretch(const struct canvas *c, int y, const int edges[COLUMN_COUNT], int name_end,
                         const struct run *r, size_t i)
{
    const struct stretch *st = &r->stretches[i], *before = run_stretch_before(r, i);
    bool newest = i + 1 == r->n_stretches;
    char took[UNITS_TEXT];
    int right = canvas_right(c, y, name_end, 8, ROLE_DIM,
                             st->seconds > 0 ? units_duration(took, round(st->seconds)) : "");

    canvas_text(c, y, 1, right - 2, newest ? ROLE_HEADING : ROLE_TEXT,
                st->mark[0] ? st->mark : "start");
    draw_row(c, y, edges, &st->figures, before ? st->figures.iops / before->figures.iops : NAN,
             newest ? ROLE_FIGURE : ROLE_TEXT);
}

void view_watch(const struct canvas *c, const struct scene *s)
{
    const struct run *r = s->model->run;
    const struct step *step;
    const struct cell *cell = view_shown_cell(s, &step);
    int edges[COLUMN_COUNT], y = 0;
    size_t first, n = count_stretches(r, &first);
    int name_end = place(c, edges);

    canvas_text(c, y, 1, name_end - 1, ROLE_HEADING, n > 1 ? "between the marks" : "");
    for (int i = 0; i < COLUMN_COUNT; i++)
        if (edges[i])
            canvas_right(c, y, edges[i], columns[i].cols, ROLE_HEADING, columns[i].head);
    y++;
    if (cell && cell->state == CELL_RUNNING) {
        canvas_glyph(c, y, 0, ROLE_LIVE, GLYPH_HERE);
        canvas_text(c, y, 2, name_end - 2, ROLE_LIVE, "now");
        draw_row(c, y++, edges, &cell->now, NAN, ROLE_LIVE);
    } else if (cell) {
        canvas_text(c, y, 1, name_end - 1, ROLE_HEADING, "all of it");
        draw_row(c, y++, edges, &cell->mean, NAN, ROLE_FIGURE);
    }
    for (size_t i = first + n; i-- > first && y < c->rows; y++)
        draw_stretch(c, y, edges, name_end, r, i);
}

void view_watch_sentence(const struct canvas *c, const struct run *r)
{
    struct buf text = BUF_INIT;
    size_t first, n = count_stretches(r, &first);

    for (size_t i = first + n; i-- > first && text.len == 0;)
        if (run_stretch_before(r, i))
            run_stretch_sentence(r, i, &text);
    if (text.len == 0)
        buf_adds(&text, r->state == RUN_DONE ? "nothing was changed while it ran"
                                             : "m sets a mark; what was before and after it is "
                                               "compared");
    canvas_text(c, 0, 1, c->cols - 2, n > 1 ? ROLE_TITLE : ROLE_DIM, text.data);
    buf_done(&text);
}

/* --- the chart ------------------------------------------------------------------------------- */

struct chart {
    const struct cell *cell;
    int64_t left_ns; /* the time of the chart's left edge */
    int64_t column_ns;
    int cols;
};

static bool make(struct chart *t, const struct scene *s, int cols)
{
    const struct run *r = s->model->run;
    const struct step *step;

    t->cell = view_shown_cell(s, &step);
    if (!t->cell || cols < 4 || t->cell->n_kept == 0)
        return false;
    t->cols = cols;
    t->column_ns = (int64_t)r->plan->settings.interval_ms * 1000000;
    int64_t past = t->cell->samples[t->cell->n_kept - 1].at_ns - r->step_began_ns;
    int64_t used = past / t->column_ns + 1;
    int64_t jump = cols / SCROLL_SHARES > 0 ? cols / SCROLL_SHARES : 1;
    int64_t over = used > cols ? (used - cols + jump - 1) / jump * jump : 0;
    t->left_ns = r->step_began_ns + over * t->column_ns;
    return true;
}

/* The sample that covers the middle of the column; NULL where there was none (yet). */
static const struct sample *sample_of(const struct chart *t, int column)
{
    const struct cell *c = t->cell;
    int64_t at_ns = t->left_ns + t->column_ns * column + t->column_ns / 2;
    size_t lo = 0, hi = c->n_kept; /* the first sample that ends after it */

    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (c->samples[mid].at_ns < at_ns)
            lo = mid + 1;
        else
            hi = mid;
    }
    if (lo == c->n_kept)
        return NULL;
    const struct sample *s = &c->samples[lo];
    int64_t from_ns = s->at_ns - (int64_t)(s->seconds * 1e9);
    /* Reports arrive a little early or late: what lies between two intervals is no gap. */
    if (lo > 0 && from_ns - c->samples[lo - 1].at_ns < 2 * t->column_ns)
        from_ns = c->samples[lo - 1].at_ns;
    return at_ns >= from_ns ? s : NULL;
}

/* Finer than a log axis: the chart shall show a quarter less as a quarter less. */
static double scale_top(double v)
{
    static const double steps[] = {1, 1.5, 2, 3, 4, 5, 6, 8, 10};

    if (!(v > 0) || !isfinite(v))
        return 1;
    double decade = pow(10, floor(log10(v)));
    for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++)
        if (v <= steps[i] * decade)
            return steps[i] * decade;
    return 10 * decade;
}

/* Over all that is kept, not over what is seen: so it does not move when the chart scrolls. */
static double latency_top(const struct cell *c)
{
    double top = 0;

    for (size_t i = 0; i < c->n_kept; i++) {
        const struct sample *s = &c->samples[i];
        double v = fmin(s->p99_ns, s->p50_ns * P99_OF_P50); /* fmin ignores a NAN */
        if (v > top)
            top = v;
    }
    return scale_top(top > 0 ? top : 1e6);
}

static double iops_top(const struct cell *c)
{
    double top = 0;

    for (size_t i = 0; i < c->n_kept; i++)
        if (c->samples[i].iops > top)
            top = c->samples[i].iops;
    return scale_top(top);
}

static void draw_axis(const struct canvas *c, int y, int rows, const char *top, const char *middle,
                      const char *name)
{
    for (int i = 0; i < rows; i++)
        canvas_glyph(c, y + i, GUTTER - 1, ROLE_AXIS, GLYPH_VLINE);
    canvas_right(c, y, GUTTER - 2, GUTTER - 2, ROLE_AXIS, top);
    if (rows >= 2)
        canvas_right(c, y + 1, GUTTER - 2, GUTTER - 2, ROLE_HEADING, name);
    if (rows >= 5)
        canvas_right(c, y + rows / 2, GUTTER - 2, GUTTER - 2, ROLE_AXIS, middle);
}

static int column_of(const struct chart *t, int64_t at_ns)
{
    return at_ns < t->left_ns ? -1 : (int)((at_ns - t->left_ns) / t->column_ns);
}

/* Lines down through the chart, under what is drawn later. */
static void draw_marks(const struct canvas *c, const struct chart *t, const struct run *r, int rows)
{
    size_t first, n = count_stretches(r, &first);

    for (size_t i = first; i < first + n; i++) {
        int column = column_of(t, r->stretches[i].at_ns);
        if (!r->stretches[i].mark[0] || column < 0 || column >= t->cols)
            continue;
        for (int y = 0; y < rows; y++)
            canvas_glyph(c, y, GUTTER + column, ROLE_WARNING, GLYPH_VLINE);
    }
}

static void draw_mark_names(const struct canvas *c, const struct chart *t, const struct run *r,
                            int y)
{
    size_t first, n = count_stretches(r, &first);
    int end = GUTTER + t->cols, free_until = end;

    /* The newest are named first, and take the room they need. */
    for (size_t i = first + n; i-- > first;) {
        const char *mark = r->stretches[i].mark;
        int column = column_of(t, r->stretches[i].at_ns), width = text_width(mark);
        if (!mark[0] || column < 0 || column >= t->cols)
            continue;
        int x = GUTTER + column;
        if (x + width > end && width <= t->cols)
            x = end - width;
        int room = free_until - x;
        if (room >= 3)
            canvas_text(c, y, x, room, ROLE_WARNING, mark);
        if (x - 1 < free_until)
            free_until = x - 1;
    }
    if (free_until - GUTTER >= 24) {
        char text[UNITS_TEXT];
        canvas_printf(c, y, GUTTER, free_until - GUTTER - 1, ROLE_AXIS, "%s wide",
                      units_duration(text, round((double)t->cols * (double)t->column_ns / 1e9)));
    }
}

/* p50 as a column, p99 as a point above it; a point beyond the scale stands at its edge. */
static void draw_latencies(const struct canvas *c, const struct chart *t, int rows)
{
    double top = latency_top(t->cell);
    char a[UNITS_TEXT], b[UNITS_TEXT];

    draw_axis(c, 0, rows, units_latency(a, top), units_latency(b, top / 2), "p50 p99");
    for (int i = 0; i < t->cols; i++) {
        const struct sample *s = sample_of(t, i);
        if (!s)
            continue;
        canvas_column(c, rows - 1, GUTTER + i, rows, s->p50_ns / top, ROLE_WRITE);
        if (!(s->p99_ns > 0))
            continue;
        int up = (int)(s->p99_ns / top * rows);
        if (up < rows)
            canvas_glyph(c, rows - 1 - up, GUTTER + i, ROLE_P99, GLYPH_POINT);
        else
            canvas_text(c, 0, GUTTER + i, 1, ROLE_P99, "^");
    }
}

static void draw_iops(const struct canvas *c, const struct chart *t, int y, int rows)
{
    double top = iops_top(t->cell);
    char a[UNITS_TEXT], b[UNITS_TEXT];

    draw_axis(c, y, rows, units_iops(a, top), units_iops(b, top / 2), "IOPS");
    for (int i = 0; i < t->cols; i++) {
        const struct sample *s = sample_of(t, i);
        if (s)
            canvas_column(c, y + rows - 1, GUTTER + i, rows, s->iops / top, ROLE_READ);
    }
}

void view_watch_timeline(const struct canvas *c, const struct scene *s)
{
    struct chart t;

    if (c->rows < 3 || !make(&t, s, c->cols - GUTTER - 1))
        return;
    int rows = c->rows - 1;
    int lower = rows >= 6 ? rows / 3 : 0, upper = rows - lower;
    draw_marks(c, &t, s->model->run, rows);
    draw_latencies(c, &t, upper);
    if (lower)
        draw_iops(c, &t, upper, lower);
    draw_mark_names(c, &t, s->model->run, rows);
}
