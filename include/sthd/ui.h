/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef STHD_UI_H
#define STHD_UI_H

#include <stdbool.h>
#include <stdint.h>

#include "sthd/book.h"
#include "sthd/cpu.h"
#include "sthd/knob.h"
#include "sthd/lines.h"
#include "sthd/plan.h"
#include "sthd/run.h"
#include "sthd/settings.h"
#include "sthd/target.h"
#include "sthd/verdict.h"

/*
 * The full screen. It draws a ui_model (owned by the app, borrowed here, read at every draw) and
 * turns keys into messages. It never reads a file or a pipe, except themes at start; it never
 * blocks: a frame is rendered into memory and handed to the terminal as fast as that takes it;
 * while it does not, frames are skipped.
 */
struct ui;

struct ui_model {
    const struct machine *machine;
    const struct targets *targets;
    const struct target *target; /* the one that is chosen; NULL: none yet */
    const char *target_problem;  /* a sentence when settings->path cannot be used; NULL */
    const struct settings *settings;
    const struct book *book; /* the profiles there are; NULL: the built-in ones */
    const struct capability *capability;
    const struct plan *plan;      /* for the current settings; NULL: cannot be planned */
    const char *plan_problem;     /* a sentence when plan is NULL */
    const struct strv *job_files; /* of the folder that was asked for: paths; folders end in / */
    const struct strv *command;   /* fio's argv of the current or the first step; NULL */
    const struct run *run;        /* NULL: setup screen */
    const struct lines *raw;
    const struct lines *iostat;    /* of the pool below the target; NULL: it is in none */
    const struct verdict *verdict; /* of a run that is over; NULL */
    const char *sweep_text;        /* lines: what a finished sweep says; NULL: it was none */
    const char *export_name;       /* what a file for the result of this run may be called; NULL */
    const char *elapsed_note;      /* NULL */
    const char *root_offer; /* what only root can do, for the setup screen; NULL: we are root */
    const struct cpu_state *cpu;    /* NULL: not watched */
    const struct knob_panel *knobs; /* NULL: there are none */
    const char *left;               /* a sentence: what a killed run left turned; NULL */
    bool saving;
};

enum ui_message_type {
    UI_NOTHING,
    UI_PATH,       /* text: a path chosen or typed */
    UI_PROFILE,    /* profile */
    UI_JOB_FOLDER, /* text: its job files are to be listed in the model */
    UI_JOB,        /* text: the job file to take */
    UI_WATCH,     /* profile; number: test * DIRECTION_COUNT + direction. From a finished run too */
    UI_EXPORT,    /* text: a file for the result of the finished run */
    UI_MARK,      /* something was changed elsewhere */
    UI_ENGINE,    /* number: enum engine */
    UI_IO,        /* number: enum io_mode */
    UI_SIZE,      /* number: bytes (already checked) */
    UI_RUNTIME,   /* number: seconds (already checked) */
    UI_START,     /* confirmed by the user */
    UI_STOP,      /* stop the run and show what is there */
    UI_NEXT,      /* skip to the next step */
    UI_BACK,      /* from a finished run to the setup screen */
    UI_QUIT,      /* confirmed if a run was on */
    UI_SUSPEND,   /* Ctrl-Z */
    UI_INTERRUPT, /* Ctrl-C, Ctrl-\ from the keyboard: same way as the signal */
    UI_RELOAD_TARGETS,
    UI_KNOB,       /* number: enum knob; text: what to turn it to */
    UI_KNOBS_BACK, /* all as before */
    UI_IOSTAT,     /* it is looked at for the first time in this run */
    UI_SWEEP,      /* number: enum knob, KNOB_COUNT for none: the runs to come go through it */
    UI_REPAIR,     /* what a killed run left turned */
};

struct ui_message {
    enum ui_message_type type;
    uint64_t number;
    const struct profile *profile;
    char *text; /* owned by the ui, valid until the next call */
};

struct ui_options {
    const char *theme;     /* name or path; NULL: default */
    const char *theme_dir; /* where themes/ are installed */
    bool ascii;            /* glyphs: force ASCII */
    bool no_colour;
    int escape_delay_ms; /* 0: default */
};

/* -errno with a sentence (EXIT_CODE_TERMINAL) when there is no usable terminal: caller goes text
 * mode. */
int ui_open(struct ui **out, const struct ui_options *o, const struct ui_model *model,
            struct err *e);
/* Leaves the alternate screen and gives the terminal back as it was. Safe to call twice through
 * ui_suspend. */
void ui_close(struct ui *u);
/* Before SIGSTOP and after CONT. */
void ui_suspend(struct ui *u);
void ui_resume(struct ui *u);

/* The descriptor to poll: POLLIN for keys; POLLOUT too while ui_wants_write. */
int ui_fd(const struct ui *u);
bool ui_wants_write(const struct ui *u);
/* Writes what the terminal takes without blocking. False: the terminal is gone. */
bool ui_flush(struct ui *u);
/* SIGWINCH, and at start. */
void ui_resized(struct ui *u);
/*
 * Reads the keys that are there and returns the first message they make; call until UI_NOTHING.
 */
struct ui_message ui_read(struct ui *u);
/* Something in the model changed that is not counted by run->generation. */
void ui_touch(struct ui *u);
/*
 * Draws if something changed, the last frame has left, and min_gap since the last frame is over
 * (100 ms; not for keys). Returns when to call again (ns), or INT64_MAX.
 */
int64_t ui_draw(struct ui *u, int64_t now_ns);
/* Bytes written to the terminal so far, and frames: for the bench. */
uint64_t ui_bytes(const struct ui *u);
uint64_t ui_frames(const struct ui *u);
/* Asks whether to repair what model->left says. */
void ui_ask_repair(struct ui *u);
/* A sentence at the bottom line until the next key. */
void ui_say(struct ui *u, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Async-signal-safe: puts the terminal back. For fatal handlers and the out-of-memory hook; does
 * nothing if no ui is open. */
void ui_emergency_restore(void);

/* Theme names that can be chosen (built-in and found), for --help and completion; NULL-terminated,
 * caller frees with strv_done. */
void ui_theme_names(struct strv *out, const char *theme_dir);

#endif
