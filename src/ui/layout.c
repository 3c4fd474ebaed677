/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Cuts the screen into panes by taking strips off a rest that only ever shrinks: so no pane can
 * overlap another or have a negative size. Must not know ncurses, the model or the state of the ui.
 */
#include "layout.h"

#include <string.h>

static int clamp(int v, int lo, int hi)
{
    return v < lo ? lo : v > hi ? hi : v;
}

static struct rect take_top(struct rect *rest, int rows)
{
    struct rect r = *rest;

    r.rows = clamp(rows, 0, rest->rows);
    rest->y += r.rows;
    rest->rows -= r.rows;
    return r;
}

static struct rect take_bottom(struct rect *rest, int rows)
{
    struct rect r = *rest;

    r.rows = clamp(rows, 0, rest->rows);
    rest->rows -= r.rows;
    r.y = rest->y + rest->rows;
    return r;
}

static struct rect take_left(struct rect *rest, int cols)
{
    struct rect r = *rest;

    r.cols = clamp(cols, 0, rest->cols);
    rest->x += r.cols;
    rest->cols -= r.cols;
    return r;
}

static struct rect take_right(struct rect *rest, int cols)
{
    struct rect r = *rest;

    r.cols = clamp(cols, 0, rest->cols);
    rest->cols -= r.cols;
    r.x = rest->x + rest->cols;
    return r;
}

enum layout_size layout_size(int rows, int cols)
{
    if (rows < LAYOUT_SMALL_ROWS || cols < LAYOUT_SMALL_COLS)
        return LAYOUT_LINE;
    if (rows < LAYOUT_FULL_ROWS || cols < LAYOUT_FULL_COLS)
        return LAYOUT_SMALL;
    return LAYOUT_FULL;
}

static struct rect begin(struct layout *l, int rows, int cols)
{
    memset(l, 0, sizeof(*l));
    l->size = layout_size(rows, cols);
    l->row_height = 1;
    struct rect rest = {0, 0, rows > 0 ? rows : 0, cols > 0 ? cols : 0};
    if (l->size == LAYOUT_LINE) {
        l->panes[PANE_LINE] = rest;
        return (struct rect){0};
    }
    l->panes[PANE_TITLE] = take_top(&rest, 1);
    l->panes[PANE_KEYS] = take_bottom(&rest, 1);
    l->panes[PANE_MESSAGE] = take_bottom(&rest, 1);
    return rest;
}

static void setup_small(struct layout *l, struct rect rest)
{
    l->panes[PANE_FIELDS] = take_top(&rest, LAYOUT_FIELD_COUNT);
    l->panes[PANE_PLAN] = rest;
}

void layout_setup(struct layout *l, int rows, int cols, size_t n_targets, size_t n_tests)
{
    struct rect rest = begin(l, rows, cols);

    if (l->size == LAYOUT_LINE)
        return;
    if (l->size == LAYOUT_SMALL) {
        setup_small(l, rest);
        return;
    }
    rest.cols = clamp(rest.cols, 0, LAYOUT_SETUP_COLS);
    bool airy = rest.rows >= 24;
    int fields = LAYOUT_FIELD_COUNT - 1, plan = rest.rows >= 20 ? 5 : 3;
    int lists = clamp((int)(n_targets > 99 ? 99 : n_targets) + 1, 6, 99) + 2;
    lists = clamp(lists, 0, rest.rows - fields - plan - (airy ? 3 : 0));
    if (!airy) /* no line may be lost on a small screen */
        lists = rest.rows - fields - plan;
    else
        take_top(&rest, 1);
    struct rect top = take_top(&rest, lists);
    l->panes[PANE_TARGETS] = take_left(&top, clamp(top.cols * 6 / 10, 34, 84));
    l->panes[PANE_ABOUT] = top;
    if (airy)
        take_top(&rest, 1);
    l->panes[PANE_FIELDS] = take_top(&rest, fields);
    if (airy)
        take_top(&rest, 1);
    l->panes[PANE_PLAN] = take_top(&rest, plan);
    if (rest.rows >= 4 && n_tests > 0) {
        take_top(&rest, 1);
        l->panes[PANE_TESTS] =
            take_top(&rest, clamp((int)(n_tests > 99 ? 99 : n_tests) + 2, 0, rest.rows));
    }
}

static void run_small(struct layout *l, struct rect rest, const struct layout_run_wish *w)
{
    l->panes[PANE_PROGRESS] = take_top(&rest, 1);
    if (w->raw) {
        l->panes[PANE_RAW] = rest;
        return;
    }
    l->panes[PANE_TABLE] =
        take_top(&rest, (int)(w->n_tests > 99 ? 99 : w->n_tests) + w->head_lines);
    l->panes[PANE_NOW] = take_top(&rest, 1);
    if (rest.rows >= 4)
        l->panes[PANE_TIMELINE] =
            take_top(&rest, w->tall_timeline ? rest.rows : LAYOUT_TIMELINE_ROWS);
}

void layout_run(struct layout *l, int rows, int cols, const struct layout_run_wish *w)
{
    struct rect rest = begin(l, rows, cols);
    int n = (int)(w->n_tests > 99 ? 99 : w->n_tests);

    if (l->size == LAYOUT_LINE)
        return;
    if (l->size == LAYOUT_SMALL) {
        run_small(l, rest, w);
        return;
    }
    l->panes[PANE_PROGRESS] = take_top(&rest, 1);
    if (w->cpu && rest.rows >= 10)
        l->panes[PANE_CPU] = take_bottom(&rest, 1);
    if (w->time && rest.rows >= 10)
        l->panes[PANE_TIME] = take_bottom(&rest, 1);
    if (w->knob_lines > 0)
        l->panes[PANE_KNOBS] = take_bottom(&rest, clamp(w->knob_lines, 0, rest.rows - 2));
    if (cols >= LAYOUT_SIDE_COLS && (w->raw || w->side_wanted)) {
        struct rect side = take_right(&rest, w->raw ? cols * 45 / 100 : 44);
        take_left(&side, 1);
        l->panes[w->raw ? PANE_RAW : PANE_STEPS] = side;
    }
    bool raw_below = w->raw && cols < LAYOUT_SIDE_COLS;
    if (rest.rows >= 20)
        take_top(&rest, 1);
    /* What stands below the table: a blank line, the now line, and a timeline worth its lines. The
     * table's second line per row is worth more than the notes, and less than all else. */
    int below = raw_below ? 1 + 6 : 2 + 5, h = 1;
    if (w->tall && n > 0)
        h = clamp((rest.rows - w->head_lines - below - clamp(w->note_lines, 0, 2)) / n, 1, 3);
    int spare = rest.rows - w->head_lines - below - n * h;
    l->panes[PANE_NOTE] =
        take_bottom(&rest, clamp(w->note_lines, 0, spare > 1 ? spare : rest.rows / 8));
    l->row_height = h;
    int last_blank = h == 3 ? 1 : 0;
    int keep = raw_below ? 1 + 4 : 1; /* a long table must not push out what was asked for */
    l->panes[PANE_TABLE] =
        take_top(&rest, clamp(n * h + w->head_lines - last_blank, 0, rest.rows - keep));
    if (rest.rows >= below && !raw_below)
        take_top(&rest, 1);
    l->panes[PANE_NOW] = take_top(&rest, 1);
    if (raw_below)
        l->panes[PANE_RAW] = rest;
    else if (rest.rows >= 4)
        l->panes[PANE_TIMELINE] =
            take_top(&rest, w->tall_timeline ? rest.rows : LAYOUT_TIMELINE_ROWS);
}
