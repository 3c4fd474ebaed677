/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef STHD_ALIGN_H
#define STHD_ALIGN_H

#include <stddef.h>
#include <stdint.h>

#include "sthd/buf.h"
#include "sthd/profile.h"
#include "sthd/run.h"

/*
 * Latency by block size and start offset, and the physical block size that follows from it: I/O
 * that does not begin and end where a device's blocks do costs it a second block, or a read before
 * the write. Pure.
 */
#define ALIGN_MAX 12

struct align {
    size_t n_blocks, n_offsets;
    uint64_t blocks[ALIGN_MAX], offsets[ALIGN_MAX];   /* bytes, rising */
    double ns[DIRECTION_COUNT][ALIGN_MAX][ALIGN_MAX]; /* mean; NAN: not measured */
};

/* Of the tests of a run: each is of one block size and one offset. */
void align_of(struct align *a, const struct run *r);
/* How much slower than the best of its block size: 1 and more; NAN: not measured. */
double align_ratio(const struct align *a, enum direction d, size_t block, size_t offset);
/* 0 .. 4: how hot a ratio is. */
unsigned align_heat(double ratio);

struct align_verdict {
    uint64_t physical_bytes;  /* 0: no effect of alignment that is beyond the noise */
    double times;             /* what is not aligned takes so many times as long: medians */
    enum direction direction; /* where the effect was larger */
};

/*
 * A size is the physical block's when for every block size that is a multiple of it all aligned
 * offsets are faster than all others, by more than either scatters and by ALIGN_EFFECT (by
 * ALIGN_EFFECT_ALONE if there is one such block size only).
 */
#define ALIGN_EFFECT       1.15
#define ALIGN_EFFECT_ALONE 1.4
void align_judge(const struct align *a, struct align_verdict *v);
/*
 * "physical blocks of 4 KiB: writes that are not aligned to them take 2.3 times as long"; and
 * whether the kernel says so, too (its physical_block_size; 0: unknown).
 */
void align_sentence(const struct align_verdict *v, uint64_t kernel_bytes, struct buf *out);

#endif
