/* SPDX-License-Identifier: ISC */
/* Writes documents, tags and the row of `feeds`, for a pass and for a new layout. */
#include "config.h"

#include "indexer/clickhouse_priv.h"
#include "search/clickhouse/dict.h"

static bool
send_rows(struct ch_follower *f, struct sink *to, enum source_what what, struct str keys,
    char err[INDEX_FAULT])
{
	struct source_row row;
	enum db_rc rc = source_documents(&f->source, what, keys);

	while (rc == DB_OK && (rc = source_next(&f->source, &f->room, &row)) == DB_OK)
		if (what == SOURCE_GONE ? !sink_gone(to, row.key, err)
					: !sink_document(to, &row, err))
			return false;
	return rc == DB_NONE || ch_database_fault(&f->source, err);
}

bool
ch_send_documents(struct ch_follower *f, struct sink *to, enum source_what what, struct str keys,
    char err[INDEX_FAULT])
{
	char later[INDEX_FAULT];
	bool ok = send_rows(f, to, what, keys, err);

	return sink_settle(to, ok ? err : later) && ok;
}

static const struct tag *
tag_of(const struct source *s, struct str slug)
{
	for (size_t i = 0; i < s->ntags; i++)
		if (str_eq(s->tags[i].slug, slug))
			return &s->tags[i];
	return NULL;
}

bool
ch_write_tags(struct ch_follower *f, struct str was, struct str now, char err[INDEX_FAULT])
{
	static const char sql[] =
	    "INSERT INTO tags (slug, ver, gone, name, classification, categories) FORMAT RowBinary";
	struct buf rows = { 0 };
	struct str *slugs;
	size_t n = tags_changed(f->source.a, was, now, true, &slugs);
	bool ok;

	for (size_t i = 0; i < n; i++) {
		const struct tag *t = tag_of(&f->source, slugs[i]);

		ch_put_text(&rows, slugs[i]);
		ch_put_number(&rows, (uint64_t)ts_now().us, 8);
		buf_char(&rows, t == NULL);
		ch_put_text(&rows, t == NULL ? STR("") : t->name);
		ch_put_text(&rows, t == NULL ? STR("") : t->classification);
		ch_put_length(&rows, t == NULL ? 0 : t->ncategories);
		for (size_t k = 0; t != NULL && k < t->ncategories; k++)
			ch_put_text(&rows, t->categories[k]);
	}
	ok = n == 0 || ch_cluster_run(f->cluster, str_of(sql), buf_done(&rows), NULL);
	if (!ok)
		snprintf(err, INDEX_FAULT, "clickhouse: %.230s", f->cluster->message);
	buf_free(&rows);
	return ok;
}

static char *
text_of_buf(struct buf *b)
{
	buf_char(b, '\0');
	return b->p;
}

bool
ch_commit_row(
    struct ch_follower *f, struct sink *to, uint64_t ver, struct buf *tags, char err[INDEX_FAULT])
{
	char *snapshot = strndup(f->source.snapshot.p, f->source.snapshot.n);
	struct ch_feed_row row = { .layout = sink_layout(to),
		.shards = f->shards,
		.ver = ver,
		.schema = ch_schema_number(f->dataset),
		.filled = true,
		.at = ts_now().us,
		.snapshot = snapshot,
		.tags = text_of_buf(tags) };
	bool ok;

	if (snapshot == NULL)
		panic("out of memory");
	ok = sink_commit(to, &row, err);
	tags->n--;
	if (ok) {
		ch_follow_forget(f);
		f->at = row;
		f->at.tags = mem_text(row.tags);
	} else {
		free(snapshot);
	}
	return ok;
}
