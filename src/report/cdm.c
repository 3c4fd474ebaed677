/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A run in CrystalDiskMark's text form, which forums know how to read: rows with MB/s, IOPS and
 * mean latency under [Read] and [Write], and its footer. It says on top which program this is, and
 * in the end what the form has no place for: percentiles of a commit-latency profile, synchronous
 * writes, figures that are of a part only.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "sthd/text.h"
#include "sthd/units.h"
#include "writers.h"

#define RULE "------------------------------------------------------------------------------\n"

static const char *str(const struct buf *b)
{
    return b->data ? b->data : "";
}

/* A number as it is printed with a point, or a dash, right-aligned. */
static void add_number(struct buf *out, int width, int decimals, double x)
{
    char text[64];

    if (!isfinite(x)) {
        buf_addf(out, "%*s", width, "-");
        return;
    }
    snprintf(text, sizeof(text), "%*.*f", width, decimals, x);
    for (char *c = text; *c; c++) /* LC_NUMERIC is "C" in this program; and if not, then here */
        if (*c == ',')
            *c = '.';
    buf_adds(out, text);
}

static void add_block(struct buf *out, uint64_t bytes)
{
    if (bytes >= 1 << 20 && bytes % (1 << 20) == 0)
        buf_addf(out, "%4lluMiB", (unsigned long long)(bytes >> 20));
    else if (bytes >= 1 << 10 && bytes % (1 << 10) == 0)
        buf_addf(out, "%4lluKiB", (unsigned long long)(bytes >> 10));
    else
        buf_addf(out, "%4llu  B", (unsigned long long)bytes);
}

/* Whether another row of the same direction would look the same but for its figures. */
static bool is_ambiguous(const struct run *r, size_t test, enum direction d)
{
    const struct step *s = cell_step(r, test, d);

    for (size_t i = 0; i < r->plan->settings.profile->n_tests; i++) {
        const struct step *o = i == test ? NULL : cell_step(r, i, d);
        if (o && o->pattern == s->pattern && o->block_bytes == s->block_bytes &&
            o->queue_depth == s->queue_depth && o->threads == s->threads)
            return true;
    }
    return false;
}

static void add_row(struct buf *out, const struct run *r, size_t test, enum direction d)
{
    const struct step *s = cell_step(r, test, d);
    const struct cell *c = run_cell(r, test, d);
    const struct figures *f = &c->mean;

    buf_addf(out, "  %s ", s->pattern == PATTERN_SEQ ? "SEQ" : "RND");
    add_block(out, s->block_bytes);
    buf_addf(out, " (Q=%3u, T=%2u): ", s->queue_depth, s->threads);
    if (c->state == CELL_FAILED) {
        buf_adds(out, "   failed");
    } else {
        add_number(out, 9, 3, f->bytes_per_s / 1e6);
        buf_adds(out, " MB/s [");
        add_number(out, 9, 1, f->iops);
        buf_adds(out, " IOPS] <");
        add_number(out, 9, 2, f->mean_ns / 1e3);
        buf_adds(out, " us>");
    }
    if ((c->state == CELL_RUNNING || c->state == CELL_STOPPED) && !isnan(f->iops))
        buf_adds(out, " *");
    if (is_ambiguous(r, test, d))
        buf_addf(out, " %s", r->plan->settings.profile->tests[test].name);
    buf_addc(out, '\n');
}

static bool all_sync(const struct run *r, enum direction d)
{
    for (size_t i = 0; i < r->plan->settings.profile->n_tests; i++) {
        const struct step *s = cell_step(r, i, d);
        if (s && !s->sync)
            return false;
    }
    return true;
}

static void add_direction(struct buf *out, const struct run *r, enum direction d)
{
    static const char *const words[DIRECTION_COUNT] = {"Read", "Write", "Mix"};
    bool any = false;

    for (size_t t = 0; t < r->plan->settings.profile->n_tests; t++) {
        const struct step *s = cell_step(r, t, d);
        if (!s)
            continue;
        if (!any) {
            buf_addf(out, "[%s]", words[d]);
            if (d == DIRECTION_MIX)
                buf_addf(out, " Read %u%%/Write %u%%", s->mix_percent, 100 - s->mix_percent);
            if (all_sync(r, d))
                buf_adds(out, " O_SYNC: each write is a commit");
            buf_addc(out, '\n');
            any = true;
        }
        add_row(out, r, t, d);
    }
    if (any)
        buf_addc(out, '\n');
}

/* For what is measured because of them: rows that the form does not have. */
static void add_percentiles(struct buf *out, const struct run *r)
{
    const struct profile *p = r->plan->settings.profile;
    char p50[UNITS_TEXT], p99[UNITS_TEXT], p999[UNITS_TEXT];

    if (p->view != VIEW_SLOG)
        return;
    buf_adds(out, "[Commit latency]\n");
    for (size_t t = 0; t < p->n_tests; t++) {
        const struct figures *f = &run_cell(r, t, DIRECTION_WRITE)->mean;
        buf_addf(out, "  %-8s p50 %s, p99 %s, p99.9 %s\n", p->tests[t].name,
                 units_latency(p50, f->p50_ns), units_latency(p99, f->p99_ns),
                 units_latency(p999, f->p999_ns));
    }
    buf_addc(out, '\n');
}

static void add_outside(struct buf *out, const char *s, bool utf8)
{
    if (s && s[0])
        text_printable(out, s, strlen(s), !utf8);
    else
        buf_addc(out, '-');
}

/* "Test: 1 GiB (x3) [/mnt/tank/vm: 36% (724.0 GiB/2 TiB)]" */
static void add_test_line(struct buf *out, const struct result *res, bool utf8)
{
    const struct settings *s = &res->run->plan->settings;
    const struct target *t = res->target;
    char size[UNITS_TEXT], used[UNITS_TEXT], total[UNITS_TEXT];

    buf_addf(out, "   Test: %s (x%u) [", units_size(size, s->size_bytes), s->loops);
    add_outside(out, t && t->path ? t->path : s->path, utf8);
    if (t && t->total_bytes != UNITS_ABSENT && t->free_bytes <= t->total_bytes &&
        t->total_bytes > 0) {
        uint64_t in_use = t->total_bytes - t->free_bytes;
        buf_addf(out, ": %.0f%% (%s/%s)", 100.0 * (double)in_use / (double)t->total_bytes,
                 units_size(used, in_use), units_size(total, t->total_bytes));
    }
    buf_adds(out, "]\n");
}

/* How and how long; of the first test: where others differ, a note says so. */
static void add_mode_lines(struct buf *out, const struct run *r)
{
    for (size_t i = 0; i < r->plan->n_steps; i++) {
        const struct step *s = &r->plan->steps[i];
        if (s->kind != STEP_MEASURE)
            continue;
        buf_addf(out, "   Mode: <%s%s%s>\n",
                 s->tool == TOOL_DD ? tool_name(s->tool) : engine_name(s->engine),
                 s->direct ? ", O_DIRECT" : ", buffered", s->sync ? ", O_SYNC" : "");
        if (s->runtime_s > 0)
            buf_addf(out, "   Time: Measure %u sec / Interval %lld sec\n", s->runtime_s,
                     (long long)r->plan->settings.pause_s);
        return;
    }
}

static void add_date_line(struct buf *out, const struct run *r)
{
    char text[TIME_TEXT];

    if (!time_iso(text, r->began_unix_ns, r->utc_offset_s)[0])
        return;
    text[4] = text[7] = '/';
    buf_addf(out, "   Date: %.10s %.8s\n", text, text + 11);
}

struct comment {
    struct buf *out;
    bool first;
};

#define COMMENT_COLUMNS 69 /* behind "Comment: ", as wide as the rules */

/* Bytes of s that fit in a line, up to a blank where there is one. */
static size_t line_length(const char *s)
{
    size_t n = strlen(s), used, blank = 0;
    int width = 0;

    for (size_t i = 0; i < n; i += used) {
        width += text_char_width(text_decode(s + i, n - i, &used));
        if (width > COMMENT_COLUMNS)
            return blank ? blank : i ? i : used;
        if (s[i] == ' ')
            blank = i;
    }
    return n;
}

static void add_comment(void *arg, const char *label, const char *text)
{
    struct comment *c = arg;

    (void)label;
    while (*text) {
        size_t n = line_length(text);
        buf_adds(c->out, c->first ? "Comment: " : "         ");
        buf_add(c->out, text, n);
        buf_addc(c->out, '\n');
        c->first = false;
        text += n;
        text += strspn(text, " ");
    }
}

void cdm_write(struct buf *out, const struct result *res, const struct table_style *style)
{
    const struct run *r = res->run;
    const struct settings *s = &r->plan->settings;
    const char *fio = r->fio_version[0] ? r->fio_version : res->machine->fio_version;
    struct comment comment = {out, true};
    struct buf text = BUF_INIT;

    buf_adds(out, RULE);
    buf_addf(out, "speedtest-hd %s (", res->version);
    add_outside(out, profile_is_dd(s->profile) ? "dd" : fio, style->utf8);
    buf_adds(out, "), in the text form of CrystalDiskMark; not made by it\n" RULE);
    buf_adds(out, "* MB/s = 1,000,000 bytes/s\n* KB = 1000 bytes, KiB = 1024 bytes\n\n");
    for (int d = 0; d < DIRECTION_COUNT; d++)
        add_direction(out, r, (enum direction)d);
    add_percentiles(out, r);
    text_printable(&text, s->profile->title, strlen(s->profile->title), !style->utf8);
    buf_addf(out, "Profile: %s\n", str(&text));
    add_test_line(out, res, style->utf8);
    add_mode_lines(out, r);
    add_date_line(out, r);
    buf_adds(out, "     OS: ");
    add_outside(out, res->machine->kernel, style->utf8);
    buf_addc(out, '\n');
    table_notes(r, style->utf8, add_comment, &comment);
    buf_done(&text);
}
