/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Asks a program whether it is fio, and which; see fio_run.h.
 *
 * Promises: one answer, within VERSION_WAIT_S, whatever the program does.
 * Must not know: which versions will do (fio_version_parse does).
 */
#include <stdlib.h>
#include <string.h>

#include "sthd/fio_command.h"
#include "sthd/fio_run.h"
#include "sthd/mem.h"

#define VERSION_WAIT_S 10 /* 8 s were seen with fio's libraries on a disk at 20 IOPS */

struct fio_version_check {
    struct child *child;
    struct loop_timer *timer;
    char *program;
    char line[128]; /* the first of its stdout */
    size_t n;
    bool complete; /* line is */
    void (*done)(void *arg, const char *version, const struct err *e);
    void *arg;
};

static void on_output(void *arg, enum child_stream s, const char *bytes, size_t len, int64_t now_ns)
{
    struct fio_version_check *c = arg;

    (void)now_ns;
    if (s != CHILD_STDOUT || c->complete)
        return;
    for (size_t i = 0; i < len && !c->complete; i++) {
        c->complete = bytes[i] == '\n' || c->n + 1 == sizeof(c->line);
        if (!c->complete)
            c->line[c->n++] = bytes[i];
    }
}

/* The check may be freed from done: nothing of it is touched afterwards. */
static void on_end(void *arg, int wait_status)
{
    struct fio_version_check *c = arg;
    struct fio_version v;
    struct err e;

    (void)wait_status; /* what it said counts, not how it went */
    loop_timer_off(c->timer);
    if (fio_version_parse(&v, c->line, &e) < 0)
        c->done(c->arg, NULL, &e);
    else
        c->done(c->arg, v.text, NULL);
}

static void on_timer(void *arg, int64_t now_ns)
{
    struct fio_version_check *c = arg;
    struct err e;

    (void)now_ns;
    child_free(c->child);
    c->child = NULL;
    err_set(&e, EXIT_CODE_FIO, 0,
            "%s --version did not answer within %d s: is the disk it is on stalled, or is it "
            "something else called fio?",
            c->program, VERSION_WAIT_S);
    c->done(c->arg, NULL, &e);
}

int fio_version_check_start(struct fio_version_check **out, struct loop *l, const char *program,
                            void (*done)(void *arg, const char *version, const struct err *e),
                            void *arg, struct err *e)
{
    static const struct child_events events = {on_output, on_end};
    struct fio_version_check *c = mem_zalloc(sizeof(*c));
    struct strv argv;
    int rc;

    *out = NULL;
    c->done = done;
    c->arg = arg;
    c->program = mem_strdup(program);
    strv_init(&argv);
    strv_add(&argv, program);
    strv_add(&argv, "--version");
    rc = child_start(&c->child, l, program, &argv, NULL, 0, &events, c, e);
    strv_done(&argv);
    if (rc < 0) {
        fio_version_check_free(c);
        return rc;
    }
    c->timer = loop_timer_new(l, on_timer, c);
    loop_timer_at(c->timer, clock_ns() + (int64_t)VERSION_WAIT_S * 1000000000);
    *out = c;
    return 0;
}

void fio_version_check_free(struct fio_version_check *c)
{
    if (!c)
        return;
    child_free(c->child);
    loop_timer_free(c->timer);
    free(c->program);
    free(c);
}
