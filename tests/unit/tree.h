/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef STHD_TESTS_TREE_H
#define STHD_TESTS_TREE_H

/*
 * A machine's files from one text (tests/fixtures/stack/NAME.tree), because a tree of a thousand
 * one-line files with links between them is nothing to read or to keep. A line each:
 *
 *   PATH = TEXT       a file with one line, made with the directories it needs
 *   PATH -> TARGET    a symbolic link
 *   PATH/             a directory
 *   PATH <<           a file: the lines that follow, up to one with a single dot
 *   # and empty lines are left out
 */

/* Unpacks below a new directory; returns its name, to be freed. Dies when it cannot. */
char *tree_unpack(const char *name);
/* Removes it, and frees the name. */
void tree_drop(char *root);
/* One more line of a tree, or a file changed. */
void tree_write(const char *root, const char *path, const char *text);

#endif
