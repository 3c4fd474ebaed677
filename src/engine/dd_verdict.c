/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Why a dd failed; see dd_verdict.h. Its own words are quoted when they are the best there is, and
 * may be in the user's language: only the kernel's error texts are recognised in them.
 */
#include "dd_verdict.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fio_evidence.h"
#include "sthd/mem.h"

enum fio_end dd_verdict_signal(int signo, char *why, size_t size)
{
    switch (signo) {
    case SIGABRT:
    case SIGSEGV:
    case SIGBUS:
    case SIGILL:
    case SIGFPE:
    case SIGSYS:
        snprintf(why, size,
                 "dd crashed or was forbidden something (signal %d, %s): try another dd (GNU's is "
                 "in coreutils)",
                 signo, strsignal(signo));
        return FIO_END_FAILED;
    case SIGKILL:
        snprintf(why, size,
                 "dd was killed from outside (signal 9): by hand, or because memory ran out (dmesg "
                 "tells); start again");
        return FIO_END_KILLED;
    default:
        snprintf(why, size, "dd was ended from outside (signal %d, %s): start again", signo,
                 strsignal(signo));
        return FIO_END_KILLED;
    }
}

static void quote(const struct dd_copy_facts *f, int exit_code, char *why, size_t size)
{
    if (f->complaint[0])
        snprintf(why, size, "dd gave up (exit code %d): %s", exit_code, f->complaint);
    else
        snprintf(why, size, "dd gave up (exit code %d) and did not say why", exit_code);
}

void dd_verdict_failed(const struct dd_copy_facts *f, int exit_code, const struct step *step,
                       char *why, size_t size)
{
    switch (f->errnum) {
    case ENOSPC:
        snprintf(why, size,
                 "The file system ran full while dd wrote: free some space or choose a smaller "
                 "--size");
        return;
    case EDQUOT:
        snprintf(why, size,
                 "The disk quota was used up while dd wrote: choose a smaller --size or another "
                 "directory");
        return;
    case ENOMEM:
        snprintf(why, size, "There is not enough memory for dd's block of %llu bytes",
                 (unsigned long long)step->block_bytes);
        return;
    case EINVAL:
        if (!step->direct)
            break;
        /* fall through */
    case EIO:
    case EROFS:
    case EFBIG:
    case ENODEV:
    case ESTALE:
    case ENOTCONN:
        fio_errno_sentence(why, size, f->errnum, "", step); /* says nothing of fio for these */
        return;
    default:
        break;
    }
    quote(f, exit_code, why, size);
}

/* 0, or why a file may not be opened for direct I/O: asked of the kernel, without dd. */
static int direct_open_error(int bench_fd)
{
    char *path = mem_printf("/proc/self/fd/%d", bench_fd);
    int fd = open(path, O_RDONLY | O_DIRECT | O_CLOEXEC);
    int errnum = fd < 0 ? errno : 0;

    if (fd >= 0)
        close(fd);
    free(path);
    return errnum;
}

void dd_verdict_refused(const struct dd_copy_facts *f, int exit_code, const struct step *step,
                        int bench_fd, char *why, size_t size)
{
    const char *side = step->direction == DIRECTION_READ ? "iflag" : "oflag";
    const char *own = f->complaint[0] ? f->complaint : "it does not say why";

    if (step->direct && direct_open_error(bench_fd) == EINVAL)
        snprintf(why, size, "The file system refuses direct I/O (O_DIRECT): choose buffered I/O");
    else if (f->errnum)
        dd_verdict_failed(f, exit_code, step, why, size);
    else if (step->direct && step->sync)
        snprintf(why, size,
                 "This dd refuses %s=direct,dsync (%s): install GNU dd (coreutils), or choose "
                 "another profile",
                 side, own);
    else if (step->direct)
        snprintf(why, size,
                 "This dd refuses %s=direct (%s): install GNU dd (coreutils), or choose buffered "
                 "I/O",
                 side, own);
    else if (step->sync)
        snprintf(why, size,
                 "This dd refuses %s=dsync (%s): install GNU dd (coreutils), or choose a test "
                 "without it",
                 side, own);
    else
        quote(f, exit_code, why, size);
}
