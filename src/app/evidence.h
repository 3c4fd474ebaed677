/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef STHD_APP_EVIDENCE_H
#define STHD_APP_EVIDENCE_H

#include <stdint.h>

#include "sthd/fio_run.h"
#include "sthd/run.h"
#include "sthd/stack.h"
#include "sthd/target.h"
#include "sthd/zfs.h"

/*
 * What the devices did while fio said what it did: the counters of everything under the target,
 * read at the ends of each step and with each report. From that follow what a figure was of (trust)
 * where the time of an I/O went (device), and what
 * ZFS's intent log had to do with it (zil).
 */
struct evidence;

struct evidence_spec {
    const struct target *target;   /* NULL: not known */
    const struct stack *stack;     /* NULL: not known */
    const struct zfs_facts *zfs;   /* NULL: it is not ZFS, or not known */
    const struct machine *machine; /* NULL: not known */
    const char *sysroot;
};

/* Copies what it needs. */
struct evidence *evidence_new(const struct evidence_spec *spec);
void evidence_free(struct evidence *e); /* NULL is fine */
/* Before fio or dd is started for a step. */
void evidence_begin(struct evidence *e, const struct step *step, int64_t now_ns);
/* After run_apply; run_device of the running cell follows. */
void evidence_report(struct evidence *e, struct run *run, const struct step *step,
                     const struct report *r, int64_t now_ns);
/* After run_step_end; run_set_trust and run_device of its cell follow, if it has figures. */
void evidence_end(struct evidence *e, struct run *run, const struct step *step,
                  const struct fio_result *result);

#endif
