/* SPDX-License-Identifier: ISC */
/* Carries out the viewer's commands: the functions of live_ops (live.h). A command in a session
 * without a page, or one that is closing, is refused with an error that names it; mouse and keys
 * are then ignored, because an error for each movement would only fill the stream.
 *
 * Every command that is carried out counts as activity, which resets the idle time of the
 * session (runner_activity). A ping does not, and never arrives here. */
#include "config.h"

#include "browser/runner/control.h"
#include "browser/runner/page.h"
#include "browser/runner/screencast.h"
#include "browser/runner/shots.h"
#include "browser/runner/tabs.h"
#include "browser/runner/viewer.h"

/* The active tab; NULL also if the session is closing or the tab is. */
static struct tab *
usable_tab(struct runner *r)
{
	if (r->stage != STAGE_STARTING && r->stage != STAGE_RUNNING)
		return NULL;
	return r->active != NULL && !r->active->closing ? r->active : NULL;
}

static void
send_viewer_error(struct runner *r, const char *to, const char *code, const char *message)
{
	live_error(r->live, &(struct stream_error){ .code = str_of(code),
				.message = str_of(message),
				.to = str_of(to),
				.field = STR("") });
}

/* The active tab for a command; without one the viewer gets an error. */
static struct tab *
tab_for_command(struct runner *r, const char *to)
{
	struct tab *t = usable_tab(r);

	if (t == NULL)
		send_viewer_error(r, to, "session_not_ready", "there is no page yet");
	else
		runner_activity(r);
	return t;
}

static void
viewer_watch(void *arg, bool on, int64_t fps, int64_t quality)
{
	struct runner *r = arg;

	(void)fps; /* live_picture.c limits the rate */
	screencast_watch(r->cast, on, quality);
	/* Without a viewer an open dialog has a shorter time, which begins now. */
	if (!on && r->active != NULL)
		r->active->dialog_at = mono_us();
}

static void
viewer_frame_taken(void *arg, int64_t token)
{
	struct runner *r = arg;

	screencast_ack(r->cast, token);
}

static void
viewer_mouse(void *arg, const struct stream_mouse *m)
{
	struct runner *r = arg;

	if (usable_tab(r) == NULL)
		return;
	runner_activity(r);
	input_mouse(r, m);
}

static void
viewer_key(void *arg, const struct stream_key *k)
{
	struct runner *r = arg;

	if (usable_tab(r) == NULL)
		return;
	runner_activity(r);
	input_key(r, k);
}

static void
viewer_text(void *arg, struct str s)
{
	struct runner *r = arg;

	if (usable_tab(r) == NULL)
		return;
	runner_activity(r);
	input_text(r, s);
}

static void
viewer_nav(void *arg, struct str url)
{
	struct runner *r = arg;
	struct tab *t = tab_for_command(r, "nav");

	if (t != NULL)
		tab_navigate(r, t, url);
}

static void
viewer_history(void *arg, int steps)
{
	struct runner *r = arg;
	struct tab *t = tab_for_command(r, steps < 0 ? "back" : "forward");

	if (t != NULL)
		tab_history(r, t, steps);
}

static void
viewer_reload(void *arg)
{
	struct runner *r = arg;
	struct tab *t = tab_for_command(r, "reload");

	if (t != NULL)
		tab_send(r, t, "Page.reload", NULL);
}

static void
viewer_stop(void *arg)
{
	struct runner *r = arg;
	struct tab *t = tab_for_command(r, "stop");

	if (t != NULL)
		tab_send(r, t, "Page.stopLoading", NULL);
}

static void
viewer_choose_tab(void *arg, int64_t id)
{
	struct runner *r = arg;
	struct tab *t = usable_tab(r) != NULL ? tab_find(r, id) : NULL;

	if (t == NULL) {
		send_viewer_error(r, "tab", "tab_not_found", "there is no such tab");
		return;
	}
	runner_activity(r);
	tab_activate(r, t);
}

static void
viewer_close_tab(void *arg, int64_t id)
{
	struct runner *r = arg;
	struct tab *t = usable_tab(r) != NULL ? tab_find(r, id) : NULL;

	if (t == NULL) {
		send_viewer_error(r, "close_tab", "tab_not_found", "there is no such tab");
		return;
	}
	runner_activity(r);
	tab_close(r, t);
}

static void
viewer_dialog(void *arg, const struct stream_dialog *d)
{
	struct runner *r = arg;
	struct tab *t;

	TAILQ_FOREACH(t, &r->tabs, next)
	if (t->dialog && (t == r->active || r->active == NULL || !r->active->dialog))
		break;
	if (usable_tab(r) == NULL || t == NULL) {
		send_viewer_error(r, "dialog", "no_dialog", "no dialog is open");
		return;
	}
	runner_activity(r);
	dialog_answer(r, t, d->accept, d->text);
}

static void
viewer_shot(void *arg)
{
	struct runner *r = arg;
	struct tab *t = tab_for_command(r, "shot");

	if (t != NULL)
		shots_take(r->shots, t, "request");
}

static void
viewer_ended(void *arg)
{
	control_viewer_gone(((struct runner *)arg)->control);
}

const struct live_ops viewer_ops = {
	.watch = viewer_watch,
	.frame_taken = viewer_frame_taken,
	.mouse = viewer_mouse,
	.key = viewer_key,
	.text = viewer_text,
	.nav = viewer_nav,
	.history = viewer_history,
	.reload = viewer_reload,
	.stop = viewer_stop,
	.tab = viewer_choose_tab,
	.close_tab = viewer_close_tab,
	.dialog = viewer_dialog,
	.shot = viewer_shot,
	.ended = viewer_ended,
};
