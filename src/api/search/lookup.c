/* SPDX-License-Identifier: ISC */
/* Look-ups: the record of one address, name, domain or fingerprint (C-411). A look-up makes the key
   of the record from the path and asks PostgreSQL, so it finds a record as soon as its import has
   committed, before the index has it:

     path                                  key (record/key.c)
     /search/hosts/192.0.2.7               the address
     /search/dns/www.example.org           the beginning that all records of the name have; ?type= makes it longer
     /search/whois/www.example.org         the domain itself, or else its registrable domain
     /search/certificates/4355a4...        the end of the key, which has an index of its own (sql/0005)

   A path may have any text in any spelling, so each value first gets the canonical form that
   records have. A value without one is an invalid parameter; a value without a record is not
   found. */
#include "config.h"

#include "address/start_url.h"
#include "api/api.h"
#include "api/search/documents.h"
#include "api/search/lookup.h"
#include "api/search/share.h"
#include "record/lookup.h"
#include "search/tags.h"

#include <strings.h>

int
lookup_fail(struct req *rq, const char *name, const char *what)
{
	return fail_at(rq, ERR_INVALID_SEARCH_PARAMETER,
	    arena_printf(rq->arena, "%s: must be %s.", name, what));
}

/* Answers {"host": ...} with the first of the keys that has a document. */
static int
answer_first_document(struct req *rq, enum dataset d, struct strs keys)
{
	const struct fields_args *args = rq->params;
	const struct record_fields *fields;
	struct documents docs;
	struct budget unused;
	struct buf *b;

	if (fields_parse(rq, d, args->fields, &fields) != PASS ||
	    share_begin(rq, &unused) != PASS || documents_read(rq, d, BY_KEY, keys, &docs) != PASS)
		return FAILED;
	for (size_t i = 0; i < docs.n; i++) {
		if (docs.p[i] == NULL)
			continue;
		b = reply_begin(rq, 200);
		json_begin(b, '{');
		json_member(b, answer_names[d].record);
		document_write(b, d, docs.p[i]->doc, fields);
		buf_char(b, '}');
		return PASS;
	}
	return fail(rq, ERR_RECORD_NOT_FOUND);
}

/* ---- hosts and their services ---- */

int
lookup_host(struct req *rq, struct str *ip, struct str *key)
{
	struct record r = record_new(rq->arena, DATASET_HOSTS);
	struct ipnet net;

	*ip = rq->captured[0];
	if (!record_canonical(rq->arena, DATASET_HOSTS, "ip", ip))
		return lookup_fail(rq, "ip",
		    ipnet_parse(rq->captured[0], &net) ? "one IP address; the hosts of a network "
							 "are found by /search/hosts?q=NETWORK"
						       : "an IP address");
	record_set_text(rq->arena, r.root, "ip", *ip);
	*key = record_key(rq->arena, &r);
	return PASS;
}

static int
get_host(struct req *rq)
{
	struct str ip, key;

	if (lookup_host(rq, &ip, &key) != PASS)
		return FAILED;
	return answer_first_document(rq, DATASET_HOSTS, (struct strs){ &key, 1 });
}

static int
service_named(struct req *rq, int64_t *port, struct str *transport)
{
	*transport = rq->captured[2];
	if (!ip_parse_port(rq->captured[1], port))
		return lookup_fail(rq, "port", "a number from 1 to 65535");
	if (!record_canonical(rq->arena, DATASET_HOSTS, "services.transport", transport))
		return lookup_fail(rq, "transport", "tcp, udp or sctp");
	return PASS;
}

static int
get_host_service(struct req *rq)
{
	struct documents docs;
	struct budget unused;
	struct str ip, key, transport;
	const struct fields_args *args = rq->params;
	const struct record_fields *fields;
	struct services services;
	int64_t port;
	struct buf *b;
	bool found;

	if (fields_parse(rq, DATASET_SERVICES, args->fields, &fields) != PASS ||
	    lookup_host(rq, &ip, &key) != PASS || service_named(rq, &port, &transport) != PASS ||
	    share_begin(rq, &unused) != PASS ||
	    documents_read(rq, DATASET_HOSTS, BY_KEY, (struct strs){ &key, 1 }, &docs) != PASS)
		return FAILED;
	if (docs.p[0] == NULL)
		return fail(rq, ERR_RECORD_NOT_FOUND);
	b = reply_begin(rq, 200);
	json_begin(b, '{');
	json_member(b, "service");
	services_open(&services, tree_arena(), docs.p[0]->doc, fields);
	found = service_write(b, &services, port, transport);
	arena_reset(tree_arena());
	if (!found)
		return fail(rq, ERR_RECORD_NOT_FOUND);
	buf_char(b, '}');
	return PASS;
}

/* ---- the DNS records of a name ---- */

struct name_args {
	struct str type, since, until, fields, cursor;
	int64_t limit;
};

static const struct url_param name_params[] = {
	{
	    .field = { .name = "type",
		.type = FIELD_STR,
		.offset = offsetof(struct name_args, type),
		.lo = 1,
		.hi = 16,
		.help = "Only records of this type." },
	    .example = "AAAA",
	},
	{
	    .field = { .name = "since",
		.type = FIELD_STR,
		.offset = offsetof(struct name_args, since),
		.lo = 1,
		.hi = 64,
		.help = "Only records that were last seen at this time or later." },
	    .example = "2026-01-01T00:00:00Z",
	},
	{
	    .field = { .name = "until",
		.type = FIELD_STR,
		.offset = offsetof(struct name_args, until),
		.lo = 1,
		.hi = 64,
		.help = "Only records that were first seen at this time or earlier." },
	    .example = "2026-01-31T00:00:00Z",
	},
	FIELDS_PARAM(struct name_args),
	{
	    .field = { .name = "limit",
		.type = FIELD_INT,
		.offset = offsetof(struct name_args, limit),
		.lo = 1,
		.hi = LIM_SEARCH_PAGE,
		.def = LIM_PAGE_DEFAULT,
		.help = "Records a page." },
	    .error = ERR_INVALID_PAGINATION,
	},
	{
	    .field = { .name = "cursor",
		.type = FIELD_STR,
		.offset = offsetof(struct name_args, cursor),
		.lo = 1,
		.hi = LIM_CURSOR,
		.help = "next_cursor of the page before, with the same name and filters." },
	    .error = ERR_INVALID_SEARCH_CURSOR,
	},
	URL_PARAM_END,
};

struct name_page {
	struct str name;
	struct list records;
	bool has_more;
	struct str next_cursor;
};

static const struct field dns_documents[] = { FIELD_END_OF("dns_record") };

static const struct field name_head[] = { FIELD(struct name_page, name, 0), FIELD_END };
static const struct field name_tail[] = {
	FIELD(struct name_page, has_more, 0),
	FIELD(struct name_page, next_cursor, NULLABLE),
	FIELD_END,
};
static const struct field name_out[] = {
	FIELD(struct name_page, name, 0),
	{ .name = "records",
	    .type = FIELD_LIST,
	    .offset = offsetof(struct name_page, records),
	    .hi = LIM_SEARCH_PAGE,
	    .sub = dns_documents,
	    .size = sizeof(struct json),
	    .item = FIELD_RAW },
	FIELD(struct name_page, has_more, 0),
	FIELD(struct name_page, next_cursor, NULLABLE),
	FIELD_END_OF("DnsNamePage"),
};

struct name_record {
	struct str key, doc; /* doc.p is NULL beyond a limit of bytes */
};

static const struct field name_record_out[] = {
	FIELD(struct name_record, key, 0),
	FIELD(struct name_record, doc, NULLABLE),
	FIELD_END,
};

/* Keys from $2 to below $3, neither included. $6 rows at most; $7 and $8 are the limits of bytes of
   read_records (documents.c). */
STMT_LIST(read_name, struct name_record, name_record_out,
    "SELECT key, CASE WHEN sum(bytes) OVER () <= $8::bigint"
    "  AND (sum(bytes) OVER (ORDER BY key) <= $7::bigint"
    "   OR sum(bytes) OVER (ORDER BY key) = bytes) THEN doc END AS doc"
    " FROM (SELECT key, doc, bytes FROM record"
    "  WHERE dataset = $1::smallint AND key > $2::bytea AND key < $3::bytea AND NOT gone"
    "  AND ($4::timestamptz IS NULL OR (doc::json ->> 'last_seen')::timestamptz >= $4)"
    "  AND ($5::timestamptz IS NULL OR (doc::json ->> 'first_seen')::timestamptz <= $5)"
    "  ORDER BY key LIMIT $6::bigint) AS page ORDER BY key");

struct name_end {
	struct str key;
};

static const struct field name_end_out[] = { FIELD(struct name_end, key, 0), FIELD_END };

/* The record number $4 of the range, from 0, and the one behind it. */
STMT_LIST(find_name_end, struct name_end, name_end_out,
    "SELECT key FROM record WHERE dataset = $1::smallint AND key > $2::bytea AND key < $3::bytea"
    " AND NOT gone ORDER BY key OFFSET $4::bigint LIMIT 2");

int
lookup_time(struct req *rq, const char *name, struct str text, struct ts *out)
{
	*out = TS_NULL;
	if (text.p == NULL || ts_parse(text, out))
		return PASS;
	return lookup_fail(rq, name, "a time such as 2026-01-31T00:00:00Z");
}

/* Everything that selects the records of a name; the cursor is bound to it. */
struct name_search {
	struct str name, from, behind;
	/* The key of the last record that the page looks at, when others follow it. STR_NULL: none
	   do. */
	struct str end;
	struct ts since, until;
	const struct record_fields *fields;
	struct cursor_for bound;
};

static int
name_search_begin(struct req *rq, struct name_search *s)
{
	const struct name_args *args = rq->params;
	struct str name = rq->captured[0], type = args->type;

	if (!record_canonical(rq->arena, DATASET_DNS, "host", &name) ||
	    memchr(name.p, '.', name.n) == NULL)
		return lookup_fail(rq, "name", "a DNS name with a dot");
	if (type.p != NULL && !record_canonical(rq->arena, DATASET_DNS, "record_type", &type))
		return lookup_fail(rq, "type", "a type of DNS records such as AAAA or TYPE65");
	if (lookup_time(rq, "since", args->since, &s->since) != PASS ||
	    lookup_time(rq, "until", args->until, &s->until) != PASS ||
	    fields_parse(rq, DATASET_DNS, args->fields, &s->fields) != PASS)
		return FAILED;
	s->name = name;
	s->from = record_key_rrset(rq->arena, name, type);
	s->behind = record_key_behind(rq->arena, s->from);
	s->bound = (struct cursor_for){ .key = rq->key->uuid,
		.operation = str_of(rq->route->operation),
		.filters = arena_printf(rq->arena, "%.*s %.*s %.*s %.*s", (int)name.n, name.p,
		    (int)type.n, type.n > 0 ? type.p : "", (int)args->since.n,
		    args->since.n > 0 ? args->since.p : "", (int)args->until.n,
		    args->until.n > 0 ? args->until.p : "") };
	return key_cursor_open(rq, DATASET_DNS, &s->bound, args->cursor, &s->from);
}

/* last: the key after which the next page begins; STR_NULL: there is none. */
static void
write_name_page(struct req *rq, const struct name_search *s, const struct name_record *rows,
    size_t n, struct str last)
{
	struct name_page page = { .name = s->name, .has_more = last.p != NULL };
	struct buf *b = reply_begin(rq, 200);

	if (page.has_more)
		page.next_cursor = key_cursor_seal(rq, DATASET_DNS, &s->bound, last);
	json_write(b, name_head, &page);
	b->n--; /* the closing brace: the documents follow */
	json_member_begin(b, "records", '[');
	for (size_t i = 0; i < n; i++) {
		if (i > 0)
			buf_char(b, ',');
		document_write(b, DATASET_DNS, rows[i].doc, s->fields);
	}
	buf_z(b, "]}");
	json_write_more(b, name_tail, &page);
}

static struct bytes
as_bytes(struct str s)
{
	return (struct bytes){ (const unsigned char *)s.p, s.n };
}

/* A name may have a million records, and times leave records out only after they were read. So a
   page with times looks at LIM_NAME_RECORDS records at most, and may be empty although others
   follow. */
static enum db_rc
end_name_page(struct req *rq, struct name_search *s)
{
	const struct name_end *row;
	struct list rows = { 0 };
	enum db_rc rc = DB_OK;

	if (!ts_is_null(s->since) || !ts_is_null(s->until))
		rc = db_list(rq->db, &find_name_end, &rows, P(record_dataset_number(DATASET_DNS)),
		    P(as_bytes(s->from)), P(as_bytes(s->behind)), P((int64_t)LIM_NAME_RECORDS - 1));
	s->end = STR_NULL;
	if (rc != DB_OK || rows.n < 2)
		return rc;
	row = rows.items;
	s->end = row[0].key;
	s->behind = row[1].key;
	return DB_OK;
}

static int
get_dns_name(struct req *rq)
{
	const struct name_args *args = rq->params;
	const struct name_record *row;
	struct name_search s;
	struct budget unused;
	struct list rows;
	enum db_rc rc;
	size_t n = 0;

	if (name_search_begin(rq, &s) != PASS || share_begin(rq, &unused) != PASS)
		return FAILED;
	rc = end_name_page(rq, &s);
	if (rc == DB_OK)
		rc = db_list(rq->db, &read_name, &rows, P(record_dataset_number(DATASET_DNS)),
		    P(as_bytes(s.from)), P(as_bytes(s.behind)), P(s.since), P(s.until),
		    P(args->limit + 1), P((int64_t)LIM_PAGE_BYTES), P(share_bytes()));
	if (rc != DB_OK)
		return fail_db(rq, rc);
	row = rows.items;
	if (rows.n == 0 && args->cursor.p == NULL && s.end.p == NULL)
		return fail(rq, ERR_RECORD_NOT_FOUND);
	if (rows.n > 0 && row[0].doc.p == NULL)
		return share_hand_over(rq);
	while (n < rows.n && (int64_t)n < args->limit && row[n].doc.p != NULL)
		n++;
	write_name_page(rq, &s, row, n, n < rows.n ? row[n - 1].key : s.end);
	return PASS;
}

/* ---- domains ---- */

int
lookup_domain(struct req *rq, struct str names[2], size_t *n)
{
	struct str domain = rq->captured[0], apex;

	if (!record_canonical(rq->arena, DATASET_WHOIS, "domain", &domain) ||
	    memchr(domain.p, '.', domain.n) == NULL)
		return lookup_fail(rq, "domain", "a domain name with a dot");
	apex = host_registrable(rq->arena, domain);
	names[0] = domain;
	names[1] = apex;
	*n = apex.p == NULL || str_eq(domain, apex) ? 1 : 2;
	return PASS;
}

static int
get_whois_domain(struct req *rq)
{
	struct str keys[2];
	size_t n;

	if (lookup_domain(rq, keys, &n) != PASS)
		return FAILED;
	for (size_t i = 0; i < n; i++)
		keys[i] = record_key_name(rq->arena, keys[i]);
	return answer_first_document(rq, DATASET_WHOIS, (struct strs){ keys, n });
}

/* ---- certificates ---- */

enum { FINGERPRINT = 32, PEM_LINE = 64 };

enum certificate_form { FORM_JSON, FORM_DER, FORM_PEM };

static const char *const certificate_media[] = {
	[FORM_JSON] = "application/json",
	[FORM_DER] = "application/pkix-cert",
	[FORM_PEM] = "application/x-pem-file",
	NULL,
};

struct stored_certificate {
	struct str doc, der;
};

static const struct field stored_certificate_out[] = {
	FIELD(struct stored_certificate, doc, NULLABLE),
	FIELD(struct stored_certificate, der, NULLABLE),
	FIELD_END,
};

#define OF_FINGERPRINT                                                                             \
	" WHERE r.dataset = $1::smallint AND substr(r.key, 9) = $2::bytea AND NOT r.gone"          \
	" ORDER BY r.key LIMIT 1"

/* $2: the fingerprint, which is the end of the key. $3: the largest document that this worker
   reads. */
STMT(read_certificate, stored_certificate_out,
    "SELECT CASE WHEN r.bytes <= $3::bigint THEN " TAGGED_DOCUMENT " END AS doc, NULL::bytea AS der"
    " FROM record AS r" OF_FINGERPRINT);

STMT(read_certificate_der, stored_certificate_out,
    "SELECT NULL::text AS doc, b.blob AS der FROM record AS r"
    " LEFT JOIN record_blob AS b ON b.dataset = r.dataset AND b.key = r.key" OF_FINGERPRINT);

/* Returns the form of the first media type in Accept that this operation has; JSON when there is
   none. Weights are ignored: a client that wants bytes names their type first. */
static enum certificate_form
wanted_form(const struct req *rq)
{
	struct str rest = env_get(rq, "HTTP_ACCEPT"), item;

	while (str_part(&rest, ',', &item)) {
		struct str type = str_trim(str_until(&item, ';'));

		for (size_t i = 0; certificate_media[i] != NULL; i++)
			if (str_is_nocase(type, certificate_media[i]))
				return (enum certificate_form)i;
	}
	return FORM_JSON;
}

/* RFC 7468: lines of 64 characters of padded base64. */
static void
write_pem(struct req *rq, struct buf *b, struct str der)
{
	char *text = arena_alloc(rq->arena, 4 * ((der.n + 2) / 3) + 1);
	size_t n = base64url_print(text, (const unsigned char *)der.p, der.n);

	buf_z(b, "-----BEGIN CERTIFICATE-----\n");
	for (size_t i = 0; i < (n + 3) / 4 * 4; i++) {
		char c = i < n ? text[i] : '=';

		buf_char(b, c == '-' ? '+' : c == '_' ? '/' : c);
		if (i % PEM_LINE == PEM_LINE - 1)
			buf_char(b, '\n');
	}
	if ((n + 3) / 4 * 4 % PEM_LINE != 0)
		buf_char(b, '\n');
	buf_z(b, "-----END CERTIFICATE-----\n");
}

static int
answer_certificate(struct req *rq, const struct stored_certificate *c,
    const struct record_fields *fields, enum certificate_form form)
{
	struct buf *b;

	if (form != FORM_JSON && c->der.p == NULL)
		return fail_at(rq, ERR_RECORD_NOT_FOUND,
		    STR("The certificate is stored without its DER; ask for application/json."));
	b = reply_begin(rq, 200);
	rq->content_type = certificate_media[form];
	switch (form) {
	case FORM_DER:
		buf_str(b, c->der);
		return PASS;
	case FORM_PEM:
		write_pem(rq, b, c->der);
		return PASS;
	case FORM_JSON:
		break;
	}
	json_begin(b, '{');
	json_member(b, answer_names[DATASET_CERTIFICATES].record);
	document_write(b, DATASET_CERTIFICATES, c->doc, fields);
	buf_char(b, '}');
	return PASS;
}

static int
get_certificate(struct req *rq)
{
	const struct fields_args *args = rq->params;
	enum certificate_form form = wanted_form(rq);
	struct str text = rq->captured[0];
	unsigned char sum[FINGERPRINT];
	struct bytes fingerprint = { sum, sizeof(sum) };
	int64_t number = record_dataset_number(DATASET_CERTIFICATES);
	const struct record_fields *fields;
	struct stored_certificate found = { 0 };
	struct budget unused;
	enum db_rc rc;

	if (!record_canonical(rq->arena, DATASET_CERTIFICATES, "fingerprint_sha256", &text) ||
	    !hex_parse(text, sum, sizeof(sum)))
		return lookup_fail(rq, "fingerprint", "a SHA-256: 64 hexadecimal digits");
	if (fields_parse(rq, DATASET_CERTIFICATES, args->fields, &fields) != PASS ||
	    share_begin(rq, &unused) != PASS)
		return FAILED;
	if (form == FORM_JSON)
		rc = db_one(
		    rq->db, &read_certificate, &found, P(number), P(fingerprint), P(share_bytes()));
	else
		rc = db_one(rq->db, &read_certificate_der, &found, P(number), P(fingerprint));
	if (rc == DB_NONE)
		return fail(rq, ERR_RECORD_NOT_FOUND);
	if (rc != DB_OK)
		return fail_db(rq, rc);
	if (form == FORM_JSON && found.doc.p == NULL)
		return share_hand_over(rq);
	return answer_certificate(rq, &found, fields, form);
}

/* ---- the table ---- */

static const enum error lookup_errors[] = { ERR_RECORD_NOT_FOUND, ERR_SEARCH_UNAVAILABLE,
	ERR_SEARCH_BUSY, ERR_SEARCH_TIMEOUT, ERR_UNSET };
static const enum error name_errors[] = { ERR_RECORD_NOT_FOUND, ERR_INVALID_PAGINATION,
	ERR_INVALID_SEARCH_CURSOR, ERR_SEARCH_UNAVAILABLE, ERR_SEARCH_BUSY, ERR_SEARCH_TIMEOUT,
	ERR_UNSET };

#define PATH_PARAM(label, least, most, about, sample)                                              \
	{                                                                                          \
		.field = { .name = (label),                                                        \
			.type = FIELD_STR,                                                         \
			.lo = (least),                                                             \
			.hi = (most),                                                              \
			.help = (about) },                                                         \
		.example = (sample)                                                                \
	}

const struct url_param lookup_host_path[] = {
	PATH_PARAM("ip", 2, 64, "An IPv4 or IPv6 address.", "192.0.2.1"),
	PATH_PARAM("port", 1, 5, "The port of the service.", "443"),
	PATH_PARAM("transport", 3, 4, "tcp, udp or sctp.", "tcp"),
	URL_PARAM_END,
};
static const struct url_param name_path[] = {
	PATH_PARAM("name", 3, 1024, "A DNS name with a dot; letters beyond ASCII become A-labels.",
	    "www.example.com"),
	URL_PARAM_END,
};
const struct url_param lookup_domain_path[] = {
	PATH_PARAM("domain", 3, 1024,
	    "A domain name with a dot; letters beyond ASCII become A-labels.", "example.com"),
	URL_PARAM_END,
};
static const struct url_param fingerprint_path[] = {
	PATH_PARAM("fingerprint", 64, 95,
	    "The SHA-256 of the DER as 64 hexadecimal digits, in any case, also with colons.",
	    "4355a46b19d348dc2f57c046f8ef63d4538ebb936000f3c9ee954a27460dd865"),
	URL_PARAM_END,
};

/* The document of an answer is text, so its row has no offset. */
#define DOCUMENT_OUT(id, member, schema)                                                           \
	static const struct field id##_document[] = { FIELD_END_OF(schema) };                      \
	static const struct field id##_out[] = {                                                   \
		{ .name = (member), .type = FIELD_RAW, .sub = id##_document }, FIELD_END           \
	};
DOCUMENT_OUT(host, "host", "host")
DOCUMENT_OUT(host_service, "service", "host_service")
DOCUMENT_OUT(whois, "whois_domain", "whois_domain")
DOCUMENT_OUT(certificate, "certificate", "certificate")

static const struct route lookup_routes[] = {
	{
	    ROUTE(GET, "/search/hosts/{ip}", get_host),
	    COLUMNS_OF_READING(HOSTS),
	    .path_params = lookup_host_path,
	    PARAMS(struct fields_args, fields_params),
	    .out = host_out,
	    .errors = lookup_errors,
	    .summary = "Get a host",
	    .result = "The host as it is stored now.",
	    .description = "The host with this address, as soon as its import has committed.",
	},
	{
	    ROUTE(GET, "/search/hosts/{ip}/services/{port}/{transport}", get_host_service),
	    COLUMNS_OF_READING(SERVICES),
	    .path_params = lookup_host_path,
	    PARAMS(struct fields_args, fields_params),
	    .out = host_service_out,
	    .errors = lookup_errors,
	    .summary = "Get a service of a host",
	    .result = "The service as it is stored now, and where its host is.",
	    .description = "One service of the host with this address.",
	},
	{
	    ROUTE(GET, "/search/dns/{name}", get_dns_name),
	    COLUMNS_OF_READING(DNS),
	    .path_params = name_path,
	    PARAMS(struct name_args, name_params),
	    .out = name_out,
	    .errors = name_errors,
	    .summary = "List the DNS records of a name",
	    .result = "The records of the name itself, by type.",
	    .description = "The records of this name and of no name below it, by type, answer code "
			   "and answer.",
	},
	{
	    ROUTE(GET, "/search/whois/{domain}", get_whois_domain),
	    COLUMNS_OF_READING(WHOIS),
	    .path_params = lookup_domain_path,
	    PARAMS(struct fields_args, fields_params),
	    .out = whois_out,
	    .errors = lookup_errors,
	    .summary = "Get the registration of a domain",
	    .result = "The registration of the domain, or of the one that it is a part of.",
	    .description = "The registration as it is stored now. A name below a registered domain "
			   "is answered with that domain, which the member domain names.",
	},
	{
	    ROUTE(GET, "/search/certificates/{fingerprint}", get_certificate),
	    COLUMNS_OF_READING(CERTIFICATES),
	    .path_params = fingerprint_path,
	    PARAMS(struct fields_args, fields_params),
	    .out = certificate_out,
	    .other_media = &certificate_media[FORM_DER],
	    .errors = lookup_errors,
	    .summary = "Get a certificate",
	    .result = "The certificate, by the header Accept as JSON, DER or PEM.",
	    .description = "The certificate with this fingerprint. Accept: application/pkix-cert "
			   "asks for its DER, application/x-pem-file for its PEM.",
	},
	ROUTE_END,
};

ROUTES(16, lookup);
