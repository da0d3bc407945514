/* SPDX-License-Identifier: ISC */
/* The keys of the documents of a segment (record.h), in ascending order, where they are not the
 * addresses of hosts. Neighbours begin with the same bytes: the records of a name, the names of a
 * domain, the certificates of a second. So a key is stored as the number of bytes that it shares
 * with the key before it, and the rest. Every KEY_BLOCK keys a key is stored whole, and
 * SECTION_KEY_AT has its place:
 *
 *   org 01 example 01 00 ...     0 19 org 01 example 01 00 ...     whole: the first of a block
 *   org 01 example 01 00 ..x     18 1 x
 *   org 01 example 01 www 01     12 6 www 01 ...                   numbers are varints of one or two bytes
 *
 * A search compares the first keys of blocks, and then walks one block. As everywhere (mapped.h), a
 * number is compared with its bounds each time it is read, so a damaged file gives a wrong key and
 * never reads beyond the section. */
#ifndef SEARCH_INDEX_FORMAT_KEYS_H
#define SEARCH_INDEX_FORMAT_KEYS_H

#include "search/index/format/format.h"
#include "search/index/format/index.h"

enum { KEY_BLOCK = 16 };

struct segment_key {
	size_t n;
	unsigned char bytes[KEY_MAX];
};

static inline struct str
segment_key_str(const struct segment_key *k)
{
	return (struct str){ (const char *)k->bytes, k->n };
}

/* The keys of a mapped segment. */
struct keys {
	uint32_t n;
	const uint64_t *at;
	const unsigned char *bytes;
	uint64_t nbytes;
};

/* Keys while a segment is built; they are added in ascending order. */
struct key_list {
	uint32_t n;
	struct buf at, bytes;
	struct segment_key last;
};

/* returns false when the key is not greater than the last one */
bool keys_add(struct key_list *l, struct str key) MUST_USE;
void keys_free(struct key_list *l);

void keys_read(const struct keys *k, uint32_t i, struct segment_key *out);
/* Returns the first key that is not less than the key, or k->n. */
uint32_t keys_lower(const struct keys *k, struct str key);
/* Whether all keys can be read and ascend. */
bool keys_are_whole(const struct keys *k);

/* The key of an address (4 or 6, and its bytes), and the address of a key. */
struct str address_key(const unsigned char ip[16], struct segment_key *out);
bool address_of_key(struct str key, unsigned char ip[16]) MUST_USE;

#endif
