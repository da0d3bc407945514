/* SPDX-License-Identifier: ISC */
/* Finds the projects that own a record, by the assets in their inventories:
 *
 *   asset address 192.0.2.7      hosts and services of this address, open directories on it
 *   asset host www.example.org   hosts with this name, its DNS records, certificates and open
 *                                directories
 *   asset domain example.org     the same for the name and all names below it, and its registration
 *
 * A host with the tag cdn or with more than LIM_APEX_DOMAINS apex domains serves many owners: its
 * names do not prove that it belongs to a project (C-198). */
#include "config.h"

#include "base/limits.h"
#include "detect/owners.h"
#include "detect/shown.h"
#include "json/tree.h"

enum { NAMES_MOST = 1000 }; /* of one record */

struct owner_row {
	struct str name, kind;
	struct uuid project_uuid;
};

static const struct field owner_out[] = {
	FIELD(struct owner_row, name, 0),
	FIELD(struct owner_row, kind, 0),
	FIELD(struct owner_row, project_uuid, 0),
	FIELD_END,
};

STMT_LIST(list_owners, struct owner_row, owner_out,
    "SELECT name, kind, project_uuid FROM detect_owners($1)");

/* Sorted by name. */
struct owners {
	const struct owner_row *rows;
	size_t n;
};

/* The members of a record that contain its address and its names. */
static const struct {
	enum dataset dataset;
	const char *ip, *names;
} places[] = {
	{ DATASET_HOSTS, "ip", "hostnames" },
	{ DATASET_SERVICES, "ip", "hostnames" },
	{ DATASET_DNS, NULL, "host" },
	{ DATASET_WHOIS, NULL, "domain" },
	{ DATASET_CERTIFICATES, NULL, "names" },
	{ DATASET_DIRECTORIES, "ip", "host" },
};

static struct strs
texts_of(struct arena *a, const struct match_document *m, const char *name)
{
	const struct json_value *v = name == NULL ? NULL : shown_member(m, name);
	size_t n = v == NULL ? 0 : json_type(v) == JSON_ARRAY ? json_length(v) : 1, found = 0;
	struct str *out = ARENA_ARRAY(a, n + 1, struct str);

	for (size_t i = 0; i < n && found < NAMES_MOST; i++) {
		const struct json_value *item = json_type(v) == JSON_ARRAY ? json_at(v, i) : v;

		if (json_type(item) != JSON_STRING)
			continue;
		out[found] = json_text(item);
		if (str_starts(out[found], STR("*."))) /* of a certificate */
			out[found] = (struct str){ out[found].p + 2, out[found].n - 2 };
		found++;
	}
	return (struct strs){ out, found };
}

static size_t
place_of(enum dataset d)
{
	size_t i = 0;

	while (places[i].dataset != d)
		i++;
	return i;
}

static bool
has_places(enum dataset d)
{
	return d != DATASET_REPORTS;
}

static void
add_name(struct buf *names, struct str name)
{
	buf_add(names, &name, sizeof(name));
}

/* Adds the names of all assets that may own this record: its address, its names, and their parent
   names. */
static void
add_names(struct arena *a, struct buf *names, enum dataset d, const struct match_document *m)
{
	size_t place = place_of(d);
	struct strs ips = texts_of(a, m, places[place].ip),
		    hosts = texts_of(a, m, places[place].names);

	for (size_t i = 0; i < ips.n; i++)
		add_name(names, ips.p[i]);
	for (size_t i = 0; i < hosts.n; i++)
		for (struct str s = hosts.p[i]; s.n > 0;) {
			const char *dot = memchr(s.p, '.', s.n);

			add_name(names, s);
			s = dot == NULL ? (struct str){ s.p, 0 }
					: (struct str){ dot + 1, s.n - (size_t)(dot + 1 - s.p) };
		}
}

static int
compare_name_texts(const void *l, const void *r)
{
	return str_cmp(*(const struct str *)l, *(const struct str *)r);
}

static struct strs
distinct_names(struct buf *names)
{
	struct str *all = (void *)names->p;
	size_t n = names->n / sizeof(*all), kept = 0;

	if (n > 0)
		qsort(all, n, sizeof(*all), compare_name_texts);
	for (size_t i = 0; i < n; i++)
		if (i == 0 || !str_eq(all[i], all[kept - 1]))
			all[kept++] = all[i];
	return (struct strs){ all, kept };
}

static bool
wants_owners(const struct detect_rule *r)
{
	for (size_t i = 0; i < r->nruns; i++)
		if (r->runs[i].all || r->runs[i].nprojects > 0)
			return true;
	return false;
}

static int
compare_owner_rows(const void *l, const void *r)
{
	return str_cmp(((const struct owner_row *)l)->name, ((const struct owner_row *)r)->name);
}

/* Reads the assets with these names. */
static enum db_rc
read_assets(struct detect *x, struct buf *names, struct owners **out)
{
	struct list rows = { 0 };
	enum db_rc rc = DB_OK;

	*out = ARENA_NEW(x->a, struct owners);
	if (names->n > 0)
		rc = db_list(x->db, &list_owners, &rows, P(distinct_names(names)));
	if (rc == DB_OK && rows.n > 0)
		qsort((void *)(uintptr_t)rows.items, rows.n, sizeof(struct owner_row),
		    compare_owner_rows);
	**out = (struct owners){ rows.items, rows.n };
	return rc;
}

enum db_rc
owners_read(struct detect *x, const struct batch *b, struct owners **out)
{
	struct buf names = { .a = x->a };
	const struct document *last = NULL;

	for (size_t i = 0; i < b->nhits; i++) {
		const struct match *h = &b->hits[i];

		/* the services of a document all have the names of their host */
		if (h->document == last || !wants_owners(h->rule))
			continue;
		last = h->document;
		add_names(x->a, &names, h->rule->dataset, &h->at);
	}
	return read_assets(x, &names, out);
}

bool
owners_serve_many(const struct json_value *host)
{
	const struct json_value *tags = match_member(host, "tags"),
				*apexes = match_member(host, "apex_domains");

	for (size_t i = 0; tags != NULL && i < json_length(tags); i++)
		if (json_type(json_at(tags, i)) == JSON_STRING &&
		    str_is(json_text(json_at(tags, i)), "cdn"))
			return true;
	return apexes != NULL && json_length(apexes) > LIM_APEX_DOMAINS;
}

static bool
address_serves_many(const struct match_document *m)
{
	return owners_serve_many(m->of == NULL ? m->own : m->of);
}

/* ---- the owners of one record ---- */

struct owners_found {
	const struct owners *all;
	struct arena *a;
	struct owner *found;
	size_t n;
};

/* Adds the assets of this name and of one of two kinds. */
static void
add_assets(struct owners_found *f, struct str name, const char *kind, const char *other)
{
	const struct owner_row wanted = { .name = name }, *all = f->all->rows, *row;
	size_t i;

	row = f->all->n == 0 ? NULL
			     : bsearch(&wanted, all, f->all->n, sizeof(wanted), compare_owner_rows);
	if (row == NULL)
		return;
	for (i = (size_t)(row - all); i > 0 && str_eq(all[i - 1].name, name);)
		i--;
	for (; i < f->all->n && str_eq(all[i].name, name); i++) {
		if (!str_is(all[i].kind, kind) && !str_is(all[i].kind, other))
			continue;
		f->found = arena_room(f->a, f->found, f->n, sizeof(*f->found));
		f->found[f->n++] = (struct owner){ .project = all[i].project_uuid,
			.matched_by = str_is(all[i].kind, "address") ? "address" : "hostname",
			.kind = all[i].kind,
			.name = all[i].name };
	}
}

/* Sorts by project, then the strongest reason first: an address before a name, and a name before
   its parents. */
static int
compare_owners(const void *l, const void *r)
{
	const struct owner *a = l, *b = r;
	int c = uuid_cmp(&a->project, &b->project);

	if (c == 0)
		c = strcmp(a->matched_by, b->matched_by);
	if (c == 0 && a->name.n != b->name.n)
		c = a->name.n > b->name.n ? -1 : 1;
	if (c == 0)
		c = str_cmp(a->name, b->name);
	return c == 0 ? -str_cmp(a->kind, b->kind) : c;
}

struct list
owners_list(const struct owners *o, struct arena *a, enum dataset d, const struct match_document *m)
{
	struct owners_found f = { .all = o, .a = a };
	struct strs ips, hosts;
	size_t place, kept = 0;

	if (o->n == 0)
		return (struct list){ NULL, 0 };
	place = place_of(d);
	ips = texts_of(a, m, places[place].ip);
	hosts = texts_of(a, m, places[place].names);
	for (size_t i = 0; i < ips.n; i++)
		add_assets(&f, ips.p[i], "address", "address");
	if (places[place].ip != NULL && address_serves_many(m))
		hosts.n = 0;
	for (size_t i = 0; i < hosts.n; i++) {
		struct str name = hosts.p[i];
		const char *dot;

		add_assets(&f, name, "domain", "host");
		while ((dot = memchr(name.p, '.', name.n)) != NULL) {
			name = (struct str){ dot + 1, name.n - (size_t)(dot + 1 - name.p) };
			add_assets(&f, name, "domain", "domain");
		}
	}
	if (f.n > 0)
		qsort(f.found, f.n, sizeof(*f.found), compare_owners);
	for (size_t i = 0; i < f.n; i++)
		if (i == 0 || uuid_cmp(&f.found[i].project, &f.found[kept - 1].project) != 0)
			f.found[kept++] = f.found[i];
	return (struct list){ f.found, kept };
}

/* ---- for detectors ---- */

enum db_rc
owners_of_batch(struct detect *x, struct batch *b, const struct owners **out)
{
	struct buf names = { .a = x->a };
	struct owners *o;
	enum db_rc rc = DB_OK;

	if (b->owners == NULL) {
		for (size_t i = 0; has_places(b->source) && i < b->ndocuments; i++)
			if (b->documents[i].named != NULL)
				add_names(x->a, &names, b->source,
				    &(struct match_document){ .own = b->documents[i].named });
		rc = read_assets(x, &names, &o);
		if (rc == DB_OK)
			b->owners = o;
	}
	*out = b->owners;
	return rc;
}
