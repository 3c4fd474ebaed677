/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What works on a target, as a table of facts for people; see result.h. */
#include <stdio.h>
#include <string.h>

#include "sthd/text.h"
#include "writers.h"

/* Outside text, and as long as it gets in a line of 80 columns. */
static void add_outside(struct buf *out, const char *s, bool utf8)
{
    if (s && s[0])
        text_printable(out, s, strlen(s), !utf8);
    else
        buf_addc(out, '-');
}

static void add_fact(struct buf *out, const char *name, const char *answer, const char *reason,
                     bool utf8)
{
    buf_addf(out, "%-10s  %-6s  ", name, answer);
    add_outside(out, reason, utf8);
    buf_addc(out, '\n');
}

static const char *yes_no(bool yes)
{
    return yes ? "yes" : "no";
}

static void add_place(struct buf *out, const struct target *t, bool utf8)
{
    buf_adds(out, "Target      ");
    add_outside(out, t ? t->path : NULL, utf8);
    if (t) {
        buf_adds(out, " (");
        add_outside(out, t->fstype, utf8);
        buf_adds(out, " on ");
        add_outside(out, t->source, utf8);
        buf_addc(out, ')');
    }
    buf_addc(out, '\n');
}

void probe_write(struct buf *out, const struct result *res, const struct capability *c,
                 double seconds, const struct table_style *style)
{
    add_place(out, res->target, style->utf8);
    buf_adds(out, "Tool        ");
    add_outside(out, res->machine->fio_version[0] ? res->machine->fio_version : "dd, without fio",
                style->utf8);
    buf_addf(out, "\nTook        %.0f ms, all of them at once\n\n", seconds * 1e3);
    buf_adds(out, "Engine      Usable  Reason\n");
    for (int e = ENGINE_AUTO + 1; e < ENGINE_COUNT; e++)
        add_fact(out, engine_name((enum engine)e), yes_no(c->engine_usable[e]), c->engine_reason[e],
                 style->utf8);
    add_fact(out, "O_DIRECT", yes_no(c->direct_works), c->direct_reason, style->utf8);
    buf_addf(out, "\n--engine auto means %s here, ", engine_name(c->auto_engine));
    buf_addf(out, "and I/O is %s unless said otherwise.\n",
             c->direct_works ? "direct" : "buffered");
    if (c->direct_works && capability_auto(c, false) != c->auto_engine)
        buf_addf(out, "With --buffered, auto means %s.\n", engine_name(capability_auto(c, false)));
}
