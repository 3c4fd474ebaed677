/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A NAS with a mirrored log, in the words of three versions of OpenZFS: the real program with the
 * real fio in a tree that stands in for /proc and /sys, with zfs and zpool that answer from
 * recordings, and kstats that move while it runs.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "e2e.h"
#include "sthd/err.h"
#include "sthd/mem.h"
#include "tap.h"
#include "tree.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define RUN_MS   120000

static char *flat(const char *text)
{
    char *out = mem_alloc(strlen(text) + 1), *to = out;

    for (; *text; text++) {
        char c = *text == '\n' ? ' ' : *text;
        if (c != ' ' || to == out || to[-1] != ' ')
            *to++ = c;
    }
    *to = '\0';
    return out;
}

/* A program that answers from a recording, or as $FAKE says. What it is asked goes to a log. */
static void add_program(const char *root, const char *name, const char *script)
{
    char *path = mem_printf("/bin/%s", name), *full = mem_printf("%s%s", root, path);

    tree_write(root, path, script);
    chmod(full, 0755);
    free(path);
    free(full);
}

static void add_programs(const char *root, const char *status_text)
{
    const char *fixtures = getenv("STHD_FIXTURES");
    char *zpool =
        mem_printf("#!/bin/sh\n"
                   "echo \"zpool $*\" >>'%s/asked'\n"
                   "case \"$*\" in\n"
                   "'status -jP --json-int tank') exec cat '%s/zfs/status-2.3.json' ;;\n"
                   "'status -LP tank') exec cat '%s/zfs/%s' ;;\n"
                   "'iostat -yv tank 1')\n"
                   "    echo $$ >'%s/iostat'\n"
                   "    for i in 1 2 3 4 5 6 7 8 9; do echo \"tank row $i\"; sleep 0.2; done\n"
                   "    exec sleep 1000 ;;\n"
                   "esac\nexit 2\n",
                   root, fixtures, fixtures, status_text, root);
    char *zfs = mem_printf("#!/bin/sh\n"
                           "echo \"zfs $*\" >>'%s/asked'\n"
                           "case \"$*\" in\n"
                           "'get -Hp -o property,value direct tank/bench')\n"
                           "    printf 'direct\\tstandard\\n' ;;\n"
                           "'get -Hp -o property,value sync,'*' tank/bench')\n"
                           "    exec cat '%s/zfs/get-2.1.txt' ;;\n"
                           "*) exit 2 ;;\nesac\n",
                           root, fixtures);

    add_program(root, "zpool", zpool);
    add_program(root, "zfs", zfs);
    free(zpool);
    free(zfs);
}

/* The intent log after n commits, all of them on the log devices; where the version keeps it. */
static void write_zil(const char *root, const char *file, unsigned n)
{
    char *text = mem_printf("23 1 0x01 17 4624 5541193451 87741234567890\n"
                            "name                            type data\n"
                            "dataset_name                    7    tank/bench\n"
                            "zil_commit_count                4    %u\n"
                            "zil_itx_count                   4    %u\n"
                            "zil_itx_indirect_count          4    0\n"
                            "zil_itx_metaslab_normal_count   4    0\n"
                            "zil_itx_metaslab_normal_bytes   4    0\n"
                            "zil_itx_metaslab_slog_count     4    %u\n"
                            "zil_itx_metaslab_slog_bytes     4    %u\n",
                            n, n, n, n * 4096);
    char *part = mem_printf("%s.part", file), *from = mem_printf("%s%s", root, part),
         *to = mem_printf("%s%s", root, file);

    tree_write(root, part, text);
    if (rename(from, to) < 0)
        tap_note("cannot rename %s", from);
    free(text);
    free(part);
    free(from);
    free(to);
}

static char *read_asked(const char *root)
{
    char *path = mem_printf("%s/asked", root), line[512];
    FILE *f = fopen(path, "r");
    struct buf b = BUF_INIT;

    free(path);
    buf_adds(&b, "");
    while (f && fgets(line, sizeof(line), f))
        buf_adds(&b, line);
    if (f)
        fclose(f);
    return buf_steal(&b);
}

#define ZIL_ALL "/proc/spl/kstat/zfs/zil"
#define ZIL_OWN "/proc/spl/kstat/zfs/tank/objset-0x54"

static const struct {
    const char *tree, *kstat, *status;
    bool json, direct;
} machines[] = {
    {"nas-2.1", ZIL_ALL, "status-2.1.txt", false, false},
    {"nas-2.2", ZIL_OWN, "status-2.1.txt", false, false},
    {"nas-2.3", ZIL_OWN, "status-2.2.txt", true, true}, /* the text would be another pool */
};

static void test_machine(size_t i)
{
    const char *name = machines[i].tree;
    char *root = tree_unpack(name);
    const char *env[] = {e2e_text("STHD_SYSROOT=%s", root),
                         e2e_text("PATH=%s/bin:%s", root, getenv("PATH")), NULL};
    unsigned n = 1000;

    add_programs(root, machines[i].status);
    struct plain *p =
        plain_start(&(struct plain_spec){.env = env},
                    (const char *[]){e2e_program(), "--text", "--yes", "--slog", "--runtime", "1",
                                     "--size", "16m", "/mnt/tank/bench", NULL});
    for (int k = 0; k < RUN_MS / 50 && !plain_wait_exit(p, 50); k++)
        write_zil(root, machines[i].kstat, n += 100);
    char *text = flat(plain_out(p)), *asked = read_asked(root);
    if (!tap_int(plain_exit_code(p), EXIT_CODE_OK, "%s: exit code", name))
        tap_note("stdout: %s stderr: %s", plain_out(p), plain_err(p));
    tap_ok(strstr(text, "Stack zfs tank/bench on pool tank: mirror-0 (sda2, sdb2), mirror-1 (sdc2, "
                        "sdd2); log mirror-2 (nvme0n1p1, nvme1n1p1)"),
           "%s: the pool and its log under the target", name);
    tap_ok(strstr(text, "Measured: device (every write waits for the intent log"),
           "%s: what commits are of", name);
    tap_ok(strstr(text, "Intent log: ") && strstr(text, "and log devices took 100 % of the log"),
           "%s: the kstats prove that the log devices were used", name);
    tap_int(strstr(asked, "--json-int") != NULL, machines[i].json, "%s: asked in JSON", name);
    tap_int(strstr(asked, "status -LP") != NULL, !machines[i].json, "%s: asked in text", name);
    tap_int(strstr(asked, "value direct ") != NULL, machines[i].direct,
            "%s: direct is asked where it is known, on its own", name);
    tap_ok(strstr(asked, "tank/bench"), "%s: the dataset's properties", name);
    if (!strstr(text, "Intent log: ") || !strstr(text, "log mirror-2"))
        tap_note("%s", text);
    free(text);
    free(asked);
    plain_free(p);
    tree_drop(root);
}

/* zpool that never answers, as on a suspended pool, and one that is not there. */
static void test_silence(bool there)
{
    char *root = tree_unpack("nas-2.2");
    const char *env[] = {e2e_text("STHD_SYSROOT=%s", root),
                         e2e_text("PATH=%s/bin:%s", root, getenv("PATH")), NULL};

    if (there) {
        add_program(root, "zpool", "#!/bin/sh\nexec sleep 1000\n");
        add_program(root, "zfs", "#!/bin/sh\nexec sleep 1000\n");
    }
    struct plain *p =
        plain_run(&(struct plain_spec){.env = env},
                  (const char *[]){e2e_program(), "--text", "--yes", "--only", "write", "--runtime",
                                   "1", "--size", "16m", "/mnt/tank/bench", NULL},
                  RUN_MS);
    char *text = flat(plain_out(p));
    const char *what = there ? "a pool that does not answer" : "no zpool";
    tap_int(plain_exit_code(p), EXIT_CODE_OK, "%s: measured all the same", what);
    bool said = strstr(text, there ? "pool tank: zpool status did not tell its devices"
                                   : "pool tank: there is no zpool in PATH");
    if (!tap_ok(said, "%s: said", what))
        tap_note("%s %s", text, plain_err(p));
    free(text);
    plain_free(p);
    tree_drop(root);
}

/* ---- zpool iostat, on the screen ---- */

static long pid_in(const char *root)
{
    char *path = mem_printf("%s/iostat", root);
    FILE *f = fopen(path, "r");
    long pid = 0;

    if (f && fscanf(f, "%ld", &pid) != 1)
        pid = 0;
    if (f)
        fclose(f);
    free(path);
    return pid;
}

static bool is_gone(struct vt *v, void *arg)
{
    const long *pid = arg;

    (void)v;
    return kill((pid_t)*pid, 0) < 0;
}

static void test_iostat(void)
{
    char *root = tree_unpack("nas-2.3");
    const char *env[] = {e2e_text("STHD_SYSROOT=%s", root),
                         e2e_text("PATH=%s/bin:%s", root, getenv("PATH")), NULL};
    struct vt_spec spec = {.rows = 40, .cols = 160, .env = env};
    int status;

    add_programs(root, "status-2.2.txt");
    struct vt *v = vt_start(&spec, (const char *[]){e2e_program(), "--slog", "--runtime", "60",
                                                    "--size", "16m", "/mnt/tank/bench", NULL});
    tap_ok(vt_wait_text(v, "on pool tank", RUN_MS), "the pool is found");
    e2e_press_start(v);
    tap_ok(vt_wait_text(v, "step 2 of", RUN_MS), "the first test begins");
    tap_ok(pid_in(root) == 0, "zpool iostat is not started before it is looked at");
    vt_keys(v, "z");
    tap_ok(vt_wait_text(v, "tank row 4", RUN_MS), "z: what zpool iostat says, line by line");
    tap_ok(vt_shows(v, "zpool iostat -yv tank 1"), "and how it was asked");
    vt_keys(v, "r");
    tap_ok(vt_wait_gone(v, "tank row 4", RUN_MS) && vt_shows(v, "fio's output, following"),
           "r: fio's output in its place");
    vt_keys(v, "z");
    tap_ok(vt_wait_text(v, "tank row 9", RUN_MS), "z: and back, the same one went on");
    vt_keys(v, "z");
    tap_ok(vt_wait_gone(v, "tank row 9", RUN_MS), "z again closes it");
    long pid = pid_in(root);
    tap_ok(pid > 0, "there was one");
    e2e_press_quit(v);
    tap_ok(vt_wait_exit(v, &status, RUN_MS), "q and y leave");
    tap_ok(vt_wait(v, is_gone, &pid, RUN_MS), "and it has gone, too");
    vt_free(v);
    tree_drop(root);
}

int main(void)
{
    e2e_begin();
    if (!e2e_have_fio()) {
        tap_skip("no fio", "a NAS");
        return e2e_done();
    }
    for (size_t i = 0; i < COUNT(machines); i++)
        test_machine(i);
    test_iostat();
    test_silence(true);
    if (system("command -v zpool >/dev/null 2>&1") == 0)
        tap_skip("there is a zpool here", "no zpool");
    else
        test_silence(false);
    return e2e_done();
}
