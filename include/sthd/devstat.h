/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef STHD_DEVSTAT_H
#define STHD_DEVSTAT_H

#include <stdbool.h>
#include <stdint.h>

/*
 * What a block device has done since it is there (the kernel's iostats.rst), and between two looks.
 * Its milliseconds are summed over requests, from their allocation to their completion: of ten
 * requests of 1 ms at the same time, 10. They are cut from nanoseconds when they are shown, so a
 * difference is good to 1 ms, however many requests it is of.
 */
struct devstat {
    uint64_t read_ios, read_bytes, read_ms;
    uint64_t write_ios, write_bytes, write_ms;
    uint64_t flush_ios, flush_ms; /* 0 where has_flush is not set */
    uint64_t in_flight;           /* at this moment; of a difference: at its end */
    bool has_flush;               /* Linux 5.5 and later; of whole disks only */
};

/*
 * The text of /sys/block/DEV/stat: 11, 15 (Linux 4.18) or 17 numbers (5.5), later ones ignored.
 * -EINVAL when it is something else.
 */
int devstat_parse(struct devstat *out, const char *text);
/*
 * now - before. A counter that went back has passed 2^32 if it was near it (the milliseconds have
 * 32 bits), else the device was replaced and now is all there is to know.
 */
void devstat_difference(struct devstat *out, const struct devstat *before,
                        const struct devstat *now);
void devstat_add(struct devstat *sum, const struct devstat *more);

/* Below it a mean is made of rounding. */
#define DEVSTAT_ENOUGH_MS 20

#endif
