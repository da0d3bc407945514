/* SPDX-License-Identifier: ISC */
/* Finds the reports of values, and the searches that the indicators of a report suggest. */
#include "config.h"

#include "api/api.h"
#include "api/reports/report.h"
#include "resource/indicator_value.h"

/* ---- the reports of values ---- */

struct lookup_in {
	struct list values;
	bool include_ignored;
};

static const struct field lookup_in[] = {
	LIST_OF(struct lookup_in, values, REQUIRED, struct str, 1, LIM_LOOKUP_VALUES),
	FIELD(struct lookup_in, include_ignored, 0),
	FIELD_END,
};

static const struct body_code lookup_codes[] = {
	{ "values", ERR_INVALID_INDICATOR_BATCH, ERR_INVALID_INDICATOR_BATCH },
	{ NULL, ERR_UNSET, ERR_UNSET },
};

struct sighting {
	int64_t at, total;
	struct uuid uuid;
	struct str title, disposition;
	struct ts published_at;
	int64_t confidence;
};

static const struct field sighting_row[] = {
	FIELD(struct sighting, at, 0),
	FIELD(struct sighting, total, 0),
	FIELD(struct sighting, uuid, 0),
	FIELD(struct sighting, title, NULLABLE),
	FIELD(struct sighting, published_at, NULLABLE),
	FIELD(struct sighting, disposition, 0),
	FIELD(struct sighting, confidence, 0),
	FIELD_END,
};

static const struct field sighting_out[] = {
	FIELD(struct sighting, uuid, 0),
	FIELD(struct sighting, title, NULLABLE),
	FIELD(struct sighting, published_at, NULLABLE),
	ONE_OF(struct sighting, disposition, 0, report_dispositions, NULL),
	NUMBER(struct sighting, confidence, 0, 0, 100, 0),
	FIELD_END_OF("IndicatorSighting"),
};

STMT_LIST(read_sightings, struct sighting, sighting_row,
    "SELECT k.at, s.total, s.uuid, s.title, s.published_at, s.disposition, s.confidence"
    " FROM unnest($2::text[], $3::text[]) WITH ORDINALITY AS k (type, value, at), LATERAL ("
    "  SELECT count(*) OVER () AS total, r.uuid, r.title, r.published_at, " INDICATOR_DISPOSITION
    " AS disposition, i.confidence::bigint AS confidence"
    "  FROM " INDICATORS_OF(
	"$1::uuid") " JOIN report AS r ON r.uuid = i.report_uuid"
		    "  WHERE i.type = k.type AND md5(i.value) = md5(k.value) AND i.value = k.value"
		    "   AND i.withdrawn_at IS NULL AND " REPORT_READABLE(
			"$1") "   AND ($4::boolean OR " INDICATOR_DISPOSITION " <> 'ignored')"
			      "  ORDER BY coalesce(r.published_at, r.imported_at) DESC, r.uuid "
			      "LIMIT $5::bigint) AS s"
			      " ORDER BY k.at, coalesce(s.published_at, '-infinity') DESC, s.uuid");

struct looked_up {
	struct str type, value;
	struct list reports;
	int64_t reports_total;
};

static const struct field looked_up_out[] = {
	ONE_OF(struct looked_up, type, 0, indicator_types, NULL),
	TEXT(struct looked_up, value, 0, 1, LIM_INDICATOR),
	LIST(struct looked_up, reports, 0, struct sighting, sighting_out, 0, LIM_LOOKUP_REPORTS),
	FIELD(struct looked_up, reports_total, 0),
	FIELD_END_OF("IndicatorLookup"),
};

struct results {
	struct list results;
};

static const struct field lookup_out[] = {
	LIST(struct results, results, 0, struct looked_up, looked_up_out, 1, LIM_LOOKUP_VALUES),
	FIELD_END,
};

/* All possible types of all values in one list, and the index of the first one of each value. */
struct meanings {
	struct str types[LIM_LOOKUP_VALUES * INDICATOR_MEANINGS];
	struct str values[LIM_LOOKUP_VALUES * INDICATOR_MEANINGS];
	size_t first[LIM_LOOKUP_VALUES + 1], n;
};

static int
read_meanings(struct req *rq, const struct lookup_in *in, struct meanings *m)
{
	const struct str *sent = in->values.items;

	m->n = 0;
	for (size_t i = 0; i < in->values.n; i++) {
		struct indicator_value found[INDICATOR_MEANINGS];
		size_t n =
		    sent[i].n > LIM_INDICATOR ? 0 : indicator_meanings(rq->arena, sent[i], found);

		if (n == 0)
			return fail_at(rq, ERR_INVALID_INDICATOR_BATCH,
			    arena_printf(
				rq->arena, "values[%zu]: is no indicator of any type.", i));
		m->first[i] = m->n;
		for (size_t k = 0; k < n; k++, m->n++) {
			m->types[m->n] = found[k].type;
			m->values[m->n] = found[k].value;
		}
	}
	m->first[in->values.n] = m->n;
	return PASS;
}

/* Returns the reports of one value in one of its types. */
static struct looked_up
look_up_indicators(const struct meanings *m, size_t meaning, const struct list *rows)
{
	struct looked_up l = { m->types[meaning], m->values[meaning], { NULL, 0 }, 0 };
	struct sighting *s = rows->items;

	for (size_t i = 0; i < rows->n; i++)
		if (s[i].at == (int64_t)meaning + 1) {
			if (l.reports.n++ == 0)
				l.reports.items = &s[i];
			l.reports_total = s[i].total;
		}
	return l;
}

static int
lookup_indicators(struct req *rq)
{
	const struct lookup_in *in = rq->in;
	struct meanings *m = ARENA_NEW(rq->arena, struct meanings);
	struct looked_up *out = ARENA_ARRAY(rq->arena, in->values.n, struct looked_up);
	struct results answer = { { out, in->values.n } };
	struct list rows;
	enum db_rc rc;

	if (read_meanings(rq, in, m) != PASS)
		return FAILED;
	rc = db_list(rq->db, &read_sightings, &rows, P(rq->key->account),
	    P(((struct strs){ m->types, m->n })), P(((struct strs){ m->values, m->n })),
	    P(in->include_ignored), P(LIM_LOOKUP_REPORTS));
	if (rc != DB_OK)
		return fail_db(rq, rc);
	for (size_t i = 0; i < in->values.n; i++) {
		out[i] = look_up_indicators(m, m->first[i], &rows);
		for (size_t k = m->first[i] + 1; k < m->first[i + 1] && out[i].reports.n == 0;
		     k++) {
			struct looked_up other = look_up_indicators(m, k, &rows);

			if (other.reports.n > 0)
				out[i] = other;
		}
	}
	return reply(rq, 200, NULL, lookup_out, &answer);
}

/* ---- the searches of a report ---- */

STMT_LIST(read_pivots, struct indicator_row, indicator_row,
    "SELECT " INDICATOR_COLUMNS
    " FROM " INDICATORS_OF("$1::uuid") " WHERE i.report_uuid = $2::uuid AND i.withdrawn_at IS NULL"
				       " AND " INDICATOR_DISPOSITION
				       " = 'indicator' ORDER BY i.confidence DESC, i.uuid");

struct pivot {
	struct str dataset, query;
	int64_t indicators, rest;
};

static const struct field pivot_out[] = {
	FIELD(struct pivot, dataset, 0),
	TEXT(struct pivot, query, 0, 1, LIM_QUERY),
	NUMBER(struct pivot, indicators, 0, 1, LIM_QUERY_SET, 0),
	{ .name = "rest",
	    .type = FIELD_INT,
	    .offset = offsetof(struct pivot, rest),
	    .help = "Number of indicators of this field in the queries that follow." },
	FIELD_END_OF("ReportPivot"),
};

struct pivots {
	struct list pivots;
};

static const struct field pivots_out[] = {
	LIST(struct pivots, pivots, 0, struct pivot, pivot_out, 0, LIM_REPORT_INDICATORS),
	FIELD_END,
};

struct pivoting {
	struct arena *a;
	const struct indicator_search *searches;
	size_t n;
	struct pivot *out;
	size_t nout;
};

/* Adds a query of as many values as it may have: those from `from` on that belong to the same
   dataset and field. Marks them as done. */
static void
add_pivot(struct pivoting *p, bool *done, size_t from)
{
	const struct indicator_search *first = &p->searches[from];
	struct pivot *out = &p->out[p->nout++];
	struct buf b = { .a = p->a };

	*out = (struct pivot){ .dataset = first->dataset };
	buf_str(&b, first->field);
	buf_z(&b, ":{");
	for (size_t i = from; i < p->n; i++) {
		const struct indicator_search *s = &p->searches[i];
		size_t before = b.n;

		if (done[i] || s->dataset.p == NULL || !str_eq(s->field, first->field) ||
		    !str_eq(s->dataset, first->dataset))
			continue;
		if (out->indicators == LIM_QUERY_SET) {
			out->rest++;
			continue;
		}
		if (out->indicators > 0)
			buf_char(&b, ',');
		query_word(&b, s->value);
		if (b.n + 1 > LIM_QUERY) {
			b.n = before;
			out->rest++;
			continue;
		}
		done[i] = true;
		out->indicators++;
	}
	buf_char(&b, '}');
	out->query = buf_done(&b);
}

static int
by_search(const void *x, const void *y)
{
	const struct indicator_search *a = *(const struct indicator_search *const *)x,
				      *b = *(const struct indicator_search *const *)y;
	int c = str_cmp(a->dataset, b->dataset);

	c = c != 0 ? c : str_cmp(a->field, b->field);
	c = c != 0 ? c : str_cmp(a->value, b->value);
	return c != 0 ? c : (a > b) - (a < b);
}

/* Marks repeated searches as done: a URL is searched by its host, which may be an indicator of its
   own. */
static void
skip_repeated(const struct pivoting *p, bool *done)
{
	const struct indicator_search **sorted =
	    ARENA_ARRAY(p->a, p->n + 1, const struct indicator_search *);
	size_t n = 0;

	for (size_t i = 0; i < p->n; i++)
		if (!done[i])
			sorted[n++] = &p->searches[i];
	qsort(sorted, n, sizeof(*sorted), by_search);
	for (size_t i = 1; i < n; i++)
		done[sorted[i] - p->searches] =
		    str_eq(sorted[i]->dataset, sorted[i - 1]->dataset) &&
		    str_eq(sorted[i]->field, sorted[i - 1]->field) &&
		    str_eq(sorted[i]->value, sorted[i - 1]->value);
}

static int
list_report_pivots(struct req *rq)
{
	struct pivoting p = { .a = rq->arena };
	struct indicator_search *searches;
	const struct indicator_row *r;
	struct pivots answer;
	struct list rows;
	enum db_rc rc;
	bool *done;

	if (report_fail_missing(rq) != PASS)
		return FAILED;
	rc = db_list(rq->db, &read_pivots, &rows, P(rq->key->account), P(rq->path[0]));
	if (rc != DB_OK)
		return fail_db(rq, rc);
	p.searches = searches = ARENA_ARRAY(rq->arena, rows.n + 1, struct indicator_search);
	p.out = ARENA_ARRAY(rq->arena, rows.n + 1, struct pivot);
	done = ARENA_ARRAY(rq->arena, rows.n + 1, bool);
	r = rows.items;
	p.n = rows.n;
	for (size_t i = 0; i < rows.n; i++) {
		searches[i] = indicator_search(rq->arena, r[i].type, r[i].value);
		done[i] = searches[i].dataset.p == NULL || searches[i].value.n > LIM_QUERY / 2;
	}
	skip_repeated(&p, done);
	for (size_t i = 0; i < rows.n; i++)
		if (!done[i])
			add_pivot(&p, done, i);
	answer.pivots = (struct list){ p.out, p.nout };
	return reply(rq, 200, NULL, pivots_out, &answer);
}

static const enum error lookup_errors[] = { ERR_INVALID_INDICATOR_BATCH, ERR_UNSET };

static const struct route indicator_lookup_routes[] = {
	{
	    ROUTE(GET, "/reports/{report_uuid}/pivots", list_report_pivots),
	    REPORT_ROW(SCOPE_REPORTS_VIEW),
	    .out = pivots_out,
	    .result = "The queries.",
	    .errors = report_errors,
	    .summary = "List the searches of a report",
	    .description = "Queries of GET /search/{dataset} that find the hosts with the "
			   "report's indicators.",
	},
	{
	    ROUTE(POST, "/reports/indicators/lookup", lookup_indicators),
	    REPORT_ROW(SCOPE_REPORTS_VIEW),
	    BODY(struct lookup_in, lookup_in, LIM_REPORT_BODY),
	    .body_codes = lookup_codes,
	    .out = lookup_out,
	    .result = "The reports of each value, in the order of the request.",
	    .errors = lookup_errors,
	    .example = JSON({ "values" : [ "evil[.]example", "192.0.2.1" ] }),
	    .summary = "Look up indicators",
	    .description = "The newest reports that have each value, in any spelling.",
	},
	ROUTE_END,
};

ROUTES(54, indicator_lookup);
