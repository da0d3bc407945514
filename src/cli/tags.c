/* SPDX-License-Identifier: ISC */
/* surfacectl tags: names, categories and classification of the tags of hosts. */
#include "config.h"

#include "cli/cli.h"

struct tag {
	struct str slug, name;
	struct list categories;
	struct str classification;
};

static const struct field tag_out[] = {
	FIELD(struct tag, slug, 0),
	FIELD(struct tag, name, 0),
	LIST_OF(struct tag, categories, 0, struct str, 0, 0),
	FIELD(struct tag, classification, 0),
	FIELD_END,
};

STMT_LIST(list_tags, struct tag, tag_out,
    "SELECT slug, name, categories, classification FROM tag"
    " WHERE account_uuid IS NULL ORDER BY slug");

/* $3: the categories, to which their parents are added; null: a new tag has none, an old tag keeps
   its own.

     given    "network/scanner/mass"  ->  "network", "network/scanner", "network/scanner/mass"

   generate_series counts the levels of each path, parts[:i] is the path down to level i, and
   DISTINCT removes parents that two paths share. The table requires the parents of each path, and
   allows a tag four paths in all (tag_categories_valid). $5 (--no-categories) removes all. */
STMT_LIST(set_tag, struct tag, tag_out,
    "WITH given AS (SELECT array_agg(DISTINCT array_to_string(parts[:i], '/') ORDER BY "
    "array_to_string(parts[:i], '/')) AS paths"
    "  FROM (SELECT string_to_array(c, '/') AS parts FROM unnest($3::text[]) AS c) AS p,"
    "   generate_series(1, cardinality(parts)) AS i)"
    " INSERT INTO tag AS t (slug, name, categories, classification)"
    " SELECT $1, coalesce($2, $1), coalesce(paths, '{}'), coalesce($4, 'informational') "
    "FROM given"
    " ON CONFLICT (account_uuid, slug) DO UPDATE SET name = coalesce($2, t.name),"
    "  categories = CASE WHEN $5 THEN '{}' ELSE coalesce((SELECT paths FROM given), "
    "t.categories) END,"
    "  classification = coalesce($4, t.classification)"
    " RETURNING slug, name, categories, classification");

static int
run_set_tag(struct cli *c, int argc, char **argv)
{
	struct str name = STR_NULL, classification = STR_NULL;
	struct cli_list categories = { 0 }, words;
	bool bare = false;
	const struct cli_option options[] = {
		{ "name", .text = &name },
		{ "category", .list = &categories },
		{ "no-categories", .flag = &bare },
		{ "classification", .text = &classification },
		{ NULL },
	};
	struct strs given;

	if (!cli_options(c, argc, argv, options, &words, 1, 1))
		return EXIT_USAGE;
	given = (struct strs){ categories.p, categories.n };
	return cli_one(c, "tag", &set_tag, words.p[0].p, P(words.p[0]), P(name), P(given),
	    P(classification), P(bare));
}

static const struct command subs[] = {
	{ "list", NULL, "every tag", .st = &list_tags, .lists = "tags" },
	{ "set",
	    "[--name NAME] [--category PATH]... [--no-categories] "
	    "[--classification informational|benign|suspicious|malicious] SLUG",
	    "change a tag, or make it; what is not given stays; parents of a path are "
	    "added",
	    .run = run_set_tag },
	{ NULL },
};

static const struct command tags_command = { "tags", .help = "tags that hosts carry", .sub = subs };

COMMAND(tags_command);
