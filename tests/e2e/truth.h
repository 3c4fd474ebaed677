/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef STHD_TESTS_TRUTH_H
#define STHD_TESTS_TRUTH_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "sthd/buf.h"
#include "sthd/fio_framer.h"
#include "sthd/fio_report.h"

/*
 * The real fio under the rooms core and fio alone: no engine, no model. Every wait has a deadline.
 */
struct truth_fio {
    pid_t pid;
    int out; /* its standard output, non-blocking; -1 after its end */
    int status;
    struct buf text; /* all it wrote there */
    struct fio_framer *framer;
    /* Set before truth_start. A report arrived (monotonic clock). */
    void (*report)(void *arg, const struct report *r, int64_t arrival_ns);
    void *arg;
    unsigned reports, unreadable, lost;
};

int64_t truth_now_ns(void);
/* One truth test at a time, and none beside the other tests of the whole program. */
void truth_alone(void);
bool truth_have_fio(void);
/* A nameless file of that size in dir, to be inherited; -1 if the file system cannot. */
int truth_file(const char *dir, uint64_t size_bytes);
/* Starts fio in directory cwd; standard error joins ours. */
void truth_start(struct truth_fio *f, const struct strv *argv, const char *cwd);
/* Reads for at most timeout_ms, or until something came; false at the end of fio. */
bool truth_poll(struct truth_fio *f, int timeout_ms);
/* Reads to its end; kills it after deadline_s. True if it ended by itself with status 0. */
bool truth_finish(struct truth_fio *f, unsigned deadline_s);
void truth_done(struct truth_fio *f);

#endif
