/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Lays together what host, engine and run know, for the verdict; see facts.h. Judges nothing: a
 * fact is what somebody has seen, and what nobody has seen is none.
 */
#include "facts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sthd/mem.h"
#include "sthd/text.h"

static enum fact fact(bool yes)
{
    return yes ? FACT_YES : FACT_NO;
}

static bool has_option(const char *options, const char *name)
{
    size_t n = strlen(name);

    for (const char *o = options; o; o = strchr(o, ',') ? strchr(o, ',') + 1 : NULL)
        if (strncmp(o, name, n) == 0 && strchr(",=", o[n]))
            return true;
    return false;
}

/* --- what is measured ------------------------------------------------------------------------- */

static void gather_mount(struct verdict_facts *f, const struct target *t)
{
    f->kind_known = true;
    f->kind = t->kind;
    snprintf(f->fstype, sizeof(f->fstype), "%.31s", t->fstype ? t->fstype : "");
    if (t->free_bytes != UINT64_MAX)
        f->free_bytes = t->free_bytes;
    if (t->kind != TARGET_DISK || !t->options)
        return;
    f->atime = fact(!has_option(t->options, "noatime") && !has_option(t->options, "relatime"));
    if (strcmp(f->fstype, "btrfs") == 0)
        f->compression =
            fact(has_option(t->options, "compress") || has_option(t->options, "compress-force"));
}

/* The devices are known whole: what they have not, is not there. */
static bool stack_is_whole(const struct stack *s)
{
    return s->n_leaves > 0 && !s->hidden[0];
}

static void gather_crypt(struct verdict_facts *f, const struct stack *s)
{
    for (size_t i = 0; i < s->n_layers; i++) {
        if (s->layers[i].kind != LAYER_CRYPT)
            continue;
        f->encrypted = FACT_YES;
        snprintf(f->encryption, sizeof(f->encryption), "LUKS");
        return;
    }
    if (stack_is_whole(s))
        f->encrypted = FACT_NO;
}

/* Of the devices that commits wait for. */
static void gather_devices(struct verdict_facts *f, const struct stack *s)
{
    enum layer_duty duty = stack_duty_of_write(s, true);
    const struct leaf *only = stack_only_leaf(s, duty);
    size_t n = 0, rotational = 0, flat = 0, back = 0, through = 0;

    for (size_t i = 0; i < s->n_layers; i++) {
        const struct layer *l = &s->layers[i];
        if (l->kind != LAYER_DEVICE || l->duty != duty || l->leaf >= s->n_leaves)
            continue;
        const struct leaf *leaf = &s->leaves[l->leaf];
        n++;
        rotational += leaf->rotational == 1;
        flat += leaf->rotational == 0;
        back += leaf->write_cache == WRITE_CACHE_BACK;
        through += leaf->write_cache == WRITE_CACHE_THROUGH;
    }
    if (n > 0 && (rotational > 0 || flat == n))
        f->rotational = fact(rotational > 0);
    if (n > 0 && (back > 0 || through == n))
        f->volatile_cache = fact(back > 0);
    if (only)
        snprintf(f->device, sizeof(f->device), only->model[0] ? "%.31s (%.28s)" : "%.31s",
                 only->disk, only->model);
}

/* --- ZFS -------------------------------------------------------------------------------------- */

static void gather_zfs(struct verdict_facts *f, const struct zfs_facts *z, const struct stack *s)
{
    const struct zfs_properties *p = &z->properties;

    if (!z->dataset[0])
        return;
    f->zfs_major = z->major;
    f->zfs_minor = z->minor;
    if (z->pool_known)
        f->zfs_log_device = fact(stack_has_duty(s, DUTY_LOG));
    if (!p->known)
        return;
    f->zfs_record_bytes = p->record_bytes;
    f->zfs_sync_disabled = fact(p->sync_disabled);
    f->zfs_sync_always = fact(p->sync_always);
    f->zfs_log_throughput = fact(p->log_throughput);
    f->compression = fact(p->compression[0] != '\0');
    f->atime = fact(p->atime);
    if (p->encryption[0]) {
        f->encrypted = FACT_YES;
        snprintf(f->encryption, sizeof(f->encryption), "%s", p->encryption);
    }
}

static void gather_zil(struct verdict_zil *out, const struct zil *z)
{
    if (!z->known)
        return;
    *out = (struct verdict_zil){
        .seen = FACT_YES,
        .commits = (double)z->commits,
        .indirect = (double)z->indirect,
        .records = (double)z->records,
        .slog_bytes = (double)z->slog_bytes,
        .normal_bytes = (double)z->pool_bytes,
    };
}

/* --- the processors --------------------------------------------------------------------------- */

/*
 * Of states that take long to wake from the one they were in most; where there is none, of all.
 */
#define LONG_EXIT_US 50

static const struct cpu_idle *main_idle(const struct cpu_state *s, unsigned exit_us)
{
    const struct cpu_idle *most = NULL;

    for (size_t i = 0; i < s->n_idle; i++)
        if (s->idle[i].exit_us >= exit_us && s->idle[i].share > (most ? most->share : 0))
            most = &s->idle[i];
    return most;
}

static void gather_idle(struct verdict_cpu *out, const struct cpu_state *s)
{
    const struct cpu_idle *idle = main_idle(s, LONG_EXIT_US);

    if (!idle)
        idle = main_idle(s, 0);
    if (!idle)
        return;
    snprintf(out->idle_state, sizeof(out->idle_state), "%.15s", idle->name);
    out->idle_share = idle->share;
    out->idle_exit_us = idle->exit_us;
    if (s->limit_us != CPU_LIMIT_UNKNOWN)
        out->limited = fact((unsigned)s->limit_us < idle->exit_us);
}

static void gather_cpu(struct verdict_cpu *out, const struct cpu_state *s)
{
    struct buf words = BUF_INIT;

    if (!s->known)
        return;
    if (s->n_governors > 0) {
        cpu_counts_text(&words, s->governors, s->n_governors);
        /* of all alike the number is no news */
        snprintf(out->governors, sizeof(out->governors), "%.63s",
                 s->n_governors == 1 ? s->governors[0].word : words.data);
        out->performance =
            fact(s->n_governors == 1 && strcmp(s->governors[0].word, "performance") == 0);
    }
    if (s->now_khz > 0 && !s->stale && !s->nominal) {
        out->now_hz = s->now_khz * 1e3;
        out->max_hz = s->max_khz * 1e3;
    }
    gather_idle(out, s);
    buf_done(&words);
}

/* --- tests ------------------------------------------------------------------------------------ */

static bool data_is_zeros(const struct run *r, const struct step *s)
{
    const struct strv *extra = &r->plan->settings.extra;

    for (size_t i = 0; i < extra->n; i++)
        if (text_starts(extra->items[i], "--zero_buffers"))
            return true;
    return s->tool == TOOL_DD;
}

/* Whether a cache may have stood between: as far as somebody looked. */
static enum fact direct_of(const struct step *s, const struct cell *c)
{
    if (s->cached) /* it is meant to come from memory */
        return FACT_UNKNOWN;
    if (c->trust == TRUST_DEVICE)
        return FACT_YES;
    if (c->trust == TRUST_CACHE || !s->direct)
        return FACT_NO;
    return FACT_UNKNOWN;
}

/* Something was changed while the step ran: then a fall is no surprise. */
static bool was_marked(const struct run *r, size_t step)
{
    for (size_t i = 0; i < r->n_stretches; i++)
        if (r->stretches[i].step == step && r->stretches[i].mark[0])
            return true;
    return false;
}

static void gather_fall(struct verdict_test *t, const struct run *r, size_t step,
                        const struct cell *c)
{
    /* The samples of several runs have the pauses between them. */
    if (c->n_runs <= 1 && !was_marked(r, step))
        fall_find(&t->fall, c->samples, c->n_kept);
}

static void gather_test(struct verdict_test *t, const struct run *r, size_t step)
{
    const struct step *s = &r->plan->steps[step];
    const struct cell *c = run_cell(r, s->test, s->direction);

    snprintf(t->name, sizeof(t->name), "%s %s", r->plan->settings.profile->tests[s->test].name,
             direction_name(s->direction));
    t->direction = s->direction;
    t->pattern = s->pattern;
    t->block_bytes = s->block_bytes;
    t->threads = s->threads;
    t->queue_depth = s->queue_depth;
    t->sync = s->sync && s->direction != DIRECTION_READ;
    t->end_fsync = s->end_fsync && s->direction != DIRECTION_READ;
    t->direct_asked = fact(s->direct);
    t->direct = direct_of(s, c);
    t->compressible = fact(data_is_zeros(r, s));
    t->iops = c->mean.iops > 0 ? c->mean.iops : 0;
    t->bytes_per_s = c->mean.bytes_per_s > 0 ? c->mean.bytes_per_s : 0;
    t->waterfall = c->device;
    gather_zil(&t->zil, &c->zil);
    if (c->n_cpu > 0)
        gather_cpu(&t->cpu, &c->cpu);
    gather_fall(t, r, step, c);
}

/* The last step of each cell that has figures. */
static bool speaks_for_cell(const struct run *r, size_t step)
{
    const struct step *s = &r->plan->steps[step];

    if (s->kind != STEP_MEASURE || s->warmup)
        return false;
    for (size_t i = step + 1; i < r->plan->n_steps; i++) {
        const struct step *later = &r->plan->steps[i];
        if (later->kind == STEP_MEASURE && later->test == s->test &&
            later->direction == s->direction)
            return false;
    }
    const struct cell *c = run_cell(r, s->test, s->direction);
    return c->state == CELL_DONE || c->state == CELL_STOPPED;
}

void facts_gather(struct verdict_facts *f, const struct world *w, const struct run *r)
{
    memset(f, 0, sizeof(*f));
    if (w->have_target) {
        gather_mount(f, &w->target);
        gather_crypt(f, &w->stack);
        gather_devices(f, &w->stack);
        gather_zfs(f, &w->zfs, &w->stack);
    }
    f->size_bytes = r->plan->settings.size_bytes;
    f->memory_bytes = f->kind == TARGET_ZFS ? w->zfs.arc_bytes : w->machine.ram_bytes;
    for (size_t i = 0; i < r->plan->n_steps && f->n_tests < VERDICT_TESTS; i++)
        if (speaks_for_cell(r, i))
            gather_test(&f->tests[f->n_tests++], r, i);
}

struct verdict *facts_judge(const struct world *w, const struct run *r)
{
    struct verdict_facts *f = mem_alloc(sizeof(*f));
    struct verdict *v = mem_zalloc(sizeof(*v));

    facts_gather(f, w, r);
    verdict_judge(v, f);
    free(f);
    return v;
}
