/* SPDX-License-Identifier: ISC */
/* The queue of evidence on its way into the database, in the order of arrival.
 *
 *   runner: shot, net, truncated --> queue, at most LOG_WINDOW a session --> database --> "logged"
 *                                    the head alone is tried           the runner drops its copy
 *
 * The head is tried until the database answers. An item that the database refuses for good must
 * not block the queue: it is dropped, or replaced by a mark that evidence is missing, so that a
 * reader of the evidence sees the gap. A killed dispatcher loses its queue and nothing else,
 * because runners send everything again that was not confirmed. */
#include "config.h"

#include "browser/dispatch/dispatch.h"
#include "browser/dispatch/evidence.h"

#include <unistd.h>

/* One allocation, with the texts behind the struct. */
struct evidence {
	TAILQ_ENTRY(evidence) next;
	struct log_place at;
	bool is_shot, truncated;
	int image; /* the descriptor of a shot's image; -1: none */
	struct shot_row shot;
	struct strs docs;
	const char *fault; /* why an image is STORED_BAD */
};

static char *
copy_text_behind(char **to, struct str *s)
{
	char *at = *to;

	if (s->n > 0)
		memcpy(at, s->p, s->n);
	s->p = at;
	*to = at + s->n;
	return at;
}

static struct evidence *
evidence_new(const struct session *s, int64_t seq, size_t room)
{
	struct evidence *e = mem_zero(sizeof(*e) + room);

	e->at = (struct log_place){ s->row.uuid, s->row.epoch, seq };
	e->image = -1;
	return e;
}

static void
drop_evidence(struct dispatcher *d, struct evidence *e)
{
	TAILQ_REMOVE(&d->evidence, e, next);
	if (e->image >= 0)
		close(e->image);
	free(e);
}

/* ---- storing ---- */

/* Stores the file first, so that no row ever names a missing file. The room is asked for before
 * the file is written: a session that has reached its limit writes nothing to the disk. A crash
 * in between leaves a file without a row, or a file that was stored before, since equal images
 * are one file. store_shot repeats the check of the room in its own transaction; the first one
 * only saves work. */
static enum store_rc
store_picture(struct dispatcher *d, struct evidence *e)
{
	struct image image;
	enum store_rc how = STORED_BAD;

	e->fault = image_open(e->image, e->shot.mime, &image);
	if (e->fault != NULL)
		return STORED_BAD;
	e->shot.bytes = (int64_t)image.n;
	how = store_room(d, &e->at, image.n);
	if (how == STORED_ROOM && !image_store(&image, e->shot.sha256)) {
		e->fault = "the image file cannot be written";
		how = STORED_BAD;
	}
	image_close(&image);
	return how == STORED_ROOM ? store_shot(d, &e->at, &e->shot) : how;
}

/* Why an item was refused for good; NULL: it was not. */
static const char *
refusal_reason(const struct evidence *e, enum store_rc how)
{
	switch (how) {
	case STORED:
	case STORED_ROOM:
	case STORED_LATER:
		return NULL;
	case STORED_FULL:
		return "the session has reached its limit of evidence";
	case STORED_STALE:
		return "the session has ended";
	case STORED_BAD:
		return e->fault != NULL ? e->fault : "the database refuses it";
	}
	panic("unknown store_rc %d", (int)how);
}

static void
send_result(const struct session *s, const struct evidence *e, const char *refused)
{
	const struct runner_stored stored = { e->shot.uuid };
	const struct runner_refused no = { e->shot.uuid, str_of(refused) };
	const struct runner_logged logged = { e->at.seq };

	if (e->is_shot && refused != NULL)
		link_send(s->link, "refused", runner_refused_fields, &no, -1);
	else if (e->is_shot && e->at.seq == 0)
		link_send(s->link, "stored", runner_stored_fields, &stored, -1);
	if (e->at.seq > 0)
		link_send(s->link, "logged", runner_logged_fields, &logged, -1);
}

static void
finish_evidence(struct dispatcher *d, struct evidence *e, enum store_rc how)
{
	const struct session *s = session_find(d, &e->at.session, e->at.epoch);
	const char *refused = refusal_reason(e, how);

	if (refused != NULL)
		log_event(LOGP_WARNING, "evidence", "session=%s why=\"not taken: %s\"",
		    uuid_text(&e->at.session).z, refused);
	if (s != NULL && s->link != NULL)
		send_result(s, e, refused);
	drop_evidence(d, e);
}

/* Stores network events. Events that the database refuses for good are replaced by the mark that
   events are missing, which is stored at the next try. */
static enum store_rc
store_net(struct dispatcher *d, struct evidence *e)
{
	enum store_rc how = store_events(d, &e->at, e->docs, e->truncated);

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
	enum store_rc how;

	while ((e = TAILQ_FIRST(&d->evidence)) != NULL) {
		how = e->is_shot ? store_picture(d, e) : store_net(d, e);
		if (how == STORED_LATER)
			return;
		finish_evidence(d, e, how);
	}
}

/* ---- receiving ---- */

static bool
is_from(const struct evidence *e, const struct session *s)
{
	return e->at.epoch == s->row.epoch && uuid_cmp(&e->at.session, &s->row.uuid) == 0;
}

static bool
queue_has_room(const struct session *s)
{
	const struct evidence *e;
	size_t n = 0;

	TAILQ_FOREACH(e, &s->d->evidence, next)
	n += is_from(e, s);
	return n < LOG_WINDOW;
}

static bool
enqueue(struct dispatcher *d, struct evidence *e)
{
	TAILQ_INSERT_TAIL(&d->evidence, e, next);
	evidence_flush(d);
	return true;
}

bool
evidence_shot(struct session *s, const struct runner_shot *shot, int fd)
{
	struct evidence *e;
	char *to;

	if (!queue_has_room(s)) {
		if (fd >= 0)
			close(fd);
		return false;
	}
	e = evidence_new(s, shot->seq, shot->mime.n + shot->reason.n + shot->url.n + shot->title.n);
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
	copy_text_behind(&to, &e->shot.mime);
	copy_text_behind(&to, &e->shot.reason);
	copy_text_behind(&to, &e->shot.url);
	copy_text_behind(&to, &e->shot.title);
	return enqueue(s->d, e);
}

/* Queues network events. Malformed events are replaced by the mark that events are missing; without
   an answer the runner would send them again and again. */
bool
evidence_net(struct session *s, const struct runner_net *net)
{
	struct strs docs = { 0 };
	bool clean = network_clean(s->d->arena, net->events, &docs);
	size_t room;
	struct evidence *e;
	struct str *copies;
	char *to;

	if (!clean)
		log_event(LOGP_ERR, "link", "why=\"malformed network event\" pid=%d", (int)s->pid);
	if (!clean || !queue_has_room(s))
		return !clean && evidence_truncated(s, net->seq);
	room = docs.n * sizeof(struct str);
	for (size_t i = 0; i < docs.n; i++)
		room += docs.p[i].n;
	e = evidence_new(s, net->seq, room);
	copies = (struct str *)(void *)(e + 1);
	to = (char *)(copies + docs.n);
	for (size_t i = 0; i < docs.n; i++) {
		copies[i] = docs.p[i];
		copy_text_behind(&to, &copies[i]);
	}
	e->docs = (struct strs){ copies, docs.n };
	return enqueue(s->d, e);
}

bool
evidence_truncated(struct session *s, int64_t seq)
{
	struct evidence *e;

	if (!queue_has_room(s))
		return false;
	e = evidence_new(s, seq, 0);
	e->truncated = true;
	return enqueue(s->d, e);
}

void
evidence_drop_unanswered(const struct session *s)
{
	struct evidence *e, *following;

	for (e = TAILQ_FIRST(&s->d->evidence); e != NULL; e = following) {
		following = TAILQ_NEXT(e, next);
		if (is_from(e, s) && e->at.seq > 0)
			drop_evidence(s->d, e);
	}
}
