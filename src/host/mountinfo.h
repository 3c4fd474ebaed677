/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef STHD_HOST_MOUNTINFO_H
#define STHD_HOST_MOUNTINFO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The lines of /proc/self/mountinfo (proc_pid_mountinfo(5)), decoded. All of them: what is worth
 * showing is decided elsewhere.
 */
struct mount {
    uint64_t id, parent;
    unsigned major, minor;
    const char *root;    /* which directory of the file system is mounted here */
    const char *point;   /* where */
    const char *options; /* of this mount, "rw,noatime" */
    const char *fstype;  /* "ext4", "fuse.sshfs" */
    const char *source;  /* may be empty */
    const char *super;   /* options of the file system */
    bool hidden;         /* a later mount covers it: its path leads elsewhere */
};

struct mountinfo {
    struct mount *items; /* in the kernel's order */
    size_t n;
    char *text; /* what the strings point into */
};

/* A line that cannot be read is left out; returns how many were. Never fails. */
size_t mountinfo_parse(struct mountinfo *m, const char *text);
void mountinfo_done(struct mountinfo *m);
/* NULL: none. */
const struct mount *mountinfo_by_id(const struct mountinfo *m, uint64_t id);
/* The visible mount that an absolute path without symbolic links is on; NULL: none. */
const struct mount *mountinfo_covering(const struct mountinfo *m, const char *path);
/* Whether path is dir or below it; both absolute, normal. */
bool mountinfo_is_below(const char *path, const char *dir);

#endif
