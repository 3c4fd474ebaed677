/* SPDX-License-Identifier: GPL-3.0-or-later */
/* course: knees that are there are found, noise makes none, and what is said of either */
#include <math.h>
#include <string.h>

#include "sthd/course.h"
#include "tap.h"

#define MB       1e6
#define SEEDS    60
#define INTERVAL 0.25

/* --- noise, the same in every run ------------------------------------------------------------- */

struct noise {
    uint64_t state;
    double walk;
};

static double uniform(struct noise *n)
{
    n->state = n->state * 6364136223846793005u + 1442695040888963407u;
    return ((double)(n->state >> 33) + 0.5) / (double)(1u << 31);
}

static double normal(struct noise *n)
{
    return sqrt(-2 * log(uniform(n))) * cos(2 * M_PI * uniform(n));
}

enum noise_kind {
    NOISE_NONE,
    NOISE_NORMAL, /* each interval by itself, level times exp(amount x normal) */
    NOISE_STALLS, /* one of ten intervals at a tenth of the rate, some with nothing at all */
    NOISE_TWO,    /* fast and slow (amount) intervals by chance, as a device that cleans up */
    NOISE_SAW,    /* slower for 3 of 12 intervals, again and again */
    NOISE_GROUPS, /* normal, but four intervals alike: a device that reports late */
};

static double noisy(struct noise *n, enum noise_kind kind, double amount, size_t i)
{
    switch (kind) {
    case NOISE_NONE:
        break;
    case NOISE_NORMAL:
        return exp(amount * normal(n));
    case NOISE_STALLS:
        return (uniform(n) < 0.1 ? (uniform(n) < 0.3 ? 0 : 0.1) : 1) * exp(0.05 * normal(n));
    case NOISE_TWO:
        return (uniform(n) < 0.5 ? amount : 1) * exp(0.05 * normal(n));
    case NOISE_SAW:
        return (i % 12 < 3 ? amount : 1) * exp(0.03 * normal(n));
    case NOISE_GROUPS:
        if (i % 4 == 0)
            n->walk = exp(amount * normal(n));
        return n->walk;
    }
    return 1;
}

/* --- shapes ----------------------------------------------------------------------------------- */

struct shape {
    const char *what;
    double gib;
    struct {
        double mb_per_s, until_gib;
    } levels[4];     /* until_gib 0: to the end */
    double drift_to; /* of the only level: where it ends; 0: it does not drift */
    enum noise_kind noise;
    double amount;
    enum course_kind want;
    const char *sentence; /* of the first seed; NULL: not looked at */
    double allowed; /* share of the seeds that may come out otherwise; 1: as long as no knee */
};

static const struct shape shapes[] = {
    {"nothing happens",
     16,
     {{300, 0}},
     0,
     NOISE_NONE,
     0,
     COURSE_STEADY,
     "steady at 300 MB/s (10th to 90th percentile 300 MB/s to 300 MB/s)",
     0},
    {"a little noise", 16, {{300, 0}}, 0, NOISE_NORMAL, 0.05, COURSE_STEADY, NULL, 0},
    {"as much noise as there is",
     16,
     {{300, 0}},
     0,
     NOISE_NORMAL,
     0.3,
     COURSE_UNSTEADY,
     NULL,
     0.02},
    {"a long and noisy run", 400, {{500, 0}}, 0, NOISE_NORMAL, 0.5, COURSE_UNSTEADY, NULL, 1},
    {"stalls", 16, {{300, 0}}, 0, NOISE_STALLS, 0, COURSE_STEADY, NULL, 1},
    {"fast and slow by chance", 16, {{300, 0}}, 0, NOISE_TWO, 0.25, COURSE_UNSTEADY, NULL, 0.02},
    {"slow again and again", 16, {{300, 0}}, 0, NOISE_SAW, 0.4, COURSE_UNSTEADY, NULL, 0},
    {"neighbours alike", 16, {{300, 0}}, 0, NOISE_GROUPS, 0.1, COURSE_STEADY, NULL, 1},

    {"an SLC cache",
     100,
     {{3200, 38}, {600, 0}},
     0,
     NOISE_NORMAL,
     0.05,
     COURSE_KNEED,
     "fell from 3.2 GB/s to 600 MB/s after 38.3 GiB",
     0},
    {"the cache of a disk with shingles, in its noise",
     60,
     {{180, 20}, {40, 0}},
     0,
     NOISE_NORMAL,
     0.3,
     COURSE_KNEED,
     NULL,
     0},
    {"a small cache before a terabyte",
     1024,
     {{3200, 38}, {600, 0}},
     0,
     NOISE_NORMAL,
     0.1,
     COURSE_KNEED,
     NULL,
     0},
    {"a third less",
     16,
     {{300, 8}, {200, 0}},
     0,
     NOISE_NORMAL,
     0.05,
     COURSE_KNEED,
     "fell from 300 MB/s to 199 MB/s after 8 GiB",
     0},
    {"a tenth less is no knee",
     16,
     {{300, 8}, {270, 0}},
     0,
     NOISE_NORMAL,
     0.03,
     COURSE_STEADY,
     NULL,
     0},
    {"two knees: cache, then heat",
     100,
     {{3200, 20}, {1500, 60}, {500, 0}},
     0,
     NOISE_NORMAL,
     0.05,
     COURSE_KNEED,
     NULL,
     0},
    {"a pause of the cache: down and up again",
     60,
     {{1000, 20}, {300, 35}, {1000, 0}},
     0,
     NOISE_NORMAL,
     0.05,
     COURSE_KNEED,
     NULL,
     0},
    {"it rises", 60, {{300, 20}, {900, 0}}, 0, NOISE_NORMAL, 0.05, COURSE_KNEED, NULL, 0},
    {"stalls beyond the knee",
     60,
     {{2000, 20}, {400, 0}},
     0,
     NOISE_STALLS,
     0,
     COURSE_KNEED,
     NULL,
     0.05},

    {"from the outer to the inner zone",
     60,
     {{250, 0}},
     120,
     NOISE_NORMAL,
     0.03,
     COURSE_DRIFTING,
     NULL,
     0},
    {"the same, noisier", 60, {{250, 0}}, 120, NOISE_NORMAL, 0.1, COURSE_DRIFTING, NULL, 0.02},
    {"a third slower, slowly", 60, {{300, 0}}, 200, NOISE_NORMAL, 0.05, COURSE_DRIFTING, NULL, 0},
    {"a few intervals",
     1,
     {{300, 0}},
     0,
     NOISE_NONE,
     0,
     COURSE_SHORT,
     "too short to tell whether it lasts",
     0},
};

static double rate_at(const struct shape *s, double gib)
{
    size_t i = 0;

    if (s->drift_to > 0)
        return (s->levels[0].mb_per_s + (s->drift_to - s->levels[0].mb_per_s) * gib / s->gib) * MB;
    while (s->levels[i].until_gib > 0 && gib >= s->levels[i].until_gib)
        i++;
    return s->levels[i].mb_per_s * MB;
}

static void make(struct course *c, const struct shape *s, uint64_t seed)
{
    struct noise n = {.state = seed * 2654435761u + 12345};
    double bytes = 0, all = s->gib * 0x1p30;

    course_done(c);
    for (size_t i = 0; bytes < all; i++) {
        double now = rate_at(s, bytes / 0x1p30) * INTERVAL * noisy(&n, s->noise, s->amount, i);
        if (now > all - bytes)
            now = all - bytes;
        course_add(c, (uint64_t)now, INTERVAL);
        bytes += now < 1 ? 1 : now;
    }
}

static size_t knees_of(const struct shape *s)
{
    size_t n = 0;

    while (s->levels[n].until_gib > 0)
        n++;
    return n;
}

/* Each where it is, within a fiftieth of the whole or two intervals; and its levels within 15 %. */
static bool knees_right(const struct shape *s, const struct course_verdict *v)
{
    if (v->n_knees != knees_of(s))
        return false;
    for (size_t i = 0; i < v->n_knees; i++) {
        const struct knee *k = &v->knees[i];
        double at = (double)k->at_bytes / 0x1p30, want = s->levels[i].until_gib;
        double slack = fmax(s->gib / 50, 2 * s->levels[i].mb_per_s * MB * INTERVAL / 0x1p30);
        if (fabs(at - want) > slack ||
            fabs(log(k->before_bytes_per_s / (s->levels[i].mb_per_s * MB))) > 0.15 ||
            fabs(log(k->after_bytes_per_s / (s->levels[i + 1].mb_per_s * MB))) > 0.15)
            return false;
    }
    return true;
}

static void test_shape(const struct shape *s)
{
    static struct course c;
    size_t other = 0, false_knees = 0, wrong = 0;
    size_t seeds = s->noise == NOISE_NONE ? 1 : SEEDS;

    for (size_t seed = 0; seed < seeds; seed++) {
        make(&c, s, seed);
        course_judge(&c);
        const struct course_verdict v = c.verdict;
        other += v.kind != s->want;
        false_knees += v.kind == COURSE_KNEED && s->want != COURSE_KNEED;
        wrong += s->want == COURSE_KNEED && !knees_right(s, &v);
        if (seed == 0 && s->sentence) {
            struct buf text = BUF_INIT;
            course_sentence(&v, &text);
            tap_str(text.data, s->sentence, "%s: in words", s->what);
            buf_done(&text);
        }
    }
    tap_ok((double)other <= s->allowed * (double)seeds, "%s: %s (otherwise in %zu of %zu)", s->what,
           course_kind_name(s->want), other, seeds);
    tap_ok(false_knees * 20 <= seeds, "%s: noise makes no knee (in %zu of %zu)", s->what,
           false_knees, seeds);
    if (s->want == COURSE_KNEED)
        tap_ok(wrong * 20 <= seeds, "%s: the knees and their levels (wrong in %zu of %zu)", s->what,
               wrong, seeds);
}

/* The rate between two places is bytes by seconds, not the mean of rates; few points lose nothing.
 */
static void test_rates(void)
{
    struct course c = {0};
    double seconds = 0;

    for (size_t i = 0; i < 100000; i++) {
        double s = i < 40000 ? 0.25 : 1;
        course_add(&c, 1000, s);
        seconds += s;
    }
    tap_int((long long)c.bytes, 100000000, "bytes");
    tap_ok(c.n <= COURSE_POINTS && c.n >= COURSE_POINTS / 4, "few points: %zu", c.n);
    double all = course_rate(&c, 0, 1e8);
    tap_ok(fabs(all * seconds - 1e8) < 1, "the whole: %.3f bytes/s", all);
    tap_ok(fabs(course_rate(&c, 0, 1e7) - 4000) < 1e-6, "the beginning");
    tap_ok(fabs(course_rate(&c, 3.8e7, 4.2e7) / 1600 - 1) < 0.02, "across the change");
    tap_ok(isnan(course_rate(&c, 2e8, 3e8)), "beyond the end");
    tap_ok(course_is_due(&c), "not judged yet");
    course_judge(&c);
    tap_ok(!course_is_due(&c), "judged");
    course_done(&c);
    tap_ok(c.n == 0 && !c.points && isnan(course_rate(&c, 0, 1)), "done is empty");

    course_add(&c, 0, 5); /* a stall belongs to what comes after it */
    course_add(&c, 100, 5);
    course_add(&c, 100, 0);
    course_add(&c, 100, NAN);
    course_add(&c, 100, INFINITY);
    tap_ok(c.n == 1 && course_rate(&c, 0, 100) == 10, "a stall counts, what is no time does not");
    course_done(&c);
}

int main(void)
{
    test_rates();
    for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++)
        test_shape(&shapes[i]);
    return tap_done();
}
