/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sink: a reader that does not read costs bytes, never time; what was lost is said */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/sink.h"
#include "tap.h"

#define MAX_BYTES ((size_t)128 << 10)

static size_t drain(int fd, char *last, size_t size)
{
    char bytes[65536];
    size_t total = 0;
    ssize_t n;

    while ((n = read(fd, bytes, sizeof(bytes))) > 0) {
        total += (size_t)n;
        size_t keep = (size_t)n < size - 1 ? (size_t)n : size - 1;
        memcpy(last, bytes + (size_t)n - keep, keep);
        last[keep] = '\0';
    }
    return total;
}

static void test_stalled_reader(void)
{
    struct loop *l = loop_new();
    int fds[2];
    char chunk[4096], last[256] = "";

    tap_int(pipe2(fds, O_CLOEXEC), 0, "a pipe");
    fcntl(fds[0], F_SETFL, O_NONBLOCK);
    struct sink *s = sink_new(l, fds[1], MAX_BYTES);
    memset(chunk, 'x', sizeof(chunk));
    for (int i = 0; i < 1000; i++) /* 4 MB into 64 KiB of pipe and 128 KiB of queue: returns */
        sink_write(s, chunk, sizeof(chunk));
    tap_ok(!sink_is_empty(s), "the queue holds what the pipe did not take");
    size_t total = drain(fds[0], last, sizeof(last));
    sink_write(s, "", 0);
    sink_write(s, "after", 5); /* the pipe has room again */
    total += drain(fds[0], last, sizeof(last));
    for (int i = 0; i < 10 && !sink_is_empty(s); i++) {
        sink_write(s, ".", 1);
        total += drain(fds[0], last, sizeof(last));
    }
    tap_ok(total < 1000 * sizeof(chunk) && total >= MAX_BYTES, "bounded: %zu bytes came", total);
    tap_ok(strstr(last, "bytes not shown") != NULL, "what was dropped is said");
    tap_int(fcntl(fds[1], F_GETFL) & O_NONBLOCK, 0, "the caller's descriptor stays blocking");
    sink_free(s, 0);
    close(fds[0]);
    close(fds[1]);
    loop_free(l);
}

static void test_reader_gone(void)
{
    struct loop *l = loop_new();
    int fds[2];

    tap_int(pipe2(fds, O_CLOEXEC), 0, "a pipe");
    struct sink *s = sink_new(l, fds[1], MAX_BYTES);
    close(fds[0]);
    sink_write(s, "text", 4); /* EPIPE; SIGPIPE is ignored by the program */
    sink_write(s, "text", 4);
    tap_ok(sink_is_empty(s), "nothing is kept for a reader that has gone");
    sink_free(s, 1000);
    close(fds[1]);
    loop_free(l);
}

/* "{ speedtest-hd; echo done; } 2>log": who writes after us must not write over us. */
static void test_shared_file(void)
{
    struct loop *l = loop_new();
    char path[] = "/tmp/sthd-sink-XXXXXX", text[64] = "";
    int fd = mkstemp(path);

    tap_ok(fd >= 0, "a file");
    unlink(path);
    struct sink *s = sink_new(l, fd, MAX_BYTES);
    sink_write(s, "first ", 6);
    sink_free(s, 1000);
    tap_int(write(fd, "second", 6), 6, "someone else writes through the same description");
    tap_ok(pread(fd, text, sizeof(text) - 1, 0) > 0, "read back");
    tap_str(text, "first second", "both are there, in order");
    close(fd);
    loop_free(l);
}

int main(void)
{
    test_shared_file();
    signal(SIGPIPE, SIG_IGN);
    test_stalled_reader();
    test_reader_gone();
    return tap_done();
}
