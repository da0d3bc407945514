/* SPDX-License-Identifier: ISC */
/* The projects in whose inventories a record is, for rules of scope surface:
 *
 *   asset address 192.0.2.7      hosts and services of this address, open directories on it
 *   asset host www.example.org   hosts with this name, its DNS records, certificates and open directories
 *   asset domain example.org     the same for the name and all names below it, and its registration
 *
 * A host that has the tag cdn, or more than APEX_MOST apex domains, serves many owners: its names alone do not make it
 * anybody's (AREAS.md 0.2, rule 5). */
#include "config.h"

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

struct owners {
	const struct owner_row *rows;
	size_t n;
};

/* The members with the address, or with the names, of a record. */
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

/* Adds what an asset of this record may be called: its address, its names, and all names above these. */
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
compare_names(const void *l, const void *r)
{
	return str_cmp(*(const struct str *)l, *(const struct str *)r);
}

static struct strs
distinct_names(struct buf *names)
{
	struct str *all = (void *)names->p;
	size_t n = names->n / sizeof(*all), kept = 0;

	if (n > 0)
		qsort(all, n, sizeof(*all), compare_names);
	for (size_t i = 0; i < n; i++)
		if (i == 0 || !str_eq(all[i], all[kept - 1]))
			all[kept++] = all[i];
	return (struct strs){ all, kept };
}

static bool
wants_owners(const struct detect_rule *r)
{
	for (size_t i = 0; i < r->nruns; i++)
		if (r->runs[i].nprojects > 0)
			return true;
	return false;
}

enum db_rc
owners_read(struct detect *x, const struct batch *b, struct owners **out)
{
	struct buf names = { .a = x->a };
	const struct document *last = NULL;
	struct list rows = { 0 };
	enum db_rc rc = DB_OK;

	*out = ARENA_NEW(x->a, struct owners);
	for (size_t i = 0; i < b->nhits; i++) {
		const struct match *h = &b->hits[i];

		if (h->document == last ||
		    !wants_owners(h->rule)) /* services have the names of their host */
			continue;
		last = h->document;
		add_names(x->a, &names, h->rule->dataset, &h->at);
	}
	if (names.n > 0)
		rc = db_list(x->db, &list_owners, &rows, P(distinct_names(&names)));
	**out = (struct owners){ rows.items, rows.n };
	return rc;
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
	return apexes != NULL && json_length(apexes) > APEX_MOST;
}

static bool
serves_many(const struct match_document *m)
{
	return owners_serve_many(m->of == NULL ? m->own : m->of);
}

static bool
names_record(const struct owner_row *row, struct strs ips, struct strs hosts)
{
	if (str_is(row->kind, "address")) {
		for (size_t i = 0; i < ips.n; i++)
			if (str_eq(ips.p[i], row->name))
				return true;
		return false;
	}
	for (size_t i = 0; i < hosts.n; i++)
		if (str_is(row->kind, "domain") ? str_within(hosts.p[i], row->name)
						: str_eq(hosts.p[i], row->name))
			return true;
	return false;
}

bool
owners_find(const struct owners *o, struct arena *a, enum dataset d, const struct match_document *m,
    struct owner *of_project)
{
	size_t place = place_of(d);
	struct strs ips = texts_of(a, m, places[place].ip),
		    hosts = texts_of(a, m, places[place].names);
	bool many = places[place].ip != NULL && serves_many(m), found = false;

	for (size_t i = 0; i < o->n; i++) {
		const struct owner_row *row = &o->rows[i];
		bool address = str_is(row->kind, "address");

		if (uuid_cmp(&row->project_uuid, &of_project->project) != 0 || (!address && many) ||
		    (found && !address) || !names_record(row, ips, hosts))
			continue;
		of_project->matched_by = address ? "address" : "hostname";
		of_project->kind = row->kind;
		of_project->name = row->name;
		found = true;
	}
	return found;
}

/* ---- for detectors ---- */

enum db_rc
owners_of_batch(struct detect *x, struct batch *b, const struct owners **out)
{
	struct buf names = { .a = x->a };
	struct list rows = { 0 };
	struct owners *o;
	enum db_rc rc = DB_OK;

	if (b->owners == NULL && has_places(b->source)) {
		for (size_t i = 0; i < b->ndocuments; i++)
			if (b->documents[i].named != NULL)
				add_names(x->a, &names, b->source,
				    &(struct match_document){ .own = b->documents[i].named });
		if (names.n > 0)
			rc = db_list(x->db, &list_owners, &rows, P(distinct_names(&names)));
	}
	if (b->owners == NULL) {
		o = ARENA_NEW(x->a, struct owners);
		*o = (struct owners){ rows.items, rows.n };
		if (rc == DB_OK)
			b->owners = o;
	}
	*out = b->owners;
	return rc;
}

/* Adds the owner, or makes the one that the project has already better: an address says more than a name. */
static size_t
add_owner(struct arena *a, struct owner **out, size_t n, const struct owner_row *row)
{
	bool address = str_is(row->kind, "address");
	size_t i = 0;

	while (i < n && uuid_cmp(&(*out)[i].project, &row->project_uuid) != 0)
		i++;
	if (i < n && !address)
		return n;
	if (i == n)
		*out = arena_room(a, *out, n++, sizeof(**out));
	(*out)[i] = (struct owner){ .project = row->project_uuid,
		.matched_by = address ? "address" : "hostname",
		.kind = row->kind,
		.name = row->name };
	return n;
}

struct list
owners_list(const struct owners *o, struct arena *a, enum dataset d, const struct json_value *named)
{
	struct match_document m = { .own = named };
	struct strs ips, hosts;
	struct owner *out = NULL;
	size_t place, n = 0;
	bool many;

	if (named == NULL || o->n == 0)
		return (struct list){ 0 };
	place = place_of(d);
	ips = texts_of(a, &m, places[place].ip);
	hosts = texts_of(a, &m, places[place].names);
	many = places[place].ip != NULL && serves_many(&m);
	for (size_t i = 0; i < o->n; i++)
		if ((str_is(o->rows[i].kind, "address") || !many) &&
		    names_record(&o->rows[i], ips, hosts))
			n = add_owner(a, &out, n, &o->rows[i]);
	return (struct list){ out, n };
}
