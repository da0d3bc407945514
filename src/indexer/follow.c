/* SPDX-License-Identifier: ISC */
/* One pass: from the published generation to the present content of the database (indexer.h). */
#include "config.h"

#include "daemon/conf.h"
#include "indexer/indexer.h"
#include "search/index/read/each.h"
#include "search/index/write/build.h"
#include "search/index/write/state.h"

#include <errno.h>
#include <inttypes.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	SEGMENT_MEMORY = 1200, /* MiB of a builder, after which its segment is written */
	CHECK_BYTES = 8 << 20, /* bytes of documents between two checks of that */
	PASS_MEMORY = 1 << 30,
	VERIFY_BYTES = 8 << 20, /* a pass */
};
#define PURGE_US INT64_C(3600000000)

struct follower {
	char *directory;
	int lock;
	struct index_state state;
	struct source source;
	struct buf room;
	struct merger merger;
	uint64_t written;   /* documents written in this pass */
	int64_t next_purge; /* mono_us */
};

struct follower *
follow_open(const char *directory)
{
	struct follower *f = mem_zero(sizeof(*f));
	char err[INDEX_FAULT];

	f->directory = mem_text(directory);
	if (mkdir(directory, 0755) < 0 && errno != EEXIST)
		log_event(
		    LOGP_ERR, "index", "directory=%s error=\"%s\"", directory, strerror(errno));
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
	f->merger = (struct merger){ .directory = f->directory, .result = -1 };
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
	merger_abandon(&f->merger, &f->state);
	db_close(f->source.db);
	arena_free(f->source.a);
	index_state_free(&f->state);
	buf_free(&f->room);
	close(f->lock);
	free(f->directory);
	free(f);
}

void
follow_without_child(struct follower *f)
{
	f->merger.no_child = true;
}

struct db *
follow_db(struct follower *f)
{
	return f->source.db;
}

/* ---- documents into segments ---- */

static bool
write_segment(struct follower *f, struct index_builder *b, struct index_state *to, char *err)
{
	struct index_segment s;

	if (index_build_documents(b) == 0)
		return true;
	f->written += index_build_documents(b);
	return index_build_write(b, f->directory, &s, err) &&
	       index_state_add(f->directory, to, s, err);
}

/* Reads the documents after source_documents and writes segments of them. */
static bool
build_segments(struct follower *f, struct index_builder *b, struct index_state *to, char *err)
{
	struct str json;
	size_t unchecked = 0; /* bytes, because some documents are very large */
	enum db_rc rc;

	while ((rc = source_next(&f->source, &f->room, &json)) == DB_OK) {
		if (!index_build_add(b, json, err))
			return false;
		unchecked += json.n;
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

static bool
index_documents(
    struct follower *f, struct index_state *to, enum source_what what, struct str ips, char *err)
{
	struct index_builder *b;
	bool ok;

	if (source_documents(&f->source, what, ips) != DB_OK) {
		snprintf(err, INDEX_FAULT, "database: %.200s", db_message(f->source.db));
		return false;
	}
	b = index_build_new(&to->tags);
	ok = build_segments(f, b, to, err);
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

/* Lists the addresses of the documents with a tag. */
static bool
list_tagged(struct follower *f, struct str slug, struct buf *ips, char *err)
{
	static const char *const names[] = { "tags", "services.tags" };

	for (size_t i = 0; i < f->state.nsegments; i++)
		for (size_t k = 0; k < COUNT(names); k++)
			if (!index_each_ip(f->directory, &f->state.segments[i],
				schema_find(DATASET_HOSTS, str_of(names[k])), slug, list_ip, ips,
				err))
				return false;
	return true;
}

/* Replaces the table of tags. Lists the documents whose derived fields are outdated, and sets *changed when the tables
   differ. */
static bool
update_tags(struct follower *f, struct buf *ips, bool *changed, char *err)
{
	struct index_tags fresh = { 0 };
	bool ok = true;

	index_tags_set(&fresh, f->source.tags, f->source.ntags);
	*changed = fresh.n != f->state.tags.n;
	for (size_t i = 0; ok && i < fresh.n; i++) {
		const struct tag *old = index_tags_find(&f->state.tags, fresh.items[i].slug);

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

/* ---- deletions ---- */

static bool
remove_gone(struct follower *f, bool *changed, char *err)
{
	struct str text;
	enum db_rc rc = source_documents(&f->source, SOURCE_GONE, STR_NULL);

	while (rc == DB_OK && (rc = source_next(&f->source, &f->room, &text)) == DB_OK) {
		struct ipnet ip;

		if (!ipnet_parse(text, &ip) ||
		    !index_state_remove(f->directory, &f->state, ip.a, changed, err))
			return false;
	}
	if (rc != DB_NONE)
		snprintf(err, INDEX_FAULT, "database: %.200s", db_message(f->source.db));
	return rc == DB_NONE;
}

/* ---- a pass ---- */

static bool
rebuild_index(struct follower *f, char *err)
{
	struct index_state fresh = { .generation = f->state.generation, .published_at = TS_NULL };

	index_tags_set(&fresh.tags, f->source.tags, f->source.ntags);
	if (!index_documents(f, &fresh, SOURCE_ALL, STR_NULL, err)) {
		index_state_free(&fresh);
		return false;
	}
	merger_abandon(&f->merger, &f->state);
	index_state_free(&f->state);
	f->state = fresh;
	return true;
}

static bool
apply_changes(struct follower *f, bool *changed, char *err)
{
	struct buf ips = { 0 };
	bool ok = update_tags(f, &ips, changed, err);

	if (ips.n > 0)
		buf_char(&ips, '}');
	ok = ok && index_documents(
		       f, &f->state, ips.n > 0 ? SOURCE_BOTH : SOURCE_CHANGED, buf_done(&ips), err);
	*changed |= f->written > 0;
	buf_free(&ips);
	ok = ok && remove_gone(f, changed, err);
	merger_collect(&f->merger, &f->state, changed);
	return ok && (!*changed || merger_small(&f->merger, &f->state, err));
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
	    "generation=%" PRIu64 " how=%s documents=%" PRIu64 " written=%" PRIu64
	    " segments=%zu ms=%" PRId64,
	    f->state.generation, how, documents, f->written, f->state.nsegments,
	    (mono_us() - start) / 1000);
	return true;
}

/* Whether a file of the index is damaged. The caller then builds the index again from the database. */
static bool
is_damaged(struct follower *f)
{
	char err[INDEX_FAULT] = "";

	if (index_state_verify(f->directory, &f->state, VERIFY_BYTES, err))
		return false;
	log_event(LOGP_ERR, "index", "damaged=\"%s\" next=rebuild", err);
	return true;
}

static bool
run_pass(struct follower *f, bool all, char *err)
{
	int64_t start = mono_us();
	bool changed = true;

	(void)db_notified(f->source.db);
	f->written = 0;
	all = all || is_damaged(f) || !index_state_complete(&f->state);
	if (all ? !rebuild_index(f, err) : !apply_changes(f, &changed, err))
		return false;
	index_state_snapshot(&f->state, f->source.snapshot);
	if (changed && !publish_generation(f, start, all ? "rebuild" : "changes", err))
		return false;
	merger_start(&f->merger, &f->state);
	return true;
}

/* Reads the published state again after a failure, which may have left the state in memory half changed. */
static void
reload_published(struct follower *f)
{
	char err[INDEX_FAULT];

	merger_abandon(&f->merger, &f->state);
	index_state_free(&f->state);
	if (!index_state_load(f->directory, &f->state, err))
		log_event(LOGP_WARNING, "index", "unusable=\"%s\" next=rebuild", err);
}

/* Removes the deletions that the published generation contains, once an hour; so a failure is tried again later. The
   snapshot comes from the disk: a pass that changed nothing has a newer one in memory, and a crash would lose it. */
static void
purge_deletions(struct follower *f)
{
	struct index_state published;
	char err[INDEX_FAULT];

	if (mono_us() < f->next_purge)
		return;
	f->next_purge = mono_us() + PURGE_US;
	if (!index_state_load(f->directory, &published, err))
		return;
	if (published.generation > 0 && source_purge(&f->source, published.snapshot) != DB_OK)
		log_event(LOGP_WARNING, "index", "purge=\"%s\"", db_message(f->source.db));
	index_state_free(&published);
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
	ok = run_pass(f, all || f->state.generation == 0 || !f->source.continues, err);
	source_end(&f->source);
	if (ok) {
		purge_deletions(f);
		return FOLLOW_DONE;
	}
	log_event(LOGP_ERR, "index", "failed=\"%s\"", err);
	reload_published(f);
	return FOLLOW_RETRY;
}
