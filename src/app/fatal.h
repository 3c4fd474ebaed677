/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef STHD_APP_FATAL_H
#define STHD_APP_FATAL_H

/*
 * SEGV, BUS, FPE, ILL, ABRT: the terminal is put back by async-signal-safe code on a stack of its
 * own, then the signal takes its course, so that the status and the core stay true.
 */
void fatal_install(void (*restore)(void));

#endif
