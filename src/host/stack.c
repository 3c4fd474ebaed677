/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What is under a target; see host.h. Promises to ask only sysfs and mountinfo, never a file
 * system: a server that is gone cannot hold us. Sources: the kernel's sysfs-block, iostats.rst,
 * dm and md documentation, fs/btrfs/sysfs.c, drivers/nvme/host/multipath.c.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "block.h"
#include "fstype.h"
#include "mountinfo.h"
#include "sthd/host.h"
#include "sthd/mem.h"
#include "sthd/text.h"
#include "sthd/units.h"
#include "sysroot.h"
#include "targets.h"

#define DEPTH_MAX  24  /* a file system in a file on a file system in a file ... */
#define LAYERS_MAX 600 /* a pool of several hundred disks, each on two layers */

struct digging {
    struct stack *stack;
    const char *sysroot;
    struct mountinfo mounts;
};

static size_t depth_of(const struct stack *s, size_t at)
{
    size_t depth = 0;

    for (; at != STACK_NONE; at = s->layers[at].parent)
        depth++;
    return depth;
}

static void hide(struct stack *s, const char *why)
{
    if (!s->hidden[0])
        snprintf(s->hidden, sizeof(s->hidden), "%s", why);
}

static bool too_deep(const struct digging *d, size_t parent)
{
    return d->stack->n_layers >= LAYERS_MAX || depth_of(d->stack, parent) >= DEPTH_MAX;
}

static void dig_block(struct digging *d, size_t parent, const char *name);
static void dig_path(struct digging *d, size_t parent, const char *path);

static size_t dig_slaves(struct digging *d, size_t at, const char *name)
{
    char path[BLOCK_PATH];
    struct strv slaves;

    block_path(path, name, "slaves");
    sysroot_list(&slaves, d->sysroot, path);
    size_t n = slaves.n;
    for (size_t i = 0; i < slaves.n; i++)
        dig_block(d, at, slaves.items[i]);
    strv_done(&slaves);
    return n;
}

/* ---- device mapper ---- */

/* "vg--a-lv" as LVM writes it: a dash stands between the two, a doubled one for itself. */
static void lvm_name(const char *mapped, char *out, size_t size)
{
    size_t n = 0;
    bool volume = false;

    for (; *mapped && n + 1 < size; mapped++) {
        if (mapped[0] == '-' && mapped[1] == '-') {
            out[n++] = *mapped++;
        } else if (*mapped == '-' && !volume) {
            out[n++] = '/';
            volume = true;
        } else {
            out[n++] = *mapped;
        }
    }
    out[n] = '\0';
}

static bool is_numbered(const char *name, const char *part)
{
    const char *at = strstr(name, part);

    return at && isdigit((unsigned char)at[strlen(part)]);
}

/* LVM's own notes on a mirror: no data of ours. */
static bool is_raid_metadata(const char *sysroot, const char *name)
{
    char mapped[128];

    block_line(mapped, sizeof(mapped), sysroot, name, "dm/name");
    return is_numbered(mapped, "_rmeta_");
}

static size_t dig_mapper_slaves(struct digging *d, size_t at, const char *name)
{
    char path[BLOCK_PATH], mapped[128];
    struct strv slaves;
    size_t legs = 0;

    block_path(path, name, "slaves");
    sysroot_list(&slaves, d->sysroot, path);
    for (size_t i = 0; i < slaves.n; i++) {
        if (is_raid_metadata(d->sysroot, slaves.items[i]))
            continue;
        block_line(mapped, sizeof(mapped), d->sysroot, slaves.items[i], "dm/name");
        legs += is_numbered(mapped, "_rimage_") || is_numbered(mapped, "_mimage_");
        dig_block(d, at, slaves.items[i]);
    }
    /* Which RAID it is only root can ask. As long as the slowest of its legs is never too long. */
    if (legs > 1)
        d->stack->layers[at].spread = legs == 2 ? SPREAD_MIRROR : SPREAD_PARITY;
    strv_done(&slaves);
    return legs;
}

static void dig_mapper(struct digging *d, size_t parent, const char *name)
{
    char uuid[192], mapped[128], shown[128];
    enum layer_kind kind = LAYER_MAPPER;
    const char *note = "device mapper";

    block_line(uuid, sizeof(uuid), d->sysroot, name, "dm/uuid");
    block_line(mapped, sizeof(mapped), d->sysroot, name, "dm/name");
    snprintf(shown, sizeof(shown), "%s", *mapped ? mapped : name);
    if (text_starts(uuid, "CRYPT-VERITY")) {
        note = "verity";
    } else if (text_starts(uuid, "CRYPT-")) {
        kind = LAYER_CRYPT;
        note = text_starts(uuid, "CRYPT-LUKS") ? "LUKS" : "dm-crypt";
    } else if (text_starts(uuid, "LVM-")) {
        kind = LAYER_LVM;
        note = "";
        lvm_name(mapped, shown, sizeof(shown));
    } else if (text_starts(uuid, "mpath-")) {
        kind = LAYER_MULTIPATH;
        note = "multipath";
    } else if (text_starts(uuid, "part")) {
        note = "partition";
    }
    dig_mapper_slaves(d, stack_add_layer(d->stack, kind, parent, shown, note), name);
}

/* ---- md, loop ---- */

static void dig_md(struct digging *d, size_t parent, const char *name)
{
    char level[32], layout[32];
    size_t at;

    block_line(level, sizeof(level), d->sysroot, name, "md/level");
    at = stack_add_layer(d->stack, LAYER_MD, parent, name, level);
    if (strcmp(level, "raid1") == 0) {
        d->stack->layers[at].spread = SPREAD_MIRROR;
    } else if (strcmp(level, "raid10") == 0) {
        /* near copies in the lowest byte, far ones in the next */
        unsigned long l =
            strtoul(block_line(layout, sizeof(layout), d->sysroot, name, "md/layout"), NULL, 10);
        unsigned copies = (unsigned)((l & 0xff) * (l >> 8 & 0xff));
        d->stack->layers[at].copies = copies ? copies : 2;
    } else if (text_starts(level, "raid") && strcmp(level, "raid0") != 0) {
        d->stack->layers[at].spread = SPREAD_PARITY;
    }
    dig_slaves(d, at, name);
}

static void dig_loop(struct digging *d, size_t parent, const char *name)
{
    char path[BLOCK_PATH], file[4096];
    size_t at = stack_add_layer(d->stack, LAYER_LOOP, parent, name, "a file");

    block_path(path, name, "loop/backing_file");
    sysroot_line(file, sizeof(file), d->sysroot, path);
    if (file[0] == '/')
        dig_path(d, at, file);
    else
        hide(d->stack, "the file behind the loop device is not known");
}

/* ---- a block device ---- */

static bool is_made_of_others(const char *sysroot, const char *name)
{
    return block_has(sysroot, name, "dm") || block_has(sysroot, name, "md") ||
           block_has(sysroot, name, "loop") || block_has_slaves(sysroot, name);
}

static void add_device(struct digging *d, size_t parent, const char *disk, const char *part)
{
    struct leaf leaf;
    char note[STACK_NAME] = "";
    size_t at;

    block_leaf(&leaf, d->sysroot, disk, part);
    if (leaf.n_paths > 1)
        snprintf(note, sizeof(note), "%zu paths", leaf.n_paths);
    at = stack_add_layer(d->stack, LAYER_DEVICE, parent, *part ? part : disk, note);
    d->stack->layers[at].leaf = stack_add_leaf(d->stack, &leaf);
}

static void dig_block(struct digging *d, size_t parent, const char *name)
{
    char disk[STACK_NAME];

    if (too_deep(d, parent))
        return;
    if (!block_has(d->sysroot, name, "")) {
        hide(d->stack, "not every device is visible here");
        stack_add_layer(d->stack, LAYER_DEVICE, parent, name, "not in sight");
    } else if (block_has(d->sysroot, name, "dm")) {
        dig_mapper(d, parent, name);
    } else if (block_has(d->sysroot, name, "md")) {
        dig_md(d, parent, name);
    } else if (block_has(d->sysroot, name, "loop/backing_file")) {
        dig_loop(d, parent, name);
    } else if (block_disk_of(disk, sizeof(disk), d->sysroot, name)) {
        if (is_made_of_others(d->sysroot, disk))
            dig_block(d, stack_add_layer(d->stack, LAYER_MAPPER, parent, name, "partition"), disk);
        else
            add_device(d, parent, disk, name);
    } else if (block_has_slaves(d->sysroot, name)) { /* bcache */
        dig_slaves(d, stack_add_layer(d->stack, LAYER_MAPPER, parent, name, ""), name);
    } else {
        add_device(d, parent, name, "");
    }
}

/* ---- file systems ---- */

/* A device by its source in mountinfo; false when there is none of that name. */
static bool dig_source(struct digging *d, size_t parent, const char *source)
{
    char name[STACK_NAME];

    if (!block_of_source(name, sizeof(name), d->sysroot, source))
        return false;
    dig_block(d, parent, name);
    return true;
}

static void dig_device_number(struct digging *d, size_t parent, unsigned major, unsigned minor)
{
    char name[STACK_NAME];

    if (block_of_number(name, sizeof(name), d->sysroot, major, minor))
        dig_block(d, parent, name);
    else
        hide(d->stack, "its device is not visible here");
}

static void note_profile(struct layer *l, const char *profile, size_t n)
{
    static const struct {
        const char *name;
        enum layer_spread spread;
        unsigned copies;
    } rows[] = {
        {"raid1", SPREAD_ONE, 2},    {"raid1c3", SPREAD_ONE, 3}, {"raid1c4", SPREAD_ONE, 4},
        {"raid10", SPREAD_ONE, 2},   {"raid0", SPREAD_ONE, 1},   {"raid5", SPREAD_PARITY, 1},
        {"raid6", SPREAD_PARITY, 1},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        if (strcmp(rows[i].name, profile) != 0)
            continue;
        l->spread = rows[i].spread;
        l->copies = rows[i].copies;
        if (rows[i].copies == n && n > 1) {
            l->spread = SPREAD_MIRROR;
            l->copies = 1;
        }
        snprintf(l->note, sizeof(l->note), "%.20s", profile);
    }
}

/* In one of the directories of /sys/fs/btrfs the source's name is among the devices. */
static bool dig_btrfs(struct digging *d, size_t at, const char *source)
{
    char name[STACK_NAME], path[512];
    struct strv all;
    bool found = false;

    if (!block_of_source(name, sizeof(name), d->sysroot, source))
        return false;
    sysroot_list(&all, d->sysroot, "/sys/fs/btrfs");
    for (size_t i = 0; i < all.n && !found; i++) {
        snprintf(path, sizeof(path), "/sys/fs/btrfs/%.120s/devices/%s", all.items[i], name);
        if (!sysroot_has(d->sysroot, path))
            continue;
        found = true;
        struct strv devices, profiles;
        snprintf(path, sizeof(path), "/sys/fs/btrfs/%.120s/devices", all.items[i]);
        sysroot_list(&devices, d->sysroot, path);
        snprintf(path, sizeof(path), "/sys/fs/btrfs/%.120s/allocation/data", all.items[i]);
        sysroot_list(&profiles, d->sysroot, path);
        for (size_t k = 0; k < profiles.n && devices.n > 1; k++)
            note_profile(&d->stack->layers[at], profiles.items[k], devices.n);
        for (size_t k = 0; k < devices.n; k++)
            dig_block(d, at, devices.items[k]);
        strv_done(&devices);
        strv_done(&profiles);
    }
    strv_done(&all);
    return found;
}

/* "a:b:c" */
static void dig_bcachefs(struct digging *d, size_t at, const char *source)
{
    char *copy = mem_strdup(source), *rest = copy, *one;

    while ((one = strsep(&rest, ":")))
        if (!dig_source(d, at, one))
            hide(d->stack, "not every device is visible here");
    free(copy);
}

/*
 * The value of name= in mount options. One that has a comma in it is cut there, which leaves a path
 * on the same mount as good as always.
 */
static char *option_value(const char *options, const char *name)
{
    size_t n = strlen(name);

    for (const char *o = options; o; o = strchr(o, ',') ? strchr(o, ',') + 1 : NULL)
        if (strncmp(o, name, n) == 0 && o[n] == '=')
            return mem_strndup(o + n + 1, strcspn(o + n + 1, ","));
    return NULL;
}

static void dig_overlay(struct digging *d, size_t at, const char *point, const char *options)
{
    char *upper = option_value(options, "upperdir");
    const struct mount *m = upper && upper[0] == '/' ? mountinfo_covering(&d->mounts, upper) : NULL;

    /* A container sees the path of its upper layer, but not that layer: only itself. */
    if (!m || strcmp(m->point, point) == 0 || fstype_kind(m) == TARGET_OVERLAY)
        hide(d->stack, "its upper layer is not visible from here");
    else
        dig_path(d, at, upper);
    free(upper);
}

/* What a mount has below it. point: its own, to know oneself again. */
struct ground {
    enum target_kind kind;
    const char *fstype, *source, *point, *options;
    unsigned major, minor;
};

static void dig_disk(struct digging *d, size_t at, const struct ground *g)
{
    bool done = false;

    if (strcmp(g->fstype, "btrfs") == 0)
        done = dig_btrfs(d, at, g->source);
    else if (strcmp(g->fstype, "bcachefs") == 0) {
        dig_bcachefs(d, at, g->source);
        done = true;
    }
    if (done)
        return;
    if (g->major != 0)
        dig_device_number(d, at, g->major, g->minor);
    else if (!dig_source(d, at, g->source))
        hide(d->stack, "its device is not visible here");
}

static void dig_ground(struct digging *d, size_t parent, const struct ground *g)
{
    char name[128];
    size_t at;

    if (parent != STACK_NONE && too_deep(d, parent))
        return;
    snprintf(name, sizeof(name), "%.40s%s%.80s", g->fstype, g->kind == TARGET_ZFS ? " " : "",
             g->kind == TARGET_ZFS ? g->source : "");
    at = stack_add_layer(d->stack, LAYER_FILE_SYSTEM, parent, name, "");
    switch (g->kind) {
    case TARGET_DISK:
        dig_disk(d, at, g);
        break;
    case TARGET_ZFS:
        snprintf(name, sizeof(name), "%.*s", (int)strcspn(g->source, "/"), g->source);
        stack_add_layer(d->stack, LAYER_POOL, at, name, "");
        break;
    case TARGET_OVERLAY:
        dig_overlay(d, at, g->point, g->options);
        break;
    case TARGET_NETWORK:
        hide(d->stack, "another machine's, no device visible here");
        break;
    case TARGET_FUSE: /* a program that answers for a disk, as ntfs-3g, or for anything else */
        if (g->major != 0)
            dig_device_number(d, at, g->major, g->minor);
        else if (!text_starts(g->source, "/dev/") || !dig_source(d, at, g->source))
            hide(d->stack, "a program answers, no device visible here");
        break;
    case TARGET_BLOCK:
        dig_device_number(d, at, g->major, g->minor);
        break;
    case TARGET_RAM:
        hide(d->stack, "memory, not a disk");
        break;
    case TARGET_OTHER:
        hide(d->stack, "no device visible here");
        break;
    }
}

/* The mount that a path is on, by its name alone: it is not touched. */
static void dig_path(struct digging *d, size_t parent, const char *path)
{
    const struct mount *m = mountinfo_covering(&d->mounts, path);

    if (!m) {
        hide(d->stack, "what is below is not visible from here");
        return;
    }
    struct ground g = {fstype_kind(m), m->fstype, m->source, m->point,
                       m->super,       m->major,  m->minor};
    dig_ground(d, parent, &g);
}

/* ---- a pool ---- */

static enum layer_spread spread_of_vdev(const char *name)
{
    if (text_starts(name, "raidz") || text_starts(name, "draid"))
        return SPREAD_PARITY;
    /* one that is being replaced or stood in for is written to twice */
    return text_starts(name, "mirror") || text_starts(name, "replacing") ||
                   text_starts(name, "spare")
               ? SPREAD_MIRROR
               : SPREAD_ONE;
}

/* A device by its path or its name; a file by what it is on. */
static void dig_vdev(struct digging *d, size_t parent, const char *name)
{
    char *source = name[0] == '/' ? mem_strdup(name) : mem_printf("/dev/%s", name);

    if (!dig_source(d, parent, source)) {
        size_t at = stack_add_layer(d->stack, LAYER_DEVICE, parent, name, "");
        if (name[0] == '/' && !text_starts(name, "/dev/"))
            dig_path(d, at, name);
        else
            hide(d->stack, "not every device is visible here");
    }
    free(source);
}

void host_stack_add_pool(struct stack *s, const struct zpool *p, const char *sysroot)
{
    struct digging d = {.stack = s, .sysroot = sysroot};
    size_t *layers = mem_realloc_array(NULL, p->n + 1, sizeof(*layers)), pool = 0;
    struct err e;

    while (pool < s->n_layers && s->layers[pool].kind != LAYER_POOL)
        pool++;
    if (pool == s->n_layers) {
        free(layers);
        return;
    }
    mountinfo_read(&d.mounts, sysroot, &e);
    for (size_t i = 0; i < p->n && !too_deep(&d, pool); i++) {
        const struct vdev *v = &p->vdevs[i];
        size_t parent = v->parent == STACK_NONE ? pool : layers[v->parent], before = s->n_layers;
        layers[i] = before;
        if (v->group) {
            stack_add_layer(s, LAYER_VDEV, parent, v->name, "");
            s->layers[before].spread = spread_of_vdev(v->name);
        } else {
            dig_vdev(&d, parent, v->name);
        }
        for (size_t k = before; k < s->n_layers; k++)
            s->layers[k].duty = v->duty;
    }
    mountinfo_done(&d.mounts);
    free(layers);
}

void host_stack(struct stack *out, const struct target *t, const char *sysroot)
{
    struct digging d = {.stack = out, .sysroot = sysroot};
    struct err e;

    stack_init(out);
    mountinfo_read(&d.mounts, sysroot, &e);
    struct ground g = {t->kind,    t->fstype,    t->source,   t->mount,
                       t->options, t->dev_major, t->dev_minor};
    dig_ground(&d, STACK_NONE, &g);
    mountinfo_done(&d.mounts);
}
