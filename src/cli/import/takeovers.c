/* SPDX-License-Identifier: ISC */
/* surfacectl import takeovers: fingerprints.json of can-i-take-over-xyz, which adds providers to
 * those of tbl/takeover.h.
 *
 *   [{"service": "Surge.sh", "cname": ["surge.sh"], "fingerprint": "project not found", "nxdomain":
 *   false,
 *     "status": "Vulnerable", "vulnerable": true}, ...]
 *
 * A member of cname that is not a name, such as an address or a URL, is refused with a message that
 * contains it; the others are stored. The file replaces the entries of the last one. */
#include "config.h"

#include "address/start_url.h"
#include "cli/import/import.h"
#include "cli/import/json_file.h"
#include "cli/import/takeovers.h"
#include "json/tree.h"

enum { PROVIDER_MOST = 200, PAGE_MOST = 1000 };

STMT(drop_takeovers, NULL, "DELETE FROM takeover_imported");
/* Two services may have the same suffix; then the more cautious status is stored. */
STMT(add_takeovers, NULL,
    "INSERT INTO takeover_imported (suffix, provider, mode, claim, page)"
    " SELECT DISTINCT ON (s) s, p, m, c, nullif(g, '')"
    " FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[]) AS t (s, p, m, c, g)"
    " ORDER BY s, array_position('{closed,disputed,open}', c), p");

struct page_text_row {
	struct str suffix, provider, page;
};

static const struct field page_text_out[] = {
	FIELD(struct page_text_row, suffix, 0),
	FIELD(struct page_text_row, provider, 0),
	FIELD(struct page_text_row, page, 0),
	FIELD_END,
};

STMT_LIST(list_page_texts, struct page_text_row, page_text_out,
    "SELECT suffix, provider, page FROM takeover_imported WHERE mode = 'page' AND page IS NOT NULL"
    " ORDER BY suffix");

enum db_rc
takeovers_read(struct cli *c, struct arena *a, struct takeovers *out)
{
	struct list rows = { 0 };
	enum db_rc rc;
	const struct page_text_row *row;
	struct takeover *all;

	db_use(c->db, a, 0);
	rc = db_rows(c->db, &list_page_texts, &rows, DB_NO_ARGS);
	row = rows.items;
	all = ARENA_ARRAY(a, rows.n + 1, struct takeover);
	for (size_t i = 0; i < rows.n; i++)
		all[i] = (struct takeover){ .suffix = row[i].suffix,
			.provider = row[i].provider,
			.page = row[i].page,
			.mode = TAKEOVER_PAGE };
	*out = (struct takeovers){ all, rows.n };
	db_use(c->db, c->arena, 0);
	return rc;
}

struct takeover_file {
	struct cli *c;
	struct arena *a;
	const char *path;
	struct strs columns[5]; /* suffix, provider, mode, claim, page */
	int64_t services, stored, refused, unnamed;
};

static void
add_takeover_column(struct takeover_file *f, size_t i, struct str value)
{
	struct str *p =
	    arena_room(f->a, (void *)(uintptr_t)f->columns[i].p, f->columns[i].n, sizeof(*p));

	p[f->columns[i].n++] = value;
	f->columns[i].p = p;
}

/* Brings a member of cname into the form of a suffix. False: customers cannot have names below
   it. */
static bool
suffix_of(struct arena *a, struct str *s)
{
	struct str name = arena_lower(a, str_trim(*s));
	struct ipnet ip;
	size_t dots = 0, label = 0;

	if (str_starts(name, STR("*.")))
		name = (struct str){ name.p + 2, name.n - 2 };
	if (name.n > 0 && name.p[0] == '.')
		name = (struct str){ name.p + 1, name.n - 1 };
	if (name.n > 0 && name.p[name.n - 1] == '.')
		name.n--;
	for (size_t i = 0; i < name.n; i++) {
		bool dot = name.p[i] == '.';

		if (!dot && !ascii_digit(name.p[i]) && name.p[i] != '-' && name.p[i] != '_' &&
		    (name.p[i] < 'a' || name.p[i] > 'z'))
			return false;
		if (dot && label == 0)
			return false;
		dots += dot;
		label = dot ? 0 : label + 1;
		if (label > 63)
			return false;
	}
	*s = name;
	return dots > 0 && label > 0 && name.n <= LIM_DNS_NAME && !ipnet_parse_address(name, &ip) &&
	       !host_suffix_icann(name);
}

static const char *
status_claim(const struct json_value *service)
{
	const struct json_value *vulnerable = json_get(service, "vulnerable");
	struct str status = json_file_text(service, "status");

	if (str_is_nocase(status, "Edge case"))
		return "disputed";
	return vulnerable != NULL && json_bool(vulnerable) ? "open" : "closed";
}

static void
add_takeover_service(struct takeover_file *f, const struct json_value *service)
{
	const struct json_value *names = json_file_list(service, "cname"),
				*gone = json_get(service, "nxdomain");
	struct str provider = json_file_text(service, "service"),
		   page = json_file_text(service, "fingerprint");
	bool nxdomain = gone != NULL && json_bool(gone);

	f->services++;
	f->unnamed += names == NULL || json_length(names) == 0;
	for (size_t i = 0; names != NULL && i < json_length(names); i++) {
		struct str suffix = json_text(json_at(names, i)), shown = suffix;

		if (!suffix_of(f->a, &suffix)) {
			f->refused++;
			fprintf(stderr, "%s: %.*s: cname \"%.*s\" is no name of a provider\n",
			    f->path, (int)provider.n, provider.p, (int)shown.n,
			    shown.p == NULL ? "" : shown.p);
			continue;
		}
		add_takeover_column(f, 0, suffix);
		add_takeover_column(f, 1, provider);
		add_takeover_column(f, 2, nxdomain ? STR("nxdomain") : STR("page"));
		add_takeover_column(f, 3, str_of(status_claim(service)));
		add_takeover_column(f, 4, nxdomain || page.n > PAGE_MOST ? STR("") : page);
	}
}

/* NULL, or why a service cannot be read. */
static const char *
service_fault(const struct json_value *service)
{
	struct str provider = json_file_text(service, "service");
	const struct json_value *vulnerable;

	if (json_type(service) != JSON_OBJECT)
		return "is no object";
	vulnerable = json_get(service, "vulnerable");
	if (provider.n == 0 || str_chars(provider) > PROVIDER_MOST ||
	    memchr(provider.p, '\0', provider.n) != NULL)
		return "has no \"service\", a text of at most 200 characters";
	if (vulnerable == NULL || json_type(vulnerable) != JSON_BOOL)
		return "has no \"vulnerable\", true or false";
	return NULL;
}

static enum db_rc
store_takeovers(struct takeover_file *f)
{
	enum db_rc rc = db_begin(f->c->db);

	if (rc == DB_OK)
		rc = db_run(f->c->db, &drop_takeovers, NULL, DB_NO_ARGS);
	if (rc == DB_OK)
		rc = db_do(f->c->db, &add_takeovers, &f->stored, P(f->columns[0]), P(f->columns[1]),
		    P(f->columns[2]), P(f->columns[3]), P(f->columns[4]));
	if (rc == DB_OK)
		rc = db_commit(f->c->db);
	if (rc != DB_OK)
		db_rollback(f->c->db);
	return rc;
}

static int
read_takeovers(struct takeover_file *f)
{
	const struct json_value *root = json_file_read(f->a, f->path);
	enum db_rc rc;

	if (root == NULL)
		return EXIT_FAILED;
	if (json_type(root) != JSON_ARRAY || json_length(root) == 0)
		return cli_fail(EXIT_FAILED,
		    "%s is no fingerprints.json of can-i-take-over-xyz: it is no list of services",
		    f->path);
	for (size_t i = 0; i < json_length(root); i++) {
		const char *fault = service_fault(json_at(root, i));

		if (fault != NULL)
			return cli_fail(EXIT_FAILED, "%s: service %zu %s; nothing was imported",
			    f->path, i + 1, fault);
		add_takeover_service(f, json_at(root, i));
	}
	db_use(f->c->db, f->a, mono_us() + JSON_FILE_TIME_S * SECOND_US);
	rc = store_takeovers(f);
	if (rc == DB_OK)
		printf(f->c->json
			   ? "{\"services\":%jd,\"names\":%jd,\"refused\":%jd,\"unnamed\":%jd}\n"
			   : "%jd services, %jd names, %jd refused, %jd services without names\n",
		    (intmax_t)f->services, (intmax_t)f->stored, (intmax_t)f->refused,
		    (intmax_t)f->unnamed);
	return rc == DB_OK ? EXIT_OK : cli_fail_db(f->c, rc, "nothing was imported");
}

int
import_takeovers(struct cli *c, int argc, char **argv)
{
	static const struct cli_option none[] = { { .name = NULL } };
	struct takeover_file f = { .c = c };
	struct cli_list words;
	int status;

	if (!cli_options(c, argc, argv, none, &words, 1, 1))
		return EXIT_USAGE;
	f.a = arena_new((size_t)4 << 30);
	f.path = words.p[0].p;
	status = read_takeovers(&f);
	db_use(c->db, c->arena, 0);
	arena_free(f.a);
	return status;
}
