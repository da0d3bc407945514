/* SPDX-License-Identifier: ISC */
/* The detector threat-indicators: an indicator of a report that equals the name or address of an
   asset. A subject is the name of an asset (sql/functions/threat_indicator.sql). A finding closes
   when no report has the indicator any more, and at once when the account gives the indicator the
   verdict "ignored". */
#include "config.h"

#include "detect/detector.h"
#include "json/json.h"
#include "json/tree.h"

struct affected_row {
	struct uuid project_uuid;
	struct str name;
};

static const struct field affected_out[] = {
	FIELD(struct affected_row, project_uuid, 0),
	FIELD(struct affected_row, name, 0),
	FIELD_END,
};

struct indicator_hit {
	struct str type, value, kind, verdict;
	int64_t confidence, report_count;
	struct ts first_seen_at, last_seen_at, valid_until;
	struct json reports;
};

static const struct field hit_out[] = {
	FIELD(struct indicator_hit, type, 0),
	FIELD(struct indicator_hit, value, 0),
	FIELD(struct indicator_hit, kind, 0),
	FIELD(struct indicator_hit, verdict, NULLABLE),
	FIELD(struct indicator_hit, confidence, 0),
	FIELD(struct indicator_hit, report_count, 0),
	FIELD(struct indicator_hit, first_seen_at, 0),
	FIELD(struct indicator_hit, last_seen_at, 0),
	FIELD(struct indicator_hit, valid_until, NULLABLE),
	FIELD(struct indicator_hit, reports, 0),
	FIELD_END,
};

STMT_LIST(list_affected_assets, struct affected_row, affected_out,
    "SELECT project_uuid, name FROM indicators_affected($1)");
STMT_LIST(list_indicator_hits, struct indicator_hit, hit_out,
    "SELECT type, value, kind, verdict, confidence, report_count, first_seen_at, last_seen_at,"
    " valid_until, reports FROM indicators_found($1, $2)");

/* ---- changed reports ---- */

static enum db_rc
affected_assets(struct affected *f)
{
	struct str *uuids = ARENA_ARRAY(f->x->a, f->batch->ndocuments + 1, struct str);
	struct list rows = { 0 };
	const struct affected_row *row;
	size_t n = 0;
	enum db_rc rc;

	if (f->batch->source != DATASET_REPORTS)
		return DB_OK;
	for (size_t i = 0; i < f->batch->ndocuments; i++) {
		const struct json_value *named = f->batch->documents[i].named,
					*uuid = named == NULL ? NULL : json_get(named, "uuid");

		if (uuid != NULL)
			uuids[n++] = json_text(uuid);
	}
	rc = db_list(f->x->db, &list_affected_assets, &rows, P(((struct strs){ uuids, n })));
	row = rows.items;
	for (size_t i = 0; i < rows.n; i++)
		affected_ask(f, &row[i].project_uuid, row[i].name);
	return rc;
}

/* ---- a look ---- */

static const char *
severity_of(int64_t confidence)
{
	static const struct {
		int64_t at_least;
		const char *severity;
	} severities[] = {
#define INDICATOR_SEVERITY(at_least, severity) { at_least, severity },
#include "tbl/indicator_severities.h"
#undef INDICATOR_SEVERITY
	};
	size_t i = 0;

	while (confidence < severities[i].at_least)
		i++;
	return severities[i].severity;
}

static struct str
indicator_evidence(struct look *l, const struct indicator_hit *h)
{
	struct buf b = { .a = l->x->a };

	buf_z(&b, "{\"type\":");
	json_write_str(&b, h->type);
	buf_z(&b, ",\"value\":");
	json_write_str(&b, h->value);
	buf_printf(&b, ",\"matched_by\":\"%s\"",
	    str_is(h->kind, "address")       ? "address"
	    : str_is(h->kind, "certificate") ? "certificate"
					     : "hostname");
	buf_printf(&b,
	    ",\"confidence\":%jd,\"report_count\":%jd,\"reasons\":[{\"code\":\"%s\",\"weight\":%jd}"
	    "],\"reports\":",
	    (intmax_t)h->confidence, (intmax_t)h->report_count,
	    h->verdict.p == NULL ? "report" : "verdict", (intmax_t)h->confidence);
	buf_str(&b, h->reports.text);
	buf_char(&b, '}');
	return buf_done(&b);
}

static struct str
indicator_key(struct look *l, const struct indicator_hit *h)
{
	return arena_printf(
	    l->x->a, "indicator/%.*s/%.*s", (int)h->type.n, h->type.p, (int)h->value.n, h->value.p);
}

static void
report_indicator(struct look *l, const struct indicator_hit *h, struct str key)
{
	look_found(l, h->value,
	    &(struct found){ .key = key,
		.type = STR("threat_indicator"),
		.title = arena_printf(l->x->a, "%.*s is an indicator of %jd threat report%s",
		    (int)h->value.n, h->value.p, (intmax_t)h->report_count,
		    h->report_count == 1 ? "" : "s"),
		.severity = str_of(severity_of(h->confidence)),
		.confidence = (double)h->confidence / 100,
		.asset_kind = h->kind,
		.asset_name = h->value,
		.evidence = indicator_evidence(l, h),
		.first = h->first_seen_at,
		.last = h->last_seen_at });
	if (!ts_is_null(h->valid_until))
		look_ask(l, h->value, h->valid_until);
}

/* Handles a finding whose indicator no report has now. The present time contradicts the finding,
   because reports are read as they are at present. The look is repeated when that time is
   LIM_FINDING_CLEAR_HOURS newer than the finding, so that it can close. */
static void
contradict_finding(struct look *l, const struct known_finding *s)
{
	struct ts now = ts_now(),
		  clear = { s->last_seen_at.us + LIM_FINDING_CLEAR_HOURS * 3600 * SECOND_US };

	if (!str_is(s->status, "open") && !str_is(s->status, "acknowledged"))
		return;
	look_absent(l, s->finding_key, now);
	if (ts_cmp(now, clear) < 0)
		look_ask(l, s->subject, clear);
}

static enum db_rc
look_at_assets(struct look *l)
{
	struct list rows = { 0 };
	enum db_rc rc = db_list(l->x->db, &list_indicator_hits, &rows, P(l->project),
	    P(((struct strs){ l->subjects, l->nsubjects })));
	const struct indicator_hit *hit = rows.items;
	bool *seen = ARENA_ARRAY(l->x->a, l->known_count + 1, bool);

	for (size_t i = 0; i < rows.n; i++) {
		struct str key = indicator_key(l, &hit[i]);

		for (size_t k = 0; k < l->known_count; k++)
			if (str_eq(l->known[k].finding_key, key))
				seen[k] = true;
		if (str_is(hit[i].verdict, "ignored"))
			look_hide(l, key);
		else
			report_indicator(l, &hit[i], key);
	}
	for (size_t k = 0; k < l->known_count; k++)
		if (!seen[k])
			contradict_finding(l, &l->known[k]);
	return rc;
}

static const struct detector indicators = {
	.name = "threat-indicators",
	.subjects = 500,
	.affected = affected_assets,
	.look = look_at_assets,
};
DETECTOR_ENTRY(indicators);
