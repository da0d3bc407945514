/* SPDX-License-Identifier: ISC */
/* The queue of evidence that outbox.h describes: adding, sending, and dropping what the
 * dispatcher has stored.
 *
 *   | sent, not confirmed ...... | not sent on this connection ...... |
 *   first                        ^ next: NULL when all were sent      last
 *
 * At most LOG_WINDOW pieces are unanswered, which the dispatcher enforces. Events are packed
 * into the last piece while it is unsent, so a busy page makes few messages. An event that would
 * exceed the limit of bytes is dropped, and one mark "truncated" is queued: evidence may be
 * missing, but never without a sign of it. */
#include "config.h"

#include "browser/runner/outbox.h"

#include <sys/queue.h>
#include <unistd.h>

enum piece_kind { PIECE_NET, PIECE_SHOT, PIECE_TRUNCATED };

struct piece {
	TAILQ_ENTRY(piece) next;
	enum piece_kind kind;
	int64_t seq;
	size_t bytes;
	bool sent;
	struct buf text; /* PIECE_NET: the JSON of all events; PIECE_SHOT: URL, then title */
	size_t ends[NET_BATCH_MAX], n;
	struct runner_shot shot;
	int fd;
};

struct outbox {
	TAILQ_HEAD(pieces, piece) pieces;
	struct piece *next; /* the first that was not sent on this connection; NULL: all were */
	size_t unanswered, bytes, max;
	int64_t seq; /* number of the newest piece */
	bool truncated;
};

struct outbox *
outbox_new(size_t max)
{
	struct outbox *o = mem_zero(sizeof(*o));

	o->max = max;
	TAILQ_INIT(&o->pieces);
	return o;
}

static void
free_first_piece(struct outbox *o)
{
	struct piece *p = TAILQ_FIRST(&o->pieces);

	TAILQ_REMOVE(&o->pieces, p, next);
	o->bytes -= p->bytes;
	buf_free(&p->text);
	if (p->fd >= 0)
		close(p->fd);
	free(p);
}

void
outbox_free(struct outbox *o)
{
	while (!TAILQ_EMPTY(&o->pieces))
		free_first_piece(o);
	free(o);
}

/* ---- adding ---- */

static struct piece *
add_piece(struct outbox *o, enum piece_kind kind)
{
	struct piece *p = mem_zero(sizeof(*p));

	p->kind = kind;
	p->seq = ++o->seq;
	p->fd = -1;
	TAILQ_INSERT_TAIL(&o->pieces, p, next);
	if (o->next == NULL)
		o->next = p;
	return p;
}

static bool
reserve_bytes(struct outbox *o, size_t n)
{
	if (n > o->max - o->bytes)
		return false;
	o->bytes += n;
	return true;
}

static bool
fits_batch(const struct piece *p, size_t n)
{
	return p != NULL && p->kind == PIECE_NET && !p->sent && p->n < NET_BATCH_MAX &&
	       p->text.n + n <= NET_BATCH_BYTES;
}

void
outbox_event(struct outbox *o, struct str event)
{
	struct piece *p = TAILQ_LAST(&o->pieces, pieces);

	if (!reserve_bytes(o, event.n)) {
		outbox_truncated(o);
		return;
	}
	if (!fits_batch(p, event.n))
		p = add_piece(o, PIECE_NET);
	buf_str(&p->text, event);
	p->ends[p->n++] = p->text.n;
	p->bytes += event.n;
}

void
outbox_truncated(struct outbox *o)
{
	if (!o->truncated)
		add_piece(o, PIECE_TRUNCATED);
	o->truncated = true;
}

/* Appends s with spaces for U+0000, which PostgreSQL cannot store. */
static void
append_clean_text(struct buf *b, struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		buf_char(b, s.p[i] != '\0' ? s.p[i] : ' ');
}

bool
outbox_shot(struct outbox *o, const struct runner_shot *shot, int fd, size_t n)
{
	struct piece *p;

	if (!reserve_bytes(o, n))
		return false;
	p = add_piece(o, PIECE_SHOT);
	p->bytes = n;
	p->fd = fd;
	p->shot = *shot; /* reason and mime point to constants and need no copy */
	p->shot.seq = p->seq;
	append_clean_text(&p->text, shot->url);
	append_clean_text(&p->text, shot->title);
	p->shot.url = (struct str){ p->text.p, shot->url.n };
	p->shot.title = (struct str){ p->text.p + shot->url.n, shot->title.n };
	return true;
}

/* ---- sending ---- */

static void
send_net(const struct piece *p, struct link *l)
{
	struct json events[NET_BATCH_MAX];
	size_t begin = 0;

	for (size_t i = 0; i < p->n; i++) {
		events[i].text = (struct str){ p->text.p + begin, p->ends[i] - begin };
		begin = p->ends[i];
	}
	link_send(
	    l, "net", runner_net_fields, &(struct runner_net){ p->seq, { events, p->n } }, -1);
}

static void
send_piece(const struct piece *p, struct link *l)
{
	switch (p->kind) {
	case PIECE_NET:
		send_net(p, l);
		return;
	case PIECE_SHOT:
		link_send(l, "shot", runner_shot_fields, &p->shot, p->fd);
		return;
	case PIECE_TRUNCATED:
		link_send(l, "truncated", runner_truncated_fields,
		    &(struct runner_truncated){ p->seq }, -1);
		return;
	}
	panic("a piece of kind %d", (int)p->kind);
}

void
outbox_send(struct outbox *o, struct link *l)
{
	struct piece *p;

	while ((p = o->next) != NULL && o->unanswered < LOG_WINDOW) {
		send_piece(p, l);
		p->sent = true;
		o->unanswered++;
		o->next = TAILQ_NEXT(p, next);
	}
}

void
outbox_restart(struct outbox *o)
{
	o->next = TAILQ_FIRST(&o->pieces);
	o->unanswered = 0;
}

/* Stops before next: a piece that was not sent on this connection cannot be answered on it. */
void
outbox_logged(struct outbox *o, int64_t seq)
{
	const struct piece *p, *following;

	for (p = TAILQ_FIRST(&o->pieces); p != NULL && p != o->next && p->seq <= seq;
	     p = following) {
		following = TAILQ_NEXT(p, next);
		free_first_piece(o);
		o->unanswered--;
	}
}

bool
outbox_is_empty(const struct outbox *o)
{
	return TAILQ_EMPTY(&o->pieces);
}
