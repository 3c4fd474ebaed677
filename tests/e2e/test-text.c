/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Text mode with the real fio on the disk of the build directory: what stands on stdout, that its
 * figures are fio's own, and that nothing is left however it ends.
 */
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "e2e.h"
#include "sthd/err.h"
#include "tap.h"

#define RUN_MS 120000 /* deadline of a whole short run on a slow machine */

#define PROGRAM(...) ((const char *[]){e2e_program(), "--text", "--yes", __VA_ARGS__, NULL})

static const char *const cdm_rows[] = {"SEQ1M Q8T1", "SEQ1M Q1T1", "RND4K Q32T16", "RND4K Q1T1"};
static const char *const slog_rows[] = {"T1", "T4", "T8", "T16"};

/* Between a byte a second and a terabyte a second. */
static void check_plausible(const struct e2e_table *t, const char *row, size_t nth, double block)
{
    double step, mb = e2e_number(e2e_table_cell(t, row, "MB/s", nth), &step);
    double iops = e2e_number(e2e_table_cell(t, row, "IOPS", nth), &step);

    tap_ok(mb > 1e-6 && mb < 1e6, "%s %zu: %g MB/s is plausible", row, nth, mb);
    /* fio's bytes and operations are of the same operations; both are rounded in the table. */
    tap_near(iops * block / 1e6 / mb, 1.0, iops > 100 ? 0.05 : 0.6, "%s %zu: IOPS x block = MB/s",
             row, nth);
}

static void test_cdm(void)
{
    const char *dir = e2e_dir();
    struct plain *p = plain_run(NULL, PROGRAM("--size", "64m", "--runtime", "1", dir), RUN_MS);
    struct e2e_table t;

    tap_int(plain_exit_code(p), EXIT_CODE_OK, "cdm: exit code");
    tap_ok(e2e_table_parse(&t, plain_out(p)), "cdm: a table on stdout");
    tap_int((long long)t.n_rows, 5, "cdm: a head and four rows");
    for (size_t i = 0; i < 4; i++)
        for (size_t nth = 0; nth < 2; nth++)
            check_plausible(&t, cdm_rows[i], nth, i < 2 ? 1048576 : 4096);
    tap_ok(strstr(plain_out(p), dir) != NULL, "cdm: the banner names the target");
    tap_ok(!strchr(plain_out(p), '\033') && !strchr(plain_out(p), '\r'),
           "cdm: no control sequences in a pipe");
    tap_ok(strlen(plain_err(p)) > 0, "cdm: progress on stderr");
    tap_ok(!strstr(plain_out(p), plain_err(p)), "cdm: and not on stdout");
    if (plain_exit_code(p) != 0)
        tap_note("stdout: %s stderr: %s", plain_out(p), plain_err(p));
    /* Eight tests of a second, the preparation, and the start and end of nine fios. */
    tap_note("cdm: %.1f s for 8 s of tests, peak %ld KiB", plain_seconds(p), plain_max_rss_kib(p));
    plain_free(p);
}

static void test_slog(void)
{
    struct plain *p =
        plain_run(NULL, PROGRAM("--slog", "--size", "16m", "--runtime", "1", e2e_dir()), RUN_MS);
    struct e2e_table t;
    double step;

    tap_int(plain_exit_code(p), EXIT_CODE_OK, "slog: exit code");
    tap_ok(e2e_table_parse(&t, plain_out(p)), "slog: a table on stdout");
    for (size_t i = 0; i < 4; i++) {
        double p50 = e2e_number(e2e_table_cell(&t, slog_rows[i], "p50", 0), &step);
        double p99 = e2e_number(e2e_table_cell(&t, slog_rows[i], "p99", 0), &step);

        check_plausible(&t, slog_rows[i], 0, 4096);
        tap_ok(p50 > 100 && p50 <= p99 && p99 < 60e9, "%s: %g <= %g ns", slog_rows[i], p50, p99);
    }
    if (plain_exit_code(p) != 0)
        tap_note("stdout: %s stderr: %s", plain_out(p), plain_err(p));
    plain_free(p);
}

/*
 * fio's own last report of each step, found in the raw stream by awk and jq, which share no code
 * with the program: one line of "name bytes-per-second iops p50 p99" each.
 */
static char *last_reports(const char *stream)
{
    static const char script[] =
        "awk '/^\\{/ {on = 1} on {print} /^\\}/ {on = 0}' | jq -rs '"
        "map(select(.jobs[0].jobname != \"prepare\")) | group_by(.jobs[0].jobname)[] | last | "
        ".jobs[0] | .jobname as $name | (if .read.total_ios > 0 then .read else .write end) | "
        "[$name, .bw_bytes, .iops, .clat_ns.percentile[\"50.000000\"], "
        ".clat_ns.percentile[\"99.000000\"]] | @tsv'";
    struct plain *p = plain_run(&(struct plain_spec){.input = stream},
                                (const char *[]){"sh", "-c", script, NULL}, 60000);
    char *text = strdup(plain_out(p));

    if (*plain_err(p))
        tap_note("jq: %s", plain_err(p));
    plain_free(p);
    return text;
}

/* As close as the last digit shown can be, half of it. */
static void check_digits(const char *cell, double fio, const char *what, const char *name)
{
    double step, shown = e2e_number(cell, &step);

    tap_near(shown, fio, step * 0.5000001, "%s: %s is fio's to the last digit", name, what);
}

static void check_against_fio(const struct e2e_table *t, const char *row, size_t nth,
                              const char *report)
{
    char name[64];
    double bytes, iops, p50, p99;

    if (sscanf(report, "%63s %lf %lf %lf %lf", name, &bytes, &iops, &p50, &p99) != 5) {
        tap_ok(false, "%s: fio's last report is readable: %.60s", row, report);
        return;
    }
    check_digits(e2e_table_cell(t, row, "MB/s", nth), bytes / 1e6, "MB/s", name);
    check_digits(e2e_table_cell(t, row, "IOPS", nth), iops, "IOPS", name);
    check_digits(e2e_table_cell(t, row, "p99", nth), p99, "p99", name);
    if (e2e_table_cell(t, row, "p50", nth))
        check_digits(e2e_table_cell(t, row, "p50", nth), p50, "p50", name);
}

/* The line of the report whose name has these letters and digits, in this order, case ignored. */
static const char *find_report(const char *reports, const char *row, const char *direction)
{
    for (const char *line = reports; *line; line = strchr(line, '\n') + 1) {
        const char *want = row, *at = line;

        for (; *want; want++) {
            if (*want == ' ')
                continue;
            while (*at == '-' || *at == '_')
                at++;
            if ((*at | 0x20) != (*want | 0x20))
                break;
            at++;
        }
        if (!*want && *at == '-' && strncmp(at + 1, direction, strlen(direction)) == 0)
            return line;
        if (!strchr(line, '\n'))
            break;
    }
    return "";
}

static void test_against_fio(bool slog)
{
    struct plain *p = plain_run(NULL,
                                PROGRAM(slog ? "--slog" : "--profile=cdm", "--verbose", "--size",
                                        "16m", "--runtime", "1", e2e_dir()),
                                RUN_MS);
    char *reports = last_reports(plain_err(p));
    struct e2e_table t;

    tap_ok(e2e_table_parse(&t, plain_out(p)), "with --verbose: a table");
    for (size_t i = 0; i < 4; i++) {
        const char *row = slog ? slog_rows[i] : cdm_rows[i];

        if (!slog)
            check_against_fio(&t, row, 0, find_report(reports, row, "read"));
        check_against_fio(&t, row, slog ? 0 : 1, find_report(reports, row, "write"));
    }
    free(reports);
    plain_free(p);
}

/* ---- how it ends ---- */

/* A run of tests of 30 s, in its first test. */
static struct plain *start_long(struct e2e_watch *w, const char *dir, const char *what)
{
    struct plain *p = plain_start(NULL, PROGRAM("--size", "16m", "--runtime", "30", dir));

    tap_ok(plain_wait_err(p, "[2/9]", 30000), "%s: the first test begins", what);
    tap_ok(e2e_watch(w, dir, plain_pid(p), NULL, p, 30000), "%s: fio runs", what);
    return p;
}

static void check_death_of(struct plain *p, const char *what, int signo)
{
    tap_ok(plain_wait_exit(p, 30000), "%s: it ends", what);
    tap_ok(WIFSIGNALED(plain_status(p)) && WTERMSIG(plain_status(p)) == signo,
           "%s: of signal %d (status %x)", what, signo, plain_status(p));
}

static void check_signal(const char *what, int signo)
{
    const char *dir = e2e_dir();
    struct e2e_watch w;
    struct plain *p = start_long(&w, dir, what);

    kill(plain_pid(p), signo);
    check_death_of(p, what, signo);
    if (signo == SIGINT || signo == SIGTERM) /* what was measured is not thrown away */
        tap_ok(strstr(plain_out(p), "MB/s") != NULL, "%s: the table is printed", what);
    e2e_check_nothing_left(&w, what, 10000);
    plain_free(p);
}

static void test_fio_killed(void)
{
    const char *dir = e2e_dir(), *what = "SIGKILL of fio";
    struct e2e_watch w;
    struct plain *p = start_long(&w, dir, what);

    kill(e2e_watch_fio(&w), SIGKILL);
    tap_ok(plain_wait_err(p, "killed from outside", 30000), "%s: a sentence says so", what);
    tap_ok(plain_wait_err(p, "[3/9]", 30000), "%s: the next test begins", what);
    kill(plain_pid(p), SIGTERM); /* seven more tests of 30 s are of no interest */
    check_death_of(p, what, SIGTERM);
    tap_ok(strstr(plain_out(p), "failed") != NULL, "%s: the cell says that it failed", what);
    e2e_check_nothing_left(&w, what, 10000);
    plain_free(p);
}

/* On a file system that nobody else writes to, the space is exactly what it was. */
static void test_space_returns(void)
{
    static const int signals[] = {SIGTERM, SIGKILL};
    const char *dir = e2e_private_fs("128m");

    if (!dir) {
        tap_skip("needs root and mount(2)", "free space is given back");
        return;
    }
    for (size_t i = 0; i < 2; i++) {
        unsigned long long before = e2e_free_bytes(dir);
        struct plain *p =
            plain_start(NULL, PROGRAM("--buffered", "--size", "32m", "--runtime", "30", dir));
        struct e2e_watch w;

        /* Not before: the probe has a small file of its own. */
        tap_ok(plain_wait_err(p, "[2/9]", 30000), "signal %d: the first test begins", signals[i]);
        tap_ok(e2e_watch(&w, dir, plain_pid(p), NULL, p, 30000), "signal %d: fio runs", signals[i]);
        tap_ok(e2e_free_bytes(dir) + (16 << 20) < before, "signal %d: the bench file takes space",
               signals[i]);
        kill(plain_pid(p), signals[i]);
        plain_wait_exit(p, 30000);
        e2e_check_nothing_left(&w, "own file system", 10000);
        tap_int((long long)e2e_free_bytes(dir), (long long)before,
                "signal %d: free space is what it was", signals[i]);
        plain_free(p);
    }
}

int main(void)
{
    e2e_begin();
    if (!e2e_have_fio()) {
        tap_skip("no fio here", "text mode");
        return e2e_done();
    }
    test_cdm();
    test_slog();
    test_against_fio(false);
    test_against_fio(true);
    check_signal("SIGINT", SIGINT);
    check_signal("SIGTERM", SIGTERM);
    check_signal("SIGHUP", SIGHUP);
    check_signal("SIGKILL", SIGKILL);
    test_fio_killed();
    test_space_returns();
    return e2e_done();
}
