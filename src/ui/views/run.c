/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The screen of a run: what is running, how long yet, the table, the moment, and what to know. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "sthd/text.h"
#include "sthd/units.h"
#include "views/views.h"

#define NOTES_MAX 6
#define NOTE_TEXT 320
/* As the stop ladder does it: see fio_run.h. */
#define STOP_KILL_S 15

struct notes {
    size_t n;
    struct {
        enum role role;
        char text[NOTE_TEXT];
    } lines[NOTES_MAX];
};

static const struct step *current_step(const struct run *r)
{
    return r->step < r->plan->n_steps ? &r->plan->steps[r->step] : NULL;
}

static bool preparing(const struct run *r)
{
    const struct step *s = current_step(r);

    return r->state != RUN_DONE && s && s->kind == STEP_PREPARE;
}

/* --- head ------------------------------------------------------------------------------------- */

static void state_text(const struct run *r, char *out, size_t size, enum role *role)
{
    unsigned silence = run_silence_s(r);

    *role = ROLE_GOOD;
    if (r->state == RUN_DONE) {
        bool bad = r->failed > 0 || r->prepare_failed;
        *role = bad ? ROLE_ERROR : r->stopped ? ROLE_WARNING : ROLE_GOOD;
        if (r->failed)
            snprintf(out, size, "%s, %u failed", r->stopped ? "stopped" : "finished", r->failed);
        else
            snprintf(out, size, "%s",
                     r->prepare_failed ? "failed"
                     : r->stopped      ? "stopped"
                                       : "finished");
    } else if (r->state == RUN_STOPPING) {
        *role = ROLE_WARNING;
        snprintf(out, size, "stopping");
    } else if (silence > 0) {
        *role = ROLE_WARNING;
        snprintf(out, size, "no report for %u s", silence);
    } else {
        snprintf(out, size, "%s", preparing(r) ? "preparing" : "running");
    }
}

static void draw_title(const struct canvas *c, const struct scene *s)
{
    const struct run *r = s->model->run;
    const struct settings *set = &r->plan->settings;
    const struct step *step = r->plan->n_steps ? &r->plan->steps[r->plan->n_steps - 1] : NULL;
    char state[64], facts[160], size[UNITS_TEXT], runtime[UNITS_TEXT];
    enum role role;

    state_text(r, state, sizeof(state), &role);
    int right = canvas_right(c, 0, c->cols - 1, 24, role, state);
    if (r->plan->fell_back) /* whatever else there is room for */
        right = canvas_right(c, 0, right - 2, 16, ROLE_ERROR, "!! BUFFERED I/O");
    snprintf(facts, sizeof(facts), "%s  %s %s  %s  %s", set->profile->name,
             step ? engine_name(step->engine) : "",
             step ? (step->direct ? "direct" : "buffered") : "", units_size(size, set->size_bytes),
             r->plan->endless                            ? "until stopped"
             : settings_jobs(set) && !set->runtime_given ? ""
             : plan_is_timed(r->plan)                    ? units_duration(runtime, set->runtime_s)
                                                         : "");
    int room = right - 3, width = text_width(facts);
    int path_cols = room - width - 2 >= 12 ? room - width - 2 : room;
    int x = 1 + canvas_text(c, 0, 1, path_cols, ROLE_TITLE, set->path ? set->path : "");
    if (path_cols < room)
        canvas_text(c, 0, x + 2, right - x - 3, ROLE_DIM, facts);
}

static double elapsed_s(const struct run *r)
{
    int64_t end = r->state == RUN_DONE ? r->ended_ns : r->now_ns;

    return end > r->began_ns ? (double)(end - r->began_ns) / 1e9 : 0;
}

static void count_cells(const struct run *r, size_t *measured, size_t *all)
{
    *measured = *all = 0;
    for (size_t i = 0; i < r->plan->n_steps; i++) {
        const struct step *s = &r->plan->steps[i];
        if (s->kind != STEP_MEASURE || s->warmup || s->loop > 0)
            continue;
        (*all)++;
        *measured += r->cells[s->test][s->direction].state == CELL_DONE;
    }
}

static void draw_progress_done(const struct canvas *c, const struct run *r)
{
    char took[UNITS_TEXT];
    size_t measured, all;

    count_cells(r, &measured, &all);
    canvas_printf(c, 0, 1, c->cols - 2, ROLE_TEXT, "%zu of %zu tests measured in %s", measured, all,
                  units_duration(took, elapsed_s(r)));
}

static void draw_progress_endless(const struct canvas *c, const struct run *r)
{
    char name[64], block[UNITS_TEXT], clock[UNITS_TEXT];
    const struct step *step = current_step(r);
    int64_t ran_ns = r->now_ns - r->step_began_ns;

    run_step_name(r, r->step, name, sizeof(name));
    int right = canvas_right(c, 0, c->cols - 1, 16, ROLE_TEXT,
                             units_clock(clock, (double)(ran_ns > 0 ? ran_ns : 0) / 1e9));
    int x = 1 + canvas_text(c, 0, 1, right - 2, ROLE_HEADING, name);
    canvas_printf(c, 0, x + 2, right - x - 3, ROLE_DIM, "%s %s %s, queue depth %u, %u thread%s",
                  step->pattern == PATTERN_SEQ ? "sequential" : "random",
                  units_size(block, step->block_bytes), step->sync ? "commits" : "blocks",
                  step->queue_depth, step->threads, step->threads == 1 ? "" : "s");
}

static void draw_progress(const struct canvas *c, const struct scene *s)
{
    const struct run *r = s->model->run;
    char name[64], left[UNITS_TEXT];

    if (r->state == RUN_DONE) {
        draw_progress_done(c, r);
        return;
    }
    if (r->plan->endless && !preparing(r)) {
        draw_progress_endless(c, r);
        return;
    }
    double seconds = run_seconds_left(r), passed = elapsed_s(r);
    bool narrow = c->cols < LAYOUT_FULL_COLS;
    char text[UNITS_TEXT + 8], number[64];
    run_step_name(r, r->step, name, sizeof(name));
    snprintf(text, sizeof(text), "%s left", units_clock(left, seconds));
    snprintf(number, sizeof(number), "step %zu of %zu", r->step + 1, r->plan->n_steps);
    if (narrow)
        snprintf(number, sizeof(number), "%zu/%zu", r->step + 1, r->plan->n_steps);
    int need = text_width(text);
    int x = 1 + canvas_text(c, 0, 1, c->cols - need - 3, ROLE_TEXT, number);
    x += 2;
    x += canvas_text(c, 0, x, c->cols - need - x - 2, ROLE_HEADING, name);
    x = x < 36 && !narrow ? 36 : x + 2; /* the bar stands still while names change */
    int bar = c->cols - need - x - 2;
    if (bar > 50)
        bar = 50;
    if (bar < 6) {
        canvas_right(c, 0, c->cols - 1, need, ROLE_TEXT, text);
        return;
    }
    double share = passed + seconds > 0 ? passed / (passed + seconds) : 0;
    canvas_hline(c, 0, x, bar, ROLE_FRAME);
    canvas_bar(c, 0, x, bar, share, ROLE_GOOD);
    canvas_text(c, 0, x + bar + 1, need, ROLE_TEXT, text);
}

/* --- the moment ------------------------------------------------------------------------------- */

static int figure(const struct canvas *c, int x, const char *label, enum role role, int cols,
                  const char *value, const char *unit)
{
    if (x + (int)strlen(label) + 1 + cols + (int)strlen(unit) >= c->cols)
        return x;
    x += canvas_text(c, 0, x, c->cols, ROLE_DIM, label) + 1;
    canvas_right(c, 0, x + cols, cols, role, value);
    x += cols;
    x += canvas_text(c, 0, x, c->cols, ROLE_DIM, unit);
    return x + 3;
}

static void draw_figures(const struct canvas *c, const struct figures *f,
                         const struct figures *mean, const char *what, enum role role)
{
    char a[UNITS_TEXT];
    int x = 1 + canvas_text(c, 0, 1, c->cols, ROLE_HEADING, what) + 1;

    x = figure(c, x, "", role, 8, units_mb_per_s(a, f->bytes_per_s), " MB/s");
    if (mean)
        x = figure(c, x, "mean", ROLE_FIGURE, 8, units_mb_per_s(a, mean->bytes_per_s), "");
    x = figure(c, x, "p50", role, 7, units_latency(a, f->p50_ns), "");
    x = figure(c, x, "p99", role, 7, units_latency(a, f->p99_ns), "");
    x = figure(c, x, "IOPS", role, 9, units_iops(a, f->iops), "");
    if (mean && !isnan(mean->mean_ns))
        x = figure(c, x, "mean latency", ROLE_FIGURE, 7, units_latency(a, mean->mean_ns), "");
    if (!mean && !isnan(f->max_ns))
        figure(c, x, "max", role, 7, units_latency(a, f->max_ns), "");
}

static void draw_preparing(const struct canvas *c, const struct run *r)
{
    char done[UNITS_TEXT], all[UNITS_TEXT], rate[UNITS_TEXT];

    canvas_printf(c, 0, 1, c->cols - 2, ROLE_TEXT,
                  "writing the file so that no test reads holes: %s of %s%s%s%s",
                  units_size(done, r->prepare_bytes), units_size(all, r->plan->settings.size_bytes),
                  isnan(r->prepare_bytes_per_s) ? "" : ", ",
                  isnan(r->prepare_bytes_per_s) ? "" : units_mb_per_s(rate, r->prepare_bytes_per_s),
                  isnan(r->prepare_bytes_per_s) ? "" : " MB/s");
}

static void draw_stopping(const struct canvas *c, const struct scene *s)
{
    const struct run *r = s->model->run;
    int64_t since = s->state->stopping_ns ? s->state->stopping_ns : r->now_ns;
    int waited = (int)((r->now_ns - since) / 1000000000);

    canvas_printf(c, 0, 1, c->cols - 2, ROLE_WARNING,
                  "stopping: waiting for I/O in flight, %d s; fio is killed in %d s, or now by s",
                  waited, waited < STOP_KILL_S ? STOP_KILL_S - waited : 0);
}

static void draw_now(const struct canvas *c, const struct scene *s)
{
    const struct run *r = s->model->run;
    const struct step *step;
    const struct cell *running = view_current_cell(r), *cell = view_shown_cell(s, &step);
    unsigned silence = run_silence_s(r);
    char name[64];

    if (r->state == RUN_STOPPING) {
        draw_stopping(c, s);
    } else if (r->state != RUN_DONE && silence > 0) {
        canvas_printf(c, 0, 1, c->cols - 2, ROLE_WARNING,
                      "no report for %u s: fio waits for the disk, or the disk for itself; s stops",
                      silence);
    } else if (preparing(r)) {
        draw_preparing(c, r);
    } else if (r->plan->settings.profile->view == VIEW_WATCH && cell) {
        view_watch_sentence(c, r);
    } else if (running && running == cell && r->plan->settings.profile->view == VIEW_SLOG) {
        draw_figures(c, &cell->mean, NULL, "so far", ROLE_FIGURE); /* the table has the interval */
    } else if (running && running == cell) {
        draw_figures(c, &cell->now, &cell->mean, "now", ROLE_LIVE);
    } else if (cell && step) {
        snprintf(name, sizeof(name), "%s %s:", r->plan->settings.profile->tests[step->test].name,
                 direction_name(step->direction));
        draw_figures(c, &cell->mean, NULL, name, ROLE_FIGURE);
    }
}

/* --- notes ------------------------------------------------------------------------------------ */

static void note(struct notes *n, enum role role, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
static void note(struct notes *n, enum role role, const char *fmt, ...)
{
    va_list ap;

    if (n->n == NOTES_MAX)
        return;
    va_start(ap, fmt);
    vsnprintf(n->lines[n->n].text, NOTE_TEXT, fmt, ap);
    va_end(ap);
    n->lines[n->n++].role = role;
}

static void note_spread(struct notes *n, const char *name, const struct cell *cell)
{
    const struct job_spread *j = &cell->spread;
    char a[UNITS_TEXT], b[UNITS_TEXT], x[UNITS_TEXT], y[UNITS_TEXT];

    if (j->n_jobs < 2)
        return;
    note(n, ROLE_DIM,
         "%s, %zu threads one by one: mean of p50 %s, worst p99 %s (the original script's rule); "
         "IOPS %s to %s",
         name, j->n_jobs, units_latency(a, j->p50_mean_ns), units_latency(b, j->p99_worst_ns),
         units_iops(x, j->iops_min), units_iops(y, j->iops_max));
}

static void note_trust(struct notes *n, const char *name, const struct cell *cell)
{
    bool medium = cell->trust == TRUST_DEVICE || cell->trust == TRUST_NETWORK;

    if (cell->trust_reason[0])
        note(n, medium ? ROLE_DIM : ROLE_WARNING, "%s measured: %s (%s)", name,
             trust_name(cell->trust), cell->trust_reason);
}

/* Returns whether figures of this cell contain an fsync. */
static bool note_cell(struct notes *n, const struct profile *p, size_t test, enum direction d,
                      const struct cell *cell)
{
    if (cell->why[0] && cell->state != CELL_SKIPPED)
        note(n, cell->state == CELL_FAILED ? ROLE_ERROR : ROLE_WARNING, "%s %s: %s",
             p->tests[test].name, direction_name(d), cell->why);
    return cell->end_fsync && cell->state != CELL_WAITING && cell->state != CELL_SKIPPED;
}

/* What went wrong first, then what the figures are. */
static void make_notes(struct notes *n, const struct scene *s)
{
    const struct run *r = s->model->run;
    const struct profile *p = r->plan->settings.profile;
    const struct step *shown;
    const struct cell *cell = view_shown_cell(s, &shown);
    bool fsync_seen = false;
    char name[64];

    n->n = 0;
    if (r->prepare_why[0])
        note(n, r->prepare_failed ? ROLE_ERROR : ROLE_WARNING, "preparation: %s", r->prepare_why);
    if (r->state == RUN_DONE && s->model->verdict && s->model->verdict->n > 0)
        note(n, ROLE_HEADING, "v: %s", s->model->verdict->items[0].seen);
    if (r->plan->fell_back)
        note(n, ROLE_ERROR,
             "buffered: direct I/O does not work here (%s), so caches are in the figures",
             r->plan->capability.direct_reason);
    for (size_t t = 0; t < p->n_tests; t++)
        for (int d = 0; d < DIRECTION_COUNT; d++)
            fsync_seen |= note_cell(n, p, t, (enum direction)d, &r->cells[t][d]);
    if (cell && shown) {
        snprintf(name, sizeof(name), "%s %s", p->tests[shown->test].name,
                 direction_name(shown->direction));
        note_spread(n, name, cell);
        note_trust(n, name, cell);
    }
    for (size_t i = 0; i < r->plan->notes.n; i++)
        note(n, ROLE_WARNING, "%s", r->plan->notes.items[i]);
    if (fsync_seen)
        note(n, ROLE_DIM, "* ends with an fsync, which fio counts in the runtime");
    if (p->note[0])
        note(n, ROLE_DIM, "%s", p->note);
}

#define NOTE_LINES 2 /* of the screen, per note */

static int note_lines(const struct canvas *c, const char *text)
{
    int n = canvas_wrapped(c, c->cols - 2, text);

    return n < NOTE_LINES ? n : NOTE_LINES;
}

static int notes_lines(const struct canvas *c, const struct notes *n)
{
    int lines = 0;

    for (size_t i = 0; i < n->n; i++)
        lines += note_lines(c, n->lines[i].text);
    return lines;
}

static void draw_notes(const struct canvas *c, const struct notes *n)
{
    int y = 0;

    for (size_t i = 0; i < n->n && y < c->rows; i++) {
        struct rect r = {y, 1, note_lines(c, n->lines[i].text), c->cols - 2};
        struct canvas part = canvas_part(c, r);
        canvas_wrap(&part, 0, n->lines[i].role, n->lines[i].text);
        y += r.rows;
    }
}

/* --- all of it -------------------------------------------------------------------------------- */

static const char *run_keys(const struct run *r)
{
    if (r->state == RUN_STOPPING)
        return "s\0kill now\0r\0raw\0z\0zpool\0f\0command\0t\0theme\0?\0help\0";
    if (r->plan->endless)
        return "s\0stop\0m\0mark\0g\0knobs\0r\0raw\0z\0zpool\0f\0command\0t\0theme\0?"
               "\0help\0q\0quit\0";
    return "s\0stop\0n\0next "
           "test\0g\0knobs\0r\0raw\0z\0zpool\0f\0command\0t\0theme\0?\0help\0q\0quit\0";
}

static const char *done_keys(const struct scene *s)
{
    if (s->model->sweep_text)
        return "Enter\0set up\0q\0quit\0c\0compare\0v\0verdict\0x\0save\0r\0raw\0z\0zpool\0?\0help"
               "\0j k\0tests\0w\0watch\0f\0command\0t\0theme\0";
    return "Enter\0set up\0q\0quit\0v\0verdict\0j k\0tests\0w\0watch\0x\0save\0r\0raw\0z\0zpool\0?"
           "\0help\0f\0command\0t\0theme\0";
}

/* Where there is no pool, its key is no use. */
static void without_pool(const char *pairs, char *out)
{
    while (*pairs) {
        const char *word = pairs + strlen(pairs) + 1, *next = word + strlen(word) + 1;
        if (strcmp(pairs, "z") != 0) {
            memcpy(out, pairs, (size_t)(next - pairs));
            out += next - pairs;
        }
        pairs = next;
    }
    *out = '\0';
}

static void draw_keys(const struct canvas *c, const struct scene *s)
{
    const struct run *r = s->model->run;
    char some[256];

    if (view_overlay_keys(c, s))
        return;
    if (s->state->raw_open) {
        view_keys(
            c,
            s->state->raw_iostat
                ? "z\0close\0r\0fio's output\0/\0search\0<\0older\0>\0newer\0l\0latest\0?\0help\0"
                : "r\0close\0/\0search\0<\0older\0>\0newer\0o\0only notes\0l\0latest\0?\0help\0");
        return;
    }
    const char *keys = r->state == RUN_DONE ? done_keys(s) : run_keys(r);
    if (!s->model->iostat) {
        without_pool(keys, some);
        keys = some;
    }
    view_keys(c, keys);
}

static void draw_line(const struct canvas *c, const struct scene *s)
{
    const struct run *r = s->model->run;
    const struct cell *cell = view_current_cell(r);
    char name[64], rate[UNITS_TEXT], left[UNITS_TEXT];

    if (r->state == RUN_DONE) {
        draw_progress_done(c, r);
        return;
    }
    run_step_name(r, r->step, name, sizeof(name));
    double bytes = cell ? cell->now.bytes_per_s : r->prepare_bytes_per_s;
    canvas_printf(c, 0, 0, c->cols, ROLE_TEXT, "%s %s MB/s %s",
                  r->plan->endless ? "watch" : units_clock(left, run_seconds_left(r)),
                  units_mb_per_s(rate, bytes), name);
}

void view_run(const struct canvas *c, const struct scene *s)
{
    const struct profile *p = s->model->run->plan->settings.profile;
    struct notes notes;
    struct layout l;

    make_notes(&notes, s);
    bool watch = p->view == VIEW_WATCH, mix = p->view == VIEW_MIX, curve = p->view == VIEW_CURVE,
         course = p->view == VIEW_COURSE, times = p->view == VIEW_TIMES || p->view == VIEW_FILES,
         pings = p->view == VIEW_PINGS, align = p->view == VIEW_ALIGN;
    const struct layout_run_wish wish = {
        .raw = s->state->raw_open,
        .n_tests = watch   ? view_watch_rows(s, c->rows)
                   : mix   ? view_mix_lines(c->rows)
                   : pings ? view_pings_lines(c->rows)
                   : align ? view_align_lines(s)
                   : curve ? view_curve_rows(s, c->rows)
                           : p->n_tests,
        .head_lines = watch                                             ? VIEW_WATCH_HEAD_LINES
                      : mix || pings || align                           ? 0
                      : p->view == VIEW_CDM || curve || course || times ? VIEW_CDM_HEAD_LINES
                                                                        : VIEW_SLOG_HEAD_LINES,
        .tall = p->view == VIEW_CDM,
        .note_lines = notes_lines(c, &notes),
        .side_wanted = !watch,
        .tall_timeline = watch || curve || course,
        .time = view_has_time(s),
        .cpu = s->model->cpu != NULL,
        .knob_lines = view_knobs_beside(c, s) ? VIEW_KNOBS_LINES + 1 : 0,
    };
    layout_run(&l, c->rows, c->cols, &wish);
    struct canvas pane[PANE_COUNT];
    for (int i = 0; i < PANE_COUNT; i++)
        pane[i] = canvas_part(c, l.panes[i]);
    if (l.size == LAYOUT_LINE) {
        draw_line(&pane[PANE_LINE], s);
        return;
    }
    draw_title(&pane[PANE_TITLE], s);
    draw_progress(&pane[PANE_PROGRESS], s);
    if (watch)
        view_watch(&pane[PANE_TABLE], s);
    else if (mix)
        view_mix(&pane[PANE_TABLE], s);
    else if (align)
        view_align(&pane[PANE_TABLE], s);
    else if (pings)
        view_pings(&pane[PANE_TABLE], s);
    else if (p->view == VIEW_CDM || curve || course || times)
        view_cdm(&pane[PANE_TABLE], s, l.row_height);
    else
        view_slog(&pane[PANE_TABLE], s);
    draw_now(&pane[PANE_NOW], s);
    if (watch)
        view_watch_timeline(&pane[PANE_TIMELINE], s);
    else if (curve)
        view_curve(&pane[PANE_TIMELINE], s);
    else if (course)
        view_course(&pane[PANE_TIMELINE], s);
    else
        view_timeline(&pane[PANE_TIMELINE], s);
    view_steps(&pane[PANE_STEPS], s);
    if (s->state->raw_open)
        view_raw(&pane[PANE_RAW], s);
    view_time(&pane[PANE_TIME], s);
    view_cpu(&pane[PANE_CPU], s);
    if (view_knobs_beside(c, s))
        view_knobs_pane(&pane[PANE_KNOBS], s);
    draw_notes(&pane[PANE_NOTE], &notes);
    view_message(&pane[PANE_MESSAGE], s);
    draw_keys(&pane[PANE_KEYS], s);
}
