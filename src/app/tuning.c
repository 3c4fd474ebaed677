/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The processors and the knobs on the loop; see tuning.h. Must not know what shows them. */
#include "tuning.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sthd/cpu_watch.h"
#include "sthd/mem.h"

struct tuning {
    struct loop *loop;
    const struct tuning_events *ev;
    void *arg;
    char *sysroot, *runtime_dir;
    struct cpu_watch *watch;
    struct knobs *knobs;
    struct loop_watch *on_watch, *on_knobs;
    struct cpu_state cpu;
    struct knob_panel panel;
    char left[320];
};

char *tuning_runtime_dir(const char *sysroot)
{
    const char *user = getenv("XDG_RUNTIME_DIR");

    if (*sysroot || geteuid() == 0)
        return mem_printf("%s/run/speedtest-hd", sysroot);
    if (user && user[0] == '/')
        return mem_printf("%s/speedtest-hd", user);
    return mem_printf("/run/user/%u/speedtest-hd", (unsigned)geteuid());
}

static void look_for_drift(struct tuning *t)
{
    for (int k = 0; k < KNOB_COUNT; k++) {
        struct knob_state *s = &t->panel.knobs[k];
        char sentence[sizeof(s->drift)];
        bool known = s->drift[0] != '\0';
        if (!knob_drifted(&t->panel, (enum knob)k, &t->cpu, sentence, sizeof(sentence))) {
            if (t->cpu.taken_ns > s->set_ns)
                s->drift[0] = '\0';
            continue;
        }
        snprintf(s->drift, sizeof(s->drift), "%s", sentence);
        if (!known && t->ev->drifted)
            t->ev->drifted(t->arg, (enum knob)k, sentence);
    }
}

static void changed(struct tuning *t)
{
    if (t->ev->changed)
        t->ev->changed(t->arg);
}

static void on_cpu(void *arg, int fd, short revents)
{
    struct tuning *t = arg;

    (void)fd;
    (void)revents;
    if (!cpu_watch_take(t->watch, &t->cpu))
        return;
    look_for_drift(t);
    changed(t);
}

/* What the thread says of the knobs, and what was seen of them here. */
static void take_panel(struct tuning *t)
{
    struct knob_panel now;

    knobs_panel(t->knobs, &now);
    for (int k = 0; k < KNOB_COUNT; k++)
        if (now.knobs[k].set_ns == t->panel.knobs[k].set_ns)
            memcpy(now.knobs[k].drift, t->panel.knobs[k].drift, sizeof(now.knobs[k].drift));
    t->panel = now;
}

static void on_knobs(void *arg, int fd, short revents)
{
    struct tuning *t = arg;
    struct knob_outcome o;

    (void)fd;
    (void)revents;
    while (knobs_take(t->knobs, &o)) {
        take_panel(t);
        if (t->ev->turned)
            t->ev->turned(t->arg, &o);
    }
    take_panel(t);
    changed(t);
}

static void look_for_left(struct tuning *t)
{
    struct knobs_left left;

    t->left[0] = '\0';
    if (knobs_left_behind(t->sysroot, t->runtime_dir, &left))
        snprintf(t->left, sizeof(t->left),
                 "A run that was killed (process %d) has left this computer changed: %u files are "
                 "to be set back, %s.",
                 (int)left.pid, left.files, left.what);
}

struct tuning *tuning_new(struct loop *l, const char *sysroot, const struct tuning_events *ev,
                          void *arg)
{
    struct tuning *t = mem_zalloc(sizeof(*t));

    t->loop = l;
    t->ev = ev;
    t->arg = arg;
    t->sysroot = mem_strdup(sysroot);
    t->runtime_dir = tuning_runtime_dir(sysroot);
    cpu_state_init(&t->cpu);
    look_for_left(t);
    t->watch = cpu_watch_new(sysroot);
    if (t->watch)
        t->on_watch = loop_watch(l, cpu_watch_fd(t->watch), POLLIN, on_cpu, t);
    t->knobs = knobs_new(sysroot, t->runtime_dir);
    if (t->knobs)
        t->on_knobs = loop_watch(l, knobs_fd(t->knobs), POLLIN, on_knobs, t);
    return t;
}

const struct cpu_state *tuning_cpu(const struct tuning *t)
{
    return &t->cpu;
}

const struct knob_panel *tuning_panel(const struct tuning *t)
{
    return &t->panel;
}

void tuning_turn(struct tuning *t, enum knob k, const char *value)
{
    struct knob_outcome o = {.knob = k, .at_ns = clock_ns()};

    if (t->knobs) {
        knobs_set(t->knobs, k, value);
        return;
    }
    err_set(&o.err, EXIT_CODE_INTERNAL, 0, "No thread could be started to turn knobs");
    if (t->ev->turned)
        t->ev->turned(t->arg, &o);
}

void tuning_restore(struct tuning *t)
{
    if (t->knobs)
        knobs_restore(t->knobs);
}

const char *tuning_left(const struct tuning *t)
{
    return t->left[0] ? t->left : NULL;
}

int tuning_repair(struct tuning *t, struct err *e)
{
    int rc = knobs_repair(t->sysroot, t->runtime_dir, e);

    look_for_left(t);
    return rc;
}

int tuning_free(struct tuning *t, struct err *e)
{
    if (!t)
        return 0;
    loop_unwatch(t->on_watch);
    loop_unwatch(t->on_knobs);
    int rc = knobs_free(t->knobs, e);
    cpu_watch_free(t->watch);
    free(t->sysroot);
    free(t->runtime_dir);
    free(t);
    return rc;
}
