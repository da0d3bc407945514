/* SPDX-License-Identifier: ISC */
/* The frame of the detectors (C-124 to C-130). A detector is a file with two functions; the
 * frame does everything else: it reads the documents that change, keeps the work, hides what the
 * settings of a project hide, stores, and survives kill -9.
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
 * "www.example.org". A second request for the same subject adds nothing. The asker need not know
 * what changed, because look reads the present state. A request that arrives while look reads is
 * not lost: it gives the row of detector_work a new transaction id, and detector_store keeps such a
 * row.
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
 *           ... one or a few statements that read the data of all l->subjects ...
 *           look_found(l, subject, &(struct found){ .key = ..., .type = STR("dangling_dns"), ... });
 *           look_absent(l, key, at);                        // newer data contradict it; without data nothing is reported (C-129)
 *           look_ask(l, subject, tomorrow);                 // if it changes with time alone
 *           return DB_OK;
 *   }
 *
 *   static const struct detector dangling = {
 *           .name = "dangling-dns", .subjects = 200, .affected = affected_names, .look = look_at_names
 *   };
 *   DETECTOR_ENTRY(dangling);
 *
 * The file belongs to surfaced_detect_SOURCES. Its statements call functions of sql/functions that
 * are SECURITY DEFINER and granted to surfaced_detect, since the program has no right on tables.
 * HACKING has the whole list, "A detector".
 *
 * affected runs once for every batch of every dataset, deleted documents included, so it must be
 * cheap when no project is concerned: it compares with the memory that load fills, or runs one
 * statement for the batch, never one for each document. It may ask for too many subjects, never for
 * too few. affected does not see the earlier version of a document; a finding that only that
 * version showed is found by its subject, or by detector_finding.
 *
 * look gets up to .subjects subjects of one project. It must not write to the database, because it
 * is repeated after a crash. It fails by returning any rc but DB_OK, with a reason for people in
 * l->why. The frame then tries the subjects again one at a time and doubles the delay after each
 * failure (1 s to 1 h); other subjects do not wait for them, and detector_state.error has the
 * reason. A look that kills the process counts as failed. A detector cuts long work itself: it
 * calls look_ask with a subject that contains the position, such as "+example.org after-name", and
 * continues there in a later turn, after the work of other projects.
 *
 * A whole project is looked at when its detector is enabled, its settings change, its entitlement
 * esi begins, or the cursor of a dataset is lost. The frame then asks for the names of the
 * project's assets of the kinds in detector_assets(). A detector with .whole gets the single
 * subject "*" instead, and calls look_ask for the subjects that it wants. No other subject may be
 * "*" or begin with "=".
 *
 * The frame applies the settings enabled, min_severity and exclude (C-166, C-168): a detector
 * never gets a project without the entitlement or in which it is disabled, and it reports all
 * its findings. */
#ifndef DETECT_DETECTOR_H
#define DETECT_DETECTOR_H

#include "base/registry.h"
#include "detect/owners.h"

enum { LOOK_COUNTS = 16 };

/* A batch of changed documents. documents[i].named is the document. For a deleted document it is an
   object with the members in the key: ip; host, record_type and rcode; domain; fingerprint_sha256;
   uuid; and for an open directory host, which may be an address. */
struct affected {
	/* x->db is for statements; x->a lives as long as the batch, x->scratch as long as a call */
	struct detect *x;
	struct batch *batch;
	const struct detector *of; /* private to the frame */
};

/* A finding, with the members of finding_in (resource/finding.h). A member that is not set is
   stored as null. */
struct found {
	/* the key is made from the object that was found, never from the run, so that the
	   same object is one finding for ever (C-127) */
	struct str key, type;
	struct str title, severity;   /* severity: STR_NULL is info */
	struct str kind, description; /* kind: exposure_kind */
	struct str evidence;          /* a JSON object; the frame cuts it (C-130) */
	double confidence;            /* 0: none */
	struct str asset_kind, asset_name, service_key;
	struct ts first, last; /* times of the data, never of the clock (rule 2) */
};

/* A stored finding of a subject that is looked at. */
struct known_finding {
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
	const struct known_finding *known; /* by subject */
	size_t known_count;
	const char *why; /* of a failure */
	/* a message for people about a look that succeeded: the member error of GET /detectors */
	struct str warning;
	void *of_storing; /* data for the function store */
	/* private to the frame */
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
	bool whole;       /* the detector itself handles the subject "*" */
	/* a subject may end with "#" and a note, which the subject of its findings lacks */
	bool noted;
	/* Reads the memory that affected compares with. Called before the first batch, every few
	   seconds, and after NOTIFY detect_work. Returns false when the database failed. NULL: the
	   detector keeps nothing in memory. */
	bool (*load)(struct detect *x);
	/* Asks for the subjects that changed documents concern. NULL: triggers ask for all work. */
	enum db_rc (*affected)(struct affected *f);
	enum db_rc (*look)(struct look *l);
	/* Stores data other than findings from l->of_storing, in the transaction that stores the
	   findings. Called only when look has set l->of_storing. NULL: there are no such data. */
	enum db_rc (*store)(struct look *l);
};

#define DETECTOR_ENTRY(id) REGISTER(detectors, id)

/* ---- to ask for work (affected.c) ---- */

void affected_ask(struct affected *f, const struct uuid *project, struct str subject);
/* The owners of the documents of the batch: assets with their addresses, names, and domains above
   these. */
enum db_rc affected_owners(struct affected *f, const struct owners **out) MUST_USE;
/* The owners of one document: struct owner, one for each project. A host that serves many owners
   has none by its names (C-198). */
struct list affected_owners_of(
    struct affected *f, const struct owners *all, const struct document *d);

/* Asks for a look at a subject of this project, which may be one of the present subjects: at the
   time `due` or later, or at once when due is TS_NULL. */
void look_ask(struct look *l, struct str subject, struct ts due);

/* ---- for look (record.c) ---- */

/* Reports a finding. subject: one of the present subjects; the finding is stored under it. */
void look_found(struct look *l, struct str subject, const struct found *f);
/* Reports that data of this time contradict the finding. The finding closes when these data are 24
   hours newer than the data that showed it (C-129). */
void look_absent(struct look *l, struct str key, struct ts at);
/* Closes a finding at once because a person has decided against it (an allow list, a verdict). It
   opens again when a later look reports it. */
void look_hide(struct look *l, struct str key);
/* Returns a part of a finding's key. One of more than `most` bytes is cut to `kept` bytes and a hash
   of all of it. */
struct str look_cut_key(struct arena *a, struct str part, size_t most, size_t kept);
/* Counts a record that a limit left out, and sets the warning about it. */
void look_beyond_limit(struct look *l, struct str warning);
/* Adds to a number of looked_at in GET /detectors. The frame counts "subjects". */
void look_counted(struct look *l, const char *what, int64_t n);
/* Sets *room to the number of new findings that the project may still get from the detector, when
   `most` may be unresolved at a time. */
enum db_rc look_room(struct look *l, int64_t most, int64_t *room) MUST_USE;
/* Returns the stored finding of this key among those of the present subjects, or NULL. */
const struct known_finding *look_known_finding(const struct look *l, struct str key);
/* Returns the index of a subject, or l->nsubjects when it is not one of the present subjects. */
size_t look_subject(const struct look *l, struct str subject);

/* ---- the frame ---- */

/* Asks all detectors which subjects a batch concerns, and writes these to batch.work. */
enum db_rc detectors_affected(struct detect *x, struct batch *b) MUST_USE;
/* Calls the load function of each detector. Returns false when the database failed. */
bool detectors_load(struct detect *x) MUST_USE;
/* Lets detectors look at subjects that are due, for one time slice. Returns true when there are
   more. */
bool detectors_once(struct detect *x);

#endif
