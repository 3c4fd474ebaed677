/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef STHD_TESTS_E2E_H
#define STHD_TESTS_E2E_H

#include <stdbool.h>
#include <stddef.h>

#include "proc.h"
#include "vt.h"

/*
 * What tests of the whole program share: the program, a place on a real disk, and the check that
 * nothing is left.
 */

/*
 * Before anything else. Takes the lock that keeps two tests with a real fio from running at the
 * same time, and gives the program a home of its own (no settings of ours) and a UTF-8 locale.
 */
void e2e_begin(void);
/* Removes the home and the directories of e2e_dir. */
void e2e_remove(void);
/* e2e_remove and tap_done. */
int e2e_done(void);

const char *e2e_program(void);
/* A fio is there that can run; else all that needs it is to be skipped. */
bool e2e_have_fio(void);

/* A new empty directory below the build directory, as the kernel spells it. Owned by e2e. */
const char *e2e_dir(void);
/* An executable script called name, in a directory of its own; returns "PATH=..." with it in front
 * (or alone). Owned by e2e. */
const char *e2e_path_with(const char *name, const char *script, bool alone);
/* Hides every fio of this machine from this test, in a mount namespace of its own; needs root. */
bool e2e_hide_fio(void);
/* printf into memory owned by e2e. */
const char *e2e_text(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* ---- nothing is left ---- */

struct e2e_watch { /* what there was while the program ran */
    const char *dir;
    struct proc_id ids[PROC_IDS];
    size_t n;
};

/*
 * Waits until the program has a child called fio that holds the bench file, then notes the program
 * and all its descendants. v: the terminal to read meanwhile, or NULL; p likewise.
 */
bool e2e_watch(struct e2e_watch *w, const char *dir, pid_t program, struct vt *v, struct plain *p,
               int ms);
/* fio's pid among them, 0 if none. */
pid_t e2e_watch_fio(const struct e2e_watch *w);
/*
 * Four checks: no process of these is left (they have ms to go), nobody holds anything in the
 * directory, the directory is empty, and no memory of it is on the file system (see
 * e2e_private_fs).
 */
void e2e_check_nothing_left(const struct e2e_watch *w, const char *what, int ms);

/*
 * Mounts a file system of its own on a new directory, seen by this test alone, so that free space
 * is nobody else's; needs root. NULL when that cannot be had.
 */
const char *e2e_private_fs(const char *size);
unsigned long long e2e_free_bytes(const char *dir);

/* ---- the full screen ---- */

/*
 * From the setup screen: waits until fio was looked at, presses s, reads the question, says yes,
 * and waits until the run is on screen. TAP checks; false if one failed.
 */
bool e2e_press_start(struct vt *v);
/* Presses q and y in a run, key by key as a person does: a burst counts as a paste. */
void e2e_press_quit(struct vt *v);

/* ---- the table on stdout ---- */

#define E2E_COLUMNS 16
#define E2E_ROWS    20
struct e2e_table {
    char cells[E2E_ROWS][E2E_COLUMNS][48]; /* row 0: heads */
    size_t n_rows, n_columns;
};
/* The first table in text whose head has "MB/s"; ASCII or box characters. */
bool e2e_table_parse(struct e2e_table *t, const char *text);
/* The cell in the row of that name and the nth (0, 1) column of that head; NULL if none. */
const char *e2e_table_cell(const struct e2e_table *t, const char *row, const char *head,
                           size_t nth);
/*
 * The number of a cell: "6912.4", "10 687", "85 us" (in ns), "2.4 s". *step is the worth of its
 * last digit. NAN for "-" and everything else that is no number.
 */
double e2e_number(const char *cell, double *step);

#endif
