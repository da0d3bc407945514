/* SPDX-License-Identifier: ISC */
/* The past of a session for a viewer that connects later, or again: the newest network events,
   screenshots and notices, each as the message that a connected viewer got or would have got.
   Memory is bounded by two budgets, because a page that sends thousands of requests must not push
   the few screenshots out.

     a new viewer gets hello, state, tabs, url, dialog, and then the past in its order:

     lists[PAST_NET]    net  net  net  net ...      at most 2 MiB, the oldest message goes first
     lists[PAST_REST]   shot  cert  shot  ...       at most 256 KiB

   A viewer that reconnects gets all of it once more and recognises screenshots and network events
   by their id, and a notice by all its members. */
#include "config.h"

#include "browser/runner/live_priv.h"

static const size_t budgets[PAST_LISTS] = {
	[PAST_NET] = 2 * 1024 * 1024,
	[PAST_REST] = 256 * 1024,
};

struct past_message {
	TAILQ_ENTRY(past_message) next;
	size_t n;
	char text[];
};

void
past_open(struct live_past *past)
{
	for (size_t i = 0; i < PAST_LISTS; i++)
		TAILQ_INIT(&past->lists[i].messages);
}

static void
forget_oldest(struct past_list *list)
{
	struct past_message *m = TAILQ_FIRST(&list->messages);

	TAILQ_REMOVE(&list->messages, m, next);
	list->bytes -= m->n;
	free(m);
}

void
past_close(struct live_past *past)
{
	for (size_t i = 0; i < PAST_LISTS; i++)
		while (!TAILQ_EMPTY(&past->lists[i].messages))
			forget_oldest(&past->lists[i]);
}

static void
keep_past_message(struct live_past *past, enum past_kind kind, struct str text)
{
	struct past_list *list = &past->lists[kind];
	struct past_message *m = mem_alloc(sizeof(*m) + text.n);

	m->n = text.n;
	memcpy(m->text, text.p, text.n);
	TAILQ_INSERT_TAIL(&list->messages, m, next);
	list->bytes += m->n;
	while (list->bytes > budgets[kind])
		forget_oldest(list);
}

/* The messages that are the past of a session; every other is its present, or answers one
   viewer. */
static const struct {
	enum stream_message_id id;
	enum past_kind kind;
} past_kinds[] = {
	{ STREAM_NET, PAST_NET },
	{ STREAM_SHOT_TAKEN, PAST_REST },
	{ STREAM_DOWNLOAD_BLOCKED, PAST_REST },
	{ STREAM_CERT, PAST_REST },
	{ STREAM_EGRESS_DENIED, PAST_REST },
	{ STREAM_CRASHED, PAST_REST },
};

void
past_keep(struct live_past *past, enum stream_message_id id, struct str text)
{
	for (size_t i = 0; i < COUNT(past_kinds); i++)
		if (past_kinds[i].id == id)
			keep_past_message(past, past_kinds[i].kind, text);
}

void
past_send(struct live *l)
{
	const struct past_message *m;

	for (size_t i = 0; i < PAST_LISTS; i++)
		TAILQ_FOREACH(m, &l->past.lists[i].messages, next)
	live_write(l, WS_TEXT, (struct str){ m->text, m->n });
}
