/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The whole program over a fio that misbehaves (lib/fake-fio.c): what happened is said in the
 * table, figures that are there are shown, the exit code tells, and the program ends by itself.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "proc.h"
#include "sthd/err.h"
#include "tap.h"

#define FIGURE "10 0" /* 10 000 IOPS and a few: what the fake does */

static const struct {
    const char *what;
    const char *fake; /* FAKE_FIO */
    const char *args[3];
    enum exit_code code;
    bool figures;
    const char *says; /* in the table, with line breaks as blanks */
} rows[] = {
    {"a sound one", "", {NULL}, EXIT_CODE_OK, true, "Engine psync"},
    {"silence", "at=2;do=silent", {"--runtime=4"}, EXIT_CODE_OK, true, "nothing was heard of fio"},
    {"half a report in mid-run",
     "at=2;do=half",
     {NULL},
     EXIT_CODE_OK,
     true,
     "was damaged and left out"},
    {"garbage", "at=2;do=garbage", {NULL}, EXIT_CODE_OK, true, "damaged and left out"},
    {"a flood of text",
     "at=2;do=flood",
     {NULL},
     EXIT_CODE_OK,
     true,
     "lines of text beside its reports"},
    {"killed",
     "at=2;do=die",
     {NULL},
     EXIT_CODE_TEST_FAILED,
     false,
     "killed from outside (signal 9)"},
    {"a crash",
     "at=2;do=die;signal=11",
     {NULL},
     EXIT_CODE_TEST_FAILED,
     false,
     "crashed (signal 11"},
    {"half a report at the end",
     "at=2;do=cut",
     {NULL},
     EXIT_CODE_TEST_FAILED,
     false,
     "last report arrived damaged"},
    {"fails at once", "exit=3", {NULL}, EXIT_CODE_TEST_FAILED, false, "exit code 3"},
    {"an aborting one", "abort", {NULL}, EXIT_CODE_TEST_FAILED, false, "signal 6"},
};

static const char *text_of(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
static const char *text_of(const char *fmt, ...)
{
    static char text[4][4200];
    static unsigned next;
    char *t = text[next++ % 4];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(t, sizeof(text[0]), fmt, ap);
    va_end(ap);
    return t;
}

/* Footnotes are broken into lines; a sentence is looked for as it was meant. */
static char *in_one_line(const char *s)
{
    char *out = strdup(s ? s : ""), *to = out;

    for (const char *p = out; p && *p; p++) {
        bool blank = *p == '\n' || *p == ' ';
        if (blank && to > out && to[-1] == ' ')
            continue;
        *to++ = blank ? ' ' : *p;
    }
    if (to)
        *to = '\0';
    return out;
}

int main(void)
{
    const char *build = getenv("STHD_BUILDDIR");
    char bin[] = "/tmp/sthd-fakes-XXXXXX", dir[] = "/var/tmp/sthd-fakes-XXXXXX";
    char link_path[64];

    if (!build || !mkdtemp(bin) || !mkdtemp(dir))
        return 99;
    snprintf(link_path, sizeof(link_path), "%s/fio", bin);
    if (symlink(text_of("%s/tests/lib/fake-fio", build), link_path) < 0)
        return 99;
    const char *program = text_of("%s/speedtest-hd", build);
    const char *path = text_of("PATH=%s:/usr/bin:/bin", bin);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        char fake[128];
        snprintf(fake, sizeof(fake), "FAKE_FIO=%s", rows[i].fake);
        const char *env[] = {path, fake, NULL};
        const char *argv[12] = {program,      "--text",         "--yes",      "--slog",
                                "--size=64m", "--interval=100", "--runtime=1"};
        size_t n = 7;
        for (size_t a = 0; rows[i].args[a]; a++)
            argv[n++] = rows[i].args[a];
        argv[n] = dir;
        struct plain *p = plain_run(&(struct plain_spec){.env = env}, argv, 60000);
        char *out = in_one_line(plain_out(p));
        tap_int(plain_exit_code(p), rows[i].code, "%s: exit code", rows[i].what);
        tap_ok((strstr(out, FIGURE) != NULL) == rows[i].figures, "%s: %s", rows[i].what,
               rows[i].figures ? "its figures are shown" : "no figure is shown");
        if (!tap_ok(strstr(out, rows[i].says) != NULL, "%s: it says \"%s\"", rows[i].what,
                    rows[i].says))
            tap_note("stdout: %s", out);
        free(out);
        plain_free(p);
    }
    tap_int(rmdir(dir), 0, "nothing is left in the directory");
    unlink(link_path);
    rmdir(bin);
    return tap_done();
}
