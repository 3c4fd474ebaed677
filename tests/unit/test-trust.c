/* SPDX-License-Identifier: GPL-3.0-or-later */
/* trust: one row per rule, judgement and the heart of its reason */
#include <string.h>

#include "sthd/trust.h"
#include "tap.h"

#define GIB ((uint64_t)1 << 30)

static const struct {
    const char *what;
    struct trust_facts f;
    enum trust want;
    const char *reason; /* a part of it */
} rows[] = {
    {"tmpfs",
     {.kind = TARGET_RAM, .fstype = "tmpfs", .direct = DIRECT_HONOURED},
     TRUST_RAM,
     "memory"},
    {"ext4 direct, seen on the device",
     {.kind = TARGET_DISK, .fstype = "ext4", .direct = DIRECT_HONOURED},
     TRUST_DEVICE,
     "counters"},
    {"direct accepted, no device I/O",
     {.kind = TARGET_DISK, .fstype = "ext4", .direct = DIRECT_IGNORED},
     TRUST_CACHE,
     "saw no I/O"},
    {"buffered read that fits",
     {.kind = TARGET_DISK, .fstype = "ext4", .size_bytes = GIB, .ram_bytes = 8 * GIB},
     TRUST_CACHE,
     "fits in memory"},
    {"buffered read that does not fit",
     {.kind = TARGET_DISK, .fstype = "ext4", .size_bytes = 16 * GIB, .ram_bytes = 8 * GIB},
     TRUST_CACHE,
     "a part of"},
    {"O_SYNC write",
     {.kind = TARGET_DISK, .fstype = "xfs", .direction = DIRECTION_WRITE, .sync = true},
     TRUST_DEVICE,
     "O_SYNC"},
    {"buffered write with fsync",
     {.kind = TARGET_DISK, .fstype = "xfs", .direction = DIRECTION_WRITE, .end_fsync = true},
     TRUST_CACHE,
     "fsync"},
    {"nfs",
     {.kind = TARGET_NETWORK, .fstype = "nfs4", .direct = DIRECT_NOT_CHECKED},
     TRUST_NETWORK,
     "server"},
    {"fuse", {.kind = TARGET_FUSE, .fstype = "fuse.sshfs"}, TRUST_UNKNOWN, "its server"},
    {"zfs sync write",
     {.kind = TARGET_ZFS, .fstype = "zfs", .direction = DIRECTION_WRITE, .sync = true},
     TRUST_DEVICE,
     "SLOG"},
    {"zfs sync=disabled",
     {.kind = TARGET_ZFS,
      .fstype = "zfs",
      .direction = DIRECTION_WRITE,
      .sync = true,
      .zfs_sync_disabled = true},
     TRUST_CACHE,
     "never committed"},
    {"zfs 2.2 direct read",
     {.kind = TARGET_ZFS,
      .fstype = "zfs",
      .direct = DIRECT_NOT_CHECKED,
      .zfs_major = 2,
      .zfs_minor = 2,
      .size_bytes = GIB,
      .ram_bytes = 4 * GIB},
     TRUST_CACHE,
     "ARC"},
    {"zfs 2.2 direct write",
     {.kind = TARGET_ZFS,
      .fstype = "zfs",
      .direction = DIRECTION_WRITE,
      .direct = DIRECT_NOT_CHECKED,
      .zfs_major = 2,
      .zfs_minor = 2},
     TRUST_CACHE,
     "ignores O_DIRECT"},
    {"zfs 2.3 direct 4K write on 128K records",
     {.kind = TARGET_ZFS,
      .fstype = "zfs",
      .direction = DIRECTION_WRITE,
      .direct = DIRECT_NOT_CHECKED,
      .zfs_major = 2,
      .zfs_minor = 3,
      .zfs_recordsize = 131072,
      .block_bytes = 4096},
     TRUST_CACHE,
     "record size"},
    {"zfs 2.3 direct 1M write",
     {.kind = TARGET_ZFS,
      .fstype = "zfs",
      .direction = DIRECTION_WRITE,
      .direct = DIRECT_NOT_CHECKED,
      .zfs_major = 2,
      .zfs_minor = 3,
      .zfs_recordsize = 131072,
      .block_bytes = 1048576},
     TRUST_DEVICE,
     "2.3"},
    {"zfs of unknown version, direct",
     {.kind = TARGET_ZFS, .fstype = "zfs", .direct = DIRECT_NOT_CHECKED},
     TRUST_UNKNOWN,
     "version"},
    {"zeros on compression",
     {.kind = TARGET_ZFS,
      .fstype = "zfs",
      .direction = DIRECTION_WRITE,
      .zeros = true,
      .compression = true},
     TRUST_COMPRESSED,
     "zeros"},
    {"unknown file system", {.kind = TARGET_OTHER, .fstype = "newfs"}, TRUST_UNKNOWN, "newfs"},
};

int main(void)
{
    char reason[TRUST_REASON];

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        enum trust got = trust_judge(&rows[i].f, reason);
        tap_str(trust_name(got), trust_name(rows[i].want), "%s", rows[i].what);
        if (!tap_ok(strstr(reason, rows[i].reason) != NULL, "%s: the reason", rows[i].what))
            tap_note("reason is: %s", reason);
    }
    return tap_done();
}
