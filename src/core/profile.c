/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The profiles as data, and the words for engines and I/O modes. Everything a profile needs stands
 * in its table: nothing here or elsewhere may ask for a profile by name to decide what to do.
 */
#include "sthd/profile.h"

#include <stdio.h>
#include <string.h>

#include "sthd/text.h"

#define READ_WRITE (1u << DIRECTION_READ | 1u << DIRECTION_WRITE)
#define READ_ONLY  (1u << DIRECTION_READ)
#define WRITE_ONLY (1u << DIRECTION_WRITE)
#define MIX_ONLY   (1u << DIRECTION_MIX)
#define KIB        ((uint64_t)1 << 10)
#define MIB        ((uint64_t)1 << 20)
#define GIB        ((uint64_t)1 << 30)

/*
 * A row of CrystalDiskMark. The original script's have an fsync at the end of the writes, which fio
 * counts in; CrystalDiskMark itself has none.
 */
#define CDM_ROW(text, how, block, q, t, fsync)                                              \
    {                                                                                       \
        .name = text, .pattern = how, .block_bytes = block, .queue_depth = q, .threads = t, \
        .directions = READ_WRITE, .end_fsync = fsync, .engine = ENGINE_AUTO, .io = IO_AUTO  \
    }
#define SEQ1M_Q8T1(fsync)   CDM_ROW("SEQ1M Q8T1", PATTERN_SEQ, MIB, 8, 1, fsync)
#define SEQ1M_Q1T1(fsync)   CDM_ROW("SEQ1M Q1T1", PATTERN_SEQ, MIB, 1, 1, fsync)
#define SEQ128K_Q32T1       CDM_ROW("SEQ128K Q32T1", PATTERN_SEQ, 128 * KIB, 32, 1, false)
#define RND4K_Q32T16(fsync) CDM_ROW("RND4K Q32T16", PATTERN_RND, 4 * KIB, 32, 16, fsync)
#define RND4K_Q32T1         CDM_ROW("RND4K Q32T1", PATTERN_RND, 4 * KIB, 32, 1, false)
#define RND4K_Q1T1(fsync)   CDM_ROW("RND4K Q1T1", PATTERN_RND, 4 * KIB, 1, 1, fsync)

/* What CrystalDiskMark 9 does by default around its rows. */
#define CDM_MANNERS(measure, interval)                                                           \
    .view = VIEW_CDM, .by_direction = true, .warmup = true, .loops = 3, .combine = COMBINE_BEST, \
    .runtime_s = measure, .pause_s = interval

/*
 * psync and not an asynchronous engine: there the wait for a commit hides in the submission, and
 * the completion latency says microseconds. Buffered, because OpenZFS >= 2.3 logs direct writes
 * indirectly, past the log device that is to be measured; O_SYNC makes each write wait anyway.
 */
#define SLOG_TEST(text, t)                                                              \
    {                                                                                   \
        .name = text, .pattern = PATTERN_RND, .block_bytes = 4 * KIB, .queue_depth = 1, \
        .threads = t, .directions = WRITE_ONLY, .sync = true, .engine = ENGINE_PSYNC,   \
        .io = IO_BUFFERED                                                               \
    }

/* dd copies one block at a time, from the beginning of the file to its end. */
#define DD_WORK(text, block)                                                                       \
    .name = text, .tool = TOOL_DD, .pattern = PATTERN_SEQ, .block_bytes = block, .queue_depth = 1, \
    .threads = 1, .engine = ENGINE_AUTO
#define DD_BLOCK(text, block)                                         \
    {                                                                 \
        DD_WORK(text, block), .directions = READ_WRITE, .io = IO_AUTO \
    }
/* Buffered, as the classic command is: dsync alone makes each write wait for the device. */
#define DD_SYNC(text, block, whole)                                                      \
    {                                                                                    \
        DD_WORK(text, block), .directions = WRITE_ONLY, .io = IO_BUFFERED, .sync = true, \
                              .whole_file = whole                                        \
    }

#define RW_ROW(text, how, block, q, t)                                                      \
    {                                                                                       \
        .name = text, .pattern = how, .block_bytes = block, .queue_depth = q, .threads = t, \
        .directions = READ_WRITE                                                            \
    }
/* One stream, and one request at a time: what the medium does, and not how much at once. */
#define ZONE_READ(text)                                                                         \
    .name = (text), .pattern = PATTERN_SEQ, .block_bytes = MIB, .queue_depth = 1, .threads = 1, \
    .directions = READ_ONLY, .engine = ENGINE_PSYNC
#define SEEK_READ(text)                                                               \
    .name = (text), .pattern = PATTERN_SEQ, .block_bytes = 4 * KIB, .queue_depth = 1, \
    .threads = 1, .directions = READ_ONLY, .engine = ENGINE_PSYNC, .io = IO_DIRECT
#define PLACE_ROW(text, block, offset)                                                            \
    {                                                                                             \
        .name = (text), .pattern = PATTERN_RND, .block_bytes = (block), .offset_bytes = (offset), \
        .queue_depth = 1, .threads = 1, .directions = READ_WRITE, .engine = ENGINE_PSYNC,         \
        .io = IO_DIRECT                                                                           \
    }
#define BONNIE_DATA(order, way, jobs)                                                \
    .pattern = (order), .block_bytes = 8 * KIB, .queue_depth = 1, .threads = (jobs), \
    .directions = (way), .engine = ENGINE_PSYNC, .io = IO_BUFFERED
#define BONNIE_FILES(what, way)                                                               \
    .pattern = PATTERN_SEQ, .block_bytes = PROFILE_BLOCK_MIN, .queue_depth = 1, .threads = 1, \
    .directions = (way), .work = (what), .files = 16384
#define BLOCK_ROW(text, block) RW_ROW(text, PATTERN_SEQ, block, 1, 1)

static const struct profile profiles[] = {
    {
        .name = "cdm",
        .title = "CDM: CrystalDiskMark 7's default",
        .note = "Rows as in CrystalDiskMark 7's default (8 and 9 have RND4K Q32T1 in row 3). "
                "CrystalDiskMark shows the best of several runs and does not fsync.",
        .view = VIEW_CDM,
        .loops = 1,
        .n_tests = 4,
        .tests = {SEQ1M_Q8T1(true), SEQ1M_Q1T1(true), RND4K_Q32T16(true), RND4K_Q1T1(true)},
    },
    {
        .name = "slog",
        .title = "SLOG: 4K sync writes, T1 to T16",
        .note = "Commit latency: each 4 KiB write is O_SYNC and returns when it is on stable "
                "storage, as databases, NFS and VM disks ask for it.",
        .view = VIEW_SLOG,
        .loops = 1,
        .n_tests = 4,
        .tests = {SLOG_TEST("T1", 1), SLOG_TEST("T4", 4), SLOG_TEST("T8", 8), SLOG_TEST("T16", 16)},
    },
    {
        .name = "watch",
        .title = "Watch: one test until stopped, live",
        .note = "Figures of the last interval, over time: turn a knob and see what it does. "
                "Commits (4K sync writes) of one thread, unless another test is chosen.",
        .view = VIEW_WATCH,
        .endless = true,
        .loops = 1,
        .n_tests = 1,
        .tests = {SLOG_TEST("SYNC4K T1", 1)},
    },
    {
        .name = "cdm8",
        .title = "CDM 8/9: CrystalDiskMark's default today",
        .note = "Comparable with CrystalDiskMark 8 and 9, profile Default, as far as another "
                "system's disk tester can be (8 runs 5 times, 9 runs 3 times).",
        CDM_MANNERS(5, 5),
        .n_tests = 4,
        .tests = {SEQ1M_Q8T1(false), SEQ1M_Q1T1(false), RND4K_Q32T1, RND4K_Q1T1(false)},
    },
    {
        .name = "cdm-nvme",
        .title = "CDM NVMe: CrystalDiskMark's set for NVMe SSDs",
        .note = "Comparable with CrystalDiskMark 8 and 9 after \"NVMe SSD\" was chosen in their "
                "settings; with no other of their results.",
        CDM_MANNERS(5, 5),
        .n_tests = 4,
        .tests = {SEQ1M_Q8T1(false), SEQ128K_Q32T1, RND4K_Q32T16(false), RND4K_Q1T1(false)},
    },
    {
        .name = "cdm-flash",
        .title = "CDM flash: for cards and sticks",
        .note = "Comparable with CrystalDiskMark 8 and 9 after \"Flash Memory\" was chosen: its "
                "default rows, measured for 1 s, with 30 s in between for the device to recover.",
        CDM_MANNERS(1, 30),
        .n_tests = 4,
        .tests = {SEQ1M_Q8T1(false), SEQ1M_Q1T1(false), RND4K_Q32T1, RND4K_Q1T1(false)},
    },
    {
        .name = "cdm-peak",
        .title = "CDM peak: the most it can do",
        .note = "Comparable with CrystalDiskMark 8 and 9, profile Peak Performance (it shows the "
                "second row three times: as MB/s, IOPS and mean latency).",
        CDM_MANNERS(5, 5),
        .n_tests = 2,
        .tests = {SEQ1M_Q8T1(false), RND4K_Q32T1},
    },
    {
        .name = "cdm-real",
        .title = "CDM real world: one request at a time",
        .note = "Comparable with CrystalDiskMark 8 and 9, profile Real World Performance (it shows "
                "the second row three times: as MB/s, IOPS and mean latency).",
        CDM_MANNERS(5, 5),
        .n_tests = 2,
        .tests = {SEQ1M_Q1T1(false), RND4K_Q1T1(false)},
    },
    {
        .name = "cdm-demo",
        .title = "CDM demo: one row, large blocks",
        .note = "Comparable with CrystalDiskMark 8 and 9, profile Demo.",
        CDM_MANNERS(5, 5),
        .n_tests = 1,
        .tests = {SEQ1M_Q8T1(false)},
    },
    {
        .name = "howto",
        .title = "fio HOWTO: large streams, 32 jobs of 4K",
        .note = "The four tests that guides to fio give: 1M sequential at Q32 with an fsync every "
                "10000 writes, 4K random by 32 jobs, and their mix with an fsync after each write.",
        .view = VIEW_CDM,
        .loops = 1,
        .n_tests = 3,
        .tests = {{.name = "SEQ1M Q32T1",
                   .pattern = PATTERN_SEQ,
                   .block_bytes = MIB,
                   .queue_depth = 32,
                   .threads = 1,
                   .directions = READ_WRITE,
                   .fsync_every = 10000},
                  {.name = "RND4K Q1T32",
                   .pattern = PATTERN_RND,
                   .block_bytes = 4 * KIB,
                   .queue_depth = 1,
                   .threads = 32,
                   .directions = READ_ONLY},
                  {.name = "RND4K fsync T32",
                   .pattern = PATTERN_RND,
                   .block_bytes = 4 * KIB,
                   .queue_depth = 1,
                   .threads = 32,
                   .directions = MIX_ONLY,
                   .mix_percent = 70,
                   .fsync_every = 1}},
    },
    {
        .name = "mixed",
        .title = "Mixed: how it copes with a server's load",
        .note = "Random 4K, 70 of 100 are reads, 4 jobs at depth 32: what reads take while others "
                "write, and the other way round.",
        .view = VIEW_MIX,
        .loops = 1,
        .runtime_s = 20,
        .n_tests = 1,
        .tests = {{.name = "RND4K 70/30 Q32T4",
                   .pattern = PATTERN_RND,
                   .block_bytes = 4 * KIB,
                   .queue_depth = 32,
                   .threads = 4,
                   .directions = MIX_ONLY,
                   .mix_percent = 70}},
    },
    {
        .name = "blocks",
        .title = "Blocks: which block size is fast, 4K to 4M",
        .note = "One stream, one block at a time: small blocks show the cost of a request, large "
                "ones that of a byte.",
        .view = VIEW_CURVE,
        .loops = 1,
        .runtime_s = 2,
        .n_tests = 11,
        .tests = {BLOCK_ROW("SEQ4K", 4 * KIB), BLOCK_ROW("SEQ8K", 8 * KIB),
                  BLOCK_ROW("SEQ16K", 16 * KIB), BLOCK_ROW("SEQ32K", 32 * KIB),
                  BLOCK_ROW("SEQ64K", 64 * KIB), BLOCK_ROW("SEQ128K", 128 * KIB),
                  BLOCK_ROW("SEQ256K", 256 * KIB), BLOCK_ROW("SEQ512K", 512 * KIB),
                  BLOCK_ROW("SEQ1M", MIB), BLOCK_ROW("SEQ2M", 2 * MIB),
                  BLOCK_ROW("SEQ4M", 4 * MIB)},
    },
    {
        .name = "sustained",
        .title = "Sustained: what is left when caches are full",
        .note = "One pass of writes over a new file: where the throughput falls for good, a cache "
                "is full or the device is hot. A larger --size shows more, and wears more.",
        .view = VIEW_COURSE,
        .loops = 1,
        .size_bytes = 32 * GIB,
        .wears = true,
        .unprepared = true,
        .n_tests = 1,
        .tests = {{.name = "SEQ1M Q8T1",
                   .pattern = PATTERN_SEQ,
                   .block_bytes = MIB,
                   .queue_depth = 8,
                   .threads = 1,
                   .directions = WRITE_ONLY,
                   .whole_file = true}},
    },
    {
        .name = "latency",
        .title = "Latency: one request after another, as ioping",
        .note = "Four requests of 4 KiB a second, one at a time; slow and fast are more than three "
                "spreads from the mean of those before.",
        .view = VIEW_PINGS,
        .loops = 1,
        .runtime_s = 10,
        .interval_ms = 100, /* so that seldom two requests are in one */
        .n_tests = 1,
        .tests = {{.name = "PING4K",
                   .pattern = PATTERN_RND,
                   .block_bytes = 4 * KIB,
                   .queue_depth = 1,
                   .threads = 1,
                   .directions = READ_WRITE,
                   .engine = ENGINE_PSYNC,
                   .rate_iops = 4}},
    },
    {
        .name = "align",
        .title = "Align: which block size the device has inside",
        .note = "Random direct I/O, one request at a time, by block size and start offset: what is "
                "not aligned to the device's own blocks costs it more, unless a cache hides that.",
        .view = VIEW_ALIGN,
        .loops = 1,
        .runtime_s = 1,
        .by_direction = true,
        .n_tests = 20,
        .tests = {PLACE_ROW("1K+0", 1 * KIB, 0),        PLACE_ROW("1K+512", 1 * KIB, 512),
                  PLACE_ROW("1K+1K", 1 * KIB, 1 * KIB), PLACE_ROW("1K+2K", 1 * KIB, 2 * KIB),
                  PLACE_ROW("1K+4K", 1 * KIB, 4 * KIB), PLACE_ROW("2K+0", 2 * KIB, 0),
                  PLACE_ROW("2K+512", 2 * KIB, 512),    PLACE_ROW("2K+1K", 2 * KIB, 1 * KIB),
                  PLACE_ROW("2K+2K", 2 * KIB, 2 * KIB), PLACE_ROW("2K+4K", 2 * KIB, 4 * KIB),
                  PLACE_ROW("4K+0", 4 * KIB, 0),        PLACE_ROW("4K+512", 4 * KIB, 512),
                  PLACE_ROW("4K+1K", 4 * KIB, 1 * KIB), PLACE_ROW("4K+2K", 4 * KIB, 2 * KIB),
                  PLACE_ROW("4K+4K", 4 * KIB, 4 * KIB), PLACE_ROW("8K+0", 8 * KIB, 0),
                  PLACE_ROW("8K+512", 8 * KIB, 512),    PLACE_ROW("8K+1K", 8 * KIB, 1 * KIB),
                  PLACE_ROW("8K+2K", 8 * KIB, 2 * KIB), PLACE_ROW("8K+4K", 8 * KIB, 4 * KIB)},
    },
    {
        .name = "files",
        .title = "Files: data and many small files, as bonnie++",
        .note = "Buffered, in blocks of 8 KiB, with the fsync at the end counted: with --size of "
                "twice the memory it is of the disk. Rewrite is what was both read and written.",
        .view = VIEW_FILES,
        .loops = 1,
        .n_tests = 7,
        .tests = {{.name = "Block write",
                   BONNIE_DATA(PATTERN_SEQ, WRITE_ONLY, 1),
                   .end_fsync = true,
                   .whole_file = true},
                  {.name = "Rewrite",
                   BONNIE_DATA(PATTERN_SEQ, MIX_ONLY, 1),
                   .mix_percent = 50,
                   .end_fsync = true},
                  {.name = "Block read",
                   BONNIE_DATA(PATTERN_SEQ, READ_ONLY, 1),
                   .whole_file = true},
                  {.name = "Seeks", BONNIE_DATA(PATTERN_RND, READ_ONLY, 3)},
                  {.name = "Create", BONNIE_FILES(WORK_CREATE, WRITE_ONLY)},
                  {.name = "Stat", BONNIE_FILES(WORK_STAT, READ_ONLY)},
                  {.name = "Delete", BONNIE_FILES(WORK_DELETE, WRITE_ONLY)}},
    },
    {
        .name = "surface",
        .title = "Surface: zones and seek times, as hdparm",
        .note = "Transfer rates from the cache, of all of it and of its zones, and the time of a "
                "read after seeks of several lengths. Also of a block device, which is only read.",
        .view = VIEW_TIMES,
        .loops = 1,
        .runtime_s = 2,
        .n_tests = 11,
        .tests = {{ZONE_READ("From the cache"), .io = IO_BUFFERED, .cached = true,
                   .region_bytes = 16 * MIB},
                  {ZONE_READ("All of it"), .io = IO_DIRECT},
                  {ZONE_READ("Outer zone"), .io = IO_DIRECT, .region_permille = 100},
                  {ZONE_READ("Middle zone"), .io = IO_DIRECT, .region_permille = 100,
                   .offset_permille = 450},
                  {ZONE_READ("Inner zone"), .io = IO_DIRECT, .region_permille = 100,
                   .offset_permille = 900},
                  {SEEK_READ("Full stroke"), .stride_permille = 1000},
                  {SEEK_READ("Half stroke"), .stride_permille = 500},
                  {SEEK_READ("Quarter stroke"), .stride_permille = 250},
                  {SEEK_READ("Short forward"), .skip_bytes = MIB},
                  {SEEK_READ("Short backward"), .skip_bytes = MIB, .skip_back = true},
                  {SEEK_READ("Next block")}},
    },
    {
        .name = "dd",
        .title = "dd: sequential, with and without cache",
        .note = "One stream of 1 MiB blocks through the whole file, one at a time: the lower end "
                "of what a device can do. Comparable with dd of the same size and flags.",
        .view = VIEW_CDM,
        .loops = 1,
        .n_tests = 2,
        .tests =
            {
                {DD_WORK("SEQ1M uncached", MIB), .directions = READ_WRITE, .io = IO_AUTO,
                 .end_fsync = true, .whole_file = true},
                {DD_WORK("SEQ1M cached", MIB), .directions = READ_ONLY, .io = IO_BUFFERED,
                 .cached = true, .whole_file = true},
            },
    },
    {
        .name = "dd-blocks",
        .title = "dd: which block size is fast",
        .note = "One stream, one block at a time: small blocks show the cost of a request, large "
                "ones that of a byte.",
        .view = VIEW_CDM,
        .loops = 1,
        .n_tests = 7,
        .tests = {DD_BLOCK("SEQ4K", 4 * KIB), DD_BLOCK("SEQ32K", 32 * KIB),
                  DD_BLOCK("SEQ64K", 64 * KIB), DD_BLOCK("SEQ128K", 128 * KIB),
                  DD_BLOCK("SEQ256K", 256 * KIB), DD_BLOCK("SEQ512K", 512 * KIB),
                  DD_BLOCK("SEQ1M", MIB)},
    },
    {
        .name = "dd-sync",
        .title = "dd: oflag=dsync, 512 B and 64 MiB",
        .note = "As the classic dd commands with oflag=dsync: 512 B blocks for the latency of a "
                "commit (1 / IOPS), 64 MiB blocks for the throughput of data that must be safe.",
        .view = VIEW_CDM,
        .loops = 1,
        .n_tests = 2,
        .tests = {DD_SYNC("512B dsync", 512, false), DD_SYNC("64M dsync", 64 * MIB, true)},
    },
};

static const char *const direction_names[DIRECTION_COUNT] = {
    [DIRECTION_READ] = "read", [DIRECTION_WRITE] = "write", [DIRECTION_MIX] = "mix"};

static const struct {
    const char *name;
    bool async;
} engines[ENGINE_COUNT] = {
    [ENGINE_AUTO] = {"auto", true},     [ENGINE_IO_URING] = {"io_uring", true},
    [ENGINE_LIBAIO] = {"libaio", true}, [ENGINE_POSIXAIO] = {"posixaio", true},
    [ENGINE_SYNC] = {"sync", false},    [ENGINE_PSYNC] = {"psync", false},
};

static const char *const io_mode_names[IO_MODE_COUNT] = {
    [IO_AUTO] = "auto", [IO_DIRECT] = "direct", [IO_BUFFERED] = "buffered"};

static const char *const pattern_names[] = {[PATTERN_SEQ] = "seq", [PATTERN_RND] = "rnd"};

static const char *const work_names[WORK_COUNT] = {
    [WORK_DATA] = "data", [WORK_CREATE] = "create", [WORK_STAT] = "stat", [WORK_DELETE] = "delete"};

static const char *const tool_names[] = {[TOOL_FIO] = "fio", [TOOL_DD] = "dd"};

static const char *const view_names[VIEW_COUNT] = {
    [VIEW_CDM] = "table",      [VIEW_SLOG] = "commits",  [VIEW_MIX] = "mix",
    [VIEW_CURVE] = "curve",    [VIEW_COURSE] = "course", [VIEW_TIMES] = "times",
    [VIEW_PINGS] = "requests", [VIEW_FILES] = "files",   [VIEW_ALIGN] = "alignment",
    [VIEW_WATCH] = "watch"};

static const char *const combine_names[COMBINE_COUNT] = {
    [COMBINE_BEST] = "best", [COMBINE_MEDIAN] = "median"};

size_t profile_count(void)
{
    return sizeof(profiles) / sizeof(profiles[0]);
}

const struct profile *profile_at(size_t i)
{
    return i < profile_count() ? &profiles[i] : NULL;
}

const struct profile *profile_find(const char *name)
{
    for (size_t i = 0; i < profile_count(); i++)
        if (strcmp(profiles[i].name, name) == 0)
            return &profiles[i];
    return NULL;
}

/* NULL if the test asks nothing of its tool that it cannot do. */
static const char *tool_fault(const struct test *t)
{
    if ((unsigned)t->tool >= TOOL_COUNT)
        return "is for an unknown tool";
    if (t->cached && (t->directions != READ_ONLY || t->io != IO_BUFFERED))
        return "is cached, and so can only read, buffered";
    if (t->tool != TOOL_DD)
        return NULL;
    if (t->fsync_every || t->rate_iops || t->offset_bytes || t->region_bytes || t->io_bytes ||
        t->work != WORK_DATA)
        return "is for dd, which goes through the whole file, as fast as it can";
    if (t->pattern != PATTERN_SEQ || t->queue_depth != 1 || t->threads != 1)
        return "is for dd, which goes through the file with one request at a time";
    if (t->directions & 1u << DIRECTION_MIX)
        return "is for dd, which cannot mix";
    if (t->engine != ENGINE_AUTO)
        return "is for dd, which has no engines";
    return NULL;
}

/* NULL if how far it goes, how fast and with what pauses can be. */
static const char *extent_fault(const struct test *t)
{
    if (t->mix_percent > 99 || (t->mix_percent && !(t->directions & 1u << DIRECTION_MIX)))
        return "needs a mix for its share of reads, which is 1 to 99";
    if (t->fsync_every > PROFILE_FSYNC_MAX || (t->fsync_every && t->directions == READ_ONLY))
        return "needs writes for its fsync, at most every 1000000000";
    if (t->rate_iops > PROFILE_RATE_MAX)
        return "needs a rate of at most 10000000 requests a second";
    if (t->offset_bytes % PROFILE_BLOCK_MIN || t->region_bytes % PROFILE_BLOCK_MIN ||
        t->io_bytes % PROFILE_BLOCK_MIN)
        return "needs offset, region and amount in multiples of 512 bytes";
    if (t->offset_bytes > PROFILE_EXTENT_MAX || t->region_bytes > PROFILE_EXTENT_MAX ||
        t->io_bytes > PROFILE_EXTENT_MAX)
        return "needs offset, region and amount of at most 1 EiB";
    if (t->offset_permille > 999 || t->region_permille > 1000 || t->stride_permille > 1000)
        return "needs shares of the file of 0 to 1000 per mille";
    if ((t->offset_permille && t->offset_bytes) || (t->region_permille && t->region_bytes) ||
        (t->stride_permille && t->skip_bytes))
        return "says the same thing in bytes and in shares of the file";
    if (t->skip_bytes % PROFILE_BLOCK_MIN || t->skip_bytes > PROFILE_EXTENT_MAX ||
        (t->skip_back && !t->skip_bytes))
        return "needs a skip in multiples of 512 bytes, at most 1 EiB";
    if ((t->skip_bytes || t->stride_permille) && (t->pattern != PATTERN_SEQ || t->whole_file))
        return "skips, and so needs the sequential pattern, and not the whole file";
    if (t->region_bytes && t->region_bytes < t->block_bytes)
        return "needs a region of at least one block";
    if (t->io_bytes && (t->whole_file || t->io_bytes < t->block_bytes))
        return "needs an amount of at least one block, and not the whole file beside it";
    return NULL;
}

/* NULL if what it does with many files can be done. */
static const char *work_fault(const struct test *t)
{
    if ((unsigned)t->work >= WORK_COUNT)
        return "does unknown work";
    if (t->work == WORK_DATA)
        return t->files ? "counts files, but its work is data" : NULL;
    if (t->files < 1 || t->files > PROFILE_FILES_MAX)
        return "needs 1 to 1000000 files";
    if (t->directions != (t->work == WORK_STAT ? READ_ONLY : WRITE_ONLY))
        return "is on files: stat is a read, create and delete are writes";
    if (t->engine != ENGINE_AUTO || t->io != IO_AUTO || t->queue_depth != 1 || t->sync ||
        t->end_fsync || t->fsync_every || t->offset_bytes || t->region_bytes || t->io_bytes ||
        t->whole_file || t->rate_iops)
        return "is on files, where nothing is said about engine, depth, place or fsync";
    return NULL;
}

bool test_is_bound(const struct test *t)
{
    return t->whole_file || t->io_bytes > 0 || t->work != WORK_DATA;
}

/* NULL if the test is sound, else what is wrong with it. */
static const char *test_fault(const struct test *t)
{
    if (t->name[0] == '\0' || !memchr(t->name, '\0', sizeof(t->name)))
        return "has no name, or one that is too long";
    for (const char *p = t->name; *p; p++)
        if (*p < ' ' || *p > '~') /* the name is also fio's job name: ASCII, nothing to escape */
            return "has a name with other than printable ASCII characters";
    if (t->block_bytes < PROFILE_BLOCK_MIN || t->block_bytes > PROFILE_BLOCK_MAX ||
        t->block_bytes % PROFILE_BLOCK_MIN != 0)
        return "needs a block size of 512 bytes to 64 MiB, a multiple of 512";
    if (t->queue_depth < 1 || t->queue_depth > PROFILE_DEPTH_MAX)
        return "needs a queue depth of 1 to 4096";
    if (t->threads < 1 || t->threads > PROFILE_THREADS_MAX)
        return "needs 1 to 256 threads";
    if (t->directions == 0 || t->directions >> DIRECTION_COUNT != 0)
        return "needs a direction: read, write or mix";
    if (t->sync && t->directions != WRITE_ONLY)
        return "is of synchronous writes, and so can only write";
    if (t->end_fsync && t->directions == READ_ONLY)
        return "only reads, and so has nothing to fsync at its end";
    if ((unsigned)t->engine >= ENGINE_COUNT || (unsigned)t->io >= IO_MODE_COUNT)
        return "prescribes an unknown engine or I/O mode";
    if (t->queue_depth > 1 && !engine_is_async(t->engine))
        return "prescribes an engine that keeps one request in flight, and a queue depth over 1";
    const char *fault = extent_fault(t);
    if (!fault)
        fault = work_fault(t);
    return fault ? fault : tool_fault(t);
}

/* NULL if its view can show its tests. */
static const char *view_fault(const struct profile *p)
{
    for (size_t i = 0; i < p->n_tests; i++)
        if (p->view == VIEW_MIX && p->tests[i].directions != MIX_ONLY)
            return "has a view of mixes, and so needs tests that only mix";
    return NULL;
}

/* NULL if a file that was not written can be what is measured: nothing is read of it. */
static const char *unprepared_fault(const struct profile *p)
{
    for (size_t i = 0; p->unprepared && i < p->n_tests; i++) {
        const struct test *t = &p->tests[i];
        if (t->work == WORK_DATA && (t->directions != WRITE_ONLY || t->tool != TOOL_FIO))
            return "is not prepared, so that all of its tests can only write, with fio";
    }
    return NULL;
}

/* Typed on command lines, and part of file names of results. */
static bool is_plain_name(const char *s)
{
    return *s && s[strspn(s, "abcdefghijklmnopqrstuvwxyz0123456789-")] == '\0' && *s != '-';
}

int profile_check(const struct profile *p, struct err *e)
{
    if (p->name[0] == '\0' || !memchr(p->name, '\0', sizeof(p->name)) || p->title[0] == '\0')
        return err_set(e, EXIT_CODE_CONFIG, 0, "a profile needs a name and a title");
    if (!is_plain_name(p->name))
        return err_set(e, EXIT_CODE_CONFIG, 0,
                       "a profile's name is of small letters, digits and hyphens");
    if ((unsigned)p->view >= VIEW_COUNT)
        return err_set(e, EXIT_CODE_CONFIG, 0, "profile %s: unknown view", p->name);
    if (p->n_tests < 1 || p->n_tests > PROFILE_TESTS)
        return err_set(e, EXIT_CODE_CONFIG, 0, "profile %s: needs 1 to %d tests, not %zu", p->name,
                       PROFILE_TESTS, p->n_tests);
    if (p->interval_ms &&
        (p->interval_ms < PROFILE_INTERVAL_MIN || p->interval_ms > PROFILE_INTERVAL_MAX))
        return err_set(e, EXIT_CODE_CONFIG, 0, "profile %s: an interval of 50 to 10000 ms",
                       p->name);
    if (p->runtime_s > PROFILE_RUNTIME_MAX || p->size_bytes > PROFILE_EXTENT_MAX)
        return err_set(e, EXIT_CODE_CONFIG, 0,
                       "profile %s: needs a runtime of at most %u s and a size of at most 1 EiB",
                       p->name, PROFILE_RUNTIME_MAX);
    if (p->endless && (p->n_tests != 1 || p->loops != 1 || p->warmup ||
                       (p->tests[0].directions & (p->tests[0].directions - 1)) != 0))
        return err_set(e, EXIT_CODE_CONFIG, 0,
                       "profile %s: is endless, and so can only have one test in one direction, "
                       "one loop and no warm-up",
                       p->name);
    if (p->loops < 1 || p->loops > PROFILE_LOOPS_MAX || (unsigned)p->combine >= COMBINE_COUNT ||
        p->pause_s > PROFILE_PAUSE_MAX)
        return err_set(e, EXIT_CODE_CONFIG, 0,
                       "profile %s: needs 1 to %u loops, pauses of at most %u s, and \"best\" or "
                       "\"median\" of the loops",
                       p->name, PROFILE_LOOPS_MAX, PROFILE_PAUSE_MAX);
    for (size_t i = 0; i < p->n_tests; i++) {
        const char *fault = test_fault(&p->tests[i]);
        if (fault)
            return err_set(e, EXIT_CODE_CONFIG, 0, "profile %s: test %zu %s", p->name, i + 1,
                           fault);
        for (size_t j = 0; j < i; j++)
            if (strcmp(p->tests[i].name, p->tests[j].name) == 0)
                return err_set(e, EXIT_CODE_CONFIG, 0, "profile %s: two tests are called %s",
                               p->name, p->tests[i].name);
    }
    const char *fault = unprepared_fault(p);
    if (!fault)
        fault = view_fault(p);
    return fault ? err_set(e, EXIT_CODE_CONFIG, 0, "profile %s %s", p->name, fault) : 0;
}

const char *direction_name(enum direction d)
{
    return direction_names[d];
}

const char *engine_name(enum engine e)
{
    return engines[e].name;
}

static int unknown_word(struct err *e, const char *what, const char *s, const char *choices)
{
    struct buf word = BUF_INIT;

    text_printable(&word, s, strlen(s), false);
    int rc = err_set(e, EXIT_CODE_USAGE, 0, "unknown %s \"%.60s\": choose one of %s", what,
                     word.data ? word.data : "", choices);
    buf_done(&word);
    return rc;
}

int engine_parse(const char *s, enum engine *out, struct err *e)
{
    char names[96] = "";

    for (size_t i = 0, n = 0; i < ENGINE_COUNT; i++) {
        if (text_ieq(s, engines[i].name)) {
            *out = (enum engine)i;
            return 0;
        }
        n += (size_t)snprintf(names + n, sizeof(names) - n, "%s%s", i ? ", " : "", engines[i].name);
    }
    return unknown_word(e, "engine", s, names);
}

const char *profile_view_name(enum profile_view v)
{
    return view_names[v];
}

const char *work_name(enum work w)
{
    return work_names[w];
}

const char *pattern_name(enum pattern p)
{
    return pattern_names[p];
}

const char *tool_name(enum tool t)
{
    return tool_names[t];
}

const char *combine_name(enum combine c)
{
    return combine_names[c];
}

int combine_parse(const char *s, enum combine *out, struct err *e)
{
    for (size_t i = 0; i < COMBINE_COUNT; i++)
        if (text_ieq(s, combine_names[i])) {
            *out = (enum combine)i;
            return 0;
        }
    return unknown_word(e, "way to combine loops", s, "best, median");
}

bool profile_is_dd(const struct profile *p)
{
    for (size_t i = 0; i < p->n_tests; i++)
        if (p->tests[i].tool != TOOL_DD)
            return false;
    return true;
}

bool engine_is_async(enum engine e)
{
    return engines[e].async;
}

const char *io_mode_name(enum io_mode m)
{
    return io_mode_names[m];
}
