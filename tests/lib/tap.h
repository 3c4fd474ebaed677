/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef STHD_TESTS_TAP_H
#define STHD_TESTS_TAP_H

#include <stdbool.h>
#include <stddef.h>

/*
 * The one test protocol: TAP on stdout. A test program calls tap_ok() and friends, then returns
 * tap_done(). A failing row prints its file, line and values.
 */
#define tap_ok(cond, ...) tap_check((cond), __FILE__, __LINE__, #cond, __VA_ARGS__)
bool tap_check(bool ok, const char *file, int line, const char *expr, const char *fmt, ...)
    __attribute__((format(printf, 5, 6)));

#define tap_int(got, want, ...) tap_check_int((got), (want), __FILE__, __LINE__, #got, __VA_ARGS__)
bool tap_check_int(long long got, long long want, const char *file, int line, const char *expr,
                   const char *fmt, ...) __attribute__((format(printf, 6, 7)));

#define tap_str(got, want, ...) tap_check_str((got), (want), __FILE__, __LINE__, #got, __VA_ARGS__)
bool tap_check_str(const char *got, const char *want, const char *file, int line, const char *expr,
                   const char *fmt, ...) __attribute__((format(printf, 6, 7)));

/* |got - want| <= tolerance; two NANs are equal. */
#define tap_near(got, want, tol, ...) \
    tap_check_near((got), (want), (tol), __FILE__, __LINE__, #got, __VA_ARGS__)
bool tap_check_near(double got, double want, double tolerance, const char *file, int line,
                    const char *expr, const char *fmt, ...) __attribute__((format(printf, 7, 8)));

void tap_skip(const char *why, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void tap_note(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* Prints the plan; returns main's exit status. */
int tap_done(void);

/* tests/fixtures/NAME as text, NUL-terminated; *len may be NULL. ".xz" is decompressed. Dies if
 * missing. Caller frees. */
char *tap_fixture(const char *name, size_t *len);

#endif
