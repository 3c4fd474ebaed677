/* SPDX-License-Identifier: GPL-3.0-or-later */
/* the shapes of plans: loops, warm-ups, pauses, orders, mixes, choices of direction, dd */
#include <math.h>
#include <string.h>

#include "sthd/plan.h"
#include "sthd/units.h"
#include "tap.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define RATE     512e6
#define GIB_S    ((double)(1 << 30) / RATE)
#define R        (1u << DIRECTION_READ)
#define W        (1u << DIRECTION_WRITE)
#define M        (1u << DIRECTION_MIX)

/*
 * A plan as text: each step its test, its direction, and ~ for a warm-up or the number of the loop;
 * before it "N:" for a pause of N s; "P" the preparation, "P!" one by dd.
 */
static void shape(const struct plan *p, struct buf *out)
{
    for (size_t i = 0; i < p->n_steps; i++) {
        const struct step *s = &p->steps[i];
        if (i > 0)
            buf_addc(out, ' ');
        if (s->pause_s > 0)
            buf_addf(out, "%u:", (unsigned)s->pause_s);
        if (s->kind == STEP_PREPARE)
            buf_adds(out, s->tool == TOOL_DD ? "P!" : "P");
        else if (s->warmup)
            buf_addf(out, "%zu%c~", s->test, direction_name(s->direction)[0]);
        else
            buf_addf(out, "%zu%c%u", s->test, direction_name(s->direction)[0], s->loop + 1);
    }
}

struct choice {
    const char *what, *profile;
    unsigned loops;
    int64_t pause_s;
    int warmup;
    unsigned mix, only;
    const char *shape; /* NULL: refused */
    double seconds;    /* without the preparation */
    const char *says;  /* in the description, a note or the error */
};

#define P SETTINGS_PROFILES

static const struct choice choices[] = {
    {"row by row", "cdm", 0, P, P, 0, 0, "P 0r1 0w1 1r1 1w1 2r1 2w1 3r1 3w1", 8 * 5.3,
     "8 tests x 5 s:"},
    {"loops stay together", "cdm", 2, P, P, 0, R, "P 0r1 0r2 1r1 1r2 2r1 2r2 3r1 3r2", 8 * 5.3,
     "4 tests x 2 runs x 5 s:"},
    {"pauses between cells only", "cdm", 2, 7, P, 0, W, "P 0w1 0w2 7:1w1 1w2 7:2w1 2w2 7:3w1 3w2",
     8 * 5.3 + 21, "x 5 s, pauses of 7 s:"},
    {"a warm-up before each cell", "slog", 0, P, 1, 0, 0, "P 0w~ 0w1 1w~ 1w1 2w~ 2w1 3w~ 3w1",
     8 * 5.3, "4 tests x (1 warm-up + 1 run) x 5 s:"},
    {"CrystalDiskMark's manners", "cdm-real", 0, P, P, 0, 0,
     "P 0r~ 0r1 0r2 0r3 5:1r~ 1r1 1r2 1r3 5:0w~ 0w1 0w2 0w3 5:1w~ 1w1 1w2 1w3", 16 * 5.3 + 15,
     "4 tests x (1 warm-up + 3 runs) x 5 s, pauses of 5 s:"},
    {"mixes come last", "cdm-demo", 1, 0, 0, 70, 0, "P 0r1 0w1 0m1", 3 * 5.3, "3 tests x 5 s:"},
    {"a profile's own runtime", "cdm-flash", 1, P, 0, 0, W, "P 0w1 30:1w1 30:2w1 30:3w1",
     4 * 1.3 + 90, "4 tests x 1 s, pauses of 30 s:"},
    {"mix alone", "cdm", 0, P, P, 30, M, "P 0m1 1m1 2m1 3m1", 4 * 5.3, "4 tests"},
    {"commits do not mix", "slog", 0, P, P, 30, 0, "P 0w1 1w1 2w1 3w1", 4 * 5.3, "No mix tests"},
    {"nothing to read", "slog", 0, P, P, 0, R, NULL, 0, "profile slog has nothing to measure"},
    {"nothing to mix", "cdm", 0, P, P, 0, M, NULL, 0, "leave out --only"},
    {"endless", "watch", 0, P, P, 0, 0, "P 0w1", INFINITY, "until it is stopped: writes all"},
    {"dd needs no fio", "dd", 0, P, P, 0, 0, "P! 0r1 0w1 1r1", 3 * (GIB_S + 0.3),
     "3 tests of the whole file:"},
    {"dd does not mix", "dd", 0, P, P, 50, 0, "P! 0r1 0w1 1r1", 3 * (GIB_S + 0.3), "No mix tests"},
    {"dd, only writes", "dd", 3, P, P, 0, W, "P! 0w1 0w2 0w3", 3 * (GIB_S + 0.3),
     "1 test x 3 runs of the whole file:"},
    {"timed and whole", "dd-sync", 0, P, P, 0, 0, "P! 0w1 1w1", 5.3 + GIB_S + 0.3,
     "2 tests x 5 s or the whole file:"},
};

static void test_shape(const struct choice *c)
{
    struct settings s;
    struct capability all;
    struct plan p;
    struct err e;
    struct buf is = BUF_INIT, said = BUF_INIT;

    capability_init(&all);
    settings_init(&s);
    err_clear(&e);
    s.profile = profile_find(c->profile);
    s.loops = c->loops;
    s.pause_s = c->pause_s;
    s.warmup = c->warmup;
    s.mix_percent = c->mix;
    s.only = c->only;
    int rc = plan_build(&p, &s, &all, RATE, &e);
    if (!c->shape) {
        tap_ok(rc < 0 && strstr(e.text, c->says) && e.exit_code == EXIT_CODE_USAGE, "%s: %s",
               c->what, e.text);
    } else if (tap_int(rc, 0, "%s: is planned: %s", c->what, e.text)) {
        shape(&p, &is);
        tap_str(is.data, c->shape, "%s", c->what);
        if (isinf(c->seconds))
            tap_ok(isinf(p.seconds) && p.endless && p.bytes_written == UNITS_ABSENT &&
                       p.steps[1].endless && p.steps[1].runtime_s == PLAN_ENDLESS_S,
                   "%s: nobody knows how long, nor how much", c->what);
        else
            tap_near(p.seconds - p.prepare_s, c->seconds, 1e-6, "%s: time", c->what);
        plan_describe(&p, &said);
        for (size_t i = 0; i < p.notes.n; i++)
            buf_addf(&said, " | %s", p.notes.items[i]);
        tap_ok(strstr(said.data, c->says), "%s: %s", c->what, said.data);
    }
    buf_done(&is);
    buf_done(&said);
    plan_done(&p);
    settings_done(&s);
}

/* The plan's settings leave nothing open. */
static void test_decided(void)
{
    static const struct {
        const char *what, *profile;
        struct settings user;
        uint32_t runtime_s;
        unsigned loops;
        int combine;
        int64_t pause_s;
        int warmup;
    } rows[] = {
        {"cdm", "cdm", {.combine = P, .pause_s = P, .warmup = P}, 5, 1, COMBINE_BEST, 0, 0},
        {"cdm8", "cdm8", {.combine = P, .pause_s = P, .warmup = P}, 5, 3, COMBINE_BEST, 5, 1},
        {"cdm-flash", "cdm-flash", {.combine = P, .pause_s = P, .warmup = P}, 1, 3, 0, 30, 1},
        {"the user's word is the last",
         "cdm-flash",
         {.runtime_given = true, .loops = 9, .combine = COMBINE_MEDIAN},
         5,
         9,
         COMBINE_MEDIAN,
         0,
         0},
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        struct settings s;
        struct capability all;
        struct plan p;
        settings_init(&s);
        capability_init(&all);
        s.profile = profile_find(rows[i].profile);
        s.runtime_given = rows[i].user.runtime_given;
        s.loops = rows[i].user.loops;
        s.combine = rows[i].user.combine;
        s.pause_s = rows[i].user.pause_s;
        s.warmup = rows[i].user.warmup;
        tap_int(plan_build(&p, &s, &all, RATE, NULL), 0, "%s: is planned", rows[i].what);
        const struct settings *is = &p.settings;
        tap_ok(is->runtime_s == rows[i].runtime_s && is->loops == rows[i].loops &&
                   is->combine == rows[i].combine && is->pause_s == rows[i].pause_s &&
                   is->warmup == rows[i].warmup,
               "%s: %u s, %u loops, %d, pause %lld, warm-up %d", rows[i].what,
               (unsigned)is->runtime_s, is->loops, is->combine, (long long)is->pause_s, is->warmup);
        plan_done(&p);
        settings_done(&s);
    }
}

static void test_mix_steps(void)
{
    struct settings s;
    struct capability all;
    struct plan p;

    settings_init(&s);
    capability_init(&all);
    s.mix_percent = 80;
    plan_build(&p, &s, &all, 400e6, NULL);
    for (size_t i = 1; i < p.n_steps; i++) {
        const struct step *step = &p.steps[i];
        tap_int(step->mix_percent, step->direction == DIRECTION_MIX ? 80 : 0,
                "step %zu: a share of reads in mixes only", i);
        tap_ok(step->end_fsync == (step->direction != DIRECTION_READ), "step %zu: fsync", i);
    }
    tap_near((double)p.bytes_written, 1073741824 + 400e6 * 5 * (4 + 4 * 0.2), 1,
             "a fifth of a mix is written");
    tap_int((int)plan_directions(&p), R | W | M, "all directions");
    plan_done(&p);
    s.only = W;
    plan_build(&p, &s, &all, 400e6, NULL);
    tap_int((int)plan_directions(&p), W, "one direction");
    tap_int((int)plan_test_directions(&p, 3), W, "of a test");
    tap_int((int)plan_test_directions(&p, 9), 0, "of none");
    plan_done(&p);

    struct profile own = *profile_find("cdm-demo");
    own.tests[0].directions = M;
    s.profile = &own;
    s.mix_percent = s.only = 0;
    tap_int(plan_build(&p, &s, &all, 400e6, NULL), 0, "a profile of mixes");
    tap_int(p.steps[1].mix_percent, PLAN_MIX_PERCENT,
            "CrystalDiskMark's share, where none is said");
    plan_done(&p);
    settings_done(&s);
}

static void test_dd_steps(void)
{
    static const struct {
        const char *what;
        enum engine engine;
        enum io_mode io;
        bool direct_works;
        bool direct[3]; /* SEQ1M uncached read, write; cached read */
        bool fell_back;
        const char *note;
    } rows[] = {
        {"auto", ENGINE_AUTO, IO_AUTO, true, {true, true, false}, false, NULL},
        {"no direct I/O here", ENGINE_AUTO, IO_AUTO, false, {false, false, false}, true, NULL},
        {"buffered as told", ENGINE_AUTO, IO_BUFFERED, true, {false, false, false}, false, NULL},
        {"direct as told, but cached is cached",
         ENGINE_AUTO,
         IO_DIRECT,
         true,
         {true, true, false},
         false,
         "Buffered I/O as the profile prescribes"},
        {"an engine is no use",
         ENGINE_LIBAIO,
         IO_AUTO,
         true,
         {true, true, false},
         false,
         "dd has no engines"},
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        struct settings s;
        struct capability none = {.auto_engine = ENGINE_AUTO, .probed = true};
        struct plan p;
        settings_init(&s);
        s.profile = profile_find("dd");
        s.engine = rows[i].engine;
        s.io = rows[i].io;
        none.direct_works = rows[i].direct_works;
        if (!tap_int(plan_build(&p, &s, &none, RATE, NULL), 0, "%s: needs no engine", rows[i].what))
            continue;
        for (size_t j = 0; j < 3; j++) {
            const struct step *step = &p.steps[j + 1];
            tap_ok(step->tool == TOOL_DD && step->engine == ENGINE_SYNC && step->whole_file &&
                       step->runtime_s == 0 && step->cached == (j == 2) &&
                       step->end_fsync == (j == 1) && step->direct == rows[i].direct[j],
                   "%s: step %zu", rows[i].what, j + 1);
        }
        tap_int(p.fell_back, rows[i].fell_back, "%s: fallback", rows[i].what);
        tap_ok(rows[i].note ? p.notes.n == 1 && strstr(p.notes.items[0], rows[i].note)
                            : p.notes.n == 0,
               "%s: %s", rows[i].what, p.notes.n ? p.notes.items[0] : "no note");
        plan_done(&p);
        settings_done(&s);
    }
}

/* What a test says of place, amount and pace reaches its steps, and the estimates follow. */
static void test_bounds(void)
{
    const uint64_t mib = 1 << 20;
    const struct {
        const char *what;
        struct test t;
        uint64_t bound; /* of a file of 64 MiB; 0: by time */
        double written_mib;
    } rows[] = {
        {"by time", {.directions = W}, 0, 5 * RATE / (double)mib},
        {"at a rate", {.directions = W, .rate_iops = 64}, 0, 64 * 5},
        {"whole file", {.directions = W, .whole_file = true}, 64 * mib, 64},
        {"from an offset",
         {.directions = W, .whole_file = true, .offset_bytes = 16 * mib},
         48 * mib,
         48},
        {"a region",
         {.directions = W, .whole_file = true, .offset_bytes = 16 * mib, .region_bytes = 8 * mib},
         8 * mib,
         8},
        {"an amount", {.directions = W, .io_bytes = 640 * mib, .fsync_every = 3}, 640 * mib, 640},
        {"an amount, read", {.directions = R, .io_bytes = 640 * mib}, 640 * mib, 0},
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        struct profile own = {.name = "own", .title = "Own", .loops = 1, .n_tests = 1};
        struct capability all;
        struct settings s;
        struct plan p;
        struct err e;
        own.tests[0] = rows[i].t;
        strcpy(own.tests[0].name, "A");
        own.tests[0].block_bytes = mib;
        own.tests[0].queue_depth = own.tests[0].threads = 1;
        own.size_bytes = 64 * mib;
        own.unprepared = rows[i].t.directions == W;
        capability_init(&all);
        settings_init(&s);
        s.profile = &own;
        if (!tap_int(plan_build(&p, &s, &all, RATE, &e), 0, "%s: a plan %s", rows[i].what, e.text))
            continue;
        const struct step *step = &p.steps[p.n_steps - 1];
        tap_int((long long)p.n_steps, own.unprepared ? 1 : 2, "%s: prepared if it reads",
                rows[i].what);
        tap_ok(step->size_bytes == 64 * mib && step->offset_bytes == rows[i].t.offset_bytes &&
                   step->region_bytes == rows[i].t.region_bytes &&
                   step->io_bytes == rows[i].t.io_bytes && step->rate_iops == rows[i].t.rate_iops &&
                   step->fsync_every == rows[i].t.fsync_every,
               "%s: as the test says, in a file as large as the profile says", rows[i].what);
        tap_int((long long)step_bound_bytes(step), (long long)rows[i].bound, "%s: bound",
                rows[i].what);
        tap_int(step->runtime_s, rows[i].bound ? 0 : 5, "%s: runtime", rows[i].what);
        double want = rows[i].bound ? (double)rows[i].bound / RATE : 5;
        tap_ok(fabs(plan_step_seconds(&p, p.n_steps - 1) - want - PLAN_STARTUP_S) < 0.01,
               "%s: takes %.2f s", rows[i].what, want);
        double written = (double)p.bytes_written / (double)mib - (own.unprepared ? 0 : 64);
        tap_ok(fabs(written - rows[i].written_mib) < 0.5, "%s: writes %.1f MiB", rows[i].what,
               written);
        plan_done(&p);
        s.size_given = true;
        s.size_bytes = 128 * mib;
        plan_build(&p, &s, &all, RATE, NULL);
        tap_int((long long)p.settings.size_bytes, 128 * (long long)mib, "%s: the user's size",
                rows[i].what);
        plan_done(&p);
        settings_done(&s);
    }
}

/* Shares of the file, and skips, become bytes as fio counts them. */
static void test_places(void)
{
    const int64_t mib = 1 << 20, kib4 = 4096;
    const struct {
        const char *what;
        struct test t;
        int64_t offset, region, skip;
    } rows[] = {
        {"the first tenth", {.block_bytes = 1 << 20, .region_permille = 100}, 0, 6 * mib, 0},
        {"the last tenth",
         {.block_bytes = 1 << 20, .offset_permille = 900, .region_permille = 100},
         57 * mib,
         6 * mib,
         0},
        {"less than a block", {.block_bytes = 1 << 20, .region_permille = 1}, 0, mib, 0},
        {"full stroke", {.block_bytes = 4096, .stride_permille = 1000}, 0, 0, 64 * mib - 2 * kib4},
        {"half stroke", {.block_bytes = 4096, .stride_permille = 500}, 0, 0, 32 * mib - kib4},
        {"forward", {.block_bytes = 4096, .skip_bytes = 1 << 20}, 0, 0, mib},
        {"backward",
         {.block_bytes = 4096, .skip_bytes = 1 << 20, .skip_back = true},
         0,
         0,
         -mib - kib4},
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        struct profile own = {.name = "own", .title = "Own", .loops = 1, .n_tests = 1};
        struct capability all;
        struct settings s;
        struct plan p;
        struct err e = {0};
        own.tests[0] = rows[i].t;
        strcpy(own.tests[0].name, "A");
        own.tests[0].queue_depth = own.tests[0].threads = 1;
        own.tests[0].directions = R;
        own.size_bytes = 64 * (uint64_t)mib;
        capability_init(&all);
        settings_init(&s);
        s.profile = &own;
        if (!tap_int(plan_build(&p, &s, &all, RATE, &e), 0, "%s: a plan %s", rows[i].what, e.text))
            continue;
        tap_int((long long)p.steps[1].offset_bytes, rows[i].offset, "%s: begins", rows[i].what);
        tap_int((long long)p.steps[1].region_bytes, rows[i].region, "%s: touches", rows[i].what);
        tap_int((long long)p.steps[1].skip_bytes, rows[i].skip, "%s: skips", rows[i].what);
        plan_done(&p);
        settings_done(&s);
    }
}

/* A device has a size of its own, is not prepared, and is never written. */
static void test_device(void)
{
    struct capability all;
    struct settings s;
    struct plan p;
    struct err e = {0};

    capability_init(&all);
    settings_init(&s);
    s.device_bytes = UINT64_C(1) << 40;
    s.profile = profile_find("surface");
    tap_int(plan_build(&p, &s, &all, RATE, &e), 0, "surface of a device: %s", e.text);
    tap_int((long long)p.n_steps, (long long)s.profile->n_tests, "nothing is prepared");
    tap_int((long long)p.settings.size_bytes, 1LL << 40, "all of it");
    tap_ok(p.bytes_written == 0 && p.bytes_needed == 0, "writes nothing, needs no space");
    plan_done(&p);
    s.size_given = true;
    s.size_bytes = UINT64_C(1) << 30;
    plan_build(&p, &s, &all, RATE, NULL);
    tap_int((long long)p.settings.size_bytes, 1LL << 30, "or as much of it as was asked for");
    plan_done(&p);
    for (size_t i = 0; i < profile_count(); i++) {
        bool writes = false;
        s.profile = profile_at(i);
        for (size_t t = 0; t < s.profile->n_tests; t++)
            writes |= s.profile->tests[t].directions != R || s.profile->tests[t].tool != TOOL_FIO;
        int rc = plan_build(&p, &s, &all, RATE, &e);
        tap_ok((rc < 0) == writes, "%s: %s", s.profile->name, rc < 0 ? e.text : "only reads");
        if (rc == 0)
            plan_done(&p);
    }
    settings_done(&s);
}

int main(void)
{
    test_bounds();
    test_places();
    test_device();
    for (size_t i = 0; i < COUNT(choices); i++)
        test_shape(&choices[i]);
    test_decided();
    test_mix_steps();
    test_dd_steps();
    return tap_done();
}
