/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef STHD_FIO_RUN_H
#define STHD_FIO_RUN_H

#include <stdint.h>

#include "sthd/child.h"
#include "sthd/err.h"
#include "sthd/loop.h"
#include "sthd/plan.h"
#include "sthd/sample.h"
#include "sthd/trust.h"

/* One step: one fio process, from command line to result, with the stop ladder. */
struct fio_run;

enum fio_end {
    FIO_END_OK,
    FIO_END_STOPPED, /* because fio_run_stop was called, and fio went */
    FIO_END_KILLED,  /* had to be killed: by the ladder or by someone else's signal */
    FIO_END_FAILED,  /* it ended with an error */
};

struct fio_result {
    enum fio_end end;
    const struct report *last; /* fio's last report, NULL if there was none; valid in end only */
    char why[256];             /* one sentence for the user when end is not OK; "" otherwise */
    int wait_status;
    unsigned documents; /* reports that were read */
    unsigned lost;      /* reports that could not be: cut, damaged */
    unsigned notes;     /* lines of text, on stdout between the reports and on stderr */
    /*
     * Bytes that fio itself caused to be read from storage, by the kernel's account of the process:
     * unlike the device's counters it knows nothing of other programs. COUNTER_ABSENT: not known.
     */
    uint64_t fetched_bytes;
    /* What dd_run saw in the page cache; of fio nothing is known here. */
    enum direct_honoured direct;
    enum cache_before cache;
    char note[160]; /* a phrase about them, "" nothing */
};

struct fio_run_events {
    void (*report)(void *arg, const struct report *r, int64_t arrival_ns);
    /* Raw output as it came, for the side pane. */
    void (*raw)(void *arg, enum child_stream s, const char *bytes, size_t len);
    /* Exactly once. The fio_run may be freed from here, and from the two above. */
    void (*end)(void *arg, const struct fio_result *result);
};

struct fio_run_spec {
    const char *program; /* resolved path of fio */
    const struct step *step;
    const struct settings *settings;
    int bench_fd;
    uint32_t
        grace_s; /* past runtime: TERM after this long over the planned end; 0: default 120 s */
};

int fio_run_start(struct fio_run **out, struct loop *l, const struct fio_run_spec *spec,
                  const struct fio_run_events *ev, void *arg, struct err *e);
/*
 * First call: SIGTERM, then SIGKILL after 15 s (fio must finish its I/O in flight; 8 s seen).
 * Second call: SIGKILL now. Also after the watchdog has asked: then the first call kills.
 */
void fio_run_stop(struct fio_run *r);
/* SIGUSR1: a report at once. Nothing before the first report (fio would die of it). */
void fio_run_poke(struct fio_run *r);
pid_t fio_run_pid(const struct fio_run *r);
/* Kills if running; no events after this. NULL is fine. */
void fio_run_free(struct fio_run *r);
/* The command line as built, for the screen. */
const struct strv *fio_run_argv(const struct fio_run *r);

/*
 * fio --version, asynchronously: found(arg, version text, NULL) or found(arg, NULL, sentence).
 * program: resolved path. Answers within 10 s (then: a sentence).
 */
struct fio_version_check;
int fio_version_check_start(struct fio_version_check **out, struct loop *l, const char *program,
                            void (*done)(void *arg, const char *version, const struct err *e),
                            void *arg, struct err *e);
void fio_version_check_free(struct fio_version_check *c);

#endif
