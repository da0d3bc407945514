/* SPDX-License-Identifier: ISC */
/* The parts of the table of rows that a request reads. FINAL makes a server compare all rows of all
 * parts, in one thread with release 18, although most documents have one row. A part of level 1 or
 * more has each document once, because a merge has removed older rows. So the largest such part of
 * each shard is read without FINAL, except for the documents that the other parts have too:
 *
 *   all_1_90_3     10,000,000 rows    large    SELECT ... WHERE _part IN ('all_1_90_3')
 *                                                AND place NOT IN (SELECT place FROM hosts_1 WHERE _part IN (small))
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
 * The rows of a part never change. A merged part becomes active again only if its server restarts
 * without the merged result. No statement reads the parts that are new in the second list. So all
 * statements of a request see one state of each shard. When it does not pay to read large parts
 * without FINAL, all listed parts are small ones.
 *
 * A row of a small part replaces that of the large part. So no row of a small part may be older
 * than a row of the large part: the smallest version in the small parts must be at least the
 * greatest one in the large part of the shard. This is not so after an INSERT that was delayed
 * while later ones succeeded, and when the largest part has the newer rows. Then all parts are
 * small until a merge unites them. Rows of equal versions are equal: a pass of surfaced-index has a
 * version of its own, and sees one state of a document.
 *
 * Shards name their parts alike, and a list of names applies to all of them. A name is in the list
 * of large parts if, on every shard where a part of this name is active, it is the large one. All
 * other names are small. When one shard loses a part and another one gets a part of the same name,
 * the second list has another hash, and mostly another number of shards on which the part exists,
 * because a server keeps a merged part for some minutes. */
#include "config.h"

#include "search/clickhouse/engine_priv.h"

#include <ctype.h>
#include <inttypes.h>

enum {
	/* The memory that a server needs for the key of each row in small parts, and the share of
	   clickhouse_memory that a set of these keys may take. A view may need two sets. */
	ADDRESS_BYTES = 192,
	NAME_BYTES = 384,
	KEY_SHARE = 4,
	SHARDS_MAX = 1 << 16, /* bounds the memory for versions */
};

/* ---- lists ---- */

struct read_lists {
	struct buf large, small, all;
	uint64_t rows, large_rows, large_hash, small_hash, shards;
	bool plain; /* all names can be printed into statements */
};

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

static bool
read_parts(struct ch_request *rq, struct ch_parts *out, struct read_lists *l)
{
	struct ch_value v[CH_VALUES_MAX];
	struct ch_rows answer;

	*out = (struct ch_parts){ .n = 0 };
	*l = (struct read_lists){ .large = { .a = rq->arena },
		.small = { .a = rq->arena },
		.all = { .a = rq->arena },
		.plain = true };
	if (!ch_ask(rq, ch_sql_parts(&rq->plan), &answer))
		return false;
	while (ch_rows_next(&answer, CH_PARTS_TYPES, v)) {
		struct ch_part part = { arena_str(rq->arena, v[0].s), v[2].n, v[3].n, v[6].n };
		bool large = v[4].n == part.active;

		out->p = arena_room(rq->arena, out->p, out->n, sizeof(*out->p));
		out->p[out->n++] = part;
		l->shards = v[5].n;
		if (part.active == 0)
			continue;
		l->plain = l->plain && is_plain(part.name);
		l->rows += v[1].n;
		l->large_rows += large ? v[1].n : 0;
		if (large)
			l->large_hash += part.hash;
		else
			l->small_hash += part.hash;
		add_name(large ? &l->large : &l->small, part.name);
		add_name(&l->all, part.name);
	}
	return ch_rows_end(rq, &answer, true);
}

/* Whether it pays to read the large parts without FINAL. */
static bool
large_parts_pay(const struct ch_request *rq, const struct read_lists *l)
{
	uint64_t small = l->rows - l->large_rows;
	uint64_t bytes = schema_address(rq->plan.source) != NULL ? ADDRESS_BYTES : NAME_BYTES;

	return l->large_rows > small && l->shards > 0 && l->shards <= SHARDS_MAX &&
	       small * bytes <= (uint64_t)rq->engine->options.memory / KEY_SHARE;
}

/* ---- versions ---- */

void
ch_part_memory_clear(struct ch_part_memory *m)
{
	free(m->large);
	free(m->greatest);
	free(m->pair);
	*m = (struct ch_part_memory){ .ngroups = 0 };
}

static bool
read_greatest(struct ch_request *rq, const struct read_lists *l, struct ch_part_memory *m)
{
	struct str sql = ch_sql_versions(&rq->plan, buf_done(&l->large), true, l->shards);
	uint64_t *greatest;
	struct ch_value v[CH_VALUES_MAX];
	struct ch_rows rows;
	bool good = true;

	if (!ch_ask_any_rows(rq, sql, &rows))
		return false;
	greatest = mem_array(l->shards, sizeof(*greatest));
	while (good && ch_rows_next(&rows, "qq", v)) {
		good = v[0].n < l->shards;
		if (good)
			greatest[v[0].n] = v[1].n;
	}
	m->greatest = greatest;
	m->ngroups = l->shards;
	return ch_rows_end(rq, &rows, good);
}

static bool
read_smallest(struct ch_request *rq, const struct read_lists *l, struct ch_part_memory *m)
{
	struct str sql = ch_sql_versions(&rq->plan, buf_done(&l->small), false, l->shards);
	struct ch_value v[CH_VALUES_MAX];
	struct ch_rows rows;
	bool good = true;

	if (!ch_ask_any_rows(rq, sql, &rows))
		return false;
	m->newer = true;
	while (good && ch_rows_next(&rows, "qq", v)) {
		good = v[0].n < m->ngroups;
		m->newer = m->newer && good && v[1].n >= m->greatest[v[0].n];
	}
	return ch_rows_end(rq, &rows, good);
}

static bool
is_key(const char *have, struct str key)
{
	return have != NULL && str_is(key, have);
}

/* Whether the request failed because versions cannot be read in its time or memory. Then they are
   not read again: the answer "not newer" is always right. */
static bool
is_too_much(const struct ch_request *rq)
{
	return rq->rc == ENGINE_TIMEOUT || rq->rc == ENGINE_TOO_EXPENSIVE;
}

/* Finds whether no row of a small part is older than one of the large part of its shard, and keeps
   the result in the memory. */
static bool
compare_versions(struct ch_request *rq, const struct read_lists *l)
{
	struct ch_part_memory *m = &rq->engine->of[rq->plan.source].parts;
	struct str large = arena_printf(rq->arena, "%u %" PRIu64 " %016" PRIx64 " %.*s",
	    rq->plan.layout, l->shards, l->large_hash, (int)l->large.n, l->large.p);
	struct str pair = arena_printf(rq->arena, "%.*s %016" PRIx64 " %.*s", (int)large.n, large.p,
	    l->small_hash, (int)l->small.n, l->small.p);

	if (is_key(m->pair, pair))
		return true;
	if (!is_key(m->large, large)) {
		ch_part_memory_clear(m);
		rq->large_unproven = true;
		if (!read_greatest(rq, l, m) && !is_too_much(rq))
			return false;
		m->large = mem_text(large.p);
	}
	free(m->pair);
	m->pair = NULL;
	m->newer = false;
	if (m->greatest != NULL) {
		rq->small_unproven = true;
		if (!read_smallest(rq, l, m) && !is_too_much(rq))
			return false;
	}
	if (is_too_much(rq)) {
		m->newer = rq->large_unproven = rq->small_unproven = false;
		if (rq->rc == ENGINE_TOO_EXPENSIVE)
			rq->rc = ENGINE_OK;
	}
	m->pair = mem_text(pair.p);
	return rq->rc == ENGINE_OK;
}

/* ---- the parts of a request ---- */

bool
ch_parts_begin(struct ch_request *rq)
{
	const struct ch_part_memory *m = &rq->engine->of[rq->plan.source].parts;
	struct read_lists l;
	bool large;

	/* With clickhouse_partial a shard may be missing in the first list, and answer later. */
	if (rq->engine->options.partial)
		return true;
	if (!read_parts(rq, &rq->parts, &l))
		return false;
	large = l.plain && large_parts_pay(rq, &l);
	if (large && l.small.n > 0) {
		if (!compare_versions(rq, &l))
			return false;
		large = m->newer;
	}
	if (large)
		rq->plan.parts = (struct ch_part_lists){ buf_done(&l.large), buf_done(&l.small) };
	else if (l.plain)
		rq->plan.parts = (struct ch_part_lists){ STR_NULL, buf_done(&l.all) };
	return true;
}

bool
ch_parts_listed(const struct ch_request *rq)
{
	return rq->plan.parts.large.p != NULL || rq->plan.parts.small.p != NULL;
}

static int
by_part_name(const void *name, const void *part)
{
	return str_cmp(*(const struct str *)name, ((const struct ch_part *)part)->name);
}

static bool
is_still_active(const struct ch_part *was, const struct ch_parts *now)
{
	const struct ch_part *is =
	    now->n == 0 ? NULL : bsearch(&was->name, now->p, now->n, sizeof(*now->p), by_part_name);

	return is != NULL && is->active == was->active && is->present == was->present &&
	       is->hash == was->hash;
}

bool
ch_parts_end(struct ch_request *rq, bool *same)
{
	struct read_lists l;
	struct ch_parts now;

	*same = false;
	if (read_parts(rq, &now, &l)) {
		*same = true;
		for (size_t i = 0; *same && i < rq->parts.n; i++)
			*same =
			    rq->parts.p[i].active == 0 || is_still_active(&rq->parts.p[i], &now);
	}
	if (*same)
		rq->large_unproven = rq->small_unproven = false;
	else
		ch_parts_fail(rq);
	return rq->rc == ENGINE_OK;
}

void
ch_parts_fail(struct ch_request *rq)
{
	struct ch_part_memory *m = &rq->engine->of[rq->plan.source].parts;

	if (rq->large_unproven)
		ch_part_memory_clear(m);
	if (rq->small_unproven) {
		free(m->pair);
		m->pair = NULL;
	}
	rq->large_unproven = rq->small_unproven = false;
}
