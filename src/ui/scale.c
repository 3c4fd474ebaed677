/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Axes for bars and timelines. Pure arithmetic but for scale_draw. */
#include "scale.h"

#include <math.h>

#include "sthd/text.h"

/* Rounding must not push an exact power of ten into the next decade. */
#define DECADE_SLACK 1e-9

void scale_hold(struct scale *s, double v)
{
    if (!(v > 0) || !isfinite(v))
        return;
    double lo = pow(10, floor(log10(v) + DECADE_SLACK));
    double hi = pow(10, ceil(log10(v) - DECADE_SLACK));
    if (hi <= lo)
        hi = lo * 10;
    if (s->lo == 0 || lo < s->lo)
        s->lo = lo;
    if (hi > s->hi)
        s->hi = hi;
}

void scale_widen(struct scale *s, int decades)
{
    while (s->lo > 0 && log10(s->hi / s->lo) < decades - 0.5)
        s->lo /= 10;
}

double scale_share(const struct scale *s, double v)
{
    if (!(v > 0) || !(s->lo > 0) || !isfinite(v))
        return NAN;
    return log10(v / s->lo) / log10(s->hi / s->lo);
}

void scale_draw(const struct canvas *c, int y, int x, int cols, const struct scale *s,
                void (*name)(char *out, size_t size, double v))
{
    char text[32];
    int free_from = x;

    if (!(s->lo > 0) || cols < 8)
        return;
    int decades = (int)lround(log10(s->hi / s->lo));
    name(text, sizeof(text), s->hi); /* the last one ends at the edge, and is always there */
    int last = x + cols - text_width(text);
    canvas_text(c, y, last, cols, ROLE_AXIS, text);
    for (int i = 0; i < decades; i++) {
        name(text, sizeof(text), s->lo * pow(10, i));
        int at = x + (int)lround((double)cols * i / decades), width = text_width(text);
        if (at < free_from || at + width >= last)
            continue;
        canvas_text(c, y, at, width, ROLE_AXIS, text);
        free_from = at + width + 1;
    }
}

double scale_round_up(double v)
{
    static const double steps[] = {1, 2, 5, 10};

    if (!(v > 0) || !isfinite(v))
        return 1;
    double decade = pow(10, floor(log10(v) + DECADE_SLACK));
    for (size_t i = 0; i < 4; i++)
        if (v <= steps[i] * decade * (1 + DECADE_SLACK))
            return steps[i] * decade;
    return 10 * decade;
}
