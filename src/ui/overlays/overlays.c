/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The dialogs. Each closes by its own key, by q, and by Esc; the bottom line says so. */
#include "overlays/overlays.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "menu.h"
#include "sthd/mem.h"
#include "sthd/text.h"
#include "sthd/units.h"
#include "views/views.h"

static int min_int(int a, int b)
{
    return a < b ? a : b;
}

static int max_int(int a, int b)
{
    return a > b ? a : b;
}

/* --- menus ------------------------------------------------------------------------------------ */

static void draw_item(const struct canvas *c, int y, const struct menu_item *item, int label_cols,
                      bool cursor)
{
    enum role role = !item->enabled ? ROLE_DIM : item->chosen ? ROLE_CHOSEN : ROLE_TEXT;

    if (item->key)
        canvas_printf(c, y, 0, 1, ROLE_KEY, "%c", item->key);
    if (item->chosen)
        canvas_glyph(c, y, 2, ROLE_CHOSEN, GLYPH_CHOSEN);
    canvas_text(c, y, 4, label_cols, role, item->label);
    if (c->cols - 6 - label_cols >= 10)
        canvas_text(c, y, 6 + label_cols, c->cols - 6 - label_cols, ROLE_DIM, item->why);
    if (cursor)
        canvas_tint(c, y, 2, c->cols - 2, ROLE_CURSOR);
}

/* Reasons stand beside the choices where they fit whole; else the cursor's stands below. */
#define MENU_WHY_LINES 2

void overlay_menu(const struct canvas *c, const struct scene *s)
{
    struct menu *m = mem_alloc(sizeof(*m));
    int label_cols = 8, why_cols = 0;

    menu_build(m, s, s->state->menu);
    int n = (int)m->n, cursor = min_int((int)s->state->menu_cursor, n - 1);
    for (int i = 0; i < n; i++) {
        label_cols = max_int(label_cols, text_width(m->items[i].label));
        why_cols = max_int(why_cols, text_width(m->items[i].why));
    }
    int most = c->cols - 8;
    bool below = 6 + label_cols + why_cols > most;
    int width = below ? min_int(max_int(4 + label_cols, 60), most) : 6 + label_cols + why_cols;
    int extra = below && c->rows >= min_int(n, 6) + 6 ? MENU_WHY_LINES + 1 : 0;
    int shown = min_int(n, max_int(c->rows - 4 - extra, 1)); /* the frame, and the keys below */
    struct canvas in = canvas_popup(c, shown + extra, width, m->title);
    int list = max_int(in.rows - extra, 0);
    int top = list > 0 && cursor >= list ? cursor - list + 1 : 0;
    label_cols = min_int(below ? in.cols : label_cols, in.cols - 4);
    for (int y = 0; y < list && top + y < n; y++)
        draw_item(&in, y, &m->items[top + y], label_cols, top + y == cursor);
    if (extra && cursor >= 0) {
        struct canvas why =
            canvas_part(&in, (struct rect){list + 1, 4, MENU_WHY_LINES, in.cols - 4});
        canvas_hline(&in, list, 0, in.cols, ROLE_FRAME);
        canvas_wrap(&why, 0, ROLE_DIM, m->items[cursor].why);
    }
    free(m);
}

/* --- text fields ------------------------------------------------------------------------------ */

/* The last columns of a text that is longer than its field; starts at a whole character. */
static const char *visible_tail(const char *text, int cols)
{
    while (*text && text_width(text) > cols) {
        size_t len;
        text_decode(text, strnlen(text, 8), &len);
        text += len;
    }
    return text;
}

void overlay_entry(const struct canvas *c, const struct scene *s)
{
    static const char *const titles[] = {[ENTRY_PATH] = "Measure which directory?",
                                         [ENTRY_SIZE] = "Size of the file",
                                         [ENTRY_RUNTIME] = "Runtime per test",
                                         [ENTRY_SEARCH] = "Search fio's output",
                                         [ENTRY_EXPORT] = "Save the result in which file?",
                                         [ENTRY_JOB] = "Run which job file of fio?"};
    static const char *const hints[] = {
        [ENTRY_PATH] = "Any directory you may write to; it need not be a mount point.",
        [ENTRY_SIZE] = "At least 4m. k, m, g and t are powers of 1024: 512m, 1.5g, 64g.",
        [ENTRY_RUNTIME] = "Seconds, or with s, m, h: 5, 45s, 2m.",
        [ENTRY_SEARCH] = "Case does not matter. < and > then go to older and newer lines.",
        [ENTRY_EXPORT] = "A new file. Its ending is its form: .json .csv .md .cdm, or .txt.",
        [ENTRY_JOB] = "Its sections run on our own nameless file; where it says is not touched."};
    const struct ui_state *st = s->state;
    const char *text = st->text.data ? st->text.data : "";
    struct canvas in = canvas_popup(c, 4, min_int(72, c->cols - 6), titles[st->entry]);
    struct buf safe = BUF_INIT;

    text_printable(&safe, text, strlen(text), c->glyphs == GLYPHS_ASCII);
    const char *tail = visible_tail(safe.data ? safe.data : "", in.cols - 2);
    int x = canvas_text(&in, 0, 0, in.cols, ROLE_TITLE, tail);
    canvas_text(&in, 0, x, 1, ROLE_CURSOR, " ");
    canvas_tint(&in, 0, x, 1, ROLE_CURSOR);
    for (int i = 0; i < in.cols; i++)
        canvas_glyph(&in, 1, i, ROLE_FRAME, GLYPH_HLINE);
    if (st->text_problem[0])
        canvas_text(&in, 2, 0, in.cols, ROLE_ERROR, st->text_problem);
    else
        canvas_text(&in, 2, 0, in.cols, ROLE_DIM, hints[st->entry]);
    canvas_text(&in, 3, 0, in.cols, ROLE_DIM,
                "Enter takes it, Ctrl-U empties it, Ctrl-G or Esc leaves");
    buf_done(&safe);
}

/* --- questions -------------------------------------------------------------------------------- */

/* The first few of what a job file would open where it says. */
static void as_is_question(const struct jobs *j, char *out, size_t size)
{
    struct buf text = BUF_INIT;
    size_t n = 0;

    buf_adds(&text, "The job file is taken as it is. ");
    for (size_t i = 0; i < j->n; i++)
        for (size_t k = 0; k < j->sections[i].paths.n; k++, n++)
            if (n < 4)
                buf_addf(&text, "%s%s",
                         n                                            ? ", "
                         : j->sections[i].direction == DIRECTION_READ ? "It reads "
                                                                      : "It writes ",
                         j->sections[i].paths.items[k]);
    if (n > 4)
        buf_addf(&text, " and %zu more", n - 4);
    buf_adds(&text, ". What it makes stays.");
    snprintf(out, size, "%s", text.data);
    buf_done(&text);
}

static void start_question(const struct scene *s, char *out, size_t size, char *more,
                           size_t more_size)
{
    const struct plan *p = s->model->plan;
    char file[UNITS_TEXT], took[UNITS_TEXT], end[UNITS_TEXT + 16];
    struct buf writes = BUF_INIT;

    if (!p) { /* it was there when the question was put */
        snprintf(out, size, "The plan has changed; press n and look again.");
        more[0] = '\0';
        return;
    }
    plan_describe_writes(p, &writes);
    if (p->endless)
        snprintf(end, sizeof(end), "when you say so");
    else
        snprintf(end, sizeof(end), "after about %s", units_duration(took, p->seconds));
    snprintf(out, size, "Write %s to %s?", writes.data, p->settings.path ? p->settings.path : "");
    snprintf(more, more_size,
             "One nameless file of %s is written, measured and gone when it ends, %s. Nothing that "
             "exists is touched.",
             units_size(file, p->bytes_needed), end);
    if (p->settings.device_bytes) {
        snprintf(out, size, "Read %s?", p->settings.path ? p->settings.path : "");
        snprintf(more, more_size, "The device is opened read-only: nothing is written. It ends %s.",
                 end);
    }
    if (settings_jobs(&p->settings) && settings_jobs(&p->settings)->as_is)
        as_is_question(settings_jobs(&p->settings), more, more_size);
    if (p->settings.sweep.n > 0) {
        size_t n = strlen(more);
        snprintf(more + n, more_size - n,
                 " The %s is turned through its %zu settings, and back in the end.",
                 knob_name(p->settings.sweep.knob), p->settings.sweep.n);
    }
    buf_done(&writes);
}

static void wear_question(const struct scene *s, char *out, size_t size)
{
    struct buf writes = BUF_INIT;

    if (s->model->plan)
        plan_describe_writes(s->model->plan, &writes);
    snprintf(out, size, "Really? That is %s, and uses up some of the life of flash.",
             writes.data ? writes.data : "a lot");
    buf_done(&writes);
}

void overlay_ask(const struct canvas *c, const struct scene *s)
{
    char question[512], more[400] = "";
    const char *yes = "yes", *no = "no";

    switch (s->state->question) {
    case ASK_START:
        start_question(s, question, sizeof(question), more, sizeof(more));
        yes = "start";
        no = "back";
        break;
    case ASK_WEAR:
        wear_question(s, question, sizeof(question));
        yes = "start";
        no = "back";
        break;
    case ASK_STOP:
        snprintf(question, sizeof(question), "Stop the run and keep what is measured?");
        snprintf(more, sizeof(more), "fio finishes its I/O in flight first.");
        yes = "stop";
        no = "go on";
        break;
    case ASK_NEXT:
        snprintf(question, sizeof(question), "End this test and go to the next?");
        snprintf(more, sizeof(more), "Its figures so far are kept and marked.");
        yes = "next";
        no = "go on";
        break;
    case ASK_QUIT:
        snprintf(question, sizeof(question), "Stop the run and quit?");
        snprintf(more, sizeof(more), "What is measured is printed on the way out.");
        yes = "quit";
        no = "go on";
        break;
    case ASK_REPAIR:
        snprintf(question, sizeof(question), "Set this computer back as it was?");
        snprintf(more, sizeof(more), "%s", s->model->left ? s->model->left : "It is as it was.");
        yes = "set back";
        no = "not now";
        break;
    }
    int width = min_int(64, c->cols - 6);
    int lines = canvas_wrapped(c, width, question) + canvas_wrapped(c, width, more);
    struct canvas in = canvas_popup(c, lines + 2, width, NULL);
    struct canvas top = canvas_part(&in, (struct rect){0, 0, in.rows - 1, in.cols});
    int y = canvas_wrap(&top, 0, ROLE_TITLE, question);
    canvas_wrap(&top, y, ROLE_DIM, more);
    int x = canvas_text(&in, in.rows - 1, 0, 1, ROLE_KEY, "y") + 1;
    x += canvas_text(&in, in.rows - 1, x, 12, ROLE_TEXT, yes) + 4;
    x += canvas_text(&in, in.rows - 1, x, 1, ROLE_KEY, "n") + 1;
    canvas_text(&in, in.rows - 1, x, 12, ROLE_TEXT, no);
}

/* --- help ------------------------------------------------------------------------------------- */

struct help_line {
    const char *key, *text; /* key NULL: a heading; both empty: a blank line */
};

static const struct help_line help[] = {
    {NULL, "Setting up"},
    {"1-9", "choose a target of the list; o types any other directory"},
    {"p e i z r", "profile, engine, I/O mode, size, runtime"},
    {"Tab arrows", "walk through the fields; Enter opens one"},
    {"w", "watch one test until you stop it"},
    {"s", "start: shows what will be written and asks"},
    {"u", "read the list of targets again"},
    {"", ""},
    {NULL, "During a run"},
    {"s", "stop and keep what is measured; again: kill fio at once"},
    {"n", "end this test, go on with the next"},
    {"m", "set a mark: what was before it and after it is compared"},
    {"c", "when a sweep is over: the settings of the knob beside each other"},
    {"v", "when it is over: the verdict, with what was seen, why it matters, what to do"},
    {"j k", "when it is over: look at one test after another; w watches it"},
    {"x", "when it is over: save the result in a file"},
    {"r", "fio's own output: / searches, < > older and newer hits, o leaves the reports out, l "
          "the latest, arrows scroll"},
    {"z", "zpool iostat, where there is a pool: a view people know; nothing is judged by it"},
    {"Ctrl-C", "stop; twice: out"},
    {"", ""},
    {NULL, "Always"},
    {"g", "knobs: governor, EPP, boost, wake-up limit; what is turned is turned back in the end"},
    {"f", "the full fio command, to copy"},
    {"t", "themes, shown as you walk through them"},
    {"Ctrl-L", "draw everything again"},
    {"q Esc", "close what is open; q also quits, and asks during a run"},
    {"", ""},
    {NULL, "Reading the screen"},
    {"MB/s", "10^6 bytes per second; sizes are KiB, MiB, GiB"},
    {"figures", "while a test runs, of the last interval, the mean beside it; when it is done, "
                "fio's own of the whole test"},
    {"bars", "log scale, one decade per step of the axis above them"},
    {"p50 p99", "half, and 99 of 100, of the requests took no longer"},
    {"Q T", "queue depth of each thread, number of threads"},
};
#define HELP_ITEMS  (sizeof(help) / sizeof(help[0]))
#define HELP_INDENT 13

/* Narrow: the text goes below its key. */
static bool help_is_narrow(int cols)
{
    return cols < 54;
}

static int help_height(const struct canvas *c, const struct help_line *l, int cols)
{
    if (!l->key || !l->text[0])
        return 1;
    return help_is_narrow(cols) ? 1 + canvas_wrapped(c, cols - 4, l->text)
                                : canvas_wrapped(c, cols - HELP_INDENT, l->text);
}

static void draw_help(const struct canvas *c, int y, const struct help_line *l)
{
    int below = help_is_narrow(c->cols), indent = below ? 4 : HELP_INDENT;

    if (!l->key) {
        canvas_text(c, y, 0, c->cols, ROLE_HEADING, l->text);
        return;
    }
    canvas_text(c, y, 2, below ? c->cols : HELP_INDENT - 3, ROLE_KEY, l->key);
    struct canvas part =
        canvas_part(c, (struct rect){y + below, indent, c->rows, c->cols - indent});
    canvas_wrap(&part, 0, ROLE_TEXT, l->text);
}

void overlay_help(const struct canvas *c, const struct scene *s)
{
    int width = min_int(74, c->cols - 6), total = 0;

    for (size_t i = 0; i < HELP_ITEMS; i++)
        total += help_height(c, &help[i], width);
    struct canvas in = canvas_popup(c, total, width, "Help");
    s->state->scroll = min_int(s->state->scroll, max_int(total - in.rows, 0));
    int y = -s->state->scroll;
    for (size_t i = 0; i < HELP_ITEMS && y < in.rows; i++) {
        if (y >= 0)
            draw_help(&in, y, &help[i]);
        y += help_height(c, &help[i], width);
    }
}

/* --- the command ------------------------------------------------------------------------------ */

/* One argument per line: readable, and still one command when copied. */
void overlay_command(const struct canvas *c, const struct scene *s)
{
    const struct strv *v = s->model->command;
    int n = v ? (int)v->n : 0;
    struct canvas in = canvas_popup(c, max_int(n, 1), min_int(c->cols - 6, 100), "fio command");
    int most = max_int(n - in.rows, 0);

    if (n == 0)
        canvas_text(&in, 0, 0, in.cols, ROLE_DIM, "there is no command yet");
    s->state->scroll = min_int(s->state->scroll, most);
    for (int y = 0; y < in.rows && s->state->scroll + y < n; y++) {
        int i = s->state->scroll + y;
        struct strv one = {&v->items[i], 1, 1};
        struct buf text = BUF_INIT;
        strv_quote(&one, &text);
        if (i + 1 < n)
            buf_adds(&text, " \\");
        canvas_text(&in, y, i ? 4 : 0, in.cols - (i ? 4 : 0), ROLE_TEXT, text.data);
        buf_done(&text);
    }
}

/* --- the verdict ------------------------------------------------------------------------------ */

/* From line y on, which may be above or below what the canvas shows. Returns the line after it. */
static int draw_wrapped(const struct canvas *c, int y, int x, enum role role, const char *text)
{
    struct buf line = BUF_INIT;

    for (; *text; y++) {
        size_t n = text_line(text, c->cols - x);
        buf_clear(&line);
        buf_add(&line, text, n);
        if (y >= 0 && y < c->rows)
            canvas_text(c, y, x, c->cols - x, role, line.data);
        text += n;
        text += strspn(text, " ");
    }
    buf_done(&line);
    return y;
}

/* What was seen, why it matters, what to do, and a blank line. Returns the line after it. */
static int draw_finding(const struct canvas *c, int y, size_t number, const struct finding *f)
{
    static const enum role roles[] = {[SEVERITY_MEANING] = ROLE_ERROR,
                                      [SEVERITY_LIMIT] = ROLE_HEADING,
                                      [SEVERITY_HINT] = ROLE_TEXT};

    if (y >= 0 && y < c->rows)
        canvas_printf(c, y, 0, 3, ROLE_DIM, "%zu", number);
    y = draw_wrapped(c, y, 3, roles[f->severity], f->seen);
    y = draw_wrapped(c, y, 3, ROLE_DIM, f->why);
    if (f->advice[0] && y >= 0 && y < c->rows)
        canvas_text(c, y, 3, 2, ROLE_KEY, "->");
    return draw_wrapped(c, y, 6, ROLE_TEXT, f->advice) + 1;
}

static int draw_findings(const struct canvas *c, int y, const struct verdict *v)
{
    for (size_t i = 0; i < v->n; i++)
        y = draw_finding(c, y, i + 1, &v->items[i]);
    return y;
}

void overlay_verdict(const struct canvas *c, const struct scene *s)
{
    const struct verdict *v = s->model->verdict;
    int width = max_int(min_int(90, c->cols - 6), 8);
    const struct canvas nothing = {.rows = 0, .cols = width}; /* to count lines */
    int total = v && v->n > 0 ? draw_findings(&nothing, 0, v) - 1 : 0;
    struct canvas in = canvas_popup(c, max_int(total, 1), width, "Verdict");

    if (total == 0) {
        canvas_text(&in, 0, 0, in.cols, ROLE_DIM, "nothing stands out in what could be seen");
        return;
    }
    s->state->scroll = min_int(s->state->scroll, max_int(total - in.rows, 0));
    if (in.cols >= 8) /* else there is no column for text */
        draw_findings(&in, -s->state->scroll, v);
}

/* --- a sweep ---------------------------------------------------------------------------------- */

void overlay_sweep(const struct canvas *c, const struct scene *s)
{
    const char *text = s->model->sweep_text ? s->model->sweep_text : "";
    int total = 0, y = 0;

    for (const char *t = text; *t; t++)
        total += *t == '\n';
    struct canvas in = canvas_popup(c, max_int(total, 1), min_int(80, c->cols - 2), "Sweep");
    s->state->scroll = min_int(s->state->scroll, max_int(total - in.rows, 0));
    for (int i = 0; *text; i++) {
        size_t n = strcspn(text, "\n");
        char line[512];
        snprintf(line, sizeof(line), "%.*s", (int)n, text);
        if (i >= s->state->scroll && y < in.rows)
            canvas_text(&in, y++, 0, in.cols, line[0] == ' ' ? ROLE_TEXT : ROLE_HEADING, line);
        text += n + (text[n] == '\n');
    }
}

/* --- knobs ------------------------------------------------------------------------------------ */

void overlay_knobs(const struct canvas *c, const struct scene *s)
{
    if (view_knobs_beside(c, s))
        return;
    struct canvas in = canvas_popup(c, VIEW_KNOBS_LINES + (scene_in_setup(s) ? 2 : 0),
                                    min_int(c->cols - 6, 100), "Knobs");
    view_knobs(&in, s);
}

/* --- themes ----------------------------------------------------------------------------------- */

void overlay_themes(const struct canvas *c, const struct scene *s)
{
    const struct ui_state *st = s->state;
    int n = (int)st->themes.n;
    int problem = st->theme_problem[0] ? 4 : 0;
    struct canvas in = canvas_popup(c, n + problem, min_int(44, c->cols - 6), "Theme");
    int list = max_int(in.rows - problem, 0), cursor = (int)st->theme_cursor;
    int top = list > 0 && cursor >= list ? cursor - list + 1 : 0;

    for (int y = 0; y < list && top + y < n; y++) {
        int i = top + y;
        if (i < 9)
            canvas_printf(&in, y, 0, 1, ROLE_KEY, "%d", i + 1);
        if (i == cursor)
            canvas_glyph(&in, y, 2, ROLE_CHOSEN, GLYPH_CHOSEN);
        canvas_text(&in, y, 4, in.cols - 4, i == cursor ? ROLE_CHOSEN : ROLE_TEXT,
                    st->themes.items[i]);
        if (i == cursor)
            canvas_tint(&in, y, 2, in.cols - 2, ROLE_CURSOR);
    }
    if (st->theme_problem[0])
        canvas_wrap(&in, list + 1, ROLE_ERROR, st->theme_problem);
}
