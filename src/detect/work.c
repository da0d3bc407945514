/* SPDX-License-Identifier: ISC */
/* Evaluates documents that have not changed (detect.h). The reason is that a rule or a setting has
 * changed, that an asset is new, or that an hour has passed for a rule that depends on the time.
 * The position of a piece of work is a row of detect_work. Each slice moves the position in the
 * transaction that stores its results, so the next process continues there after a crash.
 *
 *   rule    phase 0 --> 1 walk of the index --> 2 newer than that index --> 3 what was observed
 *           --> 4 done
 *   asset   phase 0 or 10 --> 11 walk of hosts --> 12 newer
 *           --> 13 the next dataset begins ... --> 4 done */
#include "config.h"

#include "daemon/conf.h"
#include "daemon/daemon.h"
#include "db/guard.h"
#include "detect/detect.h"
#include "search/index/format/index.h"

enum {
	SLICE_US = 200000,
	PAGE_HITS = 100,
	PHASE_WALK = 1,
	PHASE_NEWER = 2,
	PHASE_OBSERVED = 3,
	PHASE_DONE = 4,
	PHASE_ASSET = 10,
	PHASES_OF_DATASET = 3,
	REST_SECONDS = 2, /* before a missing index is asked again */
	/* attempts at a page that takes the index too much CPU time; the delay doubles each time */
	PAGE_TRIES = 6,
	DELAY_DOUBLINGS = 6,
};

/* ---- statements ---- */

struct work {
	int64_t id, phase, tries;
	struct str kind, since, after_changed, after_key, asked, name, asset_kind, stamp;
	struct uuid subject_uuid;
};

static const struct field work_out[] = {
	FIELD(struct work, id, 0),
	FIELD(struct work, kind, 0),
	FIELD(struct work, subject_uuid, 0),
	FIELD(struct work, phase, 0),
	FIELD(struct work, since, NULLABLE),
	FIELD(struct work, after_changed, NULLABLE),
	FIELD(struct work, after_key, NULLABLE),
	FIELD(struct work, asked, 0),
	FIELD(struct work, name, NULLABLE),
	FIELD(struct work, asset_kind, NULLABLE),
	FIELD(struct work, stamp, NULLABLE),
	FIELD(struct work, tries, 0),
	FIELD_END,
};

struct work_document {
	struct str key, doc;
};

static const struct field work_document_out[] = {
	FIELD(struct work_document, key, 0),
	FIELD(struct work_document, doc, 0),
	FIELD_END,
};

struct since_row {
	struct str changed, key, doc;
	bool gone;
};

static const struct field since_out[] = {
	FIELD(struct since_row, changed, 0),
	FIELD(struct since_row, key, 0),
	FIELD(struct since_row, doc, 0),
	FIELD(struct since_row, gone, 0),
	FIELD_END,
};

struct key_row {
	struct str key;
};

static const struct field key_out[] = {
	FIELD(struct key_row, key, 0),
	FIELD_END,
};

STMT(read_due, work_out,
    "SELECT id, kind, subject_uuid, phase, since, after_changed, after_key, asked, name, "
    "asset_kind,"
    " stamp, tries FROM detect_due()");
STMT(begin_work, NULL, "SELECT detect_begin($1, $2, $3::smallint, $4)");
STMT(postpone_work, NULL, "SELECT detect_put_off($1, $2, $3, $4)");
STMT(give_up_work, NULL, "SELECT detect_give_up($1, $2, $3)");
STMT_LIST(read_documents, struct work_document, work_document_out,
    "SELECT key, doc FROM detect_documents($1::smallint, $2)");
STMT_LIST(read_since, struct since_row, since_out,
    "SELECT changed, key, doc, gone FROM detect_since($1::smallint, $2, $3)");
STMT_LIST(
    read_observed, struct key_row, key_out, "SELECT key FROM detect_observed($1, $2, $3) AS key");

/* ---- positions ---- */

/* Returns a position in a piece of work as JSON. changed and key may be STR_NULL. */
static struct str
position_json(
    struct detect *x, const struct work *w, int64_t phase, struct str changed, struct str key)
{
	struct buf b = { .a = x->a };

	buf_printf(&b, "{\"work\":%jd,\"asked\":\"%.*s\",\"phase\":%jd", (intmax_t)w->id,
	    (int)w->asked.n, w->asked.p, (intmax_t)phase);
	if (changed.p != NULL)
		buf_printf(&b, ",\"changed\":\"%.*s\"", (int)changed.n, changed.p);
	if (key.p != NULL)
		buf_printf(&b, ",\"key\":\"%.*s\"", (int)key.n, key.p);
	buf_char(&b, '}');
	return buf_done(&b);
}

/* Stores the batch, and the phase in which the work goes on. */
static enum db_rc
begin_phase(struct detect *x, struct batch *b, const struct work *w, int64_t phase)
{
	return batch_store(x, b, position_json(x, w, phase, STR_NULL, STR_NULL));
}

static enum db_rc
postpone(struct detect *x, const struct work *w, int64_t seconds, const char *why)
{
	log_event(LOGP_WARNING, "work", "work=%jd put_off=\"%s\"", (intmax_t)w->id, why);
	return db_do(
	    x->db, &postpone_work, NULL, P(w->id), P(w->asked), P(seconds), P(str_of(why)));
}

/* Postpones a page that the index did not answer in time. It may never be answered, so after
   PAGE_TRIES attempts the rule fails, or the work on the asset ends. A page that was only late by
   the clock (ENGINE_TIMEOUT) is always tried again, because other programs used the processors. */
static enum db_rc
postpone_page(struct detect *x, struct batch *b, const struct work *w, enum engine_rc failure)
{
	static const char why[] =
	    "the search index does not find its matches in time (detect_budget)";
	int64_t delay = INT64_C(1) << (w->tries < DELAY_DOUBLINGS ? w->tries : DELAY_DOUBLINGS);

	if (w->tries + 1 < PAGE_TRIES || failure == ENGINE_TIMEOUT)
		return postpone(x, w, delay, why);
	log_event(LOGP_WARNING, "work", "work=%jd given_up=\"%s\"", (intmax_t)w->id, why);
	if (b->only == NULL)
		return db_do(x->db, &give_up_work, NULL, P(w->id), P(w->asked), P(str_of(why)));
	rule_fail(x, b->only, NULL, str_of(why));
	return begin_phase(x, b, w, PHASE_DONE);
}

struct str
work_snapshot(struct detect *x, enum dataset d)
{
	struct index_state s = { .generation = 0 };
	char err[INDEX_FAULT] = "";
	struct str out = STR_NULL;

	if (index_state_load(conf.index_directory, d, &s, err) && s.generation > 0 &&
	    s.snapshot[0] != '\0')
		out = arena_str(x->a, str_of(s.snapshot));
	index_state_free(&s);
	return out;
}

/* ---- batches of documents ---- */

/* Reads the documents of these keys. A document that does not exist counts as deleted. */
static enum db_rc
read_documents_of_keys(struct detect *x, struct batch *b, const struct str *keys, size_t n)
{
	const int64_t number = record_dataset_number(b->source);
	struct list rows = { 0 };
	const struct work_document *row;
	enum db_rc rc = DB_OK;

	b->documents = ARENA_ARRAY(x->a, n + 1, struct document);
	b->ndocuments = n;
	if (n > 0)
		rc = db_list(
		    x->db, &read_documents, &rows, P(number), P(((struct strs){ keys, n })));
	row = rows.items;
	for (size_t i = 0; i < n; i++) {
		b->documents[i] = (struct document){ .key = keys[i], .text = STR("") };
		for (size_t k = 0; k < rows.n; k++)
			if (str_eq(row[k].key, keys[i]))
				b->documents[i].text = row[k].doc;
	}
	return rc;
}

/* Writes the keys of the documents of a page of hits in hexadecimal, each once: several services
   may belong to one host. Returns their number. */
static size_t
keys_of_hits(struct arena *a, enum dataset asked, const struct page *page, struct str *out)
{
	size_t n = 0;

	for (size_t i = 0; i < page->nhits; i++) {
		struct str key = page->hits[i].key;

		if (asked == DATASET_SERVICES)
			key.n -= SERVICE_KEY;
		out[n] = hex_text(a, key);
		if (n == 0 || !str_eq(out[n], out[n - 1]))
			n++;
	}
	return n;
}

/* Reads the page of the index after w->after_key. *last becomes the key of its last hit, or
   STR_NULL when it is the last page. The page may take by the clock half of what the watchdog
   allows, and detect_budget of CPU time, but at most half of that: otherwise a page that never ends
   would always be late by the clock, and be tried for ever (postpone_page). */
static enum engine_rc
walk_page(struct detect *x, struct batch *b, const struct query *q, const struct work *w,
    struct str *last, enum db_rc *rc)
{
	const int64_t wall = conf.worker_stuck * 1000 / 2, now = mono_us(),
		      most = conf.detect_budget * 1000 < wall / 2 ? conf.detect_budget * 1000
								  : wall / 2;
	const struct budget budget = { .deadline = now + wall,
		.work = UINT64_MAX / 2,
		.slice_from = now + most,
		.slice_cpu = cpu_us() + most,
		.slice_until = INT64_MAX };
	struct page_request want = { .after = STR_NULL, .limit = PAGE_HITS, .keys_only = true };
	unsigned char *after = arena_alloc(x->a, w->after_key.n / 2 + 1);
	struct page page = { .nhits = 0 };
	struct str *keys = ARENA_ARRAY(x->a, PAGE_HITS + 1, struct str);
	enum engine_rc erc;

	if (w->after_key.p != NULL && hex_parse(w->after_key, after, w->after_key.n / 2))
		want.after = (struct str){ (const char *)after, w->after_key.n / 2 };
	engine_refresh(x->engine);
	erc = engine_search(x->engine, x->a, q, &budget, &want, &page);
	*last = STR_NULL;
	if (erc != ENGINE_OK)
		return erc;
	if (page.has_more && page.nhits > 0)
		*last = hex_text(x->a, page.hits[page.nhits - 1].key);
	*rc = read_documents_of_keys(x, b, keys, keys_of_hits(x->a, q->dataset, &page, keys));
	return ENGINE_OK;
}

/* Evaluates a page of the walk, and enters the next phase after the last page. */
static enum db_rc
walk_slice(struct detect *x, struct batch *b, const struct query *q, const struct work *w)
{
	enum db_rc rc = DB_OK;
	enum engine_rc erc;
	struct str last;

	erc = walk_page(x, b, q, w, &last, &rc);
	if (erc == ENGINE_UNAVAILABLE)
		return postpone(x, w, REST_SECONDS, "the index cannot answer");
	if (erc != ENGINE_OK)
		return postpone_page(x, b, w, erc);
	if (rc != DB_OK)
		return rc;
	return last.p == NULL ? begin_phase(x, b, w, w->phase + 1)
			      : batch_store(x, b, position_json(x, w, w->phase, STR_NULL, last));
}

static enum db_rc
newer_slice(struct detect *x, struct batch *b, const struct work *w, int64_t after)
{
	const int64_t number = record_dataset_number(b->source), most = BATCH_DOCUMENTS;
	struct list rows = { 0 };
	enum db_rc rc = db_list(x->db, &read_since, &rows, P(number), P(w->id), P(most));
	const struct since_row *row = rows.items;

	if (rc != DB_OK)
		return rc;
	b->documents = ARENA_ARRAY(x->a, rows.n + 1, struct document);
	b->ndocuments = rows.n;
	for (size_t i = 0; i < rows.n; i++)
		b->documents[i] = (struct document){ .key = row[i].key,
			.text = row[i].gone ? STR("") : row[i].doc };
	return rows.n < (size_t)most ? begin_phase(x, b, w, after)
				     : batch_store(x, b,
					   position_json(x, w, w->phase, row[rows.n - 1].changed,
					       row[rows.n - 1].key));
}

/* ---- rules ---- */

static enum db_rc
observed_slice(struct detect *x, struct batch *b, const struct work *w)
{
	const int64_t most = PAGE_HITS;
	struct list rows = { 0 };
	enum db_rc rc =
	    db_list(x->db, &read_observed, &rows, P(w->subject_uuid), P(w->after_key), P(most));
	const struct key_row *row = rows.items;
	struct str *keys = ARENA_ARRAY(x->a, rows.n + 1, struct str);

	for (size_t i = 0; i < rows.n; i++)
		keys[i] = row[i].key;
	if (rc == DB_OK)
		rc = read_documents_of_keys(x, b, keys, rows.n);
	if (rc != DB_OK)
		return rc;
	return rows.n < (size_t)most
		   ? begin_phase(x, b, w, PHASE_DONE)
		   : batch_store(
			 x, b, position_json(x, w, PHASE_OBSERVED, STR_NULL, keys[rows.n - 1]));
}

/* Whether the rule in memory differs from its row. */
static bool
rule_is_outdated(const struct detect_rule *r, const struct work *w)
{
	return r == NULL ? w->stamp.p != NULL : w->stamp.p == NULL || !str_eq(r->stamp, w->stamp);
}

static enum db_rc
begin_rule(struct detect *x, const struct work *w)
{
	const int64_t walk = PHASE_WALK;
	struct detect_rule *r;
	struct str snapshot;

	r = rules_find(x, &w->subject_uuid);
	if (rule_is_outdated(r, w)) {
		if (!rules_load(x))
			return DB_DOWN;
		r = rules_find(x, &w->subject_uuid);
	}
	if (r == NULL || r->dataset == DATASETS_AND_CONDITIONS)
		return begin_phase(x, &(struct batch){ .source = DATASET_HOSTS }, w, PHASE_DONE);
	snapshot = work_snapshot(x, schema_source(r->dataset));
	if (snapshot.p == NULL)
		return postpone(x, w, REST_SECONDS, "no index is published");
	return db_do(x->db, &begin_work, NULL, P(w->id), P(w->asked), P(walk), P(snapshot));
}

static enum db_rc
rule_slice(struct detect *x, const struct work *w)
{
	struct batch b = { .source = DATASET_HOSTS };

	if (w->phase == 0)
		return begin_rule(x, w);
	b.only = rules_find(x, &w->subject_uuid);
	if (b.only == NULL || b.only->failed)
		return begin_phase(x, &b, w, PHASE_DONE);
	b.source = schema_source(b.only->dataset);
	switch (w->phase) {
	case PHASE_WALK:
		return walk_slice(x, &b, &b.only->q.query, w);
	case PHASE_NEWER:
		return newer_slice(x, &b, w, PHASE_OBSERVED);
	default:
		return observed_slice(x, &b, w);
	}
}

/* ---- assets ---- */

/* The fields by which a query of each dataset finds the records of an asset. */
static const struct {
	enum dataset dataset;
	const char *ip, *name;
} records[] = {
	{ DATASET_HOSTS, "ip", "hostnames" },
	{ DATASET_DNS, NULL, "host" },
	{ DATASET_WHOIS, NULL, "domain" },
	{ DATASET_CERTIFICATES, NULL, "names" },
	{ DATASET_DIRECTORIES, "ip", "host" },
};

static bool
asset_query(struct detect *x, const struct work *w, size_t i, struct query *q)
{
	bool address = str_is(w->asset_kind, "address");
	const char *field = address ? records[i].ip : records[i].name;
	struct query_fault fault;

	return field != NULL && !str_is(w->asset_kind, "certificate") &&
	       query_parse(x->a, records[i].dataset,
		   arena_printf(x->a, "%s:\"%.*s\"", field, (int)w->name.n, w->name.p), ts_now(), q,
		   &fault);
}

static enum db_rc
begin_dataset(struct detect *x, const struct work *w, size_t i)
{
	const int64_t phase = PHASE_ASSET + PHASES_OF_DATASET * (int64_t)i + 1;
	struct str snapshot = work_snapshot(x, records[i].dataset);

	if (snapshot.p == NULL)
		return postpone(x, w, REST_SECONDS, "no index is published");
	return db_do(x->db, &begin_work, NULL, P(w->id), P(w->asked), P(phase), P(snapshot));
}

/* Evaluates a slice of the records of an asset. Certificates, and assets whose name is not valid in
   a query, have no records. */
static enum db_rc
asset_slice(struct detect *x, const struct work *w)
{
	int64_t at = w->phase == 0 ? 0 : w->phase - PHASE_ASSET;
	size_t i = (size_t)at / PHASES_OF_DATASET, had = i;
	struct batch b = { .owned_only = true };
	struct query q = { .root = NULL };

	while (i < COUNT(records) && (w->name.p == NULL || !asset_query(x, w, i, &q)))
		i++;
	if (i == COUNT(records))
		return begin_phase(x, &b, w, PHASE_DONE);
	if (i != had || at % PHASES_OF_DATASET == 0)
		return begin_dataset(x, w, i);
	b.source = records[i].dataset;
	return at % PHASES_OF_DATASET == 1 ? walk_slice(x, &b, &q, w)
					   : newer_slice(x, &b, w, w->phase + 1);
}

/* ---- slices ---- */

static enum db_rc
evaluate_due(struct detect *x, bool *none)
{
	struct work w;
	enum db_rc rc = db_one_row(x->db, &read_due, &w, DB_NO_ARGS);

	*none = rc == DB_NONE;
	if (rc != DB_OK)
		return rc == DB_NONE ? DB_OK : rc;
	return str_is(w.kind, "rule") ? rule_slice(x, &w) : asset_slice(x, &w);
}

bool
work_once(struct detect *x)
{
	int64_t until = mono_us() + SLICE_US;
	bool none = false;

	while (!none && x->loaded && mono_us() < until && !daemon_stopping()) {
		daemon_slot()->busy_since = mono_us();
		if (!db_up(x->db) || !db_ok(x->db, evaluate_due(x, &none), "work"))
			return false;
		arena_reset(x->a);
	}
	return !none;
}
