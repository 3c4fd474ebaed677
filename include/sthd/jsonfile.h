#ifndef STHD_JSONFILE_H
#define STHD_JSONFILE_H

#include <stdbool.h>
#include <stddef.h>

#include "sthd/err.h"

/*
 * The one reader of configuration files (themes, profiles, settings): JSON with positions, so that
 * every complaint says file:line:column. Pure: text in, tree out.
 */
struct jsonfile;
struct json; /* a value in it; borrowed, lives as long as its file */

enum json_type { JSON_NULL, JSON_BOOL, JSON_NUMBER, JSON_STRING, JSON_ARRAY, JSON_OBJECT };

/* name is for messages. EXIT_CODE_CONFIG. At most 1 MiB. */
int jsonfile_parse(struct jsonfile **out, const char *name, const char *text, size_t len,
                   struct err *e);
void jsonfile_free(struct jsonfile *f);
const struct json *jsonfile_root(const struct jsonfile *f);

enum json_type json_type(const struct json *v);
const struct json *json_get(const struct json *object, const char *key); /* exact case; NULL */
size_t json_count(const struct json *array_or_object);
const struct json *json_at(const struct json *array_or_object, size_t i);
const char *json_key(const struct json *member); /* its key in its object; NULL in arrays */
const char *json_string(const struct json *v);   /* NULL if not a string */
double json_number(const struct json *v);        /* NAN if not a number */
bool json_bool(const struct json *v);            /* false if not a bool */
/* "themes/x.json:12:5: ..." at the value's position. Returns -EINVAL. */
int json_complain(const struct jsonfile *f, const struct json *v, struct err *e, const char *fmt,
                  ...) __attribute__((format(printf, 4, 5)));

#endif
