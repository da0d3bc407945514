/* SPDX-License-Identifier: ISC */
/* Evidence on its way into the database: what cannot be stored now waits in memory, in its order. What is lost
   here with the process comes again from its runner, which hears what is stored. */
#include "config.h"

#include "browser/dispatch/dispatch.h"

#include <unistd.h>

/* One allocation: its texts stand behind it. */
struct evidence {
	TAILQ_ENTRY(evidence) next;
	struct log_place at;
	bool is_shot, truncated;
	int image; /* of a shot; -1: none */
	struct shot_row shot;
	struct strs docs;
	const char *fault; /* of an image that is STORED_BAD */
};

static char *
keep(char **to, struct str *s)
{
	char *at = *to;

	if (s->n > 0)
		memcpy(at, s->p, s->n);
	s->p = at;
	*to = at + s->n;
	return at;
}

static struct evidence *
evidence_new(const struct held *h, int64_t seq, size_t room)
{
	struct evidence *e = mem_zero(sizeof(*e) + room);

	e->at = (struct log_place){ h->row.uuid, h->row.epoch, seq };
	e->image = -1;
	return e;
}

static void
drop(struct dispatcher *d, struct evidence *e)
{
	TAILQ_REMOVE(&d->evidence, e, next);
	if (e->image >= 0)
		close(e->image);
	free(e);
}

/* ---- out ---- */

/* The file stands before any row names it. */
static enum stored
store_picture(struct dispatcher *d, struct evidence *e)
{
	struct image image;
	enum stored how = STORED_BAD;

	e->fault = image_open(e->image, e->shot.mime, &image);
	if (e->fault != NULL)
		return STORED_BAD;
	e->shot.bytes = (int64_t)image.n;
	how = store_room(d, &e->at, image.n);
	if (how == STORED_ROOM && !image_store(&image, e->shot.sha256)) {
		e->fault = "it cannot be stored";
		how = STORED_BAD;
	}
	image_close(&image);
	return how == STORED_ROOM ? store_shot(d, &e->at, &e->shot) : how;
}

/* NULL: it is stored. */
static const char *
refusal(const struct evidence *e, enum stored how)
{
	switch (how) {
	case STORED:
	case STORED_ROOM:
	case STORED_LATER:
		return NULL;
	case STORED_FULL:
		return "the session has all it may have";
	case STORED_STALE:
		return "the session is over";
	case STORED_BAD:
		return e->fault != NULL ? e->fault : "the database does not take it";
	}
	panic("stored %d", (int)how);
}

static void
say(const struct held *h, const struct evidence *e, const char *refused)
{
	const struct runner_stored stored = { e->shot.uuid };
	const struct runner_refused no = { e->shot.uuid, str_of(refused) };
	const struct runner_logged logged = { e->at.seq };

	if (e->is_shot && refused != NULL)
		link_send(h->link, "refused", runner_refused_fields, &no, -1);
	else if (e->is_shot && e->at.seq == 0)
		link_send(h->link, "stored", runner_stored_fields, &stored, -1);
	if (e->at.seq > 0)
		link_send(h->link, "logged", runner_logged_fields, &logged, -1);
}

static void
settle(struct dispatcher *d, struct evidence *e, enum stored how)
{
	const struct held *h = held_find(d, &e->at.session, e->at.epoch);
	const char *refused = refusal(e, how);

	if (refused != NULL)
		log_event(LOGP_WARNING, "evidence", "session=%s why=\"not taken: %s\"",
		    uuid_text(&e->at.session).z, refused);
	if (h != NULL && h->link != NULL)
		say(h, e, refused);
	drop(d, e);
}

/* What the database refuses for good would stop everything behind it: the mark says that there was more. */
static enum stored
store_net(struct dispatcher *d, struct evidence *e)
{
	enum stored how = store_events(d, &e->at, e->docs, e->truncated);

	if (how != STORED_BAD || e->docs.n == 0)
		return how;
	e->docs.n = 0;
	e->truncated = true;
	return STORED_LATER;
}

void
evidence_flush(struct dispatcher *d)
{
	struct evidence *e;
	enum stored how;

	while ((e = TAILQ_FIRST(&d->evidence)) != NULL) {
		how = e->is_shot ? store_picture(d, e) : store_net(d, e);
		if (how == STORED_LATER)
			return;
		settle(d, e, how);
	}
}

/* ---- in ---- */

static bool
is_of(const struct evidence *e, const struct held *h)
{
	return e->at.epoch == h->row.epoch && uuid_cmp(&e->at.session, &h->row.uuid) == 0;
}

static bool
may_wait(const struct held *h)
{
	const struct evidence *e;
	size_t n = 0;

	TAILQ_FOREACH(e, &h->d->evidence, next)
	n += is_of(e, h);
	return n < LOG_WINDOW;
}

static bool
queue(struct dispatcher *d, struct evidence *e)
{
	TAILQ_INSERT_TAIL(&d->evidence, e, next);
	evidence_flush(d);
	return true;
}

bool
evidence_shot(struct held *h, const struct runner_shot *shot, int fd)
{
	struct evidence *e;
	char *to;

	if (!may_wait(h)) {
		if (fd >= 0)
			close(fd);
		return false;
	}
	e = evidence_new(
	    h, shot->seq, shot->mime.n + shot->reason.n + shot->url.n + shot->title.n);
	to = (char *)(e + 1);
	e->is_shot = true;
	e->image = fd;
	e->shot = (struct shot_row){ .uuid = shot->id,
		.width = shot->width,
		.height = shot->height,
		.tab = shot->tab,
		.mime = shot->mime,
		.reason = shot->reason,
		.url = shot->url,
		.title = shot->title,
		.taken_at = shot->taken_at };
	keep(&to, &e->shot.mime);
	keep(&to, &e->shot.reason);
	keep(&to, &e->shot.url);
	keep(&to, &e->shot.title);
	return queue(h->d, e);
}

/* Of what is none, the mark says that there was more: it would only come again. */
bool
evidence_net(struct held *h, const struct runner_net *net)
{
	struct strs docs = { 0 };
	bool clean = network_clean(h->d->arena, net->events, &docs);
	size_t room;
	struct evidence *e;
	struct str *copies;
	char *to;

	if (!clean)
		log_event(LOGP_ERR, "link", "why=\"a network event is none\" pid=%d",
		    (int)h->pid);
	if (!clean || !may_wait(h))
		return !clean && evidence_truncated(h, net->seq);
	room = docs.n * sizeof(struct str);
	for (size_t i = 0; i < docs.n; i++)
		room += docs.p[i].n;
	e = evidence_new(h, net->seq, room);
	copies = (struct str *)(void *)(e + 1);
	to = (char *)(copies + docs.n);
	for (size_t i = 0; i < docs.n; i++) {
		copies[i] = docs.p[i];
		keep(&to, &copies[i]);
	}
	e->docs = (struct strs){ copies, docs.n };
	return queue(h->d, e);
}

bool
evidence_truncated(struct held *h, int64_t seq)
{
	struct evidence *e;

	if (!may_wait(h))
		return false;
	e = evidence_new(h, seq, 0);
	e->truncated = true;
	return queue(h->d, e);
}

void
evidence_again(const struct held *h)
{
	struct evidence *e, *following;

	for (e = TAILQ_FIRST(&h->d->evidence); e != NULL; e = following) {
		following = TAILQ_NEXT(e, next);
		if (is_of(e, h) && e->at.seq > 0)
			drop(h->d, e);
	}
}
