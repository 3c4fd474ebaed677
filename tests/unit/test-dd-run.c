/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One step with dd: every dd there is (GNU's, BusyBox's where installed), and scripts that stand
 * for the ones that refuse, lie, fail, hang and die.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/page_cache.h"
#include "engine/proc_file.h"
#include "sthd/bench_file.h"
#include "sthd/dd_run.h"
#include "sthd/mem.h"
#include "sthd/signals.h"
#include "tap.h"

#define SECOND   1000000000LL
#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define MIB      ((uint64_t)1 << 20)

struct play {
    struct loop *loop;
    struct signals *signals;
    struct loop_timer *deadline;
    struct dd_run *run;
    unsigned reports, ends, stop_at, stop_again_at, free_at, signal_at;
    int signo;
    bool timed_out, went_back, have_last;
    uint64_t seen_bytes; /* in reports */
    uint64_t partial;    /* reports with some but not all of it */
    struct fio_result result;
    struct counters last;
    size_t raw;
};

static const struct counters *side(const struct play *p, const struct report *r)
{
    (void)p;
    return r->jobs[0].read.io_bytes > 0 ? &r->jobs[0].read : &r->jobs[0].write;
}

static void on_report(void *arg, const struct report *r, int64_t arrival_ns)
{
    struct play *p = arg;
    const struct counters *c = side(p, r);

    p->reports++;
    if (r->n_jobs != 1 || arrival_ns <= 0 || c->io_bytes < p->seen_bytes)
        p->went_back = true;
    p->partial += c->io_bytes > p->seen_bytes;
    p->seen_bytes = c->io_bytes;
    if (p->reports == p->signal_at && dd_run_pid(p->run) > 0)
        kill(dd_run_pid(p->run), p->signo);
    if (p->reports == p->stop_at || p->reports == p->stop_again_at)
        dd_run_stop(p->run);
    if (p->reports == p->free_at) {
        dd_run_free(p->run);
        p->run = NULL;
        loop_quit(p->loop);
    }
}

static void on_raw(void *arg, enum child_stream s, const char *bytes, size_t len)
{
    struct play *p = arg;

    (void)s;
    (void)bytes;
    p->raw += len;
}

static void on_end(void *arg, const struct fio_result *result)
{
    struct play *p = arg;

    p->ends++;
    p->result = *result;
    p->have_last = result->last != NULL;
    if (result->last) {
        const struct counters *c = side(p, result->last);
        p->last = (struct counters){.ios = c->ios,
                                    .io_bytes = c->io_bytes,
                                    .runtime_ms = c->runtime_ms,
                                    .bw_bytes_per_s = c->bw_bytes_per_s};
    }
    dd_run_free(p->run);
    p->run = NULL;
    loop_quit(p->loop);
}

static void on_deadline(void *arg, int64_t now)
{
    struct play *p = arg;

    (void)now;
    p->timed_out = true;
    loop_quit(p->loop);
}

static void play(struct play *p, const char *program, const struct step *step, int fd,
                 uint32_t grace_s)
{
    static const struct fio_run_events events = {on_report, on_raw, on_end};
    struct settings s;
    struct err e;

    p->loop = loop_new();
    p->signals = signals_new(p->loop, NULL, NULL);
    p->deadline = loop_timer_new(p->loop, on_deadline, p);
    settings_init(&s);
    s.interval_ms = 50;
    const struct dd_run_spec spec = {program, step, &s, fd, grace_s};
    if (dd_run_start(&p->run, p->loop, &spec, &events, p, &e) < 0) {
        tap_ok(false, "starts: %s", e.text);
    } else {
        loop_timer_at(p->deadline, clock_ns() + 60 * SECOND);
        loop_run(p->loop, NULL, NULL);
        if (p->timed_out)
            tap_ok(false, "ends within 60 s");
    }
    dd_run_free(p->run);
    p->run = NULL;
    loop_timer_free(p->deadline);
    signals_free(p->signals);
    loop_free(p->loop);
    settings_done(&s);
}

/* ---- programs called dd ---------------------------------------------------------------------- */

static char dir[] = "/var/tmp/test-dd-run-XXXXXX";

/* A dd of a directory of its own, because BusyBox goes by the name it is called by. */
static char *place(const char *name)
{
    char *sub = mem_printf("%s/%s", dir, name), *path = mem_printf("%s/dd", sub);

    if (mkdir(sub, 0700) < 0 && errno != EEXIST)
        tap_ok(false, "mkdir %s", sub);
    unlink(path);
    free(sub);
    return path;
}

static char *busybox_dd(void)
{
    char *busybox = child_find_program("busybox"), *path;

    if (!busybox)
        return NULL;
    path = place("busybox");
    if (symlink(busybox, path) < 0)
        tap_ok(false, "symlink %s", path);
    free(busybox);
    return path;
}

static char *script_dd(const char *body)
{
    char *path = place("script");
    FILE *f = fopen(path, "we");

    if (!f || fprintf(f, "#!/bin/sh\n%s\n", body) < 0 || fclose(f) != 0 || chmod(path, 0700) < 0)
        tap_ok(false, "writes %s", path);
    return path;
}

/* ---- the real ones --------------------------------------------------------------------------- */

static struct step step_of(enum step_kind kind, enum direction direction, uint64_t block)
{
    return (struct step){.kind = kind,
                         .tool = TOOL_DD,
                         .direction = direction,
                         .block_bytes = block,
                         .queue_depth = 1,
                         .threads = 1,
                         .size_bytes = 32 * MIB,
                         .engine = ENGINE_SYNC};
}

static bool all_zero(int fd, off_t at)
{
    char block[4096];

    if (pread(fd, block, sizeof(block), at) != (ssize_t)sizeof(block))
        return false;
    for (size_t i = 0; i < sizeof(block); i++) {
        if (block[i])
            return false;
    }
    return true;
}

static void test_whole_file(const char *name, const char *dd, int fd, bool has_dsync)
{
    static const struct {
        const char *what;
        enum step_kind kind;
        enum direction direction;
        uint64_t block;
        bool direct, sync, end_fsync, cached;
        uint64_t size;
        enum cache_before cache;
    } rows[] = {
        {"prepare", STEP_PREPARE, DIRECTION_WRITE, MIB, true, false, true, false, 32 * MIB,
         CACHE_NOT_SEEN},
        {"direct read", STEP_MEASURE, DIRECTION_READ, MIB, true, false, false, false, 32 * MIB,
         CACHE_EMPTY},
        {"buffered read", STEP_MEASURE, DIRECTION_READ, 65536, false, false, false, false, 32 * MIB,
         CACHE_EMPTY},
        {"cached read", STEP_MEASURE, DIRECTION_READ, 131072, false, false, false, true, 32 * MIB,
         CACHE_FULL},
        {"direct write", STEP_MEASURE, DIRECTION_WRITE, MIB, true, false, false, false, 32 * MIB,
         CACHE_NOT_SEEN},
        {"direct write, fsync", STEP_MEASURE, DIRECTION_WRITE, MIB, true, false, true, false,
         32 * MIB, CACHE_NOT_SEEN},
        {"buffered write, fsync", STEP_MEASURE, DIRECTION_WRITE, 4096, false, false, true, false,
         32 * MIB, CACHE_NOT_SEEN},
        {"512 B dsync", STEP_MEASURE, DIRECTION_WRITE, 512, false, true, false, false, 64 * 512,
         CACHE_NOT_SEEN},
        {"16 MiB dsync", STEP_MEASURE, DIRECTION_WRITE, 16 * MIB, false, true, false, false,
         32 * MIB, CACHE_NOT_SEEN},
        {"direct and dsync", STEP_MEASURE, DIRECTION_WRITE, 4096, true, true, false, false,
         64 * 4096, CACHE_NOT_SEEN},
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        struct play p = {0};
        struct step step = step_of(rows[i].kind, rows[i].direction, rows[i].block);
        step.direct = rows[i].direct;
        step.sync = rows[i].sync;
        step.end_fsync = rows[i].end_fsync;
        step.cached = rows[i].cached;
        step.size_bytes = rows[i].size;
        step.whole_file = true;
        play(&p, dd, &step, fd, 0);
        tap_int(p.ends, 1, "%s, %s: one end", name, rows[i].what);
        if (rows[i].sync && !has_dsync) {
            tap_ok(p.result.end == FIO_END_FAILED && strstr(p.result.why, "refuses oflag=") &&
                       strstr(p.result.why, "dsync") && strstr(p.result.why, "GNU dd"),
                   "%s, %s: refusal is told (%s)", name, rows[i].what, p.result.why);
            continue;
        }
        tap_ok(p.result.end == FIO_END_OK && p.have_last, "%s, %s: good (%s)", name, rows[i].what,
               p.result.why);
        tap_ok(p.last.io_bytes == rows[i].size && p.last.ios == rows[i].size / rows[i].block,
               "%s, %s: all of it, %llu bytes", name, rows[i].what,
               (unsigned long long)p.last.io_bytes);
        tap_ok(p.last.bw_bytes_per_s > 0 && p.last.runtime_ms > 0 && !p.went_back,
               "%s, %s: %.1f MB/s", name, rows[i].what, p.last.bw_bytes_per_s / 1e6);
        tap_int(p.result.cache, rows[i].cache, "%s, %s: page cache before (%s)", name, rows[i].what,
                p.result.note);
        tap_int(p.result.direct, rows[i].direct ? DIRECT_NOT_CHECKED : DIRECT_NOT_ASKED,
                "%s, %s: no proof against direct I/O (%s)", name, rows[i].what, p.result.note);
        struct stat st;
        tap_ok(fstat(fd, &st) == 0 && st.st_size == (off_t)(32 * MIB), "%s, %s: nothing truncated",
               name, rows[i].what);
        if (rows[i].kind == STEP_PREPARE)
            tap_ok(!all_zero(fd, 0) && !all_zero(fd, (off_t)(32 * MIB - 4096)),
                   "%s: prepared with data that is not zero", name);
    }
}

static void test_runtime(const char *name, const char *dd, int fd)
{
    static const struct {
        const char *what;
        enum direction direction;
        uint64_t block;
        bool direct, end_fsync, cached;
    } rows[] = {
        {"cached read", DIRECTION_READ, MIB, false, false, true},
        {"uncached read", DIRECTION_READ, MIB, false, false, false},
        {"direct read of small blocks", DIRECTION_READ, 4096, true, false, false},
        {"buffered write, fsync", DIRECTION_WRITE, MIB, false, true, false},
        {"direct write", DIRECTION_WRITE, 16 * MIB, true, false, false},
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        struct play p = {0};
        struct step step = step_of(STEP_MEASURE, rows[i].direction, rows[i].block);
        step.direct = rows[i].direct;
        step.end_fsync = rows[i].end_fsync;
        step.cached = rows[i].cached;
        step.runtime_s = 1;
        play(&p, dd, &step, fd, 0);
        tap_ok(p.ends == 1 && p.result.end == FIO_END_OK, "%s for 1 s, %s: good (%s)", name,
               rows[i].what, p.result.why);
        /* An fsync or a block in flight may take long on a busy disk, but never less. */
        tap_ok(p.last.runtime_ms >= 990, "%s for 1 s, %s: took %llu ms", name, rows[i].what,
               (unsigned long long)p.last.runtime_ms);
        tap_ok(p.last.io_bytes > 0 && p.last.io_bytes % rows[i].block == 0 && !p.went_back,
               "%s for 1 s, %s: whole blocks, counted upwards", name, rows[i].what);
        tap_near(p.last.bw_bytes_per_s, (double)p.last.io_bytes * 1000 / (double)p.last.runtime_ms,
                 p.last.bw_bytes_per_s / 500, "%s for 1 s, %s: the rate is of these", name,
                 rows[i].what);
        tap_ok(p.reports >= 10 && p.partial >= 2, "%s for 1 s, %s: %u reports, progress in %llu",
               name, rows[i].what, p.reports, (unsigned long long)p.partial);
        tap_ok(p.raw > 0, "%s for 1 s, %s: its words are handed on", name, rows[i].what);
    }
}

/* ---- the bad ones ---------------------------------------------------------------------------- */

/* Scripts see their operands; what they do not spoil they hand to the real one. */
static void test_scripts(const char *dd, int fd)
{
    static const struct {
        const char *script;
        enum direction direction;
        bool direct;
        enum fio_end end;
        const char *why; /* part of it */
        const char *note;
        enum direct_honoured evidence;
    } rows[] = {
        {"exec %s \"$@\"", DIRECTION_READ, true, FIO_END_OK, "", "held", DIRECT_NOT_CHECKED},
        /* a wrapper: the real one is a child of what we started */
        {"%s \"$@\"; exit $?", DIRECTION_WRITE, true, FIO_END_OK, "", "", DIRECT_NOT_CHECKED},
        /* another language than the program's */
        {"%s \"$@\" 2>/dev/null; r=$?; echo 'Geschrieben' >&2; exit $r", DIRECTION_WRITE, false,
         FIO_END_OK, "", "", DIRECT_NOT_ASKED},
        {"case \"$*\" in *=direct*) echo \"dd: unbekannter Schalter 'direct'\" >&2; exit 1;; esac; "
         "exec %s \"$@\"",
         DIRECTION_WRITE, true, FIO_END_FAILED,
         "refuses oflag=direct (dd: unbekannter Schalter 'direct')", "", DIRECT_NOT_ASKED},
        {"case \"$*\" in *=direct*) exit 1;; esac; exec %s \"$@\"", DIRECTION_READ, true,
         FIO_END_FAILED, "refuses iflag=direct (it does not say why)", "", DIRECT_NOT_ASKED},
        {"for a; do shift; case $a in ?flag=direct) ;; *) set -- \"$@\" \"$a\";; esac; done; "
         "exec %s \"$@\"",
         DIRECTION_READ, true, FIO_END_OK, "", "O_DIRECT", DIRECT_IGNORED},
        {"for a; do shift; case $a in ?flag=direct) ;; *) set -- \"$@\" \"$a\";; esac; done; "
         "exec %s \"$@\"",
         DIRECTION_WRITE, true, FIO_END_OK, "", "O_DIRECT", DIRECT_IGNORED},
        {"case \"$*\" in *fdatasync*) exit 1;; esac; exec %s \"$@\"", DIRECTION_WRITE, false,
         FIO_END_OK, "", "", DIRECT_NOT_ASKED},
        {"exit 0", DIRECTION_WRITE, false, FIO_END_FAILED, "never opened", "", DIRECT_NOT_ASKED},
        {"exit 0", DIRECTION_READ, false, FIO_END_FAILED, "never opened", "", DIRECT_NOT_ASKED},
        {"for a; do shift; case $a in count=*) set -- \"$@\" count=3;; *) set -- \"$@\" \"$a\";; "
         "esac; done; exec %s \"$@\"",
         DIRECTION_WRITE, false, FIO_END_FAILED, "copied only 3145728 of", "", DIRECT_NOT_ASKED},
        {"for a; do shift; case $a in count=*) set -- \"$@\" count=3;; *) set -- \"$@\" \"$a\";; "
         "esac; done; exec %s \"$@\"",
         DIRECTION_READ, false, FIO_END_FAILED, "copied only", "held", DIRECT_NOT_ASKED},
        {"case \"$*\" in *count=*) %s \"$@\" 2>/dev/null; "
         "echo \"dd: error writing 'x': No space left on device\" >&2; echo 1 >&2; exit 1;; esac; "
         "exec %s \"$@\"",
         DIRECTION_WRITE, false, FIO_END_FAILED, "ran full while dd wrote", "", DIRECT_NOT_ASKED},
        {"case \"$*\" in *count=*) echo \"dd: error reading 'x': Input/output error\" >&2; exit "
         "1;; "
         "esac; exec %s \"$@\"",
         DIRECTION_READ, false, FIO_END_FAILED, "dmesg", "", DIRECT_NOT_ASKED},
        {"case \"$*\" in *count=*) echo 'no mood' >&2; exit 7;; esac; exec %s \"$@\"",
         DIRECTION_WRITE, false, FIO_END_FAILED, "(exit code 7): no mood", "", DIRECT_NOT_ASKED},
        {"exit 3", DIRECTION_READ, false, FIO_END_FAILED, "(exit code 3) and did not say why", "",
         DIRECT_NOT_ASKED},
        {"kill -9 $$", DIRECTION_WRITE, false, FIO_END_KILLED, "signal 9", "", DIRECT_NOT_ASKED},
        {"kill -1 $$", DIRECTION_WRITE, false, FIO_END_KILLED, "signal 1", "", DIRECT_NOT_ASKED},
        {"ulimit -c 0; kill -11 $$", DIRECTION_WRITE, false, FIO_END_FAILED, "crashed", "",
         DIRECT_NOT_ASKED},
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        struct play p = {0};
        struct step step = step_of(STEP_MEASURE, rows[i].direction, MIB);
        char *copy = mem_strdup(rows[i].script), *body = mem_strdup("");
        /* every %s is the real dd */
        for (char *from = copy, *at; from; from = at ? at + 2 : NULL) {
            at = strstr(from, "%s");
            if (at)
                *at = '\0';
            char *more = mem_printf("%s%s%s", body, from, at ? dd : "");
            free(body);
            body = more;
        }
        char *script = script_dd(body);
        step.direct = rows[i].direct;
        step.end_fsync = rows[i].direction == DIRECTION_WRITE;
        step.whole_file = true;
        play(&p, script, &step, fd, 0);
        tap_ok(p.ends == 1 && p.result.end == rows[i].end && strstr(p.result.why, rows[i].why),
               "script %zu: end %d (%s)", i, (int)p.result.end, p.result.why);
        tap_ok(strlen(p.result.why) == 0 || rows[i].why[0], "script %zu: why only when bad", i);
        tap_int(p.result.direct, rows[i].evidence, "script %zu: direct I/O (%s)", i, p.result.note);
        tap_ok(strstr(p.result.note, rows[i].note), "script %zu: note (%s)", i, p.result.note);
        free(script);
        free(body);
        free(copy);
    }
}

static void test_stops(const char *dd, int fd)
{
    /* A dd that never gets anywhere, and one that does not hear SIGTERM. */
    char *deaf = script_dd("trap '' TERM; case \"$*\" in *count=*) while :; do read x </dev/zero; "
                           "done;; esac; exec dd \"$@\"");
    const struct {
        const char *what, *program;
        unsigned stop_at, again_at, signal_at;
        int signo;
        uint32_t runtime_s, grace_s;
        enum fio_end end;
        const char *why;
    } rows[] = {
        {"stopped", dd, 4, 0, 0, 0, 30, 0, FIO_END_STOPPED, "Stopped before its end"},
        {"stopped in whole-file mode", dd, 4, 0, 0, 0, 0, 0, FIO_END_STOPPED, "Stopped"},
        {"stopped twice", deaf, 3, 5, 0, 0, 30, 0, FIO_END_KILLED, "as you asked"},
        {"killed from outside", dd, 0, 0, 4, SIGKILL, 30, 0, FIO_END_KILLED, "from outside"},
        {"ended from outside", dd, 0, 0, 4, SIGTERM, 30, 0, FIO_END_KILLED, "from outside"},
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        struct play p = {.stop_at = rows[i].stop_at,
                         .stop_again_at = rows[i].again_at,
                         .signal_at = rows[i].signal_at,
                         .signo = rows[i].signo};
        struct step step = step_of(STEP_MEASURE, DIRECTION_WRITE, 4096);
        /* 512 B commits: a whole file of them takes longer than any test waits */
        step.block_bytes = 512;
        step.sync = true;
        step.runtime_s = rows[i].runtime_s;
        step.whole_file = rows[i].runtime_s == 0;
        play(&p, rows[i].program, &step, fd, rows[i].grace_s);
        tap_ok(p.ends == 1 && p.result.end == rows[i].end && strstr(p.result.why, rows[i].why),
               "%s: end %d (%s)", rows[i].what, (int)p.result.end, p.result.why);
        if (rows[i].program == dd)
            tap_ok(p.have_last && p.last.ios > 0 && p.last.io_bytes >= p.seen_bytes,
                   "%s: what it did until then is kept, %llu blocks", rows[i].what,
                   (unsigned long long)p.last.ios);
    }
    free(deaf);

    struct play p = {.free_at = 2};
    struct step step = step_of(STEP_MEASURE, DIRECTION_WRITE, 512);
    step.sync = true;
    step.runtime_s = 30;
    play(&p, dd, &step, fd, 0);
    tap_int(p.ends, 0, "freed from a report: no end is told");
}

/* ---- what it rests on ------------------------------------------------------------------------ */

static void test_page_cache(int fd)
{
    uint64_t some = 99, mincore = 99;
    char block[65536] = {1};

    fdatasync(fd);
    page_cache_drop(fd, 0, 32 * MIB);
    tap_ok(page_cache_bytes(fd, 32 * MIB, &some) == 0 && some == 0, "dropped: %llu held",
           (unsigned long long)some);
    tap_ok(page_cache_mincore(fd, 32 * MIB, &mincore) == 0 && mincore == 0,
           "dropped, by mincore: %llu held", (unsigned long long)mincore);
    posix_fadvise(fd, 0, 0, POSIX_FADV_RANDOM); /* no read-ahead */
    if (pread(fd, block, sizeof(block), (off_t)MIB) != (ssize_t)sizeof(block))
        tap_ok(false, "reads");
    posix_fadvise(fd, 0, 0, POSIX_FADV_NORMAL);
    tap_ok(page_cache_bytes(fd, 32 * MIB, &some) == 0 && some >= sizeof(block) && some < MIB,
           "read once: %llu held", (unsigned long long)some);
    tap_ok(page_cache_mincore(fd, 32 * MIB, &mincore) == 0 && mincore == some,
           "read once, by mincore: the same");
    tap_int(page_cache_mincore(-1, MIB, &some), -EBADF, "no file: an error");
}

static void write_text(const char *path, const char *text)
{
    FILE *f = fopen(path, "we");

    if (!f || fputs(text, f) < 0 || fclose(f) != 0)
        tap_ok(false, "writes %s", path);
}

static void test_proc_file(int fd)
{
    char *proc = mem_printf("%s/proc", dir), *sub = mem_printf("%s/77", proc);
    char *fds = mem_printf("%s/fd", sub), *info = mem_printf("%s/fdinfo", sub);
    char *self = mem_printf("/proc/%d/fd/%d", (int)getpid(), fd);
    struct proc_file found = {0, 0};
    struct stat st;
    uint64_t rchar, wchar;

    mkdir(proc, 0700);
    mkdir(sub, 0700);
    mkdir(fds, 0700);
    mkdir(info, 0700);
    fstat(fd, &st);
    tap_int(proc_file_find(&found, proc, 78, &st, 7), -ENOENT, "no such process");
    tap_int(proc_file_find(&found, proc, 77, &st, 7), -ENOENT, "nothing open");
    static const char *const names[] = {"7", "1", "12"};
    static const char *const texts[] = {"pos:\t999999\nflags:\t02\n",
                                        "pos:\t4096\nflags:\t0140001\n",
                                        "flags:\t0100001\npos:\t512\n"};
    for (size_t i = 0; i < COUNT(names); i++) {
        char *link = mem_printf("%s/%s", fds, names[i]),
             *text = mem_printf("%s/%s", info, names[i]);
        if (symlink(self, link) < 0)
            tap_ok(false, "symlink %s", link);
        write_text(text, texts[i]);
        free(link);
        free(text);
    }
    tap_int(proc_file_find(&found, proc, 77, &st, 7), 0, "found");
    tap_ok(found.pos == 4096 && (found.flags & O_DIRECT) && (found.flags & O_ACCMODE) == O_WRONLY,
           "the farthest, but for the one it shares with us; its flags are octal");
    char *io = mem_printf("%s/io", sub), *stat_path = mem_printf("%s/stat", sub);
    write_text(io, "rchar: 10\nwchar: 1048576\nsyscr: 1\n");
    tap_ok(proc_io(proc, 77, &rchar, &wchar) == 0 && rchar == 10 && wchar == 1048576, "io");
    tap_int(proc_fetched(proc, 77, &rchar), -EINVAL, "a kernel that does not account for I/O");
    write_text(io, "rchar: 10\nwchar: 2\nread_bytes: 8192\nwrite_bytes: 1\n");
    tap_ok(proc_fetched(proc, 77, &rchar) == 0 && rchar == 8192, "bytes from storage");
    tap_ok(proc_fetched(proc, 78, &rchar) < 0, "of a process that is gone nothing is known");
    write_text(io, "rchar: 10\n");
    tap_int(proc_io(proc, 77, &rchar, &wchar), -EINVAL, "io without what is asked for");
    tap_ok(!proc_is_stopped(proc, 77), "no stat: not stopped");
    write_text(stat_path, "77 (a) T b) S 1 77\n");
    tap_ok(!proc_is_stopped(proc, 77), "a name may look like a state");
    write_text(stat_path, "77 (dd) T 1 77\n");
    tap_ok(proc_is_stopped(proc, 77), "stopped");
    free(io);
    free(stat_path);
    free(self);
    free(info);
    free(fds);
    free(sub);
    free(proc);
}

/* ---- the probe ------------------------------------------------------------------------------- */

struct asked {
    struct loop *loop;
    struct dd_probe *probe;
    struct capability c;
    unsigned answers;
};

static void on_capability(void *arg, const struct capability *c)
{
    struct asked *a = arg;

    a->answers++;
    a->c = *c;
    dd_probe_free(a->probe);
    a->probe = NULL;
    loop_quit(a->loop);
}

static void ask(struct asked *a, const char *dd, const char *where)
{
    struct err e;

    *a = (struct asked){.loop = loop_new()};
    struct signals *s = signals_new(a->loop, NULL, NULL);
    if (dd_probe_start(&a->probe, a->loop, dd, where, on_capability, a, &e) < 0)
        tap_ok(false, "the probe starts: %s", e.text);
    else
        loop_run(a->loop, NULL, NULL);
    signals_free(s);
    loop_free(a->loop);
}

static void test_probe(const char *name, const char *dd)
{
    struct asked a;

    ask(&a, dd, dir);
    tap_ok(a.answers == 1 && a.c.probed && a.c.direct_works && a.c.auto_engine == ENGINE_SYNC,
           "%s: direct I/O works on a disk (%s)", name, a.c.direct_reason);
    ask(&a, dd, "/dev/shm");
    tap_ok(a.answers == 1 && a.c.probed && !a.c.direct_works && a.c.direct_reason[0],
           "%s: it does not on a file system in memory (%s)", name, a.c.direct_reason);
}

static void test_probe_refused(void)
{
    char *refuses = script_dd("echo 'dd: what is direct?' >&2; exit 1");
    struct asked a;

    ask(&a, refuses, dir);
    tap_ok(a.answers == 1 && a.c.probed && !a.c.direct_works &&
               strstr(a.c.direct_reason, "what is direct?"),
           "a dd that refuses: %s", a.c.direct_reason);
    free(refuses);
}

static void clean_up(void)
{
    char *command = mem_printf("rm -rf %s", dir);

    if (system(command) != 0)
        tap_note("%s is left", dir);
    free(command);
}

int main(void)
{
    struct bench_file *file = NULL;
    char *gnu = child_find_program("dd"), *busybox;
    struct err e;

    signals_block();
    if (!mkdtemp(dir) || bench_file_create(&file, dir, 32 * MIB, &e) < 0) {
        tap_skip("no room in /var/tmp", "dd_run");
        return tap_done();
    }
    int fd = bench_file_fd(file);
    test_proc_file(fd);
    if (!gnu) {
        tap_skip("no dd", "dd_run");
    } else {
        test_whole_file("dd", gnu, fd, true);
        test_page_cache(fd);
        test_runtime("dd", gnu, fd);
        test_scripts(gnu, fd);
        test_stops(gnu, fd);
        test_probe("dd", gnu);
        test_probe_refused();
    }
    busybox = busybox_dd();
    if (!busybox) {
        tap_skip("no busybox", "its dd");
    } else {
        test_whole_file("busybox", busybox, fd, false);
        test_runtime("busybox", busybox, fd);
        test_probe("busybox", busybox);
    }
    bench_file_free(file);
    free(gnu);
    free(busybox);
    clean_up();
    return tap_done();
}
