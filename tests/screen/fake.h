/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef STHD_TESTS_SCREEN_FAKE_H
#define STHD_TESTS_SCREEN_FAKE_H

#include "sthd/ui.h"

/* A made-up machine and made-up runs, the same every time, for pictures. */
enum fake_scene {
    FAKE_SETUP,
    FAKE_SETUP_EMPTY, /* nothing chosen, nothing known yet */
    FAKE_CDM,         /* in the middle of the fourth test */
    FAKE_SLOG,
    FAKE_PREPARE,
    FAKE_STOPPING,
    FAKE_SILENCE,
    FAKE_FINISHED,
    FAKE_FAILED,
    FAKE_HOSTILE, /* escape sequences and 10 kB names wherever text comes from outside */
    FAKE_HOSTILE_SETUP,
    FAKE_WATCH, /* a knob was turned twice */
    FAKE_WATCHED,
    FAKE_MIX,
    FAKE_CURVE,
    FAKE_PINGS,
    FAKE_COURSE, /* a cache is full */
    FAKE_SETUP_WEARS,
};
#define FAKE_SCENE_COUNT 18

struct fake;
struct fake *fake_new(enum fake_scene scene);
void fake_free(struct fake *f);
struct ui_model *fake_model(struct fake *f);
struct run *fake_run(struct fake *f);
/* The next interval of the running test; false when that test has had its runtime. */
bool fake_tick(struct fake *f);
/* The next step, or the end of the run. */
void fake_next(struct fake *f);
/* From setup to a run of the chosen profile, and back. */
void fake_start(struct fake *f);
void fake_back(struct fake *f);
void fake_take(struct fake *f, const struct ui_message *m);

#endif
