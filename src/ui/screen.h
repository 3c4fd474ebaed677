/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef STHD_UI_SCREEN_H
#define STHD_UI_SCREEN_H

#include "canvas.h"
#include "scene.h"

/*
 * The whole picture, onto any ncurses window: the terminal's, or a test's. Erases the window first;
 * neither refreshes nor updates. Reads the model; of the state it changes only what the picture
 * decides (how far a text can be scrolled, the height of the raw pane).
 */
void screen_draw(WINDOW *win, const struct palette *p, enum glyphs g, const struct scene *s);

#endif
