/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tells typing from pasting, and swallows escape sequences nobody defined. Must not know ncurses.
 */
#include "keys.h"

#include <stdlib.h>
#include <string.h>

#include "sthd/mem.h"

void keys_init(struct keys *k)
{
    memset(k, 0, sizeof(*k));
    buf_init(&k->pasted);
}

void keys_done(struct keys *k)
{
    free(k->queue);
    buf_done(&k->pasted);
    memset(k, 0, sizeof(*k));
}

static void push(struct keys *k, int code)
{
    if (k->next > 0 && k->next == k->n)
        k->next = k->n = 0;
    if (k->n == k->cap) {
        k->cap = k->cap ? k->cap * 2 : 64;
        k->queue = mem_realloc_array(k->queue, k->cap, sizeof(*k->queue));
    }
    k->queue[k->n++] = code;
}

/* What a paste can consist of. Interrupting and suspending always work. */
static bool is_text(int code)
{
    return (code >= 0x20 && code < 0x100 && code != KEY_CODE_BACKSPACE) || code == KEY_CODE_ENTER ||
           code == KEY_CODE_TAB || code == '\n';
}

/* The length of an unknown escape sequence (or an Alt-key) at codes[0] == ESC; 0: a lone ESC. */
static size_t sequence(const int *codes, size_t n)
{
    size_t i = 2;

    if (n < 2 || codes[1] >= 0x100 || codes[1] == KEY_CODE_ESC)
        return 0;
    if (codes[1] == 'O')
        return n < 3 ? 2 : 3;
    if (codes[1] != '[')
        return 2;
    while (i < n && codes[i] >= 0x20 && codes[i] < 0x40)
        i++;
    return i < n ? i + 1 : i;
}

/* Two different text keys at once are not typed by hand: a person's keys are ms apart, and a key
 * held down repeats itself. */
static bool is_burst(const int *codes, size_t n)
{
    int first = -1;

    for (size_t i = 0; i < n; i++) {
        if (codes[i] == KEY_CODE_ESC) {
            size_t skip = sequence(codes + i, n - i);
            if (skip) {
                i += skip - 1;
                continue;
            }
        }
        if (!is_text(codes[i]))
            continue;
        if (first == -1)
            first = codes[i];
        else if (codes[i] != first)
            return true;
    }
    return false;
}

void keys_feed(struct keys *k, const int *codes, size_t n, int64_t now_ns)
{
    bool burst = now_ns < k->paste_until_ns || is_burst(codes, n);

    for (size_t i = 0; i < n; i++) {
        int code = codes[i];
        if (code == KEY_CODE_PASTE_BEGIN) {
            k->in_brackets = true;
            continue;
        }
        if (code == KEY_CODE_PASTE_END) {
            k->in_brackets = false;
            continue;
        }
        if (code == KEY_CODE_ESC) {
            size_t skip = sequence(codes + i, n - i);
            if (skip) {
                i += skip - 1;
                continue;
            }
        }
        if (is_text(code) && (burst || k->in_brackets)) {
            buf_addc(&k->pasted, (char)code);
            if (burst)
                k->paste_until_ns = now_ns + KEYS_PASTE_GAP_NS;
            continue;
        }
        push(k, code);
    }
}

bool keys_next(struct keys *k, int *code)
{
    if (k->next == k->n)
        return false;
    *code = k->queue[k->next++];
    return true;
}

bool keys_take_paste(struct keys *k, struct buf *out)
{
    if (k->pasted.len == 0)
        return false;
    buf_add(out, k->pasted.data, k->pasted.len);
    buf_clear(&k->pasted);
    return true;
}
