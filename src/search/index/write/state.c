/* SPDX-License-Identifier: ISC */
/* The state of the writer: the segments of the next generation in memory. The indexer adds and
 * removes segments, marks documents dead, and publishes the whole by the manifest (state.h has the
 * order).
 *
 * The invariant that everything else relies on: a key is alive in at most one segment. Each
 * function that adds documents marks their older versions dead before the caller can publish,
 * and no dead bit ever returns to 0. */
#include "config.h"

#include "search/index/format/copy.h"
#include "search/index/format/files.h"
#include "search/index/format/manifest.h"
#include "search/index/format/ordinals.h"
#include "search/index/format/parity.h"
#include "search/index/format/set.h"
#include "search/index/write/state.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <unistd.h>

uint64_t
index_new_id(uint32_t family)
{
	uint64_t id;

	random_bytes(&id, sizeof(id));
	return family == 0 ? id : (uint64_t)family << 32 | (uint32_t)id;
}

/* ---- changing ---- */

bool
index_mark_dead(struct index_segment *s, struct str key)
{
	uint32_t doc;

	if (!segment_find(s->open, key, &doc) || (s->dead[doc >> 6] >> (doc & 63) & 1))
		return false;
	s->dead[doc >> 6] |= UINT64_C(1) << (doc & 63);
	s->ndead++;
	return true;
}

/* Marks the documents of another segment dead in these. */
static void
mark_successors(struct index_state *s, const struct index_segment *newer)
{
	for (uint32_t doc = 0; doc < newer->documents; doc++) {
		struct segment_key room;
		struct str key = segment_key(newer->open, doc, &room);

		for (size_t i = 0; i < s->nsegments; i++)
			(void)index_mark_dead(&s->segments[i], key);
	}
}

static void
drop_dead_segments(struct index_state *s)
{
	for (size_t i = s->nsegments; i-- > 0;)
		if (s->segments[i].ndead == s->segments[i].documents)
			index_state_drop(s, i, i + 1);
}

void
index_renew_mark(struct index_state *s, struct index_file *file, const struct mapped *open)
{
	if (open->trusted || open->mended > 0)
		return;
	file->mark = open->mark;
	s->remarked = true;
}

/* Opens the segments that are not open yet. The writer keeps them mapped, because it makes a pass
   every second. */
bool
index_state_open(const char *directory, struct index_state *s, char err[INDEX_FAULT])
{
	for (size_t i = 0; i < s->nsegments; i++) {
		struct index_segment *t = &s->segments[i];

		if (t->open != NULL)
			continue;
		t->open = segment_open(directory, t, SEGMENT_BY_MARK, err);
		if (t->open == NULL)
			return false;
		mapped_in_order(&t->open->file);
		index_renew_mark(s, &t->file, &t->open->file);
	}
	return true;
}

/* The order of segments decides how much work ordinals are: changing a segment invalidates the
   ordinals of all later ones. So large segments, which change rarely, come first, and a new segment
   goes before others only when it is at least twice as large as they are, like the result of a
   merge. */
void
index_state_insert(struct index_state *s, struct index_segment fresh)
{
	size_t at = s->nsegments;

	while (at > 0 && s->segments[at - 1].documents < fresh.documents / 2)
		at--;
	s->segments = reallocarray(s->segments, s->nsegments + 1, sizeof(*s->segments));
	if (s->segments == NULL)
		panic("out of memory");
	memmove(s->segments + at + 1, s->segments + at, (s->nsegments - at) * sizeof(*s->segments));
	s->segments[at] = fresh;
	s->nsegments++;
}

bool
index_state_add(
    const char *directory, struct index_state *s, struct index_segment fresh, char err[INDEX_FAULT])
{
	if (!index_state_open(directory, s, err))
		return false;
	fresh.open = segment_open(directory, &fresh, SEGMENT_VERIFY, err);
	if (fresh.open == NULL)
		return false;
	fresh.file.mark = fresh.open->file.mark;
	mark_successors(s, &fresh);
	if (fresh.dead == NULL)
		fresh.dead = mem_array(index_words(fresh.documents), sizeof(*fresh.dead));
	index_state_insert(s, fresh);
	drop_dead_segments(s);
	return true;
}

bool
index_state_remove(
    const char *directory, struct index_state *s, struct str key, bool *had, char err[INDEX_FAULT])
{
	if (!index_state_open(directory, s, err))
		return false;
	for (size_t i = 0; i < s->nsegments; i++)
		*had |= index_mark_dead(&s->segments[i], key);
	drop_dead_segments(s);
	return true;
}

bool
index_state_complete(const struct index_state *s)
{
	const struct schema_field *fields;
	size_t nfields = schema_fields(s->dataset, &fields);
	bool complete = true;

	for (size_t i = 0; i < s->nsegments; i++)
		for (size_t k = 0; k < nfields; k++)
			complete &= s->segments[i].open->has[k];
	return complete;
}

/* ---- publishing ---- */

/* Opens the existing ordinals of segment i when they were made for these segments; returns NULL
   otherwise. */
static struct ordinal_map *
ready_ordinals(
    const char *directory, const struct index_state *s, size_t i, struct segment *const *segs)
{
	const struct index_segment *t = &s->segments[i];
	struct ordinal_map *m;
	char why[INDEX_FAULT];

	if (t->ordinals.id == 0)
		return NULL;
	m = ordinals_open(directory, s->segments, i + 1, segs, SEGMENT_BY_MARK, why);
	if (m == NULL || m->file.mended == 0)
		return m;
	ordinals_close(m);
	return NULL;
}

static struct ordinal_map *
make_ordinals(const char *directory, struct index_state *s, size_t i, struct segment *const *segs,
    char err[INDEX_FAULT])
{
	struct index_segment *t = &s->segments[i];
	struct ordinal_map *m;

	t->ordinals.id = index_new_id(s->family);
	if (!ordinals_write(directory, s->segments, i + 1, &t->ordinals, err)) {
		t->ordinals.id = 0;
		return NULL;
	}
	m = ordinals_open(directory, s->segments, i + 1, segs, SEGMENT_VERIFY, err);
	if (m != NULL)
		t->ordinals.mark = m->file.mark;
	return m;
}

/* Makes the ordinals that are missing or that were made for other segments. */
static bool
complete_ordinals(const char *directory, struct index_state *s, char err[INDEX_FAULT])
{
	struct segment **segs = mem_array(s->nsegments, sizeof(*segs));
	bool ok = index_state_open(directory, s, err);

	for (size_t i = 0; ok && i < s->nsegments; i++) {
		struct index_segment *t = &s->segments[i];

		segs[i] = t->open;
		if (i == 0 || (t->map != NULL && ordinals_fit(t->map, s->segments, i + 1)))
			continue;
		ordinals_close(t->map);
		t->map = ready_ordinals(directory, s, i, segs);
		if (t->map != NULL)
			index_renew_mark(s, &t->ordinals, &t->map->file);
		else
			t->map = make_ordinals(directory, s, i, segs, err);
		ok = t->map != NULL;
	}
	free(segs);
	return ok;
}

/* Whether the name is that of the file, of its parity, or of its copy. */
static bool
has_state_name(const char *path, const char *name)
{
	size_t n = strlen(path + strlen("./"));

	return strncmp(path + strlen("./"), name, n) == 0 &&
	       (name[n] == '\0' || strcmp(name + n, PARITY_SUFFIX) == 0 ||
		   (copies_kept() && strcmp(name + n, COPY_SUFFIX) == 0));
}

/* Whether the file belongs to a generation of the dataset, this one or a former one. The files of
   all datasets are in one directory: "dns-0123456789abcdef.seg". */
static bool
is_of_dataset(enum dataset d, const char *name)
{
	size_t n = strlen(schema_dataset_name(d));

	return strncmp(name, schema_dataset_name(d), n) == 0 && name[n] == '-' &&
	       strspn(name + n + 1, "0123456789abcdef") >= 8;
}

static bool
file_is_needed(const struct index_state *s, const char *name)
{
	char path[128];

	if (!is_of_dataset(s->dataset, name))
		return true;
	for (size_t i = 0; i < INDEX_CHILDREN; i++) {
		snprintf(path, sizeof(path), "%s-%08" PRIx32, schema_dataset_name(s->dataset),
		    s->children[i]);
		if (s->children[i] != 0 && strncmp(name, path, strlen(path)) == 0)
			return true;
	}
	for (size_t i = 0; i < s->nsegments; i++) {
		segment_path(".", s->dataset, s->segments[i].file.id, path, sizeof(path));
		if (has_state_name(path, name))
			return true;
		ordinals_path(".", s->dataset, s->segments[i].ordinals.id, path, sizeof(path));
		if (i > 0 && has_state_name(path, name))
			return true;
	}
	return false;
}

/* Removes the files of former generations, after the manifest was replaced. Readers need no
 * lock: one that has a removed file mapped keeps its content until it unmaps the file, and one
 * that was about to open it finds a newer manifest (open_generation in read/engine.c). Files of
 * a child that still runs are kept by the family in their names, because no manifest names them
 * yet. Unfinished files of a killed writer are removed here, too. */
static void
remove_old_files(const char *directory, const struct index_state *s)
{
	DIR *d = opendir(directory);
	struct dirent *f;

	if (d == NULL)
		return;
	while ((f = readdir(d)) != NULL)
		if (!file_is_needed(s, f->d_name))
			unlinkat(dirfd(d), f->d_name, 0);
	closedir(d);
}

bool
index_publish(const char *directory, struct index_state *s, char err[INDEX_FAULT])
{
	if (!complete_ordinals(directory, s, err))
		return false;
	s->generation++;
	s->published_at = ts_now();
	if (!manifest_write(directory, s, err)) {
		s->generation--;
		return false;
	}
	s->remarked = false;
	for (size_t i = 0; i < s->nsegments; i++)
		index_drop_former(&s->segments[i]);
	remove_old_files(directory, s);
	return true;
}

/* ---- the result of a child ---- */

bool
index_state_store(const char *directory, struct index_state *s, char err[INDEX_FAULT])
{
	return complete_ordinals(directory, s, err) && manifest_write(directory, s, err);
}

void
index_state_adopt(struct index_state *s, const struct index_state *made)
{
	for (size_t i = 1; i < s->nsegments; i++) {
		struct index_segment *t = &s->segments[i];
		const struct index_segment *have;

		have = index_state_find(made, t->file.id);
		if (have == NULL || (t->map != NULL && ordinals_fit(t->map, s->segments, i + 1)))
			continue;
		ordinals_close(t->map);
		t->map = NULL;
		t->ordinals = have->ordinals;
	}
}

/* Replaces the outdated segments of s by those that a rebuild has made, while other segments of
 * s are newer than the rebuild:
 *
 *   s before   A, B (outdated)    C (newer: host x, and host y, dead)
 *   made       D: hosts x, y, z
 *   s after    C, and D with x and y dead
 *
 * A document of a newer segment is marked dead in made even if it is dead in the newer segment,
 * too: the host was deleted, or has a successor in a segment that is newer still. All are marked
 * before the newer segments become part of made, because made must not lose that successor. */
bool
index_state_renew(
    const char *directory, struct index_state *s, struct index_state *made, char err[INDEX_FAULT])
{
	size_t outdated = 0;

	if (!index_state_open(directory, made, err) || !index_state_open(directory, s, err))
		return false;
	for (size_t i = 0; i < s->nsegments; i++)
		if (!s->segments[i].outdated)
			mark_successors(made, &s->segments[i]);
	for (size_t i = 0; i < s->nsegments; i++)
		if (s->segments[i].outdated)
			s->segments[outdated++] = s->segments[i];
		else
			index_state_insert(made, s->segments[i]);
	s->nsegments = outdated;
	drop_dead_segments(made);
	made->generation = s->generation;
	made->damage = s->damage;
	memcpy(made->children, s->children, sizeof(made->children));
	index_state_free(s);
	*s = *made;
	return true;
}

int
index_lock(const char *directory)
{
	char path[4096];
	int n = snprintf(path, sizeof(path), "%s/lock", directory);

	if (n < 0 || (size_t)n >= sizeof(path))
		panic("index directory name too long");
	return fd_lock(path, O_RDWR | O_CREAT);
}
