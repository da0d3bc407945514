/* SPDX-License-Identifier: ISC */
/* Maps a generation for a worker. Publications are frequent and small, so a new view shares the
 * files that the old view has mapped: a segment has a count of its references, and only new
 * files are opened. The old view stays valid until view_free, so a failure in the middle leaves
 * the worker with the former generation.
 *
 * The totals and the first buckets of a field are made when a facet first needs them
 * (view_ordinals): most fields are never asked for in a generation that lives for a second. */
#include "config.h"

#include "search/index/read/view.h"

static bool
share_segment(const struct view *old, const struct index_segment *want, struct view_segment *out)
{
	for (size_t i = 0; old != NULL && i < old->nsegments; i++) {
		const struct index_file *have = &old->state.segments[i].file;

		if (have->id != want->file.id || have->checksum != want->file.checksum ||
		    !mapped_intact(&old->segments[i].seg->file))
			continue;
		out->seg = old->segments[i].seg;
		out->seg->refs++;
		return true;
	}
	return false;
}

/* Shares the ordinals of the old view. Their id is sufficient to identify them: a file of ordinals
   belongs to certain segments in a certain order. */
static bool
share_ordinals(const struct view *old, const struct index_file *want, struct view_segment *out)
{
	for (size_t i = 1; old != NULL && i < old->nsegments; i++) {
		const struct index_file *have = &old->state.segments[i].ordinals;

		if (have->id != want->id || have->checksum != want->checksum ||
		    !mapped_intact(&old->segments[i].map->file))
			continue;
		out->map = old->segments[i].map;
		out->map->refs++;
		return true;
	}
	return false;
}

static bool
open_segment(const char *directory, struct view *v, const struct view *old, char *err)
{
	size_t i = v->nsegments;
	const struct index_segment *s = &v->state.segments[i];
	struct view_segment *vs = &v->segments[i];

	if (!share_segment(old, s, vs))
		vs->seg = segment_open(directory, s, v->check, err);
	if (vs->seg == NULL)
		return false;
	v->nsegments++;
	vs->dead = s->ndead > 0 ? s->dead : NULL;
	vs->ndead = s->ndead;
	v->documents += s->documents - s->ndead;
	return true;
}

static bool
open_ordinals(const char *directory, struct view *v, const struct view *old, char *err)
{
	struct segment **segs = mem_array(v->nsegments, sizeof(*segs));
	bool ok = true;

	for (size_t i = 0; ok && i < v->nsegments; i++) {
		struct view_segment *vs = &v->segments[i];

		segs[i] = vs->seg;
		if (i == 0 || share_ordinals(old, &v->state.segments[i].ordinals, vs))
			continue;
		vs->map = ordinals_open(directory, v->state.segments, i + 1, segs, v->check, err);
		ok = vs->map != NULL;
	}
	free(segs);
	return ok;
}

struct view *
view_open(const char *directory, enum dataset d, const struct view *old, enum segment_check check,
    char err[INDEX_FAULT])
{
	const struct schema_field *fields;
	struct view *v = mem_zero(sizeof(*v));
	bool ok = index_state_load(directory, d, &v->state, err) && v->state.generation > 0;

	v->dataset = d;
	v->check = check;
	v->nfields = schema_fields(d, &fields);
	v->fields = mem_array(v->nfields, sizeof(*v->fields));
	v->segments = mem_array(v->state.nsegments, sizeof(*v->segments));
	while (ok && v->nsegments < v->state.nsegments)
		ok = open_segment(directory, v, old, err);
	if (ok && open_ordinals(directory, v, old, err))
		return v;
	view_free(v);
	return NULL;
}

static void
free_ordinals(struct ordinals *o)
{
	free(o->map);
	free(o->start);
	free(o->own_totals);
	free(o->top);
}

void
view_free(struct view *v)
{
	if (v == NULL)
		return;
	for (size_t i = 0; v->fields != NULL && i < v->nfields; i++)
		free_ordinals(&v->fields[i]);
	for (size_t i = 0; i < v->nsegments; i++) {
		segment_close(v->segments[i].seg);
		ordinals_close(v->segments[i].map);
	}
	free(v->fields);
	free(v->segments);
	index_state_free(&v->state);
	free(v);
}

bool
view_lost(const struct view *v)
{
	bool lost = false;

	for (size_t i = 0; i < v->nsegments; i++)
		lost |= v->segments[i].seg->file.lost != 0 ||
			(i > 0 && v->segments[i].map->file.lost != 0);
	return lost;
}

bool
view_intact(const struct view *v)
{
	bool intact = true;

	for (size_t i = 0; intact && i < v->nsegments; i++)
		intact = mapped_intact(&v->segments[i].seg->file) &&
			 (i == 0 || mapped_intact(&v->segments[i].map->file));
	return intact;
}

bool
view_has(const struct view *v, const struct schema_field *f)
{
	bool has = true;

	for (size_t i = 0; has && i < v->nsegments; i++)
		has = v->segments[i].seg->has[f->index];
	return has;
}

/* ---- ordinals ---- */

const struct terms *
ordinals_term(const struct view *v, const struct schema_field *f, const struct ordinals *o,
    uint32_t id, uint32_t *local)
{
	size_t i = v->nsegments - 1;

	while (i > 0 && id < o->start[i])
		i--;
	*local = id - o->start[i];
	return segment_terms(v->segments[i].seg, f, PART_VALUES);
}

int
ordinals_cmp(const struct view *v, const struct schema_field *f, const struct ordinals *o,
    uint32_t a, uint32_t b)
{
	uint32_t i, k;
	const struct terms *x = ordinals_term(v, f, o, a, &i), *y = ordinals_term(v, f, o, b, &k);

	return terms_cmp(x, i, y, k);
}
