/* SPDX-License-Identifier: ISC */
/* Verifies the numbers of a segment when it is opened. The sizes of all arrays are checked, and for
   a file that is not trusted also the order of offsets and the range of terms and documents. A
   wrong number is then known before the first query. This does not protect later reads, because the
   file may be damaged while it is mapped. mapped.h states the rule for readers. */
#include "config.h"

#include "search/index/format/segment_priv.h"

struct span
slot_span(const struct opening *o, enum section_kind kind)
{
	return mapped_span(&o->s->file, o->slot, kind);
}

/* ---- content ---- */

/* Whether offsets ascend from 0 to limit. They are not read in a file that its writer has verified,
   because a worker that opens the index would wait for the disk at each of them. */
bool
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

bool
check_ids(const struct opening *o, const void *ids, uint8_t width, uint64_t n, uint64_t limit)
{
	return o->s->file.trusted || ids_below(ids, width, n, limit);
}

bool
open_u32s(struct span s, uint64_t n, const uint32_t **out)
{
	*out = (const uint32_t *)(const void *)s.p;
	return s.n == n * sizeof(uint32_t);
}

bool
optional_ids(
    const struct opening *o, struct span s, uint64_t n, uint64_t limit, const uint32_t **out)
{
	*out = NULL;
	return s.p == NULL || s.n == 0 || (open_u32s(s, n, out) && check_ids(o, *out, 4, n, limit));
}

bool
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
