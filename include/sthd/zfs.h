/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef STHD_ZFS_H
#define STHD_ZFS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sthd/buf.h"
#include "sthd/err.h"
#include "sthd/stack.h"

/*
 * What ZFS says of itself, from text to numbers: the programs' output and the kernel's kstats.
 * Pure; the texts come from elsewhere. Sources: OpenZFS 0.8 to 2.4, module/zfs/zil.c,
 * dataset_kstats.c, cmd/zpool/zpool_main.c, zfsprops(7).
 */

#define ZFS_NAME 264 /* a dataset's name has at most 255 bytes */

/* "2.3.3-1", "zfs-2.2.99-1", as /sys/module/zfs/version has it. False: no version. */
bool zfs_version_parse(const char *text, int *major, int *minor);

/* ---- a dataset's properties ---- */

struct zfs_properties {
    bool known; /* what follows is as ZFS said it; else all of it is zero */
    bool sync_disabled, sync_always;
    bool log_throughput; /* logbias=throughput */
    bool atime;          /* and not relatime */
    bool dedup;
    uint64_t record_bytes;
    uint64_t special_bytes;               /* special_small_blocks */
    char compression[24], encryption[24]; /* "" off */
    char primarycache[16], direct[16];    /* "all"; "standard"; "" not known */
};

/*
 * Reads lines of "zfs get -Hp -o property,value ...", in any order, beside what is known already:
 * asked twice (older versions do not know "direct"), it adds up. Other properties are passed by.
 */
void zfs_properties_parse(struct zfs_properties *p, const char *text);

/* What is known of the file system that is measured, when it is a dataset. */
struct zfs_facts {
    char dataset[ZFS_NAME], pool[ZFS_NAME]; /* "" it is none */
    int major, minor;                       /* of OpenZFS; 0 0 not known */
    struct zfs_properties properties;
    uint64_t arc_bytes; /* what the ARC may grow to; 0 not known */
    bool pool_known;    /* its devices are in the stack */
    char pool_state[24];
    char problem[160]; /* a phrase: why something is not known; "" */
};

/* ---- a pool's devices ---- */

struct vdev {
    char name[ZFS_NAME]; /* "mirror-0"; of a device its path or name */
    size_t parent;       /* index, smaller than its own; STACK_NONE: right below the pool */
    enum layer_duty duty;
    bool group; /* it has others below it */
};

struct zpool {
    char name[ZFS_NAME];
    char state[24]; /* "ONLINE", "DEGRADED" */
    struct vdev *vdevs;
    size_t n;
};

/*
 * The first pool in the output of "zpool status -LP POOL" (any version) or "zpool status -jP
 * --json-int POOL" (2.3 and later). -EINVAL with a sentence when there is none in it; out is then
 * empty.
 */
int zpool_status_parse(struct zpool *out, const char *text, struct err *e);
void zpool_done(struct zpool *p);

/* ---- the intent log ---- */

struct zil { /* cumulative, or of an interval */
    bool known;
    uint64_t commits;
    uint64_t records;                /* of any kind */
    uint64_t indirect;               /* records that only point at data written to the pool */
    uint64_t slog_count, slog_bytes; /* log blocks on log devices */
    uint64_t pool_count, pool_bytes; /* log blocks on the pool's own devices */
};

/* What the ARC may grow to, from the kstat arcstats; 0: it does not say. */
uint64_t arc_limit_parse(const char *text);

/* A kstat of the intent log: of a dataset (2.2 and later) or of all. False: it is not one. */
bool zil_parse(struct zil *out, const char *text);
/* The dataset that an objset kstat is of, into out; false: none. */
bool zil_dataset(const char *text, char out[ZFS_NAME]);
void zil_difference(struct zil *out, const struct zil *before, const struct zil *now);
void zil_add(struct zil *sum, const struct zil *more); /* known when one of them is */

enum zil_use {
    ZIL_UNKNOWN,
    ZIL_UNUSED,   /* nothing was committed */
    ZIL_SLOG,     /* log devices took it */
    ZIL_POOL,     /* the pool's own devices did */
    ZIL_INDIRECT, /* data went to the pool, the log only points at it: log devices are bypassed */
    ZIL_MIXED,
};
enum zil_use zil_use(const struct zil *difference);
/* "the log devices took 99 % of 12 000 commits' log", and so on; empty when not known. */
void zil_sentence(const struct zil *difference, struct buf *out);

#endif
