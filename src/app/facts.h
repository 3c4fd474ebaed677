/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef STHD_APP_FACTS_H
#define STHD_APP_FACTS_H

#include "sthd/run.h"
#include "sthd/verdict.h"
#include "world.h"

/* Gathers what is known of a run and its target; what is not stays unknown. */
void facts_gather(struct verdict_facts *f, const struct world *w, const struct run *r);
/* ... and judges it. A new verdict (free) of the run as it stands, of cells that have figures. */
struct verdict *facts_judge(const struct world *w, const struct run *r);

#endif
