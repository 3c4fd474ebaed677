/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads /proc/PID; see proc_file.h. Promises to open nothing but files of /proc, so it neither
 * waits for a disk nor disturbs what is being watched. Must not know what the process is.
 */
#include "proc_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sthd/mem.h"

/* Its first bytes, as text; these files are short. */
static int read_text(char *out, size_t size, const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);

    if (fd < 0)
        return -errno;
    ssize_t n = read(fd, out, size - 1);
    int rc = n < 0 ? -errno : 0;
    close(fd);
    out[n > 0 ? n : 0] = '\0';
    return rc;
}

/* The number after "\nKEY:", in that base. */
static bool field(const char *text, const char *key, int base, uint64_t *out)
{
    size_t len = strlen(key);

    for (const char *line = text; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncmp(line, key, len) == 0 && line[len] == ':') {
            char *end;
            errno = 0;
            *out = strtoull(line + len + 1, &end, base);
            return errno == 0 && end != line + len + 1;
        }
    }
    return false;
}

static bool same_file(int dir, const char *name, const struct stat *file)
{
    struct stat st;

    return fstatat(dir, name, &st, 0) == 0 && st.st_dev == file->st_dev &&
           st.st_ino == file->st_ino;
}

static int read_fdinfo(struct proc_file *out, const char *proc, pid_t pid, const char *fd)
{
    char text[1024], *path = mem_printf("%s/%d/fdinfo/%s", proc, (int)pid, fd);
    int rc = read_text(text, sizeof(text), path);
    uint64_t pos, flags = 0;

    free(path);
    if (rc < 0)
        return rc;
    if (!field(text, "pos", 10, &pos))
        return -EINVAL;
    field(text, "flags", 8, &flags);
    *out = (struct proc_file){pos, (int)flags};
    return 0;
}

int proc_file_find(struct proc_file *out, const char *proc, pid_t pid, const struct stat *file,
                   int skip_fd)
{
    char *path = mem_printf("%s/%d/fd", proc, (int)pid);
    DIR *d = opendir(path);
    int rc = -ENOENT;

    free(path);
    if (!d)
        return -errno;
    for (struct dirent *e; (e = readdir(d)) != NULL;) {
        struct proc_file one;
        if (e->d_name[0] == '.' || atoi(e->d_name) == skip_fd ||
            !same_file(dirfd(d), e->d_name, file))
            continue;
        int got = read_fdinfo(&one, proc, pid, e->d_name);
        if (got < 0 && rc < 0)
            rc = got;
        if (got == 0 && (rc < 0 || one.pos > out->pos)) {
            *out = one;
            rc = 0;
        }
    }
    closedir(d);
    return rc;
}

int proc_io(const char *proc, pid_t pid, uint64_t *rchar, uint64_t *wchar)
{
    char text[1024], *path = mem_printf("%s/%d/io", proc, (int)pid);
    int rc = read_text(text, sizeof(text), path);

    free(path);
    if (rc < 0)
        return rc;
    return field(text, "rchar", 10, rchar) && field(text, "wchar", 10, wchar) ? 0 : -EINVAL;
}

int proc_fetched(const char *proc, pid_t pid, uint64_t *bytes)
{
    char text[1024], *path = mem_printf("%s/%d/io", proc, (int)pid);
    int rc = read_text(text, sizeof(text), path);

    free(path);
    if (rc < 0)
        return rc;
    return field(text, "read_bytes", 10, bytes) ? 0 : -EINVAL;
}

/* The letter after the command name, which may itself contain anything; 0 when it is gone. */
static char state(const char *proc, pid_t pid)
{
    char text[1024], *path = mem_printf("%s/%d/stat", proc, (int)pid);
    int rc = read_text(text, sizeof(text), path);
    const char *end = rc < 0 ? NULL : strrchr(text, ')');

    free(path);
    return end && end[1] == ' ' ? end[2] : '\0';
}

bool proc_is_stopped(const char *proc, pid_t pid)
{
    return state(proc, pid) == 'T';
}

bool proc_is_dead(const char *proc, pid_t pid)
{
    char c = state(proc, pid);

    return c == '\0' || c == 'Z' || c == 'X';
}
