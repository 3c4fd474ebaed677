/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads bonnie++'s CSV; see bonnie.h. Promises to take any text. */
#include "sthd/bonnie.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sthd/mem.h"
#include "sthd/text.h"

#define FIELDS_MAX 60

/* Where the figures begin: by the format's number, the first field. */
static const struct {
    const char *format;
    size_t first;
} formats[] = {{"1.96", 7}, {"1.97", 7}, {"1.98", 9}};

/* From there on; a rate and its CPU share each. In KiB/s, or a second. */
static const struct {
    const char *test;
    size_t at;
    double unit;
} columns[BONNIE_COLUMNS] = {
    [BONNIE_WRITE] = {"Block write", 2, 1024}, [BONNIE_REWRITE] = {"Rewrite", 4, 1024},
    [BONNIE_READ] = {"Block read", 8, 1024},   [BONNIE_SEEKS] = {"Seeks", 10, 1},
    [BONNIE_CREATE] = {"Create", 17, 1},       [BONNIE_STAT] = {"Stat", 19, 1},
    [BONNIE_DELETE] = {"Delete", 21, 1},
};

const char *bonnie_test(enum bonnie_column c)
{
    return columns[c].test;
}

int bonnie_column(const char *test)
{
    for (int i = 0; i < BONNIE_COLUMNS; i++)
        if (strcmp(columns[i].test, test) == 0)
            return i;
    return -1;
}

/* Fields by commas; returns their number. line is cut up. */
static size_t split(char *line, char *fields[FIELDS_MAX])
{
    size_t n = 0;

    for (char *at = line; at && n < FIELDS_MAX; n++) {
        fields[n] = at;
        at = strchr(at, ',');
        if (at)
            *at++ = '\0';
    }
    return n;
}

/* "+++++": faster than bonnie++ trusts itself to measure. */
static double number(const char *s)
{
    char *end;
    double x = strtod(s, &end);

    return end != s && *end == '\0' && x >= 0 && x < 1e15 ? x : NAN;
}

static void copy(char *to, size_t size, const char *from)
{
    struct buf b = BUF_INIT;

    text_printable(&b, from, strlen(from), true);
    snprintf(to, size, "%.*s", (int)size - 1, b.data ? b.data : "");
    buf_done(&b);
}

static bool parse_line(struct bonnie *out, char *line)
{
    char *f[FIELDS_MAX];
    size_t n = split(line, f), first = 0;

    for (size_t i = 0; n > 0 && i < sizeof(formats) / sizeof(formats[0]); i++)
        if (strcmp(f[0], formats[i].format) == 0)
            first = formats[i].first;
    if (!first || n < first + columns[BONNIE_DELETE].at + 2)
        return false;
    copy(out->version, sizeof(out->version), f[1]);
    copy(out->machine, sizeof(out->machine), f[2]);
    copy(out->size, sizeof(out->size), f[5]);
    for (int i = 0; i < BONNIE_COLUMNS; i++) {
        out->rate[i] = number(f[first + columns[i].at]) * columns[i].unit;
        out->cpu[i] = number(f[first + columns[i].at + 1]) / 100;
    }
    return true;
}

int bonnie_parse(struct bonnie *out, const char *text, const char *what, struct err *e)
{
    char *all = mem_strdup(text), *save = NULL;
    bool found = false;

    memset(out, 0, sizeof(*out));
    for (char *line = strtok_r(all, "\r\n", &save); line; line = strtok_r(NULL, "\r\n", &save)) {
        struct bonnie one = {0};
        if (!parse_line(&one, line))
            continue;
        *out = one;
        found = true;
    }
    free(all);
    if (found)
        return 0;
    struct buf shown = BUF_INIT;
    text_printable(&shown, what, strlen(what), false);
    int rc = err_set(e, EXIT_CODE_CONFIG, EINVAL,
                     "%.200s has no result line of bonnie++ in it (CSV, as of version 1.96): save "
                     "what bonnie++ -q prints",
                     shown.data ? shown.data : "");
    buf_done(&shown);
    return rc;
}
