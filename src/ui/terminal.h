/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef STHD_UI_TERMINAL_H
#define STHD_UI_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sthd/err.h"

/*
 * The terminal: opened by ourselves, never written to in a way that can block. What ncurses writes
 * is caught in memory, frame by frame, and leaves through a queue of ours. There is one.
 */
struct terminal;

/* -errno with a sentence when there is no terminal a screen can be drawn on. */
int terminal_open(struct terminal **out, int escape_delay_ms, struct err *e);
void terminal_close(struct terminal *t);
void terminal_suspend(struct terminal *t);
void terminal_resume(struct terminal *t);
int terminal_fd(const struct terminal *t);
/* Asks the terminal for its size and tells ncurses. */
void terminal_resized(struct terminal *t);
bool terminal_utf8(void);
/* The Linux console and its like: fonts of 256 or 512 glyphs. */
bool terminal_small_font(void);

/* Reads the keys that are there (see keys.h for the codes), at most max; repeats as needed. */
size_t terminal_keys(struct terminal *t, int *keys, size_t max);

/* After doupdate(): takes the frame's bytes into the queue. */
void terminal_frame(struct terminal *t);
/* True when everything has left: only then is a new frame worth rendering. */
bool terminal_idle(const struct terminal *t);
/* Writes what can be written now. False: the terminal is gone. */
bool terminal_flush(struct terminal *t);
uint64_t terminal_bytes(const struct terminal *t);

/* Async-signal-safe; does nothing when no terminal is open. */
void terminal_emergency_restore(void);

#endif
