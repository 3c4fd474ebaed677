/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef STHD_ENGINE_DD_VERDICT_H
#define STHD_ENGINE_DD_VERDICT_H

#include "dd_copy.h"
#include "sthd/fio_run.h"

/* What became of one dd process, as a sentence for the user. why: 256 bytes hold it. */

/* It died of a signal that was not ours. */
enum fio_end dd_verdict_signal(int signo, char *why, size_t size);
/* It ended with an exit code that is not 0 in the middle of the work. */
void dd_verdict_failed(const struct dd_copy_facts *f, int exit_code, const struct step *step,
                       char *why, size_t size);
/* It did so when only its flags were being tried. */
void dd_verdict_refused(const struct dd_copy_facts *f, int exit_code, const struct step *step,
                        int bench_fd, char *why, size_t size);

#endif
