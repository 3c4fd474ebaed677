/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fio_framer: the same events for every way the bytes can be split, whatever the bytes are. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "sthd/buf.h"
#include "sthd/fio_framer.h"
#include "tap.h"

/* Events as text: "D<...>", "N<...>", "L<why length>", one after the other. */
static void on_document(void *arg, const char *text, size_t len)
{
    struct buf *log = arg;

    buf_adds(log, text[len] == '\0' ? "D<" : "D-not-terminated<");
    buf_add(log, text, len);
    buf_addc(log, '>');
}

static void on_note(void *arg, const char *text, size_t len)
{
    struct buf *log = arg;

    buf_adds(log, "N<");
    buf_add(log, text, len);
    buf_addc(log, '>');
}

static void on_lost(void *arg, const char *why, size_t len)
{
    buf_addf(arg, "L<%s %zu>", why, len);
}

static const struct fio_framer_events events = {on_document, on_note, on_lost};

static void frame(struct buf *log, const char *bytes, size_t len, size_t split, size_t max)
{
    struct fio_framer *f = fio_framer_new(&events, log, max);

    buf_clear(log);
    for (size_t at = 0; at < len; at += split)
        fio_framer_feed(f, bytes + at, len - at < split ? len - at : split);
    fio_framer_end(f);
    if (fio_framer_looked(f) != len)
        buf_addf(log, "looked at %ju of %zu bytes", (uintmax_t)fio_framer_looked(f), len);
    fio_framer_free(f);
}

#define TEXT(s) s, sizeof(s) - 1
static const struct {
    const char *what, *in;
    size_t len;
    const char *out;
} rows[] = {
    {"nothing", TEXT(""), ""},
    {"one document", TEXT("{\n  \"a\" : 1\n}\n"), "D<{\n  \"a\" : 1\n}>"},
    {"without a last newline", TEXT("{\n}"), "D<{\n}>"},
    {"two documents", TEXT("{\n}\n{\n 1\n}\n"), "D<{\n}>D<{\n 1\n}>"},
    {"two on one line", TEXT("{\n}{\n 1\n}\n"), "D<{\n}>D<{\n 1\n}>"},
    {"text before, between, after", TEXT("fio: a\n{\n}\n\nfio: b\n{\n}\nend"),
     "N<fio: a>D<{\n}>N<fio: b>D<{\n}>N<end>"},
    {"text right after a document", TEXT("{\n}fio: x\n{\n}\n"), "D<{\n}>N<fio: x>D<{\n}>"},
    {"nested", TEXT("{\n  \"a\" : {\n    \"b\" : {}\n  }\n}\n"),
     "D<{\n  \"a\" : {\n    \"b\" : {}\n  }\n}>"},
    {"braces and quotes in strings", TEXT("{\n  \"a}{\" : \"\\\"}\\\\\",\n  \"b\" : \"}\"\n}\n"),
     "D<{\n  \"a}{\" : \"\\\"}\\\\\",\n  \"b\" : \"}\"\n}>"},
    {"a brace later in a line of text is text", TEXT("x {\n}\n{\n}\n"), "N<x {>N<}>D<{\n}>"},
    {"cut, then the next", TEXT("{\n  \"a\" : {\n{\n}\n"), "L<report cut short 12>D<{\n}>"},
    {"cut in a string", TEXT("{\n  \"a\n{\n}\n"), "L<report cut short 7>D<{\n}>"},
    {"cut after a backslash", TEXT("{\n  \"a\\\n{\n}\n"), "L<report cut short 8>D<{\n}>"},
    {"cut, glued to the next", TEXT("{\n  \"a\" : {{\n  1\n}\n{\n}\n"),
     "L<report damaged 18>D<{\n}>"},
    {"quotes that do not match", TEXT("{\n  \"a : 1\n}\n{\n}\n"), "L<report damaged 12>D<{\n}>"},
    {"cut at the end", TEXT("{\n  \"a\" : 1"), "L<report cut short 11>"},
    {"garbage", TEXT("}\n]]\x01\xff\"{\n{\n}\n"), "N<}>N<]]\x01\xff\"{>D<{\n}>"},
    {"NUL in text", TEXT("a\0b\n{\n}\n"), NULL},
    {"NUL in a document", TEXT("{\n \0\n}\n"), NULL},
    {"CR LF", TEXT("fio: a\r\n\r\n{\r\n}\r\n"), "N<fio: a>D<{\r\n}>"},
};

static void test_rows(void)
{
    static const size_t splits[] = {1, 2, 3, 7, 4096};
    struct buf log = BUF_INIT;

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        if (!rows[i].out)
            continue;
        for (size_t k = 0; k < sizeof(splits) / sizeof(splits[0]); k++) {
            frame(&log, rows[i].in, rows[i].len, splits[k], FIO_FRAMER_MAX_DOCUMENT);
            tap_str(log.data ? log.data : "", rows[i].out, "%s, in pieces of %zu", rows[i].what,
                    splits[k]);
        }
    }
    frame(&log, TEXT("a\0b\n{\n}\n"), 3, 100);
    tap_ok(log.len == 6 + 6 && memcmp(log.data, "N<a\0b>", 6) == 0, "a NUL in text is kept");
    frame(&log, TEXT("{\n \0\n}\n"), 3, 100);
    tap_ok(log.len == 9 && memcmp(log.data, "D<{\n \0\n}>", 9) == 0, "a NUL in a document too");
    buf_done(&log);
}

static void test_bounds(void)
{
    struct buf in = BUF_INIT, log = BUF_INIT, want = BUF_INIT;

    buf_adds(&in, "{\n");
    buf_addn(&in, ' ', 96);
    buf_adds(&in, "\n}\n{\n}\n");
    for (size_t split = 1; split < 200; split += 33) {
        frame(&log, in.data, in.len, split, 99);
        tap_str(log.data, "L<report too long 100>D<{\n}>", "over the limit, pieces of %zu", split);
        frame(&log, in.data, in.len, split, 100);
        tap_ok(log.len == 100 + 3 + 6, "at the limit, pieces of %zu", split);
    }
    buf_clear(&in);
    buf_addn(&in, 'x', 20000);
    buf_addn(&want, 'x', 20000);
    for (size_t split = 1; split < 20001; split = split * 4 + 3) {
        frame(&log, in.data, in.len, split, 100);
        size_t x = 0, n = 0;
        for (size_t i = 0; i < log.len; i++) {
            x += log.data[i] == 'x';
            n += log.data[i] == 'N';
        }
        tap_ok(x == 20000 && n == 3, "a line without end comes in notes, pieces of %zu", split);
    }
    buf_done(&in);
    buf_done(&log);
    buf_done(&want);
}

struct tally {
    uint64_t documents, notes, lost, bytes;
};

static void tally_document(void *arg, const char *text, size_t len)
{
    struct tally *t = arg;

    t->documents++;
    t->bytes += len + (text[0] != '{');
}

static void tally_note(void *arg, const char *text, size_t len)
{
    struct tally *t = arg;

    t->notes++;
    t->bytes += text ? len : 0;
}

static void tally_lost(void *arg, const char *why, size_t len)
{
    struct tally *t = arg;

    t->lost++;
    t->bytes += why ? len : 0;
}

/*
 * A hundred MB of the worst there is. Linear time is counted, not timed: each byte is looked at
 * once; and nothing vanishes: what was fed comes out in some event (newlines between aside).
 */
static void test_flood(void)
{
    static const struct {
        const char *what, *piece;
        size_t max;
    } floods[] = {
        {"text without newlines", "all work and no play ", 1 << 20},
        {"newlines", "\n", 1 << 20},
        {"one document without end", " \"a\" : { \"b\" : 1, ", 1 << 20},
        {"openings", "{\n", 1 << 20},
        {"quotes and backslashes", "{\"\\\n", 1 << 20},
        {"small documents", "{\n}\n", 1 << 20},
        {"documents over the limit", "{\n      \n}\n", 5},
        {"NULs", NULL, 1 << 20},
    };
    static const struct fio_framer_events tally_events = {tally_document, tally_note, tally_lost};
    enum { CHUNK = 60060, TOTAL = 100000000 };
    size_t n_floods = sizeof(floods) / sizeof(floods[0]);
    struct buf chunk = BUF_INIT;

    for (size_t i = 0; i < n_floods; i++) {
        struct tally t = {0};
        struct fio_framer *f = fio_framer_new(&tally_events, &t, floods[i].max);
        uint64_t fed = 0, newlines = 0;
        buf_clear(&chunk);
        while (chunk.len < CHUNK && floods[i].piece)
            buf_adds(&chunk, floods[i].piece);
        if (!floods[i].piece)
            buf_addn(&chunk, '\0', CHUNK);
        if (i == 2)
            fio_framer_feed(f, "{", 1), fed++;
        for (size_t k = 0; k < chunk.len; k++)
            newlines += chunk.data[k] == '\n';
        newlines *= TOTAL / n_floods / chunk.len + 1;
        for (size_t k = 0; k <= TOTAL / n_floods / chunk.len; k++, fed += chunk.len)
            fio_framer_feed(f, chunk.data, chunk.len);
        fio_framer_end(f);
        tap_int((long long)fio_framer_looked(f), (long long)fed, "flood of %s: each byte once",
                floods[i].what);
        tap_ok(t.bytes <= fed && t.bytes + newlines >= fed, "flood of %s: nothing vanishes",
               floods[i].what);
        fio_framer_free(f);
    }
    buf_done(&chunk);
}

int main(void)
{
    test_rows();
    test_bounds();
    test_flood();
    return tap_done();
}
