/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef STHD_CPU_WATCH_H
#define STHD_CPU_WATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "sthd/cpu.h"

/*
 * Reads the state of the processors. Some kernels (4.13 to 5.17) answer scaling_cur_freq only after
 * 10 to 20 ms per CPU, so nothing that must not wait may read it: the reader is for a thread, and
 * the watch is that thread.
 */
struct cpu_reader;

/* clock: CLOCK_MONOTONIC in ns, an argument for tests. Every path is below sysroot ("" here). */
struct cpu_reader *cpu_reader_new(const char *sysroot, int64_t (*clock)(void *arg), void *arg);
/*
 * How things are now; shares and clocks are of the time since the last call (of the first there are
 * none). Never fails: what cannot be read is absent.
 */
void cpu_reader_sample(struct cpu_reader *r, struct cpu_state *out);
void cpu_reader_free(struct cpu_reader *r);

/*
 * The thread: a first state at once, a second one soon after so that there are shares, then one
 * each second. NULL when there can be no thread: then nothing is known.
 */
struct cpu_watch *cpu_watch_new(const char *sysroot);
/* Readable when there is a state that was not taken. */
int cpu_watch_fd(const struct cpu_watch *w);
/* The newest; false if it was taken before. */
bool cpu_watch_take(struct cpu_watch *w, struct cpu_state *out);
/* Waits for the file that is being read. NULL is fine. */
void cpu_watch_free(struct cpu_watch *w);

#endif
