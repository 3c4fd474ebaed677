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
#define WRITE_ONLY (1u << DIRECTION_WRITE)
#define KIB        ((uint64_t)1 << 10)
#define MIB        ((uint64_t)1 << 20)

#define CDM_TEST(text, how, block, q, t)                                                    \
    {                                                                                       \
        .name = text, .pattern = how, .block_bytes = block, .queue_depth = q, .threads = t, \
        .directions = READ_WRITE, .end_fsync = true, .engine = ENGINE_AUTO, .io = IO_AUTO   \
    }

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

static const struct profile profiles[] = {
    {
        .name = "cdm",
        .title = "CDM: CrystalDiskMark 7's default",
        .note = "Rows as in CrystalDiskMark 7's default (8 and 9 have RND4K Q32T1 in row 3). "
                "CrystalDiskMark shows the best of several runs and does not fsync; this is one "
                "run.",
        .view = VIEW_CDM,
        .n_tests = 4,
        .tests =
            {
                CDM_TEST("SEQ1M Q8T1", PATTERN_SEQ, MIB, 8, 1),
                CDM_TEST("SEQ1M Q1T1", PATTERN_SEQ, MIB, 1, 1),
                CDM_TEST("RND4K Q32T16", PATTERN_RND, 4 * KIB, 32, 16),
                CDM_TEST("RND4K Q1T1", PATTERN_RND, 4 * KIB, 1, 1),
            },
    },
    {
        .name = "slog",
        .title = "SLOG: 4K sync writes, T1 to T16",
        .note = "Commit latency: each 4 KiB write is O_SYNC and returns when it is on stable "
                "storage, as databases, NFS and VM disks ask for it.",
        .view = VIEW_SLOG,
        .n_tests = 4,
        .tests =
            {
                SLOG_TEST("T1", 1),
                SLOG_TEST("T4", 4),
                SLOG_TEST("T8", 8),
                SLOG_TEST("T16", 16),
            },
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
    if (t->end_fsync && t->directions == 1u << DIRECTION_READ)
        return "only reads, and so has nothing to fsync at its end";
    if ((unsigned)t->engine >= ENGINE_COUNT || (unsigned)t->io >= IO_MODE_COUNT)
        return "prescribes an unknown engine or I/O mode";
    if (t->queue_depth > 1 && !engine_is_async(t->engine))
        return "prescribes an engine that keeps one request in flight, and a queue depth over 1";
    return NULL;
}

int profile_check(const struct profile *p, struct err *e)
{
    if (p->name[0] == '\0' || !memchr(p->name, '\0', sizeof(p->name)) || p->title[0] == '\0')
        return err_set(e, EXIT_CODE_CONFIG, 0, "a profile needs a name and a title");
    if (p->n_tests < 1 || p->n_tests > PROFILE_TESTS)
        return err_set(e, EXIT_CODE_CONFIG, 0, "profile %s: needs 1 to %d tests, not %zu", p->name,
                       PROFILE_TESTS, p->n_tests);
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
    return 0;
}

const char *direction_name(enum direction d)
{
    return direction_names[d];
}

const char *engine_name(enum engine e)
{
    return engines[e].name;
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
    struct buf word = BUF_INIT;
    text_printable(&word, s, strlen(s), false);
    int rc = err_set(e, EXIT_CODE_USAGE, 0, "unknown engine \"%.60s\": choose one of %s",
                     word.data ? word.data : "", names);
    buf_done(&word);
    return rc;
}

bool engine_is_async(enum engine e)
{
    return engines[e].async;
}

const char *io_mode_name(enum io_mode m)
{
    return io_mode_names[m];
}
