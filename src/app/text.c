/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The plain command; see text.h. A small state machine on the loop: probe, ask, run, print. Must
 * not know how figures are made.
 */
#include "text.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "job_file.h"
#include "output.h"
#include "progress.h"
#include "session.h"
#include "sthd/signals.h"
#include "sthd/text.h"
#include "sthd/units.h"
#include "sudo.h"
#include "sweeper.h"
#include "tuning.h"
#include "world.h"

/* Nobody scrolls here: the least that lines_new takes. */
#define RAW_STORE_BYTES ((size_t)64 << 10)

struct text_face {
    const struct options *o;
    struct loop *loop;
    struct signals *signals;
    struct world world;
    struct tuning *tuning;
    struct sweeper sweeper;
    unsigned turning; /* knobs that are being turned before the run begins */
    struct lines *lines;
    struct session *session;
    struct progress *progress;
    bool confirmed;            /* once; what wears is asked twice */
    struct loop_watch *answer; /* stdin, while a question is open */
    struct loop_watch *reader; /* stdout, if it is a pipe: for its other end to go */
    bool reader_gone;
    bool started;   /* probing is over: asked or running */
    int die_of;     /* signal to die of after the clean-up; 0 none */
    struct err err; /* why nothing was run; text "" none */
};

static void leave(struct text_face *t)
{
    loop_quit(t->loop);
}

static void on_run_raw(void *arg, enum child_stream s, const char *bytes, size_t len)
{
    struct text_face *t = arg;

    (void)s;
    if (t->o->verbose)
        progress_raw(t->progress, bytes, len);
}

static void on_run_changed(void *arg)
{
    struct text_face *t = arg;

    if (t->session)
        progress_update(t->progress, session_run(t->session), clock_ns());
}

static void on_run_over(void *arg)
{
    leave(arg);
}

static bool on_run_ready(void *arg, const struct step *step)
{
    struct text_face *t = arg;

    return sweeper_ready(&t->sweeper, t->tuning, &t->world.plan, step);
}

static void start_session(struct text_face *t)
{
    static const struct session_events events = {
        .ready = on_run_ready,
        .raw = on_run_raw,
        .changed = on_run_changed,
        .over = on_run_over,
    };
    struct session_spec spec = {
        .fio_program = t->world.fio_program,
        .dd_program = t->world.dd_program,
        .plan = &t->world.plan,
        .lines = t->lines,
        .grace_s = t->o->grace_s,
        .target = t->world.have_target ? &t->world.target : NULL,
        .stack = &t->world.stack,
        .zfs = &t->world.zfs,
        .machine = &t->world.machine,
        .sysroot = t->world.sysroot,
    };

    t->progress = progress_new(t->loop, !output_style(t->o, STDERR_FILENO).utf8);
    if (session_start(&t->session, t->loop, &spec, &events, t, &t->err) < 0)
        leave(t);
    else
        session_cpu(t->session, tuning_cpu(t->tuning));
}

/* ---- processors and knobs ---- */

static void on_world_changed(void *arg);

static void on_cpu(void *arg)
{
    struct text_face *t = arg;

    if (!t->started)
        on_world_changed(t); /* it may be what a sweep waited for */
    if (t->session && !session_is_over(t->session))
        session_cpu(t->session, tuning_cpu(t->tuning));
}

static void on_turned(void *arg, const struct knob_outcome *o)
{
    struct text_face *t = arg;

    if (t->session && sweeper_turned(&t->sweeper, &t->world.plan, o)) {
        if (o->done) {
            session_go_on(t->session);
            return;
        }
        t->err = o->err;
        session_say(t->session, o->err.text);
        session_stop(t->session);
        return;
    }
    if (t->turning == 0)
        return;
    t->turning--;
    if (!o->done && !t->err.text[0])
        t->err = o->err;
    if (t->turning > 0)
        return;
    if (t->err.text[0])
        leave(t); /* measured would be something else than was asked for */
    else
        start_session(t);
}

static void on_drifted(void *arg, enum knob k, const char *sentence)
{
    struct text_face *t = arg;
    struct buf text = BUF_INIT;

    if (!t->session || session_is_over(t->session))
        return;
    buf_addf(&text, "%s drifted", knob_name(k));
    session_mark(t->session, text.data);
    progress_say(t->progress, sentence);
    buf_done(&text);
}

static void start_tuning(struct text_face *t)
{
    static const struct tuning_events events = {
        .changed = on_cpu, .turned = on_turned, .drifted = on_drifted};

    t->tuning = tuning_new(t->loop, t->world.sysroot, &events, t);
    if (tuning_left(t->tuning))
        fprintf(stderr, "speedtest-hd: %s --repair-knobs does it.\n", tuning_left(t->tuning));
}

static void start_run(struct text_face *t)
{
    for (int k = 0; k < KNOB_COUNT; k++)
        t->turning += t->o->turn[k][0] != '\0';
    if (t->turning == 0)
        start_session(t);
    for (int k = 0; k < KNOB_COUNT; k++)
        if (t->o->turn[k][0])
            tuning_turn(t->tuning, (enum knob)k, t->o->turn[k]);
}

static void on_answer(void *arg, int fd, short revents);

static void ask_again(struct text_face *t)
{
    struct buf writes = BUF_INIT;

    t->confirmed = true;
    plan_describe_writes(&t->world.plan, &writes);
    fprintf(stderr, "That is %s, which uses up some of the life of flash. Really? [y/N] ",
            writes.data);
    fflush(stderr);
    buf_done(&writes);
    t->answer = loop_watch(t->loop, STDIN_FILENO, POLLIN, on_answer, t);
}

static void on_answer(void *arg, int fd, short revents)
{
    struct text_face *t = arg;
    char answer[256];
    ssize_t n = read(fd, answer, sizeof(answer));

    (void)revents;
    if (n < 0 && (errno == EINTR || errno == EAGAIN))
        return;
    loop_unwatch(t->answer);
    t->answer = NULL;
    if (n > 0 && (answer[0] == 'y' || answer[0] == 'Y')) {
        if (t->world.settings.profile->wears && !t->confirmed)
            ask_again(t);
        else
            start_run(t);
        return;
    }
    err_set(&t->err, EXIT_CODE_STOPPED, ECANCELED, "Nothing was written: not confirmed.");
    leave(t);
}

/* What a job file makes where it says stays: that is told even where nothing is asked. */
static void tell_paths(const struct text_face *t)
{
    const struct jobs *jobs = settings_jobs(&t->world.settings);
    struct buf text = BUF_INIT;

    if (jobs && jobs->as_is) {
        job_file_describe(jobs, &text);
        fprintf(stderr, "The job file is taken as it is:\n%s", text.data ? text.data : "");
    }
    buf_done(&text);
}

static void ask(struct text_face *t)
{
    const struct target *target = &t->world.target;
    char size[UNITS_TEXT], free_space[UNITS_TEXT];
    struct buf plan = BUF_INIT, path = BUF_INIT, writes = BUF_INIT;

    if (!isatty(STDIN_FILENO) || !isatty(STDERR_FILENO)) {
        err_set(&t->err, EXIT_CODE_USAGE, EINVAL,
                "This writes a bench file of %s and nobody can be asked: there is no terminal. "
                "Say --yes to start without a question.",
                units_size(size, t->world.plan.settings.size_bytes));
        leave(t);
        return;
    }
    plan_describe(&t->world.plan, &plan);
    text_printable(&path, target->path, strlen(target->path), false);
    if (sudo_offer())
        fprintf(stderr, "%s\n", sudo_offer());
    tell_paths(t);
    plan_describe_writes(&t->world.plan, &writes);
    fprintf(stderr, "%s\nTarget %s (%s, %s free). Write %s there? [y/N] ", plan.data, path.data,
            target->fstype, units_size(free_space, target->free_bytes), writes.data);
    fflush(stderr);
    buf_done(&plan);
    buf_done(&path);
    buf_done(&writes);
    t->answer = loop_watch(t->loop, STDIN_FILENO, POLLIN, on_answer, t);
}

static void start_as_told(struct text_face *t)
{
    tell_paths(t);
    start_run(t);
}

static void on_world_changed(void *arg)
{
    struct text_face *t = arg;

    if (t->started || !world_is_settled(&t->world))
        return;
    if (t->o->sweeps && !sweeper_can_choose(t->tuning))
        return;
    t->started = true;
    if (t->o->sweeps) {
        if (sweep_choose(&t->world.settings.sweep, tuning_panel(t->tuning), t->o->sweep,
                         tuning_cpu(t->tuning), &t->err) < 0) {
            leave(t);
            return;
        }
        world_replan(&t->world);
    }
    if (world_tool(&t->world) == TOOL_DD && !t->o->profile_given)
        fprintf(stderr, "speedtest-hd: %s\n", t->world.machine.fio_problem);
    if (world_check(&t->world, &t->err) < 0)
        leave(t);
    else if (t->o->yes || t->world.settings.device_bytes) /* only read: nothing to be asked */
        start_as_told(t);
    else
        ask(t);
}

static void on_signal(void *arg, int signo)
{
    struct text_face *t = arg;

    switch (signo) {
    case SIGINT:
    case SIGTERM:
    case SIGQUIT:
        t->die_of = signo;
        if (!t->session || session_is_over(t->session))
            leave(t);
        else
            session_stop(t->session); /* a second one kills fio */
        break;
    case SIGHUP:
        t->die_of = signo;
        if (!t->session || session_is_over(t->session))
            leave(t);
        else
            session_stop_within(t->session, 1000);
        break;
    case SIGTSTP:
        if (t->session)
            progress_say(t->progress, "not suspended: fio would go on and the figures be wrong; "
                                      "Ctrl-C stops");
        else
            raise(SIGSTOP);
        break;
    case SIGUSR1:
        if (t->session)
            on_run_changed(t);
        break;
    default:
        break;
    }
}

/* The result would be for nobody: there is no point in measuring, and in writing, any more. */
static void on_reader(void *arg, int fd, short revents)
{
    struct text_face *t = arg;

    (void)fd;
    if (!(revents & (POLLERR | POLLHUP)))
        return;
    loop_unwatch(t->reader);
    t->reader = NULL;
    t->reader_gone = true;
    err_set(&t->err, EXIT_CODE_OUTPUT, EPIPE,
            "Nobody reads standard output any more: the run was stopped.");
    if (!t->session || session_is_over(t->session))
        leave(t);
    else
        session_stop(t->session);
}

static void watch_reader(struct text_face *t)
{
    struct stat st;

    if (fstat(STDOUT_FILENO, &st) == 0 && (S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode)))
        t->reader = loop_watch(t->loop, STDOUT_FILENO, POLLERR, on_reader, t);
}

static void announce_stop(struct text_face *t)
{
    const struct run *r = session_run(t->session);

    if (r->message[0])
        progress_say(t->progress, r->message);
}

int text_main(const struct options *o)
{
    struct text_face t = {.o = o};
    int status;

    sweeper_init(&t.sweeper);
    t.loop = loop_new();
    t.signals = signals_new(t.loop, on_signal, &t);
    t.lines = lines_new(RAW_STORE_BYTES);
    world_init(&t.world, t.loop, &o->settings, o->profile_given, on_world_changed, &t);
    if (!t.world.settings.path)
        world_set_path(&t.world, ".");
    if (t.world.target_err.text[0]) {
        t.err = t.world.target_err;
    } else {
        watch_reader(&t);
        start_tuning(&t);
        world_begin_probing(&t.world);
        on_world_changed(&t);
        if (!t.err.text[0])
            loop_run(t.loop, NULL, NULL);
    }
    if (t.session) {
        const struct run *r = session_run(t.session);
        announce_stop(&t);
        progress_free(t.progress);
        t.progress = NULL;
        status = run_exit_code(r);
        if (t.reader_gone)
            status = output_error(&t.err);
        else if (t.die_of != SIGHUP)
            status = output_result(o, &t.world, r, t.die_of);
    } else {
        progress_free(t.progress);
        status = t.err.text[0] ? output_error(&t.err) : EXIT_CODE_STOPPED;
    }
    if (tuning_free(t.tuning, &t.err) < 0)
        output_error(&t.err);
    loop_unwatch(t.reader);
    session_free(t.session);
    world_done(&t.world);
    lines_free(t.lines);
    signals_free(t.signals);
    loop_free(t.loop);
    if (t.die_of)
        signals_die_of(t.die_of);
    return status;
}
