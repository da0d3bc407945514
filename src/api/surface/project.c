/* SPDX-License-Identifier: ISC */
/* The projects that a key may see, and their members. The role of a member is for people who read
   it: the rights of a key are its scopes and its projects, and no role widens them. */
#include "config.h"

#include "api/api.h"
#include "resource/project.h"

STMT(select_project, project_out,
    "SELECT " PROJECT_COLUMNS " FROM visible_projects($1) WHERE uuid = $2");

STMT_LIST(list_projects, struct project_record, project_out,
    "SELECT " PROJECT_COLUMNS " FROM visible_projects($1) WHERE true" PAGE_SQL);

struct member {
	struct uuid uuid;
	struct str name, role;
	struct ts created_at;
};

static const char *const roles[] = { "owner", "manager", "viewer", NULL };

static const struct field member_out[] = {
	FIELD(struct member, uuid, 0),
	FIELD(struct member, name, 0),
	ONE_OF(struct member, role, 0, roles, "In this project; owner: of the organisation."),
	FIELD(struct member, created_at, 0),
	FIELD_END_OF("Member"),
};

/* Selects the members who may see the project $1. */
#define MEMBERS                                                                                    \
	"SELECT m.uuid, m.name, CASE m.role WHEN 'owner' THEN 'owner'"                             \
	"  ELSE coalesce(pm.role, 'viewer') END AS role, m.created_at"                             \
	" FROM project p JOIN member m USING (account_uuid) LEFT JOIN project_member pm"           \
	"  ON pm.project_uuid = p.uuid AND pm.member_uuid = m.uuid"                                \
	" WHERE p.uuid = $1 AND m.removed_at IS NULL"                                              \
	"  AND (m.role = 'owner' OR m.all_projects OR pm.member_uuid IS NOT NULL)"

STMT_LIST(select_member, struct member, member_out,
    "SELECT uuid, name, role, created_at FROM (" MEMBERS ") AS seen WHERE uuid = $2");

STMT_LIST(list_members, struct member, member_out,
    "SELECT uuid, name, role, created_at FROM (" MEMBERS
    ") AS seen WHERE ($5::text IS NULL OR role = $5)" PAGE_SQL);

static int
get_project(struct req *rq)
{
	struct project_record p;
	enum db_rc rc = db_one(rq->db, &select_project, &p, P(rq->key->uuid), P(rq->project));

	return reply_found(rq, rc, ERR_PROJECT_NOT_FOUND, &p);
}

static const struct url_param project_params[] = {
	PAGE_PARAMS(struct page_only, page),
	URL_PARAM_END,
};

struct member_args {
	struct page_args page;
	struct str role;
};

static const struct url_param member_params[] = {
	PAGE_PARAMS(struct member_args, page),
	FILTER(FIELD_STR, struct member_args, role, .values = roles),
	URL_PARAM_END,
};

static const enum error member_errors[] = { ERR_MEMBER_NOT_FOUND, ERR_UNSET };

#define PROJECT_ROW(who, fields)                                                                   \
	.scope = SCOPE_ANY, .access = (who), .meter = METER_QUOTA, .area = AREA_SERVICE,           \
	.entitlement = ENTITLEMENT_ANY, .out = (fields)

static const struct route project_routes[] = {
	{
	    ROUTE_AS(GET, "/projects", "list_projects", page_list),
	    PROJECT_ROW(ACCESS_ACCOUNT, project_out),
	    .st = &list_projects,
	    PARAMS(struct page_only, project_params),
	    .list = "projects",
	    .tag = "Projects",
	    .summary = "List projects",
	    .description = "The projects that both the key and its owner may see.",
	},
	{
	    ROUTE(GET, PROJECT, get_project),
	    PROJECT_ROW(ACCESS_PROJECT, project_out),
	    .wrapper = "project",
	    .tag = "Projects",
	    .summary = "Get a project",
	    .description =
		"A project outside of the ceilings is treated as one that does not exist.",
	},
	{
	    ROUTE_AS(GET, PROJECT "/members", "list_project_members", page_list),
	    PROJECT_ROW(ACCESS_PROJECT, member_out),
	    .st = &list_members,
	    PARAMS(struct member_args, member_params),
	    .list = "members",
	    .tag = "Access",
	    .summary = "List the members of a project",
	    .description = "The members who see the project, newest first.",
	},
	{
	    ROUTE_AS(GET, PROJECT "/members/{member_uuid}", "get_project_member", record_one),
	    PROJECT_ROW(ACCESS_PROJECT, member_out),
	    .st = &select_member,
	    .wrapper = "member",
	    .errors = member_errors,
	    .tag = "Access",
	    .summary = "Get a member of a project",
	    .description = "The memberships that findings and alerts name.",
	},
	ROUTE_END,
};

ROUTES(70, project);
