/* SPDX-License-Identifier: ISC */
/* How a session ends, step by step. Each step has a time limit, so the end cannot hang on one
   participant:

     STEP_SHOT       the last screenshot, unless the session failed        3 s
     STEP_BROWSER    kill the browser, read its remaining messages         1 s
     STEP_VIEWER     record unfinished requests; send bye, close           3 s
     STEP_STORED     the dispatcher stores the rest of the log             close_ms of the job
     STEP_ENDED      send "ended", wait until the dispatcher disconnects   1 s

   A step ends with closing_advance (ending.c) or with its time limit. Either one only activates an
   event, so the next step never runs inside a function of the part that it frees. */
#include "config.h"

#include "browser/runner/browser.h"
#include "browser/runner/control.h"
#include "browser/runner/control_priv.h"
#include "browser/runner/network.h"
#include "browser/runner/page.h"
#include "browser/runner/shots.h"
#include "wire/ws.h"

#include <unistd.h>

enum { SHOT_MS = 3000, BROWSER_MS = 1000, VIEWER_MS = 3000, ENDED_MS = 1000 };

/* Enters a step that may take ms. */
static void
enter_step(struct control *c, enum step step, int64_t ms)
{
	const struct timeval time = ev_ms(ms);

	c->step = step;
	event_add(c->step_timeout, &time);
}

/* ---- the steps ---- */

static void
take_last_shot(struct control *c)
{
	struct runner *r = c->r;

	enter_step(c, STEP_SHOT, SHOT_MS);
	/* Chromium paints nothing while a dialog is open. */
	if (r->cdp != NULL && r->active != NULL)
		dialog_answer(r, r->active, false, STR_NULL);
	if (r->cdp != NULL && r->active != NULL && !c->failed)
		shots_take(r->shots, r->active, "close");
	else
		closing_advance(c);
}

/* Kills the browser; its last events are still in the pipe, and cdp.c reads them until the end of
   file. */
static void
kill_browser(struct control *c)
{
	enter_step(c, STEP_BROWSER, BROWSER_MS);
	if (!browser_kill(c->r))
		closing_advance(c);
}

/* C-113, C-749: 1008 after access was revoked, even if the session failed while it closed;
   otherwise 1000. */
static unsigned
close_code(const char *reason)
{
	return strcmp(reason, "access_revoked") == 0 ? WS_POLICY : WS_NORMAL;
}

static void
close_viewer(struct control *c)
{
	struct runner *r = c->r;

	enter_step(c, STEP_VIEWER, VIEWER_MS);
	network_finish(r->network);
	browser_stop(r);
	control_send_log(c);
	if (r->live != NULL)
		live_end(r->live, c->failed ? "failed" : c->reason, close_code(c->reason));
	else
		closing_advance(c);
}

static void
finish_storage(struct control *c)
{
	struct runner *r = c->r;

	if (r->live != NULL)
		live_free(r->live);
	r->live = NULL;
	if (c->path[0] != '\0') {
		unlink(c->path);
		rmdir(c->directory); /* fails if another epoch has its socket there */
	}
	enter_step(c, STEP_STORED, r->job.close_ms);
	closing_check(c);
}

static void
send_ended(struct control *c)
{
	struct runner *r = c->r;

	r->stage = STAGE_OVER;
	enter_step(c, STEP_ENDED, ENDED_MS);
	if (c->link == NULL || c->abandoned) {
		closing_advance(c);
		return;
	}
	link_send(c->link, "ended", runner_ended_fields,
	    &(struct runner_ended){ c->failed, str_of(c->detail) }, -1);
}

static void
on_next_step(int fd, short what, void *arg)
{
	struct control *c = arg;

	(void)fd;
	(void)what;
	event_del(c->step_timeout);
	switch (c->step) {
	case STEP_NONE:
		take_last_shot(c);
		break;
	case STEP_SHOT:
		kill_browser(c);
		break;
	case STEP_BROWSER:
		close_viewer(c);
		break;
	case STEP_VIEWER:
		finish_storage(c);
		break;
	case STEP_STORED:
		send_ended(c);
		break;
	case STEP_ENDED:
		event_base_loopbreak(c->r->base);
		break;
	}
}

bool
closing_prepare(struct control *c)
{
	c->advance = event_new(c->r->base, -1, 0, on_next_step, c);
	c->step_timeout = event_new(c->r->base, -1, 0, on_next_step, c);
	return c->advance != NULL && c->step_timeout != NULL;
}
