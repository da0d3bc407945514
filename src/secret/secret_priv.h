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
	SECRET_CHECK_PEM,
	SECRET_CHECK_PUTTY,
	SECRET_CHECK_URL,
};

enum { SHAPES = 4, PARTS = 8, ROWS = 128 };

/* Words that are looked for together, in one pass: each has a bit. A place is compared with those
   words alone whose first two bytes are there, so a text costs about the same however many words
   there are. */
enum { SECRET_WORDS = 32 };

struct secret_words {
	struct str words[SECRET_WORDS];
	size_t n;
	uint32_t first[256], second[256]; /* words that have this byte there, in either case */
};

/* A part of a shape: min to max characters of a class, or a literal. */
struct secret_part {
	uint16_t class;
	uint16_t min, max;
	bool before; /* is passed over before the secret begins */
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
	uint32_t near_words; /* bits of secret_index.near; 0: the row asks for none */
	bool unwanted;       /* none of the words may be near */
};

/* A text of the column anchors, without "^" and classes. */
struct secret_anchor {
	const struct secret_row *row;
	unsigned char n, fixed; /* fixed: bytes before the first class */
	unsigned char probe;    /* offset of the three bytes that the scanner looks for */
	int16_t next;           /* the next one in its bucket; -1: none */
	/* Classes of the bytes before and behind it, by which most candidates fail before anything
	   else is tried; 0: any byte, or none. */
	uint16_t class_before, class_behind;
	/* the byte before must have none of these classes, unless an escape ends with it */
	uint16_t class_word;
	char text[32];
};

enum { ANCHORS = 320, BUCKETS = 1024, PROBE_BITS = 1 << 16 };

/* The entropy of a secret is that of so many characters at most, which a byte can count. */
enum { ENTROPY_MOST = 255 };

struct secret_index {
	struct secret_anchor anchors[ANCHORS];
	size_t n;
	int16_t bucket[BUCKETS];
	uint64_t probes[PROBE_BITS / 64];
	uint16_t class_of[256];             /* the classes that a byte is in, a bit each */
	double entropy_steps[ENTROPY_MOST]; /* (n + 1) log2(n + 1) - n log2(n) */
	uint32_t crc_steps[256];            /* CRC-32 of each byte */
	struct secret_words near;           /* the columns near of all rows */
	struct secret_words placeholders;   /* tbl/secret_placeholders.h, but for WHOLE ones */
	uint32_t placeholders_at_end;
};

#define CLASS_ALNUM (1u << 6)  /* n */
#define CLASS_BASE64 (1u << 9) /* b */

/* Is made once for all threads. */
const struct secret_index *secret_index(void);

static inline uint32_t
secret_probe(const char *p)
{
	uint32_t x = (uint32_t)(unsigned char)p[0] | (uint32_t)(unsigned char)p[1] << 8 |
		     (uint32_t)(unsigned char)p[2] << 16;

	return (x * 2654435761u) >> 16;
}

/* ---- what the files that judge a candidate share ---- */

/* The words and runs beside candidates that are done are remembered, so that no byte is read again
   for the next ones. The candidates of a text come in the order of their places. */
struct secret_memo {
	size_t near_read;          /* words of the column near that begin before it are known */
	size_t near[SECRET_WORDS]; /* the end of the last of each word; 0: none */
	size_t keys_read;          /* runs that begin before it are known */
	size_t *keys;              /* the places of what may be a secret key of AWS */
	size_t nkeys;
};

struct candidate {
	struct arena *a;
	const struct secret_index *x;
	const struct secret_anchor *anchor;
	struct str text; /* that is searched */
	struct ts now;
	size_t at;               /* of the anchor */
	size_t start, end;       /* of the secret */
	size_t done;             /* the end of the secret before it */
	size_t second, second_n; /* the secret key beside the id of an AWS key */
	struct secret_memo *memo;
	bool valid;
	bool open; /* the text ends within the candidate */
};

/* shape.c: sets start and end; false: the characters around the anchor are not those of the row. */
bool secret_fits_shape(struct candidate *c);
/* Whether the bytes before an offset are an escape: \n, %3D or \u003d. */
bool secret_is_escape(struct str text, size_t at);
/* Whether a secret may begin at an offset: the character before it belongs to no word and is not of
   the class. An escape such as \n or %3D is no word. */
bool secret_may_begin(const struct candidate *c, size_t start, unsigned class);

/* check.c: the column check. It sets start and end of rows without a shape. */
bool secret_passes_check(struct candidate *c);

/* key_block.c: private keys of several lines. */
bool secret_key_block(struct candidate *c);
bool secret_putty_block(struct candidate *c);

/* placeholder.c */
bool secret_is_placeholder(struct str secret);
bool secret_is_weak_password(struct str password);
bool secret_has_entropy(struct str secret, int tenths);
/* Whether the words around the candidate are those that its row asks for. */
bool secret_is_near(const struct candidate *c);

/* words.c */
/* Adds a word and returns its bit. */
uint32_t secret_words_add(struct secret_words *w, struct str word);
/* The words that begin at p, of which left bytes may be read. */
uint32_t secret_words_at(const struct secret_words *w, const char *p, size_t left);
/* Adds the words of tbl/secret_placeholders.h, and returns those that count at the end of a secret
   alone. */
uint32_t secret_placeholders_compile(struct secret_words *w);

#endif
