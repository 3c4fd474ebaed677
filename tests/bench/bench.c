/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the program costs, as figures beside their reference. Never a verdict: a busy machine is no
 * fault. Where there is a program to compare with (htop), it is measured in the same way in the
 * same run, and the ratio says more than either figure.
 */
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "../e2e/e2e.h"
#include "sthd/mem.h"
#include "tap.h"

#define FIRST_FRAMES 15
#define WINDOW_S     8

static double now_s(void)
{
    struct timespec ts;

    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

static void figure(const char *what, double ours, const char *unit, double budget, double other)
{
    printf("%-44s %9.2f %-5s  budget %7.2f", what, ours, unit, budget);
    if (!isnan(other))
        printf("  htop %8.2f  ratio %.2f", other, ours / other);
    printf("\n");
    fflush(stdout);
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* ---- first frame ---- */

/* A whole screen: its first line's and its last line's words are there. */
struct frame {
    const char *first, *last;
};

static bool is_whole(struct vt *v, void *arg)
{
    const struct frame *f = arg;

    return vt_shows(v, f->first) && (vt_shows(v, f->last));
}

/* From before the fork to the moment the screen is whole; ms, the median. NAN: never. */
static double first_frame_ms(const char *const argv[], struct frame frame)
{
    double ms[FIRST_FRAMES];

    for (size_t i = 0; i < FIRST_FRAMES; i++) {
        double began = now_s();
        struct vt *v = vt_start(&(struct vt_spec){.rows = 24, .cols = 80}, argv);
        bool whole = vt_wait(v, is_whole, &frame, 10000);

        ms[i] = (now_s() - began) * 1e3;
        vt_free(v);
        if (!whole)
            return NAN;
    }
    qsort(ms, FIRST_FRAMES, sizeof(ms[0]), compare);
    return ms[FIRST_FRAMES / 2];
}

/* What the harness itself takes: a program that writes at once. */
static double harness_ms(void)
{
    return first_frame_ms((const char *[]){"/bin/echo", "first", "last", NULL},
                          (struct frame){"first", "last"});
}

static bool have_htop(void)
{
    struct plain *p = plain_run(NULL, (const char *[]){"htop", "--version", NULL}, 10000);
    bool have = plain_exit_code(p) == 0;

    plain_free(p);
    return have;
}

/* ---- a run on the screen ---- */

static void pump_for(struct vt *v, double seconds)
{
    double end = now_s() + seconds;

    while (now_s() < end)
        vt_pump(v, (int)((end - now_s()) * 1000) + 1);
}

static double bytes_per_s(struct vt *v)
{
    double began = now_s();
    uint64_t before = vt_bytes(v);

    pump_for(v, WINDOW_S);
    return (double)(vt_bytes(v) - before) / (now_s() - began);
}

static double htop_bytes_per_s(void)
{
    struct vt *v = vt_start(&(struct vt_spec){.rows = 24, .cols = 80},
                            (const char *[]){"htop", "-d", "10", NULL});
    double rate = NAN;

    if (vt_wait_text(v, "F10", 10000)) {
        pump_for(v, 2);
        rate = bytes_per_s(v);
    }
    vt_free(v);
    return rate;
}

/* As e2e_press_start, without TAP on stdout. */
static bool press_start(struct vt *v)
{
    if (!vt_wait_match(v, "Engine .*(works|prescribed)", 20000))
        return false;
    vt_keys(v, "s");
    if (!vt_wait_match(v, "Write (up to|as much)", 10000))
        return false;
    vt_keys(v, "y");
    return true;
}

static void bench_run(bool htop)
{
    const char *dir = e2e_dir();
    struct vt *v = vt_start(
        &(struct vt_spec){.rows = 24, .cols = 80},
        (const char *[]){e2e_program(), "--slog", "--size=64m", "--runtime=12", dir, NULL});
    struct e2e_watch w;

    if (!press_start(v) || !e2e_watch(&w, dir, vt_pid(v), v, NULL, 60000) ||
        !vt_wait_text(v, "step 5 of 5", 120000)) {
        vt_free(v);
        return;
    }
    pump_for(v, 1.5); /* 16 threads are running and the screen has settled */
    double cpu = proc_cpu_seconds(vt_pid(v)), began = now_s();
    double rate = bytes_per_s(v);

    cpu = (proc_cpu_seconds(vt_pid(v)) - cpu) / (now_s() - began);
    figure("bytes to an 80x24 terminal, 4 updates/s", rate, "B/s", 1200,
           htop ? htop_bytes_per_s() : NAN);
    figure("of one core, 4 reports/s, 16 threads", cpu * 100, "%", 0.5, NAN);
    figure("resident, peak", (double)proc_peak_rss_kib(vt_pid(v)) * 1024 / 1e6, "MB", 6, NAN);
    vt_signal(v, SIGTERM);
    vt_wait_exit(v, NULL, 30000);
    vt_free(v);
}

/* ---- a whole run ---- */

/* fio's own time of the preparation, s. */
static double preparation_s(const char *stream)
{
    static const char script[] =
        "awk '/^\\{/ {on = 1} on {print} /^\\}/ {on = 0}' | "
        "jq -s 'map(select(.jobs[0].jobname == \"prepare\")) | last | .jobs[0].write.runtime'";
    struct plain *p = plain_run(&(struct plain_spec){.input = stream},
                                (const char *[]){"sh", "-c", script, NULL}, 60000);
    double ms = strtod(plain_out(p), NULL);

    plain_free(p);
    return ms / 1000;
}

static void bench_whole(void)
{
    struct plain *p = plain_run(NULL,
                                (const char *[]){e2e_program(), "--text", "--yes", "--verbose",
                                                 "--size=256m", "--runtime=5", e2e_dir(), NULL},
                                300000);
    double planned = 8 * 5 + preparation_s(plain_err(p));

    figure("whole run / (preparation + runtimes)", plain_seconds(p) / planned, "", 1.05, NAN);
    printf("%-44s %9.2f s of %.2f s\n", "", plain_seconds(p), planned);
    plain_free(p);
}

int main(void)
{
    bool htop = have_htop();

    e2e_begin();
    if (!htop)
        printf("htop is not here: no reference to compare with\n");
    figure("first frame after the start (harness alone)", harness_ms(), "ms", 10, NAN);
    figure("first frame after the start",
           first_frame_ms((const char *[]){e2e_program(), NULL},
                          (struct frame){"speedtest-hd", "quit"}),
           "ms", 10,
           htop ? first_frame_ms((const char *[]){"htop", NULL}, (struct frame){"PID", "F10"})
                : NAN);
    if (e2e_have_fio()) {
        bench_run(htop);
        bench_whole();
    } else {
        printf("fio is not here: nothing more to measure\n");
    }
    e2e_remove();
    return 0;
}
