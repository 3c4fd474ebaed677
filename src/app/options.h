/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef STHD_APP_OPTIONS_H
#define STHD_APP_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sthd/book.h"
#include "sthd/buf.h"
#include "sthd/err.h"
#include "sthd/knob.h"
#include "sthd/result.h"
#include "sthd/settings.h"

/*
 * The command line. Pure: argv and what was taken from the environment come in, a struct or a
 * sentence goes out. One table drives the parser, --help and the test that keeps the man page and
 * the completions honest.
 *
 * Not getopt_long(3): it takes abbreviations (a script that says --run breaks on the day a second
 * option begins so), obeys POSIXLY_CORRECT, and keeps its place in globals. Here a long option is
 * its whole name; what is close to one is named in the sentence that refuses it.
 */

enum face { FACE_AUTO, FACE_TEXT, FACE_TUI };

enum colour_when { COLOUR_AUTO, COLOUR_ALWAYS, COLOUR_NEVER };

enum options_request {
    REQUEST_RUN,
    REQUEST_HELP,
    REQUEST_VERSION,
    REQUEST_LIST_PROFILES,
    REQUEST_SHOW_PROFILE, /* settings.profile */
    REQUEST_LIST_THEMES,
    REQUEST_PROBE,        /* not answered by options_answer: it needs the target */
    REQUEST_REPAIR_KNOBS, /* nor this: it changes the machine */
};

/* What matters of the environment; NULL: not set. Borrowed, must outlive the options. */
struct options_env {
    const char *no_color;       /* NO_COLOR */
    const char *force_color;    /* FORCE_COLOR */
    const char *clicolor_force; /* CLICOLOR_FORCE */
    const char *clicolor;       /* CLICOLOR */
    const char *term;           /* TERM */
};

struct options {
    struct settings settings; /* settings.path NULL: no PATH was given */
    enum options_request request;
    bool profile_given; /* by --profile, --watch, --job, --fio, --dd or --slog */
    enum face face;
    enum colour_when colour;
    enum result_format format;       /* --format, --json: of what is printed on stdout in the end */
    char *theme;                     /* --theme: name or file; owned; NULL: the default */
    char turn[KNOB_COUNT][CPU_WORD]; /* what each knob is turned to for the run; "" left alone */
    bool sweeps;                     /* --sweep */
    enum knob sweep;                 /* of which knob */
    bool ascii;                      /* --ascii */
    bool verbose;                    /* --verbose: fio's raw output on stderr */
    bool yes;                        /* --yes */
    bool sudo;                       /* --sudo */
    char *job;                       /* --job: owned; NULL: none */
    char *compare;                   /* --bonnie: owned; NULL: none */
    bool job_as_is;                  /* --job-as-is */
    struct strv words;               /* argv[1..] as they were given, without --sudo */
    uint32_t grace_s;                /* --grace; 0: not given, the default of fio_run */
    const char *theme_dir; /* where themes are installed; not an option: the caller sets it */
    struct options_env env;
    const struct book *book; /* the profiles there are; borrowed; NULL: the built-in ones */
};

/*
 * Reads argv[1..]. o is initialised in every case, so options_done() is always right. -h, -V and
 * the --list options end the reading: nothing behind them is looked at. Fails with a sentence and
 * EXIT_CODE_USAGE.
 */
int options_parse(struct options *o, int argc, char *const argv[], const struct options_env *env,
                  const struct book *book, struct err *e);
void options_done(struct options *o);

/*
 * Whether to colour a stream. --color decides if it was given. Then NO_COLOR (not empty) forbids;
 * FORCE_COLOR (not empty) demands, or forbids if "0"; CLICOLOR_FORCE (not empty, not "0") demands;
 * TERM=dumb or no TERM and CLICOLOR=0 forbid; a terminal gets colour, anything else does not.
 */
bool options_colour_for(enum colour_when when, const struct options_env *env, bool is_terminal);
/* The same for a descriptor of ours. */
bool options_colour(const struct options *o, int fd);

/* The text of --help: at most 24 lines of 80 columns. */
void options_help(struct buf *out);

/*
 * Prints what --help, --version or a --list option asks for on stdout; *status is the exit status
 * then. False: there is a run to do.
 */
bool options_answer(const struct options *o, int *status);

/* One row of the table. */
struct option_info {
    const char *name;  /* without dashes */
    char letter;       /* 0: none */
    const char *value; /* "SEC"; NULL: takes none */
    const char *help;  /* NULL: shares the line of the next row in --help */
};
/* NULL behind the last one. In the order of --help. */
const struct option_info *options_at(size_t i);

#endif
