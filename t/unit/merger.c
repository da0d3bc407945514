/* SPDX-License-Identifier: ISC */
/* src/indexer/merger.c: the choice of the segments of a merge. */
#include "config.h"

#include "daemon/conf.h"
#include "indexer/beside.h"
#include "t/unit/index_world.h"
#include "t/unit/tap.h"

enum { ROOM = 1 << 20 }; /* so many addresses that few documents replace others */

/* Adds segments of these sizes; 0 ends the list. */
static void
begin(struct world *w, uint64_t seed, const uint32_t *sizes)
{
	world_begin(w, seed);
	for (; *sizes > 0; sizes++)
		add_segment(w, *sizes, ROOM);
}

/* The number of segments after the small merges, with the parameter index_segments. */
static size_t
merge_small(struct world *w, int64_t index_segments)
{
	struct merger g = { .directory = w->directory };
	char err[INDEX_FAULT] = "";

	conf.index_segments = index_segments;
	CU_ASSERT_TRUE(merger_small(&g, &w->state, err));
	CU_ASSERT_STRING_EQUAL(err, "");
	return w->state.nsegments;
}

static void
merge_takes_segments_of_like_size(void)
{
	struct world w;

	begin(&w, 31, (const uint32_t[]){ 1000, 40, 15, 10, 0 });
	CU_ASSERT_EQUAL(merge_small(&w, 4), 4);
	CU_ASSERT_EQUAL(merge_small(&w, 3), 2); /* 10, 15 and 40 are one now */
	CU_ASSERT_EQUAL(w.state.segments[0].documents, 1000);
	world_end(&w);
}

/* A segment of 1000 documents with five live ones is the smallest of three. */
static void
dead_documents_do_not_count(void)
{
	char err[INDEX_FAULT] = "";
	bool had = false;
	struct world w;

	begin(&w, 32, (const uint32_t[]){ 1000, 0 });
	for (size_t i = 5; i < w.ndocs; i++)
		CU_ASSERT_TRUE(index_state_remove(w.directory, &w.state, w.docs[i].key, &had, err));
	add_segment(&w, 100, ROOM);
	add_segment(&w, 100, ROOM);
	CU_ASSERT_EQUAL(merge_small(&w, 2), 1);
	world_end(&w);
}

/* A rebuild replaces outdated segments. If one were merged with a later segment, old documents would stay. */
static void
outdated_segments_are_left_alone(void)
{
	struct world w;

	begin(&w, 33, (const uint32_t[]){ 10, 10, 0 });
	w.state.segments[0].outdated = w.state.segments[1].outdated = true;
	add_segment(&w, 10, ROOM);
	add_segment(&w, 10, ROOM);
	CU_ASSERT_EQUAL(merge_small(&w, 2), 4);
	CU_ASSERT_EQUAL(merge_small(&w, 1), 3);
	CU_ASSERT_TRUE(w.state.segments[0].outdated && w.state.segments[1].outdated);
	world_end(&w);
}

/* The child's segment replaces its inputs later, so no merge in this process may replace them before. */
static void
inputs_of_a_child_are_left_alone(void)
{
	struct merger g = { 0 };
	char err[INDEX_FAULT] = "";
	struct world w;

	begin(&w, 34, (const uint32_t[]){ 10, 10, 10, 10, 0 });
	g = (struct merger){ .directory = w.directory,
		.merge = index_merge_begin(&w.state, (const size_t[]){ 0, 1 }, 2) };
	conf.index_segments = 1;
	CU_ASSERT_TRUE(merger_small(&g, &w.state, err));
	CU_ASSERT_EQUAL(w.state.nsegments, 3);
	CU_ASSERT_EQUAL(w.state.segments[0].file.id, g.merge->inputs[0].file.id);
	CU_ASSERT_EQUAL(w.state.segments[1].file.id, g.merge->inputs[1].file.id);
	index_merge_free(g.merge);
	world_end(&w);
}

/* The time until a merge of an idle index grows with its documents, so the effort is bounded. */
static void
an_idle_index_has_two_segments(void)
{
	static const struct {
		int64_t ms;
		size_t segments;
	} rows[] = { { 0, 5 }, { 4900, 5 }, { 5100, 3 }, { 6000, 2 }, { 600000, 2 } };
	char err[INDEX_FAULT] = "";
	struct world w;

	conf.index_segments = 8;
	begin(&w, 35, (const uint32_t[]){ 7000, 4000, 15, 10, 10, 0 });
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct merger g = { .directory = w.directory, .unchanged_us = rows[i].ms * 1000 };

		CU_ASSERT_TRUE(merger_small(&g, &w.state, err));
		CU_ASSERT_EQUAL(w.state.nsegments, rows[i].segments);
	}
	CU_ASSERT_EQUAL(w.state.segments[0].documents, 7000);
	world_end(&w);
}

int
main(void)
{
	static CU_TestInfo tests[] = {
		{ "A merge takes the smallest segments of like size",
		    merge_takes_segments_of_like_size },
		{ "A merge counts only live documents", dead_documents_do_not_count },
		{ "A merge leaves outdated segments alone", outdated_segments_are_left_alone },
		{ "A merge leaves the inputs of a child alone", inputs_of_a_child_are_left_alone },
		{ "An index that does not change is merged to two segments, small ones first",
		    an_idle_index_has_two_segments },
		CU_TEST_INFO_NULL,
	};

	return tap_main(tests);
}
