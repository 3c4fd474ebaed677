/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * From fio's lines of text to a sentence for the user; see fio_evidence.h.
 *
 * Promises: pure, bounded; what it quotes of fio is printable.
 * Must not know: processes, files.
 *
 * The lines, as fio 2.21 to 3.42 print them:
 *   fio: pid=19325, err=28/file:io_u.c:1876, func=io_u error, error=No space left on device
 *   fio: pid=19645, got signal=9
 *   fio: engine nosuchengine not loadable
 *   fio: failed parsing size=abc
 *   /usr/bin/fio: unrecognized option '--nosuchopt=1'
 *   fio seems to be stuck grabbing stat_sem, forcibly exiting
 *   free(): double free detected in tcache 2
 */
#include "fio_evidence.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sthd/buf.h"
#include "sthd/text.h"

static void keep_printable(char *to, size_t size, const char *s, size_t len)
{
    struct buf b = BUF_INIT, fit = BUF_INIT;

    text_printable(&b, s, len, true);
    text_fit(&fit, b.data ? b.data : "", (int)size - 1, false);
    snprintf(to, size, "%s", fit.data ? fit.data : "");
    buf_done(&b);
    buf_done(&fit);
}

/* The number after key, or 0. */
static int number_after(const char *text, const char *key)
{
    const char *p = strstr(text, key);

    if (!p)
        return 0;
    long n = strtol(p + strlen(key), NULL, 10);
    return n > 0 && n < 10000 ? (int)n : 0;
}

static bool take_errno(struct fio_evidence *ev, const char *text)
{
    int errnum = number_after(text, " err=");
    const char *func = strstr(text, "func=");

    if (!errnum)
        return false;
    if (!ev->errnum) {
        ev->errnum = errnum;
        if (func)
            keep_printable(ev->func, sizeof(ev->func), func + 5, strcspn(func + 5, ","));
    }
    return true;
}

static bool take_engine(struct fio_evidence *ev, const char *text)
{
    const char *p = strstr(text, "engine ");

    if (!p || !strstr(p, " not loadable"))
        return false;
    if (!ev->engine[0])
        keep_printable(ev->engine, sizeof(ev->engine), p + 7, strcspn(p + 7, " "));
    return true;
}

static bool take_option(struct fio_evidence *ev, const char *text)
{
    const char *p;

    if ((p = strstr(text, "unrecognized option ")) != NULL)
        p += strlen("unrecognized option ");
    else if ((p = strstr(text, "failed parsing ")) != NULL)
        p += strlen("failed parsing ");
    else if ((p = strstr(text, "Bad option <")) != NULL)
        p += strlen("Bad option ");
    else
        return false;
    if (!ev->option[0])
        keep_printable(ev->option, sizeof(ev->option), p, strlen(p));
    return true;
}

void fio_evidence_line(struct fio_evidence *ev, const char *line, size_t len)
{
    char text[512];

    if (len >= sizeof(text))
        len = sizeof(text) - 1;
    memcpy(text, line, len);
    text[len] = '\0';

    int signo = number_after(text, "got signal=");
    if (signo)
        ev->worker_signal = signo;
    else if (strstr(text, "stuck grabbing stat_sem"))
        ev->stuck = true;
    else if (strstr(text, "double free"))
        ev->double_free = true;
    else if (take_errno(ev, text) || take_engine(ev, text) || take_option(ev, text) ||
             strstr(text, "terminating on signal") || strncmp(text, "note: ", 6) == 0)
        return;
    else if (!ev->complaint[0] && len > 0)
        keep_printable(ev->complaint, sizeof(ev->complaint), text, len);
}

void line_splitter_feed(struct line_splitter *s, const char *bytes, size_t len, line_fn *fn,
                        void *arg)
{
    for (size_t i = 0; i < len; i++) {
        if (bytes[i] == '\n') {
            fn(arg, s->text, s->n);
            s->n = 0;
        } else if (s->n < sizeof(s->text)) {
            s->text[s->n++] = bytes[i];
        }
    }
}

void line_splitter_end(struct line_splitter *s, line_fn *fn, void *arg)
{
    if (s->n > 0)
        fn(arg, s->text, s->n);
    s->n = 0;
}

static const char *not_permitted(const struct step *step)
{
    switch (step->engine) {
    case ENGINE_IO_URING:
        return "io_uring is not permitted here (kernel.io_uring_disabled, or the seccomp profile "
               "of a container): choose another engine";
    case ENGINE_LIBAIO:
        return "libaio is not permitted here (the seccomp profile of a container?): choose another "
               "engine";
    default:
        return "fio was not permitted to do its I/O (a security policy, or an immutable file "
               "system): choose another directory";
    }
}

static const char *known_sentence(int errnum, const struct step *step)
{
    switch (errnum) {
    case ENOSPC:
        return "The file system ran full while fio wrote: free some space or choose a smaller "
               "--size";
    case EDQUOT:
        return "The disk quota was used up while fio wrote: choose a smaller --size or another "
               "directory";
    case EPERM:
        return not_permitted(step);
    case ENOSYS:
        return "This kernel does not know the system calls of the engine: choose another engine";
    case EAGAIN:
        return step->engine == ENGINE_LIBAIO
                   ? "The kernel has no more slots for asynchronous requests (fs.aio-max-nr): "
                     "raise it, stop what uses them, or choose another engine"
                   : "The kernel ran out of threads or requests for fio (ulimit -u): use fewer "
                     "threads or a smaller queue depth";
    case ENOMEM:
        return step->engine == ENGINE_IO_URING
                   ? "There is not enough memory for io_uring (ulimit -l, locked memory): raise "
                     "it, use a smaller queue depth, or choose another engine"
                   : "There is not enough memory for fio: use fewer threads or a smaller queue "
                     "depth";
    case EINVAL:
        return step->direct
                   ? "The file system refused direct I/O (O_DIRECT) of this block size: choose "
                     "buffered I/O"
                   : "The file system refused this kind of I/O: choose another engine";
    case EOPNOTSUPP:
        return "The file system does not support this kind of I/O: choose another engine or "
               "buffered I/O";
    case EIO:
        return "The disk reported an I/O error: do not trust it with data, and see dmesg for the "
               "device and the reason";
    case EROFS:
        return "The file system has become read-only, as it does after an error: see dmesg";
    case ENODEV:
    case ENXIO:
    case ESTALE:
    case ENOTCONN:
    case EHOSTDOWN:
    case EHOSTUNREACH:
    case ETIMEDOUT:
        return "The file system went away during the run (unplugged, unmounted or unreachable): "
               "check it and start again";
    case EFBIG:
        return "The bench file is larger than a file may be here: choose a smaller --size";
    case EMFILE:
    case ENFILE:
        return "fio has no file descriptors left: use fewer threads or raise ulimit -n";
    default:
        return NULL;
    }
}

void fio_errno_sentence(char *why, size_t size, int errnum, const char *func,
                        const struct step *step)
{
    const char *known = known_sentence(errnum, step);

    if (known)
        snprintf(why, size, "%s", known);
    else
        snprintf(why, size, "fio failed%s%s: %s (errno %d); see the output of fio",
                 func && *func ? " in " : "", func ? func : "", strerror(errnum), errnum);
}

void fio_failure_sentence(char *why, size_t size, const struct fio_evidence *ev, int exit_code,
                          const struct step *step)
{
    if (ev->errnum)
        fio_errno_sentence(why, size, ev->errnum, ev->func, step);
    else if (ev->engine[0])
        snprintf(why, size,
                 "This fio was built without the engine %s, or its package is not installed: "
                 "choose another engine",
                 ev->engine);
    else if (ev->option[0])
        snprintf(why, size,
                 "This fio does not understand %s: correct or leave out --fio-arg, or use a newer "
                 "fio",
                 ev->option);
    else if (ev->complaint[0])
        snprintf(why, size, "fio gave up (exit code %d): %s", exit_code, ev->complaint);
    else
        snprintf(why, size, "fio gave up (exit code %d) and did not say why: see its output",
                 exit_code);
}
