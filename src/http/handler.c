/* SPDX-License-Identifier: ISC */
/* The last stage: the handler. An operation that may change something runs in a transaction, which
   is committed only if the handler succeeded and the client still waits. After an error, or after
   the client has left, nothing has changed. The one exception is a connection to PostgreSQL that is
   lost during COMMIT: the client gets an error, and the outcome is unknown. */
#include "config.h"

#include "http/http_priv.h"
#include "http/stages_priv.h"

/* Searches with POST change nothing; exports do. */
static bool
may_change(const struct route *r)
{
	return r->method != METHOD_GET && (r->area != AREA_SEARCH || r->changes);
}

/* The audit names the key by its prefix: people know it, and it is no secret. A person is a member
   in an organisation, and themselves elsewhere. */
static struct str
audit_actor(struct req *rq)
{
	if (rq->key != NULL && key_is_console(rq->key))
		return arena_printf(rq->arena, "member:%s", uuid_text(&rq->key->owner).z);
	if (rq->sign_in != NULL)
		return arena_printf(rq->arena, "person:%s", uuid_text(&rq->sign_in->person_uuid).z);
	if (rq->key != NULL)
		return arena_printf(rq->arena, "key:%s", rq->key->prefix);
	return STR("public");
}

static enum db_rc
begin_transaction(struct req *rq)
{
	enum db_rc rc = db_begin(rq->db);

	return rc == DB_OK ? audit_as(rq->db, audit_actor(rq), str_of(rq->id),
				 env_get(rq, "REMOTE_ADDR"))
			   : rc;
}

static int
end_transaction(struct req *rq)
{
	enum db_rc rc;

	rq->deserted = rq->gone != NULL && rq->gone(rq->read_arg);
	if (rq->deserted)
		return fail(rq, ERR_SERVICE_UNAVAILABLE); /* for the log alone */
	rc = db_commit(rq->db);
	return rc == DB_OK ? PASS : fail_db(rq, rc);
}

int
handler_run(struct req *rq)
{
	enum db_rc rc;
	int result;

	if (!may_change(rq->route))
		return rq->route->handler(rq);
	rc = begin_transaction(rq);
	result = rc == DB_OK ? rq->route->handler(rq) : fail_db(rq, rc);
	if (result == PASS && rq->status < 400)
		result = end_transaction(rq);
	db_rollback(rq->db);
	if (rq->afterwards != NULL)
		rq->afterwards(rq);
	return result;
}
