/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef STHD_REPORT_JSON_OUT_H
#define STHD_REPORT_JSON_OUT_H

#include <stdbool.h>
#include <stdint.h>

#include "sthd/buf.h"

/*
 * JSON as it is written down: punctuation, indentation, escapes. key is NULL inside an array. What
 * is absent (NULL, NAN, UINT64_MAX) is written as null, so that every key is always there.
 */
#define JSON_OUT_DEPTH 16

struct json_out {
    struct buf *out;
    int depth;
    int line_from;                   /* depth from which all is on one line; 0: none */
    char closers[JSON_OUT_DEPTH];    /* '}' or ']' of what is open */
    bool has_member[JSON_OUT_DEPTH]; /* a comma is due before the next one */
};

#define JSON_OUT_INIT(buffer)             \
    {                                     \
        .out = (buffer), .closers = { 0 } \
    }

void jout_object(struct json_out *j, const char *key);
void jout_array(struct json_out *j, const char *key);
/* The same on a line of its own: for what there is much of. */
void jout_line_object(struct json_out *j, const char *key);
void jout_line_array(struct json_out *j, const char *key);
void jout_end(struct json_out *j); /* of the innermost; behind the outermost comes a newline */

/* Bytes that are not UTF-8 become U+FFFD; what could act on a terminal is escaped. */
void jout_text(struct json_out *j, const char *key, const char *s);
/* "" is absent, too. */
void jout_word(struct json_out *j, const char *key, const char *s);
void jout_number(struct json_out *j, const char *key, double x);
void jout_count(struct json_out *j, const char *key, uint64_t n);
void jout_int(struct json_out *j, const char *key, int64_t n);
void jout_bool(struct json_out *j, const char *key, bool b);
void jout_null(struct json_out *j, const char *key);

#endif
