/* SPDX-License-Identifier: ISC */
/* The handler, and around one that may change something its transaction: what it did stands when it
   answered well and somebody waits for the answer, else nothing of it does. */
#include "config.h"

#include "http/http_priv.h"

/* Searches by POST change nothing. */
static bool
may_change(const struct route *r)
{
	return r->method != METHOD_GET && r->area != AREA_SEARCH;
}

/* The audit names the key by what people see of it. */
static enum db_rc
begin(struct req *rq)
{
	struct str actor = rq->key == NULL
			       ? STR("public")
			       : arena_printf(rq->arena, "key:%s", rq->key->prefix);
	enum db_rc rc = db_begin(rq->db);

	return rc == DB_OK ? audit_as(rq->db, actor, str_of(rq->id)) : rc;
}

static int
end(struct req *rq)
{
	enum db_rc rc;

	rq->deserted = rq->gone != NULL && rq->gone(rq->read_arg);
	if (rq->deserted)
		return fail(rq, ERR_SERVICE_UNAVAILABLE); /* which nobody reads */
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
	rc = begin(rq);
	result = rc == DB_OK ? rq->route->handler(rq) : fail_db(rq, rc);
	if (result == PASS && rq->status < 400)
		result = end(rq);
	db_rollback(rq->db);
	return result;
}
