/* SPDX-License-Identifier: ISC */
/* The rules that are evaluated, and the accounts that use them.
 *
 *   rule ---- runs, sorted by account       a row for each account that uses the rule
 *     |         |
 *     |         +-- projects                whose records the run looks at; of the catalogue's rules
 *     |                                     often all of the account
 *     |
 *     +-- payer                             the account of the rule: its rules share detect_budget,
 *                                           and nobody else's
 *
 *   record --> owners --> project --> account (users.c) --> the run of the rule for this account
 *
 * The cost of a hit is thus proportional to the owners of the record, not to the number of
 * accounts or projects. */
#ifndef DETECT_RULES_H
#define DETECT_RULES_H

#include "detection/rule_query.h"

/* An account whose rules share the time detect_budget. The first payer has the UUID of zeros and is
   the catalogue. */
struct payer {
	struct uuid uuid;
	int64_t spent_us;   /* in the present batch */
	size_t nunanchored; /* its rules without an anchor */
};

/* One use of a rule: by all accounts together (payer 0), by an account with an exclude of its own,
   or by an account for its projects. */
struct detect_run {
	struct uuid uuid;
	uint32_t payer;
	struct str severity;
	const struct query *exclude; /* the account's; NULL: none */
	bool findings;
	/* makes findings only: the observations are those of the run that all accounts share */
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
	struct str stamp; /* changes with the rule's row and settings */
	enum dataset dataset;
	bool stable, surface;
	/* a rule of the catalogue, whose findings may have a type of their own */
	bool common;
	bool applies_tags; /* to the documents that match */
	bool finds;        /* at least one run makes findings */
	bool generic;      /* rank 0: makes no finding where a competing rule makes one */
	bool failed;       /* not evaluated; its observations stay as they are */
	bool evaluated;    /* at least once before */
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

/* Reads the rules and the accounts that use them. Returns false when the database failed. */
bool rules_load(struct detect *x) MUST_USE;
/* Whether the data that rules_load reads have changed since. Returns false, too, when the database
   failed. */
bool rules_changed(struct detect *x) MUST_USE;
/* Marks a rule or one of its runs as failed and stores the reason. run: NULL means the whole
   rule. */
void rule_fail(struct detect *x, struct detect_rule *r, struct detect_run *run, struct str why);

/* ---- users.c ---- */

/* Makes the list of payers for the functions below. accounts: the UUIDs of all accounts that own or
   use rules, in any order. */
void users_index(struct detect *x, struct uuid *accounts, size_t n);
/* Sorts the runs of all rules by their UUIDs. */
void users_index_runs(struct detect *x);
/* Returns the index of an account in the list of payers, which must contain it. The UUID of zeros
   is the catalogue. */
uint32_t users_payer(const struct detect *x, const struct uuid *account);
/* Returns the rule of this UUID, or NULL when the rule is not evaluated. */
struct detect_rule *rules_find(const struct detect *x, const struct uuid *uuid);
/* Returns the rule of a run and sets *run, or returns NULL when the run is not evaluated. */
struct detect_rule *rules_find_run(
    const struct detect *x, const struct uuid *uuid, struct detect_run **run);
/* Returns the run of the rule that includes the project, or NULL. */
struct detect_run *rule_run_of(
    const struct detect *x, const struct detect_rule *r, const struct uuid *project);
/* Whether `generic`, a rule of rank 0, makes no finding of a record for which `other` makes one.
   The other rule has a higher rank, the same area, dataset and owner, and all tags of the generic
   rule. */
bool rules_compete(const struct detect_rule *generic, const struct detect_rule *other) MUST_USE;
bool run_has_project(
    const struct detect *x, const struct detect_run *run, const struct uuid *project) MUST_USE;

#endif
