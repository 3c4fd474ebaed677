/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The thread that turns knobs; see knobs.h. It owns the rack; what it shares with its owner (one
 * wanted value per knob, outcomes, a copy of the panel) is behind one lock.
 */
#include "sthd/knobs.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "knob_journal.h"
#include "knob_rack.h"
#include "sthd/loop.h"
#include "sthd/mem.h"

struct news {
    struct news *next;
    struct knob_outcome outcome;
};

struct knobs {
    char *sysroot, *runtime_dir;
    pthread_t thread;
    pthread_mutex_t lock; /* of all below but the rack */
    pthread_cond_t work;
    char wanted[KNOB_COUNT][CPU_WORD]; /* "" nothing */
    bool restore, quit, turned;
    struct knob_panel panel;
    struct news *first, *last;
    int fd;
    struct err end; /* of the last restoration, before the thread ended */
    int end_rc;
    struct rack *rack; /* the thread's own */
};

static void tell(const struct knobs *k)
{
    const uint64_t one = 1;

    while (write(k->fd, &one, sizeof(one)) < 0 && errno == EINTR)
        ;
}

/* ---- the thread; each of these is called with the lock held, and holds it when it returns ---- */

static void publish(struct knobs *k, const struct knob_outcome *o)
{
    struct news *n = mem_zalloc(sizeof(*n));

    n->outcome = *o;
    if (k->last)
        k->last->next = n;
    else
        k->first = n;
    k->last = n;
    rack_panel(k->rack, &k->panel);
    k->turned = rack_is_turned(k->rack);
    tell(k);
}

static void turn(struct knobs *k, enum knob knob)
{
    struct knob_outcome o = {.knob = knob};

    snprintf(o.value, sizeof(o.value), "%s", k->wanted[knob]);
    k->wanted[knob][0] = '\0';
    k->turned = true; /* from here on, as far as anybody can know */
    pthread_mutex_unlock(&k->lock);
    o.done = rack_set(k->rack, knob, o.value, &o.err) == 0;
    o.at_ns = clock_ns();
    pthread_mutex_lock(&k->lock);
    publish(k, &o);
}

static void put_back(struct knobs *k)
{
    struct knob_outcome o = {.restored = true};

    k->restore = false;
    pthread_mutex_unlock(&k->lock);
    k->end_rc = rack_restore(k->rack, &o.err);
    o.done = k->end_rc == 0;
    o.at_ns = clock_ns();
    pthread_mutex_lock(&k->lock);
    k->end = o.err;
    publish(k, &o);
}

static enum knob next_wanted(const struct knobs *k)
{
    int knob = 0;

    while (knob < KNOB_COUNT && !k->wanted[knob][0])
        knob++;
    return (enum knob)knob;
}

static void *knobs_thread(void *arg)
{
    struct knobs *k = arg;

    struct rack *rack = rack_new(k->sysroot, k->runtime_dir);
    pthread_mutex_lock(&k->lock);
    k->rack = rack;
    rack_panel(rack, &k->panel);
    tell(k);
    for (;;) {
        enum knob knob = next_wanted(k);
        if (k->quit)
            break;
        if (k->restore)
            put_back(k);
        else if (knob < KNOB_COUNT)
            turn(k, knob);
        else
            pthread_cond_wait(&k->work, &k->lock);
    }
    put_back(k);
    pthread_mutex_unlock(&k->lock);
    return NULL;
}

/* ---- its owner ---- */

struct knobs *knobs_new(const char *sysroot, const char *runtime_dir)
{
    struct knobs *k = mem_zalloc(sizeof(*k));
    sigset_t all, before;

    k->sysroot = mem_strdup(sysroot);
    k->runtime_dir = mem_strdup(runtime_dir);
    pthread_mutex_init(&k->lock, NULL);
    pthread_cond_init(&k->work, NULL);
    k->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    sigfillset(&all); /* signals are for the thread that reads the signalfd */
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int rc = k->fd < 0 ? EMFILE : pthread_create(&k->thread, NULL, knobs_thread, k);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (rc == 0) {
        pthread_setname_np(k->thread, "sthd-knobs");
        return k;
    }
    if (k->fd >= 0)
        close(k->fd);
    free(k->sysroot);
    free(k->runtime_dir);
    free(k);
    return NULL;
}

int knobs_fd(const struct knobs *k)
{
    return k->fd;
}

bool knobs_take(struct knobs *k, struct knob_outcome *out)
{
    uint64_t count;

    while (read(k->fd, &count, sizeof(count)) < 0 && errno == EINTR)
        ;
    pthread_mutex_lock(&k->lock);
    struct news *n = k->first;
    if (n) {
        k->first = n->next;
        if (!k->first)
            k->last = NULL;
        *out = n->outcome;
    }
    pthread_mutex_unlock(&k->lock);
    free(n);
    return n != NULL;
}

void knobs_panel(struct knobs *k, struct knob_panel *out)
{
    pthread_mutex_lock(&k->lock);
    *out = k->panel;
    pthread_mutex_unlock(&k->lock);
}

void knobs_set(struct knobs *k, enum knob knob, const char *value)
{
    pthread_mutex_lock(&k->lock);
    snprintf(k->wanted[knob], sizeof(k->wanted[knob]), "%s", value);
    k->turned |= value[0] != '\0';
    pthread_cond_signal(&k->work);
    pthread_mutex_unlock(&k->lock);
}

void knobs_restore(struct knobs *k)
{
    pthread_mutex_lock(&k->lock);
    memset(k->wanted, 0, sizeof(k->wanted));
    k->restore = true;
    pthread_cond_signal(&k->work);
    pthread_mutex_unlock(&k->lock);
}

bool knobs_are_turned(struct knobs *k)
{
    pthread_mutex_lock(&k->lock);
    bool turned = k->turned;
    pthread_mutex_unlock(&k->lock);
    return turned;
}

int knobs_free(struct knobs *k, struct err *e)
{
    struct knob_outcome o;

    if (!k)
        return 0;
    pthread_mutex_lock(&k->lock);
    k->quit = true;
    pthread_cond_signal(&k->work);
    pthread_mutex_unlock(&k->lock);
    pthread_join(k->thread, NULL);
    int rc = k->end_rc;
    if (rc < 0 && e)
        *e = k->end;
    while (knobs_take(k, &o))
        ;
    close(k->fd);
    rack_free(k->rack);
    pthread_mutex_destroy(&k->lock);
    pthread_cond_destroy(&k->work);
    free(k->sysroot);
    free(k->runtime_dir);
    free(k);
    return rc;
}

/* ---- what a killed run left ---- */

static void describe(const struct journal *j, struct knobs_left *out)
{
    static const char *const names[] = {"", "governor", "EPP", "boost"};
    struct buf text = BUF_INIT;
    unsigned named = 0;

    out->pid = j->pid;
    out->files = 0;
    for (size_t i = 0; i < j->n; i++) {
        const struct keeper_action *a = &j->actions[i];
        if (!(j->armed & 1u << a->group))
            continue;
        out->files++;
        if (a->group < 4 && !(named & 1u << a->group))
            buf_addf(&text, "%s%s %s", text.len ? ", " : "", names[a->group], a->text);
        named |= 1u << a->group;
    }
    snprintf(out->what, sizeof(out->what), "%s", text.data ? text.data : "");
    buf_done(&text);
}

bool knobs_left_behind(const char *sysroot, const char *runtime_dir, struct knobs_left *out)
{
    char *path = journal_path(runtime_dir);
    struct journal j;
    bool left = false;
    int lock;

    if (access(path, F_OK) == 0 && journal_lock(runtime_dir, sysroot, &lock, NULL) == 0) {
        if (journal_read(runtime_dir, sysroot, &j, NULL) == 0) {
            describe(&j, out);
            left = out->files > 0;
            journal_done(&j);
        }
        close(lock);
    }
    free(path);
    return left;
}

int knobs_repair(const char *sysroot, const char *runtime_dir, struct err *e)
{
    struct journal j;
    int lock, rc = journal_lock(runtime_dir, sysroot, &lock, e);

    if (rc < 0)
        return rc;
    rc = journal_read(runtime_dir, sysroot, &j, e);
    if (rc == -ENOENT)
        rc = err_set(e, EXIT_CODE_OK, ENOENT,
                     "There is nothing to repair: no run was killed with knobs turned");
    else if (rc == 0) {
        rc = keeper_act(j.actions, j.n, j.armed, e);
        if (rc == 0) {
            char *path = journal_path(runtime_dir);
            unlink(path);
            free(path);
        }
        journal_done(&j);
    }
    close(lock);
    return rc;
}
