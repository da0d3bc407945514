/* SPDX-License-Identifier: ISC */
#ifndef SECRET_SECRET_PRIV_H
#define SECRET_SECRET_PRIV_H

#include "base/base.h"
#include "base/limits.h"
#include "secret/secret.h"

/* ---- rows.c: tbl/secrets.h, compiled ---- */

enum secret_check {
	SECRET_CHECK_NONE,
	SECRET_CHECK_ANTHROPIC,
	SECRET_CHECK_AWS,
	SECRET_CHECK_CRC62,
	SECRET_CHECK_DIGIT,
	SECRET_CHECK_JWT,
	SECRET_CHECK_OPENAI,
	SECRET_CHECK_PASSWORD,
	SECRET_CHECK_PEM,
	SECRET_CHECK_PUTTY,
	SECRET_CHECK_URL,
};

enum { SHAPES = 4, PARTS = 12, ROWS = 256 };

/* Words that are searched together in one pass; each word has a bit. At each place only the
   words with the right first three bytes are compared, so the time hardly depends on the number of
   words. */
enum { SECRET_WORDS = 64 };

struct secret_words {
	struct str words[SECRET_WORDS];
	size_t n;
	/* words with this byte as their first or second, in either case */
	uint64_t first[256], second[256];
	uint64_t third[256]; /* the same; a word of two bytes has any third */
};

/* A part of a shape: min to max characters of a class, or a literal. */
struct secret_part {
	uint16_t class;
	uint16_t min, max;
	bool before; /* skipped: the secret begins after it */
	struct str literal;
};

struct secret_shape {
	struct secret_part parts[PARTS];
	size_t n;
};

struct secret_row {
	struct str type, provider, near;
	const char *anchors, *lead_text, *shape_text;
	enum secret_check check;
	int entropy; /* in tenths of a bit */
	enum secret_severity severity;
	struct secret_part lead;
	struct secret_shape shapes[SHAPES];
	size_t nshapes;
	uint64_t near_words; /* bits of secret_index.near; 0: no word is needed */
	bool unwanted;       /* the words must not be near */
};

/* A text of the column anchors, with "^" and classes expanded. */
struct secret_anchor {
	const struct secret_row *row;
	unsigned char n, fixed; /* fixed: bytes before the first class */
	unsigned char behind;   /* this many bytes behind the anchor have class_behind */
	unsigned char probe;    /* offset of the three bytes that the scanner looks up */
	/* Classes that the bytes before and after the anchor must have; 0: any. These tests come
	   first, because most candidates fail them. */
	uint16_t class_before, class_behind;
	/* classes that the byte before must not have, unless it ends an escape */
	uint16_t class_word;
	char text[32];
};

enum { ANCHORS = 1024, BUCKETS = 4096, PROBE_BITS = 1 << 16 };

/* The anchors whose three bytes have one hash, in the order of their rows. They lie side by side in
   secret_index.anchors. */
struct secret_bucket {
	uint16_t first;
	uint8_t n;
	uint8_t filter; /* secret_index.filters[filter - 1]; 0: none */
};

/* Decides for all anchors of a bucket at once which of them may be at a place. The bytes beside the
   three that are looked up select words of may; bit i of all these words is set when these bytes
   suit the text of anchor i of the bucket and the classes around it.

     p[-1]   p[0]   p[1] p[2]  p[3]   p[4]   p[5]   p[6]
     may[0]  may[1]            may[2] may[3] may[4] may[5]

   Four rows have the anchor sk_, and the anchors of nine more contain it. Six loads rule out most of them, where
   a look at each of them would be slow in a text of sk_ alone. A small bucket has no filter. */
enum {
	FILTERED = 4 /* anchors from which a bucket has a filter */,
	FILTERS = 40,
	FILTER_BYTES = 6
};

struct secret_filter {
	uint32_t may[FILTER_BYTES][256];
};

/* The place of a byte of a filter, from the first of the three bytes. */
static inline int
secret_filter_place(int byte)
{
	return byte < 2 ? byte - 1 : byte + 1;
}

/* Entropy is computed over at most this many characters, so that a byte can count each of them. */
enum { ENTROPY_MOST = 255 };

struct secret_index {
	struct secret_anchor anchors[ANCHORS];
	size_t n;
	struct secret_bucket buckets[BUCKETS];
	struct secret_filter filters[FILTERS];
	size_t nfilters;
	uint64_t probes[PROBE_BITS / 64];
	uint16_t class_of[256];             /* the classes of a byte, one bit each */
	double entropy_steps[ENTROPY_MOST]; /* (n + 1) log2(n + 1) - n log2(n) */
	uint32_t crc_steps[256];            /* CRC-32 of each byte */
	struct secret_words near;           /* the columns near of all rows */
	struct secret_words placeholders;   /* tbl/secret_placeholders.h without the WHOLE rows */
	uint64_t placeholders_at_end;
};

enum { CLASSES = 16 };

#define CLASS_ALNUM (1u << 6)  /* n */
#define CLASS_BASE64 (1u << 9) /* b */

/* Compiled at the first call, for all threads. */
const struct secret_index *secret_index(void);

static inline uint32_t
secret_probe(const char *p)
{
	uint32_t x = (uint32_t)(unsigned char)p[0] | (uint32_t)(unsigned char)p[1] << 8 |
		     (uint32_t)(unsigned char)p[2] << 16;

	return (x * 2654435761u) >> 16;
}

/* ---- candidates ---- */

/* A piece of the text whose bytes all have one class. */
struct secret_run {
	size_t from, end;
};

/* Remembers the words and runs around earlier candidates, so that no byte is read again for later
   ones. Candidates come in the order of their offsets. */
struct secret_memo {
	struct secret_run runs[CLASSES]; /* the last one of each class */
	struct str measured;             /* the last text whose entropy was computed */
	double entropy;
	size_t near_read;          /* words that begin before this offset are known */
	size_t near[SECRET_WORDS]; /* the end of the last occurrence of each word; 0: none */
	size_t keys_read;          /* runs that begin before this offset are known */
	size_t *keys;              /* the offsets of runs that may be a secret key of AWS */
	size_t nkeys;
};

struct candidate {
	struct arena *a;
	const struct secret_index *x;
	const struct secret_anchor *anchor;
	struct str text; /* the text that is scanned */
	struct ts now;
	size_t at;               /* of the anchor */
	size_t start, end;       /* of the secret */
	size_t done;             /* the end of the previous secret */
	size_t second, second_n; /* the secret key beside the id of an AWS key */
	struct secret_memo *memo;
	bool valid;
	bool open; /* the text ends within the candidate */
};

/* shape.c: sets start and end. Returns false when the characters around the anchor do not fit the
   row. */
bool secret_fits_shape(struct candidate *c);
/* Whether the bytes before an offset are an escape: \n, %3D or \u003d. */
bool secret_ends_escape(struct str text, size_t at);
/* The same, inline for the usual case that no escape begins there. */
static inline bool
secret_is_escape(struct str text, size_t at)
{
	const char *p = text.p + at;

	return ((at >= 2 && p[-2] == '\\') || (at >= 3 && p[-3] == '%') ||
		   (at >= 6 && p[-6] == '\\')) &&
	       secret_ends_escape(text, at);
}
/* Whether a secret may begin at an offset: the character before it is neither alphanumeric nor of
   the class, or it ends an escape such as \n or %3D. */
bool secret_may_begin(const struct candidate *c, size_t start, unsigned class);

/* check.c: applies the column check. Sets start and end in rows without a shape. */
bool secret_passes_check(struct candidate *c);

/* key_block.c: private keys of several lines. */
bool secret_key_block(struct candidate *c);
bool secret_putty_block(struct candidate *c);

/* placeholder.c */
bool secret_is_placeholder(struct str secret);
bool secret_is_weak_password(struct str password);
/* Returns the entropy of the characters, in bits per character. */
double secret_entropy(struct str s);
bool secret_has_entropy(struct str secret, int tenths);
/* Whether a word that the row needs is near the candidate, or no word that it must not have. */
bool secret_is_near(const struct candidate *c);

/* words.c */
/* Adds a word and returns its bit. */
uint64_t secret_words_add(struct secret_words *w, struct str word);
/* Returns the words that begin at p. left: the number of bytes that may be read. */
uint64_t secret_words_at(const struct secret_words *w, const char *p, size_t left);
/* Adds the words of tbl/secret_placeholders.h. Returns the words that count only at the end of a
   secret. */
uint64_t secret_placeholders_compile(struct secret_words *w);

#endif
