/* SPDX-License-Identifier: ISC */
/* Targets: pages are tabs, popups too; frames and workers belong to one. */
#include "config.h"

#include "browser/runner/runner.h"

enum { TABS_MAX = 20 };

static void
keep_text(struct buf *b, struct str s)
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
by_target(struct runner *r, struct str target)
{
	struct tab *t;

	TAILQ_FOREACH(t, &r->tabs, next)
	if (str_eq(buf_done(&t->target), target))
		return t;
	return NULL;
}

static struct tab *
by_session(struct runner *r, struct str session)
{
	struct tab *t;

	TAILQ_FOREACH(t, &r->tabs, next)
	if (str_eq(buf_done(&t->session), session))
		return t;
	return NULL;
}

static struct child *
child_of(struct runner *r, struct str session)
{
	struct child *c;

	LIST_FOREACH(c, &r->children, next)
	if (str_eq((struct str){ c->session, c->session_n }, session))
		return c;
	return NULL;
}

struct tab *
tab_of(struct runner *r, struct str session)
{
	struct tab *t = by_session(r, session);
	const struct child *c = t == NULL ? child_of(r, session) : NULL;

	return c != NULL ? tab_find(r, c->tab) : t;
}

/* ---- telling ---- */

void
tabs_say(struct runner *r)
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

/* Null while the page is there; where Chromium shows its error page, the reason as far as it is known. */
static struct str
failure_of(const struct tab *t)
{
	if (!t->unreachable)
		return STR_NULL;
	return t->failure.n > 0 ? buf_done(&t->failure) : STR("net::ERR_FAILED");
}

void
tab_say_url(struct runner *r, const struct tab *t)
{
	if (r->live != NULL)
		live_url(r->live, &(struct stream_url){ .url = buf_done(&t->url),
				      .failure = failure_of(t),
				      .tab = t->id,
				      .loading = t->loading,
				      .can_go_back = t->can_go_back,
				      .can_go_forward = t->can_go_forward });
}

/* ---- asking ---- */

void
tab_send(struct runner *r, const struct tab *t, const char *method, const char *constant)
{
	cdp_send(r->cdp, &(struct cdp_call){ .session = buf_done(&t->session),
			     .method = method,
			     .constant = constant });
}

struct one_url {
	struct str url;
};

static const struct field navigate_fields[] = {
	FIELD(struct one_url, url, 0),
	FIELD_END,
};

/* The first page's reply is what a session waits for; it also comes when the page cannot be had. */
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
			     .in = &(struct one_url){ url },
			     .done = r->stage == STAGE_STARTING ? on_first_page : NULL,
			     .arg = r });
}

/* ---- coming and going ---- */

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
	keep_text(&t->target, cdp_text(info, "targetId"));
	keep_text(&t->session, session);
	keep_text(&t->url, cdp_text(info, "url"));
	keep_text(&t->title, cdp_text(info, "title"));
	TAILQ_INSERT_TAIL(&r->tabs, t, next);
	setup_tab(r, t);
	tabs_say(r);
}

static struct child *
add_child(struct runner *r, struct str session, struct str parent)
{
	const struct tab *t = tab_of(r, parent);
	struct child *c = mem_zero(sizeof(*c) + session.n);

	c->tab = t != NULL ? t->id : 0;
	c->session_n = session.n;
	memcpy(c->session, session.p, session.n);
	LIST_INSERT_HEAD(&r->children, c, next);
	return c;
}

void
on_target_attached(void *arg, struct str session, const struct json_value *p)
{
	struct runner *r = arg;
	const struct json_value *info = cdp_get(p, "targetInfo");
	struct str own = cdp_text(p, "sessionId"), type = cdp_text(info, "type");

	if (!str_is(type, "page")) {
		setup_child(r, add_child(r, own, session), type);
	} else if (count_tabs(r) >= TABS_MAX || r->last_tab >= UINT16_MAX) {
		close_target(r, cdp_text(info, "targetId"));
	} else {
		add_tab(r, own, info);
	}
}

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
drop_tab(struct runner *r, struct tab *t)
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
		/* A session always has a page. */
		cdp_send(r->cdp, &(struct cdp_call){ .method = "Target.createTarget",
				     .constant = "{\"url\":\"about:blank\"}" });
	} else if (was_active && !TAILQ_EMPTY(&r->tabs)) {
		tab_activate(r, TAILQ_LAST(&r->tabs, tabs));
	}
	tabs_say(r);
}

static void
drop_child(struct runner *r, struct child *c)
{
	cdp_forget(r->cdp, (struct str){ c->session, c->session_n });
	LIST_REMOVE(c, next);
	free(c);
}

void
on_target_detached(void *arg, struct str session, const struct json_value *p)
{
	struct runner *r = arg;
	struct str own = cdp_text(p, "sessionId");
	struct tab *t = by_session(r, own);
	struct child *c = t == NULL ? child_of(r, own) : NULL;
	bool first = (t != NULL && t->first) || (c != NULL && c->first);

	(void)session;
	if (t != NULL)
		drop_tab(r, t);
	if (c != NULL)
		drop_child(r, c);
	if (first)
		setup_again(r);
}

void
on_target_changed(void *arg, struct str session, const struct json_value *p)
{
	struct runner *r = arg;
	const struct json_value *info = cdp_get(p, "targetInfo");
	struct tab *t = by_target(r, cdp_text(info, "targetId"));
	struct str title = cdp_text(info, "title"), url = cdp_text(info, "url");

	(void)session;
	if (t == NULL)
		return;
	if (!str_eq(title, buf_done(&t->title))) {
		keep_text(&t->title, title);
		if (r->live != NULL)
			live_title(r->live,
			    &(struct stream_title){ .title = title, .tab = t->id });
		tabs_say(r);
	}
	if (!str_eq(url, buf_done(&t->url))) {
		keep_text(&t->url, url);
		tab_say_url(r, t);
	}
}

static void
on_asked(void *arg, const struct json_value *result)
{
	if (result != NULL)
		on_target_changed(arg, STR(""), result);
}

void
tab_ask(struct runner *r, const struct tab *t)
{
	cdp_send(r->cdp, &(struct cdp_call){ .method = "Target.getTargetInfo",
			     .fields = target_fields,
			     .in = &(struct target){ buf_done(&t->target) },
			     .done = on_asked,
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
	tabs_say(r);
	tab_say_url(r, t);
}

void
tab_close(struct runner *r, struct tab *t)
{
	if (t->closing)
		return;
	t->closing = true;
	close_target(r, buf_done(&t->target));
}

/* ---- all of them ---- */

static void
on_begun(void *arg, const struct json_value *result)
{
	struct runner *r = arg;

	if (result == NULL && r->stage == STAGE_STARTING)
		runner_fail(r, "the browser does not obey");
}

static void
begin(struct runner *r, const char *method, const char *constant)
{
	cdp_send(r->cdp,
	    &(struct cdp_call){
		.method = method, .constant = constant, .done = on_begun, .arg = r });
}

void
tabs_begin(struct runner *r)
{
	begin(r, "Browser.setDownloadBehavior",
	    "{\"behavior\":\"deny\",\"eventsEnabled\":true}");
	begin(r, "Fetch.enable",
	    "{\"patterns\":[{\"urlPattern\":\"*\",\"resourceType\":\"Document\"}]}");
	begin(r, "Target.setDiscoverTargets",
	    "{\"discover\":true,\"filter\":[{\"type\":\"page\"}]}");
	begin(r, "Target.setAutoAttach",
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
	struct child *c;

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

struct entry {
	int64_t entryId;
};

static const struct field entry_fields[] = {
	FIELD(struct entry, entryId, 0),
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
		bool same =
		    t->can_go_back == (at > 0) && t->can_go_forward == (at < last);

		t->can_go_back = at > 0;
		t->can_go_forward = at < last;
		if (!same)
			tab_say_url(r, t);
		return;
	}
	to = at + steps >= 0 ? json_at(entries, (size_t)(at + steps)) : NULL;
	if (to != NULL)
		cdp_send(r->cdp, &(struct cdp_call){ .session = buf_done(&t->session),
				     .method = "Page.navigateToHistoryEntry",
				     .fields = entry_fields,
				     .in = &(struct entry){ cdp_int(to, "id") } });
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
