/* SPDX-License-Identifier: ISC */
/* Network events of browser sessions: C-100 to C-102. The list and the HAR are two
   views of the same documents, which were checked and redacted before they were stored. */
#include "config.h"

#include "api/sessions/session_priv.h"
#include "wire/stream_messages.h"
#include "wire/values.h"

struct event_args {
	struct page_args page;
	int64_t tab;
	struct str kind, failed;
};

/* clang-format off */
static const struct url_param event_params[] = {
	PAGE_PARAMS(struct event_args, page),
	FILTER(FIELD_INT, struct event_args, tab, .lo = 0, .hi = 65535, .def = -1,
	    .help = "Events of this tab alone."),
	FILTER(FIELD_STR, struct event_args, kind, .values = net_kinds),
	FILTER(FIELD_STR, struct event_args, failed, .values = truths,
	    .help = "true: only requests that failed; false: only those that did not."),
	URL_PARAM_END,
};
/* clang-format on */

struct document {
	struct json doc;
};

static const struct field document_out[] = { FIELD(struct document, doc, 0), FIELD_END };

struct event_row {
	struct uuid uuid;
	struct ts at;
	struct json doc;
};

static const struct field event_row_out[] = {
	FIELD(struct event_row, uuid, 0),
	FIELD(struct event_row, at, 0),
	FIELD(struct event_row, doc, 0),
	FIELD_END,
};

/* $5 and $6: the position of the last event of the page before. The filters are CASE expressions
   because PostgreSQL expects half of the events to pass a CASE. Expecting few, it would read and
   sort all following events for each page instead of reading the index in order until the page is
   full. */
STMT_LIST(list_events, struct event_row, event_row_out,
    "SELECT uuid, at, doc || jsonb_build_object('id', uuid, 'at', at) AS doc FROM network_event"
    " WHERE session_uuid = $1"
    " AND (at, uuid) > (coalesce($5::timestamptz, '-infinity'), $6)"
    " AND CASE WHEN $2 >= 0 THEN (doc ->> 'tab')::bigint = $2 ELSE true END"
    " AND CASE WHEN $3::text IS NOT NULL THEN doc ->> 'kind' = $3 ELSE true END"
    " AND CASE WHEN $4::text IS NOT NULL"
    " THEN (doc ->> 'failure' IS NOT NULL) = ($4 = 'true') ELSE true END"
    " ORDER BY at, uuid LIMIT $7");

STMT_LIST(har_pages, struct document, document_out,
    "SELECT page AS doc FROM network_har_pages($1) AS page");
STMT_LIST(har_entries, struct document, document_out,
    "SELECT entry AS doc FROM network_har($1) AS entry");

struct truncation {
	bool truncated;
};

static const struct field truncation_out[] = { FIELD(struct truncation, truncated, 0), FIELD_END };
STMT(is_truncated, truncation_out,
    "SELECT coalesce((SELECT network_truncated FROM session_evidence"
    " WHERE session_uuid = $1), false) AS truncated");

/* ---- the list ---- */

/* Decodes the stored documents with the field table that checked them before they were stored. A
   document that does not fit keeps its place and says so as its failure: it must not hide the
   others. */
static struct list
decode_events(struct req *rq, struct list rows)
{
	const struct event_row *row = rows.items;
	struct net_event *events = ARENA_ARRAY(rq->arena, rows.n + 1, struct net_event);
	struct decoded how;

	for (size_t i = 0; i < rows.n; i++) {
		if (json_decode(rq->arena, row[i].doc.text, net_event_fields, rq->now, &events[i],
			&how) == JSON_OK)
			continue;
		log_event(LOGP_ERR, "evidence", "req=%s event=%s why=\"it cannot be read\"", rq->id,
		    uuid_text(&row[i].uuid).z);
		events[i] = (struct net_event){ .id = row[i].uuid,
			.at = row[i].at,
			.kind = STR("request"),
			.failure = STR("The stored event cannot be read.") };
	}
	return (struct list){ events, rows.n };
}

static int
list_network_events(struct req *rq)
{
	static const struct page_order by_time = { .at = "at", .uuid = "id" };
	const struct event_args *args = rq->params;
	struct page_from from;
	struct list rows, events;
	struct truncation truncation;
	struct session s;
	enum db_rc rc;

	if (session_evidence(rq, &s) != PASS || page_begin(rq, &args->page, &from) != PASS)
		return FAILED;
	rc = db_list(rq->db, &list_events, &rows, P(s.uuid), P(args->tab), P(args->kind),
	    P(args->failed), PAGE_P(from));
	if (rc == DB_OK)
		rc = db_one(rq->db, &is_truncated, &truncation, P(s.uuid));
	if (rc != DB_OK)
		return fail_db(rq, rc);
	events = decode_events(rq, rows);
	(void)page_reply_by(rq, &args->page, events, sizeof(struct net_event), &by_time);
	json_write_more(&rq->out, truncation_out, &truncation);
	return PASS;
}

/* ---- HAR 1.2 ---- */

struct har_creator {
	struct str name, version;
};

struct har_log {
	struct str version;
	struct har_creator creator;
	struct str comment;
	struct list pages, entries;
};

struct har {
	struct har_log log;
};

static const struct field har_creator_out[] = {
	FIELD(struct har_creator, name, 0),
	FIELD(struct har_creator, version, 0),
	FIELD_END,
};

static const struct field har_log_out[] = {
	FIELD(struct har_log, version, 0),
	OBJECT(struct har_log, creator, 0, har_creator_out),
	FIELD(struct har_log, comment, 0),
	LIST_OF(struct har_log, pages, 0, struct json, 0, 0),
	LIST_OF(struct har_log, entries, 0, struct json, 0, 0),
	FIELD_END,
};

static const struct field har_out[] = { OBJECT(struct har, log, 0, har_log_out), FIELD_END };

/* The rows of har_pages and har_entries are the items of a list of JSON values. */
_Static_assert(sizeof(struct document) == sizeof(struct json), "a document has one member");

/* The archive is one document with all pages and entries of the session, since programs that read
   HAR want one file. A page is a load of a tab's main frame (network_pages in
   sql/functions/evidence.sql), and every entry names one. The number of its entries is bounded by
   what a session stores; `truncated` becomes a comment in the log. The entries are made in SQL
   (network_har) from the same events as the list, which were redacted before they were stored, so
   nothing can be in the archive that the list does not have. */
static int
get_network_events_har(struct req *rq)
{
	struct truncation truncation;
	struct session s;
	struct har har = { .log = { .version = STR("1.2"),
			       .creator = { STR("surfaced"), STR(PACKAGE_VERSION) } } };
	enum db_rc rc;

	if (session_evidence(rq, &s) != PASS)
		return FAILED;
	rc = db_list(rq->db, &har_pages, &har.log.pages, P(s.uuid));
	if (rc == DB_OK)
		rc = db_list(rq->db, &har_entries, &har.log.entries, P(s.uuid));
	if (rc == DB_OK)
		rc = db_one(rq->db, &is_truncated, &truncation, P(s.uuid));
	if (rc != DB_OK)
		return fail_db(rq, rc);
	if (truncation.truncated)
		har.log.comment = STR("There was more than a session stores.");
	return reply(rq, 200, NULL, har_out, &har);
}

static const enum error errors[] = { ERR_SESSION_NOT_FOUND, ERR_UNSET };

static const struct route network_routes[] = {
	{
	    ROUTE(GET, SESSION "/network-events", list_network_events),
	    EVIDENCE_ROW,
	    PARAMS(struct event_args, event_params),
	    .out = net_event_fields,
	    .list = "network_events",
	    .list_also = truncation_out,
	    .errors = errors,
	    .summary = "List a session's network events",
	    .description =
		"Requests, WebSockets, dialogs, crashes, certificate errors and downloads "
		"(which are refused), in the order of their time. Bodies and credentials of "
		"requests are not stored. truncated: there were more events than a session "
		"stores.",
	},
	{
	    ROUTE(GET, SESSION "/network-events.har", get_network_events_har),
	    EVIDENCE_ROW,
	    .standard = "log",
	    .result = "Requests and WebSockets of the session as HAR 1.2.",
	    .errors = errors,
	    .summary = "Export a session's network events",
	    .description = "The network events in the form of an HTTP archive.",
	},
	ROUTE_END,
};

ROUTES(210, network);
