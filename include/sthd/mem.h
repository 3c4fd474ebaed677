/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef STHD_MEM_H
#define STHD_MEM_H

#include <stddef.h>

/*
 * Allocation that does not fail: out of memory calls the hook (which restores the terminal), says
 * so and exits with EXIT_CODE_INTERNAL. Free with free(3).
 */
void *mem_alloc(size_t bytes) __attribute__((malloc, returns_nonnull, warn_unused_result));
void *mem_zalloc(size_t bytes) __attribute__((malloc, returns_nonnull, warn_unused_result));
void *mem_realloc(void *p, size_t bytes) __attribute__((returns_nonnull, warn_unused_result));
/* n x size with an overflow check; contents beyond the old size are undefined. */
void *mem_realloc_array(void *p, size_t n, size_t size)
    __attribute__((returns_nonnull, warn_unused_result));
char *mem_strdup(const char *s) __attribute__((malloc, returns_nonnull, warn_unused_result));
char *mem_strndup(const char *s, size_t n)
    __attribute__((malloc, returns_nonnull, warn_unused_result));
char *mem_printf(const char *fmt, ...)
    __attribute__((format(printf, 1, 2), malloc, returns_nonnull, warn_unused_result));

/* Called once before the program dies of lack of memory. NULL: none. */
void mem_set_oom_hook(void (*hook)(void));

#endif
