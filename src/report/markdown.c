/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A run as Markdown: the banner as a list, the table as GitHub's, the footnotes as a list. Readable
 * as plain text, too: columns are as wide as their widest cell.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sthd/mem.h"
#include "sthd/text.h"
#include "writers.h"

#define COLUMNS 16

struct table {
    char *cells[PROFILE_TESTS + 1][COLUMNS]; /* escaped; owned */
    size_t n_rows, n_columns;
};

static bool is_word(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* text is printable. An underscore inside a word means nothing, and io_uring shall stay readable.
 */
static void add_escaped(struct buf *out, const char *text)
{
    for (const char *c = text; *c; c++) {
        bool inside = *c == '_' && c > text && is_word(c[-1]) && is_word(c[1]);
        if (strchr("\\`*_{}[]<>|~#&", *c) && !inside)
            buf_addc(out, '\\');
        buf_addc(out, *c);
    }
}

static void take_row(void *arg, const char *const *cells, size_t n)
{
    struct table *t = arg;

    t->n_columns = n;
    for (size_t i = 0; i < n; i++) {
        struct buf b = BUF_INIT;
        add_escaped(&b, cells[i]);
        t->cells[t->n_rows][i] = buf_steal(&b);
    }
    t->n_rows++;
}

static int column_width(const struct table *t, size_t column)
{
    int width = 4; /* room for "---:" */

    for (size_t row = 0; row < t->n_rows; row++) {
        int w = text_width(t->cells[row][column]);
        if (w > width)
            width = w;
    }
    return width;
}

/* The name to the left, figures to the right. */
static void add_row(struct buf *out, const struct table *t, size_t row)
{
    for (size_t i = 0; i < t->n_columns; i++) {
        const char *text = t->cells[row][i];
        size_t blanks = (size_t)(column_width(t, i) - text_width(text));
        buf_adds(out, "| ");
        buf_addn(out, ' ', i == 0 ? 0 : blanks);
        buf_adds(out, text);
        buf_addn(out, ' ', i == 0 ? blanks : 0);
        buf_addc(out, ' ');
    }
    buf_adds(out, "|\n");
}

static void add_rule(struct buf *out, const struct table *t)
{
    for (size_t i = 0; i < t->n_columns; i++) {
        buf_adds(out, i == 0 ? "|:" : "| ");
        buf_addn(out, '-', (size_t)column_width(t, i));
        buf_adds(out, i == 0 ? " " : ":");
    }
    buf_adds(out, "|\n");
}

static void add_item(void *arg, const char *label, const char *text)
{
    struct buf *out = arg;

    buf_adds(out, "- ");
    if (label[0])
        buf_addf(out, "**%s:** ", label);
    add_escaped(out, text);
    buf_addc(out, '\n');
}

void markdown_write(struct buf *out, const struct result *res, const struct table_style *style)
{
    const struct run *r = res->run;
    struct table *t = mem_zalloc(sizeof(*t));
    char text[TIME_TEXT];

    buf_addf(out, "### speedtest-hd %s\n\n", res->version);
    if (time_iso(text, r->began_unix_ns, r->utc_offset_s)[0])
        buf_addf(out, "- **Time:** %s\n", text);
    table_banner_lines(r, res->target, res->machine, style->utf8, add_item, out);
    buf_addc(out, '\n');
    table_rows(r, take_row, t);
    for (size_t row = 0; row < t->n_rows; row++) {
        add_row(out, t, row);
        if (row == 0)
            add_rule(out, t);
    }
    buf_addc(out, '\n');
    table_notes(r, style->utf8, add_item, out);
    for (size_t i = 0; res->verdict && i < res->verdict->n; i++)
        add_item(out, severity_name(res->verdict->items[i].severity), res->verdict->items[i].seen);
    for (size_t row = 0; row < t->n_rows; row++)
        for (size_t i = 0; i < t->n_columns; i++)
            free(t->cells[row][i]);
    free(t);
}
