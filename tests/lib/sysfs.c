/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Processors as plain files; see sysfs.h. */
#include "sysfs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define CPU_DIR "/sys/devices/system/cpu/"
#define TURNS   4

static void fail(const char *what, const char *path)
{
    fprintf(stderr, "Bail out! sysfs: %s %s: %s\n", what, path, strerror(errno));
    exit(99);
}

const char *sysfs_path(const struct sysfs *s, const char *relative)
{
    static char paths[TURNS][512];
    static unsigned turn;
    char *out = paths[turn++ % TURNS];

    if (relative && relative[0] != '/')
        snprintf(out, sizeof(paths[0]), "%s" CPU_DIR "%s", s->root, relative);
    else
        snprintf(out, sizeof(paths[0]), "%s%s", s->root, relative ? relative : "");
    return out;
}

static void make_parents(const char *path)
{
    char part[512];

    for (const char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        snprintf(part, sizeof(part), "%.*s", (int)(slash - path), path);
        if (mkdir(part, 0755) < 0 && errno != EEXIST)
            fail("mkdir", part);
    }
}

static void put(const char *path, const void *bytes, size_t len)
{
    make_parents(path);
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    if (fd < 0 || write(fd, bytes, len) != (ssize_t)len)
        fail("write", path);
    close(fd);
}

void sysfs_write(const struct sysfs *s, const char *relative, const char *text)
{
    put(sysfs_path(s, relative), text, strlen(text));
}

const char *sysfs_read(const struct sysfs *s, const char *relative)
{
    static char texts[TURNS][256];
    static unsigned turn;
    char *out = texts[turn++ % TURNS];
    int fd = open(sysfs_path(s, relative), O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? 0 : read(fd, out, sizeof(texts[0]) - 1);

    out[n > 0 ? n : 0] = '\0';
    out[strcspn(out, "\n")] = '\0';
    if (fd >= 0)
        close(fd);
    return out;
}

void sysfs_set_limit(const struct sysfs *s, int limit_us)
{
    const int32_t value = limit_us;

    put(sysfs_path(s, "/dev/cpu_dma_latency"), &value, sizeof(value));
}

int sysfs_limit(const struct sysfs *s)
{
    int fd = open(sysfs_path(s, "/dev/cpu_dma_latency"), O_RDONLY | O_CLOEXEC);
    int32_t value = -1;

    if (fd >= 0 && read(fd, &value, sizeof(value)) != (ssize_t)sizeof(value))
        value = -1;
    if (fd >= 0)
        close(fd);
    return value;
}

pid_t sysfs_keeper(const struct sysfs *s)
{
    const char *lock = sysfs_path(s, "/run/speedtest-hd/knobs.lock");
    DIR *d = opendir("/proc");
    struct dirent *entry;
    pid_t found = 0;

    while (d && !found && (entry = readdir(d))) {
        char path[320], to[512];
        snprintf(path, sizeof(path), "/proc/%s/fd/5", entry->d_name); /* see keeper.c */
        ssize_t n = readlink(path, to, sizeof(to) - 1);
        to[n > 0 ? n : 0] = '\0';
        if (strcmp(to, lock) != 0)
            continue;
        snprintf(path, sizeof(path), "/proc/%s/comm", entry->d_name);
        int fd = open(path, O_RDONLY | O_CLOEXEC);
        n = fd < 0 ? 0 : read(fd, to, sizeof(to) - 1);
        to[n > 0 ? n : 0] = '\0';
        if (fd >= 0)
            close(fd);
        if (strcmp(to, "sthd-keeper\n") == 0)
            found = (pid_t)strtol(entry->d_name, NULL, 10);
    }
    if (d)
        closedir(d);
    return found;
}

static void make_policy(const struct sysfs *s, const struct sysfs_spec *spec, unsigned first)
{
    bool last = first + spec->cpus_per_policy >= spec->cpus;
    char dir[64], path[128], text[256];
    size_t len = 0;
    struct {
        const char *file, *text;
    } files[] = {
        {"scaling_driver", spec->driver},
        {"scaling_available_governors", spec->governors},
        {"scaling_governor", last && spec->other_governor ? spec->other_governor : spec->governor},
        {"scaling_cur_freq", "1210000"},
        {"scaling_min_freq", "1200000"},
        {"scaling_max_freq", "3300000"},
        {"energy_performance_preference", spec->epp},
        {"energy_performance_available_preferences",
         spec->epp ? "default performance balance_performance balance_power power " : NULL},
    };

    snprintf(dir, sizeof(dir), "cpufreq/policy%u", first);
    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
        if (!files[i].text)
            continue;
        snprintf(path, sizeof(path), "%s/%s", dir, files[i].file);
        snprintf(text, sizeof(text), "%s\n", files[i].text);
        sysfs_write(s, path, text);
    }
    for (unsigned cpu = first; cpu < first + spec->cpus_per_policy && cpu < spec->cpus; cpu++)
        len += (size_t)snprintf(text + len, sizeof(text) - len, "%s%u", len ? " " : "", cpu);
    snprintf(text + len, sizeof(text) - len, "\n");
    snprintf(path, sizeof(path), "%s/affected_cpus", dir);
    sysfs_write(s, path, text);
}

static void make_idle(const struct sysfs *s, const struct sysfs_spec *spec)
{
    static const char *const latencies[] = {"0\n", "2\n", "10\n", "133\n"};
    char path[128], text[64];

    for (unsigned cpu = 0; cpu < spec->cpus; cpu++)
        for (unsigned i = 0; spec->idle && spec->idle[i]; i++) {
            snprintf(path, sizeof(path), "cpu%u/cpuidle/state%u/name", cpu, i);
            snprintf(text, sizeof(text), "%s\n", spec->idle[i]);
            sysfs_write(s, path, text);
            snprintf(path, sizeof(path), "cpu%u/cpuidle/state%u/latency", cpu, i);
            sysfs_write(s, path, latencies[i < 4 ? i : 3]);
            snprintf(path, sizeof(path), "cpu%u/cpuidle/state%u/time", cpu, i);
            sysfs_write(s, path, "0\n");
        }
}

void sysfs_make(struct sysfs *s, const struct sysfs_spec *spec)
{
    char text[64];

    snprintf(s->root, sizeof(s->root), "/tmp/sthd-sysfs-XXXXXX");
    if (!mkdtemp(s->root))
        fail("mkdtemp", s->root);
    if (spec->cpus > 1)
        snprintf(text, sizeof(text), "0-%u\n", spec->cpus - 1);
    else
        snprintf(text, sizeof(text), "0\n");
    sysfs_write(s, "online", text);
    sysfs_write(s, "/proc/sys/kernel/random/boot_id", "11111111-2222-3333-4444-555555555555\n");
    sysfs_write(s, "cpufreq/.keep", "");
    for (unsigned cpu = 0; spec->cpus_per_policy && cpu < spec->cpus; cpu += spec->cpus_per_policy)
        make_policy(s, spec, cpu);
    make_idle(s, spec);
    snprintf(text, sizeof(text), "%s\n", spec->boost ? spec->boost : "");
    if (spec->boost)
        sysfs_write(s, "cpufreq/boost", text);
    snprintf(text, sizeof(text), "%s\n", spec->no_turbo ? spec->no_turbo : "");
    if (spec->no_turbo)
        sysfs_write(s, "intel_pstate/no_turbo", text);
    sysfs_set_limit(s, 2000000000);
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *at)
{
    (void)st;
    (void)type;
    (void)at;
    return remove(path);
}

void sysfs_remove(const struct sysfs *s)
{
    nftw(s->root, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}
