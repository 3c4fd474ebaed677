/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef STHD_APP_SWEEPER_H
#define STHD_APP_SWEEPER_H

#include "sthd/plan.h"
#include "sthd/sweep.h"
#include "tuning.h"

/* Turns the knob of a sweep before each run that needs it turned; part of a face. */
struct sweeper {
    size_t at;    /* the setting that is in force; SIZE_MAX: not known */
    size_t want;  /* the one that was asked for */
    bool waiting; /* for it */
};

void sweeper_init(struct sweeper *w);
/* As session_events.ready. */
bool sweeper_ready(struct sweeper *w, struct tuning *t, const struct plan *p,
                   const struct step *step);
/* An outcome of tuning; true: it is the one that was waited for. */
bool sweeper_turned(struct sweeper *w, const struct plan *p, const struct knob_outcome *o);
/* Whether what the choice of settings rests on was read. */
bool sweeper_can_choose(const struct tuning *t);

#endif
