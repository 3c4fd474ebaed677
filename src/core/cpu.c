/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the processors are doing, in words and sums; see cpu.h. Must not know where it is read.
 */
#include "sthd/cpu.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sthd/text.h"

void cpu_state_init(struct cpu_state *s)
{
    memset(s, 0, sizeof(*s));
    s->limit_us = CPU_LIMIT_UNKNOWN;
    s->asleep = s->busy = NAN;
}

/* ---- sums ---- */

void cpu_count_add(struct cpu_count *counts, size_t *n, const char *word, unsigned cpus)
{
    size_t i = 0;

    while (i < *n && strcmp(counts[i].word, word) != 0)
        i++;
    if (i == CPU_COUNTS)
        return;
    if (i == *n) {
        snprintf(counts[i].word, sizeof(counts[i].word), "%s", word);
        counts[(*n)++].cpus = 0;
    }
    counts[i].cpus += cpus;
}

static int compare_counts(const void *a, const void *b)
{
    const struct cpu_count *x = a, *y = b;

    if (x->cpus != y->cpus)
        return x->cpus > y->cpus ? -1 : 1;
    return strcmp(x->word, y->word);
}

void cpu_counts_sort(struct cpu_count *counts, size_t n)
{
    qsort(counts, n, sizeof(*counts), compare_counts);
}

size_t cpu_list_parse(const char *list, unsigned *out, size_t max)
{
    size_t n = 0;

    while (*list) {
        char *end;
        unsigned long first, last;
        if (!isdigit((unsigned char)*list)) {
            list++;
            continue;
        }
        first = last = strtoul(list, &end, 10);
        if (end[0] == '-' && isdigit((unsigned char)end[1]))
            last = strtoul(end + 1, &end, 10);
        for (unsigned long i = first; last < 65536 && i <= last; i++) {
            if (out && n < max)
                out[n] = (unsigned)i;
            n++;
        }
        list = end;
    }
    return n;
}

double cpu_idle_shares(double *shares, const uint64_t *before, const uint64_t *after, size_t n,
                       uint64_t window_us, double idle_share, double *asleep)
{
    double sum = 0;
    size_t largest = 0;

    for (size_t i = 0; i < n; i++) {
        uint64_t us = after[i] > before[i] ? after[i] - before[i] : 0;
        shares[i] = us >= window_us ? 1 : (double)us / (double)window_us;
        sum += shares[i];
        if (shares[i] > shares[largest])
            largest = i;
    }
    if (sum > 1) { /* what is too much was slept before the window, in one long sleep */
        shares[largest] = fmax(shares[largest] - (sum - 1), 0);
        sum = 0;
        for (size_t i = 0; i < n; i++)
            sum += shares[i];
        for (size_t i = 0; sum > 1 && i < n; i++)
            shares[i] /= sum;
        sum = fmin(sum, 1);
    }
    *asleep = idle_share > sum ? fmin(idle_share, 1) - sum : 0;
    return fmax(1 - sum - *asleep, 0);
}

/* A share that is not known now leaves the mean as it was. */
static double mean_of(double mean, double now, unsigned n)
{
    if (isnan(now))
        return mean;
    return isnan(mean) ? now : mean + (now - mean) / (n + 1);
}

void cpu_state_mean(struct cpu_state *mean, unsigned *n, const struct cpu_state *s)
{
    struct cpu_state was = *mean;

    *mean = *s;
    if (*n > 0 && was.n_idle == s->n_idle) {
        mean->busy = mean_of(was.busy, s->busy, *n);
        mean->asleep = mean_of(was.asleep, s->asleep, *n);
        for (size_t i = 0; i < s->n_idle; i++)
            mean->idle[i].share = mean_of(was.idle[i].share, s->idle[i].share, *n);
        if (was.now_khz && s->now_khz && was.stale == s->stale)
            mean->now_khz = (uint32_t)mean_of(was.now_khz, s->now_khz, *n);
        else if (was.now_khz && s->stale)
            mean->now_khz = was.now_khz;
        mean->stale = was.stale && s->stale;
    }
    (*n)++;
}

/* ---- words ---- */

void cpu_counts_text(struct buf *out, const struct cpu_count *counts, size_t n)
{
    for (size_t i = 0; i < n; i++)
        buf_addf(out, "%s%s x%u", i ? ", " : "", counts[i].word, counts[i].cpus);
    if (n == 0)
        buf_adds(out, "-");
}

void cpu_limit_text(struct buf *out, int32_t limit_us)
{
    if (limit_us == CPU_LIMIT_UNKNOWN)
        buf_adds(out, "unknown");
    else if (limit_us >= CPU_LIMIT_NONE)
        buf_adds(out, "none");
    else
        buf_addf(out, "%d us", (int)limit_us);
}

/* The parts of the line, in its order. Each has a short and a long form. */
enum part {
    PART_GOVERNOR,
    PART_EPP,
    PART_CLOCK,
    PART_BOOST,
    PART_IDLE,
    PART_LIMIT,
    PART_DRIVER,
    PART_COUNT,
};
enum form { FORM_NONE, FORM_SHORT, FORM_LONG };

static void governor_part(struct buf *out, const struct cpu_state *s, enum form form)
{
    if (s->n_governors == 0)
        buf_adds(out, s->absence);
    else if (form == FORM_LONG || s->n_governors == 1)
        cpu_counts_text(out, s->governors, s->n_governors);
    else
        buf_addf(out, "mixed: %s x%u", s->governors[0].word, s->governors[0].cpus);
}

static void epp_part(struct buf *out, const struct cpu_state *s, enum form form)
{
    if (s->n_epps == 0)
        return;
    buf_adds(out, "EPP ");
    if (s->n_epps == 1)
        buf_adds(out, s->epps[0].word);
    else if (form == FORM_LONG)
        cpu_counts_text(out, s->epps, s->n_epps);
    else
        buf_adds(out, "mixed");
}

static void clock_part(struct buf *out, const struct cpu_state *s, enum form form)
{
    double min = s->min_khz / 1e6, max = s->max_khz / 1e6, now = s->now_khz / 1e6;
    bool range = s->max_khz > 0 && form == FORM_LONG;

    if (range && s->min_khz > 0 && max - min >= 0.005)
        buf_addf(out, "%.2f-%.2f GHz", min, max);
    else if (range)
        buf_addf(out, "%.2f GHz", max);
    if (s->now_khz == 0)
        return;
    if (s->nominal)
        buf_addf(out, "%s%.2f GHz nominal", range ? ", " : "", now);
    else if (range)
        buf_addf(out, ", now %.2f%s", now, s->stale ? " (stale: idle)" : "");
    else
        buf_addf(out, "now %.2f GHz%s", now, s->stale ? " (stale)" : "");
}

static void boost_part(struct buf *out, const struct cpu_state *s)
{
    if (s->boost != CPU_BOOST_ABSENT)
        buf_adds(out, s->boost == CPU_BOOST_ON ? "boost on" : "boost off");
}

static void share(struct buf *out, const char *name, double value)
{
    buf_addf(out, "%s %.0f %%", name, value * 100);
}

/* Short: where most of the time went. */
static void idle_part(struct buf *out, const struct cpu_state *s, enum form form)
{
    const char *most = "busy";
    double value = s->busy;

    if (isnan(s->busy))
        return;
    if (form == FORM_LONG && s->n_idle > 0) {
        for (size_t i = 0; i < s->n_idle; i++) {
            share(out, s->idle[i].name, s->idle[i].share);
            buf_addc(out, ' ');
        }
        if (s->asleep >= 0.005) {
            share(out, "asleep", s->asleep);
            buf_addc(out, ' ');
        }
        share(out, "busy", s->busy);
        return;
    }
    for (size_t i = 0; i < s->n_idle; i++)
        if (s->idle[i].share > value) {
            most = s->idle[i].name;
            value = s->idle[i].share;
        }
    if (s->n_idle > 0 && s->asleep > value) {
        most = "asleep";
        value = s->asleep;
    }
    share(out, most, value);
}

static void limit_part(struct buf *out, const struct cpu_state *s)
{
    buf_adds(out, "limit ");
    cpu_limit_text(out, s->limit_us);
}

static void add_part(struct buf *out, const struct cpu_state *s, enum part part, enum form form)
{
    switch (part) {
    case PART_GOVERNOR:
        governor_part(out, s, form);
        break;
    case PART_EPP:
        epp_part(out, s, form);
        break;
    case PART_CLOCK:
        clock_part(out, s, form);
        break;
    case PART_BOOST:
        boost_part(out, s);
        break;
    case PART_IDLE:
        idle_part(out, s, form);
        break;
    case PART_LIMIT:
        limit_part(out, s);
        break;
    case PART_DRIVER:
        buf_adds(out, s->driver);
        break;
    case PART_COUNT:
        break;
    }
}

static void compose(struct buf *out, const struct cpu_state *s, const enum form forms[PART_COUNT])
{
    size_t start = out->len;

    for (int i = 0; i < PART_COUNT; i++) {
        size_t before = out->len;
        if (forms[i] == FORM_NONE)
            continue;
        if (before > start)
            buf_adds(out, "  ");
        size_t begun = out->len;
        add_part(out, s, (enum part)i, forms[i]);
        if (out->len == begun && begun > before) { /* nothing to say: no gap either */
            out->len = before;
            out->data[before] = '\0';
        }
    }
}

void cpu_text(struct buf *out, const struct cpu_state *s, int columns)
{
    /* What is given room first. */
    static const struct {
        enum part part;
        enum form form;
    } offers[] = {{PART_GOVERNOR, FORM_SHORT}, {PART_CLOCK, FORM_SHORT}, {PART_IDLE, FORM_SHORT},
                  {PART_LIMIT, FORM_SHORT},    {PART_CLOCK, FORM_LONG},  {PART_GOVERNOR, FORM_LONG},
                  {PART_EPP, FORM_SHORT},      {PART_IDLE, FORM_LONG},   {PART_BOOST, FORM_SHORT},
                  {PART_EPP, FORM_LONG},       {PART_DRIVER, FORM_SHORT}};
    enum form forms[PART_COUNT] = {FORM_NONE};
    struct buf line = BUF_INIT;

    if (!s->known) {
        buf_adds(&line, "not read yet");
    } else {
        for (size_t i = 0; i < sizeof(offers) / sizeof(offers[0]); i++) {
            enum form before = forms[offers[i].part];
            forms[offers[i].part] = offers[i].form;
            buf_clear(&line);
            compose(&line, s, forms);
            if ((int)line.len > columns && i > 0)
                forms[offers[i].part] = before;
        }
        buf_clear(&line);
        compose(&line, s, forms);
    }
    text_fit(out, line.data ? line.data : "", columns > 0 ? columns : 0, false);
    buf_done(&line);
}
