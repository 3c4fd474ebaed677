/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What works on the target: the fake fio with engines missing, refused and deadly, the real fio,
 * and the real fio under a real seccomp filter. */
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sthd/child.h"
#include "sthd/mem.h"
#include "sthd/probe.h"
#include "sthd/signals.h"
#include "tap.h"

#define SECOND   1000000000LL
#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

struct asked {
    struct loop *loop;
    struct probe *probe;
    struct capability c;
    int answers;
    bool timed_out;
    double seconds;
};

static void on_done(void *arg, const struct capability *c)
{
    struct asked *a = arg;

    a->answers++;
    a->c = *c;
    probe_free(a->probe);
    a->probe = NULL;
    loop_quit(a->loop);
}

static void on_deadline(void *arg, int64_t now)
{
    struct asked *a = arg;

    (void)now;
    a->timed_out = true;
    loop_quit(a->loop);
}

static int ask(struct asked *a, const char *program, const char *dir, struct err *e)
{
    int64_t began = clock_ns();
    int rc;

    *a = (struct asked){.loop = loop_new()};
    struct signals *s = signals_new(a->loop, NULL, NULL);
    struct loop_timer *t = loop_timer_new(a->loop, on_deadline, a);
    loop_timer_at(t, began + 40 * SECOND);
    rc = probe_start(&a->probe, a->loop, program, dir, on_done, a, e);
    if (rc == 0)
        loop_run(a->loop, NULL, NULL);
    a->seconds = (double)(clock_ns() - began) / 1e9;
    probe_free(a->probe);
    loop_timer_free(t);
    signals_free(s);
    loop_free(a->loop);
    return rc;
}

static void usable(char *out, size_t size, const struct capability *c)
{
    size_t n = 0;

    out[0] = '\0';
    for (int e = ENGINE_IO_URING; e < ENGINE_COUNT; e++) {
        if (c->engine_usable[e] && n < size)
            n += (size_t)snprintf(out + n, size - n, "%s%s", n ? " " : "",
                                  engine_name((enum engine)e));
    }
}

static void test_fake(const char *dir)
{
    static const struct {
        const char *fake, *usable;
        enum engine auto_engine;
        bool direct;
        enum engine about; /* whose reason has to say: */
        const char *says;
    } rows[] = {
        {"", "io_uring libaio posixaio sync psync", ENGINE_IO_URING, true, ENGINE_LIBAIO,
         "asynchronous only with direct"},
        {"refuse=io_uring", "libaio posixaio sync psync", ENGINE_LIBAIO, true, ENGINE_IO_URING,
         "not permitted"},
        {"refuse=io_uring;no-direct", "libaio posixaio sync psync", ENGINE_POSIXAIO, false,
         ENGINE_LIBAIO, "waits in every submission"},
        {"engines=io_uring:posixaio:sync:psync", "io_uring posixaio sync psync", ENGINE_IO_URING,
         true, ENGINE_LIBAIO, "not in this fio"},
        {"engines=sync:psync", "sync psync", ENGINE_SYNC, true, ENGINE_IO_URING, "not in this fio"},
        {"engines=psync", "psync", ENGINE_PSYNC, true, ENGINE_SYNC, "not in this fio"},
        {"deadly=io_uring", "libaio posixaio sync psync", ENGINE_LIBAIO, true, ENGINE_IO_URING,
         "does not survive it (signal 11)"},
        {"deadly=io_uring:libaio;engines=io_uring:libaio:sync:psync", "sync psync", ENGINE_SYNC,
         true, ENGINE_POSIXAIO, "not in this fio"},
        {"hanging=libaio", "io_uring posixaio sync psync", ENGINE_IO_URING, true, ENGINE_LIBAIO,
         "did not answer"},
        {"no-report", "", ENGINE_PSYNC, false, ENGINE_SYNC, "no report"},
        {"do=exit;exit=1", "", ENGINE_PSYNC, false, ENGINE_SYNC, "no report"},
    };
    const char *build = getenv("STHD_BUILDDIR");
    char *fake = mem_printf("%s/tests/lib/fake-fio", build ? build : ".");

    for (size_t i = 0; i < COUNT(rows); i++) {
        struct asked a;
        struct err e;
        char names[128];
        setenv("FAKE_FIO", rows[i].fake, 1);
        tap_int(ask(&a, fake, dir, &e), 0, "starts: %s", rows[i].fake);
        tap_ok(a.answers == 1 && !a.timed_out && a.c.probed, "answers: %s", rows[i].fake);
        usable(names, sizeof(names), &a.c);
        tap_str(names, rows[i].usable, "usable: %s", rows[i].fake);
        tap_str(engine_name(a.c.auto_engine), engine_name(rows[i].auto_engine), "auto: %s",
                rows[i].fake);
        tap_int(a.c.direct_works, rows[i].direct, "direct: %s: %s", rows[i].fake,
                a.c.direct_reason);
        tap_ok(strstr(a.c.engine_reason[rows[i].about], rows[i].says) != NULL, "reason: %s",
               a.c.engine_reason[rows[i].about]);
        for (int en = 0; en < ENGINE_COUNT; en++) {
            if (!a.c.engine_reason[en][0])
                tap_ok(false, "%s has a reason", engine_name((enum engine)en));
        }
    }
    unsetenv("FAKE_FIO");

    struct asked a;
    struct err e = {0};
    tap_ok(ask(&a, "/nonexistent/fio", dir, &e) < 0 && e.exit_code == EXIT_CODE_FIO, "no fio: %s",
           e.text);
    tap_ok(ask(&a, fake, "/nonexistent/dir", &e) < 0 && e.exit_code == EXIT_CODE_TARGET,
           "no directory: %s", e.text);
    free(fake);
}

static void test_real(const char *fio, const char *dir)
{
    struct asked a;
    struct err e;
    char names[128];

    tap_int(ask(&a, fio, dir, &e), 0, "the real fio starts");
    usable(names, sizeof(names), &a.c);
    tap_ok(a.answers == 1 && a.c.engine_usable[ENGINE_PSYNC], "the real fio: %s, auto %s, %s",
           names, engine_name(a.c.auto_engine), a.c.direct_reason);
    tap_note("took %.2f s", a.seconds);
}

/* In a process of its own, since a filter stays for good. */
static void test_seccomp(const char *fio, const char *dir)
{
#if defined(__x86_64__) && defined(SYS_io_uring_setup)
    static const struct {
        unsigned action;
        const char *says;
    } rows[] = {
        {SECCOMP_RET_ERRNO | EPERM, "not permitted"},
        {SECCOMP_RET_ERRNO | ENOSYS, "kernel does not have it"},
        {SECCOMP_RET_KILL_PROCESS, "forbidden"},
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        struct sock_filter code[] = {
            BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
            BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_io_uring_setup, 0, 1),
            BPF_STMT(BPF_RET | BPF_K, rows[i].action),
            BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        };
        struct sock_fprog prog = {COUNT(code), code};
        int status = 0;
        pid_t pid = fork();
        if (pid == 0) {
            struct asked a;
            struct err e;
            if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
                prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &prog))
                _exit(77);
            if (ask(&a, fio, dir, &e) < 0 || a.answers != 1)
                _exit(2);
            tap_note("io_uring: %s; auto: %s", a.c.engine_reason[ENGINE_IO_URING],
                     engine_name(a.c.auto_engine));
            fflush(stdout);
            _exit(strstr(a.c.engine_reason[ENGINE_IO_URING], rows[i].says) &&
                          !a.c.engine_usable[ENGINE_IO_URING] &&
                          a.c.auto_engine != ENGINE_IO_URING && a.c.engine_usable[ENGINE_PSYNC]
                      ? 0
                      : 1);
        }
        waitpid(pid, &status, 0);
        if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
            tap_skip("no seccomp filters here", "io_uring under seccomp");
        else
            tap_int(status, 0, "io_uring under seccomp: %s", rows[i].says);
    }
#else
    (void)fio;
    (void)dir;
    tap_skip("x86-64 only", "io_uring under seccomp");
#endif
}

int main(void)
{
    char dir[] = "/tmp/sthd-probe-XXXXXX";
    char *fio = child_find_program("fio");

    signals_block();
    if (!mkdtemp(dir))
        return 1;
    test_fake(dir);
    if (fio) {
        test_real(fio, dir);
        test_seccomp(fio, dir);
    } else {
        tap_skip("no fio on this machine", "the real fio");
    }
    tap_int(rmdir(dir), 0, "nothing is left in the directory");
    free(fio);
    return tap_done();
}
