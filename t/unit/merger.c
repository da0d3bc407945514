/* SPDX-License-Identifier: ISC */
/* src/indexer/merger.c: the choice of the segments of a merge. */
#include "config.h"

#include "daemon/conf.h"
#include "indexer/beside.h"
#include "search/index/format/ceilings.h"
#include "search/index/format/segment.h"
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

/* ---- ceilings ---- */

/* An index of more documents than a segment may have, which are 4000 here, nested ones too: a plan uses 3500, and a segment
   of 1750 is full. */
static void
a_full_segment_is_left_alone(void)
{
	static const struct ceilings low = {
		.documents = 4000, .file = UINT32_MAX, .texts = UINT32_MAX, .more = UINT32_MAX
	};
	struct world w;

	begin(&w, 41, (const uint32_t[]){ 2500, 1500, 1200, 400, 10, 0 });
	ceilings_use(&low);
	for (unsigned i = 0; i < 20; i++) {
		size_t others = 0;

		add_segment(&w, 200, ROOM);
		(void)merge_small(&w, 2);
		for (size_t k = 0; k < w.state.nsegments; k++) {
			CU_ASSERT_TRUE(w.state.segments[k].open->nnested < 3500 ||
				       w.state.segments[k].documents == 2500);
			others += !segment_is_full(&w.state.segments[k]);
		}
		CU_ASSERT_TRUE(others <= 2);
	}
	CU_ASSERT_TRUE(w.state.nsegments < 20);
	ceilings_use(NULL);
	compare_many(&w, 10);
	world_end(&w);
}

static uint64_t
most_values_without_a_place(const struct segment *s)
{
	const struct schema_field *fields;
	uint64_t most = 0;

	for (size_t i = 0, n = schema_fields(s->dataset, &fields) * PARTS; i < n; i++)
		if (s->slots[i].column.nids > most)
			most = s->slots[i].column.nids;
	return most;
}

/* The same of the segment with the fewest, because the columns of segments may have different forms. */
static uint64_t
least_values_without_a_place(const struct world *w)
{
	uint64_t least = UINT64_MAX;

	for (size_t i = 0; i < w->state.nsegments; i++) {
		uint64_t n = most_values_without_a_place(w->state.segments[i].open);

		least = n < least ? n : least;
	}
	return least;
}

/* The bytes of the file, those of the texts of a field, and its values without a place. */
static void
a_merge_fits_into_a_file(void)
{
	struct ceilings low = { UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX };
	struct world w;

	begin(&w, 42, (const uint32_t[]){ 1000, 1000, 1000, 1000, 1000, 0 });
	low.file = w.state.segments[0].open->file.size * 7 / 3;
	ceilings_use(&low);
	CU_ASSERT_EQUAL(merge_small(&w, 1), 3); /* two of two each */
	ceilings_use(NULL);
	world_end(&w);

	begin(&w, 43, (const uint32_t[]){ 1000, 1000, 1000, 0 });
	low = (struct ceilings){ UINT32_MAX, UINT32_MAX, 100, UINT32_MAX };
	ceilings_use(&low);
	CU_ASSERT_EQUAL(merge_small(&w, 1), 3);
	low = (struct ceilings){ UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX };
	low.more = least_values_without_a_place(&w) * 3 / 2;
	CU_ASSERT_TRUE(low.more > 0);
	CU_ASSERT_EQUAL(merge_small(&w, 1), 3);
	for (size_t i = 0; i < w.state.nsegments; i++)
		CU_ASSERT_FALSE(w.state.segments[i].full); /* no merge was begun */
	ceilings_use(NULL);
	CU_ASSERT_EQUAL(merge_small(&w, 1), 1);
	world_end(&w);
}

/* Adds a segment of n hosts, each with a hexadecimal hash of its own, or all with the hash "none". */
static void
add_hashes(struct world *w, unsigned from, unsigned n, bool hexadecimal)
{
	struct ipnet ip = { .bits = 128, .a = { [10] = 0xff, [11] = 0xff } };
	struct index_segment fresh;
	char err[INDEX_FAULT] = "", hash[80];

	for (unsigned i = from; i < from + n; i++) {
		ip.a[14] = (unsigned char)(i >> 8);
		ip.a[15] = (unsigned char)i;
		snprintf(hash, sizeof(hash), "%08x%056x", i * 2654435761u, i);
		CU_ASSERT_TRUE_FATAL(index_build_add(w->b, key_of(w->n.a, &ip),
		    arena_printf(w->n.a, "{\"services\":[{\"port\":1,\"banner_hash\":\"%s\"}]}",
			hexadecimal ? hash : "none"),
		    err));
	}
	CU_ASSERT_TRUE_FATAL(index_build_write(w->b, w->directory, &fresh, err));
	CU_ASSERT_TRUE_FATAL(index_state_add(w->directory, &w->state, fresh, err));
	CU_ASSERT_TRUE_FATAL(index_publish(w->directory, &w->state, err));
}

/* Two segments whose merge passes a ceiling of 4000 bytes of texts, which no plan foresees: the hashes are hexadecimal, and
   without texts, until they join others. */
static const struct ceilings few_texts = { UINT32_MAX, UINT64_MAX, 4000, UINT64_MAX };

static void
begin_with_hashes(struct world *w, uint64_t seed)
{
	world_begin(w, seed);
	add_hashes(w, 0, 300, true);
	add_hashes(w, 300, 100, false);
	ceilings_use(&few_texts);
}

/* A plan is an estimate. Each ceiling of the writer is passed in turn, without a plan. */
static void
a_writer_that_passes_a_ceiling_gives_up(void)
{
	struct ceilings low[] = {
		{ UINT32_MAX, UINT64_MAX, UINT64_MAX, 0 },
		{ UINT32_MAX, UINT64_MAX, UINT64_MAX, UINT32_MAX },
		{ UINT32_MAX, UINT64_MAX, UINT64_MAX, UINT32_MAX },
	};
	struct index_segment fresh;
	char err[INDEX_FAULT] = "";
	struct index_merge *m;
	char command[256];
	struct world w;

	low[1].file = 10000;
	low[2].texts = 100;
	begin(&w, 44, (const uint32_t[]){ 1000, 900, 0 });
	for (size_t i = 0; i < COUNT(low); i++) {
		m = index_merge_begin(&w.state, (const size_t[]){ 0, 1 }, 2);
		ceilings_use(&low[i]);
		CU_ASSERT_FALSE(index_merge_write(m, w.directory, &fresh, err));
		CU_ASSERT_TRUE(m->full);
		CU_ASSERT_PTR_NOT_NULL(strstr(err, "more than a segment can have"));
		index_merge_free(m);
	}
	ceilings_use(NULL);
	snprintf(command, sizeof(command), "! ls %s | grep -q tmp", w.directory);
	CU_ASSERT_EQUAL(system(command), 0);
	compare_many(&w, 10);
	world_end(&w);
}

static void
a_merge_that_passes_a_ceiling_fills_its_largest_input(void)
{
	struct world w;

	begin_with_hashes(&w, 47);
	CU_ASSERT_EQUAL(merge_small(&w, 1), 2);
	CU_ASSERT_TRUE(w.state.segments[0].full && !w.state.segments[1].full);
	ceilings_use(NULL);
	add_hashes(&w, 400, 10, false);
	CU_ASSERT_EQUAL(merge_small(&w, 1), 2); /* beside the full one */
	world_end(&w);
}

static void
end_merge_in_child(struct merger *g, struct world *w)
{
	bool changed = false;

	merger_start(g, &w->state);
	CU_ASSERT_PTR_NOT_NULL_FATAL(g->merge);
	while (g->merge != NULL)
		merger_collect(g, &w->state, &changed);
	CU_ASSERT_FALSE(changed);
}

static void
a_child_that_passes_a_ceiling_tells_its_parent(void)
{
	struct merger g = { 0 };
	struct world w;

	begin_with_hashes(&w, 45);
	g.directory = w.directory;
	conf.index_segments = 1;
	end_merge_in_child(&g, &w);
	CU_ASSERT_TRUE(w.state.segments[0].full);
	CU_ASSERT_EQUAL(w.state.nsegments, 2);
	ceilings_use(NULL);
	world_end(&w);
}

/* The large merge is due, and its child has failed just now. */
static void
small_segments_merge_while_a_large_merge_fails(void)
{
	struct merger g = { 0 };
	char err[INDEX_FAULT] = "";
	struct world w;

	begin(&w, 46, (const uint32_t[]){ 12800, 6400, 3200, 1600, 800, 400, 200, 100, 0 });
	g = (struct merger){ .directory = w.directory, .child = { .next = INT64_MAX } };
	conf.index_segments = 1;
	CU_ASSERT_TRUE(merger_small(&g, &w.state, err));
	CU_ASSERT_EQUAL(w.state.nsegments, 2);
	world_end(&w);
}

int
main(void)
{
	static CU_TestInfo tests[] = {
		{ "A full segment is left alone, and the others become a segment beside it",
		    a_full_segment_is_left_alone },
		{ "A merge is planned only when its file, texts and values fit",
		    a_merge_fits_into_a_file },
		{ "A merge that passes a ceiling leaves its inputs and no file",
		    a_writer_that_passes_a_ceiling_gives_up },
		{ "A merge that passes a ceiling fills its largest input, and others merge beside "
		  "it",
		    a_merge_that_passes_a_ceiling_fills_its_largest_input },
		{ "A child whose merge passes a ceiling tells its parent",
		    a_child_that_passes_a_ceiling_tells_its_parent },
		{ "Small segments are merged while the child of a large merge fails",
		    small_segments_merge_while_a_large_merge_fails },
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
