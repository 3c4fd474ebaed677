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
    {"direct accepted, a part of it on the device",
     {.kind = TARGET_DISK, .fstype = "btrfs", .direct = DIRECT_IGNORED, .device_percent = 31},
     TRUST_CACHE,
     "only 31 %"},
    {"buffered read that the device gave",
     {.kind = TARGET_DISK,
      .fstype = "ext4",
      .device_seen = true,
      .device_percent = 98,
      .size_bytes = GIB,
      .ram_bytes = 8 * GIB},
     TRUST_DEVICE,
     "98 %"},
    {"buffered read that it did not",
     {.kind = TARGET_DISK, .fstype = "ext4", .device_seen = true, .device_percent = 3},
     TRUST_CACHE,
     "only 3 %"},
    {"buffered read that it gave half of",
     {.kind = TARGET_DISK, .fstype = "ext4", .device_seen = true, .device_percent = 45},
     TRUST_CACHE,
     "in part"},
    {"buffered read with the file in memory, nothing to watch",
     {.kind = TARGET_OVERLAY, .fstype = "overlay", .cache = CACHE_FULL},
     TRUST_CACHE,
     "whole file"},
    {"the same, though the device was seen: that was to fill the cache",
     {.kind = TARGET_DISK,
      .fstype = "ext4",
      .cache = CACHE_FULL,
      .device_seen = true,
      .device_percent = 100},
     TRUST_CACHE,
     "whole file"},
    {"buffered read with an empty cache, nothing to watch",
     {.kind = TARGET_OVERLAY, .fstype = "overlay", .cache = CACHE_EMPTY},
     TRUST_DEVICE,
     "held nothing"},
    {"O_SYNC write that is seen",
     {.kind = TARGET_DISK,
      .fstype = "xfs",
      .direction = DIRECTION_WRITE,
      .sync = true,
      .device_seen = true,
      .device_percent = 100},
     TRUST_DEVICE,
     "seen"},
    {"O_SYNC write that is not",
     {.kind = TARGET_DISK,
      .fstype = "ext4",
      .direction = DIRECTION_WRITE,
      .sync = true,
      .device_seen = true,
      .device_percent = 0},
     TRUST_UNKNOWN,
     "something keeps them"},
    {"unknown file system", {.kind = TARGET_OTHER, .fstype = "newfs"}, TRUST_UNKNOWN, "newfs"},
};

static void test_direct(void)
{
    static const struct {
        const char *what;
        bool asked, seen;
        double bytes, device;
        enum direct_honoured want;
        unsigned percent;
    } cases[] = {
        {"not asked for", false, true, 1e9, 1e9, DIRECT_NOT_ASKED, 100},
        {"no device to see", true, false, 1e9, 0, DIRECT_NOT_CHECKED, 0},
        {"all of it", true, true, 1e9, 1e9, DIRECT_HONOURED, 100},
        {"and somebody else's", true, true, 1e9, 5e9, DIRECT_HONOURED, 100},
        {"nothing", true, true, 1e9, 0, DIRECT_IGNORED, 0},
        {"a little", true, true, 1e9, 0.31e9, DIRECT_IGNORED, 31},
        {"too little to tell", true, true, 4096, 0, DIRECT_NOT_CHECKED, 0},
        {"no bytes", true, true, 0, 4096, DIRECT_NOT_CHECKED, 0},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        tap_int(trust_direct(cases[i].asked, cases[i].seen, cases[i].bytes, cases[i].device),
                cases[i].want, "direct I/O: %s", cases[i].what);
        tap_int(trust_device_percent(cases[i].bytes, cases[i].device), cases[i].percent,
                "percent: %s", cases[i].what);
    }
}

int main(void)
{
    test_direct();
    char reason[TRUST_REASON];

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        enum trust got = trust_judge(&rows[i].f, reason);
        tap_str(trust_name(got), trust_name(rows[i].want), "%s", rows[i].what);
        if (!tap_ok(strstr(reason, rows[i].reason) != NULL, "%s: the reason", rows[i].what))
            tap_note("reason is: %s", reason);
    }
    return tap_done();
}
