/* SPDX-License-Identifier: ISC */
/* One pass of surfaced-index over one dataset: from the published generation to the present content
 * of the database (indexer.h has the picture). The hard part: the process may be killed, and a pass
 * may fail, at any point.
 * - Everything is changed in memory first. The manifest is replaced by one rename at the end,
 *   and the snapshot of the pass is in it; until then the next pass would read the same rows
 *   again.
 * - After a failure the state in memory may be half changed, so it is thrown away and read again
 *   from the manifest (load_published).
 * - Children (a merge, a rebuild) work on copies. Their results are taken by a later pass, or
 *   dropped. */
#include "config.h"

#include "daemon/conf.h"
#include "indexer/beside.h"
#include "search/index/read/each.h"
#include "search/index/write/build.h"
#include "search/index/write/state.h"

#include <inttypes.h>

enum { VERIFY_BYTES = 8 << 20 /* a pass */ };
#define PURGE_US INT64_C(3600000000)

struct follower {
	enum dataset dataset;
	const char *name, *directory;
	struct index_state state;
	/* The snapshot to which the state has been brought. The manifest has "" instead while
	   `stale`. */
	char *since;
	bool stale; /* changes are missing that only a rebuild can add */
	/* No generation can be followed. The state is empty, and nothing is published until a
	   rebuild ends. */
	bool lost;
	bool no_child;
	struct feed feed;
	struct merger merger;
	struct rebuilder rebuilder;
	int64_t changed_at; /* mono_us: a document was added or removed */
	int64_t next_purge; /* mono_us */
	uint64_t damages;   /* damages added to the metrics; some may be unpublished */
	struct freshness freshness;
};

/* Reads the published state, at the start or after a failure, which may have left the state in
   memory half changed. */
static void
load_published(struct follower *f)
{
	char err[INDEX_FAULT];

	merger_abandon(&f->merger, &f->state);
	rebuild_abandon(&f->rebuilder, &f->state);
	index_state_free(&f->state);
	if (!index_state_load(f->directory, f->dataset, &f->state, err))
		log_event(
		    LOGP_WARNING, "index", "dataset=%s unusable=\"%s\" next=rebuild", f->name, err);
	f->lost = f->state.generation == 0;
	if (f->lost)
		f->damages = 0;
	free(f->since);
	f->since = mem_text(f->state.snapshot == NULL ? "" : f->state.snapshot);
}

struct follower *
follow_open(const char *directory, enum dataset d, struct db *db, unsigned *rebuilds)
{
	struct follower *f = mem_zero(sizeof(*f));

	f->dataset = f->state.dataset = d;
	f->changed_at = mono_us();
	f->name = schema_dataset_name(d);
	f->directory = directory;
	f->freshness.at = TS_NULL;
	f->merger.directory = f->rebuilder.directory = f->feed.directory = directory;
	f->rebuilder.running = rebuilds;
	load_published(f);
	f->damages = f->state.damage.n;
	f->rebuilder.child.next = 0;
	f->feed.source.dataset = d;
	f->feed.source.a = arena_new(FEED_MEMORY);
	f->feed.source.db = db;
	return f;
}

void
follow_close(struct follower *f)
{
	if (f == NULL)
		return;
	merger_abandon(&f->merger, &f->state);
	rebuild_abandon(&f->rebuilder, &f->state);
	arena_free(f->feed.source.a);
	index_state_free(&f->state);
	buf_free(&f->feed.room);
	buf_free(&f->rebuilder.gone);
	free(f->since);
	free(f);
}

const struct freshness *
follow_freshness(const struct follower *f)
{
	return &f->freshness;
}

void
follow_without_child(struct follower *f)
{
	f->no_child = f->merger.no_child = true;
}

/* ---- tags ---- */

static bool
same_meaning(const struct tag *a, const struct tag *b)
{
	if (a == NULL || b == NULL || a->ncategories != b->ncategories)
		return a == b;
	for (size_t i = 0; i < a->ncategories; i++)
		if (!str_eq(a->categories[i], b->categories[i]))
			return false;
	return str_eq(a->classification, b->classification);
}

static void
list_key(void *arg, struct str key)
{
	struct buf *keys = arg;
	char hex[2 * KEY_MAX];

	hex_print(hex, (const unsigned char *)key.p, key.n);
	buf_char(keys, keys->n == 0 ? '{' : ',');
	buf_add(keys, hex, 2 * key.n);
}

/* Lists the keys of the documents with a tag, in the document itself or in a nested object. */
static bool
list_tagged(struct follower *f, struct str slug, struct buf *keys, char *err)
{
	const struct schema_field *fields;
	size_t n = schema_fields(f->dataset, &fields);

	for (size_t i = 0; i < f->state.nsegments; i++)
		for (size_t k = 0; k < n; k++)
			if (strcmp(fields[k].relative, "tags") == 0 &&
			    !index_each_key(f->directory, &f->state.segments[i], &fields[k], slug,
				list_key, keys, err))
				return false;
	return true;
}

/* Lists the documents whose derived fields are outdated because the table of tags was `had` when
   they were written, and sets *changed when the two tables differ. */
static bool
list_outdated(struct follower *f, const struct index_tags *had, const struct index_tags *now,
    struct buf *keys, bool *changed, char *err)
{
	bool ok = true;

	*changed |= now->n != had->n;
	for (size_t i = 0; ok && i < now->n; i++) {
		const struct tag *old = index_tags_find(had, now->items[i].slug);

		*changed |= old == NULL || !str_eq(old->name, now->items[i].name);
		if (!same_meaning(old, &now->items[i])) {
			*changed = true;
			ok = list_tagged(f, now->items[i].slug, keys, err);
		}
	}
	for (size_t i = 0; ok && i < had->n; i++)
		if (index_tags_find(now, had->items[i].slug) == NULL) {
			*changed = true;
			ok = list_tagged(f, had->items[i].slug, keys, err);
		}
	return ok;
}

/* ---- deletions ---- */

static bool
remove_gone(struct follower *f, bool *changed, char *err)
{
	struct source_row row;
	enum db_rc rc = source_documents(&f->feed.source, SOURCE_GONE, STR_NULL);

	while (rc == DB_OK && (rc = source_next(&f->feed.source, &f->feed.room, &row)) == DB_OK) {
		if (!index_state_remove(f->directory, &f->state, row.key, changed, err))
			return false;
		rebuild_gone(&f->rebuilder, row.key);
	}
	if (rc != DB_NONE)
		snprintf(err, INDEX_FAULT, "database: %.200s", db_message(f->feed.source.db));
	return rc == DB_NONE;
}

/* ---- a pass ---- */

struct pass {
	bool changed;
	const char *how;
	struct buf keys;        /* documents to write again: an array literal without its end */
	struct index_tags tags; /* of this snapshot */
	struct str snapshot;    /* the snapshot of the state after this pass */
};

/* Takes the result of the child that has built the index again. The child has used the tags of its
   own snapshot, so the documents of tags that differ from those of this pass are listed. */
static bool
take_rebuild(struct follower *f, struct pass *p, char *err)
{
	struct index_tags had = { .n = 0 };
	bool ok;

	if (!f->rebuilder.ready)
		return true;
	ok = rebuild_take(&f->rebuilder, &f->state, &had, err);
	if (ok) {
		f->stale = false;
		p->how = "rebuild";
		p->changed = true;
		ok = list_outdated(f, &had, &p->tags, &p->keys, &p->changed, err);
	}
	index_tags_free(&had);
	return ok;
}

static bool
apply_changes(struct follower *f, struct pass *p, char *err)
{
	enum source_what what;
	struct str keys;

	if (!list_outdated(f, &f->state.tags, &p->tags, &p->keys, &p->changed, err))
		return false;
	index_tags_free(&f->state.tags);
	f->state.tags = p->tags;
	p->tags = (struct index_tags){ .n = 0 };
	what = p->keys.n > 0 ? SOURCE_BOTH : SOURCE_CHANGED;
	if (p->keys.n > 0)
		buf_char(&p->keys, '}');
	keys = buf_done(&p->keys);
	if (!feed_documents(&f->feed, &f->state, what, keys, err) ||
	    !remove_gone(f, &p->changed, err))
		return false;
	p->changed |= f->feed.written > 0;
	if (p->changed)
		f->changed_at = mono_us();
	f->merger.unchanged_us = mono_us() - f->changed_at;
	merger_collect(&f->merger, &f->state, &p->changed);
	return !p->changed || merger_small(&f->merger, &f->state, err);
}

/* Reads all documents in this pass: there is no generation to serve, or the process ends after this
   pass. */
static bool
rebuild_here(struct follower *f, struct pass *p, char *err)
{
	struct index_state fresh = { .dataset = f->dataset,
		.generation = f->state.generation,
		.published_at = TS_NULL,
		.damage = f->state.damage };

	if (!feed_all(&f->feed, &fresh, err)) {
		index_state_free(&fresh);
		return false;
	}
	merger_abandon(&f->merger, &f->state);
	rebuild_abandon(&f->rebuilder, &f->state);
	index_state_free(&f->state);
	f->state = fresh;
	f->stale = f->lost = f->rebuilder.wanted = false;
	p->changed = true;
	p->how = "rebuild";
	return true;
}

/* Rebuilds in a child when there is no generation to follow. The passes do nothing else until the
   child has ended; then a pass publishes the generation of the child, and the next pass adds the
   changes since the snapshot of the child. */
static bool
rebuild_in_child(struct follower *f, struct pass *p, char *err)
{
	if (!f->rebuilder.ready) {
		f->rebuilder.wanted = true;
		return true;
	}
	if (!rebuild_begin_with(&f->rebuilder, &f->state, err))
		return false;
	f->stale = f->lost = false;
	p->changed = true;
	p->how = "rebuild";
	p->snapshot = str_of(f->state.snapshot);
	return true;
}

/* The generation is of another database, or marks of deletions after its snapshot were purged: the
   changes since that snapshot are unknown. The generation is served until a rebuild replaces it,
   with the changes after this pass; its manifest gets an empty snapshot (beside.h). */
static void
follow_from_here(struct follower *f, struct pass *p)
{
	rebuild_abandon(&f->rebuilder, &f->state);
	f->rebuilder.child.next = 0;
	f->stale = p->changed = true;
}

/* Brings the state to the snapshot of the pass, and requests a rebuild beside it when one is due.
 * The order matters:
 *
 *   follow_from_here   the rows since the old snapshot are unknown: nothing can be applied
 *   take_rebuild       the child's segments replace the outdated ones, before changes are applied
 *   rebuild_want       marks the present segments as outdated; a merge of them would be lost work
 *   apply_changes      rows newer than the old snapshot, which no segment has yet
 *
 * A rebuild is taken only when rebuild_poll saw its end before this pass took its snapshot: then
 * the snapshot of this pass is newer than every row that the child has read. */
static bool
catch_up(struct follower *f, bool all, struct pass *p, char *err)
{
	bool continues = f->feed.source.continues;

	if (!continues)
		follow_from_here(f, p);
	else if (!take_rebuild(f, p, err))
		return false;
	if (all || f->stale || f->rebuilder.wanted || !index_state_complete(&f->state)) {
		if (f->rebuilder.child.pid == 0)
			merger_abandon(&f->merger, &f->state);
		rebuild_want(&f->rebuilder, &f->state);
	}
	return !continues || apply_changes(f, p, err);
}

static bool
publish_generation(struct follower *f, int64_t start, const char *how, char *err)
{
	uint64_t documents = 0;

	if (!index_publish(f->directory, &f->state, err))
		return false;
	for (size_t i = 0; i < f->state.nsegments; i++)
		documents += f->state.segments[i].documents - f->state.segments[i].ndead;
	log_event(LOGP_INFO, "index",
	    "dataset=%s generation=%" PRIu64 " how=%s documents=%" PRIu64 " written=%" PRIu64
	    " segments=%zu ms=%" PRId64,
	    f->name, f->state.generation, how, documents, f->feed.written, f->state.nsegments,
	    (mono_us() - start) / 1000);
	return true;
}

/* Whether a file of the index is damaged; the caller then builds the index again from the
   database. */
static bool
is_damaged(struct follower *f)
{
	char err[INDEX_FAULT] = "";

	if (index_state_verify(f->directory, &f->state, VERIFY_BYTES, err))
		return false;
	log_event(LOGP_ERR, "index", "dataset=%s damaged=\"%s\" next=rebuild", f->name, err);
	index_note_damage(&f->state);
	return true;
}

/* Drops a damaged generation; the next one gets a higher number. */
static void
give_up(struct follower *f)
{
	struct index_damage damage = f->state.damage;
	uint64_t generation = f->state.generation;

	merger_abandon(&f->merger, &f->state);
	rebuild_abandon(&f->rebuilder, &f->state);
	f->rebuilder.child.next = 0;
	index_state_free(&f->state);
	f->state.generation = generation;
	f->state.damage = damage;
	f->lost = true;
}

/* Sets the snapshot to which the state has been brought, and the one of its manifest. */
static void
set_snapshot(struct follower *f, struct str now)
{
	char *copy = strndup(now.p, now.n);

	if (copy == NULL)
		panic("out of memory");
	free(f->since);
	f->since = copy;
	index_state_snapshot(&f->state, f->stale ? STR("") : str_of(copy));
}

/* Reads all documents when there is no generation to follow. Few documents are read in this pass;
 * many are read by a child, so that the other datasets are followed meanwhile. */
static bool
begin_again(struct follower *f, struct pass *p, char *err)
{
	bool few = f->no_child;

	if (f->rebuilder.child.pid == 0 && !f->rebuilder.ready && !few &&
	    source_is_small(&f->feed.source, &few) != DB_OK) {
		snprintf(err, INDEX_FAULT, "database: %.200s", db_message(f->feed.source.db));
		return false;
	}
	return few ? rebuild_here(f, p, err) : rebuild_in_child(f, p, err);
}

/* Makes one pass within the transaction of the source. The files are verified first, because a
 * damaged index has to be replaced before anything is added to it. A generation that can be served
 * is followed while a child rebuilds it; searches get 503 only when there is none.
 *
 * The snapshot is kept in memory even when nothing has changed and nothing is published, so the
 * next pass reads newer rows only. After a crash those rows are read again. Children start last,
 * because they work on the generation that was just published. */
static bool
run_pass(struct follower *f, bool all, struct pass *p, char *err)
{
	int64_t start = mono_us();
	bool due;

	if (!f->lost && is_damaged(f))
		give_up(f);
	due = !f->lost && f->no_child &&
	      (all || !f->feed.source.continues || !index_state_complete(&f->state));
	f->feed.written = 0;
	p->snapshot = f->feed.source.snapshot;
	index_tags_set(&p->tags, f->feed.source.tags, f->feed.source.ntags);
	if (f->lost ? !begin_again(f, p, err)
	    : due   ? !rebuild_here(f, p, err)
		    : !catch_up(f, all, p, err))
		return false;
	if (!f->lost)
		set_snapshot(f, p->snapshot);
	p->changed |= f->state.remarked;
	if (p->changed && !publish_generation(f, start, p->how, err))
		return false;
	rebuild_start(&f->rebuilder, &f->state);
	merger_start(&f->merger, &f->state);
	return true;
}

/* Removes the marks of deletions that the published generation contains, once an hour; after a
   failure it is tried again an hour later. The snapshot is read from the disk: a pass that changed
   nothing has a newer one in memory, which a crash would lose. */
static void
purge_deletions(struct follower *f)
{
	struct index_state published;
	char err[INDEX_FAULT];

	if (mono_us() < f->next_purge)
		return;
	f->next_purge = mono_us() + PURGE_US;
	if (!index_state_load(f->directory, f->dataset, &published, err))
		return;
	if (published.generation > 0 && published.snapshot[0] != '\0' &&
	    source_purge(&f->feed.source, published.snapshot) != DB_OK)
		log_event(LOGP_WARNING, "index", "dataset=%s purge=\"%s\"", f->name,
		    db_message(f->feed.source.db));
	index_state_free(&published);
}

/* Adds the damages of this pass to the metrics. After a failure the next pass of this process tries
   it again, but no later process does. A damage that was counted here may be forgotten by a failed
   pass and found again; it is then not counted again. */
static void
count_damages(struct follower *f)
{
	uint64_t n = f->state.damage.n;

	if (n <= f->damages)
		return;
	if (source_add_damages(&f->feed.source, n - f->damages) != DB_OK)
		log_event(LOGP_WARNING, "index", "dataset=%s metrics=\"%s\"", f->name,
		    db_message(f->feed.source.db));
	else
		f->damages = n;
}

enum follow_rc
follow_once(struct follower *f, bool all)
{
	struct pass p = { .how = "changes" };
	char err[INDEX_FAULT] = "";
	bool ok;

	rebuild_poll(&f->rebuilder, &f->state);
	if (source_begin(&f->feed.source, f->since) != DB_OK) {
		log_event(LOGP_ERR, "index", "dataset=%s database=\"%s\"", f->name,
		    db_message(f->feed.source.db));
		return FOLLOW_RETRY;
	}
	ok = run_pass(f, all, &p, err);
	snprintf(f->freshness.fault, sizeof(f->freshness.fault), "%s", err);
	if (ok && !f->lost && !f->stale)
		f->freshness.at = f->feed.source.at;
	source_end(&f->feed.source);
	index_tags_free(&p.tags);
	buf_free(&p.keys);
	if (ok) {
		count_damages(f);
		purge_deletions(f);
		return FOLLOW_DONE;
	}
	log_event(LOGP_ERR, "index", "dataset=%s failed=\"%s\"", f->name, err);
	load_published(f);
	return FOLLOW_RETRY;
}
