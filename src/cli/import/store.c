/* SPDX-License-Identifier: ISC */
/* Stores a batch in one transaction: COPY into a temporary table, then a merge that writes only the rows that
   change. */
#include "config.h"

#include "base/limits.h"
#include "cli/import/store.h"
#include "db/copy.h"

enum { BATCH_BUDGET_US = 600 * SECOND_US };

struct outcome {
	int64_t fresh, changed, large;
	struct str example;
};

static const struct field outcome_out[] = {
	FIELD(struct outcome, fresh, 0),
	FIELD(struct outcome, changed, 0),
	FIELD(struct outcome, large, 0),
	FIELD(struct outcome, example, NULLABLE),
	FIELD_END,
};

/* The temporary table belongs to the connection, which may be new. The settings prevent a plan that was made while
   host was empty from scanning the whole table later. */
static const char stage[] = "SET LOCAL enable_seqscan = off; SET LOCAL enable_hashjoin = off;"
			    " SET LOCAL enable_mergejoin = off; SET LOCAL jit = off;"
			    " CREATE TEMPORARY TABLE IF NOT EXISTS import_stage"
			    " (round integer NOT NULL, ip inet NOT NULL, doc jsonb NOT NULL)"
			    " ON COMMIT DELETE ROWS";

static const char copy[] =
    "COPY import_stage (round, ip, doc) FROM STDIN"
    " WITH (FORMAT csv, DELIMITER E'\\x02', QUOTE E'\\x01', ESCAPE E'\\x01')";

STMT(register_tags, NULL,
    "INSERT INTO tag (slug, name) SELECT slug, slug FROM unnest($1::text[]) AS slug"
    " ORDER BY slug ON CONFLICT DO NOTHING");

/* Merges one round. The rows are in the order of addresses, so that two imports wait for each other
   instead of ending in a deadlock.

     seen   each staged host beside its stored document, and the merge of the two; OFFSET 0 keeps the planner from
            computing the merge again for each use of doc
     fit    those that differ from the stored document, and whether their text is small enough
     put    inserts and updates them; xmax = 0 marks a row that was inserted

   After a conflict, which another import may cause, host_merge runs again on the newer row. A host
   that would become too large keeps its document, since one record must not stop an import for
   ever. As text, jsonb is at most six times as long (escapes), so only large documents are printed
   to be measured. */
static const struct stmt merge_round = {
	.name = "merge_round",
	.out = outcome_out,
	.size = sizeof(struct outcome),
	.sql = "WITH seen AS ("
	       "  SELECT s.ip, h.doc AS old, CASE WHEN h.doc IS NULL"
	       "    THEN jsonb_build_object('first_seen', $2::text, 'last_seen', "
	       "$2::text) || s.doc"
	       "    ELSE host_merge(h.doc, s.doc) END AS doc"
	       "  FROM import_stage AS s LEFT JOIN host AS h ON h.ip = s.ip"
	       "  WHERE s.round = $1::integer OFFSET 0),"
	       " fit AS ("
	       "  SELECT ip, doc, CASE WHEN pg_column_size(doc) < $3::integer / 6 THEN true"
	       "    ELSE octet_length(doc::text) <= $3::integer END AS fits"
	       "  FROM seen WHERE old IS NULL OR old <> doc),"
	       " put AS ("
	       "  INSERT INTO host AS h (ip, doc)"
	       "  SELECT ip, doc FROM fit WHERE fits ORDER BY ip"
	       "  ON CONFLICT (ip) DO UPDATE SET doc = host_merge(h.doc, excluded.doc)"
	       "  RETURNING xmax = 0 AS fresh)"
	       " SELECT count(*) FILTER (WHERE fresh) AS fresh,"
	       " count(*) FILTER (WHERE NOT fresh) AS changed,"
	       " (SELECT count(*) FROM fit WHERE NOT fits) AS large,"
	       " (SELECT host(min(ip)) FROM fit WHERE NOT fits) AS example FROM put",
};

static enum db_rc
insert_tags(struct import_store *st, const struct import_batch *b, struct import_sum *sum)
{
	struct str all = buf_done(&b->tags);
	struct strs slugs = { NULL, 0 };
	struct str *p;
	size_t n = 0;

	for (size_t i = 0; i < all.n; i++)
		n += all.p[i] == '\0';
	if (n == 0)
		return DB_OK;
	slugs.p = p = ARENA_ARRAY(st->arena, n, struct str);
	while (all.n > 0) {
		p[slugs.n] = str_of(all.p);
		all = (struct str){ all.p + p[slugs.n].n + 1, all.n - p[slugs.n].n - 1 };
		slugs.n++;
	}
	return db_do(st->db, &register_tags, &sum->tags, P(slugs));
}

/* Copies the batch into the temporary table and merges it round by round. The nth record of an
   address is in round n - 1, because one INSERT ... ON CONFLICT cannot change a row twice; most
   batches have one round. A host that is merged in two rounds counts twice, as the file has it
   twice.

   now is one text for the whole batch, so that two hosts without times in one batch get the same. */
static enum db_rc
copy_hosts(struct import_store *st, const struct import_batch *b, struct import_sum *sum)
{
	char now[TS_LEN + 1];
	enum db_rc rc;
	int64_t rows;

	if (b->hosts == 0)
		return DB_OK;
	ts_print(ts_now(), now);
	rc = db_copy_in_begin(st->db, copy);
	if (rc == DB_OK)
		rc = db_copy_in(st->db, buf_done(&b->rows));
	if (rc == DB_OK)
		rc = db_copy_in_end(st->db, &rows);
	for (unsigned round = 0; rc == DB_OK && round < b->rounds; round++) {
		struct outcome out = { 0 };

		rc = db_one(st->db, &merge_round, &out, P((int64_t)round), P(str_of(now)),
		    P((int64_t)LIM_HOST_BYTES));
		sum->fresh += out.fresh;
		sum->changed += out.changed;
		sum->large += out.large;
		if (out.large > 0)
			sum->example = out.example;
	}
	sum->unchanged = (int64_t)b->hosts - sum->fresh - sum->changed - sum->large;
	return rc;
}

/* Each batch is one transaction. An import of millions of hosts in a single
   transaction would lock its rows for hours, and an error at its end would lose
   all of it. A failed import is repaired by running it again: committed batches
   then count as unchanged. The sums grow only after COMMIT, so that the summary
   never counts rows that were rolled back. */
enum db_rc
import_store_batch(struct import_store *st, const struct import_batch *b)
{
	struct import_sum sum = { 0 };
	enum db_rc rc;

	arena_reset(st->arena);
	db_use(st->db, st->arena, mono_us() + BATCH_BUDGET_US);
	rc = db_begin(st->db);
	if (rc == DB_OK)
		rc = db_script(st->db, stage);
	if (rc == DB_OK)
		rc = insert_tags(st, b, &sum);
	if (rc == DB_OK)
		rc = copy_hosts(st, b, &sum);
	if (rc == DB_OK)
		rc = db_commit(st->db);
	if (rc != DB_OK) {
		db_rollback(st->db);
		return rc;
	}
	st->sum.fresh += sum.fresh;
	st->sum.changed += sum.changed;
	st->sum.unchanged += sum.unchanged;
	st->sum.tags += sum.tags;
	st->sum.large = sum.large; /* counts of this batch only */
	st->sum.example = sum.example;
	return DB_OK;
}
