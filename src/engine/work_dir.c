/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The private directory; see work_dir.h. Promises that nothing outside of it is touched: it is
 * opened once, without following links, and checked to be ours and empty.
 */
#include "sthd/work_dir.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bench_file_private.h"
#include "sthd/keeper.h"
#include "sthd/mem.h"

struct work_dir {
    int fd;
    struct keeper *keeper;
};

/* The descriptor of what mkdir(2) just made, or -errno. */
static int make(const char *path)
{
    struct stat st;

    if (mkdir(path, 0700) < 0)
        return -errno;
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        return -errno;
    if (fstat(fd, &st) < 0 || st.st_uid != geteuid()) { /* somebody put theirs in its place */
        close(fd);
        return -EPERM;
    }
    return fd;
}

int work_dir_create(struct work_dir **out, const char *dir, struct err *e)
{
    struct keeper *keeper = NULL;
    char name[64], real[PATH_MAX];
    int rc;

    *out = NULL;
    if (!realpath(dir, real))
        return bench_file_error(e, errno, dir, 0);
    bench_file_random_name(name, sizeof(name));
    char *path = mem_printf("%s/%s", real, name);
    const struct keeper_action actions[] = {{KEEPER_EMPTY, path, NULL, 0},
                                            {KEEPER_RMDIR, path, NULL, 0}};
    rc = keeper_start(&keeper, actions, 2, e);
    int fd = rc < 0 ? rc : make(path);
    free(path);
    if (fd < 0) {
        if (rc == 0)
            bench_file_error(e, -fd, dir, 0);
        keeper_release(keeper, NULL);
        return fd;
    }
    *out = mem_alloc(sizeof(**out));
    **out = (struct work_dir){fd, keeper};
    return 0;
}

int work_dir_fd(const struct work_dir *w)
{
    return w->fd;
}

void work_dir_empty(struct work_dir *w)
{
    int again = openat(w->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    if (again >= 0)
        keeper_empty(again);
}

void work_dir_free(struct work_dir *w)
{
    if (!w)
        return;
    work_dir_empty(w); /* here, without the keeper's bound on time */
    close(w->fd);
    keeper_release(w->keeper, NULL);
    free(w);
}
