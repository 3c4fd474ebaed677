/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The version and the kstats of ZFS in /proc and /sys; see host.h. Asks no pool and no program. */
#include <stdio.h>
#include <string.h>

#include "sthd/host.h"
#include "sthd/text.h"
#include "sysroot.h"

#define KSTATS      "/proc/spl/kstat/zfs"
#define OBJSETS_MAX 8192 /* datasets of a pool that are mounted */

bool host_zfs_version(int *major, int *minor, const char *sysroot)
{
    char text[64];

    return zfs_version_parse(sysroot_line(text, sizeof(text), sysroot, "/sys/module/zfs/version"),
                             major, minor);
}

uint64_t host_zfs_arc_limit(const char *sysroot)
{
    struct buf text = BUF_INIT;
    uint64_t bytes = 0;

    if (sysroot_read(&text, sysroot, KSTATS "/arcstats") == 0)
        bytes = arc_limit_parse(text.data);
    buf_done(&text);
    return bytes;
}

static bool read_objset(struct buf *text, const char *pool, const char *name, const char *sysroot)
{
    char path[512];

    snprintf(path, sizeof(path), KSTATS "/%.260s/%.39s", pool, name);
    return sysroot_read(text, sysroot, path) == 0;
}

static bool is_of(const struct buf *text, const char *dataset)
{
    char name[ZFS_NAME];

    return zil_dataset(text->data, name) && strcmp(name, dataset) == 0;
}

/* Its kstat has a number for a name, and says inside whose it is. */
static bool find_objset(struct buf *text, char objset[HOST_OBJSET_NAME], const char *dataset,
                        const char *sysroot)
{
    char pool[ZFS_NAME], path[ZFS_NAME + 32];
    struct strv all;
    bool found = false;

    snprintf(pool, sizeof(pool), "%.*s", (int)strcspn(dataset, "/"), dataset);
    if (*objset && read_objset(text, pool, objset, sysroot) && is_of(text, dataset))
        return true;
    snprintf(path, sizeof(path), KSTATS "/%s", pool);
    sysroot_list(&all, sysroot, path);
    for (size_t i = 0; i < all.n && i < OBJSETS_MAX && !found; i++) {
        if (!text_starts(all.items[i], "objset-") || strlen(all.items[i]) >= HOST_OBJSET_NAME)
            continue;
        found = read_objset(text, pool, all.items[i], sysroot) && is_of(text, dataset);
        if (found)
            snprintf(objset, HOST_OBJSET_NAME, "%s", all.items[i]);
    }
    strv_done(&all);
    return found;
}

void host_zfs_zil(struct zil *out, char objset[HOST_OBJSET_NAME], const char *dataset,
                  const char *sysroot)
{
    struct buf text = BUF_INIT;
    bool found = find_objset(&text, objset, dataset, sysroot) && zil_parse(out, text.data);

    if (!found && (sysroot_read(&text, sysroot, KSTATS "/zil") != 0 || !zil_parse(out, text.data)))
        memset(out, 0, sizeof(*out));
    buf_done(&text);
}
