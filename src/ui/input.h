/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef STHD_UI_INPUT_H
#define STHD_UI_INPUT_H

#include "scene.h"

/*
 * One key (or one paste) -> a change of the ui's state, or a message for the app. Pure; knows no
 * ncurses. message->text is heap memory for the caller.
 */
enum input_effect {
    INPUT_NONE = 0,
    INPUT_REDRAW = 1,  /* something may look different */
    INPUT_THEME = 2,   /* another theme is to be shown: state->theme_cursor */
    INPUT_REPAINT = 4, /* Ctrl-L: from scratch */
};
unsigned input_key(const struct scene *s, int key, struct ui_message *message);
unsigned input_paste(const struct scene *s, const char *text, size_t len);

/* Whether Enter on the target list would start: its cursor is on what is chosen. */
bool input_cursor_is_chosen(const struct scene *s);

#endif
