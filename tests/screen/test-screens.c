/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Every screen at four sizes and in both alphabets, against pictures that a person has looked at
 * (tests/fixtures/screens). With STHD_SCREENS_WRITE=DIRECTORY the pictures are written there
 * instead: look at each before it replaces an old one.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "picture.h"
#include "sthd/mem.h"
#include "tap.h"

static void menu(struct ui_state *st, enum field f)
{
    st->overlay = OVERLAY_MENU;
    st->focus = st->menu = f;
}

static void menu_target(struct ui_state *st)
{
    menu(st, FIELD_TARGET);
}

static void menu_profile(struct ui_state *st)
{
    menu(st, FIELD_PROFILE);
}

static void menu_engine(struct ui_state *st)
{
    menu(st, FIELD_ENGINE);
    st->menu_cursor = 2;
}

static void menu_io(struct ui_state *st)
{
    menu(st, FIELD_IO);
}

static void menu_size(struct ui_state *st)
{
    menu(st, FIELD_SIZE);
    st->menu_cursor = 2;
}

static void menu_runtime(struct ui_state *st)
{
    menu(st, FIELD_RUNTIME);
    st->menu_cursor = 1;
}

static void menu_watch(struct ui_state *st)
{
    menu(st, FIELD_WATCH);
    st->menu_cursor = 8;
}

static void entry_path(struct ui_state *st)
{
    st->overlay = OVERLAY_ENTRY;
    st->entry = ENTRY_PATH;
    buf_adds(&st->text, "/mnt/tank/\xe4\xb8\xad\xe6\x96\x87/vm");
}

static void entry_size(struct ui_state *st)
{
    st->overlay = OVERLAY_ENTRY;
    st->entry = ENTRY_SIZE;
    buf_adds(&st->text, "12 parsecs");
    snprintf(st->text_problem, sizeof(st->text_problem), "size: \"12 parsecs\" is no size");
}

static void ask_wear(struct ui_state *st)
{
    st->overlay = OVERLAY_ASK;
    st->question = ASK_WEAR;
}

static void ask_start(struct ui_state *st)
{
    st->overlay = OVERLAY_ASK;
    st->question = ASK_START;
}

static void ask_quit(struct ui_state *st)
{
    st->overlay = OVERLAY_ASK;
    st->question = ASK_QUIT;
}

static void help(struct ui_state *st)
{
    st->overlay = OVERLAY_HELP;
}

static void command(struct ui_state *st)
{
    st->overlay = OVERLAY_COMMAND;
}

static void verdict(struct ui_state *st)
{
    st->overlay = OVERLAY_VERDICT;
}

static void knobs(struct ui_state *st)
{
    st->overlay = OVERLAY_KNOBS;
}

static void ask_repair(struct ui_state *st)
{
    st->overlay = OVERLAY_ASK;
    st->question = ASK_REPAIR;
}

static void themes(struct ui_state *st)
{
    st->overlay = OVERLAY_THEMES;
    strv_add(&st->themes, "default");
    strv_add(&st->themes, "contrast");
    strv_add(&st->themes, "light");
    st->theme_cursor = 1;
}

static void raw_pane(struct ui_state *st)
{
    st->raw_open = true;
}

static void stopping(struct ui_state *st)
{
    st->stopping_ns = 1; /* set from the run below */
}

static const struct {
    const char *name;
    enum fake_scene scene;
    void (*state)(struct ui_state *st);
} screens[] = {
    {"setup", FAKE_SETUP, NULL},
    {"setup-empty", FAKE_SETUP_EMPTY, NULL},
    {"menu-target", FAKE_SETUP, menu_target},
    {"menu-profile", FAKE_SETUP, menu_profile},
    {"menu-engine", FAKE_SETUP, menu_engine},
    {"menu-io", FAKE_SETUP, menu_io},
    {"menu-size", FAKE_SETUP, menu_size},
    {"menu-runtime", FAKE_SETUP, menu_runtime},
    {"entry-path", FAKE_SETUP, entry_path},
    {"entry-size", FAKE_SETUP, entry_size},
    {"ask-start", FAKE_SETUP, ask_start},
    {"ask-wear", FAKE_SETUP_WEARS, ask_wear},
    {"prepare", FAKE_PREPARE, NULL},
    {"cdm", FAKE_CDM, NULL},
    {"slog", FAKE_SLOG, NULL},
    {"mix", FAKE_MIX, NULL},
    {"curve", FAKE_CURVE, NULL},
    {"pings", FAKE_PINGS, NULL},
    {"course", FAKE_COURSE, NULL},
    {"watch", FAKE_WATCH, NULL},
    {"watched", FAKE_WATCHED, NULL},
    {"menu-watch", FAKE_SETUP, menu_watch},
    {"stopping", FAKE_STOPPING, stopping},
    {"silence", FAKE_SILENCE, NULL},
    {"finished", FAKE_FINISHED, NULL},
    {"failed", FAKE_FAILED, NULL},
    {"ask-quit", FAKE_CDM, ask_quit},
    {"help", FAKE_SETUP, help},
    {"command", FAKE_CDM, command},
    {"themes", FAKE_CDM, themes},
    {"verdict", FAKE_FINISHED, verdict},
    {"verdict-none", FAKE_CDM, verdict},
    {"knobs-setup", FAKE_SETUP, knobs},
    {"knobs", FAKE_CDM, knobs},
    {"ask-repair", FAKE_SETUP, ask_repair},
    {"raw", FAKE_FAILED, raw_pane},
    {"hostile", FAKE_HOSTILE, NULL},
    {"hostile-setup", FAKE_HOSTILE_SETUP, NULL},
};

static const struct {
    int rows, cols;
} sizes[] = {{24, 80}, {50, 160}, {15, 59}, {10, 40}};

static void draw(struct buf *out, size_t screen, int rows, int cols, enum glyphs g)
{
    struct fake *f = fake_new(screens[screen].scene);
    struct ui_state state;
    const struct scene scene = {fake_model(f), &state};

    ui_state_init(&state);
    if (screens[screen].state)
        screens[screen].state(&state);
    if (state.stopping_ns)
        state.stopping_ns = fake_run(f)->now_ns - INT64_C(3000000000);
    picture_draw(out, &scene, rows, cols, g);
    ui_state_done(&state);
    fake_free(f);
}

static void write_file(const char *dir, const char *name, const struct buf *text)
{
    char *path = mem_printf("%s/%s", dir, name);
    FILE *f = fopen(path, "w");

    if (!f || fwrite(text->data, 1, text->len, f) != text->len || fclose(f) != 0)
        tap_ok(false, "%s can be written", path);
    free(path);
}

static void compare(const char *name, const struct buf *got)
{
    char *path = mem_printf("screens/%s", name);
    size_t len;
    char *want = tap_fixture(path, &len);

    bool same = len == got->len && memcmp(want, got->data, len) == 0;
    tap_ok(same, "%s", name);
    if (!same)
        for (const char *at = got->data; *at;) {
            int n = (int)strcspn(at, "\n");
            tap_note("|%.*s", n, at);
            at += n + 1;
        }
    free(want);
    free(path);
}

/* All sizes of a screen are in one file: they are looked at side by side. */
static void check(size_t screen, enum glyphs g)
{
    const char *dir = getenv("STHD_SCREENS_WRITE");
    struct buf all = BUF_INIT;

    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        buf_addf(&all, "==== %d x %d\n", sizes[i].cols, sizes[i].rows);
        draw(&all, screen, sizes[i].rows, sizes[i].cols, g);
    }
    char *name = mem_printf("%s%s.txt", screens[screen].name, g == GLYPHS_ASCII ? "-ascii" : "");
    if (dir)
        write_file(dir, name, &all);
    else
        compare(name, &all);
    free(name);
    buf_done(&all);
}

/* Nothing but printable text, whatever the model holds, and a line for each line. */
static bool is_clean(const struct buf *text, int rows)
{
    int lines = 0;

    for (size_t i = 0; i < text->len; i++) {
        unsigned char c = (unsigned char)text->data[i];
        if (c == '\n')
            lines++;
        else if (c < 0x20 || c == 0x7f)
            return false;
    }
    return lines == rows;
}

/* Every screen at many sizes: that it comes back, and that it is text. Memory errors are for the
 * sanitizers to find. */
static void sweep(size_t screen)
{
    static const int heights[] = {1, 2, 3, 4, 5, 7, 10, 15, 16, 17, 24, 31, 100};
    static const int widths[] = {1, 2, 3, 4, 7, 13, 19, 20, 21, 37, 59, 60, 61, 80, 119, 120, 300};
    struct fake *f = fake_new(screens[screen].scene);
    int dirty = 0;

    for (size_t y = 0; y < sizeof(heights) / sizeof(heights[0]); y++)
        for (size_t x = 0; x < sizeof(widths) / sizeof(widths[0]); x++) {
            struct ui_state state;
            const struct scene scene = {fake_model(f), &state};
            struct buf text = BUF_INIT;
            ui_state_init(&state);
            if (screens[screen].state)
                screens[screen].state(&state);
            state.scroll = (int)x;
            state.menu_cursor = y;
            picture_draw(&text, &scene, heights[y], widths[x],
                         (x + y) % 3 ? GLYPHS_FULL : GLYPHS_HALF);
            if (!is_clean(&text, heights[y])) {
                dirty++;
                tap_note("%d x %d", widths[x], heights[y]);
            }
            buf_done(&text);
            ui_state_done(&state);
        }
    tap_int(dirty, 0, "%s at every size is clean text", screens[screen].name);
    fake_free(f);
}

/* A canvas clips: what is drawn at, over and beyond its edges stays inside. */
static void test_clipping(void)
{
    WINDOW *win = newpad(9, 20);
    struct palette palette = {0};
    struct buf text = BUF_INIT;

    for (int y = 0; y < 9; y++)
        mvwhline(win, y, 0, 'X', 20);
    struct canvas all = canvas_of(win, &palette, GLYPHS_FULL);
    struct canvas c = canvas_part(&all, (struct rect){3, 5, 3, 10});
    canvas_text(&c, 0, 3, 99, ROLE_TEXT, "much too long for here");
    canvas_text(&c, 1, 9, 99, ROLE_TEXT, "\xe4\xb8\xad"); /* two columns, one left */
    canvas_text(&c, -1, 0, 99, ROLE_TEXT, "above");
    canvas_text(&c, 3, 0, 99, ROLE_TEXT, "below");
    canvas_text(&c, 0, -3, 99, ROLE_TEXT, "left");
    canvas_bar(&c, 1, 0, 99, 1, ROLE_READ);
    canvas_column(&c, 2, 2, 99, 1, ROLE_READ);
    canvas_hline(&c, 2, -5, 99, ROLE_FRAME);
    canvas_tint(&c, 2, 5, 99, ROLE_CURSOR);
    struct canvas outside = canvas_part(&c, (struct rect){1, -50, 99, 300});
    canvas_fill(&outside, ROLE_TEXT);
    struct canvas nowhere = canvas_part(&c, (struct rect){7, 7, 5, 5});
    tap_int(nowhere.rows + nowhere.cols, 0, "a part outside is empty");
    canvas_fill(&nowhere, ROLE_TEXT);
    picture_read(&text, win);
    int lost = 0;
    for (int y = 0; y < 9; y++)
        for (int x = 0; x < 20; x++)
            if (y < 3 || y >= 6 || x < 5 || x >= 15)
                lost += (mvwinch(win, y, x) & A_CHARTEXT) != 'X';
    tap_int(lost, 0, "nothing outside the canvas was touched");
    buf_done(&text);
    delwin(win);
}

/* Buffered because direct I/O does not work: said in red at any size with a title. */
static void test_buffered(void)
{
    static const struct {
        int rows, cols;
    } at[] = {{24, 80}, {50, 160}, {10, 40}};

    for (size_t i = 0; i < sizeof(at) / sizeof(at[0]); i++) {
        struct fake *f = fake_new(FAKE_CDM);
        struct plan plan = *fake_run(f)->plan;
        const struct plan *own = fake_run(f)->plan;
        struct ui_state state;
        const struct scene scene = {fake_model(f), &state};
        struct buf b = BUF_INIT;
        ui_state_init(&state);
        plan.fell_back = true;
        fake_run(f)->plan = &plan;
        picture_draw(&b, &scene, at[i].rows, at[i].cols, GLYPHS_ASCII);
        tap_ok(b.data && strstr(b.data, "!! BUFFERED I/O"),
               "buffered against one's will: said at %dx%d", at[i].cols, at[i].rows);
        fake_run(f)->plan = own;
        ui_state_done(&state);
        fake_free(f);
        buf_done(&b);
    }
}

int main(void)
{
    if (!picture_begin("xterm-256color")) {
        tap_skip("no UTF-8 locale or no terminfo entry", "screens");
        return tap_done();
    }
    for (size_t i = 0; i < sizeof(screens) / sizeof(screens[0]); i++) {
        check(i, GLYPHS_FULL);
        check(i, GLYPHS_ASCII);
        sweep(i);
    }
    test_clipping();
    test_buffered();
    picture_end();
    return tap_done();
}
