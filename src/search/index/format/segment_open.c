/* SPDX-License-Identifier: ISC */
/* Opens and closes segments: their documents and the slots of each field. */
#include "config.h"

#include "search/index/format/segment_priv.h"

static bool
open_addresses(struct opening *o)
{
	struct segment *s = o->s;
	struct span ip6 = slot_span(o, SECTION_IP6);

	s->ip6 = ip6.p;
	return ip6.n == (uint64_t)(s->ndocs - s->nv4) * 16 &&
	       open_u32s(slot_span(o, SECTION_IP4), s->nv4, &s->ip4);
}

static bool
open_keys(struct opening *o)
{
	struct keys *k = &o->s->keys;
	struct span at = slot_span(o, SECTION_KEY_AT), bytes = slot_span(o, SECTION_KEYS);
	uint64_t blocks = (o->s->ndocs + UINT64_C(1) * KEY_BLOCK - 1) / KEY_BLOCK;

	*k = (struct keys){ .n = o->s->ndocs,
		.at = (const uint64_t *)(const void *)at.p,
		.bytes = bytes.p,
		.nbytes = bytes.n };
	return o->s->nv4 == 0 && at.n == (blocks + 1) * sizeof(*k->at) &&
	       (o->s->file.trusted || (k->at[blocks] == bytes.n && keys_are_whole(k)));
}

static bool
open_owners(struct opening *o)
{
	struct segment *s = o->s;
	struct span step = slot_span(o, SECTION_OWNER_STEP);
	uint32_t nbase = s->nnested / OWNER_BLOCK + (s->nnested % OWNER_BLOCK != 0);

	s->owner_step = step.p;
	return step.n == s->nnested &&
	       open_u32s(slot_span(o, SECTION_OWNER_BASE), nbase, &s->owner_base) &&
	       check_ids(o, s->owner_base, 4, nbase, s->ndocs);
}

static bool
open_documents(struct opening *o)
{
	struct segment *s = o->s;

	s->ndocs = s->file.head->ndocs;
	s->nv4 = s->file.head->nv4;
	s->nnested = s->file.head->nnested;
	return s->ndocs < UINT32_MAX - INDEX_BLOCK && s->nnested < UINT32_MAX - INDEX_BLOCK &&
	       (s->addresses ? open_addresses(o) : open_keys(o)) &&
	       open_u32s(slot_span(o, SECTION_FIRST), s->ndocs + UINT64_C(1), &s->first) &&
	       check_offsets(o, s->first, s->ndocs, s->nnested) && open_owners(o);
}

/* The number of terms that the labels of a field have, which limits them; 0: it has none. */
static uint64_t
label_terms(const struct opening *o, const struct schema_field *f, const struct slot_meta *meta)
{
	size_t none = o->s->file.head->nfields;
	size_t place = f->label == NULL ? none : field_place(&o->s->file, f->label);

	return place == none ? 0 : meta[place * PARTS].n;
}

/* Opens the slots of a field; they stay empty when the file was built without the field. Fields of
   the file that this release does not have are never opened. */
static bool
open_field(struct opening *o, const struct schema_field *f, const struct slot_meta *meta)
{
	struct segment *s = o->s;
	size_t place = field_place(&s->file, f);
	uint64_t names = label_terms(o, f, meta);

	s->has[f->index] = place < s->file.head->nfields;
	s->place[f->index] = (uint32_t)place;
	for (size_t p = 0; s->has[f->index] && p < PARTS; p++) {
		o->slot = place * PARTS + p;
		if (!open_slot(
			o, f, &meta[o->slot], names, &s->slots[(size_t)f->index * PARTS + p]))
			return false;
	}
	return true;
}

static bool
open_content(struct opening *o)
{
	const struct segment_header *h = o->s->file.head;
	struct span meta = slot_span(o, SECTION_SLOTS);
	const struct schema_field *fields;

	if (h->nslots != h->nfields * PARTS || h->nv4 > h->ndocs ||
	    meta.n != h->nslots * sizeof(struct slot_meta))
		return mapped_fault(&o->s->file, "broken slots");
	if (!open_documents(o))
		return mapped_fault(&o->s->file, "broken documents");
	for (size_t i = 0, n = schema_fields(o->s->dataset, &fields); i < n; i++)
		if (!open_field(o, &fields[i], (const struct slot_meta *)(const void *)meta.p))
			return mapped_fault(&o->s->file, "broken field");
	return pairs_open(&o->s->file, &o->s->pairs) ||
	       mapped_fault(&o->s->file, "broken pair totals");
}

static struct segment *
new_segment(enum dataset d, char *err)
{
	const struct schema_field *fields;
	struct segment *s = mem_zero(sizeof(*s));
	size_t nfields = schema_fields(d, &fields);

	s->refs = 1;
	s->dataset = d;
	s->addresses = schema_address(d) != NULL;
	s->file =
	    (struct mapped){ .kind = "segment", .magic = SEGMENT_MAGIC, .err = err, .fd = -1 };
	s->slots = mem_array(nfields * PARTS, sizeof(*s->slots));
	s->has = mem_array(nfields, sizeof(*s->has));
	s->place = mem_array(nfields, sizeof(*s->place));
	return s;
}

struct segment *
segment_open(const char *directory, const struct index_segment *want, enum segment_check check,
    char err[INDEX_FAULT])
{
	struct segment *s = new_segment(want->dataset, err);
	struct opening o = { .s = s };
	char path[4096];
	bool again;

	segment_path(directory, want->dataset, want->file.id, path, sizeof(path));
	if (mapped_open(&s->file, path, &want->file, check) && open_content(&o) &&
	    (s->ndocs == want->documents ||
		mapped_fault(&s->file, "another segment under this name"))) {
		s->file.err = NULL;
		return s;
	}
	again = check == SEGMENT_BY_MARK && s->file.trusted; /* it rotted, and kept its mark */
	segment_close(s);
	return again ? segment_open(directory, want, SEGMENT_MEND, err) : NULL;
}

struct segment *
segment_unfinished(enum dataset d, const struct segment_writer *w, const struct segment_header *h)
{
	char err[INDEX_FAULT];
	struct segment *s = new_segment(d, err);
	struct opening o = { .s = s };

	if (mapped_unfinished(&s->file, w, h) && open_content(&o)) {
		s->file.err = NULL;
		return s;
	}
	segment_close(s);
	return NULL;
}

void
segment_close(struct segment *s)
{
	if (s == NULL || --s->refs > 0)
		return;
	mapped_close(&s->file);
	free(s->slots);
	free(s->has);
	free(s->place);
	free(s);
}
