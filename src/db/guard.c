/* SPDX-License-Identifier: ISC */
/* Spacing of calls to a database that fails: without it an event loop would wait for the time-out
   of a call in every turn. */
#include "config.h"

#include "db/db_priv.h"
#include "db/guard.h"

void
db_guard(struct db *db, struct arena *a, int64_t call_us, int64_t rest_us)
{
	db_use(db, a, 0);
	db->call_us = call_us;
	db->rest_us = rest_us;
}

void
db_allow_call(struct db *db)
{
	db->deadline = mono_us() + db->call_us;
}

bool
db_up(struct db *db)
{
	if (mono_us() < db->down_until)
		return false;
	db_allow_call(db);
	return true;
}

bool
db_ok(struct db *db, enum db_rc rc, const char *what)
{
	if (rc == DB_OK || rc == DB_NONE)
		return rc == DB_OK;
	if (rc != DB_CONFLICT)
		db->down_until = mono_us() + db->rest_us;
	log_event(LOGP_WARNING, "database", "what=%s why=\"%s\"", what, db_message(db));
	return false;
}
