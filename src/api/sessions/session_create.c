/* SPDX-License-Identifier: ISC */
/* Creating and replaying browser sessions (C-084 to C-100, C-105). One SQL function,
   session_create, checks the limits, recognises a repeated request and inserts the session, so two
   requests at the same moment cannot both take the last place (C-090). A created session is queued;
   a dispatcher starts it later, and creation works without one (C-091).

   A repeat is recognised by two hashes: one of the request as it was sent, one with the country
   that was chosen for it. A request without a country may be given another country today than
   yesterday, and must still be the same request (C-084 to C-089). */
#include "config.h"

#include "access/idem.h"
#include "address/start_url.h"
#include "api/sessions/session_priv.h"
#include "wire/values.h"

struct session_in {
	struct str start_url, browser_profile, egress_country;
	struct session_viewport viewport;
	struct str country; /* egress_country, or the one that was chosen */
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
	  .help = "The operating system that the browser claims; windows by default." },
	{ .name = "egress_country", .type = FIELD_STR,
	  .offset = offsetof(struct session_in, egress_country), .lo = 2, .hi = 2,
	  .pattern = "^[A-Z]{2}$",
	  .help = "ISO 3166-1 alpha-2 in capitals, one of the capabilities; their first by default." },
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

STMT(create_one, outcome_out,
    "SELECT outcome, uuid, wait FROM session_create(ROW($1::uuid, $2::uuid, $3::uuid,"
    " $4::text, $5::text, $6::text, $7::integer, $8::integer, $9::uuid)::session_wanted,"
    " $10, $11, $12)");

STMT(key_used, session_change_out, "SELECT idempotency_used($1) AS moved");

/* ---- the same request again (C-084 to C-089) ---- */

struct fingerprint {
	unsigned char space[IDEM_HASH_LEN], request[IDEM_HASH_LEN], resolved[IDEM_HASH_LEN];
};

static struct str
bytes_of(const void *p, size_t n)
{
	return (struct str){ p, n };
}

static struct bytes
hash_key_space(const struct req *rq, struct fingerprint *f)
{
	const struct str parts[] = {
		bytes_of(rq->key->uuid.b, sizeof(rq->key->uuid.b)),
		bytes_of(rq->project.b, sizeof(rq->project.b)),
		str_of(rq->route->operation),
		rq->idempotency_key,
	};

	if (rq->idempotency_key.p == NULL)
		return (struct bytes){ NULL, 0 };
	idem_hash(parts, COUNT(parts), f->space);
	return (struct bytes){ f->space, sizeof(f->space) };
}

/* Hashes the normalised request with a country: the one that was sent or the one that was
   chosen. */
static struct bytes
hash_request(const struct session *s, struct str country, unsigned char out[IDEM_HASH_LEN])
{
	const struct str parts[] = {
		s->start_url,
		s->browser_profile,
		country,
		bytes_of(&s->viewport, sizeof(s->viewport)),
		bytes_of(s->replayed_from_session_uuid.b, sizeof(s->replayed_from_session_uuid.b)),
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
		panic("a session was created and cannot be found");
	if (rc != DB_OK)
		return fail_db(rq, rc);
	rq->location = arena_printf(
	    rq->arena, "/projects/%s/sessions/%s", uuid_text(&rq->project).z, uuid_text(&uuid).z)
			   .p;
	return reply(rq, rq->route->status, rq->route->wrapper, session_out, &s);
}

static int
reply_outcome(struct req *rq, const struct outcome *o)
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

/* want: the session without uuid, state and times. sent: the country in the request, or without p.

   session_create does everything in one statement: it claims the Idempotency-Key, which waits for a
   concurrent twin (C-088, C-089), takes a place within the limits of key and organisation (C-090),
   and inserts. Its outcome is created, repeated with the UUID of the first session, a conflict, or
   a limit with the seconds until a place may be free. */
static int
insert_session(struct req *rq, const struct session *want, struct str sent)
{
	struct fingerprint f;
	struct outcome o;
	struct bytes request = hash_request(want, sent, f.request),
		     resolved = hash_request(want, want->egress_country, f.resolved);
	enum db_rc rc = db_one(rq->db, &create_one, &o, P(uuid_random()), P(rq->project),
	    P(rq->key->uuid), P(want->start_url), P(want->browser_profile), P(want->egress_country),
	    P(want->viewport.width), P(want->viewport.height), P(want->replayed_from_session_uuid),
	    P(hash_key_space(rq, &f)), P(request), P(resolved));

	return rc == DB_OK ? reply_outcome(rq, &o) : fail_db(rq, rc);
}

/* ---- countries ---- */

static bool
is_country_listed(struct list countries, struct str code)
{
	const struct egress_country *c = countries.items;

	for (size_t i = 0; i < countries.n; i++)
		if (str_eq(c[i].code, code))
			return true;
	return false;
}

static bool
has_form_of_country(struct str s)
{
	return s.n == 2 && s.p[0] >= 'A' && s.p[0] <= 'Z' && s.p[1] >= 'A' && s.p[1] <= 'Z';
}

/* True in out when this Idempotency-Key was used: a repeat is answered even when its country is not
   available now. A client repeats a request because an answer was lost; in the meantime the last
   proxy of the country may have failed. Refusing the repeat would leave the client with a session
   that it does not know of. session_create decides whether the request is really the same; here it
   only gets the chance to. */
static enum db_rc
find_repeat(struct req *rq, bool *out)
{
	struct session_change used = { false };
	struct fingerprint f;
	enum db_rc rc = DB_OK;

	if (rq->idempotency_key.p != NULL)
		rc = db_one(rq->db, &key_used, &used, P(hash_key_space(rq, &f)));
	*out = used.moved;
	return rc;
}

/* Checks the country of a request, or sets it to the first available one when the request has none:

     sent      available   used before      result
     GB        GB          -                GB
     GB        others      yes              GB: session_create will answer the first session
     GB        others      no               a field error
     nothing   FR, GB      -                FR: the first in the order of codes, as .../capabilities promises
     nothing   none        yes              "": a placeholder, as no session is inserted for a repeat
     nothing   none        no               503, unless the body has other faults, which are reported
                                            instead */
static int
choose_country(struct req *rq, struct str *country, struct body_faults *faults)
{
	struct list countries;
	enum db_rc rc = egress_countries(rq, &countries);
	bool again = false;

	if (rc == DB_OK && !is_country_listed(countries, *country) &&
	    (country->p != NULL || countries.n == 0))
		rc = find_repeat(rq, &again);
	if (rc != DB_OK)
		return fail_db(rq, rc);
	if (country->p != NULL && (is_country_listed(countries, *country) || again))
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
check_session_body(struct req *rq, void *body, struct body_faults *faults)
{
	struct session_in *in = body;
	enum start_url_fault fault;

	if (in->start_url.p != NULL) {
		fault = start_url_check(rq->arena, in->start_url, &in->start_url);
		if (fault != START_URL_OK)
			body_fault(faults, "start_url", start_url_fault_code(fault),
			    start_url_fault_message(rq->arena, fault, STR(""), in->start_url).p);
	}
	if (in->browser_profile.p == NULL)
		in->browser_profile = str_of(session_profiles[0]);
	if (in->egress_country.p != NULL && !has_form_of_country(in->egress_country)) {
		body_fault(
		    faults, "egress_country", "invalid_format", "must be two letters from A to Z");
		return PASS;
	}
	in->country = in->egress_country;
	return choose_country(rq, &in->country, faults);
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

	return insert_session(rq, &want, in->egress_country);
}

/* ---- replay ---- */

/* Checks the URL and country of the source again: the rules and routes may have changed since
   (C-105). */
static int
check_source(struct req *rq, struct session *s)
{
	struct body_faults *faults = ARENA_NEW(rq->arena, struct body_faults);
	enum start_url_fault fault = start_url_check_stored(rq->arena, s->start_url, &s->start_url);

	if (fault != START_URL_OK)
		return fail_field(rq, "start_url", start_url_fault_code(fault),
		    start_url_fault_message(rq->arena, fault, STR(""), s->start_url).p);
	if (choose_country(rq, &s->egress_country, faults) != PASS)
		return FAILED;
	if (faults->n > 0)
		return fail_field(
		    rq, "egress_country", faults->rows[0].code.p, faults->rows[0].message.p);
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
	if (check_source(rq, &s) != PASS)
		return FAILED;
	s.replayed_from_session_uuid = s.uuid;
	return insert_session(rq, &s, s.egress_country);
}

static const enum error create_errors[] = { ERR_IDEMPOTENCY_KEY_CONFLICT, ERR_CALLER_SESSION_LIMIT,
	ERR_ORGANISATION_SESSION_LIMIT, ERR_UNSET };
static const enum error replay_errors[] = { ERR_IDEMPOTENCY_KEY_CONFLICT, ERR_CALLER_SESSION_LIMIT,
	ERR_ORGANISATION_SESSION_LIMIT, ERR_SESSION_NOT_FOUND, ERR_SESSION_NOT_TERMINAL,
	ERR_INVALID_REQUEST, ERR_UNSET };

static const struct route session_create_routes[] = {
	{
	    ROUTE(POST, SESSIONS, create_session),
	    SESSION_ROW(SCOPE_BROWSER_SESSIONS_CREATE),
	    .meter = METER_QUOTA,
	    BODY_CHECKED(struct session_in, session_in, BODY_CONFIGURED, check_session_body),
	    .example =
		JSON({ "start_url" : "https://example.com/", "browser_profile" : "windows" }),
	    .idempotent = true,
	    .status = 202,
	    .out = session_out,
	    .wrapper = "session",
	    .errors = create_errors,
	    .summary = "Queue a browser session",
	    .description =
		"The limits of the key and of the organisation are checked before the answer; "
		"the session starts later. Only the key that creates a session sees its "
		"stream, screenshots and network events.",
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
		"Queues a new session with the parameters of one that has ended. Only the "
		"creator of that session may do so.",
	},
	ROUTE_END,
};

ROUTES(160, session_create);
