/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fio's command line, version and engine list; see fio_command.h. Promises: no text that a person
 * or a file system chose gets into an argument of ours, and every option is one that fio has had
 * since 2.21. Knows no process and no file.
 *
 * The reasons, option by option, where they are not plain:
 *   output options first  else fio prints a banner per job on stdout (options go left to right)
 *   thread                processes of fio call setsid(): a killed fio would leave them running
 *   randrepeat=0          else each run repeats the offsets and data of the one before: after
 *                         Q32T16, a cache on the way would know what Q1T1 is going to read
 *   norandommap           a block may come twice, as in CrystalDiskMark; and fio keeps the map of
 *                         visited blocks per job: with many jobs on a big file it fails for memory
 *   clocksource           fio's default calibrates the CPU's clock at each start, which takes 70 ms
 *                         (measured), and gives no other figures (cached 4K reads, in pairs)
 *   fsync                 a write and its fsync are two figures to fio: the latency is the write's
 *   disk_util=0           we read the block statistics ourselves
 *   percentile_list       what is shown; every other one follows from the bins
 *   refill_buffers        in the preparation: fio's default data are a few random buffers written
 *                         again and again, changed a little each time, of which zlib takes 6 %
 *                         away; fresh ones leave it 0.5 %. They cost CPU (1.3 GB/s on one core), so
 *                         steps that are timed do without.
 * Not there, and why: allow_file_create (the file is open already), ramp_time (counters go back at
 * its end).
 */
#include "sthd/fio_command.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char *rw_name(enum pattern p, enum direction d)
{
    static const char *const names[][DIRECTION_COUNT] = {
        [PATTERN_SEQ] = {"read", "write", "rw"},
        [PATTERN_RND] = {"randread", "randwrite", "randrw"},
    };

    return names[p][d];
}

/* fio prints names unescaped and cuts them at some characters: only the plain ones are left. */
static void add_name(struct strv *argv, const struct step *step, const struct settings *s)
{
    char name[TEST_NAME_MAX];

    if (step->kind == STEP_PREPARE) {
        strv_add(argv, "--name=prepare");
        return;
    }
    assert(step->test < s->profile->n_tests);
    snprintf(name, sizeof(name), "%s", s->profile->tests[step->test].name);
    for (char *p = name; *p; p++)
        if (!isalnum((unsigned char)*p) || (unsigned char)*p > 'z')
            *p = '-';
    strv_addf(argv, "--name=%s-%s", name, direction_name(step->direction));
}

/*
 * Sequential jobs each get their own part of the file, so that T streams are T streams and not one
 * with T - 1 followers served from a cache. Random jobs share all of it. A part that would be
 * smaller than 16 blocks is no stream: then all share.
 */
static uint64_t part_of_file(const struct step *step, uint64_t bytes)
{
    if (step->pattern != PATTERN_SEQ || step->threads < 2)
        return 0;
    uint64_t part = bytes / step->threads;
    part -= part % step->block_bytes;
    return part >= 16 * step->block_bytes ? part : 0;
}

static void add_size(struct strv *argv, const struct step *step)
{
    uint64_t bytes = step->size_bytes - step->offset_bytes;
    if (step->region_bytes && step->region_bytes < bytes)
        bytes = step->region_bytes;
    uint64_t part = part_of_file(step, bytes);

    if (step->offset_bytes)
        strv_addf(argv, "--offset=%" PRIu64, step->offset_bytes);
    strv_addf(argv, "--size=%" PRIu64, part ? part : bytes);
    if (step->io_bytes)
        strv_addf(argv, "--io_size=%" PRIu64, step->io_bytes);
    if (part)
        strv_addf(argv, "--offset_increment=%" PRIu64, part);
}

/*
 * fio makes the files for stat and delete before it measures. One after the other: its other ways
 * of choosing the next file look through all of them each time, which takes longer than the work.
 * "/.", because fio asks lstat(2) whether it is a directory.
 */
static void add_files(struct strv *argv, const struct step *step, int fd)
{
    strv_addf(argv, "--directory=/proc/self/fd/%d/.", fd);
    strv_addf(argv, "--ioengine=file%s", work_name(step->work));
    strv_addf(argv, "--nrfiles=%" PRIu32, step->files);
    strv_addf(argv, "--filesize=%" PRIu64, step->block_bytes);
    strv_addf(argv, "--bs=%" PRIu64, step->block_bytes);
    strv_add(argv, "--file_service_type=sequential");
    strv_add(argv, "--openfiles=1");
    strv_add(argv, "--fallocate=none");
    strv_addf(argv, "--rw=%s", step->direction == DIRECTION_READ ? "read" : "write");
    if (step->work == WORK_CREATE)
        strv_add(argv, "--create_on_open=1");
    strv_addf(argv, "--numjobs=%u", step->threads);
}

static void add_data(struct strv *argv, const struct step *step, const struct settings *s, int fd)
{
    bool writes = step->direction != DIRECTION_READ;

    strv_addf(argv, "--filename=/proc/self/fd/%d", fd);
    if (s->device_bytes)
        strv_add(argv, "--readonly");
    add_size(argv, step);
    if (step->skip_bytes)
        strv_addf(argv, "--rw=%s:%" PRId64, rw_name(step->pattern, step->direction),
                  step->skip_bytes);
    else
        strv_addf(argv, "--rw=%s", rw_name(step->pattern, step->direction));
    if (step->direction == DIRECTION_MIX)
        strv_addf(argv, "--rwmixread=%u", step->mix_percent);
    strv_addf(argv, "--bs=%" PRIu64, step->block_bytes);
    strv_addf(argv, "--ioengine=%s", engine_name(step->engine));
    if (engine_is_async(step->engine) || step->queue_depth > 1)
        strv_addf(argv, "--iodepth=%u", step->queue_depth);
    strv_addf(argv, "--numjobs=%u", step->threads);
    strv_addf(argv, "--direct=%d", step->direct);
    strv_add(argv, "--randrepeat=0");
    if (step->cached) /* at each pass through the region */
        strv_add(argv, "--invalidate=0");
    if (step->pattern == PATTERN_RND)
        strv_add(argv, "--norandommap");
    if (step->kind == STEP_PREPARE)
        strv_add(argv, "--refill_buffers");
    if (step->sync && writes)
        strv_add(argv, "--sync=1");
    if (step->fsync_every && writes)
        strv_addf(argv, "--fsync=%" PRIu32, step->fsync_every);
    if (step->end_fsync && writes)
        strv_add(argv, "--end_fsync=1");
    if (step->rate_iops)
        strv_addf(argv, "--rate_iops=%" PRIu32, step->rate_iops);
    if (step->runtime_s) { /* else it ends when all of the file is written */
        strv_add(argv, "--time_based");
        strv_addf(argv, "--runtime=%" PRIu32, step->runtime_s);
    }
}

static bool starts(const char *s, const char *prefix)
{
    return strncmp(s, prefix, strlen(prefix)) == 0;
}

/* What the settings take over from the section. */
static bool is_overruled(const char *arg, const struct settings *s)
{
    static const char *const size[] = {"--size=", "--io_size=", "--io_limit="};
    static const char *const runtime[] = {"--runtime=", "--timeout="};

    for (size_t i = 0; s->size_given && i < sizeof(size) / sizeof(size[0]); i++)
        if (starts(arg, size[i]))
            return true;
    for (size_t i = 0; s->runtime_given && i < sizeof(runtime) / sizeof(runtime[0]); i++)
        if (starts(arg, runtime[i]))
            return true;
    return s->runtime_given && starts(arg, "--time_based");
}

/* A section of a job file. As is, fio makes the names of its files of the section's. */
static void add_section(struct strv *argv, const struct step *step, const struct settings *s,
                        int fd)
{
    const struct jobs *jobs = settings_jobs(s);
    const struct job_section *section = &jobs->sections[step->test];
    char name[sizeof(section->name)];

    snprintf(name, sizeof(name), "%s", section->name);
    for (char *p = name; *p && !jobs->as_is; p++)
        if (!isalnum((unsigned char)*p) || (unsigned char)*p > 'z')
            *p = '-';
    strv_addf(argv, "--name=%s", name);
    if (!jobs->as_is)
        strv_addf(argv, "--filename=/proc/self/fd/%d", fd);
    for (size_t i = 0; i < section->args.n; i++)
        if (!is_overruled(section->args.items[i], s))
            strv_add(argv, section->args.items[i]);
    if (s->size_given)
        strv_addf(argv, "--size=%" PRIu64, s->size_bytes);
    if (s->runtime_given) {
        strv_add(argv, "--time_based");
        strv_addf(argv, "--runtime=%" PRIu32, step->runtime_s);
    }
    strv_add(argv, "--verify_state_save=0");
}

static void add_ours(struct strv *argv, const struct settings *s, bool grouped)
{
    strv_add(argv, "--thread");
    if (grouped)
        strv_add(argv, "--group_reporting");
    strv_add(argv, "--clocksource=clock_gettime");
    strv_add(argv, "--percentile_list=50:99:99.9");
    strv_add(argv, "--disk_util=0");
    for (size_t i = 0; i < s->extra.n; i++)
        strv_add(argv, s->extra.items[i]);
}

void fio_command_build(struct strv *argv, const char *program, const struct step *step,
                       const struct settings *s, int fd)
{
    assert(step->tool == TOOL_FIO && step->engine != ENGINE_AUTO);
    assert(step->direction != DIRECTION_MIX || step->mix_percent > 0);
    strv_add(argv, program);
    strv_add(argv, "--output-format=json+");
    strv_addf(argv, "--status-interval=%" PRIu32 "ms", s->interval_ms);
    if (step->kind == STEP_MEASURE && settings_jobs(s)) {
        for (unsigned i = 0; i <= step->company; i++) {
            add_section(argv, &step[i], s, fd);
            add_ours(argv, s, step->company == 0 && !s->per_job);
        }
        return;
    }
    add_name(argv, step, s);
    if (step->work == WORK_DATA)
        add_data(argv, step, s, fd);
    else
        add_files(argv, step, fd);
    add_ours(argv, s, !s->per_job);
}

int fio_version_parse(struct fio_version *v, const char *line, struct err *e)
{
    static const char digits[] = "0123456789";
    size_t n = strcspn(line, "\r\n");
    bool fio = starts(line, "fio-");
    const char *dot = fio ? line + 4 + strspn(line + 4, digits) : line;

    *v = (struct fio_version){0};
    if (!fio || *dot != '.' || strspn(dot + 1, digits) == 0 || n >= sizeof(v->text) ||
        sscanf(line, "fio-%4d.%4d", &v->major, &v->minor) != 2)
        return err_set(e, EXIT_CODE_FIO, EINVAL,
                       "The program called fio is not the I/O tester (its --version does not say "
                       "fio-N.N); put the right one first in PATH.");
    for (size_t i = 0; i < n; i++)
        v->text[i] = line[i] >= ' ' && line[i] <= '~' ? line[i] : '?';
    /* Up to 2.2.10 the versions had three parts: 2.2.10 is older than 2.21, as its numbers say. */
    if (v->major < 2 || (v->major == 2 && v->minor < 21))
        return err_set(e, EXIT_CODE_FIO, EINVAL,
                       "%s is too old: it needs to be 2.21 (2017) or later, for latency "
                       "histograms; install a newer fio.",
                       v->text);
    return 0;
}

bool fio_enghelp_has(const char *enghelp, const char *engine)
{
    size_t len = strlen(engine);

    for (const char *line = enghelp; *line;) {
        const char *word = line + strspn(line, " \t");
        size_t n = strcspn(word, " \t\r\n");
        if (n == len && strncmp(word, engine, n) == 0)
            return true;
        line = word + strcspn(word, "\n");
        line += *line == '\n';
    }
    return false;
}
