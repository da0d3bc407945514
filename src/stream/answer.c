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
	enum total total;
	const char *reason, *header;
} statuses[] = {
	{ 400, TOTAL_STREAMS_REFUSED_400, "Bad Request", "" },
	{ 401, TOTAL_STREAMS_REFUSED_401, "Unauthorized",
	    "WWW-Authenticate: ApiKey header=\"X-API-Key\"\r\n" },
	{ 403, TOTAL_STREAMS_REFUSED_403, "Forbidden", "" },
	{ 404, TOTAL_STREAMS_REFUSED_404, "Not Found", "" },
	{ 405, TOTAL_STREAMS_REFUSED_405, "Method Not Allowed", "Allow: GET\r\n" },
	{ 409, TOTAL_STREAMS_REFUSED_409, "Conflict", "" },
	{ 426, TOTAL_STREAMS_REFUSED_426, "Upgrade Required",
	    "Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\n" },
	{ 503, TOTAL_STREAMS_REFUSED_503, "Service Unavailable", "" },
};

int
answer_status(enum error e)
{
	return errors[e].status;
}

static size_t
row_of(int status)
{
	for (size_t i = 0; i < COUNT(statuses); i++)
		if (statuses[i].status == status)
			return i;
	panic("a stream is refused with status %d", status);
}

enum total
answer_total(enum error e)
{
	return statuses[row_of(errors[e].status)].total;
}

struct str
answer_error(struct arena *a, enum error e, struct str request_id)
{
	struct buf body = { .a = a }, out = { .a = a };
	size_t row = row_of(errors[e].status);

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
	    errors[e].status, statuses[row].reason, body.n, (int)request_id.n,
	    request_id.p, statuses[row].header);
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
