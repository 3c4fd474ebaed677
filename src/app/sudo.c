/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The whole program again, under sudo; see sudo.h.
 *
 * sudo's own policy keeps what a terminal program needs (TERM, COLORTERM, LANG, LC_*, TZ), and
 * refuses a command that sets more than its sudoers file allows; so nothing is passed by force, and
 * what it drops (NO_COLOR and its relatives) goes along as an option. The directory stays the same,
 * so a relative path keeps its meaning.
 */
#include "sudo.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sthd/child.h"

/* Our own file: found again whatever argv[0] was and whatever PATH sudo sets. */
static int find_self(char *out, size_t size, struct err *e)
{
    ssize_t n = readlink("/proc/self/exe", out, size - 1);

    if (n <= 0 || (size_t)n >= size - 1)
        return err_set(e, EXIT_CODE_INTERNAL, n < 0 ? errno : ENAMETOOLONG,
                       "--sudo: this program's own path cannot be read from /proc/self/exe: start "
                       "it with sudo yourself");
    out[n] = '\0';
    return 0;
}

/* What the environment says about colour, where it decides. */
static void add_colour(struct strv *argv, const struct options *o)
{
    if (o->colour != COLOUR_AUTO)
        return;
    if (options_colour_for(COLOUR_AUTO, &o->env, false))
        strv_add(argv, "--color=always");
    else if (!options_colour_for(COLOUR_AUTO, &o->env, true))
        strv_add(argv, "--color=never");
}

int sudo_become_root(const struct options *o, struct err *e)
{
    char self[PATH_MAX];
    struct strv argv;
    int rc;

    if (!o->sudo || geteuid() == 0)
        return 0;
    rc = find_self(self, sizeof(self), e);
    if (rc < 0)
        return rc;
    char *sudo = child_find_program("sudo");
    if (!sudo)
        return err_set(e, EXIT_CODE_USAGE, ENOENT,
                       "--sudo: there is no sudo in PATH: become root in another way (su -c), or "
                       "leave it out, since nothing needs root where the path is writable");
    strv_init(&argv);
    strv_add(&argv, sudo);
    strv_add(&argv, self);
    add_colour(&argv, o);
    for (size_t i = 0; i < o->words.n; i++)
        strv_add(&argv, o->words.items[i]);
    execv(sudo, argv.items);
    rc = err_set(e, EXIT_CODE_USAGE, errno, "--sudo: %s cannot be started: %s", sudo,
                 strerror(errno));
    strv_done(&argv);
    free(sudo);
    return rc;
}

const char *sudo_offer(void)
{
    return geteuid() == 0 ? NULL
                          : "Only root can change governors and idle states: start with --sudo.";
}
