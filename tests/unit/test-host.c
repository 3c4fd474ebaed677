/* SPDX-License-Identifier: GPL-3.0-or-later */
/* host: mountinfo, targets, machines; whole machines replay from tests/fixtures/host */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "host/mountinfo.h"
#include "host/peek.h"
#include "sthd/buf.h"
#include "sthd/host.h"
#include "sthd/mem.h"
#include "sthd/units.h"
#include "tap.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static char *tree(const char *name)
{
    const char *fixtures = getenv("STHD_FIXTURES");

    return mem_printf("%s/host/%s", fixtures ? fixtures : "tests/fixtures", name);
}

/* ---- mountinfo ---- */

static void test_line(void)
{
    static const struct {
        const char *line;
        const char *want; /* id parent major:minor root|point|options|fstype|source|super */
    } rows[] = {
        {"36 35 98:0 /mnt1 /mnt2 rw,noatime master:1 - ext3 /dev/root rw,errors=continue",
         "36 35 98:0 /mnt1|/mnt2|rw,noatime|ext3|/dev/root|rw,errors=continue"},
        {"91 30 0:52 / /t rw - zfs tank rw,xattr", "91 30 0:52 /|/t|rw|zfs|tank|rw,xattr"},
        {"1 2 3:4 / /a rw shared:1 master:2 propagate_from:3 unbindable - ext4 /dev/a rw",
         "1 2 3:4 /|/a|rw|ext4|/dev/a|rw"},
        {"1 2 3:4 /x\\040y /a\\011b\\012c\\134d\\043e rw - fuse.s\\040t a\\040b rw",
         "1 2 3:4 /x y|/a\tb\nc\\d#e|rw|fuse.s t|a b|rw"},
        {"1 2 3:4 / /a\\000b\\08\\4\\ rw - x y z", "1 2 3:4 /|/a\\000b\\08\\4\\|rw|x|y|z"},
        {"1 2 3:4 / /a\\777 rw - x y z", "1 2 3:4 /|/a\\777|rw|x|y|z"},
        {"1 2 3:4 / /a rw - tmpfs  rw,size=4k",
         "1 2 3:4 /|/a|rw|tmpfs||rw,size=4k"}, /* no source */
        {"1 2 3:4 / /a rw - x y", "1 2 3:4 /|/a|rw|x|y|"},
        {"1 2 3:4 / /a rw - x y a b", "1 2 3:4 /|/a|rw|x|y|a b"},
        {"1 2 3:4 / /a-b rw - - - -", "1 2 3:4 /|/a-b|rw|-|-|-"},
        {"1 2 0:4294967295 / / rw - x y z", "1 2 0:4294967295 /|/|rw|x|y|z"},
        {"", NULL},
        {"1", NULL},
        {"1 2 3:4 / /a rw", NULL},
        {"1 2 3:4 / /a rw -", NULL},
        {"1 2 3:4 / /a rw - x", NULL},
        {"1 2 3:4 / a rw - x y z", NULL}, /* no path */
        {"1 2 3:4 /  rw - x y z", NULL},
        {"x 2 3:4 / /a rw - x y z", NULL},
        {"-1 2 3:4 / /a rw - x y z", NULL},
        {"1 2 3 / /a rw - x y z", NULL},
        {"1 2 3:4: / /a rw - x y z", NULL},
        {"1 2 4294967296:4 / /a rw - x y z", NULL},
        {"1 2 3:4 / /a rw -  y z", NULL},
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        struct mountinfo m;
        char *got = NULL;
        mountinfo_parse(&m, rows[i].line);
        if (m.n == 1)
            got =
                mem_printf("%llu %llu %u:%u %s|%s|%s|%s|%s|%s", (unsigned long long)m.items[0].id,
                           (unsigned long long)m.items[0].parent, m.items[0].major,
                           m.items[0].minor, m.items[0].root, m.items[0].point, m.items[0].options,
                           m.items[0].fstype, m.items[0].source, m.items[0].super);
        tap_str(got, rows[i].want, "line %zu", i);
        free(got);
        mountinfo_done(&m);
    }
}

/* Which mounts can be seen, as their ids. */
static void test_hidden(void)
{
    static const struct {
        const char *what, *text, *visible;
    } rows[] = {
        {"plain", "1 0 8:1 / / rw - x y z\n2 1 8:2 / /a rw - x y z\n3 2 8:3 / /a/b rw - x y z\n",
         "1 2 3"},
        {"stacked on one path",
         "1 0 8:1 / / rw - x y z\n2 1 8:2 / /a rw - x y z\n3 2 8:3 / /a rw - x y z\n", "1 3"},
        {"a stack hides what is below its bottom",
         "1 0 8:1 / / rw - x y z\n2 1 8:2 / /a rw - x y z\n3 2 8:3 / /a/b rw - x y z\n"
         "4 2 8:4 / /a rw - x y z\n5 4 8:5 / /a/b rw - x y z\n",
         "1 4 5"},
        {"a directory above was mounted over",
         "1 0 8:1 / / rw - x y z\n2 1 8:2 / /a/b rw - x y z\n3 2 8:3 / /a/b/c rw - x y z\n"
         "4 1 8:4 / /a rw - x y z\n",
         "1 4"},
        {"the order of lines does not matter for that",
         "4 1 8:4 / /a rw - x y z\n3 2 8:3 / /a/b/c rw - x y z\n2 1 8:2 / /a/b rw - x y z\n"
         "1 0 8:1 / / rw - x y z\n",
         "4 1"},
        {"a name that only begins alike",
         "1 0 8:1 / / rw - x y z\n2 1 8:2 / /ab rw - x y z\n3 1 8:3 / /a rw - x y z\n", "1 2 3"},
        {"a new root over the old one",
         "1 1 0:1 / / rw - rootfs rootfs rw\n2 1 8:1 / / rw - x y z\n3 2 8:2 / /a rw - x y z\n"
         "4 1 8:3 / /old rw - x y z\n",
         "2 3"},
        {"two on one path whose parents are not listed: the later",
         "7 90 8:1 / /a rw - x y z\n8 91 8:2 / /a rw - x y z\n", "8"},
        {"parents in a circle",
         "1 2 8:1 / /a rw - x y z\n2 3 8:2 / /b rw - x y z\n3 1 8:3 / /c rw - x y z\n", "1 2 3"},
        {"its own parent", "1 1 8:1 / /a rw - x y z\n", "1"},
        {"one id twice", "1 0 8:1 / /a rw - x y z\n1 0 8:1 / /b rw - x y z\n", "1 1"},
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        struct mountinfo m;
        struct buf ids = BUF_INIT;
        mountinfo_parse(&m, rows[i].text);
        for (size_t j = 0; j < m.n; j++)
            if (!m.items[j].hidden)
                buf_addf(&ids, "%s%llu", ids.len ? " " : "", (unsigned long long)m.items[j].id);
        tap_str(ids.data, rows[i].visible, "visible: %s", rows[i].what);
        buf_done(&ids);
        mountinfo_done(&m);
    }
}

/* A chain as long as no machine has: neither recursion nor squares. */
static void test_many(void)
{
    struct buf text = BUF_INIT;
    struct mountinfo m;
    size_t hidden = 0;
    const unsigned n = 30000;

    for (unsigned i = 1; i <= n; i++)
        buf_addf(&text, "%u %u 8:1 / /same rw - x y z\n", i, i - 1);
    mountinfo_parse(&m, text.data);
    for (size_t i = 0; i < m.n; i++)
        hidden += m.items[i].hidden;
    tap_int((long long)m.n, n, "a stack of %u mounts", n);
    tap_int((long long)hidden, n - 1, "only the last is seen");
    mountinfo_done(&m);
    buf_done(&text);
}

static void test_covering(void)
{
    static const char text[] = "1 0 8:1 / / rw - x y z\n2 1 8:2 / /mnt rw - x y z\n"
                               "3 2 8:3 / /mnt/a rw - x y z\n4 3 8:4 / /mnt/a rw - x y z\n"
                               "5 1 8:5 / /mn rw - x y z\n";
    static const struct {
        const char *path;
        uint64_t id;
    } rows[] = {{"/", 1},       {"/mnt", 2},  {"/mnt/b", 2}, {"/mnt/a", 4}, {"/mnt/a/x/y", 4},
                {"/mnt/ab", 2}, {"/mntx", 1}, {"/mn", 5},    {"/m", 1}};
    struct mountinfo m;

    mountinfo_parse(&m, text);
    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct mount *x = mountinfo_covering(&m, rows[i].path);
        tap_int(x ? (long long)x->id : -1, (long long)rows[i].id, "the mount of %s", rows[i].path);
    }
    tap_ok(mountinfo_by_id(&m, 3) == &m.items[2] && !mountinfo_by_id(&m, 9), "by id");
    mountinfo_done(&m);
}

/* ---- whole machines ---- */

static const char *const kinds[] = {
    [TARGET_DISK] = "disk",  [TARGET_ZFS] = "zfs",         [TARGET_NETWORK] = "network",
    [TARGET_FUSE] = "fuse",  [TARGET_OVERLAY] = "overlay", [TARGET_RAM] = "ram",
    [TARGET_OTHER] = "other"};

static void test_machines(void)
{
    static const struct {
        const char *tree, *list;
    } rows[] = {
        {"vm", "disk:/mnt/b trfs disk:/mnt/bind overlay:/mnt/ov disk:/mnt/sv disk:/ ram:/dev/shm "},
        {"nas", "network:/mnt/nfs network:/mnt/share zfs:/mnt/tank zfs:/mnt/tank/my data "
                "zfs:/mnt/tank/vm zfs:/ disk:/boot/efi zfs:/home zfs:/mnt zfs:/mnt/tank/archive "
                "zfs:/usr zfs:/var/log ram:/dev/shm ram:/run ram:/tmp "},
        {"laptop", "disk:/home fuse:/home/user/remote fuse:/media/usb#disk disk:/ disk:/boot "
                   "disk:/boot/efi ram:/run ram:/run/user/1000 "},
        {"mixed", "disk:/srv/pool disk:/srv/raid disk:/ disk:/srv/raid/old "},
        {"container", "disk:/data overlay:/ ram:/dev ram:/dev/shm "},
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        char *root = tree(rows[i].tree);
        struct buf list = BUF_INIT;
        struct targets t;
        struct err e;
        tap_int(host_mounts(&t, root, &e), 0, "%s: mounts", rows[i].tree);
        for (size_t j = 0; j < t.n; j++)
            buf_addf(&list, "%s:%s ", kinds[t.items[j].kind], t.items[j].path);
        tap_str(list.data, rows[i].list, "%s: data first, system and RAM last", rows[i].tree);
        targets_done(&t);
        buf_done(&list);
        free(root);
    }
}

static void test_machine_lines(void)
{
    static const struct {
        const char *tree, *host, *kernel, *cpu;
        unsigned cpus;
        uint64_t ram_kib;
    } rows[] = {
        {"vm", "vm01", "Linux 6.18.44-1-cloud", "no cpufreq (KVM guest)", 2, 24683620},
        {"nas", "nas01", "Linux 6.12.15-production+nas", "schedutil x8, 1.2-3.3 GHz", 8, 131862456},
        {"laptop", "laptop", "Linux 6.8.0-45-generic", "powersave x4, 0.8-3.7 GHz", 4, 32567896},
        {"mixed", "workstation", "Linux 6.11.2-amd64", "powersave x4, performance x2, 0.4-5.2 GHz",
         6, 65805472},
        /* two policies of two CPUs each */
        {"container", "f3a1c9d20b77", "Linux 5.15.0-119-generic",
         "ondemand x2, performance x2, 1.4-3.4 GHz", 4, 16297656},
        {"nowhere", "", "", "no cpufreq", 0, 0},
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        char *root = tree(rows[i].tree);
        struct machine m = {.fio_version = "fio-3.33"};
        host_machine(&m, root);
        tap_str(m.host, rows[i].host, "%s: host", rows[i].tree);
        tap_str(m.kernel, rows[i].kernel, "%s: kernel", rows[i].tree);
        tap_str(m.cpu_line, rows[i].cpu, "%s: CPU line", rows[i].tree);
        tap_int(m.cpus, rows[i].cpus, "%s: CPUs", rows[i].tree);
        tap_int((long long)m.ram_bytes, (long long)rows[i].ram_kib * 1024, "%s: RAM", rows[i].tree);
        tap_str(m.fio_version, "fio-3.33", "%s: what is not its business stays", rows[i].tree);
        free(root);
    }
}

/* A tree made on the spot: files are path and text in turn. */
static char *make_tree(const char *const *files)
{
    char *root = mem_strdup("/tmp/sthd-host-XXXXXX");

    if (!mkdtemp(root)) {
        printf("Bail out! cannot make %s\n", root);
        exit(99);
    }
    for (; files[0]; files += 2) {
        char *path = mem_printf("%s%s", root, files[0]);
        for (char *slash = strchr(path + strlen(root) + 1, '/'); slash;
             slash = strchr(slash + 1, '/')) {
            *slash = '\0';
            mkdir(path, 0755);
            *slash = '/';
        }
        FILE *f = fopen(path, "w");
        if (!f || fputs(files[1], f) < 0 || fclose(f) != 0) {
            printf("Bail out! cannot write %s\n", path);
            exit(99);
        }
        free(path);
    }
    return root;
}

static void drop_tree(char *root)
{
    char *command = mem_printf("rm -rf '%s'", root);

    if (system(command) != 0)
        tap_note("%s stays behind", root);
    free(command);
    free(root);
}

static void test_hypervisors(void)
{
#define CPUFREQ "/sys/devices/system/cpu/cpufreq/"
#define CLOCK   "/sys/devices/system/clocksource/clocksource0/available_clocksource"
#define PRODUCT "/sys/class/dmi/id/product_name"
#define VENDOR  "/sys/class/dmi/id/sys_vendor"
#define GUEST   "processor\t: 0\nflags\t\t: fpu hypervisor lm\n"
#define METAL   "processor\t: 0\nflags\t\t: fpu lm\nbugs\t\t: no hypervisor\n"
    static const struct {
        const char *files[10];
        const char *line;
    } rows[] = {
        {{CLOCK, "hyperv_clocksource_tsc_page acpi_pm\n", NULL}, "no cpufreq (Hyper-V guest)"},
        {{CLOCK, "xen tsc\n", NULL}, "no cpufreq (Xen guest)"},
        {{"/sys/hypervisor/type", "xen\n", NULL}, "no cpufreq (Xen guest)"},
        {{"/proc/cpuinfo", GUEST, VENDOR, "VMware, Inc.\n", NULL}, "no cpufreq (VMware guest)"},
        {{"/proc/cpuinfo", GUEST, PRODUCT, "VirtualBox\n", VENDOR, "innotek GmbH\n", NULL},
         "no cpufreq (VirtualBox guest)"},
        {{"/proc/cpuinfo", GUEST, VENDOR, "QEMU\n", NULL}, "no cpufreq (QEMU guest)"},
        {{"/proc/cpuinfo", GUEST, NULL}, "no cpufreq (virtual machine guest)"},
        {{"/proc/cpuinfo", "flags\t\t: hypervisor2\n", NULL}, "no cpufreq"},
        /* firmware of a real machine whose maker also makes a hypervisor */
        {{"/proc/cpuinfo", METAL, VENDOR, "Microsoft Corporation\n", NULL}, "no cpufreq"},
        {{CPUFREQ "policy0/affected_cpus", "0 1\n", CPUFREQ "policy0/scaling_governor",
          "user\x1bspace\n", NULL},
         "user\\x1bspace x2"},
        {{CPUFREQ "policy7/affected_cpus", "7\n", NULL}, "unknown x1"},
        {{CPUFREQ "policy7/affected_cpus", "\n", CPUFREQ "policy7/scaling_governor", "x\n", NULL},
         "no cpufreq"},
        {{CPUFREQ "policy0/affected_cpus", "0\n", CPUFREQ "policy0/scaling_governor", "x\n",
          CPUFREQ "policy0/scaling_min_freq", "3400000\n", CPUFREQ "policy0/scaling_max_freq",
          "3400000\n", NULL},
         "x x1, 3.4 GHz"},
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        char *root = make_tree(rows[i].files);
        struct machine m = {.cpus = 0};
        host_machine(&m, root);
        tap_str(m.cpu_line, rows[i].line, "CPU line %zu", i);
        drop_tree(root);
    }
}

/* The target of that path; an empty one, whose every check fails, if it is not listed. */
static const struct target *listed(const struct targets *t, const char *path)
{
    static const struct target none;

    for (size_t i = 0; i < t->n; i++)
        if (strcmp(t->items[i].path, path) == 0)
            return &t->items[i];
    return &none;
}

static void test_target_details(void)
{
    char *root = tree("nas"), *box = tree("container");
    struct targets t;
    struct err e;
    const struct target *x;

    host_mounts(&t, root, &e);
    x = listed(&t, "/mnt/tank/archive");
    tap_ok(x->read_only && !x->writable, "a read-only dataset is not writable");
    tap_str(x->note, "read-only", "and says so");
    tap_str(x->options, "ro,noatime,xattr,nfs4acl,casesensitive",
            "options: the state once, then the mount's and the file system's");
    tap_int(x->dev_minor, 55, "device");
    x = listed(&t, "/mnt/nfs");
    tap_str(x->note, "NFS: the device is not visible here", "NFS says what is missing");
    tap_str(x->source, "192.0.2.10:/export", "its source");
    tap_ok(x->free_bytes == UNITS_ABSENT, "a size nobody told is absent");
    tap_str(listed(&t, "/tmp")->note, "RAM, not a disk", "tmpfs is RAM");
    tap_str(listed(&t, "/mnt/tank/my data")->source, "tank/my data", "a dataset with a blank");
    targets_done(&t);

    host_mounts(&t, box, &e);
    x = listed(&t, "/data");
    tap_ok(x->total_bytes > 0 && x->total_bytes != UNITS_ABSENT && x->free_bytes <= x->total_bytes,
           "what is there has a size");
    targets_done(&t);
    free(root);
    free(box);
}

static void test_parse_errors(void)
{
    struct targets t;
    struct err e;

    tap_int(host_mounts_parse(&t, "nonsense\n", &e), -EINVAL, "text that is not mountinfo");
    targets_done(&t);
    tap_int(host_mounts_parse(&t, "nonsense\n1 0 8:1 / / rw - ext4 /dev/a rw\n", &e), 0,
            "one odd line among good ones");
    tap_int((long long)t.n, 1, "leaves the good ones");
    tap_ok(t.items[0].total_bytes == UNITS_ABSENT, "without sizes");
    targets_done(&t);
    tap_int(host_mounts_parse(&t, "", &e), 0, "no mounts");
    targets_done(&t);
    tap_ok(host_mounts(&t, "/nonexistent", &e) < 0 && strstr(e.text, "/proc"),
           "no /proc is a sentence");
    targets_done(&t);
}

/* ---- one path ---- */

static void test_target(void)
{
    static const struct {
        const char *path;
        int rc;
        const char *resolved, *mount; /* or part of the sentence */
    } rows[] = {
        {"/data", 0, "/data", "/data"},
        {"/data/sub", 0, "/data/sub", "/data"},
        {"/data/../data/./sub/", 0, "/data/sub", "/data"},
        {"/etc", 0, "/etc", "/"},
        {"/", 0, "/", "/"},
        {"/etc/hosts", -ENOTDIR, "/etc/hosts is not a directory", NULL},
        {"/etc/hosts/x", -ENOTDIR, "is not a directory", NULL},
        {"/missing", -ENOENT, "/missing does not exist", NULL},
        {"", -ENOENT, "the empty path does not exist", NULL},
        {"/mis\x1b[2Jsing", -ENOENT, "/mis\\x1b[2Jsing does not exist", NULL},
        {"/../../..", -ENOENT, "does not exist", NULL}, /* out of the tree */
    };
    char *root = tree("container");

    for (size_t i = 0; i < COUNT(rows); i++) {
        struct target t;
        struct err e;
        int rc = host_target(&t, rows[i].path, root, &e);
        tap_int(rc, rows[i].rc, "target row %zu", i);
        if (rc == 0) {
            tap_str(t.path, rows[i].resolved, "target row %zu: resolved", i);
            tap_str(t.mount, rows[i].mount, "target row %zu: its mount", i);
        } else {
            tap_ok(strstr(e.text, rows[i].resolved) && e.exit_code == EXIT_CODE_TARGET,
                   "target row %zu: %s", i, rows[i].resolved);
        }
        target_done(&t);
    }
    free(root);
}

static void test_target_here(void)
{
    struct target t;
    struct err e;
    char here[4096], deep[5000];

    if (!getcwd(here, sizeof(here)))
        here[0] = '\0';
    tap_int(host_target(&t, ".", "", &e), 0, "this directory, on this machine");
    tap_str(t.path, here, "resolved");
    tap_ok(t.mount && mountinfo_is_below(here, t.mount), "is below its mount");
    tap_ok(t.free_bytes != UNITS_ABSENT && t.total_bytes >= t.free_bytes, "and has a size");
    target_done(&t);
    tap_int(host_target(&t, "/dev/null", "", &e), -ENOTDIR, "a device is no directory");
    target_done(&t);
    memset(deep, 'x', sizeof(deep) - 1);
    deep[0] = '/';
    deep[sizeof(deep) - 1] = '\0';
    tap_int(host_target(&t, deep, "", &e), -ENAMETOOLONG, "a name that is too long");
    tap_ok(strstr(e.text, "name another directory") != NULL, "and the sentence ends well");
    target_done(&t);
}

static void test_symlinks(void)
{
    static const char *const files[] = {
        "/proc/self/mountinfo",
        "1 0 8:1 / / rw - ext4 /dev/a rw\n2 1 8:2 / /real rw - xfs /dev/b rw\n"
        "3 1 0:5 / /net rw - nfs4 host:/x rw\n",
        "/real/dir/file", "", NULL};
    char *root = make_tree(files), *link = mem_printf("%s/link", root);
    char *loop = mem_printf("%s/loop", root), *shut = mem_printf("%s/shut", root);
    struct target t;
    struct err e;

    if (symlink("real/dir", link) < 0 || symlink("loop", loop) < 0)
        tap_note("no symbolic links here");
    tap_int(host_target(&t, "/link", root, &e), 0, "a symbolic link (asked in a child)");
    tap_str(t.path, "/real/dir", "is followed");
    tap_str(t.fstype, "xfs", "to its file system");
    target_done(&t);
    tap_int(host_target(&t, "/loop", root, &e), -ELOOP, "a loop of links is a sentence");
    target_done(&t);
    mkdir(shut, 0700);
    if (geteuid() == 0) {
        tap_skip("root may enter everything", "a directory that is closed");
    } else {
        chmod(shut, 0);
        tap_int(host_target(&t, "/shut/x", root, &e), -EACCES, "a directory that is closed");
        target_done(&t);
        chmod(shut, 0700);
    }
    free(link);
    free(loop);
    free(shut);
    drop_tree(root);
}

/* ---- what never answers ---- */

static void say_and_sleep(int fd, void *arg)
{
    pid_t self = getpid();

    (void)arg;
    peek_write(fd, &self, sizeof(self));
    for (;;)
        pause();
}

static void say_nothing(int fd, void *arg)
{
    (void)fd;
    (void)arg;
}

static void list_descriptors(int fd, void *arg)
{
    char open_ones[64] = {0};

    (void)arg;
    for (int i = 0; i < 64; i++)
        if (i != fd) {
            int copy = dup(i);
            open_ones[i] = copy >= 0;
            if (copy >= 0)
                close(copy);
        }
    peek_write(fd, open_ones, sizeof(open_ones));
}

static void test_peek(void)
{
    pid_t heard[2] = {0, 0};
    char open_ones[64];

    tap_int((long long)peek(say_and_sleep, NULL, heard, sizeof(heard), 200), sizeof(heard[0]),
            "what came before the deadline is kept");
    tap_ok(heard[0] > 0 && kill(heard[0], 0) < 0 && errno == ESRCH,
           "and the sleeper is dead and reaped");
    tap_int((long long)peek(say_nothing, NULL, heard, sizeof(heard), 5000), 0,
            "nothing to say is no answer");
    tap_int((long long)peek(list_descriptors, NULL, open_ones, sizeof(open_ones), 5000),
            sizeof(open_ones), "the child answers");
    tap_ok(memchr(open_ones, 1, sizeof(open_ones)) == NULL,
           "and holds no descriptor of ours while it looks");
}

/*
 * A real file system that never answers: FUSE with nobody behind it, in a mount namespace of our
 * own so that no other program meets it.
 */
static int mount_silence(const char *dir)
{
    char options[64];
    int fd;

    if (unshare(CLONE_NEWNS) < 0 || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0)
        return -1;
    fd = open("/dev/fuse", O_RDWR | O_CLOEXEC);
    if (fd < 0)
        return -1;
    snprintf(options, sizeof(options), "fd=%d,rootmode=40000,user_id=0,group_id=0", fd);
    if (mount("silence", dir, "fuse.silence", MS_NOSUID | MS_NODEV, options) < 0) {
        close(fd);
        return -1;
    }
    return fd;
}

static void test_silence(void)
{
    char dir[] = "/tmp/sthd-silence-XXXXXX";
    struct timespec before, after;
    struct targets t;
    struct target one;
    struct err e;

    if (!mkdtemp(dir)) {
        tap_ok(false, "cannot make %s", dir);
        return;
    }
    int fd = mount_silence(dir);
    if (fd < 0) {
        tap_skip("no right to mount FUSE here", "a file system that never answers");
        rmdir(dir);
        return;
    }
    clock_gettime(CLOCK_MONOTONIC, &before);
    tap_int(host_mounts(&t, "", &e), 0, "the list, with a file system that never answers");
    clock_gettime(CLOCK_MONOTONIC, &after);
    /* the promise is 150 ms; what is told apart here is from for ever */
    tap_ok(after.tv_sec - before.tv_sec < 10, "does not wait for it");
    const struct target *x = listed(&t, dir);
    tap_int(x->kind, TARGET_FUSE, "it is listed");
    tap_ok(!x->writable && x->free_bytes == UNITS_ABSENT && strstr(x->note, "does not answer"),
           "and its note says so: %s", x->note);
    tap_ok(listed(&t, "/")->total_bytes > 0 && listed(&t, "/")->total_bytes != UNITS_ABSENT,
           "the others have their sizes");
    targets_done(&t);
    tap_int(host_target(&one, dir, "", &e), -ETIMEDOUT, "chosen as the target it is refused");
    tap_ok(strstr(e.text, "does not answer") && e.exit_code == EXIT_CODE_TARGET, "with a sentence");
    target_done(&one);
    close(fd); /* ends the connection, and whoever still waits in it */
    umount2(dir, MNT_DETACH);
    rmdir(dir);
}

int main(void)
{
    test_line();
    test_hidden();
    test_many();
    test_covering();
    test_machines();
    test_machine_lines();
    test_hypervisors();
    test_target_details();
    test_parse_errors();
    test_target();
    test_target_here();
    test_symlinks();
    test_peek();
    test_silence(); /* last: leaves us in a mount namespace of our own */
    return tap_done();
}
