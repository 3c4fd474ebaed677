/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef STHD_TARGET_H
#define STHD_TARGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What may be measured: mounted file systems, and this machine. Filled by host, shown by ui. */

enum target_kind {
    TARGET_DISK, /* a file system on block devices */
    TARGET_ZFS,
    TARGET_NETWORK, /* NFS, CIFS, 9p, ceph: no device visible here */
    TARGET_FUSE,
    TARGET_OVERLAY,
    TARGET_BLOCK, /* a block device itself: only read */
    TARGET_RAM,   /* tmpfs, ramfs: not a disk */
    TARGET_OTHER,
};

struct target {
    char
        *path; /* where to write: the mount point, or the path typed; owned, as the kernel has it */
    char *mount;   /* its mount point */
    char *fstype;  /* "ext4", "fuse.sshfs" */
    char *source;  /* device, dataset or export */
    char *options; /* mount options and super options, comma separated */
    char *below;   /* what it is on, as stack_sentence says it; NULL: not looked at */
    char *device;  /* its device, as leaf_sentence says it, when it is one; NULL */
    enum target_kind kind;
    unsigned dev_major, dev_minor;    /* as in mountinfo */
    uint64_t total_bytes, free_bytes; /* free to this user (f_bavail); UNITS_ABSENT unknown */
    bool read_only;
    bool writable;  /* this user may create a file there, as far as access(2) knows */
    char note[160]; /* one line: "RAM, not a disk", "read-only", "NFS: the device is not visible
                       here" */
};

struct targets {
    struct target *items;
    size_t n;
};

void target_done(struct target *t);
void targets_done(struct targets *t);

struct machine {
    char host[65];
    char kernel[96]; /* "Linux 6.12.15" */
    unsigned cpus;
    uint64_t ram_bytes;
    char fio_version[32];  /* "fio-3.33"; "" not known yet */
    char fio_path[256];    /* "" none */
    char fio_problem[256]; /* a sentence when there is no usable fio */
    char cpu_line[160];    /* "schedutil x32, 1.2-3.3 GHz" or "no cpufreq (KVM guest)" */
};

#endif
