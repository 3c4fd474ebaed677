/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Results and sentences on the standard streams; see output.h. */
#include "output.h"

#include <errno.h>
#include <langinfo.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "config.h"
#include "facts.h"
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

int output_result(const struct options *o, const struct world *w, const struct run *r, int signal)
{
    struct table_style style = output_style(o, STDOUT_FILENO);
    struct result result = {
        .version = PACKAGE_VERSION,
        .run = r,
        .target = w->have_target ? &w->target : NULL,
        .machine = &w->machine,
        .signal = signal,
        .all_findings = o->verbose,
    };
    struct buf out = BUF_INIT;
    struct verdict *verdict = facts_judge(w, r);

    result.verdict = verdict;
    result_write(&out, o->format, &result, &style);
    free(verdict);
    return deliver(&out, run_exit_code(r));
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
