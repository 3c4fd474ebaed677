/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef STHD_VERDICT_H
#define STHD_VERDICT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sthd/buf.h"
#include "sthd/profile.h"
#include "sthd/sample.h"
#include "sthd/target.h"
#include "sthd/waterfall.h"

/*
 * What a run says beyond its figures: findings, each with what was seen, why it matters and what to
 * do. Judged from facts that were established elsewhere. What is not known never makes a finding:
 * zeroed facts know nothing (0 is no size, no frequency and no ratio that there is; "" no name).
 */
enum fact { FACT_UNKNOWN, FACT_NO, FACT_YES };

#define VERDICT_NAME 64

/* The processors while a test ran. */
struct verdict_cpu {
    char governors[VERDICT_NAME]; /* "schedutil"; "performance x12, schedutil x4" */
    enum fact performance;        /* every policy's governor is "performance" */
    double now_hz, max_hz;        /* of the cores that worked; what they could do */
    char idle_state[16];          /* the deepest state of which there was something to see: "C6" */
    double idle_share;            /* of all processors' time in it, 0 .. 1 */
    double idle_exit_us;          /* to wake up from it; 0 unknown */
    enum fact limited;            /* a PM QoS limit keeps them out of it */
};

/* Throughput that fell while a test ran and did not come back. */
struct fall {
    double before, after; /* bytes/s; 0: none */
    double at_s;          /* after the begin */
    double bytes_until;   /* moved until then */
};

/* What ZFS did with the intent log while a test ran. */
struct verdict_zil {
    enum fact seen; /* FACT_YES: the kstats were read before and after */
    double commits;
    double indirect;                 /* log records that point to data in the pool */
    double records;                  /* of any kind */
    double slog_bytes, normal_bytes; /* written to log devices, to the pool */
};

struct verdict_test {
    char name[VERDICT_NAME]; /* "T1 write" */
    enum direction direction;
    enum pattern pattern;
    uint64_t block_bytes;
    unsigned threads, queue_depth;
    bool sync, end_fsync;
    enum fact direct_asked;   /* O_DIRECT */
    enum fact direct;         /* ... and honoured: no cache in between */
    enum fact compressible;   /* the data written */
    double iops, bytes_per_s; /* 0: no figure */
    struct waterfall waterfall;
    struct verdict_cpu cpu;
    struct verdict_zil zil;
    struct fall fall;
    double earlier_iops;   /* the user's own last result of this test on this target */
    char earlier_when[32]; /* "2026-11-30" */
};
#define VERDICT_TESTS (PROFILE_TESTS * DIRECTION_COUNT)

struct verdict_facts {
    enum target_kind kind;
    bool kind_known;
    char fstype[32];
    char device[VERDICT_NAME]; /* the one below, for sentences: "nvme0n1 (INTEL P1600X)" */
    uint64_t size_bytes;       /* of the bench file */
    uint64_t memory_bytes;     /* what may hold it: RAM, or what the ARC may grow to */
    uint64_t free_bytes;       /* of the pool or file system */
    enum fact rotational, volatile_cache; /* of the devices that writes wait for */
    enum fact encrypted;
    char encryption[VERDICT_NAME]; /* "LUKS", "aes-256-gcm" */
    enum fact atime;               /* every read is noted (not relatime) */
    enum fact compression;         /* by the file system */
    int zfs_major, zfs_minor;      /* 0 0 unknown */
    uint64_t zfs_record_bytes;
    enum fact zfs_sync_disabled, zfs_sync_always;
    enum fact zfs_log_throughput; /* logbias=throughput */
    enum fact zfs_log_device;     /* the pool has one */
    struct verdict_test tests[VERDICT_TESTS];
    size_t n_tests;
};

enum severity {
    SEVERITY_MEANING, /* the figures are not what the test's name promises */
    SEVERITY_LIMIT,   /* this is where the time goes */
    SEVERITY_HINT,    /* may cost something */
};

#define FINDING_TEXT 400
struct finding {
    const char *id; /* stable: "device-bound" */
    enum severity severity;
    char seen[FINDING_TEXT]; /* with the numbers; each a phrase or sentences, ASCII */
    char why[FINDING_TEXT];
    char advice[FINDING_TEXT]; /* what to do; "" nothing */
};
#define VERDICT_FINDINGS 24

struct verdict {
    struct finding items[VERDICT_FINDINGS]; /* the most telling first */
    size_t n;
};

/* One finding per rule at most: of the test that shows it best. */
void verdict_judge(struct verdict *v, const struct verdict_facts *f);
const char *severity_name(enum severity s); /* "meaning" "limit" "hint" */

/*
 * Looks for the one place after which throughput stayed at 0.7 of what it had been, or less:
 * medians of both sides, so that single stalls are none. False when there is no such place, or less
 * than 12 samples.
 */
bool fall_find(struct fall *out, const struct sample *samples, size_t n);

/* --- for verdict.c and its tests ---------------------------------------------------------------
 */

struct rule {
    const char *id;
    enum severity severity;
    bool per_test;
    /* How strongly it applies; 0: not at all. t is NULL unless per_test. */
    double (*applies)(const struct verdict_facts *f, const struct verdict_test *t);
    /* Fills seen, why and advice. */
    void (*say)(struct finding *out, const struct verdict_facts *f, const struct verdict_test *t);
};
/* In the order of their weight within a severity. */
extern const struct rule verdict_rules[];
extern const size_t verdict_n_rules;

#endif
