/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The order of a sweep's runs, and what they say; see sweep.h. Must not know how knobs are turned.
 */
#include "sthd/sweep.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sthd/run.h"
#include "sthd/text.h"

int sweep_choose(struct sweep *out, const struct knob_panel *p, enum knob k,
                 const struct cpu_state *now, struct err *e)
{
    const struct knob_state *s = &p->knobs[k];
    char present[CPU_WORD];

    memset(out, 0, sizeof(*out));
    if (!p->known)
        return err_set(e, EXIT_CODE_INTERNAL, EAGAIN, "--sweep: the processors were not read yet");
    if (s->problem[0])
        return err_set(e, EXIT_CODE_INTERNAL, EPERM, "--sweep: %s", s->problem);
    if (s->n_choices < 2)
        return err_set(e, EXIT_CODE_INTERNAL, ENOENT,
                       "--sweep: the %s of this computer has %s; try another knob (qos is there on "
                       "every Linux)",
                       knob_name(k), s->n_choices ? "one setting only" : "no settings");
    out->knob = k;
    knob_present(k, now, present, sizeof(present));
    for (size_t i = 0; i < s->n_choices; i++)
        if (strcmp(s->choices[i], present) == 0)
            memcpy(out->settings[out->n++], s->choices[i], CPU_WORD);
    for (size_t i = 0; i < s->n_choices; i++)
        if (strcmp(s->choices[i], present) != 0)
            memcpy(out->settings[out->n++], s->choices[i], CPU_WORD);
    out->repeats = SWEEP_REPEATS;
    return 0;
}

enum knob sweep_next(const struct sweep *s, const struct knob_panel *p)
{
    int k = s->n > 0 ? (int)s->knob + 1 : 0;

    while (k < KNOB_COUNT && (p->knobs[k].problem[0] || p->knobs[k].n_choices < 2))
        k++;
    return (enum knob)k;
}

unsigned sweep_loops(const struct sweep *s)
{
    return (unsigned)s->n * s->repeats;
}

size_t sweep_setting(const struct sweep *s, unsigned loop)
{
    size_t at = loop % s->n;

    return loop / s->n % 2 ? s->n - 1 - at : at;
}

void sweep_label(const struct sweep *s, size_t setting, char *out, size_t size)
{
    const char *value = s->settings[setting];

    snprintf(out, size, "%s%s", value,
             s->knob == KNOB_LIMIT && strcmp(value, "off") != 0 ? " us" : "");
}

double sweep_odds(size_t n)
{
    double odds = 1;

    for (size_t i = 1; i <= n; i++)
        odds *= (double)(n + i) / (double)i;
    return odds;
}

int sweep_parse(const char *word, enum knob *out, struct err *e)
{
    struct buf safe = BUF_INIT;

    for (int k = 0; k < KNOB_COUNT; k++)
        if (text_ieq(word, knob_option((enum knob)k))) {
            *out = (enum knob)k;
            return 0;
        }
    text_printable(&safe, word, strlen(word), true);
    int rc = err_set(e, EXIT_CODE_USAGE, EINVAL,
                     "--sweep: '%.60s' is none of governor, epp, boost, qos", safe.data);
    buf_done(&safe);
    return rc;
}

/* ---- what the runs say ---- */

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Sorts; NANs were left out. */
static double median(double *v, size_t n)
{
    if (n == 0)
        return NAN;
    qsort(v, n, sizeof(*v), by_value);
    return v[(n - 1) / 2];
}

struct series {
    double v[PROFILE_LOOPS_MAX];
    size_t n;
};

static void keep(struct series *s, double v)
{
    if (!isnan(v) && s->n < PROFILE_LOOPS_MAX)
        s->v[s->n++] = v;
}

static void fill_row(struct sweep_row *row, const struct sweep *s, size_t setting,
                     const struct figures *runs, size_t n_runs)
{
    struct series iops = {.n = 0}, p50 = {.n = 0}, p99 = {.n = 0}, rate = {.n = 0};

    *row = (struct sweep_row){.times = NAN};
    for (size_t i = 0; i < n_runs && i < PROFILE_LOOPS_MAX; i++) {
        if (sweep_setting(s, (unsigned)i) != setting)
            continue;
        row->n++;
        keep(&iops, runs[i].iops);
        keep(&p50, runs[i].p50_ns);
        keep(&p99, runs[i].p99_ns);
        keep(&rate, runs[i].bytes_per_s);
    }
    row->iops = median(iops.v, iops.n);
    row->iops_min = iops.n ? iops.v[0] : NAN;
    row->iops_max = iops.n ? iops.v[iops.n - 1] : NAN;
    row->p50_ns = median(p50.v, p50.n);
    row->p50_min_ns = p50.n ? p50.v[0] : NAN;
    row->p50_max_ns = p50.n ? p50.v[p50.n - 1] : NAN;
    row->p99_ns = median(p99.v, p99.n);
    row->bytes_per_s = median(rate.v, rate.n);
}

void sweep_compare(const struct sweep *s, const struct figures *runs, size_t n_runs,
                   struct sweep_row rows[KNOB_CHOICES])
{
    for (size_t i = 0; i < s->n; i++)
        fill_row(&rows[i], s, i, runs, n_runs);
    for (size_t i = 0; i < s->n; i++) {
        struct sweep_row *row = &rows[i];
        if (i == 0 || !(rows[0].iops > 0) || isnan(row->iops))
            continue;
        row->times = row->iops / rows[0].iops;
        /* One run has no spread, and so proves nothing. */
        row->apart = row->n > 1 && rows[0].n > 1 &&
                     (row->iops_min > rows[0].iops_max || row->iops_max < rows[0].iops_min);
    }
}

size_t sweep_best(const struct sweep *s, const struct sweep_row rows[KNOB_CHOICES])
{
    size_t best = 0;

    for (size_t i = 1; i < s->n; i++)
        if (rows[i].apart && rows[i].times > 1 && (best == 0 || rows[i].iops > rows[best].iops))
            best = i;
    return best;
}

/* ---- how to keep it ---- */

static void advise_file(const char *command, const char *truenas_command, const char *unit,
                        struct buf *out)
{
    buf_addf(out,
             "On TrueNAS: System > Advanced Settings > Init/Shutdown Scripts > Add,\n"
             "type Command, when Post Init, and as the command:\n"
             "    %s\n"
             "On distributions with systemd: a unit %s with\n"
             "    [Service]\n"
             "    %s\n"
             "    [Install]\n"
             "    WantedBy=multi-user.target\n",
             truenas_command, unit, command);
}

static void advise_limit(const char *value, struct buf *out)
{
    char bytes[4 * 4 + 1], command[160], background[200];
    unsigned us = (unsigned)strtoul(value, NULL, 10);

    if (strcmp(value, "off") == 0) {
        buf_adds(out,
                 "No latency limit is what the kernel does by itself: nothing is to be done.\n");
        return;
    }
    /* As the kernel takes it: a 32-bit integer in the machine's order, least byte first here. */
    snprintf(bytes, sizeof(bytes), "\\%03o\\%03o\\%03o\\%03o", us & 255, us >> 8 & 255,
             us >> 16 & 255, us >> 24 & 255);
    snprintf(command, sizeof(command),
             "sh -c 'exec 3>/dev/cpu_dma_latency; printf \"%s\" >&3; exec sleep infinity'", bytes);
    snprintf(background, sizeof(background), "%s &", command);
    buf_addf(out, "The limit holds as long as a process keeps the file open.\n");
    struct buf exec = BUF_INIT;
    buf_adds(&exec, "ExecStart=/bin/");
    for (const char *c = command; *c; c++) /* systemd takes a backslash as its own */
        buf_adds(&exec, *c == '\\' ? "\\\\" : (char[]){*c, '\0'});
    advise_file(exec.data, background, "/etc/systemd/system/cpu-latency.service", out);
    buf_done(&exec);
    buf_adds(out, "Cores that never sleep cost power, and may cost turbo clock.\n");
}

void sweep_advice(enum knob k, const char *value, struct buf *out)
{
    char command[240], unit[300];

    switch (k) {
    case KNOB_LIMIT:
        advise_limit(value, out);
        return;
    case KNOB_GOVERNOR:
    case KNOB_EPP:
        snprintf(command, sizeof(command), "echo %s | tee %s", value,
                 k == KNOB_GOVERNOR
                     ? "/sys/devices/system/cpu/cpufreq/policy*/scaling_governor"
                     : "/sys/devices/system/cpu/cpufreq/policy*/energy_performance_preference");
        break;
    case KNOB_BOOST:
        snprintf(command, sizeof(command),
                 "cd /sys/devices/system/cpu; test -e cpufreq/boost && echo %d > cpufreq/boost || "
                 "echo %d > intel_pstate/no_turbo",
                 strcmp(value, "on") == 0, strcmp(value, "on") != 0);
        break;
    }
    snprintf(unit, sizeof(unit), "Type=oneshot\n    ExecStart=/bin/sh -c '%s'", command);
    advise_file(unit, command, "/etc/systemd/system/cpu-setting.service", out);
    if (k == KNOB_GOVERNOR && strcmp(value, "performance") == 0)
        buf_adds(out, "or, where tuned runs:\n    tuned-adm profile throughput-performance\n");
}
