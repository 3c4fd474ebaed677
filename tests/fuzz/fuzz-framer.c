/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The framer makes the same events of the same bytes, however they are split, and of each once. */
#include <string.h>

#include "fuzz.h"
#include "sthd/fio_framer.h"

struct events {
    uint64_t hash;
    size_t bytes, max_document;
};

static void add(struct events *e, char kind, const char *text, size_t len)
{
    e->hash = (e->hash ^ (unsigned char)kind) * 1099511628211u;
    for (size_t i = 0; i < len; i++)
        e->hash = (e->hash ^ (unsigned char)text[i]) * 1099511628211u;
}

static void on_document(void *arg, const char *text, size_t len)
{
    struct events *e = arg;

    FUZZ_CHECK(len >= 2 && len <= e->max_document);
    FUZZ_CHECK(text[0] == '{' && text[len - 1] == '}' && text[len] == '\0');
    e->bytes += len;
    add(e, 'D', text, len);
}

static void on_note(void *arg, const char *text, size_t len)
{
    struct events *e = arg;

    FUZZ_CHECK(len > 0 && memchr(text, '\n', len) == NULL);
    e->bytes += len;
    add(e, 'N', text, len);
}

static void on_lost(void *arg, const char *why, size_t len)
{
    struct events *e = arg;

    FUZZ_CHECK(len > 0);
    e->bytes += len;
    add(e, 'L', why, strlen(why));
    add(e, 'L', (const char *)&len, sizeof(len));
}

static struct events frame(const char *bytes, size_t len, size_t split, size_t max)
{
    static const struct fio_framer_events to = {on_document, on_note, on_lost};
    struct events e = {.max_document = max};
    struct fio_framer *f = fio_framer_new(&to, &e, max);

    for (size_t at = 0; at < len; at += split)
        fio_framer_feed(f, bytes + at, len - at < split ? len - at : split);
    fio_framer_end(f);
    FUZZ_CHECK(fio_framer_looked(f) == len);
    fio_framer_free(f);
    FUZZ_CHECK(e.bytes <= len);
    return e;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *bytes = (const char *)data;
    static const size_t limits[] = {64, 1 << 20};

    for (size_t i = 0; i < 2; i++) {
        struct events whole = frame(bytes, size, SIZE_MAX, limits[i]);
        FUZZ_CHECK(frame(bytes, size, 1, limits[i]).hash == whole.hash);
        FUZZ_CHECK(frame(bytes, size, 7, limits[i]).hash == whole.hash);
    }
    return 0;
}
