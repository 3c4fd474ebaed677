/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The processors in a line, and the knobs in a few. */
#include <stdio.h>
#include <string.h>

#include "sthd/sweep.h"
#include "sthd/text.h"
#include "views/views.h"

#define NAME_COL  3
#define VALUE_COL 18

void view_cpu(const struct canvas *c, const struct scene *s)
{
    const struct cpu_state *cpu = s->model->cpu;
    struct buf text = BUF_INIT;
    /* The setup screen has its labels further in. */
    int label = scene_in_setup(s) ? 3 : 1, value = scene_in_setup(s) ? 11 : 6;

    if (c->rows <= 0 || !cpu)
        return;
    cpu_text(&text, cpu, c->cols - value - 1);
    if (scene_in_setup(s))
        canvas_text(c, 0, 1, 1, ROLE_KEY, "g");
    canvas_text(c, 0, label, 7, ROLE_TEXT, "CPU");
    canvas_text(c, 0, value, c->cols - value - 1, ROLE_DIM, text.data ? text.data : "");
    buf_done(&text);
}

bool view_knobs_beside(const struct canvas *c, const struct scene *s)
{
    return s->state->overlay == OVERLAY_KNOBS && !scene_in_setup(s) &&
           layout_size(c->rows, c->cols) == LAYOUT_FULL;
}

static void value_text(struct buf *out, const struct scene *s, enum knob k)
{
    const struct cpu_state *cpu = s->model->cpu;
    const struct knob_state *knob = &s->model->knobs->knobs[k];

    if (!cpu || !cpu->known)
        buf_adds(out, knob->set[0] ? knob->set : "-");
    else if (k == KNOB_GOVERNOR)
        cpu_counts_text(out, cpu->governors, cpu->n_governors);
    else if (k == KNOB_EPP)
        cpu_counts_text(out, cpu->epps, cpu->n_epps);
    else if (k == KNOB_BOOST)
        buf_adds(out, cpu->boost == CPU_BOOST_ON    ? "on"
                      : cpu->boost == CPU_BOOST_OFF ? "off"
                                                    : "-");
    else
        cpu_limit_text(out, cpu->limit_us);
    if (knob->set[0] && knob->was[0])
        buf_addf(out, " (was %s)", knob->was);
}

static void draw_knob(const struct canvas *c, int y, const struct scene *s, enum knob k)
{
    const struct knob_state *knob = &s->model->knobs->knobs[k];
    const char *next = knob_next(s->model->knobs, k, s->model->cpu);
    struct buf value = BUF_INIT, more = BUF_INIT;
    enum role role = ROLE_DIM;

    value_text(&value, s, k);
    if (knob->drift[0]) {
        role = ROLE_WARNING;
        buf_adds(&more, knob->drift);
    } else if (knob->problem[0]) {
        buf_adds(&more, knob->problem);
    } else if (next) {
        buf_adds(&more, "next: ");
        buf_adds(&more, next);
        if (k == KNOB_LIMIT && strcmp(next, "off") != 0)
            buf_adds(&more, " us");
    }
    canvas_printf(c, y, 1, 1, knob->problem[0] ? ROLE_DIM : ROLE_KEY, "%c", SCENE_KNOB_KEYS[k]);
    canvas_text(c, y, NAME_COL, VALUE_COL - NAME_COL - 1, ROLE_TEXT, knob_name(k));
    int room = c->cols - VALUE_COL - 1, x = VALUE_COL;
    if (!knob->problem[0] || strcmp(value.data, "-") != 0) {
        x += canvas_text(c, y, x, room, knob->set[0] ? ROLE_LIVE : ROLE_FIGURE, value.data) + 2;
        x = x < VALUE_COL + 16 ? VALUE_COL + 16 : x;
    }
    if (more.data)
        canvas_text(c, y, x, c->cols - x - 1, role, more.data);
    buf_done(&value);
    buf_done(&more);
}

/* Whether the run to come goes through the settings of a knob, and of which. */
static void draw_sweep(const struct canvas *c, int y, const struct scene *s)
{
    const struct sweep *now = &s->model->settings->sweep;
    enum knob next = sweep_next(now, s->model->knobs);

    canvas_text(c, y, 1, 1, next == KNOB_COUNT && now->n == 0 ? ROLE_DIM : ROLE_KEY, "s");
    canvas_text(c, y, NAME_COL, VALUE_COL - NAME_COL - 1, ROLE_TEXT, "sweep");
    canvas_text(c, y, VALUE_COL, 15, now->n > 0 ? ROLE_LIVE : ROLE_FIGURE,
                now->n > 0 ? knob_name(now->knob) : "none");
    if (next == KNOB_COUNT && now->n == 0)
        canvas_text(c, y, VALUE_COL + 16, c->cols - VALUE_COL - 17, ROLE_DIM,
                    "there is no knob to be turned");
    else
        canvas_printf(c, y, VALUE_COL + 16, c->cols - VALUE_COL - 17, ROLE_DIM, "next: %s%s",
                      next == KNOB_COUNT ? "none" : knob_name(next),
                      next == KNOB_COUNT ? "" : ", each test under all its settings");
}

void view_knobs(const struct canvas *c, const struct scene *s)
{
    if (!s->model->knobs)
        return;
    if (!s->model->knobs->known) {
        canvas_text(c, 0, NAME_COL, c->cols - 4, ROLE_DIM, "looking at what this computer has");
        return;
    }
    for (int k = 0; k < KNOB_COUNT; k++)
        draw_knob(c, k, s, (enum knob)k);
    if (scene_in_setup(s))
        draw_sweep(c, KNOB_COUNT + 1, s);
}

void view_knobs_pane(const struct canvas *c, const struct scene *s)
{
    struct canvas rows = canvas_part(c, (struct rect){1, 0, c->rows - 1, c->cols});

    canvas_hline(c, 0, 0, c->cols, ROLE_FRAME);
    canvas_text(c, 0, 1, c->cols - 2, ROLE_HEADING, " Knobs ");
    view_knobs(&rows, s);
}
