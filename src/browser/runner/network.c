/* SPDX-License-Identifier: ISC */
/* Requests as evidence. Chromium reports one request in several events of the same requestId:
 *
 *   requestWillBeSent           address, headers that the page wants to send; redirectResponse ends
 *                               the former
 *   requestWillBeSentExtraInfo  headers that were sent         | these two may come before or after
 *   responseReceivedExtraInfo   headers that were received     | the events beside them
 *   responseReceived            status, protocol, TLS
 *   dataReceived                sizes so far
 *   loadingFinished / -Failed   size or reason; the end
 *
 * Every redirect is a request of its own with the same requestId, so an event belongs to the newest
 * open request of its id, and an ExtraInfo to the oldest that has none yet. An ExtraInfo that comes
 * first creates a request that has not begun. A request is recorded SETTLE_US after its end, so
 * that late events are included.
 *
 * CDP does not contain the remote address behind a SOCKS5 proxy. surfaced-egress reports each
 * connection instead (network_egress), and the newest report of the same host and port is used. */
#include "config.h"

#include "browser/runner/evidence.h"
#include "browser/runner/network.h"
#include "browser/runner/tabs.h"

enum {
	OPEN_MAX = 2000,
	EVENTS_MAX = 20000,  /* events of a session; then its log is truncated */
	SETTLE_US = 300000,  /* time for late events after the end of a request */
	EARLY_US = 10000000, /* time for the beginning after an early ExtraInfo */
	CONTACTS = 256,
	LIVE_BATCH = 16,
	WORD_MAX = 256, /* bytes of a word that the server chooses */
};

struct request {
	TAILQ_ENTRY(request) next;
	struct evidence ev;
	struct str id;
	bool begun; /* false: only an ExtraInfo has come so far */
	bool ended, sent_extra, got_extra, cached, contacted;
	/* The number of a request for the document of a tab's main frame; 0: another request. */
	int64_t document;
	int64_t line, sent; /* bytes of the first line, of the headers; 0: not sent */
	int64_t data, came; /* bytes of the body so far, decoded and on the wire */
	double began;       /* in seconds of Chromium's clock */
	int64_t at;         /* mono_us of its end; without begun, of its first event */
};

/* A report of surfaced-egress about a host and port; a new one overwrites the oldest. */
struct contact {
	char host[256], address[64], event[16], reason[128];
	int64_t port;
};

TAILQ_HEAD(requests, request);

struct network {
	struct runner *r;
	struct requests requests; /* the newest first */
	size_t open, events;
	int64_t documents; /* the last number of a document */
	struct contact contacts[CONTACTS];
	size_t next_contact;
};

/* ---- recording ---- */

static void
record_event(struct network *n, const struct net_event *e)
{
	struct net_event bare = *e;
	struct buf b = { 0 };

	if (n->events >= EVENTS_MAX) {
		outbox_truncated(n->r->outbox);
		return;
	}
	n->events++;
	json_write(&b, net_event_fields, e);
	if (b.n > NET_BATCH_BYTES) { /* JSON escapes may multiply the size of the headers */
		bare.request_headers = bare.response_headers = (struct list){ 0 };
		buf_clear(&b);
		json_write(&b, net_event_fields, &bare);
	}
	if (b.n <= NET_BATCH_BYTES)
		outbox_event(n->r->outbox, buf_done(&b));
	else /* the log must show that an event is missing */
		outbox_truncated(n->r->outbox);
	buf_free(&b);
}

static void
send_live_events(struct network *n, struct net_event *events, size_t count)
{
	if (count > 0 && n->r->live != NULL)
		live_net(n->r->live, &(struct stream_net){ .events = { events, count } });
}

void
network_record(struct network *n, const struct net_event *e)
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
	record_event(n, out);
	send_live_events(n, out, 1);
	evidence_free(&ev);
}

/* ---- remote addresses, which only surfaced-egress knows ---- */

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
find_contact(const struct network *n, struct str host, int64_t port)
{
	for (size_t i = n->next_contact; i > 0 && i + CONTACTS > n->next_contact; i--) {
		const struct contact *c = &n->contacts[(i - 1) % CONTACTS];

		if (c->port == port && str_is(host, c->host))
			return c;
	}
	return NULL;
}

/* Adds the address of the connection, or why surfaced-egress did not connect. */
static void
add_contact(struct network *n, struct request *q)
{
	struct net_event *e = &q->ev.event;
	const struct contact *c;
	struct str host;
	int64_t port;

	if (q->cached || q->contacted || !evidence_origin(e->url, &host, &port) ||
	    (c = find_contact(n, host, port)) == NULL)
		return;
	q->contacted = true;
	if (c->address[0] != '\0') {
		e->remote_address = evidence_copy(&q->ev, str_of(c->address));
		e->remote_port = evidence_number(&q->ev, port);
	}
	if (e->failure.p != NULL && c->reason[0] != '\0' && strcmp(c->event, "connected") != 0) {
		struct buf b = { 0 };

		buf_printf(
		    &b, "%.*s (%s: %s)", (int)e->failure.n, e->failure.p, c->event, c->reason);
		e->failure = evidence_copy(&q->ev, buf_done(&b));
		buf_free(&b);
	}
}

static bool
has_response_header(struct list headers, const char *name)
{
	const struct net_header *h = headers.items;

	for (size_t i = 0; i < headers.n; i++)
		if (str_is_nocase(h[i].name, name))
			return true;
	return false;
}

/* Sets the failure of the tab if the request is for the newest document of its main frame. The
   reason for which surfaced-egress refused a connection may arrive after the tab has requested its
   next document, whose own failure must not be overwritten. */
static void
report_page_failure(struct network *n, const struct request *q)
{
	const struct net_event *e = &q->ev.event;
	struct tab *t = q->document != 0 ? tab_find(n->r, e->tab) : NULL;

	if (t != NULL && t->document == q->document)
		tab_set_failure(n->r, t, e->failure.p != NULL ? e->failure : STR(""));
}

/* Completes the sizes and the address at the end of a request. In HTTP/2 pseudo-headers such as
   :path replace the first line. For a request that was cancelled, Chromium has reported decoded
   bytes but not yet the bytes on the wire; without a content-encoding both are the same, so the
   difference is added. */
static void
complete_request(struct network *n, struct request *q)
{
	struct net_event *e = &q->ev.event;
	bool contacted = q->contacted;

	e->bytes_sent = 0;
	if (q->sent > 0)
		e->bytes_sent = q->sent + (int64_t)strlen("\r\n") +
				(has_response_header(e->request_headers, ":path") ? 0 : q->line);
	if (q->data > q->came && !has_response_header(e->response_headers, "content-encoding"))
		e->bytes_received += q->data - q->came;
	q->data = q->came;
	add_contact(n, q);
	if (!contacted && q->contacted && e->failure.p != NULL)
		report_page_failure(n, q);
}

/* ---- the list of open requests ---- */

static void
free_request(struct network *n, struct request *q)
{
	TAILQ_REMOVE(&n->requests, q, next);
	n->open--;
	evidence_free(&q->ev);
	free(q);
}

/* Records the request and frees it. */
static void
record_request(struct network *n, struct request *q)
{
	if (q->begun) {
		complete_request(n, q);
		record_event(n, &q->ev.event);
	}
	free_request(n, q);
}

static struct request *
add_request(struct network *n, struct str id)
{
	struct request *q = mem_zero(sizeof(*q));

	q->id = evidence_copy(&q->ev, id);
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

/* The newest request of this id that has not ended. */
static struct request *
find_open_request(struct network *n, struct str id)
{
	struct request *q;

	TAILQ_FOREACH(q, &n->requests, next)
	if (q->begun && !q->ended && str_eq(q->id, id))
		return q;
	return NULL;
}

/* The oldest request of this id without such an ExtraInfo: a chain of redirects gets one for each
   request. */
static struct request *
find_request_without_extra(struct network *n, struct str id, bool sent)
{
	struct request *q;

	TAILQ_FOREACH_REVERSE(q, &n->requests, requests, next)
	if (str_eq(q->id, id) && !(sent ? q->sent_extra : q->got_extra))
		return q;
	return add_request(n, id);
}

static struct request *
begin_browser_request(struct network *n, struct str id)
{
	struct request *q;

	TAILQ_FOREACH(q, &n->requests, next)
	if (!q->begun && str_eq(q->id, id))
		break;
	if (q == NULL)
		q = add_request(n, id);
	q->begun = true;
	return q;
}

static void
end_browser_request(struct request *q, const struct json_value *p)
{
	double now = cdp_num(p, "timestamp");

	if (q->began > 0 && now >= q->began)
		q->ev.event.duration_ms =
		    evidence_number(&q->ev, (int64_t)((now - q->began) * 1000));
	q->ended = true;
	q->at = mono_us();
}

/* ---- events ---- */

/* Adds the address and the headers that Chromium wants to send. */
static void
fill_request(struct request *q, const struct json_value *request, struct str url)
{
	struct net_event *e = &q->ev.event;

	e->url = evidence_url(&q->ev, url);
	q->line = evidence_line(e->method, url);
	if (!q->sent_extra)
		e->request_headers = evidence_headers(&q->ev, cdp_get(request, "headers"), NULL);
}

/* Replaces the headers by those that Chromium has sent. */
static void
fill_sent_headers(struct request *q, const struct json_value *headers)
{
	q->sent_extra = true;
	q->ev.event.request_headers = evidence_headers(&q->ev, headers, &q->sent);
}

static void
fill_response(struct request *q, const struct json_value *response)
{
	struct net_event *e = &q->ev.event;
	int64_t status = cdp_int(response, "status");

	if (response == NULL)
		return;
	e->status = evidence_number(&q->ev, status);
	e->mime = evidence_copy(&q->ev, str_cut_bytes(cdp_text(response, "mimeType"), WORD_MAX));
	e->protocol =
	    evidence_copy(&q->ev, str_cut_bytes(cdp_text(response, "protocol"), WORD_MAX));
	q->cached = cdp_bool(response, "fromDiskCache") ||
		    cdp_bool(response, "fromServiceWorker") ||
		    cdp_bool(response, "fromPrefetchCache");
	if (!q->cached) /* grows with each on_data */
		e->bytes_received = cdp_int(response, "encodedDataLength");
	evidence_tls(&q->ev, cdp_get(response, "securityDetails"));
	if (!q->got_extra)
		e->response_headers = evidence_headers(&q->ev, cdp_get(response, "headers"), NULL);
}

static void
on_request(struct runner *r, const struct cdp_event *event)
{
	struct network *n = r->network;
	struct str id = cdp_text(event->params, "requestId"), from = STR_NULL;
	const struct json_value *request = cdp_get(event->params, "request");
	const struct json_value *redirect = cdp_get(event->params, "redirectResponse");
	struct request *q = redirect != NULL ? find_open_request(n, id) : NULL;
	struct tab *t = tab_of_session(r, event->session);
	struct net_event *e;

	if (str_starts(cdp_text(request, "url"), STR("data:")))
		return;
	if (q != NULL) {
		fill_response(q, redirect);
		from = q->ev.event.url;
		end_browser_request(q, event->params);
	}
	q = begin_browser_request(n, id);
	e = &q->ev.event;
	q->began = cdp_num(event->params, "timestamp");
	e->at = (struct ts){ (int64_t)(cdp_num(event->params, "wallTime") * 1e6) };
	e->tab = t != NULL ? t->id : 0;
	e->method = evidence_copy(&q->ev, str_cut_bytes(cdp_text(request, "method"), 64));
	fill_request(q, request, cdp_text(request, "url"));
	e->resource_type = evidence_copy(&q->ev, cdp_text(event->params, "type"));
	e->redirected_from = evidence_copy(&q->ev, from);
	if (t != NULL && str_is(e->resource_type, "Document") &&
	    str_eq(cdp_text(event->params, "frameId"), buf_done(&t->target))) {
		q->document = t->document = ++n->documents;
		if (from.n == 0)
			t->document_at = e->at;
	}
	report_page_failure(n, q);
}

ON_EVENT("Network.requestWillBeSent", on_request);

static void
on_request_extra(struct runner *r, const struct cdp_event *event)
{
	struct request *q =
	    find_request_without_extra(r->network, cdp_text(event->params, "requestId"), true);

	fill_sent_headers(q, cdp_get(event->params, "headers"));
}

ON_EVENT("Network.requestWillBeSentExtraInfo", on_request_extra);

static void
on_response(struct runner *r, const struct cdp_event *event)
{
	struct request *q = find_open_request(r->network, cdp_text(event->params, "requestId"));

	if (q != NULL)
		fill_response(q, cdp_get(event->params, "response"));
}

ON_EVENT("Network.responseReceived", on_response);

static void
on_response_extra(struct runner *r, const struct cdp_event *event)
{
	struct request *q =
	    find_request_without_extra(r->network, cdp_text(event->params, "requestId"), false);

	q->got_extra = true;
	q->ev.event.response_headers =
	    evidence_headers(&q->ev, cdp_get(event->params, "headers"), NULL);
}

ON_EVENT("Network.responseReceivedExtraInfo", on_response_extra);

/* Counts bytes for a request that never gets loadingFinished. */
static void
on_data(struct runner *r, const struct cdp_event *event)
{
	struct request *q = find_open_request(r->network, cdp_text(event->params, "requestId"));

	if (q == NULL || q->cached)
		return;
	q->data += cdp_int(event->params, "dataLength");
	q->came += cdp_int(event->params, "encodedDataLength");
	q->ev.event.bytes_received += cdp_int(event->params, "encodedDataLength");
}

ON_EVENT("Network.dataReceived", on_data);

static void
on_finished(struct runner *r, const struct cdp_event *event)
{
	struct request *q = find_open_request(r->network, cdp_text(event->params, "requestId"));

	if (q == NULL)
		return;
	if (!q->cached)
		q->ev.event.bytes_received = cdp_int(event->params, "encodedDataLength");
	q->data = q->came;
	end_browser_request(q, event->params);
}

ON_EVENT("Network.loadingFinished", on_finished);

/* Records a document that failed because of its certificate, and informs the viewer. */
static void
report_certificate(struct runner *r, const struct request *q)
{
	const struct net_event *e = &q->ev.event;

	if (!str_is(e->resource_type, "Document") ||
	    (!str_starts(e->failure, STR("net::ERR_CERT_")) &&
		!str_starts(e->failure, STR("net::ERR_SSL_"))))
		return;
	network_record(r->network,
	    &(struct net_event){
		.kind = STR("certificate"), .tab = e->tab, .url = e->url, .failure = e->failure });
	if (r->live != NULL && e->tab > 0)
		live_cert(
		    r->live, &(struct stream_cert){
				 .url = e->url, .error = e->failure, .tab = e->tab, .at = e->at });
}

static void
on_failed(struct runner *r, const struct cdp_event *event)
{
	struct request *q = find_open_request(r->network, cdp_text(event->params, "requestId"));
	struct str blocked = cdp_text(event->params, "blockedReason"),
		   why = cdp_text(event->params, "errorText");

	if (q == NULL)
		return;
	q->ev.event.failure = evidence_copy(&q->ev, blocked.n > 0 ? blocked : why);
	end_browser_request(q, event->params);
	add_contact(r->network, q);
	report_page_failure(r->network, q);
	report_certificate(r, q);
}

ON_EVENT("Network.loadingFailed", on_failed);

/* ---- WebSockets: recorded after the handshake, since they may stay open ---- */

static void
on_socket(struct runner *r, const struct cdp_event *event)
{
	struct request *q = begin_browser_request(r->network, cdp_text(event->params, "requestId"));
	const struct tab *t = tab_of_session(r, event->session);
	struct net_event *e = &q->ev.event;

	e->kind = STR("websocket");
	e->tab = t != NULL ? t->id : 0;
	e->method = STR("GET");
	fill_request(q, NULL, cdp_text(event->params, "url"));
	e->resource_type = STR("WebSocket");
}

ON_EVENT("Network.webSocketCreated", on_socket);

static void
on_socket_request(struct runner *r, const struct cdp_event *event)
{
	struct request *q = find_open_request(r->network, cdp_text(event->params, "requestId"));

	if (q == NULL)
		return;
	q->began = cdp_num(event->params, "timestamp");
	fill_sent_headers(q, cdp_get(cdp_get(event->params, "request"), "headers"));
}

ON_EVENT("Network.webSocketWillSendHandshakeRequest", on_socket_request);

static void
on_socket_response(struct runner *r, const struct cdp_event *event)
{
	struct request *q = find_open_request(r->network, cdp_text(event->params, "requestId"));
	const struct json_value *response = cdp_get(event->params, "response");

	if (q == NULL)
		return;
	q->ev.event.bytes_received = (int64_t)cdp_text(response, "headersText").n;
	q->ev.event.status = evidence_number(&q->ev, cdp_int(response, "status"));
	q->ev.event.response_headers = evidence_headers(&q->ev, cdp_get(response, "headers"), NULL);
	end_browser_request(q, event->params);
}

ON_EVENT("Network.webSocketHandshakeResponseReceived", on_socket_response);

static void
fail_socket(struct runner *r, const struct json_value *p, struct str why)
{
	struct request *q = find_open_request(r->network, cdp_text(p, "requestId"));

	if (q == NULL)
		return;
	q->ev.event.failure = evidence_copy(&q->ev, str_cut_bytes(why, 512));
	end_browser_request(q, p);
}

static void
on_socket_error(struct runner *r, const struct cdp_event *event)
{
	fail_socket(r, event->params, cdp_text(event->params, "errorMessage"));
}

ON_EVENT("Network.webSocketFrameError", on_socket_error);

static void
on_socket_closed(struct runner *r, const struct cdp_event *event)
{
	fail_socket(r, event->params, STR("closed before its handshake"));
}

ON_EVENT("Network.webSocketClosed", on_socket_closed);

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
is_settled(const struct request *q, int64_t now)
{
	return q->begun ? q->ended && now - q->at >= SETTLE_US : now - q->at > EARLY_US;
}

/* Records settled requests, the oldest first, up to LIVE_BATCH, which one message to the viewer
   holds. False: no event was sent. */
static bool
record_settled(struct network *n, int64_t now)
{
	struct net_event events[LIVE_BATCH];
	struct request *q, *newer;
	size_t due = 0, shown = 0;

	TAILQ_FOREACH_REVERSE(q, &n->requests, requests, next)
	{
		if (!is_settled(q, now))
			continue;
		if (due++ == LIVE_BATCH)
			break;
		if (!q->begun)
			continue;
		complete_request(n, q);
		events[shown++] = q->ev.event;
	}
	send_live_events(n, events, shown);
	due = due > LIVE_BATCH ? LIVE_BATCH : due;
	for (q = TAILQ_LAST(&n->requests, requests); q != NULL && due > 0; q = newer) {
		newer = TAILQ_PREV(q, requests, next);
		if (!is_settled(q, now))
			continue;
		record_request(n, q);
		due--;
	}
	return shown > 0;
}

/* Records the oldest requests as they are, until only `left` remain. */
static void
record_until(struct network *n, size_t left)
{
	struct request *q, *newer;

	for (q = TAILQ_LAST(&n->requests, requests); q != NULL && n->open > left; q = newer) {
		newer = TAILQ_PREV(q, requests, next);
		record_request(n, q);
	}
}

void
network_tick(struct network *n)
{
	int64_t now = mono_us();

	while (record_settled(n, now))
		continue;
	record_until(n, OPEN_MAX); /* a page may leave any number of requests open */
}

void
network_finish(struct network *n)
{
	record_until(n, 0);
}

void
network_free(struct network *n)
{
	struct request *q, *older;

	for (q = TAILQ_FIRST(&n->requests); q != NULL; q = older) {
		older = TAILQ_NEXT(q, next);
		free_request(n, q);
	}
	free(n);
}
