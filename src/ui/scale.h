/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef STHD_UI_SCALE_H
#define STHD_UI_SCALE_H

#include "canvas.h"

/* A log axis over whole decades, so that it changes seldom and a bar can be read against it. */
struct scale {
    double lo, hi; /* powers of ten; 0 when there is nothing to scale */
};

/* Grows to hold v (> 0; others are ignored). Starts empty: { 0, 0 }. */
void scale_hold(struct scale *s, double v);
/* At least that many decades. */
void scale_widen(struct scale *s, int decades);
/* 0 .. 1; NAN for what is not there. */
double scale_share(const struct scale *s, double v);
/* The decades' names over cols columns, each starting where its tick is. name() writes one. */
void scale_draw(const struct canvas *c, int y, int x, int cols, const struct scale *s,
                void (*name)(char *out, size_t size, double v));
/* The next of 1, 2, 5, 10, 20 ... at or above v; 1 for what is not positive. */
double scale_round_up(double v);

#endif
