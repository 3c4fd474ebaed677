/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads the counters of a stack's leaves; see host.h. Costs a pread(2) per file: no name is looked
 * up twice. Must not know what the counters are for.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "block.h"
#include "sthd/host.h"
#include "sthd/mem.h"

#define STAT_TEXT 512

struct leaf_files {
    int own;      /* of the partition, or of the disk */
    int disk;     /* for its flushes, where own is of a partition; else -1 */
    int paths[4]; /* instead of own, when there are several */
    size_t n_paths;
};

struct devstat_reader {
    size_t n;
    struct leaf_files leaves[];
};

static int open_stat(const char *sysroot, const char *name)
{
    char path[BLOCK_PATH];
    char *file = mem_printf("%s%s", sysroot, block_path(path, name, "stat"));
    int fd = open(file, O_RDONLY | O_CLOEXEC);

    free(file);
    return fd;
}

static bool open_leaf(struct leaf_files *f, const struct leaf *l, const char *sysroot)
{
    f->own = open_stat(sysroot, l->part[0] ? l->part : l->disk);
    f->disk = l->part[0] ? open_stat(sysroot, l->disk) : -1;
    f->n_paths = 0;
    for (size_t i = 0; i < l->n_paths && !l->part[0]; i++) {
        f->paths[f->n_paths] = open_stat(sysroot, l->paths[i]);
        f->n_paths += f->paths[f->n_paths] >= 0;
    }
    return f->own >= 0 && l->counts;
}

struct devstat_reader *host_devstat_open(const struct stack *s, const char *sysroot)
{
    struct devstat_reader *r =
        mem_zalloc(sizeof(*r) + (s->n_leaves + 1) * sizeof(struct leaf_files));
    bool any = false;

    r->n = s->n_leaves;
    for (size_t i = 0; i < r->n; i++)
        any |= open_leaf(&r->leaves[i], &s->leaves[i], sysroot);
    if (any)
        return r;
    host_devstat_close(r);
    return NULL;
}

static bool read_stat(int fd, struct devstat *out)
{
    char text[STAT_TEXT];
    ssize_t n = fd >= 0 ? pread(fd, text, sizeof(text) - 1, 0) : -1;

    memset(out, 0, sizeof(*out));
    if (n <= 0)
        return false;
    text[n] = '\0';
    return devstat_parse(out, text) == 0;
}

static void read_leaf(const struct leaf_files *f, struct devstat *out)
{
    struct devstat other;

    if (f->n_paths) {
        memset(out, 0, sizeof(*out));
        for (size_t i = 0; i < f->n_paths; i++)
            if (read_stat(f->paths[i], &other))
                devstat_add(out, &other);
        return;
    }
    read_stat(f->own, out);
    if (f->disk >= 0 && read_stat(f->disk, &other)) {
        out->flush_ios = other.flush_ios;
        out->flush_ms = other.flush_ms;
        out->has_flush = other.has_flush;
    }
}

void host_devstat_read(const struct devstat_reader *r, struct devstat *out)
{
    for (size_t i = 0; i < r->n; i++)
        read_leaf(&r->leaves[i], &out[i]);
}

size_t host_devstat_count(const struct devstat_reader *r)
{
    return r->n;
}

static void close_file(int fd)
{
    if (fd >= 0)
        close(fd);
}

void host_devstat_close(struct devstat_reader *r)
{
    if (!r)
        return;
    for (size_t i = 0; i < r->n; i++) {
        close_file(r->leaves[i].own);
        close_file(r->leaves[i].disk);
        for (size_t k = 0; k < r->leaves[i].n_paths; k++)
            close_file(r->leaves[i].paths[k]);
    }
    free(r);
}
