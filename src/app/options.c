/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The command line; see options.h. Promises that whatever argv holds gives either a struct that can
 * be run or one printable sentence. Must not know the environment, files or a terminal (the one
 * isatty(3) of options_colour apart).
 */
#include "options.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sthd/mem.h"
#include "sthd/text.h"
#include "sthd/units.h"

#define COUNT(a)      (sizeof(a) / sizeof((a)[0]))
#define HELP_COLUMN   34 /* where the explanations begin */
#define QUOTE_COLUMNS 60 /* as much of the user's words as a sentence repeats */
#define GRACE_MAX_S   86400u
#define PAUSE_MAX_S   3600u

enum option_id {
    OPT_FIO,
    OPT_SLOG,
    OPT_DD,
    OPT_PROFILE,
    OPT_WATCH,
    OPT_JOB,
    OPT_JOB_AS_IS,
    OPT_ENGINE,
    OPT_PROBE,
    OPT_DIRECT,
    OPT_BUFFERED,
    OPT_LOOPS,
    OPT_COMBINE,
    OPT_PAUSE,
    OPT_WARMUP,
    OPT_ONLY,
    OPT_MIX,
    OPT_SWEEP,
    OPT_GOVERNOR,
    OPT_LATENCY_LIMIT,
    OPT_COMPARE,
    OPT_RUNTIME,
    OPT_SIZE,
    OPT_INTERVAL,
    OPT_PER_JOB,
    OPT_FIO_ARG,
    OPT_VERBOSE,
    OPT_TEXT,
    OPT_TUI,
    OPT_FORMAT,
    OPT_JSON,
    OPT_YES,
    OPT_SUDO,
    OPT_THEME,
    OPT_COLOR,
    OPT_GRACE,
    OPT_REPAIR_KNOBS,
    OPT_LIST_PROFILES,
    OPT_LIST_THEMES,
    OPT_ASCII,
    OPT_SHOW_PROFILE,
    OPT_HELP,
    OPT_VERSION,
    OPT_COUNT
};

static const struct option_info table[OPT_COUNT] = {
    [OPT_FIO] = {"fio", 0, NULL, NULL},
    [OPT_SLOG] = {"slog", 0, NULL, NULL},
    [OPT_DD] = {"dd", 0, NULL, "disk mark, commit latency, plain dd"},
    [OPT_PROFILE] = {"profile", 0, "NAME", NULL},
    [OPT_WATCH] = {"watch", 0, "TEST", "what to measure; one test until stopped"},
    [OPT_JOB] = {"job", 0, "FILE", NULL},
    [OPT_JOB_AS_IS] = {"job-as-is", 0, NULL, "a job file of fio; with the paths it names"},
    [OPT_ENGINE] = {"engine", 0, "NAME", NULL},
    [OPT_PROBE] = {"probe", 0, NULL, "how fio does I/O (auto); only show what works"},
    [OPT_DIRECT] = {"direct", 0, NULL, NULL},
    [OPT_BUFFERED] = {"buffered", 0, NULL, "past the page cache, or through it (probed)"},
    [OPT_LOOPS] = {"loops", 0, "N", NULL},
    [OPT_COMBINE] = {"combine", 0, "HOW", "runs per test; show best or median"},
    [OPT_PAUSE] = {"pause", 0, "SEC", NULL},
    [OPT_WARMUP] = {"warmup", 0, NULL, "rest, run unmeasured before each test"},
    [OPT_ONLY] = {"only", 0, "WHAT", NULL},
    [OPT_MIX] = {"mix", 0, "PCT", "read or write; add a mix, PCT % reads"},
    [OPT_SWEEP] = {"sweep", 0, "KNOB", NULL},
    [OPT_GOVERNOR] = {"governor", 0, "NAME", "under each governor/epp/boost/qos; one"},
    [OPT_LATENCY_LIMIT] = {"latency-limit", 0, "US", NULL},
    [OPT_COMPARE] = {"bonnie", 0, "F", "wake-up time allowed; bonnie++'s CSV beside"},
    [OPT_RUNTIME] = {"runtime", 0, "SEC", NULL},
    [OPT_SIZE] = {"size", 0, "SIZE", "per test: 90s, 2m (5); bench file: 512m (1g)"},
    [OPT_INTERVAL] = {"interval", 0, "MS", NULL},
    [OPT_PER_JOB] = {"per-job", 0, NULL, "ms between reports (250); one per thread"},
    [OPT_FIO_ARG] = {"fio-arg", 0, "ARG", NULL},
    [OPT_VERBOSE] = {"verbose", 0, NULL, "one more argument for fio; its raw output"},
    [OPT_TEXT] = {"text", 0, NULL, NULL},
    [OPT_TUI] = {"tui", 0, NULL, "plain text, or full screen (what fits)"},
    [OPT_FORMAT] = {"format", 0, "NAME", NULL},
    [OPT_JSON] = {"json", 0, NULL, "on stdout: table json csv markdown cdm"},
    [OPT_YES] = {"yes", 'y', NULL, NULL},
    [OPT_SUDO] = {"sudo", 0, NULL, "start without asking; all of it as root"},
    [OPT_THEME] = {"theme", 0, "NAME", NULL},
    [OPT_COLOR] = {"color", 0, "WHEN", "a name or a file; auto, always or never"},
    [OPT_GRACE] = {"grace", 0, "SEC", NULL},
    [OPT_REPAIR_KNOBS] = {"repair-knobs", 0, NULL, "patience with fio (120); after a killed run"},
    [OPT_LIST_PROFILES] = {"list-profiles", 0, NULL, NULL},
    [OPT_LIST_THEMES] = {"list-themes", 0, NULL, "what --profile and --theme can name"},
    [OPT_ASCII] = {"ascii", 0, NULL, NULL},
    [OPT_SHOW_PROFILE] = {"show-profile", 0, "NAME",
                          "only ASCII; a profile as JSON, to start from"},
    [OPT_HELP] = {"help", 'h', NULL, NULL},
    [OPT_VERSION] = {"version", 'V', NULL, "this text; the version"},
};

/* The user's words, fit to stand in a sentence. */
struct word {
    char text[QUOTE_COLUMNS + 1];
};

static struct word printable(const char *s)
{
    struct word w;
    struct buf safe = BUF_INIT, fit = BUF_INIT;

    buf_adds(&fit, "");
    text_printable(&safe, s, strlen(s), false);
    if (safe.data)
        text_fit(&fit, safe.data, QUOTE_COLUMNS, false);
    if (fit.len > QUOTE_COLUMNS) { /* more bytes than columns: show them as ASCII */
        buf_clear(&safe);
        buf_clear(&fit);
        text_printable(&safe, s, strlen(s), true);
        text_fit(&fit, safe.data, QUOTE_COLUMNS, false);
    }
    snprintf(w.text, sizeof(w.text), "%s", fit.data);
    buf_done(&safe);
    buf_done(&fit);
    return w;
}

static int usage_error(struct err *e, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static int usage_error(struct err *e, const char *fmt, ...)
{
    char text[sizeof(e->text)];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(text, sizeof(text), fmt, ap);
    va_end(ap);
    return err_set(e, EXIT_CODE_USAGE, EINVAL, "%s; see speedtest-hd --help", text);
}

/* What was given so far, to find contradictions whatever their order. */
struct parse {
    struct options *o;
    struct err *e;
    bool given[OPT_COUNT];
    bool ended; /* a request was found: the rest does not count */
};

static int set_profile(struct parse *p, const char *name)
{
    const struct profile *found = book_find(p->o->book, name);
    struct buf names = BUF_INIT;
    int rc = 0;

    if (found) {
        p->o->settings.profile = found;
        return 0;
    }
    for (size_t i = 0; i < book_count(p->o->book); i++)
        buf_addf(&names, "%s%s", i ? ", " : "", book_at(p->o->book, i)->name);
    rc = err_set(p->e, EXIT_CODE_USAGE, EINVAL,
                 "--profile: there is no profile '%s'; choose from %s", printable(name).text,
                 names.data ? names.data : "none");
    buf_done(&names);
    return rc;
}

static int set_watch(struct parse *p, const char *value)
{
    struct profile made;
    int rc = profile_watch_parse(&made, value, p->e);

    if (rc == 0)
        settings_set_own_profile(&p->o->settings, &made);
    return rc;
}

static int set_colour(struct parse *p, const char *value)
{
    static const char *const words[] = {
        [COLOUR_AUTO] = "auto", [COLOUR_ALWAYS] = "always", [COLOUR_NEVER] = "never"};

    for (size_t i = 0; i < COUNT(words); i++)
        if (text_ieq(value, words[i])) {
            p->o->colour = (enum colour_when)i;
            return 0;
        }
    return err_set(p->e, EXIT_CODE_USAGE, EINVAL, "--color: '%s' is none of auto, always, never",
                   printable(value).text);
}

static int set_format(struct parse *p, const char *value)
{
    static const char *const words[RESULT_FORMATS] = {
        [FORMAT_TABLE] = "table",       [FORMAT_JSON] = "json", [FORMAT_CSV] = "csv",
        [FORMAT_MARKDOWN] = "markdown", [FORMAT_CDM] = "cdm",
    };

    for (size_t i = 0; i < COUNT(words); i++)
        if (text_ieq(value, words[i])) {
            p->o->format = (enum result_format)i;
            return 0;
        }
    return err_set(p->e, EXIT_CODE_USAGE, EINVAL,
                   "--format: '%s' is none of table, json, csv, markdown, cdm",
                   printable(value).text);
}

static int set_theme(struct parse *p, const char *value)
{
    if (!*value)
        return err_set(p->e, EXIT_CODE_USAGE, EINVAL,
                       "--theme: the name is empty; see speedtest-hd --list-themes");
    free(p->o->theme);
    p->o->theme = mem_strdup(value);
    return 0;
}

static int set_interval(struct parse *p, const char *value)
{
    uint64_t ms;
    int rc = units_parse_count(value, "--interval", SETTINGS_INTERVAL_MIN, SETTINGS_INTERVAL_MAX,
                               &ms, p->e);

    if (rc == 0)
        p->o->settings.interval_ms = (uint32_t)ms;
    p->o->settings.interval_given = true;
    return rc;
}

static int set_count(struct parse *p, const char *name, const char *value, unsigned min,
                     unsigned max, unsigned *out)
{
    uint64_t n;
    int rc = units_parse_count(value, name, min, max, &n, p->e);

    if (rc == 0)
        *out = (unsigned)n;
    return rc;
}

static int set_combine(struct parse *p, const char *value)
{
    enum combine how;
    int rc = combine_parse(value, &how, p->e);

    if (rc == 0)
        p->o->settings.combine = (int)how;
    return rc;
}

static int set_pause(struct parse *p, const char *value)
{
    uint32_t seconds;
    int rc = units_parse_seconds(value, "--pause", 0, PAUSE_MAX_S, &seconds, p->e);

    if (rc == 0)
        p->o->settings.pause_s = seconds;
    return rc;
}

static int set_only(struct parse *p, const char *value)
{
    static const enum direction words[] = {DIRECTION_READ, DIRECTION_WRITE};

    for (size_t i = 0; i < COUNT(words); i++)
        if (text_ieq(value, direction_name(words[i]))) {
            p->o->settings.only = 1u << words[i];
            return 0;
        }
    return err_set(p->e, EXIT_CODE_USAGE, EINVAL, "--only: '%s' is neither read nor write",
                   printable(value).text);
}

/* Whether this machine has it is for the kernel to say. */
static int set_governor(struct parse *p, const char *value)
{
    size_t n = strspn(value, "abcdefghijklmnopqrstuvwxyz_-");

    if (n == 0 || value[n] || n >= CPU_WORD)
        return err_set(p->e, EXIT_CODE_USAGE, EINVAL,
                       "--governor: '%s' is no name of a governor, such as performance",
                       printable(value).text);
    snprintf(p->o->turn[KNOB_GOVERNOR], CPU_WORD, "%s", value);
    return 0;
}

static int set_latency_limit(struct parse *p, const char *value)
{
    int32_t us;
    int rc = knob_limit_parse(value, "--latency-limit", &us, p->e);

    if (rc < 0)
        return rc;
    if (us >= CPU_LIMIT_NONE)
        snprintf(p->o->turn[KNOB_LIMIT], CPU_WORD, "off");
    else
        snprintf(p->o->turn[KNOB_LIMIT], CPU_WORD, "%d", (int)us);
    return 0;
}

static int request(struct parse *p, enum options_request r)
{
    p->o->request = r;
    p->ended = true;
    return 0;
}

/* value: "" for an option that takes none. */
static int apply(struct parse *p, enum option_id id, const char *value)
{
    struct options *o = p->o;
    struct settings *s = &o->settings;

    p->given[id] = true;
    switch (id) {
    case OPT_FIO:  /* says only what is the case anyway, unless --slog or --profile came with it */
    case OPT_SLOG: /* applied at the end, when --profile is known */
    case OPT_DD:
        return 0;
    case OPT_PROFILE:
        return set_profile(p, value);
    case OPT_WATCH:
        return set_watch(p, value);
    case OPT_COMPARE:
        free(o->compare);
        o->compare = mem_strdup(value);
        return 0;
    case OPT_JOB:
        free(o->job);
        o->job = mem_strdup(value);
        return 0;
    case OPT_JOB_AS_IS:
        o->job_as_is = true;
        return 0;
    case OPT_ENGINE:
        return engine_parse(value, &s->engine, p->e);
    case OPT_DIRECT:
        s->io = IO_DIRECT;
        return 0;
    case OPT_BUFFERED:
        s->io = IO_BUFFERED;
        return 0;
    case OPT_LOOPS:
        return set_count(p, "--loops", value, 1, PROFILE_LOOPS_MAX, &s->loops);
    case OPT_MIX:
        return set_count(p, "--mix", value, 1, 99, &s->mix_percent);
    case OPT_COMBINE:
        return set_combine(p, value);
    case OPT_PAUSE:
        return set_pause(p, value);
    case OPT_WARMUP:
        s->warmup = 1;
        return 0;
    case OPT_ONLY:
        return set_only(p, value);
    case OPT_SWEEP:
        o->sweeps = true;
        return sweep_parse(value, &o->sweep, p->e);
    case OPT_GOVERNOR:
        return set_governor(p, value);
    case OPT_LATENCY_LIMIT:
        return set_latency_limit(p, value);
    case OPT_REPAIR_KNOBS:
        return request(p, REQUEST_REPAIR_KNOBS);
    case OPT_RUNTIME:
        s->runtime_given = true;
        return units_parse_seconds(value, "--runtime", 1, SETTINGS_RUNTIME_MAX, &s->runtime_s,
                                   p->e);
    case OPT_SIZE:
        s->size_given = true;
        return units_parse_size(value, "--size", &s->size_bytes, p->e);
    case OPT_INTERVAL:
        return set_interval(p, value);
    case OPT_PER_JOB:
        s->per_job = true;
        return 0;
    case OPT_FIO_ARG:
        return settings_add_extra(s, value, p->e);
    case OPT_TEXT:
        o->face = FACE_TEXT;
        return 0;
    case OPT_TUI:
        o->face = FACE_TUI;
        return 0;
    case OPT_FORMAT:
        return set_format(p, value);
    case OPT_JSON: /* applied at the end, when --format is known */
        return 0;
    case OPT_PROBE:
        o->request = REQUEST_PROBE; /* what follows counts: the path, the format */
        return 0;
    case OPT_VERBOSE:
        o->verbose = true;
        return 0;
    case OPT_YES:
        o->yes = true;
        return 0;
    case OPT_SUDO:
        o->sudo = true;
        return 0;
    case OPT_THEME:
        return set_theme(p, value);
    case OPT_ASCII:
        o->ascii = true;
        return 0;
    case OPT_COLOR:
        return set_colour(p, value);
    case OPT_GRACE:
        return units_parse_seconds(value, "--grace", 1, GRACE_MAX_S, &o->grace_s, p->e);
    case OPT_LIST_PROFILES:
        return request(p, REQUEST_LIST_PROFILES);
    case OPT_SHOW_PROFILE: {
        int rc = set_profile(p, value);
        return rc < 0 ? rc : request(p, REQUEST_SHOW_PROFILE);
    }
    case OPT_LIST_THEMES:
        return request(p, REQUEST_LIST_THEMES);
    case OPT_HELP:
        return request(p, REQUEST_HELP);
    case OPT_VERSION:
        return request(p, REQUEST_VERSION);
    case OPT_COUNT:
        break;
    }
    abort(); /* the table has no such row */
}

/* OPT_COUNT: none. The name ends at n. */
static enum option_id find_long(const char *name, size_t n)
{
    for (size_t i = 0; i < OPT_COUNT; i++)
        if (strlen(table[i].name) == n && memcmp(table[i].name, name, n) == 0)
            return (enum option_id)i;
    return OPT_COUNT;
}

static enum option_id find_letter(char letter)
{
    for (size_t i = 0; i < OPT_COUNT; i++)
        if (table[i].letter && table[i].letter == letter)
            return (enum option_id)i;
    return OPT_COUNT;
}

static bool is_option(const char *arg)
{
    return text_starts(arg, "--") && arg[2] != '\0' &&
           find_long(arg + 2, strcspn(arg + 2, "=")) != OPT_COUNT;
}

/*
 * How many letters left out, added, changed or swapped with a neighbour lie between a and b; limit
 * + 1 means more than limit. Names are short and the limit is 2: plain recursion will do.
 */
static int distance(const char *a, const char *b, int limit)
{
    while (*a && *a == *b) {
        a++;
        b++;
    }
    if (!*a && !*b)
        return 0;
    if (limit == 0)
        return 1;
    int best = limit;
    if (*a && *b && a[1] == *b && *a == b[1])
        best = distance(a + 2, b + 2, limit - 1);
    if (*a && *b) {
        int d = distance(a + 1, b + 1, limit - 1);
        best = d < best ? d : best;
    }
    if (*a) {
        int d = distance(a + 1, b, limit - 1);
        best = d < best ? d : best;
    }
    if (*b) {
        int d = distance(a, b + 1, limit - 1);
        best = d < best ? d : best;
    }
    return 1 + best;
}

static int unknown_long(struct err *e, const char *arg)
{
    size_t n = strcspn(arg, "=");
    struct buf name = BUF_INIT, near = BUF_INIT;
    int rc;

    buf_add(&name, arg + 2, n - 2);
    for (size_t i = 0; i < OPT_COUNT; i++)
        if ((name.len > 1 && text_starts(table[i].name, name.data)) ||
            (name.len > 3 && distance(name.data, table[i].name, 2) <= 2))
            buf_addf(&near, "%s--%s", near.len ? " or " : "", table[i].name);
    buf_clear(&name);
    buf_add(&name, arg, n);
    if (near.len)
        rc = usage_error(e, "unknown option %s, did you mean %s?", printable(name.data).text,
                         near.data);
    else
        rc = usage_error(e, "unknown option %s", printable(name.data).text);
    buf_done(&name);
    buf_done(&near);
    return rc;
}

/* next: the argument behind arg, NULL at the end. *used: how many arguments this option took. */
static int parse_long(struct parse *p, const char *arg, const char *next, int *used)
{
    size_t n = strcspn(arg, "=");
    enum option_id id = find_long(arg + 2, n - 2);
    const char *value = arg[n] ? arg + n + 1 : NULL;

    *used = 1;
    if (id == OPT_COUNT)
        return unknown_long(p->e, arg);
    if (!table[id].value && value)
        return usage_error(p->e, "--%s takes no value", table[id].name);
    if (!table[id].value)
        return apply(p, id, "");
    if (!value) {
        /* the value of --fio-arg looks like an option; for any other it is one forgotten */
        if (!next || (id != OPT_FIO_ARG && is_option(next)))
            return usage_error(p->e, "--%s needs a value: --%s %s", table[id].name, table[id].name,
                               table[id].value);
        value = next;
        *used = 2;
    }
    return apply(p, id, value);
}

/* -y, -hV: letters only, no letter takes a value. */
static int parse_letters(struct parse *p, const char *arg)
{
    for (const char *c = arg + 1; *c && !p->ended; c++) {
        enum option_id id = find_letter(*c);
        if (id == OPT_COUNT) {
            struct word w = printable(arg);
            return usage_error(p->e,
                               "unknown option %s (a path that begins with '-' is written ./%s)",
                               w.text, w.text);
        }
        int rc = apply(p, id, "");
        if (rc < 0)
            return rc;
    }
    return 0;
}

static int set_path(struct parse *p, const char *arg)
{
    struct settings *s = &p->o->settings;

    if (!*arg)
        return usage_error(p->e, "the path is empty: name a directory, or leave it out to choose");
    if (s->path)
        return usage_error(p->e, "two paths, '%s' and '%s': one at a time", printable(s->path).text,
                           printable(arg).text);
    settings_set_path(s, arg);
    return 0;
}

static int check_exclusive(const struct parse *p)
{
    static const enum option_id pairs[][2] = {
        {OPT_FIO, OPT_SLOG},        {OPT_FIO, OPT_DD},     {OPT_SLOG, OPT_DD},
        {OPT_DIRECT, OPT_BUFFERED}, {OPT_TEXT, OPT_TUI},   {OPT_ONLY, OPT_MIX},
        {OPT_WATCH, OPT_PROFILE},   {OPT_WATCH, OPT_FIO},  {OPT_WATCH, OPT_SLOG},
        {OPT_SWEEP, OPT_COMBINE},   {OPT_WATCH, OPT_DD},   {OPT_JOB, OPT_PROFILE},
        {OPT_JOB, OPT_WATCH},       {OPT_JOB, OPT_FIO},    {OPT_JOB, OPT_SLOG},
        {OPT_JOB, OPT_DD},          {OPT_JOB, OPT_ENGINE}, {OPT_JOB, OPT_DIRECT},
        {OPT_JOB, OPT_BUFFERED},    {OPT_JOB, OPT_MIX}};

    for (size_t i = 0; i < COUNT(pairs); i++)
        if (p->given[pairs[i][0]] && p->given[pairs[i][1]])
            return usage_error(p->e, "--%s and --%s exclude each other: leave one out",
                               table[pairs[i][0]].name, table[pairs[i][1]].name);
    return 0;
}

/* --slog and --dd are short for a profile. */
static int apply_short(struct parse *p, enum option_id id)
{
    const char *given = p->o->settings.profile->name, *name = table[id].name;

    if (!p->given[id])
        return 0;
    if (p->given[OPT_PROFILE] && strcmp(given, name) != 0)
        return usage_error(p->e, "--%s and --profile %s exclude each other: leave one out", name,
                           given);
    return set_profile(p, name);
}

/* --json is short for --format json. */
static int apply_json(struct parse *p)
{
    if (!p->given[OPT_JSON])
        return 0;
    if (p->given[OPT_FORMAT] && p->o->format != FORMAT_JSON)
        return usage_error(p->e, "--json and another --format exclude each other: leave one out");
    p->o->format = FORMAT_JSON;
    return 0;
}

/*
 * A profile may prescribe engine and I/O mode (slog: psync, buffered). Where it leaves no test to
 * which the user's choice applies, that choice would be ignored: say so instead.
 */
static int check_prescribed(const struct parse *p)
{
    const struct settings *s = &p->o->settings;
    const struct profile *profile = s->profile;
    size_t engines = 0, modes = 0;

    for (size_t i = 0; i < profile->n_tests; i++) {
        const struct test *t = &profile->tests[i];
        engines += t->engine != ENGINE_AUTO && t->engine != s->engine;
        modes += t->io != IO_AUTO && t->io != s->io;
    }
    if (s->engine != ENGINE_AUTO && engines == profile->n_tests)
        return err_set(p->e, EXIT_CODE_USAGE, EINVAL,
                       "--engine %s does not go with profile %s, which prescribes %s: leave "
                       "--engine out",
                       engine_name(s->engine), profile->name,
                       engine_name(profile->tests[0].engine));
    if (s->io != IO_AUTO && modes == profile->n_tests)
        return err_set(p->e, EXIT_CODE_USAGE, EINVAL,
                       "--%s does not go with profile %s, which prescribes %s I/O: leave --%s out",
                       io_mode_name(s->io), profile->name, io_mode_name(profile->tests[0].io),
                       io_mode_name(s->io));
    return 0;
}

/* A knob cannot be swept and stand still. */
static int check_sweep(const struct parse *p)
{
    const struct options *o = p->o;

    if (!o->sweeps || !o->turn[o->sweep][0])
        return 0;
    return usage_error(p->e, "--sweep %s turns that knob itself: leave out the option that sets it",
                       knob_option(o->sweep));
}

static int check_job(const struct parse *p)
{
    const struct options *o = p->o;

    if (o->job && !o->job[0])
        return usage_error(p->e, "--job: the name is empty: give a job file of fio");
    if (o->job_as_is && !o->job)
        return usage_error(p->e, "--job-as-is says how the file of --job is taken: add --job FILE");
    if (o->job_as_is && o->settings.path)
        return usage_error(p->e, "PATH and --job-as-is exclude each other: as it is, the job file "
                                 "says where it works; leave one out");
    return 0;
}

static int check_whole(struct parse *p)
{
    int rc = check_exclusive(p);

    if (rc == 0)
        rc = check_job(p);

    if (rc == 0)
        rc = apply_short(p, OPT_SLOG);
    if (rc == 0)
        rc = apply_short(p, OPT_DD);
    if (rc == 0)
        rc = apply_json(p);
    if (rc == 0)
        rc = check_sweep(p);
    if (rc == 0)
        rc = check_prescribed(p);
    if (rc == 0)
        rc = settings_check(&p->o->settings, p->e);
    return rc;
}

int options_parse(struct options *o, int argc, char *const argv[], const struct options_env *env,
                  const struct book *book, struct err *e)
{
    struct parse p = {.o = o, .e = e};
    bool only_paths = false;

    memset(o, 0, sizeof(*o));
    settings_init(&o->settings);
    o->env = *env;
    o->book = book;
    for (int i = 1, used; i < argc; i += used) {
        const char *arg = argv[i];
        bool is_sudo = !only_paths && strcmp(arg, "--sudo") == 0;
        int rc = 0;

        used = 1;
        if (only_paths || arg[0] != '-' || arg[1] == '\0')
            rc = set_path(&p, arg);
        else if (strcmp(arg, "--") == 0)
            only_paths = true;
        else if (arg[1] == '-')
            rc = parse_long(&p, arg, i + 1 < argc ? argv[i + 1] : NULL, &used);
        else
            rc = parse_letters(&p, arg);
        if (rc < 0)
            return rc;
        if (p.ended)
            return 0;
        for (int word = i; !is_sudo && word < i + used; word++)
            strv_add(&o->words, argv[word]);
    }
    o->profile_given = p.given[OPT_PROFILE] || p.given[OPT_WATCH] || p.given[OPT_JOB] ||
                       p.given[OPT_FIO] || p.given[OPT_SLOG] || p.given[OPT_DD];
    return check_whole(&p);
}

void options_done(struct options *o)
{
    settings_done(&o->settings);
    strv_done(&o->words);
    free(o->theme);
    o->theme = NULL;
    free(o->job);
    o->job = NULL;
    free(o->compare);
    o->compare = NULL;
}

static bool is_set(const char *value)
{
    return value && *value;
}

bool options_colour_for(enum colour_when when, const struct options_env *env, bool is_terminal)
{
    if (when != COLOUR_AUTO)
        return when == COLOUR_ALWAYS;
    if (is_set(env->no_color))
        return false;
    if (is_set(env->force_color))
        return strcmp(env->force_color, "0") != 0;
    if (is_set(env->clicolor_force) && strcmp(env->clicolor_force, "0") != 0)
        return true;
    if (!is_set(env->term) || strcmp(env->term, "dumb") == 0)
        return false;
    if (env->clicolor && strcmp(env->clicolor, "0") == 0)
        return false;
    return is_terminal;
}

bool options_colour(const struct options *o, int fd)
{
    return options_colour_for(o->colour, &o->env, isatty(fd));
}

static void help_names(struct buf *out, const struct option_info *o)
{
    if (o->letter)
        buf_addf(out, "-%c, ", o->letter);
    buf_addf(out, "--%s", o->name);
    if (o->value)
        buf_addf(out, " %s", o->value);
}

void options_help(struct buf *out)
{
    struct buf names = BUF_INIT;

    buf_adds(out, "Usage: speedtest-hd [OPTION]... [PATH]\n"
                  "Measures the file system mounted at PATH with fio and shows it live.\n\n");
    for (size_t i = 0; i < OPT_COUNT; i++) {
        buf_adds(&names, names.len ? ", " : "  ");
        help_names(&names, &table[i]);
        if (!table[i].help)
            continue;
        text_fit(out, names.data, HELP_COLUMN, true);
        buf_addf(out, "%s\n", table[i].help);
        buf_clear(&names);
    }
    buf_done(&names);
}

const struct option_info *options_at(size_t i)
{
    return i < OPT_COUNT ? &table[i] : NULL;
}
