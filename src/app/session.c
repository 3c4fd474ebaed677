/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Carries out a plan, one run of fio or dd per step. Promises that over() comes exactly once,
 * whatever fio and the disk do; must not know who is watching.
 */
#include "session.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "evidence.h"
#include "sthd/bench_file.h"
#include "sthd/dd_run.h"
#include "sthd/fio_command.h"
#include "sthd/fio_run.h"
#include "sthd/mem.h"
#include "sthd/work_dir.h"

struct session {
    struct loop *loop;
    struct session_spec spec;
    const struct session_events *ev;
    void *arg;
    struct run run;
    struct bench_file *file;
    struct work_dir *dir; /* for work on files; NULL when the plan has none */
    struct fio_run *fio;  /* of the step that runs one of the two; both NULL between steps */
    struct dd_run *dd;
    struct evidence *evidence;
    struct strv command;
    struct loop_timer *advance; /* starts the next step from the loop, not from inside fio's end */
    struct loop_timer *tick;
    struct loop_timer *patience; /* session_stop_within */
    bool stop_asked;
    bool skip_asked;
    bool over;
};

/* Longer than the default interval: while reports come on time, they move the clocks as well. */
#define TICK_NS ((int64_t)300 * 1000 * 1000)

static bool step_runs(const struct session *s)
{
    return s->fio || s->dd;
}

static void stop_step(struct session *s)
{
    if (s->fio)
        fio_run_stop(s->fio);
    if (s->dd)
        dd_run_stop(s->dd);
}

static void free_step(struct session *s)
{
    fio_run_free(s->fio);
    s->fio = NULL;
    dd_run_free(s->dd);
    s->dd = NULL;
}

static void changed(struct session *s)
{
    if (s->ev->changed)
        s->ev->changed(s->arg);
}

static void finish(struct session *s)
{
    run_end(&s->run, s->stop_asked, clock_ns());
    s->over = true;
    loop_timer_off(s->tick);
    loop_timer_off(s->patience);
    bench_file_free(s->file);
    s->file = NULL;
    work_dir_free(s->dir);
    s->dir = NULL;
    changed(s);
    s->ev->over(s->arg);
}

static void on_report(void *arg, const struct report *r, int64_t arrival_ns)
{
    struct session *s = arg;

    bool moved = run_apply(&s->run, r, arrival_ns);
    if (moved)
        evidence_report(s->evidence, &s->run, &s->spec.plan->steps[s->run.step], r, arrival_ns);
    moved |= run_tick(&s->run, arrival_ns);
    loop_timer_at(s->tick, arrival_ns + TICK_NS);
    if (moved)
        changed(s);
}

static void on_raw(void *arg, enum child_stream stream, const char *bytes, size_t len)
{
    struct session *s = arg;

    lines_add(s->spec.lines, stream == CHILD_STDOUT ? LINE_STDOUT : LINE_STDERR, bytes, len);
    if (s->ev->raw)
        s->ev->raw(s->arg, stream, bytes, len);
}

static enum step_outcome outcome_of(const struct session *s, const struct fio_result *result)
{
    /* A stop that had to end in a KILL is still a stop: the figures are those of the last report.
     */
    if (s->skip_asked && !s->stop_asked && result->end != FIO_END_FAILED)
        return STEP_SKIPPED;
    if (s->stop_asked && result->end != FIO_END_FAILED)
        return STEP_STOPPED;
    return result->end == FIO_END_OK ? STEP_OK : STEP_FAILED;
}

/* fio says a line or two beside its reports; this many are no message any more. */
#define FLOOD_LINES 1000

/* What was wrong with output that still ended in figures. "" nothing. */
static void describe_damage(const struct fio_result *result, char *out, size_t size)
{
    unsigned lost = result->lost;

    out[0] = '\0';
    if (lost > 0)
        snprintf(out, size, "%u of %u reports %s damaged and left out", lost,
                 lost + result->documents, lost == 1 ? "was" : "were");
    else if (result->notes >= FLOOD_LINES)
        snprintf(out, size, "fio wrote %u lines of text beside its reports: see its output",
                 result->notes);
}

static void on_end(void *arg, const struct fio_result *result)
{
    struct session *s = arg;

    lines_end(s->spec.lines, LINE_STDOUT);
    lines_end(s->spec.lines, LINE_STDERR);
    if (result->why[0])
        lines_say(s->spec.lines, "%s", result->why);
    char damage[96];
    describe_damage(result, damage, sizeof(damage));
    /* That it was stopped the cell knows by itself. */
    const char *why = result->end == FIO_END_OK        ? damage
                      : result->end == FIO_END_STOPPED ? ""
                                                       : result->why;
    run_step_end(&s->run, outcome_of(s, result), result->last, why, clock_ns());
    evidence_end(s->evidence, &s->run, &s->spec.plan->steps[s->run.step], result);
    free_step(s);
    if (s->dir)
        work_dir_empty(s->dir);
    changed(s);
    loop_timer_at(s->advance, clock_ns());
}

static const struct fio_run_events step_events = {
    .report = on_report,
    .raw = on_raw,
    .end = on_end,
};

/* What a step works on. */
static int step_fd(const struct session *s, const struct step *step)
{
    if (step->work != WORK_DATA)
        return work_dir_fd(s->dir);
    return s->file ? bench_file_fd(s->file) : -1;
}

static bool needs_dir(const struct plan *p)
{
    for (size_t i = 0; i < p->n_steps; i++)
        if (p->steps[i].work != WORK_DATA)
            return true;
    return false;
}

static int start_fio(struct session *s, const struct step *step, struct err *e)
{
    struct fio_run_spec spec = {
        .program = s->spec.fio_program,
        .step = step,
        .settings = &s->spec.plan->settings,
        .bench_fd = step_fd(s, step),
        .grace_s = s->spec.grace_s,
    };

    return fio_run_start(&s->fio, s->loop, &spec, &step_events, s, e);
}

static int start_dd(struct session *s, const struct step *step, struct err *e)
{
    struct dd_run_spec spec = {
        .program = s->spec.dd_program,
        .step = step,
        .settings = &s->spec.plan->settings,
        .bench_fd = bench_file_fd(s->file),
        .grace_s = s->spec.grace_s,
    };

    return dd_run_start(&s->dd, s->loop, &spec, &step_events, s, e);
}

static int start_step(struct session *s, size_t i, struct err *e)
{
    const struct step *step = &s->spec.plan->steps[i];
    int fd = step_fd(s, step);
    struct buf line = BUF_INIT;

    s->skip_asked = false;
    strv_done(&s->command);
    if (step->tool == TOOL_DD)
        dd_command_build(&s->command, s->spec.dd_program, step, fd);
    else
        fio_command_build(&s->command, s->spec.fio_program, step, &s->spec.plan->settings, fd);
    strv_quote(&s->command, &line);
    lines_say(s->spec.lines, "%s", line.data);
    buf_done(&line);
    run_step_begin(&s->run, i, clock_ns());
    run_set_command(&s->run, i, &s->command);
    evidence_begin(s->evidence, step, clock_ns());
    return step->tool == TOOL_DD ? start_dd(s, step, e) : start_fio(s, step, e);
}

static void on_advance(void *arg, int64_t now_ns)
{
    struct session *s = arg;
    size_t next = run_next_step(&s->run);
    struct err e;

    if (s->over)
        return;
    if (s->stop_asked || s->run.prepare_failed || next >= s->spec.plan->n_steps) {
        finish(s);
        return;
    }
    uint32_t pause_s = s->spec.plan->steps[next].pause_s;
    if (pause_s > 0 && s->run.state != RUN_PAUSE) {
        int64_t until_ns = now_ns + (int64_t)pause_s * 1000000000;
        run_pause(&s->run, now_ns, until_ns);
        loop_timer_at(s->advance, until_ns);
        changed(s);
        return;
    }
    if (s->ev->ready && !s->ev->ready(s->arg, &s->spec.plan->steps[next]))
        return; /* session_go_on or session_stop comes back here */
    err_clear(&e);
    if (start_step(s, next, &e) < 0) {
        run_step_end(&s->run, STEP_FAILED, NULL, e.text, now_ns);
        lines_say(s->spec.lines, "%s", e.text);
        loop_timer_at(s->advance, now_ns);
    }
    changed(s);
}

static void on_tick(void *arg, int64_t now_ns)
{
    struct session *s = arg;

    if (s->over)
        return;
    if (run_tick(&s->run, now_ns))
        changed(s);
    loop_timer_at(s->tick, now_ns + TICK_NS);
}

static void on_patience_over(void *arg, int64_t now_ns)
{
    (void)now_ns;
    session_stop(arg);
}

static void note_wall_clock(struct run *r)
{
    struct timespec now;
    struct tm local;

    clock_gettime(CLOCK_REALTIME, &now);
    bool known = localtime_r(&now.tv_sec, &local);
    run_set_wall_clock(r, (int64_t)now.tv_sec * 1000000000 + now.tv_nsec,
                       known ? (int)local.tm_gmtoff : 0);
}

int session_start(struct session **out, struct loop *l, const struct session_spec *spec,
                  const struct session_events *ev, void *arg, struct err *e)
{
    struct session *s = mem_zalloc(sizeof(*s));
    const struct settings *settings = &spec->plan->settings;
    int rc;

    s->loop = l;
    s->spec = *spec;
    s->ev = ev;
    s->arg = arg;
    strv_init(&s->command);
    s->advance = loop_timer_new(l, on_advance, s);
    s->tick = loop_timer_new(l, on_tick, s);
    s->patience = loop_timer_new(l, on_patience_over, s);
    struct evidence_spec evidence = {
        spec->target, spec->stack, spec->zfs, spec->machine, spec->sysroot,
    };
    s->evidence = evidence_new(&evidence);
    /* In a tree that stands in for a machine its mounts are directories of the tree. */
    char *dir = mem_printf("%s%s", spec->sysroot ? spec->sysroot : "", settings->path);
    bool as_is = settings_jobs(settings) && settings_jobs(settings)->as_is;
    rc = as_is                    ? 0
         : settings->device_bytes ? bench_file_of_device(&s->file, dir, e)
                                  : bench_file_create(&s->file, dir, settings->size_bytes, e);
    if (rc == 0 && needs_dir(spec->plan))
        rc = work_dir_create(&s->dir, dir, e);
    free(dir);
    run_init(&s->run, spec->plan, clock_ns());
    note_wall_clock(&s->run);
    if (rc == 0)
        rc = start_step(s, 0, e);
    if (rc < 0) {
        session_free(s);
        return rc;
    }
    loop_timer_at(s->tick, clock_ns() + TICK_NS);
    *out = s;
    return 0;
}

const struct run *session_run(const struct session *s)
{
    return &s->run;
}

const struct strv *session_command(const struct session *s)
{
    return &s->command;
}

bool session_is_over(const struct session *s)
{
    return s->over;
}

void session_stop(struct session *s)
{
    if (s->over)
        return;
    s->stop_asked = true;
    if (step_runs(s)) {
        run_stopping(&s->run, clock_ns());
        stop_step(s);
    } else {
        loop_timer_at(s->advance, clock_ns()); /* out of a pause */
    }
    changed(s);
}

void session_stop_within(struct session *s, unsigned ms)
{
    if (s->over)
        return;
    if (!s->stop_asked)
        session_stop(s);
    loop_timer_at(s->patience, clock_ns() + (int64_t)ms * 1000000);
}

void session_next(struct session *s)
{
    if (s->over || s->stop_asked)
        return;
    if (s->run.state == RUN_PAUSE)
        loop_timer_at(s->advance, clock_ns());
    if (!step_runs(s))
        return;
    if (run_current_step(&s->run)->kind == STEP_PREPARE) {
        run_say(&s->run, "the preparation cannot be skipped: reads would find holes");
    } else {
        s->skip_asked = true;
        run_stopping(&s->run, clock_ns());
        stop_step(s);
    }
    changed(s);
}

void session_go_on(struct session *s)
{
    if (!s->over && !step_runs(s))
        loop_timer_at(s->advance, clock_ns());
}

void session_say(struct session *s, const char *text)
{
    run_say(&s->run, "%s", text);
    changed(s);
}

void session_mark(struct session *s, const char *text)
{
    if (s->over || !run_mark(&s->run, text, clock_ns()))
        return;
    if (s->fio)
        fio_run_poke(s->fio);
    changed(s);
}

void session_cpu(struct session *s, const struct cpu_state *cpu)
{
    run_cpu(&s->run, cpu);
}

void session_free(struct session *s)
{
    if (!s)
        return;
    free_step(s);
    bench_file_free(s->file);
    work_dir_free(s->dir);
    evidence_free(s->evidence);
    loop_timer_free(s->advance);
    loop_timer_free(s->tick);
    loop_timer_free(s->patience);
    strv_done(&s->command);
    run_done(&s->run);
    free(s);
}
