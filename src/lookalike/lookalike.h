/* SPDX-License-Identifier: ISC */
/* Whether a name of DNS resembles a watched domain (AREAS.md 5). Pure: no database and no network;
 * nothing is generated but the deletes of the watched labels.
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
 * an edit have a variant with one letter left out in common, so a table of such variants finds
 * misspellings without comparing every pair (the idea is known as SymSpell).
 *
 * A name gives at most one match for each watched domain: the one with most points. `found` of a
 * match is the registrable domain, or, where the resemblance is in a label below it, the name from
 * that label on:
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

/* Points with their codes, each code once. */
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
	uint32_t watched;       /* the number that lookalike_index_add got */
	struct str found;       /* in A-labels */
	struct str registrable; /* the registrable domain of found */
	struct str word;        /* the watched label or word */
	enum lookalike_class class;
	enum lookalike_edit edit;         /* the misspelling; EDIT_NONE: none */
	struct lookalike_reasons reasons; /* reasons in the name alone */
};

/* The class "homoglyph" and the edit "omission" as answers show them; the edit may be NULL. */
const char *lookalike_class_name(enum lookalike_class c);
const char *lookalike_edit_name(enum lookalike_edit e);
const char *lookalike_weight_code(enum lookalike_weight w);
extern const char *const lookalike_class_names[]; /* NULL ends the list */

/* ---- fold.c ---- */

/* The name with its A-labels as letters; a label that IDNA refuses stays as it is. */
struct str lookalike_unicode(struct arena *a, struct str name);
/* The form in which labels that look alike are equal: Unicode, confusable letters (UTS 39) as
   ASCII, lower case, no marks, and then 0 as o, 1 and l as i, vv as w, rn as m, cl as d.
   fold(fold(x)) is fold(x). */
struct str lookalike_fold(struct arena *a, struct str label);

/* ---- index.c ---- */

struct lookalike_index;

/* An empty index; it lasts as long as the arena. */
struct lookalike_index *lookalike_index_new(struct arena *a);
/* Adds a registrable domain with its words. The texts must last as long as the index. */
void lookalike_index_add(
    struct lookalike_index *x, uint32_t watched, struct str domain, struct strs words);
/* The number of its variants of words, which take nearly all of its memory: less than 48 bytes
   each. */
size_t lookalike_index_entries(const struct lookalike_index *x);

/* ---- find.c ---- */

/* The matches of a name in A-labels and lower case: one at most for each watched domain, in no
   order. */
size_t lookalike_find(const struct lookalike_index *x, struct arena *a, struct str name,
    struct lookalike_match **out);

/* ---- score.c ---- */

/* Facts about a found name. Times are 0 when they are not known. */
struct lookalike_facts {
	bool address, mail, web, same_page, parked, ranked, same_holder;
	struct ts created_at, certificate_at, now;
};

/* Adds the reasons of the facts, and the cut to 0..100 as a reason of its own. Returns the score,
   which is the sum. */
int lookalike_score(struct lookalike_reasons *r, const struct lookalike_facts *f);
/* When the score changes by itself, because a certificate or a registration is no longer new;
   INT64_MAX: never. */
struct ts lookalike_due(const struct lookalike_facts *f);
void lookalike_reason_add(struct lookalike_reasons *r, enum lookalike_weight code, int points);

/* ---- allow.c ---- */

/* Whether a pattern of an allow list has a sound form: a name in which * is any text, with two
   other characters at least. */
bool lookalike_pattern_sound(struct str pattern);
/* Whether the name is one of a pattern, or is below it. */
bool lookalike_pattern_has(struct str pattern, struct str name);
/* Whether the name is below a domain whose customers have names of their own there, such as a CDN's
   (tbl/shared_domains.h). */
bool lookalike_is_shared(struct str name);

#endif
