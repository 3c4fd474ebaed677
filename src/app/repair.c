/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sets a machine back that a killed run has left changed; see repair.h. */
#include "repair.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "output.h"
#include "sthd/knobs.h"
#include "tuning.h"

int repair_main(void)
{
    const char *sysroot = getenv("STHD_SYSROOT") ? getenv("STHD_SYSROOT") : "";
    char *dir = tuning_runtime_dir(sysroot);
    struct knobs_left left = {.files = 0};
    struct err e;
    int status = EXIT_CODE_OK;

    knobs_left_behind(sysroot, dir, &left);
    int rc = knobs_repair(sysroot, dir, &e);
    if (rc == 0)
        printf("Set back: %s (%u files).\n", left.what, left.files);
    else if (rc == -ENOENT && e.exit_code == EXIT_CODE_OK)
        printf("%s.\n", e.text);
    else
        status = output_error(&e);
    free(dir);
    return status;
}
