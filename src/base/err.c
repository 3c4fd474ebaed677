/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The sentence a person gets; see err.h. */
#include "sthd/err.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

int err_set(struct err *e, enum exit_code code, int errnum, const char *fmt, ...)
{
    if (e) {
        va_list ap;
        e->exit_code = code;
        e->errnum = errnum;
        va_start(ap, fmt);
        vsnprintf(e->text, sizeof(e->text), fmt, ap);
        va_end(ap);
    }
    return errnum > 0 ? -errnum : -EINVAL;
}

void err_clear(struct err *e)
{
    e->exit_code = EXIT_CODE_OK;
    e->errnum = 0;
    e->text[0] = '\0';
}
