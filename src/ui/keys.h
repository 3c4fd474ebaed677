/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef STHD_UI_KEYS_H
#define STHD_UI_KEYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sthd/buf.h"

/*
 * What the keys of one wake-up mean: a person types one key, or holds one; a paste arrives in a
 * burst (or between brackets, where the terminal marks it). A paste is text, never commands. Pure;
 * knows no ncurses.
 */
enum {
    KEY_CODE_ESC = 27,
    KEY_CODE_TAB = 9,
    KEY_CODE_ENTER = 13,
    KEY_CODE_BACKSPACE = 127,
    KEY_CODE_UP = 0x200, /* beyond every byte */
    KEY_CODE_DOWN,
    KEY_CODE_LEFT,
    KEY_CODE_RIGHT,
    KEY_CODE_HOME,
    KEY_CODE_END,
    KEY_CODE_PAGE_UP,
    KEY_CODE_PAGE_DOWN,
    KEY_CODE_DELETE,
    KEY_CODE_BACKTAB,
    KEY_CODE_PASTE_BEGIN,
    KEY_CODE_PASTE_END,
    KEY_CODE_OTHER, /* a key we have no use for */
};
#define KEY_CODE_CTRL(c) ((c)&0x1f)

/* What is still one paste may arrive in pieces this far apart. */
#define KEYS_PASTE_GAP_NS INT64_C(150000000)

struct keys {
    int *queue; /* commands, in order; owned */
    size_t n, next, cap;
    struct buf pasted;      /* text pasted since keys_take_paste */
    bool in_brackets;       /* between the terminal's paste marks */
    int64_t paste_until_ns; /* keys until then still belong to the last burst */
};

void keys_init(struct keys *k);
void keys_done(struct keys *k);
/* The keys of one wake-up, in order, at that time (monotonic). */
void keys_feed(struct keys *k, const int *codes, size_t n, int64_t now_ns);
/* The next command key; false when there is none. */
bool keys_next(struct keys *k, int *code);
/* Pasted text, if any: moves it into out (which must be initialised). */
bool keys_take_paste(struct keys *k, struct buf *out);

#endif
