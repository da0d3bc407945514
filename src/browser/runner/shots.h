/* SPDX-License-Identifier: ISC */
/* Screenshots as evidence. */
#ifndef BROWSER_RUNNER_SHOTS_H
#define BROWSER_RUNNER_SHOTS_H

#include "browser/runner/runner.h"

struct shots *shots_new(struct runner *r);
void shots_free(struct shots *s);
void shots_take(struct shots *s, struct tab *t, const char *reason);
void shots_tick(struct shots *s);
/* The tab shows another document. */
void shots_new_document(struct shots *s, const struct tab *t);
/* The tab closes or has crashed: drops its screenshots. */
void shots_forget(struct shots *s, const struct tab *t);
/* The dispatcher stores no more screenshots of this session. */
void shots_refused(struct shots *s, struct str why);

#endif
