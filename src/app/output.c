/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Results and sentences on the standard streams; see output.h. */
#include "output.h"

#include <errno.h>
#include <langinfo.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

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

static int write_all(int fd, const char *bytes, size_t len)
{
    while (len > 0) {
        ssize_t n = write(fd, bytes, len);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && errno == EAGAIN) { /* someone else made our stdout non-blocking */
            struct pollfd p = {.fd = fd, .events = POLLOUT};
            poll(&p, 1, -1);
            continue;
        }
        if (n < 0)
            return -errno;
        bytes += n;
        len -= (size_t)n;
    }
    return 0;
}

int output_result(const struct options *o, const struct world *w, const struct run *r)
{
    struct table_style style = output_style(o, STDOUT_FILENO);
    struct buf out = BUF_INIT;

    table_banner(&out, r, w->have_target ? &w->target : NULL, &w->machine, &style);
    table_run(&out, r, &style);
    int rc = write_all(STDOUT_FILENO, out.data, out.len);
    buf_done(&out);
    return rc;
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
