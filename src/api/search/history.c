/* SPDX-License-Identifier: ISC */
/* The history of one host or registration (C-412): its events, newest first.
   record/event.h explains events. They are read by the record's key, like the look-ups of lookup.c,
   and are found as soon as the import has committed.

   The history is complete from the time `since` on: changes before that time were not recorded, or
   their month was deleted. Single older events may be listed.

   A page is the events behind a position:

     at desc, seq desc     12:03 9 | 12:02 8 | 12:02 7 | 12:01 2 | ...
     limit 2               page 1: 9, 8    cursor = (12:02, 8)     page 2: 7, 2 */
#include "config.h"

#include "api/api.h"
#include "api/search/documents.h"
#include "api/search/history.h"
#include "api/search/lookup.h"
#include "api/search/share.h"
#include "record/event.h"
#include "record/lookup.h"

struct history_args {
	struct str from, to, cursor;
	int64_t limit, port;
};

/* clang-format off */
#define TIME_PARAM(m, about, sample)                                                          \
	{ .field = { .name = #m, .type = FIELD_STR, .offset = offsetof(struct history_args, m), \
	      .lo = 1, .hi = 64, .help = (about) },                                           \
	  .example = (sample) }
#define HISTORY_PARAMS                                                                        \
	TIME_PARAM(from, "Only events of this time or later.", "2026-01-01T00:00:00Z"),       \
	TIME_PARAM(to, "Only events of this time or earlier.", "2026-01-31T00:00:00Z"),       \
	{ .field = { .name = "limit", .type = FIELD_INT,                                      \
	      .offset = offsetof(struct history_args, limit), .lo = 1, .hi = LIM_PAGE,        \
	      .def = LIM_PAGE_DEFAULT, .help = "Events a page." },                            \
	  .error = ERR_INVALID_PAGINATION },                                                  \
	{ .field = { .name = "cursor", .type = FIELD_STR,                                     \
	      .offset = offsetof(struct history_args, cursor), .lo = 1, .hi = LIM_CURSOR,     \
	      .help = "next_cursor of the page before, with the same record and filters." },  \
	  .error = ERR_INVALID_SEARCH_CURSOR }
/* clang-format on */

static const struct url_param history_params[] = {
	HISTORY_PARAMS,
	{
	    .field = { .name = "port",
		.type = FIELD_INT,
		.offset = offsetof(struct history_args, port),
		.lo = 1,
		.hi = 65535,
		.help = "Only events of services on this port, and coalesced ones." },
	},
	URL_PARAM_END,
};
static const struct url_param domain_history_params[] = { HISTORY_PARAMS, URL_PARAM_END };

/* ---- the record ---- */

struct known {
	struct ts since;
	bool known;
};

static const struct field known_out[] = {
	FIELD(struct known, since, 0),
	FIELD(struct known, known, 0),
	FIELD_END,
};

/* A deleted record is found by its events. */
STMT(read_known, known_out,
    "SELECT greatest(began, oldest) AS since, EXISTS (SELECT FROM record"
    " WHERE dataset = $1::smallint AND key = $2::bytea AND NOT gone) OR EXISTS (SELECT"
    " FROM record_event WHERE dataset = $1::smallint AND key = $2::bytea) AS known"
    " FROM record_history");

struct bytes
history_key(const struct history_subject *s)
{
	return (struct bytes){ (const unsigned char *)s->key.p, s->key.n };
}

static int
read_subject(struct req *rq, struct history_subject *s, bool *known)
{
	struct known k = { .since = TS_NULL };
	enum db_rc rc = db_one(
	    rq->db, &read_known, &k, P(record_dataset_number(s->dataset)), P(history_key(s)));

	if (rc != DB_OK && rc != DB_NONE)
		return fail_db(rq, rc);
	s->since = k.since;
	*known = k.known;
	return PASS;
}

int
history_host(struct req *rq, struct history_subject *s)
{
	struct budget unused;
	bool known;

	s->dataset = DATASET_HOSTS;
	if (lookup_host(rq, &s->name, &s->key) != PASS || share_begin(rq, &unused) != PASS ||
	    read_subject(rq, s, &known) != PASS)
		return FAILED;
	return known ? PASS : fail(rq, ERR_RECORD_NOT_FOUND);
}

/* A name below a registered domain has the history of that domain, as in the look-up. */
static int
find_domain(struct req *rq, struct history_subject *s)
{
	struct budget unused;
	struct str names[2];
	bool known = false;
	size_t n;

	s->dataset = DATASET_WHOIS;
	if (lookup_domain(rq, names, &n) != PASS || share_begin(rq, &unused) != PASS)
		return FAILED;
	for (size_t i = 0; !known && i < n; i++) {
		s->name = names[i];
		s->key = record_key_name(rq->arena, names[i]);
		if (read_subject(rq, s, &known) != PASS)
			return FAILED;
	}
	return known ? PASS : fail(rq, ERR_RECORD_NOT_FOUND);
}

/* ---- events ---- */

struct event_row {
	struct ts at;
	int64_t seq, number, count;
	bool large; /* the page is too large for this worker */
	struct str kind;
	struct json service, before, after;
	struct list fields;
};

static const struct field event_row_out[] = {
	FIELD(struct event_row, at, 0),
	FIELD(struct event_row, seq, 0),
	FIELD(struct event_row, number, 0),
	FIELD(struct event_row, large, 0),
	FIELD(struct event_row, service, NULLABLE),
	LIST_OF(struct event_row, fields, 0, struct str, 0, 0),
	FIELD(struct event_row, before, NULLABLE),
	FIELD(struct event_row, after, NULLABLE),
	FIELD(struct event_row, count, 0),
	FIELD_END,
};

/* $3, $4: from and to. $5, $6: the position behind which the page begins. $7: the port, or 0. $8
   rows at most. When their texts have more than $9 bytes, none is read. */
STMT_LIST(read_events, struct event_row, event_row_out,
    "SELECT at, seq, kind AS number, w IS NULL AS large, w -> 'service' AS service,"
    " ARRAY(SELECT json_array_elements_text(w -> 'fields')) AS fields,"
    " coalesce(w -> 'before', '{}') AS before, coalesce(w -> 'after', '{}') AS after,"
    " coalesce((w ->> 'count')::bigint, 1) AS count"
    " FROM (SELECT at, seq, kind,"
    "  CASE WHEN sum(octet_length(what)) OVER () <= $9::bigint THEN what::json END AS w"
    "  FROM (SELECT at, seq, kind, what FROM record_event"
    "   WHERE dataset = $1::smallint AND key = $2::bytea"
    "   AND at >= coalesce($3::timestamptz, '-infinity')"
    "   AND at <= coalesce($4::timestamptz, 'infinity')"
    "   AND at <= coalesce($5::timestamptz, 'infinity')"
    "   AND ($5::timestamptz IS NULL OR at < $5 OR seq < $6::bigint)"
    "   AND ($7::integer = 0 OR kind = 10 OR (what::json #>> '{service,port}')::integer = $7)"
    "   ORDER BY at DESC, seq DESC LIMIT $8::bigint) AS page) AS read"
    " ORDER BY at DESC, seq DESC");

static const char *const host_kinds[] = {
#define KINDS_OF_HOSTS(name) name,
#define KINDS_OF_WHOIS(name)
#define EVENT_KIND(id, number, name, dataset, part, change, shows_members, about)                  \
	KINDS_OF_##dataset(name)
#define COALESCED_KIND(id, number, name, about) name,
#include "tbl/event_kinds.h"
	NULL
};
static const char *const domain_kinds[] = {
#undef KINDS_OF_HOSTS
#undef KINDS_OF_WHOIS
#define KINDS_OF_HOSTS(name)
#define KINDS_OF_WHOIS(name) name,
#define EVENT_KIND(id, number, name, dataset, part, change, shows_members, about)                  \
	KINDS_OF_##dataset(name)
#define COALESCED_KIND(id, number, name, about) name,
#include "tbl/event_kinds.h"
	NULL
};

static const struct field service_named[] = {
	{ .name = "port", .type = FIELD_INT, .lo = 1, .hi = 65535 },
	{ .name = "transport", .type = FIELD_STR },
	FIELD_END_OF("EventService"),
};

#define EVENT_TIME                                                                                 \
	{                                                                                          \
		.name = "at", .type = FIELD_TS, .offset = offsetof(struct event_row, at),          \
		.help = "When the change was seen, by the imported data."                          \
	}
#define EVENT_MEMBERS                                                                              \
	LIST_OF(struct event_row, fields, 0, struct str, 0, 0),                                    \
	    OPTIONAL(struct event_row, before, FIELD_OBJECT, 0, 0, 0),                             \
	    OPTIONAL(struct event_row, after, FIELD_OBJECT, 0, 0, 0),                              \
	{                                                                                          \
		.name = "count", .type = FIELD_INT, .offset = offsetof(struct event_row, count),   \
		.help = "The number of changes: above 1 for coalesced, the last changes of a day " \
			"with more than 32."                                                       \
	}

static const struct field host_event_out[] = {
	EVENT_TIME,
	ONE_OF(struct event_row, kind, 0, host_kinds, NULL),
	{ .name = "service",
	    .type = FIELD_RAW,
	    .flags = NULLABLE,
	    .offset = offsetof(struct event_row, service),
	    .sub = service_named },
	EVENT_MEMBERS,
	FIELD_END_OF("HostEvent"),
};
static const struct field domain_event_out[] = {
	EVENT_TIME,
	ONE_OF(struct event_row, kind, 0, domain_kinds, NULL),
	EVENT_MEMBERS,
	FIELD_END_OF("WhoisEvent"),
};

struct history_page {
	struct str ip, domain;
	struct list events;
	struct ts since;
	bool has_more;
	struct str next_cursor;
};

#define PAGE_MEMBERS(table)                                                                        \
	LIST(struct history_page, events, 0, struct event_row, table, 0, LIM_PAGE),                \
	    { .name = "since",                                                                     \
		    .type = FIELD_TS,                                                              \
		    .offset = offsetof(struct history_page, since),                                \
		    .help = "The history has all changes since this time." },                      \
	    FIELD(struct history_page, has_more, 0),                                               \
	    FIELD(struct history_page, next_cursor, NULLABLE)

static const struct field host_history_out[] = {
	FIELD(struct history_page, ip, 0),
	PAGE_MEMBERS(host_event_out),
	FIELD_END_OF("HostHistory"),
};
static const struct field domain_history_out[] = {
	FIELD(struct history_page, domain, 0),
	PAGE_MEMBERS(domain_event_out),
	FIELD_END_OF("WhoisHistory"),
};

/* The payload of a cursor, which is the last event of a page. */
struct position {
	int64_t us, seq;
};

struct selection {
	struct ts from, to;
	struct cursor_for bound;
	struct position behind;
};

static int
select_events(struct req *rq, const struct history_subject *s, struct selection *out)
{
	const struct history_args *args = rq->params;
	struct str position = STR_NULL;

	if (lookup_time(rq, "from", args->from, &out->from) != PASS ||
	    lookup_time(rq, "to", args->to, &out->to) != PASS)
		return FAILED;
	out->bound = (struct cursor_for){ .key = rq->key->uuid,
		.operation = str_of(rq->route->operation),
		.filters = arena_printf(rq->arena, "%.*s %lld %lld %lld", (int)s->name.n, s->name.p,
		    (long long)out->from.us, (long long)out->to.us, (long long)args->port) };
	out->behind = (struct position){ TS_NULL.us, 0 };
	if (key_cursor_open(rq, s->dataset, &out->bound, args->cursor, &position) != PASS)
		return FAILED;
	if (position.n == sizeof(out->behind))
		memcpy(&out->behind, position.p, sizeof(out->behind));
	return PASS;
}

static int
answer_events(struct req *rq, const struct history_subject *s)
{
	const struct history_args *args = rq->params;
	struct history_page page = { .ip = s->name, .domain = s->name, .since = s->since };
	struct event_row *row;
	struct selection sel;
	struct position last;
	enum db_rc rc;

	if (select_events(rq, s, &sel) != PASS)
		return FAILED;
	rc = db_list(rq->db, &read_events, &page.events, P(record_dataset_number(s->dataset)),
	    P(history_key(s)), P(sel.from), P(sel.to), P(((struct ts){ sel.behind.us })),
	    P(sel.behind.seq), P(args->port), P(args->limit + 1), P(share_bytes()));
	if (rc != DB_OK)
		return fail_db(rq, rc);
	row = page.events.items;
	if (page.events.n > 0 && row[0].large)
		return share_hand_over(rq);
	page.has_more = page.events.n > (size_t)args->limit;
	if (page.has_more)
		page.events.n = (size_t)args->limit;
	for (size_t i = 0; i < page.events.n; i++)
		row[i].kind = str_of(event_kind_name(row[i].number));
	if (page.has_more) {
		last =
		    (struct position){ row[page.events.n - 1].at.us, row[page.events.n - 1].seq };
		page.next_cursor = key_cursor_seal(
		    rq, s->dataset, &sel.bound, (struct str){ (const char *)&last, sizeof(last) });
	}
	return reply(rq, 200, NULL, rq->route->out, &page);
}

static int
get_host_history(struct req *rq)
{
	struct history_subject s;

	return history_host(rq, &s) == PASS ? answer_events(rq, &s) : FAILED;
}

static int
get_whois_history(struct req *rq)
{
	struct history_subject s;

	return find_domain(rq, &s) == PASS ? answer_events(rq, &s) : FAILED;
}

/* ---- the table ---- */

const enum error history_errors[] = { ERR_RECORD_NOT_FOUND, ERR_SEARCH_UNAVAILABLE, ERR_SEARCH_BUSY,
	ERR_SEARCH_TIMEOUT, ERR_UNSET };

static const struct route history_routes[] = {
	{
	    ROUTE(GET, "/search/hosts/{ip}/history", get_host_history),
	    COLUMNS_OF_READING(HOSTS),
	    .path_params = lookup_host_path,
	    PARAMS(struct history_args, history_params),
	    .out = host_history_out,
	    .errors = history_errors,
	    .summary = "List the changes of a host",
	    .result = "The events of the host, newest first.",
	    .description =
		"Each event has the changed members as they were before and after, and "
		"names the service if a service changed. Texts are cut to 256 bytes; of a "
		"list with more than 32 items, before and after have only the items that "
		"the other one lacks. A host that was seen again without a change has no "
		"event. A host that is gone keeps its history.",
	},
	{
	    ROUTE(GET, "/search/whois/{domain}/history", get_whois_history),
	    COLUMNS_OF_READING(WHOIS),
	    .path_params = lookup_domain_path,
	    PARAMS(struct history_args, domain_history_params),
	    .out = domain_history_out,
	    .errors = history_errors,
	    .summary = "List the changes of a registration",
	    .result = "The events of the registration, newest first.",
	    .description =
		"The events are changes of the registrar, the name servers and the dates. For "
		"a name below a registered domain the answer is about that domain.",
	},
	ROUTE_END,
};

ROUTES(17, history);
