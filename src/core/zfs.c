/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ZFS: properties, kstats of the intent log; see zfs.h. Takes any text. */
#include "sthd/zfs.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sthd/text.h"
#include "sthd/units.h"

bool zfs_version_parse(const char *text, int *major, int *minor)
{
    int a, b;

    *major = *minor = 0;
    if (text_starts(text, "zfs-"))
        text += strlen("zfs-");
    if (!isdigit((unsigned char)*text) || sscanf(text, "%4d.%4d", &a, &b) != 2 || b < 0)
        return false;
    /* 2.2.99 is what became 2.3: TrueNAS 24.10 has it */
    const char *patch = strchr(strchr(text, '.') + 1, '.');
    if (patch && atoi(patch + 1) == 99)
        b++;
    *major = a;
    *minor = b;
    return a > 0 || b > 0;
}

/* ---- properties ---- */

static bool is_on(const char *value)
{
    return strcmp(value, "off") != 0 && strcmp(value, "-") != 0 && strcmp(value, "none") != 0 &&
           *value;
}

static void keep_word(char *out, size_t size, const char *value)
{
    if (is_on(value))
        snprintf(out, size, "%.*s", (int)size - 1, value);
    else
        out[0] = '\0';
}

static void take_property(struct zfs_properties *p, const char *name, const char *value,
                          bool *relative)
{
    if (strcmp(name, "sync") == 0) {
        p->sync_disabled = strcmp(value, "disabled") == 0;
        p->sync_always = strcmp(value, "always") == 0;
        p->known = true;
    } else if (strcmp(name, "logbias") == 0) {
        p->log_throughput = strcmp(value, "throughput") == 0;
    } else if (strcmp(name, "recordsize") == 0) {
        p->record_bytes = strtoull(value, NULL, 10);
    } else if (strcmp(name, "special_small_blocks") == 0) {
        p->special_bytes = strtoull(value, NULL, 10);
    } else if (strcmp(name, "compression") == 0) {
        keep_word(p->compression, sizeof(p->compression), value);
    } else if (strcmp(name, "encryption") == 0) {
        keep_word(p->encryption, sizeof(p->encryption), value);
    } else if (strcmp(name, "atime") == 0) {
        p->atime = is_on(value);
    } else if (strcmp(name, "relatime") == 0) {
        *relative = is_on(value);
    } else if (strcmp(name, "dedup") == 0) {
        p->dedup = is_on(value);
    } else if (strcmp(name, "primarycache") == 0) {
        snprintf(p->primarycache, sizeof(p->primarycache), "%.15s", value);
    } else if (strcmp(name, "direct") == 0) {
        snprintf(p->direct, sizeof(p->direct), "%.15s", value);
    }
}

void zfs_properties_parse(struct zfs_properties *p, const char *text)
{
    bool relative = false;

    while (*text) {
        char name[64], value[128];
        size_t n = strcspn(text, "\n"), tab = strcspn(text, "\t");
        if (tab < n && tab < sizeof(name)) {
            size_t len = strcspn(text + tab + 1, "\t\n");
            snprintf(name, sizeof(name), "%.*s", (int)tab, text);
            snprintf(value, sizeof(value), "%.*s", (int)(len < 127 ? len : 127), text + tab + 1);
            take_property(p, name, value, &relative);
        }
        text += n + (text[n] != '\0');
    }
    p->atime &= !relative;
}

/* ---- kstats ---- */

/*
 * Two lines of head, then "name type data", the name 31 wide. Finds the value of a name; NULL:
 * none.
 */
static const char *find_value(const char *text, const char *name)
{
    size_t n = strlen(name);

    for (const char *line = text; *line;) {
        size_t len = strcspn(line, "\n");
        if (len > n && strncmp(line, name, n) == 0 && line[n] == ' ') {
            const char *at = line + n + strspn(line + n, " ");
            at += strspn(at, "0123456789"); /* the type */
            if (*at == ' ')
                return at + strspn(at, " ");
        }
        line += len + (line[len] != '\0');
    }
    return NULL;
}

static bool take_count(const char *text, const char *name, uint64_t *out)
{
    const char *value = find_value(text, name);

    *out = 0;
    if (!value || !isdigit((unsigned char)*value))
        return false;
    *out = strtoull(value, NULL, 10);
    return true;
}

uint64_t arc_limit_parse(const char *text)
{
    uint64_t bytes;

    return take_count(text, "c_max", &bytes) ? bytes : 0;
}

bool zil_parse(struct zil *out, const char *text)
{
    memset(out, 0, sizeof(*out));
    out->known = take_count(text, "zil_commit_count", &out->commits) &&
                 take_count(text, "zil_itx_count", &out->records) &&
                 take_count(text, "zil_itx_indirect_count", &out->indirect) &&
                 take_count(text, "zil_itx_metaslab_slog_count", &out->slog_count) &&
                 take_count(text, "zil_itx_metaslab_slog_bytes", &out->slog_bytes) &&
                 take_count(text, "zil_itx_metaslab_normal_count", &out->pool_count) &&
                 take_count(text, "zil_itx_metaslab_normal_bytes", &out->pool_bytes);
    if (!out->known)
        memset(out, 0, sizeof(*out));
    return out->known;
}

bool zil_dataset(const char *text, char out[ZFS_NAME])
{
    const char *value = find_value(text, "dataset_name");
    size_t n = value ? strcspn(value, "\n") : 0;

    if (n == 0 || n >= ZFS_NAME)
        return false;
    memcpy(out, value, n);
    out[n] = '\0';
    return true;
}

static uint64_t counted(uint64_t before, uint64_t now)
{
    return now >= before ? now - before : now; /* a pool that was imported anew */
}

void zil_difference(struct zil *out, const struct zil *before, const struct zil *now)
{
    *out = (struct zil){
        .known = before->known && now->known,
        .commits = counted(before->commits, now->commits),
        .records = counted(before->records, now->records),
        .indirect = counted(before->indirect, now->indirect),
        .slog_count = counted(before->slog_count, now->slog_count),
        .slog_bytes = counted(before->slog_bytes, now->slog_bytes),
        .pool_count = counted(before->pool_count, now->pool_count),
        .pool_bytes = counted(before->pool_bytes, now->pool_bytes),
    };
    if (!out->known)
        memset(out, 0, sizeof(*out));
}

void zil_add(struct zil *sum, const struct zil *more)
{
    sum->known |= more->known;
    sum->commits += more->commits;
    sum->records += more->records;
    sum->indirect += more->indirect;
    sum->slog_count += more->slog_count;
    sum->slog_bytes += more->slog_bytes;
    sum->pool_count += more->pool_count;
    sum->pool_bytes += more->pool_bytes;
}

/* Nine of ten are as good as all: other datasets write to the log as well. */
static bool is_most(uint64_t part, uint64_t other)
{
    return part > 0 && part / 9 >= other;
}

enum zil_use zil_use(const struct zil *z)
{
    if (!z->known)
        return ZIL_UNKNOWN;
    if (z->commits == 0 || z->records == 0 || z->slog_count + z->pool_count == 0)
        return ZIL_UNUSED;
    if (z->indirect > z->records / 2)
        return ZIL_INDIRECT;
    if (is_most(z->slog_count, z->pool_count))
        return ZIL_SLOG;
    return is_most(z->pool_count, z->slog_count) ? ZIL_POOL : ZIL_MIXED;
}

static unsigned percent(uint64_t part, uint64_t whole)
{
    return whole ? (unsigned)((double)part / (double)whole * 100) : 0;
}

void zil_sentence(const struct zil *z, struct buf *out)
{
    char n[UNITS_TEXT];

    switch (zil_use(z)) {
    case ZIL_UNKNOWN:
        return;
    case ZIL_UNUSED:
        buf_adds(out, "nothing was written to the intent log: no commit reached it");
        return;
    case ZIL_INDIRECT:
        buf_addf(out,
                 "%u %% of the log records only point at data that was written to the pool: log "
                 "devices were bypassed",
                 percent(z->indirect, z->records));
        return;
    case ZIL_SLOG:
        buf_addf(out, "%s commits, and log devices took %u %% of the log blocks",
                 units_iops(n, (double)z->commits),
                 percent(z->slog_count, z->slog_count + z->pool_count));
        return;
    case ZIL_POOL:
        buf_addf(out, "%s commits, and the pool's own devices took %u %% of the log blocks",
                 units_iops(n, (double)z->commits),
                 percent(z->pool_count, z->slog_count + z->pool_count));
        return;
    case ZIL_MIXED:
        break;
    }
    buf_addf(out, "%s commits; log devices took %u %% of the log blocks, the pool's own the rest",
             units_iops(n, (double)z->commits),
             percent(z->slog_count, z->slog_count + z->pool_count));
}
