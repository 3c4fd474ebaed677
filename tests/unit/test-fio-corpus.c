/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The framer and the report reader on recorded output of seven versions of fio: as many documents
 * as another JSON reader found, and figures that agree with each other.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "sthd/fio_framer.h"
#include "sthd/fio_report.h"
#include "tap.h"

struct reading {
    unsigned documents, read, notes, lost;
    /* of all directions of all jobs in all documents */
    unsigned directions, with_bins, percentiles, wrong_percentiles, wrong_sums, wrong_rates;
    uint64_t hash; /* of all events, to compare ways of splitting */
    const char *version;
    unsigned wrong_version;
};

static void hash(struct reading *r, const char *s, size_t len)
{
    for (size_t i = 0; i < len; i++)
        r->hash = (r->hash ^ (unsigned char)s[i]) * 1099511628211u;
}

static void check_counters(struct reading *r, const struct counters *c)
{
    if (c->ios == COUNTER_ABSENT || c->ios == 0)
        return;
    r->directions++;
    /* fio's three ways to say how fast it was: rounding aside they are one. */
    if (!(c->iops > 0) || !(c->bw_bytes_per_s > 0) || c->runtime_ms == COUNTER_ABSENT)
        r->wrong_rates++;
    if (c->lat.n == 0)
        return;
    r->with_bins++;
    if (c->lat.total != c->ios) { /* fio read N and bins a few I/O apart: seen, rare */
        r->wrong_sums++;
        return;
    }
    for (size_t i = 0; i < c->n_percentiles; i++) {
        double bins = histogram_percentile(&c->lat, c->percentiles[i].percent / 100);
        r->percentiles++;
        if (bins != c->percentiles[i].ns) {
            r->wrong_percentiles++;
            tap_note("p%g: fio %g, bins %g", c->percentiles[i].percent, c->percentiles[i].ns, bins);
        }
    }
}

static void on_document(void *arg, const char *text, size_t len)
{
    struct reading *r = arg;
    struct report report;
    struct err e;

    r->documents++;
    hash(r, text, len);
    report_init(&report);
    err_clear(&e);
    if (fio_report_read(&report, text, len, &e) == 0) {
        r->read++;
        r->wrong_version +=
            strcmp(report.fio_version + 4, r->version) != 0 || report.timestamp_ms < 1700000000000;
        for (size_t i = 0; i < report.n_jobs; i++) {
            check_counters(r, &report.jobs[i].read);
            check_counters(r, &report.jobs[i].write);
        }
    } else if (!e.text[0]) {
        tap_ok(false, "a failure has a sentence");
    }
    report_done(&report);
}

static void on_note(void *arg, const char *text, size_t len)
{
    struct reading *r = arg;

    r->notes++;
    hash(r, text, len);
}

static void on_lost(void *arg, const char *why, size_t len)
{
    struct reading *r = arg;

    r->lost++;
    hash(r, why, strlen(why));
    hash(r, (const char *)&len, sizeof(len));
}

static struct reading read_stream(const char *bytes, size_t len, size_t split, const char *version)
{
    static const struct fio_framer_events events = {on_document, on_note, on_lost};
    struct reading r = {.version = version};
    struct fio_framer *f = fio_framer_new(&events, &r, FIO_FRAMER_MAX_DOCUMENT);

    for (size_t at = 0; at < len; at += split)
        fio_framer_feed(f, bytes + at, len - at < split ? len - at : split);
    fio_framer_end(f);
    fio_framer_free(f);
    return r;
}

static char *load(const char *version, const char *name, size_t *len)
{
    const char *dir = getenv("STHD_FIXTURES");
    char path[512], fixture[400];
    struct stat st;

    snprintf(fixture, sizeof(fixture), "fio/%s/%s.stdout", version, name);
    snprintf(path, sizeof(path), "%s/%s", dir ? dir : "tests/fixtures", fixture);
    if (stat(path, &st) < 0)
        snprintf(fixture, sizeof(fixture), "fio/%s/%s.stdout.xz", version, name);
    return tap_fixture(fixture, len);
}

/* One line per case; what is wrong with it is told in notes. */
static bool is(bool right, const char *what, unsigned got)
{
    if (!right)
        tap_note("%s: %u", what, got);
    return right;
}

static bool right_documents(const struct reading *r, unsigned documents, const char *flags)
{
    /* A raw tab or newline in a name is invalid JSON; ours reads it, and loses no figure. */
    unsigned expected = strchr(flags, 'B') ? 1 : documents;
    bool right = is(r->read == expected, "documents read", r->read);

    right &= is(r->documents == r->read, "documents framed", r->documents);
    right &= is(r->wrong_version == 0, "with a wrong version or time", r->wrong_version);
    if (flags[0] == '?')
        return right;
    right &= is((r->notes > 0) == (strchr(flags, 'T') != NULL), "lines of text", r->notes);
    return right & is(r->lost == (strchr(flags, 'X') != NULL), "documents lost", r->lost);
}

static bool right_figures(const struct reading *r, const char *name)
{
    /* A killed worker leaves counts, and no rates. */
    bool killed = strcmp(name, "sigkill_worker") == 0;
    bool right = is((r->wrong_rates > 0) == killed, "without a rate", r->wrong_rates);

    if (!strstr(name, "jsonplus"))
        return right;
    right &= is(r->percentiles > 0 && r->with_bins == r->directions, "with bins", r->with_bins);
    right &= is(r->wrong_sums <= 1, "where N is not the sum of the bins", r->wrong_sums);
    return right & is(r->wrong_percentiles == 0, "percentiles not fio's", r->wrong_percentiles);
}

static void check_case(const char *version, const char *name, unsigned documents, const char *flags)
{
    static const size_t splits[] = {1, 7, 4096};
    size_t len;
    char *text = load(version, name, &len);
    struct reading r = read_stream(text, len, SIZE_MAX, version);
    bool right = right_documents(&r, documents, flags);

    right &= right_figures(&r, name);
    for (size_t i = 0; i < sizeof(splits) / sizeof(splits[0]); i++) {
        struct reading split = read_stream(text, len, splits[i], version);
        right &= is(split.hash == r.hash && split.read == r.read, "differs in pieces of",
                    (unsigned)splits[i]);
    }
    tap_ok(right, "%s/%s: %u documents, %u directions with I/O, %u percentiles from bins", version,
           name, documents, r.directions, r.percentiles);
    free(text);
}

static void check_version(const char *version)
{
    char name[64];
    size_t len;

    snprintf(name, sizeof(name), "fio/%s/cases.tsv", version);
    char *table = tap_fixture(name, &len), *save = NULL;
    unsigned cases = 0;
    for (char *line = strtok_r(table, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
        char id[64], flags[8];
        unsigned documents;
        if (sscanf(line, "%63[^\t#]\t%u\t%7[^\t]", id, &documents, flags) == 3) {
            check_case(version, id, documents, flags);
            cases++;
        }
    }
    tap_ok(cases >= 70, "%s: %u cases", version, cases);
    free(table);
}

int main(void)
{
    static const char *const versions[] = {"2.21", "3.1", "3.16", "3.25", "3.28", "3.33", "3.42"};

    for (size_t i = 0; i < sizeof(versions) / sizeof(versions[0]); i++)
        check_version(versions[i]);
    return tap_done();
}
