/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sweeps: which settings, in which order, and what their runs say */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "sthd/plan.h"
#include "sthd/run.h"
#include "sthd/sweep.h"
#include "tap.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static struct sweep sweep_of(size_t n, unsigned repeats)
{
    static const char *const words[] = {"schedutil", "performance", "powersave"};
    struct sweep s = {.knob = KNOB_GOVERNOR, .n = n, .repeats = repeats};

    for (size_t i = 0; i < n; i++)
        snprintf(s.settings[i], CPU_WORD, "%s", words[i]);
    return s;
}

static void test_choose(void)
{
    struct knob_panel p = {.known = true};
    struct cpu_state now = {.known = true, .n_governors = 1};
    struct knob_state *k = &p.knobs[KNOB_GOVERNOR];
    struct sweep s;
    struct err e;

    snprintf(k->choices[0], CPU_WORD, "performance");
    snprintf(k->choices[1], CPU_WORD, "schedutil");
    k->n_choices = 2;
    snprintf(now.governors[0].word, sizeof(now.governors[0].word), "schedutil");
    tap_int(sweep_choose(&s, &p, KNOB_GOVERNOR, &now, &e), 0, "a sweep of the governor");
    tap_ok(s.n == 2 && !strcmp(s.settings[0], "schedutil") && !strcmp(s.settings[1], "performance"),
           "begins with what the machine has");
    now.n_governors = 2;
    tap_int(sweep_choose(&s, &p, KNOB_GOVERNOR, &now, &e), 0, "mixed governors");
    tap_str(s.settings[0], "performance", "have no first: the kernel's order");
    tap_ok(sweep_choose(&s, &p, KNOB_BOOST, &now, &e) < 0 && strstr(e.text, "no settings") &&
               s.n == 0,
           "no such knob: %s", e.text);
    k->n_choices = 1;
    tap_ok(sweep_choose(&s, &p, KNOB_GOVERNOR, &now, &e) < 0 && strstr(e.text, "one setting"),
           "nothing to compare: %s", e.text);
    snprintf(k->problem, sizeof(k->problem), "needs root");
    tap_ok(sweep_choose(&s, &p, KNOB_GOVERNOR, &now, &e) < 0 && strstr(e.text, "needs root"),
           "cannot be turned: %s", e.text);
}

static void test_next(void)
{
    struct knob_panel p = {.known = true};
    struct sweep s = {0};

    tap_int(sweep_next(&s, &p), KNOB_COUNT, "no knob has settings: no sweep");
    p.knobs[KNOB_EPP].n_choices = 4;
    p.knobs[KNOB_BOOST].n_choices = 1;
    p.knobs[KNOB_LIMIT].n_choices = 4;
    tap_int(sweep_next(&s, &p), KNOB_EPP, "the first one that has settings");
    s = sweep_of(2, 1);
    s.knob = KNOB_EPP;
    tap_int(sweep_next(&s, &p), KNOB_LIMIT, "then the next one with more than one");
    snprintf(p.knobs[KNOB_LIMIT].problem, sizeof(p.knobs[0].problem), "needs root");
    tap_int(sweep_next(&s, &p), KNOB_COUNT, "not one that cannot be turned: none");
}

/* Each round has every setting once, and no setting is always the first of its round. */
static void test_order(void)
{
    struct sweep s = sweep_of(3, 4);
    struct buf order = BUF_INIT;

    for (unsigned i = 0; i < sweep_loops(&s); i++)
        buf_addf(&order, "%zu", sweep_setting(&s, i));
    tap_str(order.data, "012210012210", "there and back again");
    buf_done(&order);
    tap_near(sweep_odds(1), 2, 1e-9, "one run each: even odds");
    tap_near(sweep_odds(3), 20, 1e-9, "three: 1 in 20");
    tap_near(sweep_odds(5), 252, 1e-6, "five: 1 in 252");
}

static const struct {
    const char *what;
    size_t n_runs;
    double iops[6]; /* in the order of the runs: a b b a a b */
    double times;
    bool apart;
    size_t best;
} rows[] = {
    {"faster", 6, {100, 300, 310, 110, 105, 290}, 300.0 / 105, true, 1},
    {"slower", 6, {100, 30, 31, 110, 105, 29}, 30.0 / 105, true, 0},
    {"overlapping", 6, {100, 120, 90, 110, 105, 130}, 120.0 / 105, false, 0},
    {"touching", 6, {100, 110, 120, 110, 105, 130}, 120.0 / 105, false, 0},
    {"drift is no effect", 6, {100, 110, 120, 130, 140, 150}, 120.0 / 130, false, 0},
    {"stopped early, two each", 4, {100, 300, 310, 110}, 300.0 / 100, true, 1},
    {"one each proves nothing", 2, {100, 300}, 3, false, 0},
    {"the second was never run", 1, {100}, NAN, false, 0},
    {"nothing", 0, {0}, NAN, false, 0},
    {"a run without figures", 6, {100, 300, NAN, 110, 105, 290}, 290.0 / 105, true, 1},
};

static void test_compare(void)
{
    struct sweep s = sweep_of(2, 3);

    for (size_t i = 0; i < COUNT(rows); i++) {
        struct figures runs[6];
        struct sweep_row out[KNOB_CHOICES];
        for (size_t r = 0; r < rows[i].n_runs; r++)
            runs[r] = (struct figures){.iops = rows[i].iops[r],
                                       .p50_ns = 1e9 / rows[i].iops[r],
                                       .p99_ns = NAN,
                                       .bytes_per_s = rows[i].iops[r] * 4096};
        sweep_compare(&s, runs, rows[i].n_runs, out);
        if (isnan(rows[i].times))
            tap_ok(isnan(out[1].times), "%s: no factor", rows[i].what);
        else
            tap_near(out[1].times, rows[i].times, 1e-9, "%s: factor", rows[i].what);
        tap_int(out[1].apart, rows[i].apart, "%s: beyond the spread", rows[i].what);
        tap_int((long long)sweep_best(&s, out), (long long)rows[i].best, "%s: the best",
                rows[i].what);
        tap_ok(isnan(out[0].p99_ns), "%s: absent stays absent", rows[i].what);
    }
}

static void test_plan(void)
{
    struct settings s;
    struct capability c;
    struct plan p;
    struct err e;

    settings_init(&s);
    capability_init(&c);
    s.profile = profile_find("watch");
    s.sweep = sweep_of(3, SWEEP_REPEATS);
    tap_int(plan_build(&p, &s, &c, 500e6, &e), 0, "a sweep of what would run without end");
    tap_ok(!p.endless && p.n_steps == 1 + 9 && p.settings.loops == 9 && isfinite(p.seconds),
           "has an end: three runs under three settings");
    plan_done(&p);
    s.loops = 5;
    tap_int(plan_build(&p, &s, &c, 500e6, &e), 0, "--loops");
    tap_ok(p.settings.sweep.repeats == 5 && p.settings.loops == 15, "are its repeats");
    plan_done(&p);
    s.loops = 50;
    tap_ok(plan_build(&p, &s, &c, 500e6, &e) < 0 && strstr(e.text, "too many"), "%s", e.text);
    settings_done(&s);
}

static void test_words(void)
{
    enum knob k;
    struct err e;
    struct buf text = BUF_INIT;
    struct sweep s = {.knob = KNOB_LIMIT, .settings = {"off", "20"}, .n = 2};
    char label[64];

    for (int i = 0; i < KNOB_COUNT; i++)
        tap_ok(sweep_parse(knob_option((enum knob)i), &k, &e) == 0 && k == (enum knob)i,
               "--sweep %s", knob_option((enum knob)i));
    tap_ok(sweep_parse("\033[2Jx", &k, &e) < 0 && !strchr(e.text, '\033'), "%s", e.text);
    sweep_label(&s, 0, label, sizeof(label));
    tap_str(label, "off", "no limit");
    sweep_label(&s, 1, label, sizeof(label));
    tap_str(label, "20 us", "a limit has a unit");
    sweep_advice(KNOB_LIMIT, "20", &text);
    tap_ok(strstr(text.data, "printf \"\\024\\000\\000\\000\""),
           "four bytes for the kernel: it takes text as hexadecimal");
    tap_ok(strstr(text.data, "Post Init") && strstr(text.data, "WantedBy="),
           "for TrueNAS, and for systemd");
    buf_clear(&text);
    sweep_advice(KNOB_GOVERNOR, "performance", &text);
    tap_ok(strstr(text.data, "echo performance | tee /sys/devices/system/cpu/cpufreq/policy*/") &&
               strstr(text.data, "tuned-adm"),
           "the governor");
    buf_done(&text);
}

int main(void)
{
    test_choose();
    test_next();
    test_order();
    test_compare();
    test_plan();
    test_words();
    return tap_done();
}
