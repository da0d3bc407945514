/* SPDX-License-Identifier: ISC */
/* Reads the facts about the subjects of a look, with a few statements for all subjects together:
 *
 *   the subjects, and wildcards above them
 *     | their records lead to names, round after round, as far as aliases are followed
 *     v
 *   records --> registrations of all domains, captures of the subjects, cloud addresses -->
 *   certificates of these */
#include "config.h"

#include "base/limits.h"
#include "base/encode.h"
#include "detect/dangling.h"
#include "json/json.h"
#include "json/tree.h"
#include "record/lookup.h"
#include "record/registration.h"

#include <stdlib.h>

/* The types whose records are judged, and SOA. */
static const char *const types[] = { "A", "NS", "CNAME", "SOA", "MX", "TXT", "AAAA", "SRV" };

struct document_row {
	struct str doc;
};

static const struct field document_out[] = {
	FIELD(struct document_row, doc, 0),
	FIELD_END,
};

struct asset_row {
	struct str kind, name;
};

static const struct field asset_out[] = {
	FIELD(struct asset_row, kind, 0),
	FIELD(struct asset_row, name, 0),
	FIELD_END,
};

struct takeover_row {
	struct str suffix, provider, mode, claim, page;
};

static const struct field takeover_out[] = {
	FIELD(struct takeover_row, suffix, 0),
	FIELD(struct takeover_row, provider, 0),
	FIELD(struct takeover_row, mode, 0),
	FIELD(struct takeover_row, claim, 0),
	FIELD(struct takeover_row, page, NULLABLE),
	FIELD_END,
};

struct page_row {
	struct str hostname;
	struct list takeover_providers;
	struct ts captured_at;
};

static const struct field page_out[] = {
	FIELD(struct page_row, hostname, 0),
	LIST_OF(struct page_row, takeover_providers, 0, struct str, 0, 0),
	FIELD(struct page_row, captured_at, 0),
	FIELD_END,
};

struct address_row {
	struct str ip, provider, region;
	bool allocated, allocates;
};

static const struct field address_out[] = {
	FIELD(struct address_row, ip, 0),
	FIELD(struct address_row, provider, 0),
	FIELD(struct address_row, region, NULLABLE),
	FIELD(struct address_row, allocated, 0),
	FIELD(struct address_row, allocates, 0),
	FIELD_END,
};

struct since_row {
	struct str key, transport;
	int64_t port;
	struct ts since;
};

static const struct field since_out[] = {
	FIELD(struct since_row, key, 0),
	FIELD(struct since_row, port, 0),
	FIELD(struct since_row, transport, NULLABLE),
	FIELD(struct since_row, since, 0),
	FIELD_END,
};

STMT_LIST(list_dangling_documents, struct document_row, document_out,
    "SELECT doc FROM dangling_documents($1::smallint, $2, $3, $4)");
STMT_LIST(list_dangling_assets, struct asset_row, asset_out,
    "SELECT kind, name FROM dangling_assets($1, $2)");
STMT_LIST(list_takeovers, struct takeover_row, takeover_out,
    "SELECT suffix, provider, mode, claim, page FROM dangling_takeovers()");
STMT_LIST(list_dangling_pages, struct page_row, page_out,
    "SELECT hostname, takeover_providers, captured_at FROM dangling_pages($1, $2)");
STMT_LIST(list_dangling_addresses, struct address_row, address_out,
    "SELECT ip, provider, region, allocated, allocates FROM dangling_addresses($1, $2)");
STMT_LIST(list_certificates_since, struct since_row, since_out,
    "SELECT key, port, transport, since FROM dangling_certificates($1)");

/* ---- lists of names ---- */

struct reading {
	struct look *l;
	struct arena *a;
	struct dangling_world *w;
	struct dangling_assets *assets;
	struct strs known; /* sorted: names whose records were read */
	struct dangling_record *records;
};

static int
compare_names(const void *l, const void *r)
{
	return str_cmp(*(const struct str *)l, *(const struct str *)r);
}

static bool
is_in(struct strs sorted, struct str name)
{
	return sorted.n > 0 &&
	       bsearch(&name, sorted.p, sorted.n, sizeof(name), compare_names) != NULL;
}

static void
add_text(struct arena *a, struct strs *list, struct str name)
{
	struct str *p = arena_room(a, (void *)(uintptr_t)list->p, list->n, sizeof(*p));

	p[list->n++] = name;
	list->p = p;
}

/* Sorts a list and drops duplicates. */
static struct strs
distinct(struct strs list)
{
	struct str *p = (void *)(uintptr_t)list.p;
	size_t kept = 0;

	if (list.n > 0)
		qsort(p, list.n, sizeof(*p), compare_names);
	for (size_t i = 0; i < list.n; i++)
		if (i == 0 || !str_eq(p[i], p[kept - 1]))
			p[kept++] = p[i];
	return (struct strs){ p, kept };
}

/* Adds a name and all its parent names. */
static void
add_above(struct arena *a, struct strs *list, struct str name)
{
	while (name.n > 0) {
		const char *dot = memchr(name.p, '.', name.n);

		add_text(a, list, name);
		name = dot == NULL ? (struct str){ name.p, 0 }
				   : (struct str){ dot + 1, name.n - (size_t)(dot + 1 - name.p) };
	}
}

/* ---- assets ---- */

/* Reads the assets of the project that equal one of the names or a parent of one. */
static enum db_rc
read_dangling_assets(struct reading *r, struct strs names)
{
	struct strs all = { NULL, 0 };
	struct list rows = { 0 };
	const struct asset_row *row;
	enum db_rc rc;

	for (size_t i = 0; i < names.n; i++)
		add_above(r->a, &all, names.p[i]);
	rc = db_list(r->l->x->db, &list_dangling_assets, &rows, P(r->l->project), P(distinct(all)));
	row = rows.items;
	*r->assets = (struct dangling_assets){ { NULL, 0 }, { NULL, 0 } };
	for (size_t i = 0; i < rows.n; i++)
		add_text(r->a,
		    str_is(row[i].kind, "domain") ? &r->assets->domains : &r->assets->hosts,
		    row[i].name);
	r->w->own = r->assets->domains;
	return rc;
}

struct str
dangling_asset(const struct dangling_assets *assets, struct str name, const char **kind)
{
	struct str best = STR_NULL;

	*kind = "host";
	for (size_t i = 0; i < assets->hosts.n; i++)
		if (str_eq(assets->hosts.p[i], name))
			return assets->hosts.p[i];
	*kind = "domain";
	for (size_t i = 0; i < assets->domains.n; i++)
		if (str_within(name, assets->domains.p[i]) && assets->domains.p[i].n > best.n)
			best = assets->domains.p[i];
	return best;
}

/* ---- documents ---- */

/* Reads the documents whose keys begin with one of these keys, at most LIM_DANGLING_RECORDS for each. */
static enum db_rc
read_dangling_documents(struct reading *r, enum dataset d, struct strs keys, struct list *rows)
{
	const int64_t number = record_dataset_number(d), most = LIM_DANGLING_RECORDS;
	struct strs froms = { NULL, 0 }, behinds = { NULL, 0 };

	for (size_t i = 0; i < keys.n; i++) {
		add_text(r->a, &froms, hex_text(r->a, keys.p[i]));
		add_text(r->a, &behinds, hex_text(r->a, record_key_behind(r->a, keys.p[i])));
	}
	*rows = (struct list){ 0 };
	return keys.n == 0 ? DB_OK
			   : db_list(r->l->x->db, &list_dangling_documents, rows, P(number),
				 P(froms), P(behinds), P(most));
}

static void
add_dangling_record(struct reading *r, struct str text)
{
	const struct json_value *doc = json_parse(r->a, text);
	struct dangling_record one = { .host = json_get_text(doc, "host"),
		.type = json_get_text(doc, "record_type"),
		.rcode = json_get_text(doc, "rcode"),
		.answer = json_get_text(doc, "answer"),
		.name = json_get_text(doc, "answer_name"),
		.first = json_get_time(doc, "first_seen"),
		.last = json_get_time(doc, "last_seen") };

	if (one.host.p == NULL || one.type.p == NULL || one.rcode.p == NULL || ts_is_null(one.last))
		return;
	if (ts_is_null(one.first))
		one.first = one.last;
	r->records = arena_room(r->a, r->records, r->w->nrecords, sizeof(*r->records));
	r->records[r->w->nrecords++] = one;
}

static int
compare_hosts(const void *l, const void *r)
{
	return str_cmp(
	    ((const struct dangling_record *)l)->host, ((const struct dangling_record *)r)->host);
}

/* Drops the records of names that reached LIM_DANGLING_RECORDS, and returns the keys by which their records
   are read again, one type at a time. Otherwise the many addresses of a name would hide its other
   records. Looks at the records from `from` on, and sorts them by host. */
static struct strs
crowded_keys(struct reading *r, size_t from)
{
	struct strs keys = { NULL, 0 };
	size_t kept = from, n = r->w->nrecords, end;

	if (n > from)
		qsort(r->records + from, n - from, sizeof(*r->records), compare_hosts);
	for (size_t i = from; i < n; i = end) {
		for (end = i; end < n && str_eq(r->records[end].host, r->records[i].host);)
			end++;
		for (size_t t = 0; end - i >= LIM_DANGLING_RECORDS && t < COUNT(types); t++)
			add_text(r->a, &keys,
			    record_key_rrset(r->a, r->records[i].host, str_of(types[t])));
		for (size_t k = i; end - i < LIM_DANGLING_RECORDS && k < end; k++)
			r->records[kept++] = r->records[k];
	}
	r->w->nrecords = kept;
	return keys;
}

static enum db_rc
read_ranges(struct reading *r, struct strs keys)
{
	struct list rows;
	enum db_rc rc = read_dangling_documents(r, DATASET_DNS, keys, &rows);
	const struct document_row *row = rows.items;

	for (size_t i = 0; i < rows.n; i++)
		add_dangling_record(r, row[i].doc);
	return rc;
}

static enum db_rc
read_dns_round(struct reading *r, struct strs names)
{
	struct strs keys = { NULL, 0 };
	size_t from = r->w->nrecords;
	enum db_rc rc;

	for (size_t i = 0; i < names.n; i++)
		add_text(r->a, &keys, record_key_name(r->a, names.p[i]));
	rc = read_ranges(r, keys);
	keys = crowded_keys(r, from);
	return rc == DB_OK && keys.n > 0 ? read_ranges(r, keys) : rc;
}

/* Reads the records of names, then the records of the names in their answers, for at most
   LIM_DANGLING_HOPS rounds. After the first round only aliases are followed. */
static enum db_rc
read_records(struct reading *r, struct strs names)
{
	enum db_rc rc = DB_OK;

	for (int round = 0; round <= LIM_DANGLING_HOPS && names.n > 0 && rc == DB_OK; round++) {
		size_t had = r->w->nrecords;
		struct strs leads = { NULL, 0 }, all = { NULL, 0 }, fresh = { NULL, 0 };

		rc = read_dns_round(r, names);
		for (size_t i = 0; i < r->known.n; i++)
			add_text(r->a, &all, r->known.p[i]);
		for (size_t i = 0; i < names.n; i++)
			add_text(r->a, &all, names.p[i]);
		r->known = distinct(all);
		for (size_t i = had; i < r->w->nrecords; i++)
			if (round == 0 || str_is(r->records[i].type, "CNAME"))
				dangling_leads(r->a, &r->records[i], &leads);
		leads = distinct(leads);
		for (size_t i = 0; i < leads.n; i++)
			if (!is_in(r->known, leads.p[i]))
				add_text(r->a, &fresh, leads.p[i]);
		names = fresh;
	}
	if (r->records != NULL)
		qsort(r->records, r->w->nrecords, sizeof(*r->records), dangling_order);
	r->w->records = r->records;
	return rc;
}

static enum db_rc
read_registrations(struct reading *r)
{
	struct strs domains = { NULL, 0 }, keys = { NULL, 0 };
	struct dangling_domain *out;
	const struct document_row *row;
	struct list rows;
	enum db_rc rc;

	for (size_t i = 0; i < r->known.n; i++) {
		struct str domain = dangling_registrable(r->a, r->known.p[i]);

		if (domain.p != NULL)
			add_text(r->a, &domains, domain);
	}
	domains = distinct(domains);
	for (size_t i = 0; i < domains.n; i++)
		add_text(r->a, &keys, record_key_name(r->a, domains.p[i]));
	rc = read_dangling_documents(r, DATASET_WHOIS, keys, &rows);
	row = rows.items;
	out = ARENA_ARRAY(r->a, rows.n + 1, struct dangling_domain);
	for (size_t i = 0; i < rows.n; i++) {
		const struct json_value *doc = json_parse(r->a, row[i].doc);
		const struct json_value *whois = json_get(doc, "whois");

		out[i] = (struct dangling_domain){ .domain = json_get_text(doc, "domain"),
			.expires = json_get_time(whois, "expires_at"),
			.refuted = record_not_registered(doc) ? json_get_time(doc, "last_seen")
							      : TS_NULL };
	}
	r->w->domains = out;
	r->w->ndomains = rows.n;
	return rc;
}

static enum db_rc
read_takeover_lists(struct reading *r)
{
	struct list rows = { 0 };
	enum db_rc rc = db_rows(r->l->x->db, &list_takeovers, &rows, DB_NO_ARGS);
	const struct takeover_row *row = rows.items;
	struct takeover *out = ARENA_ARRAY(r->a, rows.n + 1, struct takeover);

	for (size_t i = 0; i < rows.n; i++)
		out[i] = (struct takeover){ .provider = row[i].provider,
			.suffix = row[i].suffix,
			.page = row[i].page,
			.mode = str_is(row[i].mode, "page") ? TAKEOVER_PAGE : TAKEOVER_NXDOMAIN,
			.claim = str_is(row[i].claim, "open")     ? TAKEOVER_OPEN
				 : str_is(row[i].claim, "closed") ? TAKEOVER_CLOSED
								  : TAKEOVER_DISPUTED };
	r->w->takeovers = (struct takeovers){ out, rows.n };
	return rc;
}

static enum db_rc
read_record_pages(struct reading *r)
{
	struct list rows = { 0 };
	enum db_rc rc = db_list(r->l->x->db, &list_dangling_pages, &rows, P(r->l->project),
	    P(((struct strs){ r->l->subjects, r->l->nsubjects })));
	const struct page_row *row = rows.items;
	struct dangling_page *out = ARENA_ARRAY(r->a, rows.n + 1, struct dangling_page);

	for (size_t i = 0; i < rows.n; i++)
		out[i] = (struct dangling_page){ row[i].hostname,
			{ row[i].takeover_providers.items, row[i].takeover_providers.n },
			row[i].captured_at };
	r->w->pages = out;
	r->w->npages = rows.n;
	return rc;
}

/* ---- cloud addresses ---- */

static struct ts
since_of(struct list rows, struct str key, const struct json_value *service)
{
	const struct since_row *row = rows.items;
	struct str transport = json_get_text(service, "transport");
	struct ts since = json_get_time(service, "first_seen");
	int64_t port = 0;

	if (!json_int(json_get(service, "port"), &port))
		return since;
	for (size_t i = 0; i < rows.n; i++)
		if (row[i].port == port && str_eq(row[i].key, key) &&
		    (row[i].transport.p == NULL || str_eq(row[i].transport, transport)) &&
		    ts_cmp(row[i].since, since) > 0)
			since = row[i].since;
	return since;
}

static void
add_certificates(struct reading *r, struct buf *out, struct str text, struct list since)
{
	const struct json_value *host = json_parse(r->a, text),
				*services = host == NULL ? NULL : json_get(host, "services");
	struct str ip = json_get_text(host, "ip");

	if (services == NULL || ip.p == NULL || owners_serve_many(host))
		return;
	for (size_t i = 0; i < json_length(services); i++) {
		const struct json_value *s = json_at(services, i), *tls = json_get(s, "tls"),
					*c = tls == NULL ? NULL : json_get(tls, "certificate"),
					*names = c == NULL ? NULL : json_get(c, "names"),
					*self = c == NULL ? NULL : json_get(c, "self_signed");
		struct dangling_certificate one = { .ip = ip,
			.last = json_get_time(s, "last_seen") };

		for (size_t k = 0; names != NULL && k < json_length(names); k++) {
			struct str name = json_text(json_at(names, k));

			if (str_starts(name, STR("*.")))
				name = (struct str){ name.p + 2, name.n - 2 };
			add_text(r->a, &one.names, name);
		}
		if (one.names.n == 0)
			continue;
		one.self_signed = self != NULL && json_bool(self);
		one.since = since_of(since, hex_text(r->a, record_key_host(r->a, ip)), s);
		buf_add(out, (const char *)&one, sizeof(one));
	}
}

static enum db_rc
read_certificates(struct reading *r, struct strs ips)
{
	struct strs keys = { NULL, 0 }, hexes = { NULL, 0 };
	struct buf out = { .a = r->a };
	struct list rows, since = { 0 };
	const struct document_row *row;
	enum db_rc rc;

	for (size_t i = 0; i < ips.n; i++) {
		add_text(r->a, &keys, record_key_host(r->a, ips.p[i]));
		add_text(r->a, &hexes, hex_text(r->a, keys.p[i]));
	}
	rc = read_dangling_documents(r, DATASET_HOSTS, keys, &rows);
	if (rc == DB_OK && rows.n > 0)
		rc = db_list(r->l->x->db, &list_certificates_since, &since, P(hexes));
	row = rows.items;
	for (size_t i = 0; i < rows.n; i++)
		add_certificates(r, &out, row[i].doc, since);
	r->w->certificates = (const void *)out.p;
	r->w->ncertificates = out.n / sizeof(*r->w->certificates);
	return rc;
}

static enum db_rc
read_addresses(struct reading *r)
{
	struct strs ips = { NULL, 0 }, cloud = { NULL, 0 };
	struct dangling_address *out;
	struct list rows = { 0 };
	const struct address_row *row;
	enum db_rc rc;

	for (size_t i = 0; i < r->w->nrecords; i++)
		if (r->records[i].answer.p != NULL &&
		    (str_is(r->records[i].type, "A") || str_is(r->records[i].type, "AAAA")) &&
		    look_subject(r->l, r->records[i].host) < r->l->nsubjects)
			add_text(r->a, &ips, r->records[i].answer);
	rc = db_list(
	    r->l->x->db, &list_dangling_addresses, &rows, P(r->l->project), P(distinct(ips)));
	row = rows.items;
	out = ARENA_ARRAY(r->a, rows.n + 1, struct dangling_address);
	for (size_t i = 0; i < rows.n; i++) {
		out[i] = (struct dangling_address){ row[i].ip, row[i].provider, row[i].region };
		add_text(r->a, &cloud, row[i].ip);
		if (row[i].allocated)
			add_text(r->a, &r->w->allocated, row[i].ip);
		if (row[i].allocates)
			arena_add_once(r->a, &r->w->allocated_at, row[i].provider, rows.n);
	}
	r->w->addresses = out;
	r->w->naddresses = rows.n;
	look_counted(r->l, "cloud_addresses", (int64_t)rows.n);
	return rc == DB_OK && cloud.n > 0 ? read_certificates(r, cloud) : rc;
}

/* ---- dangling_read ---- */

static struct strs
first_names(struct reading *r)
{
	struct strs names = { NULL, 0 };
	const char *kind;

	for (size_t i = 0; i < r->l->nsubjects; i++) {
		struct strs wild;

		if (dangling_asset(r->assets, r->l->subjects[i], &kind).p == NULL)
			continue;
		add_text(r->a, &names, r->l->subjects[i]);
		wild = dangling_wildcards(r->a, r->l->subjects[i], r->w->own);
		for (size_t k = 0; k < wild.n; k++)
			add_text(r->a, &names, wild.p[k]);
	}
	return distinct(names);
}

enum db_rc
dangling_read(struct look *l, struct dangling_world *w, struct dangling_assets *assets)
{
	struct reading r = { .l = l, .a = l->x->a, .w = w, .assets = assets };
	enum db_rc rc;

	*w = (struct dangling_world){ .now = ts_now() };
	rc = read_dangling_assets(&r, (struct strs){ l->subjects, l->nsubjects });
	if (rc == DB_OK)
		rc = read_records(&r, first_names(&r));
	if (rc == DB_OK)
		rc = read_dangling_assets(&r, r.known);
	if (rc == DB_OK)
		rc = read_registrations(&r);
	if (rc == DB_OK)
		rc = read_takeover_lists(&r);
	if (rc == DB_OK)
		rc = read_record_pages(&r);
	return rc == DB_OK ? read_addresses(&r) : rc;
}
