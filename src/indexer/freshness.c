/* SPDX-License-Identifier: ISC */
/* Reports in the table search_feed how fresh this index is. surfacectl, doctor and the metrics read
 * it there, because the files of the index show only when something was published: an index without
 * changes publishes nothing, and an index on a full disk cannot. */
#include "config.h"

#include "daemon/host.h"
#include "indexer/indexer.h"

enum { REPORT_PATIENCE_US = 10000000 };
#define REPORT_US INT64_C(5000000)

/* The rows are made by join_feed in source.c. */
STMT(report_freshness, NULL,
    "UPDATE search_feed AS f SET at = coalesce(nullif(n.at, '')::timestamptz, f.at),"
    " fault = nullif(n.fault, '')"
    " FROM unnest($2::text[], $3::text[], $4::text[]) AS n (dataset, at, fault)"
    " WHERE f.engine = $1 AND f.dataset = n.dataset::smallint");

/* A dataset that the index no longer has would look as if it lagged, and would keep the marks of
   deletions for ever. */
STMT(forget_feeds, NULL,
    "DELETE FROM search_feed WHERE engine = $1 AND dataset <> ALL ($2::text[]::smallint[])");

struct lists {
	struct str dataset[DATASETS], at[DATASETS], fault[DATASETS];
	size_t n;
	bool faulty;
};

static void
add_dataset(struct arena *a, struct lists *l, enum dataset d, const struct freshness *f)
{
	char at[TS_LEN + 1] = "";

	if (!ts_is_null(f->at))
		ts_print(f->at, at);
	l->dataset[l->n] = arena_printf(a, "%d", record_dataset_number(d));
	l->at[l->n] = arena_str(a, str_of(at));
	l->fault[l->n++] = str_of(f->fault);
	l->faulty |= f->fault[0] != '\0';
}

static enum db_rc
write_report(struct db *db, struct lists *l)
{
	const struct strs datasets = { l->dataset, l->n };
	enum db_rc rc = db_do(db, &report_freshness, NULL, P(host_index()), P(datasets),
	    P(((struct strs){ l->at, l->n })), P(((struct strs){ l->fault, l->n })));

	return rc == DB_OK ? db_do(db, &forget_feeds, NULL, P(host_index()), P(datasets)) : rc;
}

void
freshness_report(struct freshness_report *r, struct db *db, struct follower *const f[DATASETS])
{
	struct arena *a = arena_new((size_t)1 << 20);
	struct lists l = { .n = 0 };

	for (int d = 0; d < DATASETS; d++)
		if (f[d] != NULL)
			add_dataset(a, &l, (enum dataset)d, follow_freshness(f[d]));
	if (l.faulty != r->faulty || mono_us() >= r->next) {
		db_use(db, a, mono_us() + REPORT_PATIENCE_US);
		if (write_report(db, &l) == DB_OK)
			r->faulty = l.faulty;
		else
			log_event(LOGP_WARNING, "index", "search_feed=\"%s\"", db_message(db));
		r->next = mono_us() + REPORT_US;
	}
	arena_free(a);
}
