/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef STHD_APP_PROGRESS_H
#define STHD_APP_PROGRESS_H

#include <stdbool.h>

#include "sthd/buf.h"
#include "sthd/loop.h"
#include "sthd/run.h"

/*
 * The run on stderr while it goes: one line rewritten in place on a terminal, one line per step
 * elsewhere. Never blocks (sink.h).
 */
struct progress;

struct progress *progress_new(struct loop *l, bool ascii);
void progress_free(struct progress *p);
/* Shows the run as it stands; skipped when the last line was a moment ago or did not leave yet. */
void progress_update(struct progress *p, const struct run *r, int64_t now_ns);
/* A sentence on a line of its own. */
void progress_say(struct progress *p, const char *text);
/* Raw bytes of fio (--verbose). */
void progress_raw(struct progress *p, const char *bytes, size_t len);

#endif
