/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Progress on stderr; see progress.h. Reads the run model, changes nothing. */
#include "progress.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "sink.h"
#include "sthd/mem.h"
#include "sthd/text.h"
#include "sthd/units.h"

#define RAW_BYTES_MAX ((size_t)8 << 20)
#define REDRAW_NS     ((int64_t)200 * 1000 * 1000)
#define LOG_NS        ((int64_t)1000 * 1000 * 1000)

struct progress {
    struct sink *sink;
    bool terminal;
    bool ascii;
    int shown_columns; /* of the line on the screen, to be wiped */
    int64_t shown_at_ns;
    size_t announced; /* steps announced + 1 (no terminal) */
    size_t reported;  /* steps whose result was written + 1 (no terminal) */
};

struct progress *progress_new(struct loop *l, bool ascii)
{
    struct progress *p = mem_zalloc(sizeof(*p));

    p->sink = sink_new(l, STDERR_FILENO, RAW_BYTES_MAX);
    p->terminal = isatty(STDERR_FILENO);
    p->ascii = ascii;
    return p;
}

static void write_text(struct progress *p, const struct buf *b)
{
    sink_write(p->sink, b->data, b->len);
}

/* Blanks instead of an escape sequence: works on TERM=dumb as well. */
static void wipe(struct progress *p, struct buf *out)
{
    if (p->shown_columns == 0)
        return;
    buf_addc(out, '\r');
    buf_addn(out, ' ', (size_t)p->shown_columns);
    buf_addc(out, '\r');
    p->shown_columns = 0;
}

void progress_free(struct progress *p)
{
    if (!p)
        return;
    struct buf out = BUF_INIT;
    wipe(p, &out);
    if (out.len)
        write_text(p, &out);
    buf_done(&out);
    sink_free(p->sink, 500);
    free(p);
}

static void add_step_name(struct buf *b, const struct run *r, size_t step)
{
    char name[64];

    run_step_name(r, step, name, sizeof(name));
    buf_adds(b, name);
}

static void add_figures(struct buf *b, const struct figures *f)
{
    char rate[UNITS_TEXT], iops[UNITS_TEXT], p50[UNITS_TEXT], p99[UNITS_TEXT];

    buf_addf(b, "%s MB/s  %s IOPS  p50 %s  p99 %s", units_mb_per_s(rate, f->bytes_per_s),
             units_iops(iops, f->iops), units_latency(p50, f->p50_ns),
             units_latency(p99, f->p99_ns));
}

static void add_state(struct buf *b, const struct run *r, const struct step *step)
{
    char text[UNITS_TEXT];
    unsigned silent = run_silence_s(r);

    if (r->state == RUN_STOPPING) {
        buf_adds(b, "stopping, fio finishes its I/O in flight");
    } else if (silent) {
        buf_addf(b, "no report for %u s", silent);
    } else if (step->kind == STEP_PREPARE) {
        buf_addf(b, "%3.0f %%  %s MB/s", r->prepare_done * 100,
                 units_mb_per_s(text, r->prepare_bytes_per_s));
    } else {
        const struct cell *cell = run_cell(r, step->test, step->direction);
        if (cell->n_samples == 0)
            buf_adds(b, "starting");
        else
            add_figures(b, &cell->now);
    }
}

/* Over the line that stands there. */
static void rewrite_line(struct progress *p, const char *line)
{
    struct buf fitted = BUF_INIT, out = BUF_INIT;
    struct winsize size;
    int columns = 79;

    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1)
        columns = size.ws_col - 1; /* the last column would wrap */
    text_fit(&fitted, line, columns, false);
    int width = text_width(fitted.data);
    buf_addc(&out, '\r');
    buf_adds(&out, fitted.data);
    if (width < p->shown_columns)
        buf_addn(&out, ' ', (size_t)(p->shown_columns - width));
    write_text(p, &out);
    p->shown_columns = width;
    buf_done(&fitted);
    buf_done(&out);
}

static void show_line(struct progress *p, const struct run *r, const struct step *step)
{
    struct buf line = BUF_INIT;
    char left[UNITS_TEXT];

    buf_addf(&line, "[%zu/%zu] ", r->step + 1, r->plan->n_steps);
    add_step_name(&line, r, r->step);
    buf_adds(&line, "  ");
    add_state(&line, r, step);
    if (r->plan->endless)
        buf_adds(&line, "  Ctrl-C ends it");
    else
        buf_addf(&line, "  %s left", units_clock(left, run_seconds_left(r)));
    rewrite_line(p, line.data);
    buf_done(&line);
}

static void show_pause(struct progress *p, const struct run *r, int64_t now_ns)
{
    struct buf line = BUF_INIT;
    double rest_s = (double)(r->pause_until_ns - now_ns) / 1e9;
    char left[UNITS_TEXT];

    buf_addf(&line, "[%zu/%zu] pause, %.0f s to the next test  %s left", r->step + 1,
             r->plan->n_steps, rest_s > 0 ? rest_s : 0, units_clock(left, run_seconds_left(r)));
    rewrite_line(p, line.data);
    buf_done(&line);
}

static void report_step(struct progress *p, const struct run *r, size_t i)
{
    const struct step *step = &r->plan->steps[i];
    struct buf out = BUF_INIT;

    buf_addf(&out, "[%zu/%zu] ", i + 1, r->plan->n_steps);
    add_step_name(&out, r, i);
    buf_adds(&out, ": ");
    if (step->kind == STEP_PREPARE || step->warmup) {
        buf_adds(&out, r->prepare_failed ? "failed" : "done");
    } else {
        const struct cell *cell = run_cell(r, step->test, step->direction);
        const struct figures *f = cell->n_runs > 0 ? &cell->runs[cell->n_runs - 1] : &cell->mean;
        if (isnan(f->iops))
            buf_adds(&out, cell->why[0] ? cell->why : "no figure");
        else
            add_figures(&out, f);
    }
    buf_addc(&out, '\n');
    write_text(p, &out);
    buf_done(&out);
}

static void announce_step(struct progress *p, const struct run *r, size_t i)
{
    struct buf out = BUF_INIT;

    buf_addf(&out, "[%zu/%zu] ", i + 1, r->plan->n_steps);
    add_step_name(&out, r, i);
    buf_adds(&out, " ...\n");
    write_text(p, &out);
    buf_done(&out);
}

/* Who watches through a pipe gets a line a second, as from vmstat(8). */
static void log_interval(struct progress *p, const struct run *r)
{
    const struct step *step = run_current_step(r);
    const struct cell *cell =
        step && step->kind == STEP_MEASURE ? run_cell(r, step->test, step->direction) : NULL;
    struct buf out = BUF_INIT;
    char clock[UNITS_TEXT];

    if (!cell || isnan(cell->now.iops) || r->now_ns - p->shown_at_ns < LOG_NS)
        return;
    p->shown_at_ns = r->now_ns;
    buf_addf(&out, "%s  ", units_clock(clock, (double)(r->now_ns - r->step_began_ns) / 1e9));
    add_figures(&out, &cell->now);
    buf_addc(&out, '\n');
    write_text(p, &out);
    buf_done(&out);
}

static void update_log(struct progress *p, const struct run *r)
{
    bool running = r->state == RUN_STEP || r->state == RUN_STOPPING;

    if (running && r->plan->endless)
        log_interval(p, r);
    if (running && p->announced < r->step + 1) {
        p->announced = r->step + 1;
        for (unsigned i = 0; i <= r->plan->steps[r->step].company; i++)
            announce_step(p, r, r->step + i);
    }
    if (!running && r->state != RUN_READY && p->reported < r->step + 1) {
        p->reported = r->step + 1;
        for (unsigned i = 0; i <= r->plan->steps[r->step].company; i++)
            report_step(p, r, r->step + i);
    }
}

void progress_update(struct progress *p, const struct run *r, int64_t now_ns)
{
    if (!p->terminal) {
        update_log(p, r);
        return;
    }
    if (r->state == RUN_PAUSE) {
        show_pause(p, r, now_ns);
        return;
    }
    if (r->state != RUN_STEP && r->state != RUN_STOPPING)
        return;
    if (now_ns - p->shown_at_ns < REDRAW_NS || !sink_is_empty(p->sink))
        return;
    p->shown_at_ns = now_ns;
    show_line(p, r, &r->plan->steps[r->step]);
}

void progress_say(struct progress *p, const char *text)
{
    struct buf out = BUF_INIT;

    wipe(p, &out);
    buf_adds(&out, "speedtest-hd: ");
    text_printable(&out, text, strlen(text), p->ascii);
    buf_addc(&out, '\n');
    write_text(p, &out);
    buf_done(&out);
}

void progress_raw(struct progress *p, const char *bytes, size_t len)
{
    struct buf out = BUF_INIT;

    wipe(p, &out);
    if (p->terminal) { /* line by line, so that newlines stay newlines */
        const char *end = bytes + len;
        while (bytes < end) {
            const char *nl = memchr(bytes, '\n', (size_t)(end - bytes));
            size_t n = (size_t)((nl ? nl : end) - bytes);
            text_printable(&out, bytes, n, p->ascii);
            if (nl)
                buf_addc(&out, '\n');
            bytes += n + (nl ? 1 : 0);
        }
    } else {
        buf_add(&out, bytes, len);
    }
    write_text(p, &out);
    buf_done(&out);
}
