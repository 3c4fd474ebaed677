/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef STHD_ERR_H
#define STHD_ERR_H

/*
 * What a person is told when the world says no: one sentence that names the thing, the reason and
 * the way out, and the exit status of its class. Bugs are assertions, not errors.
 */

/* Exit status of the program, one per class of failure. Documented in the man page. */
enum exit_code {
    EXIT_CODE_OK = 0,
    EXIT_CODE_TEST_FAILED = 1, /* at least one test did not give a figure */
    EXIT_CODE_USAGE = 2,       /* unknown option, bad value, impossible combination */
    EXIT_CODE_TARGET = 3,      /* not a directory, not writable, read-only, vanished */
    EXIT_CODE_SPACE = 4,       /* not enough free space for the bench file */
    EXIT_CODE_FIO = 5,         /* no fio, too old, or something else called fio */
    EXIT_CODE_TERMINAL = 6,    /* full screen was demanded and there is no usable terminal */
    EXIT_CODE_CONFIG = 7,      /* a theme, profile or settings file is wrong */
    EXIT_CODE_INTERNAL = 8,    /* out of memory, a system call that cannot fail failed */
    EXIT_CODE_STOPPED = 9,     /* stopped by the user before the plan was complete */
    EXIT_CODE_OUTPUT = 10,     /* standard output cannot be written: nobody reads it, no space */
};

struct err {
    enum exit_code exit_code;
    int errnum; /* errno value, 0 if none */
    char text[512];
};

/*
 * Writes the sentence. errnum is an errno value (positive) or 0; it is NOT appended to the text.
 * Returns -errnum, or -EINVAL when errnum is 0, so that "return err_set(...)" is a failure always.
 * e may be NULL.
 */
int err_set(struct err *e, enum exit_code code, int errnum, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

/* Empties the text: "no error". */
void err_clear(struct err *e);

#endif
