/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef STHD_CPU_H
#define STHD_CPU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sthd/buf.h"

/* What the processors are doing: filled by host once a second, shown by ui, kept with a result. */

#define CPU_WORD   32 /* governor, driver, EPP, idle state: the kernel's own limit is 16 to 32 */
#define CPU_COUNTS 6  /* different governors at the same time; more are not told apart */
#define CPU_IDLES  10 /* as many idle states as the kernel allows */

#define CPU_LIMIT_NONE    2000000000 /* what the kernel says when nobody asked for a limit */
#define CPU_LIMIT_UNKNOWN (-1)

enum cpu_boost { CPU_BOOST_ABSENT, CPU_BOOST_OFF, CPU_BOOST_ON };

struct cpu_count {
    char word[CPU_WORD];
    unsigned cpus; /* that have it */
};

struct cpu_idle {
    char name[CPU_WORD];
    unsigned exit_us; /* what it takes to wake from it */
    double share;     /* of the window, over all CPUs; NAN: not known yet */
};

struct cpu_state {
    bool known;       /* something was read; else nothing below means anything */
    int64_t taken_ns; /* CLOCK_MONOTONIC when reading began */
    int64_t cost_ns;  /* how long it took */
    unsigned cpus;    /* online */
    unsigned policies;
    char absence[64]; /* without cpufreq: "no cpufreq (KVM guest)"; else "" */
    char driver[CPU_WORD];
    struct cpu_count governors[CPU_COUNTS]; /* most CPUs first */
    size_t n_governors;
    struct cpu_count epps[CPU_COUNTS]; /* as the kernel writes it: a word, or a number 0 to 255 */
    size_t n_epps;
    enum cpu_boost boost;
    uint32_t min_khz, max_khz; /* limits in force; 0 unknown */
    /*
     * Of the CPUs that worked in the window, weighed by how much; 0 unknown. stale: none did, and
     * the number is what was asked for last, not what is.
     */
    uint32_t now_khz;
    bool stale;
    bool nominal;                    /* from /proc/cpuinfo, which does not follow the clock */
    struct cpu_idle idle[CPU_IDLES]; /* shallow to deep */
    size_t n_idle;
    double asleep;    /* share of sleep that has not ended yet, so its state is not known; NAN */
    double busy;      /* share; NAN */
    int32_t limit_us; /* the wake-up latency that is allowed now, by anybody's request */
};

void cpu_state_init(struct cpu_state *s); /* nothing known */

/*
 * The state in at most that many columns of ASCII: "schedutil x32  1.20-3.30 GHz, now 1.21  C6 83 %
 * limit none". What matters most stays longest. Appends.
 */
void cpu_text(struct buf *out, const struct cpu_state *s, int columns);
/* "performance x12, schedutil x4"; "-" when empty. Appends. */
void cpu_counts_text(struct buf *out, const struct cpu_count *counts, size_t n);
/* "none", "20 us", "unknown". Appends. */
void cpu_limit_text(struct buf *out, int32_t limit_us);

/*
 * The states of a while as one: shares and clock are means, all else is of the last. n: how many
 * are in mean; 0 begins anew.
 */
void cpu_state_mean(struct cpu_state *mean, unsigned *n, const struct cpu_state *s);

/* ---- for who fills it ---- */

/* One more CPU (or several) with this word. */
void cpu_count_add(struct cpu_count *counts, size_t *n, const char *word, unsigned cpus);
/* Most CPUs first; equal ones by name. */
void cpu_counts_sort(struct cpu_count *counts, size_t n);

/*
 * Numbers of a list as the kernel writes it, "0-3,8,10-11" or "0 1 2", in its order; at most max of
 * them into out (NULL: only counted). Returns how many there are.
 */
size_t cpu_list_parse(const char *list, unsigned *out, size_t max);

/*
 * How one CPU spent a window. before and after: the cumulative time (us) of each idle state. The
 * kernel adds a sleep when it ends: one that began before the window is cut to it, and one that
 * goes on at its end is told by idle_share only (from /proc/stat; NAN unknown). shares[n] is
 * filled, and *asleep; returns the busy share. All in 0 .. 1, and together 1. False counters (going
 * backwards) count as no time.
 */
double cpu_idle_shares(double *shares, const uint64_t *before, const uint64_t *after, size_t n,
                       uint64_t window_us, double idle_share, double *asleep);

#endif
