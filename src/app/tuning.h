/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef STHD_APP_TUNING_H
#define STHD_APP_TUNING_H

#include <stdbool.h>

#include "sthd/cpu.h"
#include "sthd/err.h"
#include "sthd/knobs.h"
#include "sthd/loop.h"

/*
 * What the processors do and what can be turned, on the loop of a face: the watch of host and the
 * knobs of engine, introduced to each other.
 */
struct tuning;

struct tuning_events {          /* each may be NULL */
    void (*changed)(void *arg); /* the state or the panel is a new one */
    void (*turned)(void *arg, const struct knob_outcome *o);
    /* Something else changed back what was turned; once for each turn. */
    void (*drifted)(void *arg, enum knob k, const char *sentence);
};

/* sysroot: "" here. */
struct tuning *tuning_new(struct loop *l, const char *sysroot, const struct tuning_events *ev,
                          void *arg);
const struct cpu_state *tuning_cpu(const struct tuning *t);
const struct knob_panel *tuning_panel(const struct tuning *t);
/* Queued; turned() tells the end of it. */
void tuning_turn(struct tuning *t, enum knob k, const char *value);
void tuning_restore(struct tuning *t);
/* What a killed run left turned, in a sentence; NULL: nothing. */
const char *tuning_left(const struct tuning *t);
int tuning_repair(struct tuning *t, struct err *e);
/* Turns everything back, and waits for it. NULL is fine. */
int tuning_free(struct tuning *t, struct err *e);

/* Without anything else: the directory of the journal; the caller frees. */
char *tuning_runtime_dir(const char *sysroot);

#endif
