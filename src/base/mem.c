/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Allocation that does not fail; see mem.h. */
#include "sthd/mem.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sthd/err.h"

static void (*oom_hook)(void); /* set once at start; part of the fatal path */

void mem_set_oom_hook(void (*hook)(void))
{
    oom_hook = hook;
}

static void die_of_no_memory(void) __attribute__((noreturn));
static void die_of_no_memory(void)
{
    static const char text[] = "speedtest-hd: out of memory\n";

    if (oom_hook)
        oom_hook();
    if (write(STDERR_FILENO, text, sizeof(text) - 1) < 0) {
        /* nobody left to tell */
    }
    _exit(EXIT_CODE_INTERNAL);
}

static void *must(void *p)
{
    if (!p)
        die_of_no_memory();
    return p;
}

void *mem_alloc(size_t bytes)
{
    return must(malloc(bytes ? bytes : 1));
}

void *mem_zalloc(size_t bytes)
{
    return must(calloc(1, bytes ? bytes : 1));
}

void *mem_realloc(void *p, size_t bytes)
{
    return must(realloc(p, bytes ? bytes : 1));
}

void *mem_realloc_array(void *p, size_t n, size_t size)
{
    size_t bytes;

    if (__builtin_mul_overflow(n, size, &bytes))
        die_of_no_memory();
    return mem_realloc(p, bytes);
}

char *mem_strdup(const char *s)
{
    return must(strdup(s));
}

char *mem_strndup(const char *s, size_t n)
{
    return must(strndup(s, n));
}

char *mem_printf(const char *fmt, ...)
{
    char *s = NULL;
    va_list ap;

    va_start(ap, fmt);
    if (vasprintf(&s, fmt, ap) < 0)
        die_of_no_memory();
    va_end(ap);
    return must(s);
}
