/* SPDX-License-Identifier: GPL-3.0-or-later */
/* bonnie: lines as bonnie++ 2.00 and 1.97 print them, and what is none. */
#include <math.h>
#include <string.h>

#include "sthd/bonnie.h"
#include "sthd/buf.h"
#include "tap.h"

static void test_lines(void)
{
    struct bonnie b;
    struct err e = {0};

    /* bonnie++ 2.00a -s 128 -n 1 */
    const char *v2 =
        "1.98,2.00a,vm,1,1796344982,128M,,8192,5,1844,99,512000,35,250000,20,2578,99,"
        "+++++,+++,1200.5,12,1,,,,,9000,50,+++++,+++,8000,40,7000,30,+++++,+++,6000,20,"
        "6970us,353us,42us,4042us,40us,6159us,81us,97us,339us,851us,16us,64us\n";
    tap_int(bonnie_parse(&b, v2, "f", &e), 0, "a line of 2.00: %s", e.text);
    tap_str(b.version, "2.00a", "its version");
    tap_near(b.rate[BONNIE_WRITE], 512000.0 * 1024, 1, "block output, from KiB/s");
    tap_near(b.cpu[BONNIE_WRITE], 0.35, 1e-9, "with its CPU share");
    tap_near(b.rate[BONNIE_REWRITE], 250000.0 * 1024, 1, "rewrite");
    tap_ok(isnan(b.rate[BONNIE_READ]) && isnan(b.cpu[BONNIE_READ]), "+++++ is no figure");
    tap_near(b.rate[BONNIE_SEEKS], 1200.5, 1e-9, "seeks");
    tap_near(b.rate[BONNIE_CREATE], 9000, 1e-9, "create");
    tap_near(b.rate[BONNIE_DELETE], 8000, 1e-9, "delete");

    /* bonnie++ 1.97, with the table before it, as it prints both */
    const char *v1 = "Version  1.97       ------Sequential Output------ --Sequential Input-\n"
                     "1.97,1.97,nas01,1,1400000000,4G,,700,98,90000,12,40000,8,1500,97,120000,9,"
                     "310.2,5,16,,,,,1000,2,+++++,+++,1100,3,1200,4,+++++,+++,900,5,1us,2us\r\n";
    tap_int(bonnie_parse(&b, v1, "f", &e), 0, "a line of 1.97, among others");
    tap_str(b.machine, "nas01", "its machine");
    tap_near(b.rate[BONNIE_READ], 120000.0 * 1024, 1, "block input");
    tap_near(b.rate[BONNIE_SEEKS], 310.2, 1e-9, "seeks");
    tap_near(b.cpu[BONNIE_CREATE], 0.02, 1e-9, "create's CPU share");
}

static void test_others(void)
{
    static const char *const rows[] = {"",
                                       "\n\n",
                                       "1.98,2.00a,vm,1\n",
                                       "1.03e,old,4G,1,2,3\n",
                                       "9.99,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,"
                                       "22,23,24,25,26,27,28,29,30,31,32,33,34,35\n",
                                       "\033[1m,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,\n"};
    struct bonnie b;
    struct buf many = BUF_INIT;

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct err e = {0};
        tap_ok(bonnie_parse(&b, rows[i], "x\033y", &e) < 0 && strstr(e.text, "no result line") &&
                   !strchr(e.text, '\033'),
               "row %zu is none: %s", i, e.text);
    }
    buf_adds(&many, "1.98");
    buf_addn(&many, ',', 100000);
    tap_ok(bonnie_parse(&b, many.data, "f", NULL) == 0 && isnan(b.rate[BONNIE_WRITE]),
           "empty fields are no figures");
    buf_done(&many);
    for (int c = 0; c < BONNIE_COLUMNS; c++)
        tap_int(bonnie_column(bonnie_test((enum bonnie_column)c)), c, "%s",
                bonnie_test((enum bonnie_column)c));
    tap_int(bonnie_column("SEQ1M"), -1, "no column of it");
}

int main(void)
{
    test_lines();
    test_others();
    return tap_done();
}
