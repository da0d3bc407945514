/* SPDX-License-Identifier: ISC */
/* Joins the dictionaries of the segments of a generation (index.h explains ordinals), so that a
 * facet can add up the counts of equal terms as numbers and compares no texts until its buckets
 * are known.
 *
 * The writer makes the file of a segment once. Segments are immutable, so the file serves all
 * later generations until the segment itself, or one before it, is merged or dropped.
 * SECTION_BEFORE lists the ids of the segments that the file was made for; ordinals_fit compares
 * them. Workers only map the files. */
#include "config.h"

#include "search/index/format/ordinals.h"
#include "search/index/format/copy.h"
#include "search/index/format/sections.h"

#include <inttypes.h>

void
ordinals_path(const char *directory, enum dataset d, uint64_t id, char *out, size_t room)
{
	int n =
	    snprintf(out, room, "%s/%s-%016" PRIx64 ".map", directory, schema_dataset_name(d), id);

	if (n < 0 || (size_t)n >= room)
		panic("index directory name too long");
}

static bool
has_ordinals(const struct schema_field *f, struct segment *const *segs, size_t n)
{
	bool all = f->aggregatable && f != schema_address(f->dataset);

	for (size_t i = 0; i < n; i++)
		all &= segs[i]->has[f->index];
	return all;
}

/* ---- writing ---- */

/* The first term of t from `from` on that is not less than term id of `of`. Callers search
   ascending terms, so the result is near: steps double until they pass it, then a binary search
   ends. */
static uint32_t
find_ascending(const struct terms *t, uint32_t from, const struct terms *of, uint32_t id)
{
	uint32_t step = 1, lo = from, hi;

	while (lo < t->n && t->n - lo > step && terms_order(t, lo + step, of, id) < 0) {
		lo += step;
		step *= 2;
	}
	hi = t->n - lo > step ? lo + step : t->n;
	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (terms_order(t, mid, of, id) < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

struct joining {
	const struct terms *t; /* a slot of an earlier segment */
	uint32_t at, start;    /* the next term to compare; the ordinal of its term 0 */
};

/* Finds the ordinals of all terms of a field in the last segment. The dictionaries are sorted in
 * the same order, so each earlier segment has a cursor that only advances:
 *
 *   earlier segment   FreeBSD  Linux  Windows       start 0, so the ordinals are 0 1 2
 *                              ^ b->at
 *   own terms         Linux -> 1      Plan 9 -> 3 + 1
 *
 * The first earlier segment that has the term gives its ordinal, which is then below `start`. A
 * term that no earlier segment has keeps its own number plus `start`. Returns false when there
 * are more terms than ordinals. */
static bool
join_field(const struct schema_field *f, struct segment *const *segs, size_t n, uint32_t *out)
{
	const struct terms *own = segment_terms(segs[n - 1], f, PART_VALUES);
	struct joining *before = mem_array(n, sizeof(*before));
	uint64_t start = 0;

	for (size_t i = 0; i + 1 < n; i++) {
		const struct terms *t = segment_terms(segs[i], f, PART_VALUES);

		before[i] = (struct joining){ .t = t, .start = (uint32_t)start };
		start += t->n;
		if (start + own->n > UINT32_MAX - INDEX_BLOCK) {
			free(before);
			return false;
		}
	}
	for (uint32_t id = 0; id < own->n; id++) {
		out[id] = (uint32_t)start + id;
		for (size_t i = 0; i + 1 < n && out[id] >= start; i++) {
			struct joining *b = &before[i];

			if (!terms_joinable(b->t, own))
				continue;
			b->at = find_ascending(b->t, b->at, own, id);
			if (b->at < b->t->n && terms_order(b->t, b->at, own, id) == 0)
				out[id] = b->start + b->at;
		}
	}
	free(before);
	return true;
}

static bool
write_maps(struct segment_writer *w, struct segment *const *segs, size_t n)
{
	const struct schema_field *fields;
	size_t nfields = schema_fields(segs[0]->dataset, &fields);
	uint64_t *hashes = mem_array(nfields, sizeof(*hashes));
	bool ok = true;

	for (size_t i = 0; ok && i < nfields; i++) {
		uint32_t terms = segment_terms(segs[n - 1], &fields[i], PART_VALUES)->n;
		uint32_t *map;

		hashes[i] = index_field_hash(&fields[i]);
		if (!has_ordinals(&fields[i], segs, n))
			continue;
		map = mem_array(terms, sizeof(*map));
		ok = join_field(&fields[i], segs, n, map);
		section_write(w, SECTION_MAP, i, map, terms * sizeof(*map));
		free(map);
	}
	section_write(w, SECTION_FIELDS, 0, hashes, nfields * sizeof(*hashes));
	free(hashes);
	return ok;
}

bool
ordinals_write(const char *directory, const struct index_segment *segments, size_t n,
    struct index_file *out, char err[INDEX_FAULT])
{
	const struct schema_field *fields;
	uint32_t nfields = (uint32_t)schema_fields(segments[0].dataset, &fields);
	struct segment_header h = { .id = out->id, .nslots = nfields, .nfields = nfields };
	struct segment **segs = mem_array(n, sizeof(*segs));
	uint64_t *ids = mem_array(n, sizeof(*ids));
	struct segment_writer w;
	char path[4096];
	bool fits;

	for (size_t i = 0; i < n; i++) {
		segs[i] = segments[i].open;
		ids[i] = segments[i].file.id;
	}
	ordinals_path(directory, segments[0].dataset, h.id, path, sizeof(path));
	sections_begin(&w, path);
	section_write(&w, SECTION_BEFORE, 0, ids, n * sizeof(*ids));
	fits = write_maps(&w, segs, n);
	free(segs);
	free(ids);
	if (!sections_end(&w, ORDINALS_MAGIC, &h, directory, err))
		return false;
	*out = (struct index_file){ .id = h.id, .checksum = h.checksum };
	if (!fits)
		snprintf(err, INDEX_FAULT, "a field has more than 2^32 terms");
	return fits;
}

/* ---- reading ---- */

bool
ordinals_fit(const struct ordinal_map *m, const struct index_segment *segments, size_t n)
{
	struct span ids = mapped_span(&m->file, 0, SECTION_BEFORE);
	bool fit = ids.n == n * sizeof(uint64_t);

	for (size_t i = 0; fit && i < n; i++)
		fit = memcmp(ids.p + i * sizeof(uint64_t), &segments[i].file.id,
			  sizeof(uint64_t)) == 0;
	return fit;
}

static bool
open_map(struct ordinal_map *m, const struct schema_field *f, struct segment *const *segs, size_t n)
{
	size_t place = field_place(&m->file, f);
	struct span ids = mapped_span(&m->file, place, SECTION_MAP);
	uint64_t terms = segment_terms(segs[n - 1], f, PART_VALUES)->n, all = 0;

	if (place == m->file.head->nfields)
		return true;
	for (size_t i = 0; i < n; i++)
		all += segment_terms(segs[i], f, PART_VALUES)->n;
	m->field[f->index] = (const uint32_t *)(const void *)ids.p;
	return ids.n == terms * sizeof(uint32_t) && all < UINT32_MAX - INDEX_BLOCK &&
	       (m->file.trusted || ids_below(ids.p, 4, terms, all));
}

struct ordinal_map *
ordinals_open(const char *directory, const struct index_segment *segments, size_t n,
    struct segment *const *segs, enum segment_check check, char err[INDEX_FAULT])
{
	const struct schema_field *fields;
	size_t nfields = schema_fields(segments[0].dataset, &fields);
	struct ordinal_map *m = mem_zero(sizeof(*m));
	char path[4096];
	bool ok;

	m->refs = 1;
	m->file = (struct mapped){ .kind = "ordinals", .magic = ORDINALS_MAGIC, .err = err };
	m->field = mem_array(nfields, sizeof(*m->field));
	ordinals_path(
	    directory, segments[0].dataset, segments[n - 1].ordinals.id, path, sizeof(path));
	ok = mapped_open(&m->file, path, &segments[n - 1].ordinals, check) &&
	     (ordinals_fit(m, segments, n) || mapped_fault(&m->file, "made for other segments"));
	for (size_t i = 0; ok && i < nfields; i++)
		if (has_ordinals(&fields[i], segs, n) && !open_map(m, &fields[i], segs, n))
			ok = mapped_fault(&m->file, "broken field");
	m->file.err = NULL;
	if (ok)
		return m;
	ordinals_close(m);
	return NULL;
}

void
ordinals_close(struct ordinal_map *m)
{
	if (m == NULL || --m->refs > 0)
		return;
	mapped_close(&m->file);
	free(m->field);
	free(m);
}

size_t
index_copies_missing(const char *directory, const struct index_state *s)
{
	char path[4096];
	size_t missing = 0;

	for (size_t i = 0; i < s->nsegments; i++) {
		const struct index_segment *t = &s->segments[i];

		segment_path(directory, s->dataset, t->file.id, path, sizeof(path));
		missing += !copy_exists(path, t->file.mark.size);
		if (i == 0 || t->ordinals.id == 0)
			continue;
		ordinals_path(directory, s->dataset, t->ordinals.id, path, sizeof(path));
		missing += !copy_exists(path, t->ordinals.mark.size);
	}
	return missing;
}
