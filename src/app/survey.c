/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Asks zfs and zpool; see survey.h. Knows which version takes which question, and nothing of what
 * the answers are for.
 */
#include "survey.h"

#include <stdio.h>
#include <stdlib.h>

#include "sthd/ask.h"
#include "sthd/child.h"
#include "sthd/mem.h"

/* A pool that answers does so in a fraction of it; a suspended one never does. */
#define WAIT_MS 3000

enum question {
    QUESTION_PROPERTIES,
    QUESTION_DIRECT, /* on its own: a property that is not known spoils the whole question */
    QUESTION_STATUS_JSON,
    QUESTION_STATUS_TEXT,
    QUESTIONS,
};

struct survey {
    struct loop *loop;
    struct zfs_facts *facts;
    char *zfs, *zpool; /* NULL: not there */
    struct ask *ask;
    struct loop_timer *turn; /* begins, from the loop and not from survey_start */
    enum question question;
    void (*done)(void *arg, const struct zpool *pool);
    void *arg;
};

static void ask_next(struct survey *s);

static void finish(struct survey *s, const struct zpool *pool)
{
    if (!pool && !s->facts->problem[0])
        snprintf(s->facts->problem, sizeof(s->facts->problem),
                 "zpool status did not tell its devices");
    s->done(s->arg, pool);
}

/* True when the pool is known, and the survey over. */
static bool take_status(struct survey *s, const char *text)
{
    struct zpool pool;
    struct err e;

    if (!text || zpool_status_parse(&pool, text, &e) < 0)
        return false;
    finish(s, &pool);
    zpool_done(&pool);
    return true;
}

static void on_answer(void *arg, const char *text)
{
    struct survey *s = arg;
    struct ask *asked = s->ask; /* text is its */

    s->ask = NULL;
    if (s->question == QUESTION_STATUS_JSON || s->question == QUESTION_STATUS_TEXT) {
        if (take_status(s, text)) { /* s may be gone */
            ask_free(asked);
            return;
        }
    } else if (text) {
        zfs_properties_parse(&s->facts->properties, text);
    }
    ask_free(asked);
    s->question++;
    ask_next(s);
}

static bool has_23(const struct zfs_facts *f)
{
    return f->major > 2 || (f->major == 2 && f->minor >= 3);
}

/* False: this version does not take it, or nobody is there to be asked. */
static bool put(const struct survey *s, struct strv *argv)
{
    static const char properties[] = "sync,logbias,recordsize,compression,primarycache,atime,"
                                     "relatime,special_small_blocks,dedup,encryption";
    const struct zfs_facts *f = s->facts;
    bool status = s->question >= QUESTION_STATUS_JSON;

    if ((s->question == QUESTION_DIRECT || s->question == QUESTION_STATUS_JSON) && !has_23(f))
        return false;
    if (status ? !s->zpool : !s->zfs)
        return false;
    strv_add(argv, status ? s->zpool : s->zfs);
    strv_add(argv, status ? "status" : "get");
    if (s->question == QUESTION_STATUS_JSON) {
        strv_add(argv, "-jP");
        strv_add(argv, "--json-int");
    } else if (status) {
        strv_add(argv, "-LP");
    } else {
        strv_add(argv, "-Hp");
        strv_add(argv, "-o");
        strv_add(argv, "property,value");
        strv_add(argv, s->question == QUESTION_DIRECT ? "direct" : properties);
    }
    strv_add(argv, status ? f->pool : f->dataset);
    return true;
}

static void ask_next(struct survey *s)
{
    for (; s->question < QUESTIONS; s->question++) {
        struct strv argv;
        struct err e;
        strv_init(&argv);
        int rc = put(s, &argv) ? ask_start(&s->ask, s->loop, &argv, WAIT_MS, on_answer, s, &e) : -1;
        strv_done(&argv);
        if (rc == 0)
            return;
    }
    finish(s, NULL);
}

static void on_turn(void *arg, int64_t now_ns)
{
    (void)now_ns;
    ask_next(arg);
}

struct survey *survey_start(struct loop *l, struct zfs_facts *facts, int64_t delay_ns,
                            void (*done)(void *arg, const struct zpool *pool), void *arg)
{
    struct survey *s = mem_zalloc(sizeof(*s));

    s->loop = l;
    s->facts = facts;
    s->done = done;
    s->arg = arg;
    s->zfs = child_find_program("zfs");
    s->zpool = child_find_program("zpool");
    if (!s->zfs && !s->zpool) {
        snprintf(facts->problem, sizeof(facts->problem),
                 "there is no zpool in PATH, so its devices are not known");
        survey_free(s);
        return NULL;
    }
    s->turn = loop_timer_new(l, on_turn, s);
    loop_timer_at(s->turn, clock_ns() + delay_ns);
    return s;
}

void survey_free(struct survey *s)
{
    if (!s)
        return;
    ask_free(s->ask);
    loop_timer_free(s->turn);
    free(s->zfs);
    free(s->zpool);
    free(s);
}
