/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Writes JSON; see json_out.h. Promises RFC 8259, in UTF-8, whatever strings and numbers come in.
 * Not cJSON: what that prints depends on LC_NUMERIC, and it builds a tree that nobody needs. Must
 * not know what is written.
 */
#include "json_out.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "sthd/text.h"
#include "writers.h"

#define INDENT 2

static void new_line(struct json_out *j)
{
    if (j->line_from > 0 && j->depth >= j->line_from)
        return;
    buf_addc(j->out, '\n');
    buf_addn(j->out, ' ', (size_t)(INDENT * j->depth));
}

static void add_escape(struct buf *out, uint32_t c)
{
    if (c > 0xffff)
        buf_addf(out, "\\u%04x\\u%04x", (unsigned)(0xd7c0 + (c >> 10)),
                 (unsigned)(0xdc00 + (c & 0x3ff)));
    else
        buf_addf(out, "\\u%04x", (unsigned)c);
}

static void add_quoted(struct buf *out, const char *s)
{
    size_t n = strlen(s), used;

    buf_addc(out, '"');
    for (size_t i = 0; i < n; i += used) {
        uint32_t c = text_decode(s + i, n - i, &used);
        if (c == '"' || c == '\\')
            buf_addf(out, "\\%c", (char)c);
        else if (c == '\n')
            buf_adds(out, "\\n");
        else if (c == '\t')
            buf_adds(out, "\\t");
        else if (!text_char_printable(c) || (c == 0xfffd && used == 1))
            add_escape(out, c);
        else
            buf_add(out, s + i, used);
    }
    buf_addc(out, '"');
}

/* What comes before every value: the comma after the one before, and the key. */
static void lead(struct json_out *j, const char *key)
{
    if (j->depth == 0)
        return;
    assert((j->closers[j->depth - 1] == '}') == (key != NULL));
    if (j->has_member[j->depth - 1])
        buf_adds(j->out, j->line_from > 0 && j->depth >= j->line_from ? ", " : ",");
    j->has_member[j->depth - 1] = true;
    new_line(j);
    if (key) {
        add_quoted(j->out, key);
        buf_adds(j->out, ": ");
    }
}

static void open(struct json_out *j, const char *key, char opener, char closer, bool line)
{
    lead(j, key);
    assert(j->depth < JSON_OUT_DEPTH);
    buf_addc(j->out, opener);
    j->closers[j->depth] = closer;
    j->has_member[j->depth] = false;
    j->depth++;
    if (line && j->line_from == 0)
        j->line_from = j->depth;
}

void jout_object(struct json_out *j, const char *key)
{
    open(j, key, '{', '}', false);
}

void jout_array(struct json_out *j, const char *key)
{
    open(j, key, '[', ']', false);
}

void jout_line_object(struct json_out *j, const char *key)
{
    open(j, key, '{', '}', true);
}

void jout_line_array(struct json_out *j, const char *key)
{
    open(j, key, '[', ']', true);
}

void jout_end(struct json_out *j)
{
    assert(j->depth > 0);
    bool line = j->line_from > 0 && j->depth >= j->line_from;

    if (j->line_from == j->depth)
        j->line_from = 0;
    j->depth--;
    if (j->has_member[j->depth] && !line)
        new_line(j);
    buf_addc(j->out, j->closers[j->depth]);
    if (j->depth == 0)
        buf_addc(j->out, '\n');
}

void jout_null(struct json_out *j, const char *key)
{
    lead(j, key);
    buf_adds(j->out, "null");
}

void jout_text(struct json_out *j, const char *key, const char *s)
{
    if (!s) {
        jout_null(j, key);
        return;
    }
    lead(j, key);
    add_quoted(j->out, s);
}

void jout_word(struct json_out *j, const char *key, const char *s)
{
    jout_text(j, key, s && s[0] ? s : NULL);
}

void jout_number(struct json_out *j, const char *key, double x)
{
    char text[NUMBER_TEXT];

    if (!isfinite(x)) {
        jout_null(j, key);
        return;
    }
    lead(j, key);
    buf_adds(j->out, number_text(text, x));
}

void jout_count(struct json_out *j, const char *key, uint64_t n)
{
    if (n == UINT64_MAX) {
        jout_null(j, key);
        return;
    }
    lead(j, key);
    buf_addf(j->out, "%" PRIu64, n);
}

void jout_int(struct json_out *j, const char *key, int64_t n)
{
    lead(j, key);
    buf_addf(j->out, "%" PRId64, n);
}

void jout_bool(struct json_out *j, const char *key, bool b)
{
    lead(j, key);
    buf_adds(j->out, b ? "true" : "false");
}
