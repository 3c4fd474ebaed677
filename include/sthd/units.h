/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef STHD_UNITS_H
#define STHD_UNITS_H

#include <stddef.h>
#include <stdint.h>

#include "sthd/err.h"

/*
 * Sizes, rates and durations, between text and numbers. Sizes are powers of 1024 (KiB), rates
 * powers of 1000 (MB/s = 10^6 bytes/s). The decimal separator is always ".". A value that is not
 * there is NAN (double) or UNITS_ABSENT (uint64_t) and is written "-".
 */
#define UNITS_ABSENT UINT64_MAX
#define UNITS_TEXT   24 /* a buffer of this size holds every format below */

/*
 * "1g", "1G", "1gib", "64m", "512k", "4096", "1.5g", "1 GiB"; k m g t p and no letter (bytes), all
 * powers of 1024 as in fio and dd. Range 1 .. 2^60. Errors: -EINVAL, -ERANGE with a sentence that
 * names what (e.g. "--size").
 */
int units_parse_size(const char *s, const char *what, uint64_t *bytes, struct err *e);
/* "5", "5s", "1m", "2h"; whole seconds, min .. max. */
int units_parse_seconds(const char *s, const char *what, uint32_t min, uint32_t max,
                        uint32_t *seconds, struct err *e);
/* A whole number min .. max. */
int units_parse_count(const char *s, const char *what, uint64_t min, uint64_t max, uint64_t *n,
                      struct err *e);

/* All return out. */
char *units_size(char out[UNITS_TEXT], uint64_t bytes); /* "1 GiB", "1.2 TiB", "4 KiB", "512 B" */
char *units_size_short(char out[UNITS_TEXT],
                       uint64_t bytes); /* "1M", "4K", "512", as in test names */
/* MB/s without the unit: "6912.4" (>= 10), "4.38" (>= 0.1), "0.0021" (two digits below). */
char *units_mb_per_s(char out[UNITS_TEXT], double bytes_per_s);
char *units_iops(char out[UNITS_TEXT], double iops);        /* "10 687": blank between thousands */
char *units_latency(char out[UNITS_TEXT], double ns);       /* "850 ns" "85 us" "1.3 ms" "2.4 s" */
char *units_clock(char out[UNITS_TEXT], double seconds);    /* "00:26", "1:02:03" */
char *units_duration(char out[UNITS_TEXT], double seconds); /* "24 s", "2 min 5 s", "1 h 3 min" */

#endif
