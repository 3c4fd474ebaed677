/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Asks a program; see ask.h. Promises one answer, whatever the program does. Must not know what is
 * asked.
 */
#include "sthd/ask.h"

#include <stdlib.h>
#include <sys/wait.h>

#include "sthd/child.h"
#include "sthd/mem.h"

struct ask {
    struct child *child;
    struct loop_timer *timer;
    struct buf text;
    bool too_long;
    void (*done)(void *arg, const char *text);
    void *arg;
};

static void on_output(void *arg, enum child_stream s, const char *bytes, size_t len, int64_t now_ns)
{
    struct ask *a = arg;

    (void)now_ns;
    if (s != CHILD_STDOUT)
        return;
    if (a->text.len + len > ASK_BYTES_MAX)
        a->too_long = true;
    else
        buf_add(&a->text, bytes, len);
}

/* The ask may be freed from done: nothing of it is touched afterwards. */
static void on_end(void *arg, int wait_status)
{
    struct ask *a = arg;
    bool good = WIFEXITED(wait_status) && WEXITSTATUS(wait_status) == 0 && !a->too_long;

    loop_timer_off(a->timer);
    buf_adds(&a->text, "");
    a->done(a->arg, good ? a->text.data : NULL);
}

static void on_timer(void *arg, int64_t now_ns)
{
    struct ask *a = arg;

    (void)now_ns;
    child_free(a->child);
    a->child = NULL;
    a->done(a->arg, NULL);
}

int ask_start(struct ask **out, struct loop *l, const struct strv *argv, unsigned wait_ms,
              void (*done)(void *arg, const char *text), void *arg, struct err *e)
{
    static const struct child_events events = {on_output, on_end};
    struct ask *a = mem_zalloc(sizeof(*a));
    int rc;

    *out = NULL;
    a->done = done;
    a->arg = arg;
    rc = child_start(&a->child, l, argv->items[0], argv, NULL, 0, &events, a, e);
    if (rc < 0) {
        ask_free(a);
        return rc;
    }
    a->timer = loop_timer_new(l, on_timer, a);
    loop_timer_at(a->timer, clock_ns() + (int64_t)wait_ms * 1000000);
    *out = a;
    return 0;
}

void ask_free(struct ask *a)
{
    if (!a)
        return;
    child_free(a->child);
    loop_timer_free(a->timer);
    buf_done(&a->text);
    free(a);
}
