/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef STHD_RESULT_H
#define STHD_RESULT_H

#include <stdint.h>

#include "sthd/buf.h"
#include "sthd/run.h"
#include "sthd/tables.h"
#include "sthd/target.h"
#include "sthd/verdict.h"

/*
 * A run as a document, in the forms that --format names. Pure: what is written depends on nothing
 * but the arguments, at any moment of a run. Lines end in LF; numbers have a point, in every
 * locale.
 */
enum result_format {
    FORMAT_TABLE,    /* banner, table, footnotes, for people */
    FORMAT_JSON,     /* everything, for programs: "speedtest-hd/1", see the man page */
    FORMAT_CSV,      /* one line per cell, for spreadsheets */
    FORMAT_MARKDOWN, /* the table as people paste it into an issue */
    FORMAT_CDM,      /* CrystalDiskMark's text, as people paste it into a forum */
};
#define RESULT_FORMATS 5

/* What the JSON says it is. The number grows when a key changes its meaning or goes. */
#define RESULT_JSON_FORMAT "speedtest-hd/1"

struct result {
    const char *version; /* of the program */
    const struct run *run;
    const struct target *target; /* NULL: not known */
    const struct machine *machine;
    const struct verdict *verdict; /* NULL: not judged */
    bool all_findings;             /* in the table; else the first few */
    int signal;                    /* the program is about to die of; 0 none */
};

/* The form that a file of that name asks for by its ending; FORMAT_TABLE for all others. */
enum result_format result_format_of_file(const char *name);
void result_write(struct buf *out, enum result_format format, const struct result *res,
                  const struct table_style *style);
/*
 * What works on a target, with reasons, as --probe prints it: JSON, or in all other forms the table
 * of facts. Needs no run in res. seconds: what finding out took.
 */
void result_probe(struct buf *out, enum result_format format, const struct result *res,
                  const struct capability *c, double seconds, const struct table_style *style);

#endif
