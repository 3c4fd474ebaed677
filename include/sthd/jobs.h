/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef STHD_JOBS_H
#define STHD_JOBS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sthd/buf.h"
#include "sthd/err.h"
#include "sthd/profile.h"

/*
 * A fio job file: its sections, as far as a plan has to know them, and the arguments that each of
 * them is to fio. The format: fio(1), "Job file format"; where that is silent, parse_jobs_ini() of
 * fio's init.c.
 */
#define JOBS_BYTES_MAX ((size_t)1 << 20)
#define JOBS_INCLUDES  8u /* depth */

struct job_section {
    char name[64]; /* as in the file, made printable */
    unsigned line;
    bool waits;       /* for all that are before it: stonewall, wait_for_previous, wait_for */
    struct strv args; /* "--bs=4k": in the order of the file, [global] first, the engine foremost */

    enum direction direction;
    enum pattern pattern;
    uint64_t block_bytes; /* 0: it varies */
    unsigned queue_depth, threads;
    enum engine engine; /* the nearest of ours */
    bool direct, sync, end_fsync;
    uint32_t fsync_every;
    unsigned mix_percent;
    uint32_t runtime_s;  /* 0: by amount */
    uint64_t size_bytes; /* what it says of its size, its offset included; 0: nothing */
    uint64_t io_bytes;   /* what each of its threads transfers, when it ends by amount; 0: size */
    struct strv paths;   /* as is: every file it would open */
};

/* Shared by those who hold it, and never changed once it is parsed. */
struct jobs {
    unsigned holders;
    char *path; /* as given */
    bool as_is; /* filename and directory are the file's */
    struct job_section *sections;
    size_t n;
    uint64_t size_bytes; /* the largest size of a section; 0: none says one */
    struct strv notes;   /* sentences: what of the file is not done, and why */
};

/* What the parser has to ask for. Each answer is the parser's to free; NULL: there is none. */
struct jobs_world {
    char *(*read)(void *arg, const char *path, size_t *len, struct err *e); /* NULL: e says why */
    /* An environment variable, or one of fio's own words: "ncpus", "pagesize", "mb_memory". */
    char *(*variable)(void *arg, const char *name);
    void *arg;
};

/*
 * Reads the job file at path. -errno with a sentence "FILE:LINE: ...", EXIT_CODE_CONFIG: no
 * section, what fio could not be given without touching more than our own file, more sections than
 * PROFILE_TESTS.
 *
 * What says where I/O goes is left out (and told in notes) unless as_is; logs and whatever else is
 * written beside is left out in any case; what runs other programs is refused.
 */
int jobs_parse(struct jobs **out, const char *path, bool as_is, const struct jobs_world *w,
               struct err *e);
struct jobs *jobs_hold(struct jobs *j);
void jobs_drop(struct jobs *j); /* NULL is fine */

/* The profile that shows a job file: a row per section. */
void jobs_profile(const struct jobs *j, struct profile *out);

#endif
