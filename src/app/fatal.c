/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Last words; see fatal.h. Everything reachable from the handler is async-signal-safe. */
#include "fatal.h"

#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

static void (*restore_terminal)(void); /* set once; part of the fatal path */
static char alternate_stack[64 * 1024];

static void on_fatal(int signo)
{
    static const char text[] = "speedtest-hd: internal error, the terminal was restored\n";

    if (restore_terminal)
        restore_terminal();
    if (write(STDERR_FILENO, text, sizeof(text) - 1) < 0) {
        /* nobody left to tell */
    }
    raise(signo); /* SA_RESETHAND: the default action now */
}

#if defined(__SANITIZE_ADDRESS__)
#define WITH_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define WITH_ASAN 1
#endif
#endif

#ifdef WITH_ASAN
/* The sanitizer has its own handlers, which print more than ours: only the restore joins them. */
void __asan_set_death_callback(void (*callback)(void));

void fatal_install(void (*restore)(void))
{
    (void)on_fatal;
    (void)alternate_stack;
    restore_terminal = restore;
    __asan_set_death_callback(restore);
}
#else
void fatal_install(void (*restore)(void))
{
    static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
    stack_t stack = {.ss_sp = alternate_stack, .ss_size = sizeof(alternate_stack)};
    struct sigaction action;

    restore_terminal = restore;
    sigaltstack(&stack, NULL);
    memset(&action, 0, sizeof(action));
    action.sa_handler = on_fatal;
    action.sa_flags = SA_ONSTACK | (int)SA_RESETHAND | SA_NODEFER;
    for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
        sigaction(signals[i], &action, NULL);
}
#endif
