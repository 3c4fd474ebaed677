/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef STHD_ENGINE_PAGE_CACHE_H
#define STHD_ENGINE_PAGE_CACHE_H

#include <stdint.h>

/*
 * What the page cache holds of a file: cachestat(2) (Linux 6.5), else mincore(2), which tells it of
 * files that one may write. Neither sees caches below or beside the page cache (ZFS's ARC, a
 * server's memory).
 */

/* Bytes of the first size bytes that are in memory. -errno when nothing can be seen. */
int page_cache_bytes(int fd, uint64_t size, uint64_t *bytes);
/* The same by mincore(2) alone. */
int page_cache_mincore(int fd, uint64_t size, uint64_t *bytes);
/*
 * Asks the kernel to forget a range. Pages that are dirty stay; whether it worked is what
 * page_cache_bytes is for.
 */
void page_cache_drop(int fd, uint64_t offset, uint64_t len);

#endif
