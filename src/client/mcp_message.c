/* SPDX-License-Identifier: ISC */
/* Messages of JSON-RPC 2.0: {"jsonrpc":"2.0","id":7,"method":"tools/call","params":{...}}. */
#include "config.h"

#include "client/mcp_message.h"
#include "client/value.h"
#include "json/json.h"

static void
set_bad(struct rpc *out, enum rpc_code code, struct str why)
{
	out->kind = RPC_BAD;
	out->code = code;
	out->why = why;
}

/* The identifier as JSON. It is a text or an integer: a fraction could not be compared with the
   answer's. */
static bool
read_rpc_id(struct arena *a, const struct json_value *v, struct str *out)
{
	struct buf b = { .a = a };
	int64_t n;

	if (json_type(v) != JSON_STRING && (json_type(v) != JSON_NUMBER || !json_int(v, &n)))
		return false;
	json_show(&b, v);
	*out = buf_done(&b);
	return true;
}

static void
read_request(const struct json_value *v, struct rpc *out)
{
	const struct json_value *method = json_get(v, "method");

	out->params = json_get(v, "params");
	if (!str_is(value_text(v, "jsonrpc"), "2.0"))
		set_bad(out, RPC_INVALID_REQUEST, STR("\"jsonrpc\" is not \"2.0\""));
	else if (method == NULL && out->kind == RPC_REQUEST &&
		 (json_get(v, "result") != NULL || json_get(v, "error") != NULL))
		out->kind = RPC_ANSWER;
	else if (method == NULL || json_type(method) != JSON_STRING)
		set_bad(out, RPC_INVALID_REQUEST, STR("\"method\" is missing or no text"));
	else if (out->params != NULL && json_type(out->params) != JSON_OBJECT)
		set_bad(out, RPC_INVALID_PARAMS, STR("\"params\" is no object"));
	else
		out->method = json_text(method);
}

void
rpc_read(struct arena *a, struct str line, struct rpc *out)
{
	struct json_fault fault = { .what = NULL };
	const struct json_value *v = json_parse_with_fault(a, line, &fault), *id;

	*out = (struct rpc){ .kind = RPC_NOTIFICATION, .id = STR("null"), .method = STR("") };
	if (v == NULL) {
		set_bad(out, RPC_PARSE_ERROR,
		    arena_printf(a, "the line is no JSON: %s at byte %zu", fault.what, fault.at));
		return;
	}
	if (json_type(v) != JSON_OBJECT) {
		set_bad(out, RPC_INVALID_REQUEST,
		    json_type(v) == JSON_ARRAY
			? STR("batches are not supported: send one message on each line")
			: STR("the message is no object"));
		return;
	}
	id = json_get(v, "id");
	if (id != NULL) {
		out->kind = RPC_REQUEST;
		if (!read_rpc_id(a, id, &out->id)) {
			set_bad(out, RPC_INVALID_REQUEST, STR("\"id\" is no text and no integer"));
			return;
		}
	}
	read_request(v, out);
}

static void
begin_message(struct buf *b, struct str id)
{
	buf_z(b, "{\"jsonrpc\":\"2.0\",\"id\":");
	buf_str(b, id);
}

void
rpc_error(struct buf *b, struct str id, enum rpc_code code, struct str why, struct str data)
{
	begin_message(b, id);
	buf_printf(b, ",\"error\":{\"code\":%d,\"message\":", (int)code);
	json_write_str(b, why);
	if (data.p != NULL) {
		buf_z(b, ",\"data\":");
		buf_str(b, data);
	}
	buf_z(b, "}}\n");
}

void
rpc_result(struct buf *b, struct str id, struct str result)
{
	begin_message(b, id);
	buf_z(b, ",\"result\":");
	buf_str(b, result);
	buf_z(b, "}\n");
}
