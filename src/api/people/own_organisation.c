/* SPDX-License-Identifier: ISC */
/* Operations on the organisation in which a person acts: its scopes and entitlements, the sign-in
   of its members, and its projects. */
#include "config.h"

#include "api/people/people.h"
#include "resource/project.h"

/* ---- GET, PUT /organisation ---- */

struct organisation_scope {
	struct str name, help;
	bool allowed;
};

struct organisation_entitlement {
	struct str name;
	struct ts expires_at;
};

struct organisation {
	struct uuid uuid;
	struct str name, sign_in;
	struct list scopes, entitlements;
	int64_t members, projects;
};

static const char *const sign_in_choices[] = { "any", "strong", NULL };

static const struct field organisation_scope_out[] = {
	FIELD(struct organisation_scope, name, 0),
	FIELD(struct organisation_scope, help, 0),
	FIELD(struct organisation_scope, allowed, 0),
	FIELD_END_OF("OrganisationScope"),
};

static const struct field organisation_entitlement_out[] = {
	FIELD(struct organisation_entitlement, name, 0),
	FIELD(struct organisation_entitlement, expires_at, NULLABLE),
	FIELD_END_OF("OrganisationEntitlement"),
};

static const struct field organisation_out[] = {
	FIELD(struct organisation, uuid, 0),
	FIELD(struct organisation, name, 0),
	ONE_OF(struct organisation, sign_in, 0, sign_in_choices,
	    "strong: members need a passkey or a second method."),
	LIST(struct organisation, scopes, 0, struct organisation_scope, organisation_scope_out, 0,
	    SCOPE_COUNT),
	LIST(struct organisation, entitlements, 0, struct organisation_entitlement,
	    organisation_entitlement_out, 0, ENTITLEMENT_COUNT),
	FIELD(struct organisation, members, 0),
	FIELD(struct organisation, projects, 0),
	FIELD_END_OF("Organisation"),
};

struct organisation_row {
	struct uuid uuid;
	struct str name, sign_in;
	struct list allowed;
	int64_t members, projects;
};

static const struct field organisation_columns[] = {
	FIELD(struct organisation_row, uuid, 0),
	FIELD(struct organisation_row, name, 0),
	FIELD(struct organisation_row, sign_in, 0),
	LIST_OF(struct organisation_row, allowed, 0, struct str, 0, 0),
	FIELD(struct organisation_row, members, 0),
	FIELD(struct organisation_row, projects, 0),
	FIELD_END,
};

STMT(select_organisation, organisation_columns,
    "SELECT a.uuid, a.name, a.sign_in,"
    " ARRAY(SELECT s.scope::text FROM account_scope s WHERE s.account_uuid = a.uuid) AS allowed,"
    " (SELECT count(*) FROM access_members($2)) AS members,"
    " (SELECT count(*) FROM visible_projects($2)) AS projects"
    " FROM account a WHERE a.uuid = $1");

STMT_LIST(list_organisation_entitlements, struct organisation_entitlement,
    organisation_entitlement_out,
    "SELECT name::text AS name, expires_at FROM entitlement WHERE account_uuid = $1"
    " AND (expires_at IS NULL OR expires_at > now()) ORDER BY name");

STMT(set_organisation, NULL, "SELECT organisation_set($1, $2)");

static bool
is_allowed(const struct list *allowed, const char *scope)
{
	const struct str *name = allowed->items;

	for (size_t i = 0; i < allowed->n; i++)
		if (str_is(name[i], scope))
			return true;
	return false;
}

/* Lists every scope with its help text. The console shows them to owners who create a key. */
static struct list
scopes_of(struct arena *a, const struct list *allowed)
{
	static const char *const help[SCOPE_COUNT] = {
#define SCOPE(id, name, who, help) [SCOPE_##id] = (help),
#include "tbl/scopes.h"
#undef SCOPE
	};
	struct organisation_scope *out = ARENA_ARRAY(a, SCOPE_COUNT, struct organisation_scope);
	size_t n = 0;

	for (enum scope s = SCOPE_FIRST; s < SCOPE_COUNT; s++)
		out[n++] = (struct organisation_scope){ str_of(scope_name(s)), str_of(help[s]),
			is_allowed(allowed, scope_name(s)) };
	return (struct list){ out, n };
}

static int
get_organisation(struct req *rq)
{
	struct organisation_row row;
	struct organisation answer;
	struct list entitlements = { NULL, 0 };
	enum db_rc rc =
	    db_one(rq->db, &select_organisation, &row, P(rq->key->account), P(rq->key->uuid));

	if (rc == DB_OK)
		rc = db_list(
		    rq->db, &list_organisation_entitlements, &entitlements, P(rq->key->account));
	answer = (struct organisation){ .uuid = row.uuid,
		.name = row.name,
		.sign_in = row.sign_in,
		.scopes = scopes_of(rq->arena, &row.allowed),
		.entitlements = entitlements,
		.members = row.members,
		.projects = row.projects };
	return reply_found(rq, rc, ERR_ORGANISATION_NOT_FOUND, &answer);
}

struct organisation_in {
	struct str sign_in;
};

static const struct field organisation_in_fields[] = {
	ONE_OF(struct organisation_in, sign_in, REQUIRED, sign_in_choices, NULL),
	FIELD_END,
};

/* Refuses "strong" from an owner with a weak sign-in, who would be locked out. */
static int
put_organisation(struct req *rq)
{
	const struct organisation_in *in = rq->in;
	enum db_rc rc;

	if (str_is(in->sign_in, "strong") && !rq->sign_in->strong)
		return fail_at(rq, ERR_REAUTHENTICATION_REQUIRED,
		    STR("Sign in by a passkey or a second method yourself before you ask it of "
			"others."));
	rc = db_do(rq->db, &set_organisation, NULL, P(rq->key->uuid), P(in->sign_in));
	return rc == DB_OK ? get_organisation(rq) : fail_db(rq, rc);
}

/* ---- POST /projects, PUT /projects/{p} ---- */

struct project_in {
	struct str name;
};

static const struct field project_in_fields[] = {
	TEXT(struct project_in, name, REQUIRED | TRIM, 1, LIM_NAME),
	FIELD_END,
};

static int
check_project(struct req *rq, void *body, struct body_faults *faults)
{
	const struct project_in *in = body;

	(void)rq;
	check_name(in->name, faults);
	return PASS;
}

struct project_change {
	struct str outcome;
	struct uuid uuid;
};

static const struct field project_change_out[] = {
	FIELD(struct project_change, outcome, 0),
	FIELD(struct project_change, uuid, NULLABLE),
	FIELD_END,
};

STMT(put_project_row, project_change_out, "SELECT outcome, uuid FROM project_put($1, $2, $3)");
STMT(select_put_project, project_out,
    "SELECT " PROJECT_COLUMNS " FROM visible_projects($1) WHERE uuid = $2");

/* Changes the project of the path, or creates one. */
static int
put_own_project(struct req *rq)
{
	static const struct uuid none;
	const struct project_in *in = rq->in;
	bool fresh = rq->route->method == METHOD_POST;
	struct project_change done = { { NULL, 0 } };
	struct project_record p;
	enum db_rc rc = db_one(rq->db, &put_project_row, &done, P(rq->key->uuid),
	    P(fresh ? none : rq->project), P(in->name));

	if (rc == DB_OK && !str_is(done.outcome, "ok"))
		return fail(rq, ERR_PROJECT_EXISTS);
	if (rc == DB_OK)
		rc = db_one(rq->db, &select_put_project, &p, P(rq->key->uuid), P(done.uuid));
	if (rc != DB_OK)
		return rc == DB_NONE ? fail(rq, ERR_PROJECT_NOT_FOUND) : fail_db(rq, rc);
	return fresh ? reply_created(rq, &p.uuid, &p)
		     : reply(rq, 200, rq->route->wrapper, rq->route->out, &p);
}

static const enum error project_errors[] = { ERR_PROJECT_EXISTS, ERR_UNSET };

static const struct route own_organisation_routes[] = {
	{
	    ROUTE(GET, "/organisation", get_organisation),
	    .scope = SCOPE_MEMBER,
	    COLUMNS_OF_MEMBER,
	    .out = organisation_out,
	    .wrapper = "organisation",
	    .summary = "Get one's organisation",
	    .description = "Its scopes and entitlements, how its members sign in, and how many "
			   "members and projects the person sees.",
	},
	{
	    ROUTE(PUT, "/organisation", put_organisation),
	    COLUMNS_OF_OWNER,
	    BODY(struct organisation_in, organisation_in_fields, BODY_CONFIGURED),
	    .out = organisation_out,
	    .wrapper = "organisation",
	    .summary = "Change how members sign in",
	    .description =
		"With strong, members need more than a password to sign in. Only a person with "
		"such a sign-in can set strong.",
	    .example = JSON({ "sign_in" : "any" }),
	},
	{
	    ROUTE_AS(POST, "/projects", "create_project", put_own_project),
	    .scope = SCOPE_OWNER,
	    COLUMNS_OF_MEMBER,
	    BODY_CHECKED(struct project_in, project_in_fields, BODY_CONFIGURED, check_project),
	    .status = 201,
	    .out = project_out,
	    .wrapper = "project",
	    .errors = project_errors,
	    .summary = "Create a project",
	    .description = "Members who see all projects see it at once.",
	    .example = JSON({ "name" : "Perimeter" }),
	},
	{
	    ROUTE_AS(PUT, PROJECT, "rename_project", put_own_project),
	    .scope = SCOPE_OWNER,
	    .access = ACCESS_PROJECT,
	    .meter = METER_RATE,
	    .area = AREA_SERVICE,
	    .entitlement = ENTITLEMENT_ANY,
	    BODY_CHECKED(struct project_in, project_in_fields, BODY_CONFIGURED, check_project),
	    .out = project_out,
	    .wrapper = "project",
	    .errors = project_errors,
	    .tag = "Access",
	    .summary = "Rename a project",
	    .description = "Its UUID stays.",
	    .example = JSON({ "name" : "Perimeter" }),
	},
	ROUTE_END,
};

ROUTES(312, own_organisation);
