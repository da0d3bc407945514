/* SPDX-License-Identifier: ISC */
/* Compares the stored observations of documents with the present ones, and stores the difference
   together with the new position (detect_store in sql/functions/detect.sql). */
#include "config.h"

#include "base/limits.h"
#include "db/guard.h"
#include "detect/detector.h"
#include "detect/shown.h"
#include "json/json.h"
#include "json/tree.h"

struct active_row {
	struct uuid uuid, run_uuid, project_uuid;
	struct str record_key, document;
	int64_t rule_version;
};

static const struct field active_out[] = {
	FIELD(struct active_row, uuid, 0),
	FIELD(struct active_row, run_uuid, 0),
	FIELD(struct active_row, project_uuid, NULLABLE),
	FIELD(struct active_row, record_key, 0),
	FIELD(struct active_row, document, 0),
	FIELD(struct active_row, rule_version, 0),
	FIELD_END,
};

STMT_LIST(list_active, struct active_row, active_out,
    "SELECT uuid, run_uuid, project_uuid, record_key, document, rule_version"
    " FROM detect_active($1::smallint, $2, $3)");
STMT(store_batch, NULL,
    "SELECT detect_store($1::jsonb, $2::jsonb, $3::jsonb, $4::jsonb,"
    " $5::jsonb, $6::jsonb, $7, $8, $9, $10)");

/* ---- looking things up ---- */

static int
compare_texts(const void *l, const void *r)
{
	return str_cmp(*(const struct str *)l, *(const struct str *)r);
}

static int
compare_documents(const void *l, const void *r)
{
	return str_cmp(((const struct document *)l)->key, ((const struct document *)r)->key);
}

/* ---- why an observation ends ---- */

struct verdict {
	struct detect_rule *rule;
	struct detect_run *run;
	const struct document *document;
	struct match_document at;
	bool found; /* the record still exists */
};

/* Returns NULL when the rule still asks for the record. The answer is a guess when limit->over. */
static const char *
end_reason_of_rule(struct detect *x, const struct verdict *v, const struct active_row *row,
    struct match_limit *limit)
{
	const struct rule_query *q = &v->rule->q;

	if (v->rule->surface && !run_has_project(x, v->run, &row->project_uuid))
		return "rule_ended";
	if (!v->found)
		return "removed";
	if (!match_document(x->scratch, &q->query, &v->at, limit))
		return row->rule_version == v->rule->version ? "changed" : "rule_changed";
	if (shown_is_stale(v->rule->dataset, &v->at))
		return "stale";
	if (q->excludes && match_document(x->scratch, &q->exclude, &v->at, limit))
		return "excluded";
	return NULL;
}

/* Returns NULL when the rule, or the exclude of its run, failed meanwhile: the observation stays as
   it is, and is judged when the rule is evaluated again. */
static const char *
end_reason(struct detect *x, const struct verdict *v, const struct active_row *row)
{
	struct match_limit limit;
	const char *why;

	do {
		limit = batch_limit(x, v->rule->payer);
		why = end_reason_of_rule(x, v, row, &limit);
	} while (batch_repeats(x, v->rule->payer, &v->rule->spent_us, &limit) && !v->rule->failed);
	if (v->rule->failed || why != NULL)
		return v->rule->failed ? NULL : why;
	/* otherwise no asset of the project owns the record any more */
	why = batch_excludes(x, v->run, &v->at) ? "excluded" : "removed";
	return v->run->failed ? NULL : why;
}

static void
end_observation(
    struct detect *x, struct batch *b, const struct verdict *v, const struct active_row *row)
{
	const char *why = end_reason(x, v, row);
	struct ts first, last = ts_now();
	char at[TS_LEN + 1];

	if (why == NULL)
		return;
	if (v->document->tree != NULL)
		shown_times(&(struct match_document){ .own = v->document->tree }, &first, &last);
	ts_print(last, at);
	buf_printf(&b->ended, "%c{\"uuid\":\"%s\",\"why\":\"%s\",\"at\":\"%s\"}",
	    b->ended.n == 0 ? '[' : ',', uuid_text(&row->uuid).z, why, at);
}

/* Ends the stored observations that the batch did not see again, if their rules were evaluated. */
static void
judge_active(struct detect *x, struct batch *b, struct list rows, struct strs seen)
{
	const struct active_row *row = rows.items;

	for (size_t i = 0; i < rows.n; i++, row++) {
		const struct document wanted = { .key = row->document };
		struct verdict v = { .run = NULL };
		bool of_project = uuid_cmp(&row->project_uuid, &(struct uuid){ 0 }) != 0;
		struct str name;

		v.rule = rules_find_run(x, &row->run_uuid, &v.run);
		if (v.rule == NULL || v.run->failed || !batch_asks(b, v.rule))
			continue;
		name = seen_name(
		    x->a, &row->run_uuid, of_project ? &row->project_uuid : NULL, row->record_key);
		if (seen.n > 0 &&
		    bsearch(&name, seen.p, seen.n, sizeof(name), compare_texts) != NULL)
			continue;
		v.document = bsearch(
		    &wanted, b->documents, b->ndocuments, sizeof(wanted), compare_documents);
		if (v.document == NULL)
			panic("an observation of a document that was not asked for");
		v.found = batch_find(b, x->a, v.rule, v.document, row->record_key, &v.at);
		v.at.tags = x->tags;
		v.at.ntags = x->ntags;
		end_observation(x, b, &v, row);
	}
}

/* ---- a batch ---- */

struct str
array_done(struct buf *b)
{
	buf_z(b, b->n == 0 ? "[]" : "]");
	return buf_done(b);
}

static enum db_rc
read_active(struct detect *x, const struct batch *b, struct list *rows)
{
	struct str *keys = ARENA_ARRAY(x->a, b->ndocuments + 1, struct str);
	const int64_t number = record_dataset_number(b->source);
	struct db_param rule = b->only == NULL ? P(STR_NULL) : P(b->only->uuid);

	for (size_t i = 0; i < b->ndocuments; i++)
		keys[i] = b->documents[i].key;
	return db_rows(x->db, &list_active, rows,
	    (struct db_args){ (const struct db_param[]){
				  P(number), P(((struct strs){ keys, b->ndocuments })), rule },
		3 });
}

/* The argument of detect_tag: the evaluated rules that apply tags, the documents, and the hits. */
static struct str
tagging_of(struct detect *x, struct batch *b)
{
	struct buf out = { .a = x->a };
	size_t n = 0;

	buf_printf(&out, "{\"dataset\":%d,\"rules\":", record_dataset_number(b->source));
	for (size_t i = 0; i < x->nrules; i++)
		if (x->rules[i].applies_tags && batch_asks(b, &x->rules[i]))
			buf_printf(
			    &out, "%c\"%s\"", n++ == 0 ? '[' : ',', uuid_text(&x->rules[i].uuid).z);
	if (n == 0 || b->ndocuments == 0)
		return STR("null");
	buf_z(&out, "],\"keys\":");
	for (size_t i = 0; i < b->ndocuments; i++)
		buf_printf(&out, "%c\"%.*s\"", i == 0 ? '[' : ',', (int)b->documents[i].key.n,
		    b->documents[i].key.p);
	buf_z(&out, "],\"hits\":");
	buf_str(&out, array_done(&b->tagged));
	buf_char(&out, '}');
	return buf_done(&out);
}

enum db_rc
batch_store(struct detect *x, struct batch *b, struct str place)
{
	const int64_t most = LIM_RULE_OBSERVATIONS, most_finds = LIM_RULE_FINDINGS,
		      most_kept = LIM_RULE_KEPT, most_tagged = LIM_RULE_TAGGED;
	struct strs seen = { 0 };
	struct list active = { 0 };
	struct owners *owners;
	enum db_rc rc = DB_OK;

	b->given.a = b->ended.a = b->findings.a = b->tagged.a = x->a;
	if (b->ndocuments > 0) {
		qsort(b->documents, b->ndocuments, sizeof(*b->documents), compare_documents);
		batch_evaluate(x, b);
		rc = owners_read(x, b, &owners);
		if (rc == DB_OK)
			batch_emit(x, b, owners, &seen);
		if (rc == DB_OK)
			rc = read_active(x, b, &active);
		if (rc == DB_OK && b->followed)
			rc = detectors_affected(x, b);
	}
	if (rc != DB_OK)
		return rc;
	if (seen.n > 0)
		qsort((struct str *)(uintptr_t)seen.p, seen.n, sizeof(*seen.p), compare_texts);
	judge_active(x, b, active, seen);
	return db_do(x->db, &store_batch, NULL, P(place), P(array_done(&b->given)),
	    P(array_done(&b->ended)), P(array_done(&b->findings)), P(array_done(&b->work)),
	    P(tagging_of(x, b)), P(most), P(most_finds), P(most_kept), P(most_tagged));
}
