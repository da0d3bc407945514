/* SPDX-License-Identifier: ISC */
/* Rechecks: one statement asks for all streams of this process whether their right still stands
 * (C-113). An answer describes the past: it may be about a stream that has ended since, or lack one
 * that has opened since. So answers are compared with the time of the call (check_at). */
#include "config.h"

#include "daemon/conf.h"
#include "stream/stream.h"

enum {
	WAIT_US = 5000000,
	TRUST = 4, /* intervals without an answer after which streams close */
};

struct recheck {
	struct proxy *proxy;
	int64_t check_at; /* mono_us: when the last recheck was sent */
	int64_t checked;  /* mono_us: when the last answered recheck was sent */
	bool checking;    /* a call is under way */
	bool notified;    /* recheck at the next tick */
};

struct standing {
	struct uuid stream;
	struct str standing;
};

static const struct field standing_out[] = {
	FIELD(struct standing, stream, 0),
	FIELD(struct standing, standing, 0),
	FIELD_END,
};

STMT_LIST(recheck, struct standing, standing_out,
    "SELECT stream, standing FROM stream_check($1) ORDER BY stream");

static int
compare_stream(const void *key, const void *row)
{
	return uuid_cmp(key, &((const struct standing *)row)->stream);
}

static void
apply_standing(struct conn *c, const struct standing *s)
{
	if (s == NULL) /* the lease expired in between, and the slot with it */
		pump_end(c, WHY_DISPLACED, WS_TRY_LATER);
	else if (str_is(s->standing, "terminal"))
		pump_end(c, WHY_TERMINAL, WS_NORMAL);
	else if (str_is(s->standing, "revoked"))
		pump_end(c, WHY_REVOKED, WS_POLICY);
	else if (!str_is(s->standing, "ok"))
		pump_end(c, WHY_LOST, WS_TRY_LATER);
}

static bool
has_stream(const struct proxy *p, struct uuid stream)
{
	const struct conn *c;

	for (int state = CONN_TICKET; state <= CONN_ENDING; state++)
		TAILQ_FOREACH(c, &p->lists[state], next)
	if (uuid_cmp(&c->stream, &stream) == 0)
		return true;
	return false;
}

/* Releases slots of this process that belong to no stream, as after a lost answer. */
static void
release_left_behind(struct proxy *p, const struct standing *rows, size_t n, size_t streams)
{
	for (size_t i = 0; i < n && streams < n; i++)
		if (!has_stream(p, rows[i].stream)) {
			gate_release(p->gate, rows[i].stream);
			streams++;
		}
}

static const struct standing *
find_standing(const struct conn *c, const struct standing *rows, size_t n)
{
	if (n == 0)
		return NULL;
	return bsearch(&c->stream, rows, n, sizeof(rows[0]), compare_stream);
}

/* Ends the streams in CONN_RECHECK whose runners had ended before the recheck was sent: a lost
 * right overrides the runner's code. n is 0 when the database did not answer; the runner's code
 * is then used unchecked. Returns how many of these streams are in rows.
 *
 * A stream whose runner ended while the call was under way stays: the answer may be older than
 * the revocation that ended the runner. on_streams_checked sends another recheck for it. */
static size_t
end_rechecked(struct recheck *r, const struct standing *rows, size_t n)
{
	struct conn *c, *after;
	size_t streams = 0;

	for (c = TAILQ_FIRST(&r->proxy->lists[CONN_RECHECK]); c != NULL; c = after) {
		const struct standing *s = find_standing(c, rows, n);

		after = TAILQ_NEXT(c, next);
		streams += s != NULL;
		if (c->recheck_since > r->check_at)
			continue;
		if (s != NULL && str_is(s->standing, "revoked"))
			pump_end(c, WHY_REVOKED, WS_POLICY);
		else if (s != NULL && str_is(s->standing, "terminal") && c->why == WHY_LOST)
			pump_end(c, WHY_TERMINAL, WS_NORMAL);
		else
			pump_end_as_runner(c);
	}
	return streams;
}

static void
on_streams_checked(void *arg, enum db_rc rc, const void *rows, size_t n)
{
	struct recheck *r = arg;
	struct conn *c, *after;
	size_t streams;

	r->checking = false;
	streams = end_rechecked(r, rows, rc == DB_OK ? n : 0);
	if (rc != DB_OK)
		return;
	for (c = TAILQ_FIRST(&r->proxy->lists[CONN_OPEN]); c != NULL; c = after) {
		after = TAILQ_NEXT(c, next);
		if (c->opened > r->check_at)
			continue; /* opened after the recheck was sent */
		streams++;
		apply_standing(c, find_standing(c, rows, n));
	}
	release_left_behind(r->proxy, rows, n, streams);
	r->checked = r->check_at;
	/* Streams whose runners ended while this recheck ran need another one. */
	if (!TAILQ_EMPTY(&r->proxy->lists[CONN_RECHECK]))
		event_active(r->proxy->recheck_now, EV_TIMEOUT, 0);
}

/* Closes all streams after several intervals without an answer: better no stream than one that may
   have lost its right. */
static void
close_unchecked(struct recheck *r, int64_t now)
{
	struct conn *c, *after;

	if (TAILQ_EMPTY(&r->proxy->lists[CONN_OPEN]) ||
	    now - r->checked < TRUST * conf.stream_recheck * SECOND_US)
		return;
	log_event(LOGP_ERR, "unchecked", "why=\"no recheck has been answered\"");
	for (c = TAILQ_FIRST(&r->proxy->lists[CONN_OPEN]); c != NULL; c = after) {
		after = TAILQ_NEXT(c, next);
		pump_end(c, WHY_DISPLACED, WS_TRY_LATER);
	}
}

static void
send_check(struct recheck *r, int64_t now)
{
	const struct db_ask ask = {
		.st = &recheck, .wait_us = WAIT_US, .done = on_streams_checked, .arg = r
	};

	if (r->checking)
		return;
	if (!r->notified && now - r->check_at < conf.stream_recheck * SECOND_US)
		return;
	r->notified = false;
	r->checking = true;
	r->check_at = now;
	db_async(r->proxy->db, &ask, P(*gate_self(r->proxy->gate)));
}

/* pump.c and recheck.c activate the event recheck_now. */
static void
on_recheck_now(int fd, short what, void *arg)
{
	struct recheck *r = arg;

	(void)fd;
	(void)what;
	r->notified = true;
	send_check(r, mono_us());
}

/* Notifications may be lost; the recheck by time covers that. */
static void
on_change_notified(void *arg)
{
	struct recheck *r = arg;

	r->notified = true;
}

void
recheck_tick(struct recheck *r, int64_t now)
{
	if (TAILQ_EMPTY(&r->proxy->lists[CONN_OPEN]))
		r->checked = now;
	close_unchecked(r, now);
	send_check(r, now);
}

struct recheck *
recheck_new(struct proxy *p)
{
	struct recheck *r = mem_zero(sizeof(*r));

	r->proxy = p;
	r->check_at = r->checked = mono_us();
	p->recheck_now = event_new(p->base, -1, 0, on_recheck_now, r);
	if (p->recheck_now == NULL)
		panic("event_new failed for the rechecks");
	db_async_listen(p->db, "session_changed", on_change_notified, r);
	db_async_listen(p->db, "key_changed", on_change_notified, r);
	return r;
}

void
recheck_free(struct recheck *r)
{
	event_free(r->proxy->recheck_now);
	free(r);
}
