/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is known about file systems by name; see fstype.h. Data and look-up only: asks nobody. */
#include "fstype.h"

#include <string.h>

#include "sthd/text.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static bool is_one_of(const char *s, const char *const *list, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(s, list[i]) == 0)
            return true;
    return false;
}

bool fstype_is_pseudo(const struct mount *m)
{
    static const char *const types[] = {
        "autofs",
        "binder",
        "binfmt_misc",
        "bpf",
        "cgroup",
        "cgroup2",
        "configfs",
        "cramfs",
        "debugfs",
        "devpts",
        "devtmpfs",
        "efivarfs",
        "erofs",
        "functionfs",
        "fusectl",
        "hugetlbfs",
        "iso9660",
        "mqueue",
        "nfsd",
        "nsfs",
        "oprofilefs",
        "pipefs",
        "proc",
        "pstore",
        "resctrl",
        "romfs",
        "rootfs",
        "rpc_pipefs",
        "securityfs",
        "selinuxfs",
        "smackfs",
        "sockfs",
        "squashfs",
        "sysfs",
        "tracefs",
        "udf",
        "usbfs",
        "xenfs",
        "fuse.lxcfs",
        "fuse.portal",
        "fuse.snapfuse",
        "fuse.squashfuse",
        "fuse.gvfsd-fuse",
        "fuse.archivemount",
        "fuse.rofiles-fuse",
    };

    return is_one_of(m->fstype, types, COUNT(types)) || mountinfo_is_below(m->point, "/proc") ||
           mountinfo_is_below(m->point, "/sys") ||
           mountinfo_is_below(m->point, "/run/credentials") ||
           strstr(m->point, "/.zfs/snapshot/") != NULL;
}

enum family { FAMILY_NFS, FAMILY_SMB, FAMILY_HOST, FAMILY_CLUSTER, FAMILY_NONE };

/* Whose device is on another machine, by the word a person has for it. */
static enum family network_family(const struct mount *m)
{
    static const struct {
        const char *type;
        enum family family;
    } rows[] = {
        {"nfs", FAMILY_NFS},
        {"nfs4", FAMILY_NFS},
        {"cifs", FAMILY_SMB},
        {"smb3", FAMILY_SMB},
        {"smbfs", FAMILY_SMB},
        {"fuse.smbnetfs", FAMILY_SMB},
        {"9p", FAMILY_HOST},
        {"virtiofs", FAMILY_HOST},
        {"vboxsf", FAMILY_HOST},
        {"vmhgfs", FAMILY_HOST},
        {"prl_fs", FAMILY_HOST},
        {"fuse.vmhgfs-fuse", FAMILY_HOST},
        {"afs", FAMILY_CLUSTER},
        {"ceph", FAMILY_CLUSTER},
        {"lustre", FAMILY_CLUSTER},
        {"beegfs", FAMILY_CLUSTER},
        {"gpfs", FAMILY_CLUSTER},
        {"orangefs", FAMILY_CLUSTER},
        {"coda", FAMILY_CLUSTER},
        {"glusterfs", FAMILY_CLUSTER},
        {"fuse.ceph", FAMILY_CLUSTER},
        {"fuse.ceph-fuse", FAMILY_CLUSTER},
        {"fuse.glusterfs", FAMILY_CLUSTER},
    };

    for (size_t i = 0; i < COUNT(rows); i++)
        if (strcmp(m->fstype, rows[i].type) == 0)
            return rows[i].family;
    return FAMILY_NONE;
}

enum target_kind fstype_kind(const struct mount *m)
{
    static const char *const ram[] = {"tmpfs", "ramfs"};
    static const char *const overlay[] = {"overlay", "overlayfs", "aufs", "unionfs"};
    /* on devices, though mountinfo shows an anonymous one and a source without a slash */
    static const char *const disk[] = {"btrfs", "bcachefs", "ubifs", "jffs2", "f2fs"};

    if (strcmp(m->fstype, "zfs") == 0)
        return TARGET_ZFS;
    if (network_family(m) != FAMILY_NONE)
        return TARGET_NETWORK;
    if (strcmp(m->fstype, "fuse") == 0 || strcmp(m->fstype, "fuseblk") == 0 ||
        text_starts(m->fstype, "fuse."))
        return TARGET_FUSE;
    if (is_one_of(m->fstype, overlay, COUNT(overlay)))
        return TARGET_OVERLAY;
    if (is_one_of(m->fstype, ram, COUNT(ram)))
        return TARGET_RAM;
    if (!fstype_is_pseudo(m) && (m->major != 0 || text_starts(m->source, "/dev/") ||
                                 is_one_of(m->fstype, disk, COUNT(disk))))
        return TARGET_DISK;
    return TARGET_OTHER;
}

const char *fstype_note(const struct mount *m)
{
    static const char *const network[] = {
        [FAMILY_NFS] = "NFS: the device is not visible here",
        [FAMILY_SMB] = "SMB: the device is not visible here",
        [FAMILY_HOST] = "shared by the host: its device is not visible here",
        [FAMILY_CLUSTER] = "a cluster's: its devices are not visible here",
    };

    switch (fstype_kind(m)) {
    case TARGET_NETWORK:
        return network[network_family(m)];
    case TARGET_FUSE:
        return "FUSE: a program answers, the device is not visible here";
    case TARGET_OVERLAY:
        return "overlay: writes go to its upper layer";
    case TARGET_BLOCK:
    case TARGET_RAM:
        return "RAM, not a disk";
    case TARGET_OTHER:
        return fstype_is_pseudo(m) ? "not a file system for data" : "";
    case TARGET_DISK:
    case TARGET_ZFS:
        break;
    }
    return "";
}

bool fstype_may_hang(enum target_kind kind)
{
    return kind == TARGET_NETWORK || kind == TARGET_FUSE || kind == TARGET_ZFS;
}

bool fstype_is_system(const struct mount *m)
{
    static const char *const places[] = {
        "/boot",
        "/dev",
        "/etc",
        "/home/.snapshots",
        "/opt",
        "/root",
        "/run",
        "/snap",
        "/usr",
        "/var/lib/containers",
        "/var/lib/docker",
        "/var/lib/kubelet",
        "/var/log",
        "/var/db",
        "/var/cache",
    };
    static const char *const pools[] = {"boot-pool/", "freenas-boot/", "rpool/ROOT/"};

    for (size_t i = 0; i < COUNT(pools); i++)
        if (text_starts(m->source, pools[i]))
            return true;
    for (size_t i = 0; i < COUNT(places); i++)
        if (mountinfo_is_below(m->point, places[i]))
            return true;
    return false;
}
