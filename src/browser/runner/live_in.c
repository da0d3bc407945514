/* SPDX-License-Identifier: ISC */
/* The viewer's messages: the field table of its type decodes each text into a struct, and the
 * handler of the type calls live_ops. The viewer is a client of the API and not trusted:
 *
 *   bytes --> frame --> rate and size (live.c) --> JSON --> "type" --> field table --> handler
 *
 * A message with a fault is answered with an error that names the member, and is otherwise
 * ignored; the connection stays. Only a broken frame ends it. */
#include "config.h"

#include "address/start_url.h"
#include "browser/runner/live_priv.h"
#include "json/tree.h"

#include <inttypes.h>

/* Answers a message that was not carried out; the error names the member. */
static void
send_field_error(struct live *l, const struct field_error *e, struct str to)
{
	struct str message = e->message;

	if (e->field.n > 0)
		message = arena_printf(l->arena, "%.*s %.*s", (int)e->field.n, e->field.p,
		    (int)e->message.n, e->message.p);
	live_error(l, &(struct stream_error){
			  .code = e->code,
			  .message = message,
			  .to = to,
			  .field = e->field.n > 0 ? e->field : STR_NULL,
		      });
}

static void
send_member_error(struct live *l, const char *code, const char *field, struct str message,
    enum stream_message_id to)
{
	const struct field_error e = { str_of(code), str_of(field), message };

	send_field_error(l, &e, str_of(stream_messages[to].name));
}

/* ---- one handler for each message ---- */

static bool
check_position(struct live *l, const char *name, double at, int64_t size)
{
	if (size == 0 || at <= (double)size)
		return true;
	send_member_error(l, "out_of_range", name,
	    arena_printf(l->arena, "must be from 0 to %" PRId64, size), STREAM_MOUSE);
	return false;
}

static void
handle_mouse(struct live *l, const void *in)
{
	struct stream_mouse m = *(const struct stream_mouse *)in;

	if (m.button.p == NULL)
		m.button = STR("none");
	if (check_position(l, "x", m.x, l->hello.viewport.width) &&
	    check_position(l, "y", m.y, l->hello.viewport.height))
		l->ops->mouse(l->arg, &m);
}

static void
handle_key(struct live *l, const void *in)
{
	l->ops->key(l->arg, in);
}

static void
handle_text(struct live *l, const void *in)
{
	l->ops->text(l->arg, ((const struct stream_text *)in)->text);
}

static void
handle_nav(struct live *l, const void *in)
{
	const struct stream_nav *nav = in;
	struct str url;
	enum start_url_fault fault = start_url_check(l->arena, nav->url, &url);

	if (fault == START_URL_OK)
		l->ops->nav(l->arg, url);
	else
		live_send_error(l, start_url_fault_code(fault),
		    start_url_fault_message(l->arena, fault, STR("url"), nav->url), STR("nav"),
		    STR("url"));
}

static void
handle_back(struct live *l, const void *in)
{
	(void)in;
	l->ops->history(l->arg, -1);
}

static void
handle_forward(struct live *l, const void *in)
{
	(void)in;
	l->ops->history(l->arg, 1);
}

static void
handle_reload(struct live *l, const void *in)
{
	(void)in;
	l->ops->reload(l->arg);
}

static void
handle_stop(struct live *l, const void *in)
{
	(void)in;
	l->ops->stop(l->arg);
}

static void
handle_tab(struct live *l, const void *in)
{
	l->ops->tab(l->arg, ((const struct stream_tab *)in)->tab);
}

static void
handle_close_tab(struct live *l, const void *in)
{
	l->ops->close_tab(l->arg, ((const struct stream_tab *)in)->tab);
}

static void
handle_dialog(struct live *l, const void *in)
{
	l->ops->dialog(l->arg, in);
}

static void
handle_ack(struct live *l, const void *in)
{
	picture_ack(l, (uint32_t)((const struct stream_ack *)in)->frame);
}

static void
handle_quality(struct live *l, const void *in)
{
	picture_pace(l, in);
}

/* The reply shows the viewer that the whole way to the runner works. It does not reset the idle
   time. */
static void
handle_ping(struct live *l, const void *in)
{
	(void)in;
	live_pong(l, &(struct stream_pong){ .type = STR_NULL });
}

static void
handle_shot(struct live *l, const void *in)
{
	(void)in;
	l->ops->shot(l->arg);
}

static void (*const handlers[STREAM_MESSAGES])(struct live *l, const void *in) = {
#define CLIENT(id, name, what, help) [STREAM_##id] = handle_##name,
#include "tbl/stream_messages.h"
};

/* ---- decoding ---- */

static void
decode_viewer_message(struct live *l, struct str text, const struct stream_message *m)
{
	void *in = arena_alloc(l->arena, m->size);
	struct decoded how;

	switch (json_decode(l->arena, text, m->fields, ts_now(), in, &how)) {
	case JSON_OK:
		handlers[m - stream_messages](l, in);
		return;
	case JSON_FIELDS:
		send_field_error(l, &how.errors[0], str_of(m->name));
		return;
	case JSON_INVALID: /* live_handle has parsed the same text */
	case JSON_REFUSED:
		live_send_error(l, "internal_error", STR("The message could not be read."),
		    str_of(m->name), STR_NULL);
		return;
	}
}

static void
send_json_error(struct live *l, struct str text)
{
	struct json_fault fault;

	if (json_scan(l->arena, text, LIM_JSON_DEPTH, &fault))
		/* UNCOVERED: both are one scan */
		panic("json_parse rejected a text that json_scan accepts");
	live_send_error(l, "invalid_json",
	    arena_printf(l->arena, "is not JSON at byte %zu: %s", fault.at, fault.what), STR_NULL,
	    STR_NULL);
}

void
live_handle(struct live *l, struct str text)
{
	const struct json_value *v = json_parse(l->arena, text), *type;
	const struct stream_message *m;

	if (v == NULL) {
		send_json_error(l, text);
		return;
	}
	type = json_type(v) == JSON_OBJECT ? json_get(v, "type") : NULL;
	if (type == NULL || json_type(type) != JSON_STRING) {
		live_send_error(l, "required",
		    STR("type is required: a message is a JSON object with it"), STR_NULL,
		    STR("type"));
		return;
	}
	m = stream_message_find(json_text(type));
	if (m == NULL)
		live_send_error(l, "unknown_message", STR("type is no message of a viewer"),
		    STR_NULL, STR("type"));
	else
		decode_viewer_message(l, text, m);
}
