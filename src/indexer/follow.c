/* SPDX-License-Identifier: ISC */
/* From what is published to what the database holds now. A generation remembers the snapshot it was
   made from; the next one takes the rows whose last change that snapshot does not show, so that no
   order of commits can hide a change. */
#include "config.h"

#include "indexer/indexer.h"

#include <errno.h>
#include <inttypes.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SEGMENT_MEMORY = 1200, CHECK_BYTES = 8 << 20, PASS_MEMORY = 1 << 30 };

struct follower {
	char *directory;
	int lock;
	struct index_state state;
	struct source source;
	struct buf room;
	uint64_t written; /* documents of this pass */
	bool counted;     /* rows were compared with documents since the last news */
};

struct follower *
follow_open(const char *directory)
{
	struct follower *f = mem_zero(sizeof(*f));
	char err[INDEX_FAULT];

	f->directory = mem_text(directory);
	if (mkdir(directory, 0755) < 0 && errno != EEXIST)
		log_event(LOGP_ERR, "index", "directory=%s error=\"%s\"", directory,
		    strerror(errno));
	f->lock = index_lock(directory);
	if (f->lock < 0) {
		log_event(LOGP_ERR, "index",
		    "directory=%s error=\"another surfaced-index has the lock, or it "
		    "cannot be made\"",
		    directory);
		free(f->directory);
		free(f);
		return NULL;
	}
	if (!index_state_load(directory, &f->state, err))
		log_event(LOGP_WARNING, "index", "unusable=\"%s\" next=rebuild", err);
	f->source.a = arena_new(PASS_MEMORY);
	f->source.db = db_open(conf.database, "surfaced-index");
	db_listen(f->source.db, "host_changed");
	db_listen(f->source.db, "tag_changed");
	return f;
}

void
follow_close(struct follower *f)
{
	if (f == NULL)
		return;
	db_close(f->source.db);
	arena_free(f->source.a);
	index_state_free(&f->state);
	buf_free(&f->room);
	close(f->lock);
	free(f->directory);
	free(f);
}

struct db *
follow_db(struct follower *f)
{
	return f->source.db;
}

/* ---- documents into segments ---- */

static bool
flush(struct follower *f, struct index_builder *b, struct index_state *to, char *err)
{
	struct index_segment s;

	if (index_build_documents(b) == 0)
		return true;
	f->written += index_build_documents(b);
	return index_build_write(b, f->directory, &s, err) &&
	       index_state_add(f->directory, to, s, err);
}

/* Reads what source_documents began. */
static bool
build(struct follower *f, struct index_builder *b, struct index_state *to, char *err)
{
	struct str json;
	size_t unchecked = 0; /* bytes: one document may be as large as thousands are */
	enum db_rc rc;

	while ((rc = source_next(&f->source, &f->room, &json)) == DB_OK) {
		if (!index_build_add(b, json, err))
			return false;
		unchecked += json.n;
		if (unchecked < CHECK_BYTES)
			continue;
		unchecked = 0;
		if (index_build_memory(b) >> 20 > SEGMENT_MEMORY && !flush(f, b, to, err))
			return false;
	}
	if (rc != DB_NONE) {
		snprintf(err, INDEX_FAULT, "database: %.200s", db_message(f->source.db));
		return false;
	}
	return flush(f, b, to, err);
}

static bool
fetch(struct follower *f, struct index_state *to, enum source_what what, struct str ips,
    char *err)
{
	struct index_builder *b;
	bool ok;

	if (source_documents(&f->source, what, ips) != DB_OK) {
		snprintf(err, INDEX_FAULT, "database: %.200s", db_message(f->source.db));
		return false;
	}
	b = index_build_new(&to->tags);
	ok = build(f, b, to, err);
	index_build_free(b);
	return ok;
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
list_ip(void *arg, const unsigned char ip[16])
{
	struct buf *ips = arg;
	struct ipnet net = { .bits = 128 };
	char text[IPNET_LEN + 1];

	memcpy(net.a, ip, 16);
	ipnet_print(&net, text);
	buf_char(ips, ips->n == 0 ? '{' : ',');
	buf_z(ips, text);
}

/* Documents with a tag whose categories are no longer those the index derived. */
static bool
list_tagged(struct follower *f, struct str slug, struct buf *ips, char *err)
{
	static const char *const names[] = { "tags", "services.tags" };

	for (size_t i = 0; i < f->state.nsegments; i++)
		for (size_t k = 0; k < COUNT(names); k++)
			if (!index_each_ip(f->directory, &f->state.segments[i],
				schema_find(DATASET_HOSTS, str_of(names[k])), slug,
				list_ip, ips, err))
				return false;
	return true;
}

/* Takes the new table; *changed tells that it differs at all. */
static bool
take_tags(struct follower *f, struct buf *ips, bool *changed, char *err)
{
	struct index_tags fresh = { 0 };
	bool ok = true;

	index_tags_set(&fresh, f->source.tags, f->source.ntags);
	*changed = fresh.n != f->state.tags.n;
	for (size_t i = 0; ok && i < fresh.n; i++) {
		const struct tag *old =
		    index_tags_find(&f->state.tags, fresh.items[i].slug);

		*changed |= old == NULL || !str_eq(old->name, fresh.items[i].name);
		if (!same_meaning(old, &fresh.items[i])) {
			*changed = true;
			ok = list_tagged(f, fresh.items[i].slug, ips, err);
		}
	}
	for (size_t i = 0; ok && i < f->state.tags.n; i++)
		if (index_tags_find(&fresh, f->state.tags.items[i].slug) == NULL) {
			*changed = true;
			ok = list_tagged(f, f->state.tags.items[i].slug, ips, err);
		}
	free(f->state.tags.items);
	free(f->state.tags.text);
	f->state.tags = fresh;
	return ok;
}

/* ---- merging ---- */

static uint64_t
living(const struct index_segment *s)
{
	return s->documents - s->ndead;
}

/* The smallest segment first; each document lives in one segment only, so their order is free. */
static int
by_living(const void *a, const void *b)
{
	uint64_t x = living(a), y = living(b);

	return (x > y) - (x < y);
}

/* How many of the smallest segments become one: at least two, and more as long as the next is not
   much larger than those before, so that a document is rewritten a logarithmic number of times. */
static size_t
merge_width(const struct index_state *s)
{
	uint64_t sum = living(&s->segments[0]) + living(&s->segments[1]);
	size_t n = 2;

	while (n < s->nsegments && living(&s->segments[n]) <= 2 * sum)
		sum += living(&s->segments[n++]);
	return n;
}

static bool
merge(struct follower *f, char *err)
{
	struct buf ips = { 0 };
	size_t n;
	bool ok = true;

	if (f->state.nsegments <= (size_t)conf.index_segments)
		return true;
	qsort(
	    f->state.segments, f->state.nsegments, sizeof(*f->state.segments), by_living);
	n = merge_width(&f->state);
	for (size_t i = 0; ok && i < n; i++)
		ok = index_each_ip(f->directory, &f->state.segments[i], NULL, STR_NULL,
		    list_ip, &ips, err);
	if (ok) {
		buf_char(&ips, '}');
		index_state_drop(&f->state, 0, n);
		ok = fetch(f, &f->state, SOURCE_LISTED, buf_done(&ips), err);
	}
	buf_free(&ips);
	return ok;
}

/* ---- a pass ---- */

static bool
rebuild(struct follower *f, char *err)
{
	struct index_state fresh = { .generation = f->state.generation,
		.published_at = TS_NULL };

	index_tags_set(&fresh.tags, f->source.tags, f->source.ntags);
	if (!fetch(f, &fresh, SOURCE_ALL, STR_NULL, err)) {
		index_state_free(&fresh);
		return false;
	}
	index_state_free(&f->state);
	f->state = fresh;
	return true;
}

static bool
catch_up(struct follower *f, bool *changed, char *err)
{
	struct buf ips = { 0 };
	bool ok = take_tags(f, &ips, changed, err);

	if (ips.n > 0)
		buf_char(&ips, '}');
	ok = ok && fetch(f, &f->state, ips.n > 0 ? SOURCE_BOTH : SOURCE_CHANGED,
		       buf_done(&ips), err);
	*changed |= f->written > 0;
	buf_free(&ips);
	return ok && (!*changed || merge(f, err));
}

static bool
publish(struct follower *f, int64_t start, const char *how, char *err)
{
	uint64_t documents = 0;

	if (!index_publish(f->directory, &f->state, err))
		return false;
	for (size_t i = 0; i < f->state.nsegments; i++)
		documents += living(&f->state.segments[i]);
	log_event(LOGP_INFO, "index",
	    "generation=%" PRIu64 " how=%s documents=%" PRIu64 " written=%" PRIu64
	    " segments=%zu ms=%" PRId64,
	    f->state.generation, how, documents, f->written, f->state.nsegments,
	    (mono_us() - start) / 1000);
	return true;
}

/* Rows that are gone leave nothing that changed: then the numbers differ, and all is read again. */
static bool
lost_rows(struct follower *f, bool *lost, char *err)
{
	uint64_t have = 0;
	int64_t n;

	for (size_t i = 0; i < f->state.nsegments; i++)
		have += living(&f->state.segments[i]);
	if (source_count(&f->source, &n) != DB_OK) {
		snprintf(err, INDEX_FAULT, "database: %.200s", db_message(f->source.db));
		return false;
	}
	*lost = (uint64_t)n != have;
	f->counted = true;
	return true;
}

static bool
pass(struct follower *f, bool all, char *err)
{
	int64_t start = mono_us();
	bool changed = true, told = db_notified(f->source.db);

	f->written = 0;
	f->counted &= !told;
	if (!all) {
		if (!catch_up(f, &changed, err))
			return false;
		if (!f->counted && !changed && !lost_rows(f, &all, err))
			return false;
	}
	if (all && !rebuild(f, err))
		return false;
	index_state_snapshot(&f->state, f->source.snapshot);
	return (!changed && !all) || publish(f, start, all ? "rebuild" : "changes", err);
}

/* After a failure the state in memory may be half a generation: what is published counts. */
static void
start_again(struct follower *f)
{
	char err[INDEX_FAULT];

	index_state_free(&f->state);
	if (!index_state_load(f->directory, &f->state, err))
		log_event(LOGP_WARNING, "index", "unusable=\"%s\" next=rebuild", err);
}

enum follow_rc
follow_once(struct follower *f, bool all)
{
	char err[INDEX_FAULT] = "";
	char *since = mem_text(f->state.snapshot == NULL ? "" : f->state.snapshot);
	bool ok = source_begin(&f->source, since) == DB_OK;

	free(since);
	if (!ok) {
		log_event(LOGP_ERR, "index", "database=\"%s\"", db_message(f->source.db));
		return FOLLOW_RETRY;
	}
	ok = pass(f, all || f->state.generation == 0 || !f->source.continues, err);
	source_end(&f->source);
	if (ok)
		return FOLLOW_DONE;
	log_event(LOGP_ERR, "index", "failed=\"%s\"", err);
	start_again(f);
	return FOLLOW_RETRY;
}
