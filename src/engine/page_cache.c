/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Looks into the page cache; see page_cache.h. Promises to read nothing of the file and to do no
 * I/O. Must not know why one asks.
 */
#include "page_cache.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sthd/mem.h"

/* The number is the same on every architecture (it is newer than the common table). */
#ifndef SYS_cachestat
#define SYS_cachestat 451
#endif

/* As in linux/mman.h, which older systems have without these. */
struct range {
    uint64_t off, len;
};
struct stats {
    uint64_t cached, dirty, writeback, evicted, recently_evicted; /* pages */
};

#define WINDOW ((uint64_t)1 << 30) /* of one mapping: 32-bit machines have no more to spare */

static uint64_t page_bytes(void)
{
    return (uint64_t)sysconf(_SC_PAGESIZE);
}

static int window_mincore(int fd, uint64_t offset, size_t len, uint64_t *bytes)
{
    size_t pages = (len + page_bytes() - 1) / page_bytes();
    void *map = mmap(NULL, len, PROT_READ, MAP_SHARED, fd, (off_t)offset);

    if (map == MAP_FAILED)
        return -errno;
    unsigned char *held = mem_alloc(pages);
    int rc = mincore(map, len, held) < 0 ? -errno : 0;
    for (size_t i = 0; rc == 0 && i < pages; i++)
        *bytes += held[i] & 1 ? page_bytes() : 0;
    free(held);
    munmap(map, len);
    return rc;
}

int page_cache_mincore(int fd, uint64_t size, uint64_t *bytes)
{
    int rc = 0;

    *bytes = 0;
    for (uint64_t at = 0; rc == 0 && at < size; at += WINDOW)
        rc = window_mincore(fd, at, size - at < WINDOW ? (size_t)(size - at) : (size_t)WINDOW,
                            bytes);
    if (*bytes > size) /* the last page may be larger than what is left of the file */
        *bytes = size;
    return rc;
}

int page_cache_bytes(int fd, uint64_t size, uint64_t *bytes)
{
    struct range all = {0, size};
    struct stats st = {0};

    if (size > 0 && syscall(SYS_cachestat, (unsigned)fd, &all, &st, 0U) == 0) {
        *bytes = st.cached * page_bytes();
        if (*bytes > size)
            *bytes = size;
        return 0;
    }
    return page_cache_mincore(fd, size, bytes);
}

void page_cache_drop(int fd, uint64_t offset, uint64_t len)
{
    posix_fadvise(fd, (off_t)offset, (off_t)len, POSIX_FADV_DONTNEED);
}
