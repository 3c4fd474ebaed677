/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef STHD_RUN_H
#define STHD_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sthd/course.h"
#include "sthd/cpu.h"
#include "sthd/plan.h"
#include "sthd/sample.h"
#include "sthd/trust.h"
#include "sthd/waterfall.h"
#include "sthd/zfs.h"

/*
 * The model of a run: everything a face shows of it. Changed only by the run_ verbs below, with
 * time as an argument; read freely by views and tables. No clock, no I/O.
 */

/* Room for a sentence: what fio_run says of an end, and what is said here around it. */
#define RUN_WHY 360

struct figures { /* NAN: absent, shown as "-" */
    double bytes_per_s;
    double iops;
    double mean_ns, min_ns, max_ns, stddev_ns;
    double p50_ns, p99_ns, p999_ns;
};

enum cell_state {
    CELL_NONE, /* the profile has no such cell */
    CELL_WAITING,
    CELL_RUNNING, /* a measured run is on, or the cell is between two of its runs */
    CELL_DONE,
    CELL_STOPPED, /* ended early (stop or next); the figures, if any, are of the part that ran */
    CELL_FAILED,  /* no figure; why says it */
    CELL_SKIPPED, /* never measured; no figure */
};

struct job_spread {      /* --per-job: what the threads say one by one */
    size_t n_jobs;       /* 0: not known */
    double p50_mean_ns;  /* the original script's rule: mean of the jobs' p50 ... */
    double p99_worst_ns; /* ... and the worst p99 */
    double iops_min, iops_max;
    double p50_min_ns, p50_max_ns;
};

/* The percentiles of a whole distribution: those that fio prints by itself. */
#define RUN_PERCENTS 17
extern const double run_percents[RUN_PERCENTS];

struct side { /* reads or writes alone */
    struct figures figures;
    double percentile_ns[RUN_PERCENTS]; /* NAN: absent */
};

struct detail {           /* of the last report of a run, so also while it goes on */
    struct side sides[2]; /* enum direction: read, write; a cell of one direction has only that */
    double cpu_share;     /* of one core, fio's own included: 0.5 is half of one; NAN */
};

struct cell {
    enum cell_state state;
    struct figures now; /* the last interval; NAN when not running or silent (run_silence_s) */
    /*
     * While a run is on: its running mean (no min, max, p99.9). Afterwards: the final figures,
     * which are fio's own; of several runs those that run_combine() makes of them.
     */
    struct figures mean;
    struct job_spread spread; /* of the run that the latencies are of */
    struct figures *runs;     /* fio's own final figures, one for each finished run */
    struct job_spread *run_spreads;
    struct detail detail; /* as spread */
    struct detail *run_details;
    size_t n_runs;
    size_t rate_run, latency_run;    /* which of them mean has its rates and its latencies of */
    double silence_s;                /* the longest time without a report in its measured runs */
    enum trust trust;                /* what was measured; unknown until run_set_trust */
    char trust_reason[TRUST_REASON]; /* printable; "" none */
    struct waterfall device_now;     /* of the last interval, or the last few */
    struct waterfall device;         /* of the run; of several, the last. Zeroed: unseen */
    struct zil zil;                  /* what ZFS's intent log did in these runs */
    struct cpu_state cpu;            /* the processors meanwhile (cpu_state_mean) */
    unsigned n_cpu;                  /* of so many states; 0: not seen */
    struct course course;            /* of the last run, where its end is by amount */
    bool end_fsync;                  /* the runtime of these figures contains a final fsync */
    uint32_t n_samples;              /* intervals shown so far */
    struct sample *samples;          /* the most recent CELL_SAMPLES intervals, oldest first */
    size_t n_kept, cap;
    /*
     * A sentence, printable: why it failed, was stopped or skipped; with CELL_DONE a warning about
     * the figures (a long silence, damaged output). "" nothing to say.
     */
    char why[RUN_WHY];
};
#define CELL_SAMPLES 1200

/*
 * What was measured between two marks of one step. A mark is a change of something that figures
 * depend on: a knob turned, or something the user did elsewhere. The interval in which it happened
 * is of before and after, and counts for neither.
 */
#define RUN_MARK_TEXT 64
struct stretch {
    char mark[RUN_MARK_TEXT]; /* what began it, printable: "performance"; "": the step's begin */
    int64_t at_ns;
    size_t step;            /* during or after which the mark was set */
    bool measuring;         /* it is of a measured step; else it has no figures */
    double seconds;         /* of the intervals that count */
    struct figures figures; /* of them; no min, max, p99.9 */
};

enum run_state {
    RUN_READY,
    RUN_STEP,     /* a step is running */
    RUN_STOPPING, /* fio was told to stop, its I/O in flight is finishing */
    RUN_BETWEEN,
    RUN_PAUSE, /* waiting, until pause_until_ns, for the device to recover from the test before */
    RUN_DONE,
};

enum step_outcome { STEP_OK, STEP_STOPPED, STEP_SKIPPED, STEP_FAILED };

struct run_step { /* what became of a step of the plan */
    bool begun, ended;
    int64_t began_ns, ended_ns;
    enum step_outcome outcome; /* as told by run_step_end; a fault found later is in the cell */
    struct strv command;       /* argv as it was started; empty: not told */
};

struct run {
    const struct plan *plan; /* borrowed, outlives the run */
    enum run_state state;
    size_t step;                /* current or last step */
    int64_t began_ns, ended_ns; /* of the run */
    int64_t step_began_ns;
    int64_t pause_until_ns; /* RUN_PAUSE only */
    int64_t last_report_ns; /* arrival of the last report; step start before it */
    int64_t now_ns;         /* as of the last run_tick */
    int64_t began_unix_ns;  /* what the wall clock said then; 0: not told */
    int utc_offset_s;       /* of the user's zone */
    struct run_step *steps; /* plan->n_steps of them */
    struct cell cells[PROFILE_TESTS][DIRECTION_COUNT];
    double prepare_done;        /* share 0 .. 1 */
    double bound_done;          /* of the current step, when it is bound by size; else 0 */
    double prepare_bytes_per_s; /* of the last interval; NAN */
    uint64_t prepare_bytes;
    char fio_version[32];
    char message[RUN_WHY + 64]; /* the last thing worth saying (a failed step, a stop), printable */
    unsigned failed;            /* cells that failed */
    bool stopped;               /* the plan was not completed because someone said stop */
    bool prepare_failed;        /* nothing may be measured on a file with holes */
    char prepare_why[RUN_WHY];  /* a sentence when it failed or was stopped; else "" */
    struct cpu_state cpu_before; /* the processors as the run began; known is false: not seen */
    struct cpu_state cpu_after;  /* and as they were seen last */
    struct sampler *sampler;     /* of the current step */
    struct sampler **beside;     /* of the steps that run together with it: plan step.company */
    struct stretch *stretches;   /* in the order of time: one per measured run, one per mark */
    size_t n_stretches;
    uint64_t
        generation; /* grows at every visible change: draw when it differs from what you drew */
    struct {
        unsigned silence_s, left_s, share;
    } ticked; /* what run_tick last counted as visible */
};

void run_init(struct run *r, const struct plan *plan, int64_t now_ns);
void run_done(struct run *r);

/*
 * The step to go on with after the one that ended: n_steps when there is none. A cell that ended
 * early (failed, stopped, skipped) has no more steps: its remaining runs are left out.
 */
size_t run_next_step(const struct run *r);
/* The pause before a step, instead of RUN_BETWEEN. until_ns is when the caller will begin it. */
void run_pause(struct run *r, int64_t now_ns, int64_t until_ns);
/* What the wall clock said at run_init, for documents only. */
void run_set_wall_clock(struct run *r, int64_t unix_ns, int utc_offset_s);
/* The argv of a step, as it is started. */
void run_set_command(struct run *r, size_t step, const struct strv *argv);
/* Not while another step runs, nor after the end. */
void run_step_begin(struct run *r, size_t step, int64_t now_ns);
/* A report arrived. Returns true if a figure moved. One that comes between steps is ignored. */
bool run_apply(struct run *r, const struct report *report, int64_t arrival_ns);
/* The step was told to stop (or to make way for the next one). */
void run_stopping(struct run *r, int64_t now_ns);
/*
 * The step is over. last: fio's last report or NULL. The final figures are fio's own of that
 * report. STEP_OK without completed I/O becomes a failure: zero is an error, never a figure; so
 * does an error that fio reports beside an outcome of OK, and a preparation that did not write the
 * whole file. STEP_SKIPPED with completed I/O is a stopped cell, so that its figures are not lost.
 * why: a sentence or NULL; made printable here. A stopped cell says so itself: why adds only what
 * is out of the ordinary (fio had to be killed). With STEP_OK it is a warning about the figures
 * (damaged output), to which a silence of more than RUN_SILENCE_S is added here.
 *
 * A cell is done with its last loop. One that is stopped or left after finished runs has their
 * figures, and not those of the run that was cut short. A run that fails fails its cell. Of a
 * warm-up nothing is kept; it failed: the cell says so beside its figures; it was skipped: so is
 * the cell.
 */
#define RUN_SILENCE_S 2.0
void run_step_end(struct run *r, enum step_outcome outcome, const struct report *last,
                  const char *why, int64_t now_ns);
/*
 * One figure of the n >= 1 runs of a cell. COMBINE_BEST: bandwidth and IOPS of the run with the
 * highest bandwidth, latencies (mean, percentiles, least and most) of the run with the lowest mean:
 * as CrystalDiskMark, which shows highest throughput and lowest mean latency, taken independently.
 * COMBINE_MEDIAN: everything of the run of median bandwidth (of an even number, the lower of the
 * two in the middle). rate_run, latency_run: which runs they were.
 */
struct figures run_combine(const struct figures *runs, size_t n, enum combine how, size_t *rate_run,
                           size_t *latency_run);
/* What a cell's figures are of; at any time before or after they are there. reason: one phrase. */
void run_set_trust(struct run *r, size_t test, enum direction d, enum trust trust,
                   const char *reason);
/*
 * Where the time of a cell's I/Os went: of an interval, while its run is on (NULL: no news), and of
 * the run so far or as it ended.
 */
void run_device(struct run *r, size_t test, enum direction d, const struct waterfall_facts *now,
                const struct waterfall_facts *whole);
void run_set_zil(struct run *r, size_t test, enum direction d, const struct zil *zil);
/* The processors as they are now. Nothing visible changes with it. */
void run_cpu(struct run *r, const struct cpu_state *s);
/* No more steps: waiting cells become skipped; a step that still runs ends as stopped. */
void run_end(struct run *r, bool stopped, int64_t now_ns);
/*
 * Something was changed. text: a word or two, made printable here. Returns false when the run is
 * over: then nothing is marked. For the sharpest cut the caller asks fio for a report right after.
 */
bool run_mark(struct run *r, const char *text, int64_t now_ns);
/*
 * What stretches[i] is compared with: the last stretch before it in the same measured run that is a
 * second long at least, or, when there is none, the last one with figures. NULL: none has any.
 */
const struct stretch *run_stretch_before(const struct run *r, size_t i);
/* "performance: p50 85 us (was 328 us), 10 687 IOPS (was 3 050), 3.5 x"; as much as is known. */
void run_stretch_sentence(const struct run *r, size_t i, struct buf *out);
void run_say(struct run *r, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Time passes: silence is seen, clocks move. True if something visible changed. */
bool run_tick(struct run *r, int64_t now_ns);

/* Whole seconds without a report, 0 while reports are on time (late: > 2 intervals and > 1 s). */
unsigned run_silence_s(const struct run *r);
/* The cell that a run is measured for, or NULL (prepare, warm-up, between steps). */
struct cell *run_current_cell(struct run *r);
const struct cell *run_cell(const struct run *r, size_t test, enum direction d);
const struct step *run_current_step(const struct run *r);
/*
 * Estimate for the rest of the plan, >= 0, as of now_ns; INFINITY when it ends by being stopped. A
 * preparation that runs is judged by what it has done so far; 0 when the run is over.
 */
double run_seconds_left(const struct run *r);
double run_step_share(const struct run *r); /* 0 .. 1 of the current step; 0 when none is on */
/* A failed test outweighs a stop; a plan with cells left out was not completed: STOPPED. */
enum exit_code run_exit_code(const struct run *r);
/*
 * What runs or ran last, for people: "SEQ1M Q8T1 read", "preparation"; of several runs "SEQ1M Q8T1
 * read 2/3", and "SEQ1M Q8T1 read warm-up".
 */
void run_step_name(const struct run *r, size_t step, char *out, size_t size);

#endif
