/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef STHD_APP_WORLD_H
#define STHD_APP_WORLD_H

#include <stdbool.h>

#include "sthd/buf.h"
#include "sthd/loop.h"
#include "sthd/plan.h"
#include "sthd/settings.h"
#include "sthd/stack.h"
#include "sthd/target.h"
#include "sthd/zfs.h"

/*
 * What both faces know before a run: this machine, its mounts, the chosen target, fio and what it
 * can do there, and the plan that follows. Every change of a setting replans; a change of path
 * probes anew. Probing is asynchronous: world->changed is called when something came in.
 */
struct world {
    struct loop *loop;
    struct machine machine;
    struct targets targets;
    struct settings settings;
    struct target target;
    bool have_target;
    struct stack stack;      /* what is under the target; empty without one */
    struct zfs_facts zfs;    /* of the target; empty when it is not ZFS */
    struct survey *survey;   /* NULL: not asking */
    const char *sysroot;     /* "" this machine; else the tree that stands in for /proc and /sys */
    struct err target_err;   /* text "" when the target can be used */
    char *fio_program;       /* NULL until found */
    char *dd_program;        /* NULL: none */
    bool fio_known;          /* the search for fio is over; problem in machine.fio_problem */
    enum exit_code fio_code; /* EXIT_CODE_OK when usable */
    struct capability capability;
    bool probing;
    struct err probe_err; /* why the last probe could not be started; "" it could */
    int64_t probe_began_ns;
    double probe_seconds;  /* what the last probe took */
    enum tool probed_tool; /* what capability speaks of */
    bool profile_chosen;   /* by the user; else it becomes dd where there is no fio */
    struct plan plan;
    bool have_plan;
    struct err plan_err;
    struct strv command;     /* fio's argv of the first measuring step */
    double rate_bytes_per_s; /* assumed for estimates; measured ones replace the guess */
    struct fio_version_check *version_check;
    struct probe *probe;
    struct dd_probe *dd_probe;
    struct loop_timer *probe_timer;
    void (*changed)(void *arg);
    void *arg;
};

/*
 * settings are copied; profile_chosen: the user named the profile. Reads mounts and the machine;
 * starts nothing slow.
 */
void world_init(struct world *w, struct loop *l, const struct settings *settings,
                bool profile_chosen, void (*changed)(void *arg), void *arg);
/* Looks for fio and asks it for its version, then probes the target. */
void world_begin_probing(struct world *w);
void world_done(struct world *w);
void world_reload_targets(struct world *w);
void world_set_path(struct world *w, const char *path);
/* After a change of w->settings. */
void world_replan(struct world *w);
/* The tool of the profile's tests. */
enum tool world_tool(const struct world *w);
/* Everything that probing can tell is there. */
bool world_is_settled(const struct world *w);
/* Why a run cannot start now; 0 when it can. */
int world_check(const struct world *w, struct err *e);
#endif
