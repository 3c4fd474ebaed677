/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * mountinfo takes any text; what can be seen agrees with the definition written down as plainly as
 * possible; no path is there twice.
 */
#include <string.h>

#include "fuzz.h"
#include "host/mountinfo.h"
#include "sthd/host.h"

#define FEW 48 /* the plain definition is quadratic and more */

static bool is_on_root_of(const struct mount *y, const struct mount *x)
{
    return y != x && y->parent == x->id && strcmp(y->point, x->point) == 0;
}

static bool is_above(const struct mount *y, const struct mount *x)
{
    return y != x && y->parent == x->parent && strcmp(y->point, x->point) != 0 &&
           mountinfo_is_below(x->point, y->point);
}

static bool is_covered(const struct mountinfo *m, const struct mount *x)
{
    for (size_t i = 0; i < m->n; i++)
        if (is_on_root_of(&m->items[i], x))
            return true;
    for (size_t step = 0; x && step <= m->n; step++) { /* up, at most once around a circle */
        for (size_t i = 0; i < m->n; i++)
            if (is_above(&m->items[i], x))
                return true;
        x = mountinfo_by_id(m, x->parent);
    }
    return false;
}

static bool has_one_id_twice(const struct mountinfo *m)
{
    for (size_t i = 0; i < m->n; i++)
        if (mountinfo_by_id(m, m->items[i].id) != &m->items[i])
            return true;
    return false;
}

static void check(const struct mountinfo *m)
{
    bool ids_are_clear = !has_one_id_twice(m);

    for (size_t i = 0; i < m->n; i++) {
        const struct mount *x = &m->items[i];
        size_t twins = 0;
        FUZZ_CHECK(x->point[0] == '/' && *x->fstype);
        for (size_t j = 0; j < m->n; j++)
            twins += j != i && !m->items[j].hidden && strcmp(m->items[j].point, x->point) == 0;
        FUZZ_CHECK(x->hidden || twins == 0);
        FUZZ_CHECK(x->hidden || mountinfo_covering(m, x->point) == x);
        if (ids_are_clear && is_covered(m, x))
            FUZZ_CHECK(x->hidden);
        else if (ids_are_clear && x->hidden)
            FUZZ_CHECK(twins > 0); /* the other reason: a later one on the same path */
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    struct mountinfo m;
    struct targets t;
    struct err e;

    if (!text)
        return 0;
    memcpy(text, data, size);
    text[size] = '\0';
    mountinfo_parse(&m, text);
    if (m.n <= FEW)
        check(&m);
    if (host_mounts_parse(&t, text, &e) == 0)
        for (size_t i = 0; i < t.n; i++)
            FUZZ_CHECK(t.items[i].path[0] == '/' && strlen(t.items[i].note) < 160);
    targets_done(&t);
    mountinfo_done(&m);
    free(text);
    return 0;
}
