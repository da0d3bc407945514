/* SPDX-License-Identifier: ISC */
/* Applies the settings of a detector in a project: new findings that they hide are not stored, and
   stored ones are closed (C-166). */
#include "config.h"

#include "detect/settings.h"
#include "json/json.h"
#include "json/tree.h"
#include "search/query.h"
#include "wire/values.h"

enum { PAGE_FINDINGS = 500 };

struct standing_row {
	struct uuid uuid;
	struct str finding_key;
	struct json doc;
};

static const struct field standing_row_out[] = {
	FIELD(struct standing_row, uuid, 0),
	FIELD(struct standing_row, finding_key, 0),
	FIELD(struct standing_row, doc, 0),
	FIELD_END,
};

STMT_LIST(list_findings_of_detector, struct standing_row, standing_row_out,
    "SELECT uuid, finding_key, doc FROM detector_findings($1, $2, $3::uuid, $4)");
STMT(hide_findings, NULL, "SELECT detector_hide($1, $2)");
STMT(show_findings, NULL, "SELECT detector_show($1, $2)");

static int
setting_severity_rank(struct str severity)
{
	for (int i = 0; severities[i] != NULL; i++)
		if (str_is(severity, severities[i]))
			return i;
	return -1;
}

/* The API refuses an exclude that cannot be parsed. One that this release cannot parse, although an
   earlier one could, hides nothing. */
void
settings_parse(struct arena *a, struct settings *s)
{
	struct query_fault fault;
	struct query *q = ARENA_NEW(a, struct query);

	s->query = NULL;
	if (s->exclude.n == 0)
		return;
	if (query_parse(a, DATASET_FINDINGS, s->exclude, ts_now(), q, &fault))
		s->query = q;
	else
		log_event(LOGP_WARNING, "settings", "project=%s exclude=\"%.*s\"",
		    uuid_text(&s->project).z, (int)fault.message.n, fault.message.p);
}

static bool
excludes_document(struct detect *x, const struct settings *s, const struct json_value *doc)
{
	return setting_severity_rank(json_text(json_get(doc, "severity"))) <
		   setting_severity_rank(s->min_severity) ||
	       (s->query != NULL && query_matches(x->scratch, s->query, doc));
}

bool
settings_hide(struct detect *x, const struct settings *s, struct str record)
{
	const struct json_value *doc;

	if (s->query == NULL && setting_severity_rank(s->min_severity) == 0)
		return false;
	doc = json_parse(x->a, arena_printf(x->a, "%.*s}", (int)record.n, record.p));
	if (doc == NULL)
		panic("a record is no JSON");
	return excludes_document(x, s, doc);
}

/* ---- changed settings ---- */

/* Whether findings that the settings no longer hide are opened here. Findings of the detector
   "rules" close only by data or settings, so detector_show can tell which to open. Other detectors
   also close findings against which a person has decided (look_hide); they look at everything again
   when the settings change, and that opens their findings. */
static bool
opens_here(const struct look *l)
{
	return str_is(str_of(l->of->name), "rules");
}

/* The subject is "=" and the UUID of the last finding of the page before, or "=" alone for the
   first page. */
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
		if (excludes_document(l->x, &l->settings, doc))
			keys[nhidden++] = row[i].finding_key;
		else
			keys[rows.n - ++nshown] = row[i].finding_key;
	}
	l->hide = (struct strs){ keys, nhidden };
	if (opens_here(l))
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

/* ---- the detector rules ---- */

/* Findings of the detector "rules" are made with observations (emit.c), so a look has nothing to
   do. The frame still applies its settings when they change. */
static enum db_rc
look_at_nothing(struct look *l)
{
	(void)l;
	return DB_OK;
}

static const struct detector rules = { .name = "rules", .subjects = 1, .look = look_at_nothing };
DETECTOR_ENTRY(rules);

static const struct field settings_out[] = {
	FIELD(struct settings, project, 0),
	FIELD(struct settings, exclude, 0),
	FIELD(struct settings, min_severity, 0),
	FIELD_END,
};

STMT_LIST(list_rules_settings, struct settings, settings_out,
    "SELECT project_uuid AS project, exclude, min_severity FROM detector_rules()");

static int
compare_settings(const void *l, const void *r)
{
	return uuid_cmp(l, r); /* the project is the first member */
}

enum db_rc
settings_load_rules(struct detect *x)
{
	struct list rows = { 0 };
	enum db_rc rc = db_rows(x->db, &list_rules_settings, &rows, DB_NO_ARGS);
	const struct settings *row = rows.items;

	x->settings = ARENA_ARRAY(x->rules_a, rows.n + 1, struct settings);
	x->nsettings = rows.n;
	for (size_t i = 0; i < rows.n; i++) {
		struct settings *s = &x->settings[i];

		*s = row[i];
		s->exclude = arena_str(x->rules_a, s->exclude);
		s->min_severity = arena_str(x->rules_a, s->min_severity);
		settings_parse(x->rules_a, s);
	}
	if (rows.n > 0)
		qsort(x->settings, rows.n, sizeof(*x->settings), compare_settings);
	return rc;
}

void
settings_hide_finding(struct buf *findings)
{
	findings->n--;
	buf_z(findings, ",\"hidden\":true}");
}

void
settings_mark(struct detect *x, struct buf *findings, size_t from, const struct settings_of *of)
{
	struct buf b = { .a = x->a };
	const struct settings *s =
	    x->nsettings == 0
		? NULL
		: bsearch(of->project, x->settings, x->nsettings, sizeof(*s), compare_settings);

	if (s == NULL)
		return;
	buf_z(&b, "{\"finding_key\":");
	json_write_str(&b,
	    arena_printf(x->a, "rule/%s/%.*s", uuid_text(of->rule).z, (int)of->key.n, of->key.p));
	buf_char(&b, ',');
	buf_add(&b, findings->p + from + 2, findings->n - from - 3); /* without "[{" and "}" */
	if (settings_hide(x, s, buf_done(&b)))
		settings_hide_finding(findings);
}
