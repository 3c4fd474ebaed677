/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef STHD_TESTS_SYSFS_H
#define STHD_TESTS_SYSFS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/*
 * A machine's processors as a tree of plain files, in a temporary directory, for tests that need
 * more CPUs than is sensible to keep as fixtures, or that change what they read.
 */
struct sysfs {
    char root[64]; /* the prefix to hand to the program */
};

struct sysfs_spec {
    unsigned cpus;
    unsigned cpus_per_policy; /* 0: no cpufreq; policies are numbered by their first CPU */
    const char *driver;
    const char *governors; /* the list, as the kernel writes it, trailing blank and all */
    const char *governor;
    const char *other_governor; /* of the last policy; NULL: the same */
    const char *epp;            /* NULL: no EPP; a list of words stands beside it */
    const char *boost;          /* text of cpufreq/boost; NULL: none */
    const char *no_turbo;       /* text of intel_pstate/no_turbo; NULL: none */
    const char *const *idle;    /* names of idle states; NULL-terminated; NULL: none */
};

/* Dies if it cannot. */
void sysfs_make(struct sysfs *s, const struct sysfs_spec *spec);
void sysfs_remove(const struct sysfs *s);
/* A file below "/sys/devices/system/cpu/" of it; relative == NULL or "/...": below the root. */
const char *sysfs_path(const struct sysfs *s,
                       const char *relative); /* until the fourth next call */
/* In place, so that an open descriptor sees it. Makes directories. */
void sysfs_write(const struct sysfs *s, const char *relative, const char *text);
/* Its text, without the line's end; "" when there is none. Until the fourth next call. */
const char *sysfs_read(const struct sysfs *s, const char *relative);
/* The limit that is written in the tree's /dev/cpu_dma_latency, 4 bytes; -1 none. */
void sysfs_set_limit(const struct sysfs *s, int limit_us);
int sysfs_limit(const struct sysfs *s);
/* The process that will turn this tree's knobs back, found by the lock that it holds; 0 none. */
pid_t sysfs_keeper(const struct sysfs *s);

#endif
