/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Profiles as JSON: there and back, what is refused and where, and the list of all. */
#include <string.h>

#include "sthd/book.h"
#include "tap.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static bool same_test(const struct test *a, const struct test *b)
{
    return strcmp(a->name, b->name) == 0 && a->pattern == b->pattern &&
           a->block_bytes == b->block_bytes && a->queue_depth == b->queue_depth &&
           a->threads == b->threads && a->directions == b->directions && a->sync == b->sync &&
           a->end_fsync == b->end_fsync && a->engine == b->engine && a->io == b->io &&
           a->tool == b->tool && a->cached == b->cached && a->whole_file == b->whole_file &&
           a->mix_percent == b->mix_percent && a->fsync_every == b->fsync_every &&
           a->rate_iops == b->rate_iops && a->offset_bytes == b->offset_bytes &&
           a->region_bytes == b->region_bytes && a->io_bytes == b->io_bytes && a->work == b->work &&
           a->files == b->files;
}

static bool same(const struct profile *a, const struct profile *b)
{
    bool is = strcmp(a->name, b->name) == 0 && strcmp(a->title, b->title) == 0 &&
              strcmp(a->note, b->note) == 0 && a->view == b->view &&
              a->by_direction == b->by_direction && a->warmup == b->warmup &&
              a->endless == b->endless && a->loops == b->loops && a->combine == b->combine &&
              a->runtime_s == b->runtime_s && a->pause_s == b->pause_s &&
              a->size_bytes == b->size_bytes && a->wears == b->wears &&
              a->unprepared == b->unprepared && a->n_tests == b->n_tests;

    for (size_t i = 0; is && i < a->n_tests; i++)
        is = same_test(&a->tests[i], &b->tests[i]);
    return is;
}

static void test_round_trip(void)
{
    /* With every field that a test can have set to something it is not without. */
    static const struct profile odd = {
        .name = "odd",
        .title = "\"Odd\" \\ \xc3\xa4",
        .note = "A note.",
        .view = VIEW_SLOG,
        .by_direction = true,
        .warmup = true,
        .loops = 7,
        .combine = COMBINE_MEDIAN,
        .runtime_s = 61,
        .pause_s = 3,
        .size_bytes = 12345 * 512,
        .wears = true,
        .n_tests = 3,
        .tests = {{.name = "A \"b\"",
                   .pattern = PATTERN_RND,
                   .block_bytes = 1536,
                   .queue_depth = 9,
                   .threads = 3,
                   .directions = 7,
                   .mix_percent = 33,
                   .end_fsync = true,
                   .fsync_every = 17,
                   .engine = ENGINE_POSIXAIO,
                   .io = IO_DIRECT,
                   .rate_iops = 12,
                   .offset_bytes = 512,
                   .region_bytes = 1ull << 40,
                   .io_bytes = 3 * 512},
                  {.name = "C",
                   .block_bytes = 4096,
                   .queue_depth = 1,
                   .threads = 1,
                   .directions = 1,
                   .tool = TOOL_DD,
                   .io = IO_BUFFERED,
                   .cached = true,
                   .whole_file = true},
                  {.name = "D",
                   .block_bytes = 4096,
                   .queue_depth = 1,
                   .threads = 2,
                   .directions = 2,
                   .work = WORK_DELETE,
                   .files = 1000}},
    };

    for (size_t i = 0; i <= profile_count(); i++) {
        const struct profile *p = i < profile_count() ? profile_at(i) : &odd;
        struct profile back;
        struct buf text = BUF_INIT;
        struct err e;
        err_clear(&e);
        profile_print(p, &text);
        tap_int(profile_read(&back, "x.json", text.data, text.len, &e), 0, "%s reads back: %s",
                p->name, e.text);
        tap_ok(same(p, &back), "%s is the same", p->name);
        buf_done(&text);
    }
}

#define HEAD "{\"name\": \"x\", \"title\": \"X\", \"tests\": "
#define TEST "{\"name\": \"A\", \"block\": \"4k\"}"

static void test_refused(void)
{
    static const struct {
        const char *what, *text, *says; /* says NULL: fine */
    } rows[] = {
        {"the least", HEAD "[" TEST "]}", NULL},
        {"not JSON", "{\"name\": ", "d/x.json:1:"},
        {"no object", "[]", "d/x.json:1:1: this is to be an object"},
        {"no tests", "{\"name\": \"x\", \"title\": \"X\"}", "\"tests\" is a list"},
        {"tests of none", HEAD "[]}", "\"tests\" is a list"},
        {"no name", "{\"title\": \"X\", \"tests\": [" TEST "]}", "\"name\" is missing"},
        {"a name with blanks", "{\"name\": \"x y\", \"title\": \"X\", \"tests\": [" TEST "]}",
         "small letters"},
        {"a name like an option", "{\"name\": \"-x\", \"title\": \"X\", \"tests\": [" TEST "]}",
         "small letters"},
        {"an unknown field", "{\"naem\": 1,\n \"name\": \"x\", \"title\": \"X\", \"tests\": []}",
         "d/x.json:1:10: there is no field called \"naem\""},
        {"a test without block", HEAD "[\n  {\"name\": \"A\"}]}",
         "d/x.json:2:3: \"block\" is missing"},
        {"a wrong word", HEAD "[{\"name\": \"A\", \"block\": 512,\n\"engine\": \"uring\"}]}",
         "d/x.json:2:11: \"engine\" is one of \"auto\", \"io_uring\""},
        {"a wrong size", HEAD "[{\"name\": \"A\", \"block\": \"4q\"}]}", "is a size"},
        {"a size of 1.5 bytes", HEAD "[{\"name\": \"A\", \"block\": 1.5}]}", "is a size"},
        {"a negative count", HEAD "[{\"name\": \"A\", \"block\": 512, \"threads\": -1}]}",
         "whole number"},
        {"a huge count", HEAD "[{\"name\": \"A\", \"block\": 512, \"threads\": 1e12}]}",
         "whole number"},
        {"a bool that is none", HEAD "[{\"name\": \"A\", \"block\": 512, \"sync\": 1}]}",
         "true or false"},
        {"a wrong direction", HEAD "[{\"name\": \"A\", \"block\": 512, \"directions\": [\"up\"]}]}",
         "a direction is"},
        {"no direction", HEAD "[{\"name\": \"A\", \"block\": 512, \"directions\": []}]}",
         "is a list such as"},
        {"one direction", HEAD "[{\"name\": \"A\", \"block\": 512, \"directions\": \"read\"}]}",
         "is a list such as"},
        {"what profile_check refuses, at its test",
         HEAD "[" TEST ",\n   {\"name\": \"B\", \"block\": 512, \"threads\": 0}]}",
         "d/x.json:2:4: profile x: test 2 needs 1 to 256 threads"},
        {"a title that is a terminal's command",
         "{\"name\": \"x\", \"title\": \"\\u001b[2J\", \"tests\": [" TEST "]}",
         "cannot be printed"},
        {"a title too long",
         "{\"name\": \"x\", \"title\": \"0123456789012345678901234567890123456789012345678901\", "
         "\"tests\": [" TEST "]}",
         "too long"},
        {"a key that is a terminal's command",
         "{\"\\u001b[2J\": 1, \"name\": \"x\", \"title\": \"X\", \"tests\": [" TEST "]}",
         "there is no field"},
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        struct profile p;
        struct err e;
        err_clear(&e);
        int rc = profile_read(&p, "d/x.json", rows[i].text, strlen(rows[i].text), &e);
        if (rows[i].says)
            tap_ok(rc < 0 && strstr(e.text, rows[i].says) && e.exit_code == EXIT_CODE_CONFIG &&
                       !strchr(e.text, '\033'),
                   "%s: %s", rows[i].what, e.text);
        else
            tap_int(rc, 0, "%s: %s", rows[i].what, e.text);
    }
}

static void test_absent(void)
{
    struct profile p;
    struct err e;

    err_clear(&e);
    tap_int(profile_read(&p, "x", HEAD "[" TEST "]}", strlen(HEAD "[" TEST "]}"), &e), 0,
            "what is left out: %s", e.text);
    tap_ok(p.loops == 1 && p.view == VIEW_CDM && p.tests[0].queue_depth == 1 &&
               p.tests[0].threads == 1 && p.tests[0].directions == 3 &&
               p.tests[0].engine == ENGINE_AUTO && p.tests[0].tool == TOOL_FIO &&
               p.tests[0].pattern == PATTERN_SEQ,
           "has the values that the man page says");
}

static int add(struct book *b, const char *file, const char *text, struct err *e)
{
    return book_add(b, file, text, strlen(text), e);
}

static void test_book(void)
{
    struct book b;
    struct err e;

    tap_int((long long)book_count(NULL), (long long)profile_count(), "no book: the built-in ones");
    tap_ok(book_find(NULL, "cdm") == profile_find("cdm"), "found without a book");
    book_init(&b);
    tap_int(add(&b, "a.json", HEAD "[" TEST "]}", &e), 0, "one of our own");
    tap_ok(add(&b, "b.json", "{", &e) < 0, "a broken one: %s", e.text);
    tap_ok(add(&b, "c.json", HEAD "[" TEST "]}", &e) < 0 && strstr(e.text, "c.json") &&
               strstr(e.text, "already"),
           "one of the same name: %s", e.text);
    tap_ok(add(&b, "d.json", "{\"name\": \"cdm\", \"title\": \"X\", \"tests\": [" TEST "]}", &e) <
               0,
           "one that is called as a built-in one: %s", e.text);
    tap_int(add(&b, "e.json", "{\"name\": \"y\", \"title\": \"Y\", \"tests\": [" TEST "]}", NULL),
            0, "another one: broken ones do not stop the others");
    tap_int((long long)b.problems.n, 3, "each problem has its sentence");
    tap_int((long long)book_count(&b), (long long)profile_count() + 2, "they are in the list");
    tap_str(book_at(&b, profile_count())->name, "x", "behind the built-in ones");
    tap_ok(book_find(&b, "y") && !book_find(&b, "z") && !book_at(&b, book_count(&b)), "found");
    book_done(&b);
}

int main(void)
{
    test_round_trip();
    test_refused();
    test_absent();
    test_book();
    return tap_done();
}
