/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Throughput over the rows of a profile, from left to right: columns for reads and writes side by
 * side, on one linear scale from 0 on, so that twice as high is twice as fast.
 */
#include <math.h>
#include <stdio.h>

#include "scale.h"
#include "sthd/units.h"
#include "views/views.h"

#define GUTTER 9

static double rate_of(const struct cell *cell)
{
    return cell->mean.bytes_per_s / 1e6;
}

static double highest(const struct run *r)
{
    double max = 0;

    for (size_t i = 0; i < r->plan->settings.profile->n_tests; i++)
        for (int d = 0; d < DIRECTION_COUNT; d++)
            if (rate_of(&r->cells[i][d]) > max)
                max = rate_of(&r->cells[i][d]);
    return scale_round_up(max > 0 ? max : 1);
}

size_t view_curve_rows(const struct scene *s, int screen_rows)
{
    size_t n = s->model->run->plan->settings.profile->n_tests;
    int room = screen_rows - 18; /* heads, notes, keys, and a curve of six lines */

    return room < 3 ? n < 3 ? n : 3 : n < (size_t)room ? n : (size_t)room;
}

void view_curve(const struct canvas *c, const struct scene *s)
{
    const struct run *r = s->model->run;
    const struct profile *p = r->plan->settings.profile;
    int rows = c->rows - 1, slot = p->n_tests ? (c->cols - GUTTER - 1) / (int)p->n_tests : 0;
    double max = highest(r);
    char top[UNITS_TEXT];

    if (rows < 2 || slot < 3)
        return;
    int width = (slot - 1) / 2;
    if (width > 6)
        width = 6;
    snprintf(top, sizeof(top), "%g", max);
    for (int y = 0; y < rows; y++)
        canvas_glyph(c, y, GUTTER - 1, ROLE_AXIS, GLYPH_VLINE);
    canvas_right(c, 0, GUTTER - 2, GUTTER - 2, ROLE_AXIS, top);
    canvas_right(c, 1, GUTTER - 2, GUTTER - 2, ROLE_HEADING, "MB/s");
    for (size_t i = 0; i < p->n_tests; i++) {
        int x = GUTTER + (int)i * slot;
        for (int d = DIRECTION_READ; d <= DIRECTION_WRITE; d++)
            for (int k = 0; k < width; k++)
                canvas_column(c, rows - 1, x + d * width + k, rows, rate_of(&r->cells[i][d]) / max,
                              d == DIRECTION_READ ? ROLE_READ : ROLE_WRITE);
        canvas_text(c, rows, x, slot - 1, ROLE_AXIS,
                    units_size_short(top, p->tests[i].block_bytes));
    }
}
