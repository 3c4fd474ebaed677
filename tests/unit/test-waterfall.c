/* SPDX-License-Identifier: GPL-3.0-or-later */
/* waterfall: what can be concluded of device ticks and fio's figures, and what cannot */
#include <math.h>
#include <string.h>

#include "sthd/waterfall.h"
#include "tap.h"

/* s of a test at an IOPS, with device times per I/O in us: as the counters would show them. */
struct row {
    const char *what;
    double seconds, iops, mean_us;
    unsigned threads, depth;
    double read_us, write_us, flush_us, parts; /* parts 0: buffered */
    enum bound want;
    double share; /* NAN: not looked at */
    const char *sentence;
};

static const struct row rows[] = {
    {"the origin, before: sleepy cores", 5, 3048.8, 326, 1, 1, 0, 90, 0, 1, BOUND_SOFTWARE, 0.274,
     "device 90 of 328 us (27 %): CPU and software"},
    {"the origin, after: the device", 5, 10687, 92, 1, 1, 0, 70, 0, 1, BOUND_DEVICE, 0.748,
     "device 70 of 94 us (75 %): device-bound"},
    {"exactly 0.7 is the device's", 10, 1000, 990, 1, 1, 700, 0, 0, 1, BOUND_DEVICE, 0.7,
     "device 700 us of 1.0 ms (70 %): device-bound"},
    {"exactly 0.4 is software", 10, 1000, 990, 1, 1, 400, 0, 0, 1, BOUND_SOFTWARE, 0.4,
     "device 400 us of 1.0 ms (40 %): CPU and software"},
    {"between them", 10, 1000, 990, 1, 1, 550, 0, 0, 1, BOUND_MIXED, 0.55,
     "device 550 us of 1.0 ms (55 %): the device and software, both"},
    {"flushes are the device's time, and said", 5, 574, 1700, 1, 1, 0, 300, 1250, 1, BOUND_DEVICE,
     0.89, "device 1.6 of 1.7 ms (89 %), 1.2 ms of it flushes: device-bound"},
    {"19 ms in all", 5, 1000, 990, 1, 1, 3.8, 0, 0, 1, BOUND_FAINT, NAN,
     "not enough signal: the device's counters moved by 19 ms"},
    {"nothing but memory", 5, 100000, 9, 1, 1, 0, 0, 0, 1, BOUND_FAINT, NAN,
     "not enough signal: the device's counters moved by 0 ms"},
    {"20 ms are enough", 5, 1000, 990, 1, 1, 4, 0, 0, 1, BOUND_SOFTWARE, 0.004,
     "device 4.0 us of 1.0 ms (0 %): CPU and software"},
    {"Q32: the requests wait in the device", 5, 10000, 3150, 1, 32, 3000, 0, 0, 1, BOUND_DEVICE,
     0.9375, "device 3.0 of 3.2 ms (94 %): device-bound"},
    {"Q32 x T16: a tenth of them in the device says nothing", 5, 100000, 5100, 16, 32, 500, 0, 0, 1,
     BOUND_OVERLAP, NAN,
     "50.0 requests in the device at a time, 512 I/Os in flight: they overlap, so their times do "
     "not decide"},
    {"T16 commits that share flushes", 5, 16000, 990, 16, 1, 0, 20, 40, 1, BOUND_OVERLAP, NAN,
     "1.0 requests in the device at a time, 16 I/Os in flight: they overlap, so their times do not "
     "decide"},
    {"T16, and the device stands idle", 5, 16000, 990, 16, 1, 0, 10, 10, 1, BOUND_SOFTWARE, 0.02,
     "device 20 us of 1.0 ms (2 %): CPU and software"},
    {"1M in four parts at once: a quarter may be the truth", 5, 1000, 990, 1, 1, 900, 0, 0, 4,
     BOUND_OVERLAP, NAN,
     "0.9 requests in the device at a time for one I/O: its parts overlap, or others use the "
     "device, so their times do not decide"},
    {"1M in four parts: low even if they were one after another", 5, 1000, 990, 1, 1, 300, 0, 0, 4,
     BOUND_SOFTWARE, 0.3, "device 300 us of 1.0 ms (30 %): CPU and software"},
    {"parts that add up to a bit more than passed", 5, 1000, 990, 1, 1, 0, 800, 400, 1,
     BOUND_DEVICE, 1,
     "device 1.0 of 1.0 ms (100 %; its requests overlap, or are of others too), 333 us of it "
     "flushes: device-bound"},
    {"the device is busy with others", 5, 1000, 990, 1, 1, 0, 2000, 1000, 1, BOUND_OVERLAP, 1,
     "3.0 requests in the device at a time for one I/O: its parts overlap, or others use the "
     "device, so their times do not decide"},
    {"read-ahead keeps the device busy", 5, 1000, 990, 1, 1, 900, 0, 0, 0, BOUND_OVERLAP, NAN,
     "0.9 requests in the device at a time, but buffered I/O does not wait for them: their times "
     "do "
     "not decide"},
    {"writes that end in the cache", 5, 1000, 990, 1, 1, 0, 20, 0, 0, BOUND_SOFTWARE, 0.02,
     "device 20 us of 1.0 ms (2 %): CPU and software"},
    {"dd has no mean", 5, 1000, NAN, 1, 1, 800, 0, 0, 1, BOUND_DEVICE, 0.8,
     "device 800 us of 1.0 ms (80 %): device-bound"},
};

static void split(struct waterfall *w, const struct row *r)
{
    double ios = r->iops * r->seconds;
    const struct waterfall_facts f = {
        .device_seen = true,
        .read_ms = r->read_us * ios / 1e3,
        .write_ms = r->write_us * ios / 1e3,
        .flush_ms = r->flush_us * ios / 1e3,
        .seconds = r->seconds,
        .ios = ios,
        .mean_ns = r->mean_us * 1e3,
        .threads = r->threads,
        .queue_depth = r->depth,
        .parts = r->parts,
        .detached = r->parts == 0,
    };

    waterfall_split(w, &f);
}

static void test_rows(void)
{
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const struct row *r = &rows[i];
        struct waterfall w;
        struct buf text = BUF_INIT;

        split(&w, r);
        tap_str(bound_name(w.bound), bound_name(r->want), "%s", r->what);
        if (!isnan(r->share))
            tap_near(w.share, r->share, 0.001, "%s: share", r->what);
        double parts = w.device_ns + w.flush_ns + w.rest_ns + w.outside_ns;
        tap_near(parts, w.total_ns, 1e-6 * w.total_ns, "%s: the parts add up", r->what);
        if (!isnan(r->mean_us) && !w.capped && w.rest_ns > 0)
            tap_near(w.device_ns + w.flush_ns + w.rest_ns, r->mean_us * 1e3, 1,
                     "%s: device and rest are fio's mean", r->what);
        waterfall_sentence(&w, &text);
        tap_str(text.data, r->sentence, "%s: in words", r->what);
        buf_done(&text);
    }
}

static void test_edges(void)
{
    struct waterfall w;
    struct buf text = BUF_INIT;
    struct waterfall_facts f = {.seconds = 5, .ios = 1000, .mean_ns = 1e6, .threads = 1};

    waterfall_split(&w, &f);
    tap_int(w.bound, BOUND_UNSEEN, "no device");
    waterfall_strip(&w, &text);
    tap_str(text.data, "device: not visible here", "and the strip says so");
    buf_clear(&text);
    f.device_seen = true;
    f.write_ms = 100;
    f.ios = 0;
    waterfall_split(&w, &f);
    tap_int(w.bound, BOUND_UNSEEN, "no I/O ended");
    f.ios = 1000;
    f.seconds = 0;
    waterfall_split(&w, &f);
    tap_int(w.bound, BOUND_UNSEEN, "no time passed");
    f.seconds = 0.9; /* a mean that is longer than the time per I/O: one was in flight at the end */
    waterfall_split(&w, &f);
    tap_near(w.total_ns, 1e6, 1, "the total is never less than fio's mean");
    tap_int(w.in_flight, 1, "a depth of 0 is none");
    tap_near(w.resolution_ns, 1000, 0.1, "1 ms over 1000 I/Os");
    f.write_ms = 1800;
    waterfall_split(&w, &f);
    tap_ok(w.capped, "twice the time that passed: parts overlap");
    f.write_ms = 1000.5;
    waterfall_split(&w, &f);
    tap_ok(!w.capped && w.share <= 1, "beyond it by less than the counters can resolve: no");
    buf_done(&text);
}

static void test_strip(void)
{
    struct waterfall w;
    struct buf text = BUF_INIT;
    const struct row device = {.seconds = 0.25,
                               .iops = 3200,
                               .mean_us = 310,
                               .threads = 1,
                               .depth = 1,
                               .read_us = 290,
                               .parts = 1};
    const struct row overlap = {.seconds = 0.25,
                                .iops = 100000,
                                .mean_us = 5100,
                                .threads = 16,
                                .depth = 32,
                                .read_us = 500,
                                .parts = 1};
    const struct row faint = {.seconds = 0.25,
                              .iops = 100,
                              .mean_us = 5100,
                              .threads = 1,
                              .depth = 1,
                              .read_us = 200,
                              .parts = 1};

    split(&w, &device);
    waterfall_strip(&w, &text);
    tap_str(text.data, "device 290 us/op  fio 310 us/op  93 % of the time is the device's",
            "strip");
    buf_clear(&text);
    split(&w, &overlap);
    waterfall_strip(&w, &text);
    tap_str(text.data,
            "device 500 us/op  fio 5.1 ms/op  50.0 requests in the device for 512 in flight",
            "strip, overlapping");
    buf_clear(&text);
    split(&w, &faint);
    waterfall_strip(&w, &text);
    tap_str(text.data, "device: not enough signal (5 ms)", "strip, faint");
    buf_done(&text);
}

int main(void)
{
    test_rows();
    test_edges();
    test_strip();
    return tap_done();
}
