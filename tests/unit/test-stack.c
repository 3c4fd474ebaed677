/* SPDX-License-Identifier: GPL-3.0-or-later */
/* stack: whole machines replay to a sentence and leaves; what counters of leaves say of the top */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sthd/host.h"
#include "sthd/mem.h"
#include "sthd/stack.h"
#include "sthd/units.h"
#include "tap.h"
#include "tree.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* The target of that mount point, as the list of mounts has it. */
static bool find_target(struct targets *all, const char *root, const char *point, size_t *i)
{
    struct err e;
    char *text = mem_printf("%s/proc/self/mountinfo", root);
    FILE *f = fopen(text, "r");
    struct buf b = BUF_INIT;
    char line[4096];

    free(text);
    while (f && fgets(line, sizeof(line), f))
        buf_adds(&b, line);
    if (f)
        fclose(f);
    host_mounts_parse(all, b.data ? b.data : "", &e);
    buf_done(&b);
    for (*i = 0; *i < all->n; (*i)++)
        if (strcmp(all->items[*i].mount, point) == 0)
            return true;
    return false;
}

static bool stack_of(struct stack *s, const char *root, const char *point)
{
    struct targets all;
    size_t i;
    bool found = find_target(&all, root, point, &i);

    stack_init(s);
    if (found)
        host_stack(s, &all.items[i], root);
    targets_done(&all);
    return found;
}

/* "sda/sda2 sdb/sdb2" */
static char *leaf_names(const struct stack *s)
{
    struct buf b = BUF_INIT;

    buf_adds(&b, "");
    for (size_t i = 0; i < s->n_leaves; i++)
        buf_addf(&b, "%s%s%s%s", i ? " " : "", s->leaves[i].disk, s->leaves[i].part[0] ? "/" : "",
                 s->leaves[i].part);
    return buf_steal(&b);
}

static void test_machines(void)
{
    static const struct {
        const char *tree, *point, *sentence, *leaves;
    } rows[] = {
        {"vm", "/", "ext4 on vda", "vda"},
        {"vm", "/mnt/bind", "ext4 on vda", "vda"},
        {"vm", "/mnt/b trfs", "btrfs on loop1 (a file), loop2 (a file) on ext4 on vda", "vda"},
        {"vm", "/mnt/sv", "btrfs on loop1 (a file), loop2 (a file) on ext4 on vda", "vda"},
        {"vm", "/mnt/ov", "overlay on btrfs on loop1 (a file), loop2 (a file) on ext4 on vda",
         "vda"},
        {"vm", "/mnt/rel", "overlay: its upper layer is not visible from here", ""},
        {"vm", "/dev/shm", "tmpfs: memory, not a disk", ""},
        {"luks-lvm-nvme", "/", "ext4 on LVM vg-book/root on LUKS on nvme0n1p2",
         "nvme0n1/nvme0n1p2"},
        {"luks-lvm-nvme", "/boot", "vfat on nvme0n1p1", "nvme0n1/nvme0n1p1"},
        {"luks-lvm-nvme", "/home", "xfs on LVM vg-book/home on LUKS on nvme0n1p2",
         "nvme0n1/nvme0n1p2"},
        {"md", "/", "ext4 on md0 (raid1) on sda1, sdb1", "sda/sda1 sdb/sdb1"},
        {"md", "/safe", "ext4 on LUKS on md0 (raid1) on sda1, sdb1", "sda/sda1 sdb/sdb1"},
        {"md", "/ten", "xfs on md10 (raid10) on sdc, sdd, sde, sdf", "sdc sdd sde sdf"},
        {"md", "/six", "xfs on md6 (raid6) on sdc, sdd, sde, sdf", "sdc sdd sde sdf"},
        {"md", "/part", "ext4 on md6p1 (partition) on md6 (raid6) on sdc, sdd, sde, sdf",
         "sdc sdd sde sdf"},
        {"md", "/gone", "ext4: its device is not visible here", ""},
        {"btrfs", "/", "btrfs (raid1) on sda2, sdb2", "sda/sda2 sdb/sdb2"},
        {"btrfs", "/big", "btrfs (raid10) on sda1, sdb1, sdc1, sdd1",
         "sda/sda1 sdb/sdb1 sdc/sdc1 sdd/sdd1"},
        {"btrfs", "/bc", "bcachefs on sdc, sdd", "sdc sdd"},
        {"btrfs", "/lost", "btrfs: its device is not visible here", ""},
        {"nfs-root", "/", "nfs4: another machine's, no device visible here", ""},
        {"nfs-root", "/share", "cifs: another machine's, no device visible here", ""},
        {"nfs-root", "/ssh", "fuse.sshfs: a program answers, no device visible here", ""},
        {"nfs-root", "/usb", "fuseblk on sda1", "sda/sda1"},
        {"nfs-root", "/img",
         "ext4 on loop0 (a file) on nfs4: another machine's, no device visible here", ""},
        {"container", "/", "overlay: its upper layer is not visible from here", ""},
        {"container", "/data", "ext4 on nvme0n1p2", "nvme0n1/nvme0n1p2"},
        {"container", "/hidden", "ext4: its device is not visible here", ""},
        {"multipath", "/", "xfs on nvme0n1p1 (2 paths)", "nvme0n1/nvme0n1p1"},
        {"multipath", "/whole", "xfs on nvme0n1 (2 paths)", "nvme0n1"},
        {"multipath", "/san", "xfs on mpatha (multipath) on sda, sdb", "sda sdb"},
        {"multipath", "/kpartx",
         "ext4 on mpatha-part1 (partition) on mpatha (multipath) on sda, sdb", "sda sdb"},
        {"multipath", "/fabric", "xfs on nvme1n1", "nvme1n1"},
        {"lvm-raid", "/", "ext4 on LVM vg/mirror on sda, sdb", "sda sdb"},
        {"lvm-raid", "/thin", "ext4 on LVM vg/thin on sdc", "sdc"},
        {"lvm-raid", "/cache", "ext4 on bcache0 on sdb, sdc", "sdb sdc"},
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        char *root = tree_unpack(rows[i].tree);
        struct stack s;
        struct buf b = BUF_INIT;
        tap_ok(stack_of(&s, root, rows[i].point), "%s has %s", rows[i].tree, rows[i].point);
        stack_sentence(&s, &b);
        char *leaves = leaf_names(&s);
        tap_str(b.data, rows[i].sentence, "%s %s: sentence", rows[i].tree, rows[i].point);
        tap_str(leaves, rows[i].leaves, "%s %s: leaves", rows[i].tree, rows[i].point);
        free(leaves);
        buf_done(&b);
        stack_done(&s);
        tree_drop(root);
    }
}

static void test_leaves(void)
{
    static const struct {
        const char *tree, *point, *sentence;
        enum medium medium;
        bool keeps;
    } rows[] = {
        {"vm", "/", "256 GiB, volatile write cache, scheduler mq-deadline", MEDIUM_DEVICE, false},
        {"luks-lvm-nvme", "/",
         "Samsung SSD 980 PRO 1TB, 932 GiB, solid state, volatile write cache, "
         "scheduler none",
         MEDIUM_DEVICE, false},
        {"md", "/",
         "WDC WD40EFRX-68N, 3.6 TiB, rotational, volatile write cache, scheduler "
         "mq-deadline",
         MEDIUM_DEVICE, false},
        {"nfs-root", "/usb",
         "SanDisk Ultra Fit, 28.6 GiB, rotational, no volatile write cache, scheduler "
         "mq-deadline",
         MEDIUM_DEVICE, true},
        {"multipath", "/",
         "SAMSUNG MZPLJ1T6HBJR-00007, 1.5 TiB, solid state, no volatile write cache, "
         "scheduler none",
         MEDIUM_DEVICE, true},
        {"multipath", "/fabric",
         "Linux, 48.8 MiB, over the network, volatile write cache, scheduler none", MEDIUM_NETWORK,
         false},
        {"multipath", "/iscsi",
         "IET VIRTUAL-DISK, 97.7 MiB, over the network, volatile write cache, "
         "scheduler none",
         MEDIUM_NETWORK, false},
        {"multipath", "/nbd", "97.7 MiB, over the network, volatile write cache, scheduler none",
         MEDIUM_NETWORK, false},
        {"multipath", "/zram", "97.7 MiB, in memory, volatile write cache, scheduler none",
         MEDIUM_RAM, false},
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        char *root = tree_unpack(rows[i].tree);
        struct stack s;
        struct buf b = BUF_INIT;
        stack_of(&s, root, rows[i].point);
        if (tap_ok(s.n_leaves > 0, "%s %s has a leaf", rows[i].tree, rows[i].point)) {
            leaf_sentence(&s.leaves[0], &b);
            tap_str(b.data, rows[i].sentence, "%s %s: its leaf", rows[i].tree, rows[i].point);
            tap_int(s.leaves[0].medium, rows[i].medium, "%s %s: medium", rows[i].tree,
                    rows[i].point);
            tap_int(leaf_keeps_what_it_has(&s.leaves[0]), rows[i].keeps, "%s %s: keeps",
                    rows[i].tree, rows[i].point);
        }
        buf_done(&b);
        stack_done(&s);
        tree_drop(root);
    }
}

/* Where a machine lies about itself. */
static void test_odd_machines(void)
{
    char *root = tree_unpack("vm");
    struct stack s;
    struct buf b = BUF_INIT;

    /* the file system of the file is in that very file */
    tree_write(root, "/proc/self/mountinfo", "27 1 7:1 / / rw - ext4 /dev/loop1 rw\n");
    stack_of(&s, root, "/");
    stack_sentence(&s, &b);
    tap_ok(s.n_layers < 100 && s.n_leaves == 0, "a circle ends (%zu layers)", s.n_layers);
    stack_done(&s);
    buf_done(&b);

    tree_write(root, "/proc/self/mountinfo", "27 1 254:0 / / rw - e\\033[2Jx /dev/vda rw\n");
    stack_of(&s, root, "/");
    stack_sentence(&s, &b);
    tap_str(b.data, "e\\x1b[2Jx on vda", "a hostile name is made harmless");
    stack_done(&s);
    buf_done(&b);
    tree_drop(root);
}

/* ---- from leaves to the top ---- */

#define LEAVES 4

static const struct {
    const char *what;
    enum layer_spread spread;
    unsigned copies;
    struct devstat d[LEAVES]; /* read_ms, write_ms, flush_ms, write_bytes by name */
    size_t n;
    double read_ms, write_ms, flush_ms, write_bytes, slower_by;
    size_t slowest;
    bool enough;
} sums[] = {
    {.what = "one disk",
     .copies = 1,
     .n = 1,
     .d = {{.read_ms = 5, .write_ms = 40, .flush_ms = 30, .write_bytes = 4096}},
     .read_ms = 5,
     .write_ms = 40,
     .flush_ms = 30,
     .write_bytes = 4096,
     .slower_by = NAN,
     .enough = true},
    {.what = "too little to divide",
     .copies = 1,
     .n = 1,
     .d = {{.read_ms = 5, .write_ms = 10, .flush_ms = 4}},
     .read_ms = 5,
     .write_ms = 10,
     .flush_ms = 4,
     .slower_by = NAN},
    {.what = "striped: each I/O is on one",
     .copies = 1,
     .n = 2,
     .d = {{.read_ms = 100, .write_ms = 50, .write_bytes = 10},
           {.read_ms = 100, .write_ms = 60, .flush_ms = 7, .write_bytes = 10}},
     .read_ms = 200,
     .write_ms = 110,
     .flush_ms = 7,
     .write_bytes = 20,
     .slower_by = NAN,
     .slowest = 1,
     .enough = true},
    {.what = "mirror: writes wait for the slowest leg, flush included; reads are on one",
     .spread = SPREAD_MIRROR,
     .copies = 1,
     .n = 2,
     .d = {{.read_ms = 100, .write_ms = 90, .flush_ms = 10, .write_bytes = 10},
           {.read_ms = 50, .write_ms = 80, .flush_ms = 320, .write_bytes = 10}},
     .read_ms = 150,
     .write_ms = 80,
     .flush_ms = 320,
     .write_bytes = 10,
     .slower_by = 4,
     .slowest = 1,
     .enough = true},
    {.what = "three legs, one of which slows the others' mean twice",
     .spread = SPREAD_MIRROR,
     .copies = 1,
     .n = 3,
     .d = {{.write_ms = 200}, {.write_ms = 90}, {.write_ms = 110}},
     .write_ms = 200,
     .slower_by = 2,
     .slowest = 0,
     .enough = true},
    {.what = "parity: the longest part",
     .spread = SPREAD_PARITY,
     .copies = 1,
     .n = 3,
     .d = {{.read_ms = 9, .write_ms = 30, .write_bytes = 1},
           {.read_ms = 70, .write_ms = 40, .write_bytes = 1},
           {.read_ms = 8, .write_ms = 20, .write_bytes = 1}},
     .read_ms = 70,
     .write_ms = 40,
     .write_bytes = 3,
     .slower_by = NAN,
     .slowest = 1,
     .enough = true},
    {.what = "RAID 10: each write twice",
     .copies = 2,
     .n = 4,
     .d = {{.read_ms = 25, .write_ms = 50, .write_bytes = 10},
           {.read_ms = 25, .write_ms = 50, .write_bytes = 10},
           {.read_ms = 25, .write_ms = 50, .write_bytes = 10},
           {.read_ms = 25, .write_ms = 50, .write_bytes = 10}},
     .read_ms = 100,
     .write_ms = 100,
     .write_bytes = 20,
     .slower_by = NAN,
     .slowest = 0,
     .enough = true},
};

static void test_sums(void)
{
    for (size_t i = 0; i < COUNT(sums); i++) {
        struct stack s;
        struct stack_time t;
        stack_init(&s);
        size_t top = stack_add_layer(&s, LAYER_MD, STACK_NONE, "md0", "");
        s.layers[top].spread = sums[i].spread;
        s.layers[top].copies = sums[i].copies;
        for (size_t k = 0; k < sums[i].n; k++) {
            struct leaf l = {.counts = true};
            snprintf(l.disk, sizeof(l.disk), "sd%c", (int)('a' + k));
            size_t at = stack_add_layer(&s, LAYER_DEVICE, top, l.disk, "");
            s.layers[at].leaf = stack_add_leaf(&s, &l);
        }
        stack_measure(&s, DUTY_DATA, sums[i].d, &t);
        tap_near(t.read_ms, sums[i].read_ms, 0, "%s: reads", sums[i].what);
        tap_near(t.write_ms, sums[i].write_ms, 0, "%s: writes", sums[i].what);
        tap_near(t.flush_ms, sums[i].flush_ms, 0, "%s: flushes", sums[i].what);
        tap_near(t.write_bytes, sums[i].write_bytes, 0, "%s: bytes", sums[i].what);
        tap_near(t.slower_by, sums[i].slower_by, 1e-9, "%s: slower by", sums[i].what);
        tap_int((long long)t.slowest, (long long)sums[i].slowest, "%s: slowest", sums[i].what);
        tap_int(t.enough, sums[i].enough, "%s: enough", sums[i].what);
        stack_measure(&s, DUTY_LOG, sums[i].d, &t);
        tap_ok(!t.seen && !t.enough && t.write_ms == 0, "%s: no log here", sums[i].what);
        stack_done(&s);
    }
}

/* A thin pool's metadata and data, on one disk: its counters count once. */
static void test_shared_leaf(void)
{
    char *root = tree_unpack("lvm-raid");
    struct devstat d[1] = {{.write_ms = 100, .write_bytes = 7}};
    struct stack s;
    struct stack_time t;

    stack_of(&s, root, "/thin");
    if (tap_int((long long)s.n_leaves, 1, "two layers on one leaf")) {
        stack_measure(&s, DUTY_DATA, d, &t);
        tap_near(t.write_ms, 100, 0, "which counts once");
    }
    stack_done(&s);
    stack_of(&s, root, "/");
    struct devstat legs[2] = {{.write_ms = 100}, {.write_ms = 50}};
    if (tap_int((long long)s.n_leaves, 2, "LVM's mirror, without its notes")) {
        stack_measure(&s, DUTY_DATA, legs, &t);
        tap_near(t.write_ms, 100, 0, "waits for the slower leg");
        tap_near(t.slower_by, 2, 1e-9, "and says by how much");
    }
    stack_done(&s);
    tree_drop(root);
}

static void test_reader(void)
{
    char *root = tree_unpack("md");
    struct stack s;
    struct devstat before[2], now[2], d;

    stack_of(&s, root, "/");
    struct devstat_reader *r = host_devstat_open(&s, root);
    if (!tap_ok(r != NULL && host_devstat_count(r) == 2, "counters of two partitions"))
        return;
    host_devstat_read(r, before);
    tap_int((long long)before[0].write_ios, 300, "writes are the partition's");
    tap_int((long long)before[0].flush_ios, 100, "flushes are the disk's");
    /* in place, as sysfs does it: the reader keeps its descriptors */
    char *name = mem_printf("%s/sys/class/block/sdb1/stat", root);
    FILE *f = fopen(name, "r+");
    free(name);
    if (f) {
        fputs("     101        0     8008       51      310        0    24080      290        0   "
              "   120      300        0        0        0        0        0        0",
              f);
        fclose(f);
    }
    host_devstat_read(r, now);
    devstat_difference(&d, &before[1], &now[1]);
    tap_int((long long)d.write_ios, 10, "a later look: writes");
    tap_int((long long)d.write_ms, 40, "their time");
    tap_int((long long)d.write_bytes, 80 * 512, "their bytes");
    devstat_difference(&d, &before[0], &now[0]);
    tap_int((long long)d.write_ios, 0, "the other one did nothing");
    host_devstat_close(r);
    stack_done(&s);
    tree_drop(root);

    root = tree_unpack("multipath");
    stack_of(&s, root, "/whole");
    r = host_devstat_open(&s, root);
    if (tap_ok(r != NULL, "NVMe with two paths")) {
        host_devstat_read(r, now);
        tap_int((long long)now[0].read_ios, 2001, "is the sum of its paths");
        host_devstat_close(r);
    }
    stack_done(&s);
    stack_of(&s, root, "/");
    tree_write(root, "/sys/class/block/nvme0n1/queue/iostats", "0\n");
    stack_done(&s);
    stack_of(&s, root, "/");
    tap_ok(host_devstat_open(&s, root) == NULL, "counters that are off are none");
    stack_done(&s);
    tree_drop(root);

    root = tree_unpack("nfs-root");
    stack_of(&s, root, "/");
    tap_ok(host_devstat_open(&s, root) == NULL, "no device, no counters");
    stack_done(&s);
    tree_drop(root);
}

int main(void)
{
    test_machines();
    test_leaves();
    test_odd_machines();
    test_sums();
    test_shared_leaf();
    test_reader();
    return tap_done();
}
