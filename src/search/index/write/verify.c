/* SPDX-License-Identifier: ISC */
/* Verification in the background, and what follows from damage. A pass looks at every file's mark
 * and verifies some megabytes more:
 *
 *   a file that changed, has rotted or cannot be read
 *      |
 *      +-- ordinals: made again when the pass publishes
 *      +-- a segment that its parity mends, or that has a copy: written anew under its name, then published with its new mark; the mapping of
 *      |   the damaged file is kept in `former` until then, and then every worker that has it is told by its time
 *      +-- a segment that is lost: the caller builds the index again from the database
 *   a segment without a name: written anew from this process's mapping
 *   a copy that is missing: written from its file
 *   a copy that differs (copies.h): each section is written from the file once it is verified */
#include "config.h"

#include "search/index/format/files.h"
#include "search/index/format/ordinals.h"
#include "search/index/format/copy.h"
#include "search/index/format/parity.h"
#include "search/index/write/copies.h"
#include "search/index/write/state.h"

#include <assert.h>
#include <inttypes.h>

enum { COPIES_SHARE = 4 /* a share of the bytes for files: copies are read from the disk */ };

void
index_note_damage(struct index_state *s)
{
	s->damage.n++;
	s->damage.last_us = ts_now().us;
	s->remarked = true;
}

/* Restarts the verification of a segment whose file was replaced: the checksum that the turn has so
   far is that of the former file. */
static void
restart_verification(struct index_state *s, const struct index_segment *t)
{
	if (s->files.id == t->file.id)
		s->files.verified = (struct verified){ 0 };
}

/* Writes the content of a mapping under the name of the segment, and takes the new file in place of
   the old one. `whole` may be the mapping of the state itself. */
static bool
replace_segment(const char *directory, struct index_state *s, struct index_segment *t,
    const struct segment *whole, char err[INDEX_FAULT])
{
	struct segment *again = NULL;
	struct file_writer w;
	char path[4096];

	segment_path(directory, s->dataset, t->file.id, path, sizeof(path));
	file_begin(&w, path);
	file_write(&w, whole->file.map, whole->file.size, 0);
	if (file_end(&w, directory, err))
		again = segment_open(directory, t, SEGMENT_VERIFY, err);
	if (again == NULL)
		return false;
	log_event(LOGP_WARNING, "index", "dataset=%s repaired=%016" PRIx64 " blocks=%" PRIu32,
	    schema_dataset_name(s->dataset), t->file.id, whole->file.mended);
	index_drop_former(t);
	t->former = t->open;
	t->open = again;
	t->file.mark = again->file.mark;
	restart_verification(s, t);
	index_note_damage(s);
	mapped_in_order(&again->file);
	return true;
}

/* Replaces a segment that is damaged by one that its parity has mended. */
static bool
mend_segment(
    const char *directory, struct index_state *s, struct index_segment *t, char err[INDEX_FAULT])
{
	struct segment *mended = segment_open(directory, t, SEGMENT_MEND, err);
	bool ok;

	if (mended == NULL)
		return false;
	ok = replace_segment(directory, s, t, mended, err);
	segment_close(mended);
	return ok;
}

/* Opens a file again when it has changed since it was opened. The content decides whether the
 * file is good: touch(1) or a backup program may have changed nothing but its time. Such a file
 * gets a new mark, so that readers need not verify it again. */
static bool
check_segment(
    const char *directory, struct index_state *s, struct index_segment *t, char err[INDEX_FAULT])
{
	struct segment *again;
	char path[4096];

	segment_path(directory, s->dataset, t->file.id, path, sizeof(path));
	if (mapped_intact(&t->open->file) && t->open->file.mended == 0 &&
	    mapped_is_named(&t->open->file, path))
		return true;
	if (mapped_intact(&t->open->file))
		return replace_segment(directory, s, t, t->open, err);
	again = segment_open(directory, t, SEGMENT_VERIFY, err);
	if (again == NULL)
		return mend_segment(directory, s, t, err);
	segment_close(t->open);
	t->open = again;
	restart_verification(s, t);
	index_renew_mark(s, &t->file, &again->file);
	return true;
}

/* Drops the ordinals of a segment; the next publication makes them again. */
static void
drop_ordinals(struct index_state *s, struct index_segment *t)
{
	log_event(LOGP_WARNING, "index", "dataset=%s repaired=%016" PRIx64 " how=ordinals",
	    schema_dataset_name(s->dataset), t->ordinals.id);
	ordinals_close(t->map);
	t->map = NULL;
	t->ordinals.id = 0;
	index_note_damage(s);
}

static void
check_ordinals(const char *directory, struct index_state *s, struct index_segment *t)
{
	char path[4096];

	if (t->map == NULL)
		return;
	ordinals_path(directory, s->dataset, t->ordinals.id, path, sizeof(path));
	if (!mapped_intact(&t->map->file) || !mapped_is_named(&t->map->file, path))
		drop_ordinals(s, t);
}

/* ---- files and copies in turn ---- */

/* A file of the index whose turn it is. */
struct turn_file {
	struct index_segment *segment;
	struct mapped *open; /* NULL: it has no ordinals, or they will be made again */
	const struct index_file *file;
	bool ordinals;
	char path[4096];
};

static void
find_file(
    const char *directory, struct index_state *s, struct index_turn *turn, struct turn_file *f)
{
	struct index_segment *t;

	assert(s->nsegments > 0);
	t = &s->segments[turn->turn / 2 % s->nsegments];
	f->segment = t;
	f->ordinals = turn->turn % 2 == 1;
	f->file = f->ordinals ? &t->ordinals : &t->file;
	if (f->ordinals) {
		f->open = t->map == NULL ? NULL : &t->map->file;
		ordinals_path(directory, s->dataset, f->file->id, f->path, sizeof(f->path));
	} else {
		f->open = &t->open->file;
		segment_path(directory, s->dataset, f->file->id, f->path, sizeof(f->path));
	}
	if (turn->id != f->file->id)
		*turn = (struct index_turn){ .turn = turn->turn, .id = f->file->id };
}

static void
next_turn(struct index_turn *turn)
{
	*turn = (struct index_turn){ .turn = turn->turn + 1 };
}

/* Makes the parity of a file that was just verified, when there is none that can be used. */
static void
complete_parity(const struct index_state *s, const struct turn_file *f)
{
	char err[INDEX_FAULT];
	struct parity p;

	if ((!parity_open(&p, f->path, f->file) || !parity_is_whole(&p)) &&
	    !parity_write(f->path, f->file, err))
		log_event(LOGP_WARNING, "index", "dataset=%s parity=\"%s\"",
		    schema_dataset_name(s->dataset), err);
	parity_close(&p);
}

/* Verifies the sections of a file where its copy differs, and sets *verified to their end. Returns
   false when they are damaged. */
static bool
verify_for_copy(
    const struct turn_file *f, uint64_t done, uint64_t *verified, uint64_t *bytes, char *err)
{
	bool good;

	*verified = done + COPY_PIECE;
	f->open->err = err;
	good = mapped_verify_at(f->open, done, verified);
	f->open->err = NULL;
	*bytes -= *bytes < *verified - done ? *bytes : *verified - done;
	return good;
}

/* Verifies some bytes of a file. Returns false when it is damaged. */
static bool
verify_sections(const struct turn_file *f, struct verified *v, uint64_t *bytes, char *err)
{
	bool good;

	f->open->err = err;
	good = mapped_verify(f->open, v, bytes);
	f->open->err = NULL;
	return good;
}

/* A file that is damaged: replaces it, or returns false when it is lost. */
static bool
repair_file(const char *directory, struct index_state *s, const struct turn_file *f, char *err)
{
	if (f->ordinals)
		drop_ordinals(s, f->segment);
	else if (!mend_segment(directory, s, f->segment, err)) {
		mapped_condemn(&f->segment->open->file);
		return false;
	}
	return true;
}

/* Verifies some of the files: a segment, its ordinals, the next segment. */
static bool
verify_files(const char *directory, struct index_state *s, uint64_t bytes, char err[INDEX_FAULT])
{
	size_t last = s->files.turn + 2 * s->nsegments; /* every file at most once */
	struct turn_file f;

	while (bytes > 0 && s->files.turn < last) {
		find_file(directory, s, &s->files, &f);
		if (f.open != NULL && !verify_sections(&f, &s->files.verified, &bytes, err)) {
			if (!repair_file(directory, s, &f, err))
				return false;
		} else if (f.open != NULL) {
			if (s->files.verified.section < f.open->head->nsections)
				return true;
			complete_parity(s, &f);
		}
		next_turn(&s->files);
	}
	return true;
}

/* The copy is like its file, or cannot be made so now. */
static void
end_copy(struct index_state *s, const struct turn_file *f, enum copy_rc rc, const char *err)
{
	const char *name = schema_dataset_name(s->dataset);

	if (rc == COPY_FAILED) {
		log_event(LOGP_WARNING, "index", "dataset=%s copy=\"%s\"", name, err);
	} else if (s->copies.changed) {
		log_event(LOGP_WARNING, "index", "dataset=%s repaired=%016" PRIx64 " how=copy",
		    name, f->file->id);
		index_note_damage(s);
	}
	next_turn(&s->copies);
}

/* Compares some of the copies with their files. Where a copy differs, the sections of the file are
   verified first, since only one of both can be trusted, and then written to the copy in the same
   pass: until the next one the file may rot. */
static bool
verify_copies(const char *directory, struct index_state *s, uint64_t bytes, char err[INDEX_FAULT])
{
	size_t last = s->copies.turn + 2 * s->nsegments;
	uint64_t verified = 0;
	struct turn_file f;

	while ((bytes > 0 || verified > 0) && s->copies.turn < last) {
		enum copy_rc rc = COPY_SAME;

		find_file(directory, s, &s->copies, &f);
		if (f.open != NULL)
			rc = copy_compare(f.open, f.path, &s->copies, verified, &bytes, err);
		verified = 0;
		if (rc == COPY_MORE)
			return true;
		if (rc != COPY_DIFFERS) {
			end_copy(s, &f, rc, err);
			if (rc == COPY_FAILED) /* a full disk fails the others, too */
				return true;
		} else if (!verify_for_copy(&f, s->copies.done, &verified, &bytes, err)) {
			if (!repair_file(directory, s, &f, err))
				return false;
			verified = 0;
			next_turn(&s->copies);
		}
	}
	return true;
}

bool
index_state_verify(
    const char *directory, struct index_state *s, uint64_t bytes, char err[INDEX_FAULT])
{
	if (!index_state_open(directory, s, err))
		return false;
	for (size_t i = 0; i < s->nsegments; i++)
		if (!check_segment(directory, s, &s->segments[i], err))
			return false;
	for (size_t i = 1; i < s->nsegments; i++)
		check_ordinals(directory, s, &s->segments[i]);
	return verify_files(directory, s, bytes, err) &&
	       (!copies_kept() || verify_copies(directory, s, bytes / COPIES_SHARE, err));
}
