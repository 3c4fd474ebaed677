/* SPDX-License-Identifier: GPL-3.0-or-later */
/* TAP producer; see tap.h. */
#include "tap.h"

#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int count, failures;

/*
 * Whoever started the tests may ignore signals (nohup, a shell without job control), and what is
 * ignored stays so in every child: tests would wait for signals that never come.
 */
static void default_signals(void) __attribute__((constructor));
static void default_signals(void)
{
    static const int signals[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGPIPE, SIGUSR1, SIGUSR2};

    for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
        signal(signals[i], SIG_DFL);
}

static void report(bool ok, const char *fmt, va_list ap) __attribute__((format(printf, 2, 0)));
static void report(bool ok, const char *fmt, va_list ap)
{
    char text[512];

    vsnprintf(text, sizeof(text), fmt, ap);
    for (char *p = text; *p; p++) /* a '#' would start a TAP directive, a newline a new line */
        if (*p == '#' || *p == '\n')
            *p = '_';
    count++;
    failures += !ok;
    printf("%s %d - %s\n", ok ? "ok" : "not ok", count, text);
}

#define REPORT(ok)             \
    do {                       \
        va_list ap;            \
        va_start(ap, fmt);     \
        report((ok), fmt, ap); \
        va_end(ap);            \
    } while (0)

bool tap_check(bool ok, const char *file, int line, const char *expr, const char *fmt, ...)
{
    REPORT(ok);
    if (!ok)
        printf("# %s:%d: %s\n", file, line, expr);
    fflush(stdout);
    return ok;
}

bool tap_check_int(long long got, long long want, const char *file, int line, const char *expr,
                   const char *fmt, ...)
{
    bool ok = got == want;

    REPORT(ok);
    if (!ok)
        printf("# %s:%d: %s is %lld, expected %lld\n", file, line, expr, got, want);
    fflush(stdout);
    return ok;
}

bool tap_check_str(const char *got, const char *want, const char *file, int line, const char *expr,
                   const char *fmt, ...)
{
    bool ok = got && want ? strcmp(got, want) == 0 : got == want;

    REPORT(ok);
    if (!ok)
        printf("# %s:%d: %s\n#   is       \"%s\"\n#   expected \"%s\"\n", file, line, expr,
               got ? got : "(null)", want ? want : "(null)");
    fflush(stdout);
    return ok;
}

bool tap_check_near(double got, double want, double tolerance, const char *file, int line,
                    const char *expr, const char *fmt, ...)
{
    bool ok = (isnan(got) && isnan(want)) || fabs(got - want) <= tolerance;

    REPORT(ok);
    if (!ok)
        printf("# %s:%d: %s is %.17g, expected %.17g within %g\n", file, line, expr, got, want,
               tolerance);
    fflush(stdout);
    return ok;
}

void tap_skip(const char *why, const char *fmt, ...)
{
    char text[512];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(text, sizeof(text), fmt, ap);
    va_end(ap);
    printf("ok %d - %s # SKIP %s\n", ++count, text, why);
}

void tap_note(const char *fmt, ...)
{
    va_list ap;

    printf("# ");
    va_start(ap, fmt);
    vprintf(fmt, ap);
    va_end(ap);
    printf("\n");
    fflush(stdout);
}

int tap_done(void)
{
    printf("1..%d\n", count);
    return failures ? 1 : 0;
}

char *tap_fixture(const char *name, size_t *len)
{
    const char *dir = getenv("STHD_FIXTURES");
    char path[1024], command[1200];
    FILE *f;
    bool xz = strlen(name) > 3 && strcmp(name + strlen(name) - 3, ".xz") == 0;

    snprintf(path, sizeof(path), "%s/%s", dir ? dir : "tests/fixtures", name);
    if (xz) {
        snprintf(command, sizeof(command), "xz -dc '%s'", path);
        f = popen(command, "r");
    } else {
        f = fopen(path, "r");
    }
    if (!f) {
        printf("Bail out! cannot open fixture %s\n", path);
        exit(99);
    }
    size_t cap = 1 << 16, n = 0, got;
    char *text = malloc(cap);
    while (text && (got = fread(text + n, 1, cap - n - 1, f)) > 0) {
        n += got;
        if (n + 1 == cap)
            text = realloc(text, cap *= 2);
    }
    int bad = xz ? pclose(f) : fclose(f);
    if (!text || bad) {
        printf("Bail out! cannot read fixture %s\n", path);
        exit(99);
    }
    text[n] = '\0';
    if (len)
        *len = n;
    return text;
}
