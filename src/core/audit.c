/* SPDX-License-Identifier: ISC */
#include "config.h"

#include "core/core.h"

static const struct stmt insert_audit = STMT(insert_audit, NULL,
    "INSERT INTO audit (actor, action, subject, subject_id, account_uuid, before, after, "
    "request_id)"
    " VALUES ($1, $2, $3, $4, $5, $6, $7, $8)");

enum db_rc
audit_write(struct db *db, const struct audit *a)
{
	return db_do(db, &insert_audit, NULL, P(a->actor), P(a->action), P(a->subject),
	    P(a->subject_id), P(a->account), P(a->before.text), P(a->after.text),
	    P(a->request_id));
}
