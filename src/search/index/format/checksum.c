/* SPDX-License-Identifier: ISC */
/* A fast checksum against damaged and mistaken files. It does not protect against a forged
   file. */
#include "config.h"

#include "search/index/format/format.h"

#define MIX 0x9e3779b97f4a7c15u
#define MIX2 0xd6e8feb86659fd93u

static uint64_t
word_at(const unsigned char *p)
{
	uint64_t w;

	memcpy(&w, p, sizeof(w));
	return w;
}

static uint64_t
mix(uint64_t h, uint64_t w)
{
	h = (h ^ w) * MIX;
	return h ^ h >> 29;
}

/* Four independent lanes let the CPU overlap their multiplications. */
uint64_t
index_checksum(const void *bytes, size_t n, uint64_t seed)
{
	const unsigned char *p = bytes;
	uint64_t lane[4] = { seed ^ n, seed + MIX, seed ^ MIX2, seed + MIX2 };
	uint64_t h;
	size_t i = 0;

	for (; i + 32 <= n; i += 32)
		for (int k = 0; k < 4; k++)
			lane[k] = mix(lane[k], word_at(p + i + 8 * k));
	h = mix(mix(mix(lane[0], lane[1]), lane[2]), lane[3]);
	for (; i < n; i++)
		h = mix(h, p[i] + 1u);
	h = (h ^ h >> 32) * MIX2;
	return h ^ h >> 32;
}

/* Two releases mean the same field when its dataset, name, type, facet and level are equal. The
   number of the dataset never changes, unlike its place among the datasets; that of hosts is 1, and
   the first releases had 0 here. */
uint64_t
index_field_hash(const struct schema_field *f)
{
	uint64_t number = (uint64_t)record_dataset_number(f->dataset) - 1;
	uint64_t h = index_checksum(f->name, strlen(f->name), number);

	return mix(h, (uint64_t)f->type * 4 + f->aggregatable * 2u + f->nested);
}
