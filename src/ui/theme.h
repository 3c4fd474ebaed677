/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef STHD_UI_THEME_H
#define STHD_UI_THEME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sthd/buf.h"
#include "sthd/err.h"

/*
 * Themes: what each role looks like. Pure but for theme_load, which reads one file; knows no
 * ncurses. Code names roles only; colours live in themes/ *.json.
 */
enum role {
    ROLE_TEXT,
    ROLE_DIM,     /* explanations, what matters less */
    ROLE_TITLE,   /* the top line */
    ROLE_HEADING, /* names of panes and columns */
    ROLE_FRAME,
    ROLE_KEY,    /* a key one can press */
    ROLE_CURSOR, /* where the keys go */
    ROLE_CHOSEN,
    ROLE_FIGURE, /* a final figure */
    ROLE_LIVE,   /* a figure that moves */
    ROLE_READ,   /* bars */
    ROLE_WRITE,
    ROLE_P99, /* the tail behind p50 */
    ROLE_AXIS,
    ROLE_GOOD,
    ROLE_WARNING,
    ROLE_ERROR,
    ROLE_POPUP, /* ground of menus and dialogs */
};
#define ROLE_COUNT 18

enum theme_attr {
    THEME_BOLD = 1,
    THEME_DIM = 2,
    THEME_UNDERLINE = 4,
    THEME_REVERSE = 8,
};

#define THEME_DEFAULT_COLOUR (-1) /* the terminal's own */

struct style {
    int32_t fg, bg; /* 0xrrggbb or THEME_DEFAULT_COLOUR */
    unsigned attr;  /* enum theme_attr, where there are colours */
    unsigned mono;  /* enum theme_attr, where there are none */
};

struct theme {
    char name[32];
    char title[64];
    struct style styles[ROLE_COUNT];
};

const char *role_name(enum role r);

/* The theme that is compiled in; cannot fail. */
void theme_default(struct theme *t);
/* -EINVAL with "name:line:column: ..."; a role it leaves out is the default theme's. */
int theme_parse(struct theme *t, const char *name, const char *text, size_t len, struct err *e);
/* By name (in dir, then compiled in) or, with a '/' in it or ending in .json, by path. NULL:
 * default.
 */
int theme_load(struct theme *t, const char *name, const char *dir, struct err *e);
/* Names that theme_load takes, sorted, "default" first. dir may be NULL. */
void theme_names(struct strv *out, const char *dir);

/* Nearest colour of a palette of 256, 16 or 8 colours (xterm's); -1 for the default colour. */
int theme_colour(int32_t rgb, int colours);

#endif
