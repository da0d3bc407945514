/* SPDX-License-Identifier: ISC */
/* Targets and the calls that navigate, activate and close a tab. */
#ifndef BROWSER_RUNNER_TABS_H
#define BROWSER_RUNNER_TABS_H

#include "browser/runner/runner.h"

/* Makes the browser attach the runner to every present and future target. */
void tabs_begin(struct runner *r);
void tabs_free(struct runner *r);
struct tab *tab_find(struct runner *r, int64_t id);
/* The tab of a session, also of a frame's or worker's session; NULL: none. */
struct tab *tab_of_session(struct runner *r, struct str session);
void tab_navigate(struct runner *r, struct tab *t, struct str url);
void tab_activate(struct runner *r, struct tab *t);
void tab_close(struct runner *r, struct tab *t);
/* Goes back or forward; steps 0 only updates can_go_back and can_go_forward. */
void tab_history(struct runner *r, struct tab *t, int steps);
/* Requests the tab's present address and title: Chromium reports changes late. */
void tab_refresh(struct runner *r, const struct tab *t);
void tabs_tick(struct runner *r);
/* Sends the list of tabs, or the address of one, to the viewer. */
void tabs_send(struct runner *r);
void tab_send_url(struct runner *r, const struct tab *t);
/* Sends a call in the tab's session and ignores its reply. */
void tab_send(struct runner *r, const struct tab *t, const char *method, const char *constant);

#endif
