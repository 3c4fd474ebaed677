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
#include "sthd/dd_run.h"
#include "sthd/fio_command.h"
#include "sthd/fio_run.h"
#include "sthd/host.h"
#include "sthd/mem.h"
#include "sthd/probe.h"
#include "sthd/text.h"
#include "survey.h"

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

enum tool world_tool(const struct world *w)
{
    return w->settings.profile->tests[0].tool;
}

/* fio's argv of a step, or dd's, as it will be but for the descriptor: 3 stands for it. */
static void build_command(struct world *w, const struct step *step)
{
    if (step->tool == TOOL_DD)
        dd_command_build(&w->command, w->dd_program ? w->dd_program : "dd", step, 3);
    else
        fio_command_build(&w->command, w->fio_program ? w->fio_program : "fio", step,
                          &w->plan.settings, 3);
}

static void probe_soon(struct world *w, int64_t delay_ns);

/* The directory as the kernel knows it. To be freed. */
static char *real_dir(const struct world *w)
{
    return mem_printf("%s%s", w->sysroot, w->settings.path);
}

static void check_space(struct world *w)
{
    if (w->target.kind == TARGET_BLOCK)
        return; /* it is only read */
    char *dir = real_dir(w);

    bench_file_check(dir, w->plan.settings.size_bytes, &w->target_err);
    free(dir);
}

void world_replan(struct world *w)
{
    if (world_tool(w) != w->probed_tool)
        probe_soon(w, 0);
    double rate = w->rate_bytes_per_s > 0 ? w->rate_bytes_per_s : guess_rate(w);

    if (w->have_plan)
        plan_done(&w->plan);
    strv_done(&w->command);
    err_clear(&w->plan_err);
    w->have_plan = plan_build(&w->plan, &w->settings, &w->capability, rate, &w->plan_err) == 0;
    if (w->have_plan) {
        for (size_t i = 0; i < w->plan.n_steps; i++) {
            if (w->plan.steps[i].kind != STEP_MEASURE)
                continue;
            build_command(w, &w->plan.steps[i]);
            break;
        }
        if (w->have_target) {
            err_clear(&w->target_err); /* with another size there may be room */
            check_space(w);
        }
    }
}

static void on_probed(void *arg, const struct capability *c)
{
    struct world *w = arg;

    w->capability = *c;
    w->probing = false;
    w->probe_seconds = (double)(clock_ns() - w->probe_began_ns) / 1e9;
    world_replan(w);
    changed(w);
}

static void stop_probing(struct world *w)
{
    probe_free(w->probe);
    w->probe = NULL;
    dd_probe_free(w->dd_probe);
    w->dd_probe = NULL;
    w->probing = false;
}

static void on_probe_timer(void *arg, int64_t now_ns)
{
    struct world *w = arg;
    struct err e;

    (void)now_ns;
    stop_probing(w);
    w->probe_began_ns = clock_ns();
    err_clear(&w->probe_err);
    char *path = real_dir(w);
    int rc = world_tool(w) == TOOL_DD
                 ? dd_probe_start(&w->dd_probe, w->loop, w->dd_program, path, on_probed, w, &e)
                 : probe_start(&w->probe, w->loop, w->fio_program, path, on_probed, w, &e);
    free(path);
    w->probing = rc == 0;
    if (rc < 0)
        w->probe_err = e;
    changed(w);
}

/* The tool is there and was found to be the one it is called. */
static bool tool_is_usable(const struct world *w)
{
    if (world_tool(w) == TOOL_DD)
        return w->dd_program != NULL;
    return w->fio_program && w->fio_known && w->fio_code == EXIT_CODE_OK;
}

static void probe_soon(struct world *w, int64_t delay_ns)
{
    stop_probing(w);
    loop_timer_off(w->probe_timer);
    capability_init(&w->capability);
    w->probed_tool = world_tool(w);
    if (!tool_is_usable(w) || !w->have_target || !w->target.writable || w->target.read_only)
        return;
    w->probing = true;
    loop_timer_at(w->probe_timer, clock_ns() + delay_ns);
}

static char *sentence(void (*say)(const void *of, struct buf *out), const void *of)
{
    struct buf b = BUF_INIT;

    say(of, &b);
    return b.len ? buf_steal(&b) : NULL;
}

static void say_stack(const void *of, struct buf *out)
{
    stack_sentence(of, out);
}

static void say_leaf(const void *of, struct buf *out)
{
    leaf_sentence(of, out);
}

/* What the target is on, in words, whenever more of it is known. */
static void describe_target(struct world *w)
{
    const struct leaf *leaf = stack_only_leaf(&w->stack, DUTY_DATA);

    w->settings.logical_bytes = leaf ? leaf->logical_bytes : 0;
    w->settings.physical_bytes = leaf ? leaf->physical_bytes : 0;

    free(w->target.below);
    free(w->target.device);
    /* of a server or of memory the note has said it */
    w->target.below =
        w->stack.n_leaves || !w->target.note[0] ? sentence(say_stack, &w->stack) : NULL;
    w->target.device = leaf ? sentence(say_leaf, leaf) : NULL;
}

/* What is known of ZFS without asking it. */
static void begin_zfs(struct world *w)
{
    const char *dataset = w->target.source;

    snprintf(w->zfs.dataset, sizeof(w->zfs.dataset), "%.*s", ZFS_NAME - 1, dataset);
    snprintf(w->zfs.pool, sizeof(w->zfs.pool), "%.*s", (int)strcspn(w->zfs.dataset, "/"),
             w->zfs.dataset);
    host_zfs_version(&w->zfs.major, &w->zfs.minor, w->sysroot);
    w->zfs.arc_bytes = host_zfs_arc_limit(w->sysroot);
}

static void tell_of_pool(struct world *w)
{
    if (!w->zfs.pool_known)
        snprintf(w->stack.hidden, sizeof(w->stack.hidden), "%s", w->zfs.problem);
    describe_target(w);
}

static void on_surveyed(void *arg, const struct zpool *pool)
{
    struct world *w = arg;

    if (pool) {
        host_stack_add_pool(&w->stack, pool, w->sysroot);
        w->zfs.pool_known = true;
        snprintf(w->zfs.pool_state, sizeof(w->zfs.pool_state), "%s", pool->state);
    }
    tell_of_pool(w);
    survey_free(w->survey);
    w->survey = NULL;
    changed(w);
}

static void survey_soon(struct world *w, int64_t delay_ns)
{
    survey_free(w->survey);
    w->survey = NULL;
    if (!w->have_target || w->target.kind != TARGET_ZFS || w->zfs.pool_known)
        return;
    w->survey = survey_start(w->loop, &w->zfs, delay_ns, on_surveyed, w);
    if (!w->survey)
        tell_of_pool(w);
}

static void find_target(struct world *w)
{
    survey_free(w->survey);
    w->survey = NULL;
    if (w->have_target)
        target_done(&w->target);
    stack_done(&w->stack);
    memset(&w->zfs, 0, sizeof(w->zfs));
    w->have_target = false;
    w->settings.device_bytes = 0;
    err_clear(&w->target_err);
    if (!w->settings.path) {
        err_set(&w->target_err, EXIT_CODE_USAGE, EINVAL, "No target chosen yet.");
        return;
    }
    w->have_target = host_target(&w->target, w->settings.path, w->sysroot, &w->target_err) == 0;
    if (!w->have_target)
        return;
    if (w->target.kind == TARGET_BLOCK)
        w->settings.device_bytes = w->target.total_bytes;
    host_stack(&w->stack, &w->target, w->sysroot);
    if (w->target.kind == TARGET_ZFS)
        begin_zfs(w);
    describe_target(w);
}

void world_set_path(struct world *w, const char *path)
{
    settings_set_path(&w->settings, path);
    w->rate_bytes_per_s = 0;
    find_target(w);
    survey_soon(w, PROBE_DELAY_NS);
    probe_soon(w, PROBE_DELAY_NS);
    world_replan(w);
    changed(w);
}

void world_reload_targets(struct world *w)
{
    struct err e;

    targets_done(&w->targets);
    if (host_mounts(&w->targets, w->sysroot, &e) < 0)
        w->targets = (struct targets){NULL, 0};
    changed(w);
}

static void fio_unusable(struct world *w, const char *sentence)
{
    snprintf(w->machine.fio_problem, sizeof(w->machine.fio_problem), "%.255s", sentence);
    w->fio_code = EXIT_CODE_FIO;
}

/*
 * Without fio, who did not ask for one of fio's profiles gets what dd can tell. Not so with a fio
 * that is the wrong one: that is a fault to be mended, and not to be worked round silently.
 */
static void do_without_fio(struct world *w)
{
    const struct profile *dd = profile_find("dd");

    if (w->profile_chosen || !dd || !w->dd_program) {
        fio_unusable(w, "There is no fio in PATH: install the package \"fio\" (TrueNAS has it), or "
                        "measure what dd can tell with the profile dd.");
        return;
    }
    w->settings.profile = dd;
    fio_unusable(w,
                 "There is no fio in PATH: measured is what dd can tell (profile dd); install the "
                 "package \"fio\" for more.");
}

static void fio_is_known(struct world *w)
{
    w->fio_known = true;
    probe_soon(w, 0);
    world_replan(w);
    changed(w);
}

static void on_version(void *arg, const char *version, const struct err *e)
{
    struct world *w = arg;

    w->fio_code = EXIT_CODE_OK;
    if (version)
        snprintf(w->machine.fio_version, sizeof(w->machine.fio_version), "%s", version);
    else
        fio_unusable(w, e->text);
    fio_version_check_free(w->version_check);
    w->version_check = NULL;
    fio_is_known(w);
}

void world_begin_probing(struct world *w)
{
    struct err e;

    survey_soon(w, 0);
    free(w->fio_program);
    w->fio_program = child_find_program("fio");
    if (!w->fio_program) {
        do_without_fio(w);
        fio_is_known(w);
        return;
    }
    snprintf(w->machine.fio_path, sizeof(w->machine.fio_path), "%s", w->fio_program);
    if (fio_version_check_start(&w->version_check, w->loop, w->fio_program, on_version, w, &e) < 0)
        on_version(w, NULL, &e);
}

void world_init(struct world *w, struct loop *l, const struct settings *settings,
                bool profile_chosen, void (*change)(void *arg), void *arg)
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
    w->profile_chosen = profile_chosen;
    w->sysroot = getenv("STHD_SYSROOT") ? getenv("STHD_SYSROOT") : "";
    w->dd_program = child_find_program("dd");
    host_machine(&w->machine, w->sysroot);
    struct err e;
    if (host_mounts(&w->targets, w->sysroot, &e) < 0)
        w->targets = (struct targets){NULL, 0};
    find_target(w);
    world_replan(w);
}

void world_done(struct world *w)
{
    fio_version_check_free(w->version_check);
    survey_free(w->survey);
    stop_probing(w);
    loop_timer_free(w->probe_timer);
    if (w->have_plan)
        plan_done(&w->plan);
    if (w->have_target)
        target_done(&w->target);
    stack_done(&w->stack);
    targets_done(&w->targets);
    strv_done(&w->command);
    free(w->fio_program);
    free(w->dd_program);
    settings_done(&w->settings);
}

bool world_is_settled(const struct world *w)
{
    return w->fio_known && !w->probing && !w->survey;
}

int world_check(const struct world *w, struct err *e)
{
    if (w->target_err.text[0]) {
        *e = w->target_err;
        return -EINVAL;
    }
    if (world_tool(w) == TOOL_DD && !w->dd_program)
        return err_set(
            e, EXIT_CODE_FIO, ENOENT,
            "There is no dd in PATH: install coreutils, or choose one of fio's profiles.");
    if (world_tool(w) == TOOL_FIO && w->fio_known && w->fio_code != EXIT_CODE_OK)
        return err_set(e, w->fio_code, ENOENT, "%s", w->machine.fio_problem);
    if (!w->have_plan) {
        *e = w->plan_err;
        return -EINVAL;
    }
    return 0;
}
