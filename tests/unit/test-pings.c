/* SPDX-License-Identifier: GPL-3.0-or-later */
/* pings: which request is slow, by those before it alone, and what has no line. */
#include <math.h>

#include "sthd/pings.h"
#include "tap.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static void test_tags(void)
{
    static const struct {
        double us;
        uint64_t ios;
        enum ping_tag tag;
    } rows[] = {
        {900, 1, PING_WARMUP}, {100, 1, PING_PLAIN}, {110, 1, PING_PLAIN}, {90, 1, PING_PLAIN},
        {105, 1, PING_PLAIN},  {500, 0, PING_PLAIN}, {95, 1, PING_PLAIN},  {400, 1, PING_SLOW},
        {100, 2, PING_PLAIN},  {101, 1, PING_PLAIN},
    };
    struct sample s[COUNT(rows)];
    struct ping p[COUNT(rows)];
    size_t line = 0;

    for (size_t i = 0; i < COUNT(rows); i++)
        s[i] =
            (struct sample){.at_ns = (int64_t)i, .ios = rows[i].ios, .mean_ns = rows[i].us * 1e3};
    size_t n = pings_of(s, COUNT(rows), 0, p);
    tap_int((long long)n, (long long)COUNT(rows) - 1, "no line without a request");
    for (size_t i = 0; i < COUNT(rows); i++)
        if (rows[i].ios) {
            tap_str(ping_tag_name(p[line].tag), ping_tag_name(rows[i].tag), "%g us", rows[i].us);
            line++;
        }
    tap_int((long long)p[6].first, 7, "they are counted");
    tap_int((long long)p[8].first, 10, "two at a time count twice");
    tap_int((long long)p[7].n, 2, "and are told to be two");
    n = pings_of(s, COUNT(rows), 40, p);
    tap_ok(n > 0 && p[0].tag == PING_PLAIN, "later ones are no warm-up");
    s[1].mean_ns = NAN;
    tap_int((long long)pings_of(s, 2, 0, p), 1, "nor is there a line without a latency");
}

static void test_fast(void)
{
    struct sample s[12];
    struct ping p[12];

    for (size_t i = 0; i < 12; i++)
        s[i] = (struct sample){.ios = 1, .mean_ns = i == 11 ? 20e3 : 200e3 + (double)(i % 3) * 1e3};
    pings_of(s, 12, 0, p);
    tap_int(p[11].tag, PING_FAST, "much faster than those before");
    tap_int(p[10].tag, PING_PLAIN, "as they are");
}

int main(void)
{
    test_tags();
    test_fast();
    return tap_done();
}
