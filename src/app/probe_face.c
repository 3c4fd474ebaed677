/* SPDX-License-Identifier: GPL-3.0-or-later */
/* --probe: the world without a run; see probe_face.h. */
#include "probe_face.h"

#include <errno.h>
#include <signal.h>

#include "output.h"
#include "sthd/signals.h"
#include "world.h"

struct probe_face {
    struct loop *loop;
    struct world world;
    int die_of; /* signal to die of after the clean-up; 0 none */
};

static void on_changed(void *arg)
{
    struct probe_face *p = arg;

    if (world_is_settled(&p->world))
        loop_quit(p->loop);
}

static void on_signal(void *arg, int signo)
{
    struct probe_face *p = arg;

    if (signo == SIGTSTP) {
        raise(SIGSTOP);
    } else if (signo == SIGINT || signo == SIGTERM || signo == SIGQUIT || signo == SIGHUP) {
        p->die_of = signo;
        loop_quit(p->loop);
    }
}

/* What stands in the way of an answer; 0 nothing. */
static int check(const struct world *w, struct err *e)
{
    int rc;

    /* A run may be impossible all the same (an engine that does not work): that is the answer. */
    if (w->capability.probed)
        return 0;
    rc = world_check(w, e);
    if (rc < 0)
        return rc;
    if (w->probe_err.text[0]) {
        *e = w->probe_err;
        return -EINVAL;
    }
    return err_set(e, EXIT_CODE_TARGET, EACCES,
                   "The target was not probed: no file can be created there.");
}

int probe_main(const struct options *o)
{
    struct probe_face p = {.loop = loop_new()};
    struct signals *signals = signals_new(p.loop, on_signal, &p);
    int status = EXIT_CODE_STOPPED;
    struct err e;

    err_clear(&e);
    world_init(&p.world, p.loop, &o->settings, o->profile_given, on_changed, &p);
    if (!p.world.settings.path)
        world_set_path(&p.world, ".");
    if (p.world.target_err.exit_code != EXIT_CODE_TARGET) {
        world_begin_probing(&p.world);
        if (!world_is_settled(&p.world))
            loop_run(p.loop, NULL, NULL);
    }
    if (!p.die_of)
        status = check(&p.world, &e) < 0 ? output_error(&e)
                                         : output_probe(o, &p.world, p.world.probe_seconds);
    world_done(&p.world);
    signals_free(signals);
    loop_free(p.loop);
    if (p.die_of)
        signals_die_of(p.die_of);
    return status;
}
