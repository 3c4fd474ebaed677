/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Rows of tests, a column of cells per direction. A running cell shows its last interval; the mean
 * stands beside it. Bars are on a log scale, as in this kind of table everywhere: a drive's random
 * and sequential figures are three decades apart.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "scale.h"
#include "sthd/units.h"
#include "views/views.h"

#define NAME_COLS   14
#define NUMBER_COLS 9
#define IOPS_COLS   9
#define LAT_COLS    7

struct table {
    const struct scene *scene;
    const struct run *run;
    const struct profile *profile;
    struct scale scale; /* MB/s */
    enum direction sides[DIRECTION_COUNT];
    int n_sides;
    int side_cols;
    int height;
};

static enum role bar_role(enum direction d)
{
    return d == DIRECTION_READ ? ROLE_READ : ROLE_WRITE;
}

static const struct figures *shown_figures(const struct cell *cell)
{
    return cell->state == CELL_RUNNING ? &cell->now : &cell->mean;
}

static void prepare(struct table *t, const struct canvas *c, const struct scene *s, int row_height)
{
    const struct run *r = s->model->run;
    unsigned used = 0;

    memset(t, 0, sizeof(*t));
    t->scene = s;
    t->run = r;
    t->profile = r->plan->settings.profile;
    t->height = row_height;
    t->scale = (struct scale){1, 1000};
    for (size_t i = 0; i < t->profile->n_tests; i++) {
        used |= t->profile->tests[i].directions;
        for (int d = 0; d < DIRECTION_COUNT; d++) {
            const struct cell *cell = &r->cells[i][d];
            scale_hold(&t->scale, cell->mean.bytes_per_s / 1e6);
            scale_hold(&t->scale, cell->now.bytes_per_s / 1e6);
        }
    }
    for (int d = 0; d < DIRECTION_COUNT; d++)
        if (used & (1u << d))
            t->sides[t->n_sides++] = (enum direction)d;
    t->side_cols = t->n_sides ? (c->cols - NAME_COLS - 1) / t->n_sides : 0;
}

/* What stands in place of a figure, or NULL when the figure does. */
static const char *state_word(const struct cell *cell, enum role *role)
{
    *role = ROLE_DIM;
    switch (cell->state) {
    case CELL_FAILED:
        *role = ROLE_ERROR;
        return "failed";
    case CELL_SKIPPED:
        return "skipped";
    case CELL_WAITING:
        return "-";
    case CELL_NONE:
        return "";
    case CELL_RUNNING:
        *role = ROLE_LIVE;
        return NULL;
    case CELL_STOPPED:
        *role = ROLE_WARNING;
        return isnan(cell->mean.bytes_per_s) ? "stopped" : NULL;
    case CELL_DONE:
        *role = ROLE_FIGURE;
        return NULL;
    }
    return "";
}

static void draw_number(const struct canvas *c, const struct table *t, int y, int x,
                        const struct cell *cell)
{
    char text[UNITS_TEXT];
    enum role role;
    const char *word = state_word(cell, &role);

    if (view_is_marked(t->scene, cell))
        canvas_glyph(c, y, x, ROLE_LIVE, GLYPH_HERE);
    canvas_right(c, y, x + 1 + NUMBER_COLS, NUMBER_COLS, role,
                 word ? word : units_mb_per_s(text, shown_figures(cell)->bytes_per_s));
    if (!word && cell->end_fsync && !isnan(shown_figures(cell)->bytes_per_s))
        canvas_text(c, y, x + 1 + NUMBER_COLS, 1, ROLE_DIM, "*");
}

static bool has_figures(const struct cell *cell)
{
    enum role role;

    return !state_word(cell, &role);
}

/* One line per cell: figure, bar, IOPS, p99, as far as there is room. */
static void draw_dense(const struct canvas *c, const struct table *t, int y, int x,
                       const struct cell *cell, enum direction d)
{
    const struct figures *f = shown_figures(cell);
    int right = x + t->side_cols - 2, at = x + 1 + NUMBER_COLS + 2;
    char text[UNITS_TEXT];

    draw_number(c, t, y, x, cell);
    if (!has_figures(cell))
        return;
    if (right - LAT_COLS >= at) {
        canvas_right(c, y, right, LAT_COLS, ROLE_TEXT, units_latency(text, f->p99_ns));
        right -= LAT_COLS + 1;
    }
    if (right - IOPS_COLS >= at) {
        canvas_right(c, y, right, IOPS_COLS, ROLE_TEXT, units_iops(text, f->iops));
        right -= IOPS_COLS + 1;
    }
    if (right - at >= 6)
        canvas_bar(c, y, at, right - at, scale_share(&t->scale, f->bytes_per_s / 1e6), bar_role(d));
}

/* Two lines per cell: figure and bar; below, what a second look wants to know. */
static void draw_tall(const struct canvas *c, const struct table *t, int y, int x,
                      const struct cell *cell, enum direction d)
{
    const struct figures *f = shown_figures(cell);
    int end = x + t->side_cols - 1, at = x + 1 + NUMBER_COLS + 2;
    char text[UNITS_TEXT];

    draw_number(c, t, y, x, cell);
    if (!has_figures(cell))
        return;
    canvas_bar(c, y, at, end - at, scale_share(&t->scale, f->bytes_per_s / 1e6), bar_role(d));
    if (!isnan(f->iops)) {
        canvas_right(c, y + 1, x + 1 + IOPS_COLS, IOPS_COLS, ROLE_DIM, units_iops(text, f->iops));
        canvas_text(c, y + 1, x + 1 + IOPS_COLS, 5, ROLE_DIM, " IOPS");
    }
    at += 5;
    if (cell->state == CELL_RUNNING) {
        canvas_text(c, y + 1, at, 4, ROLE_DIM, "mean");
        canvas_right(c, y + 1, at + 5 + NUMBER_COLS - 1, NUMBER_COLS - 1, ROLE_TEXT,
                     units_mb_per_s(text, cell->mean.bytes_per_s));
        at += 15;
    }
    if (end - at >= 23) {
        canvas_text(c, y + 1, at, 3, ROLE_DIM, "p50");
        canvas_right(c, y + 1, at + 4 + LAT_COLS, LAT_COLS, ROLE_DIM,
                     units_latency(text, f->p50_ns));
        at += 13;
    }
    if (end - at >= 11) {
        canvas_text(c, y + 1, at, 3, ROLE_DIM, "p99");
        canvas_right(c, y + 1, at + 4 + LAT_COLS, LAT_COLS, ROLE_DIM,
                     units_latency(text, f->p99_ns));
    }
}

static void decade_name(char *out, size_t size, double mb_per_s)
{
    if (mb_per_s >= 1000)
        snprintf(out, size, "%.0fk", mb_per_s / 1000);
    else
        snprintf(out, size, "%g", mb_per_s);
}

static void draw_head(const struct canvas *c, const struct table *t)
{
    static const char *const names[DIRECTION_COUNT] = {[DIRECTION_READ] = "Read MB/s",
                                                       [DIRECTION_WRITE] = "Write MB/s",
                                                       [DIRECTION_MIX] = "Mix MB/s"};

    for (int i = 0; i < t->n_sides; i++) {
        int x = NAME_COLS + 1 + i * t->side_cols, end = x + t->side_cols - 1;
        int at = x + 1 + NUMBER_COLS + 2;
        end -= t->height == 1;
        canvas_right(c, 0, x + 1 + NUMBER_COLS, 10, ROLE_HEADING, names[t->sides[i]]);
        if (t->height == 1) {
            if (end - LAT_COLS >= at) {
                canvas_right(c, 0, end, LAT_COLS, ROLE_HEADING, "p99");
                end -= LAT_COLS + 1;
            }
            if (end - IOPS_COLS >= at) {
                canvas_right(c, 0, end, IOPS_COLS, ROLE_HEADING, "IOPS");
                end -= IOPS_COLS + 1;
            }
        }
        scale_draw(c, 0, at, end - at, &t->scale, decade_name);
    }
    canvas_hline(c, 1, 1, c->cols - 2, ROLE_FRAME);
}

/* Fewer lines than rows: those around the running one. */
static size_t first_row(const struct table *t, int lines)
{
    size_t fit = (size_t)((lines > 0 ? lines + 1 : 0) / t->height), at = 0;

    const struct step *step;

    view_shown_cell(t->scene, &step);
    if (step && step->kind == STEP_MEASURE)
        at = step->test;
    return fit > 0 && at >= fit ? at - fit + 1 : 0;
}

void view_cdm(const struct canvas *c, const struct scene *s, int row_height)
{
    struct table t;

    if (c->rows == 0)
        return;
    prepare(&t, c, s, row_height);
    draw_head(c, &t);
    size_t first = first_row(&t, c->rows - VIEW_CDM_HEAD_LINES);
    for (size_t i = first; i < t.profile->n_tests; i++) {
        int y = VIEW_CDM_HEAD_LINES + (int)(i - first) * t.height;
        if (y >= c->rows)
            break;
        canvas_text(c, y, 1, NAME_COLS - 1, ROLE_TEXT, t.profile->tests[i].name);
        for (int k = 0; k < t.n_sides; k++) {
            const struct cell *cell = &t.run->cells[i][t.sides[k]];
            int x = NAME_COLS + 1 + k * t.side_cols;
            if (t.height >= 2)
                draw_tall(c, &t, y, x, cell, t.sides[k]);
            else
                draw_dense(c, &t, y, x, cell, t.sides[k]);
        }
    }
}
