/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One fio document into a struct report; see fio_report.h. Promises: what fio did not say is
 * absent, and nothing it says (a count below zero, an infinity, a million jobs) gets past the range
 * checks. The JSON tree lives and dies here; this is the only file of this room that knows it.
 *
 * What differs between versions, and all that differs here: before 2.99 latencies are in "clat",
 * in microseconds; before 3.2 there is no bw_bytes, only bw in KiB/s; before 3.18 the latency has
 * no N, and a direction without I/O has percentiles that are all 0.
 */
#include "sthd/fio_report.h"

#include <cJSON.h>
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sthd/mem.h"

/* fio's own limit (REAL_MAX_JOBS): more is not a report. */
#define JOBS_MAX 4096

/* Beyond this a double is not exact, and no counter of fio's gets there. */
#define COUNT_MAX 9007199254740992.0

/* Nor does anything else get here, in any unit; squares and sums of such numbers stay finite. */
#define NUMBER_MAX 1e18

static const cJSON *get(const cJSON *object, const char *key)
{
    return cJSON_GetObjectItemCaseSensitive(object, key);
}

/* A number 0 .. NUMBER_MAX, else NAN. */
static double number(const cJSON *v)
{
    bool good = cJSON_IsNumber(v) && v->valuedouble >= 0 && v->valuedouble <= NUMBER_MAX;

    return good ? v->valuedouble : NAN;
}

static uint64_t count(const cJSON *v)
{
    double d = number(v);

    return isnan(d) || d > COUNT_MAX ? COUNTER_ABSENT : (uint64_t)d;
}

/*
 * A copy that is safe to show: printable ASCII, the rest as '?'. Names in reports are ours and the
 * version is fio's, so anything else is damage, not a language.
 */
static void copy_text(char *to, size_t size, const cJSON *v)
{
    const char *from = cJSON_IsString(v) ? v->valuestring : "";
    size_t n = 0;

    for (; from[n] && n + 1 < size; n++)
        to[n] = from[n] >= ' ' && from[n] <= '~' ? from[n] : '?';
    to[n] = '\0';
}

/* A key that is a number, "99.900000" or "7438336"; NAN if it is not, or not above 0. */
static double key_number(const cJSON *v)
{
    char *end;

    if (!v->string || !v->string[0])
        return NAN;
    double d = strtod(v->string, &end);
    return *end == '\0' && isfinite(d) && d > 0 ? d : NAN;
}

static void read_percentiles(struct counters *c, const cJSON *list, double unit_ns)
{
    const cJSON *v;

    cJSON_ArrayForEach(v, list)
    {
        double percent = key_number(v), value = number(v);
        /* Up to 3.1 unused places are printed too: as "0.00". */
        if (isnan(percent) || percent > 100 || isnan(value))
            continue;
        if (c->n_percentiles == PERCENTILES_MAX)
            break;
        c->percentiles[c->n_percentiles++] = (struct percentile){percent, value * unit_ns};
    }
}

static void read_bins(struct histogram *h, const cJSON *bins, double unit_ns)
{
    const cJSON *v;

    cJSON_ArrayForEach(v, bins)
    {
        /* Bin "0" is real: an I/O that took less than one unit. */
        double key = v->string && strcmp(v->string, "0") == 0 ? 0 : key_number(v);
        uint64_t n = count(v);
        if (isnan(key) || key * unit_ns > COUNT_MAX || n == COUNTER_ABSENT)
            continue;
        histogram_add(h, (uint64_t)(key * unit_ns), n);
    }
}

static void read_latency(struct counters *c, const cJSON *clat, double unit_ns)
{
    c->ios = count(get(clat, "N"));
    read_bins(&c->lat, get(clat, "bins"), unit_ns);
    if (c->ios == COUNTER_ABSENT && c->lat.total)
        c->ios = c->lat.total;
    if (c->ios == COUNTER_ABSENT) /* issued ones may all have failed: those moved no byte */
        c->ios = c->io_bytes == 0 ? 0 : c->ios_issued;
    if (c->ios == 0 || c->ios == COUNTER_ABSENT) { /* nothing completed: these zeros mean nothing */
        histogram_clear(&c->lat);
        return;
    }
    c->lat_mean_ns = number(get(clat, "mean")) * unit_ns;
    c->lat_min_ns = number(get(clat, "min")) * unit_ns;
    c->lat_max_ns = number(get(clat, "max")) * unit_ns;
    c->lat_stddev_ns = number(get(clat, "stddev")) * unit_ns;
    read_percentiles(c, get(clat, "percentile"), unit_ns);
}

static void read_direction(struct counters *c, const cJSON *d)
{
    c->ios_issued = count(get(d, "total_ios"));
    c->io_bytes = count(get(d, "io_bytes"));
    c->runtime_ms = count(get(d, "runtime"));
    c->iops = number(get(d, "iops"));
    c->bw_bytes_per_s = number(get(d, "bw_bytes"));
    if (isnan(c->bw_bytes_per_s))
        c->bw_bytes_per_s = number(get(d, "bw")) * 1024;
    const cJSON *clat = get(d, "clat_ns");
    if (clat)
        read_latency(c, clat, 1);
    else
        read_latency(c, get(d, "clat"), 1000);
}

static void read_job(struct job_report *j, const cJSON *job)
{
    *j = (struct job_report){.name = ""};
    counters_init(&j->read);
    counters_init(&j->write);
    copy_text(j->name, sizeof(j->name), get(job, "jobname"));
    uint64_t error = count(get(job, "error"));
    j->error = error <= INT32_MAX ? (int)error : 0;
    j->usr_cpu = number(get(job, "usr_cpu"));
    j->sys_cpu = number(get(job, "sys_cpu"));
    if (cJSON_IsObject(get(job, "read")))
        read_direction(&j->read, get(job, "read"));
    if (cJSON_IsObject(get(job, "write")))
        read_direction(&j->write, get(job, "write"));
}

static int read_jobs(struct report *r, const cJSON *jobs, struct err *e)
{
    int n = cJSON_GetArraySize(jobs);
    const cJSON *job;

    if (n > JOBS_MAX)
        return err_set(e, EXIT_CODE_TEST_FAILED, EINVAL,
                       "fio's report has %d jobs; it can have %d at the most, so it is damaged.", n,
                       JOBS_MAX);
    r->jobs = mem_zalloc((size_t)n * sizeof(*r->jobs));
    cJSON_ArrayForEach(job, jobs)
    {
        if (cJSON_IsObject(job))
            read_job(&r->jobs[r->n_jobs++], job);
    }
    return 0;
}

static int read_root(struct report *r, const cJSON *root, struct err *e)
{
    const cJSON *jobs = get(root, "jobs");

    if (!cJSON_IsArray(jobs))
        return err_set(e, EXIT_CODE_TEST_FAILED, EINVAL,
                       "fio's report has no list of jobs, so it is not a report.");
    copy_text(r->fio_version, sizeof(r->fio_version), get(root, "fio version"));
    uint64_t ms = count(get(root, "timestamp_ms"));
    r->timestamp_ms = ms == COUNTER_ABSENT ? -1 : (int64_t)ms;
    return read_jobs(r, jobs, e);
}

static int complain_of_json(const char *text, const char *at, size_t len, struct err *e)
{
    size_t line = 1, column = 1;

    if (!at || at < text || at > text + len)
        at = text;
    for (const char *p = text; p < at; p++, column++)
        if (*p == '\n') {
            line++;
            column = 0;
        }
    return err_set(e, EXIT_CODE_TEST_FAILED, EINVAL,
                   "fio's report is not valid JSON at line %zu, column %zu.", line, column);
}

int fio_report_read(struct report *out, const char *text, size_t len, struct err *e)
{
    const char *end = NULL;
    struct report r;

    report_done(out);
    cJSON *root = cJSON_ParseWithLengthOpts(text, len, &end, false);
    if (!root)
        return complain_of_json(text, end, len, e);
    report_init(&r);
    int rc = read_root(&r, root, e);
    cJSON_Delete(root);
    if (rc == 0)
        report_move(out, &r);
    report_done(&r);
    return rc;
}
