/* SPDX-License-Identifier: GPL-3.0-or-later */
/* jobs: what a plan knows of a job file's sections, and that nothing in it reaches beside our file.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sthd/jobs.h"
#include "sthd/mem.h"
#include "sthd/plan.h"
#include "tap.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

struct file {
    const char *path, *text;
};

static char *read_file(void *arg, const char *path, size_t *len, struct err *e)
{
    for (const struct file *f = arg; f->path; f++)
        if (strcmp(f->path, path) == 0) {
            *len = strlen(f->text);
            return mem_strdup(f->text);
        }
    err_set(e, EXIT_CODE_CONFIG, ENOENT, "%s is not there", path);
    return NULL;
}

static char *variable(void *arg, const char *name)
{
    (void)arg;
    if (strcmp(name, "ncpus") == 0)
        return mem_strdup("6");
    return strcmp(name, "SIZE") == 0 ? mem_strdup("32m") : NULL;
}

static int parse(struct jobs **out, const struct file *files, bool as_is, struct err *e)
{
    struct jobs_world w = {read_file, variable, (void *)files};

    err_clear(e);
    return jobs_parse(out, files[0].path, as_is, &w, e);
}

static struct jobs *parse_text(const char *text, bool as_is, struct err *e)
{
    struct file files[] = {{"x.fio", text}, {NULL, NULL}};
    struct jobs *j;

    return parse(&j, files, as_is, e) == 0 ? j : NULL;
}

static bool has_arg(const struct job_section *s, const char *arg)
{
    for (size_t i = 0; i < s->args.n; i++)
        if (strcmp(s->args.items[i], arg) == 0)
            return true;
    return false;
}

static void test_fields(void)
{
    struct err e;
    struct jobs *j =
        parse_text("; first\n[global]\n  bs = 8k   # a comment\ndirect=1\nsize=${SIZE}\n"
                   "iodepth=4\n\n[a b]\nrw=randread\nioengine=libaio\n"
                   "numjobs=$ncpus\n[b]\r\nrw=write\r\nsync=1\nsize=10m\noffset=2m\n"
                   "runtime=1500ms\n[c]\nstonewall\nrw=rw\nrwmixwrite=40\n"
                   "bssplit=4k/50:8k/50\nio_size=64m\nloops=2\nfsync=8\n",
                   false, &e);
    if (!tap_ok(j != NULL, "a good file: %s", e.text))
        return;
    tap_int((long long)j->n, 3, "its sections");
    const struct job_section *a = &j->sections[0], *b = &j->sections[1], *c = &j->sections[2];
    tap_str(a->name, "a b", "a name with a blank");
    tap_ok(a->pattern == PATTERN_RND && a->direction == DIRECTION_READ, "randread");
    tap_int((long long)a->block_bytes, 8192, "what [global] says counts");
    tap_int(a->queue_depth, 4, "depth, of an engine that has one");
    tap_int(a->threads, 6, "$ncpus");
    tap_ok(a->direct && a->engine == ENGINE_LIBAIO, "direct, libaio");
    tap_int((long long)a->size_bytes, 32 << 20, "${SIZE}");
    tap_int((long long)a->io_bytes, 32 << 20, "ends with its size");
    tap_str(a->args.items[0], "--ioengine=libaio", "the engine comes first");
    tap_ok(has_arg(a, "--bs=8k") && has_arg(a, "--numjobs=6") && !has_arg(a, "--sync=1"),
           "its arguments");
    tap_ok(b->sync && b->pattern == PATTERN_SEQ && b->direction == DIRECTION_WRITE, "commits");
    tap_int(b->queue_depth, 1, "no depth without an engine for it");
    tap_int(b->runtime_s, 2, "a runtime, rounded up");
    tap_int((long long)b->size_bytes, 12 << 20, "size and offset");
    tap_ok(!a->waits && !b->waits && c->waits, "stonewall");
    tap_int((long long)c->block_bytes, 0, "blocks of several sizes");
    tap_int(c->mix_percent, 60, "share of reads from that of writes");
    tap_int((long long)c->io_bytes, 128 << 20, "io_size, twice");
    tap_int(c->fsync_every, 8, "fsync");
    tap_int((long long)j->size_bytes, 32 << 20, "the file is as large as the largest");
    tap_int((long long)j->notes.n, 0, "nothing to be told");
    jobs_drop(j);
}

/* Key for key: what is not handed on, and whether that is said. */
static void test_places(void)
{
    static const char *const dropped[] = {"filename=/etc/passwd",
                                          "directory=/etc",
                                          "filename_format=x.$jobnum",
                                          "opendir=/etc",
                                          "nrfiles=3",
                                          "unlink=1",
                                          "create_only=1",
                                          "file_append=1",
                                          "write_bw_log=x",
                                          "write_iolog=y",
                                          "log_avg_msec=100",
                                          "per_job_logs=1",
                                          "verify_state_save=1",
                                          "group_reporting",
                                          "stonewall",
                                          "thread",
                                          "percentile_list=1:2",
                                          "disable_clat=1",
                                          "gtod_reduce=1",
                                          "name=z",
                                          "allow_mounted_write=1"};
    static const char *const kept[] = {"buffer_compress_percentage=50",
                                       "rate_iops=100",
                                       "thinktime=5",
                                       "verify=crc32c",
                                       "cpus_allowed=0",
                                       "norandommap"};
    static const char *const refused[] = {"exec_prerun=rm -rf /",
                                          "exec_postrun=x",
                                          "read_iolog=x",
                                          "replay_redirect=/dev/sda",
                                          "ioengine=net",
                                          "ioengine=exec",
                                          "ioengine=null",
                                          "ioengine=external:/x.so",
                                          "fill_device=1",
                                          "profile=act",
                                          "cgroup=x",
                                          "mem=mmap:/etc/passwd",
                                          "rw=trim",
                                          "rw=sideways",
                                          "ioengine",
                                          "trigger_file=/x"};
    struct err e;

    for (size_t i = 0; i < COUNT(dropped); i++) {
        char *text = mem_printf("[j]\nsize=8m\n%s\n", dropped[i]);
        struct jobs *j = parse_text(text, false, &e);
        tap_ok(j && j->sections[0].args.n == 1, "%s is not handed on", dropped[i]);
        jobs_drop(j);
        free(text);
    }
    for (size_t i = 0; i < COUNT(kept); i++) {
        char *text = mem_printf("[j]\n%s\n", kept[i]), *arg = mem_printf("--%s", kept[i]);
        struct jobs *j = parse_text(text, false, &e);
        tap_ok(j && has_arg(&j->sections[0], arg), "%s is handed on", kept[i]);
        jobs_drop(j);
        free(text);
        free(arg);
    }
    for (size_t i = 0; i < COUNT(refused); i++) {
        char *text = mem_printf("[j]\n%s\n", refused[i]);
        struct jobs *j = parse_text(text, false, &e);
        tap_ok(!j && strncmp(e.text, "x.fio:2: ", 9) == 0 && e.exit_code == EXIT_CODE_CONFIG,
               "%s is refused: %s", refused[i], e.text);
        jobs_drop(j);
        free(text);
    }
    struct jobs *j = parse_text("[a]\nfilename=/x\nwrite_lat_log=l\n[b]\nfilename=/y\n", false, &e);
    tap_int((long long)(j ? j->notes.n : 0), 2, "what is left out is told");
    tap_ok(j && strstr(j->notes.items[0], ": filename. ") &&
               strstr(j->notes.items[1], "write_lat_log"),
           "by name, each once");
    jobs_drop(j);
}

static void test_faults(void)
{
    static const struct {
        const char *text, *says;
    } rows[] = {
        {"", "x.fio:1: there is no section"},
        {"# nothing\n\n[global]\nbs=4k\n", "there is no section"},
        {"bs=4k\n[j]\n", "x.fio:1: this is before the first section"},
        {"[j\nbs=4k\n", "x.fio:1: a section's name ends"},
        {"[j]\n=4k\n", "x.fio:2: there is no option"},
        {"[j]\n--bs=4k\n", "x.fio:2: options have no dashes"},
        {"[j]\nb s=4k\n", "x.fio:2: this is neither"},
        {"[j]\n\033[1m=4k\n", "x.fio:2: this is neither"},
        {"[j]\nbs=${BS\n", "x.fio:2: \"${\" is not closed"},
        {"[j]\nbs=${NOT_SET}\n", "x.fio:2: an environment variable"},
        {"[j]\ninclude nothing.fio\n", "nothing.fio is not there"},
        {"[j]\ninclude x.fio\n", "include each other"},
    };
    struct err e;

    for (size_t i = 0; i < COUNT(rows); i++) {
        struct jobs *j = parse_text(rows[i].text, false, &e);
        tap_ok(!j && strstr(e.text, rows[i].says) && !strchr(e.text, '\033'), "%s", rows[i].says);
        if (j || !strstr(e.text, rows[i].says))
            tap_note("%s", e.text);
        jobs_drop(j);
    }
    struct buf many = BUF_INIT;
    for (int i = 0; i < 1000; i++)
        buf_addf(&many, "[s%d]\n", i);
    struct jobs *j = parse_text(many.data, false, &e);
    tap_ok(!j && strstr(e.text, "x.fio:65: more sections"), "a thousand sections: %s", e.text);
    jobs_drop(j);
    buf_clear(&many);
    buf_adds(&many, "[j]\nbs=");
    buf_addn(&many, 'x', 100000);
    j = parse_text(many.data, false, &e);
    tap_ok(j != NULL, "a long line is fio's to judge");
    jobs_drop(j);
    buf_done(&many);
}

static void test_include(void)
{
    static const struct file files[] = {
        {"d/x.fio", "[global]\ninclude common.inc\n[j]\nrw=read\n"},
        {"d/common.inc", "bs=64k\n"},
        {NULL, NULL},
    };
    struct jobs *j;
    struct err e;

    tap_int(parse(&j, files, false, &e), 0, "a file beside it: %s", e.text);
    tap_int((long long)(j ? j->sections[0].block_bytes : 0), 65536, "is read in its place");
    jobs_drop(j);
}

static void test_as_is(void)
{
    static const struct {
        const char *text, *paths; /* NULL: refused */
    } rows[] = {
        {"[j]\nrw=write\nfilename=/a/b\n", "/a/b"},
        {"[j]\nrw=write\nfilename=/a:/b\\:c\n", "/a /b:c"},
        {"[j]\nrw=write\ndirectory=/d\nfilename=a:b\n", "/d/a /d/b"},
        {"[j]\nrw=write\ndirectory=/d\nnumjobs=2\n", "/d/j.0.0 /d/j.1.0"},
        {"[j]\nrw=write\nnrfiles=2\n", "j.0.0 j.0.1"},
        {"[j]\nrw=write\ndirectory=/d:/e\n", NULL},
        {"[j]\nrw=write\nfilename_format=x\n", NULL},
        {"[j]\nrw=write\nopendir=/d\n", NULL},
        {"[j]\nrw=write\nnumjobs=1000\n", NULL},
    };
    struct err e;

    for (size_t i = 0; i < COUNT(rows); i++) {
        struct jobs *j = parse_text(rows[i].text, true, &e);
        struct buf all = BUF_INIT;
        for (size_t k = 0; j && k < j->sections[0].paths.n; k++)
            buf_addf(&all, "%s%s", k ? " " : "", j->sections[0].paths.items[k]);
        if (rows[i].paths)
            tap_str(all.data, rows[i].paths, "what it would open");
        else
            tap_ok(!j, "cannot be told: %s", e.text);
        buf_done(&all);
        jobs_drop(j);
    }
}

/* As steps of a plan: together, and one after the other. */
static void test_plan(void)
{
    struct err e;
    struct jobs *j =
        parse_text("[global]\nsize=16m\nruntime=3\n[a]\nrw=read\n[b]\nrw=write\nbs=1m\n"
                   "numjobs=2\n[c]\nstonewall\nrw=randrw\n[d]\nrw=randwrite\nstonewall\n",
                   false, &e);
    struct settings s;
    struct capability c;
    struct plan p;

    settings_init(&s);
    capability_init(&c);
    settings_set_path(&s, "/mnt");
    settings_set_jobs(&s, j);
    tap_int(plan_build(&p, &s, &c, 300e6, &e), 0, "a plan of it: %s", e.text);
    tap_int((long long)p.n_steps, 5, "the preparation and four sections");
    tap_int((long long)p.settings.size_bytes, 16 << 20, "a file as large as they need");
    tap_ok(p.steps[1].company == 1 && !p.steps[1].beside && p.steps[2].beside, "two together");
    tap_ok(!p.steps[3].company && !p.steps[3].beside && !p.steps[4].beside, "then one, and one");
    tap_int(p.steps[1].runtime_s, 3, "the file's runtime");
    tap_near(plan_step_seconds(&p, 1), 3 + PLAN_STARTUP_S, 1e-9, "together they take no longer");
    tap_near(plan_step_seconds(&p, 2), 0, 1e-9, "so that the other adds nothing");
    tap_ok(!profile_can_watch(p.settings.profile, 0, DIRECTION_READ),
           "no test of it is watched as if it were all in its row");
    plan_done(&p);

    s.runtime_given = true;
    s.runtime_s = 9;
    s.only = 1u << DIRECTION_WRITE;
    s.loops = 2;
    tap_int(plan_build(&p, &s, &c, 300e6, &e), 0, "writes only, twice, for nine seconds");
    tap_int((long long)p.n_steps, 5, "two sections, two runs");
    tap_ok(p.steps[1].test == 1 && p.steps[1].company == 0 && p.steps[2].loop == 1, "b alone");
    tap_int(p.steps[4].runtime_s, 9, "the user's runtime");
    plan_done(&p);

    struct settings copy;
    settings_init(&copy);
    settings_copy(&copy, &s);
    settings_done(&s);
    jobs_drop(j);
    tap_ok(settings_jobs(&copy) && settings_jobs(&copy)->n == 4, "a copy holds the file, too");
    copy.profile = profile_find("cdm");
    tap_ok(!settings_jobs(&copy), "with another profile there is no job file");
    settings_done(&copy);
}

int main(void)
{
    test_fields();
    test_places();
    test_faults();
    test_include();
    test_as_is();
    test_plan();
    return tap_done();
}
