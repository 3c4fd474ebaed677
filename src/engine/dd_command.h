/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef STHD_ENGINE_DD_COMMAND_H
#define STHD_ENGINE_DD_COMMAND_H

#include <stdbool.h>

#include "sthd/buf.h"
#include "sthd/plan.h"

/*
 * The command lines of a step; each replaces what argv holds. plain: say fsync for fdatasync and
 * sync for dsync, which is what BusyBox's dd knows (of the two only fsync).
 */
void dd_command_measure(struct strv *argv, const char *program, const struct step *step,
                        int bench_fd, bool plain);
/* The flags of that on as little as possible: nothing (writes) or one block (reads). */
void dd_command_try(struct strv *argv, const char *program, const struct step *step, int bench_fd,
                    bool plain);
/* What is dirty goes to the device. */
void dd_command_flush(struct strv *argv, const char *program, int bench_fd);
/* The whole file goes into the page cache. */
void dd_command_warm(struct strv *argv, const char *program, int bench_fd);

#endif
