/* SPDX-License-Identifier: ISC */
/* Frames of the active tab for the viewer. */
#ifndef BROWSER_RUNNER_SCREENCAST_H
#define BROWSER_RUNNER_SCREENCAST_H

#include "browser/runner/runner.h"

struct screencast *screencast_new(struct runner *r);
void screencast_free(struct screencast *s);
void screencast_watch(struct screencast *s, bool on, int64_t quality);
void screencast_ack(struct screencast *s, int64_t token);
/* Another tab is active, or the active tab has a new renderer: starts again. */
void screencast_switch(struct screencast *s);
void screencast_tick(struct screencast *s);
/* The tab shows another document. */
void screencast_new_document(struct screencast *s, const struct tab *t);
void screencast_forget(struct screencast *s, const struct tab *t);

#endif
