/* SPDX-License-Identifier: ISC */
/* Deliveries: leased, sent, and what came of them stored. */
#include "config.h"

#include "alert/alert.h"
#include "daemon/conf.h"

enum {
	EACH = 4, /* of one destination at once, so that one that stalls leaves room */
	LEASE_MORE = 5000, /* ms that a lease outlives its attempt */
	GROWTH = 4,
	ROUNDS = 64, /* claims of one turn */
	TEXT = 1024 * 1024,
};

struct claim {
	struct uuid uuid, project_uuid;
	int64_t attempt, tries;
	struct str url, secret, payload;
};

static const struct field claim_out[] = {
	FIELD(struct claim, uuid, 0),
	FIELD(struct claim, project_uuid, 0),
	FIELD(struct claim, attempt, 0),
	FIELD(struct claim, tries, 0),
	FIELD(struct claim, url, NULLABLE),
	FIELD(struct claim, secret, NULLABLE),
	FIELD(struct claim, payload, 0),
	FIELD_END,
};

static const struct stmt claim = STMT_LIST(claim, struct claim, claim_out,
    "SELECT uuid, project_uuid, attempt, tries, url, secret, payload"
    " FROM delivery_claim($1, $2, $3, $4, $5, $6)");

static const struct stmt finish = STMT(finish, NULL,
    "SELECT delivery_finish($1, $2, $3, nullif($4::bigint, 0), $5, $6, $7)");

/* backoff * 4^(tries - 1), bounded, less by up to a quarter, so that those that failed together do not come
   together again. A receiver may ask for more. */
static int64_t
delay_ms(const struct sending *s)
{
	int64_t most = conf.webhook_backoff_max * 1000, ms = conf.webhook_backoff;
	uint32_t dice;

	for (int64_t i = 1; i < s->tries && ms < most; i++)
		ms *= GROWTH;
	ms = ms < most ? ms : most;
	random_bytes(&dice, sizeof(dice));
	ms -= (int64_t)((double)ms / 4 * dice / UINT32_MAX);
	if (s->retry_after > most / 1000)
		return most;
	return ms > s->retry_after * 1000 ? ms : s->retry_after * 1000;
}

static const char *
verdict_name(enum verdict v)
{
	switch (v) {
	case VERDICT_DELIVERED:
		return "delivered";
	case VERDICT_RETRY:
		return "retry";
	case VERDICT_GONE:
		return "gone";
	}
	panic("verdict %d", (int)v); /* UNCOVERED: the switch has them all */
}

/* What could not be stored is kept and tried again: the receiver has it, or not, whatever the database does. */
static bool
store(struct engine *e)
{
	while (e->sent != NULL) {
		struct sending *s = e->sent;
		const char *verdict = verdict_name(s->verdict);

		if (!db_up(e->db) ||
		    !db_ok(e->db,
			db_do(e->db, &finish, NULL, P(s->uuid), P(s->attempt),
			    P(str_of(verdict)), P(s->status), P(s->failure),
			    P(delay_ms(s)), P(conf.webhook_attempts)),
			"finish"))
			return false;
		log_event(s->verdict == VERDICT_DELIVERED ? LOGP_INFO : LOGP_NOTICE,
		    "delivery",
		    "uuid=%s attempt=%lld status=%lld verdict=%s why=\"%.*s\" "
		    "detail=\"%.*s\"",
		    uuid_text(&s->uuid).z, (long long)s->attempt, (long long)s->status,
		    verdict, (int)s->failure.n, s->failure.p == NULL ? "" : s->failure.p,
		    (int)s->detail.n, s->detail.p == NULL ? "" : s->detail.p);
		e->sent = s->next;
		arena_free(s->arena);
	}
	return true;
}

static void
begin(struct engine *e, const struct claim *c)
{
	struct arena *a = arena_new(TEXT);
	struct sending *s = ARENA_NEW(a, struct sending);

	s->arena = a;
	s->uuid = c->uuid;
	s->attempt = c->attempt;
	s->tries = c->tries;
	s->url = arena_str(a, c->url);
	s->secret = arena_str(a, c->secret);
	s->payload = arena_str(a, c->payload);
	sender_send(e->sender, s);
}

/* False when nothing was due. What is settled without being sent is not begun. */
static bool
claim_some(struct engine *e, int64_t room)
{
	int64_t lease = conf.webhook_timeout + LEASE_MORE;
	const struct claim *c;
	struct list got;

	if (!db_up(e->db) ||
	    !db_ok(e->db,
		db_list(e->db, &claim, &got, P(room), P((int64_t)EACH), P(lease),
		    P(conf.webhook_attempts), P(conf.webhook_project), P(e->served)),
		"claim"))
		return false;
	c = got.items;
	if (got.n > 0)
		e->served = c[got.n - 1].project_uuid;
	for (size_t i = 0; i < got.n; i++)
		if (c[i].url.p != NULL)
			begin(e, &c[i]);
	return got.n > 0;
}

bool
deliver(struct engine *e)
{
	if (!store(e) || e->stopping)
		return false;
	for (int i = 0; i < ROUNDS; i++) {
		int64_t room = conf.webhook_parallel - (int64_t)sender_busy(e->sender);

		if (room <= 0 || !claim_some(e, room))
			return false;
	}
	return true;
}

const struct stmt *const deliver_stmts[] = { &claim, &finish, NULL };
