/* SPDX-License-Identifier: ISC */
/* A target is set up before it runs: whom it says that it is, and what is heard of it. */
#include "config.h"

#include "browser/runner/runner.h"

/* Everything below a page is attached to as well; service workers come at the browser's level. */
static const char attach[] =
    "{\"autoAttach\":true,\"waitForDebuggerOnStart\":true,\"flatten\":true,"
    "\"filter\":[{\"type\":\"service_worker\",\"exclude\":true},{}]}";
/* No bodies: they are no evidence, and cost memory. */
static const char network[] = "{\"maxTotalBufferSize\":0,\"maxResourceBufferSize\":0,"
			      "\"maxPostDataSize\":0}";

/* ---- pages ---- */

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

static void
on_locale(void *arg, const struct json_value *result)
{
	bool *first = arg;

	*first = result != NULL;
}

/* Chromium has one locale a process, refuses who is not the first to say it, and forgets it with that one. */
static void
set_locale(struct runner *r, struct str session, bool *first)
{
	cdp_send(r->cdp, &(struct cdp_call){ .session = session,
			     .method = "Emulation.setLocaleOverride",
			     .fields = locale_fields,
			     .in = &(struct locale){ profile_locale(r->profile) },
			     .done = on_locale,
			     .may_fail = true,
			     .arg = first });
}

/* All at once: a popup answers some of it only when it may run, but obeys in this order. */
void
setup_tab(struct runner *r, struct tab *t)
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
	set_locale(r, buf_done(&t->session), &t->first);
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

void
setup_child(struct runner *r, struct child *c, struct str type)
{
	struct str session = { c->session, c->session_n };

	if (str_is(type, "iframe")) {
		send_to(r, session, "Network.enable", network);
		send_to(r, session, "Emulation.setUserAgentOverride",
		    profile_override(r->profile));
		set_locale(r, session, &c->first);
		send_to(r, session, "Target.setAutoAttach", attach);
	} else if (str_ends(type, STR("worker"))) {
		send_to(r, session, "Network.enable", network);
		send_to(r, session, "Network.setUserAgentOverride",
		    profile_override(r->profile));
		set_locale(r, session, &c->first);
		send_to(r, session, "Runtime.evaluate", profile_worker_patch(r->profile));
		send_to(r, session, "Target.setAutoAttach", attach);
	}
	send_to(r, session, "Runtime.runIfWaitingForDebugger", NULL);
}

static void
on_locale_due(int fd, short what, void *arg)
{
	struct runner *r = arg;
	struct tab *t;
	struct child *c;

	(void)fd;
	(void)what;
	r->locale_due = false;
	if (r->cdp == NULL)
		return;
	TAILQ_FOREACH(t, &r->tabs, next)
	set_locale(r, buf_done(&t->session), &t->first);
	LIST_FOREACH(c, &r->children, next)
	set_locale(r, (struct str){ c->session, c->session_n }, &c->first);
}

/* Once, however many go at once. */
void
setup_again(struct runner *r)
{
	const struct timeval now = { 0 };

	if (!r->locale_due &&
	    event_base_once(r->base, -1, EV_TIMEOUT, on_locale_due, r, &now) != 0)
		panic("no event");
	r->locale_due = true;
}

void
setup_moved(struct runner *r, struct tab *t)
{
	if (t->first)
		setup_again(r);
	else
		set_locale(r, buf_done(&t->session), &t->first);
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
