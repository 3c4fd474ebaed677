/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The setup screen: where, what, how, and what that will do to the disk. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "input.h"
#include "menu.h"
#include "sthd/text.h"
#include "sthd/units.h"
#include "views/views.h"

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

static void draw_title(const struct canvas *c, const struct scene *s)
{
    const struct machine *m = s->model->machine;
    int right = canvas_right(c, 0, c->cols - 1, 12, ROLE_TEXT, "? help");
    int x = 1;

    canvas_tint(c, 0, right, 1, ROLE_KEY);
    x += canvas_text(c, 0, x, right - x, ROLE_TITLE, "speedtest-hd " PACKAGE_VERSION);
    if (!m)
        return;
    char cpus[24] = "", ram[UNITS_TEXT], memory[UNITS_TEXT + 8] = "";
    if (m->cpus)
        snprintf(cpus, sizeof(cpus), "%u CPU%s", m->cpus, m->cpus == 1 ? "" : "s");
    if (m->ram_bytes)
        snprintf(memory, sizeof(memory), "%s RAM", units_size(ram, m->ram_bytes));
    const char *facts[] = {m->host, m->kernel, cpus, m->fio_version, memory};
    for (size_t i = 0; i < sizeof(facts) / sizeof(facts[0]); i++) {
        int width = text_width(facts[i]);
        if (!facts[i][0] || width > right - x - 3)
            continue; /* whole or not at all */
        x += 2;
        x += canvas_text(c, 0, x, right - x, ROLE_DIM, facts[i]);
    }
}

/* --- targets -------------------------------------------------------------------------------- */

static void draw_target(const struct canvas *c, const struct scene *s, int y, size_t i)
{
    const struct target *t = &s->model->targets->items[i];
    const char *path = s->model->settings->path;
    bool chosen = path && strcmp(path, t->path) == 0;
    bool cursor = s->state->focus == FIELD_TARGET && s->state->target_cursor == i;
    enum role role = t->read_only ? ROLE_DIM : chosen ? ROLE_CHOSEN : ROLE_TEXT;
    char free_text[UNITS_TEXT], right[64];

    if (i < 9)
        canvas_printf(c, y, 0, 1, ROLE_KEY, "%zu", i + 1);
    if (chosen)
        canvas_glyph(c, y, 2, ROLE_CHOSEN, GLYPH_CHOSEN);
    if (t->kind == TARGET_RAM)
        snprintf(right, sizeof(right), "RAM, not a disk");
    else if (t->read_only)
        snprintf(right, sizeof(right), "read-only");
    else if (t->free_bytes == UNITS_ABSENT)
        snprintf(right, sizeof(right), "size unknown");
    else
        snprintf(right, sizeof(right), "%s free", units_size(free_text, t->free_bytes));
    int fs_at = c->cols - 26, path_cols = fs_at - 5;
    if (path_cols < 8) {
        path_cols = c->cols - 4;
    } else {
        canvas_text(c, y, fs_at, 9, ROLE_DIM, t->fstype ? t->fstype : "");
        canvas_right(c, y, c->cols, 15, t->read_only ? ROLE_DIM : ROLE_TEXT, right);
    }
    canvas_text(c, y, 4, path_cols, role, t->path);
    if (cursor)
        canvas_tint(c, y, 2, c->cols - 2, ROLE_CURSOR);
}

static bool path_is_listed(const struct scene *s)
{
    const struct targets *t = s->model->targets;
    const char *path = s->model->settings->path;

    for (size_t i = 0; t && path && i < t->n; i++)
        if (strcmp(t->items[i].path, path) == 0)
            return true;
    return false;
}

static void draw_targets(const struct canvas *c, const struct scene *s)
{
    struct canvas box = canvas_box(c, ROLE_FRAME, "Target");
    struct canvas in = canvas_part(&box, (struct rect){0, 1, box.rows, box.cols - 2});
    size_t n = s->model->targets ? s->model->targets->n : 0, at = s->state->target_cursor;
    size_t rows = in.rows > 0 ? (size_t)in.rows : 0, top = 0;

    if (at >= rows && rows > 0) /* the cursor is always in sight */
        top = at - rows + 1;
    for (size_t y = 0; y < rows; y++) {
        size_t i = top + y;
        if (i < n) {
            draw_target(&in, s, (int)y, i);
        } else if (i == n) {
            bool cursor = s->state->focus == FIELD_TARGET && at >= n;
            const char *path = s->model->settings->path;
            canvas_text(&in, (int)y, 0, 1, ROLE_KEY, "o");
            if (path && !path_is_listed(s)) {
                canvas_glyph(&in, (int)y, 2, ROLE_CHOSEN, GLYPH_CHOSEN);
                canvas_text(&in, (int)y, 4, in.cols - 4, ROLE_CHOSEN, path);
            } else {
                canvas_text(&in, (int)y, 4, in.cols - 4, ROLE_TEXT, "other path...");
            }
            if (cursor)
                canvas_tint(&in, (int)y, 2, in.cols - 2, ROLE_CURSOR);
        }
    }
    size_t total = n + 1;
    if (total > rows && c->rows >= 3) { /* where in the list this is */
        char where[32];
        snprintf(where, sizeof(where), " %zu-%zu of %zu ", top + 1,
                 top + rows < total ? top + rows : total, total);
        canvas_right(c, c->rows - 1, c->cols - 2, 24, ROLE_DIM, where);
    }
}

/* The target under the cursor while choosing, else the chosen one. */
static const struct target *looked_at(const struct scene *s)
{
    const struct targets *t = s->model->targets;

    if (s->state->focus == FIELD_TARGET && t && s->state->target_cursor < t->n)
        return &t->items[s->state->target_cursor];
    return s->model->target;
}

static void about_line(const struct canvas *c, int *y, const char *name, const char *text)
{
    if (!text || !*text || *y >= c->rows)
        return;
    canvas_text(c, *y, 0, 7, ROLE_DIM, name);
    canvas_text(c, *y, 8, c->cols - 8, ROLE_TEXT, text);
    (*y)++;
}

/* What it is on, as far as one knows: of the chosen one. Lines taken. */
static int about_below(const struct canvas *c, int y, const struct target *t)
{
    int lines = 0;

    if (t && t->below && y < c->rows) {
        struct canvas rest = canvas_part(c, (struct rect){y, 8, c->rows - y, c->cols - 8});
        canvas_text(c, y, 0, 7, ROLE_DIM, "stack");
        lines = canvas_wrap(&rest, 0, ROLE_TEXT, t->below);
    }
    if (t && t->device && y + lines < c->rows) {
        struct canvas rest =
            canvas_part(c, (struct rect){y + lines, 8, c->rows - y - lines, c->cols - 8});
        canvas_text(c, y + lines, 0, 7, ROLE_DIM, "device");
        lines += canvas_wrap(&rest, 0, ROLE_TEXT, t->device);
    }
    return lines;
}

static void draw_about(const struct canvas *c, const struct scene *s)
{
    struct canvas box = canvas_box(c, ROLE_FRAME, "About it");
    struct canvas in = canvas_part(&box, (struct rect){0, 1, box.rows, box.cols - 2});
    const struct target *t = looked_at(s);
    const char *path = s->model->settings->path;
    char size[2 * UNITS_TEXT + 16], free_text[UNITS_TEXT], total[UNITS_TEXT];
    int y = 0;

    if (!t) {
        canvas_wrap(&in, 0, ROLE_DIM,
                    s->model->target_problem ? s->model->target_problem
                                             : "Choose where to measure. Nothing is written before "
                                               "you have said yes.");
        return;
    }
    bool same = path && strcmp(path, t->path) == 0;
    if (same && s->model->target_problem)
        y += canvas_wrap(&in, y, ROLE_ERROR, s->model->target_problem);
    else if (t->note[0])
        y += canvas_wrap(&in, y, ROLE_WARNING, t->note);
    if (!t->writable && !t->read_only && !s->model->target_problem)
        y += canvas_wrap(&in, y, ROLE_WARNING, "you may not create a file here");
    about_line(&in, &y, "mount", t->mount);
    about_line(&in, &y, "type", t->fstype);
    about_line(&in, &y, "source", t->source);
    if (t->total_bytes != UNITS_ABSENT && t->free_bytes != UNITS_ABSENT) {
        snprintf(size, sizeof(size), "%s of %s", units_size(free_text, t->free_bytes),
                 units_size(total, t->total_bytes));
        about_line(&in, &y, "free", size);
    }
    y += about_below(&in, y, same ? s->model->target : t);
    if (in.rows - y >= 2 && t->options) {
        canvas_text(&in, y, 0, 7, ROLE_DIM, "options");
        struct canvas rest = canvas_part(&in, (struct rect){y, 8, in.rows - y, in.cols - 8});
        struct buf spaced = BUF_INIT; /* so that lines break between options */
        for (const char *o = t->options; *o && spaced.len < 4096; o++)
            buf_adds(&spaced, *o == ',' ? ", " : (char[]){*o, '\0'});
        canvas_wrap(&rest, 0, ROLE_TEXT, spaced.data ? spaced.data : "");
        buf_done(&spaced);
    }
}

/* --- fields --------------------------------------------------------------------------------- */

static void draw_field(const struct canvas *c, const struct scene *s, int y, enum field f)
{
    char value[256], why[256];
    int box = c->cols >= 110 ? 44 : c->cols >= 76 ? 39 : c->cols >= 60 ? 34 : c->cols - 12;

    menu_field_value(s, f, value, sizeof(value));
    menu_field_why(s, f, why, sizeof(why));
    canvas_printf(c, y, 1, 1, ROLE_KEY, "%c", menu_field_key(f));
    canvas_text(c, y, 3, 7, ROLE_TEXT, menu_field_name(f));
    if (box >= 8) {
        canvas_text(c, y, 11, 1, ROLE_FRAME, "[");
        canvas_text(c, y, 13, box - 5, ROLE_FIGURE, value);
        canvas_glyph(c, y, 11 + box - 3, ROLE_FRAME, GLYPH_DOWN);
        canvas_text(c, y, 11 + box - 1, 1, ROLE_FRAME, "]");
        if (s->state->focus == f)
            canvas_tint(c, y, 12, box - 2, ROLE_CURSOR);
    }
    int x = 11 + box + 2;
    if (c->cols - x >= 16)
        canvas_text(c, y, x, c->cols - x - 1, ROLE_DIM, why);
}

static void draw_fields(const struct canvas *c, const struct scene *s, enum field first)
{
    int n = FIELD_COUNT - (int)first, top = 0;

    /* Fewer lines than fields: those around the focus. */
    if (c->rows < n && (int)s->state->focus - (int)first >= c->rows)
        top = (int)s->state->focus - (int)first - c->rows + 1;
    for (int y = 0; y < c->rows && top + y < n; y++)
        draw_field(c, s, y, (enum field)((int)first + top + y));
}

/* --- plan ----------------------------------------------------------------------------------- */

static void labelled(const struct canvas *c, int y, const char *label, enum role role,
                     const char *text)
{
    canvas_text(c, y, 3, 7, ROLE_TEXT, label);
    canvas_text(c, y, 11, c->cols - 12, role, text);
}

/* fio's words without our plumbing before the job's name. */
static void command_text(const struct scene *s, struct buf *out)
{
    if (s->model->command)
        strv_quote(s->model->command, out);
}

static void draw_plan(const struct canvas *c, const struct scene *s)
{
    const struct machine *m = s->model->machine;
    struct buf text = BUF_INIT, command = BUF_INIT;
    int y = 0;

    if (c->rows >= 4 && s->model->cpu && s->model->cpu->known) {
        struct canvas line = canvas_part(c, (struct rect){y++, 0, 1, c->cols});
        view_cpu(&line, s);
    } else if (c->rows >= 4 && m && m->cpu_line[0]) {
        labelled(c, y++, "CPU", ROLE_DIM, m->cpu_line);
    }
    if (m && m->fio_problem[0]) {
        labelled(c, y++, "fio", ROLE_ERROR, m->fio_problem);
    } else if (s->model->plan) {
        plan_describe(s->model->plan, &text);
        labelled(c, y++, "Plan", ROLE_TEXT, text.data ? text.data : "");
    } else if (s->model->plan_problem) {
        labelled(c, y++, "Plan", ROLE_ERROR, s->model->plan_problem);
    }
    for (size_t i = 0; s->model->plan && i < s->model->plan->notes.n && c->rows - y >= 2; i++)
        labelled(c, y++, "", ROLE_WARNING, s->model->plan->notes.items[i]);
    command_text(s, &command);
    if (command.data && c->rows - y >= 1) {
        struct canvas part =
            canvas_part(c, (struct rect){y, 11, c->rows - y > 2 ? 2 : c->rows - y, c->cols - 12});
        canvas_text(c, y, 1, 1, ROLE_KEY, "f");
        canvas_text(c, y, 3, 7, ROLE_TEXT, "Command");
        canvas_wrap(&part, 0, ROLE_DIM, command.data);
    }
    if (s->model->root_offer && c->rows - y >= 3) /* below the two lines of the command */
        labelled(c, y + 2, "Root", ROLE_DIM, s->model->root_offer);
    buf_done(&text);
    buf_done(&command);
}

static void draw_tests(const struct canvas *c, const struct scene *s)
{
    const struct profile *p = s->model->settings->profile;
    struct canvas box = canvas_box(c, ROLE_FRAME, "What will be run");
    struct canvas in = canvas_part(&box, (struct rect){0, 1, box.rows, box.cols - 2});
    char block[UNITS_TEXT];

    for (size_t i = 0; i < p->n_tests && (int)i < in.rows; i++) {
        const struct test *t = &p->tests[i];
        char text[160];
        snprintf(text, sizeof(text), "%s %s blocks, queue depth %u, %u thread%s%s%s",
                 t->pattern == PATTERN_SEQ ? "sequential" : "random",
                 t->block_bytes ? units_size(block, t->block_bytes) : "varied", t->queue_depth,
                 t->threads, t->threads == 1 ? "" : "s", t->sync ? ", every write a commit" : "",
                 t->end_fsync ? ", writes end with an fsync" : "");
        canvas_text(&in, (int)i, 1, 14, ROLE_HEADING, t->name);
        int x = 16;
        for (int d = 0; d < DIRECTION_COUNT; d++)
            if (t->directions & (1u << d)) {
                x += canvas_text(&in, (int)i, x, 8, d == DIRECTION_READ ? ROLE_READ : ROLE_WRITE,
                                 direction_name((enum direction)d));
                x += 1;
            }
        canvas_text(&in, (int)i, 29, in.cols - 29, ROLE_DIM, text);
    }
}

static void draw_keys(const struct canvas *c, const struct scene *s)
{
    if (view_overlay_keys(c, s))
        return;
    if (s->state->focus != FIELD_TARGET)
        view_keys(c, "s\0start\0Enter\0open\0Tab\0next\0t\0theme\0w\0watch\0?\0help\0q\0quit\0");
    else if (input_cursor_is_chosen(s))
        view_keys(c, "s Enter\0start\0Tab\0next\0t\0theme\0w\0watch\0?\0help\0q\0quit\0");
    else
        view_keys(c, "s\0start\0Enter\0choose\0Tab\0next\0t\0theme\0w\0watch\0?\0help\0q\0quit\0");
}

static void draw_line(const struct canvas *c, const struct scene *s)
{
    const char *path = s->model->settings->path;

    canvas_printf(c, 0, 0, c->cols, ROLE_TEXT, "setup: %s", path ? path : "no target yet");
}

void view_setup(const struct canvas *c, const struct scene *s)
{
    struct layout l;

    layout_setup(&l, c->rows, c->cols, s->model->targets ? s->model->targets->n : 0,
                 s->model->settings->profile->n_tests);
    struct canvas pane[PANE_COUNT];
    for (int i = 0; i < PANE_COUNT; i++)
        pane[i] = canvas_part(c, l.panes[i]);
    if (l.size == LAYOUT_LINE) {
        draw_line(&pane[PANE_LINE], s);
        return;
    }
    draw_title(&pane[PANE_TITLE], s);
    if (l.size == LAYOUT_FULL) {
        draw_targets(&pane[PANE_TARGETS], s);
        draw_about(&pane[PANE_ABOUT], s);
    }
    draw_fields(&pane[PANE_FIELDS], s, l.size == LAYOUT_FULL ? FIELD_PROFILE : FIELD_TARGET);
    if (pane[PANE_TESTS].rows)
        draw_tests(&pane[PANE_TESTS], s);
    draw_plan(&pane[PANE_PLAN], s);
    view_message(&pane[PANE_MESSAGE], s);
    draw_keys(&pane[PANE_KEYS], s);
}
