/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Latency by block size and offset, reads and writes below each other (or beside, where there is
 * room), each cell as hot as it is slower than the best of its row.
 */
#include <math.h>
#include <stdio.h>

#include "sthd/align.h"
#include "sthd/units.h"
#include "views/views.h"

#define LABEL_COLS 8
#define CELL_COLS  12
#define HEAT_COLS  2

static void draw_heat(const struct canvas *c, int y, int x, unsigned heat)
{
    static const char *const shades[] = {" ", "\xe2\x96\x91", "\xe2\x96\x92", "\xe2\x96\x93",
                                         "\xe2\x96\x88"};
    static const char *const ascii[] = {" ", ".", ":", "*", "#"};
    const char *glyph = c->glyphs == GLYPHS_ASCII ? ascii[heat] : shades[heat];
    enum role role = heat >= 3 ? ROLE_ERROR : heat >= 1 ? ROLE_WARNING : ROLE_DIM;

    for (int i = 0; i < HEAT_COLS; i++)
        canvas_text(c, y, x + i, 1, role, glyph);
}

static void draw_matrix(const struct canvas *c, const struct align *a, enum direction d)
{
    char text[UNITS_TEXT], label[UNITS_TEXT + 4];

    canvas_text(c, 0, 1, LABEL_COLS, d == DIRECTION_READ ? ROLE_READ : ROLE_WRITE,
                direction_name(d));
    for (size_t o = 0; o < a->n_offsets; o++) {
        snprintf(label, sizeof(label), "+%s", units_size_short(text, a->offsets[o]));
        canvas_right(c, 0, LABEL_COLS + ((int)o + 1) * CELL_COLS - HEAT_COLS - 1,
                     CELL_COLS - HEAT_COLS - 1, ROLE_HEADING, label);
    }
    for (size_t b = 0; b < a->n_blocks && (int)b + 1 < c->rows; b++) {
        int y = (int)b + 1;
        canvas_text(c, y, 1, LABEL_COLS, ROLE_HEADING, units_size_short(text, a->blocks[b]));
        for (size_t o = 0; o < a->n_offsets; o++) {
            int x = LABEL_COLS + ((int)o + 1) * CELL_COLS - HEAT_COLS;
            unsigned heat = align_heat(align_ratio(a, d, b, o));
            canvas_right(c, y, x - 1, CELL_COLS - HEAT_COLS - 1,
                         heat >= 3   ? ROLE_ERROR
                         : heat >= 1 ? ROLE_WARNING
                                     : ROLE_FIGURE,
                         units_latency(text, a->ns[d][b][o]));
            draw_heat(c, y, x, heat);
        }
    }
}

size_t view_align_lines(const struct scene *s)
{
    struct align a;

    align_of(&a, s->model->run);
    return 2 * (a.n_blocks + 1) + 1;
}

void view_align(const struct canvas *c, const struct scene *s)
{
    const struct run *r = s->model->run;
    struct align a;
    int y = 0;

    align_of(&a, r);
    int lines = (int)a.n_blocks + 1, cols = LABEL_COLS + (int)a.n_offsets * CELL_COLS;
    bool beside = c->cols >= 2 * cols + 4;
    for (int d = DIRECTION_READ; d <= DIRECTION_WRITE; d++) {
        struct rect at = {beside ? 0 : y, beside && d == DIRECTION_WRITE ? cols + 4 : 0, lines,
                          beside ? cols : c->cols};
        if (at.y + at.rows > c->rows)
            at.rows = c->rows - at.y;
        if (at.rows < 2)
            break;
        struct canvas part = canvas_part(c, at);
        draw_matrix(&part, &a, (enum direction)d);
        y += lines;
    }
    if (beside)
        y = lines;
    if (r->state == RUN_DONE && y < c->rows) {
        struct align_verdict v;
        struct buf text = BUF_INIT;
        align_judge(&a, &v);
        align_sentence(&v, r->plan->settings.physical_bytes, &text);
        canvas_text(c, y, 1, c->cols - 2, v.physical_bytes ? ROLE_WARNING : ROLE_DIM, text.data);
        buf_done(&text);
    }
}
