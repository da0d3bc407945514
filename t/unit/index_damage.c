/* SPDX-License-Identifier: ISC */
/* src/search/index: files that are damaged, cut or removed, as a worker and the writer find them (C-423). */
#include "config.h"

#include "search/index/format/copy.h"
#include "search/index/format/ordinals.h"
#include "search/index/format/parity.h"
#include "t/unit/index_world.h"
#include "t/unit/tap.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

static enum engine_rc
count_all(struct engine *e, const struct world *w, uint64_t *n)
{
	struct node all = { .type = NODE_ALL };
	struct query q = { .dataset = DATASET_HOSTS, .root = &all };
	struct count count = { 0 };
	enum engine_rc rc = engine_count(e, w->n.a, &q, &plenty, &count);

	*n = count.n;
	return rc;
}

/* Refreshes until the engine has a generation, or has none. */
static bool
soon_serving(struct engine *e, bool want)
{
	int64_t until = mono_us() + 120000000;
	struct engine_status st;

	do {
		engine_refresh(e);
		engine_status(e, DATASET_HOSTS, &st);
	} while ((st.generation > 0) != want && mono_us() < until);
	return (st.generation > 0) == want;
}

static void
flip_bit(const char *path, off_t at)
{
	int fd = open(path, O_RDWR | O_CLOEXEC);
	unsigned char c = 0;

	CU_ASSERT_EQUAL(pread(fd, &c, 1, at), 1);
	c ^= 4;
	CU_ASSERT_EQUAL(pwrite(fd, &c, 1, at), 1);
	close(fd);
}

static void
a_changed_file_is_mended(void) /* C-423 */
{
	char paths[2][4096];
	struct world w;
	struct engine *e;
	uint64_t n;

	world_begin(&w, 10);
	add_segment(&w, 300, 1000);
	add_segment(&w, 100, 1000);
	segment_path(
	    w.directory, DATASET_HOSTS, w.state.segments[0].file.id, paths[0], sizeof(*paths));
	ordinals_path(
	    w.directory, DATASET_HOSTS, w.state.segments[1].ordinals.id, paths[1], sizeof(*paths));
	e = engine_open_index(w.directory);
	CU_ASSERT_EQUAL(count_all(e, &w, &n), ENGINE_OK);
	for (unsigned i = 0; i < 20; i++) {
		struct stat st;
		off_t at;

		CU_ASSERT_EQUAL(stat(paths[i % 2], &st), 0);
		at = (off_t)naive_random(&w.n, (uint32_t)st.st_size);
		flip_bit(paths[i % 2], at);
		CU_ASSERT_EQUAL(count_all(e, &w, &n), ENGINE_OK);
		CU_ASSERT_EQUAL(n, w.ndocs);
		if (i % 5 == 0)
			compare_many(&w, 3); /* opens the damaged index anew */
		flip_bit(paths[i % 2], at);
		CU_ASSERT_EQUAL(count_all(e, &w, &n), ENGINE_OK);
		CU_ASSERT_EQUAL(n, w.ndocs);
	}
	engine_close(e);
	world_end(&w);
}

/* Two blocks of one group: more than the parity can mend. */
static void
a_lost_file_gives_no_answer(void) /* C-423 */
{
	char path[4096];
	struct world w;
	struct engine *e;
	uint64_t n;

	world_begin(&w, 10);
	add_segment(&w, 300, 1000);
	segment_path(w.directory, DATASET_HOSTS, w.state.segments[0].file.id, path, sizeof(path));
	e = engine_open_index(w.directory);
	for (unsigned i = 0; i < 5; i++) {
		struct stat st;
		uint32_t blocks, groups, at;

		CU_ASSERT_EQUAL(stat(path, &st), 0);
		blocks = (uint32_t)(st.st_size + PARITY_BLOCK - 1) / PARITY_BLOCK;
		groups = (blocks + PARITY_WIDTH - 1) / PARITY_WIDTH;
		at = naive_random(&w.n, blocks - groups) * PARITY_BLOCK;
		flip_bit(path, at);
		flip_bit(path, at + groups * PARITY_BLOCK);
		CU_ASSERT_EQUAL(count_all(e, &w, &n), ENGINE_UNAVAILABLE);
		engine_refresh(e);
		CU_ASSERT_EQUAL(count_all(e, &w, &n), ENGINE_UNAVAILABLE);
		flip_bit(path, at + groups * PARITY_BLOCK);
		CU_ASSERT_TRUE(soon_serving(e, true));
		CU_ASSERT_EQUAL(count_all(e, &w, &n), ENGINE_OK);
		CU_ASSERT_EQUAL(n, w.ndocs);
		flip_bit(path, at);
		CU_ASSERT_EQUAL(count_all(e, &w, &n), ENGINE_OK);
	}
	engine_close(e);
	world_end(&w);
}

/* ---- the writer ---- */

enum damage { FLIPPED, ZEROED, CUT, REMOVED, HEADER, REPLACED, ROTTEN, DAMAGES };

static void
overwrite(const char *path, off_t at, size_t n)
{
	static const char zeros[3 * PARITY_BLOCK];
	int fd = open(path, O_RDWR | O_CLOEXEC);

	CU_ASSERT_TRUE_FATAL(n <= sizeof(zeros));
	CU_ASSERT_EQUAL(pwrite(fd, zeros, n, at), (ssize_t)n);
	close(fd);
}

/* Changes a bit after so many eighths of the file, and leaves its times as they are. */
static void
rot(const char *path, unsigned eighths)
{
	struct stat st;
	int fd = open(path, O_RDWR | O_CLOEXEC);

	CU_ASSERT_EQUAL_FATAL(fstat(fd, &st), 0);
	flip_bit(path, st.st_size / 8 * eighths);
	CU_ASSERT_EQUAL(futimens(fd, (struct timespec[]){ st.st_atim, st.st_mtim }), 0);
	close(fd);
}

static void
damage_file(const char *path, enum damage how)
{
	struct stat st;
	int fd;

	CU_ASSERT_EQUAL_FATAL(stat(path, &st), 0);
	switch (how) {
	case FLIPPED:
		flip_bit(path, st.st_size / 3);
		return;
	case ZEROED:
		overwrite(path, st.st_size / 2 / PARITY_BLOCK * PARITY_BLOCK, PARITY_BLOCK);
		return;
	case CUT:
		CU_ASSERT_EQUAL(truncate(path, st.st_size - PARITY_BLOCK / 2), 0);
		return;
	case REMOVED:
		CU_ASSERT_EQUAL(unlink(path), 0);
		return;
	case HEADER:
		overwrite(path, 0, 64);
		return;
	case REPLACED:
		CU_ASSERT_EQUAL(unlink(path), 0);
		fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
		CU_ASSERT_TRUE(fd >= 0);
		close(fd);
		return;
	case ROTTEN:
		rot(path, 4);
		return;
	case DAMAGES:
		break;
	}
}

static bool
is_trusted(const struct world *w, const char *path)
{
	char err[INDEX_FAULT] = "";
	struct segment *seg =
	    segment_open(w->directory, &w->state.segments[0], SEGMENT_BY_MARK, err);
	bool trusted = seg != NULL && seg->file.trusted && mapped_is_named(&seg->file, path);

	segment_close(seg);
	return trusted;
}

/* Every kind of damage, with an engine that has the file mapped: the engine answers right, but for a rotten bit, of which it
   learns when the writer does; and after one pass of the writer the file is whole. */
static void
the_writer_replaces_damaged_files(void)
{
	char path[4096], err[INDEX_FAULT];
	struct engine *e;
	struct world w;
	uint64_t n;

	world_begin(&w, 31);
	add_segment(&w, 3000, 10000);
	add_segment(&w, 200, 10000);
	segment_path(w.directory, DATASET_HOSTS, w.state.segments[0].file.id, path, sizeof(path));
	e = engine_open_index(w.directory);
	for (int how = 0; how < DAMAGES; how++) {
		damage_file(path, (enum damage)how);
		CU_ASSERT_EQUAL(count_all(e, &w, &n), ENGINE_OK);
		CU_ASSERT_EQUAL(n, w.ndocs);
		CU_ASSERT_FALSE(is_trusted(&w, path) && how != ROTTEN);
		CU_ASSERT_TRUE(index_state_verify(w.directory, &w.state, UINT64_MAX, err));
		CU_ASSERT_TRUE(w.state.remarked);
		CU_ASSERT_TRUE(index_publish(w.directory, &w.state, err));
		CU_ASSERT_TRUE(is_trusted(&w, path));
		CU_ASSERT_TRUE(soon_serving(e, true));
		CU_ASSERT_EQUAL(count_all(e, &w, &n), ENGINE_OK);
		CU_ASSERT_EQUAL(n, w.ndocs);
		compare_many(&w, 5);
		CU_ASSERT_TRUE(index_state_verify(w.directory, &w.state, UINT64_MAX, err));
		CU_ASSERT_FALSE(w.state.remarked);
	}
	engine_close(e);
	world_end(&w);
}

/* A run of lost blocks that is as long as there are groups, anywhere and at the end. */
static void
a_run_of_blocks_comes_back(void)
{
	char path[4096], err[INDEX_FAULT];
	struct world w;

	world_begin(&w, 32);
	add_segment(&w, 9000, 30000);
	segment_path(w.directory, DATASET_HOSTS, w.state.segments[0].file.id, path, sizeof(path));
	for (unsigned i = 0; i < 8; i++) {
		uint32_t blocks, groups, at;
		struct stat st;
		int fd;

		CU_ASSERT_EQUAL_FATAL(stat(path, &st), 0);
		blocks = (uint32_t)((st.st_size + PARITY_BLOCK - 1) / PARITY_BLOCK);
		groups = (blocks + PARITY_WIDTH - 1) / PARITY_WIDTH;
		CU_ASSERT_TRUE(groups > 2);
		at = i == 0 ? blocks - groups : naive_random(&w.n, blocks - groups);
		if (i == 0) {
			CU_ASSERT_EQUAL(truncate(path, (off_t)at * PARITY_BLOCK), 0);
		} else {
			fd = open(path, O_RDWR | O_CLOEXEC);
			for (uint32_t k = 0; k < groups; k++)
				CU_ASSERT_EQUAL(
				    pwrite(fd, path, 4000, (off_t)(at + k) * PARITY_BLOCK), 4000);
			close(fd);
		}
		compare_many(&w, 3);
		CU_ASSERT_TRUE(index_state_verify(w.directory, &w.state, 0, err));
		CU_ASSERT_TRUE(index_publish(w.directory, &w.state, err));
		CU_ASSERT_TRUE(is_trusted(&w, path));
	}
	world_end(&w);
}

/* Ordinals are made again, and so is parity that is missing or damaged itself. */
static void
ordinals_and_parity_are_made_again(void)
{
	char segment[4096], parity[4096], ordinals[4096], err[INDEX_FAULT];
	struct index_file *file;
	struct parity p;
	struct world w;

	world_begin(&w, 33);
	add_segment(&w, 300, 1000);
	add_segment(&w, 100, 1000);
	file = &w.state.segments[0].file;
	segment_path(w.directory, DATASET_HOSTS, file->id, segment, sizeof(segment));
	parity_path(segment, parity, sizeof(parity));
	for (int how = 0; how < DAMAGES; how++) {
		ordinals_path(w.directory, DATASET_HOSTS, w.state.segments[1].ordinals.id, ordinals,
		    sizeof(ordinals));
		damage_file(ordinals, (enum damage)how);
		damage_file(parity, (enum damage)how);
		CU_ASSERT_TRUE(index_state_verify(w.directory, &w.state, UINT64_MAX, err));
		CU_ASSERT_TRUE(w.state.remarked);
		CU_ASSERT_TRUE(index_publish(w.directory, &w.state, err));
		CU_ASSERT_EQUAL(access(ordinals, F_OK), -1);
		compare_many(&w, 5);
		CU_ASSERT_TRUE(parity_open(&p, segment, file) && parity_is_whole(&p));
		parity_close(&p);
	}
	world_end(&w);
}

/* A writer that starts when a file is damaged already. */
static void
a_new_writer_replaces_damaged_files(void)
{
	char path[4096], err[INDEX_FAULT];
	struct world w;

	world_begin(&w, 34);
	add_segment(&w, 3000, 10000);
	segment_path(w.directory, DATASET_HOSTS, w.state.segments[0].file.id, path, sizeof(path));
	damage_file(path, ZEROED);
	index_state_free(&w.state);
	CU_ASSERT_TRUE_FATAL(index_state_load(w.directory, DATASET_HOSTS, &w.state, err));
	CU_ASSERT_TRUE(index_state_verify(w.directory, &w.state, 0, err));
	CU_ASSERT_TRUE(w.state.remarked);
	CU_ASSERT_TRUE(index_publish(w.directory, &w.state, err));
	CU_ASSERT_TRUE(is_trusted(&w, path));
	compare_many(&w, 5);
	world_end(&w);
}

/* Whether a copy has the content of its file. */
static bool
is_copied(const char *path)
{
	char name[4096];
	struct buf file = { 0 }, copy = { 0 };
	bool same;

	copy_path(path, name, sizeof(name));
	same = file_read(path, SIZE_MAX, &file) && file_read(name, SIZE_MAX, &copy) &&
	       str_eq(buf_done(&file), buf_done(&copy));
	buf_free(&file);
	buf_free(&copy);
	return same;
}

/* Passes of some bytes each, as the writer makes them, until every copy had its turn twice: the first one may have
   begun in the middle. */
static bool
verify_in_passes(struct world *w, uint64_t bytes)
{
	size_t until = w->state.copies.turn + 4 * w->state.nsegments;
	char err[INDEX_FAULT] = "";

	while (w->state.copies.turn < until)
		if (!index_state_verify(w->directory, &w->state, bytes, err))
			return false;
	return true;
}

static void
begin_with_copies(struct world *w, uint64_t seed, char segment[4096], char ordinals[4096])
{
	copies_keep(true);
	world_begin(w, seed);
	add_segment(w, 9000, 30000);
	add_segment(w, 3000, 30000);
	segment_path(w->directory, DATASET_HOSTS, w->state.segments[0].file.id, segment, 4096);
	ordinals_path(
	    w->directory, DATASET_HOSTS, w->state.segments[1].ordinals.id, ordinals, 4096);
}

/* Every kind of damage of a copy, which no reader has mapped, in passes that are shorter than the file. */
static void
damaged_copies_are_written_again(void) /* C-423 */
{
	char paths[2][4096], name[4096], err[INDEX_FAULT];
	struct world w;

	begin_with_copies(&w, 35, paths[0], paths[1]);
	for (unsigned i = 0; i < 2 * DAMAGES; i++) {
		const char *path = paths[i % 2];
		uint64_t damages = w.state.damage.n;
		enum damage how = i / 2;

		if (how == ZEROED && i % 2 == 1)
			continue; /* the file of ordinals is smaller than a block */
		CU_ASSERT_TRUE(is_copied(path));
		copy_path(path, name, sizeof(name));
		damage_file(name, how);
		CU_ASSERT_FALSE(is_copied(path));
		CU_ASSERT_EQUAL(index_copies_missing(w.directory, &w.state),
		    how == CUT || how == REMOVED || how == REPLACED);
		CU_ASSERT_TRUE(verify_in_passes(&w, 1 << 20));
		CU_ASSERT_TRUE(is_copied(path));
		CU_ASSERT_EQUAL(index_copies_missing(w.directory, &w.state), 0);
		CU_ASSERT_EQUAL(w.state.damage.n - damages, how != REMOVED && how != REPLACED);
		CU_ASSERT_TRUE(index_publish(w.directory, &w.state, err));
	}
	copies_keep(false);
	world_end(&w);
}

/* Begins the turn of the copy of the first segment. The turn of files goes on behind that segment, and has so few bytes that
   it does not come back soon. */
static void
begin_turn_of_copy(struct world *w)
{
	w->state.files = (struct index_turn){ .turn = 1 };
	w->state.copies = (struct index_turn){ .turn = 0 };
}

/* Ends it: the copy has the content `good`, and the segment, which was damaged, is replaced by it. */
static void
end_turn_of_copy(struct world *w, const char *segment, struct str good, uint64_t damages)
{
	char name[4096], err[INDEX_FAULT];
	struct buf now = { 0 };

	while (w->state.copies.turn == 0)
		CU_ASSERT_TRUE_FATAL(index_state_verify(w->directory, &w->state, 1 << 14, err));
	CU_ASSERT_TRUE(w->state.files.turn < 2 * w->state.nsegments);
	copy_path(segment, name, sizeof(name));
	CU_ASSERT_TRUE(file_read(name, SIZE_MAX, &now));
	CU_ASSERT_TRUE(str_eq(good, buf_done(&now)));
	CU_ASSERT_TRUE(index_publish(w->directory, &w->state, err));
	CU_ASSERT_TRUE(is_copied(segment));
	CU_ASSERT_EQUAL(w->state.damage.n, damages);
	buf_free(&now);
}

/* A file rots, and its copy's turn comes first: the copy stays, and the file is replaced. */
static void
a_copy_is_never_spoiled_by_its_file(void) /* C-423 */
{
	char segment[4096], ordinals[4096], name[4096];
	struct buf good = { 0 };
	struct world w;

	begin_with_copies(&w, 36, segment, ordinals);
	copy_path(segment, name, sizeof(name));
	CU_ASSERT_TRUE_FATAL(file_read(name, SIZE_MAX, &good));
	for (unsigned i = 0; i < 2; i++) {
		rot(segment, 4);
		begin_turn_of_copy(&w);
		end_turn_of_copy(&w, segment, buf_done(&good), i + 1);
	}
	buf_free(&good);
	copies_keep(false);
	world_end(&w);
}

/* A copy differs in its first bytes, which takes several passes to mend. Its file rots at its end, where the copy is good:
   after the first pass, or before it, which verifies what surrounds the difference and not the end. */
static void
a_file_that_rots_later_does_not_spoil_its_copy(void) /* C-423 */
{
	char segment[4096], ordinals[4096], name[4096], err[INDEX_FAULT];
	struct buf good = { 0 };
	struct stat st;
	struct world w;

	begin_with_copies(&w, 39, segment, ordinals);
	copy_path(segment, name, sizeof(name));
	CU_ASSERT_TRUE_FATAL(file_read(name, SIZE_MAX, &good));
	for (unsigned i = 0; i < 2; i++) {
		begin_turn_of_copy(&w);
		flip_bit(name, 100);
		if (i == 1)
			rot(segment, 7);
		while (w.state.copies.done == 0 && w.state.copies.turn == 0)
			CU_ASSERT_TRUE_FATAL(
			    index_state_verify(w.directory, &w.state, 1 << 14, err));
		CU_ASSERT_EQUAL(w.state.damage.n, i);
		CU_ASSERT_TRUE(w.state.copies.changed);
		CU_ASSERT_EQUAL_FATAL(stat(segment, &st), 0);
		CU_ASSERT_TRUE(
		    w.state.copies.turn == 0 && w.state.copies.done < (uint64_t)st.st_size / 2);
		if (i == 0)
			rot(segment, 7);
		end_turn_of_copy(&w, segment, buf_done(&good), i + 1);
	}
	buf_free(&good);
	copies_keep(false);
	world_end(&w);
}

/* What a generation says of damage, its successor and a writer that starts know. */
static void
damage_is_remembered(void)
{
	char segment[4096], ordinals[4096], err[INDEX_FAULT];
	struct world w;

	begin_with_copies(&w, 37, segment, ordinals);
	damage_file(segment, ZEROED);
	CU_ASSERT_TRUE(index_state_verify(w.directory, &w.state, 0, err));
	CU_ASSERT_TRUE(index_publish(w.directory, &w.state, err));
	add_segment(&w, 10, 30000);
	index_state_free(&w.state);
	CU_ASSERT_TRUE_FATAL(index_state_load(w.directory, DATASET_HOSTS, &w.state, err));
	CU_ASSERT_EQUAL(w.state.damage.n, 1);
	CU_ASSERT_TRUE(ts_now().us - w.state.damage.last_us < 60 * SECOND_US);
	copies_keep(false);
	world_end(&w);
}

/* A turn that stopped in the middle of a file begins anew when another file has come to its place, whose sections may be
   fewer. */
static void
verification_goes_on_after_a_change(void)
{
	char path[4096], err[INDEX_FAULT];
	struct world w;

	world_begin(&w, 38);
	add_segment(&w, 3000, 10000);
	w.state.files.verified.section = 100000;
	w.state.files.id = 1; /* a file that was merged meanwhile */
	segment_path(w.directory, DATASET_HOSTS, w.state.segments[0].file.id, path, sizeof(path));
	rot(path, 4);
	CU_ASSERT_TRUE(index_state_verify(w.directory, &w.state, UINT64_MAX, err));
	CU_ASSERT_EQUAL(w.state.damage.n, 1);
	world_end(&w);
}

enum { PIECE = 256 };

/* A segment with a rotten section of many pieces, and its path. */
static void
begin_with_rot(struct world *w, char path[4096])
{
	world_begin(w, 40);
	add_segment(w, 3000, 10000);
	segment_path(w->directory, DATASET_HOSTS, w->state.segments[0].file.id, path, 4096);
	rot(path, 4);
}

static void
verify_piece(struct world *w)
{
	char err[INDEX_FAULT];

	CU_ASSERT_TRUE_FATAL(index_state_verify(w->directory, &w->state, PIECE, err));
}

/* A pass verifies the bytes that it may, and no more: a section of several passes holds nothing up, and its damage is found.
   When the file is mended for another reason just before that, the section is verified anew, and nothing is wrong with it. */
static void
a_large_section_takes_several_passes(void) /* C-423 */
{
	unsigned passes = 0, longest = 0;
	uint64_t now = 0;
	char path[4096];
	struct world w;
	struct stat st;

	begin_with_rot(&w, path);
	CU_ASSERT_EQUAL_FATAL(stat(path, &st), 0);
	for (; w.state.damage.n == 0 && passes < 2 * st.st_size / PIECE; passes++) {
		verify_piece(&w);
		now = w.state.files.verified.at > now ? w.state.files.verified.at : 0;
		longest = now / PIECE > longest ? (unsigned)(now / PIECE) : longest;
	}
	CU_ASSERT_EQUAL(w.state.damage.n, 1);
	CU_ASSERT_TRUE(passes > st.st_size / 2 / PIECE / 2);
	CU_ASSERT_TRUE(longest > 10);
	world_end(&w);

	begin_with_rot(&w, path);
	for (unsigned i = 0; i < passes - 1; i++)
		verify_piece(&w);
	CU_ASSERT_EQUAL(w.state.damage.n, 0);
	CU_ASSERT_EQUAL_FATAL(utimensat(AT_FDCWD, path, NULL, 0), 0);
	verify_piece(&w);
	CU_ASSERT_EQUAL(w.state.damage.n, 1);
	while (w.state.files.turn == 0)
		verify_piece(&w);
	CU_ASSERT_EQUAL(w.state.damage.n, 1);
	world_end(&w);
}

int
main(void)
{
	static CU_TestInfo tests[] = {
		{ "a changed file is mended by its parity (C-423)", a_changed_file_is_mended },
		{ "a file that its parity cannot mend gives no answer (C-423)",
		    a_lost_file_gives_no_answer },
		{ "damage takes no answer, and the writer puts a whole file in place (C-423)",
		    the_writer_replaces_damaged_files },
		{ "a run of lost blocks comes back (C-423)", a_run_of_blocks_comes_back },
		{ "ordinals and parity are made again (C-423)",
		    ordinals_and_parity_are_made_again },
		{ "a writer that starts replaces a damaged file (C-423)",
		    a_new_writer_replaces_damaged_files },
		{ "damaged and missing copies are written again (C-423)",
		    damaged_copies_are_written_again },
		{ "a damaged file never spoils its copy (C-423)",
		    a_copy_is_never_spoiled_by_its_file },
		{ "a file that rots later does not spoil its copy (C-423)",
		    a_file_that_rots_later_does_not_spoil_its_copy },
		{ "an index remembers the damage that was found", damage_is_remembered },
		{ "verification goes on when another file takes a place",
		    verification_goes_on_after_a_change },
		{ "a large section is verified in several passes, and anew after a mend (C-423)",
		    a_large_section_takes_several_passes },
		CU_TEST_INFO_NULL,
	};

	return tap_main(tests);
}
