/* SPDX-License-Identifier: ISC */
/* Reports the state of the session and its log to the dispatcher and the viewer. */
#include "config.h"

#include "browser/runner/control.h"
#include "browser/runner/control_priv.h"

enum { ACTIVITY_US = 2000000 }; /* between two messages "activity" */

const char *
runner_stage_name(const struct runner *r)
{
	static const char *const names[] = {
		[STAGE_STARTING] = "starting",
		[STAGE_RUNNING] = "running",
		[STAGE_CLOSING] = "closing",
		[STAGE_OVER] = "closing",
	};

	return names[r->stage];
}

void
runner_send_state(struct runner *r)
{
	if (r->live != NULL)
		live_state(
		    r->live, &(struct stream_state){ .state = str_of(runner_stage_name(r)) });
}

void
control_send_log(struct control *c)
{
	if (c->link != NULL && c->accepted)
		outbox_send(c->r->outbox, c->link);
}

void
runner_ready(struct runner *r)
{
	struct control *c = r->control;

	if (r->stage != STAGE_STARTING)
		return;
	r->stage = STAGE_RUNNING;
	r->ready_at = c->active_at = mono_us();
	if (c->link != NULL)
		link_send(c->link, "ready", NULL, NULL, -1);
	runner_send_state(r);
}

void
runner_activity(struct runner *r)
{
	struct control *c = r->control;
	int64_t now = mono_us();

	c->active_at = now;
	c->idle_warned = 0;
	if (c->link == NULL || now - c->activity_sent_at < ACTIVITY_US)
		return;
	c->activity_sent_at = now;
	link_send(c->link, "activity", NULL, NULL, -1);
}
