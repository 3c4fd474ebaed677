/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The bench file that has no name; see bench_file.h.
 *
 * Promises: nothing that exists is opened for writing, no name stays in the directory, and the
 * file goes with its last descriptor. Its blocks are reserved where the file system can (so that
 * "no space" is said now, not in the middle of a run), but not written: that is the prepare step's.
 * Must not know: fio.
 */
#include "sthd/bench_file.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "bench_file_private.h"
#include "sthd/keeper.h"
#include "sthd/mem.h"
#include "sthd/text.h"
#include "sthd/units.h"

#define ALL_WAYS (1u << BENCH_FILE_TMPFILE | 1u << BENCH_FILE_UNLINKED | 1u << BENCH_FILE_KEEPER)

struct bench_file {
    int fd;
    enum bench_file_way way;
    struct keeper *keeper; /* BENCH_FILE_KEEPER only */
};

/* ---- sentences ------------------------------------------------------------------------------- */

/* A path as it may be shown: printable, and its tail when it is long. */
struct shown {
    char text[200];
};

static struct shown shown(const char *path)
{
    struct shown s;
    struct buf b = BUF_INIT;
    const char *from;

    text_printable(&b, path, strlen(path), false);
    from = b.data ? b.data : "";
    if (b.len >= sizeof(s.text)) {
        from += b.len - (sizeof(s.text) - 4);
        while (((unsigned char)*from & 0xc0) == 0x80) /* not in the middle of a character */
            from++;
        snprintf(s.text, sizeof(s.text), "...%s", from);
    } else {
        snprintf(s.text, sizeof(s.text), "%s", from);
    }
    buf_done(&b);
    return s;
}

static int target_error(struct err *e, int errnum, const char *dir)
{
    const struct shown d = shown(dir);

#define SAY(...) return err_set(e, EXIT_CODE_TARGET, errnum, __VA_ARGS__)
    switch (errnum) {
    case ENOENT:
        SAY("%s does not exist: choose a directory that does", d.text);
    case ENOTDIR:
        SAY("%s is not a directory: choose the directory to measure in", d.text);
    case EROFS:
        SAY("%s is on a file system that is mounted read-only: remount it or choose another "
            "directory",
            d.text);
    case EACCES:
        if (geteuid() == 0)
            SAY("%s is not writable even for root (a network file system that squashes root?): "
                "run as a user who may write there",
                d.text);
        SAY("%s is not writable for this user: choose another directory, or use sudo", d.text);
    case EPERM:
        SAY("%s does not take new files (no real file system, immutable as lsattr -d shows, or a "
            "security policy): choose "
            "another directory",
            d.text);
    case ESTALE:
    case EIO:
    case ENOTCONN:
    case EHOSTDOWN:
    case ETIMEDOUT:
        SAY("%s does not answer (%s): check the file system, or choose another directory", d.text,
            strerror(errnum));
    case ELOOP:
        SAY("%s goes round in circles of symbolic links: choose another directory", d.text);
    case ENAMETOOLONG:
        SAY("%s is too long a path: choose another directory", d.text);
    case EMFILE:
    case ENFILE:
    case ENOMEM:
        return err_set(e, EXIT_CODE_INTERNAL, errnum, "%s could not be opened: %s", d.text,
                       strerror(errnum));
    default:
        SAY("The bench file could not be made in %s: %s; choose another directory", d.text,
            strerror(errnum));
    }
#undef SAY
}

/* Free for everybody: what is reserved for root keeps the machine alive, so we leave it alone. */
static bool space_free(const char *dir, uint64_t *avail, uint64_t *reserved)
{
    struct statvfs st;

    if (statvfs(dir, &st) < 0 || st.f_blocks == 0)
        return false; /* file systems that do not know say 0 of 0 */
    uint64_t unit = st.f_frsize ? st.f_frsize : st.f_bsize;
    *avail = st.f_bavail * unit;
    *reserved = st.f_bfree > st.f_bavail ? (st.f_bfree - st.f_bavail) * unit : 0;
    return true;
}

static int space_error(struct err *e, int errnum, const char *dir, uint64_t size_bytes)
{
    const struct shown d = shown(dir);
    char need[UNITS_TEXT], have[UNITS_TEXT], kept[UNITS_TEXT], with_kept[64] = "";
    uint64_t avail = 0, reserved = 0;

    units_size(need, size_bytes);
    if (errnum == EDQUOT)
        return err_set(e, EXIT_CODE_SPACE, errnum,
                       "The disk quota leaves no room in %s: the bench file needs %s; choose a "
                       "smaller --size, another directory or another user",
                       d.text, need);
    if (!space_free(dir, &avail, &reserved))
        return err_set(e, EXIT_CODE_SPACE, errnum,
                       "Not enough space in %s: the bench file needs %s; choose a smaller --size "
                       "or another directory",
                       d.text, need);
    units_size(have, avail);
    if (reserved > 0)
        snprintf(with_kept, sizeof(with_kept), " (another %s is kept for root)",
                 units_size(kept, reserved));
    return err_set(e, EXIT_CODE_SPACE, errnum,
                   "Not enough space in %s: the bench file needs %s, and %s is free%s; choose a "
                   "smaller --size or another directory",
                   d.text, need, have, with_kept);
}

static int too_big_error(struct err *e, const char *dir, uint64_t size_bytes, bool by_limit)
{
    const struct shown d = shown(dir);
    char need[UNITS_TEXT];

    units_size(need, size_bytes);
    return err_set(e, EXIT_CODE_TARGET, EFBIG,
                   "A bench file of %s is larger than %s; choose a smaller --size%s%s", need,
                   by_limit ? "this user's limit on file sizes (ulimit -f)"
                            : "the file system allows a file to be",
                   by_limit ? "" : ": ", by_limit ? "" : d.text);
}

/* ---- checks ---------------------------------------------------------------------------------- */

int bench_file_check(const char *dir, uint64_t size_bytes, struct err *e)
{
    struct stat st;
    struct rlimit limit;
    uint64_t avail, reserved;

    if (stat(dir, &st) < 0) {
        if (errno == EACCES)
            return err_set(e, EXIT_CODE_TARGET, EACCES,
                           "%s cannot be reached by this user: choose another directory, or use "
                           "sudo",
                           shown(dir).text);
        return target_error(e, errno, dir);
    }
    if (!S_ISDIR(st.st_mode))
        return target_error(e, ENOTDIR, dir);
    if (faccessat(AT_FDCWD, dir, W_OK | X_OK, AT_EACCESS) < 0)
        return target_error(e, errno, dir);
    /* Over it, the kernel does not only refuse but sends SIGXFSZ, which kills. */
    if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
        limit.rlim_cur < size_bytes)
        return too_big_error(e, dir, size_bytes, true);
    if (space_free(dir, &avail, &reserved) && avail < size_bytes)
        return space_error(e, ENOSPC, dir, size_bytes);
    return 0;
}

/* ---- making it ------------------------------------------------------------------------------- */

/* 0 or -errno. Reserves the blocks if possible, else only the length. */
static int size_file(int fd, uint64_t size_bytes)
{
    int rc;

    do {
        rc = fallocate(fd, 0, 0, (off_t)size_bytes);
    } while (rc < 0 && errno == EINTR);
    if (rc == 0)
        return 0;
    if (errno != EOPNOTSUPP && errno != ENOSYS && errno != EINVAL)
        return -errno;
    return ftruncate(fd, (off_t)size_bytes) < 0 ? -errno : 0;
}

/* fio opens it again through /proc, as often as it has threads. Some file systems (FUSE, some
 * network ones) cannot open what has no name. */
static bool can_be_reopened(int fd)
{
    char path[64];
    struct stat a, b;
    bool same;

    snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    int again = open(path, O_RDWR | O_CLOEXEC);
    if (again < 0)
        return false;
    same = fstat(fd, &a) == 0 && fstat(again, &b) == 0 && a.st_dev == b.st_dev &&
           a.st_ino == b.st_ino && S_ISREG(b.st_mode);
    close(again);
    return same;
}

void bench_file_random_name(char *to, size_t size)
{
    uint64_t r = 0;

    /* Short of entropy at early boot: the pid will do, O_EXCL is what makes it safe. */
    if (getrandom(&r, sizeof(r), GRND_NONBLOCK) != (ssize_t)sizeof(r))
        r = (uint64_t)getpid();
    snprintf(to, size, ".speedtest-hd-%016" PRIx64, r);
}

/* The ways: a descriptor, or -errno. */
static int open_tmpfile(int dirfd)
{
    /* O_EXCL: nobody can give it a name afterwards */
    int fd = openat(dirfd, ".", O_TMPFILE | O_EXCL | O_RDWR | O_CLOEXEC, 0600);

    return fd < 0 ? -errno : fd;
}

static int open_unlinked(int dirfd)
{
    char name[64];
    int fd;

    do {
        bench_file_random_name(name, sizeof(name));
        fd = openat(dirfd, name, O_CREAT | O_EXCL | O_NOFOLLOW | O_RDWR | O_CLOEXEC, 0600);
    } while (fd < 0 && errno == EEXIST);
    if (fd < 0)
        return -errno;
    if (unlinkat(dirfd, name, 0) < 0) {
        /* e.g. a share that does not delete open files: closed, it may go */
        int errnum = errno;
        close(fd);
        unlinkat(dirfd, name, 0);
        return -errnum;
    }
    return fd;
}

int bench_file_error(struct err *e, int errnum, const char *dir, uint64_t size_bytes)
{
    if (errnum == ENOSPC || errnum == EDQUOT)
        return space_error(e, errnum, dir, size_bytes);
    if (errnum == EFBIG)
        return too_big_error(e, dir, size_bytes, false);
    if (errnum == ENOENT && access(dir, F_OK) == 0)
        errnum = EPERM; /* how /proc and its like say that they take no files */
    return target_error(e, errnum, dir);
}

/* The keeper stands guard before there is anything to remove. */
static int open_kept(const char *dir, uint64_t size_bytes, struct keeper **keeper, struct err *e)
{
    char name[64], real[PATH_MAX];
    int fd = -1, rc;

    if (!realpath(dir, real))
        return target_error(e, errno, dir);
    bench_file_random_name(name, sizeof(name));
    char *private = mem_printf("%s/%s", real, name);
    char *file = mem_printf("%s/bench", private);
    const struct keeper_action actions[] = {{KEEPER_UNLINK, file, NULL, 0},
                                            {KEEPER_RMDIR, private, NULL, 0}};
    rc = keeper_start(keeper, actions, 2, e);
    if (rc == 0) {
        if (mkdir(private, 0700) == 0)
            fd = open(file, O_CREAT | O_EXCL | O_NOFOLLOW | O_RDWR | O_CLOEXEC, 0600);
        if (fd < 0) {
            rc = bench_file_error(e, errno, dir, size_bytes);
            keeper_release(*keeper, NULL);
            *keeper = NULL;
        }
    }
    free(private);
    free(file);
    return rc < 0 ? rc : fd;
}

/* These say "not here", the others "not like this" and the next way may do. */
static bool is_final(int errnum)
{
    return errnum == EACCES || errnum == EROFS || errnum == ENOSPC || errnum == EDQUOT ||
           errnum == EMFILE || errnum == ENFILE || errnum == ENOMEM || errnum == EIO ||
           errnum == ESTALE;
}

static int open_nameless(struct bench_file *f, int dirfd, unsigned ways)
{
    static int (*const open_by[])(int) = {
        [BENCH_FILE_TMPFILE] = open_tmpfile, [BENCH_FILE_UNLINKED] = open_unlinked};

    for (unsigned way = BENCH_FILE_TMPFILE; way <= BENCH_FILE_UNLINKED; way++) {
        if (!(ways & 1u << way))
            continue;
        int fd = open_by[way](dirfd);
        if (fd < 0 && is_final(-fd))
            return fd;
        if (fd < 0)
            continue;
        if (can_be_reopened(fd)) {
            f->fd = fd;
            f->way = (enum bench_file_way)way;
            return 0;
        }
        close(fd);
    }
    return 0;
}

int bench_file_create_by(struct bench_file **out, const char *dir, uint64_t size_bytes,
                         unsigned ways, struct err *e)
{
    struct bench_file f = {.fd = -1};
    int rc;

    *out = NULL;
    assert(size_bytes > 0 && size_bytes <= INT64_MAX);
    rc = bench_file_check(dir, size_bytes, e);
    if (rc < 0)
        return rc;
    int dirfd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (dirfd < 0 && errno == EACCES) /* may be entered and written, not listed */
        dirfd = open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (dirfd < 0)
        return target_error(e, errno, dir);
    rc = open_nameless(&f, dirfd, ways);
    close(dirfd);
    if (rc < 0)
        return bench_file_error(e, -rc, dir, size_bytes);
    if (f.fd < 0 && ways & 1u << BENCH_FILE_KEEPER) {
        f.way = BENCH_FILE_KEEPER;
        f.fd = open_kept(dir, size_bytes, &f.keeper, e);
        if (f.fd < 0)
            return f.fd;
    }
    if (f.fd < 0)
        return target_error(e, EOPNOTSUPP, dir);

    rc = size_file(f.fd, size_bytes);
    if (rc < 0)
        rc = bench_file_error(e, -rc, dir, size_bytes);
    *out = mem_alloc(sizeof(f));
    **out = f;
    if (rc < 0) {
        bench_file_free(*out);
        *out = NULL;
    }
    return rc;
}

int bench_file_create(struct bench_file **out, const char *dir, uint64_t size_bytes, struct err *e)
{
    return bench_file_create_by(out, dir, size_bytes, ALL_WAYS, e);
}

int bench_file_of_device(struct bench_file **out, const char *path, struct err *e)
{
    struct bench_file f = {.fd = open(path, O_RDONLY | O_CLOEXEC), .way = BENCH_FILE_DEVICE};
    struct stat st;

    *out = NULL;
    if (f.fd >= 0 && (fstat(f.fd, &st) < 0 || !S_ISBLK(st.st_mode))) {
        close(f.fd);
        f.fd = -1;
        errno = ENOTBLK;
    }
    if (f.fd < 0)
        return err_set(e, EXIT_CODE_TARGET, errno, "%.200s cannot be read: %s", path,
                       strerror(errno));
    *out = mem_alloc(sizeof(f));
    **out = f;
    return 0;
}

int bench_file_fd(const struct bench_file *f)
{
    return f->fd;
}

enum bench_file_way bench_file_way(const struct bench_file *f)
{
    return f->way;
}

void bench_file_free(struct bench_file *f)
{
    if (!f)
        return;
    close(f->fd);
    keeper_release(f->keeper, NULL);
    free(f);
}
