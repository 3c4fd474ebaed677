/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef STHD_UI_VIEWS_H
#define STHD_UI_VIEWS_H

#include "canvas.h"
#include "scene.h"

/* Each draws one pane (or one screen) onto its canvas, and copes with any size of it. */

void view_setup(const struct canvas *c, const struct scene *s);
void view_run(const struct canvas *c, const struct scene *s);

/* The tables of a run, by profile->view. row_height: see layout.h. */
void view_cdm(const struct canvas *c, const struct scene *s, int row_height);
void view_slog(const struct canvas *c, const struct scene *s);
/* Latency by block size and offset. */
size_t view_align_lines(const struct scene *s);
void view_align(const struct canvas *c, const struct scene *s);
/* Requests one by one, and what they come to. */
size_t view_pings_lines(int screen_rows);
void view_pings(const struct canvas *c, const struct scene *s);
/* Throughput over the amount, in place of the timeline. */
void view_course(const struct canvas *c, const struct scene *s);
void view_mix(const struct canvas *c, const struct scene *s);
size_t view_mix_lines(int screen_rows); /* what it would like to have */
/* Throughput over the rows, in place of the timeline. */
void view_curve(const struct canvas *c, const struct scene *s);
size_t view_curve_rows(const struct scene *s, int screen_rows); /* what it leaves to the table */
#define VIEW_CDM_HEAD_LINES  2
#define VIEW_SLOG_HEAD_LINES 2
/* Throughput and latency of one cell over the time of its test. */
void view_timeline(const struct canvas *c, const struct scene *s);
/*
 * What is watched: now, and what it was between the marks, the newest first. view_watch_rows: how
 * many lines that takes on a screen of so many rows.
 */
void view_watch(const struct canvas *c, const struct scene *s);
size_t view_watch_rows(const struct scene *s, int screen_rows);
#define VIEW_WATCH_HEAD_LINES 1
/* What the last change did, in one sentence. */
void view_watch_sentence(const struct canvas *c, const struct run *r);
/* The last intervals, one column each, with the marks. */
void view_watch_timeline(const struct canvas *c, const struct scene *s);
/*
 * Where the time of an I/O goes: live in a run, of the test that is looked at afterwards.
 * view_has_time: devices are to be expected below the target, so that there is something to say.
 */
void view_time(const struct canvas *c, const struct scene *s);
bool view_has_time(const struct scene *s);
void view_steps(const struct canvas *c, const struct scene *s);
void view_raw(const struct canvas *c, const struct scene *s);

/* What the processors do, in one line with its label. */
void view_cpu(const struct canvas *c, const struct scene *s);
/* The knobs: what is, what was, what their keys would do. */
void view_knobs(const struct canvas *c, const struct scene *s);
/* The same with a line above that says so. */
void view_knobs_pane(const struct canvas *c, const struct scene *s);
#define VIEW_KNOBS_LINES KNOB_COUNT
/* They are open, and in a pane of the run's screen: figures and knobs are to be seen together. */
bool view_knobs_beside(const struct canvas *c, const struct scene *s);

/* Keys and what they do, for the bottom line: "s\0stop\0n\0next\0\0". */
void view_keys(const struct canvas *c, const char *pairs);
/* What the open dialog's keys are; false when none is open. */
bool view_overlay_keys(const struct canvas *c, const struct scene *s);
void view_message(const struct canvas *c, const struct scene *s);

/* The running cell, or NULL (preparing, between steps, over). */
const struct cell *view_current_cell(const struct run *r);
/* The cell the timeline and the now line are about: the running one, the one that is looked at when
 * the run is over, or the last that ran. NULL (and *step NULL): none. */
const struct cell *view_shown_cell(const struct scene *s, const struct step **step);
/* Whether a mark belongs to the cell: it runs, or it is looked at. */
bool view_is_marked(const struct scene *s, const struct cell *cell);

#endif
