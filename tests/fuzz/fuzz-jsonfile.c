/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The reader of configuration files takes any text: a tree that hangs together, or one printable
 * sentence with a position that exists. What it takes as JSON, cJSON takes too, and the tree says
 * what cJSON's does.
 */
#include <cJSON.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "fuzz.h"
#include "sthd/jsonfile.h"
#include "sthd/text.h"

static void check_same(const struct json *v, const cJSON *c, int depth)
{
    size_t i = 0;

    FUZZ_CHECK(v && depth <= JSONFILE_MAX_DEPTH);
    switch (json_type(v)) {
    case JSON_NULL:
        FUZZ_CHECK(cJSON_IsNull(c));
        break;
    case JSON_BOOL:
        FUZZ_CHECK(cJSON_IsBool(c) && json_bool(v) == (bool)cJSON_IsTrue(c));
        break;
    case JSON_NUMBER:
        FUZZ_CHECK(cJSON_IsNumber(c) && isfinite(json_number(v)));
        FUZZ_CHECK(!(json_number(v) < c->valuedouble) && !(json_number(v) > c->valuedouble));
        break;
    case JSON_STRING:
        FUZZ_CHECK(cJSON_IsString(c) && strcmp(json_string(v), c->valuestring) == 0);
        break;
    case JSON_ARRAY:
    case JSON_OBJECT:
        FUZZ_CHECK(json_type(v) == JSON_ARRAY ? cJSON_IsArray(c) : cJSON_IsObject(c));
        for (const cJSON *child = c->child; child; child = child->next, i++) {
            FUZZ_CHECK(!json_key(json_at(v, i)) == !child->string);
            if (child->string) {
                FUZZ_CHECK(strcmp(json_key(json_at(v, i)), child->string) == 0);
                FUZZ_CHECK(json_get(v, child->string) == json_at(v, i)); /* no key twice */
            }
            check_same(json_at(v, i), child, depth + 1);
        }
        FUZZ_CHECK(json_count(v) == i && !json_at(v, i));
        return;
    }
    FUZZ_CHECK(json_count(v) == 0 && !json_at(v, 0) && !json_get(v, "key"));
}

/* "seed:LINE:COLUMN: ...", a place in the text or right behind it. */
static void check_sentence(const char *said, const char *text, size_t len)
{
    unsigned line, column, lines = 1;
    int n = 0;
    size_t used;

    FUZZ_CHECK(sscanf(said, "seed:%u:%u: %n", &line, &column, &n) == 2 && n > 0 && said[n]);
    for (size_t i = 0; i < len; i++)
        lines += text[i] == '\n';
    FUZZ_CHECK(line >= 1 && line <= lines && column >= 1 && column <= len + 1);
    for (const char *c = said; *c; c += used) {
        uint32_t code = text_decode(c, strlen(c), &used);
        FUZZ_CHECK(text_char_printable(code));
    }
}

/* Every value can be complained about. */
static void check_places(const struct jsonfile *f, const struct json *v, const char *text,
                         size_t len)
{
    struct err e;

    err_clear(&e);
    FUZZ_CHECK(json_complain(f, v, &e, "is not %s", "good") < 0);
    check_sentence(e.text, text, len);
    for (size_t i = 0; i < json_count(v); i++)
        check_places(f, json_at(v, i), text, len);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *text = (const char *)data;
    struct jsonfile *f = NULL;
    struct err e;

    err_clear(&e);
    if (jsonfile_parse(&f, "seed", text, size, &e) < 0) {
        FUZZ_CHECK(!f && e.exit_code == EXIT_CODE_CONFIG);
        check_sentence(e.text, text, size);
        return 0;
    }
    FUZZ_CHECK(f && !e.text[0]);
    cJSON *tree = cJSON_ParseWithLength(text, size);
    FUZZ_CHECK(tree);
    check_same(jsonfile_root(f), tree, 0);
    if (size < 4096) /* finding a position is linear, so all of them quadratic */
        check_places(f, jsonfile_root(f), text, size);
    cJSON_Delete(tree);
    jsonfile_free(f);
    return 0;
}
