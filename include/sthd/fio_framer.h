/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef STHD_FIO_FRAMER_H
#define STHD_FIO_FRAMER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Cuts fio's standard output into JSON documents and the lines of text between them, as bytes
 * arrive. Linear: a byte is looked at once. Bounded: a document over max_document bytes is dropped
 * (and told). Resynchronises after garbage: a document starts at '{' in the first column (fio
 * prints it so) and ends when its braces close outside strings. In column 0 of an unfinished
 * document, a '{' means that the one before was cut, a '}' that it ends here, damaged.
 */
struct fio_framer;

struct fio_framer_events {
    /* A whole document; text is valid during the call only and NUL-terminated. */
    void (*document)(void *arg, const char *text, size_t len);
    /* A line of text between documents, without newline; bytes as they came. Empty lines are left
     * out; a line over 8 KiB comes in pieces. */
    void (*note)(void *arg, const char *text, size_t len);
    /* Bytes that were given up: an unfinished or oversized document. why is a short phrase. */
    void (*lost)(void *arg, const char *why, size_t len);
};

#define FIO_FRAMER_MAX_DOCUMENT ((size_t)16 << 20)

struct fio_framer *fio_framer_new(const struct fio_framer_events *ev, void *arg,
                                  size_t max_document);
void fio_framer_free(struct fio_framer *f);
void fio_framer_feed(struct fio_framer *f, const char *bytes, size_t len);
/* End of file: what is unfinished is lost, an unfinished line is a note. */
void fio_framer_end(struct fio_framer *f);
/* Bytes looked at so far, each time one was: equals the bytes fed. A test holds us to it. */
uint64_t fio_framer_looked(const struct fio_framer *f);

#endif
