/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef STHD_UI_SCENE_H
#define STHD_UI_SCENE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "layout.h"
#include "sthd/buf.h"
#include "sthd/ui.h"

/*
 * What is on the screen beside the model: where the keys go, which dialog is open, how far things
 * are scrolled. Plain data, no ncurses: input.c changes it, views read it.
 */
enum field {
    FIELD_TARGET,
    FIELD_PROFILE,
    FIELD_ENGINE,
    FIELD_IO,
    FIELD_SIZE,
    FIELD_RUNTIME,
};
#define FIELD_COUNT 6
/* Menus without a field of their own. */
#define FIELD_WATCH ((enum field)FIELD_COUNT)
#define FIELD_JOB   ((enum field)(FIELD_COUNT + 1))
#define MENU_COUNT  8

enum overlay {
    OVERLAY_NONE,
    OVERLAY_MENU,
    OVERLAY_ENTRY,
    OVERLAY_ASK,
    OVERLAY_HELP,
    OVERLAY_COMMAND,
    OVERLAY_VERDICT,
    OVERLAY_SWEEP,
    OVERLAY_THEMES,
    OVERLAY_KNOBS,
};

/* In the order of enum knob. */
#define SCENE_KNOB_KEYS "gebl"

enum entry {
    ENTRY_PATH,
    ENTRY_SIZE,
    ENTRY_RUNTIME,
    ENTRY_SEARCH,
    ENTRY_EXPORT,
    ENTRY_JOB,
};

enum question {
    ASK_START,
    ASK_WEAR, /* after ASK_START, for a profile that wears */
    ASK_STOP,
    ASK_NEXT,
    ASK_QUIT,
    ASK_REPAIR,
};

enum raw_filter {
    RAW_ALL,
    RAW_NOTES, /* without fio's standard output: what went wrong, and what we did */
};

struct ui_state {
    enum field focus;
    size_t target_cursor; /* in the list; its length: "other path..." */
    bool cursor_moved;    /* until then it stays on what is chosen */
    enum overlay overlay;
    enum field menu; /* whose menu is open */
    size_t menu_cursor;
    enum entry entry;
    struct buf text;        /* what is being typed; bytes */
    char text_problem[512]; /* why it was not taken */
    enum question question;
    int scroll; /* of help and command */
    bool raw_open, raw_follow;
    bool raw_iostat; /* the pane shows what zpool iostat says */
    enum raw_filter raw_filter;
    uint64_t raw_top;    /* number of the first line shown when not following */
    int raw_page;        /* lines the pane had when it was drawn last; for paging */
    struct buf search;   /* last search, "" none */
    uint64_t raw_hit;    /* number of the line found, UINT64_MAX none */
    struct strv themes;  /* names */
    size_t theme_cursor; /* the one shown */
    size_t theme_before; /* the one to go back to */
    char theme_problem[512];
    size_t look;         /* step of a finished run that is looked at; SIZE_MAX: the last */
    int64_t stopping_ns; /* run's clock when it was first seen stopping; 0: it is not */
    char message[512];   /* until the next key */
    bool bad_news;       /* the message is an error */
};

struct scene {
    const struct ui_model *model;
    struct ui_state *state;
};

static inline bool scene_in_setup(const struct scene *s)
{
    return s->model->run == NULL;
}

static inline const struct lines *scene_raw(const struct scene *s)
{
    return s->state->raw_iostat ? s->model->iostat : s->model->raw;
}

static inline bool scene_running(const struct scene *s)
{
    return s->model->run && s->model->run->state != RUN_DONE;
}

void ui_state_init(struct ui_state *s);
void ui_state_done(struct ui_state *s);

#endif
