/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef STHD_UI_OVERLAYS_H
#define STHD_UI_OVERLAYS_H

#include "canvas.h"
#include "scene.h"

/* Each draws one dialog in the middle of the screen it is given. */
void overlay_menu(const struct canvas *c, const struct scene *s);
void overlay_entry(const struct canvas *c, const struct scene *s);
void overlay_ask(const struct canvas *c, const struct scene *s);
void overlay_help(const struct canvas *c, const struct scene *s);
void overlay_sweep(const struct canvas *c, const struct scene *s);
void overlay_verdict(const struct canvas *c, const struct scene *s);
void overlay_command(const struct canvas *c, const struct scene *s);
void overlay_themes(const struct canvas *c, const struct scene *s);
/* Nothing where the view has room for the knobs: see view_knobs_beside. */
void overlay_knobs(const struct canvas *c, const struct scene *s);

#endif
