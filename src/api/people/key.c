/* SPDX-License-Identifier: ISC */
/* Operations on API keys: owners create, change, rotate and revoke keys, and members revoke their
   own (C-338, C-339). The secret of a key is in one answer only; PostgreSQL stores its hash. The
   rules are in sql/functions/people_access.sql. */
#include "config.h"

#include "api/people/access.h"
#include "api/people/people.h"

struct key_in {
	struct uuid member_uuid;
	struct str name;
	struct list scopes;   /* struct str */
	struct list projects; /* struct uuid; empty: all projects that the holder sees */
	struct ts expires_at;
};

#define KEY_MEMBERS                                                                                \
	TEXT(struct key_in, name, REQUIRED | TRIM, 1, LIM_NAME),                                   \
	    LIST_OF(struct key_in, scopes, REQUIRED | DISTINCT, struct str, 1, 64),                \
	    LIST_OF(                                                                               \
		struct key_in, projects, NULLABLE | DISTINCT, struct uuid, 1, LIM_KEY_PROJECTS),   \
	    FIELD(struct key_in, expires_at, NULLABLE), FIELD_END

static const struct field new_key_in[] = {
	FIELD(struct key_in, member_uuid, NULLABLE),
	KEY_MEMBERS,
};

static const struct field key_in_fields[] = { KEY_MEMBERS };

static int
check_key(struct req *rq, void *body, struct body_faults *faults)
{
	const struct key_in *in = body;

	check_name(in->name, faults);
	if (!ts_is_null(in->expires_at) && ts_cmp(in->expires_at, rq->now) <= 0)
		body_fault(faults, "expires_at", "out_of_range", "must be in the future");
	return PASS;
}

struct key_change {
	struct str outcome;
	struct uuid uuid;
};

static const struct field key_change_out[] = {
	FIELD(struct key_change, outcome, 0),
	FIELD(struct key_change, uuid, NULLABLE),
	FIELD_END,
};

STMT(add_key, key_change_out,
    "SELECT outcome, uuid FROM key_add($1, $2, $3, $4::text[],"
    " nullif($5::text[], '{}')::uuid[], $6, $7, $8)");
STMT(set_key, key_change_out,
    "SELECT key_set($1, $2, $3, $4::text[], nullif($5::text[], '{}')::uuid[], $6) AS outcome,"
    " NULL::uuid AS uuid");
STMT(rotate_access_key_row, key_change_out,
    "SELECT outcome, uuid FROM key_rotate($1, $2, $3, $4, $5)");
STMT(revoke_key_row, key_change_out, "SELECT key_revoke($1, $2) AS outcome, NULL::uuid AS uuid");

static int
end_key_change(struct req *rq, enum db_rc rc, const struct key_change *done)
{
	if (rc != DB_OK)
		return fail_db(rq, rc);
	if (str_is(done->outcome, "ok"))
		return PASS;
	if (str_is(done->outcome, "not_found"))
		return fail(rq, ERR_KEY_NOT_FOUND);
	if (str_is(done->outcome, "revoked"))
		return fail(rq, ERR_KEY_REVOKED);
	if (str_is(done->outcome, "scope"))
		return fail_field(rq, "scopes", "unsupported",
		    "has a scope that the organisation does not allow");
	if (str_is(done->outcome, "project"))
		return fail_field(
		    rq, "projects", "unsupported", "has a project of another organisation");
	if (str_is(done->outcome, "member"))
		return fail_field(
		    rq, "member_uuid", "unsupported", "is not a member of the organisation");
	panic("outcome %.*s", (int)done->outcome.n, done->outcome.p);
}

/* ---- answers ---- */

struct made_key {
	struct access_key key;
	struct str secret;
};

static const struct field made_key_out[] = {
	OBJECT(struct made_key, key, 0, access_key_out),
	{ .name = "secret",
	    .type = FIELD_STR,
	    .offset = offsetof(struct made_key, secret),
	    .lo = KEY_SECRET_LEN,
	    .hi = KEY_SECRET_LEN,
	    .help = "The complete key for the header X-API-Key. It is shown only once." },
	FIELD_END_OF("NewKey"),
};

static int
reply_made_key(struct req *rq, const struct uuid *uuid, const char *secret)
{
	struct made_key answer = { .secret = str_of(secret) };
	enum db_rc rc = access_key_read(rq, uuid, &answer.key);

	return reply_made(rq, rc, ERR_KEY_NOT_FOUND, "/access/keys", uuid, &answer);
}

static int
reply_key(struct req *rq)
{
	struct access_key k;
	enum db_rc rc = access_key_read(rq, &rq->path[0], &k);

	return reply_found(rq, rc, ERR_KEY_NOT_FOUND, &k);
}

/* ---- operations ---- */

static int
create_access_key(struct req *rq)
{
	const struct key_in *in = rq->in;
	char secret[KEY_SECRET_LEN + 1], prefix[KEY_PREFIX_LEN + 1];
	unsigned char hash[KEY_HASH_LEN];
	struct key_change done = { { NULL, 0 } };
	enum db_rc rc;

	key_make(secret, prefix, hash);
	rc = db_one(rq->db, &add_key, &done, P(rq->key->uuid), P(in->member_uuid), P(in->name),
	    P(((struct strs){ in->scopes.items, in->scopes.n })),
	    P(db_uuid_texts(rq->arena, &in->projects)), P(in->expires_at), P(str_of(prefix)),
	    P(((struct bytes){ hash, sizeof(hash) })));
	if (end_key_change(rq, rc, &done) != PASS)
		return FAILED;
	return reply_made_key(rq, &done.uuid, secret);
}

static int
put_access_key(struct req *rq)
{
	const struct key_in *in = rq->in;
	struct key_change done = { { NULL, 0 } };
	enum db_rc rc = db_one(rq->db, &set_key, &done, P(rq->key->uuid), P(rq->path[0]),
	    P(in->name), P(((struct strs){ in->scopes.items, in->scopes.n })),
	    P(db_uuid_texts(rq->arena, &in->projects)), P(in->expires_at));

	return end_key_change(rq, rc, &done) == PASS ? reply_key(rq) : FAILED;
}

struct rotate_in {
	struct ts old_expires_at;
};

static const struct field rotate_in_fields[] = {
	FIELD(struct rotate_in, old_expires_at, NULLABLE),
	FIELD_END,
};

static int
check_rotation(struct req *rq, void *body, struct body_faults *faults)
{
	const struct rotate_in *in = body;
	int64_t ahead = in->old_expires_at.us - rq->now.us;

	if (ts_is_null(in->old_expires_at))
		return PASS;
	if (ahead <= 0 || ahead > LIM_ROTATION_DAYS * 86400 * SECOND_US)
		body_fault(faults, "old_expires_at", "out_of_range",
		    "must be at most 30 days in the future");
	return PASS;
}

static int
rotate_access_key(struct req *rq)
{
	const struct rotate_in *in = rq->in;
	char secret[KEY_SECRET_LEN + 1], prefix[KEY_PREFIX_LEN + 1];
	unsigned char hash[KEY_HASH_LEN];
	struct key_change done = { { NULL, 0 } };
	enum db_rc rc;

	key_make(secret, prefix, hash);
	rc = db_one(rq->db, &rotate_access_key_row, &done, P(rq->key->uuid), P(rq->path[0]),
	    P(in->old_expires_at), P(str_of(prefix)), P(((struct bytes){ hash, sizeof(hash) })));
	if (end_key_change(rq, rc, &done) != PASS)
		return FAILED;
	return reply_made_key(rq, &done.uuid, secret);
}

static int
revoke_access_key(struct req *rq)
{
	struct key_change done = { { NULL, 0 } };
	enum db_rc rc = db_one(rq->db, &revoke_key_row, &done, P(rq->key->uuid), P(rq->path[0]));

	return end_key_change(rq, rc, &done) == PASS ? reply_key(rq) : FAILED;
}

static const enum error change_errors[] = { ERR_KEY_NOT_FOUND, ERR_KEY_REVOKED, ERR_UNSET };
static const enum error revoke_errors[] = { ERR_KEY_NOT_FOUND, ERR_UNSET };

static const struct route key_routes[] = {
	{
	    ROUTE(POST, "/access/keys", create_access_key),
	    COLUMNS_OF_OWNER,
	    BODY_CHECKED(struct key_in, new_key_in, BODY_CONFIGURED, check_key),
	    .status = 201,
	    .out = made_key_out,
	    .result = "The key, and its secret.",
	    .summary = "Create an API key",
	    .description =
		"The holder is member_uuid, or else the person who asks; the key sees no more "
		"than its holder. The secret is in this answer only.",
	    .example = JSON({ "name" : "ci-scanner", "scopes" : ["search.view"] }),
	},
	{
	    ROUTE(PUT, "/access/keys/{key_uuid}", put_access_key),
	    COLUMNS_OF_OWNER,
	    BODY_CHECKED(struct key_in, key_in_fields, BODY_CONFIGURED, check_key),
	    .out = access_key_out,
	    .wrapper = "key",
	    .errors = change_errors,
	    .summary = "Change an API key",
	    .description =
		"The name, scopes, projects and expiry can be changed; the holder, the prefix "
		"and the secret never change.",
	    .example = JSON({ "name" : "ci-scanner", "scopes" : ["search.view"] }),
	},
	{
	    ROUTE(POST, "/access/keys/{key_uuid}/rotate", rotate_access_key),
	    COLUMNS_OF_OWNER,
	    BODY_CHECKED(struct rotate_in, rotate_in_fields, BODY_CONFIGURED, check_rotation),
	    .status = 201,
	    .out = made_key_out,
	    .result = "The new key, and its secret.",
	    .errors = change_errors,
	    .summary = "Rotate an API key",
	    .description =
		"Creates a key with the same rights; the old one ends at old_expires_at, or "
		"now.",
	    .example = JSON({}),
	},
	{
	    ROUTE(DELETE, "/access/keys/{key_uuid}", revoke_access_key),
	    .scope = SCOPE_MEMBER,
	    COLUMNS_OF_MEMBER,
	    .out = access_key_out,
	    .wrapper = "key",
	    .errors = revoke_errors,
	    .summary = "Revoke an API key",
	    .description =
		"The key stops working at once and for ever. An owner can revoke any key, "
		"another member their own. No recent sign-in is needed, so that a leaked key "
		"can be stopped quickly.",
	},
	ROUTE_END,
};

ROUTES(311, key);
