/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The story this program was made for, replayed: an Optane that commits in 328 us, because the
 * cores sleep; and after the governor was changed, when it is the device that takes the time. On
 * screen and as text, over a fio and a machine that are made up. Then the split of time on this
 * machine's real disk: whatever it is, it adds up.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "e2e.h"
#include "sthd/err.h"
#include "sthd/jsonfile.h"
#include "sysfs.h"
#include "tap.h"

#define SHOWN_MS 15000
#define RUN_MS   120000

#define DISK "/sys/devices/pci0000:00/nvme0n1/"
#define STAT                                                                                     \
    "         100        0     8000       50      200        0    16000      150        0      " \
    "100      200        0        0        0        0        0        0\n"
#define STORY(rate, lat, device) \
    "FAKE_FIO=rate=" #rate ";lat=" #lat ";tail=1;device=" #device ";stat=%s"

static const struct state {
    const char *name, *governor, *khz, *fake;
    const char *live;    /* on the strip, while T1 runs */
    const char *finding; /* the first */
    const char *row;     /* of the table of times */
} before =
    {
        "before",
        "schedutil",
        "1210000\n",
        STORY(3049, 326000, 90000),
        "Time device (8[89]|9[0-2]) us/op  fio 326 us/op  2[678] % of the time is the device's",
        "T1 write: device 90 of 328 us, cores at 1.2 GHz under schedutil: the CPU.",
        "27 %  software",
},
  after = {
      "after",
      "performance",
      "3290000\n",
      STORY(10687, 92000, 70000),
      "Time device (6[89]|7[0-2]) us/op  fio 92 us/op  7[3-7] % of the time is the device's",
      "T1 write: device 70 of 94 us (75 %) on nvme0n1 (INTEL SSDPEK1A118GA): device-bound.",
      "75 %  device-bound",
};

static void make_disk(const struct sysfs *tree)
{
    static const char *const files[][2] = {
        {"/proc/self/mountinfo", "22 1 259:0 / / rw,relatime - ext4 /dev/nvme0n1 rw\n"},
        {DISK "dev", "259:0\n"},
        {DISK "size", "230686720\n"},
        {DISK "stat", STAT},
        {DISK "queue/rotational", "0\n"},
        {DISK "queue/write_cache", "write through\n"},
        {DISK "queue/scheduler", "[none] mq-deadline\n"},
        {DISK "queue/iostats", "1\n"},
        {DISK "device/model", "INTEL SSDPEK1A118GA\n"},
    };
    static const char *const dirs[] = {"/sys/class/block/x", "/sys/dev/block/x"};
    const char *links[] = {"/sys/class/block/nvme0n1", "/sys/dev/block/259:0"};

    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
        sysfs_write(tree, files[i][0], files[i][1]);
    for (size_t i = 0; i < 2; i++) {
        sysfs_write(tree, dirs[i], ""); /* makes the directory */
        if (symlink("../../devices/pci0000:00/nvme0n1", sysfs_path(tree, links[i])) < 0)
            tap_ok(false, "%s can be made", links[i]);
    }
}

static void set_governor(const struct sysfs *tree, const struct state *s)
{
    for (int i = 0; i < 2; i++) {
        sysfs_write(tree, e2e_text("cpufreq/policy%d/scaling_governor", i),
                    e2e_text("%s\n", s->governor));
        sysfs_write(tree, e2e_text("cpufreq/policy%d/scaling_cur_freq", i), s->khz);
    }
    sysfs_write(tree, DISK "stat", STAT);
}

/* The same directory in the tree, so that the tree's mounts are what is below it. */
static const char *target_in(const struct sysfs *tree)
{
    const char *dir = e2e_dir();

    sysfs_write(tree, e2e_text("%s/x", dir), "");
    return dir;
}

static const char *const *story_env(const struct sysfs *tree, const struct state *s)
{
    static const char *env[4];
    char fake[512];

    snprintf(fake, sizeof(fake), "%s%s", "", s->fake);
    char *at = strstr(fake, "%s");
    *at = '\0';
    env[0] = e2e_path_with(
        "fio", e2e_text("#!/bin/sh\nexec %s/tests/lib/fake-fio \"$@\"\n", getenv("STHD_BUILDDIR")),
        false);
    env[1] = e2e_text("%s%s", fake, sysfs_path(tree, DISK "stat"));
    env[2] = e2e_text("STHD_SYSROOT=%s", tree->root);
    env[3] = NULL;
    return env;
}

static void test_text(const struct sysfs *tree, const struct state *s)
{
    set_governor(tree, s);
    const char *argv[] = {e2e_program(), "--text",    "--yes", "--slog",        "--size",
                          "16m",         "--runtime", "3",     target_in(tree), NULL};
    struct plain *p = plain_run(&(struct plain_spec){.env = story_env(tree, s)}, argv, RUN_MS);
    const char *out = plain_out(p), *verdict = strstr(out, "\nVerdict\n");
    const char *split = strstr(out, "\nTime of one I/O");

    tap_int(plain_exit_code(p), EXIT_CODE_OK, "%s, text: exit code", s->name);
    /* Lines are wrapped at 80 columns. */
    char *flat = strdup(verdict ? verdict : ""), *to = flat;
    for (const char *c = flat; *c; c++) {
        char x = *c == '\n' ? ' ' : *c;
        if (x != ' ' || (to > flat && to[-1] != ' '))
            *to++ = x;
    }
    *to = '\0';
    if (!tap_ok(strstr(flat, e2e_text("1. %s", s->finding)) != NULL, "%s, text: %s", s->name,
                s->finding))
        tap_note("%s%s", out, plain_err(p));
    split = split ? strstr(split, "T1 write") : NULL;
    tap_ok(split && strstr(split, s->row) && strstr(split, s->row) < strchr(split, '\n'),
           "%s, text: the row of T1 ends in \"%s\"", s->name, s->row);
    for (const char *line = verdict ? verdict + 1 : ""; *line; line += strcspn(line, "\n") + 1)
        if (strcspn(line, "\n") > 80)
            tap_ok(false, "%s, text: a line is longer than 80 columns", s->name);
    free(flat);
    plain_free(p);
}

static void test_screen(const struct sysfs *tree, const struct state *s)
{
    set_governor(tree, s);
    const char *argv[] = {e2e_program(), "--slog", "--size",        "16m",
                          "--runtime",   "3",      target_in(tree), NULL};
    struct vt *v =
        vt_start(&(struct vt_spec){.rows = 40, .cols = 132, .env = story_env(tree, s)}, argv);
    int status;

    e2e_press_start(v);
    if (!tap_ok(vt_wait_match(v, s->live, SHOWN_MS), "%s, screen: live, %s", s->name, s->live))
        tap_note("%s", vt_transcript(v));
    tap_ok(vt_wait_text(v, "finished", RUN_MS), "%s, screen: the run ends", s->name);
    tap_ok(vt_wait_text(v, s->finding, SHOWN_MS), "%s, screen: %s", s->name, s->finding);
    vt_keys(v, "v");
    tap_ok(vt_wait_text(v, " Verdict ", SHOWN_MS), "%s, screen: v opens the verdict", s->name);
    tap_ok(vt_wait_text(v, "-> ", SHOWN_MS), "%s, screen: with what to do", s->name);
    vt_keys(v, "v");
    tap_ok(vt_wait_text(v, "Enter set up", SHOWN_MS), "%s, screen: and closes it", s->name);
    vt_keys(v, "q");
    tap_ok(vt_wait_exit(v, &status, SHOWN_MS), "%s, screen: q leaves", s->name);
    vt_free(v);
}

static void test_story(void)
{
    static const char *const idle[] = {NULL};
    const struct sysfs_spec spec = {.cpus = 2,
                                    .cpus_per_policy = 1,
                                    .driver = "intel_cpufreq",
                                    .governors = "performance schedutil ",
                                    .governor = "schedutil",
                                    .idle = idle};
    struct sysfs tree;

    sysfs_make(&tree, &spec);
    make_disk(&tree);
    test_text(&tree, &before);
    test_text(&tree, &after);
    test_screen(&tree, &before);
    test_screen(&tree, &after);
    sysfs_remove(&tree);
}

/* ---- this machine's disk --------------------------------------------------------------------- */

static double at(const struct json *cell, const char *object, const char *key)
{
    return json_number(json_get(json_get(cell, object), key));
}

/*
 * What fio says of itself (figures) and what was laid beside it (time_split) come from different
 * clocks and counters; so that they fit is no matter of course.
 */
static void check_cell(const struct json *cell)
{
    const char *name = json_string(json_get(cell, "test"));
    double total = at(cell, "time_split", "total_ns"), mean = at(cell, "figures", "lat_mean_ns");
    double in_flight =
        json_number(json_get(cell, "threads")) * json_number(json_get(cell, "queue_depth"));
    double iops = at(cell, "figures", "iops");
    double device = at(cell, "time_split", "device_ns") + at(cell, "time_split", "flush_ns");
    double rest = at(cell, "time_split", "rest_ns"), out = at(cell, "time_split", "outside_ns");
    double resolution = at(cell, "time_split", "resolution_ns");
    double own_total = in_flight * 1e9 / iops;

    tap_ok(device > 0 && rest >= 0 && out >= 0, "%s: device %.0f ns, rest %.0f ns, outside %.0f ns",
           name, device, rest, out);
    tap_near(device + rest + out, total, 1, "%s: the parts are the whole", name);
    /* runtime is cut to ms */
    tap_near(total, fmax(own_total, mean), 0.01 * total, "%s: the whole is T x Q / IOPS", name);
    if (rest > 0)
        tap_near(device + rest, mean, resolution + 1, "%s: device and rest are fio's mean", name);
    else
        tap_ok(device >= mean - resolution, "%s: the device alone is fio's mean, or more", name);
}

/* Milliseconds of all requests of this machine's disks so far: an upper bound for one of them. */
static double all_ticks_ms(void)
{
    FILE *f = fopen("/proc/diskstats", "re");
    char line[512];
    double sum = 0;

    while (f && fgets(line, sizeof(line), f)) {
        double n[20] = {0};
        char disk[64];
        if (sscanf(line,
                   "%*d %*d %63s %lf %lf %lf %lf %lf %lf %lf %lf %lf %lf %lf %lf %lf %lf %lf "
                   "%lf %lf",
                   disk, &n[1], &n[2], &n[3], &n[4], &n[5], &n[6], &n[7], &n[8], &n[9], &n[10],
                   &n[11], &n[12], &n[13], &n[14], &n[15], &n[16], &n[17]) >= 12)
            sum += n[4] + n[8] + n[17];
    }
    if (f)
        fclose(f);
    return sum;
}

static void test_adds_up(const char *profile)
{
    const char *argv[] = {e2e_program(), "--text",    "--yes", "--json",  profile, "--size",
                          "32m",         "--runtime", "2",     e2e_dir(), NULL};
    double ticks = all_ticks_ms(), claimed = 0;
    struct plain *p = plain_run(NULL, argv, RUN_MS);
    struct jsonfile *file = NULL;
    struct err e;

    ticks = all_ticks_ms() - ticks;
    tap_int(plain_exit_code(p), EXIT_CODE_OK, "real disk: exit code");
    err_clear(&e);
    const char *out = plain_out(p);
    if (jsonfile_parse(&file, "result", out, strlen(out), &e) < 0)
        tap_ok(false, "real disk: JSON: %s", e.text);
    const struct json *cells = json_get(jsonfile_root(file), "cells");
    if (json_type(json_get(json_at(cells, 0), "time_split")) == JSON_NULL)
        tap_skip("the devices of this directory cannot be seen", "real disk");
    else
        for (size_t i = 0; i < json_count(cells); i++) {
            check_cell(json_at(cells, i));
            claimed += at(json_at(cells, i), "time_split", "device_ticks_ms");
        }
    tap_ok(claimed <= ticks, "real disk: %.0f ms of device time, of %.0f ms that passed there",
           claimed, ticks);
    jsonfile_free(file);
    plain_free(p);
}

int main(void)
{
    e2e_begin();
    test_story();
    if (e2e_have_fio()) {
        test_adds_up("--slog");
        test_adds_up("--profile=cdm");
    } else {
        tap_skip("no fio here", "the split of time on a real disk");
    }
    return e2e_done();
}
