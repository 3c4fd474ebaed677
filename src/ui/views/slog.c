/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Commit latency per number of threads: p50 as a bar, p99 as its tail, on one log scale. */
#include <math.h>
#include <stdio.h>

#include "scale.h"
#include "sthd/units.h"
#include "views/views.h"

#define NAME_COLS 6
#define LAT_COLS  7
#define IOPS_COLS 9
#define RATE_COLS 7

/* The columns right of the bar, in the order in which they give way on a narrow screen. */
struct columns {
    int bar, p50, p99, iops, rate; /* right edges (bar: its width); 0: no room */
};

static void place(struct columns *k, const struct canvas *c)
{
    int right = c->cols - 1, min_bar = c->cols >= 60 ? 20 : 0;
    int want[4] = {LAT_COLS, LAT_COLS, IOPS_COLS, RATE_COLS};
    int *edges[4] = {&k->p50, &k->p99, &k->iops, &k->rate};
    int n = 0, used = 0;

    *k = (struct columns){0};
    while (n < 4 && 1 + NAME_COLS + min_bar + used + want[n] + 2 <= right) {
        used += want[n] + 2;
        n++;
    }
    for (int i = n; i-- > 0;) {
        *edges[i] = right;
        right -= want[i] + 2;
    }
    k->bar = right - 1 - NAME_COLS - 1;
    if (k->bar < 6)
        k->bar = 0;
}

static enum direction first_direction(const struct test *t)
{
    for (int d = 0; d < DIRECTION_COUNT; d++)
        if (t->directions & (1u << d))
            return (enum direction)d;
    return DIRECTION_WRITE;
}

static const struct figures *shown_figures(const struct cell *cell)
{
    return cell->state == CELL_RUNNING ? &cell->now : &cell->mean;
}

static void latency_name(char *out, size_t size, double ns)
{
    char text[UNITS_TEXT];

    snprintf(out, size, "%s", units_latency(text, ns));
}

static void draw_head(const struct canvas *c, const struct columns *k, const struct scale *scale)
{
    int x = 1 + NAME_COLS;

    int at = x + canvas_text(c, 0, x, c->cols - x, ROLE_HEADING, "commit latency, log scale") + 3;
    if (c->cols - at >= 24) {
        at += canvas_text(c, 0, at, 4, ROLE_DIM, "p50") + 1;
        canvas_bar(c, 0, at, 4, 1, ROLE_WRITE);
        at += 6;
        at += canvas_text(c, 0, at, 4, ROLE_DIM, "p99") + 1;
        canvas_tail(c, 0, at, 4, 0.01, 1, ROLE_P99);
    }
    scale_draw(c, 1, x, k->bar, scale, latency_name);
    canvas_text(c, 1, 1, NAME_COLS, ROLE_HEADING, "T");
    if (k->p50)
        canvas_right(c, 1, k->p50, LAT_COLS, ROLE_HEADING, "p50");
    if (k->p99)
        canvas_right(c, 1, k->p99, LAT_COLS, ROLE_HEADING, "p99");
    if (k->iops)
        canvas_right(c, 1, k->iops, IOPS_COLS, ROLE_HEADING, "IOPS");
    if (k->rate)
        canvas_right(c, 1, k->rate, RATE_COLS, ROLE_HEADING, "MB/s");
}

static void draw_figures(const struct canvas *c, int y, const struct columns *k,
                         const struct cell *cell)
{
    const struct figures *f = shown_figures(cell);
    enum role role = cell->state == CELL_RUNNING   ? ROLE_LIVE
                     : cell->state == CELL_STOPPED ? ROLE_WARNING
                                                   : ROLE_FIGURE;
    char text[UNITS_TEXT];

    if (k->p50)
        canvas_right(c, y, k->p50, LAT_COLS, role, units_latency(text, f->p50_ns));
    if (k->p99)
        canvas_right(c, y, k->p99, LAT_COLS, role, units_latency(text, f->p99_ns));
    if (k->iops)
        canvas_right(c, y, k->iops, IOPS_COLS, ROLE_TEXT, units_iops(text, f->iops));
    if (k->rate)
        canvas_right(c, y, k->rate, RATE_COLS, ROLE_TEXT, units_mb_per_s(text, f->bytes_per_s));
}

static void draw_row(const struct canvas *c, int y, const struct columns *k,
                     const struct scale *scale, const struct test *test, const struct cell *cell,
                     bool marked)
{
    const struct figures *f = shown_figures(cell);
    int x = 1 + NAME_COLS;

    canvas_text(c, y, 1, NAME_COLS - 1, ROLE_TEXT, test->name);
    if (marked)
        canvas_glyph(c, y, 0, ROLE_LIVE, GLYPH_HERE);
    switch (cell->state) {
    case CELL_FAILED:
        canvas_text(c, y, x, c->cols - x, ROLE_ERROR, "failed");
        return;
    case CELL_SKIPPED:
        canvas_text(c, y, x, c->cols - x, ROLE_DIM, "skipped");
        return;
    case CELL_WAITING:
        canvas_text(c, y, x, c->cols - x, ROLE_DIM, "-");
        return;
    case CELL_NONE:
        return;
    case CELL_STOPPED:
    case CELL_RUNNING:
    case CELL_DONE:
        break;
    }
    double p50 = scale_share(scale, f->p50_ns), p99 = scale_share(scale, f->p99_ns);
    canvas_tail(c, y, x, k->bar, p50, p99, ROLE_P99);
    canvas_bar(c, y, x, k->bar, p50, ROLE_WRITE);
    draw_figures(c, y, k, cell);
}

void view_slog(const struct canvas *c, const struct scene *s)
{
    const struct run *r = s->model->run;
    const struct profile *p = r->plan->settings.profile;
    struct scale scale = {1e4, 1e6}; /* 10 us to 1 ms: where commits usually are */
    struct columns k;

    if (c->rows == 0)
        return;
    for (size_t i = 0; i < p->n_tests; i++) {
        const struct cell *cell = &r->cells[i][first_direction(&p->tests[i])];
        scale_hold(&scale, shown_figures(cell)->p50_ns);
        scale_hold(&scale, shown_figures(cell)->p99_ns);
    }
    place(&k, c);
    draw_head(c, &k, &scale);
    size_t lines = c->rows > VIEW_SLOG_HEAD_LINES ? (size_t)(c->rows - VIEW_SLOG_HEAD_LINES) : 0;
    size_t at = r->step < r->plan->n_steps && r->plan->steps[r->step].kind == STEP_MEASURE
                    ? r->plan->steps[r->step].test
                    : 0;
    size_t first = lines > 0 && at >= lines ? at - lines + 1 : 0;
    for (size_t i = first; i < p->n_tests && i - first < lines; i++) {
        const struct cell *cell = &r->cells[i][first_direction(&p->tests[i])];
        draw_row(c, VIEW_SLOG_HEAD_LINES + (int)(i - first), &k, &scale, &p->tests[i], cell,
                 view_is_marked(s, cell));
    }
}
