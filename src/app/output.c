/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Results and sentences on the standard streams; see output.h. */
#include "output.h"

#include <errno.h>
#include <fcntl.h>
#include <langinfo.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "config.h"
#include "facts.h"
#include "sthd/mem.h"
#include "sthd/result.h"
#include "sthd/signals.h"
#include "sthd/text.h"

static bool locale_is_utf8(void)
{
    return strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
}

struct table_style output_style(const struct options *o, int fd)
{
    struct table_style style = {
        .utf8 = !o->ascii && locale_is_utf8(),
        .colour = options_colour(o, fd),
        .columns = 80,
    };
    struct winsize size;

    if (ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col >= 40)
        style.columns = size.ws_col;
    return style;
}

/*
 * Waits until fd takes something. While it does not (a pager that is not at its end), a signal may
 * end us: there is nothing left to clean up.
 */
static void wait_writable(int fd)
{
    struct pollfd p = {.fd = fd, .events = POLLOUT};

    if (poll(&p, 1, 0) != 0)
        return;
    signals_let_go();
    poll(&p, 1, -1);
}

/* In portions that a descriptor found writable takes without blocking. */
static int write_all(int fd, const char *bytes, size_t len)
{
    while (len > 0) {
        wait_writable(fd);
        ssize_t n = write(fd, bytes, len < PIPE_BUF ? len : PIPE_BUF);
        if (n < 0 && (errno == EINTR || errno == EAGAIN))
            continue;
        if (n < 0)
            return -errno;
        bytes += n;
        len -= (size_t)n;
    }
    return 0;
}

/* Takes over and empties text; status, or the one of a result that could not be delivered. */
static int deliver(struct buf *text, int status)
{
    int rc = write_all(STDOUT_FILENO, text->data, text->len);
    struct err e;

    buf_done(text);
    if (rc == 0)
        return status;
    if (rc == -EPIPE) /* who closed the pipe knows it */
        return EXIT_CODE_OUTPUT;
    err_set(&e, EXIT_CODE_OUTPUT, -rc, "The result could not be written to standard output: %s.",
            strerror(-rc));
    return output_error(&e);
}

/* all: also the findings that the screen and the table leave out. */
static void write_result(struct buf *out, enum result_format format, const struct world *w,
                         const struct run *r, int signal, bool all, const struct table_style *style)
{
    struct verdict *verdict = facts_judge(w, r);
    struct result result = {
        .version = PACKAGE_VERSION,
        .run = r,
        .target = w->have_target ? &w->target : NULL,
        .machine = &w->machine,
        .signal = signal,
        .verdict = verdict,
        .all_findings = all,
    };

    result_write(out, format, &result, style);
    free(verdict);
}

int output_result(const struct options *o, const struct world *w, const struct run *r, int signal)
{
    struct table_style style = output_style(o, STDOUT_FILENO);
    struct buf out = BUF_INIT;

    write_result(&out, o->format, w, r, signal, o->verbose, &style);
    return deliver(&out, run_exit_code(r));
}

void output_sweep(const struct options *o, const struct run *r, struct buf *out)
{
    struct table_style style = {.utf8 = !o->ascii && locale_is_utf8(), .columns = 80};

    table_sweep(out, r, &style);
}

void output_file_name(const struct run *r, char *out, size_t size)
{
    time_t at = (time_t)(r->began_unix_ns / 1000000000);
    char day[32] = "";
    struct tm tm;

    if (localtime_r(&at, &tm))
        strftime(day, sizeof(day), "-%Y%m%d-%H%M%S", &tm);
    snprintf(out, size, "speedtest-hd-%s%s.json", r->plan->settings.profile->name, day);
}

/* Who called sudo wants to own what it left; 0 and false: there was no sudo. */
static bool sudo_owner(uid_t *uid, gid_t *gid)
{
    const char *u = getenv("SUDO_UID"), *g = getenv("SUDO_GID");
    char *end_u, *end_g;

    if (geteuid() != 0 || !u || !g)
        return false;
    unsigned long user = strtoul(u, &end_u, 10), group = strtoul(g, &end_g, 10);
    if (!*u || *end_u || !*g || *end_g || user > UINT_MAX || group > UINT_MAX)
        return false;
    *uid = (uid_t)user;
    *gid = (gid_t)group;
    return true;
}

static char *expand_home(const char *path)
{
    const char *home = getenv("HOME");

    if (path[0] == '~' && path[1] == '/' && home && home[0] == '/')
        return mem_printf("%s%s", home, path + 1);
    return mem_strdup(path);
}

static int save_failed(const char *path, int errnum, struct err *e)
{
    struct buf safe = BUF_INIT;

    text_printable(&safe, path, strlen(path), !locale_is_utf8());
    /* The reason first: a line of the screen may be too short for the path. */
    int rc = err_set(e, EXIT_CODE_OUTPUT, errnum, "Not saved (%s%s): %.300s", strerror(errnum),
                     errnum == EEXIST ? ", choose another name" : "", safe.data);
    buf_done(&safe);
    return rc;
}

static int write_file(const char *path, const struct buf *text, struct err *e)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
    int errnum = 0;
    uid_t uid;
    gid_t gid;

    if (fd < 0)
        return save_failed(path, errno, e);
    for (size_t at = 0; at < text->len && !errnum;) {
        ssize_t n = write(fd, text->data + at, text->len - at);
        if (n >= 0)
            at += (size_t)n;
        else if (errno != EINTR)
            errnum = errno;
    }
    if (!errnum && sudo_owner(&uid, &gid) && fchown(fd, uid, gid) < 0)
        errnum = errno;
    if (!errnum && fsync(fd) < 0 && errno != EINVAL)
        errnum = errno;
    if (close(fd) < 0 && !errnum)
        errnum = errno;
    if (!errnum)
        return 0;
    unlink(path); /* half a result is none */
    return save_failed(path, errnum, e);
}

int output_save(const struct options *o, const struct world *w, const struct run *r,
                const char *path, struct err *e)
{
    struct table_style style = {.utf8 = !o->ascii && locale_is_utf8(), .columns = 80};
    struct buf out = BUF_INIT;
    char *file = expand_home(path);

    write_result(&out, result_format_of_file(file), w, r, 0, true, &style);
    int rc = write_file(file, &out, e);
    free(file);
    buf_done(&out);
    return rc;
}

int output_probe(const struct options *o, const struct world *w, double seconds)
{
    struct table_style style = output_style(o, STDOUT_FILENO);
    struct result result = {
        .version = PACKAGE_VERSION,
        .target = w->have_target ? &w->target : NULL,
        .machine = &w->machine,
    };
    struct buf out = BUF_INIT;
    int status = EXIT_CODE_FIO;

    for (int e = ENGINE_AUTO + 1; e < ENGINE_COUNT; e++)
        if (w->capability.engine_usable[e])
            status = EXIT_CODE_OK;
    result_probe(&out, o->format, &result, &w->capability, seconds, &style);
    return deliver(&out, status);
}

int output_error(const struct err *e)
{
    struct buf out = BUF_INIT;

    buf_adds(&out, "speedtest-hd: ");
    text_printable(&out, e->text, strlen(e->text), !locale_is_utf8());
    buf_addc(&out, '\n');
    write_all(STDERR_FILENO, out.data, out.len);
    buf_done(&out);
    return e->exit_code;
}

void output_problems(const struct book *b)
{
    for (size_t i = 0; i < b->problems.n; i++) {
        struct err e;
        err_set(&e, EXIT_CODE_CONFIG, EINVAL, "%s", b->problems.items[i]);
        output_error(&e);
    }
}
