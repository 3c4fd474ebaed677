/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef STHD_REPORT_WRITERS_H
#define STHD_REPORT_WRITERS_H

#include "sthd/result.h"

/* One file per form; result.c is the door. All append to out. */
void json_write(struct buf *out, const struct result *res);
void csv_write(struct buf *out, const struct result *res);
void markdown_write(struct buf *out, const struct result *res, const struct table_style *style);
void cdm_write(struct buf *out, const struct result *res, const struct table_style *style);
/* As result_probe, of the two forms that there are. */
void json_write_probe(struct buf *out, const struct result *res, const struct capability *c,
                      double seconds);
void probe_write(struct buf *out, const struct result *res, const struct capability *c,
                 double seconds, const struct table_style *style);

/* As table_rows, of a sweep: a row for each setting of each cell. */
void sweep_rows(const struct run *r, table_row_fn *row, void *arg);

/* ---- words and numbers that more than one form uses ---- */

const char *cell_state_name(enum cell_state state); /* "done" "failed" ... */
/* The step whose figures the cell has, or would have; NULL: the profile has no such cell. */
const struct step *cell_step(const struct run *r, size_t test, enum direction d);
/* "2026-11-30T14:05:09+01:00", in that zone; "" when the time is not known (0). */
#define TIME_TEXT 40
char *time_iso(char out[TIME_TEXT], int64_t unix_ns, int utc_offset_s);
/*
 * x as JSON and CSV have it: digits enough to read the same double back, always with a point,
 * whatever LC_NUMERIC is. x is finite.
 */
#define NUMBER_TEXT 40
char *number_text(char out[NUMBER_TEXT], double x);

#endif
