/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * dd's command lines; see dd_command.h. Promises only operands that POSIX, GNU, BusyBox and uutils
 * share, but for the flags that a step is about. Must not know what runs them.
 */
#include "dd_command.h"

#include <assert.h>

#include "sthd/dd_run.h"

static void begin(struct strv *argv, const char *program)
{
    strv_done(argv);
    strv_init(argv);
    strv_add(argv, program);
}

/* The bench file's name: see bench_file.h. */
static void add_file(struct strv *argv, const char *operand, int bench_fd)
{
    strv_addf(argv, "%s=/proc/self/fd/%d", operand, bench_fd);
}

static void add_block(struct strv *argv, const struct step *step)
{
    strv_addf(argv, "bs=%llu", (unsigned long long)step->block_bytes);
}

static void add_count(struct strv *argv, const struct step *step)
{
    assert(step->block_bytes > 0 && step->size_bytes >= step->block_bytes);
    strv_addf(argv, "count=%llu", (unsigned long long)(step->size_bytes / step->block_bytes));
}

static void add_write_flags(struct strv *argv, const struct step *step, bool plain)
{
    const char *conv = !step->end_fsync ? "" : plain ? ",fsync" : ",fdatasync";

    strv_addf(argv, "conv=notrunc%s", conv);
    if (step->direct || step->sync)
        strv_addf(argv, "oflag=%s%s%s", step->direct ? "direct" : "",
                  step->direct && step->sync ? "," : "",
                  !step->sync ? ""
                  : plain     ? "sync"
                              : "dsync");
}

void dd_command_measure(struct strv *argv, const char *program, const struct step *step,
                        int bench_fd, bool plain)
{
    begin(argv, program);
    if (step->direction == DIRECTION_READ) {
        add_file(argv, "if", bench_fd);
        strv_add(argv, "of=/dev/null");
    } else {
        /* The preparation is what reads will find: nothing that a file system could make less. */
        strv_add(argv, step->kind == STEP_PREPARE ? "if=/dev/urandom" : "if=/dev/zero");
        add_file(argv, "of", bench_fd);
    }
    add_block(argv, step);
    add_count(argv, step);
    if (step->direction != DIRECTION_READ)
        add_write_flags(argv, step, plain);
    else if (step->direct)
        strv_add(argv, "iflag=direct");
}

void dd_command_try(struct strv *argv, const char *program, const struct step *step, int bench_fd,
                    bool plain)
{
    begin(argv, program);
    if (step->direction == DIRECTION_READ) {
        add_file(argv, "if", bench_fd);
        strv_add(argv, "of=/dev/null");
        add_block(argv, step);
        strv_add(argv, "count=1");
        if (step->direct)
            strv_add(argv, "iflag=direct");
        return;
    }
    strv_add(argv, "if=/dev/null"); /* nothing is written, but all is opened and parsed */
    add_file(argv, "of", bench_fd);
    add_block(argv, step);
    add_write_flags(argv, step, plain);
}

void dd_command_flush(struct strv *argv, const char *program, int bench_fd)
{
    begin(argv, program);
    strv_add(argv, "if=/dev/null");
    add_file(argv, "of", bench_fd);
    strv_add(argv, "conv=notrunc,fsync");
}

void dd_command_warm(struct strv *argv, const char *program, int bench_fd)
{
    begin(argv, program);
    add_file(argv, "if", bench_fd);
    strv_add(argv, "of=/dev/null");
    strv_add(argv, "bs=1048576");
}

void dd_command_build(struct strv *argv, const char *program, const struct step *step, int bench_fd)
{
    dd_command_measure(argv, program, step, bench_fd, false);
}
