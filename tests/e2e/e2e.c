/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See e2e.h. */
#include "e2e.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <math.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#include "sthd/mem.h"
#include "tap.h"

static struct strv owned; /* texts and directories that live until e2e_done */
static struct strv dirs;
static const char *mounted;

static void die(const char *what)
{
    printf("Bail out! %s: %s\n", what, strerror(errno));
    exit(99);
}

static const char *keep(struct strv *list, const char *s)
{
    strv_add(list, s);
    return list->items[list->n - 1];
}

const char *e2e_text(const char *fmt, ...)
{
    va_list ap;
    char text[4096];

    va_start(ap, fmt);
    vsnprintf(text, sizeof(text), fmt, ap);
    va_end(ap);
    return keep(&owned, text);
}

static const char *build_dir(void)
{
    const char *dir = getenv("STHD_BUILDDIR");

    if (!dir) {
        errno = ENOENT;
        die("STHD_BUILDDIR");
    }
    return dir;
}

const char *e2e_program(void)
{
    static const char *program;

    if (!program)
        program = e2e_text("%s/speedtest-hd", build_dir());
    return program;
}

const char *e2e_dir(void)
{
    char *path = mem_printf("%s/e2e-dir-XXXXXX", build_dir()), *real;
    const char *kept;

    if (!mkdtemp(path) || !(real = realpath(path, NULL)))
        die(path);
    kept = keep(&dirs, real);
    free(path);
    free(real);
    return kept;
}

void e2e_begin(void)
{
    int lock = open(e2e_text("%s/e2e.lock", build_dir()), O_RDWR | O_CREAT | O_CLOEXEC, 0666);

    if (lock < 0 || flock(lock, LOCK_EX))
        die("e2e.lock");
    setenv("LC_ALL", "C.UTF-8", 1);
    setenv("HOME", e2e_dir(), 1);
    unsetenv("XDG_CONFIG_HOME");
    unsetenv("XDG_STATE_HOME");
    unsetenv("XDG_RUNTIME_DIR");
    unsetenv("NO_COLOR");
    unsetenv("FORCE_COLOR");
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
    (void)st;
    (void)type;
    (void)ftw;
    return remove(path);
}

void e2e_remove(void)
{
    if (mounted)
        umount2(mounted, MNT_DETACH);
    for (size_t i = 0; i < dirs.n; i++)
        nftw(dirs.items[i], remove_one, 16, FTW_DEPTH | FTW_PHYS);
    strv_done(&dirs);
    strv_done(&owned);
}

int e2e_done(void)
{
    e2e_remove();
    return tap_done();
}

bool e2e_have_fio(void)
{
    struct plain *p = plain_run(NULL, (const char *[]){"fio", "--version", NULL}, 10000);
    bool have = plain_exit_code(p) == 0;

    plain_free(p);
    return have;
}

const char *e2e_path_with(const char *name, const char *script, bool alone)
{
    const char *dir = e2e_dir(), *path = e2e_text("%s/%s", dir, name);
    FILE *f = fopen(path, "we");

    if (!f || fputs(script, f) < 0 || fclose(f) || chmod(path, 0755) || chmod(dir, 0755))
        die(path);
    return alone ? e2e_text("PATH=%s", dir) : e2e_text("PATH=%s:%s", dir, getenv("PATH"));
}

/* ---- nothing is left ---- */

static int64_t now_ms(void)
{
    struct timespec ts;

    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

pid_t e2e_watch_fio(const struct e2e_watch *w)
{
    for (size_t i = 0; i < w->n; i++)
        if (strcmp(w->ids[i].comm, "fio") == 0)
            return w->ids[i].pid;
    return 0;
}

static bool fio_holds_something(const struct e2e_watch *w)
{
    struct buf holders = BUF_INIT;
    pid_t fio = e2e_watch_fio(w);
    bool holds = false;

    if (!fio)
        return false;
    proc_holders(&holders, w->dir);
    for (const char *line = holders.data; line && *line; line = strchr(line, '\n') + 1)
        holds = holds || atoi(line) == fio;
    buf_done(&holders);
    return holds;
}

bool e2e_watch(struct e2e_watch *w, const char *dir, pid_t program, struct vt *v, struct plain *p,
               int ms)
{
    int64_t deadline = now_ms() + ms;

    *w = (struct e2e_watch){.dir = dir};
    for (;;) {
        /* The program goes last: its children are found through it. */
        w->n = proc_descendants(w->ids, program);
        if (w->n < PROC_IDS && proc_identify(&w->ids[w->n], program))
            w->n++;
        if (fio_holds_something(w))
            return true;
        if (now_ms() > deadline) {
            tap_note("no fio with the bench file after %d ms", ms);
            if (v)
                vt_dump(v);
            if (p)
                tap_note("stderr: %s", plain_err(p));
            return false;
        }
        if (v)
            vt_pump(v, 10);
        if (p)
            plain_pump(p, 10);
    }
}

bool e2e_hide_fio(void)
{
    static const char *const places[] = {"/usr/local/bin/fio",  "/usr/bin/fio",  "/bin/fio",
                                         "/usr/local/sbin/fio", "/usr/sbin/fio", "/sbin/fio"};

    if (unshare(CLONE_NEWNS) || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL))
        return false;
    for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++)
        if (access(places[i], X_OK) == 0 && mount("/dev/null", places[i], NULL, MS_BIND, NULL))
            return false;
    return true;
}

/* What is in the directory, one name a line. */
static void list_dir(struct buf *out, const char *dir)
{
    DIR *d = opendir(dir);
    struct dirent *e;

    if (!d) {
        buf_addf(out, "%s: %s\n", dir, strerror(errno));
        return;
    }
    while ((e = readdir(d)))
        if (strcmp(e->d_name, ".") && strcmp(e->d_name, ".."))
            buf_addf(out, "%s\n", e->d_name);
    closedir(d);
}

void e2e_check_nothing_left(const struct e2e_watch *w, const char *what, int ms)
{
    struct buf text = BUF_INIT;
    struct proc_id left;
    bool gone = proc_wait_gone(w->ids, w->n, ms, &left);

    tap_ok(gone, "%s: no process is left", what);
    if (!gone)
        tap_note("left: %d %s", (int)left.pid, left.comm);
    buf_adds(&text, "");
    proc_holders(&text, w->dir);
    tap_str(text.data, "", "%s: nobody holds a file there", what);
    buf_clear(&text);
    buf_adds(&text, "");
    list_dir(&text, w->dir);
    tap_str(text.data, "", "%s: the directory is empty", what);
    buf_done(&text);
}

/* ---- a file system of our own ---- */

const char *e2e_private_fs(const char *size)
{
    const char *dir;

    if (geteuid() != 0 || unshare(CLONE_NEWNS))
        return NULL;
    dir = e2e_dir();
    if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
        mount("e2e", dir, "tmpfs", 0, e2e_text("size=%s", size)))
        return NULL;
    mounted = dir;
    return dir;
}

unsigned long long e2e_free_bytes(const char *dir)
{
    struct statvfs s;

    if (statvfs(dir, &s))
        die(dir);
    return (unsigned long long)s.f_bavail * s.f_frsize;
}

/* ---- the full screen ---- */

bool e2e_press_start(struct vt *v)
{
    /* The engine's line says "works" (or why not) once the probing is over. */
    if (!tap_ok(vt_wait_match(v, "Engine .*(works|prescribed)", 20000), "fio was looked at"))
        return false;
    vt_keys(v, "s");
    if (!tap_ok(vt_wait_match(v, "Write (up to|as much)", 10000), "it asks before it writes"))
        return false;
    vt_keys(v, "y");
    return tap_ok(vt_wait_match(v, "step [0-9]+ of [0-9]+", 30000), "the run is on screen");
}

void e2e_press_quit(struct vt *v)
{
    vt_keys(v, "q");
    tap_ok(vt_wait_text(v, "and quit?", 10000), "q asks");
    vt_keys(v, "y");
}

/* ---- the table ---- */

/* The length of the column separator at s, 0 if there is none. */
static size_t bar_at(const char *s)
{
    static const char box[] = "\342\224\202"; /* U+2502 */

    if (*s == '|')
        return 1;
    return strncmp(s, box, 3) == 0 ? 3 : 0;
}

static void add_cell(char out[48], const char *from, const char *to)
{
    while (from < to && *from == ' ')
        from++;
    while (to > from && to[-1] == ' ')
        to--;
    snprintf(out, 48, "%.*s", (int)(to - from), from);
}

static size_t split(char cells[E2E_COLUMNS][48], const char *line, const char *end)
{
    size_t n = 0, bar = bar_at(line);
    const char *from = line + bar;

    for (const char *p = from; p < end && n < E2E_COLUMNS; p++) {
        bar = bar_at(p);
        if (bar) {
            add_cell(cells[n++], from, p);
            from = p + bar;
            p += bar - 1;
        }
    }
    return n;
}

bool e2e_table_parse(struct e2e_table *t, const char *text)
{
    *t = (struct e2e_table){0};
    for (const char *line = text, *end; *line; line = *end ? end + 1 : end) {
        end = strchrnul(line, '\n');
        if (!bar_at(line)) {
            if (t->n_rows > 1 && line == end)
                break; /* the table is over */
            continue;
        }
        if (t->n_rows == 0 && !memmem(line, (size_t)(end - line), "MB/s", 4))
            continue;
        if (t->n_rows == E2E_ROWS)
            break;
        size_t n = split(t->cells[t->n_rows], line, end);
        if (t->n_rows++ == 0)
            t->n_columns = n;
    }
    return t->n_rows > 1;
}

const char *e2e_table_cell(const struct e2e_table *t, const char *row, const char *head, size_t nth)
{
    for (size_t r = 1; r < t->n_rows; r++) {
        if (strcmp(t->cells[r][0], row))
            continue;
        for (size_t c = 1; c < t->n_columns; c++)
            if (strcmp(t->cells[0][c], head) == 0 && nth-- == 0)
                return t->cells[r][c];
    }
    return NULL;
}

double e2e_number(const char *cell, double *step)
{
    static const struct {
        const char *unit;
        double factor;
    } units[] = {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}, {"", 1}};
    char digits[48];
    size_t n = 0;
    int decimals = 0;
    bool point = false;
    const char *p;

    *step = NAN;
    if (!cell)
        return NAN;
    for (p = cell; (*p >= '0' && *p <= '9') || *p == '.' || *p == ' '; p++) {
        if (*p == ' ')
            continue;
        decimals += point;
        point = point || *p == '.';
        digits[n++] = *p;
    }
    digits[n] = '\0';
    if (n == 0)
        return NAN;
    for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
        if (strcmp(p, units[i].unit) == 0) {
            *step = pow(10, -decimals) * units[i].factor;
            return strtod(digits, NULL) * units[i].factor;
        }
    return NAN;
}
