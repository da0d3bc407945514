/* SPDX-License-Identifier: ISC */
/* The audit log: who did what. The database keeps it insert-only. */
#ifndef ACCESS_AUDIT_H
#define ACCESS_AUDIT_H

#include "db/db.h"

struct audit {
	struct str actor;          /* "key:sfk_xxxxxxxx" or "os:root" */
	struct str action;         /* "key.create" */
	struct str subject;        /* a kind: "account", "tag" */
	struct str subject_id;     /* its uuid or slug */
	struct uuid account;       /* all zero: none */
	struct json before, after; /* without text: none */
	struct str request_id;     /* without text: none */
};

/* Tells the triggers that write lines of their own for whom this transaction acts. */
enum db_rc audit_as(struct db *db, struct str actor, struct str request_id) MUST_USE;
/* In the caller's transaction, so that no change stands without its line. */
enum db_rc audit_write(struct db *db, const struct audit *a) MUST_USE;

#endif
