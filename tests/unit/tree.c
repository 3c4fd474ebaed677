/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tree.h"

#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sthd/buf.h"
#include "sthd/mem.h"
#include "tap.h"

static void die(const char *what, const char *path)
{
    printf("Bail out! %s %s: %s\n", what, path, strerror(errno));
    exit(99);
}

static char *full(const char *root, const char *path)
{
    char *name = mem_printf("%s%s", root, path);

    for (char *p = name + strlen(root) + 1; (p = strchr(p, '/')); p++) {
        *p = '\0';
        if (mkdir(name, 0755) < 0 && errno != EEXIST)
            die("cannot make", name);
        *p = '/';
    }
    return name;
}

void tree_write(const char *root, const char *path, const char *text)
{
    char *name = full(root, path);
    FILE *f = fopen(name, "w");

    if (!f || fputs(text, f) < 0 || fclose(f) != 0)
        die("cannot write", name);
    free(name);
}

static void add_link(const char *root, const char *path, const char *target)
{
    char *name = full(root, path);

    if (symlink(target, name) < 0)
        die("cannot link", name);
    free(name);
}

/* The lines up to one with a single dot; *next is behind it. */
static void add_text(const char *root, const char *path, char **next)
{
    struct buf text = BUF_INIT;
    char *line;

    buf_adds(&text, "");
    while ((line = strsep(next, "\n")) && strcmp(line, ".") != 0)
        buf_addf(&text, "%s\n", line);
    tree_write(root, path, text.data);
    buf_done(&text);
}

char *tree_unpack(const char *name)
{
    char *root = mem_strdup("/tmp/sthd-tree-XXXXXX");
    char *fixture = mem_printf("stack/%s.tree", name);
    char *text = tap_fixture(fixture, NULL), *next = text, *line;

    if (!mkdtemp(root))
        die("cannot make", root);
    while ((line = strsep(&next, "\n"))) {
        char *middle;
        if (!*line || *line == '#')
            continue;
        if ((middle = strstr(line, " = "))) {
            *middle = '\0';
            char *one = mem_printf("%s\n", middle + 3);
            tree_write(root, line, one);
            free(one);
        } else if ((middle = strstr(line, " -> "))) {
            *middle = '\0';
            add_link(root, line, middle + 4);
        } else if ((middle = strstr(line, " <<"))) {
            *middle = '\0';
            add_text(root, line, &next);
        } else {
            free(full(root, line)); /* ends in a slash */
        }
    }
    free(text);
    free(fixture);
    return root;
}

static int drop_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
    (void)st;
    (void)type;
    (void)ftw;
    return remove(path);
}

void tree_drop(char *root)
{
    nftw(root, drop_one, 16, FTW_DEPTH | FTW_PHYS);
    free(root);
}
