/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef STHD_WATERFALL_H
#define STHD_WATERFALL_H

#include <stdbool.h>

#include "sthd/buf.h"

/*
 * Where the time of one I/O goes: the device, its flushes, and the rest (CPU, file system,
 * wake-ups). Two clocks are laid over each other: the block layer's, which runs from a request's
 * allocation to its completion, and fio's, which runs around the I/O; what only fio's has seen is
 * the rest.
 */

/* From these shares of the time on it is the device's, or down to it the software's. */
#define WATERFALL_DEVICE   0.7
#define WATERFALL_SOFTWARE 0.4
/* Beyond this multiple of the time that passed requests of others must be among a single I/O's. */
#define WATERFALL_CROWD 1.5
/* Device time below it is made of rounding. */
#define WATERFALL_ENOUGH_MS 20

struct waterfall_facts {
    bool device_seen; /* there are counters, and they are of every device that matters */
    /* Summed over requests, of the slowest leg where a mirror waits for all of them. */
    double read_ms, write_ms, flush_ms;
    double seconds;                /* in which the I/Os ended */
    double ios;                    /* of fio, not of the device */
    double mean_ns;                /* completion latency by fio; NAN where it has none */
    unsigned threads, queue_depth; /* as asked for */
    double parts;  /* requests that one I/O is cut into, which the device may have at once; >= 1 */
    bool detached; /* buffered: the device works ahead of the I/Os or after them */
    /* The leg of a mirror that writes waited for longest, and by how much (ratio); NULL: none. */
    const char *slow_leg;
    double slower_by;
};

enum bound {
    BOUND_UNSEEN,  /* no device visible, or no I/O ended */
    BOUND_FAINT,   /* not enough signal */
    BOUND_OVERLAP, /* requests overlap, so that their times do not decide */
    BOUND_DEVICE,
    BOUND_MIXED,
    BOUND_SOFTWARE,
};

/*
 * Of one I/O. device + flush + rest + outside = total. Where requests overlap (in_flight > 1) this
 * is where an I/O waits, and no longer what the device needs for one. Zeroed: unseen.
 */
struct waterfall {
    enum bound bound;
    double total_ns;    /* from one I/O of a thread (or place in the queue) to its next */
    double device_ns;   /* reads and writes */
    double flush_ns;    /* making the write cache permanent */
    double rest_ns;     /* what fio's latency has beyond these */
    double outside_ns;  /* outside of fio's latency: submission, fio itself */
    double share;       /* device and flush in total, 0 .. 1 */
    bool capped;        /* the device's times added up to more than the total: parts overlap */
    double in_device;   /* requests in the device at a time, on average */
    unsigned in_flight; /* I/Os that fio keeps in flight */
    bool detached;
    double ticks_ms;      /* what share rests on */
    double resolution_ns; /* the counters' 1 ms, per I/O */
    double mean_ns;       /* fio's own; NAN */
    char slow_leg[72];    /* "" none */
    double slower_by;
};

void waterfall_split(struct waterfall *w, const struct waterfall_facts *f);
/*
 * "device 90 of 328 us (27 %): CPU and software"; "device 1.6 of 1.8 ms (89 %), 1.2 ms of it
 * flushes: device-bound"; what cannot be said is said.
 */
void waterfall_sentence(const struct waterfall *w, struct buf *out);
/* The same, live: "device 290 us/op  fio 310 us/op  94 % of the time is the device's". */
void waterfall_strip(const struct waterfall *w, struct buf *out);
/* "device" "software" "mixed" "overlap" "faint" "unseen" */
const char *bound_name(enum bound b);
/* "90 of 328 us", "290 us of 1.2 ms": one unit where one is enough. */
void waterfall_pair(double part_ns, double total_ns, struct buf *out);

#endif
