/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fio_report: fields by version, what is absent, what is damaged. Whole streams: test-fio-corpus.
 */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "sthd/buf.h"
#include "sthd/fio_report.h"
#include "tap.h"

static int read_text(struct report *r, const char *text, struct err *e)
{
    err_clear(e);
    return fio_report_read(r, text, strlen(text), e);
}

/* The last document of a recorded stream. */
static void read_last(struct report *r, const char *fixture)
{
    size_t len;
    char *text = tap_fixture(fixture, &len);
    char *from = text, *to = text + len;
    struct err e;

    for (char *p = text; (p = strstr(p, "\n{\n")) != NULL; p++)
        from = p + 1;
    for (char *p = from; (p = strstr(p, "\n}\n")) != NULL; p++)
        to = p + 2;
    tap_int(fio_report_read(r, from, (size_t)(to - from), &e), 0, "%s: read", fixture);
    free(text);
}

/* Figures looked up in the recordings by hand. Latencies of 2.21 are there in microseconds. */
static void test_versions(void)
{
    static const struct {
        const char *fixture;
        uint64_t ios, bytes, runtime_ms, issued;
        double bw, iops, mean_ns, max_ns, p99_ns;
    } rows[] = {
        {"fio/2.21/slog_j4.jsonplus.stdout.xz", 4404, 18038784, 2001, 4404, 9014272, 2200.89955,
         450938.011, 7746000.0, 1416000.0},
        {"fio/3.1/slog_j4.jsonplus.stdout.xz", 4930, 20193280, 2001, 4930, 10091520, 2463.768116,
         402085.769574, 3067409.0, 897024.0},
        {"fio/3.16/slog_j4.jsonplus.stdout.xz", 1866, 7643136, 2001, 1866, 3819658, 932.533733,
         1066975.700429, 16481454.0, 4685824.0},
        {"fio/3.25/slog_j4.jsonplus.stdout.xz", 4523, 18526208, 2002, 4523, 9253850, 2259.240759,
         438567.662834, 12465397.0, 1777664.0},
        {"fio/3.28/slog_j4.jsonplus.stdout.xz", 4791, 19623936, 2001, 4791, 9807064, 2394.302849,
         414383.431016, 16182046.0, 1236992.0},
        {"fio/3.33/slog_j4.jsonplus.stdout.xz", 3287, 13463552, 2003, 3287, 6721693, 1641.038442,
         603841.698509, 86782961.0, 3162112.0},
        {"fio/3.42/slog_j4.jsonplus.stdout.xz", 4419, 18100224, 2001, 4419, 9045589, 2208.395802,
         445023.039828, 21139449.0, 995328.0},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct report r;
        report_init(&r);
        read_last(&r, rows[i].fixture);
        const struct counters *c = &r.jobs[0].write;
        tap_str(r.jobs[0].name, "slog", "%s: name", rows[i].fixture);
        tap_int((long long)c->ios, (long long)rows[i].ios, "%s: ios", rows[i].fixture);
        tap_int((long long)c->io_bytes, (long long)rows[i].bytes, "%s: bytes", rows[i].fixture);
        tap_int((long long)c->runtime_ms, (long long)rows[i].runtime_ms, "%s: runtime",
                rows[i].fixture);
        tap_int((long long)c->ios_issued, (long long)rows[i].issued, "%s: issued", rows[i].fixture);
        tap_near(c->bw_bytes_per_s, rows[i].bw, 0, "%s: bandwidth", rows[i].fixture);
        tap_near(c->iops, rows[i].iops, 0, "%s: iops", rows[i].fixture);
        tap_near(c->lat_mean_ns, rows[i].mean_ns, 1e-3, "%s: mean", rows[i].fixture);
        tap_near(c->lat_max_ns, rows[i].max_ns, 0, "%s: max", rows[i].fixture);
        tap_near(counters_percentile(c, 99), rows[i].p99_ns, 0, "%s: p99", rows[i].fixture);
        /* The read side of a write test: no I/O, so no latency, whatever zeros are printed. */
        tap_int((long long)r.jobs[0].read.ios, 0, "%s: no reads", rows[i].fixture);
        tap_ok(isnan(r.jobs[0].read.lat_mean_ns) && isnan(r.jobs[0].read.lat_min_ns) &&
                   isnan(counters_percentile(&r.jobs[0].read, 50)) && r.jobs[0].read.lat.n == 0,
               "%s: no latency of no reads", rows[i].fixture);
        report_done(&r);
    }
}

static void test_error(void)
{
    struct report r;

    report_init(&r);
    read_last(&r, "fio/3.33/enospc_tmpfs.stdout");
    tap_int(r.jobs[0].error, 28, "the error of a job is its errno");
    report_done(&r);
}

#define JOBS(fields)  "\"jobs\":[{\"jobname\":\"x\"," fields "}]"
#define JOB(fields)   "{" JOBS(fields) "}"
#define WRITE(fields) JOB("\"write\":{" fields "}")

static void test_absent(void)
{
    static const char *const hostile[] = {"-1",   "1e400", "-1e400", "1e300", "\"7\"",
                                          "null", "[]",    "{}",     "true"};
    struct buf text = BUF_INIT;
    struct report r;
    struct err e;

    report_init(&r);
    tap_int(read_text(&r, "{\"jobs\":[]}", &e), 0, "no jobs is a report");
    tap_ok(r.n_jobs == 0 && r.timestamp_ms == -1 && !r.fio_version[0], "... with nothing in it");
    tap_int(read_text(&r, JOB("\"error\":0"), &e), 0, "a job without directions");
    const struct counters *c = &r.jobs[0].write;
    tap_ok(c->ios == COUNTER_ABSENT && c->ios_issued == COUNTER_ABSENT &&
               c->io_bytes == COUNTER_ABSENT && c->runtime_ms == COUNTER_ABSENT &&
               isnan(c->bw_bytes_per_s) && isnan(c->iops) && isnan(c->lat_mean_ns) &&
               isnan(r.jobs[0].usr_cpu),
           "all absent, nothing 0");
    for (size_t i = 0; i < sizeof(hostile) / sizeof(hostile[0]); i++) {
        buf_clear(&text);
        buf_addf(&text,
                 "{\"timestamp_ms\":%s," JOBS("\"write\":{\"io_bytes\":%s,\"runtime\":%s,"
                                              "\"clat_ns\":{\"N\":%s,\"bins\":{\"1\":%s}}}") "}",
                 hostile[i], hostile[i], hostile[i], hostile[i], hostile[i]);
        tap_int(read_text(&r, text.data, &e), 0, "a count that is %s", hostile[i]);
        c = &r.jobs[0].write;
        tap_ok(c->ios == COUNTER_ABSENT && c->io_bytes == COUNTER_ABSENT &&
                   c->runtime_ms == COUNTER_ABSENT && c->lat.n == 0 && r.timestamp_ms == -1,
               "... is absent");
    }
    tap_int(read_text(&r, WRITE("\"TOTAL_IOS\":5,\"Runtime\":6"), &e), 0, "keys in other case");
    tap_ok(r.jobs[0].write.ios_issued == COUNTER_ABSENT, "... are other keys");
    tap_int(read_text(&r,
                      WRITE("\"clat_ns\":{\"N\":3,\"percentile\":{\"0.00\":0,\"0.00\":0,"
                            "\"x\":1,\"\":2,\"101\":3,\"50.0\":4,\"-1\":5,\"nan\":6}}"),
                      &e),
            0, "strange percentiles");
    tap_ok(r.jobs[0].write.n_percentiles == 1 && counters_percentile(&r.jobs[0].write, 50) == 4,
           "... the one that is real is kept");
    tap_int(read_text(&r,
                      WRITE("\"clat_ns\":{\"bins\":{\"0\":1,\"x\":2,\"\":3,\"-4\":4,"
                            "\"1e99\":5,\"7\":6,\"inf\":7}}"),
                      &e),
            0, "strange bins");
    tap_int((long long)r.jobs[0].write.ios, 7, "... 0 and 7 ns are real, and give N");
    tap_int(read_text(&r, WRITE("\"total_ios\":9,\"clat_ns\":{\"min\":0}"), &e), 0,
            "neither N nor bins");
    tap_int((long long)r.jobs[0].write.ios, 9, "... N is what was issued");
    tap_int(read_text(&r, "{\"jobs\":[1,null,[],{\"jobname\":\"a\\u001b[31m\\u00e9\"}]}", &e), 0,
            "jobs that are not jobs");
    tap_ok(r.n_jobs == 1, "... are none");
    tap_str(r.jobs[0].name, "a?[31m??", "a name is printable");
    buf_done(&text);
    report_done(&r);
}

static void test_damaged(void)
{
    static const struct {
        const char *text, *says;
    } rows[] = {
        {"", "line 1, column 1"},
        {"{\n  \"jobs\" : [\n    x\n", "line 3, column 5"},
        {"[]", "no list of jobs"},
        {"{}", "no list of jobs"},
        {"{\"jobs\":{}}", "no list of jobs"},
        {"{\"Jobs\":[]}", "no list of jobs"},
        {"7", "no list of jobs"},
    };
    struct buf deep = BUF_INIT;
    struct report r;
    struct err e;

    report_init(&r);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        read_text(&r, JOB("\"error\":0"), &e);
        tap_ok(read_text(&r, rows[i].text, &e) < 0, "damaged \"%s\"", rows[i].text);
        tap_ok(strstr(e.text, rows[i].says) != NULL, "... says %s: %s", rows[i].says, e.text);
        tap_ok(r.n_jobs == 0 && r.timestamp_ms == -1, "... and leaves an empty report");
    }
    buf_addn(&deep, '[', 100000);
    tap_ok(read_text(&r, deep.data, &e) < 0, "a hundred thousand brackets");
    buf_clear(&deep);
    buf_adds(&deep, "{\"jobs\":[{}");
    for (unsigned i = 0; i < 5000; i++)
        buf_adds(&deep, ",{}");
    buf_adds(&deep, "]}");
    tap_ok(read_text(&r, deep.data, &e) < 0 && strstr(e.text, "5001 jobs"), "too many jobs");
    tap_ok(fio_report_read(&r, "{\"jobs\":[]}", 10, &e) < 0, "no byte past the end is read");
    buf_done(&deep);
    report_done(&r);
}

int main(void)
{
    test_versions();
    test_error();
    test_absent();
    test_damaged();
    return tap_done();
}
