/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Fields and menus of the setup screen as data. Promises a reason for every choice that is made for
 * the user or withheld. Must not know ncurses, and asks the world nothing: all it says is from the
 * model.
 */
#include "menu.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "sthd/units.h"

static const struct {
    const char *name;
    char key;
} fields[MENU_COUNT] = {
    [FIELD_TARGET] = {"Target", 'o'},
    [FIELD_PROFILE] = {"Profile", 'p'},
    [FIELD_ENGINE] = {"Engine", 'e'},
    [FIELD_IO] = {"I/O", 'i'},
    [FIELD_SIZE] = {"Size", 'z'},
    [FIELD_RUNTIME] = {"Runtime", 'r'},
    [FIELD_WATCH] = {"Watch until stopped", 'w'},
    [FIELD_JOB] = {"A fio job file", 'J'},
};

const char *menu_field_name(enum field f)
{
    return fields[f].name;
}

char menu_field_key(enum field f)
{
    return fields[f].key;
}

const struct target *menu_target(const struct scene *s)
{
    return s->model->target;
}

static struct menu_item *add(struct menu *m, const char *label, const char *why)
{
    static const char keys[] = "123456789abcdefghilmnoprstuvwxyz";

    if (m->n == MENU_MAX)
        return &m->items[MENU_MAX - 1];
    struct menu_item *i = &m->items[m->n];
    memset(i, 0, sizeof(*i));
    i->key = m->n < sizeof(keys) - 1 ? keys[m->n] : '\0';
    i->enabled = true;
    snprintf(i->label, sizeof(i->label), "%s", label);
    snprintf(i->why, sizeof(i->why), "%s", why);
    m->n++;
    return i;
}

static void build_targets(struct menu *m, const struct scene *s)
{
    const struct targets *t = s->model->targets;
    const char *path = s->model->settings->path;
    size_t n = t ? t->n : 0;

    if (n > MENU_MAX - 2)
        n = MENU_MAX - 2;
    for (size_t i = 0; i < n; i++) {
        const struct target *one = &t->items[i];
        char free_text[UNITS_TEXT], why[200];
        if (one->note[0])
            snprintf(why, sizeof(why), "%.24s, %.160s", one->fstype, one->note);
        else
            snprintf(why, sizeof(why), "%.24s, %s free", one->fstype,
                     units_size(free_text, one->free_bytes));
        struct menu_item *item = add(m, one->path, why);
        item->text = one->path;
        item->enabled = !one->read_only;
        item->chosen = path && strcmp(path, one->path) == 0;
    }
    add(m, "other path...", "any directory you can write to")->act = MENU_ENTRY;
}

static void build_profiles(struct menu *m, const struct scene *s)
{
    const struct book *book = s->model->book;

    for (size_t i = 0; i < book_count(book); i++) {
        const struct profile *p = book_at(book, i);
        struct menu_item *item = add(m, p->title, p->note);
        item->profile = p;
        item->chosen = strcmp(p->name, s->model->settings->profile->name) == 0;
    }
    struct menu_item *jobs =
        add(m, "a fio job file...", "each of its sections a row, on our own nameless file");
    jobs->act = MENU_FOLDER;
    jobs->text = ".";
    jobs->chosen = settings_jobs(s->model->settings) != NULL;
    for (size_t i = 0; book && i < book->problems.n; i++)
        add(m, "a profile that cannot be used", book->problems.items[i])->enabled = false;
}

static void build_jobs(struct menu *m, const struct scene *s)
{
    const struct strv *files = s->model->job_files;

    for (size_t i = 0; files && i < files->n && i < MENU_MAX - 2; i++) {
        const char *path = files->items[i];
        size_t n = strlen(path), from = n > 0 ? n - 1 : 0;
        while (from > 0 && path[from - 1] != '/')
            from--;
        bool folder = n > 0 && path[n - 1] == '/';
        struct menu_item *item = add(m, path + from, folder ? "a folder" : "");
        item->act = folder ? MENU_FOLDER : MENU_CHOOSE;
        item->text = path;
    }
    add(m, "other file...", "any job file")->act = MENU_ENTRY;
}

/* Of equal work only the first is offered: profiles share many of their rows. */
static bool same_work(const struct test *a, const struct test *b)
{
    return a->pattern == b->pattern && a->block_bytes == b->block_bytes &&
           a->queue_depth == b->queue_depth && a->threads == b->threads && a->sync == b->sync &&
           a->engine == b->engine && a->io == b->io && a->fsync_every == b->fsync_every &&
           a->rate_iops == b->rate_iops && a->offset_bytes == b->offset_bytes &&
           a->region_bytes == b->region_bytes && a->mix_percent == b->mix_percent;
}

static bool offered_before(const struct menu *m, const struct test *t, enum direction d)
{
    for (size_t i = 0; i < m->n; i++) {
        const struct menu_item *item = &m->items[i];
        if (item->value % DIRECTION_COUNT == (uint64_t)d &&
            same_work(&item->profile->tests[item->value / DIRECTION_COUNT], t))
            return true;
    }
    return false;
}

static void build_watch(struct menu *m, const struct scene *s)
{
    const struct profile *now = s->model->settings->profile;
    const struct book *book = s->model->book;
    char label[96], why[200], block[UNITS_TEXT];

    for (size_t i = 0; i < book_count(book) * PROFILE_TESTS * DIRECTION_COUNT; i++) {
        const struct profile *p = book_at(book, i / (PROFILE_TESTS * DIRECTION_COUNT));
        size_t test = i / DIRECTION_COUNT % PROFILE_TESTS;
        enum direction d = (enum direction)(i % DIRECTION_COUNT);
        const struct test *t = &p->tests[test];
        if (test >= p->n_tests || p->view == VIEW_WATCH || p->view == VIEW_CURVE ||
            !profile_can_watch(p, test, d) || offered_before(m, t, d))
            continue;
        snprintf(label, sizeof(label), "%s%s %s", p->view == VIEW_SLOG ? "SYNC4K " : "", t->name,
                 direction_name(d));
        snprintf(why, sizeof(why), "%s %s %s, queue depth %u, %u thread%s",
                 t->pattern == PATTERN_SEQ ? "sequential" : "random",
                 units_size(block, t->block_bytes), t->sync ? "commits" : "blocks", t->queue_depth,
                 t->threads, t->threads == 1 ? "" : "s");
        struct menu_item *item = add(m, label, why);
        item->profile = p;
        item->value = test * DIRECTION_COUNT + (uint64_t)d;
        item->chosen = now->view == VIEW_WATCH && now->tests[0].directions == 1u << d &&
                       same_work(&now->tests[0], t);
    }
}

/* The engine every test of the profile prescribes, or ENGINE_AUTO. */
static enum engine prescribed_engine(const struct profile *p)
{
    if (p->n_tests == 0)
        return ENGINE_AUTO;
    for (size_t i = 1; i < p->n_tests; i++)
        if (p->tests[i].engine != p->tests[0].engine)
            return ENGINE_AUTO;
    return p->tests[0].engine;
}

static enum io_mode prescribed_io(const struct profile *p)
{
    if (p->n_tests == 0)
        return IO_AUTO;
    for (size_t i = 1; i < p->n_tests; i++)
        if (p->tests[i].io != p->tests[0].io)
            return IO_AUTO;
    return p->tests[0].io;
}

/* What "auto" means with the I/O mode that is set. */
static enum engine auto_engine(const struct scene *s)
{
    const struct capability *c = s->model->capability;
    enum io_mode io = s->model->settings->io;

    return capability_auto(c, io == IO_AUTO ? c->direct_works : io == IO_DIRECT);
}

static void build_engines(struct menu *m, const struct scene *s)
{
    const struct capability *c = s->model->capability;
    enum engine fixed = prescribed_engine(s->model->settings->profile);
    char label[96];

    for (int i = 0; i < ENGINE_COUNT; i++) {
        enum engine e = (enum engine)i;
        const char *why = c->engine_reason[i];
        if (e == ENGINE_AUTO) {
            snprintf(label, sizeof(label), "auto: %s", engine_name(auto_engine(s)));
            why = c->probed ? "the first that works here, asynchronous ones first"
                            : "a guess; still trying what works here";
        } else {
            snprintf(label, sizeof(label), "%s", engine_name(e));
            if (!why[0])
                why = c->probed ? "works here" : "not tried yet";
        }
        struct menu_item *item = add(m, label, why);
        item->value = (uint64_t)i;
        item->chosen = s->model->settings->engine == e;
        item->enabled = e == ENGINE_AUTO || !c->probed || c->engine_usable[i];
        if (fixed != ENGINE_AUTO && e != fixed) {
            item->enabled = false;
            snprintf(item->why, sizeof(item->why), "this profile prescribes %s",
                     engine_name(fixed));
        }
    }
}

static void build_io(struct menu *m, const struct scene *s)
{
    const struct capability *c = s->model->capability;
    enum io_mode fixed = prescribed_io(s->model->settings->profile);
    char label[96];

    snprintf(label, sizeof(label), "auto: %s", c->direct_works ? "direct" : "buffered");
    for (int i = 0; i < IO_MODE_COUNT; i++) {
        const char *why = i == IO_BUFFERED      ? "through the page cache: fast figures may be RAM"
                          : c->direct_reason[0] ? c->direct_reason
                          : i == IO_DIRECT      ? "past the page cache (O_DIRECT)"
                                                : "direct where the target takes it";
        struct menu_item *item = add(m, i == IO_AUTO ? label : io_mode_name((enum io_mode)i), why);
        item->value = (uint64_t)i;
        item->chosen = s->model->settings->io == (enum io_mode)i;
        item->enabled = i != IO_DIRECT || !c->probed || c->direct_works;
        if (fixed != IO_AUTO && i != (int)fixed) {
            item->enabled = false;
            snprintf(item->why, sizeof(item->why), "this profile prescribes %s",
                     io_mode_name(fixed));
        }
    }
}

static void size_why(const struct scene *s, uint64_t bytes, char *out, size_t size)
{
    const struct machine *m = s->model->machine;
    const struct target *t = menu_target(s);
    char text[UNITS_TEXT];

    if (t && t->free_bytes != UNITS_ABSENT && bytes > t->free_bytes)
        snprintf(out, size, "only %s free", units_size(text, t->free_bytes));
    else if (m && m->ram_bytes && bytes > m->ram_bytes)
        snprintf(out, size, "larger than RAM (%s): no cache holds it",
                 units_size(text, m->ram_bytes));
    else if (m && m->ram_bytes)
        snprintf(out, size, "fits in RAM (%s)", units_size(text, m->ram_bytes));
    else
        out[0] = '\0';
}

static void build_sizes(struct menu *m, const struct scene *s)
{
    static const uint64_t mib[] = {64, 256, 1024, 4096, 16384, 65536, 262144};
    const struct target *t = menu_target(s);
    char label[UNITS_TEXT], why[200];

    for (size_t i = 0; i < sizeof(mib) / sizeof(mib[0]); i++) {
        uint64_t bytes = mib[i] << 20;
        size_why(s, bytes, why, sizeof(why));
        struct menu_item *item = add(m, units_size(label, bytes), why);
        item->value = bytes;
        item->chosen = settings_size_bytes(s->model->settings) == bytes;
        item->enabled = !t || t->free_bytes == UNITS_ABSENT || bytes <= t->free_bytes;
    }
    add(m, "other...", "any size from 4 MiB on, such as 1.5g")->act = MENU_ENTRY;
}

static void build_runtimes(struct menu *m, const struct scene *s)
{
    static const struct {
        uint32_t s;
        const char *why;
    } choices[] = {
        {1, "a first look"},
        {5, "caches of a drive may hide its true rate"},
        {10, ""},
        {30, "past most drives' write cache"},
        {60, "steady state of most drives"},
        {300, "steady state, and heat"},
    };
    char label[UNITS_TEXT];

    for (size_t i = 0; i < sizeof(choices) / sizeof(choices[0]); i++) {
        struct menu_item *item = add(m, units_duration(label, choices[i].s), choices[i].why);
        item->value = choices[i].s;
        item->chosen = s->model->settings->runtime_s == choices[i].s;
    }
    add(m, "other...", "seconds per test, such as 45 or 2m")->act = MENU_ENTRY;
}

void menu_build(struct menu *m, const struct scene *s, enum field f)
{
    static void (*const build[MENU_COUNT])(struct menu *, const struct scene *) = {
        [FIELD_JOB] = build_jobs,
        [FIELD_TARGET] = build_targets,
        [FIELD_PROFILE] = build_profiles,
        [FIELD_ENGINE] = build_engines,
        [FIELD_IO] = build_io,
        [FIELD_SIZE] = build_sizes,
        [FIELD_RUNTIME] = build_runtimes,
        [FIELD_WATCH] = build_watch,
    };

    m->n = 0;
    snprintf(m->title, sizeof(m->title), "%s", fields[f].name);
    build[f](m, s);
}

void menu_field_value(const struct scene *s, enum field f, char *out, size_t size)
{
    const struct settings *set = s->model->settings;
    const struct capability *c = s->model->capability;
    enum engine fixed = prescribed_engine(set->profile);
    enum io_mode io = prescribed_io(set->profile);
    char text[UNITS_TEXT];

    switch (f) {
    case FIELD_TARGET:
        snprintf(out, size, "%s", set->path ? set->path : "choose one");
        break;
    case FIELD_PROFILE:
        snprintf(out, size, "%s", set->profile->title);
        break;
    case FIELD_ENGINE:
        if (fixed != ENGINE_AUTO)
            snprintf(out, size, "%s", engine_name(fixed));
        else if (settings_jobs(set))
            snprintf(out, size, "as the job file says");
        else if (set->engine == ENGINE_AUTO)
            snprintf(out, size, "auto: %s", engine_name(auto_engine(s)));
        else
            snprintf(out, size, "%s", engine_name(set->engine));
        break;
    case FIELD_IO:
        if (settings_jobs(set) && io == IO_AUTO)
            snprintf(out, size, "as the job file says");
        else if (io != IO_AUTO)
            snprintf(out, size, "%s", io_mode_name(io));
        else if (set->io == IO_AUTO)
            snprintf(out, size, "auto: %s", c->direct_works ? "direct" : "buffered");
        else
            snprintf(out, size, "%s", io_mode_name(set->io));
        break;
    case FIELD_SIZE:
        snprintf(out, size, "%s", units_size(text, settings_size_bytes(set)));
        break;
    case FIELD_RUNTIME:
        if (set->profile->endless && !set->runtime_given)
            snprintf(out, size, "until stopped");
        else if (settings_jobs(set) && !set->runtime_given)
            snprintf(out, size, "as the job file says");
        else
            snprintf(out, size, "%s", units_duration(text, set->runtime_s));
        break;
    }
}

void menu_field_why(const struct scene *s, enum field f, char *out, size_t size)
{
    const struct settings *set = s->model->settings;
    const struct capability *c = s->model->capability;
    enum engine engine = prescribed_engine(set->profile);
    enum engine shown = set->engine == ENGINE_AUTO ? auto_engine(s) : set->engine;

    out[0] = '\0';
    switch (f) {
    case FIELD_TARGET:
        if (menu_target(s))
            snprintf(out, size, "%s", menu_target(s)->note);
        break;
    case FIELD_PROFILE:
        snprintf(out, size, "%s", set->profile->note);
        break;
    case FIELD_ENGINE:
        if (engine != ENGINE_AUTO)
            snprintf(out, size, "prescribed by the profile");
        else if (!c->probed)
            snprintf(out, size, "a guess; trying what works here");
        else if (c->engine_reason[shown][0])
            snprintf(out, size, "%s", c->engine_reason[shown]);
        else
            snprintf(out, size, "%s", c->engine_usable[shown] ? "works here" : "");
        break;
    case FIELD_IO:
        if (prescribed_io(set->profile) != IO_AUTO)
            snprintf(out, size, "prescribed by the profile");
        else
            snprintf(out, size, "%s", c->direct_reason);
        break;
    case FIELD_SIZE:
        size_why(s, settings_size_bytes(set), out, size);
        break;
    case FIELD_RUNTIME:
        snprintf(out, size, "for each test");
        break;
    }
}
