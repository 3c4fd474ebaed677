/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The ui on a real pty, both ends in one process: what it does to the terminal, and what a terminal
 * can do to it. An alarm ends the program if anything ever waits.
 */
#include <curses.h>
#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "fake.h"
#include "sthd/buf.h"
#include "tap.h"

#define TICK_NS     INT64_C(250000000)
#define DEADLINE_MS 5000

/* ncurses keeps one small block for good when an unknown terminal was asked for. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:new_prescr\n";
}

struct pty {
    int master, slave;
    struct buf seen; /* what was written to the terminal */
    uint64_t total;
};

static struct pty pty_open(int rows, int cols)
{
    struct pty p = {.master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK)};
    struct winsize w = {.ws_row = (unsigned short)rows, .ws_col = (unsigned short)cols};

    if (p.master < 0 || grantpt(p.master) < 0 || unlockpt(p.master) < 0) {
        tap_ok(false, "a pty can be had: %s", strerror(errno));
        exit(tap_done());
    }
    p.slave = open(ptsname(p.master), O_RDWR | O_CLOEXEC | O_NOCTTY);
    ioctl(p.slave, TIOCSCTTY, 0);
    ioctl(p.slave, TIOCSWINSZ, &w);
    buf_init(&p.seen);
    return p;
}

static void pty_close(struct pty *p)
{
    ioctl(p->slave, TIOCNOTTY);
    close(p->slave);
    if (p->master >= 0)
        close(p->master);
    buf_done(&p->seen);
}

static void pty_read(struct pty *p)
{
    char bytes[4096];

    for (ssize_t n; (n = read(p->master, bytes, sizeof(bytes))) > 0;)
        buf_add(&p->seen, bytes, (size_t)n), p->total += (uint64_t)n;
}

static void pty_type(struct pty *p, const char *keys)
{
    if (write(p->master, keys, strlen(keys)) < 0)
        tap_ok(false, "keys can be typed: %s", strerror(errno));
}

static bool saw(const struct pty *p, const char *text)
{
    return p->seen.data && memmem(p->seen.data, p->seen.len, text, strlen(text));
}

/* Waits for the kernel, which carries bytes from one end to the other in its own time. */
static bool wait_for_bytes(struct pty *p)
{
    struct pollfd f = {.fd = p->master, .events = POLLIN};

    return poll(&f, 1, DEADLINE_MS) > 0 && (f.revents & POLLIN);
}

static bool sees(struct pty *p, const char *text)
{
    pty_read(p);
    while (!saw(p, text) && wait_for_bytes(p))
        pty_read(p);
    return saw(p, text);
}

/* ui_open finds the terminal at descriptor 1, where TAP goes otherwise. */
static int open_ui(struct ui **u, struct pty *p, const struct ui_model *m, struct err *e)
{
    const struct ui_options o = {.escape_delay_ms = 1};
    int out = dup(STDOUT_FILENO);

    fflush(stdout);
    dup2(p->slave, STDOUT_FILENO);
    int rc = ui_open(u, &o, m, e);
    dup2(out, STDOUT_FILENO);
    close(out);
    return rc;
}

static bool same_modes(const struct termios *a, const struct termios *b)
{
    return a->c_iflag == b->c_iflag && a->c_oflag == b->c_oflag && a->c_lflag == b->c_lflag &&
           a->c_cflag == b->c_cflag && memcmp(a->c_cc, b->c_cc, sizeof(a->c_cc)) == 0;
}

/* Until everything the ui wrote has come out at the other end. */
static void drain(struct ui *u, struct pty *p)
{
    do {
        pty_read(p);
        ui_flush(u);
    } while ((ui_wants_write(u) || p->total < ui_bytes(u)) && wait_for_bytes(p));
}

/* Draws, and lets the terminal take it all. */
static void show(struct ui *u, struct pty *p, int64_t now_ns)
{
    ui_draw(u, now_ns);
    drain(u, p);
}

static void test_modes(void)
{
    struct pty p = pty_open(24, 80);
    struct fake *f = fake_new(FAKE_SETUP);
    struct termios before, during, after;
    struct err e = {0};
    struct ui *u;

    tcgetattr(p.slave, &before);
    tap_int(open_ui(&u, &p, fake_model(f), &e), 0, "opens: %s", e.text);
    show(u, &p, 0);
    tcgetattr(p.slave, &during);
    tap_ok(!(during.c_lflag & (ECHO | ISIG | ICANON)), "raw while open");
    tap_ok(!(during.c_iflag & IXON), "Ctrl-S cannot stop the output");
    tap_ok(sees(&p, "\033[?1049h"), "other screen");
    tap_ok(sees(&p, "\033[?2004h"), "pastes are marked");
    tap_ok(sees(&p, "Target"), "the picture is there");

    buf_clear(&p.seen);
    ui_suspend(u);
    tcgetattr(p.slave, &after);
    tap_ok(same_modes(&before, &after), "modes given back while suspended");
    tap_ok(sees(&p, "\033[?1049l"), "first screen while suspended");
    buf_clear(&p.seen);
    ui_resume(u);
    show(u, &p, 1);
    tcgetattr(p.slave, &after);
    tap_ok(same_modes(&during, &after), "raw again");
    tap_ok(sees(&p, "\033[?1049h") && sees(&p, "Target"), "drawn again");

    buf_clear(&p.seen);
    ui_close(u);
    tcgetattr(p.slave, &after);
    tap_ok(same_modes(&before, &after), "modes given back");
    tap_ok(sees(&p, "\033[?1049l") && sees(&p, "\033[?2004l") && sees(&p, "\033[?25h"),
           "screen, paste marks and cursor given back");
    ui_emergency_restore(); /* nothing is open: nothing happens */
    fake_free(f);
    pty_close(&p);
}

static void test_emergency(void)
{
    struct pty p = pty_open(24, 80);
    struct fake *f = fake_new(FAKE_SETUP);
    struct termios before, after;
    struct err e;
    struct ui *u;

    tcgetattr(p.slave, &before);
    if (!tap_int(open_ui(&u, &p, fake_model(f), &e), 0, "opens"))
        return;
    show(u, &p, 0);
    buf_clear(&p.seen);
    ui_emergency_restore();
    pty_read(&p);
    tcgetattr(p.slave, &after);
    tap_ok(same_modes(&before, &after), "emergency: modes given back");
    tap_ok(sees(&p, "\033[?1049l") && sees(&p, "\033[?25h"), "emergency: screen and cursor");
    size_t len = p.seen.len;
    ui_emergency_restore();
    pty_read(&p);
    tap_int((long long)p.seen.len, (long long)len, "emergency: only once");
    ui_close(u);
    fake_free(f);
    pty_close(&p);
}

/* Nobody reads the terminal for a minute of run time. */
static void test_stalled(void)
{
    struct pty p = pty_open(24, 80);
    struct fake *f = fake_new(FAKE_CDM);
    struct err e;
    struct ui *u;
    int64_t now = 0;

    if (!tap_int(open_ui(&u, &p, fake_model(f), &e), 0, "opens"))
        return;
    show(u, &p, now);
    for (int i = 0; i < 4 * 600; i++) { /* until the pty is full, and long after */
        if (!fake_tick(f))
            fake_run(f)->step_began_ns = fake_run(f)->now_ns;
        now += TICK_NS;
        ui_draw(u, now);
        if (!ui_flush(u))
            tap_ok(false, "still there");
    }
    uint64_t frames = ui_frames(u);
    tap_ok(ui_wants_write(u), "stalled: the rest of a frame waits");
    tap_int(ui_draw(u, now + TICK_NS) == INT64_MAX, 1, "stalled: no timer runs for it");
    tap_ok(frames < 4 * 600, "stalled: %d intervals cost %llu frames", 4 * 600,
           (unsigned long long)frames);
    drain(u, &p);
    fake_run(f)->generation++;
    buf_clear(&p.seen);
    show(u, &p, now + 2 * TICK_NS);
    tap_int((long long)(ui_frames(u) - frames), 1, "stalled: the next frame follows at once");
    tap_ok(p.seen.len > 0 && p.seen.len < 2000, "stalled: and it is one frame (%zu bytes)",
           p.seen.len);
    ui_close(u);
    fake_free(f);
    pty_close(&p);
}

/* The promise is 1.2 kB/s to an 80x24 terminal at four reports a second. */
static void test_bytes(enum fake_scene scene, const char *name)
{
    struct pty p = pty_open(24, 80);
    struct fake *f = fake_new(scene);
    struct err e;
    struct ui *u;
    int64_t now = 0;
    int ticks = 0;

    if (!tap_int(open_ui(&u, &p, fake_model(f), &e), 0, "opens"))
        return;
    show(u, &p, now);
    uint64_t bytes = ui_bytes(u), frames = ui_frames(u);
    while (fake_tick(f)) {
        now += TICK_NS;
        show(u, &p, now);
        ticks++;
    }
    bytes = ui_bytes(u) - bytes;
    double per_s = (double)bytes * 4 / ticks;
    tap_int((long long)(ui_frames(u) - frames), ticks, "%s: a frame per report", name);
    tap_ok(per_s <= 1200, "%s: %.0f bytes/s at 4 reports/s on 80x24", name, per_s);
    ui_close(u);
    fake_free(f);
    pty_close(&p);
}

static struct ui_message read_one(struct ui *u)
{
    struct ui_message m = ui_read(u), rest = m;

    for (int i = 0; rest.type != UI_NOTHING && i < 100; i++)
        rest = ui_read(u);
    return m;
}

static void test_keys(void)
{
    static const struct {
        const char *keys;
        enum ui_message_type want;
        const char *why;
    } cases[] = {
        {"qy", UI_NOTHING, "two keys at once are a paste"},
        {"\033[200~q\033[201~", UI_NOTHING, "a marked paste"},
        {"\033[200~s\ry\033[201~", UI_NOTHING, "a marked paste that would start"},
        {"sy", UI_NOTHING, "an unmarked paste that would start"},
        {"\033[24;5~", UI_NOTHING, "a function key nobody defined"},
        {"\033q", UI_NOTHING, "Alt-q is not q"},
        {"\003", UI_INTERRUPT, "Ctrl-C"},
        {"\034", UI_INTERRUPT, "Ctrl-\\"},
        {"\032", UI_SUSPEND, "Ctrl-Z"},
        {"u", UI_RELOAD_TARGETS, "u"},
        {"2", UI_PATH, "a digit chooses a target"},
        {"q", UI_QUIT, "q, alone"},
    };
    struct err e;

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct pty p = pty_open(24, 80);
        struct fake *f = fake_new(FAKE_SETUP);
        struct ui *u;
        if (!tap_int(open_ui(&u, &p, fake_model(f), &e), 0, "opens"))
            return;
        show(u, &p, 0);
        pty_type(&p, cases[i].keys);
        tap_int(read_one(u).type, cases[i].want, "%s", cases[i].why);
        ui_close(u);
        fake_free(f);
        pty_close(&p);
    }
}

/* Down, in both forms a terminal may send it, then Enter: the second target. */
static void test_arrows(const char *term)
{
    static const char *const forms[] = {"\033[B", "\033OB", "j"};
    struct err e;

    setenv("TERM", term, 1);
    for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
        struct pty p = pty_open(24, 80);
        struct fake *f = fake_new(FAKE_SETUP);
        struct ui *u;
        if (!tap_int(open_ui(&u, &p, fake_model(f), &e), 0, "opens on %s", term))
            return;
        show(u, &p, 0);
        pty_type(&p, forms[i]);
        tap_int(read_one(u).type, UI_NOTHING, "%s: form %zu moves", term, i);
        pty_type(&p, "\r");
        struct ui_message m = ui_read(u);
        tap_int(m.type, UI_PATH, "%s: form %zu, then Enter", term, i);
        tap_str(m.text ? m.text : "", "/mnt/tank", "%s: form %zu went down by one", term, i);
        ui_close(u);
        fake_free(f);
        pty_close(&p);
    }
    setenv("TERM", "xterm-256color", 1);
}

static void test_start_takes_two_keys(void)
{
    struct pty p = pty_open(24, 80);
    struct fake *f = fake_new(FAKE_SETUP);
    struct err e;
    struct ui *u;

    if (!tap_int(open_ui(&u, &p, fake_model(f), &e), 0, "opens"))
        return;
    show(u, &p, 0);
    pty_type(&p, "\r");
    tap_int(read_one(u).type, UI_NOTHING, "Enter asks");
    show(u, &p, TICK_NS);
    tap_ok(sees(&p, "Write up to"), "and says what would be written");
    pty_type(&p, "\r");
    tap_int(read_one(u).type, UI_NOTHING, "Enter again is no answer");
    pty_type(&p, "y");
    tap_int(read_one(u).type, UI_START, "y starts");
    ui_close(u);
    fake_free(f);
    pty_close(&p);
}

static void test_run_is_not_left_by_accident(void)
{
    static const struct {
        const char *key;
        enum ui_message_type want;
    } cases[] = {{"q", UI_QUIT}, {"s", UI_STOP}, {"n", UI_NEXT}};
    struct err e;

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct pty p = pty_open(24, 80);
        struct fake *f = fake_new(FAKE_CDM);
        struct ui *u;
        if (!tap_int(open_ui(&u, &p, fake_model(f), &e), 0, "opens"))
            return;
        show(u, &p, 0);
        pty_type(&p, cases[i].key);
        tap_int(read_one(u).type, UI_NOTHING, "%s asks", cases[i].key);
        pty_type(&p, "n");
        tap_int(read_one(u).type, UI_NOTHING, "n goes on");
        pty_type(&p, cases[i].key);
        read_one(u);
        pty_type(&p, "y");
        tap_int(read_one(u).type, cases[i].want, "%s, y", cases[i].key);
        ui_close(u);
        fake_free(f);
        pty_close(&p);
    }
}

static void test_hangup(void)
{
    struct pty p = pty_open(24, 80);
    struct fake *f = fake_new(FAKE_SETUP);
    struct err e;
    struct ui *u;

    if (!tap_int(open_ui(&u, &p, fake_model(f), &e), 0, "opens"))
        return;
    show(u, &p, 0);
    tap_ok(ui_flush(u), "the terminal is there");
    close(p.master);
    p.master = -1;
    tap_ok(!ui_flush(u), "the terminal is gone");
    tap_int(read_one(u).type, UI_NOTHING, "and says nothing");
    ui_close(u);
    fake_free(f);
    pty_close(&p);
}

static void test_sizes(void)
{
    static const struct {
        int rows, cols, want_rows, want_cols;
    } cases[] = {{0, 0, 24, 80}, {1, 1, 1, 1}, {24, 80, 24, 80}, {50, 160, 50, 160}};
    struct err e;

    setenv("LINES", "33", 1);
    setenv("COLUMNS", "101", 1);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct pty p = pty_open(cases[i].rows, cases[i].cols);
        struct fake *f = fake_new(FAKE_SETUP);
        struct ui *u;
        tap_int(open_ui(&u, &p, fake_model(f), &e), 0, "opens at %d x %d", cases[i].cols,
                cases[i].rows);
        show(u, &p, 0);
        tap_int(LINES, cases[i].want_rows, "lines of %d x %d", cases[i].cols, cases[i].rows);
        tap_int(COLS, cases[i].want_cols, "columns of %d x %d", cases[i].cols, cases[i].rows);
        struct winsize w = {.ws_row = 24, .ws_col = 80};
        ioctl(p.slave, TIOCSWINSZ, &w);
        buf_clear(&p.seen);
        ui_resized(u);
        show(u, &p, TICK_NS);
        tap_ok(sees(&p, "speedtest-hd") && sees(&p, "help"), "drawn anew at 80 x 24");
        ui_close(u);
        fake_free(f);
        pty_close(&p);
    }
    unsetenv("LINES");
    unsetenv("COLUMNS");
}

static void test_terminals(void)
{
    static const struct {
        const char *term;
        bool usable;
    } cases[] = {
        {"xterm-256color", true}, {"xterm", true}, {"vt100", true},    {"linux", true},
        {"screen", true},         {"", true},      {"nonesuch", true}, {"dumb", false},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct pty p = pty_open(24, 80);
        struct fake *f = fake_new(FAKE_CDM);
        struct termios before, after;
        struct err e = {0};
        struct ui *u;
        setenv("TERM", cases[i].term, 1);
        tcgetattr(p.slave, &before);
        int rc = open_ui(&u, &p, fake_model(f), &e);
        tap_int(rc == 0, cases[i].usable, "TERM=%s: %s", cases[i].term, e.text);
        if (rc == 0) {
            show(u, &p, 0);
            tap_ok(sees(&p, "SEQ1M"), "TERM=%s shows the picture", cases[i].term);
            ui_close(u);
        } else {
            tap_int(e.exit_code, EXIT_CODE_TERMINAL, "TERM=%s: its exit code", cases[i].term);
        }
        tcgetattr(p.slave, &after);
        tap_ok(same_modes(&before, &after), "TERM=%s: modes given back", cases[i].term);
        fake_free(f);
        pty_close(&p);
    }
    setenv("TERM", "xterm-256color", 1);
}

static void test_stderr(void)
{
    struct pty p = pty_open(24, 80);
    struct fake *f = fake_new(FAKE_SETUP);
    int was = dup(STDERR_FILENO);
    struct err e;
    struct ui *u;

    dup2(p.slave, STDERR_FILENO);
    if (!tap_int(open_ui(&u, &p, fake_model(f), &e), 0, "opens"))
        return;
    fprintf(stderr, "a library\033[31m complains\n");
    show(u, &p, 0);
    tap_ok(!saw(&p, "complains"), "stderr is parked");
    ui_close(u);
    tap_ok(sees(&p, "a library\\x1b[31m complains"), "and replayed, printable");
    dup2(was, STDERR_FILENO);
    close(was);
    fake_free(f);
    pty_close(&p);
}

static int all(void)
{
    alarm(120);
    setenv("TERM", "xterm-256color", 1);
    setlocale(LC_CTYPE, "C.UTF-8");
    test_modes();
    test_emergency();
    test_stalled();
    test_bytes(FAKE_CDM, "cdm");
    test_bytes(FAKE_SLOG, "slog");
    test_bytes(FAKE_PREPARE, "prepare");
    test_keys();
    test_arrows("xterm-256color");
    test_arrows("vt100");
    test_start_takes_two_keys();
    test_run_is_not_left_by_accident();
    test_hangup();
    test_sizes();
    test_terminals();
    test_stderr();
    return tap_done();
}

/* A session of its own, so that the ptys can be its terminal. */
int main(void)
{
    int status;

    fflush(stdout);
    signal(SIGHUP, SIG_IGN);
    pid_t pid = fork();
    if (pid == 0) {
        setsid();
        return all();
    }
    if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFEXITED(status)) {
        printf("Bail out! the test was killed: something waited for the terminal\n");
        return 99;
    }
    return WEXITSTATUS(status);
}
