/* SPDX-License-Identifier: ISC */
/* Sets up each target before its script runs: the session's identity (profile.h) and the events
   that the runner wants. Chromium pauses a new target until Runtime.runIfWaitingForDebugger, which
   is therefore the last call.

   One property of Chromium makes this harder than a list of calls: a popup sends its first request
   before the runner can set it up, with the browser's real client hints. Fetch pauses each document
   request, and on_request_paused corrects its headers. Locale and time zone need no call: spawn.c
   gives them to every process of the browser. */
#include "config.h"

#include "browser/runner/control.h"
#include "browser/runner/page.h"
#include "browser/runner/setup.h"
#include "browser/runner/tabs.h"

/* Attaches to everything below a page but service workers, which the browser's own session
   reports. */
static const char attach_params[] =
    "{\"autoAttach\":true,\"waitForDebuggerOnStart\":true,\"flatten\":true,"
    "\"filter\":[{\"type\":\"service_worker\",\"exclude\":true},{}]}";
/* Chromium buffers no bodies: they are not evidence and cost memory. */
static const char network_params[] = "{\"maxTotalBufferSize\":0,\"maxResourceBufferSize\":0,"
				     "\"maxPostDataSize\":0}";

/* ---- pages ---- */

static void
on_setup_reply(void *arg, const struct json_value *result)
{
	struct tab *t = arg;
	struct runner *r = t->r;

	if (t->closing)
		return;
	if (result == NULL) {
		if (t == TAILQ_FIRST(&r->tabs) && r->stage == STAGE_STARTING)
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
send_setup_call(struct runner *r, struct tab *t, const char *method, const char *constant)
{
	t->setting_up++;
	cdp_send(r->cdp, &(struct cdp_call){ .session = buf_done(&t->session),
			     .method = method,
			     .constant = constant,
			     .done = on_setup_reply,
			     .arg = t });
}

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

/* Sends all calls without waiting for replies: a popup answers some of them only after it may run,
   but carries them out in this order. */
void
setup_tab(struct runner *r, struct tab *t)
{
	struct buf metrics = { 0 };

	json_write(
	    &metrics, metrics_fields, &(struct metrics){ r->job.width, r->job.height, 1, false });
	buf_char(&metrics, '\0');
	send_setup_call(r, t, "Page.enable", NULL);
	send_setup_call(r, t, "Inspector.enable", NULL);
	send_setup_call(r, t, "Network.enable", network_params);
	send_setup_call(r, t, "Emulation.setUserAgentOverride", profile_override(r->profile));
	send_setup_call(r, t, "Emulation.setDeviceMetricsOverride", metrics.p);
	send_setup_call(r, t, "Target.setAutoAttach", attach_params);
	send_setup_call(r, t, "Runtime.runIfWaitingForDebugger", NULL);
	buf_free(&metrics);
}

static void
send_to_session(struct runner *r, struct str session, const char *method, const char *constant)
{
	cdp_send(r->cdp,
	    &(struct cdp_call){ .session = session, .method = method, .constant = constant });
}

void
setup_child(struct runner *r, const struct child_target *c, struct str type)
{
	struct str session = { c->session, c->session_n };

	if (str_is(type, "iframe")) {
		send_to_session(r, session, "Network.enable", network_params);
		send_to_session(
		    r, session, "Emulation.setUserAgentOverride", profile_override(r->profile));
		send_to_session(r, session, "Target.setAutoAttach", attach_params);
	} else if (str_ends(type, STR("worker"))) {
		send_to_session(r, session, "Network.enable", network_params);
		send_to_session(
		    r, session, "Network.setUserAgentOverride", profile_override(r->profile));
		send_to_session(r, session, "Runtime.evaluate", profile_worker_patch(r->profile));
		send_to_session(r, session, "Target.setAutoAttach", attach_params);
	}
	send_to_session(r, session, "Runtime.runIfWaitingForDebugger", NULL);
}

/* ---- document requests are paused until their headers fit the profile ---- */

struct header {
	struct str name, value;
};

struct continue_params {
	struct str requestId;
	struct list headers; /* list of struct header; empty: the headers stay unchanged */
};

static const struct field header_fields[] = {
	FIELD(struct header, name, 0),
	FIELD(struct header, value, 0),
	FIELD_END,
};

static const struct field continue_fields[] = {
	FIELD(struct continue_params, requestId, 0),
	LIST(struct continue_params, headers, OMIT_UNSET, struct header, header_fields, 0, 0),
	FIELD_END,
};

enum { HEADERS_MAX = 64 };

struct header_rewrite {
	const struct profile *profile;
	struct header headers[HEADERS_MAX];
	size_t n;
	bool changed;
};

static bool
rewrite_header(void *arg, struct str name, struct json_value *value)
{
	struct header_rewrite *w = arg;
	struct str was = json_text(value), is = profile_header(w->profile, name);

	if (w->n == HEADERS_MAX)
		return false;
	if (is.p == NULL)
		is = was;
	w->changed = w->changed || !str_eq(is, was);
	w->headers[w->n++] = (struct header){ name, is };
	return true;
}

/* A popup sends its first request before its tab can be set up, so its client hints are the real
   ones. */
static void
on_request_paused(struct runner *r, const struct cdp_event *event)
{
	struct header_rewrite w = { .profile = r->profile };
	struct continue_params params = { .requestId = cdp_text(event->params, "requestId") };
	const struct json_value *headers = cdp_get(cdp_get(event->params, "request"), "headers");

	if (headers != NULL)
		json_each(headers, rewrite_header, &w);
	if (w.changed && w.n < HEADERS_MAX)
		params.headers = (struct list){ w.headers, w.n };
	cdp_send(r->cdp, &(struct cdp_call){ .session = event->session,
			     .method = "Fetch.continueRequest",
			     .fields = continue_fields,
			     .in = &params });
}

ON_EVENT("Fetch.requestPaused", on_request_paused);
