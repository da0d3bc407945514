/* SPDX-License-Identifier: ISC */
/* Operations of owners on members: invite, change, remove, and make another link (C-337). The rules
   are in sql/functions/people_access.sql: an organisation always has an owner, and links are made
   only for memberships that nobody has joined. */
#include "config.h"

#include "api/people/access.h"
#include "api/people/people.h"
#include "daemon/conf.h"

struct member_in {
	struct str email, name, role;
	bool all_projects;
	struct list projects; /* struct project_role */
};

static const struct field project_role_in[] = {
	FIELD(struct project_role, project_uuid, REQUIRED),
	ONE_OF(struct project_role, role, REQUIRED, project_roles, NULL),
	FIELD_END_OF("ProjectRoleIn"),
};

static const struct field member_in_fields[] = {
	TEXT(struct member_in, email, REQUIRED | TRIM, 1, LIM_EMAIL),
	TEXT(struct member_in, name, REQUIRED | TRIM, 1, LIM_NAME),
	ONE_OF(struct member_in, role, REQUIRED, account_roles, NULL),
	SWITCH(struct member_in, all_projects, 0, true),
	LIST(struct member_in, projects, DISTINCT, struct project_role, project_role_in, 0,
	    LIM_MEMBER_PROJECTS),
	FIELD_END,
};

static int
check_member_body(struct req *rq, void *body, struct body_faults *faults)
{
	const struct member_in *in = body;

	(void)rq;
	if (in->email.p != NULL && !email_valid(in->email))
		body_fault(faults, "email", "invalid_format", "must be an e-mail address");
	check_name(in->name, faults);
	return PASS;
}

/* Projects and roles as two parallel arrays for the statement. */
struct grants {
	struct strs projects, roles;
};

static struct grants
grants_of(struct arena *a, const struct list *list)
{
	const struct project_role *row = list->items;
	struct str *projects = ARENA_ARRAY(a, list->n + 1, struct str);
	struct str *roles = ARENA_ARRAY(a, list->n + 1, struct str);

	for (size_t i = 0; i < list->n; i++) {
		projects[i] = arena_uuid(a, &row[i].project_uuid);
		roles[i] = row[i].role;
	}
	return (struct grants){ { projects, list->n }, { roles, list->n } };
}

struct member_change {
	struct str outcome;
	struct uuid uuid;
	struct ts expires_at;
};

static const struct field member_change_out[] = {
	FIELD(struct member_change, outcome, 0),
	FIELD(struct member_change, uuid, NULLABLE),
	FIELD(struct member_change, expires_at, NULLABLE),
	FIELD_END,
};

STMT(invite_member, member_change_out,
    "SELECT outcome, uuid, expires_at FROM member_invite($1, $2, $3, $4, $5,"
    " $6::text[]::uuid[], $7::text[], $8, $9)");
STMT(relink_member, member_change_out,
    "SELECT outcome, NULL::uuid AS uuid, expires_at FROM member_relink($1, $2, $3, $4)");
STMT(set_member, member_change_out,
    "SELECT member_set($1, $2, $3, $4, $5, $6, $7::text[]::uuid[], $8::text[]) AS outcome,"
    " NULL::uuid AS uuid, NULL::timestamptz AS expires_at");
STMT(drop_member, member_change_out,
    "SELECT member_drop($1, $2) AS outcome, NULL::uuid AS uuid,"
    " NULL::timestamptz AS expires_at");

static int
fail_outcome(struct req *rq, struct str outcome)
{
	if (str_is(outcome, "not_found"))
		return fail(rq, ERR_MEMBER_NOT_FOUND);
	if (str_is(outcome, "member_exists"))
		return fail(rq, ERR_MEMBER_EXISTS);
	if (str_is(outcome, "last_owner"))
		return fail(rq, ERR_LAST_OWNER);
	if (str_is(outcome, "joined"))
		return fail(rq, ERR_MEMBER_JOINED);
	if (str_is(outcome, "own_name"))
		return fail_field(rq, "name", "not_allowed",
		    "is the name that the person has chosen; they change it in their settings");
	if (str_is(outcome, "own_email"))
		return fail_field(rq, "email", "not_allowed",
		    "is the address that the person has chosen; they change it in their settings");
	if (str_is(outcome, "project"))
		return fail_field(
		    rq, "projects", "unsupported", "has a project of another organisation");
	panic("outcome %.*s", (int)outcome.n, outcome.p);
}

/* Fails with the error for the outcome of the statement, unless that is "ok". */
static int
end_change(struct req *rq, enum db_rc rc, const struct member_change *done)
{
	if (rc != DB_OK)
		return fail_db(rq, rc);
	return str_is(done->outcome, "ok") ? PASS : fail_outcome(rq, done->outcome);
}

/* ---- answers ---- */

struct invitation {
	struct str url, token;
	struct ts expires_at;
};

static const struct field invitation_out[] = {
	FIELD(struct invitation, url, NULLABLE),
	{ .name = "token",
	    .type = FIELD_STR,
	    .flags = OMIT_UNSET,
	    .offset = offsetof(struct invitation, token),
	    .help = "Instead of url, when public_url is not configured." },
	FIELD(struct invitation, expires_at, 0),
	FIELD_END_OF("Invitation"),
};

struct invited {
	struct access_member member;
	struct invitation link;
};

static const struct field invited_out[] = {
	OBJECT(struct invited, member, 0, access_member_out),
	OBJECT(struct invited, link, 0, invitation_out),
	FIELD_END_OF("InvitedMember"),
};

static struct invitation
invitation_of(struct req *rq, const struct token *t, struct ts expires_at)
{
	struct invitation link = { .expires_at = expires_at };

	if (conf.public_url[0] == '\0')
		link.token = arena_str(rq->arena, str_of(t->text));
	else
		link.url =
		    arena_printf(rq->arena, "%s/console/#/link/%s", conf.public_url, t->text);
	return link;
}

static int
reply_invited(
    struct req *rq, const struct uuid *member, const struct token *t, struct ts expires_at)
{
	struct invited answer = { .link = invitation_of(rq, t, expires_at) };
	enum db_rc rc = access_member_read(rq, member, &answer.member);

	return reply_made(rq, rc, ERR_MEMBER_NOT_FOUND, "/access/members", member, &answer);
}

/* ---- operations ---- */

static int
invite_access_member(struct req *rq)
{
	const struct member_in *in = rq->in;
	struct grants g = grants_of(rq->arena, &in->projects);
	struct member_change done = { .expires_at = TS_NULL };
	struct token t;
	enum db_rc rc;

	token_make(&t);
	rc = db_one(rq->db, &invite_member, &done, P(rq->key->uuid), P(in->email), P(in->name),
	    P(in->role), P(in->all_projects), P(g.projects), P(g.roles),
	    P(((struct bytes){ t.hash, sizeof(t.hash) })), P(conf.sign_in_link_life));
	if (end_change(rq, rc, &done) != PASS)
		return FAILED;
	return reply_invited(rq, &done.uuid, &t, done.expires_at);
}

static int
link_access_member(struct req *rq)
{
	struct member_change done = { .expires_at = TS_NULL };
	struct token t;
	enum db_rc rc;

	token_make(&t);
	rc = db_one(rq->db, &relink_member, &done, P(rq->key->uuid), P(rq->path[0]),
	    P(((struct bytes){ t.hash, sizeof(t.hash) })), P(conf.sign_in_link_life));
	if (end_change(rq, rc, &done) != PASS)
		return FAILED;
	return reply_invited(rq, &rq->path[0], &t, done.expires_at);
}

static int
put_access_member(struct req *rq)
{
	const struct member_in *in = rq->in;
	struct grants g = grants_of(rq->arena, &in->projects);
	struct member_change done = { .expires_at = TS_NULL };
	struct access_member m;
	enum db_rc rc = db_one(rq->db, &set_member, &done, P(rq->key->uuid), P(rq->path[0]),
	    P(in->email), P(in->name), P(in->role), P(in->all_projects), P(g.projects), P(g.roles));

	if (end_change(rq, rc, &done) != PASS)
		return FAILED;
	rc = access_member_read(rq, &rq->path[0], &m);
	return reply_found(rq, rc, ERR_MEMBER_NOT_FOUND, &m);
}

struct removed_member {
	struct uuid uuid;
};

static const struct field removed_member_out[] = {
	FIELD(struct removed_member, uuid, 0),
	FIELD_END_OF("RemovedMember"),
};

static int
remove_access_member(struct req *rq)
{
	struct member_change done = { .expires_at = TS_NULL };
	struct removed_member gone = { rq->path[0] };
	enum db_rc rc = db_one(rq->db, &drop_member, &done, P(rq->key->uuid), P(rq->path[0]));

	if (end_change(rq, rc, &done) != PASS)
		return FAILED;
	return reply(rq, 200, rq->route->wrapper, removed_member_out, &gone);
}

static const enum error invite_errors[] = { ERR_MEMBER_EXISTS, ERR_UNSET };
static const enum error relink_errors[] = { ERR_MEMBER_NOT_FOUND, ERR_MEMBER_JOINED, ERR_UNSET };
static const enum error put_errors[] = { ERR_MEMBER_NOT_FOUND, ERR_MEMBER_EXISTS, ERR_LAST_OWNER,
	ERR_UNSET };
static const enum error remove_errors[] = { ERR_MEMBER_NOT_FOUND, ERR_LAST_OWNER, ERR_UNSET };

#define MEMBER_EXAMPLE                                                                             \
	JSON({                                                                                     \
		"email" : "bob@example.com",                                                       \
		"name" : "Bob",                                                                    \
		"role" : "member",                                                                 \
		"all_projects" : true,                                                             \
		"projects" : []                                                                    \
	})

static const struct route member_routes[] = {
	{
	    ROUTE(POST, "/access/members", invite_access_member),
	    COLUMNS_OF_OWNER,
	    BODY_CHECKED(struct member_in, member_in_fields, BODY_CONFIGURED, check_member_body),
	    .status = 201,
	    .out = invited_out,
	    .result = "The member, and the link to send.",
	    .errors = invite_errors,
	    .summary = "Invite a member",
	    .description = "Only this answer has the one-time link by which the person joins.",
	    .example = MEMBER_EXAMPLE,
	},
	{
	    ROUTE(PUT, "/access/members/{member_uuid}", put_access_member),
	    COLUMNS_OF_OWNER,
	    BODY_CHECKED(struct member_in, member_in_fields, BODY_CONFIGURED, check_member_body),
	    .out = access_member_out,
	    .wrapper = "member",
	    .errors = put_errors,
	    .summary = "Change a member",
	    .description =
		"The name, the e-mail, the role, and the projects with their roles can be "
		"changed. The last owner must stay an owner.",
	    .example = MEMBER_EXAMPLE,
	},
	{
	    ROUTE(DELETE, "/access/members/{member_uuid}", remove_access_member),
	    COLUMNS_OF_OWNER,
	    .out = removed_member_out,
	    .wrapper = "member",
	    .errors = remove_errors,
	    .summary = "Remove a member",
	    .description =
		"The keys of the member, and their access to the organisation, end at once; "
		"records keep the name. The last owner cannot be removed.",
	},
	{
	    ROUTE(POST, "/access/members/{member_uuid}/link", link_access_member),
	    COLUMNS_OF_OWNER,
	    .status = 201,
	    .out = invited_out,
	    .result = "The member, and the link to send.",
	    .errors = relink_errors,
	    .summary = "Make another link for a member",
	    .description = "The previous link stops working. Only for members who have not joined.",
	},
	ROUTE_END,
};

ROUTES(310, member);
