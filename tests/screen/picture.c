/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ncurses on /dev/null, drawn to by the real views and read back cell by cell. */
#include "picture.h"

#include <limits.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "screen.h"
#include "tap.h"

static struct {
    FILE *null;
    SCREEN *screen;
} fake_terminal;

bool picture_begin(const char *term)
{
    if (!setlocale(LC_CTYPE, "C.UTF-8") && !setlocale(LC_CTYPE, "en_US.UTF-8")) {
        tap_note("no UTF-8 locale here");
        return false;
    }
    fake_terminal.null = fopen("/dev/null", "r+");
    fake_terminal.screen =
        fake_terminal.null ? newterm(term, fake_terminal.null, fake_terminal.null) : NULL;
    if (!fake_terminal.screen) {
        tap_note("no terminfo entry %s here", term);
        return false;
    }
    if (has_colors()) {
        start_color();
        use_default_colors();
    }
    return true;
}

void picture_end(void)
{
    endwin();
    delscreen(fake_terminal.screen);
    fclose(fake_terminal.null);
}

static void add_cell(struct buf *out, const cchar_t *cell)
{
    wchar_t text[CCHARW_MAX + 1] = {0};
    attr_t attr;
    short pair;
    char bytes[MB_LEN_MAX * (CCHARW_MAX + 1)];

    getcchar(cell, text, &attr, &pair, NULL);
    size_t n = wcstombs(bytes, text, sizeof(bytes));
    if (n != (size_t)-1)
        buf_add(out, bytes, n);
}

void picture_read(struct buf *out, WINDOW *win)
{
    int rows = getmaxy(win), cols = getmaxx(win);

    for (int y = 0; y < rows; y++) {
        size_t line = out->len;
        for (int x = 0; x < cols; x++) {
            cchar_t cell;
            mvwin_wch(win, y, x, &cell);
            wchar_t text[CCHARW_MAX + 1];
            attr_t attr;
            short pair;
            getcchar(&cell, text, &attr, &pair, NULL);
            add_cell(out, &cell);
            if (wcwidth(text[0]) == 2)
                x++; /* its second half is no character of its own */
        }
        while (out->len > line && out->data[out->len - 1] == ' ')
            out->len--;
        buf_addc(out, '\n');
    }
}

void picture_draw(struct buf *out, const struct scene *s, int rows, int cols, enum glyphs g)
{
    WINDOW *win = newpad(rows, cols);
    struct palette palette;
    struct theme theme;

    theme_default(&theme);
    palette_make(&palette, &theme, palette_colours(false));
    screen_draw(win, &palette, g, s);
    picture_read(out, win);
    delwin(win);
}
