/* SPDX-License-Identifier: GPL-3.0-or-later */
/* lines: the bounded store behind the raw pane */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sthd/lines.h"
#include "tap.h"

static void add(struct lines *l, enum line_source s, const char *text)
{
    lines_add(l, s, text, strlen(text));
}

static void test_splitting(void)
{
    struct lines *l = lines_new(0);

    add(l, LINE_STDOUT, "one\ntwo");
    tap_int((long long)lines_count(l), 1, "an unfinished line is not there yet");
    add(l, LINE_STDERR, "other\n");
    add(l, LINE_STDOUT, "-more\n\n");
    tap_int((long long)lines_count(l), 4, "four lines");
    tap_str(lines_at(l, 0).text, "one", "first");
    tap_str(lines_at(l, 1).text, "other", "streams do not mix within a line");
    tap_int(lines_at(l, 1).source, LINE_STDERR, "its source");
    tap_str(lines_at(l, 2).text, "two-more", "a line in two pieces");
    tap_int((long long)lines_at(l, 3).len, 0, "an empty line is a line");
    lines_add(l, LINE_STDOUT, "a\0b\n", 4);
    tap_str(lines_at(l, 4).text, "a?b", "NUL is replaced");
    add(l, LINE_STDOUT, "rest");
    lines_end(l, LINE_STDOUT);
    lines_end(l, LINE_STDOUT);
    tap_int((long long)lines_count(l), 6, "end makes one line, once");
    add(l, LINE_OURS, "half");
    lines_say(l, "started %d", 7);
    tap_str(lines_at(l, 6).text, "half", "say ends what was open");
    tap_str(lines_at(l, 7).text, "started 7", "say");
    tap_int(lines_at(l, 7).source, LINE_OURS, "and it is ours");
    lines_free(l);
}

static void test_long_line(void)
{
    static const size_t lengths[] = {LINES_MAX_LINE - 1, LINES_MAX_LINE, LINES_MAX_LINE + 1,
                                     3 * LINES_MAX_LINE};
    static const size_t want[] = {1, 1, 2, 3};
    char *text = malloc(3 * LINES_MAX_LINE + 2);

    for (size_t i = 0; text && i < sizeof(lengths) / sizeof(lengths[0]); i++) {
        struct lines *whole = lines_new(0), *bytes = lines_new(0);
        memset(text, 'x', lengths[i]);
        text[lengths[i]] = '\n';
        lines_add(whole, LINE_STDOUT, text, lengths[i] + 1);
        for (size_t k = 0; k <= lengths[i]; k++)
            lines_add(bytes, LINE_STDOUT, text + k, 1);
        tap_int((long long)lines_count(whole), (long long)want[i], "a line of %zu bytes",
                lengths[i]);
        tap_int((long long)lines_count(bytes), (long long)want[i],
                "the same line of %zu bytes, byte by byte", lengths[i]);
        add(whole, LINE_STDOUT, "\n");
        tap_int((long long)lines_count(whole), (long long)want[i] + 1,
                "the next newline is an empty line");
        lines_free(whole);
        lines_free(bytes);
    }
    free(text);
}

/* Every kept line has what its number says, whatever the lengths did to the rings. */
static void check_flood(size_t max_bytes, unsigned long count, unsigned spread)
{
    struct lines *l = lines_new(max_bytes);
    char text[LINES_MAX_LINE + 32];
    unsigned long bad = 0;
    size_t bytes = 0;

    for (unsigned long i = 0; i < count; i++) {
        int n = snprintf(text, sizeof(text), "%lu ", i);
        size_t extra = (i * 7919) % spread;
        memset(text + n, 'a' + (int)(i % 26), extra);
        text[(size_t)n + extra] = '\n';
        lines_add(l, LINE_STDOUT, text, (size_t)n + extra + 1);
    }
    uint64_t first = lines_first(l);
    tap_int((long long)(first + lines_count(l)), (long long)count, "flood %u: numbers go on",
            spread);
    tap_ok(first > 0 && lines_count(l) > 2, "flood %u: the oldest went, %zu stayed", spread,
           lines_count(l));
    for (uint64_t i = first; i < count; i++) {
        struct line line = lines_at(l, i);
        char *end;
        bytes += line.len + 1;
        bad += strtoul(line.text, &end, 10) != i || *end != ' ' || line.number != i;
        bad += strlen(line.text) != line.len;
        for (end++; *end; end++)
            bad += *end != 'a' + (char)(i % 26);
    }
    tap_int((long long)bad, 0, "flood %u: every line is whole", spread);
    tap_ok(bytes <= max_bytes, "flood %u: %zu bytes within %zu", spread, bytes, max_bytes);
    lines_free(l);
}

int main(void)
{
    test_splitting();
    test_long_line();
    check_flood(65536, 20000, 2);
    check_flood(65536, 20000, 60);
    check_flood(65536, 3000, LINES_MAX_LINE - 16);
    check_flood((size_t)1 << 20, 100000, 300);
    lines_free(NULL);
    return tap_done();
}
