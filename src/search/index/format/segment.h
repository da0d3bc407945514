/* SPDX-License-Identifier: ISC */
/* A mapped segment: its documents by key, and its slots by field. */
#ifndef SEARCH_INDEX_FORMAT_SEGMENT_H
#define SEARCH_INDEX_FORMAT_SEGMENT_H

#include "search/index/format/keys.h"
#include "search/index/format/mapped.h"
#include "search/index/format/pairs.h"
#include "search/index/format/terms.h"

struct segment {
	enum dataset dataset;
	struct mapped file;
	unsigned refs;
	uint32_t ndocs, nv4, nnested;
	/* The keys of the documents. Addresses have a form of their own, because they are 4 bytes
	   in most segments. */
	bool addresses;
	const uint32_t *ip4;
	const unsigned char *ip6;
	struct keys keys;
	const uint32_t *first;
	const uint32_t *owner_base; /* segment_owner */
	const uint8_t *owner_step;
	struct terms *slots; /* [field][part], fields in the order of this release's schema */
	bool *has;           /* [field]: the segment was built with it */
	uint32_t *place;     /* [field]: its place among the fields of the file, where it has it */
	struct pairs pairs;
};

struct segment *segment_open(const char *directory, const struct index_segment *want,
    enum segment_check check, char err[INDEX_FAULT]);
/* Opens what a writer has written so far: everything but the pair totals. NULL when that fails. */
struct segment *segment_unfinished(
    enum dataset d, const struct segment_writer *w, const struct segment_header *h);
void segment_close(struct segment *s); /* releases one reference */
void segment_path(const char *directory, enum dataset d, uint64_t id, char *out, size_t room);
/* The key of a document, in *out. */
struct str segment_key(const struct segment *s, uint32_t doc, struct segment_key *out);
/* The first document whose key is not less; the key may be any bytes. */
uint32_t segment_lower(const struct segment *s, struct str key);
/* Finds the document with this key. */
bool segment_find(const struct segment *s, struct str key, uint32_t *doc) MUST_USE;
/* The same by addresses, where they are the keys. */
void segment_ip(const struct segment *s, uint32_t doc, unsigned char out[16]);
uint32_t segment_lower_ip(const struct segment *s, const unsigned char ip[16]);
/* The documents of a network: [*lo, *hi). */
void segment_net(const struct segment *s, const struct ipnet *net, uint32_t *lo, uint32_t *hi);
const struct terms *segment_terms(
    const struct segment *s, const struct schema_field *f, enum part p);
/* The slot of a field among those of the file. */
uint32_t segment_slot(const struct segment *s, const struct schema_field *f, enum part p);
/* The same, by a search among the documents. */
uint32_t segment_find_owner(const struct segment *s, uint32_t nested);

/* The document of a nested document. Damage may give one that does not exist. */
static inline uint32_t
segment_owner(const struct segment *s, uint32_t nested)
{
	if (s->owner_step[nested] == OWNER_FAR)
		return segment_find_owner(s, nested);
	return s->owner_base[nested / OWNER_BLOCK] + s->owner_step[nested];
}

/* The number of documents of a level. */
uint32_t segment_level(const struct segment *s, enum level l);
/* The place of a field among those of the file, or the file's nfields when it was built without the
   field. */
size_t field_place(const struct mapped *m, const struct schema_field *f);
bool ids_below(const void *ids, uint8_t width, uint64_t n, uint64_t limit);

#endif
