/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From facts to findings; see verdict.h. What the rules are stands in verdict_rules.c. */
#include "sthd/verdict.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *severity_name(enum severity s)
{
    static const char *const names[] = {
        [SEVERITY_MEANING] = "meaning", [SEVERITY_LIMIT] = "limit", [SEVERITY_HINT] = "hint"};

    return names[s];
}

static const struct verdict_test *strongest(const struct rule *rule, const struct verdict_facts *f)
{
    const struct verdict_test *best = NULL;
    double most = 0;

    for (size_t i = 0; i < f->n_tests; i++) {
        double strength = rule->applies(f, &f->tests[i]);
        if (strength > most) {
            most = strength;
            best = &f->tests[i];
        }
    }
    return best;
}

static void try_rule(struct verdict *v, const struct rule *rule, const struct verdict_facts *f)
{
    const struct verdict_test *t = rule->per_test ? strongest(rule, f) : NULL;

    if (rule->per_test ? !t : !(rule->applies(f, NULL) > 0))
        return;
    assert(v->n < VERDICT_FINDINGS);
    struct finding *finding = &v->items[v->n++];
    memset(finding, 0, sizeof(*finding));
    finding->id = rule->id;
    finding->severity = rule->severity;
    rule->say(finding, f, t);
}

void verdict_judge(struct verdict *v, const struct verdict_facts *f)
{
    v->n = 0;
    for (int s = SEVERITY_MEANING; s <= SEVERITY_HINT; s++)
        for (size_t i = 0; i < verdict_n_rules; i++)
            if (verdict_rules[i].severity == (enum severity)s)
                try_rule(v, &verdict_rules[i], f);
}

/* --- throughput that falls -------------------------------------------------------------------- */

#define FALL_SAMPLES 12  /* fewer say nothing */
#define FALL_PIECES  48  /* a long test is looked at in this many */
#define FALL_SIDE    4   /* pieces that each side has at least */
#define FALL_RATIO   0.7 /* what this virtual machine's noise (20 %) never made by itself */

struct piece {
    double bytes, seconds;
};

static int by_rate(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static double median(const struct piece *p, size_t n)
{
    double rates[FALL_PIECES];

    for (size_t i = 0; i < n; i++)
        rates[i] = p[i].bytes / p[i].seconds;
    qsort(rates, n, sizeof(rates[0]), by_rate);
    return n % 2 ? rates[n / 2] : (rates[n / 2 - 1] + rates[n / 2]) / 2;
}

static size_t cut_to_pieces(struct piece *pieces, const struct sample *samples, size_t n)
{
    size_t n_pieces = n < FALL_PIECES ? n : FALL_PIECES, used = 0;

    memset(pieces, 0, FALL_PIECES * sizeof(*pieces));
    for (size_t i = 0; i < n; i++) {
        struct piece *p = &pieces[i * n_pieces / n];
        if (isnan(samples[i].bytes_per_s) || !(samples[i].seconds > 0))
            continue;
        p->bytes += samples[i].bytes_per_s * samples[i].seconds;
        p->seconds += samples[i].seconds;
    }
    for (size_t i = 0; i < n_pieces; i++)
        if (pieces[i].seconds > 0)
            pieces[used++] = pieces[i];
    return used;
}

/* The cut that leaves least scatter on its two sides; 0: none possible. */
static size_t best_cut(const struct piece *p, size_t n)
{
    double sum = 0, left = 0, most = 0;
    size_t best = 0;

    for (size_t i = 0; i < n; i++)
        sum += p[i].bytes / p[i].seconds;
    for (size_t i = 1; i + FALL_SIDE <= n; i++) {
        left += p[i - 1].bytes / p[i - 1].seconds;
        double step = left / (double)i - (sum - left) / (double)(n - i);
        double explained = step * step * (double)i * (double)(n - i);
        if (i >= FALL_SIDE && step > 0 && explained > most) {
            most = explained;
            best = i;
        }
    }
    return best;
}

bool fall_find(struct fall *out, const struct sample *samples, size_t n)
{
    struct piece pieces[FALL_PIECES];

    memset(out, 0, sizeof(*out));
    if (n < FALL_SAMPLES)
        return false;
    size_t n_pieces = cut_to_pieces(pieces, samples, n);
    size_t cut = best_cut(pieces, n_pieces);
    if (cut == 0)
        return false;
    double before = median(pieces, cut), after = median(pieces + cut, n_pieces - cut);
    if (!(after <= FALL_RATIO * before))
        return false;
    out->before = before;
    out->after = after;
    for (size_t i = 0; i < cut; i++) {
        out->at_s += pieces[i].seconds;
        out->bytes_until += pieces[i].bytes;
    }
    return true;
}
