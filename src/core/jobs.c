/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads fio job files; see jobs.h. Promises: of what is handed on to fio nothing names a file,
 * runs a program or writes beside the bench file, unless the file is taken as it is (and even then
 * only names of files). What is not known here is handed on: fio judges its own options.
 */
#include "sthd/jobs.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sthd/mem.h"
#include "sthd/text.h"
#include "sthd/units.h"

#define MIB      ((uint64_t)1 << 20)
#define FILE_MIN (4 * MIB)

/* ---- what becomes of an option --------------------------------------------------------------- */

enum fate {
    FATE_PLACE,  /* says where I/O goes: ours, or kept as is */
    FATE_OURS,   /* how fio runs and reports: ours in any case */
    FATE_BESIDE, /* writes files beside: left out */
    FATE_REFUSE, /* would do more than I/O on a file */
};

static const struct {
    const char *name; /* one that ends in '*' is a beginning */
    enum fate fate;
} fates[] = {
    {"filename", FATE_PLACE},
    {"directory", FATE_PLACE},
    {"filename_format", FATE_PLACE},
    {"unique_filename", FATE_PLACE},
    {"opendir", FATE_PLACE},
    {"nrfiles", FATE_PLACE},
    {"nr_files", FATE_PLACE},
    {"openfiles", FATE_PLACE},
    {"filesize", FATE_PLACE},
    {"filetype", FATE_PLACE},
    {"fallocate", FATE_PLACE},
    {"overwrite", FATE_PLACE},
    {"file_append", FATE_PLACE},
    {"fallocate_size", FATE_PLACE},
    {"create_*", FATE_PLACE},
    {"unlink", FATE_PLACE},
    {"unlink_each_loop", FATE_PLACE},
    {"allow_file_create", FATE_PLACE},
    {"allow_mounted_write", FATE_OURS},
    {"lockfile", FATE_PLACE},
    {"group_reporting", FATE_OURS},
    {"new_group", FATE_OURS},
    {"stats", FATE_OURS},
    {"thread", FATE_OURS},
    {"fork", FATE_OURS},
    {"name", FATE_OURS},
    {"description", FATE_OURS},
    {"stonewall", FATE_OURS},
    {"wait_for_previous", FATE_OURS},
    {"wait_for", FATE_OURS},
    {"percentile_list", FATE_OURS},
    {"clat_percentiles", FATE_OURS},
    {"lat_percentiles", FATE_OURS},
    {"slat_percentiles", FATE_OURS},
    {"disable_*", FATE_OURS},
    {"gtod_reduce", FATE_OURS},
    {"clocksource", FATE_OURS},
    {"disk_util", FATE_OURS},
    {"unified_rw_reporting", FATE_OURS},
    {"kb_base", FATE_OURS},
    {"unit_base", FATE_OURS},
    {"significant_figures", FATE_OURS},
    {"write_*", FATE_BESIDE},
    {"log_*", FATE_BESIDE},
    {"per_job_logs", FATE_BESIDE},
    {"bwavgtime", FATE_BESIDE},
    {"iopsavgtime", FATE_BESIDE},
    {"block_error_percentiles", FATE_BESIDE},
    {"verify_dump", FATE_BESIDE},
    {"verify_state_save", FATE_BESIDE},
    {"verify_state_load", FATE_BESIDE},
    {"exec_prerun", FATE_REFUSE},
    {"exec_postrun", FATE_REFUSE},
    {"read_iolog", FATE_REFUSE},
    {"replay_*", FATE_REFUSE},
    {"merge_*", FATE_REFUSE},
    {"profile", FATE_REFUSE},
    {"cgroup*", FATE_REFUSE},
    {"fill_device", FATE_REFUSE},
    {"fill_fs", FATE_REFUSE},
    {"client", FATE_REFUSE},
    {"server", FATE_REFUSE},
    {"daemonize", FATE_REFUSE},
    {"trigger*", FATE_REFUSE},
    {"aux-path", FATE_REFUSE},
    {"ioengine_so_path", FATE_REFUSE},
    {"nbd_*", FATE_REFUSE},
    {"hostname", FATE_REFUSE},
    {"uri", FATE_REFUSE},
    {"program", FATE_REFUSE},
    {"arguments", FATE_REFUSE},
};

static bool names(const char *pattern, const char *key)
{
    size_t n = strlen(pattern);

    if (n > 0 && pattern[n - 1] == '*')
        return strncmp(pattern, key, n - 1) == 0;
    return strcmp(pattern, key) == 0;
}

/* -1: it is handed on. */
static int fate_of(const char *key)
{
    for (size_t i = 0; i < sizeof(fates) / sizeof(fates[0]); i++)
        if (names(fates[i].name, key))
            return (int)fates[i].fate;
    return -1;
}

/* Engines that do their I/O on a file of the file system, and which of ours they are like. */
static const struct {
    const char *name;
    enum engine engine;
} engines[] = {
    {"io_uring", ENGINE_IO_URING}, {"libaio", ENGINE_LIBAIO}, {"posixaio", ENGINE_POSIXAIO},
    {"sync", ENGINE_SYNC},         {"psync", ENGINE_PSYNC},   {"vsync", ENGINE_SYNC},
    {"pvsync", ENGINE_PSYNC},      {"pvsync2", ENGINE_PSYNC}, {"mmap", ENGINE_SYNC},
    {"splice", ENGINE_SYNC},
};

/* ---- parsing --------------------------------------------------------------------------------- */

struct option {
    char *key, *value; /* value NULL: it has none */
    char *file;
    unsigned line;
};

struct options_list {
    struct option *items;
    size_t n;
};

struct parser {
    struct jobs *jobs;
    const struct jobs_world *world;
    struct err *e;
    struct options_list global;
    struct options_list *sections; /* of jobs->sections[i], its part of [global] first */
    struct options_list *now;      /* where the next option belongs; NULL: before any section */
    struct strv ours, beside;      /* keys that were left out, each once */
    const char *file;
    unsigned line, depth;
};

static int fault(const struct parser *p, const char *file, unsigned line, const char *what)
{
    struct buf shown = BUF_INIT;

    text_printable(&shown, file, strlen(file), false);
    int rc = err_set(p->e, EXIT_CODE_CONFIG, EINVAL, "%.200s:%u: %s", shown.data ? shown.data : "",
                     line, what);
    buf_done(&shown);
    return rc;
}

static int fault_of(const struct parser *p, const struct option *o, const char *what)
{
    struct buf key = BUF_INIT;

    text_printable(&key, o->key, strlen(o->key), true);
    char *text = mem_printf("%.40s %s", key.data ? key.data : "", what);
    int rc = fault(p, o->file, o->line, text);
    free(text);
    buf_done(&key);
    return rc;
}

static void add_option(struct options_list *l, const char *key, const char *value, const char *file,
                       unsigned line)
{
    l->items = mem_realloc_array(l->items, l->n + 1, sizeof(*l->items));
    l->items[l->n++] =
        (struct option){mem_strdup(key), value ? mem_strdup(value) : NULL, mem_strdup(file), line};
}

static void free_options(struct options_list *l)
{
    for (size_t i = 0; i < l->n; i++) {
        free(l->items[i].key);
        free(l->items[i].value);
        free(l->items[i].file);
    }
    free(l->items);
    *l = (struct options_list){0};
}

/* The last one counts, as for fio. */
static const struct option *find(const struct options_list *l, const char *key)
{
    for (size_t i = l->n; i-- > 0;)
        if (strcmp(l->items[i].key, key) == 0)
            return &l->items[i];
    return NULL;
}

static const char *value_of(const struct options_list *l, const char *key, const char *alias)
{
    for (size_t i = l->n; i-- > 0;)
        if (strcmp(l->items[i].key, key) == 0 || (alias && strcmp(l->items[i].key, alias) == 0))
            return l->items[i].value ? l->items[i].value : "1";
    return NULL;
}

static bool is_on(const struct options_list *l, const char *key)
{
    const char *v = value_of(l, key, NULL);

    return v && strcmp(v, "0") != 0;
}

static char *trim(char *s)
{
    while (*s && isspace((unsigned char)*s))
        s++;
    size_t n = strlen(s);
    while (n > 0 && isspace((unsigned char)s[n - 1]))
        s[--n] = '\0';
    return s;
}

/* ${NAME} is of the environment; $ncpus and its like are fio's own words. */
static int expand(const struct parser *p, const char *text, struct buf *out)
{
    static const char *const words[] = {"ncpus", "pagesize", "mb_memory", "jobname", "jobnum"};

    buf_adds(out, "");
    while (*text) {
        if (text[0] == '$' && text[1] == '{') {
            size_t n = strcspn(text + 2, "}");
            if (text[2 + n] != '}')
                return fault(p, p->file, p->line, "\"${\" is not closed by \"}\"");
            char *name = mem_strndup(text + 2, n);
            char *value = p->world->variable(p->world->arg, name);
            free(name);
            if (!value)
                return fault(p, p->file, p->line,
                             "an environment variable it uses is not set: set it, or write the "
                             "value into the file");
            buf_adds(out, value);
            free(value);
            text += n + 3;
            continue;
        }
        size_t w = 0;
        if (text[0] == '$')
            while (w < 3 && strncmp(text + 1, words[w], strlen(words[w])) != 0)
                w++;
        if (text[0] == '$' && w < 3) {
            char *value = p->world->variable(p->world->arg, words[w]);
            buf_adds(out, value ? value : "");
            free(value);
            text += 1 + strlen(words[w]);
        } else {
            buf_addc(out, *text++);
        }
    }
    return 0;
}

static int begin_section(struct parser *p, char *name)
{
    size_t n = strlen(name);

    if (n > 0 && name[n - 1] == ']')
        name[n - 1] = '\0';
    else
        return fault(p, p->file, p->line, "a section's name ends with \"]\"");
    if (strncmp(name, "global", 6) == 0) {
        p->now = &p->global;
        return 0;
    }
    struct jobs *j = p->jobs;
    if (j->n == PROFILE_TESTS)
        return fault(p, p->file, p->line, "more sections than the 64 that can be shown");
    j->sections = mem_realloc_array(j->sections, j->n + 1, sizeof(*j->sections));
    p->sections = mem_realloc_array(p->sections, j->n + 1, sizeof(*p->sections));
    struct job_section *s = &j->sections[j->n];
    memset(s, 0, sizeof(*s));
    strv_init(&s->args);
    strv_init(&s->paths);
    s->line = p->line;
    struct buf shown = BUF_INIT;
    text_printable(&shown, name, strlen(name), true);
    snprintf(s->name, sizeof(s->name), "%s", shown.data && shown.len ? shown.data : "(no name)");
    buf_done(&shown);
    p->now = &p->sections[j->n];
    *p->now = (struct options_list){0};
    for (size_t i = 0; i < p->global.n; i++) {
        const struct option *o = &p->global.items[i];
        add_option(p->now, o->key, o->value, o->file, o->line);
    }
    j->n++;
    return 0;
}

static int parse_file(struct parser *p, const char *path);

/* Relative to the folder of the file that includes it. */
static int include(struct parser *p, const char *name)
{
    const char *slash = strrchr(p->file, '/');
    char *path = name[0] == '/' || !slash
                     ? mem_strdup(name)
                     : mem_printf("%.*s%s", (int)(slash + 1 - p->file), p->file, name);
    const char *file = p->file;
    unsigned line = p->line;
    int rc;

    if (p->depth >= JOBS_INCLUDES)
        rc = fault(p, file, line, "files include each other too deeply");
    else
        rc = parse_file(p, path);
    p->file = file;
    p->line = line;
    free(path);
    return rc;
}

static int take_line(struct parser *p, char *line)
{
    /* fio cuts at both signs, wherever they are. */
    line[strcspn(line, ";#")] = '\0';
    line = trim(line);
    if (!*line)
        return 0;
    if (*line == '[')
        return begin_section(p, line + 1);
    if (strncmp(line, "include", 7) == 0 && isspace((unsigned char)line[7]))
        return include(p, trim(line + 7));
    if (!p->now)
        return fault(p, p->file, p->line,
                     "this is before the first section: a job file begins with [global] or [NAME]");
    char *value = strchr(line, '=');
    if (value)
        *value++ = '\0';
    char *key = trim(line);
    if (!*key)
        return fault(p, p->file, p->line, "there is no option before the \"=\"");
    if (*key == '-')
        return fault(p, p->file, p->line, "options have no dashes in a job file");
    for (const char *c = key; *c; c++)
        if (!isalnum((unsigned char)*c) && !strchr("_-.:", *c))
            return fault(p, p->file, p->line, "this is neither an option nor a section");
    struct buf full = BUF_INIT;
    int rc = value ? expand(p, trim(value), &full) : 0;
    if (rc == 0)
        add_option(p->now, key, value ? full.data : NULL, p->file, p->line);
    buf_done(&full);
    return rc;
}

static int parse_file(struct parser *p, const char *path)
{
    size_t len;
    char *text = p->world->read(p->world->arg, path, &len, p->e);
    int rc = 0;

    if (!text)
        return p->e && p->e->errnum ? -p->e->errnum : -EINVAL;
    p->file = path;
    p->line = 0;
    p->depth++;
    if (memchr(text, '\0', len)) {
        p->line = 1;
        rc = fault(p, path, 1, "this is no text, and so no job file");
    }
    for (char *at = text, *end = text + len; rc == 0 && at < end;) {
        char *next = memchr(at, '\n', (size_t)(end - at));
        next = next ? next : end;
        char *line = mem_strndup(at, (size_t)(next - at));
        p->line++;
        rc = take_line(p, line);
        free(line);
        at = next + 1;
    }
    p->depth--;
    free(text);
    return rc;
}

/* ---- what a plan has to know of a section ---------------------------------------------------- */

static const struct {
    const char *name;
    enum pattern pattern;
    enum direction direction;
} kinds[] = {
    {"read", PATTERN_SEQ, DIRECTION_READ},     {"write", PATTERN_SEQ, DIRECTION_WRITE},
    {"randread", PATTERN_RND, DIRECTION_READ}, {"randwrite", PATTERN_RND, DIRECTION_WRITE},
    {"rw", PATTERN_SEQ, DIRECTION_MIX},        {"readwrite", PATTERN_SEQ, DIRECTION_MIX},
    {"randrw", PATTERN_RND, DIRECTION_MIX},
};

static int read_kind(const struct parser *p, const struct options_list *l, struct job_section *s)
{
    const char *v = value_of(l, "rw", "readwrite");
    size_t n = v ? strcspn(v, ":") : 0;

    s->pattern = PATTERN_SEQ;
    s->direction = DIRECTION_READ;
    if (!v)
        return 0;
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
        if (strlen(kinds[i].name) == n && strncmp(kinds[i].name, v, n) == 0) {
            s->pattern = kinds[i].pattern;
            s->direction = kinds[i].direction;
            return 0;
        }
    const struct option *o = find(l, "rw") ? find(l, "rw") : find(l, "readwrite");
    return fault_of(p, o,
                    strncmp(v, "trim", 4) == 0 || strncmp(v, "randtrim", 8) == 0
                        ? "asks to discard blocks, which only a block device can"
                        : "is none of read, write, randread, randwrite, rw, randrw");
}

/* 0: there is none, or it is a share, or of fio's more unusual units. */
static uint64_t bytes_of(const char *v)
{
    uint64_t bytes = 0;
    char number[32];

    if (!v || strlen(v) >= sizeof(number))
        return 0;
    snprintf(number, sizeof(number), "%s", v);
    return units_parse_size(number, "", &bytes, NULL) == 0 ? bytes : 0;
}

static unsigned count_of(const char *v, unsigned otherwise)
{
    uint64_t n;

    return v && units_parse_count(v, "", 1, 100000, &n, NULL) == 0 ? (unsigned)n : otherwise;
}

/* Seconds, rounded up, of "30", "30s", "2m", "500ms". */
static uint32_t seconds_of(const char *v)
{
    static const struct {
        const char *unit;
        double seconds;
    } units[] = {{"", 1},   {"s", 1},    {"ms", 1e-3}, {"us", 1e-6},
                 {"m", 60}, {"min", 60}, {"h", 3600},  {"d", 86400}};
    char *end;
    double n = v ? strtod(v, &end) : 0;

    for (size_t i = 0; v && end != v && i < sizeof(units) / sizeof(units[0]); i++)
        if (text_ieq(end, units[i].unit) && n > 0 && n * units[i].seconds < 1e9) {
            double s = n * units[i].seconds;
            return (uint32_t)s + (s > (uint32_t)s);
        }
    return 0;
}

static void read_block(const struct options_list *l, struct job_section *s)
{
    const char *v = value_of(l, "bs", "blocksize");
    bool varies = find(l, "bsrange") || find(l, "blocksize_range") || find(l, "bssplit") ||
                  (v && strchr(v, ','));

    s->block_bytes = varies ? 0 : v ? bytes_of(v) : 4096;
}

static void read_end(const struct options_list *l, struct job_section *s)
{
    uint64_t loops = count_of(value_of(l, "loops", NULL), 1);
    const char *io = value_of(l, "io_size", "io_limit");
    uint64_t size = bytes_of(value_of(l, "size", NULL)),
             offset = bytes_of(value_of(l, "offset", NULL));
    uint64_t each = bytes_of(value_of(l, "offset_increment", NULL));

    s->size_bytes = size ? size + offset + each * (s->threads - 1) : 0;
    s->runtime_s = seconds_of(value_of(l, "runtime", "timeout"));
    if (s->runtime_s > 0)
        return;
    s->io_bytes = io ? bytes_of(io) : size;
    if (s->io_bytes < PROFILE_EXTENT_MAX / loops)
        s->io_bytes *= loops;
}

static int read_engine(const struct parser *p, const struct options_list *l, struct job_section *s)
{
    const struct option *o = find(l, "ioengine");

    s->engine = ENGINE_PSYNC;
    if (!o)
        return 0;
    for (size_t i = 0; o->value && i < sizeof(engines) / sizeof(engines[0]); i++)
        if (strcmp(o->value, engines[i].name) == 0) {
            s->engine = engines[i].engine;
            return 0;
        }
    return fault_of(p, o,
                    "names an engine that does not do its I/O on a file; choose from io_uring, "
                    "libaio, posixaio, sync, psync, vsync, pvsync, pvsync2, mmap, splice");
}

static int read_section(const struct parser *p, const struct options_list *l, struct job_section *s)
{
    const char *sync = value_of(l, "sync", NULL);
    int rc = read_kind(p, l, s);

    if (rc == 0)
        rc = read_engine(p, l, s);
    if (rc)
        return rc;
    read_block(l, s);
    s->threads = count_of(value_of(l, "numjobs", NULL), 1);
    s->queue_depth = engine_is_async(s->engine) ? count_of(value_of(l, "iodepth", NULL), 1) : 1;
    s->direct = is_on(l, "direct") || (find(l, "buffered") && !is_on(l, "buffered"));
    s->sync = s->direction != DIRECTION_READ && sync && strcmp(sync, "0") != 0 &&
              strcmp(sync, "none") != 0;
    s->end_fsync = s->direction != DIRECTION_READ && is_on(l, "end_fsync");
    s->fsync_every = s->direction != DIRECTION_READ ? count_of(value_of(l, "fsync", NULL), 0) : 0;
    if (s->direction == DIRECTION_MIX) {
        const char *w = value_of(l, "rwmixwrite", NULL), *r = value_of(l, "rwmixread", NULL);
        s->mix_percent = r ? count_of(r, 50) : w ? 100 - count_of(w, 50) % 100 : 50;
        s->mix_percent = s->mix_percent < 1 ? 1 : s->mix_percent > 99 ? 99 : s->mix_percent;
    }
    read_end(l, s);
    s->waits = find(l, "stonewall") || find(l, "wait_for_previous") || find(l, "wait_for");
    if (find(l, "stonewall") && !is_on(l, "stonewall"))
        s->waits = false;
    return 0;
}

/* ---- what fio is given ----------------------------------------------------------------------- */

static void remember(struct strv *v, const char *key)
{
    for (size_t i = 0; i < v->n; i++)
        if (strcmp(v->items[i], key) == 0)
            return;
    strv_add(v, key);
}

static void add_arg(struct strv *args, const struct option *o)
{
    if (o->value)
        strv_addf(args, "--%s=%s", o->key, o->value);
    else
        strv_addf(args, "--%s", o->key);
}

/* A memory file is a path after a colon. */
static bool mem_names_file(const struct option *o)
{
    return (strcmp(o->key, "mem") == 0 || strcmp(o->key, "iomem") == 0) && o->value &&
           strchr(o->value, ':');
}

static int take_option(struct parser *p, struct job_section *s, const struct option *o)
{
    int fate = mem_names_file(o) ? (int)FATE_REFUSE : fate_of(o->key);

    switch (fate) {
    case FATE_PLACE:
        if (p->jobs->as_is)
            add_arg(&s->args, o);
        else
            remember(&p->ours, o->key);
        return 0;
    case FATE_OURS:
        return 0;
    case FATE_BESIDE:
        remember(&p->beside, o->key);
        return 0;
    case FATE_REFUSE:
        return fault_of(p, o,
                        "would do more than I/O on one file (run a program, replay a log, fill the "
                        "file system): leave it out");
    default:
        if (strcmp(o->key, "ioengine") != 0) /* it was foremost */
            add_arg(&s->args, o);
        return 0;
    }
}

/* As is: what fio would open. init.c and filesetup.c of fio, make_filename() and add_job(). */
static int list_paths(const struct parser *p, const struct options_list *l, struct job_section *s)
{
    const char *names_value = value_of(l, "filename", NULL), *dir = value_of(l, "directory", NULL);
    const struct option *o;

    if ((o = find(l, "filename_format")) || (o = find(l, "opendir")))
        return fault_of(p, o, "leaves open which files are touched: use filename instead");
    if (dir && strchr(dir, ':'))
        return fault_of(p, find(l, "directory"),
                        "names several directories: which files are touched cannot be told");
    if (!names_value) {
        unsigned files = count_of(value_of(l, "nrfiles", "nr_files"), 1);
        if (s->threads > 64 || files > 64)
            return fault(p, p->jobs->path, s->line,
                         "this section makes more files than can be shown: name one with filename");
        for (unsigned j = 0; j < s->threads; j++)
            for (unsigned f = 0; f < files; f++)
                strv_addf(&s->paths, "%s%s%s.%u.%u", dir ? dir : "", dir ? "/" : "", s->name, j, f);
        return 0;
    }
    char *all = mem_strdup(names_value), *at = all;
    while (at) { /* "\:" is a colon of the name */
        struct buf one = BUF_INIT;
        buf_adds(&one, "");
        for (; *at && *at != ':'; at++) {
            if (at[0] == '\\' && at[1] == ':')
                at++;
            buf_addc(&one, *at);
        }
        at = *at ? at + 1 : NULL;
        strv_addf(&s->paths, "%s%s%s", dir && one.data[0] != '/' ? dir : "",
                  dir && one.data[0] != '/' ? "/" : "", one.data);
        buf_done(&one);
    }
    free(all);
    return 0;
}

static int make_section(struct parser *p, size_t i)
{
    const struct options_list *l = &p->sections[i];
    struct job_section *s = &p->jobs->sections[i];
    const struct option *engine = find(l, "ioengine");
    int rc = read_section(p, l, s);

    if (engine)
        add_arg(&s->args, engine);
    for (size_t k = 0; rc == 0 && k < l->n; k++)
        rc = take_option(p, s, &l->items[k]);
    if (rc == 0 && p->jobs->as_is)
        rc = list_paths(p, l, s);
    if (s->size_bytes > p->jobs->size_bytes)
        p->jobs->size_bytes = s->size_bytes;
    return rc;
}

static void add_note(struct strv *notes, const char *before, const struct strv *keys,
                     const char *behind)
{
    struct buf text = BUF_INIT;

    if (keys->n == 0)
        return;
    buf_adds(&text, before);
    for (size_t i = 0; i < keys->n; i++)
        buf_addf(&text, "%s%s", i ? ", " : "", keys->items[i]);
    buf_adds(&text, behind);
    strv_add(notes, text.data);
    buf_done(&text);
}

int jobs_parse(struct jobs **out, const char *path, bool as_is, const struct jobs_world *w,
               struct err *e)
{
    struct jobs *j = mem_zalloc(sizeof(*j));
    struct parser p = {.jobs = j, .world = w, .e = e};

    *out = NULL;
    j->holders = 1;
    j->path = mem_strdup(path);
    j->as_is = as_is;
    strv_init(&j->notes);
    strv_init(&p.ours);
    strv_init(&p.beside);
    int rc = parse_file(&p, path);
    if (rc == 0 && j->n == 0)
        rc = fault(&p, path, 1, "there is no section in it, and so no job");
    for (size_t i = 0; rc == 0 && i < j->n; i++)
        rc = make_section(&p, i);
    add_note(&j->notes, "Not used of the job file: ", &p.ours,
             ". All I/O is on the nameless bench file; what it names is not touched.");
    add_note(&j->notes, "Not used of the job file: ", &p.beside,
             ". Nothing is written beside the bench file.");
    for (size_t i = 0; i < j->n; i++)
        free_options(&p.sections[i]);
    free(p.sections);
    free_options(&p.global);
    strv_done(&p.ours);
    strv_done(&p.beside);
    if (rc)
        jobs_drop(j);
    else
        *out = j;
    return rc;
}

struct jobs *jobs_hold(struct jobs *j)
{
    if (j)
        j->holders++;
    return j;
}

void jobs_drop(struct jobs *j)
{
    if (!j || --j->holders > 0)
        return;
    for (size_t i = 0; i < j->n; i++) {
        strv_done(&j->sections[i].args);
        strv_done(&j->sections[i].paths);
    }
    free(j->sections);
    free(j->path);
    strv_done(&j->notes);
    free(j);
}

/* ---- as a profile ---------------------------------------------------------------------------- */

static void make_test(struct test *t, const struct job_section *s)
{
    *t = (struct test){
        .pattern = s->pattern,
        .block_bytes = s->block_bytes,
        .queue_depth = s->queue_depth,
        .threads = s->threads,
        .directions = 1u << s->direction,
        .sync = s->sync,
        .end_fsync = s->end_fsync,
        .engine = s->engine,
        .io = s->direct ? IO_DIRECT : IO_BUFFERED,
        .mix_percent = s->mix_percent,
        .fsync_every = s->fsync_every,
        .io_bytes = s->runtime_s ? 0 : s->io_bytes,
        .whole_file = !s->runtime_s && !s->io_bytes,
    };
    snprintf(t->name, sizeof(t->name), "%.*s", (int)sizeof(t->name) - 1, s->name);
}

void jobs_profile(const struct jobs *j, struct profile *out)
{
    const char *slash = strrchr(j->path, '/');
    struct buf shown = BUF_INIT;

    *out = (struct profile){.view = VIEW_CDM, .loops = 1, .foreign = true};
    out->unprepared = j->as_is;
    /* Whole blocks of the preparation, and not too few of them. */
    if (j->size_bytes)
        out->size_bytes =
            j->size_bytes < FILE_MIN ? FILE_MIN : (j->size_bytes + MIB - 1) / MIB * MIB;
    out->n_tests = j->n;
    for (size_t i = 0; i < j->n; i++)
        make_test(&out->tests[i], &j->sections[i]);
    text_printable(&shown, slash ? slash + 1 : j->path, strlen(slash ? slash + 1 : j->path), true);
    snprintf(out->name, sizeof(out->name), "job");
    snprintf(out->title, sizeof(out->title), "Job file %.36s", shown.data ? shown.data : "");
    snprintf(out->note, sizeof(out->note),
             "The sections of a fio job file%s; those that it runs at the same time ran at the "
             "same time.",
             j->as_is ? ", taken as it is" : "");
    buf_done(&shown);
}
