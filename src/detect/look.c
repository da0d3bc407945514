/* SPDX-License-Identifier: ISC */
/* Lets detectors look at the subjects that are due, one project at a time, and stores their
   findings (detector.h). */
#include "config.h"

#include "daemon/daemon.h"
#include "db/guard.h"
#include "detect/detector.h"
#include "detect/settings.h"

REGISTRY(const struct detector, detectors);

enum { SLICE_US = 200000 };

/* ---- statements ---- */

struct taken {
	struct str detector;
	struct uuid project_uuid;
	struct str exclude, min_severity, subject, asked;
};

static const struct field taken_out[] = {
	FIELD(struct taken, detector, 0),
	FIELD(struct taken, project_uuid, 0),
	FIELD(struct taken, exclude, 0),
	FIELD(struct taken, min_severity, 0),
	FIELD(struct taken, subject, 0),
	FIELD(struct taken, asked, 0),
	FIELD_END,
};

static const struct field known_finding_out[] = {
	FIELD(struct known_finding, subject, 0),
	FIELD(struct known_finding, finding_key, 0),
	FIELD(struct known_finding, status, 0),
	FIELD(struct known_finding, severity, 0),
	FIELD(struct known_finding, first_seen_at, 0),
	FIELD(struct known_finding, last_seen_at, 0),
	FIELD(struct known_finding, evidence, NULLABLE),
	FIELD_END,
};

STMT_LIST(take_subjects, struct taken, taken_out,
    "SELECT detector, project_uuid, exclude, min_severity, subject, asked"
    " FROM detector_take($1, $2::text[]::bigint[], $3, $4)");
STMT_LIST(list_known_findings, struct known_finding, known_finding_out,
    "SELECT subject, finding_key, status, severity, first_seen_at, last_seen_at, evidence"
    " FROM detector_standing($1, $2, $3)");
STMT(expand_project, NULL, "SELECT detector_expand($1, $2)");
STMT(
    store_look, NULL, "SELECT detector_store($1, $2, $3::jsonb, $4, $5, $6::jsonb, $7::jsonb, $8)");
STMT(fail_look, NULL, "SELECT detector_failed($1)");

/* ---- a look ---- */

static struct str
counts_of(struct look *l)
{
	struct buf b = { .a = l->x->a };

	buf_char(&b, '{');
	for (size_t i = 0; i < l->ncounts; i++)
		buf_printf(&b, "%s\"%s\":%jd", i == 0 ? "" : ",", l->counts[i].what,
		    (intmax_t)l->counts[i].n);
	buf_char(&b, '}');
	return buf_done(&b);
}

static enum db_rc
store_look_result(struct look *l)
{
	struct db *db = l->x->db;
	enum db_rc rc = db_begin(db);

	if (rc == DB_OK && l->of_storing != NULL && l->of->store != NULL)
		rc = l->of->store(l);
	if (rc == DB_OK)
		rc = settings_store(l);
	if (rc == DB_OK)
		rc = db_do(db, &store_look, NULL, P(str_of(l->of->name)), P(l->project),
		    P(array_done(&l->records)), P(((struct strs){ l->subjects, l->nsubjects })),
		    P(l->asked), P(array_done(&l->work)), P(counts_of(l)), P(l->warning));
	if (rc == DB_OK)
		rc = db_commit(db);
	db_rollback(db);
	return rc;
}

/* Replaces the subject "*" by the names of the project's assets. */
static enum db_rc
expand_subjects(struct look *l)
{
	return db_do(l->x->db, &expand_project, NULL, P(str_of(l->of->name)), P(l->project));
}

static int
compare_subjects(const void *l, const void *r)
{
	return str_cmp(((const struct taken *)l)->subject, ((const struct taken *)r)->subject);
}

/* The subjects without their notes, as findings are stored. */
static struct strs
plain_subjects(const struct look *l)
{
	struct str *plain;

	if (!l->of->noted)
		return (struct strs){ l->subjects, l->nsubjects };
	plain = ARENA_ARRAY(l->x->a, l->nsubjects, struct str);
	for (size_t i = 0; i < l->nsubjects; i++) {
		struct str rest = l->subjects[i];

		plain[i] = str_until(&rest, '#');
	}
	return (struct strs){ plain, l->nsubjects };
}

static enum db_rc
look_at_subjects(struct look *l)
{
	struct list rows = { 0 };
	enum db_rc rc;

	if (l->subjects[0].p[0] == '=')
		return settings_apply(l);
	if (str_is(l->subjects[0], "*") && !l->of->whole)
		return expand_subjects(l);
	rc = db_list(l->x->db, &list_known_findings, &rows, P(str_of(l->of->name)), P(l->project),
	    P(plain_subjects(l)));
	l->known = rows.items;
	l->known_count = rows.n;
	look_counted(l, "subjects", (int64_t)l->nsubjects);
	return rc == DB_OK ? l->of->look(l) : rc;
}

static const struct detector *
detector_named(struct str name)
{
	const struct detector *const *d = detectors_first;

	while (!str_is(name, (*d)->name))
		d++;
	return *d;
}

/* Remembers whose turn it was. The UUID is copied because the look ends with the batch. */
static void
end_turn(struct detect *x, const struct look *l)
{
	x->turn_detector = str_of(l->of->name);
	x->turn_project = l->project;
}

static void
begin_look(struct detect *x, struct look *l, struct list rows)
{
	struct taken *t = rows.items;
	struct str *subjects = ARENA_ARRAY(x->a, rows.n, struct str),
		   *asked = ARENA_ARRAY(x->a, rows.n, struct str);

	qsort(t, rows.n, sizeof(*t), compare_subjects);
	for (size_t i = 0; i < rows.n; i++) {
		subjects[i] = t[i].subject;
		asked[i] = t[i].asked;
	}
	*l = (struct look){ .x = x,
		.of = detector_named(t->detector),
		.project = t->project_uuid,
		.settings = { t->project_uuid, t->exclude, t->min_severity, NULL },
		.subjects = subjects,
		.nsubjects = rows.n,
		.asked = { asked, rows.n } };
	settings_parse(x->a, &l->settings);
	l->records.a = l->work.a = x->a;
}

static enum db_rc
store_failure(struct detect *x, struct str why)
{
	db_allow_call(x->db);
	return db_do(x->db, &fail_look, NULL, P(why));
}

/* Stores that the look failed, unless the database is down, which is not the fault of the subjects.
   Customers read the stored error, so messages of PostgreSQL go only to the log. */
static enum db_rc
judge_look_failure(struct look *l, enum db_rc rc)
{
	struct str why = l->why != NULL     ? str_of(l->why)
			 : rc == DB_TIMEOUT ? STR("the database took too long")
					    : arena_str(l->x->a, str_of(db_message(l->x->db)));

	if (rc == DB_DOWN)
		return rc;
	log_event(LOGP_WARNING, "look",
	    "detector=%s project=%s subjects=%zu first=\"%.*s\" failed=\"%.*s\"", l->of->name,
	    uuid_text(&l->project).z, l->nsubjects, (int)l->subjects[0].n, l->subjects[0].p,
	    (int)why.n, why.p);
	return store_failure(l->x,
	    l->why != NULL ? why
			   : STR("The look failed; the log of surfaced-detect has the reason."));
}

static enum db_rc
take_turn(struct detect *x, bool *none)
{
	size_t n = (size_t)(detectors_end - detectors_first);
	struct str *names = ARENA_ARRAY(x->a, n + 1, struct str),
		   *mosts = ARENA_ARRAY(x->a, n + 1, struct str);
	struct list rows = { 0 };
	struct look l;
	enum db_rc rc;

	for (size_t i = 0; i < n; i++) {
		names[i] = str_of(detectors_first[i]->name);
		mosts[i] = arena_printf(x->a, "%jd", (intmax_t)detectors_first[i]->subjects);
	}
	rc = db_list(x->db, &take_subjects, &rows, P(((struct strs){ names, n })),
	    P(((struct strs){ mosts, n })),
	    P(x->turn_detector.p == NULL ? STR("") : x->turn_detector), P(x->turn_project));
	*none = rows.n == 0;
	if (rc != DB_OK || *none)
		return rc;
	begin_look(x, &l, rows);
	end_turn(x, &l);
	rc = look_at_subjects(&l);
	if (rc == DB_OK)
		rc = store_look_result(&l);
	return rc == DB_OK ? rc : judge_look_failure(&l, rc);
}

bool
detectors_once(struct detect *x)
{
	int64_t until = mono_us() + SLICE_US;
	bool none = &detectors_first[0] == &detectors_end[0];

	if (none || !x->loaded || !db_up(x->db))
		return false;
	if (!x->recovered)
		x->recovered = db_ok(x->db,
		    store_failure(x, STR("surfaced-detect ended while it looked at this")),
		    "recover");
	while (!none && x->recovered && mono_us() < until && !daemon_stopping()) {
		daemon_slot()->busy_since = mono_us();
		if (!db_up(x->db) || !db_ok(x->db, take_turn(x, &none), "look"))
			return false;
		arena_reset(x->a);
	}
	return !none;
}

bool
detectors_load(struct detect *x)
{
	for (const struct detector *const *d = detectors_first; d < detectors_end; d++)
		if ((*d)->load != NULL && !(*d)->load(x))
			return false;
	return true;
}
