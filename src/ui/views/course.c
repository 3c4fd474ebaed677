/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Throughput over what was transferred, from left to right. The whole planned amount has its place
 * from the start, so that nothing scrolls; a knee is a mark above its column.
 */
#include <math.h>
#include <stdio.h>

#include "scale.h"
#include "sthd/buf.h"
#include "sthd/units.h"
#include "views/views.h"

#define GUTTER 9

/* What is above the columns: where the knees are, and what is to be said so far. */
static void draw_verdict(const struct canvas *c, const struct course *course, double all, int cols)
{
    const struct course_verdict *v = &course->verdict;
    struct buf text = BUF_INIT;

    for (size_t i = 0; i < v->n_knees; i++)
        canvas_glyph(c, 1, GUTTER + (int)((double)v->knees[i].at_bytes / all * cols), ROLE_WARNING,
                     GLYPH_DOWN);
    course_sentence(v, &text);
    canvas_text(c, 0, GUTTER, c->cols - GUTTER,
                v->kind == COURSE_STEADY || v->kind == COURSE_SHORT ? ROLE_DIM : ROLE_WARNING,
                text.data);
    buf_done(&text);
}

static void draw_axis(const struct canvas *c, int y, double all, int cols)
{
    char text[UNITS_TEXT];

    canvas_text(c, y, GUTTER, 2, ROLE_AXIS, "0");
    canvas_right(c, y, GUTTER + cols, 12, ROLE_AXIS, units_size(text, (uint64_t)all));
    if (cols >= 30)
        canvas_right(c, y, GUTTER + cols / 2 + 4, 12, ROLE_AXIS,
                     units_size(text, (uint64_t)(all / 2)));
}

void view_course(const struct canvas *c, const struct scene *s)
{
    const struct step *step;
    const struct cell *cell = view_shown_cell(s, &step);
    int top = c->rows >= 8 ? 2 : 0, rows = c->rows - 1 - top, cols = c->cols - GUTTER - 1;
    double all = step ? (double)step_bound_bytes(step) : 0, max = 0;
    char label[UNITS_TEXT];

    if (!cell || rows < 2 || cols < 4 || !(all > 0))
        return;
    for (size_t i = 0; i < cell->course.n; i++) {
        const struct course_point *p = &cell->course.points[i];
        max = fmax(max, (double)p->bytes / p->seconds / 1e6);
    }
    max = scale_round_up(max > 0 ? max : 1);
    for (int y = 0; y < rows; y++)
        canvas_glyph(c, top + y, GUTTER - 1, ROLE_AXIS, GLYPH_VLINE);
    snprintf(label, sizeof(label), "%g", max);
    canvas_right(c, top, GUTTER - 2, GUTTER - 2, ROLE_AXIS, label);
    canvas_right(c, top + 1, GUTTER - 2, GUTTER - 2, ROLE_HEADING, "MB/s");
    for (int x = 0; x < cols; x++) {
        double rate = course_rate(&cell->course, all * x / cols, all * (x + 1) / cols) / 1e6;
        if (rate > 0)
            canvas_column(c, top + rows - 1, GUTTER + x, rows, rate / max, ROLE_WRITE);
    }
    if (top)
        draw_verdict(c, &cell->course, all, cols);
    draw_axis(c, top + rows, all, cols);
}
