/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One step: one fio process from command line to result; see fio_run.h.
 *
 * Promises: the end comes exactly once and says what happened, whatever fio did. fio's output is
 * handed on as it comes and never waited for. Any callback may free the run.
 * Must not know: what the figures mean.
 */
#include "sthd/fio_run.h"

#include <assert.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "fio_evidence.h"
#include "ladder.h"
#include "proc_file.h"
#include "sthd/fio_command.h"
#include "sthd/fio_framer.h"
#include "sthd/fio_report.h"
#include "sthd/mem.h"

struct fio_run {
    struct loop *loop;
    struct child *child;
    struct fio_framer *framer;
    struct line_splitter stderr_lines;
    struct strv argv;
    struct step step;
    struct fio_run_events ev;
    void *arg;
    struct ladder ladder;
    struct report last;
    bool have_last;
    bool last_is_lost; /* something was lost after the last good document */
    unsigned documents, lost, notes;
    struct fio_evidence evidence;
    uint64_t fetched_bytes;
    int64_t arrival_ns; /* of the bytes that are being read */
    bool over;          /* the end callback was called */
    int depth;          /* callbacks of this run that are running */
    bool freed;
};

/* ---- callbacks of this run may free it ------------------------------------------------------- */

static void destroy(struct fio_run *r)
{
    fio_framer_free(r->framer);
    strv_done(&r->argv);
    report_done(&r->last);
    free(r);
}

static void enter(struct fio_run *r)
{
    r->depth++;
}

static void leave(struct fio_run *r)
{
    if (--r->depth == 0 && r->freed)
        destroy(r);
}

void fio_run_free(struct fio_run *r)
{
    if (!r || r->freed)
        return;
    r->freed = true;
    child_free(r->child);
    r->child = NULL;
    ladder_done(&r->ladder);
    if (r->depth == 0)
        destroy(r);
}

/* ---- what fio says --------------------------------------------------------------------------- */

static void on_document(void *arg, const char *text, size_t len)
{
    struct fio_run *r = arg;
    struct report report;

    if (r->freed)
        return;
    report_init(&report);
    if (fio_report_read(&report, text, len, NULL) < 0) {
        report_done(&report);
        r->lost++;
        r->last_is_lost = true;
        return;
    }
    r->documents++;
    r->last_is_lost = false;
    r->have_last = true;
    report_move(&r->last, &report);
    report_done(&report);
    if (r->ev.report)
        r->ev.report(r->arg, &r->last, r->arrival_ns);
}

static void on_note(void *arg, const char *text, size_t len)
{
    struct fio_run *r = arg;

    if (len == 0) /* fio sets its messages off by an empty line */
        return;
    r->notes++;
    fio_evidence_line(&r->evidence, text, len);
}

static void on_lost(void *arg, const char *why, size_t len)
{
    struct fio_run *r = arg;

    (void)why;
    (void)len;
    r->lost++;
    r->last_is_lost = true;
}

static void on_output(void *arg, enum child_stream s, const char *bytes, size_t len, int64_t now_ns)
{
    struct fio_run *r = arg;

    enter(r);
    if (r->ev.raw)
        r->ev.raw(r->arg, s, bytes, len);
    r->arrival_ns = now_ns;
    if (!r->freed && s == CHILD_STDOUT)
        fio_framer_feed(r->framer, bytes, len);
    else if (!r->freed)
        line_splitter_feed(&r->stderr_lines, bytes, len, on_note, r);
    leave(r);
}

/* ---- what became of it ----------------------------------------------------------------------- */

static uint64_t total_ios(const struct report *report)
{
    uint64_t ios = 0;

    for (size_t i = 0; i < report->n_jobs; i++) {
        const struct counters *const both[] = {&report->jobs[i].read, &report->jobs[i].write};
        for (int d = 0; d < 2; d++) {
            if (both[d]->ios != COUNTER_ABSENT)
                ios += both[d]->ios;
        }
    }
    return ios;
}

static uint64_t runtime_ms(const struct report *report)
{
    uint64_t longest = 0;

    for (size_t i = 0; i < report->n_jobs; i++) {
        const struct counters *const both[] = {&report->jobs[i].read, &report->jobs[i].write};
        for (int d = 0; d < 2; d++) {
            if (both[d]->runtime_ms != COUNTER_ABSENT && both[d]->runtime_ms > longest)
                longest = both[d]->runtime_ms;
        }
    }
    return longest;
}

static int job_error(const struct fio_run *r)
{
    for (size_t i = 0; r->have_last && i < r->last.n_jobs; i++) {
        if (r->last.jobs[i].error > 0)
            return r->last.jobs[i].error;
    }
    return 0;
}

/* Written short, the rest of the bench file is holes, and reads of it would measure nothing. */
static bool prepared_short(const struct fio_run *r, uint64_t *written)
{
    *written = 0;
    if (r->step.kind != STEP_PREPARE || !r->have_last ||
        strncmp(r->last.fio_version, "fio-2.", 6) == 0) /* its io_bytes are KiB */
        return false;
    for (size_t i = 0; i < r->last.n_jobs; i++) {
        if (r->last.jobs[i].write.io_bytes == COUNTER_ABSENT)
            return false;
        *written += r->last.jobs[i].write.io_bytes;
    }
    return *written < r->step.size_bytes;
}

#define WHY(...) snprintf(res->why, sizeof(res->why), __VA_ARGS__)

/* fio <= 3.36 may abort while it cleans up, after its last report: the figures are whole. */
static bool aborted_after_the_end(const struct fio_run *r)
{
    return r->evidence.double_free && !r->evidence.worker_signal && r->have_last &&
           !r->last_is_lost && job_error(r) == 0 && r->step.kind == STEP_MEASURE &&
           runtime_ms(&r->last) + 100 >= (uint64_t)r->step.runtime_s * 1000;
}

static enum fio_end died_of_signal(const struct fio_run *r, int signo, struct fio_result *res)
{
    if (signo == SIGABRT && aborted_after_the_end(r))
        return FIO_END_OK;
    switch (signo) {
    case SIGABRT:
    case SIGSEGV:
    case SIGBUS:
    case SIGILL:
    case SIGFPE:
        WHY("fio crashed (signal %d, %s): a fault in fio or its engine; try another engine or "
            "another version of fio",
            signo, strsignal(signo));
        return FIO_END_FAILED;
    case SIGSYS:
        WHY("fio was stopped by a security policy (signal %d, seccomp): choose another engine",
            signo);
        return FIO_END_FAILED;
    case SIGKILL:
        WHY("fio was killed from outside (signal 9): by hand, or because memory ran out (dmesg "
            "tells); start again");
        return FIO_END_KILLED;
    default:
        WHY("fio was ended from outside (signal %d, %s): start again", signo, strsignal(signo));
        return FIO_END_KILLED;
    }
}

/* fio ended by itself with exit code 0: is there a whole and sensible last report? */
static enum fio_end check_figures(const struct fio_run *r, struct fio_result *res)
{
    uint64_t written;

    if (!r->have_last) {
        if (r->lost > 0 || r->notes > 0)
            WHY("fio ended without a report that can be read (%u unreadable, %u lines of text): "
                "see its output",
                r->lost, r->notes);
        else
            WHY("fio ended well but gave no report at all: is the program called fio the I/O "
                "tester?");
    } else if (r->last_is_lost) {
        WHY("fio's last report arrived damaged, so there is no final figure: see its output, and "
            "start again");
    } else if (total_ios(&r->last) == 0) {
        WHY("fio ended without having finished a single I/O: use a longer runtime");
    } else if (prepared_short(r, &written)) {
        WHY("Only %llu of %llu bytes of the bench file were written, so the rest would be holes: "
            "see the output of fio",
            (unsigned long long)written, (unsigned long long)r->step.size_bytes);
    } else {
        return FIO_END_OK;
    }
    return FIO_END_FAILED;
}

/* Text, exit code, JSON and stderr all count: each keeps quiet about some failures. */
static enum fio_end judge(const struct fio_run *r, int status, struct fio_result *res)
{
    const struct fio_evidence *ev = &r->evidence;
    int code = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
    bool by_us = r->ladder.stage != LADDER_RUNNING;

    if (by_us && WIFSIGNALED(status) &&
        (WTERMSIG(status) == SIGTERM ||
         (WTERMSIG(status) == SIGKILL && r->ladder.stage == LADDER_KILLED)))
        return ladder_verdict(&r->ladder, "fio", WTERMSIG(status) == SIGKILL, res->why,
                              sizeof(res->why));
    if (by_us && code != 0) /* 128, or the number of jobs that did not like being stopped */
        return ladder_verdict(&r->ladder, "fio", false, res->why, sizeof(res->why));
    if (ev->worker_signal) {
        WHY("A worker of fio was killed (signal %d): by hand, or because memory ran out (dmesg "
            "tells); its figures are not complete, start again",
            ev->worker_signal);
        return FIO_END_FAILED;
    }
    if (ev->stuck) {
        WHY("fio gave up because its reports could not be passed on in time (was this program "
            "stopped, or the machine overloaded?): start again");
        return FIO_END_FAILED;
    }
    if (WIFSIGNALED(status))
        return died_of_signal(r, WTERMSIG(status), res);
    if (code == 128) {
        WHY("fio was asked to stop from outside (SIGINT or SIGTERM), before its end: start again");
        return FIO_END_KILLED;
    }
    if (job_error(r)) {
        fio_errno_sentence(res->why, sizeof(res->why), job_error(r), ev->func, &r->step);
        return FIO_END_FAILED;
    }
    if (code != 0) {
        fio_failure_sentence(res->why, sizeof(res->why), ev, code, &r->step);
        return FIO_END_FAILED;
    }
    return check_figures(r, res);
}

#undef WHY

static void before_reap(void *arg)
{
    struct fio_run *r = arg;
    uint64_t bytes;

    if (proc_fetched("/proc", child_pid(r->child), &bytes) == 0)
        r->fetched_bytes = bytes;
}

static void on_end(void *arg, int wait_status)
{
    struct fio_run *r = arg;
    struct fio_result res = {.wait_status = wait_status};

    enter(r);
    ladder_over(&r->ladder);
    fio_framer_end(r->framer); /* may bring a last note */
    line_splitter_end(&r->stderr_lines, on_note, r);
    if (!r->freed) {
        res.end = judge(r, wait_status, &res);
        res.last = r->have_last ? &r->last : NULL;
        res.documents = r->documents;
        res.lost = r->lost;
        res.notes = r->notes;
        res.fetched_bytes = r->fetched_bytes;
        r->over = true;
        r->ev.end(r->arg, &res);
    }
    leave(r);
}

/* ---- stopping -------------------------------------------------------------------------------- */

void fio_run_stop(struct fio_run *r)
{
    if (!r->over)
        ladder_stop(&r->ladder);
}

void fio_run_poke(struct fio_run *r)
{
    /* Before its first report fio may not have its handler yet, and would die of the signal. */
    if (r->documents > 0 && r->ladder.stage == LADDER_RUNNING && !r->over)
        child_signal(r->child, SIGUSR1);
}

/* ---- starting -------------------------------------------------------------------------------- */

/* 0 is longer than any: it ends by amount. */
static uint32_t longer(uint32_t a, uint32_t b)
{
    return a == 0 || b == 0 ? 0 : a > b ? a : b;
}

int fio_run_start(struct fio_run **out, struct loop *l, const struct fio_run_spec *spec,
                  const struct fio_run_events *ev, void *arg, struct err *e)
{
    static const struct fio_framer_events framer_events = {on_document, on_note, on_lost};
    static const struct child_events child_events = {on_output, on_end};
    struct fio_run *r = mem_zalloc(sizeof(*r));
    int rc;

    assert(ev->end);
    *out = NULL;
    r->loop = l;
    r->step = *spec->step;
    for (unsigned i = 1; i <= r->step.company; i++) /* together they end with the last */
        r->step.runtime_s = longer(r->step.runtime_s, spec->step[i].runtime_s);
    r->ev = *ev;
    r->arg = arg;
    r->fetched_bytes = COUNTER_ABSENT;
    report_init(&r->last);
    strv_init(&r->argv);
    fio_command_build(&r->argv, spec->program, spec->step, spec->settings, spec->bench_fd);
    r->framer = fio_framer_new(&framer_events, r, FIO_FRAMER_MAX_DOCUMENT);
    rc = child_start(&r->child, l, spec->program, &r->argv, &spec->bench_fd, spec->bench_fd >= 0,
                     &child_events, r, e);
    if (rc < 0) {
        destroy(r);
        return rc;
    }
    child_set_before_reap(r->child, before_reap);
    ladder_init(&r->ladder, l, spec->grace_s);
    r->ladder.child = r->child;
    if (r->step.runtime_s > 0) /* the preparation takes as long as it takes */
        ladder_watch(&r->ladder, r->step.runtime_s);
    *out = r;
    return 0;
}

pid_t fio_run_pid(const struct fio_run *r)
{
    return child_pid(r->child);
}

const struct strv *fio_run_argv(const struct fio_run *r)
{
    return &r->argv;
}
