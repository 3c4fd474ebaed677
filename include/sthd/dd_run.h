/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef STHD_DD_RUN_H
#define STHD_DD_RUN_H

#include "sthd/fio_run.h"

/*
 * One step with dd, told of in the words of fio_run: the same events and result, so that whoever
 * carries out a plan treats both alike.
 *
 * dd copies from /dev/zero (the preparation: from /dev/urandom) to the bench file, or from the file
 * to /dev/null, once if the step has no runtime, else again and again until it is over. Bytes come
 * from the kernel (/proc/PID/fdinfo, /proc/PID/io) and time from our clock, from dd's open(2) of
 * the file to its last close, both seen by inotify; what dd prints is not read for figures. So any
 * dd will do: GNU, BusyBox, uutils.
 *
 * Before it is measured: the flags are tried on a copy of nothing (O_DIRECT and O_DSYNC may be
 * refused); an uncached read begins with a file that the page cache was told to forget, a cached
 * one with a file that was read once; how much of it was in memory is then looked up.
 *
 * Reports are cumulative, every settings->interval_ms: one job, ios = blocks, no latencies. Those
 * with nothing in them come while the above goes on, so that silence still means that something
 * hangs.
 */
struct dd_run;

struct dd_run_spec {
    const char *program; /* resolved path of dd */
    const struct step *step;
    const struct settings *settings;
    int bench_fd;
    uint32_t grace_s; /* as fio_run_spec's */
};

int dd_run_start(struct dd_run **out, struct loop *l, const struct dd_run_spec *spec,
                 const struct fio_run_events *ev, void *arg, struct err *e);
/* As fio_run_stop. */
void dd_run_stop(struct dd_run *r);
/* 0 while none of its processes runs. */
pid_t dd_run_pid(const struct dd_run *r);
/* Kills if running; no events after this. NULL is fine. */
void dd_run_free(struct dd_run *r);

/* The command line of what a step measures, as dd_run builds it first. */
void dd_command_build(struct strv *argv, const char *program, const struct step *step,
                      int bench_fd);

/*
 * What dd can do in a directory: whether its direct I/O works, tried on a nameless file there. done
 * comes once, from the loop; the probe may be freed from it. As probe_start.
 */
struct dd_probe;
int dd_probe_start(struct dd_probe **out, struct loop *l, const char *program, const char *dir,
                   void (*done)(void *arg, const struct capability *c), void *arg, struct err *e);
void dd_probe_free(struct dd_probe *p);

#endif
