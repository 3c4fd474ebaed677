/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The bench file without a name, each way of making it, each reason for not making it, and the
 * keeper. As an ordinary user too where it matters (we drop to nobody when we are root). */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench_file_private.h"
#include "sthd/keeper.h"
#include "sthd/loop.h"
#include "sthd/mem.h"
#include "sthd/work_dir.h"
#include "tap.h"

#define SECOND   1000000000LL
#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define MIB      ((uint64_t)1 << 20)

static char base[] = "/tmp/sthd-bench-XXXXXX";

static int entries(const char *dir)
{
    DIR *d = opendir(dir);
    int n = -2;

    if (!d)
        return -1;
    while (readdir(d))
        n++;
    closedir(d);
    return n;
}

static bool soon(bool (*is)(const void *), const void *arg)
{
    struct pollfd none = {.fd = -1};
    int64_t deadline = clock_ns() + 10 * SECOND;

    while (!is(arg)) {
        if (clock_ns() > deadline)
            return false;
        poll(&none, 1, 1);
    }
    return true;
}

static bool is_empty(const void *dir)
{
    return entries(dir) == 0;
}

static void test_ways(void)
{
    static const struct {
        const char *name;
        unsigned ways;
        enum bench_file_way way;
        int visible;
    } rows[] = {
        {"plain", 7, BENCH_FILE_TMPFILE, 0},
        {"no tmpfile", 6, BENCH_FILE_UNLINKED, 0},
        {"kept", 4, BENCH_FILE_KEEPER, 1},
        {"with a\nnewline, \xc3\xa4, : and #;", 7, BENCH_FILE_TMPFILE, 0},
        {"kept # a\nnewline: \xe6\x97\xa5", 4, BENCH_FILE_KEEPER, 1},
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        struct bench_file *f;
        struct err e;
        struct stat st, again;
        char path[64];
        char *dir = mem_printf("%s/%s", base, rows[i].name);
        mkdir(dir, 0755);
        if (bench_file_create_by(&f, dir, 3 * MIB + 1, rows[i].ways, &e) < 0) {
            tap_ok(false, "made (row %zu): %s", i, e.text);
            free(dir);
            continue;
        }
        tap_int(bench_file_way(f), rows[i].way, "the way, row %zu", i);
        tap_int(entries(dir), rows[i].visible, "visible, row %zu", i);
        fstat(bench_file_fd(f), &st);
        tap_int((long long)st.st_size, (long long)(3 * MIB + 1), "size, row %zu", i);
        tap_int(st.st_nlink, rows[i].visible, "names, row %zu", i);
        tap_int(st.st_mode & 07777, 0600, "nobody else's, row %zu", i);
        tap_ok(fcntl(bench_file_fd(f), F_GETFD) & FD_CLOEXEC, "close-on-exec, row %zu", i);
        snprintf(path, sizeof(path), "/proc/self/fd/%d", bench_file_fd(f));
        int fd = open(path, O_RDWR | O_CLOEXEC);
        tap_ok(fd >= 0 && fstat(fd, &again) == 0 && again.st_ino == st.st_ino,
               "fio can open it again, row %zu", i);
        close(fd);
        if (rows[i].visible) {
            struct dirent *d = NULL;
            DIR *all = opendir(dir);
            while (all && (d = readdir(all)) && strncmp(d->d_name, ".speedtest", 10) != 0)
                ;
            char *private = mem_printf("%s/%s", dir, d ? d->d_name : "");
            tap_ok(stat(private, &st) == 0 && (st.st_mode & 07777) == 0700,
                   "the directory is private, row %zu", i);
            free(private);
            if (all)
                closedir(all);
        }
        bench_file_free(f);
        tap_int(entries(dir), 0, "nothing is left, row %zu", i);
        rmdir(dir);
        free(dir);
    }
    bench_file_free(NULL);
}

/* inotify sees every name that ever was. */
static void test_never_visible(void)
{
    static const struct {
        unsigned ways;
        bool named;
    } rows[] = {{1, false}, {2, true}};

    for (size_t i = 0; i < COUNT(rows); i++) {
        struct bench_file *f;
        struct err e;
        char events[4096];
        int in = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
        inotify_add_watch(in, base, IN_CREATE | IN_DELETE | IN_MOVED_TO);
        int rc = bench_file_create_by(&f, base, MIB, rows[i].ways, &e);
        ssize_t n = read(in, events, sizeof(events));
        tap_ok(rc == 0 && (n > 0) == rows[i].named && entries(base) == 0,
               rows[i].named ? "its name is gone at once" : "it never has a name");
        close(in);
        if (rc == 0)
            bench_file_free(f);
    }
}

static void test_killed(void)
{
    for (unsigned way = BENCH_FILE_TMPFILE; way <= BENCH_FILE_KEEPER; way++) {
        int report[2], status;
        char byte = 0;
        if (pipe(report))
            return;
        pid_t pid = fork();
        if (pid == 0) {
            struct bench_file *f;
            struct err e;
            byte = bench_file_create_by(&f, base, MIB, 1u << way, &e) == 0;
            if (write(report[1], &byte, 1) < 0)
                _exit(1);
            pause();
            _exit(0);
        }
        close(report[1]);
        tap_ok(read(report[0], &byte, 1) == 1 && byte, "made, way %u", way);
        close(report[0]);
        tap_int(entries(base) > 0, way == BENCH_FILE_KEEPER, "a name only if it must, way %u", way);
        kill(pid, SIGKILL);
        waitpid(pid, &status, 0);
        tap_ok(soon(is_empty, base), "killed with SIGKILL: nothing is left, way %u", way);
    }
}

/* ---- reasons for not making it ---- */

struct refusal {
    const char *dir;
    uint64_t size;
    enum exit_code code;
    const char *says[2];
};

static void check_refusals(const char *who, const struct refusal *rows, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        struct bench_file *f;
        struct err a = {0}, b = {0};
        int checked = bench_file_check(rows[i].dir, rows[i].size, &a);
        int made = bench_file_create(&f, rows[i].dir, rows[i].size, &b);
        tap_ok(checked < 0 && made < 0 && !f, "%s: refused (row %zu)", who, i);
        tap_int(a.exit_code, rows[i].code, "%s: exit code (row %zu)", who, i);
        tap_str(b.text, a.text, "%s: the check says the same (row %zu)", who, i);
        for (int s = 0; s < 2 && rows[i].says[s]; s++)
            tap_ok(strstr(a.text, rows[i].says[s]) != NULL, "%s: \"%s\" in: %s", who,
                   rows[i].says[s], a.text);
        tap_ok(!strpbrk(a.text, "\n\033"), "%s: printable (row %zu)", who, i);
        if (made == 0)
            bench_file_free(f);
    }
}

static void test_refusals(void)
{
    char *file = mem_printf("%s/file", base), *below = mem_printf("%s/file/x", base);
    char *loop = mem_printf("%s/loop", base), *odd = mem_printf("%s/no\033[31m\nsuch", base);
    char *longer = mem_printf("%s/%0300d", base, 1);

    close(open(file, O_CREAT | O_WRONLY, 0644));
    if (symlink(loop, loop) < 0)
        tap_ok(false, "a symlink");
    const struct refusal rows[] = {
        {"/nonexistent/dir", MIB, EXIT_CODE_TARGET, {"/nonexistent/dir does not exist", NULL}},
        {"", MIB, EXIT_CODE_TARGET, {"does not exist", NULL}},
        {file, MIB, EXIT_CODE_TARGET, {"is not a directory", file}},
        {below, MIB, EXIT_CODE_TARGET, {"is not a directory", NULL}},
        {"/dev/null", MIB, EXIT_CODE_TARGET, {"is not a directory", NULL}},
        {loop, MIB, EXIT_CODE_TARGET, {"circles", NULL}},
        {odd, MIB, EXIT_CODE_TARGET, {"does not exist", "\\x"}},
        {longer, MIB, EXIT_CODE_TARGET, {"too long", "..."}},
        {base, (uint64_t)1 << 60, EXIT_CODE_SPACE, {"needs 1 EiB", " is free"}},
    };
    check_refusals("anyone", rows, COUNT(rows));
    struct bench_file *f;
    struct err e = {0};
    tap_ok(bench_file_create(&f, "/proc", MIB, &e) < 0 && e.exit_code == EXIT_CODE_TARGET &&
               strstr(e.text, geteuid() == 0 ? "/proc does not take new files" : "is not writable"),
           "%s", e.text);
    unlink(file);
    unlink(loop);
    free(file);
    free(below);
    free(loop);
    free(odd);
    free(longer);
}

/* Runs fn in a process of its own; its result is whether all of its checks were good. */
static void in_a_process(const char *what, bool (*fn)(char *say, size_t size))
{
    int status = 0, report[2];
    char say[600] = "";

    if (pipe(report))
        return;
    pid_t pid = fork();
    if (pid == 0) {
        bool ok = fn(say, sizeof(say));
        if (write(report[1], say, strlen(say)) < 0)
            _exit(2);
        _exit(ok ? 0 : say[0] == '\0' ? 77 : 1);
    }
    close(report[1]);
    ssize_t n = read(report[0], say, sizeof(say) - 1);
    say[n > 0 ? n : 0] = '\0';
    close(report[0]);
    waitpid(pid, &status, 0);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
        tap_skip("not possible here", "%s", what);
    else
        tap_int(status, 0, "%s: %s", what, say);
}

static bool become_nobody(void)
{
    return geteuid() != 0 || (setgroups(0, NULL) == 0 && setgid(65534) == 0 && setuid(65534) == 0);
}

static bool refused(const char *dir, uint64_t size, enum exit_code code, const char *says,
                    char *say, size_t n)
{
    struct err e = {0};
    struct bench_file *f;
    bool ok = bench_file_create(&f, dir, size, &e) < 0 && e.exit_code == code &&
              strstr(e.text, says) != NULL;

    snprintf(say, n, "%s", e.text[0] ? e.text : "it was made");
    return ok;
}

static bool nobody_not_writable(char *say, size_t n)
{
    char *dir = mem_printf("%s/sealed", base);

    return become_nobody() &&
           refused(dir, MIB, EXIT_CODE_TARGET, "is not writable for this user", say, n);
}

static bool nobody_not_reachable(char *say, size_t n)
{
    char *dir = mem_printf("%s/closed/in", base);

    return become_nobody() &&
           refused(dir, MIB, EXIT_CODE_TARGET, "cannot be reached by this user", say, n);
}

static bool nobody_makes_one(char *say, size_t n)
{
    char *dir = mem_printf("%s/open", base);
    struct bench_file *f;
    struct err e = {0};

    if (!become_nobody())
        return false;
    int rc = bench_file_create(&f, dir, MIB, &e);
    snprintf(say, n, "%s", rc < 0 ? e.text : "made");
    if (rc < 0)
        return false;
    bench_file_free(f);
    return entries(dir) == 0;
}

static bool over_file_limit(char *say, size_t n)
{
    struct rlimit limit = {MIB, MIB};

    if (setrlimit(RLIMIT_FSIZE, &limit) < 0)
        return false;
    return refused(base, 2 * MIB, EXIT_CODE_TARGET, "ulimit -f", say, n);
}

static bool mounted(const char *type, unsigned long flags, const char *options)
{
    return unshare(CLONE_NEWNS) == 0 && mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 &&
           mount("none", base, type, flags, options) == 0;
}

static bool read_only(char *say, size_t n)
{
    return mounted("tmpfs", MS_RDONLY, "size=8m") &&
           refused(base, MIB, EXIT_CODE_TARGET, "mounted read-only", say, n);
}

static bool small_tmpfs(char *say, size_t n)
{
    return mounted("tmpfs", 0, "size=8m") &&
           refused(base, 9 * MIB, EXIT_CODE_SPACE, "needs 9 MiB, and 8 MiB is free", say, n);
}

/* The check cannot see everything that allocating can: pages that somebody takes in between. */
static bool reserved_on_tmpfs(char *say, size_t n)
{
    struct bench_file *f, *g;
    struct err e = {0};

    if (!mounted("tmpfs", 0, "size=8m"))
        return false;
    int rc = bench_file_create(&f, base, 6 * MIB, &e);
    snprintf(say, n, "%s", rc < 0 ? e.text : "the first was made");
    if (rc < 0)
        return false;
    /* the first one's space is really taken, though nothing was written */
    rc = bench_file_create(&g, base, 3 * MIB, &e);
    snprintf(say, n, "%s", e.text);
    bench_file_free(f);
    return rc == -ENOSPC && e.exit_code == EXIT_CODE_SPACE && strstr(e.text, "2 MiB is free");
}

/* ramfs has no fallocate: the length alone must do. */
static bool without_fallocate(char *say, size_t n)
{
    struct bench_file *f;
    struct err e = {0};
    struct stat st;

    if (!mounted("ramfs", 0, NULL))
        return false;
    int rc = bench_file_create(&f, base, 5 * MIB, &e);
    snprintf(say, n, "%s", rc < 0 ? e.text : "made");
    return rc == 0 && fstat(bench_file_fd(f), &st) == 0 && st.st_size == (off_t)(5 * MIB);
}

static void test_as_others(void)
{
    char *closed = mem_printf("%s/closed", base), *in = mem_printf("%s/closed/in", base);
    char *open_dir = mem_printf("%s/open", base), *sealed = mem_printf("%s/sealed", base);

    chmod(base, 0755);
    mkdir(closed, 0700);
    mkdir(in, 0777);
    mkdir(sealed, 0555);
    mkdir(open_dir, 0777);
    chmod(open_dir, 0777);
    in_a_process("a directory that is not writable", nobody_not_writable);
    if (geteuid() == 0)
        in_a_process("a directory behind a closed one", nobody_not_reachable);
    in_a_process("an ordinary user makes one", nobody_makes_one);
    rmdir(in);
    rmdir(closed);
    rmdir(open_dir);
    rmdir(sealed);
    in_a_process("over ulimit -f", over_file_limit);
    in_a_process("mounted read-only", read_only);
    in_a_process("too large for the file system", small_tmpfs);
    in_a_process("its space is reserved at once", reserved_on_tmpfs);
    in_a_process("a file system without fallocate", without_fallocate);
    free(closed);
    free(in);
    free(open_dir);
    free(sealed);
}

/* ---- the keeper ---- */

static void put_text(const char *path, const char *text)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

    if (fd < 0 || write(fd, text, strlen(text)) < 0)
        tap_ok(false, "wrote %s", path);
    close(fd);
}

static const char *text_of(const char *path)
{
    static char text[64];
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);

    text[n > 0 ? n : 0] = '\0';
    close(fd);
    return text;
}

static bool is_gone(const void *pid)
{
    return kill(*(const pid_t *)pid, 0) < 0 && errno == ESRCH;
}

static bool is_restored(const void *path)
{
    return strcmp(text_of(path), "old") == 0;
}

static void test_keeper(void)
{
    char *knob = mem_printf("%s/knob", base), *dir = mem_printf("%s/dir", base);
    char *in = mem_printf("%s/dir/file", base), *missing = mem_printf("%s/missing", base);
    const struct keeper_action good[] = {{KEEPER_WRITE, knob, "old", 0},
                                         {KEEPER_UNLINK, in, NULL, 0},
                                         {KEEPER_RMDIR, dir, NULL, 0},
                                         {KEEPER_UNLINK, missing, NULL, 0},
                                         {KEEPER_RMDIR, missing, NULL, 0}};
    const struct keeper_action bad[] = {{KEEPER_WRITE, missing, "old", 0},
                                        {KEEPER_WRITE, knob, "old", 0}};
    struct keeper *k;
    struct err e = {0};

    for (int how = 0; how < 3; how++) {
        static const char *const names[] = {"released", "released after it was killed",
                                            "released after signals"};
        put_text(knob, "new");
        mkdir(dir, 0700);
        put_text(in, "x");
        if (keeper_start(&k, good, COUNT(good), &e) < 0) {
            tap_ok(false, "starts: %s", e.text);
            continue;
        }
        pid_t pid = keeper_pid(k);
        tap_ok(kill(pid, 0) == 0 && getsid(pid) == pid && getsid(0) != pid,
               "it runs in a session of its own");
        tap_str(text_of(knob), "new", "it does nothing yet");
        if (how == 1) {
            kill(pid, SIGKILL);
            soon(is_gone, &pid);
        }
        if (how == 2) {
            static const int each[] = {SIGHUP, SIGINT, SIGTERM, SIGQUIT, SIGUSR1, SIGTSTP};
            for (size_t i = 0; i < COUNT(each); i++)
                kill(pid, each[i]);
        }
        tap_int(keeper_release(k, &e), 0, "%s", names[how]);
        tap_ok(strcmp(text_of(knob), "old") == 0 && access(dir, F_OK) < 0, "%s: all is done",
               names[how]);
    }

    put_text(knob, "new");
    keeper_start(&k, bad, COUNT(bad), &e);
    tap_int(keeper_release(k, &e), -ENOENT, "an action fails: %s", e.text);
    tap_ok(strstr(e.text, missing) != NULL, "and is named");
    tap_str(text_of(knob), "old", "the others are done all the same");
    tap_int(keeper_release(NULL, &e), 0, "NULL is fine");
    int status;
    tap_ok(waitpid(-1, &status, WNOHANG) < 0 && errno == ECHILD, "it was never our child");

    /* and now as in life: its master is killed, with the descriptors of many things open */
    put_text(knob, "new");
    pid_t master = fork();
    if (master == 0) {
        int spare[2];
        if (pipe(spare) || keeper_start(&k, good, COUNT(good), &e) < 0)
            _exit(1);
        kill(getpid(), SIGKILL);
    }
    waitpid(master, &status, 0);
    tap_ok(WIFSIGNALED(status) && soon(is_restored, knob), "its master dies of SIGKILL: restored");
    unlink(knob);
    free(knob);
    free(dir);
    free(in);
    free(missing);
}

/* One keeper must not keep another's pipe open, or the second would wait for the first. */
static void test_two_keepers(void)
{
    char *a = mem_printf("%s/a", base), *b = mem_printf("%s/b", base);
    const struct keeper_action first[] = {{KEEPER_UNLINK, a, NULL, 0}};
    const struct keeper_action second[] = {{KEEPER_UNLINK, b, NULL, 0}};
    struct keeper *k1, *k2;
    struct err e;

    put_text(a, "");
    put_text(b, "");
    if (keeper_start(&k1, first, 1, &e) < 0 || keeper_start(&k2, second, 1, &e) < 0)
        return;
    char path[64], link[64];
    int open_fds = 0;
    for (int fd = 0; fd < 64; fd++) {
        snprintf(path, sizeof(path), "/proc/%d/fd/%d", (int)keeper_pid(k2), fd);
        open_fds += readlink(path, link, sizeof(link)) > 0;
    }
    tap_int(open_fds, 5, "a keeper holds /dev/null thrice and two pipes, nothing else");
    tap_int(keeper_release(k1, &e), 0, "the first can be released while the second waits");
    tap_ok(access(a, F_OK) < 0 && access(b, F_OK) == 0, "and does its own part only");
    keeper_release(k2, &e);
    tap_int(access(b, F_OK), -1, "then the second");
    free(a);
    free(b);
}

/* ---- the directory for many files ------------------------------------------------------------ */

static char work_base[] = "/tmp/sthd-work-XXXXXX";

static void put_file(int dirfd, const char *name)
{
    int fd = openat(dirfd, name, O_CREAT | O_WRONLY, 0600);

    tap_ok(fd >= 0, "a file called %s", name);
    if (fd >= 0)
        close(fd);
}

static void test_work_dir(void)
{
    struct work_dir *w;
    struct stat st;
    struct err e;
    char outside[64];

    tap_ok(mkdtemp(work_base) != NULL, "a directory to work in");
    snprintf(outside, sizeof(outside), "%s/outside", work_base);
    if (!tap_int(work_dir_create(&w, work_base, &e), 0, "made: %s", e.text))
        return;
    tap_ok(fstat(work_dir_fd(w), &st) == 0 && (st.st_mode & 07777) == 0700, "it is private");
    put_file(AT_FDCWD, outside);
    put_file(work_dir_fd(w), "a");
    put_file(work_dir_fd(w), "b # : c");
    tap_int(symlinkat("..", work_dir_fd(w), "link"), 0, "a link out of it");
    work_dir_empty(w);
    char self[64];
    snprintf(self, sizeof(self), "/proc/self/fd/%d", work_dir_fd(w));
    tap_int(entries(self), 0, "emptied");
    tap_int(entries(work_base), 2, "it is still there, and what lies beside it");
    put_file(work_dir_fd(w), "again");
    work_dir_free(w);
    tap_int(entries(work_base), 1, "gone with what was in it; what lies beside it is not");
    tap_int(work_dir_create(&w, "/tmp/sthd-is-not-there", &e), -ENOENT, "nowhere: %s", e.text);
    tap_ok(!w && e.exit_code == EXIT_CODE_TARGET, "nothing is left of it");

    /* Its owner is killed: the keeper cleans up. */
    pid_t pid = fork();
    if (pid == 0) {
        if (work_dir_create(&w, work_base, &e) == 0) {
            int fd = openat(work_dir_fd(w), "left", O_CREAT | O_WRONLY, 0600);
            if (fd >= 0)
                raise(SIGKILL);
        }
        _exit(1);
    }
    int status;
    waitpid(pid, &status, 0);
    tap_ok(WIFSIGNALED(status), "its owner was killed with a file in it");
    unlink(outside);
    tap_ok(soon(is_empty, work_base), "the keeper has removed all of it");
    rmdir(work_base);
}

int main(void)
{
    if (!mkdtemp(base))
        return 1;
    test_ways();
    test_never_visible();
    test_killed();
    test_refusals();
    test_as_others();
    test_keeper();
    test_two_keepers();
    tap_int(rmdir(base), 0, "nothing is left in the directory");
    test_work_dir();
    return tap_done();
}
