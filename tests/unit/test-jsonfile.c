/* SPDX-License-Identifier: GPL-3.0-or-later */
/* the reader of configuration files: values, positions, and everything that is not JSON */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sthd/buf.h"
#include "sthd/jsonfile.h"
#include "tap.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static void test_values(void)
{
    static const char text[] = "\xef\xbb\xbf{\n"
                               "  \"name\": \"d\\u00e4rk \\ud83d\\ude00 \\\"q\\\"\",\n"
                               "  \"n\": -1.5e2, \"yes\": true, \"no\": false, \"nil\": null,\n"
                               "  \"list\": [1, [], {}, \"x\"],\n"
                               "  \"Name\": 2\n"
                               "}\n";
    struct jsonfile *f;
    struct err e;

    err_clear(&e);
    if (!tap_int(jsonfile_parse(&f, "x.json", text, strlen(text), &e), 0, "parses: %s", e.text))
        return;
    const struct json *root = jsonfile_root(f), *list = json_get(root, "list");
    tap_int(json_type(root), JSON_OBJECT, "an object");
    tap_int((long long)json_count(root), 7, "members");
    tap_str(json_string(json_get(root, "name")), "d\xc3\xa4rk \xf0\x9f\x98\x80 \"q\"", "a text");
    tap_near(json_number(json_get(root, "n")), -150, 0, "a number");
    tap_ok(json_bool(json_get(root, "yes")) && !json_bool(json_get(root, "no")), "true and false");
    tap_int(json_type(json_get(root, "no")), JSON_BOOL, "false is a bool");
    tap_int(json_type(json_get(root, "nil")), JSON_NULL, "null");
    tap_int(json_type(list), JSON_ARRAY, "an array");
    tap_int((long long)json_count(list), 4, "its values");
    tap_near(json_number(json_at(list, 0)), 1, 0, "the first");
    tap_int(json_type(json_at(list, 2)), JSON_OBJECT, "the third");
    tap_str(json_string(json_at(list, 3)), "x", "the last");
    tap_ok(!json_at(list, 4), "nothing beyond");
    tap_ok(!json_key(json_at(list, 0)), "no key in an array");
    tap_str(json_key(json_at(root, 1)), "n", "a key by place");
    tap_near(json_number(json_get(root, "Name")), 2, 0, "keys are exact in case");

    const struct json *none = json_get(json_get(root, "nope"), "deeper");
    tap_ok(!none && json_type(none) == JSON_NULL && json_count(none) == 0 && !json_at(none, 0) &&
               !json_string(none) && isnan(json_number(none)) && !json_bool(none) &&
               !json_key(none) && !json_get(list, "x"),
           "lookups in nothing give nothing");
    tap_ok(!json_string(json_get(root, "n")) && isnan(json_number(json_get(root, "name"))),
           "no conversion between types");
    tap_ok(json_complain(f, json_at(list, 3), &e, "no %s", "good") < 0 &&
               e.exit_code == EXIT_CODE_CONFIG,
           "a complaint is a failure of the configuration");
    tap_str(e.text, "x.json:4:23: no good", "with the position of the value");
    json_complain(f, json_get(root, "yes"), &e, "?");
    tap_str(e.text, "x.json:3:23: ?", "position in the middle of a line");
    json_complain(f, NULL, &e, "?");
    tap_str(e.text, "x.json:1:1: ?", "nothing: the beginning of the file");
    json_complain(f, root, &e, "\033[2J");
    tap_ok(!strchr(e.text, '\033'), "a complaint is printable: %s", e.text);
    jsonfile_free(f);
    jsonfile_free(NULL);
}

static void test_scalars(void)
{
    static const struct {
        const char *text;
        enum json_type type;
    } rows[] = {
        {"null", JSON_NULL},
        {" true ", JSON_BOOL},
        {"0", JSON_NUMBER},
        {"-0.0e-0", JSON_NUMBER},
        {"\"\"", JSON_STRING},
        {"[]", JSON_ARRAY},
        {"{ }\n", JSON_OBJECT},
        {"1E5", JSON_NUMBER},
        {"[[[[]]]]", JSON_ARRAY},
        {"\"\\/\\b\\f\\n\\r\\t\\\\\"", JSON_STRING},
        {"1e-400", JSON_NUMBER},
        {"\xef\xbb\xbf"
         "3",
         JSON_NUMBER},
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        struct jsonfile *f;
        struct err e;
        err_clear(&e);
        if (tap_int(jsonfile_parse(&f, "x", rows[i].text, strlen(rows[i].text), &e), 0, "%s: %s",
                    rows[i].text, e.text)) {
            tap_int(json_type(jsonfile_root(f)), rows[i].type, "%s: type", rows[i].text);
            jsonfile_free(f);
        }
    }
}

static void test_errors(void)
{
    static const struct {
        const char *text;
        const char *at, *says;
    } rows[] = {
        {"", "x:1:1:", "empty"},
        {" \n ", "x:2:2:", "empty"},
        {"{", "x:1:2:", "text"},
        {"{\"a\"", "x:1:5:", "expected :"},
        {"{\"a\":", "x:1:6:", "ends"},
        {"{\"a\":1", "x:1:7:", "ends"},
        {"{\"a\":1,", "x:1:8:", "text"},
        {"{\"a\":1,}", "x:1:8:", "comma"},
        {"[1,]", "x:1:4:", "comma"},
        {"[1 2]", "x:1:4:", "expected , or ]"},
        {"{\"a\":1 \"b\":2}", "x:1:8:", "expected , or }"},
        {"{\"a\":1]", "x:1:7:", "expected , or }"},
        {"{a:1}", "x:1:2:", "quotes"},
        {"{'a':1}", "x:1:2:", "quotes"},
        {"{\"a\" 1}", "x:1:6:", "expected :"},
        {"[1,\n  tru]", "x:2:3:", "value"},
        {"True", "x:1:1:", "value"},
        {"NaN", "x:1:1:", "value"},
        {"// comment\n1", "x:1:1:", "value"},
        {"1 1", "x:1:3:", "follows"},
        {"{} x", "x:1:4:", "follows"},
        {"{}\n\n}", "x:3:1:", "follows"},
        {"01", "x:1:2:", "begin with 0"},
        {"-", "x:1:2:", "digit"},
        {"+1", "x:1:1:", "value"},
        {".5", "x:1:1:", "value"},
        {"1.", "x:1:3:", "digit"},
        {"1e", "x:1:3:", "exponent"},
        {"[1, 1e999]", "x:1:5:", "too large"},
        {"1111111111111111111111111111111111111111111111111111111111111111111", "x:1:1:", "digits"},
        {"[\"a\n\"]", "x:1:2:", "closing quote"},
        {"[\"a", "x:1:2:", "closing quote"},
        {"[\"a\\\"]", "x:1:2:", "closing quote"},
        {"[\"\t\"]", "x:1:3:", "control"},
        {"[\"\\x\"]", "x:1:3:", "escape"},
        {"[\"a\\u12\"]", "x:1:4:", "escape"},
        {"[\"\\ud800\"]", "x:1:3:", "no character"},
        {"[\"\\ud800\\u0041\"]", "x:1:3:", "no character"},
        {"[\"\\udc00\"]", "x:1:3:", "no character"},
        {"[\"\\u0000\"]", "x:1:3:", "NUL"},
        {"[\"\xc3\xa4\xc3\xa4\xff\"]", "x:1:5:", "UTF-8"},
        {"{\"a\":1,\"b\":2,\n \"a\":3}", "x:2:2:", "\"a\" is given twice"},
        {"{\"a\":1,\"\\u0061\":2}", "x:1:8:", "twice"},
        {"[{\"k\":{\"a\":1,\"a\":2,\"a\":3}}]", "x:1:14:", "twice"},
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        struct jsonfile *f = (struct jsonfile *)&i; /* must become NULL */
        struct err e;
        err_clear(&e);
        int rc = jsonfile_parse(&f, "x", rows[i].text, strlen(rows[i].text), &e);
        tap_ok(rc < 0 && !f && e.exit_code == EXIT_CODE_CONFIG &&
                   strncmp(e.text, rows[i].at, strlen(rows[i].at)) == 0 &&
                   strstr(e.text, rows[i].says),
               "row %zu: expected %s %s, is %s", i, rows[i].at, rows[i].says, e.text);
        if (rc == 0)
            jsonfile_free(f);
    }
}

static int parse_bytes(const char *text, size_t len, struct err *e)
{
    struct jsonfile *f;
    int rc = jsonfile_parse(&f, "a\033[2Jb", text, len, e);

    if (rc == 0)
        jsonfile_free(f);
    return rc;
}

static void test_bounds(void)
{
    struct err e;
    struct buf b = BUF_INIT;

    tap_ok(parse_bytes("[1]\0", 4, &e) < 0 && strstr(e.text, ":1:4:"), "a NUL after it: %s",
           e.text);
    tap_ok(parse_bytes("[\0]", 3, &e) < 0 && strstr(e.text, ":1:2:"), "a NUL inside: %s", e.text);
    tap_ok(parse_bytes("\"a\0b\"", 5, &e) < 0 && strstr(e.text, ":1:3:"), "a NUL in a text: %s",
           e.text);
    tap_ok(!strchr(e.text, '\033'), "the name is printable in messages");
    tap_ok(parse_bytes("[1]garbage", 3, &e) == 0, "nothing is read beyond len");
    tap_ok(parse_bytes(NULL, 0, &e) < 0, "no text at all: %s", e.text);

    buf_addn(&b, '[', JSONFILE_MAX_DEPTH);
    buf_addn(&b, ']', JSONFILE_MAX_DEPTH);
    tap_int(parse_bytes(b.data, b.len, &e), 0, "the deepest that is allowed");
    buf_clear(&b);
    buf_addn(&b, '[', JSONFILE_MAX_DEPTH + 1);
    buf_addn(&b, ']', JSONFILE_MAX_DEPTH + 1);
    tap_ok(parse_bytes(b.data, b.len, &e) < 0 && strstr(e.text, "deep"), "one deeper: %s", e.text);
    buf_clear(&b);
    buf_addn(&b, '[', JSONFILE_MAX_BYTES);
    tap_ok(parse_bytes(b.data, b.len, &e) < 0 && strstr(e.text, "deep"), "a MiB deep: %s", e.text);
    buf_clear(&b);
    buf_adds(&b, "1");
    buf_addn(&b, ' ', JSONFILE_MAX_BYTES - 1);
    tap_int(parse_bytes(b.data, b.len, &e), 0, "1 MiB is taken");
    buf_addc(&b, ' ');
    tap_ok(parse_bytes(b.data, b.len, &e) < 0 && strstr(e.text, "1 MiB"), "a byte more is not: %s",
           e.text);

    buf_clear(&b);
    buf_adds(&b, "{");
    for (int i = 0; b.len < JSONFILE_MAX_BYTES - 40; i++)
        buf_addf(&b, "\"%x\":0,", i);
    buf_adds(&b, "\"0\":1}");
    tap_ok(parse_bytes(b.data, b.len, &e) < 0 && strstr(e.text, "\"0\" is given twice"),
           "a hundred thousand keys, the last repeats the first: %s", e.text);
    buf_done(&b);
}

/* Every beginning of a valid file is an error with a position, and harmless. */
static void test_truncated(void)
{
    static const char text[] =
        "{\"a\": [1.5e3, \"\\ud83d\\ude00\xc3\xa4\", {\"b\": null}], \"c\": true}";
    size_t accepted = 0;

    for (size_t n = 0; n < strlen(text); n++) {
        char *exact = malloc(n + 1); /* so that a sanitizer sees a read beyond it */
        struct err e;
        memcpy(exact, text, n);
        char *end = realloc(exact, n ? n : 1);
        accepted += parse_bytes(end, n, &e) == 0;
        free(end);
    }
    tap_int((long long)accepted, 0, "no beginning of an object is an object");
}

int main(void)
{
    test_values();
    test_scalars();
    test_errors();
    test_bounds();
    test_truncated();
    return tap_done();
}
