/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Sizes, rates and durations between text and numbers; see units.h. Promises that rounding carries
 * into the next unit ("1 MiB", never "1024 KiB") and that a locale changes nothing (no strtod, and
 * LC_NUMERIC stays "C"). Must not know where a figure comes from or where it is shown.
 */
#include "sthd/units.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "sthd/buf.h"
#include "sthd/text.h"

#define SIZE_MAX_BYTES    ((uint64_t)1 << 60)
#define COUNT(a)          (sizeof(a) / sizeof((a)[0]))
#define BAD_VALUE_COLUMNS 40 /* as much of a wrong value as its sentence repeats */

/* What the user wrote, fit to be shown inside a sentence. */
struct quoted {
    char text[BAD_VALUE_COLUMNS + 3];
};

static struct quoted quote(const char *s)
{
    struct quoted q;
    struct buf safe = BUF_INIT, fit = BUF_INIT;

    text_printable(&safe, s, strlen(s), true); /* ASCII: a column is a byte */
    buf_adds(&safe, "");
    text_fit(&fit, safe.data, BAD_VALUE_COLUMNS, false);
    snprintf(q.text, sizeof(q.text), "'%s'", fit.data ? fit.data : "");
    buf_done(&safe);
    buf_done(&fit);
    return q;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static const char *skip_blanks(const char *s)
{
    return s + strspn(s, " \t");
}

/*
 * Digits at *s, which moves behind them. False without a digit; a number too large for 64 bits
 * becomes UINT64_MAX, which every caller's range refuses.
 */
static bool take_digits(const char **s, uint64_t *n)
{
    if (!is_digit(**s))
        return false;
    *n = 0;
    for (; is_digit(**s); (*s)++)
        if (__builtin_mul_overflow(*n, 10, n) ||
            __builtin_add_overflow(*n, (unsigned)(**s - '0'), n))
            *n = UINT64_MAX;
    return true;
}

/* The power of two a size suffix stands for; -1 for what is none. */
static int suffix_shift(const char *s)
{
    static const struct {
        const char *word;
        int shift;
    } words[] = {
        {"", 0},   {"k", 10},   {"kib", 10}, {"m", 20},   {"mib", 20}, {"g", 30},
        {"t", 40}, {"gib", 30}, {"p", 50},   {"tib", 40}, {"pib", 50},
    };

    if (strcmp(s, "B") == 0) /* as we print it; "b" would be 512 bytes to dd */
        return 0;
    for (size_t i = 0; i < COUNT(words); i++)
        if (text_ieq(s, words[i].word))
            return words[i].shift;
    return -1;
}

static int size_range_error(const char *s, const char *what, struct err *e)
{
    return err_set(e, EXIT_CODE_USAGE, ERANGE,
                   "%s: %s is out of range; give at least 1 byte and at most 1024p", what,
                   quote(s).text);
}

/* Trailing blanks of a value do not count; returns the suffix without them. */
static bool copy_suffix(char out[8], const char *s)
{
    size_t n = strlen(s);

    while (n && (s[n - 1] == ' ' || s[n - 1] == '\t'))
        n--;
    if (n >= 8)
        return false;
    memcpy(out, s, n);
    out[n] = '\0';
    return true;
}

int units_parse_size(const char *s, const char *what, uint64_t *bytes, struct err *e)
{
    const char *p = skip_blanks(s);
    uint64_t whole, numerator = 0, denominator = 1, unit, sum;
    char suffix[8];
    int shift;

    if (*p == '-' && is_digit(p[1]))
        return size_range_error(s, what, e);
    if (!take_digits(&p, &whole))
        goto not_a_size;
    if (*p == '.') {
        p++;
        if (!is_digit(*p))
            goto not_a_size;
        for (; is_digit(*p); p++) {
            if (denominator >= 1000000000)
                continue; /* finer than anyone means */
            numerator = numerator * 10 + (unsigned)(*p - '0');
            denominator *= 10;
        }
    }
    p = skip_blanks(p);
    if (!copy_suffix(suffix, p))
        goto not_a_size;
    if (text_ieq(suffix, "kb") || text_ieq(suffix, "mb") || text_ieq(suffix, "gb") ||
        text_ieq(suffix, "tb") || text_ieq(suffix, "pb"))
        return err_set(e, EXIT_CODE_USAGE, EINVAL,
                       "%s: %s could be powers of 1000 or 1024; sizes are powers of 1024 here, "
                       "write %c or %ciB",
                       what, quote(s).text, suffix[0], suffix[0]);
    shift = suffix_shift(suffix);
    if (shift < 0 || (shift == 0 && denominator > 1))
        goto not_a_size;
    unit = (uint64_t)1 << shift;
    if (whole > SIZE_MAX_BYTES >> shift)
        return size_range_error(s, what, e);
    sum = (whole << shift) + (uint64_t)((unsigned __int128)numerator * unit / denominator);
    if (sum < 1 || sum > SIZE_MAX_BYTES)
        return size_range_error(s, what, e);
    *bytes = sum;
    return 0;

not_a_size:
    return err_set(e, EXIT_CODE_USAGE, EINVAL,
                   "%s: %s is not a size; write for example 512m, 1g or 1.5g", what, quote(s).text);
}

int units_parse_seconds(const char *s, const char *what, uint32_t min, uint32_t max,
                        uint32_t *seconds, struct err *e)
{
    const char *p = skip_blanks(s);
    uint64_t n, unit;
    char suffix[8];
    bool negative = *p == '-' && is_digit(p[1]);

    p += negative;
    if (!take_digits(&p, &n) || !copy_suffix(suffix, skip_blanks(p)))
        goto not_a_time;
    if (text_ieq(suffix, "") || text_ieq(suffix, "s"))
        unit = 1;
    else if (text_ieq(suffix, "m") || text_ieq(suffix, "min"))
        unit = 60;
    else if (text_ieq(suffix, "h"))
        unit = 3600;
    else
        goto not_a_time;
    if (negative || n > max / unit || n * unit < min)
        return err_set(e, EXIT_CODE_USAGE, ERANGE, "%s: %s is out of range; give %u to %u seconds",
                       what, quote(s).text, min, max);
    *seconds = (uint32_t)(n * unit);
    return 0;

not_a_time:
    return err_set(e, EXIT_CODE_USAGE, EINVAL,
                   "%s: %s is not a time in whole seconds; write for example 5, 90s, 2m or 1h",
                   what, quote(s).text);
}

int units_parse_count(const char *s, const char *what, uint64_t min, uint64_t max, uint64_t *n,
                      struct err *e)
{
    const char *p = skip_blanks(s);
    uint64_t value;
    bool negative = *p == '-' && is_digit(p[1]);

    p += negative;
    if (!take_digits(&p, &value) || *skip_blanks(p) != '\0')
        return err_set(e, EXIT_CODE_USAGE, EINVAL, "%s: %s is not a whole number", what,
                       quote(s).text);
    if (negative || value < min || value > max)
        return err_set(e, EXIT_CODE_USAGE, ERANGE, "%s: %s is out of range; give %llu to %llu",
                       what, quote(s).text, (unsigned long long)min, (unsigned long long)max);
    *n = value;
    return 0;
}

static char *absent(char out[UNITS_TEXT])
{
    return memcpy(out, "-", 2);
}

/* n / unit, rounded half up, without overflow. */
static uint64_t divide_rounded(uint64_t n, uint64_t unit)
{
    return n / unit + (n % unit >= unit - unit / 2);
}

char *units_size(char out[UNITS_TEXT], uint64_t bytes)
{
    static const char *const names[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};

    if (bytes == UNITS_ABSENT)
        return absent(out);
    for (size_t i = 0;; i++) {
        uint64_t unit = (uint64_t)1 << (10 * i), whole = divide_rounded(bytes, unit);
        if (whole >= 1024 && i + 1 < COUNT(names))
            continue;
        /* tenths of the unit: below 100 units these cannot overflow */
        uint64_t tenths = whole < 101 && i > 0
                              ? bytes / unit * 10 + divide_rounded(bytes % unit * 10, unit)
                              : whole * 10;
        if (tenths >= 1000 || tenths % 10 == 0)
            snprintf(out, UNITS_TEXT, "%llu %s",
                     (unsigned long long)(tenths >= 1000 ? whole : tenths / 10), names[i]);
        else
            snprintf(out, UNITS_TEXT, "%llu.%llu %s", (unsigned long long)(tenths / 10),
                     (unsigned long long)(tenths % 10), names[i]);
        return out;
    }
}

char *units_size_short(char out[UNITS_TEXT], uint64_t bytes)
{
    static const char letters[] = "\0KMGTPE";
    size_t i = 0;

    if (bytes == UNITS_ABSENT)
        return absent(out);
    /* exact, so that two different block sizes never share a name */
    while (bytes && bytes % 1024 == 0) {
        bytes /= 1024;
        i++;
    }
    snprintf(out, UNITS_TEXT, "%llu%.1s", (unsigned long long)bytes, letters + i);
    return out;
}

/*
 * The edges are where the rounded value, not x itself, changes its number of digits: 9.996 must not
 * come out as "10.00", one digit wider than 10.
 */
static int decimals_for(double x)
{
    if (x >= 9.995)
        return 1;
    if (x >= 0.0995)
        return 2;
    int digits = 3;
    for (double edge = 0.00995; x < edge && digits < 9; edge /= 10)
        digits++;
    return digits;
}

char *units_mb_per_s(char out[UNITS_TEXT], double bytes_per_s)
{
    double mb = bytes_per_s / 1e6;

    if (!(mb >= 0) || isinf(mb))
        return absent(out);
    if (mb == 0)
        return memcpy(out, "0", 2);
    if (mb >= 1e12)
        snprintf(out, UNITS_TEXT, "%.3g", mb);
    else
        snprintf(out, UNITS_TEXT, "%.*f", decimals_for(mb), mb);
    return out;
}

char *units_iops(char out[UNITS_TEXT], double iops)
{
    char digits[UNITS_TEXT];
    size_t n, at = 0;

    if (!(iops >= 0) || isinf(iops))
        return absent(out);
    if (iops == 0)
        return memcpy(out, "0", 2);
    if (iops < 0.05) /* "0.0" would say that nothing happened */
        return memcpy(out, "<0.1", 5);
    if (iops < 9.95) {
        snprintf(out, UNITS_TEXT, "%.1f", iops);
        return out;
    }
    if (iops >= 1e15) {
        snprintf(out, UNITS_TEXT, "%.3g", iops);
        return out;
    }
    n = (size_t)snprintf(digits, sizeof(digits), "%.0f", iops);
    for (size_t i = 0; i < n; i++) {
        if (i && (n - i) % 3 == 0)
            out[at++] = ' ';
        out[at++] = digits[i];
    }
    out[at] = '\0';
    return out;
}

char *units_latency(char out[UNITS_TEXT], double ns)
{
    static const char *const names[] = {"ns", "us", "ms", "s"};
    double x = ns;
    size_t i = 0;

    if (!(ns >= 0) || isinf(ns))
        return absent(out);
    while (x >= 999.5 && i + 1 < COUNT(names)) {
        x /= 1000;
        i++;
    }
    if (i == COUNT(names) - 1 && x >= 1e9)
        snprintf(out, UNITS_TEXT, "%.3g s", x);
    else
        snprintf(out, UNITS_TEXT, "%.*f %s", i > 0 && x < 9.95 ? 1 : 0, x, names[i]);
    return out;
}

/* Whole seconds, half up; false for what is none, and from a hundred years on. */
static bool whole_seconds(double seconds, unsigned *s)
{
    if (!(seconds >= 0) || seconds > 3.2e9)
        return false;
    *s = (unsigned)(seconds + 0.5);
    return true;
}

char *units_clock(char out[UNITS_TEXT], double seconds)
{
    unsigned s;

    if (!whole_seconds(seconds, &s))
        return absent(out);
    if (s >= 3600)
        snprintf(out, UNITS_TEXT, "%u:%02u:%02u", s / 3600, s / 60 % 60, s % 60);
    else
        snprintf(out, UNITS_TEXT, "%02u:%02u", s / 60, s % 60);
    return out;
}

char *units_duration(char out[UNITS_TEXT], double seconds)
{
    unsigned s;

    if (!whole_seconds(seconds, &s))
        return absent(out);
    if (s < 60)
        snprintf(out, UNITS_TEXT, "%u s", s);
    else if (s < 3600 && s % 60)
        snprintf(out, UNITS_TEXT, "%u min %u s", s / 60, s % 60);
    else if (s < 3600 - 30)
        snprintf(out, UNITS_TEXT, "%u min", s / 60);
    else {
        unsigned minutes = (s + 30) / 60;
        if (minutes % 60)
            snprintf(out, UNITS_TEXT, "%u h %u min", minutes / 60, minutes % 60);
        else
            snprintf(out, UNITS_TEXT, "%u h", minutes / 60);
    }
    return out;
}
