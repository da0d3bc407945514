/* SPDX-License-Identifier: ISC */
/* The frame of the detectors (AREAS.md 3). A detector is a file with two functions; the frame does
 * everything else: it reads the documents that change, keeps the work, hides what the settings of a
 * project hide, stores, and survives kill -9.
 *
 *   documents change                                events in other tables
 *     | follow.c: 500 a batch                         | a trigger: SELECT detector_ask(...), or a row of
 *     v                                               |            detector_assets() (sql/functions/triggers.sql)
 *   affected(batch)                                   |
 *     | (project, subject) pairs                      |
 *     v                                               v
 *   detect_store: the cursor moves and --------> detector_work (detector, project, subject, due_at)
 *   the work is stored, or neither                    |
 *                                                     | detector_take: some subjects of one project; projects take turns
 *                                                     v
 *                                   look(project, subjects, what they had shown before)
 *                                                     | records: found, absent; subjects to look at later
 *                                                     v
 *                                   settings.c marks the records that the project's settings hide
 *                                                     |
 *                                                     v
 *                                   detector_store: findings, the end of the work, detector_state:
 *                                   one transaction
 *
 * A subject is a text that the detector chooses: whatever can be looked at by itself, such as
 * "www.example.org". Asking twice is the same as asking once. Whoever asks need not know what
 * changed, since look reads the present state. Work that is asked for while look reads is not lost:
 * the row of detector_work then has another transaction, so its work does not end.
 *
 * A minimal detector:
 *
 *   static enum db_rc
 *   affected_names(struct affected *f)
 *   {
 *           const struct owners *all;
 *           enum db_rc rc = affected_owners(f, &all);     // one statement for the batch, shared by all detectors
 *
 *           for (size_t i = 0; rc == DB_OK && i < f->batch->ndocuments; i++) {
 *                   struct list owners = affected_owners_of(f, all, &f->batch->documents[i]);
 *                   const struct owner *o = owners.items;
 *
 *                   for (size_t k = 0; k < owners.n; k++)
 *                           affected_ask(f, &o[k].project, o[k].name);
 *           }
 *           return rc;
 *   }
 *
 *   static enum db_rc
 *   look_at_names(struct look *l)
 *   {
 *           ... one or a few statements that read what all l->subjects need ... look_found(l,
 *           subject, &(struct found){ .key = ..., .type = STR("dangling_dns"), ... });
 *           look_absent(l, key, at);                        // newer data contradict; without data say nothing (rule 4 of 0.2)
 *           look_ask(l, subject, tomorrow);                 // what changes with time alone
 *           return DB_OK;
 *   }
 *
 *   static const struct detector dangling = {
 *           .name = "dangling-dns", .subjects = 200, .affected = affected_names, .look =
 *           look_at_names
 *   };
 *   DETECTOR_ENTRY(dangling);
 *
 * The file belongs to surfaced_detect_SOURCES. Its statements call functions of sql/functions that
 * are SECURITY DEFINER and granted to surfaced_detect, since the program has no right on tables.
 * HACKING has the whole list, "A detector".
 *
 * affected is called for every batch of every dataset but once only, also for deleted documents, so
 * it must be cheap when no project is concerned: compare with what load keeps in memory, or run one
 * statement for the batch; never a statement for a document. It may ask too much, never too little.
 * affected does not see the earlier version of a document. Its subject, or detector_finding, finds
 * what only that version showed.
 *
 * look gets up to .subjects subjects of one project, and stores nothing itself. It is repeated
 * after a crash, so it must not write. A failure is any rc but DB_OK; set l->why for people. Then
 * the subjects are tried again one at a time, each failure twice as late (1 s to 1 h); others do
 * not wait for them, and detector_state.error says why. A look that kills the process counts as
 * failed. Work that takes long is cut by the detector: look_ask with a subject that says where to
 * go on, as "+example.org after-name", continues in a later turn, behind the work of other
 * projects.
 *
 * All of a project is looked at when the detector is enabled, the settings change, the entitlement
 * esi begins, or the cursor of a dataset is lost. Then the frame asks for the names of the
 * project's assets of the kinds in detector_assets(); a detector with .whole gets the subject "*"
 * instead, alone, and asks for what it wants by look_ask. No other subject may be "*" or begin with
 * "=".
 *
 * The settings enabled, min_severity and exclude are applied by the frame (C-166, C-168): a
 * detector never sees a project that is disabled or has no entitlement, and gives all it finds. */
#ifndef DETECT_DETECTOR_H
#define DETECT_DETECTOR_H

#include "base/registry.h"
#include "detect/owners.h"

enum { LOOK_COUNTS = 16 };

/* The batch whose documents changed; documents[i].named is the document, or of a deleted one an
   object with the members that its key names: ip; host, record_type and rcode; domain;
   fingerprint_sha256; uuid; of an open directory host, which may be an address. */
struct affected {
	struct detect
	    *x; /* x->db for statements; x->a lives as long as the batch, x->scratch is anybody's */
	struct batch *batch;
	const struct detector *of; /* the frame's */
};

/* Something that was found: the members of finding_in (resource/finding.h). A member that is not
   set is null. */
struct found {
	struct str key,
	    type; /* made from the thing that was found, never from the run (rule 1 of AREAS.md 0.2) */
	struct str title, severity;   /* severity: info without one */
	struct str kind, description; /* kind: exposure_kind */
	struct str evidence;          /* a JSON object; the frame cuts it (C-130) */
	double confidence;            /* 0: none */
	struct str asset_kind, asset_name, service_key;
	struct ts first, last; /* times of the data, never of the clock (rule 2) */
};

/* A finding that a subject had shown before, with its status. */
struct standing {
	struct str subject, finding_key, status, severity;
	struct ts first_seen_at, last_seen_at;
	struct json evidence; /* NULL text: none */
};

/* A look at subjects of one project. */
struct look {
	struct detect *x;
	struct uuid project;
	const struct str *subjects; /* sorted */
	size_t nsubjects;
	const struct standing *standing; /* by subject */
	size_t nstanding;
	const char *why; /* of a failure */
	/* for people, although the look succeeded: it is the error of GET /detectors */
	const char *warning;
	void *of_storing; /* for the function store */
	/* the frame's */
	const struct detector *of;
	struct settings settings;
	struct strs asked, hide, show;
	struct buf records, work;
	struct {
		const char *what;
		int64_t n;
	} counts[LOOK_COUNTS];
	size_t ncounts;
};

struct detector {
	const char *name; /* a row of tbl/detectors.h */
	int64_t subjects; /* at most so many in a look */
	bool whole;       /* look gets the subject "*" */
	bool noted; /* a subject may end with "#" and a note; findings are remembered without it */
	/* Reads what affected keeps in memory. Called before the first batch, and whenever it may
	   have changed: every few seconds, and after NOTIFY detect_work. NULL: nothing is kept.
	   False: the database failed. */
	bool (*load)(struct detect *x);
	/* Names the subjects that changed documents concern. NULL: none, all work is asked by
	   triggers. */
	enum db_rc (*affected)(struct affected *f);
	enum db_rc (*look)(struct look *l);
	/* Stores what is no finding, from l->of_storing, in the transaction that stores the
	   findings. It is called only when look has set l->of_storing: not when the settings
	   changed. NULL: nothing. */
	enum db_rc (*store)(struct look *l);
};

#define DETECTOR_ENTRY(id) REGISTER(detectors, id)

/* ---- to ask for work (affected.c) ---- */

void affected_ask(struct affected *f, const struct uuid *project, struct str subject);
/* The owners of the documents of the batch: assets with their addresses, names, and domains above
   these. */
enum db_rc affected_owners(struct affected *f, const struct owners **out) MUST_USE;
/* Those of one document, struct owner, one for each project; rule 5 of AREAS.md 0.2 keeps CDNs
   out. */
struct list affected_owners_of(
    struct affected *f, const struct owners *all, const struct document *d);

/* In a look: asks for a subject of this project, also one of the present look: TS_NULL is at once,
   otherwise not before that time. */
void look_ask(struct look *l, struct str subject, struct ts due);

/* ---- for look (record.c) ---- */

/* subject: one of those looked at, by which the finding is remembered. */
void look_found(struct look *l, struct str subject, const struct found *f);
/* Data of that time contradict the finding. It closes when they are 24 hours newer than those that
   show it (C-129). */
void look_absent(struct look *l, struct str key, struct ts at);
/* A person's word has it that this is no finding (an allow list, a verdict): it closes at once, and
   opens again when look finds it. */
void look_hide(struct look *l, struct str key);
/* Adds to a number of looked_at in GET /detectors. The frame counts "subjects". */
void look_counted(struct look *l, const char *what, int64_t n);
/* How many findings more the project may have of the detector, which are at most `most` that are
   not resolved. */
enum db_rc look_room(struct look *l, int64_t most, int64_t *room) MUST_USE;
/* A finding that the subjects had shown before; NULL: there is none of this key. */
const struct standing *look_standing(const struct look *l, struct str key);
/* The statement read the rows that all subjects need: the i-th of these is the one of this name;
   l->nsubjects: none is. */
size_t look_subject(const struct look *l, struct str subject);

/* ---- the frame ---- */

/* Asks all detectors what a batch concerns, and writes it to batch.work. */
enum db_rc detectors_affected(struct detect *x, struct batch *b) MUST_USE;
/* Lets the detectors read what they keep in memory. */
bool detectors_load(struct detect *x) MUST_USE;
/* Looks for a while at what is due. True: there is more. */
bool detectors_once(struct detect *x);

#endif
