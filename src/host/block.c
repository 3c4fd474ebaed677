/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Block devices in sysfs; see block.h. Must not know what is on them. */
#include "block.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sthd/text.h"
#include "sthd/units.h"
#include "sysroot.h"

#define LINK_MAX_BYTES 1024

char *block_path(char out[BLOCK_PATH], const char *name, const char *file)
{
    snprintf(out, BLOCK_PATH, "/sys/class/block/%.80s%s%.80s", name, *file ? "/" : "", file);
    return out;
}

bool block_has(const char *sysroot, const char *name, const char *file)
{
    char path[BLOCK_PATH];

    return *name && sysroot_has(sysroot, block_path(path, name, file));
}

bool block_has_slaves(const char *sysroot, const char *name)
{
    char path[BLOCK_PATH];
    struct strv slaves;

    sysroot_list(&slaves, sysroot, block_path(path, name, "slaves"));
    bool any = slaves.n > 0;
    strv_done(&slaves);
    return any;
}

char *block_line(char *out, size_t size, const char *sysroot, const char *name, const char *file)
{
    char path[BLOCK_PATH];

    return sysroot_line(out, size, sysroot, block_path(path, name, file));
}

/* The last part of a path; a name with a slash has a '!' for it in sysfs. */
static bool take_name(char *out, size_t size, const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;

    if (!*name || strlen(name) >= size)
        return false;
    memcpy(out, name, strlen(name) + 1);
    return true;
}

bool block_of_number(char *out, size_t size, const char *sysroot, unsigned major, unsigned minor)
{
    char path[64], link[LINK_MAX_BYTES];

    snprintf(path, sizeof(path), "/sys/dev/block/%u:%u", major, minor);
    return take_name(out, size, sysroot_link(link, sizeof(link), sysroot, path)) &&
           block_has(sysroot, out, "");
}

/* /dev/mapper has links only where udev made them; the kernel knows the names itself. */
static bool find_mapped(char *out, size_t size, const char *sysroot, const char *mapped)
{
    struct strv all;
    bool found = false;

    sysroot_list(&all, sysroot, "/sys/class/block");
    for (size_t i = 0; i < all.n && !found; i++) {
        char name[128];
        if (!text_starts(all.items[i], "dm-"))
            continue;
        block_line(name, sizeof(name), sysroot, all.items[i], "dm/name");
        found = strcmp(name, mapped) == 0 && take_name(out, size, all.items[i]);
    }
    strv_done(&all);
    return found;
}

bool block_of_source(char *out, size_t size, const char *sysroot, const char *source)
{
    char link[LINK_MAX_BYTES];

    if (!text_starts(source, "/dev/"))
        return false;
    if (text_starts(source, "/dev/mapper/") &&
        find_mapped(out, size, sysroot, source + strlen("/dev/mapper/")))
        return true;
    sysroot_link(link, sizeof(link), sysroot, source);
    return take_name(out, size, *link ? link : source) && block_has(sysroot, out, "");
}

bool block_disk_of(char *out, size_t size, const char *sysroot, const char *name)
{
    char path[BLOCK_PATH], link[LINK_MAX_BYTES];

    if (!block_has(sysroot, name, "partition"))
        return false;
    sysroot_link(link, sizeof(link), sysroot, block_path(path, name, ""));
    char *slash = strrchr(link, '/');
    if (!slash)
        return false;
    *slash = '\0';
    return take_name(out, size, link);
}

/* ---- a disk ---- */

static int read_flag(const char *sysroot, const char *disk, const char *file)
{
    char text[8];

    block_line(text, sizeof(text), sysroot, disk, file);
    return text[0] == '0' ? 0 : text[0] == '1' ? 1 : -1;
}

/* Bytes; 0: not known. */
static uint64_t read_size(const char *sysroot, const char *disk, const char *file)
{
    char text[24];

    block_line(text, sizeof(text), sysroot, disk, file);
    uint64_t bytes = strtoull(text, NULL, 10);
    return bytes <= 1u << 30 ? bytes : 0;
}

static void trim(char *s)
{
    size_t n = strlen(s);

    while (n > 0 && s[n - 1] == ' ')
        s[--n] = '\0';
}

static void read_model(struct leaf *out, const char *sysroot)
{
    char vendor[40], model[80], text[128];
    struct buf b = BUF_INIT;

    block_line(model, sizeof(model), sysroot, out->disk, "device/model");
    block_line(vendor, sizeof(vendor), sysroot, out->disk, "device/vendor");
    trim(model);
    trim(vendor);
    if (!*model) /* an SD card */
        block_line(model, sizeof(model), sysroot, out->disk, "device/name");
    /* SATA disks all have the vendor "ATA", PCI and virtio ones a number */
    bool word = *vendor && *model && strcmp(vendor, "ATA") != 0 && !text_starts(vendor, "0x");
    snprintf(text, sizeof(text), "%s%s%s", word ? vendor : "", word ? " " : "", model);
    text_printable(&b, text, strlen(text), false);
    if (b.len)
        snprintf(out->model, sizeof(out->model), "%.*s", STACK_NAME - 1, b.data);
    buf_done(&b);
}

/* "none [mq-deadline] kyber": the one in brackets */
static void read_scheduler(struct leaf *out, const char *sysroot)
{
    char line[128];

    block_line(line, sizeof(line), sysroot, out->disk, "queue/scheduler");
    char *open = strchr(line, '['), *close = open ? strchr(open, ']') : NULL;
    if (close)
        *close = '\0';
    snprintf(out->scheduler, sizeof(out->scheduler), "%.23s",
             close                ? open + 1
             : !strchr(line, ' ') ? line
                                  : "");
}

static void read_write_cache(struct leaf *out, const char *sysroot)
{
    char line[32];

    block_line(line, sizeof(line), sysroot, out->disk, "queue/write_cache");
    if (strcmp(line, "write back") == 0)
        out->write_cache = WRITE_CACHE_BACK;
    else if (strcmp(line, "write through") == 0)
        out->write_cache = WRITE_CACHE_THROUGH;
}

static bool is_kind(const char *name, const char *prefix)
{
    return text_starts(name, prefix) && isdigit((unsigned char)name[strlen(prefix)]);
}

static enum medium medium_of(const char *sysroot, const char *disk)
{
    static const char *const ram[] = {"zram", "ram"}, *const far[] = {"nbd", "rbd", "drbd"};
    char path[BLOCK_PATH], link[LINK_MAX_BYTES], transport[16];

    for (size_t i = 0; i < sizeof(ram) / sizeof(ram[0]); i++)
        if (is_kind(disk, ram[i]))
            return MEDIUM_RAM;
    for (size_t i = 0; i < sizeof(far) / sizeof(far[0]); i++)
        if (is_kind(disk, far[i]))
            return MEDIUM_NETWORK;
    sysroot_link(link, sizeof(link), sysroot, block_path(path, disk, ""));
    if (strstr(link, "/session")) /* iSCSI; SAS and USB have none in their paths */
        return MEDIUM_NETWORK;
    block_line(transport, sizeof(transport), sysroot, disk, "device/transport");
    if (strcmp(transport, "tcp") == 0 || strcmp(transport, "rdma") == 0)
        return MEDIUM_NETWORK;
    return MEDIUM_DEVICE;
}

/*
 * With native multipath nvme0n1 stands for all controllers' nvme0c0n1, nvme0c1n1 ..., which have
 * the counters that are worth something: of the one above them some kernels keep none, and none
 * keeps its flushes.
 */
static void find_paths(struct leaf *out, const char *sysroot)
{
    unsigned subsystem, space;
    struct strv all;
    int n = 0;

    if (sscanf(out->disk, "nvme%un%u%n", &subsystem, &space, &n) != 2 || out->disk[n])
        return;
    sysroot_list(&all, sysroot, "/sys/class/block");
    for (size_t i = 0; i < all.n && out->n_paths < 4; i++) {
        unsigned s, controller, sp;
        n = 0;
        if (sscanf(all.items[i], "nvme%uc%un%u%n", &s, &controller, &sp, &n) == 3 &&
            !all.items[i][n] && s == subsystem && sp == space)
            snprintf(out->paths[out->n_paths++], STACK_NAME, "%s", all.items[i]);
    }
    strv_done(&all);
}

static bool is_guest_disk(const char *disk)
{
    return text_starts(disk, "vd") || text_starts(disk, "xvd");
}

void block_leaf(struct leaf *out, const char *sysroot, const char *disk, const char *part)
{
    char text[32];
    uint64_t sectors;

    memset(out, 0, sizeof(*out));
    snprintf(out->disk, sizeof(out->disk), "%s", disk);
    snprintf(out->part, sizeof(out->part), "%s", part);
    read_model(out, sysroot);
    read_scheduler(out, sysroot);
    read_write_cache(out, sysroot);
    /* A guest's kernel is not told what its disks are made of, and calls them all rotational. */
    if (is_guest_disk(disk))
        out->rotational = -1;
    else
        out->rotational = read_flag(sysroot, disk, "queue/rotational");
    out->medium = medium_of(sysroot, disk);
    block_line(text, sizeof(text), sysroot, disk, "size");
    sectors = strtoull(text, NULL, 10);
    out->size_bytes = sectors && sectors < UINT64_MAX / 512 ? sectors * 512 : UNITS_ABSENT;
    out->logical_bytes = read_size(sysroot, disk, "queue/logical_block_size");
    out->physical_bytes = read_size(sysroot, disk, "queue/physical_block_size");
    block_line(text, sizeof(text), sysroot, disk, "queue/max_sectors_kb");
    out->request_bytes = strtoul(text, NULL, 10) * 1024;
    out->counts = read_flag(sysroot, disk, "queue/iostats") != 0;
    find_paths(out, sysroot);
    if (out->n_paths == 1)
        out->n_paths = 0;
}
