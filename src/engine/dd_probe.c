/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Whether dd's direct I/O works in a directory; see dd_run.h. Promises an answer within WAIT_S,
 * whatever the disk does. What dd and file system accept is tried, and then the page cache is asked
 * whether it was meant. Must not know what the answer is for.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>

#include "dd_command.h"
#include "dd_copy.h"
#include "dd_verdict.h"
#include "page_cache.h"
#include "sthd/bench_file.h"
#include "sthd/dd_run.h"
#include "sthd/mem.h"

#define FILE_BYTES  ((uint64_t)1 << 20)
#define BLOCK_BYTES 4096
#define WAIT_S      10

struct dd_probe {
    struct loop *loop;
    char *program;
    struct bench_file *file;
    struct dd_copy *copy;
    struct loop_timer *timer; /* first the turn to the next copy, then the patience */
    enum direction direction; /* of the copy under way: first it writes, then it reads */
    bool waiting;             /* a copy runs */
    void (*done)(void *arg, const struct capability *c);
    void *arg;
};

static struct step step_of(const struct dd_probe *p)
{
    return (struct step){.kind = STEP_MEASURE,
                         .tool = TOOL_DD,
                         .direction = p->direction,
                         .block_bytes = BLOCK_BYTES,
                         .size_bytes = BLOCK_BYTES,
                         .direct = true};
}

/* dd has one way only: read(2) and write(2). */
static void answer(struct dd_probe *p, bool direct, const char *why)
{
    struct capability c;

    capability_init(&c);
    c.probed = true;
    c.auto_engine = ENGINE_SYNC;
    c.direct_works = direct;
    snprintf(c.direct_reason, sizeof(c.direct_reason), "%s", why);
    for (int i = 0; i < ENGINE_COUNT; i++) {
        c.engine_usable[i] = i == ENGINE_AUTO || i == ENGINE_SYNC;
        snprintf(c.engine_reason[i], sizeof(c.engine_reason[i]), "%s",
                 i == ENGINE_AUTO   ? "here: dd"
                 : i == ENGINE_SYNC ? "dd: one request at a time"
                                    : "needs fio");
    }
    loop_timer_off(p->timer);
    bench_file_free(p->file);
    p->file = NULL;
    p->done(p->arg, &c); /* may free the probe */
}

static bool went_through_the_cache(const struct dd_probe *p)
{
    uint64_t held;

    return page_cache_bytes(bench_file_fd(p->file), BLOCK_BYTES, &held) == 0 && held > 0;
}

static void on_end(void *arg, int wait_status)
{
    struct dd_probe *p = arg;
    struct dd_copy_facts f = *dd_copy_facts(p->copy);
    struct step step = step_of(p);
    char why[256];

    p->waiting = false;
    dd_copy_free(p->copy);
    p->copy = NULL;
    if (WIFSIGNALED(wait_status)) {
        dd_verdict_signal(WTERMSIG(wait_status), why, sizeof(why));
        answer(p, false, why);
    } else if (WEXITSTATUS(wait_status) != 0) {
        dd_verdict_refused(&f, WEXITSTATUS(wait_status), &step, bench_file_fd(p->file), why,
                           sizeof(why));
        answer(p, false, why);
    } else if (went_through_the_cache(p)) {
        answer(p, false, "O_DIRECT is accepted, but the page cache is used all the same");
    } else if (p->direction == DIRECTION_WRITE) {
        p->direction = DIRECTION_READ;
        loop_timer_at(p->timer, clock_ns());
    } else {
        answer(p, true, "O_DIRECT is accepted here");
    }
}

static int start(struct dd_probe *p, struct err *e)
{
    static const struct dd_copy_events events = {NULL, NULL, on_end};
    struct step step = step_of(p);
    struct strv argv;
    int rc;

    strv_init(&argv);
    dd_command_measure(&argv, p->program, &step, bench_file_fd(p->file), false);
    rc = dd_copy_start(&p->copy, p->loop, p->program, &argv, bench_file_fd(p->file), &events, p, e);
    strv_done(&argv);
    p->waiting = rc == 0;
    if (rc == 0)
        loop_timer_at(p->timer, clock_ns() + WAIT_S * 1000000000LL);
    return rc;
}

static void on_timer(void *arg, int64_t now_ns)
{
    struct dd_probe *p = arg;
    char why[64];
    struct err e;

    (void)now_ns;
    if (p->waiting) {
        dd_copy_free(p->copy);
        p->copy = NULL;
        p->waiting = false;
        snprintf(why, sizeof(why), "dd did not answer within %d s", WAIT_S);
        answer(p, false, why);
    } else if (start(p, &e) < 0) {
        answer(p, false, e.text);
    }
}

int dd_probe_start(struct dd_probe **out, struct loop *l, const char *program, const char *dir,
                   void (*done)(void *arg, const struct capability *c), void *arg, struct err *e)
{
    struct dd_probe *p = mem_zalloc(sizeof(*p));
    int rc;

    *out = NULL;
    p->loop = l;
    p->program = mem_strdup(program);
    p->direction = DIRECTION_WRITE;
    p->done = done;
    p->arg = arg;
    p->timer = loop_timer_new(l, on_timer, p);
    rc = bench_file_create(&p->file, dir, FILE_BYTES, e);
    if (rc == 0)
        rc = start(p, e);
    if (rc < 0) {
        dd_probe_free(p);
        return rc;
    }
    *out = p;
    return 0;
}

void dd_probe_free(struct dd_probe *p)
{
    if (!p)
        return;
    dd_copy_free(p->copy);
    loop_timer_free(p->timer);
    bench_file_free(p->file);
    free(p->program);
    free(p);
}
