/* SPDX-License-Identifier: ISC */
/* Lets detectors look at what is due, one project after the other, and stores what they find (detector.h). */
#include "config.h"

#include "daemon/daemon.h"
#include "db/guard.h"
#include "detect/detector.h"
#include "json/json.h"
#include "resource/finding_evidence.h"

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

static const struct field standing_out[] = {
	FIELD(struct standing, subject, 0),
	FIELD(struct standing, finding_key, 0),
	FIELD(struct standing, status, 0),
	FIELD(struct standing, severity, 0),
	FIELD(struct standing, first_seen_at, 0),
	FIELD(struct standing, last_seen_at, 0),
	FIELD(struct standing, evidence, NULLABLE),
	FIELD_END,
};

STMT_LIST(take_subjects, struct taken, taken_out,
    "SELECT detector, project_uuid, exclude, min_severity, subject, asked"
    " FROM detector_take($1, $2::text[]::bigint[], $3, $4)");
STMT_LIST(list_standing, struct standing, standing_out,
    "SELECT subject, finding_key, status, severity, first_seen_at, last_seen_at, evidence"
    " FROM detector_standing($1, $2, $3)");
STMT(expand_project, NULL, "SELECT detector_expand($1, $2)");
STMT(store_look, NULL, "SELECT detector_store($1, $2, $3::jsonb, $4, $5, $6::jsonb, $7::jsonb)");
STMT(fail_look, NULL, "SELECT detector_failed($1)");

/* ---- what detectors call ---- */

static void
write_text(struct buf *b, const char *name, struct str s)
{
	if (s.p == NULL)
		return;
	buf_printf(b, ",\"%s\":", name);
	json_write_str(b, s);
}

static void
write_time(struct buf *b, const char *name, struct ts t)
{
	char text[TS_LEN + 1];

	if (ts_is_null(t))
		return;
	ts_print(t, text);
	buf_printf(b, ",\"%s\":\"%s\"", name, text);
}

static void
write_evidence(struct look *l, struct buf *b, struct str evidence)
{
	struct json cut = { .text = evidence };
	const char *why = finding_evidence(l->x->a, &cut);

	if (why != NULL)
		panic("evidence of %s: %s", l->of->name, why);
	buf_z(b, ",\"evidence\":");
	buf_str(b, cut.text);
}

/* A record is an object without its first brace in b. */
static void
add_record(struct look *l, struct buf *b)
{
	buf_char(&l->records, l->records.n == 0 ? '[' : ',');
	buf_str(&l->records, buf_done(b));
}

void
look_found(struct look *l, struct str subject, const struct found *f)
{
	struct buf b = { .a = l->x->a };

	buf_z(&b, "{\"finding_key\":");
	json_write_str(&b, f->key);
	write_text(&b, "subject", subject);
	write_text(&b, "finding_type", f->type);
	write_text(&b, "title", f->title);
	write_text(&b, "severity", f->severity.p == NULL ? STR("info") : f->severity);
	write_text(&b, "exposure_kind", f->kind);
	write_text(&b, "description", f->description);
	write_text(&b, "asset_kind", f->asset_kind);
	write_text(&b, "asset_name", f->asset_name);
	write_text(&b, "service_key", f->service_key);
	write_time(&b, "first_seen_at", f->first);
	write_time(&b, "last_seen_at", f->last);
	if (f->confidence > 0)
		buf_printf(&b, ",\"confidence\":%.4f", f->confidence);
	if (f->evidence.p != NULL)
		write_evidence(l, &b, f->evidence);
	if (settings_hide(l, (struct str){ b.p, b.n }))
		buf_z(&b, ",\"hidden\":true");
	buf_char(&b, '}');
	add_record(l, &b);
}

void
look_absent(struct look *l, struct str key, struct ts at)
{
	struct buf b = { .a = l->x->a };

	buf_z(&b, "{\"absent\":true,\"finding_key\":");
	json_write_str(&b, key);
	write_time(&b, "last_seen_at", at);
	buf_char(&b, '}');
	add_record(l, &b);
}

void
look_hide(struct look *l, struct str key)
{
	struct buf b = { .a = l->x->a };

	buf_z(&b, "{\"hidden\":true,\"finding_key\":");
	json_write_str(&b, key);
	buf_char(&b, '}');
	add_record(l, &b);
}

void
look_ask(struct look *l, struct str subject, struct ts due)
{
	struct buf *b = &l->work;

	buf_printf(b,
	    "%c{\"detector\":\"%s\",\"project\":\"%s\",\"subject\":", b->n == 0 ? '[' : ',',
	    l->of->name, uuid_text(&l->project).z);
	json_write_str(b, subject);
	write_time(b, "due", due);
	buf_char(b, '}');
}

void
look_counted(struct look *l, const char *what, int64_t n)
{
	size_t i = 0;

	while (i < l->ncounts && strcmp(l->counts[i].what, what) != 0)
		i++;
	if (i == LOOK_COUNTS)
		panic("%s counts more than %d things", l->of->name, LOOK_COUNTS);
	l->counts[i].what = what;
	l->counts[i].n += n;
	if (i == l->ncounts)
		l->ncounts++;
}

size_t
look_subject(const struct look *l, struct str subject)
{
	size_t low = 0, high = l->nsubjects;

	while (low < high) {
		size_t mid = low + (high - low) / 2;
		int c = str_cmp(subject, l->subjects[mid]);

		if (c == 0)
			return mid;
		if (c < 0)
			high = mid;
		else
			low = mid + 1;
	}
	return l->nsubjects;
}

/* ---- a look ---- */

static struct str
array_of(struct buf *b)
{
	if (b->n == 0)
		return STR("[]");
	buf_char(b, ']');
	return buf_done(b);
}

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
store(struct look *l)
{
	struct db *db = l->x->db;
	enum db_rc rc = db_begin(db);

	if (rc == DB_OK && l->of->store != NULL)
		rc = l->of->store(l);
	if (rc == DB_OK)
		rc = settings_store(l);
	if (rc == DB_OK)
		rc = db_do(db, &store_look, NULL, P(str_of(l->of->name)), P(l->project),
		    P(array_of(&l->records)), P(((struct strs){ l->subjects, l->nsubjects })),
		    P(l->asked), P(array_of(&l->work)), P(counts_of(l)));
	if (rc == DB_OK)
		rc = db_commit(db);
	db_rollback(db);
	return rc;
}

/* All of a project, for a detector whose subjects are assets. */
static enum db_rc
expand(struct look *l)
{
	return db_do(l->x->db, &expand_project, NULL, P(str_of(l->of->name)), P(l->project));
}

static int
compare_subjects(const void *l, const void *r)
{
	return str_cmp(((const struct taken *)l)->subject, ((const struct taken *)r)->subject);
}

static enum db_rc
look(struct look *l)
{
	struct list rows = { 0 };
	enum db_rc rc;

	if (l->subjects[0].p[0] == '=')
		return settings_apply(l);
	if (str_is(l->subjects[0], "*") && !l->of->whole)
		return expand(l);
	rc = db_list(l->x->db, &list_standing, &rows, P(str_of(l->of->name)), P(l->project),
	    P(((struct strs){ l->subjects, l->nsubjects })));
	l->standing = rows.items;
	l->nstanding = rows.n;
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

/* Keeps whose turn it was, beyond the batch. */
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
		.exclude = t->exclude,
		.min_severity = t->min_severity,
		.subjects = subjects,
		.nsubjects = rows.n,
		.asked = { asked, rows.n } };
	l->records.a = l->work.a = x->a;
}

static enum db_rc
fail(struct detect *x, struct str why)
{
	db_allow_call(x->db);
	return db_do(x->db, &fail_look, NULL, P(why));
}

/* A database that is away is no fault of the subjects. */
static enum db_rc
judge_failure(struct look *l, enum db_rc rc)
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
	return fail(l->x, why);
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
	rc = look(&l);
	if (rc == DB_OK)
		rc = store(&l);
	return rc == DB_OK ? rc : judge_failure(&l, rc);
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
		    fail(x, STR("surfaced-detect ended while it looked at this")), "recover");
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
