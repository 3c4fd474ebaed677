/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Requests one by one, the latest at the bottom, and below them what they come to. The bars are
 * linear from 0 on: a request that takes twice as long is twice as long.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "sthd/mem.h"
#include "sthd/pings.h"
#include "sthd/units.h"
#include "views/views.h"

#define TIME_COLS   26
#define TAG_COLS    8
#define BAR_COL     (TIME_COLS + TAG_COLS + 2)
#define TOTAL_LINES 2

static void draw_ping(const struct canvas *c, int y, const struct ping *p, const struct run *r,
                      double most_ns, enum direction d)
{
    static const enum role roles[] = {[PING_PLAIN] = ROLE_FIGURE,
                                      [PING_WARMUP] = ROLE_DIM,
                                      [PING_FAST] = ROLE_LIVE,
                                      [PING_SLOW] = ROLE_WARNING};
    char text[UNITS_TEXT];
    int cols = c->cols - BAR_COL - 1;

    canvas_printf(c, y, 1, 8, ROLE_DIM, "%6.2f s", (double)(p->at_ns - r->step_began_ns) / 1e9);
    if (p->n > 1)
        canvas_printf(c, y, 10, 8, ROLE_DIM, "%llu at", (unsigned long long)p->n);
    canvas_right(c, y, TIME_COLS, 9, roles[p->tag], units_latency(text, p->ns));
    canvas_text(c, y, TIME_COLS + 1, TAG_COLS, roles[p->tag], ping_tag_name(p->tag));
    if (cols >= 8 && most_ns > 0)
        canvas_bar(c, y, BAR_COL, cols, p->ns / most_ns,
                   d == DIRECTION_READ ? ROLE_READ : ROLE_WRITE);
}

static void draw_totals(const struct canvas *c, int y, const struct cell *cell,
                        const struct ping *pings, size_t n)
{
    double min = INFINITY, max = 0, sum = 0, squares = 0, count = 0;
    char a[UNITS_TEXT], b[UNITS_TEXT], m[UNITS_TEXT], d[UNITS_TEXT];

    for (size_t i = 0; i < n; i++) {
        if (pings[i].tag == PING_WARMUP)
            continue;
        min = fmin(min, pings[i].ns);
        max = fmax(max, pings[i].ns);
        sum += pings[i].ns * (double)pings[i].n;
        squares += pings[i].ns * pings[i].ns * (double)pings[i].n;
        count += (double)pings[i].n;
    }
    if (count == 0)
        return;
    double mean = sum / count;
    if (!isnan(cell->mean.min_ns)) { /* it is over: fio has seen each of them by itself */
        min = cell->mean.min_ns;
        max = cell->mean.max_ns;
        mean = cell->mean.mean_ns;
    }
    double mdev = isnan(cell->mean.stddev_ns) ? sqrt(fmax(squares / count - mean * mean, 0))
                                              : cell->mean.stddev_ns;
    canvas_printf(c, y, 1, c->cols - 2, ROLE_HEADING, "min %s   avg %s   max %s   mdev %s",
                  units_latency(a, min), units_latency(m, mean), units_latency(b, max),
                  units_latency(d, mdev));
    canvas_printf(c, y + 1, 1, c->cols - 2, ROLE_DIM, "%.0f requests; in their own time %s IOPS",
                  count, units_iops(a, 1e9 / mean));
}

size_t view_pings_lines(int screen_rows)
{
    int lines = screen_rows - 9; /* title, progress, notes, time, processors, keys */

    return lines < 5 ? 5 : (size_t)lines;
}

void view_pings(const struct canvas *c, const struct scene *s)
{
    const struct step *step;
    const struct cell *cell = view_shown_cell(s, &step);
    int rows = c->rows - TOTAL_LINES - 1;
    double most_ns = 0;

    if (!cell || rows < 1 || cell->n_kept == 0)
        return;
    struct ping *pings = mem_alloc(cell->n_kept * sizeof(*pings));
    size_t n = pings_of(cell->samples, cell->n_kept, cell->n_samples - cell->n_kept, pings);
    size_t from = n > (size_t)rows ? n - (size_t)rows : 0;
    for (size_t i = from; i < n; i++)
        most_ns = fmax(most_ns, pings[i].ns);
    for (size_t i = from; i < n; i++)
        draw_ping(c, (int)(i - from), &pings[i], s->model->run, most_ns, step->direction);
    draw_totals(c, c->rows - TOTAL_LINES, cell, pings, n);
    free(pings);
}
