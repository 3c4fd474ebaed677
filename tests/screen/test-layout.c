/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The layout at every size there is: panes fit, do not overlap, and what must be there is there. */
#include "layout.h"

#include <stdio.h>

#include "tap.h"

#define MAX_ROWS 100
#define MAX_COLS 300

static bool fits(const struct rect *r, int rows, int cols)
{
    return r->rows >= 0 && r->cols >= 0 && r->y >= 0 && r->x >= 0 && r->y + r->rows <= rows &&
           r->x + r->cols <= cols;
}

static bool overlap(const struct rect *a, const struct rect *b)
{
    return a->rows > 0 && a->cols > 0 && b->rows > 0 && b->cols > 0 && a->y < b->y + b->rows &&
           b->y < a->y + a->rows && a->x < b->x + b->cols && b->x < a->x + a->cols;
}

static bool sound(const struct layout *l, int rows, int cols)
{
    for (int i = 0; i < PANE_COUNT; i++) {
        if (!fits(&l->panes[i], rows, cols))
            return false;
        for (int k = 0; k < i; k++)
            if (overlap(&l->panes[i], &l->panes[k]))
                return false;
    }
    return l->row_height >= 1 && l->row_height <= 3;
}

static bool is_empty(const struct layout *l, enum pane p)
{
    return l->panes[p].rows == 0 || l->panes[p].cols == 0;
}

static void sweep_setup(size_t n_targets, size_t n_tests)
{
    int bad = 0;

    for (int rows = 1; rows <= MAX_ROWS; rows++)
        for (int cols = 1; cols <= MAX_COLS; cols++) {
            struct layout l;
            layout_setup(&l, rows, cols, n_targets, n_tests);
            bool there = l.size == LAYOUT_LINE
                             ? !is_empty(&l, PANE_LINE)
                             : !is_empty(&l, PANE_TITLE) && !is_empty(&l, PANE_KEYS);
            if (l.size == LAYOUT_FULL)
                there = there && !is_empty(&l, PANE_TARGETS) && !is_empty(&l, PANE_ABOUT) &&
                        l.panes[PANE_FIELDS].rows == LAYOUT_FIELD_COUNT - 1 &&
                        l.panes[PANE_PLAN].rows >= 2;
            if ((!sound(&l, rows, cols) || !there) && bad++ < 5)
                tap_note("setup: %d x %d", cols, rows);
        }
    tap_int(bad, 0, "setup, %zu targets, %zu tests", n_targets, n_tests);
}

static void sweep_run(const struct layout_run_wish *w)
{
    int bad = 0;

    for (int rows = 1; rows <= MAX_ROWS; rows++)
        for (int cols = 1; cols <= MAX_COLS; cols++) {
            struct layout l;
            layout_run(&l, rows, cols, w);
            bool there = l.size == LAYOUT_LINE
                             ? !is_empty(&l, PANE_LINE)
                             : !is_empty(&l, PANE_TITLE) && !is_empty(&l, PANE_KEYS);
            if (l.size == LAYOUT_FULL)
                there = there && !is_empty(&l, PANE_TABLE) && !is_empty(&l, PANE_NOW) &&
                        is_empty(&l, PANE_RAW) == !w->raw;
            if ((!sound(&l, rows, cols) || !there) && bad++ < 5)
                tap_note("run: %d x %d", cols, rows);
        }
    tap_int(bad, 0, "run, %zu tests, %d notes%s%s", w->n_tests, w->note_lines,
            w->raw ? ", raw" : "", w->tall ? ", tall" : "");
}

static void test_sizes(void)
{
    static const struct {
        int rows, cols;
        enum layout_size want;
    } cases[] = {{24, 80, LAYOUT_FULL},  {16, 60, LAYOUT_FULL}, {15, 80, LAYOUT_SMALL},
                 {24, 59, LAYOUT_SMALL}, {4, 20, LAYOUT_SMALL}, {3, 200, LAYOUT_LINE},
                 {90, 19, LAYOUT_LINE},  {1, 1, LAYOUT_LINE}};

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        tap_int(layout_size(cases[i].rows, cases[i].cols), cases[i].want, "%d x %d", cases[i].cols,
                cases[i].rows);
}

static void test_80x24_is_complete(void)
{
    struct layout_run_wish w = {
        .n_tests = 4, .head_lines = 2, .tall = true, .note_lines = 3, .side_wanted = true};
    struct layout l;

    layout_run(&l, 24, 80, &w);
    tap_int(l.row_height, 2, "bars and their second line");
    tap_int(l.panes[PANE_TABLE].rows, 10, "the whole table");
    tap_ok(l.panes[PANE_TIMELINE].rows >= 5, "a timeline");
    tap_ok(is_empty(&l, PANE_STEPS), "no side pane");
    layout_run(&l, 50, 160, &w);
    tap_ok(!is_empty(&l, PANE_STEPS), "a side pane at 160 columns");
    tap_int(l.panes[PANE_NOTE].rows, 3, "all notes");
    w.raw = true;
    layout_run(&l, 50, 160, &w);
    tap_ok(l.panes[PANE_RAW].x > 60 && is_empty(&l, PANE_STEPS), "raw pane right at 160 columns");
    layout_run(&l, 24, 80, &w);
    tap_ok(l.panes[PANE_RAW].x == 0 && l.panes[PANE_RAW].rows >= 5, "raw pane below at 80");
}

int main(void)
{
    static const size_t counts[] = {0, 1, 4, 16};

    test_sizes();
    test_80x24_is_complete();
    for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
        sweep_setup(counts[i] * 20, counts[i]);
        for (int k = 0; k < 32; k++)
            sweep_run(&(struct layout_run_wish){.n_tests = counts[i],
                                                .head_lines = 2,
                                                .raw = k & 1,
                                                .tall = k & 2,
                                                .note_lines = (int)counts[i],
                                                .side_wanted = k & 4,
                                                .cpu = k & 8,
                                                .knob_lines = k & 16 ? 5 : 0});
    }
    return tap_done();
}
