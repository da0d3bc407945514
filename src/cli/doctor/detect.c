/* SPDX-License-Identifier: ISC */
/* surfacectl doctor: are detection rules evaluated? surfaced-detect moves its cursors every few
   seconds, also when nothing changes. */
#include "config.h"

#include <openssl/crypto.h>

#include "base/limits.h"
#include "cli/doctor/detect.h"
#include "secret/fingerprint.h"

enum {
	BEHIND = 60,
	LAGS = 600, /* seconds for which a subject of a detector may wait */
};

struct detection {
	int64_t datasets, seconds, rules, usable, failed, work;
};

static const struct field detection_out[] = {
	FIELD(struct detection, datasets, 0),
	FIELD(struct detection, seconds, 0),
	FIELD(struct detection, rules, 0),
	FIELD(struct detection, usable, 0),
	FIELD(struct detection, failed, 0),
	FIELD(struct detection, work, 0),
	FIELD_END,
};

STMT(read_detection, detection_out,
    "SELECT count(*) AS datasets, coalesce(extract(epoch FROM now() - min(at)), 0)::bigint AS "
    "seconds,"
    " (SELECT count(DISTINCT rule_uuid) FROM rule_run WHERE live) AS rules,"
    " (SELECT count(*) FROM rule WHERE status IN ('testing', 'stable')) AS usable,"
    " (SELECT count(DISTINCT rule_uuid) FROM rule_run WHERE live AND state = 'failed') AS failed,"
    " (SELECT count(*) FROM detect_work WHERE due_at <= now()) AS work FROM detect_cursor");

/* Rules of the catalogue that have failed, which only the administrator can see. accounts: empty, or
   the accounts for which the rule has failed, when it is still evaluated for others or when no other
   account uses it. */
struct failed_rule {
	struct str name, error, accounts;
};

static const struct field failed_rule_out[] = {
	FIELD(struct failed_rule, name, 0),
	FIELD(struct failed_rule, error, 0),
	FIELD(struct failed_rule, accounts, 0),
	FIELD_END,
};

STMT_LIST(list_failed_rules, struct failed_rule, failed_rule_out,
    "SELECT r.name::text AS name, coalesce(n.error, '') AS error,"
    " CASE WHEN NOT bool_and(n.account_uuid IS NOT NULL) THEN ''"
    " WHEN count(*) = 1 THEN format(' for the account \"%s\"', min(a.name))"
    " WHEN count(*) < (SELECT count(*) FROM rule_run l WHERE l.rule_uuid = r.uuid AND l.live)"
    " THEN format(' for %s accounts, among them \"%s\"', count(*), min(a.name)) ELSE '' END AS "
    "accounts"
    " FROM rule_run n JOIN rule r ON r.uuid = n.rule_uuid"
    " LEFT JOIN account a ON a.uuid = n.account_uuid"
    " WHERE n.live AND n.state = 'failed' AND r.account_uuid IS NULL GROUP BY r.uuid, n.error"
    " ORDER BY 1, 2 LIMIT 10");

/* The work of a detector that waits or has failed. */
struct detector_health {
	struct str name, database;
	int64_t failed, waiting, seconds;
};

static const struct field detector_health_out[] = {
	FIELD(struct detector_health, name, 0),
	FIELD(struct detector_health, database, 0),
	FIELD(struct detector_health, failed, 0),
	FIELD(struct detector_health, waiting, 0),
	FIELD(struct detector_health, seconds, 0),
	FIELD_END,
};

STMT_LIST(list_detector_health, struct detector_health, detector_health_out,
    "SELECT detector AS name, current_database() AS database, count(*) FILTER (WHERE tries > 0) AS "
    "failed,"
    " count(*) FILTER (WHERE tries = 0) AS waiting, coalesce(extract(epoch FROM now() -"
    " min(due_at) FILTER (WHERE tries = 0)), 0)::bigint AS seconds"
    " FROM detector_work WHERE tries > 0 OR due_at <= now() GROUP BY 1 ORDER BY 1");

/* Detectors that have as many findings as a project may have. */
struct full_detector {
	struct str name;
	int64_t projects;
};

static const struct field full_detector_out[] = {
	FIELD(struct full_detector, name, 0),
	FIELD(struct full_detector, projects, 0),
	FIELD_END,
};

STMT_LIST(list_full_detectors, struct full_detector, full_detector_out,
    "SELECT detector AS name, count(*) AS projects FROM detector_state"
    " WHERE is_full GROUP BY 1 ORDER BY 1");

struct fingerprints {
	struct str key_id;
	int64_t n;
};

static const struct field fingerprints_out[] = {
	FIELD(struct fingerprints, key_id, NULLABLE),
	FIELD(struct fingerprints, n, 0),
	FIELD_END,
};

STMT(read_fingerprints, fingerprints_out,
    "SELECT (SELECT id FROM secret_key ORDER BY used_at DESC LIMIT 1) AS key_id, count(*) AS n"
    " FROM (SELECT DISTINCT project_uuid, secret_type, fingerprint FROM secret_place LIMIT "
    "1000000) AS f");

/* Are the fingerprints of the database made with the key of this host (C-189)? doctor_secrets
   reports a file that is missing. */
void
doctor_fingerprints(struct doctor *d)
{
	const char *path = doctor_conf(d, PROGRAM_DETECT)->fingerprint_file;
	struct fingerprints f;
	struct secret_key key;
	char err[512];
	bool there;

	if (!d->database || db_one_row(d->c->db, &read_fingerprints, &f, DB_NO_ARGS) != DB_OK ||
	    f.key_id.p == NULL)
		return;
	there = secret_key_read(path, &key, err, sizeof(err));
	if (there && str_is(f.key_id, key.id))
		doctor_report(d, HEALTH_OK, "fingerprints", NO_ADVICE,
		    "%jd secrets, found with the key of %s", (intmax_t)f.n, path);
	else
		doctor_report(d, HEALTH_WARNING, "fingerprints",
		    DO_WITH(RESTORE_FINGERPRINT_KEY, path),
		    "%jd secrets were found with another key than that of %s", (intmax_t)f.n, path);
	if (there)
		OPENSSL_cleanse(&key, sizeof(key));
}

static void
check_detectors(struct doctor *d)
{
	struct list rows = { 0 };
	const struct detector_health *h;

	if (db_rows(d->c->db, &list_detector_health, &rows, DB_NO_ARGS) != DB_OK)
		return;
	h = rows.items;
	for (size_t i = 0; i < rows.n; i++) {
		if (h[i].failed > 0)
			doctor_report(d, HEALTH_WARNING, "detection",
			    DO_WITH(LOOK_AGAIN, arena_str(d->c->arena, h[i].database).p),
			    "the detector %.*s could not look at %jd subjects, and tries again "
			    "within an hour",
			    (int)h[i].name.n, h[i].name.p, (intmax_t)h[i].failed);
		if (h[i].seconds >= LAGS)
			doctor_report(d, HEALTH_WARNING, "detection",
			    DO_WITH(RESTART, "surfaced-detect"),
			    "the detector %.*s lags: %jd subjects wait, the first for %jd s",
			    (int)h[i].name.n, h[i].name.p, (intmax_t)h[i].waiting,
			    (intmax_t)h[i].seconds);
	}
}

static void
report_full_detectors(struct doctor *d)
{
	struct list rows = { 0 };
	const struct full_detector *f;

	if (db_rows(d->c->db, &list_full_detectors, &rows, DB_NO_ARGS) != DB_OK)
		return;
	f = rows.items;
	for (size_t i = 0; i < rows.n; i++)
		doctor_report(d, HEALTH_WARNING, "detection", NO_ADVICE,
		    "in %jd projects the detector %.*s has found as much as it may, and leaves out "
		    "what is new",
		    (intmax_t)f[i].projects, (int)f[i].name.n, f[i].name.p);
}

static void
report_failed_rules(struct doctor *d)
{
	struct list rows = { 0 };
	const struct failed_rule *r;

	if (db_rows(d->c->db, &list_failed_rules, &rows, DB_NO_ARGS) != DB_OK)
		return;
	r = rows.items;
	for (size_t i = 0; i < rows.n; i++)
		doctor_report(d, HEALTH_WARNING, "detection", NO_ADVICE,
		    "the catalogue's rule \"%.*s\" failed%.*s, and is tried again within %d hours: "
		    "%.*s",
		    (int)r[i].name.n, r[i].name.p, (int)r[i].accounts.n, r[i].accounts.p,
		    (int)LIM_RULE_RETRY_HOURS, (int)r[i].error.n, r[i].error.p);
}

void
doctor_detection(struct doctor *d)
{
	struct detection s;

	if (!d->database || db_one_row(d->c->db, &read_detection, &s, DB_NO_ARGS) != DB_OK)
		return;
	if (s.datasets > 0 && s.seconds >= BEHIND) {
		doctor_report(d, HEALTH_WARNING, "detection", DO_WITH(RESTART, "surfaced-detect"),
		    "no rule has been evaluated for %jd s", (intmax_t)s.seconds);
		doctor_cause(d, "daemon", "surfaced-detect");
		return;
	}
	check_detectors(d);
	report_failed_rules(d);
	report_full_detectors(d);
	if (s.rules == 0)
		doctor_report(d, HEALTH_OK, "detection", NO_ADVICE,
		    "no account uses a rule yet; %jd could be evaluated", (intmax_t)s.usable);
	else
		doctor_report(d, s.failed > 0 ? HEALTH_WARNING : HEALTH_OK, "detection", NO_ADVICE,
		    "%jd of %jd rules are evaluated, %jd of them failed, %jd on older data",
		    (intmax_t)s.rules, (intmax_t)s.usable, (intmax_t)s.failed, (intmax_t)s.work);
}
