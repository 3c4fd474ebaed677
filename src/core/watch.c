/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Any one cell of any profile, as a profile that runs until it is stopped; see profile.h. */
#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "sthd/buf.h"
#include "sthd/profile.h"
#include "sthd/text.h"

bool profile_can_watch(const struct profile *p, size_t test, enum direction d)
{
    const struct test *t = &p->tests[test];

    return t->tool == TOOL_FIO && !t->whole_file && !t->io_bytes && t->work == WORK_DATA &&
           !p->unprepared && !p->foreign && (t->directions & 1u << d);
}

void profile_watch(struct profile *out, const struct profile *of, size_t test, enum direction d)
{
    const struct profile *watch = profile_find("watch");
    const struct test *t = &of->tests[test];

    assert(watch && test < of->n_tests && profile_can_watch(of, test, d));
    *out = *watch;
    out->tests[0] = *t;
    out->tests[0].directions = 1u << d;
    out->size_bytes = of->size_bytes;
    out->tests[0].end_fsync = false; /* there is no planned end */
    if (d == DIRECTION_READ)
        out->tests[0].fsync_every = 0; /* it is of the test's writes */
    if (of->view == VIEW_SLOG)         /* "T4" says enough only among its likes */
        snprintf(out->tests[0].name, TEST_NAME_MAX, "SYNC4K %.12s", t->name);
    snprintf(out->note, sizeof(out->note), "%.*s", (int)strcspn(watch->note, ".") + 1, watch->note);
    snprintf(out->title, sizeof(out->title), "Watch: %s %s", out->tests[0].name, direction_name(d));
}

static bool is_filler(char c)
{
    return c == ' ' || c == '-' || c == '_';
}

/* In any case, fillers left out of both. word ends at len. */
static bool same_word(const char *name, const char *word, size_t len)
{
    const char *end = word + len;

    for (;;) {
        while (is_filler(*name))
            name++;
        while (word < end && is_filler(*word))
            word++;
        if (!*name || word == end)
            return !*name && word == end;
        if ((*name | 0x20) != (*word | 0x20))
            return false;
        name++;
        word++;
    }
}

static int fault(struct err *e, const char *word, const char *what, struct buf *choices)
{
    struct buf text = BUF_INIT, safe = BUF_INIT;

    text_printable(&safe, word, strlen(word), true);
    text_fit(&text, safe.data ? safe.data : "", 48, false);
    int rc = err_set(e, EXIT_CODE_USAGE, EINVAL, "--watch '%s': %s%.300s", text.data, what,
                     choices && choices->data ? choices->data : "");
    buf_done(&text);
    buf_done(&safe);
    if (choices)
        buf_done(choices);
    return rc;
}

static const struct profile *find_profile(const char *word, size_t len, struct buf *choices)
{
    const struct profile *found = NULL;

    for (size_t i = 0; i < profile_count(); i++) {
        const struct profile *p = profile_at(i);
        if (same_word(p->name, word, len))
            found = p;
        buf_addf(choices, "%s%s", i ? ", " : "", p->name);
    }
    return found;
}

/* The index of the test, or n_tests. */
static size_t find_test(const struct profile *p, const char *word, size_t len, struct buf *choices)
{
    size_t found = p->n_tests;

    for (size_t i = 0; i < p->n_tests; i++) {
        if (same_word(p->tests[i].name, word, len))
            found = i;
        buf_addf(choices, "%s%s", i ? ", " : "", p->tests[i].name);
    }
    return found;
}

/* word NULL: the first one that can be watched. DIRECTION_COUNT: none. */
static int find_direction(const struct profile *p, size_t test, const char *word)
{
    for (int d = 0; d < DIRECTION_COUNT; d++)
        if (profile_can_watch(p, test, (enum direction)d) &&
            (!word || same_word(direction_name((enum direction)d), word, strlen(word))))
            return d;
    return DIRECTION_COUNT;
}

int profile_watch_parse(struct profile *out, const char *word, struct err *e)
{
    struct buf choices = BUF_INIT;
    size_t n = strcspn(word, ":");
    const struct profile *p = find_profile(word, n, &choices);

    if (word[n] != ':')
        return fault(e, word,
                     "say PROFILE:TEST or PROFILE:TEST:DIRECTION, such as slog:T4; "
                     "profiles are ",
                     &choices);
    if (!p)
        return fault(e, word, "there is no such profile; choose from ", &choices);
    buf_clear(&choices);
    const char *name = word + n + 1, *direction = name + strcspn(name, ":");
    size_t test = find_test(p, name, (size_t)(direction - name), &choices);
    if (test == p->n_tests)
        return fault(e, word, "that profile has no such test; it has ", &choices);
    buf_done(&choices);
    int d = find_direction(p, test, *direction ? direction + 1 : NULL);
    if (d == DIRECTION_COUNT)
        return fault(e, word,
                     *direction ? "that test does not go in this direction"
                                : "only tests of fio can be watched",
                     NULL);
    profile_watch(out, p, test, (enum direction)d);
    return 0;
}
