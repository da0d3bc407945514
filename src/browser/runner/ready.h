/* SPDX-License-Identifier: ISC */
/* Whether this host can have browsers, and what to change where it cannot. */
#ifndef BROWSER_RUNNER_READY_H
#define BROWSER_RUNNER_READY_H

#include "base/base.h"

/* False with what to change: what must hold before a browser is even tried. */
bool browser_may_run(char *err, size_t room) MUST_USE;
/* Prints a line for each requirement, as far as the first that is missing, and starts a browser once. */
bool ready_check(FILE *out);

#endif
