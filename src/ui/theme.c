/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Themes from JSON, and colours brought down to what a terminal has. Promises that a wrong file
 * gives a sentence with file:line:column and that there is always a theme. Must not know ncurses.
 */
#include "theme.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sthd/jsonfile.h"
#include "sthd/mem.h"
#include "sthd/text.h"
#include "theme-default.h"

#define THEME_MAX_BYTES (64u << 10)

static const char *const role_names[ROLE_COUNT] = {
    [ROLE_TEXT] = "text",       [ROLE_DIM] = "dim",       [ROLE_TITLE] = "title",
    [ROLE_HEADING] = "heading", [ROLE_FRAME] = "frame",   [ROLE_KEY] = "key",
    [ROLE_CURSOR] = "cursor",   [ROLE_CHOSEN] = "chosen", [ROLE_FIGURE] = "figure",
    [ROLE_LIVE] = "live",       [ROLE_READ] = "read",     [ROLE_WRITE] = "write",
    [ROLE_P99] = "p99",         [ROLE_AXIS] = "axis",     [ROLE_GOOD] = "good",
    [ROLE_WARNING] = "warning", [ROLE_ERROR] = "error",   [ROLE_POPUP] = "popup",
};

const char *role_name(enum role r)
{
    assert(r < ROLE_COUNT);
    return role_names[r];
}

/* xterm's sixteen; the names are the ones people know. */
static const struct {
    const char *name;
    int32_t rgb;
} sixteen[16] = {
    {"black", 0x000000},        {"red", 0xcd0000},
    {"green", 0x00cd00},        {"yellow", 0xcdcd00},
    {"blue", 0x0000ee},         {"magenta", 0xcd00cd},
    {"cyan", 0x00cdcd},         {"white", 0xe5e5e5},
    {"bright-black", 0x7f7f7f}, {"bright-red", 0xff0000},
    {"bright-green", 0x00ff00}, {"bright-yellow", 0xffff00},
    {"bright-blue", 0x5c5cff},  {"bright-magenta", 0xff00ff},
    {"bright-cyan", 0x00ffff},  {"bright-white", 0xffffff},
};

static long distance(int32_t a, int32_t b)
{
    long dr = ((a >> 16) & 255) - ((b >> 16) & 255);
    long dg = ((a >> 8) & 255) - ((b >> 8) & 255);
    long db = (a & 255) - (b & 255);

    return 3 * dr * dr + 4 * dg * dg + 2 * db * db; /* the eye sees green best, blue worst */
}

/* A named colour is stored as what it is called, so that it survives any palette unchanged. */
#define NAMED_BASE 0x1000000

static int nearest_basic(int32_t rgb, int n)
{
    int best = 0;

    for (int i = 1; i < n; i++)
        if (distance(rgb, sixteen[i].rgb) < distance(rgb, sixteen[best].rgb))
            best = i;
    return best;
}

/* Of few colours the hue must survive, not the lightness: a pale green is green, not white. */
static int32_t saturated(int32_t rgb)
{
    int c[3] = {(rgb >> 16) & 255, (rgb >> 8) & 255, rgb & 255};
    int hi = c[0], lo = c[0];

    for (int i = 1; i < 3; i++) {
        hi = c[i] > hi ? c[i] : hi;
        lo = c[i] < lo ? c[i] : lo;
    }
    if ((hi - lo) * 4 < hi || hi < 48) /* a grey, or nearly black */
        return rgb;
    int32_t out = 0;
    for (int i = 0; i < 3; i++)
        out = (out << 8) | ((c[i] - lo) * hi / (hi - lo));
    return out;
}

static int nearest_256(int32_t rgb)
{
    static const int level[6] = {0, 95, 135, 175, 215, 255};
    int index[3];

    for (int i = 0; i < 3; i++) {
        int v = (rgb >> (16 - 8 * i)) & 255, best = 0;
        for (int k = 1; k < 6; k++)
            if (abs(v - level[k]) < abs(v - level[best]))
                best = k;
        index[i] = best;
    }
    int32_t cube = level[index[0]] << 16 | level[index[1]] << 8 | level[index[2]];
    int mean = (((rgb >> 16) & 255) + ((rgb >> 8) & 255) + (rgb & 255)) / 3;
    int grey_index = mean < 8 ? 0 : mean > 238 ? 23 : (mean - 3) / 10;
    int grey = 8 + 10 * grey_index;
    int32_t grey_rgb = grey << 16 | grey << 8 | grey;

    if (distance(rgb, grey_rgb) < distance(rgb, cube))
        return 232 + grey_index;
    return 16 + 36 * index[0] + 6 * index[1] + index[2];
}

int theme_colour(int32_t rgb, int colours)
{
    if (rgb == THEME_DEFAULT_COLOUR || colours < 8)
        return -1;
    if (rgb >= NAMED_BASE) {
        int i = rgb - NAMED_BASE;
        return colours >= 16 ? i : i % 8;
    }
    if (colours >= 256)
        return nearest_256(rgb);
    return colours >= 16 ? nearest_basic(saturated(rgb), 16)
                         : nearest_basic(saturated(rgb), 16) % 8;
}

static int read_colour(const struct jsonfile *f, const struct json *v, int32_t *out, struct err *e)
{
    const char *s = json_string(v);

    if (!s)
        return json_complain(f, v, e, "a colour is a string: \"#rrggbb\", a name, or \"default\"");
    if (strcmp(s, "default") == 0) {
        *out = THEME_DEFAULT_COLOUR;
        return 0;
    }
    for (int i = 0; i < 16; i++)
        if (strcmp(s, sixteen[i].name) == 0) {
            *out = NAMED_BASE + i;
            return 0;
        }
    if (s[0] == '#' && strlen(s) == 7 && strspn(s + 1, "0123456789abcdefABCDEF") == 6) {
        *out = (int32_t)strtol(s + 1, NULL, 16);
        return 0;
    }
    return json_complain(f, v, e,
                         "\"%.40s\" is no colour; use \"#rrggbb\", \"default\", or a name from "
                         "\"black\" to \"bright-white\"",
                         s);
}

static int read_attrs(const struct jsonfile *f, const struct json *v, unsigned *out, struct err *e)
{
    static const struct {
        const char *name;
        unsigned bit;
    } words[] = {{"bold", THEME_BOLD},
                 {"dim", THEME_DIM},
                 {"underline", THEME_UNDERLINE},
                 {"reverse", THEME_REVERSE}};
    const char *s = json_string(v);

    if (!s)
        return json_complain(f, v, e, "attributes are a string such as \"bold underline\"");
    *out = 0;
    while (*s) {
        size_t n = strcspn(s, " ");
        bool known = n == 0;
        for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
            if (strlen(words[i].name) == n && strncmp(words[i].name, s, n) == 0) {
                *out |= words[i].bit;
                known = true;
            }
        if (!known)
            return json_complain(f, v, e,
                                 "\"%.*s\" is no attribute; there are bold, dim, underline and "
                                 "reverse",
                                 (int)(n > 40 ? 40 : n), s);
        s += n;
        s += *s == ' ';
    }
    return 0;
}

static int read_style(const struct jsonfile *f, const struct json *v, struct style *s,
                      struct err *e)
{
    if (json_type(v) != JSON_OBJECT)
        return json_complain(f, v, e, "a role is an object: { \"fg\": \"#rrggbb\" }");
    *s = (struct style){THEME_DEFAULT_COLOUR, THEME_DEFAULT_COLOUR, 0, 0};
    bool has_mono = false;
    for (size_t i = 0; i < json_count(v); i++) {
        const struct json *m = json_at(v, i);
        const char *key = json_key(m);
        int rc;
        if (strcmp(key, "fg") == 0)
            rc = read_colour(f, m, &s->fg, e);
        else if (strcmp(key, "bg") == 0)
            rc = read_colour(f, m, &s->bg, e);
        else if (strcmp(key, "attr") == 0)
            rc = read_attrs(f, m, &s->attr, e);
        else if (strcmp(key, "mono") == 0)
            rc = read_attrs(f, m, &s->mono, e), has_mono = true;
        else
            rc = json_complain(f, m, e, "\"%.40s\" is unknown; a role has fg, bg, attr and mono",
                               key);
        if (rc < 0)
            return rc;
    }
    if (!has_mono)
        s->mono = s->attr;
    return 0;
}

static int read_role(const struct jsonfile *f, const struct json *v, struct theme *t, struct err *e)
{
    for (int i = 0; i < ROLE_COUNT; i++)
        if (strcmp(json_key(v), role_names[i]) == 0)
            return read_style(f, v, &t->styles[i], e);
    return json_complain(f, v, e, "there is no role \"%.40s\"; see default.json for all of them",
                         json_key(v));
}

static int read_theme(const struct jsonfile *f, struct theme *t, struct err *e)
{
    const struct json *root = jsonfile_root(f);

    if (json_type(root) != JSON_OBJECT)
        return json_complain(f, root, e, "a theme is an object with \"title\" and \"roles\"");
    for (size_t i = 0; i < json_count(root); i++) {
        const struct json *m = json_at(root, i);
        if (strcmp(json_key(m), "title") == 0) {
            if (!json_string(m))
                return json_complain(f, m, e, "\"title\" is a string");
            snprintf(t->title, sizeof(t->title), "%s", json_string(m));
        } else if (strcmp(json_key(m), "roles") == 0) {
            if (json_type(m) != JSON_OBJECT)
                return json_complain(f, m, e, "\"roles\" is an object of roles");
            for (size_t k = 0; k < json_count(m); k++) {
                int rc = read_role(f, json_at(m, k), t, e);
                if (rc < 0)
                    return rc;
            }
        } else {
            return json_complain(f, m, e, "\"%.40s\" is unknown; a theme has title and roles",
                                 json_key(m));
        }
    }
    return 0;
}

static void set_name(struct theme *t, const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *base = slash ? slash + 1 : path;
    size_t n = strlen(base);

    if (n > 5 && strcmp(base + n - 5, ".json") == 0)
        n -= 5;
    snprintf(t->name, sizeof(t->name), "%.*s", (int)(n > 31 ? 31 : n), base);
}

static int parse_over(struct theme *t, const char *name, const char *text, size_t len,
                      struct err *e)
{
    struct jsonfile *f = NULL;

    int rc = jsonfile_parse(&f, name, text, len, e);
    if (rc < 0)
        return rc;
    set_name(t, name);
    snprintf(t->title, sizeof(t->title), "%s", t->name);
    rc = read_theme(f, t, e);
    jsonfile_free(f);
    return rc;
}

void theme_default(struct theme *t)
{
    struct err e;

    memset(t, 0, sizeof(*t));
    for (int i = 0; i < ROLE_COUNT; i++)
        t->styles[i] = (struct style){THEME_DEFAULT_COLOUR, THEME_DEFAULT_COLOUR, 0, 0};
    int rc = parse_over(t, "default.json", theme_default_json, strlen(theme_default_json), &e);
    assert(rc == 0); /* a test parses every shipped theme */
    (void)rc;
}

int theme_parse(struct theme *t, const char *name, const char *text, size_t len, struct err *e)
{
    struct theme made;

    theme_default(&made);
    int rc = parse_over(&made, name, text, len, e);
    if (rc == 0)
        *t = made;
    return rc;
}

static int load_file(struct theme *t, const char *path, struct err *e)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat st;
    int rc;

    if (fd < 0)
        return err_set(e, EXIT_CODE_CONFIG, errno,
                       "theme %s cannot be read: %s; the default theme is used", path,
                       strerror(errno));
    if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) || st.st_size > THEME_MAX_BYTES) {
        close(fd);
        return err_set(e, EXIT_CODE_CONFIG, EINVAL,
                       "theme %s is not a file of at most 64 KiB; the default theme is used", path);
    }
    char *text = mem_alloc(THEME_MAX_BYTES);
    size_t len = 0;
    ssize_t n = 0;
    while (len < THEME_MAX_BYTES && (n = read(fd, text + len, THEME_MAX_BYTES - len)) > 0)
        len += (size_t)n;
    rc = n < 0 ? err_set(e, EXIT_CODE_CONFIG, errno, "theme %s cannot be read: %s", path,
                         strerror(errno))
               : theme_parse(t, path, text, len, e);
    close(fd);
    free(text);
    return rc;
}

int theme_load(struct theme *t, const char *name, const char *dir, struct err *e)
{
    if (!name || strcmp(name, "default") == 0) {
        theme_default(t);
        return 0;
    }
    size_t n = strlen(name);
    if (strchr(name, '/') || (n > 5 && strcmp(name + n - 5, ".json") == 0))
        return load_file(t, name, e);
    if (!dir)
        return err_set(e, EXIT_CODE_CONFIG, ENOENT, "there is no theme \"%s\"; try \"default\"",
                       name);
    char *path = mem_printf("%s/%s.json", dir, name);
    int rc;
    if (access(path, F_OK) < 0)
        rc = err_set(e, EXIT_CODE_CONFIG, ENOENT,
                     "there is no theme \"%s\" in %s; \"default\" is always there", name, dir);
    else
        rc = load_file(t, path, e);
    free(path);
    return rc;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

void theme_names(struct strv *out, const char *dir)
{
    strv_add(out, "default");
    DIR *d = dir ? opendir(dir) : NULL;
    if (!d)
        return;
    size_t first = out->n;
    for (const struct dirent *entry; (entry = readdir(d));) {
        size_t n = strlen(entry->d_name);
        if (n <= 5 || entry->d_name[0] == '.' || strcmp(entry->d_name + n - 5, ".json") != 0)
            continue;
        if (strcmp(entry->d_name, "default.json") != 0)
            strv_addf(out, "%.*s", (int)(n - 5), entry->d_name);
    }
    closedir(d);
    if (out->n > first)
        qsort(out->items + first, out->n - first, sizeof(*out->items), by_name);
}
