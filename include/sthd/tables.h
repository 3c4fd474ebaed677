/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef STHD_TABLES_H
#define STHD_TABLES_H

#include <stdbool.h>

#include "sthd/buf.h"
#include "sthd/run.h"
#include "sthd/target.h"

/* A run as text, for stdout: banner, table, footnotes. Knows no terminal: the caller says what it
 * can show. */
struct table_style {
    bool utf8;   /* box-drawing characters; else + - | */
    bool colour; /* SGR sequences */
    int columns; /* available width, >= 40; the table is never wider than 80 */
};

/* Every cell as it stands: "-" for waiting or absent. Works at any moment of a run. */
void table_banner(struct buf *out, const struct run *r, const struct target *t,
                  const struct machine *m, const struct table_style *style);
void table_run(struct buf *out, const struct run *r, const struct table_style *style);

#endif
