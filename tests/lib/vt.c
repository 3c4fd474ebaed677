/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * See vt.h. Knows nothing of the program it runs. The only clock is CLOCK_MONOTONIC; the only waits
 * are poll(2) on the terminal and on the pipe from the process in the shell's place.
 */
#include "vt.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <regex.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <utmp.h>
#include <vterm.h>

#include "sthd/buf.h"
#include "sthd/mem.h"
#include "tap.h"

struct event { /* from the process in the shell's place; smaller than PIPE_BUF, so never torn */
    enum { EVENT_STARTED, EVENT_STOPPED, EVENT_CONTINUED, EVENT_ENDED } what;
    int value; /* pid, or wait status */
};

struct vt {
    int master;
    int events; /* pipe from the shell stand-in */
    pid_t shell, program;
    bool ended, stopped, stalled;
    int status;
    VTerm *term;
    VTermScreen *screen;
    int rows, cols;
    bool alt, cursor_visible, mouse;
    uint64_t bytes;
    int64_t started_ns, first_byte_ns, last_byte_ns;
    struct termios before;
    struct buf raw, row, text, scrolled, transcript;
};

static int64_t now_ns(void)
{
    struct timespec ts;

    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (int64_t)ts.tv_sec * 1000000000 + ts.tv_nsec;
}

static void die(const char *what)
{
    printf("Bail out! vt: %s: %s\n", what, strerror(errno));
    exit(99);
}

/* ---- the terminal ---- */

static void on_output(const char *s, size_t len, void *user)
{
    struct vt *v = user;

    if (v->master >= 0 && write(v->master, s, len) < 0 && errno != EAGAIN && errno != EIO)
        die("answer to the program");
}

static int on_prop(VTermProp prop, VTermValue *val, void *user)
{
    struct vt *v = user;

    switch (prop) {
    case VTERM_PROP_ALTSCREEN:
        v->alt = val->boolean;
        break;
    case VTERM_PROP_CURSORVISIBLE:
        v->cursor_visible = val->boolean;
        break;
    case VTERM_PROP_MOUSE:
        v->mouse = val->number != VTERM_PROP_MOUSE_NONE;
        break;
    default:
        break;
    }
    return 1;
}

static void add_code_point(struct buf *b, uint32_t c)
{
    if (c < 0x80) {
        buf_addc(b, (char)c);
    } else if (c < 0x800) {
        buf_addc(b, (char)(0xc0 | c >> 6));
        buf_addc(b, (char)(0x80 | (c & 0x3f)));
    } else if (c < 0x10000) {
        buf_addc(b, (char)(0xe0 | c >> 12));
        buf_addc(b, (char)(0x80 | (c >> 6 & 0x3f)));
        buf_addc(b, (char)(0x80 | (c & 0x3f)));
    } else {
        buf_addc(b, (char)(0xf0 | c >> 18));
        buf_addc(b, (char)(0x80 | (c >> 12 & 0x3f)));
        buf_addc(b, (char)(0x80 | (c >> 6 & 0x3f)));
        buf_addc(b, (char)(0x80 | (c & 0x3f)));
    }
}

/* Appends the cells' text; columns covered by a wide character are left out. */
static void add_cells(struct buf *b, const VTermScreenCell *cells, int n)
{
    size_t start = b->len;

    for (int i = 0; i < n; i++) {
        const VTermScreenCell *c = &cells[i];

        if (c->chars[0] == (uint32_t)-1)
            continue;
        if (c->chars[0] == 0)
            buf_addc(b, ' ');
        for (int k = 0; k < VTERM_MAX_CHARS_PER_CELL && c->chars[k]; k++)
            add_code_point(b, c->chars[k]);
    }
    while (b->len > start && b->data[b->len - 1] == ' ')
        b->data[--b->len] = '\0';
}

static int on_pushline(int cols, const VTermScreenCell *cells, void *user)
{
    struct vt *v = user;

    add_cells(&v->scrolled, cells, cols);
    buf_addc(&v->scrolled, '\n');
    return 1;
}

static const VTermScreenCallbacks screen_callbacks = {
    .settermprop = on_prop,
    .sb_pushline = on_pushline,
};

static void get_cell(struct vt *v, int row, int col, VTermScreenCell *c)
{
    *c = (VTermScreenCell){0};
    vterm_screen_get_cell(v->screen, (VTermPos){.row = row, .col = col}, c);
}

static void add_row(struct vt *v, struct buf *b, int row)
{
    VTermScreenCell *cells = mem_realloc_array(NULL, (size_t)v->cols, sizeof(*cells));

    for (int col = 0; col < v->cols; col++)
        get_cell(v, row, col, &cells[col]);
    add_cells(b, cells, v->cols);
    free(cells);
}

const char *vt_row(struct vt *v, int row)
{
    buf_clear(&v->row);
    buf_adds(&v->row, "");
    if (row >= 0 && row < v->rows)
        add_row(v, &v->row, row);
    return v->row.data ? v->row.data : "";
}

const char *vt_screen(struct vt *v)
{
    buf_clear(&v->text);
    for (int row = 0; row < v->rows; row++) {
        add_row(v, &v->text, row);
        buf_addc(&v->text, '\n');
    }
    return v->text.data;
}

const char *vt_transcript(struct vt *v)
{
    buf_clear(&v->transcript);
    buf_add(&v->transcript, v->scrolled.data, v->scrolled.len);
    buf_adds(&v->transcript, vt_screen(v));
    return v->transcript.data;
}

int vt_find(struct vt *v, const char *text, int *col)
{
    for (int row = 0; row < v->rows; row++) {
        const char *line = vt_row(v, row), *at = strstr(line, text);

        if (!at)
            continue;
        if (col) {
            *col = 0; /* in characters: good enough for text without wide ones before it */
            for (const char *p = line; p < at; p++)
                *col += (*p & 0xc0) != 0x80;
        }
        return row;
    }
    return -1;
}

bool vt_shows(struct vt *v, const char *text)
{
    return vt_find(v, text, NULL) >= 0;
}

bool vt_matches(struct vt *v, const char *ere)
{
    regex_t re;
    bool found = false;

    if (regcomp(&re, ere, REG_EXTENDED | REG_NOSUB))
        die(ere);
    for (int row = 0; row < v->rows && !found; row++)
        found = regexec(&re, vt_row(v, row), 0, NULL, 0) == 0;
    regfree(&re);
    return found;
}

static int colour_number(const VTermColor *c)
{
    if (VTERM_COLOR_IS_INDEXED(c))
        return c->indexed.idx;
    return 0x1000000 | c->rgb.red << 16 | c->rgb.green << 8 | c->rgb.blue;
}

void vt_cell(struct vt *v, int row, int col, struct vt_cell *out)
{
    VTermScreenCell c;
    struct buf b = BUF_INIT;

    get_cell(v, row, col, &c);
    add_cells(&b, &c, 1);
    *out = (struct vt_cell){
        .width = c.width,
        .bold = c.attrs.bold,
        .underline = c.attrs.underline != 0,
        .reverse = c.attrs.reverse,
        .fg_default = VTERM_COLOR_IS_DEFAULT_FG(&c.fg),
        .bg_default = VTERM_COLOR_IS_DEFAULT_BG(&c.bg),
        .fg = colour_number(&c.fg),
        .bg = colour_number(&c.bg),
    };
    if (b.data)
        snprintf(out->text, sizeof(out->text), "%s", b.data);
    buf_done(&b);
}

int vt_rows(const struct vt *v)
{
    return v->rows;
}

int vt_cols(const struct vt *v)
{
    return v->cols;
}

void vt_cursor(const struct vt *v, int *row, int *col)
{
    VTermPos pos;

    vterm_state_get_cursorpos(vterm_obtain_state(v->term), &pos);
    *row = pos.row;
    *col = pos.col;
}

bool vt_cursor_visible(const struct vt *v)
{
    return v->cursor_visible;
}

bool vt_alt_screen(const struct vt *v)
{
    return v->alt;
}

bool vt_mouse(const struct vt *v)
{
    return v->mouse;
}

uint64_t vt_bytes(const struct vt *v)
{
    return v->bytes;
}

const char *vt_raw(const struct vt *v)
{
    return v->raw.data ? v->raw.data : "";
}

int64_t vt_started_ns(const struct vt *v)
{
    return v->started_ns;
}

int64_t vt_first_byte_ns(const struct vt *v)
{
    return v->first_byte_ns;
}

/* ---- the process in the shell's place ---- */

static volatile sig_atomic_t program_of_shell;

static void pass_hangup_on(int signo)
{
    if (program_of_shell > 0)
        kill(-program_of_shell, signo);
}

static void bring_to_foreground(int signo)
{
    int saved = errno;

    (void)signo;
    if (program_of_shell > 0) {
        tcsetpgrp(0, program_of_shell);
        kill(-program_of_shell, SIGCONT);
    }
    errno = saved;
}

static void tell(int fd, int what, int value)
{
    struct event e = {.what = what, .value = value};

    if (write(fd, &e, sizeof(e)) != sizeof(e))
        _exit(97);
}

/* 'gate' makes the program wait until it is in the foreground: a write to the terminal before that
 * would race with us. */
static void run_program(const struct vt_spec *spec, const char *const argv[], int gate)
{
    char go;

    if (read(gate, &go, 1) != 1)
        _exit(97);
    close(gate);
    signal(SIGHUP, SIG_DFL);
    signal(SIGTTOU, SIG_DFL);
    signal(SIGPIPE, SIG_DFL);
    setenv("TERM", spec->term ? spec->term : "xterm-256color", 1);
    unsetenv("LINES");
    unsetenv("COLUMNS");
    for (size_t i = 0; spec->env && spec->env[i]; i++) {
        char *name = mem_strdup(spec->env[i]), *value = strchr(name, '=');

        if (value)
            *value++ = '\0';
        if (value)
            setenv(name, value, 1);
        else
            unsetenv(name);
        free(name);
    }
    if (spec->cwd && chdir(spec->cwd))
        _exit(98);
    execvp(argv[0], (char *const *)(uintptr_t)argv);
    _exit(127);
}

static void be_shell(const struct vt_spec *spec, const char *const argv[], int events)
    __attribute__((noreturn));
static void be_shell(const struct vt_spec *spec, const char *const argv[], int events)
{
    int gate[2], status;
    pid_t program, got;
    struct sigaction hangup = {.sa_handler = pass_hangup_on, .sa_flags = SA_RESTART};
    struct sigaction foreground = {.sa_handler = bring_to_foreground, .sa_flags = SA_RESTART};

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    signal(SIGTTOU, SIG_IGN); /* tcsetpgrp from the background */
    sigaction(SIGHUP, &hangup, NULL);
    sigaction(SIGUSR1, &foreground, NULL);
    if (pipe2(gate, O_CLOEXEC))
        _exit(97);
    program = fork();
    if (program < 0)
        _exit(97);
    if (program == 0) {
        setpgid(0, 0);
        close(gate[1]);
        run_program(spec, argv, gate[0]);
    }
    program_of_shell = program;
    setpgid(program, program);
    tcsetpgrp(0, program);
    tell(events, EVENT_STARTED, program);
    if (write(gate[1], "", 1) != 1)
        _exit(97);
    close(gate[0]);
    close(gate[1]);
    for (;;) {
        got = waitpid(program, &status, WUNTRACED | WCONTINUED);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            _exit(97);
        if (WIFSTOPPED(status)) {
            tcsetpgrp(0, getpgrp());
            tell(events, EVENT_STOPPED, status);
        } else if (WIFCONTINUED(status)) {
            tell(events, EVENT_CONTINUED, status);
        } else {
            break;
        }
    }
    program_of_shell = 0;
    tcsetpgrp(0, getpgrp());
    tell(events, EVENT_ENDED, status);
    for (;;)
        pause(); /* holds the terminal until vt_free */
}

static void set_size(struct vt *v, int rows, int cols)
{
    struct winsize ws = {.ws_row = (unsigned short)rows, .ws_col = (unsigned short)cols};

    if (ioctl(v->master, TIOCSWINSZ, &ws))
        die("TIOCSWINSZ");
}

static void read_events(struct vt *v);

struct vt *vt_start(const struct vt_spec *spec, const char *const argv[])
{
    struct vt *v = mem_alloc(sizeof(*v));
    int events[2], slave;

    signal(SIGPIPE, SIG_IGN);
    *v = (struct vt){.rows = spec->rows ? spec->rows : 24,
                     .cols = spec->cols ? spec->cols : 80,
                     .cursor_visible = true};
    v->term = vterm_new(v->rows, v->cols);
    vterm_set_utf8(v->term, !spec->latin);
    vterm_output_set_callback(v->term, on_output, v);
    v->screen = vterm_obtain_screen(v->term);
    vterm_screen_enable_altscreen(v->screen, 1);
    vterm_screen_set_callbacks(v->screen, &screen_callbacks, v);
    vterm_screen_reset(v->screen, 1);

    if (openpty(&v->master, &slave, NULL, NULL, NULL) || pipe2(events, O_CLOEXEC))
        die("openpty");
    fcntl(v->master, F_SETFD, FD_CLOEXEC);
    fcntl(v->master, F_SETFL, O_NONBLOCK);
    set_size(v, spec->size_zero ? 0 : v->rows, spec->size_zero ? 0 : v->cols);
    if (tcgetattr(slave, &v->before))
        die("tcgetattr");
    v->started_ns = now_ns();
    fflush(NULL);
    v->shell = fork();
    if (v->shell < 0)
        die("fork");
    if (v->shell == 0) {
        close(v->master);
        close(events[0]);
        if (login_tty(slave))
            _exit(97);
        be_shell(spec, argv, events[1]);
    }
    close(slave);
    close(events[1]);
    v->events = events[0];
    while (v->program == 0 && !v->ended) {
        read_events(v);
        if (v->events < 0)
            die("the shell's place is empty");
    }
    fcntl(v->events, F_SETFL, O_NONBLOCK);
    return v;
}

static void kill_and_wait(pid_t shell, pid_t program, bool ended)
{
    if (!ended && program > 0)
        kill(-program, SIGKILL);
    kill(shell, SIGKILL);
    while (waitpid(shell, NULL, 0) < 0 && errno == EINTR)
        ;
}

void vt_free(struct vt *v)
{
    if (!v)
        return;
    kill_and_wait(v->shell, v->program, v->ended);
    if (v->master >= 0)
        close(v->master);
    if (v->events >= 0)
        close(v->events);
    vterm_free(v->term);
    buf_done(&v->raw);
    buf_done(&v->row);
    buf_done(&v->text);
    buf_done(&v->scrolled);
    buf_done(&v->transcript);
    free(v);
}

pid_t vt_pid(const struct vt *v)
{
    return v->program;
}

static void read_events(struct vt *v)
{
    struct event e;
    ssize_t n = read(v->events, &e, sizeof(e));

    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (n != sizeof(e)) {
        close(v->events);
        v->events = -1;
        return;
    }
    switch (e.what) {
    case EVENT_STARTED:
        v->program = e.value;
        break;
    case EVENT_STOPPED:
        v->stopped = true;
        break;
    case EVENT_CONTINUED:
        v->stopped = false;
        break;
    case EVENT_ENDED:
        v->ended = true;
        v->status = e.value;
        break;
    }
}

/* Returns whether something was read. */
static bool read_terminal(struct vt *v)
{
    char bytes[16384];
    ssize_t n;

    if (v->master < 0)
        return false;
    n = read(v->master, bytes, sizeof(bytes));
    if (n <= 0)
        return false;
    v->last_byte_ns = now_ns();
    if (!v->first_byte_ns)
        v->first_byte_ns = v->last_byte_ns;
    v->bytes += (uint64_t)n;
    buf_add(&v->raw, bytes, (size_t)n);
    vterm_input_write(v->term, bytes, (size_t)n);
    return true;
}

void vt_pump(struct vt *v, int ms)
{
    struct pollfd fds[2] = {
        {.fd = v->stalled ? -1 : v->master, .events = POLLIN},
        {.fd = v->events, .events = POLLIN},
    };

    if (poll(fds, 2, ms) <= 0)
        return;
    if (fds[0].revents)
        read_terminal(v);
    if (fds[1].revents)
        read_events(v);
}

/* ---- what the person does ---- */

void vt_send(struct vt *v, const char *bytes, size_t len)
{
    while (len > 0) {
        ssize_t n = write(v->master, bytes, len);

        if (n < 0 && errno == EAGAIN) {
            vt_pump(v, 10);
            continue;
        }
        if (n < 0)
            die("typing");
        bytes += n;
        len -= (size_t)n;
    }
}

void vt_keys(struct vt *v, const char *s)
{
    vt_send(v, s, strlen(s));
}

void vt_resize(struct vt *v, int rows, int cols)
{
    set_size(v, rows, cols);
    v->rows = rows > 0 ? rows : 1;
    v->cols = cols > 0 ? cols : 1;
    vterm_set_size(v->term, v->rows, v->cols);
}

void vt_stall(struct vt *v, bool stalled)
{
    v->stalled = stalled;
}

void vt_hangup(struct vt *v)
{
    close(v->master); /* the kernel sends SIGHUP to the shell's place, which passes it on */
    v->master = -1;
}

void vt_signal(struct vt *v, int signo)
{
    if (!v->ended)
        kill(v->program, signo);
}

void vt_continue(struct vt *v)
{
    kill(v->shell, SIGUSR1); /* only a member of the session may set the foreground group */
}

/* ---- waiting ---- */

bool vt_wait(struct vt *v, vt_condition *is, void *arg, int ms)
{
    int64_t deadline = now_ns() + (int64_t)ms * 1000000;

    while (!is(v, arg)) {
        int64_t left = deadline - now_ns();

        if (left <= 0)
            return false;
        /* At most 50 ms at a time: a condition may be about something else than the screen. */
        vt_pump(v, left > 50000000 ? 50 : (int)(left / 1000000) + 1);
    }
    return true;
}

static bool shows(struct vt *v, void *arg)
{
    return vt_shows(v, arg);
}

static bool shows_not(struct vt *v, void *arg)
{
    return !vt_shows(v, arg);
}

static bool matches(struct vt *v, void *arg)
{
    return vt_matches(v, arg);
}

static bool has_bytes(struct vt *v, void *arg)
{
    return v->bytes > *(const uint64_t *)arg;
}

static bool is_quiet(struct vt *v, void *arg)
{
    return now_ns() - v->last_byte_ns > *(const int *)arg * (int64_t)1000000;
}

static bool has_ended(struct vt *v, void *arg)
{
    (void)arg;
    return v->ended;
}

static bool is_stopped(struct vt *v, void *arg)
{
    (void)arg;
    return v->stopped;
}

static bool wait_or_dump(struct vt *v, vt_condition *is, const void *arg, int ms, const char *what)
{
    if (vt_wait(v, is, (void *)(uintptr_t)arg, ms))
        return true;
    tap_note("waited %d ms in vain: %s", ms, what);
    vt_dump(v);
    return false;
}

bool vt_wait_text(struct vt *v, const char *text, int ms)
{
    return wait_or_dump(v, shows, text, ms, text);
}

bool vt_wait_match(struct vt *v, const char *ere, int ms)
{
    return wait_or_dump(v, matches, ere, ms, ere);
}

bool vt_wait_gone(struct vt *v, const char *text, int ms)
{
    return wait_or_dump(v, shows_not, text, ms, text);
}

bool vt_wait_bytes(struct vt *v, uint64_t more_than, int ms)
{
    return vt_wait(v, has_bytes, &more_than, ms);
}

bool vt_wait_quiet(struct vt *v, int quiet_ms, int ms)
{
    return vt_wait(v, is_quiet, &quiet_ms, ms);
}

/* The kernel hands a pseudo terminal's bytes over a little later than the write that made them, and
 * there is no end of file while the shell's place is taken. */
static void read_the_rest(struct vt *v)
{
    struct pollfd fd = {.fd = v->master, .events = POLLIN};

    while (poll(&fd, 1, 50) > 0 && read_terminal(v))
        ;
}

bool vt_wait_exit(struct vt *v, int *status, int ms)
{
    if (!wait_or_dump(v, has_ended, NULL, ms, "the end of the program"))
        return false;
    if (!v->stalled)
        read_the_rest(v);
    if (status)
        *status = v->status;
    return true;
}

bool vt_wait_stopped(struct vt *v, int ms)
{
    return wait_or_dump(v, is_stopped, NULL, ms, "the program to stop");
}

/* ---- the terminal's settings ---- */

const struct termios *vt_termios_before(const struct vt *v)
{
    return &v->before;
}

void vt_termios_now(const struct vt *v, struct termios *out)
{
    /* On Linux the master answers for the slave. */
    if (tcgetattr(v->master, out))
        die("tcgetattr");
}

bool vt_termios_restored(const struct vt *v)
{
    struct termios now;

    vt_termios_now(v, &now);
    return now.c_iflag == v->before.c_iflag && now.c_oflag == v->before.c_oflag &&
           now.c_cflag == v->before.c_cflag && now.c_lflag == v->before.c_lflag &&
           memcmp(now.c_cc, v->before.c_cc, sizeof(now.c_cc)) == 0;
}

void vt_dump(struct vt *v)
{
    char *text = mem_strdup(vt_screen(v));

    tap_note("screen %dx%d, %s, %llu bytes%s:", v->cols, v->rows, v->alt ? "alternate" : "normal",
             (unsigned long long)v->bytes, v->ended ? ", program ended" : "");
    for (char *line = text, *end; (end = strchr(line, '\n')); line = end + 1) {
        *end = '\0';
        tap_note("|%s", line);
    }
    free(text);
}
