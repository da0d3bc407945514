/* SPDX-License-Identifier: ISC */
/* Turns hits into observations of the runs of their rules, and into findings. A run leaves out
   the records that its account excludes; a run of scope surface observes only records of its
   projects. */
#include "config.h"

#include "base/limits.h"
#include "detect/detector.h"
#include "detect/settings.h"
#include "detect/shown.h"
#include "json/json.h"
#include "json/tree.h"

struct str
seen_name(struct arena *a, const struct uuid *run, const struct uuid *project, struct str key)
{
	return arena_printf(a, "%s %s %.*s", uuid_text(run).z,
	    project == NULL ? "" : uuid_text(project).z, (int)key.n, key.p);
}

/* The number of a dataset or a view in the database. */
static int
number_of(enum dataset d)
{
	static const int numbers[] = {
#define DATASET(id, number, name, unit, key, nested, naming, label) [DATASET_##id] = (number),
#define VIEW(id, number, name, unit, source, nested, naming, label) [DATASET_##id] = (number),
#include "tbl/datasets.h"
	};

	return numbers[d];
}

static bool
is_suspect(const struct match *h)
{
	const struct json_value *host = h->at.of == NULL ? h->at.own : h->at.of,
				*all = match_member(host, "services");

	return schema_source(h->rule->dataset) == DATASET_HOSTS && all != NULL &&
	       json_length(all) > LIM_SUSPECT_SERVICES;
}

/* The members of an observation that are the same in all runs of the rule. */
static struct str
shared_members(struct detect *x, const struct match *h, struct str key)
{
	struct buf b = { .a = x->a };
	struct ts first, last;

	shown_times(&h->at, &first, &last);
	buf_printf(&b, ",\"dataset\":%d,\"document\":\"%.*s\",\"version\":%jd,\"suspect\":%s",
	    number_of(h->rule->dataset), (int)h->document->key.n, h->document->key.p,
	    (intmax_t)h->rule->version, is_suspect(h) ? "true" : "false");
	json_member_text(&b, "key", key);
	buf_z(&b, ",\"record\":");
	shown_record(&b, h->rule->dataset, &h->at);
	buf_z(&b, ",\"matched\":");
	batch_show_matched(&b, x, h);
	json_member_time(&b, "first", first);
	json_member_time(&b, "last", last);
	buf_char(&b, '}');
	return buf_done(&b);
}

struct emission {
	struct detect *x;
	struct batch *b;
	const struct owners *all;
	const struct match *hit;
	struct str key, members;
	struct list owners; /* those of the record: struct owner */
	struct buf seen, claims;
	bool competition; /* a generic rule has a hit */
};

/* kept: the observation is stored even beyond LIM_RULE_OBSERVATIONS, because a finding depends on
   it: only the end of the observation closes that finding. */
static void
add_observation(
    struct emission *e, const struct detect_run *run, const struct uuid *project, bool kept)
{
	struct buf *given = &e->b->given;
	struct str name = seen_name(e->x->a, &run->uuid, project, e->key);

	buf_add(&e->seen, &name, sizeof(name));
	buf_printf(given, "%c{\"run\":\"%s\",\"kept\":%s", given->n == 0 ? '[' : ',',
	    uuid_text(&run->uuid).z, kept ? "true" : "false");
	if (project != NULL)
		buf_printf(given, ",\"project\":\"%s\"", uuid_text(project).z);
	buf_str(given, e->members);
}

static bool
makes_findings(const struct detect_rule *r, const struct detect_run *run)
{
	return r->stable && !run->failed && (r->common || run->findings);
}

/* A finding of a rule above rank 0. */
struct claim {
	struct str name; /* its project, dataset and record */
	const struct detect_rule *rule;
};

static int
compare_claims(const void *l, const void *r)
{
	return str_cmp(((const struct claim *)l)->name, ((const struct claim *)r)->name);
}

static struct claim
claim_of(struct emission *e, const struct owner *owner)
{
	const struct detect_rule *r = e->hit->rule;

	return (
	    struct claim){ .name = arena_printf(e->x->a, "%s %d %.*s", uuid_text(&owner->project).z,
			       (int)r->dataset, (int)e->key.n, e->key.p),
		.rule = r };
}

/* Whether a competing rule makes a finding of this record, so that this rule makes none. Hits of
   rules above rank 0 are emitted first, so all their claims are known. */
static bool
is_silent(struct emission *e, const struct owner *owner)
{
	const struct claim *all = (const void *)e->claims.p, *found;
	size_t n = e->claims.n / sizeof(*all), i;
	struct claim claim;

	if (!e->competition)
		return false;
	claim = claim_of(e, owner);
	if (!claim.rule->generic) {
		buf_add(&e->claims, &claim, sizeof(claim));
		return false;
	}
	found = n == 0 ? NULL : bsearch(&claim, all, n, sizeof(claim), compare_claims);
	if (found == NULL)
		return false;
	for (i = (size_t)(found - all); i > 0 && compare_claims(&all[i - 1], &claim) == 0;)
		i--;
	for (; i < n && compare_claims(&all[i], &claim) == 0; i++)
		if (rules_compete(claim.rule, all[i].rule))
			return true;
	return false;
}

static void
emit_finding(struct emission *e, const struct detect_run *run, const struct owner *owner)
{
	struct buf *findings = &e->b->findings;
	size_t from = findings->n;

	finding_write(findings, e->x, e->hit, run, owner);
	if (is_silent(e, owner)) {
		settings_hide_finding(findings);
		return;
	}
	settings_mark(e->x, findings, from,
	    &(struct settings_of){
		.project = &owner->project, .rule = &e->hit->rule->uuid, .key = e->key });
}

/* Writes the findings of the record's owners in the run `of`. When that is the run which all
   accounts share, the findings are those of the runs that only make findings. Returns whether there
   was any. */
static bool
emit_findings(struct emission *e, const struct detect_run *of)
{
	const struct owner *owner = e->owners.items;
	bool any = false;

	for (size_t i = 0; i < e->owners.n; i++) {
		struct detect_run *run = rule_run_of(e->x, e->hit->rule, &owner[i].project);

		if (run == NULL || (of->payer == 0 ? !run->finder : run != of) ||
		    !makes_findings(e->hit->rule, run))
			continue;
		emit_finding(e, run, &owner[i]);
		any = true;
	}
	return any;
}

/* A rule of scope all observes every record, whether or not a project has it as an asset. The
   observation is stored for the run that accounts share, and for the run of each account that has
   an exclude of its own. */
static void
emit_everywhere(struct emission *e)
{
	const struct detect_rule *r = e->hit->rule;

	for (size_t i = 0; i < r->nruns; i++) {
		struct detect_run *run = &r->runs[i];

		if (!run->finder && !batch_excludes(e->x, run, &e->hit->at))
			add_observation(e, run, NULL, emit_findings(e, run));
	}
}

static void
emit_surface(struct emission *e)
{
	const struct owner *owner = e->owners.items;

	for (size_t i = 0; i < e->owners.n; i++) {
		struct detect_run *run = rule_run_of(e->x, e->hit->rule, &owner[i].project);
		bool finds;

		if (run == NULL || batch_excludes(e->x, run, &e->hit->at))
			continue;
		finds = makes_findings(e->hit->rule, run);
		add_observation(e, run, &owner[i].project, finds);
		if (finds)
			emit_finding(e, run, &owner[i]);
	}
}

static void
emit_tags(struct emission *e)
{
	struct buf *b = &e->b->tagged;

	buf_printf(b, "%c{\"rule\":\"%s\",\"key\":\"%.*s\"}", b->n == 0 ? '[' : ',',
	    uuid_text(&e->hit->rule->uuid).z, (int)e->hit->document->key.n,
	    e->hit->document->key.p);
}

static void
emit_hits(struct emission *e, bool generic)
{
	for (size_t i = 0; i < e->b->nhits; i++) {
		const struct detect_rule *r = e->b->hits[i].rule;

		e->hit = &e->b->hits[i];
		if (r->failed || r->generic != generic)
			continue;
		e->key = shown_key(e->x->a, r->dataset, &e->hit->at);
		e->members = shared_members(e->x, e->hit, e->key);
		e->owners = owners_list(e->all, e->x->a, r->dataset, &e->hit->at);
		if (r->applies_tags)
			emit_tags(e);
		if (r->surface)
			emit_surface(e);
		else
			emit_everywhere(e);
		batch_judge(e->x);
	}
	if (e->claims.n > 0)
		qsort(e->claims.p, e->claims.n / sizeof(struct claim), sizeof(struct claim),
		    compare_claims);
}

void
batch_emit(struct detect *x, struct batch *b, const struct owners *o, struct strs *seen)
{
	struct emission e = {
		.x = x, .b = b, .all = o, .seen = { .a = x->a }, .claims = { .a = x->a }
	};

	for (size_t i = 0; i < b->nhits; i++)
		e.competition = e.competition || b->hits[i].rule->generic;
	emit_hits(&e, false);
	emit_hits(&e, true);
	*seen = (struct strs){ (const void *)e.seen.p, e.seen.n / sizeof(struct str) };
}
