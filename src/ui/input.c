/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What keys do. Promises: every action has a plain letter, ESC is never the only way, what writes
 * to a disk or ends a run takes two different keys, and a paste is never a command. Must not know
 * ncurses or draw.
 */
#include "input.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "keys.h"
#include "menu.h"
#include "sthd/mem.h"
#include "sthd/sweep.h"
#include "sthd/text.h"
#include "sthd/units.h"

#define TEXT_MAX 4095 /* PATH_MAX without its NUL */

void ui_state_init(struct ui_state *s)
{
    memset(s, 0, sizeof(*s));
    buf_init(&s->text);
    buf_init(&s->search);
    strv_init(&s->themes);
    s->raw_follow = true;
    s->raw_hit = UINT64_MAX;
    s->look = SIZE_MAX;
    s->raw_page = 10;
}

void ui_state_done(struct ui_state *s)
{
    buf_done(&s->text);
    buf_done(&s->search);
    strv_done(&s->themes);
}

static void say(struct ui_state *s, bool bad, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
static void say(struct ui_state *s, bool bad, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(s->message, sizeof(s->message), fmt, ap);
    va_end(ap);
    s->bad_news = bad;
}

static size_t n_targets(const struct scene *s)
{
    return s->model->targets ? s->model->targets->n : 0;
}

static void open_overlay(struct ui_state *st, enum overlay o)
{
    st->overlay = o;
    st->scroll = 0;
}

static void open_entry(const struct scene *s, enum entry what)
{
    struct ui_state *st = s->state;
    char text[UNITS_TEXT];

    open_overlay(st, OVERLAY_ENTRY);
    st->entry = what;
    st->text_problem[0] = '\0';
    buf_clear(&st->text);
    if (what == ENTRY_PATH && s->model->settings->path)
        buf_adds(&st->text, s->model->settings->path);
    else if (what == ENTRY_SIZE)
        buf_adds(&st->text, units_size(text, settings_size_bytes(s->model->settings)));
    else if (what == ENTRY_RUNTIME)
        buf_addf(&st->text, "%u", s->model->settings->runtime_s);
    else if (what == ENTRY_EXPORT && s->model->export_name)
        buf_adds(&st->text, s->model->export_name);
}

static void open_menu(const struct scene *s, enum field f)
{
    struct ui_state *st = s->state;
    struct menu m;

    if (f < FIELD_COUNT)
        st->focus = f;
    st->menu = f;
    st->menu_cursor = 0;
    open_overlay(st, OVERLAY_MENU);
    menu_build(&m, s, f);
    for (size_t i = 0; i < m.n; i++)
        if (m.items[i].chosen)
            st->menu_cursor = i;
}

static void choose_path(struct ui_message *msg, const char *path)
{
    msg->type = UI_PATH;
    msg->text = mem_strdup(path);
}

/* --- menus ---------------------------------------------------------------------------------- */

static void take_item(const struct scene *s, const struct menu_item *item, struct ui_message *msg)
{
    static const enum entry entries[MENU_COUNT] = {[FIELD_JOB] = ENTRY_JOB,
                                                   [FIELD_TARGET] = ENTRY_PATH,
                                                   [FIELD_SIZE] = ENTRY_SIZE,
                                                   [FIELD_RUNTIME] = ENTRY_RUNTIME};
    static const enum ui_message_type types[MENU_COUNT] = {
        [FIELD_WATCH] = UI_WATCH,    [FIELD_TARGET] = UI_PATH, [FIELD_PROFILE] = UI_PROFILE,
        [FIELD_ENGINE] = UI_ENGINE,  [FIELD_IO] = UI_IO,       [FIELD_SIZE] = UI_SIZE,
        [FIELD_RUNTIME] = UI_RUNTIME};
    struct ui_state *st = s->state;

    if (!item->enabled) {
        say(st, true, "%s: %s", item->label, item->why[0] ? item->why : "not possible here");
        return;
    }
    if (item->act == MENU_ENTRY) {
        open_entry(s, entries[st->menu]);
        return;
    }
    if (item->act == MENU_FOLDER) {
        msg->type = UI_JOB_FOLDER;
        msg->text = mem_strdup(item->text);
        st->menu = FIELD_JOB;
        st->menu_cursor = 0;
        return;
    }
    st->overlay = OVERLAY_NONE;
    if (st->menu == FIELD_JOB) {
        msg->type = UI_JOB;
        msg->text = mem_strdup(item->text);
        return;
    }
    if (st->menu == FIELD_TARGET) {
        choose_path(msg, item->text);
        return;
    }
    msg->type = types[st->menu];
    msg->number = item->value;
    msg->profile = item->profile;
}

static size_t move(size_t at, int key, size_t n)
{
    if (n == 0)
        return 0;
    switch (key) {
    case KEY_CODE_UP:
    case 'k':
        return at > 0 ? at - 1 : 0;
    case KEY_CODE_DOWN:
    case 'j':
        return at + 1 < n ? at + 1 : n - 1;
    case KEY_CODE_HOME:
        return 0;
    case KEY_CODE_END:
        return n - 1;
    case KEY_CODE_PAGE_UP:
        return at > 8 ? at - 8 : 0;
    case KEY_CODE_PAGE_DOWN:
        return at + 8 < n ? at + 8 : n - 1;
    default:
        return at < n ? at : n - 1;
    }
}

static bool is_close(int key)
{
    return key == KEY_CODE_ESC || key == 'q';
}

static void menu_key(const struct scene *s, int key, struct ui_message *msg)
{
    struct ui_state *st = s->state;
    struct menu m;

    menu_build(&m, s, st->menu);
    if (is_close(key) || (key == menu_field_key(st->menu) && m.n < 10)) {
        st->overlay = OVERLAY_NONE;
        return;
    }
    st->menu_cursor = move(st->menu_cursor, key, m.n);
    if ((key == KEY_CODE_ENTER || key == ' ') && m.n) {
        take_item(s, &m.items[st->menu_cursor], msg);
        return;
    }
    for (size_t i = 0; i < m.n; i++)
        if (key < 0x80 && m.items[i].key == key) {
            st->menu_cursor = i;
            take_item(s, &m.items[i], msg);
            return;
        }
}

/* --- the raw pane --------------------------------------------------------------------------- */

static bool line_shown(const struct ui_state *st, const struct line *l)
{
    return st->raw_filter == RAW_ALL || l->source != LINE_STDOUT;
}

static bool contains(const char *text, const char *needle)
{
    size_t n = strlen(needle);

    for (; *text; text++) {
        size_t i = 0;
        while (i < n && text[i] &&
               (text[i] | (text[i] >= 'A' && text[i] <= 'Z' ? 0x20 : 0)) ==
                   (needle[i] | (needle[i] >= 'A' && needle[i] <= 'Z' ? 0x20 : 0)))
            i++;
        if (i == n)
            return true;
    }
    return false;
}

/* The next line with the searched text, from the last hit on, up (towards older) or down. */
static void search(const struct scene *s, bool older)
{
    const struct lines *raw = scene_raw(s);
    struct ui_state *st = s->state;

    if (st->search.len == 0 || !raw || lines_count(raw) == 0)
        return;
    uint64_t first = lines_first(raw), end = first + lines_count(raw);
    uint64_t at = st->raw_hit >= first && st->raw_hit < end ? st->raw_hit : end;
    for (size_t i = 0; i < lines_count(raw); i++) {
        if (older)
            at = at == first ? end - 1 : at - 1;
        else
            at = at + 1 >= end ? first : at + 1;
        struct line l = lines_at(raw, at);
        if (line_shown(st, &l) && contains(l.text, st->search.data)) {
            st->raw_hit = at;
            st->raw_follow = false;
            uint64_t half = (uint64_t)(st->raw_page / 2);
            st->raw_top = at > first + half ? at - half : first;
            return;
        }
    }
    st->raw_hit = UINT64_MAX;
    say(st, true, "\"%.60s\" is not in what %s said so far", st->search.data,
        st->raw_iostat ? "zpool iostat" : "fio");
}

static void scroll_raw(const struct scene *s, int64_t by)
{
    const struct lines *raw = scene_raw(s);
    struct ui_state *st = s->state;

    if (!raw)
        return;
    uint64_t first = lines_first(raw), end = first + lines_count(raw);
    uint64_t page = (uint64_t)st->raw_page;
    uint64_t last_top = end > first + page ? end - page : first;
    uint64_t top = st->raw_follow || st->raw_top > last_top ? last_top : st->raw_top;
    if (by < 0)
        top = top > first + (uint64_t)-by ? top - (uint64_t)-by : first;
    else
        top = last_top - top > (uint64_t)by ? top + (uint64_t)by : last_top;
    st->raw_top = top;
    st->raw_follow = top == last_top;
}

static void toggle_raw(struct ui_state *st, bool iostat)
{
    st->raw_open = !st->raw_open || st->raw_iostat != iostat;
    st->raw_iostat = iostat;
    st->raw_follow = true;
    st->raw_hit = UINT64_MAX;
}

static void toggle_iostat(const struct scene *s, struct ui_message *msg)
{
    if (!s->model->iostat) {
        say(s->state, true, "there is no ZFS pool below this path for zpool iostat to show");
        return;
    }
    toggle_raw(s->state, true);
    if (scene_running(s))
        msg->type = UI_IOSTAT;
}

static bool raw_key(const struct scene *s, int key)
{
    struct ui_state *st = s->state;

    switch (key) {
    case KEY_CODE_UP:
    case 'k':
        scroll_raw(s, -1);
        return true;
    case KEY_CODE_DOWN:
    case 'j':
        scroll_raw(s, 1);
        return true;
    case KEY_CODE_PAGE_UP:
    case '-':
        scroll_raw(s, -st->raw_page);
        return true;
    case KEY_CODE_PAGE_DOWN:
    case ' ':
        scroll_raw(s, st->raw_page);
        return true;
    case KEY_CODE_HOME:
        scroll_raw(s, -INT64_C(1000000000));
        return true;
    case KEY_CODE_END:
    case 'l':
        st->raw_follow = true;
        return true;
    case 'o':
        st->raw_filter = st->raw_filter == RAW_ALL ? RAW_NOTES : RAW_ALL;
        return true;
    case '/':
        open_entry(s, ENTRY_SEARCH);
        return true;
    case '<':
        search(s, true);
        return true;
    case '>':
        search(s, false);
        return true;
    default:
        return false;
    }
}

/* --- text fields ---------------------------------------------------------------------------- */

static void entry_add(struct ui_state *st, const char *text, size_t len)
{
    if (st->text.len + len > TEXT_MAX)
        len = TEXT_MAX - st->text.len;
    buf_add(&st->text, text, len);
}

static void entry_delete(struct ui_state *st)
{
    size_t n = st->text.len;

    if (n == 0)
        return;
    n--;
    while (n > 0 && ((unsigned char)st->text.data[n] & 0xc0) == 0x80)
        n--;
    st->text.len = n;
    st->text.data[n] = '\0';
}

static void entry_done(const struct scene *s, struct ui_message *msg)
{
    struct ui_state *st = s->state;
    const char *text = st->text.data ? st->text.data : "";
    struct err e = {0};
    uint64_t bytes;
    uint32_t seconds;
    int rc = 0;

    switch (st->entry) {
    case ENTRY_PATH:
        if (!*text)
            rc = err_set(&e, EXIT_CODE_USAGE, 0, "type a directory, such as /mnt/tank");
        else
            choose_path(msg, text);
        break;
    case ENTRY_SIZE:
        rc = units_parse_size(text, "size", &bytes, &e);
        if (rc == 0 && bytes < SETTINGS_SIZE_MIN)
            rc = err_set(&e, EXIT_CODE_USAGE, 0, "the size must be at least 4 MiB");
        msg->type = rc == 0 ? UI_SIZE : UI_NOTHING;
        msg->number = rc == 0 ? bytes : 0;
        break;
    case ENTRY_RUNTIME:
        rc = units_parse_seconds(text, "runtime", 1, SETTINGS_RUNTIME_MAX, &seconds, &e);
        msg->type = rc == 0 ? UI_RUNTIME : UI_NOTHING;
        msg->number = rc == 0 ? seconds : 0;
        break;
    case ENTRY_EXPORT:
        if (!*text) {
            rc = err_set(&e, EXIT_CODE_USAGE, 0, "type a file, such as result.json");
        } else {
            msg->type = UI_EXPORT;
            msg->text = mem_strdup(text);
        }
        break;
    case ENTRY_JOB:
        if (!*text) {
            rc = err_set(&e, EXIT_CODE_USAGE, 0, "type a job file, such as /root/db.fio");
        } else {
            msg->type = UI_JOB;
            msg->text = mem_strdup(text);
        }
        break;
    case ENTRY_SEARCH:
        buf_clear(&st->search);
        buf_adds(&st->search, text);
        st->raw_hit = UINT64_MAX;
        search(s, true);
        break;
    }
    if (rc < 0)
        snprintf(st->text_problem, sizeof(st->text_problem), "%s", e.text);
    else
        st->overlay = OVERLAY_NONE;
}

static void entry_key(const struct scene *s, int key, struct ui_message *msg)
{
    struct ui_state *st = s->state;

    if (key == KEY_CODE_ENTER) {
        entry_done(s, msg);
    } else if (key == KEY_CODE_ESC || key == KEY_CODE_CTRL('g')) {
        st->overlay = OVERLAY_NONE;
    } else if (key == KEY_CODE_BACKSPACE && st->text.len == 0) {
        st->overlay = OVERLAY_NONE;
    } else if (key == KEY_CODE_BACKSPACE) {
        entry_delete(st);
    } else if (key == KEY_CODE_CTRL('u')) {
        buf_clear(&st->text);
    } else if (key == KEY_CODE_CTRL('w')) {
        do
            entry_delete(st);
        while (st->text.len && st->text.data[st->text.len - 1] != '/' &&
               st->text.data[st->text.len - 1] != ' ');
    } else if (key >= 0x20 && key < 0x100) {
        const char c = (char)key;
        entry_add(st, &c, 1);
    }
}

/* --- questions ------------------------------------------------------------------------------ */

static void ask(struct ui_state *st, enum question q)
{
    st->question = q;
    open_overlay(st, OVERLAY_ASK);
}

static void ask_start(const struct scene *s)
{
    const struct ui_model *m = s->model;

    if (m->target_problem)
        say(s->state, true, "%s", m->target_problem);
    else if (!m->settings->path)
        say(s->state, true, "choose a target first: Up and Down, then Enter; or o for any path");
    else if (!m->plan)
        say(s->state, true, "%s", m->plan_problem ? m->plan_problem : "there is no plan yet");
    else if (m->machine && m->machine->fio_problem[0])
        say(s->state, true, "%s", m->machine->fio_problem);
    else
        ask(s->state, ASK_START);
}

static void ask_key(const struct scene *s, int key, struct ui_message *msg)
{
    static const enum ui_message_type yes[] = {
        [ASK_START] = UI_START, [ASK_WEAR] = UI_START, [ASK_STOP] = UI_STOP,
        [ASK_NEXT] = UI_NEXT,   [ASK_QUIT] = UI_QUIT,  [ASK_REPAIR] = UI_REPAIR,
    };
    struct ui_state *st = s->state;

    if (key == 'y' || key == 'Y') {
        if (st->question == ASK_START && s->model->settings->profile->wears) {
            ask(st, ASK_WEAR);
            return;
        }
        st->overlay = OVERLAY_NONE;
        /* The run may have ended while the question stood there. */
        bool start = st->question == ASK_START || st->question == ASK_WEAR;
        if (start ? scene_in_setup(s)
                  : scene_running(s) || st->question == ASK_QUIT || st->question == ASK_REPAIR)
            msg->type = yes[st->question];
    } else if (key == 'n' || key == 'N' || is_close(key) || key == KEY_CODE_BACKSPACE) {
        st->overlay = OVERLAY_NONE;
    }
}

/* --- themes, help, command -------------------------------------------------------------------- */

static unsigned themes_key(const struct scene *s, int key)
{
    struct ui_state *st = s->state;
    size_t was = st->theme_cursor;

    if (is_close(key)) {
        st->theme_cursor = st->theme_before;
        st->overlay = OVERLAY_NONE;
    } else if (key == KEY_CODE_ENTER || key == 't' || key == ' ') {
        st->overlay = OVERLAY_NONE;
    } else if (key >= '1' && key <= '9' && (size_t)(key - '1') < st->themes.n) {
        st->theme_cursor = (size_t)(key - '1');
    } else {
        st->theme_cursor = move(st->theme_cursor, key, st->themes.n);
    }
    return st->theme_cursor != was ? INPUT_REDRAW | INPUT_THEME : INPUT_REDRAW;
}

/* Views clip scroll to what there is. */
static void text_overlay_key(struct ui_state *st, int key, int own)
{
    if (is_close(key) || key == own || key == KEY_CODE_ENTER)
        st->overlay = OVERLAY_NONE;
    else if (key == KEY_CODE_UP || key == 'k')
        st->scroll -= 1;
    else if (key == KEY_CODE_DOWN || key == 'j')
        st->scroll += 1;
    else if (key == KEY_CODE_PAGE_UP || key == '-')
        st->scroll -= 10;
    else if (key == KEY_CODE_PAGE_DOWN || key == ' ')
        st->scroll += 10;
    else if (key == KEY_CODE_HOME)
        st->scroll = 0;
    if (st->scroll < 0)
        st->scroll = 0;
}

/* --- knobs ------------------------------------------------------------------------------------ */

static void turn_on(const struct scene *s, enum knob k, struct ui_message *msg)
{
    const struct knob_state *knob = &s->model->knobs->knobs[k];
    const char *next = knob_next(s->model->knobs, k, s->model->cpu);

    if (s->model->left) {
        ask(s->state, ASK_REPAIR); /* else what is saved would not be what was */
    } else if (knob->problem[0] || !next) {
        say(s->state, true, "%s", knob->problem[0] ? knob->problem : "it was not looked at yet");
    } else {
        msg->type = UI_KNOB;
        msg->number = k;
        msg->text = mem_strdup(next);
    }
}

static void next_sweep(const struct scene *s, struct ui_message *msg)
{
    enum knob next = sweep_next(&s->model->settings->sweep, s->model->knobs);

    if (s->model->left) {
        ask(s->state, ASK_REPAIR);
    } else if (next == KNOB_COUNT && s->model->settings->sweep.n == 0) {
        say(s->state, true, "no knob of this computer can be turned: there is nothing to sweep");
    } else {
        msg->type = UI_SWEEP;
        msg->number = next;
    }
}

static void knobs_key(const struct scene *s, int key, struct ui_message *msg)
{
    const char *at = key > 0 && key < 0x80 ? strchr(SCENE_KNOB_KEYS, key) : NULL;

    if (is_close(key) || key == KEY_CODE_ENTER || !s->model->knobs)
        s->state->overlay = OVERLAY_NONE;
    else if (at)
        turn_on(s, (enum knob)(at - SCENE_KNOB_KEYS), msg);
    else if (key == '0')
        msg->type = UI_KNOBS_BACK;
    else if (key == 's' && scene_in_setup(s))
        next_sweep(s, msg);
}

/* --- screens ---------------------------------------------------------------------------------- */

static void open_themes(struct ui_state *st)
{
    st->theme_before = st->theme_cursor;
    open_overlay(st, OVERLAY_THEMES);
}

/* Keys that mean the same everywhere. */
static bool common_key(const struct scene *s, int key)
{
    struct ui_state *st = s->state;

    switch (key) {
    case '?':
    case 'h':
        open_overlay(st, OVERLAY_HELP);
        return true;
    case 't':
        open_themes(st);
        return true;
    case 'f':
        open_overlay(st, OVERLAY_COMMAND);
        return true;
    case 'g':
        if (s->model->knobs)
            open_overlay(st, OVERLAY_KNOBS);
        return true;
    default:
        return false;
    }
}

bool input_cursor_is_chosen(const struct scene *s)
{
    const struct ui_model *m = s->model;
    size_t at = s->state->target_cursor;

    if (!m->settings->path)
        return false;
    if (at < n_targets(s))
        return strcmp(m->settings->path, m->targets->items[at].path) == 0;
    for (size_t i = 0; i < n_targets(s); i++)
        if (strcmp(m->settings->path, m->targets->items[i].path) == 0)
            return false;
    return true; /* the last line shows the path that was typed */
}

static void target_enter(const struct scene *s, struct ui_message *msg)
{
    size_t n = n_targets(s), at = s->state->target_cursor;

    if (input_cursor_is_chosen(s))
        ask_start(s);
    else if (at >= n)
        open_entry(s, ENTRY_PATH);
    else
        choose_path(msg, s->model->targets->items[at].path);
}

static void setup_key(const struct scene *s, int key, struct ui_message *msg)
{
    struct ui_state *st = s->state;
    size_t n = n_targets(s) + 1; /* and "other path..." */

    if (common_key(s, key))
        return;
    for (int f = FIELD_PROFILE; f < FIELD_COUNT; f++)
        if (key == menu_field_key((enum field)f)) {
            open_menu(s, (enum field)f);
            return;
        }
    if (key >= '1' && key <= '9') {
        size_t i = (size_t)(key - '1');
        st->focus = FIELD_TARGET;
        if (i < n) {
            st->target_cursor = i;
            st->cursor_moved = true;
            if (i < n - 1 && !input_cursor_is_chosen(s))
                choose_path(msg, s->model->targets->items[i].path);
            else if (i == n - 1)
                open_entry(s, ENTRY_PATH);
        }
        return;
    }
    switch (key) {
    case 'q':
        msg->type = UI_QUIT;
        break;
    case 's':
        ask_start(s);
        break;
    case 'o':
        st->focus = FIELD_TARGET;
        open_entry(s, ENTRY_PATH);
        break;
    case 'u':
        msg->type = UI_RELOAD_TARGETS;
        break;
    case 'w':
        open_menu(s, FIELD_WATCH);
        break;
    case KEY_CODE_TAB:
    case KEY_CODE_RIGHT:
        st->focus = (enum field)((st->focus + 1) % FIELD_COUNT);
        break;
    case KEY_CODE_BACKTAB:
    case KEY_CODE_LEFT:
        st->focus = (enum field)((st->focus + FIELD_COUNT - 1) % FIELD_COUNT);
        break;
    case KEY_CODE_ENTER:
        if (st->focus == FIELD_TARGET)
            target_enter(s, msg);
        else
            open_menu(s, st->focus);
        break;
    case ' ':
        if (st->focus != FIELD_TARGET)
            open_menu(s, st->focus);
        else if (!input_cursor_is_chosen(s))
            target_enter(s, msg);
        break;
    case KEY_CODE_UP:
    case KEY_CODE_DOWN:
    case 'j':
    case 'k':
        st->cursor_moved = true;
        if (st->focus != FIELD_TARGET) { /* through the fields, and up out of them */
            bool up = key == KEY_CODE_UP || key == 'k';
            if (up || st->focus + 1 < FIELD_COUNT)
                st->focus = (enum field)(st->focus + (up ? -1 : 1));
            break;
        }
        if ((key == KEY_CODE_DOWN || key == 'j') && st->target_cursor + 1 >= n) {
            st->focus = FIELD_PROFILE;
            break;
        }
        st->target_cursor = move(st->target_cursor, key, n);
        break;
    default:
        if (st->focus == FIELD_TARGET && key >= 0x200) {
            st->cursor_moved = true;
            st->target_cursor = move(st->target_cursor, key, n);
        }
        break;
    }
}

static void run_key(const struct scene *s, int key, struct ui_message *msg)
{
    struct ui_state *st = s->state;
    bool stopping = s->model->run->state == RUN_STOPPING;

    if (st->raw_open && raw_key(s, key))
        return;
    if (common_key(s, key))
        return;
    switch (key) {
    case 's':
        if (stopping) /* asked for already: this is "now" */
            msg->type = UI_STOP;
        else
            ask(st, ASK_STOP);
        break;
    case 'n':
        if (s->model->run->plan->endless)
            say(st, false, "there is no next test: this one runs until it is stopped, with s");
        else
            ask(st, ASK_NEXT);
        break;
    case 'v':
        say(st, false, "the verdict is given when the run is over");
        break;
    case 'm':
        msg->type = UI_MARK;
        break;
    case 'q':
        ask(st, ASK_QUIT);
        break;
    case 'r':
        toggle_raw(st, false);
        break;
    case 'z':
        toggle_iostat(s, msg);
        break;
    case KEY_CODE_ESC:
        st->raw_open = false;
        break;
    default:
        break;
    }
}

/* The next or previous step that has figures. */
static void look_at(const struct scene *s, bool next)
{
    const struct run *r = s->model->run;
    size_t n = r->plan->n_steps, at = s->state->look < n ? s->state->look : n - 1;

    for (size_t i = 0; i < n; i++) {
        at = next ? (at + 1) % n : (at + n - 1) % n;
        const struct step *step = &r->plan->steps[at];
        if (step->kind == STEP_MEASURE && r->cells[step->test][step->direction].n_kept > 0) {
            s->state->look = at;
            return;
        }
    }
}

/* The cell that is looked at, to be watched. */
static void watch_cell(const struct scene *s, struct ui_message *msg)
{
    const struct run *r = s->model->run;
    const struct profile *p = r->plan->settings.profile;
    size_t at = s->state->look < r->plan->n_steps ? s->state->look : r->step;
    const struct step *step = &r->plan->steps[at];

    if (step->kind != STEP_MEASURE || !profile_can_watch(p, step->test, step->direction)) {
        say(s->state, false, "this cannot be watched: only tests of fio that are bounded by time");
        return;
    }
    msg->type = UI_WATCH;
    msg->profile = p;
    msg->number = step->test * DIRECTION_COUNT + (uint64_t)step->direction;
}

static void done_key(const struct scene *s, int key, struct ui_message *msg)
{
    struct ui_state *st = s->state;

    if (st->raw_open && raw_key(s, key))
        return;
    if (common_key(s, key))
        return;
    switch (key) {
    case 'q':
        msg->type = UI_QUIT;
        break;
    case 'b':
    case KEY_CODE_ENTER:
        st->raw_open = false;
        msg->type = UI_BACK;
        break;
    case 'v':
        open_overlay(st, OVERLAY_VERDICT);
        break;
    case 'w':
        st->raw_open = false;
        watch_cell(s, msg);
        break;
    case 'c':
        if (s->model->sweep_text)
            open_overlay(st, OVERLAY_SWEEP);
        break;
    case 'x':
        open_entry(s, ENTRY_EXPORT);
        break;
    case KEY_CODE_DOWN:
    case KEY_CODE_RIGHT:
    case 'j':
        look_at(s, true);
        break;
    case KEY_CODE_UP:
    case KEY_CODE_LEFT:
    case 'k':
        look_at(s, false);
        break;
    case 'r':
        toggle_raw(st, false);
        break;
    case 'z':
        toggle_iostat(s, msg);
        break;
    case KEY_CODE_ESC:
        st->raw_open = false;
        break;
    default:
        break;
    }
}

unsigned input_key(const struct scene *s, int key, struct ui_message *msg)
{
    struct ui_state *st = s->state;

    memset(msg, 0, sizeof(*msg));
    st->message[0] = '\0';
    st->bad_news = false;
    switch (key) { /* always, whatever is open */
    case KEY_CODE_CTRL('c'):
    case KEY_CODE_CTRL('\\'):
        st->overlay = OVERLAY_NONE;
        msg->type = UI_INTERRUPT;
        return INPUT_REDRAW;
    case KEY_CODE_CTRL('z'):
        msg->type = UI_SUSPEND;
        return INPUT_REDRAW;
    case KEY_CODE_CTRL('l'):
        return INPUT_REDRAW | INPUT_REPAINT;
    default:
        break;
    }
    switch (st->overlay) {
    case OVERLAY_MENU:
        menu_key(s, key, msg);
        break;
    case OVERLAY_ENTRY:
        entry_key(s, key, msg);
        break;
    case OVERLAY_ASK:
        ask_key(s, key, msg);
        break;
    case OVERLAY_THEMES:
        return themes_key(s, key);
    case OVERLAY_HELP:
        text_overlay_key(st, key, '?');
        break;
    case OVERLAY_COMMAND:
        text_overlay_key(st, key, 'f');
        break;
    case OVERLAY_SWEEP:
        text_overlay_key(st, key, 'c');
        break;
    case OVERLAY_VERDICT:
        text_overlay_key(st, key, 'v');
        break;
    case OVERLAY_KNOBS:
        knobs_key(s, key, msg);
        break;
    case OVERLAY_NONE:
        if (scene_in_setup(s))
            setup_key(s, key, msg);
        else if (scene_running(s))
            run_key(s, key, msg);
        else
            done_key(s, key, msg);
        break;
    }
    return INPUT_REDRAW;
}

unsigned input_paste(const struct scene *s, const char *text, size_t len)
{
    struct ui_state *st = s->state;

    if (st->overlay != OVERLAY_ENTRY) {
        say(st, false, "that came like a paste and was ignored; type keys one by one");
        return INPUT_REDRAW;
    }
    while (len > 0 && (*text == '\r' || *text == '\n' || *text == ' ')) {
        text++;
        len--;
    }
    size_t line = 0; /* a path has no line ends: the first line is meant */
    while (line < len && text[line] != '\r' && text[line] != '\n')
        line++;
    entry_add(st, text, line);
    return INPUT_REDRAW;
}
