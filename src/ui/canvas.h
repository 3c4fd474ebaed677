/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef STHD_UI_CANVAS_H
#define STHD_UI_CANVAS_H

#include <stdbool.h>
#include <stdint.h>

#include <curses.h>

#include "layout.h"
#include "theme.h"

/*
 * The one way to the screen for views: a rectangle of an ncurses window, with roles for colours and
 * names for glyphs. Whatever is outside is clipped; whatever comes from outside the program is made
 * printable here, so that no view can forget it.
 */
enum glyphs {
    GLYPHS_ASCII,
    GLYPHS_HALF, /* the Linux console's fonts: box drawing, half and full blocks */
    GLYPHS_FULL, /* eighth blocks */
};

enum glyph {
    GLYPH_HLINE,
    GLYPH_VLINE,
    GLYPH_ULCORNER,
    GLYPH_URCORNER,
    GLYPH_LLCORNER,
    GLYPH_LRCORNER,
    GLYPH_SHADE,  /* a tail behind a bar */
    GLYPH_POINT,  /* a dot on a chart */
    GLYPH_DOWN,   /* there is a menu */
    GLYPH_HERE,   /* this one is running */
    GLYPH_CHOSEN, /* this one is chosen */
    GLYPH_DONE,
    GLYPH_FAILED,
    GLYPH_COUNT_,
};

/* Roles as this terminal can show them. Made once per theme. */
enum ground { GROUND_SCREEN, GROUND_POPUP };
#define GROUND_COUNT 2

struct palette {
    attr_t attr[ROLE_COUNT];
    short pair[GROUND_COUNT][ROLE_COUNT];
};

struct canvas {
    WINDOW *win;
    const struct palette *palette;
    enum glyphs glyphs;
    enum ground ground;
    struct rect area; /* on the window; never outside it */
    int rows, cols;   /* of area */
};

/* colours 0: none, attributes only. Allocates ncurses pairs from 1 on. */
void palette_make(struct palette *p, const struct theme *t, int colours);
/* How many colours to use on the current ncurses terminal: 256, 16, 8, or 0. */
int palette_colours(bool no_colour);

struct canvas canvas_of(WINDOW *win, const struct palette *p, enum glyphs g);
/* A part of c, clipped to it; coordinates in it start at 0, 0. */
struct canvas canvas_part(const struct canvas *c, struct rect r);

/* Text at y, x, at most cols columns (and never beyond the edge); "~" where it was cut. Returns the
 * columns used. */
int canvas_text(const struct canvas *c, int y, int x, int cols, enum role role, const char *s);
int canvas_printf(const struct canvas *c, int y, int x, int cols, enum role role, const char *fmt,
                  ...) __attribute__((format(printf, 6, 7)));
/* Ends before column right. Returns its first column. */
int canvas_right(const struct canvas *c, int y, int right, int cols, enum role role, const char *s);
/* Wraps at blanks (or inside words where it must) from line y on; returns the lines used. */
int canvas_wrap(const struct canvas *c, int y, enum role role, const char *s);
/* The lines it would take in cols columns. */
int canvas_wrapped(const struct canvas *c, int cols, const char *s);
void canvas_glyph(const struct canvas *c, int y, int x, enum role role, enum glyph g);
void canvas_fill(const struct canvas *c, enum role role);
/* Paints n cells from y, x on in the role, keeping what stands there. */
void canvas_tint(const struct canvas *c, int y, int x, int n, enum role role);
/* A frame with a title; returns the inside. */
struct canvas canvas_box(const struct canvas *c, enum role frame, const char *title);
/* A popup of that inner size in the middle of c, frame drawn, ground filled; returns the inside. */
struct canvas canvas_popup(const struct canvas *c, int rows, int cols, const char *title);
void canvas_hline(const struct canvas *c, int y, int x, int cols, enum role role);
/* A bar from share a to share b of cols columns (0 .. 1, NAN: nothing). */
void canvas_bar(const struct canvas *c, int y, int x, int cols, double share, enum role role);
void canvas_tail(const struct canvas *c, int y, int x, int cols, double from, double to,
                 enum role role);
/* An upright bar at column x, standing on line bottom, rows lines high at share 1. */
void canvas_column(const struct canvas *c, int bottom, int x, int rows, double share,
                   enum role role);

#endif
