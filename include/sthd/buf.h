/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef STHD_BUF_H
#define STHD_BUF_H

#include <stddef.h>

/* A growing byte buffer. data is NUL-terminated whenever it is not NULL; len does not count the
 * NUL. */
struct buf {
    char *data;
    size_t len;
    size_t cap;
};

#define BUF_INIT   \
    {              \
        NULL, 0, 0 \
    }

void buf_init(struct buf *b);
void buf_done(struct buf *b);
void buf_clear(struct buf *b); /* keeps the memory */
void buf_reserve(struct buf *b, size_t more);
void buf_add(struct buf *b, const void *data, size_t len);
void buf_adds(struct buf *b, const char *s);
void buf_addc(struct buf *b, char c);
void buf_addn(struct buf *b, char c, size_t n); /* c, n times */
void buf_addf(struct buf *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void buf_drop_front(struct buf *b, size_t n);
/* Hands the string (never NULL) over to the caller, who frees it; b is empty afterwards. */
char *buf_steal(struct buf *b) __attribute__((returns_nonnull, warn_unused_result));

/* A NULL-terminated list of owned strings: argv. */
struct strv {
    char **items; /* items[n] == NULL once something was added; NULL before */
    size_t n;
    size_t cap;
};

void strv_init(struct strv *v);
void strv_done(struct strv *v);
void strv_add(struct strv *v, const char *s);
void strv_addf(struct strv *v, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* The command as one line a shell would read back to the same words. */
void strv_quote(const struct strv *v, struct buf *out);

#endif
