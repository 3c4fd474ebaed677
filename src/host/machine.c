/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What this machine is, in one line each; see host.h. Reads nothing that can make it wait:
 * scaling_cur_freq, and /proc/cpuinfo of a machine with cpufreq, ask every CPU by interrupt on some
 * kernels (4.13 to 5.17: 10-20 ms per CPU).
 */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "machine.h"
#include "sthd/cpu.h"
#include "sthd/host.h"
#include "sthd/mem.h"
#include "sthd/text.h"
#include "sysroot.h"

#define COUNT(a)    (sizeof(a) / sizeof((a)[0]))
#define CPU_DIR     "/sys/devices/system/cpu"
#define POLICY_TEXT 32

static void find_name(struct machine *m, const char *sysroot)
{
    char type[24], release[65];
    struct utsname u;

    sysroot_line(m->host, sizeof(m->host), sysroot, "/proc/sys/kernel/hostname");
    sysroot_line(type, sizeof(type), sysroot, "/proc/sys/kernel/ostype");
    sysroot_line(release, sizeof(release), sysroot, "/proc/sys/kernel/osrelease");
    if (!*sysroot && !*release && uname(&u) == 0) { /* no /proc, or one that is closed to us */
        snprintf(m->host, sizeof(m->host), "%.64s", u.nodename);
        snprintf(type, sizeof(type), "%.23s", u.sysname);
        snprintf(release, sizeof(release), "%.64s", u.release);
    }
    snprintf(m->kernel, sizeof(m->kernel), "%s%s%s", type, *type && *release ? " " : "", release);
}

static void find_cpus(struct machine *m, const char *sysroot)
{
    char list[256];

    m->cpus = (unsigned)cpu_list_parse(sysroot_line(list, sizeof(list), sysroot, CPU_DIR "/online"),
                                       NULL, 0);
    if (m->cpus == 0 && !*sysroot) {
        long n = sysconf(_SC_NPROCESSORS_ONLN);
        m->cpus = n > 0 ? (unsigned)n : 0;
    }
}

static void find_ram(struct machine *m, const char *sysroot)
{
    struct buf b = BUF_INIT;
    unsigned long long kib;

    m->ram_bytes = 0;
    if (sysroot_read(&b, sysroot, "/proc/meminfo") == 0) {
        const char *line = strstr(b.data, "MemTotal:");
        if (line && sscanf(line, "MemTotal: %llu kB", &kib) == 1)
            m->ram_bytes = (uint64_t)kib * 1024;
    }
    buf_done(&b);
}

/* ---- the line on the CPU's clock ---- */

struct clocks {
    struct cpu_count governors[CPU_COUNTS];
    size_t n;
    unsigned long min_khz, max_khz; /* 0: unknown */
};

static unsigned long read_khz(const char *sysroot, const char *policy, const char *file)
{
    char path[128], text[32];

    snprintf(path, sizeof(path), CPU_DIR "/cpufreq/%s/%s", policy, file);
    return strtoul(sysroot_line(text, sizeof(text), sysroot, path), NULL, 10);
}

/* One policy: the CPUs that share a clock. Their numbers are sparse. */
static void add_policy(struct clocks *c, const char *sysroot, const char *policy)
{
    char path[128], governor[CPU_WORD], list[256];
    unsigned cpus;

    snprintf(path, sizeof(path), CPU_DIR "/cpufreq/%s/affected_cpus", policy);
    cpus = (unsigned)cpu_list_parse(sysroot_line(list, sizeof(list), sysroot, path), NULL, 0);
    if (cpus == 0)
        return; /* all its CPUs are offline */
    snprintf(path, sizeof(path), CPU_DIR "/cpufreq/%s/scaling_governor", policy);
    sysroot_line(governor, sizeof(governor), sysroot, path);
    cpu_count_add(c->governors, &c->n, *governor ? governor : "unknown", cpus);

    unsigned long min = read_khz(sysroot, policy, "scaling_min_freq");
    unsigned long max = read_khz(sysroot, policy, "scaling_max_freq");
    if (min && (!c->min_khz || min < c->min_khz))
        c->min_khz = min;
    if (max > c->max_khz)
        c->max_khz = max;
}

static bool is_policy(const char *name)
{
    return text_starts(name, "policy") && isdigit((unsigned char)name[6]) &&
           strlen(name) < POLICY_TEXT;
}

static void read_policies(struct clocks *c, const char *sysroot)
{
    char *path = mem_printf("%s" CPU_DIR "/cpufreq", sysroot);
    DIR *d = opendir(path);
    struct dirent *entry;

    free(path);
    if (!d)
        return;
    while ((entry = readdir(d))) {
        char name[POLICY_TEXT];
        if (is_policy(entry->d_name)) {
            snprintf(name, sizeof(name), "%.*s", POLICY_TEXT - 1, entry->d_name);
            add_policy(c, sysroot, name);
        }
    }
    closedir(d);
}

static void describe_clocks(struct buf *out, struct clocks *c)
{
    cpu_counts_sort(c->governors, c->n);
    cpu_counts_text(out, c->governors, c->n);
    if (!c->max_khz)
        return;
    if (c->min_khz && (c->min_khz + 50000) / 100000 != (c->max_khz + 50000) / 100000)
        buf_addf(out, ", %.1f-%.1f GHz", (double)c->min_khz / 1e6, (double)c->max_khz / 1e6);
    else
        buf_addf(out, ", %.1f GHz", (double)c->max_khz / 1e6);
}

/* ---- no cpufreq: whose guest are we? ---- */

struct trait {
    const char *part; /* of a text */
    const char *name;
};

static const char *match(const char *text, const struct trait *traits, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (strstr(text, traits[i].part))
            return traits[i].name;
    return NULL;
}

/* Only a guest has such a clock; this needs neither x86 nor firmware tables. */
static const char *by_clocksource(const char *sysroot)
{
    static const struct trait traits[] = {
        {"kvm-clock", "KVM"}, {"hyperv", "Hyper-V"}, {"xen", "Xen"}};
    char text[256];

    sysroot_line(text, sizeof(text), sysroot,
                 "/sys/devices/system/clocksource/clocksource0/available_clocksource");
    return match(text, traits, COUNT(traits));
}

static const char *by_firmware(const char *sysroot)
{
    static const struct trait traits[] = {
        {"VMware", "VMware"},
        {"VirtualBox", "VirtualBox"},
        {"innotek", "VirtualBox"},
        {"Parallels", "Parallels"},
        {"Microsoft", "Hyper-V"},
        {"Xen", "Xen"},
        {"KVM", "KVM"},
        {"Amazon EC2", "KVM"},
        {"Google", "KVM"},
        {"QEMU", "QEMU"},
        {"Bochs", "Bochs"},
        {"Apple", "Apple"},
    };
    char product[128], vendor[128], text[260];

    sysroot_line(product, sizeof(product), sysroot, "/sys/class/dmi/id/product_name");
    sysroot_line(vendor, sizeof(vendor), sysroot, "/sys/class/dmi/id/sys_vendor");
    snprintf(text, sizeof(text), "%s %s", product, vendor);
    return match(text, traits, COUNT(traits));
}

/* Whether the CPU says that a hypervisor is below it (x86). */
static bool is_guest(const char *sysroot)
{
    struct buf b = BUF_INIT;
    bool guest = false;

    if (sysroot_read(&b, sysroot, "/proc/cpuinfo") == 0) {
        const char *flags = strstr(b.data, "\nflags");
        const char *end = flags ? strchrnul(flags + 1, '\n') : NULL;
        const char *word = flags ? strstr(flags, " hypervisor") : NULL;
        guest = word && word < end && (word[11] == ' ' || word[11] == '\n' || word[11] == '\0');
    }
    buf_done(&b);
    return guest;
}

static const char *hypervisor(const char *sysroot)
{
    char type[32];
    const char *name = by_clocksource(sysroot);

    if (name)
        return name;
    if (strcmp(sysroot_line(type, sizeof(type), sysroot, "/sys/hypervisor/type"), "xen") == 0)
        return "Xen";
    if (!is_guest(sysroot))
        return NULL;
    name = by_firmware(sysroot);
    return name ? name : "virtual machine";
}

void machine_absence(struct buf *out, const char *sysroot)
{
    const char *name = hypervisor(sysroot);

    buf_adds(out, "no cpufreq");
    if (name)
        buf_addf(out, " (%s guest)", name);
}

static void find_cpu_line(struct machine *m, const char *sysroot)
{
    struct clocks c = {.n = 0};
    struct buf raw = BUF_INIT, line = BUF_INIT;

    read_policies(&c, sysroot);
    if (c.n)
        describe_clocks(&raw, &c);
    else
        machine_absence(&raw, sysroot);
    text_printable(&line, raw.data, raw.len, true);
    snprintf(m->cpu_line, sizeof(m->cpu_line), "%s", line.data);
    buf_done(&raw);
    buf_done(&line);
}

void host_machine(struct machine *m, const char *sysroot)
{
    find_name(m, sysroot);
    find_cpus(m, sysroot);
    find_ram(m, sysroot);
    find_cpu_line(m, sysroot);
}
