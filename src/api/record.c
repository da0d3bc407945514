/* SPDX-License-Identifier: ISC */
/* The answers of operations on one record, from the columns of their rows:

     record_one       GET and simple DELETE: runs .st with project, or key, and UUID
     reply_found      200 with the record, the row's error for none, or the error of the database
     reply_created    201 with Location, which is the path of the request and the new UUID

   A record of another project is like none: each statement has the project in its WHERE clause, so
   the answer is 404 and reveals nothing. */
#include "config.h"

#include "base/char.h"
#include "api/api.h"

/* Adds the path of the route with the UUIDs of the request: /projects/{project_uuid}/x. */
static void
add_request_path(struct buf *b, const struct req *rq)
{
	size_t i = 0;

	for (const char *p = rq->route->path; *p != '\0'; p++) {
		if (*p != '{') {
			buf_char(b, *p);
			continue;
		}
		buf_z(b, uuid_text(&rq->path[i++]).z);
		p = strchr(p, '}');
	}
}

int
reply_created(struct req *rq, const struct uuid *uuid, const void *record)
{
	struct buf b = { .a = rq->arena };
	int result = reply(rq, 201, rq->route->wrapper, rq->route->out, record);

	add_request_path(&b, rq);
	buf_printf(&b, "/%s", uuid_text(uuid).z);
	buf_char(&b, '\0');
	rq->location = b.p;
	return result;
}

int
record_one(struct req *rq)
{
	const struct stmt *st = rq->route->st;
	void *record = arena_alloc(rq->arena, st->size);
	bool ours = rq->route->access == ACCESS_PROJECT;
	struct uuid of = ours ? rq->project : rq->key->uuid;
	enum db_rc rc = db_one_row(rq->db, st, record, DB_ARGS(P(of), P(rq->path[ours ? 1 : 0])));

	return reply_found(rq, rc, rq->route->errors[0], record);
}

int
reply_made(struct req *rq, enum db_rc rc, enum error missing, const char *collection,
    const struct uuid *uuid, const void *record)
{
	int result;

	if (rc != DB_OK)
		return rc == DB_NONE ? fail(rq, missing) : fail_db(rq, rc);
	result = reply(rq, 201, rq->route->wrapper, rq->route->out, record);
	rq->location = arena_printf(rq->arena, "%s/%s", collection, uuid_text(uuid).z).p;
	return result;
}

int
reply_found(struct req *rq, enum db_rc rc, enum error missing, const void *record)
{
	if (rc == DB_NONE)
		return fail(rq, missing);
	if (rc != DB_OK)
		return fail_db(rq, rc);
	return reply(rq, 200, rq->route->wrapper, rq->route->out, record);
}

bool
name_visible(struct str name)
{
	return name.n > 0 && str_visible(name);
}

bool
email_valid(struct str email)
{
	const char *at = memchr(email.p, '@', email.n);

	if (!str_graphic(email) || !name_visible(email) || at == NULL)
		return false;
	return at > email.p && at < email.p + email.n - 1 &&
	       memchr(at + 1, '@', (size_t)(email.p + email.n - at - 1)) == NULL;
}
