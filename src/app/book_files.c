/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads the user's profiles; see book_files.h. Must not know what is in them. */
#include "book_files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sthd/jsonfile.h"
#include "sthd/mem.h"
#include "sthd/text.h"

/* As a sentence may show it. */
static void problem(struct book *b, const char *path, const char *what)
{
    struct buf shown = BUF_INIT;

    text_printable(&shown, path, strlen(path), false);
    strv_addf(&b->problems, "profile %s cannot be read: %s", shown.data ? shown.data : "", what);
    buf_done(&shown);
}

/* A pipe or a device by that name would have us wait. */
static void load_file(struct book *b, const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat st;

    if (fd < 0) {
        problem(b, path, strerror(errno));
        return;
    }
    if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) || st.st_size > (off_t)JSONFILE_MAX_BYTES) {
        close(fd);
        problem(b, path, "it is not a file of at most 1 MiB");
        return;
    }
    char *text = mem_alloc((size_t)st.st_size + 1);
    size_t len = 0;
    ssize_t n = 0;
    while (len < (size_t)st.st_size && (n = read(fd, text + len, (size_t)st.st_size - len)) > 0)
        len += (size_t)n;
    int errnum = n < 0 ? errno : 0;
    close(fd);
    if (errnum) {
        problem(b, path, strerror(errnum));
    } else {
        struct buf shown = BUF_INIT;
        text_printable(&shown, path, strlen(path), false);
        book_add(b, shown.data, text, len, NULL);
        buf_done(&shown);
    }
    free(text);
}

static int is_profile(const struct dirent *entry)
{
    size_t n = strlen(entry->d_name);

    return entry->d_name[0] != '.' && n > 5 && strcmp(entry->d_name + n - 5, ".json") == 0;
}

static void load_dir(struct book *b, const char *dir)
{
    struct dirent **entries;
    int n = scandir(dir, &entries, is_profile, alphasort);

    if (n < 0) {
        int errnum = errno;
        struct stat st;
        /* In a home that is closed to us (sudo -u leaves HOME) nobody knows of such a folder. */
        if (errnum != ENOENT && errnum != ENOTDIR && stat(dir, &st) == 0)
            problem(b, dir, strerror(errnum));
        return;
    }
    for (int i = 0; i < n; i++) {
        char *path = mem_printf("%s/%s", dir, entries[i]->d_name);
        load_file(b, path);
        free(path);
        free(entries[i]);
    }
    free(entries);
}

void book_files_load(struct book *b, const char *xdg, const char *home)
{
    char *dir = NULL;

    if (xdg && xdg[0] == '/')
        dir = mem_printf("%s/speedtest-hd/profiles", xdg);
    else if (home && home[0] == '/')
        dir = mem_printf("%s/.config/speedtest-hd/profiles", home);
    if (dir)
        load_dir(b, dir);
    free(dir);
}
