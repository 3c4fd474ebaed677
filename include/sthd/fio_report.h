/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef STHD_FIO_REPORT_H
#define STHD_FIO_REPORT_H

#include <stddef.h>

#include "sthd/err.h"
#include "sthd/sample.h"

/*
 * Reads one fio JSON document (json or json+, fio 2.21 to 3.42) into a struct report. Missing is
 * absent, never 0; numbers are range-checked; names are made printable. out must be initialised; it
 * is replaced on success and empty on failure. -EINVAL with a sentence (position of the error).
 */
int fio_report_read(struct report *out, const char *text, size_t len, struct err *e);

#endif
