/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the program says a figure is of, with real tools on a real disk: direct I/O that reaches the
 * device, reads that come from the page cache, memory, and dd's both ways.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "e2e.h"
#include "sthd/err.h"
#include "tap.h"

#define RUN_MS 120000

#define PROGRAM(...)                                                                       \
    ((const char *[]){e2e_program(), "--text", "--yes", "--runtime", "1", "--size", "32m", \
                      __VA_ARGS__, NULL})

/* The text with line breaks and indents made one blank: footnotes are wrapped. */
static char *flat(const char *text)
{
    char *out = malloc(strlen(text) + 1), *to = out;

    for (; *text; text++) {
        char c = *text == '\n' ? ' ' : *text;
        if (c != ' ' || to == out || to[-1] != ' ')
            *to++ = c;
    }
    *to = '\0';
    return out;
}

static char *run(const char *const argv[], const char *what)
{
    struct plain *p = plain_run(NULL, argv, RUN_MS);
    char *text = flat(plain_out(p));

    if (!tap_int(plain_exit_code(p), EXIT_CODE_OK, "%s: exit code", what))
        tap_note("stdout: %s stderr: %s", plain_out(p), plain_err(p));
    plain_free(p);
    return text;
}

static bool says(const char *text, const char *part, const char *what)
{
    bool ok = tap_ok(strstr(text, part) != NULL, "%s: \"%s\"", what, part);

    if (!ok)
        tap_note("%s", text);
    return ok;
}

/* Whether this disk can be seen and takes direct I/O, by the program's own first run. */
static bool test_direct(void)
{
    char *text = run(PROGRAM("--only", "read", "--loops", "2", e2e_dir()), "direct");
    bool can = strstr(text, "direct I/O") && !strstr(text, "could not be watched") &&
               !strstr(text, "BUFFERED I/O");

    if (can)
        says(text, "Measured: device (direct I/O, seen on the device's own counters)",
             "direct reads, two loops");
    else
        tap_skip("no direct I/O here, or no device in sight", "direct reads");
    free(text);
    return can;
}

static void test_sync(void)
{
    char *text = run(PROGRAM("--slog", e2e_dir()), "slog");

    says(text, "Measured: device (every write waits for the device (O_SYNC), seen on its counters)",
         "commits");
    free(text);
}

/* The preparation leaves the file in the page cache, and fio is told to leave it there. */
static void test_cache(void)
{
    char *text = run(
        PROGRAM("--only", "read", "--buffered", "--fio-arg", "--invalidate=0", e2e_dir()), "cache");

    says(text, "Measured: cache (the device read only ", "buffered reads");
    tap_ok(!strstr(text, "measured: device") && !strstr(text, "Measured: device"),
           "and nothing that would be the device's");
    free(text);
}

static void test_ram(void)
{
    char dir[] = "/dev/shm/sthd-evidence-XXXXXX";

    if (!mkdtemp(dir)) {
        tap_skip("no /dev/shm here", "memory");
        return;
    }
    char *text = run(PROGRAM("--only", "write", dir), "memory");
    says(text, "Measured: RAM (tmpfs lives in memory", "tmpfs");
    free(text);
    rmdir(dir);
}

static void test_dd(void)
{
    char *text = run(PROGRAM("--dd", e2e_dir()), "dd");

    says(text,
         "uncached read and write measured: device (direct I/O, seen on the device's own "
         "counters)",
         "dd past the cache");
    says(text, "cached read measured: cache (the whole file was in the page cache before)",
         "dd from the cache");
    free(text);
}

int main(void)
{
    e2e_begin();
    if (!e2e_have_fio()) {
        tap_skip("no fio", "what figures are of");
        return e2e_done();
    }
    bool seen = test_direct();
    test_ram();
    if (seen) {
        test_sync();
        test_cache();
        test_dd();
    } else {
        tap_skip("its device is not to be seen", "what figures on a disk are of");
    }
    return e2e_done();
}
