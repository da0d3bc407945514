/* SPDX-License-Identifier: ISC */
/* Opens a segment. The sizes of all arrays are checked here, and for a file that is not trusted
   also the order of offsets and the range of terms and documents. A wrong number is then known
   before the first query. It is no proof for later: the file may be damaged in place while it is
   mapped. mapped.h states the rule for readers. */
#include "config.h"

#include "search/index/format/segment.h"
#include "search/index/format/column.h"

#include <inttypes.h>

struct opening {
	struct segment *s;
	size_t
	    slot; /* a slot of the file, whose fields may differ from the schema of this release */
};

void
segment_path(const char *directory, enum dataset d, uint64_t id, char *out, size_t room)
{
	int n =
	    snprintf(out, room, "%s/%s-%016" PRIx64 ".seg", directory, schema_dataset_name(d), id);

	if (n < 0 || (size_t)n >= room)
		panic("index directory name too long");
}

bool
index_segment_changed(const char *directory, const struct index_segment *s, char *path, size_t room)
{
	segment_path(directory, s->dataset, s->file.id, path, room);
	return mapped_changed(path, &s->file.mark);
}

static struct span
slot_span(const struct opening *o, enum section_kind kind)
{
	return mapped_span(&o->s->file, o->slot, kind);
}

/* ---- content ---- */

/* Whether offsets ascend from 0 to limit. They are not looked at in a file that its writer has
   verified: at each a worker that opens the index would wait for the disk. */
static bool
check_offsets(const struct opening *o, const uint32_t *at, uint32_t n, uint64_t limit)
{
	bool trusted = o->s->file.trusted;
	bool ok = at != NULL && (trusted || (at[0] == 0 && at[n] == limit));

	for (uint32_t i = 0; ok && !trusted && i < n; i++)
		ok &= at[i] <= at[i + 1];
	return ok;
}

bool
ids_below(const void *ids, uint8_t width, uint64_t n, uint64_t limit)
{
	uint32_t max = 0;

	if (width == 1)
		for (uint64_t i = 0; i < n; i++)
			max = max > ((const uint8_t *)ids)[i] ? max : ((const uint8_t *)ids)[i];
	else if (width == 2)
		for (uint64_t i = 0; i < n; i++)
			max = max > ((const uint16_t *)ids)[i] ? max : ((const uint16_t *)ids)[i];
	else if (width == 3)
		for (uint64_t i = 0; i < n; i++)
			max = max > id_of_three(ids, i) ? max : id_of_three(ids, i);
	else
		for (uint64_t i = 0; i < n; i++)
			max = max > ((const uint32_t *)ids)[i] ? max : ((const uint32_t *)ids)[i];
	return n == 0 || max < limit;
}

static bool
check_ids(const struct opening *o, const void *ids, uint8_t width, uint64_t n, uint64_t limit)
{
	return o->s->file.trusted || ids_below(ids, width, n, limit);
}

static bool
open_u32s(struct span s, uint64_t n, const uint32_t **out)
{
	*out = (const uint32_t *)(const void *)s.p;
	return s.n == n * sizeof(uint32_t);
}

/* Whether the section is absent, or has n entries below limit. */
static bool
optional_ids(
    const struct opening *o, struct span s, uint64_t n, uint64_t limit, const uint32_t **out)
{
	*out = NULL;
	return s.p == NULL || s.n == 0 || (open_u32s(s, n, out) && check_ids(o, *out, 4, n, limit));
}

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

	if (s->file.head->version == INDEX_ARRAYS)
		return open_u32s(slot_span(o, SECTION_OWNER), s->nnested, &s->owner) &&
		       check_ids(o, s->owner, 4, s->nnested, s->ndocs);
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

static bool
open_strings(const struct opening *o, struct terms *t)
{
	struct span bytes = slot_span(o, SECTION_TERM_BYTES);
	uint32_t nat;

	t->each = o->s->file.head->version == INDEX_ARRAYS;
	nat = t->each ? t->n : t->n / TERM_BLOCK + (t->n % TERM_BLOCK != 0);
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

/* Opens n bits, `ones` of which are 1. */
static bool
open_ranked(const struct opening *o, const enum section_kind kinds[2], uint32_t n, uint32_t ones,
    struct ranked *out)
{
	struct span bits = slot_span(o, kinds[0]);
	uint32_t found = 0;
	bool ok;

	out->bits = (const uint64_t *)(const void *)bits.p;
	ok = bits.n == (n / 64 + UINT64_C(1)) * sizeof(*out->bits) &&
	     open_u32s(slot_span(o, kinds[1]), n / 64 + UINT64_C(1), &out->before);
	if (!ok || o->s->file.trusted)
		return ok;
	for (uint32_t w = 0; w <= n / 64; w++) {
		ok &= out->before[w] == found;
		found += (uint32_t)__builtin_popcountll(out->bits[w]);
	}
	return ok && found == ones && out->bits[n / 64] >> (n & 63) == 0;
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

/* Opens the postings of version 3. */
static bool
open_old_postings(const struct opening *o, enum level l, struct terms *t)
{
	static const enum section_kind counts[] = { SECTION_COUNT, SECTION_COUNT_NESTED };
	static const enum section_kind ats[] = { SECTION_AT, SECTION_AT_NESTED };
	struct span at = slot_span(o, ats[l]);

	t->old[l].at = (const uint64_t *)(const void *)at.p;
	return at.n == (t->n + UINT64_C(1)) * sizeof(uint64_t) &&
	       open_u32s(slot_span(o, counts[l]), t->n + UINT64_C(1), &t->old[l].count);
}

static bool
open_postings(const struct opening *o, const struct schema_field *f, struct terms *t)
{
	bool old = o->s->file.head->version == INDEX_ARRAYS;
	struct span blob = slot_span(o, SECTION_POSTINGS), count = slot_span(o, SECTION_COUNT);

	t->postings = t->own_postings = blob.p;
	t->npostings = t->nown_postings = blob.n;
	if (o->s->file.head->version >= INDEX_SHARED) {
		t->postings = o->s->file.map;
		t->npostings = o->s->file.size;
	}
	if (t->form == FORM_NONE)
		return true;
	if (!open_segment_rare(o, f, t))
		return false;
	if (!old && !open_u32s(slot_span(o, SECTION_PLACE), t->ncommon, &t->place))
		return false;
	for (int l = 0; old && l <= (f->nested ? LEVEL_NESTED : LEVEL_DOCUMENT); l++)
		if (!open_old_postings(o, l, t))
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
	return open_packed(o, SECTION_SECONDS, n, &t->seconds);
}

static bool
is_width(uint8_t width)
{
	return width >= 1 && width <= 4;
}

/* Opens the bits and ranks of the documents that have more terms than places. Former releases
   stored the documents themselves. */
static bool
open_more(const struct opening *o, struct column *c)
{
	struct segment *s = o->s;
	struct span words = slot_span(o, SECTION_MORE_WORDS);
	size_t n = column_words(s->ndocs);
	const uint32_t *docs;
	uint64_t *made;
	uint32_t *rank;

	c->more_words = (const uint64_t *)(const void *)words.p;
	if (words.n > 0)
		return words.n == n * sizeof(uint64_t) &&
		       open_u32s(slot_span(o, SECTION_MORE_RANK), n, &c->more_rank);
	if (!open_u32s(slot_span(o, SECTION_MORE_DOCS), c->nmore, &docs))
		return false;
	if (s->made == NULL)
		s->made = arena_new(SIZE_MAX / 4);
	c->more_words = made = ARENA_ARRAY(s->made, n, uint64_t);
	c->more_rank = rank = ARENA_ARRAY(s->made, n, uint32_t);
	column_rank(docs, c->nmore, s->ndocs, made, rank);
	return true;
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

/* Opens the places of documents. */
static bool
open_places(
    const struct opening *o, const struct slot_meta *m, const struct terms *t, struct column *c)
{
	struct span ids = slot_span(o, SECTION_COLUMN);
	const struct segment *s = o->s;
	uint64_t n = (uint64_t)s->ndocs * m->k;

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
 * the k places of a document has another one, t->n up to t->n + k - 1 (write_column in
 * build_slot.c draws them). Readers therefore count missing values like terms, without a branch.
 * So the limit of the numbers is t->n + k here, and t->n for the values that did not fit
 * (MORE_IDS), of which none is missing. */
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

static bool
open_slot(struct opening *o, const struct schema_field *f, const struct slot_meta *m,
    uint64_t names, struct terms *t)
{
	*t = (struct terms){
		.n = m->n, .form = m->form, .nested = f->nested, .version = o->s->file.head->version
	};
	return m->form < TERM_FORMS && t->n != UINT32_MAX && open_dictionary(o, t) &&
	       open_postings(o, f, t) && open_values(o, f, t) && open_column(o, m, t) &&
	       optional_ids(o, slot_span(o, SECTION_LABEL), t->n, names + 1, &t->label);
}

size_t
field_place(const struct mapped *m, const struct schema_field *f)
{
	struct span names = mapped_span(m, 0, SECTION_FIELDS);
	uint64_t want = index_field_hash(f);

	for (size_t i = 0; i < m->head->nfields && names.n / sizeof(want) > i; i++)
		if (memcmp(names.p + i * sizeof(want), &want, sizeof(want)) == 0)
			return i;
	return m->head->nfields;
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
	if (s->made != NULL)
		arena_free(s->made);
	free(s->slots);
	free(s->has);
	free(s->place);
	free(s);
}

/* ---- reading ---- */

const struct terms *
segment_terms(const struct segment *s, const struct schema_field *f, enum part p)
{
	return &s->slots[(size_t)f->index * PARTS + p];
}

uint32_t
segment_slot(const struct segment *s, const struct schema_field *f, enum part p)
{
	return s->place[f->index] * PARTS + p;
}

uint32_t
segment_level(const struct segment *s, enum level l)
{
	return l == LEVEL_NESTED ? s->nnested : s->ndocs;
}

static uint32_t
v4_of(const unsigned char ip[16])
{
	return (uint32_t)ip[12] << 24 | (uint32_t)ip[13] << 16 | (uint32_t)ip[14] << 8 | ip[15];
}

void
segment_ip(const struct segment *s, uint32_t doc, unsigned char out[16])
{
	if (doc >= s->nv4) {
		memcpy(out, s->ip6 + (size_t)(doc - s->nv4) * 16, 16);
		return;
	}
	memset(out, 0, 10);
	out[10] = out[11] = 0xff;
	for (int i = 0; i < 4; i++)
		out[12 + i] = (unsigned char)(s->ip4[doc] >> (24 - 8 * i));
}

uint32_t
segment_lower_ip(const struct segment *s, const unsigned char ip[16])
{
	bool four = ip_is_v4(ip);
	uint32_t lo = four ? 0 : s->nv4, hi = four ? s->nv4 : s->ndocs, v = four ? v4_of(ip) : 0;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;
		bool before = four ? s->ip4[mid] < v
				   : memcmp(s->ip6 + (size_t)(mid - s->nv4) * 16, ip, 16) < 0;

		if (before)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

uint32_t
segment_find_owner(const struct segment *s, uint32_t nested)
{
	uint32_t lo = 0, hi = s->ndocs;

	while (hi - lo > 1) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (s->first[mid] <= nested)
			lo = mid;
		else
			hi = mid;
	}
	return lo;
}

/* ---- keys ---- */

struct str
segment_key(const struct segment *s, uint32_t doc, struct segment_key *out)
{
	unsigned char ip[16];

	if (s->addresses) {
		segment_ip(s, doc, ip);
		return address_key(ip, out);
	}
	keys_read(&s->keys, doc, out);
	return segment_key_str(out);
}

/* The lowest address whose key is not less than a key that is none: it is cut, or filled with
   zeros. */
static uint32_t
lower_address(const struct segment *s, struct str key)
{
	bool four = key.n > 0 && key.p[0] == 4, six = key.n > 0 && key.p[0] == 6;
	size_t whole = four ? 5 : 17;
	char bytes[17] = { 0 };
	unsigned char ip[16], at[16];
	uint32_t doc;

	if (!four && !six)
		return key.n == 0 || key.p[0] < 4 ? 0 : key.p[0] == 5 ? s->nv4 : s->ndocs;
	memcpy(bytes, key.p, key.n < whole ? key.n : whole);
	(void)!address_of_key((struct str){ bytes, whole }, ip);
	if (six && ip_is_v4(ip)) { /* no IPv6 address: the one that follows all of these */
		memset(ip + 10, 0, 6);
		ip[9] = 1;
	}
	doc = segment_lower_ip(s, ip);
	if (key.n <= whole || doc == s->ndocs)
		return doc;
	segment_ip(s, doc, at);
	return doc + (memcmp(at, ip, sizeof(at)) == 0);
}

uint32_t
segment_lower(const struct segment *s, struct str key)
{
	unsigned char ip[16];

	if (!s->addresses)
		return keys_lower(&s->keys, key);
	return address_of_key(key, ip) ? segment_lower_ip(s, ip) : lower_address(s, key);
}

bool
segment_find(const struct segment *s, struct str key, uint32_t *doc)
{
	struct segment_key have;

	*doc = segment_lower(s, key);
	return *doc < s->ndocs && str_eq(segment_key(s, *doc, &have), key);
}

/* Finds the documents of a network. Documents are sorted by address, all IPv4 ones first, so a
 * network is a range:
 *
 *   IPv4 addresses, ascending | IPv6 addresses, ascending
 *   0                         nv4                        ndocs
 *
 * IPv4 addresses have the form ::ffff:a.b.c.d, and a short IPv6 prefix such as ::/0 would
 * contain them by its bits. An IPv6 network never contains IPv4 addresses, as in ipnet_contains,
 * so its range begins at nv4 at the earliest. */
void
segment_net(const struct segment *s, const struct ipnet *net, uint32_t *lo, uint32_t *hi)
{
	unsigned char last[16];
	bool four = ip_is_v4(net->a) && net->bits >= 96;
	uint32_t end = four ? s->nv4 : s->ndocs;

	memcpy(last, net->a, 16);
	for (unsigned bit = net->bits; bit < 128; bit++)
		last[bit / 8] |= (unsigned char)(0x80 >> bit % 8);
	*lo = segment_lower_ip(s, net->a);
	if (!four && *lo < s->nv4)
		*lo = s->nv4;
	*hi = segment_lower_ip(s, last);
	if (*hi < end) {
		unsigned char at[16];

		segment_ip(s, *hi, at);
		*hi += memcmp(at, last, 16) == 0;
	}
	if (!four && *hi < s->nv4)
		*hi = s->nv4;
}
