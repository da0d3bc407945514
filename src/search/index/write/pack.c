/* SPDX-License-Identifier: ISC */
/* Writes numbers that only some documents have, and bits whose ones can be counted up to any
   place. */
#include "config.h"

#include "search/index/write/build_priv.h"

void
write_ranked(struct segment_writer *w, const enum section_kind kinds[2], size_t slot,
    const uint64_t *bits, uint32_t n)
{
	size_t nwords = n / 64 + UINT64_C(1);
	uint32_t *before = mem_array(nwords, sizeof(*before)), ones = 0;

	for (size_t i = 0; i < nwords; i++) {
		before[i] = ones;
		ones += (uint32_t)__builtin_popcountll(bits[i]);
	}
	section_write(w, kinds[0], slot, bits, nwords * sizeof(*bits));
	section_write(w, kinds[1], slot, before, nwords * sizeof(*before));
	free(before);
}

static int
by_value(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

/* The values without repetitions, sorted. Returns NULL when there are more than fit into two bytes,
   or not much fewer than documents. */
static uint32_t *
find_few(const uint32_t *values, uint32_t n, uint32_t *few)
{
	uint32_t *sorted = mem_array(n, sizeof(*sorted));

	memcpy(sorted, values, n * sizeof(*sorted));
	qsort(sorted, n, sizeof(*sorted), by_value);
	*few = 0;
	for (uint32_t i = 0; i < n; i++)
		if (i == 0 || sorted[i] != sorted[*few - 1])
			sorted[(*few)++] = sorted[i];
	if (*few <= VALUES_FEW && *few <= n / 4)
		return sorted;
	free(sorted);
	return NULL;
}

/* Writes each value once, and its place for each document. Returns false when that is not
   smaller. */
static bool
write_few(struct segment_writer *w, enum section_kind kind, size_t slot, const uint32_t *values,
    uint32_t n)
{
	uint32_t few, *sorted = find_few(values, n, &few);
	size_t width = few > VALUES_SHORT ? sizeof(uint16_t) : 1;
	void *at;

	if (sorted == NULL)
		return false;
	at = mem_array(n, width);
	for (uint32_t i = 0; i < n; i++) {
		const uint32_t *found = bsearch(&values[i], sorted, few, sizeof(*sorted), by_value);

		if (width == 1)
			((uint8_t *)at)[i] = (uint8_t)(found - sorted);
		else
			((uint16_t *)at)[i] = (uint16_t)(found - sorted);
	}
	section_write(w, kind, slot, sorted, few * sizeof(*sorted));
	section_write(w, SECTION_VALUE_AT, slot, at, n * width);
	free(sorted);
	free(at);
	return true;
}

/* Leaves out the zeros when they are more than an eighth of the values: the bits that say which are
   left out are then smaller. A range of dates that each document has is compared by vectors of
   values (read/dates.c), so these stay in order. */
void
write_packed(
    struct segment_writer *w, enum section_kind kind, size_t slot, uint32_t *values, uint32_t n)
{
	static const enum section_kind kinds[] = { SECTION_HAS, SECTION_HAS_BEFORE };
	uint64_t *bits = mem_array(n / 64 + UINT64_C(1), sizeof(*bits));
	uint32_t found = 0;
	bool hashes = kind == SECTION_HASHES, some;

	for (uint32_t i = 0; i < n; i++) {
		bits[i >> 6] |= (uint64_t)(values[i] != 0) << (i & 63);
		found += values[i] != 0;
	}
	some = found > 0 && found < n - n / 8;
	if (some) {
		found = 0;
		for (uint32_t i = 0; i < n; i++)
			if (values[i] != 0)
				values[found++] = values[i];
		write_ranked(w, kinds, slot, bits, n);
		n = found;
	}
	if (found > 0 && !((some || hashes) && write_few(w, kind, slot, values, n)))
		section_write(w, kind, slot, values, n * sizeof(*values));
	free(bits);
}
