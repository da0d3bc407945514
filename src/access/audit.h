/* SPDX-License-Identifier: ISC */
/* The audit log: one line for each change, with its actor. The database allows inserts only.

   Most lines are written by triggers on the tables that change, so no program can forget one;
   audit_as names the actor for them. audit_write is for changes that no trigger sees. */
#ifndef ACCESS_AUDIT_H
#define ACCESS_AUDIT_H

#include "db/db.h"

struct audit {
	struct str actor;          /* "key:sfk_xxxxxxxx" or "os:root" */
	struct str action;         /* "key.create" */
	struct str subject;        /* the kind of record: "account", "tag" */
	struct str subject_id;     /* the record's UUID or slug */
	struct uuid account;       /* all zero: none */
	struct uuid project;       /* all zero: none; only audit_note_hourly uses it */
	struct json before, after; /* without text: none */
	struct str request_id;     /* without text: none */
	struct str address;        /* the client's; only audit_note_hourly uses it */
};

/* Sets the actor of this transaction, and the network address of the client, for the triggers that
   write audit lines. */
enum db_rc audit_as(struct db *db, struct str actor, struct str request_id, struct str address)
    MUST_USE;
/* Writes a line in the caller's transaction, so that the change and its line are committed
   together. */
enum db_rc audit_write(struct db *db, const struct audit *a) MUST_USE;

/* Writes a line about data that a key has read, with the members action, subject, subject_id,
   project, request_id and address of *a. Repetitions of the same key, action and subject_id within
   an hour write nothing. Call it before the answer is sent. */
enum db_rc audit_note_hourly(struct db *db, struct uuid key, const struct audit *a) MUST_USE;

#endif
