/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef STHD_ENGINE_BENCH_FILE_PRIVATE_H
#define STHD_ENGINE_BENCH_FILE_PRIVATE_H

#include <stddef.h>

#include "sthd/bench_file.h"

/* bench_file_create with some ways left out: bit 1u << enum bench_file_way. Tests walk each way on
 * a file system that can do all. */
int bench_file_create_by(struct bench_file **out, const char *dir, uint64_t size_bytes,
                         unsigned ways, struct err *e);

/* ".speedtest-hd-" and 64 random bits. */
void bench_file_random_name(char *to, size_t size);
/* Why nothing could be made in dir, as a sentence. */
int bench_file_error(struct err *e, int errnum, const char *dir, uint64_t size_bytes);

#endif
