/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef STHD_APP_SUDO_H
#define STHD_APP_SUDO_H

#include "options.h"

/*
 * --sudo: becomes the same program under sudo(8), with the same arguments but --sudo. To be called
 * before anything is opened, blocked or drawn: sudo may ask for a password on the terminal. Returns
 * 0 when there is nothing to do (not asked for, or already root), else -errno with a sentence; does
 * not return when it works.
 */
int sudo_become_root(const struct options *o, struct err *e);

/* What only root can do here, in one line that offers --sudo; NULL: we are root. */
const char *sudo_offer(void);

#endif
