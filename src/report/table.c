/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A run as text: banner, box table, footnotes. Promises that no line is wider than was asked and
 * that nothing from outside gets through raw. Knows no terminal and no file: text goes to a buffer.
 */
#include "sthd/tables.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sthd/align.h"
#include "sthd/mem.h"
#include "sthd/pings.h"
#include "sthd/text.h"
#include "sthd/units.h"
#include "writers.h"

#define TABLE_COLUMNS_MIN 40
#define TABLE_COLUMNS_MAX 80

enum tone { TONE_PLAIN, TONE_HEAD, TONE_FRAME, TONE_LOUD, TONE_BAD };

static const char *const tone_sgr[] = {
    [TONE_PLAIN] = "",          [TONE_HEAD] = "\033[1m",   [TONE_FRAME] = "\033[2m",
    [TONE_LOUD] = "\033[1;33m", [TONE_BAD] = "\033[1;31m",
};

/* Where the text goes and how. */
struct pen {
    struct buf *out;
    bool utf8, colour;
    int columns;
    table_line_fn *line; /* not NULL: banner and footnotes go there, without layout */
    void *arg;
};

static struct pen pen_for(struct buf *out, const struct table_style *style)
{
    int columns = style->columns;

    if (columns < TABLE_COLUMNS_MIN)
        columns = TABLE_COLUMNS_MIN;
    if (columns > TABLE_COLUMNS_MAX)
        columns = TABLE_COLUMNS_MAX;
    return (struct pen){
        .out = out, .utf8 = style->utf8, .colour = style->colour, .columns = columns};
}

static void tone_on(struct pen *p, enum tone tone)
{
    if (p->colour && tone != TONE_PLAIN)
        buf_adds(p->out, tone_sgr[tone]);
}

static void tone_off(struct pen *p, enum tone tone)
{
    if (p->colour && tone != TONE_PLAIN)
        buf_adds(p->out, "\033[0m");
}

/* Outside text, safe to show. */
static void add_outside(const struct pen *p, struct buf *to, const char *s)
{
    if (s && s[0])
        text_printable(to, s, strlen(s), !p->utf8);
    else
        buf_addc(to, '-');
}

static const char *str(const struct buf *b)
{
    return b->data ? b->data : "";
}

/* ---- paragraphs ---- */

/*
 * head, then text, wrapped; the lines after the first are indented as far as head is wide. text is
 * printable.
 */
static void paragraph(struct pen *p, const char *head, const char *text, enum tone tone)
{
    int indent = text_width(head);

    buf_adds(p->out, head);
    do {
        size_t n = text_line(text, p->columns - indent);
        tone_on(p, tone);
        buf_add(p->out, text, n);
        tone_off(p, tone);
        buf_addc(p->out, '\n');
        text += n;
        text += strspn(text, " ");
        if (*text)
            buf_addn(p->out, ' ', (size_t)indent);
    } while (*text);
}

/* A footnote; takes over and empties text. */
static void footnote(struct pen *p, struct buf *text, enum tone tone)
{
    if (p->line)
        p->line(p->arg, "", str(text));
    else
        paragraph(p, "- ", str(text), tone);
    buf_done(text);
}

/* One that belongs to the footnote above it. */
static void footnote_more(struct pen *p, struct buf *text)
{
    if (p->line)
        p->line(p->arg, "", str(text));
    else
        paragraph(p, "    ", str(text), TONE_PLAIN);
    buf_done(text);
}

/* ---- what is said of the whole run ---- */

static const char *io_words(bool direct)
{
    return direct ? "direct I/O" : "buffered I/O";
}

static const char *test_name(const struct run *r, size_t test)
{
    return r->plan->settings.profile->tests[test].name;
}

static void add_listed(struct buf *b, const char *s)
{
    if (b->len > 0)
        buf_adds(b, ", ");
    buf_adds(b, s);
}

static bool same_way(const struct step *a, const struct step *b)
{
    return a->engine == b->engine && a->direct == b->direct && a->sync == b->sync;
}

/* The tests that go the same way as steps[i], which is the first that does; "" when it is not. */
static void tests_like(const struct run *r, size_t i, struct buf *names, bool *all)
{
    const struct plan *plan = r->plan;
    size_t last = SIZE_MAX;

    *all = true;
    for (size_t j = 0; j < plan->n_steps; j++) {
        const struct step *s = &plan->steps[j];
        if (s->kind != STEP_MEASURE)
            continue;
        if (!same_way(s, &plan->steps[i])) {
            *all = false;
            continue;
        }
        if (j < i) {
            buf_clear(names);
            return;
        }
        if (s->test != last)
            add_listed(names, test_name(r, s->test));
        last = s->test;
    }
}

/*
 * How it was measured: one sentence when all tests go the same way, else one for each way. say is
 * called with each.
 */
static void each_way(const struct run *r, struct pen *p,
                     void (*say)(struct pen *p, struct buf *text))
{
    for (size_t i = 0; i < r->plan->n_steps; i++) {
        const struct step *s = &r->plan->steps[i];
        struct buf names = BUF_INIT, text = BUF_INIT;
        bool all;
        if (s->kind != STEP_MEASURE)
            continue;
        tests_like(r, i, &names, &all);
        if (names.len > 0) {
            if (!all)
                buf_addf(&text, "%s: ", str(&names));
            if (s->work != WORK_DATA)
                buf_adds(&text, "fio's engines for work on files");
            else
                buf_addf(&text, "engine %s, %s%s", engine_name(s->engine), io_words(s->direct),
                         s->sync ? ", O_SYNC" : "");
            say(p, &text);
        }
        buf_done(&names);
        buf_done(&text);
    }
}

/* ---- banner ---- */

static void banner_line(struct pen *p, const char *label, struct buf *text, enum tone tone)
{
    char head[16] = "           ";

    memcpy(head, label, strlen(label));
    if (p->line)
        p->line(p->arg, label, str(text));
    else
        paragraph(p, head, str(text), tone);
    buf_done(text);
}

static void banner_way(struct pen *p, struct buf *text)
{
    banner_line(p, "I/O", text, TONE_PLAIN);
}

static void banner_target(struct pen *p, const struct run *r, const struct target *t)
{
    struct buf path = BUF_INIT, fs = BUF_INIT, note = BUF_INIT;
    char free_text[UNITS_TEXT], total[UNITS_TEXT];

    add_outside(p, &path, t && t->path ? t->path : r->plan->settings.path);
    banner_line(p, "Target", &path, TONE_HEAD);
    if (!t)
        return;
    add_outside(p, &fs, t->fstype);
    buf_adds(&fs, " on ");
    add_outside(p, &fs, t->source);
    if (t->mount && t->path && strcmp(t->mount, t->path) != 0) {
        buf_adds(&fs, ", mounted at ");
        add_outside(p, &fs, t->mount);
    }
    banner_line(p, "Filesystem", &fs, TONE_PLAIN);
    if (t->below) {
        add_outside(p, &fs, t->below);
        banner_line(p, "Stack", &fs, TONE_PLAIN);
    }
    if (t->device) {
        add_outside(p, &fs, t->device);
        banner_line(p, "Device", &fs, TONE_PLAIN);
    }
    buf_addf(&fs, "%s of %s", units_size(free_text, t->free_bytes),
             units_size(total, t->total_bytes));
    banner_line(p, "Free", &fs, TONE_PLAIN);
    if (t->note[0]) {
        add_outside(p, &note, t->note);
        banner_line(p, "Note", &note, TONE_LOUD);
    }
}

static void banner_fio(struct pen *p, const struct run *r, const struct machine *m)
{
    struct buf text = BUF_INIT;

    add_outside(p, &text, r->fio_version[0] ? r->fio_version : m->fio_version);
    bool dd = r->plan->settings.profile->tests[0].tool == TOOL_DD;
    banner_line(p, dd ? "Tool" : "fio", &text, TONE_PLAIN);
    each_way(r, p, banner_way);
    if (r->plan->settings.extra.n > 0) {
        struct buf args = BUF_INIT;
        strv_quote(&r->plan->settings.extra, &args);
        add_outside(p, &text, str(&args));
        buf_done(&args);
        banner_line(p, "fio args", &text, TONE_LOUD);
    }
}

static void banner_machine(struct pen *p, const struct machine *m)
{
    struct buf text = BUF_INIT;
    char ram[UNITS_TEXT];

    add_outside(p, &text, m->host);
    buf_adds(&text, ", ");
    add_outside(p, &text, m->kernel);
    if (m->cpus > 0)
        buf_addf(&text, ", %u CPU%s", m->cpus, m->cpus == 1 ? "" : "s");
    if (m->ram_bytes > 0 && m->ram_bytes != UNITS_ABSENT)
        buf_addf(&text, ", %s RAM", units_size(ram, m->ram_bytes));
    banner_line(p, "Machine", &text, TONE_PLAIN);
    add_outside(p, &text, m->cpu_line);
    banner_line(p, "CPU", &text, TONE_PLAIN);
}

static void banner_fallback(struct pen *p, const struct capability *c)
{
    struct buf text = BUF_INIT;

    buf_adds(&text, "direct I/O does not work here");
    if (c->direct_reason[0]) {
        buf_adds(&text, " (");
        add_outside(p, &text, c->direct_reason);
        buf_addc(&text, ')');
    }
    buf_adds(&text, ": the page cache takes part, and these figures may be of RAM, not of the "
                    "device.");
    if (p->line) {
        p->line(p->arg, "BUFFERED I/O", str(&text));
        buf_done(&text);
        return;
    }
    tone_on(p, TONE_BAD);
    buf_adds(p->out, "!! BUFFERED I/O !!");
    tone_off(p, TONE_BAD);
    buf_addc(p->out, '\n');
    paragraph(p, "   ", str(&text), TONE_BAD);
    buf_done(&text);
}

static void banner(struct pen *p, const struct run *r, const struct target *t,
                   const struct machine *m)
{
    const struct settings *s = &r->plan->settings;
    struct buf text = BUF_INIT;
    char size[UNITS_TEXT], runtime[UNITS_TEXT];

    banner_target(p, r, t);
    add_outside(p, &text, s->profile->title);
    banner_line(p, "Profile", &text, TONE_PLAIN);
    buf_addf(&text, "%s file, ", units_size(size, s->size_bytes));
    if (r->plan->endless)
        buf_adds(&text, "one test until it is stopped");
    else if (settings_jobs(s) && !s->runtime_given)
        buf_adds(&text, "each test as the job file says");
    else if (!plan_is_timed(r->plan))
        buf_adds(&text, "each test until its work is done");
    else
        buf_addf(&text, "%s per test", units_duration(runtime, s->runtime_s));
    banner_line(p, "Size", &text, TONE_PLAIN);
    banner_fio(p, r, m);
    banner_machine(p, m);
    if (r->plan->fell_back)
        banner_fallback(p, &r->plan->capability);
}

void table_banner(struct buf *out, const struct run *r, const struct target *t,
                  const struct machine *m, const struct table_style *style)
{
    struct pen p = pen_for(out, style);

    banner(&p, r, t, m);
    buf_addc(out, '\n');
}

void table_banner_lines(const struct run *r, const struct target *t, const struct machine *m,
                        bool utf8, table_line_fn *line, void *arg)
{
    struct pen p = {.utf8 = utf8, .line = line, .arg = arg};

    banner(&p, r, t, m);
}

/* ---- grid: a box with columns ---- */

#define GRID_COLUMNS 13 /* the name, and four figures in three directions */
#define GRID_HEADS   2
#define GRID_CELL    40

enum figure { FIGURE_NAME, FIGURE_MB_PER_S, FIGURE_IOPS, FIGURE_MEAN, FIGURE_P50, FIGURE_P99 };

static const struct {
    const char *head;
    int width_min; /* so that the table keeps its shape between runs */
    int width_max; /* a number this wide is absurd, and is cut */
} figure_columns[] = {
    [FIGURE_NAME] = {"", 3, TEST_NAME_MAX}, [FIGURE_MB_PER_S] = {"MB/s", 7, 12},
    [FIGURE_IOPS] = {"IOPS", 9, 13},        [FIGURE_MEAN] = {"mean", 6, 9},
    [FIGURE_P50] = {"p50", 6, 9},           [FIGURE_P99] = {"p99", 6, 9},
};

struct grid_cell {
    char text[GRID_CELL];
    enum tone tone;
};

struct grid_column {
    enum figure figure;
    enum direction direction; /* unused for the name */
    int width;
    char head[GRID_HEADS][16];
    struct grid_cell cells[PROFILE_TESTS];
};

struct grid {
    size_t n_columns, n_rows;
    size_t first_head;           /* 0: two lines of heads, 1: only the second */
    size_t tests[PROFILE_TESTS]; /* of the rows */
    struct grid_column columns[GRID_COLUMNS];
};

static const char *figure_text(const struct figures *f, enum figure figure, char out[UNITS_TEXT])
{
    switch (figure) {
    case FIGURE_MB_PER_S:
        return units_mb_per_s(out, f->bytes_per_s);
    case FIGURE_IOPS:
        return units_iops(out, f->iops);
    case FIGURE_MEAN:
        return units_latency(out, f->mean_ns);
    case FIGURE_P50:
        return units_latency(out, f->p50_ns);
    case FIGURE_P99:
        return units_latency(out, f->p99_ns);
    case FIGURE_NAME:
        break;
    }
    return "";
}

/* The first figure of a cell also says what became of it. */
static void fill_cell(struct grid_cell *g, const struct cell *c, enum figure figure, bool first)
{
    char text[UNITS_TEXT];
    const char *figure_is = figure_text(&c->mean, figure, text);
    bool partial = c->state == CELL_RUNNING || c->state == CELL_STOPPED;
    bool absent = strcmp(figure_is, "-") == 0;
    struct buf b = BUF_INIT;

    g->tone = TONE_PLAIN;
    if (c->state == CELL_FAILED) {
        g->tone = TONE_BAD;
        buf_adds(&b, first ? "failed" : "-");
    } else if (c->state != CELL_NONE) {
        if (partial && !absent)
            g->tone = TONE_LOUD;
        buf_addf(&b, "%s%s", figure_is, first && partial && !absent ? "*" : "");
    }
    struct buf fit = BUF_INIT;
    text_fit(&fit, str(&b), figure_columns[figure].width_max, false);
    memcpy(g->text, str(&fit), fit.len + 1); /* ASCII, so no longer than width_max */
    buf_done(&b);
    buf_done(&fit);
}

static struct grid_column *add_column(struct grid *g, enum figure figure, enum direction d)
{
    struct grid_column *c = &g->columns[g->n_columns++];

    memset(c, 0, sizeof(*c));
    c->figure = figure;
    c->direction = d;
    c->width = figure_columns[figure].width_min;
    memcpy(c->head[1], figure_columns[figure].head, strlen(figure_columns[figure].head) + 1);
    return c;
}

static void widen(struct grid_column *c, const char *text)
{
    int w = text_width(text);

    if (w > c->width)
        c->width = w;
}

static void add_names(struct grid *g, const struct run *r, const char *head)
{
    struct grid_column *c = add_column(g, FIGURE_NAME, DIRECTION_READ);

    memcpy(c->head[1], head, strlen(head) + 1);
    widen(c, head);
    for (size_t i = 0; i < g->n_rows; i++) {
        const char *name = test_name(r, g->tests[i]); /* printable ASCII: profile_check */
        memcpy(c->cells[i].text, name, strlen(name) + 1);
        widen(c, name);
    }
}

static void add_figures(struct grid *g, const struct run *r, enum figure figure, enum direction d,
                        bool first)
{
    static const char *const words[DIRECTION_COUNT] = {"Read", "Write", "Mix"};
    struct grid_column *c = add_column(g, figure, d);

    memcpy(c->head[0], words[d], strlen(words[d]) + 1);
    for (size_t i = g->first_head; i < GRID_HEADS; i++)
        widen(c, c->head[i]);
    for (size_t i = 0; i < g->n_rows; i++) {
        fill_cell(&c->cells[i], run_cell(r, g->tests[i], d), figure, first);
        widen(c, c->cells[i].text);
    }
}

static int grid_width(const struct grid *g)
{
    int width = 1;

    for (size_t i = 0; i < g->n_columns; i++)
        width += g->columns[i].width + 3;
    return width;
}

struct strokes {
    const char *horizontal, *vertical;
    const char *corners[3][3]; /* top, middle, bottom: left, between, right */
};

static const struct strokes box_strokes = {
    "─", "│", {{"┌", "┬", "┐"}, {"├", "┼", "┤"}, {"└", "┴", "┘"}}};
static const struct strokes ascii_strokes = {
    "-", "|", {{"+", "+", "+"}, {"+", "+", "+"}, {"+", "+", "+"}}};

static const struct strokes *strokes_of(const struct pen *p)
{
    return p->utf8 ? &box_strokes : &ascii_strokes;
}

static void draw_rule(struct pen *p, const struct grid *g, int which)
{
    const struct strokes *s = strokes_of(p);

    tone_on(p, TONE_FRAME);
    buf_adds(p->out, s->corners[which][0]);
    for (size_t i = 0; i < g->n_columns; i++) {
        if (i > 0)
            buf_adds(p->out, s->corners[which][1]);
        for (int n = 0; n < g->columns[i].width + 2; n++)
            buf_adds(p->out, s->horizontal);
    }
    buf_adds(p->out, s->corners[which][2]);
    tone_off(p, TONE_FRAME);
    buf_addc(p->out, '\n');
}

static void draw_bar(struct pen *p)
{
    tone_on(p, TONE_FRAME);
    buf_adds(p->out, strokes_of(p)->vertical);
    tone_off(p, TONE_FRAME);
}

/* Names to the left, figures to the right. */
static void draw_cell(struct pen *p, const struct grid_column *c, const char *text, enum tone tone)
{
    bool left = c->figure == FIGURE_NAME;
    int blanks = c->width - text_width(text);

    draw_bar(p);
    buf_addn(p->out, ' ', 1 + (size_t)(left || blanks < 0 ? 0 : blanks));
    tone_on(p, tone);
    text_fit(p->out, text, c->width, left);
    tone_off(p, tone);
    buf_addc(p->out, ' ');
}

static void end_row(struct pen *p)
{
    draw_bar(p);
    buf_addc(p->out, '\n');
}

static void draw_grid(struct pen *p, const struct grid *g)
{
    draw_rule(p, g, 0);
    for (size_t h = g->first_head; h < GRID_HEADS; h++) {
        for (size_t i = 0; i < g->n_columns; i++)
            draw_cell(p, &g->columns[i], g->columns[i].head[h], TONE_HEAD);
        end_row(p);
    }
    draw_rule(p, g, 1);
    for (size_t row = 0; row < g->n_rows; row++) {
        for (size_t i = 0; i < g->n_columns; i++) {
            const struct grid_cell *c = &g->columns[i].cells[row];
            draw_cell(p, &g->columns[i], c->text, c->tone);
        }
        end_row(p);
    }
    draw_rule(p, g, 2);
}

/* ---- which columns, by view and by the width there is ---- */

#define LEVELS 3

/* From the most to the least; each ends in FIGURE_NAME, which is never one of them. */
static const enum figure view_figures[][LEVELS][5] = {
    [VIEW_CDM] = {{FIGURE_MB_PER_S, FIGURE_IOPS, FIGURE_P99},
                  {FIGURE_MB_PER_S, FIGURE_IOPS},
                  {FIGURE_MB_PER_S}},
    [VIEW_SLOG] = {{FIGURE_IOPS, FIGURE_MB_PER_S, FIGURE_P50, FIGURE_P99},
                   {FIGURE_IOPS, FIGURE_P50, FIGURE_P99},
                   {FIGURE_IOPS, FIGURE_P99}},
    [VIEW_MIX] = {{FIGURE_MB_PER_S, FIGURE_IOPS, FIGURE_P99},
                  {FIGURE_MB_PER_S, FIGURE_IOPS},
                  {FIGURE_MB_PER_S}},
    [VIEW_CURVE] = {{FIGURE_MB_PER_S, FIGURE_IOPS, FIGURE_P99},
                    {FIGURE_MB_PER_S, FIGURE_IOPS},
                    {FIGURE_MB_PER_S}},
    [VIEW_COURSE] = {{FIGURE_MB_PER_S, FIGURE_IOPS, FIGURE_P99},
                     {FIGURE_MB_PER_S, FIGURE_IOPS},
                     {FIGURE_MB_PER_S}},
    [VIEW_TIMES] = {{FIGURE_MB_PER_S, FIGURE_IOPS, FIGURE_MEAN, FIGURE_P99},
                    {FIGURE_MB_PER_S, FIGURE_MEAN, FIGURE_P99},
                    {FIGURE_MB_PER_S, FIGURE_MEAN}},
    [VIEW_ALIGN] = {{FIGURE_MEAN, FIGURE_P99}, {FIGURE_MEAN}, {FIGURE_MEAN}},
    [VIEW_FILES] = {{FIGURE_MB_PER_S, FIGURE_IOPS, FIGURE_P99},
                    {FIGURE_MB_PER_S, FIGURE_IOPS},
                    {FIGURE_MB_PER_S}},
    [VIEW_PINGS] = {{FIGURE_MEAN, FIGURE_P50, FIGURE_P99},
                    {FIGURE_MEAN, FIGURE_P99},
                    {FIGURE_MEAN}},
    [VIEW_WATCH] = {{FIGURE_IOPS, FIGURE_MB_PER_S, FIGURE_P50, FIGURE_P99},
                    {FIGURE_IOPS, FIGURE_P50, FIGURE_P99},
                    {FIGURE_IOPS, FIGURE_P99}},
};

static bool is_single(unsigned set)
{
    return (set & (set - 1)) == 0;
}

static void build_grid(struct grid *g, const struct run *r, unsigned directions, size_t level)
{
    const struct profile *profile = r->plan->settings.profile;
    const enum figure *figures = view_figures[profile->view][level];
    const char *head = profile->view != VIEW_SLOG ? "Test" : level == 0 ? "Threads" : "T";

    g->n_columns = 0;
    g->n_rows = 0;
    for (size_t t = 0; t < profile->n_tests; t++)
        if (plan_test_directions(r->plan, t) & directions)
            g->tests[g->n_rows++] = t;
    g->first_head = is_single(plan_directions(r->plan)) ? 1 : 0;
    add_names(g, r, head);
    for (int d = 0; d < DIRECTION_COUNT; d++)
        for (size_t i = 0; directions & 1u << d && figures[i] != FIGURE_NAME; i++)
            add_figures(g, r, figures[i], (enum direction)d, i == 0);
}

/* The names give way where the figures need the room. */
static void squeeze_names(struct grid *g, int columns)
{
    int over = grid_width(g) - columns;

    if (over > 0)
        g->columns[0].width = g->columns[0].width - over > 3 ? g->columns[0].width - over : 3;
}

static bool side_by_side(struct pen *p, struct grid *g, const struct run *r, unsigned directions)
{
    for (size_t level = 0; level < LEVELS - 1; level++) {
        build_grid(g, r, directions, level);
        if (grid_width(g) <= p->columns) {
            draw_grid(p, g);
            return true;
        }
    }
    return false;
}

static void one_below_the_other(struct pen *p, struct grid *g, const struct run *r,
                                unsigned directions)
{
    for (int d = 0; d < DIRECTION_COUNT; d++) {
        if (!(directions & 1u << d))
            continue;
        for (size_t level = 0; level < LEVELS; level++) {
            build_grid(g, r, 1u << d, level);
            if (grid_width(g) <= p->columns)
                break;
        }
        squeeze_names(g, p->columns);
        draw_grid(p, g);
    }
}

/* ---- footnotes ---- */

/* A list of cells by name: "SEQ1M Q8T1 read and write, RND4K Q1T1 write". */
struct names {
    struct buf text;
    size_t last_test;
};

#define NAMES_INIT         \
    {                      \
        BUF_INIT, SIZE_MAX \
    }

static void names_add(struct names *n, const struct run *r, size_t test, int d)
{
    const char *direction = direction_name((enum direction)d);

    if (test == n->last_test) {
        buf_addf(&n->text, " and %s", direction);
        return;
    }
    add_listed(&n->text, test_name(r, test));
    if (!is_single(plan_directions(r->plan)))
        buf_addf(&n->text, " %s", direction);
    n->last_test = test;
}

static bool same_fate(const struct cell *a, const struct cell *b)
{
    return a->state == b->state && strcmp(a->why, b->why) == 0;
}

/* The cells that share the fate of that one, by name; "" when it is not the first of them. */
static void cells_like(const struct run *r, const struct cell *like, struct names *names)
{
    for (size_t t = 0; t < PROFILE_TESTS; t++)
        for (int d = 0; d < DIRECTION_COUNT; d++) {
            const struct cell *c = run_cell(r, t, (enum direction)d);
            if (!same_fate(c, like))
                continue;
            if (names->text.len == 0 && c != like)
                return;
            names_add(names, r, t, d);
        }
}

/* "SEQ1M Q8T1 read failed: why"; figures of a part only are marked as in the table. */
static void note_fate(struct pen *p, const struct cell *c, const struct buf *names)
{
    bool partial = !isnan(c->mean.iops) && (c->state == CELL_RUNNING || c->state == CELL_STOPPED);
    struct buf text = BUF_INIT;

    buf_addf(&text, "%s%s: ", str(names),
             c->state == CELL_FAILED ? " failed"
             : partial               ? " (*)"
                                     : "");
    if (c->why[0])
        add_outside(p, &text, c->why);
    else
        buf_adds(&text, "still running, these are the means so far");
    footnote(p, &text, c->state == CELL_FAILED ? TONE_BAD : TONE_LOUD);
}

static void note_fates(struct pen *p, const struct run *r)
{
    for (size_t t = 0; t < PROFILE_TESTS; t++)
        for (int d = 0; d < DIRECTION_COUNT; d++) {
            const struct cell *c = run_cell(r, t, (enum direction)d);
            struct names names = NAMES_INIT;
            if (c->why[0] || (c->state == CELL_RUNNING && !isnan(c->mean.iops)))
                cells_like(r, c, &names);
            if (names.text.len > 0)
                note_fate(p, c, &names.text);
            buf_done(&names.text);
        }
}

static void note_way(struct pen *p, struct buf *text)
{
    if (text_starts(str(text), "engine"))
        text->data[0] = 'E';
    footnote(p, text, TONE_PLAIN);
}

/* Only where it is so, and by name unless it is so for all writes. */
static void note_end_fsync(struct pen *p, const struct run *r)
{
    struct names names = NAMES_INIT;
    struct buf text = BUF_INIT;
    bool all = true;

    for (size_t i = 0; i < r->plan->n_steps; i++) {
        const struct step *s = &r->plan->steps[i];
        if (s->kind != STEP_MEASURE || s->direction == DIRECTION_READ)
            continue;
        if (s->end_fsync)
            names_add(&names, r, s->test, s->direction);
        else
            all = false;
    }
    if (names.text.len > 0) {
        buf_addf(&text, "%s: fsync at the end; its time counts in the runtime.",
                 all ? "Writes" : str(&names.text));
        footnote(p, &text, TONE_PLAIN);
    }
    buf_done(&names.text);
}

/* What was changed meanwhile, and what it did. */
static void note_marks(struct pen *p, const struct run *r)
{
    struct buf text = BUF_INIT;
    char at[UNITS_TEXT];

    for (size_t i = 0; i < r->n_stretches; i++) {
        if (!r->stretches[i].mark[0])
            continue;
        buf_addf(&text, "%s ",
                 units_clock(at, (double)(r->stretches[i].at_ns - r->began_ns) / 1e9));
        run_stretch_sentence(r, i, &text);
        footnote(p, &text, run_stretch_before(r, i) ? TONE_HEAD : TONE_PLAIN);
    }
}

static void note_loops(struct pen *p, const struct run *r)
{
    const struct settings *s = &r->plan->settings;
    struct buf text = BUF_INIT;

    if (s->sweep.n > 0)
        buf_clear(&text); /* the sweep says it */
    else if (s->loops > 1 && s->combine == COMBINE_BEST)
        buf_addf(&text,
                 "Each figure is the best of %u runs: the highest throughput and, on its own, "
                 "the lowest mean latency.",
                 s->loops);
    else if (s->loops > 1)
        buf_addf(&text, "Each figure is of the median of %u runs, by throughput.", s->loops);
    if (s->warmup == 1)
        buf_addf(&text, "%sEach test was run once before, unmeasured.", text.len ? " " : "");
    if (text.len)
        footnote(p, &text, TONE_PLAIN);
    buf_done(&text);
}

/* "SEQ1M Q8T1 write: fell from 3.2 GB/s to 600 MB/s after 38 GiB." */
static void note_courses(struct pen *p, const struct run *r)
{
    bool wanted = r->plan->settings.profile->view == VIEW_COURSE;

    for (size_t t = 0; wanted && t < r->plan->settings.profile->n_tests; t++)
        for (int d = 0; d < DIRECTION_COUNT; d++) {
            const struct course *c = &run_cell(r, t, (enum direction)d)->course;
            struct names names = NAMES_INIT;
            if (c->n == 0)
                continue;
            names_add(&names, r, t, d);
            buf_adds(&names.text, ": ");
            course_sentence(&c->verdict, &names.text);
            buf_addc(&names.text, '.');
            footnote(p, &names.text,
                     c->verdict.kind == COURSE_STEADY || c->verdict.kind == COURSE_SHORT
                         ? TONE_PLAIN
                         : TONE_LOUD);
        }
}

static void add_side(struct buf *text, const struct side *side)
{
    char a[UNITS_TEXT];

    buf_addf(text, "%s MB/s, ", units_mb_per_s(a, side->figures.bytes_per_s));
    buf_addf(text, "%s IOPS, ", units_iops(a, side->figures.iops));
    buf_addf(text, "p99 %s", units_latency(a, side->figures.p99_ns));
}

/* Of what a mix is made. */
static void note_sides(struct pen *p, const struct run *r)
{
    for (size_t t = 0; t < r->plan->settings.profile->n_tests; t++) {
        const struct cell *c = run_cell(r, t, DIRECTION_MIX);
        struct buf text = BUF_INIT;
        if (isnan(c->mean.iops) || r->plan->settings.profile->view == VIEW_MIX)
            continue;
        buf_addf(&text, "%s mix: reads ", test_name(r, t));
        add_side(&text, &c->detail.sides[DIRECTION_READ]);
        buf_adds(&text, "; writes ");
        add_side(&text, &c->detail.sides[DIRECTION_WRITE]);
        buf_addc(&text, '.');
        footnote(p, &text, TONE_PLAIN);
    }
}

static bool has_spread(const struct cell *c)
{
    return c->spread.n_jobs > 1;
}

static void note_spread(struct pen *p, const struct run *r)
{
    bool told = false;

    for (size_t t = 0; t < PROFILE_TESTS; t++)
        for (int d = 0; d < DIRECTION_COUNT; d++) {
            const struct job_spread *s = &run_cell(r, t, (enum direction)d)->spread;
            struct names names = NAMES_INIT;
            struct buf text = BUF_INIT;
            char a[UNITS_TEXT], b[UNITS_TEXT];
            if (!has_spread(run_cell(r, t, (enum direction)d)))
                continue;
            if (!told) {
                buf_adds(&text, "Threads one by one. The original script's rule: mean of the "
                                "threads' p50, worst of their p99 (the table has those of all I/O "
                                "together):");
                footnote(p, &text, TONE_PLAIN);
                told = true;
            }
            names_add(&names, r, t, d);
            buf_addf(&text, "%s: mean p50 %s, worst p99 %s; ", str(&names.text),
                     units_latency(a, s->p50_mean_ns), units_latency(b, s->p99_worst_ns));
            buf_addf(&text, "%zu threads with %s to %s IOPS each, ", s->n_jobs,
                     units_iops(a, s->iops_min), units_iops(b, s->iops_max));
            buf_addf(&text, "p50 %s to %s", units_latency(a, s->p50_min_ns),
                     units_latency(b, s->p50_max_ns));
            footnote_more(p, &text);
            buf_done(&names.text);
        }
}

/* ---- what the figures are of ---- */

static bool has_trust(const struct cell *c)
{
    return c->trust_reason[0] && c->state != CELL_FAILED;
}

static bool same_trust(const struct cell *a, const struct cell *b)
{
    return has_trust(a) && has_trust(b) && a->trust == b->trust &&
           strcmp(a->trust_reason, b->trust_reason) == 0;
}

/* The cells whose figures are of the same as that one's; "" when it is not the first of them. */
static void cells_of(const struct run *r, const struct cell *like, struct names *names, bool *all)
{
    *all = true;
    for (size_t t = 0; t < PROFILE_TESTS; t++)
        for (int d = 0; d < DIRECTION_COUNT; d++) {
            const struct cell *c = run_cell(r, t, (enum direction)d);
            if (!same_trust(c, like)) {
                *all &= !has_trust(c);
                continue;
            }
            if (names->text.len == 0 && c != like)
                return;
            names_add(names, r, t, d);
        }
}

static void note_trust_of(struct pen *p, const struct cell *c, const struct buf *names, bool all)
{
    bool medium = c->trust == TRUST_DEVICE || c->trust == TRUST_NETWORK;
    struct buf text = BUF_INIT;

    buf_addf(&text, "%s%smeasured: %s (", all ? "" : str(names), all ? "" : " ",
             trust_name(c->trust));
    add_outside(p, &text, c->trust_reason);
    buf_addc(&text, ')');
    if (all)
        text.data[0] = 'M';
    footnote(p, &text, medium ? TONE_PLAIN : TONE_LOUD);
}

static void note_trust(struct pen *p, const struct run *r)
{
    for (size_t t = 0; t < PROFILE_TESTS; t++)
        for (int d = 0; d < DIRECTION_COUNT; d++) {
            const struct cell *c = run_cell(r, t, (enum direction)d);
            struct names names = NAMES_INIT;
            bool all = false;
            if (has_trust(c))
                cells_of(r, c, &names, &all);
            if (names.text.len > 0)
                note_trust_of(p, c, &names.text, all);
            buf_done(&names.text);
        }
}

/* What the intent log of ZFS did in all the tests that commit. */
static void note_zil(struct pen *p, const struct run *r)
{
    struct zil all = {.known = false};
    struct buf text = BUF_INIT;

    for (size_t t = 0; t < r->plan->settings.profile->n_tests; t++)
        for (int d = 0; d < DIRECTION_COUNT; d++)
            if (r->plan->settings.profile->tests[t].sync && d != DIRECTION_READ)
                zil_add(&all, &run_cell(r, t, (enum direction)d)->zil);
    if (zil_use(&all) != ZIL_UNKNOWN) {
        buf_adds(&text, "Intent log: ");
        zil_sentence(&all, &text);
        footnote(p, &text,
                 zil_use(&all) == ZIL_SLOG || zil_use(&all) == ZIL_POOL ? TONE_PLAIN : TONE_LOUD);
    }
    buf_done(&text);
}

static void note_run(struct pen *p, const struct run *r)
{
    struct buf text = BUF_INIT;

    if (r->prepare_failed) {
        buf_adds(&text, "The preparation of the file failed: ");
        add_outside(p, &text, r->prepare_why);
        footnote(p, &text, TONE_BAD);
    }
    if (r->stopped) {
        buf_adds(&text, "The run was stopped before its plan was complete.");
        footnote(p, &text, TONE_LOUD);
    }
}

static void note_compare(struct pen *p, const struct run *r)
{
    const struct bonnie *b = r->plan->settings.compare;
    struct buf text = BUF_INIT;

    if (r->plan->settings.profile->view != VIEW_FILES || !b)
        return;
    buf_addf(&text,
             "bonnie++ %s ran on %s, with %s of data; \"-\" is what it did not measure, or "
             "not long enough.",
             b->version, b->machine, b->size);
    footnote(p, &text, TONE_PLAIN);
}

static void note_align(struct pen *p, const struct run *r)
{
    struct buf text = BUF_INIT;
    struct align_verdict v;
    struct align a;

    if (r->plan->settings.profile->view != VIEW_ALIGN)
        return;
    align_of(&a, r);
    align_judge(&a, &v);
    align_sentence(&v, r->plan->settings.physical_bytes, &text);
    text.data[0] = (char)toupper((unsigned char)text.data[0]);
    buf_addc(&text, '.');
    footnote(p, &text, v.physical_bytes ? TONE_LOUD : TONE_PLAIN);
}

static void footnotes(struct pen *p, const struct run *r)
{
    struct buf text = BUF_INIT;

    note_run(p, r);
    note_fates(p, r);
    note_marks(p, r);
    for (size_t i = 0; i < r->plan->notes.n; i++) {
        add_outside(p, &text, r->plan->notes.items[i]);
        footnote(p, &text, TONE_LOUD);
    }
    each_way(r, p, note_way);
    if (r->plan->fell_back) {
        buf_adds(&text, "Buffered because direct I/O does not work here: the page cache takes "
                        "part.");
        footnote(p, &text, TONE_LOUD);
    }
    note_trust(p, r);
    note_zil(p, r);
    note_loops(p, r);
    note_end_fsync(p, r);
    note_courses(p, r);
    note_align(p, r);
    note_compare(p, r);
    note_sides(p, r);
    note_spread(p, r);
    if (r->plan->settings.profile->note[0]) {
        add_outside(p, &text, r->plan->settings.profile->note);
        footnote(p, &text, TONE_PLAIN);
    }
}

/* ---- reads and writes of a mix apart ---- */

static void side_row(struct pen *p, const char *name, const char *read, const char *write)
{
    struct buf line = BUF_INIT;

    buf_addf(&line, "  %-8s %11s %11s", name, read, write);
    paragraph(p, "", str(&line), TONE_PLAIN);
    buf_done(&line);
}

static void side_latency(struct pen *p, const char *name, double read_ns, double write_ns)
{
    char a[UNITS_TEXT], b[UNITS_TEXT];

    side_row(p, name, units_latency(a, read_ns), units_latency(b, write_ns));
}

static void mix_block(struct pen *p, const struct run *r, size_t test)
{
    const struct side *read = &run_cell(r, test, DIRECTION_MIX)->detail.sides[DIRECTION_READ];
    const struct side *write = &run_cell(r, test, DIRECTION_MIX)->detail.sides[DIRECTION_WRITE];
    char a[UNITS_TEXT], b[UNITS_TEXT], name[16];

    side_row(p, "", "Read", "Write");
    side_row(p, "MB/s", units_mb_per_s(a, read->figures.bytes_per_s),
             units_mb_per_s(b, write->figures.bytes_per_s));
    side_row(p, "IOPS", units_iops(a, read->figures.iops), units_iops(b, write->figures.iops));
    side_latency(p, "mean", read->figures.mean_ns, write->figures.mean_ns);
    side_latency(p, "min", read->figures.min_ns, write->figures.min_ns);
    for (size_t i = 0; i < RUN_PERCENTS; i++) {
        snprintf(name, sizeof(name), "p%g", run_percents[i]);
        side_latency(p, name, read->percentile_ns[i], write->percentile_ns[i]);
    }
    side_latency(p, "max", read->figures.max_ns, write->figures.max_ns);
}

static void mix_blocks(struct pen *p, const struct run *r)
{
    for (size_t t = 0; t < r->plan->settings.profile->n_tests; t++) {
        struct buf head = BUF_INIT;
        if (isnan(run_cell(r, t, DIRECTION_MIX)->mean.iops))
            continue;
        buf_addf(&head, "%s, latency of completion:", test_name(r, t));
        paragraph(p, "", str(&head), TONE_HEAD);
        buf_done(&head);
        mix_block(p, r, t);
    }
}

/* ---- requests one by one ---- */

#define PING_LINES 40 /* the latest of them */

static void ping_lines(struct pen *p, const struct cell *c)
{
    struct ping *pings = mem_alloc((c->n_kept + 1) * sizeof(*pings));
    size_t n = pings_of(c->samples, c->n_kept, c->n_samples - c->n_kept, pings);
    char text[UNITS_TEXT];

    for (size_t i = n > PING_LINES ? n - PING_LINES : 0; i < n; i++) {
        struct buf line = BUF_INIT;
        buf_addf(&line, "  %6llu %10s  %s", (unsigned long long)pings[i].first,
                 units_latency(text, pings[i].ns), ping_tag_name(pings[i].tag));
        if (pings[i].n > 1)
            buf_addf(&line, "%s(mean of %llu)", pings[i].tag == PING_PLAIN ? "" : " ",
                     (unsigned long long)pings[i].n);
        while (line.data[line.len - 1] == ' ')
            line.data[--line.len] = '\0';
        paragraph(p, "", str(&line), pings[i].tag == PING_SLOW ? TONE_LOUD : TONE_PLAIN);
        buf_done(&line);
    }
    free(pings);
}

/* As ioping sums up: rates are of the time that requests took, not of the time between them. */
static void ping_block(struct pen *p, const struct run *r, size_t t, enum direction d)
{
    const struct cell *c = run_cell(r, t, d);
    const struct figures *f = &c->mean;
    char a[UNITS_TEXT], b[UNITS_TEXT];
    struct buf text = BUF_INIT;

    buf_addf(&text, "%s %s", test_name(r, t), direction_name(d));
    paragraph(p, "", str(&text), TONE_HEAD);
    ping_lines(p, c);
    buf_clear(&text);
    buf_addf(&text, "  min/avg/max/mdev = %s / %s", units_latency(a, f->min_ns),
             units_latency(b, f->mean_ns));
    buf_addf(&text, " / %s / %s", units_latency(a, f->max_ns), units_latency(b, f->stddev_ns));
    paragraph(p, "", str(&text), TONE_PLAIN);
    buf_clear(&text);
    double block = (double)r->plan->settings.profile->tests[t].block_bytes;
    buf_addf(&text, "  in the time of the requests: %s IOPS, %s MB/s",
             units_iops(a, 1e9 / f->mean_ns), units_mb_per_s(b, block * 1e9 / f->mean_ns));
    paragraph(p, "", str(&text), TONE_PLAIN);
    buf_done(&text);
}

static void ping_blocks(struct pen *p, const struct run *r)
{
    for (size_t t = 0; t < r->plan->settings.profile->n_tests; t++)
        for (int d = 0; d < DIRECTION_COUNT; d++)
            if (!isnan(run_cell(r, t, (enum direction)d)->mean.mean_ns))
                ping_block(p, r, t, (enum direction)d);
}

/* ---- data and files, in the layout of bonnie++ ---- */

#define FILES_NAME 10
#define FILES_CELL 17

/* "    512.3  12 %": MB/s where bytes are what counts, else how often a second. */
static void files_cell(struct buf *line, double bytes_per_s, double per_s, double cpu)
{
    char text[UNITS_TEXT], share[16] = "-";

    if (!isnan(cpu))
        snprintf(share, sizeof(share), "%.0f %%", cpu * 100);
    buf_addf(line, "%10s %6s",
             isnan(bytes_per_s) ? units_iops(text, per_s) : units_mb_per_s(text, bytes_per_s),
             share);
}

/* Seeks are counted, not weighed; of files there are no bytes. */
static bool counts_bytes(const struct test *t)
{
    return t->work == WORK_DATA && t->pattern == PATTERN_SEQ;
}

static const struct cell *only_cell(const struct run *r, size_t t)
{
    int d = 0;

    while (d < DIRECTION_COUNT - 1 && !(r->plan->settings.profile->tests[t].directions & 1u << d))
        d++;
    return run_cell(r, t, (enum direction)d);
}

static void files_line(struct pen *p, const struct run *r, bool data, const struct bonnie *theirs)
{
    struct buf line = BUF_INIT;

    buf_addf(&line, "%-*s", FILES_NAME, theirs ? "bonnie++" : "here");
    for (size_t t = 0; t < r->plan->settings.profile->n_tests; t++) {
        const struct test *test = &r->plan->settings.profile->tests[t];
        const struct cell *c = only_cell(r, t);
        int k = bonnie_column(test->name);
        if ((test->work == WORK_DATA) != data)
            continue;
        double rate = counts_bytes(test) ? c->mean.bytes_per_s : c->mean.iops;
        if (test->directions == 1u << DIRECTION_MIX) /* data, and not how often it moved */
            rate = c->detail.sides[DIRECTION_WRITE].figures.bytes_per_s;
        double cpu = c->detail.cpu_share;
        if (theirs) {
            rate = k >= 0 ? theirs->rate[k] : NAN;
            cpu = k >= 0 ? theirs->cpu[k] : NAN;
        }
        files_cell(&line, counts_bytes(test) ? rate : NAN, rate, cpu);
    }
    paragraph(p, "", str(&line), TONE_PLAIN);
    buf_done(&line);
}

static void files_table(struct pen *p, const struct run *r, bool data)
{
    const struct bonnie *theirs = r->plan->settings.compare;
    struct buf names = BUF_INIT, units = BUF_INIT;

    buf_addf(&names, "%-*s", FILES_NAME, data ? "Data" : "Files");
    buf_addf(&units, "%-*s", FILES_NAME, "");
    for (size_t t = 0; t < r->plan->settings.profile->n_tests; t++) {
        const struct test *test = &r->plan->settings.profile->tests[t];
        if ((test->work == WORK_DATA) != data)
            continue;
        buf_addf(&names, "%*.*s", FILES_CELL, FILES_CELL - 1, test->name);
        buf_addf(&units, "%10s %6s", counts_bytes(test) ? "MB/s" : "/s", "CPU");
    }
    paragraph(p, "", str(&names), TONE_HEAD);
    paragraph(p, "", str(&units), TONE_HEAD);
    files_line(p, r, data, NULL);
    if (theirs)
        files_line(p, r, data, theirs);
    buf_done(&names);
    buf_done(&units);
}

static void files_tables(struct pen *p, const struct run *r)
{
    files_table(p, r, true);
    files_table(p, r, false);
}

/* ---- by block size and offset ---- */

#define HEAT_CELL 11

static const char *heat_mark(const struct pen *p, unsigned heat)
{
    static const char *const shades[] = {" ", "\xe2\x96\x91", "\xe2\x96\x92", "\xe2\x96\x93",
                                         "\xe2\x96\x88"};
    static const char *const ascii[] = {" ", ".", ":", "*", "#"};

    return p->utf8 ? shades[heat] : ascii[heat];
}

static void heat_row(struct pen *p, const struct align *a, enum direction d, size_t b)
{
    struct buf line = BUF_INIT;
    char text[UNITS_TEXT];
    bool hot = false;

    buf_addf(&line, "  %-6s", units_size_short(text, a->blocks[b]));
    for (size_t o = 0; o < a->n_offsets; o++) {
        unsigned heat = align_heat(align_ratio(a, d, b, o));
        hot |= heat >= 2;
        buf_addf(&line, "%*s%s", HEAT_CELL - 1, units_latency(text, a->ns[d][b][o]),
                 heat_mark(p, heat));
    }
    while (line.data[line.len - 1] == ' ')
        line.data[--line.len] = '\0';
    paragraph(p, "", str(&line), hot ? TONE_LOUD : TONE_PLAIN);
    buf_done(&line);
}

static void heat_block(struct pen *p, const struct align *a, enum direction d)
{
    struct buf head = BUF_INIT;
    char text[UNITS_TEXT], label[UNITS_TEXT + 4];

    buf_addf(&head, "  %-6s", direction_name(d));
    for (size_t o = 0; o < a->n_offsets; o++) {
        snprintf(label, sizeof(label), "+%s", units_size_short(text, a->offsets[o]));
        buf_addf(&head, "%*s ", HEAT_CELL - 1, label);
    }
    while (head.data[head.len - 1] == ' ')
        head.data[--head.len] = '\0';
    paragraph(p, "", str(&head), TONE_HEAD);
    for (size_t b = 0; b < a->n_blocks; b++)
        heat_row(p, a, d, b);
    buf_done(&head);
}

/* In the place of the table: its rows are the columns of this one. */
static void align_blocks(struct pen *p, const struct run *r)
{
    struct align a;

    align_of(&a, r);
    for (int d = DIRECTION_READ; d <= DIRECTION_WRITE; d++)
        if (plan_directions(r->plan) & 1u << d)
            heat_block(p, &a, (enum direction)d);
}

/* ---- throughput over amount ---- */

#define COURSE_SLICES 16
#define COURSE_BAR    30

static void course_slice(struct pen *p, double to_bytes, double rate, double most)
{
    char at[UNITS_TEXT], mb[UNITS_TEXT];
    struct buf line = BUF_INIT;
    int cells = most > 0 && rate > 0 ? (int)lround(rate / most * COURSE_BAR) : 0;

    buf_addf(&line, "  %9s %9s ", units_size(at, (uint64_t)to_bytes), units_mb_per_s(mb, rate));
    for (int i = 0; i < cells && 22 + i < p->columns; i++)
        buf_adds(&line, p->utf8 ? "\xe2\x96\x88" : "#");
    while (line.len > 0 && line.data[line.len - 1] == ' ')
        line.data[--line.len] = '\0';
    paragraph(p, "", str(&line), TONE_PLAIN);
    buf_done(&line);
}

static void course_block(struct pen *p, const struct course *c)
{
    double all = (double)c->bytes, most = 0, rates[COURSE_SLICES];

    for (int i = 0; i < COURSE_SLICES; i++) {
        rates[i] = course_rate(c, all * i / COURSE_SLICES, all * (i + 1) / COURSE_SLICES);
        most = rates[i] > most ? rates[i] : most;
    }
    paragraph(p, "", "      up to      MB/s", TONE_HEAD);
    for (int i = 0; i < COURSE_SLICES; i++)
        course_slice(p, all * (i + 1) / COURSE_SLICES, rates[i], most);
}

static void course_blocks(struct pen *p, const struct run *r)
{
    for (size_t t = 0; t < r->plan->settings.profile->n_tests; t++)
        for (int d = 0; d < DIRECTION_COUNT; d++) {
            const struct course *c = &run_cell(r, t, (enum direction)d)->course;
            if (c->n > 0)
                course_block(p, c);
        }
}

void table_run(struct buf *out, const struct run *r, const struct table_style *style)
{
    struct pen p = pen_for(out, style);
    unsigned directions = plan_directions(r->plan);
    struct grid *g = mem_zalloc(sizeof(*g));

    if (r->plan->settings.sweep.n > 0)
        table_sweep(out, r, style);
    else if (r->plan->settings.profile->view == VIEW_ALIGN)
        align_blocks(&p, r);
    else if (r->plan->settings.profile->view == VIEW_FILES)
        files_tables(&p, r);
    else if (!side_by_side(&p, g, r, directions))
        one_below_the_other(&p, g, r, directions);
    free(g);
    if (r->plan->settings.profile->view == VIEW_MIX)
        mix_blocks(&p, r);
    if (r->plan->settings.profile->view == VIEW_PINGS)
        ping_blocks(&p, r);
    if (r->plan->settings.profile->view == VIEW_COURSE)
        course_blocks(&p, r);
    footnotes(&p, r);
}

void table_notes(const struct run *r, bool utf8, table_line_fn *line, void *arg)
{
    struct pen p = {.utf8 = utf8, .line = line, .arg = arg};

    footnotes(&p, r);
}

void table_rows(const struct run *r, table_row_fn *row, void *arg)
{
    struct grid *g = mem_zalloc(sizeof(*g));
    const char *cells[GRID_COLUMNS];
    char heads[GRID_COLUMNS][2 * sizeof(g->columns[0].head[0])];

    if (r->plan->settings.sweep.n > 0) {
        sweep_rows(r, row, arg);
        free(g);
        return;
    }
    build_grid(g, r, plan_directions(r->plan), 0);
    for (size_t i = 0; i < g->n_columns; i++) {
        const struct grid_column *c = &g->columns[i];
        bool named = g->first_head == 0 && c->figure != FIGURE_NAME;
        snprintf(heads[i], sizeof(heads[i]), "%s%s%s", named ? c->head[0] : "", named ? " " : "",
                 c->head[1]);
        cells[i] = heads[i];
    }
    row(arg, cells, g->n_columns);
    for (size_t n = 0; n < g->n_rows; n++) {
        for (size_t i = 0; i < g->n_columns; i++)
            cells[i] = g->columns[i].cells[n].text;
        row(arg, cells, g->n_columns);
    }
    free(g);
}
