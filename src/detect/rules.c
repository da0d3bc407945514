/* SPDX-License-Identifier: ISC */
/* Reads and parses the rules and the accounts that use them (detect_plan and detect_runs in
   sql/functions/detect.sql). They are read again when one has changed, and every few seconds,
   because "now" in a query is the time at which the query was parsed. */
#include "config.h"

#include "base/limits.h"
#include "db/guard.h"
#include "detect/detector.h"
#include "detect/settings.h"
#include "json/tree.h"
#include "search/tags.h"

struct run_row {
	struct uuid rule_uuid, run_uuid, owner_uuid, account_uuid;
	int64_t version;
	bool stable, common, surface, findings, failed, finder, evaluated, whole, applies_tags;
	struct str dataset, query, exclude, severity, name, own_exclude, stamp;
	struct json produces;
	struct list projects, tags;
};

static const struct field run_out[] = {
	FIELD(struct run_row, rule_uuid, 0),
	FIELD(struct run_row, run_uuid, 0),
	FIELD(struct run_row, owner_uuid, NULLABLE),
	FIELD(struct run_row, account_uuid, NULLABLE),
	FIELD(struct run_row, version, 0),
	FIELD(struct run_row, stable, 0),
	FIELD(struct run_row, common, 0),
	FIELD(struct run_row, surface, 0),
	FIELD(struct run_row, findings, 0),
	FIELD(struct run_row, failed, 0),
	FIELD(struct run_row, finder, 0),
	FIELD(struct run_row, evaluated, 0),
	FIELD(struct run_row, whole, 0),
	FIELD(struct run_row, dataset, 0),
	FIELD(struct run_row, query, 0),
	FIELD(struct run_row, exclude, 0),
	FIELD(struct run_row, severity, 0),
	FIELD(struct run_row, name, 0),
	FIELD(struct run_row, own_exclude, 0),
	FIELD(struct run_row, stamp, 0),
	FIELD(struct run_row, produces, NULLABLE),
	LIST_OF(struct run_row, projects, 0, struct uuid, 0, 0),
	LIST_OF(struct run_row, tags, 0, struct str, 0, 0),
	FIELD(struct run_row, applies_tags, 0),
	FIELD_END,
};

STMT(plan_runs, NULL, "SELECT detect_plan()");
STMT_LIST(list_runs, struct run_row, run_out,
    "SELECT rule_uuid, run_uuid, owner_uuid, account_uuid, version, stable, common, surface,"
    " findings, failed, finder, evaluated, whole, dataset, query, exclude, severity, name,"
    " own_exclude, stamp, produces, projects, tags, applies_tags"
    " FROM detect_runs()");
STMT(mark_rules, NULL,
    "SELECT detect_mark($1::text[]::uuid[], $2::text[]::boolean[], $3::text[]::boolean[])");
STMT(fail_rule, NULL, "SELECT detect_fail($1, $2::uuid, $3)");

struct project_row {
	struct uuid uuid, account_uuid;
};

static const struct field project_out[] = {
	FIELD(struct project_row, uuid, 0),
	FIELD(struct project_row, account_uuid, 0),
	FIELD_END,
};

STMT_LIST(list_projects_of_runs, struct project_row, project_out,
    "SELECT uuid, account_uuid FROM detect_projects()");

struct stamp_row {
	struct str stamp;
};

static const struct field stamp_out[] = { FIELD(struct stamp_row, stamp, 0), FIELD_END };

STMT(read_stamp, stamp_out, "SELECT detect_stamp() AS stamp");

void
rule_fail(struct detect *x, struct detect_rule *r, struct detect_run *run, struct str why)
{
	struct db_param which = run == NULL ? P(STR_NULL) : P(run->uuid);

	*(run == NULL ? &r->failed : &run->failed) = true;
	log_event(LOGP_WARNING, "rule", "rule=%s name=\"%.*s\"%s%s failed=\"%.*s\"",
	    uuid_text(&r->uuid).z, (int)r->name.n, r->name.p, run == NULL ? "" : " account=",
	    run == NULL ? "" : uuid_text(&x->payers[run->payer].uuid).z, (int)why.n, why.p);
	db_allow_call(x->db);
	(void)db_ok(x->db,
	    db_run(x->db, &fail_rule, NULL,
		(struct db_args){ (const struct db_param[]){ P(r->uuid), which, P(why) }, 3 }),
	    "fail");
}

/* Parses the exclude of an account. Sets *bad when its text cannot be parsed. */
static const struct query *
parse_own_exclude(struct detect *x, const struct detect_rule *r, struct str text, bool *bad)
{
	struct query *q = ARENA_NEW(x->rules_a, struct query);
	struct query_fault fault;

	if (text.n == 0)
		return NULL;
	if (!query_parse(
		x->rules_a, r->dataset, arena_str(x->rules_a, text), r->q.query.now, q, &fault))
		*bad = true;
	return q;
}

/* Lets a run whose exclude cannot be parsed observe nothing. This happens when the dataset of the
   rule changed after the account wrote its exclude; other accounts are not affected. */
static void
exclude_everything(struct detect *x, const struct detect_rule *r, struct detect_run *run)
{
	struct query *q = ARENA_NEW(x->rules_a, struct query);
	char uuid[UUID_LEN + 1];
	struct query_fault fault;

	if (!query_parse(x->rules_a, r->dataset, STR(""), r->q.query.now, q, &fault))
		panic("the empty query was refused");
	run->exclude = q;
	uuid_print(&r->uuid, uuid);
	log_event(
	    LOGP_WARNING, "run", "rule=%s why=\"the exclude of a setting cannot be parsed\"", uuid);
}

static int
compare_projects(const void *l, const void *r)
{
	return uuid_cmp(l, r);
}

static void
copy_run(struct detect *x, struct detect_rule *r, struct detect_run *run, const struct run_row *row)
{
	struct uuid *projects = ARENA_ARRAY(x->rules_a, row->projects.n + 1, struct uuid);
	bool bad = false;

	if (row->projects.n > 0) {
		memcpy(projects, row->projects.items, row->projects.n * sizeof(*projects));
		qsort(projects, row->projects.n, sizeof(*projects), compare_projects);
	}
	*run = (struct detect_run){ .uuid = row->run_uuid,
		.payer = users_payer(x, &row->account_uuid),
		.severity = arena_str(x->rules_a, row->severity),
		.findings = row->findings,
		.finder = row->finder,
		.failed = row->failed,
		.all = row->whole,
		.projects = projects,
		.nprojects = row->projects.n };
	r->finds = r->finds || row->findings;
	if (r->failed)
		return;
	run->exclude = parse_own_exclude(x, r, row->own_exclude, &bad);
	if (bad)
		exclude_everything(x, r, run);
}

/* Reads the area and the rank, which decide which of several competing rules makes the finding.
   Rank 0 is a generic rule. */
static void
parse_rank(struct arena *a, struct detect_rule *r, const struct run_row *row)
{
	struct str *tags = ARENA_ARRAY(a, row->tags.n + 1, struct str);
	const struct json_value *area = r->produces == NULL ? NULL : json_get(r->produces, "area"),
				*rank = r->produces == NULL ? NULL : json_get(r->produces, "rank");
	int64_t n;

	for (size_t i = 0; i < row->tags.n; i++)
		tags[i] = arena_str(a, ((const struct str *)row->tags.items)[i]);
	r->tags = (struct strs){ tags, row->tags.n };
	if (area != NULL && json_type(area) == JSON_STRING)
		r->area = json_text(area);
	r->generic = rank != NULL && json_type(rank) == JSON_NUMBER && json_int(rank, &n) && n == 0;
}

/* A query that this release cannot parse makes the rule fail. The API refuses such queries, but an
   earlier release may have accepted one. */
static void
parse_rule(struct detect *x, struct detect_rule *r, const struct run_row *row, bool failed)
{
	struct rule_query_fault fault = { .member = "dataset" };
	struct arena *a = x->rules_a;

	*r = (struct detect_rule){ .uuid = row->rule_uuid,
		.payer = users_payer(x, &row->owner_uuid),
		.evaluated = row->evaluated,
		.area = STR("rule"),
		.version = row->version,
		.name = arena_str(a, row->name),
		.query = arena_str(a, row->query),
		.exclude = arena_str(a, row->exclude),
		.stamp = arena_str(a, row->stamp),
		.dataset = rule_query_dataset(row->dataset),
		.stable = row->stable,
		.surface = row->surface,
		.applies_tags = row->applies_tags,
		.common = row->common,
		.failed = failed };
	if (row->produces.text.p != NULL)
		r->produces = json_parse(a, row->produces.text);
	if (r->produces != NULL && json_type(r->produces) != JSON_OBJECT)
		r->produces = NULL;
	parse_rank(a, r, row);
	if (r->failed)
		return;
	if (r->dataset == DATASETS_AND_CONDITIONS ||
	    !rule_query_parse(a, r->dataset, r->query, r->exclude, ts_now(), &r->q, &fault)) {
		rule_fail(x, r, NULL,
		    arena_printf(a, "%s: %.*s", fault.member, (int)fault.fault.message.n,
			fault.fault.message.p));
		return;
	}
	r->anchor = rule_query_anchor(&r->q);
}

static void
parse_rules(struct detect *x, struct list rows)
{
	const struct run_row *row = rows.items;
	struct detect_run *runs = ARENA_ARRAY(x->rules_a, rows.n + 1, struct detect_run);

	x->rules = ARENA_ARRAY(x->rules_a, rows.n + 1, struct detect_rule);
	x->nrules = 0;
	for (size_t i = 0; i < rows.n;) {
		struct detect_rule *r = &x->rules[x->nrules++];
		size_t n = 1, nfailed = row[i].failed;

		for (; i + n < rows.n && uuid_cmp(&row[i].rule_uuid, &row[i + n].rule_uuid) == 0;
		     n++)
			nfailed += row[i + n].failed;
		parse_rule(x, r, &row[i], nfailed == n);
		r->runs = &runs[i];
		r->nruns = n;
		for (size_t k = 0; k < n; k++)
			copy_run(x, r, &r->runs[k], &row[i + k]);
		i += n;
	}
	users_index_runs(x);
}

/* The accounts of rules, runs and projects. */
static void
copy_accounts(struct detect *x, struct list rows, struct list projects)
{
	const struct run_row *row = rows.items;
	const struct project_row *p = projects.items;
	struct uuid *all = ARENA_ARRAY(x->rules_a, 2 * rows.n + projects.n + 1, struct uuid);
	struct project_of *of = ARENA_ARRAY(x->rules_a, projects.n + 1, struct project_of);
	size_t n = 0;

	for (size_t i = 0; i < rows.n; i++) {
		all[n++] = row[i].owner_uuid;
		all[n++] = row[i].account_uuid;
	}
	for (size_t i = 0; i < projects.n; i++)
		all[n++] = p[i].account_uuid;
	users_index(x, all, n);
	for (size_t i = 0; i < projects.n; i++)
		of[i] = (struct project_of){ .project = p[i].uuid,
			.payer = users_payer(x, &p[i].account_uuid) };
	if (projects.n > 0)
		qsort(of, projects.n, sizeof(*of), compare_projects);
	x->projects = of;
	x->nprojects = projects.n;
}

/* Stores which rules have an anchor and which depend on the time. */
static enum db_rc
mark_parsed(struct detect *x)
{
	struct str *uuids = ARENA_ARRAY(x->a, x->nrules + 1, struct str),
		   *anchored = ARENA_ARRAY(x->a, x->nrules + 1, struct str),
		   *uses_now = ARENA_ARRAY(x->a, x->nrules + 1, struct str);
	size_t n = 0;

	for (size_t i = 0; i < x->nrules; i++) {
		const struct detect_rule *r = &x->rules[i];

		if (r->failed)
			continue;
		uuids[n] = arena_uuid(x->a, &r->uuid);
		anchored[n] = r->anchor == NULL ? STR("f") : STR("t");
		uses_now[n++] = rule_query_uses_now(&r->q) ? STR("t") : STR("f");
	}
	return db_do(x->db, &mark_rules, NULL, P(((struct strs){ uuids, n })),
	    P(((struct strs){ anchored, n })), P(((struct strs){ uses_now, n })));
}

/* Limits the number of rules without an anchor, because these are evaluated on every document.
   Rules that were evaluated before come first, so a new rule fails. The API refuses such a rule
   earlier, but surfacectl may have added it. */
static void
limit_unanchored(struct detect *x)
{
	size_t total = 0;

	for (size_t pass = 0; pass < 2; pass++)
		for (size_t i = 0; i < x->nrules; i++) {
			struct detect_rule *r = &x->rules[i];
			struct payer *p = &x->payers[r->payer];

			if (r->failed || r->anchor != NULL || r->evaluated != (pass == 0))
				continue;
			if (pass == 1 &&
			    ((r->payer > 0 && p->nunanchored >= LIM_RULES_UNANCHORED) ||
				total >= LIM_RULES_UNANCHORED_ALL)) {
				rule_fail(
				    x, r, NULL, STR("there are too many rules without an anchor"));
				continue;
			}
			p->nunanchored++;
			total++;
		}
}

/* Copies the tags, whose texts are part of a database result that ends with the batch. */
static void
copy_tags(struct detect *x, const struct tag *tags, size_t n)
{
	struct arena *a = x->rules_a;

	x->tags = ARENA_ARRAY(a, n + 1, struct tag);
	x->ntags = n;
	for (size_t i = 0; i < n; i++) {
		struct tag *t = &x->tags[i];

		*t = tags[i];
		t->slug = arena_str(a, t->slug);
		t->classification = arena_str(a, t->classification);
		for (size_t k = 0; k < t->ncategories; k++)
			t->categories[k] = arena_str(a, t->categories[k]);
	}
}

bool
rules_changed(struct detect *x)
{
	struct stamp_row now;

	return db_up(x->db) &&
	       db_ok(x->db, db_one_row(x->db, &read_stamp, &now, DB_NO_ARGS), "stamp") &&
	       !str_eq(now.stamp, x->stamp);
}

bool
rules_load(struct detect *x)
{
	const struct detect_rule **all;
	struct list rows = { 0 }, projects = { 0 };
	struct stamp_row stamp = { .stamp = STR_NULL };
	struct tag *tags = NULL;
	size_t ntags = 0;
	enum db_rc rc;

	if (!db_up(x->db))
		return false;
	rc = db_one_row(x->db, &read_stamp, &stamp, DB_NO_ARGS);
	if (rc == DB_OK)
		rc = db_run(x->db, &plan_runs, NULL, DB_NO_ARGS);
	if (rc == DB_OK)
		rc = db_rows(x->db, &list_runs, &rows, DB_NO_ARGS);
	if (rc == DB_OK)
		rc = db_rows(x->db, &list_projects_of_runs, &projects, DB_NO_ARGS);
	if (rc == DB_OK)
		rc = tags_read(x->db, x->a, &tags, &ntags);
	if (!db_ok(x->db, rc, "rules"))
		return false;
	arena_reset(x->rules_a);
	x->stamp = arena_str(x->rules_a, stamp.stamp);
	copy_tags(x, tags, ntags);
	copy_accounts(x, rows, projects);
	parse_rules(x, rows);
	limit_unanchored(x);
	all = ARENA_ARRAY(x->rules_a, x->nrules + 1, const struct detect_rule *);
	for (size_t i = 0; i < x->nrules; i++)
		all[i] = &x->rules[i];
	x->anchors = anchors_new(x->rules_a, all, x->nrules);
	rc = settings_load_rules(x);
	if (rc == DB_OK)
		rc = mark_parsed(x);
	x->loaded = db_ok(x->db, rc, "mark");
	x->untags = true;
	return x->loaded;
}
