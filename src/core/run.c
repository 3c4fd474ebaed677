/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The model of a run: reports and time in, figures and states out. Knows no clock, no I/O and no
 * screen; whoever shows it reads it, and draws again when generation has grown.
 */
#include "sthd/run.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sthd/mem.h"
#include "sthd/sweep.h"
#include "sthd/text.h"
#include "sthd/units.h"

#define NS_PER_S 1e9

/* Below this share done, the speed so far says too little about the rest of a preparation. */
#define PREPARE_JUDGE_SHARE 0.02

/* Steps of the progress bar that count as visible: finer than any bar of ours in 80 columns. */
#define SHARE_STEPS 40

static const struct figures no_figures = {
    .bytes_per_s = NAN,
    .iops = NAN,
    .mean_ns = NAN,
    .min_ns = NAN,
    .max_ns = NAN,
    .stddev_ns = NAN,
    .p50_ns = NAN,
    .p99_ns = NAN,
    .p999_ns = NAN,
};

const double run_percents[RUN_PERCENTS] = {1,  5,  10, 20, 30,   40,   50,    60,   70,
                                           80, 90, 95, 99, 99.5, 99.9, 99.95, 99.99};

static struct detail no_detail(void)
{
    struct detail none = {.cpu_share = NAN};

    for (int d = DIRECTION_READ; d <= DIRECTION_WRITE; d++) {
        none.sides[d].figures = no_figures;
        for (size_t i = 0; i < RUN_PERCENTS; i++)
            none.sides[d].percentile_ns[i] = NAN;
    }
    return none;
}

/* Printable, cut between characters. */
static void set_text(char *out, size_t size, const char *s)
{
    struct buf b = BUF_INIT;

    text_printable(&b, s, strlen(s), false);
    size_t n = b.len < size ? b.len : size - 1;
    if (n < b.len)
        while (n > 0 && ((unsigned char)b.data[n] & 0xc0) == 0x80)
            n--;
    if (n > 0)
        memcpy(out, b.data, n);
    out[n] = '\0';
    buf_done(&b);
}

static bool step_is_on(const struct run *r)
{
    return r->state == RUN_STEP || r->state == RUN_STOPPING;
}

/* A warm-up has a cell, but measures nothing for it. */
static struct cell *cell_of(struct run *r, const struct step *s)
{
    return s->kind == STEP_MEASURE ? &r->cells[s->test][s->direction] : NULL;
}

static bool is_measured(const struct step *s)
{
    return s->kind == STEP_MEASURE && !s->warmup;
}

static double seconds_between(int64_t from_ns, int64_t to_ns)
{
    return to_ns > from_ns ? (double)(to_ns - from_ns) / NS_PER_S : 0;
}

static void advance(struct run *r, int64_t now_ns)
{
    if (now_ns > r->now_ns)
        r->now_ns = now_ns;
}

void run_init(struct run *r, const struct plan *plan, int64_t now_ns)
{
    memset(r, 0, sizeof(*r));
    r->plan = plan;
    r->began_ns = r->step_began_ns = r->last_report_ns = r->now_ns = now_ns;
    r->prepare_bytes_per_s = NAN;
    r->steps = mem_zalloc(plan->n_steps * sizeof(*r->steps));
    r->generation = 1;
    for (size_t t = 0; t < PROFILE_TESTS; t++)
        for (size_t d = 0; d < DIRECTION_COUNT; d++) {
            r->cells[t][d].now = r->cells[t][d].mean = no_figures;
            r->cells[t][d].detail = no_detail();
        }
    for (size_t i = 0; i < plan->n_steps; i++) {
        struct cell *c = cell_of(r, &plan->steps[i]);
        if (c) {
            c->state = CELL_WAITING;
            c->end_fsync = plan->steps[i].end_fsync;
        }
    }
}

static void end_samplers(struct run *r)
{
    for (unsigned i = 0; r->beside && i < r->plan->steps[r->step].company; i++)
        sampler_free(r->beside[i]);
    free(r->beside);
    r->beside = NULL;
    sampler_free(r->sampler);
    r->sampler = NULL;
}

void run_done(struct run *r)
{
    for (size_t t = 0; t < PROFILE_TESTS; t++)
        for (size_t d = 0; d < DIRECTION_COUNT; d++) {
            struct cell *c = &r->cells[t][d];
            free(c->samples);
            free(c->runs);
            free(c->run_spreads);
            free(c->run_details);
            course_done(&c->course);
            c->samples = NULL;
            c->runs = NULL;
            c->run_spreads = NULL;
            c->run_details = NULL;
            c->n_kept = c->cap = c->n_runs = 0;
        }
    for (size_t i = 0; r->steps && i < r->plan->n_steps; i++)
        strv_done(&r->steps[i].command);
    free(r->steps);
    r->steps = NULL;
    end_samplers(r);
    free(r->stretches);
    r->stretches = NULL;
    r->n_stretches = 0;
}

void run_set_wall_clock(struct run *r, int64_t unix_ns, int utc_offset_s)
{
    r->began_unix_ns = unix_ns;
    r->utc_offset_s = utc_offset_s;
}

void run_set_command(struct run *r, size_t step, const struct strv *argv)
{
    assert(step < r->plan->n_steps);
    strv_done(&r->steps[step].command);
    for (size_t i = 0; i < argv->n; i++)
        strv_add(&r->steps[step].command, argv->items[i]);
}

static bool is_over(enum cell_state state)
{
    return state == CELL_DONE || state == CELL_STOPPED || state == CELL_FAILED ||
           state == CELL_SKIPPED;
}

/* The first step from i on that is still to be run. */
static size_t next_from(const struct run *r, size_t i)
{
    for (; i < r->plan->n_steps; i++) {
        const struct step *s = &r->plan->steps[i];
        if (s->beside)
            continue;
        if (s->kind != STEP_MEASURE || !is_over(r->cells[s->test][s->direction].state))
            break;
    }
    return i;
}

size_t run_next_step(const struct run *r)
{
    return next_from(r, r->state == RUN_READY ? 0 : r->step + 1);
}

void run_pause(struct run *r, int64_t now_ns, int64_t until_ns)
{
    assert(!step_is_on(r) && r->state != RUN_DONE);
    advance(r, now_ns);
    r->state = RUN_PAUSE;
    r->pause_until_ns = until_ns;
    r->generation++;
}

static void add_stretch(struct run *r, const char *mark, bool measuring, int64_t now_ns)
{
    r->stretches = mem_realloc_array(r->stretches, r->n_stretches + 1, sizeof(*r->stretches));
    struct stretch *s = &r->stretches[r->n_stretches++];
    *s = (struct stretch){
        .at_ns = now_ns, .step = r->step, .measuring = measuring, .figures = no_figures};
    set_text(s->mark, sizeof(s->mark), mark);
}

static struct sampler *begin_sampler(const struct run *r, const struct step *s, int64_t now_ns)
{
    struct sampler_spec spec = {
        .direction = s->direction,
        .block_bytes = s->block_bytes,
        .runtime_ms = s->endless ? 0 : s->runtime_s * 1000,
        .interval_ms = r->plan->settings.interval_ms,
        .began_ns = now_ns,
    };

    return sampler_new(&spec);
}

static void begin_beside(struct run *r, const struct step *s, int64_t now_ns)
{
    r->beside = s->company ? mem_zalloc(s->company * sizeof(struct sampler *)) : NULL;
    for (unsigned i = 0; i < s->company; i++) {
        const struct step *other = &s[i + 1];
        struct cell *c = cell_of(r, other);
        r->beside[i] = begin_sampler(r, other, now_ns);
        if (is_measured(other)) {
            c->state = CELL_RUNNING;
            course_done(&c->course);
        }
    }
}

void run_step_begin(struct run *r, size_t step, int64_t now_ns)
{
    assert(step < r->plan->n_steps && !step_is_on(r) && r->state != RUN_DONE);
    const struct step *s = &r->plan->steps[step];
    struct cell *c = cell_of(r, s);

    advance(r, now_ns);
    r->state = RUN_STEP;
    r->step = step;
    r->step_began_ns = r->last_report_ns = now_ns;
    r->sampler = begin_sampler(r, s, now_ns);
    begin_beside(r, s, now_ns);
    r->steps[step].begun = true;
    r->steps[step].began_ns = now_ns;
    r->bound_done = 0;
    if (c && is_measured(s)) {
        c->state = CELL_RUNNING;
        course_done(&c->course);
        add_stretch(r, "", true, now_ns);
    }
    r->generation++;
}

/* Zero is not a figure: nothing completes in no time. */
static double positive(double x)
{
    return x > 0 && isfinite(x) ? x : NAN;
}

static struct figures figures_of_sample(const struct sample *s)
{
    struct figures f = no_figures;

    f.bytes_per_s = positive(s->bytes_per_s);
    f.iops = positive(s->iops);
    f.mean_ns = positive(s->mean_ns);
    f.p50_ns = positive(s->p50_ns);
    f.p99_ns = positive(s->p99_ns);
    return f;
}

/* What runs now is of the last stretch. */
static void follow_stretch(struct run *r)
{
    struct stretch *s = &r->stretches[r->n_stretches - 1];
    struct sample sample;

    sampler_stretch(r->sampler, &sample);
    s->figures = figures_of_sample(&sample);
    s->seconds = sample.seconds > 0 ? sample.seconds : 0;
}

static void keep_sample(struct cell *c, const struct sample *s)
{
    if (c->n_kept == CELL_SAMPLES) {
        memmove(c->samples, c->samples + 1, (CELL_SAMPLES - 1) * sizeof(*c->samples));
        c->n_kept--;
    }
    if (c->n_kept == c->cap) {
        c->cap = c->cap ? c->cap * 2 : 32;
        if (c->cap > CELL_SAMPLES)
            c->cap = CELL_SAMPLES;
        c->samples = mem_realloc_array(c->samples, c->cap, sizeof(*c->samples));
    }
    c->samples[c->n_kept++] = *s;
    c->n_samples++;
}

static uint64_t completed_bytes(const struct counters *c, const struct step *s)
{
    if (c->io_bytes != COUNTER_ABSENT)
        return c->io_bytes;
    return c->ios != COUNTER_ABSENT ? c->ios * s->block_bytes : 0;
}

/* Progress never goes back: a report that says less than the one before is a reset counter. */
static bool prepare_progress(struct run *r, const struct report *report)
{
    const struct step *s = &r->plan->steps[r->step];
    struct counters sum;

    counters_init(&sum);
    counters_sum(&sum, report, s->direction);
    uint64_t bytes = completed_bytes(&sum, s);
    counters_done(&sum);
    if (bytes <= r->prepare_bytes)
        return false;
    r->prepare_bytes = bytes;
    r->prepare_done = bytes < s->size_bytes ? (double)bytes / (double)s->size_bytes : 1;
    return true;
}

static bool has_io(const struct counters *c)
{
    return c->ios != COUNTER_ABSENT && c->ios > 0;
}

static struct figures figures_of_counters(const struct counters *c)
{
    return (struct figures){
        .bytes_per_s = positive(c->bw_bytes_per_s),
        .iops = positive(c->iops),
        .mean_ns = positive(c->lat_mean_ns),
        .min_ns = positive(c->lat_min_ns),
        .max_ns = positive(c->lat_max_ns),
        .stddev_ns = positive(c->lat_stddev_ns),
        .p50_ns = positive(counters_percentile(c, 50)),
        .p99_ns = positive(counters_percentile(c, 99)),
        .p999_ns = positive(counters_percentile(c, 99.9)),
    };
}

static struct side side_of(const struct counters *c)
{
    struct side s = {.figures = no_figures};

    if (has_io(c))
        s.figures = figures_of_counters(c);
    for (size_t i = 0; i < RUN_PERCENTS; i++)
        s.percentile_ns[i] = has_io(c) ? positive(counters_percentile(c, run_percents[i])) : NAN;
    return s;
}

/* With a grouped report, what fio says of CPU is a mean per job. */
static double cpu_share_of(const struct report *report, const struct step *s)
{
    double percent = 0;

    if (report->n_jobs == 0)
        return NAN;
    for (size_t i = 0; i < report->n_jobs; i++)
        percent += report->jobs[i].usr_cpu + report->jobs[i].sys_cpu;
    return percent / 100 * s->threads / (double)report->n_jobs;
}

/* Figures that move with each report, final or not. */
static void take_detail(struct cell *c, const struct step *s, const struct report *report)
{
    for (int d = DIRECTION_READ; d <= DIRECTION_WRITE; d++) {
        struct counters sum;
        counters_init(&sum);
        counters_sum(&sum, report, (enum direction)d);
        c->detail.sides[d] = side_of(&sum);
        counters_done(&sum);
    }
    c->detail.cpu_share = cpu_share_of(report, s);
}

/* As far as a step that is bound by size has come. */
static void bound_progress(struct run *r, const struct report *report)
{
    const struct step *s = &r->plan->steps[r->step];
    uint64_t all = step_bound_bytes(s);
    struct counters sum;

    if (s->kind == STEP_PREPARE || all == 0)
        return;
    counters_init(&sum);
    counters_sum(&sum, report, s->direction);
    double done = s->work == WORK_DATA
                      ? (double)completed_bytes(&sum, s) / (double)all
                      : (double)(sum.ios != COUNTER_ABSENT ? sum.ios : 0) / s->files / s->threads;
    counters_done(&sum);
    r->bound_done = fmin(fmax(done, r->bound_done), 1);
}

static void follow_course(struct course *c, const struct sample *s)
{
    double bytes = s->bytes_per_s * s->seconds;

    if (bytes >= 0 && bytes < 0x1p63)
        course_add(c, (uint64_t)llround(bytes), s->seconds);
    if (course_is_due(c))
        course_judge(c);
}

/*
 * What a report says of one of several sections that run together: their threads come in the order
 * of the sections. part borrows all but its array, which is the caller's to free.
 */
static void part_of(const struct run *r, const struct step *s, const struct report *whole,
                    struct report *part)
{
    const struct step *leader = &r->plan->steps[r->step];
    size_t at = 0, n = s->threads;

    *part = *whole;
    part->jobs = NULL;
    part->n_jobs = 0;
    for (const struct step *o = leader; o != s; o++)
        at += o->threads;
    if (at >= whole->n_jobs)
        return;
    n = n < whole->n_jobs - at ? n : whole->n_jobs - at;
    part->jobs = mem_alloc(n * sizeof(*part->jobs));
    memcpy(part->jobs, whole->jobs + at, n * sizeof(*part->jobs));
    part->n_jobs = n;
}

/* A new sample of a step, if the report makes one. */
static bool take_sample(struct run *r, const struct step *s, struct sampler *sampler,
                        const struct report *report, int64_t arrival_ns)
{
    struct cell *c = is_measured(s) ? cell_of(r, s) : NULL;
    struct sample sample, mean;

    if (!sampler_take(sampler, report, arrival_ns, r->state == RUN_STOPPING, &sample))
        return false;
    if (!c) {
        r->prepare_bytes_per_s = sample.bytes_per_s;
        return true;
    }
    c->now = figures_of_sample(&sample);
    sampler_mean(sampler, &mean);
    c->mean = figures_of_sample(&mean);
    if (s->work != WORK_DATA)
        c->now.bytes_per_s = c->mean.bytes_per_s = sample.bytes_per_s = NAN;
    keep_sample(c, &sample);
    if (step_bound_bytes(s) && s->work == WORK_DATA)
        follow_course(&c->course, &sample);
    if (s->direction == DIRECTION_MIX)
        take_detail(c, s, report);
    return true;
}

static bool take_part(struct run *r, const struct step *s, struct sampler *sampler,
                      const struct report *whole, int64_t arrival_ns)
{
    struct report part;

    part_of(r, s, whole, &part);
    bool moved = take_sample(r, s, sampler, &part, arrival_ns);
    free(part.jobs);
    return moved;
}

/* The samples of a step and of those that run together with it. */
static bool take_samples(struct run *r, const struct step *s, const struct report *report,
                         int64_t arrival_ns)
{
    bool moved;

    if (s->warmup)
        return false;
    if (s->company == 0) {
        moved = take_sample(r, s, r->sampler, report, arrival_ns);
    } else {
        moved = take_part(r, s, r->sampler, report, arrival_ns);
        for (unsigned i = 0; i < s->company; i++)
            moved |= take_part(r, &s[i + 1], r->beside[i], report, arrival_ns);
    }
    if (moved && is_measured(s))
        follow_stretch(r);
    return moved;
}

bool run_apply(struct run *r, const struct report *report, int64_t arrival_ns)
{

    if (!step_is_on(r))
        return false;
    bool was_silent = run_silence_s(r) > 0;
    const struct step *s = &r->plan->steps[r->step];
    struct cell *c = run_current_cell(r);
    advance(r, arrival_ns);
    if (c)
        c->silence_s = fmax(c->silence_s, seconds_between(r->last_report_ns, arrival_ns));
    if (arrival_ns > r->last_report_ns)
        r->last_report_ns = arrival_ns;
    if (r->fio_version[0] == '\0' && report->fio_version[0])
        set_text(r->fio_version, sizeof(r->fio_version), report->fio_version);

    bool moved = s->kind == STEP_PREPARE && prepare_progress(r, report);
    bound_progress(r, report);
    moved |= take_samples(r, s, report, arrival_ns);
    if (moved || was_silent)
        r->generation++;
    return moved;
}

void run_stopping(struct run *r, int64_t now_ns)
{
    advance(r, now_ns);
    if (r->state != RUN_STEP)
        return;
    r->state = RUN_STOPPING;
    r->generation++;
}

static double least(double a, double b)
{
    return isnan(a) || b < a ? b : a;
}

static double most(double a, double b)
{
    return isnan(a) || b > a ? b : a;
}

/* One direction of one job, as a report of its own. */
static void job_counters(struct counters *out, const struct job_report *job, enum direction d)
{
    struct job_report copy = *job; /* borrows the histograms */
    struct report one = {.jobs = &copy, .n_jobs = 1};

    counters_sum(out, &one, d);
}

static struct job_spread spread_of(const struct report *report, enum direction d)
{
    struct job_spread s = {.n_jobs = 0,
                           .p50_mean_ns = NAN,
                           .p99_worst_ns = NAN,
                           .iops_min = NAN,
                           .iops_max = NAN,
                           .p50_min_ns = NAN,
                           .p50_max_ns = NAN};
    double p50_sum = 0;

    for (size_t i = 0; i < report->n_jobs; i++) {
        struct counters c;
        counters_init(&c);
        job_counters(&c, &report->jobs[i], d);
        if (has_io(&c)) {
            struct figures f = figures_of_counters(&c);
            s.n_jobs++;
            p50_sum += f.p50_ns;
            s.iops_min = least(s.iops_min, f.iops);
            s.iops_max = most(s.iops_max, f.iops);
            s.p50_min_ns = least(s.p50_min_ns, f.p50_ns);
            s.p50_max_ns = most(s.p50_max_ns, f.p50_ns);
            s.p99_worst_ns = most(s.p99_worst_ns, f.p99_ns);
        }
        counters_done(&c);
    }
    if (s.n_jobs > 0)
        s.p50_mean_ns = p50_sum / (double)s.n_jobs;
    return s;
}

/* fio's final word. False: no I/O was completed, there is no figure. */
static bool final_figures(const struct run *r, const struct step *s, const struct report *last,
                          struct figures *figures, struct job_spread *spread)
{
    struct counters sum;
    bool any = false;

    *figures = no_figures;
    memset(spread, 0, sizeof(*spread));
    if (!last)
        return false;
    counters_init(&sum);
    counters_sum(&sum, last, s->direction);
    if (has_io(&sum)) {
        *figures = figures_of_counters(&sum);
        if (s->work != WORK_DATA) /* fio says block size times files there */
            figures->bytes_per_s = NAN;
        any = !isnan(figures->iops) || !isnan(figures->bytes_per_s);
        if (any && r->plan->settings.per_job)
            *spread = spread_of(last, s->direction);
    }
    counters_done(&sum);
    return any;
}

/* ---- several runs of a cell ---- */

/* Work on files has no bytes, only how often it was done. */
static double rate_of(const struct figures *f)
{
    double rate = isnan(f->bytes_per_s) ? f->iops : f->bytes_per_s;

    return isnan(rate) ? -1 : rate;
}

/* Of equals the earlier one comes first. */
static size_t run_of_rank(const struct figures *runs, size_t n, size_t want)
{
    for (size_t i = 0; i < n; i++) {
        size_t rank = 0;
        for (size_t j = 0; j < n; j++)
            rank += rate_of(&runs[j]) < rate_of(&runs[i]) ||
                    (rate_of(&runs[j]) == rate_of(&runs[i]) && j < i);
        if (rank == want)
            return i;
    }
    return 0;
}

static size_t fastest_run(const struct figures *runs, size_t n)
{
    size_t best = 0;

    for (size_t i = 1; i < n; i++)
        if (rate_of(&runs[i]) > rate_of(&runs[best]))
            best = i;
    return best;
}

/* Where no run has a mean latency: otherwise. */
static size_t quickest_run(const struct figures *runs, size_t n, size_t otherwise)
{
    size_t best = otherwise;

    for (size_t i = 0; i < n; i++)
        if (!isnan(runs[i].mean_ns) &&
            (isnan(runs[best].mean_ns) || runs[i].mean_ns < runs[best].mean_ns))
            best = i;
    return best;
}

struct figures run_combine(const struct figures *runs, size_t n, enum combine how, size_t *rate_run,
                           size_t *latency_run)
{
    assert(n > 0);
    if (how == COMBINE_MEDIAN) {
        *rate_run = *latency_run = run_of_rank(runs, n, (n - 1) / 2);
        return runs[*rate_run];
    }
    *rate_run = fastest_run(runs, n);
    *latency_run = quickest_run(runs, n, *rate_run);
    struct figures f = runs[*latency_run];
    f.bytes_per_s = runs[*rate_run].bytes_per_s;
    f.iops = runs[*rate_run].iops;
    return f;
}

static void use_runs(const struct run *r, struct cell *c)
{
    c->mean = run_combine(c->runs, c->n_runs, (enum combine)r->plan->settings.combine, &c->rate_run,
                          &c->latency_run);
    c->spread = c->run_spreads[c->latency_run];
    c->detail = c->run_details[c->latency_run];
}

static void keep_run(const struct run *r, struct cell *c, const struct figures *figures,
                     const struct job_spread *spread)
{
    c->runs = mem_realloc_array(c->runs, c->n_runs + 1, sizeof(*c->runs));
    c->run_spreads = mem_realloc_array(c->run_spreads, c->n_runs + 1, sizeof(*c->run_spreads));
    c->run_details = mem_realloc_array(c->run_details, c->n_runs + 1, sizeof(*c->run_details));
    c->run_details[c->n_runs] = c->detail;
    c->runs[c->n_runs] = *figures;
    c->run_spreads[c->n_runs++] = *spread;
    use_runs(r, c);
}

static int first_error(const struct report *last)
{
    for (size_t i = 0; last && i < last->n_jobs; i++)
        if (last->jobs[i].error)
            return last->jobs[i].error;
    return 0;
}

/* What an outcome of OK hides, NULL if nothing; text goes to buffer. */
static const char *hidden_fault(enum tool tool, const struct report *last, bool any, char *buffer,
                                size_t size)
{
    int error = first_error(last);

    if (last && !error && any)
        return NULL;
    if (!last)
        snprintf(buffer, size, "%s ended without a report", tool_name(tool));
    else if (error)
        snprintf(buffer, size, "%s reported error %d (%s)", tool_name(tool), error,
                 strerror(error > 0 ? error : -error));
    else
        snprintf(buffer, size, "%s ended without completing a single I/O", tool_name(tool));
    return buffer;
}

static const char *or_else(const char *why, const char *otherwise)
{
    return why && why[0] ? why : otherwise;
}

/* Beside what the cell says already; of which run, when there are several. */
static void add_warning(struct cell *c, const struct step *s, const char *text)
{
    char run[32] = "";

    if (!text || !text[0])
        return;
    if (s->loops > 1)
        snprintf(run, sizeof(run), "run %u: ", s->loop + 1);
    char *all = mem_printf("%s%s%s%s", c->why, c->why[0] ? "; " : "", run, text);
    set_text(c->why, sizeof(c->why), all);
    free(all);
}

static void warn_of_silence(const struct run *r, struct cell *c, const struct step *s)
{
    double late_s = 2.0 * r->plan->settings.interval_ms / 1000;
    char text[160], silence[UNITS_TEXT];

    if (c->silence_s <= RUN_SILENCE_S || c->silence_s <= late_s)
        return;
    snprintf(text, sizeof(text), "nothing was heard of %s for %s (%sa stalled device or machine)",
             tool_name(s->tool), units_duration(silence, c->silence_s),
             s->end_fsync ? "the fsync at the end, or " : "");
    struct step whole = *s; /* of all runs */
    whole.loops = 1;
    add_warning(c, &whole, text);
}

static void run_succeeded(struct run *r, struct cell *c, const struct step *s,
                          const struct figures *figures, const struct job_spread *spread,
                          const char *warning)
{
    keep_run(r, c, figures, spread);
    add_warning(c, s, warning);
    if (s->loop + 1 < s->loops)
        return;
    c->state = CELL_DONE;
    warn_of_silence(r, c, s);
}

static void run_failed(struct run *r, struct cell *c, const struct step *s, const char *why)
{
    c->state = CELL_FAILED;
    c->mean = no_figures;
    memset(&c->spread, 0, sizeof(c->spread));
    c->detail = no_detail();
    r->failed++;
    c->why[0] = '\0';
    add_warning(c, s,
                or_else(why, s->tool == TOOL_DD ? "dd failed without saying why"
                                                : "fio failed without saying why"));
}

/* Some of its runs are finished, and no more will be. */
static void leave_between_runs(const struct run *r, struct cell *c, unsigned loops,
                               const char *verb, const char *why)
{
    use_runs(r, c);
    c->now = no_figures;
    c->state = CELL_STOPPED;
    char *text = mem_printf("%s after %zu of %u runs: the figures are of %s%s%s%s", verb, c->n_runs,
                            loops, c->n_runs == 1 ? "that one" : "these", why[0] ? " (" : "", why,
                            why[0] ? ")" : "");
    set_text(c->why, sizeof(c->why), text);
    free(text);
}

/* The first run, cut short. */
static void leave_first_run(const struct run *r, struct cell *c, bool any, bool skipped,
                            const char *why)
{
    char text[160], ran[UNITS_TEXT];
    double ran_s = seconds_between(r->step_began_ns, r->now_ns);

    c->state = any || !skipped ? CELL_STOPPED : CELL_SKIPPED;
    if (any)
        snprintf(text, sizeof(text), "%s after %s: the figures are of the part that ran",
                 skipped ? "left early" : "stopped", units_duration(ran, ran_s));
    else
        snprintf(text, sizeof(text), "%s before any I/O was completed",
                 skipped ? "skipped" : "stopped");
    char *all = why[0] ? mem_printf("%s (%s)", text, why) : mem_strdup(text);
    set_text(c->why, sizeof(c->why), all);
    free(all);
}

static void end_measured(struct run *r, const struct step *s, enum step_outcome outcome,
                         const struct report *last, const char *why)
{
    struct cell *c = cell_of(r, s);
    struct figures figures;
    struct job_spread spread;
    bool any = final_figures(r, s, last, &figures, &spread);
    bool skipped = outcome == STEP_SKIPPED;
    char text[160];

    c->now = no_figures;
    if (any)
        take_detail(c, s, last);
    if (outcome == STEP_OK) {
        const char *fault = hidden_fault(s->tool, last, any, text, sizeof(text));
        if (fault)
            run_failed(r, c, s, fault);
        else
            run_succeeded(r, c, s, &figures, &spread, why);
    } else if (outcome == STEP_FAILED) {
        run_failed(r, c, s, why);
    } else if (s->endless && any) { /* that is how it ends */
        run_succeeded(r, c, s, &figures, &spread, why);
    } else if (c->n_runs > 0) {
        leave_between_runs(r, c, s->loops, skipped ? "left" : "stopped", or_else(why, ""));
    } else {
        c->mean = figures;
        c->spread = spread;
        leave_first_run(r, c, any, skipped, or_else(why, ""));
    }
}

/* Its figures are nobody's, but not what befell it. */
static void end_warmup(struct run *r, enum step_outcome outcome, const struct report *last,
                       const char *why)
{
    const struct step *s = &r->plan->steps[r->step];
    struct cell *c = cell_of(r, s);
    char text[160];

    if (outcome == STEP_SKIPPED) {
        c->state = CELL_SKIPPED;
        set_text(c->why, sizeof(c->why), "skipped in its warm-up");
        return;
    }
    if (outcome == STEP_OK) {
        struct figures figures;
        struct job_spread spread;
        bool any = final_figures(r, s, last, &figures, &spread);
        why = hidden_fault(s->tool, last, any, text, sizeof(text));
        if (why)
            outcome = STEP_FAILED;
    }
    if (outcome != STEP_FAILED)
        return;
    char *all = mem_printf("its warm-up failed: %s", or_else(why, "no reason was given"));
    set_text(c->why, sizeof(c->why), all);
    free(all);
}

static void end_prepare(struct run *r, enum step_outcome outcome, const struct report *last,
                        const char *why)
{
    const struct step *s = &r->plan->steps[r->step];
    char text[160], done[UNITS_TEXT], size[UNITS_TEXT];

    if (last)
        prepare_progress(r, last);
    r->prepare_bytes_per_s = NAN;
    if (outcome == STEP_OK) {
        const char *fault = hidden_fault(s->tool, last, r->prepare_bytes > 0, text, sizeof(text));
        if (!fault && r->prepare_bytes < s->size_bytes) {
            snprintf(text, sizeof(text), "%s wrote only %s of %s", tool_name(s->tool),
                     units_size(done, r->prepare_bytes), units_size(size, s->size_bytes));
            fault = text;
        }
        if (!fault)
            return;
        outcome = STEP_FAILED;
        why = fault;
    }
    r->prepare_failed = outcome == STEP_FAILED;
    set_text(r->prepare_why, sizeof(r->prepare_why),
             or_else(why, r->prepare_failed ? "the tool failed without saying why"
                                            : "nothing is measured on a file with holes"));
    run_say(r, "the preparation of the file %s: %s", r->prepare_failed ? "failed" : "was stopped",
            r->prepare_why);
}

static void cell_name(const struct run *r, size_t step, char *out, size_t size)
{
    const struct step *s = &r->plan->steps[step];

    snprintf(out, size, "%s %s", r->plan->settings.profile->tests[s->test].name,
             direction_name(s->direction));
}

static void end_cell(struct run *r, size_t step, enum step_outcome outcome,
                     const struct report *last, const char *why)
{
    const struct step *s = &r->plan->steps[step];
    const struct cell *c = cell_of(r, s);
    struct report part = {0};
    char name[64];

    if (last && r->plan->steps[r->step].company) {
        part_of(r, s, last, &part);
        last = &part;
    }
    end_measured(r, s, outcome, last, why);
    free(part.jobs);
    if (c->state != CELL_FAILED)
        return;
    cell_name(r, step, name, sizeof(name));
    run_say(r, "%s failed: %s", name, c->why);
}

static void end_cells(struct run *r, enum step_outcome outcome, const struct report *last,
                      const char *why)
{
    unsigned company = r->plan->steps[r->step].company;

    for (unsigned i = 0; i <= company; i++)
        end_cell(r, r->step + i, outcome, last, why);
}

void run_step_end(struct run *r, enum step_outcome outcome, const struct report *last,
                  const char *why, int64_t now_ns)
{
    assert(step_is_on(r));
    struct cell *c = run_current_cell(r);

    advance(r, now_ns);
    r->steps[r->step].ended = true;
    r->steps[r->step].ended_ns = r->now_ns;
    r->steps[r->step].outcome = outcome;
    if (r->fio_version[0] == '\0' && last && last->fio_version[0])
        set_text(r->fio_version, sizeof(r->fio_version), last->fio_version);
    if (c) {
        end_cells(r, outcome, last, why);
    } else if (r->plan->steps[r->step].warmup) {
        end_warmup(r, outcome, last, why);
    } else {
        end_prepare(r, outcome, last, why);
    }
    end_samplers(r);
    r->state = RUN_BETWEEN;
    r->generation++;
}

static bool all_done(const struct run *r)
{
    for (size_t i = 0; i < r->plan->n_steps; i++) {
        const struct step *s = &r->plan->steps[i];
        if (s->kind == STEP_MEASURE && r->cells[s->test][s->direction].state != CELL_DONE)
            return false;
    }
    return true;
}

void run_end(struct run *r, bool stopped, int64_t now_ns)
{
    if (r->state == RUN_DONE)
        return;
    if (step_is_on(r))
        run_step_end(r, STEP_STOPPED, NULL, NULL, now_ns);
    advance(r, now_ns);
    for (size_t i = 0; i < r->plan->n_steps; i++) {
        const struct step *s = &r->plan->steps[i];
        struct cell *c = cell_of(r, s);
        if (c && c->state == CELL_RUNNING) {
            leave_between_runs(r, c, s->loops, "stopped", "");
        } else if (c && c->state == CELL_WAITING) {
            c->state = CELL_SKIPPED;
            set_text(c->why, sizeof(c->why),
                     r->prepare_failed ? "not measured: the file could not be prepared"
                     : stopped         ? "not measured: the run was stopped before"
                                       : "not measured");
        }
    }
    r->state = RUN_DONE;
    r->stopped = stopped && !(r->plan->endless && all_done(r));
    r->ended_ns = r->now_ns;
    r->generation++;
}

void run_set_trust(struct run *r, size_t test, enum direction d, enum trust trust,
                   const char *reason)
{
    assert(test < PROFILE_TESTS && (unsigned)d < DIRECTION_COUNT);
    struct cell *c = &r->cells[test][d];

    c->trust = trust;
    set_text(c->trust_reason, sizeof(c->trust_reason), reason);
    r->generation++;
}

bool run_mark(struct run *r, const char *text, int64_t now_ns)
{
    if (r->state == RUN_DONE)
        return false;
    advance(r, now_ns);
    bool measuring = run_current_cell(r) != NULL;
    if (measuring)
        sampler_cut(r->sampler);
    add_stretch(r, text, measuring, now_ns);
    r->generation++;
    return true;
}

/* Who turns a knob twice to get past a setting leaves too little there to compare with. */
#define STRETCH_ENOUGH_S 1.0

const struct stretch *run_stretch_before(const struct run *r, size_t i)
{
    assert(i < r->n_stretches);
    if (i == 0 || !r->stretches[i].mark[0])
        return NULL;
    const struct stretch *now = &r->stretches[i], *before = NULL;
    if (isnan(now->figures.iops))
        return NULL;
    for (size_t k = i; k-- > 0 && r->stretches[k].step == now->step;) {
        const struct stretch *s = &r->stretches[k];
        if (isnan(s->figures.iops))
            continue;
        if (s->seconds >= STRETCH_ENOUGH_S)
            return s;
        before = before ? before : s;
    }
    return before;
}

void run_stretch_sentence(const struct run *r, size_t i, struct buf *out)
{
    const struct stretch *before = run_stretch_before(r, i), *now = &r->stretches[i];
    char a[UNITS_TEXT], b[UNITS_TEXT];

    buf_adds(out, now->mark[0] ? now->mark : "start");
    if (isnan(now->figures.iops))
        return;
    if (!before) {
        buf_addf(out, ": p50 %s, %s IOPS", units_latency(a, now->figures.p50_ns),
                 units_iops(b, now->figures.iops));
        return;
    }
    buf_addf(out, ": p50 %s (was %s", units_latency(a, now->figures.p50_ns),
             units_latency(b, before->figures.p50_ns));
    if (before + 1 != now)
        buf_addf(out, " at %s", before->mark[0] ? before->mark : "the start");
    buf_adds(out, "), ");
    buf_addf(out, "%s IOPS (was %s), %.*f x", units_iops(a, now->figures.iops),
             units_iops(b, before->figures.iops),
             now->figures.iops < before->figures.iops * 0.95 ? 2 : 1,
             now->figures.iops / before->figures.iops);
}

void run_device(struct run *r, size_t test, enum direction d, const struct waterfall_facts *now,
                const struct waterfall_facts *whole)
{
    assert(test < PROFILE_TESTS && (unsigned)d < DIRECTION_COUNT);
    struct cell *c = &r->cells[test][d];

    if (now)
        waterfall_split(&c->device_now, now);
    waterfall_split(&c->device, whole);
    r->generation++;
}

void run_set_zil(struct run *r, size_t test, enum direction d, const struct zil *zil)
{
    assert(test < PROFILE_TESTS && (unsigned)d < DIRECTION_COUNT);
    r->cells[test][d].zil = *zil;
    r->generation++;
}

void run_say(struct run *r, const char *fmt, ...)
{
    char text[512];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(text, sizeof(text), fmt, ap);
    va_end(ap);
    set_text(r->message, sizeof(r->message), text);
    r->generation++;
}

/* A figure of an interval long over is not "now" any more. */
static void forget_interval(struct run *r)
{
    struct cell *c = run_current_cell(r);

    if (c)
        c->now = no_figures;
    r->prepare_bytes_per_s = NAN;
}

bool run_tick(struct run *r, int64_t now_ns)
{
    if (r->state == RUN_DONE)
        return false;
    advance(r, now_ns);
    unsigned silence_s = run_silence_s(r);
    if (silence_s > 0 && r->ticked.silence_s == 0)
        forget_interval(r);
    double left_s = run_seconds_left(r);
    unsigned left = left_s < UINT32_MAX ? (unsigned)left_s : UINT32_MAX;
    unsigned share = (unsigned)(run_step_share(r) * SHARE_STEPS);
    if (silence_s == r->ticked.silence_s && left == r->ticked.left_s && share == r->ticked.share)
        return false;
    r->ticked.silence_s = silence_s;
    r->ticked.left_s = left;
    r->ticked.share = share;
    r->generation++;
    return true;
}

unsigned run_silence_s(const struct run *r)
{
    double late_s = 2.0 * r->plan->settings.interval_ms / 1000;
    double silent_s = seconds_between(r->last_report_ns, r->now_ns);

    if (!step_is_on(r) || silent_s <= late_s || silent_s <= 1)
        return 0;
    return silent_s < UINT32_MAX ? (unsigned)silent_s : UINT32_MAX;
}

void run_cpu(struct run *r, const struct cpu_state *s)
{
    struct cell *cell = run_current_cell(r);

    if (!s->known || r->state == RUN_DONE)
        return;
    if (!r->cpu_before.known)
        r->cpu_before = *s;
    r->cpu_after = *s;
    if (cell && s->taken_ns > r->step_began_ns)
        cpu_state_mean(&cell->cpu, &cell->n_cpu, s);
}

struct cell *run_current_cell(struct run *r)
{
    const struct step *s = run_current_step(r);

    return s && is_measured(s) ? cell_of(r, s) : NULL;
}

const struct cell *run_cell(const struct run *r, size_t test, enum direction d)
{
    assert(test < PROFILE_TESTS && (unsigned)d < DIRECTION_COUNT);
    return &r->cells[test][d];
}

const struct step *run_current_step(const struct run *r)
{
    return step_is_on(r) ? &r->plan->steps[r->step] : NULL;
}

static double step_seconds_left(const struct run *r)
{
    double elapsed_s = seconds_between(r->step_began_ns, r->now_ns);
    double whole_s = plan_step_seconds(r->plan, r->step);

    if (r->plan->steps[r->step].kind == STEP_PREPARE && r->prepare_done >= PREPARE_JUDGE_SHARE)
        return elapsed_s / r->prepare_done - elapsed_s;
    if (r->bound_done >= PREPARE_JUDGE_SHARE)
        return elapsed_s / r->bound_done - elapsed_s;
    return elapsed_s < whole_s ? whole_s - elapsed_s : 0;
}

double run_seconds_left(const struct run *r)
{
    double left_s = 0;

    if (r->state == RUN_DONE)
        return 0;
    if (step_is_on(r))
        left_s = step_seconds_left(r);
    for (size_t i = run_next_step(r); i < r->plan->n_steps; i = next_from(r, i + 1))
        left_s += plan_step_seconds(r->plan, i) + r->plan->steps[i].pause_s;
    if (r->state == RUN_PAUSE) /* of which a part is over */
        left_s += seconds_between(r->now_ns, r->pause_until_ns) -
                  r->plan->steps[run_next_step(r)].pause_s;
    return left_s;
}

double run_step_share(const struct run *r)
{
    if (!step_is_on(r))
        return 0;
    if (r->plan->steps[r->step].kind == STEP_PREPARE)
        return r->prepare_done;
    if (r->bound_done > 0)
        return r->bound_done;
    double share =
        seconds_between(r->step_began_ns, r->now_ns) / plan_step_seconds(r->plan, r->step);
    return share < 1 ? share : 1;
}

enum exit_code run_exit_code(const struct run *r)
{
    if (r->failed > 0 || r->prepare_failed)
        return EXIT_CODE_TEST_FAILED;
    if (r->stopped)
        return EXIT_CODE_STOPPED;
    return all_done(r) ? EXIT_CODE_OK : EXIT_CODE_STOPPED;
}

void run_step_name(const struct run *r, size_t step, char *out, size_t size)
{
    assert(step < r->plan->n_steps);
    const struct step *s = &r->plan->steps[step];
    const struct sweep *sweep = &r->plan->settings.sweep;
    char name[64], setting[CPU_WORD + 8] = "";

    if (s->kind == STEP_PREPARE) {
        snprintf(out, size, "preparation");
        return;
    }
    cell_name(r, step, name, sizeof(name));
    if (sweep->n > 0)
        sweep_label(sweep, sweep_setting(sweep, s->loop), setting, sizeof(setting));
    if (s->warmup)
        snprintf(out, size, "%s warm-up", name);
    else if (s->loops > 1)
        snprintf(out, size, "%s %u/%u%s%s", name, s->loop + 1, s->loops, setting[0] ? " " : "",
                 setting);
    else
        snprintf(out, size, "%s", name);
}
