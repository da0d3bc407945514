/* SPDX-License-Identifier: ISC */
/* Events that the other parts of the runner report: about the session (report.c), and about its end
   (ending.c). control.c has the link to the dispatcher, closing.c the steps of the end. */
#ifndef BROWSER_RUNNER_CONTROL_H
#define BROWSER_RUNNER_CONTROL_H

#include "browser/runner/runner.h"

/* ---- control.c ---- */

/* fd: the dispatcher's connection, taken over. */
struct control *control_new(struct runner *r, int fd);
void control_free(struct control *c);

/* ---- report.c ---- */

/* The first page has answered, or is not waited for any longer: the session runs. */
void runner_ready(struct runner *r);
/* Resets the idle time: the viewer sent input or a navigation. */
void runner_activity(struct runner *r);
/* Sends the contents of the outbox, if the dispatcher accepts evidence now. */
void control_send_log(struct control *c);

/* ---- ending.c ---- */

/* Closes the session as failed; the text becomes its detail, which people read. */
void runner_fail(struct runner *r, const char *fmt, ...) PRINTF(2, 3);
/* The last screenshot was taken, or failed. */
void control_last_shot(struct control *c);
/* The browser has ended, and all its messages have been read. */
void control_browser_gone(struct control *c);
/* The viewer's connection is closed. */
void control_viewer_gone(struct control *c);

#endif
