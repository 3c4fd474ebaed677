/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The door to all forms of a result, and what more than one of them needs; see result.h. */
#include "sthd/result.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "sthd/text.h"
#include "writers.h"

const char *cell_state_name(enum cell_state state)
{
    static const char *const names[] = {
        [CELL_NONE] = "none",       [CELL_WAITING] = "waiting", [CELL_RUNNING] = "running",
        [CELL_DONE] = "done",       [CELL_STOPPED] = "stopped", [CELL_FAILED] = "failed",
        [CELL_SKIPPED] = "skipped",
    };

    return names[state];
}

const struct step *cell_step(const struct run *r, size_t test, enum direction d)
{
    for (size_t i = 0; i < r->plan->n_steps; i++) {
        const struct step *s = &r->plan->steps[i];
        if (s->kind == STEP_MEASURE && !s->warmup && s->test == test && s->direction == d)
            return s;
    }
    return NULL;
}

char *time_iso(char out[TIME_TEXT], int64_t unix_ns, int utc_offset_s)
{
    time_t local = (time_t)(unix_ns / 1000000000 + utc_offset_s);
    int minutes = abs(utc_offset_s) / 60;
    struct tm tm;
    char day[24];

    out[0] = '\0';
    if (unix_ns == 0 || !gmtime_r(&local, &tm))
        return out;
    strftime(day, sizeof(day), "%Y-%m-%dT%H:%M:%S", &tm);
    snprintf(out, TIME_TEXT, "%s%c%02d:%02d", day, utc_offset_s < 0 ? '-' : '+', minutes / 60 % 100,
             minutes % 60);
    return out;
}

char *number_text(char out[NUMBER_TEXT], double x)
{
    char text[NUMBER_TEXT];
    size_t n = 0;

    snprintf(text, sizeof(text), "%.15g", x);
    if (strtod(text, NULL) != x)
        snprintf(text, sizeof(text), "%.17g", x);
    for (const char *s = text; *s;) {
        size_t foreign = strcspn(s, "0123456789+-e");
        if (foreign > 0) { /* the decimal point of some locale, of one byte or more */
            out[n++] = '.';
            s += foreign;
        } else {
            out[n++] = *s++;
        }
    }
    out[n] = '\0';
    return out;
}

enum result_format result_format_of_file(const char *name)
{
    static const struct {
        const char *ending;
        enum result_format format;
    } forms[] = {
        {"json", FORMAT_JSON},
        {"csv", FORMAT_CSV},
        {"md", FORMAT_MARKDOWN},
        {"cdm", FORMAT_CDM},
    };
    const char *dot = strrchr(name, '.');

    for (size_t i = 0; dot && i < sizeof(forms) / sizeof(forms[0]); i++)
        if (text_ieq(dot + 1, forms[i].ending))
            return forms[i].format;
    return FORMAT_TABLE;
}

void result_write(struct buf *out, enum result_format format, const struct result *res,
                  const struct table_style *style)
{
    switch (format) {
    case FORMAT_TABLE:
        table_banner(out, res->run, res->target, res->machine, style);
        table_run(out, res->run, style);
        table_time(out, res->run, style);
        if (res->verdict)
            table_verdict(out, res->verdict, res->all_findings, style);
        return;
    case FORMAT_JSON:
        json_write(out, res);
        return;
    case FORMAT_CSV:
        csv_write(out, res);
        return;
    case FORMAT_MARKDOWN:
        markdown_write(out, res, style);
        return;
    case FORMAT_CDM:
        cdm_write(out, res, style);
        return;
    }
    abort(); /* there is no such format */
}

void result_probe(struct buf *out, enum result_format format, const struct result *res,
                  const struct capability *c, double seconds, const struct table_style *style)
{
    if (format == FORMAT_JSON)
        json_write_probe(out, res, c, seconds);
    else
        probe_write(out, res, c, seconds, style);
}
