/* SPDX-License-Identifier: ISC */
/* The detector inventory adds assets and services to a project: records of the datasets below the
 * project's seed domains (C-225, sql/functions/inventory.sql). It makes no findings.
 *
 *   dns            a name below a seed --> asset host; its A and AAAA answers --> asset address, and the host's services
 *   hosts          a hostname below a seed, or an address of this detector --> asset host, asset address, services
 *   certificates   a name below a seed --> asset certificate, asset host
 *
 * The names of a host that serves many owners add nothing (C-225). Subjects:
 *
 *   example.org               a domain asset: if it is a seed, the next three follow
 *   +hosts example.org KEY    a page of the index behind the key, then the next page; so for dns and certificates
 *   +hosts example.org ?ID    the first page, when the index has what this transaction saw
 *   @hosts KEY                a document that has changed */
#include "config.h"

#include "base/encode.h"
#include "base/limits.h"
#include "db/guard.h"
#include "detect/detector.h"
#include "detect/shown.h"
#include "json/json.h"
#include "json/tree.h"
#include "record/lookup.h"

enum {
	PAGE_DOCUMENTS = 100,
	PAGE_US = 10000000,
	WAIT_US = 2000000, /* before an index that lacks documents is asked again */
};

/* ---- statements ---- */

struct seed {
	struct uuid project_uuid;
	struct str name;
};

static const struct field seed_out[] = {
	FIELD(struct seed, project_uuid, 0),
	FIELD(struct seed, name, 0),
	FIELD_END,
};

struct named_row {
	struct str name;
};

static const struct field named_out[] = {
	FIELD(struct named_row, name, 0),
	FIELD_END,
};

struct stored_document {
	struct str key, doc;
};

static const struct field stored_document_out[] = {
	FIELD(struct stored_document, key, 0),
	FIELD(struct stored_document, doc, 0),
	FIELD_END,
};

struct answer {
	bool yes;
};

static const struct field answer_out[] = {
	FIELD(struct answer, yes, 0),
	FIELD_END,
};

STMT_LIST(
    list_seeds, struct seed, seed_out, "SELECT project_uuid, name FROM inventory_seeds($1::uuid)");
STMT_LIST(list_own_addresses, struct named_row, named_out,
    "SELECT name FROM inventory_addresses($1, $2)");
STMT_LIST(list_documents, struct stored_document, stored_document_out,
    "SELECT key, doc FROM detect_documents($1::smallint, $2)");
STMT(ask_indexed, answer_out, "SELECT inventory_indexed($1::smallint, $2, $3) AS yes");
STMT(store_inventory, answer_out, "SELECT inventory_store($1, $2::jsonb, $3::jsonb, $4) AS yes");

/* ---- the datasets ---- */

static const struct {
	enum dataset dataset;
	const char *label; /* the dataset in a subject */
	const char *names; /* the field in which the index finds names below a domain */
} sources[] = {
	{ DATASET_HOSTS, "hosts", "hostnames" },
	{ DATASET_DNS, "dns", "host" },
	{ DATASET_CERTIFICATES, "certificates", "names" },
};

static size_t
source_of(enum dataset d)
{
	size_t i = 0;

	while (i < COUNT(sources) && sources[i].dataset != d)
		i++;
	return i;
}

/* ---- documents that have changed ---- */

static struct {
	struct uuid *projects; /* those with seeds, sorted */
	size_t n;
} seeded;

static bool
load_seeded(struct detect *x)
{
	struct list rows = { 0 };
	enum db_rc rc = db_list(x->db, &list_seeds, &rows, P(STR_NULL));
	const struct seed *row = rows.items;

	if (!db_ok(x->db, rc, "seeds"))
		return false;
	free(seeded.projects);
	seeded.projects = mem_array(rows.n + 1, sizeof(*seeded.projects));
	seeded.n = 0;
	for (size_t i = 0; i < rows.n; i++)
		if (i == 0 || uuid_cmp(&row[i].project_uuid, &row[i - 1].project_uuid) != 0)
			seeded.projects[seeded.n++] = row[i].project_uuid;
	return true;
}

static bool
is_seeded(const struct uuid *project)
{
	for (size_t i = 0; i < seeded.n; i++)
		if (uuid_cmp(&seeded.projects[i], project) == 0)
			return true;
	return false;
}

static enum db_rc
affected_documents(struct affected *f)
{
	size_t s = source_of(f->batch->source);
	const struct owners *all;
	enum db_rc rc;

	if (seeded.n == 0 || s == COUNT(sources))
		return DB_OK;
	rc = affected_owners(f, &all);
	for (size_t i = 0; rc == DB_OK && i < f->batch->ndocuments; i++) {
		const struct document *d = &f->batch->documents[i];
		struct list owners = affected_owners_of(f, all, d);
		const struct owner *o = owners.items;

		for (size_t k = 0; k < owners.n && d->text.n > 0; k++)
			if (is_seeded(&o[k].project))
				affected_ask(f, &o[k].project,
				    arena_printf(f->x->a, "@%s %.*s", sources[s].label,
					(int)d->key.n, d->key.p));
	}
	return rc;
}

/* ---- what documents show ---- */

struct inventory_look {
	struct look *l;
	struct list seeds;
	struct strs hosts; /* keys of hosts that answers of dns name */
	struct list own;   /* addresses of the project that the detector added earlier */
	struct buf assets, services;
};

static struct str
text_member(const struct json_value *doc, const char *name)
{
	const struct json_value *v = match_member(doc, name);

	return v != NULL && json_type(v) == JSON_STRING ? json_text(v) : STR_NULL;
}

static bool
below_seed(const struct inventory_look *g, struct str name)
{
	const struct seed *s = g->seeds.items;

	for (size_t i = 0; i < g->seeds.n; i++)
		if (str_within(name, s[i].name))
			return true;
	return false;
}

static void
write_times(struct buf *b, const struct json_value *own, const struct json_value *of)
{
	const struct match_document m = { .own = own, .of = of };
	struct ts first, last;

	shown_times(&m, &first, &last);
	json_member_time(b, "first", first);
	json_member_time(b, "last", last);
}

static void
add_asset(struct inventory_look *g, const char *kind, struct str name, const struct json_value *doc)
{
	struct buf *b = &g->assets;

	buf_z(b, b->n == 0 ? "[{" : ",{");
	json_member_text(b, "kind", str_of(kind));
	json_member_text(b, "name", name);
	write_times(b, doc, NULL);
	buf_char(b, '}');
}

static void
add_found_service(struct inventory_look *g, struct str ip, const struct json_value *s,
    const struct json_value *host)
{
	struct arena *a = g->l->x->a;
	struct buf *b = &g->services;
	const struct json_value *status = match_member(s, "http.status_code");
	bool v6 = ip.n > 0 && memchr(ip.p, ':', ip.n) != NULL;
	struct str transport = text_member(s, "transport"), port, endpoint,
		   certificate = text_member(s, "tls.certificate.fingerprint_sha256");

	if (match_member(s, "port") == NULL || transport.p == NULL)
		return;
	port = json_lexeme(match_member(s, "port"));
	endpoint = arena_printf(
	    a, "%s%.*s%s:%.*s", v6 ? "[" : "", (int)ip.n, ip.p, v6 ? "]" : "", (int)port.n, port.p);
	buf_z(b, b->n == 0 ? "[{" : ",{");
	json_member_text(b, "asset", ip);
	json_member_text(b, "ip", ip);
	json_member_text(b, "endpoint", endpoint);
	json_member_text(b, "key",
	    arena_printf(
		a, "%.*s/%.*s", (int)endpoint.n, endpoint.p, (int)transport.n, transport.p));
	json_member_text(b, "transport", transport);
	json_member_text(b, "service_name", text_member(s, "service_name"));
	json_member_text(b, "product", text_member(s, "product"));
	json_member_text(b, "version", text_member(s, "version"));
	json_member_text(b, "http_title", text_member(s, "http.title"));
	json_member_text(b, "certificate", certificate);
	json_member_json(b, "port", port);
	if (status != NULL)
		json_member_json(b, "http_status_code", json_lexeme(status));
	json_member_bool(b, "tls_enabled", match_member(s, "tls") != NULL);
	write_times(b, s, host);
	buf_char(b, '}');
	if (certificate.p != NULL)
		add_asset(g, "certificate", certificate, s);
}

/* ours: a DNS record below a seed has the address as its answer. */
static void
add_inventory_host(struct inventory_look *g, const struct json_value *doc, bool ours)
{
	const struct json_value *names = match_member(doc, "hostnames"),
				*services = match_member(doc, "services");
	struct str ip = text_member(doc, "ip");
	const struct named_row *own = g->own.items;

	if (owners_serve_many(doc))
		return;
	for (size_t i = 0; i < g->own.n; i++)
		ours = ours || str_eq(own[i].name, ip);
	for (size_t i = 0; names != NULL && i < json_length(names); i++)
		if (below_seed(g, json_text(json_at(names, i)))) {
			add_asset(g, "host", json_text(json_at(names, i)), doc);
			ours = true;
		}
	if (!ours)
		return;
	add_asset(g, "address", ip, doc);
	for (size_t i = 0; services != NULL && i < json_length(services); i++)
		add_found_service(g, ip, json_at(services, i), doc);
}

static void
add_certificate(struct inventory_look *g, const struct json_value *doc)
{
	const struct json_value *names = match_member(doc, "names");
	bool ours = false;

	for (size_t i = 0; names != NULL && i < json_length(names); i++) {
		struct str name = json_text(json_at(names, i));
		bool wildcard = str_starts(name, STR("*."));

		if (!below_seed(g, wildcard ? (struct str){ name.p + 2, name.n - 2 } : name))
			continue;
		ours = true;
		if (!wildcard)
			add_asset(g, "host", name, doc);
	}
	if (ours)
		add_asset(g, "certificate", text_member(doc, "fingerprint_sha256"), doc);
}

static enum db_rc
read_trees(
    struct look *l, enum dataset d, struct strs keys, const struct json_value ***out, size_t *n)
{
	const int64_t number = record_dataset_number(d);
	struct list rows = { 0 };
	enum db_rc rc = DB_OK;
	const struct stored_document *row;

	if (keys.n > 0)
		rc = db_list(l->x->db, &list_documents, &rows, P(number), P(keys));
	row = rows.items;
	*out = ARENA_ARRAY(l->x->a, rows.n + 1, const struct json_value *);
	*n = rows.n;
	for (size_t i = 0; i < rows.n; i++)
		if (((*out)[i] = json_parse(l->x->a, row[i].doc)) == NULL)
			panic("PostgreSQL returned invalid JSON for a record");
	return rc;
}

/* Adds the names and answers of DNS records below a seed. The hosts of the answers are read first,
   because an address that serves many owners is left out. */
static enum db_rc
add_dns_records(struct inventory_look *g, const struct json_value **docs, size_t n)
{
	struct arena *a = g->l->x->a;
	struct str *keys = ARENA_ARRAY(a, n + 1, struct str);
	const struct json_value **hosts;
	size_t nkeys = 0, nhosts;
	enum db_rc rc;

	for (size_t i = 0; i < n; i++) {
		struct str ip = text_member(docs[i], "answer_ip"),
			   name = text_member(docs[i], "host"), key;

		if (ip.p == NULL || !below_seed(g, name))
			continue;
		key = record_key_host(a, ip);
		if (key.p != NULL)
			keys[nkeys++] = hex_text(a, key);
	}
	rc = read_trees(g->l, DATASET_HOSTS, (struct strs){ keys, nkeys }, &hosts, &nhosts);
	for (size_t i = 0; rc == DB_OK && i < n; i++) {
		struct str ip = text_member(docs[i], "answer_ip"),
			   name = text_member(docs[i], "host");
		bool many = false;

		if (text_member(docs[i], "answer").p == NULL || !below_seed(g, name))
			continue;
		add_asset(g, "host", name, docs[i]);
		for (size_t k = 0; k < nhosts && ip.p != NULL; k++)
			many = many || (str_eq(text_member(hosts[k], "ip"), ip) &&
					   owners_serve_many(hosts[k]));
		if (ip.p != NULL && !many)
			add_asset(g, "address", ip, docs[i]);
	}
	for (size_t k = 0; rc == DB_OK && k < nhosts; k++)
		add_inventory_host(g, hosts[k], true);
	return rc;
}

static enum db_rc
add_documents(struct inventory_look *g, enum dataset d, struct strs keys)
{
	struct arena *a = g->l->x->a;
	const struct json_value **docs;
	size_t n;
	enum db_rc rc = read_trees(g->l, d, keys, &docs, &n);

	if (rc == DB_OK && d == DATASET_DNS)
		return add_dns_records(g, docs, n);
	if (rc == DB_OK && d == DATASET_HOSTS) {
		struct str *ips = ARENA_ARRAY(a, n + 1, struct str);

		for (size_t i = 0; i < n; i++)
			ips[i] = text_member(docs[i], "ip");
		rc = db_list(g->l->x->db, &list_own_addresses, &g->own, P(g->l->project),
		    P(((struct strs){ ips, n })));
	}
	for (size_t i = 0; rc == DB_OK && i < n; i++)
		if (d == DATASET_HOSTS)
			add_inventory_host(g, docs[i], false);
		else
			add_certificate(g, docs[i]);
	return rc;
}

/* ---- pages of the index ---- */

struct walk {
	size_t source;
	struct str domain, after; /* after: hexadecimal */
};

static struct strs
keys_of_page(struct arena *a, const struct page *page)
{
	struct str *keys = ARENA_ARRAY(a, page->nhits + 1, struct str);

	for (size_t i = 0; i < page->nhits; i++)
		keys[i] = hex_text(a, page->hits[i].key);
	return (struct strs){ keys, page->nhits };
}

static enum db_rc
walk_domain(struct inventory_look *g, const struct walk *w)
{
	struct detect *x = g->l->x;
	const struct budget budget = { .deadline = mono_us() + PAGE_US, .work = UINT64_MAX / 2 };
	struct page_request want = {
		.after = STR_NULL, .limit = PAGE_DOCUMENTS, .keys_only = true
	};
	bool behind = w->after.n > 0 && w->after.p[0] != '?';
	unsigned char *after = arena_alloc(x->a, w->after.n / 2 + 1);
	struct page page = { .nhits = 0 };
	struct query_fault fault;
	struct query q;
	struct strs keys;

	if (!query_parse(x->a, sources[w->source].dataset,
		arena_printf(
		    x->a, "%s:\"%.*s\"", sources[w->source].names, (int)w->domain.n, w->domain.p),
		ts_now(), &q, &fault))
		return DB_OK; /* the name of the asset is not a DNS name */
	if (behind && hex_parse(w->after, after, w->after.n / 2))
		want.after = (struct str){ (const char *)after, w->after.n / 2 };
	engine_refresh(x->engine);
	if (engine_search(x->engine, x->a, &q, &budget, &want, &page) != ENGINE_OK) {
		g->l->why = "the index cannot answer";
		return DB_CONFLICT;
	}
	keys = keys_of_page(x->a, &page);
	if (page.has_more && keys.n > 0)
		look_ask(g->l,
		    arena_printf(x->a, "+%s %.*s %.*s", sources[w->source].label, (int)w->domain.n,
			w->domain.p, (int)keys.p[keys.n - 1].n, keys.p[keys.n - 1].p),
		    TS_NULL);
	return add_documents(g, sources[w->source].dataset, keys);
}

/* Before the first page, waits until the index contains all documents that existed when the seed
   was added. The waiting subject keeps the transaction that asked first ("?123" in place of a key):
   with the transaction of each repetition, the wait would not end while imports go on. */
static enum db_rc
look_at_page(struct inventory_look *g, const struct walk *w, size_t i)
{
	struct detect *x = g->l->x;
	enum dataset d = sources[w->source].dataset;
	const int64_t number = record_dataset_number(d);
	struct str snapshot = work_snapshot(x, d);
	bool waits = w->after.n > 0 && w->after.p[0] == '?';
	struct str asked =
	    waits ? (struct str){ w->after.p + 1, w->after.n - 1 } : g->l->asked.p[i];
	struct answer ready = { .yes = true };
	enum db_rc rc = DB_OK;

	if (waits || w->after.n == 0)
		rc = db_one(x->db, &ask_indexed, &ready, P(number), P(snapshot), P(asked));
	if (rc != DB_OK)
		return rc;
	if (!ready.yes)
		look_ask(g->l,
		    arena_printf(x->a, "+%s %.*s ?%.*s", sources[w->source].label, (int)w->domain.n,
			w->domain.p, (int)asked.n, asked.p),
		    (struct ts){ ts_now().us + WAIT_US });
	return ready.yes && snapshot.p != NULL ? walk_domain(g, w) : DB_OK;
}

/* ---- a look ---- */

static enum db_rc
look_at_subject(struct inventory_look *g, size_t i)
{
	struct str rest = g->l->subjects[i], first;
	bool page = rest.p[0] == '+', document = rest.p[0] == '@';
	struct walk w = { .source = 0 };

	if (!page && !document) {
		for (size_t k = 0; k < COUNT(sources) && below_seed(g, rest); k++)
			look_ask(g->l,
			    arena_printf(
				g->l->x->a, "+%s %.*s ", sources[k].label, (int)rest.n, rest.p),
			    TS_NULL);
		return DB_OK;
	}
	rest = (struct str){ rest.p + 1, rest.n - 1 };
	first = str_until(&rest, ' ');
	while (w.source < COUNT(sources) && !str_is(first, sources[w.source].label))
		w.source++;
	if (w.source == COUNT(sources))
		return DB_OK;
	if (document)
		return add_documents(g, sources[w.source].dataset, (struct strs){ &rest, 1 });
	w.domain = str_until(&rest, ' ');
	w.after = rest;
	return below_seed(g, w.domain) ? look_at_page(g, &w, i) : DB_OK;
}

static enum db_rc
look_at_inventory(struct look *l)
{
	struct inventory_look *g = ARENA_NEW(l->x->a, struct inventory_look);
	enum db_rc rc;

	*g = (struct inventory_look){
		.l = l, .assets = { .a = l->x->a }, .services = { .a = l->x->a }
	};
	l->of_storing = g;
	rc = db_list(l->x->db, &list_seeds, &g->seeds, P(arena_uuid(l->x->a, &l->project)));
	for (size_t i = 0; i < l->nsubjects && rc == DB_OK; i++)
		rc = look_at_subject(g, i);
	return rc;
}

static enum db_rc
store_assets(struct look *l)
{
	struct inventory_look *g = l->of_storing;
	const int64_t most = LIM_INVENTORY_ASSETS;
	struct answer all;
	enum db_rc rc;

	if (g->assets.n == 0)
		return DB_OK;
	rc = db_one(l->x->db, &store_inventory, &all, P(l->project), P(array_done(&g->assets)),
	    P(array_done(&g->services)), P(most));
	if (rc == DB_OK && !all.yes)
		look_beyond_limit(l, arena_printf(l->x->a,
					 "The project has %d assets, so further ones are left out.",
					 LIM_INVENTORY_ASSETS));
	return rc;
}

static const struct detector inventory = {
	.name = "inventory",
	.subjects = 50,
	.load = load_seeded,
	.affected = affected_documents,
	.look = look_at_inventory,
	.store = store_assets,
};
DETECTOR_ENTRY(inventory);
