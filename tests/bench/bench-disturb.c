/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Does watching disturb? fio alone, without a status interval, against the same work watched full
 * screen at the default interval: pairs, one after the other, the order changing from pair to pair,
 * on the same disk. The ratio of a pair is free of what drifts; their spread says what it is worth.
 * And how long a report takes from fio to the screen, with a fio that notes when it wrote.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "../e2e/e2e.h"
#include "sthd/mem.h"
#include "tap.h"

#define PAIRS     8
#define RUNTIME   "4"
#define SIZE      "64m"
#define TIMES_MAX 256

static const struct work {
    const char *what, *watch, *row;
    const char *fio[12]; /* what the program gives fio for it, but for reports */
} works[] = {
    {"T1 sync writes",
     "slog:T1",
     "SYNC4K T1",
     {"--rw=randwrite", "--bs=4096", "--ioengine=psync", "--numjobs=1", "--direct=0", "--sync=1"}},
    {"RND4K Q32T16 reads",
     "cdm:RND4K-Q32T16:read",
     "RND4K Q32T16",
     {"--rw=randread", "--bs=4096", "--ioengine=io_uring", "--iodepth=32", "--numjobs=16",
      "--direct=1"}},
};

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* fio alone; NAN when it failed. */
static double bare_iops(const struct work *w, const char *file)
{
    const char *argv[32] = {"fio", "--output-format=json", "--name=bare", NULL};
    size_t n = 3;

    argv[n++] = e2e_text("--filename=%s", file);
    argv[n++] = "--size=" SIZE;
    for (size_t i = 0; w->fio[i]; i++)
        argv[n++] = w->fio[i];
    argv[n++] = "--randrepeat=0";
    argv[n++] = "--norandommap";
    argv[n++] = "--time_based";
    argv[n++] = "--runtime=" RUNTIME;
    argv[n++] = "--thread";
    argv[n++] = "--group_reporting";
    argv[n++] = "--clocksource=clock_gettime";
    argv[n++] = "--disk_util=0";
    argv[n] = NULL;
    struct plain *p = plain_run(NULL, argv, 60000);
    /* The direction that did something is the one that is not 0. */
    double iops = NAN;
    for (const char *at = plain_out(p); (at = strstr(at, "\"iops\" : "));) {
        at += strlen("\"iops\" : ");
        double v = strtod(at, NULL);
        if (v > 0)
            iops = v;
    }
    plain_free(p);
    return iops;
}

struct watched {
    double iops, cpu_share, bytes_per_s;
};

static struct watched watched_iops(const struct work *w)
{
    struct watched out = {NAN, NAN, NAN};
    struct e2e_table t;
    double step;
    struct vt *v =
        vt_start(&(struct vt_spec){.rows = 24, .cols = 80},
                 (const char *[]){e2e_program(), "--tui", "--yes", "--watch", w->watch,
                                  "--size=" SIZE, "--runtime=" RUNTIME, e2e_dir(), NULL});

    if (vt_wait_match(v, "now .*[0-9]", 60000)) {
        double cpu = proc_cpu_seconds(vt_pid(v));
        uint64_t bytes = vt_bytes(v);
        struct timespec a, b;
        clock_gettime(CLOCK_MONOTONIC, &a);
        for (int i = 0; i < 20; i++)
            vt_pump(v, 100);
        clock_gettime(CLOCK_MONOTONIC, &b);
        double s = (double)(b.tv_sec - a.tv_sec) + (double)(b.tv_nsec - a.tv_nsec) / 1e9;
        out.cpu_share = (proc_cpu_seconds(vt_pid(v)) - cpu) / s;
        out.bytes_per_s = (double)(vt_bytes(v) - bytes) / s;
    }
    if (vt_wait_text(v, "finished", 60000)) {
        vt_keys(v, "q");
        vt_wait_exit(v, NULL, 20000);
        if (e2e_table_parse(&t, vt_transcript(v)))
            out.iops = e2e_number(e2e_table_cell(&t, w->row, "IOPS", 0), &step);
    }
    vt_free(v);
    return out;
}

static void bench_work(const struct work *w)
{
    char *file = mem_printf("%s/bare", e2e_dir());
    double ratios[PAIRS], cpu = 0, bytes = 0;
    size_t n = 0;
    struct plain *p = plain_run(NULL,
                                (const char *[]){"fio", "--output-format=json", "--name=prepare",
                                                 e2e_text("--filename=%s", file), "--size=" SIZE,
                                                 "--rw=write", "--bs=1m", "--refill_buffers",
                                                 "--end_fsync=1", "--thread", NULL},
                                60000);
    plain_free(p);
    for (int i = 0; i < PAIRS; i++) {
        double bare = i % 2 ? bare_iops(w, file) : NAN;
        struct watched ours = watched_iops(w);
        if (i % 2 == 0)
            bare = bare_iops(w, file);
        if (isnan(bare) || isnan(ours.iops))
            continue;
        printf("  %-20s bare %10.0f IOPS  watched %10.0f  ratio %.3f\n", w->what, bare, ours.iops,
               ours.iops / bare);
        fflush(stdout);
        cpu += ours.cpu_share;
        bytes += ours.bytes_per_s;
        ratios[n++] = ours.iops / bare;
    }
    unlink(file);
    free(file);
    if (n == 0) {
        printf("%-44s nothing could be measured\n", w->what);
        return;
    }
    qsort(ratios, n, sizeof(ratios[0]), compare);
    double log_sum = 0;
    for (size_t i = 0; i < n; i++)
        log_sum += log(ratios[i]);
    printf(
        "%s: watched / bare, %zu pairs: median %.3f, mean %.3f, %.3f to %.3f; our share of a core "
        "%.2f %%, %.0f B/s to the terminal\n",
        w->what, n, ratios[n / 2], exp(log_sum / (double)n), ratios[0], ratios[n - 1],
        cpu / (double)n * 100, bytes / (double)n);
}

/* ---- from a report's last byte to the screen --------------------------------------------------
 */

static size_t read_times(const char *path, int64_t times[TIMES_MAX])
{
    FILE *f = fopen(path, "r");
    size_t n = 0;

    while (f && n < TIMES_MAX && fscanf(f, "%" SCNd64, &times[n]) == 1)
        n++;
    if (f)
        fclose(f);
    return n;
}

static int64_t clock_now_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void bench_delay(void)
{
    const char *dir = e2e_dir(), *times_path = e2e_text("%s/times", e2e_dir());
    const char *script =
        e2e_text("#!/bin/sh\nexec %s/tests/lib/fake-fio \"$@\"\n", getenv("STHD_BUILDDIR"));
    const char *env[] = {e2e_path_with("fio", script, false),
                         e2e_text("FAKE_FIO=times=%s;rate=12345", times_path), NULL};
    int64_t written[TIMES_MAX], seen[TIMES_MAX];
    double ms[TIMES_MAX];
    size_t n_seen = 0, n = 0;
    struct vt *v = vt_start(&(struct vt_spec){.rows = 24, .cols = 80, .env = env},
                            (const char *[]){e2e_program(), "--tui", "--yes", "--watch", "slog:T1",
                                             "--size=" SIZE, "--runtime=12", dir, NULL});

    if (vt_wait_match(v, "now .*[0-9]", 30000))
        for (int64_t end = clock_now_ns() + INT64_C(8000000000);
             clock_now_ns() < end && n_seen < TIMES_MAX;) {
            uint64_t before = vt_bytes(v);
            vt_pump(v, 50);
            if (vt_bytes(v) > before)
                seen[n_seen++] = clock_now_ns();
        }
    vt_free(v);
    size_t n_written = read_times(times_path, written);
    /* Bytes that come within 100 ms of a report are taken as its picture; clocks tick in between.
     */
    for (size_t i = 0; i < n_written; i++)
        for (size_t k = 0; k < n_seen; k++) {
            double d = (double)(seen[k] - written[i]) / 1e6;
            if (d >= 0 && d < 100) {
                ms[n++] = d;
                break;
            }
        }
    unlink(times_path);
    if (n == 0) {
        printf("from a report's last byte to the screen: nothing could be measured\n");
        return;
    }
    qsort(ms, n, sizeof(ms[0]), compare);
    printf("from a report's last byte to the screen, %zu reports: median %.1f ms, 9 of 10 within "
           "%.1f ms (the terminal's side of it included)\n",
           n, ms[n / 2], ms[n * 9 / 10]);
}

int main(void)
{
    e2e_begin();
    if (e2e_have_fio())
        for (size_t i = 0; i < sizeof(works) / sizeof(works[0]); i++)
            bench_work(&works[i]);
    else
        printf("fio is not here: how much watching disturbs cannot be measured\n");
    bench_delay();
    e2e_remove();
    return 0;
}
