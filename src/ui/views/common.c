/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What several views share: the key line, the message line, which cell is being looked at. */
#include <string.h>

#include "views/views.h"

void view_keys(const struct canvas *c, const char *pairs)
{
    int x = 1;

    while (*pairs) {
        const char *key = pairs, *word = key + strlen(key) + 1;
        int need = (int)(strlen(key) + 1 + strlen(word));
        if (x + need > c->cols)
            return;
        x += canvas_text(c, 0, x, c->cols, ROLE_KEY, key) + 1;
        x += canvas_text(c, 0, x, c->cols, ROLE_TEXT, word) + 2;
        pairs = word + strlen(word) + 1;
    }
}

void view_message(const struct canvas *c, const struct scene *s)
{
    const struct run *r = s->model->run;

    if (s->state->message[0])
        canvas_text(c, 0, 1, c->cols - 2, s->state->bad_news ? ROLE_ERROR : ROLE_WARNING,
                    s->state->message);
    else if (r && r->message[0])
        canvas_text(c, 0, 1, c->cols - 2, ROLE_WARNING, r->message);
}

const struct cell *view_current_cell(const struct run *r)
{
    if (r->state != RUN_STEP && r->state != RUN_STOPPING)
        return NULL;
    if (r->step >= r->plan->n_steps || r->plan->steps[r->step].kind != STEP_MEASURE)
        return NULL;
    return &r->cells[r->plan->steps[r->step].test][r->plan->steps[r->step].direction];
}

const struct cell *view_shown_cell(const struct run *r, const struct step **step)
{
    *step = NULL;
    for (size_t i = r->step + 1; i-- > 0;) {
        if (i >= r->plan->n_steps || r->plan->steps[i].kind != STEP_MEASURE)
            continue;
        const struct step *at = &r->plan->steps[i];
        const struct cell *cell = &r->cells[at->test][at->direction];
        if (cell->n_kept > 0 || cell == view_current_cell(r)) {
            *step = at;
            return cell;
        }
    }
    return NULL;
}
