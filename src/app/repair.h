/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef STHD_APP_REPAIR_H
#define STHD_APP_REPAIR_H

/* --repair-knobs: sets back what a killed run left turned, and says so. Returns the exit status. */
int repair_main(void);

#endif
