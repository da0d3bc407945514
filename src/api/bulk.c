/* SPDX-License-Identifier: ISC */
/* Bulk lookup of hosts by address (CONTRACT A3). No index is needed: one statement reads all hosts from PostgreSQL.
   The sizes of documents are hard: PostgreSQL sums them up and sends none when they exceed a limit, so that
   neither the worker's memory nor its time depends on the documents that a client picks. */
#include "config.h"

#include "api/api.h"
#include "api/documents.h"
#include "api/share.h"

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

struct bulk_host {
	struct str ip;
	struct json doc; /* without text: all documents together are too large */
	bool more;
};

static const struct field bulk_host_out[] = {
	FIELD(struct bulk_host, ip, 0),
	FIELD(struct bulk_host, doc, NULLABLE),
	FIELD(struct bulk_host, more, 0),
	FIELD_END,
};

/* $2: the number of services of a host in the answer, the first in the stored order. $3: the limit
   of bytes of all documents together. $4: the limit of their stored bytes. Beyond either limit no
   host has its document.

     picked    the hosts, and the sum of their stored sizes, which costs no reading of documents
     found     only when this sum is within $4: the documents with their first services
     sized     the sum of the texts that would be sent
     UNION     the hosts without documents when `picked` was too large; `found` is empty then

   $4 protects the front workers from the time that PostgreSQL needs to read large documents; such a
   request moves to the other pool. $3 protects the client and the worker's memory, and is answered
   with an error. */
STMT_LIST(bulk_hosts, struct bulk_host, bulk_host_out,
    "WITH picked AS (SELECT ip, doc, sum(bytes) OVER () AS stored FROM host"
    "  WHERE ip = ANY ($1::text[]::inet[])),"
    " found AS (SELECT ip, more, CASE WHEN more"
    "  THEN jsonb_set(doc, '{services}', jsonb_path_query_array(doc->'services',"
    "       '$[0 to $last]', jsonb_build_object('last', $2::bigint - 1)))"
    "  ELSE doc END AS doc"
    " FROM picked, LATERAL (SELECT"
    "  COALESCE(jsonb_array_length(doc->'services') > $2::bigint, false) AS more) AS m"
    " WHERE stored <= $4::bigint),"
    " sized AS (SELECT *, sum(octet_length(doc::text)) OVER () AS bytes FROM found)"
    " SELECT host(ip) AS ip, CASE WHEN bytes <= $3::bigint THEN doc END AS doc, more"
    " FROM sized"
    " UNION ALL SELECT host(ip), NULL, false FROM picked WHERE stored > $4::bigint");

static int
fail_ip(struct req *rq, size_t i, const char *what)
{
	return fail_at(rq, ERR_INVALID_IP_BATCH, arena_printf(rq->arena, "ips[%zu]: %s.", i, what));
}

/* Each item must be one address, not a prefix, and no address may be there twice in another spelling. */
static int
parse_ips(struct req *rq, const struct list *ips, struct ipnet *nets, struct str *texts)
{
	const struct str *sent = ips->items;

	for (size_t i = 0; i < ips->n; i++) {
		if (!ipnet_parse_address(sent[i], &nets[i]))
			return fail_ip(rq, i, "is no IP address");
		for (size_t k = 0; k < i; k++)
			if (ip_cmp(nets[k].a, nets[i].a) == 0)
				return fail_ip(rq, i, "is repeated");
		texts[i] = ipnet_text(rq->arena, &nets[i]);
	}
	return PASS;
}

static const struct bulk_host *
find_host(const struct list *hosts, const struct ipnet *net)
{
	const struct bulk_host *h = hosts->items;
	struct ipnet at;

	for (size_t i = 0; i < hosts->n; i++)
		if (ipnet_parse(h[i].ip, &at) && ip_cmp(at.a, net->a) == 0)
			return &h[i];
	return NULL;
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

static struct bulk_result
bulk_result_of(
    struct arena *a, struct str ip, const struct bulk_host *h, const struct record_fields *fields)
{
	if (h == NULL)
		return (struct bulk_result){ .ip = ip };
	return (struct bulk_result){ ip, true, h->more,
		{ document_text(a, DATASET_HOSTS, h->doc.text, fields) } };
}

static bool
hosts_lack_documents(const struct list *hosts)
{
	const struct bulk_host *h = hosts->items;

	return hosts->n > 0 && h->doc.text.p == NULL;
}

static int
bulk_lookup_hosts(struct req *rq)
{
	const struct bulk_in *in = rq->in;
	const struct fields_args *args = rq->params;
	const struct record_fields *fields;
	struct ipnet nets[LIM_BULK_IPS];
	struct str texts[LIM_BULK_IPS];
	struct list hosts = { 0 };
	struct bulk_result results[LIM_BULK_IPS];
	struct bulk_answer answer = { { results, in->ips.n } };
	int64_t most = share_bytes();
	struct budget unused;
	enum db_rc rc;

	if (fields_parse(rq, DATASET_HOSTS, args->fields, &fields) != PASS ||
	    parse_ips(rq, &in->ips, nets, texts) != PASS || share_begin(rq, &unused) != PASS)
		return FAILED;
	rc = db_list(rq->db, &bulk_hosts, &hosts, P(((struct strs){ texts, in->ips.n })),
	    P(in->limit_per_ip), P((int64_t)LIM_BULK_BYTES), P(most));
	if (rc != DB_OK)
		return fail_db(rq, rc);
	if (hosts_lack_documents(&hosts) && most != INT64_MAX)
		return share_hand_over(rq);
	if (hosts_lack_documents(&hosts))
		return fail_at(rq, ERR_INVALID_IP_BATCH,
		    STR("The hosts are too large for one answer; ask for fewer "
			"addresses or a smaller limit_per_ip."));
	for (size_t i = 0; i < in->ips.n; i++)
		results[i] =
		    bulk_result_of(rq->arena, texts[i], find_host(&hosts, &nets[i]), fields);
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
