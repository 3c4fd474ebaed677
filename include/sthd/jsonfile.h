/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef STHD_JSONFILE_H
#define STHD_JSONFILE_H

#include <stdbool.h>
#include <stddef.h>

#include "sthd/err.h"

/*
 * The one reader of configuration files (themes, profiles, settings): JSON with positions, so that
 * every complaint says file:line:column (both from 1; a column is a character). Pure: text in, tree
 * out. Stricter than JSON where leniency hides mistakes: a key twice in one object, NUL characters
 * and numbers that overflow are errors.
 */
struct jsonfile;
struct json; /* a value in it; borrowed, lives as long as its file */

enum json_type { JSON_NULL, JSON_BOOL, JSON_NUMBER, JSON_STRING, JSON_ARRAY, JSON_OBJECT };

#define JSONFILE_MAX_BYTES ((size_t)1 << 20)
#define JSONFILE_MAX_DEPTH 32

/*
 * name is for messages; text need not end in NUL. -EINVAL with a sentence (EXIT_CODE_CONFIG) when
 * it is not JSON, over JSONFILE_MAX_BYTES or nested deeper than JSONFILE_MAX_DEPTH; *out is then
 * NULL.
 */
int jsonfile_parse(struct jsonfile **out, const char *name, const char *text, size_t len,
                   struct err *e);
void jsonfile_free(struct jsonfile *f); /* NULL is fine */
const struct json *jsonfile_root(const struct jsonfile *f);

/* Of a NULL value: JSON_NULL, no members, NULL, NAN, false. So lookups can be chained. */
enum json_type json_type(const struct json *v);
const struct json *json_get(const struct json *object, const char *key); /* exact case; NULL */
size_t json_count(const struct json *array_or_object);
const struct json *json_at(const struct json *array_or_object, size_t i); /* NULL beyond */
const char *json_key(const struct json *member); /* its key in its object; NULL in arrays */
const char *json_string(const struct json *v);   /* NULL if not a string */
double json_number(const struct json *v);        /* NAN if not a number */
bool json_bool(const struct json *v);            /* false if not a bool */
/* "themes/x.json:12:5: ..." at the value's position (NULL: the file's beginning). -EINVAL. */
int json_complain(const struct jsonfile *f, const struct json *v, struct err *e, const char *fmt,
                  ...) __attribute__((format(printf, 4, 5)));

#endif
