/* SPDX-License-Identifier: ISC */
/* Changes the members of a report that its organisation may edit (report_store.h). The digest of
   the report stays that of its source, so an import of unchanged contents keeps the edit. */
#include "config.h"

#include "resource/report_priv.h"

struct edited {
	struct str doc, title, tlp;
	struct list tags;
	int64_t revision;
};

static const struct field edited_out[] = {
	FIELD(struct edited, doc, 0),
	FIELD(struct edited, title, NULLABLE),
	FIELD(struct edited, tlp, NULLABLE),
	LIST_OF(struct edited, tags, 0, struct str, 0, 0),
	FIELD(struct edited, revision, 0),
	FIELD_END,
};

STMT(read_edited_report, edited_out,
    "SELECT d.doc, r.title, r.tlp, r.tags, r.revision FROM report r"
    " JOIN record d ON d.dataset = 6 AND substr(d.key, 9) = uuid_send(r.uuid) AND NOT d.gone"
    " WHERE r.uuid = $2 AND r.account_uuid = $1 AND r.status = 'published'");
STMT(change_report, NULL, "SELECT report_change($1, $2, $3::jsonb, $4)");

/* The columns of report that an edit changes. */
struct changed {
	struct str title, tlp;
	struct list tags;
	int64_t revision;
	struct ts updated_at;
};

static const struct field changed_out[] = {
	FIELD(struct changed, title, 0),
	FIELD(struct changed, tlp, NULLABLE),
	LIST_OF(struct changed, tags, 0, struct str, 0, 0),
	FIELD(struct changed, revision, 0),
	FIELD(struct changed, updated_at, 0),
	FIELD_END,
};

static bool
texts_equal(const struct list *x, const struct list *y)
{
	const struct str *a = x->items, *b = y->items;

	for (size_t i = 0; x->n == y->n && i < x->n; i++)
		if (!str_eq(a[i], b[i]))
			return false;
	return x->n == y->n;
}

static bool
same_text(struct str x, struct str y)
{
	return (x.p == NULL) == (y.p == NULL) && str_eq(x, y);
}

/* Writes the edit into the document that searches find, and reads the canonical values from it. */
static bool
edit_document(struct arena *a, const struct report_edit *e, struct record *r, struct changed *new,
    struct str *what)
{
	const struct str *tags;

	record_set_text(a, r->root, "title", e->title);
	record_set_text(a, r->root, "tlp", e->tlp);
	record_set_texts(a, r->root, "tags", e->tags);
	record_set_int(a, r->root, "revision", new->revision);
	record_set_time(a, r->root, "updated_at", new->updated_at);
	if (!record_finish(a, r, RECORD_LENIENT, what))
		return false;
	new->title = record_text(r->root, "title");
	new->tlp = record_text(r->root, "tlp");
	new->tags.n = record_texts(r->root, "tags", &tags);
	new->tags.items = new->tags.n == 0 ? NULL : (void *)(uintptr_t)tags;
	return true;
}

enum db_rc
report_edit(struct db *db, struct arena *a, const struct report_edit *e)
{
	struct buf row = { .a = a }, doc = { .a = a };
	struct edited old;
	struct changed new;
	struct record r;
	struct str what;
	enum db_rc rc = db_do(db, &report_lock, NULL, P(*e->account));

	if (rc == DB_OK)
		rc = db_one(db, &read_edited_report, &old, P(*e->account), P(*e->report));
	if (rc != DB_OK)
		return rc;
	new = (struct changed){ .revision = old.revision + 1, .updated_at = ts_now() };
	if (!record_parse(a, DATASET_REPORTS, old.doc, RECORD_LENIENT, &r, &what) ||
	    !edit_document(a, e, &r, &new, &what))
		panic(
		    "the document of report %s: %.*s", uuid_text(e->report).z, (int)what.n, what.p);
	if (same_text(old.title, new.title) && same_text(old.tlp, new.tlp) &&
	    texts_equal(&old.tags, &new.tags))
		return DB_OK;
	json_write(&row, changed_out, &new);
	record_print(&doc, &r, NULL);
	return db_do(db, &change_report, NULL, P(*e->account), P(*e->report), P(buf_done(&row)),
	    P(buf_done(&doc)));
}
