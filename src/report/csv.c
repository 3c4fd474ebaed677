/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A run as CSV: a line of heads, then one line per cell, in raw units that the heads name. Quoted
 * as RFC 4180 says, but lines end in LF as everywhere here. What is absent is empty. Each line has
 * all that tells runs apart, so that files can be put together.
 */
#include <math.h>
#include <string.h>

#include "sthd/text.h"
#include "writers.h"

struct row {
    struct buf *out;
    bool started;
};

static void add_field(struct row *row, const char *s)
{
    struct buf safe = BUF_INIT;

    if (row->started)
        buf_addc(row->out, ',');
    row->started = true;
    if (!s || !*s)
        return;
    text_printable(&safe, s, strlen(s), false);
    if (!strpbrk(safe.data, ",\"\r\n") && safe.data[0] != ' ') {
        buf_adds(row->out, safe.data);
    } else {
        buf_addc(row->out, '"');
        for (const char *c = safe.data; *c; c++)
            buf_addf(row->out, *c == '"' ? "\"\"" : "%c", *c);
        buf_addc(row->out, '"');
    }
    buf_done(&safe);
}

static void add_number(struct row *row, double x)
{
    char text[NUMBER_TEXT];

    add_field(row, isfinite(x) ? number_text(text, x) : NULL);
}

static void add_bool(struct row *row, bool b)
{
    add_field(row, b ? "true" : "false");
}

static void end_row(struct row *row)
{
    buf_addc(row->out, '\n');
    row->started = false;
}

static const char *const heads[] = {
    "time",         "host",        "path",        "fstype",      "profile",     "test",
    "direction",    "state",       "bytes_per_s", "iops",        "lat_mean_ns", "lat_min_ns",
    "lat_max_ns",   "lat_p50_ns",  "lat_p99_ns",  "lat_p999_ns", "runs",        "trust",
    "trust_reason", "why",         "tool",        "pattern",     "block_bytes", "queue_depth",
    "threads",      "engine",      "direct",      "sync",        "end_fsync",   "size_bytes",
    "runtime_s",    "fio_version", "kernel",      "version",
};

static void add_identity(struct row *row, const struct result *res)
{
    const struct run *r = res->run;
    const struct target *t = res->target;
    char text[TIME_TEXT];

    add_field(row, time_iso(text, r->began_unix_ns, r->utc_offset_s));
    add_field(row, res->machine->host);
    add_field(row, t && t->path ? t->path : r->plan->settings.path);
    add_field(row, t ? t->fstype : NULL);
    add_field(row, r->plan->settings.profile->name);
}

static void add_figures(struct row *row, const struct figures *f)
{
    const double values[] = {f->bytes_per_s, f->iops,   f->mean_ns, f->min_ns,
                             f->max_ns,      f->p50_ns, f->p99_ns,  f->p999_ns};

    for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
        add_number(row, values[i]);
}

static void add_way(struct row *row, const struct step *s)
{
    add_field(row, tool_name(s->tool));
    add_field(row, pattern_name(s->pattern));
    add_number(row, (double)s->block_bytes);
    add_number(row, s->queue_depth);
    add_number(row, s->threads);
    add_field(row, s->tool == TOOL_FIO ? engine_name(s->engine) : NULL);
    add_bool(row, s->direct);
    add_bool(row, s->sync);
    add_bool(row, s->end_fsync && s->direction != DIRECTION_READ);
    add_number(row, (double)s->size_bytes);
    add_number(row, s->runtime_s ? s->runtime_s : NAN);
}

static void add_cell(struct row *row, const struct result *res, size_t test, enum direction d)
{
    const struct run *r = res->run;
    const struct cell *c = run_cell(r, test, d);

    add_identity(row, res);
    add_field(row, r->plan->settings.profile->tests[test].name);
    add_field(row, direction_name(d));
    add_field(row, cell_state_name(c->state));
    add_figures(row, &c->mean);
    add_number(row, (double)c->n_runs);
    add_field(row, trust_name(c->trust));
    add_field(row, c->trust_reason);
    add_field(row, c->why);
    add_way(row, cell_step(r, test, d));
    add_field(row, r->fio_version[0] ? r->fio_version : res->machine->fio_version);
    add_field(row, res->machine->kernel);
    add_field(row, res->version);
    end_row(row);
}

void csv_write(struct buf *out, const struct result *res)
{
    struct row row = {.out = out};

    for (size_t i = 0; i < sizeof(heads) / sizeof(heads[0]); i++)
        add_field(&row, heads[i]);
    end_row(&row);
    for (size_t t = 0; t < res->run->plan->settings.profile->n_tests; t++)
        for (int d = 0; d < DIRECTION_COUNT; d++)
            if (run_cell(res->run, t, (enum direction)d)->state != CELL_NONE)
                add_cell(&row, res, t, (enum direction)d);
}
