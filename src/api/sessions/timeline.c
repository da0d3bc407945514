/* SPDX-License-Identifier: ISC */
/* The timeline of a browser session (C-217, C-218). The view session_timeline unites the states,
   screenshots and network events of the session, without storing them again. Unlike lists of
   records, pages begin with the earliest event. */
#include "config.h"

#include "api/sessions/session_priv.h"
#include "wire/values.h"

struct timeline_args {
	struct page_args page;
	int64_t from_ms, to_ms, tab;
	struct str kind;
};

enum { OFFSET_MAX_MS = 604800000 }; /* the largest parameter: a week */

/* clang-format off */
static const struct url_param timeline_params[] = {
	{ .field = { .name = "limit", .type = FIELD_INT, .offset = offsetof(struct timeline_args, page.limit),
	      .lo = 1, .hi = LIM_TIMELINE_PAGE, .def = LIM_TIMELINE_PAGE_DEFAULT, .help = "Events a page." },
	  .error = ERR_INVALID_PAGINATION },
	{ .field = { .name = "cursor", .type = FIELD_STR, .offset = offsetof(struct timeline_args, page.cursor),
	      .lo = 1, .hi = LIM_CURSOR, .help = "next_cursor of the page before, with the same filters." },
	  .error = ERR_INVALID_PAGINATION },
	FILTER(FIELD_INT, struct timeline_args, from_ms, .lo = -OFFSET_MAX_MS, .hi = OFFSET_MAX_MS,
	    .def = -OFFSET_MAX_MS, .help = "Only events with this offset_ms or a greater one."),
	FILTER(FIELD_INT, struct timeline_args, to_ms, .lo = -OFFSET_MAX_MS, .hi = OFFSET_MAX_MS,
	    .def = OFFSET_MAX_MS, .help = "Only events with a smaller offset_ms."),
	FILTER(FIELD_STR, struct timeline_args, kind, .values = timeline_kinds),
	FILTER(FIELD_INT, struct timeline_args, tab, .lo = 0, .hi = 65535, .def = -1,
	    .help = "Only events of this tab."),
	URL_PARAM_END,
};
/* clang-format on */

struct timeline_event {
	struct ts at;
	int64_t offset_ms;
	struct str kind, url, title, failure;
	struct uuid screenshot_uuid, network_event_id, uuid;
	struct json tab, status, bytes;
};

#define MAYBE_INT(m, about)                                                                        \
	{                                                                                          \
		.name = #m, .type = FIELD_RAW, .flags = NULLABLE,                                  \
		.offset = offsetof(struct timeline_event, m), .item = FIELD_INT, .help = (about)   \
	}
#define MAYBE_STR(m, about)                                                                        \
	{                                                                                          \
		.name = #m, .type = FIELD_STR, .flags = NULLABLE,                                  \
		.offset = offsetof(struct timeline_event, m), .help = (about)                      \
	}
#define EVENT_MEMBERS                                                                              \
	FIELD(struct timeline_event, at, 0),                                                       \
	    { .name = "offset_ms",                                                                 \
		    .type = FIELD_INT,                                                             \
		    .offset = offsetof(struct timeline_event, offset_ms),                          \
		    .lo = INT64_MIN,                                                               \
		    .hi = INT64_MAX,                                                               \
		    .help =                                                                        \
			"Milliseconds since ready_at (negative before it), or since created_at "   \
			"when the session never ran." },                                           \
	    ONE_OF(struct timeline_event, kind, 0, timeline_kinds, NULL), MAYBE_INT(tab, NULL),    \
	    MAYBE_STR(url, NULL), MAYBE_STR(title, "The page's title; the name of a state."),      \
	    MAYBE_INT(status, "The HTTP status."), MAYBE_STR(failure, NULL),                       \
	    MAYBE_INT(bytes, "Bytes of the image, or received by the request."),                   \
	    FIELD(struct timeline_event, screenshot_uuid, NULLABLE),                               \
	    FIELD(struct timeline_event, network_event_id, NULLABLE)

static const struct field event_row[] = {
	EVENT_MEMBERS,
	FIELD(struct timeline_event, uuid, 0),
	FIELD_END,
};

/* Without the uuid, which only orders events of the same time and kind. */
static const struct field event_out[] = { EVENT_MEMBERS, FIELD_END_OF("TimelineEvent") };

/* $8, $9 and $10 are the position of the last event of the page before. The first condition is a
   range of the indexes; the second removes the events of the same time that were on that page. The
   filters of kind and tab are CASE expressions for the reason that list_events in network.c has. */
STMT_LIST(list_timeline, struct timeline_event, event_row,
    "SELECT at, floor(extract(epoch FROM at - $2) * 1000)::bigint AS offset_ms, kind, "
    "to_jsonb(tab) AS tab, url,"
    " title, to_jsonb(status) AS status, failure, to_jsonb(bytes) AS bytes, screenshot_uuid, "
    "network_event_id, uuid"
    " FROM session_timeline WHERE session_uuid = $1"
    " AND at >= greatest($2 + $3 * interval '1 ms', coalesce($7::timestamptz, '-infinity'))"
    " AND at < $2 + $4 * interval '1 ms'"
    " AND CASE WHEN $7::timestamptz IS NOT NULL THEN (at, kind, uuid) > ($7::timestamptz, $8, $9) "
    "ELSE true END"
    " AND CASE WHEN $5::text IS NOT NULL THEN kind = $5 ELSE true END"
    " AND CASE WHEN $6 >= 0 THEN tab = $6 ELSE true END"
    " ORDER BY at, kind, uuid LIMIT $10");

/* ---- the answer ---- */

struct timeline_end {
	int64_t duration_ms;
	bool truncated;
};

static const struct field timeline_end[] = {
	{ .name = "duration_ms",
	    .type = FIELD_INT,
	    .offset = offsetof(struct timeline_end, duration_ms),
	    .lo = 0,
	    .hi = INT64_MAX,
	    .help = "The time from ready_at to the end of the session, or until now." },
	FIELD(struct timeline_end, truncated, 0),
	FIELD_END,
};

STMT(end_timeline, timeline_end,
    "SELECT greatest(0, floor(extract(epoch FROM coalesce(s.terminal_at, clock_timestamp()) - $2) "
    "* 1000))::bigint"
    " AS duration_ms, coalesce(e.network_truncated, false) AS truncated"
    " FROM browser_session s LEFT JOIN session_evidence e ON e.session_uuid = s.uuid WHERE s.uuid "
    "= $1");

static int
list_timeline_events(struct req *rq)
{
	static const struct page_order by_time = {
		.at = "at", .uuid = "uuid", .kind = "kind", .fields = event_row
	};
	const struct timeline_args *args = rq->params;
	struct timeline_end end;
	struct page_from from;
	struct session s;
	struct list rows;
	struct ts origin;
	enum db_rc rc;

	if (session_evidence(rq, &s) != PASS || page_begin(rq, &args->page, &from) != PASS)
		return FAILED;
	origin = ts_is_null(s.ready_at) ? s.created_at : s.ready_at;
	rc = db_list(rq->db, &list_timeline, &rows, P(s.uuid), P(origin), P(args->from_ms),
	    P(args->to_ms), P(args->kind), P(args->tab), P(from.at), P(from.kind), P(from.after),
	    P(from.want));
	if (rc == DB_OK)
		rc = db_one(rq->db, &end_timeline, &end, P(s.uuid), P(origin));
	if (rc != DB_OK)
		return fail_db(rq, rc);
	(void)page_reply_by(rq, &args->page, rows, sizeof(struct timeline_event), &by_time);
	json_write_more(&rq->out, timeline_end, &end);
	return PASS;
}

static const enum error errors[] = { ERR_SESSION_NOT_FOUND, ERR_UNSET };

static const struct route timeline_routes[] = {
	{
	    ROUTE_AS(GET, SESSION "/timeline", "list_session_timeline", list_timeline_events),
	    EVIDENCE_ROW,
	    PARAMS(struct timeline_args, timeline_params),
	    .out = event_out,
	    .list = "events",
	    .list_also = timeline_end,
	    .errors = errors,
	    .summary = "List what happened in a session",
	    .description = "States, pages, screenshots and network events in one order, the "
			   "earliest first. duration_ms: from ready_at to the end. truncated: "
			   "there was more than a session stores.",
	},
	ROUTE_END,
};

ROUTES(215, timeline);
