/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The forms of a result as other programs get them: real runs, JSON read back by jq, which shares
 * no code with the program; and what happens when nobody reads.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "e2e.h"
#include "sthd/err.h"
#include "tap.h"

#define RUN_MS   120000
#define SHOWN_MS 10000

/* A quick run: two tests of one direction. */
#define QUICK(...)                                                                                \
    ((const char *[]){e2e_program(), "--text", "--yes", "--size=16m", "--runtime=1",              \
                      "--profile=cdm-real", "--only=read", "--loops=1", "--pause=0", __VA_ARGS__, \
                      NULL})

static bool have(const char *tool)
{
    struct plain *p =
        plain_run(NULL, (const char *[]){"sh", "-c", e2e_text("command -v %s", tool), NULL}, 5000);
    bool found = plain_exit_code(p) == 0;

    plain_free(p);
    return found;
}

/* What a filter makes of a text: owned by the caller. NULL when it fails. */
static char *through(const char *text, const char *const argv[])
{
    struct plain *p = plain_run(&(struct plain_spec){.input = text}, argv, 30000);
    char *out = plain_exit_code(p) == 0 ? strdup(plain_out(p)) : NULL;

    if (!out)
        tap_note("%s: %s", argv[0], plain_err(p));
    plain_free(p);
    return out;
}

static void check_jq(const char *json, const char *filter, const char *want, const char *what)
{
    char *got = through(json, (const char *[]){"jq", "-c", filter, NULL});

    tap_str(got ? got : "", e2e_text("%s\n", want), "%s: %s", what, filter);
    free(got);
}

static void test_json(void)
{
    const char *dir = e2e_dir();
    struct plain *p = plain_run(NULL, QUICK("--json", "--per-job", dir), RUN_MS);
    const char *json = plain_out(p);

    tap_int(plain_exit_code(p), EXIT_CODE_OK, "json: exit code");
    tap_ok(json[0] == '{' && !strchr(json, '\r') && !strchr(json, '\033'),
           "json: nothing else is on stdout");
    if (!have("jq")) {
        tap_skip("no jq here", "json: valid");
        plain_free(p);
        return;
    }
    check_jq(json, ".format", "\"speedtest-hd/1\"", "json");
    check_jq(json, "[.cells[] | [.test, .direction, .state]]",
             "[[\"SEQ1M Q1T1\",\"read\",\"done\"],[\"RND4K Q1T1\",\"read\",\"done\"]]", "json");
    check_jq(json, "[.cells[].figures | (.bytes_per_s > 0 and .lat_p50_ns <= .lat_p99_ns)]",
             "[true,true]", "json");
    check_jq(json,
             "[.cells[] | (.figures.iops * .block_bytes / .figures.bytes_per_s | . > 0.9 and . < "
             "1.1)]",
             "[true,true]", "json");
    check_jq(json, "[.cells[] | (.samples | length) == .samples_taken]", "[true,true]", "json");
    check_jq(json, "[.cells[].per_job.jobs]", "[1,1]", "json");
    check_jq(json, "[.steps[] | .kind, .outcome, (.command | length > 5)] | unique",
             "[true,\"measure\",\"ok\",\"prepare\",\"warmup\"]", "json");
    check_jq(json, e2e_text(".target.path == \"%s\"", dir), "true", "json");
    check_jq(json, ".exit | [.code, .signal, .complete]", "[0,null,true]", "json");
    check_jq(json, "[.. | numbers | select(. < 0)]", "[]", "json");
    plain_free(p);
}

/* A run that a signal ended says so, and is as valid. */
static void test_json_stopped(void)
{
    const char *dir = e2e_dir();
    struct plain *p = plain_start(NULL, (const char *[]){e2e_program(), "--text", "--yes", "--json",
                                                         "--size=16m", "--runtime=30", dir, NULL});

    tap_ok(plain_wait_err(p, "[2/9]", 30000), "stopped: the first test begins");
    kill(plain_pid(p), SIGTERM);
    tap_ok(plain_wait_exit(p, 30000), "stopped: it ends");
    tap_ok(WIFSIGNALED(plain_status(p)), "stopped: of the signal");
    if (have("jq"))
        check_jq(plain_out(p), "[.exit.signal, .exit.stopped, (.cells | length)]", "[15,true,8]",
                 "stopped");
    else
        tap_skip("no jq here", "stopped: valid");
    plain_free(p);
}

static void test_texts(void)
{
    static const struct {
        const char *format, *begins, *has;
    } rows[] = {
        {"csv", "time,host,path,", ",SEQ1M Q1T1,read,done,"},
        {"markdown", "### speedtest-hd ", "\n| SEQ1M Q1T1 | "},
        {"cdm", "------", "\n[Read]\n  SEQ    1MiB (Q=  1, T= 1): "},
        {"table", "Target ", "SEQ1M Q1T1"},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct plain *p =
            plain_run(NULL, QUICK(e2e_text("--format=%s", rows[i].format), e2e_dir()), RUN_MS);
        const char *out = plain_out(p);
        tap_int(plain_exit_code(p), EXIT_CODE_OK, "%s: exit code", rows[i].format);
        tap_ok(strncmp(out, rows[i].begins, strlen(rows[i].begins)) == 0, "%s: how it begins",
               rows[i].format);
        tap_ok(strstr(out, rows[i].has), "%s: a row", rows[i].format);
        tap_ok(!strchr(out, '\r') && !strchr(out, '\033'), "%s: LF, no colour", rows[i].format);
        plain_free(p);
    }
}

/* Colour is asked of the stream that is written to, and only the table has any. */
static void test_colour(void)
{
    static const char *const env[] = {"FORCE_COLOR=1", "NO_COLOR", "TERM=xterm", NULL};
    const struct plain_spec spec = {.env = env};
    struct plain *p = plain_run(&spec, QUICK("--dd", "--profile=dd", e2e_dir()), RUN_MS);

    tap_ok(strchr(plain_out(p), '\033'), "FORCE_COLOR colours a table in a pipe");
    plain_free(p);
    p = plain_run(&spec, QUICK("--dd", "--profile=dd", "--json", e2e_dir()), RUN_MS);
    tap_ok(!strchr(plain_out(p), '\033'), "but never JSON");
    plain_free(p);
}

/* ---- nobody reads ---- */

#define PIPED "\"$0\" --text --yes --size=16m "

static struct plain *start_shell(const char *script, const char *dir)
{
    return plain_start(NULL, (const char *[]){"sh", "-c", script, e2e_program(), dir, NULL});
}

static void test_head(void)
{
    static const char script[] =
        "{ " PIPED "--runtime=1 --profile=cdm-demo --only=read --loops=1 --json \"$1\"; "
        "echo \"status $?\" >&2; } | head -n 1";
    struct plain *p = start_shell(script, e2e_dir());

    tap_ok(plain_wait_exit(p, RUN_MS), "| head: it ends");
    tap_str(plain_out(p), "{\n", "| head: the first line");
    /* Whether head is gone before all is written is up to the scheduler. */
    tap_ok(strstr(plain_err(p), "status 0\n") || strstr(plain_err(p), "status 10\n"),
           "| head: its exit status is one of the two that are documented");
    plain_free(p);
}

/* The reader leaves in the middle of a test of 60 s. */
static void test_reader_leaves(void)
{
    const char *dir = e2e_dir(), *what = "the reader leaves";
    const char *fifo = e2e_text("%s/../leave-%d", dir, (int)getpid());
    const char *script = e2e_text("{ " PIPED "--runtime=60 --json \"$1\"; echo \"status $?\" >&2; }"
                                  " | read x <'%s'",
                                  fifo);
    struct e2e_watch w;

    unlink(fifo);
    if (mkfifo(fifo, 0600)) {
        tap_skip("no fifo can be made", "%s", what);
        return;
    }
    struct plain *p = start_shell(script, dir);
    tap_ok(plain_wait_err(p, "[2/9]", 30000), "%s: the first test runs", what);
    tap_ok(e2e_watch(&w, dir, plain_pid(p), NULL, p, 30000), "%s: fio runs", what);
    int fd = open(fifo, O_WRONLY | O_CLOEXEC);
    if (fd >= 0) {
        tap_int(write(fd, "x\n", 2), 2, "%s: now", what);
        close(fd);
    }
    tap_ok(plain_wait_exit(p, 30000), "%s: the run ends long before its time", what);
    tap_ok(strstr(plain_err(p), "Nobody reads standard output"), "%s: a sentence", what);
    tap_ok(strstr(plain_err(p), e2e_text("status %d\n", EXIT_CODE_OUTPUT)), "%s: exit status %d",
           what, EXIT_CODE_OUTPUT);
    e2e_check_nothing_left(&w, what, 10000);
    plain_free(p);
    unlink(fifo);
}

static void test_reader_never(void)
{
    static const char script[] = "{ " PIPED "--runtime=60 \"$1\"; echo \"status $?\" >&2; } | :";
    struct plain *p = start_shell(script, e2e_dir());

    tap_ok(plain_wait_exit(p, 30000), "no reader from the start: it ends at once");
    tap_ok(strstr(plain_err(p), e2e_text("status %d\n", EXIT_CODE_OUTPUT)),
           "no reader from the start: exit status");
    plain_free(p);
}

static void test_full(void)
{
    static const char script[] =
        PIPED "--runtime=1 --profile=cdm-demo --only=read --loops=1 \"$1\" >/dev/full";
    struct plain *p = start_shell(script, e2e_dir());

    tap_ok(plain_wait_exit(p, RUN_MS), "/dev/full: it ends");
    tap_int(plain_exit_code(p), EXIT_CODE_OUTPUT, "/dev/full: exit status");
    tap_ok(strstr(plain_err(p), "No space left on device"), "/dev/full: a sentence");
    plain_free(p);
}

/* ---- after the full screen ---- */

static void test_screen(void)
{
    const char *argv[] = {e2e_program(), "--json",    "--yes",     "--size=16m",
                          "--runtime=1", "--pause=0", "--loops=1", "--profile=cdm-demo",
                          "--only=read", e2e_dir(),   NULL};
    struct vt *v = vt_start(&(struct vt_spec){.rows = 24, .cols = 80}, argv);
    int status;

    tap_ok(vt_wait_text(v, "finished", RUN_MS), "full screen: the run ends");
    vt_keys(v, "q");
    tap_ok(vt_wait_exit(v, &status, SHOWN_MS), "full screen: q leaves");
    tap_int(WIFEXITED(status) ? WEXITSTATUS(status) : -1, EXIT_CODE_OK, "full screen: exit code");
    tap_ok(!vt_alt_screen(v), "full screen: it is closed");
    tap_ok(strstr(vt_transcript(v), "\"format\": \"speedtest-hd/1\""),
           "full screen: then the result, in the form that was asked for");
    tap_ok(!strstr(vt_transcript(v), "MB/s"), "full screen: and no table");
    vt_free(v);
}

static void test_probe(void)
{
    const char *dir = e2e_dir();
    struct plain *p = plain_run(NULL, (const char *[]){e2e_program(), "--probe", dir, NULL}, 30000);

    tap_int(plain_exit_code(p), EXIT_CODE_OK, "probe: exit code");
    tap_ok(strstr(plain_out(p), "\npsync       yes "), "probe: psync works everywhere");
    tap_ok(strstr(plain_out(p), "\nO_DIRECT "), "probe: O_DIRECT");
    tap_str(plain_err(p), "", "probe: asks nothing, says nothing");
    plain_free(p);
    p = plain_run(NULL, (const char *[]){e2e_program(), "--json", "--probe", dir, NULL}, 30000);
    if (have("jq")) {
        check_jq(plain_out(p), "[.kind, .capability.probed, (.capability.engines | length)]",
                 "[\"probe\",true,5]", "probe --json");
        char *took = through(plain_out(p), (const char *[]){"jq", ".seconds", NULL});
        tap_note("probing all engines took %s", took ? took : "?");
        free(took);
    } else {
        tap_skip("no jq here", "probe --json");
    }
    plain_free(p);
    p = plain_run(NULL, (const char *[]){e2e_program(), "--probe", "/proc", NULL}, 30000);
    tap_int(plain_exit_code(p), EXIT_CODE_TARGET, "probe: of what cannot be written");
    tap_str(plain_out(p), "", "probe: nothing on stdout then");
    plain_free(p);
}

int main(void)
{
    e2e_begin();
    if (!e2e_have_fio()) {
        tap_skip("no fio here", "formats");
        return e2e_done();
    }
    test_json();
    test_json_stopped();
    test_texts();
    test_colour();
    test_head();
    test_reader_leaves();
    test_reader_never();
    test_full();
    test_screen();
    test_probe();
    return e2e_done();
}
