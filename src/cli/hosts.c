/* SPDX-License-Identifier: ISC */
/* A walk over the stored hosts (hosts.h):

     import_lock, SELECT  -->  record_parse, record_finish  -->  judge  -->  UPDATE, record_remove, events

   import_lock makes an import of hosts wait, so neither overwrites the other. */
#include "config.h"

#include "cli/hosts.h"
#include "cli/import/events.h"
#include "cli/import/store.h"

enum { STEP_BUDGET_US = 60000000 };

struct row {
	struct str key, doc;
};

static const struct field row_out[] = {
	FIELD(struct row, key, 0),
	FIELD(struct row, doc, 0),
	FIELD_END,
};

/* The first host of a step is read whatever its size. */
STMT_LIST(read_step, struct row, row_out,
    "SELECT key, doc FROM (SELECT key, doc, bytes, sum(bytes) OVER (ORDER BY key) AS "
    "up_to"
    "  FROM (SELECT key, doc, bytes FROM record WHERE dataset = $1::smallint AND NOT gone"
    "   AND key > $2::text::bytea ORDER BY key LIMIT 1000) AS next) AS summed"
    " WHERE up_to <= 16777216 OR up_to = bytes ORDER BY key");

STMT(write_step, NULL,
    "UPDATE record AS r SET doc = n.doc FROM unnest($2::text[]::bytea[], $3::text[]) AS n (key, "
    "doc)"
    " WHERE r.dataset = $1::smallint AND r.key = n.key AND NOT r.gone");

STMT(remove_step, NULL,
    "SELECT FROM unnest($2::text[]::bytea[]) AS key, record_remove($1::smallint, key)");

struct step {
	struct hosts_walk *walk;
	struct arena *a;    /* the rows of a step */
	struct arena *tree; /* one document: a tree is many times as large as its text */
	struct str last;    /* the key of the last host that was read, as a text of SQL */
	char room[2 * 600 + 3];
	struct str *changed, *docs, *removed;
	size_t nchanged, nremoved;
	struct event_batch events;
};

static void
add_events(struct step *s, const struct record *old, const struct record *new)
{
	event_batch_add(&s->events, s->tree, record_key(s->tree, old),
	    &(struct record_change){ old, new, ts_now() });
}

static void
report(struct step *s, const struct row *row, struct str what)
{
	struct buf b = { .a = s->tree };

	import_report_kept(&b, s->tree, DATASET_HOSTS, row->key, what);
	fprintf(stderr, "surfacectl: %.*s", (int)b.n, b.p);
}

static void
change_row(
    struct step *s, const struct row *row, const struct record *old, const struct record *new)
{
	struct str doc = import_write_text(s->tree, new);

	if (doc.p == NULL) {
		report(s, row, STR_NULL);
		return;
	}
	s->changed[s->nchanged] = db_bytea(s->a, row->key);
	s->docs[s->nchanged++] = arena_str(s->a, doc);
	add_events(s, old, new);
}

/* A document is not changed when this release cannot read it, or when the change would make it too
   large. */
static void
judge_row(struct step *s, const struct row *row)
{
	struct record host, old;
	struct str what;

	arena_reset(s->tree);
	if (!import_read_text(s->tree, DATASET_HOSTS, row->doc, &host, &what)) {
		report(s, row, what);
		return;
	}
	old = record_copy(s->tree, &host);
	switch (s->walk->judge(s->walk->arg, s->tree, &host)) {
	case HOSTS_KEEP:
		break;
	case HOSTS_CHANGE:
		change_row(s, row, &old, &host);
		break;
	case HOSTS_REMOVE:
		s->removed[s->nremoved++] = db_bytea(s->a, row->key);
		add_events(s, &old, NULL);
		break;
	}
}

static enum db_rc
write_hosts(struct step *s)
{
	struct db *db = s->walk->cli->db;
	int64_t number = record_dataset_number(DATASET_HOSTS);
	struct strs changed = { s->changed, s->nchanged }, docs = { s->docs, s->nchanged };
	struct strs removed = { s->removed, s->nremoved };
	enum db_rc rc = DB_OK;

	if (changed.n > 0)
		rc = db_do(db, &write_step, NULL, P(number), P(changed), P(docs));
	if (rc == DB_OK && removed.n > 0)
		rc = db_do(db, &remove_step, NULL, P(number), P(removed));
	return rc == DB_OK ? event_batch_store(db, DATASET_HOSTS, false, &s->events) : rc;
}

/* DB_NONE: there are no more hosts. */
static enum db_rc
judge_rows(struct step *s, const struct list *rows)
{
	const struct row *row = rows->items;
	struct str last;

	if (rows->n == 0)
		return DB_NONE;
	s->changed = ARENA_ARRAY(s->a, rows->n, struct str);
	s->docs = ARENA_ARRAY(s->a, rows->n, struct str);
	s->removed = ARENA_ARRAY(s->a, rows->n, struct str);
	s->nchanged = s->nremoved = 0;
	s->events = (struct event_batch){ .a = s->a };
	for (size_t i = 0; i < rows->n; i++)
		judge_row(s, &row[i]);
	last = db_bytea(s->a, row[rows->n - 1].key);
	memcpy(s->room, last.p, last.n);
	s->last = (struct str){ s->room, last.n };
	return s->walk->dry ? DB_OK : write_hosts(s);
}

static enum db_rc
make_step(struct step *s)
{
	struct db *db = s->walk->cli->db;
	struct list rows = { 0 };
	enum db_rc rc;

	arena_reset(s->a);
	db_use(db, s->a, mono_us() + STEP_BUDGET_US);
	rc = db_begin(db);
	if (rc == DB_OK && !s->walk->dry)
		rc = import_lock(db, DATASET_HOSTS);
	if (rc == DB_OK)
		rc = db_list(
		    db, &read_step, &rows, P(record_dataset_number(DATASET_HOSTS)), P(s->last));
	if (rc == DB_OK)
		rc = judge_rows(s, &rows);
	if (rc == DB_OK)
		rc = db_commit(db);
	if (rc != DB_OK) {
		db_rollback(db);
		return rc;
	}
	s->walk->read += rows.n;
	s->walk->changed += s->nchanged;
	s->walk->removed += s->nremoved;
	return DB_OK;
}

int
hosts_walk(struct hosts_walk *w)
{
	struct step s = { .walk = w,
		.a = arena_new((size_t)1 << 30),
		.tree = arena_new((size_t)1 << 30),
		.last = STR("\\x") };
	enum db_rc rc;

	do
		rc = make_step(&s);
	while (rc == DB_OK);
	db_use(w->cli->db, w->cli->arena, 0);
	arena_free(s.a);
	arena_free(s.tree);
	return rc == DB_NONE ? EXIT_OK
			     : cli_fail_db(w->cli, rc, "the run ended early; run it again");
}
