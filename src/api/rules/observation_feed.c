/* SPDX-License-Identifier: ISC */
/* The feed of events of observations. The order is that of the transactions that wrote the events,
   then that of the events' numbers. An event is sent only when all transactions with smaller
   numbers have ended, so that no event appears behind a cursor later (C-162). The feed of
   api/people/audit.c works alike. */
#include "config.h"

#include "api/api.h"
#include "api/rules/observation.h"

struct event_feed_args {
	int64_t limit;
	struct str after;
};

static const struct url_param event_feed_params[] = {
	{ .field = { .name = "limit",
	      .type = FIELD_INT,
	      .offset = offsetof(struct event_feed_args, limit),
	      .lo = 1,
	      .hi = LIM_PAGE,
	      .def = LIM_PAGE,
	      .help = "Events a page." },
	    .error = ERR_INVALID_PAGINATION },
	{ .field = { .name = "after",
	      .type = FIELD_STR,
	      .offset = offsetof(struct event_feed_args, after),
	      .lo = 1,
	      .hi = LIM_CURSOR,
	      .help = "next_cursor of the previous page; absent: from the first event on." },
	    .error = ERR_INVALID_PAGINATION },
	URL_PARAM_END,
};

/* The payload of a cursor: the last event that was sent. All zero: none was sent. */
struct event_position {
	int64_t changed, id;
	struct uuid observation;
};

struct feed_event {
	struct str event;
	struct ts at;
	struct observation observation;
	int64_t changed, id;
};

#define EVENT_MEMBERS                                                                              \
	ONE_OF(struct feed_event, event, 0, observation_events, NULL),                             \
	    FIELD(struct feed_event, at, 0),                                                       \
	{                                                                                          \
		.name = "observation", .type = FIELD_OBJECT,                                       \
		.offset = offsetof(struct feed_event, observation), .sub = observation_out,        \
		.help = "The present state, not the state after the event."                        \
	}

static const struct field observation_event_row[] = {
	EVENT_MEMBERS,
	FIELD(struct feed_event, changed, 0),
	FIELD(struct feed_event, id, 0),
	FIELD_END,
};

static const struct field observation_event_out[] = { EVENT_MEMBERS,
	FIELD_END_OF("ObservationEvent") };

STMT_LIST(list_observation_events, struct feed_event, observation_event_row,
    "SELECT f.event, f.at, " OBSERVATION_COLUMNS ", f.changed, f.id"
    " FROM observation_feed($1, $2, $3, $4) AS f"
    " JOIN rule_observation o ON o.uuid = f.observation_uuid"
    " JOIN rule_run r ON r.uuid = o.run_uuid ORDER BY f.changed, f.id");

struct event_position_answer {
	bool stands;
};

static const struct field event_position_answer[] = {
	FIELD(struct event_position_answer, stands, 0),
	FIELD_END,
};

STMT(check_event_position, event_position_answer,
    "SELECT observation_position_stands($1, $2, $3) AS stands");

struct event_feed {
	struct list events;
	bool has_more;
	struct str next_cursor;
};

static const struct field event_feed_out[] = {
	LIST(struct event_feed, events, 0, struct feed_event, observation_event_out, 0, LIM_PAGE),
	FIELD(struct event_feed, has_more, 0),
	FIELD(struct event_feed, next_cursor, 0),
	FIELD_END_OF("ObservationFeed"),
};

/* Reads the position in `after`. Refuses a position that this database does not have, as after a
   restore from a backup. */
static int
open_event_position(
    struct req *rq, const struct cursor_for *bound, struct str after, struct event_position *at)
{
	struct str payload;
	struct event_position_answer answer = { true };
	enum db_rc rc = DB_OK;

	if (!cursor_open(rq->arena, &rq->worker->secret, bound, after, &payload) ||
	    payload.n != sizeof(*at))
		return fail(rq, ERR_INVALID_PAGINATION);
	memcpy(at, payload.p, sizeof(*at));
	if (at->id != 0)
		rc = db_one(rq->db, &check_event_position, &answer, P(at->changed), P(at->id),
		    P(at->observation));
	if (rc != DB_OK)
		return fail_db(rq, rc);
	return answer.stands
		   ? PASS
		   : fail_at(rq, ERR_INVALID_PAGINATION,
			 STR("The event of this position is gone: the database was restored "
			     "from a backup. Begin again without after."));
}

static int
list_observation_feed(struct req *rq)
{
	const struct event_feed_args *args = rq->params;
	struct cursor_for bound = {
		.key = rq->key->uuid, .operation = str_of(rq->route->operation), .filters = STR("")
	};
	struct event_position at = { 0, 0, { { 0 } } };
	struct event_feed page;
	const struct feed_event *e;
	enum db_rc rc;

	if (args->after.p != NULL && open_event_position(rq, &bound, args->after, &at) != PASS)
		return FAILED;
	rc = db_list(rq->db, &list_observation_events, &page.events, P(rq->key->uuid),
	    P(at.changed), P(at.id), P(args->limit + 1));
	if (rc != DB_OK)
		return fail_db(rq, rc);
	page.has_more = page.events.n > (size_t)args->limit;
	if (page.has_more)
		page.events.n = (size_t)args->limit;
	if (page.events.n > 0) {
		e = (const struct feed_event *)page.events.items + (page.events.n - 1);
		at = (struct event_position){ e->changed, e->id, e->observation.uuid };
	}
	page.next_cursor = cursor_seal(
	    rq->arena, &rq->worker->secret, &bound, (struct str){ (const char *)&at, sizeof(at) });
	return reply(rq, 200, NULL, event_feed_out, &page);
}

static const struct route observation_feed_routes[] = {
	{
	    ROUTE(GET, "/rules/observations/feed", list_observation_feed),
	    OBSERVATION_ROW,
	    .out = event_feed_out,
	    PARAMS(struct event_feed_args, event_feed_params),
	    .summary = "Follow observations",
	    .result = "Events, oldest first, and the cursor of the next page.",
	    .description =
		"Oldest first, of the last 90 days. next_cursor is never null: repeat the request "
		"with it in after, and each event arrives once. A cursor does not expire; after "
		"the "
		"database was restored from a backup it may be refused with invalid_pagination: "
		"begin again without it.",
	},
	ROUTE_END,
};

ROUTES(231, observation_feed);
