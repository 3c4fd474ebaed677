/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where the time of an I/O goes, in a line. */
#include <string.h>

#include "views/views.h"

#define VALUE_COL 6

bool view_has_time(const struct scene *s)
{
    const struct target *t = s->model->target;

    return t && (t->kind == TARGET_DISK || t->kind == TARGET_ZFS || t->kind == TARGET_OVERLAY);
}

void view_time(const struct canvas *c, const struct scene *s)
{
    const struct step *step;
    const struct cell *cell = view_shown_cell(s, &step);
    struct buf text = BUF_INIT;

    if (c->rows <= 0 || !view_has_time(s))
        return;
    canvas_text(c, 0, 1, VALUE_COL - 2, ROLE_TEXT, "Time");
    if (!cell || (cell->device.bound == BOUND_UNSEEN && cell->state == CELL_RUNNING))
        return; /* no interval is over yet */
    if (cell->state != CELL_RUNNING)
        waterfall_sentence(&cell->device, &text);
    else if (cell->device_now.bound != BOUND_UNSEEN)
        waterfall_strip(&cell->device_now, &text);
    else
        waterfall_strip(&cell->device, &text);
    canvas_text(c, 0, VALUE_COL, c->cols - VALUE_COL - 1, ROLE_DIM, text.data ? text.data : "");
    buf_done(&text);
}
