/* SPDX-License-Identifier: ISC */
/* Tabs: tabs.c finds them, sends them calls and reports them to the viewer; targets.c makes and
 * frees them. The files of the runner use one another in this order:
 *
 *   report.c, ending.c        the session's state and end, for all others
 *   tabs.c
 *   screencast.c, shots.c     pictures of a tab
 *   network.c
 *   page.c                    documents, dialogs, the active tab
 *   setup.c
 *   targets.c, viewer.c
 *   browser.c, closing.c, control.c */
#ifndef BROWSER_RUNNER_TABS_H
#define BROWSER_RUNNER_TABS_H

#include "browser/runner/runner.h"

/* ---- tabs.c ---- */

enum { TABS_MAX = 20 };

struct tab *tab_find(struct runner *r, int64_t id);
/* The tab of a session, also of a frame's or worker's session; NULL: none. */
struct tab *tab_of_session(struct runner *r, struct str session);
/* The tab or the child target with a session of its own; NULL: none. */
struct tab *tab_find_by_session(struct runner *r, struct str session);
struct child_target *child_find(struct runner *r, struct str session);
void tab_set_text(struct buf *b, struct str s);
/* Sets why the newest document of the tab's main frame failed; an empty text: it did not. */
void tab_set_failure(struct runner *r, struct tab *t, struct str failure);
void tab_navigate(struct runner *r, struct tab *t, struct str url);
void tab_close(struct runner *r, struct tab *t);
/* Asks the browser to close a target. */
void target_close(struct runner *r, struct str target);
/* Goes back or forward; steps 0 only updates can_go_back and can_go_forward. */
void tab_history(struct runner *r, struct tab *t, int steps);
/* Requests the tab's present address and title: Chromium reports changes late. */
void tab_refresh(struct runner *r, const struct tab *t);
/* Sends the list of tabs, or the address of one, to the viewer. */
void tabs_send(struct runner *r);
void tab_send_url(struct runner *r, const struct tab *t);
/* Sends a call in the tab's session and ignores its reply. */
void tab_send(struct runner *r, const struct tab *t, const char *method, const char *constant);

/* ---- targets.c ---- */

/* Makes the browser attach the runner to every present and future target. */
void tabs_begin(struct runner *r);
void tabs_tick(struct runner *r);
void tabs_free(struct runner *r);

#endif
