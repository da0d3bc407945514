/* SPDX-License-Identifier: ISC */
/* Evaluates rules on the documents of a batch, in memory. */
#include "config.h"

#include "daemon/conf.h"
#include "daemon/daemon.h"
#include "detect/detect.h"
#include "detect/shown.h"
#include "json/tree.h"

bool
batch_asks(const struct batch *b, const struct detect_rule *r)
{
	return !r->failed && schema_source(r->dataset) == b->source &&
	       (b->only == NULL || b->only == r) && (!b->surface_only || r->surface);
}

static void
add_hit(struct detect *x, struct batch *b, struct detect_rule *r, const struct document *d,
    const struct match_document *at)
{
	b->hits = arena_room(x->a, b->hits, b->nhits, sizeof(*b->hits));
	b->hits[b->nhits++] = (struct match){ .rule = r, .document = d, .at = *at };
}

static void
try_record(struct detect *x, struct batch *b, struct detect_rule *r, const struct document *d,
    const struct match_document *at)
{
	if (rule_query_passes(x->scratch, &r->q, at) && !shown_is_stale(r->dataset, at))
		add_hit(x, b, r, d, at);
}

/* A rule of a view is tried on each nested object. */
static void
try_document(struct detect *x, struct batch *b, struct detect_rule *r, const struct document *d)
{
	struct match_document at = { .own = d->tree, .tags = x->tags, .ntags = x->ntags };
	int64_t from = mono_us();
	const struct json_value *all;

	if (r->dataset == b->source) {
		try_record(x, b, r, d, &at);
	} else {
		all = match_member(d->tree, schema_nested(b->source));
		at.of = d->tree;
		for (size_t i = 0; all != NULL && i < json_length(all); i++) {
			at.own = json_at(all, i);
			try_record(x, b, r, d, &at);
		}
	}
	r->spent_us += mono_us() - from;
}

static void
try_rules(struct detect *x, struct batch *b, const struct document *d)
{
	const uint32_t *numbers;
	size_t n;

	if (b->only != NULL) {
		if (batch_asks(b, b->only))
			try_document(x, b, b->only, d);
		return;
	}
	n = anchors_candidates(x->anchors, x->scratch, b->source, d->tree, &numbers);
	for (size_t i = 0; i < n; i++)
		if (batch_asks(b, &x->rules[numbers[i]]))
			try_document(x, b, &x->rules[numbers[i]], d);
}

/* When the rules have taken more than their time for a batch, the one that took most fails, and the others go on. */
static void
judge_slowest(struct detect *x)
{
	struct detect_rule *slowest = NULL;
	int64_t total = 0;

	for (size_t i = 0; i < x->nrules; i++) {
		struct detect_rule *r = &x->rules[i];

		if (r->failed)
			continue;
		total += r->spent_us;
		if (slowest == NULL || r->spent_us > slowest->spent_us)
			slowest = r;
	}
	if (slowest != NULL && total > conf.detect_budget * 1000)
		rule_fail(x, slowest, STR("it takes too long (detect_budget)"));
}

void
batch_evaluate(struct detect *x, struct batch *b)
{
	for (size_t i = 0; i < x->nrules; i++)
		x->rules[i].spent_us = 0;
	for (size_t i = 0; i < b->ndocuments; i++) {
		struct document *d = &b->documents[i];

		if (d->text.n == 0)
			continue;
		daemon_slot()->busy_since = mono_us();
		d->tree = json_parse(x->a, d->text);
		if (d->tree == NULL)
			panic("PostgreSQL returned invalid JSON for a record");
		try_rules(x, b, d);
		judge_slowest(x);
	}
}

bool
batch_find(const struct batch *b, struct arena *a, const struct detect_rule *r,
    const struct document *d, struct str record_key, struct match_document *out)
{
	const struct json_value *all;

	*out = (struct match_document){ .own = d->tree };
	if (d->tree == NULL || r->dataset == b->source)
		return d->tree != NULL;
	all = match_member(d->tree, schema_nested(b->source));
	out->of = d->tree;
	for (size_t i = 0; all != NULL && i < json_length(all); i++) {
		out->own = json_at(all, i);
		if (str_eq(shown_key(a, r->dataset, out), record_key))
			return true;
	}
	return false;
}
