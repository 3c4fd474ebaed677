/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What is answered on stdout without a run: help, version, lists; see options.h. Must not start
 * anything.
 */
#include <errno.h>
#include <stdio.h>

#include "config.h"
#include "options.h"
#include "sthd/ui.h"

static void list_profiles(struct buf *out, const struct book *book)
{
    for (size_t i = 0; i < book_count(book); i++)
        buf_addf(out, "%-10s %s\n", book_at(book, i)->name, book_at(book, i)->title);
}

static void list_themes(struct buf *out, const char *theme_dir)
{
    struct strv names;

    strv_init(&names);
    ui_theme_names(&names, theme_dir);
    for (size_t i = 0; i < names.n; i++)
        buf_addf(out, "%s\n", names.items[i]);
    strv_done(&names);
}

bool options_answer(const struct options *o, int *status)
{
    struct buf out = BUF_INIT;

    switch (o->request) {
    case REQUEST_RUN:
    case REQUEST_PROBE:
    case REQUEST_REPAIR_KNOBS:
        return false;
    case REQUEST_HELP:
        options_help(&out);
        break;
    case REQUEST_VERSION:
        buf_addf(&out, "%s\n", PACKAGE_STRING);
        break;
    case REQUEST_LIST_PROFILES:
        list_profiles(&out, o->book);
        break;
    case REQUEST_SHOW_PROFILE:
        profile_print(o->settings.profile, &out);
        break;
    case REQUEST_LIST_THEMES:
        list_themes(&out, o->theme_dir);
        break;
    }
    *status = EXIT_CODE_OK;
    bool written =
        fwrite(out.data ? out.data : "", 1, out.len, stdout) == out.len && fflush(stdout) == 0;
    if (!written && errno != EPIPE) { /* a reader that has seen enough is no failure */
        fprintf(stderr, "speedtest-hd: cannot write to standard output: %m\n");
        *status = EXIT_CODE_OUTPUT;
    }
    buf_done(&out);
    return true;
}
