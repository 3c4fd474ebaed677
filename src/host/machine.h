/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef STHD_HOST_MACHINE_H
#define STHD_HOST_MACHINE_H

#include "sthd/buf.h"

/* "no cpufreq (KVM guest)": why there is no clock to be seen. Appends. */
void machine_absence(struct buf *out, const char *sysroot);

#endif
