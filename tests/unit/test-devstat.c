/* SPDX-License-Identifier: GPL-3.0-or-later */
/* devstat: lines of three generations of kernels, differences, what is not one */
#include <errno.h>
#include <string.h>

#include "sthd/devstat.h"
#include "tap.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static void test_parse(void)
{
    static const struct {
        const char *what, *text;
        int rc;
        uint64_t reads, read_bytes, read_ms, writes, write_bytes, write_ms, in_flight, flushes,
            flush_ms;
        bool has_flush;
    } rows[] = {
        {"Linux 5.5 and later",
         "    31586     7364  2514810    10136    49406    29789  1507960     4781        3     "
         "9652    16159    18697        2   477384     1002    11103      239\n",
         0, 31586, 2514810ULL * 512, 10136, 49406, 1507960ULL * 512, 4781, 3, 11103, 239, true},
        {"Linux 4.18", "1 2 3 4 5 6 7 8 9 10 11 12 13 14 15", 0, 1, 3 * 512, 4, 5, 7 * 512, 8, 9, 0,
         0, false},
        {"before", " 1 2 3 4 5 6 7 8 9 10 11\n", 0, 1, 3 * 512, 4, 5, 7 * 512, 8, 9, 0, 0, false},
        {"what may come", "1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19", 0, 1, 3 * 512, 4, 5,
         7 * 512, 8, 9, 16, 17, true},
        {.what = "nothing", .text = "", .rc = -EINVAL},
        {.what = "a partition of Linux 2.4", .text = "1 2 3 4", .rc = -EINVAL},
        {.what = "half a line", .text = "1 2 3 4 5 6 7 8 9 10", .rc = -EINVAL},
        {.what = "between generations", .text = "1 2 3 4 5 6 7 8 9 10 11 12", .rc = -EINVAL},
        {.what = "words", .text = "1 2 3 4 5 6 7 8 9 10 eleven", .rc = -EINVAL},
        {.what = "a number with a tail", .text = "1 2 3 4 5 6 7 8 9 10 11x", .rc = -EINVAL},
        {.what = "below zero", .text = "1 2 3 4 5 6 7 8 9 10 -11", .rc = -EINVAL},
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        struct devstat d;
        tap_int(devstat_parse(&d, rows[i].text), rows[i].rc, "%s", rows[i].what);
        tap_int((long long)d.read_ios, (long long)rows[i].reads, "%s: reads", rows[i].what);
        tap_int((long long)d.read_bytes, (long long)rows[i].read_bytes, "%s: bytes read",
                rows[i].what);
        tap_int((long long)d.read_ms, (long long)rows[i].read_ms, "%s: read ms", rows[i].what);
        tap_int((long long)d.write_ios, (long long)rows[i].writes, "%s: writes", rows[i].what);
        tap_int((long long)d.write_bytes, (long long)rows[i].write_bytes, "%s: bytes written",
                rows[i].what);
        tap_int((long long)d.write_ms, (long long)rows[i].write_ms, "%s: write ms", rows[i].what);
        tap_int((long long)d.in_flight, (long long)rows[i].in_flight, "%s: in flight",
                rows[i].what);
        tap_int((long long)d.flush_ios, (long long)rows[i].flushes, "%s: flushes", rows[i].what);
        tap_int((long long)d.flush_ms, (long long)rows[i].flush_ms, "%s: flush ms", rows[i].what);
        tap_int(d.has_flush, rows[i].has_flush, "%s: knows flushes", rows[i].what);
    }
}

static void test_difference(void)
{
    static const struct {
        const char *what;
        uint64_t before, now, want;
    } rows[] = {
        {"onwards", 5, 12, 7},
        {"nothing", 5, 5, 0},
        {"over the end of 32 bits", UINT32_MAX - 1, 3, 5},
        {"another device in its place", 1000, 3, 3},
        {"64 bits do not wrap: another device", (uint64_t)1 << 40, 9, 9},
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        struct devstat before = {.write_ms = rows[i].before, .read_ios = rows[i].before};
        struct devstat now = {.write_ms = rows[i].now, .read_ios = rows[i].now, .in_flight = 2};
        struct devstat d;
        devstat_difference(&d, &before, &now);
        tap_int((long long)d.write_ms, (long long)rows[i].want, "%s: ms", rows[i].what);
        tap_int((long long)d.read_ios, (long long)rows[i].want, "%s: count", rows[i].what);
        tap_int((long long)d.in_flight, 2, "%s: in flight is a state, no sum", rows[i].what);
    }
}

int main(void)
{
    test_parse();
    test_difference();
    return tap_done();
}
