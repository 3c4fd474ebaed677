/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef STHD_STACK_H
#define STHD_STACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sthd/buf.h"
#include "sthd/devstat.h"

/*
 * What is under a target, from its file system down to the devices: a tree of layers, because a
 * mirror has two below it. Filled by host, shown by faces, and the key to what the devices'
 * counters say about one I/O at the top.
 */
enum layer_kind {
    LAYER_FILE_SYSTEM,
    LAYER_CRYPT,     /* LUKS and its like */
    LAYER_LVM,       /* a logical volume */
    LAYER_MAPPER,    /* another device mapper's, bcache */
    LAYER_MULTIPATH, /* several ways to one device */
    LAYER_MD,        /* software RAID */
    LAYER_LOOP,      /* a file as a device */
    LAYER_POOL,      /* of ZFS */
    LAYER_VDEV,      /* in a pool, of several devices */
    LAYER_DEVICE,    /* a disk, or a partition of one: has a leaf */
};

/* Where an I/O goes that a layer gets, in the layers below. */
enum layer_spread {
    SPREAD_ONE,    /* to one of them: linear, striped, or there is only one */
    SPREAD_MIRROR, /* a write to all, a read to one */
    SPREAD_PARITY, /* parts of it to several */
};

/* In ZFS a synchronous write goes to a log device first, if there is one. */
enum layer_duty { DUTY_DATA, DUTY_LOG, DUTY_SPECIAL, DUTY_CACHE, DUTY_SPARE };

#define STACK_NAME 72
#define STACK_NONE SIZE_MAX

struct layer {
    enum layer_kind kind;
    enum layer_spread spread;
    unsigned copies; /* SPREAD_ONE: how often a write is written, as of RAID 10; else 1 */
    enum layer_duty duty;
    size_t parent;         /* the layer above, with a smaller index; STACK_NONE: the first */
    size_t leaf;           /* LAYER_DEVICE: index of its leaf; else STACK_NONE */
    char name[STACK_NAME]; /* printable: "ext4", "vg/lv", "md0", "sda2", "mirror-0" */
    char note[STACK_NAME]; /* "raid1", "2 paths"; "" none */
};

enum write_cache { WRITE_CACHE_UNKNOWN, WRITE_CACHE_THROUGH, WRITE_CACHE_BACK };
enum medium { MEDIUM_DEVICE, MEDIUM_RAM, MEDIUM_NETWORK };

struct leaf {
    char disk[STACK_NAME]; /* the kernel's name of the whole disk: "sda", "nvme0n1" */
    char part[STACK_NAME]; /* of the partition, "" when it is the whole disk */
    char model[STACK_NAME];
    char scheduler[24]; /* "none", "mq-deadline" */
    int rotational;     /* 1, 0; -1 not known */
    enum write_cache write_cache;
    enum medium medium;
    uint64_t size_bytes;                    /* of the disk; UNITS_ABSENT */
    uint64_t logical_bytes, physical_bytes; /* its block sizes, as the kernel has them; 0 unknown */
    uint64_t request_bytes; /* the largest request it takes in one piece; 0 not known */
    bool counts;            /* the kernel keeps its counters (queue/iostats) */
    size_t n_paths;         /* NVMe: controllers that lead to it, when there are several */
    char paths[4][STACK_NAME];
};

struct stack {
    struct layer *layers; /* an order in which each comes after the one above it */
    size_t n_layers;
    struct leaf *leaves; /* each once, though two layers may rest on it */
    size_t n_leaves;
    char hidden[160]; /* a phrase: why no device, or not every one, is to be seen; "" */
};

void stack_init(struct stack *s);
void stack_done(struct stack *s);
void stack_copy(struct stack *to, const struct stack *from); /* to is empty or initialised */
/* Returns its index. The texts are made printable. */
size_t stack_add_layer(struct stack *s, enum layer_kind kind, size_t parent, const char *name,
                       const char *note);
/* The leaf of that disk and partition, added if it is new. */
size_t stack_add_leaf(struct stack *s, const struct leaf *leaf);

/*
 * "ext4 on LUKS on md0 (raid1) on sda, sdb"; of a pool "zfs tank/bench on pool tank: mirror-0 (sda,
 * sdb); log mirror-1 (nvme0n1, nvme1n1)"; "nfs4: no device visible here".
 */
void stack_sentence(const struct stack *s, struct buf *out);
/* One line on a leaf: "Samsung SSD 980, 931.5 GiB, SSD, write back, none". Empty: nothing known. */
void leaf_sentence(const struct leaf *l, struct buf *out);
/*
 * Whether a flush can cost it anything: a device that says it has no volatile cache needs none,
 * because it has none or because its cache survives a power loss.
 */
bool leaf_keeps_what_it_has(const struct leaf *l);

/* Which devices a step of that kind is waiting for. */
enum layer_duty stack_duty_of_write(const struct stack *s, bool sync);
bool stack_has_duty(const struct stack *s, enum layer_duty duty);
/* The one leaf of a stack, or NULL: for sentences. */
const struct leaf *stack_only_leaf(const struct stack *s, enum layer_duty duty);

/*
 * What the layers at the top got, from what the leaves did (one difference each): of a mirror a
 * write counts once and takes as long as on the slowest leg; a read was of one leg; parts of
 * parity are as long as the longest. read_ms + write_ms + flush_ms over the number of I/Os at the
 * top is the devices' time in one of them.
 */
struct stack_time {
    double read_ms, write_ms, flush_ms;
    double read_bytes, write_bytes;
    uint64_t flushes; /* of the slowest leg */
    size_t slowest;   /* leaf that the writes waited for longest; STACK_NONE */
    double slower_by; /* its time over the mean of the other legs of that mirror; NAN */
    bool seen;        /* some leaf that counts has the duty */
    bool enough;      /* DEVSTAT_ENOUGH_MS were summed */
};
void stack_measure(const struct stack *s, enum layer_duty duty, const struct devstat *differences,
                   struct stack_time *out);

#endif
