/* SPDX-License-Identifier: ISC */
/* Finds the documents and the slots of an open segment. */
#include "config.h"

#include "search/index/format/segment.h"

#include <inttypes.h>

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

/* The lowest address whose key is not less than a key of another length, which is cut or filled
   with zeros. */
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
