/* SPDX-License-Identifier: ISC */
/* The order of documents. A segment has its documents in the order of their keys, but a rebuild
 * reads a table of any size as it lies on the disk, because PostgreSQL would sort all of it in
 * temporary files. So documents are numbered as they arrive, and when the segment is written they
 * get their final numbers:
 *
 *   arrival               0          1          2                 nested documents   0 1    2    3 4
 *   key                   kiwi       apple      plum              owner              kiwi   apple plum
 *   renumber[DOCUMENT]    1          0          2                 renumber[NESTED]   1 2    0    3 4
 *
 * Keys, owners, dates and hashes are moved here. The pairs of document and term stay as they
 * arrived, since they are most of the memory: group_by_term renumbers the documents of each term
 * and sorts them (documents_sort).
 *
 * Documents that arrive in the order of their keys, as those of a merge do, keep their numbers. */
#include "config.h"

#include "search/index/write/build_priv.h"

/* ---- keys in order ---- */

static bool
add_address(struct index_builder *b, uint32_t doc, struct str key)
{
	unsigned char ip[16];

	if (!address_of_key(key, ip) || (doc > 0 && str_cmp(segment_key_str(&b->last), key) >= 0))
		return false;
	(void)address_key(ip, &b->last);
	if (ip_is_v4(ip)) {
		b->ip4 = grow_array(b->ip4, &b->ip4_room, b->nv4 + UINT64_C(1), sizeof(*b->ip4));
		b->ip4[b->nv4++] = (uint32_t)ip[12] << 24 | (uint32_t)ip[13] << 16 |
				   (uint32_t)ip[14] << 8 | ip[15];
	} else {
		size_t at = (size_t)(doc - b->nv4) * 16;

		b->ip6 = grow_array(b->ip6, &b->ip6_room, at + 16, 1);
		memcpy(b->ip6 + at, ip, 16);
	}
	return true;
}

bool
build_key(struct index_builder *b, uint32_t doc, struct str key)
{
	return b->addresses ? add_address(b, doc, key) : keys_add(&b->keys, key);
}

/* ---- keys as they arrive ---- */

static struct str
arrived_key(const struct index_builder *b, uint32_t doc)
{
	const size_t *at = b->arrived.at;

	return (struct str){ b->arrived.bytes.p + at[doc], at[doc + 1] - at[doc] };
}

int
arrived_cmp(const struct index_builder *b, uint32_t x, uint32_t y)
{
	return str_cmp(arrived_key(b, x), arrived_key(b, y));
}

bool
build_key_arrives(struct index_builder *b, struct str key)
{
	struct arrived *k = &b->arrived;
	unsigned char ip[16];

	if (b->addresses ? !address_of_key(key, ip) : key.n == 0 || key.n > KEY_MAX)
		return false;
	k->at = grow_array(k->at, &k->room, b->ndocs + UINT64_C(2), sizeof(*k->at));
	k->at[b->ndocs] = k->bytes.n;
	buf_str(&k->bytes, key);
	k->at[b->ndocs + 1] = k->bytes.n;
	k->mixed |= b->ndocs > 0 && arrived_cmp(b, b->ndocs - 1, b->ndocs) > 0;
	return true;
}

struct keyed {
	uint64_t first; /* the first bytes of the key; most comparisons need no more */
	uint32_t doc;
};

static int
by_arrived_key(const void *x, const void *y, void *arg)
{
	const struct keyed *a = x, *b = y;
	int c = (a->first > b->first) - (a->first < b->first);

	return c != 0 ? c : arrived_cmp(arg, a->doc, b->doc);
}

/* The documents in the order of their keys, by their numbers of arrival. */
static struct keyed *
sort_arrived(struct index_builder *b)
{
	struct keyed *sorted = mem_array(b->ndocs, sizeof(*sorted));

	for (uint32_t doc = 0; doc < b->ndocs; doc++) {
		struct str key = arrived_key(b, doc);

		sorted[doc].doc = doc;
		for (size_t i = 0; i < sizeof(sorted->first); i++)
			sorted[doc].first =
			    sorted[doc].first << 8 | (i < key.n ? (unsigned char)key.p[i] : 0);
	}
	if (b->arrived.mixed)
		qsort_r(sorted, b->ndocs, sizeof(*sorted), by_arrived_key, b);
	return sorted;
}

/* ---- the final numbers ---- */

/* Numbers the documents and their nested documents, and moves the owners. */
static void
number_arrived(struct index_builder *b, const struct keyed *sorted)
{
	uint32_t *numbers = mem_array(b->ndocs, sizeof(*numbers)), n = 0;
	uint32_t *nested = mem_array(b->nnested, sizeof(*nested));
	uint32_t *first = mem_array(b->ndocs + UINT64_C(1), sizeof(*first));

	for (uint32_t doc = 0; doc < b->ndocs; doc++) {
		uint32_t from = sorted[doc].doc;

		numbers[from] = doc;
		first[doc] = n;
		for (uint32_t i = b->first[from]; i < b->first[from + 1]; i++)
			nested[i] = n++;
	}
	first[b->ndocs] = n;
	for (uint32_t doc = 0; doc < b->ndocs; doc++)
		for (uint32_t i = first[doc]; i < first[doc + 1]; i++)
			b->owner[i] = doc;
	free(b->first);
	b->first = first;
	b->first_room = b->ndocs + 1;
	b->renumber[LEVEL_DOCUMENT] = numbers;
	b->renumber[LEVEL_NESTED] = nested;
}

static void
move_dates(struct dates *d, const uint32_t *numbers, uint32_t n)
{
	int64_t *moved = mem_array(n, sizeof(*moved));

	for (uint32_t i = 0; i < n; i++)
		moved[numbers[i]] = i < d->n ? d->p[i] : INT64_MIN;
	free(d->p);
	*d = (struct dates){ moved, n, n };
}

static void
move_hashes(struct hashes *h, const uint32_t *numbers, uint32_t n)
{
	uint32_t *moved = mem_array(n, sizeof(*moved));

	for (uint32_t i = 0; i < n; i++)
		moved[numbers[i]] = i < h->n ? h->p[i] : 0;
	free(h->p);
	*h = (struct hashes){ moved, n, n };
}

static void
move_values(struct index_builder *b)
{
	for (size_t i = 0; i < b->nfields; i++) {
		bool nested = b->fields[i].nested;
		const uint32_t *numbers = b->renumber[nested ? LEVEL_NESTED : LEVEL_DOCUMENT];
		uint32_t n = nested ? b->nnested : b->ndocs;

		if (b->dates[i].n > 0)
			move_dates(&b->dates[i], numbers, n);
		if (b->hashes[i].n > 0)
			move_hashes(&b->hashes[i], numbers, n);
	}
}

bool
build_order(struct index_builder *b)
{
	struct keyed *sorted = sort_arrived(b);
	bool ok = true;

	for (uint32_t doc = 0; ok && doc < b->ndocs; doc++)
		ok = build_key(b, doc, arrived_key(b, sorted[doc].doc));
	if (ok && b->arrived.mixed) {
		number_arrived(b, sorted);
		move_values(b);
	}
	free(sorted);
	arrived_free(&b->arrived);
	return ok;
}

void
arrived_free(struct arrived *k)
{
	buf_free(&k->bytes);
	free(k->at);
	*k = (struct arrived){ .room = 0 };
}

/* ---- the documents of a term ---- */

enum { DIGIT_BITS = 11, DIGITS = 1 << DIGIT_BITS, FEW_DOCUMENTS = 48 };

static void
insert_each(uint32_t *docs, uint32_t n)
{
	for (uint32_t i = 1; i < n; i++) {
		uint32_t doc = docs[i], k = i;

		for (; k > 0 && docs[k - 1] > doc; k--)
			docs[k] = docs[k - 1];
		docs[k] = doc;
	}
}

/* Orders documents by one digit of their number, from the lowest digit to the highest; equal digits
   keep their order. */
void
documents_sort(uint32_t *docs, uint32_t n, uint32_t most, uint32_t *room)
{
	if (n <= FEW_DOCUMENTS) {
		insert_each(docs, n);
		return;
	}
	for (unsigned shift = 0; shift < 32 && most >> shift > 0; shift += DIGIT_BITS) {
		uint32_t at[DIGITS + 1] = { 0 };

		for (uint32_t i = 0; i < n; i++)
			at[(docs[i] >> shift & (DIGITS - 1)) + 1]++;
		for (size_t d = 0; d < DIGITS; d++)
			at[d + 1] += at[d];
		for (uint32_t i = 0; i < n; i++)
			room[at[docs[i] >> shift & (DIGITS - 1)]++] = docs[i];
		memcpy(docs, room, n * sizeof(*docs));
	}
}
