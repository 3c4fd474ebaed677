/* SPDX-License-Identifier: GPL-3.0-or-later */
/* align: the physical block of made-up devices is found, and noise has none. */
#include <math.h>
#include <string.h>

#include "sthd/align.h"
#include "tap.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static double uniform(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return ((double)(*state >> 33) + 0.5) / (double)(1u << 31);
}

/* 1K to 8K at 0, 512, 1K, 2K, 4K; as fast as it goes, times `cost` where it is not aligned. */
static void make(struct align *a, uint64_t physical, double cost, double noise, bool reads,
                 uint64_t seed)
{
    static const uint64_t offsets[] = {0, 512, 1024, 2048, 4096};
    uint64_t state = seed * 7919 + 1;

    memset(a, 0, sizeof(*a));
    a->n_blocks = 4;
    a->n_offsets = COUNT(offsets);
    for (size_t b = 0; b < 4; b++)
        a->blocks[b] = (uint64_t)1024 << b;
    memcpy(a->offsets, offsets, sizeof(offsets));
    for (int d = 0; d < DIRECTION_COUNT; d++)
        for (size_t b = 0; b < 4; b++)
            for (size_t o = 0; o < a->n_offsets; o++) {
                double ns = 80e3 + 10e3 * (double)b;
                bool aligned =
                    physical == 0 || (a->blocks[b] % physical == 0 && offsets[o] % physical == 0);
                if (!aligned && (d == DIRECTION_WRITE || reads))
                    ns *= cost;
                ns *= 1 + noise * (2 * uniform(&state) - 1);
                a->ns[d][b][o] = d == DIRECTION_MIX ? NAN : ns;
            }
}

static void test_devices(void)
{
    static const struct {
        const char *what;
        uint64_t physical;
        double cost, noise;
        uint64_t found;
    } rows[] = {
        {"512e: 4 KiB inside", 4096, 2.3, 0.03, 4096},
        {"a little dearer", 4096, 1.4, 0.05, 4096},
        {"1 KiB", 1024, 2, 0.03, 1024},
        {"2 KiB", 2048, 2, 0.03, 2048},
        {"8 KiB pages", 8192, 2.5, 0.03, 8192},
        {"hidden", 4096, 1.05, 0.03, 0},
        {"none", 0, 1, 0.05, 0},
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        size_t wrong = 0;
        for (uint64_t seed = 0; seed < 100; seed++) {
            struct align a;
            struct align_verdict v;
            make(&a, rows[i].physical, rows[i].cost, rows[i].noise, false, seed);
            align_judge(&a, &v);
            wrong += v.physical_bytes != rows[i].found ||
                     (v.physical_bytes && v.direction != DIRECTION_WRITE);
        }
        tap_int((long long)wrong, 0, "%s: wrong in so many of 100", rows[i].what);
    }
}

/* However much it scatters: a block size out of nothing is seldom. */
static void test_noise(void)
{
    static const double noises[] = {0.1, 0.3, 0.6};
    static const size_t most[] = {0, 20, 100};

    for (size_t i = 0; i < COUNT(noises); i++) {
        size_t found = 0;
        for (uint64_t seed = 0; seed < 1000; seed++) {
            struct align a;
            struct align_verdict v;
            make(&a, 0, 1, noises[i], false, seed);
            align_judge(&a, &v);
            found += v.physical_bytes != 0;
        }
        tap_ok(found <= most[i], "noise of %g: a block in %zu of 1000", noises[i], found);
    }
}

static void test_words(void)
{
    struct align a;
    struct align_verdict v;
    struct buf text = BUF_INIT;

    make(&a, 4096, 2, 0, true, 1);
    align_judge(&a, &v);
    align_sentence(&v, 4096, &text);
    tap_str(text.data,
            "physical blocks of 4 KiB: reads that are not aligned to them take 2.0 times as long; "
            "the kernel says 4 KiB",
            "in words");
    buf_clear(&text);
    align_sentence(&v, 512, &text);
    tap_ok(strstr(text.data, "; but the kernel says 512 B"), "and when the kernel says otherwise");
    tap_near(align_ratio(&a, DIRECTION_WRITE, 2, 1), 2, 1e-9, "times the best of its row");
    tap_near(align_ratio(&a, DIRECTION_WRITE, 2, 4), 1, 1e-9, "which is the aligned one");
    tap_ok(align_heat(1) == 0 && align_heat(1.2) == 1 && align_heat(9) == 4, "heat");

    for (size_t b = 0; b < a.n_blocks; b++)
        for (size_t o = 0; o < a.n_offsets; o++)
            if (b < 2 || o == 1)
                a.ns[DIRECTION_WRITE][b][o] = a.ns[DIRECTION_READ][b][o] = NAN;
    align_judge(&a, &v);
    tap_int((long long)v.physical_bytes, 4096, "with cells that are missing");
    memset(&a, 0, sizeof(a));
    align_judge(&a, &v);
    tap_int((long long)v.physical_bytes, 0, "and with none");
    buf_done(&text);
}

int main(void)
{
    test_devices();
    test_noise();
    test_words();
    return tap_done();
}
