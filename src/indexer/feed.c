/* SPDX-License-Identifier: ISC */
/* Writes the documents of a source into segments. A pass does so with the changed documents, a
 * rebuild with all of them.
 *
 * A builder has its whole segment in memory, because terms are sorted over all of its documents. So
 * a segment is written when the builder has reached SEGMENT_MEMORY, and a rebuild of a large
 * database makes several segments. The memory is measured after every CHECK_BYTES of documents and
 * not after each document, because index_build_memory walks over all slots. */
#include "config.h"

#include "indexer/indexer.h"
#include "search/index/write/build.h"
#include "search/index/write/state.h"

enum {
	SEGMENT_MEMORY = 1200, /* MiB of a builder, after which its segment is written */
	CHECK_BYTES = 8 << 20, /* bytes of documents between two checks of the memory */
};

static bool
write_segment(struct feed *f, struct index_builder *b, struct index_state *to, char *err)
{
	struct index_segment s;

	if (index_build_documents(b) == 0)
		return true;
	f->written += index_build_documents(b);
	return index_build_write(b, f->directory, &s, err) &&
	       index_state_add(f->directory, to, s, err);
}

/* Reads the documents that source_documents has selected, and writes segments of them. */
static bool
build_segments(struct feed *f, struct index_builder *b, struct index_state *to, char *err)
{
	struct source_row row;
	size_t unchecked = 0; /* bytes, because some documents are very large */
	enum db_rc rc;

	while ((rc = source_next(&f->source, &f->room, &row)) == DB_OK) {
		if (!index_build_add(b, row.key, row.json, err))
			return false;
		unchecked += row.json.n;
		if (unchecked < CHECK_BYTES)
			continue;
		unchecked = 0;
		if (index_build_memory(b) >> 20 > SEGMENT_MEMORY && !write_segment(f, b, to, err))
			return false;
	}
	if (rc != DB_NONE) {
		snprintf(err, INDEX_FAULT, "database: %.200s", db_message(f->source.db));
		return false;
	}
	return write_segment(f, b, to, err);
}

bool
feed_documents(struct feed *f, struct index_state *to, enum source_what what, struct str keys,
    char err[INDEX_FAULT])
{
	struct index_builder *b;
	bool ok;

	if (source_documents(&f->source, what, keys) != DB_OK) {
		snprintf(err, INDEX_FAULT, "database: %.200s", db_message(f->source.db));
		return false;
	}
	b = index_build_new(to->dataset, &to->tags);
	index_build_family(b, to->family);
	ok = build_segments(f, b, to, err);
	index_build_free(b);
	return ok;
}

bool
feed_all(struct feed *f, struct index_state *to, char err[INDEX_FAULT])
{
	index_tags_set(&to->tags, f->source.tags, f->source.ntags);
	index_state_snapshot(to, f->source.snapshot);
	return feed_documents(f, to, SOURCE_ALL, STR_NULL, err);
}
