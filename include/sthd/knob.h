/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef STHD_KNOB_H
#define STHD_KNOB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sthd/cpu.h"
#include "sthd/err.h"

/* What can be turned on this machine while a test runs: filled by engine, shown by ui. */
enum knob { KNOB_GOVERNOR, KNOB_EPP, KNOB_BOOST, KNOB_LIMIT };
#define KNOB_COUNT   4
#define KNOB_CHOICES 12

struct knob_state {
    char choices[KNOB_CHOICES][CPU_WORD]; /* values it takes */
    size_t n_choices;
    char set[CPU_WORD]; /* what we turned it to; "" untouched */
    char was[128];      /* what it was before the first change: "schedutil x32"; "" not known */
    int64_t set_ns;     /* when it was turned last */
    char problem[256];  /* a sentence: why it cannot be turned; "" it can */
    char drift[256];    /* a sentence: something else turned it meanwhile; "" no. Not by engine */
};

struct knob_panel {
    bool known; /* the machine was looked at */
    struct knob_state knobs[KNOB_COUNT];
};

const char *knob_name(enum knob k);   /* "governor", "EPP", "boost", "latency limit" */
const char *knob_option(enum knob k); /* for --sweep: "governor", "epp", "boost", "qos" */
/* "governor performance", "limit 0 us", "limit off": on a timeline. Appends. */
void knob_mark(struct buf *out, enum knob k, const char *value);

/* What the machine has now, as a choice; "" not known, or several at the same time. */
void knob_present(enum knob k, const struct cpu_state *now, char *out, size_t size);
/*
 * The choice to go on to: behind what we set, or behind what the machine has now. NULL: there is
 * none.
 */
const char *knob_next(const struct knob_panel *p, enum knob k, const struct cpu_state *now);
/*
 * Whether something else turned it back after we had: seen was read afterwards and says something
 * else. A sentence into out then.
 */
bool knob_drifted(const struct knob_panel *p, enum knob k, const struct cpu_state *seen, char *out,
                  size_t size);
/*
 * A latency limit as text: "off", or whole microseconds, 0 to 2000000. -EINVAL with a sentence that
 * begins with what.
 */
int knob_limit_parse(const char *text, const char *what, int32_t *limit_us, struct err *e);

#endif
