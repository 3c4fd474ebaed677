/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Cuts fio's standard output into documents and lines; see fio_framer.h. Promises: every byte is
 * looked at once, however the bytes are split; memory is bounded; any input ends in events, never
 * in a stuck state. Knows only fio's layout, no JSON: braces, strings, and what stands in column 0.
 *
 * fio indents everything inside a document, so in column 0 a '{' is always a beginning and a '}'
 * always an end, even where quotes or braces before it do not match (a document cut in the middle
 * of a string, a name with a newline in it). That is what makes it find its way back at the next
 * document at the latest.
 */
#include "sthd/fio_framer.h"

#include <stdbool.h>
#include <stdlib.h>

#include "sthd/buf.h"
#include "sthd/mem.h"

/* A longer line of text comes as several notes; fio's own are under 1 KiB. */
#define NOTE_MAX ((size_t)8192)

enum state {
    LINE_START, /* between documents, in column 0 */
    NOTE,
    DOCUMENT,
    STRING,  /* in a document, within quotes */
    ESCAPED, /* ... after a backslash */
};

struct fio_framer {
    struct fio_framer_events events;
    void *arg;
    size_t max_document;
    enum state state;
    struct buf text; /* of the note or document under way */
    size_t length;   /* of the document, also of what is no longer kept */
    size_t depth;
    bool column_0;
    bool oversized;
    uint64_t looked;
};

struct fio_framer *fio_framer_new(const struct fio_framer_events *ev, void *arg,
                                  size_t max_document)
{
    struct fio_framer *f = mem_zalloc(sizeof(*f));

    f->events = *ev;
    f->arg = arg;
    f->max_document = max_document;
    f->state = LINE_START;
    buf_init(&f->text);
    return f;
}

void fio_framer_free(struct fio_framer *f)
{
    if (!f)
        return;
    buf_done(&f->text);
    free(f);
}

uint64_t fio_framer_looked(const struct fio_framer *f)
{
    return f->looked;
}

static void finish_note(struct fio_framer *f)
{
    if (f->text.len && f->text.data[f->text.len - 1] == '\r')
        f->text.data[--f->text.len] = '\0';
    if (f->text.len && f->events.note)
        f->events.note(f->arg, f->text.data, f->text.len);
    buf_clear(&f->text);
}

static void begin_document(struct fio_framer *f)
{
    buf_clear(&f->text);
    f->state = DOCUMENT;
    f->length = 0;
    f->depth = 0;
    f->oversized = false;
}

static void lose_document(struct fio_framer *f, const char *why)
{
    if (f->events.lost)
        f->events.lost(f->arg, f->oversized ? "report too long" : why, f->length);
    buf_clear(&f->text);
    f->state = LINE_START;
}

static void finish_document(struct fio_framer *f)
{
    if (f->oversized) {
        lose_document(f, "report too long");
        return;
    }
    f->state = LINE_START;
    if (f->events.document)
        f->events.document(f->arg, f->text.data, f->text.len);
    buf_clear(&f->text);
}

/* Appends to the document, as long as it is one we keep. */
static void keep(struct fio_framer *f, const char *bytes, size_t len)
{
    f->length += len;
    if (f->length > f->max_document && !f->oversized) {
        f->oversized = true;
        buf_done(&f->text);
    }
    if (!f->oversized)
        buf_add(&f->text, bytes, len);
}

/* Quotes and braces. True when c closed the document. */
static bool document_closes(struct fio_framer *f, char c)
{
    switch (f->state) {
    case ESCAPED:
        f->state = STRING;
        return false;
    case STRING:
        if (c == '\\')
            f->state = ESCAPED;
        else if (c == '"')
            f->state = DOCUMENT;
        return false;
    default:
        if (c == '"')
            f->state = STRING;
        else if (c == '{')
            f->depth++;
        return c == '}' && --f->depth == 0;
    }
}

/* Reads on in a document, to its end or that of the bytes. Returns how many bytes it used. */
static size_t read_document(struct fio_framer *f, const char *bytes, size_t len)
{
    size_t kept = 0;

    for (size_t i = 0; i < len; i++) {
        char c = bytes[i];
        bool column_0 = f->column_0;

        f->looked++;
        f->column_0 = c == '\n';
        if (column_0 && c == '{') {
            keep(f, bytes + kept, i - kept);
            kept = i;
            if (f->length)
                lose_document(f, "report cut short");
            begin_document(f);
        }
        bool closed = document_closes(f, c);
        if (closed || (column_0 && c == '}')) {
            keep(f, bytes + kept, i + 1 - kept);
            if (closed)
                finish_document(f);
            else
                lose_document(f, "report damaged");
            return i + 1;
        }
    }
    keep(f, bytes + kept, len - kept);
    return len;
}

/* Reads text up to the end of its line, or to the beginning of a document. */
static size_t read_text(struct fio_framer *f, const char *bytes, size_t len)
{
    if (f->state == LINE_START && bytes[0] == '{') {
        begin_document(f);
        f->column_0 = true;
        return 0;
    }
    for (size_t i = 0; i < len; i++) {
        f->looked++;
        if (bytes[i] == '\n') {
            buf_add(&f->text, bytes, i);
            finish_note(f);
            f->state = LINE_START;
            return i + 1;
        }
        f->state = NOTE;
        if (f->text.len + i + 1 == NOTE_MAX) {
            buf_add(&f->text, bytes, i + 1);
            finish_note(f);
            return i + 1;
        }
    }
    buf_add(&f->text, bytes, len);
    return len;
}

void fio_framer_feed(struct fio_framer *f, const char *bytes, size_t len)
{
    for (size_t used = 0; used < len;) {
        bool text = f->state == LINE_START || f->state == NOTE;
        used += (text ? read_text : read_document)(f, bytes + used, len - used);
    }
}

void fio_framer_end(struct fio_framer *f)
{
    if (f->state == LINE_START || f->state == NOTE)
        finish_note(f);
    else
        lose_document(f, "report cut short");
    f->state = LINE_START;
}
