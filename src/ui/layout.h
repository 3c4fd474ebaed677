/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef STHD_UI_LAYOUT_H
#define STHD_UI_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Where everything goes: a pure function of the terminal's size and of what is to be shown. Knows
 * no ncurses. Panes never overlap, never leave the screen, and are empty (rows or cols 0) rather
 * than negative.
 */
struct rect {
    int y, x, rows, cols;
};

enum layout_size {
    LAYOUT_LINE,  /* one line that says what is going on */
    LAYOUT_SMALL, /* one column, one line per thing */
    LAYOUT_FULL,
};

enum pane {
    PANE_LINE, /* LAYOUT_LINE only: all there is */
    PANE_TITLE,
    PANE_PROGRESS,
    PANE_TARGETS,
    PANE_ABOUT,
    PANE_FIELDS,
    PANE_PLAN,
    PANE_TESTS, /* what the profile will run; only where there is room */
    PANE_TABLE,
    PANE_NOW,
    PANE_TIMELINE,
    PANE_TIME,  /* where the time of an I/O goes */
    PANE_CPU,   /* what the processors do */
    PANE_KNOBS, /* while they are open */
    PANE_STEPS, /* the plan's steps, right, 120 columns and more */
    PANE_RAW,
    PANE_NOTE,
    PANE_MESSAGE,
    PANE_KEYS,
};
#define PANE_COUNT 19

#define LAYOUT_FULL_ROWS     16
#define LAYOUT_FULL_COLS     60
#define LAYOUT_SMALL_ROWS    4
#define LAYOUT_SMALL_COLS    20
#define LAYOUT_SIDE_COLS     120 /* from here on a pane at the right */
#define LAYOUT_SETUP_COLS    132 /* wider, a line is hard to follow */
#define LAYOUT_TIMELINE_ROWS 15
#define LAYOUT_FIELD_COUNT   6

struct layout {
    enum layout_size size;
    struct rect panes[PANE_COUNT];
    int row_height; /* lines per row of the CDM table: 1, 2, or 3 (two and a blank) */
};

enum layout_size layout_size(int rows, int cols);
/* rows and cols >= 1. */
void layout_setup(struct layout *l, int rows, int cols, size_t n_targets, size_t n_tests);

struct layout_run_wish {
    bool raw;           /* the raw pane is open */
    size_t n_tests;     /* rows of the table */
    int head_lines;     /* lines of the table before its first row */
    bool tall;          /* the table's rows may take more than one line (CDM) */
    int note_lines;     /* footnotes wanted */
    bool tall_timeline; /* it takes all that is left */
    bool side_wanted;   /* false: nothing for the right side but the raw pane */
    bool time;          /* a line on where the time goes */
    bool cpu;           /* a line on the processors */
    int knob_lines;     /* the knobs are open and want so many */
};
void layout_run(struct layout *l, int rows, int cols, const struct layout_run_wish *w);

#endif
