/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A profile as JSON, both ways from one table of fields: what is printed reads back, and a new
 * field is one row here. Knows no file.
 */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "sthd/book.h"
#include "sthd/jsonfile.h"
#include "sthd/text.h"
#include "sthd/units.h"

enum kind {
    KIND_TEXT,
    KIND_BOOL,
    KIND_COUNT, /* of type unsigned or uint32_t, a whole number from 0 on */
    KIND_SIZE,  /* uint64_t, bytes or "64k" */
    KIND_WORD,  /* an enum, by its names */
    KIND_DIRECTIONS,
};

struct field {
    const char *key;
    enum kind kind;
    size_t offset;
    size_t size;     /* of a text, with its NUL */
    unsigned absent; /* COUNT, WORD and DIRECTIONS: what it is when it is not there */
    unsigned words;  /* WORD: how many */
    const char *(*word)(unsigned i);
    bool required;
};

static const char *word_pattern(unsigned i)
{
    return pattern_name((enum pattern)i);
}

static const char *word_tool(unsigned i)
{
    return tool_name((enum tool)i);
}

static const char *word_engine(unsigned i)
{
    return engine_name((enum engine)i);
}

static const char *word_io(unsigned i)
{
    return io_mode_name((enum io_mode)i);
}

static const char *word_work(unsigned i)
{
    return work_name((enum work)i);
}

static const char *word_view(unsigned i)
{
    return profile_view_name((enum profile_view)i);
}

static const char *word_combine(unsigned i)
{
    return combine_name((enum combine)i);
}

#define READ_WRITE (1u << DIRECTION_READ | 1u << DIRECTION_WRITE)

#define P(member)             offsetof(struct profile, member)
#define T(member)             offsetof(struct test, member)
#define SIZE_OF(type, member) sizeof(((type *)0)->member)

static const struct field profile_fields[] = {
    {"name", KIND_TEXT, P(name), SIZE_OF(struct profile, name), 0, 0, NULL, true},
    {"title", KIND_TEXT, P(title), SIZE_OF(struct profile, title), 0, 0, NULL, true},
    {"note", KIND_TEXT, P(note), SIZE_OF(struct profile, note), 0, 0, NULL, false},
    {"view", KIND_WORD, P(view), 0, VIEW_CDM, VIEW_COUNT, word_view, false},
    {"by_direction", KIND_BOOL, P(by_direction), 0, 0, 0, NULL, false},
    {"endless", KIND_BOOL, P(endless), 0, 0, 0, NULL, false},
    {"warmup", KIND_BOOL, P(warmup), 0, 0, 0, NULL, false},
    {"loops", KIND_COUNT, P(loops), 0, 1, 0, NULL, false},
    {"combine", KIND_WORD, P(combine), 0, COMBINE_BEST, COMBINE_COUNT, word_combine, false},
    {"runtime_s", KIND_COUNT, P(runtime_s), 0, 0, 0, NULL, false},
    {"pause_s", KIND_COUNT, P(pause_s), 0, 0, 0, NULL, false},
    {"interval_ms", KIND_COUNT, P(interval_ms), 0, 0, 0, NULL, false},
    {"size", KIND_SIZE, P(size_bytes), 0, 0, 0, NULL, false},
    {"wears", KIND_BOOL, P(wears), 0, 0, 0, NULL, false},
    {"unprepared", KIND_BOOL, P(unprepared), 0, 0, 0, NULL, false},
};

static const struct field test_fields[] = {
    {"name", KIND_TEXT, T(name), SIZE_OF(struct test, name), 0, 0, NULL, true},
    {"tool", KIND_WORD, T(tool), 0, TOOL_FIO, TOOL_COUNT, word_tool, false},
    {"pattern", KIND_WORD, T(pattern), 0, PATTERN_SEQ, PATTERN_COUNT, word_pattern, false},
    {"block", KIND_SIZE, T(block_bytes), 0, 0, 0, NULL, true},
    {"queue_depth", KIND_COUNT, T(queue_depth), 0, 1, 0, NULL, false},
    {"threads", KIND_COUNT, T(threads), 0, 1, 0, NULL, false},
    {"directions", KIND_DIRECTIONS, T(directions), 0, READ_WRITE, 0, NULL, false},
    {"mix_percent", KIND_COUNT, T(mix_percent), 0, 0, 0, NULL, false},
    {"sync", KIND_BOOL, T(sync), 0, 0, 0, NULL, false},
    {"fsync_every", KIND_COUNT, T(fsync_every), 0, 0, 0, NULL, false},
    {"end_fsync", KIND_BOOL, T(end_fsync), 0, 0, 0, NULL, false},
    {"engine", KIND_WORD, T(engine), 0, ENGINE_AUTO, ENGINE_COUNT, word_engine, false},
    {"io", KIND_WORD, T(io), 0, IO_AUTO, IO_MODE_COUNT, word_io, false},
    {"rate_iops", KIND_COUNT, T(rate_iops), 0, 0, 0, NULL, false},
    {"offset", KIND_SIZE, T(offset_bytes), 0, 0, 0, NULL, false},
    {"region", KIND_SIZE, T(region_bytes), 0, 0, 0, NULL, false},
    {"offset_permille", KIND_COUNT, T(offset_permille), 0, 0, 0, NULL, false},
    {"region_permille", KIND_COUNT, T(region_permille), 0, 0, 0, NULL, false},
    {"skip", KIND_SIZE, T(skip_bytes), 0, 0, 0, NULL, false},
    {"skip_back", KIND_BOOL, T(skip_back), 0, 0, 0, NULL, false},
    {"stride_permille", KIND_COUNT, T(stride_permille), 0, 0, 0, NULL, false},
    {"amount", KIND_SIZE, T(io_bytes), 0, 0, 0, NULL, false},
    {"whole_file", KIND_BOOL, T(whole_file), 0, 0, 0, NULL, false},
    {"cached", KIND_BOOL, T(cached), 0, 0, 0, NULL, false},
    {"work", KIND_WORD, T(work), 0, WORK_DATA, WORK_COUNT, word_work, false},
    {"files", KIND_COUNT, T(files), 0, 0, 0, NULL, false},
};

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

_Static_assert(sizeof(enum engine) == sizeof(unsigned), "enums are read and written as unsigned");

/* ---- reading --------------------------------------------------------------------------------- */

static int read_text(const struct jsonfile *f, const struct json *v, const struct field *d,
                     char *to, struct err *e)
{
    const char *s = json_string(v);
    struct buf clean = BUF_INIT;

    if (!s)
        return json_complain(f, v, e, "\"%s\" is a text, in quotation marks", d->key);
    if (strlen(s) >= d->size)
        return json_complain(f, v, e, "\"%s\" is too long: at most %zu bytes", d->key, d->size - 1);
    text_printable(&clean, s, strlen(s), false);
    bool plain = strcmp(clean.data ? clean.data : "", s) == 0;
    buf_done(&clean);
    if (!plain)
        return json_complain(f, v, e, "\"%s\" has characters that cannot be printed", d->key);
    memcpy(to, s, strlen(s) + 1);
    return 0;
}

static int read_count(const struct jsonfile *f, const struct json *v, const struct field *d,
                      unsigned *to, struct err *e)
{
    double x = json_number(v);

    if (isnan(x) || x < 0 || x > UINT32_MAX || x != floor(x))
        return json_complain(f, v, e, "\"%s\" is a whole number from 0 on", d->key);
    *to = (unsigned)x;
    return 0;
}

static int read_size(const struct jsonfile *f, const struct json *v, const struct field *d,
                     uint64_t *to, struct err *e)
{
    const char *s = json_string(v);
    double x = json_number(v);

    if (s ? units_parse_size(s, d->key, to, NULL) < 0
          : isnan(x) || x < 0 || x > 0x1p53 || x != floor(x))
        return json_complain(f, v, e, "\"%s\" is a size: a number of bytes, or such as \"64k\"",
                             d->key);
    if (!s)
        *to = (uint64_t)x;
    return 0;
}

static int read_word(const struct jsonfile *f, const struct json *v, const struct field *d,
                     unsigned *to, struct err *e)
{
    const char *s = json_string(v);
    struct buf words = BUF_INIT;

    for (unsigned i = 0; i < d->words; i++) {
        if (s && strcmp(s, d->word(i)) == 0) {
            *to = i;
            buf_done(&words);
            return 0;
        }
        buf_addf(&words, "%s\"%s\"", i ? ", " : "", d->word(i));
    }
    int rc = json_complain(f, v, e, "\"%s\" is one of %s", d->key, words.data);
    buf_done(&words);
    return rc;
}

static int read_directions(const struct jsonfile *f, const struct json *v, const struct field *d,
                           unsigned *to, struct err *e)
{
    *to = 0;
    for (size_t i = 0; i < json_count(v); i++) {
        const char *s = json_string(json_at(v, i));
        int found = -1;
        for (int k = 0; s && k < DIRECTION_COUNT; k++)
            if (strcmp(s, direction_name((enum direction)k)) == 0)
                found = k;
        if (found < 0)
            return json_complain(f, json_at(v, i), e,
                                 "a direction is \"read\", \"write\" or \"mix\"");
        *to |= 1u << found;
    }
    if (json_type(v) != JSON_ARRAY || *to == 0)
        return json_complain(f, v, e, "\"%s\" is a list such as [\"read\", \"write\"]", d->key);
    return 0;
}

static int read_field(const struct jsonfile *f, const struct json *v, const struct field *d,
                      void *base, struct err *e)
{
    char *at = (char *)base + d->offset;

    switch (d->kind) {
    case KIND_TEXT:
        return read_text(f, v, d, at, e);
    case KIND_BOOL:
        if (json_type(v) != JSON_BOOL)
            return json_complain(f, v, e, "\"%s\" is true or false", d->key);
        *(bool *)at = json_bool(v);
        return 0;
    case KIND_COUNT:
        return read_count(f, v, d, (unsigned *)at, e);
    case KIND_SIZE:
        return read_size(f, v, d, (uint64_t *)at, e);
    case KIND_WORD:
        return read_word(f, v, d, (unsigned *)at, e);
    case KIND_DIRECTIONS:
        return read_directions(f, v, d, (unsigned *)at, e);
    }
    return 0;
}

static const struct field *find_field(const struct field *fields, size_t n, const char *key)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(fields[i].key, key) == 0)
            return &fields[i];
    return NULL;
}

/* What is not among the fields is a mistake of spelling, and must not be without effect. but: a key
 * that somebody else reads. */
static int read_fields(const struct jsonfile *f, const struct json *object,
                       const struct field *fields, size_t n, const char *but, void *base,
                       struct err *e)
{
    if (json_type(object) != JSON_OBJECT)
        return json_complain(f, object, e, "this is to be an object, in braces");
    for (size_t i = 0; i < n; i++) {
        if (fields[i].kind == KIND_COUNT || fields[i].kind == KIND_WORD ||
            fields[i].kind == KIND_DIRECTIONS)
            *(unsigned *)((char *)base + fields[i].offset) = fields[i].absent;
        if (fields[i].required && !json_get(object, fields[i].key))
            return json_complain(f, object, e, "\"%s\" is missing here", fields[i].key);
    }
    for (size_t i = 0; i < json_count(object); i++) {
        const struct json *v = json_at(object, i);
        const struct field *d = find_field(fields, n, json_key(v));
        if (!d && but && strcmp(json_key(v), but) == 0)
            continue;
        if (!d) {
            struct buf key = BUF_INIT;
            text_printable(&key, json_key(v), strlen(json_key(v)), false);
            int rc = json_complain(f, v, e, "there is no field called \"%.40s\"",
                                   key.data ? key.data : "");
            buf_done(&key);
            return rc;
        }
        int rc = read_field(f, v, d, base, e);
        if (rc < 0)
            return rc;
    }
    return 0;
}

static int read_root(struct profile *p, const struct jsonfile *f, struct err *e)
{
    const struct json *root = jsonfile_root(f), *tests = json_get(root, "tests");
    struct err fault;
    int rc = read_fields(f, root, profile_fields, COUNT(profile_fields), "tests", p, e);

    if (rc < 0)
        return rc;
    if (json_type(tests) != JSON_ARRAY || json_count(tests) < 1 ||
        json_count(tests) > PROFILE_TESTS)
        return json_complain(f, tests ? tests : root, e, "\"tests\" is a list of 1 to %d tests",
                             PROFILE_TESTS);
    p->n_tests = json_count(tests);
    for (size_t i = 0; i < p->n_tests; i++) {
        rc = read_fields(f, json_at(tests, i), test_fields, COUNT(test_fields), NULL, &p->tests[i],
                         e);
        if (rc < 0)
            return rc;
    }
    err_clear(&fault);
    if (profile_check(p, &fault) == 0)
        return 0;
    /* Where it is about one test, at that test. */
    size_t n = 0;
    const char *where = strstr(fault.text, ": test ");
    if (where)
        n = (size_t)strtoul(where + 7, NULL, 10);
    return json_complain(f, n > 0 ? json_at(tests, n - 1) : root, e, "%s", fault.text);
}

int profile_read(struct profile *out, const char *file, const char *text, size_t len, struct err *e)
{
    struct jsonfile *f;
    int rc = jsonfile_parse(&f, file, text, len, e);

    memset(out, 0, sizeof(*out));
    if (rc == 0)
        rc = read_root(out, f, e);
    jsonfile_free(f);
    return rc;
}

/* ---- printing -------------------------------------------------------------------------------- */

static void print_text(struct buf *out, const char *s)
{
    buf_addc(out, '"');
    for (; *s; s++) {
        if (*s == '"' || *s == '\\')
            buf_addc(out, '\\');
        buf_addc(out, *s);
    }
    buf_addc(out, '"');
}

/* As short as it can be said exactly. */
static void print_size(struct buf *out, uint64_t bytes)
{
    static const char units[] = "kmgtp";
    int unit = -1;

    while (unit < 4 && bytes && bytes % 1024 == 0) {
        bytes /= 1024;
        unit++;
    }
    if (unit < 0)
        buf_addf(out, "%llu", (unsigned long long)bytes);
    else
        buf_addf(out, "\"%llu%c\"", (unsigned long long)bytes, units[unit]);
}

static void print_directions(struct buf *out, unsigned set)
{
    const char *comma = "";

    buf_addc(out, '[');
    for (int d = 0; d < DIRECTION_COUNT; d++)
        if (set & 1u << d) {
            buf_addf(out, "%s\"%s\"", comma, direction_name((enum direction)d));
            comma = ", ";
        }
    buf_addc(out, ']');
}

static bool is_absent(const struct field *d, const void *at)
{
    switch (d->kind) {
    case KIND_TEXT:
        return *(const char *)at == '\0';
    case KIND_BOOL:
        return !*(const bool *)at;
    case KIND_SIZE:
        return *(const uint64_t *)at == 0;
    default:
        return *(const unsigned *)at == d->absent;
    }
}

static void print_value(struct buf *out, const struct field *d, const void *at)
{
    switch (d->kind) {
    case KIND_TEXT:
        print_text(out, at);
        break;
    case KIND_BOOL:
        buf_adds(out, *(const bool *)at ? "true" : "false");
        break;
    case KIND_COUNT:
        buf_addf(out, "%u", *(const unsigned *)at);
        break;
    case KIND_SIZE:
        print_size(out, *(const uint64_t *)at);
        break;
    case KIND_WORD:
        print_text(out, d->word(*(const unsigned *)at));
        break;
    case KIND_DIRECTIONS:
        print_directions(out, *(const unsigned *)at);
        break;
    }
}

/* Fields that have the value they would have anyway are left out. */
static void print_fields(struct buf *out, const struct field *fields, size_t n, const void *base,
                         const char *between)
{
    const char *comma = "";

    for (size_t i = 0; i < n; i++) {
        const void *at = (const char *)base + fields[i].offset;
        if (!fields[i].required && is_absent(&fields[i], at))
            continue;
        buf_addf(out, "%s\"%s\": ", comma, fields[i].key);
        print_value(out, &fields[i], at);
        comma = between;
    }
}

void profile_print(const struct profile *p, struct buf *out)
{
    buf_adds(out, "{\n  ");
    print_fields(out, profile_fields, COUNT(profile_fields), p, ",\n  ");
    buf_adds(out, ",\n  \"tests\": [\n");
    for (size_t i = 0; i < p->n_tests; i++) {
        buf_adds(out, "    {");
        print_fields(out, test_fields, COUNT(test_fields), &p->tests[i], ", ");
        buf_addf(out, "}%s\n", i + 1 < p->n_tests ? "," : "");
    }
    buf_adds(out, "  ]\n}\n");
}
