/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A program that tests install as "fio" (a link or copy of that name in a directory at the front of
 * PATH). It knows the options that matter (--name --rw --bs --size --numjobs --iodepth --ioengine
 * --direct --runtime --status-interval --group_reporting --number_ios), does no I/O, and behaves as
 * the environment variable FAKE_FIO says: words "key" or "key=value", separated by ';'.
 *
 * By default: json+ reports at the interval asked for, with completed I/Os growing by rate, a last
 * one at the end of --runtime (or when --size bytes are "written"), exit code 0. SIGTERM and
 * SIGINT: a line of text, a last report, exit code 128. SIGUSR1: a report at once.
 *
 *   version=TEXT     what --version says, default "fio-3.33"
 *   engines=a:b      what --enghelp lists, default "io_uring:libaio:posixaio:sync:psync"; any other
 *                    is "not loadable"
 *   refuse=a:b       engines that fail at set-up with EPERM, as under seccomp
 *   deadly=a:b       engines that crash it, hanging=a:b: that hang it
 *   no-direct        --direct=1 fails with EINVAL
 *   rate=N           I/Os per second of the whole run, default 10000
 *   lat=NS           completion latency of 99 of 100 I/Os, default 80000; the others take 10 times
 *   tail=N           ... or N times
 *   stat=FILE        a stat file of a block device, which it moves on as these I/Os would, each
 *                    with device=NS of device time and flush=NS of flushes
 *   boot=MS          silence before the first I/O, default 0
 *   at=N;do=WHAT     after N reports (default 0):
 *      silent        no more reports; lives until it is told to stop, or to its end
 *      hang          the same, but for ever, and only SIGKILL helps
 *      die           kills itself by signal=N (default 9)
 *      exit          exits with exit=N and no last report
 *      cut           writes half of the next report and exits with exit=N
 *      half          writes half of the next report and goes on
 *      garbage       writes 64 KiB that are no report and goes on
 *      flood         writes mib=N (default 16) MiB of text lines to each output and goes on
 *      orphan        exits, leaving a process that holds its outputs for 60 s
 *   error=ERRNO      the last report has this error, a line on stdout says so, exit code 1
 *   exit=N           exit code
 *   stderr=TEXT      a line on stderr before the end
 *   abort            aborts at its very end, after the last report
 *   no-report        no report at all
 *   ignore-term      SIGTERM and SIGINT are ignored
 *   term=MS          goes on for so long after SIGTERM, as with I/O in flight
 *   stuck=MS         ignores its own interval for the first MS: one report, late
 *   times=FILE       appends to it when each report had left: CLOCK_MONOTONIC, ns, one per line
 *   replay=PREFIX    plays PREFIX.stdout (or .stdout.xz), then PREFIX.stderr and the exit code or
 *                    signal of PREFIX.rc; gap=MS: waits so long after each report, default 0
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define MS     1000000LL
#define SECOND 1000000000LL
#define JOBS   64

struct job {
    char name[64], engine[32], rw[16];
    long long bs, size, number_ios;
    int numjobs, iodepth, direct, error;
};

struct run {
    struct job jobs[JOBS];
    int n_jobs;
    long long runtime_ms, interval_ms;
    bool grouped;
    long long rate, lat_ns, tail;
    int64_t began_ns, reports;
    int64_t now_ns; /* of the report that is being made, and of the device beside it */
    int error;      /* of the whole run */
};

static volatile sig_atomic_t told_to_stop, told_to_report;

static void on_stop(int signo)
{
    told_to_stop = signo;
}

static void on_report(int signo)
{
    (void)signo;
    told_to_report = 1;
}

/* ---- FAKE_FIO -------------------------------------------------------------------------------- */

/* The value of a word, "" if it has none, NULL if it is not there. Lives until the next call. */
static const char *word(const char *key)
{
    static char value[1024];
    const char *p = getenv("FAKE_FIO");
    size_t len = strlen(key);

    while (p && *p) {
        size_t n = strcspn(p, ";");
        if (n >= len && strncmp(p, key, len) == 0 && (n == len || p[len] == '=')) {
            snprintf(value, sizeof(value), "%.*s", n == len ? 0 : (int)(n - len - 1),
                     p + len + (n > len));
            return value;
        }
        p += n + (p[n] == ';');
    }
    return NULL;
}

static long word_number(const char *key, long absent)
{
    const char *v = word(key);

    return v ? strtol(v, NULL, 10) : absent;
}

static bool word_lists(const char *key, const char *absent, const char *item)
{
    const char *p = word(key);
    size_t len = strlen(item);

    for (p = p ? p : absent; p && *p;) {
        size_t n = strcspn(p, ":");
        if (n == len && strncmp(p, item, n) == 0)
            return true;
        p += n + (p[n] == ':');
    }
    return false;
}

static bool does(const char *what)
{
    const char *v = word("do");

    return v && strcmp(v, what) == 0;
}

/* ---- time and output ------------------------------------------------------------------------- */

static int64_t now_ns(clockid_t clock)
{
    struct timespec t;

    clock_gettime(clock, &t);
    return (int64_t)t.tv_sec * SECOND + t.tv_nsec;
}

static void sleep_until(int64_t at_ns)
{
    int64_t left = at_ns - now_ns(CLOCK_MONOTONIC);

    if (left > 0) {
        struct timespec t = {left / SECOND, left % SECOND};
        sigset_t none;
        sigemptyset(&none);
        ppoll(NULL, 0, &t, &none); /* signals come only here: none is missed by going to sleep */
    }
}

static void put(int fd, const char *bytes, size_t len)
{
    while (len > 0) {
        ssize_t n = write(fd, bytes, len);
        if (n < 0 && errno != EINTR)
            _exit(99);
        if (n > 0) {
            bytes += n;
            len -= (size_t)n;
        }
    }
}

static void say(int fd, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void say(int fd, const char *fmt, ...)
{
    char text[2048];
    va_list ap;

    va_start(ap, fmt);
    int n = vsnprintf(text, sizeof(text), fmt, ap);
    va_end(ap);
    put(fd, text, n < (int)sizeof(text) ? (size_t)n : sizeof(text) - 1);
}

/* ---- a report -------------------------------------------------------------------------------- */

static void direction(FILE *f, const char *name, long long ios, long long bs, long long ms,
                      long long lat, long long tail)
{
    long long slow = ios / 100, fast = ios - slow;
    double s = ms > 0 ? (double)ms / 1000 : 1;

    fprintf(f,
            "      \"%s\" : {\n        \"io_bytes\" : %lld,\n        \"io_kbytes\" : %lld,\n"
            "        \"bw_bytes\" : %lld,\n        \"bw\" : %lld,\n        \"iops\" : %.6f,\n"
            "        \"runtime\" : %lld,\n        \"total_ios\" : %lld,\n",
            name, ios * bs, ios * bs / 1024, (long long)((double)(ios * bs) / s),
            (long long)((double)(ios * bs) / s / 1024), (double)ios / s, ms, ios);
    fprintf(f,
            "        \"clat_ns\" : {\n          \"min\" : %lld,\n          \"max\" : %lld,\n"
            "          \"mean\" : %.6f,\n          \"stddev\" : 0.000000,\n          \"N\" : %lld",
            ios ? lat : 0,
            slow  ? lat * tail
            : ios ? lat
                  : 0,
            ios ? (double)(fast * lat + slow * tail * lat) / (double)ios : 0.0, ios);
    if (ios > 0) {
        fprintf(f,
                ",\n          \"percentile\" : {\n            \"50.000000\" : %lld,\n"
                "            \"99.000000\" : %lld,\n            \"99.900000\" : %lld\n"
                "          },\n          \"bins\" : {\n            \"%lld\" : %lld",
                lat, lat, slow ? lat * tail : lat, lat, tail > 1 ? fast : ios);
        if (slow && tail > 1)
            fprintf(f, ",\n            \"%lld\" : %lld", lat * tail, slow);
        fprintf(f, "\n          }");
    }
    fprintf(f, "\n        }\n      }");
}

static long long ios_after(const struct run *r, int64_t elapsed_ns)
{
    return (long long)((double)r->rate * (double)elapsed_ns / 1e9);
}

static void job_entry(FILE *f, const struct run *r, const struct job *j, long long ios,
                      long long ms, bool comma)
{
    bool reads = strstr(j->rw, "read") || strcmp(j->rw, "rw") == 0 || strcmp(j->rw, "randrw") == 0;
    bool writes =
        strstr(j->rw, "write") || strcmp(j->rw, "rw") == 0 || strcmp(j->rw, "randrw") == 0;
    long long r_ios = reads ? (writes ? ios * 7 / 10 : ios) : 0;

    fprintf(f,
            "    {\n      \"jobname\" : \"%s\",\n      \"groupid\" : 0,\n      \"error\" : %d,\n"
            "      \"eta\" : 2147483647,\n      \"elapsed\" : %lld,\n",
            j->name, j->error ? j->error : r->error, ms / 1000 + 1);
    direction(f, "read", r_ios, j->bs, reads ? ms : 0, r->lat_ns, r->tail);
    fprintf(f, ",\n");
    direction(f, "write", ios - r_ios, j->bs, writes ? ms : 0, r->lat_ns, r->tail);
    fprintf(f,
            ",\n      \"job_runtime\" : %lld,\n      \"usr_cpu\" : 2.500000,\n"
            "      \"sys_cpu\" : 7.500000\n    }%s\n",
            ms, comma ? "," : "");
}

/* One document; the caller frees. */
static char *report(const struct run *r, size_t *len)
{
    char *text = NULL, when[64];
    FILE *f = open_memstream(&text, len);
    int64_t wall_ms = now_ns(CLOCK_REALTIME) / MS;
    int64_t elapsed = r->now_ns - r->began_ns;
    time_t wall_s = (time_t)(wall_ms / 1000);
    const char *v = word("version");

    if (!f)
        _exit(99);
    strftime(when, sizeof(when), "%a %b %e %H:%M:%S %Y", gmtime(&wall_s));
    fprintf(f,
            "{\n  \"fio version\" : \"%s\",\n  \"timestamp\" : %lld,\n  \"timestamp_ms\" : %lld,\n"
            "  \"time\" : \"%s\",\n  \"jobs\" : [\n",
            v ? v : "fio-3.33", (long long)wall_s, (long long)wall_ms, when);
    for (int i = 0; i < r->n_jobs; i++) {
        const struct job *j = &r->jobs[i];
        int copies = r->grouped ? 1 : j->numjobs;
        long long ios = elapsed > 0 ? ios_after(r, elapsed) : 0;
        if (j->number_ios)
            ios = j->number_ios;
        else if (r->runtime_ms == 0 && j->bs > 0 && ios > j->size / j->bs)
            ios = j->size / j->bs;
        if (j->error)
            ios = 0;
        for (int c = 0; c < copies; c++)
            job_entry(f, r, j, ios / copies, elapsed > 0 ? elapsed / MS : 0,
                      c + 1 < copies || i + 1 < r->n_jobs);
    }
    fprintf(f, "  ]\n}\n");
    fclose(f);
    return text;
}

static void note_time(void)
{
    FILE *f = word("times") ? fopen(word("times"), "a") : NULL;

    if (!f)
        return;
    fprintf(f, "%lld\n", (long long)now_ns(CLOCK_MONOTONIC));
    fclose(f);
}

/* ---- a block device that works ---- */

#define STAT_FIELDS 17
enum { STAT_READS = 0, STAT_READ_MS = 3, STAT_WRITES = 4, STAT_WRITE_MS = 7, STAT_FLUSHES = 15 };

/* In place and of one length, as a reader keeps it open. */
static void move_stat(const struct run *r)
{
    static long long begin[STAT_FIELDS];
    static bool have_begin;
    const char *path = word("stat");
    char text[512];
    size_t len = 0;
    int fd = path ? open(path, O_RDWR | O_CLOEXEC) : -1;

    if (fd < 0)
        return;
    if (!have_begin) {
        ssize_t n = pread(fd, text, sizeof(text) - 1, 0);
        char *at = text;
        text[n > 0 ? n : 0] = '\0';
        for (int i = 0; i < STAT_FIELDS; i++)
            begin[i] = strtoll(at, &at, 10);
        have_begin = true;
    }
    int64_t elapsed = r->now_ns - r->began_ns;
    bool reads = strstr(r->jobs[0].rw, "read") != NULL;
    long long now[STAT_FIELDS], ios = elapsed > 0 ? ios_after(r, elapsed) : 0;
    memcpy(now, begin, sizeof(now));
    int first = reads ? STAT_READS : STAT_WRITES;
    now[first] += ios;
    now[first + 2] += ios * (r->jobs[0].bs / 512);
    now[reads ? STAT_READ_MS : STAT_WRITE_MS] += ios * word_number("device", 0) / MS;
    now[STAT_FLUSHES] += word("flush") ? ios : 0;
    now[STAT_FLUSHES + 1] += ios * word_number("flush", 0) / MS;
    for (int i = 0; i < STAT_FIELDS; i++)
        len += (size_t)snprintf(text + len, sizeof(text) - len, "%12lld", now[i]);
    text[len++] = '\n';
    if (pwrite(fd, text, len, 0) != (ssize_t)len)
        _exit(99);
    close(fd);
}

static void put_report(struct run *r)
{
    size_t len;
    char *text;

    r->reports++;
    r->now_ns = now_ns(CLOCK_MONOTONIC);
    if (r->n_jobs > 0 && r->runtime_ms > 0)
        move_stat(r);
    if (word("no-report"))
        return;
    text = report(r, &len);
    put(1, text, len);
    free(text);
    note_time();
}

/* ---- misbehaving ----------------------------------------------------------------------------- */

static void flood(long mib)
{
    static char block[64 << 10];

    memset(block, 'x', sizeof(block));
    for (size_t i = 63; i < sizeof(block); i += 64)
        block[i] = '\n';
    for (long i = 0; i < mib * 16; i++) {
        put(1, block, sizeof(block));
        put(2, block, sizeof(block));
    }
}

static void half_a_report(struct run *r)
{
    size_t len;
    char *text;

    r->now_ns = now_ns(CLOCK_MONOTONIC);
    text = report(r, &len);
    put(1, text, len / 2);
    free(text);
}

static void garbage(void)
{
    static unsigned char bytes[64 << 10];
    uint32_t x = 12345;

    for (size_t i = 0; i < sizeof(bytes); i++) {
        x = x * 1664525 + 1013904223;
        bytes[i] = (unsigned char)(x >> 24);
    }
    bytes[sizeof(bytes) - 1] = '\n';
    put(1, (const char *)bytes, sizeof(bytes));
}

static void hang(void) __attribute__((noreturn));
static void hang(void)
{
    for (;;)
        pause();
}

static void die_of(int signo) __attribute__((noreturn));
static void die_of(int signo)
{
    sigset_t set;

    signal(signo, SIG_DFL);
    sigemptyset(&set);
    sigaddset(&set, signo);
    sigprocmask(SIG_UNBLOCK, &set, NULL);
    raise(signo);
    hang();
}

static void misbehave(struct run *r)
{
    if (does("die")) {
        die_of((int)word_number("signal", SIGKILL));
    }
    if (does("exit"))
        _exit((int)word_number("exit", 0));
    if (does("hang")) {
        signal(SIGTERM, SIG_IGN);
        signal(SIGINT, SIG_IGN);
        hang();
    }
    if (does("cut")) {
        half_a_report(r);
        _exit((int)word_number("exit", 0));
    }
    if (does("half"))
        half_a_report(r);
    if (does("garbage"))
        garbage();
    if (does("flood"))
        flood(word_number("mib", 16));
    if (does("orphan")) {
        if (fork() == 0) {
            setsid();
            sleep(60);
            _exit(0);
        }
        _exit(0);
    }
}

/* ---- replaying ------------------------------------------------------------------------------- */

static FILE *open_part(const char *prefix, const char *suffix)
{
    char path[1200], command[1300];
    FILE *f;

    snprintf(path, sizeof(path), "%s%s", prefix, suffix);
    f = fopen(path, "re");
    if (f)
        return f;
    snprintf(path, sizeof(path), "%s%s.xz", prefix, suffix);
    if (access(path, R_OK) < 0)
        return NULL;
    snprintf(command, sizeof(command), "xz -dc '%s'", path);
    return popen(command, "re");
}

/* A report ends with the one line that is a closing brace in the first column. */
static void copy_lines(FILE *from, int to, long gap_ms)
{
    char line[4096];

    while (fgets(line, sizeof(line), from)) {
        put(to, line, strlen(line));
        if (gap_ms == 0 || strcmp(line, "}\n") != 0)
            continue;
        int64_t due = now_ns(CLOCK_MONOTONIC) + gap_ms * MS;
        while (!told_to_stop && now_ns(CLOCK_MONOTONIC) < due)
            sleep_until(due);
    }
}

static int replay(const char *prefix_word)
{
    char prefix[1024];
    int code = 0;

    snprintf(prefix, sizeof(prefix), "%s", prefix_word); /* before another word takes its place */
    FILE *out = open_part(prefix, ".stdout"), *err = open_part(prefix, ".stderr"),
         *rc = open_part(prefix, ".rc");
    if (!out) {
        say(2, "fake fio: no %s.stdout\n", prefix);
        return 98;
    }
    copy_lines(out, 1, word_number("gap", 0));
    if (err)
        copy_lines(err, 2, 0);
    if (rc && fscanf(rc, "%d", &code) == 1 && code < 0)
        die_of(-code);
    return code;
}

/* ---- the run --------------------------------------------------------------------------------- */

static long long number(const char *s)
{
    char *end;
    long long n = strtoll(s, &end, 10);

    switch (*end) {
    case 'k':
        return n << 10;
    case 'm':
        return n << 20;
    case 'g':
        return n << 30;
    default:
        return n;
    }
}

static const char *value_of(const char *arg, const char *option)
{
    size_t n = strlen(option);

    return strncmp(arg, option, n) == 0 && arg[n] == '=' ? arg + n + 1 : NULL;
}

static void parse(struct run *r, int argc, char **argv)
{
    struct job common = {.name = "job",
                         .engine = "psync",
                         .rw = "read",
                         .bs = 4096,
                         .size = 1 << 20,
                         .numjobs = 1,
                         .iodepth = 1};
    struct job *j = &common;
    const char *v;

    for (int i = 1; i < argc; i++) {
        const char *a = argv[i];
        if ((v = value_of(a, "--name")) && r->n_jobs < JOBS) {
            j = &r->jobs[r->n_jobs++];
            *j = common;
            snprintf(j->name, sizeof(j->name), "%s", v);
        } else if ((v = value_of(a, "--rw")))
            snprintf(j->rw, sizeof(j->rw), "%s", v);
        else if ((v = value_of(a, "--ioengine")))
            snprintf(j->engine, sizeof(j->engine), "%s", v);
        else if ((v = value_of(a, "--bs")))
            j->bs = number(v);
        else if ((v = value_of(a, "--size")))
            j->size = number(v);
        else if ((v = value_of(a, "--number_ios")))
            j->number_ios = number(v);
        else if ((v = value_of(a, "--numjobs")))
            j->numjobs = atoi(v);
        else if ((v = value_of(a, "--iodepth")))
            j->iodepth = atoi(v);
        else if ((v = value_of(a, "--direct")))
            j->direct = atoi(v);
        else if ((v = value_of(a, "--runtime")))
            r->runtime_ms = number(v) * 1000;
        else if ((v = value_of(a, "--status-interval")))
            r->interval_ms = strstr(v, "ms") ? atoll(v) : atoll(v) * 1000;
        else if (strcmp(a, "--group_reporting") == 0)
            r->grouped = true;
    }
}

/* As fio does: an engine that cannot be loaded ends everything, one that cannot be set up its job.
 */
static int set_up(struct run *r)
{
    int failed = 0;

    for (int i = 0; i < r->n_jobs; i++) {
        struct job *j = &r->jobs[i];
        if (!word_lists("engines", "io_uring:libaio:posixaio:sync:psync", j->engine)) {
            say(2, "fio: engine %s not loadable\nfio: failed to load engine\n", j->engine);
            _exit(1);
        }
        if (word_lists("deadly", NULL, j->engine))
            die_of(SIGSEGV);
        if (word_lists("hanging", NULL, j->engine))
            hang();
        if (word_lists("refuse", NULL, j->engine))
            j->error = EPERM;
        else if (j->direct && word("no-direct"))
            j->error = EINVAL;
        if (!j->error)
            continue;
        failed += j->numjobs;
        say(1, "fio: pid=%d, err=%d/file:fake.c:1, func=%s, error=%s\n", (int)getpid(), j->error,
            j->error == EPERM ? "io_queue_init" : "io_u error", strerror(j->error));
    }
    return failed;
}

static int64_t end_of_run(const struct run *r)
{
    if (r->n_jobs && r->jobs[0].number_ios)
        return 0;
    if (r->runtime_ms)
        return r->began_ns + r->runtime_ms * MS;
    long long ios = r->n_jobs ? r->jobs[0].size / r->jobs[0].bs : 0;
    return r->began_ns + (int64_t)((double)ios * 1e9 / (double)r->rate) + MS;
}

static int finish(struct run *r, int failed)
{
    const char *text;

    if (told_to_stop)
        say(1, "\nfio: terminating on signal %d\n", (int)told_to_stop);
    r->error = (int)word_number("error", 0);
    if (r->error) {
        failed = 1;
        say(1, "fio: pid=%d, err=%d/file:io_u.c:1876, func=io_u error, error=%s\n", (int)getpid(),
            r->error, strerror(r->error));
    }
    put_report(r);
    text = word("stderr");
    if (text)
        say(2, "%s\n", text);
    if (word("abort"))
        die_of(SIGABRT);
    if (word("exit"))
        return (int)word_number("exit", 0);
    return told_to_stop ? 128 : failed;
}

static int run(struct run *r)
{
    int failed = set_up(r);
    long at = word_number("at", 0);
    bool done_it = !word("do"), silent = false;
    int64_t next, end;

    r->began_ns = now_ns(CLOCK_MONOTONIC) + word_number("boot", 0) * MS;
    end = end_of_run(r);
    next = now_ns(CLOCK_MONOTONIC) + r->interval_ms * MS;
    if (word("stuck"))
        next += word_number("stuck", 0) * MS;
    for (;;) {
        int64_t now = now_ns(CLOCK_MONOTONIC);
        if (!done_it && r->reports >= at) {
            done_it = true;
            silent = does("silent");
            misbehave(r);
        }
        if (told_to_stop || now >= end)
            break;
        if (told_to_report || (r->interval_ms && now >= next)) {
            if (!silent)
                put_report(r);
            if (!told_to_report)
                next += r->interval_ms * MS;
            told_to_report = 0;
            continue;
        }
        sleep_until(r->interval_ms && next < end ? next : end);
    }
    if (told_to_stop) {
        int64_t gone = now_ns(CLOCK_MONOTONIC) + word_number("term", 0) * MS;
        while (now_ns(CLOCK_MONOTONIC) < gone)
            sleep_until(gone);
    }
    return finish(r, failed);
}

int main(int argc, char **argv)
{
    static struct run r;
    sigset_t blocked;
    const struct sigaction stop = {.sa_handler = on_stop}, usr1 = {.sa_handler = on_report},
                           ignore = {.sa_handler = SIG_IGN};

    if (argc == 2 && strcmp(argv[1], "--version") == 0) {
        const char *v = word("version");
        say(1, "%s\n", v ? v : "fio-3.33");
        return 0;
    }
    if (argc == 2 && strcmp(argv[1], "--enghelp") == 0) {
        char list[512], *save = NULL;
        const char *v = word("engines");
        snprintf(list, sizeof(list), "%s", v ? v : "io_uring:libaio:posixaio:sync:psync");
        say(1, "Available IO engines:\n");
        for (char *e = strtok_r(list, ":", &save); e; e = strtok_r(NULL, ":", &save))
            say(1, "\t%s\n", e);
        return 0;
    }
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGTERM);
    sigaddset(&blocked, SIGINT);
    sigaddset(&blocked, SIGUSR1);
    sigprocmask(SIG_BLOCK, &blocked, NULL);
    sigaction(SIGUSR1, &usr1, NULL);
    sigaction(SIGTERM, word("ignore-term") ? &ignore : &stop, NULL);
    sigaction(SIGINT, word("ignore-term") ? &ignore : &stop, NULL);
    if (word("replay"))
        return replay(word("replay"));
    r.rate = word_number("rate", 10000);
    r.lat_ns = word_number("lat", 80000);
    r.tail = word_number("tail", 10);
    parse(&r, argc, argv);
    return run(&r);
}
