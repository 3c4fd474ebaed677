/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef STHD_UI_MENU_H
#define STHD_UI_MENU_H

#include "scene.h"

/* The choices behind a field of the setup screen, each with its reason. Pure; knows no ncurses. */
#define MENU_MAX 64

enum menu_act {
    MENU_CHOOSE, /* value (or profile, or text) */
    MENU_ENTRY,  /* opens a text field */
    MENU_FOLDER, /* lists the job files of the folder text */
};

struct menu_item {
    enum menu_act act;
    char key; /* letter or digit that takes it */
    bool enabled, chosen;
    char label[160];
    char why[200];
    uint64_t value;
    const struct profile *profile;
    const char *text; /* borrowed from the model */
};

struct menu {
    char title[48];
    size_t n;
    struct menu_item items[MENU_MAX];
};

void menu_build(struct menu *m, const struct scene *s, enum field f);
/* What the field shows, and why that is so. */
void menu_field_value(const struct scene *s, enum field f, char *out, size_t size);
void menu_field_why(const struct scene *s, enum field f, char *out, size_t size);
const char *menu_field_name(enum field f);
char menu_field_key(enum field f);
/* The fs of the target the settings name, or NULL. */
const struct target *menu_target(const struct scene *s);

#endif
