/* SPDX-License-Identifier: ISC */
#ifndef LOOKALIKE_LOOKALIKE_PRIV_H
#define LOOKALIKE_LOOKALIKE_PRIV_H

#include "base/hash.h"
#include "lookalike/lookalike.h"

enum {
	LABEL_MOST = 63,
	PARTS_MOST = 8,  /* hyphen parts of a label that are searched */
	HYPHEN_WORD = 3, /* the shortest word that is searched among hyphen parts */
	TYPO_WORD = 5,   /* the shortest word whose misspellings are searched */
	AFFIX_WORD = 6,  /* the shortest word that counts within a part without a lure */
	/* the shortest word whose misspellings are searched beside a lure, without a hyphen
	   between them; and the same for a lure of three letters, or digits */
	JOINED_TYPO = 6,
	JOINED_FAR = 8,
	LURE_ANCHOR = 4, /* a shorter lure counts only beside a longer one, or a long word */
	FAR_WORD = 11, /* the shortest word that may differ by two edits */
	LONG_WORD = 8,  /* a longer word gets no more points for its length */
	LONG_TYPO = 10, /* the same for a misspelled word */
};

/* A text that is compared with labels: the label of a watched domain, or one of its words. */
struct watched_word {
	struct str raw;    /* as it was given */
	struct str plain;  /* folded, but cl is not d, and nn is not m */
	struct str paired; /* folded; equal to plain in most words */
	struct str domain, suffix;
	uint32_t watched;
	size_t edits;  /* edits by which a misspelling may differ */
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
	uint32_t nwatched; /* the largest number of a watched domain, plus one */
	struct word_table whole, deletes;
};

/* ---- fold.c ---- */

/* Folds a label. wide: cl becomes d, and nn m. Labels such as "clsco" must be compared without that. */
struct str fold_with(struct arena *a, struct str label, bool wide);

/* ---- index.c ---- */

/* Returns the next word with an entry of this hash, or NULL at the end. *at is 0 at first. The
   caller compares the texts, because hashes may collide. */
const struct watched_word *words_next(
    const struct lookalike_index *x, const struct word_table *t, uint64_t hash, uint32_t *at);
uint64_t word_hash(struct str s);
/* Calls fn with the hash of the text and of each variant without one letter, or without one and
   two. */
void each_delete(struct str text, size_t deletes, void (*fn)(void *arg, uint64_t hash), void *arg);
/* Returns the number of edits by which a misspelling of a word of this length may differ. */
size_t edits_of(size_t length);

/* ---- distance.c ---- */

/* Returns the number of edits between two texts, and 3 when there are more than 2. An edit inserts,
   omits or replaces a letter, or exchanges two neighbours. */
size_t edit_distance(struct str a, struct str b);
/* Whether two keys are neighbours on a keyboard. */
bool is_beside(char key, char other);
/* Classifies the edit that turns `word` into `text`. */
enum lookalike_edit edit_name(struct str word, struct str text);

/* ---- name.c ---- */

struct found_name {
	struct str name, registrable, suffix; /* in A-labels */
	struct str label, unicode;            /* the label of the registrable domain */
	/* the registrable domain by the ICANN section of the public suffix list */
	struct str icann;
	bool hosted;     /* customers of a provider choose names below the suffix */
	bool generic;    /* the suffix is none of a country, and none of the first ones such as com */
	bool abused;     /* the suffix is often used for phishing */
	bool known;      /* a known company uses the registrable domain */
	bool strange;    /* the label has digits or random letters */
	bool restricted; /* only authorities or schools can register names below the suffix */
};

/* Splits a name. Returns false when it has no registrable domain. */
bool name_split(struct arena *a, struct str name, struct found_name *out);

/* ---- judge.c ---- */

/* Where a word is in a label. */
enum shape {
	SHAPE_WHOLE, /* the label is the word */
	SHAPE_PART,  /* between hyphens */
	SHAPE_JOINED, /* with lures and nothing else in a part */
	SHAPE_AFFIX, /* within a part */
};

struct likeness {
	const struct watched_word *word;
	const struct found_name *name;
	enum shape shape;
	/* the text that resembles the word; STR_NULL: only its folded form is known */
	struct str raw;
	struct str plain; /* the same, folded */
	/* the part of the name that begins with the label; STR_NULL for the label of the
	   registrable domain */
	struct str below;
	struct str behind; /* the part of the name after the label */
	bool misspelled;   /* else both texts are equal, at least when they are folded */
	bool hyphen;       /* the text without its hyphens equals the word */
	bool lure, www, whole_domain, digits, random; /* properties of the rest of the label */
	bool own; /* the rest of the label has own words alone */
	size_t hyphens;                               /* hyphens of the label */
};

/* Sets class, edit, found and reasons of a match. Returns false when the likeness does not
   count. */
bool judge_likeness(const struct likeness *l, struct lookalike_match *m) MUST_USE;

#endif
