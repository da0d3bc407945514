/* SPDX-License-Identifier: ISC */
/* The viewer's commands (viewer.c), mouse and keys (input.c). */
#ifndef BROWSER_RUNNER_VIEWER_H
#define BROWSER_RUNNER_VIEWER_H

#include "browser/runner/runner.h"

extern const struct live_ops viewer_ops;
void input_mouse(struct runner *r, const struct stream_mouse *m);
void input_key(struct runner *r, const struct stream_key *k);
void input_text(struct runner *r, struct str text);

#endif
