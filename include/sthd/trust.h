/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef STHD_TRUST_H
#define STHD_TRUST_H

#include <stdbool.h>
#include <stdint.h>

#include "sthd/profile.h"
#include "sthd/target.h"

/*
 * What a figure really measured, with the reason. A judgement from facts that were established
 * elsewhere; where the facts do not decide, it says unknown.
 */
enum trust {
    TRUST_UNKNOWN,
    TRUST_DEVICE,     /* the device, or what stands for one below the file system */
    TRUST_CACHE,      /* page cache or ARC, at least in part */
    TRUST_RAM,        /* a file system in memory */
    TRUST_NETWORK,    /* a server and the way to it */
    TRUST_COMPRESSED, /* data that was made smaller on its way */
};

enum direct_honoured {
    DIRECT_NOT_ASKED,   /* buffered I/O */
    DIRECT_HONOURED,    /* seen on the block device's own counters */
    DIRECT_IGNORED,     /* accepted, but the data came from or went to memory */
    DIRECT_NOT_CHECKED, /* nothing could be seen: open() succeeding proves nothing */
};

/* How much of the bench file the page cache held when a read of it began. */
enum cache_before { CACHE_NOT_SEEN, CACHE_EMPTY, CACHE_PART, CACHE_FULL };

struct trust_facts {
    enum target_kind kind;
    const char *fstype; /* "ext4" */
    enum direction direction;
    bool sync; /* every write O_SYNC */
    bool end_fsync;
    enum direct_honoured direct;
    enum cache_before cache;  /* of a read */
    bool device_seen;         /* the devices' counters were watched meanwhile */
    unsigned device_percent;  /* of the bytes that the device moved too; 100 at most */
    uint64_t size_bytes;      /* bench file */
    uint64_t ram_bytes;       /* 0 unknown */
    int zfs_major, zfs_minor; /* 0 0 unknown */
    uint64_t zfs_recordsize;  /* 0 unknown */
    uint64_t block_bytes;
    bool zfs_sync_disabled; /* sync=disabled: a sync write is none */
    bool zeros;             /* the data is all zeros, as dd's from /dev/zero */
    bool compression;       /* the file system compresses */
};

#define TRUST_REASON 160

/*
 * Whether direct I/O was direct, from what fio moved and what the device moved meanwhile. Other
 * programs' I/O is among the device's, so "honoured" is as good as the device was idle.
 */
enum direct_honoured trust_direct(bool asked, bool device_seen, double bytes, double device_bytes);
unsigned trust_device_percent(double bytes, double device_bytes);

/* Returns the judgement and writes one phrase (no full stop) that gives its reason. */
enum trust trust_judge(const struct trust_facts *f, char reason[TRUST_REASON]);
const char *trust_name(enum trust t); /* "device" "cache" "RAM" "network" "compressed" "unknown" */

#endif
