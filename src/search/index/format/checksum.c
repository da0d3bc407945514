/* SPDX-License-Identifier: ISC */
/* A fast checksum against damaged and mistaken files. It does not protect against a forged
   file. */
#include "config.h"

#include "search/index/format/format.h"
#include "search/index/format/index.h"

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

void
checksum_begin(struct checksum *c, uint64_t n, uint64_t seed)
{
	*c = (struct checksum){ { seed ^ n, seed + MIX, seed ^ MIX2, seed + MIX2 } };
}

/* Four independent lanes let the CPU overlap their multiplications. */
void
checksum_add(struct checksum *c, const void *bytes, size_t n)
{
	const unsigned char *p = bytes;
	uint64_t lane[4];

	memcpy(lane, c->lane, sizeof(lane));
	for (size_t i = 0; i + CHECKSUM_UNIT <= n; i += CHECKSUM_UNIT)
		for (int k = 0; k < 4; k++)
			lane[k] = mix(lane[k], word_at(p + i + 8 * k));
	memcpy(c->lane, lane, sizeof(lane));
}

uint64_t
checksum_end(const struct checksum *c, const void *bytes, size_t n)
{
	const unsigned char *p = bytes;
	uint64_t h = mix(mix(mix(c->lane[0], c->lane[1]), c->lane[2]), c->lane[3]);

	for (size_t i = 0; i < n; i++)
		h = mix(h, p[i] + 1u);
	h = (h ^ h >> 32) * MIX2;
	return h ^ h >> 32;
}

uint64_t
index_checksum(const void *bytes, size_t n, uint64_t seed)
{
	size_t rest = n % CHECKSUM_UNIT;
	struct checksum c;

	checksum_begin(&c, n, seed);
	checksum_add(&c, bytes, n - rest);
	return checksum_end(&c, (const char *)bytes + (n - rest), rest);
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
