/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef STHD_COURSE_H
#define STHD_COURSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sthd/buf.h"

/*
 * Throughput over what was written: the course of a long write, in at most COURSE_POINTS points
 * however long it gets, and what can be said of it. Pure.
 */
struct course_point {
    uint64_t bytes;
    double seconds; /* > 0 */
};

enum course_kind {
    COURSE_SHORT,    /* too little to say anything */
    COURSE_STEADY,   /* no part is faster than another by COURSE_CONTRAST */
    COURSE_KNEED,    /* one level until here, another from here on */
    COURSE_DRIFTING, /* faster or slower all the time, with no place where it changed */
    COURSE_UNSTEADY, /* up and down, with no level that lasts */
};

/* Levels that differ by less than this are the same one. */
#define COURSE_CONTRAST 1.25
#define COURSE_KNEES    4 /* with more of them there is no level worth a name */

struct knee {
    uint64_t at_bytes; /* written before it */
    double before_bytes_per_s, after_bytes_per_s;
};

struct course_verdict {
    enum course_kind kind;
    struct knee knees[COURSE_KNEES];
    size_t n_knees;
    double first_bytes_per_s, last_bytes_per_s; /* of the first and the last eighth */
    double low_bytes_per_s, high_bytes_per_s;   /* nine of ten points are above, below */
    double middle_bytes_per_s;                  /* the median of the points */
};

#define COURSE_POINTS 512u

/* Zeroed: nothing yet. */
struct course {
    struct course_point *points; /* COURSE_POINTS of them, in the order of time; or NULL */
    size_t n;
    uint64_t bytes;       /* of all points */
    uint64_t point_bytes; /* a point is closed when it has so many; only the last may be open */
    double stalled_s;     /* since the last point, without a byte: belongs to the next */
    uint64_t judged_bytes;
    struct course_verdict verdict; /* as of judged_bytes; course_judge */
};

void course_done(struct course *c); /* and zeroed again */
/* The next interval. Without bytes, its time counts for the one after it. */
void course_add(struct course *c, uint64_t bytes, double seconds);
/* Mean throughput between two places, bytes from the start; NAN where nothing was written. */
double course_rate(const struct course *c, double from_bytes, double to_bytes);

/*
 * Says what can be said so far, in c->verdict. Noise makes no knee: a knee is a place where the
 * level changes by COURSE_CONTRAST at least, far beyond what the points scatter, on both sides for
 * long enough, and most of it there and not on the way. Up to some milliseconds of work:
 * course_is_due says when the course has grown enough to be worth it again.
 */
void course_judge(struct course *c);
bool course_is_due(const struct course *c);
const char *course_kind_name(enum course_kind k); /* "steady" "knees" ... */
/* "fell from 3.2 GB/s to 0.6 GB/s after 38 GiB"; "too short to tell" */
void course_sentence(const struct course_verdict *v, struct buf *out);

#endif
