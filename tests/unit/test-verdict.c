/* SPDX-License-Identifier: GPL-3.0-or-later */
/* verdict: for each rule facts that make its finding and facts that do not; order; falls */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sthd/verdict.h"
#include "tap.h"

#define KIB ((uint64_t)1 << 10)
#define GIB ((uint64_t)1 << 30)

#define SOFTWARE \
    .waterfall = {.bound = BOUND_SOFTWARE, .total_ns = 328e3, .device_ns = 90e3, .share = 0.274}
#define DEVICE \
    .waterfall = {.bound = BOUND_DEVICE, .total_ns = 94e3, .device_ns = 70e3, .share = 0.748}
#define SYNC_WRITE                                                            \
    .name = "T1 write", .direction = DIRECTION_WRITE, .pattern = PATTERN_RND, \
    .block_bytes = 4 * KIB, .threads = 1, .queue_depth = 1, .sync = true, .iops = 3049
#define ASYNC_WRITE                                                                               \
    .name = "SEQ1M write", .direction = DIRECTION_WRITE, .block_bytes = 1024 * KIB, .threads = 1, \
    .queue_depth = 1, .iops = 500
#define READ                                                                   \
    .name = "RND4K read", .direction = DIRECTION_READ, .pattern = PATTERN_RND, \
    .block_bytes = 4 * KIB, .threads = 1, .queue_depth = 1, .iops = 20000
#define SLEEPY \
    .cpu = {.governors = "schedutil", .performance = FACT_NO, .now_hz = 1.2e9, .max_hz = 3.3e9}
#define AWAKE \
    .cpu = {.governors = "performance", .performance = FACT_YES, .now_hz = 3.2e9, .max_hz = 3.3e9}
#define ZFS .kind_known = true, .kind = TARGET_ZFS, .fstype = "zfs"
#define ONE .n_tests = 1

struct row {
    const char *rule;
    bool want;
    const char *what;
    struct verdict_facts f;
    const char *seen; /* a part of what is said */
};

static const struct row rows[] = {
    {"in-memory",
     true,
     "tmpfs",
     {.kind_known = true, .kind = TARGET_RAM, .fstype = "tmpfs"},
     "tmpfs: a file system in memory"},
    {"in-memory",
     false,
     "a disk",
     {.kind_known = true, .kind = TARGET_DISK, .fstype = "ext4"},
     NULL},
    {"network",
     true,
     "NFS",
     {.kind_known = true, .kind = TARGET_NETWORK, .fstype = "nfs4"},
     "nfs4: a server"},
    {"network", false, "ZFS", {ZFS}, NULL},

    {"sync-disabled",
     true,
     "the property says so",
     {ZFS, .zfs_sync_disabled = FACT_YES, .tests = {{SYNC_WRITE}}, ONE},
     "has sync=disabled"},
    {"sync-disabled",
     true,
     "the log stood still",
     {ZFS, .tests = {{SYNC_WRITE, .zil = {.seen = FACT_YES}}}, ONE},
     "committed nothing"},
    {"sync-disabled",
     true,
     "a test that ends with an fsync",
     {ZFS, .zfs_sync_disabled = FACT_YES, .tests = {{ASYNC_WRITE, .end_fsync = true}}, ONE},
     "SEQ1M write"},
    {"sync-disabled",
     false,
     "sync=standard",
     {ZFS, .zfs_sync_disabled = FACT_NO, .tests = {{SYNC_WRITE}}, ONE},
     NULL},
    {"sync-disabled",
     false,
     "the property is not known, the log was not looked at",
     {ZFS, .tests = {{SYNC_WRITE}}, ONE},
     NULL},
    {"sync-disabled",
     false,
     "nothing asked for commits",
     {ZFS, .zfs_sync_disabled = FACT_YES, .tests = {{READ}}, ONE},
     NULL},
    {"sync-always",
     true,
     "an asynchronous test",
     {ZFS, .zfs_sync_always = FACT_YES, .tests = {{ASYNC_WRITE}}, ONE},
     "sync=always"},
    {"sync-always",
     false,
     "a synchronous one",
     {ZFS, .zfs_sync_always = FACT_YES, .tests = {{SYNC_WRITE}}, ONE},
     NULL},

    {"slog-bypassed",
     true,
     "logbias=throughput",
     {ZFS, .zfs_log_device = FACT_YES, .zfs_log_throughput = FACT_YES, .tests = {{SYNC_WRITE}},
      ONE},
     "with logbias=throughput"},
    {"slog-bypassed",
     true,
     "direct I/O, 2.3",
     {ZFS, .zfs_log_device = FACT_YES, .zfs_major = 2, .zfs_minor = 3,
      .tests = {{SYNC_WRITE, .direct_asked = FACT_YES}}, ONE},
     "with direct I/O on OpenZFS 2.3 and later"},
    {"slog-bypassed",
     true,
     "the kstats saw it",
     {ZFS, .zfs_log_device = FACT_YES,
      .tests = {{SYNC_WRITE,
                 .zil = {.seen = FACT_YES, .commits = 100, .records = 100, .indirect = 98}}},
      ONE},
     "98 % of the log records"},
    {"slog-bypassed",
     true,
     "direct I/O, 2.4, whole records",
     {ZFS, .zfs_log_device = FACT_YES, .zfs_major = 2, .zfs_minor = 4, .zfs_record_bytes = 4 * KIB,
      .tests = {{SYNC_WRITE, .direct_asked = FACT_YES}}, ONE},
     "past the log device"},
    {"slog-bypassed",
     false,
     "direct I/O, 2.4, parts of records",
     {ZFS, .zfs_log_device = FACT_YES, .zfs_major = 2, .zfs_minor = 4,
      .zfs_record_bytes = 128 * KIB, .tests = {{SYNC_WRITE, .direct_asked = FACT_YES}}, ONE},
     NULL},
    {"slog-bypassed",
     false,
     "direct I/O, 2.2 ignores it",
     {ZFS, .zfs_log_device = FACT_YES, .zfs_major = 2, .zfs_minor = 2,
      .tests = {{SYNC_WRITE, .direct_asked = FACT_YES}}, ONE},
     NULL},
    {"slog-bypassed",
     false,
     "direct I/O, version not known",
     {ZFS, .zfs_log_device = FACT_YES, .tests = {{SYNC_WRITE, .direct_asked = FACT_YES}}, ONE},
     NULL},
    {"slog-bypassed",
     false,
     "the kstats saw that it was used, whatever the settings",
     {ZFS, .zfs_log_device = FACT_YES, .zfs_log_throughput = FACT_YES,
      .tests = {{SYNC_WRITE, .zil = {.seen = FACT_YES, .commits = 100, .records = 100}}}, ONE},
     NULL},
    {"slog-bypassed",
     false,
     "there is no log device",
     {ZFS, .zfs_log_device = FACT_NO, .zfs_log_throughput = FACT_YES, .tests = {{SYNC_WRITE}}, ONE},
     NULL},

    {"no-log",
     true,
     "sync writes and no log device",
     {ZFS, .zfs_log_device = FACT_NO, .tests = {{SYNC_WRITE}}, ONE},
     "no log device"},
    {"no-log",
     false,
     "it has one",
     {ZFS, .zfs_log_device = FACT_YES, .tests = {{SYNC_WRITE}}, ONE},
     NULL},
    {"no-log", false, "not known", {ZFS, .tests = {{SYNC_WRITE}}, ONE}, NULL},
    {"no-log",
     false,
     "nobody commits",
     {ZFS, .zfs_log_device = FACT_NO, .tests = {{ASYNC_WRITE}}, ONE},
     NULL},

    {"slow-leg",
     true,
     "one takes twice as long",
     {ZFS, .zfs_log_device = FACT_YES,
      .tests = {{SYNC_WRITE, .waterfall = {.slow_leg = "nvme1n1", .slower_by = 2.1}}}, ONE},
     "in the mirror of the log, nvme1n1 took 2.1 x"},
    {"slow-leg",
     false,
     "they differ a little",
     {ZFS, .tests = {{SYNC_WRITE, .waterfall = {.slow_leg = "nvme1n1", .slower_by = 1.2}}}, ONE},
     NULL},
    {"slow-leg", false, "no mirror", {.tests = {{SYNC_WRITE}}, ONE}, NULL},

    {"software-sleepy",
     true,
     "the origin, before",
     {.tests = {{SYNC_WRITE, SOFTWARE, SLEEPY}}, ONE},
     "T1 write: device 90 of 328 us, cores at 1.2 GHz under schedutil: the CPU."},
    {"software-sleepy",
     true,
     "performance, but deep asleep",
     {.tests = {{SYNC_WRITE, SOFTWARE,
                 .cpu = {.governors = "performance",
                         .performance = FACT_YES,
                         .idle_state = "C6",
                         .idle_share = 0.83,
                         .idle_exit_us = 133}}},
      ONE},
     "cores under performance, C6 83 % of the time: the CPU"},
    {"software-sleepy", false, "awake", {.tests = {{SYNC_WRITE, SOFTWARE, AWAKE}}, ONE}, NULL},
    {"software-sleepy",
     false,
     "nothing known of the cores",
     {.tests = {{SYNC_WRITE, SOFTWARE}}, ONE},
     NULL},
    {"software-sleepy",
     false,
     "sleepy, but the device is what takes time",
     {.tests = {{SYNC_WRITE, DEVICE, SLEEPY}}, ONE},
     NULL},
    {"software-bound",
     true,
     "awake cores",
     {.tests = {{SYNC_WRITE, SOFTWARE, AWAKE}}, ONE},
     "device 90 of 328 us, cores at 3.2 GHz under performance: CPU and software"},
    {"software-bound",
     true,
     "nothing known of the cores",
     {.tests = {{SYNC_WRITE, SOFTWARE}}, ONE},
     "device 90 of 328 us: CPU and software"},
    {"software-bound",
     false,
     "sleepy ones",
     {.tests = {{SYNC_WRITE, SOFTWARE, SLEEPY}}, ONE},
     NULL},
    {"device-bound",
     true,
     "the origin, after",
     {.tests = {{SYNC_WRITE, DEVICE, AWAKE}}, ONE},
     "T1 write: device 70 of 94 us (75 %): device-bound"},
    {"device-bound",
     false,
     "the origin, before",
     {.tests = {{SYNC_WRITE, SOFTWARE, SLEEPY}}, ONE},
     NULL},
    {"device-bound",
     false,
     "not enough signal",
     {.tests = {{SYNC_WRITE, .waterfall = {.bound = BOUND_FAINT, .share = 0.9}}}, ONE},
     NULL},
    {"mixed",
     true,
     "half and half",
     {.tests = {{SYNC_WRITE, SLEEPY,
                 .waterfall =
                     {.bound = BOUND_MIXED, .total_ns = 200e3, .device_ns = 100e3, .share = 0.5}}},
      ONE},
     "device 100 of 200 us (50 %), cores at 1.2 GHz under schedutil"},
    {"mixed",
     false,
     "overlapping requests",
     {.tests = {{SYNC_WRITE, .waterfall = {.bound = BOUND_OVERLAP, .share = 0.5}}}, ONE},
     NULL},
    {"flush-bound",
     true,
     "a volatile cache",
     {.volatile_cache = FACT_YES,
      .device = "nvme0n1",
      .tests = {{SYNC_WRITE, .waterfall = {.bound = BOUND_DEVICE,
                                           .total_ns = 1.7e6,
                                           .device_ns = 0.3e6,
                                           .flush_ns = 1.2e6,
                                           .share = 0.88}}},
      ONE},
     "flushes take 1.2 of 1.7 ms on nvme0n1"},
    {"flush-bound",
     false,
     "few flushes",
     {.volatile_cache = FACT_YES, .tests = {{SYNC_WRITE, DEVICE}}, ONE},
     NULL},
    {"flush-bound",
     false,
     "the cache is not known",
     {.tests = {{SYNC_WRITE,
                 .waterfall = {.bound = BOUND_DEVICE, .total_ns = 1.7e6, .flush_ns = 1.2e6}}},
      ONE},
     NULL},

    {"governor",
     true,
     "schedutil under sync load",
     {.tests = {{SYNC_WRITE, SOFTWARE, SLEEPY}}, ONE},
     "the governor is schedutil, not performance"},
    {"governor",
     true,
     "where no device is visible",
     {.tests = {{SYNC_WRITE, SLEEPY}}, ONE},
     "schedutil"},
    {"governor", false, "performance", {.tests = {{SYNC_WRITE, SOFTWARE, AWAKE}}, ONE}, NULL},
    {"governor", false, "not known", {.tests = {{SYNC_WRITE, SOFTWARE}}, ONE}, NULL},
    {"governor", false, "no sync load", {.tests = {{READ, SLEEPY}}, ONE}, NULL},
    {"governor",
     false,
     "the device is what takes time",
     {.tests = {{SYNC_WRITE, DEVICE, SLEEPY}}, ONE},
     NULL},
    {"deep-idle",
     true,
     "C6 for most of the time",
     {.tests = {{SYNC_WRITE, SOFTWARE,
                 .cpu = {.idle_state = "C6", .idle_share = 0.83, .idle_exit_us = 133}}},
      ONE},
     "83 % of the processors' time in C6, 133 us to wake up from"},
    {"deep-idle",
     false,
     "a limit keeps them out",
     {.tests = {{SYNC_WRITE, SOFTWARE,
                 .cpu = {.idle_state = "C6",
                         .idle_share = 0.83,
                         .idle_exit_us = 133,
                         .limited = FACT_YES}}},
      ONE},
     NULL},
    {"deep-idle",
     false,
     "a light sleep",
     {.tests = {{SYNC_WRITE, SOFTWARE,
                 .cpu = {.idle_state = "C1", .idle_share = 0.83, .idle_exit_us = 2}}},
      ONE},
     NULL},
    {"deep-idle", false, "not known", {.tests = {{SYNC_WRITE, SOFTWARE}}, ONE}, NULL},

    {"recordsize",
     true,
     "4K in 128K",
     {ZFS, .zfs_record_bytes = 128 * KIB, .tests = {{SYNC_WRITE}}, ONE},
     "blocks of 4 KiB in records of 128 KiB"},
    {"recordsize",
     false,
     "4K in 16K",
     {ZFS, .zfs_record_bytes = 16 * KIB, .tests = {{SYNC_WRITE}}, ONE},
     NULL},
    {"recordsize", false, "not known", {ZFS, .tests = {{SYNC_WRITE}}, ONE}, NULL},
    {"recordsize",
     false,
     "sequential",
     {ZFS, .zfs_record_bytes = 16384 * KIB, .tests = {{ASYNC_WRITE}}, ONE},
     NULL},
    {"compression",
     true,
     "zeros",
     {.compression = FACT_YES, .tests = {{ASYNC_WRITE, .compressible = FACT_YES}}, ONE},
     "zeros"},
    {"compression",
     false,
     "fio's data",
     {.compression = FACT_YES, .tests = {{ASYNC_WRITE, .compressible = FACT_NO}}, ONE},
     NULL},
    {"compression",
     false,
     "not known whether it compresses",
     {.tests = {{ASYNC_WRITE, .compressible = FACT_YES}}, ONE},
     NULL},
    {"fits-in-memory",
     true,
     "a buffered read of a small file",
     {.size_bytes = GIB, .memory_bytes = 8 * GIB, .tests = {{READ, .direct = FACT_NO}}, ONE},
     "the file (1 GiB) is smaller than the memory (8 GiB)"},
    {"fits-in-memory",
     true,
     "ARC",
     {ZFS, .size_bytes = GIB, .memory_bytes = 8 * GIB, .tests = {{READ, .direct = FACT_NO}}, ONE},
     "smaller than the ARC may become (8 GiB)"},
    {"fits-in-memory",
     false,
     "a large one",
     {.size_bytes = 16 * GIB, .memory_bytes = 8 * GIB, .tests = {{READ, .direct = FACT_NO}}, ONE},
     NULL},
    {"fits-in-memory",
     false,
     "direct",
     {.size_bytes = GIB, .memory_bytes = 8 * GIB, .tests = {{READ, .direct = FACT_YES}}, ONE},
     NULL},
    {"fits-in-memory",
     false,
     "not known whether it was direct",
     {.size_bytes = GIB, .memory_bytes = 8 * GIB, .tests = {{READ}}, ONE},
     NULL},
    {"fits-in-memory",
     false,
     "memory not known",
     {.size_bytes = GIB, .tests = {{READ, .direct = FACT_NO}}, ONE},
     NULL},
    {"zfs-depth",
     true,
     "Q8 on 2.2",
     {ZFS, .zfs_major = 2, .zfs_minor = 2,
      .tests = {{.name = "SEQ1M Q8T1 read", .queue_depth = 8, .threads = 1, .iops = 100}}, ONE},
     "queue depth 8 on OpenZFS 2.2"},
    {"zfs-depth", false, "Q1", {ZFS, .zfs_major = 2, .zfs_minor = 2, .tests = {{READ}}, ONE}, NULL},
    {"zfs-depth",
     false,
     "version not known",
     {ZFS, .tests = {{.name = "SEQ1M Q8T1 read", .queue_depth = 8, .threads = 1, .iops = 100}},
      ONE},
     NULL},

    {"scaling",
     true,
     "16 threads make less than 8",
     {.tests = {{.name = "T8 write", .threads = 8, .queue_depth = 1, .iops = 60900},
                {.name = "T16 write", .threads = 16, .queue_depth = 1, .iops = 40000}},
      .n_tests = 2},
     "T16 write: 60 900 IOPS with 8 threads, 40 000 with 16"},
    {"scaling",
     false,
     "they make as many",
     {.tests = {{.name = "T8 write", .threads = 8, .queue_depth = 1, .iops = 60900},
                {.name = "T16 write", .threads = 16, .queue_depth = 1, .iops = 58000}},
      .n_tests = 2},
     NULL},
    {"scaling",
     false,
     "another block size",
     {.tests = {{.name = "a", .threads = 8, .queue_depth = 1, .iops = 60900, .block_bytes = 4096},
                {.name = "b", .threads = 16, .queue_depth = 1, .iops = 4000, .block_bytes = 65536}},
      .n_tests = 2},
     NULL},
    {"scaling",
     false,
     "a test without a figure",
     {.tests = {{.name = "a", .threads = 8, .queue_depth = 1, .iops = 60900},
                {.name = "b", .threads = 16, .queue_depth = 1}},
      .n_tests = 2},
     NULL},
    {"falls",
     true,
     "an SLC cache",
     {.tests =
          {{ASYNC_WRITE,
            .fall = {.before = 3.2e9, .after = 0.6e9, .at_s = 12, .bytes_until = 40802189312}}},
      ONE},
     "fell from 3200.0 to 600.0 MB/s after 12 s and 38 GiB"},
    {"falls", false, "steady", {.tests = {{ASYNC_WRITE}}, ONE}, NULL},

    {"earlier",
     true,
     "slower than the last time",
     {.tests = {{SYNC_WRITE, .earlier_iops = 10687, .earlier_when = "2026-11-30"}}, ONE},
     "3 049 IOPS; it was 10 687 on 2026-11-30"},
    {"earlier", false, "as fast", {.tests = {{SYNC_WRITE, .earlier_iops = 3100}}, ONE}, NULL},
    {"earlier", false, "no earlier result", {.tests = {{SYNC_WRITE}}, ONE}, NULL},
    {"pool-full",
     true,
     "20 files' worth",
     {ZFS, .size_bytes = GIB, .free_bytes = 20 * GIB},
     "20 GiB free"},
    {"pool-full", false, "exactly 24", {ZFS, .size_bytes = GIB, .free_bytes = 24 * GIB}, NULL},
    {"pool-full", false, "not known", {ZFS, .size_bytes = GIB}, NULL},
    {"pool-full",
     false,
     "another file system",
     {.kind_known = true, .kind = TARGET_DISK, .size_bytes = GIB, .free_bytes = 2 * GIB},
     NULL},
    {"encryption", true, "LUKS", {.encrypted = FACT_YES, .encryption = "LUKS"}, "(LUKS)"},
    {"encryption", false, "none", {.encrypted = FACT_NO}, NULL},
    {"encryption", false, "not known", {.size_bytes = GIB}, NULL},
    {"atime", true, "atime=on", {ZFS, .atime = FACT_YES, .tests = {{READ}}, ONE}, "atime=on"},
    {"atime", false, "relatime", {ZFS, .atime = FACT_NO, .tests = {{READ}}, ONE}, NULL},
    {"atime", false, "not known", {ZFS, .tests = {{READ}}, ONE}, NULL},
    {"atime", false, "no reads", {ZFS, .atime = FACT_YES, .tests = {{ASYNC_WRITE}}, ONE}, NULL},
};
#define ROWS (sizeof(rows) / sizeof(rows[0]))

static const struct finding *find(const struct verdict *v, const char *id)
{
    for (size_t i = 0; i < v->n; i++)
        if (strcmp(v->items[i].id, id) == 0)
            return &v->items[i];
    return NULL;
}

/* Complete, in ASCII, and not cut off. */
static bool is_sound(const char *s)
{
    size_t n = strlen(s);

    for (size_t i = 0; i < n; i++)
        if (s[i] < ' ' || s[i] > '~')
            return false;
    return n < FINDING_TEXT - 1 && (n == 0 || s[n - 1] == '.');
}

static void test_rows(void)
{
    struct verdict *v = malloc(sizeof(*v));

    for (size_t i = 0; i < ROWS; i++) {
        const struct row *r = &rows[i];
        verdict_judge(v, &r->f);
        const struct finding *finding = find(v, r->rule);
        tap_ok((finding != NULL) == r->want, "%s: %s", r->rule, r->what);
        if (!finding || !r->want)
            continue;
        if (!tap_ok(strstr(finding->seen, r->seen) != NULL, "%s: %s: what is said", r->rule,
                    r->what))
            tap_note("said is: %s", finding->seen);
        tap_ok(finding->seen[0] && is_sound(finding->seen), "%s: %s: seen", r->rule, r->what);
        tap_ok(finding->why[0] && is_sound(finding->why), "%s: %s: why", r->rule, r->what);
        tap_ok(is_sound(finding->advice), "%s: %s: advice", r->rule, r->what);
    }
    free(v);
}

/* No rule without both. */
static void test_covered(void)
{
    for (size_t k = 0; k < verdict_n_rules; k++) {
        int yes = 0, no = 0;
        for (size_t i = 0; i < ROWS; i++) {
            bool mine = strcmp(rows[i].rule, verdict_rules[k].id) == 0;
            yes += mine && rows[i].want;
            no += mine && !rows[i].want;
        }
        tap_ok(yes > 0 && no > 0, "%s has a row that makes it and one that does not",
               verdict_rules[k].id);
    }
}

static void test_nothing_known(void)
{
    struct verdict *v = malloc(sizeof(*v));
    struct verdict_facts *f = calloc(1, sizeof(*f));
    static const struct verdict_test tests[] = {
        {SYNC_WRITE}, {ASYNC_WRITE}, {READ}, {.name = "no figure", .sync = true}};

    verdict_judge(v, f);
    tap_int((long long)v->n, 0, "facts that know nothing say nothing");
    memcpy(f->tests, tests, sizeof(tests));
    f->n_tests = 4;
    verdict_judge(v, f);
    tap_int((long long)v->n, 0, "nor do tests of which only the figures are known");
    for (int kind = 0; kind <= TARGET_OTHER; kind++) {
        if (kind == TARGET_RAM || kind == TARGET_NETWORK)
            continue;
        f->kind_known = true;
        f->kind = (enum target_kind)kind;
        verdict_judge(v, f);
        tap_int((long long)v->n, 0, "nor on a target of which only the kind (%d) is known", kind);
    }
    free(f);
    free(v);
}

static void test_order(void)
{
    struct verdict *v = malloc(sizeof(*v));
    const struct verdict_facts before = {
        .encrypted = FACT_YES,
        .tests = {{.name = "T16 write",
                   .direction = DIRECTION_WRITE,
                   .threads = 16,
                   .queue_depth = 1,
                   .sync = true,
                   .iops = 20000,
                   SOFTWARE,
                   SLEEPY},
                  {SYNC_WRITE, SOFTWARE, SLEEPY}},
        .n_tests = 2,
    };
    const struct verdict_facts disabled = {ZFS, .zfs_sync_disabled = FACT_YES,
                                           .tests = {{SYNC_WRITE, SOFTWARE, SLEEPY}}, ONE};

    verdict_judge(v, &before);
    tap_int((long long)v->n, 3, "sleepy cores, governor, encryption");
    tap_str(v->items[0].id, "software-sleepy", "the CPU first");
    tap_ok(strstr(v->items[0].seen, "T1 write: ") == v->items[0].seen,
           "of the test with the fewest requests in flight");
    tap_str(v->items[1].id, "governor", "then the governor");
    tap_str(v->items[2].id, "encryption", "hints last");
    tap_str(severity_name(v->items[2].severity), "hint", "and called so");
    verdict_judge(v, &disabled);
    tap_str(v->items[0].id, "sync-disabled", "figures that mean something else come first");
    free(v);
}

/* --- falls ------------------------------------------------------------------------------------ */

static void make_samples(struct sample *s, size_t n, size_t knee, double before, double after)
{
    for (size_t i = 0; i < n; i++) {
        double noise = i % 2 ? 1.15 : 0.87;
        s[i] = (struct sample){.seconds = 0.25, .bytes_per_s = noise * (i < knee ? before : after)};
    }
}

static void test_falls(void)
{
    static struct sample s[1200];
    struct fall fall;

    make_samples(s, 40, 15, 3.2e9, 0.6e9);
    tap_ok(fall_find(&fall, s, 40), "a cache that is full");
    tap_near(fall.at_s, 15 * 0.25, 0.3, "when");
    tap_near(fall.before, 3.2e9, 0.5e9, "from");
    tap_near(fall.after, 0.6e9, 0.1e9, "to");
    tap_near(fall.bytes_until, 3.2e9 * 15 * 0.25, 1e9, "after how much");
    make_samples(s, 1200, 900, 3.2e9, 0.6e9);
    tap_ok(fall_find(&fall, s, 1200), "late in a long test");
    tap_near(fall.at_s, 225, 7, "when");
    make_samples(s, 40, 15, 1e9, 0.8e9);
    tap_ok(!fall_find(&fall, s, 40), "a fifth less is noise");
    tap_near(fall.before, 0, 0, "and nothing is claimed");
    make_samples(s, 40, 40, 1e9, 1e9);
    tap_ok(!fall_find(&fall, s, 40), "steady");
    make_samples(s, 40, 20, 0.6e9, 3e9);
    tap_ok(!fall_find(&fall, s, 40), "a rise is no fall");
    make_samples(s, 40, 40, 1e9, 1e9);
    for (size_t i = 30; i < 34; i++)
        s[i].bytes_per_s = 0;
    tap_ok(!fall_find(&fall, s, 40), "a stall of a second that passes");
    make_samples(s, 11, 5, 3e9, 0.1e9);
    tap_ok(!fall_find(&fall, s, 11), "too few samples");
    make_samples(s, 40, 15, 3.2e9, 0.6e9);
    for (size_t i = 0; i < 40; i += 3)
        s[i].bytes_per_s = NAN;
    tap_ok(fall_find(&fall, s, 40), "with intervals that have no figure");
    for (size_t i = 0; i < 40; i++)
        s[i].bytes_per_s = NAN;
    tap_ok(!fall_find(&fall, s, 40), "without any");
}

int main(void)
{
    test_rows();
    test_covered();
    test_nothing_known();
    test_order();
    test_falls();
    return tap_done();
}
