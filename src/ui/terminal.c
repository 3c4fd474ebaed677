/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The one file that touches the terminal. Promises: it is given back as it was found, on every way
 * out; nothing here waits for it while the screen is on; nothing but our frames is written to it.
 * Must not know what is drawn.
 *
 * How: ncurses writes to a descriptor that we replaced by a memory file once newterm() had read the
 * terminal's modes from it. Each frame is taken from there and written by us, without blocking, to
 * an open file description of our own (O_NONBLOCK on a shared one would hit the shell and every
 * other program on the terminal).
 */
#include "terminal.h"

#include <assert.h>
#include <curses.h>
#include <errno.h>
#include <fcntl.h>
#include <langinfo.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include "keys.h"
#include "sthd/buf.h"
#include "sthd/mem.h"
#include "sthd/text.h"

#include <term.h> /* last: it has macros for common words */

/* Over a slow line the bytes of one arrow key may come this far apart. */
#define ESCAPE_DELAY_MS 50
/* How long leaving may wait for a terminal that takes nothing. */
#define LEAVE_WAIT_MS 500

#define PASTE_ON  "\033[?2004h"
#define PASTE_OFF "\033[?2004l"

struct terminal {
    int fd; /* ours: non-blocking, read and polled; output leaves here */
    FILE *out, *in;
    int frames_fd; /* the memory file behind ncurses' output descriptor */
    SCREEN *screen;
    WINDOW *key_pad;
    struct termios found, ours;
    struct buf queue;
    size_t queue_done;
    uint64_t bytes;
    bool paste_marks;
    bool gone;
    bool suspended;
    int stderr_was; /* -1: not parked */
    int stderr_park;
};

/* What the fatal-signal path needs, and nothing else: read in a signal handler. */
static struct {
    atomic_bool armed;
    int fd;
    int stderr_was, stderr_park;
    struct termios found;
    char bytes[256];
    size_t len;
} emergency;

bool terminal_utf8(void)
{
    return strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
}

bool terminal_small_font(void)
{
    const char *term = getenv("TERM");

    return term && (strcmp(term, "linux") == 0 || strncmp(term, "linux-", 6) == 0);
}

/* A description of our own of the terminal that fd is. */
static int reopen(int fd)
{
    static const int flags = O_RDWR | O_NONBLOCK | O_CLOEXEC | O_NOCTTY;
    char name[64];
    int got = -1;

    if (!isatty(fd))
        return -1;
    if (ttyname_r(fd, name, sizeof(name)) == 0)
        got = open(name, flags);
    if (got < 0) { /* the name belongs to another mount namespace (containers) or user (su) */
        snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
        got = open(name, flags);
    }
    return got;
}

static int open_tty(struct err *e)
{
    int fd = -1;

    for (int i = 1; i >= 0 && fd < 0; i--)
        fd = reopen(i);
    if (fd < 0)
        fd = open("/dev/tty", O_RDWR | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
    if (fd < 0)
        return err_set(e, EXIT_CODE_TERMINAL, errno,
                       "there is no terminal to draw on (%s); use --text", strerror(errno));
    pid_t front = tcgetpgrp(fd);
    if (front > 0 && front != getpgrp()) {
        close(fd);
        return err_set(e, EXIT_CODE_TERMINAL, EAGAIN,
                       "started in the background, so the screen belongs to another program; bring "
                       "it to the front with fg, or use --text");
    }
    return fd;
}

/* Without its padding ("$<5>"). */
static void add_sequence(struct buf *b, const char *s)
{
    while (*s) {
        const char *end = s[0] == '$' && s[1] == '<' ? strchr(s, '>') : NULL;
        if (end)
            s = end + 1;
        else
            buf_addc(b, *s++);
    }
}

/* If it has no parameters. */
static void add_capability(struct buf *b, const char *name)
{
    char cap[8];

    snprintf(cap, sizeof(cap), "%s", name);
    const char *s = tigetstr(cap);
    if (s && s != (char *)-1)
        add_sequence(b, s);
}

static bool has_capability(const char *name)
{
    char cap[8];

    snprintf(cap, sizeof(cap), "%s", name);
    const char *s = tigetstr(cap);
    return s && s != (char *)-1;
}

/* ncurses installs handlers for these in newterm and never takes them back; their cleanup is not
 * async-signal-safe, and ours come through the loop. */
static const int curses_signals[] = {SIGINT, SIGTERM, SIGTSTP, SIGWINCH};
#define N_CURSES_SIGNALS (sizeof(curses_signals) / sizeof(curses_signals[0]))

/* Whether terminfo has it. Only asked when newterm() would not have it. */
static bool is_known(const char *term, int fd)
{
    int found = 0;
    char name[64];

    snprintf(name, sizeof(name), "%s", term);
    if (setupterm(name, fd, &found) == ERR)
        return found > 0; /* it is there, and is made for paper */
    del_curterm(cur_term);
    return true;
}

/* NULL when there is nothing to draw with; then *known says whether terminfo knows the terminal. */
static SCREEN *new_screen(struct terminal *t, const char *term, bool *known)
{
    static const char *const substitutes[] = {"xterm-256color", "xterm", "vt100"};
    struct sigaction was[N_CURSES_SIGNALS];

    for (size_t i = 0; i < N_CURSES_SIGNALS; i++)
        sigaction(curses_signals[i], NULL, &was[i]);
    SCREEN *s = *term ? newterm(term, t->out, t->in) : NULL;
    *known = s || (*term && is_known(term, t->fd));
    for (size_t i = 0; !s && !*known && i < sizeof(substitutes) / sizeof(substitutes[0]); i++)
        s = newterm(substitutes[i], t->out, t->in);
    for (size_t i = 0; i < N_CURSES_SIGNALS; i++)
        sigaction(curses_signals[i], &was[i], NULL);
    return s;
}

/* Both forms of the cursor keys, whatever terminfo says of them: the terminal's mode may differ. */
static void define_keys(void)
{
    static const struct {
        const char *bytes;
        int key;
    } forms[] = {
        {"\033[A", KEY_UP},         {"\033[B", KEY_DOWN},       {"\033[C", KEY_RIGHT},
        {"\033[D", KEY_LEFT},       {"\033OA", KEY_UP},         {"\033OB", KEY_DOWN},
        {"\033OC", KEY_RIGHT},      {"\033OD", KEY_LEFT},       {"\033[H", KEY_HOME},
        {"\033[F", KEY_END},        {"\033OH", KEY_HOME},       {"\033OF", KEY_END},
        {"\033[1~", KEY_HOME},      {"\033[4~", KEY_END},       {"\033[7~", KEY_HOME},
        {"\033[8~", KEY_END},       {"\033[5~", KEY_PPAGE},     {"\033[6~", KEY_NPAGE},
        {"\033[3~", KEY_DC},        {"\033[Z", KEY_BTAB},       {"\033OM", KEY_ENTER},
        {"\033[200~", KEY_MAX + 1}, {"\033[201~", KEY_MAX + 2},
    };

    for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++)
        if (key_defined(forms[i].bytes) == 0)
            define_key(forms[i].bytes, forms[i].key);
}

static void add_last_line(struct buf *b)
{
    char cap[] = "cup";
    char *cup = tigetstr(cap);

    if (!cup || cup == (char *)-1)
        return;
    add_sequence(b, tiparm(cup, LINES - 1, 0));
    add_capability(b, "el");
}

/* CAN first: the last frame may have been cut inside an escape sequence. */
static void arm_emergency(const struct terminal *t)
{
    struct buf b = BUF_INIT;

    buf_addc(&b, '\030');
    add_capability(&b, "sgr0");
    add_capability(&b, "op");
    if (t->paste_marks)
        buf_adds(&b, PASTE_OFF);
    add_capability(&b, "rmkx");
    add_capability(&b, "cnorm");
    if (has_capability("rmcup")) {
        add_capability(&b, "rmcup");
    } else { /* no other screen to go back to: leave this one readable, the shell below it */
        add_last_line(&b);
        buf_adds(&b, "\r\n");
    }
    assert(b.len <= sizeof(emergency.bytes));
    memcpy(emergency.bytes, b.data, b.len);
    emergency.len = b.len;
    buf_done(&b);
    emergency.fd = t->fd;
    emergency.found = t->found;
    emergency.stderr_was = t->stderr_was;
    emergency.stderr_park = t->stderr_park;
    atomic_store(&emergency.armed, true);
}

/* Async-signal-safe. Waits for a slow terminal, but not for a dead one. */
static void write_bytes(int fd, const char *bytes, size_t len, int wait_ms)
{
    while (len > 0) {
        ssize_t n = write(fd, bytes, len);
        if (n > 0) {
            bytes += n;
            len -= (size_t)n;
        } else if (n < 0 && errno == EINTR) {
            continue;
        } else if (n < 0 && errno == EAGAIN) {
            struct pollfd p = {.fd = fd, .events = POLLOUT};
            if (poll(&p, 1, wait_ms) <= 0 || !(p.revents & POLLOUT))
                return;
        } else {
            return;
        }
    }
}

/* Async-signal-safe. From the background tcsetattr would stop us, unless TTOU is blocked. */
static void set_modes(int fd, const struct termios *modes)
{
    sigset_t ttou, was;

    sigemptyset(&ttou);
    sigaddset(&ttou, SIGTTOU);
    sigprocmask(SIG_BLOCK, &ttou, &was);
    tcsetattr(fd, TCSANOW, modes);
    sigprocmask(SIG_SETMASK, &was, NULL);
}

static void give_back(int fd, const struct termios *found)
{
    tcflush(fd, TCIFLUSH); /* keys meant for us are not commands for the shell */
    write_bytes(fd, emergency.bytes, emergency.len, LEAVE_WAIT_MS);
    set_modes(fd, found);
}

void terminal_emergency_restore(void)
{
    if (!atomic_exchange(&emergency.armed, false))
        return;
    give_back(emergency.fd, &emergency.found);
    if (emergency.stderr_was < 0)
        return;
    dup2(emergency.stderr_was, STDERR_FILENO);
    char part[512];
    off_t at = 0;
    for (ssize_t n; (n = pread(emergency.stderr_park, part, sizeof(part), at)) > 0; at += n)
        write_bytes(STDERR_FILENO, part, (size_t)n, LEAVE_WAIT_MS);
}

/* Libraries that print to descriptor 2 would write into the picture. */
static void park_stderr(struct terminal *t)
{
    t->stderr_was = t->stderr_park = -1;
    if (!isatty(STDERR_FILENO))
        return;
    t->stderr_park = memfd_create("stderr", MFD_CLOEXEC);
    if (t->stderr_park < 0)
        return;
    t->stderr_was = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
    if (t->stderr_was < 0 || dup2(t->stderr_park, STDERR_FILENO) < 0) {
        if (t->stderr_was >= 0)
            close(t->stderr_was);
        close(t->stderr_park);
        t->stderr_was = t->stderr_park = -1;
    }
}

static void replay_line(const char *line, size_t len)
{
    struct buf safe = BUF_INIT;

    text_printable(&safe, line, len, !terminal_utf8());
    buf_addc(&safe, '\n');
    write_bytes(STDERR_FILENO, safe.data, safe.len, LEAVE_WAIT_MS);
    buf_done(&safe);
}

static void unpark_stderr(struct terminal *t)
{
    struct buf all = BUF_INIT;
    char part[512];
    off_t at = 0;

    if (t->stderr_was < 0)
        return;
    fflush(stderr);
    dup2(t->stderr_was, STDERR_FILENO);
    for (ssize_t n; (n = pread(t->stderr_park, part, sizeof(part), at)) > 0; at += n)
        buf_add(&all, part, (size_t)n);
    for (size_t i = 0; i < all.len;) {
        const char *end = memchr(all.data + i, '\n', all.len - i);
        size_t len = end ? (size_t)(end - all.data) - i : all.len - i;
        replay_line(all.data + i, len);
        i += len + 1;
    }
    buf_done(&all);
    close(t->stderr_was);
    close(t->stderr_park);
    t->stderr_was = t->stderr_park = -1;
}

static void drop(struct terminal *t)
{
    if (t->key_pad)
        delwin(t->key_pad);
    if (t->screen)
        delscreen(t->screen);
    if (t->out)
        fclose(t->out);
    if (t->in)
        fclose(t->in);
    if (t->frames_fd >= 0)
        close(t->frames_fd);
    if (t->fd >= 0)
        close(t->fd);
    buf_done(&t->queue);
    free(t);
}

/* newterm writes a few bytes itself, and would spin on EAGAIN: it gets a description that blocks.
 */
static int blocking_twin(int fd)
{
    char name[64];

    snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
    int twin = open(name, O_RDWR | O_CLOEXEC | O_NOCTTY);
    return twin >= 0 ? twin : fcntl(fd, F_DUPFD_CLOEXEC, 3);
}

/* A terminal that was stopped by Ctrl-S runs again when nobody listens to Ctrl-S any more. */
static void start_output(int fd)
{
    struct termios modes;

    if (tcgetattr(fd, &modes) == 0) {
        modes.c_iflag &= ~(tcflag_t)IXON;
        set_modes(fd, &modes);
    }
}

static int set_up_screen(struct terminal *t, int escape_delay_ms, struct err *e)
{
    int out = blocking_twin(t->fd), in = fcntl(t->fd, F_DUPFD_CLOEXEC, 3);

    start_output(t->fd);
    t->out = out >= 0 ? fdopen(out, "w") : NULL;
    t->in = in >= 0 ? fdopen(in, "r") : NULL;
    t->frames_fd = memfd_create("frames", MFD_CLOEXEC);
    if (!t->out || !t->in || t->frames_fd < 0)
        return err_set(e, EXIT_CODE_TERMINAL, errno, "no descriptors for the screen: %s",
                       strerror(errno));
    const char *term = getenv("TERM");
    bool known;
    t->screen = new_screen(t, term ? term : "", &known);
    if (!t->screen && !known)
        return err_set(e, EXIT_CODE_TERMINAL, ENOTTY,
                       "this terminal (TERM=%.40s) is not in the terminfo database, and neither is "
                       "xterm or vt100; use --text",
                       term ? term : "");
    if (!t->screen || !has_capability("cup"))
        return err_set(e, EXIT_CODE_TERMINAL, ENOTTY,
                       "this terminal (TERM=%.40s) cannot move its cursor; use --text", term);
    raw();
    noecho();
    nonl();
    tcgetattr(t->fd, &t->ours);
    if (dup2(t->frames_fd, out) < 0)
        return err_set(e, EXIT_CODE_TERMINAL, errno, "the screen cannot be caught: %s",
                       strerror(errno));
    fcntl(out, F_SETFD, FD_CLOEXEC);
    typeahead(-1); /* a frame is never left half drawn because a key is waiting */
    set_escdelay(escape_delay_ms > 0 ? escape_delay_ms : ESCAPE_DELAY_MS);
    t->key_pad = newpad(1, 1); /* wgetch on a window would repaint it */
    keypad(t->key_pad, TRUE);
    nodelay(t->key_pad, TRUE);
    define_keys();
    if (has_colors()) {
        start_color();
        use_default_colors();
    }
    curs_set(0);
    scrollok(stdscr, FALSE);
    t->paste_marks = has_capability("smcup");
    return 0;
}

int terminal_open(struct terminal **out, int escape_delay_ms, struct err *e)
{
    int fd = open_tty(e);

    if (fd < 0)
        return fd;
    struct terminal *t = mem_zalloc(sizeof(*t));
    t->fd = fd;
    t->frames_fd = -1;
    t->stderr_was = t->stderr_park = -1;
    tcgetattr(fd, &t->found);
    int rc = set_up_screen(t, escape_delay_ms, e);
    if (rc < 0) {
        if (t->screen)
            endwin();
        set_modes(fd, &t->found);
        drop(t);
        return rc;
    }
    park_stderr(t);
    arm_emergency(t);
    if (t->paste_marks)
        buf_adds(&t->queue, PASTE_ON);
    terminal_resized(t);
    *out = t;
    return 0;
}

static void forget_frames(struct terminal *t)
{
    if (ftruncate(t->frames_fd, 0) == 0)
        lseek(t->frames_fd, 0, SEEK_SET);
    buf_clear(&t->queue);
    t->queue_done = 0;
}

/* Out of the picture. endwin() writes into memory and its modes go nowhere: ours is what counts. */
static void leave(struct terminal *t)
{
    if (t->suspended)
        return;
    t->suspended = true;
    write_bytes(t->fd, t->queue.data + t->queue_done, t->queue.len - t->queue_done, LEAVE_WAIT_MS);
    endwin();
    forget_frames(t);
    if (atomic_exchange(&emergency.armed, false))
        give_back(t->fd, &t->found);
}

void terminal_suspend(struct terminal *t)
{
    leave(t);
    if (t->stderr_was >= 0)
        unpark_stderr(t);
}

void terminal_resume(struct terminal *t)
{
    if (!t->suspended)
        return;
    t->suspended = false;
    tcgetattr(t->fd, &t->found); /* the shell may have other modes by now */
    set_modes(t->fd, &t->ours);
    park_stderr(t);
    arm_emergency(t);
    if (t->paste_marks)
        buf_adds(&t->queue, PASTE_ON);
    curs_set(0);
    clearok(curscr, TRUE);
    terminal_resized(t);
}

void terminal_close(struct terminal *t)
{
    if (!t)
        return;
    leave(t);
    unpark_stderr(t);
    drop(t);
}

int terminal_fd(const struct terminal *t)
{
    return t->fd;
}

/* LINES and COLUMNS of the environment, which newterm() believes, may be a lie. (Not use_env():
 * then newterm() fails on terminals whose entry names no size, such as the Linux console.) */
void terminal_resized(struct terminal *t)
{
    struct winsize w = {0};
    int rows = 24, cols = 80; /* serial lines and young web shells say 0 x 0 */

    if (ioctl(t->fd, TIOCGWINSZ, &w) == 0 && w.ws_row > 0 && w.ws_col > 0) {
        rows = w.ws_row;
        cols = w.ws_col;
    }
    if (rows != LINES || cols != COLS)
        resizeterm(rows, cols);
    clearok(curscr, TRUE); /* terminals reflow what stands there */
    if (atomic_exchange(&emergency.armed, false))
        arm_emergency(t); /* the last line is another one now */
}

static int translate(int c)
{
    switch (c) {
    case KEY_UP:
        return KEY_CODE_UP;
    case KEY_DOWN:
        return KEY_CODE_DOWN;
    case KEY_LEFT:
        return KEY_CODE_LEFT;
    case KEY_RIGHT:
        return KEY_CODE_RIGHT;
    case KEY_HOME:
        return KEY_CODE_HOME;
    case KEY_END:
        return KEY_CODE_END;
    case KEY_PPAGE:
        return KEY_CODE_PAGE_UP;
    case KEY_NPAGE:
        return KEY_CODE_PAGE_DOWN;
    case KEY_DC:
        return KEY_CODE_DELETE;
    case KEY_BTAB:
        return KEY_CODE_BACKTAB;
    case KEY_MAX + 1:
        return KEY_CODE_PASTE_BEGIN;
    case KEY_MAX + 2:
        return KEY_CODE_PASTE_END;
    case KEY_ENTER:
    case '\n':
        return KEY_CODE_ENTER;
    case KEY_BACKSPACE:
    case 8:
        return KEY_CODE_BACKSPACE;
    default:
        return c >= 0 && c < 0x100 ? c : KEY_CODE_OTHER;
    }
}

size_t terminal_keys(struct terminal *t, int *keys, size_t max)
{
    size_t n = 0;

    while (n < max) {
        int c = wgetch(t->key_pad);
        if (c == ERR)
            break;
        if (c != KEY_RESIZE)
            keys[n++] = translate(c);
    }
    return n;
}

void terminal_frame(struct terminal *t)
{
    off_t len = lseek(t->frames_fd, 0, SEEK_CUR);

    if (len > 0) {
        buf_reserve(&t->queue, (size_t)len);
        ssize_t n = pread(t->frames_fd, t->queue.data + t->queue.len, (size_t)len, 0);
        if (n > 0) {
            t->queue.len += (size_t)n;
            t->queue.data[t->queue.len] = '\0';
        }
    }
    if (ftruncate(t->frames_fd, 0) == 0)
        lseek(t->frames_fd, 0, SEEK_SET);
}

bool terminal_idle(const struct terminal *t)
{
    return t->queue_done == t->queue.len;
}

/* The other end has hung up: reads say end or EIO from now on, writes EIO. */
static bool hung_up(const struct terminal *t)
{
    struct pollfd p = {.fd = t->fd, .events = 0};

    return poll(&p, 1, 0) > 0 && (p.revents & (POLLHUP | POLLERR | POLLNVAL));
}

bool terminal_flush(struct terminal *t)
{
    while (!t->gone && t->queue_done < t->queue.len) {
        ssize_t n = write(t->fd, t->queue.data + t->queue_done, t->queue.len - t->queue_done);
        if (n > 0) {
            t->queue_done += (size_t)n;
            t->bytes += (uint64_t)n;
        } else if (n < 0 && errno == EINTR) {
            continue;
        } else if (n < 0 && errno == EAGAIN) {
            break;
        } else {
            t->gone = true;
        }
    }
    if (terminal_idle(t)) {
        buf_clear(&t->queue);
        t->queue_done = 0;
    }
    if (!t->gone && hung_up(t))
        t->gone = true;
    return !t->gone;
}

uint64_t terminal_bytes(const struct terminal *t)
{
    return t->bytes;
}
