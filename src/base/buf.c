/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Growing byte buffer and argv list; see buf.h. */
#include "sthd/buf.h"

#include <assert.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sthd/mem.h"

void buf_init(struct buf *b)
{
    *b = (struct buf)BUF_INIT;
}

void buf_done(struct buf *b)
{
    free(b->data);
    buf_init(b);
}

void buf_clear(struct buf *b)
{
    b->len = 0;
    if (b->data)
        b->data[0] = '\0';
}

void buf_reserve(struct buf *b, size_t more)
{
    size_t want;

    if (__builtin_add_overflow(b->len, more, &want) || __builtin_add_overflow(want, 1, &want))
        want = SIZE_MAX; /* mem_realloc dies of it */
    if (want <= b->cap)
        return;
    size_t cap = b->cap ? b->cap : 64;
    while (cap < want)
        cap = cap > SIZE_MAX / 2 ? want : cap * 2;
    b->data = mem_realloc(b->data, cap);
    b->cap = cap;
    b->data[b->len] = '\0';
}

void buf_add(struct buf *b, const void *data, size_t len)
{
    buf_reserve(b, len);
    if (len)
        memcpy(b->data + b->len, data, len);
    b->len += len;
    b->data[b->len] = '\0';
}

void buf_adds(struct buf *b, const char *s)
{
    buf_add(b, s, strlen(s));
}

void buf_addc(struct buf *b, char c)
{
    buf_add(b, &c, 1);
}

void buf_addn(struct buf *b, char c, size_t n)
{
    buf_reserve(b, n);
    if (n)
        memset(b->data + b->len, c, n);
    b->len += n;
    b->data[b->len] = '\0';
}

static void buf_vaddf(struct buf *b, const char *fmt, va_list ap)
    __attribute__((format(printf, 2, 0)));
static void buf_vaddf(struct buf *b, const char *fmt, va_list ap)
{
    va_list again;

    va_copy(again, ap);
    int n = vsnprintf(NULL, 0, fmt, ap);
    assert(n >= 0);
    buf_reserve(b, (size_t)n);
    vsnprintf(b->data + b->len, (size_t)n + 1, fmt, again);
    va_end(again);
    b->len += (size_t)n;
}

void buf_addf(struct buf *b, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    buf_vaddf(b, fmt, ap);
    va_end(ap);
}

void buf_drop_front(struct buf *b, size_t n)
{
    assert(n <= b->len);
    if (n == 0)
        return;
    memmove(b->data, b->data + n, b->len - n);
    b->len -= n;
    b->data[b->len] = '\0';
}

char *buf_steal(struct buf *b)
{
    char *s = b->data ? b->data : mem_strdup("");

    buf_init(b);
    return s;
}

void strv_init(struct strv *v)
{
    *v = (struct strv){NULL, 0, 0};
}

void strv_done(struct strv *v)
{
    for (size_t i = 0; i < v->n; i++)
        free(v->items[i]);
    free(v->items);
    strv_init(v);
}

static void strv_take(struct strv *v, char *owned)
{
    if (v->n + 2 > v->cap) {
        v->cap = v->cap ? v->cap * 2 : 16;
        v->items = mem_realloc_array(v->items, v->cap, sizeof(*v->items));
    }
    v->items[v->n++] = owned;
    v->items[v->n] = NULL;
}

void strv_add(struct strv *v, const char *s)
{
    strv_take(v, mem_strdup(s));
}

void strv_addf(struct strv *v, const char *fmt, ...)
{
    struct buf b = BUF_INIT;
    va_list ap;

    va_start(ap, fmt);
    buf_vaddf(&b, fmt, ap);
    va_end(ap);
    strv_take(v, buf_steal(&b));
}

void strv_quote(const struct strv *v, struct buf *out)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "-_=./:,+@%";

    for (size_t i = 0; i < v->n; i++) {
        const char *s = v->items[i];
        if (i)
            buf_addc(out, ' ');
        if (*s && s[strspn(s, plain)] == '\0') {
            buf_adds(out, s);
            continue;
        }
        buf_addc(out, '\'');
        for (; *s; s++) {
            if (*s == '\'')
                buf_adds(out, "'\\''");
            else
                buf_addc(out, *s);
        }
        buf_addc(out, '\'');
    }
}
