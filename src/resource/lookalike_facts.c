/* SPDX-License-Identifier: ISC */
#include "config.h"

#include "resource/lookalike_facts.h"

#include "address/start_url.h"
#include "base/limits.h"
#include "json/json.h"
#include "record/lookup.h"
#include "record/registration.h"

enum {
	DNS_DOCUMENTS = 300,   /* documents of a found name and the names below it */
	SITE_DOCUMENTS = 3000, /* documents of the watched domain */
	HOSTS_READ = 4,
	LIST_MOST = 16,
	HYSTERESIS = 10, /* points that a finding may lose before it closes */
};

#define CURRENT_US (3600 * SECOND_US)

struct document_row {
	struct str key, doc;
};

static const struct field document_out[] = {
	FIELD(struct document_row, key, 0),
	FIELD(struct document_row, doc, 0),
	FIELD_END,
};

struct name_row {
	struct str name;
	bool ranked, parked, own;
};

static const struct field name_out[] = {
	FIELD(struct name_row, name, 0),
	FIELD(struct name_row, ranked, 0),
	FIELD(struct name_row, parked, 0),
	FIELD(struct name_row, own, 0),
	FIELD_END,
};

struct certificate_row {
	struct str certificate_sha256;
	struct ts certificate_at, certificate_first_seen_at, certificate_seen_at;
	bool certificate_shared;
};

static const struct field certificate_out[] = {
	FIELD(struct certificate_row, certificate_sha256, 0),
	FIELD(struct certificate_row, certificate_at, NULLABLE),
	FIELD(struct certificate_row, certificate_first_seen_at, NULLABLE),
	FIELD(struct certificate_row, certificate_seen_at, NULLABLE),
	FIELD(struct certificate_row, certificate_shared, 0),
	FIELD_END,
};

STMT_LIST(list_lookalike_documents, struct document_row, document_out,
    "SELECT key, doc FROM lookalike_documents($1, $2, $3, $4)");
STMT_LIST(list_lookalike_keys, struct document_row, document_out,
    "SELECT key, doc FROM lookalike_walk($1, $2, $3)");
STMT_LIST(list_lookalike_names, struct name_row, name_out,
    "SELECT name, ranked, parked, own FROM lookalike_names($1, $2)");
STMT(select_lookalike_certificate, certificate_out,
    "SELECT certificate_sha256, certificate_at, certificate_first_seen_at, certificate_seen_at,"
    " certificate_shared"
    " FROM lookalike_certificate($1, $2)");

static void
forget_times(struct lookalike *l)
{
	l->facts.created_at = l->facts.certificate_at = l->facts.now = TS_NULL;
	l->first_seen_at = l->last_seen_at = l->last_resolved_at = l->gone_at = TS_NULL;
}

/* ---- documents ---- */

/* Reads the documents whose keys begin with these bytes, as trees. */
static enum db_rc
read_lookalike_documents(struct db *db, struct arena *a, enum dataset d, struct str beginning,
    const struct json_value ***out, size_t *n, int64_t most)
{
	struct list rows = { 0 };
	enum db_rc rc = db_list(db, &list_lookalike_documents, &rows,
	    P((int64_t)record_dataset_number(d)), P(hex_text(a, beginning)),
	    P(hex_text(a, record_key_behind(a, beginning))), P(most));
	const struct document_row *row = rows.items;

	for (size_t i = 0; rc == DB_OK && i < rows.n; i++) {
		const struct json_value *v = json_parse(a, row[i].doc);

		if (v == NULL || json_type(v) != JSON_OBJECT)
			continue;
		*out = arena_room(a, *out, *n, sizeof(**out));
		(*out)[(*n)++] = v;
	}
	return rc;
}

static void
take_later(struct ts *at, struct ts other)
{
	if (other.us > at->us)
		*at = other;
}

static void
take_earlier(struct ts *at, struct ts other)
{
	if (!ts_is_null(other) && (ts_is_null(*at) || other.us < at->us))
		*at = other;
}

static bool
list_has(const struct strs *l, struct str s)
{
	for (size_t i = 0; i < l->n; i++)
		if (str_eq(l->p[i], s))
			return true;
	return false;
}

/* The answer of a mail exchanger or name server without its preference and last dot. */
static struct str
answer_name(const struct json_value *doc)
{
	struct str name = json_get_text(doc, "answer_name"), answer = json_get_text(doc, "answer");

	if (name.p == NULL) {
		name = answer;
		for (size_t i = 0; i < answer.n; i++)
			if (answer.p[i] == ' ')
				name = (struct str){ answer.p + i + 1, answer.n - i - 1 };
	}
	if (name.n > 1 && name.p[name.n - 1] == '.')
		name.n--;
	return name;
}

/* ---- DNS ---- */

struct dns_documents {
	const struct json_value **p;
	size_t n;
};

/* Whether the document was seen within an hour of the latest one of its name and type. */
static bool
is_current(const struct dns_documents *l, const struct json_value *doc)
{
	struct str host = json_get_text(doc, "host"), type = json_get_text(doc, "record_type");
	struct ts latest = TS_NULL, seen = json_get_time(doc, "last_seen");

	for (size_t i = 0; i < l->n; i++)
		if (str_eq(json_get_text(l->p[i], "host"), host) &&
		    str_eq(json_get_text(l->p[i], "record_type"), type))
			take_later(&latest, json_get_time(l->p[i], "last_seen"));
	return ts_is_null(seen) ? ts_is_null(latest) : latest.us - seen.us <= CURRENT_US;
}

static bool
is_wildcard(const struct json_value *doc)
{
	const struct json_value *v = json_get(doc, "wildcard");

	return v != NULL && json_type(v) == JSON_BOOL && json_bool(v);
}

/* Whether an answer shows that the found name exists. An answer that a wildcard gave shows it only
   for a registrable domain, when the wildcard is below it. */
static bool
shows_life(const struct lookalike *l, const struct json_value *doc, bool below_wildcard)
{
	struct str host = json_get_text(doc, "host");
	bool registrable = str_eq(l->m.found, l->m.registrable);

	if (!str_is(json_get_text(doc, "rcode"), "NOERROR") ||
	    json_get_text(doc, "answer").p == NULL)
		return false;
	if (is_wildcard(doc))
		return registrable && !str_eq(host, l->m.found);
	return registrable || !below_wildcard;
}

static void
take_answer(struct arena *a, struct lookalike *l, const struct json_value *doc)
{
	struct str type = json_get_text(doc, "record_type"), answer = json_get_text(doc, "answer");

	if (str_is(type, "A") || str_is(type, "AAAA")) {
		l->facts.address = true;
		arena_add_once(a, &l->addresses, answer, LIST_MOST);
		take_later(&l->last_resolved_at, json_get_time(doc, "last_seen"));
	} else if (str_is(type, "MX") && answer_name(doc).n > 0 && !str_is(answer_name(doc), ".")) {
		l->facts.mail = true;
		arena_add_once(a, &l->mail_exchangers, answer_name(doc), LIST_MOST);
	} else if (str_is(type, "NS")) {
		arena_add_once(a, &l->name_servers, answer_name(doc), LIST_MOST);
	}
}

/* Whether a name between the found one and its registrable domain has a wildcard. */
static enum db_rc
find_wildcard(struct db *db, struct arena *a, const struct lookalike *l, bool *found)
{
	struct str rest = l->m.found;
	enum db_rc rc = DB_OK;

	*found = false;
	while (rc == DB_OK && !*found && rest.n > l->m.registrable.n) {
		struct dns_documents docs = { NULL, 0 };
		struct str name;

		(void)str_until(&rest, '.');
		name = arena_printf(a, "*.%.*s", (int)rest.n, rest.p);
		rc = read_lookalike_documents(
		    db, a, DATASET_DNS, record_key_name(a, name), &docs.p, &docs.n, 10);
		*found = docs.n > 0;
	}
	return rc;
}

/* The keys of a name and of the names below it begin with the name without its end. */
static struct str
key_at_and_below(struct arena *a, struct str name)
{
	struct str key = record_key_name(a, name);

	return (struct str){ key.p, key.n - 1 };
}

static enum db_rc
read_dns(struct db *db, struct arena *a, struct lookalike *l)
{
	struct dns_documents docs = { NULL, 0 };
	bool below_wildcard = false;
	enum db_rc rc = read_lookalike_documents(
	    db, a, DATASET_DNS, key_at_and_below(a, l->m.found), &docs.p, &docs.n, DNS_DOCUMENTS);

	if (rc == DB_OK)
		rc = find_wildcard(db, a, l, &below_wildcard);
	for (size_t i = 0; rc == DB_OK && i < docs.n; i++) {
		const struct json_value *doc = docs.p[i];
		struct ts seen = json_get_time(doc, "last_seen");

		if (!is_current(&docs, doc))
			continue;
		if (shows_life(l, doc, below_wildcard)) {
			take_answer(a, l, doc);
			take_later(&l->last_seen_at, seen);
			take_earlier(&l->first_seen_at, json_get_time(doc, "first_seen"));
		} else if (str_is(json_get_text(doc, "rcode"), "NXDOMAIN") &&
			   str_eq(json_get_text(doc, "host"), l->m.found)) {
			take_later(&l->gone_at, seen);
		}
	}
	return rc;
}

/* ---- whois ---- */

static enum db_rc
read_whois_dates(struct db *db, struct arena *a, struct lookalike *l)
{
	const struct json_value **docs = NULL, *whois;
	size_t n = 0;
	enum db_rc rc = read_lookalike_documents(
	    db, a, DATASET_WHOIS, record_key_name(a, l->m.registrable), &docs, &n, 1);
	const struct json_value *servers;

	if (rc != DB_OK || n == 0)
		return rc;
	if (record_not_registered(docs[0])) {
		take_later(&l->gone_at, json_get_time(docs[0], "last_seen"));
		return DB_OK;
	}
	whois = json_get(docs[0], "whois");
	l->facts.created_at = json_get_time(whois, "created_at");
	l->registrar = json_get_text(whois, "registrar");
	if (whois != NULL && json_get(whois, "registrant") != NULL)
		l->organisation = json_get_text(json_get(whois, "registrant"), "organisation");
	servers = whois == NULL ? NULL : json_get(whois, "nameservers");
	for (size_t i = 0; servers != NULL && i < json_length(servers); i++)
		arena_add_once(a, &l->name_servers, json_text(json_at(servers, i)), LIST_MOST);
	/* The registration of the domain is no sign of a name below it. */
	if (!str_eq(l->m.found, l->m.registrable))
		return DB_OK;
	l->registered = ts_cmp(json_get_time(whois, "expires_at"), ts_now()) > 0;
	take_later(&l->last_seen_at, json_get_time(docs[0], "last_seen"));
	take_earlier(&l->first_seen_at, json_get_time(docs[0], "first_seen"));
	return DB_OK;
}

/* ---- hosts ---- */

struct pages {
	struct strs titles, favicons;
	bool web;
};

static void
take_pages(struct arena *a, const struct json_value *host, struct pages *p)
{
	const struct json_value *services = json_get(host, "services");

	for (size_t i = 0; services != NULL && i < json_length(services); i++) {
		const struct json_value *http = json_get(json_at(services, i), "http");
		struct str title = json_get_text(http, "title"),
			   icon = json_get_text(http, "favicon_hash");

		p->web |= http != NULL;
		if (title.n > 3)
			arena_add_once(a, &p->titles, title, LIST_MOST);
		if (icon.n > 0)
			arena_add_once(a, &p->favicons, icon, LIST_MOST);
	}
}

/* Reads the web pages of hosts, but of none that is among the addresses to skip: the pages of a
   shared address are not those of one of its names. */
static enum db_rc
read_name_pages(struct db *db, struct arena *a, const struct strs *addresses,
    const struct strs *skip, struct pages *out)
{
	enum db_rc rc = DB_OK;

	for (size_t i = 0; rc == DB_OK && i < addresses->n && i < HOSTS_READ; i++) {
		const struct json_value **docs = NULL;
		struct str key = record_key_host(a, addresses->p[i]);
		size_t n = 0;

		if (key.p == NULL || (skip != NULL && list_has(skip, addresses->p[i])))
			continue;
		rc = read_lookalike_documents(db, a, DATASET_HOSTS, key, &docs, &n, 1);
		if (n > 0)
			take_pages(a, docs[0], out);
	}
	return rc;
}

static bool
share_text(const struct strs *x, const struct strs *y)
{
	for (size_t i = 0; i < x->n; i++)
		if (list_has(y, x->p[i]))
			return true;
	return false;
}

/* ---- the watched site ---- */

enum db_rc
watched_site_read(
    struct db *db, struct arena *a, const struct watched_domain *w, struct watched_site *out)
{
	struct dns_documents docs = { NULL, 0 };
	struct lookalike own = { .m = { .found = w->domain, .registrable = w->domain } };
	struct pages pages = { .web = false };
	enum db_rc rc = read_lookalike_documents(
	    db, a, DATASET_DNS, key_at_and_below(a, w->domain), &docs.p, &docs.n, SITE_DOCUMENTS);

	forget_times(&own);
	*out = (struct watched_site){ .w = *w };
	for (size_t i = 0; rc == DB_OK && i < docs.n; i++) {
		struct str host = json_get_text(docs.p[i], "host"),
			   type = json_get_text(docs.p[i], "record_type");
		bool apex = str_eq(host, w->domain) ||
			    (host.n == w->domain.n + 4 && str_starts(host, STR("www.")));

		if (str_is(type, "CNAME"))
			arena_add_once(a, &out->targets, answer_name(docs.p[i]), SITE_DOCUMENTS);
		if (apex && is_current(&docs, docs.p[i]))
			take_answer(a, &own, docs.p[i]);
	}
	if (rc == DB_OK)
		rc = read_whois_dates(db, a, &own);
	if (rc == DB_OK)
		rc = read_name_pages(db, a, &own.addresses, NULL, &pages);
	out->name_servers = own.name_servers;
	out->organisation = own.organisation;
	out->addresses = own.addresses;
	out->titles = pages.titles;
	out->favicons = pages.favicons;
	return rc;
}

/* ---- judging ---- */

static bool
is_allowed_name(const struct watched_domain *w, struct str found)
{
	const struct str *allow = w->allow.items;

	for (size_t i = 0; i < w->allow.n; i++)
		if (lookalike_pattern_has(allow[i], found))
			return true;
	return false;
}

/* Whether a name of the watched domain is an alias of the found name or of one below it. */
static bool
is_target(const struct watched_site *s, struct str found)
{
	for (size_t i = 0; i < s->targets.n; i++)
		if (str_within(s->targets.p[i], found))
			return true;
	return false;
}

/* The same registrant, the same set of name servers, or name servers below the watched domain. */
static bool
has_same_holder(const struct lookalike *l)
{
	const struct watched_site *s = l->site;
	size_t same = 0, below = 0;

	for (size_t i = 0; i < l->name_servers.n; i++) {
		same += list_has(&s->name_servers, l->name_servers.p[i]);
		below += str_within(l->name_servers.p[i], s->w.domain);
	}
	return (s->organisation.n > 0 && str_eq(s->organisation, l->organisation)) ||
	       l->certificate.shared || (below > 0 && below == l->name_servers.n) ||
	       (same > 1 && same == l->name_servers.n && same == s->name_servers.n);
}

/* Asks for the found name, its domains, and its name servers with their domains at once. */
static enum db_rc
read_lookalike_lists(struct db *db, struct arena *a, struct lookalike *l, bool *own)
{
	struct strs names = { NULL, 0 };
	struct list rows = { 0 };
	const struct name_row *row;
	enum db_rc rc;

	arena_add_once(a, &names, l->m.found, SIZE_MAX);
	arena_add_once(a, &names, l->m.registrable, SIZE_MAX);
	for (size_t i = 0; i < l->name_servers.n; i++) {
		struct str domain = host_registrable(a, l->name_servers.p[i]);

		arena_add_once(a, &names, l->name_servers.p[i], SIZE_MAX);
		if (domain.p != NULL)
			arena_add_once(a, &names, domain, SIZE_MAX);
	}
	rc = db_list(db, &list_lookalike_names, &rows, P(l->site->w.project_uuid), P(names));
	row = rows.items;
	for (size_t i = 0; rc == DB_OK && i < rows.n; i++) {
		bool mine =
		    str_eq(row[i].name, l->m.found) || str_eq(row[i].name, l->m.registrable);

		l->facts.ranked |= mine && row[i].ranked;
		*own |= mine && row[i].own;
		l->facts.parked |= !mine && row[i].parked;
	}
	return rc;
}

static enum db_rc
read_certificate(struct db *db, struct lookalike *l)
{
	struct certificate_row row;
	enum db_rc rc;

	rc = db_one(db, &select_lookalike_certificate, &row, P(l->site->w.uuid), P(l->m.found));
	if (rc == DB_OK &&
	    (l->certificate.sha256.p == NULL || ts_cmp(row.certificate_at, l->certificate.at) > 0))
		l->certificate = (struct lookalike_certificate){ row.certificate_sha256,
			row.certificate_at, row.certificate_first_seen_at, row.certificate_seen_at,
			row.certificate_shared };
	return rc == DB_NONE ? DB_OK : rc;
}

static void
take_certificate(struct lookalike *l)
{
	if (l->certificate.sha256.p == NULL)
		return;
	l->facts.certificate_at = l->certificate.at;
	l->facts.own_certificate =
	    !l->certificate.shared && !str_eq(l->m.found, l->m.registrable);
	take_earlier(&l->first_seen_at, l->certificate.first_seen_at);
	take_later(&l->last_seen_at, l->certificate.seen_at);
}

static enum db_rc
read_web(struct db *db, struct arena *a, struct lookalike *l)
{
	struct pages pages = { .web = false };
	enum db_rc rc = read_name_pages(db, a, &l->addresses, &l->site->addresses, &pages);

	l->facts.web = pages.web;
	l->same_favicon = share_text(&pages.favicons, &l->site->favicons);
	l->facts.same_page = l->same_favicon || share_text(&pages.titles, &l->site->titles);
	return rc;
}

static enum lookalike_verdict
verdict_of(const struct lookalike *l, bool own)
{
	int least = (int)l->site->w.min_score - (l->was_reported ? HYSTERESIS : 0);

	if (own || is_allowed_name(&l->site->w, l->m.found) || is_target(l->site, l->m.found))
		return LOOKALIKE_OWN;
	if (ts_cmp(l->gone_at, l->last_seen_at) > 0 && !l->registered)
		return LOOKALIKE_GONE;
	if (ts_is_null(l->last_seen_at))
		return LOOKALIKE_UNKNOWN;
	return l->score >= least ? LOOKALIKE_REPORTED : LOOKALIKE_WEAK;
}

enum db_rc
lookalike_read(struct db *db, struct arena *a, struct lookalike *l)
{
	bool own = false;
	enum db_rc rc;

	forget_times(l);
	rc = read_dns(db, a, l);

	if (rc == DB_OK)
		rc = read_whois_dates(db, a, l);
	if (rc == DB_OK)
		rc = read_certificate(db, l);
	if (rc == DB_OK)
		rc = read_lookalike_lists(db, a, l, &own);
	if (rc == DB_OK)
		rc = read_web(db, a, l);
	if (rc != DB_OK)
		return rc;
	take_certificate(l);
	if (ts_is_null(l->first_seen_at))
		l->first_seen_at = l->last_seen_at;
	l->facts.now = ts_now();
	l->facts.same_holder = has_same_holder(l);
	l->score = lookalike_score(&l->m.reasons, &l->facts);
	l->verdict = verdict_of(l, own);
	return DB_OK;
}

const char *
lookalike_severity(const struct lookalike *l)
{
	static const struct {
		int score;
		const char *severity, *deceiving;
	} rows[] = {
#define LOOKALIKE_SEVERITY(score, severity, deceiving) { score, severity, deceiving },
#include "tbl/lookalike_severities.h"
	};
	size_t i = 0;

	while (l->score < rows[i].score)
		i++;
	return l->facts.mail || l->same_favicon ? rows[i].deceiving : rows[i].severity;
}

void
lookalike_write_reasons(struct buf *b, const struct lookalike_reasons *r)
{
	buf_char(b, '[');
	for (size_t i = 0; i < r->n; i++)
		buf_printf(b, "%s{\"code\":\"%s\",\"weight\":%d}", i == 0 ? "" : ",",
		    lookalike_weight_code(r->p[i].code), r->p[i].points);
	buf_char(b, ']');
}

/* ---- the walk through all names ---- */

static void
add_seen_name(struct arena *a, struct known_name **names, size_t *n, const struct known_name *name)
{
	if (*n > 0 && str_eq((*names)[*n - 1].name, name->name))
		return;
	*names = arena_room(a, *names, *n, sizeof(**names));
	(*names)[(*n)++] = *name;
}

/* Whether one of the names is the domain or below it. */
static bool
names_have(const struct json_value *list, struct str domain)
{
	for (size_t i = 0; list != NULL && domain.p != NULL && i < json_length(list); i++)
		if (str_within(json_text(json_at(list, i)), domain))
			return true;
	return false;
}

static void
add_names_of_certificate(struct arena *a, const struct json_value *doc, struct str watched,
    struct known_name **names, size_t *n)
{
	const struct json_value *list = json_get(doc, "names");
	struct lookalike_certificate c = { .sha256 = json_get_text(doc, "fingerprint_sha256"),
		.at = json_get_time(doc, "not_before"),
		.first_seen_at = json_get_time(doc, "first_seen"),
		.seen_at = json_get_time(doc, "last_seen"),
		.shared = names_have(list, watched) };

	if (ts_is_null(c.seen_at))
		c.seen_at = c.at;
	if (ts_is_null(c.first_seen_at))
		c.first_seen_at = c.seen_at;

	for (size_t i = 0; list != NULL && i < json_length(list); i++) {
		struct str name = json_text(json_at(list, i));

		if (str_starts(name, STR("*.")))
			name = (struct str){ name.p + 2, name.n - 2 };
		add_seen_name(a, names, n, &(struct known_name){ .name = name, .certificate = c });
	}
}

struct list
lookalike_certificate_names(struct arena *a, const struct json_value *doc, struct str watched)
{
	struct known_name *names = NULL;
	size_t n = 0;

	add_names_of_certificate(a, doc, watched, &names, &n);
	return (struct list){ names, n };
}

static struct str
unhex(struct arena *a, struct str hex)
{
	unsigned char *out = arena_alloc(a, hex.n / 2 + 1);

	if (!hex_parse(hex, out, hex.n / 2))
		panic("a key is not in hexadecimal");
	return (struct str){ (const char *)out, hex.n / 2 };
}

enum db_rc
lookalike_names_page(struct db *db, struct arena *a, struct name_walk *w, struct list *names)
{
	enum { PAGE = 2000 };
	struct known_name *out = NULL;
	struct list rows = { 0 };
	size_t n = 0;
	enum db_rc rc = db_list(db, &list_lookalike_keys, &rows,
	    P((int64_t)record_dataset_number(w->dataset)), P(w->behind), P((int64_t)PAGE));
	const struct document_row *row = rows.items;

	for (size_t i = 0; rc == DB_OK && i < rows.n; i++) {
		const struct json_value *doc = row[i].doc.n == 0 ? NULL : json_parse(a, row[i].doc);
		size_t named = n;
		struct str text;

		w->behind = row[i].key;
		if (doc != NULL && json_type(doc) == JSON_OBJECT)
			add_names_of_certificate(a, doc, w->watched, &out, &n);
		for (; named < n && w->dataset == DATASET_CERTIFICATES; named++)
			out[named].key = row[i].key;
		if (row[i].doc.n > 0)
			continue;
		text = record_key_text(a, w->dataset, unhex(a, row[i].key));
		add_seen_name(a, &out, &n, &(struct known_name){ .name = str_until(&text, ' ') });
	}
	*names = (struct list){ out, n };
	w->more = rows.n == PAGE;
	return rc;
}
