/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * /proc/self/mountinfo, and which of its mounts can be seen; see mountinfo.h. Promises to take any
 * bytes, in time of n log n. Must not know file systems, nor look at them.
 */
#include "mountinfo.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "sthd/mem.h"

static bool is_octal(char c)
{
    return c >= '0' && c <= '7';
}

/*
 * \040 and its like, in place. The kernel escapes blank, tab, newline, backslash and '#', some file
 * systems more (seq_file's mangle_path and seq_escape); a NUL it cannot mean.
 */
static void unescape(char *s)
{
    char *to = s;

    while (*s) {
        if (s[0] == '\\' && is_octal(s[1]) && s[1] <= '3' && is_octal(s[2]) && is_octal(s[3])) {
            int c = (s[1] - '0') << 6 | (s[2] - '0') << 3 | (s[3] - '0');
            if (c) {
                *to++ = (char)c;
                s += 4;
                continue;
            }
        }
        *to++ = *s++;
    }
    *to = '\0';
}

/*
 * Cuts the next field off at one blank; NULL at the end of the line. One blank exactly: a source
 * may be the empty string.
 */
static char *next_field(char **rest)
{
    char *field = *rest, *end;

    if (!field)
        return NULL;
    end = strchr(field, ' ');
    if (end)
        *end = '\0';
    *rest = end ? end + 1 : NULL;
    return field;
}

static bool read_number(const char *s, char end, uint64_t max, uint64_t *n, const char **behind)
{
    char *stop;
    unsigned long long value;

    if (*s < '0' || *s > '9')
        return false;
    value = strtoull(s, &stop, 10);
    if (*stop != end || value > max)
        return false;
    *n = value;
    *behind = stop + 1;
    return true;
}

static bool read_device(const char *s, unsigned *major, unsigned *minor)
{
    uint64_t a, b;

    if (!read_number(s, ':', UINT32_MAX, &a, &s) || !read_number(s, '\0', UINT32_MAX, &b, &s))
        return false;
    *major = (unsigned)a;
    *minor = (unsigned)b;
    return true;
}

static bool parse_line(struct mount *m, char *line)
{
    char *id = next_field(&line), *parent = next_field(&line), *device = next_field(&line);
    char *root = next_field(&line), *point = next_field(&line), *options = next_field(&line);
    char *field, *fstype, *source;
    const char *behind;

    do /* optional fields, none or many, end with a dash */
        field = next_field(&line);
    while (field && strcmp(field, "-") != 0);
    fstype = next_field(&line);
    source = next_field(&line);
    if (!field || !fstype || !*fstype || !source || *point != '/')
        return false;
    if (!read_number(id, '\0', UINT64_MAX, &m->id, &behind) ||
        !read_number(parent, '\0', UINT64_MAX, &m->parent, &behind) ||
        !read_device(device, &m->major, &m->minor))
        return false;
    unescape(root);
    unescape(point);
    unescape(options);
    unescape(fstype);
    unescape(source);
    if (line)
        unescape(line);
    m->root = root;
    m->point = point;
    m->options = options;
    m->fstype = fstype;
    m->source = source;
    m->super = line ? line : "";
    m->hidden = false;
    return true;
}

bool mountinfo_is_below(const char *path, const char *dir)
{
    size_t n = strlen(dir);

    if (n == 1)
        return true; /* the root */
    return strncmp(path, dir, n) == 0 && (path[n] == '\0' || path[n] == '/');
}

/* ---- who covers whom ---- */

/*
 * A mount is reached by walking from the root, and at each step the topmost mount wins. So a mount
 * X with parent P is out of reach if a sibling (parent P too) sits on a directory above X's, or on
 * P's root itself, or if P is out of reach. And X's path leads elsewhere if a mount with parent X
 * sits on X's root.
 */
static int compare_place(const void *a, const void *b)
{
    const struct mount *x = *(struct mount *const *)a, *y = *(struct mount *const *)b;

    if (x->parent != y->parent)
        return x->parent < y->parent ? -1 : 1;
    return strcmp(x->point, y->point);
}

static int compare_id(const void *a, const void *b)
{
    const struct mount *x = *(struct mount *const *)a, *y = *(struct mount *const *)b;

    return x->id < y->id ? -1 : x->id > y->id;
}

static int compare_point(const void *a, const void *b)
{
    const struct mount *x = *(struct mount *const *)a, *y = *(struct mount *const *)b;
    int order = strcmp(x->point, y->point);

    return order ? order : x < y ? -1 : x > y; /* of one path: the kernel's order */
}

struct index {
    struct mount **by_place, **by_id, **by_point;
    size_t n;
};

static struct mount **sorted(struct mountinfo *m, int (*compare)(const void *, const void *))
{
    struct mount **list = mem_realloc_array(NULL, m->n + 1, sizeof(struct mount *));

    for (size_t i = 0; i < m->n; i++)
        list[i] = &m->items[i];
    qsort(list, m->n, sizeof(struct mount *), compare);
    return list;
}

/* Whether some mount other than self has this parent and the first n bytes of path as its point. */
static bool is_mounted_on(const struct index *ix, uint64_t parent, const char *path, size_t n,
                          const struct mount *self)
{
    size_t low = 0, high = ix->n;

    while (low < high) {
        size_t mid = low + (high - low) / 2;
        const struct mount *m = ix->by_place[mid];
        int order =
            m->parent != parent ? (m->parent < parent ? -1 : 1) : strncmp(m->point, path, n);
        if (order == 0 && m->point[n] != '\0')
            order = 1;
        if (order < 0)
            low = mid + 1;
        else
            high = mid;
    }
    for (; low < ix->n; low++) {
        const struct mount *m = ix->by_place[low];
        if (m->parent != parent || strncmp(m->point, path, n) != 0 || m->point[n] != '\0')
            return false;
        if (m != self)
            return true;
    }
    return false;
}

static bool has_sibling_above(const struct index *ix, const struct mount *m)
{
    for (size_t n = strlen(m->point); n > 1;) {
        do
            n--;
        while (m->point[n] != '/');
        if (is_mounted_on(ix, m->parent, m->point, n ? n : 1, m))
            return true;
        if (n == 0)
            break;
    }
    return false;
}

static struct mount *find_id(const struct index *ix, uint64_t id)
{
    size_t low = 0, high = ix->n;

    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (ix->by_id[mid]->id < id)
            low = mid + 1;
        else
            high = mid;
    }
    return low < ix->n && ix->by_id[low]->id == id ? ix->by_id[low] : NULL;
}

enum reach { REACH_UNKNOWN, REACH_ASKED, REACH_YES, REACH_NO };

/*
 * Walks up until the answer is known, then writes it to all on the way: each mount is passed twice.
 * A circle of parents, which no kernel makes, counts as reachable.
 */
static void find_reach(struct mountinfo *m, const struct index *ix, enum reach *reach, size_t start)
{
    enum reach answer = REACH_UNKNOWN;
    struct mount *at = &m->items[start];

    while (answer == REACH_UNKNOWN) {
        size_t i = (size_t)(at - m->items);
        if (reach[i] != REACH_UNKNOWN) {
            answer = reach[i] == REACH_NO ? REACH_NO : REACH_YES;
            break;
        }
        reach[i] = REACH_ASKED;
        if (has_sibling_above(ix, at)) {
            answer = REACH_NO;
            break;
        }
        at = find_id(ix, at->parent);
        if (!at)
            answer = REACH_YES;
    }
    for (at = &m->items[start]; at; at = find_id(ix, at->parent)) {
        size_t i = (size_t)(at - m->items);
        if (reach[i] != REACH_ASKED)
            break;
        reach[i] = answer;
    }
}

static void mark_hidden(struct mountinfo *m)
{
    struct index ix = {sorted(m, compare_place), sorted(m, compare_id), sorted(m, compare_point),
                       m->n};
    enum reach *reach = mem_zalloc((m->n + 1) * sizeof(*reach));

    for (size_t i = 0; i < m->n; i++) {
        struct mount *x = &m->items[i];
        find_reach(m, &ix, reach, i);
        x->hidden =
            reach[i] == REACH_NO || is_mounted_on(&ix, x->id, x->point, strlen(x->point), x);
    }
    /* Still two on one path (the rules above need parents that are listed): the later one. */
    for (size_t i = 0, last = m->n; i < m->n; i++) {
        struct mount *x = ix.by_point[i];
        if (x->hidden)
            continue;
        if (last < i && strcmp(ix.by_point[last]->point, x->point) == 0)
            ix.by_point[last]->hidden = true;
        last = i;
    }
    free(ix.by_place);
    free(ix.by_id);
    free(ix.by_point);
    free(reach);
}

size_t mountinfo_parse(struct mountinfo *m, const char *text)
{
    size_t cap = 0, bad = 0;
    char *line, *next;

    *m = (struct mountinfo){NULL, 0, mem_strdup(text)};
    for (line = m->text; *line; line = next) {
        char *end = strchrnul(line, '\n');
        next = *end ? end + 1 : end;
        *end = '\0';
        if (!*line)
            continue;
        if (m->n == cap) {
            cap = cap ? cap * 2 : 64;
            m->items = mem_realloc_array(m->items, cap, sizeof(*m->items));
        }
        if (parse_line(&m->items[m->n], line))
            m->n++;
        else
            bad++;
    }
    mark_hidden(m);
    return bad;
}

void mountinfo_done(struct mountinfo *m)
{
    free(m->items);
    free(m->text);
    *m = (struct mountinfo){NULL, 0, NULL};
}

const struct mount *mountinfo_by_id(const struct mountinfo *m, uint64_t id)
{
    for (size_t i = 0; i < m->n; i++)
        if (m->items[i].id == id)
            return &m->items[i];
    return NULL;
}

const struct mount *mountinfo_covering(const struct mountinfo *m, const char *path)
{
    const struct mount *best = NULL;

    assert(path[0] == '/');
    for (size_t i = 0; i < m->n; i++) {
        const struct mount *x = &m->items[i];
        if (!x->hidden && mountinfo_is_below(path, x->point) &&
            (!best || strlen(x->point) >= strlen(best->point)))
            best = x;
    }
    return best;
}
