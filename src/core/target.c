/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Ownership of targets. Where they come from is the host room's business. */
#include "sthd/target.h"

#include <stdlib.h>
#include <string.h>

void target_done(struct target *t)
{
    free(t->path);
    free(t->mount);
    free(t->fstype);
    free(t->source);
    free(t->options);
    free(t->below);
    free(t->device);
    memset(t, 0, sizeof(*t));
}

void targets_done(struct targets *t)
{
    for (size_t i = 0; i < t->n; i++)
        target_done(&t->items[i]);
    free(t->items);
    t->items = NULL;
    t->n = 0;
}
