/* SPDX-License-Identifier: ISC */
/* The detectors of a project: their state and their settings (C-166, C-168). surfaced-detect
   applies changed settings; a trigger asks it to (sql/functions/triggers.sql). */
#include "config.h"

#include "api/api.h"
#include "resource/detector.h"
#include "wire/values.h"

struct detector_settings {
	bool enabled;
	struct str min_severity, exclude;
};

static const struct field settings_in[] = {
	SWITCH(struct detector_settings, enabled, 0, true),
	ONE_OF(struct detector_settings, min_severity, 0, severities,
	    "Findings of a lower severity are hidden; info by default."),
	{
	    .name = "exclude",
	    .type = FIELD_STR,
	    .flags = BYTES_TOO,
	    .offset = offsetof(struct detector_settings, exclude),
	    .lo = 0,
	    .hi = LIM_QUERY,
	    .help = "A query on findings, in the language of surfaced-query(7): those that pass "
		    "are hidden; "
		    "empty: none. It cannot ask for status or service_key.",
	},
	FIELD_END,
};

/* clang-format off */
#define DETECTOR_EXAMPLE JSON({ "enabled": true, "min_severity": "low", "exclude": "title:parked" })
/* clang-format on */

static const struct field detector_row[] = { DETECTOR_MEMBERS, FIELD_END_OF("Detector") };

struct detectors {
	struct list detectors;
};

static const struct field detectors_out[] = {
	LIST(struct detectors, detectors, 0, struct detector_row, detector_row, 0, DETECTORS_MOST),
	FIELD_END_OF("Detectors"),
};

STMT_LIST(list_detectors_of_project, struct detector_row, detector_row,
    "SELECT name, enabled, exclude, min_severity, last_pass_at, looked_at, open, error"
    " FROM detector_list($1, $2)");

STMT(change_detector, NULL,
    "INSERT INTO detector_state AS s (project_uuid, detector, enabled, exclude, min_severity)"
    " VALUES ($1, $2, $3, $4, $5) ON CONFLICT (project_uuid, detector) DO UPDATE SET"
    " enabled = excluded.enabled, exclude = excluded.exclude, min_severity = excluded.min_severity,"
    " updated_at = now() WHERE (s.enabled, s.exclude, s.min_severity) IS DISTINCT FROM"
    "  (excluded.enabled, excluded.exclude, excluded.min_severity)");

static enum db_rc
read_detectors(struct req *rq, struct strs names, struct list *rows)
{
	return db_list(rq->db, &list_detectors_of_project, rows, P(rq->project), P(names));
}

static int
list_detectors(struct req *rq)
{
	struct detectors out;
	enum db_rc rc = read_detectors(rq, detector_names, &out.detectors);

	return rc != DB_OK ? fail_db(rq, rc) : reply(rq, 200, NULL, detectors_out, &out);
}

/* Refuses an exclude that tests status, because a finding must not disappear when a person moves
   it, or service_key, which is not known before a finding is stored. */
static int
check_exclude(struct req *rq, const struct detector_settings *in)
{
	static const char *const refused[] = { "status", "service_key" };
	struct query_fault fault;
	struct query query;

	if (in->exclude.n == 0)
		return PASS;
	if (!query_parse(rq->arena, DATASET_FINDINGS, in->exclude, rq->now, &query, &fault))
		return fail_field(rq, "exclude", "invalid_format",
		    arena_printf(rq->arena, "character %u: %.*s", fault.at, (int)fault.message.n,
			fault.message.p)
			.p);
	for (size_t i = 0; i < COUNT(refused); i++)
		if (query_asks(&query, refused[i]))
			return fail_field(rq, "exclude", "not_allowed",
			    arena_printf(rq->arena, "must not test %s", refused[i]).p);
	return PASS;
}

static int
update_detector(struct req *rq)
{
	const struct detector_settings *in = rq->in;
	struct strs name = { &detector_names.p[rq->route->arg], 1 };
	struct list rows = { 0 };
	enum db_rc rc;

	if (check_exclude(rq, in) != PASS)
		return FAILED;
	rc = db_do(rq->db, &change_detector, NULL, P(rq->project), P(*name.p), P(in->enabled),
	    P(in->exclude.p == NULL ? STR("") : in->exclude),
	    P(in->min_severity.p == NULL ? STR("info") : in->min_severity));
	if (rc == DB_OK)
		rc = read_detectors(rq, name, &rows);
	if (rc != DB_OK)
		return fail_db(rq, rc);
	return reply(rq, 200, rq->route->wrapper, rq->route->out, rows.items);
}

#define DETECTORS PROJECT "/esi/detectors"

static const struct route detector_routes[] = {
	{
	    ROUTE(GET, DETECTORS, list_detectors),
	    COLUMNS_OF_PROJECT(SCOPE_ESI_FINDINGS_VIEW, ENTITLEMENT_ESI),
	    .out = detectors_out,
	    .tag = "Findings",
	    .result = "Every detector, with its settings.",
	    .summary = "List the detectors",
	    .description = "open is the number of open findings. looked_at counts the records "
			   "that the detector has looked at since it last began anew. error is the "
			   "reason of the last failure, until everything has succeeded.",
	},
#define DETECTOR(id, word, label, help)                                                            \
	{                                                                                          \
		ROUTE_AS(PUT, DETECTORS "/" label, "update_detector_" word, update_detector),      \
		COLUMNS_OF_PROJECT(SCOPE_ESI_DETECTORS_MANAGE, ENTITLEMENT_ESI),                   \
		BODY(struct detector_settings, settings_in, BODY_CONFIGURED),                      \
		.example = DETECTOR_EXAMPLE,                                                       \
		.arg = DETECTOR_##id,                                                              \
		.out = detector_row,                                                               \
		.wrapper = "detector",                                                             \
		.tag = "Findings",                                                                 \
		.summary = "Change the settings of the detector " label,                           \
		.description =                                                                     \
		    help " Findings that the settings hide are not stored, or are "                \
			 "closed if they are stored already; they open again when the "            \
			 "settings no longer hide them. A detector that is not enabled "           \
			 "neither finds nor closes anything.",                                     \
	},
#include "tbl/detectors.h"
#undef DETECTOR
	ROUTE_END,
};

ROUTES(152, detector);
