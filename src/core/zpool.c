/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a pool is made of, from the output of zpool status; see zfs.h. Promises to take any text.
 *
 * The text form, whose layout has been the same since ZFS left its cradle: after "config:" and a
 * line of heads each vdev has a line, two blanks deeper than the one above it; "logs", "special",
 * "dedup", "cache" and "spares" begin a part, on the pool's own depth. Names may contain blanks, so
 * a name ends before the first word that is a state.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sthd/jsonfile.h"
#include "sthd/mem.h"
#include "sthd/text.h"
#include "sthd/zfs.h"

#define VDEVS_MAX 4096
#define DEPTH_MAX 16

void zpool_done(struct zpool *p)
{
    free(p->vdevs);
    memset(p, 0, sizeof(*p));
}

static size_t add_vdev(struct zpool *p, const char *name, size_t len, size_t parent,
                       enum layer_duty duty)
{
    p->vdevs = mem_realloc_array(p->vdevs, p->n + 1, sizeof(*p->vdevs));
    struct vdev *v = &p->vdevs[p->n];

    memset(v, 0, sizeof(*v));
    snprintf(v->name, sizeof(v->name), "%.*s", (int)(len < ZFS_NAME ? len : ZFS_NAME - 1), name);
    v->parent = parent;
    v->duty = duty;
    if (parent != STACK_NONE)
        p->vdevs[parent].group = true;
    return p->n++;
}

/* "logs" in the text, keys in JSON; -1: none of them. */
static int duty_of_part(const char *name, size_t len)
{
    static const struct {
        const char *name;
        enum layer_duty duty;
    } parts[] = {
        {"logs", DUTY_LOG},    {"special", DUTY_SPECIAL}, {"dedup", DUTY_SPECIAL},
        {"cache", DUTY_CACHE}, {"l2cache", DUTY_CACHE},   {"spares", DUTY_SPARE},
    };

    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
        if (strlen(parts[i].name) == len && strncmp(parts[i].name, name, len) == 0)
            return (int)parts[i].duty;
    return -1;
}

/* What was taken out of the pool leaves a table behind, or nothing. */
static bool is_no_device(const char *name)
{
    return text_starts(name, "indirect-") || text_starts(name, "hole-");
}

/* ---- text ---- */

static bool is_state(const char *word, size_t len)
{
    static const char *const states[] = {"ONLINE",  "DEGRADED", "FAULTED", "OFFLINE", "UNAVAIL",
                                         "REMOVED", "AVAIL",    "INUSE",   "SPLIT",   "CANT_OPEN"};

    for (size_t i = 0; i < sizeof(states) / sizeof(states[0]); i++)
        if (strlen(states[i]) == len && strncmp(states[i], word, len) == 0)
            return true;
    return false;
}

/* How long the name at the begin of a line is; *state: the word behind it, or the line's end. */
static size_t name_length(const char *s, size_t n, const char **state)
{
    size_t at = 0;

    *state = s + n;
    while (at < n) {
        size_t blanks = strspn(s + at, " \t"), word = strcspn(s + at + blanks, " \t\n");
        if (at > 0 && is_state(s + at + blanks, word)) {
            *state = s + at + blanks;
            return at;
        }
        at += blanks + word;
        if (blanks + word == 0)
            break;
    }
    while (n > 0 && strchr(" \t", s[n - 1]))
        n--;
    return n;
}

struct reading {
    struct zpool *pool;
    size_t base;             /* of the lines' indent: that of the line of heads */
    enum layer_duty duty;    /* of the part one is in */
    size_t above[DEPTH_MAX]; /* the last vdev at each depth; [0] is the pool or a part */
    size_t depth;            /* of the last line */
    bool begun;
};

/* False: behind the last line of the table. */
static bool read_line(struct reading *r, const char *line, size_t n)
{
    size_t indent = strspn(line, " \t"), len;
    const char *state, *name = line + indent;

    if (indent >= n || indent < r->base || r->pool->n >= VDEVS_MAX)
        return false;
    len = name_length(name, n - indent, &state);
    size_t depth = (indent - r->base) / 2;
    if (!r->begun) {
        snprintf(r->pool->name, ZFS_NAME, "%.*s", (int)(len < ZFS_NAME ? len : ZFS_NAME - 1), name);
        size_t word = strcspn(state, " \t\n");
        snprintf(r->pool->state, sizeof(r->pool->state), "%.*s", (int)(word < 23 ? word : 23),
                 state);
        r->begun = true;
        depth = 0;
    } else if (depth == 0) {
        int duty = duty_of_part(name, len);
        if (duty < 0)
            return false;
        r->duty = (enum layer_duty)duty;
    } else {
        if (depth > r->depth + 1) /* nobody's child */
            depth = r->depth + 1;
        if (depth >= DEPTH_MAX)
            return true;
        if (is_no_device(name))
            return true;
        size_t parent = depth > 1 ? r->above[depth - 1] : STACK_NONE;
        r->above[depth] = add_vdev(r->pool, name, len, parent, r->duty);
    }
    r->depth = depth;
    return true;
}

static bool is_head(const char *line, size_t n)
{
    size_t indent = strspn(line, " \t");

    return indent < n && text_starts(line + indent, "NAME") && memmem(line, n, "STATE", 5);
}

static void parse_text(struct zpool *p, const char *text)
{
    struct reading r = {.pool = p, .duty = DUTY_DATA};
    bool in_table = false;

    while (*text) {
        size_t n = strcspn(text, "\n");
        if (in_table) {
            if (!read_line(&r, text, n))
                return;
        } else if (is_head(text, n)) {
            in_table = true;
            r.base = strspn(text, " \t");
        }
        text += n + (text[n] != '\0');
    }
}

/* ---- JSON ---- */

static void take_vdevs(struct zpool *p, const struct json *vdevs, size_t parent,
                       enum layer_duty duty, size_t depth)
{
    for (size_t i = 0; i < json_count(vdevs) && depth < DEPTH_MAX && p->n < VDEVS_MAX; i++) {
        const struct json *v = json_at(vdevs, i);
        const char *name = json_string(json_get(v, "name")),
                   *path = json_string(json_get(v, "path"));
        const struct json *below = json_get(v, "vdevs");
        if (!name)
            name = json_key(v);
        if (!json_count(below) && path)
            name = path;
        if (!name || is_no_device(name))
            continue;
        take_vdevs(p, below, add_vdev(p, name, strlen(name), parent, duty), duty, depth + 1);
    }
}

static void parse_json(struct zpool *p, const char *text)
{
    struct jsonfile *f;
    struct err e;

    if (jsonfile_parse(&f, "zpool status", text, strlen(text), &e) < 0)
        return;
    const struct json *pool = json_at(json_get(jsonfile_root(f), "pools"), 0);
    const char *name = json_string(json_get(pool, "name")),
               *state = json_string(json_get(pool, "state"));
    const struct json *top = json_at(json_get(pool, "vdevs"), 0); /* the pool itself */
    if (name && json_type(top) == JSON_OBJECT) {
        snprintf(p->name, sizeof(p->name), "%.*s", ZFS_NAME - 1, name);
        snprintf(p->state, sizeof(p->state), "%.23s", state ? state : "");
        take_vdevs(p, json_get(top, "vdevs"), STACK_NONE, DUTY_DATA, 0);
        for (size_t i = 0; i < json_count(pool); i++) {
            const char *key = json_key(json_at(pool, i));
            int duty = key ? duty_of_part(key, strlen(key)) : -1;
            if (duty >= 0)
                take_vdevs(p, json_at(pool, i), STACK_NONE, (enum layer_duty)duty, 0);
        }
    }
    jsonfile_free(f);
}

int zpool_status_parse(struct zpool *out, const char *text, struct err *e)
{
    memset(out, 0, sizeof(*out));
    if (text[strspn(text, " \t\r\n")] == '{')
        parse_json(out, text);
    else
        parse_text(out, text);
    if (out->name[0] && out->n > 0)
        return 0;
    zpool_done(out);
    return err_set(e, EXIT_CODE_INTERNAL, EINVAL,
                   "zpool status said nothing that can be read: its devices are not known");
}
