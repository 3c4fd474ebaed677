/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A bounded store of lines in two rings: the bytes, and one small entry for each line. Promises
 * constant time for each byte that comes in, no allocation after lines_new() but for unfinished
 * lines, and the bound of lines_new(). Memory that was never written is never touched, so an idle
 * store costs nothing. Must not know what the lines say.
 */
#include "sthd/lines.h"

#include <assert.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sthd/buf.h"
#include "sthd/mem.h"

#define MIN_BYTES    ((size_t)64 << 10)
#define SOURCE_COUNT 3

struct entry {
    uint32_t at; /* into text */
    uint16_t len;
    uint8_t source;
};

struct unfinished {
    struct buf bytes;
    bool cut; /* the line before ended by its length: a newline right now ends nothing */
};

struct lines {
    char *text; /* live lines are contiguous, each with its NUL, in ring order */
    size_t text_size;
    size_t head; /* where the next line goes */
    struct entry *entries;
    size_t entries_size;
    size_t oldest; /* index into entries */
    size_t count;
    uint64_t first; /* number of the oldest line */
    struct unfinished unfinished[SOURCE_COUNT];
};

struct lines *lines_new(size_t max_bytes)
{
    struct lines *l = mem_zalloc(sizeof(*l));

    if (max_bytes < MIN_BYTES)
        max_bytes = MIN_BYTES;
    if (max_bytes > UINT32_MAX)
        max_bytes = UINT32_MAX;
    /* fio's lines have about 25 bytes: at that length both rings are full at the same time */
    l->entries_size = max_bytes / 4 / sizeof(struct entry);
    l->text_size = max_bytes - max_bytes / 4;
    l->entries = mem_realloc_array(NULL, l->entries_size, sizeof(struct entry));
    l->text = mem_alloc(l->text_size);
    return l;
}

void lines_free(struct lines *l)
{
    if (!l)
        return;
    for (size_t i = 0; i < SOURCE_COUNT; i++)
        buf_done(&l->unfinished[i].bytes);
    free(l->entries);
    free(l->text);
    free(l);
}

static void drop_oldest(struct lines *l)
{
    assert(l->count > 0);
    l->oldest = (l->oldest + 1) % l->entries_size;
    l->first++;
    l->count--;
}

/* Where need contiguous bytes are free; SIZE_MAX while there is no such place. */
static size_t place_for(const struct lines *l, size_t need)
{
    if (l->count == 0)
        return 0;
    size_t tail = l->entries[l->oldest].at;
    if (l->head > tail) { /* the live lines are [tail, head) */
        if (need <= l->text_size - l->head)
            return l->head;
        return need <= tail ? 0 : SIZE_MAX;
    }
    return need <= tail - l->head ? l->head : SIZE_MAX; /* they wrap: free is [head, tail) */
}

static void store(struct lines *l, enum line_source source, const char *bytes, size_t len)
{
    size_t at;

    assert(len <= LINES_MAX_LINE);
    if (l->count == l->entries_size)
        drop_oldest(l);
    while ((at = place_for(l, len + 1)) == SIZE_MAX)
        drop_oldest(l);
    for (size_t i = 0; i < len; i++)
        l->text[at + i] = bytes[i] ? bytes[i] : '?';
    l->text[at + len] = '\0';
    l->entries[(l->oldest + l->count) % l->entries_size] =
        (struct entry){(uint32_t)at, (uint16_t)len, (uint8_t)source};
    l->count++;
    l->head = at + len + 1;
}

/* As many of the bytes as belong to the line that is open; returns how many. */
static size_t take(struct lines *l, enum line_source source, const char *bytes, size_t len)
{
    struct unfinished *u = &l->unfinished[source];
    size_t room = LINES_MAX_LINE - u->bytes.len;
    const char *newline = memchr(bytes, '\n', len);
    size_t n = newline ? (size_t)(newline - bytes) : len;
    bool whole = newline && n <= room;

    if (u->cut && n == 0 && newline) {
        u->cut = false;
        return 1;
    }
    u->cut = false;
    if (n > room)
        n = room;
    if (whole && u->bytes.len == 0) { /* the usual case: no copy in between */
        store(l, source, bytes, n);
        return n + 1;
    }
    buf_add(&u->bytes, bytes, n);
    if (whole || u->bytes.len == LINES_MAX_LINE) {
        store(l, source, u->bytes.data, u->bytes.len);
        buf_clear(&u->bytes);
        u->cut = !whole;
    }
    return n + whole;
}

void lines_add(struct lines *l, enum line_source source, const char *bytes, size_t len)
{
    assert(source < SOURCE_COUNT);
    for (size_t i = 0; i < len;)
        i += take(l, source, bytes + i, len - i);
}

void lines_end(struct lines *l, enum line_source source)
{
    assert(source < SOURCE_COUNT);
    struct unfinished *u = &l->unfinished[source];

    if (u->bytes.len)
        store(l, source, u->bytes.data, u->bytes.len);
    buf_done(&u->bytes);
    u->cut = false;
}

void lines_say(struct lines *l, const char *fmt, ...)
{
    char *text = NULL;
    va_list ap;
    int n;

    va_start(ap, fmt);
    n = vasprintf(&text, fmt, ap);
    va_end(ap);
    if (n < 0)
        return;
    lines_end(l, LINE_OURS);
    lines_add(l, LINE_OURS, text, (size_t)n);
    lines_add(l, LINE_OURS, "\n", 1);
    free(text);
}

uint64_t lines_first(const struct lines *l)
{
    return l->first;
}

size_t lines_count(const struct lines *l)
{
    return l->count;
}

struct line lines_at(const struct lines *l, uint64_t number)
{
    assert(number >= l->first && number - l->first < l->count);
    const struct entry *e =
        &l->entries[(l->oldest + (size_t)(number - l->first)) % l->entries_size];

    return (struct line){(enum line_source)e->source, number, l->text + e->at, e->len};
}
