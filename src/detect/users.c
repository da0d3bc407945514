/* SPDX-License-Identifier: ISC */
/* Finds rules and runs by the UUIDs of rules, runs and projects (rules.h), in lists that are sorted
   by UUID. */
#include "config.h"

#include "detect/detect.h"

static int
compare_uuids(const void *l, const void *r)
{
	return uuid_cmp(l, r);
}

/* Finds an item of an array that is sorted by the UUID at the beginning of each item. */
static void *
find_sorted(const void *items, size_t n, size_t size, const struct uuid *uuid)
{
	return n == 0 ? NULL : bsearch(uuid, items, n, size, compare_uuids);
}

void
users_index(struct detect *x, struct uuid *accounts, size_t n)
{
	x->payers = ARENA_ARRAY(x->rules_a, n + 1, struct payer);
	x->npayers = 1;
	if (n > 0)
		qsort(accounts, n, sizeof(*accounts), compare_uuids);
	for (size_t i = 0; i < n; i++)
		if (uuid_cmp(&accounts[i], &x->payers[x->npayers - 1].uuid) != 0)
			x->payers[x->npayers++] = (struct payer){ .uuid = accounts[i] };
}

uint32_t
users_payer(const struct detect *x, const struct uuid *account)
{
	const struct payer *p = find_sorted(x->payers, x->npayers, sizeof(*p), account);

	if (p == NULL)
		panic("no payer %s", uuid_text(account).z);
	return (uint32_t)(p - x->payers);
}

static int
compare_payers(const void *l, const void *r)
{
	const struct detect_run *a = l, *b = r;

	return a->payer < b->payer ? -1 : a->payer > b->payer;
}

void
users_index_runs(struct detect *x)
{
	struct run_at *all;
	size_t n = 0;

	for (size_t i = 0; i < x->nrules; i++)
		n += x->rules[i].nruns;
	all = ARENA_ARRAY(x->rules_a, n + 1, struct run_at);
	x->nruns = 0;
	for (size_t i = 0; i < x->nrules; i++) {
		struct detect_rule *r = &x->rules[i];

		qsort(r->runs, r->nruns, sizeof(*r->runs), compare_payers);
		for (size_t k = 0; k < r->nruns; k++)
			if (!r->runs[k].finder)
				all[x->nruns++] = (struct run_at){ .uuid = r->runs[k].uuid,
					.rule = (uint32_t)i,
					.run = (uint32_t)k };
	}
	if (x->nruns > 0)
		qsort(all, x->nruns, sizeof(*all), compare_uuids);
	x->runs = all;
}

struct detect_rule *
rules_find(const struct detect *x, const struct uuid *uuid)
{
	return find_sorted(x->rules, x->nrules, sizeof(*x->rules), uuid);
}

struct detect_rule *
rules_find_run(const struct detect *x, const struct uuid *uuid, struct detect_run **run)
{
	const struct run_at *at = find_sorted(x->runs, x->nruns, sizeof(*at), uuid);

	if (at == NULL)
		return NULL;
	*run = &x->rules[at->rule].runs[at->run];
	return &x->rules[at->rule];
}

bool
run_has_project(const struct detect *x, const struct detect_run *run, const struct uuid *project)
{
	const struct project_of *p;

	if (!run->all)
		return find_sorted(run->projects, run->nprojects, sizeof(*project), project) !=
		       NULL;
	p = find_sorted(x->projects, x->nprojects, sizeof(*p), project);
	return p != NULL && p->payer == run->payer;
}

struct detect_run *
rule_run_of(const struct detect *x, const struct detect_rule *r, const struct uuid *project)
{
	const struct project_of *p = find_sorted(x->projects, x->nprojects, sizeof(*p), project);
	struct detect_run *run;

	if (p == NULL)
		return NULL;
	run = bsearch(&(struct detect_run){ .payer = p->payer }, r->runs, r->nruns, sizeof(*run),
	    compare_payers);
	return run != NULL && run_has_project(x, run, project) ? run : NULL;
}

static bool
has_tag(const struct detect_rule *r, struct str tag)
{
	for (size_t i = 0; i < r->tags.n; i++)
		if (str_eq(r->tags.p[i], tag))
			return true;
	return false;
}

bool
rules_compete(const struct detect_rule *generic, const struct detect_rule *other)
{
	if (!generic->generic || other->generic || generic->failed || other->failed ||
	    other->dataset != generic->dataset || other->payer != generic->payer ||
	    !str_eq(other->area, generic->area))
		return false;
	for (size_t i = 0; i < generic->tags.n; i++)
		if (!has_tag(other, generic->tags.p[i]))
			return false;
	return true;
}
