/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The full screen: turns the ui's messages into changes of the world and the session, and tells the
 * ui when to draw. Must not know what anything looks like.
 */
#include "tui.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "facts.h"
#include "fatal.h"
#include "iostat.h"
#include "job_file.h"
#include "output.h"
#include "session.h"
#include "sthd/mem.h"
#include "sthd/signals.h"
#include "sthd/ui.h"
#include "sudo.h"
#include "sweeper.h"
#include "tuning.h"
#include "world.h"

#define RAW_STORE_BYTES  ((size_t)512 << 10)
#define POOL_STORE_BYTES ((size_t)256 << 10)

struct tui {
    const struct options *o;
    struct loop *loop;
    struct signals *signals;
    struct world world;
    struct tuning *tuning;
    struct lines *lines;
    struct strv job_files;    /* of the folder that is looked at */
    struct lines *pool_lines; /* what zpool iostat says during the session; NULL: no pool */
    struct iostat *iostat;    /* NULL: nobody looked at it */
    struct session *session;
    struct plan plan; /* of the session: the world replans its own */
    bool have_plan;
    struct ui *ui;
    struct ui_model model;
    struct loop_watch *tty;
    struct loop_timer *redraw;
    struct verdict *verdict; /* of the run when it is over; NULL */
    struct buf after;        /* sentences to be said on stderr when the screen has gone */
    bool leave_when_over;    /* quit was asked while a run was on */
    bool terminal_gone;
    bool started_by_option;
    bool start_when_settled; /* start was confirmed before probing was over */
    struct sweeper sweeper;
    struct buf sweep_text; /* of the finished run; owned */
    bool sweeps;           /* the runs to come go through the settings of a knob */
    enum knob sweep;       /* which */
    bool sweep_failed;     /* and was told: what is measured is without it */
    char export_name[96];
    unsigned marks; /* set by hand in this session */
    int die_of;
};

static void refresh_model(struct tui *t)
{
    struct ui_model *m = &t->model;
    const struct world *w = &t->world;

    m->machine = &w->machine;
    m->targets = &w->targets;
    m->target = w->have_target ? &w->target : NULL;
    m->target_problem = w->target_err.text[0] ? w->target_err.text : NULL;
    m->settings = &w->settings;
    m->book = t->o->book;
    m->capability = &w->capability;
    m->plan = w->have_plan ? &w->plan : NULL;
    m->plan_problem = w->have_plan ? NULL : w->plan_err.text;
    m->command = w->command.n ? &w->command : NULL;
    m->run = NULL;
    m->export_name = NULL;
    m->raw = t->lines;
    m->verdict = t->verdict;
    m->root_offer = sudo_offer();
    m->cpu = t->tuning ? tuning_cpu(t->tuning) : NULL;
    m->knobs = t->tuning ? tuning_panel(t->tuning) : NULL;
    m->left = t->tuning ? tuning_left(t->tuning) : NULL;
    if (t->session) {
        m->run = session_run(t->session);
        output_file_name(m->run, t->export_name, sizeof(t->export_name));
        m->export_name = t->export_name;
        m->plan = &t->plan;
        m->settings = &t->plan.settings;
        m->command = session_command(t->session);
    }
    if (t->ui)
        ui_touch(t->ui);
}

static bool running(const struct tui *t)
{
    return t->session && !session_is_over(t->session);
}

static void leave(struct tui *t)
{
    if (running(t)) {
        t->leave_when_over = true;
        session_stop(t->session);
    } else {
        loop_quit(t->loop);
    }
}

static void on_run_changed(void *arg)
{
    (void)arg; /* run->generation tells the ui; before_wait draws */
}

static bool on_run_ready(void *arg, const struct step *step)
{
    struct tui *t = arg;

    return sweeper_ready(&t->sweeper, t->tuning, &t->plan, step);
}

static void on_run_over(void *arg)
{
    struct tui *t = arg;
    const struct run *r = session_run(t->session);

    if (r->plan->settings.sweep.n > 0) {
        output_sweep(t->o, r, &t->sweep_text);
        t->model.sweep_text = t->sweep_text.data;
        tuning_restore(t->tuning);
    }
    if (r->prepare_bytes_per_s > 0)
        t->world.rate_bytes_per_s = r->prepare_bytes_per_s;
    iostat_free(t->iostat); /* what it said stays */
    t->iostat = NULL;
    free(t->verdict);
    t->verdict = facts_judge(&t->world, r);
    t->model.verdict = t->verdict;
    if (t->leave_when_over)
        loop_quit(t->loop);
    else
        ui_touch(t->ui);
}

static void end_session(struct tui *t)
{
    iostat_free(t->iostat);
    t->iostat = NULL;
    lines_free(t->pool_lines);
    t->pool_lines = NULL;
    t->model.iostat = NULL;
    session_free(t->session);
    t->session = NULL;
    free(t->verdict);
    t->verdict = NULL;
    t->model.verdict = NULL;
    buf_done(&t->sweep_text);
    t->model.sweep_text = NULL;
    if (t->have_plan)
        plan_done(&t->plan);
    t->have_plan = false;
}

/* The settings of the sweep are not chosen yet. */
static bool sweep_is_open(const struct tui *t)
{
    return t->sweeps && t->world.settings.sweep.n == 0 && !t->sweep_failed;
}

static void start_run(struct tui *t)
{
    static const struct session_events events = {
        .ready = on_run_ready,
        .changed = on_run_changed,
        .over = on_run_over,
    };
    struct session_spec spec = {
        .fio_program = t->world.fio_program,
        .dd_program = t->world.dd_program,
        .plan = &t->plan,
        .lines = t->lines,
        .grace_s = t->o->grace_s,
        .target = t->world.have_target ? &t->world.target : NULL,
        .stack = &t->world.stack,
        .zfs = &t->world.zfs,
        .machine = &t->world.machine,
        .sysroot = t->world.sysroot,
    };
    struct err e;

    t->start_when_settled = false;
    t->marks = 0;
    sweeper_init(&t->sweeper);
    if (running(t))
        return;
    end_session(t);
    err_clear(&e);
    if (world_check(&t->world, &e) < 0) {
        ui_say(t->ui, "%s", e.text);
        refresh_model(t);
        return;
    }
    if (!world_is_settled(&t->world) || sweep_is_open(t)) {
        t->start_when_settled = true;
        ui_say(t->ui, "one moment: it starts when fio has been looked at");
        return;
    }
    /* The session keeps its own plan, so that nothing on the setup screen can pull it away. */
    if (plan_build(&t->plan, &t->world.settings, &t->world.capability, 300e6, &e) < 0) {
        ui_say(t->ui, "%s", e.text);
        return;
    }
    t->have_plan = true;
    if (session_start(&t->session, t->loop, &spec, &events, t, &e) < 0) {
        end_session(t);
        ui_say(t->ui, "%s", e.text);
    } else {
        session_cpu(t->session, tuning_cpu(t->tuning));
        if (t->world.zfs.pool[0])
            t->pool_lines = lines_new(POOL_STORE_BYTES);
        t->model.iostat = t->pool_lines;
    }
    refresh_model(t);
}

static void watch_pool(struct tui *t)
{
    struct err e;

    if (t->pool_lines && !t->iostat && running(t) &&
        iostat_start(&t->iostat, t->loop, t->world.zfs.pool, t->pool_lines, &e) < 0)
        lines_say(t->pool_lines, "%s", e.text);
}

static void on_world_changed(void *arg)
{
    struct tui *t = arg;

    refresh_model(t);
    /* --yes with a path: nothing is asked, here either. Once; later runs are started by hand. */
    const struct jobs *jobs = settings_jobs(&t->world.settings);
    bool by_option = t->o->yes && t->o->settings.path && !t->started_by_option &&
                     !(jobs && jobs->as_is); /* what it writes is to be seen first */
    if (t->ui && (by_option || t->start_when_settled) && world_is_settled(&t->world) &&
        !sweep_is_open(t)) {
        t->started_by_option = true;
        start_run(t);
    }
}

/* ---- processors and knobs ---- */

static void choose_sweep(struct tui *t)
{
    struct err e;

    if (!sweep_is_open(t) || !sweeper_can_choose(t->tuning))
        return;
    if (sweep_choose(&t->world.settings.sweep, tuning_panel(t->tuning), t->sweep,
                     tuning_cpu(t->tuning), &e) < 0) {
        t->sweep_failed = true;
        ui_say(t->ui, "%s", e.text);
    }
    world_replan(&t->world);
    on_world_changed(t);
}

/* KNOB_COUNT: none. */
static void take_sweep(struct tui *t, enum knob k)
{
    t->sweeps = k != KNOB_COUNT;
    t->sweep = k;
    t->sweep_failed = false;
    memset(&t->world.settings.sweep, 0, sizeof(t->world.settings.sweep));
    if (t->sweeps)
        choose_sweep(t);
    else
        world_replan(&t->world);
    refresh_model(t);
}

static void on_cpu(void *arg)
{
    struct tui *t = arg;

    choose_sweep(t);
    if (running(t))
        session_cpu(t->session, tuning_cpu(t->tuning));
    ui_touch(t->ui);
}

static void mark(struct tui *t, const char *text)
{
    if (running(t))
        session_mark(t->session, text);
}

static void on_turned(void *arg, const struct knob_outcome *o)
{
    struct tui *t = arg;
    struct buf text = BUF_INIT;

    if (t->session && sweeper_turned(&t->sweeper, &t->plan, o)) {
        if (o->done) {
            session_go_on(t->session);
        } else {
            session_say(t->session, o->err.text);
            session_stop(t->session);
        }
        return;
    }
    if (o->restored)
        buf_adds(&text, "all as before");
    else
        knob_mark(&text, o->knob, o->value);
    if (!o->done) {
        ui_say(t->ui, "%s", o->err.text);
    } else {
        mark(t, text.data);
        ui_say(t->ui, "%s%s", text.data, o->restored ? "" : "; it is turned back in the end");
    }
    buf_done(&text);
}

static void on_drifted(void *arg, enum knob k, const char *sentence)
{
    struct tui *t = arg;
    struct buf text = BUF_INIT;

    buf_addf(&text, "%s drifted", knob_name(k));
    mark(t, text.data);
    ui_say(t->ui, "%s", sentence);
    buf_done(&text);
}

/* Behind the first frame: both threads begin to read. */
static void start_tuning(struct tui *t)
{
    static const struct tuning_events events = {
        .changed = on_cpu, .turned = on_turned, .drifted = on_drifted};

    t->tuning = tuning_new(t->loop, t->world.sysroot, &events, t);
    refresh_model(t);
    if (tuning_left(t->tuning)) {
        ui_ask_repair(t->ui);
        return;
    }
    for (int k = 0; k < KNOB_COUNT; k++)
        if (t->o->turn[k][0])
            tuning_turn(t->tuning, (enum knob)k, t->o->turn[k]);
}

static void repair(struct tui *t)
{
    struct err e;

    if (tuning_repair(t->tuning, &e) < 0)
        ui_say(t->ui, "%s", e.text);
    else
        ui_say(t->ui, "this computer is set back as it was before that run");
    refresh_model(t);
}

static void back_to_setup(struct tui *t)
{
    if (running(t))
        return;
    end_session(t);
    world_replan(&t->world);
    refresh_model(t);
}

static void suspend(struct tui *t)
{
    if (running(t)) {
        ui_say(t->ui, "not suspended: fio would go on alone and the figures be wrong; s stops");
        return;
    }
    /* Without a shell with job control above us nobody would wake us again. */
    if (getsid(getppid()) != getsid(0) || getpgid(getppid()) == getpgrp()) {
        ui_say(t->ui, "not suspended: there is no shell here that could wake it again");
        return;
    }
    ui_suspend(t->ui);
    raise(SIGSTOP); /* TSTP is blocked for signalfd; CONT comes back through it */
    ui_resume(t->ui);
}

/* Ctrl-C: stop and show what is there; once more: out. */
static void interrupt(struct tui *t)
{
    if (!running(t)) {
        loop_quit(t->loop);
        return;
    }
    if (session_run(t->session)->state == RUN_STOPPING)
        t->leave_when_over = true;
    session_stop(t->session);
}

/* The message's cell is what is watched next. */
static void watch(struct tui *t, const struct ui_message *m)
{
    struct profile made;

    profile_watch(&made, m->profile, m->number / DIRECTION_COUNT,
                  (enum direction)(m->number % DIRECTION_COUNT));
    settings_set_own_profile(&t->world.settings, &made); /* m->profile may be of the session */
    t->world.profile_chosen = true;
    if (!running(t))
        end_session(t);
}

/* Something was changed that we cannot know of: in another shell, on the server. */
static void mark_by_hand(struct tui *t)
{
    char text[24];

    if (!running(t))
        return;
    snprintf(text, sizeof(text), "mark %u", ++t->marks);
    session_mark(t->session, text);
}

static void save(struct tui *t, const char *path)
{
    struct err e;

    if (!t->session || running(t))
        return;
    err_clear(&e);
    if (output_save(t->o, &t->world, session_run(t->session), path, &e) < 0)
        ui_say(t->ui, "%s", e.text);
    else
        ui_say(t->ui, "saved: %s", path);
}

static void list_jobs(struct tui *t, const char *folder)
{
    struct err e;

    err_clear(&e);
    if (job_file_list(&t->job_files, folder, &e) < 0)
        ui_say(t->ui, "%s", e.text);
    t->model.job_files = &t->job_files;
    ui_touch(t->ui);
}

static bool take_job(struct tui *t, const char *path)
{
    struct jobs *jobs;
    struct err e;

    err_clear(&e);
    if (job_file_load(&jobs, path, false, &e) < 0) {
        ui_say(t->ui, "%s", e.text);
        return false;
    }
    settings_set_jobs(&t->world.settings, jobs);
    jobs_drop(jobs);
    t->world.profile_chosen = true;
    return true;
}

static void handle(struct tui *t, const struct ui_message *m)
{
    struct world *w = &t->world;

    if (m->type != UI_NOTHING)
        t->start_when_settled = false; /* what was confirmed may no longer be what is set */
    switch (m->type) {
    case UI_NOTHING:
        return;
    case UI_PATH:
        world_set_path(w, m->text);
        return;
    case UI_PROFILE:
        w->settings.profile = m->profile;
        w->profile_chosen = true;
        break;
    case UI_JOB_FOLDER:
        list_jobs(t, m->text);
        return;
    case UI_JOB:
        if (!take_job(t, m->text))
            return;
        break;
    case UI_WATCH:
        watch(t, m);
        break;
    case UI_EXPORT:
        save(t, m->text);
        return;
    case UI_MARK:
        mark_by_hand(t);
        return;
    case UI_ENGINE:
        w->settings.engine = (enum engine)m->number;
        break;
    case UI_IO:
        w->settings.io = (enum io_mode)m->number;
        break;
    case UI_SIZE:
        w->settings.size_bytes = m->number;
        w->settings.size_given = true;
        break;
    case UI_RUNTIME:
        w->settings.runtime_s = (uint32_t)m->number;
        w->settings.runtime_given = true;
        break;
    case UI_START:
        start_run(t);
        return;
    case UI_STOP:
        if (t->session)
            session_stop(t->session);
        return;
    case UI_NEXT:
        if (t->session)
            session_next(t->session);
        return;
    case UI_BACK:
        back_to_setup(t);
        return;
    case UI_QUIT:
        leave(t);
        return;
    case UI_SUSPEND:
        suspend(t);
        return;
    case UI_INTERRUPT:
        interrupt(t);
        return;
    case UI_RELOAD_TARGETS:
        world_reload_targets(w);
        return;
    case UI_KNOB:
        tuning_turn(t->tuning, (enum knob)m->number, m->text);
        return;
    case UI_IOSTAT:
        watch_pool(t);
        return;
    case UI_SWEEP:
        take_sweep(t, (enum knob)m->number);
        return;
    case UI_KNOBS_BACK:
        tuning_restore(t->tuning);
        return;
    case UI_REPAIR:
        repair(t);
        return;
    }
    world_replan(w);
    refresh_model(t);
}

static void terminal_gone(struct tui *t)
{
    t->terminal_gone = true;
    t->die_of = SIGHUP;
    loop_unwatch(t->tty);
    t->tty = NULL;
    t->leave_when_over = true;
    if (running(t))
        session_stop_within(t->session, 1000);
    else
        loop_quit(t->loop);
}

static void on_tty(void *arg, int fd, short revents)
{
    struct tui *t = arg;

    (void)fd;
    if (revents & (POLLHUP | POLLERR | POLLNVAL)) {
        terminal_gone(t);
        return;
    }
    if (revents & POLLIN) {
        for (;;) {
            struct ui_message m = ui_read(t->ui);
            if (m.type == UI_NOTHING)
                break;
            handle(t, &m);
        }
    }
    if ((revents & POLLOUT) && !ui_flush(t->ui))
        terminal_gone(t);
}

static void on_redraw(void *arg, int64_t now_ns)
{
    (void)arg; /* waking up is enough: before_wait draws */
    (void)now_ns;
}

static void before_wait(void *arg)
{
    struct tui *t = arg;

    if (t->terminal_gone)
        return;
    int64_t again = ui_draw(t->ui, clock_ns());
    if (!ui_flush(t->ui)) {
        terminal_gone(t);
        return;
    }
    if (again == INT64_MAX)
        loop_timer_off(t->redraw);
    else
        loop_timer_at(t->redraw, again);
    loop_watch_events(t->tty, (short)(POLLIN | (ui_wants_write(t->ui) ? POLLOUT : 0)));
}

static void on_signal(void *arg, int signo)
{
    struct tui *t = arg;

    switch (signo) {
    case SIGWINCH:
        ui_resized(t->ui);
        break;
    case SIGINT:
        interrupt(t);
        break;
    case SIGTERM:
    case SIGQUIT:
        t->die_of = signo;
        leave(t);
        break;
    case SIGHUP:
        terminal_gone(t);
        break;
    case SIGTSTP:
        suspend(t);
        break;
    case SIGCONT:
        ui_resume(t->ui);
        break;
    default:
        break;
    }
}

static int finish(struct tui *t)
{
    int status = EXIT_CODE_OK;

    ui_close(t->ui);
    if (t->session) {
        const struct run *r = session_run(t->session);
        status = run_exit_code(r);
        if (!t->terminal_gone)
            status = output_result(t->o, &t->world, r, t->die_of);
    }
    return status;
}

int tui_main(const struct options *o, int *status, struct err *e)
{
    struct tui t = {.o = o, .sweeps = o->sweeps, .sweep = o->sweep};
    struct ui_options uo = {
        .theme = o->theme,
        .theme_dir = o->theme_dir,
        .ascii = o->ascii,
        .no_colour = !options_colour(o, STDOUT_FILENO),
    };
    int rc;

    t.loop = loop_new();
    t.signals = signals_new(t.loop, on_signal, &t);
    t.lines = lines_new(RAW_STORE_BYTES);
    t.redraw = loop_timer_new(t.loop, on_redraw, &t);
    world_init(&t.world, t.loop, &o->settings, o->profile_given, on_world_changed, &t);
    refresh_model(&t);
    rc = ui_open(&t.ui, &uo, &t.model, e);
    if (rc == 0) {
        fatal_install(ui_emergency_restore);
        mem_set_oom_hook(ui_emergency_restore);
        ui_resized(t.ui);
        ui_draw(t.ui, clock_ns()); /* the first frame before anything slow */
        t.tty = loop_watch(t.loop, ui_fd(t.ui), POLLIN, on_tty, &t);
        start_tuning(&t);
        world_begin_probing(&t.world);
        loop_run(t.loop, before_wait, &t);
        *status = finish(&t);
    }
    if (tuning_free(t.tuning, e) < 0)
        output_error(e); /* on the terminal that is there again */
    end_session(&t);
    loop_unwatch(t.tty);
    loop_timer_free(t.redraw);
    world_done(&t.world);
    strv_done(&t.job_files);
    lines_free(t.lines);
    signals_free(t.signals);
    loop_free(t.loop);
    if (rc == 0 && t.die_of)
        signals_die_of(t.die_of);
    return rc;
}
