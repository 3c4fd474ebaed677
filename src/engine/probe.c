/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What works on the target, by trying it; see probe.h.
 *
 * Promises: the answer comes once, within WAIT_TOGETHER_S + WAIT_ALONE_S, and has a reason for each
 * engine. Nothing stays in the directory.
 * Must not know: what the engines are used for afterwards.
 *
 * A start of fio costs 0.16 s of a core (it calibrates its clock), so all candidates are jobs of
 * one fio. That fails as a whole if an engine cannot be loaded (fio refuses the command line), or
 * crashes or hangs it: then that engine is left out, or each engine is tried in a fio of its own.
 */
#include "sthd/probe.h"

#include <assert.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "fio_evidence.h"
#include "sthd/bench_file.h"
#include "sthd/child.h"
#include "sthd/fio_framer.h"
#include "sthd/fio_report.h"
#include "sthd/mem.h"

#define FILE_BYTES      ((uint64_t)1 << 20)
#define WAIT_TOGETHER_S 5
#define WAIT_ALONE_S    10

/* In order of preference. */
static const enum engine engines[] = {ENGINE_IO_URING, ENGINE_LIBAIO, ENGINE_POSIXAIO, ENGINE_SYNC,
                                      ENGINE_PSYNC};
#define ENGINES_N (sizeof(engines) / sizeof(engines[0]))

/* A candidate is an engine with or without O_DIRECT. Sets of them are bit masks. */
#define CANDIDATES_N         (2 * ENGINES_N)
#define CANDIDATE(i, direct) ((i)*2 + (direct))
#define BOTH(i)              (3u << (2 * (i)))
#define ALL                  ((1u << CANDIDATES_N) - 1)

struct answer {
    bool known, works;
    int errnum; /* why not; 0: see why */
    char why[96];
};

struct attempt {
    struct probe *probe;
    struct child *child;
    struct fio_framer *framer;
    struct line_splitter lines;
    struct fio_evidence evidence;
    unsigned candidates;
    bool running;
};

struct probe {
    struct loop *loop;
    char *program;
    struct bench_file *file;
    struct attempt attempts[ENGINES_N];
    struct loop_timer *timer;
    struct answer answers[CANDIDATES_N];
    bool alone; /* each engine in a fio of its own */
    void (*done)(void *arg, const struct capability *c);
    void *arg;
};

static void build_argv(struct strv *argv, const struct probe *p, unsigned candidates)
{
    strv_add(argv, p->program);
    strv_add(argv, "--output-format=json");
    for (size_t c = 0; c < CANDIDATES_N; c++) {
        enum engine engine = engines[c / 2];
        if (!(candidates & 1u << c))
            continue;
        strv_addf(argv, "--name=%s-%zu", engine_name(engine), c % 2);
        strv_addf(argv, "--filename=/proc/self/fd/%d", bench_file_fd(p->file));
        strv_addf(argv, "--size=%llu", (unsigned long long)FILE_BYTES);
        strv_add(argv, "--thread");
        strv_add(argv, "--rw=randrw");
        strv_add(argv, "--bs=4096");
        strv_add(argv, "--number_ios=4");
        strv_addf(argv, "--ioengine=%s", engine_name(engine));
        if (engine_is_async(engine))
            strv_add(argv, "--iodepth=8");
        strv_addf(argv, "--direct=%zu", c % 2);
    }
}

/* ---- answers --------------------------------------------------------------------------------- */

static void take_job(struct probe *p, const struct job_report *j)
{
    char name[64];

    for (size_t c = 0; c < CANDIDATES_N; c++) {
        snprintf(name, sizeof(name), "%s-%zu", engine_name(engines[c / 2]), c % 2);
        if (strcmp(name, j->name) != 0)
            continue;
        struct answer *a = &p->answers[c];
        uint64_t reads = j->read.ios == COUNTER_ABSENT ? 0 : j->read.ios;
        uint64_t writes = j->write.ios == COUNTER_ABSENT ? 0 : j->write.ios;
        a->known = true;
        a->errnum = j->error;
        a->works = j->error == 0 && reads + writes > 0;
        if (!a->works && !a->errnum)
            snprintf(a->why, sizeof(a->why), "did no I/O");
    }
}

static void on_document(void *arg, const char *text, size_t len)
{
    struct attempt *t = arg;
    struct report r;

    report_init(&r);
    if (fio_report_read(&r, text, len, NULL) == 0) {
        for (size_t i = 0; i < r.n_jobs; i++)
            take_job(t->probe, &r.jobs[i]);
    }
    report_done(&r);
}

static void on_line(void *arg, const char *line, size_t len)
{
    struct attempt *t = arg;

    fio_evidence_line(&t->evidence, line, len);
}

static void on_lost(void *arg, const char *why, size_t len)
{
    (void)arg;
    (void)why;
    (void)len;
}

static void on_output(void *arg, enum child_stream s, const char *bytes, size_t len, int64_t now_ns)
{
    struct attempt *t = arg;

    (void)now_ns;
    if (s == CHILD_STDOUT)
        fio_framer_feed(t->framer, bytes, len);
    else
        line_splitter_feed(&t->lines, bytes, len, on_line, t);
}

static unsigned unanswered(const struct probe *p, unsigned candidates)
{
    for (size_t c = 0; c < CANDIDATES_N; c++) {
        if (p->answers[c].known)
            candidates &= ~(1u << c);
    }
    return candidates;
}

static void answer_all(struct probe *p, unsigned candidates, const char *why)
{
    for (size_t c = 0; c < CANDIDATES_N; c++) {
        if (candidates & 1u << c) {
            p->answers[c].known = true;
            snprintf(p->answers[c].why, sizeof(p->answers[c].why), "%.*s",
                     (int)sizeof(p->answers[c].why) - 1, why);
        }
    }
}

/* ---- the capability -------------------------------------------------------------------------- */

static int io_uring_disabled(void)
{
    int n = 0;
    FILE *f = fopen("/proc/sys/kernel/io_uring_disabled", "re");

    if (f) {
        if (fscanf(f, "%d", &n) != 1)
            n = 0;
        fclose(f);
    }
    return n;
}

static void say_why_not(char *out, size_t size, enum engine engine, const struct answer *a)
{
    int disabled = engine == ENGINE_IO_URING ? io_uring_disabled() : 0;

    if (a->why[0])
        snprintf(out, size, "%s", a->why);
    else if (a->errnum == EPERM && disabled > 0)
        snprintf(out, size, "switched off: kernel.io_uring_disabled = %d", disabled);
    else if (a->errnum == EPERM || a->errnum == EACCES)
        snprintf(out, size, "not permitted (the seccomp profile of a container?)");
    else if (a->errnum == ENOSYS)
        snprintf(out, size, "this kernel does not have it");
    else if (a->errnum == EAGAIN && engine == ENGINE_LIBAIO)
        snprintf(out, size, "no free request slots: raise fs.aio-max-nr");
    else if (a->errnum == ENOMEM && engine == ENGINE_IO_URING)
        snprintf(out, size, "not enough locked memory (ulimit -l)");
    else
        snprintf(out, size, "%s", strerror(a->errnum));
}

static const char *say_how(enum engine engine, bool direct)
{
    switch (engine) {
    case ENGINE_IO_URING:
        return "works";
    case ENGINE_LIBAIO:
        return direct ? "works; asynchronous only with direct I/O"
                      : "works, but without direct I/O it waits in every submission";
    case ENGINE_POSIXAIO:
        return "works; by threads of the C library";
    default:
        return "works; one request at a time per thread";
    }
}

static void judge_direct(const struct probe *p, struct capability *c)
{
    const struct answer *psync = &p->answers[CANDIDATE(ENGINES_N - 1, 1)];
    bool any_buffered = false;

    /* Any engine proves it; which one is refused says nothing about O_DIRECT. */
    c->direct_works = false;
    for (size_t i = 0; i < ENGINES_N; i++) {
        c->direct_works |= p->answers[CANDIDATE(i, 1)].works;
        any_buffered |= p->answers[CANDIDATE(i, 0)].works;
    }
    if (c->direct_works)
        snprintf(c->direct_reason, sizeof(c->direct_reason), "O_DIRECT is accepted here");
    else if (!any_buffered)
        snprintf(c->direct_reason, sizeof(c->direct_reason), "not known: no engine worked");
    else if (psync->errnum == EINVAL)
        snprintf(c->direct_reason, sizeof(c->direct_reason),
                 "the file system refuses O_DIRECT (of 4 KiB blocks)");
    else
        snprintf(c->direct_reason, sizeof(c->direct_reason), "O_DIRECT fails: %.70s",
                 psync->why[0] ? psync->why : strerror(psync->errnum));
}

static void judge(const struct probe *p, struct capability *c)
{
    capability_init(c);
    c->probed = true;
    judge_direct(p, c);
    c->auto_engine = ENGINE_AUTO;
    for (size_t i = 0; i < ENGINES_N; i++) {
        enum engine engine = engines[i];
        char *reason = c->engine_reason[engine];
        const struct answer *a = &p->answers[CANDIDATE(i, c->direct_works)];
        c->engine_usable[engine] = a->works;
        if (a->works)
            snprintf(reason, sizeof(c->engine_reason[0]), "%s", say_how(engine, c->direct_works));
        else
            say_why_not(reason, sizeof(c->engine_reason[0]), engine, a);
        /* Buffered, libaio is a slow sync: not what anybody means by "auto". */
        if (a->works && c->auto_engine == ENGINE_AUTO &&
            (engine != ENGINE_LIBAIO || c->direct_works))
            c->auto_engine = engine;
    }
    if (c->auto_engine == ENGINE_AUTO) /* then nothing works, and the run will say why */
        c->auto_engine = ENGINE_PSYNC;
    c->engine_usable[ENGINE_AUTO] = true;
    snprintf(c->engine_reason[ENGINE_AUTO], sizeof(c->engine_reason[0]), "here: %s",
             engine_name(c->auto_engine));
}

/* ---- attempts -------------------------------------------------------------------------------- */

static void attempt_end(void *arg, int wait_status);

static int attempt_start(struct probe *p, struct attempt *t, unsigned candidates, struct err *e)
{
    static const struct fio_framer_events framer_events = {on_document, on_line, on_lost};
    static const struct child_events events = {on_output, attempt_end};
    int fd = bench_file_fd(p->file), rc;
    struct strv argv;

    assert(!t->running);
    *t = (struct attempt){.probe = p, .candidates = candidates};
    t->framer = fio_framer_new(&framer_events, t, FIO_FRAMER_MAX_DOCUMENT);
    strv_init(&argv);
    build_argv(&argv, p, candidates);
    rc = child_start(&t->child, p->loop, p->program, &argv, &fd, 1, &events, t, e);
    strv_done(&argv);
    t->running = rc == 0;
    if (rc < 0) {
        fio_framer_free(t->framer);
        t->framer = NULL;
    }
    return rc;
}

static void attempt_stop(struct attempt *t)
{
    child_free(t->child);
    fio_framer_free(t->framer);
    t->child = NULL;
    t->framer = NULL;
    t->running = false;
}

static void finish(struct probe *p)
{
    struct capability c;

    loop_timer_off(p->timer);
    bench_file_free(p->file);
    p->file = NULL;
    judge(p, &c);
    p->done(p->arg, &c); /* may free the probe */
}

/* One fio for each engine that has not been answered for. */
static void try_alone(struct probe *p, unsigned candidates)
{
    struct err e;

    p->alone = true;
    loop_timer_at(p->timer, clock_ns() + WAIT_ALONE_S * 1000000000LL);
    for (size_t i = 0; i < ENGINES_N; i++) {
        if ((candidates & BOTH(i)) &&
            attempt_start(p, &p->attempts[i], candidates & BOTH(i), &e) < 0)
            answer_all(p, candidates & BOTH(i), e.text);
    }
}

static bool any_running(const struct probe *p)
{
    for (size_t i = 0; i < ENGINES_N; i++) {
        if (p->attempts[i].running)
            return true;
    }
    return false;
}

static unsigned candidates_of(const char *name)
{
    for (size_t i = 0; i < ENGINES_N; i++) {
        if (strcmp(name, engine_name(engines[i])) == 0)
            return BOTH(i);
    }
    return 0;
}

static void why_silent(char *why, size_t size, const struct fio_evidence *ev, int status)
{
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGSYS)
        snprintf(why, size, "forbidden (the seccomp profile of a container?)");
    else if (WIFSIGNALED(status))
        snprintf(why, size, "fio does not survive it (signal %d)", WTERMSIG(status));
    else if (ev->errnum)
        snprintf(why, size, "%s", strerror(ev->errnum));
    else
        snprintf(why, size, "%.95s", ev->complaint[0] ? ev->complaint : "fio gave no report");
}

static void attempt_end(void *arg, int wait_status)
{
    struct attempt *t = arg;
    struct probe *p = t->probe;
    unsigned left, without;
    char why[96];

    fio_framer_end(t->framer);
    line_splitter_end(&t->lines, on_line, t);
    left = unanswered(p, t->candidates);
    without = candidates_of(t->evidence.engine) & left;
    answer_all(p, without, "not in this fio (perhaps a package of its own)");
    left &= ~without;
    why_silent(why, sizeof(why), &t->evidence, wait_status);
    attempt_stop(t);
    if (left && p->alone) {
        answer_all(p, left, why);
    } else if (left) {
        struct err e;
        if (!without || attempt_start(p, t, left, &e) < 0)
            try_alone(p, left);
    }
    if (!any_running(p))
        finish(p);
}

static void on_timer(void *arg, int64_t now_ns)
{
    struct probe *p = arg;
    unsigned left = unanswered(p, ALL);
    char why[96];

    (void)now_ns;
    for (size_t i = 0; i < ENGINES_N; i++)
        attempt_stop(&p->attempts[i]);
    if (!p->alone) {
        try_alone(p, left);
    } else {
        snprintf(why, sizeof(why), "did not answer within %d s", WAIT_ALONE_S);
        answer_all(p, left, why);
    }
    if (!any_running(p))
        finish(p);
}

/* ---- the door -------------------------------------------------------------------------------- */

int probe_start(struct probe **out, struct loop *l, const char *fio_program, const char *dir,
                void (*done)(void *arg, const struct capability *c), void *arg, struct err *e)
{
    struct probe *p = mem_zalloc(sizeof(*p));
    int rc;

    *out = NULL;
    p->loop = l;
    p->program = mem_strdup(fio_program);
    p->done = done;
    p->arg = arg;
    rc = bench_file_create(&p->file, dir, FILE_BYTES, e);
    if (rc == 0) {
        p->timer = loop_timer_new(l, on_timer, p);
        loop_timer_at(p->timer, clock_ns() + WAIT_TOGETHER_S * 1000000000LL);
        rc = attempt_start(p, &p->attempts[0], ALL, e);
    }
    if (rc < 0) {
        probe_free(p);
        return rc;
    }
    *out = p;
    return 0;
}

void probe_free(struct probe *p)
{
    if (!p)
        return;
    for (size_t i = 0; i < ENGINES_N; i++)
        attempt_stop(&p->attempts[i]);
    loop_timer_free(p->timer);
    bench_file_free(p->file);
    free(p->program);
    free(p);
}
