/* SPDX-License-Identifier: GPL-3.0-or-later */
/* profiles, their invariants, and the words for engines */
#include <string.h>

#include "sthd/profile.h"
#include "tap.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define RW       (1u << DIRECTION_READ | 1u << DIRECTION_WRITE)
#define W        (1u << DIRECTION_WRITE)
#define T(text, how, block, q, t, dirs, s, fsync, e, mode)                                  \
    {                                                                                       \
        .name = text, .pattern = how, .block_bytes = block, .queue_depth = q, .threads = t, \
        .directions = dirs, .sync = s, .end_fsync = fsync, .engine = e, .io = mode          \
    }

/* A sound test, but for what follows. */
#define BASE_OF(dirs, how)                                                            \
    .name = "A", .pattern = how, .block_bytes = 4096, .queue_depth = 1, .threads = 1, \
    .directions = dirs
#define BASE(dirs) BASE_OF(dirs, PATTERN_RND)

static void test_built_in(void)
{
    static const struct {
        const char *profile;
        size_t n;
        struct test tests[4];
    } rows[] = {
        {"cdm",
         4,
         {T("SEQ1M Q8T1", PATTERN_SEQ, 1 << 20, 8, 1, RW, false, true, ENGINE_AUTO, IO_AUTO),
          T("SEQ1M Q1T1", PATTERN_SEQ, 1 << 20, 1, 1, RW, false, true, ENGINE_AUTO, IO_AUTO),
          T("RND4K Q32T16", PATTERN_RND, 4096, 32, 16, RW, false, true, ENGINE_AUTO, IO_AUTO),
          T("RND4K Q1T1", PATTERN_RND, 4096, 1, 1, RW, false, true, ENGINE_AUTO, IO_AUTO)}},
        {"slog",
         4,
         {T("T1", PATTERN_RND, 4096, 1, 1, W, true, false, ENGINE_PSYNC, IO_BUFFERED),
          T("T4", PATTERN_RND, 4096, 1, 4, W, true, false, ENGINE_PSYNC, IO_BUFFERED),
          T("T8", PATTERN_RND, 4096, 1, 8, W, true, false, ENGINE_PSYNC, IO_BUFFERED),
          T("T16", PATTERN_RND, 4096, 1, 16, W, true, false, ENGINE_PSYNC, IO_BUFFERED)}},
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct profile *p = profile_find(rows[i].profile);
        if (!tap_ok(p != NULL, "%s is found", rows[i].profile) || !p)
            continue;
        tap_int((long long)p->n_tests, (long long)rows[i].n, "%s: tests", p->name);
        for (size_t j = 0; j < rows[i].n; j++) {
            const struct test *is = &p->tests[j], *want = &rows[i].tests[j];
            tap_str(is->name, want->name, "%s row %zu: name", p->name, j);
            tap_ok(is->pattern == want->pattern && is->block_bytes == want->block_bytes &&
                       is->queue_depth == want->queue_depth && is->threads == want->threads &&
                       is->directions == want->directions && is->sync == want->sync &&
                       is->end_fsync == want->end_fsync && is->engine == want->engine &&
                       is->io == want->io,
                   "%s %s: as specified", p->name, is->name);
        }
    }
    tap_ok(strstr(profile_find("cdm")->title, "CrystalDiskMark 7's default"),
           "cdm says what it is");
    tap_ok(!profile_find("CDM") && !profile_find("") && !profile_at(profile_count()),
           "what is not there is NULL");
    for (size_t i = 0; i < profile_count(); i++) {
        struct err e;
        err_clear(&e);
        tap_int(profile_check(profile_at(i), &e), 0, "%s is sound: %s", profile_at(i)->name,
                e.text);
        tap_ok(strlen(profile_at(i)->note) < sizeof(profile_at(i)->note) - 1 &&
                   profile_at(i)->note[strlen(profile_at(i)->note) - 1] == '.',
               "%s: its note is a whole sentence", profile_at(i)->name);
    }
}

static void test_check(void)
{
    static const struct {
        const char *what;
        struct test t;
        const char *says; /* NULL: sound */
    } rows[] = {
        {"sound", T("A", PATTERN_RND, 4096, 1, 1, RW, false, false, 0, 0), NULL},
        {"mix", T("A", PATTERN_RND, 4096, 1, 1, 4, false, true, 0, 0), NULL},
        {"no name", T("", PATTERN_RND, 4096, 1, 1, RW, false, false, 0, 0), "name"},
        {"newline in name", T("A\nB", PATTERN_RND, 4096, 1, 1, RW, false, false, 0, 0), "ASCII"},
        {"block 0", T("A", PATTERN_RND, 0, 1, 1, RW, false, false, 0, 0), "block size"},
        {"block odd", T("A", PATTERN_RND, 1000, 1, 1, RW, false, false, 0, 0), "block size"},
        {"block huge", T("A", PATTERN_RND, 1ull << 40, 1, 1, RW, false, false, 0, 0), "block size"},
        {"depth 0", T("A", PATTERN_RND, 4096, 0, 1, RW, false, false, 0, 0), "queue depth"},
        {"no threads", T("A", PATTERN_RND, 4096, 1, 0, RW, false, false, 0, 0), "threads"},
        {"no direction", T("A", PATTERN_RND, 4096, 1, 1, 0, false, false, 0, 0), "direction"},
        {"unknown direction", T("A", PATTERN_RND, 4096, 1, 1, 8, false, false, 0, 0), "direction"},
        {"sync read", T("A", PATTERN_RND, 4096, 1, 1, RW, true, false, 0, 0), "only write"},
        {"fsync of reads", T("A", PATTERN_RND, 4096, 1, 1, 1, false, true, 0, 0), "fsync"},
        {"a share without a mix", {BASE(RW), .mix_percent = 70}, "mix"},
        {"a share of 100", {BASE(4), .mix_percent = 100}, "1 to 99"},
        {"a share", {BASE(4), .mix_percent = 70}, NULL},
        {"fsync every read", {BASE(1), .fsync_every = 1}, "fsync"},
        {"fsync every write", {BASE(W), .fsync_every = 1}, NULL},
        {"too fast", {BASE(W), .rate_iops = PROFILE_RATE_MAX + 1}, "rate"},
        {"odd offset", {BASE(W), .offset_bytes = 100}, "512"},
        {"offset", {BASE(W), .offset_bytes = 512, .region_bytes = 8192}, NULL},
        {"region under a block", {BASE(W), .region_bytes = 512}, "one block"},
        {"far away", {BASE(W), .offset_bytes = PROFILE_EXTENT_MAX * 2}, "1 EiB"},
        {"amount", {BASE(W), .io_bytes = 1 << 20}, NULL},
        {"amount and whole file", {BASE(W), .io_bytes = 1 << 20, .whole_file = true}, "beside"},
        {"whole file with fio", {BASE(W), .whole_file = true}, NULL},
        {"cached, past the cache", {BASE(1), .cached = true, .io = IO_DIRECT}, "buffered"},
        {"cached writes", {BASE(W), .cached = true, .io = IO_BUFFERED}, "only read"},
        {"cached with fio", {BASE(1), .cached = true, .io = IO_BUFFERED}, NULL},
        {"beyond the end", {BASE(1), .offset_permille = 1000}, "per mille"},
        {"twice a region", {BASE(1), .region_permille = 1, .region_bytes = 512}, "same thing"},
        {"an odd skip", {BASE(1), .skip_bytes = 100}, "multiples of 512"},
        {"back by nothing", {BASE(1), .skip_back = true}, "skip"},
        {"a random stride", {BASE(1), .stride_permille = 500}, "sequential pattern"},
        {"a stride to the end",
         {BASE(1), .stride_permille = 500, .whole_file = true},
         "whole file"},
        {"files of data", {BASE(W), .files = 3}, "work is data"},
        {"create", {BASE(W), .work = WORK_CREATE, .files = 100}, NULL},
        {"create nothing", {BASE(W), .work = WORK_CREATE}, "1000000 files"},
        {"create reads", {BASE(RW), .work = WORK_CREATE, .files = 1}, "stat is a read"},
        {"stat writes", {BASE(W), .work = WORK_STAT, .files = 1}, "stat is a read"},
        {"stat direct", {BASE(1), .work = WORK_STAT, .files = 1, .io = IO_DIRECT}, "is on files"},
        {"unknown work", {BASE(W), .work = WORK_COUNT, .files = 1}, "unknown work"},
        {"dd at a rate", {BASE_OF(1, PATTERN_SEQ), .tool = TOOL_DD, .rate_iops = 1}, "dd"},
        {"depth with psync", T("A", PATTERN_RND, 4096, 8, 1, RW, false, false, ENGINE_PSYNC, 0),
         "one request"},
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        struct profile p = {.name = "x", .title = "X", .loops = 1, .n_tests = 1};
        struct err e;
        err_clear(&e);
        p.tests[0] = rows[i].t;
        int rc = profile_check(&p, &e);
        if (rows[i].says)
            tap_ok(rc < 0 && strstr(e.text, rows[i].says) && e.exit_code == EXIT_CODE_CONFIG,
                   "%s: %s", rows[i].what, e.text);
        else
            tap_int(rc, 0, "%s: %s", rows[i].what, e.text);
    }
    struct profile twins = *profile_at(0);
    struct err e;
    strcpy(twins.tests[3].name, twins.tests[1].name);
    tap_ok(profile_check(&twins, &e) < 0 && strstr(e.text, "SEQ1M Q1T1"), "twins: %s", e.text);
    twins.n_tests = 0;
    tap_ok(profile_check(&twins, &e) < 0, "no tests: %s", e.text);
    twins.n_tests = PROFILE_TESTS + 1;
    tap_ok(profile_check(&twins, &e) < 0, "too many tests: %s", e.text);
}

/* What only writes may go without a preparation. */
static void test_unprepared(void)
{
    static const struct {
        const char *what;
        struct test t;
        bool sound;
    } rows[] = {
        {"writes", {BASE(W), .whole_file = true}, true},
        {"reads", {BASE(1)}, false},
        {"both", {BASE(RW)}, false},
        {"mix", {BASE(4)}, false},
        {"files", {BASE(1), .work = WORK_STAT, .files = 1}, true},
        {"dd", {BASE_OF(W, PATTERN_SEQ), .tool = TOOL_DD}, false},
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        struct profile p = {.name = "x", .title = "X", .loops = 1, .n_tests = 1};
        struct err e;
        err_clear(&e);
        p.tests[0] = rows[i].t;
        tap_int(profile_check(&p, &e), 0, "%s, prepared: sound %s", rows[i].what, e.text);
        p.unprepared = true;
        tap_ok((profile_check(&p, &e) == 0) == rows[i].sound, "%s, unprepared: %s", rows[i].what,
               e.text);
    }
}

static void test_words(void)
{
    static const struct {
        const char *word;
        int engine; /* -1: refused */
    } rows[] = {
        {"auto", ENGINE_AUTO},
        {"io_uring", ENGINE_IO_URING},
        {"IO_URING", ENGINE_IO_URING},
        {"psync", ENGINE_PSYNC},
        {"libaio", ENGINE_LIBAIO},
        {"posixaio", ENGINE_POSIXAIO},
        {"sync", ENGINE_SYNC},
        {"", -1},
        {"psyncc", -1},
        {"psyn", -1},
        {"\033[2J", -1},
        {"io_uring ", -1},
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        enum engine e = ENGINE_COUNT;
        struct err err;
        err_clear(&err);
        int rc = engine_parse(rows[i].word, &e, &err);
        if (rows[i].engine >= 0)
            tap_ok(rc == 0 && (int)e == rows[i].engine, "engine row %zu", i);
        else
            tap_ok(rc < 0 && err.exit_code == EXIT_CODE_USAGE && strstr(err.text, "libaio") &&
                       !strchr(err.text, '\033'),
                   "engine row %zu is refused, with the choices", i);
    }
    for (int i = 0; i < ENGINE_COUNT; i++) {
        enum engine e;
        tap_ok(engine_parse(engine_name((enum engine)i), &e, NULL) == 0 && (int)e == i,
               "%s reads back", engine_name((enum engine)i));
        tap_int(engine_is_async((enum engine)i), i < ENGINE_SYNC, "%s: depth means something",
                engine_name((enum engine)i));
    }
    tap_str(io_mode_name(IO_BUFFERED), "buffered", "I/O mode");
    tap_str(direction_name(DIRECTION_MIX), "mix", "direction");
}

int main(void)
{
    test_built_in();
    test_check();
    test_unprepared();
    test_words();
    return tap_done();
}
