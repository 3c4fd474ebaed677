/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Tables as text, against golden files, and what holds for every one of them at every width.
 * With STHD_GOLDEN_WRITE=DIR the golden files are written there instead of compared.
 */
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scenes.h"
#include "sthd/tables.h"
#include "sthd/text.h"
#include "tap.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static void print(struct buf *out, const char *scene, struct table_style style)
{
    struct fixture f;

    scene_make(&f, scene);
    table_banner(out, &f.run, &f.target, &f.machine, &style);
    table_run(out, &f.run, &style);
    scene_done(&f);
}

static const struct golden {
    const char *scene;
    bool utf8;
    int columns;
} goldens[] = {
    {"cdm-waiting", true, 80},   {"cdm-done", true, 80},       {"cdm-done", true, 200},
    {"cdm-done", false, 80},     {"cdm-done", true, 77},       {"cdm-done", false, 50},
    {"cdm-done", true, 40},      {"cdm-running", true, 80},    {"cdm-failed", true, 80},
    {"cdm-failed", false, 60},   {"cdm-stopped", true, 80},    {"cdm-buffered", true, 80},
    {"cdm-buffered", false, 40}, {"cdm-unprepared", true, 80}, {"slog-waiting", false, 80},
    {"slog-done", true, 80},     {"slog-done", false, 80},     {"slog-done", true, 50},
    {"slog-done", false, 40},    {"slog-per-job", true, 80},   {"slog-stopped", true, 80},
    {"hostile", false, 80},      {"hostile", true, 40},        {"demo-mix", true, 80},
    {"mixed-done", true, 80},    {"sustained-done", true, 80}, {"sustained-done", false, 40},
};

static void golden_name(char *out, size_t size, const struct golden *g)
{
    snprintf(out, size, "%s-%s-%d.txt", g->scene, g->utf8 ? "utf8" : "ascii", g->columns);
}

static void write_golden(const char *dir, const char *name, const struct buf *b)
{
    char path[512];

    snprintf(path, sizeof(path), "%s/%s", dir, name);
    FILE *out = fopen(path, "w");
    if (!out || fwrite(b->data, 1, b->len, out) != b->len || fclose(out) != 0) {
        printf("Bail out! cannot write %s\n", path);
        exit(99);
    }
}

static void test_goldens(void)
{
    const char *write_to = getenv("STHD_GOLDEN_WRITE");

    for (size_t i = 0; i < COUNT(goldens); i++) {
        struct buf b = BUF_INIT;
        char name[96], fixture[128];
        golden_name(name, sizeof(name), &goldens[i]);
        snprintf(fixture, sizeof(fixture), "tables/%s", name);
        print(&b, goldens[i].scene,
              (struct table_style){.utf8 = goldens[i].utf8, .columns = goldens[i].columns});
        if (write_to) {
            write_golden(write_to, name, &b);
        } else {
            char *want = tap_fixture(fixture, NULL);
            tap_str(b.data, want, "%s", name);
            free(want);
        }
        buf_done(&b);
    }
}

/* A golden file that no row compares guards nothing. */
static void test_golden_files(void)
{
    char path[1024];
    const char *dir = getenv("STHD_FIXTURES");
    size_t files = 0, strays = 0;

    snprintf(path, sizeof(path), "%s/tables", dir ? dir : "tests/fixtures");
    DIR *d = opendir(path);
    if (!tap_ok(d, "there are golden files") || !d)
        return;
    for (struct dirent *entry; (entry = readdir(d));) {
        bool known = false;
        if (entry->d_name[0] == '.')
            continue;
        files++;
        for (size_t i = 0; i < COUNT(goldens); i++) {
            char name[96];
            golden_name(name, sizeof(name), &goldens[i]);
            known |= strcmp(name, entry->d_name) == 0;
        }
        strays += !known;
        if (!known)
            tap_note("%s is of no use", entry->d_name);
    }
    closedir(d);
    tap_int((long long)strays, 0, "all of them are compared");
    tap_int((long long)files, COUNT(goldens), "and none is missing");
}

/* Removes SGR sequences in place. */
static void strip_colour(char *s)
{
    char *to = s;

    while (*s) {
        if (s[0] == '\033' && s[1] == '[') {
            s += 2 + strspn(s + 2, "0123456789;");
            s += *s == 'm';
        } else {
            *to++ = *s++;
        }
    }
    *to = '\0';
}

/* What every table keeps: width, nothing unprintable, no figure that is zero. NULL: all of it. */
static const char *broken_rule(char *text, bool utf8, int columns)
{
    if (columns > 80)
        columns = 80;
    if (text[strlen(text) - 1] != '\n')
        return "the last line does not end";
    for (char *line = text, *end; *line; line = end + 1) {
        size_t used;
        end = strchr(line, '\n');
        *end = '\0';
        if (text_width(line) > columns) {
            tap_note("%s", line);
            return "a line is too wide";
        }
        if (end > line && end[-1] == ' ')
            return "a line ends in a blank";
        for (const char *p = line; *p; p += used) {
            uint32_t c = text_decode(p, strlen(p), &used);
            if (c < 0x20 || (c >= 0x7f && c < 0xa0) || (c == 0xfffd && used == 1))
                return "a character is not printable";
            if (!utf8 && c > 0x7e)
                return "a character is not ASCII";
        }
        if (strstr(line, " 0.00 ") || strstr(line, "nan") || strstr(line, " inf"))
            return "a figure is none";
    }
    return NULL;
}

static void test_rules(void)
{
    for (size_t i = 0; scene_name(i); i++)
        for (int utf8 = 0; utf8 <= 1; utf8++) {
            const char *broken = NULL;
            int columns = 0;
            bool same = true;
            for (int c = 20; !broken && c <= 100; c++) {
                struct buf plain = BUF_INIT, colour = BUF_INIT;
                print(&plain, scene_name(i), (struct table_style){.utf8 = utf8, .columns = c});
                print(&colour, scene_name(i),
                      (struct table_style){.utf8 = utf8, .colour = true, .columns = c});
                if (strchr(plain.data, '\033') || !strchr(colour.data, '\033'))
                    broken = "colour only where it was asked for";
                strip_colour(colour.data);
                same &= strcmp(plain.data, colour.data) == 0;
                if (!broken)
                    broken = broken_rule(plain.data, utf8, c < 40 ? 40 : c);
                columns = c;
                buf_done(&plain);
                buf_done(&colour);
            }
            tap_ok(!broken, "%s in %s at every width: %s (at %d)", scene_name(i),
                   utf8 ? "UTF-8" : "ASCII", broken ? broken : "keeps the rules", columns);
            tap_ok(same, "%s in %s: colour changes no character", scene_name(i),
                   utf8 ? "UTF-8" : "ASCII");
        }
}

/* Lines that are wrapped, as one. */
static void unwrap(char *s)
{
    char *to = s;

    for (; *s; s++)
        if (*s != '\n' || s[1] != ' ')
            *to++ = *s;
        else
            while (s[1] == ' ' && s[2] == ' ')
                s++;
    *to = '\0';
}

static void test_trust(void)
{
    static const struct {
        const char *what;
        enum trust read, write; /* of all rows; TRUST_UNKNOWN: not judged */
        bool first_differs;     /* the first row's read is from the cache */
        const char *lines[3];
    } rows[] = {
        {"nothing is known", TRUST_UNKNOWN, TRUST_UNKNOWN, false, {NULL}},
        {"all alike", TRUST_DEVICE, TRUST_DEVICE, false, {"- Measured: device (because)\n", NULL}},
        {"by direction",
         TRUST_CACHE,
         TRUST_RAM,
         false,
         {"SEQ1M Q8T1 read, SEQ1M Q1T1 read, RND4K Q32T16 read, RND4K Q1T1 read measured: cache "
          "(because)\n",
          "RND4K Q1T1 write measured: RAM (because)\n", NULL}},
        {"one apart",
         TRUST_DEVICE,
         TRUST_DEVICE,
         true,
         {"- SEQ1M Q8T1 read measured: cache (because)\n",
          "- SEQ1M Q8T1 write, SEQ1M Q1T1 read and write, RND4K Q32T16 read and write, RND4K Q1T1 "
          "read and write measured: device (because)\n",
          NULL}},
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        struct fixture f;
        struct buf b = BUF_INIT;
        scene_make(&f, "cdm-done");
        for (size_t t = 0; t < f.profile.n_tests; t++) {
            enum trust read = rows[i].first_differs && t == 0 ? TRUST_CACHE : rows[i].read;
            if (read)
                run_set_trust(&f.run, t, DIRECTION_READ, read, "because");
            if (rows[i].write)
                run_set_trust(&f.run, t, DIRECTION_WRITE, rows[i].write, "because");
        }
        table_run(&b, &f.run, &(struct table_style){.columns = 80});
        unwrap(b.data);
        for (size_t k = 0; rows[i].lines[k]; k++)
            if (!tap_ok(strstr(b.data, rows[i].lines[k]), "%s: %s", rows[i].what, rows[i].lines[k]))
                tap_note("%s", b.data);
        tap_int(strstr(b.data, "easured: ") != NULL, rows[i].lines[0] != NULL,
                "%s: says so only then", rows[i].what);
        buf_done(&b);
        scene_done(&f);
    }
}

/* What the path is on, and buffered I/O that nobody wanted: in red. */
static void test_banner(void)
{
    struct fixture f;
    struct buf b = BUF_INIT;

    scene_make(&f, "cdm-buffered");
    f.target.below = (char *)"ext4 on LUKS on md0 (raid1) on sda, s\033db";
    f.target.device = (char *)"Some Disk, volatile write cache";
    table_banner(&b, &f.run, &f.target, &f.machine,
                 &(struct table_style){.columns = 80, .colour = true});
    tap_ok(strstr(b.data, "Stack      ext4 on LUKS on md0 (raid1) on sda, s\\x1bdb\n"),
           "the stack under the target");
    tap_ok(strstr(b.data, "Device     Some Disk, volatile write cache\n"), "and its device");
    tap_ok(strstr(b.data, "\033[1;31m!! BUFFERED I/O !!\033[0m"), "a red banner");
    buf_done(&b);
    scene_done(&f);
}

static void test_no_target(void)
{
    struct fixture f;
    struct buf b = BUF_INIT;
    struct table_style style = {.columns = 80};

    scene_make(&f, "cdm-waiting");
    table_banner(&b, &f.run, NULL, &f.machine, &style);
    tap_ok(strstr(b.data, "Target     -\n"), "a target that is not known is a dash");
    buf_clear(&b);
    settings_set_path(&f.plan.settings, "/x");
    table_banner(&b, &f.run, NULL, &f.machine, &style);
    tap_ok(strstr(b.data, "Target     /x\n"), "or the path that was asked for");
    buf_done(&b);
    scene_done(&f);
}

int main(void)
{
    test_goldens();
    test_golden_files();
    test_rules();
    test_trust();
    test_banner();
    test_no_target();
    return tap_done();
}
