/* SPDX-License-Identifier: ISC */
/* Documents, dialogs, downloads and crashes of a tab, and the choice of the active one. */
#ifndef BROWSER_RUNNER_PAGE_H
#define BROWSER_RUNNER_PAGE_H

#include "browser/runner/runner.h"

void dialog_answer(struct runner *r, struct tab *t, bool accept, struct str text);
/* Answers overdue dialogs and takes postponed screenshots. */
void page_tick(struct runner *r, struct tab *t);
/* Makes the tab the active one, whose pictures are sent and which takes input. */
void tab_activate(struct runner *r, struct tab *t);

#endif
