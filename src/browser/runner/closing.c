/* SPDX-License-Identifier: ISC */
/* How a session ends: a last picture, the browser's end, a word to the viewer, what is still to be stored, a
   word to the dispatcher. Each step has its time; none is begun from within what it ends. */
#include "config.h"

#include "browser/runner/control_priv.h"
#include "wire/ws.h"

#include <unistd.h>

enum { SHOT_MS = 3000, BROWSER_MS = 1000, VIEWER_MS = 3000, SAID_MS = 1000 };

void
closing_check(struct control *c)
{
	if (c->at == STEP_STORED && (c->alone || outbox_is_empty(c->r->outbox)))
		closing_go_on(c);
}

void
closing_go_on(struct control *c)
{
	event_active(c->step, EV_TIMEOUT, 0);
}

/* Now at a step, which has so long. */
static void
wait_at(struct control *c, enum step at, int64_t ms)
{
	const struct timeval time = ev_ms(ms);

	c->at = at;
	event_add(c->late, &time);
}

/* ---- the steps ---- */

static void
take_last_shot(struct control *c)
{
	struct runner *r = c->r;

	wait_at(c, STEP_SHOT, SHOT_MS);
	if (r->cdp != NULL && r->active != NULL) /* behind one, nothing is painted */
		dialog_answer(r, r->active, false, STR_NULL);
	if (r->cdp != NULL && r->active != NULL && !c->failed)
		shots_take(r->shots, r->active, "close");
	else
		closing_go_on(c);
}

/* What it did until then is in its pipe. */
static void
end_browser(struct control *c)
{
	wait_at(c, STEP_BROWSER, BROWSER_MS);
	if (!browser_kill(c->r))
		closing_go_on(c);
}

/* CONTRACT A4: 1008 when a right was lost, also where the browser then failed to end; otherwise 1000. */
static unsigned
close_code(const char *reason)
{
	return strcmp(reason, "access_revoked") == 0 ? WS_POLICY : WS_NORMAL;
}

static void
tell_viewer(struct control *c)
{
	struct runner *r = c->r;

	wait_at(c, STEP_VIEWER, VIEWER_MS);
	network_finish(r->network);
	browser_stop(r);
	control_evidence(c);
	if (r->live != NULL)
		live_end(
		    r->live, c->failed ? "failed" : c->reason, close_code(c->reason));
	else
		closing_go_on(c);
}

static void
wait_for_storage(struct control *c)
{
	struct runner *r = c->r;

	if (r->live != NULL)
		live_free(r->live);
	r->live = NULL;
	if (c->path[0] != '\0') {
		unlink(c->path);
		rmdir(c->folder); /* unless another epoch has its socket there */
	}
	wait_at(c, STEP_STORED, r->job.close_ms);
	closing_check(c);
}

static void
say_that_it_is_over(struct control *c)
{
	struct runner *r = c->r;

	r->stage = STAGE_OVER;
	wait_at(c, STEP_SAID, SAID_MS);
	if (c->link == NULL || c->alone) {
		closing_go_on(c);
		return;
	}
	link_send(c->link, "ended", runner_ended_fields,
	    &(struct runner_ended){ c->failed, str_of(c->detail) }, -1);
}

static void
on_step(int fd, short what, void *arg)
{
	struct control *c = arg;

	(void)fd;
	(void)what;
	event_del(c->late);
	switch (c->at) {
	case STEP_NONE:
		take_last_shot(c);
		break;
	case STEP_SHOT:
		end_browser(c);
		break;
	case STEP_BROWSER:
		tell_viewer(c);
		break;
	case STEP_VIEWER:
		wait_for_storage(c);
		break;
	case STEP_STORED:
		say_that_it_is_over(c);
		break;
	case STEP_SAID:
		event_base_loopbreak(c->r->base);
		break;
	}
}

/* ---- from outside ---- */

bool
closing_prepare(struct control *c)
{
	c->step = event_new(c->r->base, -1, 0, on_step, c);
	c->late = event_new(c->r->base, -1, 0, on_step, c);
	return c->step != NULL && c->late != NULL;
}

void
closing_begin(struct control *c)
{
	struct runner *r = c->r;

	if (r->stage >= STAGE_CLOSING)
		return;
	r->stage = STAGE_CLOSING;
	log_event(LOGP_INFO, "closing", "reason=%s detail=\"%s\"",
	    c->failed ? "failed" : c->reason, c->detail);
	if (r->live != NULL)
		live_state(r->live, &(struct stream_state){ .state = STR("closing") });
	closing_go_on(c);
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
	if (c->at == STEP_SHOT)
		closing_go_on(c);
}

void
control_browser_gone(struct control *c)
{
	if (c->at == STEP_BROWSER)
		closing_go_on(c);
}

void
control_viewer_gone(struct control *c)
{
	if (c->at == STEP_VIEWER)
		closing_go_on(c);
}
