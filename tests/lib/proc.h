/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef STHD_TESTS_PROC_H
#define STHD_TESTS_PROC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "sthd/buf.h"

/*
 * Programs without a terminal, and what is left of programs. Waits are for conditions with a
 * deadline in ms.
 */
struct plain;

struct plain_spec {
    const char *const *env; /* "NAME=value" sets, "NAME" unsets; NULL-terminated, may be NULL */
    const char *cwd;        /* NULL: ours */
    const char *input;      /* NULL: /dev/null */
    uid_t uid;              /* run as this user (and group of that number); 0: as we are */
    bool close_fds;         /* start with descriptors 0-2 closed; nothing is captured then */
};

/* Starts it in a process group of its own; it dies if the test dies. */
struct plain *plain_start(const struct plain_spec *spec, const char *const argv[]);
pid_t plain_pid(const struct plain *p);
/* Reads what is there, waiting at most ms. */
void plain_pump(struct plain *p, int ms);
bool plain_wait_err(struct plain *p, const char *text, int ms); /* stderr contains text */
bool plain_wait_out(struct plain *p, const char *text, int ms);
/* Both outputs ended and the process is reaped. false: deadline passed. */
bool plain_wait_exit(struct plain *p, int ms);
void plain_free(struct plain *p); /* kills its group if it runs */

/* After plain_wait_exit; the texts at any time. */
const char *plain_out(const struct plain *p);
const char *plain_err(const struct plain *p);
int plain_status(const struct plain *p);    /* as from waitpid(2) */
int plain_exit_code(const struct plain *p); /* -1: died of a signal */
double plain_seconds(const struct plain *p);
double plain_cpu_seconds(const struct plain *p); /* of it and the children it waited for */
long plain_max_rss_kib(const struct plain *p);

/* plain_start and plain_wait_exit; a program that is not over in ms is killed. */
struct plain *plain_run(const struct plain_spec *spec, const char *const argv[], int ms);

/* ---- processes ---- */

#define PROC_IDS 64
struct proc_id { /* a pid can come again; with its start time it cannot */
    pid_t pid;
    unsigned long long start_ticks;
    char comm[20];
};

bool proc_identify(struct proc_id *out, pid_t pid);
bool proc_alive(const struct proc_id *id); /* a zombie is not alive */
/* All descendants of pid, in at most PROC_IDS entries; returns how many. */
size_t proc_descendants(struct proc_id *out, pid_t pid);
/* CPU time of all its threads, without children, seconds; -1 when gone. From the scheduler, in ns,
 * where the kernel tells it; else in clock ticks. */
double proc_cpu_seconds(pid_t pid);
/* VmRSS and VmHWM, KiB; -1 when gone. */
long proc_rss_kib(pid_t pid);
long proc_peak_rss_kib(pid_t pid);
/* Waits until none of them is alive. false: names one that is, in *left. */
bool proc_wait_gone(const struct proc_id *ids, size_t n, int ms, struct proc_id *left);
/* Adds one line per process that holds something open below dir ("pid comm fd -> path"). */
void proc_holders(struct buf *out, const char *dir);

#endif
