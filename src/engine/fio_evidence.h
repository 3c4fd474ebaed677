/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef STHD_ENGINE_FIO_EVIDENCE_H
#define STHD_ENGINE_FIO_EVIDENCE_H

#include <stdbool.h>
#include <stddef.h>

#include "sthd/plan.h"

/*
 * What fio's own words give away about a run that went wrong. fio says it in lines of text, on
 * stdout between the documents and on stderr, and its exit code and JSON often keep quiet about it.
 */
struct fio_evidence {
    int errnum;          /* first errno it named; 0 none */
    char func[64];       /* where, in fio's words */
    int worker_signal;   /* a worker was killed by it; exit code and JSON do not tell */
    bool stuck;          /* it gave up because its reports were not read in time */
    bool double_free;    /* it aborted while cleaning up at its exit */
    char engine[32];     /* an engine that it cannot load */
    char option[96];     /* an option or value that it did not understand */
    char complaint[160]; /* the first other line of complaint, made printable */
};

/* Cuts fio's stderr into lines for the above; what is over its size is cut off. */
struct line_splitter {
    char text[1024];
    size_t n;
};

typedef void line_fn(void *arg, const char *line, size_t len);
void line_splitter_feed(struct line_splitter *s, const char *bytes, size_t len, line_fn *fn,
                        void *arg);
/* At the end of file: an unfinished line is a line. */
void line_splitter_end(struct line_splitter *s, line_fn *fn, void *arg);

void fio_evidence_line(struct fio_evidence *ev, const char *line, size_t len);

/*
 * One sentence for an errno that fio met in a step: what happened, why, the way out. errnum > 0.
 * why: at least 256 bytes for all of it.
 */
void fio_errno_sentence(char *why, size_t size, int errnum, const char *func,
                        const struct step *step);

/* The same for an exit code that is not 0: uses the best of the evidence. */
void fio_failure_sentence(char *why, size_t size, const struct fio_evidence *ev, int exit_code,
                          const struct step *step);

#endif
