/* SPDX-License-Identifier: ISC */
/* The slots of this process, their lease, the tickets that it has sent, and its counters (gate.h).
 * A release that failed is repeated until it succeeds: the slot would not expire by itself, because
 * this process renews the lease of all its slots. */
#include "config.h"

#include "daemon/conf.h"
#include "daemon/daemon.h"
#include "stream/stream.h"

enum {
	WAIT_US = 5000000,
	RENEWALS = 3,    /* renewals of the lease while it lasts */
	RELEASES = 1024, /* slots in one statement */
	SPENT = 1024,    /* tickets remembered */
};

struct gate {
	struct proxy *proxy;
	struct uuid self;
	struct roster *roster;
	int64_t keep_at;                   /* mono_us: when the lease is renewed next */
	bool keeping, releasing, counting; /* a call is under way */
	size_t nreleases, nsent;           /* slots to release; how many of those were sent */
	size_t room;
	struct uuid *releases;
	/* A ring of the tickets last sent to the database. A client that repeats one is refused
	   without a database call. */
	struct uuid spent[SPENT];
	size_t next_spent;
};

/* ---- statements ---- */

STMT(keep, NULL, "SELECT stream_keep($1, $2::integer, $3::text[]::uuid[])");

STMT(count, NULL, "SELECT metric_add($1, $2::text[]::float8[])");

STMT(release, NULL, "SELECT stream_release($1::text[]::uuid[])");

/* ---- tickets ---- */

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

void
gate_forget_spent(struct gate *g, const struct uuid *ticket)
{
	struct uuid *u = find_spent(g, ticket);

	if (u != NULL)
		*u = (struct uuid){ { 0 } };
}

void
gate_note_spent(struct gate *g, const struct uuid *ticket)
{
	g->spent[g->next_spent++ % SPENT] = *ticket;
}

const struct uuid *
gate_self(const struct gate *g)
{
	return &g->self;
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

/* Slots that could not be released stay queued: they would not expire, because this process renews
   the lease. */
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
	totals_sent(&g->proxy->totals, rc);
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
	g->counting = totals_take(&g->proxy->totals, a, &series, &steps);
	if (g->counting)
		db_async(g->proxy->db, &ask, P(series), P(steps));
	arena_free(a);
}

void
gate_tick(struct gate *g, int64_t now)
{
	send_releases(g);
	send_keep(g, now);
	send_counts(g);
}

struct gate *
gate_new(struct proxy *p)
{
	struct gate *g = mem_zero(sizeof(*g));

	g->proxy = p;
	g->self = uuid_random();
	g->roster = roster_new(g->self);
	return g;
}

void
gate_free(struct gate *g)
{
	roster_free(g->roster);
	free(g->releases);
	free(g);
}
