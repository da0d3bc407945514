/* SPDX-License-Identifier: ISC */
/* What the viewer asks for (live.h), done. */
#include "config.h"

#include "browser/runner/runner.h"

/* A session that closes takes no more. */
static struct tab *
active(struct runner *r)
{
	if (r->stage != STAGE_STARTING && r->stage != STAGE_RUNNING)
		return NULL;
	return r->active != NULL && !r->active->closing ? r->active : NULL;
}

static void
refuse(struct runner *r, const char *to, const char *code, const char *message)
{
	live_error(r->live, &(struct stream_error){ .code = str_of(code),
				.message = str_of(message),
				.to = str_of(to),
				.field = STR("") });
}

/* The active tab, for a message that is answered when there is none. */
static struct tab *
wanted(struct runner *r, const char *to)
{
	struct tab *t = active(r);

	if (t == NULL)
		refuse(r, to, "session_not_ready", "there is no page yet");
	else
		runner_activity(r);
	return t;
}

static void
watch(void *arg, bool on, int64_t fps, int64_t quality)
{
	struct runner *r = arg;

	(void)fps; /* live.c keeps the pace */
	screencast_watch(r->cast, on, quality);
	if (!on && r->active != NULL) /* a dialog waits for nobody now */
		r->active->dialog_at = mono_us();
}

static void
frame_taken(void *arg, int64_t token)
{
	struct runner *r = arg;

	screencast_taken(r->cast, token);
}

static void
mouse(void *arg, const struct stream_mouse *m)
{
	struct runner *r = arg;

	if (active(r) == NULL)
		return;
	runner_activity(r);
	input_mouse(r, m);
}

static void
key(void *arg, const struct stream_key *k)
{
	struct runner *r = arg;

	if (active(r) == NULL)
		return;
	runner_activity(r);
	input_key(r, k);
}

static void
text(void *arg, struct str s)
{
	struct runner *r = arg;

	if (active(r) == NULL)
		return;
	runner_activity(r);
	input_text(r, s);
}

static void
nav(void *arg, struct str url)
{
	struct runner *r = arg;
	struct tab *t = wanted(r, "nav");

	if (t != NULL)
		tab_navigate(r, t, url);
}

static void
history(void *arg, int steps)
{
	struct runner *r = arg;
	struct tab *t = wanted(r, steps < 0 ? "back" : "forward");

	if (t != NULL)
		tab_history(r, t, steps);
}

static void
reload(void *arg)
{
	struct runner *r = arg;
	struct tab *t = wanted(r, "reload");

	if (t != NULL)
		tab_send(r, t, "Page.reload", NULL);
}

static void
stop(void *arg)
{
	struct runner *r = arg;
	struct tab *t = wanted(r, "stop");

	if (t != NULL)
		tab_send(r, t, "Page.stopLoading", NULL);
}

static void
choose_tab(void *arg, int64_t id)
{
	struct runner *r = arg;
	struct tab *t = active(r) != NULL ? tab_find(r, id) : NULL;

	if (t == NULL) {
		refuse(r, "tab", "tab_not_found", "there is no such tab");
		return;
	}
	runner_activity(r);
	tab_activate(r, t);
}

static void
close_tab(void *arg, int64_t id)
{
	struct runner *r = arg;
	struct tab *t = active(r) != NULL ? tab_find(r, id) : NULL;

	if (t == NULL) {
		refuse(r, "close_tab", "tab_not_found", "there is no such tab");
		return;
	}
	runner_activity(r);
	tab_close(r, t);
}

static void
dialog(void *arg, const struct stream_dialog *d)
{
	struct runner *r = arg;
	struct tab *t;

	TAILQ_FOREACH(t, &r->tabs, next)
	if (t->dialog && (t == r->active || r->active == NULL || !r->active->dialog))
		break;
	if (active(r) == NULL || t == NULL) {
		refuse(r, "dialog", "no_dialog", "no dialog is open");
		return;
	}
	runner_activity(r);
	dialog_answer(r, t, d->accept, d->text);
}

static void
shot(void *arg)
{
	struct runner *r = arg;
	struct tab *t = wanted(r, "shot");

	if (t != NULL)
		shots_take(r->shots, t, "request");
}

static void
ended(void *arg)
{
	control_viewer_gone(((struct runner *)arg)->control);
}

const struct live_ops viewer_ops = {
	.watch = watch,
	.frame_taken = frame_taken,
	.mouse = mouse,
	.key = key,
	.text = text,
	.nav = nav,
	.history = history,
	.reload = reload,
	.stop = stop,
	.tab = choose_tab,
	.close_tab = close_tab,
	.dialog = dialog,
	.shot = shot,
	.ended = ended,
};
