/* SPDX-License-Identifier: ISC */
/* The dispatcher's statements: each calls one SQL function, which contains the rule. The process
 * decides nothing about a row, so two dispatchers and the API cannot disagree: the function
 * compares the epoch and the host, and changes nothing when they do not fit.
 *
 * Every call blocks the loop, so each has a deadline, and after a failure no call is made for a
 * moment (db_up, db/guard.h). A function returns false then; its caller tries again at a later
 * turn. */
#include "config.h"

#include "browser/dispatch/dispatch.h"
#include "daemon/conf.h"
#include "db/guard.h"

struct value_row {
	int64_t n;
	struct str text;
};

static const struct field number_out[] = { FIELD(struct value_row, n, 0), FIELD_END };
static const struct field text_out[] = { FIELD(struct value_row, text, NULLABLE), FIELD_END };

struct uuid_row {
	struct uuid uuid;
};

static const struct field uuid_out[] = { FIELD(struct uuid_row, uuid, 0), FIELD_END };

static const struct field session_out[] = {
	FIELD(struct session_row, uuid, 0),
	FIELD(struct session_row, epoch, 0),
	FIELD(struct session_row, state, 0),
	FIELD(struct session_row, reason, NULLABLE),
	FIELD(struct session_row, expires_ms, 0),
	FIELD(struct session_row, close_seconds, 0),
	FIELD(struct session_row, start_url, 0),
	FIELD(struct session_row, browser_profile, 0),
	FIELD(struct session_row, egress_country, 0),
	FIELD(struct session_row, width, 0),
	FIELD(struct session_row, height, 0),
	FIELD(struct session_row, lifetime_seconds, 0),
	FIELD(struct session_row, idle_seconds, 0),
	FIELD(struct session_row, kind, 0),
	FIELD(struct session_row, host, NULLABLE),
	FIELD(struct session_row, port, 0),
	FIELD(struct session_row, credential, NULLABLE),
	FIELD_END,
};

static const struct field due_out[] = {
	FIELD(struct route_due, uuid, 0),
	FIELD(struct route_due, kind, 0),
	FIELD(struct route_due, host, NULLABLE),
	FIELD(struct route_due, port, 0),
	FIELD(struct route_due, credential, NULLABLE),
	FIELD(struct route_due, target, 0),
	FIELD_END,
};

STMT(beat, NULL, "SELECT browser_host_beat($1, $2, $3, $4)");
STMT(sweep, number_out, "SELECT session_sweep($1) AS n");
STMT_LIST(claim, struct uuid_row, uuid_out, "SELECT c AS uuid FROM session_claim($1) AS c");
STMT_LIST(look, struct session_row, session_out,
    "SELECT uuid, epoch, state, reason, expires_ms, close_seconds, start_url,"
    " browser_profile, egress_country, width, height, lifetime_seconds, idle_seconds,"
    " kind, route_host AS host, port, credential FROM session_held($1)");
STMT_LIST(renew, struct uuid_row, uuid_out,
    "SELECT uuid FROM session_renew($1, $2::text[]::uuid[], $3::text[]::bigint[])");
STMT(count, NULL, "SELECT metric_add($1, $2::text[]::float8[])");
STMT(ready, number_out, "SELECT expires_ms AS n FROM session_ready($1, $2)");
STMT(activity, NULL, "SELECT session_activity($1, $2)");
STMT(lost, text_out, "SELECT session_lost($1, $2) AS text");
STMT_LIST(due, struct route_due, due_out,
    "SELECT uuid, kind, host, port, credential, probe_target AS target"
    " FROM route_due($1, $2)");
STMT(probed, NULL, "SELECT route_probed($1, $2, $3, $4)");
STMT(room, text_out, "SELECT evidence_room($1, $2, $3, $4) AS text");
STMT(add_shot, text_out,
    "SELECT evidence_shot($1, $2, $3, ROW($4::uuid, $5::bytea, $6::bigint, $7::text,"
    " $8::integer, $9::integer, $10::text, $11::integer, $12::text, $13::text,"
    " $14::timestamptz)::screenshot_taken) AS text");
STMT(add_events, text_out, "SELECT evidence_network($1, $2, $3, $4::text[]::jsonb[], $5) AS text");

bool
store_beat(struct dispatcher *d)
{
	struct str fault = d->fault[0] == '\0' ? STR_NULL : str_of(d->fault);

	if (!db_up(d->db) || !db_ok(d->db,
				 db_do(d->db, &beat, NULL, P(d->name), P(conf.browser_sessions),
				     P(fault), P(!d->announced)),
				 "beat"))
		return false;
	d->announced = true;
	return true;
}

void
store_sweep(struct dispatcher *d)
{
	struct value_row m = { 0 };

	if (db_up(d->db) && db_ok(d->db, db_one(d->db, &sweep, &m, P(d->name)), "sweep") && m.n > 0)
		log_event(LOGP_INFO, "swept", "sessions=%lld", (long long)m.n);
}

void
store_counts(struct dispatcher *d)
{
	struct strs series, steps;
	enum db_rc rc;

	if (!db_up(d->db) || !totals_take(&d->totals, d->arena, &series, &steps))
		return;
	rc = db_do(d->db, &count, NULL, P(series), P(steps));
	totals_sent(&d->totals, rc);
	db_ok(d->db, rc, "counts");
}

bool
store_claim(struct dispatcher *d, struct list *out)
{
	return db_up(d->db) && db_ok(d->db, db_list(d->db, &claim, out, P(d->name)), "claim");
}

bool
store_sessions(struct dispatcher *d, struct list *out)
{
	return db_up(d->db) && db_ok(d->db, db_list(d->db, &look, out, P(d->name)), "held");
}

bool
store_renew(struct dispatcher *d, const struct str *uuids, const struct str *epochs, size_t n,
    struct list *out)
{
	const struct strs u = { uuids, n }, e = { epochs, n };

	return db_up(d->db) &&
	       db_ok(d->db, db_list(d->db, &renew, out, P(d->name), P(u), P(e)), "renew");
}

enum db_rc
store_ready(struct dispatcher *d, const struct session *s, int64_t *expires_ms)
{
	struct value_row m = { 0 };
	enum db_rc rc;

	if (!db_up(d->db))
		return DB_DOWN;
	rc = db_one(d->db, &ready, &m, P(s->row.uuid), P(s->row.epoch));
	db_ok(d->db, rc, "ready");
	*expires_ms = m.n;
	return rc;
}

void
store_activity(struct dispatcher *d, const struct session *s)
{
	if (db_up(d->db))
		db_ok(d->db, db_do(d->db, &activity, NULL, P(s->row.uuid), P(s->row.epoch)),
		    "activity");
}

bool
store_lost(struct dispatcher *d, const struct session *s)
{
	char text[UUID_LEN + 1];
	struct value_row m = { 0 };

	if (!db_up(d->db) ||
	    !db_ok(d->db, db_one(d->db, &lost, &m, P(s->row.uuid), P(s->row.epoch)), "lost"))
		return false;
	uuid_print(&s->row.uuid, text);
	if (m.text.p != NULL)
		log_event(LOGP_NOTICE, "gone", "session=%s epoch=%lld state=%.*s", text,
		    (long long)s->row.epoch, (int)m.text.n, m.text.p);
	return true;
}

bool
store_routes(struct dispatcher *d, struct list *out)
{
	return db_up(d->db) &&
	       db_ok(d->db,
		   db_list(d->db, &due, out, P(str_of(conf.route_target)), P(conf.route_probe)),
		   "routes");
}

void
store_probed(struct dispatcher *d, struct uuid route, bool answered, int64_t ms, struct str why)
{
	if (db_up(d->db))
		db_ok(d->db, db_do(d->db, &probed, NULL, P(route), P(answered), P(ms), P(why)),
		    "probed");
}

/* ---- evidence ---- */

static enum store_rc
evidence_outcome(struct dispatcher *d, enum db_rc rc, const struct value_row *m, const char *what)
{
	static const struct {
		const char *said;
		enum store_rc how;
	} outcomes[] = { { "stored", STORED }, { "room", STORED_ROOM }, { "full", STORED_FULL },
		{ "stale", STORED_STALE } };

	if (!db_ok(d->db, rc, what))
		return rc == DB_DOWN || rc == DB_TIMEOUT ? STORED_LATER : STORED_BAD;
	for (size_t i = 0; i < COUNT(outcomes); i++)
		if (str_is(m->text, outcomes[i].said))
			return outcomes[i].how;
	panic("the database returned %.*s for evidence", (int)m->text.n, m->text.p);
}

enum store_rc
store_room(struct dispatcher *d, const struct log_place *at, size_t bytes)
{
	struct value_row m = { 0 };
	enum db_rc rc;

	if (!db_up(d->db))
		return STORED_LATER;
	rc = db_one(d->db, &room, &m, P(at->session), P(at->epoch), P(at->seq), P((int64_t)bytes));
	return evidence_outcome(d, rc, &m, "room");
}

enum store_rc
store_shot(struct dispatcher *d, const struct log_place *at, const struct shot_row *s)
{
	const struct bytes hash = { s->sha256, sizeof(s->sha256) };
	struct value_row m = { 0 };
	enum db_rc rc;

	if (!db_up(d->db))
		return STORED_LATER;
	rc = db_one(d->db, &add_shot, &m, P(at->session), P(at->epoch), P(at->seq), P(s->uuid),
	    P(hash), P(s->bytes), P(s->mime), P(s->width), P(s->height), P(s->reason), P(s->tab),
	    P(s->url), P(s->title), P(s->taken_at));
	return evidence_outcome(d, rc, &m, "screenshot");
}

enum store_rc
store_events(struct dispatcher *d, const struct log_place *at, struct strs docs, bool truncated)
{
	struct value_row m = { 0 };
	enum db_rc rc;

	if (!db_up(d->db))
		return STORED_LATER;
	rc = db_one(d->db, &add_events, &m, P(at->session), P(at->epoch), P(at->seq), P(docs),
	    P(truncated));
	return evidence_outcome(d, rc, &m, "events");
}
