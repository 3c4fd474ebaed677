/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef STHD_ENGINE_DD_COPY_H
#define STHD_ENGINE_DD_COPY_H

#include <stdbool.h>
#include <stdint.h>

#include "sthd/buf.h"
#include "sthd/child.h"
#include "sthd/err.h"
#include "sthd/loop.h"

/*
 * One dd process and what the kernel tells of it: when it opened and closed the bench file, and how
 * far it is.
 */
struct dd_copy;

#define DD_COPY_UNKNOWN UINT64_MAX

struct dd_copy_facts {
    bool watched;          /* inotify works here: opened means something */
    bool opened;           /* it opened the bench file (or nobody could see that it did not) */
    int64_t began_ns;      /* it opened the file; 0 not yet */
    int64_t ended_ns;      /* it closed the file; 0 not yet */
    uint64_t pos;          /* the farthest it was seen in the file, bytes */
    int open_flags;        /* how it opened it, as the kernel has it; -1 never seen */
    uint64_t rchar, wchar; /* all it passed to read(2), write(2), at its close; or UNKNOWN */
    int errnum;            /* the first that it named on stderr; 0 none */
    char complaint[160];   /* the line with that, else its first line, made printable: of use only
                              if it failed */
};

struct dd_copy_events {
    void (*opened)(void *arg, int64_t now_ns); /* may be NULL */
    /* May be NULL. The copy may be freed from here. */
    void (*raw)(void *arg, enum child_stream s, const char *bytes, size_t len);
    /* Exactly once. The copy may be freed from here, and has to be at last. */
    void (*end)(void *arg, int wait_status);
};

int dd_copy_start(struct dd_copy **out, struct loop *l, const char *program,
                  const struct strv *argv, int bench_fd, const struct dd_copy_events *ev, void *arg,
                  struct err *e);
/* Brings all that changes while it runs up to date; may call opened. */
void dd_copy_look(struct dd_copy *c);
const struct dd_copy_facts *dd_copy_facts(const struct dd_copy *c);
struct child *dd_copy_child(const struct dd_copy *c);
void dd_copy_free(struct dd_copy *c); /* kills if running; NULL is fine */

#endif
