/* SPDX-License-Identifier: ISC */
/* Writes lines about data that a key has read. A function of the database writes them, outside a
   transaction of the caller, and skips repetitions within an hour. */
#include "config.h"

#include "access/audit.h"
#include "db/db.h"

struct noted {
	bool written;
};

static const struct field noted_out[] = {
	FIELD(struct noted, written, 0),
	FIELD_END,
};

STMT(note_hourly, noted_out, "SELECT audit_note_hourly($1, $2, $3, $4, $5, $6, $7) AS written");

enum db_rc
audit_note_hourly(struct db *db, struct uuid key, const struct audit *a)
{
	struct noted n;

	return db_one(db, &note_hourly, &n, P(key), P(a->action), P(a->subject), P(a->subject_id),
	    P(a->project), P(a->request_id), P(a->address));
}
