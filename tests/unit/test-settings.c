/* SPDX-License-Identifier: GPL-3.0-or-later */
/* settings: ranges, copies, and which arguments for fio are taken */
#include <string.h>

#include "sthd/settings.h"
#include "tap.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static void test_extra(void)
{
    static const struct {
        const char *arg;
        const char *says; /* NULL: taken */
    } rows[] = {
        {"--rate_iops=100", NULL},
        {"--rate=10m", NULL},
        {"--write_lat_log=log", NULL},
        {"--log_avg_msec=0", NULL},
        {"--fsync=1", NULL},
        {"--fdatasync=1", NULL},
        {"--ramp_time=2", NULL},
        {"--random_distribution=zipf:1.2", NULL},
        {"--cpus_allowed=0-3", NULL},
        {"--exitall", NULL},
        {"--filename=/dev/sda", "overwritten"},
        {"--filename", "overwritten"},
        {"--file_append=1", "overwritten"},
        {"--directory=/", "overwritten"},
        {"--filen=/dev/sda", "overwritten"}, /* getopt takes any beginning */
        {"--f=/dev/sda", "overwritten"},
        {"--size=1g", "settings"},
        {"--siz=1g", "settings"},
        {"--io_size=1g", "settings"},
        {"--unlink=1", "overwritten"},
        {"--read_iolog=x", "overwritten"},
        {"--output=x", "reports"},
        {"--output-format=terse", "reports"},
        {"--output_format=terse", "reports"},
        {"--status-interval=1", "reports"},
        {"--stat=1", "reports"},
        {"--name=x", "reports"},
        {"--description=x", "reports"},
        {"--group_reporting=0", "reports"},
        {"--fileoffset=1g", "settings"},
        {"--bs=8k", "settings"},
        {"--rw=read", "settings"},
        {"--ioengine=null", "settings"},
        {"--direct=1", "settings"},
        {"--sync=0", "settings"},
        {"--end_fsync=0", "settings"},
        {"--client=host", "something else"},
        {"--server", "something else"},
        {"--help", "something else"},
        {"--verify=crc32c", "something else"},
        {"--thread=0", "outlive"},
        {"--", "--name=value"},
        {"", "--name=value"},
        {"--=x", "--name=value"},
        {"-filename=x", "--name=value"},
        {"job.fio", "--name=value"},
        {"rate_iops=1", "--name=value"},
        {"--comment=a\tb", "control"},
        {"--comment=a\nb", "control"},
        {"--comment=\xff", "UTF-8"},
        {"--comment=\033[2J", "control"},
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        struct settings s;
        struct err e;
        settings_init(&s);
        err_clear(&e);
        int rc = settings_add_extra(&s, rows[i].arg, &e);
        if (rows[i].says)
            tap_ok(rc < 0 && s.extra.n == 0 && e.exit_code == EXIT_CODE_USAGE &&
                       strstr(e.text, rows[i].says) && !strpbrk(e.text, "\033\n\t"),
                   "row %zu refused: %s", i, e.text);
        else
            tap_ok(rc == 0 && s.extra.n == 1 && strcmp(s.extra.items[0], rows[i].arg) == 0,
                   "%s is taken %s", rows[i].arg, e.text);
        settings_done(&s);
    }
}

static void test_check(void)
{
    struct profile big = *profile_at(0);
    static const struct {
        const char *what;
        uint64_t size;
        uint32_t runtime, interval;
        const char *says; /* NULL: sound */
    } rows[] = {
        {"defaults", SETTINGS_SIZE_DEFAULT, 5, 250, NULL},
        {"least", SETTINGS_SIZE_MIN, 1, SETTINGS_INTERVAL_MIN, NULL},
        {"most", 1ull << 60, SETTINGS_RUNTIME_MAX, SETTINGS_INTERVAL_MAX, NULL},
        {"size 0", 0, 5, 250, "--size"},
        {"size too small", SETTINGS_SIZE_MIN - 1, 5, 250, "--size"},
        {"size too large", (1ull << 60) + 1, 5, 250, "--size"},
        {"runtime 0", SETTINGS_SIZE_DEFAULT, 0, 250, "--runtime"},
        {"runtime too long", SETTINGS_SIZE_DEFAULT, SETTINGS_RUNTIME_MAX + 1, 250, "--runtime"},
        {"interval too short", SETTINGS_SIZE_DEFAULT, 5, SETTINGS_INTERVAL_MIN - 1, "--interval"},
        {"interval too long", SETTINGS_SIZE_DEFAULT, 5, SETTINGS_INTERVAL_MAX + 1, "--interval"},
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        struct settings s;
        struct err e;
        settings_init(&s);
        err_clear(&e);
        s.size_bytes = rows[i].size;
        s.runtime_s = rows[i].runtime;
        s.interval_ms = rows[i].interval;
        int rc = settings_check(&s, &e);
        if (rows[i].says)
            tap_ok(rc < 0 && e.exit_code == EXIT_CODE_USAGE && strstr(e.text, rows[i].says),
                   "%s: %s", rows[i].what, e.text);
        else
            tap_int(rc, 0, "%s %s", rows[i].what, e.text);
        settings_done(&s);
    }

    struct settings s;
    struct err e;
    settings_init(&s);
    big.tests[0].threads = 64;
    s.profile = &big;
    s.size_bytes = 63ull << 20;
    tap_ok(settings_check(&s, &e) < 0 && strstr(e.text, "64 MiB"),
           "64 threads of 1 MiB blocks do not fit into 63 MiB: %s", e.text);
    s.size_bytes++;
    s.size_bytes = 64ull << 20;
    tap_int(settings_check(&s, &e), 0, "but into 64 MiB");
    settings_done(&s);
}

static void test_copy(void)
{
    struct settings a, b;

    settings_init(&a);
    settings_init(&b);
    tap_ok(a.profile == profile_at(0) && !a.path && a.engine == ENGINE_AUTO && a.io == IO_AUTO &&
               a.size_bytes == SETTINGS_SIZE_DEFAULT && a.runtime_s == SETTINGS_RUNTIME_DEFAULT &&
               a.interval_ms == SETTINGS_INTERVAL_DEFAULT && !a.per_job && a.extra.n == 0,
           "defaults");
    settings_set_path(&a, "/mnt/x");
    settings_add_extra(&a, "--rate_iops=1", NULL);
    settings_set_path(&b, "/old");
    settings_add_extra(&b, "--rate=1", NULL);
    settings_copy(&b, &a);
    tap_ok(strcmp(b.path, "/mnt/x") == 0 && b.path != a.path, "the path is a copy");
    tap_ok(b.extra.n == 1 && strcmp(b.extra.items[0], "--rate_iops=1") == 0 &&
               b.extra.items[0] != a.extra.items[0],
           "the extra arguments are copies, the old ones gone");
    settings_copy(&b, &b);
    tap_str(b.path, "/mnt/x", "a copy onto itself changes nothing");
    settings_set_path(&b, b.path + 4);
    tap_str(b.path, "/x", "a path may be set from a part of itself");
    settings_set_path(&b, NULL);
    tap_ok(!b.path, "no path");
    settings_done(&a);
    settings_done(&b);
}

/* However many bytes hide in a column, the sentence comes to its end. */
static void test_long_words(void)
{
    static const char *const pieces[] = {"x", "\xcc\x81", "\xe4\xb8\x96", "\033", "\xff"};

    for (size_t i = 0; i < COUNT(pieces); i++) {
        struct settings s;
        struct err e;
        struct buf word = BUF_INIT;
        settings_init(&s);
        err_clear(&e);
        buf_adds(&word, "--filename=");
        for (size_t n = 0; n < 1000; n++)
            buf_adds(&word, pieces[i]);
        tap_ok(settings_add_extra(&s, word.data, &e) < 0, "long word %zu is refused", i);
        tap_ok(strlen(e.text) < 300 && e.text[strlen(e.text) - 1] != '~',
               "long word %zu: a whole sentence of %zu bytes: %s", i, strlen(e.text), e.text);
        buf_done(&word);
        settings_done(&s);
    }
}

int main(void)
{
    test_long_words();
    test_extra();
    test_check();
    test_copy();
    return tap_done();
}
