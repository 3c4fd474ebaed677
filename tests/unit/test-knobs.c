/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Knobs are turned back, whatever happens: on trees of plain files every way to die, and the
 * kernel's own latency limit where we may set it.
 */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "knob_journal.h"
#include "knob_rack.h"
#include "sthd/knobs.h"
#include "sthd/loop.h"
#include "sthd/mem.h"
#include "sysfs.h"
#include "tap.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define SECOND   1000000000LL
#define WAIT_NS  (10 * SECOND)

static const struct sysfs_spec server = {.cpus = 8,
                                         .cpus_per_policy = 2,
                                         .driver = "acpi-cpufreq",
                                         .governors = "performance schedutil ",
                                         .governor = "schedutil",
                                         .other_governor = "performance",
                                         .boost = "1"};
static const struct sysfs_spec laptop = {.cpus = 4,
                                         .cpus_per_policy = 1,
                                         .driver = "intel_pstate",
                                         .governors = "performance powersave",
                                         .governor = "powersave",
                                         .epp = "balance_performance",
                                         .no_turbo = "0"};

static const char *run_dir(const struct sysfs *t)
{
    return sysfs_path(t, "/run/speedtest-hd");
}

static bool there_is_a_journal(const struct sysfs *t)
{
    return access(sysfs_path(t, "/run/speedtest-hd/knobs.journal"), F_OK) == 0;
}

static bool soon(bool (*is)(const void *), const void *arg)
{
    int64_t deadline = clock_ns() + WAIT_NS;

    while (!is(arg)) {
        if (clock_ns() > deadline)
            return false;
        poll(NULL, 0, 1);
    }
    return true;
}

static bool journal_is_gone(const void *tree)
{
    return !there_is_a_journal(tree);
}

/* ---- words (core) ---- */

static struct knob_panel panel_of(enum knob k, const char *list, const char *set)
{
    struct knob_panel p = {.known = true};
    char copy[256];

    snprintf(copy, sizeof(copy), "%s", list);
    for (char *rest = copy, *word; (word = strsep(&rest, " "));)
        if (*word)
            snprintf(p.knobs[k].choices[p.knobs[k].n_choices++], CPU_WORD, "%s", word);
    snprintf(p.knobs[k].set, CPU_WORD, "%s", set);
    p.knobs[k].set_ns = 100;
    return p;
}

static struct cpu_state seen_as(const char *governor, const char *epp, enum cpu_boost boost,
                                int32_t limit, int64_t at)
{
    struct cpu_state s;

    cpu_state_init(&s);
    s.known = true;
    if (*governor)
        cpu_count_add(s.governors, &s.n_governors, governor, 8);
    if (*epp)
        cpu_count_add(s.epps, &s.n_epps, epp, 8);
    s.boost = boost;
    s.limit_us = limit;
    s.taken_ns = at;
    return s;
}

static void test_next(void)
{
    static const struct {
        enum knob knob;
        const char *list, *set, *want;
    } rows[] = {
        {KNOB_GOVERNOR, "performance schedutil", "", "performance"}, /* behind schedutil: round */
        {KNOB_GOVERNOR, "performance schedutil", "performance", "schedutil"},
        {KNOB_GOVERNOR, "ondemand performance", "", "ondemand"}, /* what is, is not listed */
        {KNOB_GOVERNOR, "", "", NULL},
        {KNOB_EPP, "default performance 128", "128", "default"},
        {KNOB_EPP, "default performance power", "", "power"},
        {KNOB_BOOST, "on off", "", "off"},
        {KNOB_BOOST, "on off", "off", "on"},
        {KNOB_LIMIT, "off 0 1 20", "", "0"}, /* though somebody else asks for 20 */
        {KNOB_LIMIT, "off 0 1 20", "0", "1"},
        {KNOB_LIMIT, "off 0 1 20", "20", "off"},
        {KNOB_LIMIT, "off 0 1 20", "7", "off"},
    };
    const struct cpu_state now = seen_as("schedutil", "performance", CPU_BOOST_ON, 20, 1);

    for (size_t i = 0; i < COUNT(rows); i++) {
        struct knob_panel p = panel_of(rows[i].knob, rows[i].list, rows[i].set);
        const char *next = knob_next(&p, rows[i].knob, &now);
        tap_str(next ? next : "none", rows[i].want ? rows[i].want : "none", "next %zu", i);
    }
}

static void test_drift(void)
{
    static const struct {
        const char *name;
        enum knob knob;
        const char *set, *governor, *epp;
        enum cpu_boost boost;
        int32_t limit;
        int64_t at;
        const char *want; /* in the sentence; NULL: no drift */
    } rows[] = {
        {"as it was set", KNOB_GOVERNOR, "performance", "performance", "", 0, 0, 200, NULL},
        {"changed back", KNOB_GOVERNOR, "performance", "powersave", "", 0, 0, 200,
         "it was set to performance and is powersave x8"},
        {"read before it was set", KNOB_GOVERNOR, "performance", "powersave", "", 0, 0, 99, NULL},
        {"not ours", KNOB_GOVERNOR, "", "powersave", "", 0, 0, 200, NULL},
        {"not readable now", KNOB_GOVERNOR, "performance", "", "", 0, 0, 200, NULL},
        {"EPP", KNOB_EPP, "performance", "x", "power", 0, 0, 200, "is power x8"},
        {"EPP stays", KNOB_EPP, "128", "x", "128", 0, 0, 200, NULL},
        {"boost", KNOB_BOOST, "off", "", "", CPU_BOOST_ON, 0, 200, "set to off and is on"},
        {"limit in force", KNOB_LIMIT, "20", "", "", 0, 20, 200, NULL},
        {"somebody asks for less", KNOB_LIMIT, "20", "", "", 0, 0, 200, NULL},
        {"limit lost", KNOB_LIMIT, "20", "", "", 0, CPU_LIMIT_NONE, 200, "20 us is not in force"},
        {"limit off", KNOB_LIMIT, "off", "", "", 0, 0, 200, NULL},
        {"limit not readable", KNOB_LIMIT, "20", "", "", 0, CPU_LIMIT_UNKNOWN, 200, NULL},
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        struct knob_panel p = panel_of(rows[i].knob, "", rows[i].set);
        struct cpu_state s =
            seen_as(rows[i].governor, rows[i].epp, rows[i].boost, rows[i].limit, rows[i].at);
        char text[256];
        bool drifted = knob_drifted(&p, rows[i].knob, &s, text, sizeof(text));
        tap_int(drifted, rows[i].want != NULL, "drift: %s", rows[i].name);
        tap_ok(strstr(text, rows[i].want ? rows[i].want : "") != NULL, "drift: %s: %s",
               rows[i].name, text);
    }
}

static void test_limit_text(void)
{
    static const struct {
        const char *text;
        int rc;
        int32_t want;
    } rows[] = {{"off", 0, CPU_LIMIT_NONE},
                {"0", 0, 0},
                {"20", 0, 20},
                {"2000000", 0, 2000000},
                {"2000001", 1, 0},
                {"-1", 1, 0},
                {"", 1, 0},
                {"1.5", 1, 0},
                {"on", 1, 0}};

    for (size_t i = 0; i < COUNT(rows); i++) {
        struct err e = {0};
        int32_t us = -7;
        int rc = knob_limit_parse(rows[i].text, "--latency-limit", &us, &e);
        tap_int(rc < 0, rows[i].rc, "limit '%s' %s", rows[i].text, e.text);
        if (!rows[i].rc)
            tap_int(us, rows[i].want, "limit '%s'", rows[i].text);
        else
            tap_ok(strncmp(e.text, "--latency-limit", 15) == 0, "it names what: %s", e.text);
    }
}

static void test_sentences(void)
{
    static const struct {
        enum knob knob;
        int errnum;
        const char *want;
    } rows[] = {
        {KNOB_GOVERNOR, EACCES, "by root only: start speedtest-hd with --sudo"},
        {KNOB_LIMIT, EACCES, "The latency limit may be changed by root only"},
        {KNOB_GOVERNOR, EPERM, "by root only"},
        {KNOB_EPP, EROFS, "/sys is read-only (a container?)"},
        {KNOB_GOVERNOR, ENOENT, "This machine has no governor (a guest"},
        {KNOB_LIMIT, ENOENT, "no /dev/cpu_dma_latency"},
        {KNOB_GOVERNOR, EINVAL, "no governor conservative"},
        {KNOB_BOOST, EINVAL, "does not take conservative for the boost"},
        {KNOB_EPP, EBUSY, "fixed while the governor is performance"},
        {KNOB_GOVERNOR, EBUSY, "going offline"},
        {KNOB_EPP, EAGAIN, "just changing its mode"},
        {KNOB_EPP, EIO, "could not be set to conservative: Input/output error"},
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        struct err e;
        tap_int(rack_refused(&e, rows[i].knob, "conservative", rows[i].errnum), -rows[i].errnum,
                "%s %s", knob_name(rows[i].knob), strerror(rows[i].errnum));
        tap_ok(strstr(e.text, rows[i].want) != NULL, "%s", e.text);
    }
}

/* ---- turning and turning back ---- */

/* Every file of the tree that a knob can change, as one text. */
static char *settings(const struct sysfs *t, const struct sysfs_spec *spec)
{
    struct buf all = BUF_INIT;
    char path[96];

    for (unsigned p = 0; p < spec->cpus; p += spec->cpus_per_policy) {
        snprintf(path, sizeof(path), "cpufreq/policy%u/scaling_governor", p);
        buf_addf(&all, "%u %s", p, sysfs_read(t, path));
        snprintf(path, sizeof(path), "cpufreq/policy%u/energy_performance_preference", p);
        buf_addf(&all, " %s; ", sysfs_read(t, path));
    }
    buf_addf(&all, "boost %s no_turbo %s", sysfs_read(t, "cpufreq/boost"),
             sysfs_read(t, "intel_pstate/no_turbo"));
    return buf_steal(&all);
}

static int mode_of(const char *path)
{
    struct stat st;

    return lstat(path, &st) == 0 ? (int)(st.st_mode & 07777) : -1;
}

static void test_server(void)
{
    struct knob_panel p;
    struct sysfs t;
    struct err e = {0};

    sysfs_make(&t, &server);
    char *before = settings(&t, &server);
    struct rack *r = rack_new(t.root, run_dir(&t));
    rack_panel(r, &p);
    tap_int((long long)p.knobs[KNOB_GOVERNOR].n_choices, 2, "two governors to choose from");
    tap_str(p.knobs[KNOB_GOVERNOR].choices[1], "schedutil", "without the list's blank");
    tap_int((long long)p.knobs[KNOB_EPP].n_choices, 0, "no EPP here");
    tap_ok(strstr(p.knobs[KNOB_EPP].problem, "no EPP") != NULL, "and it says so: %s",
           p.knobs[KNOB_EPP].problem);
    tap_str(p.knobs[KNOB_BOOST].choices[0], "on", "boost");
    tap_ok(!there_is_a_journal(&t) && !rack_is_turned(r), "nothing is turned yet");

    tap_int(rack_set(r, KNOB_GOVERNOR, "performance", &e), 0, "performance %s", e.text);
    for (unsigned cpu = 0; cpu < 8; cpu += 2) {
        char path[64];
        snprintf(path, sizeof(path), "cpufreq/policy%u/scaling_governor", cpu);
        tap_str(sysfs_read(&t, path), "performance", "%s", path);
    }
    tap_ok(there_is_a_journal(&t) && rack_is_turned(r), "there is a journal");
    tap_int(mode_of(sysfs_path(&t, "/run/speedtest-hd/knobs.journal")), 0600, "of ours alone");
    tap_int(mode_of(run_dir(&t)), 0700, "in a directory of ours alone");
    rack_panel(r, &p);
    tap_str(p.knobs[KNOB_GOVERNOR].was, "schedutil x6, performance x2", "what it was is known");
    tap_str(p.knobs[KNOB_GOVERNOR].set, "performance", "what it is set to, too");

    /* only what was touched is restored: what an administrator changes meanwhile stays */
    sysfs_write(&t, "cpufreq/boost", "0\n");
    tap_int(rack_restore(r, &e), 0, "restored %s", e.text);
    sysfs_write(&t, "cpufreq/boost", *sysfs_read(&t, "cpufreq/boost") == '0' ? "1\n" : "x\n");
    char *after = settings(&t, &server);
    tap_str(after, before, "as before, and nothing but what was turned");
    tap_ok(!there_is_a_journal(&t) && !rack_is_turned(r), "the journal is gone");
    free(after);

    tap_int(rack_set(r, KNOB_BOOST, "off", &e), 0, "boost off %s", e.text);
    tap_str(sysfs_read(&t, "cpufreq/boost"), "0", "is off");
    tap_int(rack_set(r, KNOB_BOOST, "maybe", &e), -EINVAL, "%s", e.text);
    tap_int(rack_set(r, KNOB_GOVERNOR, "../x", &e), -EINVAL, "%s", e.text);
    tap_int(rack_set(r, KNOB_GOVERNOR, "", &e), -EINVAL, "%s", e.text);
    tap_int(rack_set(r, KNOB_EPP, "power", &e), -ENOENT, "%s", e.text);
    tap_int(rack_restore(r, &e), 0, "restored");
    after = settings(&t, &server);
    tap_str(after, before, "as before");
    free(after);
    rack_free(r);
    free(before);
    sysfs_remove(&t);
}

static void test_laptop(void)
{
    struct knob_panel p;
    struct sysfs t;
    struct err e = {0};

    sysfs_make(&t, &laptop);
    sysfs_write(&t, "cpufreq/policy1/energy_performance_preference", "128\n");
    sysfs_write(&t, "cpufreq/policy2/scaling_governor", "performance\n");
    sysfs_write(&t, "cpufreq/policy2/energy_performance_preference", "performance\n");
    sysfs_write(&t, "cpufreq/policy3/affected_cpus", "\n"); /* its CPU is offline */
    char *before = settings(&t, &laptop);
    struct rack *r = rack_new(t.root, run_dir(&t));
    rack_panel(r, &p);
    tap_int((long long)p.knobs[KNOB_EPP].n_choices, 6, "five words and a number");
    tap_int(rack_set(r, KNOB_GOVERNOR, "performance", &e), 0, "performance %s", e.text);
    /* as the drivers do it */
    for (unsigned cpu = 0; cpu < 3; cpu++) {
        char path[80];
        snprintf(path, sizeof(path), "cpufreq/policy%u/energy_performance_preference", cpu);
        sysfs_write(&t, path, "performance\n");
    }
    tap_str(sysfs_read(&t, "cpufreq/policy3/scaling_governor"), "powersave",
            "a policy without CPUs is left alone");
    tap_int(rack_set(r, KNOB_GOVERNOR, "powersave", &e), 0, "powersave %s", e.text);
    tap_str(sysfs_read(&t, "cpufreq/policy0/energy_performance_preference"), "balance_performance",
            "the EPP of before goes with the governor of before");
    tap_str(sysfs_read(&t, "cpufreq/policy1/energy_performance_preference"), "128",
            "a number verbatim");
    tap_int(rack_set(r, KNOB_EPP, "power", &e), 0, "EPP power %s", e.text);
    tap_int(rack_set(r, KNOB_BOOST, "off", &e), 0, "boost off %s", e.text);
    tap_str(sysfs_read(&t, "intel_pstate/no_turbo"), "1", "no_turbo says it the other way round");
    rack_panel(r, &p);
    tap_str(p.knobs[KNOB_EPP].was, "128 x1, balance_performance x1, performance x1", "EPPs were");
    tap_str(p.knobs[KNOB_BOOST].was, "on", "boost was");
    tap_int(rack_restore(r, &e), 0, "restored %s", e.text);
    char *after = settings(&t, &laptop);
    tap_str(after, before, "each policy has exactly what it had");
    free(after);
    free(before);
    rack_free(r);
    sysfs_remove(&t);
}

/* Governors before EPPs, in the journal as in the keeper. */
static void test_order(void)
{
    struct journal j;
    struct sysfs t;
    struct err e = {0};
    size_t governors = 0, epps = 0;
    bool order = true;

    sysfs_make(&t, &laptop);
    struct rack *r = rack_new(t.root, run_dir(&t));
    rack_set(r, KNOB_GOVERNOR, "performance", &e);
    tap_int(journal_read(run_dir(&t), t.root, &j, &e), 0, "the journal can be read %s", e.text);
    for (size_t i = 0; i < j.n; i++) {
        bool governor = strstr(j.actions[i].path, "scaling_governor") != NULL;
        bool epp = strstr(j.actions[i].path, "energy_performance_preference") != NULL;
        governors += governor;
        epps += epp;
        order &= !(governor && epps > 0);
    }
    tap_int((long long)governors, 4, "four governors");
    tap_int((long long)epps, 4, "four EPPs");
    tap_ok(order, "all governors first");
    tap_int(j.pid, getpid(), "of this process");
    journal_done(&j);
    rack_restore(r, &e);
    rack_free(r);
    sysfs_remove(&t);
}

static void test_absent(void)
{
    struct sysfs t;
    struct knob_panel p;
    struct err e = {0};

    sysfs_make(&t, &(struct sysfs_spec){.cpus = 2});
    struct rack *r = rack_new(t.root, run_dir(&t));
    rack_panel(r, &p);
    tap_int((long long)p.knobs[KNOB_GOVERNOR].n_choices, 0, "no governors here");
    tap_int(rack_set(r, KNOB_GOVERNOR, "performance", &e), -ENOENT, "%s", e.text);
    tap_int(rack_set(r, KNOB_BOOST, "on", &e), -ENOENT, "%s", e.text);
    tap_int(access(run_dir(&t), F_OK), -1, "nothing was noted for nothing");
    tap_int(rack_set(r, KNOB_LIMIT, "20", &e), 0, "the limit works all the same %s", e.text);
    tap_int(sysfs_limit(&t), 20, "20 us, in four bytes");
    tap_ok(rack_is_turned(r), "that is turned");
    tap_int(access(run_dir(&t), F_OK), -1, "the kernel takes that back by itself: no journal");
    tap_int(rack_set(r, KNOB_LIMIT, "off", &e), 0, "off %s", e.text);
    tap_int(sysfs_limit(&t), CPU_LIMIT_NONE, "none");
    tap_ok(!rack_is_turned(r), "nothing is turned");
    rack_free(r);
    sysfs_remove(&t);
}

/* As somebody else, or where /sys is read-only: refused before anything happens. */
static void in_child(void (*fn)(const struct sysfs *t), const struct sysfs *t)
{
    int status;

    fflush(stdout);
    pid_t pid = fork();
    if (pid == 0) {
        fn(t);
        fflush(stdout);
        _exit(0);
    }
    waitpid(pid, &status, 0);
}

/* What a child found out goes through a file: it must not print on our TAP. */
static void report(const struct sysfs *t, int rc, const char *text)
{
    char line[600];

    snprintf(line, sizeof(line), "%d %s\n", rc, text);
    sysfs_write(t, "/tmp/report", line);
}

static void as_nobody(const struct sysfs *t)
{
    struct err e = {0};

    if (setgroups(0, NULL) < 0 || setresgid(65534, 65534, 65534) < 0 ||
        setresuid(65534, 65534, 65534) < 0)
        return;
    struct rack *r = rack_new(t->root, "/nonexistent");
    int rc = rack_set(r, KNOB_GOVERNOR, "performance", &e);
    report(t, rc, e.text);
}

static void in_container(const struct sysfs *t)
{
    struct err e = {0};

    if (unshare(CLONE_NEWNS) < 0 || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 ||
        mount(sysfs_path(t, "/sys"), sysfs_path(t, "/sys"), NULL, MS_BIND, NULL) < 0 ||
        mount("none", sysfs_path(t, "/sys"), NULL, MS_REMOUNT | MS_BIND | MS_RDONLY, NULL) < 0)
        return;
    struct rack *r = rack_new(t->root, run_dir(t));
    int rc = rack_set(r, KNOB_GOVERNOR, "performance", &e);
    report(t, rc, e.text);
}

static void test_refused(void)
{
    struct sysfs t;

    if (geteuid() != 0) {
        tap_skip("not root", "refusals of a real kernel");
        return;
    }
    sysfs_make(&t, &server);
    sysfs_write(&t, "/tmp/report", "");
    chmod(t.root, 0755);
    chmod(sysfs_path(&t, "/tmp/report"), 0666);
    in_child(as_nobody, &t);
    tap_ok(strstr(sysfs_read(&t, "/tmp/report"), "root only") != NULL, "nobody: %s",
           sysfs_read(&t, "/tmp/report"));
    sysfs_write(&t, "/tmp/report", "");
    in_child(in_container, &t);
    if (*sysfs_read(&t, "/tmp/report"))
        tap_ok(strstr(sysfs_read(&t, "/tmp/report"), "read-only (a container?)") != NULL,
               "container: %s", sysfs_read(&t, "/tmp/report"));
    else
        tap_skip("no mount namespaces", "container");
    tap_str(sysfs_read(&t, "cpufreq/policy0/scaling_governor"), "schedutil", "nothing changed");
    tap_ok(!there_is_a_journal(&t), "and nothing noted");
    sysfs_remove(&t);
}

/* ---- two at a time ---- */

static void test_two(void)
{
    struct sysfs t;
    struct err e = {0};
    char pid[32];

    sysfs_make(&t, &server);
    struct rack *a = rack_new(t.root, run_dir(&t)), *b = rack_new(t.root, run_dir(&t));
    struct knobs_left left;
    tap_int(rack_set(a, KNOB_GOVERNOR, "performance", &e), 0, "the first turns %s", e.text);
    tap_int(rack_set(b, KNOB_GOVERNOR, "schedutil", &e), -EBUSY, "the second does not: %s", e.text);
    snprintf(pid, sizeof(pid), "(process %d)", (int)getpid());
    tap_ok(strstr(e.text, pid) != NULL, "and it says who has");
    tap_ok(!knobs_left_behind(t.root, run_dir(&t), &left), "a living run has left nothing behind");
    tap_int(knobs_repair(t.root, run_dir(&t), &e), -EBUSY, "nor is it repaired: %s", e.text);
    rack_restore(a, &e);
    tap_int(rack_set(b, KNOB_GOVERNOR, "performance", &e), 0, "when it is done, the second may %s",
            e.text);
    rack_restore(b, &e);
    rack_free(a);
    rack_free(b);
    sysfs_remove(&t);
}

/* ---- every way to die ---- */

enum death { EXIT, ABORT, KILL_US, HANG_UP, KILL_KEEPER, KILL_BOTH, FREE };

/* The life of a run: turns all knobs through the thread, tells that it did, then dies. */
static void live(const struct sysfs *t, enum death how, int ready)
{
    static const struct {
        enum knob knob;
        const char *value;
    } turns[] = {{KNOB_GOVERNOR, "performance"}, {KNOB_EPP, "performance"}, {KNOB_BOOST, "off"}};
    struct knobs *k = knobs_new(t->root, run_dir(t));
    struct knob_outcome o;
    struct err e;

    for (size_t i = 0; i < COUNT(turns); i++) {
        knobs_set(k, turns[i].knob, turns[i].value);
        struct pollfd p = {.fd = knobs_fd(k), .events = POLLIN};
        do
            poll(&p, 1, 10000);
        while (!knobs_take(k, &o));
        if (!o.done)
            _exit(2);
    }
    if (write(ready, "x", 1) != 1)
        _exit(3);
    switch (how) {
    case EXIT:
        _exit(0);
    case ABORT:
        signal(SIGABRT, SIG_DFL);
        abort();
    case FREE:
    case KILL_KEEPER:
        poll(NULL, 0, how == FREE ? 0 : -1); /* until a signal */
        _exit(knobs_free(k, &e) < 0 ? 4 : 0);
    default:
        for (;;)
            pause();
    }
}

static void on_signal(int signo)
{
    (void)signo;
}

static bool is_dead(const void *pid)
{
    return kill(*(const pid_t *)pid, 0) < 0 && errno == ESRCH;
}

static void check_death(const char *name, enum death how)
{
    struct sysfs t;
    int ready[2], status = 0;
    char x;

    sysfs_make(&t, &laptop);
    sysfs_write(&t, "cpufreq/policy3/scaling_governor", "performance\n");
    sysfs_write(&t, "cpufreq/policy1/energy_performance_preference", "128\n");
    char *before = settings(&t, &laptop);
    if (pipe2(ready, O_CLOEXEC) < 0)
        return;
    fflush(stdout);
    pid_t pid = fork();
    if (pid == 0) {
        signal(SIGUSR1, on_signal);
        live(&t, how, ready[1]);
    }
    close(ready[1]);
    tap_int(read(ready[0], &x, 1), 1, "%s: the knobs are turned", name);
    close(ready[0]);
    pid_t keeper = sysfs_keeper(&t);
    if (how == KILL_KEEPER || how == KILL_BOTH) {
        tap_str(sysfs_read(&t, "cpufreq/policy0/scaling_governor"), "performance", "%s: turned",
                name);
        tap_ok(keeper > 0 && kill(keeper, SIGKILL) == 0 && soon(is_dead, &keeper),
               "%s: the keeper is killed", name);
    }
    if (how == KILL_KEEPER)
        kill(pid, SIGUSR1);
    if (how == KILL_US || how == KILL_BOTH)
        kill(pid, SIGKILL);
    if (how == HANG_UP)
        kill(pid, SIGHUP);
    waitpid(pid, &status, 0);
    tap_ok(!(WIFEXITED(status) && WEXITSTATUS(status)), "%s: it died as meant (%x)", name, status);

    struct knobs_left left = {0};
    struct err e = {0};
    if (how == KILL_BOTH) {
        tap_ok(knobs_left_behind(t.root, run_dir(&t), &left), "%s: it is noticed", name);
        tap_int(left.pid, pid, "%s: whose it was", name);
        tap_int(left.files, 9, "%s: four governors, four EPPs, the boost", name);
        tap_str(left.what, "governor powersave, EPP balance_performance, boost 0", "%s: what",
                name);
        struct rack *r = rack_new(t.root, run_dir(&t));
        tap_int(rack_set(r, KNOB_BOOST, "on", &e), -EEXIST, "%s: nothing is turned before: %s",
                name, e.text);
        rack_free(r);
        tap_int(knobs_repair(t.root, run_dir(&t), &e), 0, "%s: repaired %s", name, e.text);
    }
    tap_ok(soon(journal_is_gone, &t), "%s: the journal is gone", name);
    char *after = settings(&t, &laptop);
    tap_str(after, before, "%s: all as before", name);
    tap_ok(!knobs_left_behind(t.root, run_dir(&t), &left), "%s: nothing to repair", name);
    tap_int(knobs_repair(t.root, run_dir(&t), &e), -ENOENT, "%s: %s", name, e.text);
    free(after);
    free(before);
    sysfs_remove(&t);
}

/* Killed while the run goes on: the next change has a keeper again, that knows of the first. */
static void test_successor(void)
{
    struct sysfs t;
    struct err e = {0};
    int status;

    sysfs_make(&t, &server);
    char *before = settings(&t, &server);
    fflush(stdout);
    pid_t pid = fork();
    if (pid == 0) {
        struct rack *r = rack_new(t.root, run_dir(&t));
        if (rack_set(r, KNOB_GOVERNOR, "performance", &e) < 0)
            _exit(1);
        pid_t keeper = rack_keeper(r);
        kill(keeper, SIGKILL);
        if (!soon(is_dead, &keeper) || rack_set(r, KNOB_BOOST, "off", &e) < 0)
            _exit(2);
        if (rack_keeper(r) == keeper)
            _exit(3);
        kill(getpid(), SIGKILL);
    }
    waitpid(pid, &status, 0);
    tap_ok(WIFSIGNALED(status), "a keeper that is killed has a successor (%x)", status);
    tap_ok(soon(journal_is_gone, &t), "who does its work");
    char *after = settings(&t, &server);
    tap_str(after, before, "all of it");
    free(after);
    free(before);
    sysfs_remove(&t);
}

/* ---- journals that are not to be trusted ---- */

static void test_journals(void)
{
    static const struct {
        const char *name, *text;
        int rc;
    } rows[] = {
        {"of an earlier boot",
         "speedtest-hd journal 1\nboot 0000\npid 1\narmed 2\n1 x ROOT/sys/devices/system/cpu/a\n",
         -ENOENT},
        {"empty", "", -EBADMSG},
        {"of something else", "hello\n", -EBADMSG},
        {"cut short", "speedtest-hd journal 1\nboot BOOT\npid 1\n", -EBADMSG},
        {"cut in a line",
         "speedtest-hd journal 1\nboot BOOT\npid 1\narmed 2\n1 x ROOT/sys/devices/system/cpu/a",
         -EBADMSG},
        {"that wants elsewhere",
         "speedtest-hd journal 1\nboot BOOT\npid 1\narmed 2\n1 x ROOT/etc/passwd\n", -EBADMSG},
        {"that climbs",
         "speedtest-hd journal 1\nboot BOOT\npid 1\narmed 2\n"
         "1 x ROOT/sys/devices/system/cpu/../../../../etc/passwd\n",
         -EBADMSG},
        {"with a group that is none",
         "speedtest-hd journal 1\nboot BOOT\npid 1\narmed 2\n99 x ROOT/sys/devices/system/cpu/a\n",
         -EBADMSG},
        {"in order",
         "speedtest-hd journal 1\nboot BOOT\npid 1\narmed 2\n1 x ROOT/sys/devices/system/cpu/a\n",
         0},
    };
    struct sysfs t;

    sysfs_make(&t, &(struct sysfs_spec){.cpus = 1});
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct buf text = BUF_INIT;
        struct journal j;
        struct err e = {0};
        for (const char *c = rows[i].text; *c; c++) {
            if (strncmp(c, "ROOT", 4) == 0) {
                buf_adds(&text, t.root);
                c += 3;
            } else if (strncmp(c, "BOOT", 4) == 0) {
                buf_adds(&text, sysfs_read(&t, "/proc/sys/kernel/random/boot_id"));
                c += 3;
            } else {
                buf_addc(&text, *c);
            }
        }
        sysfs_write(&t, "/run/speedtest-hd/knobs.journal", text.data ? text.data : "");
        tap_int(journal_read(run_dir(&t), t.root, &j, &e), rows[i].rc, "a journal %s %s",
                rows[i].name, e.text);
        tap_int(there_is_a_journal(&t), rows[i].rc != -ENOENT, "a journal %s: kept or removed",
                rows[i].name);
        if (rows[i].rc == 0)
            journal_done(&j);
        buf_done(&text);
    }
    chmod(sysfs_path(&t, "/run/speedtest-hd/knobs.journal"), 0666);
    struct journal j;
    tap_int(journal_read(run_dir(&t), t.root, &j, NULL), -EPERM, "one that anybody could write");
    chmod(run_dir(&t), 0777);
    struct err e = {0};
    int lock;
    tap_int(journal_lock(run_dir(&t), t.root, &lock, &e), -EPERM, "%s", e.text);
    sysfs_remove(&t);
}

/* ---- the kernel's own limit ---- */

static int effective_limit(void)
{
    int fd = open("/dev/cpu_dma_latency", O_RDONLY | O_CLOEXEC);
    int32_t us = -1;

    if (fd >= 0 && read(fd, &us, sizeof(us)) != (ssize_t)sizeof(us))
        us = -1;
    if (fd >= 0)
        close(fd);
    return us;
}

#define OUR_LIMIT 13 /* nobody else asks for that */

static bool limit_is_gone(const void *unused)
{
    (void)unused;
    return effective_limit() != OUR_LIMIT;
}

static bool holds_limit(pid_t pid)
{
    char path[64], to[64];
    bool holds = false;

    for (int fd = 0; fd < 64; fd++) {
        snprintf(path, sizeof(path), "/proc/%d/fd/%d", (int)pid, fd);
        ssize_t n = readlink(path, to, sizeof(to) - 1);
        to[n > 0 ? n : 0] = '\0';
        holds |= strcmp(to, "/dev/cpu_dma_latency") == 0;
    }
    return holds;
}

static bool has_started(const void *pid)
{
    char path[64], name[32] = "";

    snprintf(path, sizeof(path), "/proc/%d/comm", (int)*(const pid_t *)pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd >= 0 && read(fd, name, sizeof(name) - 1) < 0)
        name[0] = '\0';
    if (fd >= 0)
        close(fd);
    return strncmp(name, "cat", 3) == 0;
}

/* A program that is started while the limit is on has no part in it. */
static void check_inheritance(void)
{
    int in[2];

    if (pipe2(in, O_CLOEXEC) < 0)
        return;
    fflush(stdout);
    pid_t pid = fork();
    if (pid == 0) {
        dup2(in[0], 0);
        execlp("cat", "cat", (char *)NULL);
        _exit(127);
    }
    tap_ok(soon(has_started, &pid), "a program is started");
    tap_ok(holds_limit(getpid()) && !holds_limit(pid), "we hold the limit, it does not");
    close(in[0]);
    close(in[1]);
    waitpid(pid, NULL, 0);
}

static void test_real_limit(void)
{
    struct err e = {0};
    int status, ready[2];
    char x;

    if (effective_limit() < 0) {
        tap_skip("/dev/cpu_dma_latency cannot be read: not root, or not there", "the real limit");
        return;
    }
    struct rack *r = rack_new("", "/nonexistent");
    tap_note("before: %d us", effective_limit());
    tap_int(rack_set(r, KNOB_LIMIT, "13", &e), 0, "13 us %s", e.text);
    tap_ok(effective_limit() <= OUR_LIMIT, "is in force: %d us", effective_limit());
    check_inheritance();
    tap_int(rack_set(r, KNOB_LIMIT, "off", &e), 0, "off %s", e.text);
    tap_ok(soon(limit_is_gone, NULL), "is off: %d us", effective_limit());
    rack_free(r);

    /* killed: the kernel takes it back */
    if (pipe2(ready, O_CLOEXEC) < 0)
        return;
    fflush(stdout);
    pid_t pid = fork();
    if (pid == 0) {
        r = rack_new("", "/nonexistent");
        if (rack_set(r, KNOB_LIMIT, "13", &e) < 0 || write(ready[1], "x", 1) != 1)
            _exit(1);
        for (;;)
            pause();
    }
    close(ready[1]);
    tap_int(read(ready[0], &x, 1), 1, "a process has set it");
    close(ready[0]);
    tap_ok(effective_limit() <= OUR_LIMIT, "in force while it lives: %d us", effective_limit());
    kill(pid, SIGKILL);
    waitpid(pid, &status, 0);
    tap_ok(soon(limit_is_gone, NULL), "gone with it: %d us", effective_limit());
}

int main(void)
{
    test_next();
    test_drift();
    test_limit_text();
    test_sentences();
    test_server();
    test_laptop();
    test_order();
    test_absent();
    test_refused();
    test_two();
    check_death("exit", EXIT);
    check_death("abort", ABORT);
    check_death("killed", KILL_US);
    check_death("hung up", HANG_UP);
    check_death("keeper killed", KILL_KEEPER);
    check_death("both killed", KILL_BOTH);
    check_death("freed", FREE);
    test_successor();
    test_journals();
    test_real_limit();
    return tap_done();
}
