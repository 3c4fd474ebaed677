/* SPDX-License-Identifier: GPL-3.0-or-later */
/* watching: any cell of any profile as a profile of its own, and runs that end by being stopped */
#include <math.h>
#include <string.h>

#include "fake-report.h"
#include "sthd/plan.h"
#include "sthd/run.h"
#include "tap.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define S        INT64_C(1000000000)

static void test_parse(void)
{
    static const struct {
        const char *word;
        const char *name; /* NULL: refused */
        unsigned threads, depth;
        enum direction direction;
        const char *says;
    } rows[] = {
        {"slog:T4", "SYNC4K T4", 4, 1, DIRECTION_WRITE, NULL},
        {"SLOG:t16", "SYNC4K T16", 16, 1, DIRECTION_WRITE, NULL},
        {"cdm:RND4K Q32T16:write", "RND4K Q32T16", 16, 32, DIRECTION_WRITE, NULL},
        {"cdm:rnd4k-q32t16", "RND4K Q32T16", 16, 32, DIRECTION_READ, NULL},
        {"cdm-nvme:seq128kq32t1:Read", "SEQ128K Q32T1", 1, 32, DIRECTION_READ, NULL},
        {"watch:SYNC4K T1", "SYNC4K T1", 1, 1, DIRECTION_WRITE, NULL},
        {"slog", NULL, 0, 0, 0, "PROFILE:TEST"},
        {"nonsense:T4", NULL, 0, 0, 0, "choose from cdm, slog"},
        {"slog:T2", NULL, 0, 0, 0, "it has T1, T4, T8, T16"},
        {"slog:T4:read", NULL, 0, 0, 0, "does not go in this direction"},
        {"slog:T4:", NULL, 0, 0, 0, "does not go in this direction"},
        {"dd:SEQ1M cached", NULL, 0, 0, 0, "only tests of fio"},
        {"slog:", NULL, 0, 0, 0, "no such test"},
        {":", NULL, 0, 0, 0, "no such profile"},
        {"", NULL, 0, 0, 0, "PROFILE:TEST"},
        {"\033[2J:\xff", NULL, 0, 0, 0, "no such profile"},
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        struct profile p;
        struct err e;
        err_clear(&e);
        int rc = profile_watch_parse(&p, rows[i].word, &e);
        if (!rows[i].name) {
            tap_ok(rc < 0 && e.exit_code == EXIT_CODE_USAGE && strstr(e.text, rows[i].says) &&
                       !strchr(e.text, '\033'),
                   "'%s' is refused: %s", i + 1 < COUNT(rows) ? rows[i].word : "(garbage)", e.text);
            continue;
        }
        if (!tap_int(rc, 0, "%s: %s", rows[i].word, e.text))
            continue;
        const struct test *t = &p.tests[0];
        tap_str(t->name, rows[i].name, "%s: the test", rows[i].word);
        tap_ok(t->threads == rows[i].threads && t->queue_depth == rows[i].depth &&
                   t->directions == 1u << rows[i].direction && !t->end_fsync && p.endless &&
                   p.view == VIEW_WATCH,
               "%s: its work, in one direction, without end", rows[i].word);
        tap_int(profile_check(&p, &e), 0, "%s: a sound profile", rows[i].word);
    }
}

/* Whatever can be watched makes a sound profile. */
static void test_all(void)
{
    unsigned watched = 0, sound = 0;
    struct err e = {0};

    for (size_t i = 0; i < profile_count(); i++)
        for (size_t t = 0; t < profile_at(i)->n_tests; t++)
            for (int d = 0; d < DIRECTION_COUNT; d++) {
                struct profile p;
                if (!profile_can_watch(profile_at(i), t, (enum direction)d))
                    continue;
                profile_watch(&p, profile_at(i), t, (enum direction)d);
                watched++;
                bool ok = profile_check(&p, &e) == 0;
                sound += ok;
                if (!ok)
                    tap_note("%s %s: %s", profile_at(i)->name, p.tests[0].name, e.text);
            }
    tap_ok(watched > 12 && sound == watched, "%u of %u cells make a sound profile", sound, watched);
}

/* The settings own what was made for them, and so does each copy. */
static void test_owned(void)
{
    struct settings a, b;
    struct profile made;

    settings_init(&a);
    settings_init(&b);
    tap_int(profile_watch_parse(&made, "slog:T8", NULL), 0, "made");
    settings_set_own_profile(&a, &made);
    settings_set_own_profile(&a, a.own_profile);
    settings_copy(&b, &a);
    tap_ok(b.profile != a.profile && b.profile == b.own_profile, "a copy has its own");
    settings_done(&a);
    tap_str(b.profile->tests[0].name, "SYNC4K T8", "which outlives the original's");
    b.profile = profile_find("slog");
    settings_copy(&a, &b);
    tap_ok(a.profile == b.profile && !a.own_profile, "one that is not in use is not copied");
    settings_done(&a);
    settings_done(&b);
}

static const struct {
    const char *what;
    bool runtime_given;
    uint64_t ios;
    enum step_outcome outcome;
    enum cell_state state;
    enum exit_code code;
    bool stopped;
} endings[] = {
    {"stopped: that is its end", false, 500, STEP_STOPPED, CELL_DONE, EXIT_CODE_OK, false},
    {"stopped before any I/O", false, 0, STEP_STOPPED, CELL_STOPPED, EXIT_CODE_STOPPED, true},
    {"failed", false, 500, STEP_FAILED, CELL_FAILED, EXIT_CODE_TEST_FAILED, true},
    {"a runtime was given, and it was stopped", true, 500, STEP_STOPPED, CELL_STOPPED,
     EXIT_CODE_STOPPED, true},
};

static void test_endings(void)
{
    for (size_t i = 0; i < COUNT(endings); i++) {
        struct settings s;
        struct capability c;
        struct plan p;
        struct run r;
        struct report report;
        struct fake_job job = {.ios = endings[i].ios,
                               .iops = 100,
                               .bw_bytes_per_s = 409600,
                               .p50_ns = 1e5,
                               .p99_ns = 2e5,
                               .runtime_ms = 5000};

        settings_init(&s);
        capability_init(&c);
        s.profile = profile_find("watch");
        s.runtime_given = endings[i].runtime_given;
        plan_build(&p, &s, &c, 500e6, NULL);
        run_init(&r, &p, S);
        run_step_begin(&r, 1, 2 * S);
        tap_ok(isinf(run_seconds_left(&r)) == !s.runtime_given, "%s: time left", endings[i].what);
        report_init(&report);
        fake_report(&report, DIRECTION_WRITE, 4096, &job, 1, 1700000000000);
        run_step_end(&r, endings[i].outcome, &report, NULL, 7 * S);
        run_end(&r, true, 7 * S);
        tap_int(run_cell(&r, 0, DIRECTION_WRITE)->state, endings[i].state, "%s: the cell",
                endings[i].what);
        tap_int(run_exit_code(&r), endings[i].code, "%s: exit code", endings[i].what);
        tap_int(r.stopped, endings[i].stopped, "%s: was it cut short?", endings[i].what);
        report_done(&report);
        run_done(&r);
        plan_done(&p);
        settings_done(&s);
    }
}

int main(void)
{
    test_parse();
    test_all();
    test_owned();
    test_endings();
    return tap_done();
}
