/* SPDX-License-Identifier: ISC */
/* surfacectl import vocabulary and import benign: the lists that extraction compares texts with. A
 * list replaces its former version as a whole, in one transaction.
 *
 *   galaxy of MISP         {"values": [{"value": NAME, "meta": {"synonyms": [ALIAS, ...]}}, ...]}
 *   warning list of MISP   {"name": ..., "version": 1, "type": "hostname", "list": [VALUE, ...]} */
#include "config.h"

#include "cli/report/command.h"

#include "cli/import/json_file.h"
#include "cli/report/value.h"
#include "json/tree.h"

enum { ALIAS_BYTES = 800, SHORT_ALIAS = 4, BENIGN_BYTES = 2048 };

#define LIST_MEMORY ((size_t)4 << 30)
#define LIST_TIME (600 * SECOND_US)

/* Short aliases, and words that the file calls ambiguous, need a second name of the report. */
STMT(vocabulary_add, NULL,
    "INSERT INTO vocabulary (kind, name, alias, ambiguous)"
    " SELECT $1, n, a, bool_or(length(a) < 4 OR s) FROM unnest($2::text[], $3::text[], "
    "$4::text[]::bool[]) AS t (n, a, s)"
    " GROUP BY n, a ON CONFLICT (alias, kind, name) DO UPDATE SET ambiguous = excluded.ambiguous");

STMT(benign_list_drop, NULL, "DELETE FROM benign_list WHERE name = $1");

STMT(benign_list_add, NULL, "INSERT INTO benign_list (name, licence, version) VALUES ($1, $2, $3)");

STMT(benign_entry_add, NULL,
    "INSERT INTO benign_entry (list, type, value) SELECT $1, t, v FROM unnest($2::text[], "
    "$3::text[]) AS x (t, v)"
    " ON CONFLICT DO NOTHING");

struct columns {
	struct arena *a;
	struct str *p[3];
	size_t n;
};

static void
add_row(struct columns *c, struct str x, struct str y, struct str z)
{
	const struct str row[] = { x, y, z };

	for (size_t i = 0; i < COUNT(row); i++) {
		c->p[i] = arena_room(c->a, c->p[i], c->n, sizeof(struct str));
		c->p[i][c->n] = row[i];
	}
	c->n++;
}

/* ---- vocabulary ---- */

static bool
is_alias(struct str s)
{
	return s.n > 0 && s.n <= ALIAS_BYTES && memchr(s.p, '\0', s.n) == NULL;
}

static void
add_listed_names(struct columns *c, const struct json_value *values, struct cli_list ambiguous)
{
	for (size_t i = 0; i < json_length(values); i++) {
		const struct json_value *v = json_at(values, i), *meta, *aliases;
		struct str name = json_file_text(v, "value");

		if (!is_alias(name))
			continue;
		meta = json_get(v, "meta");
		aliases = meta == NULL ? NULL : json_file_list(meta, "synonyms");
		for (size_t j = 0; j <= (aliases == NULL ? 0 : json_length(aliases)); j++) {
			struct str alias = j == 0 ? name : json_text(json_at(aliases, j - 1));
			bool marked = false;

			for (size_t k = 0; k < ambiguous.n; k++)
				marked = marked || str_eq(alias, ambiguous.p[k]);
			if (is_alias(alias))
				add_row(c, name, alias, marked ? STR("t") : STR("f"));
		}
	}
}

static enum db_rc
store_names(struct cli *c, struct str kind, const struct columns *rows)
{
	enum db_rc rc = db_begin(c->db);

	if (rc == DB_OK)
		rc = db_do(c->db, &vocabulary_add, NULL, P(kind),
		    P(((struct strs){ rows->p[0], rows->n })),
		    P(((struct strs){ rows->p[1], rows->n })),
		    P(((struct strs){ rows->p[2], rows->n })));
	if (rc == DB_OK)
		rc = db_commit(c->db);
	if (rc != DB_OK)
		db_rollback(c->db);
	return rc;
}

static bool
is_list_kind(struct str kind)
{
	static const char *const kinds[] = {
#define REPORT_NAME(name) name,
#include "tbl/report_names.h"
#undef REPORT_NAME
	};

	for (size_t i = 0; i < COUNT(kinds); i++)
		if (str_is(kind, kinds[i]))
			return true;
	return false;
}

static int
import_names(struct cli *c, struct str kind, struct cli_list ambiguous, const char *path)
{
	struct arena *a = arena_new(LIST_MEMORY);
	struct columns rows = { .a = a };
	const struct json_value *root = json_file_read(a, path),
				*values = json_file_list(root, "values");
	int status = EXIT_FAILED;
	enum db_rc rc;

	if (root != NULL && values == NULL)
		cli_fail(status, "%s is no galaxy of MISP: it has no list \"values\"", path);
	if (values != NULL) {
		add_listed_names(&rows, values, ambiguous);
		db_use(c->db, a, mono_us() + LIST_TIME);
		rc = store_names(c, kind, &rows);
		status = rc == DB_OK ? EXIT_OK : cli_fail_db(c, rc, "nothing was imported");
		db_use(c->db, c->arena, 0);
		if (status == EXIT_OK)
			printf(c->json ? "{\"aliases\":%zu}\n" : "%zu aliases\n", rows.n);
	}
	arena_free(a);
	return status;
}

int
import_vocabulary(struct cli *c, int argc, char **argv)
{
	struct str kind = STR_NULL;
	struct cli_list words, ambiguous = { ARENA_ARRAY(c->arena, (size_t)argc, struct str), 0 };
	const struct cli_option table[] = {
		{ .name = "kind", .text = &kind },
		{ .name = "ambiguous", .list = &ambiguous },
		{ .name = NULL },
	};

	if (!cli_options(c, argc, argv, table, &words, 1, 1))
		return EXIT_USAGE;
	if (kind.p == NULL || !is_list_kind(kind))
		return cli_usage(c, "--kind must be actor, malware, tool, sector or country");
	return import_names(c, kind, ambiguous, words.p[0].p);
}

/* ---- benign values ---- */

/* The kinds that a value of the list may have: a list of strings has values of every type. */
static bool
add_value(struct columns *c, struct str value, bool any)
{
	static const enum value_kind kinds[] = { VALUE_HOST, VALUE_MD5, VALUE_SHA1, VALUE_SHA256,
		VALUE_SHA512, VALUE_EMAIL };
	struct str type = STR_NULL;

	if (str_starts(value, STR("."))) /* all names below: only the domain itself is compared */
		value = (struct str){ value.p + 1, value.n - 1 };
	if (memmem(value.p, value.n, "://", 3) != NULL)
		type = value_type(c->a, VALUE_URL, &value);
	for (size_t i = 0; i < (any ? COUNT(kinds) : 1) && type.p == NULL; i++)
		type = value_type(c->a, kinds[i], &value);
	if (type.p == NULL || value.n > BENIGN_BYTES)
		return false;
	add_row(c, type, value, STR_NULL);
	return true;
}

static enum db_rc
store_values(struct cli *c, struct str name, struct str licence, struct str version,
    const struct columns *rows)
{
	enum db_rc rc = db_begin(c->db);

	if (rc == DB_OK)
		rc = db_do(c->db, &benign_list_drop, NULL, P(name));
	if (rc == DB_OK)
		rc = db_do(c->db, &benign_list_add, NULL, P(name), P(licence), P(version));
	if (rc == DB_OK)
		rc = db_do(c->db, &benign_entry_add, NULL, P(name),
		    P(((struct strs){ rows->p[0], rows->n })),
		    P(((struct strs){ rows->p[1], rows->n })));
	if (rc == DB_OK)
		rc = db_commit(c->db);
	if (rc != DB_OK)
		db_rollback(c->db);
	return rc;
}

static struct str
version_of(struct arena *a, const struct json_value *root)
{
	const struct json_value *v = json_get(root, "version");
	int64_t n;

	if (v == NULL)
		return STR_NULL;
	return json_int(v, &n) ? arena_printf(a, "%jd", (intmax_t)n) : json_text(v);
}

static int
import_values(struct cli *c, struct arena *a, const struct json_value *root, struct str licence)
{
	const struct json_value *list = json_file_list(root, "list");
	struct str type = json_file_text(root, "type"), name = json_file_text(root, "name");
	struct columns rows = { .a = a };
	size_t left = 0;
	enum db_rc rc;
	int status;

	if (list == NULL || name.n == 0 || name.n > 200)
		return cli_fail(EXIT_FAILED, "the file is no warning list of MISP: it has no "
					     "\"list\" or no \"name\"");
	if (!str_is(type, "string") && !str_is(type, "hostname") && !str_is(type, "cidr"))
		return cli_fail(EXIT_FAILED,
		    "the list %.*s is refused: its type is %.*s, and only string, hostname and "
		    "cidr name "
		    "whole values",
		    (int)name.n, name.p, (int)type.n, type.p == NULL ? "" : type.p);
	for (size_t i = 0; i < json_length(list); i++) {
		struct str value = json_text(json_at(list, i));

		left += value.n == 0 || !add_value(&rows, value, str_is(type, "string"));
	}
	db_use(c->db, a, mono_us() + LIST_TIME);
	rc = store_values(c, name, licence, version_of(a, root), &rows);
	if (rc == DB_OK)
		printf(c->json ? "{\"values\":%zu,\"skipped\":%zu}\n" : "%zu values, %zu skipped\n",
		    rows.n, left);
	status = rc == DB_OK ? EXIT_OK : cli_fail_db(c, rc, "nothing was imported");
	db_use(c->db, c->arena, 0);
	return status;
}

int
import_benign(struct cli *c, int argc, char **argv)
{
	struct str licence = STR_NULL;
	struct cli_list words;
	const struct cli_option table[] = {
		{ .name = "licence", .text = &licence },
		{ .name = NULL },
	};
	const struct json_value *root;
	struct arena *a;
	int status;

	if (!cli_options(c, argc, argv, table, &words, 1, 1))
		return EXIT_USAGE;
	a = arena_new(LIST_MEMORY);
	root = json_file_read(a, words.p[0].p);
	status = root == NULL ? EXIT_FAILED : import_values(c, a, root, licence);
	arena_free(a);
	return status;
}
