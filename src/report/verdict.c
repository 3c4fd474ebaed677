/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where the time went, and what follows, as text below the table. Knows no terminal. */
#include <stdio.h>
#include <string.h>

#include "sthd/tables.h"
#include "sthd/text.h"
#include "sthd/units.h"

#define COLUMNS_MIN 40
#define COLUMNS_MAX 80

static int columns_of(const struct table_style *style)
{
    return style->columns < COLUMNS_MIN   ? COLUMNS_MIN
           : style->columns > COLUMNS_MAX ? COLUMNS_MAX
                                          : style->columns;
}

static void heading(struct buf *out, const char *text, const struct table_style *style)
{
    buf_addf(out, "\n%s%s%s", style->colour ? "\033[1m" : "", text, style->colour ? "\033[0m" : "");
}

/* ---- where the time went --------------------------------------------------------------------- */

#define NAME_COLUMNS  20
#define WIDE_COLUMNS  72 /* below it only the share is shown */
#define TIME_HEADINGS "    total   device    flush     rest"

static const char *judgement(enum bound b)
{
    static const char *const words[] = {
        [BOUND_UNSEEN] = "",         [BOUND_FAINT] = "not enough signal",
        [BOUND_OVERLAP] = "overlap", [BOUND_DEVICE] = "device-bound",
        [BOUND_MIXED] = "both",      [BOUND_SOFTWARE] = "software",
    };

    return words[b];
}

static void time_row(struct buf *out, const char *name, const struct waterfall *w, bool wide)
{
    char total[UNITS_TEXT], device[UNITS_TEXT], flush[UNITS_TEXT], rest[UNITS_TEXT];

    text_fit(out, name, NAME_COLUMNS, true);
    if (w->bound == BOUND_FAINT) {
        buf_addf(out, "  %s\n", judgement(w->bound));
        return;
    }
    if (wide)
        buf_addf(out, "%9s%9s%9s%9s", units_latency(total, w->total_ns),
                 units_latency(device, w->device_ns), units_latency(flush, w->flush_ns),
                 units_latency(rest, w->rest_ns + w->outside_ns));
    buf_addf(out, "%5.0f %%  %s\n", w->share * 100, judgement(w->bound));
}

void table_time(struct buf *out, const struct run *r, const struct table_style *style)
{
    const struct profile *p = r->plan->settings.profile;
    bool wide = columns_of(style) >= WIDE_COLUMNS, any = false;

    for (size_t t = 0; t < p->n_tests; t++) {
        for (int d = 0; d < DIRECTION_COUNT; d++) {
            const struct cell *c = run_cell(r, t, (enum direction)d);
            char name[TEST_NAME_MAX + 16];
            if (c->state == CELL_NONE || c->device.bound == BOUND_UNSEEN)
                continue;
            if (!any) {
                heading(out, "Time of one I/O", style);
                buf_addf(out, "     %s device's\n", wide ? TIME_HEADINGS : "");
            }
            any = true;
            snprintf(name, sizeof(name), "%s %s", p->tests[t].name,
                     direction_name((enum direction)d));
            time_row(out, name, &c->device, wide);
        }
    }
}

/* ---- findings -------------------------------------------------------------------------------- */

static void paragraph(struct buf *out, const char *head, const char *text, int columns)
{
    int indent = text_width(head);

    buf_adds(out, head);
    do {
        size_t n = text_line(text, columns - indent);
        buf_add(out, text, n);
        buf_addc(out, '\n');
        text += n;
        text += strspn(text, " ");
        if (*text)
            buf_addn(out, ' ', (size_t)indent);
    } while (*text);
}

void table_verdict(struct buf *out, const struct verdict *v, bool all,
                   const struct table_style *style)
{
    int columns = columns_of(style);
    size_t shown = all || v->n <= TABLE_FINDINGS ? v->n : TABLE_FINDINGS;

    if (v->n == 0)
        return;
    heading(out, "Verdict", style);
    buf_addc(out, '\n');
    for (size_t i = 0; i < shown; i++) {
        const struct finding *f = &v->items[i];
        char number[16];
        snprintf(number, sizeof(number), "%2zu. ", i + 1);
        paragraph(out, number, f->seen, columns);
        if (all)
            paragraph(out, "    ", f->why, columns);
        if (f->advice[0])
            paragraph(out, "    -> ", f->advice, columns);
    }
    if (shown < v->n)
        buf_addf(out, "    (%zu more with --verbose)\n", v->n - shown);
}
