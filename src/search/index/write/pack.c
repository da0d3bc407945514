/* SPDX-License-Identifier: ISC */
/* Numbers that few documents have, and bits whose ones can be counted up to any place. */
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

/* Leaves out the zeros when they are more than an eighth; the bits cost less then. */
void
write_packed(
    struct segment_writer *w, enum section_kind kind, size_t slot, uint32_t *values, uint32_t n)
{
	static const enum section_kind kinds[] = { SECTION_HAS, SECTION_HAS_BEFORE };
	uint64_t *bits = mem_array(n / 64 + UINT64_C(1), sizeof(*bits));
	uint32_t found = 0;

	for (uint32_t i = 0; i < n; i++) {
		bits[i >> 6] |= (uint64_t)(values[i] != 0) << (i & 63);
		found += values[i] != 0;
	}
	if (found > 0 && found < n - n / 8) {
		found = 0;
		for (uint32_t i = 0; i < n; i++)
			if (values[i] != 0)
				values[found++] = values[i];
		write_ranked(w, kinds, slot, bits, n);
		n = found;
	}
	if (found > 0)
		section_write(w, kind, slot, values, n * sizeof(*values));
	free(bits);
}
