/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Start order: descriptors, locale, options, sudo, signals, face. HACKING says why. */
#include <fcntl.h>
#include <limits.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/book_files.h"
#include "app/job_file.h"
#include "app/options.h"
#include "app/output.h"
#include "app/probe_face.h"
#include "app/repair.h"
#include "app/sudo.h"
#include "app/text.h"
#include "app/tui.h"
#include "sthd/mem.h"
#include "sthd/signals.h"

/* A descriptor 0-2 that is closed would be given to the next file we open, and be written over. */
static void open_standard_descriptors(void)
{
    int fd;

    do {
        fd = open("/dev/null", O_RDWR);
    } while (fd >= 0 && fd <= STDERR_FILENO);
    if (fd > STDERR_FILENO)
        close(fd);
}

/*
 * LC_CTYPE only: numbers keep their point. Over SSH the locale often names one that this machine
 * does not have; C.UTF-8 then says what the terminal most likely is.
 */
static void set_locale(void)
{
    if (!setlocale(LC_CTYPE, ""))
        setlocale(LC_CTYPE, "C.UTF-8");
}

/* In the background, touching the terminal would stop us silently (TTOU). */
static bool in_foreground(void)
{
    pid_t group = tcgetpgrp(STDIN_FILENO);

    return group < 0 || group == getpgrp();
}

static bool is_directory(const char *path)
{
    struct stat st;

    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* Where make install put the themes, else beside the build directory that we were started from. */
static void find_themes(char *out, size_t size)
{
    char exe[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", exe, sizeof(exe) - 1);

    snprintf(out, size, "%s", THEME_DIR);
    if (is_directory(out) || n <= 0)
        return;
    exe[n] = '\0';
    char *slash = strrchr(exe, '/');
    if (!slash)
        return;
    *slash = '\0';
    char beside[PATH_MAX + 16];
    snprintf(beside, sizeof(beside), "%s/../themes", exe);
    if (is_directory(beside))
        snprintf(out, size, "%s", beside);
}

static int job_file_take(struct options *o, struct err *e)
{
    struct jobs *jobs;
    int rc = job_file_load(&jobs, o->job, o->job_as_is, e);

    if (rc < 0)
        return rc;
    settings_set_jobs(&o->settings, jobs);
    if (jobs->as_is) {
        char *target = job_file_target(jobs);
        settings_set_path(&o->settings, target);
        free(target);
    }
    jobs_drop(jobs);
    return 0;
}

static int compare_take(struct options *o, struct err *e)
{
    struct bonnie theirs;
    int rc = bonnie_file_load(&theirs, o->compare, e);

    if (rc < 0)
        return rc;
    o->settings.compare = mem_alloc(sizeof(theirs));
    *o->settings.compare = theirs;
    return 0;
}

static bool full_screen_is_natural(const char *term)
{
    if (!term || !*term || strcmp(term, "dumb") == 0)
        return false;
    return isatty(STDIN_FILENO) && isatty(STDOUT_FILENO) && in_foreground();
}

int main(int argc, char **argv)
{
    struct options_env env = {
        .no_color = getenv("NO_COLOR"),
        .force_color = getenv("FORCE_COLOR"),
        .clicolor_force = getenv("CLICOLOR_FORCE"),
        .clicolor = getenv("CLICOLOR"),
        .term = getenv("TERM"),
    };
    char themes[PATH_MAX + 16];
    struct book book;
    struct options o;
    struct err e;
    int status;

    open_standard_descriptors();
    set_locale();
    err_clear(&e);
    book_init(&book);
    book_files_load(&book, getenv("XDG_CONFIG_HOME"), getenv("HOME"));
    int rc = options_parse(&o, argc, argv, &env, &book, &e);
    output_problems(&book);
    if (rc < 0 || sudo_become_root(&o, &e) < 0) {
        status = output_error(&e);
        goto end;
    }
    signals_block();
    setenv("PIPELINE_QUIET", "1", 1); /* else libpipeline reports fio's signals on our screen */
    find_themes(themes, sizeof(themes));
    o.theme_dir = themes;
    if (options_answer(&o, &status))
        goto end;
    if ((o.job && job_file_take(&o, &e) < 0) || (o.compare && compare_take(&o, &e) < 0)) {
        status = output_error(&e);
        goto end;
    }
    if (o.request == REQUEST_PROBE) {
        status = probe_main(&o);
    } else if (o.request == REQUEST_REPAIR_KNOBS) {
        status = repair_main();
    } else if (o.face == FACE_TEXT || (o.face == FACE_AUTO && !full_screen_is_natural(env.term))) {
        status = text_main(&o);
    } else if (tui_main(&o, &status, &e) < 0) {
        if (o.face == FACE_TUI) {
            status = output_error(&e);
        } else {
            output_error(&e);
            status = text_main(&o);
        }
    }
end:
    options_done(&o);
    book_done(&book);
    return status;
}
