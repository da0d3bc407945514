/* SPDX-License-Identifier: ISC */
/* The viewer's messages: text becomes a struct by the field table of its type, or an error that names the
   member; then a call of the browser's side. */
#include "config.h"

#include "address/start_url.h"
#include "browser/runner/live_priv.h"

#include <inttypes.h>

/* What is said of a message that was not obeyed. */
static void
scold_field(struct live *l, const struct field_error *e, struct str to)
{
	struct str message = e->message;

	if (e->field.n > 0)
		message = arena_printf(l->arena, "%.*s %.*s", (int)e->field.n, e->field.p,
		    (int)e->message.n, e->message.p);
	live_scold(l, e->code, message, to, e->field.n > 0 ? e->field : STR_NULL);
}

static void
scold_member(struct live *l, const char *code, const char *field, struct str message,
    enum stream_message_id to)
{
	const struct field_error e = { code, str_of(field), message };

	scold_field(l, &e, str_of(stream_messages[to].name));
}

/* ---- what each of them does ---- */

static bool
within(struct live *l, const char *name, double at, int64_t size)
{
	if (size == 0 || at <= (double)size)
		return true;
	scold_member(l, "out_of_range", name,
	    arena_printf(l->arena, "must be from 0 to %" PRId64, size), STREAM_MOUSE);
	return false;
}

static void
take_mouse(struct live *l, const void *in)
{
	struct stream_mouse m = *(const struct stream_mouse *)in;

	if (m.button.p == NULL)
		m.button = STR("none");
	if (within(l, "x", m.x, l->hello.viewport.width) &&
	    within(l, "y", m.y, l->hello.viewport.height))
		l->ops->mouse(l->arg, &m);
}

static void
take_key(struct live *l, const void *in)
{
	l->ops->key(l->arg, in);
}

static void
take_text(struct live *l, const void *in)
{
	l->ops->text(l->arg, ((const struct stream_text *)in)->text);
}

static void
take_nav(struct live *l, const void *in)
{
	const struct stream_nav *nav = in;
	struct str url;
	enum start_url_fault fault = start_url_check(l->arena, nav->url, &url);

	if (fault == START_URL_OK)
		l->ops->nav(l->arg, url);
	else
		live_scold(l, start_url_fault_code(fault),
		    start_url_fault_message(l->arena, fault, STR("url"), nav->url),
		    STR("nav"), STR("url"));
}

static void
take_back(struct live *l, const void *in)
{
	(void)in;
	l->ops->history(l->arg, -1);
}

static void
take_forward(struct live *l, const void *in)
{
	(void)in;
	l->ops->history(l->arg, 1);
}

static void
take_reload(struct live *l, const void *in)
{
	(void)in;
	l->ops->reload(l->arg);
}

static void
take_stop(struct live *l, const void *in)
{
	(void)in;
	l->ops->stop(l->arg);
}

static void
take_tab(struct live *l, const void *in)
{
	l->ops->tab(l->arg, ((const struct stream_tab *)in)->tab);
}

static void
take_close_tab(struct live *l, const void *in)
{
	l->ops->close_tab(l->arg, ((const struct stream_tab *)in)->tab);
}

static void
take_dialog(struct live *l, const void *in)
{
	l->ops->dialog(l->arg, in);
}

static void
take_ack(struct live *l, const void *in)
{
	picture_ack(l, (uint32_t)((const struct stream_ack *)in)->frame);
}

static void
take_quality(struct live *l, const void *in)
{
	picture_pace(l, in);
}

/* Proves to the viewer that the whole way to here works. It is no activity. */
static void
take_ping(struct live *l, const void *in)
{
	(void)in;
	live_pong(l, &(struct stream_pong){ .type = STR_NULL });
}

static void
take_shot(struct live *l, const void *in)
{
	(void)in;
	l->ops->shot(l->arg);
}

static void (*const takers[STREAM_MESSAGES])(struct live *l, const void *in) = {
#define CLIENT(id, name, what, help) [STREAM_##id] = take_##name,
#include "tbl/stream_messages.h"
};

/* ---- decoding ---- */

static void
decode(struct live *l, struct str text, const struct stream_message *m)
{
	void *in = arena_alloc(l->arena, m->size);
	struct decoded how;

	if (json_decode(l->arena, text, m->fields, ts_now(), in, &how) == JSON_OK)
		takers[m - stream_messages](l, in);
	else
		scold_field(l, &how.errors[0], str_of(m->name));
}

static void
not_json(struct live *l, struct str text)
{
	struct json_fault fault;

	if (json_scan(l->arena, text, LIM_JSON_DEPTH, &fault))
		panic("a text that cannot be parsed"); /* UNCOVERED: both are one scan */
	live_scold(l, "invalid_json",
	    arena_printf(l->arena, "is not JSON at byte %zu: %s", fault.at, fault.what),
	    STR_NULL, STR_NULL);
}

void
live_take(struct live *l, struct str text)
{
	const struct json_value *v = json_parse(l->arena, text), *type;
	const struct stream_message *m;

	if (v == NULL) {
		not_json(l, text);
		return;
	}
	type = json_type(v) == JSON_OBJECT ? json_get(v, "type") : NULL;
	if (type == NULL || json_type(type) != JSON_STRING) {
		live_scold(l, "required",
		    STR("type is required: a message is a JSON object with it"), STR_NULL,
		    STR("type"));
		return;
	}
	m = stream_message_find(json_text(type));
	if (m == NULL)
		live_scold(l, "unknown_message", STR("type is no message of a viewer"),
		    STR_NULL, STR("type"));
	else
		decode(l, text, m);
}
