/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef STHD_PLAN_H
#define STHD_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sthd/profile.h"
#include "sthd/settings.h"

/* A plan is a profile times settings: a prepare step, and for each cell its runs. */

enum step_kind { STEP_PREPARE, STEP_MEASURE };

/* The share of reads in a mix when the settings do not say it: CrystalDiskMark's default. */
#define PLAN_MIX_PERCENT 70u

struct step {
    enum step_kind kind;
    enum tool tool;
    size_t test; /* index into profile->tests; unused for prepare */
    enum direction direction;
    enum pattern pattern;
    uint64_t block_bytes;
    unsigned queue_depth; /* 1 with an engine that keeps one request in flight */
    unsigned threads;
    enum engine engine; /* resolved: never ENGINE_AUTO */
    bool direct;        /* resolved */
    bool sync;
    bool end_fsync;
    uint64_t size_bytes;   /* of the bench file */
    uint32_t runtime_s;    /* 0 for prepare: bounded by size */
    bool endless;          /* until it is stopped; runtime_s is PLAN_ENDLESS_S then */
    bool cached;           /* see struct test */
    bool whole_file;       /* see struct test; runtime_s is 0 then */
    uint64_t offset_bytes; /* of what it touches, which are the region_bytes from there on */
    uint64_t region_bytes; /* 0: to the end of the file */
    int64_t skip_bytes;    /* from the end of a block to the next one; 0: none */
    uint64_t io_bytes;     /* ends after so many; runtime_s is 0 then. 0: by time or whole_file */
    uint32_t fsync_every;  /* see struct test; 0 for reads */
    uint32_t rate_iops;    /* per thread */
    enum work work;
    uint32_t files;
    bool warmup;          /* a run before the measured ones, of which nothing is kept */
    unsigned loop, loops; /* this is measured run loop of loops: 0 .. loops - 1; a warm-up: 0 */
    unsigned mix_percent; /* share of reads in a mix, 1 .. 99; else 0 */
    unsigned company;     /* of a job file: the steps behind it that run together with it */
    bool beside;          /* ... and this is one of them */
    uint32_t pause_s;     /* to wait before it; estimates of steps do not contain it */
};

/*
 * What this machine and target can do, found by probing; until then the guess. reason_* are the
 * explanations shown beside the menus.
 */
struct capability {
    enum engine auto_engine; /* what ENGINE_AUTO becomes where it may be any: capability_auto */
    bool direct_works;       /* what IO_AUTO becomes */
    bool probed;
    bool engine_usable[ENGINE_COUNT];
    char engine_reason[ENGINE_COUNT][96]; /* why (not); "" when not known yet */
    char direct_reason[96];
};

void capability_init(struct capability *c); /* the guess: io_uring, direct, not probed */
/*
 * What ENGINE_AUTO becomes with that kind of I/O. libaio is asynchronous only with direct I/O:
 * buffered, the next one that works is taken instead (libaio itself only if there is none).
 */
enum engine capability_auto(const struct capability *c, bool direct);

/* What fio takes to start and to end, beside the runtime of a step: measured 0.2 to 0.4 s. */
#define PLAN_STARTUP_S 0.3
/* The runtime that fio is given where there is none: nobody watches for two weeks. s. */
#define PLAN_ENDLESS_S (14u * 86400)

struct plan {
    /*
     * A copy, in which everything is decided: size_bytes rounded (see plan_build), and runtime_s,
     * loops, combine, pause_s and warmup with the profile's word where the user had none.
     */
    struct settings settings;
    struct capability capability;
    struct step *steps; /* steps[0] is the preparation, unless the profile has none */
    size_t n_steps;
    struct strv notes; /* sentences about what was decided beside or against the user's choice */
    bool endless;      /* it ends when it is stopped: seconds is INFINITY */
    bool fell_back;    /* some test is buffered only because direct I/O does not work here */
    double prepare_s;  /* estimate of the preparation alone, start-up included */
    double seconds;    /* estimate of the whole run: preparation, warm-ups, loops and pauses too */
    double rate_bytes_per_s;    /* as given: what the estimates rest on */
    uint64_t bytes_needed;      /* free space it takes: the bench file */
    uint64_t bytes_written_min; /* what is sure to be written: the preparation */
    uint64_t bytes_written;     /* upper estimate of what will be written, preparation included;
                                   UNITS_ABSENT when it is endless and writes */
};

/*
 * rate_bytes_per_s: sequential rate to assume for preparation and write estimates (a class guess or
 * an earlier measurement); > 0. Fails with a sentence (EXIT_CODE_USAGE) when settings, profile and
 * capability do not fit; p is then empty, and plan_done is safe.
 *
 * Who decides on engine and direct: the test, where it prescribes; else the user; else what works.
 * A user's explicit choice that a test overrules stays in force for the other tests and is told in
 * notes (a profile means the same thing on every machine; whoever changes only the profile in a
 * menu shall not have to change the engine too). An explicit choice or a prescription that does not
 * work here, once probed, is a failure: nothing is replaced behind anybody's back. Only "auto"
 * falls back, and then fell_back says it.
 *
 * The size is rounded down to whole blocks of the largest block (at least 1 MiB), so that direct
 * I/O fills the file to its end. The preparation writes all of it, 1 MiB blocks, with the user's or
 * the automatic engine (never the prescribed one, which may be slow), and ends with fsync.
 * Steps follow in the profile's order: row by row and in a row by direction, or (by_direction) all
 * rows of a direction before the next one. A cell's steps are together: the warm-up, then its
 * loops. The pause comes between cells, as in CrystalDiskMark: before the first step of each but
 * the first.
 *
 * dd needs no engine: its steps say ENGINE_SYNC, for read(2) and write(2), and what was chosen
 * about engines does not touch them. When every test is dd's, so is the preparation, and the plan
 * does not need fio at all.
 */
int plan_build(struct plan *p, const struct settings *s, const struct capability *c,
               double rate_bytes_per_s, struct err *e);
/* Estimate for one step, start-up included, its pause not. s. */
double plan_step_seconds(const struct plan *p, size_t step); /* INFINITY: endless */
/* How much a step that is bound by size goes over; 0 for one that is bound by time. */
uint64_t step_bound_bytes(const struct step *s);
/* Whether the bench file is written before it is measured. */
bool plan_is_prepared(const struct settings *s);
/* Whether any measured step is bound by time: else a runtime says nothing. */
bool plan_is_timed(const struct plan *p);
/* The directions that are measured, of one test and of all: bit masks as test.directions. */
unsigned plan_test_directions(const struct plan *p, size_t test);
unsigned plan_directions(const struct plan *p);
void plan_done(struct plan *p);
/*
 * "prepare 1 GiB, then 4 tests x 5 s: about 24 s, writes up to 9 GiB"; with loops and warm-ups
 * "8 tests x (1 warm-up + 3 runs) x 5 s, pauses of 5 s: ..."
 */
void plan_describe(const struct plan *p, struct buf *out);
/* "up to 9 GiB", "as much as the test can until it is stopped" */
void plan_describe_writes(const struct plan *p, struct buf *out);

#endif
