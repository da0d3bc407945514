/* SPDX-License-Identifier: ISC */
/* Answers the vocabulary of detection rules for forms and filters. Datasets, severities and
   moves are constants of the program; categories and techniques are those of the rules that the key
   sees. */
#include "config.h"

#include "api/api.h"
#include "resource/detection.h"
#include "resource/observation.h"
#include "wire/values.h"

/* A category of tags. The statement lists children directly after their parent. name is the last
   word of path. */
struct category {
	struct str path, name;
	int64_t rules;
	struct list children;
};

#define CATEGORY_MEMBERS                                                                           \
	TEXT(struct category, path, 0, 1, LIM_TAG_SLUG),                                           \
	    TEXT(struct category, name, 0, 1, LIM_TAG_SLUG),                                       \
	{                                                                                          \
		.name = "rules", .type = FIELD_INT, .offset = offsetof(struct category, rules),    \
		.hi = LIM_BUCKET_COUNT,                                                            \
		.help = "Rules with a tag of this category or of one below it."                    \
	}
#define CHILDREN(table) LIST(struct category, children, 0, struct category, table, 0, 0)

/* There is a table for each level, because generated clients cannot handle a schema that contains
   itself. A tag has at most LIM_TAG_CATEGORIES categories including all parents, so there is no
   fifth level. */
_Static_assert(LIM_TAG_CATEGORIES == 4, "category_out has a table for each level");

static const struct field fourth_category[] = {
	CATEGORY_MEMBERS,
	{ .name = "children",
	    .type = FIELD_LIST,
	    .offset = offsetof(struct category, children),
	    .size = sizeof(struct json),
	    .item = FIELD_RAW,
	    .help = "Always empty, because a path has at most four words." },
	FIELD_END,
};
static const struct field third_category[] = { CATEGORY_MEMBERS, CHILDREN(fourth_category),
	FIELD_END };
static const struct field second_category[] = { CATEGORY_MEMBERS, CHILDREN(third_category),
	FIELD_END };
static const struct field category_out[] = { CATEGORY_MEMBERS, CHILDREN(second_category),
	FIELD_END_OF("RuleTagCategory") };

static const struct field category_row[] = {
	FIELD(struct category, path, 0),
	FIELD(struct category, rules, 0),
	FIELD_END,
};

STMT_LIST(list_categories, struct category, category_row,
    "SELECT path, rules FROM rule_tag_categories($1)");

struct technique_row {
	struct list names;
};

static const struct field technique_row[] = {
	LIST_OF(struct technique_row, names, 0, struct str, 0, 0),
	FIELD_END,
};

STMT(list_techniques, technique_row,
    "SELECT ARRAY(SELECT DISTINCT t COLLATE \"C\" FROM rules_observed($1) AS s, "
    "unnest(s.techniques) "
    "AS t"
    " WHERE NOT s.deleted ORDER BY 1) AS names");

struct move {
	struct str event, from, to;
};

static const char *const taxonomy_events[] = {
#define RULE_EVENT(id, event, to) event,
#include "tbl/rule_moves.h"
	NULL,
};

static const struct field move_out[] = {
	ONE_OF(struct move, event, 0, taxonomy_events, NULL),
	ONE_OF(struct move, from, 0, detection_statuses, NULL),
	ONE_OF(struct move, to, 0, detection_statuses, NULL),
	FIELD_END_OF("RuleMove"),
};

struct taxonomy {
	struct list datasets, severities, statuses, moves, tags, techniques;
};

#define WORDS(m, list)                                                                             \
	{                                                                                          \
		.name = #m, .type = FIELD_LIST, .offset = offsetof(struct taxonomy, m),            \
		.size = sizeof(struct str), .item = FIELD_STR, .values = (list)                    \
	}

static const struct field taxonomy_out[] = {
	WORDS(datasets, observed_datasets),
	WORDS(severities, severities),
	WORDS(statuses, detection_statuses),
	LIST(struct taxonomy, moves, 0, struct move, move_out, 0, 0),
	LIST(struct taxonomy, tags, 0, struct category, category_out, 0, 0),
	{ .name = "techniques",
	    .type = FIELD_LIST,
	    .offset = offsetof(struct taxonomy, techniques),
	    .size = sizeof(struct str),
	    .item = FIELD_STR,
	    .help = "The techniques of the rules that the key sees." },
	FIELD_END_OF("RuleTaxonomy"),
};

static struct list
word_list(struct arena *a, const char *const *list)
{
	struct list out = { NULL, 0 };
	struct str *to;

	while (list[out.n] != NULL)
		out.n++;
	out.items = to = ARENA_ARRAY(a, out.n, struct str);
	for (size_t i = 0; i < out.n; i++)
		to[i] = str_of(list[i]);
	return out;
}

static struct list
move_list(struct arena *a)
{
	static const char *const rows[][3] = {
#define RULE_MOVE(event, from, to) { event, from, to },
#include "tbl/rule_moves.h"
	};
	struct move *to = ARENA_ARRAY(a, COUNT(rows), struct move);

	for (size_t i = 0; i < COUNT(rows); i++)
		to[i] = (struct move){ str_of(rows[i][0]), str_of(rows[i][1]), str_of(rows[i][2]) };
	return (struct list){ to, COUNT(rows) };
}

static bool
is_category_below(struct str path, struct str parent)
{
	return path.n > parent.n && path.p[parent.n] == '/' &&
	       memcmp(path.p, parent.p, parent.n) == 0;
}

/* Makes the children of each category of one level, out of rows in which each stands behind its
   parent:

     fraud | fraud/phishing | malware | malware/c2       ->      fraud { phishing }, malware { c2 }

   Each call collects the categories of one level and calls itself for the levels below. The
   depth is at most LIM_TAG_CATEGORIES. */
static struct list
grow_tree(struct arena *a, struct category *rows, size_t n)
{
	struct category *level = ARENA_ARRAY(a, n, struct category);
	size_t heads = 0, end;

	for (size_t i = 0; i < n; i = end) {
		struct category *c = &level[heads++];

		*c = rows[i];
		for (size_t k = 0; k < c->path.n; k++)
			if (c->path.p[k] == '/')
				c->name = (struct str){ c->path.p + k + 1, c->path.n - k - 1 };
		if (c->name.p == NULL)
			c->name = c->path;
		for (end = i + 1; end < n && is_category_below(rows[end].path, c->path);)
			end++;
		c->children = grow_tree(a, rows + i + 1, end - i - 1);
	}
	return (struct list){ level, heads };
}

static int
get_rule_taxonomy(struct req *rq)
{
	struct arena *a = rq->arena;
	struct technique_row techniques;
	struct list rows;
	struct taxonomy out = {
		.datasets = word_list(a, observed_datasets),
		.severities = word_list(a, severities),
		.statuses = word_list(a, detection_statuses),
		.moves = move_list(a),
	};
	enum db_rc rc = db_list(rq->db, &list_categories, &rows, P(rq->key->uuid));

	if (rc == DB_OK)
		rc = db_one(rq->db, &list_techniques, &techniques, P(rq->key->uuid));
	if (rc != DB_OK)
		return fail_db(rq, rc);
	out.tags = grow_tree(a, rows.items, rows.n);
	out.techniques = techniques.names;
	return reply(rq, 200, NULL, taxonomy_out, &out);
}

static const struct route taxonomy_routes[] = {
	{
	    ROUTE(GET, "/rules/taxonomy", get_rule_taxonomy),
	    .scope = SCOPE_RULES_VIEW,
	    .access = ACCESS_ACCOUNT,
	    .meter = METER_QUOTA,
	    .area = AREA_SERVICE,
	    .entitlement = ENTITLEMENT_RULES,
	    .tag = "Rules",
	    .out = taxonomy_out,
	    .summary = "Get the vocabularies of rules",
	    .result = "The lists and the tree.",
	    .description = "Datasets, severities, statuses and the moves between them; the "
			   "categories of tags as a tree, and the techniques in use.",
	},
	ROUTE_END,
};

ROUTES(229, taxonomy);
