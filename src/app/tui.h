/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef STHD_APP_TUI_H
#define STHD_APP_TUI_H

#include "options.h"
#include "sthd/err.h"

/*
 * The full screen. Returns 0 and the exit status in *status, or -errno with a sentence when there
 * is no usable terminal (nothing was started then: the caller may go on in text mode).
 */
int tui_main(const struct options *o, int *status, struct err *e);

#endif
