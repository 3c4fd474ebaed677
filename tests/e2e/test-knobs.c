/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Knobs turned by keys and by options, in the real program with the real fio: the strip shows them,
 * the result has them, and everything is as before when it is over, whatever ended it.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "e2e.h"
#include "sthd/buf.h"
#include "sthd/err.h"
#include "sthd/mem.h"
#include "sysfs.h"
#include "tap.h"

#define SHOWN_MS 10000
#define START_MS 30000
#define RUN_MS   120000

static const struct vt_spec wide = {.rows = 30, .cols = 110};

/* ---- the latency limit of the kernel ---- */

static int effective_limit(void)
{
    int fd = open("/dev/cpu_dma_latency", O_RDONLY | O_CLOEXEC);
    int us = -1;

    if (fd >= 0 && read(fd, &us, sizeof(us)) != (ssize_t)sizeof(us))
        us = -1;
    if (fd >= 0)
        close(fd);
    return us;
}

static bool limit_is_not_0(struct vt *v, void *arg)
{
    (void)v;
    (void)arg;
    return effective_limit() != 0;
}

static int holders(pid_t pid)
{
    char path[64], to[64];
    int n = 0;

    for (int fd = 0; fd < 256; fd++) {
        snprintf(path, sizeof(path), "/proc/%d/fd/%d", (int)pid, fd);
        ssize_t len = readlink(path, to, sizeof(to) - 1);
        to[len > 0 ? len : 0] = '\0';
        n += strcmp(to, "/dev/cpu_dma_latency") == 0;
    }
    return n;
}

static struct vt *open_run(const char *sysroot, const char *dir)
{
    const char *env[] = {sysroot ? e2e_text("STHD_SYSROOT=%s", sysroot) : "STHD_SYSROOT", NULL};
    struct vt_spec spec = wide;
    const char *argv[] = {e2e_program(), "--profile", "slog",   "--size", "16m",
                          "--runtime",   "60",        "--json", dir,      NULL};

    spec.env = env;
    return vt_start(&spec, argv);
}

/* Stops the run, and leaves when it has stopped. */
static void leave(struct vt *v)
{
    int status;

    e2e_press_quit(v);
    tap_ok(vt_wait_exit(v, &status, START_MS), "q and y leave");
}

static void test_limit(void)
{
    const char *dir = e2e_dir();
    struct e2e_watch w;

    if (effective_limit() < 0) {
        tap_skip("/dev/cpu_dma_latency cannot be read: not root, or not there", "latency limit");
        return;
    }
    struct vt *v = open_run(NULL, dir);
    e2e_press_start(v);
    tap_ok(e2e_watch(&w, dir, vt_pid(v), v, NULL, START_MS), "fio runs");
    tap_ok(vt_wait_text(v, "step 2 of", START_MS), "the first test begins");
    tap_ok(vt_wait_match(v, "^ CPU .*limit ", SHOWN_MS), "the strip is there");
    int before = effective_limit();
    vt_keys(v, "g");
    tap_ok(vt_wait_match(v, "l latency limit .*next: 0 us", SHOWN_MS), "g opens the knobs");
    vt_keys(v, "l");
    tap_ok(vt_wait_match(v, "^ CPU .*limit 0 us", SHOWN_MS), "the strip shows the limit");
    tap_int(effective_limit(), 0, "it is in force");
    tap_int(holders(vt_pid(v)), 2, "the program holds it, and a descriptor to read it");
    pid_t fio = e2e_watch_fio(&w);
    for (size_t i = 0; i < w.n; i++) /* of the preparation; the test's is a new one */
        if (w.ids[i].pid != vt_pid(v))
            tap_int(holders(w.ids[i].pid), 0, "process %d does not", (int)w.ids[i].pid);
    tap_ok(e2e_watch(&w, dir, vt_pid(v), v, NULL, SHOWN_MS) && (fio = e2e_watch_fio(&w)) > 0,
           "fio goes on");
    tap_int(holders(fio), 0, "fio does not hold it");
    for (int i = 0; i < 3; i++) { /* 1, 20, off */
        vt_keys(v, "l");
        tap_ok(vt_wait_match(v,
                             i == 0   ? "^ CPU .*limit 1 us"
                             : i == 1 ? "^ CPU .*limit 20 us"
                                      : "latency limit .*next: 0 us",
                             SHOWN_MS),
               "turned on, %d", i);
    }
    tap_ok(vt_wait(v, limit_is_not_0, NULL, SHOWN_MS), "off: %d us again, before %d us",
           effective_limit(), before);
    vt_keys(v, "l");
    tap_ok(vt_wait_match(v, "^ CPU .*limit 0 us", SHOWN_MS), "and on once more");
    vt_keys(v, "q");
    tap_ok(vt_wait_gone(v, "next: ", SHOWN_MS), "q closes the knobs and not the program");
    leave(v);
    tap_ok(limit_is_not_0(v, NULL) || vt_wait(v, limit_is_not_0, NULL, SHOWN_MS),
           "when it is gone, so is the limit");
    const char *json = vt_raw(v);
    tap_ok(strstr(json, "\"mark\": \"limit 0 us\"") != NULL, "the result has the mark");
    tap_ok(strstr(json, "\"mark\": \"limit off\"") != NULL, "and the one of its end");
    tap_ok(strstr(json, "\"limit_ns\": 0") != NULL, "and the limit");
    e2e_check_nothing_left(&w, "limit", 10000);
    vt_free(v);
}

/* ---- governors on a tree of files ---- */

static const char *const idle[] = {"POLL", "C1", "C6", NULL};
static const struct sysfs_spec server = {.cpus = 8,
                                         .cpus_per_policy = 1,
                                         .driver = "amd-pstate-epp",
                                         .governors = "performance powersave",
                                         .governor = "powersave",
                                         .other_governor = "performance",
                                         .epp = "balance_performance",
                                         .boost = "1",
                                         .idle = idle};

static void copy_proc(const struct sysfs *t, const char *path)
{
    struct buf text = BUF_INIT;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n;

    buf_adds(&text, "");
    do {
        buf_reserve(&text, 65536);
        n = fd < 0 ? 0 : read(fd, text.data + text.len, text.cap - text.len - 1);
        text.len += n > 0 ? (size_t)n : 0;
        text.data[text.len] = '\0';
    } while (n > 0);
    if (fd >= 0)
        close(fd);
    sysfs_write(t, path, text.data);
    buf_done(&text);
}

/* This machine, but for its processors. */
static void make_server(struct sysfs *t)
{
    sysfs_make(t, &server);
    copy_proc(t, "/proc/self/mountinfo");
    copy_proc(t, "/proc/meminfo");
}

/* The target is in the tree, too, and so is what is written. */
static const char *dir_in(const struct sysfs *t, const char *dir)
{
    sysfs_write(t, e2e_text("%s/there", dir), "");
    unlink(e2e_text("%s%s/there", t->root, dir)); /* it was for the directories on its way */
    return dir;
}

static char *settings(const struct sysfs *t)
{
    struct buf all = BUF_INIT;
    char path[96];

    for (unsigned p = 0; p < server.cpus; p++) {
        snprintf(path, sizeof(path), "cpufreq/policy%u/scaling_governor", p);
        buf_addf(&all, "%s", sysfs_read(t, path));
        snprintf(path, sizeof(path), "cpufreq/policy%u/energy_performance_preference", p);
        buf_addf(&all, " %s; ", sysfs_read(t, path));
    }
    buf_addf(&all, "boost %s", sysfs_read(t, "cpufreq/boost"));
    return buf_steal(&all);
}

struct tree_is {
    const struct sysfs *tree;
    const char *settings;
};

static bool is_as_before(struct vt *v, void *arg)
{
    const struct tree_is *want = arg;
    char *now = settings(want->tree);
    bool same = strcmp(now, want->settings) == 0;

    (void)v;
    free(now);
    return same;
}

enum end { LEAVE, KILL, KILL_BOTH, HANG_UP };

static void check_governors(const char *what, enum end end)
{
    const char *dir = e2e_dir();
    struct sysfs t;
    struct e2e_watch w;
    int status;

    make_server(&t);
    dir_in(&t, dir);
    char *before = settings(&t);
    struct tree_is as_before = {&t, before};
    struct vt *v = open_run(t.root, dir);
    tap_ok(vt_wait_match(v, " g CPU .*powersave x7, performance x1 .*busy", SHOWN_MS),
           "%s: the setup screen has the strip", what);
    e2e_press_start(v);
    tap_ok(vt_wait_text(v, "step 2 of", START_MS), "%s: the first test begins", what);
    tap_ok(e2e_watch(&w, e2e_text("%s%s", t.root, dir), vt_pid(v), v, NULL, START_MS),
           "%s: fio runs", what);
    vt_keys(v, "g");
    tap_ok(vt_wait_match(v, "b boost .*next: off", SHOWN_MS), "%s: the knobs are open", what);
    vt_keys(v, "g");
    tap_ok(vt_wait_match(v, "^ CPU +performance x8", SHOWN_MS), "%s: all on performance", what);
    tap_ok(vt_shows(v, "(was powersave x7, performance x1)"), "%s: and what it was", what);
    vt_keys(v, "b");
    tap_ok(vt_wait_match(v, "^ CPU .*boost off", SHOWN_MS), "%s: boost off", what);
    if (end == LEAVE) { /* something else interferes */
        sysfs_write(&t, "cpufreq/policy2/scaling_governor", "powersave\n");
        tap_ok(vt_wait_text(v, "something else changed the governor", SHOWN_MS), "drift is told");
    }
    pid_t keeper = sysfs_keeper(&t);
    switch (end) {
    case LEAVE:
        vt_keys(v, "q");
        tap_ok(vt_wait_gone(v, "next: ", SHOWN_MS), "%s: q closes the knobs", what);
        leave(v);
        tap_ok(strstr(vt_raw(v), "\"mark\": \"governor performance\"") != NULL, "%s: marked", what);
        tap_ok(strstr(vt_raw(v), "\"mark\": \"governor drifted\"") != NULL, "%s: drift too", what);
        break;
    case KILL_BOTH:
        tap_ok(keeper > 0 && kill(keeper, SIGKILL) == 0, "%s: there is a keeper", what);
        vt_signal(v, SIGKILL);
        break;
    case KILL:
        vt_signal(v, SIGKILL);
        break;
    case HANG_UP:
        vt_hangup(v);
        break;
    }
    if (end != LEAVE)
        tap_ok(vt_wait_exit(v, &status, START_MS), "%s: it ends", what);
    if (end == KILL_BOTH) {
        vt_free(v);
        tap_ok(!is_as_before(NULL, &as_before), "%s: nothing was turned back", what);
        v = open_run(t.root, dir);
        tap_ok(vt_wait_text(v, "Set this computer back as it was?", SHOWN_MS),
               "%s: the next start asks", what);
        tap_ok(vt_shows(v, "17 files are to be set back"), "%s: and says what", what);
        vt_keys(v, "y");
        tap_ok(vt_wait_text(v, "is set back", SHOWN_MS), "%s: it does it", what);
        vt_keys(v, "q");
        tap_ok(vt_wait_exit(v, &status, SHOWN_MS), "%s: it leaves", what);
    }
    tap_ok(vt_wait(v, is_as_before, &as_before, SHOWN_MS), "%s: all as before", what);
    e2e_check_nothing_left(&w, what, 10000);
    free(before);
    vt_free(v);
    sysfs_remove(&t);
}

/* ---- text mode ---- */

static struct plain *run_text(const struct sysfs *t, const char *option, const char *value)
{
    const char *env[] = {e2e_text("STHD_SYSROOT=%s", t->root), NULL};
    const char *argv[] = {
        e2e_program(), "--text", "--yes", "--json", "--profile",          "slog", "--size", "16m",
        "--runtime",   "1",      option,  value,    dir_in(t, e2e_dir()), NULL};
    struct plain_spec spec = {.env = env};

    return plain_run(&spec, argv, RUN_MS);
}

static void test_text(void)
{
    struct sysfs t;
    make_server(&t);
    char *before = settings(&t);
    struct tree_is as_before = {&t, before};
    struct plain *p = run_text(&t, "--governor", "performance");
    tap_int(plain_exit_code(p), 0, "with all its tests: %s", plain_err(p));
    tap_ok(strstr(plain_out(p), "\"value\": \"performance\", \"cpus\": 8") != NULL,
           "measured with performance everywhere");
    tap_ok(is_as_before(NULL, &as_before), "and turned back");
    plain_free(p);

    p = run_text(&t, "--latency-limit", "20");
    tap_ok(strstr(plain_out(p), "\"limit_ns\": 20000") != NULL, "measured with a limit");
    tap_int(sysfs_limit(&t), 2000000000, "which is gone");
    plain_free(p);

    sysfs_write(&t, "/run/speedtest-hd/knobs.journal",
                e2e_text("speedtest-hd journal 1\nboot %s\npid 1\narmed 2\n"
                         "1 powersave %s\n",
                         sysfs_read(&t, "/proc/sys/kernel/random/boot_id"),
                         sysfs_path(&t, "cpufreq/policy7/scaling_governor")));
    p = run_text(&t, "--governor", "performance");
    tap_ok(plain_exit_code(p) > 0, "what a killed run left is repaired first");
    tap_ok(strstr(plain_err(p), "--repair-knobs") != NULL, "and it says how: %s", plain_err(p));
    plain_free(p);
    p = run_text(&t, "--repair-knobs", "--yes");
    tap_int(plain_exit_code(p), 0, "--repair-knobs succeeds");
    tap_ok(strstr(plain_out(p), "governor powersave (1 files)") != NULL, "says what: %s",
           plain_out(p));
    tap_str(sysfs_read(&t, "cpufreq/policy7/scaling_governor"), "powersave", "and does it");
    plain_free(p);
    free(before);
    sysfs_remove(&t);
}

/* ---- a sweep ---- */

static struct plain *run_sweep(const char *sysroot, const char *dir, const char *knob)
{
    const char *env[] = {sysroot ? e2e_text("STHD_SYSROOT=%s", sysroot) : "STHD_SYSROOT", NULL};
    const char *argv[] = {e2e_program(), "--text", "--yes",   "--json", "--profile", "cdm-demo",
                          "--only",      "write",  "--size",  "16m",    "--runtime", "1",
                          "--loops",     "1",      "--sweep", knob,     dir,         NULL};
    struct plain_spec spec = {.env = env};

    return plain_run(&spec, argv, RUN_MS);
}

static int count(const char *text, const char *what)
{
    int n = 0;

    for (const char *at = text; (at = strstr(at, what)); at += strlen(what))
        n++;
    return n;
}

/* Not how large the effect is: that every setting was measured, in turn, and is turned back. */
static void test_sweep(void)
{
    struct sysfs t;
    make_server(&t);
    char *before = settings(&t);
    struct tree_is as_before = {&t, before};
    struct plain *p = run_sweep(t.root, dir_in(&t, e2e_dir()), "governor");
    tap_int(plain_exit_code(p), 0, "a sweep of the governor: %s", plain_err(p));
    tap_ok(strstr(plain_out(p), "\"knob\": \"governor\"") != NULL, "is in the result");
    tap_int(count(plain_out(p), "\"setting\": \"performance\""), 1, "performance");
    tap_int(count(plain_out(p), "\"setting\": \"powersave\""), 1, "powersave");
    tap_int(count(plain_out(p), "\"mark\": \"governor performance\"") +
                count(plain_out(p), "\"mark\": \"governor powersave\""),
            0, "between the tests: no marks in them");
    tap_ok(is_as_before(NULL, &as_before), "and turned back");
    plain_free(p);

    p = run_sweep(t.root, dir_in(&t, e2e_dir()), "qos");
    tap_int(plain_exit_code(p), 0, "a sweep of the latency limit: %s", plain_err(p));
    tap_int(sysfs_limit(&t), 2000000000, "which is off again");
    plain_free(p);

    /* One setting is no choice: said before anything is started. */
    for (unsigned i = 0; i < server.cpus; i++)
        sysfs_write(&t, e2e_text("cpufreq/policy%u/scaling_available_governors", i),
                    "performance\n");
    p = run_sweep(t.root, dir_in(&t, e2e_dir()), "governor");
    tap_ok(plain_exit_code(p) > 0 && strstr(plain_err(p), "one setting") != NULL,
           "nothing to compare is told: %s", plain_err(p));
    tap_str(plain_out(p), "", "and nothing measured");
    plain_free(p);
    free(before);
    sysfs_remove(&t);
}

/* The real file of the kernel. */
static void test_sweep_limit(void)
{
    if (effective_limit() < 0) {
        tap_skip("no /dev/cpu_dma_latency to be opened here", "a sweep of the kernel's limit");
        return;
    }
    int before = effective_limit();
    struct plain *p = run_sweep(NULL, e2e_dir(), "qos");
    tap_int(plain_exit_code(p), 0, "a sweep of the kernel's limit: %s", plain_err(p));
    tap_ok(strstr(plain_out(p), "\"limit_ns\": 0,") != NULL ||
               strstr(plain_out(p), "\"setting\": \"0\"") != NULL,
           "0 us was measured");
    tap_int(effective_limit(), before, "and the limit is as before");
    plain_free(p);
}

int main(void)
{
    e2e_begin();
    if (!e2e_have_fio()) {
        tap_skip("no fio here", "knobs");
        return e2e_done();
    }
    test_text();
    test_sweep();
    test_sweep_limit();
    test_limit();
    check_governors("left", LEAVE);
    check_governors("killed", KILL);
    check_governors("hung up", HANG_UP);
    check_governors("killed with its keeper", KILL_BOTH);
    return e2e_done();
}
