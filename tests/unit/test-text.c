/* SPDX-License-Identifier: GPL-3.0-or-later */
/* text: UTF-8, widths, and what reaches a terminal */
#include <string.h>

#include "sthd/text.h"
#include "tap.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static void test_decode(void)
{
    static const struct {
        const char *bytes;
        uint32_t c;
        size_t len;
    } rows[] = {
        {"a", 'a', 1},
        {"\xc3\xa4", 0xe4, 2},
        {"\xe2\x96\x88", 0x2588, 3},
        {"\xf0\x9f\x98\x80", 0x1f600, 4},
        {"\xf4\x8f\xbf\xbf", 0x10ffff, 4},
        {"\xef\xbf\xbd", 0xfffd, 3},     /* a real replacement character is not an error */
        {"\xc0\x80", 0xfffd, 1},         /* overlong NUL */
        {"\xc1\xbf", 0xfffd, 1},         /* overlong */
        {"\xe0\x9f\xbf", 0xfffd, 1},     /* overlong */
        {"\xf0\x8f\xbf\xbf", 0xfffd, 1}, /* overlong */
        {"\xed\xa0\x80", 0xfffd, 1},     /* surrogate */
        {"\xf4\x90\x80\x80", 0xfffd, 1}, /* beyond Unicode */
        {"\xf8\x88\x80\x80", 0xfffd, 1},
        {"\x80", 0xfffd, 1},
        {"\xff", 0xfffd, 1},
        {"\xe2\x96", 0xfffd, 1}, /* cut */
        {"\xe2\x41\x88", 0xfffd, 1},
    };
    size_t len;

    for (size_t i = 0; i < COUNT(rows); i++) {
        uint32_t c = text_decode(rows[i].bytes, strlen(rows[i].bytes), &len);
        tap_ok(c == rows[i].c && len == rows[i].len, "decode row %zu: U+%04X, %zu bytes", i,
               (unsigned)c, len);
    }
    text_decode("", 0, &len);
    tap_int((long long)len, 0, "nothing to decode takes nothing");
}

static void test_width(void)
{
    static const struct {
        const char *s;
        int columns;
    } rows[] = {
        {"", 0},
        {"abc", 3},
        {"\xc3\xa4", 1},
        {"a\xcc\x88", 1},                /* a + combining diaeresis */
        {"\xe6\xbc\xa2\xe5\xad\x97", 4}, /* two ideographs */
        {"\xef\xbc\xa1", 2},             /* fullwidth A */
        {"\xef\xbd\xb1", 1},             /* halfwidth katakana */
        {"\xf0\x9f\x98\x80", 2},         /* emoji */
        {"\xe2\x96\x88", 1},             /* full block: ambiguous is one */
        {"\xe1\x84\x80\xe1\x85\xa1", 2}, /* Hangul syllable from its parts */
        {"\xea\xb0\x80", 2},             /* the same, composed */
        {"x\xff", 2},                    /* malformed: one for its stand-in */
        {"a\x1b", 1},
    };

    for (size_t i = 0; i < COUNT(rows); i++)
        tap_int(text_width(rows[i].s), rows[i].columns, "width row %zu", i);
}

static void test_printable(void)
{
    static const struct {
        const char *in;
        size_t n;
        const char *utf8, *ascii;
    } rows[] = {
        {"plain ~", 7, "plain ~", "plain ~"},
        {"a\tb", 3, "a b", "a b"},
        {"\x1b[31mred", 8, "\\x1b[31mred", "\\x1b[31mred"},
        {"a\nb\0c", 5, "a\\x0ab\\x00c", "a\\x0ab\\x00c"},
        {"\x7f", 1, "\\x7f", "\\x7f"},
        {"\xc3\xa4", 2, "\xc3\xa4", "<U+00E4>"},
        {"\xc2\x9b", 2, "<U+009B>", "<U+009B>"},           /* C1: CSI in one character */
        {"\x9b", 1, "\\x9b", "\\x9b"},                     /* the raw byte */
        {"\xe2\x80\xae", 3, "<U+202E>", "<U+202E>"},       /* right-to-left override */
        {"\xe2\x81\xa6", 3, "<U+2066>", "<U+2066>"},       /* isolate */
        {"\xe2\x80\xa8", 3, "<U+2028>", "<U+2028>"},       /* line separator */
        {"\xe2\x80\x8b", 3, "<U+200B>", "<U+200B>"},       /* zero width space */
        {"\xf3\xa0\x81\x81", 4, "<U+E0041>", "<U+E0041>"}, /* invisible tag */
        {"\xe2\x80\x8d", 3, "\xe2\x80\x8d", "<U+200D>"},   /* joiner: scripts need it */
        {"\xed\xa0\x80", 3, "\\xed\\xa0\\x80", "\\xed\\xa0\\x80"},
        {"\xe2\x96", 2, "\\xe2\\x96", "\\xe2\\x96"},
        {"\xef\xbf\xbd", 3, "\xef\xbf\xbd", "<U+FFFD>"},
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        struct buf b = BUF_INIT;
        text_printable(&b, rows[i].in, rows[i].n, false);
        tap_str(b.data, rows[i].utf8, "printable row %zu", i);
        buf_clear(&b);
        text_printable(&b, rows[i].in, rows[i].n, true);
        tap_str(b.data, rows[i].ascii, "printable row %zu, ASCII", i);
        buf_done(&b);
    }
}

/* Whatever two bytes come in: no control character and no malformed byte goes out. */
static void test_printable_all_pairs(void)
{
    struct buf b = BUF_INIT;
    int bad = 0;

    for (unsigned pair = 0; pair < 65536; pair++) {
        char in[2] = {(char)(pair >> 8), (char)pair};
        size_t len;
        buf_clear(&b);
        text_printable(&b, in, 2, false);
        for (size_t i = 0; i < b.len; i += len) {
            uint32_t c = text_decode(b.data + i, b.len - i, &len);
            bad += c < 0x20 || (c >= 0x7f && c < 0xa0) || (c == 0xfffd && len == 1);
        }
    }
    tap_int(bad, 0, "no pair of bytes gets a control character through");
    buf_done(&b);
}

static void test_fit(void)
{
    static const struct {
        const char *s;
        int columns;
        bool pad;
        const char *want;
    } rows[] = {
        {"abc", 5, true, "abc  "},
        {"abc", 5, false, "abc"},
        {"abc", 3, true, "abc"},
        {"abcd", 3, true, "ab~"},
        {"abc", 1, false, "~"},
        {"abc", 0, true, ""},
        {"abc", -4, true, ""},
        {"", 2, true, "  "},
        {"\xe6\xbc\xa2\xe5\xad\x97", 4, false, "\xe6\xbc\xa2\xe5\xad\x97"},
        {"\xe6\xbc\xa2\xe5\xad\x97", 3, false, "\xe6\xbc\xa2~"},
        {"\xe6\xbc\xa2\xe5\xad\x97", 2, false, " ~"},
        {"a\xcc\x88"
         "bc",
         2, false, "a\xcc\x88~"}, /* the accent stays with its letter */
        {"a\xff"
         "b",
         3, false, "a?b"},
        {"a\x1b"
         "b",
         3, true, "ab "},
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        struct buf b = BUF_INIT;
        buf_adds(&b, "");
        text_fit(&b, rows[i].s, rows[i].columns, rows[i].pad);
        tap_str(b.data, rows[i].want, "fit row %zu", i);
        buf_done(&b);
    }
}

static void test_ascii(void)
{
    tap_ok(text_ieq("GiB", "gIb"), "case does not count");
    tap_ok(!text_ieq("gib", "gi") && !text_ieq("gi", "gib"), "length does");
    tap_ok(!text_ieq("[", "{") && !text_ieq("@", "`"), "only letters have a case");
    tap_ok(text_starts("--size=1g", "--size") && text_starts("x", "") && !text_starts("", "x"),
           "starts");
}

int main(void)
{
    test_decode();
    test_width();
    test_printable();
    test_printable_all_pairs();
    test_fit();
    test_ascii();
    return tap_done();
}
