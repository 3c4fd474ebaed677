/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The side pane of wide terminals: the plan's steps, and one test's latencies in full. */
#include <math.h>
#include <stdio.h>

#include "sthd/units.h"
#include "views/views.h"

static const struct cell *step_cell(const struct run *r, size_t i)
{
    const struct step *s = &r->plan->steps[i];

    return s->kind == STEP_MEASURE ? &r->cells[s->test][s->direction] : NULL;
}

static void draw_step(const struct canvas *c, const struct run *r, int y, size_t i)
{
    const struct cell *cell = step_cell(r, i);
    bool current = i == r->step && r->state != RUN_DONE;
    bool past = i < r->step || r->state == RUN_DONE;
    char name[64], text[UNITS_TEXT];

    run_step_name(r, i, name, sizeof(name));
    bool failed = cell ? cell->state == CELL_FAILED : past && r->prepare_failed;
    bool done = cell ? cell->state == CELL_DONE : past && !failed;
    if (current)
        canvas_glyph(c, y, 0, ROLE_LIVE, GLYPH_HERE);
    else if (failed)
        canvas_glyph(c, y, 0, ROLE_ERROR, GLYPH_FAILED);
    else if (done)
        canvas_glyph(c, y, 0, ROLE_GOOD, GLYPH_DONE);
    canvas_text(c, y, 2, 20, current ? ROLE_TITLE : done ? ROLE_TEXT : ROLE_DIM, name);
    if (!cell || isnan(cell->mean.bytes_per_s))
        return;
    canvas_right(c, y, 32, 9, current ? ROLE_LIVE : ROLE_FIGURE,
                 units_mb_per_s(text, cell->mean.bytes_per_s));
    canvas_right(c, y, c->cols, 8, ROLE_TEXT, units_latency(text, cell->mean.p50_ns));
}

static void draw_latency(const struct canvas *c, int y, const char *name, double ns)
{
    char text[UNITS_TEXT];

    canvas_text(c, y, 2, 8, ROLE_DIM, name);
    canvas_right(c, y, 18, 8, ROLE_TEXT, units_latency(text, ns));
}

static void draw_latencies(const struct canvas *c, const struct scene *s, int y)
{
    const struct run *r = s->model->run;
    const struct step *step;
    const struct cell *cell = view_shown_cell(s, &step);

    if (!cell || !step)
        return;
    canvas_printf(c, y, 0, c->cols, ROLE_HEADING, "Latency of %s %s",
                  r->plan->settings.profile->tests[step->test].name,
                  direction_name(step->direction));
    const struct figures *f = &cell->mean;
    const struct {
        const char *name;
        double ns;
    } rows[] = {{"min", f->min_ns}, {"mean", f->mean_ns},  {"p50", f->p50_ns},
                {"p99", f->p99_ns}, {"p99.9", f->p999_ns}, {"max", f->max_ns}};
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        draw_latency(c, y + 1 + (int)i, rows[i].name, rows[i].ns);
}

void view_steps(const struct canvas *c, const struct scene *s)
{
    const struct run *r = s->model->run;

    if (c->rows < 5)
        return;
    struct canvas box = canvas_box(c, ROLE_FRAME, "Plan, mean MB/s, p50");
    struct canvas in = canvas_part(&box, (struct rect){0, 1, box.rows, box.cols - 2});
    size_t n = r->plan->n_steps;
    size_t fit = (size_t)in.rows, first = 0;
    if (n > fit && r->step >= fit)
        first = r->step - fit + 1;
    for (size_t i = first; i < n && i - first < fit; i++)
        draw_step(&in, r, (int)(i - first), i);
    if (fit >= n + 8)
        draw_latencies(&in, s, (int)n + 1);
}
