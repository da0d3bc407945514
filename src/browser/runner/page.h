/* SPDX-License-Identifier: ISC */
/* Documents, dialogs, downloads and crashes of a tab. */
#ifndef BROWSER_RUNNER_PAGE_H
#define BROWSER_RUNNER_PAGE_H

#include "browser/runner/runner.h"

void dialog_answer(struct runner *r, struct tab *t, bool accept, struct str text);
/* Answers overdue dialogs and takes postponed screenshots. */
void page_tick(struct runner *r, struct tab *t);

/* Sets why the newest document of the tab's main frame failed; an empty text: it did not. */
void page_set_failure(struct runner *r, struct tab *t, struct str failure);

#endif
