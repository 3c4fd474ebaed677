/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef STHD_TEXT_H
#define STHD_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sthd/buf.h"

/*
 * UTF-8 and what may be shown of it. Knows no terminal and no locale: widths come from a table in
 * here (wcwidth(3) depends on the locale, and says -1 to everything under LC_ALL=C).
 */

/* Decodes one code point; *len = bytes used (>= 1 when n > 0). Malformed input gives U+FFFD and 1.
 */
uint32_t text_decode(const char *s, size_t n, size_t *len);
/* Columns of one code point: 0 combining or control, 2 East Asian wide, else 1. */
int text_char_width(uint32_t c);
/* Columns of a UTF-8 string. */
int text_width(const char *s);

/*
 * Makes bytes from outside safe for a terminal: valid printable UTF-8 is kept; control characters
 * (C0, DEL, C1), bidirectional controls and malformed bytes become \xNN or <U+NNNN>; with ascii
 * set, so does everything above 0x7e. Tab becomes a space. Appends to out.
 */
void text_printable(struct buf *out, const char *s, size_t n, bool ascii);
/* Whether a code point may be shown as it is: no control character, nothing that reorders text. */
bool text_char_printable(uint32_t c);

/* Appends at most columns columns of s; when cut, the last column is "~". pad: fill with blanks. */
void text_fit(struct buf *out, const char *s, int columns, bool pad);

/* Bytes of the next line of s when it is wrapped: up to a blank where possible; at least one
 * character. */
size_t text_line(const char *s, int columns);

/* ASCII only, independent of the locale. */
bool text_ieq(const char *a, const char *b);
bool text_starts(const char *s, const char *prefix);

#endif
