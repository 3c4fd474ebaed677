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
/*
 * A run on stdout, in the format that was chosen. Returns the exit status: that of the run, or
 * EXIT_CODE_OUTPUT when it could not be written (with a sentence on stderr, unless the reader has
 * gone). signal: what we are about to die of, 0 none.
 */
int output_result(const struct options *o, const struct world *w, const struct run *r, int signal);
/* What probing found, likewise. seconds: what it took. */
int output_probe(const struct options *o, const struct world *w, double seconds);
/*
 * The finished run's result as a new file, in the form its ending asks for; "~/" is the user's
 * home. Under sudo it belongs to who called it. Fails with a sentence, and then leaves no file.
 */
int output_save(const struct options *o, const struct world *w, const struct run *r,
                const char *path, struct err *e);
/* What a finished sweep says, as lines for the screen. Appends. */
void output_sweep(const struct options *o, const struct run *r, struct buf *out);
/* "speedtest-hd-cdm-20261201-101500.json": of the moment the run began. */
void output_file_name(const struct run *r, char *out, size_t size);
/* "speedtest-hd: sentence" on stderr, made printable; returns e's exit code. */
int output_error(const struct err *e);
/* The same for each of the user's profiles that cannot be used. */
void output_problems(const struct book *b);

#endif
