/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What can be turned, in words; see knob.h. Must not know how it is turned. */
#include "sthd/knob.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sthd/units.h"

#define LIMIT_MAX_US 2000000

const char *knob_name(enum knob k)
{
    static const char *const names[] = {
        [KNOB_GOVERNOR] = "governor",
        [KNOB_EPP] = "EPP",
        [KNOB_BOOST] = "boost",
        [KNOB_LIMIT] = "latency limit",
    };

    return names[k];
}

const char *knob_option(enum knob k)
{
    static const char *const names[] = {[KNOB_GOVERNOR] = "governor",
                                        [KNOB_EPP] = "epp",
                                        [KNOB_BOOST] = "boost",
                                        [KNOB_LIMIT] = "qos"};

    return names[k];
}

void knob_mark(struct buf *out, enum knob k, const char *value)
{
    if (k == KNOB_LIMIT)
        buf_addf(out, "limit %s%s", value, strcmp(value, "off") == 0 ? "" : " us");
    else
        buf_addf(out, "%s %s", knob_name(k), value);
}

void knob_present(enum knob k, const struct cpu_state *now, char *out, size_t size)
{
    out[0] = '\0';
    if (!now || !now->known)
        return;
    switch (k) {
    case KNOB_GOVERNOR:
        if (now->n_governors == 1)
            snprintf(out, size, "%s", now->governors[0].word);
        break;
    case KNOB_EPP:
        if (now->n_epps == 1)
            snprintf(out, size, "%s", now->epps[0].word);
        break;
    case KNOB_BOOST:
        if (now->boost != CPU_BOOST_ABSENT)
            snprintf(out, size, "%s", now->boost == CPU_BOOST_ON ? "on" : "off");
        break;
    case KNOB_LIMIT:
        if (now->limit_us >= CPU_LIMIT_NONE)
            snprintf(out, size, "off");
        else if (now->limit_us != CPU_LIMIT_UNKNOWN)
            snprintf(out, size, "%d", (int)now->limit_us);
        break;
    }
}

const char *knob_next(const struct knob_panel *p, enum knob k, const struct cpu_state *now)
{
    const struct knob_state *s = &p->knobs[k];
    char at[CPU_WORD];

    if (s->n_choices == 0)
        return NULL;
    snprintf(at, sizeof(at), "%s", s->set);
    if (!at[0] && k == KNOB_LIMIT) /* others' requests are not ours to go on from */
        snprintf(at, sizeof(at), "off");
    if (!at[0])
        knob_present(k, now, at, sizeof(at));
    for (size_t i = 0; i < s->n_choices; i++)
        if (strcmp(s->choices[i], at) == 0)
            return s->choices[(i + 1) % s->n_choices];
    return s->choices[0];
}

bool knob_drifted(const struct knob_panel *p, enum knob k, const struct cpu_state *seen, char *out,
                  size_t size)
{
    const struct knob_state *s = &p->knobs[k];
    char now[CPU_WORD];
    struct buf counts = BUF_INIT;

    out[0] = '\0';
    if (!s->set[0] || !seen->known || seen->taken_ns <= s->set_ns)
        return false;
    knob_present(k, seen, now, sizeof(now));
    if (k == KNOB_LIMIT) {
        /* The strictest request is in force: somebody else's may be below ours, none can be above.
         */
        if (strcmp(s->set, "off") != 0 && seen->limit_us != CPU_LIMIT_UNKNOWN &&
            seen->limit_us > atoi(s->set))
            snprintf(out, size, "the limit of %s us is not in force", s->set);
        return out[0] != '\0';
    }
    if (strcmp(now, s->set) == 0)
        return false;
    if (k == KNOB_GOVERNOR && seen->n_governors > 0)
        cpu_counts_text(&counts, seen->governors, seen->n_governors);
    else if (k == KNOB_EPP && seen->n_epps > 0)
        cpu_counts_text(&counts, seen->epps, seen->n_epps);
    else if (now[0])
        buf_adds(&counts, now);
    if (counts.len)
        snprintf(out, size,
                 "something else changed the %s: it was set to %s and is %s (tuned, "
                 "power-profiles-daemon, thermald?)",
                 knob_name(k), s->set, counts.data);
    buf_done(&counts);
    return out[0] != '\0';
}

int knob_limit_parse(const char *text, const char *what, int32_t *limit_us, struct err *e)
{
    uint64_t us;

    if (strcmp(text, "off") == 0) {
        *limit_us = CPU_LIMIT_NONE;
        return 0;
    }
    int rc = units_parse_count(text, what, 0, LIMIT_MAX_US, &us, e);
    if (rc == 0)
        *limit_us = (int32_t)us;
    return rc;
}
