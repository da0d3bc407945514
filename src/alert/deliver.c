/* SPDX-License-Identifier: ISC */
/* Claims deliveries that are due, hands them to send.c, and stores the results. delivery_claim and
   delivery_finish (sql/) decide which delivery may be sent and what a result means; alert.h has the
   states. */
#include "config.h"

#include "alert/alert.h"
#include "daemon/conf.h"
#include "db/guard.h"

enum {
	/* attempts of one destination under way at once, so that a receiver that stalls leaves room
	   for others */
	PER_DESTINATION = 4,
	LEASE_MARGIN_MS = 5000, /* from an attempt's deadline to its lease's end */
	BACKOFF_FACTOR = 4,
	CLAIMS_PER_TURN = 64,
	ATTEMPT_MEMORY = 1024 * 1024,
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

STMT_LIST(claim, struct claim, claim_out,
    "SELECT uuid, project_uuid, attempt, tries, url, secret, payload"
    " FROM delivery_claim($1, $2, $3, $4, $5, $6)");

STMT(finish, NULL, "SELECT delivery_finish($1, $2, $3, nullif($4::bigint, 0), $5, $6, $7)");

/* The delay before the next attempt: webhook_backoff * 4^(tries - 1), at most webhook_backoff_max,
   minus a random part of up to a quarter, so that deliveries that failed together are not sent
   together again. A receiver's Retry-After may lengthen it, up to the same maximum. */
static int64_t
retry_delay_ms(const struct attempt *t)
{
	int64_t most = conf.webhook_backoff_max * 1000, ms = conf.webhook_backoff;
	uint32_t dice;

	for (int64_t i = 1; i < t->tries && ms < most; i++)
		ms *= BACKOFF_FACTOR;
	ms = ms < most ? ms : most;
	random_bytes(&dice, sizeof(dice));
	ms -= (int64_t)((double)ms / 4 * dice / UINT32_MAX);
	if (t->retry_after > most / 1000)
		return most;
	return ms > t->retry_after * 1000 ? ms : t->retry_after * 1000;
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
	panic("verdict %d", (int)v); /* UNCOVERED: the switch has every verdict */
}

/* Stores the results of attempts that have ended. A result that cannot be stored stays in the list
   for the next turn, because the webhook has been sent and cannot be unsent. False: the database
   failed. */
static bool
store_results(struct engine *e)
{
	while (e->ended != NULL) {
		struct attempt *t = e->ended;
		const char *verdict = verdict_name(t->verdict);

		if (!db_up(e->db) || !db_ok(e->db,
					 db_do(e->db, &finish, NULL, P(t->uuid), P(t->number),
					     P(str_of(verdict)), P(t->status), P(t->failure),
					     P(retry_delay_ms(t)), P(conf.webhook_attempts)),
					 "finish"))
			return false;
		log_event(t->verdict == VERDICT_DELIVERED ? LOGP_INFO : LOGP_NOTICE, "delivery",
		    "uuid=%s attempt=%lld status=%lld verdict=%s why=\"%.*s\" "
		    "detail=\"%.*s\"",
		    uuid_text(&t->uuid).z, (long long)t->number, (long long)t->status, verdict,
		    (int)t->failure.n, t->failure.p == NULL ? "" : t->failure.p, (int)t->detail.n,
		    t->detail.p == NULL ? "" : t->detail.p);
		e->ended = t->next;
		arena_free(t->arena);
	}
	return true;
}

static void
start_delivery_attempt(struct engine *e, const struct claim *c)
{
	struct arena *a = arena_new(ATTEMPT_MEMORY);
	struct attempt *t = ARENA_NEW(a, struct attempt);

	t->arena = a;
	t->uuid = c->uuid;
	t->number = c->attempt;
	t->tries = c->tries;
	t->url = arena_str(a, c->url);
	t->secret = arena_str(a, c->secret);
	t->payload = arena_str(a, c->payload);
	sender_send(e->sender, t);
}

/* Claims and starts at most room deliveries. delivery_claim returns those that it settled without
   sending, such as silenced ones, without a URL. False: nothing was due, or the database failed. */
static bool
claim_due(struct engine *e, int64_t room)
{
	int64_t lease = conf.webhook_timeout + LEASE_MARGIN_MS;
	const struct claim *c;
	struct list got;

	if (!db_up(e->db) ||
	    !db_ok(e->db,
		db_list(e->db, &claim, &got, P(room), P((int64_t)PER_DESTINATION), P(lease),
		    P(conf.webhook_attempts), P(conf.webhook_project), P(e->last_project)),
		"claim"))
		return false;
	c = got.items;
	if (got.n > 0)
		e->last_project = c[got.n - 1].project_uuid;
	for (size_t i = 0; i < got.n; i++)
		if (c[i].url.p != NULL)
			start_delivery_attempt(e, &c[i]);
	return got.n > 0;
}

bool
send_deliveries(struct engine *e)
{
	if (!store_results(e) || e->stopping)
		return false;
	for (int i = 0; i < CLAIMS_PER_TURN; i++) {
		int64_t room = conf.webhook_parallel - (int64_t)sender_busy(e->sender);

		if (room <= 0 || !claim_due(e, room))
			return false;
	}
	return true;
}
