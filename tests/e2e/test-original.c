/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the single-file script before this program did, each behaviour a row, on the real fio and
 * the real dd, as root and as an ordinary user. Answers are read with jq from the result itself.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "e2e.h"
#include "sthd/err.h"
#include "tap.h"

#define RUN_MS    120000
#define SHOWN_MS  20000
#define NOBODY    65534
#define ARGS      16
#define COUNT(a)  (sizeof(a) / sizeof((a)[0]))
#define ONE_CELL  "--profile=cdm-demo", "--only=read", "--loops=1", "--pause=0"
#define ONE_QUICK ONE_CELL, "--size=16m", "--runtime=1"

/* Who runs the program, and where: a directory that he can write to. */
struct user {
    const char *name;
    uid_t uid; /* 0: as we are */
    const char *dir;
};

/* ---- one row ---- */

struct row {
    const char *what;
    const char *args[ARGS]; /* the target goes last, by itself */
    enum exit_code code;
    const char *jq, *want; /* of the JSON result, with --json added; NULL */
    const char *out;       /* part of stdout; NULL */
    const char *err;       /* part of stderr; NULL */
    bool silent;           /* nothing on stdout */
};

static bool have_jq(void)
{
    struct plain *p =
        plain_run(NULL, (const char *[]){"sh", "-c", "command -v jq >&2", NULL}, 5000);
    bool found = plain_exit_code(p) == 0;

    plain_free(p);
    return found;
}

static void check_jq(const struct user *u, const char *what, const char *json, const char *filter,
                     const char *want)
{
    struct plain *p = plain_run(&(struct plain_spec){.input = json},
                                (const char *[]){"jq", "-c", filter, NULL}, 30000);

    tap_str(plain_out(p), e2e_text("%s\n", want), "%s: %s: %s", u->name, what, filter);
    if (plain_exit_code(p) != 0)
        tap_note("jq: %s", plain_err(p));
    plain_free(p);
}

static struct plain *run(const struct user *u, const char *const *args, const char *const *env,
                         bool yes, bool json)
{
    const char *argv[ARGS + 8] = {e2e_program(), "--text"};
    size_t n = 2;

    if (yes)
        argv[n++] = "--yes";
    if (json)
        argv[n++] = "--json";
    while (*args)
        argv[n++] = *args++;
    argv[n++] = u->dir;
    return plain_run(&(struct plain_spec){.uid = u->uid, .env = env}, argv, RUN_MS);
}

static void check_row(const struct user *u, const struct row *r, bool jq)
{
    if (r->jq && !jq) {
        tap_skip("no jq here", "%s: %s", u->name, r->what);
        return;
    }
    struct plain *p = run(u, r->args, NULL, true, r->jq != NULL);
    if (!tap_int(plain_exit_code(p), r->code, "%s: %s: exit code", u->name, r->what))
        tap_note("stderr: %s", plain_err(p));
    if (r->jq)
        check_jq(u, r->what, plain_out(p), r->jq, r->want);
    if (r->out)
        tap_ok(strstr(plain_out(p), r->out), "%s: %s: stdout has '%s'", u->name, r->what, r->out);
    if (r->err)
        tap_ok(strstr(plain_err(p), r->err), "%s: %s: stderr has '%s'", u->name, r->what, r->err);
    if (r->silent)
        tap_str(plain_out(p), "", "%s: %s: nothing on stdout", u->name, r->what);
    plain_free(p);
}

/* ---- the table ---- */

static const struct row rows[] = {
    {"fio and its disk mark are the default",
     {"--only=read", "--size=16m", "--runtime=1"},
     EXIT_CODE_OK,
     "[.profile.name, ([.cells[] | .tool, .state] | unique), [.cells[].test]]",
     "[\"cdm\",[\"done\",\"fio\"],[\"SEQ1M Q8T1\",\"SEQ1M Q1T1\",\"RND4K Q32T16\",\"RND4K Q1T1\"]]",
     NULL,
     NULL,
     false},
    {"--flag value",
     {ONE_CELL, "--size", "16m", "--runtime", "1", "--engine", "psync", "--direct"},
     EXIT_CODE_OK,
     "[(.settings | .size_bytes, .runtime_s, .engine_asked, .io_asked), .cells[0].engine]",
     "[16777216,1,\"psync\",\"direct\",\"psync\"]",
     NULL,
     NULL,
     false},
    {"--flag=value",
     {ONE_CELL, "--size=16m", "--runtime=1", "--engine=psync", "--direct"},
     EXIT_CODE_OK,
     "[(.settings | .size_bytes, .runtime_s, .engine_asked, .io_asked), .cells[0].engine]",
     "[16777216,1,\"psync\",\"direct\",\"psync\"]",
     NULL,
     NULL,
     false},
    {"--fio", {"--fio", ONE_QUICK}, EXIT_CODE_OK, ".cells[0].tool", "\"fio\"", NULL, NULL, false},
    {"--slog",
     {"--slog", "--size=16m", "--runtime=1"},
     EXIT_CODE_OK,
     "[[.cells[].threads], ([.cells[] | .engine, .direct, .sync, .direction, .state] | unique)]",
     "[[1,4,8,16],[false,true,\"done\",\"psync\",\"write\"]]",
     NULL,
     NULL,
     false},
    {"--dd: written, read past the cache, read from it",
     {"--dd", "--size=16m"},
     EXIT_CODE_OK,
     "[.cells[] | .test, .direction, .tool, .state, (.figures.bytes_per_s > 0), "
     ".figures.lat_p50_ns]",
     "[\"SEQ1M uncached\",\"read\",\"dd\",\"done\",true,null,"
     "\"SEQ1M uncached\",\"write\",\"dd\",\"done\",true,null,"
     "\"SEQ1M cached\",\"read\",\"dd\",\"done\",true,null]",
     NULL,
     NULL,
     false},
    {"engine and direct are what was found to work",
     {"--engine", "auto", ONE_QUICK},
     EXIT_CODE_OK,
     ".cells[0] as $c | .capability | [.auto_engine == $c.engine, .direct.works == $c.direct, "
     "(.engines[] | select(.name == $c.engine)).usable]",
     "[true,true,true]",
     NULL,
     NULL,
     false},
    {"--buffered",
     {"--buffered", ONE_QUICK},
     EXIT_CODE_OK,
     ".cells[0].direct",
     "false",
     NULL,
     NULL,
     false},
    {"--verbose: fio's own words on stderr, the table alone on stdout",
     {"--verbose", ONE_QUICK},
     EXIT_CODE_OK,
     NULL,
     NULL,
     "SEQ1M Q8T1",
     "\"fio version\" : \"fio-",
     false},
    {"-y is --yes", {"-y", ONE_QUICK}, EXIT_CODE_OK, NULL, NULL, "SEQ1M Q8T1", NULL, false},
    {"--fio --slog", {"--fio", "--slog"}, EXIT_CODE_USAGE, NULL, NULL, NULL, "exclude each", true},
    {"--fio --dd", {"--fio", "--dd"}, EXIT_CODE_USAGE, NULL, NULL, NULL, "exclude each", true},
    {"--dd --slog", {"--dd", "--slog"}, EXIT_CODE_USAGE, NULL, NULL, NULL, "exclude each", true},
    {"--direct --buffered",
     {"--buffered", "--direct"},
     EXIT_CODE_USAGE,
     NULL,
     NULL,
     NULL,
     "exclude each",
     true},
    {"a prescribed engine is not overridden",
     {"--slog", "--engine=libaio"},
     EXIT_CODE_USAGE,
     NULL,
     NULL,
     NULL,
     "prescribes psync",
     true},
    {"an engine that is none",
     {"--engine=mmap"},
     EXIT_CODE_USAGE,
     NULL,
     NULL,
     NULL,
     "io_uring, libaio, posixaio, sync, psync",
     true},
};

/* Each engine by name: it does the work, or the sentence says why it cannot. */
static void test_engines(const struct user *u, bool jq)
{
    static const char *const names[] = {"io_uring", "libaio", "posixaio", "sync", "psync"};

    /* What a user may depends on him with the first two only. */
    for (size_t i = 0; i < (u->uid ? 2 : COUNT(names)); i++) {
        const char *args[] = {"--engine", names[i], ONE_QUICK, NULL};
        struct plain *p = run(u, args, NULL, true, true);
        if (plain_exit_code(p) == EXIT_CODE_OK && jq)
            check_jq(u, "--engine", plain_out(p), ".cells[0] | [.engine, .figures.iops > 0]",
                     e2e_text("[\"%s\",true]", names[i]));
        else if (plain_exit_code(p) == EXIT_CODE_OK)
            tap_skip("no jq here", "%s: --engine %s", u->name, names[i]);
        else
            tap_ok(plain_exit_code(p) == EXIT_CODE_USAGE &&
                       strstr(plain_err(p), e2e_text("engine %s does not work here", names[i])),
                   "%s: --engine %s: %s", u->name, names[i], plain_err(p));
        plain_free(p);
    }
}

/* ---- the question ---- */

static void check_empty(const struct user *u, const char *what)
{
    struct plain *p = plain_run(NULL, (const char *[]){"ls", "-A", u->dir, NULL}, 5000);

    tap_str(plain_out(p), "", "%s: %s: nothing is in the directory", u->name, what);
    plain_free(p);
}

static void test_nobody_to_ask(const struct user *u)
{
    static const char *const args[] = {ONE_QUICK, NULL};
    struct plain *p = run(u, args, NULL, false, false);

    tap_int(plain_exit_code(p), EXIT_CODE_USAGE, "%s: no terminal and no --yes: an error", u->name);
    tap_ok(strstr(plain_err(p), "--yes"), "%s: that says what to do", u->name);
    tap_str(plain_out(p), "", "%s: and nothing on stdout", u->name);
    check_empty(u, "no terminal and no --yes");
    plain_free(p);
}

/* quick: small and short; else nothing is said but the target. */
static struct vt *open_question(const struct user *u, bool quick)
{
    const char *reuid = e2e_text("--reuid=%d", (int)u->uid);
    const char *regid = e2e_text("--regid=%d", (int)u->uid);
    const char *argv[] = {"setpriv", reuid,     regid, "--clear-groups", e2e_program(), "--text",
                          u->dir,    ONE_QUICK, NULL};

    if (!quick)
        argv[7] = NULL;
    return vt_start(&(struct vt_spec){.rows = 30, .cols = 100}, u->uid ? argv : argv + 4);
}

static void test_question(const struct user *u)
{
    struct vt *v = open_question(u, false);
    int status;

    tap_ok(vt_wait_text(v, "[y/N]", SHOWN_MS), "%s: it asks", u->name);
    tap_ok(vt_shows(v, u->dir), "%s: naming the path", u->name);
    tap_ok(vt_matches(v, "\\([a-z0-9.]+, [0-9.]+ [KMGTP]iB free\\)"),
           "%s: the file system and its free space", u->name);
    tap_ok(vt_matches(v, "Write up to [0-9.]+ [KMG]iB"), "%s: and what will be written", u->name);
    tap_int(vt_shows(v, "--sudo"), u->uid != 0, "%s: root is offered to whom it is something new",
            u->name);
    tap_ok(vt_shows(v, "prepare 1 GiB, then 8 tests x 5 s"),
           "%s: the defaults, of the script as well", u->name);
    vt_keys(v, "n\r");
    tap_ok(vt_wait_exit(v, &status, SHOWN_MS), "%s: no: it ends", u->name);
    tap_int(WIFEXITED(status) ? WEXITSTATUS(status) : -1, EXIT_CODE_STOPPED, "%s: no: exit code",
            u->name);
    tap_ok(strstr(vt_transcript(v), "Nothing was written"), "%s: no: said", u->name);
    check_empty(u, "no");
    vt_free(v);

    v = open_question(u, true);
    tap_ok(vt_wait_text(v, "[y/N]", SHOWN_MS), "%s: it asks again", u->name);
    vt_keys(v, "y\r");
    tap_ok(vt_wait_exit(v, &status, RUN_MS), "%s: yes: it runs", u->name);
    tap_int(WIFEXITED(status) ? WEXITSTATUS(status) : -1, EXIT_CODE_OK, "%s: yes: exit code",
            u->name);
    tap_ok(strstr(vt_transcript(v), "SEQ1M Q8T1"), "%s: yes: the table", u->name);
    check_empty(u, "yes");
    vt_free(v);
}

/* ---- other tools ---- */

static void test_busybox(const struct user *u, bool jq)
{
    static const char *const args[] = {"--dd", "--size=16m", NULL};
    const char *env[] = {NULL, NULL};
    struct plain *p = plain_run(NULL, (const char *[]){"busybox", "dd", "--help", NULL}, 5000);
    bool have = plain_exit_code(p) >= 0 && strstr(plain_err(p), "BusyBox");

    plain_free(p);
    if (!have || !jq) {
        tap_skip(have ? "no jq here" : "no busybox with dd here", "%s: BusyBox's dd", u->name);
        return;
    }
    env[0] = e2e_path_with("dd", "#!/bin/sh\nexec busybox dd \"$@\"\n", false);
    p = run(u, args, env, true, true);
    tap_int(plain_exit_code(p), EXIT_CODE_OK, "%s: BusyBox's dd: exit code", u->name);
    check_jq(u, "BusyBox's dd", plain_out(p),
             "[([.cells[] | .state, (.figures.bytes_per_s > 0)] | unique), "
             "([.steps[].command[0] | startswith(\"/usr/\")] | any)]",
             "[[true,\"done\"],false]");
    plain_free(p);
}

/* Where direct I/O does not work, a banner says so, in red where there is colour. */
static void test_fallback(const struct user *u)
{
    const char *build = getenv("STHD_BUILDDIR");
    const char *env[] = {NULL, "FAKE_FIO=no-direct", "FORCE_COLOR=1", "NO_COLOR", NULL};
    static const char *const args[] = {ONE_QUICK, NULL};
    char *absolute = realpath(build ? build : ".", NULL);

    env[0] = e2e_path_with(
        "fio", e2e_text("#!/bin/sh\nexec '%s/tests/lib/fake-fio' \"$@\"\n", absolute), false);
    free(absolute);
    struct plain *p = run(u, args, env, true, false);
    tap_int(plain_exit_code(p), EXIT_CODE_OK, "%s: no direct I/O: it runs all the same", u->name);
    tap_ok(strstr(plain_out(p), "m!! BUFFERED I/O !!\033[0m"), "%s: under a coloured banner",
           u->name);
    plain_free(p);
}

/* ---- sudo ---- */

static void test_sudo(const struct user *u)
{
    static const char *const args[] = {"--sudo",   ONE_QUICK, "--fio-arg",
                                       "--nice=0", "--json",  NULL};
    const char *env[] = {
        e2e_path_with("sudo", "#!/bin/sh\necho \"sudo: $*\" >&2\nexec \"$@\"\n", false),
        "NO_COLOR=1", "LC_ALL=C.UTF-8", NULL};
    struct plain *p = run(u, args, env, true, false);

    tap_int(plain_exit_code(p), EXIT_CODE_OK, "%s: --sudo: exit code", u->name);
    tap_ok(plain_out(p)[0] == '{', "%s: --sudo: with the arguments that were given", u->name);
    if (u->uid == 0 && geteuid() == 0) {
        tap_ok(!strstr(plain_err(p), "sudo:"), "%s: --sudo: root already, nothing to do", u->name);
    } else {
        char self[4096];
        ssize_t n = realpath(e2e_program(), self) ? (ssize_t)strlen(self) : 0;
        tap_ok(n > 0 &&
                   strstr(plain_err(p), e2e_text("sudo: %s --color=never --text --yes ", self)),
               "%s: --sudo: the same program, colour as the environment had it", u->name);
        tap_ok(strstr(plain_err(p), e2e_text("--fio-arg --nice=0 --json %s\n", u->dir)),
               "%s: --sudo: the same arguments", u->name);
        tap_ok(!strstr(plain_err(p), "--sudo"), "%s: --sudo: itself is not among them", u->name);
    }
    plain_free(p);
}

/* sudo refuses: its exit status, and no run. */
static void test_sudo_refuses(const struct user *u)
{
    static const char *const args[] = {"--sudo", ONE_QUICK, NULL};
    const char *env[] = {e2e_path_with("sudo",
                                       "#!/bin/sh\necho 'not in the sudoers file' >&2\n"
                                       "exit 1\n",
                                       false),
                         NULL};
    struct plain *p = run(u, args, env, true, false);

    tap_int(plain_exit_code(p), 1, "%s: sudo refuses: its exit status", u->name);
    tap_str(plain_out(p), "", "%s: sudo refuses: nothing is run", u->name);
    plain_free(p);
}

static void test_no_sudo(const struct user *u)
{
    static const char *const places[] = {"/usr/local/bin/sudo",  "/usr/bin/sudo",  "/bin/sudo",
                                         "/usr/local/sbin/sudo", "/usr/sbin/sudo", "/sbin/sudo"};
    static const char *const args[] = {"--sudo", ONE_QUICK, NULL};
    static const char *const env[] = {"PATH=/nonexistent", NULL};

    for (size_t i = 0; i < COUNT(places); i++)
        if (access(places[i], X_OK) == 0) {
            tap_skip("sudo is here", "%s: --sudo without a sudo", u->name);
            return;
        }
    struct plain *p = run(u, args, env, true, false);
    tap_int(plain_exit_code(p), EXIT_CODE_USAGE, "%s: no sudo: exit code", u->name);
    tap_ok(strstr(plain_err(p), "there is no sudo"), "%s: no sudo: a sentence", u->name);
    plain_free(p);
}

/* ---- without fio ---- */

static void test_without_fio(const struct user *u, bool jq)
{
    static const char *const args[] = {"--size=16m", NULL}, *const fio[] = {"--fio", NULL};
    struct plain *p = run(u, args, NULL, true, true);

    tap_int(plain_exit_code(p), EXIT_CODE_OK, "%s: no fio: it completes", u->name);
    tap_ok(strstr(plain_err(p), "There is no fio"), "%s: no fio: and says so", u->name);
    if (jq)
        check_jq(
            u, "no fio", plain_out(p),
            "[.profile.name, ([.cells[] | .tool, .state, (.figures.bytes_per_s > 0)] | unique)]",
            "[\"dd\",[true,\"dd\",\"done\"]]");
    plain_free(p);
    p = run(u, fio, NULL, true, false);
    tap_int(plain_exit_code(p), EXIT_CODE_FIO, "%s: no fio, but --fio: an error", u->name);
    plain_free(p);
    p = plain_run(&(struct plain_spec){.uid = u->uid},
                  (const char *[]){e2e_program(), "--probe", u->dir, NULL}, 30000);
    tap_int(plain_exit_code(p), EXIT_CODE_OK, "%s: no fio: --probe tells of dd", u->name);
    tap_ok(strstr(plain_out(p), "O_DIRECT"), "%s: no fio: what dd can", u->name);
    plain_free(p);
}

/* ---- who ---- */

static const char *open_directory(void)
{
    static char path[] = "/var/tmp/sthd-original-XXXXXX";

    if (!mkdtemp(path) || chmod(path, 0777))
        return NULL;
    return path;
}

/* An ordinary user, if we can be one and he can reach the program. */
static bool can_be_user(const struct user *u)
{
    if (geteuid() != 0 || !u->dir)
        return false;
    struct plain *p = plain_run(&(struct plain_spec){.uid = u->uid},
                                (const char *[]){e2e_program(), "--version", NULL}, 10000);
    bool reachable = plain_exit_code(p) == 0;
    plain_free(p);
    return reachable;
}

static void test_user(const struct user *u, bool jq)
{
    for (size_t i = 0; i < COUNT(rows); i++)
        check_row(u, &rows[i], jq);
    test_engines(u, jq);
    test_nobody_to_ask(u);
    test_question(u);
    test_busybox(u, jq);
    test_fallback(u);
    test_sudo(u);
    if (u->uid != 0) {
        test_sudo_refuses(u);
        test_no_sudo(u);
    }
}

int main(void)
{
    struct user users[2] = {{geteuid() == 0 ? "root" : "user", 0, NULL}, {"user", NOBODY, NULL}};
    size_t n = 1;

    e2e_begin();
    if (!e2e_have_fio()) {
        tap_skip("no fio here", "the original's behaviours");
        return e2e_done();
    }
    bool jq = have_jq();
    users[0].dir = e2e_dir();
    users[1].dir = open_directory();
    if (can_be_user(&users[1]))
        n = 2;
    else
        tap_skip("needs root, and a way to the build directory for others",
                 "as an ordinary user besides");
    for (size_t i = 0; i < n; i++)
        test_user(&users[i], jq);
    if (geteuid() == 0 && e2e_hide_fio())
        for (size_t i = 0; i < n; i++)
            test_without_fio(&users[i], jq);
    else
        tap_skip("needs root and mount(2)", "without fio");
    if (users[1].dir)
        tap_int(rmdir(users[1].dir), 0, "nothing is left in the user's directory");
    return e2e_done();
}
