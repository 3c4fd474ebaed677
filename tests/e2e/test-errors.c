/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the world refuses: one sentence on stderr, its exit code, nothing on stdout, nothing
 * started.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "e2e.h"
#include "sthd/err.h"
#include "tap.h"

#define NOBODY 65534

struct refusal {
    const char *what;
    const char *args[8];
    enum exit_code code;
    const char *says[3]; /* parts of the sentence */
    const char *env[3];
    uid_t uid;
};

static void check_refusal(const struct refusal *r, const char *dir)
{
    const char *argv[16] = {e2e_program(), "--text", "--yes", "--runtime=1"};
    struct buf left = BUF_INIT;
    struct plain *p;
    size_t n = 4, lines = 0;

    for (size_t i = 0; r->args[i]; i++)
        argv[n++] = r->args[i];
    p = plain_run(&(struct plain_spec){.env = r->env, .uid = r->uid}, argv, 30000);
    tap_int(plain_exit_code(p), r->code, "%s: exit code", r->what);
    tap_str(plain_out(p), "", "%s: nothing on stdout", r->what);
    for (const char *c = plain_err(p); *c; c++)
        lines += *c == '\n';
    tap_int((long long)lines, 1, "%s: one sentence", r->what);
    for (size_t i = 0; i < 3 && r->says[i]; i++)
        tap_ok(strstr(plain_err(p), r->says[i]) != NULL, "%s: it says '%s'", r->what, r->says[i]);
    tap_note("%s: %.*s", r->what, (int)strcspn(plain_err(p), "\n"), plain_err(p));
    if (dir) {
        buf_adds(&left, "");
        proc_holders(&left, dir);
        tap_str(left.data, "", "%s: nothing was started", r->what);
    }
    buf_done(&left);
    plain_free(p);
}

/* For a user who is nobody, the way there must be open; below a home it often is not. */
static const char *open_dir(mode_t mode)
{
    static char path[] = "/var/tmp/sthd-e2e-XXXXXX";

    if (!mkdtemp(path) || chmod(path, mode))
        return NULL;
    return path;
}

static void test_targets(void)
{
    const char *dir = e2e_dir();
    const char *file = e2e_text("%s/file", dir);
    int fd = open(file, O_CREAT | O_WRONLY | O_CLOEXEC, 0644);
    const struct refusal rows[] = {
        {"no such directory", {e2e_text("%s/none", dir)}, EXIT_CODE_TARGET, {"none"}, {NULL}, 0},
        {"a file", {file}, EXIT_CODE_TARGET, {"directory"}, {NULL}, 0},
        {"a pseudo file system", {"/proc"}, EXIT_CODE_TARGET, {"/proc"}, {NULL}, 0},
        {"too little space", {"--size=900t", dir}, EXIT_CODE_SPACE, {"900 TiB", "free"}, {NULL}, 0},
        {"an escape in a path",
         {e2e_text("%s/\033[2Jx", dir)},
         EXIT_CODE_TARGET,
         {"\\x1b[2Jx"},
         {NULL},
         0},
    };

    close(fd);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        check_refusal(&rows[i], dir);
}

static void test_not_writable(void)
{
    const char *dir;
    struct refusal r = {"not writable", {NULL}, EXIT_CODE_TARGET, {"writ"}, {NULL}, NOBODY};

    /* The program itself must be reachable for nobody. */
    if (geteuid() != 0) {
        tap_skip("needs root to be somebody else", "not writable");
        return;
    }
    dir = open_dir(0755);
    if (!dir) {
        tap_skip("/var/tmp cannot be used", "not writable");
        return;
    }
    struct plain *p = plain_run(&(struct plain_spec){.uid = NOBODY},
                                (const char *[]){e2e_program(), "--version", NULL}, 10000);
    bool reachable = plain_exit_code(p) == 0;
    plain_free(p);
    if (reachable) {
        r.args[0] = dir;
        check_refusal(&r, dir);
    } else {
        tap_skip("nobody cannot reach the build directory", "not writable");
    }
    rmdir(dir);
}

static void test_read_only(void)
{
    const char *dir = e2e_private_fs("16m");

    if (!dir || mount(NULL, dir, NULL, MS_REMOUNT | MS_RDONLY, NULL)) {
        tap_skip("needs root and mount(2)", "a read-only file system");
        return;
    }
    check_refusal(
        &(const struct refusal){
            "a read-only file system", {dir}, EXIT_CODE_TARGET, {"read-only"}, {NULL}, 0},
        dir);
    mount(NULL, dir, NULL, MS_REMOUNT, NULL);
    check_refusal(&(const struct refusal){"a small file system",
                                          {"--size=64m", dir},
                                          EXIT_CODE_SPACE,
                                          {"64 MiB", "16 MiB"},
                                          {NULL},
                                          0},
                  dir);
}

/* Who did not ask for fio gets what dd can tell, and is told so. */
static void test_without_fio(const char *dir)
{
    const char *argv[] = {e2e_program(), "--text", "--yes", "--size=16m", dir, NULL};
    struct plain *p = plain_run(NULL, argv, 60000);
    struct e2e_table t;

    tap_int(plain_exit_code(p), EXIT_CODE_OK, "no fio, no profile named: dd completes");
    tap_ok(strstr(plain_err(p), "There is no fio") && strstr(plain_err(p), "profile dd"),
           "no fio: said in a sentence");
    if (tap_ok(e2e_table_parse(&t, plain_out(p)), "no fio: a table"))
        for (size_t n = 0; n < 2; n++) {
            const char *cell = e2e_table_cell(&t, "SEQ1M uncached", "MB/s", n);
            tap_ok(cell && e2e_number(cell, &(double){0}) > 0, "no fio: figure %zu is %s", n,
                   cell ? cell : "missing");
        }
    plain_free(p);
}

static void test_fio(void)
{
    const char *dir = e2e_dir();
    const struct refusal rows[] = {
        {"something else called fio",
         {dir},
         EXIT_CODE_FIO,
         {"fio"},
         {e2e_path_with("fio", "#!/bin/sh\necho 'Fiona 1.8.21'\n", false)},
         0},
        {"a fio that is too old",
         {dir},
         EXIT_CODE_FIO,
         {"2.1", "2.21"},
         {e2e_path_with("fio", "#!/bin/sh\necho fio-2.1.11\n", false)},
         0},
        {"a fio that fails at once",
         {dir},
         EXIT_CODE_FIO,
         {"fio"},
         {e2e_path_with("fio", "#!/bin/sh\necho 'libaio.so.1: not found' >&2\nexit 127\n", false)},
         0},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        check_refusal(&rows[i], dir);
    if (geteuid() != 0 || !e2e_hide_fio()) {
        tap_skip("needs root and mount(2)", "no fio");
        return;
    }
    check_refusal(
        &(const struct refusal){
            "no fio", {"--fio", dir}, EXIT_CODE_FIO, {"fio", "install", "dd"}, {NULL}, 0},
        dir);
    test_without_fio(dir);
}

static void test_options(void)
{
    const struct refusal rows[] = {
        {"an unknown option",
         {"--runtme=3"},
         EXIT_CODE_USAGE,
         {"--runtme", "--runtime"},
         {NULL},
         0},
        {"a bad size", {"--size=12q"}, EXIT_CODE_USAGE, {"--size"}, {NULL}, 0},
        {"no value", {"--size"}, EXIT_CODE_USAGE, {"--size"}, {NULL}, 0},
        {"an argument that would redirect fio",
         {"--fio-arg=--filename=/etc/passwd"},
         EXIT_CODE_USAGE,
         {"filename"},
         {NULL},
         0},
        {"a profile that is none", {"--profile=cdn"}, EXIT_CODE_USAGE, {"cdn", "cdm"}, {NULL}, 0},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        check_refusal(&rows[i], NULL);
}

/* Nobody to ask and no --yes: it does not write. */
static void test_unasked(void)
{
    const char *dir = e2e_dir();
    struct plain *p =
        plain_run(NULL, (const char *[]){e2e_program(), "--text", "--runtime=1", dir, NULL}, 30000);

    tap_int(plain_exit_code(p), EXIT_CODE_USAGE, "without --yes and terminal: exit code");
    tap_ok(strstr(plain_err(p), "--yes") != NULL, "it names --yes");
    plain_free(p);
}

/* Closed standard descriptors must not become the bench file or fio's pipe. */
static void test_closed_descriptors(void)
{
    struct plain *p = plain_run(&(struct plain_spec){.close_fds = true},
                                (const char *[]){e2e_program(), "--version", NULL}, 10000);

    tap_int(plain_exit_code(p), EXIT_CODE_OK, "descriptors 0-2 closed: it works");
    plain_free(p);
}

static void test_no_terminal(void)
{
    struct plain *p =
        plain_run(NULL, (const char *[]){e2e_program(), "--tui", e2e_dir(), NULL}, 10000);

    tap_int(plain_exit_code(p), EXIT_CODE_TERMINAL, "--tui without a terminal: exit code");
    tap_str(plain_out(p), "", "--tui without a terminal: nothing on stdout");
    plain_free(p);
}

int main(void)
{
    e2e_begin();
    test_options();
    test_targets();
    test_not_writable();
    test_unasked();
    test_closed_descriptors();
    test_no_terminal();
    test_fio();
    test_read_only();
    return e2e_done();
}
