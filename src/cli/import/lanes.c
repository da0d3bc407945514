/* SPDX-License-Identifier: ISC */
/* Splits a batch into the parts that the lanes store at the same time: this thread the first one, a
 * second thread with a connection of its own the other. */
#include "config.h"

#include "cli/import/lanes.h"

#include "cli/import/reports.h"

#include <pthread.h>

enum { LANE_LEAST = 2000 /* keys; for fewer a second connection costs more than it saves */ };

struct import_store {
	enum dataset dataset;
	const char *conninfo;
	struct db *dbs[LANES]; /* the second one is NULL until it is needed */
	struct arena *scratch[LANES];
	struct db *failed;
	const struct uuid *account; /* owner of reports; NULL: every account reads them */
};

/* FNV-1a. A record is in the same lane in every import, even a report that moves to another key. */
static unsigned
lane_of(enum dataset d, struct str key)
{
	struct str name = record_key_identity(d, key);
	uint32_t h = 2166136261;

	for (size_t i = 0; i < name.n; i++)
		h = (h ^ (unsigned char)name.p[i]) * 16777619;
	return (h >> 16) % LANES;
}

/* Rows in the order of the index, so that its pages are written once. */
static int
by_item_key(const void *a, const void *b)
{
	return str_cmp(((const struct import_item *)a)->key, ((const struct import_item *)b)->key);
}

static int
by_lane(const void *a, const void *b, void *dataset)
{
	const struct import_item *x = a, *y = b;
	const enum dataset *d = dataset;
	unsigned lx = lane_of(*d, x->key), ly = lane_of(*d, y->key);

	return lx != ly ? (lx < ly ? -1 : 1) : str_cmp(x->key, y->key);
}

struct import_store *
import_store_open(enum dataset d, struct db *db, const char *conninfo)
{
	struct import_store *st = mem_zero(sizeof(*st));

	st->dataset = d;
	st->conninfo = conninfo;
	st->dbs[0] = db;
	for (size_t i = 0; i < LANES; i++)
		st->scratch[i] = arena_new((size_t)1 << 30);
	return st;
}

void
import_store_account(struct import_store *st, const struct uuid *account)
{
	st->account = account;
}

void
import_store_close(struct import_store *st)
{
	for (size_t i = 1; i < LANES; i++)
		if (st->dbs[i] != NULL)
			db_close(st->dbs[i]);
	for (size_t i = 0; i < LANES; i++)
		arena_free(st->scratch[i]);
	free(st);
}

struct db *
import_store_failed(const struct import_store *st)
{
	return st->failed;
}

static void
add_lane_sum(struct import_sum *sum, struct lane *l)
{
	if (l->sum.messages.n > 0)
		buf_str(&sum->messages, buf_done(&l->sum.messages));
	buf_free(&l->sum.messages);
	if (l->rc != DB_OK)
		return;
	sum->fresh += l->sum.fresh;
	sum->changed += l->sum.changed;
	sum->unchanged += l->sum.unchanged;
	sum->large += l->sum.large;
	sum->unreadable += l->sum.unreadable;
	sum->tags += l->sum.tags;
}

/* Splits a large batch into two lanes, which two threads store at the same time. */
static void
store_lanes(struct import_store *st, const struct import_batch *b, struct lane lanes[LANES])
{
	pthread_t thread;
	size_t n = 0;

	if (st->dbs[1] == NULL) {
		st->dbs[1] = db_open(st->conninfo, "surfacectl");
		db_quiet(st->dbs[1]);
	}
	qsort_r(b->items, b->n, sizeof(b->items[0]), by_lane, &st->dataset);
	while (n < b->n && lane_of(st->dataset, b->items[n].key) == 0)
		n++;
	lanes[1] = lanes[0];
	lanes[1].db = st->dbs[1];
	lanes[1].a = st->scratch[1];
	lanes[1].first = lanes[1].last = 1;
	lanes[1].items = b->items + n;
	lanes[1].n = b->n - n;
	lanes[1].tags.n = 0;
	lanes[0].last = 0;
	lanes[0].n = n;
	if (pthread_create(&thread, NULL, lane_store, &lanes[1]) != 0)
		panic("no thread");
	lane_store(&lanes[0]);
	if (pthread_join(thread, NULL) != 0)
		panic("pthread_join failed");
}

STMT(store_secret_notes, NULL, "SELECT secret_seen_store($1)");

/* Stored before the documents, so that a program that sees a document also finds its notes. */
static enum db_rc
store_notes(struct import_store *st, const struct import_batch *b)
{
	struct buf notes = { .a = st->scratch[0] };
	enum db_rc rc;

	if (b->notes.n == 0)
		return DB_OK;
	db_use(st->dbs[0], st->scratch[0], 0);
	buf_add(&notes, b->notes.p, b->notes.n);
	buf_char(&notes, ']');
	rc = db_do(st->dbs[0], &store_secret_notes, NULL, P(buf_done(&notes)));
	if (rc != DB_OK)
		st->failed = st->dbs[0];
	return rc;
}

enum db_rc
import_store_batch(struct import_store *st, const struct import_batch *b, struct import_sum *sum)
{
	struct lane lanes[LANES] = { { .dataset = st->dataset,
	    .db = st->dbs[0],
	    .a = st->scratch[0],
	    .last = LANES - 1,
	    .items = b->items,
	    .n = b->n,
	    .tags = { b->tags, b->ntags },
	    .now = ts_now() } };
	enum db_rc rc = DB_OK;

	if (b->n == 0)
		return DB_OK;
	if (st->dataset == DATASET_REPORTS) {
		st->failed = st->dbs[0];
		return import_reports(st->dbs[0], st->scratch[0], st->account, b, sum);
	}
	rc = store_notes(st, b);
	if (rc != DB_OK)
		return rc;
	if (b->n >= LANE_LEAST) {
		store_lanes(st, b, lanes);
	} else {
		qsort(b->items, b->n, sizeof(b->items[0]), by_item_key);
		lane_store(&lanes[0]);
	}
	for (size_t i = 0; i < LANES; i++) {
		if (lanes[i].rc != DB_OK && rc == DB_OK) {
			rc = lanes[i].rc;
			st->failed = lanes[i].db;
		}
		add_lane_sum(sum, &lanes[i]);
	}
	return rc;
}
