/* SPDX-License-Identifier: ISC */
/* Requests from their beginning to their end. Chromium tells of one in several events, not always in order,
   and each redirect is a request of its own under the same number. */
#include "config.h"

#include "browser/runner/evidence.h"
#include "browser/runner/runner.h"

enum {
	OPEN_MAX = 2000,
	EVENTS_MAX = 20000, /* of a session */
	SETTLE_US = 300000, /* after its end, for what comes late */
	EARLY_US = 10000000,
	CONTACTS = 256,
	LIVE_BATCH = 16,
	WORD_MAX = 256, /* of what the other end names */
};

struct request {
	TAILQ_ENTRY(request) next;
	struct evidence ev;
	struct str id;
	bool begun; /* false: what comes before its beginning has come */
	bool ended, sent_extra, got_extra, cached, contacted;
	bool page;          /* the document of a tab itself, not of a frame in it */
	int64_t line, sent; /* bytes of the first line, of what follows; 0: nothing was */
	int64_t data, came; /* so far: bytes of the body, and as they came */
	double began;       /* by Chromium's clock */
	int64_t at;         /* ended, or for what has not begun, came */
};

/* What egress said of a host and port; the oldest is overwritten. */
struct contact {
	char host[256], address[64], event[16], reason[128];
	int64_t port;
};

TAILQ_HEAD(requests, request);

struct network {
	struct runner *r;
	struct requests requests; /* the newest first */
	size_t open, events;
	struct contact contacts[CONTACTS];
	size_t next_contact;
};

/* ---- out ---- */

static void
queue_event(struct network *n, const struct net_event *e)
{
	struct net_event bare = *e;
	struct buf b = { 0 };

	if (n->events >= EVENTS_MAX) {
		outbox_truncated(n->r->outbox);
		return;
	}
	n->events++;
	json_write(&b, net_event_fields, e);
	if (b.n > NET_BATCH_BYTES) { /* all of it escapes, perhaps */
		bare.request_headers = bare.response_headers = (struct list){ 0 };
		buf_clear(&b);
		json_write(&b, net_event_fields, &bare);
	}
	if (b.n <= NET_BATCH_BYTES)
		outbox_event(n->r->outbox, buf_done(&b));
	else /* nothing goes unnoticed */
		outbox_truncated(n->r->outbox);
	buf_free(&b);
}

static void
show(struct network *n, struct net_event *events, size_t count)
{
	if (count > 0 && n->r->live != NULL)
		live_net(n->r->live, &(struct stream_net){ .events = { events, count } });
}

void
network_note(struct network *n, const struct net_event *e)
{
	struct evidence ev = { .event = *e };
	struct net_event *out = &ev.event;

	out->id = uuid_random();
	out->at = ts_now();
	out->tls.not_after = TS_NULL;
	out->url = evidence_url(&ev, e->url);
	if (out->method.p == NULL)
		out->method = STR("");
	if (out->resource_type.p == NULL)
		out->resource_type = STR("");
	queue_event(n, out);
	show(n, out, 1);
	evidence_free(&ev);
}

/* ---- addresses, which egress alone knows ---- */

void
network_egress(struct network *n, const struct runner_egress *e)
{
	struct contact *c = &n->contacts[n->next_contact++ % CONTACTS];

	snprintf(c->host, sizeof(c->host), "%.*s", (int)e->host.n, e->host.p);
	snprintf(c->address, sizeof(c->address), "%.*s", (int)e->address.n, e->address.p);
	snprintf(c->event, sizeof(c->event), "%.*s", (int)e->event.n, e->event.p);
	snprintf(c->reason, sizeof(c->reason), "%.*s", (int)e->reason.n, e->reason.p);
	c->port = e->port;
}

static const struct contact *
contact_of(const struct network *n, struct str host, int64_t port)
{
	for (size_t i = n->next_contact; i > 0 && i + CONTACTS > n->next_contact; i--) {
		const struct contact *c = &n->contacts[(i - 1) % CONTACTS];

		if (c->port == port && str_is(host, c->host))
			return c;
	}
	return NULL;
}

/* Which address it was, or why there was none. */
static void
add_contact(struct network *n, struct request *q)
{
	struct net_event *e = &q->ev.event;
	const struct contact *c;
	struct str host;
	int64_t port;

	if (q->cached || q->contacted || !evidence_origin(e->url, &host, &port) ||
	    (c = contact_of(n, host, port)) == NULL)
		return;
	q->contacted = true;
	if (c->address[0] != '\0') {
		e->remote_address = evidence_keep(&q->ev, str_of(c->address));
		e->remote_port = evidence_number(&q->ev, port);
	}
	if (e->failure.p != NULL && c->reason[0] != '\0' &&
	    strcmp(c->event, "connected") != 0) {
		struct buf b = { 0 };

		buf_printf(&b, "%.*s (%s: %s)", (int)e->failure.n, e->failure.p, c->event,
		    c->reason);
		e->failure = evidence_keep(&q->ev, buf_done(&b));
		buf_free(&b);
	}
}

static bool
has_header(struct list headers, const char *name)
{
	const struct net_header *h = headers.items;

	for (size_t i = 0; i < headers.n; i++)
		if (h[i].name.n == strlen(name) &&
		    strncasecmp(h[i].name.p, name, h[i].name.n) == 0)
			return true;
	return false;
}

/* Its tab's viewer learns why there is no page, as far as it is known by now. */
static void
report_page(struct network *n, const struct request *q)
{
	const struct net_event *e = &q->ev.event;
	struct tab *t = q->page ? tab_find(n->r, e->tab) : NULL;

	if (t != NULL)
		page_failed(n->r, t, e->failure.p != NULL ? e->failure : STR(""));
}

/* What is known at its end alone. In HTTP/2 a header is its first line; of what is broken off Chromium tells
   its own bytes late, and what it made of them at once. */
static void
complete(struct network *n, struct request *q)
{
	struct net_event *e = &q->ev.event;
	bool contacted = q->contacted;

	e->bytes_sent = 0;
	if (q->sent > 0)
		e->bytes_sent = q->sent + (int64_t)strlen("\r\n") +
				(has_header(e->request_headers, ":path") ? 0 : q->line);
	if (q->data > q->came && !has_header(e->response_headers, "content-encoding"))
		e->bytes_received += q->data - q->came;
	q->data = q->came;
	add_contact(n, q);
	if (!contacted && q->contacted && e->failure.p != NULL)
		report_page(n, q);
}

/* ---- the list ---- */

static void
drop(struct network *n, struct request *q)
{
	TAILQ_REMOVE(&n->requests, q, next);
	n->open--;
	evidence_free(&q->ev);
	free(q);
}

/* Told and forgotten. */
static void
settle(struct network *n, struct request *q)
{
	if (q->begun) {
		complete(n, q);
		queue_event(n, &q->ev.event);
	}
	drop(n, q);
}

static struct request *
add(struct network *n, struct str id)
{
	struct request *q = mem_zero(sizeof(*q));

	q->id = evidence_keep(&q->ev, id);
	q->at = mono_us();
	q->ev.event = (struct net_event){ .id = uuid_random(),
		.at = ts_now(),
		.kind = STR("request"),
		.method = STR(""),
		.url = STR(""),
		.resource_type = STR(""),
		.tls.not_after = TS_NULL };
	TAILQ_INSERT_HEAD(&n->requests, q, next);
	n->open++;
	return q;
}

/* The newest under this number that is still open. */
static struct request *
open_one(struct network *n, struct str id)
{
	struct request *q;

	TAILQ_FOREACH(q, &n->requests, next)
	if (q->begun && !q->ended && str_eq(q->id, id))
		return q;
	return NULL;
}

/* The oldest under this number that still lacks what has come: of redirects, each gets its own. */
static struct request *
lacking(struct network *n, struct str id, bool sent)
{
	struct request *q;

	TAILQ_FOREACH_REVERSE(q, &n->requests, requests, next)
	if (str_eq(q->id, id) && !(sent ? q->sent_extra : q->got_extra))
		return q;
	return add(n, id);
}

static struct request *
begin(struct network *n, struct str id)
{
	struct request *q;

	TAILQ_FOREACH(q, &n->requests, next)
	if (!q->begun && str_eq(q->id, id))
		break;
	if (q == NULL)
		q = add(n, id);
	q->begun = true;
	return q;
}

static void
end(struct request *q, const struct json_value *p)
{
	double now = cdp_num(p, "timestamp");

	if (q->began > 0 && now >= q->began)
		q->ev.event.duration_ms =
		    evidence_number(&q->ev, (int64_t)((now - q->began) * 1000));
	q->ended = true;
	q->at = mono_us();
}

/* ---- events ---- */

/* What Chromium wants to send. */
static void
take_request(struct request *q, const struct json_value *request, struct str url)
{
	struct net_event *e = &q->ev.event;

	e->url = evidence_url(&q->ev, url);
	q->line = evidence_line(e->method, url);
	if (!q->sent_extra)
		e->request_headers =
		    evidence_headers(&q->ev, cdp_get(request, "headers"), NULL);
}

/* What it did send. */
static void
take_sent(struct request *q, const struct json_value *headers)
{
	q->sent_extra = true;
	q->ev.event.request_headers = evidence_headers(&q->ev, headers, &q->sent);
}

static void
take_response(struct request *q, const struct json_value *response)
{
	struct net_event *e = &q->ev.event;
	int64_t status = cdp_int(response, "status");

	if (response == NULL)
		return;
	e->status = evidence_number(&q->ev, status);
	e->mime = evidence_keep(
	    &q->ev, str_cut_bytes(cdp_text(response, "mimeType"), WORD_MAX));
	e->protocol = evidence_keep(
	    &q->ev, str_cut_bytes(cdp_text(response, "protocol"), WORD_MAX));
	q->cached = cdp_bool(response, "fromDiskCache") ||
		    cdp_bool(response, "fromServiceWorker") ||
		    cdp_bool(response, "fromPrefetchCache");
	if (!q->cached) /* so far */
		e->bytes_received = cdp_int(response, "encodedDataLength");
	evidence_tls(&q->ev, cdp_get(response, "securityDetails"));
	if (!q->got_extra)
		e->response_headers =
		    evidence_headers(&q->ev, cdp_get(response, "headers"), NULL);
}

void
on_request(void *arg, struct str session, const struct json_value *p)
{
	struct runner *r = arg;
	struct network *n = r->network;
	struct str id = cdp_text(p, "requestId"), from = STR_NULL;
	const struct json_value *request = cdp_get(p, "request");
	const struct json_value *redirect = cdp_get(p, "redirectResponse");
	struct request *q = redirect != NULL ? open_one(n, id) : NULL;
	const struct tab *t = tab_of(r, session);
	struct net_event *e;

	if (str_starts(cdp_text(request, "url"), STR("data:")))
		return;
	if (q != NULL) {
		take_response(q, redirect);
		from = q->ev.event.url;
		end(q, p);
	}
	q = begin(n, id);
	e = &q->ev.event;
	q->began = cdp_num(p, "timestamp");
	e->at = (struct ts){ (int64_t)(cdp_num(p, "wallTime") * 1e6) };
	e->tab = t != NULL ? t->id : 0;
	e->method = evidence_keep(&q->ev, str_cut_bytes(cdp_text(request, "method"), 64));
	take_request(q, request, cdp_text(request, "url"));
	e->resource_type = evidence_keep(&q->ev, cdp_text(p, "type"));
	e->redirected_from = evidence_keep(&q->ev, from);
	q->page = t != NULL && str_is(e->resource_type, "Document") &&
		  str_eq(cdp_text(p, "frameId"), buf_done(&t->target));
	report_page(n, q);
}

void
on_request_extra(void *arg, struct str session, const struct json_value *p)
{
	struct runner *r = arg;
	struct request *q = lacking(r->network, cdp_text(p, "requestId"), true);

	(void)session;
	take_sent(q, cdp_get(p, "headers"));
}

void
on_response(void *arg, struct str session, const struct json_value *p)
{
	struct runner *r = arg;
	struct request *q = open_one(r->network, cdp_text(p, "requestId"));

	(void)session;
	if (q != NULL)
		take_response(q, cdp_get(p, "response"));
}

void
on_response_extra(void *arg, struct str session, const struct json_value *p)
{
	struct runner *r = arg;
	struct request *q = lacking(r->network, cdp_text(p, "requestId"), false);

	(void)session;
	q->got_extra = true;
	q->ev.event.response_headers =
	    evidence_headers(&q->ev, cdp_get(p, "headers"), NULL);
}

/* For what does not come to its end. */
void
on_data(void *arg, struct str session, const struct json_value *p)
{
	struct runner *r = arg;
	struct request *q = open_one(r->network, cdp_text(p, "requestId"));

	(void)session;
	if (q == NULL || q->cached)
		return;
	q->data += cdp_int(p, "dataLength");
	q->came += cdp_int(p, "encodedDataLength");
	q->ev.event.bytes_received += cdp_int(p, "encodedDataLength");
}

void
on_finished(void *arg, struct str session, const struct json_value *p)
{
	struct runner *r = arg;
	struct request *q = open_one(r->network, cdp_text(p, "requestId"));

	(void)session;
	if (q == NULL)
		return;
	if (!q->cached)
		q->ev.event.bytes_received = cdp_int(p, "encodedDataLength");
	q->data = q->came;
	end(q, p);
}

/* A document that did not come because of its certificate is told to the viewer. */
static void
check_certificate(struct runner *r, const struct request *q)
{
	const struct net_event *e = &q->ev.event;

	if (!str_is(e->resource_type, "Document") ||
	    (!str_starts(e->failure, STR("net::ERR_CERT_")) &&
		!str_starts(e->failure, STR("net::ERR_SSL_"))))
		return;
	network_note(r->network, &(struct net_event){ .kind = STR("certificate"),
				     .tab = e->tab,
				     .url = e->url,
				     .failure = e->failure });
	if (r->live != NULL && e->tab > 0)
		live_cert(r->live,
		    &(struct stream_cert){
			.url = e->url, .error = e->failure, .tab = e->tab, .at = e->at });
}

void
on_failed(void *arg, struct str session, const struct json_value *p)
{
	struct runner *r = arg;
	struct request *q = open_one(r->network, cdp_text(p, "requestId"));
	struct str blocked = cdp_text(p, "blockedReason"), why = cdp_text(p, "errorText");

	(void)session;
	if (q == NULL)
		return;
	q->ev.event.failure = evidence_keep(&q->ev, blocked.n > 0 ? blocked : why);
	end(q, p);
	add_contact(r->network, q);
	report_page(r->network, q);
	check_certificate(r, q);
}

/* ---- WebSockets: told at their handshake, since they may stay ---- */

void
on_socket(void *arg, struct str session, const struct json_value *p)
{
	struct runner *r = arg;
	struct request *q = begin(r->network, cdp_text(p, "requestId"));
	const struct tab *t = tab_of(r, session);
	struct net_event *e = &q->ev.event;

	e->kind = STR("websocket");
	e->tab = t != NULL ? t->id : 0;
	e->method = STR("GET");
	take_request(q, NULL, cdp_text(p, "url"));
	e->resource_type = STR("WebSocket");
}

void
on_socket_request(void *arg, struct str session, const struct json_value *p)
{
	struct runner *r = arg;
	struct request *q = open_one(r->network, cdp_text(p, "requestId"));

	(void)session;
	if (q == NULL)
		return;
	q->began = cdp_num(p, "timestamp");
	take_sent(q, cdp_get(cdp_get(p, "request"), "headers"));
}

void
on_socket_response(void *arg, struct str session, const struct json_value *p)
{
	struct runner *r = arg;
	struct request *q = open_one(r->network, cdp_text(p, "requestId"));
	const struct json_value *response = cdp_get(p, "response");

	(void)session;
	if (q == NULL)
		return;
	q->ev.event.bytes_received = (int64_t)cdp_text(response, "headersText").n;
	q->ev.event.status = evidence_number(&q->ev, cdp_int(response, "status"));
	q->ev.event.response_headers =
	    evidence_headers(&q->ev, cdp_get(response, "headers"), NULL);
	end(q, p);
}

static void
fail_socket(struct runner *r, const struct json_value *p, struct str why)
{
	struct request *q = open_one(r->network, cdp_text(p, "requestId"));

	if (q == NULL)
		return;
	q->ev.event.failure = evidence_keep(&q->ev, str_cut_bytes(why, 512));
	end(q, p);
}

void
on_socket_error(void *arg, struct str session, const struct json_value *p)
{
	(void)session;
	fail_socket(arg, p, cdp_text(p, "errorMessage"));
}

void
on_socket_closed(void *arg, struct str session, const struct json_value *p)
{
	(void)session;
	fail_socket(arg, p, STR("closed before its handshake"));
}

/* ---- the whole ---- */

struct network *
network_new(struct runner *r)
{
	struct network *n = mem_zero(sizeof(*n));

	n->r = r;
	TAILQ_INIT(&n->requests);
	return n;
}

static bool
is_due(const struct request *q, int64_t now)
{
	return q->begun ? q->ended && now - q->at >= SETTLE_US : now - q->at > EARLY_US;
}

/* Those that are due, the oldest first, as many as one message to the viewer holds. False: none. */
static bool
settle_some(struct network *n, int64_t now)
{
	struct net_event events[LIVE_BATCH];
	struct request *q, *newer;
	size_t due = 0, shown = 0;

	TAILQ_FOREACH_REVERSE(q, &n->requests, requests, next)
	{
		if (!is_due(q, now))
			continue;
		if (due++ == LIVE_BATCH)
			break;
		if (!q->begun)
			continue;
		complete(n, q);
		events[shown++] = q->ev.event;
	}
	show(n, events, shown);
	due = due > LIVE_BATCH ? LIVE_BATCH : due;
	for (q = TAILQ_LAST(&n->requests, requests); q != NULL && due > 0; q = newer) {
		newer = TAILQ_PREV(q, requests, next);
		if (!is_due(q, now))
			continue;
		settle(n, q);
		due--;
	}
	return shown > 0;
}

/* The oldest first, until so many are left. */
static void
settle_down_to(struct network *n, size_t left)
{
	struct request *q, *newer;

	for (q = TAILQ_LAST(&n->requests, requests); q != NULL && n->open > left;
	     q = newer) {
		newer = TAILQ_PREV(q, requests, next);
		settle(n, q);
	}
}

void
network_tick(struct network *n)
{
	int64_t now = mono_us();

	while (settle_some(n, now))
		continue;
	settle_down_to(n, OPEN_MAX); /* of a page that never ends what it begins */
}

void
network_finish(struct network *n)
{
	settle_down_to(n, 0);
}

void
network_free(struct network *n)
{
	struct request *q, *older;

	for (q = TAILQ_FIRST(&n->requests); q != NULL; q = older) {
		older = TAILQ_NEXT(q, next);
		drop(n, q);
	}
	free(n);
}
