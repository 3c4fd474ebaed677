#ifndef STHD_PLAN_H
#define STHD_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sthd/profile.h"
#include "sthd/settings.h"

/* A plan is a profile times settings: a prepare step and one fio run per cell. */

enum step_kind { STEP_PREPARE, STEP_MEASURE };

struct step {
    enum step_kind kind;
    size_t test; /* index into profile->tests; unused for prepare */
    enum direction direction;
    enum pattern pattern;
    uint64_t block_bytes;
    unsigned queue_depth;
    unsigned threads;
    enum engine engine; /* resolved: never ENGINE_AUTO */
    bool direct;        /* resolved */
    bool sync;
    bool end_fsync;
    uint64_t size_bytes; /* of the bench file */
    uint32_t runtime_s;  /* 0 for prepare: bounded by size */
};

/*
 * What this machine and target can do, found by probing; until then the guess. reason_* are the
 * explanations shown beside the menus.
 */
struct capability {
    enum engine auto_engine; /* what ENGINE_AUTO becomes */
    bool direct_works;       /* what IO_AUTO becomes */
    bool probed;
    bool engine_usable[ENGINE_COUNT];
    char engine_reason[ENGINE_COUNT][96]; /* why (not); "" when not known yet */
    char direct_reason[96];
};

void capability_init(struct capability *c); /* the guess: io_uring, direct, not probed */

struct plan {
    struct settings settings; /* a copy */
    struct capability capability;
    struct step *steps;
    size_t n_steps;
    double seconds;             /* estimate of the whole run, preparation included */
    uint64_t bytes_needed;      /* free space it takes: the bench file */
    uint64_t bytes_written_min; /* what is sure to be written: the preparation */
    uint64_t bytes_written;     /* upper estimate of what will be written, preparation included */
};

/*
 * rate_bytes_per_s: sequential rate to assume for preparation and write estimates (a class guess or
 * an earlier measurement); > 0. Fails with a sentence when settings and profile do not fit.
 */
int plan_build(struct plan *p, const struct settings *s, const struct capability *c,
               double rate_bytes_per_s, struct err *e);
void plan_done(struct plan *p);
/* "prepare 1 GiB, then 4 tests x 5 s: about 24 s, writes up to 9 GiB" */
void plan_describe(const struct plan *p, struct buf *out);

#endif
