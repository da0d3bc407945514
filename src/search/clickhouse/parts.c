/* SPDX-License-Identifier: ISC */
/* The parts of the table of rows that a request reads. FINAL makes a server compare all rows of all
 * parts, in one thread with release 18, although most documents have one row. A part that a merge
 * has made has each document once. So of each shard, the greatest such part is read without FINAL,
 * except for the documents that the other parts have too:
 *
 *   all_1_90_3     10,000,000 rows    large    SELECT ... WHERE _part IN ('all_1_90_3')
 *                                                  AND place NOT IN (SELECT place FROM hosts_1 WHERE _part IN (small))
 *   all_91_95_1        40,000 rows    small    UNION ALL
 *   all_96_96_0         5,000 rows    small    SELECT ... FINAL WHERE _part IN (small)
 *
 * This is exact only if all three read the same parts, so a request
 *
 *   1. reads the names of the active parts,
 *   2. runs its statements, which read no other parts than these, and
 *   3. reads the names again. When a part of the first list is no longer active, because it was
 *      merged, a statement may have missed its rows: the request is repeated (engine.c).
 *
 * A part never changes, and does not become active again once it was merged. Parts that are new in
 * the second list do not matter: no statement has read them. So all statements of a request see the
 * documents of one moment.
 *
 * Versions decide whether a row of a small part may be read in place of that of the large part: each
 * version in a small part must be at least the greatest one in the large part of its shard. So it is
 * when the large part is the oldest one, but not when newer parts were merged to a larger one, or
 * when an INSERT was delayed while later ones succeeded; then all parts are read with FINAL until a
 * merge has removed the old rows. (Rows of equal versions are equal: a pass of
 * surfaced-index has one version, and sees one state of a document.)
 *
 * Shards name their parts alike, and a list of names applies to all of them. A name is that of a
 * large part only if it is one on each shard where it is active; any part may be treated as a small
 * one. The numbers of shards on which a name is active and on which it exists are compared too: a
 * part that was merged exists for another eight minutes (old_parts_lifetime of ClickHouse), so the
 * second number shows when one shard has lost a part and another one has got a part of the same
 * name. */
#include "config.h"

#include "search/clickhouse/engine_priv.h"

#include <ctype.h>
#include <inttypes.h>

enum {
	/* A server that reads the large part has the keys of the small ones in its memory: so many
	   bytes for each, in at most this share of clickhouse_memory. */
	KEY_BYTES = 64,
	KEY_SHARE = 4,
	SHARDS_MAX = 1 << 16,
};

/* Names are printed into statements as they are. */
static bool
is_plain(struct str name)
{
	for (size_t i = 0; i < name.n; i++)
		if (!isalnum((unsigned char)name.p[i]) && name.p[i] != '_' && name.p[i] != '-')
			return false;
	return name.n > 0;
}

static void
add_name(struct buf *list, struct str name)
{
	buf_z(list, list->n > 0 ? ", '" : "'");
	buf_str(list, name);
	buf_char(list, '\'');
}

/* The parts of one moment, and those that are worth reading without FINAL. */
struct part_choice {
	struct ch_parts all;
	struct ch_part_lists lists;
	uint64_t rows, large_rows, shards;
};

static bool
read_parts(struct ch_request *rq, struct part_choice *out)
{
	struct buf large = { .a = rq->arena }, small = { .a = rq->arena };
	struct ch_parts *all = &out->all;
	struct ch_value v[CH_VALUES_MAX];
	struct ch_rows answer;
	bool good = true;

	*out = (struct part_choice){ .rows = 0 };
	if (!ch_ask(rq, ch_sql_parts(&rq->plan), &answer))
		return false;
	while (good && ch_rows_next(&answer, "sqqqqq", v)) {
		bool is_large = v[4].n == v[2].n;
		struct str name = arena_str(rq->arena, v[0].s);

		good = is_plain(name);
		all->p = arena_room(rq->arena, all->p, all->n, sizeof(*all->p));
		all->p[all->n++] = (struct ch_part){ name, v[2].n, v[3].n };
		out->shards = v[5].n;
		if (v[2].n == 0)
			continue;
		out->rows += v[1].n;
		out->large_rows += is_large ? v[1].n : 0;
		add_name(is_large ? &large : &small, name);
	}
	out->lists = (struct ch_part_lists){ buf_done(&large), buf_done(&small) };
	return ch_rows_end(rq, &answer, good);
}

/* ---- versions ---- */

void
ch_versions_free(struct ch_versions *v)
{
	free(v->of);
	free(v->v);
	*v = (struct ch_versions){ .n = 0 };
}

/* Reads the greatest versions in the large parts, unless these were read before. */
static bool
read_large_versions(struct ch_request *rq, const struct part_choice *c, struct ch_versions *out)
{
	struct str of = arena_printf(rq->arena, "%u %" PRIu64 " %" PRIu64 " %.*s", rq->plan.layout,
	    c->shards, c->large_rows, (int)c->lists.large.n, c->lists.large.p);
	struct ch_value v[CH_VALUES_MAX];
	struct ch_rows rows;
	bool good = true;

	if (out->of != NULL && str_is(of, out->of))
		return true;
	if (!ch_ask(rq, ch_sql_versions(&rq->plan, c->lists.large, true, c->shards), &rows))
		return false;
	ch_versions_free(out);
	out->n = c->shards;
	out->v = mem_array(out->n, sizeof(*out->v));
	while (good && ch_rows_next(&rows, "qq", v)) {
		good = v[0].n < out->n;
		if (good)
			out->v[v[0].n] = v[1].n;
	}
	if (!ch_rows_end(rq, &rows, good))
		return false;
	out->of = mem_text(of.p);
	return true;
}

/* Sets *newer: no row of a small part is older than one of the large part. */
static bool
compare_versions(struct ch_request *rq, const struct part_choice *c, bool *newer)
{
	struct ch_versions *large = &rq->engine->of[rq->plan.source].large;
	struct ch_value v[CH_VALUES_MAX];
	struct ch_rows rows;
	bool good = true;

	if (!read_large_versions(rq, c, large) ||
	    !ch_ask(rq, ch_sql_versions(&rq->plan, c->lists.small, false, c->shards), &rows))
		return false;
	*newer = true;
	while (good && ch_rows_next(&rows, "qq", v)) {
		good = v[0].n < large->n;
		*newer = *newer && good && v[1].n >= large->v[v[0].n];
	}
	return ch_rows_end(rq, &rows, good);
}

/* ---- */

static bool
is_worth(const struct ch_request *rq, const struct part_choice *c)
{
	uint64_t small = c->rows - c->large_rows;

	return c->large_rows > small && c->shards > 0 && c->shards <= SHARDS_MAX &&
	       small * KEY_BYTES <= (uint64_t)rq->engine->options.memory / KEY_SHARE;
}

bool
ch_parts_begin(struct ch_request *rq)
{
	struct part_choice c;
	bool newer = true;

	/* With clickhouse_partial a shard may be missing in the first list, and answer later. */
	ch_parts_none(rq);
	if (rq->engine->options.partial)
		return true;
	if (!read_parts(rq, &c))
		return false;
	if (!is_worth(rq, &c))
		return true;
	if (c.lists.small.p != NULL && !compare_versions(rq, &c, &newer))
		return false;
	rq->parts = c.all;
	if (newer)
		rq->plan.parts = c.lists;
	return true;
}

static int
by_part_name(const void *name, const void *part)
{
	return str_cmp(*(const struct str *)name, ((const struct ch_part *)part)->name);
}

bool
ch_parts_end(struct ch_request *rq, bool *same)
{
	struct part_choice now;

	*same = true;
	if (rq->plan.parts.large.p == NULL)
		return true;
	if (!read_parts(rq, &now))
		return false;
	for (size_t i = 0; *same && i < rq->parts.n; i++) {
		const struct ch_part *was = &rq->parts.p[i], *is;

		if (was->active == 0)
			continue;
		is = now.all.n == 0 ? NULL
				    : bsearch(&was->name, now.all.p, now.all.n, sizeof(*now.all.p),
					  by_part_name);
		*same = is != NULL && is->active == was->active && is->present == was->present;
	}
	if (!*same) /* they may have been read from a part of the large parts */
		ch_versions_free(&rq->engine->of[rq->plan.source].large);
	return true;
}

void
ch_parts_none(struct ch_request *rq)
{
	rq->plan.parts = (struct ch_part_lists){ { 0 } };
}
