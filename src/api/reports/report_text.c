/* SPDX-License-Identifier: ISC */
/* The text of a report, for its organisation alone: shared reports are others' prose, whose
   licences the service does not know, so their text is only searched (C-143). The text is read for
   indicators once more, and each occurrence of one that is stored gets a mark.

     text      The loader calls evil[.]com.
     mark                       ^--------^     start 17, end 26, in characters */
#include "config.h"

#include "api/api.h"
#include "api/reports/report.h"
#include "extract/extract.h"

#define MARKS_MEMORY ((size_t)192 << 20)

struct report_mark {
	int64_t start, end, confidence;
	struct uuid indicator_uuid;
	struct str type, value, disposition;
};

static const struct field mark_out[] = {
	{ .name = "start",
	    .type = FIELD_INT,
	    .offset = offsetof(struct report_mark, start),
	    .help = "The first character of the occurrence, counted in Unicode code points from "
		    "0." },
	{ .name = "end",
	    .type = FIELD_INT,
	    .offset = offsetof(struct report_mark, end),
	    .help = "The character behind the occurrence." },
	FIELD(struct report_mark, indicator_uuid, 0),
	ONE_OF(struct report_mark, type, 0, indicator_types, NULL),
	TEXT(struct report_mark, value, 0, 1, LIM_INDICATOR),
	ONE_OF(struct report_mark, disposition, 0, report_dispositions, NULL),
	NUMBER(struct report_mark, confidence, 0, 0, 100, 0),
	FIELD_END_OF("ReportMark"),
};

struct report_text {
	struct uuid report_uuid;
	struct str text;
	struct list marks;
	bool truncated;
};

static const struct field text_out[] = {
	FIELD(struct report_text, report_uuid, 0),
	{ .name = "text",
	    .type = FIELD_STR,
	    .flags = NULLABLE,
	    .offset = offsetof(struct report_text, text),
	    .hi = LIM_REPORT_SENT,
	    .help = "null: the source of the report has none." },
	LIST(struct report_text, marks, 0, struct report_mark, mark_out, 0, LIM_REPORT_INDICATORS),
	{ .name = "truncated",
	    .type = FIELD_BOOL,
	    .offset = offsetof(struct report_text, truncated),
	    .help = "true: the text is longer, or has more marks." },
	FIELD_END_OF("ReportText"),
};

static const struct field stored_out[] = {
	FIELD(struct report_text, report_uuid, 0),
	FIELD(struct report_text, text, NULLABLE),
	FIELD(struct report_text, truncated, 0),
	FIELD_END,
};

STMT(read_report_text, stored_out,
    "SELECT r.uuid AS report_uuid, left(t.text, $3::integer) AS text,"
    " coalesce(length(t.text) > $3::integer, false) AS truncated"
    " FROM report r LEFT JOIN report_text t ON t.report_uuid = r.uuid"
    " WHERE r.uuid = $2 AND r.account_uuid = $1 AND r.status = 'published'");
STMT_LIST(list_marked_indicators, struct indicator_row, indicator_row,
    "SELECT " INDICATOR_COLUMNS
    " FROM " INDICATORS_OF("$1::uuid") " WHERE i.report_uuid = $2::uuid AND i.withdrawn_at IS NULL"
				       " ORDER BY i.type COLLATE \"C\", i.value COLLATE \"C\"");

static const struct indicator_row *
find_stored(const struct list *rows, const struct indicator *i)
{
	const struct indicator_row *row = rows->items;
	size_t from = 0, to = rows->n;

	while (from < to) {
		size_t middle = from + (to - from) / 2;
		int c = str_cmp(row[middle].type, i->type);

		if (c == 0)
			c = str_cmp(row[middle].value, i->value);
		if (c == 0)
			return &row[middle];
		if (c < 0)
			from = middle + 1;
		else
			to = middle;
	}
	return NULL;
}

/* Counts the characters between two bytes of a text. */
static int64_t
count_characters(struct str text, size_t from, size_t to)
{
	int64_t n = 0;

	for (size_t i = from; i < to; i++)
		n += ((unsigned char)text.p[i] & 0xc0) != 0x80;
	return n;
}

static void
mark_text(struct arena *a, struct report_text *t, const struct list *rows)
{
	struct arena *own = arena_new(MARKS_MEMORY);
	struct extract_output found =
	    extract(own, &(struct extract_input){ .text = t->text, .marks = true });
	struct report_mark *marks = NULL;
	int64_t at = 0;
	size_t from = 0;

	for (size_t i = 0; i < found.nmarks; i++) {
		const struct extract_mark *m = &found.marks[i];
		const struct indicator_row *row =
		    find_stored(rows, &found.indicators[m->indicator]);

		if (row == NULL)
			continue;
		if (t->marks.n == LIM_REPORT_INDICATORS) {
			t->truncated = true;
			break;
		}
		at += count_characters(t->text, from, m->start);
		from = m->start;
		marks = arena_room(a, marks, t->marks.n, sizeof(*marks));
		marks[t->marks.n++] = (struct report_mark){ .start = at,
			.end = at + count_characters(t->text, m->start, m->end),
			.indicator_uuid = row->uuid,
			.type = row->type,
			.value = row->value,
			.disposition = row->disposition,
			.confidence = row->confidence };
	}
	t->marks.items = marks;
	arena_free(own);
}

static int
get_report_text(struct req *rq)
{
	struct report_text t = { .marks = { NULL, 0 } };
	struct list rows;
	enum db_rc rc = db_one(
	    rq->db, &read_report_text, &t, P(rq->key->account), P(rq->path[0]), P(LIM_REPORT_SENT));

	if (rc == DB_NONE)
		return fail(rq, ERR_REPORT_NOT_FOUND);
	if (rc == DB_OK)
		rc = db_list(
		    rq->db, &list_marked_indicators, &rows, P(rq->key->account), P(rq->path[0]));
	if (rc != DB_OK)
		return fail_db(rq, rc);
	if (t.text.p != NULL)
		mark_text(rq->arena, &t, &rows);
	return reply(rq, 200, rq->route->wrapper, text_out, &t);
}

static const struct route report_text_routes[] = {
	{
	    ROUTE(GET, "/reports/{report_uuid}/text", get_report_text),
	    .heavy = true,
	    REPORT_ROW(SCOPE_REPORTS_VIEW),
	    .wrapper = "report_text",
	    .out = text_out,
	    .errors = report_errors,
	    .summary = "Get the text of a report of the organisation",
	    .description =
		"The text as it was sent or imported, up to 1048576 characters, with the places "
		"of the indicators of the report. Marks are in the order of the text and do not "
		"overlap. A shared report is not found, as its text belongs to its publisher.",
	},
	ROUTE_END,
};

ROUTES(57, report_text);
