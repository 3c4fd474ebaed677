/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plans: steps and their order, who decides on engine and mode, estimates */
#include <string.h>

#include "sthd/plan.h"
#include "tap.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define RATE     500e6

static struct capability all_works(void)
{
    struct capability c;

    capability_init(&c);
    c.probed = true;
    for (int i = 0; i < ENGINE_COUNT; i++)
        c.engine_usable[i] = true;
    return c;
}

static void settings_for(struct settings *s, const char *profile)
{
    settings_init(s);
    s->profile = profile_find(profile);
}

static void test_steps(void)
{
    static const struct {
        const char *profile;
        size_t n;
        struct {
            size_t test;
            enum direction d;
            bool end_fsync, sync, direct;
            enum engine engine;
        } steps[8];
    } rows[] = {
        {"cdm",
         8,
         {{0, DIRECTION_READ, false, false, true, ENGINE_IO_URING},
          {0, DIRECTION_WRITE, true, false, true, ENGINE_IO_URING},
          {1, DIRECTION_READ, false, false, true, ENGINE_IO_URING},
          {1, DIRECTION_WRITE, true, false, true, ENGINE_IO_URING},
          {2, DIRECTION_READ, false, false, true, ENGINE_IO_URING},
          {2, DIRECTION_WRITE, true, false, true, ENGINE_IO_URING},
          {3, DIRECTION_READ, false, false, true, ENGINE_IO_URING},
          {3, DIRECTION_WRITE, true, false, true, ENGINE_IO_URING}}},
        {"slog",
         4,
         {{0, DIRECTION_WRITE, false, true, false, ENGINE_PSYNC},
          {1, DIRECTION_WRITE, false, true, false, ENGINE_PSYNC},
          {2, DIRECTION_WRITE, false, true, false, ENGINE_PSYNC},
          {3, DIRECTION_WRITE, false, true, false, ENGINE_PSYNC}}},
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        struct settings s;
        struct plan p;
        struct capability c = all_works();
        settings_for(&s, rows[i].profile);
        tap_int(plan_build(&p, &s, &c, RATE, NULL), 0, "%s is planned", rows[i].profile);
        tap_int((long long)p.n_steps, (long long)rows[i].n + 1, "%s: steps", rows[i].profile);
        const struct step *prepare = &p.steps[0];
        tap_ok(prepare->kind == STEP_PREPARE && prepare->direction == DIRECTION_WRITE &&
                   prepare->pattern == PATTERN_SEQ && prepare->size_bytes == s.size_bytes &&
                   prepare->runtime_s == 0 && prepare->engine == ENGINE_IO_URING &&
                   prepare->direct && !prepare->sync && prepare->end_fsync,
               "%s: the preparation comes first, writes all, and is not O_SYNC", rows[i].profile);
        for (size_t j = 0; j < rows[i].n && j + 1 < p.n_steps; j++) {
            const struct step *is = &p.steps[j + 1];
            const struct test *t = &s.profile->tests[rows[i].steps[j].test];
            tap_ok(is->kind == STEP_MEASURE && is->test == rows[i].steps[j].test &&
                       is->direction == rows[i].steps[j].d &&
                       is->end_fsync == rows[i].steps[j].end_fsync &&
                       is->sync == rows[i].steps[j].sync && is->direct == rows[i].steps[j].direct &&
                       is->engine == rows[i].steps[j].engine && is->pattern == t->pattern &&
                       is->block_bytes == t->block_bytes && is->queue_depth == t->queue_depth &&
                       is->threads == t->threads && is->runtime_s == s.runtime_s &&
                       is->size_bytes == s.size_bytes,
                   "%s step %zu", rows[i].profile, j + 1);
        }
        tap_ok(p.notes.n == 0 && !p.fell_back, "%s: nothing to note", rows[i].profile);
        plan_done(&p);
        settings_done(&s);
    }
}

/* What the user chose, what works, what comes of it. */
static void test_decisions(void)
{
    static const struct {
        const char *what, *profile;
        enum engine engine;
        enum io_mode io;
        enum engine auto_engine, broken; /* broken: ENGINE_AUTO for none */
        bool direct_works, probed;
        enum engine want; /* of the last step */
        bool direct;
        bool fell_back;
        unsigned depth; /* of step 1 */
        const char *note;
        const char *error; /* NULL: is planned */
    } rows[] = {
        {"auto", "cdm", ENGINE_AUTO, IO_AUTO, ENGINE_LIBAIO, ENGINE_AUTO, true, true, ENGINE_LIBAIO,
         true, false, 8, NULL, NULL},
        {"the user's engine and mode", "cdm", ENGINE_POSIXAIO, IO_BUFFERED, ENGINE_LIBAIO,
         ENGINE_AUTO, true, true, ENGINE_POSIXAIO, false, false, 8, NULL, NULL},
        {"buffered, auto is not libaio", "cdm", ENGINE_AUTO, IO_BUFFERED, ENGINE_LIBAIO,
         ENGINE_AUTO, true, true, ENGINE_POSIXAIO, false, false, 8, NULL, NULL},
        {"buffered, auto is what works of the rest", "cdm", ENGINE_AUTO, IO_BUFFERED, ENGINE_LIBAIO,
         ENGINE_POSIXAIO, true, true, ENGINE_SYNC, false, false, 1, "one request in flight", NULL},
        {"not probed and buffered", "cdm", ENGINE_AUTO, IO_BUFFERED, ENGINE_LIBAIO, ENGINE_AUTO,
         true, false, ENGINE_POSIXAIO, false, false, 8, NULL, NULL},
        {"buffered libaio by choice", "cdm", ENGINE_LIBAIO, IO_BUFFERED, ENGINE_IO_URING,
         ENGINE_AUTO, true, true, ENGINE_LIBAIO, false, false, 8, "asynchronous only with direct",
         NULL},
        {"auto falls back, and says it", "cdm", ENGINE_AUTO, IO_AUTO, ENGINE_IO_URING, ENGINE_AUTO,
         false, true, ENGINE_IO_URING, false, true, 8, NULL, NULL},
        {"buffered by choice is no fallback", "cdm", ENGINE_AUTO, IO_BUFFERED, ENGINE_IO_URING,
         ENGINE_AUTO, false, true, ENGINE_IO_URING, false, false, 8, NULL, NULL},
        {"depth without meaning", "cdm", ENGINE_PSYNC, IO_AUTO, ENGINE_IO_URING, ENGINE_AUTO, true,
         true, ENGINE_PSYNC, true, false, 1, "one request in flight", NULL},
        {"prescribed engine over the user's", "slog", ENGINE_LIBAIO, IO_AUTO, ENGINE_IO_URING,
         ENGINE_AUTO, true, true, ENGINE_PSYNC, false, false, 1, "libaio is not used", NULL},
        {"prescribed mode over the user's", "slog", ENGINE_AUTO, IO_DIRECT, ENGINE_IO_URING,
         ENGINE_AUTO, true, true, ENGINE_PSYNC, false, false, 1, "direct I/O is not used", NULL},
        {"agreeing with what is prescribed", "slog", ENGINE_PSYNC, IO_BUFFERED, ENGINE_IO_URING,
         ENGINE_AUTO, true, true, ENGINE_PSYNC, false, false, 1, NULL, NULL},
        {"a prescribed mode is no fallback", "slog", ENGINE_AUTO, IO_AUTO, ENGINE_IO_URING,
         ENGINE_AUTO, false, true, ENGINE_PSYNC, false, false, 1, NULL, NULL},
        {"the user's engine does not work", "cdm", ENGINE_LIBAIO, IO_AUTO, ENGINE_IO_URING,
         ENGINE_LIBAIO, true, true, 0, 0, 0, 0, NULL, "engine libaio does not work here (because)"},
        {"not probed: believed", "cdm", ENGINE_LIBAIO, IO_DIRECT, ENGINE_IO_URING, ENGINE_LIBAIO,
         false, false, ENGINE_LIBAIO, true, false, 8, NULL, NULL},
        {"the user's direct does not work", "cdm", ENGINE_AUTO, IO_DIRECT, ENGINE_IO_URING,
         ENGINE_AUTO, false, true, 0, 0, 0, 0, NULL, "direct I/O does not work here"},
        {"a prescribed engine does not work", "slog", ENGINE_AUTO, IO_AUTO, ENGINE_IO_URING,
         ENGINE_PSYNC, true, true, 0, 0, 0, 0, NULL, "test T1 needs engine psync"},
        {"nothing works", "cdm", ENGINE_AUTO, IO_AUTO, ENGINE_AUTO, ENGINE_AUTO, true, true, 0, 0,
         0, 0, NULL, "none of fio's engines"},
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        struct settings s;
        struct plan p;
        struct capability c = all_works();
        struct err e;
        settings_for(&s, rows[i].profile);
        err_clear(&e);
        s.engine = rows[i].engine;
        s.io = rows[i].io;
        c.probed = rows[i].probed;
        c.auto_engine = rows[i].auto_engine;
        c.direct_works = rows[i].direct_works;
        if (rows[i].broken != ENGINE_AUTO) {
            c.engine_usable[rows[i].broken] = false;
            strcpy(c.engine_reason[rows[i].broken], "because");
        }
        int rc = plan_build(&p, &s, &c, RATE, &e);
        if (rows[i].error) {
            tap_ok(rc < 0 && e.exit_code == EXIT_CODE_USAGE && strstr(e.text, rows[i].error) &&
                       p.n_steps == 0,
                   "%s: %s", rows[i].what, e.text);
        } else if (tap_int(rc, 0, "%s %s", rows[i].what, e.text)) {
            const struct step *last = &p.steps[p.n_steps - 1];
            tap_ok(last->engine == rows[i].want && last->direct == rows[i].direct &&
                       p.fell_back == rows[i].fell_back && p.steps[1].queue_depth == rows[i].depth,
                   "%s: %s, %s", rows[i].what, engine_name(last->engine),
                   last->direct ? "direct" : "buffered");
            if (rows[i].note)
                tap_ok(p.notes.n == 1 && strstr(p.notes.items[0], rows[i].note), "%s: %s",
                       rows[i].what, p.notes.n ? p.notes.items[0] : "no note");
            else
                tap_int((long long)p.notes.n, 0, "%s: no note", rows[i].what);
        }
        plan_done(&p);
        settings_done(&s);
    }
}

static void test_estimates(void)
{
    struct settings s;
    struct capability c = all_works();
    struct plan p;
    struct buf b = BUF_INIT;

    settings_for(&s, "slog");
    plan_build(&p, &s, &c, 400e6, NULL);
    tap_near(p.prepare_s, 1073741824 / 400e6 + 0.3, 1e-9, "preparation: size by rate");
    tap_near(p.seconds, p.prepare_s + 4 * 5.3, 1e-9, "slog: preparation and runtimes");
    tap_near((double)p.bytes_written, 1073741824 + 400e6 * 20, 1, "slog: all of it may write");
    tap_int((long long)p.bytes_written_min, 1 << 30, "the preparation is sure to be written");
    tap_int((long long)p.bytes_needed, 1 << 30, "the file is what it takes");
    plan_describe(&p, &b);
    tap_str(b.data, "prepare 1 GiB, then 4 tests x 5 s: about 24 s, writes up to 8.5 GiB",
            "in a sentence");
    buf_done(&b);
    double sum = 0;
    for (size_t i = 0; i < p.n_steps; i++)
        sum += plan_step_seconds(&p, i);
    tap_near(sum, p.seconds, 1e-9, "the steps are the whole");
    plan_done(&p);

    s.profile = profile_find("cdm");
    plan_build(&p, &s, &c, 400e6, NULL);
    tap_near((double)p.bytes_written, 1073741824 + 400e6 * 20, 1, "cdm: reads write nothing");
    plan_done(&p);

    s.runtime_s = SETTINGS_RUNTIME_MAX;
    plan_build(&p, &s, &c, 1e18, NULL);
    tap_ok(p.bytes_written <= 1ull << 63, "an absurd rate does not overflow");
    plan_done(&p);

    s.runtime_s = 5;
    s.size_bytes = 1395864371; /* 1.3 GiB as typed */
    plan_build(&p, &s, &c, 400e6, NULL);
    tap_ok(p.settings.size_bytes == 1331ull << 20 && p.steps[0].size_bytes == 1331ull << 20 &&
               p.bytes_needed == 1331ull << 20,
           "a size is rounded down to whole blocks");
    plan_done(&p);
    s.size_bytes = 1;
    struct err e;
    tap_ok(plan_build(&p, &s, &c, 400e6, &e) < 0 && strstr(e.text, "--size"),
           "settings that cannot be are no plan: %s", e.text);
    plan_done(&p);
    settings_done(&s);
}

/* A row that prescribes buffered I/O in a profile that is direct otherwise. */
static void test_auto_per_test(void)
{
    struct profile mixed = *profile_find("cdm");
    struct settings s;
    struct capability c = all_works();
    struct plan p;
    struct err e;

    mixed.tests[3].io = IO_BUFFERED;
    settings_init(&s);
    s.profile = &mixed;
    c.auto_engine = ENGINE_LIBAIO;
    err_clear(&e);
    if (tap_int(plan_build(&p, &s, &c, RATE, &e), 0, "a buffered row: planned %s", e.text)) {
        tap_ok(p.steps[1].engine == ENGINE_LIBAIO && p.steps[1].direct, "direct rows by libaio");
        tap_ok(p.steps[p.n_steps - 1].engine == ENGINE_POSIXAIO && !p.steps[p.n_steps - 1].direct,
               "the buffered one by %s", engine_name(p.steps[p.n_steps - 1].engine));
        tap_int((long long)p.notes.n, 0, "nothing was chosen, so there is nothing to note");
    }
    plan_done(&p);
    settings_done(&s);
}

int main(void)
{
    test_steps();
    test_decisions();
    test_estimates();
    test_auto_per_test();
    return tap_done();
}
