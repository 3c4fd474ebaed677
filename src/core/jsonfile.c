/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * JSON with positions. cJSON makes the values, but tells no position of any and takes what JSON
 * does not allow (control characters, text after the end). So a locating scan goes first: it
 * accepts exactly JSON, says where it stops being that, and notes where each value begins, in
 * document order; then the two are laid side by side. Knows no file: text comes in.
 */
#include "sthd/jsonfile.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cJSON.h>

#include "sthd/buf.h"
#include "sthd/mem.h"
#include "sthd/text.h"

/* cJSON reads numbers through a buffer of 64. */
#define NUMBER_MAX 60

struct json {
    const cJSON *item;
    const char *key; /* NULL outside objects */
    size_t offset;   /* of the value in the text */
    size_t key_offset;
    struct json *children; /* n of them, contiguous */
    size_t n;
};

struct jsonfile {
    char *name; /* printable */
    char *text;
    size_t len;
    cJSON *tree;
    struct json root;
};

/* A value found by the scan. */
struct place {
    size_t offset, key_offset;
    size_t children;
};

struct scan {
    const char *text;
    size_t len, at;
    struct place *places; /* in document order */
    size_t n, cap;
    char expected[48]; /* what was wrong at `at`, when the scan failed */
    unsigned depth;
};

static int complain_at(const char *name, const char *text, size_t offset, struct err *e,
                       const char *fmt, va_list ap) __attribute__((format(printf, 5, 0)));

static int complain_at(const char *name, const char *text, size_t offset, struct err *e,
                       const char *fmt, va_list ap)
{
    size_t line = 1, column = 1;
    char said[384];

    for (size_t i = 0; i < offset; i++) {
        if (text[i] == '\n') {
            line++;
            column = 1;
        } else if (((unsigned char)text[i] & 0xc0) != 0x80) { /* counts characters, not bytes */
            column++;
        }
    }
    vsnprintf(said, sizeof(said), fmt, ap);
    struct buf clean = BUF_INIT;
    text_printable(&clean, said, strlen(said), false);
    int rc = err_set(e, EXIT_CODE_CONFIG, 0, "%s:%zu:%zu: %s", name, line, column,
                     clean.data ? clean.data : "");
    buf_done(&clean);
    return rc;
}

static int file_complain(const struct jsonfile *f, size_t offset, struct err *e, const char *fmt,
                         ...) __attribute__((format(printf, 4, 5)));

static int file_complain(const struct jsonfile *f, size_t offset, struct err *e, const char *fmt,
                         ...)
{
    va_list ap;

    va_start(ap, fmt);
    int rc = complain_at(f->name, f->text, offset, e, fmt, ap);
    va_end(ap);
    return rc;
}

/* ---- the scan ---- */

static int peek(const struct scan *s)
{
    return s->at < s->len ? (unsigned char)s->text[s->at] : -1;
}

static bool wrong(struct scan *s, const char *what)
{
    snprintf(s->expected, sizeof(s->expected), "%s", what);
    return false;
}

static void skip_blanks(struct scan *s)
{
    while (s->at < s->len && strchr(" \t\r\n", s->text[s->at]) && s->text[s->at])
        s->at++;
}

static bool take(struct scan *s, char c)
{
    if (peek(s) != c)
        return false;
    s->at++;
    return true;
}

static size_t digits(struct scan *s)
{
    size_t from = s->at;

    while (peek(s) >= '0' && peek(s) <= '9')
        s->at++;
    return s->at - from;
}

static bool scan_number(struct scan *s)
{
    size_t from = s->at;

    take(s, '-');
    if (!take(s, '0') && digits(s) == 0)
        return wrong(s, "a digit is missing");
    if (take(s, '.') && digits(s) == 0)
        return wrong(s, "a digit is missing after the point");
    if (take(s, 'e') || take(s, 'E')) {
        if (!take(s, '+'))
            take(s, '-');
        if (digits(s) == 0)
            return wrong(s, "a digit is missing in the exponent");
    }
    if (peek(s) >= '0' && peek(s) <= '9')
        return wrong(s, "a number cannot begin with 0");
    if (s->at - from > NUMBER_MAX) {
        s->at = from;
        return wrong(s, "this number has too many digits");
    }
    if (!isfinite(strtod(s->text + from, NULL))) { /* the text ends in NUL */
        s->at = from;
        return wrong(s, "this number is too large");
    }
    return true;
}

/* Four hexadecimal digits at s->at. -1: they are not. */
static long hex4(const struct scan *s)
{
    long value = 0;

    for (size_t i = 0; i < 4; i++) {
        int c = s->at + i < s->len ? (unsigned char)s->text[s->at + i] : 0;
        int digit = c >= '0' && c <= '9'   ? c - '0'
                    : c >= 'a' && c <= 'f' ? c - 'a' + 10
                    : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                           : -1;
        if (digit < 0)
            return -1;
        value = value << 4 | digit;
    }
    return value;
}

/* After the backslash. */
static bool scan_escape(struct scan *s)
{
    size_t backslash = s->at - 1;
    int c = peek(s);

    if (c == 'u') {
        s->at++;
        long unit = hex4(s);
        bool pair = unit >= 0xd800 && unit <= 0xdbff;
        s->at += unit >= 0 ? 4 : 0;
        if (pair && take(s, '\\') && take(s, 'u')) {
            long low = hex4(s);
            if (low >= 0xdc00 && low <= 0xdfff) {
                s->at += 4;
                return true;
            }
        }
        s->at = backslash;
        if (unit < 0 || (unit >= 0xd800 && unit <= 0xdfff))
            return wrong(s, "this \\u escape is no character");
        if (unit == 0)
            return wrong(s, "a NUL character cannot be in a text");
        s->at = backslash + 6;
        return true;
    }
    if (c > 0 && strchr("\"\\/bfnrt", c)) {
        s->at++;
        return true;
    }
    s->at = backslash;
    return wrong(s, "unknown escape after \\");
}

static bool scan_string(struct scan *s)
{
    size_t from = s->at;
    size_t used;

    if (!take(s, '"'))
        return wrong(s, "expected a text in \"double quotes\"");
    for (int c; (c = peek(s)) != '"';) {
        if (c < 0 || c == '\n') {
            s->at = from;
            return wrong(s, "this text has no closing quote");
        }
        if (c < 0x20)
            return wrong(s, "a control character must be written as \\u00XX");
        if (c == '\\') {
            s->at++;
            if (!scan_escape(s))
                return false;
            continue;
        }
        if (text_decode(s->text + s->at, s->len - s->at, &used) == 0xfffd && used == 1)
            return wrong(s, "this is not UTF-8");
        s->at += used;
    }
    s->at++;
    return true;
}

static bool scan_word(struct scan *s)
{
    static const char *const words[] = {"true", "false", "null"};

    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        size_t n = strlen(words[i]);
        if (s->len - s->at >= n && memcmp(s->text + s->at, words[i], n) == 0) {
            s->at += n;
            return true;
        }
    }
    return wrong(s, s->at < s->len ? "expected a value" : "the file ends in the middle");
}

static size_t add_place(struct scan *s, size_t key_offset)
{
    if (s->n == s->cap) {
        s->cap = s->cap ? s->cap * 2 : 64;
        s->places = mem_realloc_array(s->places, s->cap, sizeof(*s->places));
    }
    s->places[s->n] = (struct place){.offset = s->at, .key_offset = key_offset};
    return s->n++;
}

static bool scan_value(struct scan *s, size_t key_offset);

static bool scan_members(struct scan *s, size_t place, bool object)
{
    char close = object ? '}' : ']';

    s->at++;
    skip_blanks(s);
    if (take(s, close))
        return true;
    for (;;) {
        size_t key_offset = s->at;
        if (object) {
            if (!scan_string(s))
                return false;
            skip_blanks(s);
            if (!take(s, ':'))
                return wrong(s, "expected : after the key");
            skip_blanks(s);
        }
        if (!scan_value(s, key_offset))
            return false;
        s->places[place].children++;
        skip_blanks(s);
        if (take(s, close))
            return true;
        if (!take(s, ','))
            return wrong(s, s->at == s->len ? "the file ends in the middle"
                            : object        ? "expected , or }"
                                            : "expected , or ]");
        skip_blanks(s);
        if (peek(s) == close)
            return wrong(s, "a comma too many");
    }
}

/* Recursion is bounded by JSONFILE_MAX_DEPTH. */
static bool scan_value(struct scan *s, size_t key_offset)
{
    size_t place = add_place(s, key_offset);
    int c = peek(s);
    bool ok;

    if (c == '{' || c == '[') {
        if (s->depth == JSONFILE_MAX_DEPTH)
            return wrong(s, "nested too deeply");
        s->depth++;
        ok = scan_members(s, place, c == '{');
        s->depth--;
    } else if (c == '"') {
        ok = scan_string(s);
    } else if (c == '-' || (c >= '0' && c <= '9')) {
        ok = scan_number(s);
    } else {
        ok = scan_word(s);
    }
    return ok;
}

/* Length of the mark that some editors write at the beginning of a file. */
static size_t byte_order_mark(const char *text, size_t len)
{
    return len >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
}

static bool scan_file(struct scan *s)
{
    s->at = byte_order_mark(s->text, s->len);
    skip_blanks(s);
    if (s->at == s->len)
        return wrong(s, "the file is empty");
    if (!scan_value(s, s->at))
        return false;
    skip_blanks(s);
    return s->at == s->len || wrong(s, "something follows after the end of the value");
}

/* ---- values and places, side by side ---- */

/* Fills v from item and the places at *next on; both are in document order. */
static void lay_out(struct json *v, const cJSON *item, const struct place *places, size_t *next)
{
    const struct place *p = &places[(*next)++];

    v->item = item;
    v->key = item->string;
    v->offset = p->offset;
    v->key_offset = p->key_offset;
    v->n = p->children;
    if (v->n == 0)
        return;
    v->children = mem_zalloc(v->n * sizeof(*v->children));
    const cJSON *child = item->child;
    for (size_t i = 0; i < v->n; i++, child = child->next)
        lay_out(&v->children[i], child, places, next);
}

static void json_done(struct json *v)
{
    for (size_t i = 0; i < v->n; i++)
        json_done(&v->children[i]);
    free(v->children);
}

static int by_key(const void *a, const void *b)
{
    const struct json *x = *(const struct json *const *)a, *y = *(const struct json *const *)b;
    int order = strcmp(x->key, y->key);

    return order ? order : x->key_offset < y->key_offset ? -1 : 1;
}

/*
 * The first key that repeats one before it in its object, NULL if none. Sorted, because a hostile
 * file of 1 MiB has room for so many keys that comparing all pairs takes minutes.
 */
static const struct json *find_repeated(const struct json *v)
{
    const struct json *first = NULL;

    if (v->n > 1 && json_type(v) == JSON_OBJECT) {
        const struct json **sorted = mem_realloc_array(NULL, v->n, sizeof(*sorted));
        for (size_t i = 0; i < v->n; i++)
            sorted[i] = &v->children[i];
        qsort(sorted, v->n, sizeof(*sorted), by_key);
        for (size_t i = 1; i < v->n; i++)
            if (strcmp(sorted[i - 1]->key, sorted[i]->key) == 0 &&
                (!first || sorted[i]->key_offset < first->key_offset))
                first = sorted[i];
        free(sorted);
    }
    for (size_t i = 0; !first && i < v->n; i++)
        first = find_repeated(&v->children[i]);
    return first;
}

static int fill(struct jsonfile *f, struct err *e)
{
    struct scan s = {.text = f->text, .len = f->len};
    size_t next = 0;
    int rc = 0;

    if (!scan_file(&s)) {
        rc = file_complain(f, s.at, e, "%s", s.expected);
    } else {
        size_t mark = byte_order_mark(f->text, f->len); /* cJSON 1.7.15 fails on "mark, digit" */
        f->tree = cJSON_ParseWithLength(f->text + mark, f->len - mark);
        if (!f->tree)
            rc = file_complain(f, 0, e, "this cannot be read as JSON");
        else
            lay_out(&f->root, f->tree, s.places, &next);
    }
    free(s.places);
    if (rc)
        return rc;
    const struct json *repeated = find_repeated(&f->root);
    if (repeated)
        return file_complain(f, repeated->key_offset, e,
                             "\"%.60s\" is given twice: leave one of them", repeated->key);
    return 0;
}

int jsonfile_parse(struct jsonfile **out, const char *name, const char *text, size_t len,
                   struct err *e)
{
    struct buf clean = BUF_INIT;
    struct jsonfile *f = mem_zalloc(sizeof(*f));
    int rc;

    *out = NULL;
    text_printable(&clean, name, strlen(name), false);
    f->name = buf_steal(&clean);
    if (len > JSONFILE_MAX_BYTES) {
        rc = err_set(e, EXIT_CODE_CONFIG, 0, "%s: too large for a configuration file (over 1 MiB)",
                     f->name);
    } else {
        f->text = mem_alloc(len + 1);
        if (len)
            memcpy(f->text, text, len);
        f->text[len] = '\0';
        f->len = len;
        rc = fill(f, e);
    }
    if (rc)
        jsonfile_free(f);
    else
        *out = f;
    return rc;
}

void jsonfile_free(struct jsonfile *f)
{
    if (!f)
        return;
    json_done(&f->root);
    cJSON_Delete(f->tree);
    free(f->text);
    free(f->name);
    free(f);
}

const struct json *jsonfile_root(const struct jsonfile *f)
{
    return &f->root;
}

enum json_type json_type(const struct json *v)
{
    if (!v || cJSON_IsNull(v->item))
        return JSON_NULL;
    if (cJSON_IsBool(v->item))
        return JSON_BOOL;
    if (cJSON_IsNumber(v->item))
        return JSON_NUMBER;
    if (cJSON_IsString(v->item))
        return JSON_STRING;
    return cJSON_IsArray(v->item) ? JSON_ARRAY : JSON_OBJECT;
}

const struct json *json_get(const struct json *object, const char *key)
{
    if (json_type(object) != JSON_OBJECT)
        return NULL;
    for (size_t i = 0; i < object->n; i++)
        if (strcmp(object->children[i].key, key) == 0)
            return &object->children[i];
    return NULL;
}

size_t json_count(const struct json *array_or_object)
{
    return array_or_object ? array_or_object->n : 0;
}

const struct json *json_at(const struct json *array_or_object, size_t i)
{
    return i < json_count(array_or_object) ? &array_or_object->children[i] : NULL;
}

const char *json_key(const struct json *member)
{
    return member ? member->key : NULL;
}

const char *json_string(const struct json *v)
{
    return json_type(v) == JSON_STRING ? v->item->valuestring : NULL;
}

double json_number(const struct json *v)
{
    return json_type(v) == JSON_NUMBER ? v->item->valuedouble : NAN;
}

bool json_bool(const struct json *v)
{
    return v && cJSON_IsTrue(v->item);
}

int json_complain(const struct jsonfile *f, const struct json *v, struct err *e, const char *fmt,
                  ...)
{
    va_list ap;

    va_start(ap, fmt);
    int rc = complain_at(f->name, f->text, v ? v->offset : 0, e, fmt, ap);
    va_end(ap);
    return rc;
}
