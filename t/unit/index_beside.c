/* SPDX-License-Identifier: ISC */
/* src/search/index: merges, and rebuilds beside an index that goes on changing. */
#include "config.h"

#include "search/index/write/build_priv.h"
#include "t/unit/index_world.h"
#include "t/unit/tap.h"

static void
take_merge(struct world *w, const struct index_merge *m, struct index_segment fresh)
{
	char err[INDEX_FAULT] = "";

	CU_ASSERT_TRUE(index_merge_take(m, w->directory, &w->state, fresh, err));
	CU_ASSERT_TRUE(index_publish(w->directory, &w->state, err));
	CU_ASSERT_STRING_EQUAL(err, "");
}

static void
merged_segments_answer_exactly(void) /* C-408 */
{
	static const size_t which[] = { 0, 1, 2, 3, 4 };
	struct index_segment fresh;
	struct index_merge *m;
	char err[INDEX_FAULT] = "";
	struct world w;

	world_begin(&w, 15);
	add_segment(&w, 200, 600);
	add_segment(&w, 30, 600);
	add_segment(&w, 60, 900);
	add_segment(&w, 5, 900);
	m = index_merge_begin(&w.state, which + 1, 3);
	CU_ASSERT_TRUE(index_merge_write(m, w.directory, &fresh, err));
	w.state.children[INDEX_MERGE] = (uint32_t)(fresh.file.id >> 32);
	add_segment(&w, 50, 900); /* hosts of the inputs die while the merge runs */
	CU_ASSERT_EQUAL(w.state.nsegments, 5);
	take_merge(&w, m, fresh);
	index_merge_free(m);
	CU_ASSERT_EQUAL(w.state.nsegments, 3);
	compare_many(&w, 200);
	m = index_merge_begin(&w.state, which, 3);
	CU_ASSERT_TRUE(index_merge_write(m, w.directory, &fresh, err));
	take_merge(&w, m, fresh);
	index_merge_free(m);
	CU_ASSERT_EQUAL(w.state.nsegments, 1);
	CU_ASSERT_EQUAL(w.state.segments[0].ndead, 0);
	compare_many(&w, 200);
	world_end(&w);
}

/* Does the work of a child process with its copy of the state: merges, makes the ordinals, stores the result. */
static void
merge_as_child(struct world *w, struct index_merge *m)
{
	struct index_state child;
	struct index_segment fresh;
	char err[INDEX_FAULT] = "";

	CU_ASSERT_TRUE_FATAL(index_state_load(w->directory, DATASET_HOSTS, &child, err));
	CU_ASSERT_TRUE(index_state_verify(w->directory, &child, 0, err));
	child.family = 7;
	m->id = index_new_id(child.family);
	CU_ASSERT_TRUE(index_merge_write(m, w->directory, &fresh, err));
	CU_ASSERT_TRUE(index_segment_verify(w->directory, &fresh, err));
	CU_ASSERT_TRUE(index_merge_take(m, w->directory, &child, fresh, err));
	CU_ASSERT_TRUE(index_state_store(w->directory, &child, err));
	CU_ASSERT_STRING_EQUAL(err, "");
	index_state_free(&child);
}

static void
a_merge_in_a_child_brings_its_ordinals(void) /* C-408 */
{
	struct index_segment *found;
	struct index_state made;
	struct index_merge *m;
	char err[INDEX_FAULT] = "";
	struct world w;

	world_begin(&w, 18);
	add_segment(&w, 400, 3000);
	add_segment(&w, 150, 3000);
	add_segment(&w, 150, 3000);
	add_segment(&w, 140, 3000);
	m = index_merge_begin(&w.state, (const size_t[]){ 1, 2 }, 2);
	merge_as_child(&w, m);
	w.state.children[INDEX_MERGE] = 7;
	add_segment(&w, 20, 3000);
	CU_ASSERT_TRUE_FATAL(index_state_fetch(w.directory, DATASET_HOSTS, 7, &made, err));
	found = index_state_find(&made, m->id);
	CU_ASSERT_PTR_NOT_NULL_FATAL(found);
	CU_ASSERT_TRUE(index_merge_take(m, w.directory, &w.state,
	    (struct index_segment){
		.dataset = DATASET_HOSTS, .file = found->file, .documents = found->documents },
	    err));
	index_state_adopt(&w.state, &made);
	CU_ASSERT_TRUE(index_publish(w.directory, &w.state, err));
	CU_ASSERT_EQUAL(w.state.nsegments, 4);
	CU_ASSERT_EQUAL(w.state.segments[1].ordinals.id >> 32, 7);
	CU_ASSERT_EQUAL(w.state.segments[2].ordinals.id >> 32, 7);
	CU_ASSERT_NOT_EQUAL(w.state.segments[3].ordinals.id >> 32, 7); /* it is newer */
	index_state_free(&made);
	index_merge_free(m);
	compare_many(&w, 100);
	world_end(&w);
}

/* Removes the nth host from the index, and from what the index is compared with. */
static void
delete_host(struct world *w, struct index_state *also, size_t nth)
{
	char err[INDEX_FAULT] = "";
	bool had = false;

	CU_ASSERT_TRUE(index_state_remove(
	    w->directory, &w->state, key_of(w->n.a, &w->docs[nth].ip), &had, err));
	CU_ASSERT_TRUE(had);
	CU_ASSERT_TRUE(
	    index_state_remove(w->directory, also, key_of(w->n.a, &w->docs[nth].ip), &had, err));
	memmove(w->docs + nth, w->docs + nth + 1, (--w->ndocs - nth) * sizeof(*w->docs));
}

/* The segments of a rebuild lack the changes after their snapshot; one of its documents has changed before, too. */
static void
a_rebuild_keeps_what_changed_meanwhile(void) /* C-408 */
{
	struct index_state made = { .published_at = TS_NULL, .generation = 1, .family = 9 };
	struct index_segment s;
	char err[INDEX_FAULT] = "";
	struct world w;

	world_begin(&w, 19);
	add_segment(&w, 300, 600);
	add_segment(&w, 50, 600);
	for (size_t i = 0; i < w.state.nsegments; i++)
		w.state.segments[i].outdated = true;
	add_segment(&w, 40, 600);
	index_build_family(w.b, made.family);
	for (size_t i = 0; i < w.ndocs; i++)
		CU_ASSERT_TRUE(
		    index_build_add(w.b, key_of(w.n.a, &w.docs[i].ip), w.docs[i].json, err));
	CU_ASSERT_TRUE(index_build_write(w.b, w.directory, &s, err));
	index_build_family(w.b, 0);
	CU_ASSERT_TRUE(index_state_add(w.directory, &made, s, err));
	CU_ASSERT_TRUE(index_state_store(w.directory, &made, err));
	index_state_free(&made);
	w.state.children[INDEX_REBUILD] = 9;
	add_segment(&w, 30, 600);
	CU_ASSERT_TRUE_FATAL(index_state_fetch(w.directory, DATASET_HOSTS, 9, &made, err));
	for (size_t i = 0; i < 20; i++)
		delete_host(&w, &made, i * 7);
	CU_ASSERT_TRUE(index_state_renew(w.directory, &w.state, &made, err));
	set_tags(&w.state.tags);
	CU_ASSERT_TRUE(index_publish(w.directory, &w.state, err));
	CU_ASSERT_STRING_EQUAL(err, "");
	CU_ASSERT_EQUAL(w.state.nsegments, 3);
	compare_many(&w, 200);
	world_end(&w);
}

static void
a_merge_whose_input_is_gone_changes_nothing(void)
{
	static const size_t which[] = { 0, 1 };
	struct index_segment fresh;
	struct index_merge *m;
	char err[INDEX_FAULT] = "";
	struct world w;

	world_begin(&w, 16);
	add_segment(&w, 200, 600);
	add_segment(&w, 30, 600);
	m = index_merge_begin(&w.state, which, 2);
	CU_ASSERT_TRUE(index_merge_write(m, w.directory, &fresh, err));
	index_state_drop(&w.state, 1, 2);
	CU_ASSERT_FALSE(index_merge_take(m, w.directory, &w.state, fresh, err));
	CU_ASSERT_EQUAL(w.state.nsegments, 1);
	index_merge_free(m);
	world_end(&w);
}

/* Puts copies in the place of all files, as a restore does. */
static void
copy_files(const char *directory)
{
	char command[512];

	snprintf(command, sizeof(command), "cp -r %s %s.copy && rm -r %s && mv %s.copy %s",
	    directory, directory, directory, directory, directory);
	CU_ASSERT_EQUAL_FATAL(system(command), 0); /* NOLINT(cert-env33-c): our own folder */
}

static bool
is_trusted(const struct world *w, const struct index_segment *s)
{
	char err[INDEX_FAULT] = "";
	struct segment *seg = segment_open(w->directory, s, SEGMENT_BY_MARK, err);
	bool trusted;

	CU_ASSERT_PTR_NOT_NULL_FATAL(seg);
	trusted = seg->file.trusted;
	segment_close(seg);
	return trusted;
}

static void
copied_files_are_verified_once(void) /* C-423 */
{
	struct index_state taken;
	char err[INDEX_FAULT] = "";
	struct world w;

	world_begin(&w, 21);
	add_segment(&w, 300, 600);
	add_segment(&w, 50, 600);
	CU_ASSERT_TRUE(is_trusted(&w, &w.state.segments[0]));
	copy_files(w.directory);
	CU_ASSERT_FALSE(is_trusted(&w, &w.state.segments[0]));
	CU_ASSERT_TRUE_FATAL(index_state_load(w.directory, DATASET_HOSTS, &taken, err));
	CU_ASSERT_TRUE(index_state_verify(w.directory, &taken, 0, err));
	CU_ASSERT_TRUE(taken.remarked);
	CU_ASSERT_TRUE(index_publish(w.directory, &taken, err));
	CU_ASSERT_FALSE(taken.remarked);
	index_state_free(&taken);
	CU_ASSERT_TRUE_FATAL(index_state_load(w.directory, DATASET_HOSTS, &taken, err));
	CU_ASSERT_TRUE(is_trusted(&w, &taken.segments[0]));
	CU_ASSERT_TRUE(is_trusted(&w, &taken.segments[1]));
	CU_ASSERT_STRING_EQUAL(err, "");
	index_state_free(&taken);
	world_end(&w);
}

int
main(void)
{
	static CU_TestInfo tests[] = {
		{ "merged segments answer exactly", merged_segments_answer_exactly },
		{ "a merge in a child brings its ordinals with it",
		    a_merge_in_a_child_brings_its_ordinals },
		{ "a rebuild beside the index keeps what changed meanwhile",
		    a_rebuild_keeps_what_changed_meanwhile },
		{ "a merge whose input is gone changes nothing",
		    a_merge_whose_input_is_gone_changes_nothing },
		{ "files that were copied are verified once, by their writer (C-423)",
		    copied_files_are_verified_once },
		CU_TEST_INFO_NULL,
	};

	return tap_main(tests);
}
