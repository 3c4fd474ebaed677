/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef STHD_ENGINE_LADDER_H
#define STHD_ENGINE_LADDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sthd/child.h"
#include "sthd/fio_run.h"
#include "sthd/loop.h"

/*
 * How a measuring child is stopped: asked (SIGTERM), after LADDER_PATIENCE_S killed, at once when
 * asked a second time. A watchdog does the asking when the child outlives its planned end.
 */
#define LADDER_PATIENCE_S      15 /* I/O in flight must finish; 8 s were seen on a slow disk */
#define LADDER_GRACE_DEFAULT_S 120

enum ladder_stage { LADDER_RUNNING, LADDER_ASKED /* SIGTERM sent */, LADDER_KILLED /* SIGKILL */ };

struct ladder {
    struct child *child; /* whom to signal; borrowed; NULL: nobody at the moment */
    struct loop_timer *kill_timer, *watchdog;
    uint32_t grace_s;
    enum ladder_stage stage;
    bool user_stop; /* ladder_stop was called */
    bool impatient; /* twice */
    bool overdue;   /* the watchdog went off */
    /* Called just before the first SIGTERM, so that what dies of it can be looked at; or NULL. */
    void (*before)(void *arg);
    void *arg;
};

/* grace_s: 0 is the default. The struct stays where it is until ladder_done. */
void ladder_init(struct ladder *l, struct loop *loop, uint32_t grace_s);
void ladder_done(struct ladder *l);
/* The planned end is runtime_s from now; the watchdog waits grace_s longer. */
void ladder_watch(struct ladder *l, uint32_t runtime_s);
/* What the user says; the second time it is SIGKILL. */
void ladder_stop(struct ladder *l);
/* The child is gone: no more signals. */
void ladder_over(struct ladder *l);
/*
 * What to say of a child that went because of the ladder. killed: it died of our SIGKILL. name:
 * "fio". why: a sentence, 256 bytes hold it.
 */
enum fio_end ladder_verdict(const struct ladder *l, const char *name, bool killed, char *why,
                            size_t size);

#endif
