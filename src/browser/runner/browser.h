/* SPDX-License-Identifier: ISC */
/* The browser's process. */
#ifndef BROWSER_RUNNER_BROWSER_H
#define BROWSER_RUNNER_BROWSER_H

#include "browser/runner/runner.h"

/* Starts the browser; false with a reason in err. */
bool browser_start(struct runner *r, char *err, size_t room) MUST_USE;
/* Kills the browser; control_browser_gone follows when its pipe has been read. False: it had ended
   before. */
bool browser_kill(struct runner *r) MUST_USE;
/* Kills the browser, waits for it, and frees its CDP connection. */
void browser_stop(struct runner *r);

#endif
