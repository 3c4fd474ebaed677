/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Judges what a figure measured; see trust.h. Sources of the rules: OpenZFS zfsprops(7), "direct"
 * (2.2 and before ignore O_DIRECT; from 2.3 on writes below the record size go through the ARC),
 * open(2) on O_DIRECT, tmpfs (no device), fuse (the server decides).
 */
#include "sthd/trust.h"

#include <stdarg.h>
#include <stdio.h>

#include "sthd/units.h"

static enum trust say(char reason[TRUST_REASON], enum trust t, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
static enum trust say(char reason[TRUST_REASON], enum trust t, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(reason, TRUST_REASON, fmt, ap);
    va_end(ap);
    return t;
}

/* Less than this says nothing about where bytes went. */
#define TRUST_BYTES_MIN (1024.0 * 1024)

unsigned trust_device_percent(double bytes, double device_bytes)
{
    double percent = bytes > 0 ? device_bytes / bytes * 100 : 0;

    return percent < 100 ? (unsigned)percent : 100;
}

enum direct_honoured trust_direct(bool asked, bool device_seen, double bytes, double device_bytes)
{
    if (!asked)
        return DIRECT_NOT_ASKED;
    if (!device_seen || bytes < TRUST_BYTES_MIN)
        return DIRECT_NOT_CHECKED;
    return trust_device_percent(bytes, device_bytes) >= 50 ? DIRECT_HONOURED : DIRECT_IGNORED;
}

/* From these shares on it was all of it, or nothing worth the name. */
#define PERCENT_ALL  90
#define PERCENT_NONE 10

static bool fits_in_ram(const struct trust_facts *f)
{
    return f->ram_bytes == 0 || f->size_bytes < f->ram_bytes;
}

/* What was seen, instead of what is to be expected. */
static enum trust judge_seen_read(const struct trust_facts *f, const char *cache,
                                  char reason[TRUST_REASON])
{
    if (f->device_percent >= PERCENT_ALL)
        return say(reason, TRUST_DEVICE, "through the %s, but the device read %u %% of the bytes",
                   cache, f->device_percent);
    if (f->device_percent < PERCENT_NONE)
        return say(reason, TRUST_CACHE,
                   "the device read only %u %% of the bytes: they came from the %s",
                   f->device_percent, cache);
    return say(reason, TRUST_CACHE,
               "in part: the device read %u %% of the bytes, the rest came from the %s",
               f->device_percent, cache);
}

static enum trust judge_buffered_read(const struct trust_facts *f, const char *cache,
                                      char reason[TRUST_REASON])
{
    char size[UNITS_TEXT], ram[UNITS_TEXT];

    if (f->cache == CACHE_FULL)
        return say(reason, TRUST_CACHE, "the whole file was in the %s before", cache);
    if (f->device_seen)
        return judge_seen_read(f, cache, reason);
    if (f->cache == CACHE_EMPTY)
        return say(reason, TRUST_DEVICE,
                   "through the page cache, which held nothing of the file before");
    units_size(size, f->size_bytes);
    units_size(ram, f->ram_bytes);
    if (f->ram_bytes == 0)
        return say(reason, TRUST_CACHE, "reads may come from the %s", cache);
    if (fits_in_ram(f))
        return say(reason, TRUST_CACHE, "the file (%s) fits in memory (%s): reads come from the %s",
                   size, ram, cache);
    return say(reason, TRUST_CACHE, "buffered: a part of the %s comes from the %s (memory %s)",
               size, cache, ram);
}

static enum trust judge_buffered_write(const struct trust_facts *f, const char *cache,
                                       char reason[TRUST_REASON])
{
    if (f->end_fsync)
        return say(reason, TRUST_CACHE,
                   "buffered: writes fill the %s, the fsync at the end flushes it", cache);
    return say(reason, TRUST_CACHE, "buffered: writes fill the %s", cache);
}

static enum trust judge_zfs(const struct trust_facts *f, char reason[TRUST_REASON])
{
    char record[UNITS_TEXT];
    bool known = f->zfs_major > 0;
    bool has_direct = f->zfs_major > 2 || (f->zfs_major == 2 && f->zfs_minor >= 3);

    if (f->direction == DIRECTION_WRITE && f->sync) {
        if (f->zfs_sync_disabled)
            return say(reason, TRUST_CACHE, "sync=disabled: these writes were never committed");
        return say(reason, TRUST_DEVICE, "every write waits for the intent log (ZIL or SLOG)");
    }
    if (f->direct == DIRECT_NOT_ASKED || (known && !has_direct)) {
        if (f->direction == DIRECTION_READ)
            return judge_buffered_read(f, "ARC", reason);
        if (f->direct != DIRECT_NOT_ASKED)
            return say(reason, TRUST_CACHE,
                       "OpenZFS %d.%d ignores O_DIRECT: writes go through the ARC", f->zfs_major,
                       f->zfs_minor);
        return judge_buffered_write(f, "ARC", reason);
    }
    if (!known)
        return say(reason, TRUST_UNKNOWN,
                   "the OpenZFS version is not known: O_DIRECT may be ignored");
    if (f->direction != DIRECTION_READ && f->zfs_recordsize > f->block_bytes)
        return say(reason, TRUST_CACHE,
                   "direct writes below the record size (%s) go through the ARC",
                   units_size(record, f->zfs_recordsize));
    if (f->direct == DIRECT_IGNORED && f->direction == DIRECTION_READ)
        return say(reason, TRUST_CACHE,
                   "direct I/O, but the devices read only %u %% of the bytes: they came from the "
                   "ARC",
                   f->device_percent);
    return say(reason, TRUST_DEVICE, "direct I/O, OpenZFS %d.%d%s", f->zfs_major, f->zfs_minor,
               f->direct == DIRECT_HONOURED ? ", seen on the devices' own counters" : "");
}

static enum trust judge_sync(const struct trust_facts *f, char reason[TRUST_REASON])
{
    if (f->device_seen && f->device_percent < PERCENT_NONE)
        return say(reason, TRUST_UNKNOWN,
                   "O_SYNC, but the device saw only %u %% of the bytes: something keeps them",
                   f->device_percent);
    return say(reason, TRUST_DEVICE, "every write waits for the device (O_SYNC)%s",
               f->device_seen ? ", seen on its counters" : "");
}

static enum trust judge_disk(const struct trust_facts *f, char reason[TRUST_REASON])
{
    switch (f->direct) {
    case DIRECT_HONOURED:
        return say(reason, TRUST_DEVICE, "direct I/O, seen on the device's own counters");
    case DIRECT_IGNORED:
        if (f->device_percent > 0)
            return say(reason, TRUST_CACHE,
                       "%s accepted O_DIRECT but the device saw only %u %% of the bytes", f->fstype,
                       f->device_percent);
        return say(reason, TRUST_CACHE, "%s accepted O_DIRECT but the device saw no I/O",
                   f->fstype);
    case DIRECT_NOT_CHECKED:
        return say(reason, TRUST_DEVICE, "direct I/O on %s; its device could not be watched",
                   f->fstype);
    case DIRECT_NOT_ASKED:
        break;
    }
    if (f->direction == DIRECTION_WRITE && f->sync)
        return judge_sync(f, reason);
    if (f->direction == DIRECTION_READ)
        return judge_buffered_read(f, "page cache", reason);
    return judge_buffered_write(f, "page cache", reason);
}

enum trust trust_judge(const struct trust_facts *f, char reason[TRUST_REASON])
{
    if (f->kind == TARGET_RAM)
        return say(reason, TRUST_RAM, "%s lives in memory: there is no disk in this", f->fstype);
    if (f->zeros && f->compression && f->direction != DIRECTION_READ)
        return say(reason, TRUST_COMPRESSED,
                   "zeros on a file system that compresses: hardly anything "
                   "reaches the device");
    switch (f->kind) {
    case TARGET_NETWORK:
        return say(reason, TRUST_NETWORK, "%s: the server, its caches and the network%s", f->fstype,
                   f->direct == DIRECT_NOT_ASKED && !f->sync ? ", and this machine's page cache"
                                                             : "");
    case TARGET_ZFS:
        return judge_zfs(f, reason);
    case TARGET_FUSE:
        return say(reason, TRUST_UNKNOWN,
                   "%s: its server decides whether O_DIRECT and O_SYNC count", f->fstype);
    case TARGET_OTHER:
        return say(reason, TRUST_UNKNOWN, "%s: not known what is below it", f->fstype);
    default:
        return judge_disk(f, reason);
    }
}

const char *trust_name(enum trust t)
{
    switch (t) {
    case TRUST_DEVICE:
        return "device";
    case TRUST_CACHE:
        return "cache";
    case TRUST_RAM:
        return "RAM";
    case TRUST_NETWORK:
        return "network";
    case TRUST_COMPRESSED:
        return "compressed";
    case TRUST_UNKNOWN:
        break;
    }
    return "unknown";
}
