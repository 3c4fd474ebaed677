/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What fio (or zpool iostat) said, as it said it, with who said what; reads the line store, changes
 * nothing in it. */
#include <stdio.h>
#include <string.h>

#include "views/views.h"

static bool shown(const struct ui_state *st, const struct line *l)
{
    return st->raw_filter == RAW_ALL || l->source != LINE_STDOUT;
}

/* The number of the first line to draw so that the last page ends with the last line. */
static uint64_t follow_top(const struct lines *raw, const struct ui_state *st, int rows)
{
    uint64_t first = lines_first(raw), at = first + lines_count(raw);
    int found = 0;

    while (at > first && found < rows) {
        struct line l = lines_at(raw, --at);
        found += shown(st, &l);
    }
    return at;
}

static void draw_line(const struct canvas *c, int y, const struct ui_state *st,
                      const struct line *l)
{
    static const struct {
        const char *mark;
        enum role mark_role, role;
    } looks[] = {
        [LINE_STDOUT] = {" ", ROLE_DIM, ROLE_TEXT},
        [LINE_STDERR] = {"E", ROLE_ERROR, ROLE_ERROR},
        [LINE_OURS] = {"#", ROLE_HEADING, ROLE_HEADING},
    };

    canvas_text(c, y, 0, 1, looks[l->source].mark_role, looks[l->source].mark);
    canvas_text(c, y, 2, c->cols - 2, looks[l->source].role, l->text);
    if (l->number == st->raw_hit)
        canvas_tint(c, y, 0, c->cols, ROLE_CURSOR);
}

void view_raw(const struct canvas *c, const struct scene *s)
{
    const struct lines *raw = scene_raw(s);
    struct ui_state *st = s->state;
    char title[96];

    if (c->rows < 3 || c->cols < 8)
        return;
    st->raw_page = c->rows - 2;
    size_t count = raw ? lines_count(raw) : 0;
    uint64_t first = raw ? lines_first(raw) : 0, end = first + count;
    uint64_t top = first;
    if (count && st->raw_follow)
        top = follow_top(raw, st, c->rows - 2);
    else if (count)
        top = st->raw_top < first ? first : st->raw_top;
    snprintf(title, sizeof(title), "%s%s, %s", st->raw_iostat ? "zpool iostat" : "fio's output",
             st->raw_filter == RAW_NOTES ? " without reports" : "",
             st->raw_follow ? "following" : "held");
    struct canvas in = canvas_box(c, ROLE_FRAME, title);
    if (c->cols >= 50)
        canvas_right(c, c->rows - 1, c->cols - 2, 40, ROLE_DIM,
                     " E stderr   # said by speedtest-hd ");
    int y = 0;
    for (uint64_t at = top; at < end && y < in.rows; at++) {
        struct line l = lines_at(raw, at);
        if (shown(st, &l))
            draw_line(&in, y++, st, &l);
    }
    if (y == 0)
        canvas_text(&in, 0, 2, in.cols - 2, ROLE_DIM, "nothing yet");
}
