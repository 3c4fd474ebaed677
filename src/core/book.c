/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The built-in profiles and the user's own as one list; see book.h. */
#include "sthd/book.h"

#include <stdlib.h>
#include <string.h>

#include "sthd/mem.h"

void book_init(struct book *b)
{
    memset(b, 0, sizeof(*b));
    strv_init(&b->problems);
}

void book_done(struct book *b)
{
    for (size_t i = 0; i < b->n_own; i++)
        free(b->own[i]);
    free(b->own);
    b->own = NULL;
    b->n_own = 0;
    strv_done(&b->problems);
}

int book_add(struct book *b, const char *file, const char *text, size_t len, struct err *e)
{
    struct profile *p = mem_alloc(sizeof(*p));
    struct err own;
    int rc;

    err_clear(&own);
    rc = profile_read(p, file, text, len, &own);
    if (rc == 0 && book_find(b, p->name))
        rc = err_set(&own, EXIT_CODE_CONFIG, 0,
                     "%s: there is a profile %s already: choose another name", file, p->name);
    if (rc < 0) {
        strv_add(&b->problems, own.text);
        if (e)
            *e = own;
        free(p);
        return rc;
    }
    b->own = mem_realloc_array(b->own, b->n_own + 1, sizeof(*b->own));
    b->own[b->n_own++] = p;
    return 0;
}

size_t book_count(const struct book *b)
{
    return profile_count() + (b ? b->n_own : 0);
}

const struct profile *book_at(const struct book *b, size_t i)
{
    size_t built_in = profile_count();

    if (i < built_in)
        return profile_at(i);
    return b && i - built_in < b->n_own ? b->own[i - built_in] : NULL;
}

const struct profile *book_find(const struct book *b, const char *name)
{
    for (size_t i = 0; i < book_count(b); i++)
        if (strcmp(book_at(b, i)->name, name) == 0)
            return book_at(b, i);
    return NULL;
}
