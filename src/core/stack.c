/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A tree of layers: its sentence, and what its leaves' counters say about its top; see stack.h.
 * Must not know where layers are found.
 */
#include "sthd/stack.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sthd/mem.h"
#include "sthd/text.h"
#include "sthd/units.h"

void stack_init(struct stack *s)
{
    memset(s, 0, sizeof(*s));
}

void stack_done(struct stack *s)
{
    free(s->layers);
    free(s->leaves);
    memset(s, 0, sizeof(*s));
}

void stack_copy(struct stack *to, const struct stack *from)
{
    stack_done(to);
    *to = *from;
    to->layers = mem_realloc_array(NULL, from->n_layers + 1, sizeof(*to->layers));
    to->leaves = mem_realloc_array(NULL, from->n_leaves + 1, sizeof(*to->leaves));
    if (from->n_layers)
        memcpy(to->layers, from->layers, from->n_layers * sizeof(*to->layers));
    if (from->n_leaves)
        memcpy(to->leaves, from->leaves, from->n_leaves * sizeof(*to->leaves));
}

/* Printable, cut between characters. */
static void set_text(char *out, size_t size, const char *s)
{
    struct buf b = BUF_INIT;
    size_t n;

    text_printable(&b, s, strlen(s), false);
    n = b.len < size ? b.len : size - 1;
    while (n < b.len && n > 0 && ((unsigned char)b.data[n] & 0xc0) == 0x80)
        n--;
    if (n > 0)
        memcpy(out, b.data, n);
    out[n] = '\0';
    buf_done(&b);
}

size_t stack_add_layer(struct stack *s, enum layer_kind kind, size_t parent, const char *name,
                       const char *note)
{
    assert(parent == STACK_NONE ? s->n_layers == 0 : parent < s->n_layers);
    s->layers = mem_realloc_array(s->layers, s->n_layers + 1, sizeof(*s->layers));
    struct layer *l = &s->layers[s->n_layers];

    memset(l, 0, sizeof(*l));
    l->kind = kind;
    l->parent = parent;
    l->leaf = STACK_NONE;
    l->copies = 1;
    l->duty = parent == STACK_NONE ? DUTY_DATA : s->layers[parent].duty;
    set_text(l->name, sizeof(l->name), name);
    set_text(l->note, sizeof(l->note), note);
    return s->n_layers++;
}

size_t stack_add_leaf(struct stack *s, const struct leaf *leaf)
{
    for (size_t i = 0; i < s->n_leaves; i++)
        if (strcmp(s->leaves[i].disk, leaf->disk) == 0 &&
            strcmp(s->leaves[i].part, leaf->part) == 0)
            return i;
    s->leaves = mem_realloc_array(s->leaves, s->n_leaves + 1, sizeof(*s->leaves));
    s->leaves[s->n_leaves] = *leaf;
    return s->n_leaves++;
}

/* ---- the sentence ---- */

static size_t next_below(const struct stack *s, size_t parent, size_t from)
{
    for (; from < s->n_layers; from++)
        if (s->layers[from].parent == parent)
            break;
    return from;
}

static size_t first_below(const struct stack *s, size_t parent)
{
    return next_below(s, parent, parent + 1);
}

static void add_name(const struct layer *l, struct buf *out)
{
    switch (l->kind) {
    case LAYER_CRYPT:
        buf_adds(out, l->note[0] ? l->note : "encryption");
        return;
    case LAYER_LVM:
        buf_addf(out, "LVM %s", l->name);
        break;
    case LAYER_POOL:
        buf_addf(out, "pool %s", l->name);
        break;
    default:
        buf_adds(out, l->name);
        break;
    }
    if (l->note[0])
        buf_addf(out, " (%s)", l->note);
}

static void add_way_down(const struct stack *s, size_t at, struct buf *out);

/* Whether two layers have the same below them, so that it need not be said twice. */
static bool same_below(const struct stack *s, size_t a, size_t b)
{
    struct buf x = BUF_INIT, y = BUF_INIT;

    add_way_down(s, a, &x);
    add_way_down(s, b, &y);
    bool same = x.len == y.len && (x.len == 0 || memcmp(x.data, y.data, x.len) == 0);
    buf_done(&x);
    buf_done(&y);
    return same;
}

static bool all_same_below(const struct stack *s, size_t parent, size_t first)
{
    for (size_t i = next_below(s, parent, first + 1); i < s->n_layers;
         i = next_below(s, parent, i + 1))
        if (!same_below(s, first, i))
            return false;
    return true;
}

/*
 * LVM keeps its mirrors, thin pools and caches in volumes of their own, which say nothing to anyone
 * who wants to know what a path is on: only the first of a row of them has a name here.
 */
static bool goes_without_saying(const struct stack *s, size_t at)
{
    const struct layer *l = &s->layers[at];

    return l->kind == LAYER_LVM && l->parent != STACK_NONE &&
           s->layers[l->parent].kind == LAYER_LVM;
}

static void add_layer(const struct stack *s, size_t at, struct buf *out)
{
    if (!goes_without_saying(s, at))
        add_name(&s->layers[at], out);
}

#define NAMED_MAX 8 /* a pool of 90 disks */

static void add_list(const struct stack *s, size_t parent, enum layer_duty duty, bool ways,
                     struct buf *out)
{
    size_t n = 0, start = out->len;

    for (size_t i = first_below(s, parent); i < s->n_layers; i = next_below(s, parent, i + 1)) {
        if (s->layers[i].duty != duty || (goes_without_saying(s, i) && !ways))
            continue;
        if (n++ >= NAMED_MAX)
            continue;
        size_t before = out->len;
        if (out->len > start)
            buf_adds(out, ", ");
        size_t named = out->len;
        struct buf way = BUF_INIT;
        add_layer(s, i, out);
        if (ways)
            add_way_down(s, i, &way);
        /* of one without a name there is only what it is on */
        if (way.len)
            buf_adds(out, way.data + (goes_without_saying(s, i) ? strlen(" on ") : 0));
        buf_done(&way);
        if (out->len == named) { /* nothing to say of it */
            out->len = before;
            out->data[before] = '\0';
        }
    }
    if (n > NAMED_MAX)
        buf_addf(out, " and %zu more", n - NAMED_MAX);
}

static const char *duty_word(enum layer_duty duty)
{
    switch (duty) {
    case DUTY_LOG:
        return "log ";
    case DUTY_SPECIAL:
        return "special ";
    case DUTY_CACHE:
        return "cache ";
    case DUTY_SPARE:
        return "spare ";
    case DUTY_DATA:
        break;
    }
    return "";
}

/* "mirror-0 (sda, sdb); log nvme0n1" */
static void add_vdevs(const struct stack *s, size_t pool, struct buf *out)
{
    static const enum layer_duty duties[] = {DUTY_DATA, DUTY_SPECIAL, DUTY_LOG, DUTY_CACHE};
    const char *joint = ": ";

    for (size_t d = 0; d < sizeof(duties) / sizeof(duties[0]); d++) {
        struct buf list = BUF_INIT;
        add_list(s, pool, duties[d], true, &list);
        if (list.len) {
            buf_addf(out, "%s%s%s", joint, duty_word(duties[d]), list.data);
            joint = "; ";
        }
        buf_done(&list);
    }
}

static void add_way_down(const struct stack *s, size_t at, struct buf *out)
{
    size_t first = first_below(s, at);

    if (first == s->n_layers)
        return;
    if (s->layers[at].kind == LAYER_POOL) {
        add_vdevs(s, at, out);
    } else if (s->layers[at].kind == LAYER_VDEV) {
        buf_adds(out, " (");
        add_list(s, at, s->layers[at].duty, true, out);
        buf_addc(out, ')');
    } else if (goes_without_saying(s, first) && all_same_below(s, at, first)) {
        add_way_down(s, first, out);
    } else if (all_same_below(s, at, first)) {
        buf_adds(out, " on ");
        add_list(s, at, s->layers[at].duty, false, out);
        add_way_down(s, first, out);
    } else {
        buf_adds(out, " on ");
        add_list(s, at, s->layers[at].duty, true, out);
    }
}

void stack_sentence(const struct stack *s, struct buf *out)
{
    if (s->n_layers == 0)
        return;
    add_layer(s, 0, out);
    add_way_down(s, 0, out);
    if (s->hidden[0])
        buf_addf(out, ": %s", s->hidden);
}

static void add_fact(struct buf *out, const char *fact)
{
    if (out->len && fact[0])
        buf_adds(out, ", ");
    buf_adds(out, fact);
}

void leaf_sentence(const struct leaf *l, struct buf *out)
{
    char size[UNITS_TEXT];

    add_fact(out, l->model);
    if (l->size_bytes != UNITS_ABSENT && l->size_bytes > 0)
        add_fact(out, units_size(size, l->size_bytes));
    if (l->medium == MEDIUM_RAM)
        add_fact(out, "in memory");
    else if (l->medium == MEDIUM_NETWORK)
        add_fact(out, "over the network");
    else if (l->rotational >= 0)
        add_fact(out, l->rotational ? "rotational" : "solid state");
    if (l->write_cache != WRITE_CACHE_UNKNOWN)
        add_fact(out, l->write_cache == WRITE_CACHE_BACK ? "volatile write cache"
                                                         : "no volatile write cache");
    if (l->scheduler[0]) {
        add_fact(out, "scheduler ");
        buf_adds(out, l->scheduler);
    }
    if (!l->counts)
        add_fact(out, "its counters are off (queue/iostats)");
}

bool leaf_keeps_what_it_has(const struct leaf *l)
{
    return l->write_cache == WRITE_CACHE_THROUGH;
}

/* ---- what the leaves did ---- */

bool stack_has_duty(const struct stack *s, enum layer_duty duty)
{
    for (size_t i = 0; i < s->n_layers; i++)
        if (s->layers[i].leaf != STACK_NONE && s->layers[i].duty == duty)
            return true;
    return false;
}

enum layer_duty stack_duty_of_write(const struct stack *s, bool sync)
{
    return sync && stack_has_duty(s, DUTY_LOG) ? DUTY_LOG : DUTY_DATA;
}

const struct leaf *stack_only_leaf(const struct stack *s, enum layer_duty duty)
{
    size_t found = STACK_NONE;

    for (size_t i = 0; i < s->n_layers; i++) {
        size_t leaf = s->layers[i].leaf;
        if (leaf == STACK_NONE || s->layers[i].duty != duty)
            continue;
        if (found != STACK_NONE && found != leaf)
            return NULL;
        found = leaf;
    }
    return found == STACK_NONE ? NULL : &s->leaves[found];
}

static double write_time(const struct stack_time *t)
{
    return t->write_ms + t->flush_ms;
}

/*
 * Several layers side by side get the I/O of the one above. A leaf that two of them rest on (a thin
 * pool's data and its metadata) counts for the first.
 */
struct sum {
    struct stack_time all;
    struct stack_time longest; /* the one whose writes took longest */
    double others_ms;          /* of the rest of them */
    size_t n;
};

static void sum_add(struct sum *sum, const struct stack_time *t)
{
    if (!t->seen)
        return;
    struct stack_time *a = &sum->all;
    a->read_ms += t->read_ms;
    a->write_ms += t->write_ms;
    a->flush_ms += t->flush_ms;
    a->read_bytes += t->read_bytes;
    a->write_bytes += t->write_bytes;
    a->flushes += t->flushes;
    a->seen = true;
    if (sum->n == 0 || write_time(t) > write_time(&sum->longest)) {
        sum->others_ms += sum->n ? write_time(&sum->longest) : 0;
        sum->longest = *t;
    } else {
        sum->others_ms += write_time(t);
    }
    sum->n++;
}

static void sum_end(const struct sum *sum, const struct layer *l, double longest_read_ms,
                    struct stack_time *out)
{
    *out = sum->all;
    out->slowest = sum->longest.slowest;
    out->slower_by = sum->longest.slower_by;
    if (sum->n < 2)
        return;
    if (l->spread == SPREAD_ONE) {
        out->write_ms /= l->copies;
        out->flush_ms /= l->copies;
        out->write_bytes /= l->copies;
        return;
    }
    out->write_ms = sum->longest.write_ms;
    out->flush_ms = sum->longest.flush_ms;
    out->flushes = sum->longest.flushes;
    if (l->spread == SPREAD_PARITY) {
        out->read_ms = longest_read_ms;
        return;
    }
    out->write_bytes = sum->longest.write_bytes;
    out->slower_by = sum->others_ms > 0
                         ? write_time(&sum->longest) * (double)(sum->n - 1) / sum->others_ms
                         : NAN;
}

static void leaf_time(const struct stack *s, size_t leaf, const struct devstat *d,
                      struct stack_time *out)
{
    *out = (struct stack_time){
        .read_ms = (double)d->read_ms,
        .write_ms = (double)d->write_ms,
        .flush_ms = (double)d->flush_ms,
        .read_bytes = (double)d->read_bytes,
        .write_bytes = (double)d->write_bytes,
        .flushes = d->flush_ios,
        .slowest = leaf,
        .slower_by = NAN,
        .seen = s->leaves[leaf].counts,
    };
}

static void measure(const struct stack *s, size_t at, enum layer_duty duty,
                    const struct devstat *differences, bool *taken, struct stack_time *out)
{
    const struct layer *l = &s->layers[at];
    struct sum sum = {.all = {.slower_by = NAN, .slowest = STACK_NONE},
                      .longest = {.slower_by = NAN, .slowest = STACK_NONE}};
    double longest_read_ms = 0;

    if (l->leaf != STACK_NONE) {
        leaf_time(s, l->leaf, &differences[l->leaf], out);
        out->seen &= l->duty == duty && !taken[l->leaf];
        taken[l->leaf] |= out->seen;
        return;
    }
    for (size_t i = first_below(s, at); i < s->n_layers; i = next_below(s, at, i + 1)) {
        struct stack_time below;
        measure(s, i, duty, differences, taken, &below);
        sum_add(&sum, &below);
        longest_read_ms = fmax(longest_read_ms, below.seen ? below.read_ms : 0);
    }
    sum_end(&sum, l, longest_read_ms, out);
}

void stack_measure(const struct stack *s, enum layer_duty duty, const struct devstat *differences,
                   struct stack_time *out)
{
    memset(out, 0, sizeof(*out));
    out->slowest = STACK_NONE;
    out->slower_by = NAN;
    if (s->n_layers) {
        bool *taken = mem_zalloc(s->n_leaves + 1);
        measure(s, 0, duty, differences, taken, out);
        free(taken);
    }
    out->enough = out->seen && out->read_ms + write_time(out) >= DEVSTAT_ENOUGH_MS;
}
