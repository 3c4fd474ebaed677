/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From a mount to a target; see targets.h. */
#include "targets.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "fstype.h"
#include "sthd/mem.h"
#include "sthd/units.h"
#include "sysroot.h"

/* Whether the first word of comma separated options is "ro": the kernel puts it there. */
static bool begins_read_only(const char *options)
{
    return strncmp(options, "ro", 2) == 0 && (options[2] == '\0' || options[2] == ',');
}

/* Behind the first word, which is "rw" or "ro". */
static const char *rest_of(const char *options)
{
    const char *comma = strchr(options, ',');

    return comma ? comma + 1 : "";
}

/* "rw" or "ro" once, as it is in effect; then the mount's options and the file system's. */
static char *join_options(const struct mount *m, bool read_only)
{
    const char *own = rest_of(m->options), *super = rest_of(m->super);

    return mem_printf("%s%s%s%s%s", read_only ? "ro" : "rw", *own ? "," : "", own,
                      *super ? "," : "", super);
}

static void set_note(struct target *t, const char *note)
{
    snprintf(t->note, sizeof(t->note), "%s%s%s", t->read_only ? "read-only" : "",
             t->read_only && *note ? "; " : "", note);
}

void target_from_mount(struct target *t, const struct mount *m, const char *path)
{
    bool read_only = begins_read_only(m->options) || begins_read_only(m->super);

    *t = (struct target){
        .path = mem_strdup(path),
        .mount = mem_strdup(m->point),
        .fstype = mem_strdup(m->fstype),
        .source = mem_strdup(m->source),
        .options = join_options(m, read_only),
        .kind = fstype_kind(m),
        .dev_major = m->major,
        .dev_minor = m->minor,
        .total_bytes = UNITS_ABSENT,
        .free_bytes = UNITS_ABSENT,
        .read_only = read_only,
        .writable = !read_only,
    };
    set_note(t, fstype_note(m));
}

struct look look_at(const char *path)
{
    struct look l = {0};
    struct stat st;
    struct statvfs vfs;

    if (stat(path, &st) < 0) {
        l.errnum = errno;
        return l;
    }
    l.is_directory = S_ISDIR(st.st_mode);
    l.is_block = S_ISBLK(st.st_mode);
    if (l.is_block) {
        l.dev_major = major(st.st_rdev);
        l.dev_minor = minor(st.st_rdev);
        l.readable = faccessat(AT_FDCWD, path, R_OK, AT_EACCESS) == 0;
        return l;
    }
    l.writable = faccessat(AT_FDCWD, path, W_OK | X_OK, AT_EACCESS) == 0;
    if (statvfs(path, &vfs) == 0 && vfs.f_blocks > 0 &&
        !__builtin_mul_overflow((uint64_t)vfs.f_blocks, (uint64_t)vfs.f_frsize, &l.total_bytes) &&
        !__builtin_mul_overflow((uint64_t)vfs.f_bavail, (uint64_t)vfs.f_frsize, &l.free_bytes))
        l.has_size = true;
    return l;
}

void target_add_look(struct target *t, const struct look *l)
{
    t->writable = l->writable && !t->read_only;
    if (l->has_size) {
        t->total_bytes = l->total_bytes;
        t->free_bytes = l->free_bytes;
    }
}

void target_add_silence(struct target *t)
{
    t->writable = false;
    snprintf(t->note, sizeof(t->note), "does not answer: a server or a pool may be gone");
}

int mountinfo_read(struct mountinfo *m, const char *sysroot, struct err *e)
{
    struct buf text = BUF_INIT;
    int rc = sysroot_read(&text, sysroot, "/proc/self/mountinfo");

    if (rc < 0) {
        buf_done(&text);
        *m = (struct mountinfo){NULL, 0, NULL};
        return err_set(e, EXIT_CODE_INTERNAL, -rc,
                       "cannot read %s/proc/self/mountinfo: %s; is /proc mounted?", sysroot,
                       strerror(-rc));
    }
    mountinfo_parse(m, text.data);
    buf_done(&text);
    return 0;
}
