/* SPDX-License-Identifier: ISC */
/* Encodes messages for the viewer, and keeps the newest message of each kind that a new viewer
   needs first. */
#include "config.h"

#include "browser/runner/live_priv.h"

/* Cuts texts to the bounds of their fields, since a page chooses their length. Lists are copied
   first, so that the caller's stay as they are. */
static void
cut_texts(struct arena *a, const struct field *fields, void *out)
{
	for (const struct field *f = fields; f->type != FIELD_NONE; f++) {
		void *at = (char *)out + f->offset;
		struct list *list = at;

		if (f->type == FIELD_STR && f->hi > 0)
			*(struct str *)at = str_cut(*(struct str *)at, (size_t)f->hi);
		if (f->type != FIELD_LIST || f->sub == NULL || list->n == 0)
			continue;
		list->items =
		    memcpy(arena_array(a, list->n, f->size), list->items, list->n * f->size);
		for (size_t i = 0; i < list->n; i++)
			cut_texts(a, f->sub, (char *)list->items + i * f->size);
	}
}

static struct str
encode_message(struct live *l, enum stream_message_id id, const void *message)
{
	const struct stream_message *m = &stream_messages[id];
	struct buf b = { .a = l->arena };
	char *copy = memcpy(arena_alloc(l->arena, m->size), message, m->size);

	*(struct str *)(void *)copy =
	    str_of(m->name); /* the first member of every message is its type */
	cut_texts(l->arena, m->fields, copy);
	json_write(&b, m->fields, copy);
	return buf_done(&b);
}

/* The newest message of each of these kinds is sent to every new viewer, in this order. */
static const enum stream_message_id state_messages[] = { STREAM_STATE, STREAM_TABS, STREAM_URL,
	STREAM_DIALOG_OPEN };

static void
keep_state_message(struct live *l, enum stream_message_id id, struct str text)
{
	for (size_t i = 0; i < COUNT(state_messages); i++)
		if (state_messages[i] == id) {
			buf_clear(&l->state_messages[id]);
			buf_str(&l->state_messages[id], text);
		}
}

static void
copy_text(char *out, size_t room, struct str *s)
{
	if (s->n >= room)
		s->n = room - 1;
	if (s->n > 0)
		memcpy(out, s->p, s->n);
	s->p = out;
}

static void
remember_hello(struct live *l, const struct stream_hello *h)
{
	l->hello = *h;
	copy_text(l->profile, sizeof(l->profile), &l->hello.profile);
	copy_text(l->country, sizeof(l->country), &l->hello.country);
	l->hello.version = STREAM_VERSION;
	l->hello.limits = (struct stream_limits){ LIM_STREAM_MESSAGE, LIM_STREAM_RATE,
		LIM_STREAM_TEXT, LIM_STREAM_FRAME, LIM_STREAM_FPS, LIM_STREAM_QUALITY };
	l->knows_hello = true;
}

static void
send_hello(struct live *l)
{
	l->hello.now = ts_now();
	if (l->knows_hello)
		live_write(l, WS_TEXT, encode_message(l, STREAM_HELLO, &l->hello));
}

void
live_send(struct live *l, enum stream_message_id id, const void *message)
{
	struct str text;

	if (id == STREAM_HELLO) {
		remember_hello(l, message);
		send_hello(l);
	} else {
		text = encode_message(l, id, message);
		keep_state_message(l, id, text);
		past_keep(&l->past, id, text);
		live_write(l, WS_TEXT, text);
	}
	if (!l->handling)
		arena_reset(l->arena);
}

void
live_send_error(
    struct live *l, const char *code, struct str message, struct str to, struct str field)
{
	live_error(l, &(struct stream_error){
			  .code = str_of(code), .message = message, .to = to, .field = field });
}

void
live_send_state(struct live *l)
{
	send_hello(l);
	for (size_t i = 0; i < COUNT(state_messages); i++)
		if (l->state_messages[state_messages[i]].n > 0)
			live_write(l, WS_TEXT, buf_done(&l->state_messages[state_messages[i]]));
	past_send(l);
	arena_reset(l->arena);
}
