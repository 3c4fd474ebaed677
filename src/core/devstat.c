/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The counters of block devices as numbers; see devstat.h. Where they come from is host's affair.
 */
#include "sthd/devstat.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define SECTOR 512u /* whatever the device's own sectors are */

/* Places in the line. Merges, discards and the sampled busy times are not for us. */
enum field {
    FIELD_READS = 0,
    FIELD_READ_SECTORS = 2,
    FIELD_READ_MS = 3,
    FIELD_WRITES = 4,
    FIELD_WRITE_SECTORS = 6,
    FIELD_WRITE_MS = 7,
    FIELD_IN_FLIGHT = 8,
    FIELDS_OLD = 11,
    FIELDS_DISCARD = 15,
    FIELD_FLUSHES = 15,
    FIELD_FLUSH_MS = 16,
    FIELDS_FLUSH = 17,
};

static size_t read_fields(const char *s, uint64_t fields[FIELDS_FLUSH])
{
    size_t n = 0;

    while (n < FIELDS_FLUSH) {
        char *end;
        s += strspn(s, " \t\n");
        if (*s < '0' || *s > '9')
            break;
        fields[n++] = strtoull(s, &end, 10);
        if (*end && !strchr(" \t\n", *end))
            return 0;
        s = end;
    }
    return n == FIELDS_FLUSH || *s == '\0' ? n : 0;
}

static uint64_t bytes_of(uint64_t sectors)
{
    uint64_t bytes;

    return __builtin_mul_overflow(sectors, (uint64_t)SECTOR, &bytes) ? UINT64_MAX : bytes;
}

int devstat_parse(struct devstat *out, const char *text)
{
    uint64_t f[FIELDS_FLUSH];
    size_t n = read_fields(text, f);

    memset(out, 0, sizeof(*out));
    if (n != FIELDS_OLD && n != FIELDS_DISCARD && n != FIELDS_FLUSH)
        return -EINVAL;
    out->read_ios = f[FIELD_READS];
    out->read_bytes = bytes_of(f[FIELD_READ_SECTORS]);
    out->read_ms = f[FIELD_READ_MS];
    out->write_ios = f[FIELD_WRITES];
    out->write_bytes = bytes_of(f[FIELD_WRITE_SECTORS]);
    out->write_ms = f[FIELD_WRITE_MS];
    out->in_flight = f[FIELD_IN_FLIGHT];
    out->has_flush = n == FIELDS_FLUSH;
    if (out->has_flush) {
        out->flush_ios = f[FIELD_FLUSHES];
        out->flush_ms = f[FIELD_FLUSH_MS];
    }
    return 0;
}

#define WRAP ((uint64_t)1 << 32)

static uint64_t counted(uint64_t before, uint64_t now)
{
    if (now >= before)
        return now - before;
    return before < WRAP && before >= WRAP / 2 ? now + (WRAP - before) : now;
}

void devstat_difference(struct devstat *out, const struct devstat *before,
                        const struct devstat *now)
{
    *out = (struct devstat){
        .read_ios = counted(before->read_ios, now->read_ios),
        .read_bytes = counted(before->read_bytes, now->read_bytes),
        .read_ms = counted(before->read_ms, now->read_ms),
        .write_ios = counted(before->write_ios, now->write_ios),
        .write_bytes = counted(before->write_bytes, now->write_bytes),
        .write_ms = counted(before->write_ms, now->write_ms),
        .flush_ios = counted(before->flush_ios, now->flush_ios),
        .flush_ms = counted(before->flush_ms, now->flush_ms),
        .in_flight = now->in_flight,
        .has_flush = before->has_flush && now->has_flush,
    };
}

void devstat_add(struct devstat *sum, const struct devstat *more)
{
    sum->read_ios += more->read_ios;
    sum->read_bytes += more->read_bytes;
    sum->read_ms += more->read_ms;
    sum->write_ios += more->write_ios;
    sum->write_bytes += more->write_bytes;
    sum->write_ms += more->write_ms;
    sum->flush_ios += more->flush_ios;
    sum->flush_ms += more->flush_ms;
    sum->in_flight += more->in_flight;
    sum->has_flush |= more->has_flush;
}
