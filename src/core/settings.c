/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the user chose, and which of it cannot be. Knows no file system and no environment: whether
 * the path can be used is checked where the world is.
 */
#include "sthd/settings.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "sthd/mem.h"
#include "sthd/text.h"
#include "sthd/units.h"

#define SETTINGS_SIZE_MAX ((uint64_t)1 << 60)

void settings_init(struct settings *s)
{
    memset(s, 0, sizeof(*s));
    s->profile = profile_at(0);
    s->engine = ENGINE_AUTO;
    s->io = IO_AUTO;
    s->size_bytes = SETTINGS_SIZE_DEFAULT;
    s->runtime_s = SETTINGS_RUNTIME_DEFAULT;
    s->interval_ms = SETTINGS_INTERVAL_DEFAULT;
    s->combine = s->warmup = SETTINGS_PROFILES;
    s->pause_s = SETTINGS_PROFILES;
    strv_init(&s->extra);
}

void settings_done(struct settings *s)
{
    free(s->path);
    s->path = NULL;
    free(s->own_profile);
    s->own_profile = NULL;
    jobs_drop(s->jobs);
    s->jobs = NULL;
    free(s->compare);
    s->compare = NULL;
    strv_done(&s->extra);
}

void settings_copy(struct settings *to, const struct settings *from)
{
    if (to == from)
        return;
    settings_done(to);
    *to = *from;
    to->path = from->path ? mem_strdup(from->path) : NULL;
    to->own_profile = NULL;
    to->jobs = NULL;
    to->compare = NULL;
    if (from->compare) {
        to->compare = mem_alloc(sizeof(*to->compare));
        *to->compare = *from->compare;
    }
    if (from->own_profile && from->profile == from->own_profile) {
        settings_set_own_profile(to, from->own_profile);
        to->jobs = jobs_hold(from->jobs);
    }
    strv_init(&to->extra);
    for (size_t i = 0; i < from->extra.n; i++)
        strv_add(&to->extra, from->extra.items[i]);
}

void settings_set_path(struct settings *s, const char *path)
{
    char *copy = path ? mem_strdup(path) : NULL; /* path may be s->path */

    free(s->path);
    s->path = copy;
}

void settings_set_own_profile(struct settings *s, const struct profile *p)
{
    struct profile *copy = mem_zalloc(sizeof(*copy));

    *copy = *p; /* p may be s->own_profile */
    free(s->own_profile);
    s->profile = s->own_profile = copy;
    jobs_drop(s->jobs);
    s->jobs = NULL;
}

void settings_set_jobs(struct settings *s, struct jobs *j)
{
    struct profile p;

    jobs_hold(j); /* before what is there is let go: it may be the same */
    jobs_profile(j, &p);
    settings_set_own_profile(s, &p);
    s->jobs = j;
}

const struct jobs *settings_jobs(const struct settings *s)
{
    return s->profile == s->own_profile ? s->jobs : NULL;
}

/*
 * Options of fio that are not the user's to give, by what they would break. fio takes '-' and '_'
 * apart, we do not: near misses are refused as well.
 */
enum reason { REASON_FILE, REASON_SETTINGS, REASON_REPORTS, REASON_OTHER, REASON_MACHINE };

static const char *const reasons[] = {
    [REASON_FILE] =
        "would leave the bench file, which has no name so that nothing else can be overwritten",
    [REASON_SETTINGS] = "is what the profile and the other settings decide",
    [REASON_REPORTS] = "would hide or change the reports that the figures are read from",
    [REASON_OTHER] = "would not run this test but do something else",
    [REASON_MACHINE] = "would let fio outlive this program, or leave the machine changed",
};

static const struct refusal {
    const char *name;
    enum reason reason;
} refusals[] = {
    {"filename", REASON_FILE},
    {"filename_format", REASON_FILE},
    {"directory", REASON_FILE},
    {"opendir", REASON_FILE},
    {"nrfiles", REASON_FILE},
    {"openfiles", REASON_FILE},
    {"file_append", REASON_FILE},
    {"unlink", REASON_FILE},
    {"unlink_each_loop", REASON_FILE},
    {"allow_file_create", REASON_FILE},
    {"create_only", REASON_FILE},
    {"unique_filename", REASON_FILE},
    {"read_iolog", REASON_FILE},
    {"fill_device", REASON_FILE},
    {"fill_fs", REASON_FILE},
    {"size", REASON_SETTINGS},
    {"filesize", REASON_SETTINGS},
    {"io_size", REASON_SETTINGS},
    {"io_limit", REASON_SETTINGS},
    {"offset", REASON_SETTINGS},
    {"offset_increment", REASON_SETTINGS},
    {"offset_align", REASON_SETTINGS},
    {"fileoffset", REASON_SETTINGS},
    {"number_ios", REASON_SETTINGS},
    {"runtime", REASON_SETTINGS},
    {"timeout", REASON_SETTINGS},
    {"time_based", REASON_SETTINGS},
    {"ioengine", REASON_SETTINGS},
    {"iodepth", REASON_SETTINGS},
    {"numjobs", REASON_SETTINGS},
    {"direct", REASON_SETTINGS},
    {"buffered", REASON_SETTINGS},
    {"sync", REASON_SETTINGS},
    {"rw", REASON_SETTINGS},
    {"readwrite", REASON_SETTINGS},
    {"bs", REASON_SETTINGS},
    {"blocksize", REASON_SETTINGS},
    {"bsrange", REASON_SETTINGS},
    {"blocksize_range", REASON_SETTINGS},
    {"bssplit", REASON_SETTINGS},
    {"end_fsync", REASON_SETTINGS},
    {"kb_base", REASON_SETTINGS},
    {"unit_base", REASON_SETTINGS},
    {"output", REASON_REPORTS},
    {"output-format", REASON_REPORTS},
    {"append-terse", REASON_REPORTS},
    {"minimal", REASON_REPORTS},
    {"terse-version", REASON_REPORTS},
    {"status-interval", REASON_REPORTS},
    {"eta", REASON_REPORTS},
    {"eta-interval", REASON_REPORTS},
    {"eta-newline", REASON_REPORTS},
    {"group_reporting", REASON_REPORTS},
    {"unified_rw_reporting", REASON_REPORTS},
    {"gtod_reduce", REASON_REPORTS},
    {"clat_percentiles", REASON_REPORTS},
    {"disable_clat", REASON_REPORTS},
    {"percentile_list", REASON_REPORTS},
    {"debug", REASON_REPORTS},
    {"description", REASON_REPORTS},
    {"name", REASON_REPORTS},
    {"client", REASON_OTHER},
    {"server", REASON_OTHER},
    {"remote-config", REASON_OTHER},
    {"daemonize", REASON_OTHER},
    {"section", REASON_OTHER},
    {"parse-only", REASON_OTHER},
    {"showcmd", REASON_OTHER},
    {"help", REASON_OTHER},
    {"cmdhelp", REASON_OTHER},
    {"enghelp", REASON_OTHER},
    {"version", REASON_OTHER},
    {"crctest", REASON_OTHER},
    {"cpuclock-test", REASON_OTHER},
    {"merge-blktrace-only", REASON_OTHER},
    {"verify", REASON_OTHER},
    {"do_verify", REASON_OTHER},
    {"verify_only", REASON_OTHER},
    {"trigger-file", REASON_OTHER},
    {"trigger", REASON_OTHER},
    {"readonly", REASON_OTHER},
    {"thread", REASON_MACHINE},
    {"ioscheduler", REASON_MACHINE},
};

/* Real options that are also the beginning of a refused one. */
static const char *const not_abbreviations[] = {"fsync", NULL};

static bool same_option(const char *a, size_t n, const char *full, bool whole)
{
    for (size_t i = 0; i < n; i++)
        if ((a[i] == '_' ? '-' : a[i]) != (full[i] == '_' ? '-' : full[i]))
            return false; /* also at the end of full */
    return !whole || full[n] == '\0';
}

/*
 * fio reads its command line with getopt_long_only(3), which takes any unambiguous beginning of a
 * name: so a beginning of a refused name is refused as well.
 */
static const struct refusal *find_refusal(const char *name, size_t n)
{
    for (size_t i = 0; not_abbreviations[i]; i++)
        if (same_option(name, n, not_abbreviations[i], true))
            return NULL;
    for (int whole = 1; whole >= 0; whole--)
        for (size_t i = 0; i < sizeof(refusals) / sizeof(refusals[0]); i++)
            if (same_option(name, n, refusals[i].name, whole))
                return &refusals[i];
    return NULL;
}

/* fio repeats its options in its JSON and escapes nothing but quote and backslash. */
static bool breaks_json(const char *s)
{
    size_t n = strlen(s), used;

    for (size_t i = 0; i < n; i += used) {
        uint32_t c = text_decode(s + i, n - i, &used);
        if (c < 0x20 || c == 0x7f || (c == 0xfffd && used == 1))
            return true;
    }
    return false;
}

#define WORD_COLUMNS 80 /* as much of the user's words as a sentence repeats */

/* The user's words, fit to stand in a sentence: neither wide nor long. */
static void add_word(struct buf *out, const char *s)
{
    struct buf clean = BUF_INIT;

    text_printable(&clean, s, strlen(s), false);
    text_fit(out, clean.data ? clean.data : "", WORD_COLUMNS, false);
    if (out->len > WORD_COLUMNS) { /* more bytes than columns, perhaps without end: as ASCII */
        buf_clear(&clean);
        buf_clear(out);
        text_printable(&clean, s, strlen(s), true);
        text_fit(out, clean.data, WORD_COLUMNS, false);
    }
    buf_done(&clean);
}

int settings_add_extra(struct settings *s, const char *arg, struct err *e)
{
    struct buf shown = BUF_INIT;
    size_t n = strcspn(arg, "=");
    int rc = 0;

    add_word(&shown, arg);
    const char *word = shown.data ? shown.data : "";
    const struct refusal *r = n > 2 && text_starts(arg, "--") ? find_refusal(arg + 2, n - 2) : NULL;

    if (!text_starts(arg, "--") || n <= 2)
        rc = err_set(e, EXIT_CODE_USAGE, 0,
                     "\"%s\" is not an argument for fio: write --name=value or --name", word);
    else if (breaks_json(arg))
        rc = err_set(e, EXIT_CODE_USAGE, 0,
                     "fio argument %s: control characters and bytes that are not UTF-8 would "
                     "make fio's reports unreadable",
                     word);
    else if (r)
        rc = err_set(e, EXIT_CODE_USAGE, 0, "fio argument %s is refused: it %s", word,
                     reasons[r->reason]);
    else
        strv_add(&s->extra, arg);
    buf_done(&shown);
    return rc;
}

static int check_loops(const struct settings *s, struct err *e)
{
    if (s->loops > PROFILE_LOOPS_MAX)
        return err_set(e, EXIT_CODE_USAGE, 0, "--loops %u: choose 1 to %u", s->loops,
                       PROFILE_LOOPS_MAX);
    if (s->pause_s != SETTINGS_PROFILES && (s->pause_s < 0 || s->pause_s > PROFILE_PAUSE_MAX))
        return err_set(e, EXIT_CODE_USAGE, 0, "--pause %lld: choose 0 to %u seconds",
                       (long long)s->pause_s, PROFILE_PAUSE_MAX);
    if (s->mix_percent > 99)
        return err_set(e, EXIT_CODE_USAGE, 0, "--mix %u: choose a share of reads from 1 to 99",
                       s->mix_percent);
    if (s->combine < SETTINGS_PROFILES || s->combine >= COMBINE_COUNT ||
        s->warmup < SETTINGS_PROFILES || s->warmup > 1 || s->only >> DIRECTION_COUNT != 0)
        return err_set(e, EXIT_CODE_USAGE, 0,
                       "unknown way to combine loops, or direction, or warm-up");
    return 0;
}

uint64_t settings_size_bytes(const struct settings *s)
{
    if (s->device_bytes && !(s->size_given && s->size_bytes < s->device_bytes))
        return s->device_bytes; /* a part of it, or all of it */
    return !s->size_given && s->profile->size_bytes > 0 ? s->profile->size_bytes : s->size_bytes;
}

int settings_check(const struct settings *s, struct err *e)
{
    char min[UNITS_TEXT], size[UNITS_TEXT];

    assert(s->profile);
    uint64_t bytes = settings_size_bytes(s);

    if (bytes < SETTINGS_SIZE_MIN)
        return err_set(e, EXIT_CODE_USAGE, 0, "--size %s is too small: at least %s",
                       units_size(size, bytes), units_size(min, SETTINGS_SIZE_MIN));
    if (bytes > SETTINGS_SIZE_MAX)
        return err_set(e, EXIT_CODE_USAGE, 0, "--size is too large: at most 1 EiB");
    if (s->runtime_s < 1 || s->runtime_s > SETTINGS_RUNTIME_MAX)
        return err_set(e, EXIT_CODE_USAGE, 0, "--runtime %u: choose 1 to %u seconds",
                       (unsigned)s->runtime_s, SETTINGS_RUNTIME_MAX);
    if (s->interval_ms < SETTINGS_INTERVAL_MIN || s->interval_ms > SETTINGS_INTERVAL_MAX)
        return err_set(e, EXIT_CODE_USAGE, 0, "--interval %u: choose %u to %u milliseconds",
                       (unsigned)s->interval_ms, SETTINGS_INTERVAL_MIN, SETTINGS_INTERVAL_MAX);
    if ((unsigned)s->engine >= ENGINE_COUNT || (unsigned)s->io >= IO_MODE_COUNT)
        return err_set(e, EXIT_CODE_USAGE, 0, "unknown engine or I/O mode");
    if (s->sweep.n * (s->loops ? s->loops : SWEEP_REPEATS) > PROFILE_LOOPS_MAX)
        return err_set(e, EXIT_CODE_USAGE, 0,
                       "--sweep: %u runs under each of %zu settings are too many: at most %u in "
                       "all, so take fewer --loops",
                       s->loops ? s->loops : SWEEP_REPEATS, s->sweep.n, PROFILE_LOOPS_MAX);
    int rc = check_loops(s, e);
    if (rc)
        return rc;
    for (size_t i = 0; i < s->profile->n_tests; i++) {
        const struct test *t = &s->profile->tests[i];
        uint64_t least = t->block_bytes * t->threads; /* each thread needs a place of its own */

        if (t->work != WORK_DATA)
            continue;
        least = t->offset_bytes + (t->region_bytes > least ? t->region_bytes : least);
        if (bytes < least)
            return err_set(e, EXIT_CODE_USAGE, 0,
                           "--size %s is too small for test %s, which needs %s (threads: %u)",
                           units_size(size, bytes), t->name, units_size(min, least), t->threads);
    }
    return s->profile->foreign ? 0 : profile_check(s->profile, e); /* jobs_parse has seen to it */
}
