/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Keys: what is typed, what is pasted, and what both do to the ui's state. No terminal. */
#include "input.h"

#include <stdlib.h>
#include <string.h>

#include "fake.h"
#include "keys.h"
#include "tap.h"

#define MS INT64_C(1000000)

/* Bursts as text ("|" parts wake-ups that are 300 ms apart, "," those 50 ms apart); what is left as
 * commands and as paste. Marks: < begins, > ends a marked paste, ^ is ESC, U is Up. */
static void test_keys(void)
{
    static const struct {
        const char *typed, *commands, *pasted;
    } cases[] = {
        {"q", "q", ""},       {"q|y", "qy", ""},     {"q,y", "qy", ""},   {"qy", "", "qy"},
        {"jjjj", "jjjj", ""}, {"ab,q", "", "abq"},   {"ab|q", "q", "ab"}, {"<q>", "", "q"},
        {"<q", "", "q"},      {"<|q|>|q", "q", "q"}, {"^", "^", ""},      {"^q", "", ""},
        {"^[24;5~", "", ""},  {"^[24;5~q", "q", ""}, {"^OX", "", ""},     {"UU", "UU", ""},
        {"Uq", "Uq", ""},     {"^|q", "^q", ""},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct buf commands = BUF_INIT, pasted = BUF_INIT;
        int codes[64], key;
        size_t n = 0;
        int64_t now = 1000 * MS;
        struct keys k;
        keys_init(&k);
        for (const char *c = cases[i].typed;; c++) {
            if (*c == '\0' || *c == '|' || *c == ',') {
                keys_feed(&k, codes, n, now);
                n = 0;
                now += *c == ',' ? 50 * MS : 300 * MS;
                if (!*c)
                    break;
            } else {
                codes[n++] = *c == '<'   ? KEY_CODE_PASTE_BEGIN
                             : *c == '>' ? KEY_CODE_PASTE_END
                             : *c == '^' ? KEY_CODE_ESC
                             : *c == 'U' ? KEY_CODE_UP
                                         : *c;
            }
        }
        while (keys_next(&k, &key))
            buf_addc(&commands, key == KEY_CODE_ESC ? '^' : key == KEY_CODE_UP ? 'U' : (char)key);
        keys_take_paste(&k, &pasted);
        tap_str(commands.data ? commands.data : "", cases[i].commands, "commands of %s",
                cases[i].typed);
        tap_str(pasted.data ? pasted.data : "", cases[i].pasted, "paste of %s", cases[i].typed);
        keys_done(&k);
        buf_done(&commands);
        buf_done(&pasted);
    }
}

struct desk {
    struct fake *fake;
    struct ui_state state;
    struct scene scene;
};

static struct desk *desk_new(enum fake_scene scene)
{
    struct desk *d = calloc(1, sizeof(*d));

    if (!d)
        abort();
    d->fake = fake_new(scene);
    ui_state_init(&d->state);
    d->scene = (struct scene){fake_model(d->fake), &d->state};
    return d;
}

static void desk_free(struct desk *d)
{
    ui_state_done(&d->state);
    fake_free(d->fake);
    free(d);
}

/* Types one key after another; gives the last message that was not nothing. */
static struct ui_message type(struct desk *d, const char *keys)
{
    struct ui_message last = {0};

    for (; *keys; keys++) {
        struct ui_message m;
        input_key(&d->scene, *keys == '\n' ? KEY_CODE_ENTER : (unsigned char)*keys, &m);
        if (m.type != UI_NOTHING) {
            free(last.text);
            last = m;
        }
    }
    return last;
}

static void test_messages(void)
{
    static const struct {
        enum fake_scene scene;
        const char *keys;
        enum ui_message_type want;
        uint64_t number;
        const char *text;
    } cases[] = {
        {FAKE_SETUP_WEARS, "sy", UI_NOTHING, 0, NULL},
        {FAKE_SETUP_WEARS, "syn", UI_NOTHING, 0, NULL},
        {FAKE_SETUP_WEARS, "syy", UI_START, 0, NULL},
        {FAKE_SETUP, "q", UI_QUIT, 0, NULL},
        {FAKE_SETUP, "s", UI_NOTHING, 0, NULL},
        {FAKE_SETUP, "sy", UI_START, 0, NULL},
        {FAKE_SETUP, "sn", UI_NOTHING, 0, NULL},
        {FAKE_SETUP, "ss", UI_NOTHING, 0, NULL},
        {FAKE_SETUP, "\n\n\n", UI_NOTHING, 0, NULL},
        {FAKE_SETUP, "\ny", UI_START, 0, NULL},
        {FAKE_SETUP, "j\n", UI_PATH, 0, "/mnt/tank"},
        {FAKE_SETUP, "7", UI_PATH, 0, "/dev/shm"},
        {FAKE_SETUP, "o\025/srv/x\n", UI_PATH, 0, "/srv/x"},
        {FAKE_SETUP, "o\025\n", UI_NOTHING, 0, NULL},
        {FAKE_SETUP, "jjjjjjj\n\025/x\n", UI_PATH, 0, "/x"},
        {FAKE_SETUP, "p2", UI_PROFILE, 0, NULL},
        {FAKE_SETUP, "e1", UI_ENGINE, ENGINE_AUTO, NULL},
        {FAKE_SETUP, "e3", UI_NOTHING, 0, NULL}, /* libaio does not work here */
        {FAKE_SETUP, "e6", UI_ENGINE, ENGINE_PSYNC, NULL},
        {FAKE_SETUP, "i3", UI_IO, IO_BUFFERED, NULL},
        {FAKE_SETUP, "z1", UI_SIZE, 64 << 20, NULL},
        {FAKE_SETUP, "zjj\n", UI_SIZE, UINT64_C(16) << 30, NULL},
        {FAKE_SETUP, "z8\0251.5g\n", UI_SIZE, UINT64_C(3) << 29, NULL},
        {FAKE_SETUP, "z8\0251m\n", UI_NOTHING, 0, NULL},
        {FAKE_SETUP, "z8\025lots\n", UI_NOTHING, 0, NULL},
        {FAKE_SETUP, "r7\0252m\n", UI_RUNTIME, 120, NULL},
        {FAKE_SETUP, "r7\0250\n", UI_NOTHING, 0, NULL},
        {FAKE_SETUP, "u", UI_RELOAD_TARGETS, 0, NULL},
        {FAKE_SETUP, "gg", UI_KNOB, KNOB_GOVERNOR, "schedutil"},
        {FAKE_CDM, "gg", UI_KNOB, KNOB_GOVERNOR, "schedutil"},
        {FAKE_CDM, "gb", UI_KNOB, KNOB_BOOST, "on"},
        {FAKE_CDM, "gl", UI_KNOB, KNOB_LIMIT, "off"},
        {FAKE_CDM, "ge", UI_NOTHING, 0, NULL}, /* there is none here, and it says why */
        {FAKE_CDM, "g0", UI_KNOBS_BACK, 0, NULL},
        {FAKE_CDM, "gq", UI_NOTHING, 0, NULL}, /* q closes, and asks nothing */
        {FAKE_CDM, "gqb", UI_NOTHING, 0, NULL},
        {FAKE_SETUP_EMPTY, "gg", UI_NOTHING, 0, NULL}, /* no knobs to be turned */
        {FAKE_SETUP, "?q", UI_NOTHING, 0, NULL},       /* q closes what is open */
        {FAKE_SETUP, "?\003", UI_INTERRUPT, 0, NULL},
        {FAKE_SETUP, "o\003", UI_INTERRUPT, 0, NULL},
        {FAKE_SETUP, "\032", UI_SUSPEND, 0, NULL},
        {FAKE_SETUP_EMPTY, "sy", UI_NOTHING, 0, NULL}, /* no target chosen */
        {FAKE_CDM, "q", UI_NOTHING, 0, NULL},
        {FAKE_CDM, "qy", UI_QUIT, 0, NULL},
        {FAKE_CDM, "qn", UI_NOTHING, 0, NULL},
        {FAKE_CDM, "sy", UI_STOP, 0, NULL},
        {FAKE_CDM, "ny", UI_NEXT, 0, NULL},
        {FAKE_CDM, "b", UI_NOTHING, 0, NULL},
        {FAKE_CDM, "rjk-/io\nq", UI_NOTHING, 0, NULL},
        {FAKE_SETUP, "w9", UI_WATCH, DIRECTION_WRITE, NULL},
        {FAKE_SETUP, "wa", UI_WATCH, 1 * DIRECTION_COUNT + DIRECTION_WRITE, NULL},
        {FAKE_SETUP, "wq", UI_NOTHING, 0, NULL},
        {FAKE_CDM, "m", UI_MARK, 0, NULL},
        {FAKE_CDM, "w", UI_NOTHING, 0, NULL},
        {FAKE_WATCH, "m", UI_MARK, 0, NULL},
        {FAKE_WATCH, "ny", UI_NOTHING, 0, NULL}, /* there is no next test */
        {FAKE_WATCH, "sy", UI_STOP, 0, NULL},
        {FAKE_WATCHED, "w", UI_WATCH, DIRECTION_WRITE, NULL},
        {FAKE_FINISHED, "w", UI_WATCH, 3 * DIRECTION_COUNT + DIRECTION_WRITE, NULL},
        {FAKE_STOPPING, "s", UI_STOP, 0, NULL},
        {FAKE_FINISHED, "q", UI_QUIT, 0, NULL},
        {FAKE_FINISHED, "\n", UI_BACK, 0, NULL},
        {FAKE_FINISHED, "jkb", UI_BACK, 0, NULL},
        {FAKE_FINISHED, "x\025r.csv\n", UI_EXPORT, 0, "r.csv"},
        {FAKE_FINISHED, "x\025\n", UI_NOTHING, 0, NULL},
        {FAKE_CDM, "x", UI_NOTHING, 0, NULL},
        {FAKE_FINISHED, "x\025r.csv\n", UI_EXPORT, 0, "r.csv"},
        {FAKE_FINISHED, "x\025\n", UI_NOTHING, 0, NULL},
        {FAKE_CDM, "x", UI_NOTHING, 0, NULL},
        {FAKE_FINISHED, "s", UI_NOTHING, 0, NULL},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct desk *d = desk_new(cases[i].scene);
        struct ui_message m = type(d, cases[i].keys);
        tap_int(m.type, cases[i].want, "case %zu: %s", i, cases[i].keys);
        tap_int((long long)m.number, (long long)cases[i].number, "case %zu: its number", i);
        if (cases[i].text)
            tap_str(m.text ? m.text : "", cases[i].text, "case %zu: its text", i);
        if (m.type == UI_PROFILE)
            tap_str(m.profile->name, "slog", "case %zu: its profile", i);
        free(m.text);
        desk_free(d);
    }
}

/* Every byte and every special key, in every overlay of every screen: comes back, and nothing that
 * writes or ends a run comes of one key. */
static void test_any_key(void)
{
    static const enum fake_scene scenes[] = {FAKE_SETUP, FAKE_SETUP_EMPTY, FAKE_CDM, FAKE_PREPARE,
                                             FAKE_FINISHED};
    static const char *const before[] = {"", "p", "e", "i", "z", "r", "o", "s", "t", "f", "?", "/"};
    int started = 0, ended = 0;

    for (size_t i = 0; i < sizeof(scenes) / sizeof(scenes[0]); i++)
        for (size_t b = 0; b < sizeof(before) / sizeof(before[0]); b++) {
            struct desk *d = desk_new(scenes[i]);
            for (int key = 0; key <= KEY_CODE_OTHER; key++) {
                struct ui_message m;
                ui_state_done(&d->state);
                ui_state_init(&d->state);
                for (int t = 0; t < 3; t++)
                    strv_add(&d->state.themes, "x");
                free(type(d, before[b]).text);
                bool asked = d->state.overlay == OVERLAY_ASK;
                input_key(&d->scene, key, &m);
                started += m.type == UI_START && !asked;
                ended += scene_running(&d->scene) && !asked &&
                         (m.type == UI_STOP || m.type == UI_QUIT || m.type == UI_NEXT);
                free(m.text);
            }
            desk_free(d);
        }
    tap_int(started, 0, "nothing starts of one key");
    tap_int(ended, 0, "no run ends of one key");
}

static void test_paste(void)
{
    struct desk *d = desk_new(FAKE_SETUP);
    struct ui_message m;

    input_paste(&d->scene, "sy", 2);
    tap_int(d->state.overlay, OVERLAY_NONE, "a paste opens nothing");
    tap_ok(d->state.message[0] != '\0', "and is told: %s", d->state.message);
    free(type(d, "o\025").text);
    input_paste(&d->scene, "  /mnt/a b\nrm -rf /\n", 20);
    tap_str(d->state.text.data, "/mnt/a b", "in a text field it is text, its first line");
    m = type(d, "\n");
    tap_str(m.text ? m.text : "", "/mnt/a b", "and taken by Enter");
    free(m.text);
    desk_free(d);
}

static void test_search(void)
{
    struct desk *d = desk_new(FAKE_CDM);
    struct lines *raw = lines_new(1 << 16);

    fake_model(d->fake)->raw = raw;
    for (int i = 0; i < 100; i++)
        lines_say(raw, i % 30 == 7 ? "line %d Needle" : "line %d", i);
    free(type(d, "r/needle\n").text);
    tap_int((long long)d->state.raw_hit, 97, "the latest is found first, whatever its case");
    free(type(d, "<").text);
    tap_int((long long)d->state.raw_hit, 67, "older");
    free(type(d, ">").text);
    tap_int((long long)d->state.raw_hit, 97, "newer");
    tap_ok(!d->state.raw_follow, "the pane stays there");
    free(type(d, "l").text);
    tap_ok(d->state.raw_follow, "and follows again");
    free(type(d, "/hay\n").text);
    tap_ok(d->state.message[0] != '\0', "not found is told: %s", d->state.message);
    desk_free(d);
    lines_free(raw);
}

static void test_knobs(void)
{
    struct desk *d = desk_new(FAKE_CDM);
    struct ui_message m;

    free(type(d, "ge").text);
    tap_ok(strstr(d->state.message, "no EPP") != NULL, "why a knob cannot be turned: %s",
           d->state.message);
    tap_int(d->state.overlay, OVERLAY_KNOBS, "the knobs stay open");
    fake_model(d->fake)->left = "A run that was killed has left the governor changed.";
    m = type(d, "g");
    tap_int(m.type, UI_NOTHING, "what a killed run left comes first");
    tap_int(d->state.overlay, OVERLAY_ASK, "it is asked for");
    m = type(d, "y");
    tap_int(m.type, UI_REPAIR, "and repaired when that is said");
    desk_free(d);

    d = desk_new(FAKE_SETUP);
    m = type(d, "gs");
    tap_int(m.type, UI_SWEEP, "a sweep is chosen on the setup screen");
    tap_int((long long)m.number, KNOB_GOVERNOR, "of the first knob that has settings");
    desk_free(d);
    d = desk_new(FAKE_CDM);
    m = type(d, "gs");
    tap_int(m.type, UI_NOTHING, "not while a test runs");
    desk_free(d);
}

int main(void)
{
    test_keys();
    test_messages();
    test_any_key();
    test_paste();
    test_search();
    test_knobs();
    return tap_done();
}
