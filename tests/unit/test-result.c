/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The forms of a result, against golden files, and what holds for each of them whatever the run is.
 * With STHD_GOLDEN_WRITE=DIR the golden files are written there instead of compared.
 */
#include <dirent.h>
#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "report/writers.h"
#include "scenes.h"
#include "sthd/jsonfile.h"
#include "sthd/result.h"
#include "sthd/text.h"
#include "tap.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static const char *const extensions[RESULT_FORMATS] = {
    [FORMAT_TABLE] = "txt",   [FORMAT_JSON] = "json", [FORMAT_CSV] = "csv",
    [FORMAT_MARKDOWN] = "md", [FORMAT_CDM] = "cdm",
};

/* A split and findings, as a run on a machine with sleepy cores has them. */
static void add_verdict(struct fixture *f, struct verdict *v)
{
    static const struct waterfall_facts split = {.device_seen = true,
                                                 .write_ms = 1330,
                                                 .flush_ms = 42,
                                                 .seconds = 5,
                                                 .ios = 15244,
                                                 .mean_ns = 326000,
                                                 .threads = 1,
                                                 .queue_depth = 1};
    static const struct verdict_facts facts = {
        .zfs_log_device = FACT_NO,
        .kind_known = true,
        .kind = TARGET_ZFS,
        .encrypted = FACT_YES,
        .tests = {{.name = "T1 write",
                   .direction = DIRECTION_WRITE,
                   .threads = 1,
                   .queue_depth = 1,
                   .sync = true,
                   .iops = 3049,
                   .waterfall = {.bound = BOUND_SOFTWARE, .total_ns = 328e3, .device_ns = 90e3},
                   .cpu = {.governors = "schedutil", .performance = FACT_NO, .now_hz = 1.2e9}}},
        .n_tests = 1,
    };

    run_device(&f->run, 0, DIRECTION_WRITE, NULL, &split);
    verdict_judge(v, &facts);
}

static void print(struct buf *out, const char *scene, enum result_format format)
{
    static const char *const argv[] = {"/usr/bin/fio", "--name=SEQ1M-Q8T1-read",
                                       "--filename=/proc/self/fd/6"};
    struct table_style style = {.utf8 = true, .columns = 80};
    struct fixture f;
    struct result result = {
        .version = "0.1.0", .run = &f.run, .target = &f.target, .machine = &f.machine};
    struct strv command;

    struct verdict *verdict = calloc(1, sizeof(*verdict));

    scene_make(&f, scene);
    if (strcmp(scene, "slog-per-job") == 0) {
        add_verdict(&f, verdict);
        result.verdict = verdict;
    }
    f.target.options = (char *)"rw,noatime";
    run_set_wall_clock(&f.run, 1796047509123456789, 3600);
    strv_init(&command);
    for (size_t i = 0; i < COUNT(argv); i++)
        strv_add(&command, argv[i]);
    run_set_command(&f.run, f.plan.n_steps > 1 ? 1 : 0, &command);
    strv_done(&command);
    result_write(out, format, &result, &style);
    scene_done(&f);
    free(verdict);
}

static const struct golden {
    const char *scene;
    enum result_format format;
} goldens[] = {
    {"demo-mix", FORMAT_JSON},         {"cdm-running", FORMAT_JSON},
    {"slog-per-job", FORMAT_JSON},     {"hostile", FORMAT_JSON},
    {"cdm-done", FORMAT_CSV},          {"cdm-failed", FORMAT_CSV},
    {"hostile", FORMAT_CSV},           {"cdm-done", FORMAT_MARKDOWN},
    {"slog-per-job", FORMAT_TABLE},    {"slog-per-job", FORMAT_MARKDOWN},
    {"cdm-buffered", FORMAT_MARKDOWN}, {"hostile", FORMAT_MARKDOWN},
    {"cdm-done", FORMAT_CDM},          {"demo-mix", FORMAT_CDM},
    {"slog-done", FORMAT_CDM},         {"cdm-failed", FORMAT_CDM},
    {"cdm-stopped", FORMAT_CDM},       {"dd-done", FORMAT_CDM},
    {"hostile", FORMAT_CDM},
};

static void golden_name(char *out, size_t size, const struct golden *g)
{
    snprintf(out, size, "%s.%s", g->scene, extensions[g->format]);
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
        snprintf(fixture, sizeof(fixture), "results/%s", name);
        print(&b, goldens[i].scene, goldens[i].format);
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
    size_t files = 0;

    snprintf(path, sizeof(path), "%s/results", dir ? dir : "tests/fixtures");
    DIR *d = opendir(path);
    if (!tap_ok(d, "there are golden files") || !d)
        return;
    for (struct dirent *entry; (entry = readdir(d));)
        files += entry->d_name[0] != '.';
    closedir(d);
    tap_int((long long)files, COUNT(goldens), "and each of them is compared");
}

/* ---- what holds for every run in every form ---- */

/* NULL, or what is wrong: control characters, malformed UTF-8, figures that are none. */
static const char *broken_rule(const struct buf *b)
{
    size_t used;

    if (b->len == 0 || b->data[b->len - 1] != '\n')
        return "the last line does not end";
    for (size_t i = 0; i < b->len; i += used) {
        uint32_t c = text_decode(b->data + i, b->len - i, &used);
        if (c != '\n' && !text_char_printable(c))
            return "a character is not printable";
        if (c == 0xfffd && used == 1)
            return "it is not UTF-8";
    }
    if (strstr(b->data, "nan") || strstr(b->data, "inf,") || strstr(b->data, " inf"))
        return "a figure is none";
    return NULL;
}

static void test_rules(void)
{
    for (size_t i = 0; scene_name(i); i++)
        for (int format = 0; format < RESULT_FORMATS; format++) {
            struct buf b = BUF_INIT;
            print(&b, scene_name(i), (enum result_format)format);
            const char *broken = broken_rule(&b);
            tap_ok(!broken, "%s.%s: %s", scene_name(i), extensions[format],
                   broken ? broken : "keeps the rules");
            buf_done(&b);
        }
}

/* Fields of the CSV line at *at, which moves behind it; -1: the quoting is wrong. */
static int count_fields(const char **at)
{
    const char *c = *at;
    int n = 1;

    while (*c && *c != '\n') {
        if (*c == ',') {
            n++;
            c++;
        } else if (*c == '"') {
            for (c++; *c && !(c[0] == '"' && c[1] != '"'); c++)
                c += *c == '"';
            if (*c++ != '"' || (*c != ',' && *c != '\n'))
                return -1;
        } else {
            size_t plain = strcspn(c, ",\n\"");
            c += plain;
            if (*c == '"')
                return -1;
        }
    }
    *at = *c ? c + 1 : c;
    return n;
}

static void test_csv(void)
{
    for (size_t i = 0; scene_name(i); i++) {
        struct buf b = BUF_INIT;
        int heads, lines = 0, bad = 0;

        print(&b, scene_name(i), FORMAT_CSV);
        const char *at = b.data;
        heads = count_fields(&at);
        for (; *at; lines++)
            bad += count_fields(&at) != heads;
        tap_ok(heads > 10 && lines > 0 && bad == 0, "%s.csv: %d fields in each of %d lines",
               scene_name(i), heads, lines);
        buf_done(&b);
    }
}

/* ---- JSON ---- */

static const struct json *parse(struct jsonfile **file, const struct buf *b, const char *name)
{
    struct err e;

    err_clear(&e);
    int rc = jsonfile_parse(file, name, b->data, b->len, &e);
    tap_ok(rc == 0, "%s is JSON %s", name, e.text);
    return rc == 0 ? jsonfile_root(*file) : NULL;
}

/* Whether two objects have the same keys, in the same order, all the way down where both have. */
static bool same_keys(const struct json *a, const struct json *b)
{
    if (json_count(a) != json_count(b))
        return false;
    for (size_t i = 0; i < json_count(a); i++) {
        const struct json *x = json_at(a, i), *y = json_at(b, i);
        if (strcmp(json_key(x), json_key(y)) != 0)
            return false;
        if (json_type(x) == JSON_OBJECT && json_type(y) == JSON_OBJECT && !same_keys(x, y))
            return false;
    }
    return true;
}

static bool cells_alike(const struct json *cells)
{
    for (size_t i = 1; i < json_count(cells); i++)
        if (!same_keys(json_at(cells, 0), json_at(cells, i)))
            return false;
    return true;
}

static void test_json(void)
{
    struct buf first = BUF_INIT;
    struct jsonfile *first_file = NULL, *file = NULL;

    print(&first, scene_name(0), FORMAT_JSON);
    const struct json *want = parse(&first_file, &first, scene_name(0));
    for (size_t i = 1; scene_name(i); i++) {
        struct buf b = BUF_INIT;
        print(&b, scene_name(i), FORMAT_JSON);
        const struct json *got = parse(&file, &b, scene_name(i));
        const char *format = json_string(json_get(got, "format"));
        tap_str(format ? format : "", RESULT_JSON_FORMAT, "%s says what it is", scene_name(i));
        tap_ok(same_keys(want, got), "%s has all keys", scene_name(i));
        tap_ok(cells_alike(json_get(got, "cells")), "%s: so have its cells", scene_name(i));
        jsonfile_free(file);
        file = NULL;
        buf_done(&b);
    }
    jsonfile_free(first_file);
    buf_done(&first);
}

static const struct json *cell_of(const struct json *root, const char *test, const char *direction)
{
    const struct json *cells = json_get(root, "cells");

    for (size_t i = 0; i < json_count(cells); i++) {
        const struct json *c = json_at(cells, i);
        if (strcmp(json_string(json_get(c, "test")), test) == 0 &&
            strcmp(json_string(json_get(c, "direction")), direction) == 0)
            return c;
    }
    return NULL;
}

static const struct json *parse_scene(struct jsonfile **file, struct buf *b, const char *scene)
{
    print(b, scene, FORMAT_JSON);
    return parse(file, b, scene);
}

/* That the values under the keys are the run's, in the unit of the name. */
static void test_json_values(void)
{
    struct buf b = BUF_INIT;
    struct jsonfile *file = NULL;
    const struct json *root = parse_scene(&file, &b, "cdm-done");
    const struct json *cell = cell_of(root, "SEQ1M Q8T1", "read");
    const struct json *figures = json_get(cell, "figures");

    tap_near(json_number(json_get(figures, "bytes_per_s")), 6912.4e6, 1e-3, "bytes per second");
    tap_near(json_number(json_get(figures, "iops")), 6912.4e6 / 1048576, 1e-6, "IOPS");
    tap_near(json_number(json_get(figures, "lat_p50_ns")), 1.1e6, 1e-6, "p50 in ns");
    tap_near(json_number(json_get(figures, "lat_p99_ns")), 1.31e6, 1e-6, "p99 in ns");
    tap_str(json_string(json_get(cell, "state")), "done", "state");
    tap_ok(json_type(json_get(cell, "why")) == JSON_NULL, "nothing to say is null");
    tap_ok(!json_bool(json_get(cell, "end_fsync")), "a read has no fsync");
    tap_ok(json_bool(json_get(cell_of(root, "SEQ1M Q8T1", "write"), "end_fsync")), "a write has");
    tap_near(json_number(json_get(json_get(root, "machine"), "ram_bytes")), 128.0 * (1u << 30), 0,
             "RAM in bytes");
    tap_str(json_string(json_get(json_get(root, "time"), "began")), "2026-11-30T15:05:09+01:00",
            "the time, in the user's zone");
    tap_near(json_number(json_get(json_get(root, "time"), "began_unix_s")), 1796047509, 0,
             "and as a number");
    tap_near(json_number(json_get(json_get(root, "time"), "seconds")), 42, 1e-9, "how long");
    const struct json *step = json_at(json_get(root, "steps"), 1);
    tap_int((long long)json_count(json_get(step, "command")), 3, "the command of a step");
    tap_str(json_string(json_get(step, "outcome")), "ok", "its outcome");
    tap_near(json_number(json_get(step, "seconds")), 5, 1e-9, "its time");
    tap_near(json_number(json_get(json_get(root, "exit"), "code")), 0, 0, "exit code");
    jsonfile_free(file);
    buf_clear(&b);

    root = parse_scene(&file, &b, "dd-done");
    figures = json_get(cell_of(root, "SEQ1M cached", "read"), "figures");
    tap_near(json_number(json_get(figures, "bytes_per_s")), 9.1e9, 1e-3, "dd: bytes per second");
    tap_ok(json_get(figures, "lat_p50_ns") &&
               json_type(json_get(figures, "lat_p50_ns")) == JSON_NULL,
           "dd has no latency: null, and there");
    jsonfile_free(file);
    buf_clear(&b);

    root = parse_scene(&file, &b, "demo-mix");
    cell = cell_of(root, "SEQ1M Q8T1", "mix");
    tap_int((long long)json_count(json_get(cell, "runs")), 3, "three runs, and no warm-up");
    tap_near(json_number(json_get(cell, "rate_of_run")), 2, 0, "the second was the best");
    tap_near(json_number(json_get(cell, "mix_percent_reads")), 70, 0, "share of reads");
    jsonfile_free(file);
    buf_clear(&b);

    root = parse_scene(&file, &b, "cdm-failed");
    cell = cell_of(root, "SEQ1M Q1T1", "read");
    tap_str(json_string(json_get(cell, "state")), "failed", "a cell that failed");
    tap_ok(json_type(json_get(json_get(cell, "figures"), "iops")) == JSON_NULL, "has no figure");
    tap_near(json_number(json_get(json_get(root, "exit"), "code")), EXIT_CODE_TEST_FAILED, 0,
             "exit code of a failed run");
    jsonfile_free(file);
    buf_done(&b);
}

static void test_probe(void)
{
    static const struct table_style style = {.utf8 = false, .columns = 80};
    struct capability c;
    struct fixture f;
    struct buf b = BUF_INIT;
    struct jsonfile *file = NULL;

    scene_make(&f, "cdm-waiting");
    struct result result = {.version = "0.1.0", .target = &f.target, .machine = &f.machine};
    capability_init(&c);
    c.probed = true;
    c.auto_engine = ENGINE_PSYNC;
    c.direct_works = false;
    memset(c.engine_usable, 0, sizeof(c.engine_usable));
    c.engine_usable[ENGINE_PSYNC] = true;
    strcpy(c.engine_reason[ENGINE_IO_URING], "not permitted \033[2J");
    strcpy(c.engine_reason[ENGINE_PSYNC], "works");
    strcpy(c.direct_reason, "the file system refuses O_DIRECT");
    result_probe(&b, FORMAT_TABLE, &result, &c, 0.312, &style);
    tap_ok(!broken_rule(&b), "probe: printable");
    tap_ok(strstr(b.data, "\nio_uring    no      not permitted \\x1b[2J\n"),
           "an engine that fails");
    tap_ok(strstr(b.data, "\npsync       yes     works\n"), "an engine that works");
    tap_ok(strstr(b.data, "\nO_DIRECT    no      the file system refuses"), "O_DIRECT");
    tap_ok(strstr(b.data, "312 ms"), "what it took");
    tap_ok(strstr(b.data, "auto means psync here, and I/O is buffered"), "and what follows");
    buf_clear(&b);
    result_probe(&b, FORMAT_JSON, &result, &c, 0.312, &style);
    const struct json *root = parse(&file, &b, "probe");
    const struct json *capability = json_get(root, "capability");
    tap_str(json_string(json_get(root, "kind")), "probe", "probe: kind");
    tap_near(json_number(json_get(root, "seconds")), 0.312, 1e-12, "probe: seconds");
    tap_str(json_string(json_get(capability, "auto_engine")), "psync", "probe: engine");
    tap_int((long long)json_count(json_get(capability, "engines")), ENGINE_COUNT - 1,
            "probe: every engine");
    jsonfile_free(file);
    buf_done(&b);
    scene_done(&f);
}

/* ---- numbers and times ---- */

static void check_numbers(const char *locale)
{
    static const struct {
        double x;
        const char *text;
    } rows[] = {
        {0, "0"},
        {1.5, "1.5"},
        {-0.25, "-0.25"},
        {6912400000, "6912400000"},
        {0.1, "0.1"},
        {1e300, "1e+300"},
        {97.123456789012345, "97.123456789012351"},
        {1.0 / 3, "0.33333333333333331"},
        {9007199254740993.0, "9007199254740992"},
        {5e-324, "4.94065645841247e-324"},
        {DBL_MAX, "1.7976931348623157e+308"},
    };
    char text[NUMBER_TEXT];

    for (size_t i = 0; i < COUNT(rows); i++)
        tap_str(number_text(text, rows[i].x), rows[i].text, "%s: number %zu", locale, i);
}

/* A locale with a comma, made here, so that the test does not depend on what is installed. */
static bool use_comma_locale(const char *dir)
{
    char command[600];

    snprintf(command, sizeof(command),
             "localedef --no-archive -i de_DE -f UTF-8 '%s/de_DE.UTF-8' >/dev/null 2>&1", dir);
    if (system(command) != 0 && access(dir, F_OK) != 0)
        return false;
    setenv("LOCPATH", dir, 1);
    return setlocale(LC_ALL, "de_DE.UTF-8") && strcmp(localeconv()->decimal_point, ",") == 0;
}

static void test_locale(void)
{
    char dir[] = "/tmp/sthd-locale-XXXXXX", command[64];
    struct buf plain[RESULT_FORMATS] = {0}, comma = BUF_INIT;

    check_numbers("C");
    for (int f = 0; f < RESULT_FORMATS; f++)
        print(&plain[f], "cdm-running", (enum result_format)f);
    if (!mkdtemp(dir))
        return;
    if (use_comma_locale(dir)) {
        check_numbers("de_DE");
        for (int f = FORMAT_JSON; f < RESULT_FORMATS; f++) {
            if (f == FORMAT_MARKDOWN) /* people's numbers, from units.c: made under LC_NUMERIC=C */
                continue;
            buf_clear(&comma);
            print(&comma, "cdm-running", (enum result_format)f);
            tap_str(comma.data, plain[f].data, "de_DE: %s is the same", extensions[f]);
        }
    } else {
        tap_skip("localedef cannot make de_DE here", "numbers in a locale with a comma");
    }
    setlocale(LC_ALL, "C");
    unsetenv("LOCPATH");
    snprintf(command, sizeof(command), "rm -rf '%s'", dir);
    tap_int(system(command), 0, "the locale is removed");
    for (int f = 0; f < RESULT_FORMATS; f++)
        buf_done(&plain[f]);
    buf_done(&comma);
}

static void test_time(void)
{
    static const struct {
        int64_t unix_ns;
        int offset_s;
        const char *text;
    } rows[] = {
        {0, 3600, ""},
        {1796047509123456789, 0, "2026-11-30T14:05:09+00:00"},
        {1796047509123456789, -12600, "2026-11-30T10:35:09-03:30"},
        {1796047509123456789, 50400, "2026-12-01T04:05:09+14:00"},
    };
    char text[TIME_TEXT];

    for (size_t i = 0; i < COUNT(rows); i++)
        tap_str(time_iso(text, rows[i].unix_ns, rows[i].offset_s), rows[i].text, "time %zu", i);
}

int main(void)
{
    test_goldens();
    test_golden_files();
    test_rules();
    test_csv();
    test_json();
    test_json_values();
    test_probe();
    test_locale();
    test_time();
    return tap_done();
}
