/* SPDX-License-Identifier: ISC */
/* What is said in HTTP: 101, or the envelope that the workers use (SPEC 2.3). */
#include "config.h"

#include "stream/stream.h"

/* What a status wants beside the headers of every refusal. */
static const char *
headers_of(int status)
{
	switch (status) {
	case 401:
		return ERROR_CHALLENGE;
	case 405:
		return "Allow: GET\r\n";
	case 426:
		return "Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\n";
	}
	return "";
}

struct str
answer_error(struct arena *a, enum error e, struct str request_id)
{
	struct buf body = { .a = a }, out = { .a = a };
	int status = error_status(e);

	error_write(&body, e, &(struct error_said){ .request_id = request_id });
	buf_printf(&out,
	    "HTTP/1.1 %d %s\r\nContent-Type: application/json\r\nContent-Length: %zu\r\n"
	    "Cache-Control: no-store\r\nX-Request-Id: %.*s\r\n%sConnection: "
	    "close\r\n\r\n",
	    status, status_reason(status), body.n, (int)request_id.n, request_id.p,
	    headers_of(status));
	buf_str(&out, buf_done(&body));
	return buf_done(&out);
}

struct str
answer_upgrade(
    struct arena *a, const char *accept, const char *subprotocol, struct str request_id)
{
	return arena_printf(a,
	    "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: "
	    "Upgrade\r\n"
	    "Sec-WebSocket-Accept: %s\r\nSec-WebSocket-Protocol: %s\r\nX-Request-Id: "
	    "%.*s\r\n"
	    "Cache-Control: no-store\r\n\r\n",
	    accept, subprotocol, (int)request_id.n, request_id.p);
}
