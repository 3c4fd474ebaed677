/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef STHD_BOOK_H
#define STHD_BOOK_H

#include <stddef.h>

#include "sthd/buf.h"
#include "sthd/err.h"
#include "sthd/profile.h"

/*
 * All profiles that can be chosen: the built-in ones, then the user's own, which are JSON with the
 * fields of struct profile and struct test. Text in, profiles out: files are read by the caller.
 */
struct book {
    struct profile **own; /* each where it is until book_done: others point to it */
    size_t n_own;
    struct strv problems; /* a sentence for each file that could not be used */
};

void book_init(struct book *b);
void book_done(struct book *b);
/*
 * Takes in one file. On failure the sentence ("FILE:LINE:COLUMN: ...", EXIT_CODE_CONFIG) is also
 * among the problems, and the book is what it was.
 */
int book_add(struct book *b, const char *file, const char *text, size_t len, struct err *e);

/* Of a NULL book: the built-in ones. */
size_t book_count(const struct book *b);
const struct profile *book_at(const struct book *b, size_t i);
const struct profile *book_find(const struct book *b, const char *name); /* NULL: none */

/*
 * One profile from and to JSON; what is printed reads back as the same profile. What a file leaves
 * out has the value that the man page says (PROFILE FILES); a field that does not exist is an
 * error, as is what profile_check refuses.
 */
int profile_read(struct profile *out, const char *file, const char *text, size_t len,
                 struct err *e);
void profile_print(const struct profile *p, struct buf *out);

#endif
