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
#include "sthd/units.h"

#define PREPARE_BLOCK ((uint64_t)1 << 20)
#define PREPARE_DEPTH 8u

void capability_init(struct capability *c)
{
    memset(c, 0, sizeof(*c));
    c->auto_engine = ENGINE_IO_URING;
    c->direct_works = true;
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

    *engine = s->engine != ENGINE_AUTO ? s->engine : c->auto_engine;
    if (*engine == ENGINE_AUTO)
        return err_set(e, EXIT_CODE_USAGE, 0,
                       "none of fio's engines works on this target: try another directory, or see "
                       "what \"fio --ioengine=psync\" says there");
    if (!engine_works(c, *engine))
        return err_set(e, EXIT_CODE_USAGE, 0,
                       "engine %s does not work here (%s): choose another one or auto",
                       engine_name(*engine), reason(c->engine_reason[*engine]));
    if (s->io == IO_DIRECT && c->probed && !c->direct_works)
        return err_set(e, EXIT_CODE_USAGE, 0,
                       "direct I/O does not work here (%s): choose buffered or auto",
                       reason(c->direct_reason));
    *direct = s->io == IO_AUTO ? c->direct_works : s->io == IO_DIRECT;
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
    }
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

static int add_test(struct plan *p, size_t index, enum engine engine, bool direct, struct err *e)
{
    const struct test *t = &p->settings.profile->tests[index];
    struct step step = {
        .kind = STEP_MEASURE,
        .test = index,
        .pattern = t->pattern,
        .block_bytes = t->block_bytes,
        .queue_depth = t->queue_depth,
        .threads = t->threads,
        .engine = engine,
        .direct = direct,
        .sync = t->sync,
        .size_bytes = p->settings.size_bytes,
        .runtime_s = p->settings.runtime_s,
    };
    int rc = apply_prescription(p, t, &step, e);

    if (rc)
        return rc;
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
    for (int d = 0; d < DIRECTION_COUNT; d++)
        if (t->directions & 1u << d) {
            step.direction = (enum direction)d;
            step.end_fsync = t->end_fsync && step.direction != DIRECTION_READ;
            add_step(p, &step);
        }
    return 0;
}

/* Below 2^63, so that it survives being a signed number, and never UNITS_ABSENT. */
static uint64_t clamp_bytes(double bytes)
{
    return bytes < 0x1p63 ? (uint64_t)bytes : (uint64_t)1 << 63;
}

static void estimate(struct plan *p, double rate_bytes_per_s)
{
    double size = (double)p->settings.size_bytes, written = size;

    p->prepare_s = size / rate_bytes_per_s + PLAN_STARTUP_S;
    p->seconds = 0;
    for (size_t i = 0; i < p->n_steps; i++) {
        p->seconds += plan_step_seconds(p, i);
        if (p->steps[i].kind == STEP_MEASURE && p->steps[i].direction != DIRECTION_READ)
            written += rate_bytes_per_s * p->steps[i].runtime_s;
    }
    p->bytes_needed = p->settings.size_bytes;
    p->bytes_written_min = p->settings.size_bytes;
    p->bytes_written = clamp_bytes(written);
}

static uint64_t whole_blocks(const struct settings *s)
{
    uint64_t block = PREPARE_BLOCK;

    for (size_t i = 0; i < s->profile->n_tests; i++) {
        uint64_t b = s->profile->tests[i].block_bytes;
        if (b > block)
            block = b;
    }
    return s->size_bytes - s->size_bytes % block;
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
    if (rc)
        return rc;
    settings_copy(&p->settings, s);
    p->settings.size_bytes = whole_blocks(s);
    p->capability = *c;

    rc = resolve_choices(p, &engine, &direct, e);
    if (rc == 0)
        add_prepare(p, engine, direct);
    for (size_t i = 0; rc == 0 && i < s->profile->n_tests; i++)
        rc = add_test(p, i, engine, direct, e);
    if (rc) {
        plan_done(p);
        return rc;
    }
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

double plan_step_seconds(const struct plan *p, size_t step)
{
    assert(step < p->n_steps);
    if (p->steps[step].kind == STEP_PREPARE)
        return p->prepare_s;
    return p->steps[step].runtime_s + PLAN_STARTUP_S;
}

void plan_describe(const struct plan *p, struct buf *out)
{
    char size[UNITS_TEXT], runtime[UNITS_TEXT], total[UNITS_TEXT], written[UNITS_TEXT];
    size_t measured = 0;

    for (size_t i = 0; i < p->n_steps; i++)
        measured += p->steps[i].kind == STEP_MEASURE;
    buf_addf(out, "prepare %s, then %zu test%s x %s: about %s, writes up to %s",
             units_size(size, p->settings.size_bytes), measured, measured == 1 ? "" : "s",
             units_duration(runtime, p->settings.runtime_s), units_duration(total, p->seconds),
             units_size(written, p->bytes_written));
}
