/* SPDX-License-Identifier: ISC */
/* Finds postings that the file already has, so that a segment stores each list of documents once.
 * Several fields often have the same documents: asn, as_name and organisation, a version and its
 * cpe, a product and its vendor, a certificate's common name and its only name.
 *
 *   posting --hash--> entry: place and size in the file --the same bytes?--> its place; the new one is dropped
 *
 * The bytes are compared, since anybody may choose banners whose hashes are equal. */
#include "config.h"

#include "search/index/write/share.h"

#include <unistd.h>
/* bytes; a smaller posting costs less than its entry */
enum { SHARE_LEAST = 16, SHARE_FIRST = 1 << 10 };

struct share_entry {
	uint64_t hash, at;
	uint32_t size; /* 0: unused */
};

/* The entry with this hash and size, or an unused one. */
static struct share_entry *
find_entry(struct share_entry *entries, size_t room, uint64_t hash, uint32_t size)
{
	size_t i = hash & (room - 1);

	while (entries[i].size != 0 && (entries[i].hash != hash || entries[i].size != size))
		i = (i + 1) & (room - 1);
	return &entries[i];
}

static void
grow_entries(struct share *s)
{
	size_t room = s->room == 0 ? SHARE_FIRST : s->room * 2;
	struct share_entry *entries = mem_array(room, sizeof(*entries));

	for (size_t i = 0; i < s->room; i++)
		if (s->entries[i].size != 0)
			*find_entry(entries, room, s->entries[i].hash, s->entries[i].size) =
			    s->entries[i];
	free(s->entries);
	s->entries = entries;
	s->room = room;
}

/* Whether the file has the bytes at an offset. */
static bool
file_has(const struct segment_writer *w, uint64_t at, const char *p, size_t n)
{
	char have[4096];

	while (n > 0) {
		ssize_t k = pread(w->file.fd, have, n < sizeof(have) ? n : sizeof(have), (off_t)at);

		if (k <= 0 || memcmp(have, p, (size_t)k) != 0)
			return false;
		p += k;
		n -= (size_t)k;
		at += (uint64_t)k;
	}
	return true;
}

uint64_t
share_bytes(struct share *s, const struct segment_writer *w, const struct buf *blob, size_t from)
{
	uint64_t base = w->at, at = base + from, hash;
	size_t n = blob->n - from;
	struct share_entry *e;

	if (n < SHARE_LEAST || n > UINT32_MAX)
		return at;
	if (s->n >= s->room / 2)
		grow_entries(s);
	hash = index_checksum(blob->p + from, n, 0);
	e = find_entry(s->entries, s->room, hash, (uint32_t)n);
	if (e->size == 0) {
		*e = (struct share_entry){ hash, at, (uint32_t)n };
		s->n++;
		return at;
	}
	if (e->at >= base ? memcmp(blob->p + (e->at - base), blob->p + from, n) == 0
			  : file_has(w, e->at, blob->p + from, n))
		return e->at;
	return at;
}

void
share_free(struct share *s)
{
	free(s->entries);
	*s = (struct share){ 0 };
}
