/* SPDX-License-Identifier: ISC */
/* Creating and replaying browser sessions: SPEC 4.4, CONTRACT A4, C-084 to C-100. Nothing here knows whether
   there is a dispatcher (C-091); the database admits, once and for all (C-090). */
#include "config.h"

#include "access/idem.h"
#include "address/start_url.h"
#include "api/session_priv.h"
#include "wire/values.h"

struct session_in {
	struct str start_url, browser_profile, egress_country;
	struct session_viewport viewport;
	struct str country; /* what egress_country is, or stands for */
};

/* clang-format off */
static const struct field viewport_in[] = {
	NUMBER(struct session_viewport, width, REQUIRED, LIM_VIEWPORT_WIDTH_MIN,
	    LIM_VIEWPORT_WIDTH_MAX, LIM_VIEWPORT_WIDTH_DEFAULT),
	NUMBER(struct session_viewport, height, REQUIRED, LIM_VIEWPORT_HEIGHT_MIN,
	    LIM_VIEWPORT_HEIGHT_MAX, LIM_VIEWPORT_HEIGHT_DEFAULT),
	FIELD_END,
};

static const struct field session_in[] = {
	{ .name = "start_url", .type = FIELD_STR, .flags = REQUIRED,
	  .offset = offsetof(struct session_in, start_url), .lo = 1, .hi = LIM_START_URL,
	  .help = "http or https, without user information, to a public host; answered in its "
		  "canonical form." },
	{ .name = "browser_profile", .type = FIELD_STR,
	  .offset = offsetof(struct session_in, browser_profile), .values = session_profiles,
	  .help = "What the browser says it runs on; windows unless said." },
	{ .name = "egress_country", .type = FIELD_STR,
	  .offset = offsetof(struct session_in, egress_country), .lo = 2, .hi = 2,
	  .pattern = "^[A-Z]{2}$",
	  .help = "ISO 3166-1 alpha-2 in capitals, of the capabilities; their first unless said." },
	OBJECT(struct session_in, viewport, 0, viewport_in),
	FIELD_END,
};
/* clang-format on */

struct outcome {
	struct str outcome;
	struct uuid uuid;
	int64_t wait;
};

static const struct field outcome_out[] = {
	FIELD(struct outcome, outcome, 0),
	FIELD(struct outcome, uuid, 0),
	FIELD(struct outcome, wait, 0),
	FIELD_END,
};

static const struct stmt create_one = STMT(create_one, outcome_out,
    "SELECT outcome, uuid, wait FROM session_create(ROW($1::uuid, $2::uuid, $3::uuid,"
    " $4::text, $5::text, $6::text, $7::integer, $8::integer, $9::uuid)::session_wanted,"
    " $10, $11, $12)");

static const struct field used_out[] = { FIELD(struct session_moved, moved, 0),
	FIELD_END };

static const struct stmt key_used =
    STMT(key_used, used_out, "SELECT idempotency_used($1) AS moved");

/* ---- the same request again (C-084 to C-089) ---- */

struct fingerprint {
	unsigned char space[IDEM_HASH_LEN], request[IDEM_HASH_LEN],
	    resolved[IDEM_HASH_LEN];
};

static struct str
view(const void *p, size_t n)
{
	return (struct str){ p, n };
}

static struct bytes
space_of(const struct req *rq, struct fingerprint *f)
{
	const struct str parts[] = {
		view(rq->key->uuid.b, sizeof(rq->key->uuid.b)),
		view(rq->project.b, sizeof(rq->project.b)),
		str_of(rq->route->operation),
		rq->idempotency_key,
	};

	if (rq->idempotency_key.p == NULL)
		return (struct bytes){ NULL, 0 };
	idem_hash(parts, COUNT(parts), f->space);
	return (struct bytes){ f->space, sizeof(f->space) };
}

/* What is wanted, normalised, with the country as it was said or as it is. */
static struct bytes
request_of(const struct session *s, struct str country, unsigned char out[IDEM_HASH_LEN])
{
	const struct str parts[] = {
		s->start_url,
		s->browser_profile,
		country,
		view(&s->viewport, sizeof(s->viewport)),
		view(s->replayed_from_session_uuid.b,
		    sizeof(s->replayed_from_session_uuid.b)),
	};

	idem_hash(parts, COUNT(parts), out);
	return (struct bytes){ out, IDEM_HASH_LEN };
}

/* ---- the answer ---- */

static int
reply_session(struct req *rq, struct uuid uuid)
{
	struct session s;
	enum db_rc rc = session_find(rq, uuid, &s);

	if (rc == DB_NONE)
		panic("a session is gone");
	if (rc != DB_OK)
		return fail_db(rq, rc);
	rq->location = arena_printf(rq->arena, "/projects/%s/sessions/%s",
	    uuid_text(&rq->project).z, uuid_text(&uuid).z)
			   .p;
	return reply(rq, rq->route->status, rq->route->wrapper, session_out, &s);
}

static int
answer(struct req *rq, const struct outcome *o)
{
	static const struct {
		const char *outcome;
		enum error error;
	} limits[] = {
		{ "caller_limit", ERR_CALLER_SESSION_LIMIT },
		{ "organisation_limit", ERR_ORGANISATION_SESSION_LIMIT },
	};

	if (str_is(o->outcome, "conflict"))
		return fail(rq, ERR_IDEMPOTENCY_KEY_CONFLICT);
	for (size_t i = 0; i < COUNT(limits); i++)
		if (str_is(o->outcome, limits[i].outcome))
			return fail_retry(rq, limits[i].error, (int)o->wait);
	rq->replayed = str_is(o->outcome, "repeated");
	return reply_session(rq, o->uuid);
}

/* want: all but uuid, state and times. said: the country as the request has it, perhaps not at all. */
static int
create(struct req *rq, const struct session *want, struct str said)
{
	struct fingerprint f;
	struct outcome o;
	struct bytes request = request_of(want, said, f.request),
		     resolved = request_of(want, want->egress_country, f.resolved);
	enum db_rc rc = db_one(rq->db, &create_one, &o, P(uuid_random()), P(rq->project),
	    P(rq->key->uuid), P(want->start_url), P(want->browser_profile),
	    P(want->egress_country), P(want->viewport.width), P(want->viewport.height),
	    P(want->replayed_from_session_uuid), P(space_of(rq, &f)), P(request),
	    P(resolved));

	return rc == DB_OK ? answer(rq, &o) : fail_db(rq, rc);
}

/* ---- countries ---- */

static bool
listed(struct list countries, struct str code)
{
	const struct egress_country *c = countries.items;

	for (size_t i = 0; i < countries.n; i++)
		if (str_eq(c[i].code, code))
			return true;
	return false;
}

static bool
country_code(struct str s)
{
	return s.n == 2 && s.p[0] >= 'A' && s.p[0] <= 'Z' && s.p[1] >= 'A' &&
	       s.p[1] <= 'Z';
}

/* A repeat is answered whatever can be had now: only its first time was admitted. */
static enum db_rc
repeats(struct req *rq, bool *out)
{
	struct session_moved used = { false };
	struct fingerprint f;
	enum db_rc rc = DB_OK;

	if (rq->idempotency_key.p != NULL)
		rc = db_one(rq->db, &key_used, &used, P(space_of(rq, &f)));
	*out = used.moved;
	return rc;
}

/* country: of a request that said it, or without p; then the first that can be had. */
static int
choose(struct req *rq, struct str *country, struct body_faults *faults)
{
	struct list countries;
	enum db_rc rc = egress_countries(rq, &countries);
	bool again = false;

	if (rc == DB_OK && !listed(countries, *country) &&
	    (country->p != NULL || countries.n == 0))
		rc = repeats(rq, &again);
	if (rc != DB_OK)
		return fail_db(rq, rc);
	if (country->p != NULL && (listed(countries, *country) || again))
		return PASS;
	if (country->p != NULL)
		body_fault(faults, "egress_country", "not_allowed",
		    "must be a country that .../sessions/capabilities lists");
	else if (countries.n > 0)
		*country = ((const struct egress_country *)countries.items)[0].code;
	else if (again)
		*country = STR("");
	else if (faults->n == 0)
		return fail(rq, ERR_SERVICE_UNAVAILABLE);
	return PASS;
}

/* ---- create ---- */

static int
check(struct req *rq, void *body, struct body_faults *faults)
{
	struct session_in *in = body;
	enum start_url_fault fault;

	if (in->start_url.p != NULL) {
		fault = start_url_check(rq->arena, in->start_url, &in->start_url);
		if (fault != START_URL_OK)
			body_fault(faults, "start_url", start_url_fault_code(fault),
			    start_url_fault_message(
				rq->arena, fault, STR(""), in->start_url)
				.p);
	}
	if (in->browser_profile.p == NULL)
		in->browser_profile = str_of(session_profiles[0]);
	if (in->egress_country.p != NULL && !country_code(in->egress_country)) {
		body_fault(faults, "egress_country", "invalid_format",
		    "must be two letters from A to Z");
		return PASS;
	}
	in->country = in->egress_country;
	return choose(rq, &in->country, faults);
}

static int
create_session(struct req *rq)
{
	const struct session_in *in = rq->in;
	const struct session want = {
		.start_url = in->start_url,
		.browser_profile = in->browser_profile,
		.egress_country = in->country,
		.viewport = in->viewport,
	};

	return create(rq, &want, in->egress_country);
}

/* ---- replay ---- */

/* What was right when the source was created need not be so any more (C-105). */
static int
check_again(struct req *rq, struct session *s)
{
	struct body_faults *faults = ARENA_NEW(rq->arena, struct body_faults);
	enum start_url_fault fault =
	    start_url_check_stored(rq->arena, s->start_url, &s->start_url);

	if (fault != START_URL_OK)
		return fail_field(rq, "start_url", start_url_fault_code(fault),
		    start_url_fault_message(rq->arena, fault, STR(""), s->start_url).p);
	if (choose(rq, &s->egress_country, faults) != PASS)
		return FAILED;
	if (faults->n > 0)
		return fail_field(rq, "egress_country", faults->rows[0].code,
		    faults->rows[0].message.p);
	return PASS;
}

static int
replay_session(struct req *rq)
{
	struct session s;

	if (session_own_only(rq, &s) != PASS)
		return FAILED;
	if (!session_is_terminal(&s))
		return fail(rq, ERR_SESSION_NOT_TERMINAL);
	if (check_again(rq, &s) != PASS)
		return FAILED;
	s.replayed_from_session_uuid = s.uuid;
	return create(rq, &s, s.egress_country);
}

static const enum error create_errors[] = { ERR_IDEMPOTENCY_KEY_CONFLICT,
	ERR_CALLER_SESSION_LIMIT, ERR_ORGANISATION_SESSION_LIMIT, ERR_UNSET };
static const enum error replay_errors[] = { ERR_IDEMPOTENCY_KEY_CONFLICT,
	ERR_CALLER_SESSION_LIMIT, ERR_ORGANISATION_SESSION_LIMIT, ERR_SESSION_NOT_FOUND,
	ERR_SESSION_NOT_TERMINAL, ERR_INVALID_REQUEST, ERR_UNSET };

const struct route session_create_routes[] = {
	{
	    ROUTE(POST, SESSIONS, create_session),
	    SESSION_ROW(SCOPE_BROWSER_SESSIONS_CREATE),
	    .meter = METER_QUOTA,
	    BODY_CHECKED(struct session_in, session_in, BODY_CONFIGURED, check),
	    .example = "{\"start_url\":\"https://example.com/\","
		       "\"browser_profile\":\"windows\"}",
	    .idempotent = true,
	    .status = 202,
	    .out = session_out,
	    .wrapper = "session",
	    .errors = create_errors,
	    .summary = "Queue a browser session",
	    .description =
		"Admitted against the limits of the key and of the organisation before "
		"it is answered, started later. The key alone that creates a session "
		"sees its stream, screenshots and network events.",
	},
	{
	    ROUTE(POST, SESSION "/replay", replay_session),
	    SESSION_ROW(SCOPE_BROWSER_SESSIONS_CREATE),
	    .meter = METER_QUOTA,
	    .idempotent = true,
	    .status = 202,
	    .out = session_out,
	    .wrapper = "session",
	    .errors = replay_errors,
	    .summary = "Replay a browser session",
	    .description =
		"Queues a new session with what a terminal one was created with. Its "
		"creator alone may.",
	},
	ROUTE_END,
};

const struct stmt *const session_create_stmts[] = { &create_one, &key_used, NULL };
