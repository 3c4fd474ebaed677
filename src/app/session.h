/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef STHD_APP_SESSION_H
#define STHD_APP_SESSION_H

#include "sthd/child.h"
#include "sthd/err.h"
#include "sthd/lines.h"
#include "sthd/loop.h"
#include "sthd/plan.h"
#include "sthd/run.h"
#include "sthd/stack.h"
#include "sthd/target.h"
#include "sthd/zfs.h"

/*
 * One plan being carried out: the bench file, one fio or dd after the other, and the run model that
 * both faces show. Knows no terminal.
 */
struct session;

struct session_events {
    /* fio's bytes as they came, after the raw store has them; may be NULL. */
    void (*raw)(void *arg, enum child_stream s, const char *bytes, size_t len);
    /* A step began or ended, or a report moved a figure; may be NULL. */
    void (*changed)(void *arg);
    /*
     * The next step may begin: true. False: it waits until session_go_on. Not asked for the
     * preparation. May be NULL: always.
     */
    bool (*ready)(void *arg, const struct step *step);
    /* The run is over (done or stopped) and its bench file is gone. Once. */
    void (*over)(void *arg);
};

struct session_spec {
    const char *fio_program; /* resolved paths; NULL when the plan has no step of that tool */
    const char *dd_program;
    const struct plan *plan; /* borrowed; outlives the session */
    struct lines *lines;     /* raw store; borrowed */
    uint32_t grace_s;        /* see fio_run_spec */
    /* What is measured, for evidence; copied. NULL: not known. */
    const struct target *target;
    const struct stack *stack;
    const struct zfs_facts *zfs;
    const struct machine *machine;
    const char *sysroot;
};

/* Makes the bench file and starts the first step. On failure nothing is left running. */
int session_start(struct session **out, struct loop *l, const struct session_spec *spec,
                  const struct session_events *ev, void *arg, struct err *e);
const struct run *session_run(const struct session *s);
/* fio's argv of the current (or last) step. */
const struct strv *session_command(const struct session *s);
bool session_is_over(const struct session *s);
/*
 * Stops the whole run: fio is asked to end (it must finish its I/O in flight), waiting tests are
 * skipped. Called again: fio is killed.
 */
void session_stop(struct session *s);
/* Stops, and kills fio if it has not ended after ms: for a terminal that is gone. */
void session_stop_within(struct session *s, unsigned ms);
/* Ends this test now, keeping what it measured, and goes on with the next one; ends a pause. */
void session_next(struct session *s);
/*
 * Something that the figures depend on was changed: see run_mark. Asks fio for a report at once, so
 * that the interval of before and after is short.
 */
void session_mark(struct session *s, const char *text);
/* The processors as they are now, for the result. */
void session_cpu(struct session *s, const struct cpu_state *cpu);
/* What ready() waited for is done. */
void session_go_on(struct session *s);
/* Something worth saying beside the run, printable or not: see run_say. */
void session_say(struct session *s, const char *text);
/* Kills what runs; NULL is fine. */
void session_free(struct session *s);

#endif
