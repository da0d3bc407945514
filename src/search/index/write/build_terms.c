/* SPDX-License-Identifier: ISC */
/* The dictionary of a slot: sorts the terms that arrived in any order, and writes them. Terms are
   compared by their first eight bytes as one integer, which decides most comparisons. */
#include "config.h"

#include "search/index/write/build_slot.h"
#include "base/encode.h"
#include "search/index/format/gaps.h"
#include "search/text.h"

struct sort_entry {
	uint64_t key; /* the first bytes, in the order of terms */
	uint32_t id;
};

/* ---- order ---- */

/* The labels from the right, joined by a byte that is less than all others: the key has the order
   of names_cmp. */
static uint64_t
name_key(struct str s)
{
	uint64_t key = 0;
	size_t end = s.n, n = 0;

	while (end > 0 && n < 8) {
		size_t start = end;

		while (start > 0 && s.p[start - 1] != '.')
			start--;
		for (size_t i = start; i < end && n < 8; i++, n++)
			key = key << 8 | (unsigned char)s.p[i];
		if (n < 8) {
			key <<= 8;
			n++;
		}
		end = start > 0 ? start - 1 : 0;
	}
	return n > 0 && n < 8 ? key << 8 * (8 - n) : key;
}

static uint64_t
bytes_key(struct str s)
{
	uint64_t key = 0;

	for (size_t i = 0; i < 8; i++)
		key = key << 8 | (i < s.n ? (unsigned char)s.p[i] : 0);
	return key;
}

static int
by_term(const void *x, const void *y, void *arg)
{
	const struct sort_entry *a = x, *b = y;
	const struct gather *g = arg;
	int c = (a->key > b->key) - (a->key < b->key);

	if (c != 0 || g->form == FORM_INTS)
		return c;
	return g->form == FORM_NAMES ? names_cmp(gather_term(g, a->id), gather_term(g, b->id))
				     : str_cmp(gather_term(g, a->id), gather_term(g, b->id));
}

/* Sorts the terms and remembers both directions: `terms` from the place in the dictionary to the
 * number by arrival, `order` back. Most comparisons are decided by a key of eight bytes, which
 * lies in the array that is sorted and not behind a pointer. The key must have the order of the
 * whole comparison, or be equal: an integer with its sign bit flipped, the first bytes of a
 * string, or the labels of a name from the right (name_key). */
void
slot_sort_terms(struct slot_job *j)
{
	struct gather *g = j->g;
	struct sort_entry *s = mem_array(g->n, sizeof(*s));

	for (uint32_t i = 0; i < g->n; i++) {
		s[i].id = i;
		s[i].key = g->form == FORM_INTS    ? (uint64_t)g->ints[i] ^ (UINT64_C(1) << 63)
			   : g->form == FORM_NAMES ? name_key(gather_term(g, i))
						   : bytes_key(gather_term(g, i));
	}
	qsort_r(s, g->n, sizeof(*s), by_term, g);
	j->terms = mem_array(g->n, sizeof(*j->terms));
	j->order = mem_array(g->n, sizeof(*j->order));
	for (uint32_t i = 0; i < g->n; i++) {
		j->terms[i] = s[i].id;
		j->order[s[i].id] = i;
	}
	free(s);
}

void
slot_keep_order(struct slot_job *j)
{
	j->terms = mem_array(j->g->n, sizeof(*j->terms));
	j->order = mem_array(j->g->n, sizeof(*j->order));
	for (uint32_t i = 0; i < j->g->n; i++)
		j->terms[i] = j->order[i] = i;
}

/* ---- dictionary ---- */

struct text_table {
	const uint64_t *at;
	const char *bytes;
};

static int
by_folded(const void *x, const void *y, void *arg)
{
	const struct text_table *f = arg;
	uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;
	int c = str_cmp((struct str){ f->bytes + f->at[a], f->at[a + 1] - f->at[a] },
	    (struct str){ f->bytes + f->at[b], f->at[b + 1] - f->at[b] });

	return c != 0 ? c : (a > b) - (a < b);
}

/* Writes the terms in the order of their folded text, unless all are folded already. */
static void
write_fold(struct slot_job *j)
{
	struct arena *a = arena_new(1u << 30);
	uint64_t *at = mem_array(j->g->n + UINT64_C(1), sizeof(*at));
	uint32_t *fold;
	struct buf folded = { 0 };
	bool same = true;

	for (uint32_t i = 0; i < j->g->n; i++) {
		struct str s = gather_term(j->g, j->terms[i]), f = text_fold(a, s);

		same &= str_eq(s, f);
		buf_str(&folded, f);
		at[i + 1] = folded.n;
		if (i % 1024 == 0)
			arena_reset(a);
	}
	if (!same) {
		struct text_table f = { at, folded.p };

		fold = mem_array(j->g->n, sizeof(*fold));
		for (uint32_t i = 0; i < j->g->n; i++)
			fold[i] = i;
		qsort_r(fold, j->g->n, sizeof(*fold), by_folded, &f);
		section_write(j->w, SECTION_FOLD, j->slot, fold, j->g->n * sizeof(*fold));
		free(fold);
	}
	buf_free(&folded);
	free(at);
	arena_free(a);
}

static int
by_bytes(const void *x, const void *y, void *arg)
{
	const struct slot_job *j = arg;

	return str_cmp(gather_term(j->g, j->terms[*(const uint32_t *)x]),
	    gather_term(j->g, j->terms[*(const uint32_t *)y]));
}

static void
write_rank(struct slot_job *j)
{
	uint32_t *sorted = mem_array(j->g->n, sizeof(*sorted)),
		 *rank = mem_array(j->g->n, sizeof(*rank));

	for (uint32_t i = 0; i < j->g->n; i++)
		sorted[i] = i;
	qsort_r(sorted, j->g->n, sizeof(*sorted), by_bytes, j);
	for (uint32_t i = 0; i < j->g->n; i++)
		rank[sorted[i]] = i;
	section_write(j->w, SECTION_RANK, j->slot, rank, j->g->n * sizeof(*rank));
	free(sorted);
	free(rank);
}

static void
write_ints(struct slot_job *j)
{
	int64_t *ints = mem_array(j->g->n, sizeof(*ints));

	for (uint32_t i = 0; i < j->g->n; i++)
		ints[i] = j->g->ints[j->terms[i]];
	section_write(j->w, SECTION_TERM_INTS, j->slot, ints, j->g->n * sizeof(*ints));
	free(ints);
}

/* Writes the terms as FORM_HEX. Returns false when they are not all hexadecimal and of one
   length. */
static bool
write_hex(struct slot_job *j)
{
	size_t digits = j->g->n == 0 ? 0 : gather_term(j->g, 0).n, size = digits / 2;
	unsigned char *bytes;
	bool hex = true;

	if (j->g->form != FORM_STRINGS || digits % 2 != 0 || digits < TERM_HEX_MIN ||
	    digits > TERM_HEX_MAX)
		return false;
	bytes = mem_array(j->g->n, size);
	for (uint32_t i = 0; hex && i < j->g->n; i++)
		hex = hex_parse(gather_term(j->g, j->terms[i]), bytes + i * size, size);
	if (hex) {
		j->meta->form = FORM_HEX;
		section_write(j->w, SECTION_TERM_BYTES, j->slot, bytes, j->g->n * size);
	}
	free(bytes);
	return hex;
}

static void
put_lengths(struct buf *b, size_t shared, size_t own)
{
	size_t high = shared < TERM_LONG ? shared : TERM_LONG,
	       low = own < TERM_LONG ? own : TERM_LONG;

	buf_char(b, (char)(high << 4 | low));
	if (high == TERM_LONG)
		gaps_put_number(b, shared - TERM_LONG);
	if (low == TERM_LONG)
		gaps_put_number(b, own - TERM_LONG);
}

/* The number of bytes that both texts begin with, or that both names end with. */
static size_t
count_shared(struct str a, struct str b, bool names)
{
	size_t n = 0, most = a.n < b.n ? a.n : b.n;

	if (a.n > TERM_SHORT || b.n > TERM_SHORT)
		return 0;
	while (n < most && (names ? a.p[a.n - n - 1] == b.p[b.n - n - 1] : a.p[n] == b.p[n]))
		n++;
	return n;
}

static void
write_strings(struct slot_job *j)
{
	uint32_t nat = 0, *at = mem_array(j->g->n / TERM_BLOCK + UINT64_C(2), sizeof(*at));
	bool names = j->g->form == FORM_NAMES;
	struct str last = STR("");
	struct buf bytes = { 0 };

	for (uint32_t i = 0; i < j->g->n; i++) {
		struct str s = gather_term(j->g, j->terms[i]);
		size_t shared;

		if (i % TERM_BLOCK == 0) {
			at[nat++] = (uint32_t)bytes.n;
			last = STR("");
		}
		shared = count_shared(s, last, names);
		put_lengths(&bytes, shared, s.n - shared);
		buf_add(&bytes, names ? s.p : s.p + shared, s.n - shared);
		last = s;
	}
	if (bytes.n > ceilings()->texts)
		j->b->full = "the texts of a field";
	at[nat++] = (uint32_t)bytes.n;
	section_write(j->w, SECTION_TERM_AT, j->slot, at, nat * sizeof(*at));
	section_write(j->w, SECTION_TERM_BYTES, j->slot, bytes.p, bytes.n);
	buf_free(&bytes);
	free(at);
	if (names && j->field->aggregatable)
		write_rank(j);
	if (j->field->type == VALUE_KEYWORD)
		write_fold(j);
}

void
slot_write_terms(struct slot_job *j)
{
	if (j->g->form == FORM_INTS)
		write_ints(j);
	else if (!write_hex(j))
		write_strings(j);
}
