/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef STHD_PROFILE_H
#define STHD_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sthd/err.h"

/* What is measured: profiles, their tests, and the words for engines and I/O modes. Data only. */

enum direction { DIRECTION_READ, DIRECTION_WRITE, DIRECTION_MIX };
#define DIRECTION_COUNT 3

enum pattern { PATTERN_SEQ, PATTERN_RND };
#define PATTERN_COUNT 2

enum engine {
    ENGINE_AUTO, /* the first that works on the target, in the order below */
    ENGINE_IO_URING,
    ENGINE_LIBAIO,
    ENGINE_POSIXAIO,
    ENGINE_SYNC,
    ENGINE_PSYNC,
};
#define ENGINE_COUNT 6

#define PROFILE_BLOCK_MIN   512u
#define PROFILE_BLOCK_MAX   ((uint64_t)64 << 20)
#define PROFILE_DEPTH_MAX   4096u
#define PROFILE_THREADS_MAX 256u

/* What does the work of a test. */
enum tool { TOOL_FIO, TOOL_DD };
#define TOOL_COUNT 2

/* How the runs of a cell become its one figure; run_combine() says it exactly. */
enum combine {
    COMBINE_BEST,   /* the highest throughput, and the lowest mean latency, each for itself */
    COMBINE_MEDIAN, /* the run of median throughput, with everything that is its */
};
#define COMBINE_COUNT 2

#define PROFILE_LOOPS_MAX    99u
#define PROFILE_RUNTIME_MAX  86400u
#define PROFILE_EXTENT_MAX   ((uint64_t)1 << 60)
#define PROFILE_PAUSE_MAX    3600u /* s */
#define PROFILE_INTERVAL_MIN 50u   /* ms */
#define PROFILE_INTERVAL_MAX 10000u

enum io_mode { IO_AUTO, IO_DIRECT, IO_BUFFERED };
#define IO_MODE_COUNT 3

enum profile_view {
    VIEW_CDM,    /* rows of read and write cells */
    VIEW_SLOG,   /* commit latency per number of threads */
    VIEW_MIX,    /* mixes: reads and writes apart, with all percentiles */
    VIEW_CURVE,  /* as VIEW_CDM, with throughput over the rows as a curve */
    VIEW_COURSE, /* as VIEW_CDM, with throughput over the amount, and its knees */
    VIEW_TIMES,  /* as VIEW_CDM, with mean times beside rates: seeks */
    VIEW_ALIGN,  /* latency by block size and offset: a heat table */
    VIEW_FILES,  /* rates with the CPU's share: one table of data, one of files */
    VIEW_PINGS,  /* requests one by one */
    VIEW_WATCH,  /* one test over time, with what was changed meanwhile */
};
#define VIEW_COUNT 10

#define TEST_NAME_MAX 24
#define PROFILE_TESTS 64

/*
 * What a test does over and over. All but the first are on many small files with names, in a
 * directory of our own that is removed afterwards, and need nothing of the bench file.
 */
enum work { WORK_DATA, WORK_CREATE, WORK_STAT, WORK_DELETE };
#define WORK_COUNT 4

#define PROFILE_FILES_MAX 1000000u
#define PROFILE_RATE_MAX  10000000u
#define PROFILE_FSYNC_MAX 1000000000u

struct test {
    char name[TEST_NAME_MAX]; /* "SEQ1M Q8T1", "T16" */
    enum pattern pattern;
    uint64_t block_bytes;
    unsigned queue_depth; /* per thread */
    unsigned threads;
    unsigned directions; /* bit 1u << enum direction; measured in that order */
    bool sync;           /* every write O_SYNC: a commit */
    bool end_fsync;      /* writes end with fsync(2), and fio counts it in their runtime */
    enum engine engine;  /* ENGINE_AUTO: the user's; else prescribed, never overridden silently */
    enum io_mode io;     /* IO_AUTO: the user's; else prescribed */
    enum tool tool;
    bool cached;          /* reads: from the page cache, which dd fills (unmeasured) before, and
                             fio with its first pass */
    bool whole_file;      /* ends with the file (once from its beginning to its end), not by time */
    unsigned mix_percent; /* share of reads in its mix, 1 .. 99; 0: the user's, or the default */
    uint32_t fsync_every; /* fsync(2) after each so many writes; 0: none */
    uint32_t rate_iops;   /* begins so many requests a second and thread; 0: as fast as it goes */
    uint64_t offset_bytes;    /* where in the file it begins: everything is counted from there on */
    uint64_t region_bytes;    /* how much of the file from there on it touches; 0: to the end */
    unsigned offset_permille; /* instead of bytes: where in the file, 0 .. 1000 */
    unsigned region_permille; /* instead of bytes: how much of the whole file; 0: by bytes */
    uint64_t skip_bytes;      /* sequential: the next block is so far from the last one's end */
    bool skip_back;           /* ... towards the beginning */
    unsigned stride_permille; /* from one block to the next, in shares of the file; 1000: from its
                                 first to its last block and back. 0: skip_bytes */
    uint64_t io_bytes;        /* ends after so many bytes, and not by time; 0: by time */
    enum work work;
    uint32_t files; /* how many small ones, of block_bytes each; 0 with WORK_DATA */
};

struct profile {
    char name[16];  /* "cdm" */
    char title[48]; /* "CDM: CrystalDiskMark 7's default", for menus */
    char note[200]; /* one line below the table: what it is comparable with */
    enum profile_view view;
    bool by_direction;    /* all reads, then all writes, then all mixes; else row by row */
    bool endless;         /* its one test runs until it is stopped, unless a runtime was given */
    bool warmup;          /* one unmeasured run before each measured test */
    unsigned loops;       /* measured runs per cell, 1 .. PROFILE_LOOPS_MAX */
    enum combine combine; /* how they become one figure */
    uint32_t runtime_s;   /* of a measured run; 0: none of its own, the program's default */
    uint32_t pause_s;     /* between tests */
    uint32_t interval_ms; /* between reports; 0: none of its own, the program's default */
    uint64_t size_bytes;  /* of the bench file; 0: none of its own, the program's default */
    bool wears;           /* it writes so much that one asks twice */
    bool foreign;         /* its tests say less than what they do: a job file's */
    bool unprepared;      /* the file is not written before: its first writes are measured */
    size_t n_tests;
    struct test tests[PROFILE_TESTS];
};

size_t profile_count(void);
const struct profile *profile_at(size_t i);
/* NULL if there is none of that name. */
const struct profile *profile_find(const char *name);
/* Whether the cell can be watched: fio's work, and bounded by time alone. */
bool profile_can_watch(const struct profile *p, size_t test, enum direction d);
/* Makes the profile that watches one cell of another; profile_can_watch must hold. */
void profile_watch(struct profile *out, const struct profile *of, size_t test, enum direction d);
/*
 * "PROFILE:TEST[:DIRECTION]", such as slog:T4 or "cdm:RND4K Q1T1:read"; in any case, and blanks may
 * be left out or be '-'. Without a direction the test's first one. -EINVAL with a sentence that
 * names the choices, EXIT_CODE_USAGE.
 */
int profile_watch_parse(struct profile *out, const char *word, struct err *e);
/*
 * Invariants of a profile: names, ranges, a direction each, sync only with writes, depth only with
 * an engine that has one. -EINVAL with a sentence, EXIT_CODE_CONFIG.
 */
int profile_check(const struct profile *p, struct err *e);

const char *direction_name(enum direction d); /* "read" "write" "mix" */
const char *engine_name(enum engine e);       /* fio's own name; "auto" */
/* fio's name or "auto", in any case. -EINVAL with a sentence, EXIT_CODE_USAGE. */
int engine_parse(const char *s, enum engine *out, struct err *e);
/* Whether the engine keeps more than one request in flight, so that depth means something. */
bool engine_is_async(enum engine e);
const char *tool_name(enum tool t);       /* "fio" "dd" */
const char *combine_name(enum combine c); /* "best" "median" */
/* In any case. -EINVAL with a sentence, EXIT_CODE_USAGE. */
int combine_parse(const char *s, enum combine *out, struct err *e);
const char *
profile_view_name(enum profile_view v);   /* "table" "commits" "mix" "curve" "course"
                                             "times" "alignment" "files" "requests" "watch" */
const char *work_name(enum work w);       /* "data" "create" "stat" "delete" */
const char *pattern_name(enum pattern p); /* "seq" "rnd" */
/* Whether a step of the test ends by itself, by what it did: it has no runtime then. */
bool test_is_bound(const struct test *t);
/* Whether every test is dd's: then there is no need of fio. */
bool profile_is_dd(const struct profile *p);
const char *io_mode_name(enum io_mode m); /* "auto" "direct" "buffered" */

#endif
