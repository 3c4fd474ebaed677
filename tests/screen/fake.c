/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A made-up machine and made-up runs. Deterministic: no clock, no file, no random seed. */
#include "fake.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sthd/mem.h"
#include "sthd/units.h"

#define SECOND INT64_C(1000000000)

struct fake {
    struct machine machine;
    struct cpu_state cpu;
    struct knob_panel knobs;
    struct targets targets;
    struct settings settings;
    struct capability capability;
    struct plan plan;
    bool planned;
    struct strv command;
    struct lines *raw;
    struct run run;
    bool running;
    int64_t now_ns;
    uint32_t noise;
    double speed; /* times the usual rate; 0 is 1 */
    struct verdict verdict;
    struct ui_model model;
    char plan_problem[512];
};

static double noise(struct fake *f)
{
    f->noise = f->noise * 1664525u + 1013904223u;
    return (double)(f->noise >> 8) / (double)(1u << 24);
}

static const struct {
    const char *path, *fstype, *source, *options, *note;
    enum target_kind kind;
    uint64_t total_gib, free_gib;
    bool read_only;
} mounts[] = {
    {"/mnt/tank/vm", "zfs", "tank/vm", "rw,noatime,xattr,posixacl",
     "ZFS: its cache may answer reads", TARGET_ZFS, 3600, 1229, false},
    {"/mnt/tank", "zfs", "tank", "rw,noatime,xattr,posixacl", "ZFS: its cache may answer reads",
     TARGET_ZFS, 3600, 1229, false},
    {"/", "ext4", "/dev/nvme1n1p2", "rw,relatime,errors=remount-ro", "", TARGET_DISK, 110, 78,
     false},
    {"/boot/efi", "vfat", "/dev/nvme1n1p1", "rw,relatime,fmask=0077", "", TARGET_DISK, 1, 1, false},
    {"/mnt/backup", "nfs4", "nas02:/export/backup", "rw,relatime,vers=4.2,hard",
     "NFS: the device is not visible here", TARGET_NETWORK, 7200, 2048, false},
    {"/mnt/iso", "iso9660", "/dev/loop0", "ro,relatime", "read-only", TARGET_DISK, 4, 0, true},
    {"/dev/shm", "tmpfs", "tmpfs", "rw,nosuid,nodev", "RAM, not a disk", TARGET_RAM, 63, 63, false},
};
#define N_MOUNTS (sizeof(mounts) / sizeof(mounts[0]))

static void make_targets(struct fake *f)
{
    f->targets.n = N_MOUNTS;
    f->targets.items = mem_zalloc(N_MOUNTS * sizeof(*f->targets.items));
    for (size_t i = 0; i < N_MOUNTS; i++) {
        struct target *t = &f->targets.items[i];
        t->path = mem_strdup(mounts[i].path);
        t->mount = mem_strdup(mounts[i].path);
        t->fstype = mem_strdup(mounts[i].fstype);
        t->source = mem_strdup(mounts[i].source);
        t->options = mem_strdup(mounts[i].options);
        t->kind = mounts[i].kind;
        t->total_bytes = mounts[i].total_gib << 30;
        t->free_bytes = mounts[i].free_gib << 30;
        t->read_only = mounts[i].read_only;
        t->writable = !t->read_only;
        snprintf(t->note, sizeof(t->note), "%s", mounts[i].note);
    }
}

static void make_machine(struct fake *f)
{
    struct machine *m = &f->machine;

    snprintf(m->host, sizeof(m->host), "nas01");
    snprintf(m->kernel, sizeof(m->kernel), "Linux 6.12.15");
    m->cpus = 32;
    m->ram_bytes = (uint64_t)128 << 30;
    snprintf(m->fio_version, sizeof(m->fio_version), "fio-3.33");
    snprintf(m->fio_path, sizeof(m->fio_path), "/usr/bin/fio");
    snprintf(m->cpu_line, sizeof(m->cpu_line), "schedutil x32, 1.2-3.3 GHz");
}

static void make_cpu(struct fake *f)
{
    struct cpu_state *s = &f->cpu;

    cpu_state_init(s);
    s->known = true;
    s->cpus = 32;
    cpu_count_add(s->governors, &s->n_governors, "performance", 32);
    snprintf(s->driver, sizeof(s->driver), "intel_cpufreq");
    s->min_khz = 1200000;
    s->max_khz = 3300000;
    s->now_khz = 3290000;
    s->boost = CPU_BOOST_ON;
    s->n_idle = 3;
    s->idle[0] = (struct cpu_idle){"POLL", 0, 0.01};
    s->idle[1] = (struct cpu_idle){"C1", 2, 0.05};
    s->idle[2] = (struct cpu_idle){"C6", 133, 0.83};
    s->busy = 0.11;
    s->asleep = 0;
    s->limit_us = 20;
}

static void choice(struct knob_state *s, const char *word)
{
    snprintf(s->choices[s->n_choices++], CPU_WORD, "%s", word);
}

static void make_knobs(struct fake *f)
{
    struct knob_state *k = f->knobs.knobs;

    f->knobs.known = true;
    choice(&k[KNOB_GOVERNOR], "performance");
    choice(&k[KNOB_GOVERNOR], "schedutil");
    snprintf(k[KNOB_GOVERNOR].set, CPU_WORD, "performance");
    snprintf(k[KNOB_GOVERNOR].was, sizeof(k[0].was), "schedutil x32");
    snprintf(k[KNOB_EPP].problem, sizeof(k[0].problem),
             "This machine has no EPP (a guest, or a driver without it)");
    choice(&k[KNOB_BOOST], "on");
    choice(&k[KNOB_BOOST], "off");
    snprintf(k[KNOB_BOOST].set, CPU_WORD, "off");
    snprintf(k[KNOB_BOOST].drift, sizeof(k[0].drift),
             "something else changed the boost: it was set to off and is on (tuned, "
             "power-profiles-daemon, thermald?)");
    choice(&k[KNOB_LIMIT], "off");
    choice(&k[KNOB_LIMIT], "0");
    choice(&k[KNOB_LIMIT], "20");
    snprintf(k[KNOB_LIMIT].set, CPU_WORD, "20");
}

static void make_capability(struct fake *f)
{
    static const char *const reasons[ENGINE_COUNT] = {
        [ENGINE_IO_URING] = "asynchronous, works here",
        [ENGINE_LIBAIO] = "io_setup says EAGAIN",
        [ENGINE_POSIXAIO] = "works here, with threads of the C library",
        [ENGINE_SYNC] = "works here, one request in flight per thread",
        [ENGINE_PSYNC] = "works here, one request in flight per thread",
    };

    capability_init(&f->capability);
    f->capability.probed = true;
    for (int i = 0; i < ENGINE_COUNT; i++) {
        f->capability.engine_usable[i] = i != ENGINE_LIBAIO;
        if (reasons[i])
            snprintf(f->capability.engine_reason[i], sizeof(f->capability.engine_reason[i]), "%s",
                     reasons[i]);
    }
    snprintf(f->capability.direct_reason, sizeof(f->capability.direct_reason),
             "O_DIRECT reads and writes work here");
}

/* Like fio's, but not asked for: pictures shall not change with the command. */
static void make_command(struct fake *f, size_t step)
{
    const struct step *s = &f->plan.steps[step];

    strv_done(&f->command);
    strv_add(&f->command, "fio");
    strv_add(&f->command, "--output-format=json+");
    strv_add(&f->command, "--status-interval=250ms");
    strv_add(&f->command, "--name=with a blank");
    strv_add(&f->command, "--filename=/proc/self/fd/9");
    strv_addf(&f->command, "--size=%llu", (unsigned long long)s->size_bytes);
    strv_addf(&f->command, "--rw=%s%s", s->pattern == PATTERN_RND ? "rand" : "",
              direction_name(s->direction));
    strv_addf(&f->command, "--bs=%llu", (unsigned long long)s->block_bytes);
    strv_addf(&f->command, "--ioengine=%s", engine_name(s->engine));
    strv_addf(&f->command, "--iodepth=%u", s->queue_depth);
    strv_addf(&f->command, "--numjobs=%u", s->threads);
    strv_add(&f->command, "--thread");
    strv_add(&f->command, "--group_reporting");
    f->model.command = &f->command;
}

static void make_plan(struct fake *f)
{
    struct err e = {0};

    if (f->planned)
        plan_done(&f->plan);
    f->planned = plan_build(&f->plan, &f->settings, &f->capability, 1.5e9, &e) == 0;
    f->model.plan = f->planned ? &f->plan : NULL;
    snprintf(f->plan_problem, sizeof(f->plan_problem), "%s", e.text);
    f->model.plan_problem = f->planned ? NULL : f->plan_problem;
    f->model.command = NULL;
    if (f->planned)
        make_command(f, f->plan.n_steps > 1 ? 1 : 0);
}

static void choose(struct fake *f, const char *path)
{
    settings_set_path(&f->settings, path);
    f->model.target = NULL;
    for (size_t i = 0; i < f->targets.n; i++)
        if (strcmp(f->targets.items[i].path, path) == 0)
            f->model.target = &f->targets.items[i];
    make_plan(f);
}

/* --- a run --------------------------------------------------------------------------------------
 */

static double test_rate(const struct step *s)
{
    double rate = s->pattern == PATTERN_SEQ ? (s->queue_depth > 1 ? 6.9e9 : 3.1e9)
                  : s->threads > 1          ? 2.4e9
                                            : 6.3e7;

    if (s->sync)
        rate = 4.4e7 * pow(s->threads, 0.75);
    return s->direction == DIRECTION_WRITE ? rate * 0.61 : rate;
}

static double speed_of(const struct fake *f)
{
    return f->speed > 0 ? f->speed : 1;
}

static struct figures made_figures(const struct step *s, double rate)
{
    double iops = rate / (double)s->block_bytes;
    double mean = 1e9 * s->queue_depth * s->threads / iops;

    return (struct figures){
        .bytes_per_s = rate,
        .iops = iops,
        .mean_ns = mean,
        .min_ns = mean * 0.4,
        .max_ns = mean * 21,
        .stddev_ns = mean * 0.3,
        .p50_ns = mean * 0.93,
        .p99_ns = mean * 1.9,
        .p999_ns = mean * 4.4,
    };
}

static struct cell *current(struct fake *f)
{
    return run_current_cell(&f->run);
}

static void add_sample(struct fake *f, struct cell *c, const struct figures *now)
{
    if (c->n_kept == c->cap) {
        c->cap = c->cap ? c->cap * 2 : 32;
        c->samples = mem_realloc_array(c->samples, c->cap, sizeof(*c->samples));
    }
    c->samples[c->n_kept++] = (struct sample){
        .at_ns = f->now_ns,
        .seconds = f->settings.interval_ms / 1000.0,
        .ios = (uint64_t)now->iops / 4,
        .iops = now->iops,
        .bytes_per_s = now->bytes_per_s,
        .mean_ns = now->mean_ns,
        .p50_ns = now->p50_ns,
        .p99_ns = now->p99_ns,
    };
    c->n_samples++;
}

static void make_sides(struct cell *c, const struct step *s)
{
    for (int d = DIRECTION_READ; d <= DIRECTION_WRITE; d++) {
        double share = (d == DIRECTION_READ ? s->mix_percent : 100 - s->mix_percent) / 100.0;
        struct side *side = &c->detail.sides[d];
        side->figures = c->mean;
        side->figures.bytes_per_s *= share;
        side->figures.iops *= share;
        for (size_t i = 0; i < RUN_PERCENTS; i++)
            side->percentile_ns[i] = c->mean.p50_ns * (d + 1) * exp(run_percents[i] / 40 - 1.25);
    }
}

bool fake_tick(struct fake *f)
{
    const struct step *s = run_current_step(&f->run);
    struct cell *c = current(f);

    f->now_ns += (int64_t)f->settings.interval_ms * 1000000;
    f->run.last_report_ns = f->run.now_ns = f->now_ns;
    f->run.generation++;
    if (!c) {
        f->run.prepare_bytes += (uint64_t)(1.4e9 / 4);
        if (f->run.prepare_bytes > f->settings.size_bytes)
            f->run.prepare_bytes = f->settings.size_bytes;
        f->run.prepare_done = (double)f->run.prepare_bytes / (double)f->settings.size_bytes;
        f->run.prepare_bytes_per_s = 1.4e9 + 1e8 * noise(f);
        return f->run.prepare_done < 1;
    }
    double rate = speed_of(f) * test_rate(s) * (0.94 + 0.12 * noise(f));
    c->now = made_figures(s, rate);
    c->now.p99_ns *= 0.8 + 0.9 * noise(f);
    c->mean = made_figures(s, test_rate(s) * (1 + 0.02 * (noise(f) - 0.5)));
    if (s->direction == DIRECTION_MIX)
        make_sides(c, s);
    add_sample(f, c, &c->now);
    struct stretch *st = &f->run.stretches[f->run.n_stretches - 1];
    st->seconds += f->settings.interval_ms / 1000.0;
    st->figures = made_figures(s, speed_of(f) * test_rate(s));
    lines_say(f->raw, "fio: {  \"fio version\" : \"fio-3.33\", \"timestamp_ms\" : %lld",
              (long long)(f->now_ns / 1000000));
    return f->now_ns - f->run.step_began_ns < (int64_t)s->runtime_s * SECOND;
}

static void end_step(struct fake *f)
{
    struct cell *c = current(f);

    if (c) {
        const struct step *s = run_current_step(&f->run);
        c->mean = made_figures(s, test_rate(s));
        c->state = CELL_DONE;
        if (s->threads == 16 && s->direction == DIRECTION_READ)
            c->spread = (struct job_spread){16, 8.1e5, 2.9e6, 35100, 38900, 7.4e5, 9.1e5};
    }
    f->run.state = RUN_BETWEEN;
    sampler_free(f->run.sampler);
    f->run.sampler = NULL;
}

void fake_next(struct fake *f)
{
    size_t next = f->run.step + 1;

    end_step(f);
    if (next >= f->plan.n_steps) {
        run_end(&f->run, false, f->now_ns);
        return;
    }
    f->now_ns += 300000000;
    run_step_begin(&f->run, next, f->now_ns);
    make_command(f, next);
    struct buf b = BUF_INIT;
    strv_quote(&f->command, &b);
    lines_say(f->raw, "%s", b.data);
    buf_done(&b);
}

void fake_start(struct fake *f)
{
    f->now_ns = 1000 * SECOND;
    run_init(&f->run, &f->plan, f->now_ns);
    run_step_begin(&f->run, 0, f->now_ns);
    f->running = true;
    f->model.run = &f->run;
}

void fake_back(struct fake *f)
{
    f->model.run = NULL;
    f->running = false;
    run_done(&f->run);
}

static void play(struct fake *f, size_t steps, int ticks)
{
    fake_start(f);
    for (size_t i = 0; i < steps && f->run.state != RUN_DONE; i++) {
        while (fake_tick(f))
            continue;
        fake_next(f);
    }
    for (int i = 0; i < ticks; i++)
        fake_tick(f);
}

/* A request an interval, now and then two, and one that was slow. */
static void one_by_one(struct cell *c)
{
    for (size_t i = 0; i < c->n_kept; i++) {
        c->samples[i].ios = i % 7 == 3 ? 2 : 1;
        c->samples[i].mean_ns = 210e3 + 9e3 * (double)(i * 37 % 11) + (i == 29 ? 700e3 : 0);
    }
    c->mean.min_ns = c->mean.stddev_ns = NAN; /* while it runs */
}

static void fill_up(struct fake *f)
{
    fake_start(f);
    for (int i = 0; i < 46; i++) {
        f->speed = i < 22 ? 1 : 0.3;
        fake_tick(f);
        struct cell *c = current(f);
        course_add(&c->course, (uint64_t)(c->now.bytes_per_s * 0.25), 0.25);
        course_judge(&c->course);
    }
    f->run.bound_done = (double)current(f)->course.bytes / (double)f->plan.settings.size_bytes;
}

static void watch(struct fake *f, bool to_the_end)
{
    play(f, 1, 41);
    f->speed = 3.5;
    run_mark(&f->run, "performance", f->now_ns + 100000000);
    for (int i = 0; i < 34; i++)
        fake_tick(f);
    f->speed = 1.1;
    run_mark(&f->run, "schedutil", f->now_ns + 100000000);
    for (int i = 0; i < 12; i++)
        fake_tick(f);
    if (!to_the_end)
        return;
    end_step(f);
    run_end(&f->run, true, f->now_ns);
}

static void fail_one(struct fake *f)
{
    struct cell *c = &f->run.cells[2][DIRECTION_READ];

    c->state = CELL_FAILED;
    c->mean = f->run.cells[3][0].now;
    snprintf(c->why, sizeof(c->why), "fio ended with error 5: Input/output error");
    c = &f->run.cells[1][DIRECTION_WRITE];
    c->state = CELL_STOPPED;
    snprintf(c->why, sizeof(c->why), "ended early, by request; the figures are of 2 s");
    f->run.failed = 1;
    lines_add(f->raw, LINE_STDERR, "fio: io_u error on file: Input/output error\n", 44);
}

static char *hostile_text(size_t len)
{
    static const char piece[] = "\033[2J\033]0;x\007\xc2\x9b"
                                "5n\r\n\t\xff\xe4\xb8\xad\xe6\x96\x87"
                                "e\xcc\x81\xcc\x82\xcc\x83\xcc\x84\xe2\x80\xae\xf0\x9f\x92\xbe";
    struct buf b = BUF_INIT;

    while (b.len < len)
        buf_adds(&b, piece);
    return buf_steal(&b);
}

static void poison(struct fake *f)
{
    char *h = hostile_text(10000);
    struct machine *m = &f->machine;

    snprintf(m->host, sizeof(m->host), "%s", h);
    snprintf(m->kernel, sizeof(m->kernel), "%s", h);
    snprintf(m->fio_version, sizeof(m->fio_version), "%s", h);
    snprintf(m->cpu_line, sizeof(m->cpu_line), "%s", h);
    snprintf(f->cpu.governors[0].word, CPU_WORD, "%s", h);
    snprintf(f->cpu.idle[2].name, CPU_WORD, "%s", h);
    snprintf(f->knobs.knobs[KNOB_BOOST].drift, sizeof(f->knobs.knobs[0].drift), "%s", h);
    f->cpu.governors[0].word[CPU_WORD - 1] = '\0';
    for (size_t i = 0; i < f->targets.n; i++) {
        struct target *t = &f->targets.items[i];
        char **fields[] = {&t->path, &t->mount, &t->fstype, &t->source, &t->options};
        for (size_t k = 0; k < sizeof(fields) / sizeof(fields[0]); k++) {
            free(*fields[k]);
            *fields[k] = mem_strdup(h + i);
        }
        snprintf(t->note, sizeof(t->note), "%s", h);
    }
    for (int i = 0; i < ENGINE_COUNT; i++)
        snprintf(f->capability.engine_reason[i], sizeof(f->capability.engine_reason[i]), "%s", h);
    snprintf(f->capability.direct_reason, sizeof(f->capability.direct_reason), "%s", h);
    lines_add(f->raw, LINE_STDERR, h, strlen(h));
    lines_add(f->raw, LINE_STDOUT, h, strlen(h));
    choose(f, f->targets.items[0].path);
    strv_add(&f->command, h);
    f->model.elapsed_note = NULL;
    free(h);
}

/* What the devices' counters would say: a third of the time of an I/O is theirs, flushes in it. */
static void add_device(struct fake *f, size_t test, enum direction d)
{
    const struct cell *c = run_cell(&f->run, test, d);
    const struct step *s = NULL;

    for (size_t i = 0; i < f->plan.n_steps; i++)
        if (f->plan.steps[i].kind == STEP_MEASURE && f->plan.steps[i].test == test &&
            f->plan.steps[i].direction == d)
            s = &f->plan.steps[i];
    if (!s || !(c->mean.iops > 0))
        return;
    double total_ms = (double)s->threads * s->queue_depth * 5e3;
    const struct waterfall_facts facts = {
        .device_seen = true,
        .read_ms = d == DIRECTION_READ ? 0.8 * total_ms : 0,
        .write_ms = d == DIRECTION_READ ? 0 : 0.2 * total_ms,
        .flush_ms = d == DIRECTION_READ ? 0 : 0.1 * total_ms,
        .seconds = 5,
        .ios = 5 * c->mean.iops,
        .mean_ns = c->mean.mean_ns,
        .threads = s->threads,
        .queue_depth = s->queue_depth,
    };
    run_device(&f->run, test, d, c->state == CELL_RUNNING ? &facts : NULL, &facts);
}

static void add_devices(struct fake *f)
{
    static const struct verdict_facts facts = {
        .kind_known = true,
        .kind = TARGET_ZFS,
        .zfs_log_device = FACT_NO,
        .zfs_record_bytes = 131072,
        .encrypted = FACT_YES,
        .encryption = "aes-256-gcm",
        .tests = {{.name = "RND4K Q1T1 write",
                   .direction = DIRECTION_WRITE,
                   .pattern = PATTERN_RND,
                   .block_bytes = 4096,
                   .threads = 1,
                   .queue_depth = 1,
                   .sync = true,
                   .iops = 3049,
                   .waterfall = {.bound = BOUND_SOFTWARE, .total_ns = 328e3, .device_ns = 90e3},
                   .cpu = {.governors = "schedutil", .performance = FACT_NO, .now_hz = 1.2e9}}},
        .n_tests = 1,
    };

    for (size_t t = 0; t < f->plan.settings.profile->n_tests; t++)
        for (int d = 0; d < DIRECTION_COUNT; d++)
            add_device(f, t, (enum direction)d);
    if (f->run.state != RUN_DONE)
        return;
    verdict_judge(&f->verdict, &facts);
    f->model.verdict = &f->verdict;
}

struct fake *fake_new(enum fake_scene scene)
{
    struct fake *f = mem_zalloc(sizeof(*f));

    f->noise = 7;
    f->raw = lines_new(1 << 20);
    settings_init(&f->settings);
    capability_init(&f->capability);
    strv_init(&f->command);
    f->model = (struct ui_model){
        .machine = &f->machine,
        .targets = &f->targets,
        .settings = &f->settings,
        .capability = &f->capability,
        .raw = f->raw,
    };
    if (scene == FAKE_SETUP_EMPTY) {
        f->model.root_offer = "Only root can change this: start with --sudo.";
        make_plan(f);
        return f;
    }
    make_machine(f);
    make_cpu(f);
    make_knobs(f);
    f->model.cpu = &f->cpu;
    f->model.knobs = &f->knobs;
    make_targets(f);
    make_capability(f);
    if (scene == FAKE_SLOG)
        f->settings.profile = profile_find("slog");
    if (scene == FAKE_MIX)
        f->settings.profile = profile_find("mixed");
    if (scene == FAKE_COURSE || scene == FAKE_SETUP_WEARS)
        f->settings.profile = profile_find("sustained");
    if (scene == FAKE_PINGS)
        f->settings.profile = profile_find("latency");
    if (scene == FAKE_CURVE)
        f->settings.profile = profile_find("blocks");
    if (scene == FAKE_WATCH || scene == FAKE_WATCHED)
        f->settings.profile = profile_find("watch");
    choose(f, "/mnt/tank/vm");
    switch (scene) {
    case FAKE_CDM:
        play(f, 4, 11);
        break;
    case FAKE_SLOG:
        play(f, 3, 11);
        break;
    case FAKE_PREPARE:
        play(f, 0, 2);
        break;
    case FAKE_STOPPING:
        play(f, 4, 7);
        run_stopping(&f->run, f->now_ns);
        f->now_ns += 3 * SECOND;
        run_tick(&f->run, f->now_ns);
        break;
    case FAKE_SILENCE:
        play(f, 5, 7);
        f->now_ns += 6 * SECOND;
        run_tick(&f->run, f->now_ns);
        break;
    case FAKE_FINISHED:
        play(f, 99, 0);
        break;
    case FAKE_FAILED:
        play(f, 99, 0);
        fail_one(f);
        break;
    case FAKE_HOSTILE:
        poison(f);
        play(f, 4, 11);
        fail_one(f);
        snprintf(f->run.cells[0][0].why, sizeof(f->run.cells[0][0].why), "%s",
                 f->targets.items[0].path);
        snprintf(f->run.message, sizeof(f->run.message), "%s", f->targets.items[0].path);
        break;
    case FAKE_HOSTILE_SETUP:
        poison(f);
        f->model.target_problem = f->targets.items[1].path;
        break;
    case FAKE_MIX:
        play(f, 1, 21);
        break;
    case FAKE_COURSE:
        fill_up(f);
        break;
    case FAKE_CURVE:
        play(f, 14, 5);
        break;
    case FAKE_PINGS:
        play(f, 1, 33);
        one_by_one(current(f));
        break;
    case FAKE_WATCH:
    case FAKE_WATCHED:
        watch(f, scene == FAKE_WATCHED);
        break;
    case FAKE_SETUP:
    case FAKE_SETUP_EMPTY:
    case FAKE_SETUP_WEARS:
        break;
    }
    if (f->running)
        add_devices(f);
    return f;
}

void fake_free(struct fake *f)
{
    if (f->running)
        run_done(&f->run);
    if (f->planned)
        plan_done(&f->plan);
    settings_done(&f->settings);
    targets_done(&f->targets);
    strv_done(&f->command);
    lines_free(f->raw);
    free(f);
}

struct ui_model *fake_model(struct fake *f)
{
    return &f->model;
}

struct run *fake_run(struct fake *f)
{
    return &f->run;
}

void fake_take(struct fake *f, const struct ui_message *m)
{
    switch (m->type) {
    case UI_PATH:
        choose(f, m->text);
        break;
    case UI_PROFILE:
        f->settings.profile = m->profile;
        make_plan(f);
        break;
    case UI_WATCH: {
        struct profile made;
        profile_watch(&made, m->profile, m->number / DIRECTION_COUNT,
                      (enum direction)(m->number % DIRECTION_COUNT));
        settings_set_own_profile(&f->settings, &made);
        make_plan(f);
        break;
    }
    case UI_ENGINE:
        f->settings.engine = (enum engine)m->number;
        make_plan(f);
        break;
    case UI_IO:
        f->settings.io = (enum io_mode)m->number;
        make_plan(f);
        break;
    case UI_SIZE:
        f->settings.size_bytes = m->number;
        make_plan(f);
        break;
    case UI_RUNTIME:
        f->settings.runtime_s = (uint32_t)m->number;
        make_plan(f);
        break;
    default:
        break;
    }
}
