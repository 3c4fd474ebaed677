/* SPDX-License-Identifier: GPL-3.0-or-later */
/* units: text to numbers and back */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "sthd/units.h"
#include "tap.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define KIB      ((uint64_t)1 << 10)
#define MIB      ((uint64_t)1 << 20)
#define GIB      ((uint64_t)1 << 30)

static void test_parse_size(void)
{
    static const struct {
        const char *s;
        int rc;
        uint64_t bytes;
    } rows[] = {
        {"1g", 0, GIB},
        {"1G", 0, GIB},
        {"1gib", 0, GIB},
        {"1GiB", 0, GIB},
        {"1 GiB", 0, GIB},
        {" 1g ", 0, GIB},
        {"64m", 0, 64 * MIB},
        {"512k", 0, 512 * KIB},
        {"4096", 0, 4096},
        {"512 B", 0, 512},
        {"1.5g", 0, GIB + GIB / 2},
        {"0.5k", 0, 512},
        {"1.0000000000000000001m", 0, MIB},
        {"2t", 0, (uint64_t)2 << 40},
        {"1p", 0, (uint64_t)1 << 50},
        {"1024p", 0, (uint64_t)1 << 60},
        {"1", 0, 1},
        {"0", -ERANGE, 0},
        {"0g", -ERANGE, 0},
        {"0.0001k", -ERANGE, 0},
        {"-1", -ERANGE, 0},
        {"-1g", -ERANGE, 0},
        {"1025p", -ERANGE, 0},
        {"1024.5p", -ERANGE, 0},
        {"18446744073709551616", -ERANGE, 0},
        {"99999999999999999999999999999g", -ERANGE, 0},
        {"", -EINVAL, 0},
        {" ", -EINVAL, 0},
        {"g", -EINVAL, 0},
        {"1x", -EINVAL, 0},
        {"1.5", -EINVAL, 0}, /* half a byte */
        {"1.g", -EINVAL, 0},
        {".5g", -EINVAL, 0},
        {"1,5g", -EINVAL, 0},
        {"1e9", -EINVAL, 0},
        {"0x10", -EINVAL, 0},
        {"1g2", -EINVAL, 0},
        {"1gb", -EINVAL, 0}, /* 1000 or 1024? */
        {"4b", -EINVAL, 0},  /* dd's 512 bytes? */
        {"--", -EINVAL, 0},
        {"1\x1b[2J", -EINVAL, 0},
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        struct err e;
        uint64_t bytes = 0;
        err_clear(&e);
        int rc = units_parse_size(rows[i].s, "--size", &bytes, &e);
        tap_int(rc, rows[i].rc, "size row %zu", i);
        tap_ok(bytes == rows[i].bytes, "size row %zu: %llu bytes", i, (unsigned long long)bytes);
        if (rc < 0)
            tap_ok(e.exit_code == EXIT_CODE_USAGE && strstr(e.text, "--size") &&
                       !strchr(e.text, '\x1b'),
                   "size row %zu: a printable sentence", i);
    }
}

static void test_parse_size_long(void)
{
    char s[3000];
    struct err e;
    uint64_t bytes;

    memset(s, 'x', sizeof(s) - 1);
    s[sizeof(s) - 1] = '\0';
    tap_int(units_parse_size(s, "--size", &bytes, &e), -EINVAL, "a very long value");
    tap_ok(strstr(e.text, "not a size") && strlen(e.text) < 160, "its sentence stays short");
}

static void test_parse_seconds(void)
{
    static const struct {
        const char *s;
        int rc;
        uint32_t seconds;
    } rows[] = {
        {"5", 0, 5},
        {"5s", 0, 5},
        {"5 s", 0, 5},
        {"1m", 0, 60},
        {"2H", 0, 7200},
        {"2min", 0, 120},
        {"24h", 0, 86400},
        {"25h", -ERANGE, 0},
        {"0", -ERANGE, 0},
        {"-5", -ERANGE, 0},
        {"86401", -ERANGE, 0},
        {"1.5", -EINVAL, 0},
        {"", -EINVAL, 0},
        {"s", -EINVAL, 0},
        {"5d", -EINVAL, 0},
        {"71582789m", -ERANGE, 0}, /* 2^32 seconds and a bit */
        {"99999999999999999999", -ERANGE, 0},
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        struct err e;
        uint32_t seconds = 0;
        tap_int(units_parse_seconds(rows[i].s, "--runtime", 1, 86400, &seconds, &e), rows[i].rc,
                "seconds '%s'", rows[i].s);
        tap_int(seconds, rows[i].seconds, "seconds '%s': value", rows[i].s);
    }
}

static void test_parse_count(void)
{
    static const struct {
        const char *s;
        int rc;
        uint64_t n;
    } rows[] = {
        {"50", 0, 50},         {"10000", 0, 10000},  {"250", 0, 250},       {"49", -ERANGE, 0},
        {"10001", -ERANGE, 0}, {"-250", -ERANGE, 0}, {"250ms", -EINVAL, 0}, {"2.5", -EINVAL, 0},
        {"", -EINVAL, 0},      {"+50", -EINVAL, 0},
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        struct err e;
        uint64_t n = 0;
        tap_int(units_parse_count(rows[i].s, "--interval", 50, 10000, &n, &e), rows[i].rc,
                "count '%s'", rows[i].s);
        tap_int((long long)n, (long long)rows[i].n, "count '%s': value", rows[i].s);
    }
}

static void test_size(void)
{
    static const struct {
        uint64_t bytes;
        const char *want, *brief;
    } rows[] = {
        {0, "0 B", "0"},
        {512, "512 B", "512"},
        {1023, "1023 B", "1023"},
        {KIB, "1 KiB", "1K"},
        {4 * KIB, "4 KiB", "4K"},
        {1536, "1.5 KiB", "1536"},
        {128 * KIB, "128 KiB", "128K"},
        {MIB - 1, "1 MiB", "1048575"}, /* never "1024 KiB" */
        {MIB - 512, "1 MiB", "1048064"},
        {MIB - 513, "1023 KiB", "1048063"},
        {MIB, "1 MiB", "1M"},
        {GIB, "1 GiB", "1G"},
        {GIB + 1, "1 GiB", "1073741825"},
        {GIB + GIB / 4, "1.3 GiB", "1280M"},
        {99 * GIB + GIB * 9 / 10, "99.9 GiB", "107266808217"},
        {100 * GIB - 1, "100 GiB", "107374182399"},
        {(uint64_t)1319413953331, "1.2 TiB", "1319413953331"},
        {(uint64_t)1 << 60, "1 EiB", "1E"},
        {UINT64_MAX - 1, "16 EiB", "18446744073709551614"},
        {UNITS_ABSENT, "-", "-"},
    };
    char out[UNITS_TEXT];

    for (size_t i = 0; i < COUNT(rows); i++) {
        tap_str(units_size(out, rows[i].bytes), rows[i].want, "size of row %zu", i);
        tap_str(units_size_short(out, rows[i].bytes), rows[i].brief, "short size of row %zu", i);
    }
}

typedef char *format_fn(char out[UNITS_TEXT], double x);

struct format_row {
    double x;
    const char *want;
};

static void check_format(const char *name, format_fn *fn, const struct format_row *rows, size_t n)
{
    static const double nothing[] = {NAN, -1, -0.001, INFINITY, -INFINITY};
    char out[UNITS_TEXT];

    for (size_t i = 0; i < n; i++)
        tap_str(fn(out, rows[i].x), rows[i].want, "%s of %.17g", name, rows[i].x);
    for (size_t i = 0; i < COUNT(nothing); i++)
        tap_str(fn(out, nothing[i]), "-", "%s of %g is absent", name, nothing[i]);
    tap_ok(strlen(fn(out, 1e300)) < UNITS_TEXT, "%s of 1e300 fits", name);
}

static void test_formats(void)
{
    static const struct format_row mb[] = {
        {6912.4e6, "6912.4"},
        {10e6, "10.0"},
        {9.996e6, "10.0"},
        {9.99e6, "9.99"},
        {4.38e6, "4.38"},
        {0.1e6, "0.10"},
        {0.0996e6, "0.10"},
        {0.0994e6, "0.099"},
        {0.05e6, "0.050"},
        {0.0021e6, "0.0021"},
        {0.00999e6, "0.010"},
        {1, "0.0000010"},
        {0, "0"},
        {99999.96e6, "100000.0"},
    };
    static const struct format_row iops[] = {
        {10687, "10 687"}, {999.6, "1 000"}, {999.4, "999"},       {1234567.8, "1 234 568"},
        {10, "10"},        {9.96, "10"},     {9.94, "9.9"},        {0.1, "0.1"},
        {0.01, "<0.1"},    {0, "0"},         {99999.7, "100 000"}, {100, "100"},
    };
    static const struct format_row latency[] = {
        {850, "850 ns"},    {999.4, "999 ns"},  {999.6, "1.0 us"},   {85e3, "85 us"},
        {8.44e3, "8.4 us"}, {9.96e3, "10 us"},  {999.4e3, "999 us"}, {999.6e3, "1.0 ms"},
        {1.3e6, "1.3 ms"},  {12.4e6, "12 ms"},  {999.9e6, "1.0 s"},  {2.4e9, "2.4 s"},
        {85e9, "85 s"},     {3600e9, "3600 s"}, {0, "0 ns"},
    };
    static const struct format_row clock[] = {
        {0, "00:00"},        {26, "00:26"},     {59.4, "00:59"},     {59.6, "01:00"},
        {3599.6, "1:00:00"}, {3723, "1:02:03"}, {86400, "24:00:00"},
    };
    static const struct format_row duration[] = {
        {0, "0 s"},         {0.6, "1 s"},          {24, "24 s"},    {59.6, "1 min"},
        {125, "2 min 5 s"}, {3599, "59 min 59 s"}, {3599.6, "1 h"}, {3780, "1 h 3 min"},
        {7199, "2 h"},      {90000, "25 h"},
    };

    check_format("MB/s", units_mb_per_s, mb, COUNT(mb));
    check_format("IOPS", units_iops, iops, COUNT(iops));
    check_format("latency", units_latency, latency, COUNT(latency));
    check_format("clock", units_clock, clock, COUNT(clock));
    check_format("duration", units_duration, duration, COUNT(duration));
}

/* Columns of a table: no latency is wider than 6 and none below 1000 s; no size than 8. */
static void test_widths(void)
{
    char out[UNITS_TEXT];
    size_t latency = 0, size = 0;

    for (double ns = 1; ns < 1e12; ns *= 1.0007) {
        size_t n = strlen(units_latency(out, ns));
        latency = n > latency ? n : latency;
    }
    for (double bytes = 1; bytes < 1e18; bytes *= 1.0007) {
        size_t n = strlen(units_size(out, (uint64_t)bytes));
        size = n > size ? n : size;
    }
    tap_int((long long)latency, 6, "widest latency");
    tap_int((long long)size, 8, "widest size");
}

int main(void)
{
    test_parse_size();
    test_parse_size_long();
    test_parse_seconds();
    test_parse_count();
    test_size();
    test_formats();
    test_widths();
    return tap_done();
}
