/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The list of targets; see host.h. Promises never to wait for a file system for long: those that
 * may fail to answer are asked in a child process, and what has not come when the time is over
 * stays unknown. A healthy NFS server answers within it, so its sizes are shown too; a dead one
 * costs LOOK_MS once, and hides only what is asked after it. The others are asked directly: a child
 * costs some milliseconds, a third of what the first frame may take.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fstype.h"
#include "mountinfo.h"
#include "peek.h"
#include "sthd/host.h"
#include "sthd/mem.h"
#include "targets.h"

#define LOOK_MS 150

/* A mount that is a target, and in what order it is asked and listed. */
struct candidate {
    const struct mount *mount;
    bool may_hang; /* itself, or on the way to it */
    int rank;
};

struct candidates {
    struct candidate *items;
    size_t n;
};

static bool is_writable_mount(const struct mount *m)
{
    return strncmp(m->options, "ro", 2) != 0 && strncmp(m->super, "ro", 2) != 0;
}

/* Data first, the root next, then the system's own, what cannot be written, and RAM. */
static int rank_of(const struct mount *m)
{
    if (fstype_kind(m) == TARGET_RAM)
        return 3;
    if (!is_writable_mount(m))
        return 2;
    if (m->point[1] == '\0')
        return 1;
    return fstype_is_system(m) ? 2 : 0;
}

static struct candidates pick(const struct mountinfo *m)
{
    struct candidates c = {mem_realloc_array(NULL, m->n + 1, sizeof(struct candidate)), 0};

    for (size_t i = 0; i < m->n; i++)
        if (!m->items[i].hidden && !fstype_is_pseudo(&m->items[i]))
            c.items[c.n++] = (struct candidate){&m->items[i], false, rank_of(&m->items[i])};
    return c;
}

static void find_may_hang(struct candidates *c)
{
    for (size_t i = 0; i < c->n; i++) {
        const struct mount *slow = c->items[i].mount;
        if (!fstype_may_hang(fstype_kind(slow)))
            continue;
        for (size_t j = 0; j < c->n; j++)
            c->items[j].may_hang |= mountinfo_is_below(c->items[j].mount->point, slow->point);
    }
}

static int compare_for_asking(const void *a, const void *b)
{
    const struct candidate *x = a, *y = b;

    if (x->may_hang != y->may_hang)
        return x->may_hang - y->may_hang;
    if (x->rank != y->rank)
        return x->rank - y->rank;
    return strcmp(x->mount->point, y->mount->point);
}

struct listed {
    struct target target;
    int rank;
};

static int compare_for_showing(const void *a, const void *b)
{
    const struct listed *x = a, *y = b;

    if (x->rank != y->rank)
        return x->rank - y->rank;
    return strcmp(x->target.path, y->target.path);
}

static struct look look_at_mount(const struct mount *m, const char *sysroot)
{
    char *path = mem_printf("%s%s", sysroot, m->point);
    struct look l = look_at(path);

    free(path);
    return l;
}

struct question {
    const struct candidate *candidates;
    size_t n;
    const char *sysroot;
};

static void look_in_child(int fd, void *arg)
{
    const struct question *q = arg;

    for (size_t i = 0; i < q->n; i++) {
        struct look l = look_at_mount(q->candidates[i].mount, q->sysroot);
        peek_write(fd, &l, sizeof(l));
    }
}

/* Returns how many of the looks, from the first, have an answer. */
static size_t look_at_all(struct look *looks, const struct candidates *c, const char *sysroot)
{
    size_t direct = 0, got;

    for (; direct < c->n && !c->items[direct].may_hang; direct++)
        looks[direct] = look_at_mount(c->items[direct].mount, sysroot);
    if (direct == c->n)
        return direct;
    struct question q = {c->items + direct, c->n - direct, sysroot};
    got = peek(look_in_child, &q, looks + direct, q.n * sizeof(*looks), LOOK_MS);
    return direct + got / sizeof(*looks);
}

int host_mounts_parse(struct targets *out, const char *mountinfo, struct err *e)
{
    struct mountinfo m;
    struct candidates c;
    size_t bad = mountinfo_parse(&m, mountinfo);

    *out = (struct targets){NULL, 0};
    if (bad && m.n == 0) {
        mountinfo_done(&m);
        return err_set(e, EXIT_CODE_INTERNAL, EINVAL,
                       "this is not the text of /proc/self/mountinfo: no line can be read");
    }
    c = pick(&m);
    out->items = mem_realloc_array(NULL, c.n + 1, sizeof(struct target));
    for (size_t i = 0; i < c.n; i++)
        target_from_mount(&out->items[out->n++], c.items[i].mount, c.items[i].mount->point);
    free(c.items);
    mountinfo_done(&m);
    return 0;
}

static void list_targets(struct targets *out, const struct candidates *c, const struct look *looks,
                         size_t n_looks)
{
    struct listed *list = mem_realloc_array(NULL, c->n + 1, sizeof(*list));
    size_t n = 0;

    for (size_t i = 0; i < c->n; i++) {
        const struct mount *m = c->items[i].mount;
        if (i < n_looks && looks[i].errnum == 0 && !looks[i].is_directory)
            continue; /* a container's /etc/hosts: a file mounted on a file */
        target_from_mount(&list[n].target, m, m->point);
        list[n].rank = c->items[i].rank;
        if (i < n_looks)
            target_add_look(&list[n].target, &looks[i]);
        else
            target_add_silence(&list[n].target);
        n++;
    }
    if (n)
        qsort(list, n, sizeof(*list), compare_for_showing);
    out->items = mem_realloc_array(NULL, n + 1, sizeof(struct target));
    for (size_t i = 0; i < n; i++)
        out->items[i] = list[i].target;
    out->n = n;
    free(list);
}

int host_mounts(struct targets *out, const char *sysroot, struct err *e)
{
    struct mountinfo m;
    struct candidates c;
    int rc = mountinfo_read(&m, sysroot, e);

    *out = (struct targets){NULL, 0};
    if (rc < 0)
        return rc;
    c = pick(&m);
    find_may_hang(&c);
    if (c.n)
        qsort(c.items, c.n, sizeof(*c.items), compare_for_asking);
    struct look *looks = mem_realloc_array(NULL, c.n + 1, sizeof(*looks));
    list_targets(out, &c, looks, look_at_all(looks, &c, sysroot));
    free(looks);
    free(c.items);
    mountinfo_done(&m);
    return 0;
}
