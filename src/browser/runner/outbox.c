/* SPDX-License-Identifier: ISC */
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
	struct buf text; /* events, one after the other; or a shot's URL and title */
	size_t ends[NET_BATCH_MAX], n;
	struct runner_shot shot;
	int fd;
};

struct outbox {
	TAILQ_HEAD(pieces, piece) pieces;
	struct piece *next; /* to be sent on this connection; NULL: none is left */
	size_t unanswered, bytes, max;
	int64_t seq; /* of the last */
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
drop_first(struct outbox *o)
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
		drop_first(o);
	free(o);
}

/* ---- in ---- */

static struct piece *
add(struct outbox *o, enum piece_kind kind)
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
take_room(struct outbox *o, size_t n)
{
	if (n > o->max - o->bytes)
		return false;
	o->bytes += n;
	return true;
}

static bool
may_have(const struct piece *p, size_t n)
{
	return p != NULL && p->kind == PIECE_NET && !p->sent && p->n < NET_BATCH_MAX &&
	       p->text.n + n <= NET_BATCH_BYTES;
}

void
outbox_event(struct outbox *o, struct str event)
{
	struct piece *p = TAILQ_LAST(&o->pieces, pieces);

	if (!take_room(o, event.n)) {
		outbox_truncated(o);
		return;
	}
	if (!may_have(p, event.n))
		p = add(o, PIECE_NET);
	buf_str(&p->text, event);
	p->ends[p->n++] = p->text.n;
	p->bytes += event.n;
}

void
outbox_truncated(struct outbox *o)
{
	if (!o->truncated)
		add(o, PIECE_TRUNCATED);
	o->truncated = true;
}

/* The database holds no U+0000. */
static void
keep(struct buf *b, struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		buf_char(b, s.p[i] != '\0' ? s.p[i] : ' ');
}

bool
outbox_shot(struct outbox *o, const struct runner_shot *shot, int fd, size_t n)
{
	struct piece *p;

	if (!take_room(o, n))
		return false;
	p = add(o, PIECE_SHOT);
	p->bytes = n;
	p->fd = fd;
	p->shot = *shot; /* reason and mime are constants */
	p->shot.seq = p->seq;
	keep(&p->text, shot->url);
	keep(&p->text, shot->title);
	p->shot.url = (struct str){ p->text.p, shot->url.n };
	p->shot.title = (struct str){ p->text.p + shot->url.n, shot->title.n };
	return true;
}

/* ---- out ---- */

static void
send_net(const struct piece *p, struct link *l)
{
	struct json events[NET_BATCH_MAX];
	size_t begin = 0;

	for (size_t i = 0; i < p->n; i++) {
		events[i].text = (struct str){ p->text.p + begin, p->ends[i] - begin };
		begin = p->ends[i];
	}
	link_send(l, "net", runner_net_fields,
	    &(struct runner_net){ p->seq, { events, p->n } }, -1);
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
outbox_again(struct outbox *o)
{
	o->next = TAILQ_FIRST(&o->pieces);
	o->unanswered = 0;
}

/* What has not been sent cannot be answered. */
void
outbox_logged(struct outbox *o, int64_t seq)
{
	const struct piece *p, *following;

	for (p = TAILQ_FIRST(&o->pieces); p != NULL && p != o->next && p->seq <= seq;
	     p = following) {
		following = TAILQ_NEXT(p, next);
		drop_first(o);
		o->unanswered--;
	}
}

bool
outbox_is_empty(const struct outbox *o)
{
	return TAILQ_EMPTY(&o->pieces);
}
