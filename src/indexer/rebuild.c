/* SPDX-License-Identifier: ISC */
/* Builds the whole index again beside the passes, in a child process: when the generation is of
   another database (after a restore), when it lacks a field of this release, or when --rebuild was
   given. The old generation is served and followed meanwhile, so changed hosts become visible as
   fast as without a rebuild.

     pass 7          pass 8           pass 9           pass 10
       | outdated:     |                |                | before its snapshot: the child has ended,
       | A B           | +C             | +D, x dies     | so this pass sees whatever the child has seen
       | fork          |                |                v
       +-> child: one snapshot, all documents -> E F     E F, without the hosts of C and D and without x; C D

   The child reads a newer snapshot than pass 7. A record that changed after pass 7 is in C or D,
   and a deleted one is in `gone`, whether or not the snapshot of the child shows that change. So
   the documents of C and D always replace those of E and F. No merge may mix A and B with C and D
   meanwhile: merger.c leaves outdated segments alone. */
#include "config.h"

#include "daemon/conf.h"
#include "indexer/beside.h"
#include "search/index/write/state.h"

#include <inttypes.h>

/* Opens a connection of its own, because the parent uses the inherited one. */
static _Noreturn void
run_rebuild_child(struct rebuilder *r, const struct index_state *s)
{
	struct index_state made = { .dataset = s->dataset,
		.generation = s->generation + 1, /* 0 is no generation; the parent sets its own */
		.published_at = TS_NULL,
		.family = r->child.family };
	struct feed feed = { .directory = r->directory };
	char err[INDEX_FAULT] = "no connection";
	bool ok;

	feed.source.dataset = s->dataset;
	feed.source.a = arena_new(FEED_MEMORY);
	feed.source.db = db_open(conf.database, "surfaced-index");
	ok = source_begin(&feed.source, "") == DB_OK && feed_all(&feed, &made, err);
	child_exit(r->directory, &made, ok ? CHILD_DONE : CHILD_FAILED, err);
}

static void
mark_outdated(struct index_state *s, bool outdated)
{
	for (size_t i = 0; i < s->nsegments; i++)
		s->segments[i].outdated = outdated;
}

void
rebuild_want(struct rebuilder *r, struct index_state *s)
{
	r->wanted = true;
	if (r->child.pid == 0)
		mark_outdated(s, true);
}

void
rebuild_start(struct rebuilder *r, struct index_state *s)
{
	if (!r->wanted || r->child.pid != 0 || *r->running > 0 || mono_us() < r->child.next)
		return;
	mark_outdated(s, true);
	buf_clear(&r->gone);
	if (child_fork(&r->child))
		run_rebuild_child(r, s);
	if (r->child.pid == 0)
		return;
	++*r->running;
	s->children[INDEX_REBUILD] = r->child.family;
	log_event(LOGP_INFO, "index", "dataset=%s rebuilding=%" PRIu64 " pid=%d",
	    schema_dataset_name(s->dataset), s->generation, (int)r->child.pid);
}

void
rebuild_gone(struct rebuilder *r, struct str key)
{
	if (r->child.pid == 0 && !r->ready)
		return;
	buf_add(&r->gone, &key.n, sizeof(key.n));
	buf_str(&r->gone, key);
}

void
rebuild_poll(struct rebuilder *r, struct index_state *s)
{
	enum child_rc rc = child_ended(&r->child);

	if (rc == CHILD_DONE || rc == CHILD_FAILED)
		--*r->running;
	r->ready |= rc == CHILD_DONE;
	if (rc == CHILD_FAILED)
		s->children[INDEX_REBUILD] = 0; /* the next publication removes its files */
}

static bool
bury_gone(const struct rebuilder *r, struct index_state *made, char *err)
{
	bool had = false;

	for (size_t at = 0; at < r->gone.n;) {
		struct str key = { r->gone.p + at + sizeof(key.n), 0 };

		memcpy(&key.n, r->gone.p + at, sizeof(key.n));
		if (!index_state_remove(r->directory, made, key, &had, err))
			return false;
		at += sizeof(key.n) + key.n;
	}
	return true;
}

bool
rebuild_take(
    struct rebuilder *r, struct index_state *s, struct index_tags *tags, char err[INDEX_FAULT])
{
	struct index_state made;

	if (!index_state_fetch(r->directory, s->dataset, r->child.family, &made, err))
		return false;
	*tags = made.tags;
	made.tags = s->tags;
	s->tags = (struct index_tags){ .n = 0 };
	if (!bury_gone(r, &made, err) || !index_state_renew(r->directory, s, &made, err)) {
		index_state_free(&made);
		return false;
	}
	s->children[INDEX_REBUILD] = 0;
	r->ready = r->wanted = false;
	return true;
}

void
rebuild_abandon(struct rebuilder *r, struct index_state *s)
{
	*r->running -= r->child.pid != 0;
	child_kill(&r->child);
	mark_outdated(s, false);
	s->children[INDEX_REBUILD] = 0;
	r->ready = false;
	buf_clear(&r->gone);
}

bool
rebuild_begin_with(struct rebuilder *r, struct index_state *s, char err[INDEX_FAULT])
{
	struct index_state made;

	if (!index_state_fetch(r->directory, s->dataset, r->child.family, &made, err))
		return false;
	made.generation = s->generation;
	made.damage = s->damage;
	made.family = 0;
	index_state_free(s);
	*s = made;
	r->ready = r->wanted = false;
	buf_clear(&r->gone);
	return true;
}
