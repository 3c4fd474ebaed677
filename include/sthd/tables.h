/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef STHD_TABLES_H
#define STHD_TABLES_H

#include <stdbool.h>

#include "sthd/buf.h"
#include "sthd/run.h"
#include "sthd/target.h"
#include "sthd/verdict.h"

/*
 * A run as text, for stdout: banner, table, footnotes. Knows no terminal: the caller says what it
 * can show. No line is wider than columns or 80; without colour, no control character but newline.
 */
struct table_style {
    bool utf8;   /* box-drawing characters and names as they are; else nothing above 0x7e */
    bool colour; /* SGR sequences; everything they say stands in the text as well */
    int columns; /* available width, >= 40 (less is taken as 40) */
};

/* What is measured, where and with what. t: NULL when not known. Ends with an empty line. */
void table_banner(struct buf *out, const struct run *r, const struct target *t,
                  const struct machine *m, const struct table_style *style);
/*
 * The table and its footnotes. Every cell as it stands, at any moment of a run: "-" for waiting,
 * skipped or absent, "failed", and figures marked "*" that are of a part of a test only (running,
 * stopped early).
 */
void table_run(struct buf *out, const struct run *r, const struct table_style *style);

/*
 * A sweep, in the place of the table: the settings beside each other, their spread as a chart, and
 * how to keep the best. Ends with an empty line. Only where plan->settings.sweep has settings.
 */
void table_sweep(struct buf *out, const struct run *r, const struct table_style *style);
/*
 * Where the time of each cell's I/Os went, a row each; nothing where no device was seen. Ends, as
 * does table_verdict, with its last line; begins with an empty one.
 */
void table_time(struct buf *out, const struct run *r, const struct table_style *style);
/* The findings, the most telling first: all, with their reasons, or TABLE_FINDINGS of them. */
#define TABLE_FINDINGS 3
void table_verdict(struct buf *out, const struct verdict *v, bool all,
                   const struct table_style *style);

/*
 * The same without layout, for other forms. Lines of the banner with their label ("Target"), those
 * below the table with none; text is printable, and ASCII without utf8. Rows of cells, the first
 * one the heads; a cell is "" where the profile has none.
 */
typedef void table_line_fn(void *arg, const char *label, const char *text);
typedef void table_row_fn(void *arg, const char *const *cells, size_t n);
void table_banner_lines(const struct run *r, const struct target *t, const struct machine *m,
                        bool utf8, table_line_fn *line, void *arg);
void table_notes(const struct run *r, bool utf8, table_line_fn *line, void *arg);
void table_rows(const struct run *r, table_row_fn *row, void *arg);

#endif
