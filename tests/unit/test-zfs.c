/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ZFS: versions, properties, pools in the words of several versions, the intent log's counters; and
 * a whole NAS replayed with each.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sthd/host.h"
#include "sthd/mem.h"
#include "sthd/zfs.h"
#include "tap.h"
#include "tree.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static char *fixture(const char *name)
{
    char *path = mem_printf("zfs/%s", name), *text = tap_fixture(path, NULL);

    free(path);
    return text;
}

static void test_versions(void)
{
    static const struct {
        const char *text;
        bool good;
        int major, minor;
    } rows[] = {
        {"2.3.3-1", true, 2, 3},
        {"zfs-2.2.4-1", true, 2, 2},
        {"0.8.6-1ubuntu1", true, 0, 8},
        {"2.2.99-1", true, 2, 3}, /* what became 2.3 */
        {"2.4.0-rc1", true, 2, 4},
        {"2.1.99-2119_g123", true, 2, 2},
        {"", false, 0, 0},
        {"v2", false, 0, 0},
        {"2", false, 0, 0},
        {"two.three", false, 0, 0},
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        int major, minor;
        tap_int(zfs_version_parse(rows[i].text, &major, &minor), rows[i].good, "version \"%s\"",
                rows[i].text);
        tap_ok(major == rows[i].major && minor == rows[i].minor, "version \"%s\" is %d.%d",
               rows[i].text, major, minor);
    }
}

static void test_properties(void)
{
    struct zfs_properties p = {.known = false};
    char *text = fixture("get-2.1.txt");

    zfs_properties_parse(&p, text);
    free(text);
    tap_ok(p.known && !p.sync_disabled && !p.sync_always && !p.log_throughput, "sync and logbias");
    tap_int((long long)p.record_bytes, 131072, "recordsize");
    tap_str(p.compression, "lz4", "compression");
    tap_str(p.encryption, "", "no encryption");
    tap_str(p.primarycache, "all", "primarycache");
    tap_ok(!p.atime && !p.dedup, "off is off");
    tap_str(p.direct, "", "direct was not asked");
    zfs_properties_parse(&p, "direct\tstandard\n");
    tap_str(p.direct, "standard", "direct, asked on its own");
    tap_int((long long)p.record_bytes, 131072, "which leaves the others alone");

    static const struct {
        const char *text;
        bool disabled, always, throughput, atime, dedup;
        const char *compression, *encryption;
    } rows[] = {
        {"sync\tdisabled\n", true, false, false, false, false, "", ""},
        {"sync\talways\nlogbias\tthroughput", false, true, true, false, false, "", ""},
        {"sync\tstandard\natime\ton\nrelatime\ton\n", false, false, false, false, false, "", ""},
        {"atime\ton\nrelatime\toff\nsync\tstandard\n", false, false, false, true, false, "", ""},
        {"sync\tstandard\ndedup\tsha256\nencryption\taes-256-gcm\ncompression\tzstd-3\n", false,
         false, false, false, true, "zstd-3", "aes-256-gcm"},
        {"sync\tstandard\ncompression\toff\nencryption\t-\n", false, false, false, false, false, "",
         ""},
        {"cannot open 'x': dataset does not exist\n", false, false, false, false, false, "", ""},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct zfs_properties q = {.known = false};
        zfs_properties_parse(&q, rows[i].text);
        tap_ok(q.known == (strncmp(rows[i].text, "cannot", 6) != 0), "row %zu: known", i);
        tap_ok(q.sync_disabled == rows[i].disabled && q.sync_always == rows[i].always &&
                   q.log_throughput == rows[i].throughput && q.atime == rows[i].atime &&
                   q.dedup == rows[i].dedup,
               "row %zu: flags", i);
        tap_str(q.compression, rows[i].compression, "row %zu: compression", i);
        tap_str(q.encryption, rows[i].encryption, "row %zu: encryption", i);
    }
}

/* "tank ONLINE: mirror-0 (/dev/a /dev/b) | log mirror-1 (...)" */
static void say_vdevs(const struct zpool *p, size_t parent, struct buf *out)
{
    static const char *const words[] = {"", "log:", "special:", "cache:", "spare:"};
    bool first = true;

    for (size_t i = 0; i < p->n; i++) {
        if (p->vdevs[i].parent != parent)
            continue;
        buf_addf(out, "%s%s%s", first ? "" : " ",
                 parent == STACK_NONE ? words[p->vdevs[i].duty] : "", p->vdevs[i].name);
        first = false;
        if (p->vdevs[i].group) {
            buf_adds(out, "(");
            say_vdevs(p, i, out);
            buf_adds(out, ")");
        }
    }
}

static char *say_pool(const struct zpool *p)
{
    struct buf b = BUF_INIT;

    buf_addf(&b, "%s %s: ", p->name, p->state);
    say_vdevs(p, STACK_NONE, &b);
    return buf_steal(&b);
}

static void test_status(void)
{
    static const struct {
        const char *file, *want;
    } rows[] = {
        {"status-2.1.txt",
         "tank ONLINE: mirror-0(/dev/sda2 /dev/sdb2) mirror-1(/dev/sdc2 /dev/sdd2) "
         "log:mirror-2(/dev/nvme0n1p1 /dev/nvme1n1p1)"},
        {"status-blanks.txt", "tank ONLINE: raidz2-0(sda sdb sdc) log:mirror-1(nvme1n1 nvme0n1)"},
        {"status-2.2.txt",
         "big pool DEGRADED: raidz2-0(/dev/sda /dev/sdb replacing-2(12345678901234567890 /dev/sdc) "
         "/dev/sdd) special:/dev/nvme2n1p2 special:mirror-3(/dev/nvme0n1p2 /dev/nvme1n1p2) "
         "log:/srv/my log file cache:/dev/nvme2n1p1 spare:/dev/sde spare:/dev/sdf"},
        {"status-2.3.json",
         "tank ONLINE: "
         "mirror-0(/dev/disk/by-partuuid/ca1eb820-c371-491d-ac13-37637e35c683 "
         "/dev/disk/by-partuuid/ca1eb821-c371-491d-ac13-37637e35c683) "
         "mirror-1(/dev/disk/by-partuuid/ca1eb822-c371-491d-ac13-37637e35c683 "
         "/dev/disk/by-partuuid/ca1eb823-c371-491d-ac13-37637e35c683) "
         "log:mirror-2(/dev/disk/by-partuuid/ca1eb824-c371-491d-ac13-37637e35c683 "
         "/dev/disk/by-partuuid/ca1eb825-c371-491d-ac13-37637e35c683)"},
    };
    static const char *const bad[] = {
        "",
        "no pools available\n",
        "  pool: tank\n state: ONLINE\nconfig:\n\n",
        "\tNAME  STATE\n\ttank  ONLINE\n",
        "{}",
        "{\"pools\":{}}",
        "{\"pools\":{\"tank\":{\"name\":\"tank\"}}}",
        "{\"pools\":[1,2]",
        "{\"output_version\":{\"command\":\"zpool status\"},\"pools\":{\"t\":{\"vdevs\":3}}}",
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        char *text = fixture(rows[i].file);
        struct zpool p;
        struct err e;
        tap_int(zpool_status_parse(&p, text, &e), 0, "%s can be read", rows[i].file);
        char *got = say_pool(&p);
        tap_str(got, rows[i].want, "%s", rows[i].file);
        free(got);
        zpool_done(&p);
        free(text);
    }
    for (size_t i = 0; i < COUNT(bad); i++) {
        struct zpool p;
        struct err e;
        tap_int(zpool_status_parse(&p, bad[i], &e), -EINVAL, "what is no status, %zu", i);
        tap_ok(p.n == 0 && strstr(e.text, "zpool status"), "%zu: empty, with a sentence", i);
    }
}

static void test_zil_parse(void)
{
    static const struct {
        const char *file;
        bool known;
        uint64_t commits, records, indirect, slog, pool;
        const char *dataset;
    } rows[] = {
        {"zil-2.2.txt", true, 4304721, 40049432, 0, 9557603, 1080725, NULL},
        {"zil-2.1.txt", true, 120, 500, 7, 117, 3, NULL},
        {"objset-2.2.txt", true, 4304721, 40049432, 0, 9557603, 1080725, "tank/bench"},
        {"objset-2.1.txt", false, 0, 0, 0, 0, 0, "tank/my data"},
        {"get-2.1.txt", false, 0, 0, 0, 0, 0, NULL},
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        char *text = fixture(rows[i].file), dataset[ZFS_NAME];
        struct zil z;
        tap_int(zil_parse(&z, text), rows[i].known, "%s: counters", rows[i].file);
        tap_ok(z.commits == rows[i].commits && z.records == rows[i].records &&
                   z.indirect == rows[i].indirect && z.slog_count == rows[i].slog &&
                   z.pool_count == rows[i].pool,
               "%s: as they are", rows[i].file);
        tap_int(zil_dataset(text, dataset), rows[i].dataset != NULL, "%s: a dataset's",
                rows[i].file);
        if (rows[i].dataset)
            tap_str(dataset, rows[i].dataset, "%s: its name", rows[i].file);
        free(text);
    }
}

static void test_zil_use(void)
{
    static const struct {
        const char *what;
        struct zil d;
        enum zil_use want;
        const char *sentence; /* a part of it; NULL: none */
    } rows[] = {
        {"no kstats", {.known = false, .commits = 5}, ZIL_UNKNOWN, NULL},
        {"nothing was committed, as with sync=disabled",
         {.known = true},
         ZIL_UNUSED,
         "no commit reached it"},
        {"commits of nothing", {.known = true, .commits = 9}, ZIL_UNUSED, "no commit"},
        {"the log devices took it",
         {.known = true, .commits = 1000, .records = 1000, .slog_count = 1000, .pool_count = 2},
         ZIL_SLOG,
         "1 000 commits, and log devices took 99 %"},
        {"no log device",
         {.known = true, .commits = 1000, .records = 1000, .pool_count = 1000},
         ZIL_POOL,
         "the pool's own devices took 100 %"},
        {"bypassed: direct=1 on 2.3, logbias=throughput",
         {.known = true, .commits = 1000, .records = 1000, .indirect = 990, .slog_count = 1000},
         ZIL_INDIRECT,
         "99 % of the log records only point"},
        {"half and half",
         {.known = true, .commits = 10, .records = 10, .slog_count = 5, .pool_count = 5},
         ZIL_MIXED,
         "log devices took 50 %"},
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        struct buf b = BUF_INIT;
        tap_int(zil_use(&rows[i].d), rows[i].want, "%s", rows[i].what);
        zil_sentence(&rows[i].d, &b);
        if (rows[i].sentence)
            tap_ok(b.data && strstr(b.data, rows[i].sentence), "%s: \"%s\"", rows[i].what,
                   b.data ? b.data : "");
        else
            tap_ok(b.len == 0, "%s: nothing is said", rows[i].what);
        buf_done(&b);
    }
    struct zil before = {.known = true, .commits = 100, .slog_count = 7}, d, sum = {.known = false};
    struct zil now = {.known = true, .commits = 130, .slog_count = 3};
    zil_difference(&d, &before, &now);
    tap_ok(d.known && d.commits == 30 && d.slog_count == 3, "a counter that began anew");
    zil_add(&sum, &d);
    zil_add(&sum, &d);
    tap_ok(sum.known && sum.commits == 60, "over several runs");
    now.known = false;
    zil_difference(&d, &before, &now);
    tap_ok(!d.known && d.commits == 0, "what is not known has no difference");
}

/* A mount of a machine, with its pool. */
static bool replay(struct stack *s, const char *root, const char *point, const char *status)
{
    char *name = mem_printf("%s/proc/self/mountinfo", root), line[512];
    FILE *f = fopen(name, "r");
    struct buf b = BUF_INIT;
    struct targets all;
    struct err e;
    bool found = false;

    free(name);
    while (f && fgets(line, sizeof(line), f))
        buf_adds(&b, line);
    if (f)
        fclose(f);
    host_mounts_parse(&all, b.data ? b.data : "", &e);
    buf_done(&b);
    stack_init(s);
    for (size_t i = 0; i < all.n && !found; i++) {
        found = strcmp(all.items[i].mount, point) == 0;
        if (found)
            host_stack(s, &all.items[i], root);
    }
    targets_done(&all);
    if (status) {
        char *text = fixture(status);
        struct zpool p;
        if (zpool_status_parse(&p, text, &e) == 0)
            host_stack_add_pool(s, &p, root);
        zpool_done(&p);
        free(text);
    }
    return found;
}

static void test_machines(void)
{
    static const struct {
        const char *tree, *point, *status, *sentence;
        int minor;
        bool own_zil;
    } rows[] = {
        {"nas-2.1", "/mnt/tank/bench", NULL, "zfs tank/bench on pool tank", 1, false},
        {"nas-2.1", "/mnt/tank/bench", "status-2.1.txt",
         "zfs tank/bench on pool tank: mirror-0 (sda2, sdb2), mirror-1 (sdc2, sdd2); log mirror-2 "
         "(nvme0n1p1, nvme1n1p1)",
         1, false},
        {"nas-2.2", "/mnt/tank/my data", "status-blanks.txt",
         "zfs tank/my data on pool tank: raidz2-0 (sda, sdb, sdc); log mirror-1 (nvme1n1, "
         "nvme0n1)",
         2, false},
        {"nas-2.3", "/mnt/tank/bench", "status-2.3.json",
         "zfs tank/bench on pool tank: mirror-0 (sda2, sdb2), mirror-1 (sdc2, sdd2); log mirror-2 "
         "(nvme0n1p1, nvme1n1p1)",
         3, true},
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        char *root = tree_unpack(rows[i].tree);
        struct stack s;
        struct buf b = BUF_INIT;
        int major, minor;
        tap_ok(replay(&s, root, rows[i].point, rows[i].status), "%s has %s", rows[i].tree,
               rows[i].point);
        stack_sentence(&s, &b);
        tap_str(b.data, rows[i].sentence, "%s %s", rows[i].tree, rows[i].point);
        tap_ok(host_zfs_version(&major, &minor, root) && major == 2 && minor == rows[i].minor,
               "%s: version %d.%d", rows[i].tree, major, minor);
        buf_done(&b);
        stack_done(&s);
        tree_drop(root);
    }
}

/* Which devices a write waits for, and that of a mirror it is the slowest. */
static void test_log(void)
{
    char *root = tree_unpack("nas-2.3");
    struct stack s;
    struct stack_time t;

    replay(&s, root, "/mnt/tank/bench", "status-2.3.json");
    tap_int(stack_duty_of_write(&s, true), DUTY_LOG, "a commit waits for the log");
    tap_int(stack_duty_of_write(&s, false), DUTY_DATA, "any other write for the pool");
    if (!tap_int((long long)s.n_leaves, 6, "four disks and two log devices"))
        return;
    struct devstat d[6] = {{.write_ms = 5000, .write_bytes = 1000000},
                           {.write_ms = 5000, .write_bytes = 1000000},
                           {.write_ms = 100},
                           {.write_ms = 100},
                           {.write_ms = 90, .write_bytes = 4096},
                           {.write_ms = 270, .write_bytes = 4096}};
    stack_measure(&s, DUTY_LOG, d, &t);
    tap_near(t.write_ms, 270, 0, "the slower leg of the log, and nothing of the pool");
    tap_near(t.slower_by, 3, 1e-9, "by how much");
    tap_str(s.leaves[t.slowest].disk, "nvme1n1", "which");
    tap_near(t.write_bytes, 4096, 0, "a mirror's bytes count once");
    stack_measure(&s, DUTY_DATA, d, &t);
    tap_near(t.write_ms, 5100, 0, "the pool: two mirrors side by side");
    stack_done(&s);
    replay(&s, root, "/mnt/tank/bench", NULL);
    tap_int(stack_duty_of_write(&s, true), DUTY_DATA, "no log device that one knows of");
    stack_done(&s);
    tree_drop(root);
}

static void test_zil_files(void)
{
    char *root = tree_unpack("nas-2.2"), objset[HOST_OBJSET_NAME] = "";
    struct zil z;

    host_zfs_zil(&z, objset, "tank/bench", root);
    tap_ok(z.known && z.commits == 4304721, "2.2: the dataset's own counters");
    tap_str(objset, "objset-0x54", "found by the name that is inside");
    tree_write(root, "/proc/spl/kstat/zfs/tank/objset-0x54",
               "h\nname type data\ndataset_name                    7    tank/other\n");
    host_zfs_zil(&z, objset, "tank/bench", root);
    tap_ok(z.known, "it was unmounted: those of all datasets");
    tree_drop(root);

    root = tree_unpack("nas-2.1");
    objset[0] = '\0';
    host_zfs_zil(&z, objset, "tank/bench", root);
    tap_ok(z.known && z.commits == 120, "2.1: there are only those of all datasets");
    tree_drop(root);

    root = tree_unpack("nas-2.3");
    tap_ok(host_zfs_arc_limit(root) == 16783360000, "what the ARC may grow to");
    tree_drop(root);

    root = tree_unpack("vm");
    tap_ok(host_zfs_arc_limit(root) == 0, "no ARC, no limit");
    objset[0] = '\0';
    host_zfs_zil(&z, objset, "tank/bench", root);
    tap_ok(!z.known, "no ZFS, no counters");
    int major, minor;
    tap_ok(!host_zfs_version(&major, &minor, root) && major == 0, "and no version");
    tree_drop(root);
}

int main(void)
{
    test_versions();
    test_properties();
    test_status();
    test_zil_parse();
    test_zil_use();
    test_machines();
    test_log();
    test_zil_files();
    return tap_done();
}
