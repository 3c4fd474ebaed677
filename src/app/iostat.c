/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs zpool iostat; see iostat.h. Must not know what its columns mean. */
#include "iostat.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/wait.h>

#include "sthd/child.h"
#include "sthd/mem.h"

struct iostat {
    struct child *child;
    struct lines *lines;
};

static void on_output(void *arg, enum child_stream s, const char *bytes, size_t len, int64_t now_ns)
{
    struct iostat *i = arg;

    (void)now_ns;
    lines_add(i->lines, s == CHILD_STDOUT ? LINE_STDOUT : LINE_STDERR, bytes, len);
}

static void on_end(void *arg, int wait_status)
{
    struct iostat *i = arg;

    lines_end(i->lines, LINE_STDOUT);
    lines_end(i->lines, LINE_STDERR);
    if (WIFEXITED(wait_status))
        lines_say(i->lines, "zpool iostat ended with exit code %d", WEXITSTATUS(wait_status));
    else
        lines_say(i->lines, "zpool iostat was ended by signal %d", WTERMSIG(wait_status));
}

int iostat_start(struct iostat **out, struct loop *l, const char *pool, struct lines *lines,
                 struct err *e)
{
    static const struct child_events events = {on_output, on_end};
    char *program = child_find_program("zpool");
    struct strv argv;
    int rc;

    *out = NULL;
    if (!program)
        return err_set(e, EXIT_CODE_INTERNAL, ENOENT,
                       "zpool iostat cannot be shown: there is no zpool in PATH");
    struct iostat *i = mem_zalloc(sizeof(*i));
    i->lines = lines;
    strv_init(&argv);
    strv_add(&argv, program);
    strv_add(&argv, "iostat");
    strv_add(&argv, "-yv"); /* y: not the averages since boot, which come first else */
    strv_add(&argv, pool);
    strv_add(&argv, "1");
    lines_say(lines, "zpool iostat -yv %s 1", pool);
    rc = child_start(&i->child, l, program, &argv, NULL, 0, &events, i, e);
    strv_done(&argv);
    free(program);
    if (rc < 0)
        iostat_free(i);
    else
        *out = i;
    return rc;
}

void iostat_free(struct iostat *i)
{
    if (!i)
        return;
    child_free(i->child);
    free(i);
}
