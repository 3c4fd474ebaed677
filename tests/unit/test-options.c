/* SPDX-License-Identifier: GPL-3.0-or-later */
/* options: argv to a struct or to one sentence */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/options.h"
#include "tap.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define WORDS    8

static const struct options_env no_env = {NULL, NULL, NULL, NULL, NULL};

static int parse(struct options *o, const char *const words[WORDS], struct err *e)
{
    char *argv[WORDS + 1] = {NULL};
    int argc = 1;

    for (; argc <= WORDS && words[argc - 1]; argc++) /* main's argv is not const; ours is */
        memcpy(&argv[argc], &words[argc - 1], sizeof(argv[argc]));
    err_clear(e);
    return options_parse(o, argc, argv, &no_env, NULL, e);
}

/* What a command line means, as one line of words: what differs from the defaults. */
static void describe(const struct options *o, struct buf *out)
{
    static const char *const requests[] = {
        [REQUEST_RUN] = "",
        [REQUEST_HELP] = "help ",
        [REQUEST_VERSION] = "version ",
        [REQUEST_LIST_PROFILES] = "profiles ",
        [REQUEST_SHOW_PROFILE] = "profile ",
        [REQUEST_LIST_THEMES] = "themes ",
        [REQUEST_PROBE] = "probe ",
        [REQUEST_REPAIR_KNOBS] = "repair ",
    };
    static const char *const faces[] = {"", "text ", "tui "};
    static const char *const colours[] = {"", "always ", "never "};
    static const char *const formats[] = {"", "json ", "csv ", "markdown ", "cdm-text "};
    const struct settings *s = &o->settings;

    buf_adds(out, formats[o->format]);
    buf_addf(out, "%s%s%s", requests[o->request], faces[o->face], colours[o->colour]);
    buf_addf(out, "%s ", s->profile->name);
    if (s->path)
        buf_addf(out, "path=%s ", s->path);
    if (s->engine != ENGINE_AUTO)
        buf_addf(out, "%s ", engine_name(s->engine));
    if (s->io != IO_AUTO)
        buf_addf(out, "%s ", io_mode_name(s->io));
    if (s->size_bytes != SETTINGS_SIZE_DEFAULT)
        buf_addf(out, "size=%llu ", (unsigned long long)s->size_bytes);
    if (s->runtime_s != SETTINGS_RUNTIME_DEFAULT)
        buf_addf(out, "runtime=%u ", s->runtime_s);
    if (s->interval_ms != SETTINGS_INTERVAL_DEFAULT)
        buf_addf(out, "interval=%u ", s->interval_ms);
    if (s->per_job)
        buf_adds(out, "per-job ");
    if (s->loops)
        buf_addf(out, "loops=%u ", s->loops);
    if (s->combine != SETTINGS_PROFILES)
        buf_addf(out, "%s ", combine_name((enum combine)s->combine));
    if (s->pause_s != SETTINGS_PROFILES)
        buf_addf(out, "pause=%lld ", (long long)s->pause_s);
    if (s->warmup != SETTINGS_PROFILES)
        buf_addf(out, "warmup=%d ", s->warmup);
    if (s->only)
        buf_addf(out, "only=%x ", s->only);
    if (s->mix_percent)
        buf_addf(out, "mix=%u ", s->mix_percent);
    for (size_t i = 0; i < s->extra.n; i++)
        buf_addf(out, "extra=%s ", s->extra.items[i]);
    if (o->theme)
        buf_addf(out, "theme=%s ", o->theme);
    if (o->grace_s)
        buf_addf(out, "grace=%u ", o->grace_s);
    buf_addf(out, "%s%s%s", o->ascii ? "ascii " : "", o->verbose ? "verbose " : "",
             o->yes ? "yes " : "");
    for (int k = 0; k < KNOB_COUNT; k++)
        if (o->turn[k][0])
            buf_addf(out, "%s=%s ", knob_option((enum knob)k), o->turn[k]);
    if (o->sudo)
        buf_adds(out, "sudo ");
    out->data[--out->len] = '\0'; /* the last blank */
}

static void test_good(void)
{
    static const struct {
        const char *words[WORDS];
        const char *means;
    } rows[] = {
        {{NULL}, "cdm"},
        {{"/mnt", NULL}, "cdm path=/mnt"},
        {{"--fio", NULL}, "cdm"},
        {{"--slog", NULL}, "slog"},
        {{"--slog", "--slog", NULL}, "slog"},
        {{"--slog", "--profile", "slog", NULL}, "slog"},
        {{"--profile=slog", "--fio", NULL}, "slog"},
        {{"--slog", "--engine", "psync", "--buffered", NULL}, "slog psync buffered"},
        {{"--dd", NULL}, "dd"},
        {{"--dd", "--profile=dd", NULL}, "dd"},
        {{"--loops=3", "--combine", "median", NULL}, "cdm loops=3 median"},
        {{"--pause", "0", "--warmup", NULL}, "cdm pause=0 warmup=1"},
        {{"--only=read", NULL}, "cdm only=1"},
        {{"--only", "WRITE", NULL}, "cdm only=2"},
        {{"--mix=70", NULL}, "cdm mix=70"},
        {{"--governor", "performance", NULL}, "cdm governor=performance"},
        {{"--latency-limit=0", NULL}, "cdm qos=0"},
        {{"--latency-limit", "off", NULL}, "cdm qos=off"},
        {{"--repair-knobs", "--nonsense", NULL}, "repair cdm"},
        {{"--profile", "cdm", NULL}, "cdm"},
        {{"--watch", "slog:T4", NULL}, "watch"},
        {{"--watch=cdm:rnd4k-q1t1:read", NULL}, "watch"},
        {{"--engine", "libaio", NULL}, "cdm libaio"},
        {{"--engine=posixaio", "--direct", NULL}, "cdm posixaio direct"},
        {{"--buffered", NULL}, "cdm buffered"},
        {{"--runtime", "10", NULL}, "cdm runtime=10"},
        {{"--runtime=2m", NULL}, "cdm runtime=120"},
        {{"--runtime=1", "--runtime=3", NULL}, "cdm runtime=3"},
        {{"--size", "64m", NULL}, "cdm size=67108864"},
        {{"--size=1.5g", NULL}, "cdm size=1610612736"},
        {{"--interval", "100", NULL}, "cdm interval=100"},
        {{"--per-job", NULL}, "cdm per-job"},
        {{"--fio-arg", "--rate_iops=100", "--fio-arg=--nice=5", NULL},
         "cdm extra=--rate_iops=100 extra=--nice=5"},
        {{"--text", NULL}, "text cdm"},
        {{"--tui", "--tui", NULL}, "tui cdm"},
        {{"--verbose", "-y", NULL}, "cdm verbose yes"},
        {{"--yes", "--ascii", NULL}, "cdm ascii yes"},
        {{"--theme", "amber", "--color", "always", NULL}, "always cdm theme=amber"},
        {{"--theme=a", "--theme=./b.json", NULL}, "cdm theme=./b.json"},
        {{"--color=never", NULL}, "never cdm"},
        {{"--color", "auto", NULL}, "cdm"},
        {{"--grace", "30", NULL}, "cdm grace=30"},
        {{"--format", "table", NULL}, "cdm"},
        {{"--format=csv", NULL}, "csv cdm"},
        {{"--format", "Markdown", NULL}, "markdown cdm"},
        {{"--format=cdm", "--format=json", NULL}, "json cdm"},
        {{"--format=cdm", NULL}, "cdm-text cdm"},
        {{"--json", NULL}, "json cdm"},
        {{"--json", "--format=json", NULL}, "json cdm"},
        {{"--probe", NULL}, "probe cdm"},
        {{"--probe", "/mnt", "--json", NULL}, "json probe cdm path=/mnt"},
        {{"--sudo", "--text", NULL}, "text cdm sudo"},
        {{"--list-profiles", NULL}, "profiles cdm"},
        {{"--list-themes", NULL}, "themes cdm"},
        {{"--show-profile", "dd-sync", "--nonsense", NULL}, "profile dd-sync"},
        {{"-h", NULL}, "help cdm"},
        {{"--help", "--nonsense", NULL}, "help cdm"}, /* a request ends the reading */
        {{"-V", NULL}, "version cdm"},
        {{"-yV", NULL}, "version cdm yes"},
        {{"/mnt", "--text", NULL}, "text cdm path=/mnt"}, /* options may follow the path */
        {{"--", "/mnt", NULL}, "cdm path=/mnt"},
        {{"--text", "--", "--size", NULL}, "text cdm path=--size"},
        {{"--", "-x", NULL}, "cdm path=-x"},
        {{"--", "--", NULL}, "cdm path=--"},
        {{"--", NULL}, "cdm"},
        {{"./-x", NULL}, "cdm path=./-x"},
        {{"-", NULL}, "cdm path=-"},
        {{"--theme", "-odd", NULL}, "cdm theme=-odd"},
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        struct options o;
        struct err e;
        struct buf b = BUF_INIT;
        int rc = parse(&o, rows[i].words, &e);
        describe(&o, &b);
        tap_ok(rc == 0, "good row %zu is accepted (%s)", i, rc ? e.text : "");
        tap_str(b.data, rows[i].means, "good row %zu", i);
        buf_done(&b);
        options_done(&o);
    }
}

static void test_bad(void)
{
    static const struct {
        const char *words[WORDS];
        const char *part; /* of the sentence */
    } rows[] = {
        {{"--nonsense", NULL}, "unknown option --nonsense; see speedtest-hd --help"},
        {{"--nonsense=5", NULL}, "unknown option --nonsense;"},
        {{"--prof", "cdm", NULL}, "unknown option --prof, did you mean --profile or --probe?"},
        {{"--profiel=cdm", NULL}, "did you mean --profile?"},
        {{"--runtme", "3", NULL}, "did you mean --runtime?"},
        {{"--list", NULL}, "did you mean --list-profiles or --list-themes?"},
        {{"--colour", "never", NULL}, "did you mean --color?"},
        {{"--SIZE=1g", NULL}, "unknown option --SIZE"},
        {{"--=5", NULL}, "unknown option --;"},
        {{"---size", NULL}, "unknown option ---size"},
        {{"-x", NULL}, "unknown option -x (a path that begins with '-' is written ./-x)"},
        {{"-yx", NULL}, "unknown option -yx"},
        {{"-dir/name", NULL}, "written ./-dir/name"},
        {{"--size", NULL}, "--size needs a value: --size SIZE"},
        {{"--size", "--text", NULL}, "--size needs a value"},
        {{"--theme", "--text=1", NULL}, "--theme needs a value"},
        {{"--fio-arg", NULL}, "--fio-arg needs a value"},
        {{"--size=", NULL}, "--size: '' is not a size"},
        {{"--size=-1", NULL}, "--size: '-1' is out of range"},
        {{"--size", "-1", NULL}, "--size: '-1' is out of range"},
        {{"--size", "0", NULL}, "--size: '0' is out of range"},
        {{"--size", "1k", NULL}, "too small"},
        {{"--size", "99999999999999999999g", NULL}, "out of range"},
        {{"--size", "much", NULL}, "'much' is not a size"},
        {{"--runtime", "0", NULL}, "--runtime: '0' is out of range; give 1 to 86400 seconds"},
        {{"--runtime", "86401", NULL}, "out of range"},
        {{"--runtime", "1.5", NULL}, "not a time in whole seconds"},
        {{"--interval", "49", NULL}, "give 50 to 10000"},
        {{"--interval", "250ms", NULL}, "not a whole number"},
        {{"--grace", "0", NULL}, "--grace: '0' is out of range"},
        {{"--engine", "mmap", NULL}, "unknown engine \"mmap\""},
        {{"--profile", "nope", NULL}, "there is no profile 'nope'; choose from cdm, slog"},
        {{"--profile=", NULL}, "there is no profile ''"},
        {{"--color", "yes", NULL}, "none of auto, always, never"},
        {{"--format", "xml", NULL}, "none of table, json, csv, markdown, cdm"},
        {{"--format=csv", "--json", NULL}, "exclude each other"},
        {{"--json=1", NULL}, "--json takes no value"},
        {{"--theme=", NULL}, "the name is empty"},
        {{"--fio-arg", "--filename=/etc/passwd", NULL}, "refused"},
        {{"--fio-arg", "bs=4k", NULL}, "not an argument for fio"},
        {{"--text=yes", NULL}, "--text takes no value"},
        {{"--yes=", NULL}, "--yes takes no value"},
        {{"--dd", "--slog", NULL}, "--slog and --dd exclude each other"},
        {{"--dd", "--fio", NULL}, "--fio and --dd exclude each other"},
        {{"--dd", "--profile=cdm", NULL}, "--dd and --profile cdm exclude each other"},
        {{"--only=read", "--mix=50", NULL}, "--only and --mix exclude each other"},
        {{"--only=mix", NULL}, "'mix' is neither read nor write"},
        {{"--loops=0", NULL}, "--loops"},
        {{"--mix=100", NULL}, "--mix"},
        {{"--governor", "../x", NULL}, "'../x' is no name of a governor"},
        {{"--governor=", NULL}, "is no name of a governor"},
        {{"--latency-limit", "soon", NULL}, "--latency-limit: "},
        {{"--latency-limit", "-1", NULL}, "--latency-limit: "},
        {{"--combine=worst", NULL}, "worst"},
        {{"--pause=2h", NULL}, "--pause"},
        {{"--slog", "--profile", "cdm", NULL}, "--slog and --profile cdm exclude each other"},
        {{"--profile", "cdm", "--slog", NULL}, "--slog and --profile cdm exclude each other"},
        {{"--fio", "--slog", NULL}, "--fio and --slog exclude each other"},
        {{"--direct", "--buffered", NULL}, "--direct and --buffered exclude each other"},
        {{"--buffered", "--direct", NULL}, "--direct and --buffered exclude each other"},
        {{"--tui", "--text", NULL}, "--text and --tui exclude each other"},
        {{"--slog", "--engine", "libaio", NULL}, "--engine libaio does not go with profile slog"},
        {{"--direct", "--slog", NULL}, "--direct does not go with profile slog"},
        {{"/a", "/b", NULL}, "two paths, '/a' and '/b'"},
        {{"/a", "--", "/b", NULL}, "two paths"},
        {{"", NULL}, "the path is empty"},
        {{"--", "", NULL}, "the path is empty"},
        {{"--\x1b[2J", NULL}, "unknown option --\\x1b[2J"},
        {{"/a", "/\x1b]0;x\a", NULL}, "'/\\x1b]0;x\\x07'"},
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        struct options o;
        struct err e;
        int rc = parse(&o, rows[i].words, &e);
        tap_ok(rc < 0 && e.exit_code == EXIT_CODE_USAGE, "bad row %zu is refused with status 2", i);
        tap_ok(strstr(e.text, rows[i].part) != NULL, "bad row %zu: %s", i, rows[i].part);
        if (!strstr(e.text, rows[i].part))
            tap_note("the sentence is: %s", e.text);
        tap_ok(strcspn(e.text, "\x1b\a\n") == strlen(e.text) && strlen(e.text) < 400,
               "bad row %zu: one printable sentence", i);
        options_done(&o);
    }
}

/* A very long word of any kind must neither overflow nor fill the screen. */
static void test_long_words(void)
{
    static const char *const heads[] = {
        "--", "-", "", "--size=", "--engine=", "--theme=", "--profile=", "--fio-arg="};
    char word[5000];

    for (size_t i = 0; i < COUNT(heads); i++) {
        for (int kind = 0; kind < 2; kind++) { /* letters; combining accents, which have no width */
            size_t n = strlen(heads[i]);
            const char *words[WORDS] = {"/first", word, NULL};
            struct options o;
            struct err e;
            memcpy(word, heads[i], n);
            for (; n + 2 < sizeof(word); n += 2)
                memcpy(word + n, kind ? "\xcc\x88" : "zz", 2);
            word[n] = '\0';
            int rc = parse(&o, words, &e);
            if (strcmp(heads[i], "--theme=") == 0)
                tap_int(rc, 0, "a long theme is the theme reader's business");
            else
                tap_ok(rc < 0 && e.text[0] && strlen(e.text) < sizeof(e.text),
                       "long word after '%s'", heads[i]);
            options_done(&o);
        }
    }
}

/* What sudo starts: everything but --sudo where it is an option. */
static void test_words(void)
{
    static const struct {
        const char *words[WORDS];
        const char *rest;
        bool sudo;
    } rows[] = {
        {{"--sudo", NULL}, "", true},
        {{"--slog", "--sudo", "--size", "1g", "/a b", NULL}, "--slog --size 1g '/a b'", true},
        {{"--sudo", "--fio-arg", "--nice=5", "--sudo", NULL}, "--fio-arg --nice=5", true},
        {{"-y", "--", "--sudo", NULL}, "-y -- --sudo", false},
        {{"--size=1g", "--yes", NULL}, "--size=1g --yes", false},
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        struct options o;
        struct err e;
        struct buf b = BUF_INIT;
        tap_int(parse(&o, rows[i].words, &e), 0, "words row %zu", i);
        buf_adds(&b, "");
        strv_quote(&o.words, &b);
        tap_str(b.data, rows[i].rest, "words row %zu: what is left", i);
        tap_int(o.sudo, rows[i].sudo, "words row %zu: sudo", i);
        buf_done(&b);
        options_done(&o);
    }
}

static void test_colour(void)
{
    static const struct {
        enum colour_when when;
        struct options_env env; /* NO_COLOR FORCE_COLOR CLICOLOR_FORCE CLICOLOR TERM */
        bool terminal, want;
    } rows[] = {
        {COLOUR_AUTO, {NULL, NULL, NULL, NULL, "xterm"}, true, true},
        {COLOUR_AUTO, {NULL, NULL, NULL, NULL, "xterm"}, false, false},
        {COLOUR_AUTO, {NULL, NULL, NULL, NULL, "dumb"}, true, false},
        {COLOUR_AUTO, {NULL, NULL, NULL, NULL, NULL}, true, false},
        {COLOUR_AUTO, {NULL, NULL, NULL, NULL, ""}, true, false},
        {COLOUR_AUTO, {"1", NULL, NULL, NULL, "xterm"}, true, false},
        {COLOUR_AUTO, {"", NULL, NULL, NULL, "xterm"}, true, true}, /* no-color.org: not empty */
        {COLOUR_AUTO, {"0", NULL, NULL, NULL, "xterm"}, true, false},
        {COLOUR_AUTO, {NULL, "1", NULL, NULL, "xterm"}, false, true},
        {COLOUR_AUTO, {NULL, "1", NULL, "0", "dumb"}, false, true},
        {COLOUR_AUTO, {NULL, "0", NULL, NULL, "xterm"}, true, false},
        {COLOUR_AUTO, {NULL, "", NULL, NULL, "xterm"}, false, false},
        {COLOUR_AUTO, {"1", "1", NULL, NULL, "xterm"}, true, false},
        {COLOUR_AUTO, {NULL, NULL, NULL, "0", "xterm"}, true, false},
        {COLOUR_AUTO, {NULL, NULL, NULL, "1", "xterm"}, true, true},
        {COLOUR_AUTO, {NULL, NULL, NULL, "1", "xterm"}, false, false},
        {COLOUR_AUTO, {NULL, NULL, "1", NULL, "xterm"}, false, true},
        {COLOUR_AUTO, {NULL, NULL, "1", "0", "dumb"}, false, true},
        {COLOUR_AUTO, {NULL, NULL, "0", NULL, "xterm"}, false, false},
        {COLOUR_AUTO, {NULL, NULL, "0", NULL, "xterm"}, true, true},
        {COLOUR_AUTO, {NULL, NULL, "", NULL, "xterm"}, false, false},
        {COLOUR_AUTO, {NULL, "0", "1", NULL, "xterm"}, true, false},
        {COLOUR_AUTO, {"1", NULL, "1", NULL, "xterm"}, true, false},
        {COLOUR_ALWAYS, {"1", "0", NULL, "0", "dumb"}, false, true},
        {COLOUR_NEVER, {NULL, "1", NULL, "1", "xterm"}, true, false},
    };

    for (size_t i = 0; i < COUNT(rows); i++)
        tap_int(options_colour_for(rows[i].when, &rows[i].env, rows[i].terminal), rows[i].want,
                "colour row %zu", i);
}

static void test_help(void)
{
    struct buf b = BUF_INIT;
    int lines = 0, widest = 0, column = 0;

    options_help(&b);
    for (const char *p = b.data; *p; p++) {
        column = *p == '\n' ? 0 : column + 1;
        widest = column > widest ? column : widest;
        lines += *p == '\n';
    }
    tap_ok(lines <= 24 && widest <= 80, "help fits 80x24: %d lines, %d columns", lines, widest);
    for (size_t i = 0; options_at(i); i++) {
        char name[40];
        snprintf(name, sizeof(name), "--%s", options_at(i)->name);
        const char *found = strstr(b.data, name);
        tap_ok(found && strchr(" ,\n", found[strlen(name)]), "help names %s", name);
        for (size_t j = 0; j < i; j++)
            if (strcmp(options_at(i)->name, options_at(j)->name) == 0)
                tap_ok(false, "%s is there twice", name);
    }
    buf_done(&b);
}

int main(void)
{
    test_good();
    test_bad();
    test_long_words();
    test_words();
    test_colour();
    test_help();
    return tap_done();
}
