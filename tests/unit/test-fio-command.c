/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fio_command: what fio is asked for, step by step; its version; its engines. */
#include <stdio.h>
#include <string.h>

#include "sthd/fio_command.h"
#include "tap.h"

/* A profile of our own, so that these tests are about commands and not about what is built in. */
static const struct profile profile = {
    .name = "test",
    .title = "a test's",
    .n_tests = 2,
    .tests = {{.name = "SEQ1M Q8T1"},
              {.name = "a;b#\t\"{\xc3\xa9"
                       "Z_9"}},
};

static struct settings make_settings(void)
{
    struct settings s = {.profile = &profile, .interval_ms = 250};

    strv_init(&s.extra);
    return s;
}

#define HEAD "fio --output-format=json+ --status-interval=250ms "
#define TAIL                                                   \
    " --thread --group_reporting --clocksource=clock_gettime " \
    "--percentile_list=50:99:99.9 --disk_util=0"

static const struct {
    const char *what;
    struct step step;
    const char *command;
} rows[] = {
    {"prepare",
     {.kind = STEP_PREPARE,
      .direction = DIRECTION_WRITE,
      .pattern = PATTERN_SEQ,
      .block_bytes = 1 << 20,
      .queue_depth = 8,
      .threads = 1,
      .engine = ENGINE_IO_URING,
      .direct = true,
      .end_fsync = true,
      .size_bytes = 1 << 30},
     HEAD "--name=prepare --filename=/proc/self/fd/7 --size=1073741824 --rw=write --bs=1048576 "
          "--ioengine=io_uring --iodepth=8 --numjobs=1 --direct=1 --randrepeat=0 --refill_buffers "
          "--end_fsync=1" TAIL},
    {"prepare without queue",
     {.kind = STEP_PREPARE,
      .direction = DIRECTION_WRITE,
      .pattern = PATTERN_SEQ,
      .block_bytes = 1 << 20,
      .queue_depth = 1,
      .threads = 1,
      .engine = ENGINE_PSYNC,
      .end_fsync = true,
      .size_bytes = 1 << 30},
     HEAD
     "--name=prepare --filename=/proc/self/fd/7 --size=1073741824 --rw=write --bs=1048576 "
     "--ioengine=psync --numjobs=1 --direct=0 --randrepeat=0 --refill_buffers --end_fsync=1" TAIL},
    {"sequential read: fsync and sync are for writes",
     {.kind = STEP_MEASURE,
      .direction = DIRECTION_READ,
      .pattern = PATTERN_SEQ,
      .block_bytes = 1 << 20,
      .queue_depth = 8,
      .threads = 1,
      .engine = ENGINE_LIBAIO,
      .direct = true,
      .sync = true,
      .end_fsync = true,
      .size_bytes = 1 << 30,
      .runtime_s = 5},
     HEAD "--name=SEQ1M-Q8T1-read --filename=/proc/self/fd/7 --size=1073741824 --rw=read "
          "--bs=1048576 --ioengine=libaio --iodepth=8 --numjobs=1 --direct=1 --randrepeat=0 "
          "--time_based --runtime=5" TAIL},
    {"sequential write by three: a part each, whole blocks",
     {.kind = STEP_MEASURE,
      .direction = DIRECTION_WRITE,
      .pattern = PATTERN_SEQ,
      .block_bytes = 1 << 20,
      .queue_depth = 8,
      .threads = 3,
      .engine = ENGINE_IO_URING,
      .end_fsync = true,
      .size_bytes = 1 << 30,
      .runtime_s = 5},
     HEAD "--name=SEQ1M-Q8T1-write --filename=/proc/self/fd/7 --size=357564416 "
          "--offset_increment=357564416 --rw=write --bs=1048576 --ioengine=io_uring --iodepth=8 "
          "--numjobs=3 --direct=0 --randrepeat=0 --end_fsync=1 --time_based --runtime=5" TAIL},
    {"sequential by many in a small file: all share it",
     {.kind = STEP_MEASURE,
      .direction = DIRECTION_READ,
      .pattern = PATTERN_SEQ,
      .block_bytes = 1 << 20,
      .queue_depth = 1,
      .threads = 16,
      .engine = ENGINE_PSYNC,
      .size_bytes = 16 << 20,
      .runtime_s = 5},
     HEAD "--name=SEQ1M-Q8T1-read --filename=/proc/self/fd/7 --size=16777216 --rw=read "
          "--bs=1048576 --ioengine=psync --numjobs=16 --direct=0 --randrepeat=0 --time_based "
          "--runtime=5" TAIL},
    {"random write of commits; a name that is not safe",
     {.kind = STEP_MEASURE,
      .test = 1,
      .direction = DIRECTION_WRITE,
      .pattern = PATTERN_RND,
      .block_bytes = 4096,
      .queue_depth = 1,
      .threads = 4,
      .engine = ENGINE_PSYNC,
      .sync = true,
      .size_bytes = 1 << 30,
      .runtime_s = 60},
     HEAD "--name=a-b------Z-9-write --filename=/proc/self/fd/7 --size=1073741824 --rw=randwrite "
          "--bs=4096 --ioengine=psync --numjobs=4 --direct=0 --randrepeat=0 --norandommap --sync=1 "
          "--time_based --runtime=60" TAIL},
    {"random mix; a depth that the engine cannot have is said all the same",
     {.kind = STEP_MEASURE,
      .direction = DIRECTION_MIX,
      .mix_percent = 35,
      .pattern = PATTERN_RND,
      .block_bytes = 4096,
      .queue_depth = 32,
      .threads = 1,
      .engine = ENGINE_SYNC,
      .size_bytes = 1 << 30,
      .runtime_s = 5},
     HEAD "--name=SEQ1M-Q8T1-mix --filename=/proc/self/fd/7 --size=1073741824 --rw=randrw "
          "--rwmixread=35 --bs=4096 --ioengine=sync --iodepth=32 --numjobs=1 --direct=0 "
          "--randrepeat=0 --norandommap --time_based --runtime=5" TAIL},
    {"random read, one in flight, asynchronous",
     {.kind = STEP_MEASURE,
      .direction = DIRECTION_READ,
      .pattern = PATTERN_RND,
      .block_bytes = 4096,
      .queue_depth = 1,
      .threads = 1,
      .engine = ENGINE_POSIXAIO,
      .size_bytes = 1 << 30,
      .runtime_s = 5},
     HEAD "--name=SEQ1M-Q8T1-read --filename=/proc/self/fd/7 --size=1073741824 --rw=randread "
          "--bs=4096 --ioengine=posixaio --iodepth=1 --numjobs=1 --direct=0 --randrepeat=0 "
          "--norandommap --time_based --runtime=5" TAIL},
    {"a region, an amount, a rate, an fsync now and then",
     {.kind = STEP_MEASURE,
      .direction = DIRECTION_WRITE,
      .pattern = PATTERN_SEQ,
      .block_bytes = 1 << 20,
      .queue_depth = 1,
      .threads = 1,
      .engine = ENGINE_PSYNC,
      .size_bytes = 1 << 30,
      .offset_bytes = 512,
      .region_bytes = 256 << 20,
      .io_bytes = 1 << 20,
      .fsync_every = 100,
      .rate_iops = 7},
     HEAD "--name=SEQ1M-Q8T1-write --filename=/proc/self/fd/7 --offset=512 --size=268435456 "
          "--io_size=1048576 --rw=write --bs=1048576 --ioengine=psync --numjobs=1 --direct=0 "
          "--randrepeat=0 --fsync=100 --rate_iops=7" TAIL},
    {"a region that reaches beyond the file ends with it, and is shared out",
     {.kind = STEP_MEASURE,
      .direction = DIRECTION_READ,
      .pattern = PATTERN_SEQ,
      .block_bytes = 4096,
      .queue_depth = 1,
      .threads = 2,
      .engine = ENGINE_PSYNC,
      .size_bytes = 1 << 20,
      .offset_bytes = 1 << 19,
      .region_bytes = 1 << 30,
      .fsync_every = 100,
      .runtime_s = 5},
     HEAD "--name=SEQ1M-Q8T1-read --filename=/proc/self/fd/7 --offset=524288 --size=262144 "
          "--offset_increment=262144 --rw=read --bs=4096 --ioengine=psync --numjobs=2 --direct=0 "
          "--randrepeat=0 --time_based --runtime=5" TAIL},
    {"files are created in a directory",
     {.kind = STEP_MEASURE,
      .direction = DIRECTION_WRITE,
      .block_bytes = 4096,
      .queue_depth = 1,
      .threads = 2,
      .engine = ENGINE_IO_URING,
      .work = WORK_CREATE,
      .files = 100},
     HEAD
     "--name=SEQ1M-Q8T1-write --directory=/proc/self/fd/7/. --ioengine=filecreate --nrfiles=100 "
     "--filesize=4096 --bs=4096 --file_service_type=sequential --openfiles=1 "
     "--fallocate=none --rw=write --create_on_open=1 --numjobs=2" TAIL},
    {"files are looked at, which fio has made before",
     {.kind = STEP_MEASURE,
      .direction = DIRECTION_READ,
      .block_bytes = 4096,
      .queue_depth = 1,
      .threads = 1,
      .engine = ENGINE_IO_URING,
      .work = WORK_STAT,
      .files = 100},
     HEAD "--name=SEQ1M-Q8T1-read --directory=/proc/self/fd/7/. --ioengine=filestat --nrfiles=100 "
          "--filesize=4096 --bs=4096 --file_service_type=sequential --openfiles=1 "
          "--fallocate=none --rw=read --numjobs=1" TAIL},
};

static void test_build(void)
{
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct settings s = make_settings();
        struct strv argv;
        struct buf line = BUF_INIT;
        strv_init(&argv);
        fio_command_build(&argv, "fio", &rows[i].step, &s, 7);
        strv_quote(&argv, &line);
        tap_str(line.data, rows[i].command, "%s", rows[i].what);
        buf_done(&line);
        strv_done(&argv);
        strv_done(&s.extra);
    }
}

static void test_settings(void)
{
    struct settings s = make_settings();
    struct strv argv;

    s.per_job = true;
    s.interval_ms = 1000;
    strv_add(&s.extra, "--ramp_time=1");
    strv_add(&s.extra, "--hipri");
    strv_init(&argv);
    fio_command_build(&argv, "/usr/bin/fio", &rows[5].step, &s, 1023);
    tap_str(argv.items[0], "/usr/bin/fio", "the program is the first word");
    tap_str(argv.items[2], "--status-interval=1000ms", "interval in whole ms with a unit");
    tap_str(argv.items[4], "--filename=/proc/self/fd/1023", "the descriptor");
    bool grouped = false;
    for (size_t i = 0; i < argv.n; i++)
        grouped |= strcmp(argv.items[i], "--group_reporting") == 0;
    tap_ok(!grouped, "per job: not grouped");
    tap_str(argv.items[argv.n - 2], "--ramp_time=1", "what the user adds comes last,");
    tap_str(argv.items[argv.n - 1], "--hipri", "in its order");
    strv_done(&argv);
    strv_done(&s.extra);
}

static void test_version(void)
{
    static const struct {
        const char *line;
        int major, minor; /* -1: refused */
        const char *text;
    } cases[] = {
        {"fio-3.33\n", 3, 33, "fio-3.33"},
        {"fio-3.33", 3, 33, "fio-3.33"},
        {"fio-3.42-12-gabc123\nmore", 3, 42, "fio-3.42-12-gabc123"},
        {"fio-2.21\r\n", 2, 21, "fio-2.21"},
        {"fio-2.99", 2, 99, "fio-2.99"},
        {"fio-4.0", 4, 0, "fio-4.0"},
        {"fio-3.1\x1b[31m", 3, 1, "fio-3.1?[31m"},
        {"fio-2.20", -1, 0, "too old"},
        {"fio-2.2.10", -1, 0, "too old"},
        {"fio-1.99.12", -1, 0, "too old"},
        {"fio-", -1, 0, "not the I/O tester"},
        {"fio-x.y", -1, 0, "not the I/O tester"},
        {"fio-3", -1, 0, "not the I/O tester"},
        {"fio-3.-3", -1, 0, "not the I/O tester"},
        {"fio 3.33", -1, 0, "not the I/O tester"},
        {"Fiona 3.33", -1, 0, "not the I/O tester"},
        {"", -1, 0, "not the I/O tester"},
        {"\nfio-3.33", -1, 0, "not the I/O tester"},
        {"fio-3.3333333333333333333333333333333333333333333", -1, 0, "not the I/O tester"},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct fio_version v;
        struct err e;
        err_clear(&e);
        int rc = fio_version_parse(&v, cases[i].line, &e);
        tap_int(rc == 0, cases[i].major >= 0, "version \"%s\"", cases[i].line);
        if (cases[i].major < 0) {
            tap_ok(strstr(e.text, cases[i].text) && e.exit_code == EXIT_CODE_FIO, "... %s", e.text);
            continue;
        }
        tap_str(v.text, cases[i].text, "... its text");
        tap_ok(v.major == cases[i].major && v.minor == cases[i].minor, "... its numbers");
    }
}

static void test_enghelp(void)
{
    static const char help[] = "Available IO engines:\n\tcpuio\n\tio_uring_cmd\n\tlibaio\n"
                               "\tpvsync2\r\n  psync";
    static const struct {
        const char *engine;
        bool there;
    } cases[] = {{"libaio", true}, {"psync", true},     {"pvsync2", true},
                 {"cpuio", true},  {"io_uring", false}, {"sync", false},
                 {"aio", false},   {"", false},         {"engines:", false}};

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        tap_int(fio_enghelp_has(help, cases[i].engine), cases[i].there, "engine \"%s\"",
                cases[i].engine);
    tap_ok(!fio_enghelp_has("", "psync"), "no list, no engine");
}

int main(void)
{
    test_build();
    test_settings();
    test_version();
    test_enghelp();
    return tap_done();
}
