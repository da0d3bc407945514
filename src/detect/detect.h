/* SPDX-License-Identifier: ISC */
/* surfaced-detect evaluates detection rules on documents and keeps their observations
 * (C-152 to C-157).
 *
 *   record            an import commits
 *     | detect_changed: what the cursor has not seen, 500 documents at a time       follow.c
 *     v
 *   struct batch      documents as trees
 *     | anchors_candidates: the rules that may match a document                     anchor.c
 *     | rule_query_passes                                                           evaluate.c
 *     v
 *   hits              rule, document, nested object
 *     | the owners of the record, their runs of the rule, their own excludes        emit.c
 *     | detect_active: observations that these documents had                        store.c
 *     v
 *   detect_store      observations appear, return, are seen again or end, with their events, counts and findings; the
 *                     cursor moves. One transaction: a crash loses nothing and doubles nothing
 *
 * Documents that were imported before a rule or an asset existed take the same path from another
 * source. Their position is a row of detect_work instead of the cursor (work.c):
 *
 *   1  a walk of the index by the rule's query finds keys, and PostgreSQL returns the present
 *      documents
 *   2  documents that changed since the snapshot of that index: the index lags behind, and the
 *      cursor may have passed them before the rule was read
 *   3  documents with an observation of the rule, to end the observations that no longer match
 *
 * A cursor is a snapshot of PostgreSQL, so no order of commits can hide a change (indexer.h).
 * Only the process whose connection holds an advisory lock evaluates; the others wait for the
 * lock. A crash loses nothing, because all state is in PostgreSQL. */
#ifndef DETECT_DETECT_H
#define DETECT_DETECT_H

#include "db/db.h"
#include "detect/rules.h"

enum { BATCH_DOCUMENTS = 500 };

struct anchors;

/* The settings of a detector in a project. */
struct settings {
	struct uuid project;
	struct str exclude, min_severity;
	const struct query *query; /* the exclude; NULL: none */
};

struct detect {
	struct db *db;
	struct engine *engine;
	struct arena *a;       /* emptied after each batch */
	struct arena *scratch; /* memory of one evaluation */
	struct arena *rules_a; /* emptied when the rules are read again */
	struct detect_rule *rules;
	size_t nrules;
	struct payer *payers; /* sorted; the first is the catalogue */
	size_t npayers;
	const struct project_of *projects; /* sorted */
	size_t nprojects;
	const struct run_at *runs; /* sorted */
	size_t nruns;
	struct str stamp; /* when the rules were read (rules_changed) */
	struct anchors *anchors;
	struct tag *tags;
	size_t ntags;
	/* the settings of the detector "rules" in projects that changed the defaults */
	struct settings *settings;
	size_t nsettings;
	bool loaded;
	int64_t load_at, keep_at, secrets_at, days_at, retry_at; /* for mono_due */
	int64_t clock;            /* cpu_us at the beginning of the present evaluation */
	char secrets_after[256];  /* where keep_secrets continues; empty: at the beginning */
	bool untags;              /* tags of ended rules may be left on documents (keep_tags) */
	bool recovered;           /* work that an earlier process died in has been postponed */
	struct str turn_detector; /* the detector that looked last */
	struct uuid turn_project;
};

/* ---- anchor.c ---- */

/* Builds the table of anchors in the arena. */
struct anchors *anchors_new(struct arena *a, const struct detect_rule *const *rules, size_t nrules);
/* Finds the rules that may match a document of the dataset `source`. Returns their number; *out
   becomes their indexes, in no order. */
size_t anchors_candidates(struct anchors *an, struct arena *scratch, enum dataset source,
    const struct json_value *doc, const uint32_t **out);

/* ---- evaluate.c ---- */

struct document {
	struct str key;  /* hexadecimal */
	struct str text; /* empty for a deleted document */
	const struct json_value *tree;
	/* for detectors: the tree, or for a deleted document an object with the members in its
	   key */
	const struct json_value *named;
};

/* A hit of a rule: a document, or a nested object of one. */
struct match {
	struct detect_rule *rule;
	const struct document *document;
	struct match_document at;
};

struct owner;
struct owners;

/* Documents of one dataset that are evaluated and stored together. */
struct batch {
	enum dataset source;
	struct document *documents;
	size_t ndocuments;
	struct detect_rule *only; /* NULL: all rules */
	bool owned_only;          /* evaluate only rules that depend on the owner of a record */
	struct match *hits;
	size_t nhits;
	const struct owners *owners; /* NULL until a detector asks */
	/* JSON arrays whose closing bracket is still missing */
	struct buf given, ended, findings, work;
	struct buf tagged; /* hits of rules that apply tags, likewise */
	bool followed;     /* the documents come from the cursor, so detectors get them, too */
};

/* Parses the documents and finds all hits. */
void batch_evaluate(struct detect *x, struct batch *b);
/* Marks rules as failed that took more than detect_budget in this batch. */
void batch_judge(struct detect *x);
/* Begins an evaluation and returns its limit: the CPU time that the account has left for the
   batch. */
struct match_limit batch_limit(struct detect *x, uint32_t payer);
/* Ends an evaluation and adds its time to *spent. Returns true when the evaluation reached its
   limit. The slowest rule or exclude of the account has then failed, and the caller evaluates again
   if its own rule did not. */
bool batch_repeats(
    struct detect *x, uint32_t payer, int64_t *spent, const struct match_limit *limit) MUST_USE;
/* Writes the tests of the rule that the hit passes, as shown_matched does. */
void batch_show_matched(struct buf *b, struct detect *x, const struct match *h);
/* Whether the account of the run excludes the record. The time that this takes is charged to the
   account. A run that has failed excludes everything. */
bool batch_excludes(
    struct detect *x, struct detect_run *run, const struct match_document *at) MUST_USE;
/* Whether the rule is evaluated on the documents of the batch. */
bool batch_asks(const struct batch *b, const struct detect_rule *r) MUST_USE;
/* Finds the record of this key in a document: the document itself, or one of its nested objects.
   Returns false when the record is gone. */
bool batch_find(const struct batch *b, struct arena *a, const struct detect_rule *r,
    const struct document *d, struct str record_key, struct match_document *out) MUST_USE;

/* ---- emit.c ---- */

/* Writes the observations and findings of the hits. A rule of rank 0 makes no finding of a record
   for which a competing rule makes one (rules_compete). `seen` gets the names of all observations;
   store.c ends the stored observations that are not among them. */
void batch_emit(struct detect *x, struct batch *b, const struct owners *o, struct strs *seen);
/* Returns the name of an observation, made of its run, project and record. */
struct str seen_name(
    struct arena *a, const struct uuid *run, const struct uuid *project, struct str key);

/* ---- finding.c ---- */

/* Writes the finding of an observation. */
void finding_write(struct buf *b, struct detect *x, const struct match *h,
    const struct detect_run *run, const struct owner *owner);

/* ---- store.c ---- */

/* Ends a JSON array whose items were each appended behind '[' or ','. An empty buffer gives []. */
struct str array_done(struct buf *b);
/* Evaluates the documents and stores the results together with the new position, in one
   transaction. place: the position as a JSON object. */
enum db_rc batch_store(struct detect *x, struct batch *b, struct str place) MUST_USE;

/* ---- follow.c ---- */

/* Evaluates one batch of changed documents of each dataset. Returns true when there are more. */
bool follow_changes(struct detect *x) MUST_USE;

/* ---- work.c ---- */

/* Does the work that is due for one time slice. Returns true when there is more. */
bool work_once(struct detect *x) MUST_USE;
/* Returns the snapshot of the published index of a dataset, or STR_NULL when no index is
   published. */
struct str work_snapshot(struct detect *x, enum dataset d);

#endif
