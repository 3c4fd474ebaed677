/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which view and which dialog make the picture. Must not know keys or the terminal. */
#include "screen.h"

#include "overlays/overlays.h"
#include "views/views.h"

static void draw_overlay(const struct canvas *c, const struct scene *s)
{
    static void (*const draw[])(const struct canvas *, const struct scene *) = {
        [OVERLAY_MENU] = overlay_menu,       [OVERLAY_ENTRY] = overlay_entry,
        [OVERLAY_ASK] = overlay_ask,         [OVERLAY_HELP] = overlay_help,
        [OVERLAY_COMMAND] = overlay_command, [OVERLAY_THEMES] = overlay_themes,
        [OVERLAY_KNOBS] = overlay_knobs,     [OVERLAY_VERDICT] = overlay_verdict,
        [OVERLAY_SWEEP] = overlay_sweep,
    };

    if (s->state->overlay != OVERLAY_NONE)
        draw[s->state->overlay](c, s);
}

void screen_draw(WINDOW *win, const struct palette *p, enum glyphs g, const struct scene *s)
{
    struct canvas c = canvas_of(win, p, g);
    cchar_t ground;

    setcchar(&ground, L" ", p->attr[ROLE_TEXT], p->pair[GROUND_SCREEN][ROLE_TEXT], NULL);
    wbkgrndset(win, &ground);
    werase(win);
    if (scene_in_setup(s))
        view_setup(&c, s);
    else
        view_run(&c, s);
    draw_overlay(&c, s);
    wmove(win, 0, 0); /* the cursor always waits in one place */
}
