/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef STHD_TESTS_SCENES_H
#define STHD_TESTS_SCENES_H

#include "sthd/run.h"
#include "sthd/target.h"

/* Made-up runs, by name, for tests of what is written about them. */
struct fixture {
    struct profile profile;
    struct settings settings;
    struct capability capability;
    struct plan plan;
    struct run run;
    struct target target;
    struct machine machine;
    int64_t now_ns;
};

const char *scene_name(size_t i); /* NULL behind the last one */
void scene_make(struct fixture *f, const char *name);
void scene_done(struct fixture *f);

#endif
