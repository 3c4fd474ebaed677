/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Turns a profile and settings into the steps of a run, and says beforehand what they will take.
 * Knows neither the target nor fio's command line: what works here comes in as a capability.
 */
#include "sthd/plan.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sthd/mem.h"
#include "sthd/sweep.h"
#include "sthd/units.h"

#define PREPARE_BLOCK ((uint64_t)1 << 20)
#define PREPARE_DEPTH 8u
/* What making or removing a file costs, in bytes written: an inode, and its share of a directory
 * block and of the journal. For estimates only. */
#define FILE_COST_BYTES 4096u

void capability_init(struct capability *c)
{
    memset(c, 0, sizeof(*c));
    c->auto_engine = ENGINE_IO_URING;
    c->direct_works = true;
}

enum engine capability_auto(const struct capability *c, bool direct)
{
    static const enum engine instead[] = {ENGINE_POSIXAIO, ENGINE_SYNC, ENGINE_PSYNC};

    if (direct || c->auto_engine != ENGINE_LIBAIO)
        return c->auto_engine;
    for (size_t i = 0; i < sizeof(instead) / sizeof(instead[0]); i++)
        if (!c->probed || c->engine_usable[instead[i]])
            return instead[i];
    return c->auto_engine;
}

static bool engine_works(const struct capability *c, enum engine engine)
{
    return !c->probed || c->engine_usable[engine];
}

static const char *reason(const char *text)
{
    return text[0] ? text : "the trial run failed";
}

/* What ENGINE_AUTO and IO_AUTO mean where nothing prescribes: settings before capability. */
static int resolve_choices(const struct plan *p, enum engine *engine, bool *direct, struct err *e)
{
    const struct settings *s = &p->settings;
    const struct capability *c = &p->capability;

    *direct = s->io == IO_AUTO ? c->direct_works : s->io == IO_DIRECT;
    *engine = profile_is_dd(s->profile)  ? ENGINE_SYNC
              : s->engine != ENGINE_AUTO ? s->engine
                                         : capability_auto(c, *direct);
    if (*engine == ENGINE_AUTO)
        return err_set(e, EXIT_CODE_USAGE, 0,
                       "none of fio's engines works on this target: try another directory, or see "
                       "what \"fio --ioengine=psync\" says there");
    if (!profile_is_dd(s->profile) && !engine_works(c, *engine))
        return err_set(e, EXIT_CODE_USAGE, 0,
                       "engine %s does not work here (%s): choose another one or auto",
                       engine_name(*engine), reason(c->engine_reason[*engine]));
    if (s->io == IO_DIRECT && c->probed && !c->direct_works)
        return err_set(e, EXIT_CODE_USAGE, 0,
                       "direct I/O does not work here (%s): choose buffered or auto",
                       reason(c->direct_reason));
    return 0;
}

/* A note once, however many tests it is about. */
static void note_once(struct plan *p, const char *text)
{
    for (size_t i = 0; i < p->notes.n; i++)
        if (strcmp(p->notes.items[i], text) == 0)
            return;
    strv_add(&p->notes, text);
}

static int apply_prescription(struct plan *p, const struct test *t, struct step *step,
                              struct err *e)
{
    const struct settings *s = &p->settings;
    const struct capability *c = &p->capability;

    if (t->engine != ENGINE_AUTO) {
        if (!engine_works(c, t->engine))
            return err_set(e, EXIT_CODE_USAGE, 0,
                           "test %s needs engine %s, which does not work here (%s): choose another "
                           "profile",
                           t->name, engine_name(t->engine), reason(c->engine_reason[t->engine]));
        if (s->engine != ENGINE_AUTO && s->engine != t->engine) {
            char *text =
                mem_printf("Engine %s as the profile prescribes; the chosen %s is not used "
                           "for its tests.",
                           engine_name(t->engine), engine_name(s->engine));
            note_once(p, text);
            free(text);
        }
        step->engine = t->engine;
    }
    if (t->io != IO_AUTO) {
        if (t->io == IO_DIRECT && c->probed && !c->direct_works)
            return err_set(
                e, EXIT_CODE_USAGE, 0,
                "test %s needs direct I/O, which does not work here (%s): choose another "
                "profile",
                t->name, reason(c->direct_reason));
        if (s->io != IO_AUTO && s->io != t->io) {
            char *text =
                mem_printf("%s I/O as the profile prescribes; the chosen %s I/O is not "
                           "used for its tests.",
                           t->io == IO_DIRECT ? "Direct" : "Buffered", io_mode_name(s->io));
            note_once(p, text);
            free(text);
        }
        step->direct = t->io == IO_DIRECT;
        if (t->engine == ENGINE_AUTO && s->engine == ENGINE_AUTO && t->tool == TOOL_FIO)
            step->engine = capability_auto(c, step->direct);
    }
    if (step->engine == ENGINE_LIBAIO && !step->direct)
        note_once(p, "Engine libaio is asynchronous only with direct I/O: buffered, it waits in "
                     "each submission, and the queue depth is not reached.");
    return 0;
}

static void add_step(struct plan *p, const struct step *step)
{
    p->steps = mem_realloc_array(p->steps, p->n_steps + 1, sizeof(*p->steps));
    p->steps[p->n_steps++] = *step;
}

static void add_prepare(struct plan *p, enum engine engine, bool direct)
{
    struct step step = {
        .kind = STEP_PREPARE,
        .tool = profile_is_dd(p->settings.profile) ? TOOL_DD : TOOL_FIO,
        .loops = 1,
        .direction = DIRECTION_WRITE,
        .pattern = PATTERN_SEQ,
        .block_bytes = PREPARE_BLOCK,
        .queue_depth = engine_is_async(engine) ? PREPARE_DEPTH : 1,
        .threads = 1,
        .engine = engine,
        .direct = direct,
        .end_fsync = true, /* or its write-back runs on into the first test */
        .size_bytes = p->settings.size_bytes,
    };
    add_step(p, &step);
}

/* Rows of CrystalDiskMark's kind; a commit or dd cannot be half a read. */
static bool can_mix(const struct profile *profile, const struct test *t)
{
    return !profile->foreign && (profile->view == VIEW_CDM || profile->view == VIEW_CURVE) &&
           t->tool == TOOL_FIO && !t->sync && !test_is_bound(t) && !profile->unprepared;
}

static unsigned chosen_directions(const struct settings *s, const struct test *t)
{
    unsigned set = t->directions;

    if (s->mix_percent > 0 && can_mix(s->profile, t))
        set |= 1u << DIRECTION_MIX;
    return s->only ? set & s->only : set;
}

/* The user's word goes before the test's. */
static unsigned mix_percent(const struct settings *s, const struct test *t)
{
    if (s->mix_percent)
        return s->mix_percent;
    return t->mix_percent ? t->mix_percent : PLAN_MIX_PERCENT;
}

/* The runs of one cell. shape: the step without what differs between them. */
static void add_cell(struct plan *p, const struct test *t, const struct step *shape,
                     enum direction d)
{
    const struct settings *s = &p->settings;
    struct step step = *shape;

    step.direction = d;
    step.end_fsync = t->end_fsync && d != DIRECTION_READ;
    if (d == DIRECTION_MIX)
        step.mix_percent = mix_percent(s, t);
    step.fsync_every = d != DIRECTION_READ ? t->fsync_every : 0;
    step.pause_s = plan_directions(p) ? (uint32_t)s->pause_s : 0;
    step.loops = s->loops;
    if (s->warmup) {
        step.warmup = true;
        add_step(p, &step);
        step.warmup = false;
        step.pause_s = 0;
    }
    for (step.loop = 0; step.loop < s->loops; step.loop++) {
        add_step(p, &step);
        step.pause_s = 0;
    }
}

static uint64_t share_of(uint64_t bytes, unsigned permille)
{
    uint64_t share = bytes / 1000 * permille + bytes % 1000 * permille / 1000;

    return share - share % PREPARE_BLOCK;
}

/* Shares of the file become bytes: whole blocks of the preparation, or of the test. */
static void place_step(const struct test *t, struct step *s)
{
    uint64_t block = t->block_bytes, all = s->size_bytes - s->size_bytes % block;

    if (t->offset_permille)
        s->offset_bytes = share_of(s->size_bytes, t->offset_permille);
    if (t->region_permille)
        s->region_bytes = share_of(s->size_bytes, t->region_permille);
    if (t->region_permille && s->region_bytes < block)
        s->region_bytes = block;
    /* fio adds the skip at the end of a block, and begins anew behind the end of the file. */
    if (t->stride_permille == 1000 && all > 2 * block)
        s->skip_bytes = (int64_t)(all - 2 * block);
    else if (t->stride_permille && share_of(all, t->stride_permille) > block)
        s->skip_bytes = (int64_t)(share_of(all, t->stride_permille) - block);
    else if (t->skip_bytes)
        s->skip_bytes = t->skip_back ? -(int64_t)(t->skip_bytes + block) : (int64_t)t->skip_bytes;
}

/* The step of a test, without its direction. */
static int shape_step(struct plan *p, size_t index, enum engine engine, bool direct,
                      struct step *out, struct err *e)
{
    const struct test *t = &p->settings.profile->tests[index];
    struct step step = {
        .kind = STEP_MEASURE,
        .tool = t->tool,
        .test = index,
        .pattern = t->pattern,
        .block_bytes = t->block_bytes,
        .queue_depth = t->queue_depth,
        .threads = t->threads,
        .engine = t->tool == TOOL_DD ? ENGINE_SYNC : engine,
        .direct = direct,
        .sync = t->sync,
        .size_bytes = p->settings.size_bytes,
        .runtime_s = test_is_bound(t) ? 0
                     : p->endless     ? PLAN_ENDLESS_S
                                      : p->settings.runtime_s,
        .endless = p->endless,
        .cached = t->cached,
        .whole_file = t->whole_file,
        .offset_bytes = t->offset_bytes,
        .region_bytes = t->region_bytes,
        .io_bytes = t->io_bytes,
        .rate_iops = t->rate_iops,
        .work = t->work,
        .files = t->files,
    };
    int rc = apply_prescription(p, t, &step, e);

    if (rc)
        return rc;
    place_step(t, &step);
    step.direct &= t->work == WORK_DATA; /* of names there is no direct I/O */
    if (t->queue_depth > 1 && !engine_is_async(step.engine)) {
        char *text = mem_printf("Engine %s keeps one request in flight per thread: every queue "
                                "depth is 1.",
                                engine_name(step.engine));
        note_once(p, text);
        free(text);
        step.queue_depth = 1;
    }
    if (t->io == IO_AUTO && p->settings.io == IO_AUTO && !direct)
        p->fell_back = true;
    *out = step;
    return 0;
}

/* Direct I/O is in whole logical blocks: what is not fails, and says nothing. */
static bool can_be_direct(struct plan *p, const struct step *s)
{
    uint64_t logical = p->settings.logical_bytes;
    char size[UNITS_TEXT];

    if (!s->direct || s->tool != TOOL_FIO || s->work != WORK_DATA || logical <= PROFILE_BLOCK_MIN ||
        (s->block_bytes % logical == 0 && s->offset_bytes % logical == 0))
        return true;
    char *text =
        mem_printf("Tests that are not in whole logical blocks of the device (%s) are left "
                   "out: direct I/O cannot be.",
                   units_size(size, logical));
    note_once(p, text);
    free(text);
    return false;
}

/* The cells of a test in the directions of the mask. */
static int add_test(struct plan *p, size_t index, unsigned directions, enum engine engine,
                    bool direct, struct err *e)
{
    const struct test *t = &p->settings.profile->tests[index];
    struct step step;

    directions &= chosen_directions(&p->settings, t);
    if (!directions)
        return 0;
    int rc = shape_step(p, index, engine, direct, &step, e);
    if (rc)
        return rc;
    if (!can_be_direct(p, &step))
        return 0;
    for (int d = 0; d < DIRECTION_COUNT; d++)
        if (directions & 1u << d)
            add_cell(p, t, &step, (enum direction)d);
    return 0;
}

/* ---- a job file's sections ---- */

static int shape_section(struct plan *p, size_t index, enum engine engine, bool direct,
                         struct step *out, struct err *e)
{
    const struct settings *s = &p->settings;
    const struct job_section *j = &settings_jobs(s)->sections[index];
    int rc = shape_step(p, index, engine, direct, out, e);

    out->direction = j->direction;
    out->block_bytes = j->block_bytes;
    out->mix_percent = j->mix_percent;
    out->fsync_every = j->fsync_every;
    out->end_fsync = j->end_fsync;
    out->loops = s->loops;
    out->runtime_s = s->runtime_given ? s->runtime_s : j->runtime_s;
    if (out->runtime_s) {
        out->io_bytes = 0;
        out->whole_file = false;
    }
    return rc;
}

/* One run of those that run together. */
static void add_together(struct plan *p, struct step *steps, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        steps[i].company = i == 0 ? (unsigned)n - 1 : 0;
        steps[i].beside = i > 0;
        add_step(p, &steps[i]);
        steps[i].pause_s = 0;
    }
}

/* fio starts the sections of a file together, up to one that waits for those before it. */
static int add_sections(struct plan *p, enum engine engine, bool direct, struct err *e)
{
    const struct settings *s = &p->settings;
    const struct jobs *jobs = settings_jobs(s);
    struct step steps[PROFILE_TESTS];

    for (size_t i = 0, end; i < jobs->n; i = end) {
        size_t n = 0;
        for (end = i; end < jobs->n && (end == i || !jobs->sections[end].waits); end++) {
            if (s->only && !(s->only & 1u << jobs->sections[end].direction))
                continue;
            int rc = shape_section(p, end, engine, direct, &steps[n++], e);
            if (rc)
                return rc;
        }
        if (n == 0)
            continue;
        steps[0].pause_s = plan_directions(p) ? (uint32_t)s->pause_s : 0;
        for (size_t k = 0; s->warmup && k < n; k++)
            steps[k].warmup = true;
        if (s->warmup)
            add_together(p, steps, n);
        for (unsigned loop = 0; loop < s->loops; loop++) {
            for (size_t k = 0; k < n; k++) {
                steps[k].warmup = false;
                steps[k].loop = loop;
            }
            add_together(p, steps, n);
        }
    }
    return 0;
}

/* Row by row with all directions, or as many times through the rows as there are directions. */
static int add_tests(struct plan *p, enum engine engine, bool direct, struct err *e)
{
    const struct profile *profile = p->settings.profile;
    unsigned all = (1u << DIRECTION_COUNT) - 1;
    bool foreign = settings_jobs(&p->settings) != NULL;
    int rc = foreign ? add_sections(p, engine, direct, e) : 0;

    for (unsigned first = 1; !foreign && rc == 0 && first <= (profile->by_direction ? all : 1);
         first <<= 1)
        for (size_t i = 0; rc == 0 && i < profile->n_tests; i++)
            rc = add_test(p, i, profile->by_direction ? first : all, engine, direct, e);
    if (rc == 0 && plan_directions(p) == 0)
        rc = err_set(e, EXIT_CODE_USAGE, 0,
                     "profile %s has nothing to measure in the directions that were chosen: leave "
                     "out --only, or choose another profile",
                     profile->name);
    return rc;
}

/* What the user left to the profile. */
static void decide(struct settings *s)
{
    const struct profile *profile = s->profile;

    if (!s->runtime_given && profile->runtime_s > 0)
        s->runtime_s = profile->runtime_s;
    if (!s->interval_given && profile->interval_ms > 0)
        s->interval_ms = profile->interval_ms;
    s->size_bytes = settings_size_bytes(s);
    if (s->sweep.n > 0) { /* one run has no spread to compare with */
        s->sweep.repeats = s->loops             ? s->loops
                           : profile->loops > 1 ? profile->loops
                                                : SWEEP_REPEATS;
        s->loops = sweep_loops(&s->sweep);
        s->combine = COMBINE_MEDIAN;
    }
    if (s->loops == 0)
        s->loops = profile->loops;
    if (s->combine == SETTINGS_PROFILES)
        s->combine = profile->combine;
    if (s->pause_s == SETTINGS_PROFILES)
        s->pause_s = profile->pause_s;
    if (s->warmup == SETTINGS_PROFILES)
        s->warmup = profile->warmup;
}

/* Choices that the profile has no use for are told, not refused: see plan_build. */
static void note_unused(struct plan *p)
{
    const struct settings *s = &p->settings;

    if (s->mix_percent > 0 && !(plan_directions(p) & 1u << DIRECTION_MIX) &&
        !(s->only && !(s->only & 1u << DIRECTION_MIX)))
        note_once(p, "No mix tests: this profile has no rows that reads and writes can share.");
    if (s->engine != ENGINE_AUTO && profile_is_dd(s->profile)) {
        char *text =
            mem_printf("dd has no engines: the chosen %s is not used.", engine_name(s->engine));
        note_once(p, text);
        free(text);
    }
}

/* Below 2^63, so that it survives being a signed number, and never UNITS_ABSENT. */
static uint64_t clamp_bytes(double bytes)
{
    return bytes < 0x1p63 ? (uint64_t)bytes : (uint64_t)1 << 63;
}

static double step_bytes_written(const struct plan *p, const struct step *s)
{
    uint64_t bound = step_bound_bytes(s);
    double bytes = bound ? (double)bound : p->rate_bytes_per_s * s->runtime_s;

    if (s->direction != DIRECTION_READ && s->endless)
        return INFINITY;
    if (s->rate_iops && !bound)
        bytes =
            fmin(bytes, (double)s->rate_iops * s->threads * s->runtime_s * (double)s->block_bytes);
    return s->direction == DIRECTION_READ ? 0 : bytes * (100 - s->mix_percent) / 100;
}

static void estimate(struct plan *p, double rate_bytes_per_s)
{
    bool prepared = plan_is_prepared(&p->settings);
    double size = (double)p->settings.size_bytes, written = prepared ? size : 0;

    p->rate_bytes_per_s = rate_bytes_per_s;
    p->prepare_s = prepared ? size / rate_bytes_per_s + PLAN_STARTUP_S : 0;
    p->seconds = 0;
    for (size_t i = 0; i < p->n_steps; i++) {
        p->seconds += plan_step_seconds(p, i) + p->steps[i].pause_s;
        if (p->steps[i].kind == STEP_MEASURE)
            written += step_bytes_written(p, &p->steps[i]);
    }
    p->bytes_needed = p->settings.device_bytes ? 0 : p->settings.size_bytes;
    p->bytes_written_min = prepared ? p->settings.size_bytes : 0;
    p->bytes_written = isfinite(written) ? clamp_bytes(written) : UNITS_ABSENT;
}

static uint64_t whole_blocks(const struct settings *s)
{
    uint64_t block = PREPARE_BLOCK;

    for (size_t i = 0; !s->profile->foreign && i < s->profile->n_tests; i++) {
        uint64_t b = s->profile->tests[i].block_bytes;
        if (b > block)
            block = b;
    }
    return s->size_bytes - s->size_bytes % block;
}

bool plan_is_prepared(const struct settings *s)
{
    return !s->profile->unprepared && !s->device_bytes;
}

/* A device is only read: all tests that are left have to be reads, of fio. */
static int check_device(const struct settings *s, struct err *e)
{
    if (!s->device_bytes)
        return 0;
    if (settings_jobs(s))
        return err_set(e, EXIT_CODE_USAGE, 0,
                       "a block device is only read, by tests that are known: a job file needs a "
                       "directory");
    for (size_t i = 0; i < s->profile->n_tests; i++) {
        const struct test *t = &s->profile->tests[i];
        unsigned set = chosen_directions(s, t);
        if (t->tool != TOOL_FIO || t->work != WORK_DATA || (set & ~(1u << DIRECTION_READ)))
            return err_set(e, EXIT_CODE_USAGE, 0,
                           "a block device is only read, and test %s does not only read: choose "
                           "the profile surface, or --only read, or a directory",
                           t->name);
    }
    return 0;
}

int plan_build(struct plan *p, const struct settings *s, const struct capability *c,
               double rate_bytes_per_s, struct err *e)
{
    enum engine engine = ENGINE_AUTO;
    bool direct = false;

    assert(rate_bytes_per_s > 0 && isfinite(rate_bytes_per_s));
    memset(p, 0, sizeof(*p));
    strv_init(&p->notes);
    settings_init(&p->settings);

    int rc = settings_check(s, e);
    if (rc == 0)
        rc = check_device(s, e);
    if (rc)
        return rc;
    settings_copy(&p->settings, s);
    p->endless = s->profile->endless && !s->runtime_given && s->sweep.n == 0;
    decide(&p->settings);
    p->settings.size_bytes = whole_blocks(&p->settings);
    p->capability = *c;

    rc = resolve_choices(p, &engine, &direct, e);
    if (rc == 0 && plan_is_prepared(s))
        add_prepare(p, engine, direct);
    if (rc == 0)
        rc = add_tests(p, engine, direct, e);
    if (rc) {
        plan_done(p);
        return rc;
    }
    note_unused(p);
    for (size_t i = 0; settings_jobs(s) && i < settings_jobs(s)->notes.n; i++)
        note_once(p, settings_jobs(s)->notes.items[i]);
    estimate(p, rate_bytes_per_s);
    return 0;
}

void plan_done(struct plan *p)
{
    settings_done(&p->settings);
    strv_done(&p->notes);
    free(p->steps);
    p->steps = NULL;
    p->n_steps = 0;
}

uint64_t step_bound_bytes(const struct step *s)
{
    uint64_t all = s->size_bytes - s->offset_bytes;

    if (s->kind == STEP_PREPARE)
        return s->size_bytes;
    if (s->work != WORK_DATA) /* of each file little more than its entry is touched */
        return (uint64_t)s->files * s->threads * FILE_COST_BYTES;
    if (s->io_bytes)
        return s->io_bytes * s->threads;
    return !s->whole_file ? 0 : s->region_bytes && s->region_bytes < all ? s->region_bytes : all;
}

static double step_alone_seconds(const struct plan *p, const struct step *s)
{
    uint64_t bound = step_bound_bytes(s);
    if (bound)
        return (double)bound / p->rate_bytes_per_s + PLAN_STARTUP_S;
    if (s->endless)
        return INFINITY;
    return s->runtime_s + PLAN_STARTUP_S;
}

double plan_step_seconds(const struct plan *p, size_t step)
{
    assert(step < p->n_steps);
    if (p->steps[step].kind == STEP_PREPARE)
        return p->prepare_s;
    if (p->steps[step].beside)
        return 0;
    if (p->steps[step].company) {
        double longest = 0;
        for (size_t i = step; i <= step + p->steps[step].company; i++)
            longest = fmax(longest, step_alone_seconds(p, &p->steps[i]));
        return longest;
    }
    return step_alone_seconds(p, &p->steps[step]);
}

bool plan_is_timed(const struct plan *p)
{
    for (size_t i = 0; i < p->n_steps; i++)
        if (p->steps[i].kind == STEP_MEASURE && p->steps[i].runtime_s > 0)
            return true;
    return false;
}

unsigned plan_test_directions(const struct plan *p, size_t test)
{
    unsigned set = 0;

    for (size_t i = 0; i < p->n_steps; i++)
        if (p->steps[i].kind == STEP_MEASURE && p->steps[i].test == test)
            set |= 1u << p->steps[i].direction;
    return set;
}

unsigned plan_directions(const struct plan *p)
{
    unsigned set = 0;

    for (size_t i = 0; i < p->settings.profile->n_tests; i++)
        set |= plan_test_directions(p, i);
    return set;
}

/* "8 tests x (1 warm-up + 3 runs) x 5 s, pauses of 5 s" */
static void describe_runs(const struct settings *s, struct buf *out)
{
    unsigned runs = s->sweep.n > 0 ? s->sweep.repeats : s->loops;

    if (runs <= 1 && !s->warmup && s->sweep.n == 0)
        return;
    buf_addf(out, " x %s%u run%s", s->warmup ? "(1 warm-up + " : "", runs, runs == 1 ? "" : "s");
    if (s->sweep.n > 0)
        buf_addf(out, " x %zu %ss", s->sweep.n, knob_name(s->sweep.knob));
    if (s->warmup)
        buf_addc(out, ')');
}

static void describe_tests(const struct plan *p, struct buf *out)
{
    const struct settings *s = &p->settings;
    char text[UNITS_TEXT];
    size_t cells = 0, whole = 0, timed = 0;

    for (size_t i = 0; i < p->n_steps; i++) {
        const struct step *step = &p->steps[i];
        if (step->kind != STEP_MEASURE || step->warmup || step->loop > 0)
            continue;
        cells++;
        whole += step->whole_file;
        timed += step->runtime_s > 0;
    }
    buf_addf(out, "%zu test%s", cells, cells == 1 ? "" : "s");
    describe_runs(s, out);
    if (p->endless)
        buf_adds(out, " until it is stopped");
    else if (settings_jobs(s) && !s->runtime_given)
        buf_adds(out, " as the job file says");
    else if (timed > 0)
        buf_addf(out, " x %s", units_duration(text, s->runtime_s));
    if (whole > 0 && !settings_jobs(s))
        buf_adds(out, timed > 0 ? " or the whole file" : " of the whole file");
    if (s->pause_s > 0 && cells > 1)
        buf_addf(out, ", pauses of %s", units_duration(text, (double)s->pause_s));
}

void plan_describe_writes(const struct plan *p, struct buf *out)
{
    char written[UNITS_TEXT];

    if (p->bytes_written == UNITS_ABSENT)
        buf_adds(out, "as much as the test can until it is stopped");
    else
        buf_addf(out, "up to %s", units_size(written, p->bytes_written));
}

void plan_describe(const struct plan *p, struct buf *out)
{
    char size[UNITS_TEXT], total[UNITS_TEXT];

    if (plan_is_prepared(&p->settings))
        buf_addf(out, "prepare %s, then ", units_size(size, p->settings.size_bytes));
    describe_tests(p, out);
    if (p->endless) {
        buf_addf(out, ": %s", p->bytes_written == UNITS_ABSENT ? "writes all the time" : "reads");
        return;
    }
    buf_addf(out, ": about %s, writes ", units_duration(total, p->seconds));
    plan_describe_writes(p, out);
}
