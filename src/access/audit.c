/* SPDX-License-Identifier: ISC */
/* Lines of the audit log: from C with audit_write, and from triggers on behalf of audit_as. */
#include "config.h"

#include "access/audit.h"
#include "db/db.h"

STMT(insert_audit, NULL,
    "INSERT INTO audit (actor, action, subject, subject_id, account_uuid, before, after, "
    "request_id)"
    " VALUES ($1, $2, $3, $4, $5, $6, $7, $8)");

enum db_rc
audit_write(struct db *db, const struct audit *a)
{
	return db_do(db, &insert_audit, NULL, P(a->actor), P(a->action), P(a->subject),
	    P(a->subject_id), P(a->account), P(a->before.text), P(a->after.text), P(a->request_id));
}

struct settings {
	struct str actor, request_id, address;
};

static const struct field settings_out[] = {
	FIELD(struct settings, actor, 0),
	FIELD(struct settings, request_id, 0),
	FIELD(struct settings, address, 0),
	FIELD_END,
};

STMT(set_actor, settings_out,
    "SELECT set_config('surfaced.actor', $1, true) AS actor,"
    " set_config('surfaced.request_id', $2, true) AS request_id,"
    " set_config('surfaced.address', $3, true) AS address");

enum db_rc
audit_as(struct db *db, struct str actor, struct str request_id, struct str address)
{
	struct settings now;

	return db_one(db, &set_actor, &now, P(actor), P(request_id), P(address));
}
