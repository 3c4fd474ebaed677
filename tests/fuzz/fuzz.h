/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef STHD_TESTS_FUZZ_H
#define STHD_TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

/*
 * A fuzz target: takes any bytes, aborts where a promise is broken. libFuzzer calls it when
 * configured with --enable-fuzzing; else replay-main.c does, with the seeds and variations of them.
 */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Unlike assert, in every build. */
#define FUZZ_CHECK(promise) \
    do {                    \
        if (!(promise))     \
            abort();        \
    } while (0)

#endif
