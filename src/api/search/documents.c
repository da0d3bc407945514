/* SPDX-License-Identifier: ISC */
/* Reads the documents of a page or of a look-up, and writes them into the answer (documents.h). The
   tree of a host with every port open is ten times as large as its text; it lives in an arena of
   its own, which is emptied after each document. */
#include "config.h"

#include "api/search/documents.h"
#include "api/search/share.h"
#include "search/tags.h"

enum { TREE_MEMORY = 1 << 30 };

const struct answer_names answer_names[DATASETS_AND_CONDITIONS] = {
#define ANSWER(id, list, record, hit, scope, besides, entitlement, query, first, second)           \
	[DATASET_##id] = { list, record, hit, SCOPE_##scope, ENTITLEMENT_##entitlement },
#include "tbl/answers.h"
#undef ANSWER
};

static const struct field document_out[] = {
	FIELD(struct document, at, 0),
	FIELD(struct document, doc, NULLABLE),
	FIELD_END,
};

/* $2: the limit of a page in bytes; documents beyond it come without their text. $3: the limit of
   all documents together; beyond it none comes with its text. The sums use the stored sizes
   (bytes), so no document is read or sent before the decision:

     key      bytes   up_to     $2 = 100
     a        40      40        sent
     b        50      90        sent
     c        30      120       without its text: the page ends before it, and the cursor continues there
     alone    500     500       sent, because up_to = bytes: the first document of a page always comes, or no
                                page could ever pass it */
#define PAGE_OF(from)                                                                              \
	"SELECT at, CASE WHEN total <= $3::bigint AND (up_to <= $2::bigint OR up_to = bytes)"      \
	"  THEN doc END AS doc"                                                                    \
	" FROM (SELECT at, " TAGGED_DOCUMENT                                                       \
	" AS doc, bytes, sum(bytes) OVER (ORDER BY at) AS up_to,"                                  \
	"  sum(bytes) OVER () AS total FROM " from ") AS page ORDER BY at"

/* Reads one record by its key. Without LIMIT the planner of PostgreSQL expects a share of all
   records, and with millions of hosts it compiles the plan for a quarter of a second each time. */
#define KEYED(test)                                                                                \
	" CROSS JOIN LATERAL (SELECT * FROM record WHERE dataset = $4::smallint AND " test         \
	" AND NOT gone LIMIT 1) AS r"

STMT_LIST(read_records, struct document, document_out,
    PAGE_OF("unnest($1::text[]::bytea[]) WITH ORDINALITY AS k (key, at)" KEYED("key = k.key")));

/* $1: fingerprints, the end of the keys. */
STMT_LIST(read_fingerprints, struct document, document_out,
    PAGE_OF("unnest($1::text[]::bytea[]) WITH ORDINALITY AS k (sum, at)" KEYED(
	"substr(key, 9) = k.sum")));

/* The payload begins with the number of the dataset. */
struct str
key_cursor_seal(struct req *rq, enum dataset d, const struct cursor_for *bound, struct str key)
{
	struct buf payload = { .a = rq->arena };

	buf_char(&payload, (char)record_dataset_number(schema_source(d)));
	buf_str(&payload, key);
	return cursor_seal(rq->arena, &rq->worker->secret, bound, buf_done(&payload));
}

int
key_cursor_open(struct req *rq, enum dataset d, const struct cursor_for *bound, struct str text,
    struct str *after)
{
	struct str payload;

	if (text.p == NULL)
		return PASS;
	if (!cursor_open(rq->arena, &rq->worker->secret, bound, text, &payload) || payload.n < 2 ||
	    payload.p[0] != (char)record_dataset_number(schema_source(d)))
		return fail(rq, ERR_INVALID_SEARCH_CURSOR);
	*after = (struct str){ payload.p + 1, payload.n - 1 };
	return PASS;
}

static enum db_rc
read_document_rows(
    struct req *rq, enum dataset d, enum document_key by, struct strs keys, struct list *rows)
{
	struct str *texts = ARENA_ARRAY(rq->arena, keys.n + 1, struct str);
	struct strs sent = { texts, keys.n };
	int64_t page = LIM_PAGE_BYTES, all = share_bytes();

	for (size_t i = 0; i < keys.n; i++)
		texts[i] = db_bytea(rq->arena, keys.p[i]);
	return db_list(rq->db, by == BY_FINGERPRINT ? &read_fingerprints : &read_records, rows,
	    P(sent), P(page), P(all), P(record_dataset_number(d)));
}

int
documents_read(
    struct req *rq, enum dataset d, enum document_key by, struct strs keys, struct documents *out)
{
	struct list rows = { 0 };
	const struct document *row;
	enum db_rc rc;

	*out = (struct documents){ ARENA_ARRAY(rq->arena, keys.n + 1, const struct document *),
		keys.n };
	if (keys.n == 0)
		return PASS;
	rc = read_document_rows(rq, d, by, keys, &rows);
	if (rc != DB_OK)
		return fail_db(rq, rc);
	row = rows.items;
	if (rows.n > 0 && row[0].doc.p == NULL) /* the limit $3: not even the first one came */
		return share_hand_over(rq);
	for (size_t i = 0; i < rows.n; i++)
		out->p[row[i].at - 1] = &row[i];
	return PASS;
}

size_t
documents_fit(const struct documents *docs)
{
	size_t n = 0;

	while (n < docs->n && (docs->p[n] == NULL || docs->p[n]->doc.p != NULL))
		n++;
	return n;
}

const struct url_param fields_params[] = { FIELDS_PARAM(struct fields_args), URL_PARAM_END };

int
fields_parse(struct req *rq, enum dataset d, struct str names, const struct record_fields **out)
{
	struct str bad;
	bool virtual;

	*out = NULL;
	if (names.p == NULL)
		return PASS;
	if (d == DATASET_SERVICES)
		names = service_fields(rq->arena, names);
	*out = record_fields_parse(rq->arena, schema_source(d), names, &bad);
	if (*out != NULL)
		return PASS;
	if (bad.n == 0)
		return fail_at(rq, ERR_INVALID_SEARCH_PARAMETER,
		    arena_printf(rq->arena,
			"fields: must have from 1 to %d names with commas between them.",
			LIM_FIELDS));
	if (d == DATASET_SERVICES && str_starts(bad, STR(SERVICE_PREFIX)))
		bad =
		    (struct str){ bad.p + strlen(SERVICE_PREFIX), bad.n - strlen(SERVICE_PREFIX) };
	virtual = schema_find(d, bad) != NULL;
	bad = params_shown(rq->arena, bad);
	return fail_at(rq, ERR_INVALID_SEARCH_PARAMETER,
	    arena_printf(rq->arena, "fields: \"%.*s\" is no member of the documents; %s.",
		(int)bad.n, bad.p,
		virtual ? "queries alone know it" : "GET /search/schemas lists them"));
}

struct arena *
tree_arena(void)
{
	static struct arena *a;

	if (a == NULL)
		a = arena_new(TREE_MEMORY);
	return a;
}

struct str
document_text(struct arena *a, enum dataset d, struct str doc, const struct record_fields *fields)
{
	struct buf b = { .a = a };

	if (stored_is_answer(d, fields))
		return doc;
	document_write(&b, d, doc, fields);
	return buf_done(&b);
}

void
document_write(struct buf *b, enum dataset d, struct str doc, const struct record_fields *fields)
{
	stored_write(b, tree_arena(), d, doc, fields);
}
