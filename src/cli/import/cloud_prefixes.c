/* SPDX-License-Identifier: ISC */
/* surfacectl import cloud-prefixes: the addresses of cloud providers, from the files that they
 * publish.
 *
 *   AWS      ip-ranges.json     {"prefixes": [{"ip_prefix", "region", "service"}], "ipv6_prefixes": [{"ipv6_prefix", ...}]}
 *   Google   cloud.json         {"prefixes": [{"ipv4Prefix" or "ipv6Prefix", "scope", "service"}]}
 *   Azure    service tags       {"values": [{"name", "properties": {"region", "systemService", "addressPrefixes": [...]}}]}
 *
 * A file replaces the prefixes of its provider. */
#include "config.h"

#include "cli/import/import.h"
#include "cli/import/json_file.h"
#include "json/tree.h"

enum { NAME_MOST = 200 };

STMT(drop_cloud_prefixes, NULL, "DELETE FROM cloud_prefix WHERE provider = $1");
/* A prefix that several services have is shared if one of them shares it. */
STMT(add_cloud_prefixes, NULL,
    "INSERT INTO cloud_prefix (provider, prefix, region, service, shared)"
    " SELECT DISTINCT ON (network(p::inet)) $1, network(p::inet), nullif(r, ''), nullif(s, ''), "
    "h::bool"
    " FROM unnest($2::text[], $3::text[], $4::text[], $5::text[]) AS t (p, r, s, h)"
    " ORDER BY network(p::inet), h::bool DESC, s = 'AMAZON', s");

static const struct {
	const char *provider, *list, *prefix4, *prefix6, *region, *service;
} formats[] = {
#define CLOUD_FORMAT(provider, list, prefix4, prefix6, region, service)                            \
	{ provider, list, prefix4, prefix6, region, service },
#include "tbl/cloud_formats.h"
};

static const struct {
	const char *provider, *service;
} shared[] = {
#define CLOUD_SHARED(provider, service) { provider, service },
#include "tbl/cloud_formats.h"
};

struct prefix_file {
	struct cli *c;
	struct arena *a;
	const char *path, *provider;
	struct strs columns[4]; /* prefix, region, service, shared */
	int64_t stored, refused;
};

static void
add_cell(struct prefix_file *f, size_t i, struct str value)
{
	struct str *p =
	    arena_room(f->a, (void *)(uintptr_t)f->columns[i].p, f->columns[i].n, sizeof(*p));

	p[f->columns[i].n++] = value;
	f->columns[i].p = p;
}

static bool
is_shared(const struct prefix_file *f, struct str service)
{
	for (size_t i = 0; i < COUNT(shared); i++)
		if (strcmp(shared[i].provider, f->provider) == 0 &&
		    str_is(service, shared[i].service))
			return true;
	return false;
}

static struct str
short_name(struct str s)
{
	return s.p == NULL ? STR("") : str_cut(s, NAME_MOST);
}

static void
add_cloud_prefix(struct prefix_file *f, struct str prefix, struct str region, struct str service)
{
	struct ipnet net;

	if (!ipnet_parse(prefix, &net)) {
		f->refused++;
		fprintf(stderr, "%s: \"%.*s\" is no prefix of addresses\n", f->path, (int)prefix.n,
		    prefix.p == NULL ? "" : prefix.p);
		return;
	}
	add_cell(f, 0, ipnet_text(f->a, &net));
	add_cell(f, 1, short_name(region));
	add_cell(f, 2, short_name(service));
	add_cell(f, 3, is_shared(f, service) ? STR("t") : STR("f"));
}

/* Reads the lists that have the form of a row. */
static void
read_lists(struct prefix_file *f, const struct json_value *root, size_t row)
{
	const struct json_value *list = json_file_list(root, formats[row].list);

	for (size_t i = 0; list != NULL && i < json_length(list); i++) {
		const struct json_value *one = json_at(list, i);
		struct str prefix = json_file_text(one, formats[row].prefix4);

		if (prefix.p == NULL)
			prefix = json_file_text(one, formats[row].prefix6);
		add_cloud_prefix(f, prefix, json_file_text(one, formats[row].region),
		    json_file_text(one, formats[row].service));
	}
}

static void
read_service_tags(struct prefix_file *f, const struct json_value *values)
{
	for (size_t i = 0; i < json_length(values); i++) {
		const struct json_value *about = json_type(json_at(values, i)) == JSON_OBJECT
						     ? json_get(json_at(values, i), "properties")
						     : NULL;
		const struct json_value *list = json_file_list(about, "addressPrefixes");

		for (size_t k = 0; list != NULL && k < json_length(list); k++)
			add_cloud_prefix(f, json_text(json_at(list, k)),
			    json_file_text(about, "region"),
			    json_file_text(about, "systemService"));
	}
}

/* The row of formats that fits the file: the file has the row's list, with an object that has a
   prefix. COUNT(formats): no row fits. */
static size_t
format_row(const struct json_value *root)
{
	size_t i;

	for (i = 0; i < COUNT(formats); i++) {
		const struct json_value *list = json_file_list(root, formats[i].list),
					*one = list == NULL || json_length(list) == 0
						   ? NULL
						   : json_at(list, 0);

		if (json_file_text(one, formats[i].prefix4).p != NULL ||
		    json_file_text(one, formats[i].prefix6).p != NULL)
			break;
	}
	return i;
}

/* False: the file has no known form. */
static bool
read_prefixes(struct prefix_file *f, const struct json_value *root)
{
	const struct json_value *values = json_file_list(root, "values");
	size_t row = format_row(root);

	if (row < COUNT(formats)) {
		f->provider = formats[row].provider;
		for (size_t i = 0; i < COUNT(formats); i++)
			if (strcmp(formats[i].provider, f->provider) == 0)
				read_lists(f, root, i);
	} else if (values != NULL) {
		f->provider = "Azure";
		read_service_tags(f, values);
	}
	return f->columns[0].n > 0;
}

static enum db_rc
store_prefixes(struct prefix_file *f)
{
	struct str provider = str_of(f->provider);
	enum db_rc rc = db_begin(f->c->db);

	if (rc == DB_OK)
		rc = db_do(f->c->db, &drop_cloud_prefixes, NULL, P(provider));
	if (rc == DB_OK)
		rc = db_do(f->c->db, &add_cloud_prefixes, &f->stored, P(provider), P(f->columns[0]),
		    P(f->columns[1]), P(f->columns[2]), P(f->columns[3]));
	if (rc == DB_OK)
		rc = db_commit(f->c->db);
	if (rc != DB_OK)
		db_rollback(f->c->db);
	return rc;
}

static int
import_prefix_file(struct prefix_file *f)
{
	const struct json_value *root = json_file_read(f->a, f->path);
	enum db_rc rc;

	if (root == NULL)
		return EXIT_FAILED;
	if (!read_prefixes(f, root))
		return cli_fail(EXIT_FAILED,
		    "%s has no prefixes: it is no ip-ranges.json of AWS, no cloud.json of Google "
		    "and "
		    "no file of Azure's service tags",
		    f->path);
	db_use(f->c->db, f->a, mono_us() + JSON_FILE_TIME_S * SECOND_US);
	rc = store_prefixes(f);
	if (rc == DB_OK)
		printf(f->c->json ? "{\"provider\":\"%s\",\"prefixes\":%jd,\"refused\":%jd}\n"
				  : "%s: %jd prefixes, %jd refused\n",
		    f->provider, (intmax_t)f->stored, (intmax_t)f->refused);
	return rc == DB_OK ? EXIT_OK : cli_fail_db(f->c, rc, "nothing was imported");
}

int
import_cloud_prefixes(struct cli *c, int argc, char **argv)
{
	static const struct cli_option none[] = { { .name = NULL } };
	struct prefix_file f = { .c = c };
	struct cli_list words;
	int status;

	if (!cli_options(c, argc, argv, none, &words, 1, 1))
		return EXIT_USAGE;
	f.a = arena_new((size_t)4 << 30);
	f.path = words.p[0].p;
	status = import_prefix_file(&f);
	db_use(c->db, c->arena, 0);
	arena_free(f.a);
	return status;
}
