/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Cells, text, boxes and bars on an ncurses window. Promises that nothing is written outside the
 * canvas's area and that no byte reaches the window that text_printable() would not pass. Must not
 * know the model.
 */
#include "canvas.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <wchar.h>

#include "sthd/buf.h"
#include "sthd/text.h"

static const wchar_t glyph_table[GLYPH_COUNT_][2] = {
    [GLYPH_HLINE] = {L'-', 0x2500},    [GLYPH_VLINE] = {L'|', 0x2502},
    [GLYPH_ULCORNER] = {L'+', 0x250c}, [GLYPH_URCORNER] = {L'+', 0x2510},
    [GLYPH_LLCORNER] = {L'+', 0x2514}, [GLYPH_LRCORNER] = {L'+', 0x2518},
    [GLYPH_SHADE] = {L'.', 0x2591},    [GLYPH_POINT] = {L'*', 0x2022},
    [GLYPH_DOWN] = {L'v', 0x25be},     [GLYPH_HERE] = {L'>', 0x25b8},
    [GLYPH_CHOSEN] = {L'*', 0x25cf},   [GLYPH_DONE] = {L'+', 0x2713},
    [GLYPH_FAILED] = {L'x', 0x00d7},
};

/* Fonts of the Linux console have neither arrows of this shape nor ticks. */
static wchar_t glyph_char(enum glyphs set, enum glyph g)
{
    if (set == GLYPHS_ASCII)
        return glyph_table[g][0];
    if (set == GLYPHS_HALF && g >= GLYPH_POINT)
        return glyph_table[g][0];
    return glyph_table[g][1];
}

static attr_t theme_attrs(unsigned attr)
{
    attr_t a = A_NORMAL;

    if (attr & THEME_BOLD)
        a |= A_BOLD;
    if (attr & THEME_DIM)
        a |= A_DIM;
    if (attr & THEME_UNDERLINE)
        a |= A_UNDERLINE;
    if (attr & THEME_REVERSE)
        a |= A_REVERSE;
    return a;
}

int palette_colours(bool no_colour)
{
    if (no_colour || !has_colors() || COLOR_PAIRS <= GROUND_COUNT * ROLE_COUNT)
        return 0;
    if (COLORS >= 256)
        return 256;
    if (COLORS >= 16)
        return 16;
    return COLORS >= 8 ? 8 : 0;
}

#define BRIGHT_BLACK 8

/* In 8 colours the bright half of sixteen is bold, but for the grey: bold black is black on many
 * terminals. A ground has no bright half. */
static attr_t few_colour_attrs(const struct style *s, attr_t attr)
{
    if (theme_colour(s->fg, 16) > BRIGHT_BLACK)
        attr |= A_BOLD;
    return attr & ~(attr_t)A_DIM; /* dim on top of few colours is unreadable */
}

static int few_colour_ink(int32_t ink, int bg)
{
    if (theme_colour(ink, 16) == BRIGHT_BLACK)
        return bg == -1 ? -1 : bg == 0 ? COLOR_WHITE : COLOR_BLACK;
    return theme_colour(ink, 8);
}

void palette_make(struct palette *p, const struct theme *t, int colours)
{
    memset(p, 0, sizeof(*p));
    for (int i = 0; i < ROLE_COUNT; i++) {
        const struct style *s = &t->styles[i];
        p->attr[i] = theme_attrs(colours ? s->attr : s->mono);
        if (!colours)
            continue;
        if (colours == 8)
            p->attr[i] = few_colour_attrs(s, p->attr[i]);
        for (int g = 0; g < GROUND_COUNT; g++) {
            /* A role that stands on the screen's ground stands on the popup's when inside one. */
            bool own = s->bg != t->styles[ROLE_TEXT].bg;
            int32_t ground = g == GROUND_POPUP && !own ? t->styles[ROLE_POPUP].bg : s->bg;
            int32_t ink = g == GROUND_POPUP && i == ROLE_TEXT ? t->styles[ROLE_POPUP].fg : s->fg;
            int fg = theme_colour(ink, colours), bg = theme_colour(ground, colours);
            if (colours == 8)
                fg = few_colour_ink(ink, bg);
            if (fg == bg && fg != -1)
                fg = bg == 0 ? 7 : 0; /* a coarse palette must not make text invisible */
            p->pair[g][i] = (short)(1 + g * ROLE_COUNT + i);
            init_pair(p->pair[g][i], (short)fg, (short)bg);
        }
    }
}

struct canvas canvas_of(WINDOW *win, const struct palette *p, enum glyphs g)
{
    int rows = getmaxy(win), cols = getmaxx(win);

    return (struct canvas){
        .win = win,
        .palette = p,
        .glyphs = g,
        .area = {0, 0, rows, cols},
        .rows = rows,
        .cols = cols,
    };
}

static int min_int(int a, int b)
{
    return a < b ? a : b;
}

static int max_int(int a, int b)
{
    return a > b ? a : b;
}

struct canvas canvas_part(const struct canvas *c, struct rect r)
{
    struct canvas p = *c;
    int y0 = max_int(r.y, 0), x0 = max_int(r.x, 0);
    int y1 = min_int(r.y + r.rows, c->rows), x1 = min_int(r.x + r.cols, c->cols);

    p.rows = max_int(y1 - y0, 0);
    p.cols = max_int(x1 - x0, 0);
    if (p.rows == 0 || p.cols == 0)
        p.rows = p.cols = 0;
    p.area = (struct rect){c->area.y + y0, c->area.x + x0, p.rows, p.cols};
    return p;
}

static bool inside(const struct canvas *c, int y, int x)
{
    return y >= 0 && y < c->rows && x >= 0 && x < c->cols;
}

/* One cell of width columns: a character and the marks that combine with it. */
static void put_cell(const struct canvas *c, int y, int x, enum role role, const wchar_t *chars,
                     int width)
{
    cchar_t cell;

    if (!inside(c, y, x) || (width == 2 && !inside(c, y, x + 1)))
        return;
    if (setcchar(&cell, chars, c->palette->attr[role], c->palette->pair[c->ground][role], NULL) ==
        ERR)
        return;
    mvwadd_wch(c->win, c->area.y + y, c->area.x + x, &cell); /* ERR in the last corner is fine */
}

static void put_char(const struct canvas *c, int y, int x, enum role role, wchar_t ch)
{
    const wchar_t s[2] = {ch, 0};

    put_cell(c, y, x, role, s, 1);
}

void canvas_glyph(const struct canvas *c, int y, int x, enum role role, enum glyph g)
{
    put_char(c, y, x, role, glyph_char(c->glyphs, g));
}

/* Printable text onto cells. The C library must agree about the width, or ncurses would shift the
 * line: where it does not, "?" takes the columns. */
static int put_printable(const struct canvas *c, int y, int x, enum role role, const char *s,
                         size_t n)
{
    wchar_t cell[4] = {0};
    int marks = 0, width = 0, at = x;

    for (size_t i = 0; i < n;) {
        size_t len;
        uint32_t ch = text_decode(s + i, n - i, &len);
        int w = text_char_width(ch);
        i += len;
        if (w == 0) {
            if (width && marks < 2 && c->glyphs != GLYPHS_ASCII && wcwidth((wchar_t)ch) == 0)
                cell[1 + marks++] = (wchar_t)ch;
            continue;
        }
        if (width) {
            put_cell(c, y, at, role, cell, width);
            at += width;
        }
        memset(cell, 0, sizeof(cell));
        marks = 0;
        cell[0] = (wchar_t)ch;
        width = w;
        if (ch > 0x7e && (c->glyphs == GLYPHS_ASCII || wcwidth((wchar_t)ch) != w)) {
            for (int k = 1; k < w; k++)
                put_char(c, y, at++, role, L'?');
            cell[0] = L'?';
            width = 1;
        }
    }
    if (width) {
        put_cell(c, y, at, role, cell, width);
        at += width;
    }
    return at - x;
}

/* No line needs more bytes of a string than this, whatever they are: a 10 kB name costs no more. */
static size_t useful_bytes(const char *s, int cols)
{
    return strnlen(s, (size_t)cols * 16 + 64);
}

static void printable(struct buf *out, const struct canvas *c, const char *s, int cols)
{
    struct buf all = BUF_INIT;

    text_printable(&all, s, useful_bytes(s, cols), c->glyphs == GLYPHS_ASCII);
    if (all.data)
        text_fit(out, all.data, cols, false);
    buf_done(&all);
}

int canvas_text(const struct canvas *c, int y, int x, int cols, enum role role, const char *s)
{
    struct buf fit = BUF_INIT;
    int used = 0;

    if (cols > c->cols - x)
        cols = c->cols - x;
    if (cols <= 0 || y < 0 || y >= c->rows || x < 0)
        return 0;
    printable(&fit, c, s, cols);
    if (fit.data)
        used = put_printable(c, y, x, role, fit.data, fit.len);
    buf_done(&fit);
    return used;
}

int canvas_printf(const struct canvas *c, int y, int x, int cols, enum role role, const char *fmt,
                  ...)
{
    char text[1024];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(text, sizeof(text), fmt, ap);
    va_end(ap);
    return canvas_text(c, y, x, cols, role, text);
}

int canvas_right(const struct canvas *c, int y, int right, int cols, enum role role, const char *s)
{
    struct buf fit = BUF_INIT;
    int x = right;

    if (cols > right)
        cols = right;
    if (cols <= 0)
        return x;
    printable(&fit, c, s, cols);
    if (fit.data) {
        x = right - text_width(fit.data);
        canvas_text(c, y, x, cols, role, fit.data);
    }
    buf_done(&fit);
    return x;
}

/* Bytes of s that make one line of at most cols columns, blanks at the break left out of *line. */
static size_t wrap_one(const char *s, int cols, size_t *line)
{
    size_t i = 0, last_blank = 0, len;
    int width = 0;
    bool seen_blank = false;

    while (s[i]) {
        uint32_t ch = text_decode(s + i, strlen(s + i) > 8 ? 8 : strlen(s + i), &len);
        int w = text_char_width(ch);
        if (ch == ' ' && i > 0) {
            last_blank = i;
            seen_blank = true;
        }
        if (width + w > cols)
            break;
        width += w;
        i += len;
    }
    if (!s[i]) {
        *line = i;
        return i;
    }
    if (seen_blank) {
        *line = last_blank;
        i = last_blank;
        while (s[i] == ' ')
            i++;
        return i;
    }
    if (i == 0) /* one character wider than the line */
        text_decode(s, strnlen(s, 8), &i);
    *line = i;
    return i;
}

int canvas_wrapped(const struct canvas *c, int cols, const char *s)
{
    struct buf all = BUF_INIT;
    int lines = 0;

    if (cols <= 0)
        return 0;
    text_printable(&all, s, useful_bytes(s, cols * 4), c->glyphs == GLYPHS_ASCII);
    for (const char *at = all.data; at && *at; lines++) {
        size_t line;
        at += wrap_one(at, cols, &line);
    }
    buf_done(&all);
    return lines;
}

int canvas_wrap(const struct canvas *c, int y, enum role role, const char *s)
{
    struct buf all = BUF_INIT;
    int lines = 0;

    if (c->cols <= 0 || y >= c->rows)
        return 0;
    text_printable(&all, s, useful_bytes(s, c->cols * c->rows), c->glyphs == GLYPHS_ASCII);
    for (const char *at = all.data; at && *at && y + lines < c->rows; lines++) {
        size_t line, used = wrap_one(at, c->cols, &line);
        bool last = y + lines + 1 == c->rows && at[used];
        if (last) /* what does not fit is marked as cut */
            canvas_text(c, y + lines, 0, c->cols, role, at);
        else
            put_printable(c, y + lines, 0, role, at, line);
        at += used;
    }
    buf_done(&all);
    return lines;
}

void canvas_fill(const struct canvas *c, enum role role)
{
    for (int y = 0; y < c->rows; y++)
        for (int x = 0; x < c->cols; x++)
            put_char(c, y, x, role, L' ');
}

void canvas_tint(const struct canvas *c, int y, int x, int n, enum role role)
{
    n = min_int(n, c->cols - x);
    if (y < 0 || y >= c->rows || x < 0 || n <= 0)
        return;
    mvwchgat(c->win, c->area.y + y, c->area.x + x, n, c->palette->attr[role],
             c->palette->pair[c->ground][role], NULL);
}

void canvas_hline(const struct canvas *c, int y, int x, int cols, enum role role)
{
    for (int i = 0; i < cols; i++)
        canvas_glyph(c, y, x + i, role, GLYPH_HLINE);
}

struct canvas canvas_box(const struct canvas *c, enum role frame, const char *title)
{
    int bottom = c->rows - 1, right = c->cols - 1;

    if (c->rows < 3 || c->cols < 4)
        return *c;
    canvas_hline(c, 0, 1, right - 1, frame);
    canvas_hline(c, bottom, 1, right - 1, frame);
    for (int y = 1; y < bottom; y++) {
        canvas_glyph(c, y, 0, frame, GLYPH_VLINE);
        canvas_glyph(c, y, right, frame, GLYPH_VLINE);
    }
    canvas_glyph(c, 0, 0, frame, GLYPH_ULCORNER);
    canvas_glyph(c, 0, right, frame, GLYPH_URCORNER);
    canvas_glyph(c, bottom, 0, frame, GLYPH_LLCORNER);
    canvas_glyph(c, bottom, right, frame, GLYPH_LRCORNER);
    if (title && c->cols > 8) {
        canvas_text(c, 0, 2, 1, ROLE_HEADING, " ");
        int used = canvas_text(c, 0, 3, c->cols - 6, ROLE_HEADING, title);
        canvas_text(c, 0, 3 + used, 1, ROLE_HEADING, " ");
    }
    return canvas_part(c, (struct rect){1, 1, c->rows - 2, c->cols - 2});
}

struct canvas canvas_popup(const struct canvas *c, int rows, int cols, const char *title)
{
    int r = min_int(rows + 2, c->rows), w = min_int(cols + 4, c->cols);
    struct canvas p = canvas_part(c, (struct rect){(c->rows - r) / 2, (c->cols - w) / 2, r, w});

    p.ground = GROUND_POPUP;
    canvas_fill(&p, ROLE_POPUP);
    struct canvas in = canvas_box(&p, ROLE_FRAME, title);
    if (in.cols >= cols + 2)
        in = canvas_part(&in, (struct rect){0, 1, in.rows, in.cols - 2});
    return in;
}

static double clamp_share(double s)
{
    if (!(s > 0))
        return 0;
    return s < 1 ? s : 1;
}

void canvas_bar(const struct canvas *c, int y, int x, int cols, double share, enum role role)
{
    static const wchar_t eighth[8] = {0, 0x258f, 0x258e, 0x258d, 0x258c, 0x258b, 0x258a, 0x2589};

    if (cols <= 0 || !(share > 0))
        return;
    double eighths = clamp_share(share) * cols * 8;
    int n = (int)lround(eighths);
    if (n == 0)
        n = 1;
    if (c->glyphs == GLYPHS_ASCII) {
        n = max_int((n + 4) / 8, 1);
        for (int i = 0; i < n; i++)
            put_char(c, y, x + i, role, L'#');
        return;
    }
    if (c->glyphs == GLYPHS_HALF)
        n = max_int((n + 2) / 4 * 4, 4);
    for (int i = 0; i < n / 8; i++)
        put_char(c, y, x + i, role, 0x2588);
    if (n % 8)
        put_char(c, y, x + n / 8, role, eighth[n % 8]);
}

void canvas_tail(const struct canvas *c, int y, int x, int cols, double from, double to,
                 enum role role)
{
    if (cols <= 0 || !(to > 0))
        return;
    /* The bar in front rounds to eighths; the tail starts at the next whole cell. */
    int a = (int)ceil(clamp_share(from) * cols - 0.0625), b = (int)lround(clamp_share(to) * cols);
    if (c->glyphs == GLYPHS_ASCII)
        a = max_int((int)lround(clamp_share(from) * cols), 1);
    for (int i = max_int(a, 0); i < b; i++)
        canvas_glyph(c, y, x + i, role, GLYPH_SHADE);
}

void canvas_column(const struct canvas *c, int bottom, int x, int rows, double share,
                   enum role role)
{
    if (rows <= 0 || !(share > 0))
        return;
    int n = max_int((int)lround(clamp_share(share) * rows * 8), 1);
    if (c->glyphs == GLYPHS_ASCII) {
        n = max_int((n + 4) / 8, 1);
        for (int i = 0; i < n; i++)
            put_char(c, bottom - i, x, role, L'#');
        return;
    }
    if (c->glyphs == GLYPHS_HALF)
        n = max_int((n + 2) / 4 * 4, 4);
    for (int i = 0; i < n / 8; i++)
        put_char(c, bottom - i, x, role, 0x2588);
    if (n % 8)
        put_char(c, bottom - n / 8, x, role, (wchar_t)(0x2580 + n % 8));
}
