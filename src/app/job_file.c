/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Job files, from the file system to core's parser; see job_file.h. */
#include "job_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sthd/mem.h"
#include "sthd/text.h"

static char *shown(const char *path)
{
    struct buf b = BUF_INIT;

    text_printable(&b, path, strlen(path), false);
    return buf_steal(&b);
}

static int unreadable(const char *path, int errnum, const char *why, struct err *e)
{
    char *name = shown(path);
    int rc = err_set(e, EXIT_CODE_CONFIG, errnum, "The file %.200s cannot be read: %s.", name, why);

    free(name);
    return rc;
}

/* A pipe or a device by that name would have us wait. */
static char *read_file(void *arg, const char *path, size_t *len, struct err *e)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat st;
    ssize_t n = 0;

    (void)arg;
    if (fd < 0) {
        unreadable(path, errno, strerror(errno), e);
        return NULL;
    }
    if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) || st.st_size > (off_t)JOBS_BYTES_MAX) {
        close(fd);
        unreadable(path, EINVAL, "it is not a file of at most 1 MiB", e);
        return NULL;
    }
    char *text = mem_alloc((size_t)st.st_size + 1);
    *len = 0;
    while (*len < (size_t)st.st_size && (n = read(fd, text + *len, (size_t)st.st_size - *len)) > 0)
        *len += (size_t)n;
    int errnum = n < 0 ? errno : 0;
    close(fd);
    text[*len] = '\0';
    if (!errnum)
        return text;
    free(text);
    unreadable(path, errnum, strerror(errnum), e);
    return NULL;
}

static char *variable(void *arg, const char *name)
{
    (void)arg;
    if (strcmp(name, "ncpus") == 0)
        return mem_printf("%ld", sysconf(_SC_NPROCESSORS_ONLN));
    if (strcmp(name, "pagesize") == 0)
        return mem_printf("%ld", sysconf(_SC_PAGESIZE));
    if (strcmp(name, "mb_memory") == 0)
        return mem_printf("%lld", (long long)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE) >> 20);
    const char *value = getenv(name);
    return value ? mem_strdup(value) : NULL;
}

static int check_path(const struct job_section *s, const char *path, struct err *e)
{
    struct stat st;

    if (s->direction == DIRECTION_READ || stat(path, &st) < 0 || S_ISREG(st.st_mode))
        return 0;
    char *name = shown(path);
    int rc = err_set(e, EXIT_CODE_TARGET, EINVAL,
                     "Section %s of the job file would write to %.200s, which is %s: only ordinary "
                     "files are written.",
                     s->name, name,
                     S_ISBLK(st.st_mode)   ? "a block device"
                     : S_ISDIR(st.st_mode) ? "a directory"
                                           : "no ordinary file");
    free(name);
    return rc;
}

int job_file_load(struct jobs **out, const char *path, bool as_is, struct err *e)
{
    static const struct jobs_world world = {read_file, variable, NULL};
    struct jobs *j;
    int rc = jobs_parse(&j, path, as_is, &world, e);

    *out = NULL;
    if (rc)
        return rc;
    for (size_t i = 0; rc == 0 && i < j->n; i++)
        for (size_t k = 0; rc == 0 && k < j->sections[i].paths.n; k++)
            rc = check_path(&j->sections[i], j->sections[i].paths.items[k], e);
    if (rc)
        jobs_drop(j);
    else
        *out = j;
    return rc;
}

int bonnie_file_load(struct bonnie *out, const char *path, struct err *e)
{
    size_t len;
    char *text = read_file(NULL, path, &len, e);

    if (!text)
        return -EINVAL;
    int rc = bonnie_parse(out, text, path, e);
    free(text);
    return rc;
}

static bool is_job_file(const char *name)
{
    static const char *const endings[] = {".fio", ".job", ".ini"};
    size_t n = strlen(name);

    for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]); i++)
        if (n > 4 && strcmp(name + n - 4, endings[i]) == 0)
            return true;
    return false;
}

static int is_visible(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

/* One of the kind of path, if it is of the kind that is asked for. */
static void list_one(struct strv *out, const char *folder, const char *name, bool folders)
{
    char *path = mem_printf("%s%s%s", folder, folder[1] ? "/" : "", name);
    struct stat st;

    if (stat(path, &st) == 0 && S_ISDIR(st.st_mode) == folders && (folders || is_job_file(name)))
        strv_addf(out, "%s%s", path, folders ? "/" : "");
    free(path);
}

int job_file_list(struct strv *out, const char *folder, struct err *e)
{
    char *real = realpath(folder, NULL);
    struct dirent **entries;
    int n = real ? scandir(real, &entries, is_visible, alphasort) : -1;

    if (n < 0) {
        int rc = unreadable(folder, errno, strerror(errno), e);
        free(real);
        return rc;
    }
    strv_done(out);
    if (strcmp(real, "/") != 0)
        strv_addf(out, "%s/../", real);
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < n; i++)
            list_one(out, real, entries[i]->d_name, pass == 0);
    for (int i = 0; i < n; i++)
        free(entries[i]);
    free(entries);
    free(real);
    return 0;
}

char *job_file_target(const struct jobs *j)
{
    const char *path = j->n && j->sections[0].paths.n ? j->sections[0].paths.items[0] : ".";
    const char *slash = strrchr(path, '/');

    if (!slash)
        return mem_strdup(".");
    return slash == path ? mem_strdup("/") : mem_strndup(path, (size_t)(slash - path));
}

void job_file_describe(const struct jobs *j, struct buf *out)
{
    for (size_t i = 0; j->as_is && i < j->n; i++)
        for (size_t k = 0; k < j->sections[i].paths.n; k++) {
            const char *path = j->sections[i].paths.items[k];
            struct stat st;
            char *name = shown(path);
            buf_addf(out, "  %s %s%s\n",
                     j->sections[i].direction == DIRECTION_READ ? "reads" : "writes", name,
                     stat(path, &st) < 0 ? " (made, and stays)" : " (is there)");
            free(name);
        }
}
