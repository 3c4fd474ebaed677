/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef STHD_LINES_H
#define STHD_LINES_H

#include <stddef.h>
#include <stdint.h>

/*
 * A bounded store of text lines with their origin: the raw pane reads it. Bytes come in as they
 * arrive; a line is made at each newline, or at LINES_MAX_LINE bytes. The oldest lines go when the
 * store is full. What is stored is what came: printable-making is the reader's business.
 */
#define LINES_MAX_LINE 4096

enum line_source {
    LINE_STDOUT, /* fio's standard output */
    LINE_STDERR, /* fio's standard error */
    LINE_OURS,   /* said by this program: commands, marks, sentences */
};

struct line {
    enum line_source source;
    uint64_t number;  /* counts from 0 since the store was made; never reused */
    const char *text; /* NUL-terminated, no newline; NULs inside were replaced by '?' */
    size_t len;
};

struct lines;

/* max_bytes bounds text and bookkeeping together (at least 64 KiB). */
struct lines *lines_new(size_t max_bytes);
void lines_free(struct lines *l);
void lines_add(struct lines *l, enum line_source source, const char *bytes, size_t len);
/* Ends an unfinished line of that source, if there is one. */
void lines_end(struct lines *l, enum line_source source);
/* A whole line of ours. */
void lines_say(struct lines *l, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Lines kept: numbers first .. first + count - 1. */
uint64_t lines_first(const struct lines *l);
size_t lines_count(const struct lines *l);
/* The line with that number; text is valid until the next change. number must be kept. */
struct line lines_at(const struct lines *l, uint64_t number);

#endif
