/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef STHD_SWEEP_H
#define STHD_SWEEP_H

#include <stdbool.h>
#include <stddef.h>

#include "sthd/buf.h"
#include "sthd/knob.h"

/*
 * The same tests under each setting of one knob. The runs of a cell (see step.loop) take the
 * settings in turn, there and back again (a b c c b a a b c ...), so that what drifts (a cache that
 * fills, heat, neighbours) does not pose as an effect of the setting.
 */
struct sweep {
    enum knob knob;
    char settings[KNOB_CHOICES][CPU_WORD]; /* the first is what the others are compared with */
    size_t n;                              /* 0: no sweep */
    unsigned repeats;                      /* runs of each cell under each setting */
};
#define SWEEP_REPEATS 3u /* where nobody said otherwise: the least that has a middle */

/*
 * The settings of a knob, what the machine has now in front. Fails with a sentence when it cannot
 * be turned or has but one setting; out is empty then.
 */
int sweep_choose(struct sweep *out, const struct knob_panel *p, enum knob k,
                 const struct cpu_state *now, struct err *e);
/* The knob to offer after that of s, or the first one; KNOB_COUNT: no sweep. */
enum knob sweep_next(const struct sweep *s, const struct knob_panel *p);
unsigned sweep_loops(const struct sweep *s); /* runs of a cell in all */
/* Which setting the run number loop (from 0) of a cell is under. */
size_t sweep_setting(const struct sweep *s, unsigned loop);
/* "performance"; of a latency limit "20 us". */
void sweep_label(const struct sweep *s, size_t setting, char *out, size_t size);
/*
 * How seldom chance alone puts all of n runs above all of n others: once in so many times, C(2n,
 * n).
 */
double sweep_odds(size_t n);
/* "governor", "epp", "boost" or "qos". -EINVAL with a sentence. */
int sweep_parse(const char *word, enum knob *out, struct err *e);

struct figures;
struct sweep_row {
    size_t n; /* runs that there are */
    double iops, iops_min, iops_max;
    double p50_ns, p50_min_ns, p50_max_ns;
    double p99_ns;
    double bytes_per_s;
    double times; /* iops over that of the first setting */
    /* Every run of it was faster, or every run slower, than every run of the first setting. */
    bool apart;
};
/*
 * One row per setting, of the first n_runs runs of a cell: medians (of an even number, the lower
 * one of the two in the middle), least and most. NAN where there is nothing.
 */
void sweep_compare(const struct sweep *s, const struct figures *runs, size_t n_runs,
                   struct sweep_row rows[KNOB_CHOICES]);
/* The setting of the highest median that is apart from the first; 0: none is. */
size_t sweep_best(const struct sweep *s, const struct sweep_row rows[KNOB_CHOICES]);
/*
 * How to keep a setting: lines of text, for TrueNAS and for distributions with systemd. Each line
 * ends in a newline; those that begin with four blanks are to be copied. Nothing is done here.
 * Source for the PM QoS file: Documentation/power/pm_qos_interface.rst of Linux.
 */
void sweep_advice(enum knob k, const char *value, struct buf *out);

#endif
