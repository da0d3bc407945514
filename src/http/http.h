/* SPDX-License-Identifier: ISC */
/* FastCGI and routing. An operation is a row of a route table, and a permission is a column of that
 * row: this directory runs the same stages before every handler (C-014) and knows no resource.
 *
 * The life of a request. nginx buffers the whole request, gives it an id and connects to the socket
 * of a pool. A worker serves one request at a time:
 *
 *   wait for a connection                                            fcgi.c
 *        |          refresh: the worker maps a new generation of the index
 *   accept; read the FastCGI parameters, for at most READ_SECONDS
 *        |          accepted: the request leaves the table of waiting requests (api/search/share.h)
 *   has the client left? -- yes --> log "gone", answer nothing
 *        | no
 *   begin: id, query string; compute the deadline                     request.c
 *        |
 *   route                                      the row; 404, 405     router.c
 *   deadline                                   has it passed? 503     request.c
 *   auth_who                                   401, 503: key, ticket, cookie    auth.c
 *   auth_csrf                                  403: of a cookie      cookie.c
 *   auth_override                              400, 404: the key's account, or
 *                                              the organisation that a person
 *                                              acts in               organisation.c
 *   auth_account, auth_scope,
 *   auth_recent, auth_entitlement              401, 403              auth.c
 *   hand_over                                  503: of a heavy operation   request.c
 *   meter                                      429; charges the key  meter.c
 *   path_uuids, auth_project                   400, 404              request.c, auth.c
 *   body_type, body_read                       415, 413              body.c
 *   params, idempotency,                                             params.c, idempotency.c,
 *   body_decode                                400                   body.c
 *   throttle                                   429: of a sign-in     throttle.c
 *        |          each stage passes, or writes an error and ends the list
 *   handler: BEGIN, the operation,                                   handler.c
 *            has the client left? -- yes --> ROLLBACK
 *            COMMIT
 *        |
 *   settle: give the charges back that the status does not cost      meter.c
 *   count the answer; log "done" with the stage that refused it      metrics.c, request.c
 *   read the rest of the body, send the answer                       fcgi.c
 *        |          answered: the time of a search goes into the mean of its account
 *   reset the arena: everything that belongs to the request is freed
 *
 * Five decisions carry the rest:
 *
 * The order of the stages is part of the contract. A request with several faults gets the error of
 * the first stage that finds one, so a client without a valid key learns nothing about bodies or
 * projects. Charging comes behind authorisation, since refused keys pay nothing (C-069), and before
 * the body, since an authorised client pays for its invalid bodies. settle gives the charge of 401,
 * 403, 429 and 5xx back. A long search is handed over (api/search/share.h): instead of an answer,
 * nginx gets the name of another pool and sends the request there. settle gives its charge back,
 * too, because the worker that answers charges again. A client that leaves while its handler runs
 * pays, because the work was done.
 *
 * A handler never checks a permission. routes_check ends the program at its start when a row lacks
 * its scope, access, meter, area or entitlement; SCOPE_ANY and ENTITLEMENT_ANY are written out.
 *
 * Nothing is sent before everything is decided. The answer is built in req.out, in the request's
 * arena, so an error that is found late replaces it as a whole. The commit comes before the first
 * byte: a client that reads a success can rely on it. The transaction is rolled back when the
 * handler's status is 400 or more, when the client has left and when the commit fails. GET and
 * searches have none. A connection to PostgreSQL that is lost during COMMIT gives 503 and an
 * unknown outcome; a client that reads nothing knows nothing either. Idempotency-Key exists for
 * these cases: the operation recognises a repeated request in its transaction.
 *
 * The deadline counts from the moment when nginx received the request. Time in the queue of the
 * socket is part of conf.request_budget, and each database call and each search gets the rest of
 * it. begin computes the deadline; the stage "deadline" refuses a request whose deadline has passed
 * already, without any work.
 *
 * A bug ends one worker. panic() logs the reason, the master starts a new worker, the charges of
 * the request are given back (counting/meter.h), and nginx answers with a 502 or 503 in the
 * envelope of the API.
 */
#ifndef HTTP_HTTP_H
#define HTTP_HTTP_H

#include "access/audit.h"
#include "access/cursor.h"
#include "access/key.h"
#include "access/password.h"
#include "access/person.h"
#include "access/project.h"
#include "access/scope.h"
#include "daemon/daemon.h"
#include "access/seal.h"
#include "access/ticket.h"
#include "base/limits.h"
#include "counting/admit.h"
#include "counting/metrics.h"
#include "db/db.h"
#include "json/json.h"
#include "wire/error.h"

/* ---- a route ---- */

struct req;

/* The result of every handler and of every stage, and so of fail() and reply(). */
enum { PASS = 0, FAILED = -1 };

enum method { METHOD_UNSET, METHOD_GET, METHOD_POST, METHOD_PUT, METHOD_PATCH, METHOD_DELETE };

extern const char *const method_names[]; /* "GET" */

/* The clients that may call an operation. A row never has the value 0. A person who is signed in
   and acts in an organisation has the console credential of the membership in req.key, and is
   treated as a key is. */
enum access {
	ACCESS_UNSET,
	ACCESS_PUBLIC,  /* everybody; nobody is asked who they are */
	ACCESS_VISITOR, /* browsers, whether somebody is signed in or not; no key */
	ACCESS_PERSON,  /* a person who is signed in, in no organisation; no key */
	ACCESS_ACCOUNT, /* each valid key, and a person in an organisation */
	ACCESS_PROJECT, /* those of them that may see the project in the path */
};

/* The buckets that an attempt spends before the handler runs (throttle.c). */
enum throttled {
	THROTTLE_NOTHING,
	THROTTLE_PROXY,    /* the network, unless the company's proxy names the person */
	THROTTLE_EMAIL,    /* the e-mail in the body and, if new for the person, the network */
	THROTTLE_STEP,     /* the half-open sign-in in the body, its person and the network */
	THROTTLE_LINK,     /* the link in the body and the network */
	THROTTLE_PERSON,   /* the person who is signed in */
	THROTTLE_PASSWORD, /* the same for a new password */
};

/* The counters that a call is charged to: none, rates, rates and quotas. A row never leaves it
   0. */
enum meter { METER_UNSET, METER_NONE, METER_RATE, METER_QUOTA };

/* The envelope of an operation's errors and the codes of its bad parameters (C-060, C-061). A row
   never leaves it 0. */
enum area { AREA_UNSET, AREA_SEARCH, AREA_SERVICE };

/* A URL parameter: its member in the route's .params struct, and its own error. */
struct url_param {
	struct field field;  /* text, integer or UUID */
	enum error error;    /* when it is invalid or missing; ERR_UNSET: the area's */
	const char *example; /* for OpenAPI; NULL: none */
};

#define URL_PARAM_END                                                                              \
	{                                                                                          \
		.field = FIELD_END                                                                 \
	}

/* The error code of faults at or below one member of a body: aggregate and bulk have codes of their
   own. */
struct body_code {
	const char *member; /* a member of the top level; NULL ends the table */
	enum error error;
	enum error if_null; /* the code when the member is null */
};

enum { BODY_CONFIGURED = 0 }; /* the limit is conf.body_limit */

enum { BODY_FAULTS = 80 };

/* The faults of a body that one answer reports (C-098). */
struct body_faults {
	struct field_error rows[BODY_FAULTS];
	size_t n;
};

/* Adds a fault; faults beyond BODY_FAULTS are dropped. */
void body_fault(struct body_faults *f, const char *field, const char *code, const char *message);

struct body {
	const struct field *fields; /* NULL: the operation takes no body */
	size_t size;                /* bytes of the struct that the body fills */
	size_t limit;
	/* Checks rules that a field table cannot express: adds faults, and sets members that were
	   not sent. It also runs when the table has found faults, so that one answer reports all of
	   them; texts that are absent or faulty then have no p. FAILED: the check has written an
	   answer itself. */
	int (*check)(struct req *rq, void *in, struct body_faults *faults);
};

/* For .also: a key with any of these scopes may call, too. */
#define SCOPE_BIT(id) (UINT64_C(1) << SCOPE_##id)

struct route {
	enum method method;
	const char *path;      /* below /api/v1; a segment "{name_uuid}" takes a UUID */
	const char *operation; /* snake case; camel case in OpenAPI */
	int (*handler)(struct req *rq);
	int arg;               /* for handlers that several rows share: a dataset, an event */
	const struct stmt *st; /* the statement of page_list and record_one */

	/* A row without one of these keeps the program from starting. */
	enum scope scope;
	uint64_t also;
	enum scope besides; /* the key needs this scope too; SCOPE_UNSET or SCOPE_ANY: no other */
	enum access access;
	enum meter meter;
	enum area area;
	enum entitlement entitlement;
	bool heavy;  /* takes long in any case: workers of surfaced_heavy serve it */
	bool recent; /* a person must have signed in within conf.sign_in_recent */
	enum throttled throttle;
	/* TICKET_EVIDENCE: GET of a session's evidence, for which X-Evidence-Ticket may take the
	   place of the key. */
	enum ticket_kind ticket;

	const struct url_param *path_params; /* describe the path's parameters that are no UUIDs */
	const struct url_param *params;      /* NULL: every parameter is unknown */
	size_t params_size;                  /* bytes of the struct that they fill */
	struct body body;
	const struct body_code *body_codes;
	bool idempotent; /* takes an Idempotency-Key */
	bool changes;    /* in the area of searches, where POST alone changes nothing */
	bool reads;      /* answers documents, which people may do LIM_PEOPLE_READS times a day */

	/* The answer of success: its status (0: 200; 201 has a Location), and the status when
	   nothing was left to do (0: the same). */
	int status;
	int done_status;
	const struct field *out;
	const char *list;              /* the answer is a page of out in this member (C-701) */
	const struct field *list_also; /* at most two members beside the list; NULL: none */
	const char *wrapper;           /* the member that holds out; NULL: out is the answer */
	bool exact;                    /* the answer has the members of out alone (C-054) */
	const char *standard;          /* the answer is a document with this member: "openapi" */
	int max_age;                   /* seconds that any cache may keep the answer; 0: no-store */
	const char *const *media;      /* the media types, if not JSON; NULL ends them */
	bool etag;                     /* an answer of these media types has an ETag */
	const char *const
	    *other_media; /* media types beside JSON, by the header Accept; NULL ends them */
	const enum error *errors; /* errors of the handler; ERR_UNSET ends the list */
	const char *tag, *summary, *description;
	const char *result;  /* describes the answer of success */
	const char *example; /* a body that works on any data, in JSON; NULL: none */
};

#define ROUTE_AS(verb, pattern, name, fn)                                                          \
	.method = METHOD_##verb, .path = (pattern), .operation = (name), .handler = (fn)
#define ROUTE(verb, pattern, fn) ROUTE_AS(verb, pattern, #fn, fn)
#define ROUTE_END                                                                                  \
	{                                                                                          \
		.method = METHOD_UNSET                                                             \
	}
#define BODY_CHECKED(type, table, bytes, fn)                                                       \
	.body = { .fields = (table), .size = sizeof(type), .limit = (bytes), .check = (fn) }
#define BODY(type, table, bytes)                                                                   \
	.body = { .fields = (table), .size = sizeof(type), .limit = (bytes) }
#define PARAMS(type, table) .params = (table), .params_size = sizeof(type)

/* ---- a worker ---- */

struct engine;
struct usage_cache;

struct worker {
	struct arena *arena;
	struct db *db;
	struct key_cache *keys;
	struct meter_link *meter;
	struct metrics *metrics; /* may be NULL */
	/* The metrics' numbers of all rows of the tables, in the order of the rows. */
	int operations[METRICS_OPERATIONS];
	struct cursor_secret secret;
	struct signing_ring *tickets;
	struct signing_ring *sign_in_keys; /* for CSRF tokens, buckets, half-open sign-ins */
	struct passwords *passwords;       /* NULL: nobody can set or use one */
	struct engine *engine;
	struct usage_cache *usage; /* for GET /usage */
	/* Each table ends with ROUTE_END; NULL ends the list. */
	const struct route *const *tables;
	/* Called between two requests: maps a new generation of the index. NULL: nothing to do, as
	   below. */
	void (*refresh)(struct worker *w);
	/* Called for a heavy operation before its body is read. FAILED: another pool or nobody
	   answers. */
	int (*hand_over)(struct req *rq);
	/* Called when a request was accepted, even when its client has left. */
	void (*accepted)(struct str request_id);
	/* Called when the answer was sent. */
	void (*answered)(struct req *rq);
};

/* Serves requests from listener until the process is to stop or has served conf.worker_requests. */
void http_serve(struct worker *w, int listener);
/* Opens the counters of the host and registers every operation there. */
void http_metrics(struct worker *w);
/* False, with the reason in err, when a row lacks a column that every row has. */
bool routes_check(const struct route *const *tables, char *err, size_t room) MUST_USE;

/* ---- one request: lives in the worker's arena until it is answered ---- */

struct reply_file;

enum { PATH_PARAMS = 4 };

struct req {
	struct worker *worker;
	struct arena *arena;
	struct db *db;
	const char *const *env; /* NAME=value, from the web server */
	/* fcgi.c sets these three; a test sets its own. */
	size_t (*read)(void *arg, char *to, size_t n); /* reads the body; 0 at its end */
	bool (*gone)(void *arg); /* true when the client has left; may be NULL */
	void *read_arg;

	char id[LIM_REQUEST_ID + 1];
	struct ts now;             /* when the worker began with the request */
	int64_t started, deadline; /* mono_us */
	struct str query_string;   /* raw */

	const struct route *route;        /* NULL: no such operation */
	enum area area;                   /* the route's; without a route, from the path */
	const char *allow;                /* the header Allow of a 405 */
	struct str captured[PATH_PARAMS]; /* the path's parameters, decoded */
	size_t ncaptured;
	struct uuid path[PATH_PARAMS]; /* the path's UUIDs, in order */
	/* NULL before authentication, on public routes, and of a person in no organisation */
	const struct key *key;
	const struct sign_in *sign_in; /* the person's; NULL: a key, or nobody */
	struct uuid project;           /* with ACCESS_PROJECT: a project that the key may see */
	struct str body;
	const void *params;         /* the route's .params_size bytes */
	const void *in;             /* the route's .body.size bytes */
	struct str idempotency_key; /* p is NULL when none was sent */

	/* The answer. */
	int status;
	enum error error;           /* ERR_UNSET: none */
	int retry_after;            /* seconds; 0: no header */
	bool counted_read; /* one of the free reads of a person was taken */
	struct meter_ticket ticket; /* the charges to rates and quotas */
	bool deserted;              /* the client left before the handler was done */
	const char *location;       /* below /api/v1; NULL: no header */
	const char *handed_to;      /* nginx's location that answers; NULL: this worker */
	bool replayed;              /* Idempotency-Replayed: true */
	const char *set_cookie;     /* the value of Set-Cookie; NULL: no header */
	struct throttle throttle;   /* units that an attempt to sign in has spent */
	struct hash_claim hash;     /* for whom it may hash a password */
	/* Called when the transaction of the handler has ended, however it ended. */
	void (*afterwards)(struct req *rq);
	const char *content_type;
	const struct reply_file *file; /* nginx sends it in place of out; NULL: none */
	const char *etag;              /* the ETag without its quotes; NULL: no header */
	int max_age;                   /* seconds that any cache may keep the answer; 0: no-store */
	struct buf out;
};

/* Sets the members from id on, runs the stages and the handler, settles and logs; the answer is
   then in rq. */
void req_serve(struct req *rq);

/* The value of the first NAME=value of the request, or STR_NULL; an empty value has p set and n
   0. */
struct str env_get(const struct req *rq, const char *name);

/* ---- answers ---- */

/* Begins a JSON answer with this status and returns its buffer; an answer that was begun before is
   dropped. */
struct buf *reply_begin(struct req *rq, int status);
/* A text that is the same for every client as long as the program runs: openapi.json. */
struct public_document {
	void (*write)(struct buf *b);
	struct buf text; /* empty until a request needs it; stays until the worker ends */
	char etag[65];   /* the SHA-256 of the text */
};

/* Answers with a document, which each worker writes once. Caches keep it for the route's max_age,
   and a client that has it already gets 304 (RFC 9110, 13.1.2). */
int reply_public(struct req *rq, struct public_document *d);
/* A file that nginx sends: a location of its configuration that only answers of workers reach. */
struct reply_file {
	const char *location, *name, *media, *etag; /* name: for the client to store it under */
};
/* Answers with the file, or with 304 for a client that has it. Ranges are nginx's work. */
int reply_file(struct req *rq, const struct reply_file *f);
/* Answers {"wrapper":{...}}, or {...} when wrapper is NULL. */
int reply(struct req *rq, int status, const char *wrapper, const struct field *out, const void *in);

/* Answers with an error. The message has 1 to 512 characters, a longer one is cut; STR_NULL: the
   message of the error's row in tbl/errors.h. */
void answer_error(struct req *rq, enum error e, struct str message);
/* The error of a failed database call: any result but DB_OK and DB_NONE. */
enum error error_of_db(struct req *rq, enum db_rc rc);

/* Each fail function answers with an error and returns FAILED. Most are inline: a compiler that
   checks a handler for unset variables must see that they never return PASS. */
static inline int
fail(struct req *rq, enum error e)
{
	answer_error(rq, e, STR_NULL);
	return FAILED;
}

static inline int
fail_at(struct req *rq, enum error e, struct str message)
{
	answer_error(rq, e, message);
	return FAILED;
}

static inline int
fail_db(struct req *rq, enum db_rc rc)
{
	return fail(rq, error_of_db(rq, rc));
}

/* With Retry-After. */
static inline int
fail_retry(struct req *rq, enum error e, int seconds)
{
	answer_error(rq, e, STR_NULL);
	rq->retry_after = seconds;
	return FAILED;
}

/* invalid_request with one field error. */
int fail_field(struct req *rq, const char *field, const char *code, const char *message);
/* The same with all of them, of which there is at least one. */
int fail_faults(struct req *rq, struct body_faults *faults);
/* A name that a client sent, as an answer may repeat it (C-062): bytes other than letters, digits
   and _ . - [ ] are percent-encoded, and a long name is cut. */
struct str params_shown(struct arena *a, struct str name);
/* The error of bad parameters in this area. */
enum error area_bad_parameter(enum area area);

#endif
