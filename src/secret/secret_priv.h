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
	size_t number; /* in tbl/secrets.h */
	enum secret_check check;
	int entropy; /* in tenths of a bit */
	enum secret_severity severity;
	struct secret_part lead;
	struct secret_shape shapes[SHAPES];
	size_t nshapes;
};

/* A text of the column anchors, without "^" and classes. */
struct secret_anchor {
	const struct secret_row *row;
	unsigned char n, fixed; /* fixed: bytes before the first class */
	unsigned char probe;    /* offset of the three bytes that the scanner looks for */
	int16_t next;           /* the next one in its bucket; -1: none */
	/* Classes of the bytes before and behind it, by which most candidates fail before anything else is tried; 0: any
	   byte, or none. */
	uint16_t class_before, class_behind;
	uint16_t class_word; /* the byte before must have none of these classes, unless an escape ends with it */
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
	uint16_t class_of[256]; /* the classes that a byte is in, a bit each */
	double entropy_steps[ENTROPY_MOST]; /* (n + 1) log2(n + 1) - n log2(n) */
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

/* Where words of a row's column near were looked for, and the end of the last of them; 0: none. */
struct secret_near {
	size_t read, hit;
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
	bool valid;
	bool open; /* the text ends within the candidate */
};

/* shape.c: sets start and end; false: the characters around the anchor are not those of the row. */
bool secret_fits_shape(struct candidate *c);
/* Whether the bytes before an offset are an escape: \n, %3D or \u003d. */
bool secret_is_escape(struct str text, size_t at);
/* Whether a secret may begin at an offset: the character before it belongs to no word and is not of the class. An escape
   such as \n or %3D is no word. */
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
/* Whether a word of the column near is around the bytes from start to end. Calls go on in the text, and no byte is compared
   twice. */
bool secret_is_near(
    struct secret_near *n, struct str text, size_t start, size_t end, struct str words);

#endif
