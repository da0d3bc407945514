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
 *   a segment without a name: written anew from this process's mapping */
#include "config.h"

#include "search/index/format/files.h"
#include "search/index/format/ordinals.h"
#include "search/index/format/copy.h"
#include "search/index/format/parity.h"
#include "search/index/write/state.h"

#include <inttypes.h>

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
	s->remarked = true;
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
	index_renew_mark(s, &t->file, &again->file);
	return true;
}

/* The next publication makes them again. */
static void
drop_ordinals(struct index_state *s, struct index_segment *t)
{
	log_event(LOGP_WARNING, "index", "dataset=%s repaired=%016" PRIx64 " how=ordinals",
	    schema_dataset_name(s->dataset), t->ordinals.id);
	ordinals_close(t->map);
	t->map = NULL;
	t->ordinals.id = 0;
	s->remarked = true;
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

/* Makes the parity and the copy of a file that was just verified, when there is none that can be
   used. */
static void
complete_spares(
    const char *directory, const struct index_state *s, const struct index_file *f, bool ordinals)
{
	char path[4096], err[INDEX_FAULT];
	struct parity p;

	if (ordinals)
		ordinals_path(directory, s->dataset, f->id, path, sizeof(path));
	else
		segment_path(directory, s->dataset, f->id, path, sizeof(path));
	if ((!parity_open(&p, path, f) || !parity_is_whole(&p)) && !parity_write(path, f, err))
		log_event(LOGP_WARNING, "index", "dataset=%s parity=\"%s\"",
		    schema_dataset_name(s->dataset), err);
	parity_close(&p);
	if (!copy_complete(path, err))
		log_event(LOGP_WARNING, "index", "dataset=%s copy=\"%s\"",
		    schema_dataset_name(s->dataset), err);
}

/* Verifies some of the file in turn: files take turns, a segment, its ordinals, the next segment.
   Sets *ended when it has come to the end of the file. */
static bool
verify_file(const char *directory, struct index_state *s, uint64_t *bytes, bool *ended, char *err)
{
	struct index_segment *t = &s->segments[s->verified / 2 % s->nsegments];
	bool ordinals = s->verified % 2 == 1, good;
	struct mapped *m = !ordinals ? &t->open->file : t->map == NULL ? NULL : &t->map->file;

	*ended = true;
	if (m == NULL)
		return true;
	m->err = err;
	good = mapped_verify(m, &s->section, bytes);
	m->err = NULL;
	*ended = !good || s->section == m->head->nsections;
	if (good && *ended)
		complete_spares(directory, s, ordinals ? &t->ordinals : &t->file, ordinals);
	if (good)
		return true;
	if (ordinals) {
		drop_ordinals(s, t);
		return true;
	}
	if (mend_segment(directory, s, t, err))
		return true;
	mapped_condemn(&t->open->file);
	return false;
}

static bool
verify_some(const char *directory, struct index_state *s, uint64_t bytes, char err[INDEX_FAULT])
{
	size_t last = s->verified + 2 * s->nsegments; /* every file at most once */
	bool ended;

	while (bytes > 0 && s->verified < last) {
		if (!verify_file(directory, s, &bytes, &ended, err))
			return false;
		if (!ended)
			return true;
		s->verified++;
		s->section = 0;
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
	return verify_some(directory, s, bytes, err);
}
