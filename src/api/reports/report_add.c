/* SPDX-License-Identifier: ISC */
/* POST /reports and POST /reports/extract: both read a text for indicators, and the first one
   stores it for its account alone.

     the same Idempotency-Key and body     the report of the first request, Idempotency-Replayed
     the same Idempotency-Key, another body  409
     the same url, or without one the same text  a revision of the report, or 200 when nothing is
                                                 new */
#include "config.h"

#include "access/idem.h"
#include "api/api.h"
#include "api/reports/report.h"
#include "record/lookup.h"
#include "resource/report_lists.h"
#include "resource/report_store.h"

#include <openssl/sha.h>

struct report_in {
	struct str title, text, publisher, url, tlp, language;
	struct ts published_at;
	struct list tags;
};

static const struct field report_in[] = {
	TEXT(struct report_in, title, REQUIRED | TRIM, 1, 500),
	TEXT(struct report_in, text, REQUIRED | BYTES_TOO, 1, LIM_REPORT_SENT),
	TEXT(struct report_in, publisher, NULLABLE | TRIM, 1, 200),
	TEXT(struct report_in, url, NULLABLE, 1, 2048),
	FIELD(struct report_in, published_at, NULLABLE),
	ONE_OF(struct report_in, tlp, NULLABLE, report_tlps, NULL),
	TEXT(struct report_in, language, NULLABLE, 1, 35),
	LIST_OF(struct report_in, tags, 0, struct str, 0, 64),
	FIELD_END,
};

/* ---- extraction ---- */

static int
extract_text(struct req *rq, const struct report_in *in, struct extract_output *out)
{
	struct report_lists lists;
	enum db_rc rc = report_lists_read(rq->db, &lists);

	if (rc != DB_OK)
		return fail_db(rq, rc);
	*out = extract(rq->arena, &(struct extract_input){ .text = in->text,
				      .url = in->url,
				      .publisher = in->publisher,
				      .aliases = lists.aliases,
				      .naliases = lists.naliases,
				      .benign = lists.benign,
				      .nbenign = lists.nbenign });
	return PASS;
}

/* ---- storing ---- */

static int
check_report(struct req *rq, void *body, struct body_faults *faults)
{
	struct report_in *in = body;

	if (in->url.p != NULL && !record_canonical(rq->arena, DATASET_REPORTS, "url", &in->url))
		body_fault(faults, "url", "invalid_format",
		    "must be a URL of http or https without blanks");
	report_check_title(in->title, faults);
	report_check_tags(rq, &in->tags, faults);
	return PASS;
}

/* The names of one kind of the vocabulary, without repetitions. */
static struct strs
names_of(struct arena *a, const struct extract_output *found, const char *kind)
{
	struct str *p = ARENA_ARRAY(a, found->nnames + 1, struct str);
	size_t n = 0;

	for (size_t i = 0; i < found->nnames; i++)
		if (str_is(found->names[i].kind, kind))
			p[n++] = found->names[i].name;
	return (struct strs){ p, n };
}

static struct strs
values_of(struct arena *a, const struct extract_output *found, const char *type)
{
	struct str *p = ARENA_ARRAY(a, found->n + 1, struct str);
	size_t n = 0;

	for (size_t i = 0; i < found->n; i++)
		if (str_is(found->indicators[i].type, type))
			p[n++] = found->indicators[i].value;
	return (struct strs){ p, n };
}

static struct report_document
document_of(struct req *rq, const struct report_in *in, const struct extract_output *found)
{
	unsigned char sum[SHA256_DIGEST_LENGTH];
	char *hex = arena_alloc(rq->arena, 2 * sizeof(sum) + 1);

	SHA256((const unsigned char *)in->text.p, in->text.n, sum);
	hex_print(hex, sum, sizeof(sum));
	return (struct report_document){ .source_kind = STR("text"),
		.source_ref = in->url.p != NULL ? in->url : (struct str){ hex, 2 * sizeof(sum) },
		.title = in->title,
		.publisher = in->publisher,
		.url = in->url,
		.language = in->language,
		.tlp = in->tlp,
		.text = in->text,
		.published_at = in->published_at,
		.threat_actors = names_of(rq->arena, found, "actor"),
		.malware_families = names_of(rq->arena, found, "malware"),
		.sectors = names_of(rq->arena, found, "sector"),
		.countries = names_of(rq->arena, found, "country"),
		.techniques = values_of(rq->arena, found, "technique"),
		.cves = values_of(rq->arena, found, "cve"),
		.tags = { in->tags.items, in->tags.n },
		.indicators = found->indicators,
		.n = found->n,
		.names = found->names,
		.nnames = found->nnames,
		.truncated = found->truncated };
}

struct earlier_request {
	struct uuid uuid;
	bool same;
};

static const struct field earlier_out[] = {
	FIELD(struct earlier_request, uuid, 0),
	FIELD(struct earlier_request, same, 0),
	FIELD_END,
};

STMT(find_report_request, earlier_out,
    "SELECT report_uuid AS uuid, request = $2 AS same FROM report_request WHERE space = $1");
STMT(add_report_request, NULL,
    "INSERT INTO report_request (space, request, report_uuid) VALUES ($1, $2, $3)"
    " ON CONFLICT DO NOTHING");

struct hashes {
	unsigned char space[IDEM_HASH_LEN], request[IDEM_HASH_LEN];
};

static void
hash_report_request(const struct req *rq, struct hashes *h)
{
	const struct str space[] = { { (const char *)rq->key->uuid.b, sizeof(rq->key->uuid.b) },
		str_of(rq->route->operation), rq->idempotency_key };

	idem_hash(space, COUNT(space), h->space);
	idem_hash(&rq->body, 1, h->request);
}

#define HASH(member) ((struct bytes){ (member), IDEM_HASH_LEN })

static int
answer_report(struct req *rq, const struct uuid *uuid, int status)
{
	struct report_row r;
	enum db_rc rc = db_one(rq->db, &select_report, &r, P(rq->key->account), P(*uuid));

	if (rc == DB_NONE)
		return fail(rq, ERR_REPORT_NOT_FOUND);
	if (rc != DB_OK)
		return fail_db(rq, rc);
	if (status == 201)
		return reply_created(rq, uuid, &r);
	return reply(rq, status, rq->route->wrapper, rq->route->out, &r);
}

/* Finds the report of an earlier request with the same Idempotency-Key. e->uuid is all zero when
   there is none. */
static int
find_earlier(struct req *rq, const struct hashes *h, struct earlier_request *e)
{
	enum db_rc rc;

	*e = (struct earlier_request){ 0 };
	if (rq->idempotency_key.p == NULL)
		return PASS;
	rc = db_one(rq->db, &find_report_request, e, P(HASH(h->space)), P(HASH(h->request)));
	if (rc != DB_OK && rc != DB_NONE)
		return fail_db(rq, rc);
	if (rc == DB_OK && !e->same)
		return fail(rq, ERR_IDEMPOTENCY_KEY_CONFLICT);
	return PASS;
}

struct number {
	int64_t n;
};

static const struct field number_out[] = { FIELD(struct number, n, 0), FIELD_END };

STMT(count_private, number_out,
    "SELECT count(*) AS n FROM report WHERE account_uuid = $1 AND status = 'published'");

static int
store_private(struct req *rq, const struct report_document *doc, struct report_stored *out)
{
	struct number now;
	enum db_rc rc = report_store(rq->db, rq->arena, &rq->key->account, doc, out);

	if (rc == DB_OK && out->outcome == REPORT_BAD)
		return fail_at(rq, ERR_INVALID_REQUEST, out->what);
	if (rc == DB_OK) /* report_store holds the lock, so the number is exact */
		rc = db_one(rq->db, &count_private, &now, P(rq->key->account));
	if (rc != DB_OK)
		return fail_db(rq, rc);
	return now.n > LIM_REPORTS_PRIVATE ? fail(rq, ERR_REPORT_LIMIT) : PASS;
}

static int
create_report(struct req *rq)
{
	const struct report_in *in = rq->in;
	struct earlier_request earlier;
	struct extract_output found;
	struct report_document doc;
	struct report_stored out;
	struct hashes h;
	int64_t added = 1;

	hash_report_request(rq, &h);
	if (find_earlier(rq, &h, &earlier) != PASS)
		return FAILED;
	if (earlier.same) {
		rq->replayed = true;
		return answer_report(rq, &earlier.uuid, 201);
	}
	if (extract_text(rq, in, &found) != PASS)
		return FAILED;
	doc = document_of(rq, in, &found);
	if (store_private(rq, &doc, &out) != PASS)
		return FAILED;
	if (rq->idempotency_key.p != NULL) {
		enum db_rc rc = db_do(rq->db, &add_report_request, &added, P(HASH(h.space)),
		    P(HASH(h.request)), P(out.uuid));

		if (rc != DB_OK)
			return fail_db(rq, rc);
	}
	if (added == 0) /* a concurrent request has used the key */
		return fail(rq, ERR_IDEMPOTENCY_KEY_CONFLICT);
	return answer_report(rq, &out.uuid, out.outcome == REPORT_UNCHANGED ? 200 : 201);
}

/* ---- extracting ---- */

struct extract_in {
	struct str text, url, publisher;
};

static const struct field extract_in[] = {
	TEXT(struct extract_in, text, REQUIRED | BYTES_TOO, 1, LIM_REPORT_SENT),
	TEXT(struct extract_in, url, NULLABLE, 1, 2048),
	TEXT(struct extract_in, publisher, NULLABLE | TRIM, 1, 200),
	FIELD_END,
};

struct found_indicator {
	struct str type, value, disposition, section, context, ignored_by;
	int64_t confidence, occurrences;
	bool defanged;
	struct list labels;
};

static const struct field found_out[] = {
	ONE_OF(struct found_indicator, type, 0, indicator_types, NULL),
	TEXT(struct found_indicator, value, 0, 1, LIM_INDICATOR),
	ONE_OF(struct found_indicator, disposition, 0, report_dispositions, NULL),
	NUMBER(struct found_indicator, confidence, 0, 0, 100, 0),
	FIELD(struct found_indicator, occurrences, 0),
	FIELD(struct found_indicator, defanged, 0),
	TEXT(struct found_indicator, section, NULLABLE, 0, 200),
	TEXT(struct found_indicator, context, NULLABLE, 0, 300),
	TEXT(struct found_indicator, ignored_by, NULLABLE, 0, 200),
	LIST_OF(struct found_indicator, labels, 0, struct str, 0, 16),
	FIELD_END_OF("ExtractedIndicator"),
};

struct found_name {
	struct str kind, name, matched_as;
	int64_t confidence;
};

static const struct field found_name_out[] = {
	ONE_OF(struct found_name, kind, 0, report_name_kinds, NULL),
	FIELD(struct found_name, name, 0),
	TEXT(struct found_name, matched_as, NULLABLE, 0, 800),
	NUMBER(struct found_name, confidence, 0, 0, 100, 0),
	FIELD_END_OF("ExtractedName"),
};

struct extracted {
	struct list indicators, names;
	bool truncated;
};

static const struct field extracted_out[] = {
	LIST(struct extracted, indicators, 0, struct found_indicator, found_out, 0,
	    LIM_REPORT_INDICATORS),
	LIST(struct extracted, names, 0, struct found_name, found_name_out, 0, 300),
	FIELD(struct extracted, truncated, 0),
	FIELD_END,
};

static int
extract_indicators(struct req *rq)
{
	const struct extract_in *sent = rq->in;
	const struct report_in in = {
		.text = sent->text, .url = sent->url, .publisher = sent->publisher
	};
	struct extract_output found;
	struct extracted answer;
	struct found_indicator *i;
	struct found_name *m;

	if (extract_text(rq, &in, &found) != PASS)
		return FAILED;
	i = ARENA_ARRAY(rq->arena, found.n + 1, struct found_indicator);
	m = ARENA_ARRAY(rq->arena, found.nnames + 1, struct found_name);
	for (size_t k = 0; k < found.n; k++) {
		const struct indicator *x = &found.indicators[k];

		i[k] = (struct found_indicator){ x->type, x->value,
			str_of(report_dispositions[x->disposition]), x->section, x->context,
			x->ignored_by, x->confidence, x->occurrences, x->defanged,
			{ (void *)(uintptr_t)x->labels.p, x->labels.n } };
	}
	for (size_t k = 0; k < found.nnames; k++)
		m[k] = (struct found_name){ found.names[k].kind, found.names[k].name,
			found.names[k].matched_as, found.names[k].confidence };
	answer = (struct extracted){ { i, found.n }, { m, found.nnames }, found.truncated };
	return reply(rq, 200, NULL, extracted_out, &answer);
}

static const enum error create_errors[] = { ERR_IDEMPOTENCY_KEY_CONFLICT, ERR_REPORT_LIMIT,
	ERR_UNSET };

static const struct route report_add_routes[] = {
	{
	    ROUTE(POST, "/reports", create_report),
	    .heavy = true,
	    REPORT_ROW(SCOPE_REPORTS_MANAGE),
	    BODY_CHECKED(struct report_in, report_in, LIM_REPORT_BODY, check_report),
	    .idempotent = true,
	    .status = 201,
	    .done_status = 200,
	    .wrapper = "report",
	    .out = report_out,
	    .errors = create_errors,
	    .example =
		JSON({ "title" : "A campaign", "text" : "The loader calls evil[.]example." }),
	    .summary = "Add a report of the organisation",
	    .description =
		"The service reads the indicators from the text. No other organisation sees "
		"the report. A text with the url of a stored report, or without a url the same "
		"text, belongs to that report: the answer is 200 when nothing is new, "
		"otherwise it is a revision.",
	},
	{
	    ROUTE(POST, "/reports/extract", extract_indicators),
	    .heavy = true,
	    REPORT_ROW(SCOPE_REPORTS_VIEW),
	    BODY(struct extract_in, extract_in, LIM_REPORT_BODY),
	    .out = extracted_out,
	    .result = "The indicators and the names.",
	    .example = JSON({ "text" : "The loader calls evil[.]example." }),
	    .summary = "Extract the indicators of a text",
	    .description = "Nothing is stored. url and publisher are those of the text: their "
			   "domains are mentions.",
	},
	ROUTE_END,
};

ROUTES(53, report_add);
