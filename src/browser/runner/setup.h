/* SPDX-License-Identifier: ISC */
/* Gives each target the session's identity before its script runs. */
#ifndef BROWSER_RUNNER_SETUP_H
#define BROWSER_RUNNER_SETUP_H

#include "browser/runner/runner.h"

/* Sets a page up and activates it after the last reply; closes it if a call fails. */
void setup_tab(struct runner *r, struct tab *t);
/* Sets a frame or worker up. */
void setup_child(struct runner *r, const struct child_target *c, struct str type);

#endif
