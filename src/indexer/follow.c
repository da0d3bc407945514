/* SPDX-License-Identifier: ISC */
/* One pass of surfaced-index: from the published generation to the present content of the
 * database (indexer.h has the picture). The hard part is to be killed, or to fail, at any point:
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

#include <errno.h>
#include <inttypes.h>
#include <sys/stat.h>
#include <unistd.h>

enum { VERIFY_BYTES = 8 << 20 /* a pass */ };
#define PURGE_US INT64_C(3600000000)

struct follower {
	char *directory;
	int lock;
	struct index_state state;
	/* The snapshot that the state has followed to. It is not always that of the state, which has "" while the state
	   contains documents of another database. */
	char *since;
	bool stale; /* it does */
	struct feed feed;
	struct merger merger;
	struct rebuilder rebuilder;
	int64_t next_purge; /* mono_us */
};

/* Reads the published state, at the start or after a failure, which may have left the state in memory half changed. */
static void
load_published(struct follower *f)
{
	char err[INDEX_FAULT];

	merger_abandon(&f->merger, &f->state);
	rebuild_abandon(&f->rebuilder, &f->state);
	index_state_free(&f->state);
	if (!index_state_load(f->directory, &f->state, err))
		log_event(LOGP_WARNING, "index", "unusable=\"%s\" next=rebuild", err);
	free(f->since);
	f->since = mem_text(f->state.snapshot == NULL ? "" : f->state.snapshot);
}

struct follower *
follow_open(const char *directory)
{
	struct follower *f = mem_zero(sizeof(*f));

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
	f->merger.directory = f->rebuilder.directory = f->feed.directory = f->directory;
	load_published(f);
	f->rebuilder.child.next = 0;
	f->feed.source.a = arena_new(FEED_MEMORY);
	f->feed.source.db = db_open(conf.database, "surfaced-index");
	db_listen(f->feed.source.db, "host_changed");
	db_listen(f->feed.source.db, "tag_changed");
	return f;
}

void
follow_close(struct follower *f)
{
	if (f == NULL)
		return;
	merger_abandon(&f->merger, &f->state);
	rebuild_abandon(&f->rebuilder, &f->state);
	db_close(f->feed.source.db);
	arena_free(f->feed.source.a);
	index_state_free(&f->state);
	buf_free(&f->feed.room);
	buf_free(&f->rebuilder.gone);
	free(f->since);
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
	return f->feed.source.db;
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

/* Lists the documents whose derived fields are outdated because the table of tags was `had` when they were written, and sets
   *changed when the tables differ. */
static bool
list_outdated(struct follower *f, const struct index_tags *had, const struct index_tags *now,
    struct buf *ips, bool *changed, char *err)
{
	bool ok = true;

	*changed |= now->n != had->n;
	for (size_t i = 0; ok && i < now->n; i++) {
		const struct tag *old = index_tags_find(had, now->items[i].slug);

		*changed |= old == NULL || !str_eq(old->name, now->items[i].name);
		if (!same_meaning(old, &now->items[i])) {
			*changed = true;
			ok = list_tagged(f, now->items[i].slug, ips, err);
		}
	}
	for (size_t i = 0; ok && i < had->n; i++)
		if (index_tags_find(now, had->items[i].slug) == NULL) {
			*changed = true;
			ok = list_tagged(f, had->items[i].slug, ips, err);
		}
	return ok;
}

/* ---- deletions ---- */

static bool
remove_gone(struct follower *f, bool *changed, char *err)
{
	struct str text;
	enum db_rc rc = source_documents(&f->feed.source, SOURCE_GONE, STR_NULL);

	while (rc == DB_OK && (rc = source_next(&f->feed.source, &f->feed.room, &text)) == DB_OK) {
		struct ipnet ip;

		if (!ipnet_parse(text, &ip) ||
		    !index_state_remove(f->directory, &f->state, ip.a, changed, err))
			return false;
		rebuild_gone(&f->rebuilder, ip.a);
	}
	if (rc != DB_NONE)
		snprintf(err, INDEX_FAULT, "database: %.200s", db_message(f->feed.source.db));
	return rc == DB_NONE;
}

/* ---- a pass ---- */

struct pass {
	bool changed;
	const char *how;
	struct buf ips;         /* documents to write again: an array literal without its end */
	struct index_tags tags; /* of this snapshot */
};

/* Takes the result of the child that has built the index again. Its documents were written with its own tags. */
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
		ok = list_outdated(f, &had, &p->tags, &p->ips, &p->changed, err);
	}
	index_tags_free(&had);
	return ok;
}

static bool
apply_changes(struct follower *f, struct pass *p, char *err)
{
	enum source_what what;
	struct str ips;

	if (!list_outdated(f, &f->state.tags, &p->tags, &p->ips, &p->changed, err))
		return false;
	index_tags_free(&f->state.tags);
	f->state.tags = p->tags;
	p->tags = (struct index_tags){ .n = 0 };
	what = p->ips.n > 0 ? SOURCE_BOTH : SOURCE_CHANGED;
	if (p->ips.n > 0)
		buf_char(&p->ips, '}');
	ips = buf_done(&p->ips);
	if (!feed_documents(&f->feed, &f->state, what, ips, err) ||
	    !remove_gone(f, &p->changed, err))
		return false;
	p->changed |= f->feed.written > 0;
	merger_collect(&f->merger, &f->state, &p->changed);
	return !p->changed || merger_small(&f->merger, &f->state, err);
}

/* Reads all documents in this pass, for a generation that cannot be served, or before the process ends. */
static bool
rebuild_here(struct follower *f, struct pass *p, char *err)
{
	struct index_state fresh = { .generation = f->state.generation, .published_at = TS_NULL };

	if (!feed_all(&f->feed, &fresh, err)) {
		index_state_free(&fresh);
		return false;
	}
	merger_abandon(&f->merger, &f->state);
	rebuild_abandon(&f->rebuilder, &f->state);
	index_state_free(&f->state);
	f->state = fresh;
	f->stale = f->rebuilder.wanted = false;
	p->changed = true;
	p->how = "rebuild";
	return true;
}

/* The generation is of another database, or host_gone was purged since: the changes since its snapshot are unknown. It is
   served until it is replaced, and followed from this pass on; its manifest gets an empty snapshot (beside.h). */
static void
follow_from_here(struct follower *f, struct pass *p)
{
	rebuild_abandon(&f->rebuilder, &f->state);
	f->rebuilder.child.next = 0;
	f->stale = p->changed = true;
}

/* Brings the state to the snapshot of the pass, and has the index built again beside it when
 * that is due. The order matters:
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
	    "generation=%" PRIu64 " how=%s documents=%" PRIu64 " written=%" PRIu64
	    " segments=%zu ms=%" PRId64,
	    f->state.generation, how, documents, f->feed.written, f->state.nsegments,
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

/* Sets the snapshot that the state has followed to, and the one of its manifest. */
static void
set_snapshot(struct follower *f)
{
	struct str now = f->feed.source.snapshot;

	free(f->since);
	f->since = strndup(now.p, now.n);
	if (f->since == NULL)
		panic("out of memory");
	index_state_snapshot(&f->state, f->stale ? STR("") : now);
}

/* Makes one pass within the transaction of the source. The files are verified first, because a
 * damaged index has to be replaced before anything is added to it. A generation that can be
 * served is followed while a child rebuilds it; only without one are all documents read here,
 * while searches get 503.
 *
 * The snapshot is noted in memory even when nothing changed and nothing is published, so the
 * next pass reads newer rows only. A crash loses that note, and the rows are read again.
 * Children start last, because they work on the generation that was just published. */
static bool
run_pass(struct follower *f, bool all, struct pass *p, char *err)
{
	int64_t start = mono_us();
	bool lost = f->state.generation == 0 || is_damaged(f);
	bool due = !lost && (all || !f->feed.source.continues || !index_state_complete(&f->state));

	(void)db_notified(f->feed.source.db);
	f->feed.written = 0;
	index_tags_set(&p->tags, f->feed.source.tags, f->feed.source.ntags);
	if (lost || (due && f->merger.no_child) ? !rebuild_here(f, p, err)
						: !catch_up(f, all, p, err))
		return false;
	set_snapshot(f);
	if (p->changed && !publish_generation(f, start, p->how, err))
		return false;
	rebuild_start(&f->rebuilder, &f->state);
	merger_start(&f->merger, &f->state);
	return true;
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
	if (published.generation > 0 && published.snapshot[0] != '\0' &&
	    source_purge(&f->feed.source, published.snapshot) != DB_OK)
		log_event(LOGP_WARNING, "index", "purge=\"%s\"", db_message(f->feed.source.db));
	index_state_free(&published);
}

enum follow_rc
follow_once(struct follower *f, bool all)
{
	struct pass p = { .how = "changes" };
	char err[INDEX_FAULT] = "";
	bool ok;

	rebuild_poll(&f->rebuilder, &f->state);
	if (source_begin(&f->feed.source, f->since) != DB_OK) {
		log_event(LOGP_ERR, "index", "database=\"%s\"", db_message(f->feed.source.db));
		return FOLLOW_RETRY;
	}
	ok = run_pass(f, all, &p, err);
	source_end(&f->feed.source);
	index_tags_free(&p.tags);
	buf_free(&p.ips);
	if (ok) {
		purge_deletions(f);
		return FOLLOW_DONE;
	}
	log_event(LOGP_ERR, "index", "failed=\"%s\"", err);
	load_published(f);
	return FOLLOW_RETRY;
}
