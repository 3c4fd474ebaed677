/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef STHD_HOST_TARGETS_H
#define STHD_HOST_TARGETS_H

#include <stdbool.h>
#include <stdint.h>

#include "mountinfo.h"
#include "sthd/err.h"
#include "sthd/target.h"

/* From a mount to a target, shared by the list and the single path. */

/* Everything that mountinfo tells. Sizes are UNITS_ABSENT, writable is what the options allow. */
void target_from_mount(struct target *t, const struct mount *m, const char *path);

/* What only the file system can tell, found in a peek child. */
struct look {
    int errnum; /* 0, or why the rest is not there */
    bool is_directory;
    bool is_block; /* then is the device, and readable says what writable does of a directory */
    bool readable;
    unsigned dev_major, dev_minor;
    bool writable;
    bool has_size;
    uint64_t total_bytes, free_bytes;
};
struct look look_at(const char *path); /* may hang */
void target_add_look(struct target *t, const struct look *l);
/* The same when it did not answer in time. */
void target_add_silence(struct target *t);

/* /proc/self/mountinfo below sysroot, parsed. -errno with a sentence. */
int mountinfo_read(struct mountinfo *m, const char *sysroot, struct err *e);

#endif
