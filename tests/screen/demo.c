/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The real ui over a made-up run, to look at: demo [THEME] in any terminal. Prints at its end what
 * it wrote to the terminal: the byte budget is measured with it.
 */
#include <locale.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

#include "fake.h"

struct demo {
    struct fake *fake;
    struct ui *ui;
    bool quit;
    int64_t next_ns;
};

static int64_t now_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void take(struct demo *d, const struct ui_message *m)
{
    struct run *r = fake_run(d->fake);

    switch (m->type) {
    case UI_START:
        fake_start(d->fake);
        break;
    case UI_BACK:
        fake_back(d->fake);
        break;
    case UI_QUIT:
    case UI_INTERRUPT:
        d->quit = true;
        break;
    case UI_STOP:
        if (r->state == RUN_STOPPING)
            run_end(r, true, r->now_ns);
        else
            run_stopping(r, r->now_ns);
        break;
    case UI_NEXT:
        fake_next(d->fake);
        break;
    case UI_SUSPEND:
        ui_suspend(d->ui);
        raise(SIGSTOP);
        ui_resume(d->ui);
        break;
    default:
        fake_take(d->fake, m);
        break;
    }
    ui_touch(d->ui);
}

static void step(struct demo *d, int64_t now)
{
    struct run *r = fake_run(d->fake);

    if (now < d->next_ns)
        return;
    d->next_ns = now + 250000000;
    if (fake_model(d->fake)->run && r->state == RUN_STEP && !fake_tick(d->fake))
        fake_next(d->fake);
}

static int wait_ms(int64_t until, int64_t now)
{
    return until <= now ? 0 : (int)((until - now) / 1000000) + 1;
}

int main(int argc, char **argv)
{
    struct demo d = {0};
    struct err e;
    sigset_t set;

    setlocale(LC_CTYPE, "");
    sigemptyset(&set);
    for (const int *s = (const int[]){SIGWINCH, SIGINT, SIGTERM, SIGTSTP, 0}; *s; s++)
        sigaddset(&set, *s);
    sigprocmask(SIG_BLOCK, &set, NULL);
    int signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    char *themes = getenv("STHD_THEMES");
    const struct ui_options options = {.theme = argc > 1 ? argv[1] : NULL,
                                       .theme_dir = themes,
                                       .no_colour = getenv("NO_COLOR") != NULL};
    d.fake = fake_new(FAKE_SETUP);
    if (ui_open(&d.ui, &options, fake_model(d.fake), &e) < 0) {
        fprintf(stderr, "demo: %s\n", e.text);
        fake_free(d.fake);
        return 1;
    }
    fprintf(stderr, "a library said this\n");
    int64_t began = now_ns();
    while (!d.quit) {
        int64_t now = now_ns(), again;
        step(&d, now);
        again = ui_draw(d.ui, now);
        struct pollfd p[2] = {
            {.fd = ui_fd(d.ui), .events = POLLIN | (ui_wants_write(d.ui) ? POLLOUT : 0)},
            {.fd = signals, .events = POLLIN}};
        if (poll(p, 2, wait_ms(again < d.next_ns ? again : d.next_ns, now)) < 0)
            continue;
        if (!ui_flush(d.ui))
            break;
        struct signalfd_siginfo info;
        while (read(signals, &info, sizeof(info)) == sizeof(info)) {
            if (info.ssi_signo == SIGWINCH)
                ui_resized(d.ui);
            else
                d.quit = true;
        }
        for (struct ui_message m; (m = ui_read(d.ui)).type != UI_NOTHING;)
            take(&d, &m);
    }
    double seconds = (double)(now_ns() - began) / 1e9;
    unsigned long long bytes = ui_bytes(d.ui), frames = ui_frames(d.ui);
    ui_close(d.ui);
    fake_free(d.fake);
    printf("%llu bytes in %llu frames, %.1f s: %.0f bytes/s\n", bytes, frames, seconds,
           (double)bytes / seconds);
    return 0;
}
