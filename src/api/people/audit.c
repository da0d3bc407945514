/* SPDX-License-Identifier: ISC */
/* The audit log of an organisation and of a project (C-211 to C-216), by the functions of
   functions/audit.sql: a key reads the lines of its account, and a key that is limited to projects
   those of these projects alone.

     pages     newest first by at, then by uuid, like other lists
     feed      oldest first by the number of the transaction that wrote the line, then by the line's
	       number. A line is answered when every transaction with a smaller number has ended, so
	       none appears behind a cursor.

   Reading is recorded once an hour for a key (audit.read). */
#include "config.h"

#include "api/api.h"
#include "resource/audit.h"

struct audit_args {
	struct page_args page;
	struct str actor, action, subject, subject_id, since, until, request_id;
	struct uuid project_uuid;
};

STMT_LIST(list_audit_entries, struct audit_entry, audit_entry_out,
    "SELECT " AUDIT_COLUMNS " FROM audit_page($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)");

#define LINE_WORD(m, most, about, sample)                                                          \
	{                                                                                          \
		.field = { .name = #m,                                                             \
			.type = FIELD_STR,                                                         \
			.offset = offsetof(struct audit_args, m),                                  \
			.lo = 1,                                                                   \
			.hi = (most),                                                              \
			.help = (about) },                                                         \
		.example = (sample),                                                               \
	}
#define LINE_PARAMS                                                                                \
	PAGE_PARAMS(struct audit_args, page),                                                      \
	    LINE_WORD(actor, LIM_NAME,                                                             \
		"The uuid or name of an actor as in the lines, or the prefix of a key; a "         \
		"member includes that member's keys.",                                             \
		NULL),                                                                             \
	    FILTER(FIELD_STR, struct audit_args, action, .values = audit_actions),                 \
	    LINE_WORD(subject, LIM_NAME, "The kind of record.", "alert_rule"),                     \
	    LINE_WORD(subject_id, LIM_NAME, "The record.", NULL),                                  \
	    LINE_WORD(since, 64, "Only lines of this time or later.", "2026-01-01T00:00:00Z"),     \
	    LINE_WORD(until, 64, "Only lines before this time.", "2026-01-31T00:00:00Z"),          \
	    LINE_WORD(request_id, LIM_REQUEST_ID, "Only lines of this request.", NULL)

static const struct url_param audit_params[] = {
	LINE_PARAMS,
	FILTER(FIELD_UUID, struct audit_args, project_uuid),
	URL_PARAM_END,
};
static const struct url_param project_audit_params[] = { LINE_PARAMS, URL_PARAM_END };

/* ---- shared by both forms ---- */

static int
note_read(struct req *rq)
{
	bool of_project = rq->route->access == ACCESS_PROJECT;
	struct audit line = { .action = STR("audit.read"),
		.subject = of_project ? STR("project") : STR("account"),
		.subject_id = arena_uuid(rq->arena, of_project ? &rq->project : &rq->key->account),
		.project = rq->project,
		.request_id = str_of(rq->id),
		.address = env_get(rq, "REMOTE_ADDR") };
	enum db_rc rc = audit_note_hourly(rq->db, rq->key->uuid, &line);

	return rc == DB_OK ? PASS : fail_db(rq, rc);
}

static int
read_time(struct req *rq, const char *name, struct str text, struct ts *out)
{
	*out = TS_NULL;
	if (text.p == NULL || ts_parse(text, out))
		return PASS;
	return fail_field(rq, name, "invalid_format",
	    "must be a time with an offset, such as 2026-01-31T00:00:00Z");
}

/* ---- pages ---- */

static int
list_audit(struct req *rq)
{
	static const struct page_order newest = { .at = "at", .uuid = "uuid" };
	const struct audit_args *args = rq->params;
	struct uuid project =
	    rq->route->access == ACCESS_PROJECT ? rq->project : args->project_uuid;
	struct page_from from;
	struct ts since, until;
	struct list rows;
	enum db_rc rc;

	if (read_time(rq, "since", args->since, &since) != PASS ||
	    read_time(rq, "until", args->until, &until) != PASS)
		return FAILED;
	if (!ts_is_null(since) && !ts_is_null(until) && ts_cmp(since, until) >= 0)
		return fail_field(rq, "until", "out_of_range", "must be later than since");
	if (page_begin(rq, &args->page, &from) != PASS || note_read(rq) != PASS)
		return FAILED;
	rc = db_list(rq->db, &list_audit_entries, &rows, P(rq->key->uuid), PAGE_P(from),
	    P(args->actor), P(args->action), P(args->subject), P(args->subject_id), P(project),
	    P(since), P(until), P(args->request_id));
	if (rc != DB_OK)
		return fail_db(rq, rc);
	return page_reply_by(rq, &args->page, rows, sizeof(struct audit_entry), &newest);
}

/* ---- the feed ---- */

struct feed_args {
	int64_t limit;
	struct str after;
};

static const struct url_param feed_params[] = {
	{ .field = { .name = "limit",
	      .type = FIELD_INT,
	      .offset = offsetof(struct feed_args, limit),
	      .lo = 1,
	      .hi = LIM_PAGE,
	      .def = LIM_PAGE,
	      .help = "The most lines of a page." },
	    .error = ERR_INVALID_PAGINATION },
	{ .field = { .name = "after",
	      .type = FIELD_STR,
	      .offset = offsetof(struct feed_args, after),
	      .lo = 1,
	      .hi = LIM_CURSOR,
	      .help = "next_cursor of the previous page; absent: from the first line on." },
	    .error = ERR_INVALID_PAGINATION },
	URL_PARAM_END,
};

/* The payload of a feed's cursor: the transaction, the number and the UUID of the last line that
   was answered. All zero: no line was answered. */
struct feed_position {
	int64_t changed, id;
	struct uuid uuid;
};

struct feed_line {
	struct audit_entry entry;
	int64_t changed, id;
};

static const struct field feed_columns[] = {
	{ .name = "entry",
	    .type = FIELD_OBJECT,
	    .offset = offsetof(struct feed_line, entry),
	    .sub = audit_entry_out },
	FIELD(struct feed_line, changed, 0),
	FIELD(struct feed_line, id, 0),
	FIELD_END,
};

STMT_LIST(list_feed, struct feed_line, feed_columns,
    "SELECT " AUDIT_COLUMNS ", changed, id FROM audit_feed($1, $2, $3, $4)");

struct position_answer {
	bool stands;
};

static const struct field position_answer[] = {
	FIELD(struct position_answer, stands, 0),
	FIELD_END,
};

STMT(check_position, position_answer, "SELECT audit_position_stands($1, $2, $3, $4) AS stands");

struct feed_page {
	struct list entries;
	bool has_more;
	struct str next_cursor;
};

static const struct field feed_page_out[] = {
	LIST(struct feed_page, entries, 0, struct feed_line, audit_entry_out, 0, LIM_PAGE),
	FIELD(struct feed_page, has_more, 0),
	FIELD(struct feed_page, next_cursor, 0),
	FIELD_END_OF("AuditFeed"),
};

/* Reads the position in `after`, and refuses one of a line that this database does not have: after
   a restore from a backup, lines that the client has not read may be before its position. */
static int
open_position(
    struct req *rq, const struct cursor_for *bound, struct str after, struct feed_position *at)
{
	struct str payload;
	struct position_answer answer = { true };
	enum db_rc rc = DB_OK;

	if (!cursor_open(rq->arena, &rq->worker->secret, bound, after, &payload) ||
	    payload.n != sizeof(*at))
		return fail(rq, ERR_INVALID_PAGINATION);
	memcpy(at, payload.p, payload.n);
	if (at->id != 0)
		rc = db_one(rq->db, &check_position, &answer, P(rq->key->uuid), P(at->changed),
		    P(at->id), P(at->uuid));
	if (rc != DB_OK)
		return fail_db(rq, rc);
	return answer.stands
		   ? PASS
		   : fail_at(rq, ERR_INVALID_PAGINATION,
			 STR("The line of this position is gone: the database was restored from "
			     "a backup. Begin again without after."));
}

static int
list_audit_feed(struct req *rq)
{
	const struct feed_args *args = rq->params;
	struct cursor_for bound = {
		.key = rq->key->uuid, .operation = str_of(rq->route->operation), .filters = STR("")
	};
	struct feed_position at = { 0, 0, { { 0 } } };
	struct feed_page page;
	const struct feed_line *line;
	enum db_rc rc;

	if (args->after.p != NULL && open_position(rq, &bound, args->after, &at) != PASS)
		return FAILED;
	if (note_read(rq) != PASS)
		return FAILED;
	rc = db_list(rq->db, &list_feed, &page.entries, P(rq->key->uuid), P(at.changed), P(at.id),
	    P(args->limit + 1));
	if (rc != DB_OK)
		return fail_db(rq, rc);
	page.has_more = page.entries.n > (size_t)args->limit;
	if (page.has_more)
		page.entries.n = (size_t)args->limit;
	line = page.entries.items;
	if (page.entries.n > 0)
		at = (struct feed_position){ line[page.entries.n - 1].changed,
			line[page.entries.n - 1].id, line[page.entries.n - 1].entry.uuid };
	page.next_cursor = cursor_seal(
	    rq->arena, &rq->worker->secret, &bound, (struct str){ (const char *)&at, sizeof(at) });
	return reply(rq, 200, NULL, feed_page_out, &page);
}

static const struct route audit_routes[] = {
	{
	    ROUTE(GET, "/access/audit", list_audit),
	    COLUMNS_OF_ACCESS(SCOPE_AUDIT_VIEW, ACCESS_ACCOUNT),
	    .out = audit_entry_out,
	    PARAMS(struct audit_args, audit_params),
	    .list = "entries",
	    .summary = "List the audit log",
	    .description =
		"The changes of the organisation's records, newest first. Filters combine: a line "
		"is listed when it fits all of them.",
	},
	{
	    ROUTE(GET, "/access/audit/feed", list_audit_feed),
	    COLUMNS_OF_ACCESS(SCOPE_AUDIT_VIEW, ACCESS_ACCOUNT),
	    .out = feed_page_out,
	    PARAMS(struct feed_args, feed_params),
	    .summary = "Follow the audit log",
	    .result = "Lines, oldest first, and the cursor of the next page.",
	    .description =
		"Oldest first. next_cursor is never null: repeat the request with it in after, and "
		"each line arrives once. A cursor does not expire; after the database was restored "
		"from a backup it may be refused with invalid_pagination: begin again without it.",
	},
	{
	    ROUTE_AS(GET, PROJECT "/audit", "list_project_audit", list_audit),
	    COLUMNS_OF_ACCESS(SCOPE_AUDIT_VIEW, ACCESS_PROJECT),
	    .out = audit_entry_out,
	    PARAMS(struct audit_args, project_audit_params),
	    .list = "entries",
	    .summary = "List the audit log of a project",
	    .description = "The changes of the project's records, newest first.",
	},
	ROUTE_END,
};

ROUTES(74, audit);
