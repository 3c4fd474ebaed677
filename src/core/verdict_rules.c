/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The rules. Thresholds are ratios with a reason beside them. Reference figures are other people's
 * measurements, each named with its source in the sentence; there are no others.
 */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "sthd/units.h"
#include "sthd/verdict.h"

#define SAY(field, ...) snprintf(field, FINDING_TEXT, __VA_ARGS__)

/* --- what several rules ask ------------------------------------------------------------------- */

static bool is_zfs(const struct verdict_facts *f)
{
    return f->kind_known && f->kind == TARGET_ZFS;
}

static bool zfs_at_least(const struct verdict_facts *f, int major, int minor)
{
    return f->zfs_major > major || (f->zfs_major == major && f->zfs_minor >= minor);
}

static bool has_figure(const struct verdict_test *t)
{
    return t->iops > 0;
}

static bool is_sync_write(const struct verdict_test *t)
{
    return t->sync && t->direction != DIRECTION_READ && has_figure(t);
}

/*
 * Where several tests show the same, the one with the fewest requests in flight says it most
 * plainly, and a commit before anything else.
 */
static double plainness(const struct verdict_test *t)
{
    double in_flight = (double)t->threads * t->queue_depth;

    return (t->sync ? 2 : 1) / (in_flight > 1 ? in_flight : 1);
}

static bool cores_are_slow(const struct verdict_cpu *c)
{
    /* A quarter below what they can do: beyond what turbo steps make. */
    return c->now_hz > 0 && c->max_hz > 0 && c->now_hz < 0.75 * c->max_hz;
}

/* Waking up takes long enough to be seen in a commit, and they slept there for a good part. */
#define DEEP_EXIT_US 50
#define DEEP_SHARE   0.2

static bool cores_sleep_deeply(const struct verdict_cpu *c)
{
    return c->idle_state[0] && c->idle_share >= DEEP_SHARE && c->idle_exit_us >= DEEP_EXIT_US &&
           c->limited != FACT_YES;
}

static bool cores_are_sleepy(const struct verdict_cpu *c)
{
    return c->performance == FACT_NO || cores_are_slow(c) || cores_sleep_deeply(c);
}

/* "cores at 1.2 GHz under schedutil, C6 83 % of the time"; "" when nothing is known. */
static void describe_cores(const struct verdict_cpu *c, struct buf *out)
{
    if (c->now_hz > 0)
        buf_addf(out, "cores at %.1f GHz", c->now_hz / 1e9);
    if (c->governors[0])
        buf_addf(out, "%sunder %s", c->now_hz > 0 ? " " : "cores ", c->governors);
    if (cores_sleep_deeply(c))
        buf_addf(out, "%s%s %.0f %% of the time", out->len ? ", " : "cores in ", c->idle_state,
                 c->idle_share * 100);
}

/* "device 90 of 328 us". */
static void device_of(const struct waterfall *w, struct buf *out)
{
    buf_adds(out, "device ");
    waterfall_pair(w->device_ns + w->flush_ns, w->total_ns, out);
}

#define TO_KEEP_THE_GOVERNOR                                                                    \
    "To try it: --governor performance. To keep it: cpupower frequency-set -g performance; on " \
    "TrueNAS as a Post Init command (System, Advanced Settings, Init/Shutdown Scripts), "       \
    "elsewhere "                                                                                \
    "as a tuned profile or a unit"

/* --- what the figures mean -------------------------------------------------------------------- */

static double in_memory_applies(const struct verdict_facts *f, const struct verdict_test *t)
{
    (void)t;
    return f->kind_known && f->kind == TARGET_RAM;
}

static void in_memory_say(struct finding *out, const struct verdict_facts *f,
                          const struct verdict_test *t)
{
    (void)t;
    SAY(out->seen, "The target is %s: a file system in memory.", f->fstype);
    SAY(out->why, "There is no disk in these figures.");
    SAY(out->advice, "Choose a directory on the disk that is meant.");
}

static double network_applies(const struct verdict_facts *f, const struct verdict_test *t)
{
    (void)t;
    return f->kind_known && f->kind == TARGET_NETWORK;
}

static void network_say(struct finding *out, const struct verdict_facts *f,
                        const struct verdict_test *t)
{
    (void)t;
    SAY(out->seen, "The target is %s: a server and the network to it.", f->fstype);
    SAY(out->why, "Round trips, the server's caches and its way of syncing are in every figure. "
                  "For scale: NFS to an Optane SLOG took about 0.7 ms per commit "
                  "(democratic-csi#251).");
    SAY(out->advice, "Run this on the server as well: the difference is the network's.");
}

static double sync_disabled_applies(const struct verdict_facts *f, const struct verdict_test *t)
{
    if (!is_zfs(f) || !has_figure(t) || !(is_sync_write(t) || t->end_fsync))
        return 0;
    if (f->zfs_sync_disabled == FACT_YES)
        return plainness(t);
    return is_sync_write(t) && t->zil.seen == FACT_YES && !(t->zil.commits > 0) ? plainness(t) : 0;
}

static void sync_disabled_say(struct finding *out, const struct verdict_facts *f,
                              const struct verdict_test *t)
{
    if (f->zfs_sync_disabled == FACT_YES)
        SAY(out->seen, "%s: the dataset has sync=disabled.", t->name);
    else
        SAY(out->seen, "%s: ZFS committed nothing while it ran (zil_commit_count stood still).",
            t->name);
    SAY(out->why, "Writes that ask to be safe return at once and are lost with the power: these "
                  "are figures of memory, not of commits.");
    SAY(out->advice, "zfs set sync=standard on the dataset, and measure again.");
}

static double sync_always_applies(const struct verdict_facts *f, const struct verdict_test *t)
{
    return is_zfs(f) && f->zfs_sync_always == FACT_YES && has_figure(t) && !t->sync &&
                   t->direction != DIRECTION_READ
               ? plainness(t)
               : 0;
}

static void sync_always_say(struct finding *out, const struct verdict_facts *f,
                            const struct verdict_test *t)
{
    (void)f;
    SAY(out->seen, "%s: the dataset has sync=always.", t->name);
    SAY(out->why, "Every write is a commit, also of tests that do not ask for it: the figures "
                  "cannot be compared with asynchronous ones.");
    SAY(out->advice, "zfs set sync=standard, unless that is what you run with.");
}

static bool file_fits(const struct verdict_facts *f)
{
    return f->size_bytes > 0 && f->memory_bytes > 0 && f->size_bytes < f->memory_bytes;
}

static double fits_memory_applies(const struct verdict_facts *f, const struct verdict_test *t)
{
    return has_figure(t) && t->direction != DIRECTION_WRITE && t->direct == FACT_NO && file_fits(f)
               ? plainness(t)
               : 0;
}

static void fits_memory_say(struct finding *out, const struct verdict_facts *f,
                            const struct verdict_test *t)
{
    char size[UNITS_TEXT], memory[UNITS_TEXT];

    SAY(out->seen, "%s: the file (%s) is smaller than the %s (%s).", t->name,
        units_size(size, f->size_bytes), is_zfs(f) ? "ARC may become" : "memory",
        units_size(memory, f->memory_bytes));
    SAY(out->why, "It was written a moment ago, so reads come from memory and not from the disk.");
    SAY(out->advice, "--size of at least twice that, or direct I/O where it is honoured%s.",
        is_zfs(f) ? " (OpenZFS 2.3 and later)" : "");
}

static double compression_applies(const struct verdict_facts *f, const struct verdict_test *t)
{
    return f->compression == FACT_YES && t->compressible == FACT_YES && has_figure(t) ? plainness(t)
                                                                                      : 0;
}

static void compression_say(struct finding *out, const struct verdict_facts *f,
                            const struct verdict_test *t)
{
    (void)f;
    SAY(out->seen, "%s: the data is all zeros and the file system compresses.", t->name);
    SAY(out->why, "Zeros become holes: hardly anything reaches the disk or comes from it.");
    SAY(out->advice, "Use one of fio's profiles: their data does not compress.");
}

static double zfs_depth_applies(const struct verdict_facts *f, const struct verdict_test *t)
{
    return is_zfs(f) && f->zfs_major > 0 && !zfs_at_least(f, 2, 5) && has_figure(t) &&
                   t->queue_depth > 1
               ? 1
               : 0;
}

static void zfs_depth_say(struct finding *out, const struct verdict_facts *f,
                          const struct verdict_test *t)
{
    SAY(out->seen, "%s: queue depth %u on OpenZFS %d.%d.", t->name, t->queue_depth, f->zfs_major,
        f->zfs_minor);
    SAY(out->why, "ZFS carries out asynchronous requests one after another, so a depth above 1 "
                  "acts as 1 (openzfs/zfs#18660).");
    SAY(out->advice, "Compare by threads (T), not by depth (Q).");
}

/* --- where the time goes ---------------------------------------------------------------------- */

/*
 * Whether the log device is passed by: what the kstats saw decides; where they were not read, what
 * OpenZFS does with these settings (zfs_log_write): logbias=throughput logs pointers to data in the
 * pool; so does O_DIRECT from 2.3 on, from 2.4 on only for blocks of a record or more.
 */
static bool slog_is_bypassed(const struct verdict_facts *f, const struct verdict_test *t)
{
    if (t->zil.seen == FACT_YES && t->zil.records > 0)
        return t->zil.indirect >= 0.5 * t->zil.records;
    if (f->zfs_log_throughput == FACT_YES)
        return true;
    if (t->direct_asked != FACT_YES || !zfs_at_least(f, 2, 3))
        return false;
    return !zfs_at_least(f, 2, 4) ||
           (f->zfs_record_bytes > 0 && t->block_bytes >= f->zfs_record_bytes);
}

static double slog_bypassed_applies(const struct verdict_facts *f, const struct verdict_test *t)
{
    return is_zfs(f) && f->zfs_log_device == FACT_YES && f->zfs_sync_disabled != FACT_YES &&
                   is_sync_write(t) && slog_is_bypassed(f, t)
               ? plainness(t)
               : 0;
}

static void slog_bypassed_say(struct finding *out, const struct verdict_facts *f,
                              const struct verdict_test *t)
{
    const char *cause = f->zfs_log_throughput == FACT_YES ? "logbias=throughput"
                        : t->direct_asked == FACT_YES     ? "direct I/O"
                                                          : "their size";

    if (t->zil.seen == FACT_YES && t->zil.records > 0)
        SAY(out->seen,
            "%s: %.0f %% of the log records pointed to the pool (%s): the log device was "
            "passed by.",
            t->name, 100 * t->zil.indirect / t->zil.records, cause);
    else
        SAY(out->seen, "%s: with %s on OpenZFS%s the data goes to the pool, past the log device.",
            t->name, cause, f->zfs_log_throughput == FACT_YES ? "" : " 2.3 and later");
    SAY(out->why, "Each commit waits for the pool's devices; the log device's speed is not in "
                  "these figures.");
    SAY(out->advice, "%s.",
        f->zfs_log_throughput == FACT_YES
            ? "zfs set logbias=latency"
            : "Measure commits with --buffered (the profile slog does)");
}

/* A leg half as slow again as the others is more than they differ by themselves. */
#define SLOW_LEG 1.5

static double slow_leg_applies(const struct verdict_facts *f, const struct verdict_test *t)
{
    (void)f;
    return has_figure(t) && t->direction != DIRECTION_READ && t->waterfall.slow_leg[0] &&
                   t->waterfall.slower_by >= SLOW_LEG
               ? plainness(t)
               : 0;
}

static void slow_leg_say(struct finding *out, const struct verdict_facts *f,
                         const struct verdict_test *t)
{
    bool is_log = is_zfs(f) && f->zfs_log_device == FACT_YES && t->sync;

    SAY(out->seen, "%s: in the mirror%s, %s took %.1f x the time of the other.", t->name,
        is_log ? " of the log" : "", t->waterfall.slow_leg, t->waterfall.slower_by);
    SAY(out->why, "A write to a mirror is done when the slowest leg is. Seen elsewhere: a mirrored "
                  "SLOG of two unequal SSDs made 790 IOPS, the better one alone 1300 "
                  "(pastebin isefDDQg).");
    SAY(out->advice, "Replace or detach that leg, or pair it with one like it.");
}

static double no_log_applies(const struct verdict_facts *f, const struct verdict_test *t)
{
    return is_zfs(f) && f->zfs_log_device == FACT_NO && f->zfs_sync_disabled != FACT_YES &&
                   is_sync_write(t)
               ? plainness(t)
               : 0;
}

static void no_log_say(struct finding *out, const struct verdict_facts *f,
                       const struct verdict_test *t)
{
    SAY(out->seen, "%s: the pool has no log device: commits go to its data devices.", t->name);
    SAY(out->why, "%s",
        f->rotational == FACT_YES
            ? "Disks need a seek for each: about 200 IOPS per raidz vdev at most "
              "(openzfs/zfs#3780)."
            : "They share these devices with everything else, and each commit is "
              "as slow as the slowest of them.");
    SAY(out->advice, "A log device with power-loss protection; zpool add POOL log mirror A B.");
}

static double software_sleepy_applies(const struct verdict_facts *f, const struct verdict_test *t)
{
    (void)f;
    return has_figure(t) && t->waterfall.bound == BOUND_SOFTWARE && cores_are_sleepy(&t->cpu)
               ? plainness(t)
               : 0;
}

static void software_sleepy_say(struct finding *out, const struct verdict_facts *f,
                                const struct verdict_test *t)
{
    struct buf device = BUF_INIT, cores = BUF_INIT;

    (void)f;
    device_of(&t->waterfall, &device);
    describe_cores(&t->cpu, &cores);
    SAY(out->seen, "%s: %s, %s: the CPU.", t->name, device.data, cores.data);
    SAY(out->why, "The device is done early; what follows are interrupts, wake-ups and code on "
                  "cores that were put to sleep or slowed down meanwhile. Another device would "
                  "hardly help. The case this program was made for went from 328 to 85 us with "
                  "the governor performance.");
    SAY(out->advice, "%s.",
        t->cpu.performance == FACT_YES
            ? "Hold a latency limit while it works (/dev/cpu_dma_latency, tuned-adm profile "
              "latency-performance), and measure again"
            : "Turn the governor to performance for a run (g on the screen, or --governor "
              "performance) "
              "and compare");
    buf_done(&device);
    buf_done(&cores);
}

static double software_applies(const struct verdict_facts *f, const struct verdict_test *t)
{
    (void)f;
    return has_figure(t) && t->waterfall.bound == BOUND_SOFTWARE && !cores_are_sleepy(&t->cpu)
               ? plainness(t)
               : 0;
}

static void software_say(struct finding *out, const struct verdict_facts *f,
                         const struct verdict_test *t)
{
    struct buf device = BUF_INIT, cores = BUF_INIT;

    device_of(&t->waterfall, &device);
    describe_cores(&t->cpu, &cores);
    SAY(out->seen, "%s: %s%s%s: CPU and software.", t->name, device.data, cores.len ? ", " : "",
        cores.len ? cores.data : "");
    SAY(out->why,
        "The rest is the file system, wake-ups and fio itself; a faster device would "
        "hardly be noticed.%s",
        cores.len ? "" : " How awake the cores are is not known here.");
    SAY(out->advice, "%s",
        is_zfs(f) ? "Look at what ZFS does per write: checksum, compression, "
                    "encryption, record size."
                  : "More threads, larger blocks or fewer layers.");
    buf_done(&device);
    buf_done(&cores);
}

/* Half of the time in flushes: making the cache permanent is the work. */
#define FLUSH_SHARE 0.4

static double flush_applies(const struct verdict_facts *f, const struct verdict_test *t)
{
    const struct waterfall *w = &t->waterfall;

    return has_figure(t) && f->volatile_cache == FACT_YES &&
                   (w->bound == BOUND_DEVICE || w->bound == BOUND_MIXED) &&
                   w->flush_ns >= FLUSH_SHARE * w->total_ns
               ? plainness(t)
               : 0;
}

static void flush_say(struct finding *out, const struct verdict_facts *f,
                      const struct verdict_test *t)
{
    struct buf pair = BUF_INIT;

    waterfall_pair(t->waterfall.flush_ns, t->waterfall.total_ns, &pair);
    SAY(out->seen, "%s: flushes take %s%s%s.", t->name, pair.data, f->device[0] ? " on " : "",
        f->device);
    SAY(out->why, "The device has a volatile write cache, so each commit waits for it to be "
                  "emptied. Devices without power-loss protection, elsewhere: 574 fsync/s (Samsung "
                  "980, cdn.igene.tw), 782 (GCP local NVMe, etcd#13053).");
    SAY(out->advice, "A device with power-loss protection: its cache need not be flushed.");
    buf_done(&pair);
}

static double device_applies(const struct verdict_facts *f, const struct verdict_test *t)
{
    (void)f;
    return has_figure(t) && t->waterfall.bound == BOUND_DEVICE ? plainness(t) : 0;
}

static void device_say(struct finding *out, const struct verdict_facts *f,
                       const struct verdict_test *t)
{
    struct buf text = BUF_INIT;

    device_of(&t->waterfall, &text);
    SAY(out->seen, "%s: %s (%.0f %%)%s%s: device-bound.", t->name, text.data,
        t->waterfall.share * 100, f->device[0] ? " on " : "", f->device);
    SAY(out->why,
        "Most of each I/O passes between the request and its completion by the device; "
        "no setting of the CPU shortens that.%s%s",
        t->waterfall.capped ? " Its requests add up to more time than passed: they overlap, or "
                              "other programs use it too."
                            : "",
        is_zfs(f) && is_sync_write(t) && t->threads == 1 && t->block_bytes == 4096
            ? " For scale: a tuned Optane SLOG commits in 85 us (the case this program was made "
              "for)."
            : "");
    SAY(out->advice, "For less, another device; or fewer requests per I/O.");
    buf_done(&text);
}

static double mixed_applies(const struct verdict_facts *f, const struct verdict_test *t)
{
    (void)f;
    return has_figure(t) && t->waterfall.bound == BOUND_MIXED ? plainness(t) : 0;
}

static void mixed_say(struct finding *out, const struct verdict_facts *f,
                      const struct verdict_test *t)
{
    struct buf text = BUF_INIT, cores = BUF_INIT;

    (void)f;
    device_of(&t->waterfall, &text);
    describe_cores(&t->cpu, &cores);
    SAY(out->seen, "%s: %s (%.0f %%)%s%s: the device and software, both.", t->name, text.data,
        t->waterfall.share * 100, cores.len ? ", " : "", cores.len ? cores.data : "");
    SAY(out->why, "Neither a faster device nor a more awake CPU alone would halve it.");
    SAY(out->advice, "%s%s", cores_are_sleepy(&t->cpu) ? "The CPU first, it costs nothing: " : "",
        cores_are_sleepy(&t->cpu) ? "set the governor to performance and measure again."
                                  : "Look at both halves: the device's flushes, the file system.");
    buf_done(&text);
    buf_done(&cores);
}

static double governor_applies(const struct verdict_facts *f, const struct verdict_test *t)
{
    (void)f;
    return is_sync_write(t) && t->cpu.governors[0] && t->cpu.performance == FACT_NO &&
                   t->waterfall.bound != BOUND_DEVICE
               ? plainness(t)
               : 0;
}

static void governor_say(struct finding *out, const struct verdict_facts *f,
                         const struct verdict_test *t)
{
    (void)f;
    SAY(out->seen, "%s: the governor is %s, not performance.", t->name, t->cpu.governors);
    SAY(out->why, "A commit keeps a core busy for too short a time for it to be sped up. "
                  "Elsewhere, performance instead: x1.1-1.2 (a Ceph cluster, ceph.io), x2.2 (one "
                  "request at a time, ceph#5013), x3.5 (the case this program was made for).");
    SAY(out->advice, TO_KEEP_THE_GOVERNOR ".");
}

static double deep_idle_applies(const struct verdict_facts *f, const struct verdict_test *t)
{
    (void)f;
    return has_figure(t) && (double)t->threads * t->queue_depth <= 4 &&
                   cores_sleep_deeply(&t->cpu) && t->waterfall.bound != BOUND_DEVICE
               ? plainness(t)
               : 0;
}

static void deep_idle_say(struct finding *out, const struct verdict_facts *f,
                          const struct verdict_test *t)
{
    (void)f;
    SAY(out->seen, "%s: %.0f %% of the processors' time in %s, %.0f us to wake up from.", t->name,
        t->cpu.idle_share * 100, t->cpu.idle_state, t->cpu.idle_exit_us);
    SAY(out->why, "A write waits for several wake-ups, one after another (interrupt, file system, "
                  "fio), and the device's own time as the kernel counts it includes one.");
    SAY(out->advice, "Hold a latency limit while it works: tuned-adm profile latency-performance, "
                     "or the kernel argument intel_idle.max_cstate=1; it costs power.");
}

/* Eight times: each write of a block reads and writes a record of which 7/8 did not change. */
#define RECORD_RATIO 8

static double record_applies(const struct verdict_facts *f, const struct verdict_test *t)
{
    return is_zfs(f) && has_figure(t) && t->pattern == PATTERN_RND && t->block_bytes > 0 &&
                   f->zfs_record_bytes >= RECORD_RATIO * t->block_bytes
               ? plainness(t)
               : 0;
}

static void record_say(struct finding *out, const struct verdict_facts *f,
                       const struct verdict_test *t)
{
    char record[UNITS_TEXT], block[UNITS_TEXT];

    SAY(out->seen, "%s: blocks of %s in records of %s.", t->name, units_size(block, t->block_bytes),
        units_size(record, f->zfs_record_bytes));
    SAY(out->why,
        "ZFS reads, checksums and writes whole records: %.0f x the data for each block "
        "(openzfs/zfs#2412 shows what it costs).",
        (double)f->zfs_record_bytes / (double)t->block_bytes);
    SAY(out->advice, "A dataset with recordsize near the block size of what will run here "
                     "(databases, virtual machines: 16K).");
}

/* Noise of a virtual machine is 10-20 %; a test with more threads that is this much slower is not
 * noise. */
#define SCALING_RATIO 0.8

static bool differ_by_threads(const struct verdict_test *a, const struct verdict_test *b)
{
    return a->direction == b->direction && a->pattern == b->pattern &&
           a->block_bytes == b->block_bytes && a->queue_depth == b->queue_depth &&
           a->sync == b->sync && a->threads < b->threads && has_figure(a) && has_figure(b);
}

/* The test with fewer threads that did best, if t is well behind it. */
static const struct verdict_test *scaled_from(const struct verdict_facts *f,
                                              const struct verdict_test *t)
{
    const struct verdict_test *best = NULL;

    for (size_t i = 0; i < f->n_tests; i++)
        if (differ_by_threads(&f->tests[i], t) && (!best || f->tests[i].iops > best->iops))
            best = &f->tests[i];
    return best && t->iops < SCALING_RATIO * best->iops ? best : NULL;
}

static double scaling_applies(const struct verdict_facts *f, const struct verdict_test *t)
{
    const struct verdict_test *from = scaled_from(f, t);

    return from ? from->iops / t->iops : 0;
}

static void scaling_say(struct finding *out, const struct verdict_facts *f,
                        const struct verdict_test *t)
{
    const struct verdict_test *from = scaled_from(f, t);
    char more[UNITS_TEXT], less[UNITS_TEXT];

    SAY(out->seen, "%s: %s IOPS with %u threads, %s with %u.", t->name,
        units_iops(more, from->iops), from->threads, units_iops(less, t->iops), t->threads);
    SAY(out->why, "More threads should never make less: they stand in each other's way, in locks "
                  "or for processors, or the device degrades under load.");
    SAY(out->advice, "Look at the CPU share and at the device's times of both tests.");
}

static double falls_applies(const struct verdict_facts *f, const struct verdict_test *t)
{
    (void)f;
    return has_figure(t) && t->fall.before > 0 && t->fall.after > 0 &&
                   t->fall.after < t->fall.before
               ? t->fall.before / t->fall.after
               : 0;
}

static void falls_say(struct finding *out, const struct verdict_facts *f,
                      const struct verdict_test *t)
{
    char before[UNITS_TEXT], after[UNITS_TEXT], moved[UNITS_TEXT];
    bool write = t->direction != DIRECTION_READ;

    SAY(out->seen, "%s: fell from %s to %s MB/s after %.0f s and %s.", t->name,
        units_mb_per_s(before, t->fall.before), units_mb_per_s(after, t->fall.after), t->fall.at_s,
        units_size(moved, (uint64_t)t->fall.bytes_until));
    SAY(out->why, "%s",
        !write ? "A device that slows down while it reads is hot, or something else "
                 "came in between; the mean over the test is of neither speed."
        : f->rotational == FACT_YES
            ? "A cache that is full, shingled (SMR) tracks, or something else that "
              "came in between; the mean over the test is of neither speed."
            : "A write cache (SLC) that is full, heat, or something else that came "
              "in between; the mean over the test is of neither speed.");
    SAY(out->advice, "Measure longer: --runtime 60; what stays is what a long job gets.");
}

/* --- what may cost something ------------------------------------------------------------------ */

/* The user's own result of before: what the noise of a run makes is less. */
#define EARLIER_RATIO 0.75

static double earlier_applies(const struct verdict_facts *f, const struct verdict_test *t)
{
    (void)f;
    if (!has_figure(t) || !(t->earlier_iops > 0) || t->iops > EARLIER_RATIO * t->earlier_iops)
        return 0;
    return t->earlier_iops / t->iops;
}

static void earlier_say(struct finding *out, const struct verdict_facts *f,
                        const struct verdict_test *t)
{
    char now[UNITS_TEXT], earlier[UNITS_TEXT];

    (void)f;
    SAY(out->seen, "%s: %s IOPS; it was %s%s%s.", t->name, units_iops(now, t->iops),
        units_iops(earlier, t->earlier_iops), t->earlier_when[0] ? " on " : "", t->earlier_when);
    SAY(out->why, "Your own earlier result on this target is the best reference there is.");
    SAY(out->advice, "Compare what was set then: governor, pool, what else runs.");
}

/* ZFS looks for free space ever longer in a pool that fills up. */
#define FREE_FILES 24

static double pool_full_applies(const struct verdict_facts *f, const struct verdict_test *t)
{
    (void)t;
    return is_zfs(f) && f->size_bytes > 0 && f->free_bytes > 0 &&
           f->free_bytes / FREE_FILES < f->size_bytes;
}

static void pool_full_say(struct finding *out, const struct verdict_facts *f,
                          const struct verdict_test *t)
{
    char free_space[UNITS_TEXT], size[UNITS_TEXT];

    (void)t;
    SAY(out->seen, "The pool has %s free, less than %u files of %s.",
        units_size(free_space, f->free_bytes), FREE_FILES, units_size(size, f->size_bytes));
    SAY(out->why,
        "Where space is short ZFS writes into gaps, and what a test frees comes back only "
        "after some transaction groups: figures sink with each run.");
    SAY(out->advice, "A smaller --size, or free space.");
}

static double encryption_applies(const struct verdict_facts *f, const struct verdict_test *t)
{
    (void)t;
    return f->encrypted == FACT_YES;
}

static void encryption_say(struct finding *out, const struct verdict_facts *f,
                           const struct verdict_test *t)
{
    (void)t;
    SAY(out->seen, "The data is encrypted%s%s%s.", f->encryption[0] ? " (" : "", f->encryption,
        f->encryption[0] ? ")" : "");
    SAY(out->why, "Each block passes the CPU on its way, within the time that is not the "
                  "device's.");
    SAY(out->advice, "%s",
        is_zfs(f) ? "To see what it costs, measure a dataset without it."
                  : "cryptsetup benchmark says what the CPU can do.");
}

static double atime_applies(const struct verdict_facts *f, const struct verdict_test *t)
{
    return f->atime == FACT_YES && has_figure(t) && t->direction != DIRECTION_WRITE ? plainness(t)
                                                                                    : 0;
}

static void atime_say(struct finding *out, const struct verdict_facts *f,
                      const struct verdict_test *t)
{
    SAY(out->seen, "%s: access times are kept (%s).", t->name,
        is_zfs(f) ? "atime=on" : "neither relatime nor noatime");
    SAY(out->why, "Reads write metadata.");
    SAY(out->advice, "%s", is_zfs(f) ? "zfs set atime=off." : "Mount it with noatime or relatime.");
}

const struct rule verdict_rules[] = {
    {"in-memory", SEVERITY_MEANING, false, in_memory_applies, in_memory_say},
    {"sync-disabled", SEVERITY_MEANING, true, sync_disabled_applies, sync_disabled_say},
    {"compression", SEVERITY_MEANING, true, compression_applies, compression_say},
    {"fits-in-memory", SEVERITY_MEANING, true, fits_memory_applies, fits_memory_say},
    {"slog-bypassed", SEVERITY_MEANING, true, slog_bypassed_applies, slog_bypassed_say},
    {"network", SEVERITY_MEANING, false, network_applies, network_say},
    {"sync-always", SEVERITY_MEANING, true, sync_always_applies, sync_always_say},
    {"slow-leg", SEVERITY_LIMIT, true, slow_leg_applies, slow_leg_say},
    {"software-sleepy", SEVERITY_LIMIT, true, software_sleepy_applies, software_sleepy_say},
    {"falls", SEVERITY_LIMIT, true, falls_applies, falls_say},
    {"flush-bound", SEVERITY_LIMIT, true, flush_applies, flush_say},
    {"device-bound", SEVERITY_LIMIT, true, device_applies, device_say},
    {"software-bound", SEVERITY_LIMIT, true, software_applies, software_say},
    {"mixed", SEVERITY_LIMIT, true, mixed_applies, mixed_say},
    {"governor", SEVERITY_LIMIT, true, governor_applies, governor_say},
    {"deep-idle", SEVERITY_LIMIT, true, deep_idle_applies, deep_idle_say},
    {"no-log", SEVERITY_LIMIT, true, no_log_applies, no_log_say},
    {"recordsize", SEVERITY_LIMIT, true, record_applies, record_say},
    {"scaling", SEVERITY_LIMIT, true, scaling_applies, scaling_say},
    {"zfs-depth", SEVERITY_HINT, true, zfs_depth_applies, zfs_depth_say},
    {"earlier", SEVERITY_HINT, true, earlier_applies, earlier_say},
    {"pool-full", SEVERITY_HINT, false, pool_full_applies, pool_full_say},
    {"encryption", SEVERITY_HINT, false, encryption_applies, encryption_say},
    {"atime", SEVERITY_HINT, true, atime_applies, atime_say},
};
const size_t verdict_n_rules = sizeof(verdict_rules) / sizeof(verdict_rules[0]);

_Static_assert(sizeof(verdict_rules) / sizeof(verdict_rules[0]) <= VERDICT_FINDINGS,
               "one finding per rule must fit");
