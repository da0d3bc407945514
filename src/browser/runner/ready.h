/* SPDX-License-Identifier: ISC */
/* The host check of surfaced-runner -t and of a dry run: can this host run browsers, and if not,
   which change is needed. */
#ifndef BROWSER_RUNNER_READY_H
#define BROWSER_RUNNER_READY_H

#include "base/base.h"

/* The cheap checks, before each session. False with the necessary change in err. */
bool browser_may_run(char *err, size_t room) MUST_USE;
/* Prints one line for each requirement, up to the first that is not met; the last check starts a
   browser. */
bool ready_check(FILE *out);

#endif
