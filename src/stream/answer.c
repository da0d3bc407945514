/* SPDX-License-Identifier: ISC */
/* The HTTP answers of surfaced-stream: 101, or an error in the envelope that the API uses
 * (C-061).
 *
 * A script in a page cannot see the status of an upgrade that was refused, only that it failed.
 * A client can therefore ask for its refusal as a close frame (?refusal=close): the upgrade
 * succeeds, and the code of tbl/stream_refusals.h follows at once. Only a refusal after the
 * check of the origin is given in this way (keep_handshake in conn.c). */
#include "config.h"

#include "stream/answer.h"
#include "stream/stream.h"

#define MACHINE_CHARACTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-"

/* The statuses of a refused stream, and the headers that a status needs in addition to the common
   ones. */
static const struct refusal {
	int status;
	enum total total;
	const char *headers;
} refusals[] = {
	{ 400, TOTAL_STREAMS_REFUSED_400, "" },
	{ 401, TOTAL_STREAMS_REFUSED_401, ERROR_CHALLENGE },
	{ 403, TOTAL_STREAMS_REFUSED_403, "" },
	{ 404, TOTAL_STREAMS_REFUSED_404, "" },
	{ 405, TOTAL_STREAMS_REFUSED_405, "Allow: GET\r\n" },
	{ 409, TOTAL_STREAMS_REFUSED_409, "" },
	{ 426, TOTAL_STREAMS_REFUSED_426, "Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\n" },
	{ 503, TOTAL_STREAMS_REFUSED_503, "" },
};

static const struct refusal *
find_refusal(enum error e)
{
	int status = error_status(e);

	for (size_t i = 0; i < COUNT(refusals); i++)
		if (refusals[i].status == status)
			return &refusals[i];
	panic("no row for a stream refused with status %d", status);
}

enum total
answer_total(enum error e)
{
	return find_refusal(e)->total;
}

struct str
answer_error(struct arena *a, enum error e, struct str request_id)
{
	struct buf body = { .a = a }, out = { .a = a };
	const struct refusal *why = find_refusal(e);

	error_write(&body, e, &(struct error_details){ .request_id = request_id });
	buf_printf(&out,
	    "HTTP/1.1 %d %s\r\nContent-Type: application/json\r\nContent-Length: %zu\r\n"
	    "Cache-Control: no-store\r\n" ANSWER_POLICY
	    "X-Request-Id: %.*s\r\n%sConnection: close\r\n\r\n",
	    why->status, status_reason(why->status), body.n, (int)request_id.n, request_id.p,
	    why->headers);
	buf_str(&out, buf_done(&body));
	return buf_done(&out);
}

static unsigned
find_close_code(enum error e)
{
	static const struct {
		enum error error;
		unsigned code;
	} rows[] = {
#define STREAM_REFUSAL(error, code, help) { ERR_##error, code },
#include "tbl/stream_refusals.h"
#undef STREAM_REFUSAL
	};

	for (size_t i = 0; i < COUNT(rows); i++)
		if (rows[i].error == e)
			return rows[i].code;
	panic("no close code for a stream refused with %s", error_code(e));
}

struct str
answer_refusal(struct arena *a, const struct conn *c, enum error e)
{
	struct str upgrade = answer_upgrade(a, c->accept, c->subprotocol, str_of(c->id));
	unsigned char frame[WS_CONTROL_FRAME];
	size_t n = ws_close(frame, find_close_code(e), str_of(error_code(e)), NULL);
	struct buf out = { .a = a };

	buf_str(&out, upgrade);
	buf_add(&out, frame, n);
	return buf_done(&out);
}

struct str
answer_relay(struct arena *a, struct str host)
{
	/* The machine's name is the part of host_name() before the colon (daemon/host.h). */
	const char *colon = memchr(host.p, ':', host.n);
	size_t n = colon == NULL ? host.n : (size_t)(colon - host.p);

	for (size_t i = 0; i < n; i++)
		if (strchr(MACHINE_CHARACTERS, host.p[i]) == NULL)
			return STR_NULL;
	if (n == 0)
		return STR_NULL;
	return arena_printf(a,
	    "HTTP/1.1 200 OK\r\nX-Accel-Redirect: /_surfaced_host/%.*s\r\n"
	    "Content-Length: 0\r\nConnection: close\r\n\r\n",
	    (int)n, host.p);
}

struct str
answer_upgrade(struct arena *a, const char *accept, const char *subprotocol, struct str request_id)
{
	return arena_printf(a,
	    "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: "
	    "Upgrade\r\n"
	    "Sec-WebSocket-Accept: %s\r\nSec-WebSocket-Protocol: %s\r\nX-Request-Id: "
	    "%.*s\r\n"
	    "Cache-Control: no-store\r\n\r\n",
	    accept, subprotocol, (int)request_id.n, request_id.p);
}
