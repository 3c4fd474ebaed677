/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef STHD_UI_THEME_DEFAULT_H
#define STHD_UI_THEME_DEFAULT_H

/* themes/default.json, made into a string at build time. */
extern const char theme_default_json[];

#endif
