/* SPDX-License-Identifier: ISC */
/* Shared by the files of src/extract; HACKING draws how they follow one another. Positions are
   offsets in the clean text. Each look to the left or the right of a position is bounded by NEAR,
   so that time is linear in the text. */
#ifndef EXTRACT_EXTRACT_PRIV_H
#define EXTRACT_EXTRACT_PRIV_H

#include "extract/extract.h"
#include "extract/shift_priv.h"

enum { NEAR = 160, LONGEST_NAME = 253, CONVERSIONS = 100000 };

/* The order of tbl/indicator_types.h. */
enum find_type {
	FIND_IPV4,
	FIND_IPV6,
	FIND_CIDR,
	FIND_DOMAIN,
	FIND_URL,
	FIND_EMAIL,
	FIND_MD5,
	FIND_SHA1,
	FIND_SHA256,
	FIND_SHA512,
	FIND_CERTIFICATE,
	FIND_JARM,
	FIND_ASN,
	FIND_CVE,
	FIND_TECHNIQUE,
	FIND_BITCOIN,
	FIND_TYPES,
};

/* The text after normalising and refanging: valid UTF-8. fang[i] is 1 where byte i was spelled
   otherwise. */
struct clean {
	const char *p;
	size_t n;
	const unsigned char *fang;
	struct shifts refanged, given; /* to the normalised text, and from that to the given one */
};

/* How a section judges the values in it. */
enum zone {
	ZONE_PROSE,
	ZONE_WEAK,       /* samples, C2: a list in it has indicators, its prose has not */
	ZONE_INDICATORS, /* indicators of compromise */
	ZONE_PACKAGES,   /* names of applications, which look like domains */
	/* names and addresses of victims; hashes are those of files all the same */
	ZONE_VICTIMS,
	ZONE_OFF, /* references: no indicators */
};

struct heading {
	unsigned level;
	enum zone zone;
	struct str text;
	bool files, network; /* it is about files, about names and addresses */
};

enum { HEADINGS = 10 };

struct sections {
	struct heading stack[HEADINGS];
	size_t n;
	char fence; /* the character that closes the block of code; '\0': outside of one */
	/* the character between the cells of a table of indicators; '\0': outside of one */
	char table;
	size_t certificate_cell; /* the column of a table that has certificates, from 1; 0: none */
	bool row;                /* the line above is a row of a table */
	bool asciidoc, titled, indented, blank, list;
	bool looked_up; /* this block of code has the output of nslookup or dig */
};

/* A line and its surroundings: set once, read by every candidate in it. */
struct place {
	size_t from, to;
	enum zone zone;
	struct str heading;
	bool code, row, hash;
	bool files, network; /* as in the heading */
	bool words;          /* sections_words has set the next three */
	bool reference, certificate;
	bool cites;     /* "Source:" and a URL */
	bool looked_up; /* in the output of a tool such as nslookup, which its author has run */
	size_t certificate_cell;
};

struct find {
	enum find_type type;
	size_t at, end;
	struct str value; /* canonical */
	struct str host;  /* in a URL, a domain or an e-mail address; null: none, or an address */
	bool defanged;
	bool link;     /* a target or a text of a link */
	bool alone;    /* the one value of its line or cell */
	bool reserved; /* an address that is not public */
	bool doubtful; /* could be a file, code or a package */
};

struct run {
	struct arena *a, *scratch;
	const struct extract_input *in;
	struct clean text;
	struct sections sections;
	struct place place;
	struct str own;      /* the registrable domain of the report's URL; null: none */
	struct str own_name; /* the publisher, lower-case letters and digits alone; null: none */
	struct indicator *found;
	size_t nfound, steps, conversions;
	size_t joined; /* where the hash ends that was joined last */
	uint32_t *slots;
	struct extract_mark *marks;
	size_t nmarks;
	bool truncated, linked;
};

/* clean.c */
struct clean clean_text(struct arena *a, const struct extract_input *in);
/* marks.c: does nothing where no marks are wanted. */
void mark_add(struct run *r, const struct find *f, size_t indicator);
/* sections.c: enters the line [from, to) and fills the place. False: the line has no values. */
bool sections_line(struct run *r, size_t from, size_t to);
void sections_words(struct run *r);
/* words.c */
bool text_has_word(struct str text, const char *word);
/* scan.c */
void scan_line(struct run *r);
/* names.c: the canonical name, or null. */
struct str name_canonical(struct run *r, struct str raw);
bool name_is_doubtful(const struct run *r, const struct find *f, struct str raw);
/* urls.c: the end of the URL at `at`, or at: there is none. Its value is null when it is too
   long. */
size_t url_at(struct run *r, size_t at, struct find *f);
/* hashes.c */
bool hash_at(struct run *r, size_t at, size_t end, struct find *f);
bool bitcoin_check(struct str s);
/* secrets.c: true when words around a hash call it a key, a token or a thumbprint. */
bool secret_hash(const struct run *r, const struct find *f);
/* judge.c */
void judge(const struct run *r, const struct find *f, struct indicator *out);
/* benign.c */
struct str benign_list(const struct run *r, const struct find *f);
/* found.c. found_counted: true when another occurrence in this place changes nothing but the
   count. */
void found_add(struct run *r, struct find *f);
bool found_counted(struct run *r, const struct find *f);
/* types.c */
struct str type_name(enum find_type type);
/* context.c */
struct str context_of(struct run *r, const struct find *f);
/* vocabulary.c */
void vocabulary_names(struct run *r, struct extract_output *out);

#endif
