/* SPDX-License-Identifier: ISC */
/* Finds whether a DNS name resembles a watched domain (C-177, C-178). Pure functions, without a
 * database or a network. Nothing is generated except the variants of the watched words with letters
 * left out.
 *
 *   watched domains, their words          a name that becomes known
 *            |                                     |
 *            v                                     v
 *   lookalike_index_add                   registrable label, hyphen parts, labels below         name.c
 *            |                                     |
 *            v                                     v
 *   words:    fold(word)         <-----  whole labels, parts, and substrings of a part          find.c
 *   deletes:  fold(word) without <-----  the same with one or two letters left out
 *             one or two letters                   |
 *                                                  v
 *                              class, edit, and reasons by tbl/lookalike_weights.h              judge.c
 *                                                  |
 *   what is known about the name ------------------+
 *                                                  v
 *                              score: the sum of the reasons, cut to 0..100                     score.c
 *
 * Comparing fold(a) with fold(b) finds letters that look alike (fold.c). Two texts that differ by
 * one edit become equal when one letter is left out of each, so a table of such variants finds
 * misspellings without comparing every pair (the method is known as SymSpell).
 *
 * A name gives at most one match for each watched domain: the one with the most points. `found` of
 * a match is the registrable domain. When the resemblance is in a label below that, `found` is the
 * part of the name that begins with this label:
 *
 *   www.paypal-login.com          -> paypal-login.com            combo
 *   a.paypal.com.evil.example     -> paypal.com.evil.example     subdomain
 *   trezor-suite.webflow.io       -> itself, because webflow.io is in the private section of the public suffix
 *                                 list */
#ifndef LOOKALIKE_LOOKALIKE_H
#define LOOKALIKE_LOOKALIKE_H

#include "base/base.h"

enum lookalike_class {
#define LOOKALIKE_CLASS(id, name) LOOKALIKE_##id,
#include "tbl/lookalike_classes.h"
#undef LOOKALIKE_CLASS
	LOOKALIKE_CLASSES,
};

enum lookalike_edit {
	EDIT_NONE,
#define LOOKALIKE_EDIT(id, name) EDIT_##id,
#include "tbl/lookalike_edits.h"
#undef LOOKALIKE_EDIT
};

enum lookalike_weight {
#define LOOKALIKE_WEIGHT(id, code, points, help) WEIGHT_##id,
#include "tbl/lookalike_weights.h"
#undef LOOKALIKE_WEIGHT
	WEIGHTS,
};

/* The points of a match. Each code occurs once. */
struct lookalike_reason {
	enum lookalike_weight code;
	int points;
};

struct lookalike_reasons {
	struct lookalike_reason p[24];
	size_t n;
	int sum;
};

struct lookalike_match {
	uint32_t watched;       /* the number that was passed to lookalike_index_add */
	struct str found;       /* in A-labels */
	struct str registrable; /* the registrable domain of found */
	struct str word;        /* the watched label or word */
	enum lookalike_class class;
	enum lookalike_edit edit;         /* the misspelling; EDIT_NONE: none */
	struct lookalike_reasons reasons; /* reasons in the name alone */
};

/* Names in answers, such as the class "homoglyph" and the edit "omission". The name of EDIT_NONE is
   NULL. */
const char *lookalike_class_name(enum lookalike_class c);
const char *lookalike_edit_name(enum lookalike_edit e);
const char *lookalike_weight_code(enum lookalike_weight w);
extern const char *const lookalike_class_names[]; /* NULL ends the list */

/* ---- fold.c ---- */

/* Decodes the A-labels of a name to Unicode. A label that IDNA refuses is not changed. */
struct str lookalike_unicode(struct arena *a, struct str name);
/* Returns the form in which labels that look alike are equal: confusable letters (UTS 39) become
   ASCII, without marks and in lower case; then 0 becomes o, 1 and l become i, vv becomes w, rn and
   nn m, and cl d. fold(fold(x)) equals fold(x) where x is UTF-8. */
struct str lookalike_fold(struct arena *a, struct str label);

/* ---- index.c ---- */

struct lookalike_index;

/* Returns an empty index in the arena. */
struct lookalike_index *lookalike_index_new(struct arena *a);
/* Adds a registrable domain with its words. The texts must last as long as the index. */
void lookalike_index_add(
    struct lookalike_index *x, uint32_t watched, struct str domain, struct strs words);
/* Returns the number of variants of words in the index. They take nearly all of its memory: less
   than 48 bytes each. */
size_t lookalike_index_entries(const struct lookalike_index *x);

/* ---- find.c ---- */

/* Finds the matches of a name, which is in lower case and A-labels: at most one for each watched
   domain, in no order. */
size_t lookalike_find(const struct lookalike_index *x, struct arena *a, struct str name,
    struct lookalike_match **out);

/* ---- score.c ---- */

/* Facts about a found name. Times are TS_NULL when they are not known: a certificate may begin in
   1970. */
struct lookalike_facts {
	bool address, mail, web, same_page, parked, ranked, same_holder;
	bool own_certificate; /* a certificate has this name below another registrable domain */
	struct ts created_at, certificate_at, now;
};

/* Adds the points of the facts, and one more reason that cuts the sum to 0..100. Returns the score,
   which is the sum of all reasons. */
int lookalike_score(struct lookalike_reasons *r, const struct lookalike_facts *f);
/* Returns the time at which the score changes because a certificate or a registration is no longer
   new. INT64_MAX: never. */
struct ts lookalike_due(const struct lookalike_facts *f);
void lookalike_reason_add(struct lookalike_reasons *r, enum lookalike_weight code, int points);

/* ---- allow.c ---- */

/* Whether a pattern of an allow list is valid: a name in which * stands for any text, with at least
   two other characters. */
bool lookalike_pattern_sound(struct str pattern);
/* Whether the name, or a parent of it, matches the pattern. */
bool lookalike_pattern_has(struct str pattern, struct str name);
/* Whether the name is below a domain that customers share, such as the domain of a CDN
   (tbl/shared_domains.h). */
bool lookalike_is_shared(struct str name);

#endif
