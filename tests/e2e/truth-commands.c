/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The real fio takes our commands: all of both profiles by its option parser, and a few in runs of
 * a second on a nameless file, on a disk and in memory. And what the preparation leaves behind is
 * a file written whole, with data that does not compress.
 */
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sthd/fio_command.h"
#include "sthd/mem.h"
#include "tap.h"
#include "truth.h"

/* A descriptor that every fio inherits: of a step on files it looks at the directory at once. */
#define PLACE 90
#define SIZE  ((uint64_t)32 << 20)

/* All steps of a profile; all at once, for most of the time is fio's start. */
static void test_parse(const struct profile *profile)
{
    struct settings s;
    struct capability c;
    struct plan p;
    struct err e;

    settings_init(&s);
    settings_set_path(&s, "/");
    capability_init(&c);
    s.profile = profile;
    s.engine = ENGINE_LIBAIO;
    s.io = IO_BUFFERED;
    s.size_bytes = SIZE;
    if (!tap_ok(plan_build(&p, &s, &c, 1e9, &e) == 0, "%s: a plan", profile->name))
        return;
    struct truth_fio *fio = mem_zalloc(p.n_steps * sizeof(*fio));
    for (size_t i = 0; i < p.n_steps; i++) {
        struct strv argv;
        strv_init(&argv);
        fio_command_build(&argv, "fio", &p.steps[i], &p.settings, PLACE);
        strv_add(&argv, "--parse-only");
        truth_start(&fio[i], &argv, "/");
        strv_done(&argv);
    }
    for (size_t i = 0; i < p.n_steps; i++) {
        tap_ok(truth_finish(&fio[i], 60), "%s: fio takes the options of step %zu", profile->name,
               i);
        truth_done(&fio[i]);
    }
    free(fio);
    plan_done(&p);
    settings_done(&s);
}

static void on_report(void *arg, const struct report *r, int64_t arrival_ns)
{
    struct counters *c = arg;

    (void)arrival_ns;
    if (r->n_jobs == 1)
        counters_copy(c, r->jobs[0].write.ios ? &r->jobs[0].write : &r->jobs[0].read);
}

/* Runs at once, one of each kind, in one directory. */
static const struct step steps[] = {
    {.kind = STEP_PREPARE,
     .direction = DIRECTION_WRITE,
     .pattern = PATTERN_SEQ,
     .block_bytes = 1 << 20,
     .queue_depth = 8,
     .threads = 1,
     .engine = ENGINE_LIBAIO,
     .end_fsync = true,
     .size_bytes = SIZE},
    {.kind = STEP_MEASURE,
     .direction = DIRECTION_READ,
     .pattern = PATTERN_SEQ,
     .block_bytes = 1 << 18,
     .queue_depth = 8,
     .threads = 2,
     .engine = ENGINE_LIBAIO,
     .size_bytes = SIZE,
     .runtime_s = 1},
    {.kind = STEP_MEASURE,
     .direction = DIRECTION_WRITE,
     .pattern = PATTERN_RND,
     .block_bytes = 4096,
     .queue_depth = 1,
     .threads = 4,
     .engine = ENGINE_PSYNC,
     .sync = true,
     .size_bytes = SIZE,
     .runtime_s = 1},
};
#define N_STEPS (sizeof(steps) / sizeof(steps[0]))

/* Shannon's measure of the bytes, bits per byte: random data has 8, zeros have 0. */
static double entropy(const unsigned char *bytes, size_t n)
{
    size_t count[256] = {0};
    double bits = 0;

    for (size_t i = 0; i < n; i++)
        count[bytes[i]]++;
    for (size_t v = 0; v < 256; v++)
        if (count[v])
            bits -= (double)count[v] / (double)n * log2((double)count[v] / (double)n);
    return bits;
}

static uint64_t hash_block(const unsigned char *bytes, size_t n)
{
    uint64_t h = 14695981039346656037u;

    for (size_t i = 0; i < n; i++)
        h = (h ^ bytes[i]) * 1099511628211u;
    return h;
}

static int by_hash(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

/* No 4 KiB block is a hole, compresses, or is there twice. */
static void check_prepared(int fd, const char *dir)
{
    enum { BLOCK = 4096, N = SIZE / BLOCK };
    unsigned char block[BLOCK];
    uint64_t *hashes = mem_alloc(N * sizeof(*hashes));
    unsigned plain = 0, twice = 0;
    double bits = 0;
    size_t n = 0;

    while (n < N && pread(fd, block, BLOCK, (off_t)(n * BLOCK)) == BLOCK) {
        double e = entropy(block, BLOCK);
        plain += e < 6;
        bits += e;
        hashes[n++] = hash_block(block, BLOCK);
    }
    qsort(hashes, n, sizeof(*hashes), by_hash);
    for (size_t i = 1; i < n; i++)
        twice += hashes[i] == hashes[i - 1];
    tap_int((long long)n, N, "%s: the prepared file is whole", dir);
    tap_int(plain, 0, "%s: no block of it is empty, or text", dir);
    tap_ok(bits / N > 7.75, "%s: its bytes have %.2f of 8 bits", dir, bits / N);
    tap_int(twice, 0, "%s: no block of it is there twice", dir);
    free(hashes);
}

static void test_runs(const char *dir)
{
    struct settings s = {.profile = profile_find("cdm"), .interval_ms = 250};
    struct truth_fio fio[N_STEPS] = {0};
    struct counters last[N_STEPS];
    struct strv argv[N_STEPS];
    int fd[N_STEPS];

    strv_init(&s.extra);
    for (size_t i = 0; i < N_STEPS; i++) {
        fd[i] = truth_file(dir, SIZE);
        counters_init(&last[i]);
        strv_init(&argv[i]);
        fio[i].report = on_report;
        fio[i].arg = &last[i];
    }
    if (fd[0] < 0) {
        tap_skip("no nameless files there", "runs in %s", dir);
        return;
    }
    for (size_t i = 0; i < N_STEPS; i++) {
        fio_command_build(&argv[i], "fio", &steps[i], &s, fd[i]);
        truth_start(&fio[i], &argv[i], "/");
    }
    for (size_t i = 0; i < N_STEPS; i++) {
        tap_ok(truth_finish(&fio[i], 60), "%s: run %zu ends with status 0", dir, i);
        tap_ok(fio[i].reports > 0 && fio[i].unreadable == 0 && fio[i].lost == 0,
               "%s: run %zu, %u reports, all read", dir, i, fio[i].reports);
        tap_ok(last[i].ios > 0 && last[i].ios != COUNTER_ABSENT && last[i].lat.n > 0 &&
                   last[i].n_percentiles == 3 && counters_percentile(&last[i], 99.9) > 0,
               "%s: run %zu has I/O, bins and three percentiles", dir, i);
    }
    tap_int((long long)last[0].io_bytes, (long long)SIZE, "%s: preparation writes all, once", dir);
    check_prepared(fd[0], dir);
    for (size_t i = 0; i < N_STEPS; i++) {
        truth_done(&fio[i]);
        strv_done(&argv[i]);
        counters_done(&last[i]);
        close(fd[i]);
    }
}

int main(void)
{
    int place = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (dup2(place, PLACE) != PLACE) /* without close-on-exec */
        return 99;
    close(place);
    const char *build = getenv("STHD_BUILDDIR");

    truth_alone();
    if (!truth_have_fio()) {
        tap_skip("no fio here", "our commands with the real fio");
        return tap_done();
    }
    for (size_t i = 0; i < profile_count(); i++)
        if (!profile_is_dd(profile_at(i)))
            test_parse(profile_at(i));
    test_runs(build ? build : ".");
    test_runs("/dev/shm");
    return tap_done();
}
