/* SPDX-License-Identifier: ISC */
#ifndef LOOKALIKE_LOOKALIKE_PRIV_H
#define LOOKALIKE_LOOKALIKE_PRIV_H

#include "lookalike/lookalike.h"

enum {
	LABEL_MOST = 63,
	PARTS_MOST = 8,  /* hyphen parts of a label that are looked at */
	HYPHEN_WORD = 3, /* the shortest word that is looked for among hyphen parts */
	TYPO_WORD = 5,   /* the shortest word of which misspellings are looked for */
	AFFIX_WORD = 6,  /* the shortest word that is looked for within a part, beside lures */
	JOINED_TYPO =
	    7, /* the shortest word of which misspellings are looked for beside a lure without a hyphen */
	FAR_WORD = 11, /* the shortest word that may differ by two edits */
	LONG_WORD = 8, /* a longer word gets no more points for its length */
};

/* A text that is compared with labels: the label of a watched domain, or one of its words. */
struct watched_word {
	struct str raw;    /* as it was given */
	struct str plain;  /* fold without cl as d */
	struct str paired; /* fold; as plain where nothing differs */
	struct str domain, suffix;
	uint32_t watched;
	size_t edits;  /* by which a misspelling may differ */
	bool ordinary; /* it is a word of the dictionary */
};

/* A hash table from texts to the words of an index. */
struct word_table {
	struct word_entry {
		uint64_t hash;
		uint32_t word, next; /* next: number of the entry + 1; 0 ends the chain */
	} * entries;
	uint32_t *heads;
	size_t n, room, mask;
};

struct lookalike_index {
	struct arena *a;
	struct watched_word *words;
	size_t nwords;
	uint32_t nwatched; /* behind the largest number of a watched domain */
	struct word_table whole, deletes;
};

/* ---- fold.c ---- */

/* fold, and fold without cl as d: a label such as "clsco" needs the latter. */
struct str fold_with(struct arena *a, struct str label, bool cl);

/* ---- index.c ---- */

#define WORD_HASH_START UINT64_C(14695981039346656037)

static inline uint64_t
hash_byte(uint64_t hash, char c)
{
	return (hash ^ (unsigned char)c) * UINT64_C(1099511628211);
}

/* The next word with an entry of this hash; NULL: there is no more. *at is 0 at first. The caller
   compares the texts. */
const struct watched_word *words_next(
    const struct lookalike_index *x, const struct word_table *t, uint64_t hash, uint32_t *at);
uint64_t word_hash(struct str s);
/* Calls fn with the hash of the text and of each variant without one letter, or without one and
   two. */
void each_delete(struct str text, size_t deletes, void (*fn)(void *arg, uint64_t hash), void *arg);
/* How many edits a word of this length may differ by. */
size_t edits_of(size_t length);

/* ---- distance.c ---- */

/* The number of edits between two texts: a letter more, less or other, or two neighbours exchanged;
   more than 2 is 3. */
size_t edit_distance(struct str a, struct str b);
/* Names the edit that makes `text` of `word`. */
enum lookalike_edit edit_name(struct str word, struct str text);

/* ---- words.c: tables of words ---- */

bool is_ordinary(struct str word);
/* Whether the text is two ordinary words or more, each of at least four letters. */
bool is_ordinary_words(struct str text);
bool is_abused_suffix(struct str suffix);
bool is_hosting_suffix(struct str name);
/* Whether the folded text is made of lures and digits alone, with a lure at least. */
bool is_lures(struct str text);
/* The same, or it begins or ends with a lure that is long enough to be no accident. */
bool has_lure(struct str text);
/* The longest folded lure at the beginning of the text, or at its end; 0: none. */
size_t lure_before(struct str text);
size_t lure_behind(struct str text);

/* ---- name.c ---- */

struct found_name {
	struct str name, registrable, suffix; /* as sent, in A-labels */
	struct str label, unicode;            /* the label of the registrable domain */
	struct str icann; /* the registrable domain by the ICANN section of the list */
	bool hosted;      /* the suffix is of the private section */
	bool abused;      /* the suffix is often used for phishing */
	bool restricted;  /* only authorities or schools register below it */
};

/* False: the name has no registrable domain. */
bool name_split(struct arena *a, struct str name, struct found_name *out);

/* ---- judge.c ---- */

/* How a word is in a label. */
enum shape {
	SHAPE_WHOLE, /* the label is the word */
	SHAPE_PART,  /* between hyphens */
	SHAPE_AFFIX, /* within a part */
};

struct likeness {
	const struct watched_word *word;
	const struct found_name *name;
	enum shape shape;
	struct str raw; /* the text that is like the word; p NULL: only its folded form is known */
	struct str plain; /* the same, folded */
	/* the name from the label on that has the text; p NULL: it is the registrable label */
	struct str below;
	struct str behind; /* the name behind that label */
	bool misspelled;   /* else both are equal, or equal when they are folded */
	bool hyphen;       /* without its hyphens the text is the word */
	bool lure, www, whole_domain, digits, random; /* beside the text */
	size_t hyphens;                               /* hyphens of the label */
};

/* Fills class, edit, found and reasons of a match. False: such a likeness means nothing. */
bool judge_likeness(const struct likeness *l, struct lookalike_match *m) MUST_USE;

#endif
