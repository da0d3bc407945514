/* SPDX-License-Identifier: ISC */
/* The postings of a slot: turns the pairs of document and term into the documents of each term, by
   counting and not by sorting, and writes them. */
#include "config.h"

#include "search/index/write/build_slot.h"
#include "search/index/format/postings.h"

static struct gather_walk
walk_pairs(const struct gather *g)
{
	static const unsigned char nothing[1];
	const unsigned char *p = g->stream == NULL ? nothing : g->stream;

	return (struct gather_walk){ p, p + g->nstream, 0 };
}

static void
renumber_groups(const struct slot_job *j, struct groups *g)
{
	enum level level = j->field->nested ? LEVEL_NESTED : LEVEL_DOCUMENT;
	const uint32_t *numbers = j->b->renumber[level];
	uint32_t most = level == LEVEL_NESTED ? j->b->nnested : j->b->ndocs, *room;

	if (numbers == NULL)
		return;
	room = mem_array(most, sizeof(*room));
	for (uint64_t i = 0; i < g->start[g->n + 1]; i++)
		g->docs[i] = numbers[g->docs[i]];
	for (uint32_t i = 0; i <= g->n; i++)
		documents_sort(
		    g->docs + g->start[i], (uint32_t)(g->start[i + 1] - g->start[i]), most, room);
	free(room);
}

/* Turns the pairs of document and term, which arrived in the order of documents, into the documents
 * of each term, without sorting them. Two walks over the same stream:
 *
 *   stream    (0, b) (0, c) (1, b) (3, a)
 *   counts    a: 1   b: 2   c: 1   any: 3          the first walk; the last group, term n, is every
 *   start     0      1      3      4      7        document with a value
 *   docs      3    | 0 1  | 0    | 0 1 3           the second walk: next[term] is the place of the next
 *
 * Postings must ascend. Each group does, because documents arrive in ascending order; where they
 * get other numbers (build_order.c), each group is sorted by those. */
struct groups
group_by_term(const struct slot_job *j)
{
	struct gather *g = j->g;
	struct gather_walk w = walk_pairs(g);
	struct groups out = { .n = g->n };
	uint32_t doc, term, seen = UINT32_MAX;
	uint64_t *next;

	out.start = mem_array(g->n + UINT64_C(2), sizeof(*out.start));
	next = mem_array(g->n + UINT64_C(1), sizeof(*next));
	while (gather_next(&w, &doc, &term)) {
		out.start[j->order[term] + 1]++;
		out.start[g->n + 1] += doc != seen;
		seen = doc;
	}
	for (uint32_t i = 0; i <= g->n; i++) {
		out.start[i + 1] += out.start[i];
		next[i] = out.start[i];
	}
	out.docs = mem_array(out.start[g->n + 1], sizeof(*out.docs));
	w = walk_pairs(g);
	for (seen = UINT32_MAX; gather_next(&w, &doc, &term); seen = doc) {
		out.docs[next[j->order[term]]++] = doc;
		if (doc != seen)
			out.docs[next[g->n]++] = doc;
	}
	free(next);
	renumber_groups(j, &out);
	return out;
}

/* Maps groups of nested documents to groups of their documents, each document once. */
struct groups
group_by_owner(const struct slot_job *j, const struct groups *nested)
{
	struct groups out = { .n = nested->n };
	uint64_t n = 0;

	out.start = mem_array(nested->n + UINT64_C(2), sizeof(*out.start));
	out.docs = mem_array(nested->start[nested->n + 1], sizeof(*out.docs));
	for (uint32_t i = 0; i <= nested->n; i++) {
		for (uint64_t k = nested->start[i]; k < nested->start[i + 1]; k++) {
			uint32_t doc = j->b->owner[nested->docs[k]];

			if (n == out.start[i] || out.docs[n - 1] != doc)
				out.docs[n++] = doc;
		}
		out.start[i + 1] = n;
	}
	return out;
}

void
groups_free(struct groups *g)
{
	free(g->start);
	free(g->docs);
}

/* Groups without any term: the only group is that of every document with a hash. */
struct groups
group_hashed(const uint32_t *hashes, uint32_t n)
{
	struct groups out = { .n = 0 };
	uint32_t found = 0;

	out.start = mem_array(2, sizeof(*out.start));
	out.docs = mem_array(n, sizeof(*out.docs));
	for (uint32_t doc = 0; doc < n; doc++)
		if (hashes[doc] != 0)
			out.docs[found++] = doc;
	out.start[1] = found;
	return out;
}

static struct documents
documents_of(const struct groups *g, uint32_t term)
{
	return (struct documents){ g->docs + g->start[term],
		(uint32_t)(g->start[term + 1] - g->start[term]) };
}

/* Writes the bits of rare terms and their documents, unless there are few. Returns the bits, or
   NULL. */
static uint64_t *
write_rare(struct slot_job *j, const struct groups *g)
{
	enum { FEW = 16 };
	static const enum section_kind kinds[] = { SECTION_RARE, SECTION_RARE_BEFORE };
	uint64_t *rare = mem_array(g->n / 64 + UINT64_C(1), sizeof(*rare));
	uint32_t documents = j->field->nested ? j->b->nnested : j->b->ndocs, n = 0;
	size_t width = documents > ONLY_SHORT_MAX ? sizeof(uint32_t) : ONLY_SHORT;
	unsigned char *only = mem_array(g->n, width), *p = only;

	for (uint32_t i = 0; i < g->n; i++) {
		if (g->start[i + 1] - g->start[i] != 1)
			continue;
		rare[i >> 6] |= UINT64_C(1) << (i & 63);
		for (size_t k = 0; k < width; k++)
			*p++ = (unsigned char)(g->docs[g->start[i]] >> 8 * k);
		n++;
	}
	if (n > g->n / FEW) {
		write_ranked(j->w, kinds, j->slot, rare, g->n);
		section_write(j->w, SECTION_ONLY, j->slot, only, n * width);
	} else {
		free(rare);
		rare = NULL;
	}
	free(only);
	return rare;
}

/* Appends a posting unless the file has it, and returns its place. */
static uint32_t
put_posting(struct slot_job *j, struct buf *blob, struct documents d, const uint32_t *above)
{
	size_t from = posting_write(blob, d, above);
	uint64_t at = share_bytes(&j->b->share, j->w, blob, from);

	if (at > ceilings()->file)
		j->b->full = "its postings";
	if (at != j->w->at + from)
		blob->n = from;
	return (uint32_t)(at / POSTING_UNIT);
}

/* The postings are written before the slot's other sections, which contain their places in the
   file. above: the same terms with the documents that own the nested ones; NULL for other
   fields. */
void
slot_write_postings(struct slot_job *j, const struct groups *own, const struct groups *above)
{
	uint64_t *rare = write_rare(j, own);
	uint32_t *place = mem_array(own->n + UINT64_C(1), sizeof(*place)),
		 *count = mem_array(own->n + UINT64_C(1), sizeof(*count)), n = 0;
	struct buf blob = { 0 };

	for (uint32_t i = 0; i <= own->n; i++) {
		struct documents nested = documents_of(own, i),
				 owners = documents_of(above == NULL ? own : above, i);
		bool twice = above != NULL && nested.n > POSTING_DERIVED;
		uint32_t up = 0;

		if (i < own->n && rare != NULL && (rare[i >> 6] >> (i & 63) & 1) != 0)
			continue;
		if (twice)
			up = put_posting(j, &blob, owners, NULL);
		count[n] = owners.n;
		place[n++] = put_posting(j, &blob, nested, twice ? &up : NULL);
	}
	section_write(j->w, SECTION_POSTINGS, j->slot, blob.p, blob.n);
	section_write(j->w, SECTION_PLACE, j->slot, place, n * sizeof(*place));
	if (j->field->aggregatable && j->slot % PARTS == PART_VALUES)
		section_write(j->w, SECTION_COUNT, j->slot, count, n * sizeof(*count));
	buf_free(&blob);
	free(place);
	free(count);
	free(rare);
}
