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
 * Shards name their parts alike, and a list of names applies to all of them. A name is that of a
 * large part only if it is one on each shard where it is active; any part may be treated as a small one.
 * The numbers of shards on which a name is active and on which it exists are compared too: a part
 * that was merged exists for another eight minutes (old_parts_lifetime of ClickHouse), so the
 * second number shows when one shard has lost a part and another one has got a part of the same
 * name. */
#include "config.h"

#include "search/clickhouse/engine_priv.h"

#include <ctype.h>

enum {
	SET_ROW =
	    64, /* bytes that a server needs for a row of the small parts while it reads the large one */
	SET_SHARE = 4, /* the part of clickhouse_memory that it may use for them */
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

/* Reads the active parts. *lists: those that are worth reading without FINAL, and the others. */
static bool
read_parts(struct ch_request *rq, struct ch_parts *out, struct ch_part_lists *lists)
{
	struct buf large = { .a = rq->arena }, small = { .a = rq->arena };
	uint64_t rows = 0, large_rows = 0;
	struct ch_value v[CH_VALUES_MAX];
	struct ch_rows answer;
	bool good = true;

	*out = (struct ch_parts){ 0 };
	if (!ch_ask(rq, ch_sql_parts(&rq->plan), &answer))
		return false;
	while (good && ch_rows_next(&answer, "sqqqq", v)) {
		bool is_large = v[4].n == v[2].n;
		struct str name = arena_str(rq->arena, v[0].s);

		good = is_plain(name);
		out->p = arena_room(rq->arena, out->p, out->n, sizeof(*out->p));
		out->p[out->n++] = (struct ch_part){ name, v[2].n, v[3].n };
		if (v[2].n == 0)
			continue;
		rows += v[1].n;
		large_rows += is_large ? v[1].n : 0;
		add_name(is_large ? &large : &small, name);
	}
	*lists = (struct ch_part_lists){ { 0 } };
	if (large_rows > rows / 2 &&
	    (rows - large_rows) * SET_ROW <= (uint64_t)rq->engine->options.memory / SET_SHARE)
		*lists = (struct ch_part_lists){ buf_done(&large), buf_done(&small) };
	return ch_rows_end(rq, &answer, good);
}

bool
ch_parts_begin(struct ch_request *rq)
{
	/* With clickhouse_partial a shard may be missing in the first list, and answer later. */
	return rq->engine->options.partial || read_parts(rq, &rq->parts, &rq->plan.parts);
}

static int
by_part_name(const void *name, const void *part)
{
	return str_cmp(*(const struct str *)name, ((const struct ch_part *)part)->name);
}

bool
ch_parts_end(struct ch_request *rq, bool *same)
{
	struct ch_part_lists lists;
	struct ch_parts now;

	*same = true;
	if (rq->plan.parts.large.p == NULL)
		return true;
	if (!read_parts(rq, &now, &lists))
		return false;
	for (size_t i = 0; *same && i < rq->parts.n; i++) {
		const struct ch_part *was = &rq->parts.p[i], *is;

		if (was->active == 0)
			continue;
		is = now.n == 0 ? NULL
				: bsearch(&was->name, now.p, now.n, sizeof(*now.p), by_part_name);
		*same = is != NULL && is->active == was->active && is->present == was->present;
	}
	return true;
}

void
ch_parts_none(struct ch_request *rq)
{
	rq->plan.parts = (struct ch_part_lists){ { 0 } };
}
