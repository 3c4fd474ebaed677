/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef STHD_SETTINGS_H
#define STHD_SETTINGS_H

#include <stdbool.h>
#include <stdint.h>

#include "sthd/bonnie.h"
#include "sthd/buf.h"
#include "sthd/err.h"
#include "sthd/jobs.h"
#include "sthd/profile.h"
#include "sthd/sweep.h"

/* What the user chose. A plan is a profile times these. */

#define SETTINGS_SIZE_DEFAULT     ((uint64_t)1 << 30)
#define SETTINGS_SIZE_MIN         ((uint64_t)4 << 20)
#define SETTINGS_RUNTIME_DEFAULT  5u
#define SETTINGS_RUNTIME_MAX      86400u
#define SETTINGS_INTERVAL_DEFAULT 250u
#define SETTINGS_INTERVAL_MIN     PROFILE_INTERVAL_MIN
#define SETTINGS_INTERVAL_MAX     PROFILE_INTERVAL_MAX

#define SETTINGS_PROFILES (-1) /* in combine, pause_s and warmup: what the profile says */

struct settings {
    char *path;                    /* target directory; owned; NULL: not chosen */
    const struct profile *profile; /* never NULL after settings_init */
    struct jobs *jobs;             /* held; own_profile is theirs; NULL: no job file */
    struct profile *own_profile;   /* made for these settings, and then profile is it; owned */
    enum engine engine;
    enum io_mode io;
    uint64_t device_bytes; /* size of the block device that path is; 0: it is a directory */
    uint64_t logical_bytes, physical_bytes; /* of the only device below path; 0: not known */
    uint64_t size_bytes;
    bool size_given; /* else a profile with a size of its own decides */
    uint32_t runtime_s;
    bool runtime_given; /* else a profile with a runtime of its own decides */
    uint32_t interval_ms;
    bool interval_given;    /* else a profile with an interval of its own decides */
    unsigned loops;         /* measured runs per cell; 0: the profile's */
    int combine;            /* enum combine or SETTINGS_PROFILES */
    int64_t pause_s;        /* between tests, or SETTINGS_PROFILES */
    int warmup;             /* 0, 1 or SETTINGS_PROFILES */
    unsigned mix_percent;   /* share of reads 1 .. 99: each row of fio's gets a mix cell; 0: none */
    unsigned only;          /* bit mask as test.directions; 0: all */
    struct sweep sweep;     /* n 0: none; else loops are its repeats */
    struct bonnie *compare; /* --bonnie: shown beside the profile files; owned; NULL */
    bool per_job;           /* no group_reporting: one report per thread */
    struct strv extra;      /* --fio-arg: handed to fio as they are, after ours */
};

void settings_init(struct settings *s);
void settings_done(struct settings *s);
void settings_copy(struct settings *to, const struct settings *from); /* to must be initialised */
void settings_set_path(struct settings *s, const char *path);
/* Takes a copy of a profile that was made for the occasion (profile_watch). */
void settings_set_own_profile(struct settings *s, const struct profile *p);
/*
 * Checks one extra fio argument: "--name=value" or "--name"; the options that keep the run safe and
 * readable (filename, directory, output*, status-interval, name, client, server, size, unlink, ...)
 * are refused. -EINVAL with a sentence.
 */
int settings_add_extra(struct settings *s, const char *arg, struct err *e);
/* Takes a job file (and holds it), and its profile. */
void settings_set_jobs(struct settings *s, struct jobs *j);
/* The job file that profile is of; NULL: it is of none. */
const struct jobs *settings_jobs(const struct settings *s);
/* What the bench file will have: the user's word, else the profile's, else the default. */
uint64_t settings_size_bytes(const struct settings *s);
/* Whole-settings check (ranges, combinations); path itself is checked where the world is. */
int settings_check(const struct settings *s, struct err *e);

#endif
