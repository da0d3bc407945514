/* SPDX-License-Identifier: ISC */
/* FastCGI and routing. An operation is a row of a route table and a permission is a column of it: this
   directory walks the same stages (C-014) before every handler and knows no resource. */
#ifndef HTTP_HTTP_H
#define HTTP_HTTP_H

#include "access/audit.h"
#include "access/cursor.h"
#include "access/key.h"
#include "access/project.h"
#include "access/scope.h"
#include "access/ticket.h"
#include "base/limits.h"
#include "counting/meter.h"
#include "counting/metrics.h"
#include "db/db.h"
#include "json/json.h"
#include "wire/error.h"

/* ---- a route ---- */

struct req;

/* Every handler and every stage: what fail() and reply() return. */
enum { PASS = 0, FAILED = -1 };

enum method {
	METHOD_UNSET,
	METHOD_GET,
	METHOD_POST,
	METHOD_PUT,
	METHOD_PATCH,
	METHOD_DELETE
};

extern const char *const method_names[]; /* "GET" */

/* Who may call: never 0. */
enum access { ACCESS_UNSET, ACCESS_PUBLIC, ACCESS_ACCOUNT, ACCESS_PROJECT };

/* What a call counts against: never 0. */
enum meter { METER_UNSET, METER_NONE, METER_RATE, METER_QUOTA };

/* Which envelope errors have and which codes bad parameters get (C-060, C-061): never 0. */
enum area { AREA_UNSET, AREA_SEARCH, AREA_SERVICE };

/* A URL parameter: where it goes in the route's .query struct, and its own error. */
struct url_param {
	struct field field; /* text or integer */
	enum error error; /* when out of bounds or missing; ERR_UNSET: as the area says */
	const char *example; /* for OpenAPI; NULL: none */
};

#define URL_PARAM_END                                                                    \
	{                                                                                \
		.field = FIELD_END                                                       \
	}

/* Faults of a body at or below a member have their own code: aggregate's and bulk's. */
struct body_code {
	const char *member; /* of the top level; NULL ends the table */
	enum error error;   /* of everything wrong in it */
	enum error if_null; /* of the member being null */
};

enum { BODY_CONFIGURED = 0 }; /* the limit is conf.body_limit */

enum { BODY_FAULTS = 80 };

/* What is wrong with a body, for one answer (C-098). */
struct body_faults {
	struct field_error rows[BODY_FAULTS];
	size_t n;
};

void body_fault(
    struct body_faults *f, const char *field, const char *code, const char *message);

struct body {
	const struct field *fields; /* NULL: the operation takes no body */
	size_t size;                /* of the struct it fills */
	size_t limit;
	/* What no table can say: adds faults, and fills in what was not sent. Runs also where the table found
	   faults; texts that are absent or faulty have no p then. FAILED: it has answered. */
	int (*check)(struct req *rq, void *in, struct body_faults *faults);
};

/* Of .also: any of these scopes will do instead. */
#define SCOPE_BIT(id) (UINT64_C(1) << SCOPE_##id)

struct route {
	enum method method;
	const char *path;      /* below /api/v1; a segment "{name_uuid}" takes a UUID */
	const char *operation; /* snake case; camel case in OpenAPI */
	int (*handler)(struct req *rq);
	int arg;               /* what the handler is told: a dataset */
	const struct stmt *st; /* or a statement: page_list, record_one */

	/* SCOPE_ANY is spelled out, as ENTITLEMENT_ANY: 0 refuses to start. */
	enum scope scope;
	uint64_t also;
	enum access access;
	enum meter meter;
	enum area area;
	enum entitlement entitlement;

	const struct url_param *params; /* NULL: none are known */
	size_t params_size;             /* of the struct they fill */
	struct body body;
	const struct body_code *body_codes;
	bool idempotent; /* takes an Idempotency-Key */

	int status;      /* of success, for the description; 0: 200. 201 has a Location */
	int done_status; /* of success when nothing was left to do; 0: the same */
	/* The answer of success. */
	const struct field *out;
	const char *list; /* the answer is a page of out in a member of this name (A2) */
	const char *list_also; /* a boolean beside the list; NULL: none */
	const char
	    *wrapper; /* out stands in a member of this name; NULL: it is the answer */
	bool exact;   /* the answer has no other members than those of out (SPEC 2.2) */
	const char
	    *standard; /* or a document of this standard, with this member: "openapi" */
	int max_age;   /* seconds that every cache may keep the answer; 0: no-store */
	const char *const *media; /* or it is none of JSON: its types; NULL ends them */
	const enum error *errors; /* that the handler adds; ERR_UNSET ends the list */
	const char *tag, *summary, *description;
	const char *result;  /* what an answer of status 200 holds */
	const char *example; /* a body that works on any data, in JSON; NULL: none */
};

#define ROUTE_AS(verb, pattern, name, fn)                                                \
	.method = METHOD_##verb, .path = (pattern), .operation = (name), .handler = (fn)
#define ROUTE(verb, pattern, fn) ROUTE_AS(verb, pattern, #fn, fn)
#define ROUTE_END                                                                        \
	{                                                                                \
		.method = METHOD_UNSET                                                   \
	}
#define BODY_CHECKED(type, table, bytes, fn)                                             \
	.body = {                                                                        \
		.fields = (table), .size = sizeof(type), .limit = (bytes), .check = (fn) \
	}
#define BODY(type, table, bytes)                                                         \
	.body = { .fields = (table), .size = sizeof(type), .limit = (bytes) }
#define PARAMS(type, table) .params = (table), .params_size = sizeof(type)

/* ---- a process that serves ---- */

struct engine;

struct worker {
	struct arena *arena;
	struct db *db;
	struct key_cache *keys;
	struct meter_link *meter;
	struct metrics *metrics;            /* may be NULL */
	int operations[METRICS_OPERATIONS]; /* of every row of the tables, in order */
	struct cursor_secret secret;
	struct ticket_ring *tickets;
	struct engine *engine;
	const struct route *const
	    *tables; /* each ends with ROUTE_END; NULL ends the list */
	/* Between two requests: takes a new index generation. */
	void (*refresh)(struct worker *w);
	/* Right after a request was accepted, whether its client still waits or not. NULL: nothing is done;
	   the same for the next. */
	void (*accepted)(struct str request_id);
	/* After the answer was sent. */
	void (*answered)(struct req *rq);
};

/* Serves from listener until the process is to stop or has answered conf.worker_requests. */
void http_serve(struct worker *w, int listener);
/* Opens the counters of the host and gives every row its place in them. */
void http_metrics(struct worker *w);
/* False, with the reason, when a row lacks scope, access, meter or area. */
bool routes_check(const struct route *const *tables, char *err, size_t room) MUST_USE;

/* ---- one request: lives in the worker's arena until it is answered ---- */

enum { PATH_PARAMS = 4 };

struct req {
	struct worker *worker;
	struct arena *arena;
	struct db *db;
	const char *const *env; /* NAME=value as the web server sent them */
	size_t (*read)(void *arg, char *to, size_t n); /* the body; 0 at its end */
	bool (*gone)(void *arg); /* nobody waits for the answer any more */
	void *read_arg;

	char id[LIM_REQUEST_ID + 1];
	struct ts now;
	int64_t started, deadline; /* mono_us */
	struct str query_string;   /* raw */

	const struct route *route; /* NULL: no such operation */
	enum area area;            /* of the route, or of the path's beginning */
	const char *allow;         /* of a 405 */
	struct str captured[PATH_PARAMS];
	size_t ncaptured;
	struct uuid path[PATH_PARAMS]; /* the path's UUIDs, in order */
	const struct key *key; /* NULL before authentication and on public routes */
	struct uuid project;   /* ACCESS_PROJECT: one the key may see */
	struct str body;
	const void *params; /* a route's .params_size bytes */
	const void *in;     /* a route's .body.size bytes */
	struct str
	    idempotency_key; /* of an .idempotent route; without p: none was sent */

	/* The answer. */
	int status;
	enum error error;           /* ERR_UNSET: none */
	int retry_after;            /* seconds; 0: no header */
	struct meter_ticket ticket; /* what it took of rates and quotas */
	bool deserted;              /* its client left before it was done */
	const char *location;       /* below /api/v1; NULL: no header */
	const char *
	    handed_to; /* nginx's named location that answers instead; NULL: this worker does */
	bool replayed; /* Idempotency-Replayed: true */
	const char *content_type;
	const char *etag; /* the ETag without its quotes; NULL: no header */
	int max_age;      /* seconds that any cache may keep the answer; 0: no-store */
	struct buf out;
};

/* Fills what follows from env and reads a long query string; then every stage and the handler. */
void req_serve(struct req *rq);

/* ---- answers ---- */

/* The buffer of a JSON answer with this status. */
struct buf *reply_begin(struct req *rq, int status);
/* Ends an answer that is the same for every client: caches keep it for the route's max_age, its ETag is the
   SHA-256 of its bytes, and a client that has it already gets 304 (RFC 9110, 13.1.2). */
int reply_public(struct req *rq);
/* {"wrapper":{...}}, or {...} when wrapper is NULL. */
int reply(struct req *rq, int status, const char *wrapper, const struct field *out,
    const void *in);

int fail(struct req *rq, enum error e);
/* With a message of this request's: 1 to 512 characters, longer ones are cut. */
int fail_at(struct req *rq, enum error e, struct str message);
/* invalid_request with one field error. */
int fail_field(struct req *rq, const char *field, const char *code, const char *message);
int fail_retry(struct req *rq, enum error e, int seconds);
int fail_db(struct req *rq, enum db_rc rc);
/* The error of bad parameters in this area. */
enum error area_bad_parameter(enum area area);

#endif
