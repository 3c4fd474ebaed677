/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef STHD_ENGINE_KNOB_RACK_H
#define STHD_ENGINE_KNOB_RACK_H

#include "sthd/err.h"
#include "sthd/keeper.h"
#include "sthd/knob.h"

/* The knobs themselves, turned here and now; see knobs.h. Its calls may take a while. */
struct rack;

struct rack *rack_new(const char *sysroot, const char *runtime_dir);
void rack_panel(const struct rack *r, struct knob_panel *out);
int rack_set(struct rack *r, enum knob k, const char *value, struct err *e);
/* All as before. The keeper does it, and we if it was killed. */
int rack_restore(struct rack *r, struct err *e);
bool rack_is_turned(const struct rack *r);
pid_t rack_keeper(const struct rack *r); /* 0: there is none now */
/* The sentence for what the kernel answered; returns -errnum. */
int rack_refused(struct err *e, enum knob k, const char *value, int errnum);
/* Does not restore: that is rack_restore's. NULL is fine. */
void rack_free(struct rack *r);

#endif
