/* SPDX-License-Identifier: ISC */
/* The settings of a detector in a project: what they hide is not stored, and what stands is closed (C-166). */
#include "config.h"

#include "detect/detector.h"
#include "json/tree.h"
#include "search/query.h"
#include "wire/values.h"

enum { PAGE_FINDINGS = 500 };

struct standing_row {
	struct uuid uuid;
	struct str finding_key, severity;
	struct json doc;
};

static const struct field standing_row_out[] = {
	FIELD(struct standing_row, uuid, 0),
	FIELD(struct standing_row, finding_key, 0),
	FIELD(struct standing_row, severity, 0),
	FIELD(struct standing_row, doc, 0),
	FIELD_END,
};

STMT_LIST(list_findings_of_detector, struct standing_row, standing_row_out,
    "SELECT uuid, finding_key, severity, doc FROM detector_findings($1, $2, $3::uuid, $4)");
STMT(hide_findings, NULL, "SELECT detector_hide($1, $2)");
STMT(show_findings, NULL, "SELECT detector_show($1, $2)");

static int
severity_rank(struct str severity)
{
	for (int i = 0; severities[i] != NULL; i++)
		if (str_is(severity, severities[i]))
			return i;
	return -1;
}

/* The query is parsed at its first use in a look. The API accepts none that cannot be parsed; one that a later release
   refuses hides nothing. */
static const struct query *
exclude_of(struct look *l)
{
	struct query_fault fault;
	struct query *q;

	if (l->exclude.n == 0 || l->parsed)
		return l->query;
	l->parsed = true;
	q = ARENA_NEW(l->x->a, struct query);
	if (query_parse(l->x->a, DATASET_FINDINGS, l->exclude, ts_now(), q, &fault))
		l->query = q;
	else
		log_event(LOGP_WARNING, "settings", "detector=%s project=%s exclude=\"%.*s\"",
		    l->of->name, uuid_text(&l->project).z, (int)fault.message.n, fault.message.p);
	return l->query;
}

static bool
hides(struct look *l, struct str severity, const struct json_value *doc)
{
	const struct query *q = exclude_of(l);

	return severity_rank(severity) < severity_rank(l->min_severity) ||
	       (q != NULL && query_matches(l->x->scratch, q, doc));
}

bool
settings_hide(struct look *l, struct str record)
{
	const struct json_value *doc;

	if (l->exclude.n == 0 && severity_rank(l->min_severity) == 0)
		return false;
	doc = json_parse(l->x->a, arena_printf(l->x->a, "%.*s}", (int)record.n, record.p));
	if (doc == NULL)
		panic("a record of %s is no JSON", l->of->name);
	return hides(l, json_text(json_get(doc, "severity")), doc);
}

/* The page behind the UUID that the subject has. What the settings do not hide any more was closed without data that contradict
   it, by which detector_show knows it. */
enum db_rc
settings_apply(struct look *l)
{
	const int64_t most = PAGE_FINDINGS;
	struct str behind = { l->subjects[0].p + 1, l->subjects[0].n - 1 };
	struct list rows = { 0 };
	enum db_rc rc = db_list(l->x->db, &list_findings_of_detector, &rows, P(str_of(l->of->name)),
	    P(l->project), P(behind.n == 0 ? STR_NULL : behind), P(most));
	const struct standing_row *row = rows.items;
	struct str *keys = ARENA_ARRAY(l->x->a, rows.n + 1, struct str);
	size_t nhidden = 0, nshown = 0;

	for (size_t i = 0; i < rows.n; i++) {
		const struct json_value *doc = json_parse(l->x->a, row[i].doc.text);

		if (doc == NULL)
			panic("PostgreSQL returned invalid JSON for a finding");
		if (hides(l, row[i].severity, doc))
			keys[nhidden++] = row[i].finding_key;
		else
			keys[rows.n - ++nshown] = row[i].finding_key;
	}
	l->hide = (struct strs){ keys, nhidden };
	l->show = (struct strs){ keys + nhidden, nshown };
	if (rc == DB_OK && rows.n == (size_t)most)
		look_ask(
		    l, arena_printf(l->x->a, "=%s", uuid_text(&row[rows.n - 1].uuid).z), TS_NULL);
	return rc;
}

enum db_rc
settings_store(struct look *l)
{
	enum db_rc rc = DB_OK;

	if (l->hide.n > 0)
		rc = db_do(l->x->db, &hide_findings, NULL, P(l->project), P(l->hide));
	if (rc == DB_OK && l->show.n > 0)
		rc = db_do(l->x->db, &show_findings, NULL, P(l->project), P(l->show));
	return rc;
}
