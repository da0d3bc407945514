/* SPDX-License-Identifier: ISC */
/* Operations on tags of detection rules (C-159). All accounts read the common tags, which
   only surfacectl changes. An account adds tags of its own, which no other account sees and no
   search finds (C-158). */
#include "config.h"

#include "api/rules/detection_priv.h"
#include "resource/rule_tag.h"

STMT_LIST(list_tags_of_rules, struct rule_tag, rule_tag_out,
    "SELECT " RULE_TAG_COLUMNS " FROM rule_tags($1)"
    " WHERE ($5::text IS NULL OR $5 = ANY (categories))"
    " AND ($6::text IS NULL OR classification = $6)"
    " AND ($7::text IS NULL OR origin = $7)" PAGE_SQL);

STMT_LIST(select_rule_tag, struct rule_tag, rule_tag_out,
    "SELECT " RULE_TAG_COLUMNS " FROM rule_tags($1) WHERE uuid = $2");

/* Locks the tags of an account, so that two concurrent requests cannot exceed the limit or use the
   same slug. */
STMT(lock_rule_tags, NULL,
    "SELECT pg_advisory_xact_lock(hashtext('rule_tag'), hashtext($1::uuid::text))");

struct tag_room {
	bool taken, full;
};

static const struct field tag_room_out[] = {
	FIELD(struct tag_room, taken, 0),
	FIELD(struct tag_room, full, 0),
	FIELD_END,
};

STMT(check_tag_room, tag_room_out,
    "SELECT EXISTS (SELECT FROM tag WHERE slug = $2 AND (account_uuid IS NULL OR account_uuid = "
    "$1))"
    " AS taken, (SELECT count(*) FROM tag WHERE account_uuid = $1) >= $3::bigint AS full");

struct tag_uuid {
	struct uuid uuid;
};

static const struct field tag_uuid_out[] = { FIELD(struct tag_uuid, uuid, 0), FIELD_END };

STMT(insert_rule_tag, tag_uuid_out, "SELECT uuid FROM rule_tag_add($1, $2, $3, $4, $5) AS uuid");
STMT(replace_rule_tag, tag_uuid_out,
    "SELECT uuid FROM rule_tag_change($1, $2, $3, $4, $5) AS uuid WHERE uuid IS NOT NULL");
/* Returns no row when a rule of the account has the tag. */
STMT(delete_rule_tag, tag_uuid_out,
    "SELECT uuid FROM rule_tag_remove($1, $2) AS uuid WHERE uuid IS NOT NULL");

/* ---- bodies ---- */

static bool
slug_is_sound(struct str slug)
{
	for (size_t i = 0; i < slug.n; i++) {
		char c = slug.p[i];
		bool word = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');

		if (!word && (i == 0 || (c != '.' && c != '_' && c != '-')))
			return false;
	}
	return slug.n > 0;
}

/* Whether a category is a path of words of letters, digits and hyphens, such as malware/c2. */
static bool
category_is_sound(struct str path)
{
	bool begins = true;

	for (size_t i = 0; i < path.n; i++) {
		char c = path.p[i];
		bool word = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');

		if (!word && (begins || (c != '-' && c != '/')))
			return false;
		begins = c == '/';
	}
	return path.n > 0 && path.n <= LIM_TAG_SLUG && !begins;
}

static bool
has_category(const struct str *paths, size_t n, struct str path)
{
	for (size_t i = 0; i < n; i++)
		if (str_eq(paths[i], path))
			return true;
	return false;
}

/* Returns the path without its last word, or an empty text. */
static struct str
parent_category(struct str path)
{
	while (path.n > 0 && path.p[path.n - 1] != '/')
		path.n--;
	if (path.n > 0)
		path.n--;
	return path;
}

/* Adds a fault for each category that is malformed or without its parent (C-159). */
static int
check_rule_tag(struct req *rq, void *in, struct body_faults *faults)
{
	const struct rule_tag *t = in;
	const struct str *paths = t->categories.items;
	const char *at;
	struct str parent;

	if (t->slug.p != NULL && !slug_is_sound(t->slug))
		body_fault(faults, "slug", "invalid_format",
		    "must be letters a to z, digits, dots, hyphens and underscores, and begin with "
		    "a letter or digit");
	if (t->name.p != NULL && !name_visible(t->name))
		body_fault(faults, "name", "invalid_format", "must not have control characters");
	for (size_t i = 0; i < t->categories.n; i++) {
		if (paths[i].p == NULL)
			continue;
		at = arena_printf(rq->arena, "categories[%zu]", i).p;
		parent = parent_category(paths[i]);
		if (!category_is_sound(paths[i]))
			body_fault(faults, at, "invalid_format",
			    "must be words of a to z, digits and hyphens between slashes, such as "
			    "malware/c2");
		else if (parent.n > 0 && !has_category(paths, t->categories.n, parent))
			body_fault(faults, at, "invalid_format",
			    "needs its parent category, as malware/c2 needs malware");
	}
	return PASS;
}

/* ---- handlers ---- */

static struct str
name_or(const struct rule_tag *in, struct str slug)
{
	return in->name.p == NULL ? slug : in->name;
}

static struct str
classification_of(const struct rule_tag *in)
{
	return in->classification.p == NULL ? str_of(tag_classifications[0]) : in->classification;
}

static struct strs
categories_of(const struct rule_tag *in)
{
	return (struct strs){ in->categories.items, in->categories.n };
}

static int
create_rule_tag(struct req *rq)
{
	const struct rule_tag *in = rq->in;
	const struct uuid *account = &rq->key->account;
	struct tag_room room = { false, false };
	struct tag_uuid made;
	struct rule_tag t;
	enum db_rc rc;

	if (detection_manage(rq, (struct uuid){ { 0 } }) != PASS)
		return FAILED;
	rc = db_do(rq->db, &lock_rule_tags, NULL, P(*account));
	if (rc == DB_OK)
		rc = db_one(
		    rq->db, &check_tag_room, &room, P(*account), P(in->slug), P(LIM_TAGS_OWN));
	if (rc != DB_OK)
		return fail_db(rq, rc);
	if (room.taken)
		return fail_field(rq, "slug", "duplicate", "belongs to another tag");
	if (room.full)
		return fail(rq, ERR_RULE_LIMIT);
	rc = db_one(rq->db, &insert_rule_tag, &made, P(rq->key->uuid), P(in->slug),
	    P(name_or(in, in->slug)), P(categories_of(in)), P(classification_of(in)));
	if (rc == DB_OK)
		rc = db_one(rq->db, &select_rule_tag, &t, P(rq->key->uuid), P(made.uuid));
	return rc == DB_OK ? reply_created(rq, &made.uuid, &t) : fail_db(rq, rc);
}

/* Reads the tag of the path. Fails when it does not exist, is a common one, or the key is limited
   to projects, because all projects share tags. */
static int
need_own_tag(struct req *rq, struct rule_tag *out)
{
	enum db_rc rc = db_one(rq->db, &select_rule_tag, out, P(rq->key->uuid), P(rq->path[0]));

	if (rc == DB_NONE)
		return fail(rq, ERR_RULE_TAG_NOT_FOUND);
	if (rc != DB_OK)
		return fail_db(rq, rc);
	return str_is(out->origin, "account") ? detection_manage(rq, (struct uuid){ { 0 } })
					      : fail(rq, ERR_RULE_READ_ONLY);
}

static int
update_rule_tag(struct req *rq)
{
	const struct rule_tag *in = rq->in;
	struct tag_uuid done;
	struct rule_tag t;
	enum db_rc rc;

	if (need_own_tag(rq, &t) != PASS)
		return FAILED;
	rc = db_one(rq->db, &replace_rule_tag, &done, P(rq->key->uuid), P(rq->path[0]),
	    P(name_or(in, t.slug)), P(categories_of(in)), P(classification_of(in)));
	if (rc == DB_OK)
		rc = db_one(rq->db, &select_rule_tag, &t, P(rq->key->uuid), P(rq->path[0]));
	return reply_found(rq, rc, ERR_RULE_TAG_NOT_FOUND, &t);
}

static int
remove_rule_tag(struct req *rq)
{
	struct tag_uuid done;
	struct rule_tag t;
	enum db_rc rc;

	if (need_own_tag(rq, &t) != PASS)
		return FAILED;
	rc = db_one(rq->db, &delete_rule_tag, &done, P(rq->key->uuid), P(rq->path[0]));
	return reply_found(rq, rc, ERR_RULE_TAG_IN_USE, &t);
}

/* ---- rows ---- */

struct rule_tag_args {
	struct page_args page;
	struct str category, classification, origin;
};

static const struct url_param rule_tag_params[] = {
	PAGE_PARAMS(struct rule_tag_args, page),
	FILTER(FIELD_STR, struct rule_tag_args, category, .lo = 1, .hi = LIM_TAG_SLUG,
	    .help = "The path of a category; includes tags of categories below it."),
	FILTER(FIELD_STR, struct rule_tag_args, classification, .values = tag_classifications),
	FILTER(FIELD_STR, struct rule_tag_args, origin, .values = rule_tag_origins),
	URL_PARAM_END,
};

static const enum error tag_errors[] = { ERR_RULE_TAG_NOT_FOUND, ERR_UNSET };
static const enum error create_tag_errors[] = { ERR_RULE_LIMIT, ERR_UNSET };
static const enum error change_tag_errors[] = { ERR_RULE_TAG_NOT_FOUND, ERR_RULE_READ_ONLY,
	ERR_UNSET };
static const enum error delete_tag_errors[] = { ERR_RULE_TAG_NOT_FOUND, ERR_RULE_READ_ONLY,
	ERR_RULE_TAG_IN_USE, ERR_UNSET };

#define RULE_TAG_ROW(need)                                                                         \
	.scope = (need), .access = ACCESS_ACCOUNT, .meter = METER_QUOTA, .area = AREA_SERVICE,     \
	.entitlement = ENTITLEMENT_RULES, .tag = "Rule tags", .out = rule_tag_out

static const struct route rule_tag_routes[] = {
	{
	    ROUTE_AS(GET, "/rules/tags", "list_rule_tags", page_list),
	    RULE_TAG_ROW(SCOPE_RULES_VIEW),
	    .st = &list_tags_of_rules,
	    PARAMS(struct rule_tag_args, rule_tag_params),
	    .list = "tags",
	    .summary = "List tags of rules",
	    .description = "Newest first; every filter must pass. The common tags and those of the "
			   "organisation.",
	},
	{
	    ROUTE_AS(GET, "/rules/tags/{tag_uuid}", "get_rule_tag", record_one),
	    RULE_TAG_ROW(SCOPE_RULES_VIEW),
	    .st = &select_rule_tag,
	    .wrapper = "tag",
	    .errors = tag_errors,
	    .summary = "Get a tag of rules",
	    .description = "The counts are of the rules that the key sees.",
	},
	{
	    ROUTE(POST, "/rules/tags", create_rule_tag),
	    RULE_TAG_ROW(SCOPE_RULES_MANAGE),
	    BODY_CHECKED(struct rule_tag, rule_tag_new, BODY_CONFIGURED, check_rule_tag),
	    .status = 201,
	    .wrapper = "tag",
	    .errors = create_tag_errors,
	    .example = JSON({
		    "slug" : "crown-jewels",
		    "name" : "Crown jewels",
		    "categories" : [ "own", "own/critical" ],
		    "classification" : "suspicious"
	    }),
	    .summary = "Add a tag of rules",
	    .description =
		"The tag is for the organisation's own rules. Searches cannot use it, and no "
		"other organisation sees it.",
	},
	{
	    ROUTE(PUT, "/rules/tags/{tag_uuid}", update_rule_tag),
	    RULE_TAG_ROW(SCOPE_RULES_MANAGE),
	    BODY_CHECKED(struct rule_tag, rule_tag_change, BODY_CONFIGURED, check_rule_tag),
	    .wrapper = "tag",
	    .errors = change_tag_errors,
	    .example = JSON({ "name" : "Crown jewels", "classification" : "malicious" }),
	    .summary = "Replace a tag of rules",
	    .description =
		"A member that is not sent gets its default; the slug stays. The common tags are "
		"read-only.",
	},
	{
	    ROUTE_AS(DELETE, "/rules/tags/{tag_uuid}", "delete_rule_tag", remove_rule_tag),
	    RULE_TAG_ROW(SCOPE_RULES_MANAGE),
	    .wrapper = "tag",
	    .errors = delete_tag_errors,
	    .summary = "Delete a tag of rules",
	    .description =
		"The answer has the deleted tag. A tag that a rule of the organisation has "
		"cannot be deleted.",
	},
	ROUTE_END,
};

ROUTES(228, rule_tag);
