/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef STHD_ASK_H
#define STHD_ASK_H

#include <stdint.h>

#include "sthd/buf.h"
#include "sthd/err.h"
#include "sthd/loop.h"

/*
 * One question to another program: what it says on its standard output, whole, when it has ended.
 * Asynchronous; a program that hangs (zpool on a suspended pool does) is killed.
 */
struct ask;

#define ASK_BYTES_MAX ((size_t)1 << 20)

/*
 * argv[0] is the resolved program. done comes once, from the loop: text is NULL when it failed,
 * took longer than wait_ms, or said more than ASK_BYTES_MAX. The ask may be freed from it.
 */
int ask_start(struct ask **out, struct loop *l, const struct strv *argv, unsigned wait_ms,
              void (*done)(void *arg, const char *text), void *arg, struct err *e);
void ask_free(struct ask *a); /* kills what runs; NULL is fine */

#endif
