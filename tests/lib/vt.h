/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef STHD_TESTS_VT_H
#define STHD_TESTS_VT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <termios.h>

/*
 * A person at a terminal, for tests: runs a program on a pseudo terminal with libvterm as the
 * screen, types keys, reads what is seen. Between the terminal and the program stands a small
 * process in the place of the shell: it leads the session, puts the program into the foreground and
 * outlives it, so that the terminal can be looked at after the program is gone.
 *
 * Every wait is for a condition, with a deadline in ms, and returns whether it came true. While it
 * waits, the terminal is read (unless vt_stall). Ignores SIGPIPE in the test program.
 */
struct vt;

struct vt_spec {
    int rows, cols;         /* 0: 24 and 80 */
    bool size_zero;         /* tell the program 0 x 0, as a serial line does */
    const char *term;       /* NULL: xterm-256color */
    const char *const *env; /* "NAME=value" sets, "NAME" unsets; NULL-terminated, may be NULL */
    const char *cwd;        /* NULL: ours */
    bool latin;             /* a terminal that does not decode UTF-8 */
};

struct vt *vt_start(const struct vt_spec *spec, const char *const argv[]);
/* Kills the program if it runs, and closes the terminal. */
void vt_free(struct vt *v);

/* The program's pid; also its process group. */
pid_t vt_pid(const struct vt *v);

void vt_send(struct vt *v, const char *bytes, size_t len);
void vt_keys(struct vt *v, const char *s);
/* The terminal gets a new size; the program gets SIGWINCH from the kernel. */
void vt_resize(struct vt *v, int rows, int cols);
/* Stops reading what the program writes: Ctrl-S, a dead SSH connection. false: reads again. */
void vt_stall(struct vt *v, bool stalled);
/* The terminal goes away: the pseudo terminal is closed, and the "shell" passes SIGHUP on. */
void vt_hangup(struct vt *v);
void vt_signal(struct vt *v, int signo); /* to the program alone */

/* Reads what is there, waiting at most ms for something to come. */
void vt_pump(struct vt *v, int ms);

/* One row of the screen without trailing blanks, all rows with '\n' after each. Valid until the
 * next call of the same function. */
const char *vt_row(struct vt *v, int row);
const char *vt_screen(struct vt *v);
bool vt_shows(struct vt *v, const char *text);         /* on one row */
bool vt_matches(struct vt *v, const char *ere);        /* on one row; POSIX extended */
int vt_find(struct vt *v, const char *text, int *col); /* the row, -1 if none; col may be NULL */

struct vt_cell {
    char text[32]; /* UTF-8, "" for empty */
    int width;
    bool bold, underline, reverse;
    bool fg_default, bg_default;
    int fg, bg; /* palette index, or 0x1000000 | rgb; meaningless when default */
};
void vt_cell(struct vt *v, int row, int col, struct vt_cell *out);

int vt_rows(const struct vt *v);
int vt_cols(const struct vt *v);
void vt_cursor(const struct vt *v, int *row, int *col);
bool vt_cursor_visible(const struct vt *v);
bool vt_alt_screen(const struct vt *v);
bool vt_mouse(const struct vt *v); /* mouse reports are on */
/* Bytes the program wrote so far, and the bytes themselves. */
uint64_t vt_bytes(const struct vt *v);
const char *vt_raw(const struct vt *v);
/* Monotonic time (ns) when the program was started, and when its first byte was read (0: none). */
int64_t vt_started_ns(const struct vt *v);
int64_t vt_first_byte_ns(const struct vt *v);

/* Lines that scrolled off the top of the normal screen, then the screen: what a person can still
 * read after the program is gone. */
const char *vt_transcript(struct vt *v);

typedef bool vt_condition(struct vt *v, void *arg);
bool vt_wait(struct vt *v, vt_condition *is, void *arg, int ms);
bool vt_wait_text(struct vt *v, const char *text, int ms);
bool vt_wait_match(struct vt *v, const char *ere, int ms);
bool vt_wait_gone(struct vt *v, const char *text, int ms); /* no row shows it any more */
bool vt_wait_bytes(struct vt *v, uint64_t more_than, int ms);
/* Nothing was written for quiet_ms. */
bool vt_wait_quiet(struct vt *v, int quiet_ms, int ms);
/* The program ended; *status as from waitpid(2). Afterwards all its output has been read. */
bool vt_wait_exit(struct vt *v, int *status, int ms);
/* The program was stopped by a signal (job control). vt_continue: as the shell's "fg". */
bool vt_wait_stopped(struct vt *v, int ms);
void vt_continue(struct vt *v);

/* The terminal's settings before the program was started, and now. */
const struct termios *vt_termios_before(const struct vt *v);
void vt_termios_now(const struct vt *v, struct termios *out);
bool vt_termios_restored(const struct vt *v);

/* The screen as TAP notes: for a failed wait. */
void vt_dump(struct vt *v);

#endif
