/* SPDX-License-Identifier: ISC */
/* Lists the indicators of a report. A verdict of the account overrides the disposition of an
   indicator (resource/report.h). */
#include "config.h"

#include "api/api.h"
#include "api/reports/report.h"
#include "base/ascii.h"
#include "resource/indicator_value.h"

struct indicator_args {
	struct page_args page;
	struct str type, disposition, value;
	int64_t min_confidence;
};

/* clang-format off */
static const struct url_param indicator_params[] = {
	PAGE_PARAMS(struct indicator_args, page),
	FILTER(FIELD_STR, struct indicator_args, type, .values = indicator_types),
	FILTER(FIELD_STR, struct indicator_args, disposition, .values = report_dispositions,
	    .help = "By default all but ignored ones."),
	FILTER(FIELD_INT, struct indicator_args, min_confidence, .lo = 0, .hi = 100, .def = 0),
	FILTER(FIELD_STR, struct indicator_args, value, .lo = 1, .hi = LIM_INDICATOR,
	    .help = "A value in any spelling, such as hxxp://evil[.]example/."),
	URL_PARAM_END,
};
/* clang-format on */

/* $3 and $4: the position. The first page begins below 101, because a confidence is at most 100. */
STMT_LIST(list_indicators, struct indicator_row, indicator_row,
    "SELECT " INDICATOR_COLUMNS " FROM " INDICATORS_OF(
	"$1::uuid") " WHERE i.report_uuid = $2::uuid AND i.withdrawn_at IS NULL"
		    " AND (i.confidence, $4::uuid) <= ($3::bigint, "
		    "'ffffffff-ffff-ffff-ffff-ffffffffffff')"
		    " AND (i.confidence < $3::bigint OR i.uuid > $4::uuid)"
		    " AND ($6::text IS NULL OR i.type = $6)"
		    " AND CASE WHEN $7::text IS NULL THEN " INDICATOR_DISPOSITION " <> 'ignored'"
		    "  ELSE " INDICATOR_DISPOSITION " = $7 END"
		    " AND i.confidence >= $8::bigint"
		    " AND (cardinality($9::text[]) = 0 OR (i.type, i.value) IN (SELECT * FROM "
		    "unnest($9::text[], $10::text[])))"
		    " ORDER BY i.confidence DESC, i.uuid LIMIT $5::bigint");

void
query_word(struct buf *b, struct str value)
{
	bool plain = value.n > 0;

	for (size_t i = 0; i < value.n; i++)
		plain &= ascii_letter(value.p[i]) || ascii_digit(value.p[i]) ||
			 (i > 0 && strchr("._-/", value.p[i]) != NULL);
	if (plain) {
		buf_str(b, value);
		return;
	}
	buf_char(b, '"');
	for (size_t i = 0; i < value.n; i++) {
		if (value.p[i] == '"' || value.p[i] == '\\')
			buf_char(b, '\\');
		buf_char(b, value.p[i]);
	}
	buf_char(b, '"');
}

void
query_term(struct buf *b, struct str field, struct str value)
{
	buf_str(b, field);
	buf_char(b, ':');
	query_word(b, value);
}

void
indicator_searches(struct arena *a, struct list rows)
{
	struct indicator_row *r = rows.items;

	for (size_t i = 0; i < rows.n; i++) {
		struct indicator_search s = indicator_search(a, r[i].type, r[i].value);
		struct buf query = { .a = a }, b = { .a = a };

		if (s.dataset.p == NULL)
			continue;
		query_term(&query, s.field, s.value);
		buf_char(&query, '\0');
		json_begin(&b, '{');
		json_member(&b, "dataset");
		json_write_str(&b, s.dataset);
		json_member_str(&b, "query", query.p);
		buf_char(&b, '}');
		r[i].search.text = buf_done(&b);
	}
}

static int
list_report_indicators(struct req *rq)
{
	const struct indicator_args *args = rq->params;
	struct indicator_value found[INDICATOR_MEANINGS];
	struct str types[INDICATOR_MEANINGS], values[INDICATOR_MEANINGS];
	size_t n = args->value.p == NULL ? 0 : indicator_meanings(rq->arena, args->value, found);
	const struct page_order order = { "confidence", "uuid" };
	struct page_from from;
	struct list rows;
	enum db_rc rc;

	if (args->value.p != NULL && n == 0)
		return fail_field(rq, "value", "invalid_format", "has the form of no indicator");
	for (size_t i = 0; i < n; i++) {
		types[i] = found[i].type;
		values[i] = found[i].value;
	}
	if (page_begin(rq, &args->page, &from) != PASS || report_fail_missing(rq) != PASS)
		return FAILED;
	rc = db_list(rq->db, &list_indicators, &rows, P(rq->key->account), P(rq->path[0]),
	    P(ts_is_null(from.at) ? INT64_C(101) : from.at.us), P(from.after), P(from.want),
	    P(args->type), P(args->disposition), P(args->min_confidence),
	    P(((struct strs){ n > 0 ? types : NULL, n })),
	    P(((struct strs){ n > 0 ? values : NULL, n })));
	if (rc != DB_OK)
		return fail_db(rq, rc);
	indicator_searches(rq->arena, rows);
	return page_reply_by(rq, &args->page, rows, sizeof(struct indicator_row), &order);
}

static const struct route indicator_routes[] = {
	{
	    ROUTE(GET, "/reports/{report_uuid}/indicators", list_report_indicators),
	    REPORT_ROW(SCOPE_REPORTS_VIEW),
	    PARAMS(struct indicator_args, indicator_params),
	    .list = "indicators",
	    .out = indicator_out,
	    .errors = report_errors,
	    .summary = "List the indicators of a report",
	    .description = "The greatest confidence first; every filter must pass.",
	},
	ROUTE_END,
};

ROUTES(52, indicator);
