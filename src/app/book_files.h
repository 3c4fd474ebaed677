/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef STHD_APP_BOOK_FILES_H
#define STHD_APP_BOOK_FILES_H

#include "sthd/book.h"

/*
 * The user's profiles: *.json in speedtest-hd/profiles below the configuration directory, in the
 * order of their names. xdg: XDG_CONFIG_HOME, home: HOME; NULL or relative: not used. That there
 * are none is fine; what cannot be read or used is a sentence in the book's problems.
 */
void book_files_load(struct book *b, const char *xdg, const char *home);

#endif
