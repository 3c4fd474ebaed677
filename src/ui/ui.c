/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The full screen, put together: terminal, theme, keys, picture. Promises ui.h. Must not know what
 * makes the model change.
 */
#include "sthd/ui.h"

#include <curses.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "canvas.h"
#include "input.h"
#include "keys.h"
#include "scene.h"
#include "screen.h"
#include "sthd/mem.h"
#include "terminal.h"
#include "theme.h"

#define MIN_GAP_NS   INT64_C(100000000) /* 10 Hz */
#define KEYS_AT_ONCE 4096

struct ui {
    struct terminal *terminal;
    const struct ui_model *model;
    struct ui_state state;
    struct keys keys;
    struct palette palette;
    enum glyphs glyphs;
    int colours;
    char *theme_dir;
    char *text; /* of the last message */
    bool dirty, urgent;
    const struct run *drawn_run;
    uint64_t drawn_generation;
    uint64_t drawn_lines;
    int64_t drawn_ns;
    uint64_t frames;
    bool gone;
};

static int64_t monotonic_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void dirty_now(struct ui *u)
{
    u->dirty = u->urgent = true;
}

static void wear(struct ui *u, const char *name, char *problem, size_t size)
{
    struct theme t;
    struct err e;

    problem[0] = '\0';
    if (theme_load(&t, name, u->theme_dir, &e) < 0) {
        snprintf(problem, size, "%s", e.text);
        theme_default(&t);
    }
    palette_make(&u->palette, &t, u->colours);
}

static void find_themes(struct ui *u, const char *wanted)
{
    struct ui_state *st = &u->state;

    theme_names(&st->themes, u->theme_dir);
    if (!wanted)
        return;
    for (size_t i = 0; i < st->themes.n; i++)
        if (strcmp(st->themes.items[i], wanted) == 0) {
            st->theme_cursor = i;
            return;
        }
    strv_add(&st->themes, wanted); /* a path */
    st->theme_cursor = st->themes.n - 1;
}

static enum glyphs choose_glyphs(bool ascii)
{
    if (ascii || !terminal_utf8())
        return GLYPHS_ASCII;
    return terminal_small_font() ? GLYPHS_HALF : GLYPHS_FULL;
}

/* The cursor starts on the target that is chosen, also when the list comes later. */
static void find_target(struct ui *u)
{
    const struct targets *t = u->model->targets;
    const char *path = u->model->settings->path;

    if (path && t) /* a path beside the list stands in its last line */
        u->state.target_cursor = t->n;
    for (size_t i = 0; t && path && i < t->n; i++)
        if (strcmp(t->items[i].path, path) == 0)
            u->state.target_cursor = i;
}

int ui_open(struct ui **out, const struct ui_options *o, const struct ui_model *model,
            struct err *e)
{
    struct terminal *terminal;

    int rc = terminal_open(&terminal, o->escape_delay_ms, e);
    if (rc < 0)
        return rc;
    struct ui *u = mem_zalloc(sizeof(*u));
    u->terminal = terminal;
    u->model = model;
    ui_state_init(&u->state);
    keys_init(&u->keys);
    u->glyphs = choose_glyphs(o->ascii);
    u->colours = palette_colours(o->no_colour);
    u->theme_dir = o->theme_dir ? mem_strdup(o->theme_dir) : NULL;
    find_themes(u, o->theme);
    wear(u, o->theme, u->state.message, sizeof(u->state.message));
    u->state.bad_news = u->state.message[0] != '\0';
    find_target(u);
    u->drawn_ns = INT64_MIN / 2;
    dirty_now(u);
    *out = u;
    return 0;
}

void ui_close(struct ui *u)
{
    if (!u)
        return;
    terminal_close(u->terminal);
    ui_state_done(&u->state);
    keys_done(&u->keys);
    free(u->theme_dir);
    free(u->text);
    free(u);
}

void ui_suspend(struct ui *u)
{
    terminal_suspend(u->terminal);
}

void ui_resume(struct ui *u)
{
    terminal_resume(u->terminal);
    dirty_now(u);
}

int ui_fd(const struct ui *u)
{
    return terminal_fd(u->terminal);
}

bool ui_wants_write(const struct ui *u)
{
    return !terminal_idle(u->terminal);
}

bool ui_flush(struct ui *u)
{
    return terminal_flush(u->terminal);
}

void ui_resized(struct ui *u)
{
    terminal_resized(u->terminal);
    dirty_now(u);
}

void ui_touch(struct ui *u)
{
    u->dirty = true;
}

static void fetch_keys(struct ui *u)
{
    int codes[KEYS_AT_ONCE];
    size_t n = terminal_keys(u->terminal, codes, KEYS_AT_ONCE);

    if (n)
        keys_feed(&u->keys, codes, n, monotonic_ns());
}

static void apply(struct ui *u, unsigned effect)
{
    if (effect & INPUT_REDRAW)
        dirty_now(u);
    if (effect & INPUT_THEME)
        wear(u, u->state.themes.items[u->state.theme_cursor], u->state.theme_problem,
             sizeof(u->state.theme_problem));
    if (effect & (INPUT_REPAINT | INPUT_THEME))
        touchwin(stdscr);
    if (effect & INPUT_REPAINT)
        clearok(curscr, TRUE);
}

struct ui_message ui_read(struct ui *u)
{
    const struct scene scene = {u->model, &u->state};
    struct ui_message message = {0};
    struct buf pasted = BUF_INIT;
    int key;

    free(u->text);
    u->text = NULL;
    fetch_keys(u);
    if (keys_take_paste(&u->keys, &pasted))
        apply(u, input_paste(&scene, pasted.data, pasted.len));
    buf_done(&pasted);
    while (message.type == UI_NOTHING && keys_next(&u->keys, &key))
        apply(u, input_key(&scene, key, &message));
    u->text = message.text;
    return message;
}

/* One behind the number of the last line of the raw pane. */
static uint64_t raw_end(const struct ui *u)
{
    const struct lines *raw = u->state.raw_iostat ? u->model->iostat : u->model->raw;

    return raw ? lines_first(raw) + lines_count(raw) : 0;
}

static bool changed(const struct ui *u)
{
    const struct ui_model *m = u->model;

    if (u->dirty || m->run != u->drawn_run || (m->run && m->run->generation != u->drawn_generation))
        return true;
    return u->state.raw_open && raw_end(u) != u->drawn_lines;
}

/* What is seen changes with the run: a dialog of the setup screen has no place over a run. */
static void follow_model(struct ui *u)
{
    const struct run *r = u->model->run;
    struct ui_state *st = &u->state;

    if ((r != NULL) != (u->drawn_run != NULL) && u->frames > 0 &&
        (st->overlay == OVERLAY_MENU || st->overlay == OVERLAY_ENTRY || st->overlay == OVERLAY_ASK))
        st->overlay = OVERLAY_NONE;
    if (st->overlay == OVERLAY_ASK && st->question != ASK_REPAIR && r && r->state == RUN_DONE)
        st->overlay = OVERLAY_NONE; /* there is nothing left to stop */
    if (!r || r->state != RUN_DONE)
        st->look = SIZE_MAX;
    if (!r || r->state != RUN_STOPPING)
        st->stopping_ns = 0;
    else if (st->stopping_ns == 0)
        st->stopping_ns = r->now_ns;
    if (!st->cursor_moved)
        find_target(u);
    size_t n = u->model->targets ? u->model->targets->n : 0;
    if (st->target_cursor > n)
        st->target_cursor = n;
}

int64_t ui_draw(struct ui *u, int64_t now_ns)
{
    const struct scene scene = {u->model, &u->state};

    if (!changed(u))
        return INT64_MAX;
    terminal_flush(u->terminal); /* that the terminal is gone is told by the next ui_flush */
    if (!terminal_idle(u->terminal))
        return INT64_MAX; /* POLLOUT calls again */
    if (!u->urgent && now_ns - u->drawn_ns < MIN_GAP_NS)
        return u->drawn_ns + MIN_GAP_NS;
    follow_model(u);
    screen_draw(stdscr, &u->palette, u->glyphs, &scene);
    wnoutrefresh(stdscr);
    doupdate();
    terminal_frame(u->terminal);
    terminal_flush(u->terminal);
    u->dirty = u->urgent = false;
    u->drawn_ns = now_ns;
    u->drawn_run = u->model->run;
    u->drawn_generation = u->model->run ? u->model->run->generation : 0;
    u->drawn_lines = raw_end(u);
    u->frames++;
    return INT64_MAX;
}

uint64_t ui_bytes(const struct ui *u)
{
    return terminal_bytes(u->terminal);
}

uint64_t ui_frames(const struct ui *u)
{
    return u->frames;
}

void ui_ask_repair(struct ui *u)
{
    u->state.overlay = OVERLAY_ASK;
    u->state.question = ASK_REPAIR;
    dirty_now(u);
}

void ui_say(struct ui *u, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(u->state.message, sizeof(u->state.message), fmt, ap);
    va_end(ap);
    u->state.bad_news = false;
    dirty_now(u);
}

void ui_emergency_restore(void)
{
    terminal_emergency_restore();
}

void ui_theme_names(struct strv *out, const char *theme_dir)
{
    theme_names(out, theme_dir);
}
