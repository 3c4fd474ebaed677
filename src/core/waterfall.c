/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Splits the time of an I/O; see waterfall.h.
 *
 * What can be concluded. Let n be the I/Os that fio keeps in flight (threads x queue depth). By
 * Little's law an I/O takes n / IOPS, and the device had ticks / elapsed requests at a time.
 *
 * n = 1: ticks / I/Os is the device's time in one I/O, also where one I/O makes several requests
 * (ext4: 4 writes and a flush for one O_SYNC write). Unless these are at the device together, or
 * others' are there too: then they add up to more time than passed, and if to much more, what the
 * I/O waited for is not known.
 *
 * n > 1: the same quotient has two faults. It is too low where several I/Os wait for one request
 * (a group commit: 16 threads, one flush), and it includes the device's own queue. So a high share
 * still says that I/Os wait in the device; but a low one does not say that they wait elsewhere.
 * What does: the device was busy for at most ticks / elapsed of the time (one request at a time
 * would be just that); if this is little, it stood idle while threads wanted something.
 *
 * An I/O cut into parts: the sum may be up to parts times too high. It still proves software when
 * it is low, and the device when a parts-th of it is high. Buffered I/O without O_SYNC does not
 * wait for its own requests at all (read-ahead, write-back): only a device that stood idle tells.
 */
#include "sthd/waterfall.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "sthd/units.h"

static enum bound judge(const struct waterfall *w, double parts)
{
    bool overlap = w->in_flight > 1 || w->detached;
    double raw = w->in_device / w->in_flight;
    double least = w->detached ? 0 : raw / parts;
    double most = overlap ? fmin(1, w->in_device) : raw;

    if (!overlap && parts <= 1 && raw > WATERFALL_CROWD)
        return BOUND_OVERLAP;
    if (least >= WATERFALL_DEVICE)
        return BOUND_DEVICE;
    if (most <= WATERFALL_SOFTWARE)
        return BOUND_SOFTWARE;
    if ((!overlap && parts <= 1) || (least > WATERFALL_SOFTWARE && most < WATERFALL_DEVICE))
        return BOUND_MIXED;
    return BOUND_OVERLAP;
}

void waterfall_split(struct waterfall *w, const struct waterfall_facts *f)
{
    memset(w, 0, sizeof(*w));
    w->mean_ns = NAN;
    if (!f->device_seen || !(f->ios > 0) || !(f->seconds > 0))
        return;
    unsigned in_flight = f->threads * f->queue_depth;
    w->in_flight = in_flight ? in_flight : 1;
    w->detached = f->detached;
    if (f->slow_leg && f->slower_by > 0) {
        snprintf(w->slow_leg, sizeof(w->slow_leg), "%s", f->slow_leg);
        w->slower_by = f->slower_by;
    }
    w->mean_ns = f->mean_ns > 0 ? f->mean_ns : NAN;
    w->ticks_ms = f->read_ms + f->write_ms + f->flush_ms;
    w->in_device = w->ticks_ms / 1e3 / f->seconds;
    /* Each counter shown in whole ms, cut off, at both ends of the interval. */
    w->resolution_ns = ((f->read_ms > 0) + (f->write_ms > 0) + (f->flush_ms > 0)) * 1e6 / f->ios;
    w->total_ns = w->in_flight * f->seconds * 1e9 / f->ios;
    if (w->mean_ns > w->total_ns) /* by rounding, or an I/O that was in flight at the end */
        w->total_ns = w->mean_ns;

    double device = (f->read_ms + f->write_ms) * 1e6 / f->ios, flush = f->flush_ms * 1e6 / f->ios;
    double sum = device + flush;
    if (sum > w->total_ns) {
        w->capped = sum > w->total_ns + w->resolution_ns;
        device *= w->total_ns / sum;
        flush *= w->total_ns / sum;
        sum = w->total_ns;
    }
    w->device_ns = device;
    w->flush_ns = flush;
    w->rest_ns = isnan(w->mean_ns) ? w->total_ns - sum : fmax(0, w->mean_ns - sum);
    w->outside_ns = fmax(0, w->total_ns - sum - w->rest_ns);
    w->share = sum / w->total_ns;
    w->bound =
        w->ticks_ms < WATERFALL_ENOUGH_MS ? BOUND_FAINT : judge(w, f->parts > 1 ? f->parts : 1);
}

void waterfall_pair(double part_ns, double total_ns, struct buf *out)
{
    char part[UNITS_TEXT], total[UNITS_TEXT];
    char *unit = strchr(units_latency(part, part_ns), ' ');
    const char *other = strchr(units_latency(total, total_ns), ' ');

    if (unit && other && strcmp(unit, other) == 0)
        *unit = '\0';
    buf_addf(out, "%s of %s", part, total);
}

/* Below it nobody needs to hear of flushes. */
#define FLUSH_SHARE 0.05

static void say_overlap(const struct waterfall *w, struct buf *out)
{
    if (w->detached) {
        buf_addf(out,
                 "%.1f requests in the device at a time, but buffered I/O does not wait for them: "
                 "their times do not decide",
                 w->in_device);
    } else if (w->in_flight > 1) {
        buf_addf(out,
                 "%.1f requests in the device at a time, %u I/Os in flight: they overlap, so their "
                 "times do not decide",
                 w->in_device, w->in_flight);
    } else {
        buf_addf(out,
                 "%.1f requests in the device at a time for one I/O: its parts overlap, or others "
                 "use the device, so their times do not decide",
                 w->in_device);
    }
}

void waterfall_sentence(const struct waterfall *w, struct buf *out)
{
    char flush[UNITS_TEXT];

    switch (w->bound) {
    case BOUND_UNSEEN:
        buf_adds(out, "no device visible here: the time cannot be split");
        return;
    case BOUND_FAINT:
        buf_addf(out, "not enough signal: the device's counters moved by %.0f ms", w->ticks_ms);
        return;
    case BOUND_OVERLAP:
        say_overlap(w, out);
        return;
    case BOUND_DEVICE:
    case BOUND_MIXED:
    case BOUND_SOFTWARE:
        break;
    }
    buf_adds(out, "device ");
    waterfall_pair(w->device_ns + w->flush_ns, w->total_ns, out);
    buf_addf(out, " (%.0f %%%s)", w->share * 100,
             w->capped ? "; its requests overlap, or are of others too" : "");
    if (w->flush_ns >= FLUSH_SHARE * w->total_ns)
        buf_addf(out, ", %s of it flushes", units_latency(flush, w->flush_ns));
    buf_adds(out, w->bound == BOUND_DEVICE     ? ": device-bound"
                  : w->bound == BOUND_SOFTWARE ? ": CPU and software"
                                               : ": the device and software, both");
}

void waterfall_strip(const struct waterfall *w, struct buf *out)
{
    char device[UNITS_TEXT], fio[UNITS_TEXT];

    if (w->bound == BOUND_UNSEEN) {
        buf_adds(out, "device: not visible here");
        return;
    }
    if (w->bound == BOUND_FAINT) {
        buf_addf(out, "device: not enough signal (%.0f ms)", w->ticks_ms);
        return;
    }
    buf_addf(out, "device %s/op  fio %s/op  ", units_latency(device, w->device_ns + w->flush_ns),
             units_latency(fio, isnan(w->mean_ns) ? w->total_ns : w->mean_ns));
    if (w->bound == BOUND_OVERLAP)
        buf_addf(out, "%.1f requests in the device for %u in flight", w->in_device, w->in_flight);
    else
        buf_addf(out, "%.0f %% of the time is the device's", w->share * 100);
}

const char *bound_name(enum bound b)
{
    static const char *const names[] = {
        [BOUND_UNSEEN] = "unseen", [BOUND_FAINT] = "faint", [BOUND_OVERLAP] = "overlap",
        [BOUND_DEVICE] = "device", [BOUND_MIXED] = "mixed", [BOUND_SOFTWARE] = "software",
    };

    return names[b];
}
