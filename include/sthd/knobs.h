/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef STHD_KNOBS_H
#define STHD_KNOBS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "sthd/err.h"
#include "sthd/knob.h"

/*
 * Turns knobs and turns them back. What is changed was saved first, per policy and verbatim; a
 * keeper restores it however we end, and a journal in the runtime directory lets a later start
 * repair what even the keeper could not (somebody killed it too). The latency limit needs neither:
 * the kernel drops it with our descriptor.
 *
 * Writing a governor may take 20 ms per policy, so a thread does it: knobs_set only queues.
 */
struct knobs;

/* Every path below sysroot; runtime_dir is made (0700) before the first change. NULL: no thread. */
struct knobs *knobs_new(const char *sysroot, const char *runtime_dir);
/* Readable when there is news: take until false. */
int knobs_fd(const struct knobs *k);

struct knob_outcome {
    enum knob knob;
    char value[CPU_WORD];
    bool restored; /* it is the end of knobs_restore: knob and value mean nothing */
    bool done;     /* else err says why not */
    struct err err;
    int64_t at_ns; /* CLOCK_MONOTONIC: when it was written */
};
bool knobs_take(struct knobs *k, struct knob_outcome *out);
/* As of now; known is false until the machine was looked at. */
void knobs_panel(struct knobs *k, struct knob_panel *out);
/* Queued; a value that still waits for the same knob is replaced. */
void knobs_set(struct knobs *k, enum knob knob, const char *value);
/* All as before; queued, too. */
void knobs_restore(struct knobs *k);
/* Something was turned and not turned back. */
bool knobs_are_turned(struct knobs *k);
/* Restores, waits for it, frees. Fails with a sentence that names what could not be restored. */
int knobs_free(struct knobs *k, struct err *e);

/* What a run left turned that was killed together with its keeper. */
struct knobs_left {
    pid_t pid;      /* of that run */
    unsigned files; /* that are to be restored */
    char what[160]; /* "governor schedutil, EPP balance_performance" */
};
/*
 * Whether there is something to repair. A journal whose run or keeper still lives is not left; one
 * of an earlier boot means nothing any more and is removed.
 */
bool knobs_left_behind(const char *sysroot, const char *runtime_dir, struct knobs_left *out);
/* Does it. Fails with a sentence; the journal stays then. */
int knobs_repair(const char *sysroot, const char *runtime_dir, struct err *e);

#endif
