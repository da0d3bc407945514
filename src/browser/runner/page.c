/* SPDX-License-Identifier: ISC */
/* Events of a page: new documents, dialogs, downloads and crashes. Each changes the tab, informs
 * the viewer, and is recorded as evidence where it is not a request.
 *
 * A page can open a dialog, and then nothing of it runs or paints until the dialog is answered.
 * So a dialog without an answer is dismissed after a time, shorter when no viewer is
 * connected. Only beforeunload is accepted, or a page could keep the session from closing. */
#include "config.h"

#include "browser/runner/control.h"
#include "browser/runner/network.h"
#include "browser/runner/page.h"
#include "browser/runner/screencast.h"
#include "browser/runner/shots.h"
#include "browser/runner/tabs.h"

enum {
	DIALOG_ALONE_US = 5000000,     /* time to answer a dialog without a viewer */
	DIALOG_WATCHED_US = 120000000, /* time to answer a dialog with a viewer */
	FIRST_SHOT_US = 10000000,      /* after "ready", for a page that never finishes loading */
	LOAD_SHOTS_US = 2000000,       /* between two screenshots of a page that reloads itself */
};

static void
record_page_event(struct runner *r, const struct tab *t, const char *kind, struct net_event e)
{
	e.kind = str_of(kind);
	e.tab = t != NULL ? t->id : 0;
	network_record(r->network, &e);
}

/* ---- documents ---- */

/* The tab, if frame is its main frame; NULL for a frame inside the page. */
static struct tab *
main_frame_tab(struct runner *r, struct str session, struct str frame)
{
	struct tab *t = tab_of_session(r, session);

	return t != NULL && str_eq(frame, buf_done(&t->target)) ? t : NULL;
}

static void
set_tab_url(struct runner *r, struct tab *t, struct str url)
{
	buf_clear(&t->url);
	buf_str(&t->url, url);
	tab_send_url(r, t);
	tab_history(r, t, 0);
}

void
tab_activate(struct runner *r, struct tab *t)
{
	if (t->closing || r->active == t)
		return;
	r->active = t;
	tab_send(r, t, "Page.bringToFront", NULL);
	screencast_switch(r->cast);
	tabs_send(r);
	tab_send_url(r, t);
}

static void
on_page_navigated(struct runner *r, const struct cdp_event *event)
{
	const struct json_value *frame = cdp_get(event->params, "frame");
	struct tab *t = main_frame_tab(r, event->session, cdp_text(frame, "id"));
	struct str url = cdp_text(frame, "unreachableUrl");

	if (t == NULL)
		return;
	t->unreachable = url.n > 0;
	set_tab_url(r, t, url.n > 0 ? url : cdp_text(frame, "url"));
	shots_new_document(r->shots, t);
	screencast_new_document(r->cast, t);
}

ON_EVENT("Page.frameNavigated", on_page_navigated);

static void
on_page_moved(struct runner *r, const struct cdp_event *event)
{
	struct tab *t = main_frame_tab(r, event->session, cdp_text(event->params, "frameId"));

	if (t != NULL)
		set_tab_url(r, t, cdp_text(event->params, "url"));
}

ON_EVENT("Page.navigatedWithinDocument", on_page_moved);

static void
set_loading(struct runner *r, const struct cdp_event *event, bool loading)
{
	struct tab *t = main_frame_tab(r, event->session, cdp_text(event->params, "frameId"));

	if (t == NULL || t->loading == loading)
		return;
	t->loading = loading;
	tab_send_url(r, t);
	tabs_send(r);
	if (!loading) /* the history is complete only after the document has loaded */
		tab_history(r, t, 0);
}

static void
on_page_loading(struct runner *r, const struct cdp_event *event)
{
	set_loading(r, event, true);
}

ON_EVENT("Page.frameStartedLoading", on_page_loading);

static void
on_page_stopped(struct runner *r, const struct cdp_event *event)
{
	set_loading(r, event, false);
}

ON_EVENT("Page.frameStoppedLoading", on_page_stopped);

static void
take_load_shot(struct runner *r, struct tab *t)
{
	t->shot_due = mono_us() - t->shot_at < LOAD_SHOTS_US && t->shot_at != 0;
	if (t->shot_due)
		return;
	shots_take(r->shots, t, t->id == 1 && t->shot_at == 0 ? "ready" : "load");
	t->shot_at = mono_us();
}

/* Records that the document of the tab's main frame has loaded. The duration is rounded up, so
   that the time of the event less its duration is not after the request for the document. */
static void
record_load(struct runner *r, struct tab *t)
{
	int64_t ms = (ts_now().us - t->document_at.us + 999) / 1000;
	char text[24];

	if (t->unreachable || t->document == 0 || ms < 0)
		return;
	snprintf(text, sizeof(text), "%lld", (long long)ms);
	record_page_event(r, t, "page",
	    (struct net_event){ .url = buf_done(&t->url), .duration_ms = { str_of(text) } });
}

static void
on_page_loaded(struct runner *r, const struct cdp_event *event)
{
	struct tab *t = tab_of_session(r, event->session);

	if (t == NULL || !str_eq(event->session, buf_done(&t->session)) ||
	    str_is(buf_done(&t->url), "about:blank"))
		return;
	record_load(r, t);
	take_load_shot(r, t);
}

ON_EVENT("Page.loadEventFired", on_page_loaded);

/* ---- dialogs ---- */

struct dialog_params {
	bool accept;
	struct str promptText;
};

static const struct field dialog_fields[] = {
	FIELD(struct dialog_params, accept, 0),
	FIELD(struct dialog_params, promptText, OMIT_UNSET),
	FIELD_END,
};

void
dialog_answer(struct runner *r, struct tab *t, bool accept, struct str text)
{
	if (t->dialog)
		cdp_send(r->cdp, &(struct cdp_call){ .session = buf_done(&t->session),
				     .method = "Page.handleJavaScriptDialog",
				     .fields = dialog_fields,
				     .in = &(struct dialog_params){ accept, text } });
}

/* Answers a dialog that the viewer has not answered in time. beforeunload is accepted, so that a
   page cannot prevent its own end; every other dialog is dismissed. */
static void
answer_overdue_dialog(struct runner *r, struct tab *t)
{
	int64_t waited = mono_us() - t->dialog_at;
	bool watched = r->live != NULL && live_watched(r->live);

	if (!t->dialog || waited < (watched ? DIALOG_WATCHED_US : DIALOG_ALONE_US))
		return;
	t->dialog_at = mono_us();
	dialog_answer(r, t, t->beforeunload, STR_NULL);
}

void
page_tick(struct runner *r, struct tab *t)
{
	bool never = t->id == 1 && t->shot_at == 0 && r->stage == STAGE_RUNNING &&
		     mono_us() - r->ready_at > FIRST_SHOT_US;

	answer_overdue_dialog(r, t);
	if (t->shot_due || never)
		take_load_shot(r, t);
}

static void
on_dialog_open(struct runner *r, const struct cdp_event *event)
{
	struct tab *t = tab_of_session(r, event->session);
	struct str kind = cdp_text(event->params, "type");

	if (t == NULL)
		return;
	t->dialog = true;
	t->dialog_at = mono_us();
	t->beforeunload = str_is(kind, "beforeunload");
	record_page_event(r, t, "dialog",
	    (struct net_event){ .url = cdp_text(event->params, "url"), .resource_type = kind });
	if (r->live != NULL)
		live_dialog_open(r->live, &(struct stream_dialog_open){ .tab = t->id,
					      .kind = kind,
					      .message = cdp_text(event->params, "message"),
					      .preset = cdp_text(event->params, "defaultPrompt"),
					      .open = true });
}

ON_EVENT("Page.javascriptDialogOpening", on_dialog_open);

static void
on_dialog_closed(struct runner *r, const struct cdp_event *event)
{
	struct tab *t = tab_of_session(r, event->session);

	if (t == NULL)
		return;
	t->dialog = false;
	if (r->live != NULL)
		live_dialog_open(r->live, &(struct stream_dialog_open){ .tab = t->id,
					      .kind = STR("alert"),
					      .message = STR(""),
					      .preset = STR("") });
}

ON_EVENT("Page.javascriptDialogClosed", on_dialog_closed);

/* ---- downloads, which are denied, and crashes ---- */

static void
on_download(struct runner *r, const struct cdp_event *event)
{
	struct str frame = cdp_text(event->params, "frameId"), url = cdp_text(event->params, "url");
	struct tab *t;

	TAILQ_FOREACH(t, &r->tabs, next)
	if (str_eq(frame, buf_done(&t->target)))
		break;
	if (t == NULL) /* the frame of another site inside a page has no tab of its own */
		t = r->active;
	record_page_event(r, t, "download",
	    (struct net_event){
		.url = url, .method = STR("GET"), .failure = STR("downloads are denied") });
	if (r->live != NULL && t != NULL)
		live_download_blocked(
		    r->live, &(struct stream_download_blocked){ .url = url,
				 .at = ts_now(),
				 .name = cdp_text(event->params, "suggestedFilename"),
				 .tab = t->id });
}

ON_EVENT("Browser.downloadWillBegin", on_download);

/* Handles the crash of a renderer: the page is loaded again, once. A crashed renderer never
 * replies, so the calls of the tab are failed here, and everything that waits for the tab (a
 * screenshot, a dialog) is given up. A second crash of the same tab ends the session: a page
 * that crashes its renderer twice would do it for ever, and may be trying to. */
static void
on_crash(struct runner *r, const struct cdp_event *event)
{
	struct tab *t = tab_of_session(r, event->session);
	bool again;

	if (t == NULL || !str_eq(event->session, buf_done(&t->session)))
		return;
	again = t->crashed;
	t->crashed = true;
	t->dialog = false;
	log_event(LOGP_WARNING, "crash", "tab=%lld again=%d", (long long)t->id, again);
	record_page_event(r, t, "crash", (struct net_event){ .url = buf_done(&t->url) });
	if (r->live != NULL)
		live_crashed(r->live,
		    &(struct stream_crashed){ .tab = t->id, .reloading = !again, .at = ts_now() });
	shots_forget(r->shots, t);
	cdp_forget(r->cdp, event->session);
	if (again) {
		runner_fail(r, "the page crashed twice");
		return;
	}
	tab_send(r, t, "Page.reload", NULL);
	if (r->active == t)
		screencast_switch(r->cast);
}

ON_EVENT("Inspector.targetCrashed", on_crash);
