/* SPDX-License-Identifier: GPL-3.0-or-later */
/* histogram: order, sums, differences, and fio's percentile rule. */
#include <math.h>
#include <stdint.h>

#include "sthd/histogram.h"
#include "tap.h"

static void fill(struct histogram *h, const struct bin *bins, size_t n)
{
    histogram_init(h);
    for (size_t i = 0; i < n; i++)
        histogram_add(h, bins[i].ns, bins[i].count);
}

static bool is_sorted(const struct histogram *h)
{
    uint64_t total = 0;

    for (size_t i = 0; i < h->n; i++) {
        if (h->bins[i].count == 0 || (i && h->bins[i - 1].ns >= h->bins[i].ns))
            return false;
        total += h->bins[i].count;
    }
    return total == h->total;
}

static void test_add(void)
{
    static const struct bin bins[] = {{50, 1}, {10, 2}, {30, 3}, {10, 4}, {90, 5}, {30, 0}, {0, 6}};
    struct histogram h, copy;

    fill(&h, bins, sizeof(bins) / sizeof(bins[0]));
    tap_ok(is_sorted(&h), "added in any order, sorted and summed");
    tap_int((long long)h.n, 5, "one bin per value, none for count 0");
    tap_int((long long)h.total, 21, "total is the sum of the counts");
    tap_int((long long)h.bins[1].count, 6, "same value adds up");

    histogram_init(&copy);
    histogram_add(&copy, 7, 7);
    histogram_copy(&copy, &h);
    histogram_add(&h, 1000, 1);
    tap_ok(is_sorted(&copy) && copy.n == 5 && copy.total == 21, "a copy is its own");
    histogram_clear(&copy);
    tap_ok(copy.n == 0 && copy.total == 0, "clear empties");
    histogram_copy(&h, &copy);
    tap_ok(h.n == 0, "copy of nothing is nothing");

    histogram_add(&h, 1, UINT64_MAX);
    histogram_add(&h, 2, 5);
    tap_ok(h.total == UINT64_MAX, "counts stop at the top, they do not wrap");
    histogram_done(&h);
    histogram_done(&copy);
}

static void test_merge(void)
{
    static const struct bin a[] = {{10, 1}, {20, 2}, {40, 4}}, b[] = {{20, 8}, {30, 16}};
    struct histogram x, y, none;

    fill(&x, a, 3);
    fill(&y, b, 2);
    histogram_init(&none);
    histogram_merge(&x, &y);
    tap_ok(is_sorted(&x) && x.n == 4 && x.total == 31 && x.bins[1].count == 10, "merge adds bins");
    histogram_merge(&x, &none);
    tap_int((long long)x.total, 31, "merge of nothing changes nothing");
    histogram_merge(&none, &x);
    tap_ok(is_sorted(&none) && none.total == 31, "merge into nothing is a copy");
    histogram_done(&x);
    histogram_done(&y);
    histogram_done(&none);
}

static void test_subtract(void)
{
    static const struct {
        const char *what;
        struct bin now[4], before[4];
        int result;
        uint64_t total, first_ns;
    } rows[] = {
        {"nothing before", {{10, 1}, {20, 2}}, {{0, 0}}, 0, 3, 10},
        {"equal", {{10, 1}, {20, 2}}, {{10, 1}, {20, 2}}, 0, 0, 0},
        {"grown and new", {{5, 1}, {10, 4}, {20, 2}}, {{10, 1}, {20, 2}}, 0, 4, 5},
        {"a bin shrank", {{10, 1}, {20, 9}}, {{10, 2}, {20, 2}}, -1, 7, 20},
        {"the first bin is gone", {{20, 9}}, {{10, 2}, {20, 2}}, -1, 7, 20},
        {"the last bin is gone", {{10, 3}}, {{10, 2}, {20, 2}}, -1, 1, 10},
        {"all are gone", {{0, 0}}, {{10, 2}}, -1, 0, 0},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct histogram now, before, out;
        fill(&now, rows[i].now, 4);
        fill(&before, rows[i].before, 4);
        histogram_init(&out);
        histogram_add(&out, 1, 1);
        tap_int(histogram_subtract(&out, &now, &before), rows[i].result, "subtract: %s",
                rows[i].what);
        tap_int((long long)out.total, (long long)rows[i].total, "... total, %s", rows[i].what);
        tap_ok(is_sorted(&out) && (out.n == 0 || out.bins[0].ns == rows[i].first_ns),
               "... sorted, first bin, %s", rows[i].what);
        histogram_done(&now);
        histogram_done(&before);
        histogram_done(&out);
    }
}

static void test_percentile(void)
{
    static const struct bin bins[] = {{10, 1}, {20, 98}, {30, 1}};
    static const struct {
        double share, ns;
    } rows[] = {{0.001, 10}, {0.01, 10},   {0.0101, 20}, {0.5, 20},
                {0.99, 20},  {0.9901, 30}, {1, 30}};
    struct histogram h, none;

    fill(&h, bins, 3);
    histogram_init(&none);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        tap_near(histogram_percentile(&h, rows[i].share), rows[i].ns, 0, "percentile at share %g",
                 rows[i].share);
    tap_near(histogram_mean(&h), 20, 1e-9, "mean of the bin values");
    tap_near(histogram_percentile(&none, 0.5), NAN, 0, "no percentile of nothing");
    tap_near(histogram_mean(&none), NAN, 0, "no mean of nothing");
    histogram_done(&h);
}

int main(void)
{
    test_add();
    test_merge();
    test_subtract();
    test_percentile();
    return tap_done();
}
