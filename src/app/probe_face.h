/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef STHD_APP_PROBE_FACE_H
#define STHD_APP_PROBE_FACE_H

#include "options.h"

/*
 * --probe: finds out what works on the target (the current directory if none was named), prints it
 * on stdout and returns the exit status: 0 when something works.
 */
int probe_main(const struct options *o);

#endif
