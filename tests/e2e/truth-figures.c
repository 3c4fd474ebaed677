/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Our figures against fio's own log of every single I/O. Two jobs write at a fixed rate; one of
 * them is stopped for two seconds. The log of a job is in the order of completion, so its first N
 * lines are the N I/O that a report counts: percentiles of an interval are compared exactly, and
 * rates with what the log says of the same time.
 */
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sthd/fio_command.h"
#include "sthd/mem.h"
#include "tap.h"
#include "truth.h"

#define JOBS      2
#define RATE      1000
#define RUNTIME_S 6
#define POINTS    64
#define STOP_S    2

struct point { /* what the samplers said of a report */
    int64_t timestamp_ms;
    uint64_t runtime_ms;
    uint64_t ios[JOBS];
    struct sample sample[JOBS], total;
    bool good[JOBS], total_good;
};

struct run {
    struct sampler *sampler[JOBS], *total;
    struct point points[POINTS];
    size_t n;
};

struct io {
    double at_ms, ns;
};

struct io_log {
    struct io *io;
    size_t n;
};

static void on_report(void *arg, const struct report *r, int64_t arrival_ns)
{
    struct run *run = arg;
    struct point *p = &run->points[run->n];

    if (run->n == POINTS || r->n_jobs != JOBS)
        return;
    run->n++;
    p->timestamp_ms = r->timestamp_ms;
    p->runtime_ms = r->jobs[0].write.runtime_ms;
    p->total_good = sampler_take(run->total, r, arrival_ns, false, &p->total);
    for (size_t j = 0; j < JOBS; j++) {
        struct report one = *r;
        one.jobs = &r->jobs[j];
        one.n_jobs = 1;
        p->ios[j] = r->jobs[j].write.ios;
        p->good[j] = sampler_take(run->sampler[j], &one, arrival_ns, false, &p->sample[j]);
    }
}

/* The last document as text: what its figures are compared with. */
static char *last_document(const struct buf *text)
{
    const char *from = text->data;

    for (const char *p = from; (p = strstr(p, "\n{\n")) != NULL; p++)
        from = p + 1;
    return mem_strdup(from);
}

/* The text of a number in the job's write section, as fio printed it. */
static bool find_number(const char *document, size_t job, const char *key, char out[64])
{
    const char *p = document;

    for (size_t j = 0; j <= job && p; j++)
        p = (p = strstr(p, "\"write\" : {")) ? p + 1 : NULL;
    if (!p || !(p = strstr(p, key)))
        return false;
    return sscanf(p + strlen(key), " : %63[0-9.]", out) == 1;
}

static void check_final(const char *document, const struct report *last)
{
    char text[64], ours[64];

    for (size_t j = 0; j < JOBS; j++) {
        const struct counters *c = &last->jobs[j].write;
        tap_ok(find_number(document, j, "\"iops\"", text), "job %zu: fio says iops", j);
        snprintf(ours, sizeof(ours), "%.6f", c->iops);
        tap_str(ours, text, "job %zu: final iops to the last digit", j);
        tap_ok(find_number(document, j, "\"bw_bytes\"", text), "job %zu: fio says bw_bytes", j);
        snprintf(ours, sizeof(ours), "%.0f", c->bw_bytes_per_s);
        tap_str(ours, text, "job %zu: final bandwidth to the last digit", j);
        tap_ok(find_number(document, j, "\"99.000000\"", text), "job %zu: fio says p99", j);
        snprintf(ours, sizeof(ours), "%.0f", counters_percentile(c, 99));
        tap_str(ours, text, "job %zu: final p99 to the last digit", j);
    }
}

static struct io_log read_log(const char *dir, size_t job)
{
    struct io_log log = {NULL, 0};
    char *path = mem_printf("%s/truth_clat.%zu.log", dir, job + 1);
    FILE *f = fopen(path, "r");
    char line[256];

    while (f && fgets(line, sizeof(line), f)) {
        log.io = mem_realloc_array(log.io, log.n + 1, sizeof(*log.io));
        log.n += sscanf(line, "%lf, %lf", &log.io[log.n].at_ms, &log.io[log.n].ns) == 2;
    }
    if (f)
        fclose(f);
    unlink(path);
    free(path);
    return log;
}

static double longest_pause_ms(const struct io_log *log)
{
    double pause = 0;

    for (size_t i = 1; i < log->n; i++)
        pause = fmax(pause, log->io[i].at_ms - log->io[i - 1].at_ms);
    return pause;
}

static int by_ns(const void *a, const void *b)
{
    double x = ((const struct io *)a)->ns, y = ((const struct io *)b)->ns;

    return (x > y) - (x < y);
}

/*
 * A bin's middle is that of the percentile of the I/O themselves (fio's rule: the smallest with as
 * many at or below it). A value is at most 1/128 away from the middle of its bin; the rank may be
 * off by slack.
 */
static bool is_percentile(double bin_ns, const struct io *sorted, size_t n, double share,
                          size_t slack)
{
    size_t rank = (size_t)ceil(share * (double)n) - 1;
    double low = sorted[rank > slack ? rank - slack : 0].ns;
    double high = sorted[rank + slack < n ? rank + slack : n - 1].ns;

    return bin_ns >= low - low / 128 - 1 && bin_ns <= high + high / 128 + 1;
}

/*
 * slack: while the stopped job makes up for lost time it does an I/O every few microseconds, and
 * fio reads N and the bins a few of them apart (24 have been seen). At a steady 1000 a second one
 * I/O may end between the two, at either end of the interval.
 */
static void check_percentiles(const struct run *run, const struct io_log *log, size_t job,
                              size_t slack)
{
    unsigned intervals = 0, wrong = 0;

    for (size_t i = 1; i < run->n; i++) {
        const struct point *p = &run->points[i];
        uint64_t from = run->points[i - 1].ios[job], to = p->ios[job];
        if (!p->good[job] || p->sample[job].ios != to - from || to <= from || to > log->n)
            continue;
        size_t n = (size_t)(to - from);
        struct io *io = mem_realloc_array(NULL, n, sizeof(*io));
        memcpy(io, log->io + from, n * sizeof(*io));
        qsort(io, n, sizeof(*io), by_ns);
        intervals++;
        if (!is_percentile(p->sample[job].p50_ns, io, n, 0.50, slack) ||
            !is_percentile(p->sample[job].p99_ns, io, n, 0.99, slack)) {
            wrong++;
            tap_note("report %zu: p50 %g, log %g; p99 %g, log %g", i, p->sample[job].p50_ns,
                     io[(n - 1) / 2].ns, p->sample[job].p99_ns, io[(n - 1) * 99 / 100].ns);
        }
        free(io);
    }
    tap_ok(intervals >= 10, "job %zu: %u intervals with percentiles", job, intervals);
    tap_int(wrong, 0, "job %zu: p50 and p99 of every interval are those of its I/O", job);
}

static double log_count(const struct io_log *log, double from_ms, double to_ms)
{
    double n = 0;

    for (size_t i = 0; i < log->n; i++)
        n += log->io[i].at_ms > from_ms && log->io[i].at_ms <= to_ms;
    return n;
}

/* The I/O that the logs have in the time of a sample, at the least and at the most. */
static bool rate_is_true(const struct sample *s, int64_t end_ms, const struct io_log *log,
                         size_t n_logs)
{
    double end = (double)end_ms, begin = end - s->seconds * 1000, least = 0, most = 0;
    /* Both clocks have whole ms, and a report is printed a little after it is counted. */
    double slack_ms = 12;

    for (size_t i = 0; i < n_logs; i++) {
        least += log_count(&log[i], begin + slack_ms, end - slack_ms);
        most += log_count(&log[i], begin - slack_ms, end + slack_ms);
    }
    bool ok = s->iops * s->seconds >= least && s->iops * s->seconds <= most;
    if (!ok)
        tap_note("%g I/O in %g s; the log has %g to %g", s->iops * s->seconds, s->seconds, least,
                 most);
    return ok;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* The jobs have ended: the clock of such a report is its runtime. */
static bool is_last(const struct point *p)
{
    return p->runtime_ms >= RUNTIME_S * 1000;
}

static void check_rates(const struct run *run, const struct io_log log[JOBS], size_t steady)
{
    unsigned wrong = 0, wrong_total = 0;
    double rates[POINTS], late_rate = NAN;
    size_t n = 0;

    for (size_t i = 1; i < run->n && !is_last(&run->points[i]); i++) {
        const struct point *p = &run->points[i];
        if (p->good[steady]) {
            const struct sample *s = &p->sample[steady];
            rates[n++] = s->iops;
            wrong += !rate_is_true(s, p->timestamp_ms, &log[steady], 1);
            if (s->seconds > STOP_S * 0.8)
                late_rate = s->iops;
        }
        if (p->total_good)
            wrong_total += !rate_is_true(&p->total, p->timestamp_ms, log, JOBS);
    }
    tap_ok(n >= 10, "%zu intervals of the job that ran on", n);
    if (n == 0)
        return;
    qsort(rates, n, sizeof(rates[0]), by_value);
    tap_near(rates[n / 2], RATE, RATE * 0.02, "its rate");
    tap_near(late_rate, RATE, RATE * 0.05, "its rate in the interval that is late by the stop");
    tap_int(wrong, 0, "its rate is that of the log in each interval");
    tap_int(wrong_total, 0, "the rate of both together is that of the log in each interval");
}

/* The last interval ends when the jobs do, not when fio prints. */
static void check_end(const struct run *run, const struct io_log *log, size_t steady)
{
    double ran_ms = log->io[log->n - 1].at_ms - log->io[0].at_ms;
    double true_rate = (double)(log->n - 1) * 1000 / ran_ms;
    struct sample mean;
    size_t i = 0;

    while (i + 1 < run->n && !is_last(&run->points[i]))
        i++;
    tap_ok(is_last(&run->points[i]), "the last report has the planned runtime");
    if (run->points[i].good[steady])
        tap_near(run->points[i].sample[steady].iops, RATE, RATE * 0.25, "the rate at the end");
    sampler_mean(run->sampler[steady], &mean);
    tap_near(mean.iops, true_rate, true_rate * 0.03, "the running mean at the end");
}

/* The first worker that fio forked; 0 while there is none. */
static pid_t first_worker(pid_t fio)
{
    char *path = mem_printf("/proc/%d/task/%d/children", fio, fio);
    FILE *f = fopen(path, "r");
    int pid = 0;

    if (f && fscanf(f, "%d", &pid) != 1)
        pid = 0;
    if (f)
        fclose(f);
    free(path);
    return pid;
}

static bool wait_until(struct truth_fio *fio, int64_t ns)
{
    int64_t now;

    while ((now = truth_now_ns()) < ns)
        if (!truth_poll(fio, (int)((ns - now) / 1000000) + 1))
            return false;
    return true;
}

static bool wait_for_reports(struct truth_fio *fio, unsigned n)
{
    int64_t deadline = truth_now_ns() + 10000000000;

    while (fio->reports < n)
        if (!truth_poll(fio, 100) || truth_now_ns() > deadline)
            return false;
    return true;
}

/* Our own command, but workers as processes: one of them is to be stopped. */
static void make_command(struct strv *argv, int fd)
{
    static const struct profile profile = {.n_tests = 1, .tests = {{.name = "truth"}}};
    struct step step = {.kind = STEP_MEASURE,
                        .direction = DIRECTION_WRITE,
                        .pattern = PATTERN_RND,
                        .block_bytes = 4096,
                        .queue_depth = 1,
                        .threads = JOBS,
                        .engine = ENGINE_PSYNC,
                        .size_bytes = 16 << 20,
                        .runtime_s = RUNTIME_S};
    struct settings s = {.profile = &profile, .interval_ms = 250, .per_job = true};
    struct strv built;

    strv_init(&s.extra);
    strv_init(&built);
    strv_addf(&s.extra, "--rate_iops=%d", RATE);
    strv_add(&s.extra, "--write_lat_log=truth");
    strv_add(&s.extra, "--log_avg_msec=0");
    strv_add(&s.extra, "--log_unix_epoch=1");
    fio_command_build(&built, "fio", &step, &s, fd);
    for (size_t i = 0; i < built.n; i++)
        if (strcmp(built.items[i], "--thread") != 0)
            strv_add(argv, built.items[i]);
    strv_done(&built);
    strv_done(&s.extra);
}

static struct sampler *make_sampler(int64_t began_ns)
{
    struct sampler_spec spec = {.direction = DIRECTION_WRITE,
                                .block_bytes = 4096,
                                .runtime_ms = RUNTIME_S * 1000,
                                .interval_ms = 250,
                                .began_ns = began_ns};

    return sampler_new(&spec);
}

static void note_points(const struct run *run)
{
    for (size_t i = 0; i < run->n; i++) {
        const struct point *p = &run->points[i];
        tap_note(
            "report %2zu: +%4lld ms, runtime %4llu, N %5llu %5llu, iops %.0f %.0f, both %.0f in "
            "%.3f s",
            i, i ? (long long)(p->timestamp_ms - run->points[i - 1].timestamp_ms) : 0LL,
            (unsigned long long)p->runtime_ms, (unsigned long long)p->ios[0],
            (unsigned long long)p->ios[1], p->good[0] ? p->sample[0].iops : NAN,
            p->good[1] ? p->sample[1].iops : NAN, p->total_good ? p->total.iops : NAN,
            p->total.seconds);
    }
}

static void check_logs(const struct run *run, const struct report *last, const char *dir)
{
    struct io_log log[JOBS];
    bool have = true;

    for (size_t j = 0; j < JOBS; j++) {
        log[j] = read_log(dir, j);
        have &= tap_int((long long)log[j].n, (long long)last->jobs[j].write.ios,
                        "job %zu: the log has as many I/O as the last report", j);
        have &= log[j].n > 1;
    }
    note_points(run);
    if (have) {
        size_t steady = longest_pause_ms(&log[0]) < longest_pause_ms(&log[1]) ? 0 : 1;
        tap_ok(longest_pause_ms(&log[!steady]) >= STOP_S * 900, "one job was stopped");
        for (size_t j = 0; j < JOBS; j++)
            check_percentiles(run, &log[j], j, j == steady ? 2 : 24);
        check_rates(run, log, steady);
        check_end(run, &log[steady], steady);
    }
    for (size_t j = 0; j < JOBS; j++)
        free(log[j].io);
}

static void check(const struct run *run, const struct truth_fio *fio, const char *dir)
{
    char *document = last_document(&fio->text);
    struct report last;
    struct err e;

    report_init(&last);
    err_clear(&e);
    /* The document, and the newline after it. */
    int rc = fio_report_read(&last, document, strlen(document), &e);
    if (tap_ok(rc == 0 && last.n_jobs == JOBS, "the last report is read: %s", e.text)) {
        check_final(document, &last);
        check_logs(run, &last, dir);
    }
    report_done(&last);
    free(document);
}

static void remove_logs(const char *dir)
{
    static const char *const kinds[] = {"lat", "slat", "clat"};

    for (size_t k = 0; k < 3; k++)
        for (size_t j = 1; j <= JOBS; j++) {
            char *path = mem_printf("%s/truth_%s.%zu.log", dir, kinds[k], j);
            unlink(path);
            free(path);
        }
    rmdir(dir);
}

static void run_and_check(const char *dir, int fd)
{
    struct run *run = mem_zalloc(sizeof(*run));
    struct truth_fio fio = {.report = on_report, .arg = run};
    struct strv argv;

    strv_init(&argv);
    make_command(&argv, fd);
    run->total = make_sampler(truth_now_ns());
    for (size_t j = 0; j < JOBS; j++)
        run->sampler[j] = make_sampler(truth_now_ns());
    truth_start(&fio, &argv, dir);
    bool running = wait_for_reports(&fio, 4);
    pid_t worker = running ? first_worker(fio.pid) : 0;
    if (worker > 0 && kill(worker, SIGSTOP) == 0) {
        wait_until(&fio, truth_now_ns() + STOP_S * INT64_C(1000000000));
        kill(worker, SIGCONT);
    }
    tap_ok(worker > 0, "a worker of fio was found");
    tap_ok(truth_finish(&fio, 20), "fio ends by itself, with status 0");
    tap_ok(fio.unreadable == 0 && fio.lost == 0, "all %u reports are read", fio.reports);
    if (run->n > 2)
        check(run, &fio, dir);
    tap_ok(run->n > 10, "%zu reports", run->n);
    truth_done(&fio);
    strv_done(&argv);
    sampler_free(run->total);
    for (size_t j = 0; j < JOBS; j++)
        sampler_free(run->sampler[j]);
    free(run);
}

int main(void)
{
    const char *build = getenv("STHD_BUILDDIR");
    char *dir = mem_printf("%s/truth-XXXXXX", build ? build : ".");

    truth_alone();
    int fd = -1;
    if (!truth_have_fio())
        tap_skip("no fio here", "figures against fio's log");
    else if (!mkdtemp(dir) || (fd = truth_file(dir, 16 << 20)) < 0)
        tap_skip("no nameless files here", "figures against fio's log");
    else
        run_and_check(dir, fd);
    remove_logs(dir);
    free(dir);
    return tap_done();
}
