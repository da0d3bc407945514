/* SPDX-License-Identifier: ISC */
/* Bulk look-ups of names, domains and fingerprints: up to a hundred look-ups (lookup.c) in one
   request, with one statement. A result says which item it answers in the canonical form of the
   item, so "WWW.Example.org." and "www.example.org" are one item, and the second is refused as a
   repetition.

   A page may end early, a bulk answer may not: the documents of an answer have LIM_PAGE_BYTES
   together, and a request whose documents have more is refused with the advice to ask for fewer. */
#include "config.h"

#include "address/start_url.h"
#include "api/api.h"
#include "api/search/documents.h"
#include "api/search/share.h"
#include "record/lookup.h"

struct keys_in {
	struct list items;
	int64_t limit_per_name;
};

#define ITEMS(label)                                                                               \
	{                                                                                          \
		.name = (label), .type = FIELD_LIST, .flags = REQUIRED,                            \
		.offset = offsetof(struct keys_in, items), .lo = 1, .hi = LIM_BULK_KEYS,           \
		.size = sizeof(struct str), .item = FIELD_STR                                      \
	}

static const struct field names_in[] = {
	ITEMS("names"),
	NUMBER(struct keys_in, limit_per_name, 0, 1, LIM_LIMIT_PER_IP, LIM_LIMIT_PER_IP_DEFAULT),
	FIELD_END,
};
static const struct field domains_in[] = { ITEMS("domains"), FIELD_END };
static const struct field fingerprints_in[] = { ITEMS("fingerprints"), FIELD_END };

static int
fail_item(struct req *rq, size_t i, const char *what)
{
	return fail_at(rq, ERR_INVALID_REQUEST,
	    arena_printf(rq->arena, "%s[%zu]: %s.", rq->route->body.fields[0].name, i, what));
}

/* Brings each item into the canonical form of the member. A name must have a dot, as in the look-up
   of one name. */
static int
canonical_items(struct req *rq, enum dataset d, const char *member, struct str *out)
{
	const struct list *items = &((const struct keys_in *)rq->in)->items;
	const struct str *sent = items->items;

	for (size_t i = 0; i < items->n; i++) {
		out[i] = sent[i];
		if (!record_canonical(rq->arena, d, member, &out[i]))
			return fail_item(rq, i,
			    d == DATASET_CERTIFICATES ? "must be a SHA-256: 64 hexadecimal digits"
						      : "is no name");
		if (d != DATASET_CERTIFICATES && memchr(out[i].p, '.', out[i].n) == NULL)
			return fail_item(rq, i, "is a name without a dot");
		for (size_t k = 0; k < i; k++)
			if (str_eq(out[k], out[i]))
				return fail_item(rq, i, "is repeated");
	}
	return PASS;
}

static int
fail_too_large(struct req *rq)
{
	return fail_at(rq, ERR_INVALID_REQUEST,
	    STR("The documents are too large for one answer; ask for fewer."));
}

/* ---- one document for each item ---- */

struct one_result {
	struct str item;
	bool found;
	struct json doc;
};

#define RESULT_OF(id, label, member, record, schema)                                               \
	static const struct field id##_document[] = { FIELD_END_OF(record) };                      \
	static const struct field id##_result[] = { { .name = (label),                             \
							.type = FIELD_STR,                         \
							.offset =                                  \
							    offsetof(struct one_result, item) },   \
		FIELD(struct one_result, found, 0),                                                \
		{ .name = (member),                                                                \
		    .type = FIELD_RAW,                                                             \
		    .flags = NULLABLE,                                                             \
		    .offset = offsetof(struct one_result, doc),                                    \
		    .sub = id##_document },                                                        \
		FIELD_END_OF(schema) };                                                            \
	static const struct field id##_out[] = { LIST(struct results, results, 0,                  \
						     struct one_result, id##_result, 1,            \
						     LIM_BULK_KEYS),                               \
		FIELD_END };

struct results {
	struct list results;
};

RESULT_OF(domain, "domain", "whois_domain", "whois_domain", "WhoisBulkResult")
RESULT_OF(fingerprint, "fingerprint", "certificate", "certificate", "CertificateBulkResult")

/* Keys without repetitions: a document that two items ask for is read once. */
struct keys {
	struct str p[2 * LIM_BULK_KEYS];
	size_t n;
};

/* The place of the key, which is added when it is new. */
static size_t
key_place(struct keys *keys, struct str key)
{
	size_t i = 0;

	while (i < keys->n && !str_eq(keys->p[i], key))
		i++;
	if (i == keys->n)
		keys->p[keys->n++] = key;
	return i;
}

/* Answers each item with the first document of its two places, which may be equal. */
static int
answer_items(struct req *rq, enum dataset d, const struct str *items, size_t n, size_t (*places)[2],
    const struct documents *docs, const struct record_fields *fields)
{
	struct one_result *results = ARENA_ARRAY(rq->arena, n, struct one_result);
	struct results answer = { { results, n } };

	if (documents_fit(docs) < docs->n)
		return fail_too_large(rq);
	for (size_t i = 0; i < n; i++) {
		const struct document *found = docs->p[places[i][0]];

		if (found == NULL)
			found = docs->p[places[i][1]];
		results[i] = (struct one_result){ .item = items[i], .found = found != NULL };
		if (found != NULL)
			results[i].doc.text = document_text(rq->arena, d, found->doc, fields);
	}
	return reply(rq, 200, NULL, rq->route->out, &answer);
}

/* The cheap refusals of both operations, before the worker's time is asked for. */
static int
begin_items(struct req *rq, enum dataset d, const char *member, struct str *items,
    const struct record_fields **fields)
{
	const struct fields_args *args = rq->params;
	struct budget unused;

	if (canonical_items(rq, d, member, items) != PASS ||
	    fields_parse(rq, d, args->fields, fields) != PASS)
		return FAILED;
	return share_begin(rq, &unused);
}

static int
bulk_lookup_whois(struct req *rq)
{
	size_t n = ((const struct keys_in *)rq->in)->items.n, places[LIM_BULK_KEYS][2];
	struct str domains[LIM_BULK_KEYS];
	const struct record_fields *fields;
	struct keys keys = { .n = 0 };
	struct documents docs;

	if (begin_items(rq, DATASET_WHOIS, "domain", domains, &fields) != PASS)
		return FAILED;
	for (size_t i = 0; i < n; i++) {
		struct str apex = host_registrable(rq->arena, domains[i]);

		places[i][0] = key_place(&keys, record_key_name(rq->arena, domains[i]));
		places[i][1] = apex.p == NULL ? places[i][0]
					      : key_place(&keys, record_key_name(rq->arena, apex));
	}
	if (documents_read(rq, DATASET_WHOIS, BY_KEY, (struct strs){ keys.p, keys.n }, &docs) !=
	    PASS)
		return FAILED;
	return answer_items(rq, DATASET_WHOIS, domains, n, places, &docs, fields);
}

static int
bulk_lookup_certificates(struct req *rq)
{
	enum { FINGERPRINT = 32 };
	size_t n = ((const struct keys_in *)rq->in)->items.n, places[LIM_BULK_KEYS][2];
	struct str fingerprints[LIM_BULK_KEYS];
	unsigned char bytes[LIM_BULK_KEYS][FINGERPRINT];
	const struct record_fields *fields;
	struct keys keys = { .n = 0 };
	struct documents docs;

	if (begin_items(rq, DATASET_CERTIFICATES, "fingerprint_sha256", fingerprints, &fields) !=
	    PASS)
		return FAILED;
	for (size_t i = 0; i < n; i++) {
		if (!hex_parse(fingerprints[i], bytes[i], FINGERPRINT))
			panic("a canonical fingerprint is not hexadecimal");
		places[i][0] = places[i][1] =
		    key_place(&keys, (struct str){ (const char *)bytes[i], FINGERPRINT });
	}
	if (documents_read(rq, DATASET_CERTIFICATES, BY_FINGERPRINT,
		(struct strs){ keys.p, keys.n }, &docs) != PASS)
		return FAILED;
	return answer_items(rq, DATASET_CERTIFICATES, fingerprints, n, places, &docs, fields);
}

/* ---- the records of names ---- */

struct name_row {
	int64_t at;
	struct str doc;
};

static const struct field name_row_out[] = {
	FIELD(struct name_row, at, 0),
	FIELD(struct name_row, doc, NULLABLE),
	FIELD_END,
};

/* $1 and $2: the beginning of each name's keys and the key behind them. $5 rows of a name at most.
   $3 and $6 are the limits of bytes, of the answer and of this worker. */
STMT_LIST(read_names, struct name_row, name_row_out,
    "SELECT at, CASE WHEN sum(bytes) OVER () <= least($3::bigint, $6::bigint) THEN doc END AS doc"
    " FROM unnest($1::text[]::bytea[], $2::text[]::bytea[]) WITH ORDINALITY"
    "  AS k (beginning, behind, at),"
    " LATERAL (SELECT key, doc, bytes FROM record WHERE dataset = $4::smallint"
    "  AND key > k.beginning AND key < k.behind AND NOT gone ORDER BY key LIMIT $5::bigint) AS r"
    " ORDER BY at, key");

struct name_result {
	struct str name;
	bool found;
	struct list records;
	bool records_has_more;
};

static const struct field dns_documents[] = { FIELD_END_OF("dns_record") };
static const struct field name_result_out[] = {
	FIELD(struct name_result, name, 0),
	FIELD(struct name_result, found, 0),
	{ .name = "records",
	    .type = FIELD_LIST,
	    .offset = offsetof(struct name_result, records),
	    .hi = LIM_LIMIT_PER_IP,
	    .sub = dns_documents,
	    .size = sizeof(struct json),
	    .item = FIELD_RAW },
	{ .name = "records_has_more",
	    .type = FIELD_BOOL,
	    .offset = offsetof(struct name_result, records_has_more),
	    .help = "The name has more records than limit_per_name." },
	FIELD_END_OF("DnsBulkResult"),
};
static const struct field names_out[] = {
	LIST(struct results, results, 0, struct name_result, name_result_out, 1, LIM_BULK_KEYS),
	FIELD_END,
};

static int
read_name_rows(struct req *rq, const struct str *names, size_t n, struct list *rows)
{
	const struct keys_in *in = rq->in;
	struct str from[LIM_BULK_KEYS], behind[LIM_BULK_KEYS];
	enum db_rc rc;

	for (size_t i = 0; i < n; i++) {
		struct str key = record_key_name(rq->arena, names[i]);

		from[i] = db_bytea(rq->arena, key);
		behind[i] = db_bytea(rq->arena, record_key_behind(rq->arena, key));
	}
	rc = db_list(rq->db, &read_names, rows, P(((struct strs){ from, n })),
	    P(((struct strs){ behind, n })), P((int64_t)LIM_PAGE_BYTES),
	    P(record_dataset_number(DATASET_DNS)), P(in->limit_per_name + 1), P(share_bytes()));
	return rc == DB_OK ? PASS : fail_db(rq, rc);
}

static void
fill_name(struct req *rq, const struct name_row *rows, size_t n, const struct record_fields *fields,
    struct name_result *out)
{
	size_t most = (size_t)((const struct keys_in *)rq->in)->limit_per_name;
	struct json *docs = ARENA_ARRAY(rq->arena, n + 1, struct json);

	out->found = n > 0;
	out->records_has_more = n > most;
	out->records = (struct list){ docs, n > most ? most : n };
	for (size_t i = 0; i < out->records.n; i++)
		docs[i].text = document_text(rq->arena, DATASET_DNS, rows[i].doc, fields);
}

static int
bulk_lookup_dns(struct req *rq)
{
	const struct fields_args *args = rq->params;
	size_t n = ((const struct keys_in *)rq->in)->items.n;
	struct str names[LIM_BULK_KEYS];
	struct name_result results[LIM_BULK_KEYS];
	struct results answer = { { results, n } };
	const struct record_fields *fields;
	const struct name_row *row;
	struct list rows = { 0 };
	struct budget unused;

	if (fields_parse(rq, DATASET_DNS, args->fields, &fields) != PASS ||
	    canonical_items(rq, DATASET_DNS, "host", names) != PASS ||
	    share_begin(rq, &unused) != PASS || read_name_rows(rq, names, n, &rows) != PASS)
		return FAILED;
	row = rows.items;
	if (rows.n > 0 && row[0].doc.p == NULL)
		return share_bytes() == INT64_MAX ? fail_too_large(rq) : share_hand_over(rq);
	for (size_t i = 0, from = 0, to = 0; i < n; i++, from = to) {
		while (to < rows.n && row[to].at == (int64_t)i + 1)
			to++;
		results[i] = (struct name_result){ .name = names[i] };
		fill_name(rq, row + from, to - from, fields, &results[i]);
	}
	return reply(rq, 200, NULL, names_out, &answer);
}

/* ---- the table ---- */

static const enum error bulk_errors[] = { ERR_INVALID_REQUEST, ERR_SEARCH_UNAVAILABLE,
	ERR_SEARCH_BUSY, ERR_SEARCH_TIMEOUT, ERR_UNSET };

#define BULK_COLUMNS(id)                                                                           \
	COLUMNS_OF_READING(id), PARAMS(struct fields_args, fields_params), .errors = bulk_errors

static const struct route bulk_record_routes[] = {
	{
	    ROUTE(POST, "/search/dns/bulk", bulk_lookup_dns),
	    BULK_COLUMNS(DNS),
	    BODY(struct keys_in, names_in, BODY_CONFIGURED),
	    .out = names_out,
	    .summary = "Look up DNS records by name",
	    .result = "One result a name, in the order of the request.",
	    .example =
		JSON({ "names" : [ "www.example.com", "example.com" ], "limit_per_name" : 10 }),
	    .description = "The first limit_per_name records of up to 100 names, by type. All of "
			   "them together may have 8388608 bytes: more are refused.",
	},
	{
	    ROUTE(POST, "/search/whois/bulk", bulk_lookup_whois),
	    BULK_COLUMNS(WHOIS),
	    BODY(struct keys_in, domains_in, BODY_CONFIGURED),
	    .out = domain_out,
	    .summary = "Look up registrations by domain",
	    .result = "One result a domain, in the order of the request.",
	    .example = JSON({ "domains" : [ "example.com", "www.example.net" ] }),
	    .description = "The registrations of up to 100 domains, or of the domains that they "
			   "are a part of. All of them together may have 8388608 bytes: more are "
			   "refused.",
	},
	{
	    ROUTE(POST, "/search/certificates/bulk", bulk_lookup_certificates),
	    BULK_COLUMNS(CERTIFICATES),
	    BODY(struct keys_in, fingerprints_in, BODY_CONFIGURED),
	    .out = fingerprint_out,
	    .summary = "Look up certificates by fingerprint",
	    .result = "One result a fingerprint, in the order of the request.",
	    .example = JSON({
		    "fingerprints" :
			["4355a46b19d348dc2f57c046f8ef63d4538ebb936000f3c9ee954a27460dd865"]
	    }),
	    .description = "The certificates of up to 100 fingerprints. All of them together may "
			   "have 8388608 bytes: more are refused.",
	},
	ROUTE_END,
};

ROUTES(31, bulk_record);
