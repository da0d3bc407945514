/* SPDX-License-Identifier: ISC */
/* Tabs: finding one, the calls that navigate, refresh and close it, its history, and its messages
 * to the viewer. targets.c makes and frees tabs. */
#include "config.h"

#include "browser/runner/control.h"
#include "browser/runner/tabs.h"

void
tab_set_text(struct buf *b, struct str s)
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

struct tab *
tab_find_by_session(struct runner *r, struct str session)
{
	struct tab *t;

	TAILQ_FOREACH(t, &r->tabs, next)
	if (str_eq(buf_done(&t->session), session))
		return t;
	return NULL;
}

struct child_target *
child_find(struct runner *r, struct str session)
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
	struct tab *t = tab_find_by_session(r, session);
	const struct child_target *c = t == NULL ? child_find(r, session) : NULL;

	return c != NULL ? tab_find(r, c->tab) : t;
}

/* ---- messages to the viewer ---- */

void
tabs_send(struct runner *r)
{
	struct stream_tab_info infos[TABS_MAX + 1];
	struct stream_tabs message = { .active = r->active != NULL ? r->active->id : 0,
		.tabs = { infos, 0 } };
	const struct tab *t;

	TAILQ_FOREACH(t, &r->tabs, next)
	if (message.tabs.n < COUNT(infos))
		infos[message.tabs.n++] = (struct stream_tab_info){ t->id, buf_done(&t->url),
			buf_done(&t->title), t->loading };
	if (r->live != NULL)
		live_tabs(r->live, &message);
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

void
tab_set_failure(struct runner *r, struct tab *t, struct str failure)
{
	if (str_eq(failure, buf_done(&t->failure)))
		return;
	tab_set_text(&t->failure, failure);
	if (t->unreachable && failure.n > 0)
		tab_send_url(r, t);
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

/* ---- targets ---- */

struct target {
	struct str targetId;
};

static const struct field target_fields[] = {
	FIELD(struct target, targetId, 0),
	FIELD_END,
};

void
target_close(struct runner *r, struct str target)
{
	cdp_send(r->cdp, &(struct cdp_call){ .method = "Target.closeTarget",
			     .fields = target_fields,
			     .in = &(struct target){ target } });
}

static void
on_target_changed(struct runner *r, const struct cdp_event *event)
{
	const struct json_value *info = cdp_get(event->params, "targetInfo");
	struct tab *t = find_tab_by_target(r, cdp_text(info, "targetId"));
	struct str title = cdp_text(info, "title"), url = cdp_text(info, "url");

	if (t == NULL)
		return;
	if (!str_eq(title, buf_done(&t->title))) {
		tab_set_text(&t->title, title);
		if (r->live != NULL)
			live_title(r->live, &(struct stream_title){ .title = title, .tab = t->id });
		tabs_send(r);
	}
	if (!str_eq(url, buf_done(&t->url))) {
		tab_set_text(&t->url, url);
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
tab_close(struct runner *r, struct tab *t)
{
	if (t->closing)
		return;
	t->closing = true;
	target_close(r, buf_done(&t->target));
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
