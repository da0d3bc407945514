/* SPDX-License-Identifier: ISC */
/* Bulk lookup of hosts by address (C-716). No index is needed: the hosts are read from
   PostgreSQL.

   The sizes of documents are hard: a hundred hosts with every port open have gigabytes, of which
   the answer may need the first ten services each. They are read in rounds of at most
   LIM_PAGE_BYTES, each in an arena that the next round empties, and only what is answered is kept:

     keys      k1 k2 k3 | k4 | k5 ... k100       a round: documents that fit into a page, and the first in any case
     results   cut to limit_per_ip               together at most LIM_BULK_BYTES, or the request is
                                                 refused */
#include "config.h"

#include "api/api.h"
#include "api/search/documents.h"
#include "api/search/share.h"
#include "record/ports.h"

enum { ROUND_MEMORY = 1 << 30 };

struct bulk_in {
	struct list ips;
	int64_t limit_per_ip;
};

static const struct field bulk_in[] = {
	LIST_OF(struct bulk_in, ips, REQUIRED, struct str, 1, LIM_BULK_IPS),
	NUMBER(struct bulk_in, limit_per_ip, 0, 1, LIM_LIMIT_PER_IP, LIM_LIMIT_PER_IP_DEFAULT),
	FIELD_END,
};

static const struct body_code bulk_codes[] = {
	{ "ips", ERR_INVALID_IP_BATCH, ERR_INVALID_IP_BATCH },
	{ "limit_per_ip", ERR_INVALID_LIMIT_PER_IP, ERR_INVALID_LIMIT_PER_IP },
	{ NULL, ERR_UNSET, ERR_UNSET },
};

static int
fail_ip(struct req *rq, size_t i, const char *what)
{
	return fail_at(rq, ERR_INVALID_IP_BATCH, arena_printf(rq->arena, "ips[%zu]: %s.", i, what));
}

/* Each item must be one address, not a prefix, and no address may be there twice in another
   spelling. */
static int
parse_ips(struct req *rq, const struct list *ips, struct str *texts, struct str *keys)
{
	const struct str *sent = ips->items;

	for (size_t i = 0; i < ips->n; i++) {
		struct record r = record_new(rq->arena, DATASET_HOSTS);

		texts[i] = sent[i];
		if (!ipnet_canonical_address(rq->arena, &texts[i]))
			return fail_ip(rq, i, "is no IP address");
		record_set_text(rq->arena, r.root, "ip", texts[i]);
		keys[i] = record_key(rq->arena, &r);
		for (size_t k = 0; k < i; k++)
			if (str_eq(keys[k], keys[i]))
				return fail_ip(rq, i, "is repeated");
	}
	return PASS;
}

struct bulk_result {
	struct str ip;
	bool found, services_has_more;
	struct json host;
};

static const struct field host_documents[] = { FIELD_END_OF("host") };

static const struct field result_out[] = {
	FIELD(struct bulk_result, ip, 0),
	FIELD(struct bulk_result, found, 0),
	{ .name = "services_has_more",
	    .type = FIELD_BOOL,
	    .offset = offsetof(struct bulk_result, services_has_more),
	    .help = "The host has more services than limit_per_ip." },
	{ .name = "host",
	    .type = FIELD_RAW,
	    .flags = NULLABLE,
	    .offset = offsetof(struct bulk_result, host),
	    .sub = host_documents },
	FIELD_END_OF("BulkResult"),
};

struct bulk_answer {
	struct list results;
};

static const struct field bulk_out[] = {
	LIST(struct bulk_answer, results, 0, struct bulk_result, result_out, 1, LIM_BULK_IPS),
	FIELD_END,
};

/* The answers so far. */
struct bulk {
	struct bulk_result *results;
	const struct record_fields *fields;
	size_t limit, bytes;
};

static void
set_result(struct req *rq, struct bulk *b, struct bulk_result *out, struct str doc)
{
	struct buf text = { .a = rq->arena };
	struct arena *a = tree_arena();
	struct record host;
	struct str what;

	if (!record_parse(a, DATASET_HOSTS, doc, RECORD_LENIENT, &host, &what))
		panic("a stored document: %.*s", (int)what.n, what.p);
	out->found = true;
	out->services_has_more = record_nested_cut(&host, b->limit);
	record_print(&text, &host, b->fields);
	arena_reset(a);
	out->host.text = buf_done(&text);
	b->bytes += text.n;
}

/* Reads the documents of the next keys, and answers those that came. Returns their number in *n. */
static int
read_round(struct req *rq, struct strs keys, struct bulk *b, size_t *n)
{
	struct documents docs;

	if (documents_read(rq, DATASET_HOSTS, BY_KEY, keys, &docs) != PASS)
		return FAILED;
	*n = documents_fit(&docs);
	for (size_t i = 0; i < *n && b->bytes <= LIM_BULK_BYTES; i++)
		if (docs.p[i] != NULL)
			set_result(rq, b, &b->results[i], docs.p[i]->doc);
	b->results += *n;
	if (b->bytes <= LIM_BULK_BYTES)
		return PASS;
	return fail_at(rq, ERR_INVALID_IP_BATCH,
	    STR("The hosts are too large for one answer; ask for fewer "
		"addresses or a smaller limit_per_ip."));
}

static int
read_rounds(struct req *rq, struct strs keys, struct bulk *b)
{
	int64_t deadline = db_hurry(rq->db, INT64_MAX);
	struct arena *a = arena_new(ROUND_MEMORY);
	int rc = PASS;

	for (size_t n = 0; rc == PASS && keys.n > 0; keys.p += n, keys.n -= n) {
		arena_reset(a);
		db_use(rq->db, a, deadline);
		rc = read_round(rq, keys, b, &n);
	}
	db_use(rq->db, rq->arena, deadline);
	arena_free(a);
	return rc;
}

static int
bulk_lookup_hosts(struct req *rq)
{
	const struct bulk_in *in = rq->in;
	const struct fields_args *args = rq->params;
	struct str texts[LIM_BULK_IPS], keys[LIM_BULK_IPS];
	struct bulk_result results[LIM_BULK_IPS];
	struct bulk_answer answer = { { results, in->ips.n } };
	struct bulk b = { .results = results, .limit = (size_t)in->limit_per_ip };
	struct budget unused;

	if (fields_parse(rq, DATASET_HOSTS, args->fields, &b.fields) != PASS ||
	    parse_ips(rq, &in->ips, texts, keys) != PASS || share_begin(rq, &unused) != PASS)
		return FAILED;
	for (size_t i = 0; i < in->ips.n; i++)
		results[i] = (struct bulk_result){ .ip = texts[i] };
	if (read_rounds(rq, (struct strs){ keys, in->ips.n }, &b) != PASS)
		return FAILED;
	return reply(rq, 200, NULL, bulk_out, &answer);
}

static const enum error bulk_errors[] = { ERR_INVALID_IP_BATCH, ERR_INVALID_LIMIT_PER_IP,
	ERR_SEARCH_UNAVAILABLE, ERR_SEARCH_BUSY, ERR_SEARCH_TIMEOUT, ERR_UNSET };

static const struct route bulk_routes[] = {
	{
	    ROUTE(POST, "/search/hosts/bulk", bulk_lookup_hosts),
	    COLUMNS_OF_READING(HOSTS),
	    PARAMS(struct fields_args, fields_params),
	    BODY(struct bulk_in, bulk_in, BODY_CONFIGURED),
	    .body_codes = bulk_codes,
	    .out = bulk_out,
	    .errors = bulk_errors,
	    .summary = "Look up hosts by address",
	    .result = "One result an address, in the order of the request.",
	    .example = JSON({ "ips" : [ "192.0.2.1", "2001:db8::1" ], "limit_per_ip" : 10 }),
	    .description = "The documents of up to 100 addresses, found or not, with the first "
			   "limit_per_ip services of each. All of them together may have 16777216 "
			   "bytes: more are refused.",
	},
	ROUTE_END,
};

ROUTES(30, bulk);
