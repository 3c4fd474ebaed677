/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Runs a fuzz target without a fuzzer, as a test: every seed, then simple variations of it (cut
 * short, a byte changed), the same ones each time. With file names as arguments: just these files,
 * to look at what a fuzzer found. A broken promise aborts, and that fails the test.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "tap.h"

#define VARIATIONS 64

/* Exactly sized, so that a sanitizer sees one byte too many. */
static void run(const uint8_t *data, size_t size)
{
    uint8_t *copy = malloc(size ? size : 1);

    if (!copy)
        abort();
    if (size)
        memcpy(copy, data, size);
    LLVMFuzzerTestOneInput(copy, size);
    free(copy);
}

static void run_variations(uint8_t *data, size_t size)
{
    uint32_t state = (uint32_t)size;

    run(data, size);
    for (unsigned i = 0; i < VARIATIONS && size; i++) {
        state = state * 1664525u + 1013904223u;
        size_t at = (state >> 8) % size;
        uint8_t old = data[at];
        run(data, at);
        data[at] = i % 2 ? (uint8_t) "{}\"\\\n09-"[i / 2 % 8] : (uint8_t)(state >> 24);
        run(data, size);
        data[at] = old;
    }
}

static void replay(const char *path)
{
    FILE *f = fopen(path, "rb");
    long size = -1;
    uint8_t *data = NULL;

    if (f && fseek(f, 0, SEEK_END) == 0)
        size = ftell(f);
    if (size >= 0)
        data = malloc((size_t)size + 1);
    if (data) {
        rewind(f);
        bool whole = fread(data, 1, (size_t)size, f) == (size_t)size;
        printf("# %s\n", path); /* the one that is not followed by an ok is the one that broke */
        fflush(stdout);
        if (whole)
            run_variations(data, (size_t)size);
        tap_ok(whole, "%s", strrchr(path, '/') ? strrchr(path, '/') + 1 : path);
    } else {
        tap_ok(false, "cannot read %s", path);
    }
    free(data);
    if (f)
        fclose(f);
}

int main(int argc, char **argv)
{
    const char *source = getenv("STHD_SRCDIR");
    struct dirent **entries;
    char dir[1024], path[2048];

    for (int i = 1; i < argc; i++)
        replay(argv[i]);
    if (argc > 1)
        return tap_done();
    snprintf(dir, sizeof(dir), "%s/tests/fuzz/seeds/%s", source ? source : ".", FUZZ_SEEDS);
    int n = scandir(dir, &entries, NULL, alphasort);
    tap_ok(n > 2, "seeds in tests/fuzz/seeds/%s", FUZZ_SEEDS);
    for (int i = 0; i < n; i++) {
        snprintf(path, sizeof(path), "%s/%s", dir, entries[i]->d_name);
        if (entries[i]->d_name[0] != '.')
            replay(path);
        free(entries[i]);
    }
    if (n >= 0)
        free(entries);
    return tap_done();
}
