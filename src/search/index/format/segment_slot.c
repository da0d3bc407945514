/* SPDX-License-Identifier: ISC */
/* Opens a slot of a segment: its dictionary, its postings, its values and its columns. Numbers are
   checked as segment_check.c explains. */
#include "config.h"

#include "search/index/format/column.h"
#include "search/index/format/segment_priv.h"

static bool
open_strings(const struct opening *o, struct terms *t)
{
	struct span bytes = slot_span(o, SECTION_TERM_BYTES);
	uint32_t nat = t->n / TERM_BLOCK + (t->n % TERM_BLOCK != 0);

	t->bytes =
	    bytes.p == NULL ? "" : (const char *)bytes.p; /* absent when all texts are empty */
	t->nbytes = bytes.n;
	return open_u32s(slot_span(o, SECTION_TERM_AT), nat + UINT64_C(1), &t->at) &&
	       check_offsets(o, t->at, nat, bytes.n) &&
	       optional_ids(o, slot_span(o, SECTION_FOLD), t->n, t->n, &t->fold) &&
	       optional_ids(o, slot_span(o, SECTION_RANK), t->n, t->n, &t->rank);
}

static bool
open_hex(const struct opening *o, struct terms *t)
{
	struct span bytes = slot_span(o, SECTION_TERM_BYTES);

	if (t->n == 0 || bytes.n / t->n > TERM_HEX_MAX / 2)
		return false;
	t->bytes = (const char *)bytes.p;
	t->nbytes = bytes.n;
	t->size = (uint32_t)(bytes.n / t->n);
	return t->size > 0 && bytes.n == (uint64_t)t->n * t->size;
}

static bool
open_dictionary(const struct opening *o, struct terms *t)
{
	struct span ints = slot_span(o, SECTION_TERM_INTS);

	switch (t->form) {
	case FORM_NONE:
	case FORM_HASHED:
		return t->n == 0;
	case FORM_INTS:
		t->ints = (const int64_t *)(const void *)ints.p;
		return ints.n == t->n * sizeof(int64_t);
	case FORM_HEX:
		return open_hex(o, t);
	case FORM_STRINGS:
	case FORM_NAMES:
	case FORM_ADDRS:
		return open_strings(o, t);
	case TERM_FORMS:
		break;
	}
	return false;
}

static bool
open_segment_rare(const struct opening *o, const struct schema_field *f, struct terms *t)
{
	static const enum section_kind kinds[] = { SECTION_RARE, SECTION_RARE_BEFORE };
	struct span only = slot_span(o, SECTION_ONLY);
	uint32_t documents = f->nested ? o->s->nnested : o->s->ndocs;
	bool ok = true;

	t->ncommon = t->n + 1;
	if (only.n == 0)
		return true;
	t->only = only.p;
	t->only_width = documents > ONLY_SHORT_MAX ? sizeof(uint32_t) : ONLY_SHORT;
	if (only.n % t->only_width != 0 || only.n / t->only_width > t->n)
		return false;
	t->nonly = (uint32_t)(only.n / t->only_width);
	t->ncommon -= t->nonly;
	for (uint32_t i = 0; !o->s->file.trusted && i < t->nonly; i++)
		ok &= terms_only(t, i) < documents;
	return ok && open_ranked(o, kinds, t->n, t->nonly, &t->rare);
}

static bool
open_postings(const struct opening *o, const struct schema_field *f, struct terms *t)
{
	struct span blob = slot_span(o, SECTION_POSTINGS), count = slot_span(o, SECTION_COUNT);

	t->own_postings = blob.p;
	t->nown_postings = blob.n;
	t->postings = o->s->file.map;
	t->npostings = o->s->file.size;
	if (t->form == FORM_NONE)
		return true;
	if (!open_segment_rare(o, f, t) ||
	    !open_u32s(slot_span(o, SECTION_PLACE), t->ncommon, &t->place))
		return false;
	return (count.n == 0 && (!f->aggregatable || o->slot % PARTS != PART_VALUES)) ||
	       open_u32s(count, t->ncommon, &t->count);
}

/* Opens the numbers of n documents, if there are any. */
static bool
open_packed(const struct opening *o, enum section_kind kind, uint32_t n, struct packed *out)
{
	static const enum section_kind kinds[] = { SECTION_HAS, SECTION_HAS_BEFORE };
	struct span values = slot_span(o, kind), at = slot_span(o, SECTION_VALUE_AT);

	if (values.n == 0)
		return true;
	out->n = (uint32_t)(values.n / sizeof(*out->values));
	if (values.n / sizeof(*out->values) > n || !open_u32s(values, out->n, &out->values))
		return false;
	out->at = at.p;
	out->at_width = out->n > VALUES_SHORT ? sizeof(uint16_t) : 1;
	out->nat = at.p == NULL ? out->n : (uint32_t)(at.n / out->at_width);
	if (at.p != NULL && !check_ids(o, out->at, out->at_width, out->nat, out->n))
		return false;
	return slot_span(o, SECTION_HAS).n == 0 ? out->nat == n
						: open_ranked(o, kinds, n, out->nat, &out->has);
}

/* Opens the dates of a field, or the hashes of its texts. */
static bool
open_values(const struct opening *o, const struct schema_field *f, struct terms *t)
{
	uint32_t n = f->nested ? o->s->nnested : o->s->ndocs;
	struct span dates = slot_span(o, SECTION_DATES), epoch = slot_span(o, SECTION_EPOCH);

	if (t->form == FORM_HASHED)
		return open_packed(o, SECTION_HASHES, n, &t->hashes);
	if (dates.n > 0) {
		t->dates = (const int64_t *)(const void *)dates.p;
		return dates.n == n * sizeof(*t->dates);
	}
	if (epoch.n == 0)
		return true;
	if (epoch.n != sizeof(t->epoch))
		return false;
	memcpy(&t->epoch, epoch.p, sizeof(t->epoch));
	/* Dates that each document has are in the order of documents (write/pack.c,
	   read/dates.c). */
	return open_packed(o, SECTION_SECONDS, n, &t->seconds) &&
	       (t->seconds.at == NULL || t->seconds.has.bits != NULL);
}

static bool
is_width(uint8_t width)
{
	return width >= 1 && width <= 4;
}

/* Opens the bits and ranks of the documents that have more terms than places. */
static bool
open_more(const struct opening *o, struct column *c)
{
	struct span words = slot_span(o, SECTION_MORE_WORDS);
	size_t n = column_words(o->s->ndocs);

	c->more_words = (const uint64_t *)(const void *)words.p;
	return words.n == n * sizeof(uint64_t) &&
	       open_u32s(slot_span(o, SECTION_MORE_RANK), n, &c->more_rank);
}

/* Opens the column of nested documents. */
static bool
open_nested_column(const struct opening *o, const struct slot_meta *m, struct terms *t)
{
	struct span ids = slot_span(o, SECTION_COLUMN_NESTED);
	uint64_t n = o->s->nnested;

	if (ids.n == 0)
		return true;
	t->nested_column = (struct column){ .width = m->nested_width, .k = 1, .ids = ids.p };
	return is_width(m->nested_width) && ids.n == n * m->nested_width &&
	       check_ids(o, ids.p, m->nested_width, n, t->n + UINT64_C(1));
}

/* Opens the combinations of documents. Their places are those of a column of `n` documents. */
static bool
open_combinations(const struct opening *o, const struct terms *t, uint8_t k, struct column *c)
{
	struct span number = slot_span(o, SECTION_COLUMN), ids = slot_span(o, SECTION_COMBINATIONS);
	uint64_t n = k > 0 ? ids.n / c->width / k : 0;

	if (n == 0 || n > COMBINATIONS_MAX || k > COLUMN_K_MAX || c->width > sizeof(uint16_t))
		return false;
	c->ids = ids.p;
	c->k = k;
	c->comb = (struct combinations){
		.n = (uint32_t)n, .width = n <= COMBINATIONS_SHORT ? 1 : 2, .number = number.p
	};
	return ids.n == n * k * c->width && number.n == (uint64_t)c->ndocs * c->comb.width &&
	       check_ids(o, number.p, c->comb.width, c->ndocs, n) &&
	       check_ids(o, ids.p, c->width, n * k, t->n + (uint64_t)k);
}

/* Opens the places of documents. */
static bool
open_places(
    const struct opening *o, const struct slot_meta *m, const struct terms *t, struct column *c)
{
	struct span ids = slot_span(o, SECTION_COLUMN);
	const struct segment *s = o->s;
	uint64_t n = (uint64_t)s->ndocs * m->k;

	if (m->k >= COLUMN_COMBINATIONS && m->k != COLUMN_ROWS)
		return open_combinations(o, t, m->k - COLUMN_COMBINATIONS, c);
	c->ids = ids.p;
	c->k = m->k;
	if (m->k == COLUMN_ROWS) {
		c->first = s->first;
		c->nplaces = s->nnested;
		c->k = 1;
		n = s->nnested;
	}
	if (m->k != COLUMN_ROWS && (m->k == 0 || m->k > COLUMN_K_MAX || (m->k & (m->k - 1)) != 0))
		return false;
	return ids.n == n * c->width && check_ids(o, ids.p, c->width, n, t->n + (uint64_t)c->k);
}

/* Opens the columns of a slot. A place without a value has a number above all terms, and each of
 * the k places of a document has another one, t->n up to t->n + k - 1 (write/build_column.c draws
 * them). Readers therefore count missing values like terms, without a branch. So the limit of the
 * numbers is t->n + k here, and t->n for the values that did not fit (MORE_IDS), of which none is
 * missing. */
static bool
open_column(const struct opening *o, const struct slot_meta *m, struct terms *t)
{
	struct span more = slot_span(o, SECTION_MORE_IDS);
	struct column *c = &t->column;

	if (!open_nested_column(o, m, t))
		return false;
	if (slot_span(o, SECTION_COLUMN).n == 0)
		return true;
	*c = (struct column){
		.width = m->width, .ndocs = o->s->ndocs, .nmore = m->more, .more_ids = more.p
	};
	if (!is_width(c->width) || !open_places(o, m, t, c))
		return false;
	if (c->nmore == 0)
		return true;
	c->nids = more.n / c->width;
	return open_more(o, c) &&
	       open_u32s(slot_span(o, SECTION_MORE_AT), c->nmore + UINT64_C(1), &c->more_at) &&
	       check_offsets(o, c->more_at, c->nmore, c->nids) &&
	       check_ids(o, c->more_ids, c->width, c->nids, t->n);
}

bool
open_slot(struct opening *o, const struct schema_field *f, const struct slot_meta *m,
    uint64_t names, struct terms *t)
{
	*t = (struct terms){ .n = m->n, .form = m->form, .nested = f->nested };
	return m->form < TERM_FORMS && t->n != UINT32_MAX && open_dictionary(o, t) &&
	       open_postings(o, f, t) && open_values(o, f, t) && open_column(o, m, t) &&
	       optional_ids(o, slot_span(o, SECTION_LABEL), t->n, names + 1, &t->label);
}
