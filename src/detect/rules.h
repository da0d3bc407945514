/* SPDX-License-Identifier: ISC */
/* The rules that are evaluated, and who uses them.
 *
 *   rule ---- runs, sorted by account       a row for each account that uses the rule
 *     |         |
 *     |         +-- projects                whose records the run looks at; of rules of the catalogue often all of the account
 *     |
 *     +-- payer                             the account of the rule: its rules share detect_budget, and nobody else's
 *
 *   record --> owners --> project --> account (users.c) --> the run of the rule for this account
 *
 * A hit thus costs as much as the record has owners, however many accounts and projects there
 * are. */
#ifndef DETECT_RULES_H
#define DETECT_RULES_H

#include "detection/rule_query.h"

/* An account that pays for evaluations. The first has no UUID: it is the catalogue. */
struct payer {
	struct uuid uuid;
	int64_t spent_us;   /* in the present batch */
	size_t nunanchored; /* of its rules */
};

/* A rule as it is evaluated for somebody: for all accounts together (payer 0), for one with its own
   exclude, or for one with its projects. */
struct detect_run {
	struct uuid uuid;
	uint32_t payer;
	struct str severity;
	const struct query *exclude; /* the account's; NULL: none */
	bool findings;
	/* it makes findings alone: its observations are those of the run that all accounts share */
	bool finder;
	bool failed;
	bool all;                    /* every project of the account */
	const struct uuid *projects; /* sorted */
	size_t nprojects;
	int64_t spent_us; /* by the exclude, in the present batch */
};

struct detect_rule {
	struct uuid uuid;
	uint32_t payer;
	int64_t version;
	struct str name, query, exclude;
	struct str stamp; /* when its row and settings were read */
	enum dataset dataset;
	bool stable, surface;
	bool common;       /* it is of the catalogue, and makes findings of its own kind */
	bool applies_tags; /* to the documents that match */
	bool finds;        /* a run makes findings */
	bool generic;      /* rank 0: silent where another rule of its area makes a finding */
	bool failed;       /* it is not evaluated, and its observations stay as they are */
	bool evaluated;    /* at some time before */
	struct rule_query q;
	const struct node *anchor;
	const struct json_value *produces; /* NULL: nothing */
	struct str area;                   /* in produces; "rule" without one */
	struct strs tags;
	struct detect_run *runs;
	size_t nruns;
	int64_t spent_us; /* in the present batch */
};

struct project_of {
	struct uuid project;
	uint32_t payer;
};

struct run_at {
	struct uuid uuid;
	uint32_t rule, run;
};

struct detect;

/* ---- rules.c ---- */

/* Reads the rules and who uses them. False: the database failed. */
bool rules_load(struct detect *x) MUST_USE;
/* Whether anything that rules_load reads has changed since. False, too: the database failed. */
bool rules_changed(struct detect *x) MUST_USE;
/* Leaves the rule out, or a run of it, and stores why. run: NULL for all. */
void rule_fail(struct detect *x, struct detect_rule *r, struct detect_run *run, struct str why);

/* ---- users.c ---- */

/* Sorts what rules_load has read, for the functions below. accounts: UUIDs of all that own or use
   rules, in any order. */
void users_index(struct detect *x, struct uuid *accounts, size_t n);
/* The runs of all rules by their UUIDs. */
void users_index_runs(struct detect *x);
/* The number of an account; it must be one of them. The UUID of zeros is the catalogue. */
uint32_t users_payer(const struct detect *x, const struct uuid *account);
/* The rule of this UUID; NULL: it is not evaluated. */
struct detect_rule *rules_find(const struct detect *x, const struct uuid *uuid);
/* The rule of a run, and the run. NULL: it is not evaluated. */
struct detect_rule *rules_find_run(
    const struct detect *x, const struct uuid *uuid, struct detect_run **run);
/* The run of the rule that looks at the project; NULL: none does. */
struct detect_run *rule_run_of(
    const struct detect *x, const struct detect_rule *r, const struct uuid *project);
/* Whether a rule of rank 0 makes no finding where the other one does: a rule of the same area and
   dataset, of the catalogue or of the same account, with a higher rank and all tags of the generic
   one. */
bool rules_compete(const struct detect_rule *generic, const struct detect_rule *other) MUST_USE;
bool run_has_project(
    const struct detect *x, const struct detect_run *run, const struct uuid *project) MUST_USE;

#endif
