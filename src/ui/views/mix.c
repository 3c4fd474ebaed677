/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A mix: reads and writes apart, each with its whole distribution. Figures are those since the test
 * began: they stand still at its end, and the line below the table has the interval.
 */
#include <math.h>
#include <stdio.h>

#include "sthd/units.h"
#include "views/views.h"

#define LABEL_COLS 8
#define CELL_COLS  10

/* From the most to the least wanted when there is no room for all. */
static const size_t wanted[] = {6, 12, 14, 11, 10, 16, 13, 8, 2, 0, 15, 3, 4, 5, 7, 9, 1};

_Static_assert(sizeof(wanted) / sizeof(wanted[0]) == RUN_PERCENTS, "each percentile has a place");

static void draw_line(const struct canvas *c, int y, const char *label, const char *read,
                      const char *write)
{
    canvas_text(c, y, 1, LABEL_COLS, ROLE_HEADING, label);
    canvas_right(c, y, 1 + LABEL_COLS + CELL_COLS, CELL_COLS, ROLE_FIGURE, read);
    canvas_right(c, y, 1 + LABEL_COLS + 2 * CELL_COLS, CELL_COLS, ROLE_FIGURE, write);
}

/* Which percentiles have a line, in their order. */
static size_t choose(size_t lines, bool chosen[RUN_PERCENTS])
{
    size_t n = 0;

    for (size_t i = 0; i < RUN_PERCENTS; i++)
        chosen[i] = false;
    for (; n < RUN_PERCENTS && n < lines; n++)
        chosen[wanted[n]] = true;
    return n;
}

static void draw_bars(const struct canvas *c, int y, const struct side sides[2], size_t i)
{
    int x = 1 + LABEL_COLS + 2 * CELL_COLS + 2, cols = c->cols - x - 1;
    double max =
        fmax(sides[0].percentile_ns[RUN_PERCENTS - 1], sides[1].percentile_ns[RUN_PERCENTS - 1]);
    double floor_ns = 1000;

    if (cols < 12 || !(max > floor_ns))
        return;
    for (int d = 0; d < 2; d++) {
        double ns = sides[d].percentile_ns[i];
        double share = ns > floor_ns ? log(ns / floor_ns) / log(max / floor_ns) : 0;
        int half = cols / 2 - 1;
        canvas_bar(c, y, x + d * (half + 2), half, share, d == 0 ? ROLE_READ : ROLE_WRITE);
    }
}

static void draw_test(const struct canvas *c, const struct scene *s, size_t test)
{
    const struct run *r = s->model->run;
    const struct cell *cell = run_cell(r, test, DIRECTION_MIX);
    const struct side *sides = cell->detail.sides;
    char a[UNITS_TEXT], b[UNITS_TEXT], name[16];
    bool chosen[RUN_PERCENTS];
    int y = 0;

    canvas_text(c, y, 1, c->cols - 2, ROLE_HEADING, r->plan->settings.profile->tests[test].name);
    draw_line(c, ++y, "", "Read", "Write");
    draw_line(c, ++y, "MB/s", units_mb_per_s(a, sides[0].figures.bytes_per_s),
              units_mb_per_s(b, sides[1].figures.bytes_per_s));
    draw_line(c, ++y, "IOPS", units_iops(a, sides[0].figures.iops),
              units_iops(b, sides[1].figures.iops));
    draw_line(c, ++y, "mean", units_latency(a, sides[0].figures.mean_ns),
              units_latency(b, sides[1].figures.mean_ns));
    choose(c->rows > y + 1 ? (size_t)(c->rows - y - 1) : 0, chosen);
    for (size_t i = 0; i < RUN_PERCENTS; i++) {
        if (!chosen[i])
            continue;
        snprintf(name, sizeof(name), "p%g", run_percents[i]);
        draw_line(c, ++y, name, units_latency(a, sides[0].percentile_ns[i]),
                  units_latency(b, sides[1].percentile_ns[i]));
        draw_bars(c, y, sides, i);
    }
}

size_t view_mix_lines(int screen_rows)
{
    int lines = screen_rows - 14; /* the rest of the screen: heads, timeline, notes, keys */

    return lines < 9 ? 9 : lines > RUN_PERCENTS + 5 ? RUN_PERCENTS + 5 : (size_t)lines;
}

void view_mix(const struct canvas *c, const struct scene *s)
{
    const struct run *r = s->model->run;
    const struct step *step;
    size_t test = 0;

    view_shown_cell(s, &step);
    if (step && step->kind == STEP_MEASURE)
        test = step->test;
    if (c->rows > 0 && r->plan->settings.profile->n_tests > 0)
        draw_test(c, s, test);
}
