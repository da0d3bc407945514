/* SPDX-License-Identifier: ISC */
/* The life of a request between fcgi.c, which receives it, and fcgi.c, which sends its answer
 * (the picture is in http.h): the stages in the order of C-014, then charges, metrics and the
 * log line.
 *
 * The order of the stages is visible to clients, because the first stage that refuses decides
 * the code. The charge comes before the project is looked up and the body is read, so a request
 * over its limit costs little, and the body is decoded after every check that does not need it.
 * A stage is one row of stages[]; each runs or the request ends. */
#include "config.h"

#include "daemon/conf.h"
#include "http/http_priv.h"
#include "http/stages_priv.h"

#include <inttypes.h>

enum { AGE_MAX_US = 120000000 };

static int
find_route(struct req *rq)
{
	struct router_match found;
	enum match match = router_match(rq->arena, rq->worker->tables,
	    env_get(rq, "REQUEST_METHOD"), env_get(rq, "REQUEST_URI"), &found);

	rq->area = found.area;
	switch (match) {
	case MATCH_FOUND:
		rq->route = found.route;
		memcpy(rq->captured, found.captured, sizeof(found.captured));
		rq->ncaptured = found.ncaptured;
		return PASS;
	case MATCH_METHOD:
		rq->allow = found.allow;
		return fail(rq, ERR_METHOD_NOT_ALLOWED);
	case MATCH_NONE:
		return fail(rq, ERR_NOT_FOUND);
	}
	panic("match out of range");
}

/* A request whose budget was used up in a queue is refused without any work: nginx has given up on
   it, or its client has. */
static int
check_deadline(struct req *rq)
{
	if (mono_us() < rq->deadline)
		return PASS;
	return fail(rq, rq->area == AREA_SEARCH ? ERR_SEARCH_TIMEOUT : ERR_SERVICE_UNAVAILABLE);
}

/* The name that the route's path gives to its i-th parameter: "session_uuid". */
static const char *
captured_name(struct req *rq, size_t i)
{
	const char *p = strchr(rq->route->path, '{');

	while (i-- > 0)
		p = strchr(p + 1, '{');
	return arena_str(rq->arena, (struct str){ p + 1, strcspn(p + 1, "}") }).p;
}

/* The router captures any text; a text that is no UUID is a 400 and not a 404 (C-020), but only
   after authentication. A parameter whose name does not end in "uuid" is checked by its handler. */
static int
parse_path_uuids(struct req *rq)
{
	for (size_t i = 0; i < rq->ncaptured; i++) {
		struct field_error fe = { .code = STR("invalid_format"),
			.field = str_of(captured_name(rq, i)),
			.message = STR("must be a UUID") };

		if (str_ends(fe.field, STR("uuid")) && !uuid_parse(rq->captured[i], &rq->path[i]))
			return fail_fields(rq, area_bad_parameter(rq->route->area), &fe, 1);
	}
	return PASS;
}

/* Before the charge and the body: the worker that answers does both. */
static int
hand_over(struct req *rq)
{
	if (!rq->route->heavy || rq->worker->hand_over == NULL)
		return PASS;
	return rq->worker->hand_over(rq);
}

struct stage {
	const char *name; /* in the log line of a request that the stage refused */
	int (*run)(struct req *rq);
};

static const struct stage stages[] = {
	{ "route", find_route },
	{ "deadline", check_deadline },
	{ "auth_who", auth_who },
	{ "auth_csrf", auth_csrf },
	{ "auth_override", auth_override },
	{ "auth_account", auth_account },
	{ "auth_scope", auth_scope },
	{ "auth_recent", auth_recent },
	{ "auth_entitlement", auth_entitlement },
	{ "hand_over", hand_over },
	{ "meter", meter_admit_request },
	{ "path_uuids", parse_path_uuids },
	{ "auth_project", auth_project },
	{ "body_type", body_check_type },
	{ "body_read", body_read },
	{ "params", params_read },
	{ "idempotency", idempotency_read },
	{ "body_decode", body_decode },
	{ "throttle", throttle_admit },
	{ "handler", handler_run },
};

static bool
is_id_char(char c)
{
	return (c >= 'a' && c <= 'f') || ascii_digit(c);
}

/* The id is nginx's own or a fresh one, never text of a client (C-063). */
static void
set_request_id(struct req *rq)
{
	struct str id = env_get(rq, "REQUEST_ID");
	unsigned char fresh[16];
	size_t i = 0;

	while (i < id.n && is_id_char(id.p[i]))
		i++;
	if (id.n == 32 && i == id.n) {
		memcpy(rq->id, id.p, id.n);
		rq->id[id.n] = '\0';
		return;
	}
	random_bytes(fresh, sizeof(fresh));
	hex_print(rq->id, fresh, sizeof(fresh));
}

/* The time since nginx received the request; MSEC is nginx's clock then, as "seconds.milliseconds".
   nginx gives up on an answer after 70 s, so a much greater age means that the clock was set since:
   it counts as none. */
static int64_t
request_age_us(const struct req *rq)
{
	struct str fraction = env_get(rq, "MSEC"), whole = str_until(&fraction, '.');
	int64_t sec, ms, age;

	if (fraction.n != 3 || !str_int64(whole, &sec) || !str_int64(fraction, &ms) || sec < 0 ||
	    sec > INT64_MAX / 2000000)
		return 0;
	age = rq->now.us - (sec * SECOND_US + ms * 1000);
	return age < 0 || age > AGE_MAX_US ? 0 : age;
}

static struct str
raw_query(struct req *rq)
{
	struct str uri = env_get(rq, "REQUEST_URI");

	(void)str_until(&uri, '?');
	return uri;
}

/* nginx sends a long query string as the body and marks the request with LONG_QUERY. ROOM exceeds
   the limit, so params_read still sees when the string is too long. */
static struct str
read_long_query(struct req *rq)
{
	enum { ROOM = 128 * 1024 };
	char *to = arena_alloc(rq->arena, ROOM);
	size_t n = 0, got;

	while (n < ROOM && (got = rq->read(rq->read_arg, to + n, ROOM - n)) > 0)
		n += got;
	return (struct str){ to, n };
}

static void
begin_request(struct req *rq)
{
	rq->now = ts_now();
	rq->started = mono_us();
	rq->deadline = rq->started + conf.request_budget * 1000 - request_age_us(rq);
	set_request_id(rq);
	rq->query_string =
	    str_is(env_get(rq, "LONG_QUERY"), "1") ? read_long_query(rq) : raw_query(rq);
	if (rq->db != NULL)
		db_use(rq->db, rq->arena, rq->deadline);
}

static bool
is_logged(const struct req *rq)
{
	if (strcmp(conf.log_requests, "failed") == 0)
		return rq->handed_to == NULL && rq->status >= 400;
	return strcmp(conf.log_requests, "all") == 0;
}

/* stage: the last stage that ran; it refused the request if there is an error. */
static void
log_done(const struct req *rq, const char *stage)
{
	if (!is_logged(rq))
		return;
	if (rq->handed_to != NULL) {
		log_event(LOGP_INFO, "handed_over", "req=%s op=%s key=%s us=%" PRId64, rq->id,
		    rq->route->operation, rq->key->prefix, mono_us() - rq->started);
		return;
	}
	log_event(rq->status >= 500 ? LOGP_WARNING : LOGP_INFO, "done",
	    "req=%s op=%s key=%s status=%d code=%s stage=%s us=%" PRId64, rq->id,
	    rq->route == NULL ? "-" : rq->route->operation, rq->key == NULL ? "-" : rq->key->prefix,
	    rq->status, rq->error == ERR_UNSET ? "-" : error_code(rq->error),
	    rq->error == ERR_UNSET ? "-" : stage, mono_us() - rq->started);
}

void
req_serve(struct req *rq)
{
	size_t last = 0;

	begin_request(rq);
	while (stages[last].run(rq) == PASS && last + 1 < COUNT(stages))
		last++;
	if (rq->status == 0)
		panic("req=%s stage=%s: no answer", rq->id, stages[last].name);
	throttle_settle(rq);
	meter_settle(rq);
	metrics_count_answer(rq);
	log_done(rq, stages[last].name);
}
