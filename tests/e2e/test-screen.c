/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The full screen with the real fio: from the menus to the table on stdout, cells that move, and a
 * terminal that is as it was however it ends.
 */
#include <math.h>
#include <regex.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "e2e.h"
#include "sthd/err.h"
#include "sthd/mem.h"
#include "tap.h"

#define SHOWN_MS 10000 /* for what is a matter of a moment */
#define START_MS 30000 /* preparation of a small file on a slow disk */
#define RUN_MS   120000

static struct vt *open_screen(const struct vt_spec *spec, const char *dir, const char *profile,
                              const char *runtime)
{
    const char *argv[] = {
        e2e_program(), "--profile", profile, "--size", "16m", dir, runtime ? "--runtime" : NULL,
        runtime,       NULL};

    return vt_start(spec, argv);
}

static const struct vt_spec normal = {.rows = 24, .cols = 80};

static void check_terminal(struct vt *v, const char *what)
{
    tap_ok(!vt_alt_screen(v), "%s: the alternate screen is left", what);
    tap_ok(vt_termios_restored(v), "%s: terminal settings as before", what);
    tap_ok(vt_cursor_visible(v), "%s: the cursor is visible", what);
    tap_ok(!vt_mouse(v), "%s: no mouse reports", what);
}

/* ---- the main job ---- */

/* The figures of the current row, as text: what a person sees moving. */
struct moving {
    const char *row;
    char last[1024];
    unsigned changes;
};

static bool count_changes(struct vt *v, void *arg)
{
    struct moving *m = arg;
    int at = vt_find(v, m->row, NULL);

    if (at >= 0 && strcmp(vt_row(v, at), m->last)) {
        snprintf(m->last, sizeof(m->last), "%s", vt_row(v, at));
        m->changes++;
    }
    return vt_shows(v, "step 3 of"); /* step 1 prepares, step 2 is the first test */
}

static bool count_a_few(struct vt *v, void *arg)
{
    struct moving *m = arg;

    count_changes(v, arg);
    return m->changes > 4;
}

static void test_cells_move(void)
{
    const char *dir = e2e_dir();
    struct vt *v = open_screen(&normal, dir, "cdm", "5");
    struct moving m = {.row = "SEQ1M Q8T1"};
    struct e2e_watch w;
    int status;

    e2e_press_start(v);
    tap_ok(e2e_watch(&w, dir, vt_pid(v), v, NULL, START_MS), "fio runs");
    tap_ok(vt_wait_text(v, "step 2 of", START_MS), "the first test begins");
    tap_ok(vt_wait(v, count_changes, &m, RUN_MS), "the first test ends");
    /* 5 s at 4 a second: 20 intervals, of which a busy machine may merge or drop some. */
    tap_ok(m.changes >= 15, "the cell moved %u times in 5 s", m.changes);
    e2e_press_quit(v);
    tap_ok(vt_wait_exit(v, &status, START_MS), "q and y leave");
    tap_int(WIFEXITED(status) ? WEXITSTATUS(status) : -1, EXIT_CODE_STOPPED, "exit code");
    check_terminal(v, "q");
    e2e_check_nothing_left(&w, "q", 10000);
    vt_free(v);
}

static void test_whole_run(int rows, int cols, const char *profile, const char *row)
{
    const char *dir = e2e_dir();
    struct vt *v = open_screen(&(struct vt_spec){.rows = rows, .cols = cols}, dir, profile, "1");
    struct e2e_table t;
    struct e2e_watch w;
    int status;
    double step;

    tap_ok(vt_wait_text(v, "speedtest-hd", SHOWN_MS), "%dx%d: the setup screen", cols, rows);
    tap_ok(vt_alt_screen(v), "%dx%d: on the alternate screen", cols, rows);
    e2e_press_start(v);
    tap_ok(e2e_watch(&w, dir, vt_pid(v), v, NULL, START_MS), "%dx%d: fio runs", cols, rows);
    tap_ok(vt_wait_text(v, row, START_MS), "%dx%d: the running test is on screen", cols, rows);
    tap_ok(vt_wait_text(v, "finished", RUN_MS), "%dx%d: the run ends", cols, rows);
    vt_keys(v, "q");
    tap_ok(vt_wait_exit(v, &status, SHOWN_MS), "%dx%d: q leaves at once when it is over", cols,
           rows);
    tap_int(WIFEXITED(status) ? WEXITSTATUS(status) : -1, EXIT_CODE_OK, "%dx%d: exit code", cols,
            rows);
    check_terminal(v, "normal end");
    tap_ok(e2e_table_parse(&t, vt_transcript(v)), "%dx%d: the table stays on the screen", cols,
           rows);
    tap_ok(e2e_number(e2e_table_cell(&t, row, "MB/s", 0), &step) > 0, "%dx%d: with figures", cols,
           rows);
    e2e_check_nothing_left(&w, "normal end", 10000);
    vt_free(v);
}

/* ---- saving ---- */

static void type(struct vt *v, const char *text)
{
    for (; *text; text++) { /* in one burst it would be a paste, which a field takes too */
        vt_keys(v, (char[]){*text, '\0'});
        vt_pump(v, 20);
    }
}

/* The result in a file of its own; what exists is never overwritten. */
static void test_save(void)
{
    const char *dir = e2e_dir(), *file = e2e_text("%s/result.json", e2e_dir());
    struct vt *v = open_screen(&normal, dir, "slog", "1");
    int status;

    e2e_press_start(v);
    tap_ok(vt_wait_text(v, "finished", RUN_MS), "save: the run ends");
    for (int again = 0; again < 2; again++) {
        vt_keys(v, "x");
        tap_ok(vt_wait_match(v, "speedtest-hd-slog-[0-9-]+\\.json", SHOWN_MS),
               "save: a name is proposed");
        vt_keys(v, "\025");
        type(v, file);
        vt_keys(v, "\r");
        if (again)
            tap_ok(vt_wait_text(v, "Not saved (File exists, choose another name): ", SHOWN_MS),
                   "save: what is there is kept");
        else
            tap_ok(vt_wait_text(v, "saved:", SHOWN_MS), "save: it is saved");
    }
    struct plain *p = plain_run(
        NULL, (const char *[]){"jq", "-r", ".format, (.cells | length)", file, NULL}, 10000);
    tap_str(plain_out(p), "speedtest-hd/1\n4\n", "save: a document with all cells");
    plain_free(p);
    remove(file);
    vt_keys(v, "q");
    tap_ok(vt_wait_exit(v, &status, SHOWN_MS) && status == 0, "save: it leaves");
    vt_free(v);
}

/* ---- watching ---- */

/* Until it is stopped, with a mark; what was before and after it outlives the screen. */
static void test_watch(void)
{
    const char *dir = e2e_dir();
    struct vt *v = open_screen(&normal, dir, "watch", NULL);
    struct moving m = {.row = "now "};
    struct e2e_watch w;
    int status;

    e2e_press_start(v);
    tap_ok(e2e_watch(&w, dir, vt_pid(v), v, NULL, START_MS), "watch: fio runs");
    tap_ok(vt_wait_match(v, "^ start .* [0-9]+ s .*[0-9]", START_MS), "watch: a stretch begins");
    vt_keys(v, "m");
    tap_ok(vt_wait_match(v, "mark 1: p50 .* \\(was .*\\), .* IOPS \\(was .*\\), .* x", START_MS),
           "watch: the mark says what was before and after it");
    tap_ok(vt_shows(v, "mark 1 "), "watch: the mark is in the table");
    vt_keys(v, "n");
    tap_ok(vt_wait_text(v, "there is no next test", SHOWN_MS), "watch: there is no next test");
    tap_ok(vt_wait(v, count_a_few, &m, START_MS), "watch: it goes on");
    vt_keys(v, "s");
    tap_ok(vt_wait_text(v, "Stop the run", SHOWN_MS), "watch: s asks");
    vt_keys(v, "y");
    tap_ok(vt_wait_text(v, "finished", START_MS), "watch: stopping it is how it ends");
    vt_keys(v, "q");
    tap_ok(vt_wait_exit(v, &status, SHOWN_MS), "watch: it leaves");
    tap_int(WIFEXITED(status) ? WEXITSTATUS(status) : -1, EXIT_CODE_OK, "watch: exit code");
    tap_ok(strstr(vt_transcript(v), "mark 1: p50 "), "watch: the mark is printed");
    check_terminal(v, "watch");
    e2e_check_nothing_left(&w, "watch", 10000);
    vt_free(v);
}

/* ---- the ways to go ---- */

enum how { KEY_INTERRUPT, SIGNAL_US, KILL_FIO, HANGUP };

static void check_way(const char *what, enum how how, int signo)
{
    const char *dir = e2e_dir();
    struct vt *v = open_screen(&normal, dir, "cdm", "30");
    struct e2e_watch w;
    int status = 0;

    e2e_press_start(v);
    tap_ok(vt_wait_text(v, "step 2 of", START_MS), "%s: the first test begins", what);
    tap_ok(e2e_watch(&w, dir, vt_pid(v), v, NULL, START_MS), "%s: fio runs", what);
    switch (how) {
    case KEY_INTERRUPT: /* stops and shows what is there; then it is no longer running: out */
        vt_keys(v, "\003");
        tap_ok(vt_wait_text(v, " stopped", START_MS), "%s: stopped, and still there", what);
        vt_keys(v, "\003");
        break;
    case SIGNAL_US:
        vt_signal(v, signo);
        break;
    case KILL_FIO:
        kill(e2e_watch_fio(&w), SIGKILL);
        tap_ok(vt_wait_text(v, "fio was killed from outside", START_MS), "%s: it says so", what);
        e2e_press_quit(v);
        break;
    case HANGUP:
        vt_hangup(v);
        break;
    }
    tap_ok(vt_wait_exit(v, &status, START_MS), "%s: it ends", what);
    if (how == SIGNAL_US || how == HANGUP)
        tap_ok(WIFSIGNALED(status) && WTERMSIG(status) == signo, "%s: of signal %d (status %x)",
               what, signo, status);
    /* Nothing of ours can clean up after SIGKILL, and a terminal that is gone is nobody's. */
    if (how != HANGUP && !(how == SIGNAL_US && signo == SIGKILL))
        check_terminal(v, what);
    e2e_check_nothing_left(&w, what, 10000);
    vt_free(v);
}

/* ---- sizes ---- */

static void test_sizes(void)
{
    static const struct {
        int rows, cols;
    } storm[] = {{1, 1},   {24, 80}, {2, 3},   {100, 300}, {5, 200}, {60, 10},
                 {16, 60}, {1, 300}, {100, 1}, {15, 59},   {24, 80}};
    const char *dir = e2e_dir();
    struct vt *v;
    int status;

    for (int zero = 0; zero < 2; zero++) {
        v = vt_start(
            &(struct vt_spec){.rows = zero ? 24 : 1, .cols = zero ? 80 : 1, .size_zero = zero},
            (const char *[]){e2e_program(), dir, NULL});
        tap_ok(vt_wait_bytes(v, 0, SHOWN_MS), "%s: it draws", zero ? "0x0" : "1x1");
        vt_resize(v, 24, 80);
        tap_ok(vt_wait_text(v, "speedtest-hd", SHOWN_MS), "%s, then 80x24: the setup screen",
               zero ? "0x0" : "1x1");
        vt_keys(v, "q");
        tap_ok(vt_wait_exit(v, &status, SHOWN_MS), "it leaves");
        tap_int(status, 0, "exit status");
        vt_free(v);
    }

    v = open_screen(&normal, dir, "slog", "5");
    struct e2e_watch w;
    e2e_press_start(v);
    tap_ok(e2e_watch(&w, dir, vt_pid(v), v, NULL, START_MS), "storm: fio runs");
    for (int round = 0; round < 20; round++)
        for (size_t i = 0; i < sizeof(storm) / sizeof(storm[0]); i++) {
            vt_resize(v, storm[i].rows, storm[i].cols);
            vt_pump(v, 1);
        }
    tap_ok(vt_wait_text(v, "T1", SHOWN_MS), "storm: the view is back at 80x24");
    vt_signal(v, SIGTERM);
    tap_ok(vt_wait_exit(v, &status, START_MS), "storm: it ends");
    tap_ok(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM, "storm: of our signal (%x)", status);
    check_terminal(v, "storm");
    e2e_check_nothing_left(&w, "storm", 10000);
    vt_free(v);
}

/* ---- manners ---- */

static void test_paste(void)
{
    struct vt *v = open_screen(&normal, e2e_dir(), "cdm", "30");
    int status;

    tap_ok(vt_wait_text(v, "works", SHOWN_MS), "setup");
    vt_keys(v, "qqqq; sy y\r");
    tap_ok(vt_wait_text(v, "paste", SHOWN_MS), "a paste is told, and starts or ends nothing");
    vt_signal(v, SIGTERM);
    tap_ok(vt_wait_exit(v, &status, SHOWN_MS) && WIFSIGNALED(status), "it was still there");
    vt_free(v);
}

static void test_manners(void)
{
    const char *dir = e2e_dir();
    struct vt *v = open_screen(&normal, dir, "cdm", "30");
    struct e2e_watch w;
    int status;

    tap_ok(vt_wait_text(v, "works", SHOWN_MS), "setup");
    vt_keys(v, "\032");
    tap_ok(vt_wait_stopped(v, SHOWN_MS), "Ctrl-Z at the setup screen suspends");
    check_terminal(v, "suspended");
    vt_continue(v);
    tap_ok(vt_wait_text(v, "works", SHOWN_MS), "and comes back");
    e2e_press_start(v);
    tap_ok(e2e_watch(&w, dir, vt_pid(v), v, NULL, START_MS), "fio runs");
    vt_keys(v, "\032");
    tap_ok(vt_wait_text(v, "not suspended", SHOWN_MS), "Ctrl-Z in a run is refused with a reason");
    vt_keys(v, "q");
    tap_ok(vt_wait_text(v, "and quit?", SHOWN_MS), "q asks");
    vt_keys(v, "n");
    tap_ok(vt_wait_gone(v, "and quit?", SHOWN_MS), "n takes the question away");
    tap_ok(proc_alive(&w.ids[w.n - 1]) && vt_matches(v, " (preparing|running)$"), "and it goes on");
    vt_signal(v, SIGTERM);
    tap_ok(vt_wait_exit(v, &status, START_MS), "it ends");
    vt_free(v);
}

/* Terminals that can little: it degrades, or becomes text mode, and never refuses. */
static void test_poor_terminals(void)
{
    static const struct {
        const char *term, *locale;
        bool full;
    } rows[] = {
        {"xterm-256color", "LC_ALL=C", true}, {"vt100", "LC_ALL=C.UTF-8", true},
        {"linux", "LC_ALL=C", true},          {"no-such-terminal", "LC_ALL=C.UTF-8", true},
        {"dumb", "LC_ALL=C.UTF-8", false},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const char *env[] = {rows[i].locale, NULL};
        struct vt *v =
            vt_start(&(struct vt_spec){.rows = 24, .cols = 80, .term = rows[i].term, .env = env},
                     (const char *[]){e2e_program(), "--size=16m", "--runtime=1", e2e_dir(), NULL});
        int status;

        if (rows[i].full) {
            bool ascii = true;
            tap_ok(vt_wait_text(v, "works", SHOWN_MS), "%s: the setup screen", rows[i].term);
            for (const char *c = vt_raw(v); *c; c++)
                ascii = ascii && !((unsigned char)*c & 0x80);
            if (!strcmp(rows[i].locale, "LC_ALL=C"))
                tap_ok(ascii, "%s: ASCII only in the C locale", rows[i].term);
            vt_keys(v, "q");
        } else {
            tap_ok(vt_wait_text(v, "[y/N]", SHOWN_MS), "%s: text mode, with a question",
                   rows[i].term);
            tap_ok(!strchr(vt_raw(v), '\033'), "%s: no control sequences", rows[i].term);
            vt_keys(v, "n\n");
        }
        tap_ok(vt_wait_exit(v, &status, SHOWN_MS), "%s: it leaves", rows[i].term);
        tap_ok(vt_termios_restored(v), "%s: terminal settings as before", rows[i].term);
        vt_free(v);
    }
}

int main(void)
{
    e2e_begin();
    if (!e2e_have_fio()) {
        tap_skip("no fio here", "full screen");
        return e2e_done();
    }
    test_poor_terminals();
    test_paste();
    test_manners();
    test_sizes();
    test_cells_move();
    test_watch();
    test_save();
    test_whole_run(24, 80, "cdm", "RND4K Q1T1");
    test_whole_run(50, 160, "slog", "T4");
    check_way("Ctrl-C", KEY_INTERRUPT, 0);
    check_way("SIGTERM", SIGNAL_US, SIGTERM);
    check_way("SIGHUP", SIGNAL_US, SIGHUP);
    check_way("SIGKILL", SIGNAL_US, SIGKILL);
    check_way("SIGKILL of fio", KILL_FIO, 0);
    check_way("the terminal goes away", HANGUP, SIGHUP);
    return e2e_done();
}
