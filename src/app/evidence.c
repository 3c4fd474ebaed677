/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Lays what fio counts beside what the devices count; see evidence.h. Judges nothing itself: the
 * facts go to trust and waterfall. Must not know how a step is run.
 */
#include "evidence.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sthd/host.h"
#include "sthd/mem.h"
#include "sthd/text.h"

/* What a direction of a step moved, by fio and by the devices. */
struct moved {
    double bytes, device_bytes;
    bool seen;    /* the devices were watched all the time */
    bool fetched; /* what fio itself had read from storage was known each time */
};

struct evidence {
    struct stack stack;
    struct devstat_reader *reader; /* NULL: nothing to watch */
    struct devstat *begin, *last, *now, *difference;
    int64_t last_ns;
    double last_ios;
    uint64_t ram_bytes;
    enum target_kind kind;
    char fstype[64];
    struct zfs_facts zfs;
    char objset[HOST_OBJSET_NAME];
    struct zil zil_begin, zil; /* zil: over all runs of the cell */
    char *sysroot;
    bool known; /* the target is */
    bool compresses;
    struct moved moved; /* over all runs of the cell */
};

/* The devices say more about what they are than the file system's name. */
static enum target_kind kind_of(const struct target *t, const struct stack *s)
{
    size_t ram = 0, far = 0;

    for (size_t i = 0; i < s->n_leaves; i++) {
        ram += s->leaves[i].medium == MEDIUM_RAM;
        far += s->leaves[i].medium == MEDIUM_NETWORK;
    }
    if (t->kind != TARGET_DISK || s->n_leaves == 0)
        return t->kind;
    return ram == s->n_leaves ? TARGET_RAM : far == s->n_leaves ? TARGET_NETWORK : t->kind;
}

static bool has_option(const char *options, const char *name)
{
    size_t n = strlen(name);

    for (const char *o = options; o; o = strchr(o, ',') ? strchr(o, ',') + 1 : NULL)
        if (strncmp(o, name, n) == 0 && strchr(",=", o[n]))
            return true;
    return false;
}

static void know_target(struct evidence *e, const struct target *t)
{
    e->known = true;
    e->kind = kind_of(t, &e->stack);
    snprintf(e->fstype, sizeof(e->fstype), "%.63s", t->fstype);
    if (strcmp(t->fstype, "btrfs") == 0)
        e->compresses =
            has_option(t->options, "compress") || has_option(t->options, "compress-force");
}

struct evidence *evidence_new(const struct evidence_spec *spec)
{
    struct evidence *e = mem_zalloc(sizeof(*e));

    if (spec->stack)
        stack_copy(&e->stack, spec->stack);
    if (spec->target)
        know_target(e, spec->target);
    if (spec->zfs) {
        e->zfs = *spec->zfs;
        e->compresses |= spec->zfs->properties.compression[0] != '\0';
    }
    e->sysroot = mem_strdup(spec->sysroot ? spec->sysroot : "");
    if (spec->machine)
        e->ram_bytes = spec->machine->ram_bytes;
    e->reader = host_devstat_open(&e->stack, e->sysroot);
    size_t n = e->stack.n_leaves + 1;
    e->begin = mem_zalloc(n * sizeof(*e->begin));
    e->last = mem_zalloc(n * sizeof(*e->last));
    e->now = mem_zalloc(n * sizeof(*e->now));
    e->difference = mem_zalloc(n * sizeof(*e->difference));
    return e;
}

void evidence_free(struct evidence *e)
{
    if (!e)
        return;
    host_devstat_close(e->reader);
    stack_done(&e->stack);
    free(e->sysroot);
    free(e->begin);
    free(e->last);
    free(e->now);
    free(e->difference);
    free(e);
}

void evidence_begin(struct evidence *e, const struct step *step, int64_t now_ns)
{
    if (step->kind != STEP_MEASURE || step->warmup)
        return;
    if (step->loop == 0) {
        e->moved = (struct moved){.seen = e->reader != NULL, .fetched = true};
        memset(&e->zil, 0, sizeof(e->zil));
    }
    if (e->zfs.dataset[0])
        host_zfs_zil(&e->zil_begin, e->objset, e->zfs.dataset, e->sysroot);
    e->last_ns = now_ns;
    e->last_ios = 0;
    if (!e->reader)
        return;
    host_devstat_read(e->reader, e->begin);
    memcpy(e->last, e->begin, e->stack.n_leaves * sizeof(*e->last));
}

static enum layer_duty duty_of(const struct evidence *e, const struct step *step)
{
    return step->direction == DIRECTION_WRITE ? stack_duty_of_write(&e->stack, step->sync)
                                              : DUTY_DATA;
}

static void measure(struct evidence *e, const struct devstat *from, const struct step *step,
                    struct stack_time *out)
{
    for (size_t i = 0; i < e->stack.n_leaves; i++)
        devstat_difference(&e->difference[i], &from[i], &e->now[i]);
    stack_measure(&e->stack, duty_of(e, step), e->difference, out);
}

/* ---- where the time goes ---- */

/* The most pieces that an I/O of a step is cut into on any device. */
static double parts_of(const struct evidence *e, const struct step *step)
{
    double parts = 1;

    for (size_t i = 0; i < e->stack.n_leaves; i++) {
        uint64_t most = e->stack.leaves[i].request_bytes;
        if (most)
            parts = fmax(parts, ceil((double)step->block_bytes / (double)most));
    }
    return parts;
}

/*
 * Whether a write has to read before: parts of records, parts of parity stripes. Elsewhere, on a
 * file that is written whole, reads are somebody else's.
 */
static bool writes_read(const struct evidence *e)
{
    for (size_t i = 0; i < e->stack.n_layers; i++)
        if (e->stack.layers[i].spread == SPREAD_PARITY)
            return true;
    return e->kind == TARGET_ZFS;
}

static struct waterfall_facts device_facts(const struct evidence *e, const struct step *step,
                                           const struct stack_time *t, double seconds, double ios,
                                           double mean_ns)
{
    bool reads = step->direction != DIRECTION_WRITE;

    return (struct waterfall_facts){
        .device_seen = t->seen && !e->stack.hidden[0],
        .read_ms = reads || writes_read(e) ? t->read_ms : 0,
        .write_ms = reads && step->direction == DIRECTION_READ ? 0 : t->write_ms,
        .flush_ms = step->direction == DIRECTION_READ ? 0 : t->flush_ms,
        .seconds = seconds,
        .ios = ios,
        .mean_ns = mean_ns,
        .threads = step->threads,
        .queue_depth = step->queue_depth,
        .parts = parts_of(e, step),
        .detached = !step->direct && !(step->sync && step->direction == DIRECTION_WRITE),
        .slow_leg = t->slowest < e->stack.n_leaves ? e->stack.leaves[t->slowest].disk : NULL,
        .slower_by = t->enough && t->slowest < e->stack.n_leaves ? t->slower_by : 0,
    };
}

static void sum_up(struct counters *out, const struct report *r, const struct step *step)
{
    counters_init(out);
    counters_sum(out, r, step->direction);
}

static double count_of(uint64_t n)
{
    return n == COUNTER_ABSENT ? 0 : (double)n;
}

void evidence_report(struct evidence *e, struct run *run, const struct step *step,
                     const struct report *r, int64_t now_ns)
{
    struct counters sum;
    struct stack_time t;
    double seconds = (double)(now_ns - e->last_ns) / 1e9;

    if (!e->reader || step->kind != STEP_MEASURE || step->warmup || step->company || seconds <= 0)
        return;
    sum_up(&sum, r, step);
    double ios = count_of(sum.ios), new_ios = ios - e->last_ios;
    double ran_s = count_of(sum.runtime_ms) / 1e3, mean_ns = sum.lat_mean_ns;
    counters_done(&sum);
    if (new_ios <= 0 || ran_s <= 0)
        return;
    const struct cell *c = run_cell(run, step->test, step->direction);
    host_devstat_read(e->reader, e->now);
    measure(e, e->begin, step, &t);
    struct waterfall_facts whole = device_facts(e, step, &t, ran_s, ios, mean_ns);
    measure(e, e->last, step, &t);
    struct waterfall_facts now = device_facts(e, step, &t, seconds, new_ios, c->now.mean_ns);
    /* An interval too short to say anything waits for the next one. */
    run_device(run, step->test, step->direction, t.enough ? &now : NULL, &whole);
    if (!t.enough)
        return;
    memcpy(e->last, e->now, e->stack.n_leaves * sizeof(*e->last));
    e->last_ns = now_ns;
    e->last_ios = ios;
}

/* ---- what was measured ---- */

static bool zeros_are_written(const struct run *run, const struct step *step)
{
    const struct strv *extra = &run->plan->settings.extra;

    if (step->tool == TOOL_DD)
        return true;
    for (size_t i = 0; i < extra->n; i++)
        if (text_starts(extra->items[i], "--zero_buffers"))
            return true;
    return false;
}

static void judge(const struct evidence *e, struct run *run, const struct step *step,
                  const struct fio_result *result)
{
    const struct moved *m = &e->moved;
    char reason[TRUST_REASON];
    struct trust_facts f = {
        .kind = e->kind,
        .fstype = e->fstype,
        .direction = step->direction,
        .sync = step->sync,
        .end_fsync = step->end_fsync,
        .direct = trust_direct(step->direct, m->seen, m->bytes, m->device_bytes),
        .cache = result->cache,
        .device_seen =
            m->bytes > 0 && (m->seen || (m->fetched && step->direction == DIRECTION_READ)),
        .device_percent = trust_device_percent(m->bytes, m->device_bytes),
        .size_bytes = step->size_bytes,
        .ram_bytes = e->ram_bytes,
        .block_bytes = step->block_bytes,
        .zfs_major = e->zfs.major,
        .zfs_minor = e->zfs.minor,
        .zfs_recordsize = e->zfs.properties.record_bytes,
        .zfs_sync_disabled = e->zfs.properties.sync_disabled,
        .zeros = zeros_are_written(run, step),
        .compression = e->compresses,
    };

    if (result->direct == DIRECT_IGNORED) { /* dd has seen it itself */
        run_set_trust(run, step->test, step->direction, TRUST_CACHE, result->note);
        return;
    }
    enum trust t = trust_judge(&f, reason);
    run_set_trust(run, step->test, step->direction, t, reason);
}

/*
 * The devices' counters know where bytes went, but not whose they were; the account of fio's
 * process knows whose, but of writes only that they were made. So reads are what both have seen.
 */
static double device_bytes(const struct stack_time *t, enum direction d, uint64_t fetched)
{
    double reads = t->seen ? t->read_bytes : INFINITY;

    if (fetched != COUNTER_ABSENT)
        reads = fmin(reads, (double)fetched);
    if (isinf(reads))
        reads = 0;
    return d == DIRECTION_READ    ? reads
           : d == DIRECTION_WRITE ? t->write_bytes
                                  : reads + t->write_bytes;
}

static void add_zil(struct evidence *e, struct run *run, const struct step *step)
{
    struct zil now, d;

    if (!e->zfs.dataset[0])
        return;
    host_zfs_zil(&now, e->objset, e->zfs.dataset, e->sysroot);
    zil_difference(&d, &e->zil_begin, &now);
    zil_add(&e->zil, &d);
    run_set_zil(run, step->test, step->direction, &e->zil);
}

void evidence_end(struct evidence *e, struct run *run, const struct step *step,
                  const struct fio_result *result)
{
    struct counters sum;
    struct stack_time t = {.seen = false};

    if (step->kind != STEP_MEASURE || step->warmup || !e->known || !result->last)
        return;
    if (step->company) { /* what the devices did was for all of them */
        for (unsigned i = 0; i <= step->company; i++)
            run_set_trust(run, step[i].test, step[i].direction, TRUST_UNKNOWN,
                          "it ran together with others, and what the devices did was for all");
        return;
    }
    if (run_cell(run, step->test, step->direction)->state == CELL_FAILED)
        return;
    if (step->work != WORK_DATA) {
        run_set_trust(run, step->test, step->direction, TRUST_UNKNOWN,
                      "work on names: the file system decides when its directories are written");
        return;
    }
    sum_up(&sum, result->last, step);
    e->moved.bytes += count_of(sum.io_bytes);
    if (e->reader) {
        host_devstat_read(e->reader, e->now);
        measure(e, e->begin, step, &t);
        struct waterfall_facts whole = device_facts(e, step, &t, count_of(sum.runtime_ms) / 1e3,
                                                    count_of(sum.ios), sum.lat_mean_ns);
        run_device(run, step->test, step->direction, NULL, &whole);
    }
    /* Of ZFS's reads the process's account tells nothing, or less, depending on the version. */
    uint64_t fetched = e->kind == TARGET_ZFS ? COUNTER_ABSENT : result->fetched_bytes;
    e->moved.device_bytes += device_bytes(&t, step->direction, fetched);
    e->moved.fetched &= fetched != COUNTER_ABSENT;
    e->moved.seen &= t.seen && !e->stack.hidden[0];
    counters_done(&sum);
    add_zil(e, run, step);
    judge(e, run, step, result);
}
