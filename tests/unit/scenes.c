/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs as they may stand when they are written down; see scenes.h. */
#include "scenes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fake-report.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define S        ((int64_t)1000000000)

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

void scene_done(struct fixture *f)
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

/* CrystalDiskMark's manners: a warm-up, three runs of which the best counts, and a mix. */
static void scene_demo_mix(struct fixture *f)
{
    static const double skew[] = {0, 0.96, 1, 0.98}; /* the warm-up, then the runs */

    set_up(f, "cdm-demo");
    f->settings.mix_percent = 70;
    start(f);
    prepare(f, STEP_OK, NULL);
    for (size_t i = 1; i < f->plan.n_steps; i++) {
        const struct step *s = &f->plan.steps[i];
        double rate = (s->warmup ? 0.5 : skew[s->loop + 1]) * 3e9;
        struct fake_job job = job_of(s, rate, 2.4e6, 3.1e6, 5000);
        finish(f, i, STEP_OK, &job, 1, NULL);
    }
    run_end(&f->run, false, f->now_ns);
}

/* Reads and writes apart, with what a mix's distribution is of each. */
static void scene_mixed_done(struct fixture *f)
{
    set_up(f, "mixed");
    start(f);
    prepare(f, STEP_OK, NULL);
    struct fake_job job = job_of(&f->plan.steps[1], 180e6, 2.4e6, 7.1e6, 20000);
    finish(f, 1, STEP_OK, &job, 1, NULL);
    run_end(&f->run, false, f->now_ns);
}

/* A cache of 12 GiB, and what is behind it. */
static void scene_sustained_done(struct fixture *f)
{
    struct report r;
    double bytes = 0;
    int64_t ms = 0;

    set_up(f, "sustained");
    start(f);
    double all = (double)f->plan.settings.size_bytes;
    run_step_begin(&f->run, 0, f->now_ns);
    report_init(&r);
    while (bytes < all) {
        bytes += (bytes < 12.0 * (1 << 30) ? 3.2e9 : 0.6e9) / 4;
        bytes = bytes < all ? bytes : all;
        ms += 250;
        struct fake_job job = {.ios = (uint64_t)(bytes / (1 << 20)),
                               .iops = bytes / (1 << 20) * 1000 / (double)ms,
                               .bw_bytes_per_s = bytes * 1000 / (double)ms,
                               .p50_ns = 2.5e6,
                               .p99_ns = 14e6,
                               .runtime_ms = (uint64_t)ms};
        fake_report(&r, DIRECTION_WRITE, 1 << 20, &job, 1, 1700000000000 + ms);
        f->now_ns += 250000000;
        run_apply(&f->run, &r, f->now_ns);
    }
    run_step_end(&f->run, STEP_OK, &r, NULL, f->now_ns);
    report_done(&r);
    run_end(&f->run, false, f->now_ns);
}

/* No latencies, and two rows that differ only in what they read from. */
static void scene_dd_done(struct fixture *f)
{
    static const double rates[] = {812e6, 640e6, 9.1e9};

    set_up(f, "dd");
    start(f);
    prepare(f, STEP_OK, NULL);
    for (size_t i = 1; i < f->plan.n_steps; i++) {
        struct fake_job job = job_of(&f->plan.steps[i], rates[i - 1], NAN, NAN, 1300);
        finish(f, i, STEP_OK, &job, 1, NULL);
    }
    run_end(&f->run, false, f->now_ns);
}

static const struct {
    const char *name;
    void (*make)(struct fixture *f);
} scenes[] = {
    {"cdm-waiting", scene_cdm_waiting},
    {"cdm-done", scene_cdm_done},
    {"cdm-running", scene_cdm_running},
    {"cdm-failed", scene_cdm_failed},
    {"cdm-stopped", scene_cdm_stopped},
    {"cdm-buffered", scene_cdm_buffered},
    {"cdm-unprepared", scene_cdm_unprepared},
    {"slog-waiting", scene_slog_waiting},
    {"slog-done", scene_slog_done},
    {"slog-per-job", scene_slog_per_job},
    {"slog-stopped", scene_slog_stopped},
    {"hostile", scene_hostile},
    {"demo-mix", scene_demo_mix},
    {"mixed-done", scene_mixed_done},
    {"sustained-done", scene_sustained_done},
    {"dd-done", scene_dd_done},
};

const char *scene_name(size_t i)
{
    return i < COUNT(scenes) ? scenes[i].name : NULL;
}

void scene_make(struct fixture *f, const char *name)
{
    for (size_t i = 0; i < COUNT(scenes); i++)
        if (strcmp(scenes[i].name, name) == 0) {
            scenes[i].make(f);
            return;
        }
    abort();
}
