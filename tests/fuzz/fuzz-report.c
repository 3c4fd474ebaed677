/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whatever a document says, a report of it has sane figures, and so has a sample of two. */
#include <math.h>
#include <string.h>

#include "fuzz.h"
#include "sthd/fio_report.h"

static bool sane(double v)
{
    return isnan(v) || (isfinite(v) && v >= 0);
}

static void check_counters(const struct counters *c)
{
    FUZZ_CHECK(sane(c->iops) && sane(c->bw_bytes_per_s) && sane(c->lat_mean_ns));
    FUZZ_CHECK(sane(c->lat_min_ns) && sane(c->lat_max_ns) && sane(c->lat_stddev_ns));
    FUZZ_CHECK(sane(counters_percentile(c, 50)) && sane(counters_percentile(c, 99.9)));
    FUZZ_CHECK(c->n_percentiles <= PERCENTILES_MAX);
    for (size_t i = 1; i < c->lat.n; i++)
        FUZZ_CHECK(c->lat.bins[i - 1].ns < c->lat.bins[i].ns);
}

static void check_sample(const struct sample *s)
{
    FUZZ_CHECK(s->seconds > 0 && isfinite(s->seconds));
    FUZZ_CHECK(sane(s->iops) && sane(s->bytes_per_s));
    FUZZ_CHECK(sane(s->mean_ns) && sane(s->p50_ns) && sane(s->p99_ns));
}

static void check_directions(const struct report *first, const struct report *second)
{
    for (int d = 0; d < DIRECTION_COUNT; d++) {
        struct sampler_spec spec = {.direction = (enum direction)d,
                                    .block_bytes = d ? 4096 : 0,
                                    .runtime_ms = 1000,
                                    .interval_ms = 250};
        struct sampler *s = sampler_new(&spec);
        struct counters sum;
        struct sample x;
        counters_init(&sum);
        counters_sum(&sum, first, spec.direction);
        check_counters(&sum);
        counters_done(&sum);
        if (sampler_take(s, first, 410000000, false, &x))
            check_sample(&x);
        if (sampler_take(s, second, 660000000, true, &x))
            check_sample(&x);
        if (sampler_take(s, first, 910000000, true, &x))
            check_sample(&x);
        sampler_mean(s, &x);
        FUZZ_CHECK(sane(x.iops) && sane(x.bytes_per_s) && sane(x.p50_ns));
        sampler_free(s);
    }
}

/* Two documents may be given, with a NUL between: the second is later. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *text = (const char *)data;
    size_t len = strnlen(text, size), rest = size > len ? size - len - 1 : 0;
    struct report first, second;
    struct err e;

    report_init(&first);
    report_init(&second);
    err_clear(&e);
    int rc = fio_report_read(&first, text, len, &e);
    FUZZ_CHECK((rc == 0) == (e.text[0] == '\0'));
    FUZZ_CHECK(rc == 0 || (first.n_jobs == 0 && !first.jobs));
    for (size_t i = 0; i < first.n_jobs; i++) {
        check_counters(&first.jobs[i].read);
        check_counters(&first.jobs[i].write);
        for (const char *p = first.jobs[i].name; *p; p++)
            FUZZ_CHECK(*p >= ' ' && *p <= '~');
    }
    if (rest)
        fio_report_read(&second, text + len + 1, rest, NULL);
    check_directions(&first, &second);
    report_done(&first);
    report_done(&second);
    return 0;
}
