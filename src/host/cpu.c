/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads what the processors are doing; see cpu_watch.h.
 *
 * Promises: descriptors stay open between samples (a machine with 64 CPUs has 500 such files), but
 * never more than a quarter of what this process may have. Where asking for the clock is slow,
 * /proc/cpuinfo is asked instead for a while.
 * Must not know who shows it, nor change anything.
 */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "machine.h"
#include "sthd/cpu_watch.h"
#include "sthd/mem.h"
#include "sthd/text.h"
#include "sysroot.h"

#define CPU_DIR      "/sys/devices/system/cpu"
#define CPUS_MAX     4096
#define POLICIES_MAX 4096
/* htop's rule, which has met these kernels for years. */
#define SLOW_READ_NS ((int64_t)500 * 1000)
#define SLOW_SAMPLES 30
/* Less of a window than this in work: the clock that is read may be of before. The kernel's own
 * limit is 20 ms of age. */
#define WORKING_SHARE 0.02

/* One small file that is read again and again. */
struct source {
    char *path;
    int fd; /* -1: opened for each reading */
};

struct policy {
    unsigned number;
    struct source governor, epp, cur, min, max;
    unsigned *cpus; /* that are online */
    size_t n_cpus;
    bool was_read;
};

struct processor {
    unsigned number;
    struct source idle[CPU_IDLES];
    uint64_t us[CPU_IDLES]; /* as of the last sample */
    uint64_t stat_idle;     /* ticks in /proc/stat, as of the last sample */
    bool has_stat;
    double busy; /* share of the last window; NAN */
};

struct cpu_reader {
    char *sysroot;
    int64_t (*clock)(void *arg);
    void *clock_arg;
    size_t open_max, n_open;
    bool scanned;
    char *online; /* the text that the scan was made for */
    struct processor *processors;
    size_t n_processors;
    struct policy *policies;
    size_t n_policies;
    size_t n_idle;
    struct cpu_idle idle[CPU_IDLES]; /* names and exit times */
    struct source boost, no_turbo, limit;
    char driver[CPU_WORD], absence[64];
    int64_t sampled_ns; /* 0: never */
    unsigned slow_left; /* samples for which the clock is not asked */
    bool lost;          /* something could not be read: scan again */
};

/* ---- files ----------------------------------------------------------------------------------- */

static void source_open(struct cpu_reader *r, struct source *s, char *path)
{
    s->path = path;
    s->fd = -1;
    if (r->n_open < r->open_max)
        s->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (s->fd >= 0)
        r->n_open++;
}

static void source_close(struct source *s)
{
    if (s->path && s->fd >= 0)
        close(s->fd);
    free(s->path);
    s->path = NULL;
}

/* Bytes from the start of the file; -1 when it cannot be read. */
static ssize_t source_bytes(const struct source *s, void *out, size_t size)
{
    int fd = s->fd;

    if (!s->path)
        return -1;
    if (fd < 0)
        fd = open(s->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return -1;
    ssize_t n = pread(fd, out, size, 0);
    if (fd != s->fd)
        close(fd);
    return n;
}

/* The first line, fit to be shown; false when there is none. */
static bool source_word(const struct source *s, char *out, size_t size)
{
    char raw[256];
    ssize_t n = source_bytes(s, raw, sizeof(raw));
    struct buf safe = BUF_INIT;

    out[0] = '\0';
    while (n > 0 && isspace((unsigned char)raw[n - 1]))
        n--;
    if (n <= 0)
        return false;
    const char *end = memchr(raw, '\n', (size_t)n);
    text_printable(&safe, raw, end ? (size_t)(end - raw) : (size_t)n, true);
    snprintf(out, size, "%s", safe.data ? safe.data : "");
    buf_done(&safe);
    return out[0] != '\0';
}

static bool source_number(const struct source *s, uint64_t *out)
{
    char raw[32];
    ssize_t n = source_bytes(s, raw, sizeof(raw) - 1);

    if (n <= 0 || !isdigit((unsigned char)raw[0]))
        return false;
    raw[n] = '\0';
    *out = strtoull(raw, NULL, 10);
    return true;
}

static uint32_t source_khz(const struct source *s)
{
    uint64_t khz;

    return source_number(s, &khz) && khz < UINT32_MAX ? (uint32_t)khz : 0;
}

/* ---- what there is --------------------------------------------------------------------------- */

static void forget(struct cpu_reader *r)
{
    for (size_t i = 0; i < r->n_policies; i++) {
        struct policy *p = &r->policies[i];
        source_close(&p->governor);
        source_close(&p->epp);
        source_close(&p->cur);
        source_close(&p->min);
        source_close(&p->max);
        free(p->cpus);
    }
    for (size_t i = 0; i < r->n_processors; i++)
        for (size_t j = 0; j < r->n_idle; j++)
            source_close(&r->processors[i].idle[j]);
    source_close(&r->boost);
    source_close(&r->no_turbo);
    source_close(&r->limit);
    free(r->policies);
    free(r->processors);
    free(r->online);
    r->policies = NULL;
    r->processors = NULL;
    r->online = NULL;
    r->n_policies = r->n_processors = r->n_idle = r->n_open = 0;
    r->scanned = false;
}

static void scan_processors(struct cpu_reader *r)
{
    unsigned *numbers;
    size_t n = cpu_list_parse(r->online, NULL, 0);

    n = n < CPUS_MAX ? n : CPUS_MAX;
    numbers = mem_zalloc((n + 1) * sizeof(*numbers));
    cpu_list_parse(r->online, numbers, n);
    r->processors = mem_zalloc((n + 1) * sizeof(*r->processors));
    r->n_processors = n;
    for (size_t i = 0; i < n; i++) {
        r->processors[i].number = numbers[i];
        r->processors[i].busy = NAN;
    }
    free(numbers);
}

static void scan_idle_names(struct cpu_reader *r)
{
    char path[128], text[CPU_WORD];

    for (size_t i = 0; i < CPU_IDLES && r->n_processors > 0; i++) {
        snprintf(path, sizeof(path), CPU_DIR "/cpu%u/cpuidle/state%zu/name",
                 r->processors[0].number, i);
        struct source name = {mem_printf("%s%s", r->sysroot, path), -1};
        bool there = source_word(&name, r->idle[i].name, sizeof(r->idle[i].name));
        source_close(&name);
        if (!there)
            return;
        snprintf(path, sizeof(path), CPU_DIR "/cpu%u/cpuidle/state%zu/latency",
                 r->processors[0].number, i);
        sysroot_line(text, sizeof(text), r->sysroot, path);
        r->idle[i].exit_us = (unsigned)strtoul(text, NULL, 10);
        r->idle[i].share = NAN;
        r->n_idle = i + 1;
    }
}

static void scan_idle(struct cpu_reader *r)
{
    scan_idle_names(r);
    for (size_t i = 0; i < r->n_processors; i++)
        for (size_t j = 0; j < r->n_idle; j++)
            source_open(r, &r->processors[i].idle[j],
                        mem_printf("%s" CPU_DIR "/cpu%u/cpuidle/state%zu/time", r->sysroot,
                                   r->processors[i].number, j));
}

static char *policy_path(const struct cpu_reader *r, unsigned number, const char *file)
{
    return mem_printf("%s" CPU_DIR "/cpufreq/policy%u/%s", r->sysroot, number, file);
}

static void scan_policy(struct cpu_reader *r, unsigned number)
{
    char path[128], list[4096];
    struct policy *p = &r->policies[r->n_policies];

    snprintf(path, sizeof(path), CPU_DIR "/cpufreq/policy%u/affected_cpus", number);
    sysroot_line(list, sizeof(list), r->sysroot, path);
    p->n_cpus = cpu_list_parse(list, NULL, 0);
    if (p->n_cpus == 0)
        return; /* all its CPUs are offline */
    p->number = number;
    p->cpus = mem_zalloc(p->n_cpus * sizeof(*p->cpus));
    cpu_list_parse(list, p->cpus, p->n_cpus);
    source_open(r, &p->cur, policy_path(r, number, "scaling_cur_freq"));
    source_open(r, &p->governor, policy_path(r, number, "scaling_governor"));
    source_open(r, &p->min, policy_path(r, number, "scaling_min_freq"));
    source_open(r, &p->max, policy_path(r, number, "scaling_max_freq"));
    char *epp = policy_path(r, number, "energy_performance_preference");
    if (access(epp, F_OK) == 0)
        source_open(r, &p->epp, epp);
    else
        free(epp);
    if (r->n_policies++ == 0) {
        struct source driver = {policy_path(r, number, "scaling_driver"), -1};
        source_word(&driver, r->driver, sizeof(r->driver));
        source_close(&driver);
    }
}

static int compare_numbers(const void *a, const void *b)
{
    unsigned x = *(const unsigned *)a, y = *(const unsigned *)b;

    return x < y ? -1 : x > y;
}

/* Their numbers are sparse. */
static void scan_policies(struct cpu_reader *r)
{
    char *path = mem_printf("%s" CPU_DIR "/cpufreq", r->sysroot);
    unsigned *numbers = NULL;
    size_t n = 0, cap = 0;
    struct dirent *entry;
    DIR *d = opendir(path);

    free(path);
    while (d && n < POLICIES_MAX && (entry = readdir(d))) {
        if (!text_starts(entry->d_name, "policy") || !isdigit((unsigned char)entry->d_name[6]))
            continue;
        if (n == cap) {
            cap = cap ? cap * 2 : 16;
            numbers = mem_realloc_array(numbers, cap, sizeof(*numbers));
        }
        numbers[n++] = (unsigned)strtoul(entry->d_name + 6, NULL, 10);
    }
    if (d)
        closedir(d);
    r->policies = mem_zalloc((n + 1) * sizeof(*r->policies));
    if (n)
        qsort(numbers, n, sizeof(*numbers), compare_numbers);
    for (size_t i = 0; i < n; i++)
        scan_policy(r, numbers[i]);
    free(numbers);
}

static void scan(struct cpu_reader *r, char *online)
{
    struct buf absence = BUF_INIT;

    forget(r);
    r->online = online;
    r->driver[0] = r->absence[0] = '\0';
    scan_processors(r);
    source_open(r, &r->limit, mem_printf("%s/dev/cpu_dma_latency", r->sysroot));
    source_open(r, &r->boost, mem_printf("%s" CPU_DIR "/cpufreq/boost", r->sysroot));
    source_open(r, &r->no_turbo, mem_printf("%s" CPU_DIR "/intel_pstate/no_turbo", r->sysroot));
    scan_policies(r);
    scan_idle(r);
    if (r->n_policies == 0) {
        machine_absence(&absence, r->sysroot);
        snprintf(r->absence, sizeof(r->absence), "%s", absence.data);
        buf_done(&absence);
    }
    r->scanned = true;
    r->sampled_ns = 0; /* what was known belongs to other CPUs */
}

/* CPUs come and go. */
static void scan_if_changed(struct cpu_reader *r)
{
    char online[4096];

    sysroot_line(online, sizeof(online), r->sysroot, CPU_DIR "/online");
    if (!r->scanned || r->lost || strcmp(online, r->online) != 0)
        scan(r, mem_strdup(online));
    r->lost = false;
}

/* ---- one sample ------------------------------------------------------------------------------ */

/* "cpu3 user nice system idle iowait ..." : idle and iowait, in ticks. A sleep that goes on is in
 * it, which in cpuidle's own times it is not. */
static void read_stat(struct cpu_reader *r, uint64_t *idle, bool *has)
{
    struct buf b = BUF_INIT;
    size_t i = 0;

    if (sysroot_read(&b, r->sysroot, "/proc/stat") == 0)
        for (const char *line = b.data; line && i < r->n_processors; line = strchr(line, '\n')) {
            unsigned number;
            unsigned long long v[5];
            line += *line == '\n';
            if (!text_starts(line, "cpu") || !isdigit((unsigned char)line[3]))
                continue; /* "cpu " is the sum of all */
            if (sscanf(line, "cpu%u %llu %llu %llu %llu %llu", &number, &v[0], &v[1], &v[2], &v[3],
                       &v[4]) != 6)
                continue;
            while (i < r->n_processors && r->processors[i].number < number)
                i++;
            if (i < r->n_processors && r->processors[i].number == number) {
                idle[i] = v[3] + v[4];
                has[i] = true;
            }
        }
    buf_done(&b);
}

static double stat_share(const struct processor *p, uint64_t now, bool has, int64_t window_ns)
{
    long hz = sysconf(_SC_CLK_TCK);

    if (!has || !p->has_stat || hz <= 0 || now < p->stat_idle)
        return NAN;
    return (double)(now - p->stat_idle) / (double)hz / ((double)window_ns / 1e9);
}

static void read_idle(struct cpu_reader *r, struct cpu_state *s, int64_t window_ns)
{
    size_t n = r->n_processors, told = 0;
    uint64_t *ticks = mem_zalloc((n + 1) * sizeof(*ticks));
    bool *has = mem_zalloc((n + 1) * sizeof(*has));
    double sums[CPU_IDLES] = {0}, asleep_sum = 0, busy_sum = 0;

    read_stat(r, ticks, has);
    for (size_t i = 0; i < n; i++) {
        struct processor *p = &r->processors[i];
        uint64_t us[CPU_IDLES] = {0};
        double shares[CPU_IDLES], asleep;
        for (size_t j = 0; j < r->n_idle; j++)
            if (!source_number(&p->idle[j], &us[j]))
                us[j] = p->us[j];
        p->busy = NAN;
        if (window_ns > 0 && (r->n_idle > 0 || (has[i] && p->has_stat))) {
            p->busy = cpu_idle_shares(shares, p->us, us, r->n_idle, (uint64_t)window_ns / 1000,
                                      stat_share(p, ticks[i], has[i], window_ns), &asleep);
            for (size_t j = 0; j < r->n_idle; j++)
                sums[j] += shares[j];
            asleep_sum += asleep;
            busy_sum += p->busy;
            told++;
        }
        memcpy(p->us, us, sizeof(us));
        p->stat_idle = ticks[i];
        p->has_stat = has[i];
    }
    s->n_idle = r->n_idle;
    memcpy(s->idle, r->idle, sizeof(s->idle));
    for (size_t j = 0; j < r->n_idle; j++)
        s->idle[j].share = told ? sums[j] / (double)told : NAN;
    s->busy = told ? busy_sum / (double)told : NAN;
    s->asleep = told ? asleep_sum / (double)told : NAN;
    free(ticks);
    free(has);
}

/* How much the CPUs of a policy worked; 1 where that is not known. */
static double policy_work(const struct cpu_reader *r, const struct policy *p)
{
    double work = 0;

    for (size_t i = 0; i < p->n_cpus; i++)
        for (size_t j = 0; j < r->n_processors; j++) {
            if (r->processors[j].number != p->cpus[i])
                continue;
            if (isnan(r->processors[j].busy))
                return 1;
            work += r->processors[j].busy;
        }
    return work;
}

struct clock_sum {
    double khz, work;        /* of CPUs that worked */
    double idle_khz, idle_n; /* of the others */
};

static void clock_add(struct clock_sum *c, double khz, double work)
{
    if (khz <= 0)
        return;
    if (work >= WORKING_SHARE) {
        c->khz += khz * work;
        c->work += work;
    } else {
        c->idle_khz += khz;
        c->idle_n++;
    }
}

static void clock_result(const struct clock_sum *c, struct cpu_state *s)
{
    s->stale = c->work <= 0 && c->idle_n > 0;
    if (c->work > 0)
        s->now_khz = (uint32_t)(c->khz / c->work + 0.5);
    else if (c->idle_n > 0)
        s->now_khz = (uint32_t)(c->idle_khz / c->idle_n + 0.5);
}

/* "processor : 3" and "cpu MHz : 2000.000", a block for each. */
static void clocks_of_cpuinfo(const struct cpu_reader *r, struct cpu_state *s)
{
    struct clock_sum sum = {0};
    struct buf b = BUF_INIT;
    unsigned number = 0;

    if (sysroot_read(&b, r->sysroot, "/proc/cpuinfo") == 0)
        for (const char *line = b.data; line; line = strchr(line, '\n')) {
            double mhz;
            line += *line == '\n';
            if (sscanf(line, "processor : %u", &number) == 1)
                continue;
            if (sscanf(line, "cpu MHz : %lf", &mhz) != 1 || !(mhz > 0 && mhz < 1e6))
                continue;
            double work = 1;
            for (size_t i = 0; i < r->n_processors; i++)
                if (r->processors[i].number == number && !isnan(r->processors[i].busy))
                    work = r->processors[i].busy;
            clock_add(&sum, mhz * 1000, work);
        }
    buf_done(&b);
    clock_result(&sum, s);
}

static void clocks_of_policies(struct cpu_reader *r, struct cpu_state *s)
{
    struct clock_sum sum = {0};

    for (size_t i = 0; i < r->n_policies; i++) {
        int64_t began = r->clock(r->clock_arg);
        uint32_t khz = source_khz(&r->policies[i].cur);
        int64_t took = r->clock(r->clock_arg) - began;
        if (i == 0 && took > SLOW_READ_NS) {
            r->slow_left = SLOW_SAMPLES;
            clocks_of_cpuinfo(r, s);
            return;
        }
        clock_add(&sum, khz, policy_work(r, &r->policies[i]));
    }
    clock_result(&sum, s);
}

static void read_clocks(struct cpu_reader *r, struct cpu_state *s)
{
    if (r->n_policies == 0) {
        clocks_of_cpuinfo(r, s);
        s->nominal = s->now_khz > 0;
        s->stale = false;
    } else if (r->slow_left > 0) {
        r->slow_left--;
        clocks_of_cpuinfo(r, s);
    } else {
        clocks_of_policies(r, s);
    }
}

static void read_policies(struct cpu_reader *r, struct cpu_state *s)
{
    char word[CPU_WORD];

    s->policies = (unsigned)r->n_policies;
    for (size_t i = 0; i < r->n_policies; i++) {
        struct policy *p = &r->policies[i];
        bool read = source_word(&p->governor, word, sizeof(word));
        r->lost |= !read && p->was_read;
        p->was_read = read;
        cpu_count_add(s->governors, &s->n_governors, read ? word : "unknown", (unsigned)p->n_cpus);
        if (p->epp.path && source_word(&p->epp, word, sizeof(word)))
            cpu_count_add(s->epps, &s->n_epps, word, (unsigned)p->n_cpus);
        uint32_t min = source_khz(&p->min), max = source_khz(&p->max);
        if (min && (s->min_khz == 0 || min < s->min_khz))
            s->min_khz = min;
        if (max > s->max_khz)
            s->max_khz = max;
    }
    cpu_counts_sort(s->governors, s->n_governors);
    cpu_counts_sort(s->epps, s->n_epps);
}

/* intel_pstate says it the other way round. */
static enum cpu_boost read_boost(const struct cpu_reader *r)
{
    uint64_t value;

    if (source_number(&r->boost, &value))
        return value ? CPU_BOOST_ON : CPU_BOOST_OFF;
    if (source_number(&r->no_turbo, &value))
        return value ? CPU_BOOST_OFF : CPU_BOOST_ON;
    return CPU_BOOST_ABSENT;
}

void cpu_reader_sample(struct cpu_reader *r, struct cpu_state *out)
{
    cpu_state_init(out);
    scan_if_changed(r);
    out->taken_ns = r->clock(r->clock_arg);
    out->known = true;
    out->cpus = (unsigned)r->n_processors;
    snprintf(out->absence, sizeof(out->absence), "%s", r->absence);
    snprintf(out->driver, sizeof(out->driver), "%s", r->driver);
    read_idle(r, out, r->sampled_ns ? out->taken_ns - r->sampled_ns : 0);
    read_policies(r, out);
    read_clocks(r, out);
    out->boost = read_boost(r);
    int32_t limit;
    if (source_bytes(&r->limit, &limit, sizeof(limit)) == (ssize_t)sizeof(limit) && limit >= 0)
        out->limit_us = limit;
    r->sampled_ns = out->taken_ns;
    out->cost_ns = r->clock(r->clock_arg) - out->taken_ns;
}

struct cpu_reader *cpu_reader_new(const char *sysroot, int64_t (*clock)(void *arg), void *arg)
{
    struct cpu_reader *r = mem_zalloc(sizeof(*r));
    struct rlimit limit;

    r->sysroot = mem_strdup(sysroot);
    r->clock = clock;
    r->clock_arg = arg;
    r->open_max = 256;
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
        r->open_max = limit.rlim_cur / 4 < 4096 ? (size_t)limit.rlim_cur / 4 : 4096;
    return r;
}

void cpu_reader_free(struct cpu_reader *r)
{
    if (!r)
        return;
    forget(r);
    free(r->sysroot);
    free(r);
}
