/* SPDX-License-Identifier: ISC */
/* Targets: pages are tabs, popups too; frames and workers belong to one. Each is set up before it runs. */
#include "config.h"

#include "browser/runner/runner.h"

enum { TABS_MAX = 20 };

/* The session of a frame or worker, and whose it is. */
struct child {
	LIST_ENTRY(child) next;
	int64_t tab; /* 0: of none, as a service worker's */
	size_t session_n;
	char session[];
};

/* Everything below a page is attached to as well; service workers come at the browser's level. */
static const char attach[] =
    "{\"autoAttach\":true,\"waitForDebuggerOnStart\":true,\"flatten\":true,"
    "\"filter\":[{\"type\":\"service_worker\",\"exclude\":true},{}]}";
/* No bodies: they are no evidence, and cost memory. */
static const char network[] = "{\"maxTotalBufferSize\":0,\"maxResourceBufferSize\":0,"
			      "\"maxPostDataSize\":0}";

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

void
tab_say_url(struct runner *r, const struct tab *t)
{
	if (r->live != NULL)
		live_url(r->live, &(struct stream_url){ .url = buf_done(&t->url),
				      .tab = t->id,
				      .loading = t->loading,
				      .can_go_back = t->can_go_back,
				      .can_go_forward = t->can_go_forward });
}

/* ---- setting up ---- */

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

static struct tab *
first_tab(struct runner *r)
{
	return TAILQ_FIRST(&r->tabs);
}

static void
on_set_up(void *arg, const struct json_value *result)
{
	struct tab *t = arg;
	struct runner *r = t->r;

	if (t->closing)
		return;
	if (result == NULL) {
		if (t == first_tab(r) && r->stage == STAGE_STARTING)
			runner_fail(r, "the browser's page cannot be set up");
		else
			tab_close(r, t);
		return;
	}
	if (--t->setting_up > 0)
		return;
	if (t->id == 1 && r->stage == STAGE_STARTING)
		tab_navigate(r, t, r->job.start_url);
	tab_activate(r, t);
}

static void
set_up(struct runner *r, struct tab *t, const char *method, const char *constant)
{
	t->setting_up++;
	cdp_send(r->cdp, &(struct cdp_call){ .session = buf_done(&t->session),
			     .method = method,
			     .constant = constant,
			     .done = on_set_up,
			     .arg = t });
}

struct locale {
	struct str locale;
};

static const struct field locale_fields[] = {
	FIELD(struct locale, locale, 0),
	FIELD_END,
};

struct metrics {
	int64_t width, height, deviceScaleFactor;
	bool mobile;
};

static const struct field metrics_fields[] = {
	FIELD(struct metrics, width, 0),
	FIELD(struct metrics, height, 0),
	FIELD(struct metrics, deviceScaleFactor, 0),
	FIELD(struct metrics, mobile, 0),
	FIELD_END,
};

/* Chromium has one locale a process, and refuses who is not the first to say it. */
static void
set_locale(struct runner *r, struct str session)
{
	cdp_send(r->cdp, &(struct cdp_call){ .session = session,
			     .method = "Emulation.setLocaleOverride",
			     .fields = locale_fields,
			     .in = &(struct locale){ profile_locale(r->profile) } });
}

/* All at once: a popup answers some of it only when it may run, but obeys in this order. */
static void
set_up_page(struct runner *r, struct tab *t)
{
	struct buf metrics = { 0 };

	json_write(&metrics, metrics_fields,
	    &(struct metrics){ r->job.width, r->job.height, 1, false });
	buf_char(&metrics, '\0');
	set_up(r, t, "Page.enable", NULL);
	set_up(r, t, "Inspector.enable", NULL);
	set_up(r, t, "Network.enable", network);
	set_up(r, t, "Emulation.setUserAgentOverride", profile_override(r->profile));
	set_up(r, t, "Emulation.setDeviceMetricsOverride", metrics.p);
	set_locale(r, buf_done(&t->session));
	set_up(r, t, "Target.setAutoAttach", attach);
	set_up(r, t, "Runtime.runIfWaitingForDebugger", NULL);
	buf_free(&metrics);
}

static void
send_to(struct runner *r, struct str session, const char *method, const char *constant)
{
	cdp_send(
	    r->cdp, &(struct cdp_call){
			.session = session, .method = method, .constant = constant });
}

static void
set_up_child(struct runner *r, struct str session, struct str type)
{
	if (str_is(type, "iframe")) {
		send_to(r, session, "Network.enable", network);
		send_to(r, session, "Emulation.setUserAgentOverride",
		    profile_override(r->profile));
		set_locale(r, session);
		send_to(r, session, "Target.setAutoAttach", attach);
	} else if (str_ends(type, STR("worker"))) {
		send_to(r, session, "Network.enable", network);
		send_to(r, session, "Network.setUserAgentOverride",
		    profile_override(r->profile));
		set_locale(r, session);
		send_to(r, session, "Runtime.evaluate", profile_worker_patch(r->profile));
		send_to(r, session, "Target.setAutoAttach", attach);
	}
	send_to(r, session, "Runtime.runIfWaitingForDebugger", NULL);
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
	set_up_page(r, t);
	tabs_say(r);
}

static void
add_child(struct runner *r, struct str session, struct str parent)
{
	const struct tab *t = tab_of(r, parent);
	struct child *c = mem_alloc(sizeof(*c) + session.n);

	c->tab = t != NULL ? t->id : 0;
	c->session_n = session.n;
	memcpy(c->session, session.p, session.n);
	LIST_INSERT_HEAD(&r->children, c, next);
}

void
on_target_attached(void *arg, struct str session, const struct json_value *p)
{
	struct runner *r = arg;
	const struct json_value *info = cdp_get(p, "targetInfo");
	struct str own = cdp_text(p, "sessionId"), type = cdp_text(info, "type");

	if (!str_is(type, "page")) {
		add_child(r, own, session);
		set_up_child(r, own, type);
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

void
on_target_detached(void *arg, struct str session, const struct json_value *p)
{
	struct runner *r = arg;
	struct str own = cdp_text(p, "sessionId");
	struct tab *t = by_session(r, own);
	struct child *c = t == NULL ? child_of(r, own) : NULL;

	(void)session;
	if (t != NULL)
		drop_tab(r, t);
	if (c == NULL)
		return;
	cdp_forget(r->cdp, own);
	LIST_REMOVE(c, next);
	free(c);
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

/* ---- a document's request waits until it says who it is ---- */

struct header {
	struct str name, value;
};

struct resume {
	struct str requestId;
	struct list headers; /* of struct header; none: as they are */
};

static const struct field header_fields[] = {
	FIELD(struct header, name, 0),
	FIELD(struct header, value, 0),
	FIELD_END,
};

static const struct field resume_fields[] = {
	FIELD(struct resume, requestId, 0),
	LIST(struct resume, headers, OMIT_UNSET, struct header, header_fields, 0, 0),
	FIELD_END,
};

enum { HEADERS_MAX = 64 };

struct rewriting {
	const struct profile *profile;
	struct header headers[HEADERS_MAX];
	size_t n;
	bool changed;
};

static bool
rewrite(void *arg, struct str name, struct json_value *value)
{
	struct rewriting *w = arg;
	struct str was = json_text(value), is = profile_header(w->profile, name);

	if (w->n == HEADERS_MAX)
		return false;
	if (is.p == NULL)
		is = was;
	w->changed = w->changed || !str_eq(is, was);
	w->headers[w->n++] = (struct header){ name, is };
	return true;
}

/* A popup's first request is made before its tab can be set up: its client hints are still the real ones. */
void
on_request_paused(void *arg, struct str session, const struct json_value *p)
{
	struct runner *r = arg;
	struct rewriting w = { .profile = r->profile };
	struct resume resume = { .requestId = cdp_text(p, "requestId") };
	const struct json_value *headers = cdp_get(cdp_get(p, "request"), "headers");

	if (headers != NULL)
		json_each(headers, rewrite, &w);
	if (w.changed && w.n < HEADERS_MAX)
		resume.headers = (struct list){ w.headers, w.n };
	cdp_send(r->cdp, &(struct cdp_call){ .session = session,
			     .method = "Fetch.continueRequest",
			     .fields = resume_fields,
			     .in = &resume });
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
