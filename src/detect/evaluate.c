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
	       (b->only == NULL || b->only == r) && (!b->owned_only || r->surface || r->finds);
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
	int64_t from = mono_us(), spent;
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
	spent = mono_us() - from;
	r->spent_us += spent;
	x->payers[r->payer].spent_us += spent;
}

/* Evaluates the one rule of the batch, and the rules that compete with it for findings. */
static void
try_only(struct detect *x, struct batch *b, const struct document *d)
{
	struct detect_rule *r = b->only;
	size_t before = b->nhits, n;
	const uint32_t *numbers;

	if (!batch_asks(b, r))
		return;
	try_document(x, b, r, d);
	if (!r->generic) {
		for (size_t i = 0; i < x->nrules && r->produces != NULL; i++)
			if (rules_compete(&x->rules[i], r))
				try_document(x, b, &x->rules[i], d);
	} else if (b->nhits > before) {
		n = anchors_candidates(x->anchors, x->scratch, b->source, d->tree, &numbers);
		for (size_t i = 0; i < n; i++)
			if (rules_compete(r, &x->rules[numbers[i]]))
				try_document(x, b, &x->rules[numbers[i]], d);
	}
}

static void
try_rules(struct detect *x, struct batch *b, const struct document *d)
{
	const uint32_t *numbers;
	size_t n;

	if (b->only != NULL) {
		try_only(x, b, d);
		return;
	}
	n = anchors_candidates(x->anchors, x->scratch, b->source, d->tree, &numbers);
	for (size_t i = 0; i < n; i++)
		if (batch_asks(b, &x->rules[numbers[i]]))
			try_document(x, b, &x->rules[numbers[i]], d);
}

/* Called when the rules and excludes of an account have used up the account's time for a batch: the
   slowest of them fails, and the rules of other accounts continue (C-156). */
static void
judge_payer(struct detect *x, uint32_t payer)
{
	struct detect_rule *slowest = NULL;
	struct detect_run *of_run = NULL;
	int64_t most = 0;

	for (size_t i = 0; i < x->nrules; i++) {
		struct detect_rule *r = &x->rules[i];

		if (r->payer == payer && !r->failed && r->spent_us > most) {
			slowest = r;
			of_run = NULL;
			most = r->spent_us;
		}
		for (size_t k = 0; k < r->nruns; k++)
			if (r->runs[k].payer == payer && !r->runs[k].failed &&
			    r->runs[k].spent_us > most) {
				slowest = r;
				of_run = &r->runs[k];
				most = r->runs[k].spent_us;
			}
	}
	if (slowest == NULL)
		return;
	rule_fail(x, slowest, of_run,
	    of_run == NULL ? STR("it takes too long (detect_budget)")
			   : STR("the exclude of its settings takes too long (detect_budget)"));
	x->payers[payer].spent_us -= most;
}

void
batch_judge(struct detect *x)
{
	for (size_t i = 0; i < x->npayers; i++)
		if (x->payers[i].spent_us > conf.detect_budget * 1000)
			judge_payer(x, (uint32_t)i);
}

static void
forget_times(struct detect *x)
{
	for (size_t i = 0; i < x->npayers; i++)
		x->payers[i].spent_us = 0;
	for (size_t i = 0; i < x->nrules; i++) {
		x->rules[i].spent_us = 0;
		for (size_t k = 0; k < x->rules[i].nruns; k++)
			x->rules[i].runs[k].spent_us = 0;
	}
}

void
batch_evaluate(struct detect *x, struct batch *b)
{
	forget_times(x);
	for (size_t i = 0; i < b->ndocuments; i++) {
		struct document *d = &b->documents[i];

		if (d->text.n == 0)
			continue;
		daemon_slot()->busy_since = mono_us();
		d->tree = json_parse(x->a, d->text);
		if (d->tree == NULL)
			panic("PostgreSQL returned invalid JSON for a record");
		try_rules(x, b, d);
		batch_judge(x);
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
