/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef STHD_APP_JOB_FILE_H
#define STHD_APP_JOB_FILE_H

#include <stdbool.h>

#include "sthd/bonnie.h"
#include "sthd/buf.h"
#include "sthd/jobs.h"

/*
 * Reads a fio job file, with the environment and the machine for what it refers to. As is: every
 * path it would write is looked at, and what is there but is no ordinary file is refused.
 * -errno with a sentence: EXIT_CODE_CONFIG for the file, EXIT_CODE_TARGET for what it would write.
 */
int job_file_load(struct jobs **out, const char *path, bool as_is, struct err *e);
/*
 * The job files (*.fio, *.job, *.ini) and the folders in a folder, the folders first, with a "/"
 * behind; in front the folder above. -errno with a sentence.
 */
int job_file_list(struct strv *out, const char *folder, struct err *e);
/* A result of bonnie++, from a file with its CSV. -errno with a sentence. */
int bonnie_file_load(struct bonnie *out, const char *path, struct err *e);
/* As is: the directory of the first path, to be freed: what is shown and judged as the target. */
char *job_file_target(const struct jobs *j);
/* As is: what will be written, a path a line, and that it stays. Empty otherwise. */
void job_file_describe(const struct jobs *j, struct buf *out);

#endif
