/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of options, one line each: "--name", its letter or "-", its value or "-". */
#include <stdio.h>

#include "app/options.h"

int main(void)
{
    for (size_t i = 0; options_at(i); i++) {
        const struct option_info *o = options_at(i);
        printf("--%s %c %s\n", o->name, o->letter ? o->letter : '-', o->value ? o->value : "-");
    }
    return 0;
}
