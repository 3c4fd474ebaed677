/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef STHD_TESTS_SCREEN_PICTURE_H
#define STHD_TESTS_SCREEN_PICTURE_H

#include "canvas.h"
#include "fake.h"
#include "scene.h"
#include "sthd/buf.h"

/* An ncurses without a terminal. False (with a TAP note why) where that cannot be: no such
 * terminfo entry, no UTF-8 locale. */
bool picture_begin(const char *term);
void picture_end(void);
/* Draws the scene at that size and gives it as lines of text, blanks at their ends cut off. */
void picture_draw(struct buf *out, const struct scene *s, int rows, int cols, enum glyphs g);
/* The text of a window. */
void picture_read(struct buf *out, WINDOW *win);

#endif
