/* SPDX-License-Identifier: ISC */
/* Rates and quotas of a request (C-067 to C-073): the stage that charges them, the return of
   charges for answers that cost nothing, and the headers that show the rate. counting/admit.h does
   the counting. */
#include "config.h"

#include "http/http_priv.h"
#include "http/stages_priv.h"

static unsigned
charges_of_route(const struct route *r)
{
	unsigned search = r->area == AREA_SEARCH ? CHARGE_SEARCH_RATE : 0;

	switch (r->meter) {
	case METER_NONE:
		return 0;
	case METER_RATE:
		return CHARGE_RATE | search;
	case METER_QUOTA:
		return CHARGE_RATE | search | CHARGE_QUOTA;
	case METER_UNSET:
		break;
	}
	panic("%s has no meter", r->operation);
}

static int
fail_unless_admitted(struct req *rq, enum meter_rc rc)
{
	static const enum counter counters[] = {
		[METER_KEY_RATE] = COUNTER_KEY_RATE_REFUSED,
		[METER_ACCOUNT_RATE] = COUNTER_ACCOUNT_RATE_REFUSED,
		[METER_ACCOUNT_QUOTA] = COUNTER_ACCOUNT_QUOTA_REFUSED,
		[METER_GROUP_QUOTA] = COUNTER_GROUP_QUOTA_REFUSED,
		[METER_UNAVAILABLE] = COUNTER_METER_UNAVAILABLE,
	};
	int wait = (int)rq->ticket.retry_after;

	if (rc != METER_ADMITTED)
		metrics_add(rq->worker->metrics, counters[rc]);
	switch (rc) {
	case METER_ADMITTED:
		return PASS;
	case METER_KEY_RATE:
		return fail_retry(rq, ERR_API_KEY_RATE_LIMIT_EXCEEDED, wait);
	case METER_ACCOUNT_RATE:
		return fail_retry(rq, ERR_ACCOUNT_RATE_LIMIT_EXCEEDED, wait);
	case METER_ACCOUNT_QUOTA:
		return fail_retry(rq, ERR_ACCOUNT_API_QUOTA_EXCEEDED, wait);
	case METER_GROUP_QUOTA:
		return fail_retry(rq, ERR_GROUP_API_QUOTA_EXCEEDED, wait);
	case METER_UNAVAILABLE:
		return fail(rq, ERR_API_METERING_UNAVAILABLE);
	}
	panic("meter_rc %d", (int)rc);
}

/* The meter identifies a request by a number: half of nginx's id, which is random. */
static uint64_t
number_of_id(const char *id)
{
	char half[17] = { 0 };

	memcpy(half, id, sizeof(half) - 1);
	return strtoull(half, NULL, 16);
}

/* ---- people ---- */

struct reads_today {
	int64_t n;
};

static const struct field reads_today_out[] = { FIELD(struct reads_today, n, 0), FIELD_END };

STMT(take_read, reads_today_out, "SELECT people_read($1, 1) AS n");
STMT(return_read, reads_today_out, "SELECT people_read($1, -1) AS n");

/* The quota is the API's, so requests of people do not take it. Pages, look-ups and exports are the
   exception when a member has used the free ones of the day: a script with a cookie would otherwise
   read everything without any quota (C-335). */
static int
charge_person(struct req *rq, unsigned *charges)
{
	struct reads_today today = { 0 };
	enum db_rc rc = DB_OK;

	if (rq->route->reads)
		rc = db_one(rq->db, &take_read, &today, P(rq->key->uuid));
	if (rc != DB_OK)
		return fail_db(rq, rc);
	rq->counted_read = rq->route->reads;
	if (today.n <= LIM_PEOPLE_READS)
		*charges &= ~(unsigned)CHARGE_QUOTA;
	return PASS;
}

static void
return_charge_of_person(struct req *rq)
{
	struct reads_today today;

	/* A unit that is lost with the connection to PostgreSQL returns on the next day. */
	if (rq->counted_read && db_one(rq->db, &return_read, &today, P(rq->key->uuid)) != DB_OK)
		log_event(LOGP_NOTICE, "database", "req=%s why=\"%s\"", rq->id, db_message(rq->db));
	rq->counted_read = false;
}

int
meter_admit_request(struct req *rq)
{
	struct meter_who who = {
		.charges = charges_of_route(rq->route), .boot = boot_us(), .deadline = rq->deadline
	};

	if (rq->key == NULL || who.charges == 0)
		return PASS;
	if (key_is_console(rq->key) && charge_person(rq, &who.charges) != PASS)
		return FAILED;
	who.request = number_of_id(rq->id);
	who.key = rq->key->uuid;
	who.account = rq->key->account;
	who.group = rq->key->group_uuid;
	return fail_unless_admitted(rq, meter_admit(rq->worker->meter, &who, &rq->ticket));
}

/* Returns the charge of an answer that costs nothing: 401, 403, 429 and 5xx; an authorised 400
 * or 404 costs (C-069). A request that is handed over is charged by the worker that answers it,
 * so this worker gives its charge back.
 *
 * A client that left before its answer pays, because the work was done: otherwise a client could
 * have work done for nothing by leaving early. The journal of the worker (counting/meter.h)
 * settles the case that this function is never reached because the worker was killed. */
void
meter_settle(struct req *rq)
{
	if (rq->deserted)
		return;
	if (rq->handed_to != NULL || rq->status >= 500 || rq->status == 401 || rq->status == 403 ||
	    rq->status == 429) {
		if (rq->ticket.taken[SLOT_KEY_RATE] != NULL)
			metrics_add(rq->worker->metrics, COUNTER_GIVEN_BACK);
		meter_give_back(rq->worker->meter, &rq->ticket);
		return_charge_of_person(rq);
	}
}

/* Shows the rate of the key alone: a client cannot adapt to limits that it shares with other keys
   (C-708). */
void
meter_headers(const struct req *rq, struct buf *b)
{
	const struct meter_ticket *t = &rq->ticket;

	if (t->limit == 0)
		return;
	buf_printf(b, "RateLimit-Policy: \"key\";q=%jd;w=%jd\r\nRateLimit: \"key\";r=%jd;t=%jd\r\n",
	    (intmax_t)t->limit, (intmax_t)t->seconds, (intmax_t)t->remaining, (intmax_t)t->reset);
}
