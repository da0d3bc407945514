/* SPDX-License-Identifier: ISC */
/* Writes asyncapi.json, the description of the live stream. Its constant part is
   src/api/describe/asyncapi.json. The messages come from the list and the field tables that decode and write
   them (wire/stream_messages.c), so a new message needs no change here. A message appears in four
   places: the channel and the components have it by its key, and one of the two operations refers
   to the channel's entry. */
#include "config.h"

#include "api/describe/openapi_priv.h"
#include "wire/stream_messages.h"
#include "json/describe.h"

static const char constant[] = {
#include "api/describe/asyncapi.inc"
};

/* The parts of the document that come from tables, in the order of its places for them. */
struct parts {
	struct buf refusals, channel, control, show, messages;
};

static void
add_refusals(struct buf *b)
{
#define STREAM_REFUSAL(error, code, help) buf_z(b, " " #code ", " help ";");
#include "tbl/stream_refusals.h"
#undef STREAM_REFUSAL
}

/* Clients and the server have messages of the same name, so the keys of messages begin with their
   sender. */
static void
add_message(struct parts *p, struct arena *a, const struct stream_message *m)
{
	const char *sender = m->from_client ? "client" : "server";
	const char *key = arena_printf(a, "%s_%s", sender, m->name).p;
	struct buf *direction = m->from_client ? &p->control : &p->show;

	openapi_ref(direction, "channels/stream/messages", key);
	json_member(&p->channel, key);
	openapi_ref(&p->channel, "components/messages", key);
	json_member(&p->messages, key);
	buf_char(&p->messages, '{');
	json_member_str(&p->messages, "name", m->name);
	json_member_str(&p->messages, "summary", m->help);
	json_member(&p->messages, "payload");
	json_describe(&p->messages, m->fields, m->from_client, NULL);
	buf_char(&p->messages, '}');
}

void
asyncapi_write(struct buf *b)
{
	struct arena *a = arena_new(1024 * 1024);
	struct parts p = { { .a = a }, { .a = a }, { .a = a }, { .a = a }, { .a = a } };
	struct str rest = { constant, sizeof(constant) };

	add_refusals(&p.refusals);
	for (size_t i = 0; i < STREAM_MESSAGES; i++)
		add_message(&p, a, &stream_messages[i]);
	openapi_insert(b, &rest, "Close codes:", &p.refusals);
	openapi_insert(b, &rest, OBJECT_AT("messages"), &p.channel);
	openapi_insert(b, &rest, LIST_AT("messages"), &p.control);
	openapi_insert(b, &rest, LIST_AT("messages"), &p.show);
	openapi_insert(b, &rest, OBJECT_AT("messages"), &p.messages);
	buf_str(b, rest);
	arena_free(a);
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
	    COLUMNS_OF_DOCUMENT,
	    .standard = "asyncapi",
	    .result = "An AsyncAPI 3.0 document.",
	    .summary = "Describe the live stream",
	    .description = "The messages of the live stream. No API key is needed.",
	},
	ROUTE_END,
};

ROUTES(60, asyncapi);
