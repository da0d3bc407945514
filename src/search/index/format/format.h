/* SPDX-License-Identifier: ISC */
/* The files of the index as they are on the disk. index.h explains the terms.
 *
 * A segment and a file of ordinals have the same frame:
 *
 *   +----------------+----------+----------+-- ... --+-----------------+
 *   | segment_header | section  | section  |         | table: sections |
 *   +----------------+----------+----------+-- ... --+-----------------+
 *   0                each begins at a multiple of     ^ header.table_at
 *                    INDEX_ALIGN; zeros between
 *
 * A section is an array of one type, identified by its kind and its slot. An absent section is an
 * empty array. The header has a checksum of itself and the table, the table has one of each
 * section, and the bytes between sections must be zero: so every byte of a file is covered.
 *
 * A term is its number in the order of its dictionary. The number n, one past the last term, has a
 * meaning too: as a posting it is "every document that has a value", in a column it is "no value".
 *
 * A posting begins at SECTION_AT[term], an offset in SECTION_POSTINGS, in the cheapest of three
 * forms:
 *
 *   1 document               no bytes at all: SECTION_AT has the document itself
 *   up to POSTING_SMALL      uint32_t documents[count]
 *   more                     uint32_t nblocks, 0; struct posting_block[nblocks]; then for each block of
 *                            65536 documents uint16_t[] (up to POSTING_ARRAY) or a bitmap
 *
 * A posting of documents is not stored, and SECTION_AT is INDEX_NEVER, when the term has few nested
 * documents: the reader derives the documents from the posting of nested documents.
 *
 * An address is a term of 5 or 17 bytes: 4 or 6, then its bytes. So IPv4 addresses come first, each
 * network is a range of terms, and the order of buckets is that of addresses. A field of type IP
 * has no terms where it is the key of the document: there a network is a range of documents.
 *
 *   04 0a000001   04 0a000002   04 c0000201 | 06 20010db8...01     10.0.0.0/8 is the first two
 *
 * All numbers have the byte order of the machine that wrote them; a file of another byte order is
 * refused. */
#ifndef SEARCH_INDEX_FORMAT_FORMAT_H
#define SEARCH_INDEX_FORMAT_FORMAT_H

#include "search/schema.h"

#define INDEX_VERSION 4
#define INDEX_NEVER UINT64_MAX

enum { INDEX_BLOCK = 65536, INDEX_BLOCK_WORDS = INDEX_BLOCK / 64, INDEX_ALIGN = 64 };

enum level { LEVEL_DOCUMENT, LEVEL_NESTED, LEVELS };
enum part { PART_VALUES, PART_TOKENS, PARTS };

/* The type of the terms of a slot, and their order. */
enum term_form {
	FORM_NONE,    /* no terms: the slot is unused or has only dates */
	FORM_STRINGS, /* ordered by bytes */
	FORM_NAMES,   /* DNS names, ordered by labels from the right: a subtree is a range */
	FORM_INTS,    /* ordered by value */
	FORM_ADDRS, /* addresses as keys of hosts (address_key), ordered by bytes: a network is a range */
	TERM_FORMS,
};

enum section_kind {
	SECTION_SLOTS,      /* struct slot_meta[nslots] */
	SECTION_IP4,        /* uint32_t, host order, ascending */
	SECTION_IP6,        /* 16 bytes each, ascending; these documents follow those of IP4 */
	SECTION_FIRST,      /* uint32_t[ndocs + 1]: the first nested document of a document */
	SECTION_OWNER,      /* uint32_t[nnested]: the document of a nested document */
	SECTION_TERM_AT,    /* uint32_t[n + 1]: offsets in TERM_BYTES */
	SECTION_TERM_BYTES, /* all strings, without separators */
	SECTION_TERM_INTS,  /* int64_t[n] */
	SECTION_FOLD, /* uint32_t[n]: terms ordered by folded text; absent: that order is the same */
	SECTION_RANK,  /* uint32_t[n]: the place of a term in the order of bytes (FORM_NAMES) */
	SECTION_COUNT, /* uint32_t[n + 1]: the number of documents of a term */
	SECTION_COUNT_NESTED,
	SECTION_AT, /* uint64_t[n + 1]: where the posting of a term is */
	SECTION_AT_NESTED,
	SECTION_POSTINGS,
	SECTION_COLUMN, /* k terms a document, of slot_meta.width bytes each */
	SECTION_COLUMN_NESTED,
	SECTION_MORE_DOCS, /* uint32_t[more]: documents with more than k terms; former releases */
	SECTION_MORE_AT,   /* uint32_t[more + 1]: offsets in MORE_IDS */
	SECTION_MORE_IDS,  /* the terms that the column has no place for */
	SECTION_LABEL, /* uint32_t[n]: for a field with labels (asn), the term of its label (as_name) */
	SECTION_FIELDS, /* uint64_t[nfields], slot 0: field hashes, in the order of the slots */
	SECTION_BEFORE, /* uint64_t[], slot 0 of ordinals: ids of the segments, its own last */
	SECTION_MAP,    /* uint32_t[n], one slot a field: the ordinal of each term */
	SECTION_DATES,  /* int64_t a document of the field's own level; INT64_MIN: no date */
	SECTION_KEY_AT, /* uint64_t[blocks + 1]: where each block of KEY_BLOCK keys begins in KEYS */
	SECTION_KEYS,   /* the keys of documents that have no addresses as keys (keys.h) */
	SECTION_PAIR_TERMS, /* struct pair_term[]: the frequent terms; this and the next three of slot 0 (pairs.h) */
	SECTION_PAIR_SLOTS, /* uint32_t[]: the slots that are counted */
	SECTION_PAIR_AT,    /* uint64_t[terms * slots + 1]: offsets in PAIRS */
	SECTION_PAIRS,      /* cells */
	SECTION_MORE_WORDS, /* uint64_t[words]: one bit a document: it has more than k terms */
	SECTION_MORE_RANK,  /* uint32_t[words]: the number of bits in the words before */
	SECTIONS,
};

struct section {
	uint32_t kind, slot;
	uint64_t at, n, checksum;
};

struct slot_meta {
	uint32_t n, more;
	uint8_t form, width, k, nested_width;
};

struct segment_header {
	char magic[8];
	uint32_t version, endian;
	uint64_t id, size, table_at;
	uint32_t ndocs, nv4, nnested, nslots, nsections, nfields;
	uint64_t checksum; /* covers the header with 0 in this place, then the table */
};

struct manifest_header {
	char magic[8];
	uint32_t version, endian;
	uint64_t reserved2, generation, size;
	uint64_t checksum; /* covers the header with 0 in this place, then the body */
	int64_t published_us;
	uint64_t reserved;
};

#define SEGMENT_MAGIC "SFSEGMNT"
#define ORDINALS_MAGIC "SFORDNLS"
#define MANIFEST_MAGIC "SFMANIFS"
#define INDEX_ENDIAN 0x01020304u

enum { POSTING_SMALL = 64, POSTING_ARRAY = 4096, COLUMN_K_MAX = 8 };

struct posting_block {
	uint16_t key, last; /* key: document / 65536; last: the number of documents - 1 */
	uint32_t at8;       /* offset from the start of the posting, in units of 8 bytes */
};

/* ---- checksum.c ---- */

uint64_t index_checksum(const void *p, size_t n, uint64_t seed);
uint64_t index_field_hash(const struct schema_field *f);

#endif
