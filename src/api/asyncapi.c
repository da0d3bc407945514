/* SPDX-License-Identifier: ISC */
/* Writes asyncapi.json, the description of the live stream. The messages come from the list and the field tables
   that decode and write them (wire/stream_messages.c), so a new message needs no change here. */
#include "config.h"

#include "api/api.h"
#include "wire/stream_messages.h"
#include "json/describe.h"

static const char head[] =
    "{\"asyncapi\":\"3.0.0\",\"info\":{\"title\":\"Surfaced live stream\",\"version\":"
    "\"1.0.0\",\"description\":\"The controlling WebSocket of a browser session. Ask "
    "openapi.json's stream-ticket operation for a ticket, and connect with its "
    "subprotocol. Messages are JSON objects in text frames, with their type; pictures "
    "are binary frames. Receivers ignore members and types they do not know.\","
    "\"license\":{\"name\":\"ISC\"}},"
    "\"defaultContentType\":\"application/json\","
    "\"servers\":{\"service\":{\"host\":\"{host}\",\"protocol\":\"wss\",\"pathname\":"
    "\"/api/v1\",\"variables\":{\"host\":{\"default\":\"localhost\",\"description\":"
    "\"The name that the API is served under.\"}}}},"
    "\"channels\":{\"stream\":{\"address\":\"/projects/{project_uuid}/sessions/"
    "{session_uuid}/stream\",\"parameters\":{\"project_uuid\":{\"description\":\"A "
    "project of the key.\"},\"session_uuid\":{\"description\":\"A running session that "
    "the key created.\"}},\"bindings\":{\"ws\":{\"method\":\"GET\",\"headers\":{\"type\":"
    "\"object\",\"required\":[\"Sec-WebSocket-Protocol\"],\"properties\":{"
    "\"Sec-WebSocket-Protocol\":{\"type\":\"string\",\"description\":\"The subprotocol "
    "of the ticket, which is good for one connection.\"}}},\"query\":{\"type\":"
    "\"object\",\"properties\":{\"refusal\":{\"type\":\"string\",\"enum\":[\"close\"],"
    "\"description\":\"Asks for a refusal that a browser can read: the handshake "
    "succeeds "
    "and a close frame follows, whose reason is the error code. Close codes:"
#define STREAM_REFUSAL(error, code, help) " " #code ", " help ";"
#include "tbl/stream_refusals.h"
#undef STREAM_REFUSAL
    " a request of a foreign origin or without a valid handshake is still answered with "
    "HTTP.\"}}}}},\"messages\":{";

static const char frame_key[] = "frame";

static const char frame[] =
    "{\"name\":\"frame\",\"summary\":\"A picture of the active tab, in a binary "
    "frame.\",\"contentType\":\"application/octet-stream\",\"payload\":{\"type\":"
    "\"string\",\"format\":\"binary\",\"description\":\"32 bytes, big-endian, and a "
    "JPEG: u8 version 1, u8 type 1, u16 tab, u32 number of the frame, u64 microseconds "
    "since 1970, u16 width, u16 height, u16 scroll x, u16 scroll y, u32 bytes of the "
    "JPEG, u32 flags 0.\"}}";

static const char *
sender_of(const struct stream_message *m)
{
	return m->from_client ? "client" : "server";
}

static void
write_refs(struct buf *b, bool from_client)
{
	const char *comma = "";

	for (const struct stream_message *m = stream_messages;
	     m < stream_messages + STREAM_MESSAGES; m++) {
		if (m->from_client != from_client)
			continue;
		buf_printf(b, "%s{\"$ref\":\"#/channels/stream/messages/%s_%s\"}", comma,
		    sender_of(m), m->name);
		comma = ",";
	}
	if (!from_client)
		buf_printf(b, ",{\"$ref\":\"#/channels/stream/messages/%s\"}", frame_key);
}

static void
write_channel(struct buf *b)
{
	for (const struct stream_message *m = stream_messages;
	     m < stream_messages + STREAM_MESSAGES; m++)
		buf_printf(b, "\"%s_%s\":{\"$ref\":\"#/components/messages/%s_%s\"},", sender_of(m),
		    m->name, sender_of(m), m->name);
	buf_printf(b, "\"%s\":{\"$ref\":\"#/components/messages/%s\"}}}}", frame_key, frame_key);
}

static void
write_direction(struct buf *b, bool from_client)
{
	buf_printf(b,
	    "\"%s\":{\"action\":\"%s\",\"channel\":{\"$ref\":\"#/channels/stream\"},"
	    "\"summary\":\"%s\",\"messages\":[",
	    from_client ? "control" : "show", from_client ? "receive" : "send",
	    from_client ? "Messages from the viewer." : "Messages from the browser.");
	write_refs(b, from_client);
	buf_z(b, "]}");
}

static void
write_message(struct buf *b, const struct stream_message *m)
{
	buf_printf(b, "\"%s_%s\":{\"name\":\"%s\",\"summary\":", sender_of(m), m->name, m->name);
	json_write_str(b, str_of(m->help));
	buf_z(b, ",\"payload\":");
	json_describe(b, m->fields, m->from_client, NULL);
	buf_z(b, "},");
}

void
asyncapi_write(struct buf *b)
{
	buf_z(b, head);
	write_channel(b);
	buf_z(b, ",\"operations\":{");
	write_direction(b, true);
	buf_char(b, ',');
	write_direction(b, false);
	buf_z(b, "},\"components\":{\"messages\":{");
	for (const struct stream_message *m = stream_messages;
	     m < stream_messages + STREAM_MESSAGES; m++)
		write_message(b, m);
	buf_printf(b, "\"%s\":%s}}}\n", frame_key, frame);
}

static int
get_asyncapi(struct req *rq)
{
	static struct public_document document = { .write = asyncapi_write };

	return reply_public(rq, &document);
}

static const struct route asyncapi_routes[] = {
	{
	    ROUTE(GET, "/asyncapi.json", get_asyncapi),
	    .scope = SCOPE_ANY,
	    .access = ACCESS_PUBLIC,
	    .meter = METER_NONE,
	    .area = AREA_SERVICE,
	    .entitlement = ENTITLEMENT_ANY,
	    .standard = "asyncapi",
	    .max_age = LIM_DOCUMENT_AGE,
	    .tag = "Description",
	    .result = "An AsyncAPI 3.0 document.",
	    .summary = "Describe the live stream",
	    .description = "The messages of the live stream. No API key is needed.",
	},
	ROUTE_END,
};

ROUTES(60, asyncapi);
