/* SPDX-License-Identifier: ISC */
/* The file of a segment: its keys, its slots (build_slot.c), its dates and labels. */
#include "config.h"

#include "search/index/write/build_priv.h"
#include "search/index/write/state.h"

#define SECOND INT64_C(1000000)

/* Whether all dates are whole seconds that fit into 32 bits after the first one; *epoch is then a
   second before it. */
static bool
find_epoch(const struct dates *d, int64_t *epoch)
{
	int64_t least = INT64_MAX, most = INT64_MIN;
	bool whole = true;

	for (size_t i = 0; whole && i < d->n; i++) {
		if (d->p[i] == INT64_MIN)
			continue;
		whole = d->p[i] % SECOND == 0;
		least = d->p[i] < least ? d->p[i] : least;
		most = d->p[i] > most ? d->p[i] : most;
	}
	*epoch = least == INT64_MAX ? 0 : least - SECOND;
	return whole &&
	       (least > most || (uint64_t)most - (uint64_t)*epoch <= UINT32_MAX * (uint64_t)SECOND);
}

static void
write_date_column(struct segment_writer *w, struct index_builder *b, size_t i)
{
	struct dates *d = &b->dates[i];
	uint32_t n = b->fields[i].nested ? b->nnested : b->ndocs, *seconds;
	int64_t epoch;

	if (b->fields[i].type != VALUE_DATE || n == 0)
		return;
	d->p = grow_array(d->p, &d->room, n, sizeof(*d->p));
	while (d->n < n)
		d->p[d->n++] = INT64_MIN;
	if (!find_epoch(d, &epoch)) {
		section_write(w, SECTION_DATES, i * PARTS, d->p, n * sizeof(*d->p));
		return;
	}
	seconds = mem_array(n, sizeof(*seconds));
	for (uint32_t k = 0; k < n; k++)
		if (d->p[k] != INT64_MIN)
			seconds[k] = (uint32_t)((d->p[k] - epoch) / SECOND);
	write_packed(w, SECTION_SECONDS, i * PARTS, seconds, n);
	section_write(w, SECTION_EPOCH, i * PARTS, &epoch, sizeof(epoch));
	free(seconds);
}

/* labelled, label: the final numbers of the terms of both fields. */
static void
write_label(struct segment_writer *w, struct index_builder *b, const uint32_t *labelled,
    const uint32_t *label, const struct slot_meta *meta)
{
	uint32_t n = meta[b->labelled->index * PARTS].n;
	uint32_t none = meta[b->labelled->label->index * PARTS].n;
	uint32_t *out = mem_array(n, sizeof(*out));

	for (uint32_t i = 0; i < n; i++)
		out[labelled[i]] =
		    i < b->nlabel && b->label[i].term != NO_TERM ? label[b->label[i].term] : none;
	section_write(w, SECTION_LABEL, b->labelled->index * PARTS, out, n * sizeof(*out));
	free(out);
}

static void
write_slots(struct segment_writer *w, struct index_builder *b)
{
	size_t n = b->nfields * PARTS, labelled = SIZE_MAX, label = SIZE_MAX;
	struct slot_meta *meta = mem_array(n, sizeof(*meta));
	uint32_t **order = mem_array(n, sizeof(*order));

	if (b->labelled != NULL) {
		labelled = b->labelled->index * PARTS;
		label = b->labelled->label->index * PARTS;
	}
	for (size_t i = 0; i < n && b->full == NULL; i++) {
		slot_write(w, b, i, &meta[i], &order[i]);
		if (i != labelled && i != label) {
			free(order[i]);
			order[i] = NULL;
		}
	}
	for (size_t i = 0; i < b->nfields && b->full == NULL; i++)
		write_date_column(w, b, i);
	if (b->labelled != NULL && b->full == NULL) {
		if (b->merging != NULL)
			merge_labels(b->merging, b);
		write_label(w, b, order[labelled], order[label], meta);
	}
	for (size_t i = 0; i < n; i++)
		free(order[i]);
	section_write(w, SECTION_SLOTS, 0, meta, n * sizeof(*meta));
	free(order);
	free(meta);
}

static void
write_keys(struct segment_writer *w, struct index_builder *b)
{
	uint64_t end = b->keys.bytes.n;

	section_write(w, SECTION_IP4, 0, b->ip4, b->nv4 * sizeof(*b->ip4));
	if (b->addresses) {
		section_write(w, SECTION_IP6, 0, b->ip6, (size_t)(b->ndocs - b->nv4) * 16);
		return;
	}
	buf_add(&b->keys.at, &end, sizeof(end));
	section_write(w, SECTION_KEY_AT, 0, b->keys.at.p, b->keys.at.n);
	section_write(w, SECTION_KEYS, 0, b->keys.bytes.p, b->keys.bytes.n);
}

static void
write_owners(struct segment_writer *w, const struct index_builder *b)
{
	size_t nbase = b->nnested / OWNER_BLOCK + UINT64_C(1);
	uint32_t *base = mem_array(nbase, sizeof(*base));
	uint8_t *step = mem_array(b->nnested, sizeof(*step));

	for (uint32_t i = 0; i < b->nnested; i++) {
		uint32_t more;

		if (i % OWNER_BLOCK == 0)
			base[i / OWNER_BLOCK] = b->owner[i];
		more = b->owner[i] - base[i / OWNER_BLOCK];
		step[i] = more < OWNER_FAR ? (uint8_t)more : OWNER_FAR;
	}
	nbase = b->nnested / OWNER_BLOCK + (b->nnested % OWNER_BLOCK != 0);
	section_write(w, SECTION_OWNER_BASE, 0, base, nbase * sizeof(*base));
	section_write(w, SECTION_OWNER_STEP, 0, step, b->nnested * sizeof(*step));
	free(base);
	free(step);
}

static void
write_field_hashes(struct segment_writer *w, const struct index_builder *b)
{
	uint64_t *hashes = mem_array(b->nfields, sizeof(*hashes));

	for (size_t i = 0; i < b->nfields; i++)
		hashes[i] = index_field_hash(&b->fields[i]);
	section_write(w, SECTION_FIELDS, 0, hashes, b->nfields * sizeof(*hashes));
	free(hashes);
}

/* Completes the file, or removes it when the segment passes a ceiling. */
static bool
end_segment(struct segment_writer *w, const struct index_builder *b, struct segment_header *h,
    const char *directory, char err[INDEX_FAULT])
{
	if (b->full == NULL)
		return sections_end(w, SEGMENT_MAGIC, h, directory, err);
	sections_abandon(w);
	snprintf(err, INDEX_FAULT, "%s are more than a segment can have", b->full);
	return false;
}

bool
index_build_write(struct index_builder *b, const char *directory, struct index_segment *out,
    char err[INDEX_FAULT])
{
	struct segment_header h = { .version = INDEX_VERSION,
		.ndocs = b->ndocs,
		.nnested = b->nnested,
		.nfields = (uint32_t)b->nfields,
		.nslots = (uint32_t)(b->nfields * PARTS) };
	struct segment_writer w;
	char path[4096];
	bool ok;

	b->full = NULL;
	if (b->ndocs == 0) {
		snprintf(err, INDEX_FAULT, "no documents");
		return false;
	}
	if (b->merging == NULL && !build_order(b)) {
		snprintf(err, INDEX_FAULT, "two documents have one key");
		return false;
	}
	h.nv4 = b->nv4;
	h.id = b->id != 0 ? b->id : index_new_id(b->family);
	segment_path(directory, b->dataset, h.id, path, sizeof(path));
	sections_begin(&w, path);
	write_keys(&w, b);
	section_write(&w, SECTION_FIRST, 0, b->first, (b->ndocs + UINT64_C(1)) * sizeof(*b->first));
	write_owners(&w, b);
	write_field_hashes(&w, b);
	write_slots(&w, b);
	if (b->ndocs >= b->pairs_from && b->full == NULL)
		pairs_write(&w, b, &h);
	ok = end_segment(&w, b, &h, directory, err);
	*out = (struct index_segment){ .dataset = b->dataset,
		.file = { .id = h.id, .checksum = h.checksum },
		.documents = b->ndocs };
	build_clear(b);
	return ok;
}
