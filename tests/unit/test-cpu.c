/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The processors' state in words and sums (core), and read from trees of files (host). */
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sthd/cpu_watch.h"
#include "sthd/mem.h"
#include "sysfs.h"
#include "tap.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* ---- words ---- */

static struct cpu_state nas(void)
{
    struct cpu_state s;

    cpu_state_init(&s);
    s.known = true;
    s.cpus = 32;
    cpu_count_add(s.governors, &s.n_governors, "schedutil", 32);
    snprintf(s.driver, sizeof(s.driver), "intel_cpufreq");
    s.min_khz = 1200000;
    s.max_khz = 3300000;
    s.now_khz = 1210000;
    s.boost = CPU_BOOST_ON;
    s.n_idle = 3;
    s.idle[0] = (struct cpu_idle){"POLL", 0, 0.01};
    s.idle[1] = (struct cpu_idle){"C1", 2, 0.05};
    s.idle[2] = (struct cpu_idle){"C6", 133, 0.83};
    s.busy = 0.11;
    s.asleep = 0;
    s.limit_us = CPU_LIMIT_NONE;
    return s;
}

static struct cpu_state mixed(void)
{
    struct cpu_state s = nas();

    s.n_governors = 0;
    cpu_count_add(s.governors, &s.n_governors, "powersave", 8);
    cpu_count_add(s.governors, &s.n_governors, "performance", 24);
    cpu_counts_sort(s.governors, s.n_governors);
    cpu_count_add(s.epps, &s.n_epps, "balance_performance", 31);
    cpu_count_add(s.epps, &s.n_epps, "128", 1);
    s.stale = true;
    s.limit_us = 20;
    s.boost = CPU_BOOST_OFF;
    s.asleep = 0.10;
    s.busy = 0.01;
    return s;
}

static struct cpu_state guest(void)
{
    struct cpu_state s;

    cpu_state_init(&s);
    s.known = true;
    s.cpus = 2;
    snprintf(s.absence, sizeof(s.absence), "no cpufreq (KVM guest)");
    s.now_khz = 2000000;
    s.nominal = true;
    s.busy = 0.12;
    s.asleep = 0.88;
    s.limit_us = 0;
    return s;
}

static struct cpu_state unread(void)
{
    struct cpu_state s;

    cpu_state_init(&s);
    return s;
}

static void test_text(void)
{
    static const struct {
        const char *name;
        struct cpu_state (*state)(void);
        int columns;
        const char *want;
    } rows[] = {
        {"wide", nas, 200,
         "schedutil x32  1.20-3.30 GHz, now 1.21  boost on  POLL 1 % C1 5 % C6 83 % busy 11 %  "
         "limit none  intel_cpufreq"},
        {"with boost", nas, 70,
         "schedutil x32  1.20-3.30 GHz, now 1.21  boost on  C6 83 %  limit none"},
        {"narrower", nas, 60, "schedutil x32  1.20-3.30 GHz, now 1.21  C6 83 %  limit none"},
        {"no range", nas, 50, "schedutil x32  now 1.21 GHz  C6 83 %  limit none"},
        {"no limit", nas, 39, "schedutil x32  now 1.21 GHz  C6 83 %"},
        {"governor only", nas, 13, "schedutil x32"},
        {"cut", nas, 8, "schedut~"},
        {"nothing", nas, 0, ""},
        {"mixed", mixed, 200,
         "performance x24, powersave x8  EPP balance_performance x31, 128 x1  1.20-3.30 GHz, now "
         "1.21 (stale: idle)  boost off  POLL 1 % C1 5 % C6 83 % asleep 10 % busy 1 %  limit 20 "
         "us  intel_cpufreq"},
        {"mixed, narrow", mixed, 56, "mixed: performance x24  now 1.21 GHz (stale)  C6 83 %"},
        {"guest", guest, 80, "no cpufreq (KVM guest)  2.00 GHz nominal  busy 12 %  limit 0 us"},
        {"not read", unread, 80, "not read yet"},
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        struct cpu_state s = rows[i].state();
        struct buf text = BUF_INIT;
        cpu_text(&text, &s, rows[i].columns);
        tap_str(text.data ? text.data : "", rows[i].want, "%s", rows[i].name);
        tap_ok((int)text.len <= rows[i].columns, "%s: fits", rows[i].name);
        buf_done(&text);
    }
}

static void test_limit(void)
{
    static const struct {
        int32_t limit;
        const char *want;
    } rows[] = {{CPU_LIMIT_NONE, "none"},
                {CPU_LIMIT_UNKNOWN, "unknown"},
                {0, "0 us"},
                {1999999999, "1999999999 us"}};

    for (size_t i = 0; i < COUNT(rows); i++) {
        struct buf text = BUF_INIT;
        cpu_limit_text(&text, rows[i].limit);
        tap_str(text.data, rows[i].want, "limit %d", (int)rows[i].limit);
        buf_done(&text);
    }
}

/* ---- sums ---- */

static void test_shares(void)
{
    static const struct {
        const char *name;
        uint64_t before[3], after[3], window_us;
        double idle_share;
        double shares[3], asleep, busy;
    } rows[] = {
        {"slept half of it deep",
         {0, 100, 1000},
         {0, 100, 501000},
         1000000,
         NAN,
         {0, 0, 0.5},
         0,
         0.5},
        {"all three", {0, 0, 0}, {100000, 200000, 300000}, 1000000, NAN, {0.1, 0.2, 0.3}, 0, 0.4},
        {"a sleep of before ends now: cut to the window",
         {0, 0, 0},
         {0, 0, 5000000},
         1000000,
         NAN,
         {0, 0, 1},
         0,
         0},
        {"... and the others keep what is theirs",
         {0, 0, 0},
         {0, 100000, 2900000},
         1000000,
         NAN,
         {0, 0.1, 0.9},
         0,
         0},
        {"two that are too long", {0, 0, 0}, {0, 3000000, 3000000}, 1000000, NAN, {0, 0, 1}, 0, 0},
        {"asleep all the time, told by /proc/stat only",
         {5, 6, 7},
         {5, 6, 7},
         1000000,
         1.0,
         {0, 0, 0},
         1,
         0},
        {"worked all the time", {5, 6, 7}, {5, 6, 7}, 1000000, 0, {0, 0, 0}, 0, 1},
        {"asleep at the end", {0, 0, 0}, {0, 0, 300000}, 1000000, 0.8, {0, 0, 0.3}, 0.5, 0.2},
        {"/proc/stat is coarse: more idle than there is time",
         {0, 0, 0},
         {0, 0, 300000},
         1000000,
         1.01,
         {0, 0, 0.3},
         0.7,
         0},
        {"/proc/stat says less: the exact one counts",
         {0, 0, 0},
         {0, 0, 300000},
         1000000,
         0.2,
         {0, 0, 0.3},
         0,
         0.7},
        {"a counter that went back", {0, 9, 0}, {0, 1, 0}, 1000000, NAN, {0, 0, 0}, 0, 1},
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        double shares[3], asleep;
        double busy = cpu_idle_shares(shares, rows[i].before, rows[i].after, 3, rows[i].window_us,
                                      rows[i].idle_share, &asleep);
        double sum = busy + asleep;
        for (int j = 0; j < 3; j++) {
            tap_near(shares[j], rows[i].shares[j], 1e-9, "%s: state %d", rows[i].name, j);
            sum += shares[j];
        }
        tap_near(asleep, rows[i].asleep, 1e-9, "%s: asleep", rows[i].name);
        tap_near(busy, rows[i].busy, 1e-9, "%s: busy", rows[i].name);
        tap_near(sum, 1, 1e-9, "%s: it adds up", rows[i].name);
    }
}

static void test_list(void)
{
    static const struct {
        const char *list;
        size_t n;
        unsigned last;
    } rows[] = {{"0-3", 4, 3},      {"0-1,8,10-11\n", 5, 11}, {"0 1 2", 3, 2}, {"7", 1, 7},
                {"", 0, 0},         {"none", 0, 0},           {"3-1", 0, 0},   {"0-99999999", 0, 0},
                {"0-2,4-6\n", 6, 6}};

    for (size_t i = 0; i < COUNT(rows); i++) {
        unsigned out[16] = {0};
        tap_int((long long)cpu_list_parse(rows[i].list, out, 16), (long long)rows[i].n, "'%s'",
                rows[i].list);
        if (rows[i].n)
            tap_int(out[rows[i].n - 1], rows[i].last, "'%s': the last", rows[i].list);
        tap_int((long long)cpu_list_parse(rows[i].list, NULL, 0), (long long)rows[i].n,
                "'%s' counted", rows[i].list);
    }
}

static void test_counts(void)
{
    struct cpu_count counts[CPU_COUNTS];
    size_t n = 0;
    char word[8];

    for (int i = 0; i < CPU_COUNTS + 3; i++) {
        snprintf(word, sizeof(word), "g%d", i);
        cpu_count_add(counts, &n, word, 1);
    }
    cpu_count_add(counts, &n, "g2", 5);
    cpu_counts_sort(counts, n);
    tap_int((long long)n, CPU_COUNTS, "more different words than there is room for");
    tap_str(counts[0].word, "g2", "the most frequent first");
    tap_int(counts[0].cpus, 6, "with its count");
    tap_str(counts[1].word, "g0", "equal ones by name");
}

/* ---- trees ---- */

struct fake_clock {
    int64_t now_ns, step_ns; /* step: each look at the clock takes that long */
};

static int64_t fake_now(void *arg)
{
    struct fake_clock *c = arg;

    return c->now_ns += c->step_ns;
}

static char *tree(const char *name)
{
    return mem_printf("%s/host/%s", getenv("STHD_FIXTURES"), name);
}

static void test_trees(void)
{
    static const struct {
        const char *tree, *line, *driver;
        unsigned policies, cpus;
    } rows[] = {
        {"laptop",
         "powersave x4  EPP balance_performance  0.80-3.70 GHz, now 1.20  boost on  limit unknown",
         "intel_pstate", 4, 4},
        {"mixed",
         "powersave x4, performance x2  EPP balance_performance x4, performance x2  0.40-5.24 "
         "GHz, now 2.10  boost on  limit unknown",
         "amd-pstate-epp", 6, 6},
        {"nas", "schedutil x8  1.20-3.30 GHz  limit unknown", "intel_cpufreq", 8, 8},
        {"vm", "no cpufreq (KVM guest)  2.10 GHz nominal  limit unknown", "", 0, 2},
        {"container", "ondemand x2, performance x2  1.40-3.40 GHz  boost off  limit unknown",
         "acpi-cpufreq", 2, 4},
        {"nowhere", "no cpufreq  limit unknown", "", 0, 0},
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        char *root = tree(rows[i].tree);
        struct fake_clock clock = {1000, 0};
        struct cpu_reader *r = cpu_reader_new(root, fake_now, &clock);
        struct cpu_state s;
        struct buf line = BUF_INIT;
        cpu_reader_sample(r, &s);
        char driver[CPU_WORD];
        snprintf(driver, sizeof(driver), "%s", s.driver);
        s.driver[0] = '\0'; /* compared by itself */
        cpu_text(&line, &s, 300);
        tap_str(line.data, rows[i].line, "%s", rows[i].tree);
        tap_str(driver, rows[i].driver, "%s: driver", rows[i].tree);
        tap_int(s.policies, rows[i].policies, "%s: policies", rows[i].tree);
        tap_int(s.cpus, rows[i].cpus, "%s: CPUs", rows[i].tree);
        buf_done(&line);
        cpu_reader_free(r);
        free(root);
    }
}

static const char *const server_idle[] = {"POLL", "C1", "C1E", "C6", NULL};
static const struct sysfs_spec server = {.cpus = 32,
                                         .cpus_per_policy = 1,
                                         .driver = "acpi-cpufreq",
                                         .governors = "performance schedutil ",
                                         .governor = "schedutil",
                                         .boost = "1",
                                         .idle = server_idle};

/* Every CPU slept that much more in this state. */
static void sleep_more(const struct sysfs *t, unsigned state, unsigned first, unsigned end,
                       uint64_t us)
{
    char path[64], text[32];

    for (unsigned cpu = first; cpu < end; cpu++) {
        snprintf(path, sizeof(path), "cpu%u/cpuidle/state%u/time", cpu, state);
        snprintf(text, sizeof(text), "%llu\n",
                 strtoull(sysfs_read(t, path), NULL, 10) + (unsigned long long)us);
        sysfs_write(t, path, text);
    }
}

static void test_windows(void)
{
    struct fake_clock clock = {1000000000, 0};
    struct cpu_state s;
    struct sysfs t;

    sysfs_make(&t, &server);
    struct cpu_reader *r = cpu_reader_new(t.root, fake_now, &clock);
    cpu_reader_sample(r, &s);
    tap_ok(isnan(s.busy) && isnan(s.idle[3].share), "no share of a first sample");
    tap_int((long long)s.n_idle, 4, "four idle states");
    tap_int(s.idle[3].exit_us, 133, "with their exit latencies");
    tap_int(s.limit_us, CPU_LIMIT_NONE, "no limit");
    tap_ok(!s.stale, "nothing is known of idleness yet");

    /* CPUs 0 to 15 sleep all the second, the others work at 3.3 GHz */
    clock.now_ns += 1000000000;
    sleep_more(&t, 3, 0, 16, 1000000);
    for (unsigned cpu = 16; cpu < 32; cpu++) {
        char path[64];
        snprintf(path, sizeof(path), "cpufreq/policy%u/scaling_cur_freq", cpu);
        sysfs_write(&t, path, "3300000\n");
    }
    sysfs_set_limit(&t, 20);
    cpu_reader_sample(r, &s);
    tap_near(s.idle[3].share, 0.5, 1e-9, "half of all time in C6");
    tap_near(s.busy, 0.5, 1e-9, "half at work");
    tap_int(s.now_khz, 3300000, "the clock is that of those who worked");
    tap_ok(!s.stale, "and not stale");
    tap_int(s.limit_us, 20, "a limit");

    /* nobody works */
    clock.now_ns += 1000000000;
    sleep_more(&t, 2, 0, 32, 990000);
    cpu_reader_sample(r, &s);
    tap_near(s.idle[2].share, 0.99, 1e-9, "all asleep in C1E");
    tap_ok(s.stale, "a clock of idle CPUs is stale");

    /* asleep through the window: only /proc/stat tells */
    struct buf stat = BUF_INIT;
    for (int second = 0; second < 2; second++) {
        buf_clear(&stat);
        buf_adds(&stat, "cpu  1 2 3 4 5 6 7 8 9 0\n");
        for (unsigned cpu = 0; cpu < 32; cpu++)
            buf_addf(&stat, "cpu%u 1 0 1 %ld 0 0 0 0 0 0\n", cpu,
                     500 + second * sysconf(_SC_CLK_TCK));
        buf_adds(&stat, "intr 1 2 3\n");
        sysfs_write(&t, "/proc/stat", stat.data);
        clock.now_ns += 1000000000;
        cpu_reader_sample(r, &s);
    }
    buf_done(&stat);
    tap_near(s.asleep, 1, 1e-9, "asleep all the second");
    tap_near(s.busy, 0, 1e-9, "and not at work");

    /* governors change, one CPU goes away */
    sysfs_write(&t, "cpufreq/policy3/scaling_governor", "performance\n");
    sysfs_write(&t, "cpufreq/policy31/affected_cpus", "\n");
    sysfs_write(&t, "online", "0-30\n");
    sysfs_write(&t, "cpufreq/boost", "0\n");
    clock.now_ns += 1000000000;
    cpu_reader_sample(r, &s);
    tap_int(s.cpus, 31, "one went offline");
    tap_int(s.governors[0].cpus, 30, "thirty as before");
    tap_str(s.governors[1].word, "performance", "one is changed");
    tap_int(s.boost, CPU_BOOST_OFF, "boost is off");
    cpu_reader_free(r);
    sysfs_remove(&t);
}

/* Old kernels take 10 ms to say a clock: then it is not asked for. */
static void test_slow_clock(void)
{
    struct fake_clock clock = {1000000000, 600 * 1000};
    struct cpu_state s;
    struct sysfs t;

    sysfs_make(&t, &server);
    sysfs_write(&t, "/proc/cpuinfo",
                "processor\t: 0\ncpu MHz\t\t: 2500.000\n\nprocessor\t: 1\ncpu MHz\t\t: 2700.000\n");
    struct cpu_reader *r = cpu_reader_new(t.root, fake_now, &clock);
    cpu_reader_sample(r, &s);
    tap_int(s.now_khz, 2600000, "slow: /proc/cpuinfo is asked");
    tap_ok(s.cost_ns < 32 * 600 * 1000, "and not one clock after the other");
    clock.step_ns = 1;
    for (int i = 0; i < 30; i++) {
        clock.now_ns += 1000000000;
        cpu_reader_sample(r, &s);
        if (s.now_khz != 2600000)
            tap_ok(false, "asked again after %d samples", i);
    }
    clock.now_ns += 1000000000;
    cpu_reader_sample(r, &s);
    tap_int(s.now_khz, 1210000, "after 30 samples it is tried again");
    cpu_reader_free(r);

    /* no clock at all but the nominal one */
    sysfs_remove(&t);
    sysfs_make(&t, &(struct sysfs_spec){.cpus = 2});
    sysfs_write(&t, "/proc/cpuinfo", "processor\t: 0\ncpu MHz\t\t: 2000.000\n");
    r = cpu_reader_new(t.root, fake_now, &clock);
    cpu_reader_sample(r, &s);
    tap_ok(s.nominal && s.now_khz == 2000000, "without cpufreq the clock is nominal");
    cpu_reader_free(r);
    sysfs_remove(&t);
}

static int open_descriptors(void)
{
    int n = 0;

    for (int fd = 0; fd < 1024; fd++) {
        char path[32];
        snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
        n += access(path, F_OK) == 0;
    }
    return n;
}

static void test_watch(void)
{
    struct cpu_state s = {.known = false};
    struct sysfs t;
    int before = open_descriptors(), states = 0;

    sysfs_make(&t, &server);
    struct cpu_watch *w = cpu_watch_new(t.root);
    tap_ok(w != NULL, "the thread starts");
    while (w && states < 2) {
        struct pollfd p = {.fd = cpu_watch_fd(w), .events = POLLIN};
        if (poll(&p, 1, 10000) <= 0)
            break;
        states += cpu_watch_take(w, &s);
    }
    tap_int(states, 2, "a state at once, and a second one");
    tap_ok(s.known && s.cpus == 32 && s.policies == 32, "of 32 CPUs");
    tap_ok(!isnan(s.busy), "the second one has shares");
    tap_note("32 CPUs, %d descriptors: %lld us a sample", open_descriptors() - before,
             (long long)(s.cost_ns / 1000));
    cpu_watch_free(w);
    tap_int(open_descriptors(), before, "all descriptors are closed");
    cpu_watch_free(NULL);
    sysfs_remove(&t);
}

int main(void)
{
    test_text();
    test_limit();
    test_shares();
    test_list();
    test_counts();
    test_trees();
    test_windows();
    test_slow_clock();
    test_watch();
    return tap_done();
}
