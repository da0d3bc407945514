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

/* ---- the time of a batch (C-156) ---- */

/* Called when the rules and excludes of an account have used up the account's time for a batch: the
   slowest of them fails, and the rules of other accounts continue. */
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

struct match_limit
batch_limit(struct detect *x, uint32_t payer)
{
	daemon_slot()->busy_since = mono_us();
	x->clock = cpu_us();
	return (struct match_limit){ .until = x->clock + conf.detect_budget * 1000 -
					      x->payers[payer].spent_us };
}

bool
batch_repeats(struct detect *x, uint32_t payer, int64_t *spent, const struct match_limit *limit)
{
	int64_t took = cpu_us() - x->clock;

	*spent += took;
	x->payers[payer].spent_us += took;
	if (limit->over)
		judge_payer(x, payer);
	return limit->over;
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

/* ---- documents ---- */

static void
add_hit(struct detect *x, struct batch *b, struct detect_rule *r, const struct document *d,
    const struct match_document *at)
{
	b->hits = arena_room(x->a, b->hits, b->nhits, sizeof(*b->hits));
	b->hits[b->nhits++] = (struct match){ .rule = r, .document = d, .at = *at };
}

static void
try_record(struct detect *x, struct batch *b, struct detect_rule *r, const struct document *d,
    const struct match_document *at, struct match_limit *limit)
{
	if (rule_query_passes(x->scratch, &r->q, at, limit) && !shown_is_stale(r->dataset, at))
		add_hit(x, b, r, d, at);
}

/* A rule of a view is tried on each nested object. */
static void
try_records(struct detect *x, struct batch *b, struct detect_rule *r, const struct document *d,
    struct match_limit *limit)
{
	struct match_document at = { .own = d->tree, .tags = x->tags, .ntags = x->ntags };
	const struct json_value *all;

	if (r->dataset == b->source) {
		try_record(x, b, r, d, &at, limit);
		return;
	}
	all = match_member(d->tree, schema_nested(b->source));
	at.of = d->tree;
	for (size_t i = 0; all != NULL && i < json_length(all) && !limit->over; i++) {
		at.own = json_at(all, i);
		try_record(x, b, r, d, &at, limit);
	}
}

/* Evaluates again while the account's time ends because of another, slower rule: that one fails. */
static void
try_document(struct detect *x, struct batch *b, struct detect_rule *r, const struct document *d)
{
	size_t before = b->nhits;
	struct match_limit limit;

	do {
		b->nhits = before;
		limit = batch_limit(x, r->payer);
		try_records(x, b, r, d, &limit);
	} while (batch_repeats(x, r->payer, &r->spent_us, &limit) && !r->failed);
}

void
batch_show_matched(struct buf *b, struct detect *x, const struct match *h)
{
	struct detect_rule *r = h->rule;
	size_t before = b->n;
	struct match_limit limit;

	do {
		b->n = before;
		limit = batch_limit(x, r->payer);
		shown_matched(b, x->scratch, &r->q.query, &h->at, &limit);
	} while (batch_repeats(x, r->payer, &r->spent_us, &limit) && !r->failed);
}

bool
batch_excludes(struct detect *x, struct detect_run *run, const struct match_document *at)
{
	bool excluded = false, again = run->exclude != NULL;

	while (again && !run->failed) {
		struct match_limit limit = batch_limit(x, run->payer);

		excluded = match_document(x->scratch, run->exclude, at, &limit);
		again = batch_repeats(x, run->payer, &run->spent_us, &limit);
	}
	return excluded || run->failed;
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
