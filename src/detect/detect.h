/* SPDX-License-Identifier: ISC */
/* surfaced-detect: evaluates detection rules on documents, and keeps their observations (AREAS.md
 * 0.1, 2.4).
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
 * Old data go the same way, with another source and a position in detect_work instead of the cursor
 * (work.c):
 *
 *   1  the index is walked with the rule's query; PostgreSQL has the documents as they are now
 *   2  documents that changed since the snapshot of that index: the index lags behind, and the cursor may have passed them
 *      before the rule was read
 *   3  documents on which the rule was observed: those that match no more
 *
 * A cursor is a snapshot of PostgreSQL, so no order of commits can hide a change (indexer.h). Only
 * the connection that holds an advisory lock evaluates; other processes stand by. Nothing in memory
 * must survive the process. */
#ifndef DETECT_DETECT_H
#define DETECT_DETECT_H

#include "db/db.h"
#include "detect/rules.h"

enum {
	BATCH_DOCUMENTS = 500,
	RUN_MOST =
	    10000, /* active observations of a run, and of a project in a run of scope surface */
	TAGGED_MOST = 1000000, /* documents that have the tags of a rule (AREAS.md 2.1) */
	SUSPECT_SERVICES =
	    50,         /* a host with more is suspect: its findings are info (AREAS.md 0.2) */
	APEX_MOST = 50, /* a host with more apex domains belongs to nobody by its names */
};

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
	struct arena *scratch; /* of evaluations */
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
	struct settings *settings; /* for the detector rules, where they are not the defaults */
	size_t nsettings;
	bool loaded;
	int64_t load_at, keep_at, secrets_at, days_at; /* for mono_due */
	bool recovered;           /* the work in the hand of a process that died was put off */
	struct str turn_detector; /* the one that looked last */
	struct uuid turn_project;
};

/* ---- anchor.c ---- */

/* Finds rules by the values that documents must have to match them. The anchors are in the
   arena. */
struct anchors *anchors_new(struct arena *a, const struct detect_rule *const *rules, size_t nrules);
/* The rules of the dataset and its view that may match the document: numbers of rules, in no
   order. */
size_t anchors_candidates(struct anchors *an, struct arena *scratch, enum dataset source,
    const struct json_value *doc, const uint32_t **out);

/* ---- evaluate.c ---- */

struct document {
	struct str key;  /* hexadecimal */
	struct str text; /* n 0: it is gone */
	const struct json_value *tree;
	const struct json_value
	    *named; /* for detectors: the tree, or what the key of a deleted document names */
};

/* A document or a nested object of one that a rule's query finds. */
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
	bool owned_only;          /* rules that care for no project are left out */
	struct match *hits;
	size_t nhits;
	const struct owners *owners;             /* NULL: nobody has asked yet */
	struct buf given, ended, findings, work; /* JSON arrays without their last bracket */
	struct buf tagged;                       /* hits of rules that apply tags, likewise */
	bool followed; /* its documents have changed: detectors are asked, too */
};

/* Finds the hits of all documents. Parses them. */
void batch_evaluate(struct detect *x, struct batch *b);
/* Lets rules fail that have taken more than detect_budget in this batch. */
void batch_judge(struct detect *x);
/* Whether a rule's test of this dataset is on documents of the batch. */
bool batch_asks(const struct batch *b, const struct detect_rule *r) MUST_USE;
/* The document, or the nested object of it, that a record's key names. False: there is none. */
bool batch_find(const struct batch *b, struct arena *a, const struct detect_rule *r,
    const struct document *d, struct str record_key, struct match_document *out) MUST_USE;

/* ---- emit.c ---- */

/* Writes the observations and findings that follow from the hits. A rule of rank 0 makes no finding
   on a record on which another rule of its area makes one. `seen` gets the names of the
   observations, which store.c compares. */
void batch_emit(struct detect *x, struct batch *b, const struct owners *o, struct strs *seen);
/* The name of an observation: its run, project and record. */
struct str seen_name(
    struct arena *a, const struct uuid *run, const struct uuid *project, struct str key);

/* ---- finding.c ---- */

/* Writes the finding of an observation. */
void finding_write(struct buf *b, struct detect *x, const struct match *h,
    const struct detect_run *run, const struct owner *owner);

/* ---- store.c ---- */

/* Evaluates the documents and stores what follows, with the position that they bring. place: a JSON
   object. */
enum db_rc batch_store(struct detect *x, struct batch *b, struct str place) MUST_USE;

/* ---- follow.c ---- */

/* Evaluates one batch of changed documents of each dataset. True: there is more. */
bool follow_changes(struct detect *x) MUST_USE;

/* ---- work.c ---- */

/* Does a slice of the work that is due. True: there is more. */
bool work_once(struct detect *x) MUST_USE;
/* The snapshot of the published index of a dataset: STR_NULL when it has none. */
struct str work_snapshot(struct detect *x, enum dataset d);

/* ---- keep.c ---- */

/* Ends and deletes what is old. True: there is more. */
bool keep_observations(struct detect *x) MUST_USE;
/* Deletes old notes and places of secrets. True: there is more. */
bool keep_secrets(struct detect *x) MUST_USE;
/* Writes the days of a dashboard that have ended. True: there may be more. */
bool keep_dashboards(struct detect *x) MUST_USE;

#endif
