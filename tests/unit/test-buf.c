/* SPDX-License-Identifier: GPL-3.0-or-later */
/* buf, strv */
#include <stdlib.h>
#include <string.h>

#include "sthd/buf.h"
#include "tap.h"

static void test_buf(void)
{
    struct buf b = BUF_INIT;

    buf_addf(&b, "%d-%s", 42, "x");
    tap_str(b.data, "42-x", "addf on an empty buffer");
    buf_add(&b, "\0y", 2);
    tap_int((long long)b.len, 6, "a NUL counts as a byte");
    buf_drop_front(&b, 5);
    tap_str(b.data, "y", "drop_front leaves the rest");
    buf_addn(&b, '.', 1000);
    tap_int((long long)strlen(b.data), 1001, "addn grows and terminates");
    buf_clear(&b);
    tap_int((long long)b.len, 0, "clear empties");
    char *s = buf_steal(&b);
    tap_str(s, "", "steal of an empty buffer is the empty string");
    free(s);
    buf_done(&b);
}

static void test_quote(void)
{
    static const struct {
        const char *word, *quoted;
    } rows[] = {
        {"--bs=4k", "--bs=4k"}, {"", "''"},           {"a b", "'a b'"},
        {"it's", "'it'\\''s'"}, {"$HOME", "'$HOME'"}, {"/proc/self/fd/9", "/proc/self/fd/9"},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct strv v;
        struct buf b = BUF_INIT;
        strv_init(&v);
        strv_add(&v, rows[i].word);
        strv_quote(&v, &b);
        tap_str(b.data, rows[i].quoted, "quote %s", rows[i].word);
        buf_done(&b);
        strv_done(&v);
    }
}

int main(void)
{
    test_buf();
    test_quote();
    return tap_done();
}
