/* SPDX-License-Identifier: ISC */
/* Begins the end of a session, and notes that a step of it has finished. closing.c has the steps;
   nothing here calls them, because the parts that closing.c frees call these functions. */
#include "config.h"

#include "browser/runner/control.h"
#include "browser/runner/control_priv.h"

void
closing_advance(struct control *c)
{
	event_active(c->advance, EV_TIMEOUT, 0);
}

void
closing_check(struct control *c)
{
	if (c->step == STEP_STORED && (c->abandoned || outbox_is_empty(c->r->outbox)))
		closing_advance(c);
}

void
closing_begin(struct control *c)
{
	struct runner *r = c->r;

	if (r->stage >= STAGE_CLOSING)
		return;
	r->stage = STAGE_CLOSING;
	log_event(LOGP_INFO, "closing", "reason=%s detail=\"%s\"", c->failed ? "failed" : c->reason,
	    c->detail);
	if (r->live != NULL)
		live_state(r->live, &(struct stream_state){ .state = STR("closing") });
	closing_advance(c);
}

void
runner_fail(struct runner *r, const char *fmt, ...)
{
	struct control *c = r->control;
	va_list ap;

	if (r->stage >= STAGE_CLOSING)
		return;
	c->failed = true;
	va_start(ap, fmt);
	vsnprintf(c->detail, sizeof(c->detail), fmt, ap);
	va_end(ap);
	closing_begin(c);
}

void
control_last_shot(struct control *c)
{
	if (c->step == STEP_SHOT)
		closing_advance(c);
}

void
control_browser_gone(struct control *c)
{
	if (c->step == STEP_BROWSER)
		closing_advance(c);
}

void
control_viewer_gone(struct control *c)
{
	if (c->step == STEP_VIEWER)
		closing_advance(c);
}
