/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One step with dd, as a chain of copies; see dd_run.h.
 *
 * Promises: the end comes exactly once and says what happened. Nothing here waits for a disk: what
 * must be flushed or read beforehand is done by a dd as well. Any callback may free the run.
 * Must not know what the figures mean.
 *
 * A copy that the clock ends is first stopped (SIGSTOP), and its position is read when the kernel
 * says that it stands: its system call is over then, so the bytes are exactly those that the time
 * is of. A signal that ends it at once would lose up to one block, of 64 MiB perhaps.
 */
#include "sthd/dd_run.h"

#include <assert.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

#include "dd_command.h"
#include "dd_copy.h"
#include "dd_verdict.h"
#include "ladder.h"
#include "page_cache.h"
#include "proc_file.h"
#include "sthd/mem.h"
#include "sthd/units.h"

#define MS_NS     1000000LL
#define SECOND_NS 1000000000LL
/* What is forgotten in one turn of the loop: some 30 ms of the kernel's time. */
#define DROP_BYTES ((uint64_t)256 << 20)
/* How often one looks whether a stopped dd stands: it does after its block. */
#define STAND_NS (1 * MS_NS)

enum phase {
    PHASE_TRY,     /* do dd and file system take the flags? */
    PHASE_FLUSH,   /* nothing dirty is left, so that all can be forgotten */
    PHASE_DROP,    /* no process: the page cache is told to forget the file */
    PHASE_WARM,    /* the whole file into the page cache */
    PHASE_MEASURE, /* one copy of the file, or of as much as the runtime lets it */
    PHASE_SYNC,    /* measured too: the fsync that a copy cut short did not get to */
};

struct dd_run {
    struct loop *loop;
    char *program;
    struct step step;
    int bench_fd;
    uint32_t interval_ms;
    struct fio_run_events ev;
    void *arg;
    struct ladder ladder;
    struct loop_timer *turn; /* the next thing to do, from the loop and not from inside a copy */
    struct loop_timer *report_timer, *deadline;
    enum phase phase;
    struct dd_copy *copy; /* NULL between copies */
    bool plain;           /* see dd_command.h */
    bool cutting;         /* the runtime is over and dd was told to stand still */
    int64_t stood_ns;     /* when it did; 0 not yet */
    uint64_t dropped;     /* PHASE_DROP: so far */
    /* Sums over the measured copies that have ended. */
    int64_t done_ns;
    uint64_t done_bytes;
    uint64_t region; /* how much of the file was copied at least once */
    unsigned documents;
    struct report last;
    enum cache_before cache;
    uint64_t cached_before;
    bool dd_ignores_direct; /* it opened the file without O_DIRECT */
    bool begun;             /* a measured copy has been started */
    bool over;
    int depth;
    bool freed;
};

static void continue_soon(struct dd_run *r)
{
    loop_timer_at(r->turn, clock_ns());
}

/* ---- callbacks of this run may free it ------------------------------------------------------- */

static void destroy(struct dd_run *r)
{
    report_done(&r->last);
    free(r->program);
    free(r);
}

static void enter(struct dd_run *r)
{
    r->depth++;
}

static void leave(struct dd_run *r)
{
    if (--r->depth == 0 && r->freed)
        destroy(r);
}

void dd_run_free(struct dd_run *r)
{
    if (!r || r->freed)
        return;
    r->freed = true;
    dd_copy_free(r->copy);
    r->copy = NULL;
    ladder_done(&r->ladder);
    loop_timer_free(r->turn);
    loop_timer_free(r->report_timer);
    loop_timer_free(r->deadline);
    if (r->depth == 0)
        destroy(r);
}

/* ---- reports --------------------------------------------------------------------------------- */

static bool is_measured(enum phase phase)
{
    return phase == PHASE_MEASURE || phase == PHASE_SYNC;
}

/* How long the copy under way has been at the file. */
static int64_t copy_ns(const struct dd_run *r, int64_t now_ns)
{
    const struct dd_copy_facts *f = r->copy ? dd_copy_facts(r->copy) : NULL;

    if (!f || !is_measured(r->phase) || !f->began_ns)
        return 0;
    if (r->stood_ns)
        return r->stood_ns - f->began_ns;
    return (f->ended_ns ? f->ended_ns : now_ns) - f->began_ns;
}

static uint64_t whole_blocks(const struct dd_run *r, uint64_t bytes)
{
    return bytes - bytes % r->step.block_bytes;
}

static uint64_t copy_bytes(const struct dd_run *r)
{
    return r->copy && r->phase == PHASE_MEASURE ? whole_blocks(r, dd_copy_facts(r->copy)->pos) : 0;
}

static void clear_counters(struct counters *c)
{
    c->ios = c->ios_issued = c->io_bytes = c->runtime_ms = 0;
    c->bw_bytes_per_s = c->iops = 0;
}

static void make_report(struct dd_run *r, int64_t now_ns)
{
    int64_t ns = r->done_ns + copy_ns(r, now_ns);
    uint64_t bytes = r->done_bytes + copy_bytes(r);
    struct report report;
    struct timespec wall;

    report_init(&report);
    snprintf(report.fio_version, sizeof(report.fio_version), "dd");
    clock_gettime(CLOCK_REALTIME, &wall);
    report.timestamp_ms = (int64_t)wall.tv_sec * 1000 + wall.tv_nsec / MS_NS;
    report.jobs = mem_zalloc(sizeof(*report.jobs));
    report.n_jobs = 1;
    struct job_report *job = &report.jobs[0];
    snprintf(job->name, sizeof(job->name), "dd");
    job->usr_cpu = job->sys_cpu = NAN;
    counters_init(&job->read);
    counters_init(&job->write);
    clear_counters(&job->read);
    clear_counters(&job->write);
    struct counters *c = r->step.direction == DIRECTION_READ ? &job->read : &job->write;
    c->io_bytes = bytes;
    c->ios = c->ios_issued = bytes / r->step.block_bytes;
    c->runtime_ms = (uint64_t)((ns + MS_NS - 1) / MS_NS);
    if (ns > 0) {
        c->bw_bytes_per_s = (double)bytes * 1e9 / (double)ns;
        c->iops = (double)c->ios * 1e9 / (double)ns;
    }
    r->documents++;
    report_move(&r->last, &report);
    report_done(&report);
}

static void tell_report(struct dd_run *r)
{
    int64_t now_ns = clock_ns();

    if (r->copy && r->phase == PHASE_MEASURE && !r->stood_ns)
        dd_copy_look(r->copy);
    make_report(r, now_ns);
    if (r->ev.report)
        r->ev.report(r->arg, &r->last, now_ns);
}

static void on_report_timer(void *arg, int64_t now_ns)
{
    struct dd_run *r = arg;

    loop_timer_at(r->report_timer, now_ns + r->interval_ms * MS_NS);
    enter(r);
    tell_report(r);
    leave(r);
}

/* ---- the end --------------------------------------------------------------------------------- */

/* After direct I/O the page cache holds nothing of what was copied, unless somebody cheated. */
static enum direct_honoured judge_direct(const struct dd_run *r)
{
    uint64_t held;
    bool clean_before = r->step.direction != DIRECTION_READ || r->cache == CACHE_EMPTY;

    if (!r->step.direct || !r->begun)
        return DIRECT_NOT_ASKED;
    if (r->dd_ignores_direct)
        return DIRECT_IGNORED;
    if (clean_before && r->region > 0 && page_cache_bytes(r->bench_fd, r->region, &held) == 0 &&
        held > r->region / 2)
        return DIRECT_IGNORED;
    return DIRECT_NOT_CHECKED;
}

static void write_note(const struct dd_run *r, struct fio_result *res)
{
    char held[UNITS_TEXT], size[UNITS_TEXT];

    if (r->dd_ignores_direct)
        snprintf(res->note, sizeof(res->note),
                 "this dd took the flag direct but did not open the file with O_DIRECT");
    else if (res->direct == DIRECT_IGNORED)
        snprintf(res->note, sizeof(res->note),
                 "O_DIRECT was accepted, but the data went through the page cache");
    else if (r->begun && r->step.direction == DIRECTION_READ && r->cache == CACHE_NOT_SEEN)
        snprintf(res->note, sizeof(res->note),
                 "not known how much of the file was in memory before");
    else if (r->begun && r->step.direction == DIRECTION_READ)
        snprintf(res->note, sizeof(res->note), "before, the page cache held %s of the file's %s",
                 units_size(held, r->cached_before), units_size(size, r->step.size_bytes));
}

static void finish(struct dd_run *r, struct fio_result *res)
{
    loop_timer_off(r->turn);
    loop_timer_off(r->report_timer);
    loop_timer_off(r->deadline);
    ladder_over(&r->ladder);
    enter(r);
    if (r->begun)
        tell_report(r);
    if (!r->freed) {
        if (res->end == FIO_END_OK && r->done_bytes < r->step.block_bytes) {
            res->end = FIO_END_FAILED;
            snprintf(res->why, sizeof(res->why),
                     "dd did not finish a single block: use a longer runtime or a smaller block");
        }
        res->last = r->begun ? &r->last : NULL;
        res->documents = r->documents;
        res->fetched_bytes = COUNTER_ABSENT; /* several processes, some of which only prepare */
        res->direct = judge_direct(r);
        res->cache = r->cache;
        write_note(r, res);
        r->over = true;
        r->ev.end(r->arg, res);
    }
    leave(r);
}

/* ---- one copy after the other ---------------------------------------------------------------- */

static void on_copy_end(void *arg, int wait_status);
static void on_raw(void *arg, enum child_stream s, const char *bytes, size_t len);
static void on_opened(void *arg, int64_t now_ns);

static void build_argv(struct strv *argv, const struct dd_run *r)
{
    switch (r->phase) {
    case PHASE_TRY:
        dd_command_try(argv, r->program, &r->step, r->bench_fd, r->plain);
        break;
    case PHASE_WARM:
        dd_command_warm(argv, r->program, r->bench_fd);
        break;
    case PHASE_MEASURE:
        dd_command_measure(argv, r->program, &r->step, r->bench_fd, r->plain);
        break;
    default:
        dd_command_flush(argv, r->program, r->bench_fd);
        break;
    }
}

static int start_copy(struct dd_run *r, struct err *e)
{
    static const struct dd_copy_events events = {on_opened, on_raw, on_copy_end};
    struct strv argv;
    int rc;

    strv_init(&argv);
    build_argv(&argv, r);
    r->cutting = false;
    r->stood_ns = 0;
    rc = dd_copy_start(&r->copy, r->loop, r->program, &argv, r->bench_fd, &events, r, e);
    strv_done(&argv);
    if (rc < 0)
        return rc;
    r->ladder.child = dd_copy_child(r->copy);
    if (r->phase == PHASE_MEASURE && !r->begun) {
        r->begun = true;
        if (r->step.runtime_s > 0)
            ladder_watch(&r->ladder, r->step.runtime_s);
    }
    return 0;
}

/* What the page cache holds now, just before a read is measured. */
static void look_into_cache(struct dd_run *r)
{
    uint64_t size = r->step.size_bytes;

    if (page_cache_bytes(r->bench_fd, size, &r->cached_before) < 0)
        r->cache = CACHE_NOT_SEEN;
    else if (r->cached_before <= size / 100)
        r->cache = CACHE_EMPTY;
    else
        r->cache = r->cached_before >= size - size / 100 ? CACHE_FULL : CACHE_PART;
}

/* Returns true when the whole file was gone over. */
static bool drop_some(struct dd_run *r)
{
    uint64_t left = r->step.size_bytes - r->dropped;
    uint64_t now = left < DROP_BYTES ? left : DROP_BYTES;

    page_cache_drop(r->bench_fd, r->dropped, now);
    r->dropped += now;
    return r->dropped == r->step.size_bytes;
}

static void on_turn(void *arg, int64_t now_ns)
{
    struct dd_run *r = arg;
    struct err e;

    (void)now_ns;
    if (r->ladder.stage != LADDER_RUNNING) {
        struct fio_result res = {0};
        res.end = ladder_verdict(&r->ladder, "dd", false, res.why, sizeof(res.why));
        finish(r, &res);
        return;
    }
    if (r->phase == PHASE_DROP) {
        if (drop_some(r)) {
            look_into_cache(r);
            r->phase = PHASE_MEASURE;
        }
        continue_soon(r);
        return;
    }
    if (start_copy(r, &e) < 0) {
        struct fio_result res = {.end = FIO_END_FAILED};
        snprintf(res.why, sizeof(res.why), "%.255s", e.text);
        finish(r, &res);
    }
}

static void go(struct dd_run *r, enum phase phase)
{
    r->phase = phase;
    r->dropped = 0;
    continue_soon(r);
}

static enum phase first_phase(const struct step *step)
{
    if (step->direction != DIRECTION_READ || step->direct)
        return PHASE_TRY;
    return step->cached ? PHASE_WARM : PHASE_FLUSH;
}

/* The copy of this phase was good. */
static void next(struct dd_run *r)
{
    struct fio_result ok = {.end = FIO_END_OK};
    const struct step *step = &r->step;
    bool was_cut = r->stood_ns != 0;

    switch (r->phase) {
    case PHASE_TRY:
        go(r, step->direction == DIRECTION_READ ? PHASE_FLUSH : PHASE_MEASURE);
        break;
    case PHASE_FLUSH:
        go(r, PHASE_DROP);
        break;
    case PHASE_WARM:
        look_into_cache(r);
        go(r, PHASE_MEASURE);
        break;
    case PHASE_MEASURE:
        if (was_cut && step->end_fsync)
            go(r, PHASE_SYNC);
        else if (was_cut || r->done_ns >= step->runtime_s * SECOND_NS)
            finish(r, &ok);
        else
            go(r, step->direction == DIRECTION_READ && !step->cached ? PHASE_DROP : PHASE_MEASURE);
        break;
    default:
        finish(r, &ok);
        break;
    }
}

/* ---- the runtime is over --------------------------------------------------------------------- */

static void on_deadline(void *arg, int64_t now_ns)
{
    struct dd_run *r = arg;
    pid_t pid;

    if (!r->copy || r->phase != PHASE_MEASURE || r->stood_ns || r->ladder.stage != LADDER_RUNNING)
        return;
    pid = child_pid(dd_copy_child(r->copy));
    if (!r->cutting) {
        r->cutting = true;
        child_signal(dd_copy_child(r->copy), SIGSTOP);
    }
    if (!proc_is_stopped("/proc", pid)) {
        loop_timer_at(r->deadline, clock_ns() + STAND_NS); /* or its end comes first */
        return;
    }
    now_ns = clock_ns();
    dd_copy_look(r->copy);
    if (dd_copy_facts(r->copy)->ended_ns) { /* it was through: its exit code will say how */
        child_signal(dd_copy_child(r->copy), SIGCONT);
        return;
    }
    r->stood_ns = now_ns;
    child_signal(dd_copy_child(r->copy), SIGKILL);
}

static void on_opened(void *arg, int64_t now_ns)
{
    struct dd_run *r = arg;

    if (r->phase == PHASE_MEASURE && r->step.runtime_s > 0)
        loop_timer_at(r->deadline, now_ns + r->step.runtime_s * SECOND_NS - r->done_ns);
}

/* ---- what became of a copy ------------------------------------------------------------------- */

static void on_raw(void *arg, enum child_stream s, const char *bytes, size_t len)
{
    struct dd_run *r = arg;

    /* A flag that is refused and then replaced is nobody's concern. */
    if (!r->ev.raw || r->phase == PHASE_TRY)
        return;
    enter(r);
    r->ev.raw(r->arg, s, bytes, len);
    leave(r);
}

/* Bytes of a measured copy that has ended. */
static uint64_t final_bytes(const struct dd_run *r, const struct dd_copy_facts *f, bool good)
{
    uint64_t whole = whole_blocks(r, r->step.size_bytes), seen = whole_blocks(r, f->pos);

    if (r->phase != PHASE_MEASURE)
        return 0;
    /* write(2) has counted all of it, and what was said on stderr, which is less than a block. */
    if (r->step.direction != DIRECTION_READ && f->wchar != DD_COPY_UNKNOWN &&
        whole_blocks(r, f->wchar) > seen)
        seen = whole_blocks(r, f->wchar);
    if (good && f->wchar == DD_COPY_UNKNOWN)
        return whole;
    /* Programs read more than their input (libraries): it says only whether it was enough. */
    if (good && r->step.direction == DIRECTION_READ && f->rchar >= whole)
        return whole;
    return seen < whole ? seen : whole;
}

static void add_copy(struct dd_run *r, const struct dd_copy_facts *f, bool good)
{
    uint64_t bytes = final_bytes(r, f, good);

    if (!is_measured(r->phase))
        return;
    if (f->began_ns)
        r->done_ns += (r->stood_ns ? r->stood_ns : f->ended_ns) - f->began_ns;
    r->done_bytes += bytes;
    if (bytes > r->region)
        r->region = bytes;
    if (r->phase == PHASE_MEASURE && r->step.direct && f->open_flags >= 0 &&
        !(f->open_flags & O_DIRECT))
        r->dd_ignores_direct = true;
}

/* Exit code 0 is not believed when the kernel saw less. */
static bool is_complete(const struct dd_run *r, const struct dd_copy_facts *f,
                        struct fio_result *res)
{
    uint64_t whole = whole_blocks(r, r->step.size_bytes);

    if (!f->opened) {
        snprintf(res->why, sizeof(res->why),
                 "dd ended well but never opened the bench file: is the program called dd the one "
                 "that copies?");
        return false;
    }
    if (r->phase == PHASE_MEASURE && final_bytes(r, f, true) < whole) {
        snprintf(res->why, sizeof(res->why),
                 "dd ended well but copied only %llu of %llu bytes of the bench file",
                 (unsigned long long)final_bytes(r, f, true), (unsigned long long)whole);
        return false;
    }
    return true;
}

static bool went_by_ladder(const struct dd_run *r, int status)
{
    if (r->ladder.stage == LADDER_RUNNING)
        return false;
    if (WIFSIGNALED(status))
        return WTERMSIG(status) == SIGTERM ||
               (WTERMSIG(status) == SIGKILL && r->ladder.stage == LADDER_KILLED);
    /* A step that was through with its file when it was stopped is simply done. */
    return !(WEXITSTATUS(status) == 0 && r->phase == PHASE_MEASURE && r->step.runtime_s == 0);
}

/* True when the copy was good. */
static bool judge(struct dd_run *r, const struct dd_copy_facts *f, int status,
                  struct fio_result *res)
{
    int code = WIFEXITED(status) ? WEXITSTATUS(status) : 0;

    res->end = FIO_END_FAILED;
    if (went_by_ladder(r, status)) {
        bool killed = WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
        res->end = ladder_verdict(&r->ladder, "dd", killed, res->why, sizeof(res->why));
        return false;
    }
    if (r->stood_ns && WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL)
        return true; /* our own */
    if (WIFSIGNALED(status))
        res->end = dd_verdict_signal(WTERMSIG(status), res->why, sizeof(res->why));
    else if (code != 0 && r->phase == PHASE_TRY)
        dd_verdict_refused(f, code, &r->step, r->bench_fd, res->why, sizeof(res->why));
    else if (code != 0)
        dd_verdict_failed(f, code, &r->step, res->why, sizeof(res->why));
    else
        return is_complete(r, f, res);
    return false;
}

/* A refused flag has a second, plainer word. */
static bool may_say_it_plainer(const struct dd_run *r, int status)
{
    return r->phase == PHASE_TRY && r->step.direction != DIRECTION_READ && !r->plain &&
           (r->step.end_fsync || r->step.sync) && WIFEXITED(status) && WEXITSTATUS(status) != 0 &&
           r->ladder.stage == LADDER_RUNNING;
}

static void on_copy_end(void *arg, int wait_status)
{
    struct dd_run *r = arg;
    struct dd_copy_facts f = *dd_copy_facts(r->copy);
    struct fio_result res = {.wait_status = wait_status};

    loop_timer_off(r->deadline);
    bool good = judge(r, &f, wait_status, &res);
    add_copy(r, &f, good && !r->stood_ns);
    dd_copy_free(r->copy);
    r->copy = NULL;
    r->ladder.child = NULL;
    if (good) {
        next(r);
    } else if (may_say_it_plainer(r, wait_status)) {
        r->plain = true;
        go(r, PHASE_TRY);
    } else {
        finish(r, &res);
    }
}

/* ---- the door -------------------------------------------------------------------------------- */

/* What is about to die is looked at once more: its bytes count. */
static void before_stop(void *arg)
{
    struct dd_run *r = arg;

    if (r->copy && r->phase == PHASE_MEASURE)
        dd_copy_look(r->copy);
}

int dd_run_start(struct dd_run **out, struct loop *l, const struct dd_run_spec *spec,
                 const struct fio_run_events *ev, void *arg, struct err *e)
{
    struct dd_run *r = mem_zalloc(sizeof(*r));
    int rc;

    assert(ev->end && spec->step->direction != DIRECTION_MIX && spec->step->block_bytes > 0);
    *out = NULL;
    r->loop = l;
    r->program = mem_strdup(spec->program);
    r->step = *spec->step;
    r->bench_fd = spec->bench_fd;
    r->interval_ms = spec->settings->interval_ms;
    r->ev = *ev;
    r->arg = arg;
    report_init(&r->last);
    ladder_init(&r->ladder, l, spec->grace_s);
    r->ladder.before = before_stop;
    r->ladder.arg = r;
    r->turn = loop_timer_new(l, on_turn, r);
    r->report_timer = loop_timer_new(l, on_report_timer, r);
    r->deadline = loop_timer_new(l, on_deadline, r);
    r->phase = first_phase(&r->step);
    rc = start_copy(r, e); /* now, so that a dd that cannot be started is told at once */
    if (rc < 0) {
        dd_run_free(r);
        return rc;
    }
    loop_timer_at(r->report_timer, clock_ns() + r->interval_ms * MS_NS);
    *out = r;
    return 0;
}

void dd_run_stop(struct dd_run *r)
{
    if (r->over)
        return;
    ladder_stop(&r->ladder);
    if (!r->copy)
        continue_soon(r);
}

pid_t dd_run_pid(const struct dd_run *r)
{
    return r->copy ? child_pid(dd_copy_child(r->copy)) : 0;
}
