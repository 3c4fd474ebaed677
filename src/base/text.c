/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * UTF-8 and what may be shown of it; see text.h. Promises that nothing it calls printable can move
 * a cursor, change a mode or reorder a line. Must not know a locale or a terminal.
 */
#include "sthd/text.h"

#include <string.h>

#include "text_width.h"

#define REPLACEMENT 0xfffdu
#define COUNT(a)    (sizeof(a) / sizeof((a)[0]))

uint32_t text_decode(const char *s, size_t n, size_t *len)
{
    const unsigned char *u = (const unsigned char *)s;
    /* the smallest code point a sequence of that length may carry: shorter forms are forbidden */
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    size_t want;
    uint32_t c;

    *len = n ? 1 : 0;
    if (n == 0)
        return REPLACEMENT;
    if (u[0] < 0x80)
        return u[0];
    if (u[0] < 0xc2 || u[0] > 0xf4)
        return REPLACEMENT;
    want = u[0] < 0xe0 ? 2 : u[0] < 0xf0 ? 3 : 4;
    if (n < want)
        return REPLACEMENT;
    c = u[0] & (0xffu >> (want + 1));
    for (size_t i = 1; i < want; i++) {
        if ((u[i] & 0xc0) != 0x80)
            return REPLACEMENT;
        c = c << 6 | (u[i] & 0x3f);
    }
    if (c < least[want] || c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff))
        return REPLACEMENT;
    *len = want;
    return c;
}

static bool in_ranges(const struct range *r, size_t n, uint32_t c)
{
    size_t low = 0, high = n;

    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (c > r[mid].last)
            low = mid + 1;
        else
            high = mid;
    }
    return low < n && c >= r[low].first;
}

static bool is_control(uint32_t c)
{
    return c < 0x20 || (c >= 0x7f && c < 0xa0);
}

int text_char_width(uint32_t c)
{
    if (is_control(c))
        return 0;
    if (c < 0x300)
        return 1; /* nothing below here combines or is wide; by far the most text */
    if (in_ranges(zero, COUNT(zero), c))
        return 0;
    return in_ranges(wide, COUNT(wide), c) ? 2 : 1;
}

int text_width(const char *s)
{
    size_t n = strlen(s), len;
    int columns = 0;

    for (size_t i = 0; i < n; i += len)
        columns += text_char_width(text_decode(s + i, n - i, &len));
    return columns;
}

/*
 * Invisible characters that reorder text, break lines or hide in a name. The joiners U+200C and
 * U+200D stay: scripts need them, and they do nothing else.
 */
static bool is_treacherous(uint32_t c)
{
    static const struct range bad[] = {
        {0x00ad, 0x00ad},   {0x061c, 0x061c},   {0x180e, 0x180e},     {0x200b, 0x200b},
        {0x200e, 0x200f},   {0x2028, 0x202e},   {0x2060, 0x206f},     {0xfeff, 0xfeff},
        {0xfff9, 0xfffb},   {0xfffe, 0xffff},   {0x1bca0, 0x1bca3},   {0x1d173, 0x1d17a},
        {0xe0000, 0xe0fff}, {0xf0000, 0xfffff}, {0x100000, 0x10ffff},
    };

    return in_ranges(bad, COUNT(bad), c);
}

bool text_char_printable(uint32_t c)
{
    return !is_control(c) && !is_treacherous(c);
}

void text_printable(struct buf *out, const char *s, size_t n, bool ascii)
{
    size_t len;

    for (size_t i = 0; i < n; i += len) {
        unsigned char byte = (unsigned char)s[i];
        uint32_t c = text_decode(s + i, n - i, &len);

        if (c == '\t')
            buf_addc(out, ' ');
        else if (len == 1 && (byte >= 0x7f || byte < 0x20))
            buf_addf(out, "\\x%02x", byte);
        else if (!text_char_printable(c) || (ascii && c > 0x7e))
            buf_addf(out, "<U+%04X>", (unsigned)c);
        else
            buf_add(out, s + i, len);
    }
}

void text_fit(struct buf *out, const char *s, int columns, bool pad)
{
    size_t n = strlen(s), len;
    int used = 0;
    bool cut = text_width(s) > columns;
    int room = cut ? columns - 1 : columns;

    if (columns <= 0)
        return;
    for (size_t i = 0; i < n; i += len) {
        uint32_t c = text_decode(s + i, n - i, &len);
        int width = text_char_width(c);

        if (used + width > room)
            break;
        used += width;
        if (c == REPLACEMENT && len == 1)
            buf_addc(out, '?');
        else if (!is_control(c))
            buf_add(out, s + i, len);
    }
    if (cut) {
        buf_addn(out, ' ', (size_t)(room - used)); /* a wide character did not fit */
        buf_addc(out, '~');
    } else if (pad) {
        buf_addn(out, ' ', (size_t)(columns - used));
    }
}

static unsigned char lower(char c)
{
    return (unsigned char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
}

bool text_ieq(const char *a, const char *b)
{
    while (*a && lower(*a) == lower(*b)) {
        a++;
        b++;
    }
    return lower(*a) == lower(*b);
}

bool text_starts(const char *s, const char *prefix)
{
    return strncmp(s, prefix, strlen(prefix)) == 0;
}

/* Bytes of the longest beginning of s that fits into columns; at least one character. */
static size_t fitting(const char *s, size_t n, int columns)
{
    size_t at = 0, used;
    int width = 0;

    while (at < n) {
        int w = text_char_width(text_decode(s + at, n - at, &used));
        if (at > 0 && width + w > columns)
            break;
        width += w;
        at += used;
    }
    return at;
}

size_t text_line(const char *s, int columns)
{
    size_t n = strlen(s), fits = fitting(s, n, columns), at = fits;

    if (fits == n)
        return n;
    while (at > 0 && s[at] != ' ')
        at--;
    return at > 0 ? at : fits;
}
