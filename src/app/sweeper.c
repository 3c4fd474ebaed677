/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The knob of a sweep, between one run and the next; see sweeper.h. */
#include "sweeper.h"

#include <string.h>

void sweeper_init(struct sweeper *w)
{
    *w = (struct sweeper){.at = SIZE_MAX};
}

bool sweeper_ready(struct sweeper *w, struct tuning *t, const struct plan *p,
                   const struct step *step)
{
    const struct sweep *s = &p->settings.sweep;

    if (s->n == 0 || step->kind != STEP_MEASURE)
        return true;
    size_t want = sweep_setting(s, step->loop);
    if (w->at == want)
        return true;
    if (!w->waiting || w->want != want)
        tuning_turn(t, s->knob, s->settings[want]);
    w->want = want;
    w->waiting = true;
    return false;
}

bool sweeper_turned(struct sweeper *w, const struct plan *p, const struct knob_outcome *o)
{
    const struct sweep *s = &p->settings.sweep;

    if (!w->waiting || o->restored || o->knob != s->knob ||
        strcmp(o->value, s->settings[w->want]) != 0)
        return false;
    w->waiting = false;
    w->at = o->done ? w->want : SIZE_MAX;
    return true;
}

bool sweeper_can_choose(const struct tuning *t)
{
    return tuning_panel(t)->known && tuning_cpu(t)->known;
}
