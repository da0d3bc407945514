/* SPDX-License-Identifier: ISC */
/* Targets as they come and go: pages and popups become tabs, frames and workers belong to one.
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

/* ---- targets attach and detach ---- */

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
	tab_set_text(&t->target, cdp_text(info, "targetId"));
	tab_set_text(&t->session, session);
	tab_set_text(&t->url, cdp_text(info, "url"));
	tab_set_text(&t->title, cdp_text(info, "title"));
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
		target_close(r, cdp_text(info, "targetId"));
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
on_target_detached(struct runner *r, const struct cdp_event *event)
{
	struct str own = cdp_text(event->params, "sessionId");
	struct tab *t = tab_find_by_session(r, own);
	struct child_target *c = t == NULL ? child_find(r, own) : NULL;

	if (t != NULL)
		remove_tab(r, t);
	if (c != NULL) {
		cdp_forget(r->cdp, (struct str){ c->session, c->session_n });
		LIST_REMOVE(c, next);
		free(c);
	}
}

ON_EVENT("Target.detachedFromTarget", on_target_detached);

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
