/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A terminal that stops reading during a run costs frames and nothing else: fio is read all the
 * time, and the figures are complete afterwards. STHD_STALL_S: seconds (10; try 60).
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

#include "e2e.h"
#include "sthd/err.h"
#include "tap.h"

struct stall {
    struct timespec until;
};

static bool time_is_over(struct vt *v, void *arg)
{
    const struct stall *s = arg;
    struct timespec now;

    (void)v;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec > s->until.tv_sec ||
           (now.tv_sec == s->until.tv_sec && now.tv_nsec >= s->until.tv_nsec);
}

static void stall(struct vt *v, long seconds)
{
    struct stall s;

    clock_gettime(CLOCK_MONOTONIC, &s.until);
    s.until.tv_sec += seconds;
    vt_stall(v, true);
    vt_wait(v, time_is_over, &s, (int)(seconds + 5) * 1000);
    vt_stall(v, false);
}

static void check_table(struct vt *v, const char *what)
{
    static const char *const rows[] = {"T1", "T4", "T8", "T16"};
    struct e2e_table t;
    double step;

    tap_ok(e2e_table_parse(&t, vt_transcript(v)), "%s: a table at the end", what);
    for (size_t i = 0; i < 4; i++)
        tap_ok(e2e_number(e2e_table_cell(&t, rows[i], "IOPS", 0), &step) > 0 &&
                   e2e_number(e2e_table_cell(&t, rows[i], "p99", 0), &step) > 0,
               "%s: figures of %s are complete", what, rows[i]);
}

/*
 * The stall covers the end of the first and the whole of the second test at least. A long line of
 * frames must not be waiting either: what comes after the stall is less than a screenful or two.
 */
static void test_full_screen(long seconds)
{
    const char *dir = e2e_dir();
    char runtime[32];
    struct e2e_watch w;
    struct vt *v;
    uint64_t before;
    int status;

    snprintf(runtime, sizeof(runtime), "%ld", seconds / 3 + 1);
    v = vt_start(&(struct vt_spec){.rows = 24, .cols = 80},
                 (const char *[]){e2e_program(), "--slog", "--interval=50", "--size=16m",
                                  "--runtime", runtime, dir, NULL});
    e2e_press_start(v);
    tap_ok(e2e_watch(&w, dir, vt_pid(v), v, NULL, 30000), "full screen: fio runs");
    before = vt_bytes(v);
    stall(v, seconds);
    tap_ok(vt_wait_text(v, "finished", 120000), "full screen: the run ends");
    tap_note("%llu bytes since the stall began", (unsigned long long)(vt_bytes(v) - before));
    vt_keys(v, "q");
    tap_ok(vt_wait_exit(v, &status, 30000), "full screen: it leaves");
    tap_int(status, 0, "full screen: all tests gave a figure");
    check_table(v, "full screen");
    tap_ok(vt_termios_restored(v) && !vt_alt_screen(v), "full screen: the terminal is as before");
    e2e_check_nothing_left(&w, "full screen", 10000);
    vt_free(v);
}

static void test_text_mode(long seconds)
{
    const char *dir = e2e_dir();
    char runtime[32];
    struct e2e_watch w;
    struct vt *v;
    int status;

    snprintf(runtime, sizeof(runtime), "%ld", seconds / 3 + 1);
    /* fio's raw output goes to the terminal too: far more than its buffer takes. */
    v = vt_start(&(struct vt_spec){.rows = 24, .cols = 100},
                 (const char *[]){e2e_program(), "--text", "--yes", "--verbose", "--interval=50",
                                  "--slog", "--size=16m", "--runtime", runtime, dir, NULL});
    tap_ok(e2e_watch(&w, dir, vt_pid(v), v, NULL, 30000), "text: fio runs");
    stall(v, seconds);
    tap_ok(vt_wait_exit(v, &status, 120000), "text: it ends");
    tap_int(status, 0, "text: all tests gave a figure");
    check_table(v, "text");
    e2e_check_nothing_left(&w, "text", 10000);
    vt_free(v);
}

int main(void)
{
    const char *text = getenv("STHD_STALL_S");
    long seconds = text ? strtol(text, NULL, 10) : 10;

    e2e_begin();
    if (!e2e_have_fio()) {
        tap_skip("no fio here", "a stalled terminal");
        return e2e_done();
    }
    test_full_screen(seconds);
    test_text_mode(seconds);
    return e2e_done();
}
