/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The journal of turned knobs; see knob_journal.h.
 *
 * Promises: a reader sees a whole journal or none, and nothing that somebody else could have put
 * there: the directory is ours alone. What it makes a later run write goes to the processors'
 * files and nowhere else.
 */
#include "knob_journal.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sthd/buf.h"
#include "sthd/mem.h"
#include "sthd/text.h"

#define MAGIC        "speedtest-hd journal 1\n"
#define CPU_DIR      "/sys/devices/system/cpu/"
#define LOCK_TRIES   20
#define LOCK_WAIT_MS 10
#define MAX_BYTES    ((size_t)8 << 20)

char *journal_path(const char *dir)
{
    return mem_printf("%s/knobs.journal", dir);
}

static int read_file(const char *path, struct buf *out)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    ssize_t n;

    if (fd < 0)
        return -errno;
    buf_adds(out, "");
    do {
        buf_reserve(out, 4096);
        n = read(fd, out->data + out->len, out->cap - out->len - 1);
        if (n > 0)
            out->len += (size_t)n;
    } while ((n > 0 && out->len < MAX_BYTES) || (n < 0 && errno == EINTR));
    out->data[out->len] = '\0';
    int rc = n < 0 ? -errno : n > 0 ? -EFBIG : 0;
    close(fd);
    return rc;
}

/* "" where the kernel does not say: then it matches only another "". */
static void boot_id(const char *sysroot, char out[64])
{
    char *path = mem_printf("%s/proc/sys/kernel/random/boot_id", sysroot);
    struct buf b = BUF_INIT;

    out[0] = '\0';
    if (read_file(path, &b) == 0)
        snprintf(out, 64, "%.*s", (int)strcspn(b.data, "\n"), b.data);
    buf_done(&b);
    free(path);
}

/* ---- the directory and its lock ---- */

static int directory_failed(const char *dir, int errnum, struct err *e)
{
    return err_set(e, EXIT_CODE_INTERNAL, errnum,
                   "Nothing was changed: what is to be restored cannot be noted in %s: %s", dir,
                   strerror(errnum));
}

static int make_directory(const char *dir, struct err *e)
{
    struct stat st;
    char *parent = mem_strdup(dir);
    char *slash = strrchr(parent, '/');

    if (slash && slash != parent) {
        *slash = '\0';
        mkdir(parent, 0755); /* that it fails is told by the next one */
    }
    free(parent);
    if (mkdir(dir, 0700) < 0 && errno != EEXIST)
        return directory_failed(dir, errno, e);
    if (lstat(dir, &st) < 0)
        return directory_failed(dir, errno, e);
    if (!S_ISDIR(st.st_mode) || st.st_uid != geteuid() || (st.st_mode & 022))
        return err_set(e, EXIT_CODE_INTERNAL, EPERM,
                       "Nothing was changed: %s is not a directory of ours alone (owner, mode)",
                       dir);
    return 0;
}

/* A program that is just being started has our descriptors until its exec: a moment's patience. */
static bool take(int fd)
{
    for (int i = 0; i < LOCK_TRIES; i++) {
        if (flock(fd, LOCK_EX | LOCK_NB) == 0)
            return true;
        poll(NULL, 0, LOCK_WAIT_MS);
    }
    return false;
}

static int is_taken(const char *dir, const char *sysroot, struct err *e)
{
    struct journal j;
    char who[32] = "";

    if (journal_read(dir, sysroot, &j, NULL) == 0) {
        snprintf(who, sizeof(who), " (process %d)", (int)j.pid);
        journal_done(&j);
    }
    err_set(e, EXIT_CODE_INTERNAL, EBUSY,
            "Another speedtest-hd%s has knobs turned: one at a time, or they would restore each "
            "other's settings",
            who);
    return -EBUSY;
}

int journal_lock(const char *dir, const char *sysroot, int *fd, struct err *e)
{
    char *path = mem_printf("%s/knobs.lock", dir);
    int rc = make_directory(dir, e);

    *fd = -1;
    if (rc == 0) {
        *fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
        if (*fd < 0)
            rc = directory_failed(dir, errno, e);
    }
    if (rc == 0 && !take(*fd)) {
        rc = is_taken(dir, sysroot, e);
        close(*fd);
        *fd = -1;
    }
    free(path);
    return rc;
}

/* ---- writing ---- */

static int write_whole(int fd, const char *bytes, size_t len)
{
    while (len > 0) {
        ssize_t n = write(fd, bytes, len);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return -errno;
        bytes += n;
        len -= (size_t)n;
    }
    return fsync(fd) < 0 ? -errno : 0;
}

static void sync_directory(const char *dir)
{
    int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    if (fd < 0)
        return;
    fsync(fd);
    close(fd);
}

int journal_write(const char *dir, const char *sysroot, const struct journal *j, struct err *e)
{
    char *path = journal_path(dir), *temp = mem_printf("%s.new", path), id[64];
    struct buf b = BUF_INIT;

    boot_id(sysroot, id);
    buf_addf(&b, MAGIC "boot %s\npid %d\narmed %x\n", id, (int)j->pid, j->armed);
    for (size_t i = 0; i < j->n; i++)
        buf_addf(&b, "%u %s %s\n", j->actions[i].group, j->actions[i].text, j->actions[i].path);
    unlink(temp); /* of a run that was killed here */
    int fd = open(temp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    int rc = fd < 0 ? -errno : write_whole(fd, b.data, b.len);
    if (fd >= 0)
        close(fd);
    if (rc == 0 && rename(temp, path) < 0)
        rc = -errno;
    if (rc == 0)
        sync_directory(dir);
    else
        unlink(temp);
    if (rc < 0)
        rc = directory_failed(dir, -rc, e);
    buf_done(&b);
    free(temp);
    free(path);
    return rc;
}

/* ---- reading ---- */

static bool is_believable(const char *path, const char *sysroot)
{
    size_t n = strlen(sysroot);

    return strncmp(path, sysroot, n) == 0 && text_starts(path + n, CPU_DIR) &&
           !strstr(path + n, "/../");
}

/* "GROUP VALUE PATH": values have no blanks, paths may. */
static bool parse_action(char *line, const char *sysroot, struct keeper_action *a)
{
    char *value = strchr(line, ' '), *path = value ? strchr(value + 1, ' ') : NULL;

    if (!path || path == value + 1)
        return false;
    *value++ = '\0';
    *path++ = '\0';
    unsigned long group = strtoul(line, NULL, 10);
    if (group < 1 || group > KEEPER_GROUPS || !is_believable(path, sysroot))
        return false;
    *a = (struct keeper_action){KEEPER_WRITE, mem_strdup(path), mem_strdup(value), (unsigned)group};
    return true;
}

static char *next_line(char **rest)
{
    char *line = *rest, *end = line ? strchr(line, '\n') : NULL;

    if (!end)
        return NULL;
    *end = '\0';
    *rest = end + 1;
    return line;
}

static int parse(char *text, const char *sysroot, struct journal *j, char boot[64])
{
    char *rest = text, *line;
    int pid;

    if (!text_starts(text, MAGIC))
        return -EBADMSG;
    rest += strlen(MAGIC);
    line = next_line(&rest);
    if (!line || !text_starts(line, "boot "))
        return -EBADMSG;
    snprintf(boot, 64, "%s", line + 5);
    line = next_line(&rest);
    if (!line || sscanf(line, "pid %d", &pid) != 1)
        return -EBADMSG;
    j->pid = (pid_t)pid;
    line = next_line(&rest);
    if (!line || sscanf(line, "armed %x", &j->armed) != 1)
        return -EBADMSG;
    while ((line = next_line(&rest))) {
        j->actions = mem_realloc_array(j->actions, j->n + 1, sizeof(*j->actions));
        if (!parse_action(line, sysroot, &j->actions[j->n]))
            return -EBADMSG;
        j->n++;
    }
    return *rest ? -EBADMSG : 0;
}

int journal_read(const char *dir, const char *sysroot, struct journal *out, struct err *e)
{
    char *path = journal_path(dir), now[64], then[64] = "";
    struct buf b = BUF_INIT;
    struct stat st;
    int rc = read_file(path, &b);

    *out = (struct journal){.actions = NULL};
    if (rc == 0 && (lstat(path, &st) < 0 || st.st_uid != geteuid() || (st.st_mode & 022)))
        rc = -EPERM;
    if (rc == 0)
        rc = parse(b.data, sysroot, out, then);
    boot_id(sysroot, now);
    if (rc == 0 && strcmp(now, then) != 0) { /* a boot puts every knob back */
        unlink(path);
        rc = -ENOENT;
    }
    if (rc < 0 && rc != -ENOENT)
        err_set(e, EXIT_CODE_INTERNAL, -rc,
                "%s is no journal that can be trusted: %s; look at it, then remove it", path,
                rc == -EBADMSG ? "its text is not what this program writes" : strerror(-rc));
    if (rc < 0)
        journal_done(out);
    buf_done(&b);
    free(path);
    return rc;
}

void journal_done(struct journal *j)
{
    for (size_t i = 0; i < j->n; i++) {
        free((char *)j->actions[i].path);
        free((char *)j->actions[i].text);
    }
    free(j->actions);
    j->actions = NULL;
    j->n = 0;
}
