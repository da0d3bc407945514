/* SPDX-License-Identifier: ISC */
/* What is said in HTTP: 101, or the envelope that the workers use (SPEC 2.3). */
#include "config.h"

#include "stream/stream.h"

static const struct {
	int status;
	const char *code, *message;
} errors[ERRORS] = {
	{ 0 },
#define ERROR(id, status, code, message) { status, code, message },
#include "tbl/errors.h"
#undef ERROR
};

/* Of the statuses that a stream is refused with. */
static const struct {
	int status;
	const char *reason, *header;
} statuses[] = {
	{ 400, "Bad Request", "" },
	{ 401, "Unauthorized", "WWW-Authenticate: ApiKey header=\"X-API-Key\"\r\n" },
	{ 403, "Forbidden", "" },
	{ 404, "Not Found", "" },
	{ 405, "Method Not Allowed", "Allow: GET\r\n" },
	{ 409, "Conflict", "" },
	{ 426, "Upgrade Required",
	    "Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\n" },
	{ 503, "Service Unavailable", "" },
};

int
answer_status(enum error e)
{
	return errors[e].status;
}

static const char *
reason_of(int status, const char **header)
{
	for (size_t i = 0; i < COUNT(statuses); i++)
		if (statuses[i].status == status) {
			*header = statuses[i].header;
			return statuses[i].reason;
		}
	panic("a stream is refused with status %d", status);
}

struct str
answer_error(struct arena *a, enum error e, struct str request_id)
{
	struct buf body = { .a = a }, out = { .a = a };
	const char *header, *reason = reason_of(errors[e].status, &header);

	buf_z(&body, "{\"error\":{\"code\":");
	json_write_str(&body, str_of(errors[e].code));
	buf_z(&body, ",\"message\":");
	json_write_str(&body, str_of(errors[e].message));
	buf_z(&body, ",\"request_id\":");
	json_write_str(&body, request_id);
	buf_z(&body, ",\"field_errors\":[]}}");
	buf_printf(&out,
	    "HTTP/1.1 %d %s\r\nContent-Type: application/json\r\nContent-Length: %zu\r\n"
	    "Cache-Control: no-store\r\nX-Request-Id: %.*s\r\n%sConnection: "
	    "close\r\n\r\n",
	    errors[e].status, reason, body.n, (int)request_id.n, request_id.p, header);
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
