/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The target for a path somebody typed; see host.h. Promises an answer within ANSWER_MS, because
 * resolving a path walks through whatever is mounted on the way.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fstype.h"
#include "peek.h"
#include "sthd/host.h"
#include "sthd/mem.h"
#include "sthd/text.h"
#include "sthd/units.h"
#include "sysroot.h"
#include "targets.h"

#define ANSWER_MS 3000

struct answer {
    struct look look;
    int errnum; /* of resolving the path */
    bool has_mount_id;
    uint64_t mount_id;
    char path[PATH_MAX];
};

static void find_mount_id(struct answer *a)
{
#ifdef STATX_MNT_ID /* Linux 5.8 */
    struct statx sx;

    if (statx(AT_FDCWD, a->path, AT_NO_AUTOMOUNT, STATX_MNT_ID, &sx) == 0 &&
        (sx.stx_mask & STATX_MNT_ID)) {
        a->has_mount_id = true;
        a->mount_id = sx.stx_mnt_id;
    }
#else
    (void)a;
#endif
}

static void resolve(struct answer *a, const char *path)
{
    if (!realpath(path, a->path)) {
        a->errnum = errno;
        return;
    }
    a->look = look_at(a->path);
    a->errnum = a->look.errnum;
    find_mount_id(a);
}

struct question {
    const char *path;
    struct answer *answer; /* room for it */
};

static void resolve_in_child(int fd, void *arg)
{
    const struct question *q = arg;

    resolve(q->answer, q->path);
    peek_write(fd, q->answer, sizeof(*q->answer));
}

/*
 * Symbolic links can lead a path anywhere, so the child is needed as soon as anything mounted may
 * fail to answer, or may be mounted by looking.
 */
static bool may_hang(const struct mountinfo *m)
{
    for (size_t i = 0; i < m->n; i++) {
        const struct mount *x = &m->items[i];
        bool automount = strcmp(x->fstype, "autofs") == 0 && !mountinfo_is_below(x->point, "/proc");
        if (automount || fstype_may_hang(fstype_kind(x)))
            return true;
    }
    return false;
}

/* The user's word in a sentence. */
static char *shown(const char *path)
{
    struct buf b = BUF_INIT, fit = BUF_INIT;

    text_printable(&b, path, strlen(path), false);
    buf_adds(&fit, "");
    if (b.data)
        text_fit(&fit, b.data, 200, false);
    buf_done(&b);
    return buf_steal(&fit);
}

static int explain(int errnum, const char *path, struct err *e)
{
    char *word = shown(path);
    int rc;

    switch (errnum) {
    case ENOENT:
        rc = err_set(e, EXIT_CODE_TARGET, errnum,
                     "%s does not exist: mount it, or name another directory",
                     *word ? word : "the empty path");
        break;
    case ENOTDIR:
        rc = err_set(
            e, EXIT_CODE_TARGET, errnum,
            "%s is not a directory: name the directory to measure in, or a block device to read",
            word);
        break;
    case EACCES:
        rc = err_set(e, EXIT_CODE_TARGET, errnum,
                     "%s cannot be reached: permission denied; run as a user who may enter it, or "
                     "name another directory",
                     word);
        break;
    case ETIMEDOUT:
        rc = err_set(e, EXIT_CODE_TARGET, errnum,
                     "%s does not answer: its file system hangs (a server that is gone, a failing "
                     "disk, a suspended pool); name another directory",
                     word);
        break;
    default:
        rc = err_set(e, EXIT_CODE_TARGET, errnum, "%s cannot be used: %s; name another directory",
                     word, strerror(errnum));
        break;
    }
    free(word);
    return rc;
}

/* Takes the prefix of a fixture tree off again; the tree may itself be behind symbolic links. */
static int strip_sysroot(char *path, const char *sysroot)
{
    char *real = realpath(sysroot, NULL);
    size_t n = real ? strlen(real) : 0;
    bool inside = real && mountinfo_is_below(path, real);

    free(real);
    if (!inside)
        return -ENOENT;
    if (n > 1)
        memmove(path, path + n, strlen(path + n) + 1);
    if (!*path)
        memcpy(path, "/", 2);
    return 0;
}

static const struct mount *find_mount(const struct mountinfo *m, const struct answer *a,
                                      bool ids_are_ours)
{
    const struct mount *found = NULL;

    if (ids_are_ours && a->has_mount_id)
        found = mountinfo_by_id(m, a->mount_id);
    return found ? found : mountinfo_covering(m, a->path);
}

static int ask(struct answer *a, const char *path, const char *sysroot, const struct mountinfo *m)
{
    char *full =
        !*sysroot ? mem_strdup(path) : mem_printf("%s%s%s", sysroot, *path == '/' ? "" : "/", path);
    struct question q = {full, a};
    bool answered = true;

    if (!*path)
        a->errnum = ENOENT;
    else if (may_hang(m))
        answered = peek(resolve_in_child, &q, a, sizeof(*a), ANSWER_MS) == sizeof(*a);
    else
        resolve(a, full);
    free(full);
    if (!answered)
        return -ETIMEDOUT;
    if (a->errnum)
        return -a->errnum;
    if (!a->look.is_directory && !a->look.is_block)
        return -ENOTDIR;
    return *sysroot ? strip_sysroot(a->path, sysroot) : 0;
}

/* In sectors of 512 bytes, whatever the device's own are. */
static uint64_t device_bytes(const struct look *l, const char *sysroot)
{
    char path[64];
    struct buf text = BUF_INIT;
    unsigned long long sectors = 0;

    snprintf(path, sizeof(path), "/sys/dev/block/%u:%u/size", l->dev_major, l->dev_minor);
    if (sysroot_read(&text, sysroot, path) < 0 || sscanf(text.data, "%20llu", &sectors) != 1)
        sectors = 0;
    buf_done(&text);
    return sectors < (UINT64_C(1) << 52) ? (uint64_t)sectors * 512 : 0;
}

static int describe_block(struct target *out, const struct answer *a, const char *sysroot,
                          struct err *e)
{
    char *word = shown(a->path);
    int rc = 0;

    out->kind = TARGET_BLOCK;
    out->path = mem_strdup(a->path);
    out->mount = mem_strdup("");
    out->fstype = mem_strdup("block device");
    out->source = mem_strdup(a->path);
    out->options = mem_strdup("");
    out->dev_major = a->look.dev_major;
    out->dev_minor = a->look.dev_minor;
    out->total_bytes = device_bytes(&a->look, sysroot);
    out->free_bytes = UNITS_ABSENT;
    out->read_only = true;
    snprintf(out->note, sizeof(out->note), "a block device: it is only read");
    if (!a->look.readable)
        rc = err_set(e, EXIT_CODE_TARGET, EACCES,
                     "%s cannot be read: permission denied; run as root (--sudo), or name a "
                     "directory",
                     word);
    else if (out->total_bytes == 0)
        rc = err_set(e, EXIT_CODE_TARGET, ENOMEDIUM,
                     "%s has no size: there is no medium in it; name another device or a directory",
                     word);
    if (rc < 0) {
        target_done(out);
        memset(out, 0, sizeof(*out));
    }
    free(word);
    return rc;
}

static int describe(struct target *out, const struct answer *a, const struct mountinfo *m,
                    bool ids_are_ours, struct err *e)
{
    const struct mount *mount = find_mount(m, a, ids_are_ours);

    if (!mount) {
        char *word = shown(a->path);
        int rc = err_set(e, EXIT_CODE_TARGET, ENODEV,
                         "%s is on no mount that /proc/self/mountinfo lists: name a directory "
                         "below a mount point",
                         word);
        free(word);
        return rc;
    }
    target_from_mount(out, mount, a->path);
    target_add_look(out, &a->look);
    return 0;
}

int host_target(struct target *out, const char *path, const char *sysroot, struct err *e)
{
    struct mountinfo m;
    int rc = mountinfo_read(&m, sysroot, e);

    memset(out, 0, sizeof(*out));
    if (rc < 0)
        return rc;
    struct answer *a = mem_zalloc(sizeof(*a));
    rc = ask(a, path, sysroot, &m);
    if (rc < 0)
        rc = explain(-rc, path, e);
    else if (a->look.is_block)
        rc = describe_block(out, a, sysroot, e);
    else
        rc = describe(out, a, &m, !*sysroot, e);
    free(a);
    mountinfo_done(&m);
    return rc;
}
