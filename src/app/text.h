/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef STHD_APP_TEXT_H
#define STHD_APP_TEXT_H

#include "options.h"

/*
 * The plain command: banner and tables on stdout and nothing else there; questions, progress and
 * sentences on stderr. Returns the exit status, or dies of the signal that ended it.
 */
int text_main(const struct options *o);

#endif
