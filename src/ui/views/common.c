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

const struct cell *view_shown_cell(const struct scene *s, const struct step **step)
{
    const struct run *r = s->model->run;
    size_t from = r->step;

    *step = NULL;
    if (r->state == RUN_DONE && s->state->look < r->plan->n_steps)
        from = s->state->look;
    for (size_t i = from + 1; i-- > 0;) {
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

bool view_is_marked(const struct scene *s, const struct cell *cell)
{
    const struct step *step;

    return cell->state == CELL_RUNNING ||
           (s->model->run->state == RUN_DONE && cell == view_shown_cell(s, &step));
}

bool view_overlay_keys(const struct canvas *c, const struct scene *s)
{
    static const char *const keys[] = {
        [OVERLAY_MENU] = "Enter\0take it\0j k\0down and up\0q\0close\0",
        [OVERLAY_ENTRY] = "Enter\0take it\0Ctrl-U\0empty it\0Ctrl-G\0close\0",
        [OVERLAY_ASK] = "y\0yes\0n\0no\0",
        [OVERLAY_HELP] = "q\0close\0j k\0down and up\0",
        [OVERLAY_COMMAND] = "q\0close\0j k\0down and up\0",
        [OVERLAY_SWEEP] = "q\0close\0j k\0down and up\0",
        [OVERLAY_VERDICT] = "q\0close\0j k\0down and up\0",
        [OVERLAY_KNOBS] = "g e b l\0turn a knob on\0000\0all as before\0s\0sweep\0q\0close\0",
        [OVERLAY_THEMES] = "Enter\0keep it\0j k\0down and up\0q\0as before\0",
    };

    if (s->state->overlay == OVERLAY_NONE)
        return false;
    view_keys(c, s->state->overlay == OVERLAY_KNOBS && !scene_in_setup(s)
                     ? "g e b l\0turn a knob on\0000\0all as before\0q\0close\0"
                     : keys[s->state->overlay]);
    return true;
}
