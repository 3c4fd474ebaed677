/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef STHD_BONNIE_H
#define STHD_BONNIE_H

#include <stdint.h>

#include "sthd/err.h"

/*
 * A result line of bonnie++: its CSV as of 1.97 (formats 1.96 and 1.97) and 2.00 (format 1.98, two
 * fields more). Format: bon_csv2txt(1) and csv_length of bonnie++'s sources.
 */
enum bonnie_column {
    BONNIE_WRITE, /* sequential output by block; bytes/s */
    BONNIE_REWRITE,
    BONNIE_READ,
    BONNIE_SEEKS,  /* a second */
    BONNIE_CREATE, /* sequential; a second */
    BONNIE_STAT,
    BONNIE_DELETE,
};
#define BONNIE_COLUMNS 7

struct bonnie {
    char machine[40], version[16], size[16];
    double rate[BONNIE_COLUMNS]; /* NAN: not measured, or too short to be ("+++++") */
    double cpu[BONNIE_COLUMNS];  /* share of one core, 0 .. ; NAN */
};

/* The last line of text that is a result. -EINVAL with a sentence that names what (a file). */
int bonnie_parse(struct bonnie *out, const char *text, const char *what, struct err *e);
/* Which column a test is, by its name: "Block write" ...; -1: none. */
int bonnie_column(const char *test);
const char *bonnie_test(enum bonnie_column c);

#endif
