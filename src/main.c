/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Start order: descriptors, locale, signals, options, face. See doc/HACKING.md, "Start and stop".
 */
#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "app/options.h"
#include "app/output.h"
#include "app/text.h"
#include "app/tui.h"
#include "sthd/signals.h"

/* A descriptor 0-2 that is closed would be given to the next file we open, and be written over. */
static void open_standard_descriptors(void)
{
    int fd;

    do {
        fd = open("/dev/null", O_RDWR);
    } while (fd >= 0 && fd <= STDERR_FILENO);
    if (fd > STDERR_FILENO)
        close(fd);
}

/*
 * LC_CTYPE only: numbers keep their point. Over SSH the locale often names one that this machine
 * does not have; C.UTF-8 then says what the terminal most likely is.
 */
static void set_locale(void)
{
    if (!setlocale(LC_CTYPE, ""))
        setlocale(LC_CTYPE, "C.UTF-8");
}

/* In the background, touching the terminal would stop us silently (TTOU). */
static bool in_foreground(void)
{
    pid_t group = tcgetpgrp(STDIN_FILENO);

    return group < 0 || group == getpgrp();
}

static bool full_screen_is_natural(void)
{
    return isatty(STDIN_FILENO) && isatty(STDOUT_FILENO) && in_foreground();
}

int main(int argc, char **argv)
{
    struct options o;
    struct err e;
    int status;

    open_standard_descriptors();
    set_locale();
    signals_block();
    setenv("PIPELINE_QUIET", "1", 1); /* else libpipeline reports fio's signals on our screen */
    err_clear(&e);
    if (options_parse(&o, argc, argv, &e) < 0) {
        status = output_error(&e);
        options_done(&o);
        return status;
    }
    if (options_answer(&o, &status)) {
        options_done(&o);
        return status;
    }
    if (o.face == FACE_TEXT || (o.face == FACE_AUTO && !full_screen_is_natural())) {
        status = text_main(&o);
    } else if (tui_main(&o, &status, &e) < 0) {
        if (o.face == FACE_TUI) {
            status = output_error(&e);
        } else {
            output_error(&e);
            status = text_main(&o);
        }
    }
    options_done(&o);
    return status;
}
