/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Themes: the shipped ones, wrong ones, and colours brought down to what a terminal has. */
#include "theme.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sthd/mem.h"
#include "tap.h"

static char *theme_dir(void)
{
    return mem_printf("%s/themes", getenv("STHD_SRCDIR") ? getenv("STHD_SRCDIR") : ".");
}

/* Roles that must not be told apart by hue alone: without colours they still differ. */
static void check_mono(const struct theme *t)
{
    static const enum role pairs[][2] = {{ROLE_TEXT, ROLE_CURSOR},
                                         {ROLE_FIGURE, ROLE_LIVE},
                                         {ROLE_TEXT, ROLE_ERROR},
                                         {ROLE_TEXT, ROLE_WARNING},
                                         {ROLE_TEXT, ROLE_KEY}};

    for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++)
        tap_ok(t->styles[pairs[i][0]].mono != t->styles[pairs[i][1]].mono,
               "%s: %s and %s differ without colours", t->name, role_name(pairs[i][0]),
               role_name(pairs[i][1]));
}

static void check_colours(const struct theme *t)
{
    static const int palettes[] = {8, 16, 256};

    for (size_t p = 0; p < sizeof(palettes) / sizeof(palettes[0]); p++)
        for (int i = 0; i < ROLE_COUNT; i++) {
            int fg = theme_colour(t->styles[i].fg, palettes[p]);
            int bg = theme_colour(t->styles[i].bg, palettes[p]);
            tap_ok(fg >= -1 && fg < palettes[p] && bg >= -1 && bg < palettes[p],
                   "%s: %s in %d colours", t->name, role_name((enum role)i), palettes[p]);
            if (palettes[p] == 256)
                tap_ok(fg == -1 || fg != bg, "%s: %s can be read", t->name,
                       role_name((enum role)i));
        }
}

static void test_shipped(void)
{
    char *dir = theme_dir();
    struct strv names;

    strv_init(&names);
    theme_names(&names, dir);
    tap_ok(names.n >= 4, "at least four themes");
    tap_str(names.items[0], "default", "the default is first");
    for (size_t i = 0; i < names.n; i++) {
        struct theme t;
        struct err e = {0};
        char *path = mem_printf("%s/%s.json", dir, names.items[i]);
        tap_int(theme_load(&t, path, NULL, &e), 0, "%s: %s", names.items[i], e.text);
        tap_int(theme_load(&t, names.items[i], dir, &e), 0, "%s by name", names.items[i]);
        tap_str(t.name, names.items[i], "its name");
        check_mono(&t);
        check_colours(&t);
        free(path);
    }
    strv_done(&names);
    free(dir);
}

static void test_builtin(void)
{
    char *dir = theme_dir(), *path = mem_printf("%s/default.json", dir);
    struct theme built_in, file;
    struct err e;

    theme_default(&built_in);
    theme_load(&file, path, NULL, &e);
    tap_ok(memcmp(&built_in, &file, sizeof(file)) == 0, "compiled in is what is shipped");
    free(path);
    free(dir);
}

static void test_wrong(void)
{
    static const struct {
        const char *json, *where, *says;
    } cases[] = {
        {"{ \"roles\": {\n  \"text\": { \"fg\": \"#12345\" } } }", "t.json:2:19:", "is no colour"},
        {"{ \"roles\": {\n  \"text\": { \"fg\": 7 } } }", "t.json:2:19:", "a colour is a string"},
        {"{ \"roles\": { \"texxt\": {} } }", "t.json:1:", "no role \"texxt\""},
        {"{ \"roles\": { \"text\": { \"attr\": \"bold blink\" } } }", "t.json:1:", "no attribute"},
        {"{ \"roles\": { \"text\": { \"ink\": \"red\" } } }", "t.json:1:", "\"ink\" is unknown"},
        {"{ \"roles\": { \"text\": [] } }", "t.json:1:", "a role is an object"},
        {"{ \"roles\": [] }", "t.json:1:", "\"roles\" is an object"},
        {"{ \"title\": 1 }", "t.json:1:", "\"title\" is a string"},
        {"{ \"colors\": {} }", "t.json:1:", "\"colors\" is unknown"},
        {"[]", "t.json:1:1:", "a theme is an object"},
        {"{ \"roles\": ", "t.json:1:", ""},
        {"", "t.json:1:", ""},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct theme t = {.name = "untouched"};
        struct err e = {0};
        int rc = theme_parse(&t, "t.json", cases[i].json, strlen(cases[i].json), &e);
        tap_ok(rc < 0, "%s: refused", cases[i].json);
        tap_int(e.exit_code, EXIT_CODE_CONFIG, "its exit code");
        tap_ok(strncmp(e.text, cases[i].where, strlen(cases[i].where)) == 0, "%s begins with %s",
               e.text, cases[i].where);
        tap_ok(strstr(e.text, cases[i].says) != NULL, "%s says %s", e.text, cases[i].says);
        tap_str(t.name, "untouched", "nothing was changed");
    }
}

static void test_partial(void)
{
    static const char json[] = "{ \"roles\": { \"error\": { \"fg\": \"bright-red\", \"bg\": "
                               "\"default\", \"attr\": \"bold\" } } }";
    struct theme t, d;
    struct err e;

    theme_default(&d);
    tap_int(theme_parse(&t, "dir/mine.json", json, strlen(json), &e), 0, "a theme of one role");
    tap_str(t.name, "mine", "its name");
    tap_int(theme_colour(t.styles[ROLE_ERROR].fg, 256), 9, "a named colour in 256");
    tap_int(theme_colour(t.styles[ROLE_ERROR].fg, 8), 1, "a named colour in 8");
    tap_int(t.styles[ROLE_ERROR].mono, THEME_BOLD, "mono follows attr where it is not given");
    tap_ok(memcmp(&t.styles[ROLE_READ], &d.styles[ROLE_READ], sizeof(struct style)) == 0,
           "what it leaves out is the default's");
    tap_ok(theme_load(&t, "nonesuch", "/nonexistent", &e) < 0 && strstr(e.text, "nonesuch"),
           "a theme that is not there: %s", e.text);
    tap_ok(theme_load(&t, "/dev/null/x.json", NULL, &e) < 0, "a path that cannot be read: %s",
           e.text);
    tap_ok(theme_load(&t, "/dev/zero", NULL, &e) < 0, "not a file: %s", e.text);
}

static void test_mapping(void)
{
    static const struct {
        int32_t rgb;
        int in_256, in_16, in_8;
    } cases[] = {
        {0x000000, 16, 0, 0},
        {0xffffff, 231, 15, 7},
        {0xff0000, 196, 9, 1},
        {0x00cd00, 40, 2, 2},
        {0x5fafd7, 74, -2, -2},
        {0x808080, 244, 8, 0},
        {THEME_DEFAULT_COLOUR, -1, -1, -1},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        tap_int(theme_colour(cases[i].rgb, 256), cases[i].in_256, "%06x in 256",
                (unsigned)cases[i].rgb);
        if (cases[i].in_16 == -2)
            continue;
        tap_int(theme_colour(cases[i].rgb, 16), cases[i].in_16, "%06x in 16",
                (unsigned)cases[i].rgb);
        tap_int(theme_colour(cases[i].rgb, 8), cases[i].in_8, "%06x in 8", (unsigned)cases[i].rgb);
    }
    tap_int(theme_colour(0x123456, 0), -1, "no colours");
}

int main(void)
{
    test_shipped();
    test_builtin();
    test_wrong();
    test_partial();
    test_mapping();
    return tap_done();
}
