/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef STHD_APP_SINK_H
#define STHD_APP_SINK_H

#include <stdbool.h>
#include <stddef.h>

#include "sthd/loop.h"

/*
 * Text for a descriptor that may stop taking it (a stalled terminal, a paused pager): written
 * without blocking, queued up to a bound, then dropped and counted. So that nobody's terminal can
 * keep us from reading fio's pipes.
 */
struct sink;

/* Opens fd's file anew where that is possible, so that O_NONBLOCK does not leak to others. */
struct sink *sink_new(struct loop *l, int fd, size_t max_bytes);
void sink_write(struct sink *s, const char *bytes, size_t len);
/* True while everything given was taken: a progress line is only worth writing then. */
bool sink_is_empty(const struct sink *s);
/* Writes what is left, waiting at most ms for the reader; then frees. NULL is fine. */
void sink_free(struct sink *s, int ms);

#endif
