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
 * Most terms of a large dictionary have one document. SECTION_RARE has a bit for each term: 1 when
 * it has one document, which is then in SECTION_ONLY. The other terms, and the term n, are common;
 * a common term is the i-th one in SECTION_PLACE and SECTION_COUNT. SECTION_RARE_BEFORE has the
 * number of ones before every
 * 64 bits, so that a bit becomes a place in one of both:
 *
 *   term           0   1   2   3   4   n
 *   RARE           0   1   1   0   1
 *   ONLY               9   2       7            term 2: the document 2
 *   PLACE          0           4       20       term 3: its posting begins at byte 4 * 4
 *
 * A dictionary of texts is in blocks of TERM_BLOCK terms, which begin at SECTION_TERM_AT.
 * Neighbours often begin alike, and names end alike. So a term is two varints, how many bytes it
 * shares with the term before and how many it has of its own, and those. A term shares at most
 * TERM_SHORT bytes, with a term that has no more. Both numbers are in one byte, four bits each;
 * TERM_LONG in four bits means that a varint follows, which has what is above TERM_LONG:
 *
 *   login | logout         0 5 "login"  3 3 "out"            strings share their first bytes
 *   example | www.example  0 7 "example"  7 4 "www."         names their last ones
 *
 * SECTION_PLACE counts from the beginning of the file. So terms of several slots share a posting:
 * asn and as_name have the same documents, as have a version and its cpe.
 *
 * A posting is a varint, 2 * count + form, and the documents in one of two forms:
 *
 *   0   gaps: the first document, then the distance of each to the one before, packed or as varints (postings.c)
 *   1   (at a multiple of 8) uint32_t nblocks, 0; struct posting_block[nblocks]; then for each block of 65536
 *       documents such gaps (up to POSTING_ARRAY documents), a bitmap, or the gaps of the documents that the
 *       block does not have (from POSTING_MOST documents on)
 *
 * The postings of a nested field are of nested documents. Up to POSTING_DERIVED of them, the reader
 * finds their documents by SECTION_OWNER_BASE. A longer posting has the place of a posting of documents,
 * a uint32_t, behind its varint.
 *
 * A text without a facet is only compared as a whole (NODE_EXACT). It has no term: SECTION_HASHES
 * has a hash of it, and a query compares the hashes of those documents that have the same words.
 *
 * A program refuses files of another INDEX_VERSION; surfaced-index then builds the index anew.
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

#define INDEX_VERSION 1

enum { INDEX_BLOCK = 65536, INDEX_BLOCK_WORDS = INDEX_BLOCK / 64, INDEX_ALIGN = 64 };

enum level { LEVEL_DOCUMENT, LEVEL_NESTED, LEVELS };
enum part { PART_VALUES, PART_TOKENS, PARTS };

/* The type of the terms of a slot, and their order. */
enum term_form {
	FORM_NONE,    /* no terms: the slot is unused or has only dates */
	FORM_STRINGS, /* ordered by bytes */
	FORM_NAMES,   /* DNS names, ordered by labels from the right: a subtree is a range */
	FORM_INTS,    /* ordered by value */
	/* addresses as keys of hosts (address_key), ordered by bytes: a network is a range */
	FORM_ADDRS,
	FORM_HEX,    /* texts of lower-case hexadecimal digits, all of one length, as bytes */
	FORM_HASHED, /* no terms: SECTION_HASHES */
	TERM_FORMS,
};

enum section_kind {
	SECTION_SLOTS,      /* struct slot_meta[nslots] */
	SECTION_IP4,        /* uint32_t, host order, ascending */
	SECTION_IP6,        /* 16 bytes each, ascending; these documents follow those of IP4 */
	SECTION_FIRST,      /* uint32_t[ndocs + 1]: the first nested document of a document */
	SECTION_TERM_AT,    /* uint32_t[blocks + 1]: offsets in TERM_BYTES */
	SECTION_TERM_BYTES, /* all strings */
	SECTION_TERM_INTS,  /* int64_t[n] */
	/* uint32_t[n]: terms ordered by folded text; absent: that order is the same */
	SECTION_FOLD,
	SECTION_RANK,  /* uint32_t[n]: the place of a term in the order of bytes (FORM_NAMES) */
	SECTION_COUNT, /* uint32_t[common]: the number of documents of a term, for facets */
	SECTION_POSTINGS,
	/* k terms a document, of slot_meta.width bytes each; COLUMN_ROWS: a term a nested document;
	   COLUMN_COMBINATIONS: the number of its combination a document (write/build_column.c) */
	SECTION_COLUMN,
	SECTION_COLUMN_NESTED,
	SECTION_MORE_AT,   /* uint32_t[more + 1]: offsets in MORE_IDS */
	SECTION_MORE_IDS,  /* the terms that the column has no place for */
	/* uint32_t[n]: for a field with labels (asn), the term of its label (as_name) */
	SECTION_LABEL,
	SECTION_FIELDS, /* uint64_t[nfields], slot 0: field hashes, in the order of the slots */
	SECTION_BEFORE, /* uint64_t[], slot 0 of ordinals: ids of the segments, its own last */
	SECTION_MAP,    /* uint32_t[n], one slot a field: the ordinal of each term */
	SECTION_DATES,  /* int64_t a document of the field's own level; INT64_MIN: no date */
	/* uint64_t[blocks + 1]: where each block of KEY_BLOCK keys begins in KEYS */
	SECTION_KEY_AT,
	SECTION_KEYS, /* the keys of documents that have no addresses as keys (keys.h) */
	/* uint32_t[common]: where in the file the posting of a term is, in units of POSTING_UNIT */
	SECTION_PLACE,
	SECTION_RARE,        /* uint64_t[]: a bit for each term; absent: all terms are common */
	SECTION_RARE_BEFORE, /* uint32_t[]: the ones before each word of SECTION_RARE */
	/* The document of each rare term, of the field's own level: ONLY_SHORT bytes, or four when
	   the level has more than ONLY_SHORT_MAX documents. */
	SECTION_ONLY,
	SECTION_HASHES,  /* uint32_t a document of the field's own level; 0: no text */
	SECTION_SECONDS, /* for SECTION_DATES: uint32_t, seconds after SECTION_EPOCH; 0: no date */
	SECTION_EPOCH,   /* int64_t[1], microseconds */
	/* For HASHES or SECONDS that few documents have: a bit for each document, 1 when it is
	   among them. */
	SECTION_HAS,
	SECTION_HAS_BEFORE, /* uint32_t[]: the ones before each word of SECTION_HAS */
	/* The document of a nested document: that of the first of every OWNER_BLOCK nested
	   documents, uint32_t, and what is to be added for each, uint8_t; OWNER_FAR: more, it has
	   to be searched in SECTION_FIRST. */
	SECTION_OWNER_BASE,
	SECTION_OWNER_STEP,
	/* struct pair_term[]: the frequent terms; this and the next three of slot 0 (pairs.h) */
	SECTION_PAIR_TERMS,
	SECTION_PAIR_SLOTS, /* uint32_t[]: the slots that are counted */
	SECTION_PAIR_AT,    /* uint64_t[terms * slots + 1]: offsets in PAIRS */
	SECTION_PAIRS,      /* cells */
	SECTION_MORE_WORDS, /* uint64_t[words]: one bit a document: it has more than k terms */
	SECTION_MORE_RANK,  /* uint32_t[words]: the number of bits in the words before */
	/* For HASHES or SECONDS of few values, of which the section has each once: the place of
	   each document's value there, a byte, or two when there are more than VALUES_SHORT. */
	SECTION_VALUE_AT,
	/* k terms a combination, of slot_meta.width bytes each. */
	SECTION_COMBINATIONS,
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
	uint64_t damages, generation, size;
	uint64_t checksum; /* covers the header with 0 in this place, then the body */
	int64_t published_us, damaged_us; /* damages: how often damage was found; when at last */
};

#define SEGMENT_MAGIC "SFSEGMNT"
#define ORDINALS_MAGIC "SFORDNLS"
#define MANIFEST_MAGIC "SFMANIFS"
#define INDEX_ENDIAN 0x01020304u

enum {
	POSTING_UNIT = 4,
	POSTING_ARRAY = 4096,
	POSTING_MOST = INDEX_BLOCK - POSTING_ARRAY,
	POSTING_DERIVED = 16384,
	COLUMN_K_MAX = 8,
	COLUMN_ROWS = 255,         /* slot_meta.k of rows (write/build_column.c) */
	COLUMN_COMBINATIONS = 128, /* slot_meta.k of combinations: this and k */
	COMBINATIONS_SHORT = 256,  /* most combinations whose numbers have one byte, and not two */
	COMBINATIONS_MAX = 65536,
	TERM_HEX_MIN = 16, /* digits of a term of FORM_HEX */
	TERM_HEX_MAX = 128,
	ONLY_SHORT = 3,
	ONLY_SHORT_MAX = 1 << 24,
	TERM_BLOCK = 8,
	TERM_SHORT = 255,
	TERM_LONG = 15,
	VALUES_SHORT = 256,
	VALUES_FEW = 65536, /* most values with SECTION_VALUE_AT */
	OWNER_BLOCK = 64,
	OWNER_FAR = 255,
};

struct posting_block {
	uint16_t key, last; /* key: document / 65536; last: the number of documents - 1 */
	uint32_t at8;       /* offset from the start of the posting, in units of 8 bytes */
};

/* ---- checksum.c ---- */

uint64_t index_checksum(const void *p, size_t n, uint64_t seed);
/* The same in pieces: begin it with the number n of all bytes, add pieces of whole CHECKSUM_UNITs, end
   it with the n % CHECKSUM_UNIT bytes that are left. */
enum { CHECKSUM_UNIT = 32 };
struct checksum; /* index.h */
void checksum_begin(struct checksum *c, uint64_t n, uint64_t seed);
void checksum_add(struct checksum *c, const void *p, size_t n);
uint64_t checksum_end(const struct checksum *c, const void *p, size_t n);
uint64_t index_field_hash(const struct schema_field *f);

#endif
