/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The harness against programs whose behaviour is known (the shell), so that a later failure is the
 * program's and not the harness's.
 */
#include <signal.h>
#include <string.h>
#include <sys/wait.h>

#include "proc.h"
#include "sthd/buf.h"
#include "tap.h"
#include "vt.h"

#define SH(...) ((const char *[]){"sh", "-c", __VA_ARGS__, NULL})

static struct vt *start(const char *script)
{
    return vt_start(&(struct vt_spec){.rows = 10, .cols = 40}, SH(script));
}

static void test_screen(void)
{
    struct vt *v =
        start("printf 'one\\n\\033[1;7mtwo\\033[0m gr\\303\\274n\\n'; read x; printf '\\033[?1049h"
              "\\033[Halt %s' \"$x\"; read x; printf '\\033[?1049l'; exit 3");
    struct vt_cell c;
    int col, row, status;

    tap_ok(vt_wait_text(v, "two gr\303\274n", 5000), "text appears");
    tap_str(vt_row(v, 0), "one", "first row");
    row = vt_find(v, "two", &col);
    vt_cell(v, row, col, &c);
    tap_ok(c.bold && c.reverse && !strcmp(c.text, "t"), "bold reverse cell");
    tap_ok(!vt_alt_screen(v), "normal screen first");
    vt_keys(v, "typed\n");
    tap_ok(vt_wait_text(v, "alt typed", 5000), "keys arrive");
    tap_ok(vt_alt_screen(v), "alternate screen");
    vt_keys(v, "\n");
    tap_ok(vt_wait_exit(v, &status, 5000), "it ends");
    tap_int(WIFEXITED(status) ? WEXITSTATUS(status) : -1, 3, "exit status");
    tap_ok(!vt_alt_screen(v) && vt_shows(v, "one"), "the normal screen is back");
    tap_ok(vt_termios_restored(v), "terminal settings as before");
    tap_ok(vt_bytes(v) > 20 && vt_first_byte_ns(v) >= vt_started_ns(v), "bytes and times");
    vt_free(v);
}

static void test_termios(void)
{
    struct vt *v = start("stty raw -echo; echo done");

    tap_ok(vt_wait_exit(v, NULL, 5000), "stty ends");
    tap_ok(!vt_termios_restored(v), "a changed terminal is seen");
    vt_free(v);
}

static void test_size(void)
{
    struct vt *v = start("trap 'stty size; : >/dev/null' WINCH; stty size; "
                         "while :; do read x && exit 0; done");
    struct vt *zero = vt_start(&(struct vt_spec){.size_zero = true}, SH("stty size"));

    tap_ok(vt_wait_text(v, "10 40", 5000), "size at start");
    vt_resize(v, 7, 33);
    vt_keys(v, "\n");
    tap_ok(vt_wait_exit(v, NULL, 5000), "ends");
    tap_ok(vt_wait_text(v, "7 33", 5000), "size after a resize");
    vt_free(v);
    tap_ok(vt_wait_text(zero, "0 0", 5000), "size 0x0");
    vt_free(zero);
}

static void test_stall(void)
{
    struct vt *v = start("yes 12345678901234567890 | head -c 1000000; echo; echo end");
    uint64_t before;

    tap_ok(vt_wait_bytes(v, 0, 5000), "it writes");
    vt_stall(v, true);
    before = vt_bytes(v);
    vt_pump(v, 300);
    tap_int((long long)vt_bytes(v), (long long)before, "nothing read while stalled");
    vt_stall(v, false);
    tap_ok(vt_wait_exit(v, NULL, 10000), "it ends after the stall");
    tap_ok(vt_shows(v, "end"), "and nothing was lost");
    tap_ok(vt_bytes(v) >= 1000000, "all bytes counted");
    tap_ok(strstr(vt_transcript(v), "12345678901234567890") != NULL, "scrolled lines are kept");
    vt_free(v);
}

static void test_job_control(void)
{
    struct vt *v = start("echo ready; read x; echo got $x");

    tap_ok(vt_wait_text(v, "ready", 5000), "ready");
    vt_keys(v, "\032"); /* ^Z */
    tap_ok(vt_wait_stopped(v, 5000), "Ctrl-Z stops it");
    vt_continue(v);
    vt_keys(v, "again\n");
    tap_ok(vt_wait_exit(v, NULL, 5000), "goes on in the foreground");
    tap_ok(vt_shows(v, "got again"), "and reads");
    vt_free(v);
}

static void test_hangup(void)
{
    struct vt *v = start("echo ready; sleep 60");
    int status = 0;

    tap_ok(vt_wait_text(v, "ready", 5000), "ready");
    vt_hangup(v);
    tap_ok(vt_wait_exit(v, &status, 5000), "a hang-up ends it");
    tap_ok(WIFSIGNALED(status) && WTERMSIG(status) == SIGHUP, "of SIGHUP");
    vt_free(v);
}

static void test_plain(void)
{
    struct plain *p = plain_run(&(struct plain_spec){.input = "in\n"},
                                SH("read x; echo out $x; echo err >&2; exit 4"), 5000);

    tap_str(plain_out(p), "out in\n", "stdout");
    tap_str(plain_err(p), "err\n", "stderr");
    tap_int(plain_exit_code(p), 4, "exit code");
    tap_ok(plain_max_rss_kib(p) > 100 && plain_seconds(p) > 0, "usage");
    plain_free(p);
}

static void test_processes(void)
{
    struct plain *p;
    struct proc_id ids[PROC_IDS], left;
    struct buf holders = BUF_INIT;
    size_t n;

    p = plain_start(NULL, SH("exec 9</proc/version; sleep 60 & echo up; wait"));
    tap_ok(plain_wait_out(p, "up", 5000), "started");
    n = proc_descendants(ids, plain_pid(p));
    tap_int((long long)n, 1, "one child");
    tap_ok(n && proc_alive(&ids[0]), "alive");
    proc_holders(&holders, "/proc/version");
    tap_ok(holders.len > 0, "who holds a file is found");
    tap_ok(!proc_wait_gone(ids, n, 50, &left), "a process that stays is told");
    kill(-plain_pid(p), SIGKILL);
    tap_ok(proc_wait_gone(ids, n, 5000, &left), "gone");
    tap_ok(plain_wait_exit(p, 5000), "over");
    buf_done(&holders);
    plain_free(p);
}

int main(void)
{
    test_screen();
    test_termios();
    test_size();
    test_stall();
    test_job_control();
    test_hangup();
    test_plain();
    test_processes();
    return tap_done();
}
