/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A sweep as text: for each cell the settings beside each other, as figures and as a chart of their
 * spread, what that says, and how to keep it. No line is wider than 80 columns, but those that are
 * to be copied.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "sthd/tables.h"
#include "sthd/text.h"
#include "sthd/units.h"
#include "writers.h"

#define NAME_COLS  20
#define CHART_COLS 56

typedef void cell_fn(void *arg, const struct run *r, size_t test, enum direction d,
                     const struct sweep_row rows[KNOB_CHOICES]);

static void each_cell(const struct run *r, cell_fn *fn, void *arg)
{
    const struct sweep *s = &r->plan->settings.sweep;
    struct sweep_row rows[KNOB_CHOICES];

    for (size_t t = 0; t < r->plan->settings.profile->n_tests; t++)
        for (int d = 0; d < DIRECTION_COUNT; d++) {
            const struct cell *c = run_cell(r, t, (enum direction)d);
            if (c->state == CELL_NONE)
                continue;
            sweep_compare(s, c->runs, c->n_runs, rows);
            fn(arg, r, t, (enum direction)d, rows);
        }
}

/* ---- for people ---- */

struct page {
    struct buf *out;
    bool utf8, colour;
    /* The strongest effect so far: what the advice is about. */
    double most;
    size_t best;
};

static void add_fit(struct buf *out, const char *text, int cols, bool left)
{
    int blanks = cols - text_width(text);

    if (!left && blanks > 0)
        buf_addn(out, ' ', (size_t)blanks);
    text_fit(out, text, cols, left);
}

static void add_row(struct page *p, const char *setting, const struct sweep_row *row)
{
    char iops[UNITS_TEXT], least[UNITS_TEXT], most[UNITS_TEXT], p50[UNITS_TEXT], p99[UNITS_TEXT];
    char times[32] = "";

    if (!isnan(row->times))
        snprintf(times, sizeof(times), "%.2f%s", row->times, row->apart ? "  " : " ?");
    if (p->colour && row->apart)
        buf_adds(p->out, "\033[1m");
    buf_adds(p->out, "  ");
    add_fit(p->out, setting, NAME_COLS - 2, true);
    add_fit(p->out, units_iops(iops, row->iops), 10, false);
    add_fit(p->out, units_iops(least, row->iops_min), 10, false);
    add_fit(p->out, units_iops(most, row->iops_max), 10, false);
    add_fit(p->out, units_latency(p50, row->p50_ns), 9, false);
    add_fit(p->out, units_latency(p99, row->p99_ns), 9, false);
    if (times[0])
        add_fit(p->out, times, 8, false);
    if (p->colour && row->apart)
        buf_adds(p->out, "\033[0m");
    buf_addc(p->out, '\n');
}

static int column(double v, double lo, double hi)
{
    return hi > lo ? (int)lround((v - lo) / (hi - lo) * (CHART_COLS - 1)) : 0;
}

/* least, median and most on one scale from 0, so that lengths can be compared. */
static void add_bar(struct page *p, const char *setting, const struct sweep_row *row, double hi)
{
    int from = column(row->iops_min, 0, hi), at = column(row->iops, 0, hi);
    int to = column(row->iops_max, 0, hi);

    buf_adds(p->out, "  ");
    add_fit(p->out, setting, NAME_COLS - 2, true);
    for (int i = 0; i <= to && !isnan(row->iops); i++) {
        if (i == at)
            buf_adds(p->out, p->utf8 ? "●" : "o");
        else if (i == from || i == to)
            buf_adds(p->out, p->utf8 ? (i == from ? "├" : "┤") : "|");
        else if (i > from)
            buf_adds(p->out, p->utf8 ? "─" : "-");
        else
            buf_adds(p->out, p->utf8 ? "·" : ".");
    }
    buf_addc(p->out, '\n');
}

static void say_result(struct page *p, const struct sweep *s, const struct sweep_row *rows)
{
    size_t best = sweep_best(s, rows), worst = 0;
    char first[CPU_WORD + 8], other[CPU_WORD + 8];

    for (size_t i = 1; i < s->n; i++)
        if (rows[i].apart && rows[i].times < 1 && (worst == 0 || rows[i].iops < rows[worst].iops))
            worst = i;
    sweep_label(s, 0, first, sizeof(first));
    sweep_label(s, best ? best : worst, other, sizeof(other));
    size_t runs = best ? rows[best].n : rows[worst].n;
    double odds = sweep_odds(runs < rows[0].n ? runs : rows[0].n);
    if (isnan(rows[0].iops) || rows[0].n < 2)
        buf_adds(p->out, "  Too few runs were completed to say anything.\n");
    else if (best)
        buf_addf(p->out, "  %s: %.2f x the IOPS of %s, beyond the spread (by chance: 1 in %.0f)\n",
                 other, rows[best].times, first, odds);
    else if (worst)
        buf_addf(p->out, "  None is faster than %s; %s has %.2f x its IOPS.\n", first, other,
                 rows[worst].times);
    else
        buf_addf(p->out, "  No setting differs from %s by more than the spread.\n", first);
    if (best && rows[best].times > p->most) {
        p->most = rows[best].times;
        p->best = best;
    }
}

static void show_cell(void *arg, const struct run *r, size_t test, enum direction d,
                      const struct sweep_row rows[KNOB_CHOICES])
{
    const struct sweep *s = &r->plan->settings.sweep;
    struct page *p = arg;
    char name[64], label[CPU_WORD + 8];
    double hi = 0;

    snprintf(name, sizeof(name), "%.40s %s", r->plan->settings.profile->tests[test].name,
             direction_name(d));
    if (p->colour)
        buf_adds(p->out, "\033[1m");
    add_fit(p->out, name, NAME_COLS, true);
    buf_adds(p->out, "      IOPS     least      most      p50      p99       x");
    if (p->colour)
        buf_adds(p->out, "\033[0m");
    buf_addc(p->out, '\n');
    for (size_t i = 0; i < s->n; i++) {
        sweep_label(s, i, label, sizeof(label));
        add_row(p, label, &rows[i]);
        hi = fmax(hi, isnan(rows[i].iops_max) ? 0 : rows[i].iops_max);
    }
    for (size_t i = 0; i < s->n && hi > 0; i++) {
        sweep_label(s, i, label, sizeof(label));
        add_bar(p, label, &rows[i], hi);
    }
    say_result(p, s, rows);
    buf_addc(p->out, '\n');
}

void table_sweep(struct buf *out, const struct run *r, const struct table_style *style)
{
    const struct sweep *s = &r->plan->settings.sweep;
    struct page p = {.out = out, .utf8 = style->utf8, .colour = style->colour};
    char label[CPU_WORD + 8];

    sweep_label(s, 0, label, sizeof(label));
    buf_addf(out, "Sweep of the %s: ", knob_name(s->knob));
    if (s->repeats > 1)
        buf_addf(out, "medians of %u runs", s->repeats);
    else
        buf_adds(out, "one run");
    buf_adds(out, " under each setting, in turn\n");
    buf_addf(out, "(%s is what it was; x: times its IOPS; ?: within the spread)\n\n", label);
    each_cell(r, show_cell, &p);
    if (p.best == 0)
        return;
    sweep_label(s, p.best, label, sizeof(label));
    buf_addf(out, "To keep %s %s (nothing of this was done):\n", knob_name(s->knob), label);
    sweep_advice(s->knob, s->settings[p.best], out);
    buf_addc(out, '\n');
}

/* ---- for other forms ---- */

struct row_out {
    table_row_fn *row;
    void *arg;
};

static void give_rows(void *arg, const struct run *r, size_t test, enum direction d,
                      const struct sweep_row rows[KNOB_CHOICES])
{
    const struct sweep *s = &r->plan->settings.sweep;
    const struct row_out *o = arg;
    char name[64], label[CPU_WORD + 8], text[6][UNITS_TEXT];

    snprintf(name, sizeof(name), "%.40s %s", r->plan->settings.profile->tests[test].name,
             direction_name(d));
    for (size_t i = 0; i < s->n; i++) {
        sweep_label(s, i, label, sizeof(label));
        units_iops(text[0], rows[i].iops);
        units_iops(text[1], rows[i].iops_min);
        units_iops(text[2], rows[i].iops_max);
        units_latency(text[3], rows[i].p50_ns);
        units_latency(text[4], rows[i].p99_ns);
        text[5][0] = '\0';
        if (!isnan(rows[i].times))
            snprintf(text[5], sizeof(text[5]), "%.2f%s", rows[i].times, rows[i].apart ? "" : " ?");
        o->row(o->arg,
               (const char *[]){name, label, text[0], text[1], text[2], text[3], text[4], text[5]},
               8);
    }
}

void sweep_rows(const struct run *r, table_row_fn *row, void *arg)
{
    struct row_out o = {row, arg};

    row(arg,
        (const char *[]){"Test", knob_name(r->plan->settings.sweep.knob), "IOPS", "least", "most",
                         "p50", "p99", "x"},
        8);
    each_cell(r, give_rows, &o);
}
