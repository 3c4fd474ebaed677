/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef STHD_FIO_COMMAND_H
#define STHD_FIO_COMMAND_H

#include <stdbool.h>

#include "sthd/buf.h"
#include "sthd/plan.h"

/*
 * The argv of one step. program is argv[0]; fd the descriptor of the nameless bench file as fio
 * inherits it. Order matters to fio: output options come before the first --name. Of a job file
 * the step->company steps behind it in the plan are in the same command: step points into the plan.
 */
void fio_command_build(struct strv *argv, const char *program, const struct step *step,
                       const struct settings *s, int fd);

/*
 * fio's version from the first line of "fio --version" ("fio-3.33", "fio-3.42-12-gabc"). Fails with
 * a sentence when this is something else called fio or a fio before 2.21 (json+ and its units).
 */
struct fio_version {
    int major, minor;
    char text[32];
};
int fio_version_parse(struct fio_version *v, const char *line, struct err *e);

/* Whether the output of "fio --enghelp" lists the engine. */
bool fio_enghelp_has(const char *enghelp, const char *engine);

#endif
