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

#include "fake-report.h"
#include "sthd/tables.h"
#include "sthd/text.h"
#include "tap.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define S        ((int64_t)1000000000)

struct fixture {
    struct profile profile;
    struct settings settings;
    struct capability capability;
    struct plan plan;
    struct run run;
    struct target target;
    struct machine machine;
    int64_t now_ns;
};

static void set_up(struct fixture *f, const char *profile)
{
    memset(f, 0, sizeof(*f));
    f->profile = *profile_find(profile);
    settings_init(&f->settings);
    f->settings.profile = &f->profile;
    capability_init(&f->capability);
    f->target = (struct target){.path = (char *)"/mnt/tank/vm",
                                .mount = (char *)"/mnt/tank/vm",
                                .fstype = (char *)"zfs",
                                .source = (char *)"tank/vm",
                                .kind = TARGET_ZFS,
                                .total_bytes = 2ull << 40,
                                .free_bytes = 1319413953331ull,
                                .writable = true};
    f->machine = (struct machine){
        .host = "nas01",
        .kernel = "Linux 6.12.15",
        .cpus = 32,
        .ram_bytes = 128ull << 30,
        .fio_version = "fio-3.33",
        .cpu_line = "schedutil x32, 1.2-3.3 GHz",
    };
}

static void start(struct fixture *f)
{
    struct err e;

    err_clear(&e);
    if (plan_build(&f->plan, &f->settings, &f->capability, 500e6, &e) != 0) {
        printf("Bail out! %s\n", e.text);
        exit(99);
    }
    f->now_ns = 100 * S;
    run_init(&f->run, &f->plan, f->now_ns);
}

static void tear_down(struct fixture *f)
{
    run_done(&f->run);
    plan_done(&f->plan);
    settings_done(&f->settings);
}

static struct fake_job job_of(const struct step *s, double bytes_per_s, double p50_ns,
                              double p99_ns, uint64_t runtime_ms)
{
    double iops = bytes_per_s / (double)s->block_bytes;

    return (struct fake_job){.ios = (uint64_t)(iops * (double)runtime_ms / 1000),
                             .iops = iops,
                             .bw_bytes_per_s = bytes_per_s,
                             .p50_ns = p50_ns,
                             .p99_ns = p99_ns,
                             .runtime_ms = runtime_ms};
}

static void prepare(struct fixture *f, enum step_outcome outcome, const char *why)
{
    struct fake_job job = job_of(&f->plan.steps[0], 1073741824, 1e6, 2e6, 1000);
    struct report r;

    report_init(&r);
    fake_report(&r, DIRECTION_WRITE, 1 << 20, &job, 1, 1000);
    run_step_begin(&f->run, 0, f->now_ns);
    run_step_end(&f->run, outcome, &r, why, f->now_ns += 2 * S);
    report_done(&r);
}

/* Ends the step with these jobs; n 0: without a report. */
static void finish(struct fixture *f, size_t step, enum step_outcome outcome,
                   const struct fake_job *jobs, size_t n, const char *why)
{
    const struct step *s = &f->plan.steps[step];
    struct report r;

    report_init(&r);
    if (n > 0)
        fake_report(&r, s->direction, s->block_bytes, jobs, n, 5000);
    run_step_begin(&f->run, step, f->now_ns);
    run_step_end(&f->run, outcome, n > 0 ? &r : NULL, why, f->now_ns += 5 * S);
    report_done(&r);
}

static const struct {
    double bytes_per_s, p50_ns, p99_ns;
} cdm_figures[8] = {
    {6912.4e6, 1.1e6, 1.31e6}, {4211e6, 1.9e6, 2.2e6}, {3120.7e6, 310e3, 402e3},
    {2904.1e6, 330e3, 521e3},  {2710e6, 700e3, 1.4e6}, {1985.5e6, 900e3, 3.1e6},
    {78.13e6, 48e3, 85e3},     {4.38e6, 890e3, 2.4e9},
};

static void finish_good(struct fixture *f, size_t first, size_t last)
{
    for (size_t i = first; i <= last; i++) {
        struct fake_job job = job_of(&f->plan.steps[i], cdm_figures[i - 1].bytes_per_s,
                                     cdm_figures[i - 1].p50_ns, cdm_figures[i - 1].p99_ns, 5000);
        finish(f, i, STEP_OK, &job, 1, NULL);
    }
}

static void scene_cdm_waiting(struct fixture *f)
{
    set_up(f, "cdm");
    start(f);
}

static void scene_cdm_done(struct fixture *f)
{
    set_up(f, "cdm");
    start(f);
    prepare(f, STEP_OK, NULL);
    finish_good(f, 1, 8);
    run_end(&f->run, false, f->now_ns);
}

static void scene_cdm_running(struct fixture *f)
{
    set_up(f, "cdm");
    start(f);
    prepare(f, STEP_OK, NULL);
    finish_good(f, 1, 3);
    const struct step *s = &f->plan.steps[4];
    struct report r;
    report_init(&r);
    run_step_begin(&f->run, 4, f->now_ns);
    for (uint64_t ms = 250; ms <= 1000; ms += 250) {
        struct fake_job job = job_of(s, 2899.5e6, 330e3, 521e3, ms);
        fake_report(&r, DIRECTION_WRITE, s->block_bytes, &job, 1, 100000 + (int64_t)ms);
        run_apply(&f->run, &r, f->now_ns + (200 + (int64_t)ms) * 1000000);
    }
    report_done(&r);
}

static void scene_cdm_failed(struct fixture *f)
{
    set_up(f, "cdm");
    start(f);
    prepare(f, STEP_OK, NULL);
    finish_good(f, 1, 2);
    finish(
        f, 3, STEP_FAILED, NULL, 0,
        "fio ended with an error: \033[31mNo space left\033[0m on \"/mnt/tank/vm\" (ENOSPC), and "
        "what it wrote has been removed");
    struct fake_job none = {.runtime_ms = 5000};
    finish(f, 4, STEP_OK, &none, 1, NULL);
    finish_good(f, 5, 8);
    run_end(&f->run, false, f->now_ns);
}

static void scene_cdm_stopped(struct fixture *f)
{
    set_up(f, "cdm");
    start(f);
    prepare(f, STEP_OK, NULL);
    finish_good(f, 1, 3);
    struct fake_job job = job_of(&f->plan.steps[4], 2904.1e6, 330e3, 521e3, 2100);
    finish(f, 4, STEP_STOPPED, &job, 1, NULL);
    run_end(&f->run, true, f->now_ns);
}

static void scene_cdm_buffered(struct fixture *f)
{
    set_up(f, "cdm");
    f->capability.direct_works = false;
    f->capability.probed = true;
    memset(f->capability.engine_usable, true, sizeof(f->capability.engine_usable));
    f->capability.auto_engine = ENGINE_PSYNC;
    strcpy(f->capability.direct_reason, "open with O_DIRECT says EINVAL");
    f->target.fstype = (char *)"tmpfs";
    f->target.source = (char *)"tmpfs";
    f->target.path = (char *)"/dev/shm/bench";
    f->target.mount = (char *)"/dev/shm";
    strcpy(f->target.note, "RAM, not a disk");
    settings_add_extra(&f->settings, "--rate_iops=100", NULL);
    start(f);
    prepare(f, STEP_OK, NULL);
    finish_good(f, 1, 8);
    run_end(&f->run, false, f->now_ns);
}

static void scene_cdm_unprepared(struct fixture *f)
{
    set_up(f, "cdm");
    start(f);
    prepare(f, STEP_FAILED, "the disk is full");
    run_say(&f->run, "something else");
    run_end(&f->run, false, f->now_ns);
}

static void slog_steps(struct fixture *f, bool per_job)
{
    static const double p50[] = {85e3, 98e3, 121e3, 240e3}, p99[] = {142e3, 201e3, 260e3, 1.3e6};
    static const double mb[] = {43.8e6, 153.2e6, 249.4e6, 262e6};

    prepare(f, STEP_OK, NULL);
    for (size_t i = 0; i < 4; i++) {
        struct fake_job jobs[16];
        size_t n = per_job ? f->profile.tests[i].threads : 1;
        for (size_t j = 0; j < n; j++) {
            double skew = n > 1 ? 0.9 + 0.2 * (double)j / (double)(n - 1) : 1;
            jobs[j] = job_of(&f->plan.steps[i + 1], mb[i] / (double)n * skew, p50[i] / skew,
                             p99[i] / skew, 5000);
        }
        finish(f, i + 1, STEP_OK, jobs, n, NULL);
    }
    run_end(&f->run, false, f->now_ns);
}

static void scene_slog_waiting(struct fixture *f)
{
    set_up(f, "slog");
    start(f);
}

static void scene_slog_done(struct fixture *f)
{
    set_up(f, "slog");
    f->settings.engine = ENGINE_LIBAIO;
    start(f);
    slog_steps(f, false);
}

static void scene_slog_per_job(struct fixture *f)
{
    set_up(f, "slog");
    f->settings.per_job = true;
    start(f);
    slog_steps(f, true);
}

static void scene_slog_stopped(struct fixture *f)
{
    set_up(f, "slog");
    start(f);
    prepare(f, STEP_OK, NULL);
    struct fake_job job = job_of(&f->plan.steps[1], 43.8e6, 85e3, 142e3, 900);
    finish(f, 1, STEP_SKIPPED, &job, 1, NULL);
    finish(f, 2, STEP_SKIPPED, NULL, 0, NULL);
    finish(f, 3, STEP_STOPPED, NULL, 0, NULL);
    run_end(&f->run, true, f->now_ns);
}

/* Names, words and figures as bad as they can be. */
static void scene_hostile(struct fixture *f)
{
    set_up(f, "cdm");
    strcpy(f->profile.tests[0].name, "MMMMMMMMMMMMMMMMMMMMMMM");
    f->profile.tests[1].directions = 1u << DIRECTION_MIX;
    f->profile.tests[2].end_fsync = false;
    f->profile.tests[3].engine = ENGINE_PSYNC;
    f->profile.tests[3].io = IO_BUFFERED;
    strcpy(f->profile.note, "x\033[2J\xff\xe4\xb8\x96\xe7\x95\x8c");
    f->target.path = (char *)"/mnt/\033[2J\n\xff/\xe4\xb8\x96\xe7\x95\x8c\xe4\xb8\x96\xe7\x95\x8c/"
                             "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
                             "\xe4\xb8\x96\xe7\x95\x8c\xe4\xb8\x96\xe7\x95\x8c\xe4\xb8\x96\xe7\x95"
                             "\x8c\xe4\xb8\x96\xe7\x95\x8c\xe4\xb8\x96\xe7\x95\x8c\xe4\xb8\x96";
    f->target.mount = NULL;
    f->target.source = NULL;
    f->target.fstype = (char *)"fuse.\t\x9b";
    f->target.free_bytes = f->target.total_bytes = UINT64_MAX;
    strcpy(f->target.note, "e\xcc\x81\xe2\x80\xae reversed");
    memset(f->machine.kernel, 'k', sizeof(f->machine.kernel) - 1);
    f->machine.cpu_line[0] = '\0';
    strcpy(f->machine.host, "\033]0;title\a");
    settings_add_extra(&f->settings, "--comment=it's \xe4\xb8\x96", NULL);
    start(f);
    prepare(f, STEP_OK, NULL);
    for (size_t i = 1; i < f->plan.n_steps; i++) {
        struct fake_job job = {.ios = UINT32_MAX,
                               .iops = 1e17,
                               .bw_bytes_per_s = 1e20,
                               .p50_ns = 1e18,
                               .p99_ns = 1e19,
                               .runtime_ms = 5000};
        finish(f, i, i == 2 ? STEP_FAILED : STEP_OK, &job, 1,
               i == 2 ? "\033[2J \xff wwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwww"
                        "wwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwww"
                      : NULL);
    }
    run_end(&f->run, false, f->now_ns);
}

static const struct {
    const char *name;
    void (*make)(struct fixture *f);
} scenes[] = {
    {"cdm-waiting", scene_cdm_waiting},       {"cdm-done", scene_cdm_done},
    {"cdm-running", scene_cdm_running},       {"cdm-failed", scene_cdm_failed},
    {"cdm-stopped", scene_cdm_stopped},       {"cdm-buffered", scene_cdm_buffered},
    {"cdm-unprepared", scene_cdm_unprepared}, {"slog-waiting", scene_slog_waiting},
    {"slog-done", scene_slog_done},           {"slog-per-job", scene_slog_per_job},
    {"slog-stopped", scene_slog_stopped},     {"hostile", scene_hostile},
};

static void print(struct buf *out, const char *scene, struct table_style style)
{
    for (size_t i = 0; i < COUNT(scenes); i++)
        if (strcmp(scenes[i].name, scene) == 0) {
            struct fixture f;
            scenes[i].make(&f);
            table_banner(out, &f.run, &f.target, &f.machine, &style);
            table_run(out, &f.run, &style);
            tear_down(&f);
            return;
        }
    abort();
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
    {"hostile", false, 80},      {"hostile", true, 40},
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
    for (size_t i = 0; i < COUNT(scenes); i++)
        for (int utf8 = 0; utf8 <= 1; utf8++) {
            const char *broken = NULL;
            int columns = 0;
            bool same = true;
            for (int c = 20; !broken && c <= 100; c++) {
                struct buf plain = BUF_INIT, colour = BUF_INIT;
                print(&plain, scenes[i].name, (struct table_style){.utf8 = utf8, .columns = c});
                print(&colour, scenes[i].name,
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
            tap_ok(!broken, "%s in %s at every width: %s (at %d)", scenes[i].name,
                   utf8 ? "UTF-8" : "ASCII", broken ? broken : "keeps the rules", columns);
            tap_ok(same, "%s in %s: colour changes no character", scenes[i].name,
                   utf8 ? "UTF-8" : "ASCII");
        }
}

static void test_no_target(void)
{
    struct fixture f;
    struct buf b = BUF_INIT;
    struct table_style style = {.columns = 80};

    scene_cdm_waiting(&f);
    table_banner(&b, &f.run, NULL, &f.machine, &style);
    tap_ok(strstr(b.data, "Target     -\n"), "a target that is not known is a dash");
    buf_clear(&b);
    settings_set_path(&f.plan.settings, "/x");
    table_banner(&b, &f.run, NULL, &f.machine, &style);
    tap_ok(strstr(b.data, "Target     /x\n"), "or the path that was asked for");
    buf_done(&b);
    tear_down(&f);
}

int main(void)
{
    test_goldens();
    test_golden_files();
    test_rules();
    test_no_target();
    return tap_done();
}
