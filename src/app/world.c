/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Keeps machine, target, fio and plan consistent with the settings. Must not know how they are
 * shown.
 */
#include "world.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sthd/bench_file.h"
#include "sthd/child.h"
#include "sthd/fio_command.h"
#include "sthd/fio_run.h"
#include "sthd/host.h"
#include "sthd/mem.h"
#include "sthd/probe.h"
#include "sthd/text.h"

/* Moving the cursor over the target list should not start a fio per line passed. */
#define PROBE_DELAY_NS ((int64_t)150 * 1000 * 1000)

static void changed(struct world *w)
{
    if (w->changed)
        w->changed(w->arg);
}

/*
 * Sequential write rates to assume before anything was measured; they only move the estimate of
 * time and bytes, never a figure. A SATA disk, a gigabit link, memory.
 */
static double guess_rate(const struct world *w)
{
    if (!w->have_target)
        return 200e6;
    switch (w->target.kind) {
    case TARGET_RAM:
        return 2e9;
    case TARGET_NETWORK:
    case TARGET_FUSE:
        return 100e6;
    default:
        return 300e6;
    }
}

void world_replan(struct world *w)
{
    double rate = w->rate_bytes_per_s > 0 ? w->rate_bytes_per_s : guess_rate(w);

    if (w->have_plan)
        plan_done(&w->plan);
    strv_done(&w->command);
    err_clear(&w->plan_err);
    w->have_plan = plan_build(&w->plan, &w->settings, &w->capability, rate, &w->plan_err) == 0;
    if (w->have_plan) {
        /* The descriptor is not open yet: 3 stands for it on the setup screen. */
        for (size_t i = 0; i < w->plan.n_steps; i++) {
            if (w->plan.steps[i].kind != STEP_MEASURE || w->plan.steps[i].tool != TOOL_FIO)
                continue;
            fio_command_build(&w->command, w->fio_program ? w->fio_program : "fio",
                              &w->plan.steps[i], &w->settings, 3);
            break;
        }
        if (w->have_target)
            bench_file_check(w->settings.path, w->settings.size_bytes, &w->target_err);
    }
}

static void on_probed(void *arg, const struct capability *c)
{
    struct world *w = arg;

    w->capability = *c;
    w->probing = false;
    world_replan(w);
    changed(w);
}

static void on_probe_timer(void *arg, int64_t now_ns)
{
    struct world *w = arg;
    struct err e;

    (void)now_ns;
    probe_free(w->probe);
    w->probe = NULL;
    if (probe_start(&w->probe, w->loop, w->fio_program, w->settings.path, on_probed, w, &e) < 0)
        w->probing = false;
    changed(w);
}

static void probe_soon(struct world *w, int64_t delay_ns)
{
    probe_free(w->probe);
    w->probe = NULL;
    w->probing = false;
    loop_timer_off(w->probe_timer);
    capability_init(&w->capability);
    if (!w->fio_program || w->fio_code != EXIT_CODE_OK || !w->fio_known || !w->have_target ||
        !w->target.writable || w->target.read_only)
        return;
    w->probing = true;
    loop_timer_at(w->probe_timer, clock_ns() + delay_ns);
}

static void find_target(struct world *w)
{
    if (w->have_target)
        target_done(&w->target);
    w->have_target = false;
    err_clear(&w->target_err);
    if (!w->settings.path) {
        err_set(&w->target_err, EXIT_CODE_USAGE, EINVAL, "No target chosen yet.");
        return;
    }
    w->have_target = host_target(&w->target, w->settings.path, "", &w->target_err) == 0;
}

void world_set_path(struct world *w, const char *path)
{
    settings_set_path(&w->settings, path);
    w->rate_bytes_per_s = 0;
    find_target(w);
    probe_soon(w, PROBE_DELAY_NS);
    world_replan(w);
    changed(w);
}

void world_reload_targets(struct world *w)
{
    struct err e;

    targets_done(&w->targets);
    if (host_mounts(&w->targets, "", &e) < 0)
        w->targets = (struct targets){NULL, 0};
    changed(w);
}

static void fio_unusable(struct world *w, const char *sentence)
{
    snprintf(w->machine.fio_problem, sizeof(w->machine.fio_problem), "%.255s", sentence);
    w->fio_code = EXIT_CODE_FIO;
}

static void on_version(void *arg, const char *version, const struct err *e)
{
    struct world *w = arg;

    w->fio_known = true;
    w->fio_code = EXIT_CODE_OK;
    if (version)
        snprintf(w->machine.fio_version, sizeof(w->machine.fio_version), "%s", version);
    else
        fio_unusable(w, e->text);
    fio_version_check_free(w->version_check);
    w->version_check = NULL;
    probe_soon(w, 0);
    world_replan(w);
    changed(w);
}

void world_begin_probing(struct world *w)
{
    struct err e;

    free(w->fio_program);
    w->fio_program = child_find_program("fio");
    if (!w->fio_program) {
        w->fio_known = true;
        fio_unusable(w, "There is no fio in PATH, so nothing can be measured: install the package "
                        "\"fio\" (TrueNAS has it in /usr/bin).");
        changed(w);
        return;
    }
    snprintf(w->machine.fio_path, sizeof(w->machine.fio_path), "%s", w->fio_program);
    if (fio_version_check_start(&w->version_check, w->loop, w->fio_program, on_version, w, &e) < 0)
        on_version(w, NULL, &e);
}

void world_init(struct world *w, struct loop *l, const struct settings *settings,
                void (*change)(void *arg), void *arg)
{
    memset(w, 0, sizeof(*w));
    w->loop = l;
    w->changed = change;
    w->arg = arg;
    settings_init(&w->settings);
    settings_copy(&w->settings, settings);
    capability_init(&w->capability);
    strv_init(&w->command);
    w->probe_timer = loop_timer_new(l, on_probe_timer, w);
    host_machine(&w->machine, "");
    struct err e;
    if (host_mounts(&w->targets, "", &e) < 0)
        w->targets = (struct targets){NULL, 0};
    find_target(w);
    world_replan(w);
}

void world_done(struct world *w)
{
    fio_version_check_free(w->version_check);
    probe_free(w->probe);
    loop_timer_free(w->probe_timer);
    if (w->have_plan)
        plan_done(&w->plan);
    if (w->have_target)
        target_done(&w->target);
    targets_done(&w->targets);
    strv_done(&w->command);
    free(w->fio_program);
    settings_done(&w->settings);
}

bool world_is_settled(const struct world *w)
{
    return w->fio_known && !w->probing;
}

int world_check(const struct world *w, struct err *e)
{
    if (w->target_err.text[0]) {
        *e = w->target_err;
        return -EINVAL;
    }
    if (w->fio_known && w->fio_code != EXIT_CODE_OK)
        return err_set(e, w->fio_code, ENOENT, "%s", w->machine.fio_problem);
    if (!w->have_plan) {
        *e = w->plan_err;
        return -EINVAL;
    }
    return 0;
}
