/* SPDX-License-Identifier: ISC */
/* Dictionaries: their orders, lookups, and the cost of patterns. DNS names are ordered by labels
   from the right (com, com.example, com.example.www), so that a domain and all its subdomains are
   one range of terms. Buckets are ordered by bytes, however; SECTION_RANK has that order. */
#include "config.h"

#include "search/index/format/mapped.h"
#include "search/index/format/terms.h"

#include "base/encode.h"
#include "base/limits.h"

/* A reader of a block of terms. A number that is outside of the bytes, which only damage causes,
   ends the block. */
struct term_block {
	const unsigned char *p, *end;
};

static size_t
take_length(struct term_block *b)
{
	size_t v = 0;

	for (unsigned shift = 0; shift < 35 && b->p < b->end; shift += 7) {
		unsigned char c = *b->p++;

		v |= (size_t)(c & 0x7f) << shift;
		if (c < 0x80)
			return v;
	}
	return SIZE_MAX;
}

static size_t
add_length(size_t n, size_t more)
{
	return more > SIZE_MAX - n ? SIZE_MAX : n + more;
}

/* Reads the number of bytes that a text shares with the one before, and the number of its own
   bytes. */
static void
take_lengths(struct term_block *b, size_t *shared, size_t *own)
{
	unsigned char both;

	if (b->p == b->end) {
		*shared = *own = SIZE_MAX;
		return;
	}
	both = *b->p++;
	*shared = both >> 4;
	*own = both & TERM_LONG;
	if (*shared == TERM_LONG)
		*shared = add_length(*shared, take_length(b));
	if (*own == TERM_LONG)
		*own = add_length(*own, take_length(b));
}

/* Builds the nth text of a block: each text keeps a part of the one before, which for names is at
   the end of the room. A text that does not fit into the room shares nothing. */
static struct str
read_text(const struct terms *t, struct term_block b, uint32_t nth, struct term_text *room)
{
	char *end = room->bytes + sizeof(room->bytes);
	bool names = t->form == FORM_NAMES;
	size_t n = 0, shared, own;

	for (uint32_t i = 0;; i++) {
		take_lengths(&b, &shared, &own);
		if (shared > n || own > (size_t)(b.end - b.p))
			return STR("");
		if (i == nth && shared == 0)
			return (struct str){ (const char *)b.p, own };
		n = shared + own;
		if (own > sizeof(room->bytes) - shared)
			n = 0;
		else
			memcpy(names ? end - n : room->bytes + shared, b.p, own);
		b.p += own;
		if (i == nth)
			return (struct str){ names ? end - n : room->bytes, n };
	}
}

/* The result is inside the mapping or the room whatever the file contains: its pages may have been
   replaced by zeros since it was verified (mapped.c). */
struct str
terms_str(const struct terms *t, uint32_t id, struct term_text *room)
{
	uint32_t at = id / TERM_BLOCK, from, to;
	const unsigned char *bytes = (const unsigned char *)t->bytes;

	if (t->form == FORM_HEX) {
		hex_print(room->bytes, bytes + (size_t)id * t->size, t->size);
		return (struct str){ room->bytes, 2 * (size_t)t->size };
	}
	from = t->at[at];
	to = t->at[at + 1];
	if (from > to || to > t->nbytes)
		return STR("");
	return read_text(t, (struct term_block){ bytes + from, bytes + to }, id % TERM_BLOCK, room);
}

void
terms_ahead(const struct terms *t, uint32_t from, uint32_t to)
{
	if (t->at == NULL || t->fold != NULL || to <= from || to > t->n)
		return;
	from /= TERM_BLOCK;
	to /= TERM_BLOCK;
	mapped_ahead(t->at + from, (to - from) * sizeof(*t->at));
	if (t->at[from] <= t->at[to] && t->at[to] <= t->nbytes)
		mapped_ahead(t->bytes + t->at[from], t->at[to] - t->at[from]);
}

bool
terms_joinable(const struct terms *a, const struct terms *b)
{
	bool texts = (a->form == FORM_STRINGS || a->form == FORM_HEX) &&
		     (b->form == FORM_STRINGS || b->form == FORM_HEX);

	return texts || a->form == b->form;
}

/* Removes the last label from s and returns it. */
static struct str
cut_last_label(struct str *s)
{
	size_t i = s->n;
	struct str label;

	while (i > 0 && s->p[i - 1] != '.')
		i--;
	label = (struct str){ s->p + i, s->n - i };
	s->n = i > 0 ? i - 1 : 0;
	return label;
}

int
names_cmp(struct str a, struct str b)
{
	while (a.n > 0 && b.n > 0) {
		int c = str_cmp(cut_last_label(&a), cut_last_label(&b));

		if (c != 0)
			return c;
	}
	return (a.n > 0) - (b.n > 0);
}

static int
compare_by_form(const struct terms *t, struct str a, struct str b)
{
	return t->form == FORM_NAMES ? names_cmp(a, b) : str_cmp(a, b);
}

uint32_t
terms_lower(const struct terms *t, struct str s)
{
	uint32_t lo = 0, hi = t->n;
	struct term_text room;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (compare_by_form(t, terms_str(t, mid, &room), s) < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

uint32_t
terms_lower_int(const struct terms *t, int64_t v)
{
	uint32_t lo = 0, hi = t->n;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (t->ints[mid] < v)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

uint32_t
terms_find(const struct terms *t, struct str s)
{
	uint32_t i = t->n == 0 ? t->n : terms_lower(t, s);
	struct term_text room;

	return i < t->n && str_eq(terms_str(t, i, &room), s) ? i : t->n;
}

uint32_t
terms_find_int(const struct terms *t, int64_t v)
{
	uint32_t i = t->form == FORM_INTS ? terms_lower_int(t, v) : t->n;

	return i < t->n && t->ints[i] == v ? i : t->n;
}

int
terms_order(const struct terms *a, uint32_t i, const struct terms *b, uint32_t j)
{
	struct term_text room, room_b;

	if (a->form == FORM_INTS)
		return (a->ints[i] > b->ints[j]) - (a->ints[i] < b->ints[j]);
	if (a->form == FORM_HEX && b->form == FORM_HEX && a->size == b->size)
		return memcmp(
		    a->bytes + (size_t)i * a->size, b->bytes + (size_t)j * b->size, a->size);
	return compare_by_form(a, terms_str(a, i, &room), terms_str(b, j, &room_b));
}

int
terms_cmp(const struct terms *a, uint32_t i, const struct terms *b, uint32_t j)
{
	struct term_text room, room_b;

	if (a == b && a->rank != NULL)
		return (a->rank[i] > a->rank[j]) - (a->rank[i] < a->rank[j]);
	if (a == b)
		return (i > j) - (i < j);
	if (a->form == FORM_INTS)
		return (a->ints[i] > b->ints[j]) - (a->ints[i] < b->ints[j]);
	return str_cmp(terms_str(a, i, &room), terms_str(b, j, &room_b));
}

bool
terms_bucketable(const struct terms *t, uint32_t id)
{
	struct term_text room;
	struct str s;

	if (t->form == FORM_INTS)
		return true;
	s = terms_str(t, id, &room);
	return s.n > 0 && (s.n <= LIM_BUCKET_VALUE || str_chars(s) <= LIM_BUCKET_VALUE);
}

/* ---- patterns ---- */

/* The longest part of a pattern without a star. */
static size_t
longest_run(struct str p)
{
	size_t longest = 0, n = 0;

	for (size_t i = 0; i < p.n; i++) {
		n = p.p[i] == '*' ? 0 : n + 1;
		if (n > longest)
			longest = n;
	}
	return longest;
}

uint64_t
glob_cost(struct str p, struct str s)
{
	enum { BYTES_A_VALUE = 16 };
	size_t run = s.n < p.n ? s.n : longest_run(p);

	return 1 + (uint64_t)s.n * (run < s.n ? run : s.n) / BYTES_A_VALUE;
}

struct str
glob_prefix(struct str p)
{
	size_t n = 0;

	while (n < p.n && p.p[n] != '*' && p.p[n] != '?')
		n++;
	return (struct str){ p.p, n };
}

/* Narrows a pattern of DNS names to a subtree, which is a range of the dictionary. The part
 * behind the last wildcard is fixed; its first label may be incomplete, so the subtree begins
 * behind the next dot:
 *
 *   *.example.com      example.com        *ple.com       com
 *   www.*.example.com  example.com        www*           none: every name is compared */
struct str
glob_subtree(struct str p)
{
	size_t from = 0;

	for (size_t i = 0; i < p.n; i++)
		if (p.p[i] == '*' || p.p[i] == '?')
			from = i + 1;
	while (from > 0 && from < p.n && p.p[from] != '.')
		from++;
	if (from > 0)
		from++;
	return from < p.n ? (struct str){ p.p + from, p.n - from } : STR_NULL;
}

/* ---- integer keys of numbers and texts ---- */

/* As integers, the bits of positive doubles have the order of the doubles, and those of negative
   ones the reverse. */
int64_t
number_key(double n)
{
	int64_t bits;

	n += 0.0; /* -0 is 0 */
	memcpy(&bits, &n, sizeof(bits));
	return bits < 0 ? (int64_t)((uint64_t)INT64_MIN - (uint64_t)bits) : bits;
}

double
number_of_key(int64_t key)
{
	int64_t bits = key < 0 ? (int64_t)((uint64_t)INT64_MIN - (uint64_t)key) : key;
	double n;

	memcpy(&n, &bits, sizeof(n));
	return n;
}

int64_t
text_key(struct str s)
{
	return (int64_t)index_checksum(s.p, s.n, 0x7465787400000000u);
}

uint32_t
text_hash(struct str s)
{
	uint32_t h = (uint32_t)text_key(s);

	return h == 0 ? 1 : h;
}
