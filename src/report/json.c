/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A run as JSON, "speedtest-hd/1": everything the model knows, in raw units that the keys name
 * (bytes_per_s, lat_p50_ns). Keys are never left out; what is absent is null. A section is one
 * function in a table: a new one is a row there, and may be put anywhere, since readers go by keys.
 * The man page documents it.
 */
#include <math.h>

#include "json_out.h"
#include "writers.h"

/* ---- what both kinds of document have ---- */

static void add_head(struct json_out *j, const struct result *res, const char *kind)
{
    jout_text(j, "format", RESULT_JSON_FORMAT);
    jout_text(j, "kind", kind);
    jout_line_object(j, "program");
    jout_text(j, "name", "speedtest-hd");
    jout_text(j, "version", res->version);
    jout_end(j);
}

static void add_machine(struct json_out *j, const struct result *res)
{
    const struct machine *m = res->machine;
    const struct run *r = res->run;

    jout_object(j, "machine");
    jout_word(j, "host", m->host);
    jout_word(j, "kernel", m->kernel);
    jout_count(j, "cpus", m->cpus ? m->cpus : UINT64_MAX);
    jout_count(j, "ram_bytes", m->ram_bytes ? m->ram_bytes : UINT64_MAX);
    jout_word(j, "cpu", m->cpu_line);
    jout_word(j, "fio_version", r && r->fio_version[0] ? r->fio_version : m->fio_version);
    jout_word(j, "fio_path", m->fio_path);
    jout_end(j);
}

static void add_target(struct json_out *j, const struct result *res)
{
    const struct target *t = res->target;

    if (!t) {
        jout_null(j, "target");
        return;
    }
    jout_object(j, "target");
    jout_text(j, "path", t->path);
    jout_text(j, "mount", t->mount);
    jout_text(j, "fstype", t->fstype);
    jout_text(j, "source", t->source);
    jout_text(j, "options", t->options);
    jout_text(j, "stack", t->below);
    jout_text(j, "device", t->device);
    jout_line_object(j, "dev");
    jout_count(j, "major", t->dev_major);
    jout_count(j, "minor", t->dev_minor);
    jout_end(j);
    jout_count(j, "total_bytes", t->total_bytes);
    jout_count(j, "free_bytes", t->free_bytes);
    jout_bool(j, "read_only", t->read_only);
    jout_word(j, "note", t->note);
    jout_end(j);
}

static void add_engines(struct json_out *j, const struct capability *c)
{
    jout_array(j, "engines");
    for (int e = ENGINE_AUTO + 1; e < ENGINE_COUNT; e++) {
        jout_line_object(j, NULL);
        jout_text(j, "name", engine_name((enum engine)e));
        if (c->probed)
            jout_bool(j, "usable", c->engine_usable[e]);
        else
            jout_null(j, "usable");
        jout_word(j, "reason", c->engine_reason[e]);
        jout_end(j);
    }
    jout_end(j);
}

static void add_capability(struct json_out *j, const struct capability *c)
{
    jout_object(j, "capability");
    jout_bool(j, "probed", c->probed);
    jout_text(j, "auto_engine", c->probed ? engine_name(c->auto_engine) : NULL);
    jout_text(j, "auto_engine_buffered", c->probed ? engine_name(capability_auto(c, false)) : NULL);
    jout_line_object(j, "direct");
    if (c->probed)
        jout_bool(j, "works", c->direct_works);
    else
        jout_null(j, "works");
    jout_word(j, "reason", c->direct_reason);
    jout_end(j);
    add_engines(j, c);
    jout_end(j);
}

/* ---- a run ---- */

static double seconds(int64_t from_ns, int64_t to_ns)
{
    return (double)(to_ns - from_ns) / 1e9;
}

static void add_time(struct json_out *j, const struct result *res)
{
    const struct run *r = res->run;
    char text[TIME_TEXT];

    jout_line_object(j, "time");
    jout_word(j, "began", time_iso(text, r->began_unix_ns, r->utc_offset_s));
    jout_count(j, "began_unix_s",
               r->began_unix_ns ? (uint64_t)(r->began_unix_ns / 1000000000) : UINT64_MAX);
    jout_number(j, "seconds", seconds(r->began_ns, r->state == RUN_DONE ? r->ended_ns : r->now_ns));
    jout_end(j);
}

static void add_settings(struct json_out *j, const struct result *res)
{
    const struct plan *plan = res->run->plan;
    const struct settings *s = &plan->settings;

    jout_object(j, "settings");
    jout_text(j, "path", s->path);
    jout_count(j, "size_bytes", s->size_bytes);
    jout_count(j, "runtime_s", s->runtime_s);
    jout_count(j, "interval_ms", s->interval_ms);
    jout_count(j, "loops", s->loops);
    jout_text(j, "combine", combine_name((enum combine)s->combine));
    jout_int(j, "pause_s", s->pause_s);
    jout_bool(j, "warmup", s->warmup == 1);
    jout_count(j, "mix_percent_reads", s->mix_percent ? s->mix_percent : UINT64_MAX);
    jout_line_array(j, "only");
    for (int d = 0; d < DIRECTION_COUNT; d++)
        if (s->only & 1u << d)
            jout_text(j, NULL, direction_name((enum direction)d));
    jout_end(j);
    jout_text(j, "engine_asked", engine_name(s->engine));
    jout_text(j, "io_asked", io_mode_name(s->io));
    jout_bool(j, "fell_back_to_buffered", plan->fell_back);
    jout_bool(j, "per_job", s->per_job);
    jout_word(j, "job_file", settings_jobs(s) ? settings_jobs(s)->path : "");
    jout_bool(j, "job_as_is", settings_jobs(s) && settings_jobs(s)->as_is);
    jout_line_array(j, "fio_args");
    for (size_t i = 0; i < s->extra.n; i++)
        jout_text(j, NULL, s->extra.items[i]);
    jout_end(j);
    jout_end(j);
}

static void add_run_capability(struct json_out *j, const struct result *res)
{
    add_capability(j, &res->run->plan->capability);
}

static void add_test(struct json_out *j, const struct test *t)
{
    jout_line_object(j, NULL);
    jout_text(j, "name", t->name);
    jout_text(j, "tool", tool_name(t->tool));
    jout_text(j, "pattern", pattern_name(t->pattern));
    jout_count(j, "block_bytes", t->block_bytes);
    jout_count(j, "queue_depth", t->queue_depth);
    jout_count(j, "threads", t->threads);
    jout_bool(j, "sync", t->sync);
    jout_bool(j, "end_fsync", t->end_fsync);
    jout_text(j, "engine", engine_name(t->engine));
    jout_text(j, "io", io_mode_name(t->io));
    jout_end(j);
}

static void add_profile(struct json_out *j, const struct result *res)
{
    const struct profile *p = res->run->plan->settings.profile;

    jout_object(j, "profile");
    jout_text(j, "name", p->name);
    jout_text(j, "title", p->title);
    jout_word(j, "note", p->note);
    jout_array(j, "tests");
    for (size_t i = 0; i < p->n_tests; i++)
        add_test(j, &p->tests[i]);
    jout_end(j);
    jout_end(j);
}

static void add_preparation(struct json_out *j, const struct result *res)
{
    const struct run *r = res->run;

    jout_object(j, "preparation");
    jout_count(j, "bytes", r->prepare_bytes);
    jout_bool(j, "failed", r->prepare_failed);
    jout_word(j, "why", r->prepare_why);
    jout_end(j);
}

/* ---- steps ---- */

static const char *outcome_name(const struct run_step *s)
{
    static const char *const names[] = {[STEP_OK] = "ok",
                                        [STEP_STOPPED] = "stopped",
                                        [STEP_SKIPPED] = "skipped",
                                        [STEP_FAILED] = "failed"};

    return !s->begun ? "not begun" : !s->ended ? "running" : names[s->outcome];
}

static void add_step(struct json_out *j, const struct run *r, size_t i)
{
    const struct step *s = &r->plan->steps[i];
    const struct run_step *was = &r->steps[i];
    bool measure = s->kind == STEP_MEASURE;

    jout_object(j, NULL);
    jout_text(j, "kind", !measure ? "prepare" : s->warmup ? "warmup" : "measure");
    jout_text(j, "test", measure ? r->plan->settings.profile->tests[s->test].name : NULL);
    jout_text(j, "direction", measure ? direction_name(s->direction) : NULL);
    jout_count(j, "run", measure && !s->warmup ? s->loop + 1 : UINT64_MAX);
    jout_text(j, "outcome", outcome_name(was));
    jout_number(j, "began_s", was->begun ? seconds(r->began_ns, was->began_ns) : NAN);
    jout_number(j, "seconds", was->ended ? seconds(was->began_ns, was->ended_ns) : NAN);
    jout_line_array(j, "command");
    for (size_t n = 0; n < was->command.n; n++)
        jout_text(j, NULL, was->command.items[n]);
    jout_end(j);
    jout_end(j);
}

static void add_steps(struct json_out *j, const struct result *res)
{
    jout_array(j, "steps");
    for (size_t i = 0; i < res->run->plan->n_steps; i++)
        add_step(j, res->run, i);
    jout_end(j);
}

/* ---- cells ---- */

static void add_figures(struct json_out *j, const char *key, const struct figures *f)
{
    jout_line_object(j, key);
    jout_number(j, "bytes_per_s", f->bytes_per_s);
    jout_number(j, "iops", f->iops);
    jout_number(j, "lat_mean_ns", f->mean_ns);
    jout_number(j, "lat_min_ns", f->min_ns);
    jout_number(j, "lat_max_ns", f->max_ns);
    jout_number(j, "lat_stddev_ns", f->stddev_ns);
    jout_number(j, "lat_p50_ns", f->p50_ns);
    jout_number(j, "lat_p99_ns", f->p99_ns);
    jout_number(j, "lat_p999_ns", f->p999_ns);
    jout_end(j);
}

static void add_spread(struct json_out *j, const struct job_spread *s)
{
    if (s->n_jobs == 0) {
        jout_null(j, "per_job");
        return;
    }
    jout_line_object(j, "per_job");
    jout_count(j, "jobs", s->n_jobs);
    jout_number(j, "lat_p50_mean_ns", s->p50_mean_ns);
    jout_number(j, "lat_p50_min_ns", s->p50_min_ns);
    jout_number(j, "lat_p50_max_ns", s->p50_max_ns);
    jout_number(j, "lat_p99_worst_ns", s->p99_worst_ns);
    jout_number(j, "iops_min", s->iops_min);
    jout_number(j, "iops_max", s->iops_max);
    jout_end(j);
}

static void add_sample(struct json_out *j, const struct run *r, const struct sample *s)
{
    jout_line_object(j, NULL);
    jout_number(j, "at_s", seconds(r->began_ns, s->at_ns));
    jout_number(j, "seconds", s->seconds);
    jout_number(j, "bytes_per_s", s->bytes_per_s);
    jout_number(j, "iops", s->iops);
    jout_number(j, "lat_mean_ns", s->mean_ns);
    jout_number(j, "lat_p50_ns", s->p50_ns);
    jout_number(j, "lat_p99_ns", s->p99_ns);
    jout_bool(j, "restarted", s->restarted);
    jout_end(j);
}

/* How the figures came to be. */
static void add_way(struct json_out *j, const struct step *s)
{
    jout_text(j, "tool", tool_name(s->tool));
    jout_text(j, "pattern", pattern_name(s->pattern));
    jout_count(j, "block_bytes", s->block_bytes);
    jout_count(j, "queue_depth", s->queue_depth);
    jout_count(j, "threads", s->threads);
    jout_text(j, "engine", s->tool == TOOL_FIO ? engine_name(s->engine) : NULL);
    jout_bool(j, "direct", s->direct);
    jout_bool(j, "sync", s->sync);
    jout_bool(j, "end_fsync", s->end_fsync && s->direction != DIRECTION_READ);
    jout_count(j, "fsync_every", s->fsync_every ? s->fsync_every : UINT64_MAX);
    jout_count(j, "rate_iops", s->rate_iops ? s->rate_iops : UINT64_MAX);
    jout_count(j, "offset_bytes", s->offset_bytes);
    jout_count(j, "region_bytes", s->region_bytes ? s->region_bytes : UINT64_MAX);
    jout_count(j, "io_bytes", s->io_bytes ? s->io_bytes : UINT64_MAX);
    jout_count(j, "runtime_s", s->runtime_s && !s->endless ? s->runtime_s : UINT64_MAX);
    jout_text(j, "work", work_name(s->work));
    jout_count(j, "files", s->files ? s->files : UINT64_MAX);
    jout_bool(j, "cached", s->cached);
    jout_count(j, "mix_percent_reads", s->mix_percent ? s->mix_percent : UINT64_MAX);
}

/* Of one I/O. */
static void add_time_split(struct json_out *j, const struct waterfall *w)
{
    if (w->bound == BOUND_UNSEEN) {
        jout_null(j, "time_split");
        return;
    }
    jout_line_object(j, "time_split");
    jout_text(j, "bound", bound_name(w->bound));
    jout_number(j, "total_ns", w->total_ns);
    jout_number(j, "device_ns", w->device_ns);
    jout_number(j, "flush_ns", w->flush_ns);
    jout_number(j, "rest_ns", w->rest_ns);
    jout_number(j, "outside_ns", w->outside_ns);
    jout_number(j, "share", w->share);
    jout_number(j, "device_requests", w->in_device);
    jout_number(j, "resolution_ns", w->resolution_ns);
    jout_number(j, "device_ticks_ms", w->ticks_ms);
    jout_word(j, "slow_leg", w->slow_leg);
    jout_number(j, "slower_by", w->slow_leg[0] ? w->slower_by : NAN);
    jout_end(j);
}

/* ---- processors ---- */

static void add_counts(struct json_out *j, const char *key, const struct cpu_count *counts,
                       size_t n)
{
    jout_array(j, key);
    for (size_t i = 0; i < n; i++) {
        jout_line_object(j, NULL);
        jout_text(j, "value", counts[i].word);
        jout_count(j, "cpus", counts[i].cpus);
        jout_end(j);
    }
    jout_end(j);
}

static void add_idle(struct json_out *j, const struct cpu_state *s)
{
    jout_array(j, "idle");
    for (size_t i = 0; i < s->n_idle; i++) {
        jout_line_object(j, NULL);
        jout_text(j, "name", s->idle[i].name);
        jout_count(j, "exit_ns", s->idle[i].exit_us * UINT64_C(1000));
        jout_number(j, "share", s->idle[i].share);
        jout_end(j);
    }
    jout_end(j);
}

static void add_hz(struct json_out *j, const char *key, uint32_t khz)
{
    jout_count(j, key, khz ? khz * UINT64_C(1000) : UINT64_MAX);
}

static void add_cpu_state(struct json_out *j, const char *key, const struct cpu_state *s)
{
    if (!s->known) {
        jout_null(j, key);
        return;
    }
    bool limited = s->limit_us != CPU_LIMIT_UNKNOWN && s->limit_us < CPU_LIMIT_NONE;
    jout_object(j, key);
    jout_count(j, "online", s->cpus);
    add_counts(j, "governors", s->governors, s->n_governors);
    add_counts(j, "epps", s->epps, s->n_epps);
    jout_word(j, "driver", s->driver);
    jout_word(j, "boost",
              s->boost == CPU_BOOST_ABSENT ? ""
              : s->boost == CPU_BOOST_ON   ? "on"
                                           : "off");
    add_hz(j, "min_hz", s->min_khz);
    add_hz(j, "max_hz", s->max_khz);
    add_hz(j, "now_hz", s->now_khz);
    jout_bool(j, "stale", s->stale);
    jout_bool(j, "nominal", s->nominal);
    add_idle(j, s);
    jout_number(j, "asleep", s->asleep);
    jout_number(j, "busy", s->busy);
    jout_count(j, "limit_ns", limited ? (uint64_t)s->limit_us * 1000 : UINT64_MAX);
    jout_end(j);
}

static void add_cpu(struct json_out *j, const struct result *res)
{
    jout_object(j, "cpu");
    add_cpu_state(j, "before", &res->run->cpu_before);
    add_cpu_state(j, "after", &res->run->cpu_after);
    jout_end(j);
}

static void add_course(struct json_out *j, const struct course *c)
{
    struct buf text = BUF_INIT;

    if (c->n == 0)
        return;
    course_sentence(&c->verdict, &text);
    jout_object(j, "course");
    jout_word(j, "kind", course_kind_name(c->verdict.kind));
    jout_text(j, "text", text.data);
    jout_array(j, "knees");
    for (size_t i = 0; i < c->verdict.n_knees; i++) {
        const struct knee *k = &c->verdict.knees[i];
        jout_object(j, NULL);
        jout_count(j, "at_bytes", k->at_bytes);
        jout_number(j, "before_bytes_per_s", k->before_bytes_per_s);
        jout_number(j, "after_bytes_per_s", k->after_bytes_per_s);
        jout_end(j);
    }
    jout_end(j);
    jout_array(j, "points");
    for (size_t i = 0; i < c->n; i++) {
        jout_object(j, NULL);
        jout_count(j, "bytes", c->points[i].bytes);
        jout_number(j, "seconds", c->points[i].seconds);
        jout_end(j);
    }
    jout_end(j);
    jout_end(j);
    buf_done(&text);
}

static void add_cell(struct json_out *j, const struct run *r, size_t test, enum direction d)
{
    const struct cell *c = run_cell(r, test, d);

    jout_object(j, NULL);
    jout_text(j, "test", r->plan->settings.profile->tests[test].name);
    jout_text(j, "direction", direction_name(d));
    jout_text(j, "state", cell_state_name(c->state));
    jout_word(j, "why", c->why);
    jout_text(j, "trust", trust_name(c->trust));
    jout_word(j, "trust_reason", c->trust_reason);
    add_way(j, cell_step(r, test, d));
    add_figures(j, "figures", &c->mean);
    add_spread(j, &c->spread);
    add_time_split(j, &c->device);
    jout_array(j, "runs");
    for (size_t i = 0; i < c->n_runs; i++)
        add_figures(j, NULL, &c->runs[i]);
    jout_end(j);
    jout_count(j, "rate_of_run", c->n_runs ? c->rate_run + 1 : UINT64_MAX);
    jout_count(j, "latency_of_run", c->n_runs ? c->latency_run + 1 : UINT64_MAX);
    jout_number(j, "silence_s", c->silence_s);
    add_cpu_state(j, "cpu", &c->cpu);
    jout_count(j, "samples_taken", c->n_samples);
    jout_array(j, "samples");
    for (size_t i = 0; i < c->n_kept; i++)
        add_sample(j, r, &c->samples[i]);
    jout_end(j);
    add_course(j, &c->course);
    jout_end(j);
}

static void add_cells(struct json_out *j, const struct result *res)
{
    const struct run *r = res->run;

    jout_array(j, "cells");
    for (size_t t = 0; t < r->plan->settings.profile->n_tests; t++)
        for (int d = 0; d < DIRECTION_COUNT; d++)
            if (run_cell(r, t, (enum direction)d)->state != CELL_NONE)
                add_cell(j, r, t, (enum direction)d);
    jout_end(j);
}

/* ---- what was changed while it ran ---- */

static void add_stretch(struct json_out *j, const struct run *r, const struct stretch *s)
{
    jout_object(j, NULL);
    jout_word(j, "mark", s->mark);
    jout_number(j, "at_s", seconds(r->began_ns, s->at_ns));
    jout_count(j, "step", s->step);
    jout_bool(j, "measuring", s->measuring);
    jout_number(j, "seconds", s->seconds);
    add_figures(j, "figures", &s->figures);
    jout_end(j);
}

static void add_stretches(struct json_out *j, const struct result *res)
{
    const struct run *r = res->run;

    jout_array(j, "stretches");
    for (size_t i = 0; i < r->n_stretches; i++)
        add_stretch(j, r, &r->stretches[i]);
    jout_end(j);
}

/* ---- what is said of it, and how it ended ---- */

static void add_notes(struct json_out *j, const struct result *res)
{
    const struct strv *notes = &res->run->plan->notes;

    jout_array(j, "notes");
    for (size_t i = 0; i < notes->n; i++)
        jout_text(j, NULL, notes->items[i]);
    jout_end(j);
}

static void add_line(void *arg, const char *label, const char *text)
{
    (void)label;
    jout_text(arg, NULL, text);
}

static void add_footnotes(struct json_out *j, const struct result *res)
{
    jout_array(j, "footnotes");
    table_notes(res->run, true, add_line, j);
    jout_end(j);
}

static void add_verdict(struct json_out *j, const struct result *res)
{
    const struct verdict *v = res->verdict;

    if (!v) {
        jout_null(j, "verdict");
        return;
    }
    jout_array(j, "verdict");
    for (size_t i = 0; i < v->n; i++) {
        jout_object(j, NULL);
        jout_text(j, "id", v->items[i].id);
        jout_text(j, "severity", severity_name(v->items[i].severity));
        jout_text(j, "seen", v->items[i].seen);
        jout_text(j, "why", v->items[i].why);
        jout_word(j, "advice", v->items[i].advice);
        jout_end(j);
    }
    jout_end(j);
}

static void add_exit(struct json_out *j, const struct result *res)
{
    enum exit_code code = run_exit_code(res->run);

    jout_line_object(j, "exit");
    jout_int(j, "code", code);
    jout_count(j, "signal", res->signal ? (uint64_t)res->signal : UINT64_MAX);
    jout_bool(j, "complete", code == EXIT_CODE_OK);
    jout_bool(j, "stopped", res->run->stopped);
    jout_count(j, "cells_failed", res->run->failed);
    jout_end(j);
}

static void add_sweep_cell(struct json_out *j, const struct run *r, size_t test, enum direction d)
{
    const struct sweep *s = &r->plan->settings.sweep;
    const struct cell *c = run_cell(r, test, d);
    struct sweep_row rows[KNOB_CHOICES];

    sweep_compare(s, c->runs, c->n_runs, rows);
    for (size_t i = 0; i < s->n; i++) {
        jout_line_object(j, NULL);
        jout_text(j, "test", r->plan->settings.profile->tests[test].name);
        jout_text(j, "direction", direction_name(d));
        jout_text(j, "setting", s->settings[i]);
        jout_count(j, "runs", rows[i].n);
        jout_number(j, "iops", rows[i].iops);
        jout_number(j, "iops_min", rows[i].iops_min);
        jout_number(j, "iops_max", rows[i].iops_max);
        jout_number(j, "lat_p50_ns", rows[i].p50_ns);
        jout_number(j, "lat_p50_min_ns", rows[i].p50_min_ns);
        jout_number(j, "lat_p50_max_ns", rows[i].p50_max_ns);
        jout_number(j, "lat_p99_ns", rows[i].p99_ns);
        jout_number(j, "bytes_per_s", rows[i].bytes_per_s);
        jout_number(j, "times_first", rows[i].times);
        jout_bool(j, "beyond_spread", rows[i].apart);
        jout_end(j);
    }
}

static void add_sweep(struct json_out *j, const struct result *res)
{
    const struct run *r = res->run;
    const struct sweep *s = &r->plan->settings.sweep;

    if (s->n == 0) {
        jout_null(j, "sweep");
        return;
    }
    jout_object(j, "sweep");
    jout_text(j, "knob", knob_option(s->knob));
    jout_count(j, "repeats", s->repeats);
    jout_line_array(j, "setting_of_run");
    for (unsigned i = 0; i < sweep_loops(s); i++)
        jout_text(j, NULL, s->settings[sweep_setting(s, i)]);
    jout_end(j);
    jout_array(j, "comparison");
    for (size_t t = 0; t < r->plan->settings.profile->n_tests; t++)
        for (int d = 0; d < DIRECTION_COUNT; d++)
            if (run_cell(r, t, (enum direction)d)->state != CELL_NONE)
                add_sweep_cell(j, r, t, (enum direction)d);
    jout_end(j);
    jout_end(j);
}

typedef void section_fn(struct json_out *j, const struct result *res);

static section_fn *const run_sections[] = {
    add_time,        add_machine,   add_target,  add_settings,  add_run_capability, add_profile,
    add_preparation, add_steps,     add_cells,   add_stretches, add_sweep,          add_cpu,
    add_notes,       add_footnotes, add_verdict, add_exit,
};

void json_write(struct buf *out, const struct result *res)
{
    struct json_out j = JSON_OUT_INIT(out);

    jout_object(&j, NULL);
    add_head(&j, res, "run");
    for (size_t i = 0; i < sizeof(run_sections) / sizeof(run_sections[0]); i++)
        run_sections[i](&j, res);
    jout_end(&j);
}

void json_write_probe(struct buf *out, const struct result *res, const struct capability *c,
                      double probe_s)
{
    struct json_out j = JSON_OUT_INIT(out);

    jout_object(&j, NULL);
    add_head(&j, res, "probe");
    add_machine(&j, res);
    add_target(&j, res);
    add_capability(&j, c);
    jout_number(&j, "seconds", probe_s);
    jout_end(&j);
}
