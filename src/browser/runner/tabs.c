/* SPDX-License-Identifier: ISC */
/* Targets as they come and go: pages and popups become tabs, frames and workers belong to one.
 * Also the calls that navigate, activate and close a tab, and the tab messages to the viewer.
 *
 *   page          struct tab            its CDP session, its URL, what the viewer sees
 *   iframe,       struct child_target   only the way from a CDP session to its tab, for events
 *   worker
 *
 * A tab is freed in remove_tab and nowhere else while the session runs. Replies may still be
 * under way then: cdp_forget fails those of its session first, while the tab exists, and
 * `closing` shows the callbacks that it is about to go. */
#include "config.h"

#include "browser/runner/control.h"
#include "browser/runner/page.h"
#include "browser/runner/screencast.h"
#include "browser/runner/setup.h"
#include "browser/runner/shots.h"
#include "browser/runner/tabs.h"

enum { TABS_MAX = 20 };

static void
set_tab_text(struct buf *b, struct str s)
{
	buf_clear(b);
	buf_str(b, s);
}

/* ---- finding ---- */

struct tab *
tab_find(struct runner *r, int64_t id)
{
	struct tab *t;

	TAILQ_FOREACH(t, &r->tabs, next)
	if (t->id == id)
		return t;
	return NULL;
}

static struct tab *
find_tab_by_target(struct runner *r, struct str target)
{
	struct tab *t;

	TAILQ_FOREACH(t, &r->tabs, next)
	if (str_eq(buf_done(&t->target), target))
		return t;
	return NULL;
}

static struct tab *
find_tab_by_session(struct runner *r, struct str session)
{
	struct tab *t;

	TAILQ_FOREACH(t, &r->tabs, next)
	if (str_eq(buf_done(&t->session), session))
		return t;
	return NULL;
}

static struct child_target *
find_child(struct runner *r, struct str session)
{
	struct child_target *c;

	LIST_FOREACH(c, &r->children, next)
	if (str_eq((struct str){ c->session, c->session_n }, session))
		return c;
	return NULL;
}

struct tab *
tab_of_session(struct runner *r, struct str session)
{
	struct tab *t = find_tab_by_session(r, session);
	const struct child_target *c = t == NULL ? find_child(r, session) : NULL;

	return c != NULL ? tab_find(r, c->tab) : t;
}

/* ---- messages to the viewer ---- */

void
tabs_send(struct runner *r)
{
	struct stream_tab_info infos[TABS_MAX + 1];
	struct stream_tabs said = { .active = r->active != NULL ? r->active->id : 0,
		.tabs = { infos, 0 } };
	const struct tab *t;

	TAILQ_FOREACH(t, &r->tabs, next)
	if (said.tabs.n < COUNT(infos))
		infos[said.tabs.n++] = (struct stream_tab_info){ t->id, buf_done(&t->url),
			buf_done(&t->title), t->loading };
	if (r->live != NULL)
		live_tabs(r->live, &said);
}

/* Why Chromium shows its error page; STR_NULL while it shows the document. */
static struct str
failure_reason(const struct tab *t)
{
	if (!t->unreachable)
		return STR_NULL;
	return t->failure.n > 0 ? buf_done(&t->failure) : STR("net::ERR_FAILED");
}

void
tab_send_url(struct runner *r, const struct tab *t)
{
	if (r->live != NULL)
		live_url(r->live, &(struct stream_url){ .url = buf_done(&t->url),
				      .failure = failure_reason(t),
				      .tab = t->id,
				      .loading = t->loading,
				      .can_go_back = t->can_go_back,
				      .can_go_forward = t->can_go_forward });
}

/* ---- calls ---- */

void
tab_send(struct runner *r, const struct tab *t, const char *method, const char *constant)
{
	cdp_send(
	    r->cdp, &(struct cdp_call){
			.session = buf_done(&t->session), .method = method, .constant = constant });
}

struct navigate_params {
	struct str url;
};

static const struct field navigate_fields[] = {
	FIELD(struct navigate_params, url, 0),
	FIELD_END,
};

/* The session is ready when the first navigation has its reply, which also comes for a page that
   failed. */
static void
on_first_page(void *arg, const struct json_value *result)
{
	struct runner *r = arg;

	(void)result;
	runner_ready(r);
}

void
tab_navigate(struct runner *r, struct tab *t, struct str url)
{
	cdp_send(r->cdp, &(struct cdp_call){ .session = buf_done(&t->session),
			     .method = "Page.navigate",
			     .fields = navigate_fields,
			     .in = &(struct navigate_params){ url },
			     .done = r->stage == STAGE_STARTING ? on_first_page : NULL,
			     .arg = r });
}

/* ---- targets attach and detach ---- */

struct target {
	struct str targetId;
};

static const struct field target_fields[] = {
	FIELD(struct target, targetId, 0),
	FIELD_END,
};

static void
close_target(struct runner *r, struct str target)
{
	cdp_send(r->cdp, &(struct cdp_call){ .method = "Target.closeTarget",
			     .fields = target_fields,
			     .in = &(struct target){ target } });
}

static size_t
count_tabs(const struct runner *r)
{
	const struct tab *t;
	size_t n = 0;

	TAILQ_FOREACH(t, &r->tabs, next)
	n++;
	return n;
}

static void
add_tab(struct runner *r, struct str session, const struct json_value *info)
{
	struct tab *t = mem_zero(sizeof(*t));

	t->r = r;
	t->id = ++r->last_tab;
	set_tab_text(&t->target, cdp_text(info, "targetId"));
	set_tab_text(&t->session, session);
	set_tab_text(&t->url, cdp_text(info, "url"));
	set_tab_text(&t->title, cdp_text(info, "title"));
	TAILQ_INSERT_TAIL(&r->tabs, t, next);
	setup_tab(r, t);
	tabs_send(r);
}

static struct child_target *
add_child(struct runner *r, struct str session, struct str parent)
{
	const struct tab *t = tab_of_session(r, parent);
	struct child_target *c = mem_zero(sizeof(*c) + session.n);

	c->tab = t != NULL ? t->id : 0;
	c->session_n = session.n;
	memcpy(c->session, session.p, session.n);
	LIST_INSERT_HEAD(&r->children, c, next);
	return c;
}

static void
on_target_attached(struct runner *r, const struct cdp_event *event)
{
	const struct json_value *info = cdp_get(event->params, "targetInfo");
	struct str own = cdp_text(event->params, "sessionId"), type = cdp_text(info, "type");

	if (!str_is(type, "page")) {
		setup_child(r, add_child(r, own, event->session), type);
	} else if (count_tabs(r) >= TABS_MAX || r->last_tab >= UINT16_MAX) {
		close_target(r, cdp_text(info, "targetId"));
	} else {
		add_tab(r, own, info);
	}
}

ON_EVENT("Target.attachedToTarget", on_target_attached);

static void
free_tab(struct runner *r, struct tab *t)
{
	TAILQ_REMOVE(&r->tabs, t, next);
	buf_free(&t->target);
	buf_free(&t->session);
	buf_free(&t->url);
	buf_free(&t->title);
	buf_free(&t->failure);
	free(t);
}

static void
remove_tab(struct runner *r, struct tab *t)
{
	bool was_active = r->active == t;

	t->closing = true;
	cdp_forget(r->cdp, buf_done(&t->session));
	shots_forget(r->shots, t);
	screencast_forget(r->cast, t);
	if (was_active)
		r->active = NULL;
	free_tab(r, t);
	if (TAILQ_EMPTY(&r->tabs) && r->stage < STAGE_CLOSING) {
		/* A session always has a page: the viewer has no command to open one. */
		cdp_send(r->cdp, &(struct cdp_call){ .method = "Target.createTarget",
				     .constant = "{\"url\":\"about:blank\"}" });
	} else if (was_active && !TAILQ_EMPTY(&r->tabs)) {
		tab_activate(r, TAILQ_LAST(&r->tabs, tabs));
	}
	tabs_send(r);
}

static void
remove_child(struct runner *r, struct child_target *c)
{
	cdp_forget(r->cdp, (struct str){ c->session, c->session_n });
	LIST_REMOVE(c, next);
	free(c);
}

static void
on_target_detached(struct runner *r, const struct cdp_event *event)
{
	struct str own = cdp_text(event->params, "sessionId");
	struct tab *t = find_tab_by_session(r, own);
	struct child_target *c = t == NULL ? find_child(r, own) : NULL;

	if (t != NULL)
		remove_tab(r, t);
	if (c != NULL)
		remove_child(r, c);
}

ON_EVENT("Target.detachedFromTarget", on_target_detached);

static void
on_target_changed(struct runner *r, const struct cdp_event *event)
{
	const struct json_value *info = cdp_get(event->params, "targetInfo");
	struct tab *t = find_tab_by_target(r, cdp_text(info, "targetId"));
	struct str title = cdp_text(info, "title"), url = cdp_text(info, "url");

	if (t == NULL)
		return;
	if (!str_eq(title, buf_done(&t->title))) {
		set_tab_text(&t->title, title);
		if (r->live != NULL)
			live_title(r->live, &(struct stream_title){ .title = title, .tab = t->id });
		tabs_send(r);
	}
	if (!str_eq(url, buf_done(&t->url))) {
		set_tab_text(&t->url, url);
		tab_send_url(r, t);
	}
}

ON_EVENT("Target.targetInfoChanged", on_target_changed);

static void
on_target_info(void *arg, const struct json_value *result)
{
	if (result != NULL)
		on_target_changed(arg, &(struct cdp_event){ .params = result });
}

void
tab_refresh(struct runner *r, const struct tab *t)
{
	cdp_send(r->cdp, &(struct cdp_call){ .method = "Target.getTargetInfo",
			     .fields = target_fields,
			     .in = &(struct target){ buf_done(&t->target) },
			     .done = on_target_info,
			     .arg = r });
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

void
tab_close(struct runner *r, struct tab *t)
{
	if (t->closing)
		return;
	t->closing = true;
	close_target(r, buf_done(&t->target));
}

/* ---- all targets ---- */

static void
on_browser_setup_reply(void *arg, const struct json_value *result)
{
	struct runner *r = arg;

	if (result == NULL && r->stage == STAGE_STARTING)
		runner_fail(r, "the browser does not obey");
}

static void
send_browser_setup(struct runner *r, const char *method, const char *constant)
{
	cdp_send(r->cdp,
	    &(struct cdp_call){
		.method = method, .constant = constant, .done = on_browser_setup_reply, .arg = r });
}

void
tabs_begin(struct runner *r)
{
	send_browser_setup(
	    r, "Browser.setDownloadBehavior", "{\"behavior\":\"deny\",\"eventsEnabled\":true}");
	send_browser_setup(r, "Fetch.enable",
	    "{\"patterns\":[{\"urlPattern\":\"*\",\"resourceType\":\"Document\"}]}");
	send_browser_setup(
	    r, "Target.setDiscoverTargets", "{\"discover\":true,\"filter\":[{\"type\":\"page\"}]}");
	send_browser_setup(r, "Target.setAutoAttach",
	    "{\"autoAttach\":true,\"waitForDebuggerOnStart\":true,\"flatten\":true}");
}

void
tabs_tick(struct runner *r)
{
	struct tab *t;

	TAILQ_FOREACH(t, &r->tabs, next)
	page_tick(r, t);
}

void
tabs_free(struct runner *r)
{
	struct tab *t, *following;
	struct child_target *c;

	r->active = NULL;
	for (t = TAILQ_FIRST(&r->tabs); t != NULL; t = following) {
		following = TAILQ_NEXT(t, next);
		free_tab(r, t);
	}
	while ((c = LIST_FIRST(&r->children)) != NULL) {
		LIST_REMOVE(c, next);
		free(c);
	}
}

/* ---- history ---- */

struct history_entry {
	int64_t entryId;
};

static const struct field entry_fields[] = {
	FIELD(struct history_entry, entryId, 0),
	FIELD_END,
};

static void
on_history(void *arg, const struct json_value *result)
{
	struct tab *t = arg;
	struct runner *r = t->r;
	const struct json_value *entries = cdp_get(result, "entries"), *to;
	int64_t at = cdp_int(result, "currentIndex"), last;
	int steps = t->steps;

	if (t->closing || entries == NULL)
		return;
	t->steps = 0;
	last = (int64_t)json_length(entries) - 1;
	if (steps == 0) {
		bool same = t->can_go_back == (at > 0) && t->can_go_forward == (at < last);

		t->can_go_back = at > 0;
		t->can_go_forward = at < last;
		if (!same)
			tab_send_url(r, t);
		return;
	}
	to = at + steps >= 0 ? json_at(entries, (size_t)(at + steps)) : NULL;
	if (to != NULL)
		cdp_send(r->cdp, &(struct cdp_call){ .session = buf_done(&t->session),
				     .method = "Page.navigateToHistoryEntry",
				     .fields = entry_fields,
				     .in = &(struct history_entry){ cdp_int(to, "id") } });
}

void
tab_history(struct runner *r, struct tab *t, int steps)
{
	if (steps != 0)
		t->steps = steps;
	cdp_send(r->cdp, &(struct cdp_call){ .session = buf_done(&t->session),
			     .method = "Page.getNavigationHistory",
			     .done = on_history,
			     .arg = t });
}
