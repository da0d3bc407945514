/* SPDX-License-Identifier: ISC */
/* Operations by which a key or a person reads who has access (C-209 to C-211): the key itself, the
   members and keys of the organisation, and those that reach a project. The functions of
   functions/access.sql contain the rules for a key that is limited to projects: it sees only
   members and keys that reach one of its projects, and of these members and keys only its own
   projects. */
#include "config.h"

#include "api/people/access.h"
#include "wire/values.h"

/* ---- the key itself ---- */

struct own_key {
	struct uuid uuid;
	struct str name, key_prefix;
	struct ts created_at, expires_at;
};

struct own_owner {
	struct uuid uuid;
	struct str name, role;
};

struct own_account {
	struct uuid uuid;
	struct str name, state;
};

struct own_entitlement {
	struct str name;
	struct ts expires_at;
};

struct own_projects {
	bool restricted;
	int64_t count;
};

struct own_access {
	struct own_key api_key;
	struct own_owner owner;
	struct own_account account;
	struct list scopes, withheld, entitlements;
	struct own_projects projects;
};

const char *const account_roles[] = { "owner", "member", NULL };
static const char *const account_states[] = { "active", "suspended", NULL };

static const struct field own_key_out[] = {
	FIELD(struct own_key, uuid, 0),
	FIELD(struct own_key, name, 0),
	FIELD(struct own_key, key_prefix, 0),
	FIELD(struct own_key, created_at, 0),
	FIELD(struct own_key, expires_at, NULLABLE),
	FIELD_END_OF("OwnKey"),
};

static const struct field own_owner_out[] = {
	FIELD(struct own_owner, uuid, 0),
	FIELD(struct own_owner, name, 0),
	ONE_OF(struct own_owner, role, 0, account_roles, "In the organisation."),
	FIELD_END_OF("KeyOwner"),
};

static const struct field own_account_out[] = {
	FIELD(struct own_account, uuid, 0),
	FIELD(struct own_account, name, 0),
	ONE_OF(struct own_account, state, 0, account_states, NULL),
	FIELD_END_OF("OwnAccount"),
};

static const struct field own_entitlement_out[] = {
	FIELD(struct own_entitlement, name, 0),
	FIELD(struct own_entitlement, expires_at, NULLABLE),
	FIELD_END_OF("Entitlement"),
};

static const struct field own_projects_out[] = {
	FIELD(struct own_projects, restricted, 0),
	FIELD(struct own_projects, count, 0),
	FIELD_END_OF("ProjectReach"),
};

#define OWN_BEFORE_ENTITLEMENTS                                                                    \
	OBJECT(struct own_access, api_key, 0, own_key_out),                                        \
	    OBJECT(struct own_access, owner, 0, own_owner_out),                                    \
	    OBJECT(struct own_access, account, 0, own_account_out),                                \
	    { .name = "scopes",                                                                    \
		    .type = FIELD_LIST,                                                            \
		    .offset = offsetof(struct own_access, scopes),                                 \
		    .size = sizeof(struct str),                                                    \
		    .item = FIELD_STR,                                                             \
		    .help = "The scopes that the key has and its organisation allows now." },      \
	{                                                                                          \
		.name = "withheld", .type = FIELD_LIST,                                            \
		.offset = offsetof(struct own_access, withheld), .size = sizeof(struct str),       \
		.item = FIELD_STR,                                                                 \
		.help = "Scopes that the key has but its organisation does not allow now."         \
	}

static const struct field own_columns[] = {
	OWN_BEFORE_ENTITLEMENTS,
	OBJECT(struct own_access, projects, 0, own_projects_out),
	FIELD_END,
};

static const struct field own_access_out[] = {
	OWN_BEFORE_ENTITLEMENTS,
	LIST(struct own_access, entitlements, 0, struct own_entitlement, own_entitlement_out, 0,
	    ENTITLEMENT_COUNT),
	OBJECT(struct own_access, projects, 0, own_projects_out),
	FIELD_END_OF("OwnAccess"),
};

STMT(select_own_access, own_columns,
    "SELECT k.uuid, k.name, k.prefix, k.created_at, k.expires_at, m.uuid, m.name, m.role, a.uuid,"
    " a.name, a.state, " KEY_SCOPES "::text[] AS scopes,"
    " ARRAY(SELECT s FROM unnest(k.scopes::text[]) AS s EXCEPT SELECT c.scope::text FROM "
    "account_scope c"
    "  WHERE c.account_uuid = k.account_uuid ORDER BY 1) AS withheld,"
    " key_is_limited(k.uuid), (SELECT count(*) FROM visible_projects(k.uuid))"
    " FROM api_key k JOIN member m ON m.uuid = k.owner_uuid JOIN account a ON a.uuid = "
    "k.account_uuid"
    " WHERE k.uuid = $1");

STMT_LIST(list_own_entitlements, struct own_entitlement, own_entitlement_out,
    "SELECT name, expires_at FROM entitlement WHERE account_uuid = $1"
    " AND (expires_at IS NULL OR expires_at > now()) ORDER BY name");

static int
get_own_access(struct req *rq)
{
	struct own_access own = { .scopes = { NULL, 0 } };
	enum db_rc rc = db_one(rq->db, &select_own_access, &own, P(rq->key->uuid));

	if (rc == DB_OK)
		rc =
		    db_list(rq->db, &list_own_entitlements, &own.entitlements, P(rq->key->account));
	return reply_found(rq, rc, ERR_UNAUTHORIZED, &own);
}

/* ---- members ---- */

const char *const project_roles[] = { "viewer", "manager", NULL };

static const struct field project_role_out[] = {
	FIELD(struct project_role, project_uuid, 0),
	ONE_OF(struct project_role, role, 0, project_roles, "In this project."),
	FIELD_END_OF("ProjectRole"),
};

const struct field access_member_out[] = {
	FIELD(struct access_member, uuid, 0),
	FIELD(struct access_member, name, 0),
	ONE_OF(struct access_member, role, 0, account_roles, "In the organisation."),
	FIELD(struct access_member, all_projects, 0),
	{ .name = "projects",
	    .type = FIELD_RAW,
	    .offset = offsetof(struct access_member, projects),
	    .item = FIELD_LIST,
	    .sub = project_role_out,
	    .hi = LIM_MEMBER_PROJECTS,
	    .help = "Roles in single projects." },
	FIELD(struct access_member, created_at, 0),
	FIELD(struct access_member, removed_at, NULLABLE),
	{ .name = "email",
	    .type = FIELD_RAW,
	    .flags = OMIT_UNSET,
	    .offset = offsetof(struct access_member, email),
	    .help = "Only people get it: owners that of every member, other people their own; "
		    "otherwise null." },
	OPTIONAL(struct access_member, joined, FIELD_BOOL, OMIT_UNSET, 0, 0),
	FIELD_END_OF("AccessMember"),
};

#define SELECT_MEMBERS                                                                             \
	"SELECT uuid, name, role, all_projects, projects, created_at, removed_at, email, joined"   \
	" FROM access_members($1)"

STMT_LIST(list_access_members, struct access_member, access_member_out,
    SELECT_MEMBERS " WHERE ($5::text IS NULL OR role = $5)"
		   " AND ($6::text IS NULL OR (removed_at IS NOT NULL) = ($6 = 'true'))"
		   " AND ($7::text IS NULL OR joined::text = $7)" PAGE_SQL);

STMT_LIST(select_access_member, struct access_member, access_member_out,
    SELECT_MEMBERS " WHERE uuid = $2");

struct access_member_args {
	struct page_args page;
	struct str role, removed, joined;
};

static const struct url_param access_member_params[] = {
	PAGE_PARAMS(struct access_member_args, page),
	FILTER(FIELD_STR, struct access_member_args, role, .values = account_roles),
	FILTER(FIELD_STR, struct access_member_args, removed, .values = truths),
	FILTER(FIELD_STR, struct access_member_args, joined, .values = truths,
	    .help = "Only for people: members who have joined, or those who have not."),
	URL_PARAM_END,
};

/* ---- keys ---- */

static const char *const key_states[] = { "active", "expired", "revoked", NULL };

const struct field access_key_out[] = {
	FIELD(struct access_key, uuid, 0),
	FIELD(struct access_key, name, 0),
	FIELD(struct access_key, key_prefix, 0),
	ONE_OF(
	    struct access_key, state, 0, key_states, "revoked: also when its owner was removed."),
	FIELD(struct access_key, owner_uuid, 0),
	FIELD(struct access_key, owner_name, 0),
	LIST_OF(struct access_key, scopes, 0, struct str, 0, 64),
	LIST_OF(struct access_key, effective_scopes, 0, struct str, 0, 64),
	LIST_OF(struct access_key, projects, NULLABLE, struct uuid, 0, LIM_KEY_PROJECTS),
	FIELD(struct access_key, created_at, 0),
	FIELD(struct access_key, expires_at, NULLABLE),
	FIELD(struct access_key, revoked_at, NULLABLE),
	FIELD(struct access_key, last_used_on, NULLABLE),
	FIELD_END_OF("AccessKey"),
};

#define SELECT_KEYS                                                                                \
	"SELECT uuid, name, key_prefix, state, owner_uuid, owner_name, scopes, effective_scopes,"  \
	" projects, created_at, expires_at, revoked_at,"                                           \
	" (SELECT max(day)::text FROM usage_daily WHERE key_uuid = uuid AND requests > 0)"         \
	" AS last_used_on FROM access_keys($1)"

STMT_LIST(list_access_keys, struct access_key, access_key_out,
    SELECT_KEYS " WHERE ($5::uuid IS NULL OR owner_uuid = $5) AND ($6::text IS NULL OR state = $6)"
		" AND ($7::text IS NULL OR $7 = ANY (scopes))" PAGE_SQL);

STMT_LIST(select_access_key, struct access_key, access_key_out, SELECT_KEYS " WHERE uuid = $2");

struct access_key_args {
	struct page_args page;
	struct uuid owner_uuid;
	struct str state, scope;
};

static const struct url_param access_key_params[] = {
	PAGE_PARAMS(struct access_key_args, page),
	FILTER(FIELD_UUID, struct access_key_args, owner_uuid),
	FILTER(FIELD_STR, struct access_key_args, state, .values = key_states),
	FILTER(FIELD_STR, struct access_key_args, scope, .lo = 1, .hi = LIM_NAME,
	    .help = "Only keys with this scope."),
	URL_PARAM_END,
};

enum db_rc
access_member_read(struct req *rq, const struct uuid *member, struct access_member *out)
{
	return db_one(rq->db, &select_access_member, out, P(rq->key->uuid), P(*member));
}

enum db_rc
access_key_read(struct req *rq, const struct uuid *key, struct access_key *out)
{
	return db_one(rq->db, &select_access_key, out, P(rq->key->uuid), P(*key));
}

/* ---- who reaches a project ---- */

struct reach {
	struct str kind, name, via, role, key_prefix;
	struct uuid uuid, owner_uuid;
	struct ts created_at;
};

static const char *const reach_kinds[] = { "member", "key", NULL };
static const char *const reach_ways[] = { "owner", "all_projects", "grant", NULL };

static const struct field reach_out[] = {
	ONE_OF(struct reach, kind, 0, reach_kinds, NULL),
	FIELD(struct reach, uuid, 0),
	FIELD(struct reach, name, 0),
	ONE_OF(struct reach, via, 0, reach_ways,
	    "For a key: that of its owner, or grant when the key is limited to projects."),
	{ .name = "role",
	    .type = FIELD_STR,
	    .flags = NULLABLE,
	    .offset = offsetof(struct reach, role),
	    .help = "In this project, of a member: owner, manager or viewer." },
	FIELD(struct reach, key_prefix, NULLABLE),
	FIELD(struct reach, owner_uuid, NULLABLE),
	FIELD(struct reach, created_at, 0),
	FIELD_END_OF("ProjectAccess"),
};

STMT_LIST(list_reach, struct reach, reach_out,
    "SELECT kind, uuid, name, via, role, key_prefix, owner_uuid, created_at"
    " FROM project_access($1, $7) WHERE ($5::text IS NULL OR kind = $5)"
    " AND ($6::text IS NULL OR via = $6)" PAGE_SQL);

struct reach_args {
	struct page_args page;
	struct str kind, via;
};

static const struct url_param reach_params[] = {
	PAGE_PARAMS(struct reach_args, page),
	FILTER(FIELD_STR, struct reach_args, kind, .values = reach_kinds),
	FILTER(FIELD_STR, struct reach_args, via, .values = reach_ways),
	URL_PARAM_END,
};

/* Like page_list, but also passes the key that reads. */
static int
list_project_access(struct req *rq)
{
	const struct reach_args *args = rq->params;
	struct page_from from;
	struct list rows;
	enum db_rc rc;

	if (page_begin(rq, &args->page, &from) != PASS)
		return FAILED;
	rc = db_list(rq->db, &list_reach, &rows, P(rq->project), PAGE_P(from), P(args->kind),
	    P(args->via), P(rq->key->uuid));
	if (rc != DB_OK)
		return fail_db(rq, rc);
	return page_reply(rq, &args->page, rows, list_reach.size);
}

static const enum error access_member_errors[] = { ERR_MEMBER_NOT_FOUND, ERR_UNSET };
static const enum error access_key_errors[] = { ERR_KEY_NOT_FOUND, ERR_UNSET };

#define ACCESS_ROW(fields) COLUMNS_OF_ACCESS(SCOPE_ACCESS_VIEW, ACCESS_ACCOUNT), .out = (fields)

static const struct route access_routes[] = {
	{
	    ROUTE(GET, "/access/self", get_own_access),
	    COLUMNS_OF_ANY_KEY,
	    .out = own_access_out,
	    .wrapper = "access",
	    .tag = "Access",
	    .summary = "Get what the API key may do",
	    .description =
		"The key, its owner, its organisation, its scopes, and how many projects it sees. "
		"Subject to the rate limit; consumes no quota.",
	},
	{
	    ROUTE_AS(GET, "/access/members", "list_access_members", page_list),
	    ACCESS_ROW(access_member_out),
	    .st = &list_access_members,
	    PARAMS(struct access_member_args, access_member_params),
	    .list = "members",
	    .summary = "List members",
	    .description =
		"The members of the organisation, newest first; a key that is limited to "
		"projects gets only the members who reach one of them.",
	},
	{
	    ROUTE_AS(GET, "/access/members/{member_uuid}", "get_access_member", record_one),
	    ACCESS_ROW(access_member_out),
	    .st = &select_access_member,
	    .wrapper = "member",
	    .errors = access_member_errors,
	    .summary = "Get a member",
	    .description = "A member that the key cannot reach is not found.",
	},
	{
	    ROUTE_AS(GET, "/access/keys", "list_access_keys", page_list),
	    ACCESS_ROW(access_key_out),
	    .st = &list_access_keys,
	    PARAMS(struct access_key_args, access_key_params),
	    .list = "keys",
	    .summary = "List API keys",
	    .description =
		"The keys of the organisation, newest first; a key that is limited to projects "
		"gets only the keys that reach one of them.",
	},
	{
	    ROUTE_AS(GET, "/access/keys/{key_uuid}", "get_access_key", record_one),
	    ACCESS_ROW(access_key_out),
	    .st = &select_access_key,
	    .wrapper = "key",
	    .errors = access_key_errors,
	    .summary = "Get an API key",
	    .description =
		"The secret is not stored. A key of a member whom the caller does not see is "
		"not found.",
	},
	{
	    ROUTE(GET, PROJECT "/access", list_project_access),
	    COLUMNS_OF_PROJECT(SCOPE_ACCESS_VIEW, ENTITLEMENT_ANY),
	    .out = reach_out,
	    .tag = "Access",
	    PARAMS(struct reach_args, reach_params),
	    .list = "access",
	    .summary = "List the members and keys that reach a project",
	    .description = "The members and keys that reach the project now, newest first, and the "
			   "reason. A person who is not an owner sees only their own keys.",
	},
	ROUTE_END,
};

ROUTES(72, access);
