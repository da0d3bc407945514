/* SPDX-License-Identifier: ISC */
/* The asynchronous database calls of the streams: tickets, slots, the lease, rechecks (C-113).
 * Difficult is that an answer describes the past:
 * - A recheck may answer about a stream that has ended since, or not mention one that has opened
 *   since: answers are compared with the time of the call (check_at).
 * - A lost answer to a redeem may have taken the slot, so that slot is released as well.
 * - A release that failed is repeated until it succeeds: the slot would not expire by itself,
 *   because this process renews the lease of all its slots. */
#include "config.h"

#include "daemon/conf.h"
#include "daemon/daemon.h"
#include "stream/stream.h"

#include <openssl/crypto.h>
#include <openssl/sha.h>

#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
	WAIT_US = 5000000,
	RENEWALS = 3,    /* renewals of the lease while it lasts */
	TRUST = 4,       /* recheck intervals without an answer after which streams close */
	RELEASES = 1024, /* slots in one statement */
	SPENT = 1024,    /* tickets remembered */
};

struct gate {
	struct proxy *proxy;
	struct uuid self;
	struct roster *roster;
	int64_t keep_at;  /* mono_us: when the lease is renewed next */
	int64_t check_at; /* mono_us: when the last recheck was sent */
	int64_t checked;  /* mono_us: when the last answered recheck was sent */
	bool keeping, checking, releasing, counting; /* a call is under way */
	bool notified;                               /* recheck at the next tick */
	size_t nreleases, nsent; /* slots to release; how many of those were sent */
	size_t room;
	struct uuid *releases;
	/* A ring of the tickets last sent to the database. A client that repeats one is refused without a
	   database call. */
	struct uuid spent[SPENT];
	size_t next_spent;
};

/* ---- statements ---- */

struct redeemed {
	struct str outcome;
	int64_t epoch;
};

static const struct field redeemed_out[] = {
	FIELD(struct redeemed, outcome, 0),
	FIELD(struct redeemed, epoch, 0),
	FIELD_END,
};

STMT_LIST(redeem, struct redeemed, redeemed_out,
    "SELECT outcome, epoch FROM stream_redeem($1, $2, $3, $4, $5, $6::integer, $7)");

STMT(keep, NULL, "SELECT stream_keep($1, $2::integer, $3::text[]::uuid[])");

STMT(count, NULL, "SELECT metric_add($1, $2::text[]::float8[])");

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

STMT(release, NULL, "SELECT stream_release($1::text[]::uuid[])");

/* ---- tickets ---- */

/* Connects to the runner's socket, which speaks WebSocket without a handshake. Returns -1 on failure. */
static int
connect_runner(const struct conn *c, int64_t epoch)
{
	const struct uuid_text session = uuid_text(&c->session);
	char path[sizeof(conf.run_directory) + 128];
	int fd;

	snprintf(path, sizeof(path), "%s/sessions/%s/%lld.sock", conf.run_directory, session.z,
	    (long long)epoch);
	fd = fd_connect(path, SOCK_STREAM | SOCK_NONBLOCK);
	if (fd < 0)
		log_event(LOGP_WARNING, "runner", "req=%s session=%s why=\"%s\"", c->id, session.z,
		    strerror(errno));
	return fd;
}

static enum error
redeem_error(struct str outcome)
{
	static const struct {
		const char *outcome;
		enum error error;
	} rows[] = {
		{ "invalid", ERR_STREAM_TICKET_INVALID },
		{ "key", ERR_UNAUTHORIZED },
		{ "active", ERR_STREAM_ALREADY_ACTIVE },
		{ "not_ready", ERR_SESSION_NOT_READY },
		{ "terminal", ERR_SESSION_TERMINAL },
		{ "revoked", ERR_PERMISSION_DENIED },
	};

	for (size_t i = 0; i < COUNT(rows); i++)
		if (str_is(outcome, rows[i].outcome))
			return rows[i].error;
	panic("stream_redeem returned %.*s", (int)outcome.n, outcome.p);
}

static struct uuid *
find_spent(struct gate *g, const struct uuid *ticket)
{
	for (size_t i = 0; i < SPENT; i++)
		if (uuid_cmp(&g->spent[i], ticket) == 0)
			return &g->spent[i];
	return NULL;
}

bool
gate_is_spent(struct gate *g, struct uuid ticket)
{
	return find_spent(g, &ticket) != NULL;
}

/* Forgets the ticket, so that a retry reaches the database: it was not used, or the answer was lost. */
static void
forget_spent_ticket(struct conn *c)
{
	struct uuid *u = find_spent(c->proxy->gate, &c->ticket);

	if (u != NULL)
		*u = (struct uuid){ { 0 } };
}

/* Handles the answer to a ticket. The runner is connected after the slot is taken and not
 * before: a new connection to the runner displaces the runner's existing one, and an refused
 * client would otherwise end the stream of another one.
 *
 *   ok                     connect, upgrade; without a runner the slot is released
 *   a refusal              the ticket is spent; after "key" it may come again with a good key
 *   no answer, or a fault  503; the slot is released in case the statement took it, and the ticket
 *                          is forgotten, so that a retry reaches the database */
static void
on_redeemed(void *arg, enum db_rc rc, const void *rows, size_t n)
{
	struct conn *c = arg;
	const struct redeemed *r = rows;
	int runner;

	if (rc != DB_OK || n != 1 || str_is(r->outcome, "key"))
		forget_spent_ticket(c);
	if (rc != DB_OK || n != 1) {
		/* Only the answer may be lost: the statement may have taken the slot. */
		gate_release(c->proxy->gate, c->stream);
		conn_refuse(c, ERR_SERVICE_UNAVAILABLE);
		return;
	}
	if (!str_is(r->outcome, "ok")) {
		conn_refuse(c, redeem_error(r->outcome));
		return;
	}
	runner = connect_runner(c, r->epoch);
	if (runner >= 0) {
		conn_upgrade(c, runner);
		return;
	}
	gate_release(c->proxy->gate, c->stream);
	conn_refuse(c, ERR_SERVICE_UNAVAILABLE);
}

void
gate_redeem(struct conn *c, const struct ticket *t, struct secret api_key)
{
	const struct db_ask ask = {
		.st = &redeem, .wait_us = WAIT_US, .done = on_redeemed, .arg = c
	};
	struct gate *g = c->proxy->gate;
	unsigned char hash[SHA256_DIGEST_LENGTH];
	struct bytes sent = { NULL, 0 };

	c->ticket = t->jti;
	g->spent[g->next_spent++ % SPENT] = t->jti;
	if (api_key.hidden.p != NULL) {
		SHA256((const unsigned char *)api_key.hidden.p, api_key.hidden.n, hash);
		sent = (struct bytes){ hash, sizeof(hash) };
	}
	db_async(c->proxy->db, &ask, P(t->jti), P(c->session), P(sent), P(c->stream), P(g->self),
	    P(conf.stream_lease), P(str_of(c->id)));
}

/* ---- slots ---- */

static struct strs
uuid_texts(struct arena *a, const struct uuid *uuids, size_t n)
{
	struct str *out = ARENA_ARRAY(a, n, struct str);

	for (size_t i = 0; i < n; i++)
		out[i] = arena_uuid(a, &uuids[i]);
	return (struct strs){ out, n };
}

static void send_releases(struct gate *g);

/* Slots that could not be released stay queued: they would not expire, because this process renews the lease. */
static void
on_released(void *arg, enum db_rc rc, const void *rows, size_t n)
{
	struct gate *g = arg;

	(void)rows;
	(void)n;
	g->releasing = false;
	if (rc != DB_OK)
		return;
	g->nreleases -= g->nsent;
	memmove(g->releases, g->releases + g->nsent, g->nreleases * sizeof(g->releases[0]));
	send_releases(g);
}

static void
send_releases(struct gate *g)
{
	const struct db_ask ask = {
		.st = &release, .wait_us = WAIT_US, .done = on_released, .arg = g
	};
	struct arena *a;

	if (g->releasing || g->nreleases == 0)
		return;
	a = arena_new(RELEASES * 128);
	g->releasing = true;
	g->nsent = g->nreleases < RELEASES ? g->nreleases : RELEASES;
	db_async(g->proxy->db, &ask, P(uuid_texts(a, g->releases, g->nsent)));
	arena_free(a);
}

void
gate_release(struct gate *g, struct uuid stream)
{
	if (g->nreleases == g->room) {
		g->room = g->room == 0 ? RELEASES : 2 * g->room;
		g->releases = reallocarray(g->releases, g->room, sizeof(stream));
		if (g->releases == NULL)
			panic("out of memory for %zu slots", g->room);
	}
	g->releases[g->nreleases++] = stream;
	send_releases(g);
}

bool
gate_idle(const struct gate *g)
{
	return g->nreleases == 0;
}

static void
on_kept(void *arg, enum db_rc rc, const void *rows, size_t n)
{
	struct gate *g = arg;

	(void)rows;
	(void)n;
	g->keeping = false;
	if (rc == DB_OK)
		roster_forget(g->roster);
	else
		g->keep_at = mono_us() + SECOND_US;
}

static void
send_keep(struct gate *g, int64_t now)
{
	const struct db_ask ask = { .st = &keep, .wait_us = WAIT_US, .done = on_kept, .arg = g };

	if (g->keeping || now < g->keep_at)
		return;
	g->keeping = true;
	g->keep_at = now + conf.stream_lease * SECOND_US / RENEWALS;
	db_async(g->proxy->db, &ask, P(g->self), P(conf.stream_lease), P(roster_dead(g->roster)));
}

static void
on_counted(void *arg, enum db_rc rc, const void *rows, size_t n)
{
	struct gate *g = arg;

	(void)rows;
	(void)n;
	g->counting = false;
	totals_told(&g->proxy->totals, rc);
}

static void
send_counts(struct gate *g)
{
	const struct db_ask ask = {
		.st = &count, .wait_us = WAIT_US, .done = on_counted, .arg = g
	};
	struct strs series, steps;
	struct arena *a;

	if (g->counting)
		return;
	a = arena_new(RELEASES * 128);
	g->counting = totals_tell(&g->proxy->totals, a, &series, &steps);
	if (g->counting)
		db_async(g->proxy->db, &ask, P(series), P(steps));
	arena_free(a);
}

/* ---- rechecks (C-113) ---- */

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
release_left_behind(struct gate *g, const struct standing *rows, size_t n, size_t streams)
{
	for (size_t i = 0; i < n && streams < n; i++)
		if (!has_stream(g->proxy, rows[i].stream)) {
			gate_release(g, rows[i].stream);
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
end_rechecked(struct gate *g, const struct standing *rows, size_t n)
{
	struct conn *c, *after;
	size_t streams = 0;

	for (c = TAILQ_FIRST(&g->proxy->lists[CONN_RECHECK]); c != NULL; c = after) {
		const struct standing *s = find_standing(c, rows, n);

		after = TAILQ_NEXT(c, next);
		streams += s != NULL;
		if (c->recheck_since > g->check_at)
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
	struct gate *g = arg;
	struct conn *c, *after;
	size_t streams;

	g->checking = false;
	streams = end_rechecked(g, rows, rc == DB_OK ? n : 0);
	if (rc != DB_OK)
		return;
	for (c = TAILQ_FIRST(&g->proxy->lists[CONN_OPEN]); c != NULL; c = after) {
		after = TAILQ_NEXT(c, next);
		if (c->opened > g->check_at)
			continue; /* opened after the recheck was sent */
		streams++;
		apply_standing(c, find_standing(c, rows, n));
	}
	release_left_behind(g, rows, n, streams);
	g->checked = g->check_at;
	/* Streams whose runners ended while this recheck ran need another one. */
	if (!TAILQ_EMPTY(&g->proxy->lists[CONN_RECHECK]))
		gate_recheck(g);
}

/* Closes all streams after several intervals without an answer: better no stream than one that may have lost
   its right. */
static void
close_unchecked(struct gate *g, int64_t now)
{
	struct conn *c, *after;

	if (TAILQ_EMPTY(&g->proxy->lists[CONN_OPEN]) ||
	    now - g->checked < TRUST * conf.stream_recheck * SECOND_US)
		return;
	log_event(LOGP_ERR, "unchecked", "why=\"no recheck has been answered\"");
	for (c = TAILQ_FIRST(&g->proxy->lists[CONN_OPEN]); c != NULL; c = after) {
		after = TAILQ_NEXT(c, next);
		pump_end(c, WHY_DISPLACED, WS_TRY_LATER);
	}
}

static void
send_check(struct gate *g, int64_t now)
{
	const struct db_ask ask = {
		.st = &recheck, .wait_us = WAIT_US, .done = on_streams_checked, .arg = g
	};

	if (g->checking)
		return;
	if (!g->notified && now - g->check_at < conf.stream_recheck * SECOND_US)
		return;
	g->notified = false;
	g->checking = true;
	g->check_at = now;
	db_async(g->proxy->db, &ask, P(g->self));
}

void
gate_recheck(struct gate *g)
{
	g->notified = true;
	send_check(g, mono_us());
}

/* Notifications may be lost; the recheck by time covers that. */
static void
on_change_notified(void *arg)
{
	struct gate *g = arg;

	g->notified = true;
}

void
gate_tick(struct gate *g, int64_t now)
{
	send_releases(g);
	send_keep(g, now);
	send_counts(g);
	if (TAILQ_EMPTY(&g->proxy->lists[CONN_OPEN]))
		g->checked = now;
	close_unchecked(g, now);
	send_check(g, now);
}

struct gate *
gate_new(struct proxy *p)
{
	struct gate *g = mem_zero(sizeof(*g));

	g->proxy = p;
	g->self = uuid_random();
	g->roster = roster_new(g->self);
	g->check_at = g->checked = mono_us();
	db_async_listen(p->db, "session_changed", on_change_notified, g);
	db_async_listen(p->db, "key_changed", on_change_notified, g);
	return g;
}

void
gate_free(struct gate *g)
{
	roster_free(g->roster);
	free(g->releases);
	free(g);
}
