/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef STHD_APP_OUTPUT_H
#define STHD_APP_OUTPUT_H

#include "options.h"
#include "sthd/run.h"
#include "sthd/tables.h"
#include "world.h"

/* What the two faces print alike. */

/* How a descriptor may be written to: width, UTF-8, colour. */
struct table_style output_style(const struct options *o, int fd);
/* Banner and table of a run on stdout. A reader that has gone (EPIPE) is no error: -EPIPE. */
int output_result(const struct options *o, const struct world *w, const struct run *r);
/* "speedtest-hd: sentence" on stderr, made printable; returns e's exit code. */
int output_error(const struct err *e);

#endif
