/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reading what the kernel says about the machine; see sysroot.h. Must not know what the files mean.
 */
#include "sysroot.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sthd/mem.h"

#define MAX_BYTES ((size_t)64 << 20) /* a box with 100 000 mounts has less */

static int read_all(struct buf *out, int fd)
{
    ssize_t n;

    do {
        buf_reserve(out, 4096);
        n = read(fd, out->data + out->len, out->cap - out->len - 1);
        if (n > 0)
            out->len += (size_t)n;
        if (out->len > MAX_BYTES)
            return -EFBIG;
    } while (n > 0 || (n < 0 && errno == EINTR));
    return n < 0 ? -errno : 0;
}

int sysroot_read(struct buf *out, const char *sysroot, const char *path)
{
    char *name = mem_printf("%s%s", sysroot, path);
    int fd = open(name, O_RDONLY | O_CLOEXEC);
    int rc = fd < 0 ? -errno : 0;

    free(name);
    buf_clear(out);
    if (fd < 0)
        return rc;
    rc = read_all(out, fd);
    close(fd);
    while (out->len && strchr(" \t\n", out->data[out->len - 1]))
        out->len--;
    out->data[out->len] = '\0';
    return rc;
}

char *sysroot_line(char *out, size_t size, const char *sysroot, const char *path)
{
    struct buf b = BUF_INIT;

    out[0] = '\0';
    if (sysroot_read(&b, sysroot, path) == 0) {
        size_t n = strcspn(b.data, "\n");
        n = n < size - 1 ? n : size - 1;
        memcpy(out, b.data, n);
        out[n] = '\0';
    }
    buf_done(&b);
    return out;
}

bool sysroot_has(const char *sysroot, const char *path)
{
    char *name = mem_printf("%s%s", sysroot, path);
    struct stat st;
    bool there = lstat(name, &st) == 0;

    free(name);
    return there;
}

char *sysroot_link(char *out, size_t size, const char *sysroot, const char *path)
{
    char *name = mem_printf("%s%s", sysroot, path);
    ssize_t n = readlink(name, out, size - 1);

    free(name);
    out[n > 0 ? n : 0] = '\0';
    return out;
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

void sysroot_list(struct strv *out, const char *sysroot, const char *path)
{
    char *name = mem_printf("%s%s", sysroot, path);
    DIR *d = opendir(name);
    struct dirent *entry;

    free(name);
    strv_init(out);
    if (!d)
        return;
    while ((entry = readdir(d)))
        if (entry->d_name[0] != '.')
            strv_add(out, entry->d_name);
    closedir(d);
    if (out->n)
        qsort(out->items, out->n, sizeof(char *), compare_names);
}
