/* SPDX-License-Identifier: ISC */
/* Hits become observations of the runs of their rules: what an account excludes is left out, and a run of scope surface
   observes the records of its projects alone. */
#include "config.h"

#include "detect/detector.h"
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
	       json_length(all) > SUSPECT_SERVICES;
}

/* The record: all runs of a rule show it alike. */
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
	shown_matched(&b, x->scratch, &h->rule->q.query, &h->at);
	json_member_time(&b, "first", first);
	json_member_time(&b, "last", last);
	buf_char(&b, '}');
	return buf_done(&b);
}

struct emission {
	struct detect *x;
	struct batch *b;
	const struct match *hit;
	struct str key, members;
	struct buf seen;
};

static void
add_observation(struct emission *e, const struct detect_run *run, const struct uuid *project)
{
	struct buf *given = &e->b->given;
	struct str name = seen_name(e->x->a, &run->uuid, project, e->key);

	buf_add(&e->seen, &name, sizeof(name));
	buf_printf(given, "%c{\"run\":\"%s\"", given->n == 0 ? '[' : ',', uuid_text(&run->uuid).z);
	if (project != NULL)
		buf_printf(given, ",\"project\":\"%s\"", uuid_text(project).z);
	buf_str(given, e->members);
}

static bool
makes_findings(const struct detect_rule *r, const struct detect_run *run)
{
	return r->stable && (r->common || run->findings);
}

static void
emit_finding(struct emission *e, const struct detect_run *run, const struct owner *owner)
{
	struct buf *findings = &e->b->findings;
	size_t from = findings->n;

	finding_write(findings, e->x, e->hit, run, owner);
	settings_mark(e->x, findings, from,
	    &(struct settings_of){
		.project = &owner->project, .rule = &e->hit->rule->uuid, .key = e->key });
}

static void
emit_run(struct emission *e, const struct owners *o, const struct detect_run *run)
{
	const struct match *h = e->hit;
	const struct detect_rule *r = h->rule;

	if (run->exclude != NULL && match_document(e->x->scratch, run->exclude, &h->at))
		return;
	if (!r->surface && !run->finder)
		add_observation(e, run, NULL);
	for (size_t i = 0; i < run->nprojects; i++) {
		struct owner owner = { .project = run->projects[i] };

		if (!owners_find(o, e->x->a, r->dataset, &h->at, &owner))
			continue;
		if (r->surface)
			add_observation(e, run, &run->projects[i]);
		if (makes_findings(r, run))
			emit_finding(e, run, &owner);
	}
}

void
batch_emit(struct detect *x, struct batch *b, const struct owners *o, struct strs *seen)
{
	struct emission e = { .x = x, .b = b, .seen = { .a = x->a } };

	for (size_t i = 0; i < b->nhits; i++) {
		e.hit = &b->hits[i];
		if (e.hit->rule->failed)
			continue;
		e.key = shown_key(x->a, e.hit->rule->dataset, &e.hit->at);
		e.members = shared_members(x, e.hit, e.key);
		for (size_t k = 0; k < e.hit->rule->nruns; k++)
			emit_run(&e, o, &e.hit->rule->runs[k]);
	}
	*seen = (struct strs){ (const void *)e.seen.p, e.seen.n / sizeof(struct str) };
}
